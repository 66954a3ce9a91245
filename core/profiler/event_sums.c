/* core/profiler/event_sums.c: the index of a thread's sums, and those of all threads together. */
#include "core/profiler/event_sums.h"

#include <stdlib.h>

bool tg_grow_sums(ThreadLog *log) {
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
        size_t at = tg_sum_slot(log, sums[i].name, sums[i].site, sums[i].module);
        while (index[at]) at = (at + 1) & (capacity - 1);
        index[at] = (uint32_t)i + 1;
    }
    return true;
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

tg_EventSum *tg_merge_sums(const ThreadLog *logs, int64_t *count) {
    size_t most = 1;
    for (const ThreadLog *log = logs; log; log = log->next) most += log->sum_count;
    tg_EventSum *sums = malloc(most * sizeof *sums);
    *count = 0;
    for (const ThreadLog *log = logs; sums && log; log = log->next)
        for (size_t i = 0; i < log->sum_count; i++) merge(sums, count, &log->sums[i]);
    return sums;
}
