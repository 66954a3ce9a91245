/* nn/sugar/losses.h: keyword-argument macros of the losses as modules (public; gcc and clang, C only; part of
 * nn/sugar/sugar.h). */
#ifndef TAPEGRAD_NN_SUGAR_LOSSES_H
#define TAPEGRAD_NN_SUGAR_LOSSES_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/modules/losses.h"

#define nn_CrossEntropyLoss(...) T_BEGIN_("nn_CrossEntropyLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_CrossEntropyLossOptions, t__o, .ignore_index = -100, .reduction = "mean", \
    .size = sizeof(nn_CrossEntropyLossOptions), __VA_ARGS__) \
    T_END_(nn_CrossEntropyLoss *, nn_CrossEntropyLoss_new(&t__o))
typedef struct nn_NLLLossArguments_ {
    int first_; Tensor *weight; int64_t ignore_index; const char *reduction;
} nn_NLLLossArguments_;
typedef struct nn_ReductionArguments_ { int first_; const char *reduction; } nn_ReductionArguments_;
typedef struct nn_SmoothL1LossArguments_ { int first_; const char *reduction; double beta; } nn_SmoothL1LossArguments_;
typedef struct nn_HuberLossArguments_ { int first_; const char *reduction; double delta; } nn_HuberLossArguments_;
typedef struct nn_BCELossArguments_ {
    int first_; Tensor *weight; const char *reduction; Tensor *pos_weight;
} nn_BCELossArguments_;
typedef struct nn_KLDivLossArguments_ { int first_; const char *reduction; bool log_target; } nn_KLDivLossArguments_;
typedef struct nn_PoissonArguments_ {
    int first_; bool log_input, full; double eps; const char *reduction;
} nn_PoissonArguments_;
typedef struct nn_GaussianArguments_ {
    int first_; bool full; double eps; const char *reduction;
} nn_GaussianArguments_;
typedef struct nn_MarginArguments_ { int first_; double margin; const char *reduction; } nn_MarginArguments_;
typedef struct nn_TripletArguments_ {
    int first_; double margin, p, eps; bool swap; const char *reduction;
} nn_TripletArguments_;
typedef struct nn_TripletDistanceArguments_ {
    int first_; F_Distance *distance_function; double margin; bool swap; const char *reduction;
} nn_TripletDistanceArguments_;
typedef struct nn_MultiMarginArguments_ {
    int first_; int64_t p; double margin; Tensor *weight; const char *reduction;
} nn_MultiMarginArguments_;
typedef struct nn_CosineArguments_ { int first_; int64_t dim; double eps; } nn_CosineArguments_;
typedef struct nn_PairwiseArguments_ { int first_; double p, eps; bool keepdim; } nn_PairwiseArguments_;
/* nn_MSELoss("sum"), nn_HuberLoss(.delta = 0.5), nn_BCEWithLogitsLoss(.pos_weight = w), nn_KLDivLoss("batchmean") */
#define nn_NLLLoss(...) T_BEGIN_("nn_NLLLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_NLLLossArguments_, t__o, .ignore_index = -100, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_NLLLoss *, nn_NLLLoss_new(t__o.weight, t__o.ignore_index, t__o.reduction))
#define nn_MSELoss(...) T_BEGIN_("nn_MSELoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_ReductionArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_MSELoss *, nn_MSELoss_new(t__o.reduction))
#define nn_L1Loss(...) T_BEGIN_("nn_L1Loss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_ReductionArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_L1Loss *, nn_L1Loss_new(t__o.reduction))
#define nn_SmoothL1Loss(...) T_BEGIN_("nn_SmoothL1Loss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_SmoothL1LossArguments_, t__o, .reduction = "mean", .beta = 1, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_SmoothL1Loss *, nn_SmoothL1Loss_new(t__o.reduction, t__o.beta))
#define nn_HuberLoss(...) T_BEGIN_("nn_HuberLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_HuberLossArguments_, t__o, .reduction = "mean", .delta = 1, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_HuberLoss *, nn_HuberLoss_new(t__o.reduction, t__o.delta))
#define nn_BCELoss(...) T_BEGIN_("nn_BCELoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_BCELossArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_BCELoss *, nn_BCELoss_new(t__o.weight, t__o.reduction))
#define nn_BCEWithLogitsLoss(...) T_BEGIN_("nn_BCEWithLogitsLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_BCELossArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_BCEWithLogitsLoss *, nn_BCEWithLogitsLoss_new(t__o.weight, t__o.reduction, t__o.pos_weight))
#define nn_KLDivLoss(...) T_BEGIN_("nn_KLDivLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_KLDivLossArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_KLDivLoss *, nn_KLDivLoss_new(t__o.reduction, t__o.log_target))
#define nn_PoissonNLLLoss(...) T_BEGIN_("nn_PoissonNLLLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_PoissonArguments_, t__o, .log_input = true, .eps = 1e-8, .reduction = "mean", .first_ = 0, \
    __VA_ARGS__) T_END_(nn_PoissonNLLLoss *, \
    nn_PoissonNLLLoss_new(t__o.log_input, t__o.full, t__o.eps, t__o.reduction))
