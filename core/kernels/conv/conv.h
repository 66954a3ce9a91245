/* core/kernels/conv/conv.h: convolutions by matrix products, on raw memory.
 *
 * The folder conv/: conv.c plans a convolution and explains it, conv_plan.c computes its units of work, im2col the
 * matrix of a window; depthwise convolutions of one channel each; pool max and average pooling. It includes
 * core/kernels only: pointers, sizes and strides, no tensor. */
#ifndef TAPEGRAD_CORE_KERNELS_CONV_CONV_H
#define TAPEGRAD_CORE_KERNELS_CONV_CONV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/kernels/conv/im2col.h"
#include "core/kernels/gemm/gemm_kernel.h"

/* T(x, w, y) = sum y[n, o, p] x[n, c, p stride - padding + k dilation] w[o, c, k] over samples, positions and window
 * elements, where channels are in groups; each of x, w and y is computed as the derivative of T by it: the convolution,
 * its gradients, and the transposed convolution. w and y are contiguous, and so is an x that is computed. All sizes are
 * above 0. */
typedef struct tg_Conv {
    bool f64;
    tg_Window window;
    int64_t N, C, O, groups; /* samples, channels of x, channels of y */
    void *x, *x_end, *w, *y;
    int64_t x_batch_stride, x_strides[3]; /* x's strides of samples; of channels, rows and columns; in elements */
    const void *bias;             /* NULL, or the bias of each channel of the x or y that is computed */
    char *workspace;                   /* tg_conv_workspace() bytes, aligned to 64 */

    /* the plan, set by tg_conv_workspace() */
    const tg_GemmKernel *kernel;
    /* rows and depth of the packed matrix of one group; positions of a sample */
    int64_t M, K, P;
    /* rows of the packed matrix in a unit of work; their number; depth of a slab */
    int64_t rows, chunks, kc;
    /* of a block of columns; number of blocks; stride of a block's rows */
    int64_t samples, positions, blocks, row_stride;
    int64_t columns, column_chunks, parts;   /* columns of w in a unit; their number; partial sums over blocks */
    int64_t thread_bytes;                    /* of a thread's buffer */
    char *shared, *thread_buffers;                /* the packed matrix, or the partial sums; each thread's columns */
    atomic_flag *taken;
    int threads;
} tg_Conv;

/* What is computed from the other two: y (forward), x (its gradient; transposed convolution) or w (its gradient). */
typedef enum tg_ConvPass { TG_CONV_OUTPUT, TG_CONV_INPUT, TG_CONV_WEIGHT } tg_ConvPass;
size_t tg_conv_workspace(tg_Conv *job, tg_ConvPass pass); /* bytes; call it before tg_conv: it makes the plan */
void tg_conv(tg_Conv *job, tg_ConvPass pass);

/* With a stride of 1, x is the convolution of y with the flipped window: the bytes of the flipped weights (0: not so,
 * or it would be slower). tg_conv_flip changes the job into one for TG_CONV_OUTPUT. */
size_t tg_conv_flipped_bytes(const tg_Conv *job);
void tg_conv_flip(tg_Conv *job, void *weights);

#endif
