/* core/profiler/recorder.c: the stack of what runs in a thread, and its events. See recorder.h. */
#include "core/profiler/recorder.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a thread has ---- */

/* Something that runs: a macro's frame, or a range. Element 0 of the stack is none, but the parent of the outermost. */
typedef struct Entry {
    const char *name, *plain; /* plain: of a frame of an op, "mul" of t_mul; not terminated */
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
    uint8_t kind;
    bool is_frame, is_transparent, has_own_op, has_events, backward, in_step; /* in_step: of an optimizer */
    bool is_rule;
} Entry;

enum { CHUNK = 1024 };
typedef struct EventChunk {
    struct EventChunk *next;
    int64_t count;
    tg_Event items[CHUNK];
} EventChunk;
typedef struct MemoryChunk {
    struct MemoryChunk *next;
    int64_t count;
    tg_MemoryEvent items[CHUNK];
} MemoryChunk;

/* What is known of a call site, an op or a module, so that no text is formatted twice. */
typedef struct Known {
    const void *key, *second; /* second: the kind of the key, or of a module the path around it */
    const char *name, *plain;
    size_t plain_size;
    const tg_ModulePath *module;
    uint8_t kind, formula; /* formula: a tg_FlopsFormula of an op */
    bool is_transparent;
} Known;

typedef struct Log {
    struct Log *next;
    int64_t session; /* of recordings; what is older is dropped */
    int32_t number;  /* of the thread */
    bool in_use;     /* by a running thread */
    int busy;        /* 1 while somebody writes or reads the events and sums */
    Entry *stack;
    int depth, capacity; /* in use, allocated */
    int64_t sequence, events, lost, memory_events;
    EventChunk *first, *last, *unused; /* unused: from earlier recordings, some */
    MemoryChunk *first_memory, *last_memory;
    Known *known;
    size_t known_count, known_capacity;
    tg_EventSum *sums;
    uint32_t *index, last_sum; /* last_sum: its position + 1 */
    size_t sum_count, index_capacity;
} Log;

static _Thread_local Log *own_log;

/* ---- of the process ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, but for the flags */
static Log *logs;
static int32_t threads;
static int64_t session; /* number of the recording that runs, or ran last */
/* Flags that every thread reads. */
enum { RECORDS = 1, SUMS = 2, SHAPES = 4, STACK = 8, FLOPS = 16, MEMORY = 32, LIMITED = 64 };
static int flags;
static int64_t started;
static bool is_of_program; /* what records is TAPEGRAD_PROFILE */
enum { MOST_PROGRAM_EVENTS = 1 << 20 };

static inline bool is_on(int flag) {
    return __atomic_load_n(&flags, __ATOMIC_RELAXED) & flag;
}

static void occupy(Log *log) {
    while (__atomic_exchange_n(&log->busy, 1, __ATOMIC_ACQUIRE)) sched_yield();
}
static void leave_free(Log *log) {
    __atomic_store_n(&log->busy, 0, __ATOMIC_RELEASE);
}

