/* nn/module/state_dict.c: module.state_dict() and module.load_state_dict(). Loading checks everything first, and
 * collects all mismatches in PyTorch's report; only if there are none is any element written. */
#include "nn/module/state_dict.h"

#include <stdlib.h>
#include <string.h>

#include "core/io/file.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/module/module_internal.h"

/* ---- iteration over parameters and buffers ---- */

typedef struct StateVisitor {
    /* called for each parameter and buffer; visitor->name is its full name */
    bool (*visit)(struct StateVisitor *visitor, const char *entry_name, Tensor *x);
    /* called for each module after its own parameters and buffers; or NULL */
    bool (*module_done)(struct StateVisitor *visitor, const nn_Module *module, size_t prefix_length);
    char name[TG_MAX_MODULE_NAME];
    /* state_dict's */
    t_TensorDict *result;
    /* load_state_dict's */
    const t_TensorDict *dict;
    nn_IncompatibleKeys keys;
    t_TensorList *to, *fresh, *from; /* fresh: data of its shape for an uninitialised tensor, else the tensor */
    /* items of the dict that no parameter or buffer has matched, in the dict's order; NULL for the others during
     * matching */
    const t_DictItem **unmatched;
    int64_t unmatched_count;
    bool assign;
    tg_Output errors; /* the lines after "Error(s) in loading state_dict for Net:" */
} StateVisitor;

static bool is_state(const nn_Entry *entry, nn_Kind kind) {
    return entry->kind == kind && entry->value && !entry->transient;
}

/* The module's hooks of a kind, with the first `at` characters of the name as the prefix. */
static bool run_hooks(StateVisitor *visitor, const nn_Module *self, size_t at, tg_HookKind kind, void *subject) {
    if (!self->hooks || !self->hooks->lists[kind]) return true;
    visitor->name[at] = '\0';
    return tg_run_state_hooks(self, kind, subject, visitor->name);
}

/* PyTorch's order. The first `at` characters of the name are the module's prefix. */
static bool visit_module(StateVisitor *visitor, const nn_Module *self, size_t at) {
    if (visitor->result && !run_hooks(visitor, self, at, tg_state_dict_pre_hooks, NULL)) return false;
    for (nn_Kind kind = nn_parameter_kind; kind <= nn_buffer_kind; kind++)
        for (const nn_Entry *entry = self->first; entry; entry = entry->next)
            if (is_state(entry, kind))
                if (!tg_extend_name(visitor->name, at, entry->name, "") ||
                    !visitor->visit(visitor, entry->name, (Tensor *)entry->value)) return false;
    if (visitor->module_done && !visitor->module_done(visitor, self, at)) return false;
    for (const nn_Entry *entry = self->first; entry; entry = entry->next)
        if (entry->kind == nn_child_kind && entry->value)
            if (!tg_extend_name(visitor->name, at, entry->name, ".") ||
                !visit_module(visitor, (const nn_Module *)entry->value, strlen(visitor->name))) return false;
    return !visitor->result || run_hooks(visitor, self, at, tg_state_dict_post_hooks, visitor->result);
}

/* The hooks of a kind of load_state_dict, of the whole tree: a parent's pre-hooks before its children's, its
 * post-hooks after them. */
static bool run_load_hooks(StateVisitor *visitor, const nn_Module *self, size_t at, tg_HookKind kind, void *subject) {
    if (kind == tg_load_pre_hooks && !run_hooks(visitor, self, at, kind, subject)) return false;
    for (const nn_Entry *entry = tg_child(self->first); entry; entry = tg_child(entry->next))
        if (!tg_extend_name(visitor->name, at, entry->name, ".") ||
            !run_load_hooks(visitor, (const nn_Module *)entry->value, strlen(visitor->name), kind, subject))
            return false;
    return kind == tg_load_pre_hooks || run_hooks(visitor, self, at, kind, subject);
}

/* ---- state_dict ---- */

static bool list_state(StateVisitor *visitor, const char *entry_name, Tensor *x) {
    (void)entry_name;
    return t_dict_set(visitor->result, visitor->name, tg_is_uninitialized(x) ? x : t_detach(x));
}

t_TensorDict *nn_state_dict(const void *self, const char *prefix) {
    if (!tg_check_module(self, 1)) return NULL;
    int depth = t_scope_open();
    StateVisitor visitor = {.visit = list_state, .result = depth ? t_dict_new() : NULL};
    bool ok = visitor.result && tg_extend_name(visitor.name, 0, prefix ? prefix : "", "") &&
              visit_module(&visitor, self, strlen(visitor.name));
    t_TensorDict *dict = ok ? visitor.result : NULL;
    return tg_scope_return(depth, dict);
}

/* ---- load_state_dict: matching ---- */

