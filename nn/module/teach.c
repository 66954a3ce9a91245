/* nn/module/teach.c: teaching mode (core/autograd/teach.h) in nn_call. */
#include "nn/module/module_internal.h"

static const nn_Module *module_of(const nn_Entry *entry) {
    return (const nn_Module *)(const void *)entry->value;
}

static bool contains(const nn_Module *self, const nn_Module *module) {
    if (self == module) return true;
    for (const nn_Entry *entry = tg_child(self->first); entry; entry = tg_child(entry->next))
        if (entry->value && contains(module_of(entry), module)) return true;
    return false;
}

static bool has_parameters(const nn_Module *self) {
    for (const nn_Entry *entry = self->first; entry; entry = entry->next) {
        if (entry->kind == nn_parameter_kind && entry->value) return true;
        if (entry->kind == nn_child_kind && entry->value && has_parameters(module_of(entry))) return true;
    }
    return false;
}

/* A module without parameters may be made where it is used: nn_call(nn_ReLU(), x). */
void tg_teach_unregistered(const nn_Module *module) {
    static WarnedSites sites;
    bool warned = false;
    const tg_ModuleFrame *caller = tg_thread.module_frame;
    if (!caller || !has_parameters(module)) return;
    for (const tg_ModuleFrame *frame = caller; frame; frame = frame->outer)
        if (contains(frame->module, module)) return;
    if (!tg_first_at_site(&sites)) return;
    tg_warn(&warned, "teaching mode: the forward of %s calls a %s that is none of its modules. nn_parameters, the "
                     "state dict, nn_train and nn_eval do not see it. Assign it in the constructor with nn_set: "
                     "nn_set(self, name, nn_%s(...)).", ((const nn_Module *)caller->module)->type,
            module->type, module->type);
}
