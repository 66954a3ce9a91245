/* nn/module/state_dict.c: module.state_dict() and module.load_state_dict(). Loading first looks at everything, and gathers what does not
 * fit in PyTorch's words; only when all of it fits is the first element written. */
#include "nn/module/state_dict.h"

#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "core/ops/pointwise_internal.h"
#include "nn/module/module_internal.h"

/* ---- walking ---- */

typedef struct Walk {
    bool (*take)(struct Walk *walk, const char *own, Tensor *x);                   /* one of the state: its whole name stands in name */
    bool (*leave)(struct Walk *walk, const nn_Module *module, size_t prefix_length); /* a module whose own state is through; or NULL */
    char name[TG_LONGEST_MODULE_NAME];
    /* state_dict's */
    t_TensorDict *made;
    /* load_state_dict's */
    const t_TensorDict *dict;
    nn_IncompatibleKeys keys;
    t_TensorList *to, *from;
    const t_DictItem **left; /* what no tensor of the state has taken, in the dict's order; NULL for the others while they are taken */
    int64_t left_count;
    bool assign;
    tg_Output errors; /* what stands behind "Error(s) in loading state_dict for Net:" */
} Walk;

static bool is_state(const nn_Entry *entry, nn_Kind kind) {
    return entry->kind == kind && entry->value && !entry->transient;
}

/* PyTorch's order. The first `at` characters of the name are the module's prefix. */
static bool walk_module(Walk *walk, const nn_Module *self, size_t at) {
    for (nn_Kind kind = nn_parameter_kind; kind <= nn_buffer_kind; kind++)
        for (const nn_Entry *entry = self->first; entry; entry = entry->next)
            if (is_state(entry, kind))
                if (!tg_extend_name(walk->name, at, entry->name, "") ||
                    !walk->take(walk, entry->name, (Tensor *)entry->value)) return false;
    if (walk->leave && !walk->leave(walk, self, at)) return false;
    for (const nn_Entry *entry = self->first; entry; entry = entry->next)
        if (entry->kind == nn_child_kind && entry->value)
            if (!tg_extend_name(walk->name, at, entry->name, ".") ||
                !walk_module(walk, (const nn_Module *)entry->value, strlen(walk->name))) return false;
    return true;
}

/* ---- state_dict ---- */

static bool list_state(Walk *walk, const char *own, Tensor *x) {
    (void)own;
    return t_dict_set(walk->made, walk->name, t_detach(x));
}

t_TensorDict *nn_state_dict(const void *self, const char *prefix) {
    if (!tg_check_module(self, 1)) return NULL;
    int depth = t_scope_open();
    Walk walk = {.take = list_state, .made = depth ? t_dict_new() : NULL};
    bool ok = walk.made && tg_extend_name(walk.name, 0, prefix ? prefix : "", "") && walk_module(&walk, self, strlen(walk.name));
    t_TensorDict *dict = ok ? walk.made : NULL;
    return tg_close_keeping(depth, dict);
}

/* ---- load_state_dict: what fits ---- */

/* The dict's tensor as it will be copied; NULL on an error, or where it does not fit, which `errors` then says. */
static Tensor *fitting(Walk *walk, Tensor *x, Tensor *saved) {
    if (x->ndim == 0 && saved->ndim == 1 && saved->shape[0] == 1) saved = t_reshape(saved, NULL, 0);
    if (!saved) return NULL;
    if (saved->ndim != x->ndim || !tg_same_shape(saved, x)) {
        tg_output_print(&walk->errors, "\n\tsize mismatch for %s: copying a param with shape torch.Size(%s) from "
                        "checkpoint, the shape in current model is torch.Size(%s).",
                        walk->name, tg_shape_of(saved), tg_shape_of(x));
        return NULL;
    }
    if (walk->assign && x->requires_grad && !tg_is_floating(saved->dtype)) {
        tg_output_print(&walk->errors, "\n\tWhile copying the parameter named \"%s\", whose dimensions in the model "
                        "are torch.Size(%s) and whose dimensions in the checkpoint are torch.Size(%s), an exception "
                        "occurred : ('Only Tensors of floating point and complex dtype can require gradients',).",
                        walk->name, tg_shape_of(x), tg_shape_of(x));
        return NULL;
    }
    return !walk->assign && tg_shares_memory(x, saved) ? t_clone(saved) : saved;
}

/* PyTorch's BatchNorm does not miss the count of batches either: files from before there was one lack it. */
static bool may_be_missing(const char *own, const Tensor *x) {
    return strcmp(own, "num_batches_tracked") == 0 && x->ndim == 0;
}

static bool match_state(Walk *walk, const char *own, Tensor *x) {
    const t_DictItem *item = tg_dict_find(walk->dict, walk->name);
    if (!item) return may_be_missing(own, x) || tg_named_append(walk->keys.missing_keys, walk->name, x);
    walk->left[item - walk->dict->items] = NULL;
    if (!item->tensor) {
        tg_output_print(&walk->errors, "\n\tWhile copying the parameter named \"%s\", expected torch.Tensor or "
                        "Tensor-like object from checkpoint but received <class 'str'>", walk->name);
        return true;
    }
    if (!tg_check(item->tensor, 2) || (!walk->assign && !tg_check_inplace(x))) return false;
    int64_t failures = tg_context()->failures;
    Tensor *from = fitting(walk, x, item->tensor);
    if (!from) return !tg_failed_since(failures);
    return t_list_append(walk->to, x) && t_list_append(walk->from, from);
}

