/* tests/bench/bench.h: shared by the parts of the benchmark. README.md says how to run it. */
#ifndef TAPEGRAD_TESTS_BENCH_H
#define TAPEGRAD_TESTS_BENCH_H

#include <stddef.h>

#include "core/core.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* One line of the report. It runs in a process of its own. */
typedef struct Case {
    const char *name;                       /* "A.step" */
    double flop, bytes; /* of one run: multiplications and additions, bytes that must be read or written */
    void *(*build)(const struct Case *);    /* makes what the run needs, untimed */
    double (*run)(void *state);             /* one run; returns the seconds per repetition of the timed part */
    const void *of;                         /* for build */
    bool on_request;                        /* runs only where its name is given */
} Case;

typedef struct Timing {
    double q1, median, q3; /* seconds */
    double memory;         /* MiB: growth of the peak resident size */
    double peak, best;     /* GFLOP/s of the processor between the runs: the median, the most */
} Timing;

void add_case(Case line);
double seconds_now(void);
double quantile(double *values, int count, double share); /* sorts them */
bool time_case(const Case *line, int threads, double seconds, Timing *timing); /* in a process of its own */
bool report_scaling(double seconds, int threads, char *const *names, int count); /* scaling.c */
bool report_profiling(const Case *line, double seconds); /* profiling.c */

void add_models(void); /* models.c */
void add_networks(void); /* networks.c */
Case step_of_size(int64_t layers, int64_t batch); /* B003's step at that size */
void add_ops(void);    /* ops.c */
const Case *find_case(const char *name);

/* machine.c: what the library's threads reach in multiply-adds that need no memory, for about half a millisecond; and
 * how fast that many threads copy, with `bytes` read or written in all (0 for too few). */
double measure_gflops(void);
double measure_copy_gbs(int threads, double bytes);

#endif
