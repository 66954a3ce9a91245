/* core/tensor/iterator.c: broadcasting, output layout, and iteration over strided operands with one inner loop, as in
 * PyTorch's TensorIterator. */
#include "core/tensor/size_arithmetic.h"
#include "core/tensor/iterator_internal.h"

#include <string.h>

#include "core/kernels/parallel.h"

/* ---- broadcasting ---- */

bool tg_broadcast_shape(Tensor *const *x, int count, int64_t *shape, int *ndim) {
    int rank = 0;
    for (int i = 0; i < count; i++) rank = x[i]->ndim > rank ? x[i]->ndim : rank;
    for (int d = 0; d < rank; d++) shape[d] = 1;
    for (int i = 0; i < count; i++)
        for (int d = x[i]->ndim - 1; d >= 0; d--) {
            int at = rank - x[i]->ndim + d;
            int64_t size = x[i]->shape[d];
            if (size == 1 || size == shape[at]) continue;
            if (shape[at] != 1)
                return tg_fail("The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton "
                               "dimension %d", (long long)shape[at], (long long)size, at);
            shape[at] = size;
        }
    *ndim = rank;
    return true;
}

/* A stride in bytes. For an empty x it may overflow; then it is never used. */
static int64_t in_bytes(int64_t stride, int64_t itemsize) {
    return (int64_t)((uint64_t)stride * (uint64_t)itemsize);
}

/* The byte strides of x over a shape that it broadcasts to: 0 along broadcast dims. */
static void broadcast_strides(const Tensor *x, int ndim, int64_t *steps) {
    int64_t itemsize = (int64_t)tg_itemsize(x->dtype);
    int missing = ndim - x->ndim;
    for (int d = 0; d < ndim; d++)
        steps[d] = d < missing || x->shape[d - missing] == 1 ? 0 : in_bytes(x->strides[d - missing], itemsize);
}

/* ---- the order of dims ----
 * An insertion sort from the last dim (innermost by default) to the first, as in PyTorch's TensorIterator: the first
 * operand whose strides of the two dims differ decides. */

static int compare_dims(const Walk *w, int inner, int outer) {
    for (int i = 0; i < w->operands; i++) {
        int64_t a = w->steps[i][inner], b = w->steps[i][outer];
        if (a == 0 || b == 0) continue;
        if (a != b) return a < b ? -1 : 1;
        if (w->shape[inner] > w->shape[outer]) return 1;
    }
    return 0;
}

static void order_dims(const Walk *w, int *order) {
    for (int d = 0; d < w->ndim; d++) order[d] = w->ndim - 1 - d;
    for (int i = 1; i < w->ndim; i++)
        for (int moving = i, d = i - 1; d >= 0; d--) {
            int side = compare_dims(w, order[d], order[moving]);
            if (side < 0) break;
            if (side == 0) continue;
            int swapped = order[d];
            order[d] = order[moving];
            order[moving] = swapped;
            moving = d;
        }
}

Tensor *tg_empty_elementwise(Tensor *const *x, int count, const int64_t *shape, int ndim, t_DType dtype) {
    Walk w = {.operands = count, .ndim = ndim};
    int order[T_MAX_DIMS];
    int64_t strides[T_MAX_DIMS], stride = 1;
    for (int d = 0; d < ndim; d++) w.shape[d] = shape[d];
    for (int i = 0; i < count; i++) broadcast_strides(x[i], ndim, w.steps[i]);
    order_dims(&w, order);
    for (int d = 0; d < ndim; d++) {
        strides[order[d]] = stride;
        stride = tg_size_mul(stride, shape[order[d]] > 1 ? shape[order[d]] : 1);
    }
    return tg_empty_strided(shape, strides, ndim, dtype);
}

Tensor *tg_empty_like(const Tensor *x, t_DType dtype) {
    if (tg_is_dense(x)) return tg_empty_strided(x->shape, x->strides, x->ndim, dtype);
    return tg_empty_elementwise((Tensor *const *)&x, 1, x->shape, x->ndim, dtype);
}

/* ---- iteration ---- */

/* x's byte stride along the flattened y, which is contiguous: the item size if x is contiguous, 0 if x is one element
 * or one that is expanded; -1 if there is no such single stride. */
static int64_t flat_stride(const Tensor *x, const Tensor *y) {
    if (tg_numel(x) == 1) return 0;
    if (!tg_same_shape(x, y)) return -1;
    if (tg_is_contiguous(x)) return (int64_t)tg_itemsize(x->dtype);
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] > 1 && x->strides[d]) return -1;
    return 0;
}

