/* optim/optimizer.h: torch.optim as plain functions (public).
 *
 *     optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 1e-3);
 *     for_batch (batch, loader) {
 *         optim_zero_grad(optimizer);
 *         t_backward(F_cross_entropy(nn_call(model, batch.x), batch.y));
 *         optim_step(optimizer);
 *     }
 *
 * Every optimizer is an optim_Optimizer. It belongs to the scope in which it was constructed, and holds references to
 * its parameters and their state. Parameters are of any floating dtype; the state of float16 and bfloat16 has their
 * dtype too, and each operation of an update is rounded to it, as PyTorch's without fused and foreach. Options may be
 * NULL for PyTorch's defaults; `size` tells the library which fields the caller's version of the struct has; the others
 * get their defaults. */
#ifndef TAPEGRAD_OPTIM_OPTIMIZER_H
#define TAPEGRAD_OPTIM_OPTIMIZER_H

#include <math.h>

#include "core/autograd/autograd.h"
#include "core/ops/dict.h"
#include "core/tensor/list.h"

T_BEGIN_DECLS

/* A hyperparameter that a user's optimizer adds to a group: "rho", 0.05. */
typedef struct optim_Hyperparameter {
    char name[24]; /* "": none */
    double value;
} optim_Hyperparameter;
enum { OPTIM_MAX_HYPERPARAMETERS = 8 };

/* One of optimizer.param_groups: some parameters, and their hyperparameters, which may be read and written:
 * optimizer->param_groups[0].lr *= 0.1. Each algorithm uses those that it knows. */
typedef struct optim_ParamGroup {
    t_TensorList *params;
    double lr, weight_decay;
    double momentum, dampening;                 /* SGD; RMSprop has the momentum too */
    double betas[2], eps;                       /* Adam, AdamW; RMSprop and Adagrad have the eps too */
    double alpha;                               /* RMSprop */
    double lr_decay, initial_accumulator_value; /* Adagrad */
    double rho;                                 /* Adadelta */
    double momentum_decay;                      /* NAdam */
    double lambd, t0;                           /* ASGD, whose power is alpha */
    double etas[2], step_sizes[2];              /* Rprop */
    int64_t max_iter, max_eval, history_size;   /* LBFGS */
    double tolerance_grad, tolerance_change;
    const char *line_search_fn;                 /* "strong_wolfe" or NULL */
    const char *adjust_lr_fn;                   /* Muon */
    bool nesterov, amsgrad, centered, maximize;
    bool decoupled_weight_decay;                /* Adam, AdamW, NAdam, RAdam */
    double initial_lr;                          /* set by schedulers; NaN without one */
    double max_lr, min_lr;                      /* set by OneCycleLR; NaN without one, */
    double max_momentum, base_momentum;         /* these too */
    double swa_lr;                              /* set by SWALR; NaN without one */
    optim_Hyperparameter own[OPTIM_MAX_HYPERPARAMETERS];       /* of a user's optimizer, Muon, Adafactor */
    unsigned known;                             /* bit set of the hyperparameters that the group has */
    struct tg_ParamState *state; /* one for each parameter; the optimizer's own */
} optim_ParamGroup;

typedef struct optim_Optimizer {
    t_Object object;
    const struct tg_Algorithm *algorithm;
    optim_ParamGroup defaults;      /* the constructor's options, for further groups */
    int64_t len, capacity;          /* of param_groups */
    optim_ParamGroup *param_groups; /* optimizer.param_groups */
    int64_t steps_taken;
    void (*step)(struct optim_Optimizer *self); /* of a user's optimizer, or NULL */
    void *context;                              /* for the user */
    struct t_Hook *step_pre_hooks, *step_post_hooks;
    struct t_Hook *state_dict_pre_hooks, *state_dict_post_hooks;
    struct t_Hook *load_state_dict_pre_hooks, *load_state_dict_post_hooks;
} optim_Optimizer;

/* PyTorch's foreach, fused, capturable and differentiable select an implementation, of which there is one here. */