static void free_chunks(Log *log) {
    enum { MOST_UNUSED = 64 };
    int unused = 0;
    for (const EventChunk *chunk = log->unused; chunk; chunk = chunk->next) unused++;
    for (EventChunk *chunk = log->first, *next; chunk; chunk = next) {
        next = chunk->next;
        if (unused++ < MOST_UNUSED) {
            chunk->next = log->unused;
            log->unused = chunk;
        } else {
            free(chunk);
        }
    }
    for (MemoryChunk *chunk = log->first_memory, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    log->first = log->last = NULL;
    log->first_memory = log->last_memory = NULL;
    log->lost = log->events = 0;
}

static bool push(Log *log, Entry **entry) {
    if (log->depth == log->capacity) {
        if (log->depth > 0xffff) return false;
        const int capacity = log->capacity ? 2 * log->capacity : 64;
        Entry *stack = realloc(log->stack, (size_t)capacity * sizeof *stack);
        if (!stack) return false;
        log->stack = stack;
        log->capacity = capacity;
    }
    *entry = memset(&log->stack[log->depth++], 0, sizeof **entry);
    return true;
}

/* Also the log of a thread that has ended is used again, under the new thread's number. */
static Log *new_log(void) {
    pthread_mutex_lock(&lock);
    Log *log = logs;
    while (log && log->in_use) log = log->next;
    if (!log && (log = calloc(1, sizeof *log))) {
        log->next = logs;
        log->session = -1;
        logs = log;
    }
    if (log) {
        log->in_use = true;
        log->number = ++threads;
        log->depth = 0;
    }
    pthread_mutex_unlock(&lock);
    return own_log = log;
}

/* A recording has begun since the thread's last event. */
static void begin_session(Log *log, int64_t now) {
    occupy(log);
    free_chunks(log);
    log->session = __atomic_load_n(&session, __ATOMIC_ACQUIRE);
    leave_free(log);
    if (!is_on(SUMS)) log->depth = 0; /* what began before is not seen to end */
    for (int i = 0; i < log->depth; i++) log->stack[i].cursor = log->stack[i].start = now;
}

/* The thread's log, with an element 0 on its stack; NULL on out of memory. */
static inline Log *log_of_thread(void) {
    Log *log = own_log ? own_log : new_log();
    if (!log) return NULL;
    if (log->session != __atomic_load_n(&session, __ATOMIC_ACQUIRE)) begin_session(log, tg_profiler_clock());
    Entry *root;
    if (log->depth == 0) {
        if (!push(log, &root)) return NULL;
        root->kind = tg_event_function;
        root->depth = -1;
        root->start = root->cursor = tg_profiler_clock();
        root->bytes = root->bytes_at_cursor = tg_thread.live_bytes;
    }
    return log;
}

/* ---- what is known of keys ---- */

static const char site_key, op_key, rule_key, evaluate_key;

static size_t slot_of(const Log *log, const void *key, const void *second) {
    const size_t hash = ((size_t)key >> 3) * 0x9e3779b97f4a7c15u ^ ((size_t)second >> 3) * 0xc2b2ae3d27d4eb4fu;
    return (hash ^ hash >> 29) & (log->known_capacity - 1);
}

static bool grow_known(Log *log) {
    const size_t before = log->known_capacity;
    Known *old = log->known, *known = calloc(before ? 2 * before : 256, sizeof *known);
    if (!known) return false;
    log->known = known;
    log->known_capacity = before ? 2 * before : 256;
    for (size_t i = 0; i < before; i++) {
        if (!old[i].key) continue;
        size_t at = slot_of(log, old[i].key, old[i].second);
        while (known[at].key) at = (at + 1) & (log->known_capacity - 1);
        known[at] = old[i];
    }
    free(old);
    return true;
}

/* The slot of the keys, whose name is NULL if it is new; NULL on out of memory. */
static inline Known *find_known(Log *log, const void *key, const void *second) {
    if (2 * log->known_count >= log->known_capacity && !grow_known(log)) return NULL;
    size_t at = slot_of(log, key, second);
    while (log->known[at].key && (log->known[at].key != key || log->known[at].second != second))
        at = (at + 1) & (log->known_capacity - 1);
    Known *known = &log->known[at];
    if (!known->key) {
        known->key = key;
        known->second = second;
        log->known_count++;
    }
    return known;
}

static const Known *known_site(Log *log, const t_Site *site) {
    Known *known = find_known(log, site, &site_key);
    if (!known || known->name) return known;
    char name[96];
    known->kind = tg_call_name(site->text, name, sizeof name, &known->plain, &known->plain_size);
    known->name = tg_profiler_text(name);
    known->is_transparent = strncmp(name, "nn_call", 7) == 0; /* the event is the module's */
    return known;
}

static const Known *known_text(Log *log, const char *text, const void *key, const char *prefix) {
    Known *known = find_known(log, text, key);
    if (!known || known->name) return known;
    char name[160];
    snprintf(name, sizeof name, "%s%s", prefix, text);
    known->name = tg_profiler_text(name);
    known->kind = tg_event_op;
    known->formula = (uint8_t)(key == &op_key ? tg_flops_formula(text) : tg_flops_none);
    return known;
}

/* The module in tg_thread.module_frame, in the path around it. */
static const Known *known_module(Log *log, const tg_ModulePath *around) {
    const tg_ModuleFrame *frame = tg_thread.module_frame;
    Known *known = find_known(log, frame->module, around);
    if (!known || known->name) return known;
    char path[400], text[400], name[160];
    frame->print(frame, false, path, sizeof path);
    frame->print(frame, true, text, sizeof text); /* "model.0, Linear(4, 2)" */
    const size_t length = strlen(path);
    char *type = strlen(text) > length + 2 ? text + length + 2 : text;
    type[strcspn(type, "(")] = '\0';
    snprintf(name, sizeof name, "nn.Module: %.140s", type);
    known->module = tg_profiler_module(path, type);
    known->name = known->module ? tg_profiler_text(name) : NULL;
    known->kind = tg_event_module;
    return known;
}

/* ---- writing events ---- */

static EventChunk *new_chunk(Log *log) {
    EventChunk *chunk = log->unused;
    if (chunk) log->unused = chunk->next;
    return chunk ? chunk : malloc(sizeof *chunk);
}

static void keep_event(Log *log, const tg_Event *event) {
    if (!log->last || log->last->count == CHUNK) {
        const bool is_full = is_on(LIMITED) && log->events >= MOST_PROGRAM_EVENTS;
        EventChunk *chunk = is_full ? NULL : new_chunk(log);
        log->events += CHUNK;
        if (!chunk) {
            log->lost++;
            return;
        }
        chunk->next = NULL;
        chunk->count = 0;
        if (log->last)
            log->last->next = chunk;
        else
            log->first = chunk;
        log->last = chunk;
    }
    log->last->items[log->last->count++] = *event;
}

/* Sums are in the order of their first events; an index by hash, of positions + 1, finds them. (What is added is passed
 * as an inline function's argument, so that it stays in registers: this takes half of the time of a profile.) */
static inline size_t sum_slot(const Log *log, const char *name, const t_Site *site, const tg_ModulePath *module) {
    const size_t hash = ((size_t)name >> 4) * 0x9e3779b97f4a7c15u ^ ((size_t)site >> 4) * 0xc2b2ae3d27d4eb4fu ^
                        ((size_t)module >> 4) * 0x165667b19e3779f9u;
    return (hash ^ hash >> 29) & (log->index_capacity - 1);
}

static bool grow_sums(Log *log) {
    const size_t capacity = log->index_capacity ? 2 * log->index_capacity : 256;
    uint32_t *index = calloc(capacity, sizeof *index);
    tg_EventSum *sums = index ? realloc(log->sums, capacity / 4 * sizeof *sums) : NULL;
    if (!sums) {
        free(index);
        return false;
    }
    free(log->index);
    log->sums = sums;
    log->index = index;
    log->index_capacity = capacity;
    for (size_t i = 0; i < log->sum_count; i++) {
        size_t at = sum_slot(log, sums[i].name, sums[i].site, sums[i].module);
        while (index[at]) at = (at + 1) & (capacity - 1);
        index[at] = (uint32_t)i + 1;
    }
    return true;
}

/* more: one event. */
__attribute__((always_inline)) static inline void add_to_sum(Log *log, const tg_EventSum more) {
    log->last_sum = 0;
    if (4 * log->sum_count >= log->index_capacity && !grow_sums(log)) return;
    size_t at = sum_slot(log, more.name, more.site, more.module);
    tg_EventSum *sum = NULL;
    for (; log->index[at]; at = (at + 1) & (log->index_capacity - 1)) {
        sum = &log->sums[log->index[at] - 1];
        if (sum->name == more.name && sum->site == more.site && sum->module == more.module &&
            sum->backward == more.backward)
            break;
    }
    if (!log->index[at]) {
        sum = &log->sums[log->sum_count++];
        *sum = (tg_EventSum){
            .name = more.name, .site = more.site, .module = more.module, .kind = more.kind, .backward = more.backward};
        log->index[at] = (uint32_t)log->sum_count;
    }
    sum->calls++;
    sum->own += more.own;
    sum->shown_own += more.shown_own;
    sum->total += more.total;
    sum->at_site += more.at_site;
    sum->bytes += more.bytes;
    sum->own_bytes += more.own_bytes;
    sum->flops += more.flops;
    log->last_sum = log->index[at];
}

static void write_event(Log *log, const tg_Event *event) {
    occupy(log);
    if (is_on(RECORDS) && log->session == __atomic_load_n(&session, __ATOMIC_ACQUIRE)) keep_event(log, event);
    leave_free(log);
}

/* The event that was written last, an op that has recorded before it computed, ends now. */
static void extend_last_event(Log *log, int64_t sequence, int64_t now, int64_t more) {
    occupy(log);
    tg_Event *last = log->last && log->last->count ? &log->last->items[log->last->count - 1] : NULL;
    if (last && last->sequence == sequence) last->end = now;
    tg_EventSum *sum = is_on(SUMS) && log->last_sum ? &log->sums[log->last_sum - 1] : NULL;
    if (sum) {
        sum->own += more;
        sum->shown_own += more;
        sum->total += more;
        if (sum->at_site) sum->at_site += more;
    }
    leave_free(log);
}

static void keep_memory(Log *log, const tg_MemoryEvent *event) {
    occupy(log);
    if (is_on(RECORDS) && log->session == __atomic_load_n(&session, __ATOMIC_ACQUIRE)) {
        MemoryChunk *chunk = log->last_memory;
        if (!chunk || chunk->count == CHUNK) {
            chunk = malloc(sizeof *chunk);
            if (chunk) {
                chunk->next = NULL;
                chunk->count = 0;
                if (log->last_memory)
                    log->last_memory->next = chunk;
                else
                    log->first_memory = chunk;
                log->last_memory = chunk;
            }
        }
        if (chunk) {
            chunk->items[chunk->count] = *event;
            chunk->items[chunk->count++].order = ++log->memory_events;
        } else {
            log->lost++;
        }
    }
    leave_free(log);
}

/* ---- the stack ---- */

static Entry *top(Log *log) {
    return &log->stack[log->depth - 1];
}

/* Whether something around it has the same line. */
static bool is_outermost_at_site(const Log *log, const t_Site *site, int parent) {
    for (int i = parent; site && i > 0; i = log->stack[i].parent) {
        const Entry *e = &log->stack[i];
        if (e->site && !e->is_transparent && e->site->line == site->line && e->site->file == site->file) return false;
    }
    return site != NULL;
}

/* The lines from the call `site`, in the element `at` of the stack, outwards. */
static const char *stack_text(const Log *log, const t_Site *site, int at) {
    char text[2048];
    size_t length = 0;
    const t_Site *last = NULL;
    for (int i = at; length < sizeof text; site = log->stack[i].site, i = log->stack[i].parent) {
        if (site && site != last) {
            const char *expansion = strstr(site->text, "__extension__");
            const int shown = expansion && expansion - site->text < 80 ? (int)(expansion - site->text) : 80;
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s(%d): %.*s", last ? "\n" : "",
                                       site->file, site->line, shown, site->text);
            last = site;
        }
        if (i <= 0) break;
    }
    return last ? tg_profiler_text(text) : NULL;
}

