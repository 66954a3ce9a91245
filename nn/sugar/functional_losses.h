/* nn/sugar/functional_losses.h: the macros over losses.h, one line each (public; part of nn/sugar/functional.h). */
#ifndef TAPEGRAD_NN_SUGAR_FUNCTIONAL_LOSSES_H
#define TAPEGRAD_NN_SUGAR_FUNCTIONAL_LOSSES_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/functional/loss/loss.h"

/* F_cross_entropy(logits, labels), F_cross_entropy(logits, labels, .label_smoothing = 0.1, .ignore_index = 0) */
typedef struct F_LossArguments_ {
    int first_; Tensor *target, *weight; int64_t ignore_index; const char *reduction; double label_smoothing;
} F_LossArguments_;
#define F_LOSS_(f, text, ...) T_OP_ARGUMENTS_((input, target), \
    (f)(t__a, t__o.target, &(const F_LossOptions){sizeof(F_LossOptions), t__o.weight, t__o.ignore_index, \
    t__o.reduction, t__o.label_smoothing}), text, F_LossArguments_, (.ignore_index = -100, .reduction = "mean"), \
    __VA_ARGS__)
#define F_cross_entropy(...) F_LOSS_(F_cross_entropy, "F_cross_entropy(" #__VA_ARGS__ ")", __VA_ARGS__)
/* F_linear_cross_entropy(x, weight, labels, .linear_bias = b) */
typedef struct F_LinearLossArguments_ {
    int first_; Tensor *linear_weight, *target, *linear_bias, *weight; const char *reduction; int64_t ignore_index;
    double label_smoothing;
} F_LinearLossArguments_;
#define F_linear_cross_entropy(...) T_OP_ARGUMENTS_((input, linear_weight, target), \
    (F_linear_cross_entropy)(t__a, t__o.linear_weight, t__o.target, t__o.linear_bias, \
    &(const F_LossOptions){sizeof(F_LossOptions), t__o.weight, t__o.ignore_index, t__o.reduction, \
    t__o.label_smoothing}), "F_linear_cross_entropy(" #__VA_ARGS__ ")", F_LinearLossArguments_, \
    (.ignore_index = -100, .reduction = "mean"), __VA_ARGS__)
#define F_nll_loss(...) F_LOSS_(F_nll_loss, "F_nll_loss(" #__VA_ARGS__ ")", __VA_ARGS__)
#define F_mse_loss(...) F_LOSS_(F_mse_loss, "F_mse_loss(" #__VA_ARGS__ ")", __VA_ARGS__)

/* F_l1_loss(x, y), F_huber_loss(x, .target = y, .delta = 0.5), F_kl_div(x, y, .reduction = "batchmean") */
typedef struct F_L1LossArguments_ {
    int first_; Tensor *target; const char *reduction; Tensor *weight;
} F_L1LossArguments_;
typedef struct F_SmoothL1LossArguments_ {
    int first_; Tensor *target; const char *reduction; double beta;
} F_SmoothL1LossArguments_;
typedef struct F_HuberLossArguments_ {
    int first_; Tensor *target; const char *reduction; double delta; Tensor *weight;
} F_HuberLossArguments_;
typedef struct F_PoissonArguments_ {
    int first_; Tensor *target; bool log_input, full; double eps; const char *reduction;
} F_PoissonArguments_;
typedef struct F_GaussianArguments_ { int first_; bool full; double eps; const char *reduction; } F_GaussianArguments_;
typedef struct F_BinaryArguments_ {
    int first_; Tensor *target, *weight; const char *reduction; Tensor *pos_weight;
} F_BinaryArguments_;
typedef struct F_KLDivArguments_ {
    int first_; Tensor *target; const char *reduction; bool log_target;
} F_KLDivArguments_;
typedef struct F_HingeArguments_ {
    int first_; Tensor *target; double margin; const char *reduction;
} F_HingeArguments_;
typedef struct F_MarginArguments_ {
    int first_; Tensor *input2, *target; double margin; const char *reduction;
} F_MarginArguments_;
typedef struct F_TripletArguments_ {
    int first_; Tensor *positive, *negative; double margin, p, eps; bool swap; const char *reduction;
} F_TripletArguments_;
typedef struct F_TripletDistanceArguments_ {
    int first_; Tensor *positive, *negative; F_Distance *distance_function; double margin; bool swap;
    const char *reduction;
} F_TripletDistanceArguments_;
typedef struct F_SoftMarginArguments_ { int first_; Tensor *target; const char *reduction; } F_SoftMarginArguments_;
typedef struct F_MultiMarginArguments_ {
    int first_; Tensor *target; int64_t p; double margin; Tensor *weight; const char *reduction;
} F_MultiMarginArguments_;
typedef struct F_MultiLabelSoftMarginArguments_ {
    int first_; Tensor *target, *weight; const char *reduction;
} F_MultiLabelSoftMarginArguments_;
typedef struct F_NormalizeArguments_ { int first_; double p; int64_t dim; double eps; } F_NormalizeArguments_;
typedef struct F_CosineArguments_ { int first_; Tensor *x2; int64_t dim; double eps; } F_CosineArguments_;
typedef struct F_PairwiseArguments_ { int first_; Tensor *x2; double p, eps; bool keepdim; } F_PairwiseArguments_;
#define F_l1_loss(...) T_OP_ARGUMENTS_((input, target), (F_l1_loss)(t__a, t__o.target, t__o.reduction, t__o.weight), \
    "F_l1_loss(" #__VA_ARGS__ ")", F_L1LossArguments_, (.reduction = "mean"), __VA_ARGS__)
