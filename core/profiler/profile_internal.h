/* core/profiler/profile_internal.h: a profile, and lists of events (internal). */
#ifndef TAPEGRAD_CORE_PROFILER_PROFILE_INTERNAL_H
#define TAPEGRAD_CORE_PROFILER_PROFILE_INTERNAL_H

#include "core/profiler/recorder.h"

struct profiler_profile {
    t_Object object;
    profiler_ProfileOptions o;
    bool is_running, is_recording; /* between start and stop; the recorder is on */
    profiler_ProfilerAction action;
    int64_t step_num;
    int step;               /* the token of ProfilerStep#... */
    tg_Recording recording; /* the last one that ended */
    char texts[2][1024];    /* copies of the options' */
};

bool tg_check_profile(const profiler_profile *prof, int position);
/* The recording of a profile that has recorded; NULL with an error set. */
const tg_Recording *tg_recording_of(const profiler_profile *prof);

struct profiler_EventList {
    t_Object object;
    int64_t count, capacity;
    /* what its table shows */
    bool has_memory, has_flops, has_directions; /* directions: the columns Forward and Backward */
    profiler_FunctionEvent *items;
};
/* An empty list with a capacity; NULL with an error set. */
profiler_EventList *tg_event_list(int64_t capacity);
bool tg_check_event_list(const profiler_EventList *events, int position);

/* The rows of a list of sums, for TAPEGRAD_PROFILE; by: as profiler_KeyAveragesOptions. */
profiler_EventList *tg_sums_by_name(const tg_EventSum *sums, int64_t count);
profiler_EventList *tg_sums_by_module(const tg_EventSum *sums, int64_t count);
profiler_EventList *tg_sums_by_line(const tg_EventSum *sums, int64_t count);

#endif
