/* Convolutions by matrix products, on raw memory. */
#ifndef TG_KERNELS_CONV_H
#define TG_KERNELS_CONV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "core/kernels/conv/im2col.h"
#include "core/kernels/gemm/gemm_kernel.h"

/* T(x, w, y) = sum y[n, o, p] x[n, c, p stride - padding + k dilation] w[o, c, k] over samples, places and window elements, where
 * channels fall into groups; each of x, w and y is made as the derivative of T by it. w and y have no gaps, nor has an x that is
 * made. All sizes are above 0. */
typedef struct tg_Conv {
    bool f64;
    tg_Window window;
    int64_t N, C, O, groups; /* samples, channels of x, channels of y */
    void *x, *x_end, *w, *y;
    int64_t x_sample, x_steps[3]; /* x's steps from sample to sample, and over channels, rows and columns, in elements */
    const void *bias;             /* NULL, or what is added to each channel of the x or y that is made */
    char *room;                   /* tg_conv_workspace() bytes, aligned to 64 */

    /* how the work is cut, and the parts of the room: conv.c's own */
    const tg_GemmKernel *kernel;
    int64_t M, K, P;                         /* rows and depth of the packed matrix of one group; places of a sample */
    int64_t rows, chunks, kc;                /* of the packed matrix in one unit of work; depth of a slab */
    int64_t samples, places, blocks, step;   /* of a block of columns; blocks of all; from row to row of a block */
    int64_t columns, column_chunks, parts;   /* of w's rows in a unit; sums over blocks, added up in order */
    int64_t own;                             /* bytes of a thread's room */
    char *shared, *own_rooms;                /* the packed matrix, or the sums; each thread's columns */
    atomic_flag *taken;
    int threads;
} tg_Conv;

enum { TG_CONV_OUTPUT, TG_CONV_INPUT, TG_CONV_WEIGHT }; /* which is made of the other two: y, x or w */
size_t tg_conv_workspace(tg_Conv *job, int which); /* also decides how the work is cut: call it before */
void tg_conv(tg_Conv *job, int which);

/* With a stride of 1 x is made of y as y is made of x, by weights turned round: so many bytes (0: not so, or it would not pay).
 * Then the job is one for TG_CONV_OUTPUT. */
size_t tg_conv_flipped_bytes(const tg_Conv *job);
void tg_conv_flip(tg_Conv *job, void *weights);

#endif