/* An event that has ended is part of its parent, in which the next op begins now. */
static void add_to_parent(Entry *parent, int64_t duration, int64_t shown, int64_t bytes, int64_t now) {
    parent->children += duration;
    parent->shown_children += shown;
    parent->child_bytes += bytes;
    parent->cursor = now;
    parent->bytes_at_cursor = tg_thread.live_bytes;
    parent->has_events = true;
}

static void write_entry(Log *log, const Entry *e, int64_t now) {
    Entry *parent = &log->stack[e->parent];
    const int64_t total = now - e->start, bytes = tg_thread.live_bytes - e->bytes;
    const bool is_outermost = is_outermost_at_site(log, e->site, e->parent);
    const double flops = e->is_rule && e->child_flops > 0 ? 0 : e->flops; /* else those of its ops are counted twice */
    if (is_on(SUMS) && e->name) {
        occupy(log);
        add_to_sum(log, (tg_EventSum){.name = e->name,
                                      .site = e->site,
                                      .module = e->module,
                                      .kind = e->kind,
                                      .backward = e->backward,
                                      .own = total - e->children,
                                      .shown_own = total - e->shown_children,
                                      .total = total,
                                      .at_site = is_outermost ? total : 0,
                                      .bytes = bytes,
                                      .own_bytes = bytes - e->child_bytes,
                                      .flops = flops});
        leave_free(log);
    }
    if (is_on(RECORDS) && e->name) {
        const tg_Event event = {
            .name = e->name,
            .site = e->site,
            .module = e->module,
            .shapes = e->shapes,
            .stack = is_on(STACK) ? stack_text(log, e->site, e->parent) : NULL,
            .start = e->start,
            .end = now,
            .children = e->children,
            .shown_children = e->shown_children,
            .bytes = bytes,
            .own_bytes = bytes - e->child_bytes,
            .flops = flops,
            .sequence = e->sequence,
            .thread = log->number,
            .depth = e->depth,
            .kind = e->kind,
            .backward = e->backward,
            .outermost_at_site = is_outermost,
        };
        write_event(log, &event);
    }
    parent->child_flops += e->child_flops + flops;
    add_to_parent(parent, total, tg_is_shown(e->kind) ? total : e->shown_children, bytes, now);
}

