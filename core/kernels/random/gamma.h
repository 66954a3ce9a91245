/* core/kernels/random/gamma.h: gamma, Poisson and binomial values, with the same outputs of the generator in the same
 * order as PyTorch 2.15 on CPU, and the gradients of gamma and Dirichlet values with respect to their parameters. */
#ifndef TAPEGRAD_CORE_KERNELS_RANDOM_GAMMA_H
#define TAPEGRAD_CORE_KERNELS_RANDOM_GAMMA_H

#include "core/kernels/random/mt19937.h"

/* torch._standard_gamma: a value of Gamma(alpha, 1), alpha >= 0. Two outputs a uniform value, and tg_mt_normal. The
 * float32 form computes in float32 what depends on alpha alone. */
float tg_standard_gamma_f32(tg_MT19937 *g, float alpha);
double tg_standard_gamma_f64(tg_MT19937 *g, double alpha);

/* torch.poisson: a count with the mean lambda >= 0. */
double tg_poisson(tg_MT19937 *g, double lambda);

/* torch.binomial: the number of successes in `count` trials with probability `prob`. */
double tg_binomial(tg_MT19937 *g, double count, double prob);

/* d x / d alpha of a value x of Gamma(alpha, 1): -(dF(x; alpha) / d alpha) / density(x; alpha). */
double tg_standard_gamma_grad(double alpha, double x);

/* The gradient of a value x of Beta(alpha, total - alpha), divided by 1 - x: of the i-th value of a Dirichlet
 * distribution, whose marginal that is. */
double tg_dirichlet_grad(double x, double alpha, double total);

#endif
