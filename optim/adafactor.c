/* optim/adafactor.c: torch.optim.Adafactor.
 *
 *     b = t^beta2_decay, rho = min(lr, 1 / sqrt(t))            at step t = 1, 2, ...
 *     a = rho max(eps2, the root mean square of p)
 *     p = p (1 - lr weight_decay)
 *     R = R + b (mean of g^2 over the last dim - R)            of a matrix; C the same over the dim before it
 *     V = R C / max(mean of R, eps1)                           of a vector V = V + b (g^2 - V)
 *     U = g / max(sqrt(V), eps1)
 *     p = p - a U / max(1, the root mean square of U / d)
 *
 * The second moments of a matrix are the product of a column R and a row C, so that their memory is that of one row
 * and one column: Shazeer & Stern, "Adafactor: adaptive learning rates with sublinear memory cost", 2018. */
#include <float.h>
#include <string.h>

#include "optim/named_state.h"

static bool adafactor_check(const optim_ParamGroup *group) {
    const double beta2_decay = optim_group_get(group, "beta2_decay"), eps1 = tg_own_or_nan(group, "eps.0");
    const double eps2 = optim_group_get(group, "eps.1"), d = optim_group_get(group, "d");
    if (!(group->lr >= 0)) return tg_fail("Learning rate should be >= 0 but is: %s", tg_number_text(group->lr));
    if (!(beta2_decay <= 0)) return tg_fail("beta2_decay should be <= 0 but is: %s", tg_number_text(beta2_decay));
    if (eps1 < 0) return tg_fail("epsilon1 should be >= 0 but is: %s", tg_number_text(eps1));
    if (!(eps2 >= 0)) return tg_fail("epsilon2 should be >= 0 but is: %s", tg_number_text(eps2));
    if (!(d >= 1)) return tg_fail("Clipping threshold d should be >= 1 but is: %s", tg_number_text(d));
    return group->weight_decay >= 0 ||
           tg_fail("weight_decay should be >= 0 but is: %s", tg_number_text(group->weight_decay));
}

static bool root_mean_square(Tensor *x, double *rms) {
    Tensor *norm = linalg_vector_norm(x, 2, NULL, 0, false, 0);
    if (norm) *rms = tg_read_double(norm) / sqrt((double)tg_numel(x));
    return norm != NULL;
}

/* The mean of g^2 over one dim, added to its moving average, which is zeros of that shape at first. */
static Tensor *averaged(tg_NamedState *state, const char *name, Tensor *g, int64_t dim, double weight) {
    Tensor *square = t_square(linalg_vector_norm(g, 2, &dim, 1, true, 0));
    Tensor *mean = t_div(square, N((double)g->shape[g->ndim + dim])), *average = tg_state_get(state, name);
    if (!average && mean) average = tg_state_set(state, name, t_zeros_like(mean));
    return t_lerp_(average, mean, N(weight));
}

static Tensor *factored_variance(tg_NamedState *state, Tensor *g, double weight, double eps1) {
    const int64_t before_last = -2;
    Tensor *row = averaged(state, "row_var", g, -1, weight), *col = averaged(state, "col_var", g, -2, weight);
    return t_div(t_matmul(row, col), t_clamp_min(t_mean(row, &before_last, 1, true), N(eps1)));
}

static Tensor *plain_variance(tg_NamedState *state, Tensor *g, double weight) {
    Tensor *variance = tg_state_get(state, "variance");
    if (!variance) variance = tg_state_set(state, "variance", t_zeros_like(g));
    return t_lerp_(variance, t_mul(g, g), N(weight));
}

static bool adafactor_update(const optim_ParamGroup *group, Tensor *p, Tensor *grad, tg_NamedState *state) {
    const double given = tg_own_or_nan(group, "eps.0"), eps2 = optim_group_get(group, "eps.1");
    const double eps1 = !isnan(given) ? given : t_finfo(p->dtype)->eps;
    Tensor *g = group->maximize ? t_neg(grad) : grad, *step = tg_state_get(state, "step");
    double rms;
    if (!step) step = tg_state_set(state, "step", tg_float32_scalar(0));
    if (!root_mean_square(p, &rms) || !t_add_(step, N(1))) return false;
    const double t = tg_read_double(step), weight = pow(t, optim_group_get(group, "beta2_decay"));
    const double alpha = fmax(eps2, rms) * fmin(group->lr, 1 / sqrt(t));
    Tensor *variance = g->ndim > 1 ? factored_variance(state, g, weight, eps1) : plain_variance(state, g, weight);
    Tensor *update = t_mul(t_rsqrt(t_clamp_min(variance, N(eps1 * eps1))), g);
    if (!update || !root_mean_square(update, &rms)) return false;
    if (group->weight_decay != 0 && !t_mul_(p, N(1 - group->lr * group->weight_decay))) return false;
    return t_add_alpha_(p, update, -alpha / fmax(1, rms / optim_group_get(group, "d"))) != NULL;
}

static bool adafactor_step(optim_Optimizer *optimizer, const tg_Closure *closure, Tensor **loss) {
    return tg_step_by_ops(optimizer, closure, loss, adafactor_update);
}

static const tg_Algorithm adafactor = {.name = "Adafactor", .momentum = tg_no_momentum, .check = adafactor_check,
                                       .states = tg_no_states, .step = adafactor_step, .kind = TG_ADAFACTOR};

const optim_AdafactorOptions optim_AdafactorDefaults = {OPTIM_ADAFACTOR_DEFAULTS_};

/* optim.Adafactor(params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, maximize=False). eps[0]
 * NaN: None, the spacing of the dtype at 1. Errors: those of PyTorch. */
optim_Optimizer *optim_Adafactor_new(const t_TensorList *params, const optim_AdafactorOptions *options) {
    optim_AdafactorOptions o = optim_AdafactorDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    optim_ParamGroup group = {.lr = o.lr, .weight_decay = o.weight_decay, .maximize = o.maximize,
                              .own = {{"beta2_decay", o.beta2_decay}, {"eps.1", o.eps[1]}, {"d", o.d}}};
    if (!isnan(o.eps[0])) group.own[3] = (optim_Hyperparameter){"eps.0", o.eps[0]};
    return tg_optimizer_new(&adafactor, params, &group);
}
