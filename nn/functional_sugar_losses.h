/* nn/functional_sugar_losses.h: the macros over functional_losses.h, one line each (public; part of nn/functional_sugar.h). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_SUGAR_LOSSES_H
#define TAPEGRAD_NN_FUNCTIONAL_SUGAR_LOSSES_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar.h"
#include "nn/functional_losses.h"

/* F_cross_entropy(logits, labels), F_cross_entropy(logits, labels, .label_smoothing = 0.1, .ignore_index = 0) */
#define F_LOSS_(f, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__))                \
    T_OPTIONS_(F_LossOptions, t__o, .ignore_index = -100, .reduction = "mean", .size = sizeof(F_LossOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, t__b, &t__o))
#define F_cross_entropy(input, ...) F_LOSS_(F_cross_entropy, "F_cross_entropy(" #input ", " #__VA_ARGS__ ")", input, __VA_ARGS__)
#define F_nll_loss(input, ...) F_LOSS_(F_nll_loss, "F_nll_loss(" #input ", " #__VA_ARGS__ ")", input, __VA_ARGS__)
#define F_mse_loss(input, ...) F_LOSS_(F_mse_loss, "F_mse_loss(" #input ", " #__VA_ARGS__ ")", input, __VA_ARGS__)

/* F_l1_loss(x, y), F_huber_loss(x, y, .delta = 0.5), F_kl_div(x, y, .reduction = "batchmean"): keywords behind two tensors. */
#define F_LOSS_KEYS_(call, text, type, defaults, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(type, t__o, F_DEFAULTS_ defaults, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, call)
#define F_LOSS3_KEYS_(call, text, type, defaults, A, B, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_TENSOR_(t__b, (B)) T_TENSOR_(t__c, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(type, t__o, F_DEFAULTS_ defaults, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, call)
#define F_DEFAULTS_(...) __VA_ARGS__
typedef struct F_L1LossArguments_ { int first_; const char *reduction; Tensor *weight; } F_L1LossArguments_;
typedef struct F_SmoothL1LossArguments_ { int first_; const char *reduction; double beta; } F_SmoothL1LossArguments_;
typedef struct F_HuberLossArguments_ { int first_; const char *reduction; double delta; Tensor *weight; } F_HuberLossArguments_;
typedef struct F_PoissonArguments_ { int first_; bool log_input, full; double eps; const char *reduction; } F_PoissonArguments_;
typedef struct F_GaussianArguments_ { int first_; bool full; double eps; const char *reduction; } F_GaussianArguments_;
typedef struct F_BinaryArguments_ { int first_; Tensor *weight; const char *reduction; Tensor *pos_weight; } F_BinaryArguments_;
typedef struct F_KLDivArguments_ { int first_; const char *reduction; bool log_target; } F_KLDivArguments_;
typedef struct F_MarginArguments_ { int first_; double margin; const char *reduction; } F_MarginArguments_;
typedef struct F_TripletArguments_ { int first_; double margin, p, eps; bool swap; const char *reduction; } F_TripletArguments_;
typedef struct F_NormalizeArguments_ { int first_; double p; int64_t dim; double eps; } F_NormalizeArguments_;
typedef struct F_CosineArguments_ { int first_; int64_t dim; double eps; } F_CosineArguments_;
typedef struct F_PairwiseArguments_ { int first_; double p, eps; bool keepdim; } F_PairwiseArguments_;
#define F_l1_loss(input, ...) F_LOSS_KEYS_((F_l1_loss)(t__a, t__b, t__o.reduction, t__o.weight), "F_l1_loss(" #input ", " #__VA_ARGS__ ")", F_L1LossArguments_, (.reduction = "mean"), input, __VA_ARGS__)
#define F_smooth_l1_loss(input, ...) F_LOSS_KEYS_((F_smooth_l1_loss)(t__a, t__b, t__o.reduction, t__o.beta), "F_smooth_l1_loss(" #input ", " #__VA_ARGS__ ")", F_SmoothL1LossArguments_, (.reduction = "mean", .beta = 1), input, __VA_ARGS__)
#define F_huber_loss(input, ...) F_LOSS_KEYS_((F_huber_loss)(t__a, t__b, t__o.reduction, t__o.delta, t__o.weight), "F_huber_loss(" #input ", " #__VA_ARGS__ ")", F_HuberLossArguments_, (.reduction = "mean", .delta = 1), input, __VA_ARGS__)
#define F_poisson_nll_loss(input, ...) F_LOSS_KEYS_((F_poisson_nll_loss)(t__a, t__b, t__o.log_input, t__o.full, t__o.eps, t__o.reduction), "F_poisson_nll_loss(" #input ", " #__VA_ARGS__ ")", F_PoissonArguments_, (.log_input = true, .eps = 1e-8, .reduction = "mean"), input, __VA_ARGS__)
#define F_binary_cross_entropy(input, ...) F_LOSS_KEYS_((F_binary_cross_entropy)(t__a, t__b, t__o.weight, t__o.reduction), "F_binary_cross_entropy(" #input ", " #__VA_ARGS__ ")", F_BinaryArguments_, (.reduction = "mean"), input, __VA_ARGS__)
#define F_binary_cross_entropy_with_logits(input, ...) F_LOSS_KEYS_((F_binary_cross_entropy_with_logits)(t__a, t__b, t__o.weight, t__o.reduction, t__o.pos_weight), "F_binary_cross_entropy_with_logits(" #input ", " #__VA_ARGS__ ")", F_BinaryArguments_, (.reduction = "mean"), input, __VA_ARGS__)
#define F_kl_div(input, ...) F_LOSS_KEYS_((F_kl_div)(t__a, t__b, t__o.reduction, t__o.log_target), "F_kl_div(" #input ", " #__VA_ARGS__ ")", F_KLDivArguments_, (.reduction = "mean"), input, __VA_ARGS__)
/* F_gaussian_nll_loss(x, y, var), F_gaussian_nll_loss(x, y, 0.5): the variance may be a number */
#define F_gaussian_nll_loss(input, target, ...) T_BEGIN_("F_gaussian_nll_loss(" #input ", " #target ", " #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, (input)) T_TENSOR_(t__b, (target)) Tensor *t__c = T_OPERAND(T_HEAD_(__VA_ARGS__));                    \
    T_OPTIONS_(F_GaussianArguments_, t__o, .eps = 1e-6, .reduction = "mean", .first_ = 0, T_TAIL_(__VA_ARGS__))         \
    T_END_(Tensor *, (F_gaussian_nll_loss)(t__a, t__b, t__c, t__o.full, t__o.eps, t__o.reduction))
