/* nn/onnx/indexing.c: x[indices] with index tensors and F.unfold as nodes. */
#include <string.h>

#include "core/ops/indexing/advanced_indexing_internal.h"
#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/onnx/graph_internal.h"

static const char *gather(OnnxGraph *g, const char *x, const char *index, int64_t axis) {
    return tg_onnx_node(g, "Gather", ONNX_NAMES(x, index), ONNX_ATTRIBUTES(tg_onnx_int_attribute("axis", axis)));
}

static const char *transposed(OnnxGraph *g, const char *x, const int64_t *order, int count) {
    bool is_same = true;
    for (int d = 0; d < count; d++) is_same = is_same && order[d] == d;
    if (is_same) return x;
    return tg_onnx_node(g, "Transpose", ONNX_NAMES(x), ONNX_ATTRIBUTES(tg_onnx_ints_attribute("perm", order, count)));
}

/* ---- x[indices] ---- */

/* Several indexed dims: they become one, the first, into which the linear index points. Its dims are moved to where
 * the result has them. */
static const char *gather_many(OnnxGraph *g, const OnnxOp *op, const IndexedDims *indexed, const IndexedDims *other) {
    int64_t order[T_MAX_DIMS], shape[2][T_MAX_DIMS], moved[T_MAX_DIMS];
    int rest = 0, ndim = op->y[0]->ndim, index_dims = ndim - (indexed->ndim - indexed->count);
    for (int i = 0; i < indexed->count; i++) {
        order[i] = indexed->dims[i];
        if (i > 0 && indexed->shape[indexed->dims[i]] != other->shape[indexed->dims[i]])
            return tg_fail("an index tensor along a dynamic axis that is not the first of those indexed");
    }
    shape[0][0] = shape[1][0] = -1;
    for (int d = 0; d < indexed->ndim; d++) {
        bool is_indexed = false;
        for (int i = 0; i < indexed->count; i++) is_indexed = is_indexed || indexed->dims[i] == d;
        if (is_indexed) continue;
        order[indexed->count + rest++] = d;
        shape[0][rest] = indexed->shape[d];
        shape[1][rest] = other->shape[d];
    }
    const char *x = transposed(g, tg_onnx_in(g, op, 0), order, indexed->ndim);
    x = tg_onnx_binary(g, "Reshape", x, tg_onnx_sizes(g, shape[0], shape[1], rest + 1));
    x = gather(g, x, tg_onnx_saved(g, op, 0), 0);
    for (int d = 0; d < ndim; d++) {
        const int before = indexed->dims_before;
        moved[d] = d < before ? index_dims + d : d < before + index_dims ? d - before : d;
    }
    return transposed(g, x, moved, ndim);
}

static const char *index_of(OnnxGraph *g, const OnnxOp *op) {
    const IndexedDims *indexed = op->op[0]->attributes, *other = op->op[1]->attributes;
    if (indexed->count == 1) return gather(g, tg_onnx_in(g, op, 0), tg_onnx_saved(g, op, 0), indexed->dims[0]);
    return gather_many(g, op, indexed, other);
}

/* ---- F.unfold ---- */

/* The positions that the window reads along dim d of the padded plane, (kernel, out). */
static const char *window_positions(OnnxGraph *g, const Window *w, int d) {
    Tensor *at = tg_empty((const int64_t[]){w->kernel[d], w->out[d]}, 2, t_int64);
    for (int64_t k = 0; at && k < w->kernel[d]; k++)
        for (int64_t i = 0; i < w->out[d]; i++)
            ((int64_t *)tg_data(at))[k * w->out[d] + i] = k * w->dilation[d] + i * w->stride[d];
    return tg_onnx_constant(g, at, NULL);
}

/* (N, C, H, W) -> (N, C, kh, oh, kw, ow) -> (N, C kh kw, oh ow), with or without N. */
static const char *unfold(OnnxGraph *g, const OnnxOp *op) {
    if (op->op[0]->bytes != sizeof(Window)) return tg_fail("the windows of t_unfold");
    const Window *w = op->op[0]->attributes, *other = op->op[1]->attributes;
    const int lead = tg_onnx_tensor(g, op, 0, 0)->ndim - 2; /* dims before the plane */
    for (int d = 0; d < 2; d++)
        if (w->in[d] != other->in[d]) return tg_fail("F_unfold over a dynamic axis of the plane");
    int64_t pads[8] = {0}, order[6], shape[2][3];
    for (int d = 0; d < 2; d++) pads[lead + d] = pads[2 * lead + 2 + d] = w->padding[d];
    const char *x = tg_onnx_in(g, op, 0);
    if (w->padding[0] || w->padding[1])
        x = tg_onnx_node(g, "Pad",
                         ONNX_NAMES(x, tg_onnx_ints(g, pads, 2 * lead + 4), tg_onnx_number(g, 0, op->y[0]->dtype)),
                         ONNX_ATTRIBUTES(tg_onnx_text_attribute("mode", "constant")));
    x = gather(g, x, window_positions(g, w, 0), lead);
    x = gather(g, x, window_positions(g, w, 1), lead + 2);
    for (int d = 0; d < lead; d++) order[d] = d;
    for (int d = 0; d < 4; d++) order[lead + d] = lead + (int64_t[]){0, 2, 1, 3}[d];
    x = transposed(g, x, order, lead + 4);
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < op->y[k]->ndim; d++) shape[k][d] = op->y[k]->shape[d];
    return tg_onnx_binary(g, "Reshape", x, tg_onnx_sizes(g, shape[0], shape[1], op->y[0]->ndim));
}

const OnnxRow tg_onnx_indexing[] = {{"index", index_of}, {"unfold", unfold}, {NULL, NULL}};
