/* core/ops/indexing/gather.c: gather, index_select, take_along_dim, and their adjoint. */
#include "core/autograd/trace.h"
#include "core/ops/indexing/gather_internal.h"

#include <string.h>

#include "core/kernels/index_range.h"
#include "core/tensor/size_arithmetic.h"

/* ---- the range check, before a result is allocated ---- */

typedef struct Bounds {
    int64_t low, size, ignored;
    bool ignores; /* the ignored index may be out of range */
    bool *found;
    int64_t *bad;
} Bounds;

static inline bool is_bad(const Bounds *bounds, int64_t index) {
    return ((index < bounds->low) | (index >= bounds->size)) & (!bounds->ignores | (index != bounds->ignored));
}

/* One pass tells whether there is an index that is out of range, a second one finds the first. */
static void find_bad_loop(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const Bounds bounds = *(const Bounds *)context;
    const char *const index = p[0];
    const int64_t stride = s[0];
    if (stride == sizeof(int64_t) &&
        !tg_any_out_of_range(n, (const int64_t *)(const void *)index, bounds.low, bounds.size - 1))
        return;
    for (int64_t i = 0; !*bounds.found && i < n; i++) {
        *bounds.bad = *(const int64_t *)(index + i * stride);
        *bounds.found = is_bad(&bounds, *bounds.bad);
    }
}

static bool find_bad(const Tensor *index, int64_t low, int64_t size, const int64_t *ignored, int64_t *bad) {
    bool found = false;
    const Bounds bounds = {low, size, ignored ? *ignored : 0, ignored != NULL, &found, bad};
    Tensor unexpanded = *index; /* dims of stride 0 are checked once */
    for (int d = 0; d < index->ndim; d++)
        if (index->strides[d] == 0 && index->shape[d]) unexpanded.shape[d] = 1;
    tg_run(find_bad_loop, &unexpanded, NULL, 0, 0, &bounds);
    return found;
}

bool tg_find_bad_index(Tensor *index, int64_t size, const int64_t *ignored, int64_t *bad) {
    return find_bad(index, 0, size, ignored, bad);
}

bool tg_find_bad_wrapped_index(Tensor *index, int64_t size, int64_t *bad) {
    return find_bad(index, -size, size, NULL, bad);
}

bool tg_fail_out_of_bounds(int64_t index, int dim, int64_t size) {
    return tg_fail("index %lld is out of bounds for dimension %d with size %lld", (long long)index, dim,
                   (long long)size);
}

Tensor *tg_index_as_int64(Tensor *index) {
    return index->dtype == t_int32 ? t_to(index, t_int64) : index;
}

Tensor *tg_empty_index_as_int64(Tensor *index) {
    return tg_numel(index) == 0 ? t_to(index, t_int64) : tg_index_as_int64(index);
}

static bool check_index(const Tensor *x, int dim, Tensor *index, const char *wrong_dtype, bool is_select) {
    if (index->dtype != t_int64) return tg_fail("%s", wrong_dtype);
    int64_t size = x->ndim ? x->shape[dim] : 1, bad;
    if (!tg_find_bad_index(index, size, NULL, &bad)) return true;
    if (is_select) return tg_fail("index out of range in self");
    return tg_fail_out_of_bounds(bad, dim, size);
}

/* ---- gather, index_select ---- */

static void gather_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *index = tg_saved(r, 0);
    if (index) dx[0] = tg_scatter_add(dy, *(int64_t *)r->attributes, index, r->edges[0].shape, r->edges[0].ndim);
}
static const Op gather_op = {"gather", "GatherBackward0", gather_backward};
static const Op index_select_op = {"index_select", "IndexSelectBackward0", gather_backward};

static void gather_adjoint_backward(Record *r, Tensor *ddy, Tensor **dx) {
    Tensor *index = tg_saved(r, 0);
    if (index) dx[0] = t_gather(ddy, *(int64_t *)r->attributes, index);
}
static const Op gather_adjoint_op = {"scatter_add", "ScatterAddBackward0", gather_adjoint_backward};

static Tensor *select_along(Tensor *x, int dim, Tensor *index, const Op *op) {
    Tensor *y = tg_empty(index->shape, index->ndim, x->dtype);
    if (!y) return NULL;
    Tensor indexed = tg_as_indexed(x, dim, index);
    int64_t along = dim, stride = x->ndim ? tg_size_mul(x->strides[dim], (int64_t)tg_itemsize(x->dtype)) : 0;
    tg_run_gather(y, index, &indexed, stride);
    return tg_record(op, y, INPUTS(x), SAVED(index), ATTRIBUTES(along));
}

/* torch.gather(x, dim, index): y[i, j, k] = x[i, index[i, j, k], k] for dim 1; y has index's shape, which is no
 * larger than x's in the other dims. index: int64 or int32; without elements any dtype. dx = dy added at the index.
 * Errors: ranks differ, index too large or out of range. */
