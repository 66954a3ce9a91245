/* nn/containers.c: Sequential and ModuleList, whose children are named "0", "1", .... */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nn/layers.h"
#include "nn/module_internal.h"

/* ---- containers ---- */

static Tensor *sequential_forward(void *module, Tensor *x) {
    nn_Sequential *self = module;
    for (nn_Entry *entry = tg_child(self->base.first); entry && x; entry = tg_child(entry->next)) x = nn_call(entry->value, x);
    return x;
}

/* list.append(module): under the next number as its name. Works on a Sequential too. */
bool nn_append(void *list, void *module) {
    char name[32];
    if (!tg_check_module(list, 1) || !tg_check_module(module, 2)) return false;
    snprintf(name, sizeof name, "%" PRId64, nn_len(list));
    return nn_register_module(list, name, module);
}

static void *container(size_t bytes, const char *type, nn_Forward forward, void *const *modules, int64_t count) {
    if (!tg_check_array(modules, count, 1, "modules")) return NULL;
    Making making = tg_begin();
    nn_Module *self = nn_module_new(bytes, type, forward);
    bool complete = true; /* a module that failed before it came here is a NULL among them */
    for (int64_t i = 0; self && complete && i < count; i++) complete = nn_append(self, modules[i]);
    return tg_end(making, complete ? self : NULL);
}

/* nn.Sequential(*modules): its forward is each one's in turn. */
nn_Sequential *nn_Sequential_new(void *const *modules, int64_t count) {
    return container(sizeof(nn_Sequential), "nn_Sequential", sequential_forward, modules, count);
}

/* nn.ModuleList(modules): holds them, and has no forward. */
nn_ModuleList *nn_ModuleList_new(void *const *modules, int64_t count) {
    return container(sizeof(nn_ModuleList), "nn_ModuleList", NULL, modules, count);
}

bool tg_check_layers(int64_t num_layers) {
    if (num_layers < 0) return tg_fail("num_layers must not be negative, got %" PRId64, num_layers);
    return num_layers <= TG_MOST_LAYERS ||
           tg_fail("num_layers=%" PRId64 " is more than any model has (at most %d)", num_layers, TG_MOST_LAYERS);
}

/* len(list); -1 on error. */
int64_t nn_len(const void *list) {
    if (!tg_check_module(list, 1)) return -1;
    int64_t count = 0;
    for (const nn_Entry *entry = tg_child(((const nn_Module *)list)->first); entry; entry = tg_child(entry->next)) count++;
    return count;
}

/* list[index], negative from the end. Error: out of range. */
void *nn_get(const void *list, int64_t index) {
    int64_t count = nn_len(list), at = index < 0 && index >= -count ? index + count : index;
    if (count < 0) return NULL;
    if (at < 0 || at >= count) return tg_fail("index %" PRId64 " is out of range", index);
    nn_Entry *entry = tg_child(((const nn_Module *)list)->first);
    while (at-- > 0) entry = tg_child(entry->next);
    return entry->value;
}

void *nn_get_of(const void *list, int64_t index, const char *type, size_t bytes) {
    nn_Module *module = nn_get(list, index);
    if (!module || tg_is_class(module, type, bytes)) return module;
    return tg_fail("module %lld of the list is a %s, not a %s", (long long)index, module->type, type);
}

void *nn_as_of(void *module, const char *type, size_t bytes) {
    return tg_check_module(module, 1) && tg_is_class(module, type, bytes) ? module : NULL;
}