static bool is_contiguous_run(Walk *w, Tensor *y, Tensor *const *x) {
    if (!tg_is_contiguous(y)) return false;
    for (int i = 1; i < w->operands; i++)
        if ((w->steps[i][0] = flat_stride(x[i - 1], y)) < 0) return false;
    w->steps[0][0] = (int64_t)tg_itemsize(y->dtype);
    w->shape[0] = tg_numel(y);
    w->ndim = 1;
    return true;
}

/* Coalesces dim `from` into dim `into` (the next inner one) if one stride covers both in every operand. */
static bool coalesce(Walk *w, int into, int from) {
    if (w->shape[from] == 1) return true;
    bool single = w->shape[into] == 1;
    for (int i = 0; i < w->operands; i++)
        if (!single && w->steps[i][from] != w->shape[into] * w->steps[i][into]) return false;
    for (int i = 0; single && i < w->operands; i++) w->steps[i][into] = w->steps[i][from];
    w->shape[into] *= w->shape[from];
    return true;
}

static void set_dim(Walk *w, int d, const Walk *from, int from_d) {
    w->shape[d] = from->shape[from_d];
    for (int i = 0; i < w->operands; i++) w->steps[i][d] = from->steps[i][from_d];
}

/* Sets w's dims to those of `given` (in the tensors' order), sorted by stride and coalesced. */
static void sort_and_coalesce(Walk *w, const Walk *given) {
    int order[T_MAX_DIMS] = {0}, last = 0;
    if (given->ndim > 1) order_dims(given, order);
    set_dim(w, 0, given, order[0]);
    for (int d = 1; d < given->ndim; d++) {
        set_dim(w, last + 1, given, order[d]);
        if (!coalesce(w, last, last + 1)) last++;
    }
    w->ndim = last + 1;
}

static void plan(Walk *w, Tensor *y, Tensor *const *x) {
    Walk given;
    given.operands = w->operands;
    given.ndim = y->ndim;
    given.shape[0] = 1; /* for a 0-dim y */
    for (int i = 0; i < w->operands; i++) given.steps[i][0] = 0;
    for (int d = 0; d < y->ndim; d++) given.shape[d] = y->shape[d];
    broadcast_strides(y, y->ndim, given.steps[0]);
    for (int i = 1; i < w->operands; i++) broadcast_strides(x[i - 1], y->ndim, given.steps[i]);
    sort_and_coalesce(w, &given);
}

/* The argument of the threads. */
typedef struct Shared {
    const Walk *walk;
    Loop loop;
    const void *context;
} Shared;

/* Where the index of dim d has reached its size, resets it and increments the next dim, and so on. False at the end. */
static bool next_index(const Walk *w, int d, int64_t *index, char **data) {
    for (; index[d] == w->shape[d]; d++) {
        if (d + 1 == w->ndim) return false;
        for (int i = 0; i < w->operands; i++) data[i] += w->steps[i][d + 1] - w->steps[i][d] * w->shape[d];
        index[d] = 0;
        index[d + 1]++;
    }
    return true;
}

/* Calls the loop on complete rows of dim 0 along dim 1, for at most `left` elements. Returns the number of elements. */
static int64_t run_rows(const Shared *shared, int64_t left, const int64_t *steps, int64_t *index, char **data) {
    const Walk *w = shared->walk;
    const int64_t n = w->shape[0], to_come = w->shape[1] - index[1], rows = left / n < to_come ? left / n : to_come;
    for (int64_t row = 0; row < rows; row++) {
        shared->loop(n, data, steps, shared->context);
        for (int i = 0; i < w->operands; i++) data[i] += w->steps[i][1];
    }
    index[1] += rows;
    return rows * n;
}

/* The elements from .. to - 1 in iteration order. */
static void run_range(int64_t from, int64_t to, void *context) {
    const Shared *shared = context;
    const Walk *w = shared->walk;
    int64_t steps[TG_OPERANDS] = {0}, index[T_MAX_DIMS] = {0};
    char *data[TG_OPERANDS];
    memcpy(data, w->data, sizeof data);
    for (int i = 0; i < w->operands; i++) steps[i] = w->steps[i][0];
    int64_t rest = from;
    for (int d = 0; rest > 0; d++) { /* the multi-dimensional index of `from` */
        index[d] = rest % w->shape[d];
        rest /= w->shape[d];
        for (int i = 0; i < w->operands; i++) data[i] += index[d] * w->steps[i][d];
    }
    while (from < to) {
        const bool rows = index[0] == 0 && to - from >= w->shape[0] && w->ndim > 1;
        if (rows) {
            from += run_rows(shared, to - from, steps, index, data);
        } else {
            int64_t n = w->shape[0] - index[0] < to - from ? w->shape[0] - index[0] : to - from;
            shared->loop(n, data, steps, shared->context);
            from += n;
            index[0] += n;
            for (int i = 0; i < w->operands; i++) data[i] += n * steps[i];
        }
        if (!next_index(w, rows, index, data)) return;
    }
}

