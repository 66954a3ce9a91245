/* nn/functional/convolution/conv_checks.c: F.conv1d, conv2d, conv_transpose1d and conv_transpose2d: argument checks and
 * output sizes. */
#include <inttypes.h>
#include <stdio.h>

#include "core/tensor/size_arithmetic.h"
#include "nn/functional/convolution/conv_checks_internal.h"
#include "nn/functional/convolution/convolution.h"
#include "nn/functional/convolution/sliding_window_internal.h"

/* The function that was called. */
typedef struct Kind {
    const char *name;
    int dims;
    bool transposed;
} Kind;

static bool both_at_least(const int64_t pair[2], int64_t least) {
    return pair[0] >= least && pair[1] >= least;
}

/* ---- sizes ---- */

static bool check_window(const Window *w, const int64_t output_padding[2], int64_t groups) {
    if (groups < 1) return tg_fail("non-positive groups is not supported");
    if (!both_at_least(w->padding, 0)) return tg_fail("negative padding is not supported");
    if (!both_at_least(output_padding, 0)) return tg_fail("negative output_padding is not supported");
    return both_at_least(w->stride, 1) || tg_fail("non-positive stride is not supported") != NULL;
}

bool tg_check_dilation(const int64_t *dilation, int dims, bool transposed) {
    static const char *const names[] = {"depth", "height", "width"};
    char text[128];
    int length = 0;
    bool positive = true;
    for (int d = 0; d < dims; d++) {
        if (dilation[d] < 0) return tg_fail("dilation should be greater than zero");
        positive = positive && dilation[d] > 0;
        length += transposed ? snprintf(text + length, sizeof text - (size_t)length, "%sdilation_%s: %" PRId64,
                                        d ? ", " : "", names[d + 3 - dims], dilation[d])
                             : snprintf(text + length, sizeof text - (size_t)length, "%s%" PRId64, d ? ", " : "[",
                                        dilation[d]);
    }
    return positive || tg_fail("dilation should be greater than zero, but got %s%s", text, transposed ? "" : "]");
}

bool tg_check_weight_dims(const Tensor *x, const Tensor *w, int dims, const int64_t *stride, bool same) {
    if (w->ndim == dims + 2) return true;
    if (w->ndim < 3) return tg_fail("weight should have at least three dimensions");
    if (same || dims == 1)
        return tg_fail("Expected %d-dimensional input for %d-dimensional weight%s%s, but got %d-dimensional input of "
                       "size %s instead",
                       w->ndim, w->ndim, same ? "" : " ", tg_shape_of(w), x->ndim, tg_shape_of(x));
    return tg_fail("expected stride to be a single integer value or a list of %d values to match the convolution "
                   "dimensions, but got stride=%s",
                   w->ndim - 2, tg_shape_text(stride, dims));
}

static const char *shape_text(const Tensor *x) {
    return tg_shape_of(x);
}

static bool check_channels(const Tensor *x, const Tensor *w, const Tensor *bias, int64_t groups, bool transposed) {
    const int64_t in_groups = tg_size_mul(w->shape[1], groups);
    int64_t C = transposed ? w->shape[0] : in_groups, biases = transposed ? in_groups : w->shape[0];
    long long want = (long long)C, got = (long long)x->shape[1], G = (long long)groups;
    if (w->shape[0] < groups)
        return tg_fail(
            "Given groups=%lld, expected weight to be at least %lld at dimension 0, but got weight of size %s instead",
            G, G, shape_text(w));
    if (w->shape[0] % groups)
        return tg_fail(
            "Given groups=%lld, expected weight to be divisible by %lld at dimension 0, but got weight of size [%s] "
            "instead",
            G, G, shape_text(w));
    if (got != want)
        return tg_fail(
            "Given %s=%lld, weight of size %s, expected input%s to have %lld channels, but got %lld channels instead",
            transposed ? "transposed" : "groups", transposed ? 1 : G, shape_text(w), shape_text(x), want, got);
    if (bias && (bias->ndim != 1 || bias->shape[0] != biases))
        return tg_fail(
            "Given %sweight of size %s, expected bias to be 1-dimensional with %lld elements, but got bias of size %s "
            "instead",
            transposed ? "transposed=1, " : "", shape_text(w), (long long)biases, shape_text(bias));
    return true;
}

/* The transposed convolution adds its bias in place, so that a bias of another dtype is converted (but a floating bias
 * cannot be added to an int64 result). */
static bool check_bias_dtype(const Tensor *x, const Tensor *bias, const Kind *kind) {
    if (!bias || bias->dtype == x->dtype) return true;
    if (!kind->transposed)
        return tg_fail("Input type (%s) and bias type (%s) should be the same", tg_c_type_name(x->dtype),
                       tg_c_type_name(bias->dtype));
    return tg_is_floating(x->dtype) || !tg_is_floating(bias->dtype) ||
           tg_fail("result type %s can't be cast to the desired output type %s", tg_scalar_name(bias->dtype),
                   tg_scalar_name(x->dtype)) != NULL;
}

