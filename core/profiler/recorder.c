/* core/profiler/recorder.c: starting and stopping: what is recorded, and by whom it is taken. See recorder.h. */
#include "core/profiler/recorder.h"

#include <stdlib.h>

#include "core/profiler/event_sums.h"
#include "core/profiler/thread_log.h"

/* Changed while the logs are locked. */
static int64_t started;
static bool is_of_program; /* what records is TAPEGRAD_PROFILE */

static void set_hooks(bool on) {
    __atomic_store_n(&tg_profiler_hooks, on ? &tg_recorder_hooks : NULL, __ATOMIC_RELEASE);
}

bool tg_recorder_start(const tg_RecorderOptions *given) {
    tg_choose_clock();
    tg_lock_logs();
    const bool free_now = !tg_recorder_is_on(TG_RECORDS) || is_of_program;
    if (free_now) {
        __atomic_and_fetch(&tg_recorder_flags, tg_recorder_is_on(TG_SUMS) ? TG_SUMS | TG_FLOPS : 0, __ATOMIC_RELEASE);
        is_of_program = false;
        const int says = TG_RECORDS | (given->shapes ? TG_SHAPES : 0) | (given->stack ? TG_STACK : 0) |
                         (given->flops ? TG_FLOPS : 0) | (given->memory ? TG_MEMORY : 0);
        __atomic_add_fetch(&tg_recorder_session, 1, __ATOMIC_ACQ_REL);
        __atomic_or_fetch(&tg_recorder_flags, says, __ATOMIC_RELEASE);
        started = tg_profiler_clock();
        set_hooks(true);
    }
    tg_unlock_logs();
    return free_now || tg_fail("Profiler is already enabled: one profile records at a time");
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
    ThreadLog *logs = tg_lock_logs();
    recording->end = tg_profiler_clock();
    __atomic_and_fetch(&tg_recorder_flags, tg_recorder_is_on(TG_SUMS) ? TG_SUMS | TG_FLOPS : 0, __ATOMIC_RELEASE);
    set_hooks(tg_recorder_is_on(TG_SUMS));
    int64_t count = 0, memory_count = 0;
    for (ThreadLog *log = logs; log; log = log->next) {
        tg_occupy_log(log); /* until its events are copied */
        if (log->session == tg_recorder_session) tg_count_log_events(log, &count, &memory_count);
    }
    recording->events = malloc((size_t)(count + 1) * sizeof *recording->events);
    recording->memory = malloc((size_t)(memory_count + 1) * sizeof *recording->memory);
    bool ok = recording->events && recording->memory;
    for (ThreadLog *log = logs; log; log = log->next) {
        if (log->session == tg_recorder_session) {
            recording->lost += log->lost;
            ok = ok && tg_copy_log_events(log, recording);
            tg_empty_log(log);
        }
        tg_free_log(log);
    }
    tg_unlock_logs();
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

void tg_recorder_start_program(bool with_events, bool with_memory) {
    const bool records = with_events || with_memory;
    tg_choose_clock();
    tg_lock_logs();
    __atomic_or_fetch(&tg_recorder_flags,
                      TG_SUMS | TG_FLOPS | (records ? TG_RECORDS | TG_LIMITED : 0) | (with_events ? TG_SHAPES : 0) |
                          (with_memory ? TG_MEMORY : 0),
                      __ATOMIC_RELEASE);
    is_of_program = records;
    started = tg_profiler_clock();
    set_hooks(true);
    tg_unlock_logs();
}

tg_EventSum *tg_recorder_stop_program(int64_t *count, bool *has_events, tg_Recording *recording) {
    *has_events = is_of_program && tg_recorder_stop(recording);
    ThreadLog *logs = tg_lock_logs();
    __atomic_store_n(&tg_recorder_flags, 0, __ATOMIC_RELEASE);
    set_hooks(false);
    for (ThreadLog *log = logs; log; log = log->next) tg_occupy_log(log);
    tg_EventSum *sums = tg_merge_sums(logs, count);
    for (ThreadLog *log = logs; log; log = log->next) tg_free_log(log);
    tg_unlock_logs();
    return sums;
}
