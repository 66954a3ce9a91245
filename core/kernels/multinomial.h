/* core/kernels/multinomial.h: torch.multinomial for one row of weights, with PyTorch's draws. No Tensor inside. */
#ifndef TG_KERNELS_MULTINOMIAL_H
#define TG_KERNELS_MULTINOMIAL_H

#include "core/kernels/random/mt19937.h"

/* k indices of the n weights p (>= 0, sum > 0, not necessarily 1) into out; scratch has room for n numbers.
 *   Without replacement, or k = 1: category i gets the score p_i / q_i, with q_i = -log(1 - U()), one after the other; the k
 *   best scores are the sample, the best one first. 2n words. (A race whose category i arrives at time q_i / p_i.)
 *   With replacement: the cumulative sum in p's dtype, divided by its last entry; each sample is the first entry that is
 *   >= U(). 2k words. */
void tg_multinomial_f32(tg_MT19937 *g, const float *p, int64_t n, double *scratch, int64_t *out, int64_t k, bool replacement);
void tg_multinomial_f64(tg_MT19937 *g, const double *p, int64_t n, double *scratch, int64_t *out, int64_t k, bool replacement);

#endif
