/* core/iter.c: broadcasting, output layout, and the walk in straight runs. */
#include "core/iter.h"

#include <string.h>

/* Dims in walking order (0 is the innermost), one row of byte steps for each operand. */
typedef struct Walk {
    int operands, ndim;
    int64_t shape[T_MAX_DIMS], steps[TG_OPERANDS][T_MAX_DIMS];
    char *data[TG_OPERANDS];
} Walk;

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

/* The byte steps of x over a shape that it broadcasts to: 0 where it is stretched. */
static void steps_over(const Tensor *x, int ndim, int64_t *steps) {
    int64_t itemsize = (int64_t)tg_itemsize(x->dtype);
    int missing = ndim - x->ndim;
    for (int d = 0; d < ndim; d++)
        steps[d] = d < missing || x->shape[d - missing] == 1 ? 0 : x->strides[d - missing] * itemsize;
}

/* ---- the order of dims ----
 * An insertion sort from the last dim (innermost by default) to the first, as PyTorch's TensorIterator has it: the first
 * operand whose steps tell two dims apart decides. */

static int compare(const Walk *w, int inner, int outer) {
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
            int side = compare(w, order[d], order[moving]);
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
    for (int i = 0; i < count; i++) steps_over(x[i], ndim, w.steps[i]);
    order_dims(&w, order);
    for (int d = 0; d < ndim; d++) {
        strides[order[d]] = stride;
        stride *= shape[order[d]] > 1 ? shape[order[d]] : 1;
    }
    return tg_empty_strided(shape, strides, ndim, dtype);
}

Tensor *tg_empty_like(const Tensor *x, t_DType dtype) {
    if (tg_is_dense(x)) return tg_empty_strided(x->shape, x->strides, x->ndim, dtype);
    return tg_empty_elementwise((Tensor *const *)&x, 1, x->shape, x->ndim, dtype);
}

/* ---- the walk ---- */

static bool is_one_run(Tensor *y, Tensor *const *x, int count) {
    if (!tg_is_contiguous(y)) return false;
    for (int i = 0; i < count; i++)
        if (tg_numel(x[i]) != 1 && !(tg_same_shape(x[i], y) && tg_is_contiguous(x[i]))) return false;
    return true;
}

static void as_one_run(Walk *w, Tensor *y, Tensor *const *x) {
    w->ndim = 1;
    w->shape[0] = tg_numel(y);
    w->steps[0][0] = (int64_t)tg_itemsize(y->dtype);
    for (int i = 1; i < w->operands; i++)
        w->steps[i][0] = tg_numel(x[i - 1]) == 1 ? 0 : (int64_t)tg_itemsize(x[i - 1]->dtype);
}

/* Merges dim `from` into dim `into` (the one just inside it) if every operand steps evenly over both. */
static bool merge(Walk *w, int into, int from) {
    if (w->shape[from] == 1) return true;
    bool single = w->shape[into] == 1;
    for (int i = 0; i < w->operands; i++)
        if (!single && w->steps[i][from] != w->shape[into] * w->steps[i][into]) return false;
    for (int i = 0; single && i < w->operands; i++) w->steps[i][into] = w->steps[i][from];
    w->shape[into] *= w->shape[from];
    return true;
}

static void sort_and_merge(Walk *w, const Tensor *y) {
    Walk sorted = *w;
    int order[T_MAX_DIMS], last = 0;
    order_dims(w, order);
    for (int d = 0; d < y->ndim; d++) {
        sorted.shape[d] = w->shape[order[d]];
        for (int i = 0; i < w->operands; i++) sorted.steps[i][d] = w->steps[i][order[d]];
    }
    if (y->ndim == 0) sorted.shape[0] = 1;
    for (int d = 1; d < y->ndim; d++) {
        if (merge(&sorted, last, d)) continue;
        last++;
        sorted.shape[last] = sorted.shape[d];
        for (int i = 0; i < w->operands; i++) sorted.steps[i][last] = sorted.steps[i][d];
    }
    sorted.ndim = last + 1;
    *w = sorted;
}

static void run(Walk *w, Loop loop, const void *context) {
    int64_t steps[TG_OPERANDS] = {0}, index[T_MAX_DIMS] = {0};
    for (int i = 0; i < w->operands; i++) steps[i] = w->steps[i][0];
    for (;;) {
        loop(w->shape[0], w->data, steps, context);
        int d = 1;
        for (; d < w->ndim; d++) {
            for (int i = 0; i < w->operands; i++) w->data[i] += w->steps[i][d];
            if (++index[d] < w->shape[d]) break;
            for (int i = 0; i < w->operands; i++) w->data[i] -= w->steps[i][d] * w->shape[d];
            index[d] = 0;
        }
        if (d >= w->ndim) return;
    }
}

/* A one-element input in another dtype than the loop reads: its value goes into `cell`. */
static char *converted(const Tensor *x, t_DType dtype, void *cell) {
    switch (dtype) {
    case t_float32: *(float *)cell = (float)tg_read_double(x); break;
    case t_float64: *(double *)cell = tg_read_double(x); break;
    case t_int64: *(int64_t *)cell = tg_read_int64(x); break;
    default: *(bool *)cell = tg_read_double(x) != 0; break;
    }
    return cell;
}

void tg_run(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context) {
    if (tg_numel(y) == 0) return;
    Walk w = {.operands = count + 1};
    int64_t cells[TG_OPERANDS];
    w.data[0] = tg_data(y);
    for (int i = 0; i < count; i++)
        w.data[i + 1] = dtype && x[i]->dtype != dtype && tg_numel(x[i]) == 1 ? converted(x[i], dtype, &cells[i])
                                                                             : (char *)tg_data(x[i]);
    if (is_one_run(y, x, count)) {
        as_one_run(&w, y, x);
    } else {
        w.ndim = y->ndim;
        memcpy(w.shape, y->shape, sizeof w.shape);
        steps_over(y, y->ndim, w.steps[0]);
        for (int i = 0; i < count; i++) steps_over(x[i], y->ndim, w.steps[i + 1]);
        sort_and_merge(&w, y);
    }
    run(&w, loop, context);
}