#define nn_GaussianNLLLoss(...) T_BEGIN_("nn_GaussianNLLLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_GaussianArguments_, t__o, .eps = 1e-6, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_GaussianNLLLoss *, nn_GaussianNLLLoss_new(t__o.full, t__o.eps, t__o.reduction))
#define nn_HingeEmbeddingLoss(...) T_BEGIN_("nn_HingeEmbeddingLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_MarginArguments_, t__o, .margin = 1, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_HingeEmbeddingLoss *, nn_HingeEmbeddingLoss_new(t__o.margin, t__o.reduction))
#define nn_CosineEmbeddingLoss(...) T_BEGIN_("nn_CosineEmbeddingLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_MarginArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_CosineEmbeddingLoss *, nn_CosineEmbeddingLoss_new(t__o.margin, t__o.reduction))
#define nn_MarginRankingLoss(...) T_BEGIN_("nn_MarginRankingLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_MarginArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_MarginRankingLoss *, nn_MarginRankingLoss_new(t__o.margin, t__o.reduction))
#define nn_TripletMarginLoss(...) T_BEGIN_("nn_TripletMarginLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_TripletArguments_, t__o, .margin = 1, .p = 2, .eps = 1e-6, .reduction = "mean", .first_ = 0, \
    __VA_ARGS__) T_END_(nn_TripletMarginLoss *, \
    nn_TripletMarginLoss_new(t__o.margin, t__o.p, t__o.eps, t__o.swap, t__o.reduction))
#define nn_TripletMarginWithDistanceLoss(...) T_BEGIN_("nn_TripletMarginWithDistanceLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_TripletDistanceArguments_, t__o, .margin = 1, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_TripletMarginWithDistanceLoss *, \
    nn_TripletMarginWithDistanceLoss_new(t__o.distance_function, t__o.margin, t__o.swap, t__o.reduction))
#define nn_SoftMarginLoss(...) T_BEGIN_("nn_SoftMarginLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_ReductionArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_SoftMarginLoss *, nn_SoftMarginLoss_new(t__o.reduction))
#define nn_MultiMarginLoss(...) T_BEGIN_("nn_MultiMarginLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_MultiMarginArguments_, t__o, .p = 1, .margin = 1, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_MultiMarginLoss *, nn_MultiMarginLoss_new(t__o.p, t__o.margin, t__o.weight, t__o.reduction))
#define nn_MultiLabelMarginLoss(...) T_BEGIN_("nn_MultiLabelMarginLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_ReductionArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_MultiLabelMarginLoss *, nn_MultiLabelMarginLoss_new(t__o.reduction))
#define nn_MultiLabelSoftMarginLoss(...) T_BEGIN_("nn_MultiLabelSoftMarginLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_BCELossArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_MultiLabelSoftMarginLoss *, nn_MultiLabelSoftMarginLoss_new(t__o.weight, t__o.reduction))
typedef struct nn_CTCArguments_ {
    int first_; int64_t blank; const char *reduction; bool zero_infinity;
} nn_CTCArguments_;
#define nn_CTCLoss(...) T_BEGIN_("nn_CTCLoss(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_CTCArguments_, t__o, .reduction = "mean", .first_ = 0, __VA_ARGS__) \
    T_END_(nn_CTCLoss *, nn_CTCLoss_new(t__o.blank, t__o.reduction, t__o.zero_infinity))
