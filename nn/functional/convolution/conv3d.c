/* nn/functional/convolution/conv3d.c: convolution and transposed convolution over three dims, as matrix products with
 * the columns of volume.c. Composed of ops, each in the plainest way: volumes are rarer than images, whose convolutions
 * conv.c computes without columns of all positions at once. */
#include <inttypes.h>
#include <stdio.h>

#include "core/autograd/trace.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/convolution/conv_checks_internal.h"
#include "nn/functional/convolution/convolution.h"
#include "nn/functional/convolution/volume_internal.h"

const F_Conv3dOptions F_Conv3dDefaults = {.size = sizeof(F_Conv3dOptions), .stride = {1, F_BOTH},
                                          .padding = {0, F_BOTH}, .dilation = {1, F_BOTH}, .groups = 1,
                                          .output_padding = {0, F_BOTH}};

/* A call, with the options that a Volume does not have. */
typedef struct Call {
    Volume v;
    int64_t groups, output_padding[3];
    bool same, transposed;
} Call;

typedef struct SizesText {
    char text[80];
} SizesText;

static SizesText by_text(const int64_t sizes[3]) { /* "(5 x 5 x 5)" */
    SizesText to;
    snprintf(to.text, sizeof to.text, "(%" PRId64 " x %" PRId64 " x %" PRId64 ")", sizes[0], sizes[1], sizes[2]);
    return to;
}

/* ---- checks ---- */

static bool check_options(const Call *c) {
    if (c->groups < 1) return tg_fail("non-positive groups is not supported");
    if (!tg_all_at_least(c->v.padding, 0)) return tg_fail("negative padding is not supported");
    if (!tg_all_at_least(c->output_padding, 0)) return tg_fail("negative output_padding is not supported");
    if (!tg_all_at_least(c->v.stride, 1)) return tg_fail("non-positive stride is not supported");
    return tg_check_dilation(c->v.dilation, 3, c->transposed);
}

static bool check_channels(const Tensor *x, const Tensor *w, const Tensor *bias, const Call *c) {
    const int64_t in_groups = tg_size_mul(w->shape[1], c->groups), want = c->transposed ? w->shape[0] : in_groups;
    const int64_t biases = c->transposed ? in_groups : w->shape[0];
    const char *size = tg_shape_of(w);
    if (w->shape[0] < c->groups)
        return tg_fail("Given groups=%" PRId64 ", expected weight to be at least %" PRId64
                       " at dimension 0, but got weight of size %s instead",
                       c->groups, c->groups, size);
    if (w->shape[0] % c->groups)
        return tg_fail("Given groups=%" PRId64 ", expected weight to be divisible by %" PRId64
                       " at dimension 0, but got weight of size [%s] instead",
                       c->groups, c->groups, size);
    if (x->shape[1] != want)
        return tg_fail("Given %s=%" PRId64 ", weight of size %s, expected input%s to have %" PRId64
                       " channels, but got %" PRId64 " channels instead",
                       c->transposed ? "transposed" : "groups", c->transposed ? 1 : c->groups, size, tg_shape_of(x),
                       want, x->shape[1]);
    if (bias && (bias->ndim != 1 || bias->shape[0] != biases))
        return tg_fail("Given %sweight of size %s, expected bias to be 1-dimensional with %" PRId64
                       " elements, but got bias of size %s instead",
                       c->transposed ? "transposed=1, " : "", size, biases, tg_shape_of(bias));
    return true;
}

static bool check_dtypes(const Tensor *x, const Tensor *w, const Tensor *bias) {
    if (bias && bias->dtype != x->dtype)
        return tg_fail("Input type (%s) and bias type (%s) should be the same", tg_c_type_name(x->dtype),
                       tg_c_type_name(bias->dtype));
    if (w->dtype != x->dtype)
        return tg_fail("Input type (torch.%sTensor) and weight type (torch.%sTensor) should be the same or input "
                       "should be a MKLDNN tensor and weight is a dense tensor",
                       tg_scalar_name(x->dtype), tg_scalar_name(w->dtype));
    return x->dtype != t_bool || tg_not_implemented("compute_columns3d", t_bool) != NULL;
}

/* ---- output sizes ---- */

