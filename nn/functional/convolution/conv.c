/* nn/functional/convolution/conv.c: convolutions and transposed convolutions over one and two dims.
 *
 * All are derivatives of one trilinear form, summed over samples n, output positions p and kernel elements k:
 *     T(x, w, y) = sum y[n, o, p] x[n, c, p stride - padding + k dilation] w[o, c, k].
 * Its derivative by y is the convolution y(x, w), by x the transposed convolution x(y, w), by w the weight gradient
 * w(x, y). The three are each other's gradients, to any order.
 * Each is computed by matrix products (core/kernels/conv/conv.h). Depthwise convolutions, whose matrices would be only
 * as wide as the kernel, use direct loops over planes instead (core/kernels/conv/depthwise.h). */
#include <string.h>

#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/depthwise.h"
#include "nn/functional/convolution/convolution.h"
#include "nn/functional/convolution/sliding_window_internal.h"

const F_ConvOptions F_ConvDefaults = {.size = sizeof(F_ConvOptions), .stride = {1, F_BOTH}, .padding = {0, F_BOTH},
                                      .dilation = {1, F_BOTH}, .groups = 1, .output_padding = {0, F_BOTH}};

/* ---- one of x, w and y from the other two; a bias is added to x or y ---- */

/* Fills y with the bias of each channel, or with zeros. */
static void fill_with_bias(Tensor *y, Tensor *bias) {
    if (!bias) {
        tg_fill_into(y, 0);
        return;
    }
    Tensor over = *bias; /* on the stack: (C, 1, ...) */
    over.ndim = y->ndim - 1;
    for (int d = 1; d < over.ndim; d++) over.shape[d] = 1;
    tg_copy_into(y, &over);
}

/* im2col and matrix products. The transposed convolution runs as a convolution with flipped weights where
 * tg_conv_flipped_bytes() says how many bytes these need. */
static bool conv_by_gemm(tg_Conv job, tg_ConvPass pass) {
    const size_t flipped = pass == TG_CONV_INPUT ? tg_conv_flipped_bytes(&job) : 0;
    void *weights = flipped ? tg_alloc_raw(flipped) : NULL;
    if (flipped && !weights) return false;
    if (flipped) tg_conv_flip(&job, weights);
    if (flipped) pass = TG_CONV_OUTPUT;
    const size_t bytes = tg_conv_workspace(&job, pass);
    const bool ok = (job.workspace = tg_alloc_raw(bytes)) != NULL;
    if (ok) tg_conv(&job, pass);
    if (ok) tg_free(job.workspace, bytes);
    if (flipped) tg_free(weights, flipped);
    return ok;
}

/* Depthwise, with few outputs per channel and a small kernel: what tg_depthwise supports. */
static bool is_depthwise(const Conv *c) {
    const int64_t kernel = c->window.kernel[0] * c->window.kernel[1];
    return c->C == c->groups && c->O / c->groups <= TG_OUTPUTS && kernel > 1 && kernel <= TG_WINDOW;
}

static bool conv_depthwise(const Conv *c, const tg_Conv *job, tg_ConvPass pass) {
    const Window *w = &c->window;
    tg_Depthwise planes = {.f64 = job->f64, .N = c->N, .C = c->C, .O = c->O, .x = job->x, .w = job->w, .y = job->y,
                           .bias = job->bias,
                           .x_strides = {job->x_batch_stride, job->x_strides[0], job->x_strides[1], job->x_strides[2]}};
    memcpy(planes.in, w->in, sizeof planes.in);
    memcpy(planes.out, w->out, sizeof planes.out);
    memcpy(planes.kernel, w->kernel, sizeof planes.kernel);
    memcpy(planes.stride, w->stride, sizeof planes.stride);
    memcpy(planes.padding, w->padding, sizeof planes.padding);
    memcpy(planes.dilation, w->dilation, sizeof planes.dilation);
    const size_t bytes = (size_t)tg_depthwise_workspace(&planes, pass);
    if (!(planes.workspace = tg_alloc_raw(bytes))) return false;
    tg_depthwise(&planes, pass);
    tg_free(planes.workspace, bytes);
    return true;
}

