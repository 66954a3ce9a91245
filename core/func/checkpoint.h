/* core/func/checkpoint.h: torch.utils.checkpoint.checkpoint (public).
 *
 *     static Tensor *block_call(Tensor *x, void *block) { return nn_call(block, x); }
 *     Tensor *y = t_checkpoint(block_call, x, .context = block);
 *
 * torch.utils.checkpoint.checkpoint(function, *args, use_reentrant=False, preserve_rng_state, determinism_check): the
 * function's value and history, but what its ops would save for the backward is not kept: the first gradient rule that
 * needs any of it calls the function again, with grad mode on, and the results are kept until the rules have run. The
 * graph is that of the function itself, so that hooks, t_grad, .create_graph and parameters that the function uses work
 * as without a checkpoint. The price is a second forward, and while the backward is in the function the memory of its
 * saved tensors. It is built upon saved_tensors_hooks, as in PyTorch, and use_reentrant=True does not exist.
 *
 * With preserve_rng_state the default generator gets its state of the first call for the second, so that dropout draws
 * the same numbers, and then its own back. The function, the context and what they use must live as long as the graph,
 * and may not have changed at the backward; a write to an arg in between is an error (in PyTorch it goes unnoticed).
 * (PyTorch stops the second call when all is recomputed; here the function runs to its end. Of nested checkpoints the
 * inner one keeps its args.)
 *
 * function has one of the forms of functional.h. Errors: in backward those of the function, and PyTorch's
 * CheckpointError if it saves fewer tensors or, unless determinism_check is "none", others than the first time. */
#ifndef TAPEGRAD_CORE_FUNC_CHECKPOINT_H
#define TAPEGRAD_CORE_FUNC_CHECKPOINT_H

#include "core/func/functional.h"

T_BEGIN_DECLS

typedef struct t_CheckpointOptions {
    uint32_t size;
    bool preserve_rng_state;       /* true */
    const char *determinism_check; /* "default" or "none" */
    size_t context_bytes;          /* not 0: context is a struct of that size, of which a copy is kept */
    void *owned;                   /* an object, a module for example, that the graph shall hold; or NULL */
} t_CheckpointOptions;
extern T_API const t_CheckpointOptions t_CheckpointDefaults;

T_API t_TensorList *t_checkpoint(t_TensorFunction *function, t_TensorList *args, void *context,
                                 const t_CheckpointOptions *options);

T_END_DECLS
#endif
