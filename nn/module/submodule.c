/* nn/module/submodule.c: modules, parameters and buffers by their dotted names, "layers.0.fc1.weight". */
#include <string.h>

#include "core/tensor/tensor.h"
#include "nn/module/module_internal.h"

/* The child of the name that the first `length` characters of `name` are. */
static nn_Module *child_named(nn_Module *self, const char *name, size_t length) {
    const nn_Entry *entry = self->first;
    while (entry && (strncmp(entry->name, name, length) != 0 || entry->name[length])) entry = entry->next;
    if (!entry) return tg_fail("%s has no attribute `%.*s`", self->type, (int)length, name);
    if (entry->kind != nn_child_kind || !entry->value) return tg_fail("`%.*s` is not an nn.Module", (int)length, name);
    return (nn_Module *)entry->value;
}

/* The module that `length` characters of a dotted name lead to from self. */
static nn_Module *descend(nn_Module *self, const char *target, size_t length) {
    const char *end = target + length;
    for (bool more = length > 0; more && self;) {
        const char *dot = memchr(target, '.', (size_t)(end - target)), *stop = dot ? dot : end;
        self = child_named(self, target, (size_t)(stop - target));
        target = stop + 1;
        more = dot != NULL;
    }
    return self;
}

static bool check_target(const void *self, const char *target) {
    return tg_check_module(self, 1) && tg_check_given(target != NULL, 2, "a name");
}

/* self.get_submodule(target): "" is self. Error: there is no module of that name; the message names the part of it
 * that is missing. */
void *nn_get_submodule(void *self, const char *target) {
    if (!check_target(self, target)) return NULL;
    nn_Module *module = descend(self, target, strlen(target));
    return module ? tg_add_to_scope(module) : NULL;
}

/* The entry of a tensor: the module up to the last dot, and the name after it. */
static Tensor *tensor_named(void *self, const char *target, nn_Kind kind, const char *what) {
    if (!check_target(self, target)) return NULL;
    const char *dot = strrchr(target, '.'), *name = dot ? dot + 1 : target;
    nn_Module *module = descend(self, target, dot ? (size_t)(dot - target) : 0);
    if (!module) return NULL;
    const nn_Entry *entry = tg_find_entry(module, name);
    if (!entry) return tg_fail("%s has no attribute `%s`", module->type, name);
    if (entry->kind != kind || !entry->value) return tg_fail("`%s` is not %s", name, what);
    return tg_add_to_scope(entry->value);
}

/* self.get_parameter(target): the parameter itself, not a copy. Errors: there is no such name; it is not a parameter,
 * or None. */
Tensor *nn_get_parameter(void *self, const char *target) {
    return tensor_named(self, target, nn_parameter_kind, "an nn.Parameter");
}

/* self.get_buffer(target): the buffer itself. Errors: there is no such name; it is not a buffer, or None. */
Tensor *nn_get_buffer(void *self, const char *target) {
    return tensor_named(self, target, nn_buffer_kind, "a buffer");
}

/* self.set_submodule(target, module, strict): replaces the module of that name, or with strict false also registers a
 * new one. Fields of the parent's struct that point at the replaced module point at the new one: they keep their type
 * in C, so a module of another class is for nn_call only there. Errors: target is "" or names no module; strict, and
 * there is no such name. */
bool nn_set_submodule(void *self, const char *target, void *module, bool strict) {
    if (!check_target(self, target) || !tg_check_module(module, 3)) return false;
    if (!*target) return tg_fail("Cannot set the submodule without a target name!");
    const char *dot = strrchr(target, '.'), *name = dot ? dot + 1 : target;
    nn_Module *parent = descend(self, target, dot ? (size_t)(dot - target) : 0);
    if (!parent) return false;
    const nn_Entry *entry = tg_find_entry(parent, name);
    if (!entry && strict) return tg_fail("%s has no attribute `%s`", parent->type, name);
    if (entry && entry->kind != nn_child_kind) return tg_fail("`%s` is not an nn.Module", name);
    void *old = entry ? entry->value : NULL;
    t_retain(old); /* its address must not be reused before the fields are updated */
    const bool ok = nn_register_module(parent, name, module);
    if (ok) tg_update_fields(parent, old, module);
    t_release(old);
    return ok;
}
