/* nn/modules/losses.h: the losses and distances of torch.nn (public).
 *
 * A criterion of two tensors is called by nn_call(criterion, input, target), one of three by a function nn_X_call. As
 * in nn/modules/layers.h: nn_X is the type, nn_X(...) the constructor with keywords (nn/sugar/losses.h), nn_X_new the
 * plain constructor. A module calls the function F_x of its name, or the one that its line names. */
#ifndef TAPEGRAD_NN_MODULES_LOSSES_H
#define TAPEGRAD_NN_MODULES_LOSSES_H

#include "nn/functional/loss/loss.h"
#include "nn/module/module.h"

T_BEGIN_DECLS

/* nn.CrossEntropyLoss(...), nn.NLLLoss(...); NULL options are the defaults */
typedef struct nn_CrossEntropyLoss {
    nn_Module base;
    Tensor *weight; /* a buffer */
    int64_t ignore_index;
    double label_smoothing;
    char reduction[10];
} nn_CrossEntropyLoss;
typedef struct nn_CrossEntropyLossOptions {
    uint32_t size;
    Tensor *weight;
    int64_t ignore_index;
    const char *reduction;
    double label_smoothing;
} nn_CrossEntropyLossOptions;
typedef struct nn_NLLLoss { nn_Module base; Tensor *weight; int64_t ignore_index; char reduction[10]; } nn_NLLLoss;
T_API nn_CrossEntropyLoss *nn_CrossEntropyLoss_new(const nn_CrossEntropyLossOptions *options);
T_API nn_NLLLoss *nn_NLLLoss_new(Tensor *weight, int64_t ignore_index,
                                 const char *reduction); /* nn.NLLLoss(weight=None, ignore_index=-100) */
T_API Tensor *nn_CrossEntropyLoss_call(nn_CrossEntropyLoss *self, Tensor *input,
                                       Tensor *target); /* criterion(input, target) */

/* These constructors take their keywords as arguments; a NULL reduction is "mean", a NULL weight none. */
typedef struct nn_MSELoss { nn_Module base; char reduction[10]; } nn_MSELoss;
typedef struct nn_L1Loss { nn_Module base; char reduction[10]; } nn_L1Loss;
typedef struct nn_SmoothL1Loss { nn_Module base; double beta; char reduction[10]; } nn_SmoothL1Loss;
typedef struct nn_HuberLoss { nn_Module base; double delta; char reduction[10]; } nn_HuberLoss;
typedef struct nn_BCELoss { nn_Module base; Tensor *weight; char reduction[10]; } nn_BCELoss;
typedef struct nn_BCEWithLogitsLoss {
    nn_Module base;
    Tensor *weight, *pos_weight;
    char reduction[10];
} nn_BCEWithLogitsLoss;
typedef struct nn_KLDivLoss { nn_Module base; bool log_target; char reduction[10]; } nn_KLDivLoss;
typedef struct nn_PoissonNLLLoss {
    nn_Module base;
    bool log_input, full;
    double eps;
    char reduction[10];
} nn_PoissonNLLLoss;
typedef struct nn_HingeEmbeddingLoss { nn_Module base; double margin; char reduction[10]; } nn_HingeEmbeddingLoss;
typedef struct nn_SoftMarginLoss { nn_Module base; char reduction[10]; } nn_SoftMarginLoss;
typedef struct nn_MultiMarginLoss {
    nn_Module base;
    int64_t p;
    double margin;
    Tensor *weight;
    char reduction[10];
} nn_MultiMarginLoss;
typedef struct nn_MultiLabelMarginLoss { nn_Module base; char reduction[10]; } nn_MultiLabelMarginLoss;
typedef struct nn_MultiLabelSoftMarginLoss {
    nn_Module base;
    Tensor *weight;
    char reduction[10];
} nn_MultiLabelSoftMarginLoss;
T_API nn_MSELoss *nn_MSELoss_new(const char *reduction);                    /* nn.MSELoss(reduction="mean") */
T_API nn_L1Loss *nn_L1Loss_new(const char *reduction);                      /* nn.L1Loss(reduction="mean") */
T_API nn_SmoothL1Loss *nn_SmoothL1Loss_new(const char *reduction,
                                           double beta); /* nn.SmoothL1Loss(reduction="mean", beta=1.0) */
T_API nn_HuberLoss *nn_HuberLoss_new(const char *reduction,
                                     double delta); /* nn.HuberLoss(reduction="mean", delta=1.0) */
T_API nn_BCELoss *nn_BCELoss_new(Tensor *weight,
                                 const char *reduction); /* nn.BCELoss(weight=None): F_binary_cross_entropy */
T_API nn_BCEWithLogitsLoss *nn_BCEWithLogitsLoss_new(Tensor *weight, const char *reduction,
                                                     Tensor *pos_weight); /* nn.BCEWithLogitsLoss(pos_weight=None) */
T_API nn_KLDivLoss *nn_KLDivLoss_new(const char *reduction,
                                     bool log_target); /* nn.KLDivLoss(reduction="mean", log_target=False) */
T_API nn_PoissonNLLLoss *nn_PoissonNLLLoss_new(bool log_input, bool full, double eps,
                                               const char *reduction); /* nn.PoissonNLLLoss(log_input=True, eps=1e-8) */