/* The last element of the stack ends. A call that is no op and in which nothing ran is none. */
static void pop(Log *log, int64_t now) {
    const Entry *e = top(log); /* what is above the stack stays as it is */
    Entry *parent = &log->stack[e->parent];
    log->depth--;
    if (!e->is_transparent && (e->kind != tg_event_function || e->has_events)) {
        write_entry(log, e, now);
    } else if (e->has_events) {
        add_to_parent(parent, e->children, e->shown_children, e->child_bytes, e->cursor);
        parent->bytes_at_cursor = e->bytes_at_cursor;
        parent->child_flops += e->child_flops;
    }
    if (e->parent == log->depth - 1) return;
    Entry *call = top(log); /* e was one of its arguments: it begins after them */
    call->start = call->cursor = now;
    call->bytes = call->bytes_at_cursor = tg_thread.live_bytes;
}

/* Forgets the frames that an error handler left by longjmp: the innermost one must be that of `site`. */
static void drop_left_frames(Log *log, const t_Site *site) {
    for (;;) {
        int i = log->depth - 1;
        while (i > 0 && !log->stack[i].is_frame) i--;
        if (i <= 0 || log->stack[i].site == site) return;
        log->depth = i;
    }
}

static void enter(const t_Site *before) {
    Log *log = log_of_thread();
    if (!log) return;
    drop_left_frames(log, before);
    const t_Site *site = tg_thread.site;
    const Known *known = site ? known_site(log, site) : NULL;
    Entry *e;
    if (!known || !push(log, &e)) return;
    const int around = log->depth - 2;
    const Entry *call = &log->stack[around];
    const int depth = tg_thread.scope ? tg_thread.scope->depth : 1;
    /* What runs in a frame before it has opened a scope or computed is an argument of its call. */
    const bool is_argument = call->is_frame && !call->has_events && depth <= call->scope_depth;
    e->parent = is_argument ? call->parent : around;
    const Entry *parent = &log->stack[e->parent];
    e->is_frame = true;
    e->is_transparent = known->is_transparent;
    e->kind = known->kind;
    e->name = known->name;
    e->plain = known->plain;
    e->plain_size = known->plain_size;
    e->site = site;
    e->before = before;
    e->module = parent->module;
    e->backward = parent->backward;
    e->in_step = parent->in_step;
    e->depth = (int16_t)(parent->depth + !e->is_transparent);
    e->scope_depth = depth;
    e->bytes = e->bytes_at_cursor = tg_thread.live_bytes;
    /* a module's call is no event, and the module has a clock of its own */
    e->start = e->cursor = e->is_transparent ? call->cursor : tg_profiler_clock();
}

