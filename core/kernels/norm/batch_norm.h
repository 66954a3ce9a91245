/* Normalising channels (batch norm, group norm) on raw memory without gaps. */
#ifndef TG_KERNELS_BATCH_NORM_H
#define TG_KERNELS_BATCH_NORM_H

#include <stdbool.h>
#include <stdint.h>

/* x is (N, C, L): N samples of C channels of L elements, a row each. What is normalised together, a set, is a channel of all
 * samples (over_batch), or one of `groups` groups of neighbouring channels of one sample. */
typedef struct tg_BatchNorm {
    bool f64, over_batch;
    bool fixed; /* mean and variance are given: evaluation */
    int64_t N, C, L, groups;
    double eps;
    double *stats; /* for each set: the mean, 1 / sqrt(variance + eps), and the (biased) variance */
    double *sums;  /* room for two numbers a row, and a set */
    int64_t unit;  /* columns that are one thread's (found by the kernel) */
    const void *x, *weight, *bias; /* weight and bias: C numbers */
    void *out;                     /* y */

    /* backward: from dy to dx, and to the gradients of weight and bias as doubles; each NULL where it is not wanted */
    const void *dy;
    void *dx;
    double *dweight, *dbias;
} tg_BatchNorm;
enum { TG_MEAN, TG_SCALE, TG_VARIANCE, TG_STATS };

void tg_batch_norm(tg_BatchNorm *z);                  /* y and stats */
void tg_batch_norm_backward(tg_BatchNorm *z);

#endif
