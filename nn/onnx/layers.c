/* nn/onnx/layers.c: convolutions, pooling, norms, padding and resizing as nodes. */
#include <math.h>
#include <string.h>

#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/functional/convolution/volume_internal.h"
#include "nn/functional/norm/norm_internal.h"
#include "nn/functional/pooling/pool_internal.h"
#include "nn/functional/vision/interpolate_internal.h"
#include "nn/functional/vision/pad_internal.h"
#include "nn/onnx/graph_internal.h"

/* ---- windows ---- */

/* The sizes of a window over one to three dims. */
typedef struct Sizes {
    int dims;
    int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
} Sizes;

static Sizes of_window(const Window *w) {
    Sizes s = {.dims = w->dims};
    for (int d = 0; d < w->dims; d++) {
        const int from = 2 - w->dims + d; /* of one dim, the second */
        s.in[d] = w->in[from];
        s.out[d] = w->out[from];
        s.kernel[d] = w->kernel[from];
        s.stride[d] = w->stride[from];
        s.padding[d] = w->padding[from];
        s.dilation[d] = w->dilation[from];
    }
    return s;
}

static Sizes of_volume(const Volume *v) {
    Sizes s = {.dims = 3};
    for (int d = 0; d < 3; d++) {
        s.in[d] = v->in[d];
        s.out[d] = v->out[d];
        s.kernel[d] = v->kernel[d];
        s.stride[d] = v->stride[d];
        s.padding[d] = v->padding[d];
        s.dilation[d] = v->dilation[d];
    }
    return s;
}

/* The padding after dim d: more than before it for padding="same" of an even kernel and for an incomplete last window.
 */
static int64_t padding_after(const Sizes *s, int d) {
    const int64_t needed = (s->out[d] - 1) * s->stride[d] + s->dilation[d] * (s->kernel[d] - 1) + 1 - s->in[d];
    const int64_t rest = needed - s->padding[d];
    return rest > s->padding[d] ? rest : s->padding[d];
}

static OnnxAttribute pads_of(const Sizes *s, bool even) {
    int64_t pads[6];
    for (int d = 0; d < s->dims; d++) {
        pads[d] = s->padding[d];
        pads[s->dims + d] = even ? s->padding[d] : padding_after(s, d);
    }
    return tg_onnx_ints_attribute("pads", pads, 2 * s->dims);
}

#define WINDOW_ATTRIBUTES(s)                                        \
    tg_onnx_ints_attribute("kernel_shape", (s)->kernel, (s)->dims), \
        tg_onnx_ints_attribute("strides", (s)->stride, (s)->dims)

/* ---- convolutions ---- */

static const char *conv_of(OnnxGraph *g, const OnnxOp *op, const Sizes *s, int64_t groups) {
    return tg_onnx_node(g, "Conv", ONNX_NAMES(tg_onnx_in(g, op, 0), tg_onnx_in(g, op, 1), tg_onnx_in(g, op, 2)),
                        ONNX_ATTRIBUTES(WINDOW_ATTRIBUTES(s), pads_of(s, false),
                                        tg_onnx_ints_attribute("dilations", s->dilation, s->dims),
                                        tg_onnx_int_attribute("group", groups)));
}

/* From s->out to s->in. */
static const char *conv_transpose_of(OnnxGraph *g, const OnnxOp *op, const Sizes *s, int64_t groups) {
    int64_t more[3];
    for (int d = 0; d < s->dims; d++)
        more[d] =
            s->in[d] - ((s->out[d] - 1) * s->stride[d] - 2 * s->padding[d] + s->dilation[d] * (s->kernel[d] - 1) + 1);
    return tg_onnx_node(g, "ConvTranspose",
                        ONNX_NAMES(tg_onnx_in(g, op, 0), tg_onnx_in(g, op, 1), tg_onnx_in(g, op, 2)),
                        ONNX_ATTRIBUTES(WINDOW_ATTRIBUTES(s), pads_of(s, true),
                                        tg_onnx_ints_attribute("dilations", s->dilation, s->dims),
                                        tg_onnx_ints_attribute("output_padding", more, s->dims),
                                        tg_onnx_int_attribute("group", groups)));
}