#define nn_CTCLoss_call(self, log_probs, targets, input_lengths, target_lengths) \
    T_BEGIN_("nn_CTCLoss_call(" #self ", " #log_probs ", " #targets ", " #input_lengths ", " #target_lengths ")") \
    nn_CTCLoss *t__m = (self); T_TENSOR_(t__a, (log_probs)) T_TENSOR_(t__b, (targets)) \
    T_TENSOR_(t__c, (input_lengths)) T_TENSOR_(t__d, (target_lengths)) \
    T_END_(Tensor *, (nn_CTCLoss_call)(t__m, t__a, t__b, t__c, t__d))
#define nn_CosineSimilarity(...) T_BEGIN_("nn_CosineSimilarity(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_CosineArguments_, t__o, .dim = 1, .eps = 1e-8, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_CosineSimilarity *, nn_CosineSimilarity_new(t__o.dim, t__o.eps))
#define nn_PairwiseDistance(...) T_BEGIN_("nn_PairwiseDistance(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_PairwiseArguments_, t__o, .p = 2, .eps = 1e-6, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_PairwiseDistance *, nn_PairwiseDistance_new(t__o.p, t__o.eps, t__o.keepdim))

#define NN_LOSS3_(f, Type, text, self, A, B, C) T_BEGIN_(text) Type *t__m = (self); T_TENSOR_(t__a, (A)) \
    T_TENSOR_(t__b, (B)) T_TENSOR_(t__c, (C)) T_END_(Tensor *, (f)(t__m, t__a, t__b, t__c))
#define nn_CosineEmbeddingLoss_call(self, input1, input2, target) \
    NN_LOSS3_(nn_CosineEmbeddingLoss_call, nn_CosineEmbeddingLoss, \
    "nn_CosineEmbeddingLoss_call(" #self ", " #input1 ", " #input2 ", " #target ")", self, input1, input2, target)
#define nn_MarginRankingLoss_call(self, input1, input2, target) \
    NN_LOSS3_(nn_MarginRankingLoss_call, nn_MarginRankingLoss, \
    "nn_MarginRankingLoss_call(" #self ", " #input1 ", " #input2 ", " #target ")", self, input1, input2, target)
#define nn_TripletMarginLoss_call(self, anchor, positive, negative) \
    NN_LOSS3_(nn_TripletMarginLoss_call, nn_TripletMarginLoss, \
    "nn_TripletMarginLoss_call(" #self ", " #anchor ", " #positive ", " #negative ")", self, anchor, positive, \
    negative)
#define nn_TripletMarginWithDistanceLoss_call(self, anchor, positive, negative) \
    NN_LOSS3_(nn_TripletMarginWithDistanceLoss_call, nn_TripletMarginWithDistanceLoss, \
    "nn_TripletMarginWithDistanceLoss_call(" #self ", " #anchor ", " #positive ", " #negative ")", self, anchor, \
    positive, negative)
#define nn_GaussianNLLLoss_call(self, input, target, var) \
    NN_LOSS3_(nn_GaussianNLLLoss_call, nn_GaussianNLLLoss, \
    "nn_GaussianNLLLoss_call(" #self ", " #input ", " #target ", " #var ")", self, input, target, T_OPERAND(var))

#endif
#endif
