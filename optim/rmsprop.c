/* optim/rmsprop.c: torch.optim.RMSprop.
 *
 *     g = gradient + weight_decay p
 *     v = alpha v + (1 - alpha) g^2                    moving average of the squared gradient
 *     d = sqrt(v) + eps
 *     p = p - lr g / d                                 momentum: b = momentum b + g / d, p = p - lr b
 *
 * centered subtracts the moving average m = alpha m + (1 - alpha) g: d = sqrt(v - m^2) + eps, so that v - m^2 is the
 * gradient's variance. Tieleman & Hinton, "Lecture 6.5: RMSprop", 2012; centered: Graves, "Generating sequences with
 * recurrent neural networks", 2013. As in PyTorch eps is added outside the root. */
#include "core/kernels/isa.h"
#include "optim/plain_loop.h"

#define UP_TO_AVX2
#define KERNEL "optim/rmsprop.inc"
#include "core/kernels/dispatch.inc"

static bool rmsprop_check(const optim_ParamGroup *group) {
    return tg_check_not_negative(group->lr, "learning rate") && tg_check_not_negative(group->eps, "epsilon value") &&
           tg_check_not_negative(group->momentum, "momentum value") &&
           tg_check_not_negative(group->weight_decay, "weight_decay value") &&
           tg_check_not_negative(group->alpha, "alpha value");
}

/* v, then m with centered, and b with momentum. */
static int rmsprop_states(const optim_ParamGroup *group) {
    return 1 + group->centered + (group->momentum > 0);
}

/* float16 and bfloat16, element by element: each of PyTorch's operations is rounded. */
#define RMSPROP(name, real, R)                                                                         \
    static void name(real *x, const tg_Update *u) {                                                    \
        const optim_ParamGroup *group = u->group;                                                      \
        const real g = TG_GRADIENT(x, group, real, R), take = (real)(1 - group->alpha);                \
        const real v = R(TG_FMA(take * g, g, R(x[2] * (real)group->alpha)));                           \
        const real m = group->centered ? R(TG_LERP(x[3], g, take)) : v;                                \
        const real d = R(R(TG_SQRT(group->centered ? R(TG_FMA(-m, m, v)) : v)) + R((real)group->eps)); \
        const real b = group->momentum > 0 ? R(R(x[4] * (real)group->momentum) + g / d) : v;           \
        if (group->momentum > 0) x[0] = R(TG_FMA(b, R((real)-group->lr), x[0]));                       \
        else x[0] = R(x[0] + (real)-group->lr * g / d);                                                \
        x[2] = v, x[3] = m, x[4] = b;                                                                  \
    }
TG_HALF_LOOPS(RMSPROP, rmsprop, 5, 5)

static Loop rmsprop_loop(t_DType dtype) {
    return TG_LOOP_OF(rmsprop, dtype, TG_PICK_UP_TO_AVX2(rmsprop_f32), TG_PICK_UP_TO_AVX2(rmsprop_f64));
}

/* The kernel always has five operands: v replaces a missing m or b, and the kernel then leaves it unchanged. */
static int rmsprop_operands(const optim_ParamGroup *group, Tensor *const *state, Tensor **x) {
    x[0] = state[0];
    x[1] = group->centered ? state[1] : state[0];
    x[2] = group->momentum > 0 ? state[rmsprop_states(group) - 1] : state[0];
    return 3;
}

static const char *rmsprop_state_name(const optim_ParamGroup *group, int k) {
    if (k == 0) return "square_avg";
    return k == 1 && group->centered ? "grad_avg" : "momentum_buffer";
}

static const tg_Algorithm rmsprop = {
    .name = "RMSprop", .momentum = tg_momentum, .check = rmsprop_check, .states = rmsprop_states, .loop = rmsprop_loop,
    .operands = rmsprop_operands, .kind = TG_RMSPROP, .state_name = rmsprop_state_name};

const optim_RMSpropOptions optim_RMSpropDefaults = {OPTIM_RMSPROP_DEFAULTS_};

/* optim.RMSprop(params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, maximize=False).
 * Errors: an empty list, a parameter that is not a leaf or is listed twice (PyTorch: a warning), a negative value. */
optim_Optimizer *optim_RMSprop_new(const t_TensorList *params, const optim_RMSpropOptions *options) {
    optim_RMSpropOptions o = optim_RMSpropDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(&rmsprop, params,
                            &(optim_ParamGroup){.lr = o.lr, .alpha = o.alpha, .eps = o.eps,
                                                .weight_decay = o.weight_decay, .momentum = o.momentum,
                                                .centered = o.centered, .maximize = o.maximize});
}