static const char *convolution(OnnxGraph *g, const OnnxOp *op) {
    const Conv *conv = op->op[0]->attributes;
    const Sizes s = of_window(&conv->window);
    return conv_of(g, op, &s, conv->groups);
}
static const char *conv_transpose(OnnxGraph *g, const OnnxOp *op) {
    const Conv *conv = op->op[0]->attributes;
    const Sizes s = of_window(&conv->window);
    return conv_transpose_of(g, op, &s, conv->groups);
}
static const char *convolution3d(OnnxGraph *g, const OnnxOp *op) {
    const VolumeConv *conv = op->op[0]->attributes;
    const Sizes s = of_volume(&conv->v);
    return conv_of(g, op, &s, conv->groups);
}
static const char *conv_transpose3d(OnnxGraph *g, const OnnxOp *op) {
    const VolumeConv *conv = op->op[0]->attributes;
    const Sizes s = of_volume(&conv->v);
    return conv_transpose_of(g, op, &s, conv->groups);
}

/* ---- pooling ---- */

/* Pooling over one dim is recorded over two, the first of which is 1. */
static Sizes of_pool(const Pool *pool) {
    Window w = pool->window;
    w.dims = 2;
    return of_window(&w);
}

/* ONNX pools batches: (C, H, W) gets a leading dim. */
static const char *batched(OnnxGraph *g, const OnnxOp *op, const Sizes *s) {
    const char *x = tg_onnx_in(g, op, 0);
    return op->y[0]->ndim == s->dims + 2 ? x : tg_onnx_binary(g, "Unsqueeze", x, tg_onnx_int(g, 0));
}
static const char *unbatched(OnnxGraph *g, const OnnxOp *op, const Sizes *s, const char *y) {
    return op->y[0]->ndim == s->dims + 2 ? y : tg_onnx_binary(g, "Squeeze", y, tg_onnx_int(g, 0));
}

static bool has_incomplete_window(const Sizes *s) {
    for (int d = 0; d < s->dims; d++)
        if (padding_after(s, d) > s->padding[d]) return true;
    return false;
}

static const char *max_pool_of(OnnxGraph *g, const OnnxOp *op, const Sizes *s) {
    const char *y = tg_onnx_node(g, "MaxPool", ONNX_NAMES(batched(g, op, s)),
                                 ONNX_ATTRIBUTES(WINDOW_ATTRIBUTES(s), pads_of(s, false),
                                                 tg_onnx_ints_attribute("dilations", s->dilation, s->dims)));
    return unbatched(g, op, s, y);
}

/* divisor: 0 for the number of elements of the window */
static const char *avg_pool_of(OnnxGraph *g, const OnnxOp *op, const Sizes *s, bool count_include_pad,
                               int64_t divisor) {
    const bool incomplete = has_incomplete_window(s);
    int64_t elements = 1;
    for (int d = 0; d < s->dims; d++) elements *= s->kernel[d];
    if (incomplete && divisor) return tg_fail("divisor_override with an incomplete last window");
    const char *y = tg_onnx_node(
        g, "AveragePool", ONNX_NAMES(batched(g, op, s)),
        ONNX_ATTRIBUTES(WINDOW_ATTRIBUTES(s), pads_of(s, true), tg_onnx_int_attribute("ceil_mode", incomplete),
                        tg_onnx_int_attribute("count_include_pad", count_include_pad || divisor)));
    if (divisor)
        y = tg_onnx_binary(g, "Mul", y, tg_onnx_number(g, (double)elements / (double)divisor, op->y[0]->dtype));
    return unbatched(g, op, s, y);
}

static const char *max_pool2d(OnnxGraph *g, const OnnxOp *op) {
    const Sizes s = of_pool(op->op[0]->attributes);
    return max_pool_of(g, op, &s);
}
static const char *max_pool3d(OnnxGraph *g, const OnnxOp *op) {
    const VolumePool *pool = op->op[0]->attributes;
    const Sizes s = of_volume(&pool->v);
    return max_pool_of(g, op, &s);
}
static const char *avg_pool2d(OnnxGraph *g, const OnnxOp *op) {
    const Pool *pool = op->op[0]->attributes;
    const Sizes s = of_pool(pool);
    return avg_pool_of(g, op, &s, pool->count_include_pad, pool->divisor);
}
static const char *avg_pool3d(OnnxGraph *g, const OnnxOp *op) {
    const VolumePool *pool = op->op[0]->attributes;
    const Sizes s = of_volume(&pool->v);
    return avg_pool_of(g, op, &s, pool->count_include_pad,
                       pool->divisor_override == T_NONE ? 0 : pool->divisor_override);
}

