/* core/ops/indexing/advanced_indexing.c: reads and writes x[i, :, j] with index tensors, and the gradients of both. */
#include "core/ops/indexing/advanced_indexing_internal.h"

#include <stdio.h>
#include <string.h>

/* ---- the dims of x[index] ---- */

static bool is_indexed(const IndexedDims *indexed, int dim) {
    for (int i = 0; i < indexed->count; i++)
        if (indexed->dims[i] == dim) return true;
    return false;
}

typedef struct ResultDims {
    int ndim;
    /* strides of x and of the linear index: 0 along the other's dims */
    int64_t shape[T_MAX_DIMS], x[T_MAX_DIMS], index[T_MAX_DIMS];
} ResultDims;

static void add_dim(ResultDims *dims, int64_t size, int64_t x, int64_t index) {
    dims->shape[dims->ndim] = size;
    dims->x[dims->ndim] = x;
    dims->index[dims->ndim++] = index;
}

/* The dims of the result: those of x that are not indexed, with the dims of the linear index at position
 * dims_before. */
static ResultDims result_dims(const IndexedDims *indexed, const int64_t *x_strides, const Tensor *index) {
    ResultDims dims = {.ndim = 0};
    int rest[T_MAX_DIMS], rests = 0;
    for (int d = 0; d < indexed->ndim; d++)
        if (!is_indexed(indexed, d)) rest[rests++] = d;
    for (int i = 0; i < indexed->dims_before; i++) add_dim(&dims, indexed->shape[rest[i]], x_strides[rest[i]], 0);
    for (int i = 0; i < index->ndim; i++) add_dim(&dims, index->shape[i], 0, index->strides[i]);
    for (int i = indexed->dims_before; i < rests; i++) add_dim(&dims, indexed->shape[rest[i]], x_strides[rest[i]], 0);
    return dims;
}

static Tensor with_dims(const Tensor *x, const ResultDims *dims, const int64_t *strides) {
    Tensor over = *x;
    over.ndim = dims->ndim;
    memcpy(over.shape, dims->shape, sizeof over.shape);
    memcpy(over.strides, strides, sizeof over.strides);
    return over;
}

int tg_index_shape(const IndexedDims *indexed, const Tensor *index, int64_t *shape) {
    ResultDims dims = result_dims(indexed, indexed->shape, index);
    memcpy(shape, dims.shape, sizeof dims.shape);
    return dims.ndim;
}

/* ---- the linear index ---- */

Tensor *tg_index_tensor(Tensor *index) {
    switch (index->dtype) {
    case t_bool:
    case t_int64: return index;
    case t_int32: return t_to(index, t_int64);
    case t_uint8: return t_to(index, t_bool);
    default: return tg_fail("tensors used as indices must be long, int, byte or bool tensors");
    }
}

/* A mask as a vector of linear indices of its true elements; it must have the shape of the dims that it indexes. */
static Tensor *mask_to_index(const Tensor *x, Tensor *mask, int dim) {
    for (int d = 0; d < mask->ndim; d++)
        if (mask->shape[d] != x->shape[dim + d])
            return tg_fail("The shape of the mask %s at index %d does not match the shape of the indexed tensor %s at "
                           "index %d",
                           tg_shape_of(mask), d, tg_shape_of(x), dim + d);
    return tg_flat_nonzero(mask);
}

/* The number of index tensors that the i-th counts as in PyTorch's errors: a mask counts as one for each of its
 * dims. */
static int index_count(const Indices *at, int i) {
    return at->index[i]->dtype == t_bool && at->index[i]->ndim ? at->index[i]->ndim : 1;
}

/* The error lists the shapes of the index tensors: "[2], [3]". */
static Tensor *fail_broadcast(const Indices *at, Tensor *const *index) {
    char text[256] = "";
    size_t length = 0;
    for (int i = 0; i < at->count; i++)
        for (int times = index_count(at, i); times > 0 && length < sizeof text; times--)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", length ? ", " : "",
                                       tg_shape_of(index[i]));
    return tg_fail("shape mismatch: indexing tensors could not be broadcast together with shapes %s", text);
}

