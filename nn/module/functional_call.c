/* nn/module/functional_call.c: torch.func.functional_call: tensors in place of a module's own while it runs. */
#include "nn/module/functional_call.h"

#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "core/ops/ops.h"
#include "nn/module/module_internal.h"

const t_FunctionalCallOptions t_FunctionalCallDefaults = {.size = sizeof t_FunctionalCallDefaults,
                                                          .tie_weights = true};

/* A registered tensor of a module of the tree, and what replaces it (NULL: nothing). */
typedef struct Replacement {
    nn_Module *module;
    nn_Entry *entry;
    char *key; /* its name in the state dict */
    Tensor *old, *new;
} Replacement;

/* Replacements that are in force. It belongs to the scope of the call, whose end puts the old tensors back, be it by an
 * error or by t_unwind. */
typedef struct Reparametrization {
    t_Object object;
    nn_Module *root;
    int64_t count, capacity;
    Replacement *items;
    bool active;
} Reparametrization;

/* ---- replacing ---- */

/* Whether the module still has the entry, which its forward might have removed. */
static bool has_entry(const nn_Module *module, const nn_Entry *entry) {
    const nn_Entry *at = module->first;
    while (at && at != entry) at = at->next;
    return at != NULL;
}

static void replace(const Replacement *r, Tensor *from, Tensor *to) {
    tg_update_fields(r->module, from, to);
    if (!has_entry(r->module, r->entry) || (Tensor *)r->entry->value != from) return;
    t_retain(to);
    t_release(r->entry->value);
    r->entry->value = (t_Object *)to;
}

static void reparametrization_destroy(void *object) {
    Reparametrization *p = object;
    tg_object_dispose(&p->object);
    for (int64_t i = 0; i < p->count; i++) {
        const Replacement *r = &p->items[i];
        if (p->active && r->new) replace(r, r->new, r->old);
        t_release(r->old);
        t_release(r->new);
        t_release(r->module);
        tg_free(r->key, strlen(r->key) + 1);
    }
    tg_free(p->items, (size_t)p->capacity * sizeof *p->items);
    t_release(p->root);
    tg_object_free(&p->object, sizeof *p);
}

static const t_Class reparametrization_class = {"Reparametrization", reparametrization_destroy};

/* ---- the tensors of the tree ---- */

static bool append(Reparametrization *p, nn_Module *module, nn_Entry *entry, const char *key, Tensor *new) {
    if (p->count == p->capacity) {
        const int64_t capacity = p->capacity ? 2 * p->capacity : 16;
        Replacement *items = tg_alloc((size_t)capacity * sizeof *items);
        if (!items) return false;
        if (p->count) memcpy(items, p->items, (size_t)p->count * sizeof *items);
        tg_free(p->items, (size_t)p->capacity * sizeof *items);
        p->items = items;
        p->capacity = capacity;
    }
    char *copy = tg_alloc(strlen(key) + 1);
    if (!copy) return false;
    strcpy(copy, key);
    p->items[p->count++] = (Replacement){t_retain(module), entry, copy, t_retain(entry->value), t_retain(new)};
    return true;
}

/* All parameters and buffers below the module, whose name is the first `length` characters, with the dict's tensors. */
static bool collect(Reparametrization *p, nn_Module *module, char name[TG_MAX_MODULE_NAME], size_t length,
                    const t_TensorDict *dict) {
    for (nn_Entry *entry = module->first; entry; entry = entry->next) {
        if (!entry->value || entry->kind == nn_kept_kind) continue;
        const bool is_child = entry->kind == nn_child_kind;
        if (!tg_extend_name(name, length, entry->name, is_child ? "." : "")) return false;
        if (is_child) {
            if (!collect(p, (nn_Module *)entry->value, name, strlen(name), dict)) return false;
            continue;
        }
        const t_DictItem *item = tg_dict_find(dict, name);
        if (!append(p, module, entry, name, item ? item->tensor : NULL)) return false;
    }
    return true;
}

/* ---- checks ---- */

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "'0.bias', '0.weight'": the keys in alphabetical order, as PyTorch's errors list them. For free(). */
static char *quoted(const char **keys, int64_t count) {
    tg_Output to;
    tg_output_memory(&to);
    qsort(keys, (size_t)count, sizeof *keys, by_text);
    for (int64_t i = 0; i < count; i++) tg_output_print(&to, "%s'%s'", i ? ", " : "", keys[i]);
    return tg_output_take_text(&to, true);
}