static bool output_size(Call *c, const Tensor *x) {
    Volume *v = &c->v;
    int64_t padded[3], length[3];
    bool fits = true;
    for (int d = 0; d < 3; d++) {
        padded[d] = tg_size_add(v->in[d], tg_size_mul(2, v->padding[d]));
        length[d] = tg_window_length(v, d);
        v->out[d] = tg_window_positions(v, d);
        fits = fits && padded[d] >= length[d];
    }
    if (!tg_all_at_least(v->kernel, 1))
        return tg_fail("kernel size should be greater than zero, but got: %" PRId64 " x %" PRId64 " x %" PRId64
                       " (TxHxW)",
                       v->kernel[0], v->kernel[1], v->kernel[2]);
    if (!fits)
        return tg_fail("Calculated padded input size per channel: %s. Kernel size: %s. Kernel size can't be greater "
                       "than actual input size",
                       by_text(padded).text, by_text(length).text);
    return tg_all_at_least(v->in, 1) ||
           tg_fail("Only zero batch or zero channel inputs are supported, but got input shape: %s", tg_shape_of(x));
}

/* padding="same": an odd padding has its extra element at the end, beyond the out positions. */
static bool same_output_size(Call *c) {
    if (c->v.stride[0] != 1 || c->v.stride[1] != 1 || c->v.stride[2] != 1)
        return tg_fail("padding='same' is not supported for strided convolutions");
    for (int d = 0; d < 3; d++) {
        c->v.padding[d] = (tg_window_length(&c->v, d) - 1) / 2;
        c->v.out[d] = c->v.in[d];
    }
    return true;
}

/* v.out is the size of the input, v.in that of the result. */
static bool transposed_output_size(Call *c) {
    Volume *v = &c->v;
    const int64_t *extra = c->output_padding;
    for (int d = 0; d < 3; d++)
        if (extra[d] >= v->stride[d] && extra[d] >= v->dilation[d])
            return tg_fail("output padding must be smaller than either stride or dilation, but got "
                           "output_padding_depth: %" PRId64 " output_padding_height: %" PRId64
                           " output_padding_width: %" PRId64 " stride_depth: %" PRId64 " stride_height: %" PRId64
                           " stride_width: %" PRId64 " dilation_depth: %" PRId64 " dilation_height: %" PRId64
                           " dilation_width: %" PRId64,
                           extra[0], extra[1], extra[2], v->stride[0], v->stride[1], v->stride[2], v->dilation[0],
                           v->dilation[1], v->dilation[2]);
    for (int d = 0; d < 3; d++)
        v->in[d] = tg_size_sub(
            tg_size_add(tg_size_add(tg_size_mul(v->out[d] - 1, v->stride[d]), tg_window_length(v, d)), extra[d]),
            tg_size_mul(2, v->padding[d]));
    return (tg_all_at_least(v->in, 1) && tg_all_at_least(v->kernel, 1)) ||
           tg_fail("Given input size per channel: %s. Calculated output size per channel: %s. Output size is too small",
                   by_text(v->out).text, by_text(v->in).text);
}

/* ---- the products ---- */

/* y = W cols, where cols are x's columns. W: (groups, O / groups, C / groups kernel). */
static Tensor *convolve(Tensor *x, Tensor *w, const Call *c) {
    const Volume *v = &c->v;
    const int64_t N = x->shape[0], O = w->shape[0], P = tg_volume_of(v->out), G = c->groups;
    const int64_t K = w->shape[1] * tg_volume_of(v->kernel);
    Tensor *columns = t_reshape(tg_vol2col(x, v), (int64_t[]){N, G, K, P}, 4);
    Tensor *y = t_matmul(t_reshape(w, (int64_t[]){G, O / G, K}, 3), columns);
    return t_reshape(y, (int64_t[]){N, O, v->out[0], v->out[1], v->out[2]}, 5);
}

/* The columns W^T x, added to where they are from. W: (groups, C / groups, O / groups kernel). */
static Tensor *convolve_transposed(Tensor *x, Tensor *w, const Call *c) {
    const Volume *v = &c->v;
    const int64_t N = x->shape[0], C = w->shape[0], P = tg_volume_of(v->out), G = c->groups;
    const int64_t K = w->shape[1] * tg_volume_of(v->kernel);
    Tensor *columns = t_matmul(t_transpose(t_reshape(w, (int64_t[]){G, C / G, K}, 3), 1, 2),
                               t_reshape(x, (int64_t[]){N, G, C / G, P}, 4));
    return tg_col2vol(t_reshape(columns, (int64_t[]){N, G * K, P}, 3), v);
}

/* ---- the call ---- */

