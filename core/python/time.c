/* core/python/time.c: Python's clocks. */
#include "core/python/time.h"

#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double time_time(void) {
    return seconds(CLOCK_REALTIME);
}

double time_perf_counter(void) {
    return seconds(CLOCK_MONOTONIC);
}
