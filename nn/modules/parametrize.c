/* nn/modules/parametrize.c: torch.nn.utils.parametrize: tensors of a module that other modules compute. */
#include "nn/modules/parametrize.h"

#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "nn/modules/layers.h"
#include "nn/utils/attribute_internal.h"

typedef nn_utils_parametrize_ParametrizationList List;

/* module.parametrizations, a ModuleDict; NULL without it. */
static nn_ModuleDict *parametrizations_of(const nn_Module *self) {
    const nn_Entry *entry = tg_find_entry(self, "parametrizations");
    const bool is_dict = entry && entry->kind == nn_child_kind && entry->value &&
                         tg_is_class(entry->value, "nn_ModuleDict", sizeof(nn_ModuleDict));
    return is_dict ? (nn_ModuleDict *)entry->value : NULL;
}

static List *list_of(const nn_Module *self, const char *name) {
    const nn_ModuleDict *all = parametrizations_of(self);
    const nn_Entry *entry = all && name ? tg_find_entry(&all->base, name) : NULL;
    return entry && entry->kind == nn_child_kind ? (List *)entry->value : NULL;
}

/* ---- the hook ---- */

/* The tensor that the list computes. */
static Tensor *compute(const List *list) {
    Tensor *x = list->original;
    for (const nn_Entry *child = tg_child(list->base.first); x && child; child = tg_child(child->next))
        x = nn_call(child->value, x);
    return x;
}

static t_TensorList *parametrize_hook(nn_Module *self, t_TensorList *args, void *context) {
    const nn_ModuleDict *all = parametrizations_of(self);
    (void)args;
    (void)context;
    for (const nn_Entry *entry = all ? tg_child(all->base.first) : NULL; entry; entry = tg_child(entry->next)) {
        Tensor *x = compute((const List *)entry->value);
        if (!x || !tg_set_attribute(self, entry->name, "", nn_kept_kind, x)) return NULL;
    }
    return NULL;
}

/* ---- register_parametrization ---- */

static bool check_first(const Tensor *before, const Tensor *after, bool unsafe) {
    if (unsafe || !after) return after != NULL;
    if (after->dtype != before->dtype)
        return tg_fail("Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is "
                       "enabled.\nunparametrized dtype: torch.%s\nparametrized dtype: torch.%s",
                       tg_dtype_name(before->dtype), tg_dtype_name(after->dtype));
    return tg_same_shape(before, after) ||
           tg_fail("Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is "
                   "enabled.\nunparametrized shape: %s\nparametrized shape: %s",
                   t_size_repr((Tensor *)before), t_size_repr((Tensor *)after));
}

static bool check_next(const char *name, const Tensor *before, const Tensor *after, bool unsafe) {
    if (unsafe || !after) return after != NULL;
    if (after->dtype != before->dtype)
        return tg_fail("Registering a parametrization may not change the dtype of the tensor, unless the `unsafe` flag "
                       "is enabled.\nmodule.%s.dtype: torch.%s\nparametrization(module.%s).dtype: torch.%s",
                       name, tg_dtype_name(before->dtype), name, tg_dtype_name(after->dtype));
    return tg_same_shape(before, after) ||
           tg_fail("Registering a parametrization may not change the shape of the tensor, unless the `unsafe` flag is "
                   "enabled.\nmodule.%s.shape: %s\nparametrization(module.%s).shape: %s",
                   name, t_size_repr((Tensor *)before), name, t_size_repr((Tensor *)after));
}

/* On top of others. */
static bool append(nn_Module *self, const char *name, List *list, nn_Module *parametrization, bool unsafe) {
    char index[24];
    int count = 0;
    for (const nn_Entry *child = tg_child(list->base.first); child; child = tg_child(child->next)) count++;
    snprintf(index, sizeof index, "%d", count);
    Tensor *before = compute(list), *after = before ? nn_call(parametrization, before) : NULL;
    if (!check_next(name, before, after, unsafe) || !nn_register_module(&list->base, index, parametrization))
        return false;
    list->unsafe = list->unsafe || unsafe;
    return tg_set_attribute(self, name, "", nn_kept_kind, after);
}

