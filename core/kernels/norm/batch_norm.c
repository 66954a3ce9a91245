/* core/kernels/norm/batch_norm.c: batch norm and group norm: dispatch, and the combination of rows into sets;
 * batch_norm.inc has the formulas. */
#include "core/kernels/norm/batch_norm.h"

#include <math.h>
#include <string.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

/* ---- sets ---- */

static int64_t set_count(const tg_BatchNorm *z) {
    return z->over_batch ? z->C : z->N * z->groups;
}

static int64_t set_size(const tg_BatchNorm *z) {
    return z->over_batch ? z->N * z->L : z->groups ? z->C / z->groups * z->L : 0;
}

/* The set of a row. */
static int64_t set_of(const tg_BatchNorm *z, int64_t row) {
    return z->over_batch ? row % z->C : row / (z->C / z->groups);
}

#define UP_TO_AVX2
#define KERNEL "core/kernels/norm/batch_norm.inc"
#include "core/kernels/dispatch.inc"

/* The rows of a set: first, first + step, ..., `count` of them. */
typedef struct Rows {
    int64_t first, step, count;
} Rows;

static Rows rows_of(const tg_BatchNorm *z, int64_t set) {
    if (z->over_batch) return (Rows){set, z->C, z->N};
    const int64_t count = z->C / z->groups;
    return (Rows){set * count, 1, count};
}

static int64_t grain(int64_t elements) { /* of items of so many elements each */
    const int64_t units = 16384 / (elements > 0 ? elements : 1);
    return units > 0 ? units : 1;
}

static void parallel_rows(tg_BatchNorm *z, tg_ParallelBody f32, tg_ParallelBody f64) {
    tg_parallel(z->N * z->C, grain(z->L), z->f64 ? f64 : f32, z);
}

/* Items are as many columns as possible: the longer the contiguous parts of a sample that a thread reads, the
 * better. */
static void parallel_columns(tg_BatchNorm *z, tg_ParallelBody f32, tg_ParallelBody f64) {
    enum { LINE = 16 };
    const int64_t worth = z->N * z->C / 16384, threads = worth < tg_num_threads() ? worth : tg_num_threads();
    z->unit = threads > 1 ? (z->C + LINE * threads - 1) / (LINE * threads) * LINE : z->C;
    tg_parallel((z->C + z->unit - 1) / z->unit, 1, z->f64 ? f64 : f32, z);
}

#define PICK(f) TG_PICK_UP_TO_AVX2(f##_f32), TG_PICK_UP_TO_AVX2(f##_f64)

/* ---- forward ---- */

/* Mean and variance of a set from those of its rows, by Chan's formula for rows of equal size. */
static void combine_moments(tg_BatchNorm *z, int64_t set) {
    const Rows rows = rows_of(z, set);
    double mean = 0, squares = 0;
    for (int64_t i = 0, row = rows.first; i < rows.count; i++, row += rows.step) mean += z->sums[2 * row];
    mean /= (double)rows.count;
    for (int64_t i = 0, row = rows.first; i < rows.count; i++, row += rows.step) {
        const double off = z->sums[2 * row] - mean;
        squares += z->sums[2 * row + 1] + off * off * (double)z->L;
    }
    z->stats[set * TG_STATS + TG_MEAN] = mean;
    z->stats[set * TG_STATS + TG_VARIANCE] = squares / (double)set_size(z);
}

/* Mean and variance of each set. (The channels of a group are contiguous: pairs of short rows are combined into longer
 * ones.) */
static void compute_moments(const tg_BatchNorm *of) {
    enum { LONG = 2048 };
    tg_BatchNorm z = *of;
    for (int64_t count = rows_of(of, 0).count; !z.over_batch && z.L > 0 && z.L < LONG && count % 2 == 0; count /= 2) {
        z.C /= 2;
        z.L *= 2;
    }
    if (z.L > 0) parallel_rows(&z, PICK(row_moments));
    for (int64_t set = 0; set < set_count(of); set++) combine_moments(&z, set);
}

void tg_batch_norm(tg_BatchNorm *z) {
    const int64_t sets = set_count(z);
    if (z->L == 1 && z->over_batch && z->N > 0) {
        parallel_columns(z, PICK(columns));
        return;
    }
    if (!z->fixed) compute_moments(z);
    for (int64_t set = 0; set < sets; set++)
        z->stats[set * TG_STATS + TG_SCALE] = 1 / sqrt(z->stats[set * TG_STATS + TG_VARIANCE] + z->eps);
    parallel_rows(z, PICK(row_results));
}

/* ---- backward ---- */

static double weight_of(const tg_BatchNorm *z, int64_t row) {
    return z->f64 ? ((const double *)z->weight)[row % z->C] : (double)((const float *)z->weight)[row % z->C];
}

/* The parameters' gradients, in the order of the samples. */
static void sum_parameter_gradients(tg_BatchNorm *z) {
    for (int64_t row = 0, c = 0; row < z->N * z->C; row++, c = c + 1 < z->C ? c + 1 : 0) {
        if (z->dbias) z->dbias[c] += z->sums[2 * row];
        if (z->dweight) z->dweight[c] += z->sums[2 * row + 1];
    }
}

/* The means of g and g z over each set; they overwrite the sums of the first rows: those of set s the sums of row s,
 * which no later set needs. */
static void combine_means(tg_BatchNorm *z) {
    const int64_t sets = set_count(z);
    const double size = (double)set_size(z);
    for (int64_t set = 0; set < sets; set++) {
        const Rows rows = rows_of(z, set);
        double g = 0, gz = 0;
        for (int64_t i = 0, row = rows.first; i < rows.count; i++, row += rows.step) {
            g += z->sums[2 * row] * weight_of(z, row);
            gz += z->sums[2 * row + 1] * weight_of(z, row);
        }
        z->sums[2 * set] = g / size;
        z->sums[2 * set + 1] = gz / size;
    }
}

void tg_batch_norm_backward(tg_BatchNorm *z) {
    if (z->L == 1 && z->over_batch && z->N > 0) {
        parallel_columns(z, PICK(columns_backward));
        return;
    }
    if (!z->fixed || z->dweight || z->dbias) {
        if (z->L > 0) parallel_rows(z, PICK(row_gradients));
        sum_parameter_gradients(z);
    }
    if (!z->dx) return;
    if (!z->fixed) combine_means(z);
    parallel_rows(z, PICK(row_dx));
}
