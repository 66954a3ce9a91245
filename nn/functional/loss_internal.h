/* nn/functional/loss_internal.h: what the files of the losses share (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LOSS_INTERNAL_H
#define TAPEGRAD_NN_FUNCTIONAL_LOSS_INTERNAL_H

#include "core/ops/pointwise_internal.h"
#include "nn/functional/functional_internal.h"

typedef enum LossReduction { TO_MEAN, TO_SUM, NO_REDUCTION } LossReduction;

/* "mean" (also for NULL), "sum", "none"; false with PyTorch's error for another word. */
bool tg_parse_reduction(const char *word, LossReduction *reduction);
Tensor *tg_reduce(Tensor *each, LossReduction reduction); /* the mean, the sum, or each as it is; differentiable */

/* PyTorch's warnings, on stderr with the user's line. */
void tg_warn_about_sizes(Tensor *input, Tensor *target); /* where they differ */
void tg_warn_about_kl_mean(void);

bool tg_check_nll(Tensor *input, Tensor *target, const F_LossOptions *options, LossReduction *reduction);
/* F_cross_entropy of class numbers for an input of one or two dims, floating and not empty, as one op. */
Tensor *tg_cross_entropy_of_classes(Tensor *input, Tensor *target, const F_LossOptions *options);

/* F_nll_loss that also tells the sum of the weights of the targets that count. */
Tensor *tg_nll_loss(Tensor *input, Tensor *target, const F_LossOptions *options, double *total);

/* x, but at least `least`, which the gradient does not see. */
Tensor *tg_lift(Tensor *x, double least);

/* The dim of the classes: 1, of a vector 0. */
static inline int tg_class_dim(const Tensor *x) {
    return x->ndim == 1 ? 0 : 1;
}

#endif