static List *new_list(Tensor *original, nn_Module *parametrization, bool unsafe) {
    List *list = (List *)nn_module_new(sizeof *list, "ParametrizationList", NULL);
    if (!list || !nn_register_module(&list->base, "0", parametrization)) return NULL;
    list->original = original;
    list->unsafe = unsafe;
    return (original->is_parameter ? nn_register_parameter : nn_register_buffer)(&list->base, "original", original)
               ? list
               : NULL;
}

static bool start(nn_Module *self, const char *name, nn_Module *parametrization, bool unsafe) {
    const nn_Entry *entry = tg_find_entry(self, name);
    if (!entry || !entry->value || entry->kind > nn_buffer_kind)
        return tg_fail("Module '%s' does not have a parameter, a buffer, or a parametrized element with name '%s'",
                       nn_str(self), name);
    Tensor *original = tg_replaceable(self, name), *after = original ? nn_call(parametrization, original) : NULL;
    nn_ModuleDict *all = parametrizations_of(self);
    const bool first = all == NULL;
    if (!check_first(original, after, unsafe)) return false;
    List *list = new_list(original, parametrization, unsafe);
    if (first && list) all = nn_ModuleDict_new(NULL, 0);
    if (!list || !all || !nn_set_key(all, name, list)) return false;
    if (!first || (tg_add_pre_hook(self, parametrize_hook) && nn_register_module(self, "parametrizations", all)))
        if (tg_set_attribute(self, name, "", nn_kept_kind, after)) return true;
    nn_pop_key(all, name);
    if (first) {
        nn_Entry *dict = tg_find_entry(self, "parametrizations");
        if (dict) tg_remove_entry(self, dict);
        tg_remove_pre_hook(self, parametrize_hook);
    }
    return false;
}

/* Errors: no tensor of that name; a parametrization that changes shape or dtype, unless unsafe. */
void *nn_utils_parametrize_register_parametrization(void *module, const char *tensor_name, void *parametrization,
                                                    bool unsafe) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1) || !tg_check_module(parametrization, 3)) return NULL;
    if (!tensor_name) return t_error() ? NULL : tg_fail("argument 2 is NULL where a name is expected");
    int depth = t_scope_open();
    if (!depth) return NULL;
    nn_train(parametrization, self->training);
    List *list = list_of(self, tensor_name);
    const bool ok = list ? append(self, tensor_name, list, parametrization, unsafe)
                         : start(self, tensor_name, parametrization, unsafe);
    t_scope_close(depth);
    return ok ? module : NULL;
}

/* ---- remove_parametrizations ---- */

static bool restore(nn_Module *self, const char *name, List *list, bool leave_parametrized) {
    Tensor *original = list->original;
    if (leave_parametrized) {
        const bool grad_enabled = t_set_grad_enabled(false);
        Tensor *value = compute(list), *own = value ? t_clone(value) : NULL;
        t_set_grad_enabled(grad_enabled);
        if (!own) return false;
        tg_set_data(original, own);
    }
    if (!original->is_parameter) return tg_set_attribute(self, name, "", nn_buffer_kind, original);
    return tg_restore_parameter(self, name, original);
}

/* The tensor keeps its identity, so that an optimizer's reference stays valid; with leave_parametrized it has the
 * computed value, else its own. Error: it is not parametrized. */
void *nn_utils_parametrize_remove_parametrizations(void *module, const char *tensor_name, bool leave_parametrized) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1)) return NULL;
    List *list = list_of(self, tensor_name);
    if (!list)
        return tg_fail("Module %s does not have a parametrization on %s", nn_str(self),
                       tensor_name ? tensor_name : "NULL");
    int depth = t_scope_open();
    if (!depth) return NULL;
    const bool ok = restore(self, tensor_name, list, leave_parametrized);
    if (ok) {
        nn_ModuleDict *all = parametrizations_of(self);
        tg_remove_entry(&all->base, tg_find_entry(&all->base, tensor_name));
        if (!tg_child(all->base.first)) {
            tg_remove_entry(self, tg_find_entry(self, "parametrizations"));
            tg_remove_pre_hook(self, parametrize_hook);
        }
    }
    t_scope_close(depth);
    return ok ? module : NULL;
}

bool nn_utils_parametrize_is_parametrized(const void *module, const char *tensor_name) {
    if (!tg_check_module(module, 1)) return false;
    const nn_ModuleDict *all = parametrizations_of(module);
    return tensor_name ? list_of(module, tensor_name) != NULL : all && tg_child(all->base.first);
}
