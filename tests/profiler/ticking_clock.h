/* tests/profiler/ticking_clock.h: a clock of the profiler that goes on by a microsecond at each reading, so that what
 * is recorded does not depend on the machine. */
#ifndef TAPEGRAD_TESTS_PROFILER_TICKING_CLOCK_H
#define TAPEGRAD_TESTS_PROFILER_TICKING_CLOCK_H

void use_ticking_clock(void); /* from 0 on */
void use_clock_before(void);  /* also ends what TAPEGRAD_PROFILE begins */

#endif
