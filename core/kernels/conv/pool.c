/* Pooling for every instruction set, and of whole numbers; pool.inc explains it. */
#include "core/kernels/conv/pool.h"

#include <string.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/conv/pool.inc"
#include "core/kernels/dispatch.inc"

/* ---- whole numbers: as they are, one by one ---- */

static int64_t whole(const tg_Pool *w, bool largest, const int64_t *x, const tg_PoolRange *rows, const tg_PoolRange *columns, int64_t *place) {
    int64_t sum = 0, best = rows->from * w->in[1] + columns->from;
    for (int64_t i = rows->from; i < rows->to; i += rows->step)
        for (int64_t j = columns->from; j < columns->to; j += columns->step) {
            const int64_t at = i * w->in[1] + j;
            if (largest && x[at] > x[best]) best = at;
            sum = (int64_t)((uint64_t)sum + (uint64_t)x[at]);
        }
    *place = best;
    if (largest) return x[best];
    return rows->from < rows->to && columns->from < columns->to ? sum / divisor_of(w, rows, columns) : 0;
}

static void whole_planes(const tg_Pool *w, bool largest, int64_t from, int64_t to) {
    int64_t at = from * w->out[0] * w->out[1], place;
    for (int64_t n = from; n < to; n++)
        for (int64_t p = 0; p < w->out[0]; p++)
            for (int64_t q = 0; q < w->out[1]; q++, at++) {
                const tg_PoolRange rows = tg_pool_range(w, 0, p), columns = tg_pool_range(w, 1, q);
                ((int64_t *)w->y)[at] = whole(w, largest, (const int64_t *)w->x + n * w->in[0] * w->in[1], &rows, &columns, &place);
                if (largest && w->places) w->places[at] = place;
            }
}

static void whole_largest(int64_t from, int64_t to, void *context) {
    whole_planes(context, true, from, to);
}

static void whole_mean(int64_t from, int64_t to, void *context) {
    whole_planes(context, false, from, to);
}

/* ---- all of them ---- */

enum { SHORT = 4 }; /* the floats of the shortest vectors */

/* Parts of one size are windows side by side. */
static void straighten(tg_Pool *w) {
    for (int d = 0; d < 2; d++)
        if (w->out[d] == 0 || w->in[d] % w->out[d]) return;
    for (int d = 0; d < 2; d++) {
        w->kernel[d] = w->stride[d] = w->in[d] / w->out[d];
        w->padding[d] = 0;
        w->dilation[d] = 1;
    }
    w->adaptive = w->count_include_pad = false;
}

void tg_pool(const tg_Pool *pool, int which, int words, int64_t planes) {
    tg_Pool w = *pool;
    int64_t first, last;
    if (planes == 0) return;
    if (w.adaptive) straighten(&w);
    inner_outputs(&w, &first, &last, SHORT);
    const bool few = last - first >= SHORT && last - first < 2 * SHORT; /* outputs side by side: too few for longer vectors */
    const tg_ParallelBody f32[] = {few && w.kernel[1] < 6 ? largest_f32_baseline : TG_PICK_UP_TO_AVX2(largest_f32),
                              TG_PICK_UP_TO_AVX2(largest_back_f32),
                              few && w.stride[1] < 3 ? mean_f32_baseline : TG_PICK_UP_TO_AVX2(mean_f32), TG_PICK_UP_TO_AVX2(mean_back_f32)};
    const tg_ParallelBody f64[] = {TG_PICK_UP_TO_AVX2(largest_f64), TG_PICK_UP_TO_AVX2(largest_back_f64), TG_PICK_UP_TO_AVX2(mean_f64),
                              TG_PICK_UP_TO_AVX2(mean_back_f64)};
    const tg_ParallelBody i64[] = {whole_largest, NULL, whole_mean, NULL};
    const double inputs = (double)w.in[0] * (double)w.in[1], outputs = (double)w.out[0] * (double)w.out[1];
    const double each = inputs + outputs * (w.adaptive ? 1 : (double)w.kernel[0] * (double)w.kernel[1]);
    tg_parallel(planes, 1 + (int64_t)(8192 / (each + 1)), (words == TG_POOL_F32 ? f32 : words == TG_POOL_F64 ? f64 : i64)[which], &w);
}
