/* nn/functional/convolution/sliding_window_internal.h: a window that slides over the last one or two dims, shared by
 * convolutions, pooling and F_unfold (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_SLIDING_WINDOW_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_SLIDING_WINDOW_INTERNAL_H

#include "core/kernels/conv/im2col.h"
#include "core/ops/pointwise/pointwise_internal.h"

typedef tg_Window Window;

/* A convolution of x to y, and the attributes of the records of convolutions and transposed ones (from y to x). */
typedef struct Conv {
    Window window;
    int64_t N, C, O, groups; /* samples, channels of x, channels of y */
} Conv;

/* Sizes as given ({h, w}, {both, F_BOTH}, or of one dim {w}) as {h, w}; of one dim h is `neutral`. */
void tg_pair(const int64_t *given, int dims, int64_t neutral, int64_t pair[2]);
/* The last dims of x as {h, w}. */
void tg_plane(const Tensor *x, int dims, int64_t plane[2]);
/* The number of positions of the window along dim d, without an incomplete last one. */
int64_t tg_window_count(const Window *w, int d);
/* To be called when w->out is known: false with PyTorch's error where a padding or the window's extent is larger than
 * any tensor. A stride that is never used, and the dilation of a kernel of one element, become 1, so that index
 * arithmetic cannot overflow. */
bool tg_normalize_window(Window *w);

/* ---- shared with windows over three dims (volume_internal.h) ---- */

int64_t tg_window_extent_of(int64_t kernel, int64_t dilation); /* dilation (kernel - 1) + 1 */
/* tg_normalize_window of `count` dims; errors number them from `first`. */
bool tg_normalize_sizes(int count, int first, const int64_t *kernel, int64_t *stride, const int64_t *padding,
                        int64_t *dilation, const int64_t *out);
/* The number of windows of a pool along a dim: with ceil_mode also an incomplete last one, if it starts inside the
 * input or the padding before it. False with PyTorch's error; sizes below 1 are left to the caller. */
bool tg_pool_positions(int64_t in, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceil_mode,
                       int64_t *out);
int64_t tg_window_extent(const Window *w, int d); /* dilation * (kernel - 1) + 1 */

/* "(2 x 3)", of one dim "(3)". And Python's repr: "2" where one integer is given for both, "(2, 3)", of one dim "(3,)".
 */
typedef struct SizesText {
    char text[80];
} SizesText;
SizesText tg_size_by_text(const int64_t pair[2], int dims);
SizesText tg_tuple_repr(const int64_t *sizes, int count);

Tensor *tg_dense_tensor(Tensor *x); /* x, or a contiguous copy without history; NULL for NULL */

/* ---- convolutions (conv.c) ---- */

/* y of x and w, or if transposed x of y (passed as x) and w. The sizes are checked already. */
Tensor *tg_convolution(Tensor *x, Tensor *w, Tensor *bias, const Window *window, int64_t groups, bool transposed);

#endif
