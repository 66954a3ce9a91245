/* core/kernels/random/gamma.h: gamma, Poisson and binomial values, with the same outputs of the generator in the same
 * order as PyTorch 2.15 on CPU, and the gradients of gamma and Dirichlet values with respect to their parameters. */
#ifndef TAPEGRAD_CORE_KERNELS_RANDOM_GAMMA_H
#define TAPEGRAD_CORE_KERNELS_RANDOM_GAMMA_H

#include <stdbool.h>

#include "core/kernels/random/mt19937.h"

/* torch._standard_gamma: a value of Gamma(alpha, 1), alpha >= 0; NaN for a NaN. Two outputs a uniform value, and
 * tg_mt_normal. Of float32 parameters, here and below, what depends on them alone is computed in float32. */
double tg_mt_gamma(tg_MT19937 *g, bool is_double, double alpha);

/* torch.poisson: a count with the mean lambda >= 0. */
double tg_mt_poisson(tg_MT19937 *g, double lambda);

/* torch.binomial: the number of successes in `count` trials with probability `prob`; NaN for a NaN. */
double tg_mt_binomial(tg_MT19937 *g, bool is_double, double count, double prob);

/* d x / d alpha of a value x of Gamma(alpha, 1): -(dF(x; alpha) / d alpha) / density(x; alpha). */
double tg_standard_gamma_grad(double alpha, double x);

/* The gradient of a value x of Beta(alpha, total - alpha), divided by 1 - x: of the i-th value of a Dirichlet
 * distribution, whose marginal that is. */
double tg_dirichlet_grad(double x, double alpha, double total);

#endif
