/* core/kernels/conv/pool.c: Pooling: dispatch, and pooling of int64; pool.inc has the loops. */
#include "core/kernels/conv/pool.h"

#include <string.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/conv/pool.inc"
#include "core/kernels/dispatch.inc"

/* ---- int64: output by output ---- */

static int64_t int64_window(const tg_Pool *w, bool max_pool, const int64_t *x, const tg_PoolRange *rows,
                            const tg_PoolRange *columns, int64_t *index) {
    int64_t sum = 0, best = rows->from * w->in[1] + columns->from;
    for (int64_t i = rows->from; i < rows->to; i += rows->step)
        for (int64_t j = columns->from; j < columns->to; j += columns->step) {
            const int64_t at = i * w->in[1] + j;
            if (max_pool && x[at] > x[best]) best = at;
            sum = (int64_t)((uint64_t)sum + (uint64_t)x[at]);
        }
    *index = best;
    if (max_pool) return x[best];
    return rows->from < rows->to && columns->from < columns->to ? sum / divisor_of(w, rows, columns) : 0;
}

static void int64_planes(const tg_Pool *w, bool max_pool, int64_t from, int64_t to) {
    int64_t at = from * w->out[0] * w->out[1], index;
    for (int64_t n = from; n < to; n++)
        for (int64_t p = 0; p < w->out[0]; p++)
            for (int64_t q = 0; q < w->out[1]; q++, at++) {
                const tg_PoolRange rows = tg_pool_range(w, 0, p), columns = tg_pool_range(w, 1, q);
                ((int64_t *)w->y)[at] =
                    int64_window(w, max_pool, (const int64_t *)w->x + n * w->in[0] * w->in[1], &rows, &columns, &index);
                if (max_pool && w->indices) w->indices[at] = index;
            }
}

static void int64_max(int64_t from, int64_t to, void *context) {
    int64_planes(context, true, from, to);
}

static void int64_avg(int64_t from, int64_t to, void *context) {
    int64_planes(context, false, from, to);
}

/* ---- dispatch ---- */

enum { BASELINE_LANES = 4 }; /* floats of the shortest vectors */

/* Adaptive windows of one size are ordinary ones. */
static void adaptive_to_windows(tg_Pool *w) {
    for (int d = 0; d < 2; d++)
        if (w->out[d] == 0 || w->in[d] % w->out[d]) return;
    for (int d = 0; d < 2; d++) {
        w->kernel[d] = w->stride[d] = w->in[d] / w->out[d];
        w->padding[d] = 0;
        w->dilation[d] = 1;
    }
    w->adaptive = w->count_include_pad = false;
}

void tg_pool(const tg_Pool *pool, tg_PoolPass pass, tg_PoolDType dtype, int64_t planes) {
    tg_Pool w = *pool;
    int64_t first, last;
    if (planes == 0) return;
    if (w.out[0] == 0 || w.out[1] == 0) w.out[0] = w.out[1] = 0; /* rows without regions may be very many */
    if (w.adaptive) adaptive_to_windows(&w);
    interior_outputs(&w, &first, &last, BASELINE_LANES);
    /* too few interior outputs for longer vectors */
    const bool is_short = last - first >= BASELINE_LANES && last - first < 2 * BASELINE_LANES;
    const tg_ParallelBody f32[] = {
        is_short && w.kernel[1] < 6 ? max_pool_f32_baseline : TG_PICK_UP_TO_AVX2(max_pool_f32),
        TG_PICK_UP_TO_AVX2(max_backward_f32),
        is_short && w.stride[1] < 3 ? avg_pool_f32_baseline : TG_PICK_UP_TO_AVX2(avg_pool_f32),
        TG_PICK_UP_TO_AVX2(avg_backward_f32)};
    const tg_ParallelBody f64[] = {TG_PICK_UP_TO_AVX2(max_pool_f64), TG_PICK_UP_TO_AVX2(max_backward_f64),
                                   TG_PICK_UP_TO_AVX2(avg_pool_f64), TG_PICK_UP_TO_AVX2(avg_backward_f64)};
    const tg_ParallelBody i64[] = {int64_max, NULL, int64_avg, NULL};
    const double inputs = (double)w.in[0] * (double)w.in[1], outputs = (double)w.out[0] * (double)w.out[1];
    const double each = inputs + outputs * (w.adaptive ? 1 : (double)w.kernel[0] * (double)w.kernel[1]);
    tg_parallel(planes, 1 + (int64_t)(8192 / (each + 1)),
                (dtype == TG_POOL_F32   ? f32
                 : dtype == TG_POOL_F64 ? f64
                                        : i64)[pass],
                &w);
}
