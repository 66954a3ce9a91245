/* nn/window.h: a window that slides over the last one or two dims (internal): what convolutions, pooling and F_unfold share.
 *
 * At place p the window covers the elements p * stride - padding + k * dilation for k from 0 to kernel - 1, along each dim. */
#ifndef TAPEGRAD_NN_WINDOW_H
#define TAPEGRAD_NN_WINDOW_H

#include "core/ops/pointwise.h"

/* Index 0 is the height, 1 the width; over one dim the height is 1. `in` counts elements, `out` places. */
typedef struct Window {
    int dims;
    int64_t in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
} Window;

/* Sizes as they were given ({h, w}, {both, F_BOTH}, or of one dim {w}) as {h, w}; of one dim h is `neutral`. */
void tg_pair(const int64_t *given, int dims, int64_t neutral, int64_t pair[2]);
/* The last dims of x as {h, w}. */
void tg_plane(const Tensor *x, int dims, int64_t plane[2]);
/* How many places there are along dim d, ignoring what is left over. */
int64_t tg_window_places(const Window *w, int d);

/* "(2 x 3)", of one dim "(3)". And Python's repr: "2" where one number stands for both, "(2, 3)", of one dim "(3,)". */
typedef struct SizesText {
    char text[56];
} SizesText;
SizesText tg_by_text(const int64_t pair[2], int dims);
SizesText tg_tuple_text(const int64_t *sizes, int count);

/* ---- columns: what the window covers at each place, one column a place ----
 * Rows are (channel, kernel row, kernel column), columns the places of output rows first .. first + rows - 1. */
typedef struct Columns {
    void *data;
    int64_t step;        /* elements from one row to the next */
    int64_t first, rows;
} Columns;

/* Copies from x, `steps` being its steps over channels, rows and columns in elements; 0 beyond its edges. */
void tg_unfold(const Window *w, size_t itemsize, const void *x, const int64_t steps[3], int64_t channels, const Columns *to);
/* Adds to x, whose planes are contiguous. */
void tg_fold_float32(const Window *w, const Columns *from, int64_t channels, float *x);
void tg_fold_float64(const Window *w, const Columns *from, int64_t channels, double *x);

/* ---- convolutions (functional_conv.c) ---- */

/* y of x and w through that window, or where transposed x of y (given as x) and w. All sizes fit. */
Tensor *tg_convolution(Tensor *x, Tensor *w, Tensor *bias, const Window *window, int64_t groups, bool transposed);

#endif
