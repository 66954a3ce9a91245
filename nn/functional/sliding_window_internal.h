/* nn/functional/sliding_window_internal.h: a window that slides over the last one or two dims (internal): what convolutions, pooling and F_unfold share. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_SLIDING_WINDOW_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_SLIDING_WINDOW_INTERNAL_H

#include "core/kernels/conv/im2col.h"
#include "core/ops/pointwise_internal.h"

typedef tg_Window Window;

/* Sizes as they were given ({h, w}, {both, F_BOTH}, or of one dim {w}) as {h, w}; of one dim h is `neutral`. */
void tg_pair(const int64_t *given, int dims, int64_t neutral, int64_t pair[2]);
/* The last dims of x as {h, w}. */
void tg_plane(const Tensor *x, int dims, int64_t plane[2]);
/* How many places there are along dim d, ignoring what is left over. */
int64_t tg_window_places(const Window *w, int d);
/* For a window whose places are counted: false with PyTorch's error where a padding or the window's extent is larger than any
 * tensor. A stride that is never taken, and a dilation of one element, become 1, so that no sum of an index overflows. */
bool tg_settle_window(Window *w);
int64_t tg_window_extent(const Window *w, int d); /* dilation * (kernel - 1) + 1 */

/* "(2 x 3)", of one dim "(3)". And Python's repr: "2" where one number stands for both, "(2, 3)", of one dim "(3,)". */
typedef struct SizesText {
    char text[56];
} SizesText;
SizesText tg_by_text(const int64_t pair[2], int dims);
SizesText tg_tuple_text(const int64_t *sizes, int count);

/* ---- convolutions (conv.c) ---- */

/* y of x and w through that window, or where transposed x of y (given as x) and w. All sizes fit. */
Tensor *tg_convolution(Tensor *x, Tensor *w, Tensor *bias, const Window *window, int64_t groups, bool transposed);

#endif
