/* core/kernels/random/dropout.h: dropout on raw memory. */
#ifndef TAPEGRAD_CORE_KERNELS_RANDOM_DROPOUT_H
#define TAPEGRAD_CORE_KERNELS_RANDOM_DROPOUT_H

#include <stdint.h>

/* The number of 64-bit words of the mask of n elements, as tg_draw_dropout_mask writes them. */
static inline int64_t tg_dropout_mask_words(int64_t n) {
    return (n + 63) / 64;
}

/* y[i] = x[i] * scale where bit i of the dropout mask is set, else x[i] * 0 (-0 for a negative x, NaN for inf and
 * NaN). y may be x. On several threads for a long n. */
void tg_dropout_f32(float *y, const float *x, const uint64_t *mask, int64_t n, double scale);
void tg_dropout_f64(double *y, const double *x, const uint64_t *mask, int64_t n, double scale);

#endif
