/* core/profiler/event_sums.h: the sums of events in a thread's log, for TAPEGRAD_PROFILE (internal).
 *
 * Sums are in the order of their first events; an index by hash, of positions + 1, finds them. (What is added is passed
 * as an inline function's argument, so that it stays in registers: this takes half of the time of a profile.) */
#ifndef TAPEGRAD_CORE_PROFILER_EVENT_SUMS_H
#define TAPEGRAD_CORE_PROFILER_EVENT_SUMS_H

#include "core/profiler/thread_log.h"

bool tg_grow_sums(ThreadLog *log);
/* The sums of all threads, in one array; NULL on out of memory. All logs are held. */
tg_EventSum *tg_merge_sums(const ThreadLog *logs, int64_t *count);

static inline size_t tg_sum_slot(const ThreadLog *log, const char *name, const t_Site *site,
                                 const tg_ModulePath *module) {
    const size_t hash = ((size_t)name >> 4) * 0x9e3779b97f4a7c15u ^ ((size_t)site >> 4) * 0xc2b2ae3d27d4eb4fu ^
                        ((size_t)module >> 4) * 0x165667b19e3779f9u;
    return (hash ^ hash >> 29) & (log->index_capacity - 1);
}

/* more: one event. */
__attribute__((always_inline)) static inline void tg_add_to_sum(ThreadLog *log, const tg_EventSum more) {
    log->last_sum = 0;
    if (4 * log->sum_count >= log->index_capacity && !tg_grow_sums(log)) return;
    size_t at = tg_sum_slot(log, more.name, more.site, more.module);
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

#endif