/* int64: direct loops over the sum above, with wrap-around; the result holds the bias already. */
static void multiply_integers(const Conv *c, const tg_Conv *job, tg_ConvPass pass) {
    const Window *s = &c->window;
    const int64_t C = c->C / c->groups, O = c->O / c->groups, rows = s->kernel[0], columns = s->kernel[1];
    uint64_t *x = job->x, *y = job->y;
    const uint64_t *w = job->w;
    for (int64_t n = 0; n < c->N; n++)
        for (int64_t o = 0; o < c->O; o++)
            for (int64_t p = 0; p < s->out[0]; p++)
                for (int64_t q = 0; q < s->out[1]; q++, y++)
                    for (int64_t i = 0; i < C * rows * columns; i++) {
                        const int64_t row = p * s->stride[0] - s->padding[0] + i / columns % rows * s->dilation[0];
                        const int64_t column = q * s->stride[1] - s->padding[1] + i % columns * s->dilation[1];
                        if (row < 0 || row >= s->in[0] || column < 0 || column >= s->in[1]) continue;
                        const int64_t channel = o / O * C + i / (columns * rows);
                        const int64_t *step = job->x_strides;
                        uint64_t *at =
                            x + n * job->x_batch_stride + channel * step[0] + row * step[1] + column * step[2];
                        const uint64_t weight = w[o * C * rows * columns + i];
                        if (pass == TG_CONV_OUTPUT) *y += *at * weight;
                        else *at += *y * weight;
                    }
}

/* Computes the operand that `pass` names. w and y are contiguous, and so is x where it is the result. */
static bool compute(const Conv *c, Tensor *x, Tensor *w, Tensor *y, Tensor *bias, tg_ConvPass pass) {
    if (!x || !w || !y) return false;
    Tensor *result = pass == TG_CONV_OUTPUT ? y : pass == TG_CONV_INPUT ? x : w;
    const int last = x->ndim - 1;
    const bool nonempty = tg_numel(x) && tg_numel(w) && tg_numel(y);
    tg_Conv job = {.f64 = x->dtype == t_float64, .window = c->window, .N = c->N, .C = c->C, .O = c->O,
                   .groups = c->groups, .x = tg_data(x), .w = tg_data(w), .y = tg_data(y),
                   .x_batch_stride = x->strides[0],
                   .x_strides = {x->strides[1], last == 3 ? x->strides[2] : 0, x->strides[last]}};
    if (!nonempty || x->dtype == t_int64) fill_with_bias(result, bias);
    if (nonempty && x->dtype == t_int64) multiply_integers(c, &job, pass);
    if (!nonempty || x->dtype == t_int64) return true;
    Tensor *dense = bias ? tg_dense_tensor(bias) : NULL;
    if (bias && !dense) return false;
    job.bias = dense ? tg_data(dense) : NULL;
    if (is_depthwise(c)) return conv_depthwise(c, &job, pass);
    int64_t extent = 1;
    for (int d = 0; d <= last; d++) extent += (x->shape[d] - 1) * x->strides[d];
    job.x_end = (char *)job.x + (size_t)extent * tg_itemsize(x->dtype);
    return conv_by_gemm(job, pass);
}

/* ---- the three functions ---- */

static Tensor *output(Tensor *x, Tensor *w, Tensor *bias, const Conv *conv);
static Tensor *input(Tensor *y, Tensor *w, Tensor *bias, const Conv *conv);
static Tensor *weight(Tensor *x, Tensor *y, const Conv *conv);

/* The gradient of a bias: dy summed over all but the channels. */
static Tensor *bias_gradient(Tensor *dy) {
    return t_sum(dy, (int64_t[]){0, 2, 3}, dy->ndim - 1, false);
}

static void output_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *w = tg_saved(r, 1);
    if (tg_needs(r, 0) && w) dx[0] = input(dy, w, NULL, r->attributes);
    if (tg_needs(r, 1) && x) dx[1] = weight(x, dy, r->attributes);
    if (tg_needs(r, 2)) dx[2] = bias_gradient(dy);
}
static void input_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *y = tg_saved(r, 0), *w = tg_saved(r, 1);
    if (tg_needs(r, 0) && w) dx[0] = output(dy, w, NULL, r->attributes);
    if (tg_needs(r, 1) && y) dx[1] = weight(dy, y, r->attributes);
    if (tg_needs(r, 2)) dx[2] = bias_gradient(dy);
}
static void weight_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (tg_needs(r, 0) && y) dx[0] = input(y, dy, NULL, r->attributes);
    if (tg_needs(r, 1) && x) dx[1] = output(x, dy, NULL, r->attributes);
}
static const Op output_op = {"convolution", "ConvolutionBackward0", output_backward};
static const Op input_op = {"conv_transpose", "ConvolutionBackward0", input_backward};
static const Op weight_op = {"conv_weight", "ConvolutionBackwardBackward0", weight_backward};

