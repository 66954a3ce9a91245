/* core/pandas/statistics.h: what the statistics of columns, of groups and of windows share (internal). */
#ifndef TAPEGRAD_CORE_PANDAS_STATISTICS_H
#define TAPEGRAD_CORE_PANDAS_STATISTICS_H

#include "core/pandas/column.h"

/* Kahan's sum; the error of an infinite sum is not carried on (inf - inf), as in pandas. */
typedef struct tg_KahanSum {
    double sum, compensation;
} tg_KahanSum;
static inline void tg_kahan_add(tg_KahanSum *s, double x) {
    const double y = x - s->compensation, t = s->sum + y;
    s->compensation = t - s->sum - y;
    if (s->compensation != s->compensation) s->compensation = 0;
    s->sum = t;
}

void tg_sort_doubles(double *values, int64_t count);
double tg_median(double *values, int64_t count); /* sorts them; NaN of none */
/* A column of float64 results, or float32 where they are of such a column. */
tg_Column *tg_column_of_results(Tensor *x, const tg_Column *of);

#endif
