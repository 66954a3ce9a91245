/* core/distributions/distributions.h: import torch.distributions as distributions (public).
 *
 * The folder has the distributions, a file each (normal.c, gamma.c, ...), those of vectors and matrices in
 * multivariate/; what they share, sampling, validation and shapes (distribution.c); the constraints that parameters and
 * values are checked by (constraints.c); transforms/ and what is made of them (transformed_distribution.c); and kl.c.
 * It may include core/ but nothing of nn/: a distribution is a struct that holds its parameters, and all its values are
 * computed by ops. */
#ifndef TAPEGRAD_CORE_DISTRIBUTIONS_H
#define TAPEGRAD_CORE_DISTRIBUTIONS_H

#include "core/core.h"
#include "core/distributions/constraints.h"
#include "core/distributions/distribution.h"
#include "core/distributions/transforms.h"
#include "core/distributions/sugar.h"

#endif