/* A tensor of shape (rows, columns, plane). */
static Tensor *empty(int64_t rows, int64_t columns, const int64_t plane[2], int dims, t_DType dtype) {
    int64_t shape[] = {rows, columns, plane[0], plane[1]};
    shape[1 + dims] = plane[1];
    return tg_empty(shape, 2 + dims, dtype);
}

static Tensor *output(Tensor *x, Tensor *w, Tensor *bias, const Conv *conv) {
    int depth = x && w ? t_scope_open() : 0;
    if (!depth) return NULL;
    Tensor *y = empty(conv->N, conv->O, conv->window.out, conv->window.dims, x->dtype);
    y = compute(conv, x, tg_dense_tensor(w), y, bias, TG_CONV_OUTPUT) ? t_keep_object(y) : NULL;
    t_scope_close(depth);
    return tg_record(&output_op, y, INPUTS(x, w, bias), SAVED(w->requires_grad ? x : NULL, x->requires_grad ? w : NULL),
                     ATTRIBUTES(*conv));
}

static Tensor *input(Tensor *y, Tensor *w, Tensor *bias, const Conv *conv) {
    int depth = y && w ? t_scope_open() : 0;
    if (!depth) return NULL;
    Tensor *x = empty(conv->N, conv->C, conv->window.in, conv->window.dims, y->dtype);
    x = compute(conv, x, tg_dense_tensor(w), tg_dense_tensor(y), bias, TG_CONV_INPUT) ? t_keep_object(x) : NULL;
    t_scope_close(depth);
    return tg_record(&input_op, x, INPUTS(y, w, bias), SAVED(w->requires_grad ? y : NULL, y->requires_grad ? w : NULL),
                     ATTRIBUTES(*conv));
}

static Tensor *weight(Tensor *x, Tensor *y, const Conv *conv) {
    int depth = x && y ? t_scope_open() : 0;
    if (!depth) return NULL;
    Tensor *w = empty(conv->O, conv->C / conv->groups, conv->window.kernel, conv->window.dims, x->dtype);
    w = compute(conv, x, w, tg_dense_tensor(y), NULL, TG_CONV_WEIGHT) ? t_keep_object(w) : NULL;
    t_scope_close(depth);
    return tg_record(&weight_op, w, INPUTS(x, y), SAVED(y->requires_grad ? x : NULL, x->requires_grad ? y : NULL),
                     ATTRIBUTES(*conv));
}

Tensor *tg_convolution(Tensor *x, Tensor *w, Tensor *bias, const Window *window, int64_t groups, bool transposed) {
    if (tg_is_narrow(x->dtype)) {
        Tensor *wide_x = tg_widened(x), *wide_w = tg_widened(w), *wide_bias = tg_widened_optional(bias);
        if (!wide_x || !wide_w || (bias && !wide_bias)) return NULL;
        return tg_narrowed(tg_convolution(wide_x, wide_w, wide_bias, window, groups, transposed), x->dtype);
    }
    Conv conv = {.window = *window, .N = x->shape[0], .C = w->shape[1] * groups, .O = w->shape[0], .groups = groups};
    return (transposed ? input : output)(x, w, bias, &conv);
}

/* torch.conv_tbc(x, weight, bias, pad=0): F.conv1d of x (T, B, C_in) with weight (width, C_in, C_out) and bias (C_out):
 * (T + 2 pad - width + 1, B, C_out). */
Tensor *F_conv_tbc(Tensor *x, Tensor *weight, Tensor *bias, int64_t pad) {
    TG_COMPOSITE("conv_tbc");
    if (!tg_check_any_three(x, weight, bias)) return NULL;
    if (x->ndim != 3) return tg_fail("Input must have 3 dims: time, batch, in_channel");
    if (weight->ndim != 3) return tg_fail("Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.");
    if (bias->ndim != 1) return tg_fail("Bias must be 1-D");
    if (x->shape[2] != weight->shape[1])
        return tg_fail("Input dim 2 (input channels) is not == dim 1 in the weight tensor");
    if (weight->shape[2] != bias->shape[0])
        return tg_fail("Bias size must equal dim 2 in the weight tensor (output channels).");
    F_ConvOptions options = F_ConvDefaults;
    options.padding[0] = pad;
    int depth = t_scope_open();
    Tensor *rows = depth ? t_permute(x, (int64_t[]){1, 2, 0}, 3) : NULL;
    Tensor *kernel = rows ? t_permute(weight, (int64_t[]){2, 1, 0}, 3) : NULL;
    Tensor *y = kernel ? F_conv1d(rows, kernel, t_to(bias, x->dtype), &options) : NULL;
    return tg_scope_return(depth, y ? t_permute(y, (int64_t[]){2, 0, 1}, 3) : NULL);
}
