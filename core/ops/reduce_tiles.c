/* core/ops/reduce_tiles.c: executes a planned reduction: tiles of rows or columns go to the kernels, divided among
 * threads (second part of reduce_plan.c).
 *
 * The dims of x are sorted by their strides. If the innermost dim is reduced, a tile is some rows along it; if it is
 * kept, a tile is some columns. The results of a tile are accumulated in a local buffer and written once. If there
 * are few tiles, the longest reduced dim is split; the splits depend on the sizes only, each gives partial results,
 * and these are combined in order. So a result never depends on the number of threads. */
#include <math.h>
#include <string.h>

#include "core/kernels/copy_convert.h"
#include "core/kernels/parallel.h"
#include "core/ops/reduce_plan_internal.h"

enum { BUFFER = TG_REDUCE_COLUMNS + 8 };

/* ---- a tile ---- */

/* Reduces a matrix whose elements are x_step bytes apart in a row: if that is not the element size, rows are first
 * gathered into `buffer`. */
static TG_COLD void reduce_gathered(tg_ReduceTile t, bool inner_reduced, int64_t x_step, int64_t row_step,
                                    int64_t size) {
    char buffer[TG_REDUCE_COLUMNS * 8];
    const tg_CopyLoop gather = tg_copy_loop(size, size, x_step);
    const char *x = t.x;
    const int64_t n = t.n;
    t.x = buffer;
    for (int64_t rows = t.rows; rows > 0; rows--, x += row_step) {
        t.rows = 1;
        for (int64_t j = 0; j < n; j += t.n) {
            t.n = n - j < TG_REDUCE_COLUMNS ? n - j : TG_REDUCE_COLUMNS;
            gather(t.n, buffer, size, x + j * x_step, x_step);
            (inner_reduced ? tg_reduce_rows : tg_reduce_columns)(&t);
        }
        if (inner_reduced) t.y = (char *)t.y + tg_reduce_result_size(&t);
        if (inner_reduced && t.center) t.center++;
    }
}

/* Advances to the next matrix over the outer reduced dims; false at the end. */
static bool next_matrix(const Walk *w, const int *outer, const int64_t *sizes, int64_t *index, const void **x) {
    for (int i = 0; outer[i] >= 0; i++) {
        *x = (const char *)*x + w->steps[0][outer[i]];
        if (++index[i] < sizes[outer[i]]) return true;
        *x = (const char *)*x - index[i] * w->steps[0][outer[i]];
        index[i] = 0;
    }
    return false;
}

/* Accumulates all matrices over the reduced dims into t.y, which has `count` results, and finds the indices if
 * wanted: then there is one matrix. [from, to) is the range of the split dim. */
static void reduce_dims(const ReducePlan *f, tg_ReduceTile t, int64_t count, int64_t from, int64_t to,
                        int64_t *index_buffer) {
    const Walk *w = &f->w;
    const int64_t size = (int64_t)tg_itemsize(f->args->x->dtype),
                  row_step = f->row_dim < 0 ? 0 : w->steps[0][f->row_dim];
    int64_t index[T_MAX_DIMS] = {0}, sizes[T_MAX_DIMS];
    int outer[T_MAX_DIMS + 1], outer_count = 0;
    _Alignas(64) double columns[BUFFER];
    void *const y = t.y;
    for (int d = 0; d < w->ndim; d++) {
        sizes[d] = d == f->split_dim ? to - from : w->shape[d];
        if (d > 0 && d != f->row_dim && tg_is_reduced(w, d)) outer[outer_count++] = d;
    }
    outer[outer_count] = -1;
    if (f->split_dim >= 0) t.x = (const char *)t.x + from * w->steps[0][f->split_dim];
    t.n = f->inner_reduced || f->columns_first ? sizes[0] : count;
    t.rows = f->inner_reduced ? count : f->row_dim < 0 ? 1 : sizes[f->row_dim];
    t.step = row_step / size;
    if (f->columns_first) {
        t.y = columns;
        tg_reduce_init(&t, t.n);
    }
    do
        if (w->steps[0][0] != size && t.n > 1) reduce_gathered(t, f->inner_reduced, w->steps[0][0], row_step, size);
        else (f->inner_reduced ? tg_reduce_rows : tg_reduce_columns)(&t);
    while (next_matrix(w, outer, sizes, index, &t.x));
    if (f->columns_first) {
        t = tg_reduce_partials(&t, columns, 1, t.n, y);
        tg_reduce_rows(&t);
    }
    if (index_buffer) (f->inner_reduced ? tg_reduce_find_rows : tg_reduce_find_columns)(&t, index_buffer);
}

/* ---- the results ---- */

