/* optim/adam.c: torch.optim.Adam and torch.optim.AdamW.
 *
 * With g the gradient, at step t = 1, 2, ... of a parameter p:
 *
 *     m = beta1 m + (1 - beta1) g                      moving average of the gradient
 *     v = beta2 v + (1 - beta2) g^2                    moving average of its square
 *     p = p - lr (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + eps)
 *
 * The divisions by 1 - beta^t correct the bias of averages that start at 0 (Kingma & Ba, "Adam: a method for stochastic
 * optimization", 2014). weight_decay: Adam adds weight_decay p to g, which is then divided by sqrt(v) with the rest of
 * g; AdamW multiplies p by 1 - lr weight_decay instead (Loshchilov & Hutter, "Decoupled weight decay regularization",
 * 2017). amsgrad divides by the largest v so far (Reddi, Kale & Kumar, "On the convergence of Adam and beyond",
 * 2018). */
#include "core/kernels/isa.h"
#include "optim/plain_loop.h"

#define UP_TO_AVX2
#define KERNEL "optim/adam.inc"
#include "core/kernels/dispatch.inc"

static bool adam_check(const optim_ParamGroup *group) {
    return tg_check_not_negative(group->lr, "learning rate") && tg_check_not_negative(group->eps, "epsilon value") &&
           tg_check_betas(group) && tg_check_not_negative(group->weight_decay, "weight_decay value");
}

/* m, v and, for amsgrad, the largest v. */
static int adam_states(const optim_ParamGroup *group) {
    return group->amsgrad ? 3 : 2;
}

/* float16 and bfloat16, element by element: each of PyTorch's operations is rounded. */
#define ADAM(name, real, R)                                                                         \
    static void name(real *x, const tg_Update *u) {                                                 \
        const optim_ParamGroup *group = u->group;                                                   \
        const real g = TG_GRADIENT(x, group, real, R), p = TG_DECAYED(x, group, real, R);           \
        x[2] = R(TG_LERP(x[2], g, (real)(1 - group->betas[0])));                                    \
        x[3] = R(TG_FMA((real)(1 - group->betas[1]) * g, g, R(x[3] * (real)group->betas[1])));      \
        if (group->amsgrad) x[4] = TG_MAXIMUM(x[4], x[3]);                                          \
        const real root = R(TG_SQRT(group->amsgrad ? x[4] : x[3]));                                 \
        const real denominator = R(R(root / (real)u->bias_correction2_sqrt) + R((real)group->eps)); \
        x[0] = R(p + (real)-u->step_size * x[2] / denominator);                                     \
    }
TG_HALF_LOOPS(ADAM, adam, 5, 2 + adam_states(u->group))

static Loop adam_loop(t_DType dtype) {
    return TG_LOOP_OF(adam, dtype, TG_PICK_UP_TO_AVX2(adam_f32), TG_PICK_UP_TO_AVX2(adam_f64));
}

static void adam_set_step(tg_ParamState *state, tg_Update *u) {
    const double *betas = u->group->betas, step = (double)state->step;
    u->step_size = u->group->lr / (1 - pow(betas[0], step));
    u->bias_correction2_sqrt = sqrt(1 - pow(betas[1], step));
}

static const char *adam_state_name(const optim_ParamGroup *group, int k) {
    static const char names[][16] = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
    (void)group;
    return names[k];
}

static const tg_Algorithm adam = {
    .name = "Adam", .momentum = tg_beta1, .check = adam_check, .states = adam_states, .loop = adam_loop,
    .set_step = adam_set_step, .kind = TG_ADAM, .state_name = adam_state_name};
static const tg_Algorithm adamw = {
    .name = "AdamW", .momentum = tg_beta1, .check = adam_check, .states = adam_states, .loop = adam_loop,
    .set_step = adam_set_step, .kind = TG_ADAM, .state_name = adam_state_name, .is_decoupled = true};

const optim_AdamOptions optim_AdamDefaults = {OPTIM_ADAM_DEFAULTS_}, optim_AdamWDefaults = {OPTIM_ADAMW_DEFAULTS_};

static optim_Optimizer *make(const tg_Algorithm *algorithm, const t_TensorList *params, optim_AdamOptions o,
                             const optim_AdamOptions *options) {
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_optimizer_new(
        algorithm, params,
        &(optim_ParamGroup){.lr = o.lr,
                            .betas = {o.betas[0], o.betas[1]},
                            .eps = o.eps,
                            .weight_decay = o.weight_decay,
                            .amsgrad = o.amsgrad,
                            .maximize = o.maximize,
                            .decoupled_weight_decay = algorithm->is_decoupled || o.decoupled_weight_decay});
}

/* optim.Adam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, maximize=False,
 * decoupled_weight_decay=False), the last of which makes it AdamW. Errors: an empty list, a parameter that is not a
 * leaf or is listed twice (PyTorch: a warning), lr, eps or weight_decay below 0, a beta outside [0, 1). */
optim_Optimizer *optim_Adam_new(const t_TensorList *params, const optim_AdamOptions *options) {
    return make(&adam, params, optim_AdamDefaults, options);
}

/* optim.AdamW(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False, maximize=False). Errors
 * as for Adam. */
optim_Optimizer *optim_AdamW_new(const t_TensorList *params, const optim_AdamOptions *options) {
    return make(&adamw, params, optim_AdamWDefaults, options);
}
