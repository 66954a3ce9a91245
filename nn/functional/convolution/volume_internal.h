/* nn/functional/convolution/volume_internal.h: a window that slides over the last three dims, shared by the
 * convolutions and pools over volumes (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_VOLUME_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_VOLUME_INTERNAL_H

#include "core/ops/pointwise/pointwise_internal.h"

/* The sizes along depth, height and width. */
typedef struct Volume {
    int64_t in[3], out[3], kernel[3], stride[3], padding[3], dilation[3];
} Volume;

/* The attributes of a convolution over three dims in a trace, from `in` to `out`, or transposed the other way. */
typedef struct VolumeConv {
    Volume v;
    int64_t groups, output_padding[3];
} VolumeConv;
/* Those of pooling over three dims. */
typedef struct VolumePool {
    Volume v;
    bool ceil_mode, count_include_pad;
    int64_t divisor_override;
} VolumePool;

/* Sizes as given, {d, h, w} or {all three, F_BOTH}, as {d, h, w}. */
void tg_triple(const int64_t *given, int64_t triple[3]);
bool tg_all_at_least(const int64_t triple[3], int64_t least);
int64_t tg_volume_of(const int64_t triple[3]);               /* their product */
int64_t tg_window_length(const Volume *v, int d);            /* dilation (kernel - 1) + 1 */
int64_t tg_window_positions(const Volume *v, int d);         /* without an incomplete last one */

/* To be called when v->out is known: false with PyTorch's error where a padding or the window's length is larger than
 * any tensor. A stride that is never used, and the dilation of a kernel of one element, become 1, so that index
 * arithmetic cannot overflow. */
bool tg_normalize_volume(Volume *v);

/* The elements below each position of the window as columns, 0 outside of x. x: (N, C, in); returns (N, C kernel, out),
 * the sizes of kernel and out each as one dim. Any dtype but bool; differentiable. */
Tensor *tg_vol2col(Tensor *x, const Volume *v);
/* Its adjoint, which is also its gradient: adds each column to the elements that it is from. columns: (N, C kernel,
 * out); returns (N, C, in). */
Tensor *tg_col2vol(Tensor *columns, const Volume *v);

#endif
