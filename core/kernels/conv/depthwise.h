/* core/kernels/conv/depthwise.h: depthwise convolutions: each channel of y is computed from one channel of x; and
 * their gradients, on raw memory. */
#ifndef TAPEGRAD_CORE_KERNELS_CONV_DEPTHWISE_H
#define TAPEGRAD_CORE_KERNELS_CONV_DEPTHWISE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/kernels/conv/conv.h"

/* y[n, o, p] = sum over k of x[n, c, p stride - padding + k dilation] w[o, k], where channel c has the O / C outputs
 * from c O / C on. w and y are contiguous; x's strides are those of samples, channels, rows and columns, in
 * elements. */
typedef struct tg_Depthwise {
    bool f64;
    int64_t N, C, O, in[2], out[2], kernel[2], stride[2], padding[2], dilation[2];
    void *x, *w, *y;
    const void *bias; /* NULL, or the bias of each channel of the x or y that is computed */
    int64_t x_strides[4];
    char *workspace; /* tg_depthwise_workspace() bytes */

    /* set by the kernel: padded planes at a time, their size, their phases (depthwise.inc) and the columns of one, the
     * padded length of y's rows, the offsets of w's elements, and which buffers are in use */
    int64_t planes, size[2], phases, phase_size, padded_width;
    const int64_t *offset;
    int buffers;
    atomic_flag *taken;
} tg_Depthwise;

enum { TG_WINDOW = 128, TG_OUTPUTS = 8 }; /* elements of a window and outputs of a channel, at most */
int64_t tg_depthwise_workspace(tg_Depthwise *job, tg_ConvPass pass);
void tg_depthwise(tg_Depthwise *job, tg_ConvPass pass);

#endif
