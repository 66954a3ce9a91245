/* core/ops/reduce_tiles.c: a reduction as tiles of rows or columns that the kernels take, divided among threads.
 *
 * The dims of x are sorted by their steps in memory. Where the innermost one is reduced, a tile is some rows along it; where it
 * is kept, a tile is some columns. Each tile's results are gathered beside and written once. Where there are few tiles, the
 * longest reduced dim is cut into pieces that depend on the sizes alone, each piece gives results of its own, and these are
 * brought together in order. So a result never depends on the number of threads. */
#include <math.h>
#include <string.h>

#include "core/kernels/copy_convert.h"
#include "core/kernels/parallel.h"
#include "core/ops/reduce_plan_internal.h"

enum { ROOM = TG_REDUCE_COLUMNS + 8 };

/* ---- a tile ---- */

/* Folds a matrix in whose rows elements are x_step bytes apart; where that is not side by side, by way of `room`. */
static TG_COLD void fold_in_room(tg_ReduceTile t, bool along, int64_t x_step, int64_t row_step, int64_t size) {
    char room[TG_REDUCE_COLUMNS * 8];
    const tg_CopyLoop move = tg_copy_loop(size, size, x_step);
    const char *x = t.x;
    const int64_t n = t.n;
    t.x = room;
    for (int64_t rows = t.rows; rows > 0; rows--, x += row_step) {
        t.rows = 1;
        for (int64_t j = 0; j < n; j += t.n) {
            t.n = n - j < TG_REDUCE_COLUMNS ? n - j : TG_REDUCE_COLUMNS;
            move(t.n, room, size, x + j * x_step, x_step);
            (along ? tg_reduce_rows : tg_reduce_columns)(&t);
        }
        if (along) t.y = (char *)t.y + tg_reduce_result_size(&t);
        if (along && t.center) t.center++;
    }
}

/* From one matrix to the next over the outer reduced dims; false at the end. */
static bool next_matrix(const Walk *w, const int *outer, const int64_t *sizes, int64_t *index, const void **x) {
    for (int i = 0; outer[i] >= 0; i++) {
        *x = (const char *)*x + w->steps[0][outer[i]];
        if (++index[i] < sizes[outer[i]]) return true;
        *x = (const char *)*x - index[i] * w->steps[0][outer[i]];
        index[i] = 0;
    }
    return false;
}

/* Folds all matrices over the reduced dims into t.y, which holds `count` results, and finds the places if there are any to be
 * found: then there is one matrix. from .. to is what is left of the dim that is cut. */
static void fold_over(const Folding *f, tg_ReduceTile t, int64_t count, int64_t from, int64_t to, int64_t *places) {
    const Walk *w = &f->w;
    const int64_t size = (int64_t)tg_itemsize(f->how->x->dtype), row_step = f->of_rows < 0 ? 0 : w->steps[0][f->of_rows];
    int64_t index[T_MAX_DIMS] = {0}, sizes[T_MAX_DIMS];
    int outer[T_MAX_DIMS + 1], outers = 0;
    _Alignas(64) double columns[ROOM];
    void *const y = t.y;
    for (int d = 0; d < w->ndim; d++) {
        sizes[d] = d == f->cut ? to - from : w->shape[d];
        if (d > 0 && d != f->of_rows && tg_is_reduced(w, d)) outer[outers++] = d;
    }
    outer[outers] = -1;
    if (f->cut >= 0) t.x = (const char *)t.x + from * w->steps[0][f->cut];
    t.n = f->along || f->down_first ? sizes[0] : count;
    t.rows = f->along ? count : f->of_rows < 0 ? 1 : sizes[f->of_rows];
    t.step = row_step / size;
    if (f->down_first) {
        t.y = columns;
        tg_reduce_init(&t, t.n);
    }
    do
        if (w->steps[0][0] != size && t.n > 1) fold_in_room(t, f->along, w->steps[0][0], row_step, size);
        else (f->along ? tg_reduce_rows : tg_reduce_columns)(&t);
    while (next_matrix(w, outer, sizes, index, &t.x));
    if (f->down_first) {
        t = tg_reduce_partials(&t, columns, 1, t.n, y);
        tg_reduce_rows(&t);
    }
    if (places) (f->along ? tg_reduce_find_rows : tg_reduce_find_columns)(&t, places);
}

/* ---- the results ---- */