/* The indexed dims. If they are not adjacent, the dims of the index come first in the result. */
static void find_dims(const Tensor *x, const Indices *at, IndexedDims *indexed) {
    *indexed = (IndexedDims){.dims_before = at->dim[0], .ndim = x->ndim};
    memcpy(indexed->shape, x->shape, sizeof indexed->shape);
    for (int i = 0, next = at->dim[0]; i < at->count; i++) {
        if (at->dim[i] != next) indexed->dims_before = 0;
        next = at->dim[i] + (at->index[i]->dtype == t_bool ? at->index[i]->ndim : 1);
        for (int d = at->dim[i]; d < next; d++) indexed->dims[indexed->count++] = d;
    }
}

static bool check_bounds(const Tensor *x, const Indices *at, Tensor *const *index) {
    for (int i = 0, number = 0; i < at->count; i++) {
        bool is_mask = at->index[i]->dtype == t_bool;
        int64_t size = x->shape[at->dim[i]], bad;
        if (!is_mask && tg_find_bad_wrapped_index(index[i], size, &bad))
            return tg_fail_out_of_bounds(bad, number, size);
        number += index_count(at, i);
    }
    return true;
}

typedef struct IndexWeight {
    int64_t size, weight;
} IndexWeight;

static void add_index(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const IndexWeight *dim = context;
    for (int64_t i = 0; i < n; i++) {
        int64_t index = *(const int64_t *)(p[1] + i * s[1]);
        if (index < 0) index += dim->size;
        *(uint64_t *)(p[0] + i * s[0]) += (uint64_t)index * (uint64_t)dim->weight;
    }
}

Tensor *tg_wrapped_index(Tensor *index, int64_t size) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_int64};
    Tensor *linear = t_zeros(index->shape, index->ndim, &options);
    if (linear) tg_run(add_index, linear, &index, 1, 0, &(IndexWeight){size, 1});
    return linear;
}

/* The linear index: the sum of each index times the size of the indexed dims after it; a mask is one index over all
 * its dims. */
static void ravel_index(Tensor *linear, const Tensor *x, const Indices *at, Tensor *const *index) {
    int64_t weight = 1;
    for (int i = at->count - 1; i >= 0; i--) {
        int dims = at->index[i]->dtype == t_bool ? at->index[i]->ndim : 1;
        int64_t size = tg_shape_numel(x->shape + at->dim[i], dims);
        tg_run(add_index, linear, &index[i], 1, 0, &(IndexWeight){size, weight});
        weight *= size;
    }
}

Tensor *tg_linear_index(const Tensor *x, const Indices *at, IndexedDims *indexed) {
    Tensor *index[T_MAX_DIMS];
    int64_t shape[T_MAX_DIMS], result[T_MAX_DIMS];
    int ndim;
    for (int i = 0; i < at->count; i++) {
        index[i] = at->index[i]->dtype == t_bool ? mask_to_index(x, at->index[i], at->dim[i]) : at->index[i];
        if (!index[i]) return NULL;
    }
    if (!tg_broadcast_shape(index, at->count, shape, &ndim)) return fail_broadcast(at, index);
    find_dims(x, at, indexed);
    if (x->ndim - indexed->count + ndim > T_MAX_DIMS)
        return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, x->ndim - indexed->count + ndim);
    t_TensorOptions options = {.size = sizeof options, .dtype = t_int64};
    Tensor *linear = t_zeros(shape, ndim, &options);
    for (int i = 0; linear && tg_numel(linear) && i < indexed->count; i++)
        if (x->shape[indexed->dims[i]] == 0) return tg_fail("index is out of bounds for dimension with size 0");
    /* nothing will be read: the bounds do not matter */
    if (!linear || tg_shape_numel(result, tg_index_shape(indexed, linear, result)) == 0) return linear;
    if (!check_bounds(x, at, index)) return NULL;
    ravel_index(linear, x, at, index);
    return linear;
}

/* ---- from a linear index to memory ----
 * If the indexed dims of x together are one dim of uniform stride, the linear index times that stride is the offset
 * in memory. Else the linear index is first converted to element offsets. */

