/* core/kernels/norm/layer_norm.h: layer norm and RMS norm of rows, alone or of a residual sum, and group norm of rows
 * that are cut into groups, on raw memory. All operands are contiguous. */
#ifndef TAPEGRAD_CORE_KERNELS_NORM_LAYER_NORM_H
#define TAPEGRAD_CORE_KERNELS_NORM_LAYER_NORM_H

#include <stdbool.h>
#include <stdint.h>

/* s = x + y * mask, or x alone. The mask is scale where a bit of dropout_mask is set, else 0, and 1 without
 * a dropout_mask. The bits are in the order of y's memory, with one word more. */
typedef struct tg_Residual {
    bool f64;
    int64_t count; /* elements */
    const void *x, *y; /* y NULL: s is x */
    const uint64_t *dropout_mask;
    double scale;
    void *out; /* s, of tg_residual */
} tg_Residual;

/* Forward: out = (s - mean) rstd weight + bias, and in stats, for each group of each row, mean and rstd = 1 / sqrt(var
 * + eps). weight and bias have groups x n elements. */
typedef struct tg_LayerNorm {
    tg_Residual in; /* in.out: s, if wanted; only if it is not it may be `out` */
    int64_t rows, groups, n; /* a row has `groups` groups of n elements; with a residual sum, one */
    bool centred; /* else the mean counts as 0: RMS norm */
    double eps, *stats;
    const void *weight, *bias;
    void *out;

    /* backward: ds to dx (or added to dx, if accumulate), ds * mask to dbranch (NULL: not wanted), and the gradients of
     * weight and bias. workspace: tg_layer_norm_workspace() elements */
    const void *dy;
    void *dx, *dbranch, *dweight, *dbias, *workspace;
    bool accumulate;
    int64_t block; /* rows of a block, set by the kernel */
} tg_LayerNorm;

void tg_residual(tg_Residual *job);
void tg_layer_norm(tg_LayerNorm *job);
int64_t tg_layer_norm_workspace(const tg_LayerNorm *job);
void tg_layer_norm_backward(tg_LayerNorm *job);

#endif
