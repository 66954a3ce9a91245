/* core/autograd/teach.h: teaching mode, TAPEGRAD_TEACH=1 or t_set_teach (internal).
 *
 * Reports mistakes that are no errors: one line on stderr with the user's file and line, once per call site. Each
 * function here is called after a test of tg_thread.teaching, on paths that run once per call of the user.
 *
 *   report                                                        seen by
 *   a gradient that an earlier backward left is added to          tg_teach_accumulate
 *   a parameter that no optimizer has                             tg_teach_accumulate
 *   a parameter without a gradient in optim_step                  tg_teach_before_step (optim/teach.c)
 *   dropout while grad mode is off                                tg_teach_dropout
 *   a layer called in a forward, but not registered as a child    tg_teach_unregistered (nn/module/teach.c)
 *   (N, 1) with (N) broadcast to (N, N)                           tg_teach_broadcast
 *   most units of a ReLU are 0 for 20 batches in turn             tg_teach_relu
 *   a saturated softmax early in training                         tg_teach_forward
 *   a leaf that its own update replaced by a non-leaf             tg_teach_overwritten
 *   a loop without a scope, at 10000 objects and not at 100000    tg_object_init (core/tensor/scope.c)
 *
 * Always on, as in PyTorch: .grad of a non-leaf (t_grad), a loss whose target has another size than its input. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_TEACH_H
#define TAPEGRAD_CORE_AUTOGRAD_TEACH_H

#include "core/autograd/tape.h"

/* The leaves to which a backward is about to add their pending gradients, linked by next_pending. */
void tg_teach_accumulate(Tensor *leaves);
/* x is not a leaf, and the user reads its grad. */
void tg_teach_overwritten(const Tensor *x);
/* Two operands of an elementwise op that are broadcast. */
void tg_teach_broadcast(const char *op, const Tensor *a, const Tensor *b);
/* A dropout draws a mask. */
void tg_teach_dropout(void);
/* y is the recorded result of op for its first input x. attributes: of the record. */
void tg_teach_forward(const Op *op, const Tensor *x, const Tensor *y, const void *attributes);
/* y: the values of a ReLU, of which a gradient is wanted. */
void tg_teach_relu(const Tensor *y);

#endif
