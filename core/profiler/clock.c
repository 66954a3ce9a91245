/* core/profiler/clock.c: the recorder's clock. An op may take less than a microsecond, and reading clock_gettime twice
 * takes a tenth of that; the processor's time stamp counter takes a third as long. It is used where it runs at one rate
 * on all cores (Intel's and AMD's "invariant TSC"), which is measured at the first use, for two milliseconds. */
#include <pthread.h>
#include <time.h>

#include "core/profiler/recorder.h"

static int64_t system_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t (*tg_profiler_clock)(void) = system_clock;

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>

static uint64_t first_count;
static int64_t first_time;
static double scale; /* nanoseconds a count */

static int64_t counter_clock(void) {
    return first_time + (int64_t)((double)(int64_t)(__rdtsc() - first_count) * scale);
}

/* Both clocks at one moment: of several readings that which the thread was interrupted in least. */
static void read_both(int64_t *time, uint64_t *count) {
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        const uint64_t before = __rdtsc();
        const int64_t now = system_clock();
        const uint64_t after = __rdtsc();
        if (after - before >= least) continue;
        least = after - before;
        *time = now;
        *count = before + (after - before) / 2;
    }
}

static void choose_clock(void) {
    enum { NANOSECONDS = 2000000, INVARIANT = 1 << 8 };
    unsigned a, b, c, d;
    if (tg_profiler_clock != system_clock || !__get_cpuid(0x80000007u, &a, &b, &c, &d) || !(d & INVARIANT)) return;
    int64_t time;
    uint64_t count;
    read_both(&first_time, &first_count);
    do read_both(&time, &count);
    while (time - first_time < NANOSECONDS);
    if (count <= first_count) return;
    scale = (double)(time - first_time) / (double)(count - first_count);
    tg_profiler_clock = counter_clock;
}
#else
static void choose_clock(void) {
}
#endif

void tg_choose_clock(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, choose_clock);
}