/* ---- adaptive pooling, of the last dims of x to those of y ---- */

/* Row i of (out, in): 1 / n for the n elements from floor(i in / out) to ceil((i + 1) in / out), else 0. */
static const char *averaging_matrix(OnnxGraph *g, int64_t in, int64_t out, bool transposed, t_DType dtype) {
    Tensor *matrix = tg_empty((int64_t[]){transposed ? in : out, transposed ? out : in}, 2, dtype);
    if (!matrix) return NULL;
    tg_fill_into(matrix, 0);
    for (int64_t i = 0; i < out; i++) {
        const int64_t from = i * in / out, to = ((i + 1) * in + out - 1) / out;
        for (int64_t j = from; j < to; j++)
            tg_set_element(
                dtype, (char *)tg_data(matrix) + (size_t)(transposed ? j * out + i : i * in + j) * tg_itemsize(dtype),
                1.0 / (double)(to - from));
    }
    return tg_onnx_constant(g, matrix, NULL);
}

/* A window of the same size everywhere if the sizes are multiples. */
static bool is_even(const Tensor *x, const Tensor *y, int dims, Sizes *s) {
    *s = (Sizes){.dims = dims};
    for (int d = 0; d < dims; d++) {
        s->in[d] = x->shape[x->ndim - dims + d];
        s->out[d] = y->shape[y->ndim - dims + d];
        if (!s->out[d] || s->in[d] % s->out[d]) return false;
        s->kernel[d] = s->stride[d] = s->in[d] / s->out[d];
        s->dilation[d] = 1;
    }
    return true;
}

static const char *adaptive_avg_pool_of(OnnxGraph *g, const OnnxOp *op, int dims) {
    const Tensor *x = tg_onnx_tensor(g, op, 0, 0), *y = op->y[0];
    Sizes s;
    bool to_one = y->ndim == dims + 2;
    for (int d = 0; d < dims; d++) to_one = to_one && y->shape[y->ndim - dims + d] == 1;
    if (to_one) return tg_onnx_unary(g, "GlobalAveragePool", tg_onnx_in(g, op, 0));
    if (is_even(x, y, dims, &s)) return avg_pool_of(g, op, &s, false, 0);
    if (dims == 3) return tg_fail("adaptive average pooling of a volume to sizes that do not divide its own");
    const t_DType dtype = y->dtype;
    const char *rows = averaging_matrix(g, x->shape[x->ndim - 2], y->shape[y->ndim - 2], false, dtype);
    const char *columns = averaging_matrix(g, x->shape[x->ndim - 1], y->shape[y->ndim - 1], true, dtype);
    return tg_onnx_binary(g, "MatMul", tg_onnx_binary(g, "MatMul", rows, tg_onnx_in(g, op, 0)), columns);
}
static const char *adaptive_avg_pool2d(OnnxGraph *g, const OnnxOp *op) {
    return adaptive_avg_pool_of(g, op, 2);
}
static const char *adaptive_avg_pool3d(OnnxGraph *g, const OnnxOp *op) {
    return adaptive_avg_pool_of(g, op, 3);
}
static const char *adaptive_max_pool2d(OnnxGraph *g, const OnnxOp *op) {
    Sizes s;
    if (!is_even(tg_onnx_tensor(g, op, 0, 0), op->y[0], 2, &s))
        return tg_fail("adaptive max pooling to sizes that do not divide the input's");
    return max_pool_of(g, op, &s);
}

/* ---- norms ---- */

static const char *filled(OnnxGraph *g, int64_t size, double value, t_DType dtype) {
    Tensor *x = tg_empty(&size, 1, dtype);
    if (x) tg_fill_into(x, value);
    return tg_onnx_constant(g, x, NULL);
}
/* Input i, or a vector of that value where it is None. */
static const char *in_or(OnnxGraph *g, const OnnxOp *op, int i, int64_t size, double value) {
    const char *x = tg_onnx_in(g, op, i);
    return x && !*x ? filled(g, size, value, op->y[0]->dtype) : x;
}

