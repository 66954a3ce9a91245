/* nn/modules/base_classes_internal.h: whether a live module is of one of PyTorch's base classes, which have one struct
 * here and a name for each number of dims. */
#ifndef TAPEGRAD_NN_MODULES_BASE_CLASSES_INTERNAL_H
#define TAPEGRAD_NN_MODULES_BASE_CLASSES_INTERNAL_H

#include <stdbool.h>

bool tg_is_batch_norm(const void *module);  /* _BatchNorm: an nn_BatchNorm that is no instance norm */
bool tg_is_convolution(const void *module); /* _ConvNd: an nn_Conv */

#endif
