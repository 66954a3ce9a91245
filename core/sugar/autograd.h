/* core/sugar/autograd.h: the macros for the functions of autograd.h and function.h (public; part of
 * core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_AUTOGRAD_H
#define TAPEGRAD_CORE_SUGAR_AUTOGRAD_H
#pragma GCC system_header

#include "core/sugar/callback.h"
#include "core/sugar/with_for.h"
#include "core/sugar/sugar_macros.h"

/* ---- backward: t_backward(loss), t_backward(y, dy, .retain_graph = true, .inputs = t_list(w, b)) ---- */
typedef struct t_BackwardArguments_ {
    int first_;
    Tensor *gradient;
    bool retain_graph, create_graph;
    void *inputs;
} t_BackwardArguments_;
#define T_BACKWARD_OPTIONS_(...) T_OPTIONS_(t_BackwardArguments_, t__k, .first_ = 0, __VA_ARGS__) \
    const t_BackwardOptions t__o = {sizeof t__o, t__k.gradient, t__k.retain_graph, t__k.create_graph, \
    t_as_list_(t__k.inputs)};
#define t_backward(...) T_BEGIN_("t_backward(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_BACKWARD_OPTIONS_(T_TAIL_(__VA_ARGS__)) T_END_(bool, (t_backward)(t__a, &t__o))
#define t_backward_begin(...) T_BEGIN_("t_backward_begin(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_BACKWARD_OPTIONS_(T_TAIL_(__VA_ARGS__)) T_END_(t_BackwardSteps *, (t_backward_begin)(t__a, &t__o))
#define t_backward_next(steps, step) T_BEGIN_("t_backward_next(" #steps ")") t_BackwardSteps *t__a = (steps); \
    T_END_(bool, (t_backward_next)(t__a, step))
#define t_backward_print(...) T_BEGIN_("t_backward_print(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    FILE *const t__f[] = {NULL, T_TAIL_(__VA_ARGS__)}; \
    T_END_(bool, (t_backward_print)(t__a, t__f[sizeof t__f / sizeof *t__f - 1]))

