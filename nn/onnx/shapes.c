/* nn/onnx/shapes.c: views, parts and joins of tensors as nodes. */
#include <string.h>

#include "core/ops/shape/shape_internal.h"
#include "nn/onnx/graph_internal.h"

static const char *int_attribute_node(OnnxGraph *g, const char *type, const char *x, const char *y, const char *name,
                                      int64_t value) {
    return tg_onnx_node(g, type, ONNX_NAMES(x, y), ONNX_ATTRIBUTES(tg_onnx_int_attribute(name, value)));
}

/* view, reshape, flatten, squeeze */
static const char *reshape(OnnxGraph *g, const OnnxOp *op) {
    const Tensor *before[] = {tg_onnx_tensor(g, op, 0, 0), tg_onnx_tensor(g, op, 0, 1)};
    return tg_onnx_reshape(g, tg_onnx_in(g, op, 0), before, op->y);
}

static const char *unsqueeze(OnnxGraph *g, const OnnxOp *op) {
    const char *at = tg_onnx_int(g, *(const int64_t *)op->op[0]->attributes);
    return tg_onnx_binary(g, "Unsqueeze", tg_onnx_in(g, op, 0), at);
}

static const char *transposed(OnnxGraph *g, const OnnxOp *op, const int64_t *order) {
    return tg_onnx_node(g, "Transpose", ONNX_NAMES(tg_onnx_in(g, op, 0)),
                        ONNX_ATTRIBUTES(tg_onnx_ints_attribute("perm", order, op->y[0]->ndim)));
}

static const char *transpose(OnnxGraph *g, const OnnxOp *op) {
    const Dims *swapped = op->op[0]->attributes;
    int64_t order[T_MAX_DIMS];
    for (int d = 0; d < op->y[0]->ndim; d++)
        order[d] = d == swapped->dim[0] ? swapped->dim[1] : d == swapped->dim[1] ? swapped->dim[0] : d;
    return op->y[0]->ndim < 2 ? tg_onnx_in(g, op, 0) : transposed(g, op, order);
}

static const char *permute(OnnxGraph *g, const OnnxOp *op) {
    const Dims *dims = op->op[0]->attributes;
    int64_t order[T_MAX_DIMS];
    for (int d = 0; d < dims->count; d++) order[d] = dims->dim[d];
    return dims->count ? transposed(g, op, order) : tg_onnx_in(g, op, 0);
}

/* Sizes that x has already are 1 in the shape, since Expand broadcasts. */
static const char *expand(OnnxGraph *g, const OnnxOp *op) {
    int64_t to[2][T_MAX_DIMS];
    for (int k = 0; k < 2; k++)
        for (int d = 0; d < op->y[k]->ndim; d++) to[k][d] = op->y[k]->shape[d];
    const Tensor *x[] = {tg_onnx_tensor(g, op, 0, 0), tg_onnx_tensor(g, op, 0, 1)};
    for (int d = 0, extra = op->y[0]->ndim - x[0]->ndim; d < x[0]->ndim; d++)
        if (x[0]->shape[d] == to[0][d + extra] && x[1]->shape[d] == to[1][d + extra])
            to[0][d + extra] = to[1][d + extra] = 1;
    return tg_onnx_binary(g, "Expand", tg_onnx_in(g, op, 0), tg_onnx_sizes(g, to[0], to[1], op->y[0]->ndim));
}

/* A write in place of a value of another shape or dtype. */
static const char *write_value(OnnxGraph *g, const OnnxOp *op) {
    const char *x = tg_onnx_in_as(g, op, 0, op->y[0]->dtype);
    return tg_onnx_binary(g, "Expand", x, tg_onnx_sizes(g, op->y[0]->shape, op->y[1]->shape, op->y[0]->ndim));
}

/* ---- parts ---- */

/* An index along a dim of a size: as it is in both traces; from the end; or computed from a dynamic axis. */
static const char *position(OnnxGraph *g, const int64_t at[2], const int64_t size[2]) {
    if (at[0] == at[1]) return tg_onnx_int(g, at[0]);
    if (at[0] - size[0] == at[1] - size[1] && at[0] < size[0]) return tg_onnx_int(g, at[0] - size[0]);
    return tg_onnx_size(g, at[0], at[1]);
}

static const char *slice(OnnxGraph *g, const OnnxOp *op) {
    const Slice *s[] = {op->op[0]->attributes, op->op[1]->attributes};
    int64_t start[2], end[2], size[2];
    for (int k = 0; k < 2; k++) {
        start[k] = s[k]->start;
        end[k] = s[k]->length ? s[k]->start + (s[k]->length - 1) * s[k]->step + 1 : s[k]->start;
        size[k] = s[k]->shape[s[k]->dim];
    }
    const bool to_end = end[0] + s[0]->step > size[0] && end[1] + s[1]->step > size[1];
    if (to_end && start[0] == 0 && start[1] == 0 && s[0]->step == 1) return tg_onnx_in(g, op, 0);
    const char *last = to_end ? tg_onnx_int(g, INT64_MAX) : position(g, end, size);
    return tg_onnx_slice(g, tg_onnx_in(g, op, 0), s[0]->dim, position(g, start, size), last, s[0]->step);
}

