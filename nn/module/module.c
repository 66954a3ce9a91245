/* nn/module/module.c: the module tree: construction, registration, train, apply and dtype conversion. nn_call is in
 * module_call.c. */
#include "nn/module/module.h"

#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/tensor/tensor.h"
#include "nn/module/module_internal.h"

/* ---- the object ---- */

static void entry_free(nn_Entry *entry) {
    t_release(entry->value);
    tg_free(entry, entry->bytes);
}

static void module_destroy(void *object) {
    nn_Module *self = object;
    tg_object_dispose(&self->object);
    for (nn_Entry *entry = self->first, *next; entry; entry = next) {
        next = entry->next;
        entry_free(entry);
    }
    for (tg_Ancestor *ancestor = self->ancestors, *next; ancestor; ancestor = next) {
        next = ancestor->next;
        tg_free(ancestor, sizeof *ancestor);
    }
    t_release(self->hooks);
    tg_object_free(&self->object, self->bytes);
}

static const t_Class module_class = {"Module", module_destroy};

/* The name of a class in PyTorch: Linear of nn_Linear, ResNet of models_ResNet. */
static const char *class_name(const char *type) {
    if (strncmp(type, "nn_", 3) == 0) return type + 3;
    return strncmp(type, "models_", 7) == 0 ? type + 7 : type;
}

/* type is the C name of the struct. */
nn_Module *nn_module_new(size_t bytes, const char *type, nn_Forward forward) {
    if (bytes < sizeof(nn_Module))
        return tg_fail("a module's struct begins with an nn_Module and has at least %zu bytes, not %zu",
                       sizeof(nn_Module), bytes);
    if (!tg_check_given(type != NULL, 2, "a class name")) return NULL;
    nn_Module *self = tg_alloc(bytes);
    if (!self) return NULL;
    self->bytes = bytes;
    self->type = class_name(type);
    self->forward = forward;
    self->training = true;
    tg_object_init(&self->object, &module_class);
    return self;
}

/* The parent's entries, fields, hooks and ancestors move to the new module; the emptied parent is released. */
void *nn_subclass_new(size_t bytes, const char *type, nn_Forward forward, nn_Forward2 forward2, void *parent) {
    nn_Module *from = parent;
    if (!tg_check_module(from, 5)) return NULL;
    if (from->object.refs != 1 || from->object.depth == 0)
        return tg_fail("a subclass begins with a module that was just made for it; something else holds this %s",
                       from->type);
    if (bytes < from->bytes)
        return tg_fail("the struct of a subclass begins with its parent class's, which has %zu bytes, not %zu",
                       from->bytes, bytes);
    const bool inherits = !forward && !forward2;
    tg_Ancestor *ancestor = tg_alloc(sizeof *ancestor);
    nn_Module *self = ancestor ? nn_module_new(bytes, type, inherits ? from->forward : forward) : NULL;
    if (!self) {
        tg_free(ancestor, sizeof *ancestor);
        return NULL;
    }
    *ancestor = (tg_Ancestor){from->ancestors, from->type, from->forward, from->forward2, from->bytes};
    memcpy(self + 1, from + 1, from->bytes - sizeof *from);
    self->forward2 = inherits ? from->forward2 : forward2;
    self->extra_repr = from->extra_repr;
    self->right_inverse = from->right_inverse;
    self->right_inverse2 = from->right_inverse2;
    self->training = from->training;
    self->ancestors = ancestor;
    self->hooks = from->hooks;
    self->first = from->first;
    self->last = from->last;
    from->first = from->last = NULL;
    from->ancestors = NULL;
    from->hooks = NULL;
    t_release(tg_take_from_scope(from));
    return self;
}

bool tg_copy_ancestors(nn_Module *to, const nn_Module *from) {
    tg_Ancestor **link = &to->ancestors;
    for (const tg_Ancestor *ancestor = from->ancestors; ancestor; ancestor = ancestor->next, link = &(*link)->next) {
        if (!(*link = tg_alloc(sizeof **link))) return false;
        **link = *ancestor;
        (*link)->next = NULL;
    }
    return true;
}

Construction tg_construct_begin(void) {
    Construction construction = {.failures = tg_context()->failures, .seeded = tg_context()->generator && !t_error()};
    construction.depth = !construction.seeded || tg_draws_begin(&construction.draws, NULL) ? t_scope_open() : 0;
    return construction;
}

void *tg_construct_end(Construction construction, void *self) {
    bool ok = construction.depth && !tg_failed_since(construction.failures);
    self = ok ? t_keep_object(self) : NULL;
    t_scope_close(construction.depth);
    if (!self && construction.seeded) tg_draws_end(&construction.draws, false);
    return self;
}

