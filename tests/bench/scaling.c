/* tests/bench/scaling.c: how the cost of a training step grows: with the threads, with the batch and with the
 * layers. */
#include <stdio.h>
#include <string.h>

#include "bench.h"

enum { SIZES = 5 };

/* The straight line through the points (least squares), and how much of their variation it explains: R^2. */
static void fit(const double *x, const double *y, double *slope, double *start, double *r2) {
    double mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (int i = 0; i < SIZES; i++) mx += x[i] / SIZES, my += y[i] / SIZES;
    for (int i = 0; i < SIZES; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    *slope = xy / xx;
    *start = my - *slope * mx;
    *r2 = xy * xy / (xx * yy);
}

static bool report_growth(const char *name, const double *sizes, const Case *steps, double seconds, int threads) {
    double ms[SIZES], slope, start, r2;
    Timing t;
    for (int i = 0; i < SIZES; i++) {
        if (!time_case(&steps[i], threads, seconds, &t)) return false;
        ms[i] = 1e3 * t.median;
    }
    fit(sizes, ms, &slope, &start, &r2);
    printf("{\"name\":\"%s\",\"threads\":%d,\"sizes\":[", name, threads);
    for (int i = 0; i < SIZES; i++) printf("%s%g", i ? "," : "", sizes[i]);
    printf("],\"median_ms\":[");
    for (int i = 0; i < SIZES; i++) printf("%s%.5g", i ? "," : "", ms[i]);
    printf("],\"ms_each\":%.4g,\"ms_fixed\":%.4g,\"r2\":%.5f}\n", slope, start, r2);
    fflush(stdout);
    return true;
}

/* In alternation, so that both see the same conditions: the ratio of the sums of a few medians. */
static bool report_speedup(const char *name, double seconds, int threads) {
    const Case *line = find_case(name);
    Timing one, all;
    double ones = 0, alls = 0;
    for (int round = 0; round < 2; round++) {
        if (!time_case(line, 1, seconds, &one) || !time_case(line, threads, seconds, &all)) return false;
        ones += one.median;
        alls += all.median;
    }
    printf("{\"name\":\"%s\",\"threads\":%d,\"one_ms\":%.5g,\"median_ms\":%.5g,\"speedup\":%.3f}\n", name, threads,
           500 * ones, 500 * alls, ones / alls);
    return true;
}

static bool is_asked_for(const char *name, char *const *names, int count) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return count == 0;
}

bool report_scaling(double seconds, int threads, char *const *names, int count) {
    static const char *const models[] = {"B003.step", "C.step", "D12.step"};
    const double batches[SIZES] = {8, 16, 24, 32, 40}, layers[SIZES] = {2, 4, 6, 8, 10};
    Case by_batch[SIZES], by_layers[SIZES];
    for (int i = 0; i < SIZES; i++) {
        by_batch[i] = step_of_size(6, (int64_t)batches[i]);
        by_layers[i] = step_of_size((int64_t)layers[i], 32);
    }
    bool ok =
        !is_asked_for("batch", names, count) || report_growth("B003 by batch", batches, by_batch, seconds, threads);
    ok = ok && (!is_asked_for("layers", names, count) ||
                report_growth("B003 by layers", layers, by_layers, seconds, threads));
    for (int i = 0; i < 3; i++)
        ok = ok && (!is_asked_for(models[i], names, count) || report_speedup(models[i], seconds, threads));
    return ok;
}
