/* core/profiler/thread_log.c: the logs of threads, and what is in them. See thread_log.h. */
#include "core/profiler/thread_log.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

_Thread_local ThreadLog *tg_own_log;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static ThreadLog *logs;
static int32_t threads;

int tg_recorder_flags;
int64_t tg_recorder_session;

ThreadLog *tg_lock_logs(void) {
    pthread_mutex_lock(&lock);
    return logs;
}
void tg_unlock_logs(void) {
    pthread_mutex_unlock(&lock);
}

void tg_wait_for_log(ThreadLog *log) {
    do sched_yield();
    while (__atomic_exchange_n(&log->busy, 1, __ATOMIC_ACQUIRE));
}

void tg_leave_log(void) {
    if (!tg_own_log) return;
    pthread_mutex_lock(&lock);
    tg_own_log->in_use = false;
    pthread_mutex_unlock(&lock);
    tg_own_log = NULL;
}

/* Also the log of a thread that has ended is used again, under the new thread's number. */
static ThreadLog *new_log(void) {
    pthread_mutex_lock(&lock);
    ThreadLog *log = logs;
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
        log->quiet = NULL;
    }
    pthread_mutex_unlock(&lock);
    return tg_own_log = log;
}

bool tg_grow_stack(ThreadLog *log) {
    if (log->depth > 0xffff) return false;
    const int capacity = log->capacity ? 2 * log->capacity : 64;
    StackEntry *stack = realloc(log->stack, (size_t)capacity * sizeof *stack);
    if (!stack) return false;
    log->stack = stack;
    log->capacity = capacity;
    return true;
}

/* ---- a recording ---- */

void tg_empty_log(ThreadLog *log) {
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
    free(log->details);
    log->details = NULL;
    log->detail_count = log->detail_capacity = 0;
    log->first = log->last = NULL;
    log->first_memory = log->last_memory = NULL;
    log->lost = log->events = 0;
}

/* A recording has begun since the thread's last event. */
static void begin_session(ThreadLog *log, int64_t now) {
    tg_occupy_log(log);
    tg_empty_log(log);
    log->session = __atomic_load_n(&tg_recorder_session, __ATOMIC_ACQUIRE);
    tg_free_log(log);
    if (!tg_recorder_is_on(TG_SUMS)) { /* what began before is not seen to end */
        log->depth = 0;
        log->quiet = NULL;
    }
    for (int i = 0; i < log->depth; i++) log->stack[i].cursor = log->stack[i].start = now;
}

ThreadLog *tg_prepare_log(void) {
    ThreadLog *log = tg_own_log ? tg_own_log : new_log();
    if (!log) return NULL;
    if (log->session != __atomic_load_n(&tg_recorder_session, __ATOMIC_ACQUIRE))
        begin_session(log, tg_profiler_clock());
    if (log->depth > 0) return log;
    StackEntry *root = tg_push_entry(log);
    if (!root) return NULL;
    root->kind = tg_event_function;
    root->depth = -1;
    root->start = root->cursor = tg_profiler_clock();
    root->bytes = root->bytes_at_cursor = tg_thread.live_bytes;
    return log;
}

bool tg_add_event_chunk(ThreadLog *log) {
    const bool is_full = tg_recorder_is_on(TG_LIMITED) && log->events >= TG_MOST_PROGRAM_EVENTS;
    EventChunk *chunk = is_full ? NULL : log->unused;
    if (chunk)
        log->unused = chunk->next;
    else if (!is_full)
        chunk = malloc(sizeof *chunk);
    log->events += TG_LOG_CHUNK;
    if (!chunk) {
        log->lost++;
        return false;
    }
    chunk->next = NULL;
    chunk->count = 0;
    if (log->last)
        log->last->next = chunk;
    else
        log->first = chunk;
    log->last = chunk;
    return true;
}

void tg_set_details(ThreadLog *log, LogEvent *event, const char *shapes, const char *stack, double flops) {
    event->details = 0;
    if (!shapes && !stack && flops <= 0) return;
    if (log->detail_count == log->detail_capacity) {
        const uint32_t capacity = log->detail_capacity ? 2 * log->detail_capacity : 1024;
        EventDetails *details = realloc(log->details, capacity * sizeof *details);
        if (!details) return;
        log->details = details;
        log->detail_capacity = capacity;
    }
    log->details[log->detail_count++] = (EventDetails){shapes, stack, flops};
    event->details = log->detail_count;
}

void tg_keep_memory_event(ThreadLog *log, const tg_MemoryEvent *event) {
    tg_occupy_log(log);
    if (tg_recorder_is_on(TG_RECORDS) && log->session == __atomic_load_n(&tg_recorder_session, __ATOMIC_ACQUIRE)) {
        MemoryChunk *chunk = log->last_memory;
        if (!chunk || chunk->count == TG_LOG_CHUNK) {
            const bool is_full = tg_recorder_is_on(TG_LIMITED) && log->memory_events >= TG_MOST_PROGRAM_EVENTS;
            chunk = is_full ? NULL : malloc(sizeof *chunk);
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
    tg_free_log(log);
}

/* ---- reading it ---- */

void tg_count_log_events(const ThreadLog *log, int64_t *events, int64_t *memory) {
    for (const EventChunk *chunk = log->first; chunk; chunk = chunk->next) *events += chunk->count;
    for (const MemoryChunk *chunk = log->first_memory; chunk; chunk = chunk->next) *memory += chunk->count;
}

static tg_Event event_of(const ThreadLog *log, const LogEvent *e) {
    const EventDetails none = {0}, *details = e->details ? &log->details[e->details - 1] : &none;
    return (tg_Event){
        .name = e->name,
        .site = e->site,
        .module = e->module,
        .shapes = details->shapes,
        .stack = details->stack,
        .start = e->start,
        .end = e->end,
        .bytes = e->bytes,
        .own_bytes = e->bytes,
        .flops = details->flops,
        .sequence = e->sequence,
        .thread = log->number,
        .depth = e->depth,
        .kind = e->kind,
        .backward = e->backward,
        .outermost_at_site = e->outermost_at_site,
    };
}

/* An event comes after its children, which are those one deeper that have no parent yet. (An older one, of a call that
 * an error handler left, has none.) open: the indices of events without a parent. */
static void add_children(tg_Event *events, int64_t at, int64_t *open, int64_t *open_count) {
    tg_Event *e = &events[at];
    for (; *open_count > 0; (*open_count)--) {
        const tg_Event *child = &events[open[*open_count - 1]];
        if (child->depth <= e->depth) break;
        if (child->depth != e->depth + 1 || child->start < e->start) continue;
        const int64_t duration = child->end - child->start;
        e->children += duration;
        e->shown_children += tg_is_shown(child->kind) ? duration : child->shown_children;
        e->own_bytes -= child->bytes;
    }
    open[(*open_count)++] = at;
}

bool tg_copy_log_events(const ThreadLog *log, tg_Recording *to) {
    int64_t count = 0, memory = 0, open_count = 0;
    tg_count_log_events(log, &count, &memory);
    int64_t *open = malloc((size_t)(count + 1) * sizeof *open);
    if (!open) return false;
    for (const EventChunk *chunk = log->first; chunk; chunk = chunk->next)
        for (int64_t i = 0; i < chunk->count; i++) {
            to->events[to->count] = event_of(log, &chunk->items[i]);
            add_children(to->events, to->count++, open, &open_count);
        }
    free(open);
    for (const MemoryChunk *chunk = log->first_memory; chunk; chunk = chunk->next)
        for (int64_t i = 0; i < chunk->count; i++) to->memory[to->memory_count++] = chunk->items[i];
    return true;
}
