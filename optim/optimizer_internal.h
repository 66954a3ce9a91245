/* optim/optimizer_internal.h: the interface between the optimizer and its algorithms (internal).
 *
 * A new algorithm is one file: a tg_Algorithm, a constructor that sets a group's hyperparameters, and the loops. */
#ifndef TAPEGRAD_OPTIM_OPTIMIZER_INTERNAL_H
#define TAPEGRAD_OPTIM_OPTIMIZER_INTERNAL_H

#include "core/autograd/tape.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "optim/optimizer.h"

enum {
    TG_MAX_STATES = TG_OPERANDS - 2, /* the other two operands of a pass: the parameter and its gradient */
    TG_MAX_SCALARS = 2
};

/* One parameter's update, for the loops: the hyperparameters, and what set_step computes from them and the step. */
typedef struct tg_Update {
    const optim_ParamGroup *group;
    double step_size;                                       /* Adam: lr / (1 - beta1^t); similar in others */
    double bias_correction1, bias_correction2;              /* 1 - beta1^t, 1 - beta2^t */
    double bias_correction2_sqrt;                           /* sqrt(1 - beta2^t) */
    double gradient_step, average_step;                     /* NAdam: the factors of g and of its average */
    double rectification;                                   /* RAdam; 0: no division by sqrt(v) yet */
    double eta, mu;                                         /* ASGD */
    bool first;                                             /* this parameter's first step */
} tg_Update;

/* optimizer.state[p]. The tensors have the parameter's shape, dtype and layout, and are initialised to zeros, or to the
 * algorithm's start value. */
typedef struct tg_ParamState {
    int64_t step; /* number of updates of the parameter */
    Tensor *x[TG_MAX_STATES];
    float scalars[TG_MAX_SCALARS]; /* 0-dim tensors in PyTorch, float32 for every dtype */
    t_TensorDict *own; /* the state tensors of a user's optimizer; NULL while there are none */
    /* for the current step (fused_step.c): the parameter's n elements start at offset `from` of the group's array */
    int64_t from, n, itemsize;
    char *data[TG_OPERANDS];
    Loop loop;
    tg_Update update;
} tg_ParamState;

/* The hyperparameter that a scheduler cycles as momentum. */
typedef enum tg_Momentum { tg_no_momentum, tg_momentum, tg_beta1 } tg_Momentum;

/* Bits of tg_Hyperparameter.used_by. TG_ADAM: AdamW, too; TG_CUSTOM: a user's optimizer. */
typedef enum tg_AlgorithmKind {
    TG_SGD = 1,
    TG_ADAM = 2,
    TG_RMSPROP = 4,
    TG_ADAGRAD = 8,
    TG_CUSTOM = 16,
    TG_ADADELTA = 32,
    TG_ADAMAX = 64,
    TG_NADAM = 128,
    TG_RADAM = 256,
    TG_ASGD = 512,
    TG_RPROP = 1024,
    TG_LBFGS = 2048,
    TG_MUON = 4096,
    TG_ADAFACTOR = 8192
} tg_AlgorithmKind;

/* The closure of optimizer.step(closure). */
typedef struct tg_Closure {
    optim_Closure *function;
    void *context;
} tg_Closure;

typedef struct tg_Algorithm {
    const char *name;
    tg_Momentum momentum;
    bool (*check)(const optim_ParamGroup *group); /* checks the hyperparameters; false with PyTorch's error set */
    int (*states)(const optim_ParamGroup *group); /* number of state tensors per parameter */
    double (*start)(const optim_ParamGroup *group, int k); /* initial value of a state tensor; NULL: 0 */
    bool has_state_before_step; /* Adagrad: a state dict has the start values before the first step, too */
    Loop (*loop)(t_DType dtype); /* updates elements: data[0] is the parameter, then its gradient, then its state */
    /* computes the members of *update that depend on state->step, which counts from 1, and updates the scalars of the
     * state. May be NULL */
    void (*set_step)(tg_ParamState *state, tg_Update *update);
    /* The operands after the gradient, if not just the state tensors; returns their number. */
    int (*operands)(const optim_ParamGroup *group, Tensor *const *state, Tensor **x);
    tg_AlgorithmKind kind; /* selects the hyperparameters that a state dict has (optimizer_state.c) */
    const char *(*state_name)(const optim_ParamGroup *group, int k); /* of a state tensor in a state dict */
    const char *scalar_names[TG_MAX_SCALARS]; /* of the scalars in a state dict; NULL: there are no more */
    double (*scalar_start)(const optim_ParamGroup *group, int k); /* their values before the first step */
    bool is_decoupled; /* AdamW: its groups' decoupled_weight_decay is always true */
    /* LBFGS, Muon, Adafactor: a step that calls the closure itself and stores its state by name, as a user's
     * optimizer does; NULL: the loops. closure is NULL where none was given. */
    bool (*step)(optim_Optimizer *optimizer, const tg_Closure *closure, Tensor **loss);
} tg_Algorithm;

