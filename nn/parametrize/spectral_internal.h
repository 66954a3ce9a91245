/* nn/parametrize/spectral_internal.h: what both forms of spectral_norm share (internal). */
#ifndef TAPEGRAD_NN_PARAMETRIZE_SPECTRAL_INTERNAL_H
#define TAPEGRAD_NN_PARAMETRIZE_SPECTRAL_INTERNAL_H

#include "nn/module/module_internal.h"

/* The default of dim: 1 of a transposed convolution, else 0. */
int64_t tg_spectral_dim(const nn_Module *self);
/* W as a matrix with the rows `dim`. */
Tensor *tg_spectral_matrix(Tensor *weight, int dim);
/* A vector of n normal values, normalised, of that dtype. */
Tensor *tg_spectral_vector(int64_t n, double eps, t_DType dtype);
/* u = W v / |W v| (rows), or v = W^T u / |W^T u|, in place; false on error. */
bool tg_spectral_step(Tensor *matrix, Tensor *u, Tensor *v, bool rows, double eps);
/* W / u^T W v; the vectors are copied, so that a later step does not disturb a backward. */
Tensor *tg_spectral_divided(Tensor *weight, Tensor *matrix, Tensor *u, Tensor *v);

#endif
