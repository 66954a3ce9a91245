/* core/profiler/recorder.h: the record of what ran, one log for each thread (internal).
 *
 * The recorder implements the hooks of core/tensor/profiler_hooks.h. It keeps a stack of what is running in a thread;
 * what ends is written to the thread's log as an event, so that an event comes after its children. Logs have two
 * readers: a profile (profile.c), which takes the events themselves, and TAPEGRAD_PROFILE (environment.c), which takes
 * their sums only, so that it can run for days.
 *
 * A macro's frame gives an op's name, begin and end: "t_mul(x, 2)" is aten::mul. An op that the library calls has no
 * frame; tg_record tells its end, and it began where the event before it ended, or its parent began. So its time
 * includes what the library did in between, but a view takes no time. An op whose frame is open and has its name is not
 * a second event.
 *
 * This folder may include core/tensor, core/autograd, core/io and the headers of core/ops. It knows nothing of nn:
 * the path of a module is printed by tg_ModuleFrame. */
#ifndef TAPEGRAD_CORE_PROFILER_RECORDER_H
#define TAPEGRAD_CORE_PROFILER_RECORDER_H

#include "core/autograd/tape.h"
#include "core/profiler/profile.h"
#include "core/tensor/profiler_hooks.h"

/* ---- what an event says ---- */

typedef enum tg_EventKind {
    tg_event_op,         /* aten::mul; MulBackward0 and what is around it */
    tg_event_annotation, /* record_function, Optimizer.step, a batch of a DataLoader */
    tg_event_module,     /* the forward of a module */
    tg_event_function,   /* a call that is no op: t_backward */
} tg_EventKind;

/* What torch.profiler shows of a program: not the calls that are no ops, and the modules. */
static inline bool tg_is_shown(uint8_t kind) {
    return kind == tg_event_op || kind == tg_event_annotation;
}

/* A module by its path; the same for the same path and class. */
typedef struct tg_ModulePath {
    const char *path, *type; /* "model.0", "Linear" */
    struct tg_ModulePath *next;
} tg_ModulePath;

/* Texts are shared (tg_profiler_text): the same text is the same pointer. */
typedef struct tg_Event {
    const char *name;
    const t_Site *site;           /* of the call, in a backward of the call whose gradient it is; NULL: none */
    const tg_ModulePath *module;  /* the innermost one; in a backward that of the forward; NULL: none */
    const char *shapes, *stack;   /* "[[2, 3], []]"; lines of "train.c(31): nn_call(model, x)", innermost first; NULL */
    int64_t start, end, children; /* nanoseconds; children: of the events in it */
    int64_t shown_children;       /* of those in it that torch.profiler shows: no modules, no calls that are no ops */
    int64_t bytes, own_bytes;     /* allocated less released in it, own: not in its children */
    double flops;
    int64_t sequence; /* the same for an op and its gradient rule; 0: none */
    int32_t thread;   /* 1, 2, ... in the order of their first events */
    int16_t depth;    /* of the stack of events, 0 for the outermost */
    uint8_t kind;
    bool backward;          /* it ran in a gradient rule */
    bool outermost_at_site; /* no event around it has the same line */
} tg_Event;

/* The sums of events with the same name, line, module and direction. */
typedef struct tg_EventSum {
    const char *name;
    const t_Site *site;
    const tg_ModulePath *module;
    uint8_t kind;
    bool backward;
    /* nanoseconds; own: without children, shown_own: without those that are shown; at_site: of the total, what is
     * outermost at its line */
    int64_t calls, own, shown_own, total, at_site;
    int64_t bytes, own_bytes;
    double flops;
} tg_EventSum;

/* A change of the memory of one thread. */
typedef enum tg_MemoryAction { tg_memory_new, tg_memory_freed, tg_memory_result, tg_memory_used } tg_MemoryAction;
typedef struct tg_MemoryEvent {
    int64_t time, order, bytes; /* order: of the events of a thread */
    const void *storage;
    const char *name, *shape; /* of the op, result: also the shape of the tensor */
    const t_Site *site;
    const tg_ModulePath *module;
    uint8_t action, category; /* category: tg_MemoryCategory, what this event says about the storage */
    bool backward;
} tg_MemoryEvent;

/* ---- starting and stopping ---- */

typedef struct tg_RecorderOptions {
    bool shapes, stack, flops, memory; /* what events say besides names and times */
} tg_RecorderOptions;

/* Starts the recording of events. False with an error set: another profile is recording. */
bool tg_recorder_start(const tg_RecorderOptions *options);
/* Ends it; the caller frees the arrays with free(). Events are in the order of their start, parents first. False with
 * an error set on out of memory. */
typedef struct tg_Recording {
    tg_Event *events;
    int64_t count;
    tg_MemoryEvent *memory;
    int64_t memory_count;
    int64_t start, end; /* the time of start and stop */
    int64_t lost;       /* number of events that were not kept for lack of memory */
} tg_Recording;
bool tg_recorder_stop(tg_Recording *recording);
void tg_recording_free(tg_Recording *recording);

/* For TAPEGRAD_PROFILE: starts the sums; with_events or with_memory also a recording of at most some million events, or
 * changes of the memory, a thread, which gives way to a profile of the program's. Stops both; the sums of all threads,
 * which the caller frees with free(). */
void tg_recorder_start_program(bool with_events, bool with_memory);
tg_EventSum *tg_recorder_stop_program(int64_t *count, bool *has_events, tg_Recording *recording);

/* ---- clock.c ---- */

/* The clock, in nanoseconds; tests replace it. */
extern int64_t (*tg_profiler_clock)(void);
void tg_choose_clock(void);

/* ---- names.c ---- */

/* The text, shared; NULL on out of memory, without an error. */
const char *tg_profiler_text(const char *text);
const tg_ModulePath *tg_profiler_module(const char *path, const char *type);

/* The event of a macro's call by its text: "t_mul(x, 2)" is aten::mul, an op with the plain name "mul". *plain_size: 0
 * for a function that is no op. Writes the name, of at most `size` bytes. */
tg_EventKind tg_call_name(const char *text, char *name, size_t size, const char **plain, size_t *plain_size);

/* ---- flops.c ---- */

/* The formula for an op of that name. */
typedef enum tg_FlopsFormula {
    tg_flops_none,
    tg_flops_elementwise,
    tg_flops_product,
    tg_flops_added_product,
    tg_flops_convolution,
    tg_flops_feed_forward,
    tg_flops_attention
} tg_FlopsFormula;
tg_FlopsFormula tg_flops_formula(const char *op);
typedef struct tg_ShapeOf {
    int ndim;
    const int64_t *shape;
} tg_ShapeOf;
/* The floating-point operations of an op. */
double tg_op_flops(tg_FlopsFormula formula, const tg_ShapeOf *inputs, int count, tg_ShapeOf output);
/* Those of its gradient rule, where that calls a kernel and no ops: a product for each matrix that needs a gradient,
 * at most two for each product of the forward. */
double tg_rule_flops(tg_FlopsFormula formula, const tg_ShapeOf *inputs, int count, tg_ShapeOf output, int needed);

#endif
