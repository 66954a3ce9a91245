/* optim/asgd.c: torch.optim.ASGD, averaged stochastic gradient descent.
 *
 *     g = gradient + weight_decay p
 *     p = (1 - lambd eta) p - eta g
 *     ax = ax + mu (p - ax)                            the average of p since step t0; ax = p before that
 *     eta = lr / (1 + lambd lr t)^alpha, mu = 1 / max(1, t - t0)      for the next step, after t = 1, 2, ...
 *
 * optimizer.state[p]["ax"], optim_state(optimizer, p, "ax"), has the average. Polyak & Juditsky, "Acceleration of
 * stochastic approximation by averaging", 1992. eta, which is lr at first, and mu, 1 at first, are a part of the
 * state. */
#include "optim/plain_loop.h"

static bool asgd_check(const optim_ParamGroup *group) {
    return tg_check_not_negative(group->lr, "learning rate") && tg_check_not_negative(group->lambd, "lambd value") &&
           tg_check_not_negative(group->alpha, "alpha value") &&
           tg_check_not_negative(group->weight_decay, "weight_decay value");
}

static int asgd_states(const optim_ParamGroup *group) {
    (void)group;
    return 1;
}

enum { ETA, MU };

static double asgd_scalar_start(const optim_ParamGroup *group, int k) {
    return k == ETA ? group->lr : 1;
}

/* This step has the eta and mu of the step before. */
static void asgd_set_step(tg_ParamState *state, tg_Update *u) {
    const optim_ParamGroup *group = u->group;
    const double step = (double)state->step;
    u->eta = state->scalars[ETA];
    u->mu = state->scalars[MU];
    state->scalars[ETA] = (float)(group->lr / pow(1 + group->lambd * group->lr * step, group->alpha));
    state->scalars[MU] = (float)(1 / fmax(1, step - group->t0));
}

/* x: p, gradient, ax */
#define AVERAGED_SGD(name, real, R)                                                                   \
    static void name(real *x, const tg_Update *update) {                                              \
        const optim_ParamGroup *group = update->group;                                                \
        const real g = TG_GRADIENT(x, group, real, R);                                                \
        x[0] = R(TG_FMA(g, R((real)-update->eta), R(x[0] * (real)(1 - group->lambd * update->eta)))); \
        x[2] = update->mu != 1 ? R(x[2] + R(R(x[0] - x[2]) * (real)update->mu)) : x[0];               \
    }
TG_PLAIN_LOOPS(AVERAGED_SGD, asgd, 3)

static Loop asgd_loop(t_DType dtype) {
    return TG_PLAIN_LOOP_OF(asgd, dtype);
}

static const char *asgd_state_name(const optim_ParamGroup *group, int k) {
    (void)group, (void)k;
    return "ax";
}

static const tg_Algorithm asgd = {
    .name = "ASGD", .momentum = tg_no_momentum, .check = asgd_check, .states = asgd_states, .loop = asgd_loop,
    .set_step = asgd_set_step, .kind = TG_ASGD, .state_name = asgd_state_name,
    .scalar_names = {[ETA] = "eta", [MU] = "mu"}, .scalar_start = asgd_scalar_start};

const optim_ASGDOptions optim_ASGDDefaults = {OPTIM_ASGD_DEFAULTS_};

/* optim.ASGD(params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, maximize=False). Errors: an empty list, a
 * parameter that is not a leaf or is listed twice (PyTorch: a warning), lr, lambd, alpha or weight_decay below 0. */
optim_Optimizer *optim_ASGD_new(const t_TensorList *params, const optim_ASGDOptions *options) {
    optim_ASGDOptions o = optim_ASGDDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(&asgd, params,
                            &(optim_ParamGroup){.lr = o.lr, .lambd = o.lambd, .alpha = o.alpha, .t0 = o.t0,
                                                .weight_decay = o.weight_decay, .maximize = o.maximize});
}