static void leave(const t_Site *before) {
    Log *log = own_log;
    if (!log || log->depth == 0) return;
    int i = log->depth - 1;
    while (i > 0 && !log->stack[i].is_frame) i--;
    if (i <= 0 || log->stack[i].site != tg_thread.site || log->stack[i].before != before) return;
    log->depth = i + 1;
    const Entry *e = top(log);
    const bool needs_clock = !e->is_transparent || e->parent != i - 1;
    pop(log, needs_clock ? tg_profiler_clock() : e->cursor);
}

/* ---- ranges ---- */

static double flops_of_rule(Log *log, const Record *r) {
    enum { MOST = 8 };
    const Known *known = known_text(log, r->op->name, &op_key, "aten::");
    if (!known || known->formula == tg_flops_none) return 0;
    tg_ShapeOf shapes[MOST] = {{0, NULL}};
    int needed = 0;
    const int count = r->inputs < MOST ? r->inputs : MOST;
    for (int i = 0; i < count; i++) {
        shapes[i] = (tg_ShapeOf){r->edges[i].ndim, r->edges[i].shape};
        needed += r->edges[i].ndim > 1 && tg_needs(r, i);
    }
    return tg_rule_flops((tg_FlopsFormula)known->formula, shapes, count, (tg_ShapeOf){r->ndim, r->shape}, needed);
}

static void set_range(Log *log, Entry *e, tg_Range range, const void *what) {
    const Record *r = what;
    char name[160] = "";
    const Known *known = NULL;
    switch (range) {
    case tg_range_module:
        known = known_module(log, e->module);
        if (known) e->module = known->module;
        break;
    case tg_range_evaluate:
    case tg_range_rule:
        known = range == tg_range_rule
                    ? known_text(log, r->op->grad_fn, &rule_key, "")
                    : known_text(log, r->op->grad_fn, &evaluate_key, "autograd::engine::evaluate_function: ");
        e->site = r->site;
        e->module = r->profiled_module;
        e->sequence = range == tg_range_rule ? r->profiled : 0;
        e->backward = true;
        e->is_rule = range == tg_range_rule;
        if (e->is_rule && is_on(FLOPS)) e->flops = flops_of_rule(log, r);
        break;
    case tg_range_accumulate:
        known = known_text(log, "torch::autograd::AccumulateGrad", &op_key, "");
        e->backward = true;
        break;
    case tg_range_step:
        snprintf(name, sizeof name, "Optimizer.step#%s.step", (const char *)what);
        e->in_step = true;
        break;
    case tg_range_zero_grad: snprintf(name, sizeof name, "Optimizer.zero_grad#%s.zero_grad", (const char *)what); break;
    case tg_range_annotation: snprintf(name, sizeof name, "%s", (const char *)what); break;
    }
    e->kind = known ? known->kind : (uint8_t)tg_event_annotation;
    e->name = known ? known->name : *name ? tg_profiler_text(name) : NULL;
}

static void tell_gradient(Log *log, const Entry *e, const Tensor *x) {
    const Tensor *grad = x->grad ? x->grad : x->pending;
    const tg_MemoryEvent event = {
        .time = e->start,
        .bytes = grad ? (int64_t)grad->storage->bytes : 0,
        .storage = grad ? grad->storage : NULL,
        .name = e->name,
        .shape = grad ? tg_profiler_text(tg_shape_of(x)) : NULL,
        .action = tg_memory_used,
        .category = tg_memory_gradient,
        .backward = true,
    };
    if (grad) keep_memory(log, &event);
}

/* The index in the stack, and bits of the session, in which alone it is valid. */
static int token_of(const Log *log, int at) {
    return at | (int)(log->session & 0x7fff) << 16;
}

/* with_record_function opens its range in a frame that ends at once: the range takes its place. */
static void replace_frame(Log *log) {
    const Entry *frame = top(log);
    if (frame->is_frame && frame->name && strcmp(frame->name, "with_record_function") == 0) log->depth--;
}

