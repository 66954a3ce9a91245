/* nn/module/named_parameters.c: lists of parameters, buffers and modules with their dotted names, in PyTorch's order: a
 * module's own entries in order of registration, then its children's. A tensor or module that is in the tree twice is
 * listed once. */
#include <stdio.h>
#include <string.h>

#include "core/tensor/str.h"
#include "nn/module/module_internal.h"

/* ---- the list ---- */

static void list_destroy(void *object) {
    nn_NamedList *list = object;
    tg_object_dispose(&list->object);
    for (int64_t i = 0; i < list->len; i++) {
        tg_free(list->items[i].name, strlen(list->items[i].name) + 1);
        t_release(list->items[i].tensor);
        t_release(list->items[i].module);
    }
    tg_free(list->items, (size_t)list->capacity * sizeof *list->items);
    tg_object_free(&list->object, sizeof *list);
}

static const t_Class list_class = {"NamedList", list_destroy};

nn_NamedList *tg_named_list(void) {
    enum { CAPACITY = 16 };
    nn_NamedList *list = tg_alloc(sizeof *list);
    nn_Named *items = list ? tg_alloc(CAPACITY * sizeof *items) : NULL;
    if (!items) {
        tg_free(list, sizeof *list);
        return NULL;
    }
    list->items = items;
    list->capacity = CAPACITY;
    tg_object_init(&list->object, &list_class);
    return list;
}

static bool grow(nn_NamedList *list) {
    size_t bytes = (size_t)list->capacity * sizeof *list->items;
    nn_Named *larger = tg_alloc_raw(2 * bytes);
    if (!larger) return false;
    memcpy(larger, list->items, bytes);
    tg_free(list->items, bytes);
    list->items = larger;
    list->capacity *= 2;
    return true;
}

static bool is_listed(const nn_NamedList *list, const void *value) {
    for (int64_t i = 0; i < list->len; i++)
        if (list->items[i].tensor == value || (void *)list->items[i].module == value) return true;
    return false;
}

/* Takes a reference on the item's tensor or module. */
static bool append_item(nn_NamedList *list, const char *name, nn_Named item) {
    if (list->len == list->capacity && !grow(list)) return false;
    item.name = tg_alloc(strlen(name) + 1);
    if (!item.name) return false;
    strcpy(item.name, name);
    t_retain(item.tensor);
    t_retain(item.module);
    list->items[list->len++] = item;
    return true;
}

bool tg_named_append(nn_NamedList *list, const char *name, Tensor *x) {
    return append_item(list, name, (nn_Named){.tensor = x});
}

static bool append(nn_NamedList *list, const char *name, nn_Kind kind, t_Object *value) {
    if (!value || is_listed(list, value)) return true;
    return append_item(list, name, kind == nn_child_kind ? (nn_Named){.module = (nn_Module *)value}
                                                         : (nn_Named){.tensor = (Tensor *)value});
}

/* ---- iteration with dotted names ---- */

bool tg_extend_name(char name[TG_MAX_MODULE_NAME], size_t at, const char *part, const char *next_part) {
    int written = snprintf(name + at, TG_MAX_MODULE_NAME - at, "%s%s", part, next_part);
    return written < (int)(TG_MAX_MODULE_NAME - at) ||
           tg_fail("the name of a module is longer than %d", TG_MAX_MODULE_NAME) != NULL;
}

typedef struct NameLister {
    nn_NamedList *list;
    nn_Kind kind;
    bool deep; /* recurse into children, whose names are prefixed with their parent's */
    char name[TG_MAX_MODULE_NAME];
} NameLister;

static bool append_entries(NameLister *to, const nn_Module *self, size_t at) {
    const char *dot = at ? "." : "";
    for (const nn_Entry *entry = self->first; entry; entry = entry->next)
        if (entry->kind == to->kind && (to->kind != nn_child_kind || !to->deep))
            if (!tg_extend_name(to->name, at, dot, entry->name) ||
                !append(to->list, to->name, entry->kind, entry->value)) return false;
    for (const nn_Entry *entry = self->first; to->deep && entry; entry = entry->next) {
        if (entry->kind != nn_child_kind || !entry->value) continue;
        if (!tg_extend_name(to->name, at, dot, entry->name)) return false;
        if (to->kind == nn_child_kind && !append(to->list, to->name, entry->kind, entry->value)) return false;
        if (!append_entries(to, (const nn_Module *)entry->value, strlen(to->name))) return false;
    }
    return true;
}