#define F_smooth_l1_loss(...) T_OP_ARGUMENTS_((input, target), \
    (F_smooth_l1_loss)(t__a, t__o.target, t__o.reduction, t__o.beta), "F_smooth_l1_loss(" #__VA_ARGS__ ")", \
    F_SmoothL1LossArguments_, (.reduction = "mean", .beta = 1), __VA_ARGS__)
#define F_huber_loss(...) T_OP_ARGUMENTS_((input, target), \
    (F_huber_loss)(t__a, t__o.target, t__o.reduction, t__o.delta, t__o.weight), "F_huber_loss(" #__VA_ARGS__ ")", \
    F_HuberLossArguments_, (.reduction = "mean", .delta = 1), __VA_ARGS__)
#define F_poisson_nll_loss(...) T_OP_ARGUMENTS_((input, target), \
    (F_poisson_nll_loss)(t__a, t__o.target, t__o.log_input, t__o.full, t__o.eps, t__o.reduction), \
    "F_poisson_nll_loss(" #__VA_ARGS__ ")", F_PoissonArguments_, \
    (.log_input = true, .eps = 1e-8, .reduction = "mean"), __VA_ARGS__)
#define F_binary_cross_entropy(...) T_OP_ARGUMENTS_((input, target), \
    (F_binary_cross_entropy)(t__a, t__o.target, t__o.weight, t__o.reduction), \
    "F_binary_cross_entropy(" #__VA_ARGS__ ")", F_BinaryArguments_, (.reduction = "mean"), __VA_ARGS__)
#define F_binary_cross_entropy_with_logits(...) \
    T_OP_ARGUMENTS_((input, target), (F_binary_cross_entropy_with_logits)(t__a, t__o.target, t__o.weight, \
    t__o.reduction, t__o.pos_weight), "F_binary_cross_entropy_with_logits(" #__VA_ARGS__ ")", F_BinaryArguments_, \
    (.reduction = "mean"), __VA_ARGS__)
#define F_kl_div(...) T_OP_ARGUMENTS_((input, target), (F_kl_div)(t__a, t__o.target, t__o.reduction, t__o.log_target), \
    "F_kl_div(" #__VA_ARGS__ ")", F_KLDivArguments_, (.reduction = "mean"), __VA_ARGS__)
/* F_gaussian_nll_loss(x, y, var), F_gaussian_nll_loss(x, y, 0.5): var may be a scalar */
#define F_gaussian_nll_loss(input, target, ...) \
    T_BEGIN_("F_gaussian_nll_loss(" #input ", " #target ", " #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, (input)) T_TENSOR_(t__b, (target)) Tensor *t__c = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(F_GaussianArguments_, t__o, .eps = 1e-6, .reduction = "mean", .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (F_gaussian_nll_loss)(t__a, t__b, t__c, t__o.full, t__o.eps, t__o.reduction))
#define F_cosine_embedding_loss(...) T_OP_ARGUMENTS_((input, input2, target), \
    (F_cosine_embedding_loss)(t__a, t__o.input2, t__o.target, t__o.margin, t__o.reduction), \
    "F_cosine_embedding_loss(" #__VA_ARGS__ ")", F_MarginArguments_, (.reduction = "mean"), __VA_ARGS__)
#define F_margin_ranking_loss(...) T_OP_ARGUMENTS_((input, input2, target), \
    (F_margin_ranking_loss)(t__a, t__o.input2, t__o.target, t__o.margin, t__o.reduction), \
    "F_margin_ranking_loss(" #__VA_ARGS__ ")", F_MarginArguments_, (.reduction = "mean"), __VA_ARGS__)
#define F_hinge_embedding_loss(...) T_OP_ARGUMENTS_((input, target), \
    (F_hinge_embedding_loss)(t__a, t__o.target, t__o.margin, t__o.reduction), \
    "F_hinge_embedding_loss(" #__VA_ARGS__ ")", F_HingeArguments_, (.margin = 1, .reduction = "mean"), __VA_ARGS__)
#define F_triplet_margin_loss(...) T_OP_ARGUMENTS_((input, positive, negative), \
    (F_triplet_margin_loss)(t__a, t__o.positive, t__o.negative, t__o.margin, t__o.p, t__o.eps, t__o.swap, \
    t__o.reduction), "F_triplet_margin_loss(" #__VA_ARGS__ ")", F_TripletArguments_, \
    (.margin = 1, .p = 2, .eps = 1e-6, .reduction = "mean"), __VA_ARGS__)
