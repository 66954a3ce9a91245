/* optim/adamax.c: torch.optim.Adamax.
 *
 *     g = gradient + weight_decay p
 *     m = beta1 m + (1 - beta1) g                      moving average of the gradient
 *     u = max(beta2 u, |g| + eps)                      its largest absolute value, which decays
 *     p = p - lr / (1 - beta1^t) m / u                 at step t = 1, 2, ...
 *
 * Adam with the norm of order infinity instead of the root of a mean square: section 7 of Kingma & Ba, "Adam: a method
 * for stochastic optimization", 2014. */
#include "optim/plain_loop.h"

static bool adamax_check(const optim_ParamGroup *group) {
    return tg_check_not_negative(group->lr, "learning rate") && tg_check_not_negative(group->eps, "epsilon value") &&
           tg_check_betas(group) && tg_check_not_negative(group->weight_decay, "weight_decay value");
}

static int adamax_states(const optim_ParamGroup *group) {
    (void)group;
    return 2;
}

static void adamax_set_step(tg_ParamState *state, tg_Update *u) {
    u->step_size = u->group->lr / (1 - pow(u->group->betas[0], (double)state->step));
}

/* x: p, gradient, m, u */
#define ADAMAX(name, real, R)                                                                            \
    static void name(real *x, const tg_Update *update) {                                                 \
        const optim_ParamGroup *group = update->group;                                                   \
        const real g = TG_GRADIENT(x, group, real, R);                                                   \
        x[2] = R(TG_LERP(x[2], g, (real)(1 - group->betas[0])));                                         \
        const real decayed = R(x[3] * (real)group->betas[1]), size = R(TG_ABS(g) + R((real)group->eps)); \
        x[3] = TG_MAXIMUM(decayed, size);                                                                \
        x[0] = R(x[0] + (real)-update->step_size * x[2] / x[3]);                                         \
    }
TG_PLAIN_LOOPS(ADAMAX, adamax, 4)

static Loop adamax_loop(t_DType dtype) {
    return TG_PLAIN_LOOP_OF(adamax, dtype);
}

static const char *adamax_state_name(const optim_ParamGroup *group, int k) {
    (void)group;
    return k == 0 ? "exp_avg" : "exp_inf";
}

static const tg_Algorithm adamax = {
    .name = "Adamax", .momentum = tg_beta1, .check = adamax_check, .states = adamax_states, .loop = adamax_loop,
    .set_step = adamax_set_step, .kind = TG_ADAMAX, .state_name = adamax_state_name};

const optim_AdamaxOptions optim_AdamaxDefaults = {OPTIM_ADAMAX_DEFAULTS_};

/* optim.Adamax(params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, maximize=False). Errors as for Adam. */
optim_Optimizer *optim_Adamax_new(const t_TensorList *params, const optim_AdamaxOptions *options) {
    optim_AdamaxOptions o = optim_AdamaxDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(&adamax, params,
                            &(optim_ParamGroup){.lr = o.lr, .betas = {o.betas[0], o.betas[1]}, .eps = o.eps,
                                                .weight_decay = o.weight_decay, .maximize = o.maximize});
}