static int begin(tg_Range range, const void *what) {
    Log *log = log_of_thread();
    Entry *e;
    if (log && range == tg_range_annotation) replace_frame(log);
    if (!log || !push(log, &e)) return 0;
    e->parent = log->depth - 2;
    const Entry *parent = &log->stack[e->parent];
    e->site = tg_thread.site;
    e->module = parent->module;
    e->backward = parent->backward;
    e->in_step = parent->in_step;
    e->depth = (int16_t)(parent->depth + 1);
    e->bytes = e->bytes_at_cursor = tg_thread.live_bytes;
    set_range(log, e, range, what);
    e->start = e->cursor = tg_profiler_clock();
    if (range == tg_range_accumulate && is_on(MEMORY)) tell_gradient(log, e, what);
    return token_of(log, log->depth - 1);
}

static void end(int token) {
    Log *log = own_log;
    const int at = token & 0xffff;
    if (!log || at == 0 || at >= log->depth || token != token_of(log, at) || log->stack[at].is_frame) return;
    log->depth = at + 1;
    pop(log, tg_profiler_clock());
}

/* ---- ops ---- */

/* Whether the op is what the frame's macro calls: mul of t_mul and of t_mul_. */
static bool is_op_of_frame(const Entry *e, const char *name) {
    if (!e->is_frame || e->has_own_op || e->plain_size == 0) return false;
    size_t length = strlen(name), size = e->plain_size;
    if (length && name[length - 1] == '_') length--;
    if (e->plain[size - 1] == '_') size--;
    return length == size && memcmp(name, e->plain, size) == 0;
}

