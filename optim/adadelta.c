/* optim/adadelta.c: torch.optim.Adadelta.
 *
 *     g = gradient + weight_decay p
 *     v = rho v + (1 - rho) g^2                        moving average of the squared gradient
 *     d = sqrt(u + eps) / sqrt(v + eps) g
 *     u = rho u + (1 - rho) d^2                        moving average of the squared update
 *     p = p - lr d
 *
 * The ratio of the two averages gives d the unit of p, so that no learning rate has to be chosen: Zeiler, "ADADELTA: an
 * adaptive learning rate method", 2012, which has lr = 1. */
#include "optim/plain_loop.h"

static bool adadelta_check(const optim_ParamGroup *group) {
    if (!tg_check_not_negative(group->lr, "learning rate")) return false;
    if (!(group->rho >= 0 && group->rho <= 1)) return tg_fail("Invalid rho value: %s", tg_number_text(group->rho));
    return tg_check_not_negative(group->eps, "epsilon value") &&
           tg_check_not_negative(group->weight_decay, "weight_decay value");
}

static int adadelta_states(const optim_ParamGroup *group) {
    (void)group;
    return 2;
}

/* x: p, gradient, v, u */
#define ADADELTA(name, real, R)                                                                      \
    static void name(real *x, const tg_Update *update) {                                             \
        const optim_ParamGroup *group = update->group;                                               \
        const real rho = (real)group->rho, take = (real)(1 - group->rho), eps = R((real)group->eps); \
        const real g = TG_GRADIENT(x, group, real, R);                                               \
        x[2] = R(TG_FMA(take * g, g, R(x[2] * rho)));                                                \
        const real std = R(TG_SQRT(R(x[2] + eps))), d = R(R(R(TG_SQRT(R(x[3] + eps))) / std) * g);   \
        x[3] = R(TG_FMA(take * d, d, R(x[3] * rho)));                                                \
        x[0] = R(TG_FMA(d, R((real)-group->lr), x[0]));                                              \
    }
TG_PLAIN_LOOPS(ADADELTA, adadelta, 4)

static Loop adadelta_loop(t_DType dtype) {
    return TG_PLAIN_LOOP_OF(adadelta, dtype);
}

static const char *adadelta_state_name(const optim_ParamGroup *group, int k) {
    (void)group;
    return k == 0 ? "square_avg" : "acc_delta";
}

static const tg_Algorithm adadelta = {
    .name = "Adadelta", .momentum = tg_no_momentum, .check = adadelta_check, .states = adadelta_states,
    .loop = adadelta_loop, .kind = TG_ADADELTA, .state_name = adadelta_state_name};

const optim_AdadeltaOptions optim_AdadeltaDefaults = {OPTIM_ADADELTA_DEFAULTS_};

/* optim.Adadelta(params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, maximize=False). Errors: an empty list, a parameter
 * that is not a leaf or is listed twice (PyTorch: a warning), a negative value, a rho above 1. */
optim_Optimizer *optim_Adadelta_new(const t_TensorList *params, const optim_AdadeltaOptions *options) {
    optim_AdadeltaOptions o = optim_AdadeltaDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(&adadelta, params,
                            &(optim_ParamGroup){.lr = o.lr, .rho = o.rho, .eps = o.eps,
                                                .weight_decay = o.weight_decay, .maximize = o.maximize});
}