/* An optimizer with one group: `defaults` with the given parameters. */
optim_Optimizer *tg_optimizer_new(const tg_Algorithm *algorithm, const t_TensorList *params,
                                  const optim_ParamGroup *defaults);
/* optimizer.defaults, overridden by the given options. */
optim_ParamGroup tg_group_of(const optim_ParamGroup *defaults, const optim_GroupOptions *given);
bool tg_check_optimizer(const optim_Optimizer *optimizer);
Tensor *tg_optimizer_state(Tensor *p, double start); /* a state tensor of p, which the caller owns */
void tg_optimizer_free_state(optim_ParamGroup *group);

/* Calls hooks in the order of registration, each in a scope of its own, until one fails. tg_call_dict_hooks returns the
 * dict, or that of the last hook that returned one; NULL if a hook failed. */
bool tg_call_hooks(optim_Optimizer *optimizer, t_Hook *first);
t_TensorDict *tg_call_dict_hooks(optim_Optimizer *optimizer, t_Hook *first, t_TensorDict *dict);

/* Calls the closure, with grad enabled and in a scope of its own; the loss is then in the current scope. NULL on
 * error. */
Tensor *tg_call_closure(const tg_Closure *closure);

/* Updates the parameters of a group that have a gradient; cannot fail after the checks (fused_step.c). */
void tg_update_group(const tg_Algorithm *algorithm, optim_ParamGroup *group);

/* value >= 0, or the error "Invalid {name}: {value}" with the value as Python prints it. */
bool tg_check_not_negative(double value, const char *name);
bool tg_check_betas(const optim_ParamGroup *group); /* both in [0, 1) */

/* One of a group's hyperparameters, in PyTorch's order (optimizer_state.c). */
typedef enum tg_HyperparameterType { tg_double, tg_integer, tg_flag } tg_HyperparameterType;
typedef struct tg_Hyperparameter {
    const char *name;
    unsigned used_by;         /* the kinds of algorithms that have it: bits of tg_AlgorithmKind */
    size_t in_group;          /* its offset in optim_ParamGroup: a double, int64_t or bool */
    size_t in_options;        /* its offset in optim_GroupOptions: a double, or an int for a flag; 0: it has none */
    tg_HyperparameterType type;
} tg_Hyperparameter;
enum { TG_HYPERPARAMETERS = 28 };
extern const tg_Hyperparameter tg_hyperparameters[TG_HYPERPARAMETERS];
/* The bit set, as in group->known, of the hyperparameters that the options set. */
unsigned tg_given_hyperparameters(const optim_GroupOptions *options);

/* A number of a parameter's state as a new 0-dim tensor: "step", or one of scalar_names. NULL without an error where
 * there is none of that name. */
Tensor *tg_state_scalar(const tg_Algorithm *algorithm, const tg_ParamState *state, const char *name);
bool tg_counts_steps(const tg_Algorithm *algorithm); /* a state dict has "step" */

/* Teaching mode (teach.c), before a step: reports parameters without a gradient. After it: marks the gradients as used.
 */
void tg_teach_before_step(const optim_Optimizer *optimizer);
void tg_teach_after_step(const optim_Optimizer *optimizer);

/* The library's own copy of a value of Muon's adjust_lr_fn, NULL for another text (muon.c). */
const char *tg_adjust_lr_fn(const char *name);

#endif
