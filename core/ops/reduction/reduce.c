/* core/ops/reduction/reduce.c: the loop of all reductions: sum, mean, prod, var, norm, max, min, all, any and their
 * like.
 *
 * x is seen as many small matrices with contiguous rows, which the kernels reduce (core/kernels/reduce):
 *
 *   plan    The dims of x are sorted by stride and merged where they are contiguous; dim 0 is the innermost. If it is
 *           reduced, a matrix is some rows along it, one for each result; if it is kept, a matrix is some columns,
 *           and its rows run along the innermost reduced dim.
 *   tile    The results of one matrix, at most TILE: they are accumulated in a buffer over all other reduced dims, and
 *           stored once. Tiles are divided among threads.
 *   split   If there are few tiles, the longest reduced dim is split. Each split gives partial results, and these are
 *           reduced in order, as the columns of a matrix with one row for each split.
 *
 * Tiles and splits depend on the sizes alone, so a result never depends on the number of threads. */
#include "core/ops/reduction/reduce_internal.h"

#include <string.h>

#include "core/kernels/copy_convert.h"
#include "core/kernels/parallel.h"
#include "core/tensor/iterator_internal.h"

/* ---- dims and shapes ---- */

bool tg_reduction(const Tensor *x, const int64_t *dims, int count, bool keepdim, Reduction *out) {
    int wrapped[T_MAX_DIMS];
    *out = (Reduction){.keepdim = keepdim, .count = 1};
    if (count > T_MAX_DIMS)
        return tg_fail("more than %d dims; a list of them has no keyword: t_sum(x, (0, 1))", T_MAX_DIMS);
    if (!tg_wrap_dims(dims, count, x->ndim, wrapped)) return false;
    for (int i = 0; i < count; i++) out->reduced[wrapped[i]] = true;
    for (int d = 0; d < x->ndim; d++) {
        if (count == 0) out->reduced[d] = true;
        /* The product may wrap around only if a kept size is 0; then nothing is divided by it. */
        if (out->reduced[d]) out->count = (int64_t)((uint64_t)out->count * (uint64_t)x->shape[d]);
    }
    return true;
}

int tg_reduced_dims(const Reduction *r, int ndim, int64_t *dims) {
    int count = 0;
    for (int d = 0; d < ndim; d++)
        if (r->reduced[d]) dims[count++] = d;
    return count;
}

Tensor *tg_with_kept_dims(Tensor *dy, const Edge *x, const Reduction *r) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = r->reduced[d] ? 1 : x->shape[d];
    return t_reshape(dy, shape, x->ndim);
}

int tg_reduced_shape(const Tensor *x, const Reduction *r, bool keepdim, int64_t *shape) {
    int ndim = 0;
    for (int d = 0; d < x->ndim; d++)
        if (!r->reduced[d]) shape[ndim++] = x->shape[d];
        else if (keepdim) shape[ndim++] = 1;
    return ndim;
}

/* y with the rank of x and stride 0 along the reduced dims, whether it has them as dims of size 1 or not at all. */
static Tensor with_reduced_strides(const Tensor *y, const Tensor *x, const Reduction *r) {
    Tensor y_strided = *y;
    int64_t stride = 1;
    y_strided.ndim = x->ndim;
    memcpy(y_strided.shape, x->shape, sizeof y_strided.shape);
    for (int d = x->ndim - 1; d >= 0; d--) {
        y_strided.strides[d] = r->reduced[d] ? 0 : stride;
        if (!r->reduced[d]) stride *= x->shape[d];
    }
    return y_strided;
}

/* ---- plan ---- */

enum {
    TILE = 1024, /* results of a tile at most; elements of a row that is copied */
    BUFFER = TILE + TG_REDUCE_SPARE,
    ENOUGH_TILES = 8, /* for which nothing is split */
    MAX_SPLITS = 16,
    SPLIT_ALIGN = 512 /* elements of a row */
};

typedef struct Plan {
    const ReduceArgs *args;
    Tensor *y;
    tg_ReduceType type, y_type;
    const tg_Reducer *reducer;
    Iterator it;              /* x is operand 0, y operand 1 */
    bool inner_reduced;  /* dim 0 is reduced: a matrix is rows, else columns */
    int result_dim;      /* the innermost kept dim, along which the results of a tile are; -1: there is one result */
    int row_dim;         /* the dim of a matrix's rows: result_dim, or the innermost other reduced one; -1: one row */
    int split_dim;       /* the longest reduced dim; -1: none */
    int64_t tile_size, tiles_along; /* results of a tile; tiles along result_dim */
    int64_t tiles, results;
    int64_t split_size, splits;
    char *partial;          /* the accumulators of split 0, then those of split 1, ...; NULL if nothing is split */
    int64_t *partial_index; /* and their indices */
} Plan;

