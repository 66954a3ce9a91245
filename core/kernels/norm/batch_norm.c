/* Norms of channels for every instruction set, and how they are put together; batch_norm.inc explains them. */
#include "core/kernels/norm/batch_norm.h"

#include <math.h>
#include <string.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

/* ---- sets ---- */

static int64_t sets_of(const tg_BatchNorm *z) {
    return z->over_batch ? z->C : z->N * z->groups;
}

static int64_t size_of(const tg_BatchNorm *z) {
    return z->over_batch ? z->N * z->L : z->groups ? z->C / z->groups * z->L : 0;
}

/* Of a row, which is a channel of a sample. */
static int64_t set_of(const tg_BatchNorm *z, int64_t row) {
    return z->over_batch ? row % z->C : row / (z->C / z->groups);
}

#define UP_TO_AVX2
#define KERNEL "core/kernels/norm/batch_norm.inc"
#include "core/kernels/dispatch.inc"

/* The set's rows, in order: row first, first + step, ... `count` of them. */
typedef struct Rows {
    int64_t first, step, count;
} Rows;

static Rows rows_of(const tg_BatchNorm *z, int64_t set) {
    if (z->over_batch) return (Rows){set, z->C, z->N};
    const int64_t count = z->C / z->groups;
    return (Rows){set * count, 1, count};
}

static int64_t grain(int64_t elements) { /* units of so many elements each */
    const int64_t units = 16384 / (elements > 0 ? elements : 1);
    return units > 0 ? units : 1;
}

static void over_rows(tg_BatchNorm *z, tg_ParallelBody f32, tg_ParallelBody f64) {
    tg_parallel(z->N * z->C, grain(z->L), z->f64 ? f64 : f32, z);
}

/* (The longer the pieces of the samples that a thread reads, the better.) */
static void over_columns(tg_BatchNorm *z, tg_ParallelBody f32, tg_ParallelBody f64) {
    enum { LINE = 16 };
    const int64_t worth = z->N * z->C / 16384, threads = worth < tg_num_threads() ? worth : tg_num_threads();
    z->unit = threads > 1 ? (z->C + LINE * threads - 1) / (LINE * threads) * LINE : z->C;
    tg_parallel((z->C + z->unit - 1) / z->unit, 1, z->f64 ? f64 : f32, z);
}

#define PICK(f) TG_PICK_UP_TO_AVX2(f##_f32), TG_PICK_UP_TO_AVX2(f##_f64)

/* ---- forward ---- */

/* Mean and variance of a set from its rows': around the mean of means, in which rows count alike. */
static void gather_moments(tg_BatchNorm *z, int64_t set) {
    const Rows rows = rows_of(z, set);
    double mean = 0, squares = 0;
    for (int64_t i = 0, row = rows.first; i < rows.count; i++, row += rows.step) mean += z->sums[2 * row];
    mean /= (double)rows.count;
    for (int64_t i = 0, row = rows.first; i < rows.count; i++, row += rows.step) {
        const double off = z->sums[2 * row] - mean;
        squares += z->sums[2 * row + 1] + off * off * (double)z->L;
    }
    z->stats[set * TG_STATS + TG_MEAN] = mean;
    z->stats[set * TG_STATS + TG_VARIANCE] = squares / (double)size_of(z);
}

/* Mean and variance of each set. (The channels of a group lie one behind the other: short rows are taken together, two by two.) */
static void find_moments(const tg_BatchNorm *of) {
    enum { LONG = 2048 };
    tg_BatchNorm z = *of;
    for (int64_t count = rows_of(of, 0).count; !z.over_batch && z.L > 0 && z.L < LONG && count % 2 == 0; count /= 2) {
        z.C /= 2;
        z.L *= 2;
    }
    if (z.L > 0) over_rows(&z, PICK(row_moments));
    for (int64_t set = 0; set < sets_of(of); set++) gather_moments(&z, set);
}

void tg_batch_norm(tg_BatchNorm *z) {
    const int64_t sets = sets_of(z);
    if (z->L == 1 && z->over_batch && z->N > 0) {
        over_columns(z, PICK(columns));
        return;
    }
    if (!z->fixed) find_moments(z);
    for (int64_t set = 0; set < sets; set++)
        z->stats[set * TG_STATS + TG_SCALE] = 1 / sqrt(z->stats[set * TG_STATS + TG_VARIANCE] + z->eps);
    over_rows(z, PICK(row_results));
}

/* ---- backward ---- */

static double weight_of(const tg_BatchNorm *z, int64_t row) {
    return z->f64 ? ((const double *)z->weight)[row % z->C] : (double)((const float *)z->weight)[row % z->C];
}

/* The parameters' gradients, in the order of the samples. */
static void gather_parameters(tg_BatchNorm *z) {
    for (int64_t row = 0, c = 0; row < z->N * z->C; row++, c = c + 1 < z->C ? c + 1 : 0) {
        if (z->dbias) z->dbias[c] += z->sums[2 * row];
        if (z->dweight) z->dweight[c] += z->sums[2 * row + 1];
    }
}

/* The means of g and g z over each set take the place of the first rows' sums: set s's of row s, which no later set has. */
static void gather_means(tg_BatchNorm *z) {
    const int64_t sets = sets_of(z);
    const double size = (double)size_of(z);
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
        over_columns(z, PICK(columns_backward));
        return;
    }
    if (!z->fixed || z->dweight || z->dbias) {
        if (z->L > 0) over_rows(z, PICK(row_gradients));
        gather_parameters(z);
    }
    if (!z->dx) return;
    if (!z->fixed) gather_means(z);
    over_rows(z, PICK(row_dx));
}