/* Converts `count` accumulated results to y's dtype, in place. */
static void finalize(const ReducePlan *f, int64_t count, void *acc) {
    const tg_ReduceTile *t = &f->tile;
    const bool sign_flipped = t->kind == TG_MIN || t->kind == TG_MIN_ABS, sums = t->kind < TG_PROD,
               wide = f->y->dtype == t_float64;
    if (t->type < TG_REDUCE_F32) {
        if (t->kind < TG_MAX && f->y->dtype == t_bool)
            for (int64_t i = 0; i < count; i++) ((char *)acc)[i] = ((int64_t *)acc)[i] != 0;
    } else if (sums && wide) {
        tg_finish_sums_f64(count, acc, f->args->divisor, f->args->root, acc);
    } else if (sums) {
        tg_finish_sums_f32(count, acc, f->args->divisor, f->args->root, acc);
    } else if (sign_flipped) {
        /* of two floats at once; the buffer has capacity for one more */
        const uint64_t signs = wide ? (uint64_t)1 << 63 : 0x8000000080000000;
        for (int64_t i = 0, count64 = wide ? count : (count + 1) / 2; i < count64; i++) ((Bits64 *)acc)[i] ^= signs;
    }
}

/* to[i * step] = from[i] */
static void store_strided(char *to, const void *from, int64_t count, int64_t step, int64_t size) {
    if (step == 1) memcpy(to, from, (size_t)(count * size));
    else
        for (int64_t i = 0; i < count; i++) memcpy(to + i * step * size, (const char *)from + i * size, (size_t)size);
}

/* The results of a tile: `count` of them, in y from element `at` on with the stride `step`. */
typedef struct Results {
    int64_t at, count, step;
} Results;

static void store_results(const ReducePlan *f, const Results *to, void *acc, const int64_t *index_buffer) {
    const int64_t size = (int64_t)tg_itemsize(f->y->dtype);
    finalize(f, to->count, acc);
    store_strided((char *)tg_data(f->y) + to->at * size, acc, to->count, to->step, size);
    if (index_buffer) store_strided((char *)tg_data(f->args->index) + to->at * 8, index_buffer, to->count, to->step, 8);
}

/* The results of the tile of the given number, and the start of its elements in x. Tiles are numbered along tile_dim
 * first, then over the indices of the other kept dims. */
static __attribute__((noinline)) Results results_of(const ReducePlan *f, int64_t number, const void **x) {
    const Walk *w = &f->w;
    const char *from = w->data[0];
    Results to = {0, 1, 1};
    if (f->tile_dim >= 0) {
        const int64_t size = w->shape[f->tile_dim],
                      first = (f->tiles_across > 1 ? number % f->tiles_across : 0) * f->tile_size;
        if (f->tiles_across > 1) number /= f->tiles_across;
        to.count = size - first < f->tile_size ? size - first : f->tile_size;
        to.step = w->steps[1][f->tile_dim];
        to.at = first * to.step;
        from += first * w->steps[0][f->tile_dim];
    }
    if (f->block_dim >= 0) {
        const int64_t size = w->shape[f->block_dim], tiles = (size + f->block_size - 1) / f->block_size,
                      first = number % tiles * f->block_size;
        number /= tiles;
        to.count *= size - first < f->block_size ? size - first : f->block_size;
        to.at += first * w->steps[1][f->block_dim];
        from += first * w->steps[0][f->block_dim];
    }
    for (int d = 0; d < w->ndim; d++) {
        if (d == f->tile_dim || d == f->block_dim || tg_is_reduced(w, d)) continue;
        const int64_t i = number % w->shape[d];
        number /= w->shape[d];
        to.at += i * w->steps[1][d];
        from += i * w->steps[0][d];
    }
    *x = from;
    return to;
}

static void run_tile(const ReducePlan *f, int64_t number, int64_t split) {
    _Alignas(64) double acc[BUFFER], center[BUFFER];
    int64_t index_buffer[BUFFER];
    const int64_t end = f->split_dim < 0 ? 0 : f->w.shape[f->split_dim], from = split * f->split_size,
                  to = from + f->split_size < end ? from + f->split_size : end;
    tg_ReduceTile t = f->tile;
    const void *x;
    const Results results = results_of(f, number, &x);
    const int64_t size = tg_reduce_result_size(&t), each = f->block_dim < 0 ? results.count : f->w.shape[0];
    for (int64_t i = 0; i < results.count && f->args->center; i++)
        center[i] = ((const double *)tg_data(f->args->center))[results.at + i * results.step];
    for (int64_t i = 0; i < results.count; i += each) {
        t.x = x;
        t.y = (char *)acc + i * size;
        if (f->args->center) t.center = center + i;
        tg_reduce_init(&t, each);
        reduce_dims(f, t, each, from, to, f->args->index ? index_buffer + i : NULL);
        if (f->block_dim >= 0) x = (const char *)x + f->w.steps[0][f->block_dim];
    }
    if (!f->partial) {
        store_results(f, &results, acc, f->args->index ? index_buffer : NULL);
        return;
    }
    const int64_t first = split * f->results + results.at;
    store_strided(f->partial + first * size, acc, results.count, results.step, size);
    for (int64_t i = 0; f->partial_index && i < results.count; i++)
        f->partial_index[first + i * results.step] = from + index_buffer[i];
}

