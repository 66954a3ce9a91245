/* optim/nadam.c: torch.optim.NAdam.
 *
 *     mu_t = beta1 (1 - 0.96^(t momentum_decay) / 2)   the momentum of step t = 1, 2, ...
 *     m = beta1 m + (1 - beta1) g                      moving average of the gradient
 *     v = beta2 v + (1 - beta2) g^2                    moving average of its square
 *     d = sqrt(v / (1 - beta2^t)) + eps
 *     p = p - lr (1 - mu_t) / (1 - mu_1 ... mu_t) g / d - lr mu_{t+1} / (1 - mu_1 ... mu_{t+1}) m / d
 *
 * Adam with Nesterov's momentum: the step looks ahead to the m of the next one. Dozat, "Incorporating Nesterov momentum
 * into Adam", 2016. weight_decay adds weight_decay p to the gradient; with decoupled_weight_decay p is multiplied by
 * 1 - lr weight_decay instead, as in AdamW. mu_product, the product of the mu_t so far, is a part of the state. */
#include "optim/plain_loop.h"

static bool nadam_check(const optim_ParamGroup *group) {
    return tg_check_not_negative(group->lr, "learning rate") && tg_check_not_negative(group->eps, "epsilon value") &&
           tg_check_betas(group) && tg_check_not_negative(group->weight_decay, "weight_decay value") &&
           tg_check_not_negative(group->momentum_decay, "momentum_decay value");
}

static int nadam_states(const optim_ParamGroup *group) {
    (void)group;
    return 2;
}

static double nadam_scalar_start(const optim_ParamGroup *group, int k) {
    (void)group, (void)k;
    return 1;
}

static double momentum_at(const optim_ParamGroup *group, int64_t step) {
    return group->betas[0] * (1 - 0.5 * pow(0.96, (double)step * group->momentum_decay));
}

static void nadam_set_step(tg_ParamState *state, tg_Update *u) {
    const double mu = momentum_at(u->group, state->step), next_mu = momentum_at(u->group, state->step + 1);
    float *mu_product = &state->scalars[0];
    *mu_product *= (float)mu;
    u->bias_correction2 = 1 - pow(u->group->betas[1], (double)state->step);
    u->gradient_step = -u->group->lr * (1 - mu) / (1 - (double)*mu_product);
    u->average_step = -u->group->lr * next_mu / (1 - (double)*mu_product * next_mu);
}

/* x: p, gradient, m, v */
#define NADAM(name, real, R)                                                                          \
    static void name(real *x, const tg_Update *update) {                                              \
        const optim_ParamGroup *group = update->group;                                                \
        const real g = TG_GRADIENT(x, group, real, R), p = TG_DECAYED(x, group, real, R);             \
        x[2] = R(TG_LERP(x[2], g, (real)(1 - group->betas[0])));                                      \
        x[3] = R(TG_FMA((real)(1 - group->betas[1]) * g, g, R(x[3] * (real)group->betas[1])));        \
        const real d = R(R(TG_SQRT(R(x[3] / (real)update->bias_correction2))) + R((real)group->eps)); \
        x[0] = R(R(p + (real)update->gradient_step * g / d) + (real)update->average_step * x[2] / d); \
    }
TG_PLAIN_LOOPS(NADAM, nadam, 4)

static Loop nadam_loop(t_DType dtype) {
    return TG_PLAIN_LOOP_OF(nadam, dtype);
}

static const char *nadam_state_name(const optim_ParamGroup *group, int k) {
    (void)group;
    return k == 0 ? "exp_avg" : "exp_avg_sq";
}

static const tg_Algorithm nadam = {
    .name = "NAdam", .momentum = tg_beta1, .check = nadam_check, .states = nadam_states, .loop = nadam_loop,
    .set_step = nadam_set_step, .kind = TG_NADAM, .state_name = nadam_state_name, .scalar_names = {"mu_product"},
    .scalar_start = nadam_scalar_start};

const optim_NAdamOptions optim_NAdamDefaults = {OPTIM_NADAM_DEFAULTS_};

/* optim.NAdam(params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
 * decoupled_weight_decay=False, maximize=False). Errors as for Adam, and a momentum_decay below 0. */
optim_Optimizer *optim_NAdam_new(const t_TensorList *params, const optim_NAdamOptions *options) {
    optim_NAdamOptions o = optim_NAdamDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(&nadam, params,
                            &(optim_ParamGroup){.lr = o.lr, .betas = {o.betas[0], o.betas[1]}, .eps = o.eps,
                                                .weight_decay = o.weight_decay, .momentum_decay = o.momentum_decay,
                                                .decoupled_weight_decay = o.decoupled_weight_decay,
                                                .maximize = o.maximize});
}
