/* core/ops/shape/slice.c: slice, narrow, select, split, chunk, tensor_split and unbind: views of parts along one dim.
 * */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/ops/shape/shape_internal.h"
#include "core/tensor/size_arithmetic.h"

static Tensor *slice_view(Tensor *x, const Slice *s) {
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];
    memcpy(shape, x->shape, sizeof shape);
    memcpy(strides, x->strides, sizeof strides);
    shape[s->dim] = s->length;
    strides[s->dim] = (int64_t)((uint64_t)strides[s->dim] * (uint64_t)s->step); /* may overflow only if it is unused */
    return tg_view(x, shape, strides, x->ndim, tg_offset_at(x, s->dim, s->start));
}

static Slice slice_of(const Tensor *x, int dim, int64_t start, int64_t length, int64_t step) {
    Slice s = {.dim = dim, .ndim = x->ndim, .start = start, .length = length, .step = step};
    memcpy(s.shape, x->shape, sizeof s.shape);
    return s;
}

/* ---- backward: dy in the slice of zeros; its own backward: the slice again ---- */

static Tensor *record_slice(Tensor *x, const Slice *s);

static void slice_backward_backward(Record *r, Tensor *ddy, Tensor **dx) {
    dx[0] = record_slice(ddy, r->attributes);
}
static const Op slice_backward_op = {"slice_backward", "SliceBackward0Backward0", slice_backward_backward};

static Tensor *slice_backward_zeros(Tensor *dy, const Slice *s) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dy->dtype};
    Tensor *zeros = t_zeros(s->shape, s->ndim, &options), *view = zeros ? slice_view(zeros, s) : NULL;
    if (!view) return NULL;
    tg_copy_into(view, dy);
    return tg_record(&slice_backward_op, zeros, INPUTS(dy), NONE, s, sizeof *s);
}

/* dx = dy in the slice: added in place to the gradient that was accumulated for x so far, if there is one; else in
 * zeros. */
static Tensor *accumulate_slice(const Record *r, Tensor *dy) {
    Tensor *sum = tg_accumulated_gradient(r, 0), *view = sum && sum->dtype == dy->dtype ? slice_view(sum, r->attributes)
        : NULL;
    if (!view) return slice_backward_zeros(dy, r->attributes);
    tg_add_into(view, dy);
    return NULL;
}

static void slice_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = accumulate_slice(r, dy);
}
static const Op slice_op = {"slice", "SliceBackward0", slice_backward};
static const Op split_op = {"split", "SplitBackward0", slice_backward};

static Tensor *record_slice(Tensor *x, const Slice *s) {
    return tg_record(&slice_op, slice_view(x, s), INPUTS(x), NONE, s, sizeof *s);
}

/* ---- x[start:end:step] ---- */

static int64_t clamp_index(int64_t i, int64_t size) {
    if (i < 0) i += size;
    return i < 0 ? 0 : i > size ? size : i;
}

/* x[start:end:step] along dim: a view. Negative start and end count from the end and are clamped to the size, as in
 * Python; T_NONE omits one. dx = dy in the slice, 0 elsewhere. Errors: dim out of range, step < 1. */
Tensor *t_slice(Tensor *x, int64_t dim, int64_t start, int64_t end, int64_t step) {
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 0) return tg_fail("slice() cannot be applied to a 0-dim tensor.");
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (step == T_NONE) step = 1;
    if (step < 1) return tg_fail("slice step must be positive");
    int64_t size = x->shape[d], first = start == T_NONE ? 0 : clamp_index(start, size),
            last = end == T_NONE ? size : clamp_index(end, size);
    int64_t length = last > first ? (last - first - 1) / step + 1 : 0;
    Slice s = slice_of(x, d, first, length, step);
    return record_slice(x, &s);
}

/* x.narrow(dim, start, length): x[start : start + length] along dim, which must be inside x. */
Tensor *t_narrow(Tensor *x, int64_t dim, int64_t start, int64_t length) {
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 0) return tg_fail("narrow() cannot be applied to a 0-dim tensor.");
    if (length < 0) return tg_fail("narrow(): length must be non-negative.");
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    int64_t size = x->shape[d];
    if (start < -size || start > size)
        return tg_fail("start out of range (expected to be in range of [%lld, %lld], but got %lld)", (long long)-size,
                       (long long)size, (long long)start);
    if (start < 0) start += size;
    if (start > size - length)
        return tg_fail("start (%lld) + length (%lld) exceeds dimension size (%lld).", (long long)start,
                       (long long)length, (long long)size);
    Slice s = slice_of(x, d, start, length, 1);
    return record_slice(x, &s);
}

/* ---- x[index] ---- */