static nn_NamedList *named(const void *self, nn_Kind kind, bool deep) {
    if (!tg_check_module(self, 1)) return NULL;
    NameLister listing = {.list = tg_named_list(), .kind = kind, .deep = deep};
    if (!listing.list) return NULL;
    if (kind == nn_child_kind && deep && !append(listing.list, "", kind, (t_Object *)self)) return NULL;
    return append_entries(&listing, self, 0) ? listing.list : NULL;
}

/* self.named_parameters(), named_buffers(): the whole tree's, under dotted names ("layers.0.fc1.weight"). NULL on
 * error. */
nn_NamedList *nn_named_parameters(const void *self) {
    return named(self, nn_parameter_kind, true);
}

nn_NamedList *nn_named_buffers(const void *self) {
    return named(self, nn_buffer_kind, true);
}

/* self.named_children(): the direct children. self.named_modules(): self as "" and all its descendants. */
nn_NamedList *nn_named_children(const void *self) {
    return named(self, nn_child_kind, false);
}

nn_NamedList *nn_named_modules(const void *self) {
    return named(self, nn_child_kind, true);
}

/* ---- lists without names ---- */

static t_TensorList *tensors_of(nn_NamedList *names) {
    t_TensorList *list = names ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; list && i < names->len; i++)
        if (!t_list_append(list, names->items[i].tensor)) return NULL;
    t_release(tg_take_from_scope(names));
    return list;
}

/* list(self.parameters()), list(self.buffers()), as optimizers take them. A shared tensor is listed once. */
t_TensorList *nn_parameters(const void *self) {
    return tensors_of(nn_named_parameters(self));
}

t_TensorList *nn_buffers(const void *self) {
    return tensors_of(nn_named_buffers(self));
}

/* sum(p.numel() for p in self.parameters()), of those that require grad where trainable_only; -1 on error. */
int64_t nn_count_parameters(const void *self, bool trainable_only) {
    nn_NamedList *names = nn_named_parameters(self);
    int64_t count = names ? 0 : -1;
    for (int64_t i = 0; names && i < names->len; i++)
        if (!trainable_only || names->items[i].tensor->requires_grad) count += tg_numel(names->items[i].tensor);
    t_release(tg_take_from_scope(names));
    return count;
}

bool nn_graph_dot(Tensor *y, const void *self, FILE *to) {
    int depth = t_scope_open();
    nn_NamedList *named = depth ? nn_named_parameters(self) : NULL;
    t_TensorList *params = named ? nn_parameters(self) : NULL;
    size_t bytes = params ? (size_t)(params->len + 1) * sizeof(char *) : 0;
    const char **names = params ? tg_alloc(bytes) : NULL;
    for (int64_t i = 0; names && i < params->len; i++) names[i] = named->items[i].name;
    t_GraphOptions options = {sizeof options, params, names};
    bool ok = names && t_graph_dot(y, to, &options);
    tg_free(names, bytes);
    t_scope_close(depth);
    return ok;
}

bool nn_watch(const void *self, const char *name) {
    if (!tg_check_given(name != NULL, 2, "a name")) return false;
    int depth = t_scope_open();
    nn_NamedList *list = depth ? nn_named_parameters(self) : NULL;
    const size_t bytes = list ? (size_t)list->len * sizeof(void *) : 0;
    Tensor **tensors = list ? tg_scope_alloc(bytes) : NULL;
    const char **names = tensors ? tg_scope_alloc(bytes) : NULL;
    bool ok = names != NULL;
    for (int64_t i = 0; ok && i < list->len; i++) {
        tensors[i] = list->items[i].tensor;
        ok = (names[i] = t_format("%s.%s", name, list->items[i].name)) != NULL;
    }
    ok = ok && t_watch(tensors, names, (int)list->len);
    t_scope_close(depth);
    return ok;
}
