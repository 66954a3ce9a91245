/* core/ops/shape/cat.c: cat, stack, repeat, tril and triu. stack.c has the functions composed of these. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/ops/shape/shape_internal.h"
#include "core/tensor/size_arithmetic.h"

/* ---- cat, stack ---- */

/* PyTorch's legacy rule: cat ignores an empty vector among tensors of any rank. */
static bool is_skipped(const Tensor *x) {
    return x->ndim == 1 && x->shape[0] == 0;
}

static void cat_backward(Record *r, Tensor *dy, Tensor **dx) {
    int64_t dim = *(int64_t *)r->attributes, start = 0;
    for (int i = 0; i < r->inputs; i++) {
        const Edge *edge = &r->edges[i];
        bool skipped = edge->ndim == 1 && edge->shape[0] == 0 && dy->ndim != 1;
        int64_t length = skipped ? 0 : edge->shape[dim];
        if (tg_needs(r, i)) dx[i] = skipped ? tg_zeros_like_input(r, i) : t_narrow(dy, dim, start, length);
        start += length;
    }
}
static const Op cat_op = {"cat", "CatBackward0", cat_backward}, stack_op = {"stack", "StackBackward0", cat_backward};

static bool check_sizes(const Tensor *first, const Tensor *x, int dim, int64_t number) {
    if (x->ndim != first->ndim)
        return tg_fail("Tensors must have same number of dimensions: got %d and %d", first->ndim, x->ndim);
    for (int d = 0; d < x->ndim; d++)
        if (d != dim && x->shape[d] != first->shape[d])
            return tg_fail(
                "Sizes of tensors must match except in dimension %d. Expected size %lld but got size %lld for "
                "tensor number %lld in the list.",
                dim, (long long)first->shape[d], (long long)x->shape[d], (long long)number);
    return true;
}

static bool check_list(const t_TensorList *tensors, const char *when_empty) {
    if (!tg_check_list(tensors, 1)) return false;
    return tensors->len > 0 || tg_fail("%s", when_empty);
}

static Tensor *concatenate(const t_TensorList *tensors, int64_t dim, const Op *op) {
    int d;
    Tensor *const *x = tensors->items, *first = x[0];
    for (int64_t i = 0; i < tensors->len; i++) {
        if (x[i]->ndim == 0)
            return tg_fail("zero-dimensional tensor (at position %lld) cannot be concatenated", (long long)i);
        if (is_skipped(first)) first = x[i];
    }
    if (!tg_wrap_dim(dim, first->ndim, &d)) return NULL;
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, first->shape, sizeof shape);
    shape[d] = 0;
    for (int64_t i = 0; i < tensors->len; i++) {
        if (is_skipped(x[i]) && first->ndim != 1) continue;
        if (!check_sizes(first, x[i], d, i)) return NULL;
        /* Overflows only for tensors without elements; tg_empty then reports the negative size. */
        (void)__builtin_add_overflow(shape[d], x[i]->shape[d], &shape[d]);
    }
    Tensor *y = tg_empty(shape, first->ndim, tg_result_type(x, (int)tensors->len));
    int64_t start = 0, along = d;
    for (int64_t i = 0; y && i < tensors->len; i++) {
        if (tg_numel(x[i]) == 0) continue;
        Tensor slice = *y; /* a view on the stack: only shape and offset differ from y */
        slice.shape[d] = x[i]->shape[d];
        slice.offset += start * y->strides[d];
        tg_copy_into(&slice, x[i]);
        start += x[i]->shape[d];
    }
    return tg_record(op, y, (Tensor **)x, (int)tensors->len, NONE, ATTRIBUTES(along));
}

/* torch.cat(tensors, dim): concatenates along dim; the other sizes must match, dtypes promote. dx_i = its slice of
 * dy. */
Tensor *t_cat(const t_TensorList *tensors, int64_t dim) {
    return check_list(tensors, "torch.cat(): expected a non-empty list of Tensors") ? concatenate(tensors, dim, &cat_op)
                                                                                    : NULL;
}

/* torch.stack(tensors, dim): concatenates along a new dim; all shapes must match. */
Tensor *t_stack(const t_TensorList *tensors, int64_t dim) {
    int d;
    if (!check_list(tensors, "stack expects a non-empty TensorList")) return NULL;
    const Tensor *first = tensors->items[0];
    if (!tg_wrap_dim(dim, first->ndim + 1, &d)) return NULL;
    for (int64_t i = 0; i < tensors->len; i++) {
        const Tensor *x = tensors->items[i];
        if (!tg_same_shape(x, first))
            return tg_fail("stack expects each tensor to be equal size, but got %s at entry 0 and %s at entry %lld",
                           tg_shape_of(first), tg_shape_of(x), (long long)i);
    }
    int depth = t_scope_open();
    t_TensorList *rows = depth ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; rows && i < tensors->len; i++)
        if (!t_list_append(rows, t_unsqueeze(tensors->items[i], d))) rows = NULL;
    Tensor *y = rows ? concatenate(rows, d, &stack_op) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- repeat ---- */

