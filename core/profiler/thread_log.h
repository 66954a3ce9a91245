/* core/profiler/thread_log.h: what the recorder keeps for each thread (internal): the stack of what is running
 * (event_stack.c), the events that have ended, their sums (event_sums.h), the changes of memory (memory_events.c), and
 * the names that were looked up (event_names.c).
 *
 * A thread writes to its own log alone; who starts or stops a recording reads those of all threads. Both hold the log
 * (tg_occupy_log) while they touch events and sums. Logs are never freed: a new thread takes that of one that ended. */
#ifndef TAPEGRAD_CORE_PROFILER_THREAD_LOG_H
#define TAPEGRAD_CORE_PROFILER_THREAD_LOG_H

#include "core/profiler/recorder.h"

/* ---- what a log has ---- */

/* Whether events were seen in the calls of a site. A call that is no op and has none, as t_size or with_scope, is no
 * event, and is not put on the stack if the last one was none either. */
typedef enum CallHabit { TG_CALL_IS_NEW, TG_CALL_IS_QUIET, TG_CALL_HAS_EVENTS } CallHabit;

/* Something that runs: a macro's frame, or a range. Element 0 of the stack is none, but the parent of the outermost. */
typedef struct StackEntry {
    const char *name, *plain; /* plain: of an op, "mul" of t_mul; not terminated */
    size_t plain_size;
    const t_Site *site, *before; /* before: of a frame, the site of the frame around it */
    const tg_ModulePath *module;
    const char *shapes;
    double flops, child_flops;
    int64_t start, children, shown_children;
    int64_t cursor; /* where the op began that tg_record will tell next: the end of the last event, or the start */
    int64_t bytes, bytes_at_cursor, child_bytes; /* live bytes of the thread at the start, at the cursor */
    int64_t sequence;
    int parent, scope_depth; /* parent: an index in the stack */
    int16_t depth;
    uint8_t kind, formula; /* formula: the tg_FlopsFormula of a frame's op */
    uint8_t habit;         /* of a frame's site */
    bool is_frame, is_transparent, has_own_op, has_events, backward, in_step; /* in_step: of an optimizer */
} StackEntry;

/* An event as it is kept: one cache line, since what a recording costs is mostly the memory that it fills. What it has
 * in common with its children is computed when the recording ends. */
typedef struct LogEvent {
    const char *name;
    const t_Site *site;
    const tg_ModulePath *module;
    int64_t start, end, sequence, bytes;
    uint32_t details; /* the index in the log's details, plus 1; 0: none */
    int16_t depth;
    uint8_t kind;
    bool backward : 1, outermost_at_site : 1;
} LogEvent;
/* What few events have, or only with options. */
typedef struct EventDetails {
    const char *shapes, *stack;
    double flops;
} EventDetails;

enum { TG_LOG_CHUNK = 1024 };
typedef struct EventChunk {
    struct EventChunk *next;
    int64_t count;
    LogEvent items[TG_LOG_CHUNK];
} EventChunk;
typedef struct MemoryChunk {
    struct MemoryChunk *next;
    int64_t count;
    tg_MemoryEvent items[TG_LOG_CHUNK];
} MemoryChunk;

/* What is known of a call site, an op or a module, so that no text is formatted twice. */
typedef struct Known {
    const void *key, *second; /* second: the kind of the key, or of a module the path around it */
    const char *name, *plain;
    size_t plain_size;
    const tg_ModulePath *module;
    uint8_t kind, formula, habit; /* formula: a tg_FlopsFormula of an op; habit: a CallHabit */
    bool is_transparent;
} Known;

typedef struct ThreadLog {
    struct ThreadLog *next;
    int64_t session; /* of recordings; what is older is dropped */
    int32_t number;  /* of the thread */
    bool in_use;     /* by a running thread */
    int busy;        /* 1 while somebody writes or reads the events and sums */
    StackEntry *stack;
    int depth, capacity;                /* in use, allocated */
    const t_Site *quiet, *before_quiet; /* a call that runs, but is not on the stack; NULL: none. See CallHabit */
    int quiet_scope_depth;
    int64_t sequence, events, lost, memory_events;
    EventChunk *first, *last, *unused; /* unused: from earlier recordings, some */
    EventDetails *details;
    uint32_t detail_count, detail_capacity;
    MemoryChunk *first_memory, *last_memory;
    Known *known;
    size_t known_count, known_capacity;
    tg_EventSum *sums;
    uint32_t *index, last_sum; /* last_sum: its position + 1 */
    size_t sum_count, index_capacity;
} ThreadLog;

/* ---- what is recorded ---- */

/* Flags that every thread reads. */
enum {
    TG_RECORDS = 1, /* a profile takes the events */
    TG_SUMS = 2,    /* TAPEGRAD_PROFILE takes their sums */
    TG_SHAPES = 4,
    TG_STACK = 8,
    TG_FLOPS = 16,
    TG_MEMORY = 32,
    TG_LIMITED = 64, /* at most TG_MOST_PROGRAM_EVENTS in a thread */
};
enum { TG_MOST_PROGRAM_EVENTS = 1 << 20 };
extern int tg_recorder_flags;
extern int64_t tg_recorder_session; /* number of the recording that runs, or ran last */
static inline bool tg_recorder_is_on(int flag) {
    return __atomic_load_n(&tg_recorder_flags, __ATOMIC_RELAXED) & flag;
}

