/* core/kernels/norm/cross_entropy.h: cross entropy of rows of logits and class indices, on raw memory. */
#ifndef TAPEGRAD_CORE_KERNELS_NORM_CROSS_ENTROPY_H
#define TAPEGRAD_CORE_KERNELS_NORM_CROSS_ENTROPY_H

#include <stdbool.h>
#include <stdint.h>

/* With logp = x - max - log(sum(exp(x - max))) of a row, w the weights (1 without) and s the label smoothing,
 *
 *     loss = (1 - s) w[target] (-logp[target]) + s / n sum_c w[c] (-logp[c]),
 *
 * or 0 if the target is ignore_index. */
typedef struct tg_CrossEntropy {
    bool f64;
    int64_t rows, n; /* x is rows x n, without gaps */
    const void *x, *weight;
    const int64_t *target;
    int64_t target_step, ignore_index;
    double smoothing, weights; /* the sum of w */
    void *stats;               /* rows x 2: max, log(sum) */
    void *loss;                /* forward: of each row */
    const double *dy;          /* backward: the gradient of each row's loss */
    void *dx;
} tg_CrossEntropy;

void tg_cross_entropy(tg_CrossEntropy *job);
void tg_cross_entropy_backward(tg_CrossEntropy *job);

#endif