/* Whether the tree has a tensor of that name; the names are those of collect. */
static bool has_name(nn_Module *module, const char *name) {
    const char *dot = strchr(name, '.');
    const size_t length = dot ? (size_t)(dot - name) : strlen(name);
    for (const nn_Entry *entry = module->first; entry; entry = entry->next) {
        if (!entry->value || strlen(entry->name) != length || strncmp(entry->name, name, length) != 0) continue;
        if (dot && entry->kind == nn_child_kind) return has_name((nn_Module *)entry->value, dot + 1);
        if (!dot) return entry->kind == nn_parameter_kind || entry->kind == nn_buffer_kind;
    }
    return false;
}

/* Parameters that are one tensor get the same new one. */
static bool tie(Reparametrization *p) {
    for (int64_t i = 0; i < p->count; i++)
        for (int64_t k = 0; k < p->count; k++) {
            Replacement *a = &p->items[i], *b = &p->items[k];
            if (a->old != b->old || !a->new || a->new == b->new) continue;
            if (b->new) {
                const bool in_order = strcmp(a->key, b->key) < 0;
                return tg_fail("functional_call got multiple values for keys ['%s', '%s'], which are tied. Consider "
                               "using tie_weights=False", in_order ? a->key : b->key, in_order ? b->key : a->key);
            }
            b->new = t_retain(a->new);
        }
    return true;
}

/* A new tensor must not be an old one of the tree, nor replace two: fields are found by the tensor that they point at.
 * Where it is, a view of it is used. */
static bool separate(Reparametrization *p) {
    for (int64_t i = 0; i < p->count; i++) {
        Replacement *r = &p->items[i];
        bool clashes = false;
        for (int64_t k = 0; r->new && !clashes && k < p->count; k++)
            clashes = r->new == p->items[k].old || (k < i && r->new == p->items[k].new && r->old != p->items[k].old);
        Tensor *given = r->new, *view = clashes ? t_view_as(given, given) : NULL;
        if (clashes && !view) return false;
        for (int64_t k = p->count - 1; clashes && k >= i; k--) {
            if (p->items[k].old != r->old || (k != i && p->items[k].new != given)) continue;
            t_release(p->items[k].new);
            p->items[k].new = t_retain(view);
        }
    }
    return true;
}

static bool report(const char *type, const char **unexpected, int64_t unexpected_count, const char **missing,
                   int64_t missing_count) {
    char *first = quoted(unexpected, unexpected_count), *second = first ? quoted(missing, missing_count) : NULL;
    if (second)
        tg_fail("Error(s) in reparametrizing for %s:%s%s%s%s%s%s", type,
                unexpected_count ? "\n\tUnexpected key(s): " : "", first, unexpected_count ? "." : "",
                missing_count ? "\n\tMissing key(s): " : "", second, missing_count ? "." : "");
    free(first);
    free(second);
    return false;
}

static bool check_strict(const Reparametrization *p, const t_TensorDict *dict) {
    const size_t bytes = (size_t)(dict->len + p->count + 1) * sizeof(char *);
    const char **unexpected = tg_alloc(bytes);
    if (!unexpected) return false;
    const char **missing = unexpected + dict->len;
    int64_t unexpected_count = 0, missing_count = 0;
    for (int64_t i = 0; i < dict->len; i++)
        if (dict->items[i].tensor && !has_name(p->root, dict->items[i].name))
            unexpected[unexpected_count++] = dict->items[i].name;
    for (int64_t i = 0; i < p->count; i++)
        if (!p->items[i].new) missing[missing_count++] = p->items[i].key;
    const bool ok = unexpected_count + missing_count == 0 ||
                    report(p->root->type, unexpected, unexpected_count, missing, missing_count);
    tg_free(unexpected, bytes);
    return ok;
}

/* The modules that a key names must exist, while a tensor that does not is no error. */
static bool check_path(const nn_Module *module, const char *key) {
    for (const char *dot; (dot = strchr(key, '.')); key = dot + 1) {
        const size_t length = (size_t)(dot - key);
        const nn_Entry *entry = tg_child(module->first);
        while (entry && (strlen(entry->name) != length || strncmp(entry->name, key, length) != 0))
            entry = tg_child(entry->next);
        if (!entry) return tg_fail("%s has no attribute `%.*s`", module->type, (int)length, key);
        module = (const nn_Module *)entry->value;
    }
    return true;
}

static bool check_paths(const nn_Module *root, const t_TensorDict *dict) {
    for (int64_t i = 0; i < dict->len; i++)
        if (dict->items[i].tensor && !check_path(root, dict->items[i].name)) return false;
    return true;
}

