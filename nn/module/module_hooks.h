/* nn/module/module_hooks.h: hooks of modules, torch.nn.Module.register_forward_hook and the like (public).
 *
 * A hook is called with the module, its tensors and the context of its registration. args are the tensors of the call,
 * nn_call's one or two, or those of a function such as nn_MultiheadAttention_call(self, query, key, value); what such a
 * function takes or returns by keyword (masks, states, attention weights) is not among them, so with_kwargs is not
 * supported. The output is one tensor, and grad_output a list of one. A returned value replaces args, output or
 * gradients; NULL leaves them as they are.
 *
 * Hooks are called in the order of their registration, those of all modules (nn_register_module_...) first; one
 * registered with .prepend = true comes before those that the module has. t_hook_remove(hook) removes a hook (PyTorch's
 * handle.remove()); it need not be kept. A hook that is registered while hooks of its kind run is not called this time.
 * nn_deepcopy copies hooks. A module with hooks is never part of a fused path of the module around it, which then runs
 * composed of its modules, with the same values up to rounding. */
#ifndef TAPEGRAD_NN_MODULE_MODULE_HOOKS_H
#define TAPEGRAD_NN_MODULE_MODULE_HOOKS_H

#include "core/autograd/autograd.h"
#include "nn/module/module.h"
#include "nn/module/state_dict.h"

T_BEGIN_DECLS

typedef t_TensorList *nn_ForwardPreHook(nn_Module *module, t_TensorList *args, void *context);
typedef Tensor *nn_ForwardHook(nn_Module *module, t_TensorList *args, Tensor *output, void *context);
typedef t_TensorList *nn_FullBackwardPreHook(nn_Module *module, t_TensorList *grad_output, void *context);
typedef t_TensorList *nn_FullBackwardHook(nn_Module *module, t_TensorList *grad_input, t_TensorList *grad_output,
                                          void *context);

typedef struct nn_HookOptions {
    uint32_t size;
    bool prepend;     /* before the hooks that the module has; not for hooks of all modules */
    bool always_call; /* of forward hooks: see nn_register_forward_hook */
} nn_HookOptions;

/* self.register_forward_pre_hook(hook, prepend): before the forward. Error in the call: another number of args is
 * returned. */
T_API t_Hook *nn_register_forward_pre_hook(void *self, nn_ForwardPreHook *hook, void *context,
                                           const nn_HookOptions *options);
/* self.register_forward_hook(hook, prepend, always_call): after the forward. With always_call it is also called if the
 * call fails, with the output NULL if there is none yet, and t_error() set; an error of the hook is then ignored. (Not
 * if the error handler ends the program or leaves the call by longjmp.) */
T_API t_Hook *nn_register_forward_hook(void *self, nn_ForwardHook *hook, void *context, const nn_HookOptions *options);
/* self.register_full_backward_pre_hook(hook, prepend): in backward, before the module's gradients are computed, with
 * the gradient of its output. */
T_API t_Hook *nn_register_full_backward_pre_hook(void *self, nn_FullBackwardPreHook *hook, void *context,
                                                 const nn_HookOptions *options);
/* self.register_full_backward_hook(hook, prepend): in backward, after the gradients of args were computed. grad_input
 * has an item for each of args, of zeros for one that gets no gradient. If none of args requires grad, its items are
 * NULL; the hook is then called when grad_output is known, with PyTorch's UserWarning, and may not return gradients.
 * The forward gets copies of args and its output is copied (PyTorch: views, which an in-place op may not write to). A
 * removed hook is not called (PyTorch calls it for forwards that ran before its removal). Errors in backward: another
 * number of gradients, another shape. */
T_API t_Hook *nn_register_full_backward_hook(void *self, nn_FullBackwardHook *hook, void *context,
                                             const nn_HookOptions *options);

/* torch.nn.modules.module.register_module_forward_pre_hook(hook) etc.: for every module that this thread calls.
 * prepend is an error. */
T_API t_Hook *nn_register_module_forward_pre_hook(nn_ForwardPreHook *hook, void *context,
                                                  const nn_HookOptions *options);
T_API t_Hook *nn_register_module_forward_hook(nn_ForwardHook *hook, void *context, const nn_HookOptions *options);
T_API t_Hook *nn_register_module_full_backward_pre_hook(nn_FullBackwardPreHook *hook, void *context,
                                                        const nn_HookOptions *options);
T_API t_Hook *nn_register_module_full_backward_hook(nn_FullBackwardHook *hook, void *context,
                                                    const nn_HookOptions *options);

/* Hooks around the state dict. prefix is the module's name in it with a dot, "layers.0.", "" for the module itself. A
 * hook that sets an error (t_fail) makes the call fail. nn_register_state_dict_post_hook(model, hook, &context) */
typedef void nn_StateDictPreHook(nn_Module *module, const char *prefix, void *context);
typedef void nn_StateDictHook(nn_Module *module, t_TensorDict *state_dict, const char *prefix, void *context);
typedef void nn_LoadStateDictPostHook(nn_Module *module, const nn_IncompatibleKeys *keys, void *context);
/* self.register_state_dict_pre_hook(hook): before nn_state_dict lists the module's tensors. */
T_API t_Hook *nn_register_state_dict_pre_hook(void *self, nn_StateDictPreHook *hook, void *context);
/* self.register_state_dict_post_hook(hook): after those of the module and its children, with the dict so far, which the
 * hook may change. */
T_API t_Hook *nn_register_state_dict_post_hook(void *self, nn_StateDictHook *hook, void *context);
/* self.register_load_state_dict_pre_hook(hook): before the module's tensors are loaded, with a copy of the dict that
 * nn_load_state_dict was given, which the hook may change: to rename keys of older files, say. All of them run before
 * anything is loaded, a parent's before its children's. (PyTorch also passes its lists of missing keys and errors.) */
T_API t_Hook *nn_register_load_state_dict_pre_hook(void *self, nn_StateDictHook *hook, void *context);
/* self.register_load_state_dict_post_hook(hook): after the module and its children were loaded, with the missing and
 * unexpected keys of the whole dict. (PyTorch's hook may remove keys, so that strict does not report them; here it runs
 * only if the load succeeds.) */
T_API t_Hook *nn_register_load_state_dict_post_hook(void *self, nn_LoadStateDictPostHook *hook, void *context);

/* torchinfo.summary(model, input_data=inputs), of the package torchinfo: calls the model (nn_call with one or two
 * inputs) in eval mode and without recording, and prints a row for each call of a module, indented below the module
 * that calls it: name, class, shapes of its inputs and output, number of parameters (all that are in it), time with
 * that of the modules in it; then the total numbers of parameters. The training modes are restored. to: NULL means
 * stdout. Errors: those of the call; nothing is printed then. nn_summary(model, x) */
T_API bool nn_summary(void *self, const t_TensorList *inputs, FILE *to);

T_END_DECLS
#endif
