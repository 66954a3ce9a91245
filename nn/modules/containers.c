/* nn/modules/containers.c: Sequential, ModuleList and ParameterList, whose entries are named "0", "1", .... */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/tensor/tensor.h"
#include "nn/module/module_internal.h"
#include "nn/modules/containers_internal.h"
#include "nn/modules/layers.h"

/* ---- containers ---- */

static Tensor *sequential_forward(void *module, Tensor *x) {
    nn_Sequential *self = module;
    for (nn_Entry *entry = tg_child(self->base.first); entry && x; entry = tg_child(entry->next))
        x = nn_call(entry->value, x);
    return x;
}

static bool is_parameter_list(const void *list) {
    return tg_is_class(list, "nn_ParameterList", sizeof(nn_ParameterList));
}

/* Registers a module, or in a ParameterList a tensor, which becomes a parameter. */
static bool set_value(void *list, const char *name, void *value) {
    return is_parameter_list(list) ? tg_set_parameter(list, name, value) : nn_register_module(list, name, value);
}

/* list.append(module): the name is the next index. Works on a Sequential too. */
bool nn_append(void *list, void *module) {
    char name[32];
    if (!tg_check_module(list, 1)) return false;
    if (!(is_parameter_list(list) ? tg_check(module, 2) : tg_check_module(module, 2))) return false;
    snprintf(name, sizeof name, "%" PRId64, nn_len(list));
    return set_value(list, name, module);
}

static void *container(size_t bytes, const char *type, nn_Forward forward, void *const *modules, int64_t count) {
    if (!tg_check_array(modules, count, 1, "modules")) return NULL;
    Construction construction = tg_construct_begin();
    nn_Module *self = nn_module_new(bytes, type, forward);
    bool complete = true; /* false if one of the modules is NULL because its constructor failed */
    for (int64_t i = 0; self && complete && i < count; i++) complete = nn_append(self, modules[i]);
    return tg_construct_end(construction, complete ? self : NULL);
}

/* nn.Sequential(*modules): calls one after the other. */
nn_Sequential *nn_Sequential_new(void *const *modules, int64_t count) {
    return container(sizeof(nn_Sequential), "nn_Sequential", sequential_forward, modules, count);
}

/* nn.ModuleList(modules): a list; it has no forward. */
nn_ModuleList *nn_ModuleList_new(void *const *modules, int64_t count) {
    return container(sizeof(nn_ModuleList), "nn_ModuleList", NULL, modules, count);
}

static Tensor *refuse_call(void *self, Tensor *x) {
    (void)x;
    return tg_fail("%s should not be called.", ((const nn_Module *)self)->type);
}

/* nn.ParameterList(parameters): a list of parameters. */
nn_ParameterList *nn_ParameterList_new(Tensor *const *parameters, int64_t count) {
    return container(sizeof(nn_ParameterList), "nn_ParameterList", refuse_call, (void *const *)parameters, count);
}

bool tg_check_layers(int64_t num_layers) {
    if (num_layers < 0) return tg_fail("num_layers must not be negative, got %" PRId64, num_layers);
    return num_layers <= TG_MAX_LAYERS ||
           tg_fail("num_layers=%" PRId64 " is more than any model has (at most %d)", num_layers, TG_MAX_LAYERS);
}

nn_Kind tg_kind_of_items(const void *container) {
    const bool of_parameters =
        is_parameter_list(container) || tg_is_class(container, "nn_ParameterDict", sizeof(nn_ParameterDict));
    return of_parameters ? nn_parameter_kind : nn_child_kind;
}

nn_Entry *tg_item(const nn_Entry *entry, nn_Kind kind) {
    while (entry && entry->kind != kind) entry = entry->next;
    return (nn_Entry *)entry;
}

/* len(list); -1 on error. */
int64_t nn_len(const void *list) {
    if (!tg_check_module(list, 1)) return -1;
    const nn_Kind kind = tg_kind_of_items(list);
    int64_t count = 0;
    for (const nn_Entry *entry = ((const nn_Module *)list)->first; (entry = tg_item(entry, kind)); entry = entry->next)
        count++;
    return count;
}

/* The class name of a list of modules, for error messages; NULL with an error for another module. */
static const char *container_type(const void *list, const char *what) {
    if (!tg_check_module(list, 1)) return NULL;
    if (tg_is_class(list, "nn_Sequential", sizeof(nn_Sequential))) return "nn_Sequential";
    if (tg_is_class(list, "nn_ModuleList", sizeof(nn_ModuleList))) return "nn_ModuleList";
    return tg_fail("'%s' object does not support %s", ((const nn_Module *)list)->type, what);
}

/* The same, or a ParameterList. */
static const char *list_type(const void *list, const char *what) {
    if (!tg_check_module(list, 1)) return NULL;
    return is_parameter_list(list) ? "nn_ParameterList" : container_type(list, what);
}

