/* nn/utils/attribute.c: a module's tensors by name, and pre-hooks that compute them. */
#include "nn/utils/attribute_internal.h"

#include <stdio.h>
#include <string.h>

#include "core/autograd/hooks.h"
#include "nn/module/module_internal.h"

enum { NAME = 256 };

static nn_Entry *find(const nn_Module *self, const char *name, const char *suffix) {
    char full[NAME];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    return tg_find_entry(self, full);
}

Tensor *tg_attribute(const nn_Module *self, const char *name, const char *suffix) {
    const nn_Entry *entry = find(self, name, suffix);
    return entry && entry->kind != nn_child_kind ? (Tensor *)entry->value : NULL;
}

Tensor *tg_replaceable(const nn_Module *self, const char *name) {
    if (!name) return t_error() ? NULL : tg_fail("the name of a parameter is NULL");
    if (strlen(name) > NAME - 16) return tg_fail("the name of a parameter has more than %d characters", NAME - 16);
    if (tg_find_entry(self, "weight_hh_l0") || tg_find_entry(self, "weight_hh_l0_orig"))
        return tg_fail("the parameters of %s cannot be replaced by computed tensors", self->type);
    Tensor *x = tg_attribute(self, name, "");
    return x ? x : tg_fail("'%s' object has no attribute '%s'", self->type, name);
}

bool tg_set_attribute(nn_Module *self, const char *name, const char *suffix, nn_Kind kind, Tensor *x) {
    char full[NAME];
    snprintf(full, sizeof full, "%s%s", name, suffix);
    Tensor *old = tg_attribute(self, full, "");
    if (old) t_retain(old); /* its address must not be reused before the fields are updated */
    const bool ok = kind == nn_parameter_kind ? nn_register_parameter(self, full, x)
                    : kind == nn_buffer_kind  ? nn_register_buffer(self, full, x)
                                              : nn_keep(self, full, x);
    if (ok) tg_update_fields(self, old, x);
    if (old) t_release(old);
    return ok;
}

bool tg_restore_parameter(nn_Module *self, const char *name, Tensor *p) {
    if (!tg_set_attribute(self, name, "", nn_parameter_kind, p)) return false;
    nn_Entry *entry = tg_find_entry(self, name), *before = NULL;
    if (entry == self->last) return true;
    for (before = self->first; before != entry && before->next != entry;) before = before->next;
    if (before == entry) self->first = entry->next;
    else before->next = entry->next;
    self->last->next = entry;
    self->last = entry;
    entry->next = NULL;
    return true;
}

void tg_delete_attribute(nn_Module *self, const char *name, const char *suffix) {
    nn_Entry *entry = find(self, name, suffix);
    if (entry) tg_remove_entry(self, entry);
}

static t_Hook *find_pre_hook(const nn_Module *self, nn_ForwardPreHook *hook) {
    t_Hook *at = self->hooks ? self->hooks->lists[tg_forward_pre_hooks] : NULL;
    while (at && at->of_module != (void (*)(void))hook) at = at->next;
    return at;
}

bool tg_has_pre_hook(const nn_Module *self, nn_ForwardPreHook *hook) {
    return find_pre_hook(self, hook) != NULL;
}

bool tg_add_pre_hook(nn_Module *self, nn_ForwardPreHook *hook) {
    return tg_has_pre_hook(self, hook) || nn_register_forward_pre_hook(self, hook, NULL, NULL) != NULL;
}

void tg_remove_pre_hook(nn_Module *self, nn_ForwardPreHook *hook) {
    t_Hook *found = find_pre_hook(self, hook);
    if (!found) return;
    t_hook_remove(found);
    tg_drop_empty_hooks(self);
}

bool tg_for_each_suffix(nn_Module *self, const char *suffix, bool (*f)(nn_Module *self, const char *name)) {
    bool ok = true;
    for (nn_Entry *entry = self->first, *next; ok && entry; entry = next) {
        const size_t length = strlen(entry->name), end = strlen(suffix);
        char name[NAME];
        next = entry->next;
        if (length <= end || length >= NAME || strcmp(entry->name + length - end, suffix) != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)(length - end), entry->name);
        ok = f(self, name);
    }
    return ok;
}
