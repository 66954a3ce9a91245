/* tests/profiler/ticking_clock.c: see ticking_clock.h. */
#define _POSIX_C_SOURCE 200809L /* unsetenv */
#include "tests/profiler/ticking_clock.h"

#include <stdlib.h>

#include "core/profiler/profile_internal.h"

static int64_t ticks;
static int64_t tick(void) {
    return __atomic_add_fetch(&ticks, 1000, __ATOMIC_RELAXED);
}

static int64_t (*clock_before)(void);

void use_ticking_clock(void) {
    clock_before = tg_profiler_clock;
    tg_profiler_clock = tick;
    ticks = 0;
}

void use_clock_before(void) {
    tg_profiler_clock = clock_before;
    unsetenv("TAPEGRAD_PROFILE");
}
