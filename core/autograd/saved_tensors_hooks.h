/* core/autograd/saved_tensors_hooks.h: torch.autograd.graph.saved_tensors_hooks (public).
 *
 *     static Tensor *to_disk(Tensor *x, void *context) { ...; return (t_integer)(number of the file); }
 *     static Tensor *from_disk(Tensor *packed, void *context) { ... }
 *     with_saved_tensors_hooks(to_disk, from_disk, &files) { loss = loss_of(model, batch); }
 *     t_backward(loss);
 *
 * While the block is open each tensor that an op saves for its backward is given to pack, and what pack returns is
 * saved in its place; when a gradient rule needs the tensor, unpack gets that, and returns the tensor. Of nested blocks
 * the inner one's hooks are called. Both hooks run with grad mode off; the tensor that unpack returns gets the history
 * of the saved one, so that gradients can be differentiated again. A pack hook may return its argument.
 * The 2 of x * 2 is a number, which hooks do not see.
 *
 * Differences from PyTorch: what pack returns is a tensor (a file's number or an index into a table of your own is a
 * 0-dim one); a saved tensor that shares memory with what pack returned must not be written to before the backward, an
 * error as without hooks. context must live as long as the graph. Errors: pack returns NULL or writes to its argument;
 * in backward: unpack returns NULL, or a tensor of another shape or dtype. After an error of pack the op has not
 * run. */
#ifndef TAPEGRAD_CORE_AUTOGRAD_SAVED_TENSORS_HOOKS_H
#define TAPEGRAD_CORE_AUTOGRAD_SAVED_TENSORS_HOOKS_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

typedef Tensor *t_PackHook(Tensor *x, void *context);
typedef Tensor *t_UnpackHook(Tensor *packed, void *context);

/* saved_tensors_hooks(pack_hook, unpack_hook).__enter__() and .__exit__(): with_saved_tensors_hooks is both. Error of
 * exit: there was no enter. */
T_API bool t_autograd_graph_enter_saved_tensors_hooks(t_PackHook *pack_hook, t_UnpackHook *unpack_hook, void *context);
T_API bool t_autograd_graph_exit_saved_tensors_hooks(void);

T_END_DECLS
#endif
