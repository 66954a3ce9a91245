/* nn/functional_losses.h: the losses of torch.nn.functional, one line each (public; part of nn/functional.h). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LOSSES_H
#define TAPEGRAD_NN_FUNCTIONAL_LOSSES_H

#include "core/api.h"

T_BEGIN_DECLS

/* ---- losses (functional_loss.c); NULL options are the defaults ---- */

/* Start from F_LossDefaults and change what should differ: an ignore_index of 0 means class 0, not "none given". */
typedef struct F_LossOptions {
    uint32_t size;
    Tensor *weight;         /* one factor for each class; for mse_loss one for each element of the input */
    int64_t ignore_index;   /* targets of this class count for nothing: -100 */
    const char *reduction;  /* "mean", "sum" or "none" */
    double label_smoothing; /* cross_entropy: this share of a target is spread over all classes */
} F_LossOptions;
T_API extern const F_LossOptions F_LossDefaults;

T_API Tensor *F_cross_entropy(Tensor *input, Tensor *target, const F_LossOptions *options); /* F.cross_entropy(...) */
T_API Tensor *F_nll_loss(Tensor *input, Tensor *target, const F_LossOptions *options);      /* F.nll_loss(...) */
T_API Tensor *F_mse_loss(Tensor *input, Tensor *target, const F_LossOptions *options);      /* F.mse_loss(...) */

T_END_DECLS
#endif