static bool is_reduced(const Iterator *it, int d) {
    return it->strides[1][d] == 0 && it->shape[d] > 1;
}

static int64_t ceil_div(int64_t a, int64_t b) {
    return a / b + (a % b > 0);
}

/* Chooses the dims of tiles, rows and splits. */
static void plan_dims(Plan *plan) {
    const Iterator *it = &plan->it;
    int outer_reduced = -1;
    plan->result_dim = plan->split_dim = -1;
    plan->tiles = 1;
    for (int d = it->ndim - 1; d >= 0; d--) {
        if (!is_reduced(it, d)) {
            plan->result_dim = d;
            plan->tiles *= it->shape[d];
            continue;
        }
        if (d > 0) outer_reduced = d;
        if (plan->split_dim < 0 || it->shape[d] > it->shape[plan->split_dim]) plan->split_dim = d;
    }
    plan->inner_reduced = is_reduced(it, 0);
    plan->row_dim = plan->inner_reduced ? plan->result_dim : outer_reduced;
}

/* Chooses the sizes: about TG_GRAIN_SIZE of x's n elements for each tile or split. */
static void plan_sizes(Plan *plan, int64_t n) {
    const Iterator *it = &plan->it;
    plan->tile_size = TILE;
    if (plan->inner_reduced) {
        const int64_t rows = TG_GRAIN_SIZE / it->shape[0];
        plan->tile_size = rows < 1 ? 1 : rows < TILE ? rows : TILE;
    }
    if (plan->result_dim >= 0) {
        const int64_t size = it->shape[plan->result_dim];
        plan->tiles_along = ceil_div(size, plan->tile_size);
        plan->tiles = plan->tiles / size * plan->tiles_along;
    }
    const int64_t length = plan->split_dim < 0 ? 1 : it->shape[plan->split_dim];
    const int64_t grains = n / plan->tiles / TG_GRAIN_SIZE;
    plan->split_size = length;
    if (plan->tiles < ENOUGH_TILES && grains > 1)
        plan->split_size = length / (grains < MAX_SPLITS ? grains : MAX_SPLITS) + 1;
    if (plan->split_dim == 0) plan->split_size = ceil_div(plan->split_size, SPLIT_ALIGN) * SPLIT_ALIGN;
    plan->splits = ceil_div(length, plan->split_size);
}

/* ---- one tile ---- */

/* The results of a tile: `count` of them, in y from element `at` on, `stride` elements apart. */
typedef struct Results {
    int64_t at, count, stride;
} Results;

/* The results of the tile of the given number, and the start of its elements in x. Tiles are numbered along result_dim
 * first, then over the indices of the other kept dims. */
static Results results_of(const Plan *plan, int64_t tile, const char **x) {
    const Iterator *it = &plan->it;
    const int64_t y_size = (int64_t)tg_itemsize(plan->y->dtype);
    Results to = {0, 1, 1};
    *x = it->data[0];
    if (plan->result_dim >= 0) {
        const int64_t size = it->shape[plan->result_dim], first = tile % plan->tiles_along * plan->tile_size;
        tile /= plan->tiles_along;
        to.count = size - first < plan->tile_size ? size - first : plan->tile_size;
        to.stride = it->strides[1][plan->result_dim] / y_size;
        to.at = first * to.stride;
        *x += first * it->strides[0][plan->result_dim];
    }
    for (int d = 0; d < it->ndim; d++) {
        if (d == plan->result_dim || is_reduced(it, d)) continue;
        const int64_t i = tile % it->shape[d];
        tile /= it->shape[d];
        to.at += i * (it->strides[1][d] / y_size);
        *x += i * it->strides[0][d];
    }
    return to;
}

/* Reduces a matrix whose elements are x_stride bytes apart in a row: its rows are copied to a buffer, part by part. */
static void reduce_strided(const Plan *plan, tg_ReduceTile t, int64_t x_stride, int64_t row_stride) {
    char buffer[TILE * sizeof(double)];
    const int64_t size = tg_reduce_size(plan->type), rows = t.rows, n = t.n;
    const tg_CopyLoop copy = tg_copy_loop(size, size, x_stride);
    char *const acc = t.acc;
    const double *const center = t.center;
    const char *x = t.x;
    t.x = buffer;
    t.rows = 1;
    for (int64_t i = 0; i < rows; i++, x += row_stride) {
        if (plan->inner_reduced) t.acc = acc + i * tg_reduce_size(plan->reducer->acc);
        if (plan->inner_reduced && center) t.center = center + i;
        for (int64_t j = 0; j < n; j += TILE) { /* columns are at most TILE */
            t.n = n - j < TILE ? n - j : TILE;
            copy(t.n, buffer, size, x + j * x_stride, x_stride);
            (plan->inner_reduced ? plan->reducer->rows : plan->reducer->columns)(&t);
        }
    }
}