/* The stride between consecutive linear indices; false if there is no uniform one. Dims of size 1 do not matter. */
static bool uniform_stride(const Tensor *x, const IndexedDims *indexed, int64_t *stride_out) {
    int64_t extent = 0; /* size times stride of the dims seen so far */
    bool any = false;
    *stride_out = 0;
    for (int i = indexed->count - 1; i >= 0; i--) {
        int64_t size = x->shape[indexed->dims[i]], stride = x->strides[indexed->dims[i]];
        if (size == 1) continue;
        if (any && stride != extent) return false;
        if (!any) *stride_out = stride;
        extent = size * stride;
        any = true;
    }
    return true;
}

static Tensor *element_offsets(const Tensor *x, const Tensor *index, const IndexedDims *indexed) {
    Tensor *y = tg_empty(index->shape, index->ndim, t_int64);
    const int64_t *from = tg_data(index);
    for (int64_t i = 0, n = y ? tg_numel(y) : 0; i < n; i++) {
        int64_t linear = from[i], offset = 0;
        for (int k = indexed->count - 1; k >= 0; k--) {
            int64_t size = x->shape[indexed->dims[k]];
            offset += linear % size * x->strides[indexed->dims[k]];
            linear /= size;
        }
        ((int64_t *)tg_data(y))[i] = offset;
    }
    return y;
}

typedef struct MemoryIndex {
    Tensor *index; /* the linear index itself, or a new tensor of element offsets */
    int64_t stride;
} MemoryIndex;

static bool memory_index(const Tensor *x, Tensor *index, const IndexedDims *indexed, MemoryIndex *at) {
    bool uniform = uniform_stride(x, indexed, &at->stride) || tg_numel(x) == 0; /* x without elements is never read */
    at->index = uniform ? index : element_offsets(x, index, indexed);
    if (!uniform) at->stride = 1;
    at->stride *= (int64_t)tg_itemsize(x->dtype);
    return at->index != NULL;
}

static void release_offsets(const MemoryIndex *at, const Tensor *index) {
    if (at->index && at->index != index) t_release(tg_take_from_scope(at->index));
}

/* y = x[index] */
static void gather(Tensor *y, Tensor *x, const IndexedDims *indexed, const MemoryIndex *at) {
    const ResultDims dims = result_dims(indexed, x->strides, at->index);
    Tensor x_dims = with_dims(x, &dims, dims.x), index = with_dims(at->index, &dims, dims.index);
    tg_run_gather(y, &index, &x_dims, at->stride);
}

/* x[index] = value, or both combined; value broadcasts. */
static void scatter(Scatter mode, Tensor *x, const IndexedDims *indexed, const MemoryIndex *at, Tensor *value) {
    const ResultDims dims = result_dims(indexed, x->strides, at->index);
    Tensor x_dims = with_dims(x, &dims, dims.x), index = with_dims(at->index, &dims, dims.index);
    tg_run_scatter(mode, &x_dims, &index, value, at->stride);
}

/* The same into x, which is new and released on failure (NULL). */
static Tensor *scatter_into_new(Scatter mode, Tensor *x, Tensor *index, const IndexedDims *indexed, Tensor *value) {
    MemoryIndex at;
    if (!x) return NULL;
    if (!memory_index(x, index, indexed, &at)) {
        t_release(tg_take_from_scope(x));
        return NULL;
    }
    scatter(mode, x, indexed, &at, value);
    release_offsets(&at, index);
    return x;
}

/* ---- reading ---- */

const Op tg_index_op = {"index", "IndexBackward0", tg_index_backward};
static void adjoint_backward(Record *r, Tensor *ddy, Tensor **dx);
static const Op adjoint_op = {"index_adjoint", "IndexBackward0Backward0", adjoint_backward};

Tensor *tg_index(Tensor *x, Tensor *index, const IndexedDims *indexed, const Op *op) {
    int64_t shape[T_MAX_DIMS];
    int ndim = tg_index_shape(indexed, index, shape);
    MemoryIndex at;
    Tensor *y = memory_index(x, index, indexed, &at) ? tg_empty(shape, ndim, x->dtype) : NULL;
    if (y) gather(y, x, indexed, &at);
    release_offsets(&at, index);
    return tg_record(op, y, INPUTS(x), SAVED(index), indexed, sizeof *indexed);
}