Tensor *t_gather(Tensor *x, int64_t dim, Tensor *index) {
    int d;
    if (!tg_check_any(x, 1) || !tg_check_any(index, 3) || !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if ((x->ndim ? x->ndim : 1) != (index->ndim ? index->ndim : 1) && tg_numel(index))
        return tg_fail("Index tensor must have the same number of dimensions as input tensor");
    for (int i = 0; i < x->ndim && i < index->ndim; i++)
        if (i != d && index->shape[i] > x->shape[i])
            return tg_fail("Size does not match at dimension %d expected index %s to be no larger than self %s apart "
                           "from dimension %d",
                           i, tg_shape_of(index), tg_shape_of(x), d);
    if (!(index = tg_empty_index_as_int64(index))) return NULL;
    if (!check_index(x, d, index, "gather(): Expected dtype int32/int64 for index", false)) return NULL;
    return select_along(x, d, index, &gather_op);
}

/* torch.index_select(x, dim, index): the slices of x along dim that a vector of int64 or int32 indices selects, in its
 * order. Any dtype. dx = dy added there. Errors: dim or an index out of range, an index that is not a vector. */
Tensor *t_index_select(Tensor *x, int64_t dim, Tensor *index) {
    int d;
    if (!tg_check_any(x, 1) || !tg_check_any(index, 3) || !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (index->ndim > 1) return tg_fail("index_select(): Index is supposed to be a vector");
    static const Op whole_op = {"index_select", NULL, NULL};
    Tensor *given = index;
    if (!(index = tg_index_as_int64(index))) return NULL;
    if (!check_index(x, d, index, "index_select(): Expected dtype int32 or int64 for index", true)) return NULL;
    if (x->ndim == 0 && tg_numel(index) != 1)
        return tg_fail("index_select(): Index to scalar can have only 1 value, got %lld value(s)",
                       (long long)tg_numel(index));
    int64_t shape[T_MAX_DIMS], strides[T_MAX_DIMS] = {0};
    memcpy(shape, x->shape, sizeof shape);
    if (x->ndim) shape[d] = tg_numel(index);
    if (x->ndim && index->ndim) strides[d] = index->strides[0];
    Tensor *expanded = tg_view(index, shape, strides, x->ndim, index->offset);
    if (!expanded) return NULL;
    const int64_t along = d;
    const bool one = tg_trace_open();
    Tensor *y = select_along(x, d, expanded, &index_select_op);
    return tg_trace_close(one, &whole_op, y, INPUTS(x, given), ATTRIBUTES(along));
}

/* ---- the adjoint of gather ---- */

Tensor *tg_scatter_add(Tensor *dy, int64_t dim, Tensor *index, const int64_t *shape, int ndim) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dy ? dy->dtype : 0};
    Tensor *dx = dy ? t_zeros(shape, ndim, &options) : NULL;
    if (!dx) return NULL;
    tg_scatter_into(dx, (int)dim, index, dy, SCATTER_SUM);
    return tg_record(&gather_adjoint_op, dx, INPUTS(dy), SAVED(index), ATTRIBUTES(dim));
}

void tg_value_selecting_backward(Record *r, Tensor *dy, Tensor **dx) {
    int64_t dim = *(int64_t *)r->attributes;
    const Edge *x = &r->edges[0];
    Tensor *index = tg_saved(r, 0);
    if (index && index->ndim < x->ndim) index = t_unsqueeze(index, dim);
    if (!index) return;
    dx[0] = tg_scatter_add(t_reshape(dy, index->shape, index->ndim), dim, index, x->shape, x->ndim);
}

/* ---- take_along_dim ---- */

/* x and the index broadcast to each other in all dims but d; negative indices are wrapped. */
static Tensor *take_along(Tensor *x, Tensor *indices, int d) {
    int64_t shape[T_MAX_DIMS];
    int ndim;
    Tensor x_other = *x, index_other = *indices; /* their shapes with dim d of size 1 */
    x_other.shape[d] = index_other.shape[d] = 1;
    if (!tg_broadcast_shape((Tensor *[]){&x_other, &index_other}, 2, shape, &ndim)) return NULL;
    shape[d] = x->shape[d];
    Tensor *wide = t_expand(x, shape, ndim);
    shape[d] = indices->shape[d];
    Tensor *index = t_expand(indices, shape, ndim);
    if (index && x->shape[d]) index = t_remainder(index, t_integer(x->shape[d]));
    return t_gather(wide, d, index);
}

/* torch.take_along_dim(x, indices, dim): gather with x and indices broadcast to each other in the other dims, and
 * negative indices counted from the end; without dim (T_NONE) both are flattened. dx = dy added there. */
Tensor *t_take_along_dim(Tensor *x, Tensor *indices, int64_t dim) {
    TG_COMPOSITE("take_along_dim");
    int d;
    if (!tg_check_any_two(x, indices)) return NULL;
    if (indices->dtype != t_int64)
        return tg_fail("torch.take_along_dim(): dtype of indices should be Long but got %s",
                       tg_scalar_name(indices->dtype));
    if (dim != T_NONE && x->ndim != indices->ndim)
        return tg_fail("torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
                       "%d dimensions for input, and %d dimensions for indices",
                       x->ndim, indices->ndim);
    if (dim != T_NONE && x->ndim == 0)
        return tg_fail("Dimension specified as %lld but tensor has no dimensions", (long long)dim);
    if (dim != T_NONE && !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    const int64_t row[] = {-1};
    Tensor *y = dim != T_NONE ? take_along(x, indices, d)
                              : t_gather(t_reshape(x, row, 1), 0, t_reshape(indices, row, 1));
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}
