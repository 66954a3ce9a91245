/* nn/module/state_dict.h: module.state_dict() and module.load_state_dict() (public).
 *
 *     t_save(nn_state_dict(model), "model.safetensors");
 *     ...
 *     nn_load_state_dict(model, t_load("model.safetensors"));
 *
 * A state dict has PyTorch's names in PyTorch's order: a module's own parameters, then its persistent buffers, then those of
 * its children, "encoder.layers.0.linear1.weight". */
#ifndef TAPEGRAD_NN_MODULE_STATE_DICT_H
#define TAPEGRAD_NN_MODULE_STATE_DICT_H

#include "core/ops/dict.h"
#include "nn/module/module.h"

T_BEGIN_DECLS

/* The names that a dict lacks (with the model's tensor), and those that it has too many (with the dict's). */
typedef struct nn_IncompatibleKeys {
    nn_NamedList *missing_keys, *unexpected_keys;
} nn_IncompatibleKeys;

typedef struct nn_LoadStateDictOptions {
    uint32_t size;
    bool strict, assign;
    nn_IncompatibleKeys *keys; /* what PyTorch's load_state_dict returns; NULL where nobody asks */
} nn_LoadStateDictOptions;
extern T_API const nn_LoadStateDictOptions nn_LoadStateDictDefaults;

/* self.state_dict(prefix=""): the tensors share their elements with the parameters and buffers, without their history: an in-place
 * write to either shows in both. A tensor that stands in the tree twice is there under each of its names. */
T_API t_TensorDict *nn_state_dict(const void *self, const char *prefix);

/* self.load_state_dict(state_dict, strict=True, assign=False): copies its tensors into the parameters and buffers of the same
 * names, in these one's dtypes, outside the graph; whoever holds the parameters (an optimizer) goes on with them.
 * strict = false: names that are missing or too many are no error. assign = true: parameters and buffers take the dict's data over
 * instead of copying it, its dtype too, without their gradients; they stay the same Tensors (PyTorch makes new ones, which no
 * optimizer knows). A text of another name than a parameter's is passed over: it is a file's metadata.
 * Errors: PyTorch's report of all that does not fit, "Error(s) in loading state_dict for Net:\n\tMissing key(s) in state_dict: ...".
 * Then nothing is loaded, where PyTorch has loaded what fits. */
T_API bool nn_load_state_dict(void *self, const t_TensorDict *state_dict, const nn_LoadStateDictOptions *options);

T_END_DECLS
#endif
