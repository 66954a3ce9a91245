/* nn/module/functional_call.c: torch.func.functional_call: tensors in place of a module's own while it runs. */
#include "nn/module/functional_call.h"

#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "nn/module/module_internal.h"

const t_FunctionalCallOptions t_FunctionalCallDefaults = {.size = sizeof t_FunctionalCallDefaults,
                                                          .tie_weights = true};

/* A registered tensor of a module of the tree, and what replaces it (NULL: nothing). */
typedef struct Replacement {
    nn_Module *module;
    nn_Entry *entry;
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
    }
    tg_free(p->items, (size_t)p->capacity * sizeof *p->items);
    t_release(p->root);
    tg_object_free(&p->object, sizeof *p);
}

static const t_Class reparametrization_class = {"Reparametrization", reparametrization_destroy};

/* ---- the tensors of the tree ---- */

static bool append(Reparametrization *p, nn_Module *module, nn_Entry *entry, Tensor *new) {
    if (p->count == p->capacity) {
        const int64_t capacity = p->capacity ? 2 * p->capacity : 16;
        Replacement *items = tg_alloc((size_t)capacity * sizeof *items);
        if (!items) return false;
        if (p->count) memcpy(items, p->items, (size_t)p->count * sizeof *items);
        tg_free(p->items, (size_t)p->capacity * sizeof *items);
        p->items = items;
        p->capacity = capacity;
    }
    p->items[p->count++] = (Replacement){t_retain(module), entry, t_retain(entry->value), t_retain(new)};
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
        if (!append(p, module, entry, item ? item->tensor : NULL)) return false;
    }
    return true;
}

/* ---- checks ---- */

typedef struct Keys {
    char text[400];
    int count;
} Keys;

static void add_key(Keys *keys, const char *key) {
    const size_t length = strlen(keys->text);
    snprintf(keys->text + length, sizeof keys->text - length, "%s'%s'", keys->count++ ? ", " : "", key);
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
            if (b->new)
                return tg_fail("functional_call got multiple values for keys ['%s', '%s'], which are tied. Consider "
                               "using tie_weights=False", a->entry->name, b->entry->name);
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

static bool check_strict(const Reparametrization *p, const t_TensorDict *dict) {
    Keys unexpected = {"", 0}, missing = {"", 0};
    for (int64_t i = 0; i < dict->len; i++)
        if (dict->items[i].tensor && !has_name(p->root, dict->items[i].name)) add_key(&unexpected, dict->items[i].name);
    for (int64_t i = 0; i < p->count; i++)
        if (!p->items[i].new) add_key(&missing, p->items[i].entry->name);
    if (unexpected.count + missing.count == 0) return true;
    return tg_fail("Error(s) in reparametrizing for %s:%s%s%s%s%s%s", p->root->type,
                   unexpected.count ? "\n\tUnexpected key(s): " : "", unexpected.text, unexpected.count ? "." : "",
                   missing.count ? "\n\tMissing key(s): " : "", missing.text, missing.count ? "." : "");
}

/* ---- the call ---- */

static bool reparametrize(nn_Module *root, const t_TensorDict *dict, const t_FunctionalCallOptions *o) {
    char name[TG_MAX_MODULE_NAME] = "";
    Reparametrization *p = tg_alloc(sizeof *p);
    if (!p) return false;
    p->root = t_retain(root);
    tg_object_init(&p->object, &reparametrization_class);
    if (!collect(p, root, name, 0, dict) || (o->tie_weights && !tie(p)) || (o->strict && !check_strict(p, dict)) ||
        !separate(p))
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