/* Is there a child of that name (registered as None, too), or a tensor of the state? */
static bool is_known(const nn_Module *module, const char *rest) {
    const size_t length = strcspn(rest, ".");
    for (const nn_Entry *entry = module->first; entry; entry = entry->next)
        if (strncmp(entry->name, rest, length) == 0 && !entry->name[length] &&
            (rest[length] ? entry->kind == nn_child_kind : is_state(entry, entry->kind) && entry->kind <= nn_buffer_kind)) return true;
    return false;
}

static bool note_unexpected(Walk *walk, const nn_Module *module, size_t prefix_length) {
    for (int64_t i = 0; i < walk->left_count; i++) {
        const t_DictItem *item = walk->left[i];
        if (strncmp(item->name, walk->name, prefix_length) != 0) continue;
        if (is_known(module, item->name + prefix_length)) continue;
        if (!tg_named_append(walk->keys.unexpected_keys, item->name, item->tensor)) return false;
    }
    return true;
}

static bool pass_over(Walk *walk, const char *own, Tensor *x) {
    return walk && own && x;
}

/* Two walks, the second for what the first has left of the dict: nothing as a rule, and a dict may have a hundred thousand names. */
static bool match_all(Walk *walk, const nn_Module *self) {
    const size_t bytes = ((size_t)walk->dict->len + 1) * sizeof *walk->left;
    walk->left = tg_alloc_raw(bytes);
    for (int64_t i = 0; walk->left && i < walk->dict->len; i++) walk->left[i] = walk->dict->items[i].tensor ? &walk->dict->items[i] : NULL;
    bool ok = walk->left && walk_module(walk, self, 0);
    for (int64_t i = 0; ok && i < walk->dict->len; i++)
        if (walk->left[i]) walk->left[walk->left_count++] = walk->left[i];
    walk->take = pass_over;
    walk->leave = note_unexpected;
    ok = ok && (walk->left_count == 0 || walk_module(walk, self, 0));
    tg_free(walk->left, bytes);
    return ok;
}

/* ---- load_state_dict: the report ---- */

static void write_keys(tg_Output *to, const char *what, const nn_NamedList *keys) {
    if (!keys->len) return;
    tg_output_print(to, "\n\t%s key(s) in state_dict: ", what);
    for (int64_t i = 0; i < keys->len; i++) tg_output_print(to, "%s\"%s\"", i ? ", " : "", keys->items[i].name);
    tg_output_text(to, ". ");
}

/* PyTorch's report, if there is anything to report: false then. */
static bool report(const nn_Module *self, const Walk *walk, bool strict, const char *errors) {
    tg_Output to;
    tg_output_memory(&to);
    if (strict) write_keys(&to, "Missing", walk->keys.missing_keys);
    if (strict) write_keys(&to, "Unexpected", walk->keys.unexpected_keys);
    tg_output_text(&to, errors);
    char *text = tg_output_take_text(&to, true);
    bool ok = text != NULL;
    if (ok && *text) ok = tg_fail("Error(s) in loading state_dict for %s:%s", self->type, text);
    free(text);
    return ok;
}

/* All that can fail. */
static bool prepare(Walk *walk, const nn_Module *self, bool strict) {
    tg_output_memory(&walk->errors);
    bool ok = match_all(walk, self);
    char *errors = tg_output_take_text(&walk->errors, ok);
    ok = errors && report(self, walk, strict, errors);
    free(errors);
    return ok;
}

const nn_LoadStateDictOptions nn_LoadStateDictDefaults = {.size = sizeof nn_LoadStateDictDefaults, .strict = true};

static void load(Walk *walk) {
    for (int64_t i = 0; i < walk->to->len; i++) {
        Tensor *x = walk->to->items[i], *y = walk->from->items[i];
        if (walk->assign) {
            if (x->storage != y->storage && y->storage->version <= x->storage->version) /* a graph that saved x shall notice */
                y->storage->version = x->storage->version + 1;
            tg_take_data(x, y);
            t_set_grad(x, NULL);
        } else {
            tg_copy_into(x, y);
            tg_bump(x);
        }
    }
}

bool nn_load_state_dict(void *self, const t_TensorDict *state_dict, const nn_LoadStateDictOptions *options) {
    nn_LoadStateDictOptions o = nn_LoadStateDictDefaults;
    if (!tg_check_module(self, 1) || !tg_check_dict(state_dict, 2) || !tg_take_options(&o, options, sizeof o)) return false;
    if (o.keys) *o.keys = (nn_IncompatibleKeys){NULL, NULL};
    int depth = t_scope_open();
    if (!depth) return false;
    bool grad_enabled = t_set_grad_enabled(false);
    Walk walk = {.take = match_state, .dict = state_dict, .assign = o.assign,
                 .keys = {tg_named_list(), tg_named_list()}, .to = t_list_new(NULL, 0), .from = t_list_new(NULL, 0)};
    bool ok = walk.keys.missing_keys && walk.keys.unexpected_keys && walk.to && walk.from && prepare(&walk, self, o.strict);
    if (ok) load(&walk);
    if (ok && o.keys) *o.keys = (nn_IncompatibleKeys){t_keep_object(walk.keys.missing_keys), t_keep_object(walk.keys.unexpected_keys)};
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return ok;
}