/* optim.SGD(params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False, maximize=False) */
typedef struct optim_SGDOptions {
    uint32_t size;
    double lr, momentum, dampening, weight_decay;
    bool nesterov, maximize;
    bool foreach, differentiable, fused; /* accepted, without a meaning here */
} optim_SGDOptions;
#define OPTIM_SGD_DEFAULTS_ .lr = 1e-3, .size = sizeof(optim_SGDOptions)

/* optim.Adam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False, maximize=False,
 * decoupled_weight_decay=False), and the same for optim.AdamW, whose weight_decay is 1e-2, and decoupled */
typedef struct optim_AdamOptions {
    uint32_t size;
    double lr, betas[2], eps, weight_decay;
    bool amsgrad, maximize;
    bool foreach, capturable, differentiable, fused; /* accepted, without a meaning here */
    bool decoupled_weight_decay;
} optim_AdamOptions;
#define OPTIM_ADAM_DEFAULTS_ .lr = 1e-3, .betas = {0.9, 0.999}, .eps = 1e-8, .size = sizeof(optim_AdamOptions)
#define OPTIM_ADAMW_DEFAULTS_ .weight_decay = 1e-2, OPTIM_ADAM_DEFAULTS_

/* optim.RMSprop(params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, maximize=False) */
typedef struct optim_RMSpropOptions {
    uint32_t size;
    double lr, alpha, eps, weight_decay, momentum;
    bool centered, maximize;
    bool capturable, foreach, differentiable; /* accepted, without a meaning here */
} optim_RMSpropOptions;
#define OPTIM_RMSPROP_DEFAULTS_ .lr = 1e-2, .alpha = 0.99, .eps = 1e-8, .size = sizeof(optim_RMSpropOptions)

/* optim.Adagrad(params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, maximize=False) */
typedef struct optim_AdagradOptions {
    uint32_t size;
    double lr, lr_decay, weight_decay, initial_accumulator_value, eps;
    bool maximize;
    bool foreach, differentiable, fused; /* accepted, without a meaning here */
} optim_AdagradOptions;
#define OPTIM_ADAGRAD_DEFAULTS_ .lr = 1e-2, .eps = 1e-10, .size = sizeof(optim_AdagradOptions)

/* optim.Adadelta(params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, maximize=False) */
typedef struct optim_AdadeltaOptions {
    uint32_t size;
    double lr, rho, eps, weight_decay;
    bool maximize;
    bool capturable, foreach, differentiable; /* accepted, without a meaning here */
} optim_AdadeltaOptions;
#define OPTIM_ADADELTA_DEFAULTS_ .lr = 1, .rho = 0.9, .eps = 1e-6, .size = sizeof(optim_AdadeltaOptions)

/* optim.Adamax(params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, maximize=False) */
typedef struct optim_AdamaxOptions {
    uint32_t size;
    double lr, betas[2], eps, weight_decay;
    bool maximize;
    bool foreach, differentiable, capturable; /* accepted, without a meaning here */
} optim_AdamaxOptions;
#define OPTIM_ADAMAX_DEFAULTS_ .lr = 2e-3, .betas = {0.9, 0.999}, .eps = 1e-8, .size = sizeof(optim_AdamaxOptions)

/* optim.NAdam(params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, momentum_decay=4e-3,
 * decoupled_weight_decay=False, maximize=False) */
typedef struct optim_NAdamOptions {
    uint32_t size;
    double lr, betas[2], eps, weight_decay, momentum_decay;
    bool decoupled_weight_decay, maximize;
    bool foreach, capturable, differentiable; /* accepted, without a meaning here */
} optim_NAdamOptions;
#define OPTIM_NADAM_DEFAULTS_ \
    .lr = 2e-3, .betas = {0.9, 0.999}, .eps = 1e-8, .momentum_decay = 4e-3, .size = sizeof(optim_NAdamOptions)

/* optim.RAdam(params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, decoupled_weight_decay=False,
 * maximize=False) */