/* "[[2, 3], []]" */
static const char *shapes_text(Tensor *const *inputs, int count) {
    char text[512] = "[";
    size_t at = 1;
    for (int i = 0; i < count && at < sizeof text - 64; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s[", i ? ", " : "");
        for (int d = 0; inputs[i] && !inputs[i]->wrapped_number && d < inputs[i]->ndim && at < sizeof text - 32; d++)
            at +=
                (size_t)snprintf(text + at, sizeof text - at, "%s%lld", d ? ", " : "", (long long)inputs[i]->shape[d]);
        text[at++] = ']';
    }
    text[at++] = ']';
    text[at] = '\0';
    return tg_profiler_text(text);
}

static double flops_of(tg_FlopsFormula formula, const Tensor *y, Tensor *const *inputs, int count) {
    enum { MOST = 5 };
    tg_ShapeOf shapes[MOST];
    if (formula == tg_flops_elementwise) return (double)tg_numel(y);
    if (count > MOST) count = MOST;
    for (int i = 0; i < count; i++)
        shapes[i] = inputs[i] ? (tg_ShapeOf){inputs[i]->ndim, inputs[i]->shape} : (tg_ShapeOf){0, NULL};
    return tg_op_flops(formula, shapes, count, (tg_ShapeOf){y->ndim, y->shape});
}

/* Not what is written in place. */
static bool is_view(const Tensor *y, Tensor *const *inputs, int count) {
    return y->base && count > 0 && inputs[0] && y != inputs[0] && y->storage == inputs[0]->storage;
}

static void tell_memory(Log *log, const Entry *e, const char *name, int64_t now, const Tensor *y, Tensor *const *inputs,
                        int count) {
    tg_MemoryEvent event = {.time = now, .name = name, .site = e->site, .module = e->module, .backward = e->backward};
    for (int i = 0; i < count; i++) {
        const Tensor *x = inputs[i];
        if (!x || x->record || x->wrapped_number || e->backward) continue;
        event.action = tg_memory_used;
        event.bytes = (int64_t)x->storage->bytes;
        event.storage = x->storage;
        event.shape = tg_profiler_text(tg_shape_of(x));
        event.category = x->is_parameter || x->requires_grad ? tg_memory_parameter : tg_memory_input;
        keep_memory(log, &event);
    }
    if (is_view(y, inputs, count)) return;
    event.action = tg_memory_result;
    event.bytes = (int64_t)y->storage->bytes;
    event.storage = y->storage;
    event.shape = tg_profiler_text(tg_shape_of(y));
    event.category = e->backward                     ? tg_memory_autograd_detail
                     : y->requires_grad && y->record ? tg_memory_activation
                                                     : tg_memory_temporary;
    keep_memory(log, &event);
}

static void op_ends(const struct t_Function *op, Tensor *y, Tensor *const *inputs, int count) {
    Log *log = log_of_thread();
    if (!log) return;
    Entry *e = top(log);
    Record *r = y->record && y->record->op == op ? y->record : NULL;
    const bool extends = r && r->profiled == log->sequence && r->profiled, is_new = r && !r->profiled;
    if (extends && e->sequence == r->profiled) return; /* its frame is open */
    const bool is_own = is_op_of_frame(e, op->name);
    const int64_t now = is_own && !is_on(MEMORY) ? 0 : tg_profiler_clock();
    if (extends) {
        extend_last_event(log, r->profiled, now, now - e->cursor);
        add_to_parent(e, now - e->cursor, now - e->cursor, tg_thread.live_bytes - e->bytes_at_cursor, now);
        return;
    }
    if (is_new) {
        r->profiled = log->sequence = log->sequence ? log->sequence + 1 : ((int64_t)log->number << 40) + 1;
        r->profiled_module = e->module;
    }
    const int64_t sequence = is_new ? r->profiled : 0;
    const char *shapes = is_on(SHAPES) ? shapes_text(inputs, count) : NULL;
    const Known *known = known_text(log, op->name, &op_key, "aten::");
    const bool has_flops = is_on(FLOPS) && known && known->formula != tg_flops_none;
    const double flops = has_flops ? flops_of((tg_FlopsFormula)known->formula, y, inputs, count) : 0;
    if (is_on(MEMORY)) tell_memory(log, e, known ? known->name : NULL, now, y, inputs, count);
    if (is_own) {
        e->has_own_op = true;
        e->sequence = sequence;
        e->shapes = shapes;
        e->flops = flops;
        return;
    }
    /* A view takes no time: what was computed since the last event is the parent's, a kernel of its own. */
    if (is_view(y, inputs, count)) e->cursor = now, e->bytes_at_cursor = tg_thread.live_bytes;
    const int64_t total = now - e->cursor, bytes = tg_thread.live_bytes - e->bytes_at_cursor;
    const bool is_outermost = is_outermost_at_site(log, e->site, log->depth - 1);
    if (is_on(SUMS) && known && known->name) {
        occupy(log);
        add_to_sum(log, (tg_EventSum){.name = known->name,
                                      .site = e->site,
                                      .module = e->module,
                                      .kind = tg_event_op,
                                      .backward = e->backward,
                                      .own = total,
                                      .shown_own = total,
                                      .total = total,
                                      .at_site = is_outermost ? total : 0,
                                      .bytes = bytes,
                                      .own_bytes = bytes,
                                      .flops = flops});
        leave_free(log);
    }
    if (is_on(RECORDS) && known && known->name) {
        const tg_Event event = {
            .name = known->name,
            .site = e->site,
            .module = e->module,
            .shapes = shapes,
            .stack = is_on(STACK) ? stack_text(log, e->site, log->depth - 1) : NULL,
            .start = e->cursor,
            .end = now,
            .flops = flops,
            .sequence = sequence,
            .bytes = bytes,
            .own_bytes = bytes,
            .thread = log->number,
            .depth = (int16_t)(e->depth + 1),
            .kind = tg_event_op,
            .backward = e->backward,
            .outermost_at_site = is_outermost,
        };
        write_event(log, &event);
    }
    e->child_flops += flops;
    add_to_parent(e, total, total, bytes, now);
}

static void storage_changes(const void *storage, int64_t bytes, bool is_new) {
    if (!is_on(MEMORY)) return;
    Log *log = log_of_thread();
    if (!log) return;
    const Entry *e = top(log);
    const tg_MemoryEvent event = {
        .time = tg_profiler_clock(),
        .bytes = bytes,
        .storage = storage,
        .name = e->name,
        .site = e->site,
        .module = e->module,
        .action = is_new ? tg_memory_new : tg_memory_freed,
        .backward = e->backward,
        .category = e->in_step    ? tg_memory_optimizer_state
                    : e->backward ? tg_memory_autograd_detail
                                  : tg_memory_temporary,
    };
    keep_memory(log, &event);
}

static void thread_ends(void) {
    if (!own_log) return;
    pthread_mutex_lock(&lock);
    own_log->in_use = false;
    pthread_mutex_unlock(&lock);
    own_log = NULL;
}

/* ---- starting and stopping ---- */

static const tg_ProfilerHooks hooks = {enter, leave, begin, end, op_ends, storage_changes, thread_ends};

static void set_hooks(bool on) {
    __atomic_store_n(&tg_profiler_hooks, on ? &hooks : NULL, __ATOMIC_RELEASE);
}

bool tg_recorder_start(const tg_RecorderOptions *given) {
    tg_choose_clock();
    pthread_mutex_lock(&lock);
    const bool free_now = !is_on(RECORDS) || is_of_program;
    if (free_now) {
        __atomic_and_fetch(&flags, is_on(SUMS) ? SUMS | FLOPS : 0, __ATOMIC_RELEASE);
        is_of_program = false;
        const int says = RECORDS | (given->shapes ? SHAPES : 0) | (given->stack ? STACK : 0) |
                         (given->flops ? FLOPS : 0) | (given->memory ? MEMORY : 0);
        __atomic_add_fetch(&session, 1, __ATOMIC_ACQ_REL);
        __atomic_or_fetch(&flags, says, __ATOMIC_RELEASE);
        started = tg_profiler_clock();
        set_hooks(true);
    }
    pthread_mutex_unlock(&lock);
    return free_now || tg_fail("Profiler is already enabled: one profile records at a time");
}

static int64_t count_events(const Log *log, int64_t *memory) {
    int64_t count = 0;
    for (const EventChunk *chunk = log->first; chunk; chunk = chunk->next) count += chunk->count;
    for (const MemoryChunk *chunk = log->first_memory; chunk; chunk = chunk->next) *memory += chunk->count;
    return count;
}

static void copy_events(const Log *log, tg_Recording *to) {
    for (const EventChunk *chunk = log->first; chunk; chunk = chunk->next)
        for (int64_t i = 0; i < chunk->count; i++) to->events[to->count++] = chunk->items[i];
    for (const MemoryChunk *chunk = log->first_memory; chunk; chunk = chunk->next)
        for (int64_t i = 0; i < chunk->count; i++) to->memory[to->memory_count++] = chunk->items[i];
}

static int by_start(const void *left, const void *right) {
    const tg_Event *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->thread != b->thread) return a->thread < b->thread ? -1 : 1;
    if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

static int by_time(const void *left, const void *right) {
    const tg_MemoryEvent *a = left, *b = right;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

bool tg_recorder_stop(tg_Recording *recording) {
    *recording = (tg_Recording){.start = started};
    pthread_mutex_lock(&lock);
    recording->end = tg_profiler_clock();
    __atomic_and_fetch(&flags, is_on(SUMS) ? SUMS | FLOPS : 0, __ATOMIC_RELEASE);
    set_hooks(is_on(SUMS));
    int64_t count = 0, memory_count = 0;
    for (Log *log = logs; log; log = log->next) {
        occupy(log); /* until its events are copied */
        if (log->session == session) count += count_events(log, &memory_count);
    }
    recording->events = malloc((size_t)(count + 1) * sizeof *recording->events);
    recording->memory = malloc((size_t)(memory_count + 1) * sizeof *recording->memory);
    const bool ok = recording->events && recording->memory;
    for (Log *log = logs; log; log = log->next) {
        if (log->session == session) {
            recording->lost += log->lost;
            if (ok) copy_events(log, recording);
            free_chunks(log);
        }
        leave_free(log);
    }
    pthread_mutex_unlock(&lock);
    if (!ok) {
        tg_recording_free(recording);
        return tg_fail("out of memory: the events of a profile");
    }
    qsort(recording->events, (size_t)recording->count, sizeof *recording->events, by_start);
    qsort(recording->memory, (size_t)recording->memory_count, sizeof *recording->memory, by_time);
    return true;
}

void tg_recording_free(tg_Recording *recording) {
    free(recording->events);
    free(recording->memory);
    recording->events = NULL;
    recording->memory = NULL;
    recording->count = recording->memory_count = 0;
}

void tg_recorder_start_program(bool with_events) {
    tg_choose_clock();
    pthread_mutex_lock(&lock);
    __atomic_or_fetch(&flags, SUMS | FLOPS | (with_events ? RECORDS | LIMITED | SHAPES : 0), __ATOMIC_RELEASE);
    is_of_program = with_events;
    started = tg_profiler_clock();
    set_hooks(true);
    pthread_mutex_unlock(&lock);
}

static bool is_same(const tg_EventSum *a, const tg_EventSum *b) {
    return a->name == b->name && a->site == b->site && a->module == b->module && a->backward == b->backward;
}

static void merge(tg_EventSum *sums, int64_t *count, const tg_EventSum *more) {
    for (int64_t i = 0; i < *count; i++) {
        tg_EventSum *sum = &sums[i];
        if (!is_same(sum, more)) continue;
        sum->calls += more->calls;
        sum->own += more->own;
        sum->shown_own += more->shown_own;
        sum->total += more->total;
        sum->at_site += more->at_site;
        sum->bytes += more->bytes;
        sum->own_bytes += more->own_bytes;
        sum->flops += more->flops;
        return;
    }
    sums[(*count)++] = *more;
}

tg_EventSum *tg_recorder_stop_program(int64_t *count, bool *has_events, tg_Recording *recording) {
    *has_events = is_of_program && tg_recorder_stop(recording);
    pthread_mutex_lock(&lock);
    __atomic_store_n(&flags, 0, __ATOMIC_RELEASE);
    set_hooks(false);
    size_t most = 1;
    for (Log *log = logs; log; log = log->next) {
        occupy(log);
        most += log->sum_count;
    }
    tg_EventSum *sums = malloc(most * sizeof *sums);
    *count = 0;
    for (Log *log = logs; log; log = log->next) {
        for (size_t i = 0; sums && i < log->sum_count; i++) merge(sums, count, &log->sums[i]);
        leave_free(log);
    }
    pthread_mutex_unlock(&lock);
    return sums;
}
