/* nn/module/checkpoint_sequential.h: torch.utils.checkpoint.checkpoint_sequential (public). */
#ifndef TAPEGRAD_NN_MODULE_CHECKPOINT_SEQUENTIAL_H
#define TAPEGRAD_NN_MODULE_CHECKPOINT_SEQUENTIAL_H

#include "nn/module/module.h"

T_BEGIN_DECLS

/* torch.utils.checkpoint.checkpoint_sequential(functions, segments, input, use_reentrant=False, preserve_rng_state):
 * nn_call of an nn_Sequential, or of the modules of an nn_ModuleList one after another, in that many segments of the
 * same length, all but the last in a t_checkpoint. The graph holds the modules. Errors: functions is no module;
 * segments is not from 1 to the number of modules (PyTorch: an error of its arithmetic); those of the modules. */
T_API Tensor *t_checkpoint_sequential(void *functions, int64_t segments, Tensor *input, bool preserve_rng_state);

T_END_DECLS
#endif