static void select_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Slice *s = r->attributes;
    Tensor *row = t_unsqueeze(dy, s->dim);
    if (row) dx[0] = accumulate_slice(r, row);
}
static const Op select_op = {"select", "SelectBackward0", select_backward};
static const Op unbind_op = {"unbind", "UnbindBackward0", select_backward};

static Tensor *select_index(Tensor *x, int64_t dim, int64_t index, const Op *op) {
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS];
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 0) return tg_fail("select() cannot be applied to a 0-dim tensor.");
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    int64_t size = x->shape[d], at = index < 0 ? index + size : index;
    if (at < 0 || at >= size)
        return tg_fail("select(): index %lld out of range for tensor of size %s at dimension %d", (long long)index,
                       tg_shape_of(x), d);
    for (int i = 0, to = 0; i < x->ndim; i++)
        if (i != d) {
            shape[to] = x->shape[i];
            strides[to++] = x->strides[i];
        }
    Slice s = slice_of(x, d, at, 1, 1);
    Tensor *y = tg_view(x, shape, strides, x->ndim - 1, tg_offset_at(x, d, at));
    return tg_record(op, y, INPUTS(x), NONE, ATTRIBUTES(s));
}

/* x.select(dim, index): the view at one index, without that dim. dx = dy there, 0 elsewhere. */
Tensor *t_select(Tensor *x, int64_t dim, int64_t index) {
    return select_index(x, dim, index, &select_op);
}

/* ---- split, chunk, tensor_split, unbind ---- */

/* A limit on the length of a list, which would otherwise take hours or exhaust memory. */
static bool check_split_count(const Tensor *x, int dim, int64_t count) {
    enum { MAX_LENGTH = 1 << 24 };
    return count <= MAX_LENGTH || tg_fail("%lld parts of a dim of size %lld are too many: a list has at most %d",
                                          (long long)count, (long long)x->shape[dim], MAX_LENGTH);
}

static t_TensorList *split_list(Tensor *x, int dim, int64_t size, int64_t count, bool unbind) {
    t_TensorList *list = check_split_count(x, dim, count) ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; list && i < count; i++) {
        int64_t start = i * size, rest = x->shape[dim] - start;
        Slice s = slice_of(x, dim, start, rest < size ? rest : size, 1);
        Tensor *y = unbind ? select_index(x, dim, i, &unbind_op)
                               : tg_record(&split_op, slice_view(x, &s), INPUTS(x), NONE, ATTRIBUTES(s));
        if (!t_list_append(list, y)) return NULL;
    }
    return list;
}

/* x.split(split_size, dim): views of split_size each, the last one may be smaller. */
t_TensorList *t_split(Tensor *x, int64_t split_size, int64_t dim) {
    TG_COMPOSITE("split");
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 0) return tg_fail("split expects at least a 1-dimensional tensor");
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (split_size < 0)
        return tg_fail("split expects split_size be non-negative, but got split_size=%lld", (long long)split_size);
    if (split_size == 0 && x->shape[d])
        return tg_fail("split_size can only be 0 if dimension size is 0, but got dimension size of %lld",
                       (long long)x->shape[d]);
    int64_t count = split_size ? tg_size_ceil_div(x->shape[d], split_size) : 1;
    return split_list(x, d, split_size, count ? count : 1, false);
}

/* x.chunk(chunks, dim): at most `chunks` views of the same size, the last one may be smaller. */
t_TensorList *t_chunk(Tensor *x, int64_t chunks, int64_t dim) {
    TG_COMPOSITE("chunk");
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 0) return tg_fail("chunk expects at least a 1-dimensional tensor");
    if (chunks < 1) return tg_fail("chunk expects `chunks` to be greater than 0, got: %lld", (long long)chunks);
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    int64_t size = tg_size_ceil_div(x->shape[d], chunks);
    return size ? t_split(x, size, d) : split_list(x, d, 0, chunks, false);
}

static const Op split_sizes_op = {"split", "SplitWithSizesBackward0", slice_backward};

/* x.split([sizes], dim): consecutive views of those sizes, which must sum to the size of the dim. */
t_TensorList *t_split_with_sizes(Tensor *x, const int64_t *split_sizes, int count, int64_t dim) {
    TG_COMPOSITE("split_with_sizes");
    int64_t start = 0, sum = 0;
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 0) return tg_fail("split expects at least a 1-dimensional tensor");
    if (!tg_wrap_dim(dim, x->ndim, &d) || !tg_check_array(split_sizes, count, 2, "sizes")) return NULL;
    for (int i = 0; i < count; i++) {
        if (split_sizes[i] < 0)
            return tg_fail("split_with_sizes expects split_sizes have only non-negative entries, but got "
                           "split_sizes=%s",
                           tg_shape_text(split_sizes, count));
        if (__builtin_add_overflow(sum, split_sizes[i], &sum)) sum = INT64_MAX;
    }
    if (sum != x->shape[d])
        return tg_fail("split_with_sizes expects split_sizes to sum exactly to %lld (input tensor's size at dimension "
                       "%d), but got split_sizes=%s",
                       (long long)x->shape[d], d, tg_shape_text(split_sizes, count));
    t_TensorList *list = t_list_new(NULL, 0);
    for (int i = 0; list && i < count; start += split_sizes[i++]) {
        Slice s = slice_of(x, d, start, split_sizes[i], 1);
        if (!t_list_append(list, tg_record(&split_sizes_op, slice_view(x, &s), INPUTS(x), NONE, ATTRIBUTES(s))))
            return NULL;
    }
    return list;
}