/* ---- thread_log.c ---- */

/* The functions that every event runs are inline: they are short, and there are some 20 ns for all of them. */

extern _Thread_local ThreadLog *tg_own_log; /* NULL: the thread has none */
/* The thread's log, with an element 0 on its stack; NULL on out of memory. */
ThreadLog *tg_prepare_log(void);
static inline ThreadLog *tg_log_of_thread(void) {
    ThreadLog *log = tg_own_log;
    const bool is_ready =
        log && log->depth > 0 && log->session == __atomic_load_n(&tg_recorder_session, __ATOMIC_ACQUIRE);
    return is_ready ? log : tg_prepare_log();
}
void tg_leave_log(void); /* the thread ends */

bool tg_grow_stack(ThreadLog *log);
/* A new element of the stack, all zero; NULL on out of memory. (Field by field: a memset of this size takes as long as
 * all the rest.) */
static inline StackEntry *tg_push_entry(ThreadLog *log) {
    if (log->depth == log->capacity && !tg_grow_stack(log)) return NULL;
    StackEntry *e = &log->stack[log->depth++];
    e->name = e->plain = e->shapes = NULL;
    e->plain_size = 0;
    e->site = e->before = NULL;
    e->module = NULL;
    e->flops = e->child_flops = 0;
    e->start = e->cursor = e->children = e->shown_children = 0;
    e->bytes = e->bytes_at_cursor = e->child_bytes = e->sequence = 0;
    e->parent = e->scope_depth = 0;
    e->depth = 0;
    e->kind = e->formula = e->habit = 0;
    e->is_frame = e->is_transparent = e->has_own_op = e->has_events = e->backward = e->in_step = false;
    return e;
}

void tg_wait_for_log(ThreadLog *log);
static inline void tg_occupy_log(ThreadLog *log) {
    if (__atomic_exchange_n(&log->busy, 1, __ATOMIC_ACQUIRE)) tg_wait_for_log(log);
}
static inline void tg_free_log(ThreadLog *log) {
    __atomic_store_n(&log->busy, 0, __ATOMIC_RELEASE);
}

/* The next event of the log, to be written; NULL if there is no recording, or no memory: it is lost. The log is held
 * from the call to tg_free_log. */
bool tg_add_event_chunk(ThreadLog *log);
static inline LogEvent *tg_new_log_event(ThreadLog *log) {
    tg_occupy_log(log);
    if (!tg_recorder_is_on(TG_RECORDS) || log->session != __atomic_load_n(&tg_recorder_session, __ATOMIC_ACQUIRE))
        return NULL;
    if ((!log->last || log->last->count == TG_LOG_CHUNK) && !tg_add_event_chunk(log)) return NULL;
    return &log->last->items[log->last->count++];
}
/* Shapes and stack: NULL for none. */
void tg_set_details(ThreadLog *log, LogEvent *event, const char *shapes, const char *stack, double flops);
void tg_keep_memory_event(ThreadLog *log, const tg_MemoryEvent *event);

/* All logs, which are not to change: between these two calls. */
ThreadLog *tg_lock_logs(void);
void tg_unlock_logs(void);
/* Of a log that is held: the numbers of its events, copies of them, with the sums of their children; and the end. */
void tg_count_log_events(const ThreadLog *log, int64_t *events, int64_t *memory);
bool tg_copy_log_events(const ThreadLog *log, tg_Recording *to);
void tg_empty_log(ThreadLog *log);

/* ---- event_names.c: NULL on out of memory ---- */

const Known *tg_known_site(ThreadLog *log, const t_Site *site);
void tg_set_habit(ThreadLog *log, const t_Site *site, CallHabit habit);
/* An op, by its name in an Op: "mul" is aten::mul. */
const Known *tg_known_op(ThreadLog *log, const char *name);
const Known *tg_known_rule(ThreadLog *log, const char *grad_fn);     /* "MulBackward0" */
const Known *tg_known_evaluate(ThreadLog *log, const char *grad_fn); /* what is around it */
const Known *tg_known_accumulate(ThreadLog *log);
/* The module in tg_thread.module_frame, in the path around it. */
const Known *tg_known_module(ThreadLog *log, const tg_ModulePath *around);
/* "[[2, 3], []]" */
const char *tg_shapes_text(Tensor *const *inputs, int count);

/* ---- event_stack.c: the hooks of core/tensor/profiler_hooks.h, with those of memory_events.c ---- */

extern const tg_ProfilerHooks tg_recorder_hooks;
static inline StackEntry *tg_top_entry(ThreadLog *log) {
    return &log->stack[log->depth - 1];
}

/* ---- memory_events.c ---- */

/* Whether an op returned a view of its first input; not what it wrote in place. */
bool tg_is_view_of_input(const Tensor *y, Tensor *const *inputs, int count);
/* What an op, in the entry e, says of the storages of its inputs and of its result. */
void tg_tell_op_memory(ThreadLog *log, const StackEntry *e, const char *name, int64_t now, const Tensor *y,
                       Tensor *const *inputs, int count);
void tg_tell_gradient(ThreadLog *log, const StackEntry *e, const Tensor *leaf);
void tg_storage_changes(const void *storage, int64_t bytes, bool is_new);

#endif