bool tg_check_module(const void *self, int position) {
    const nn_Module *module = self;
    if (!module) return t_error() ? false : tg_fail("argument %d is NULL where a module is expected", position) != NULL;
    if (module->object.is_a == &module_class) return true;
    return tg_fail(
        module->object.is_a && module->object.is_a->destroy
            ? "argument %d is not a module"
            : "argument %d is a module that died with its scope; a module lives as long as its parent (nn_set "
              "makes it one's child) or the scope that made it",
        position);
}

/* ---- registering ---- */

/* nn_set(self, blocks[i], b) would register each element under the one name "blocks[i]", and keep only the last. */
static bool check_name(const char *name) {
    if (!name || !*name) return tg_fail("parameter or module name can't be empty string \"\"");
    if (strchr(name, '.')) return tg_fail("parameter or module name can't contain \".\", got: %s", name);
    if (strchr(name, '['))
        return tg_fail("parameter or module name can't contain \"[\", got: %s; the elements of an array need a name "
                       "each: nn_ModuleList, or nn_register_module(self, name, child)", name);
    return true;
}

nn_Entry *tg_find_entry(const nn_Module *self, const char *name) {
    nn_Entry *entry = self->first;
    while (entry && strcmp(entry->name, name) != 0) entry = entry->next;
    return entry;
}

void tg_remove_entry(nn_Module *self, nn_Entry *entry) {
    nn_Entry **link = &self->first, *previous = NULL;
    while (*link != entry) {
        previous = *link;
        link = &previous->next;
    }
    *link = entry->next;
    if (self->last == entry) self->last = previous;
    entry_free(entry);
}

void tg_update_fields(nn_Module *self, const void *from, const void *to) {
    char *fields = (char *)self;
    for (size_t at = sizeof *self; from && at + sizeof(void *) <= self->bytes; at += sizeof(void *)) {
        const void *field;
        memcpy(&field, fields + at, sizeof field);
        if (field == from) memcpy(fields + at, &to, sizeof to);
    }
}

/* A name that is already registered gets the new value and keeps its position. */
static nn_Entry *set_entry(nn_Module *self, const char *name, nn_Kind kind, void *value) {
    nn_Entry *entry = tg_find_entry(self, name);
    if (entry) {
        t_retain(value);
        t_release(entry->value);
        entry->value = value;
        entry->kind = kind;
        entry->transient = false;
        return entry;
    }
    size_t bytes = sizeof(nn_Entry) + strlen(name) + 1;
    entry = tg_alloc(bytes);
    if (!entry) return NULL;
    char *copy = memcpy(entry + 1, name, strlen(name) + 1);
    *entry = (nn_Entry){.kind = kind, .value = t_retain(value), .bytes = (uint32_t)bytes, .name = copy};
    if (self->last) self->last->next = entry;
    else self->first = entry;
    self->last = entry;
    return entry;
}

static bool check_held_optional(const Tensor *x) {
    return x ? tg_check_held(x, 3) : tg_check_any_optional(x, 3);
}

/* A NULL x registers the name as None (a Linear without bias), unless an error is pending. */
bool nn_register_parameter(nn_Module *self, const char *name, Tensor *x) {
    if (!tg_check_module(self, 1) || !check_name(name) || !check_held_optional(x)) return false;
    if (x && x->record)
        return tg_fail("Cannot assign non-leaf Tensor to parameter '%s'. Model parameters must be created explicitly: "
                       "nn_Parameter(x) makes one", name);
    if (x && !x->is_parameter)
        return tg_fail(
            "cannot assign 'torch.%sTensor' object to parameter '%s' (nn_Parameter(x) required; nn_register_buffer or "
            "nn_keep holds a tensor that is no parameter)",
            tg_scalar_name(x->dtype), name);
    return set_entry(self, name, nn_parameter_kind, x) != NULL;
}

bool nn_register_buffer_as(nn_Module *self, const char *name, Tensor *x, bool persistent) {
    if (!tg_check_module(self, 1) || !check_name(name) || !check_held_optional(x)) return false;
    nn_Entry *entry = set_entry(self, name, nn_buffer_kind, x);
    if (entry) entry->transient = !persistent;
    return entry != NULL;
}

bool nn_register_buffer(nn_Module *self, const char *name, Tensor *x) {
    return nn_register_buffer_as(self, name, x, true);
}

