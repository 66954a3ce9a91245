/* nn/parametrize/parametrize.c: torch.nn.utils.parametrize: tensors of a module that other modules compute. */
#include "nn/parametrize/parametrize.h"

#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/tensor/iterator.h"
#include "nn/modules/layers.h"
#include "nn/parametrize/parametrize_internal.h"
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

/* Error: there is none. */
static List *required_list(const nn_Module *self, const char *name) {
    List *list = list_of(self, name);
    const char *module = list ? NULL : nn_str(self);
    if (module) tg_fail("Module %s does not have a parametrization on %s", module, name ? name : "NULL");
    return list;
}

const nn_Entry *tg_parametrized_names(const nn_Module *self) {
    const nn_ModuleDict *all = parametrizations_of(self);
    return all ? tg_child(all->base.first) : NULL;
}

Tensor *tg_parametrized_or_plain(const nn_Module *self, const char *name) {
    const nn_Entry *entry = tg_find_entry(self, name);
    const bool is_tensor = entry && (entry->kind <= nn_buffer_kind || list_of(self, name));
    return is_tensor ? (Tensor *)entry->value : NULL;
}

/* ---- the hook ---- */

/* The tensor that the list computes. */
static Tensor *compute(const List *list) {
    const nn_Entry *child = tg_child(list->base.first);
    Tensor *x = list->original;
    if (!x && child) {
        x = nn_call2(child->value, list->original0, list->original1);
        child = tg_child(child->next);
    }
    for (; x && child; child = tg_child(child->next)) x = nn_call(child->value, x);
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

/* What the function of the user's returns for x. */
static Tensor *call_inverse(nn_Module *p, Tensor *x) {
    const int64_t failures = tg_context()->failures;
    const int depth = x ? tg_scope_open_around_callback() : 0;
    if (!depth) return NULL;
    return tg_scope_return_tensor(depth, failures, p->right_inverse(p, x), "right_inverse of %s", p->type);
}

static t_TensorList *call_inverse2(nn_Module *p, Tensor *x) {
    const int64_t failures = tg_context()->failures;
    const int depth = x ? tg_scope_open_around_callback() : 0;
    if (!depth) return NULL;
    t_TensorList *both = p->right_inverse2(p, x);
    bool ok = !tg_failed_since(failures);
    if (ok && (!both || !tg_check_list(both, 1) || both->len != 2))
        ok = t_error() ? false : tg_fail("right_inverse2 of %s must return a list of two", p->type) != NULL;
    return tg_scope_return(depth, ok ? both : NULL);
}

/* What right_inverse returns for the value that the parametrization computed. */
static bool check_inverse(const char *name, const Tensor *before, Tensor *after, nn_Module *parametrization,
                          bool unsafe) {
    if (unsafe || !parametrization->right_inverse) return true;
    const bool grad_enabled = t_set_grad_enabled(false);
    const Tensor *inverse = call_inverse(parametrization, after);
    t_set_grad_enabled(grad_enabled);
    if (!inverse) return false;
    if (inverse->dtype != before->dtype)
        return tg_fail("The tensor returned by parametrization.right_inverse must have the same dtype as module.%s, "
                       "unless the `unsafe` flag is enabled.\nmodule.%s.dtype: torch.%s\nreturned dtype: torch.%s",
                       name, name, tg_dtype_name(before->dtype), tg_dtype_name(inverse->dtype));
    return tg_same_shape(before, inverse) ||
           tg_fail("The tensor returned by parametrization.right_inverse must have the same shape as module.%s, unless "
                   "the `unsafe` flag is enabled.\nmodule.%s.shape: %s\nreturned shape: %s",
                   name, name, t_size_repr((Tensor *)before), t_size_repr((Tensor *)inverse)) != NULL;
}

/* On top of others. */
static bool append(nn_Module *self, const char *name, List *list, nn_Module *parametrization, bool unsafe) {
    char index[24];
    int count = 0;
    for (const nn_Entry *child = tg_child(list->base.first); child; child = tg_child(child->next)) count++;
    snprintf(index, sizeof index, "%d", count);
    Tensor *before = compute(list), *after = before ? nn_call(parametrization, before) : NULL;
    if (!check_next(name, before, after, unsafe) || !check_inverse(name, before, after, parametrization, unsafe) ||
        !nn_register_module(&list->base, index, parametrization))
        return false;
    list->unsafe = list->unsafe || unsafe;
    return tg_set_attribute(self, name, "", nn_kept_kind, after);
}

/* The value that the first parametrization computes the tensor from: one tensor, or in *second another one. */
static Tensor *inverse_of(nn_Module *p, Tensor *x, Tensor **second) {
    const bool grad_enabled = t_set_grad_enabled(false);
    t_TensorList *both = p->right_inverse2 ? call_inverse2(p, t_detach(x)) : NULL;
    Tensor *one = both ? both->items[0] : NULL;
    if (one) *second = both->items[1];
    if (!p->right_inverse2) one = p->right_inverse ? call_inverse(p, t_detach(x)) : x;
    t_set_grad_enabled(grad_enabled);
    return one;
}

static bool register_original(List *list, const char *name, Tensor **field, Tensor *x, bool is_parameter) {
    *field = x;
    return x && (is_parameter ? nn_register_parameter : nn_register_buffer)(&list->base, name, x);
}

/* As parameters of their own, which an optimizer must be given. */
static Tensor *own(Tensor *x, const Tensor *like) {
    if (!like->is_parameter) return x;
    Tensor *p = nn_Parameter(x);
    return p && t_requires_grad_(p, like->requires_grad) ? p : NULL;
}

static List *new_list(Tensor *original, Tensor *first, Tensor *second, nn_Module *parametrization, bool unsafe) {
    List *list = (List *)nn_module_new(sizeof *list, "ParametrizationList", NULL);
    if (!list || !nn_register_module(&list->base, "0", parametrization)) return NULL;
    list->unsafe = unsafe;
    const bool is_parameter = original->is_parameter;
    const bool ok =
        second ? register_original(list, "original0", &list->original0, own(first, original), is_parameter) &&
                     register_original(list, "original1", &list->original1, own(second, original), is_parameter)
               : register_original(list, "original", &list->original, original, is_parameter);
    return ok ? list : NULL;
}

static bool install(nn_Module *self, const char *name, List *list, Tensor *value) {
    nn_ModuleDict *all = parametrizations_of(self);
    const bool first = all == NULL;
    if (first) all = nn_ModuleDict_new(NULL, 0);
    if (!all || !nn_set_key(all, name, list)) return false;
    if (!first || (tg_add_pre_hook(self, parametrize_hook) && nn_register_module(self, "parametrizations", all)))
        if (tg_set_attribute(self, name, "", nn_kept_kind, value)) return true;
    nn_pop_key(all, name);
    if (first) {
        nn_Entry *dict = tg_find_entry(self, "parametrizations");
        if (dict) tg_remove_entry(self, dict);
        tg_remove_pre_hook(self, parametrize_hook);
    }
    return false;
}

/* With a right_inverse the original gets its value, which an error takes back. */
static bool start(nn_Module *self, const char *name, nn_Module *parametrization, bool unsafe) {
    const nn_Entry *entry = tg_find_entry(self, name);
    if (!entry || !entry->value || entry->kind > nn_buffer_kind) {
        const char *module = nn_str(self);
        return module && tg_fail("Module '%s' does not have a parameter, a buffer, or a parametrized element with name "
                                 "'%s'",
                                 module, name);
    }
    Tensor *original = tg_replaceable(self, name), *second = NULL;
    Tensor *first = original ? inverse_of(parametrization, original, &second) : NULL;
    if (!first) return false;
    if (!second && first->dtype != original->dtype)
        return tg_fail(
            "When `right_inverse` outputs one tensor, it may not change the dtype.\noriginal.dtype: torch.%s\n"
            "right_inverse(original).dtype: torch.%s",
            tg_dtype_name(original->dtype), tg_dtype_name(first->dtype));
    Tensor *before = tg_alias(original);
    List *list = before ? new_list(original, first, second, parametrization, unsafe) : NULL;
    if (!list) return false;
    if (!second && first != original) tg_set_data(original, first);
    Tensor *value = compute(list);
    if (check_first(before, value, unsafe) && install(self, name, list, value)) return true;
    if (!second && first != original) tg_set_data(original, before);
    return false;
}

/* What a forward of the modules may change. */
typedef struct State {
    const nn_NamedList *modules;
    const t_TensorList *buffers;
    t_TensorList *values; /* of the buffers; an uninitialised one itself */
    Tensor *versions;     /* of the buffers */
    Tensor *training;     /* of the modules */
} State;

static bool keep_state(State *state, const nn_Module *module) {
    state->modules = nn_named_modules(module);
    state->buffers = state->modules ? nn_buffers(module) : NULL;
    state->values = state->buffers ? t_list_new(NULL, 0) : NULL;
    state->versions = state->values ? tg_empty(&state->buffers->len, 1, t_int64) : NULL;
    state->training = state->versions ? tg_empty(&state->modules->len, 1, t_int64) : NULL;
    if (!state->training) return false;
    for (int64_t i = 0; i < state->modules->len; i++)
        ((int64_t *)tg_data(state->training))[i] = state->modules->items[i].module->training;
    for (int64_t i = 0; i < state->buffers->len; i++) {
        Tensor *buffer = state->buffers->items[i];
        ((int64_t *)tg_data(state->versions))[i] = buffer->storage->version;
        if (!t_list_append(state->values, tg_is_uninitialized(buffer) ? buffer : t_clone(t_detach(buffer))))
            return false;
    }
    return true;
}

static void put_back(const State *state) {
    for (int64_t i = 0; i < state->modules->len; i++)
        state->modules->items[i].module->training = ((const int64_t *)tg_data(state->training))[i] != 0;
    for (int64_t i = 0; i < state->buffers->len; i++) {
        Tensor *buffer = state->buffers->items[i], *value = state->values->items[i];
        const int64_t version = ((const int64_t *)tg_data(state->versions))[i];
        if (value == buffer || buffer->storage->version == version) continue;
        if (buffer->dtype != value->dtype || !tg_same_shape(buffer, value)) continue;
        tg_overwrite(buffer, value); /* the new version drops what was derived from the values */
        buffer->storage->version = version;
    }
}

/* Errors: no tensor of that name; a parametrization that changes shape or dtype, unless unsafe. An error puts the
 * buffers and modes of the parametrization back. */
void *nn_utils_parametrize_register_parametrization(void *module, const char *tensor_name, void *parametrization,
                                                    bool unsafe) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1) || !tg_check_module(parametrization, 3)) return NULL;
    if (!tensor_name) return t_error() ? NULL : tg_fail("argument 2 is NULL where a name is expected");
    int depth = t_scope_open();
    if (!depth) return NULL;
    State before;
    bool ok = keep_state(&before, parametrization);
    if (ok) {
        nn_train(parametrization, self->training);
        List *list = list_of(self, tensor_name);
        ok = list ? append(self, tensor_name, list, parametrization, unsafe)
                  : start(self, tensor_name, parametrization, unsafe);
        if (!ok) put_back(&before);
    }
    t_scope_close(depth);
    return ok ? module : NULL;
}