static bool read_options(const F_Conv3dOptions *o, const Tensor *x, const Tensor *w, Call *c) {
    const bool valid = o->padding[0] == F_VALID;
    c->same = o->padding[0] == F_SAME;
    if (c->transposed && (c->same || valid))
        return tg_fail("conv_transpose3d takes integers for padding, not F_SAME or F_VALID");
    c->groups = o->groups;
    tg_triple(o->stride, c->v.stride);
    tg_triple(o->dilation, c->v.dilation);
    tg_triple(c->same || valid ? (int64_t[]){0, 0, 0} : o->padding, c->v.padding);
    tg_triple(o->output_padding, c->output_padding);
    if (!tg_check_weight_dims(x, w, 3, c->v.stride, c->same) || !check_options(c)) return false;
    for (int d = 0; d < 3; d++) {
        c->v.kernel[d] = w->shape[2 + d];
        (c->transposed ? c->v.out : c->v.in)[d] = x->shape[2 + d];
    }
    return true;
}

static Tensor *convolution_batched(Tensor *x, Tensor *w, Tensor *bias, const F_Conv3dOptions *o, bool transposed) {
    Call c = {.transposed = transposed};
    if (!read_options(o, x, w, &c) || !check_channels(x, w, bias, &c) || !check_dtypes(x, w, bias)) return NULL;
    if (transposed ? !transposed_output_size(&c) : c.same ? !same_output_size(&c) : !output_size(&c, x)) return NULL;
    if (!tg_normalize_volume(&c.v)) return NULL;
    static const Op ops[] = {{"convolution3d", NULL, NULL}, {"conv_transpose3d", NULL, NULL}};
    const VolumeConv whole = {c.v, c.groups, {c.output_padding[0], c.output_padding[1], c.output_padding[2]}};
    const bool one = tg_trace_open();
    Tensor *y = (transposed ? convolve_transposed : convolve)(x, w, &c);
    y = y && bias ? t_add(y, t_view(bias, (int64_t[]){-1, 1, 1, 1}, 4)) : y;
    return tg_trace_close(one, &ops[transposed], y, INPUTS(x, w, bias), ATTRIBUTES(whole));
}

static Tensor *convolution(Tensor *x, Tensor *w, Tensor *bias, const F_Conv3dOptions *options, bool transposed) {
    F_Conv3dOptions o = F_Conv3dDefaults;
    if (!tg_check_two(x, w) || !tg_check_optional(bias, 3) || !tg_take_options(&o, options, sizeof o)) return NULL;
    if (x->ndim != 4 && x->ndim != 5)
        return tg_fail("Expected 4D (unbatched) or 5D (batched) input to %s, but got input of size: %s",
                       transposed ? "conv_transpose3d" : "conv3d", tg_shape_of(x));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *batch = x->ndim == 4 ? t_unsqueeze(x, 0) : x;
    Tensor *y = batch ? convolution_batched(batch, w, bias, &o, transposed) : NULL;
    return tg_scope_return(depth, x->ndim == 4 ? t_squeeze(y, 0) : y);
}

/* F.conv3d(x, weight, bias, stride, padding, dilation, groups): F_conv2d over three dims. x: (N, C, D, H, W) or (C, D,
 * H, W); weight: (O, C / groups, kd, kh, kw); bias: (O) or NULL; returns (N, O, D', H', W') or (O, D', H', W').
 * padding: integers, F_SAME or F_VALID. Floating dtypes or int64. Errors: PyTorch's for sizes that do not match. */
Tensor *F_conv3d(Tensor *x, Tensor *weight, Tensor *bias, const F_Conv3dOptions *options) {
    TG_COMPOSITE("conv3d");
    TG_AUTOCAST(x);
    TG_AUTOCAST(weight);
    TG_AUTOCAST(bias);
    if (tg_is_narrow_tensor(x)) {
        Tensor *y;
        TG_WITHOUT_AUTOCAST(y,
                            F_conv3d(tg_widened(x), tg_widened_optional(weight), tg_widened_optional(bias), options));
        return tg_narrowed(y, x->dtype);
    }
    return convolution(x, weight, bias, options, false);
}

/* F.conv_transpose3d(x, weight, bias, stride, padding, output_padding, groups, dilation): the gradient of conv3d with
 * respect to its input, as a function of its own; see F_conv_transpose2d. weight: (C, O / groups, kd, kh, kw). */
Tensor *F_conv_transpose3d(Tensor *x, Tensor *weight, Tensor *bias, const F_Conv3dOptions *options) {
    TG_COMPOSITE("conv_transpose3d");
    TG_AUTOCAST(x);
    TG_AUTOCAST(weight);
    TG_AUTOCAST(bias);
    if (tg_is_narrow_tensor(x)) {
        Tensor *y;
        TG_WITHOUT_AUTOCAST(
            y, F_conv_transpose3d(tg_widened(x), tg_widened_optional(weight), tg_widened_optional(bias), options));
        return tg_narrowed(y, x->dtype);
    }
    return convolution(x, weight, bias, options, true);
}
