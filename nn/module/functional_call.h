/* nn/module/functional_call.h: torch.func.functional_call, a module with other parameters (public). */
#ifndef TAPEGRAD_NN_MODULE_FUNCTIONAL_CALL_H
#define TAPEGRAD_NN_MODULE_FUNCTIONAL_CALL_H

#include "core/ops/dict.h"
#include "nn/module/module.h"

T_BEGIN_DECLS

typedef struct t_FunctionalCallOptions {
    uint32_t size;
    bool tie_weights; /* true: parameters that are one tensor are replaced together */
    bool strict;      /* false: keys may be missing or unexpected */
} t_FunctionalCallOptions;
extern T_API const t_FunctionalCallOptions t_FunctionalCallDefaults;

/* torch.func.functional_call(module, parameters_and_buffers, args, tie_weights=True, strict=False): nn_call of the
 * module with one or two tensors, with the dict's tensors, by their names in the state dict, in place of its parameters
 * and buffers; for gradients with respect to tensors that are no parameters, as t_func_grad gives them, and for several
 * models in one. A name that the dict lacks keeps its tensor. While the module runs, its entries and the fields of its
 * structs point at the dict's tensors; afterwards, also after an error, at the old ones. A forward that writes to a
 * buffer in place writes to the dict's. With tie_weights false, fields of one struct that hold the same tensor still
 * change together.
 *
 * t_func_functional_call(model, dict, x), t_func_functional_call(model, dict, a, b, .strict = true). A module with a
 * forward of more tensors, or with masks, is called by a module around it. Errors: strict, and a missing or unexpected
 * key; a key of a module that does not exist; two tensors for parameters that are one; those of nn_call. */
T_API Tensor *t_func_functional_call(void *module, const t_TensorDict *parameters_and_buffers, Tensor *const *args,
                                     int count, const t_FunctionalCallOptions *options);

/* torch.func.stack_module_state(models): the parameters of models of one class, each stacked along a new first dim, as
 * leaves that require grad where the models' do, and in *buffers (NULL: not wanted) the buffers. With t_dict_values and
 * t_dict_zip they are the inputs of t_func_vmap, whose function calls t_func_functional_call with those of one model.
 * t_func_stack_module_state(models, 5, .buffers = &buffers) of an array of modules. Errors: no model, another class or
 * mode, shapes, requires_grad. */
T_API t_TensorDict *t_func_stack_module_state(void *const *models, int64_t count, t_TensorDict **buffers);

T_END_DECLS
#endif
