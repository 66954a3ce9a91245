/* nn/utils/attribute_internal.h: parameters that are replaced by tensors computed from others, for pruning and weight
 * normalisation (internal).
 *
 * The computed tensor has the parameter's name and its place in the struct, but is no parameter; a forward pre-hook
 * computes it before each call. The hook needs no context: it looks for the names that belong to its method. So
 * nn_deepcopy copies it. */
#ifndef TAPEGRAD_NN_UTILS_ATTRIBUTE_INTERNAL_H
#define TAPEGRAD_NN_UTILS_ATTRIBUTE_INTERNAL_H

#include "nn/module/module_hooks.h"
#include "nn/module/module_internal.h"

/* getattr(module, name + suffix): NULL where there is none, without an error. */
Tensor *tg_attribute(const nn_Module *self, const char *name, const char *suffix);
/* The same of a parameter or computed tensor that must exist, for a method that replaces it; refuses the parameters of
 * recurrent layers, which are read in their order. */
Tensor *tg_replaceable(const nn_Module *self, const char *name);
/* setattr(module, name + suffix, x): registers x under that name, as the last one where it is new, and sets the fields
 * of the struct that point at the old value. */
bool tg_set_attribute(nn_Module *self, const char *name, const char *suffix, nn_Kind kind, Tensor *x);
/* The computed tensor `name` becomes the parameter p, and the module's last one, as in PyTorch. */
bool tg_restore_parameter(nn_Module *self, const char *name, Tensor *p);
/* del module.name + suffix: the entry goes; fields of the struct stay. */
void tg_delete_attribute(nn_Module *self, const char *name, const char *suffix);

/* Whether self has the hook; and registers it where it is missing. */
bool tg_has_pre_hook(const nn_Module *self, nn_ForwardPreHook *hook);
bool tg_add_pre_hook(nn_Module *self, nn_ForwardPreHook *hook);
void tg_remove_pre_hook(nn_Module *self, nn_ForwardPreHook *hook);
/* Calls f(self, name) for each name that has entries name + suffix; false at its first false. */
bool tg_for_each_suffix(nn_Module *self, const char *suffix, bool (*f)(nn_Module *self, const char *name));

#endif