/* dx = the sum of the slices of dy that belong to the copies, dim by dim. */
static void repeat_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Repeats *repeats = r->attributes;
    for (int d = 0; d < repeats->count; d++) {
        if (repeats->of[d] == 0) {
            dx[0] = tg_zeros_like_input(r, 0);
            return;
        }
        int64_t size = dy->shape[d] / repeats->of[d];
        Tensor *sum = t_narrow(dy, d, 0, size);
        for (int64_t i = 1; i < repeats->of[d]; i++) sum = t_add(sum, t_narrow(dy, d, i * size, size));
        if (!(dy = sum)) return;
    }
    dx[0] = t_reshape(dy, r->edges[0].shape, r->edges[0].ndim);
}
static const Op repeat_op = {"repeat", "RepeatBackward0", repeat_backward};

/* Copies x to each repeat in y; `slice` is a view of y with the shape of x at one of them. */
static void copy_repeats(Tensor *slice, Tensor *x, const Repeats *repeats, int dim) {
    if (dim == repeats->count) {
        tg_copy_into(slice, x);
        return;
    }
    int64_t start = slice->offset;
    for (int64_t i = 0; i < repeats->of[dim]; i++) {
        copy_repeats(slice, x, repeats, dim + 1);
        slice->offset += slice->shape[dim] * slice->strides[dim];
    }
    slice->offset = start;
}

/* x.repeat(repeats): x repeated repeats[d] times along dim d; more repeats than dims add leading dims of size 1 to
 * x. */
Tensor *t_repeat(Tensor *x, const int64_t *repeats, int count) {
    Repeats times = {.count = count};
    int64_t shape[T_MAX_DIMS];
    if (!tg_check_any(x, 1) || !tg_check_array(repeats, count, 2, "repeats")) return NULL;
    int extra = count - x->ndim;
    if (extra < 0)
        return tg_fail("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
    if (count > T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, count);
    for (int d = 0; d < count; d++) {
        times.of[d] = repeats[d];
        shape[d] = tg_size_mul(d < extra ? 1 : x->shape[d - extra], repeats[d]);
    }
    Tensor *y = tg_empty(shape, count, x->dtype);
    if (!y) return NULL;
    Tensor slice = *y;
    for (int d = 0; d < count; d++) slice.shape[d] = d < extra ? 1 : x->shape[d - extra];
    if (tg_numel(y)) copy_repeats(&slice, x, &times, 0);
    return tg_record(&repeat_op, y, INPUTS(x), NONE, ATTRIBUTES(times));
}

/* ---- triangles ---- */

static Tensor *triangle(Tensor *x, Triangle t);

static void triangle_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = triangle(dy, *(Triangle *)r->attributes);
}
static const Op tril_op = {"tril", "TrilBackward0", triangle_backward};
static const Op triu_op = {"triu", "TriuBackward0", triangle_backward};

static Tensor *triangle(Tensor *x, Triangle t) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim < 2) return tg_fail("%s: input tensor must have at least 2 dimensions", t.upper ? "triu" : "tril");
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    if (!y) return NULL;
    tg_copy_into(y, x);
    int64_t rows = x->shape[x->ndim - 2], columns = x->shape[x->ndim - 1];
    int64_t most = rows + columns, diagonal = t.diagonal > most ? most : t.diagonal < -most ? -most : t.diagonal;
    size_t item = tg_itemsize(x->dtype);
    char *data = tg_data(y);
    for (int64_t row = 0, all = columns ? tg_numel(x) / columns : 0; row < all; row++) {
        int64_t from = row % rows + diagonal + !t.upper, cut = from < 0 ? 0 : from > columns ? columns : from;
        char *start = data + (size_t)(row * columns) * item; /* upper: clear [0, cut), lower: clear [cut, columns) */
        if (t.upper) memset(start, 0, (size_t)cut * item);
        else memset(start + (size_t)cut * item, 0, (size_t)(columns - cut) * item);
    }
    return tg_record(t.upper ? &triu_op : &tril_op, y, INPUTS(x), NONE, ATTRIBUTES(t));
}

/* torch.tril(x, diagonal), torch.triu(x, diagonal): the matrices of the last two dims with zeros above (below) the
 * given diagonal; 0 is the main one, positive ones are above it. dx = the same triangle of dy. */
Tensor *t_tril(Tensor *x, int64_t diagonal) {
    return triangle(x, (Triangle){diagonal, false});
}

Tensor *t_triu(Tensor *x, int64_t diagonal) {
    return triangle(x, (Triangle){diagonal, true});
}

/* x.tril_(diagonal), x.triu_(diagonal): in place */
Tensor *t_tril_(Tensor *x, int64_t diagonal) {
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_tril(x, diagonal) : NULL);
}

Tensor *t_triu_(Tensor *x, int64_t diagonal) {
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_triu(x, diagonal) : NULL);
}
