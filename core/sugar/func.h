/* core/sugar/func.h: the macros for the functions of core/func (public; part of core/sugar/sugar.h).
 *
 * f is a function in one of the forms of callback.h. The result is a tensor where PyTorch's is: a gradient of a tensor,
 * the output of an f that returns a tensor. The gradients and the Jacobian of a dict are a dict with its names. */
#ifndef TAPEGRAD_CORE_SUGAR_FUNC_H
#define TAPEGRAD_CORE_SUGAR_FUNC_H
#pragma GCC system_header

#include "core/func/checkpoint.h"
#include "core/func/forward_ad.h"
#include "core/func/func.h"
#include "core/func/functional.h"
#include "core/sugar/callback.h"
#include "core/sugar/sugar_macros.h"
#include "core/sugar/with_for.h"

/* f, inputs: declares t__g, t__c (the callback), t__i (the inputs as given) and t__l (as a list). */
#define T_FUNC_(text, function, inputs, type, ...) T_BEGIN_(text) __auto_type t__f = (function); \
    __auto_type t__i = (inputs); t_TensorList *t__l = T_AS_LIST_(t__i); T_OPTIONS_(type, t__k, __VA_ARGS__) \
    T_CALLBACK_(t__k.context)
/* The result as a tensor if `single`, else as a list. */
#define T_FUNC_END_(single, call) \
    T_END_(__typeof__(*__builtin_choose_expr(single, (Tensor **)0, (t_TensorList **)0)), \
        __builtin_choose_expr(single, t_only_, t_many_)(call))
#define T_ONE_INPUT_ _Generic(t__i, Tensor *: 1, t_TensorList *: 0)
#define T_ONE_OUTPUT_ !T_RETURNS_LIST_
/* If `one`, the result is a tensor for a tensor and a dict for a dict; else it is a list. */
static inline Tensor *t_like_tensor_(Tensor *x, t_TensorList *list) { (void)x; return t_only_(list); }
static inline t_TensorList *t_like_list_(void *x, t_TensorList *list) { (void)x; return list; }
#define T_FUNC_EACH_(one, call) T_END_(__typeof__(*__builtin_choose_expr(one, \
        _Generic(t__i, Tensor *: (Tensor **)0, t_TensorDict *: (t_TensorDict **)0, default: (t_TensorList **)0), \
        (t_TensorList **)0)), \
    __builtin_choose_expr(one, \
        _Generic(t__i, Tensor *: t_like_tensor_, t_TensorDict *: t_named_, default: t_like_list_), \
        t_like_list_)(t__i, call))

/* ---- torch.autograd.functional: g = t_autograd_functional_vjp(f, x, v, .context = &c, .output = &y, .create_graph =
 * true) ---- */