static bool check_conv_dtypes(const Tensor *x, const Tensor *w, const Tensor *bias, const Kind *kind) {
    const char *op = kind->transposed ? "slow_conv_transpose2d_out_cpu" : "slow_conv2d_cpu";
    if (!kind->transposed && !check_bias_dtype(x, bias, kind)) return false;
    if (w->dtype != x->dtype)
        return tg_fail("expected scalar type %s but found %s", tg_scalar_name(x->dtype), tg_scalar_name(w->dtype));
    return x->dtype == t_bool ? tg_not_implemented(op, x->dtype) != NULL : check_bias_dtype(x, bias, kind);
}

/* ---- output sizes ---- */

/* padding="same": the output has x's size; an odd padding has its extra element at the end. */
static bool same_output_size(Window *w) {
    if (w->stride[0] != 1 || w->stride[1] != 1)
        return tg_fail("padding='same' is not supported for strided convolutions");
    for (int d = 0; d < 2; d++) {
        w->padding[d] = (tg_window_extent(w, d) - 1) / 2;
        w->out[d] = w->in[d];
    }
    return true;
}

static bool output_size(Window *w, const Tensor *x) {
    int64_t padded[2], kernel[2];
    for (int d = 0; d < 2; d++) {
        padded[d] = tg_size_add(w->in[d], tg_size_mul(2, w->padding[d]));
        kernel[d] = tg_window_extent(w, d);
        w->out[d] = tg_window_count(w, d);
    }
    if (!both_at_least(w->kernel, 1))
        return tg_fail("kernel size should be greater than zero, but got kernel_height: %lld kernel_width: %lld",
                       (long long)w->kernel[0], (long long)w->kernel[1]);
    if (!both_at_least(w->out, 1) || padded[0] < kernel[0] || padded[1] < kernel[1])
        return tg_fail(
            "Calculated padded input size per channel: %s. Kernel size: %s. Kernel size can't be greater than actual "
            "input size",
            tg_size_by_text(padded, w->dims).text, tg_size_by_text(kernel, w->dims).text);
    if (both_at_least(w->in, 1)) return true;
    return tg_fail("Only zero batch or zero channel inputs are supported, but got input shape: %s", shape_text(x));
}

/* The transposed convolution: w->out is the size of its input, w->in that of its output. */
static bool transposed_output_size(Window *w, const int64_t extra[2]) {
    for (int d = 0; d < 2; d++)
        if (extra[d] >= w->stride[d] && extra[d] >= w->dilation[d])
            return tg_fail(
                "output padding must be smaller than either stride or dilation, but got output_padding_height: %lld "
                "output_padding_width: %lld stride_height: %lld stride_width: %lld dilation_height: %lld "
                "dilation_width: %lld",
                (long long)extra[0], (long long)extra[1], (long long)w->stride[0], (long long)w->stride[1],
                (long long)w->dilation[0], (long long)w->dilation[1]);
    for (int d = 0; d < 2; d++)
        w->in[d] = tg_size_sub(
            tg_size_add(tg_size_add(tg_size_mul(w->out[d] - 1, w->stride[d]), tg_window_extent(w, d)), extra[d]),
            tg_size_mul(2, w->padding[d]));
    if (both_at_least(w->in, 1) && both_at_least(w->kernel, 1)) return true;
    return tg_fail("Given input size per channel: %s. Calculated output size per channel: %s. Output size is too small",
                   tg_size_by_text(w->out, w->dims).text, tg_size_by_text(w->in, w->dims).text);
}

/* ---- the call ---- */

static Tensor *convolution_batched(Tensor *x, Tensor *w, Tensor *bias, const F_ConvOptions *o, const Kind *kind) {
    Window window = {.dims = kind->dims};
    int64_t extra[2];
    bool same = o->padding[0] == F_SAME, valid = o->padding[0] == F_VALID;
    if (kind->transposed && (same || valid))
        return tg_fail("%s takes integers for padding, not F_SAME or F_VALID", kind->name);
    tg_pair(o->stride, kind->dims, 1, window.stride);
    tg_pair(o->dilation, kind->dims, 1, window.dilation);
    tg_pair(same || valid ? (int64_t[]){0, 0} : o->padding, kind->dims, 0, window.padding);
    tg_pair(o->output_padding, kind->dims, 0, extra);
    if (!tg_check_weight_dims(x, w, kind->dims, window.stride + 2 - kind->dims, same) ||
        !check_window(&window, extra, o->groups) || !tg_check_dilation(window.dilation, 2, kind->transposed))
        return NULL;
    if (!check_channels(x, w, bias, o->groups, kind->transposed) || !check_conv_dtypes(x, w, bias, kind)) return NULL;
    tg_plane(w, kind->dims, window.kernel);
    tg_plane(x, kind->dims, kind->transposed ? window.out : window.in);
    if (kind->transposed ? !transposed_output_size(&window, extra)
        : same           ? !same_output_size(&window)
                         : !output_size(&window, x))
        return NULL;
    if (!tg_normalize_window(&window)) return NULL;
    if (!bias || bias->dtype == x->dtype) return tg_convolution(x, w, bias, &window, o->groups, kind->transposed);
    int depth = t_scope_open();
    bias = depth ? t_to(bias, x->dtype) : NULL;
    return tg_scope_return(depth, bias ? tg_convolution(x, w, bias, &window, o->groups, kind->transposed) : NULL);
}