/* ---- the call ---- */

static bool reparametrize(nn_Module *root, const t_TensorDict *dict, const t_FunctionalCallOptions *o) {
    char name[TG_MAX_MODULE_NAME] = "";
    Reparametrization *p = tg_alloc(sizeof *p);
    if (!p) return false;
    p->root = t_retain(root);
    tg_object_init(&p->object, &reparametrization_class);
    if (!collect(p, root, name, 0, dict) || (o->tie_weights && !tie(p)) || (o->strict && !check_strict(p, dict)) ||
        !check_paths(root, dict) || !separate(p))
        return false;
    p->active = true;
    for (int64_t i = 0; i < p->count; i++)
        if (p->items[i].new) replace(&p->items[i], p->items[i].old, p->items[i].new);
    return true;
}

Tensor *t_func_functional_call(void *module, const t_TensorDict *parameters_and_buffers, Tensor *const *args,
                               int count, const t_FunctionalCallOptions *options) {
    t_FunctionalCallOptions o = t_FunctionalCallDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_module(module, 1) ||
        !tg_check_dict(parameters_and_buffers, 2) || !tg_check_array(args, count, 3, "args"))
        return NULL;
    if (count != 1 && count != 2) return tg_fail("functional_call takes one or two tensors, not %d", count);
    const int depth = tg_scope_open_around_callback();
    Tensor *y = NULL;
    if (depth && reparametrize(module, parameters_and_buffers, &o))
        y = count == 1 ? nn_call(module, args[0]) : nn_call2(module, args[0], args[1]);
    return tg_scope_return(depth, y);
}

/* ---- stack_module_state ---- */

static bool check_models(void *const *models, int64_t count) {
    if (count <= 0 || !models)
        return t_error() ? false : tg_fail("stack_module_state: Expected at least one model, got 0.") != NULL;
    const nn_Module *first = models[0];
    for (int64_t i = 0; i < count; i++) {
        const nn_Module *model = models[i];
        if (!tg_check_module(model, 1)) return false;
        if (model->training != first->training)
            return tg_fail("stack_module_state: Expected all models to have the same training/eval mode.");
        if (model->bytes != first->bytes || strcmp(model->type, first->type) != 0)
            return tg_fail("stack_module_state: Expected all models to be of the same class.");
    }
    return true;
}

/* The tensor number k of each model. */
static Tensor *stacked(nn_NamedList *const *lists, int64_t count, int64_t k) {
    const char *name = lists[0]->items[k].name;
    const bool requires_grad = lists[0]->items[k].tensor->requires_grad;
    t_TensorList *all = t_list_new(NULL, 0);
    for (int64_t i = 0; all && i < count; i++) {
        if (k >= lists[i]->len || strcmp(lists[i]->items[k].name, name) != 0)
            return tg_fail("stack_module_state: Expected %s in each model", name);
        Tensor *x = lists[i]->items[k].tensor;
        if (x->requires_grad != requires_grad)
            return tg_fail("Expected %s from each model to have the same .requires_grad", name);
        if (!t_list_append(all, t_detach(x))) return NULL;
    }
    Tensor *y = all ? t_stack(all, 0) : NULL;
    return y && requires_grad ? t_requires_grad_(y, true) : y;
}

static t_TensorDict *stack_all(void *const *models, int64_t count, nn_NamedList *named(const void *self)) {
    const size_t bytes = (size_t)count * sizeof(nn_NamedList *);
    nn_NamedList **lists = tg_alloc(bytes);
    t_TensorDict *dict = lists ? t_dict_new() : NULL;
    bool ok = dict != NULL;
    for (int64_t i = 0; ok && i < count; i++) ok = (lists[i] = named(models[i])) != NULL;
    for (int64_t k = 0; ok && k < lists[0]->len; k++)
        ok = t_dict_set(dict, lists[0]->items[k].name, stacked(lists, count, k));
    tg_free(lists, bytes);
    return ok ? dict : NULL;
}

t_TensorDict *t_func_stack_module_state(void *const *models, int64_t count, t_TensorDict **buffers) {
    if (!check_models(models, count)) return NULL;
    const int depth = t_scope_open();
    t_TensorDict *params = depth ? stack_all(models, count, nn_named_parameters) : NULL;
    t_TensorDict *others = params ? stack_all(models, count, nn_named_buffers) : NULL;
    if (others && buffers) *buffers = t_keep_object(others);
    return depth ? tg_scope_return(depth, others ? params : NULL) : NULL;
}