/* visit(self), then its children's trees in order; stops at the first false. */
static bool for_each_module(nn_Module *self, bool (*visit)(nn_Module *module, void *context), void *context) {
    bool ok = visit(self, context);
    for (nn_Entry *entry = self->first; ok && entry; entry = entry->next)
        if (entry->kind == nn_child_kind && entry->value)
            ok = for_each_module((nn_Module *)entry->value, visit, context);
    return ok;
}

static bool is_not(nn_Module *module, void *other) {
    return module != other;
}

static bool check_no_cycle(nn_Module *self, const char *name, nn_Module *child) {
    return for_each_module(child, is_not, self) ||
        tg_fail("a module cannot be its own child: %s would contain itself as '%s'", self->type, name);
}

/* Replaces the children by these, named 0, 1, .... Errors: a child that contains self, or no memory; then nothing has
 * changed. */
bool tg_renumber_children(nn_Module *self, void *const *children, int64_t count) {
    nn_Module fresh = {.first = NULL};
    bool ok = true;
    for (int64_t i = 0; ok && i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%lld", (long long)i);
        ok = check_no_cycle(self, name, children[i]);
        ok = ok && set_entry(&fresh, name, nn_child_kind, children[i]);
    }
    for (nn_Entry **link = ok ? &self->first : &fresh.first, *entry; (entry = *link);)
        if (entry->kind == nn_child_kind) {
            *link = entry->next;
            entry_free(entry);
        } else link = &entry->next;
    if (!ok) return false;
    nn_Entry **end = &self->first;
    for (self->last = NULL; *end; end = &(*end)->next) self->last = *end;
    *end = fresh.first;
    if (fresh.last) self->last = fresh.last;
    return true;
}

/* self gets the other's entries of that kind. Errors as above; then nothing has changed. */
bool tg_merge_entries(nn_Module *self, const nn_Module *other, nn_Kind kind) {
    nn_Module fresh = {.first = NULL};
    bool ok = true;
    t_retain((void *)(uintptr_t)other); /* it may be a child that is replaced */
    for (const nn_Entry *entry = other->first; ok && entry; entry = entry->next) {
        if (entry->kind != kind) continue;
        ok = kind != nn_child_kind || !entry->value || check_no_cycle(self, entry->name, (nn_Module *)entry->value);
        ok = ok && (tg_find_entry(self, entry->name) || set_entry(&fresh, entry->name, kind, entry->value));
    }
    for (const nn_Entry *entry = other->first; ok && entry; entry = entry->next)
        if (entry->kind == kind && tg_find_entry(self, entry->name)) set_entry(self, entry->name, kind, entry->value);
    t_release((void *)(uintptr_t)other);
    if (!ok)
        while (fresh.first) tg_remove_entry(&fresh, fresh.first);
    if (!fresh.first) return ok;
    *(self->last ? &self->last->next : &self->first) = fresh.first;
    self->last = fresh.last;
    return true;
}

bool nn_register_module(nn_Module *self, const char *name, void *child) {
    if (!tg_check_module(self, 1) || !check_name(name)) return false;
    if (child ? !tg_check_module(child, 3) : t_error() != NULL) return false;
    return (!child || check_no_cycle(self, name, child)) && set_entry(self, name, nn_child_kind, child);
}

/* Compares name and size: a user's class may have the name of one of the library's. A subclass is also of its parent's
 * class. */
bool tg_is_class(const void *module, const char *type, size_t bytes) {
    const nn_Module *self = module;
    type = class_name(type);
    bool is = self->bytes == bytes && strcmp(self->type, type) == 0;
    for (const tg_Ancestor *ancestor = self->ancestors; ancestor && !is; ancestor = ancestor->next)
        is = ancestor->bytes == bytes && strcmp(ancestor->type, type) == 0;
    return is;
}

bool tg_check_class(const void *self, int position, const char *type, size_t bytes, const char *function) {
    const nn_Module *module = self;
    if (!tg_check_module(self, position)) return false;
    if (tg_is_class(module, type, bytes)) return true;
    return tg_fail("%s takes a %s, not a %s", function, type, module->type);
}

/* nn.Parameter(x, requires_grad): the same data as a leaf. */
Tensor *nn_Parameter_as(Tensor *x, bool requires_grad) {
    Tensor *p = t_detach(x);
    if (!p || (requires_grad && !t_requires_grad_(p, true))) return NULL;
    p->wrapped_number = false;
    p->is_parameter = true;
    return p;
}

Tensor *nn_Parameter(Tensor *x) {
    return nn_Parameter_as(x, true);
}

/* ---- attributes that are neither parameters nor modules ---- */