static Tensor *convolution(Tensor *x, Tensor *w, Tensor *bias, const F_ConvOptions *options, const Kind *kind) {
    TG_AUTOCAST(x);
    TG_AUTOCAST(w);
    TG_AUTOCAST(bias);
    F_ConvOptions o = F_ConvDefaults;
    if (!tg_check_any_two(x, w) || !tg_check_any_optional(bias, 3) || !tg_take_options(&o, options, sizeof o))
        return NULL;
    if (x->ndim == kind->dims + 2) return convolution_batched(x, w, bias, &o, kind);
    if (x->ndim != kind->dims + 1)
        return tg_fail("Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size: %s",
                       kind->dims + 1, kind->dims + 2, kind->name, shape_text(x));
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *one = t_unsqueeze(x, 0), *y = one ? convolution_batched(one, w, bias, &o, kind) : NULL;
    y = y ? t_squeeze(y, 0) : NULL;
    return tg_scope_return(depth, y);
}

/* F.conv2d(x, weight, bias, stride, padding, dilation, groups): y[n, o, p] = bias[o] + the sum over c and k of
 * x[n, c, p stride - padding + k dilation] weight[o, c, k], where x is 0 outside its bounds and, with groups, each
 * group of output channels uses its own group of input channels. padding: integers, or F_SAME (y has x's size; stride 1
 * only), or F_VALID (none). x: (N, C, H, W) or (C, H, W); weight: (O, C / groups, kh, kw); bias: (O)
 * or NULL; returns (N, O, H', W') or (O, H', W'), contiguous. Floating dtypes or int64, all the same; int64 has no
 * gradient and is slow. Without input channels y is the bias (PyTorch gives a y without channels). dx is the transposed
 * convolution of dy, dweight sums x times dy over samples and positions, dbias sums dy. Errors: PyTorch's for sizes
 * that do not match. */
Tensor *F_conv2d(Tensor *x, Tensor *weight, Tensor *bias, const F_ConvOptions *options) {
    TG_COMPOSITE("conv2d");
    return convolution(x, weight, bias, options, &(Kind){"conv2d", 2, false});
}

/* F.conv1d(x, weight, bias, ...): the same over one dim. x: (N, C, L) or (C, L), weight: (O, C / groups, k). */
Tensor *F_conv1d(Tensor *x, Tensor *weight, Tensor *bias, const F_ConvOptions *options) {
    TG_COMPOSITE("conv1d");
    return convolution(x, weight, bias, options, &(Kind){"conv1d", 1, false});
}

/* F.conv_transpose2d(x, weight, bias, stride, padding, output_padding, groups, dilation): the gradient of conv2d with
 * respect to its input, as a function of its own: each element of x adds its multiple of the kernel to y.
 * output_padding adds rows and columns at the end of y. x: (N, C, H, W) or (C, H, W); weight: (C, O / groups, kh, kw);
 * bias: (O) or NULL; returns (N, O, H', W') with H' = (H - 1) stride - 2 padding + dilation (kh - 1) + output_padding +
 * 1. A bias of another dtype is converted (PyTorch's MKLDNN, for float32 and more than one sample, refuses it).
 * Gradients: dx is conv2d of dy; dweight is conv2d's with x and dy exchanged. */
Tensor *F_conv_transpose2d(Tensor *x, Tensor *weight, Tensor *bias, const F_ConvOptions *options) {
    TG_COMPOSITE("conv_transpose2d");
    return convolution(x, weight, bias, options, &(Kind){"conv_transpose2d", 2, true});
}

/* F.conv_transpose1d(x, weight, bias, ...): the same over one dim. */
Tensor *F_conv_transpose1d(Tensor *x, Tensor *weight, Tensor *bias, const F_ConvOptions *options) {
    TG_COMPOSITE("conv_transpose1d");
    return convolution(x, weight, bias, options, &(Kind){"conv_transpose1d", 1, true});
}