static const char *select_index(OnnxGraph *g, const OnnxOp *op) {
    const Slice *s[] = {op->op[0]->attributes, op->op[1]->attributes};
    const int64_t at[] = {s[0]->start, s[1]->start}, size[] = {s[0]->shape[s[0]->dim], s[1]->shape[s[1]->dim]};
    const bool from_end = at[0] != at[1] && at[0] - size[0] == at[1] - size[1];
    const char *x = tg_onnx_in(g, op, 0);
    if (at[0] == at[1] || from_end)
        return int_attribute_node(g, "Gather", x,
                                  tg_onnx_number(g, (double)(from_end ? at[0] - size[0] : at[0]), t_int64), "axis",
                                  s[0]->dim);
    const char *index = tg_onnx_binary(g, "Squeeze", tg_onnx_size(g, at[0], at[1]), tg_onnx_int(g, 0));
    return int_attribute_node(g, "Gather", x, index, "axis", s[0]->dim);
}

static const char *index_select(OnnxGraph *g, const OnnxOp *op) {
    const char *index = tg_onnx_in(g, op, 1);
    if (tg_onnx_tensor(g, op, 1, 0)->ndim == 0) index = tg_onnx_binary(g, "Unsqueeze", index, tg_onnx_int(g, 0));
    return int_attribute_node(g, "Gather", tg_onnx_in(g, op, 0), index, "axis",
                              *(const int64_t *)op->op[0]->attributes);
}
static const char *gather(OnnxGraph *g, const OnnxOp *op) {
    return int_attribute_node(g, "GatherElements", tg_onnx_in(g, op, 0), tg_onnx_saved(g, op, 0), "axis",
                              *(const int64_t *)op->op[0]->attributes);
}
static const char *embedding(OnnxGraph *g, const OnnxOp *op) {
    return int_attribute_node(g, "Gather", tg_onnx_in(g, op, 0), tg_onnx_saved(g, op, 0), "axis", 0);
}

static const char *flip(OnnxGraph *g, const OnnxOp *op) {
    const DimSet *set = op->op[0]->attributes;
    const char *y = tg_onnx_in(g, op, 0);
    for (int i = 0; i < set->count; i++)
        y = tg_onnx_slice(g, y, set->of[i], tg_onnx_int(g, -1), tg_onnx_int(g, INT64_MIN + 1), -1);
    return y;
}

static const char *triangle(OnnxGraph *g, const OnnxOp *op) {
    const Triangle *t = op->op[0]->attributes;
    return int_attribute_node(g, "Trilu", tg_onnx_in(g, op, 0), tg_onnx_number(g, (double)t->diagonal, t_int64),
                              "upper", t->upper);
}

/* ---- joins ---- */

/* Those that stack joins have the new dim already. */
static const char *cat(OnnxGraph *g, const OnnxOp *op) {
    const int64_t dim = *(const int64_t *)op->op[0]->attributes;
    const int count = op->op[0]->input_count;
    const char **parts = tg_onnx_alloc(g, (size_t)count * sizeof *parts);
    for (int i = 0; parts && i < count; i++) parts[i] = tg_onnx_in_as(g, op, i, op->y[0]->dtype);
    return parts ? tg_onnx_node(g, "Concat", parts, count, ONNX_ATTRIBUTES(tg_onnx_int_attribute("axis", dim))) : NULL;
}

/* Leading dims of size 1 are added first. */
static const char *repeat(OnnxGraph *g, const OnnxOp *op) {
    const Repeats *times[] = {op->op[0]->attributes, op->op[1]->attributes};
    const char *x = tg_onnx_in(g, op, 0);
    int64_t leading[T_MAX_DIMS];
    const int extra = times[0]->count - tg_onnx_tensor(g, op, 0, 0)->ndim;
    for (int d = 0; d < extra; d++) leading[d] = d;
    if (extra) x = tg_onnx_binary(g, "Unsqueeze", x, tg_onnx_ints(g, leading, extra));
    return tg_onnx_binary(g, "Tile", x, tg_onnx_sizes(g, times[0]->of, times[1]->of, times[0]->count));
}

const OnnxRow tg_onnx_shapes[] = {
    {"view", reshape},
    {"squeeze", reshape},
    {"unsqueeze", unsqueeze},
    {"transpose", transpose},
    {"t", transpose},
    {"permute", permute},
    {"expand", expand},
    {"copy_", write_value},
    {"slice", slice},
    {"split", slice},
    {"select", select_index},
    {"unbind", select_index},
    {"index_select", index_select},
    {"gather", gather},
    {"embedding", embedding},
    {"flip", flip},
    {"tril", triangle},
    {"triu", triangle},
    {"cat", cat},
    {"stack", cat},
    {"repeat", repeat},
    {NULL, NULL},
};