/* ---- remove_parametrizations ---- */

static bool restore(nn_Module *self, const char *name, List *list, bool leave_parametrized) {
    Tensor *original = list->original, *before = NULL;
    if (!original && !leave_parametrized)
        return tg_fail(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms "
            "of a sequence of tensors.");
    if (leave_parametrized) {
        const bool requires_grad = (original ? original : list->original0)->requires_grad;
        const bool grad_enabled = t_set_grad_enabled(false);
        Tensor *value = compute(list), *copy = value ? t_clone(value) : NULL;
        t_set_grad_enabled(grad_enabled);
        if (!copy) return false;
        if (original) {
            if (!(before = tg_alias(original))) return false;
            tg_set_data(original, copy);
        } else if (!(original = requires_grad ? nn_Parameter(copy) : copy))
            return false;
    }
    const bool ok = original->is_parameter ? tg_restore_parameter(self, name, original)
                                           : tg_set_attribute(self, name, "", nn_buffer_kind, original);
    if (!ok && before) tg_set_data(original, before);
    return ok;
}

/* The tensor keeps its identity, so that an optimizer's reference stays valid, unless it was split in two; with
 * leave_parametrized it has the computed value, else its own. Error: it is not parametrized. */
void *nn_utils_parametrize_remove_parametrizations(void *module, const char *tensor_name, bool leave_parametrized) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1)) return NULL;
    List *list = required_list(self, tensor_name);
    const int depth = list ? t_scope_open() : 0;
    if (!depth) return NULL;
    State before;
    const bool kept = keep_state(&before, &list->base),
               ok = kept && restore(self, tensor_name, list, leave_parametrized);
    if (kept && !ok) put_back(&before);
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

