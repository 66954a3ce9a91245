/* nn/sugar/sugar.h: keyword-argument macros of the modules (public; gcc and clang, C only). core/sugar/sugar.h explains
 * the macros. */
#ifndef TAPEGRAD_NN_SUGAR_SUGAR_H
#define TAPEGRAD_NN_SUGAR_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/modules/layers.h"
#include "nn/module/checkpoint_sequential.h"
#include "nn/module/functional_call.h"
#include "nn/module/module_hooks.h"
#include "nn/transformer/mask.h"
#include "nn/module/state_dict.h"
#include "nn/sugar/init.h"
#include "nn/transformer/tutorial_transformer.h"
#include "nn/utils.h"
#include "nn/sugar/activations.h"
#include "nn/sugar/losses.h"

/* ---- user-defined classes ---- */

/* Type *self = nn_module(Type, type_call): a new module whose forward is `Tensor *type_call(Type *self, Tensor *x)`, or
 * NULL for a class that is called by its own function. nn_module2 is for a forward of two tensors. */
#define NN_IS_FORWARD_(Type, call, ...) \
    _Static_assert(_Generic((call), Tensor *(*)(Type *, __VA_ARGS__): 1, void *: 1, default: 0), \
    "nn_module takes Tensor *call(Type *self, Tensor *x), nn_module2 one of two tensors; " \
    "NULL for any other forward, which is called by its name");
