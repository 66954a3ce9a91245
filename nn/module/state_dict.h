/* nn/module/state_dict.h: module.state_dict() and module.load_state_dict() (public).
 *
 *     t_save(nn_state_dict(model), "model.safetensors");
 *     ...
 *     nn_load_state_dict(model, t_load("model.safetensors"));
 *
 * A state dict has PyTorch's names in PyTorch's order: a module's own parameters, then its persistent buffers, then
 * those of its children, "encoder.layers.0.linear1.weight". */
#ifndef TAPEGRAD_NN_MODULE_STATE_DICT_H
#define TAPEGRAD_NN_MODULE_STATE_DICT_H

#include "core/ops/dict.h"
#include "nn/module/module.h"

T_BEGIN_DECLS

/* The keys that the dict lacks (with the model's tensors), and those that the model lacks (with the dict's). */
typedef struct nn_IncompatibleKeys {
    nn_NamedList *missing_keys, *unexpected_keys;
} nn_IncompatibleKeys;

typedef struct nn_LoadStateDictOptions {
    uint32_t size;
    bool strict, assign;
    nn_IncompatibleKeys *keys; /* what PyTorch's load_state_dict returns; NULL: not wanted */
} nn_LoadStateDictOptions;
extern T_API const nn_LoadStateDictOptions nn_LoadStateDictDefaults;

/* self.state_dict(prefix=""): the tensors share memory with the parameters and buffers, detached: an in-place write to
 * either changes both. A tensor that is in the tree twice is listed under each of its names. */
T_API t_TensorDict *nn_state_dict(const void *self, const char *prefix);

/* self.load_state_dict(state_dict, strict=True, assign=False): copies the tensors into the parameters and buffers of
 * the same names, converted to their dtypes, outside the graph; references to the parameters (an optimizer's) remain
 * valid. strict = false: missing and unexpected keys are no error. assign = true: parameters and buffers take over the
 * dict's data and dtype instead of copying, and lose their gradients; they stay the same Tensors (PyTorch makes new
 * ones, which no optimizer knows). A text item whose name is not a parameter's is ignored: it is a file's metadata.
 * Errors: PyTorch's report of all mismatches, "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict:
 * ...". Then nothing is loaded, whereas PyTorch loads what matches. */
T_API bool nn_load_state_dict(void *self, const t_TensorDict *state_dict, const nn_LoadStateDictOptions *options);

T_END_DECLS
#endif
