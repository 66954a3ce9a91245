/* optim/radam.c: torch.optim.RAdam.
 *
 *     m = beta1 m + (1 - beta1) g                      moving average of the gradient
 *     v = beta2 v + (1 - beta2) g^2                    moving average of its square
 *     n = 2 / (1 - beta2) - 1
 *     n_t = n - 2 t beta2^t / (1 - beta2^t)            the number of gradients that v averages at step t = 1, 2, ...
 *     r = sqrt((n_t - 4) (n_t - 2) n / ((n - 4) (n - 2) n_t))
 *     p = p - lr m / (1 - beta1^t) r sqrt(1 - beta2^t) / (sqrt(v) + eps)          while n_t <= 5:
 *     p = p - lr m / (1 - beta1^t)
 *
 * Adam whose first steps do not divide by v, which has a large variance then, and whose next ones are shorter: r
 * replaces a warm-up of the learning rate. Liu et al., "On the variance of the adaptive learning rate and beyond",
 * 2019. weight_decay and decoupled_weight_decay: see nadam.c. */
#include "optim/plain_loop.h"

static bool radam_check(const optim_ParamGroup *group) {
    return tg_check_not_negative(group->lr, "learning rate") && tg_check_not_negative(group->eps, "epsilon value") &&
           tg_check_betas(group) && tg_check_not_negative(group->weight_decay, "weight_decay value");
}

static int radam_states(const optim_ParamGroup *group) {
    (void)group;
    return 2;
}

static void radam_set_step(tg_ParamState *state, tg_Update *u) {
    const double beta2 = u->group->betas[1], step = (double)state->step, power = pow(beta2, step);
    u->bias_correction1 = 1 - pow(u->group->betas[0], step);
    u->bias_correction2_sqrt = sqrt(1 - power);
    const double n = 2 / (1 - beta2) - 1, n_t = n - 2 * step * power / (1 - power);
    u->rectification = n_t > 5 ? sqrt((n_t - 4) * (n_t - 2) * n / ((n - 4) * (n - 2) * n_t)) : 0;
}

/* x: p, gradient, m, v */
#define RADAM(name, real, R)                                                                   \
    static void name(real *x, const tg_Update *update) {                                       \
        const optim_ParamGroup *group = update->group;                                         \
        const real g = TG_GRADIENT(x, group, real, R), p = TG_DECAYED(x, group, real, R);      \
        x[2] = R(TG_LERP(x[2], g, (real)(1 - group->betas[0])));                               \
        x[3] = R(TG_FMA((real)(1 - group->betas[1]) * g, g, R(x[3] * (real)group->betas[1]))); \
        real d = R(R(x[2] / (real)update->bias_correction1) * (real)group->lr);                \
        if (update->rectification != 0) {                                                      \
            const real root = R(R(TG_SQRT(x[3])) + R((real)group->eps));                       \
            const real adaptive = R(R(1 / root) * (real)update->bias_correction2_sqrt);        \
            d = R(R(d * adaptive) * (real)update->rectification);                              \
        }                                                                                      \
        x[0] = R(p - d);                                                                       \
    }
TG_PLAIN_LOOPS(RADAM, radam, 4)

static Loop radam_loop(t_DType dtype) {
    return TG_PLAIN_LOOP_OF(radam, dtype);
}

static const char *radam_state_name(const optim_ParamGroup *group, int k) {
    (void)group;
    return k == 0 ? "exp_avg" : "exp_avg_sq";
}

static const tg_Algorithm radam = {
    .name = "RAdam", .momentum = tg_beta1, .check = radam_check, .states = radam_states, .loop = radam_loop,
    .set_step = radam_set_step, .kind = TG_RADAM, .state_name = radam_state_name};

const optim_RAdamOptions optim_RAdamDefaults = {OPTIM_RADAM_DEFAULTS_};

/* optim.RAdam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False,
 * maximize=False). Errors as for Adam. */
optim_Optimizer *optim_RAdam_new(const t_TensorList *params, const optim_RAdamOptions *options) {
    optim_RAdamOptions o = optim_RAdamDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(&radam, params,
                            &(optim_ParamGroup){.lr = o.lr, .betas = {o.betas[0], o.betas[1]}, .eps = o.eps,
                                                .weight_decay = o.weight_decay,
                                                .decoupled_weight_decay = o.decoupled_weight_decay,
                                                .maximize = o.maximize});
}
