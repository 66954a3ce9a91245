/* core/ops/advanced_indexing.c: reads and writes x[i, :, j] with index tensors, and the gradients of both. */
#include "core/ops/advanced_indexing_internal.h"

#include <string.h>

/* ---- the dims of x[index] ---- */

static bool is_indexed(const AdvancedIndex *how, int dim) {
    for (int i = 0; i < how->count; i++)
        if (how->dims[i] == dim) return true;
    return false;
}

typedef struct ResultDims {
    int ndim;
    /* strides of x and of the linear index: 0 along the other's dims */
    int64_t shape[T_MAX_DIMS], x[T_MAX_DIMS], index[T_MAX_DIMS];
} ResultDims;

static void add_dim(ResultDims *u, int64_t size, int64_t x, int64_t index) {
    u->shape[u->ndim] = size;
    u->x[u->ndim] = x;
    u->index[u->ndim++] = index;
}

/* The dims of the result: those of x that are not indexed, with the dims of the linear index at position
 * dims_before. */
static ResultDims result_dims(const AdvancedIndex *how, const int64_t *x_strides, const Tensor *index) {
    ResultDims u = {.ndim = 0};
    int rest[T_MAX_DIMS], rests = 0;
    for (int d = 0; d < how->ndim; d++)
        if (!is_indexed(how, d)) rest[rests++] = d;
    for (int i = 0; i < how->dims_before; i++) add_dim(&u, how->shape[rest[i]], x_strides[rest[i]], 0);
    for (int i = 0; i < index->ndim; i++) add_dim(&u, index->shape[i], 0, index->strides[i]);
    for (int i = how->dims_before; i < rests; i++) add_dim(&u, how->shape[rest[i]], x_strides[rest[i]], 0);
    return u;
}

static Tensor with_dims(const Tensor *x, const ResultDims *u, const int64_t *strides) {
    Tensor over = *x;
    over.ndim = u->ndim;
    memcpy(over.shape, u->shape, sizeof over.shape);
    memcpy(over.strides, strides, sizeof over.strides);
    return over;
}

int tg_index_shape(const AdvancedIndex *how, const Tensor *index, int64_t *shape) {
    ResultDims u = result_dims(how, how->shape, index);
    memcpy(shape, u.shape, sizeof u.shape);
    return u.ndim;
}

/* ---- from a linear index to memory ----
 * If the indexed dims of x together are one dim of uniform stride, the linear index times that stride is the offset
 * in memory. Else the linear index is first converted to element offsets. */

/* The stride between consecutive linear indices; false if there is no uniform one. Dims of size 1 do not matter. */
static bool uniform_stride(const Tensor *x, const AdvancedIndex *how, int64_t *stride_out) {
    int64_t extent = 0; /* size times stride of the dims seen so far */
    bool any = false;
    *stride_out = 0;
    for (int i = how->count - 1; i >= 0; i--) {
        int64_t size = x->shape[how->dims[i]], stride = x->strides[how->dims[i]];
        if (size == 1) continue;
        if (any && stride != extent) return false;
        if (!any) *stride_out = stride;
        extent = size * stride;
        any = true;
    }
    return true;
}