typedef struct optim_RAdamOptions {
    uint32_t size;
    double lr, betas[2], eps, weight_decay;
    bool decoupled_weight_decay, maximize;
    bool foreach, capturable, differentiable; /* accepted, without a meaning here */
} optim_RAdamOptions;
#define OPTIM_RADAM_DEFAULTS_ .lr = 1e-3, .betas = {0.9, 0.999}, .eps = 1e-8, .size = sizeof(optim_RAdamOptions)

/* optim.ASGD(params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0, maximize=False) */
typedef struct optim_ASGDOptions {
    uint32_t size;
    double lr, lambd, alpha, t0, weight_decay;
    bool maximize;
    bool foreach, differentiable, capturable; /* accepted, without a meaning here */
} optim_ASGDOptions;
#define OPTIM_ASGD_DEFAULTS_ \
    .lr = 1e-2, .lambd = 1e-4, .alpha = 0.75, .t0 = 1e6, .size = sizeof(optim_ASGDOptions)

/* optim.Rprop(params, lr=1e-2, etas=(0.5, 1.2), step_sizes=(1e-6, 50), maximize=False) */
typedef struct optim_RpropOptions {
    uint32_t size;
    double lr, etas[2], step_sizes[2];
    bool maximize;
    bool capturable, foreach, differentiable; /* accepted, without a meaning here */
} optim_RpropOptions;
#define OPTIM_RPROP_DEFAULTS_ \
    .lr = 1e-2, .etas = {0.5, 1.2}, .step_sizes = {1e-6, 50}, .size = sizeof(optim_RpropOptions)

/* optim.LBFGS(params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7, tolerance_change=1e-9, history_size=100,
 * line_search_fn=None, maximize=False); T_NONE and NULL are None */
typedef struct optim_LBFGSOptions {
    uint32_t size;
    double lr;
    int64_t max_iter, max_eval;
    double tolerance_grad, tolerance_change;
    int64_t history_size;
    const char *line_search_fn;
    bool maximize;
} optim_LBFGSOptions;
#define OPTIM_LBFGS_DEFAULTS_                                                                      \
    .lr = 1, .max_iter = 20, .max_eval = T_NONE, .tolerance_grad = 1e-7, .tolerance_change = 1e-9, \
    .history_size = 100, .size = sizeof(optim_LBFGSOptions)

/* optim.Adafactor(params, lr=1e-2, beta2_decay=-0.8, eps=(None, 1e-3), d=1.0, weight_decay=0.0, maximize=False);
 * eps[0] NaN is None */
typedef struct optim_AdafactorOptions {
    uint32_t size;
    double lr, beta2_decay, eps[2], d, weight_decay;
    bool foreach; /* accepted, without a meaning here */
    bool maximize;
} optim_AdafactorOptions;
#define OPTIM_ADAFACTOR_DEFAULTS_                                                   \
    .lr = 1e-2, .beta2_decay = -0.8, .eps = {(double)NAN, 1e-3}, .d = 1,            \
    .size = sizeof(optim_AdafactorOptions)

/* optim.Muon(params, lr=1e-3, weight_decay=0.1, momentum=0.95, nesterov=True, ns_coefficients=(3.4445, -4.775, 2.0315),
 * eps=1e-7, ns_steps=5, adjust_lr_fn=None) */
typedef struct optim_MuonOptions {
    uint32_t size;
    double lr, weight_decay, momentum;
    bool nesterov;
    double ns_coefficients[3], eps;
    int64_t ns_steps;
    const char *adjust_lr_fn; /* "original" (NULL), "match_rms_adamw" or "spectral_unclamped" */
} optim_MuonOptions;
#define OPTIM_MUON_DEFAULTS_                                                                                    \
    .lr = 1e-3, .weight_decay = 0.1, .momentum = 0.95, .nesterov = true,                                        \
    .ns_coefficients = {3.4445, -4.775, 2.0315}, .eps = 1e-7, .ns_steps = 5, .size = sizeof(optim_MuonOptions)