#define F_cosine_embedding_loss(input1, input2, ...) F_LOSS3_KEYS_((F_cosine_embedding_loss)(t__a, t__b, t__c, t__o.margin, t__o.reduction), "F_cosine_embedding_loss(" #input1 ", " #input2 ", " #__VA_ARGS__ ")", F_MarginArguments_, (.reduction = "mean"), input1, input2, __VA_ARGS__)
#define F_margin_ranking_loss(input1, input2, ...) F_LOSS3_KEYS_((F_margin_ranking_loss)(t__a, t__b, t__c, t__o.margin, t__o.reduction), "F_margin_ranking_loss(" #input1 ", " #input2 ", " #__VA_ARGS__ ")", F_MarginArguments_, (.reduction = "mean"), input1, input2, __VA_ARGS__)
#define F_hinge_embedding_loss(input, ...) F_LOSS_KEYS_((F_hinge_embedding_loss)(t__a, t__b, t__o.margin, t__o.reduction), "F_hinge_embedding_loss(" #input ", " #__VA_ARGS__ ")", F_MarginArguments_, (.margin = 1, .reduction = "mean"), input, __VA_ARGS__)
#define F_triplet_margin_loss(anchor, positive, ...) F_LOSS3_KEYS_((F_triplet_margin_loss)(t__a, t__b, t__c, t__o.margin, t__o.p, t__o.eps, t__o.swap, t__o.reduction), "F_triplet_margin_loss(" #anchor ", " #positive ", " #__VA_ARGS__ ")", F_TripletArguments_, (.margin = 1, .p = 2, .eps = 1e-6, .reduction = "mean"), anchor, positive, __VA_ARGS__)

#define F_normalize(...) T_OP_KEYS_((F_normalize)(t__a, t__o.p, t__o.dim, t__o.eps), "F_normalize(" #__VA_ARGS__ ")", F_NormalizeArguments_, (.p = 2, .dim = 1, .eps = 1e-12), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define F_cosine_similarity(x1, ...) F_LOSS_KEYS_((F_cosine_similarity)(t__a, t__b, t__o.dim, t__o.eps), "F_cosine_similarity(" #x1 ", " #__VA_ARGS__ ")", F_CosineArguments_, (.dim = 1, .eps = 1e-8), x1, __VA_ARGS__)
#define F_pairwise_distance(x1, ...) F_LOSS_KEYS_((F_pairwise_distance)(t__a, t__b, t__o.p, t__o.eps, t__o.keepdim), "F_pairwise_distance(" #x1 ", " #__VA_ARGS__ ")", F_PairwiseArguments_, (.p = 2, .eps = 1e-6), x1, __VA_ARGS__)

#endif
#endif