/* The tensor to be copied; NULL on an error, or where it does not match, which is then reported in `errors`. */
static Tensor *matching_tensor(StateVisitor *visitor, Tensor *x, bool requires_grad, Tensor *saved) {
    if (x->ndim == 0 && saved->ndim == 1 && saved->shape[0] == 1) saved = t_reshape(saved, NULL, 0);
    if (!saved) return NULL;
    if (saved->ndim != x->ndim || !tg_same_shape(saved, x)) {
        tg_output_print(&visitor->errors, "\n\tsize mismatch for %s: copying a param with shape torch.Size(%s) from "
                        "checkpoint, the shape in current model is torch.Size(%s).",
                        visitor->name, tg_shape_of(saved), tg_shape_of(x));
        return NULL;
    }
    if (visitor->assign && requires_grad && !tg_is_floating(saved->dtype)) {
        tg_output_print(&visitor->errors, "\n\tWhile copying the parameter named \"%s\", whose dimensions in the model "
                        "are torch.Size(%s) and whose dimensions in the checkpoint are torch.Size(%s), an exception "
                        "occurred : ('Only Tensors of floating point and complex dtype can require gradients',).",
                        visitor->name, tg_shape_of(x), tg_shape_of(x));
        return NULL;
    }
    return !visitor->assign && tg_shares_memory(x, saved) ? t_clone(saved) : saved;
}

/* Like PyTorch's BatchNorm: files from before num_batches_tracked existed lack it. */
static bool may_be_missing(const char *entry_name, const Tensor *x) {
    return strcmp(entry_name, "num_batches_tracked") == 0 && x->ndim == 0;
}

/* Of the shape of the tensor that is loaded, or of the first one for a parameter that has two names. */
static Tensor *data_of_lazy(const StateVisitor *visitor, const Tensor *x, const Tensor *saved) {
    for (int64_t i = 0; i < visitor->to->len; i++)
        if (visitor->to->items[i] == x) return visitor->fresh->items[i];
    return tg_empty(saved->shape, saved->ndim, x->dtype);
}

static bool match_state(StateVisitor *visitor, const char *entry_name, Tensor *x) {
    const t_DictItem *item = tg_dict_find(visitor->dict, visitor->name);
    if (!item) return may_be_missing(entry_name, x) || tg_named_append(visitor->keys.missing_keys, visitor->name, x);
    visitor->unmatched[item - visitor->dict->items] = NULL;
    if (!item->tensor) {
        tg_output_print(&visitor->errors, "\n\tWhile copying the parameter named \"%s\", expected torch.Tensor or "
                        "Tensor-like object from checkpoint but received <class 'str'>", visitor->name);
        return true;
    }
    if (!tg_check_held(item->tensor, 2)) return false;
    if (tg_is_uninitialized(item->tensor))
        return tg_is_uninitialized(x) ||
               tg_fail("Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
                       "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call "
                       "`forward` to initialize the parameters before accessing their attributes.") != NULL;
    Tensor *fresh = tg_is_uninitialized(x) ? data_of_lazy(visitor, x, item->tensor) : x;
    if (!fresh || (!visitor->assign && !tg_check_inplace(fresh))) return false;
    int64_t failures = tg_context()->failures;
    Tensor *from = matching_tensor(visitor, fresh, x->requires_grad, item->tensor);
    if (!from) return !tg_failed_since(failures);
    return t_list_append(visitor->to, x) && t_list_append(visitor->fresh, fresh) && t_list_append(visitor->from, from);
}

/* Whether the module has a child of that name (registered as None, too), or a parameter or buffer. */
static bool is_known(const nn_Module *module, const char *rest) {
    const size_t length = strcspn(rest, ".");
    for (const nn_Entry *entry = module->first; entry; entry = entry->next)
        if (strncmp(entry->name, rest, length) == 0 && !entry->name[length] &&
            (rest[length] ? entry->kind == nn_child_kind
                          : is_state(entry, entry->kind) && entry->kind <= nn_buffer_kind))
            return true;
    return false;
}

static bool collect_unexpected(StateVisitor *visitor, const nn_Module *module, size_t prefix_length) {
    for (int64_t i = 0; i < visitor->unmatched_count; i++) {
        const t_DictItem *item = visitor->unmatched[i];
        if (strncmp(item->name, visitor->name, prefix_length) != 0) continue;
        if (is_known(module, item->name + prefix_length)) continue;
        if (!tg_named_append(visitor->keys.unexpected_keys, item->name, item->tensor)) return false;
    }
    return true;
}

static bool ignore_state(StateVisitor *visitor, const char *entry_name, Tensor *x) {
    return visitor && entry_name && x;
}

/* A second pass looks for unexpected keys only if the first left any: a dict may have a hundred thousand names. */
static bool match_all(StateVisitor *visitor, const nn_Module *self) {
    const size_t bytes = ((size_t)visitor->dict->len + 1) * sizeof *visitor->unmatched;
    visitor->unmatched = tg_alloc_raw(bytes);
    for (int64_t i = 0; visitor->unmatched && i < visitor->dict->len; i++)
        visitor->unmatched[i] = visitor->dict->items[i].tensor ? &visitor->dict->items[i] : NULL;
    bool ok = visitor->unmatched && visit_module(visitor, self, 0);
    for (int64_t i = 0; ok && i < visitor->dict->len; i++)
        if (visitor->unmatched[i]) visitor->unmatched[visitor->unmatched_count++] = visitor->unmatched[i];
    visitor->visit = ignore_state;
    visitor->module_done = collect_unexpected;
    ok = ok && (visitor->unmatched_count == 0 || visit_module(visitor, self, 0));
    tg_free(visitor->unmatched, bytes);
    return ok;
}

