/* optim/adagrad.c: torch.optim.Adagrad.
 *
 *     g = gradient + weight_decay p
 *     s = s + g^2                                      s starts as initial_accumulator_value
 *     p = p - lr / (1 + (t - 1) lr_decay) g / (sqrt(s) + eps)          at step t = 1, 2, ...
 *
 * Each element has its own, decreasing step size: Duchi, Hazan & Singer, "Adaptive subgradient methods for online
 * learning and stochastic optimization", 2011. */
#include "core/kernels/isa.h"
#include "optim/plain_loop.h"

#define UP_TO_AVX2
#define KERNEL "optim/adagrad.inc"
#include "core/kernels/dispatch.inc"

static bool adagrad_check(const optim_ParamGroup *group) {
    return tg_check_not_negative(group->lr, "learning rate") &&
           tg_check_not_negative(group->lr_decay, "lr_decay value") &&
           tg_check_not_negative(group->weight_decay, "weight_decay value") &&
           tg_check_not_negative(group->initial_accumulator_value, "initial_accumulator_value value") &&
           tg_check_not_negative(group->eps, "epsilon value");
}

static int adagrad_states(const optim_ParamGroup *group) {
    (void)group;
    return 1;
}

static double adagrad_start(const optim_ParamGroup *group, int k) {
    (void)k;
    return group->initial_accumulator_value;
}

/* float16 and bfloat16, element by element: each of PyTorch's operations is rounded. */
#define ADAGRAD(name, real, R)                                                                \
    static void name(real *x, const tg_Update *u) {                                           \
        const optim_ParamGroup *group = u->group;                                             \
        const real g = TG_GRADIENT(x, group, real, R);                                        \
        x[2] = R(TG_FMA(g, g, x[2]));                                                         \
        x[0] = R(x[0] + (real)-u->step_size * g / R(R(TG_SQRT(x[2])) + R((real)group->eps))); \
    }
TG_HALF_LOOPS(ADAGRAD, adagrad, 3, 3)

static Loop adagrad_loop(t_DType dtype) {
    return TG_LOOP_OF(adagrad, dtype, TG_PICK_UP_TO_AVX2(adagrad_f32), TG_PICK_UP_TO_AVX2(adagrad_f64));
}

static void adagrad_set_step(tg_ParamState *state, tg_Update *u) {
    u->step_size = u->group->lr / (1 + (double)(state->step - 1) * u->group->lr_decay);
}

static const char *adagrad_state_name(const optim_ParamGroup *group, int k) {
    (void)group, (void)k;
    return "sum";
}

static const tg_Algorithm adagrad = {
    .name = "Adagrad", .momentum = tg_no_momentum, .check = adagrad_check, .states = adagrad_states,
    .start = adagrad_start, .has_state_before_step = true, .loop = adagrad_loop, .set_step = adagrad_set_step,
    .kind = TG_ADAGRAD, .state_name = adagrad_state_name};

const optim_AdagradOptions optim_AdagradDefaults = {OPTIM_ADAGRAD_DEFAULTS_};

/* optim.Adagrad(params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, maximize=False).
 * Errors: an empty list, a parameter that is not a leaf or is listed twice (PyTorch: a warning), a negative value. */
optim_Optimizer *optim_Adagrad_new(const t_TensorList *params, const optim_AdagradOptions *options) {
    optim_AdagradOptions o = optim_AdagradDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(&adagrad, params,
                            &(optim_ParamGroup){.lr = o.lr, .lr_decay = o.lr_decay, .weight_decay = o.weight_decay,
                                                .initial_accumulator_value = o.initial_accumulator_value, .eps = o.eps,
                                                .maximize = o.maximize});
}