/* Advances x to the next matrix of a tile, over the reduced dims in `outer`; false after the last one. */
static bool next_matrix(const Iterator *it, const int *outer, int outers, const int64_t *shape, int64_t *index,
                        const char **x) {
    for (int i = 0; i < outers; i++) {
        const int d = outer[i];
        *x += it->strides[0][d];
        if (++index[d] < shape[d]) return true;
        *x -= index[d] * it->strides[0][d];
        index[d] = 0;
    }
    return false;
}

/* Combines all elements of a tile into its `count` accumulators, and finds the indices if wanted: then there is one
 * matrix. from, to: the part of the split dim. */
static void reduce_tile(const Plan *plan, const char *x, int64_t count, int64_t from, int64_t to, const double *center,
                        void *acc, int64_t *at) {
    const Iterator *it = &plan->it;
    const int64_t size = tg_reduce_size(plan->type);
    const int64_t x_stride = it->strides[0][0], row_stride = plan->row_dim < 0 ? 0 : it->strides[0][plan->row_dim];
    int64_t index[T_MAX_DIMS] = {0}, shape[T_MAX_DIMS];
    int outer[T_MAX_DIMS], outers = 0; /* the reduced dims that are not in a matrix */
    for (int d = 0; d < it->ndim; d++) {
        shape[d] = d == plan->split_dim ? to - from : it->shape[d];
        if (d > 0 && d != plan->row_dim && is_reduced(it, d)) outer[outers++] = d;
    }
    if (plan->split_dim >= 0) x += from * it->strides[0][plan->split_dim];
    tg_ReduceTile t = {.n = plan->inner_reduced ? shape[0] : count,
                       .rows = plan->inner_reduced ? count : plan->row_dim < 0 ? 1 : shape[plan->row_dim],
                       .stride = row_stride / size,
                       .widen_each = plan->y->dtype == t_float64,
                       .center = center,
                       .acc = acc};
    tg_reduce_init(plan->reducer, count, acc);
    do {
        t.x = x;
        if (x_stride != size && t.n > 1) reduce_strided(plan, t, x_stride, row_stride);
        else (plan->inner_reduced ? plan->reducer->rows : plan->reducer->columns)(&t);
    } while (next_matrix(it, outer, outers, shape, index, &x));
    if (at) (plan->inner_reduced ? tg_reduce_find_rows : tg_reduce_find_columns)(plan->type, &t, at);
}

/* ---- results ---- */

/* to[i * stride] = from[i] */
static void store_strided(char *to, const void *from, int64_t count, int64_t stride, int64_t size) {
    if (stride == 1) memcpy(to, from, (size_t)(count * size));
    else
        for (int64_t i = 0; i < count; i++) memcpy(to + i * stride * size, (const char *)from + i * size, (size_t)size);
}

/* Finishes accumulators and stores them, and their indices if there are any. */
static void store_results(const Plan *plan, const Results *to, void *acc, const int64_t *at) {
    const int64_t size = tg_reduce_size(plan->y_type);
    double buffer[TILE];
    tg_reduce_finish(plan->args->finish, plan->args->divisor, to->count, plan->reducer->acc, acc, plan->y_type, buffer);
    store_strided((char *)tg_data(plan->y) + to->at * size, buffer, to->count, to->stride, size);
    if (at) store_strided((char *)tg_data(plan->args->index) + to->at * 8, at, to->count, to->stride, 8);
}

/* Tiles from .. to - 1, numbered over all splits: split 0 has the numbers 0 .. tiles - 1. */
static void run_tiles(int64_t from, int64_t to, void *context) {
    const Plan *plan = context;
    const int64_t size = tg_reduce_size(plan->reducer->acc);
    const int64_t length = plan->split_dim < 0 ? 1 : plan->it.shape[plan->split_dim];
    _Alignas(64) double acc[BUFFER], center[BUFFER];
    int64_t indices[TILE], *const at = plan->args->index ? indices : NULL;
    for (int64_t item = from; item < to; item++) {
        const int64_t split = item / plan->tiles, start = split * plan->split_size;
        const int64_t end = length - start < plan->split_size ? length : start + plan->split_size;
        const char *x;
        const Results results = results_of(plan, item % plan->tiles, &x);
        for (int64_t i = 0; plan->args->center && i < results.count; i++)
            center[i] = ((const double *)tg_data(plan->args->center))[results.at + i * results.stride];
        reduce_tile(plan, x, results.count, start, end, plan->args->center ? center : NULL, acc, at);
        if (!plan->partial) {
            store_results(plan, &results, acc, at);
            continue;
        }
        const int64_t first = split * plan->results + results.at;
        store_strided(plan->partial + first * size, acc, results.count, results.stride, size);
        for (int64_t i = 0; at && i < results.count; i++)
            plan->partial_index[first + i * results.stride] = start + at[i];
    }
}