/* Stores a tensor that a forward produces in addition to its result (its last attention weights, say); self holds x
 * until the name gets another value. */
bool nn_keep(nn_Module *self, const char *name, Tensor *x) {
    return tg_check_module(self, 1) && check_name(name) && tg_check_any_optional(x, 3) &&
           set_entry(self, name, nn_kept_kind, x);
}

/* ---- the whole tree ---- */

nn_Entry *tg_child(const nn_Entry *entry) {
    while (entry && entry->kind != nn_child_kind) entry = entry->next;
    return (nn_Entry *)entry;
}

static bool set_training(nn_Module *module, void *mode) {
    module->training = *(bool *)mode;
    return true;
}

/* self.train(mode), self.eval(): sets the mode of self and of all its descendants; returns self. */
void *nn_train(void *self, bool mode) {
    if (!tg_check_module(self, 1)) return NULL;
    for_each_module(self, set_training, &mode);
    return self;
}

void *nn_eval(void *self) {
    return nn_train(self, false);
}

void *nn_apply(void *self, nn_ApplyFunction *fn, void *context) {
    if (!tg_check_module(self, 1)) return NULL;
    if (!fn) return tg_fail("argument 2 is NULL where a function is expected");
    const int depth = tg_scope_open_around_callback();
    nn_NamedList *children = depth ? nn_named_children(self) : NULL;
    bool ok = children != NULL;
    for (int64_t i = 0; ok && i < children->len; i++) ok = nn_apply(children->items[i].module, fn, context) != NULL;
    if (ok) fn(self, context);
    tg_scope_close(depth);
    return ok && !t_error() ? self : NULL;
}

static bool clear_grads(nn_Module *module, void *unused) {
    (void)unused;
    for (nn_Entry *entry = module->first; entry; entry = entry->next)
        if (entry->kind == nn_parameter_kind && entry->value && ((Tensor *)entry->value)->grad)
            t_set_grad((Tensor *)entry->value, NULL);
    return true;
}

/* self.zero_grad(): every parameter's grad becomes None. */
bool nn_zero_grad(void *self) {
    return tg_check_module(self, 1) && for_each_module(self, clear_grads, NULL);
}

static bool set_requires_grad(nn_Module *module, void *on) {
    for (nn_Entry *entry = module->first; entry; entry = entry->next)
        if (entry->kind == nn_parameter_kind && entry->value && !t_requires_grad_((Tensor *)entry->value, *(bool *)on))
            return false;
    return true;
}

/* self.requires_grad_(on), for every parameter; false freezes a model. */
bool nn_requires_grad_(void *self, bool requires_grad) {
    return tg_check_module(self, 1) && for_each_module(self, set_requires_grad, &requires_grad);
}

/* ---- another dtype ---- */

/* All tensors are converted first, which may fail; then they take their new data, which cannot. */
typedef struct Conversion {
    t_DType dtype;
    t_TensorList *from, *to;
} Conversion;

static bool convert(nn_Module *module, void *context) {
    Conversion *all = context;
    for (nn_Entry *entry = module->first; entry; entry = entry->next) {
        Tensor *x = (Tensor *)entry->value;
        if (entry->kind >= nn_child_kind || !x || !tg_is_floating(x->dtype)) continue;
        Tensor *to = tg_is_uninitialized(x) ? tg_empty(x->shape, x->ndim, all->dtype) : t_to(t_detach(x), all->dtype);
        if (!t_list_append(all->from, x) || !t_list_append(all->to, to)) return false;
    }
    return true;
}

/* self.to(dtype), self.double(): the parameters stay the same Tensor objects (an optimizer's references remain valid),
 * with new data and without gradients. */
void *nn_to(void *self, t_DType dtype) {
    if (!tg_check_module(self, 1)) return NULL;
    if (!tg_is_floating(dtype))
        return tg_fail("nn.Module.to only accepts floating point dtypes, but got desired dtype=%s",
                       tg_dtype_name(dtype));
    int depth = t_scope_open();
    Conversion all = {
        .dtype = dtype, .from = depth ? t_list_new(NULL, 0) : NULL, .to = depth ? t_list_new(NULL, 0) : NULL};
    bool ok = all.from && all.to && for_each_module(self, convert, &all);
    for (int64_t i = 0; ok && i < all.from->len; i++) {
        tg_set_data(all.from->items[i], all.to->items[i]);
        if (!tg_is_uninitialized(all.from->items[i])) t_set_grad(all.from->items[i], NULL);
    }
    t_scope_close(depth);
    return ok ? self : NULL;
}