/* t_autograd_backward(t_list(a, b), t_list(da, db), .retain_graph = true) */
typedef struct t_BackwardsArguments_ {
    int first_;
    void *grad_tensors;
    bool retain_graph, create_graph;
    void *inputs;
} t_BackwardsArguments_;
#define t_autograd_backward(...) T_BEGIN_("t_autograd_backward(" #__VA_ARGS__ ")") \
    t_TensorList *t__a = T_AS_LIST_(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(t_BackwardsArguments_, t__k, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    t_TensorList *t__g = t_as_list_(t__k.grad_tensors); \
    const t_BackwardOptions t__o = {sizeof t__o, NULL, t__k.retain_graph, t__k.create_graph, t_as_list_(t__k.inputs)}; \
    T_END_(bool, (t_autograd_backward)(t__a, t__g, &t__o))

/* for_backward (step, loss) { t_print(step.dy); }: t_backward one record at a time, with one scope per step. Leaving
 * the loop early changes no grad. */
typedef struct t_BackwardLoop_ {
    t_BackwardSteps *steps;
    int depth;
    bool done;
    uint32_t loop;
} t_BackwardLoop_;
static inline void t_backward_loop_close_(t_BackwardLoop_ *loop) {
    t_scope_exit_(loop->depth);
    if (loop->steps) t_backward_end(loop->steps);
}
static inline bool t_backward_loop_next_(t_BackwardLoop_ *loop, t_BackwardStep *step, const t_Site *site) {
    t_scope_exit_(loop->depth);
    const t_Site *before = t_enter_(site);
    loop->depth = loop->steps ? (t_scope_open_in_loop_)(&loop->loop) : 0;
    bool more = loop->depth && (t_backward_next)(loop->steps, step);
    t_leave_(before);
    return more;
}
#define T_FOR_BACKWARD_(n, text, step, ...) T_FOR_NAME_(#step) \
    for (t_BackwardLoop_ T_GLUE_(t__loop_, n) __attribute__((cleanup(t_backward_loop_close_))) = \
             {__extension__({ _Static_assert(sizeof(#__VA_ARGS__) > 1, "for_backward takes a name for the steps and " \
                  "the loss: for_backward (step, loss)"); t_backward_begin(__VA_ARGS__); }), 0, false, 0}; \
         !T_GLUE_(t__loop_, n).done; T_GLUE_(t__loop_, n).done = true) \
    for (t_BackwardStep step; t_backward_loop_next_(&T_GLUE_(t__loop_, n), &step, \
         __extension__({ static const t_Site t__S = {__FILE__, __LINE__, text}; &t__S; }));)
#define for_backward(...) T_FOR_BACKWARD_(__COUNTER__, "for_backward (" #__VA_ARGS__ ")", __VA_ARGS__)

/* ---- t_grad(x) is x.grad. With an output before it, it is torch.autograd.grad, and returns a tensor for a tensor,
 * Tensor *dx = t_grad(loss, x), in Python torch.autograd.grad(loss, x)[0], and a list for a list of inputs,
 * t_grad(loss, t_list(w, b), .create_graph = true). t_autograd_grad(loss, x) always returns a list. ---- */
typedef struct t_GradArguments_ {
    int first_;
    void *grad_outputs;
    bool retain_graph, create_graph, allow_unused, materialize_grads;
} t_GradArguments_;
#define T_GRAD_OPTIONS_(...) T_OPTIONS_(t_GradArguments_, t__k, .first_ = 0, __VA_ARGS__) \
    const t_GradOptions t__o = {sizeof t__o, t_as_list_(t__k.grad_outputs), t__k.retain_graph, t__k.create_graph, \
        t__k.allow_unused, t__k.materialize_grads};
#define T_AUTOGRAD_GRAD_(text, outputs, ...) T_BEGIN_(text) t_TensorList *t__a = T_AS_LIST_(outputs); \
    t_TensorList *t__b = T_AS_LIST_(T_HEAD_(__VA_ARGS__)); T_GRAD_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorList *, (t_autograd_grad)(t__a, t__b, &t__o))
#define t_autograd_grad(...) T_AUTOGRAD_GRAD_("t_autograd_grad(" #__VA_ARGS__ ")", __VA_ARGS__)
#define T_GRAD_1_(text, x) T_OP1_(t_grad, text, x)
#define T_GRAD_N_(text, outputs, ...) T_BEGIN_(text) t_TensorList *t__a = T_AS_LIST_(outputs); \
    __auto_type t__i = T_HEAD_(__VA_ARGS__); t_TensorList *t__b = T_AS_LIST_(t__i); \
    T_GRAD_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    T_END_(__typeof__(t__i), \
        _Generic(t__i, Tensor *: t_only_, t_TensorList *: t_many_)((t_autograd_grad)(t__a, t__b, &t__o)))
#define t_grad(...) T_GLUE_(T_GRAD_, T_TENTH_(__VA_ARGS__, N_, N_, N_, N_, N_, N_, N_, N_, 1_, 0_)) \
    ("t_grad(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_set_grad(x, gradient) T_BEGIN_("t_set_grad(" #x ", " #gradient ")") T_TENSOR_(t__a, (x)) \
    T_OPTIONAL_TENSOR_(t__b, (gradient)) T_END_(bool, (t_set_grad)(t__a, t__b))
#define t_retain_grad(x) T_BEGIN_("t_retain_grad(" #x ")") T_TENSOR_(t__a, (x)) T_END_(bool, (t_retain_grad)(t__a))
#define t_retains_grad(x) T_BEGIN_("t_retains_grad(" #x ")") T_TENSOR_(t__a, (x)) T_END_(bool, (t_retains_grad)(t__a))

/* ---- a tensor in the graph ---- */
#define t_is_leaf(x) T_BEGIN_("t_is_leaf(" #x ")") T_TENSOR_(t__a, (x)) T_END_(bool, (t_is_leaf)(t__a))
#define t_grad_fn(x) T_BEGIN_("t_grad_fn(" #x ")") T_TENSOR_(t__a, (x)) T_END_(const char *, (t_grad_fn)(t__a))
#define t_requires_grad(x) T_BEGIN_("t_requires_grad(" #x ")") T_TENSOR_(t__a, (x)) \
    T_END_(bool, (t_requires_grad)(t__a))
/* t_requires_grad_(x), t_requires_grad_(x, false) */
typedef struct t_RequiresGradArguments_ { int first_; bool requires_grad; } t_RequiresGradArguments_;
#define t_requires_grad_(...) T_OP_ARGUMENTS_((input), (t_requires_grad_)(t__a, t__o.requires_grad), \
    "t_requires_grad_(" #__VA_ARGS__ ")", t_RequiresGradArguments_, (.requires_grad = true), __VA_ARGS__)
#define t_detach_(x) T_OP1_(t_detach_, "t_detach_(" #x ")", x)

/* ---- hooks: t_register_hook(x, hook), t_register_hook(x, hook, &context) ---- */
#define T_HOOK_(f, text, x, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) \
    void *const t__c[] = {NULL, T_TAIL_(__VA_ARGS__)}; \
    T_END_(t_Hook *, (f)(t__a, T_HEAD_(__VA_ARGS__), t__c[sizeof t__c / sizeof *t__c - 1]))
#define t_register_hook(x, ...) T_HOOK_(t_register_hook, "t_register_hook(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_register_post_accumulate_grad_hook(x, ...) T_HOOK_(t_register_post_accumulate_grad_hook, \
    "t_register_post_accumulate_grad_hook(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_hook_remove(hook) T_BEGIN_("t_hook_remove(" #hook ")") t_Hook *t__a = (hook); \
    T_END_(bool, (t_hook_remove)(t__a))

/* ---- hooks on saved tensors ---- */
#define t_autograd_graph_enter_saved_tensors_hooks(pack_hook, ...) \
    T_BEGIN_("t_autograd_graph_enter_saved_tensors_hooks(" #pack_hook ", " #__VA_ARGS__ ")") \
    t_PackHook *t__f = (pack_hook); t_UnpackHook *t__u = T_HEAD_(__VA_ARGS__); \
    void *const t__c[] = {NULL, T_TAIL_(__VA_ARGS__)}; \
    T_END_(bool, (t_autograd_graph_enter_saved_tensors_hooks)(t__f, t__u, t__c[sizeof t__c / sizeof *t__c - 1]))
#define t_autograd_graph_exit_saved_tensors_hooks() T_BEGIN_("t_autograd_graph_exit_saved_tensors_hooks()") \
    T_END_(bool, (t_autograd_graph_exit_saved_tensors_hooks)())
/* with torch.autograd.graph.saved_tensors_hooks(pack, unpack): with_saved_tensors_hooks(pack, unpack, &context) { ...
 * } */
#define with_saved_tensors_hooks(...) T_WITH_(__COUNTER__, \
    ((t_Guard_){.saved_hooks = t_autograd_graph_enter_saved_tensors_hooks(__VA_ARGS__)}))
T_WITH_PARENTHESES_(with_save_on_cpu)
/* with torch.autograd.graph.save_on_cpu(): there is one device, so that the block runs as it is. */
#define with_save_on_cpu(...) T_WITH_(__COUNTER__, ((t_Guard_){.saved_hooks = false}))

/* ---- user-defined ops: t_apply(&function, y, t_list(x), .saved = t_list(x), .attributes = &a, .attribute_bytes =
 * sizeof a), with a list in place of y for several outputs, .non_differentiable = t_list(k), .dirty = t_list(x),
 * .materialize_grads = false ---- */
typedef struct t_ApplyArguments_ {
    int first_;
    const t_TensorList *saved;
    const void *attributes;
    size_t attribute_bytes;
    const t_TensorList *non_differentiable, *dirty;
    bool materialize_grads;
} t_ApplyArguments_;
#define t_apply(function, y, ...) T_BEGIN_("t_apply(" #function ", " #y ", " #__VA_ARGS__ ")") __auto_type t__a = (y); \
    t_TensorList *t__b = T_AS_LIST_(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(t_ApplyArguments_, t__k, .materialize_grads = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    const t_ApplyOptions t__o = {sizeof t__o, t__k.saved, t__k.attributes, t__k.attribute_bytes, \
        t__k.non_differentiable, t__k.dirty, !t__k.materialize_grads}; \
    T_END_(__typeof__(t__a), \
        _Generic(t__a, Tensor *: t_apply, t_TensorList *: t_apply_outputs)(function, t__a, t__b, &t__o))

#define t_saved_tensor(ctx, i) T_BEGIN_("t_saved_tensor(" #ctx ", " #i ")") T_END_(Tensor *, (t_saved_tensor)(ctx, i))

/* ---- anomaly mode ---- */
typedef struct t_AnomalyArguments_ { int first_; bool check_nan, check_forward, check_inf; } t_AnomalyArguments_;
#define T_ANOMALY_OPTIONS_(...) T_OPTIONS_(t_AnomalyArguments_, t__k, .check_nan = true, .first_ = 0, __VA_ARGS__)
#define T_ANOMALY_(...) (__extension__({ T_ANOMALY_OPTIONS_(__VA_ARGS__) \
    1 | t__k.check_nan << 1 | t__k.check_forward << 2 | t__k.check_inf << 3; }))
#define t_set_detect_anomaly(...) T_BEGIN_("t_set_detect_anomaly(" #__VA_ARGS__ ")") \
    T_ANOMALY_OPTIONS_(T_TAIL_(__VA_ARGS__)) \
    const t_AnomalyOptions t__o = {sizeof t__o, t__k.check_nan, t__k.check_forward, t__k.check_inf}; \
    T_END_(bool, (t_set_detect_anomaly)(T_HEAD_(__VA_ARGS__), &t__o))

/* ---- printing the graph ---- */
#define t_tape_html(x, path) T_BEGIN_("t_tape_html(" #x ", " #path ")") T_TENSOR_(t__a, (x)) \
    T_END_(bool, (t_tape_html)(t__a, path))
/* t_watch(w, x, loss): up to 16 tensors, named as they are written. t_watch_print(), t_watch_print(stderr) */
#define t_watch(...) T_BEGIN_("t_watch(" #__VA_ARGS__ ")") Tensor *const t__w[] = {__VA_ARGS__}; \
    _Static_assert(sizeof t__w <= 16 * sizeof *t__w, "t_watch takes up to 16 tensors"); \
    static const char *const t__n[] = {T_WATCH_NAMES_(__VA_ARGS__, , , , , , , , , , , , , , , , )}; \
    T_END_(bool, (t_watch)(t__w, t__n, (int)(sizeof t__w / sizeof *t__w)))
#define T_WATCH_NAMES_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, ...) \
    #a, #b, #c, #d, #e, #f, #g, #h, #i, #j, #k, #l, #m, #n, #o, #p
#define t_watch_print(...) T_BEGIN_("t_watch_print(" #__VA_ARGS__ ")") FILE *const t__f[] = {NULL, __VA_ARGS__}; \
    T_END_VOID_((t_watch_print)(t__f[sizeof t__f / sizeof *t__f - 1]))
#define t_tape_print(...) T_BEGIN_("t_tape_print(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    FILE *const t__f[] = {NULL, T_TAIL_(__VA_ARGS__)}; \
    T_END_VOID_((t_tape_print)(t__a, t__f[sizeof t__f / sizeof *t__f - 1]))

/* t_graph_dot(loss, "loss.dot"), t_graph_dot(loss, stdout, .params = t_list(w, b), .names = (const char *[]){"w",
 * "b"}) */
typedef struct t_GraphArguments_ {
    int first_;
    const t_TensorList *params;
    const char *const *names;
} t_GraphArguments_;
static inline bool t_graph_dot_path_(Tensor *x, const char *path, const t_GraphOptions *options) {
    FILE *file = fopen(path, "w");
    if (!file) return (t_fail)("could not open %s for writing", path);
    bool ok = (t_graph_dot)(x, file, options);
    if (fclose(file) == 0) return ok;
    return ok ? (t_fail)("could not write %s", path) != NULL : false;
}
#define t_graph_dot(x, ...) T_BEGIN_("t_graph_dot(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    __auto_type t__to = T_HEAD_(__VA_ARGS__); T_OPTIONS_(t_GraphArguments_, t__k, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    const t_GraphOptions t__o = {sizeof t__o, t__k.params, t__k.names}; \
    T_END_(bool, \
        _Generic(t__to, \
            FILE *: t_graph_dot, \
            char *: t_graph_dot_path_, \
            const char *: t_graph_dot_path_)(t__a, t__to, &t__o))

/* ---- t_gradcheck(f, inputs, .context = &c, .eps = 1e-6): f is an op (t_gradcheck(t_sin, x)) or any other
 * function that callback.h lists ---- */
typedef struct t_GradcheckArguments_ {
    int first_;
    void *context;
    double eps, atol, rtol, nondet_tol;
    bool raise_exception, fast_mode, check_forward_ad, check_backward_ad;
    void *grad_outputs;
} t_GradcheckArguments_;
#define T_GRADCHECK_(text, call, function, ...) T_BEGIN_(text) __auto_type t__f = (function); \
    __auto_type t__i = T_HEAD_(__VA_ARGS__); t_TensorList *t__l = T_AS_LIST_(t__i); \
    T_OPTIONS_(t_GradcheckArguments_, t__k, .eps = 1e-6, .atol = 1e-5, .rtol = 1e-3, .raise_exception = true, \
        .check_backward_ad = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    const t_GradcheckOptions t__o = {sizeof t__o, t__k.eps, t__k.atol, t__k.rtol, t__k.nondet_tol, \
        t__k.raise_exception, t__k.fast_mode, t__k.check_forward_ad, t__k.check_backward_ad}; \
    T_CALLBACK_(t__k.context) \
    T_END_(bool, call)
#define t_gradcheck(f, ...) T_GRADCHECK_("t_gradcheck(" #f ", " #__VA_ARGS__ ")", \
    (t_gradcheck)(t__g, t__l, &t__c, &t__o), f, __VA_ARGS__)
#define t_gradgradcheck(f, ...) T_GRADCHECK_("t_gradgradcheck(" #f ", " #__VA_ARGS__ ")", \
    (t_gradgradcheck)(t__g, t__l, &t__c, t_as_list_(t__k.grad_outputs), &t__o), f, __VA_ARGS__)

#endif