static const char *layer_norm(OnnxGraph *g, const OnnxOp *op) {
    const RowNorm *a = op->op[0]->attributes;
    const char *scale = tg_onnx_in(g, op, 1);
    if (scale && !*scale) {
        Tensor *ones = tg_empty(op->y[0]->shape + op->y[0]->ndim - a->dims, a->dims, op->y[0]->dtype);
        if (ones) tg_fill_into(ones, 1);
        scale = tg_onnx_constant(g, ones, NULL);
    }
    return tg_onnx_node(
        g, "LayerNormalization", ONNX_NAMES(tg_onnx_in(g, op, 0), scale, tg_onnx_in(g, op, 2)),
        ONNX_ATTRIBUTES(tg_onnx_int_attribute("axis", -a->dims), tg_onnx_float_attribute("epsilon", a->eps)));
}

/* x / sqrt(mean(x^2) + eps) weight */
static const char *rms_norm(OnnxGraph *g, const OnnxOp *op) {
    const RowNorm *a = op->op[0]->attributes;
    const t_DType dtype = op->y[0]->dtype;
    int64_t dims[T_MAX_DIMS];
    for (int i = 0; i < a->dims; i++) dims[i] = i - a->dims;
    const char *x = tg_onnx_in(g, op, 0), *weight = tg_onnx_in(g, op, 1);
    const char *mean = tg_onnx_node(
        g, "ReduceMean", ONNX_NAMES(tg_onnx_binary(g, "Mul", x, x), tg_onnx_ints(g, dims, a->dims)), NULL, 0);
    const char *root = tg_onnx_unary(g, "Sqrt", tg_onnx_binary(g, "Add", mean, tg_onnx_number(g, a->eps, dtype)));
    const char *y = tg_onnx_binary(g, "Div", x, root);
    return weight && *weight ? tg_onnx_binary(g, "Mul", y, weight) : y;
}

/* weight and bias of the channels, (C, 1, ..., 1) */
static const char *per_channel(OnnxGraph *g, const OnnxOp *op, const char *type, const char *x, int i) {
    const char *parameter = tg_onnx_in(g, op, i);
    if (!parameter || !*parameter) return parameter ? x : NULL;
    int64_t shape[T_MAX_DIMS] = {op->y[0]->shape[1], 1, 1, 1, 1, 1, 1, 1};
    return tg_onnx_binary(g, type, x,
                          tg_onnx_binary(g, "Reshape", parameter, tg_onnx_ints(g, shape, op->y[0]->ndim - 1)));
}

/* The groups as channels of an instance norm. */
static const char *group_norm(OnnxGraph *g, const OnnxOp *op) {
    const Channels *of = op->op[0]->attributes;
    const t_DType dtype = op->y[0]->dtype;
    const Tensor *x = tg_onnx_tensor(g, op, 0, 0), *same[] = {x, tg_onnx_tensor(g, op, 0, 1)};
    const char *grouped =
        tg_onnx_binary(g, "Reshape", tg_onnx_in(g, op, 0), tg_onnx_ints(g, (int64_t[]){0, of->groups, -1}, 3));
    const char *y = tg_onnx_node(g, "InstanceNormalization",
                                 ONNX_NAMES(grouped, filled(g, of->groups, 1, dtype), filled(g, of->groups, 0, dtype)),
                                 ONNX_ATTRIBUTES(tg_onnx_float_attribute("epsilon", of->eps)));
    const Tensor *flat[2] = {x, same[1]};
    Tensor view[2] = {*x, *same[1]}; /* (N, groups, rest): only the first size may be kept */
    for (int k = 0; k < 2; k++) {
        view[k].ndim = 1;
        flat[k] = &view[k];
    }
    y = tg_onnx_reshape(g, y, flat, same);
    return per_channel(g, op, "Add", per_channel(g, op, "Mul", y, 1), 2);
}