/* ---- right_inverse ---- */

static bool copy_to(Tensor *original, Tensor *value) {
    if (original->dtype != value->dtype)
        return tg_fail("The tensor returned by `right_inverse` has dtype torch.%s while `original` has dtype torch.%s",
                       tg_dtype_name(value->dtype), tg_dtype_name(original->dtype));
    Tensor *own_value = t_clone(value);
    if (own_value) tg_set_data(original, own_value);
    return own_value != NULL;
}

/* What the right_inverse of each parametrization from `child` on gives for the tensor that they compute, the last one's
 * first. *second: see inverse_of; of the first parametrization only. */
static Tensor *inverse_through(const nn_Entry *child, Tensor *value, Tensor **second) {
    const nn_Entry *next = tg_child(child->next);
    nn_Module *p = (nn_Module *)child->value;
    if (next) value = inverse_through(next, value, second);
    if (!value) return NULL;
    if (*second) return tg_fail("right_inverse2 of %s: only the first parametrization may have it",
                                ((const nn_Module *)next->value)->type);
    if (!p->right_inverse && !p->right_inverse2)
        return tg_fail("parametrization %s does not implement right_inverse.", p->type);
    return inverse_of(p, value, second);
}

static bool assign(List *list, Tensor *value) {
    Tensor *second = NULL, *first = inverse_through(tg_child(list->base.first), value, &second);
    if (!first) return false;
    if (list->original && second) return tg_fail("`right_inverse` should return a tensor. Got list");
    if (list->original) return copy_to(list->original, first);
    if (!second) return tg_fail("'right_inverse' must return a sequence of tensors. Got Tensor.");
    return copy_to(list->original0, first) && copy_to(list->original1, second);
}