/* Gathered results, of which there are `count`, become results of y's dtype where they stand. */
static void make_results(const Folding *f, int64_t count, void *gathered) {
    const tg_ReduceTile *t = &f->tile;
    const bool turned = t->kind == TG_MIN || t->kind == TG_MIN_ABS, sums = t->kind < TG_PROD, wide = f->y->dtype == t_float64;
    if (t->type < TG_REDUCE_F32) {
        if (t->kind < TG_MAX && f->y->dtype == t_bool)
            for (int64_t i = 0; i < count; i++) ((char *)gathered)[i] = ((int64_t *)gathered)[i] != 0;
    } else if (sums && wide) {
        tg_finish_sums_f64(count, gathered, f->how->divisor, f->how->root, gathered);
    } else if (sums) {
        tg_finish_sums_f32(count, gathered, f->how->divisor, f->how->root, gathered);
    } else if (turned) {
        const uint64_t signs = wide ? (uint64_t)1 << 63 : 0x8000000080000000; /* of two floats at once; there is room for one more */
        for (int64_t i = 0, words = wide ? count : (count + 1) / 2; i < words; i++) ((Bits64 *)gathered)[i] ^= signs;
    }
}

/* to[i * step] = from[i] */
static void put_apart(char *to, const void *from, int64_t count, int64_t step, int64_t size) {
    if (step == 1) memcpy(to, from, (size_t)(count * size));
    else
        for (int64_t i = 0; i < count; i++) memcpy(to + i * step * size, (const char *)from + i * size, (size_t)size);
}

/* The results of a tile: `count` of them, in y from element `at` on, `step` apart. */
typedef struct Results {
    int64_t at, count, step;
} Results;

static void finish(const Folding *f, const Results *to, void *gathered, const int64_t *places) {
    const int64_t size = (int64_t)tg_itemsize(f->y->dtype);
    make_results(f, to->count, gathered);
    put_apart((char *)tg_data(f->y) + to->at * size, gathered, to->count, to->step, size);
    if (places) put_apart((char *)tg_data(f->how->at) + to->at * 8, places, to->count, to->step, 8);
}

/* Which results the tile of this number has, and where in x what they are made of begins. The number counts the tiles across
 * of_tile first, and then the indices of the other kept dims. */
static __attribute__((noinline)) Results results_of(const Folding *f, int64_t number, const void **x) {
    const Walk *w = &f->w;
    const char *from = w->data[0];
    Results to = {0, 1, 1};
    if (f->of_tile >= 0) {
        const int64_t size = w->shape[f->of_tile], first = (f->across > 1 ? number % f->across : 0) * f->most;
        if (f->across > 1) number /= f->across;
        to.count = size - first < f->most ? size - first : f->most;
        to.step = w->steps[1][f->of_tile];
        to.at = first * to.step;
        from += first * w->steps[0][f->of_tile];
    }
    if (f->of_block >= 0) {
        const int64_t size = w->shape[f->of_block], tiles = (size + f->blocks - 1) / f->blocks, first = number % tiles * f->blocks;
        number /= tiles;
        to.count *= size - first < f->blocks ? size - first : f->blocks;
        to.at += first * w->steps[1][f->of_block];
        from += first * w->steps[0][f->of_block];
    }
    for (int d = 0; d < w->ndim; d++) {
        if (d == f->of_tile || d == f->of_block || tg_is_reduced(w, d)) continue;
        const int64_t i = number % w->shape[d];
        number /= w->shape[d];
        to.at += i * w->steps[1][d];
        from += i * w->steps[0][d];
    }
    *x = from;
    return to;
}

static void run_tile(const Folding *f, int64_t number, int64_t piece) {
    _Alignas(64) double gathered[ROOM], around[ROOM];
    int64_t places[ROOM];
    const int64_t end = f->cut < 0 ? 0 : f->w.shape[f->cut], from = piece * f->piece, to = from + f->piece < end ? from + f->piece : end;
    tg_ReduceTile t = f->tile;
    const void *x;
    const Results results = results_of(f, number, &x);
    const int64_t size = tg_reduce_result_size(&t), each = f->of_block < 0 ? results.count : f->w.shape[0];
    for (int64_t i = 0; i < results.count && f->how->around; i++)
        around[i] = ((const double *)tg_data(f->how->around))[results.at + i * results.step];
    for (int64_t i = 0; i < results.count; i += each) {
        t.x = x;
        t.y = (char *)gathered + i * size;
        if (f->how->around) t.center = around + i;
        tg_reduce_init(&t, each);
        fold_over(f, t, each, from, to, f->how->at ? places + i : NULL);
        if (f->of_block >= 0) x = (const char *)x + f->w.steps[0][f->of_block];
    }
    if (!f->partial) {
        finish(f, &results, gathered, f->how->at ? places : NULL);
        return;
    }
    const int64_t first = piece * f->results + results.at;
    put_apart(f->partial + first * size, gathered, results.count, results.step, size);
    for (int64_t i = 0; f->places && i < results.count; i++) f->places[first + i * results.step] = from + places[i];
}

