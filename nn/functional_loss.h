/* nn/functional_loss.h: what the files of the losses share (internal). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LOSS_H
#define TAPEGRAD_NN_FUNCTIONAL_LOSS_H

#include "core/ops/pointwise.h"
#include "nn/functional.h"

typedef enum Reduction { TO_MEAN, TO_SUM, NO_REDUCTION } Reduction;

/* "mean" (also for NULL), "sum", "none"; false with PyTorch's error for another word. */
bool tg_parse_reduction(const char *word, Reduction *reduction);

/* F_nll_loss that also tells the sum of the weights of the targets that count. */
Tensor *tg_nll_loss(Tensor *input, Tensor *target, const F_LossOptions *options, double *total);

/* The dim of the classes: 1, of a vector 0. */
static inline int tg_class_dim(const Tensor *x) {
    return x->ndim == 1 ? 0 : 1;
}

#endif