/* The options of a further group; NaN, and -1 for a flag, stand for the constructor's value. */
typedef struct optim_GroupOptions {
    uint32_t size;
    double lr, weight_decay, momentum, dampening, betas[2], eps, alpha, lr_decay, initial_accumulator_value;
    int nesterov, amsgrad, centered, maximize;
    optim_Hyperparameter own[OPTIM_MAX_HYPERPARAMETERS]; /* of a user's optimizer: .own = {{"rho", 0.05}, {"k", 6}} */
    double rho, momentum_decay, lambd, t0, etas[2], step_sizes[2];
    int decoupled_weight_decay;
} optim_GroupOptions;
#define OPTIM_GROUP_DEFAULTS_                                                                                   \
    .lr = (double)NAN, .weight_decay = (double)NAN, .momentum = (double)NAN, .dampening = (double)NAN,          \
    .betas = {(double)NAN, (double)NAN}, .eps = (double)NAN, .alpha = (double)NAN, .lr_decay = (double)NAN,     \
    .initial_accumulator_value = (double)NAN, .nesterov = -1, .amsgrad = -1, .centered = -1, .maximize = -1,    \
    .rho = (double)NAN, .momentum_decay = (double)NAN, .lambd = (double)NAN, .t0 = (double)NAN,                 \
    .etas = {(double)NAN, (double)NAN}, .step_sizes = {(double)NAN, (double)NAN}, .decoupled_weight_decay = -1, \
    .size = sizeof(optim_GroupOptions)

/* The defaults as values, to copy from where there are no macros. */
extern T_API const optim_SGDOptions optim_SGDDefaults;
extern T_API const optim_AdamOptions optim_AdamDefaults, optim_AdamWDefaults;
extern T_API const optim_RMSpropOptions optim_RMSpropDefaults;
extern T_API const optim_AdagradOptions optim_AdagradDefaults;
extern T_API const optim_AdadeltaOptions optim_AdadeltaDefaults;
extern T_API const optim_AdamaxOptions optim_AdamaxDefaults;
extern T_API const optim_NAdamOptions optim_NAdamDefaults;
extern T_API const optim_RAdamOptions optim_RAdamDefaults;
extern T_API const optim_ASGDOptions optim_ASGDDefaults;
extern T_API const optim_RpropOptions optim_RpropDefaults;
extern T_API const optim_LBFGSOptions optim_LBFGSDefaults;
extern T_API const optim_AdafactorOptions optim_AdafactorDefaults;
extern T_API const optim_MuonOptions optim_MuonDefaults;
extern T_API const optim_GroupOptions optim_GroupDefaults;

/* ---- optimizers (sgd.c, adam.c, and so on) ---- */
T_API optim_Optimizer *optim_SGD_new(const t_TensorList *params, const optim_SGDOptions *options);    /* optim.SGD */
T_API optim_Optimizer *optim_Adam_new(const t_TensorList *params, const optim_AdamOptions *options);  /* optim.Adam */
T_API optim_Optimizer *optim_AdamW_new(const t_TensorList *params, const optim_AdamOptions *options); /* optim.AdamW */
T_API optim_Optimizer *optim_RMSprop_new(const t_TensorList *params,
                                         const optim_RMSpropOptions *options); /* optim.RMSprop */
T_API optim_Optimizer *optim_Adagrad_new(const t_TensorList *params,
                                         const optim_AdagradOptions *options); /* optim.Adagrad */
T_API optim_Optimizer *optim_Adadelta_new(const t_TensorList *params,
                                          const optim_AdadeltaOptions *options); /* optim.Adadelta */
T_API optim_Optimizer *optim_Adamax_new(const t_TensorList *params,
                                        const optim_AdamaxOptions *options); /* optim.Adamax */
