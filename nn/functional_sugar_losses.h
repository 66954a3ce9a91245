/* nn/functional_sugar_losses.h: the macros over functional_losses.h, one line each (public; part of nn/functional_sugar.h). */
#ifndef TAPEGRAD_NN_FUNCTIONAL_SUGAR_LOSSES_H
#define TAPEGRAD_NN_FUNCTIONAL_SUGAR_LOSSES_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar.h"
#include "nn/functional_losses.h"

/* F_cross_entropy(logits, labels), F_cross_entropy(logits, labels, .label_smoothing = 0.1, .ignore_index = 0) */
#define F_LOSS_(f, text, A, ...) T_BEGIN_(text) Tensor *t__a = (A); Tensor *t__b = T_HEAD_(__VA_ARGS__);                \
    T_OPTIONS_(F_LossOptions, t__o, .ignore_index = -100, .reduction = "mean", .size = sizeof(F_LossOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, t__b, &t__o))
#define F_cross_entropy(input, ...) F_LOSS_(F_cross_entropy, "F_cross_entropy(" #input ", " #__VA_ARGS__ ")", input, __VA_ARGS__)
#define F_nll_loss(input, ...) F_LOSS_(F_nll_loss, "F_nll_loss(" #input ", " #__VA_ARGS__ ")", input, __VA_ARGS__)
#define F_mse_loss(input, ...) F_LOSS_(F_mse_loss, "F_mse_loss(" #input ", " #__VA_ARGS__ ")", input, __VA_ARGS__)

#endif
#endif