/* Zeros in x's shape with dy added at the index. */
static Tensor *adjoint(Tensor *dy, Tensor *index, const IndexedDims *indexed) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dy->dtype};
    Tensor *dx = scatter_into_new(SCATTER_SUM, t_zeros(indexed->shape, indexed->ndim, &options), index, indexed, dy);
    return tg_record(&adjoint_op, dx, INPUTS(dy), SAVED(index), indexed, sizeof *indexed);
}

void tg_index_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *index = tg_saved(r, 0);
    if (index) dx[0] = adjoint(dy, index, r->attributes);
}

static void adjoint_backward(Record *r, Tensor *ddy, Tensor **dx) {
    Tensor *index = tg_saved(r, 0);
    if (index) dx[0] = tg_index(ddy, index, r->attributes, &tg_index_op);
}

/* ---- writing ---- */

typedef struct Put {
    IndexedDims indexed;
    bool accumulate;
} Put;

const Op tg_index_put_op = {"index_put", "IndexPutBackward0", tg_index_put_backward};
const Op tg_index_fill_op = {"index_fill", "IndexFillBackward0", tg_index_put_backward};

/* Inputs: x before, value. */
void tg_index_put_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Put *put = r->attributes;
    Tensor *index = tg_saved(r, 0);
    if (!index) return;
    if (put->accumulate) dx[0] = dy;
    else if (tg_needs(r, 0))
        dx[0] = tg_index_put(dy, index, &put->indexed, t_to(t_number(0), dy->dtype), false, &tg_index_put_op);
    if (tg_needs(r, 1)) dx[1] = tg_index(dy, index, &put->indexed, &tg_index_op);
}

Tensor *tg_index_put(Tensor *x, Tensor *index, const IndexedDims *indexed, Tensor *value, bool accumulate,
                     const Op *op) {
    Put put = {*indexed, accumulate};
    if (!x || !value) return NULL;
    if (accumulate && tg_is_narrow(x->dtype))
        return tg_narrowed(tg_index_put(tg_widened(x), index, indexed, tg_widened(value), true, op), x->dtype);
    Tensor *y = indexed->makes_contiguous ? tg_empty(x->shape, x->ndim, x->dtype) : tg_empty_like(x, x->dtype);
    if (!y) return NULL;
    tg_copy_into(y, x);
    y = scatter_into_new(accumulate ? SCATTER_SUM : SCATTER_SET, y, index, indexed, value);
    return tg_record(op, y, INPUTS(x, value), SAVED(index), ATTRIBUTES(put));
}

/* Writes into x's memory without a copy. Valid if x is not a recorded view: then x itself can get the record. */
static bool write_directly(Tensor *x, Tensor *index, const IndexedDims *indexed, Tensor *value, bool accumulate,
                           const Op *op) {
    Put put = {*indexed, accumulate};
    Tensor *both[] = {x, value};
    MemoryIndex at;
    if (!memory_index(x, index, indexed, &at)) return false;
    if (tg_will_record(both, 2)) {
        if (!tg_attach_record(op, x, both, 2, SAVED(index), ATTRIBUTES(put))) return false;
        x->history_version++;
    }
    scatter(accumulate ? SCATTER_SUM : SCATTER_SET, x, indexed, &at, value);
    tg_bump_version(x);
    return true;
}

Tensor *tg_index_put_(Tensor *x, Tensor *index, const IndexedDims *indexed, Tensor *value, bool accumulate,
                      const Op *op) {
    if (!tg_check_inplace(x)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool ok, recorded_view = x->base && tg_will_record((Tensor *[]){x, value, x->base}, 3);
    if (value->storage == x->storage) value = t_clone(value);
    if (!value) ok = false;
    else if (recorded_view || (accumulate && tg_is_narrow(x->dtype)))
        ok = tg_write_inplace(x, tg_index_put(x, index, indexed, value, accumulate, op));
    else ok = write_directly(x, index, indexed, value, accumulate, op);
    t_scope_close(depth);
    return ok ? x : NULL;
}