static const char *batch_norm_node(OnnxGraph *g, const OnnxOp *op, const RunningNorm *norm) {
    const int64_t C = op->y[0]->shape[1];
    return tg_onnx_node(g, "BatchNormalization",
                        ONNX_NAMES(tg_onnx_in(g, op, 0), in_or(g, op, 1, C, 1), in_or(g, op, 2, C, 0),
                                   tg_onnx_in(g, op, 3), tg_onnx_in(g, op, 4)),
                        ONNX_ATTRIBUTES(tg_onnx_float_attribute("epsilon", norm->eps)));
}

/* Without running statistics: those of the batch, also in evaluation mode. */
static const char *batch_norm(OnnxGraph *g, const OnnxOp *op) {
    const RunningNorm *norm = op->op[0]->attributes;
    if (!norm->use_input_stats) return batch_norm_node(g, op, norm);
    int64_t dims[T_MAX_DIMS];
    int count = 0;
    for (int d = 0; d < op->y[0]->ndim; d++)
        if (d != 1) dims[count++] = d;
    const char *x = tg_onnx_in(g, op, 0), *axes = tg_onnx_ints(g, dims, count);
    const char *centred = tg_onnx_binary(g, "Sub", x, tg_onnx_binary(g, "ReduceMean", x, axes));
    const char *var = tg_onnx_binary(g, "ReduceMean", tg_onnx_binary(g, "Mul", centred, centred), axes);
    var = tg_onnx_binary(g, "Add", var, tg_onnx_number(g, norm->eps, op->y[0]->dtype));
    const char *y = tg_onnx_binary(g, "Div", centred, tg_onnx_unary(g, "Sqrt", var));
    return per_channel(g, op, "Add", per_channel(g, op, "Mul", y, 1), 2);
}

static const char *instance_norm(OnnxGraph *g, const OnnxOp *op) {
    const RunningNorm *norm = op->op[0]->attributes;
    const int64_t C = op->y[0]->shape[1];
    if (!norm->use_input_stats) return batch_norm_node(g, op, norm);
    return tg_onnx_node(g, "InstanceNormalization",
                        ONNX_NAMES(tg_onnx_in(g, op, 0), in_or(g, op, 1, C, 1), in_or(g, op, 2, C, 0)),
                        ONNX_ATTRIBUTES(tg_onnx_float_attribute("epsilon", norm->eps)));
}

/* ---- padding, resizing, pixel shuffle ---- */

static const char *pad(OnnxGraph *g, const OnnxOp *op) {
    static const char *const modes[] = {
        [TG_CONSTANT] = "constant", [TG_REFLECT] = "reflect", [TG_REPLICATE] = "edge", [TG_CIRCULAR] = "wrap"};
    const Pads *pads = op->op[0]->attributes;
    const int ndim = op->y[0]->ndim;
    int64_t sizes[2 * T_MAX_DIMS];
    bool negative = false;
    for (int d = 0; d < ndim; d++) {
        sizes[d] = pads->before[d];
        sizes[ndim + d] = pads->after[d];
        negative = negative || pads->before[d] < 0 || pads->after[d] < 0;
    }
    if (pads->mode == TG_CIRCULAR && g->opset < 19) return tg_fail("circular padding; opset_version 19 has it");
    if (pads->mode != TG_CONSTANT && negative) return tg_fail("negative padding in the mode %s", modes[pads->mode]);
    const char *value = pads->mode == TG_CONSTANT ? tg_onnx_number(g, pads->value, op->y[0]->dtype) : "";
    return tg_onnx_node(g, "Pad", ONNX_NAMES(tg_onnx_in(g, op, 0), tg_onnx_ints(g, sizes, 2 * ndim), value),
                        ONNX_ATTRIBUTES(tg_onnx_text_attribute("mode", modes[pads->mode])));
}

