/* nn/module/module_internal.h: class checks, constructors and lists of modules for the files of nn/ (internal). */
#ifndef TAPEGRAD_NN_MODULE_MODULE_INTERNAL_H
#define TAPEGRAD_NN_MODULE_MODULE_INTERNAL_H

#include "core/autograd/tape.h"
#include "core/ops/creation/random_internal.h"
#include "nn/module/module.h"

/* A parent class of a subclass. */
typedef struct tg_Ancestor {
    struct tg_Ancestor *next;
    const char *type;
    nn_Forward forward;
    nn_Forward2 forward2;
    size_t bytes;
} tg_Ancestor;

bool tg_check_module(const void *self, int position); /* as tg_check, for modules */
/* True if self is an object of class Type; otherwise an error that names `function`. */
#define TG_CHECK_CLASS(self, position, Type, function) tg_check_class(self, position, #Type, sizeof(Type), function)
bool tg_is_class(const void *module, const char *type, size_t bytes);
bool tg_copy_ancestors(nn_Module *to, const nn_Module *from);
bool tg_check_class(const void *self, int position, const char *type, size_t bytes, const char *function);

/* ---- calls (module_call.c) ---- */

/* The forward of a module that is called by a function of its own, with the tensors of the call; call: masks and other
 * arguments. */
typedef Tensor *tg_ForwardFunction(void *self, Tensor *const *inputs, const void *call);
/* self(inputs...) for a function as nn_TransformerEncoderLayer_call: runs forward as nn_call does, but in the current
 * scope. If the function is called by the forward of self, and so in a call of self (also: as a subclass's
 * super().forward), forward alone. */
Tensor *tg_call_module(void *self, Tensor *const *inputs, int count, tg_ForwardFunction *forward, const void *call);

/* The name of the running module below the one that calls it, "layers.0"; of the outermost its path. */
void tg_print_module_name(char *to, size_t size);

/* ---- hooks (module_hooks.c) ---- */

typedef enum tg_HookKind {
    tg_forward_pre_hooks, tg_forward_hooks, tg_backward_pre_hooks, tg_backward_hooks, tg_state_dict_pre_hooks,
    tg_state_dict_post_hooks, tg_load_pre_hooks, tg_load_post_hooks, TG_HOOK_KINDS
} tg_HookKind;
/* The hooks of a module, or of all modules. */
typedef struct tg_ModuleHooks {
    t_Object object;
    t_Hook *lists[TG_HOOK_KINDS];
} tg_ModuleHooks;

static inline bool tg_any_hook(const tg_ModuleHooks *hooks) {
    return hooks && (hooks->lists[tg_forward_pre_hooks] || hooks->lists[tg_forward_hooks] ||
                     hooks->lists[tg_backward_pre_hooks] || hooks->lists[tg_backward_hooks]);
}
/* Whether hooks run in a call of self: then no fused path may bypass the call. */
static inline bool tg_has_hooks(const nn_Module *self) {
    return tg_any_hook(self->hooks) || tg_any_hook(tg_thread.module_hooks);
}
/* Whether a module of the tree has a hook of that kind. */
bool tg_tree_has_hook(const nn_Module *self, tg_HookKind kind);
/* Calls the module's hooks of a kind around its state dict; subject: what the kind passes besides the prefix, a
 * t_TensorDict or nn_IncompatibleKeys. False if one failed. */
bool tg_run_state_hooks(const nn_Module *self, tg_HookKind kind, void *subject, const char *prefix);
bool tg_copy_hooks(nn_Module *to, const nn_Module *from);
void tg_drop_empty_hooks(nn_Module *self); /* releases the lists if they have no hook */
/* forward(self, inputs, call) with the hooks of self around it. */
Tensor *tg_call_with_hooks(nn_Module *self, Tensor *const *inputs, int count, tg_ForwardFunction *forward,
                           const void *call);

/* entry if it is a child, else the next child after it; NULL where there is none. */
nn_Entry *tg_child(const nn_Entry *entry);

/* The entry of that name, NULL where there is none; and without that entry, which is freed. */
nn_Entry *tg_find_entry(const nn_Module *self, const char *name);
void tg_remove_entry(nn_Module *self, nn_Entry *entry);
bool tg_merge_entries(nn_Module *self, const nn_Module *other, nn_Kind kind); /* all, or with an error none */
/* Sets the fields of the module's struct that point at `from`; NULL does nothing. */
void tg_update_fields(nn_Module *self, const void *from, const void *to);

/* Replaces the children of self by these, named "0", "1", ...; false with an error, and nothing changed. */
bool tg_renumber_children(nn_Module *self, void *const *children, int64_t count);

/* A new empty list, and appending to it: name is copied, value may be NULL. */
nn_NamedList *tg_named_list(void);
bool tg_named_append(nn_NamedList *list, const char *name, Tensor *x);

/* Writes both parts after the first `at` characters of a dotted name. Error: the name gets too long. */
enum { TG_MAX_MODULE_NAME = 1024 };
bool tg_extend_name(char name[TG_MAX_MODULE_NAME], size_t at, const char *part, const char *next_part);

/* A constructor runs between these two, in a scope of its own: tg_construct_begin returns the scope's depth (0 if
 * memory runs out); tg_construct_end returns the finished module, or NULL if anything failed in between: then
 * everything is freed, and the default generator, from which parameters are drawn, is restored. */
typedef struct Construction {
    int depth;
    int64_t failures;
    bool seeded; /* there is a default generator */
    tg_Draws draws;
} Construction;
#define TG_SET(self, name, value) nn_register_module(&(self)->base, #name, (self)->name = (value))
Construction tg_construct_begin(void);
void *tg_construct_end(Construction construction, void *self);

/* An upper limit of num_layers, so that a typing error fails at once (PyTorch constructs layers until memory is full).
 */
enum { TG_MAX_LAYERS = 10000 };
bool tg_check_layers(int64_t num_layers);

/* nn.Dropout(p, inplace) under another name and with another forward. Error: p outside [0, 1]. */
void *tg_dropout_new(const char *type, nn_Forward forward, double p, bool inplace);

/* A parameter of that shape, uninitialised; dtype float32 unless given. */
Tensor *tg_parameter(const int64_t *shape, int ndim, t_DType dtype);

/* Teaching mode (teach.c): a module that is called in a forward to which it does not belong. */
void tg_teach_unregistered(const nn_Module *module);

#endif