/* An error puts the originals, and the buffers of the parametrizations, back. */
static bool assign_and_compute(nn_Module *self, const char *name, List *list, Tensor *value) {
    Tensor *const originals[] = {list->original ? list->original : list->original0, list->original1};
    Tensor *first = tg_alias(originals[0]), *second = first && !list->original ? tg_alias(originals[1]) : NULL;
    State before;
    if (!first || (!second && !list->original) || !keep_state(&before, &list->base)) return false;
    const bool grad_enabled = t_set_grad_enabled(false);
    const bool assigned = assign(list, t_detach(value));
    t_set_grad_enabled(grad_enabled);
    Tensor *computed = assigned ? compute(list) : NULL;
    if (computed && tg_set_attribute(self, name, "", nn_kept_kind, computed)) return true;
    tg_set_data(originals[0], first);
    if (second) tg_set_data(originals[1], second);
    put_back(&before);
    return false;
}

/* module.tensor_name = value, of a parametrized tensor: the originals get the value that right_inverse gives. Errors,
 * which leave the originals as they were: it is not parametrized, a parametrization without a right_inverse. */
void *nn_utils_parametrize_right_inverse(void *module, const char *tensor_name, Tensor *value) {
    nn_Module *self = module;
    if (!tg_check_module(module, 1) || !tg_check_any(value, 3)) return NULL;
    List *list = required_list(self, tensor_name);
    const int depth = list ? t_scope_open() : 0;
    if (!depth) return NULL;
    const bool ok = assign_and_compute(self, tensor_name, list, value);
    t_scope_close(depth);
    return ok ? module : NULL;
}