/* torch.tensor_split(x, sections, dim): that many views whose sizes differ by at most one, the larger ones first.
 * torch.tensor_split(x, [indices], dim): x[:i0], x[i0:i1], ..., with Python's slicing. */
static t_TensorList *split_at(Tensor *x, int d, const int64_t *indices, int count) {
    t_TensorList *list = t_list_new(NULL, 0);
    for (int i = 0; list && i <= count; i++) {
        int64_t start = i ? indices[i - 1] : 0, end = i < count ? indices[i] : T_NONE;
        if (!t_list_append(list, t_slice(x, d, start, end, 1))) return NULL;
    }
    return list;
}

static bool check_tensor_split(const Tensor *x, int64_t dim, int *d) {
    if (!tg_check_any(x, 1)) return false;
    if (x->ndim) return tg_wrap_dim(dim, x->ndim, d);
    return tg_fail("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims");
}

t_TensorList *t_tensor_split_indices(Tensor *x, const int64_t *indices, int count, int64_t dim) {
    int d;
    return check_tensor_split(x, dim, &d) && tg_check_array(indices, count, 2, "indices")
               ? split_at(x, d, indices, count)
               : NULL;
}

t_TensorList *t_tensor_split(Tensor *x, int64_t sections, int64_t dim) {
    int d;
    if (!check_tensor_split(x, dim, &d)) return NULL;
    if (sections < 1) return tg_fail("number of sections must be larger than 0, got %lld", (long long)sections);
    t_TensorList *list = check_split_count(x, d, sections) ? t_list_new(NULL, 0) : NULL;
    int64_t small = x->shape[d] / sections, larger = x->shape[d] % sections, start = 0;
    for (int64_t i = 0; list && i < sections; i++) {
        int64_t end = start + small + (i < larger);
        if (!t_list_append(list, t_slice(x, d, start, end, 1))) return NULL;
        start = end;
    }
    return list;
}

/* torch.hsplit(x, sections), vsplit, dsplit: tensor_split along the second (of a vector the only), first and third dim
 * into equal parts; or at indices. Errors: too few dims, a size that sections do not divide. */
static bool check_hvd_split(const char *name, const Tensor *x, int dims) {
    if (!tg_check_any(x, 1)) return false;
    return x->ndim >= dims || tg_fail("torch.%s requires a tensor with at least %d dimension, but got a tensor with %d "
                                      "dimensions!", name, dims, x->ndim);
}

static t_TensorList *equal_parts(const char *name, Tensor *x, int64_t sections, int dim) {
    if (sections == 0 || x->shape[dim] % sections != 0)
        return tg_fail("torch.%s attempted to split along dimension %d, but the size of the dimension %lld is not "
                       "divisible by the split_size %lld!", name, dim, (long long)x->shape[dim], (long long)sections);
    return t_tensor_split(x, sections, dim);
}

#define HVD_SPLIT(f, dims, dim)                                                               \
    t_TensorList *t_##f(Tensor *x, int64_t sections) {                                        \
        return check_hvd_split(#f, x, dims) ? equal_parts(#f, x, sections, dim) : NULL;       \
    }                                                                                         \
    t_TensorList *t_##f##_indices(Tensor *x, const int64_t *indices, int count) {             \
        return check_hvd_split(#f, x, dims) ? t_tensor_split_indices(x, indices, count, dim) : NULL; \
    }
HVD_SPLIT(hsplit, 1, x->ndim > 1)
HVD_SPLIT(vsplit, 2, 0)
HVD_SPLIT(dsplit, 3, 2)

/* x.unbind(dim): the views at each index, without that dim. */
t_TensorList *t_unbind(Tensor *x, int64_t dim) {
    TG_COMPOSITE("unbind");
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim == 0) return tg_fail("Dimension specified as 0 but tensor has no dimensions");
    return tg_wrap_dim(dim, x->ndim, &d) ? split_list(x, d, 1, x->shape[d], true) : NULL;
}