static void run_tiles(int64_t from, int64_t to, void *plan) {
    const ReducePlan *f = plan;
    for (int64_t i = from; i < to; i++) run_tile(f, i % f->tiles, i / f->tiles);
}

/* Combines the partial results of the splits, the rows of a matrix, by one more reduction. */
static TG_COLD void combine_splits(const ReducePlan *f) {
    _Alignas(64) double acc[BUFFER];
    int64_t index_buffer[BUFFER];
    for (int64_t at = 0; at < f->results; at += TG_REDUCE_COLUMNS) {
        const int64_t count = f->results - at < TG_REDUCE_COLUMNS ? f->results - at : TG_REDUCE_COLUMNS;
        tg_ReduceTile t = tg_reduce_partials(&f->tile, f->partial + at * tg_reduce_result_size(&f->tile), f->splits,
                                             count, acc);
        t.step = f->results;
        tg_reduce_init(&t, count);
        tg_reduce_columns(&t);
        if (f->partial_index) tg_reduce_find_columns(&t, index_buffer);
        for (int64_t i = 0; f->partial_index && i < count; i++)
            index_buffer[i] = f->partial_index[index_buffer[i] * f->results + at + i];
        store_results(f, &(Results){at, count, 1}, acc, f->partial_index ? index_buffer : NULL);
    }
}

/* ---- the whole reduction ---- */

/* y with the rank of x and stride 0 along the reduced dims, whether it has them as dims of size 1 or not at all. */
static Tensor with_reduced_strides(const Tensor *y, const Tensor *x, const Reduction *r) {
    Tensor y_strided = *y;
    int64_t step = 1;
    y_strided.ndim = x->ndim;
    memcpy(y_strided.shape, x->shape, sizeof y_strided.shape);
    for (int d = x->ndim - 1; d >= 0; d--) {
        y_strided.strides[d] = r->reduced[d] ? 0 : step;
        if (!r->reduced[d]) step *= x->shape[d];
    }
    return y_strided;
}

bool tg_reduce_into(const ReduceArgs *args, Tensor *y, const Reduction *r) {
    static const tg_ReduceType types[T_DTYPES] = {0, TG_REDUCE_BOOL, TG_REDUCE_INT64, TG_REDUCE_F32, TG_REDUCE_F64};
    Tensor *x = args->x, y_strided = with_reduced_strides(y, x, r), *y_operand = &y_strided;
    const bool each_widened = y->dtype == t_float64 || (args->skip_nan && x->dtype == t_float64);
    ReducePlan f = {.args = args,
                    .y = y,
                    .results = tg_numel(y),
                    .tile = {.kind = args->kind,
                             .type = types[x->dtype],
                             .widen_each = each_widened,
                             .skip_nan = args->skip_nan}};
    const int64_t n = tg_numel(x), size = tg_reduce_result_size(&f.tile);
    if (f.results == 0) return true;
    if (n == 0) {
        int64_t initial[BUFFER];
        f.tile.y = initial;
        for (int64_t at = 0; at < f.results; at++) {
            tg_reduce_init(&f.tile, 1);
            store_results(&f, &(Results){at, 1, 1}, initial, NULL);
        }
        return true;
    }
    tg_walk_plan(&f.w, x, &y_operand, 1);
    tg_plan_reduction(&f, n);
    const size_t bytes = f.splits > 1 ? (size_t)(f.splits * f.results * size) : 0, buffer = bytes / (size_t)size * 8;
    if (bytes && !(f.partial = tg_alloc_raw(bytes))) return false;
    if (bytes && args->index && !(f.partial_index = tg_alloc_raw(buffer))) {
        tg_free(f.partial, bytes);
        return false;
    }
    const int64_t items = f.tiles * f.splits, each = n / items;
    tg_parallel(items, n <= 2 * TG_WALK_GRAIN ? items : TG_WALK_GRAIN / (each ? each : 1) + 1, run_tiles, &f);
    if (bytes) combine_splits(&f);
    tg_free(f.partial, bytes);
    if (f.partial_index) tg_free(f.partial_index, buffer);
    return true;
}
