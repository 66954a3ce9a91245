/* core/tensor/profiler_hooks.h: where the library says what it runs, for core/profiler (internal).
 *
 * A profiler sees every operation through five places, and no op knows of it:
 *
 *     t_enter_, t_leave_     the frame of a macro: the user's call, with its line (context.c)
 *     tg_record              the end of each op, with its inputs and its result (core/autograd/tape.c)
 *     TG_COMPOSITE           a function that is composed of ops, and is their parent as in PyTorch
 *     tg_profile_begin, end  around a module's forward (nn/module/module_call.c), a gradient rule (backward.c), a step
 *                            of an optimizer, a batch of a DataLoader
 *     storages               their allocation and release (tensor.c)
 *
 * tg_profiler_hooks is NULL while nothing is profiled: then each place costs a load and a branch. */
#ifndef TAPEGRAD_CORE_TENSOR_PROFILER_HOOKS_H
#define TAPEGRAD_CORE_TENSOR_PROFILER_HOOKS_H

#include "core/tensor/api.h"

struct t_Function;

typedef enum tg_Range {
    tg_range_module,     /* the forward of the module in tg_thread.module_frame */
    tg_range_evaluate,   /* a Record *: its gradient rule, and the accumulation of what the rule returned */
    tg_range_rule,       /* a Record *: the rule alone */
    tg_range_accumulate, /* a leaf, a Tensor *: its gradient is added to its grad */
    tg_range_step,       /* a const char *: optimizer.step() of that class */
    tg_range_zero_grad,  /* a const char *: optimizer.zero_grad() of that class */
    tg_range_annotation, /* a const char *: record_function's name */
    tg_range_op,         /* a const char *: an op that is composed of others, by its name: TG_COMPOSITE */
} tg_Range;

/* What the bytes of a tensor are, torch.profiler's categories of its memory timeline. */
typedef enum tg_MemoryCategory {
    tg_memory_temporary,
    tg_memory_autograd_detail,
    tg_memory_activation,
    tg_memory_input,
    tg_memory_optimizer_state,
    tg_memory_gradient,
    tg_memory_parameter,
    TG_MEMORY_CATEGORIES
} tg_MemoryCategory;

typedef struct tg_ProfilerHooks {
    void (*enter)(const t_Site *before); /* tg_thread.site is the new one */
    void (*leave)(const t_Site *before); /* tg_thread.site is the one that is left */
    int (*begin)(tg_Range range, const void *what);
    void (*end)(int token); /* what begin returned */
    void (*op)(const struct t_Function *op, Tensor *y, Tensor *const *inputs, int count);
    void (*storage)(const void *storage, int64_t bytes, bool is_new);
    void (*thread_end)(void);
} tg_ProfilerHooks;

extern const tg_ProfilerHooks *tg_profiler_hooks;
/* The hooks, or NULL. A thread may switch them off while another one runs. */
static inline const tg_ProfilerHooks *tg_profiler(void) {
    return __builtin_expect(__atomic_load_n(&tg_profiler_hooks, __ATOMIC_ACQUIRE) != NULL, 0)
               ? __atomic_load_n(&tg_profiler_hooks, __ATOMIC_ACQUIRE)
               : NULL;
}

/* Around what may fail, but must return: what an error handler leaves by longjmp is forgotten. */
static inline int tg_profile_begin(tg_Range range, const void *what) {
    const tg_ProfilerHooks *hooks = tg_profiler();
    return hooks ? hooks->begin(range, what) : 0;
}
static inline void tg_profile_end(int token) {
    const tg_ProfilerHooks *hooks = token ? tg_profiler() : NULL;
    if (hooks) hooks->end(token);
}

/* The first line of a function that is composed of ops: they are children of an event of that name ("mse_loss" is
 * aten::mse_loss), until the function returns. If a macro called it there is one already. */
#define TG_COMPOSITE(name) \
    __attribute__((cleanup(tg_composite_end), unused)) const int tg_composite_ = tg_profile_begin(tg_range_op, name)
static inline void tg_composite_end(const int *token) {
    tg_profile_end(*token);
}

/* core/profiler/environment.c: reads TAPEGRAD_PROFILE; called when the program's first thread starts. */
void tg_profile_program(void);

#endif
