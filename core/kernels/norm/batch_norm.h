/* core/kernels/norm/batch_norm.h: batch norm and group norm on raw contiguous memory.
 *
 * The folder norm/: softmax, cross_entropy, layer_norm (with RMS norm) and batch_norm (with group norm), each with a
 * header, a .c file that divides the work among threads, and an .inc file with the vector code. It includes
 * core/kernels only: pointers and sizes, no tensor. */
#ifndef TAPEGRAD_CORE_KERNELS_NORM_BATCH_NORM_H
#define TAPEGRAD_CORE_KERNELS_NORM_BATCH_NORM_H

#include <stdbool.h>
#include <stdint.h>

/* x is (N, C, L): N samples of C channels of L elements; a row is one channel of one sample. A set is what is
 * normalised together: a channel of all samples (over_batch), or one of `groups` groups of adjacent channels of one
 * sample. */
typedef struct tg_BatchNorm {
    bool f64, over_batch;
    bool fixed; /* mean and variance are given: evaluation */
    int64_t N, C, L, groups;
    double eps;
    double *stats; /* for each set: the mean, 1 / sqrt(variance + eps), and the (biased) variance */
    double *sums;  /* workspace: two per row, and per set */
    int64_t unit;  /* columns of an item (set by the kernel) */
    const void *x, *weight, *bias; /* weight and bias: C elements */
    void *out;                     /* y */

    /* backward: dx, and the gradients of weight and bias in double; each NULL if it is not wanted */
    const void *dy;
    void *dx;
    double *dweight, *dbias;
} tg_BatchNorm;
enum { TG_MEAN, TG_SCALE, TG_VARIANCE, TG_STATS };

void tg_batch_norm(tg_BatchNorm *z);                  /* y and stats */
void tg_batch_norm_backward(tg_BatchNorm *z);

#endif