T_API nn_HingeEmbeddingLoss *nn_HingeEmbeddingLoss_new(double margin,
                                                       const char *reduction); /* nn.HingeEmbeddingLoss(margin=1.0) */
T_API nn_SoftMarginLoss *nn_SoftMarginLoss_new(const char *reduction); /* nn.SoftMarginLoss(reduction="mean") */
T_API nn_MultiMarginLoss *nn_MultiMarginLoss_new(int64_t p, double margin, Tensor *weight,
                                                 const char *reduction); /* nn.MultiMarginLoss(p=1, margin=1.0) */
T_API nn_MultiLabelMarginLoss *nn_MultiLabelMarginLoss_new(const char *reduction); /* F_multilabel_margin_loss */
T_API nn_MultiLabelSoftMarginLoss *nn_MultiLabelSoftMarginLoss_new(Tensor *weight,
                                                                   const char *reduction); /* F_multilabel_soft_... */
T_API Tensor *nn_MSELoss_call(nn_MSELoss *self, Tensor *input, Tensor *target); /* criterion(input, target) */

/* nn.CTCLoss(blank=0, reduction="mean", zero_infinity=False): F_ctc_loss, called with nn_CTCLoss_call */
typedef struct nn_CTCLoss { nn_Module base; int64_t blank; bool zero_infinity; char reduction[10]; } nn_CTCLoss;
T_API nn_CTCLoss *nn_CTCLoss_new(int64_t blank, const char *reduction, bool zero_infinity);
T_API Tensor *nn_CTCLoss_call(nn_CTCLoss *self, Tensor *log_probs, Tensor *targets, Tensor *input_lengths,
                              Tensor *target_lengths);

/* Distances: modules of two tensors that are no losses. */
typedef struct nn_CosineSimilarity { nn_Module base; int64_t dim; double eps; } nn_CosineSimilarity;
typedef struct nn_PairwiseDistance { nn_Module base; double norm, eps; bool keepdim; } nn_PairwiseDistance;
T_API nn_CosineSimilarity *nn_CosineSimilarity_new(int64_t dim, double eps); /* nn.CosineSimilarity(dim=1, eps=1e-8) */
T_API nn_PairwiseDistance *nn_PairwiseDistance_new(double p, double eps,
                                                   bool keepdim); /* nn.PairwiseDistance(p=2.0, eps=1e-6) */

/* Losses of three tensors. */
typedef struct nn_CosineEmbeddingLoss { nn_Module base; double margin; char reduction[10]; } nn_CosineEmbeddingLoss;
typedef struct nn_MarginRankingLoss { nn_Module base; double margin; char reduction[10]; } nn_MarginRankingLoss;
typedef struct nn_TripletMarginLoss {
    nn_Module base;
    double margin, p, eps;
    bool swap;
    char reduction[10];
} nn_TripletMarginLoss;
/* distance_function: the default is a child, an nn_PairwiseDistance; then the field of that name is NULL. */
typedef struct nn_TripletMarginWithDistanceLoss {
    nn_Module base;
    F_Distance *distance_function;
    nn_PairwiseDistance *pairwise_distance;
    double margin;
    bool swap;
    char reduction[10];
} nn_TripletMarginWithDistanceLoss;
typedef struct nn_GaussianNLLLoss { nn_Module base; bool full; double eps; char reduction[10]; } nn_GaussianNLLLoss;
T_API nn_CosineEmbeddingLoss *nn_CosineEmbeddingLoss_new(double margin,
                                                         const char *reduction); /* nn.CosineEmbeddingLoss(margin=0) */
T_API nn_MarginRankingLoss *nn_MarginRankingLoss_new(double margin,
                                                     const char *reduction); /* nn.MarginRankingLoss(margin=0.0) */
T_API nn_TripletMarginLoss *nn_TripletMarginLoss_new(double margin, double p, double eps, bool swap,
                                                     const char *reduction); /* nn.TripletMarginLoss(margin=1, p=2) */
T_API nn_TripletMarginWithDistanceLoss *nn_TripletMarginWithDistanceLoss_new(F_Distance *distance_function,
                                                                            double margin, bool swap,
                                                                            const char *reduction);
T_API nn_GaussianNLLLoss *nn_GaussianNLLLoss_new(bool full, double eps,
                                                 const char *reduction); /* nn.GaussianNLLLoss(full=False, eps=1e-6) */
T_API Tensor *nn_CosineEmbeddingLoss_call(nn_CosineEmbeddingLoss *self, Tensor *input1, Tensor *input2, Tensor *target);
T_API Tensor *nn_MarginRankingLoss_call(nn_MarginRankingLoss *self, Tensor *input1, Tensor *input2, Tensor *target);
T_API Tensor *nn_TripletMarginLoss_call(nn_TripletMarginLoss *self, Tensor *anchor, Tensor *positive, Tensor *negative);
T_API Tensor *nn_TripletMarginWithDistanceLoss_call(nn_TripletMarginWithDistanceLoss *self, Tensor *anchor,
                                                    Tensor *positive, Tensor *negative);
T_API Tensor *nn_GaussianNLLLoss_call(nn_GaussianNLLLoss *self, Tensor *input, Tensor *target, Tensor *var);

T_END_DECLS
#endif
