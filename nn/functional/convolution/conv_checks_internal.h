/* nn/functional/convolution/conv_checks_internal.h: checks that all convolutions share (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_CONV_CHECKS_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_CONV_CHECKS_INTERNAL_H

#include "core/tensor/tensor.h"

/* False with PyTorch's error where a dilation is below 1, or the weight has not dims + 2 dims; same: padding="same". */
bool tg_check_dilation(const int64_t *dilation, int dims, bool transposed);
bool tg_check_weight_dims(const Tensor *x, const Tensor *w, int dims, const int64_t *stride, bool same);

#endif