static Tensor *element_offsets(const Tensor *x, const Tensor *index, const AdvancedIndex *how) {
    Tensor *y = tg_empty(index->shape, index->ndim, t_int64);
    const int64_t *from = tg_data(index);
    for (int64_t i = 0, n = y ? tg_numel(y) : 0; i < n; i++) {
        int64_t linear = from[i], offset = 0;
        for (int k = how->count - 1; k >= 0; k--) {
            int64_t size = x->shape[how->dims[k]];
            offset += linear % size * x->strides[how->dims[k]];
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

static bool memory_index(const Tensor *x, Tensor *index, const AdvancedIndex *how, MemoryIndex *at) {
    bool uniform = uniform_stride(x, how, &at->stride) || tg_numel(x) == 0; /* x without elements is never read */
    at->index = uniform ? index : element_offsets(x, index, how);
    if (!uniform) at->stride = 1;
    at->stride *= (int64_t)tg_itemsize(x->dtype);
    return at->index != NULL;
}

static void free_memory_index(const MemoryIndex *at, const Tensor *index) {
    if (at->index != index) t_release(tg_take_from_scope(at->index));
}

/* y = x[index]; y is new, and is released on failure. */
static Tensor *gather_into(Tensor *y, Tensor *x, Tensor *index, const AdvancedIndex *how) {
    MemoryIndex at;
    if (!memory_index(x, index, how, &at)) {
        t_release(tg_take_from_scope(y));
        return NULL;
    }
    ResultDims u = result_dims(how, x->strides, at.index);
    Tensor x_dims = with_dims(x, &u, u.x), index_dims = with_dims(at.index, &u, u.index);
    tg_run_gather(y, &index_dims, &x_dims, at.stride);
    free_memory_index(&at, index);
    return y;
}

/* x[index] = value, or += value for SCATTER_SUM; value broadcasts. */
static void scatter_at(Scatter kind, Tensor *x, const AdvancedIndex *how, const MemoryIndex *at, Tensor *value) {
    ResultDims u = result_dims(how, x->strides, at->index);
    Tensor x_dims = with_dims(x, &u, u.x), index_dims = with_dims(at->index, &u, u.index);
    tg_run_scatter(kind, &x_dims, &index_dims, value, at->stride);
}

/* The same for a new x, which is released on failure. */
static Tensor *scatter_into(Scatter kind, Tensor *x, Tensor *index, const AdvancedIndex *how, Tensor *value) {
    MemoryIndex at;
    if (!memory_index(x, index, how, &at)) {
        t_release(tg_take_from_scope(x));
        return NULL;
    }
    scatter_at(kind, x, how, &at, value);
    free_memory_index(&at, index);
    return x;
}

/* ---- reading ---- */

const Op tg_index_op = {"index", "IndexBackward0", tg_index_backward};
static void adjoint_backward(Record *r, Tensor *ddy, Tensor **dx);
static const Op adjoint_op = {"index_adjoint", "IndexBackward0Backward0", adjoint_backward};

Tensor *tg_index(Tensor *x, Tensor *index, const AdvancedIndex *how, const Op *op) {
    int64_t shape[T_MAX_DIMS];
    int ndim = tg_index_shape(how, index, shape);
    Tensor *y = tg_empty(shape, ndim, x->dtype);
    if (y) y = gather_into(y, x, index, how);
    return tg_record(op, y, INPUTS(x), SAVED(index), how, sizeof *how);
}

/* Zeros in x's shape with dy added at the index. */
static Tensor *adjoint(Tensor *dy, Tensor *index, const AdvancedIndex *how) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dy->dtype};
    Tensor *dx = t_zeros(how->shape, how->ndim, &options);
    if (dx) dx = scatter_into(SCATTER_SUM, dx, index, how, dy);
    return tg_record(&adjoint_op, dx, INPUTS(dy), SAVED(index), how, sizeof *how);
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
    AdvancedIndex how;
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
        dx[0] = tg_index_put(dy, index, &put->how, t_to(t_number(0), dy->dtype), false, &tg_index_put_op);
    if (tg_needs(r, 1)) dx[1] = tg_index(dy, index, &put->how, &tg_index_op);
}

Tensor *tg_index_put(Tensor *x, Tensor *index, const AdvancedIndex *how, Tensor *value, bool accumulate, const Op *op) {
    Put put = {*how, accumulate};
    Tensor *y = value ? tg_empty_like(x, x->dtype) : NULL;
    if (!y) return NULL;
    tg_copy_into(y, x);
    y = scatter_into(accumulate ? SCATTER_SUM : SCATTER_SET, y, index, how, value);
    return tg_record(op, y, INPUTS(x, value), SAVED(index), ATTRIBUTES(put));
}

/* Writes into x's memory without a copy. Valid if x is not a recorded view: then x itself can get the record. */
static bool write_directly(Tensor *x, Tensor *index, const AdvancedIndex *how, Tensor *value, bool accumulate,
                           const Op *op) {
    Put put = {*how, accumulate};
    Tensor *both[] = {x, value};
    MemoryIndex at;
    if (!memory_index(x, index, how, &at)) return false;
    if (tg_will_record(both, 2)) {
        if (!tg_attach_record(op, x, both, 2, SAVED(index), ATTRIBUTES(put))) return false;
        x->history_version++;
    }
    scatter_at(accumulate ? SCATTER_SUM : SCATTER_SET, x, how, &at, value);
    tg_bump_version(x);
    return true;
}

Tensor *tg_index_put_(Tensor *x, Tensor *index, const AdvancedIndex *how, Tensor *value, bool accumulate,
                      const Op *op) {
    if (!tg_check_inplace(x)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool ok, recorded_view = x->base && tg_will_record((Tensor *[]){x, value, x->base}, 3);
    if (value->storage == x->storage) value = t_clone(value);
    if (!value) ok = false;
    else if (recorded_view) ok = tg_write_inplace(x, tg_index_put(x, index, how, value, accumulate, op));
    else ok = write_directly(x, index, how, value, accumulate, op);
    t_scope_close(depth);
    return ok ? x : NULL;
}