/* The partial results are a matrix with one row for each split: its columns are reduced. */
static void combine_splits(const Plan *plan) {
    const tg_Reducer *reducer = tg_reducer_of_partials(plan->args->kind, plan->type);
    _Alignas(64) double acc[BUFFER];
    int64_t indices[TILE], *const at = plan->partial_index ? indices : NULL;
    for (int64_t first = 0; first < plan->results; first += TILE) {
        const int64_t count = plan->results - first < TILE ? plan->results - first : TILE;
        const tg_ReduceTile t = {.x = plan->partial + first * tg_reduce_size(reducer->acc),
                                 .rows = plan->splits, .n = count, .stride = plan->results, .acc = acc};
        tg_reduce_init(reducer, count, acc);
        reducer->columns(&t);
        if (at) tg_reduce_find_columns(plan->type, &t, at);
        for (int64_t i = 0; at && i < count; i++) at[i] = plan->partial_index[at[i] * plan->results + first + i];
        store_results(plan, &(Results){first, count, 1}, acc, at);
    }
}

/* ---- the whole reduction ---- */

/* Results of no elements. */
static void store_identities(const Plan *plan) {
    double acc[TILE];
    for (int64_t first = 0; first < plan->results; first += TILE) {
        const int64_t count = plan->results - first < TILE ? plan->results - first : TILE;
        tg_reduce_init(plan->reducer, count, acc);
        store_results(plan, &(Results){first, count, 1}, acc, NULL);
    }
}

static bool reduce_into(const ReduceArgs *args, Tensor *y, const Reduction *r) {
    static const tg_ReduceType types[T_DTYPES] = {[t_bool] = TG_REDUCE_BOOL, [t_int64] = TG_REDUCE_INT64,
                                                  [t_float32] = TG_REDUCE_F32, [t_float64] = TG_REDUCE_F64};
    Tensor *x = args->x, y_strided = with_reduced_strides(y, x, r);
    const int64_t n = tg_numel(x);
    Plan plan = {.args = args, .y = y, .type = types[x->dtype], .y_type = types[y->dtype], .results = tg_numel(y)};
    plan.reducer = tg_reducer(args->kind, plan.type);
    if (plan.results == 0 || n == 0) {
        store_identities(&plan);
        return true;
    }
    tg_iterator_plan(&plan.it, x, &(Tensor *){&y_strided}, 1);
    plan_dims(&plan);
    plan_sizes(&plan, n);
    const size_t partials = plan.splits > 1 ? (size_t)(plan.splits * plan.results) : 0;
    const size_t bytes = partials * (size_t)tg_reduce_size(plan.reducer->acc), index_bytes = partials * sizeof(int64_t);
    if (partials && !(plan.partial = tg_alloc_raw(bytes))) return false;
    if (partials && args->index && !(plan.partial_index = tg_alloc_raw(index_bytes))) {
        tg_free(plan.partial, bytes);
        return false;
    }
    const int64_t items = plan.tiles * plan.splits, elements = n / items > 0 ? n / items : 1;
    tg_parallel(items, n <= 2 * TG_GRAIN_SIZE ? items : TG_GRAIN_SIZE / elements + 1, run_tiles, &plan);
    if (partials) combine_splits(&plan);
    if (plan.partial) tg_free(plan.partial, bytes);
    if (plan.partial_index) tg_free(plan.partial_index, index_bytes);
    return true;
}

/* Narrow dtypes: the reduction of the widened x, rounded once. */
static Tensor *reduced_narrow(ReduceArgs args, const Reduction *r, t_DType dtype) {
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    if (depth) args.x = tg_widened(args.x);
    Tensor *y = depth && args.x ? tg_reduced(args, r, tg_wide(dtype)) : NULL;
    y = y ? t_to(y, dtype) : NULL;
    t_set_grad_enabled(grad_enabled);
    return tg_scope_return(depth, y);
}

Tensor *tg_reduced(ReduceArgs args, const Reduction *r, t_DType dtype) {
    if (args.x && (tg_is_narrow(args.x->dtype) || tg_is_narrow(dtype))) return reduced_narrow(args, r, dtype);
    int64_t shape[T_MAX_DIMS];
    Tensor *y = args.x ? tg_empty(shape, tg_reduced_shape(args.x, r, r->keepdim, shape), dtype) : NULL;
    if (!y || reduce_into(&args, y, r)) return y;
    t_release(tg_take_from_scope(y));
    return NULL;
}