/* F_triplet_margin_with_distance_loss(a, p, n, .distance_function = cosine_distance), a function of two tensors */
#define F_triplet_margin_with_distance_loss(...) T_OP_ARGUMENTS_((input, positive, negative), \
    (F_triplet_margin_with_distance_loss)(t__a, t__o.positive, t__o.negative, t__o.distance_function, t__o.margin, \
    t__o.swap, t__o.reduction), "F_triplet_margin_with_distance_loss(" #__VA_ARGS__ ")", F_TripletDistanceArguments_, \
    (.margin = 1, .reduction = "mean"), __VA_ARGS__)
/* F_ctc_loss(log_probs, targets, input_lengths, target_lengths, .zero_infinity = true) */
typedef struct F_CTCArguments_ {
    int first_;
    Tensor *targets, *input_lengths, *target_lengths;
    int64_t blank;
    const char *reduction;
    bool zero_infinity;
} F_CTCArguments_;
#define F_ctc_loss(...) T_OP_ARGUMENTS_((log_probs, targets, input_lengths, target_lengths), \
    (F_ctc_loss)(t__a, t__o.targets, t__o.input_lengths, t__o.target_lengths, t__o.blank, t__o.reduction, \
    t__o.zero_infinity), "F_ctc_loss(" #__VA_ARGS__ ")", F_CTCArguments_, (.reduction = "mean"), __VA_ARGS__)
#define F_soft_margin_loss(...) T_OP_ARGUMENTS_((input, target), \
    (F_soft_margin_loss)(t__a, t__o.target, t__o.reduction), "F_soft_margin_loss(" #__VA_ARGS__ ")", \
    F_SoftMarginArguments_, (.reduction = "mean"), __VA_ARGS__)
#define F_multi_margin_loss(...) T_OP_ARGUMENTS_((input, target), \
    (F_multi_margin_loss)(t__a, t__o.target, t__o.p, t__o.margin, t__o.weight, t__o.reduction), \
    "F_multi_margin_loss(" #__VA_ARGS__ ")", F_MultiMarginArguments_, (.p = 1, .margin = 1, .reduction = "mean"), \
    __VA_ARGS__)
#define F_multilabel_margin_loss(...) T_OP_ARGUMENTS_((input, target), \
    (F_multilabel_margin_loss)(t__a, t__o.target, t__o.reduction), "F_multilabel_margin_loss(" #__VA_ARGS__ ")", \
    F_SoftMarginArguments_, (.reduction = "mean"), __VA_ARGS__)
#define F_multilabel_soft_margin_loss(...) T_OP_ARGUMENTS_((input, target), \
    (F_multilabel_soft_margin_loss)(t__a, t__o.target, t__o.weight, t__o.reduction), \
    "F_multilabel_soft_margin_loss(" #__VA_ARGS__ ")", F_MultiLabelSoftMarginArguments_, (.reduction = "mean"), \
    __VA_ARGS__)

#define F_normalize(...) T_OP_KEYS_((F_normalize)(t__a, t__o.p, t__o.dim, t__o.eps), "F_normalize(" #__VA_ARGS__ ")", \
    F_NormalizeArguments_, (.p = 2, .dim = 1, .eps = 1e-12), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_cosine_similarity(...) T_OP_ARGUMENTS_((input, x2), \
    (F_cosine_similarity)(t__a, t__o.x2, t__o.dim, t__o.eps), "F_cosine_similarity(" #__VA_ARGS__ ")", \
    F_CosineArguments_, (.dim = 1, .eps = 1e-8), __VA_ARGS__)
typedef struct F_PdistArguments_ { int first_; double p; } F_PdistArguments_;
#define F_pdist(...) T_OP_KEYS_((F_pdist)(t__a, t__o.p), "F_pdist(" #__VA_ARGS__ ")", F_PdistArguments_, (.p = 2), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_pairwise_distance(...) T_OP_ARGUMENTS_((input, x2), \
    (F_pairwise_distance)(t__a, t__o.x2, t__o.p, t__o.eps, t__o.keepdim), "F_pairwise_distance(" #__VA_ARGS__ ")", \
    F_PairwiseArguments_, (.p = 2, .eps = 1e-6), __VA_ARGS__)

#endif
#endif