static nn_Entry *entry_at(const void *list, int64_t index) {
    const int64_t count = nn_len(list), at = index < 0 && index >= -count ? index + count : index;
    if (at < 0 || at >= count) return tg_fail("index %" PRId64 " is out of range", index);
    const nn_Kind kind = tg_kind_of_items(list);
    nn_Entry *entry = tg_item(((const nn_Module *)list)->first, kind);
    for (int64_t i = 0; i < at; i++) entry = tg_item(entry->next, kind);
    return entry;
}

void *nn_get(const void *list, int64_t index) {
    const nn_Entry *entry = tg_check_module(list, 1) ? entry_at(list, index) : NULL;
    return entry ? entry->value : NULL;
}

bool nn_set_item(void *list, int64_t index, void *module) {
    if (!list_type(list, "item assignment")) return false;
    if (!(is_parameter_list(list) ? tg_check(module, 3) : tg_check_module(module, 3))) return false;
    const nn_Entry *entry = entry_at(list, index);
    return entry && set_value(list, entry->name, module);
}

/* Renumbers the children with `module` inserted at `at`, or without the child at `at` where module is NULL. */
static bool renumber(nn_Module *list, int64_t at, nn_Module *module) {
    const int64_t count = nn_len(list), end = module ? count + 1 : count - 1;
    void **children = tg_alloc((size_t)(end + 1) * sizeof *children);
    if (!children) return false;
    const nn_Entry *entry = tg_child(list->first);
    for (int64_t i = 0; i < end; i++) {
        if (!module && i == at) entry = tg_child(entry->next);
        const bool is_new = module && i == at;
        children[i] = is_new ? module : (void *)entry->value;
        if (!is_new) entry = tg_child(entry->next);
    }
    const bool ok = tg_renumber_children(list, children, end);
    tg_free(children, (size_t)(end + 1) * sizeof *children);
    return ok;
}

bool nn_insert(void *list, int64_t index, void *module) {
    if (!container_type(list, "item assignment") || !tg_check_module(module, 3)) return false;
    const int64_t count = nn_len(list);
    if (index < -count || index > count) return tg_fail("Index out of range: %" PRId64, index);
    return renumber(list, index < 0 ? index + count : index, module);
}

bool nn_extend(void *list, const void *other) {
    if (!list_type(list, "item assignment") || !tg_check_module(other, 2)) return false;
    const int64_t count = nn_len(other);
    int64_t appended = 0;
    while (appended < count && nn_append(list, nn_get(other, appended))) appended++;
    if (appended == count) return true;
    while (appended-- > 0) tg_remove_entry(list, entry_at(list, -1));
    return false;
}

void *nn_pop(void *list, int64_t index) {
    const nn_Entry *entry = container_type(list, "item deletion") ? entry_at(list, index) : NULL;
    if (!entry) return NULL;
    const int64_t count = nn_len(list);
    nn_Module *module = t_retain(entry->value);
    if (!renumber(list, index < 0 ? index + count : index, NULL)) {
        t_release(module);
        return NULL;
    }
    tg_add_to_scope(module);
    t_release(module);
    return module;
}

/* As Python's slice.indices: clips a start or end to a list of that length. */
static int64_t clip(int64_t at, int64_t count, bool backwards) {
    if (at < 0) at += count;
    if (at < 0) return backwards ? -1 : 0;
    return at < count ? at : backwards ? count - 1 : count;
}

void *nn_slice(const void *list, int64_t start, int64_t end, int64_t step) {
    const char *type = list_type(list, "slices");
    if (!type) return NULL;
    if (step == 0) return tg_fail("slice step cannot be zero");
    const bool keeps_names = strcmp(type, "nn_Sequential") == 0;
    const int64_t count = nn_len(list);
    start = start == T_NONE ? step > 0 ? 0 : count - 1 : clip(start, count, step < 0);
    end = end == T_NONE ? step > 0 ? count : -1 : clip(end, count, step < 0);
    Construction construction = tg_construct_begin();
    nn_Module *to = keeps_names ? (void *)nn_Sequential_new(NULL, 0)
                    : is_parameter_list(list) ? (void *)nn_ParameterList_new(NULL, 0)
                                              : (void *)nn_ModuleList_new(NULL, 0);
    bool ok = to != NULL;
    for (int64_t i = start; ok && (step > 0 ? i < end : i > end); i += step) {
        const nn_Entry *entry = entry_at(list, i);
        ok = keeps_names ? nn_register_module(to, entry->name, entry->value) : nn_append(to, entry->value);
        if (step > 0 ? step > count : step < -count) break;
    }
    return tg_construct_end(construction, ok ? to : NULL);
}

/* ---- ModuleDict, ParameterDict ---- */

bool tg_set_parameter(nn_Module *self, const char *name, Tensor *x) {
    int depth = t_scope_open();
    const bool ok = depth && nn_register_parameter(self, name, x->is_parameter ? x : nn_Parameter(x));
    t_scope_close(depth);
    return ok;
}

nn_ModuleDict *nn_ModuleDict_new(const nn_NamedModule *modules, int64_t count) {
    if (!tg_check_array(modules, count, 1, "modules")) return NULL;
    Construction construction = tg_construct_begin();
    nn_Module *self = nn_module_new(sizeof(nn_ModuleDict), "nn_ModuleDict", NULL);
    bool complete = self != NULL;
    for (int64_t i = 0; complete && i < count; i++) complete = nn_set_key(self, modules[i].name, modules[i].module);
    return tg_construct_end(construction, complete ? self : NULL);
}

