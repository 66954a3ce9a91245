/* core/kernels/random/multinomial.h: torch.multinomial for one row of weights: the same samples as PyTorch for the
 * same generator state. */
#ifndef TAPEGRAD_CORE_KERNELS_RANDOM_MULTINOMIAL_H
#define TAPEGRAD_CORE_KERNELS_RANDOM_MULTINOMIAL_H

#include "core/kernels/random/mt19937.h"

/* Draws k indices from n weights p (>= 0, sum > 0, not necessarily 1) into out; scratch holds n doubles.
 *   Without replacement, or k = 1: category i gets the score p_i / q_i with q_i = -log(1 - U()) ~ Exponential(1), drawn
 *   in the order of i; the k largest scores are the sample, the largest one first. Uses 2n outputs of the generator.
 *   With replacement: the cumulative sum in p's dtype, divided by its last entry; each sample is the first entry that
 *   is >= U(). Uses 2k outputs of the generator. */
void tg_multinomial_f32(tg_MT19937 *g, const float *p, int64_t n, double *scratch, int64_t *out, int64_t k,
                        bool replacement);
void tg_multinomial_f64(tg_MT19937 *g, const double *p, int64_t n, double *scratch, int64_t *out, int64_t k,
                        bool replacement);

#endif