#define nn_module(Type, call) \
    T_BEGIN_("nn_module(" #Type ", " #call ")") NN_IS_FORWARD_(Type, call, Tensor *) \
    Tensor *(*t__f)(Type *, Tensor *) = (call); \
    _Static_assert(offsetof(Type, base) == 0, "an nn_Module named base must be the first member of " #Type); \
    T_END_(Type *, (Type *)nn_module_new(sizeof(Type), #Type, (nn_Forward)t__f))
#define nn_module2(Type, call) \
    T_BEGIN_("nn_module2(" #Type ", " #call ")") NN_IS_FORWARD_(Type, call, Tensor *, Tensor *) \
    Tensor *(*t__f)(Type *, Tensor *, Tensor *) = (call); \
    _Static_assert(offsetof(Type, base) == 0, "an nn_Module named base must be the first member of " #Type); \
    T_END_(Type *, (Type *)nn_module2_new_(sizeof(Type), #Type, (nn_Forward2)t__f))
static inline nn_Module *nn_module2_new_(size_t bytes, const char *type, nn_Forward2 forward2) {
    nn_Module *self = nn_module_new(bytes, type, NULL);
    if (self) self->forward2 = forward2;
    return self;
}

/* Type *self = nn_subclass(Type, type_call, nn_Linear(3, 4)): class Type(nn.Linear) and its super().__init__(3, 4);
 * nn_subclass2 for a forward of two tensors. nn_super_forward(self, x), nn_super_forward(self, a, b):
 * super().forward(...). See nn/module/module.h. */
#define nn_subclass(Type, call, parent) NN_SUBCLASS_("nn_subclass(" #Type ", " #call ", " #parent ")", Type, call, \
    parent, (nn_Forward)t__f, NULL, Tensor *)
#define nn_subclass2(Type, call, parent) NN_SUBCLASS_("nn_subclass2(" #Type ", " #call ", " #parent ")", Type, call, \
    parent, NULL, (nn_Forward2)t__f, Tensor *, Tensor *)
#define NN_SUBCLASS_(text, Type, call, parent, one, two, ...) \
    T_BEGIN_(text) NN_IS_FORWARD_(Type, call, __VA_ARGS__) Tensor *(*t__f)(Type *, __VA_ARGS__) = (call); \
    __auto_type t__p = (parent); \
    _Static_assert(offsetof(Type, super) == 0, "the parent class's struct named super must be the first member"); \
    _Static_assert(_Generic(&((Type *)0)->super, __typeof__(t__p): 1, default: 0), \
    "nn_subclass takes a module of the class of the member super"); \
    T_END_(Type *, (Type *)nn_subclass_new(sizeof(Type), #Type, one, two, t__p))
#define nn_super_forward(...) T_TENTH_(__VA_ARGS__, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL_, \
    NN_SUPER2_, NN_SUPER1_, NN_CALL_, 0) \
    ("nn_super_forward(" #__VA_ARGS__ ")", __VA_ARGS__)
#define NN_SUPER1_(text, self, x) T_BEGIN_(text) NN_SUPER_(self) T_TENSOR_(t__a, (x)) \
    T_END_(Tensor *, (nn_super_forward)(t__m, t__a))
#define NN_SUPER2_(text, self, a, b) T_BEGIN_(text) NN_SUPER_(self) T_TENSOR_(t__a, (a)) T_TENSOR_(t__b, (b)) \
    T_END_(Tensor *, (nn_super_forward2)(t__m, t__a, t__b))
/* "no member named 'base'": the parent is a subclass itself; its forward is called by its name,
 * parent_call(&self->super, x). */
#define NN_SUPER_(self) __auto_type t__m = (self); (void)sizeof t__m->super.base;

/* nn_set(self, fc, nn_Linear(8, 2)): self.fc = nn.Linear(8, 2); a Tensor field becomes a parameter. */
static inline bool nn_set_parameter_(nn_Module *self, const char *name, void *x) {
    return (nn_register_parameter)(self, name, (Tensor *)x);
}
static inline bool nn_set_module_(nn_Module *self, const char *name, void *child) {
    return (nn_register_module)(self, name, child);
}
#define NN_ASSIGN_(text, self, name, value, call) \
    T_BEGIN_(text) __auto_type t__m = (self); __typeof__(t__m->name) t__v = (value); if (t__m) t__m->name = t__v; \
    _Static_assert(__builtin_classify_type(t__v) == T_POINTER_CLASS_, \
    "modules and tensors are registered; a number is assigned: self->d = 8"); \
    T_END_(bool, call((nn_Module *)t__m, #name, t__v))
#define nn_set(self, name, value) \
    NN_ASSIGN_("nn_set(" #self ", " #name ", " #value ")", self, name, value, \
               _Generic(t__v, Tensor *: nn_set_parameter_, default: nn_set_module_))
/* nn_register_buffer(self, pe, x): self.register_buffer("pe", x), which sets the field too; or with
 * .persistent = false */
typedef struct nn_BufferArguments_ { int first_; bool persistent; } nn_BufferArguments_;
#define nn_register_buffer(self, name, ...) T_BEGIN_("nn_register_buffer(" #self ", " #name ", " #__VA_ARGS__ ")") \
    __auto_type t__m = (self); __typeof__(t__m->name) t__v = T_HEAD_(__VA_ARGS__); if (t__m) t__m->name = t__v; \
    T_OPTIONS_(nn_BufferArguments_, t__o, .persistent = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (nn_register_buffer_as)((nn_Module *)t__m, #name, t__v, t__o.persistent))
#define nn_register_parameter(self, name, x) T_BEGIN_("nn_register_parameter(" #self ", " #name ", " #x ")") \
    nn_Module *t__m = (self); T_TENSOR_(t__a, (x)) T_END_(bool, (nn_register_parameter)(t__m, name, t__a))
#define nn_register_module(self, name, child) T_BEGIN_("nn_register_module(" #self ", " #name ", " #child ")") \
    nn_Module *t__m = (self); void *t__c = (child); T_END_(bool, (nn_register_module)(t__m, name, t__c))
/* nn_add_module(model, "conv_1", layer): model.add_module("conv_1", layer), of a module of any class */
#define nn_add_module(self, name, child) T_BEGIN_("nn_add_module(" #self ", " #name ", " #child ")") \
    void *t__m = (self), *t__c = (child); T_END_(bool, (nn_register_module)(t__m, name, t__c))
/* nn_Parameter(x), nn_Parameter(x, false), nn_Parameter(x, .requires_grad = false) */
typedef struct nn_ParameterArguments_ { int first_; bool requires_grad; } nn_ParameterArguments_;
#define nn_Parameter(...) T_OP_KEYS_(nn_Parameter_as(t__a, t__o.requires_grad), "nn_Parameter(" #__VA_ARGS__ ")", \
    nn_ParameterArguments_, (.requires_grad = true), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* nn_call(layer, x), nn_call(criterion, input, target) */
#define nn_call(...) T_TENTH_(__VA_ARGS__, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL2_, \
    NN_CALL1_, NN_CALL_, 0) \
    ("nn_call(" #__VA_ARGS__ ")", __VA_ARGS__)
#define NN_CALL_(text, ...) T_BEGIN_(text) _Static_assert(0, \
    "nn_call takes a module and one or two tensors; any other forward is " \
    "called by its own name: net_call(self, x, y, mask)"); T_END_(Tensor *, NULL)
#define NN_CALL1_(text, m, x) T_BEGIN_(text) void *t__m = (m); T_TENSOR_(t__a, (x)) \
    T_END_(Tensor *, (nn_call)(t__m, t__a))
#define NN_CALL2_(text, m, a, b) T_BEGIN_(text) void *t__m = (m); T_TENSOR_(t__a, (a)) T_TENSOR_(t__b, (b)) \
    T_END_(Tensor *, (nn_call2)(t__m, t__a, t__b))
/* nn_keep(self, field, x): self.field = x for a tensor that a forward stores (its last attention weights, say). */
#define nn_keep(self, field, x) NN_ASSIGN_("nn_keep(" #self ", " #field ", " #x ")", self, field, x, (nn_keep))

/* ---- hooks: nn_register_forward_hook(model, hook), nn_register_forward_hook(model, hook, &context, .prepend = true),
 * nn_register_module_forward_hook(hook, &context) ---- */
typedef struct nn_HookArguments_ { int first_; void *context; bool prepend, always_call; } nn_HookArguments_;
#define NN_HOOK_OPTIONS_ &(const nn_HookOptions){sizeof(nn_HookOptions), t__o.prepend, t__o.always_call}
#define NN_HOOK_(f, text, m, ...) T_BEGIN_(text) void *t__m = (m); \
    T_OPTIONS_(nn_HookArguments_, t__o, .prepend = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_Hook *, (f)(t__m, T_HEAD_(__VA_ARGS__), t__o.context, NN_HOOK_OPTIONS_))
#define NN_HOOK_OF_ALL_(f, text, ...) T_BEGIN_(text) \
    T_OPTIONS_(nn_HookArguments_, t__o, .prepend = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_Hook *, (f)(T_HEAD_(__VA_ARGS__), t__o.context, NN_HOOK_OPTIONS_))
#define nn_register_forward_pre_hook(m, ...) NN_HOOK_(nn_register_forward_pre_hook, \
    "nn_register_forward_pre_hook(" #m ", " #__VA_ARGS__ ")", m, __VA_ARGS__)
#define nn_register_forward_hook(m, ...) NN_HOOK_(nn_register_forward_hook, \
    "nn_register_forward_hook(" #m ", " #__VA_ARGS__ ")", m, __VA_ARGS__)
#define nn_register_full_backward_pre_hook(m, ...) NN_HOOK_(nn_register_full_backward_pre_hook, \
    "nn_register_full_backward_pre_hook(" #m ", " #__VA_ARGS__ ")", m, __VA_ARGS__)
#define nn_register_full_backward_hook(m, ...) NN_HOOK_(nn_register_full_backward_hook, \
    "nn_register_full_backward_hook(" #m ", " #__VA_ARGS__ ")", m, __VA_ARGS__)
#define nn_register_module_forward_pre_hook(...) NN_HOOK_OF_ALL_(nn_register_module_forward_pre_hook, \
    "nn_register_module_forward_pre_hook(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_register_module_forward_hook(...) NN_HOOK_OF_ALL_(nn_register_module_forward_hook, \
    "nn_register_module_forward_hook(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_register_module_full_backward_pre_hook(...) NN_HOOK_OF_ALL_(nn_register_module_full_backward_pre_hook, \
    "nn_register_module_full_backward_pre_hook(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_register_module_full_backward_hook(...) NN_HOOK_OF_ALL_(nn_register_module_full_backward_hook, \
    "nn_register_module_full_backward_hook(" #__VA_ARGS__ ")", __VA_ARGS__)
/* nn_register_state_dict_post_hook(model, hook), nn_register_load_state_dict_pre_hook(model, hook, &context) */
#define NN_STATE_HOOK_(f, text, m, ...) T_BEGIN_(text) void *t__m = (m); \
    void *const t__c[] = {NULL, T_TAIL_(__VA_ARGS__)}; \
    T_END_(t_Hook *, (f)(t__m, T_HEAD_(__VA_ARGS__), t__c[sizeof t__c / sizeof *t__c - 1]))
#define nn_register_state_dict_pre_hook(m, ...) NN_STATE_HOOK_(nn_register_state_dict_pre_hook, \
    "nn_register_state_dict_pre_hook(" #m ", " #__VA_ARGS__ ")", m, __VA_ARGS__)
#define nn_register_state_dict_post_hook(m, ...) NN_STATE_HOOK_(nn_register_state_dict_post_hook, \
    "nn_register_state_dict_post_hook(" #m ", " #__VA_ARGS__ ")", m, __VA_ARGS__)
#define nn_register_load_state_dict_pre_hook(m, ...) NN_STATE_HOOK_(nn_register_load_state_dict_pre_hook, \
    "nn_register_load_state_dict_pre_hook(" #m ", " #__VA_ARGS__ ")", m, __VA_ARGS__)
#define nn_register_load_state_dict_post_hook(m, ...) NN_STATE_HOOK_(nn_register_load_state_dict_post_hook, \
    "nn_register_load_state_dict_post_hook(" #m ", " #__VA_ARGS__ ")", m, __VA_ARGS__)
/* nn_summary(model, x), nn_summary(model, a, b): prints to stdout */
#define nn_summary(m, ...) T_BEGIN_("nn_summary(" #m ", " #__VA_ARGS__ ")") void *t__m = (m); \
    Tensor *const t__l[] = {__VA_ARGS__}; \
    T_END_(bool, (nn_summary)(t__m, t_list_new(t__l, (int64_t)(sizeof t__l / sizeof *t__l)), NULL))

/* ---- the tree, each with the user's line ---- */
#define NN_TREE_(type, f, text, m) T_BEGIN_(text) void *t__m = (void *)(m); T_END_(type, f)
#define nn_parameters(m) NN_TREE_(t_TensorList *, (nn_parameters)(t__m), "nn_parameters(" #m ")", m)
#define nn_buffers(m) NN_TREE_(t_TensorList *, (nn_buffers)(t__m), "nn_buffers(" #m ")", m)
#define nn_watch(m) NN_TREE_(bool, (nn_watch)(t__m, #m), "nn_watch(" #m ")", m)
#define nn_named_parameters(m) NN_TREE_(nn_NamedList *, (nn_named_parameters)(t__m), "nn_named_parameters(" #m ")", m)
#define nn_named_buffers(m) NN_TREE_(nn_NamedList *, (nn_named_buffers)(t__m), "nn_named_buffers(" #m ")", m)
#define nn_named_children(m) NN_TREE_(nn_NamedList *, (nn_named_children)(t__m), "nn_named_children(" #m ")", m)
#define nn_named_modules(m) NN_TREE_(nn_NamedList *, (nn_named_modules)(t__m), "nn_named_modules(" #m ")", m)
#define nn_count_parameters(m, trainable_only) \
    NN_TREE_(int64_t, (nn_count_parameters)(t__m, trainable_only), "nn_count_parameters(" #m ", " #trainable_only ")", \
    m)
#define nn_graph_dot(y, m, to) NN_TREE_(bool, (nn_graph_dot)(y, t__m, to), "nn_graph_dot(" #y ", " #m ")", m)
/* nn_train(model), nn_train(model, false), nn_eval(model) */
typedef struct nn_TrainArguments_ { int first_; bool mode; } nn_TrainArguments_;
#define nn_train(...) T_BEGIN_("nn_train(" #__VA_ARGS__ ")") void *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_TrainArguments_, t__o, .mode = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(void *, (nn_train)(t__m, t__o.mode))
#define nn_eval(m) NN_TREE_(void *, (nn_eval)(t__m), "nn_eval(" #m ")", m)
/* nn_apply(model, init_weights), nn_apply(model, init_weights, &context) */
#define nn_apply(m, ...) T_BEGIN_("nn_apply(" #m ", " #__VA_ARGS__ ")") \
    void *t__m = (m), *const t__c[] = {NULL, T_TAIL_(__VA_ARGS__)}; \
    T_END_(void *, (nn_apply)(t__m, T_HEAD_(__VA_ARGS__), t__c[sizeof t__c / sizeof *t__c - 1]))
#define nn_zero_grad(m) NN_TREE_(bool, (nn_zero_grad)(t__m), "nn_zero_grad(" #m ")", m)
/* nn_requires_grad_(model), nn_requires_grad_(model, false) */
#define nn_requires_grad_(...) T_BEGIN_("nn_requires_grad_(" #__VA_ARGS__ ")") void *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(t_RequiresGradArguments_, t__o, .requires_grad = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (nn_requires_grad_)(t__m, t__o.requires_grad))
#define nn_to(m, dtype) NN_TREE_(void *, (nn_to)(t__m, dtype), "nn_to(" #m ", " #dtype ")", m)
#define nn_deepcopy(m) NN_TREE_(void *, (nn_deepcopy)(t__m), "nn_deepcopy(" #m ")", m)
/* nn_state_dict(model), nn_state_dict(model, .prefix = "encoder.") */
typedef struct nn_StateDictArguments_ { int first_; const char *prefix; } nn_StateDictArguments_;
#define nn_state_dict(...) T_BEGIN_("nn_state_dict(" #__VA_ARGS__ ")") const void *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_StateDictArguments_, t__o, .prefix = "", .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorDict *, (nn_state_dict)(t__m, t__o.prefix))
/* torch.utils.checkpoint: t_checkpoint_sequential(model, 2, x, .preserve_rng_state = false) */
typedef struct t_SequentialArguments_ {
    bool use_reentrant;
    int first_;
    Tensor *input;
    bool preserve_rng_state;
    struct t_too_many_arguments_ *rest_;
} t_SequentialArguments_;
#define t_checkpoint_sequential(functions, segments, ...) \
    T_BEGIN_("t_checkpoint_sequential(" #functions ", " #segments ", " #__VA_ARGS__ ")") void *t__m = (functions); \
    T_INT64_(t__n = (segments)) \
    T_OPTIONS_(t_SequentialArguments_, t__k, .preserve_rng_state = true, .first_ = 0, __VA_ARGS__) \
    T_END_(Tensor *, (t_checkpoint_sequential)(t__m, t__n, t__k.input, t__k.preserve_rng_state))
/* params = t_func_stack_module_state(models, 5, .buffers = &buffers), of an array of modules */
typedef struct t_StackModuleArguments_ { int first_; t_TensorDict **buffers; } t_StackModuleArguments_;
#define t_func_stack_module_state(models, ...) \
    T_BEGIN_("t_func_stack_module_state(" #models ", " #__VA_ARGS__ ")") void *const *t__m = (void *const *)(models); \
    T_INT64_(t__n = (T_HEAD_(__VA_ARGS__))) \
    T_OPTIONS_(t_StackModuleArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorDict *, (t_func_stack_module_state)(t__m, t__n, t__o.buffers))
/* torch.func.functional_call: t_func_functional_call(model, dict, x), t_func_functional_call(model, dict, a, b), both
 * with .tie_weights = false, .strict = true */
typedef struct t_FunctionalCallArguments_ {
    bool tie_weights, strict;
    int first_;
    Tensor *a, *b;
    struct t_too_many_arguments_ *rest_;
} t_FunctionalCallArguments_;
#define t_func_functional_call(module, dict, ...) \
    T_BEGIN_("t_func_functional_call(" #module ", " #dict ", " #__VA_ARGS__ ")") \
    void *t__m = (module); t_TensorDict *t__d = (dict); \
    T_OPTIONS_(t_FunctionalCallArguments_, t__k, .tie_weights = true, .first_ = 0, __VA_ARGS__) \
    const t_FunctionalCallOptions t__o = {sizeof t__o, t__k.tie_weights, t__k.strict}; \
    T_END_(Tensor *, (t_func_functional_call)(t__m, t__d, &t__k.a, t__k.b ? 2 : 1, &t__o))
/* nn_load_state_dict(model, dict), nn_load_state_dict(model, dict, .strict = false, .keys = &keys) */
#define nn_load_state_dict(module, ...) T_BEGIN_("nn_load_state_dict(" #module ", " #__VA_ARGS__ ")") \
    void *t__m = (module); t_TensorDict *t__d = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_LoadStateDictOptions, t__o, .strict = true, .size = sizeof(nn_LoadStateDictOptions), \
    T_TAIL_(__VA_ARGS__)) T_END_(bool, (nn_load_state_dict)(t__m, t__d, &t__o))
/* safetensors_save_model(model, "m.safetensors"), safetensors_load_model(model, "m.safetensors", .strict = false) */
typedef struct nn_LoadModelArguments_ {
    int first_;
    const char *filename;
    bool strict;
    nn_IncompatibleKeys *keys;
} nn_LoadModelArguments_;
#define safetensors_save_model(module, filename) \
    T_BEGIN_("safetensors_save_model(" #module ", " #filename ")") const void *t__m = (module); \
    const char *t__f = (filename); T_END_(bool, (safetensors_save_model)(t__m, t__f))
#define safetensors_load_model(module, ...) T_BEGIN_("safetensors_load_model(" #module ", " #__VA_ARGS__ ")") \
    void *t__m = (module); T_OPTIONS_(nn_LoadModelArguments_, t__o, .strict = true, .first_ = 0, __VA_ARGS__) \
    T_END_(bool, (safetensors_load_model)(t__m, t__o.filename, t__o.strict, t__o.keys))
#define nn_repr(m) T_BEGIN_("nn_repr(" #m ")") void *t__m = (m); T_END_(char *, (nn_repr)(t__m))
#define nn_str(m) T_BEGIN_("nn_str(" #m ")") void *t__m = (m); T_END_(const char *, (nn_str)(t__m))
#define nn_print(m) T_BEGIN_("nn_print(" #m ")") void *t__m = (m); T_END_VOID_((nn_print)(t__m))
#define nn_len(list) NN_TREE_(int64_t, (nn_len)(t__m), "nn_len(" #list ")", list)
/* nn_set_item(model, 1, nn_ReLU()): model[1] = nn.ReLU(); nn_insert(model, 1, m), nn_extend(layers, others),
 * nn_pop(model, -1) */
#define nn_set_item(list, index, module) NN_LIST_CALL_(bool, \
    NN_IS_KEY_(index) ? (nn_set_key)(t__m, t__k, t__c) : (nn_set_item)(t__m, t__n, t__c), \
    "nn_set_item(" #list ", " #index ", " #module ")", list, index, module)
#define nn_insert(list, index, module) NN_LIST_CALL_(bool, (nn_insert)(t__m, t__n, t__c), \
    "nn_insert(" #list ", " #index ", " #module ")", list, index, module)
#define nn_extend(list, other) NN_LIST_CALL_(bool, (nn_extend)(t__m, t__c), "nn_extend(" #list ", " #other ")", list, \
    0, other)
#define nn_pop(list, index) NN_LIST_CALL_(NN_ITEM_(list), \
    NN_IS_KEY_(index) ? (nn_pop_key)(t__m, t__k) : (nn_pop)(t__m, t__n), "nn_pop(" #list ", " #index ")", list, index, \
    NULL)
#define NN_LIST_CALL_(type, call, text, list, index, module) \
    T_BEGIN_(text) void *t__m = (list); NN_INDEX_(index) void *t__c = (module); (void)t__c; T_END_(type, call)
/* An index of a list, t__n, or a string, the key of a dict, t__k: nn_set_item(self->choices, "conv", m) */
#define NN_IS_KEY_(index) _Generic((index), char *: 1, const char *: 1, default: 0)
#define NN_INDEX_(index) T_INT64_(t__n = _Generic((index), char *: 0, const char *: 0, default: (index))) \
    const char *t__k = _Generic((index), char *: (index), const char *: (index), default: NULL); (void)t__n; (void)t__k;
#define NN_DICT_CALL_(type, call, text, dict, value) T_BEGIN_(text) void *t__m = (dict); __auto_type t__v = (value); \
    T_END_(type, call)
#define nn_contains(dict, key) NN_DICT_CALL_(bool, (nn_contains)(t__m, t__v), "nn_contains(" #dict ", " #key ")", \
    dict, key)
#define nn_update(dict, other) NN_DICT_CALL_(bool, (nn_update)(t__m, t__v), "nn_update(" #dict ", " #other ")", \
    dict, other)
#define nn_clear(dict) NN_TREE_(bool, (nn_clear)(t__m), "nn_clear(" #dict ")", dict)
/* model[1:3] is nn_slice(model, 1, 3), model[2:] nn_slice(model, 2), model[:i] nn_slice(model, 0, i) or
 * nn_slice(model, .end = i), model[::2] nn_slice(model, .step = 2) */
typedef struct nn_SliceArguments_ { int first_; int64_t start, end, step; } nn_SliceArguments_;
#define nn_slice(...) T_BEGIN_("nn_slice(" #__VA_ARGS__ ")") __auto_type t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_SliceArguments_, t__o, .start = T_NONE, .end = T_NONE, .step = 1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(__typeof__(t__m), (nn_slice)(t__m, t__o.start, t__o.end, t__o.step))
/* nn_get_submodule(model, "layers.0"), nn_get_parameter(model, "fc.weight"); nn_set_submodule(model, "layers.0", m) */
#define nn_get_submodule(m, target) \
    NN_TREE_(void *, (nn_get_submodule)(t__m, target), "nn_get_submodule(" #m ", " #target ")", m)
#define nn_get_parameter(m, target) \
    NN_TREE_(Tensor *, (nn_get_parameter)(t__m, target), "nn_get_parameter(" #m ", " #target ")", m)
#define nn_get_buffer(m, target) \
    NN_TREE_(Tensor *, (nn_get_buffer)(t__m, target), "nn_get_buffer(" #m ", " #target ")", m)
typedef struct nn_SubmoduleArguments_ { int first_; bool strict; } nn_SubmoduleArguments_;
#define nn_set_submodule(m, target, ...) \
    T_BEGIN_("nn_set_submodule(" #m ", " #target ", " #__VA_ARGS__ ")") void *t__m = (m); \
    const char *t__n = (target); void *t__c = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_SubmoduleArguments_, t__o, .strict = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (nn_set_submodule)(t__m, t__n, t__c, t__o.strict))
/* nn_get(layers, -1), or with its class, nn_get(layers, 0, nn_Linear)->weight; nn_get(choices, "conv") of a dict */
#define nn_get(list, ...) T_TENTH_(__VA_ARGS__, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET2_, \
    NN_GET2_, NN_GET1_, 0) \
    ("nn_get(" #list ", " #__VA_ARGS__ ")", list, __VA_ARGS__)
#define NN_GET1_(text, list, index) T_BEGIN_(text) void *t__m = (void *)(list); NN_INDEX_(index) \
    T_END_(NN_ITEM_(list), NN_IS_KEY_(index) ? (nn_get_key)(t__m, t__k) : (nn_get)(t__m, t__n))
/* The type of a container's items: Tensor * for a list or dict of parameters */
#define NN_ITEM_(list) __typeof__(_Generic((list), \
    nn_ParameterList *: (Tensor *)0, const nn_ParameterList *: (Tensor *)0, \
    nn_ParameterDict *: (Tensor *)0, const nn_ParameterDict *: (Tensor *)0, default: (void *)0))
#define NN_GET2_(text, list, index, Type) T_BEGIN_(text) void *t__m = (void *)(list); NN_INDEX_(index) \
    T_END_(Type *, NN_IS_KEY_(index) ? (nn_get_key_of)(t__m, t__k, #Type, sizeof(Type)) \
    : (nn_get_of)(t__m, t__n, #Type, sizeof(Type)))
/* nn_Linear *l = nn_as(m, nn_Linear); if (l) ...: if isinstance(m, nn.Linear) */
#define nn_as(m, Type) NN_TREE_(Type *, (nn_as_of)(t__m, #Type, sizeof(Type)), "nn_as(" #m ", " #Type ")", m)

/* ---- nn.utils: nn_utils_clip_grad_norm_(nn_parameters(model), 1.0, .norm_type = INFINITY) ---- */
typedef struct nn_NormArguments_ { int first_; double max_norm, norm_type; bool error_if_nonfinite; } nn_NormArguments_;
typedef struct nn_TotalNormArguments_ { int first_; double norm_type; bool error_if_nonfinite; } nn_TotalNormArguments_;
#define NN_UTILS_(type, call, text, Options, defaults, list, ...) T_BEGIN_(text) t_TensorList *t__l = (list); \
    T_OPTIONS_(Options, t__o, NN_WITH_ defaults, .first_ = 0, __VA_ARGS__) T_END_(type, call)
#define nn_utils_clip_grad_norm_(...) NN_UTILS_(Tensor *, \
    (nn_utils_clip_grad_norm_)(t__l, t__o.max_norm, t__o.norm_type, t__o.error_if_nonfinite), \
    "nn_utils_clip_grad_norm_(" #__VA_ARGS__ ")", nn_NormArguments_, (.norm_type = 2), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define nn_utils_get_total_norm(...) NN_UTILS_(Tensor *, \
    (nn_utils_get_total_norm)(t__l, t__o.norm_type, t__o.error_if_nonfinite), \
    "nn_utils_get_total_norm(" #__VA_ARGS__ ")", nn_TotalNormArguments_, (.norm_type = 2), T_HEAD_(__VA_ARGS__), \
    T_TAIL_(__VA_ARGS__))
#define nn_utils_clip_grad_value_(parameters, clip_value) \
    T_BEGIN_("nn_utils_clip_grad_value_(" #parameters ", " #clip_value ")") \
    t_TensorList *t__l = (parameters); const double t__n = (clip_value); \
    T_END_(bool, (nn_utils_clip_grad_value_)(t__l, t__n))
#define nn_utils_clip_grads_with_norm_(parameters, max_norm, total_norm) \
    T_BEGIN_("nn_utils_clip_grads_with_norm_(" #parameters ", " #max_norm ", " #total_norm ")") \
    t_TensorList *t__l = (parameters); const double t__n = (max_norm); T_TENSOR_(t__a, (total_norm)) \
    T_END_(bool, (nn_utils_clip_grads_with_norm_)(t__l, t__n, t__a))
#define nn_utils_parameters_to_vector(parameters) T_BEGIN_("nn_utils_parameters_to_vector(" #parameters ")") \
    t_TensorList *t__l = (parameters); T_END_(Tensor *, (nn_utils_parameters_to_vector)(t__l))
#define nn_utils_vector_to_parameters(vec, parameters) \
    T_BEGIN_("nn_utils_vector_to_parameters(" #vec ", " #parameters ")") \
    Tensor *t__a = (vec); t_TensorList *t__l = (parameters); T_END_(bool, (nn_utils_vector_to_parameters)(t__a, t__l))

/* for_module (layer, self->layers) { x = nn_call(layer, x); }: layer is a void *, so that any class takes it. */
#define for_module(name, list) T_FOR_MODULE_(__COUNTER__, name, list)
#define T_FOR_MODULE_(n, name, list) T_FOR_NAME_(#name) \
    for (nn_Entry *T_GLUE_(t__entry_, n) = nn_child_(&(list)->base, NULL); T_GLUE_(t__entry_, n); \
    T_GLUE_(t__entry_, n) = NULL) \
    for (void *name = T_GLUE_(t__entry_, n)->value; T_GLUE_(t__entry_, n); \
         name = (T_GLUE_(t__entry_, n) = nn_child_(NULL, T_GLUE_(t__entry_, n))) ? T_GLUE_(t__entry_, n)->value : NULL)
/* The first child of a module, or the next one after another. */
static inline nn_Entry *nn_child_(const nn_Module *self, const nn_Entry *previous) {
    nn_Entry *entry = self ? self->first : previous ? previous->next : NULL;
    while (entry && entry->kind != nn_child_kind) entry = entry->next;
    return entry;
}
/* for_parameters (p, model) { nn_init_normal_(p); }: for p in model.parameters() */
#define for_parameters(p, model) for_list (p, nn_parameters(model))

/* for_named (p, nn_named_parameters(model)) { p->name, p->tensor, p->module } */
#define for_named(item, list) T_FOR_NAMED_(__COUNTER__, item, list)
#define T_FOR_NAMED_(n, item, list) T_FOR_NAME_(#item) \
    for (nn_NamedList *T_GLUE_(t__list_, n) = (list); T_GLUE_(t__list_, n); T_GLUE_(t__list_, n) = NULL) \
    for (nn_Named *item = T_GLUE_(t__list_, n)->items, *T_GLUE_(t__end_, n) = item + T_GLUE_(t__list_, n)->len; \
         item < T_GLUE_(t__end_, n); item++)

/* ---- constructors with keywords ---- */

/* nn_Linear(3, 2), nn_Linear(3, 2, .bias = false), nn_Linear(.in_features = 3, .out_features = 2) */
typedef struct nn_LinearArguments_ {
    int first_; int64_t in_features, out_features; bool bias; int dtype;
} nn_LinearArguments_;
typedef struct nn_BilinearArguments_ {
    int first_; int64_t in1_features, in2_features, out_features; bool bias; int dtype;
} nn_BilinearArguments_;
typedef struct nn_EmbeddingArguments_ {
    int first_;
    int64_t num_embeddings, embedding_dim, padding_idx;
    double max_norm, norm_type;
    bool scale_grad_by_freq, sparse;
    Tensor *_weight;
    bool _freeze;
    int dtype;
} nn_EmbeddingArguments_;
typedef struct nn_PretrainedArguments_ {
    int first_;
    bool freeze;
    int64_t padding_idx;
    double max_norm, norm_type;
    bool scale_grad_by_freq, sparse;
} nn_PretrainedArguments_;
#define nn_Linear(...) T_NEW_ARGUMENTS_(nn_Linear *, (in_features, out_features), \
    nn_Linear_new(t__o.in_features, t__o.out_features, \
    &(const nn_LinearOptions){sizeof(nn_LinearOptions), t__o.bias, (t_DType)t__o.dtype}), \
    "nn_Linear(" #__VA_ARGS__ ")", nn_LinearArguments_, (.in_features = T_NONE, .out_features = T_NONE, .bias = true), \
    __VA_ARGS__)
#define nn_Bilinear(...) T_NEW_ARGUMENTS_(nn_Bilinear *, (in1_features, in2_features, out_features), \
    nn_Bilinear_new(t__o.in1_features, t__o.in2_features, t__o.out_features, \
    &(const nn_LinearOptions){sizeof(nn_LinearOptions), t__o.bias, (t_DType)t__o.dtype}), \
    "nn_Bilinear(" #__VA_ARGS__ ")", nn_BilinearArguments_, \
    (.in1_features = T_NONE, .in2_features = T_NONE, .out_features = T_NONE, .bias = true), __VA_ARGS__)
#define nn_Embedding(...) T_NEW_ARGUMENTS_(nn_Embedding *, (num_embeddings, embedding_dim), \
    nn_Embedding_new(t__o.num_embeddings, t__o.embedding_dim, \
    &(const nn_EmbeddingOptions){sizeof(nn_EmbeddingOptions), t__o.padding_idx, t__o.max_norm, t__o.norm_type, \
    t__o.scale_grad_by_freq, (t_DType)t__o.dtype, t__o.sparse, t__o._weight, t__o._freeze}), \
    "nn_Embedding(" #__VA_ARGS__ ")", nn_EmbeddingArguments_, \
    (.num_embeddings = T_NONE, .embedding_dim = T_NONE, .padding_idx = T_NONE, \
    .max_norm = (double)__builtin_nanf(""), .norm_type = 2), __VA_ARGS__)
/* nn_Embedding_from_pretrained(vectors), nn_Embedding_from_pretrained(vectors, .freeze = false) */
#define nn_Embedding_from_pretrained(...) T_BEGIN_("nn_Embedding_from_pretrained(" #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) T_OPTIONS_(nn_PretrainedArguments_, t__o, .freeze = true, \
    .padding_idx = T_NONE, .max_norm = (double)__builtin_nanf(""), .norm_type = 2, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(nn_Embedding *, (nn_Embedding_from_pretrained)(t__a, t__o.freeze, \
    &(const nn_EmbeddingOptions){sizeof(nn_EmbeddingOptions), t__o.padding_idx, t__o.max_norm, t__o.norm_type, \
    t__o.scale_grad_by_freq, (t_DType)0, t__o.sparse, NULL, false}))
/* nn_EmbeddingBag(1000, 64, .mode = "sum"); nn_EmbeddingBag_call(bag, ids, offsets),
 * nn_EmbeddingBag_call(bag, ids, .per_sample_weights = w) */
typedef struct nn_EmbeddingBagArguments_ {
    int first_;
    int64_t num_embeddings, embedding_dim;
    double max_norm, norm_type;
    bool scale_grad_by_freq;
    const char *mode;
    bool include_last_offset;
    int64_t padding_idx;
    int dtype;
    bool sparse;
} nn_EmbeddingBagArguments_;
typedef struct nn_EmbeddingBagCall_ { int first_; Tensor *input, *offsets, *per_sample_weights; } nn_EmbeddingBagCall_;
#define nn_EmbeddingBag(...) T_NEW_ARGUMENTS_(nn_EmbeddingBag *, (num_embeddings, embedding_dim), \
    nn_EmbeddingBag_new(t__o.num_embeddings, t__o.embedding_dim, \
    &(const nn_EmbeddingBagOptions){sizeof(nn_EmbeddingBagOptions), t__o.max_norm, t__o.norm_type, \
    t__o.scale_grad_by_freq, t__o.mode, t__o.include_last_offset, t__o.padding_idx, (t_DType)t__o.dtype, \
    t__o.sparse}), \
    "nn_EmbeddingBag(" #__VA_ARGS__ ")", nn_EmbeddingBagArguments_, \
    (.num_embeddings = T_NONE, .embedding_dim = T_NONE, .max_norm = (double)__builtin_nanf(""), .norm_type = 2, \
    .mode = "mean", .padding_idx = T_NONE), __VA_ARGS__)
typedef struct nn_DropoutArguments_ { int first_; double p; bool inplace; } nn_DropoutArguments_;
#define nn_Dropout(...) T_BEGIN_("nn_Dropout(" #__VA_ARGS__ ")") \
    T_OPTIONS_(nn_DropoutArguments_, t__o, .p = 0.5, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Dropout *, nn_Dropout_new(t__o.p, t__o.inplace))
/* nn_LayerNorm(64), nn_LayerNorm(64, .eps = 1e-12), nn_LayerNorm((2, 3)) over the last two dims */
typedef struct nn_LayerNormArguments_ {
    int first_;
    int64_t normalized_shape_;
    double eps;
    bool elementwise_affine, bias;
    int dtype;
    t_Tuple normalized_shape;
} nn_LayerNormArguments_;
#define nn_LayerNorm(...) T_NEW_ARGUMENTS_(nn_LayerNorm *, (normalized_shape), \
    nn_LayerNorm_new(T_LIST_OF_(normalized_shape), \
    &(const nn_LayerNormOptions){sizeof(nn_LayerNormOptions), t__o.eps, t__o.elementwise_affine, t__o.bias, \
    (t_DType)t__o.dtype}), "nn_LayerNorm(" #__VA_ARGS__ ")", nn_LayerNormArguments_, \
    (.normalized_shape_ = T_LEFT_OUT_, .normalized_shape = T_NO_TUPLE_, .eps = 1e-5, .elementwise_affine = true, \
    .bias = true), T_NAMED_((normalized_shape, eps), __VA_ARGS__))
#define nn_Identity() T_BEGIN_("nn_Identity()") T_END_(nn_Identity *, nn_Identity_new())
#define NN_LIST_(Type, text, ...) T_BEGIN_(text) void *const t__l[] = {NULL, __VA_ARGS__}; \
    T_END_(Type *, Type##_new(t__l + 1, (int64_t)(sizeof t__l / sizeof *t__l) - 1))
#define nn_Sequential(...) NN_LIST_(nn_Sequential, "nn_Sequential(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ModuleList(...) NN_LIST_(nn_ModuleList, "nn_ModuleList(" #__VA_ARGS__ ")", __VA_ARGS__)
/* nn_ParameterList(p, q), nn_ParameterDict({"left", p}, {"right", q}), nn_ModuleDict({"conv", nn_Conv2d(1, 8, 3)}) */
#define nn_ParameterList(...) T_BEGIN_("nn_ParameterList(" #__VA_ARGS__ ")") \
    Tensor *const t__l[] = {NULL, __VA_ARGS__}; \
    T_END_(nn_ParameterList *, nn_ParameterList_new(t__l + 1, (int64_t)(sizeof t__l / sizeof *t__l) - 1))
#define NN_DICT_(Type, Item, text, ...) T_BEGIN_(text) const Item t__l[] = {{NULL, NULL}, __VA_ARGS__}; \
    T_END_(Type *, Type##_new(t__l + 1, (int64_t)(sizeof t__l / sizeof *t__l) - 1))
#define nn_ParameterDict(...) NN_DICT_(nn_ParameterDict, nn_NamedParameter, "nn_ParameterDict(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_ModuleDict(...) NN_DICT_(nn_ModuleDict, nn_NamedModule, "nn_ModuleDict(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_append(list, module) T_BEGIN_("nn_append(" #list ", " #module ")") void *t__l = (list), *t__m = (module); \
    T_END_(bool, (nn_append)(t__l, t__m))

/* nn_MultiHeadAttention(512, 8, 0.1), nn_EncoderLayer(512, 8, 2048, .norm_first = true),
 * nn_Encoder(.num_layers = 6, .d_model = 512, ...) */
typedef struct nn_MultiHeadAttentionArguments_ {
    int first_; int64_t d_model, num_heads; double dropout; nn_MaskPolarity polarity;
} nn_MultiHeadAttentionArguments_;
typedef struct nn_FeedForwardArguments_ {
    int first_; int64_t d_model, d_ff; double dropout; const char *activation;
} nn_FeedForwardArguments_;
typedef struct nn_PositionalEncodingArguments_ {
    int first_; int64_t d_model, max_len; double dropout; nn_Sinusoid sinusoid;
} nn_PositionalEncodingArguments_;
typedef struct nn_LayerArguments_ {
    int first_;
    int64_t d_model, num_heads, d_ff;
    double dropout;
    const char *activation;
    bool norm_first;
    nn_MaskPolarity polarity;
} nn_LayerArguments_;
typedef struct nn_StackArguments_ {
    int first_;
    int64_t num_layers, d_model, num_heads, d_ff, vocab_size, max_len;
    double dropout;
    const char *activation;
    bool norm_first, scale_embedding;
    int64_t padding_idx;
    nn_Sinusoid sinusoid;
    nn_MaskPolarity polarity;
} nn_StackArguments_;
typedef struct nn_EncoderDecoderArguments_ {
    int first_;
    int64_t num_layers, d_model, num_heads, d_ff, src_vocab, tgt_vocab, src_max_len, tgt_max_len;
    double dropout;
    const char *activation;
    bool norm_first, scale_embedding;
    int64_t src_padding_idx, tgt_padding_idx;
    nn_Sinusoid sinusoid;
    nn_MaskPolarity polarity;
} nn_EncoderDecoderArguments_;
#define nn_MultiHeadAttention(...) T_NEW_ARGUMENTS_(nn_MultiHeadAttention *, (d_model, num_heads), \
    nn_MultiHeadAttention_new(t__o.d_model, t__o.num_heads, \
    &(const nn_MultiHeadAttentionOptions){sizeof(nn_MultiHeadAttentionOptions), t__o.dropout, t__o.polarity}), \
    "nn_MultiHeadAttention(" #__VA_ARGS__ ")", nn_MultiHeadAttentionArguments_, \
    (.d_model = T_NONE, .num_heads = T_NONE, .dropout = 0.1), __VA_ARGS__)
#define nn_FeedForward(...) T_NEW_ARGUMENTS_(nn_FeedForward *, (d_model, d_ff), \
    nn_FeedForward_new(t__o.d_model, t__o.d_ff, \
    &(const nn_FeedForwardOptions){sizeof(nn_FeedForwardOptions), t__o.dropout, t__o.activation}), \
    "nn_FeedForward(" #__VA_ARGS__ ")", nn_FeedForwardArguments_, \
    (.d_model = T_NONE, .d_ff = T_NONE, .dropout = 0.1, .activation = "relu"), __VA_ARGS__)
#define nn_PositionalEncoding(...) T_NEW_ARGUMENTS_(nn_PositionalEncoding *, (d_model), \
    nn_PositionalEncoding_new(t__o.d_model, \
    &(const nn_PositionalEncodingOptions){sizeof(nn_PositionalEncodingOptions), t__o.max_len, t__o.dropout, \
    t__o.sinusoid}), "nn_PositionalEncoding(" #__VA_ARGS__ ")", nn_PositionalEncodingArguments_, \
    (.d_model = T_NONE, .max_len = 5000, .dropout = 0.1), __VA_ARGS__)
#define nn_EncoderLayer(...) T_NEW_ARGUMENTS_(nn_EncoderLayer *, (d_model, num_heads, d_ff), \
    nn_EncoderLayer_new(t__o.d_model, t__o.num_heads, t__o.d_ff, \
    &(const nn_EncoderLayerOptions){sizeof(nn_EncoderLayerOptions), t__o.dropout, t__o.activation, t__o.norm_first, \
    t__o.polarity}), "nn_EncoderLayer(" #__VA_ARGS__ ")", nn_LayerArguments_, \
    (.d_model = T_NONE, .num_heads = T_NONE, .d_ff = T_NONE, .dropout = 0.1, .activation = "relu"), __VA_ARGS__)
#define nn_DecoderLayer(...) T_NEW_ARGUMENTS_(nn_DecoderLayer *, (d_model, num_heads, d_ff), \
    nn_DecoderLayer_new(t__o.d_model, t__o.num_heads, t__o.d_ff, \
    &(const nn_DecoderLayerOptions){sizeof(nn_DecoderLayerOptions), t__o.dropout, t__o.activation, t__o.norm_first, \
    t__o.polarity}), "nn_DecoderLayer(" #__VA_ARGS__ ")", nn_LayerArguments_, \
    (.d_model = T_NONE, .num_heads = T_NONE, .d_ff = T_NONE, .dropout = 0.1, .activation = "relu"), __VA_ARGS__)
#define nn_Encoder(...) T_NEW_ARGUMENTS_(nn_Encoder *, (num_layers, d_model, num_heads, d_ff, vocab_size), \
    nn_Encoder_new(t__o.num_layers, t__o.d_model, t__o.num_heads, t__o.d_ff, t__o.vocab_size, \
    &(const nn_EncoderOptions){sizeof(nn_EncoderOptions), t__o.max_len, t__o.dropout, t__o.activation, \
    t__o.norm_first, t__o.scale_embedding, t__o.padding_idx, t__o.sinusoid, t__o.polarity}), \
    "nn_Encoder(" #__VA_ARGS__ ")", nn_StackArguments_, \
    (.num_layers = T_NONE, .d_model = T_NONE, .num_heads = T_NONE, .d_ff = T_NONE, .vocab_size = T_NONE, \
    .max_len = 5000, .dropout = 0.1, .activation = "relu", .scale_embedding = true, .padding_idx = T_NONE), __VA_ARGS__)
#define nn_Decoder(...) T_NEW_ARGUMENTS_(nn_Decoder *, (num_layers, d_model, num_heads, d_ff, vocab_size), \
    nn_Decoder_new(t__o.num_layers, t__o.d_model, t__o.num_heads, t__o.d_ff, t__o.vocab_size, \
    &(const nn_DecoderOptions){sizeof(nn_DecoderOptions), t__o.max_len, t__o.dropout, t__o.activation, \
    t__o.norm_first, t__o.scale_embedding, t__o.padding_idx, t__o.sinusoid, t__o.polarity}), \
    "nn_Decoder(" #__VA_ARGS__ ")", nn_StackArguments_, \
    (.num_layers = T_NONE, .d_model = T_NONE, .num_heads = T_NONE, .d_ff = T_NONE, .vocab_size = T_NONE, \
    .max_len = 5000, .dropout = 0.1, .activation = "relu", .scale_embedding = true, .padding_idx = T_NONE), __VA_ARGS__)
/* nn_EncoderDecoder(num_layers, d_model, num_heads, d_ff, src_vocab, tgt_vocab, .norm_first = true) */
#define nn_EncoderDecoder(...) T_NEW_ARGUMENTS_(nn_EncoderDecoder *, \
    (num_layers, d_model, num_heads, d_ff, src_vocab, tgt_vocab), \
    nn_EncoderDecoder_new(t__o.num_layers, t__o.d_model, t__o.num_heads, t__o.d_ff, t__o.src_vocab, t__o.tgt_vocab, \
    &(const nn_EncoderDecoderOptions){sizeof(nn_EncoderDecoderOptions), t__o.src_max_len, t__o.tgt_max_len, \
    t__o.dropout, t__o.activation, t__o.norm_first, t__o.scale_embedding, t__o.src_padding_idx, t__o.tgt_padding_idx, \
    t__o.sinusoid, t__o.polarity}), "nn_EncoderDecoder(" #__VA_ARGS__ ")", nn_EncoderDecoderArguments_, \
    (.num_layers = T_NONE, .d_model = T_NONE, .num_heads = T_NONE, .d_ff = T_NONE, .src_vocab = T_NONE, \
    .tgt_vocab = T_NONE, .src_max_len = 5000, .tgt_max_len = 5000, .dropout = 0.1, .activation = "relu", \
    .scale_embedding = true, .src_padding_idx = T_NONE, .tgt_padding_idx = T_NONE), __VA_ARGS__)
/* nn_MultiHeadAttention_call(mha, q, k, v), nn_MultiHeadAttention_call(mha, q, k, v, mask, &weights), or
 * .weights = &weights alone */
typedef struct nn_AttentionCall_ { int first_; Tensor *query, *key, *value, *mask, **weights; } nn_AttentionCall_;
typedef struct nn_EncoderLayerCall_ { int first_; Tensor *x, *mask, **weights; } nn_EncoderLayerCall_;
typedef struct nn_EncoderCall_ { int first_; Tensor *ids, *mask; t_TensorList **weights; } nn_EncoderCall_;
typedef struct nn_DecoderLayerCall_ {
    int first_; Tensor *x, *memory, *src_mask, *tgt_mask, **self_weights, **cross_weights;
} nn_DecoderLayerCall_;
typedef struct nn_DecoderCall_ {
    int first_; Tensor *ids, *memory, *src_mask, *tgt_mask; nn_DecoderWeights *weights;
} nn_DecoderCall_;
typedef struct nn_EncoderDecoderCall_ {
    int first_; Tensor *src, *tgt, *src_mask, *tgt_mask; nn_EncoderDecoderWeights *weights;
} nn_EncoderDecoderCall_;
typedef struct nn_EncodeCall_ { int first_; Tensor *src, *src_mask; t_TensorList **weights; } nn_EncodeCall_;
typedef struct nn_DecodeCall_ {
    int first_; Tensor *tgt, *memory, *src_mask, *tgt_mask; nn_DecoderWeights *weights;
} nn_DecodeCall_;
#define NN_FORWARD_(f, Type, Call, required, call, text, ...) T_BEGIN_(text) T_AT_LEAST_(required, text, __VA_ARGS__) \
    Type *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(Call, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f) call)
#define nn_MultiHeadAttention_call(...) NN_FORWARD_(nn_MultiHeadAttention_call, nn_MultiHeadAttention, \
    nn_AttentionCall_, (module, query, key, value), (t__m, t__o.query, t__o.key, t__o.value, t__o.mask, t__o.weights), \
    "nn_MultiHeadAttention_call(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_EncoderLayer_call(...) NN_FORWARD_(nn_EncoderLayer_call, nn_EncoderLayer, nn_EncoderLayerCall_, \
    (module, x), (t__m, t__o.x, t__o.mask, t__o.weights), "nn_EncoderLayer_call(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_EmbeddingBag_call(...) NN_FORWARD_(nn_EmbeddingBag_call, nn_EmbeddingBag, nn_EmbeddingBagCall_, \
    (module, input), (t__m, t__o.input, t__o.offsets, t__o.per_sample_weights), \
    "nn_EmbeddingBag_call(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_Encoder_call(...) NN_FORWARD_(nn_Encoder_call, nn_Encoder, nn_EncoderCall_, (module, ids), \
    (t__m, t__o.ids, t__o.mask, t__o.weights), "nn_Encoder_call(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_DecoderLayer_call(...) NN_FORWARD_(nn_DecoderLayer_call, nn_DecoderLayer, nn_DecoderLayerCall_, \
    (module, x, memory), (t__m, t__o.x, t__o.memory, t__o.src_mask, t__o.tgt_mask, t__o.self_weights, \
    t__o.cross_weights), "nn_DecoderLayer_call(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_Decoder_call(...) NN_FORWARD_(nn_Decoder_call, nn_Decoder, nn_DecoderCall_, (module, ids, memory), \
    (t__m, t__o.ids, t__o.memory, t__o.src_mask, t__o.tgt_mask, t__o.weights), "nn_Decoder_call(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_EncoderDecoder_call(...) NN_FORWARD_(nn_EncoderDecoder_call, nn_EncoderDecoder, nn_EncoderDecoderCall_, \
    (module, src, tgt), (t__m, t__o.src, t__o.tgt, t__o.src_mask, t__o.tgt_mask, t__o.weights), \
    "nn_EncoderDecoder_call(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_EncoderDecoder_encode(...) NN_FORWARD_(nn_EncoderDecoder_encode, nn_EncoderDecoder, nn_EncodeCall_, \
    (module, src), (t__m, t__o.src, t__o.src_mask, t__o.weights), "nn_EncoderDecoder_encode(" #__VA_ARGS__ ")", \
    __VA_ARGS__)
#define nn_EncoderDecoder_decode(...) NN_FORWARD_(nn_EncoderDecoder_decode, nn_EncoderDecoder, nn_DecodeCall_, \
    (module, tgt, memory), (t__m, t__o.tgt, t__o.memory, t__o.src_mask, t__o.tgt_mask, t__o.weights), \
    "nn_EncoderDecoder_decode(" #__VA_ARGS__ ")", __VA_ARGS__)

/* ---- masks ---- */
typedef struct nn_PaddingArguments_ { int first_; int64_t pad_idx; } nn_PaddingArguments_;
#define NN_MASK_(f, text, ...) T_OP_ARGUMENTS_((input, pad_idx), (f)(t__a, t__o.pad_idx), text, nn_PaddingArguments_, \
    (.pad_idx = T_NONE), __VA_ARGS__)
#define nn_keep_padding(...) NN_MASK_(nn_keep_padding, "nn_keep_padding(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_keep_target(...) NN_MASK_(nn_keep_target, "nn_keep_target(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_keep_causal(n) T_BEGIN_("nn_keep_causal(" #n ")") T_END_(Tensor *, (nn_keep_causal)(n))
#define nn_hide_padding(...) NN_MASK_(nn_hide_padding, "nn_hide_padding(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_hide_target(...) NN_MASK_(nn_hide_target, "nn_hide_target(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_hide_causal(n) T_BEGIN_("nn_hide_causal(" #n ")") T_END_(Tensor *, (nn_hide_causal)(n))

#endif
#endif