T_API optim_Optimizer *optim_NAdam_new(const t_TensorList *params, const optim_NAdamOptions *options); /* optim.NAdam */
T_API optim_Optimizer *optim_RAdam_new(const t_TensorList *params, const optim_RAdamOptions *options); /* optim.RAdam */
T_API optim_Optimizer *optim_ASGD_new(const t_TensorList *params, const optim_ASGDOptions *options);   /* optim.ASGD */
T_API optim_Optimizer *optim_Rprop_new(const t_TensorList *params, const optim_RpropOptions *options); /* optim.Rprop */
T_API optim_Optimizer *optim_LBFGS_new(const t_TensorList *params, const optim_LBFGSOptions *options); /* optim.LBFGS */
T_API optim_Optimizer *optim_Adafactor_new(const t_TensorList *params,
                                           const optim_AdafactorOptions *options); /* optim.Adafactor */
T_API optim_Optimizer *optim_Muon_new(const t_TensorList *params, const optim_MuonOptions *options); /* optim.Muon */

/* ---- user-defined optimizers (custom_optimizer.c) ----
 *
 * class Lion(Optimizer): step() is a function, and super().__init__(params, dict(lr=lr, betas=betas)) is a call of
 * optim_Optimizer:
 *
 *     void lion_step(optim_Optimizer *self) {
 *         for (int64_t g = 0; g < self->len; g++) {
 *             optim_ParamGroup *group = &self->param_groups[g];
 *             for_list (p, group->params) {
 *                 Tensor *grad = t_grad(p), *exp_avg = optim_state(self, p, "exp_avg");
 *                 if (!grad) continue;
 *                 if (!exp_avg) exp_avg = optim_set_state(self, p, "exp_avg", t_zeros_like(p));
 *                 t_add_(p, t_sign(t_lerp(grad, exp_avg, group->betas[0])), .alpha = -group->lr);
 *                 t_lerp_(exp_avg, grad, 1 - group->betas[1]);
 *             }
 *         }
 *     }
 *     optim_Optimizer *optimizer = optim_Optimizer(nn_parameters(model), lion_step, .lr = 1e-4, .betas = {0.9, 0.99});
 *
 * optim_step runs it without recording (torch.no_grad()) and in a scope of its own. The hyperparameters that are given
 * are the defaults of the groups and are in the state dict, lr (1e-3) always; those in .own are group["rho"].
 * Everything else is as for the library's optimizers: schedulers, zero_grad, add_param_group, state_dict and
 * load_state_dict. */
T_API optim_Optimizer *optim_Optimizer_new(const t_TensorList *params, void (*step)(optim_Optimizer *self),
                                           const optim_GroupOptions *defaults);
/* optimizer.state[p].get(name): a state tensor of a parameter, for the library's optimizers too ("step" and other
 * numbers as a new 0-dim tensor); NULL without an error where there is none. optimizer.state[p][name] = x, of any
 * shape, returns x; NULL on error. Errors: a tensor that is not one of the optimizer's parameters. */
T_API Tensor *optim_state(const optim_Optimizer *optimizer, const Tensor *p, const char *name);
T_API Tensor *optim_set_state(optim_Optimizer *optimizer, Tensor *p, const char *name, Tensor *x);
/* group["rho"], group["rho"] = 0.1; also for hyperparameters with a field, such as group->lr. Error: KeyError (returns
 * NaN). */
T_API double optim_group_get(const optim_ParamGroup *group, const char *name);
T_API bool optim_group_set(optim_ParamGroup *group, const char *name, double value);

/* ---- functions of all optimizers (optimizer.c) ---- */
T_API bool optim_step(optim_Optimizer *optimizer);                        /* optimizer.step() */
/* optimizer.step(closure), returns the loss; in C with macros optim_step(optimizer, closure, &context). The closure
 * clears the gradients, computes the loss, calls t_backward and returns the loss:
 *
 *     Tensor *closure(void *context) {
 *         Problem *problem = context;
 *         optim_zero_grad(problem->optimizer);
 *         Tensor *loss = F_mse_loss(nn_call(problem->model, problem->x), problem->y);
 *         t_backward(loss);
 *         return loss;
 *     }
 *
 * LBFGS requires it and calls it several times, the others once, before they update. It is called with grad enabled and
 * in a scope of its own, which only the loss leaves. NULL on error. */
