/* nn/functional/loss/loss_internal.h: reduction, warnings and checks of the losses (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LOSS_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_LOSS_INTERNAL_H

#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/functional/loss/loss.h"

typedef enum LossReduction { TO_MEAN, TO_SUM, NO_REDUCTION } LossReduction;

/* "mean" (also for NULL), "sum", "none"; false with PyTorch's error for another word. */
bool tg_parse_reduction(const char *word, LossReduction *reduction);
Tensor *tg_reduce(Tensor *each, LossReduction reduction); /* the mean, the sum, or each itself; differentiable */

/* PyTorch's warnings, on stderr with the caller's source line. */
void tg_warn_about_sizes(Tensor *input, Tensor *target); /* where they differ */
void tg_warn_about_kl_mean(void);

/* A target with classes of uint8 or probabilities of half precision in its wide dtype; other dtypes are refused. */
Tensor *tg_wide_target(Tensor *target);
/* False with PyTorch's error for class weights of another dtype where one of both is narrow; for before both are
 * widened. */
bool tg_check_narrow_weight(const Tensor *input, const Tensor *weight);
bool tg_check_nll(Tensor *input, Tensor *target, const F_LossOptions *options, LossReduction *reduction);
/* F_cross_entropy of class indices for a floating input of one or two dims, not empty, as one op. */
Tensor *tg_cross_entropy_of_classes(Tensor *input, Tensor *target, const F_LossOptions *options);

/* F_nll_loss that also returns in *total the sum of the weights of the targets that count. */
Tensor *tg_nll_loss(Tensor *input, Tensor *target, const F_LossOptions *options, double *total);

/* F_triplet_margin_with_distance_loss with a distance that gets a context. */
typedef Tensor *tg_Distance(Tensor *x1, Tensor *x2, const void *context);
Tensor *tg_triplet_margin_loss(Tensor *anchor, Tensor *positive, Tensor *negative, tg_Distance *distance,
                               const void *context, double margin, bool swap, const char *reduction_word);

/* max(x, least), where the clamping is not part of the gradient. */
Tensor *tg_clamp_detached(Tensor *x, double least);

/* The class dim: 1, or 0 of a vector. */
static inline int tg_class_dim(const Tensor *x) {
    return x->ndim == 1 ? 0 : 1;
}

#endif
