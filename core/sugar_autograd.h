/* core/sugar_autograd.h: the macros over autograd.h, one line each (public; part of core/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_AUTOGRAD_H
#define TAPEGRAD_CORE_SUGAR_AUTOGRAD_H
#pragma GCC system_header

#include "core/sugar_words.h"

/* ---- autograd: t_backward(loss), t_backward(y, dy, .retain_graph = true) ---- */
typedef struct t_BackwardArguments_ { int first_; Tensor *gradient; bool retain_graph, create_graph; } t_BackwardArguments_;
#define t_backward(...) T_BEGIN_("t_backward(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__);                   \
    T_OPTIONS_(t_BackwardArguments_, t__k, .first_ = 0, T_TAIL_(__VA_ARGS__))                                          \
    const t_BackwardOptions t__o = {sizeof t__o, t__k.gradient, t__k.retain_graph, t__k.create_graph};                 \
    T_END_(bool, (t_backward)(t__a, &t__o))
#define t_grad(x) T_OP1_(t_grad, "t_grad(" #x ")", x)
#define t_set_grad(x, gradient) T_BEGIN_("t_set_grad(" #x ", " #gradient ")") Tensor *t__a = (x); Tensor *t__b = (gradient); T_END_(bool, (t_set_grad)(t__a, t__b))
#define t_is_leaf(x) T_BEGIN_("t_is_leaf(" #x ")") Tensor *t__a = (x); T_END_(bool, (t_is_leaf)(t__a))
#define t_grad_fn(x) T_BEGIN_("t_grad_fn(" #x ")") Tensor *t__a = (x); T_END_(const char *, (t_grad_fn)(t__a))
#define t_gradcheck(f, inputs, context, options) T_BEGIN_("t_gradcheck(" #f ", " #inputs ")") t_TensorList *t__l = (inputs); T_END_(bool, (t_gradcheck)(f, t__l, context, options))
#define t_requires_grad(x) T_BEGIN_("t_requires_grad(" #x ")") Tensor *t__a = (x); T_END_(bool, (t_requires_grad)(t__a))
#define t_requires_grad_(x, on) T_BEGIN_("t_requires_grad_(" #x ", " #on ")") Tensor *t__a = (x); T_END_(Tensor *, (t_requires_grad_)(t__a, on))
#define t_tape_print(...) T_BEGIN_("t_tape_print(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); FILE *const t__f[] = {NULL, T_TAIL_(__VA_ARGS__)}; T_END_VOID_((t_tape_print)(t__a, t__f[sizeof t__f / sizeof *t__f - 1]))

#endif
