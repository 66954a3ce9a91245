/* nn/modules/linear_cross_entropy.h: nn.LinearCrossEntropyLoss (public). */
#ifndef TAPEGRAD_NN_MODULES_LINEAR_CROSS_ENTROPY_H
#define TAPEGRAD_NN_MODULES_LINEAR_CROSS_ENTROPY_H

#include "core/tensor/tuple.h"
#include "nn/modules/layers.h"

T_BEGIN_DECLS

/* nn.LinearCrossEntropyLoss(in_features, num_classes, out_features=(), bias=False): a linear layer and the cross
 * entropy of its outputs (F_linear_cross_entropy). linear has num_classes times the product of out_features outputs. */
typedef struct nn_LinearCrossEntropyLoss {
    nn_Module base;
    Tensor *weight; /* a factor for each class, a buffer; or NULL */
    nn_Linear *linear;
    int64_t num_classes, ignore_index; /* ignore_index: T_NONE for None */
    t_Tuple out_features;
    double label_smoothing;
    char reduction[10];
} nn_LinearCrossEntropyLoss;
typedef struct nn_LinearCrossEntropyLossOptions {
    uint32_t size;
    t_Tuple out_features;
    bool bias;
    t_DType dtype;
    const char *reduction;
    Tensor *weight;
    int64_t ignore_index;
    double label_smoothing;
} nn_LinearCrossEntropyLossOptions;
T_API nn_LinearCrossEntropyLoss *nn_LinearCrossEntropyLoss_new(int64_t in_features, int64_t num_classes,
                                                               const nn_LinearCrossEntropyLossOptions *options);

T_END_DECLS
#endif
