/* core/kernels/conv/im2col.h: a window that slides over planes, and the matrix of the elements under it (im2col): rows
 * are (channel, kernel row, kernel column), columns the positions of the window, row by row (torch.nn.Unfold's
 * blocks). */
#ifndef TAPEGRAD_CORE_KERNELS_CONV_IM2COL_H
#define TAPEGRAD_CORE_KERNELS_CONV_IM2COL_H

#include <stdint.h>

/* At position p the window covers the elements p * stride - padding + k * dilation for k from 0 to kernel - 1, along
 * each dim. Index 0 is the height, 1 the width; over one dim the height is 1. `in` counts elements, `out` positions. */
typedef struct tg_Window {
    int dims;
    int64_t in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
} tg_Window;

/* Rows `row` .. row + rows - 1 of the matrix at the positions position .. position + positions - 1: row k begins k *
 * row_stride elements after `columns`, and up to `capacity` elements of it may be written; those after the positions
 * are undefined. */
typedef struct tg_Im2col {
    int size; /* of an element: 1, 4 or 8 bytes */
    int64_t row, rows, position, positions;
    void *columns;
    int64_t row_stride, capacity;
    void *x, *x_end;
    int64_t x_strides[3]; /* of channels, rows and columns, in elements */
} tg_Im2col;

/* columns = elements of x, 0 beyond its edges; and x += columns, for float and double. */
void tg_im2col(const tg_Window *w, const tg_Im2col *c);
void tg_col2im(const tg_Window *w, const tg_Im2col *c);

#endif
