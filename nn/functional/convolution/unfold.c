/* nn/functional/convolution/unfold.c: F.unfold (im2col) and its adjoint F.fold (col2im). */
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/convolution/convolution.h"
#include "nn/functional/convolution/sliding_window_internal.h"

const F_UnfoldOptions F_UnfoldDefaults = {
    .size = sizeof(F_UnfoldOptions), .dilation = {1, F_BOTH}, .padding = {0, F_BOTH}, .stride = {1, F_BOTH}};

static Tensor *im2col(Tensor *x, const Window *w);
static Tensor *col2im(Tensor *x, const Window *w);

/* Each is the other's gradient: unfold copies every element to the columns that cover it, fold sums them. */
static void unfold_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = dy ? col2im(dy, r->attributes) : NULL;
}
static void fold_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = dy ? im2col(dy, r->attributes) : NULL;
}
static const Op unfold_op = {"unfold", "Im2ColBackward0", unfold_backward};
static const Op fold_op = {"fold", "Col2ImBackward0", fold_backward};

/* The samples of a batch, processed in parallel. */
typedef struct Samples {
    const Window *window;
    void (*kernel)(const Window *w, const tg_Im2col *c);
    tg_Im2col first;
    int64_t x_bytes, columns_bytes, x_extent; /* from sample to sample; the extent of one */
} Samples;

static void process_samples(int64_t from, int64_t to, void *context) {
    const Samples *s = context;
    for (int64_t n = from; n < to; n++) {
        tg_Im2col c = s->first;
        c.x = (char *)c.x + n * s->x_bytes;
        c.x_end = (char *)c.x + s->x_extent;
        c.columns = (char *)c.columns + n * s->columns_bytes;
        s->kernel(s->window, &c);
    }
}

/* Runs the kernel on N samples of x and of columns. x_sample, steps: x's strides in elements; extent: from the first
 * element of a sample to its end. */
static void for_each_sample(const Window *w, void (*kernel)(const Window *w, const tg_Im2col *c), Tensor *x,
                            int64_t x_sample, const int64_t steps[3], int64_t extent, Tensor *columns, int64_t N,
                            int64_t rows, int64_t blocks) {
    const int64_t size = (int64_t)tg_itemsize(x->dtype);
    Samples s = {w,
                 kernel,
                 {.size = (int)size, .rows = rows, .positions = blocks, .row_stride = blocks, .capacity = blocks,
                  .x = tg_data(x), .columns = tg_data(columns)},
                 x_sample * size,
                 rows * blocks * size,
                 extent * size};
    memcpy(s.first.x_strides, steps, sizeof s.first.x_strides);
    tg_parallel(N, 1 + 16384 / (rows * blocks), process_samples, &s);
}

/* x: (N, C, H, W) or (C, H, W). */
static Tensor *im2col(Tensor *x, const Window *w) {
    bool batched = x->ndim == 4;
    const int64_t *size = x->shape + batched, *step = x->strides + batched;
    int64_t N = batched ? x->shape[0] : 1, blocks = tg_size_mul(w->out[0], w->out[1]);
    int64_t rows = tg_size_mul(tg_size_mul(size[0], w->kernel[0]), w->kernel[1]);
    int64_t shape[] = {N, rows, blocks};
    Tensor *y = tg_empty(shape + !batched, 2 + batched, x->dtype);
    const int64_t extent = (size[0] - 1) * step[0] + (size[1] - 1) * step[1] + (size[2] - 1) * step[2] + 1;
    if (y && tg_numel(y))
        for_each_sample(w, tg_im2col, x, batched ? x->strides[0] : 0, step, extent, y, N, rows, blocks);
    return tg_record(&unfold_op, y, INPUTS(x), NONE, ATTRIBUTES(*w));
}

/* x: (N, C kernel, positions) or (C kernel, positions). */
static Tensor *col2im(Tensor *x, const Window *w) {
    bool batched = x->ndim == 3;
    int64_t N = batched ? x->shape[0] : 1, rows = x->shape[batched], blocks = x->shape[batched + 1];
    int64_t C = rows / (w->kernel[0] * w->kernel[1]), shape[] = {N, C, w->in[0], w->in[1]};
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    int depth = t_scope_open();
    Tensor *dense = depth ? t_contiguous(t_detach(x)) : NULL;
    Tensor *y = dense ? t_keep_object(t_zeros(shape + !batched, 3 + batched, &options)) : NULL;
    const int64_t plane = w->in[0] * w->in[1], step[] = {plane, w->in[1], 1};
    if (y && tg_numel(dense) && tg_numel(y))
        for_each_sample(w, tg_col2im, y, C * plane, step, C * plane, dense, N, rows, blocks);
    t_scope_close(depth);
    return tg_record(&fold_op, y, INPUTS(x), NONE, ATTRIBUTES(*w));
}

/* ---- checks ---- */

#define PAIR(pair) (long long)(pair)[0], (long long)(pair)[1]

