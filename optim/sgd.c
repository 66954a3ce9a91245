/* optim/sgd.c: torch.optim.SGD.
 *
 *     g = gradient + weight_decay p
 *     b = momentum b + (1 - dampening) g               b = g at the first step
 *     p = p - lr b                                     nesterov: p = p - lr (g + momentum b)
 *
 * The momentum is that of Sutskever, Martens, Dahl & Hinton, "On the importance of initialization and momentum in deep
 * learning", 2013, but with lr outside b, as in PyTorch: a change of lr acts on the whole of b at once. */
#include "core/kernels/isa.h"
#include "optim/plain_loop.h"

#define UP_TO_AVX2
#define KERNEL "optim/sgd.inc"
#include "core/kernels/dispatch.inc"

static bool sgd_check(const optim_ParamGroup *group) {
    if (!tg_check_not_negative(group->lr, "learning rate")) return false;
    if (!tg_check_not_negative(group->momentum, "momentum value")) return false;
    if (!tg_check_not_negative(group->weight_decay, "weight_decay value")) return false;
    if (group->nesterov && (group->momentum <= 0 || group->dampening != 0))
        return tg_fail("Nesterov momentum requires a momentum and zero dampening");
    return true;
}

/* One state, the momentum buffer, or none. */
static int sgd_states(const optim_ParamGroup *group) {
    return group->momentum != 0;
}

/* float16 and bfloat16, element by element: each of PyTorch's operations is rounded. */
#define SGD(name, real, R)                                                                   \
    static void name(real *x, const tg_Update *u) {                                          \
        const optim_ParamGroup *group = u->group;                                            \
        const real momentum = (real)group->momentum, take = R((real)(1 - group->dampening)); \
        real g = TG_GRADIENT(x, group, real, R);                                             \
        if (momentum != 0) {                                                                 \
            x[2] = u->first ? g : R(TG_FMA(g, take, R(x[2] * momentum)));                    \
            g = group->nesterov ? R(TG_FMA(x[2], R(momentum), g)) : x[2];                    \
        }                                                                                    \
        x[0] = R(TG_FMA(g, R((real)-group->lr), x[0]));                                      \
    }
TG_HALF_LOOPS(SGD, sgd, 3, 2 + sgd_states(u->group))

static Loop sgd_loop(t_DType dtype) {
    return TG_LOOP_OF(sgd, dtype, TG_PICK_UP_TO_AVX2(sgd_f32), TG_PICK_UP_TO_AVX2(sgd_f64));
}

static void sgd_set_step(tg_ParamState *state, tg_Update *u) {
    u->first = state->step == 1;
}

static const char *sgd_state_name(const optim_ParamGroup *group, int k) {
    (void)group, (void)k;
    return "momentum_buffer";
}

static const tg_Algorithm sgd = {
    .name = "SGD", .momentum = tg_momentum, .check = sgd_check, .states = sgd_states, .loop = sgd_loop,
    .set_step = sgd_set_step, .kind = TG_SGD, .state_name = sgd_state_name};

const optim_SGDOptions optim_SGDDefaults = {OPTIM_SGD_DEFAULTS_};

/* optim.SGD(params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False).
 * Errors: an empty list, a parameter that is not a leaf or is listed twice (PyTorch: a warning), lr, momentum or
 * weight_decay below 0, nesterov without momentum or with dampening. */
optim_Optimizer *optim_SGD_new(const t_TensorList *params, const optim_SGDOptions *options) {
    optim_SGDOptions o = optim_SGDDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(&sgd, params,
                            &(optim_ParamGroup){.lr = o.lr, .momentum = o.momentum, .dampening = o.dampening,
                                                .weight_decay = o.weight_decay, .nesterov = o.nesterov,
                                                .maximize = o.maximize});
}