typedef Tensor *optim_Closure(void *context);
T_API Tensor *optim_step_closure(optim_Optimizer *optimizer, optim_Closure *closure, void *context);
T_API bool optim_zero_grad(optim_Optimizer *optimizer, bool set_to_none); /* optimizer.zero_grad(set_to_none=True) */
T_API bool optim_set_lr(optim_Optimizer *optimizer, double lr);           /* for g in param_groups: g["lr"] = lr */
T_API double optim_get_lr(const optim_Optimizer *optimizer);              /* param_groups[0]["lr"]; NaN on error */
T_API bool optim_add_param_group(optim_Optimizer *optimizer, const t_TensorList *params,
                                 const optim_GroupOptions *options);      /* optimizer.add_param_group(group) */

/* optimizer.register_step_pre_hook(hook), optimizer.register_step_post_hook(hook): called before and after each step,
 * in the order of registration, in the caller's grad mode and in a scope of its own. (PyTorch's get args and kwargs,
 * too, which are the closure; it cannot be replaced here.) t_hook_remove(hook) removes a hook; the handle need not be
 * kept. A hook that is registered by a hook of the same kind is called from the next step on. A pre-hook that fails
 * prevents the step, and any hook that fails makes the step fail. */
typedef void optim_StepHook(optim_Optimizer *optimizer, void *context);
T_API t_Hook *optim_register_step_pre_hook(optim_Optimizer *optimizer, optim_StepHook *hook, void *context);
T_API t_Hook *optim_register_step_post_hook(optim_Optimizer *optimizer, optim_StepHook *hook, void *context);

/* optimizer.register_state_dict_pre_hook(hook), register_load_state_dict_post_hook(hook): called before state_dict, and
 * after load_state_dict; register_state_dict_post_hook(hook), register_load_state_dict_pre_hook(hook): called with the
 * dict after it was made, and before it is loaded; a dict that such a hook returns replaces it, NULL keeps it. (Where
 * PyTorch's gets a copy of the dict that is loaded, this is the dict itself.) Otherwise as the hooks of a step. */
typedef t_TensorDict *optim_StateDictHook(optim_Optimizer *optimizer, t_TensorDict *state_dict, void *context);
T_API t_Hook *optim_register_state_dict_pre_hook(optim_Optimizer *optimizer, optim_StepHook *hook, void *context);
T_API t_Hook *optim_register_state_dict_post_hook(optim_Optimizer *optimizer, optim_StateDictHook *hook,
                                                  void *context);
T_API t_Hook *optim_register_load_state_dict_pre_hook(optim_Optimizer *optimizer, optim_StateDictHook *hook,
                                                      void *context);
T_API t_Hook *optim_register_load_state_dict_post_hook(optim_Optimizer *optimizer, optim_StepHook *hook,
                                                       void *context);

/* optimizer.state_dict(), optimizer.load_state_dict(state_dict): PyTorch's structure, flattened to dotted names:
 * "state.0.step", "state.0.exp_avg", "param_groups.0.lr", "param_groups.0.betas.0", "param_groups.0.params.0". A
 * state dict of torch.optim, flattened in the same way, can be loaded, and vice versa (`flat` and `nested` in
 * tests/interop/state.py convert; values of None, and foreach, fused, capturable and differentiable, are omitted). Adam
 * loads a group's decoupled_weight_decay, AdamW keeps its own. Loading copies the tensors, which PyTorch shares with
 * the dict, in the dtype of the parameters. Errors: PyTorch's for another number of groups or of parameters in one; a
 * missing name; a state of another shape than its parameter; values that the constructor refuses. Then nothing has
 * changed. */
T_API t_TensorDict *optim_state_dict(const optim_Optimizer *optimizer);
T_API bool optim_load_state_dict(optim_Optimizer *optimizer, const t_TensorDict *state_dict);

T_END_DECLS

#endif