typedef struct t_FunctionalArguments_ {
    void *context;
    Tensor **output;
    t_TensorList **outputs;
    int first_;
    void *v;
    bool create_graph, strict;
} t_FunctionalArguments_;
#define T_FUNCTIONAL_(name, single, f, inputs, ...) \
    T_FUNC_(#name "(" #f ", " #inputs ")", f, inputs, t_FunctionalArguments_, .first_ = 0, __VA_ARGS__) \
    const t_FunctionalOptions t__o = {sizeof t__o, t__k.create_graph, t__k.strict, t__k.output, t__k.outputs}; \
    T_FUNC_END_(single, (name)(t__g, t__l, &t__c, t_as_list_(t__k.v), &t__o))
#define t_autograd_functional_vjp(f, ...) \
    T_FUNCTIONAL_(t_autograd_functional_vjp, T_ONE_INPUT_, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_autograd_functional_jvp(f, ...) \
    T_FUNCTIONAL_(t_autograd_functional_jvp, T_ONE_OUTPUT_, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_autograd_functional_vhp(f, ...) \
    T_FUNCTIONAL_(t_autograd_functional_vhp, T_ONE_INPUT_, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_autograd_functional_hvp(f, ...) \
    T_FUNCTIONAL_(t_autograd_functional_hvp, T_ONE_INPUT_, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* J = t_autograd_functional_jacobian(f, x, .create_graph = true) */
typedef struct t_JacobianArguments_ {
    void *context;
    int first_;
    bool create_graph, strict, vectorize;
    const char *strategy, *outer_jacobian_strategy;
} t_JacobianArguments_;
#define T_JACOBIAN_(name, single, given, f, inputs, ...) \
    T_FUNC_(#name "(" #f ", " #inputs ")", f, inputs, t_JacobianArguments_, .strategy = "reverse-mode", \
        .outer_jacobian_strategy = "reverse-mode", .first_ = 0, __VA_ARGS__) \
    const t_JacobianOptions t__o = {sizeof t__o, t__k.create_graph, t__k.strict, t__k.vectorize, t__k.given}; \
    T_FUNC_END_(single, (name)(t__g, t__l, &t__c, &t__o))
#define t_autograd_functional_jacobian(f, ...) T_JACOBIAN_(t_autograd_functional_jacobian, \
    (T_ONE_INPUT_ && T_ONE_OUTPUT_), strategy, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_autograd_functional_hessian(f, ...) T_JACOBIAN_(t_autograd_functional_hessian, T_ONE_INPUT_, \
    outer_jacobian_strategy, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- torch.func: g = t_func_grad(f, x, .context = &c), g = t_func_grad_and_value(f, t_list(w, x), .argnums =
 * t_tuple(0), .value = &loss, .aux = &predictions) ---- */
typedef struct t_FuncArguments_ {
    void *context;
    t_Tuple argnums;
    Tensor **output, **value;
    t_TensorList **outputs, **aux;
    bool strict;
    int64_t chunk_size;
    int first_;
    struct t_too_many_arguments_ *rest_;
} t_FuncArguments_;
#define T_TORCH_FUNC_(text, f, inputs, ...) \
    T_FUNC_(text, f, inputs, t_FuncArguments_, .chunk_size = INT64_MAX, .first_ = 0, __VA_ARGS__) \
    const t_FuncOptions t__o = {sizeof t__o, t__k.argnums.items, t__k.argnums.len, t__k.strict, t__k.chunk_size, \
        t__k.value ? t__k.value : t__k.output, t__k.outputs, t__k.aux};
#define T_FUNC_GRAD_(name, one, f, inputs, ...) \
    T_TORCH_FUNC_(#name "(" #f ", " #inputs ")", f, inputs, __VA_ARGS__) \
    T_FUNC_EACH_(one, (name)(t__g, t__l, &t__c, &t__o))
#define t_func_grad(f, ...) T_FUNC_GRAD_(t_func_grad, 1, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_func_grad_and_value(f, ...) \
    T_FUNC_GRAD_(t_func_grad_and_value, 1, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_func_jacrev(f, ...) \
    T_FUNC_GRAD_(t_func_jacrev, T_ONE_OUTPUT_, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_func_jacfwd(f, ...) \
    T_FUNC_GRAD_(t_func_jacfwd, T_ONE_OUTPUT_, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* of a dict a list */
#define t_func_hessian(f, ...) T_FUNC_HESSIAN_(f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define T_FUNC_HESSIAN_(f, inputs, ...) T_TORCH_FUNC_("t_func_hessian(" #f ", " #inputs ")", f, inputs, __VA_ARGS__) \
    T_FUNC_END_((_Generic(t__i, Tensor *: 1, default: 0) && T_ONE_OUTPUT_), (t_func_hessian)(t__g, t__l, &t__c, &t__o))
/* t_LinearFunction *vjp_fn = t_func_vjp(f, x, .output = &y); g = t_func_call(vjp_fn, v), a list */
#define T_FUNC_LINEAR_(name, f, inputs, ...) T_TORCH_FUNC_(#name "(" #f ", " #inputs ")", f, inputs, __VA_ARGS__) \
    T_END_(t_LinearFunction *, (name)(t__g, t__l, &t__c, &t__o))
#define t_func_vjp(f, ...) T_FUNC_LINEAR_(t_func_vjp, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_func_linearize(f, ...) T_FUNC_LINEAR_(t_func_linearize, f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_func_call(function, v) T_BEGIN_("t_func_call(" #function ", " #v ")") t_LinearFunction *t__f = (function); \
    t_TensorList *t__v = T_AS_LIST_(v); T_END_(t_TensorList *, (t_func_call)(t__f, t__v))
/* dy = t_func_jvp(f, x, v, .output = &y) */
#define t_func_jvp(f, primals, ...) T_TORCH_FUNC_("t_func_jvp(" #f ", " #primals ", " #__VA_ARGS__ ")", f, primals, \
    T_TAIL_(__VA_ARGS__)) t_TensorList *t__v = T_AS_LIST_(T_HEAD_(__VA_ARGS__)); \
    T_FUNC_END_(T_ONE_OUTPUT_, (t_func_jvp)(t__g, t__l, &t__c, t__v, &t__o))
/* y = t_func_vmap(f, t_list(w, x), .in_dims = t_tuple(T_NONE, 0), .randomness = "different") */
typedef struct t_VmapArguments_ {
    void *context;
    t_Tuple in_dims, out_dims;
    const char *randomness;
    int64_t chunk_size;
    int first_;
    struct t_too_many_arguments_ *rest_;
} t_VmapArguments_;
#define T_VMAP_(text, f, inputs, ...) \
    T_FUNC_(text, f, inputs, t_VmapArguments_, .chunk_size = T_NONE, .first_ = 0, __VA_ARGS__) \
    const t_VmapOptions t__o = {sizeof t__o, t__k.in_dims.items, t__k.out_dims.items, t__k.in_dims.len, \
        t__k.out_dims.len, t__k.randomness, t__k.chunk_size}; \
    T_FUNC_END_(T_ONE_OUTPUT_, (t_func_vmap)(t__g, t__l, &t__c, &t__o))
#define t_func_vmap(f, ...) \
    T_VMAP_("t_func_vmap(" #f ", " #__VA_ARGS__ ")", f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- torch.utils.checkpoint: y = t_checkpoint(f, x, .context = &c, .preserve_rng_state = false) ---- */
typedef struct t_CheckpointArguments_ {
    void *context;
    bool use_reentrant, preserve_rng_state;
    const char *determinism_check;
    int first_;
    struct t_too_many_arguments_ *rest_;
} t_CheckpointArguments_;
#define T_CHECKPOINT_(text, f, inputs, ...) T_FUNC_(text, f, inputs, t_CheckpointArguments_, \
        .preserve_rng_state = true, .determinism_check = "default", .first_ = 0, __VA_ARGS__) \
    const t_CheckpointOptions t__o = {sizeof t__o, t__k.preserve_rng_state, t__k.determinism_check, sizeof t__c, \
        (void *)(uintptr_t)t__c.names}; \
    T_FUNC_END_(T_ONE_OUTPUT_, (t_checkpoint)(t__g, t__l, &t__c, &t__o))
#define t_checkpoint(f, ...) \
    T_CHECKPOINT_("t_checkpoint(" #f ", " #__VA_ARGS__ ")", f, T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- torch.autograd.forward_ad ---- */
#define t_autograd_forward_ad_make_dual(tensor, tangent) \
    T_OP2_(t_autograd_forward_ad_make_dual, "t_autograd_forward_ad_make_dual(" #tensor ", " #tangent ")", tensor, \
           tangent)
/* primal = t_autograd_forward_ad_unpack_dual(y, .tangent = &dy) */
typedef struct t_UnpackDualArguments_ { int first_; Tensor **tangent; } t_UnpackDualArguments_;
#define t_autograd_forward_ad_unpack_dual(...) T_BEGIN_("t_autograd_forward_ad_unpack_dual(" #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_UnpackDualArguments_, t__k, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    const t_UnpackDualOptions t__o = {sizeof t__o, t__k.tangent}; \
    T_END_(Tensor *, (t_autograd_forward_ad_unpack_dual)(t__a, &t__o))
#define t_autograd_forward_ad_enter_dual_level() T_BEGIN_("t_autograd_forward_ad_enter_dual_level()") \
    T_END_(bool, (t_autograd_forward_ad_enter_dual_level)())
#define t_autograd_forward_ad_exit_dual_level() T_BEGIN_("t_autograd_forward_ad_exit_dual_level()") \
    T_END_(bool, (t_autograd_forward_ad_exit_dual_level)())
T_WITH_PARENTHESES_(with_dual_level)
/* with fwAD.dual_level() */
#define with_dual_level() T_WITH_(__COUNTER__, ((t_Guard_){.dual_level = t_autograd_forward_ad_enter_dual_level()}))

#endif