/* With dims sorted by stride, each stride of y is at least the extent of the dims inside it: no elements overlap. */
bool tg_walk_is_spread(const Walk *w) {
    int64_t reach = 1;
    for (int d = 0; d < w->ndim; d++) {
        if (w->shape[d] == 1) continue;
        if (w->steps[0][d] < reach) return false;
        reach = tg_size_mul(w->shape[d], w->steps[0][d]);
    }
    return true;
}

/* A one-element tensor's value in another dtype, in `cell`. */
static char *converted(const Tensor *x, t_DType dtype, void *cell) {
    switch (dtype) {
    case t_float32: *(float *)cell = (float)tg_read_double(x); break;
    case t_float64: *(double *)cell = tg_read_double(x); break;
    case t_int64: *(int64_t *)cell = tg_read_int64(x); break;
    default: *(bool *)cell = tg_read_double(x) != 0; break;
    }
    return cell;
}

/* Replaces one-element inputs of another dtype than the loop reads by their converted values. */
static void convert_scalars(Walk *w, Tensor *const *x, t_DType dtype, int64_t *cells) {
    for (int i = 1; i < w->operands; i++)
        if (x[i - 1]->dtype != dtype && tg_numel(x[i - 1]) == 1) w->data[i] = converted(x[i - 1], dtype, &cells[i]);
}

void tg_walk_plan(Walk *w, Tensor *y, Tensor *const *x, int count) {
    w->operands = count + 1;
    w->data[0] = tg_data(y);
    for (int i = 0; i < count; i++) w->data[i + 1] = tg_data(x[i]);
    if (!is_contiguous_run(w, y, x)) plan(w, y, x);
}

void tg_walk_run(const Walk *w, Loop loop, const void *context) {
    if (w->ndim == 1) {
        int64_t steps[TG_OPERANDS];
        for (int i = 0; i < w->operands; i++) steps[i] = w->steps[i][0];
        loop(w->shape[0], w->data, steps, context);
    } else {
        run_range(0, tg_shape_numel(w->shape, w->ndim), &(Shared){w, loop, context});
    }
}

void tg_run(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context) {
    Walk w;
    int64_t cells[TG_OPERANDS];
    if (tg_numel(y) == 0) return;
    tg_walk_plan(&w, y, x, count);
    if (dtype) convert_scalars(&w, x, dtype, cells);
    tg_walk_run(&w, loop, context);
}

static void run_all(const Walk *w, int64_t n, int64_t grain, Loop loop, const void *context) {
    if (n > 2 * grain && tg_walk_is_spread(w))
        tg_parallel(n, grain ? grain : 1, run_range, &(Shared){w, loop, context});
    else tg_walk_run(w, loop, context);
}

void tg_run_costly(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context,
                   int64_t cost) {
    Walk w;
    int64_t cells[TG_OPERANDS], n = tg_numel(y), grain = TG_WALK_GRAIN / (cost ? cost : 1);
    if (n == 0) return;
    tg_walk_plan(&w, y, x, count);
    if (dtype) convert_scalars(&w, x, dtype, cells);
    run_all(&w, n, grain, loop, context);
}

void tg_run_shared(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context) {
    Walk w;
    int64_t cells[TG_OPERANDS], sizes[TG_OPERANDS], n = tg_numel(y);
    if (n == 0) return;
    tg_walk_plan(&w, y, x, count);
    if (dtype) convert_scalars(&w, x, dtype, cells);
    sizes[0] = (int64_t)tg_itemsize(y->dtype);
    for (int i = 0; i < count; i++) sizes[i + 1] = (int64_t)tg_itemsize(x[i]->dtype);
    if (w.ndim > 1 && (tg_walk_tiles(&w, sizes, loop, context) || tg_walk_rows(&w, sizes, loop, context))) return;
    run_all(&w, n, TG_WALK_GRAIN, loop, context);
}

void tg_run_alike(Loop loop, int64_t n, Tensor *y, Tensor *const *x, int count, const void *context) {
    char *data[TG_OPERANDS];
    int64_t steps[TG_OPERANDS];
    if (n > 2 * TG_WALK_GRAIN) {
        tg_run_shared(loop, y, x, count, 0, context);
        return;
    }
    data[0] = tg_data(y);
    steps[0] = (int64_t)tg_itemsize(y->dtype);
    for (int i = 0; i < count; i++) {
        data[i + 1] = tg_data(x[i]);
        steps[i + 1] = (int64_t)tg_itemsize(x[i]->dtype);
    }
    loop(n, data, steps, context);
}