static bool read_window(const int64_t *kernel_size, const F_UnfoldOptions *options, Window *w) {
    F_UnfoldOptions o = F_UnfoldDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return false;
    if (!kernel_size) return t_error() ? false : tg_fail("kernel_size is NULL where two sizes are expected") != NULL;
    *w = (Window){.dims = 2};
    tg_pair(kernel_size, 2, 1, w->kernel);
    tg_pair(o.dilation, 2, 1, w->dilation);
    tg_pair(o.padding, 2, 0, w->padding);
    tg_pair(o.stride, 2, 1, w->stride);
    if (w->kernel[0] < 1 || w->kernel[1] < 1)
        return tg_fail("kernel size should be greater than zero, but got kernel_height: %lld kernel_width: %lld",
                       PAIR(w->kernel));
    if (w->dilation[0] < 1 || w->dilation[1] < 1)
        return tg_fail("dilation should be greater than zero, but got dilation_height: %lld dilation_width: %lld",
                       PAIR(w->dilation));
    if (w->padding[0] < 0 || w->padding[1] < 0)
        return tg_fail("padding should be non-negative, but got pad_height: %lld pad_width: %lld", PAIR(w->padding));
    if (w->stride[0] < 1 || w->stride[1] < 1)
        return tg_fail("stride should be greater than zero, but got stride_height: %lld stride_width: %lld",
                       PAIR(w->stride));
    return true;
}

static void count_blocks(Window *w) {
    for (int d = 0; d < 2; d++) w->out[d] = tg_window_count(w, d);
}

/* F.unfold(x, kernel_size, dilation, padding, stride): each block that the sliding window covers, as one column
 * (im2col). x: (N, C, H, W) or (C, H, W), floating or bool; returns (N, C kh kw, L) with L blocks, or without the N. dx
 * = fold(dy). Errors: sizes below 1, a window larger than the padded x, int64. */
Tensor *F_unfold(Tensor *x, const int64_t kernel_size[2], const F_UnfoldOptions *options) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_unfold(tg_widened(x), kernel_size, options), x->dtype);
    Window w;
    if (!tg_check(x, 1) || !read_window(kernel_size, options, &w)) return NULL;
    bool valid = x->ndim == 3 || x->ndim == 4;
    for (int d = x->ndim == 4; valid && d < x->ndim; d++) valid = x->shape[d] > 0;
    if (!valid)
        return tg_fail(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            "but got: %s",
            tg_shape_of(x));
    tg_plane(x, 2, w.in);
    count_blocks(&w);
    if (w.out[0] < 1 || w.out[1] < 1)
        return tg_fail("Given input with spatial size %s, kernel_size=%s, dilation=%s, padding=%s, calculated shape of "
                       "the array of sliding blocks as %s, but its components must be at least one.",
                       tg_tuple_repr(w.in, 2).text, tg_tuple_repr(w.kernel, 2).text, tg_tuple_repr(w.dilation, 2).text,
                       tg_tuple_repr(w.padding, 2).text, tg_tuple_repr(w.out, 2).text);
    if (x->dtype == t_int64) return tg_not_implemented("im2col_out_cpu", t_int64);
    return tg_normalize_window(&w) ? im2col(x, &w) : NULL;
}

/* F.fold(x, output_size, kernel_size, dilation, padding, stride): the sum of overlapping blocks, given as columns
 * (col2im). x: (N, C kh kw, L) or without the N, floating; returns (N, C, H, W) or (C, H, W). dx = unfold(dy). Errors:
 * sizes below 1, another number of rows or of blocks L. */
Tensor *F_fold(Tensor *x, const int64_t output_size[2], const int64_t kernel_size[2], const F_UnfoldOptions *options) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_fold(tg_widened(x), output_size, kernel_size, options), x->dtype);
    Window w;
    if (!tg_check(x, 1) || !read_window(kernel_size, options, &w)) return NULL;
    if (!output_size) return t_error() ? NULL : tg_fail("output_size is NULL where two sizes are expected");
    tg_pair(output_size, 2, 1, w.in);
    int last = x->ndim - 1;
    if ((x->ndim != 2 && x->ndim != 3) || x->shape[last] == 0 || x->shape[last - 1] == 0)
        return tg_fail("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
                       "dimensions for input, but got: %s",
                       tg_shape_of(x));
    int64_t kernel, blocks;
    if (__builtin_mul_overflow(w.kernel[0], w.kernel[1], &kernel))
        return tg_fail("Given kernel_width = %lld and kernel_height = %lld the product of kernel_width and "
                       "kernel_height overflowed.",
                       (long long)w.kernel[1], (long long)w.kernel[0]);
    if (x->shape[last - 1] % kernel)
        return tg_fail("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                       "input.size(1)=%lld and kernel_size=%s.",
                       (long long)x->shape[last - 1], tg_tuple_repr(w.kernel, 2).text);
    count_blocks(&w);
    blocks = tg_size_mul(w.out[0], w.out[1]);
    if (w.out[0] < 1 || w.out[1] < 1 || blocks != x->shape[last])
        return tg_fail(
            "Given output_size=%s, kernel_size=%s, dilation=%s, padding=%s, stride=%s, expected size of input's "
            "dimension 2 to match the calculated number of sliding blocks %lld * %lld = %lld, but got "
            "input.size(2)=%lld.",
            tg_tuple_repr(w.in, 2).text, tg_tuple_repr(w.kernel, 2).text, tg_tuple_repr(w.dilation, 2).text,
            tg_tuple_repr(w.padding, 2).text, tg_tuple_repr(w.stride, 2).text, PAIR(w.out), (long long)blocks,
            (long long)x->shape[last]);
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("col2im_out_cpu", x->dtype);
    return tg_normalize_window(&w) ? col2im(x, &w) : NULL;
}