nn_ParameterDict *nn_ParameterDict_new(const nn_NamedParameter *parameters, int64_t count) {
    if (!tg_check_array(parameters, count, 1, "parameters")) return NULL;
    Construction construction = tg_construct_begin();
    nn_Module *self = nn_module_new(sizeof(nn_ParameterDict), "nn_ParameterDict", refuse_call);
    bool complete = self != NULL;
    for (int64_t i = 0; complete && i < count; i++)
        complete = nn_set_key(self, parameters[i].name, parameters[i].parameter);
    return tg_construct_end(construction, complete ? self : NULL);
}

static bool check_dict(const void *dict, int position) {
    if (!tg_check_module(dict, position)) return false;
    if (tg_is_class(dict, "nn_ModuleDict", sizeof(nn_ModuleDict)) ||
        tg_is_class(dict, "nn_ParameterDict", sizeof(nn_ParameterDict))) return true;
    return tg_fail("'%s' object has no keys: it is no ModuleDict or ParameterDict", ((const nn_Module *)dict)->type);
}

static nn_Entry *entry_of(const void *dict, const char *key) {
    if (!check_dict(dict, 1) || !tg_check_given(key != NULL, 2, "a key")) return NULL;
    const nn_Module *self = dict;
    nn_Entry *entry = tg_find_entry(self, key);
    if (entry && entry->kind == tg_kind_of_items(dict)) return entry;
    const int64_t count = nn_len(dict);
    if (count == 0) return tg_fail("KeyError: '%s' in an empty %s", key, self->type);
    return tg_fail("KeyError: '%s' is not among the %" PRId64 " names, from '%s' to '%s'", key, count,
                   entry_at(dict, 0)->name, entry_at(dict, -1)->name);
}

void *nn_get_key(const void *dict, const char *key) {
    const nn_Entry *entry = entry_of(dict, key);
    return entry ? entry->value : NULL;
}

bool nn_set_key(void *dict, const char *key, void *module) {
    if (!check_dict(dict, 1)) return false;
    if (tg_kind_of_items(dict) == nn_parameter_kind) return tg_check(module, 3) && tg_set_parameter(dict, key, module);
    return tg_check_module(module, 3) && nn_register_module(dict, key, module);
}

void *nn_pop_key(void *dict, const char *key) {
    nn_Entry *entry = entry_of(dict, key);
    if (!entry) return NULL;
    void *value = tg_add_to_scope(t_retain(entry->value));
    t_release(value);
    tg_remove_entry(dict, entry);
    return value;
}

bool nn_contains(const void *dict, const char *key) {
    if (!check_dict(dict, 1) || !tg_check_given(key != NULL, 2, "a key")) return false;
    const nn_Entry *entry = tg_find_entry(dict, key);
    return entry && entry->kind == tg_kind_of_items(dict);
}

bool nn_update(void *dict, const void *other) {
    if (!check_dict(dict, 1) || !check_dict(other, 2)) return false;
    const nn_Kind kind = tg_kind_of_items(dict);
    if (tg_kind_of_items(other) != kind)
        return tg_fail("a %s cannot be updated from a %s", ((const nn_Module *)dict)->type,
                       ((const nn_Module *)other)->type);
    return tg_merge_entries(dict, other, kind);
}

bool nn_clear(void *dict) {
    if (!check_dict(dict, 1)) return false;
    nn_Module *self = dict;
    for (nn_Entry *entry; (entry = tg_item(self->first, tg_kind_of_items(dict)));) tg_remove_entry(self, entry);
    return true;
}

/* ---- with the class ---- */

void *nn_get_key_of(const void *dict, const char *key, const char *type, size_t bytes) {
    if (!tg_check_given(type != NULL, 3, "the name of a class")) return NULL;
    nn_Module *module = nn_get_key(dict, key);
    if (!module || (tg_kind_of_items(dict) == nn_child_kind && tg_is_class(module, type, bytes))) return module;
    if (tg_kind_of_items(dict) != nn_child_kind) return tg_fail("'%s' is a parameter, not a %s", key, type);
    return tg_fail("module '%s' of the dict is a %s, not a %s", key, module->type, type);
}

void *nn_get_of(const void *list, int64_t index, const char *type, size_t bytes) {
    if (!tg_check_given(type != NULL, 3, "the name of a class")) return NULL;
    nn_Module *module = nn_get(list, index);
    if (module && is_parameter_list(list))
        return tg_fail("item %lld of the list is a parameter, not a %s", (long long)index, type);
    if (!module || tg_is_class(module, type, bytes)) return module;
    return tg_fail("module %lld of the list is a %s, not a %s", (long long)index, module->type, type);
}

void *nn_as_of(void *module, const char *type, size_t bytes) {
    return tg_check_module(module, 1) && tg_check_given(type != NULL, 2, "the name of a class") &&
                   tg_is_class(module, type, bytes)
               ? module
               : NULL;
}