/* ---- load_state_dict: the report ---- */

static void write_keys(tg_Output *to, const char *what, const nn_NamedList *keys) {
    if (!keys->len) return;
    tg_output_print(to, "\n\t%s key(s) in state_dict: ", what);
    for (int64_t i = 0; i < keys->len; i++) tg_output_print(to, "%s\"%s\"", i ? ", " : "", keys->items[i].name);
    tg_output_text(to, ". ");
}

/* Sets PyTorch's report as the error, and returns false, if there is anything to report. */
static bool report(const nn_Module *self, const StateVisitor *visitor, bool strict, const char *errors) {
    tg_Output to;
    tg_output_memory(&to);
    if (strict) write_keys(&to, "Missing", visitor->keys.missing_keys);
    if (strict) write_keys(&to, "Unexpected", visitor->keys.unexpected_keys);
    tg_output_text(&to, errors);
    char *text = tg_output_take_text(&to, true);
    bool ok = text != NULL;
    if (ok && *text) ok = tg_fail("Error(s) in loading state_dict for %s:%s", self->type, text);
    free(text);
    return ok;
}

/* Everything that can fail. */
static bool prepare(StateVisitor *visitor, const nn_Module *self, bool strict) {
    tg_output_memory(&visitor->errors);
    bool ok = match_all(visitor, self);
    char *errors = tg_output_take_text(&visitor->errors, ok);
    ok = errors && report(self, visitor, strict, errors);
    free(errors);
    return ok;
}

const nn_LoadStateDictOptions nn_LoadStateDictDefaults = {.size = sizeof nn_LoadStateDictDefaults, .strict = true};

static void load(StateVisitor *visitor) {
    for (int64_t i = 0; i < visitor->to->len; i++) {
        Tensor *x = visitor->to->items[i], *y = visitor->from->items[i];
        if (tg_is_uninitialized(x)) tg_materialize_with(x, visitor->fresh->items[i]);
        if (visitor->assign) {
            /* a backward that saved x must notice the change */
            if (x->storage != y->storage && y->storage->version <= x->storage->version)
                y->storage->version = x->storage->version + 1;
            tg_set_data(x, y);
            t_set_grad(x, NULL);
        } else {
            tg_overwrite(x, y);
        }
    }
}

/* The dict to load: a copy that the load pre-hooks have changed, if there are any. */
static const t_TensorDict *after_pre_hooks(StateVisitor *visitor, const nn_Module *self, const t_TensorDict *given) {
    if (!tg_tree_has_hook(self, tg_load_pre_hooks)) return given;
    t_TensorDict *copy = t_dict_new();
    for (int64_t i = 0; copy && i < given->len; i++) {
        const t_DictItem *item = &given->items[i];
        if (item->tensor ? !t_dict_set(copy, item->name, item->tensor) : !t_dict_set_text(copy, item->name, item->text))
            return NULL;
    }
    return copy && run_load_hooks(visitor, self, 0, tg_load_pre_hooks, copy) ? copy : NULL;
}

bool nn_load_state_dict(void *self, const t_TensorDict *state_dict, const nn_LoadStateDictOptions *options) {
    nn_LoadStateDictOptions o = nn_LoadStateDictDefaults;
    if (!tg_check_module(self, 1) || !tg_check_dict(state_dict, 2) || !tg_take_options(&o, options, sizeof o))
        return false;
    if (o.keys) *o.keys = (nn_IncompatibleKeys){NULL, NULL};
    int depth = t_scope_open();
    if (!depth) return false;
    StateVisitor visitor = {.visit = match_state,
                            .dict = state_dict,
                            .assign = o.assign,
                            .keys = {tg_named_list(), tg_named_list()},
                            .to = t_list_new(NULL, 0),
                            .fresh = t_list_new(NULL, 0),
                            .from = t_list_new(NULL, 0)};
    bool ok = visitor.keys.missing_keys && visitor.keys.unexpected_keys && visitor.to && visitor.fresh &&
              visitor.from && (visitor.dict = after_pre_hooks(&visitor, self, state_dict));
    const bool grad_enabled = t_set_grad_enabled(false); /* not in the hooks, which are called in the caller's mode */
    ok = ok && prepare(&visitor, self, o.strict);
    if (ok) load(&visitor);
    t_set_grad_enabled(grad_enabled);
    if (ok && tg_tree_has_hook(self, tg_load_post_hooks))
        ok = run_load_hooks(&visitor, self, 0, tg_load_post_hooks, &visitor.keys);
    if (ok && o.keys)
        *o.keys = (nn_IncompatibleKeys){t_keep_object(visitor.keys.missing_keys),
                                        t_keep_object(visitor.keys.unexpected_keys)};
    t_scope_close(depth);
    return ok;
}
