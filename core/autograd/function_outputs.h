/* core/autograd/function_outputs.h: user-defined ops with several outputs (internal). */
#ifndef TAPEGRAD_CORE_AUTOGRAD_FUNCTION_OUTPUTS_H
#define TAPEGRAD_CORE_AUTOGRAD_FUNCTION_OUTPUTS_H

#include "core/autograd/tape.h"

/* Gives the results records of one call of the function; those that are NULL are not differentiable. saved and
 * attributes are as for tg_attach_record; a saved result counts as its output. False with an error set. */
bool tg_attach_outputs(const t_Function *function, Tensor **results, const t_TensorList *outputs,
                       const t_TensorList *inputs, Tensor **saved, int saved_count, const t_ApplyOptions *o);
/* x, the i-th saved tensor of the call: an output gets its history in a backward that creates a graph. */
Tensor *tg_saved_output(t_Context *ctx, int i, Tensor *x);

#endif
