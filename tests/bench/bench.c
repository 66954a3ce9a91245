/* tests/bench/bench.c: times training steps (models.c) and single operations (ops.c), one line of JSON each.
 *
 *     bench [NAME...] [--threads N] [--seconds S] [--processor-time] [--list] [--scaling] [--profiling]
 *
 * A NAME is a line's ("A.step") or the beginning of one up to a point or a dash ("A", "linear"); none: all lines.
 * Without
 * --threads each is run with 1 thread and with all processors. --scaling says instead how a
 * step grows (scaling.c; NAME: batch, layers, B003.step, C.step, D12.step), --profiling what a profiler costs
 * (profiling.c). Every line runs in a process of its own:
 * its memory is the growth of the peak resident size since before the thing was built, and no line inherits another's
 * caches. */
#define _GNU_SOURCE /* clocks, processes */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"

enum { MOST_CASES = 256, MOST_RUNS = 4000 };

static Case cases[MOST_CASES];
static int case_count;

void add_case(Case line) {
    if (case_count == MOST_CASES) abort();
    cases[case_count++] = line;
}

/* --processor-time: of the process, so that with 1 thread others on the machine matter less. */
static clockid_t clock_used = CLOCK_MONOTONIC;

double seconds_now(void) {
    struct timespec t;
    clock_gettime(clock_used, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- one line ---- */

static double peak_memory(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The quantile of the values, interpolated between two of them. */
double quantile(double *values, int count, double share) {
    double position = share * (count - 1);
    int below = (int)position;
    qsort(values, (size_t)count, sizeof *values, by_size);
    return below + 1 < count ? values[below] + (position - below) * (values[below + 1] - values[below]) : values[below];
}

static int least_runs(double seconds_each) {
    return seconds_each > 5 ? 2 : seconds_each > 2 ? 3 : 5;
}

/* Runs for about that many seconds, but at least 5 times (what takes longer than 2 seconds 3 times, than 5 seconds
 * twice). The first runs, in which memory is touched for the first time, are not counted: one, or as many as fit into a
 * twentieth of the time. The processor's peak is measured between the runs, in a thirtieth of the time, since it varies
 * on a shared machine. */
static Timing time_here(const Case *line, double seconds) {
    static double runs[MOST_RUNS], peaks[MOST_RUNS];
    int count = 0, probes = 0;
    double before = peak_memory(), running = 0, probing = 0;
    void *state = line->build(line);
    double begin = seconds_now();
    do line->run(state);
    while (seconds_now() - begin < seconds / 20);
    begin = seconds_now();
    for (double now = begin, then; count < MOST_RUNS; now = then) {
        double passed = now - begin;
        if (passed >= seconds && count >= least_runs(passed / count)) break;
        runs[count++] = line->run(state);
        then = seconds_now();
        running += then - now;
        for (; probing < running / 30 && probes < MOST_RUNS; then = now) {
            peaks[probes++] = measure_gflops();
            now = seconds_now();
            probing += now - then;
        }
    }
    double memory = peak_memory() - before;
    while (probes < 5) peaks[probes++] = measure_gflops();
    return (Timing){quantile(runs, count, 0.25), quantile(runs, count, 0.5), quantile(runs, count, 0.75), memory,
                    quantile(peaks, probes, 0.5), quantile(peaks, probes, 1)};
}

bool time_case(const Case *line, int threads, double seconds, Timing *timing) {
    int ends[2], status;
    fflush(stdout);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0) return false;
    if (child == 0) {
        t_set_num_threads(threads);
        Timing t = time_here(line, seconds);
        _exit(write(ends[1], &t, sizeof t) == sizeof t ? 0 : 1);
    }
    close(ends[1]);
    bool ok = read(ends[0], timing, sizeof *timing) == sizeof *timing;
    close(ends[0]);
    return waitpid(child, &status, 0) == child && status == 0 && ok;
}

static bool report(const Case *line, int threads, double seconds) {
    Timing t;
    double copy = measure_copy_gbs(threads, line->bytes);
    if (!time_case(line, threads, seconds, &t)) return false;
    double after = measure_copy_gbs(threads, line->bytes);
    if (after > copy) copy = after;
    double gflops = line->flop / t.median / 1e9, gbs = line->bytes / t.median / 1e9;
    printf("{\"name\":\"%s\",\"threads\":%d,\"median_ms\":%.5g,\"q1_ms\":%.5g,\"q3_ms\":%.5g,\"gflops\":%.4g,"
           "\"peak_percent\":%.1f,\"memory_mib\":%.1f,\"peak_gflops\":%.4g,\"best_gflops\":%.4g",
           line->name, threads, 1e3 * t.median, 1e3 * t.q1, 1e3 * t.q3, gflops, 100 * gflops / t.peak, t.memory, t.peak,
           t.best);
    if (copy > 0) printf(",\"gbs\":%.4g,\"copy_percent\":%.1f,\"copy_gbs\":%.4g", gbs, 100 * gbs / copy, copy);
    printf("}\n");
    fflush(stdout);
    return true;
}

/* ---- which lines ---- */

static bool is_meant(const Case *line, char **names, int count) {
    for (int i = 0; i < count; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(line->name, names[i], n) == 0 && strchr(".-", line->name[n])) return true;
    }
    return count == 0 && !line->on_request;
}

const Case *find_case(const char *name) {
    for (int i = 0; i < case_count; i++)
        if (strcmp(cases[i].name, name) == 0) return &cases[i];
    return NULL;
}

static int usage(void) {
    fprintf(stderr, "usage: bench [NAME...] [--threads N] [--seconds S] [--processor-time] [--list] [--scaling] "
            "[--profiling]\n");
    return 2;
}

int main(int argc, char **argv) {
    int threads = 0, names = 0;
    double seconds = 0.7;
    bool list = false, scaling = false, profiling = false, ok = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) threads = atoi(argv[++i]);
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) seconds = atof(argv[++i]);
        else if (strcmp(argv[i], "--processor-time") == 0) clock_used = CLOCK_PROCESS_CPUTIME_ID;
        else if (strcmp(argv[i], "--list") == 0) list = true;
        else if (strcmp(argv[i], "--scaling") == 0) scaling = true;
        else if (strcmp(argv[i], "--profiling") == 0) profiling = true;
        else if (argv[i][0] == '-') return usage();
        else argv[names++] = argv[i];
    }
    add_models();
    add_networks();
    add_ops();
    int all = (int)sysconf(_SC_NPROCESSORS_ONLN), found = 0;
    if (scaling) return report_scaling(seconds, threads ? threads : all, argv, names) ? 0 : 1;
    for (int i = 0; i < case_count; i++) {
        const Case *line = &cases[i];
        if (!is_meant(line, argv, names)) continue;
        found++;
        if (list) printf("%s\n", line->name);
        else if (profiling) ok = report_profiling(line, seconds) && ok;
        else if (threads) ok = report(line, threads, seconds) && ok;
        else ok = report(line, 1, seconds) && (all == 1 || report(line, all, seconds)) && ok;
    }
    if (found == 0) return fprintf(stderr, "bench: no such line; --list names them\n"), 2;
    return ok ? 0 : 1;
}
