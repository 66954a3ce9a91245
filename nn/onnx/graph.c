/* nn/onnx/graph.c: names, constants, sizes and nodes of a graph. */
#include "nn/onnx/graph_internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

void *tg_onnx_alloc(OnnxGraph *g, size_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (!g->chunks || g->chunks->bytes - g->chunks->used < bytes) {
        const size_t header = (sizeof *g->chunks + 15) / 16 * 16, size = header + (bytes > 60000 ? bytes : 60000);
        struct OnnxChunk *chunk = tg_alloc(size);
        if (!chunk) return NULL;
        *chunk = (struct OnnxChunk){g->chunks, size, header};
        g->chunks = chunk;
    }
    void *block = (char *)g->chunks + g->chunks->used;
    g->chunks->used += bytes;
    return memset(block, 0, bytes);
}

const char *tg_onnx_text(OnnxGraph *g, const char *format, ...) {
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    char *copy = tg_onnx_alloc(g, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

bool tg_onnx_grow(void **array, int *capacity, int count, size_t item) {
    if (count < *capacity) return true;
    const int larger = *capacity ? 2 * *capacity : 64;
    void *to = tg_alloc((size_t)larger * item);
    if (!to) return false;
    if (count) memcpy(to, *array, (size_t)count * item);
    tg_free(*array, (size_t)*capacity * item);
    *array = to;
    *capacity = larger;
    return true;
}

/* ---- constants ---- */

int tg_onnx_dtype(t_DType dtype) {
    switch ((int)dtype) {
    case t_float32: return 1;
    case t_uint8: return 2;
    case t_int8: return 3;
    case t_int16: return 5;
    case t_int32: return 6;
    case t_int64: return 7;
    case t_bool: return 9;
    case t_float16: return 10;
    case t_float64: return 11;
    default: return 16; /* bfloat16 */
    }
}

const char *tg_onnx_constant(OnnxGraph *g, Tensor *x, const char *name) {
    if (!x || !tg_onnx_grow((void **)&g->initializers, &g->initializer_capacity, g->initializer_count,
                            sizeof *g->initializers))
        return NULL;
    if (!name) name = tg_onnx_text(g, "constant_%" PRId64, g->made++);
    const bool grad_enabled = t_set_grad_enabled(false);
    Tensor *dense = t_contiguous(x);
    t_set_grad_enabled(grad_enabled);
    if (!name || !dense) return NULL;
    g->initializers[g->initializer_count++] = (OnnxInitializer){name, t_retain(dense), g->op};
    return name;
}

const char *tg_onnx_number(OnnxGraph *g, double value, t_DType dtype) {
    Tensor *x = tg_empty(NULL, 0, dtype);
    if (x) tg_fill_into(x, value);
    return tg_onnx_constant(g, x, NULL);
}

const char *tg_onnx_ints(OnnxGraph *g, const int64_t *values, int count) {
    const int64_t size = count;
    Tensor *x = tg_empty(&size, 1, t_int64);
    if (x && count) memcpy(tg_data(x), values, (size_t)count * sizeof *values);
    return tg_onnx_constant(g, x, NULL);
}

const char *tg_onnx_int(OnnxGraph *g, int64_t value) {
    return tg_onnx_ints(g, &value, 1);
}

const char *tg_onnx_cast(OnnxGraph *g, const char *x, t_DType dtype) {
    const int to = tg_onnx_dtype(dtype);
    if (!to) return NULL;
    return tg_onnx_node(g, "Cast", ONNX_NAMES(x), ONNX_ATTRIBUTES(tg_onnx_int_attribute("to", to)));
}

/* ---- operands ---- */

Tensor *tg_onnx_tensor(const OnnxGraph *g, const OnnxOp *op, int i, int k) {
    const int value = i < op->op[k]->input_count ? op->op[k]->inputs[i] : -1;
    return value < 0 ? NULL : g->trace[k]->values[value].x;
}

bool tg_onnx_is_constant(const OnnxGraph *g, const OnnxOp *op, int i) {
    const int value = i < op->op[0]->input_count ? op->op[0]->inputs[i] : -1;
    return value >= 0 && !g->depends[value];
}

static bool same_data(Tensor *a, Tensor *b) {
    if (a->dtype != b->dtype || a->ndim != b->ndim || !tg_same_shape(a, b)) return false;
    if (a->storage == b->storage && tg_is_alias(a, b)) return true;
    const bool grad_enabled = t_set_grad_enabled(false);
    const int depth = t_scope_open();
    const Tensor *x = depth ? t_contiguous(a) : NULL, *y = x ? t_contiguous(b) : NULL;
    const bool same = y && memcmp(tg_data(x), tg_data(y), (size_t)tg_numel(x) * tg_itemsize(x->dtype)) == 0;
    t_scope_close(depth);
    t_set_grad_enabled(grad_enabled);
    return same;
}

static bool all_equal(Tensor *x, double *value) {
    const bool grad_enabled = t_set_grad_enabled(false);
    const int depth = t_scope_open();
    Tensor *wide = depth ? t_to(x, t_float64) : NULL,
           *first = wide && tg_numel(wide) ? t_select(t_reshape(wide, (int64_t[]){-1}, 1), 0, 0) : NULL;
    Tensor *equal = first ? t_eq(wide, first) : NULL, *all = equal ? t_all(equal, NULL, 0, false) : NULL;
    const bool same = all && tg_read_double(all) != 0;
    if (same) *value = tg_read_double(first);
    t_scope_close(depth);
    t_set_grad_enabled(grad_enabled);
    return same;
}

/* 0, 1, 2, ... */
static bool is_range(Tensor *x) {
    if (x->ndim != 1 || x->dtype != t_int64 || !tg_is_contiguous(x)) return false;
    const int64_t *at = tg_data(x);
    for (int64_t i = 0; i < x->shape[0]; i++)
        if (at[i] != i) return false;
    return true;
}

/* A constant that has another shape in the second trace: all elements equal, or a range. */
static const char *sized_constant(OnnxGraph *g, int value, Tensor *a, Tensor *b) {
    double first, second;
    if (a->dtype == b->dtype && a->ndim == b->ndim && all_equal(a, &first) && all_equal(b, &second) &&
        first == second) {
        const char *number = tg_onnx_number(g, first, a->dtype);
        return tg_onnx_binary(g, "Expand", number, tg_onnx_sizes(g, a->shape, b->shape, a->ndim));
    }
    if (is_range(a) && is_range(b)) {
        const char *end = tg_onnx_size(g, a->shape[0], b->shape[0]);
        end = tg_onnx_binary(g, "Squeeze", end, tg_onnx_int(g, 0));
        return tg_onnx_node(g, "Range", ONNX_NAMES(tg_onnx_number(g, 0, t_int64), end, tg_onnx_number(g, 1, t_int64)),
                            NULL, 0);
    }
    if (g->trace[0]->values[value].producer >= 0) return tg_onnx_convert(g, g->trace[0]->values[value].producer);
    return tg_fail("a constant of shape %s depends on the size of a dynamic axis (its shape is %s with one more); only "
                   "zeros, ones, ... and arange(n) can: give that axis a fixed size, or compute the constant from the "
                   "input",
                   tg_shape_of(a), tg_shape_of(b));
}

const char *tg_onnx_value(OnnxGraph *g, int value) {
    if (value < 0) return "";
    if (g->names[value]) return g->names[value];
    const TraceValue *a = &g->trace[0]->values[value], *b = &g->trace[1]->values[value];
    if (a->overwritten && a->producer < 0 && !a->parameter)
        return tg_fail("a constant of shape %s was written to in place after it was used", tg_shape_of(a->x));
    if (same_data(a->x, b->x))
        g->names[value] = tg_onnx_constant(g, a->x, a->parameter);
    else if (a->x->ndim == b->x->ndim && tg_same_shape(a->x, b->x))
        return tg_fail("a tensor of shape %s depends on the values of the input, but not through operations that the "
                       "export sees: it was computed by one without a gradient that has no mapping to ONNX, in a block "
                       "without grad mode, or with numbers of C",
                       tg_shape_of(a->x));
    else
        g->names[value] = sized_constant(g, value, a->x, b->x);
    return g->names[value];
}

const char *tg_onnx_in(OnnxGraph *g, const OnnxOp *op, int i) {
    return i < op->op[0]->input_count ? tg_onnx_value(g, op->op[0]->inputs[i]) : "";
}

const char *tg_onnx_in_as(OnnxGraph *g, const OnnxOp *op, int i, t_DType dtype) {
    Tensor *x = tg_onnx_tensor(g, op, i, 0), *z = tg_onnx_tensor(g, op, i, 1);
    if (!x || x->dtype == dtype) return tg_onnx_in(g, op, i);
    const int value = op->op[0]->inputs[i];
    if (!g->depends[value] && !g->names[value] && x->ndim == 0 && same_data(x, z))
        return tg_onnx_number(g, tg_read_double(x), dtype);
    return tg_onnx_cast(g, tg_onnx_in(g, op, i), dtype);
}

const char *tg_onnx_saved(OnnxGraph *g, const OnnxOp *op, int i) {
    return tg_onnx_value(g, op->op[0]->saved[i]);
}

/* ---- sizes ---- */

static const char *size_of_axis(OnnxGraph *g, const OnnxAxis *axis) {
    const char *shape = tg_onnx_unary(g, "Shape", axis->input);
    return tg_onnx_node(g, "Gather", ONNX_NAMES(shape, tg_onnx_int(g, axis->axis)),
                        ONNX_ATTRIBUTES(tg_onnx_int_attribute("axis", 0)));
}

static const char *times(OnnxGraph *g, const char *size, int64_t k) {
    return k == 1 ? size : tg_onnx_binary(g, "Mul", size, tg_onnx_int(g, k));
}

static const char *plus(OnnxGraph *g, const char *size, int64_t c) {
    return c == 0 ? size : tg_onnx_binary(g, "Add", size, tg_onnx_int(g, c));
}

static int64_t growth(const OnnxAxis *axis) {
    return axis->size[1] - axis->size[0];
}

/* A multiple of one dynamic axis, or of the product of two or of a square; else a sum with a constant, of one axis, of
 * two, or of the smallest multiple of one: the first axis grows by 1, so that there always is one. */
const char *tg_onnx_size(OnnxGraph *g, int64_t a, int64_t b) {
    if (a == b) return tg_onnx_int(g, a);
    if (g->axis_count == 0)
        return tg_fail("a size is %" PRId64 ", and %" PRId64 " with other values of the input: it depends on them", a,
                       b);
    for (int i = 0; i < g->axis_count; i++) {
        const int64_t *s = g->axes[i].size, k = s[0] ? a / s[0] : 0;
        if (k && k * s[0] == a && k * s[1] == b) return times(g, size_of_axis(g, &g->axes[i]), k);
    }
    for (int i = 0; i < g->axis_count; i++)
        for (int j = i; j < g->axis_count; j++) {
            const int64_t s[] = {g->axes[i].size[0] * g->axes[j].size[0], g->axes[i].size[1] * g->axes[j].size[1]};
            const int64_t k = s[0] ? a / s[0] : 0;
            if (!k || k * s[0] != a || k * s[1] != b) continue;
            const char *first = size_of_axis(g, &g->axes[i]), *second = j == i ? first : size_of_axis(g, &g->axes[j]);
            return times(g, tg_onnx_binary(g, "Mul", first, second), k);
        }
    for (int i = 0; i < g->axis_count; i++)
        if (b - a == growth(&g->axes[i])) return plus(g, size_of_axis(g, &g->axes[i]), a - g->axes[i].size[0]);
    for (int i = 0; i < g->axis_count; i++)
        for (int j = i + 1; j < g->axis_count; j++) {
            if (b - a != growth(&g->axes[i]) + growth(&g->axes[j])) continue;
            const char *first = size_of_axis(g, &g->axes[i]), *second = size_of_axis(g, &g->axes[j]);
            return plus(g, tg_onnx_binary(g, "Add", first, second), a - g->axes[i].size[0] - g->axes[j].size[0]);
        }
    int best = 0;
    for (int i = 1; i < g->axis_count; i++)
        if ((b - a) % growth(&g->axes[i]) == 0 && growth(&g->axes[i]) > growth(&g->axes[best])) best = i;
    const int64_t k = (b - a) / growth(&g->axes[best]);
    return plus(g, times(g, size_of_axis(g, &g->axes[best]), k), a - k * g->axes[best].size[0]);
}

const char *tg_onnx_sizes(OnnxGraph *g, const int64_t *a, const int64_t *b, int count) {
    if (memcmp(a, b, (size_t)count * sizeof *a) == 0) return tg_onnx_ints(g, a, count);
    const char *parts[T_MAX_DIMS];
    for (int d = 0; d < count; d++)
        if (!(parts[d] = tg_onnx_size(g, a[d], b[d]))) return NULL;
    return tg_onnx_node(g, "Concat", parts, count, ONNX_ATTRIBUTES(tg_onnx_int_attribute("axis", 0)));
}

/* 0 keeps a size, and one -1 is for what is left. */
const char *tg_onnx_reshape(OnnxGraph *g, const char *x, const Tensor *const before[2], const Tensor *const after[2]) {
    int64_t to[T_MAX_DIMS];
    int unknown = 0;
    bool empty = false;
    for (int d = 0; d < after[0]->ndim; d++) {
        const int64_t a = after[0]->shape[d], b = after[1]->shape[d];
        empty = empty || a == 0;
        const bool kept = d < before[0]->ndim && before[0]->shape[d] == a && before[1]->shape[d] == b;
        to[d] = a == b ? a : kept ? 0 : -1;
        unknown += to[d] == -1;
    }
    if (empty || unknown > 1) {
        const char *shape = tg_onnx_sizes(g, after[0]->shape, after[1]->shape, after[0]->ndim);
        return tg_onnx_node(g, "Reshape", ONNX_NAMES(x, shape),
                            ONNX_ATTRIBUTES(tg_onnx_int_attribute("allowzero", empty)));
    }
    return tg_onnx_binary(g, "Reshape", x, tg_onnx_ints(g, to, after[0]->ndim));
}

const char *tg_onnx_slice(OnnxGraph *g, const char *x, int64_t axis, const char *start, const char *end, int64_t step) {
    return tg_onnx_node(g, "Slice", ONNX_NAMES(x, start, end, tg_onnx_int(g, axis), tg_onnx_int(g, step)), NULL, 0);
}

/* ---- nodes ---- */

OnnxAttribute tg_onnx_ints_attribute(const char *name, const int64_t *values, int count) {
    OnnxAttribute attribute = {.name = name, .kind = ONNX_INTS, .count = count};
    memcpy(attribute.ints, values, (size_t)count * sizeof *values);
    return attribute;
}

/* The path of the operation's module below the model, which is the outermost; "" for the model. */
static const char *path_of(const TraceOp *op) {
    const char *dot = op ? strchr(op->path, '.') : NULL;
    return dot ? dot + 1 : "";
}

bool tg_onnx_node_of(OnnxGraph *g, const char *type, const char *const *inputs, int input_count,
                     const OnnxAttribute *attributes, int attribute_count, const char **outputs, int output_count) {
    for (int i = 0; i < input_count; i++)
        if (!inputs[i]) return false;
    while (input_count && !*inputs[input_count - 1]) input_count--;
    if (!tg_onnx_grow((void **)&g->nodes, &g->node_capacity, g->node_count, sizeof *g->nodes)) return false;
    OnnxNode node = {
        .type = type, .input_count = input_count, .output_count = output_count, .attribute_count = attribute_count,
        .op = g->op};
    const char *path = path_of(g->op), *slash = *path ? "/" : "";
    node.name = tg_onnx_text(g, "%s%s/%s_%" PRId64, slash, path, type, g->made++);
    node.inputs = tg_onnx_alloc(g, (size_t)(input_count + 1) * sizeof *node.inputs);
    node.outputs = tg_onnx_alloc(g, (size_t)output_count * sizeof *node.outputs);
    node.attributes = tg_onnx_alloc(g, (size_t)(attribute_count + 1) * sizeof *attributes);
    if (!node.name || !node.inputs || !node.outputs || !node.attributes) return false;
    if (input_count) memcpy(node.inputs, inputs, (size_t)input_count * sizeof *inputs);
    if (attribute_count) memcpy(node.attributes, attributes, (size_t)attribute_count * sizeof *attributes);
    for (int i = 0; i < output_count; i++)
        if (!(outputs[i] = node.outputs[i] = tg_onnx_text(g, "%s_output_%d", node.name, i))) return false;
    g->nodes[g->node_count++] = node;
    return true;
}

const char *tg_onnx_node(OnnxGraph *g, const char *type, const char *const *inputs, int input_count,
                         const OnnxAttribute *attributes, int attribute_count) {
    const char *output;
    return tg_onnx_node_of(g, type, inputs, input_count, attributes, attribute_count, &output, 1) ? output : NULL;
}

const char *tg_onnx_unary(OnnxGraph *g, const char *type, const char *x) {
    return tg_onnx_node(g, type, ONNX_NAMES(x), NULL, 0);
}

const char *tg_onnx_binary(OnnxGraph *g, const char *type, const char *a, const char *b) {
    return tg_onnx_node(g, type, ONNX_NAMES(a, b), NULL, 0);
}

/* ---- two graphs of one forward ---- */

static bool same_attribute(const OnnxAttribute *a, const OnnxAttribute *b) {
    if (a->kind != b->kind || a->kind == ONNX_NONE) return a->kind == b->kind;
    return strcmp(a->name, b->name) == 0 && a->i == b->i && a->f == b->f && a->count == b->count &&
           memcmp(a->ints, b->ints, (size_t)a->count * sizeof *a->ints) == 0 &&
           (a->text == b->text || (a->text && b->text && strcmp(a->text, b->text) == 0));
}

static bool same_node(const OnnxNode *a, const OnnxNode *b) {
    bool same = strcmp(a->type, b->type) == 0 && a->input_count == b->input_count &&
                a->output_count == b->output_count && a->attribute_count == b->attribute_count;
    for (int i = 0; same && i < a->input_count; i++) same = strcmp(a->inputs[i], b->inputs[i]) == 0;
    for (int i = 0; same && i < a->output_count; i++) same = strcmp(a->outputs[i], b->outputs[i]) == 0;
    for (int i = 0; same && i < a->attribute_count; i++) same = same_attribute(&a->attributes[i], &b->attributes[i]);
    return same;
}

static bool same_initializer(const OnnxInitializer *a, const OnnxInitializer *b) {
    return strcmp(a->name, b->name) == 0 && same_data(a->x, b->x);
}

bool tg_onnx_same_graph(const OnnxGraph *a, const OnnxGraph *b, const TraceOp **op) {
    for (int i = 0; i < a->initializer_count || i < b->initializer_count; i++) {
        *op = i < a->initializer_count ? a->initializers[i].op : NULL;
        if (i >= a->initializer_count || i >= b->initializer_count ||
            !same_initializer(&a->initializers[i], &b->initializers[i]))
            return false;
    }
    for (int i = 0; i < a->node_count || i < b->node_count; i++) {
        *op = i < a->node_count ? a->nodes[i].op : NULL;
        if (i >= a->node_count || i >= b->node_count || !same_node(&a->nodes[i], &b->nodes[i])) return false;
    }
    return true;
}
