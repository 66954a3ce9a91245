/* nn/modules/adaptive.h: nn.AdaptiveLogSoftmaxWithLoss (public). */
#ifndef TAPEGRAD_NN_MODULES_ADAPTIVE_H
#define TAPEGRAD_NN_MODULES_ADAPTIVE_H

#include "nn/modules/layers.h"

T_BEGIN_DECLS

enum { NN_MAX_CUTOFFS = 31 };

/* nn.AdaptiveLogSoftmaxWithLoss(in_features, n_classes, cutoffs, div_value=4.0, head_bias=False): a softmax over many
 * classes, sorted by how frequent they are (Grave et al., 2017). The head has an output for each class below cutoffs[0]
 * and one for each cluster, the classes between two cutoffs; cluster i has a projection to in_features / div_value^(i +
 * 1) features and a layer of its own, tail[i]. */
typedef struct nn_AdaptiveLogSoftmaxWithLoss {
    nn_Module base;
    nn_Linear *head;
    nn_ModuleList *tail;
    int64_t in_features, n_classes, shortlist_size, n_clusters, head_size;
    int64_t cutoffs[NN_MAX_CUTOFFS + 1]; /* and after them n_classes */
    double div_value;
    bool head_bias;
} nn_AdaptiveLogSoftmaxWithLoss;
typedef struct nn_AdaptiveLogSoftmaxOptions {
    uint32_t size;
    double div_value;
    bool head_bias;
    t_DType dtype;
} nn_AdaptiveLogSoftmaxOptions;
T_API nn_AdaptiveLogSoftmaxWithLoss *nn_AdaptiveLogSoftmaxWithLoss_new(int64_t in_features, int64_t n_classes,
                                                                      const int64_t *cutoffs, int cutoff_count,
                                                                      const nn_AdaptiveLogSoftmaxOptions *options);
/* output, loss = asm(input, target); loss: receives the loss unless NULL */
T_API Tensor *nn_AdaptiveLogSoftmaxWithLoss_call(nn_AdaptiveLogSoftmaxWithLoss *self, Tensor *input, Tensor *target,
                                                 Tensor **loss);
T_API Tensor *nn_AdaptiveLogSoftmaxWithLoss_log_prob(nn_AdaptiveLogSoftmaxWithLoss *self,
                                                     Tensor *input); /* asm.log_prob(input) */
T_API Tensor *nn_AdaptiveLogSoftmaxWithLoss_predict(nn_AdaptiveLogSoftmaxWithLoss *self,
                                                    Tensor *input); /* asm.predict(input) */

T_END_DECLS
#endif