/* Where a given factor differs from the ratio of the sizes, as 1.5 of 5 pixels, it is the scale; else the sizes are. */
static const char *interpolate(OnnxGraph *g, const OnnxOp *op) {
    const Resize *r = op->op[0]->attributes;
    const bool nearest = r->filter == NEAREST || r->filter == NEAREST_EXACT;
    if (!nearest && r->filter != LINEAR && r->filter != CUBIC) return tg_fail("the filter of this interpolation");
    int64_t axes[3], sizes[3];
    bool by_scale = false;
    Tensor *scales = tg_empty((int64_t[]){r->dims}, 1, t_float32);
    for (int d = 0; d < r->dims && scales; d++) {
        const int from = 3 - r->dims + d;
        axes[d] = 2 + d;
        sizes[d] = r->out[from];
        by_scale =
            by_scale || (!r->align_corners && fabs(r->step[from] * (double)r->out[from] - (double)r->in[from]) > 1e-6);
        ((float *)tg_data(scales))[d] = (float)(1 / r->step[from]);
    }
    const char *transformation = r->align_corners             ? "align_corners"
                                 : r->filter == NEAREST       ? "asymmetric"
                                 : r->filter == NEAREST_EXACT ? "half_pixel"
                                                              : "pytorch_half_pixel";
    return tg_onnx_node(g, "Resize",
                        ONNX_NAMES(tg_onnx_in(g, op, 0), "", by_scale ? tg_onnx_constant(g, scales, NULL) : "",
                                   by_scale ? "" : tg_onnx_ints(g, sizes, r->dims)),
                        ONNX_ATTRIBUTES(tg_onnx_ints_attribute("axes", axes, r->dims),
                                        tg_onnx_text_attribute("mode", nearest               ? "nearest"
                                                                       : r->filter == LINEAR ? "linear"
                                                                                             : "cubic"),
                                        tg_onnx_text_attribute("coordinate_transformation_mode", transformation),
                                        tg_onnx_text_attribute(
                                            "nearest_mode", r->filter == NEAREST_EXACT ? "round_prefer_ceil" : "floor"),
                                        tg_onnx_float_attribute("cubic_coeff_a", r->antialias ? -0.5 : -0.75),
                                        tg_onnx_int_attribute("antialias", r->antialias)));
}

static const char *pixel_shuffle(OnnxGraph *g, const OnnxOp *op) {
    if (op->y[0]->ndim != 4) return tg_fail("pixel_shuffle of another rank than 4");
    return tg_onnx_node(g, "DepthToSpace", ONNX_NAMES(tg_onnx_in(g, op, 0)),
                        ONNX_ATTRIBUTES(tg_onnx_int_attribute("blocksize", *(const int64_t *)op->op[0]->attributes),
                                        tg_onnx_text_attribute("mode", "CRD")));
}

/* (N, C, H r, W r) -> (N, C, H, r, W, r) -> (N, C, r, r, H, W) -> (N, C r r, H, W) */
static const char *pixel_unshuffle(OnnxGraph *g, const OnnxOp *op) {
    const int64_t r = *(const int64_t *)op->op[0]->attributes, *to = op->y[0]->shape;
    if (op->y[0]->ndim != 4) return tg_fail("pixel_unshuffle of another rank than 4");
    const int64_t apart[] = {0, to[1] / (r * r), to[2], r, to[3], r}, order[] = {0, 1, 3, 5, 2, 4};
    const char *y = tg_onnx_binary(g, "Reshape", tg_onnx_in(g, op, 0), tg_onnx_ints(g, apart, 6));
    y = tg_onnx_node(g, "Transpose", ONNX_NAMES(y), ONNX_ATTRIBUTES(tg_onnx_ints_attribute("perm", order, 6)));
    return tg_onnx_binary(g, "Reshape", y, tg_onnx_ints(g, (int64_t[]){0, to[1], to[2], to[3]}, 4));
}

const OnnxRow tg_onnx_layers[] = {
    {"convolution", convolution},
    {"conv_transpose", conv_transpose},
    {"convolution3d", convolution3d},
    {"conv_transpose3d", conv_transpose3d},
    {"max_pool2d", max_pool2d},
    {"max_pool3d", max_pool3d},
    {"avg_pool2d", avg_pool2d},
    {"avg_pool3d", avg_pool3d},
    {"adaptive_avg_pool2d", adaptive_avg_pool2d},
    {"adaptive_avg_pool3d", adaptive_avg_pool3d},
    {"adaptive_max_pool2d", adaptive_max_pool2d},
    {"layer_norm", layer_norm},
    {"rms_norm", rms_norm},
    {"group_norm", group_norm},
    {"batch_norm", batch_norm},
    {"instance_norm", instance_norm},
    {"pad", pad},
    {"interpolate", interpolate},
    {"pixel_shuffle", pixel_shuffle},
    {"pixel_unshuffle", pixel_unshuffle},
    {NULL, NULL},
};