static void run_tiles(int64_t from, int64_t to, void *folding) {
    const Folding *f = folding;
    for (int64_t i = from; i < to; i++) run_tile(f, i % f->tiles, i / f->tiles);
}

/* The pieces' results, which are the rows of a matrix, are folded once more. */
static TG_COLD void bring_together(const Folding *f) {
    _Alignas(64) double gathered[ROOM];
    int64_t places[ROOM];
    for (int64_t at = 0; at < f->results; at += TG_REDUCE_COLUMNS) {
        const int64_t count = f->results - at < TG_REDUCE_COLUMNS ? f->results - at : TG_REDUCE_COLUMNS;
        tg_ReduceTile t = tg_reduce_partials(&f->tile, f->partial + at * tg_reduce_result_size(&f->tile), f->pieces, count, gathered);
        t.step = f->results;
        tg_reduce_init(&t, count);
        tg_reduce_columns(&t);
        if (f->places) tg_reduce_find_columns(&t, places);
        for (int64_t i = 0; f->places && i < count; i++) places[i] = f->places[places[i] * f->results + at + i];
        finish(f, &(Results){at, count, 1}, gathered, f->places ? places : NULL);
    }
}

/* ---- all of it ---- */

/* y as it stands under x: step 0 along the reduced dims, whether it has them as dims of size 1 or not at all. */
static Tensor under(const Tensor *y, const Tensor *x, const Reduction *r) {
    Tensor spread = *y;
    int64_t step = 1;
    spread.ndim = x->ndim;
    memcpy(spread.shape, x->shape, sizeof spread.shape);
    for (int d = x->ndim - 1; d >= 0; d--) {
        spread.strides[d] = r->reduced[d] ? 0 : step;
        if (!r->reduced[d]) step *= x->shape[d];
    }
    return spread;
}

bool tg_fold(const Fold *how, Tensor *y, const Reduction *r) {
    static const tg_ReduceType types[T_DTYPES] = {0, TG_REDUCE_BOOL, TG_REDUCE_INT64, TG_REDUCE_F32, TG_REDUCE_F64};
    Tensor *x = how->x, spread = under(y, x, r), *beside = &spread;
    const bool widen_each = y->dtype == t_float64 || (how->numbers && x->dtype == t_float64);
    Folding f = {.how = how, .y = y, .results = tg_numel(y), .tile = {.kind = how->kind, .type = types[x->dtype],
                                                                      .widen_each = widen_each, .skip_nan = how->numbers}};
    const int64_t n = tg_numel(x), size = tg_reduce_result_size(&f.tile);
    if (f.results == 0) return true;
    if (n == 0) {
        int64_t nothing[ROOM];
        f.tile.y = nothing;
        for (int64_t at = 0; at < f.results; at++) {
            tg_reduce_init(&f.tile, 1);
            finish(&f, &(Results){at, 1, 1}, nothing, NULL);
        }
        return true;
    }
    tg_walk_plan(&f.w, x, &beside, 1);
    tg_plan_reduction(&f, n);
    const size_t bytes = f.pieces > 1 ? (size_t)(f.pieces * f.results * size) : 0, room = bytes / (size_t)size * 8;
    if (bytes && !(f.partial = tg_alloc_raw(bytes))) return false;
    if (bytes && how->at && !(f.places = tg_alloc_raw(room))) {
        tg_free(f.partial, bytes);
        return false;
    }
    const int64_t items = f.tiles * f.pieces, each = n / items;
    tg_parallel(items, n <= 2 * TG_WALK_GRAIN ? items : TG_WALK_GRAIN / (each ? each : 1) + 1, run_tiles, &f);
    if (bytes) bring_together(&f);
    tg_free(f.partial, bytes);
    if (f.places) tg_free(f.places, room);
    return true;
}
