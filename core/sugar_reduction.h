/* core/sugar_reduction.h: the macros over ops_reduction.h, one line each (public; part of core/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_REDUCTION_H
#define TAPEGRAD_CORE_SUGAR_REDUCTION_H
#pragma GCC system_header

#include "core/sugar_words.h"

/* ---- reductions: t_sum(x), t_sum(x, 1), t_sum(x, 0, 2, .keepdim = true) ---- */
#define T_REDUCE_(f, text, A, ...) T_BEGIN_(text) Tensor *t__a = (A); T_DIMS_(__VA_ARGS__) T_END_(Tensor *, f)
#define t_sum(...) T_REDUCE_((t_sum)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_sum(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_mean(...) T_REDUCE_((t_mean)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_mean(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_var(...) T_REDUCE_((t_var)(t__a, t__d.dims, t_given_(t__d.dims), t__d.correction, t__d.keepdim), "t_var(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_amax(...) T_REDUCE_((t_amax)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_amax(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_amin(...) T_REDUCE_((t_amin)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_amin(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_all(...) T_REDUCE_((t_all)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_all(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_any(...) T_REDUCE_((t_any)(t__a, t__d.dims, t_given_(t__d.dims), t__d.keepdim), "t_any(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
/* t_max(x), t_max(x, 1, .indices = &predicted), t_argmax(x, -1) */
#define T_ALONG_(f, otherwise, text, A, ...) T_BEGIN_(text) Tensor *t__a = (A); T_DIM_(otherwise, __VA_ARGS__) T_END_(Tensor *, f)
#define t_max(...) T_ALONG_((t_max)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, "t_max(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_min(...) T_ALONG_((t_min)(t__a, t__d.dim, t__d.keepdim, t__d.indices), T_NONE, "t_min(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_argmax(...) T_ALONG_((t_argmax)(t__a, t__d.dim, t__d.keepdim), T_NONE, "t_argmax(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_argmin(...) T_ALONG_((t_argmin)(t__a, t__d.dim, t__d.keepdim), T_NONE, "t_argmin(" #__VA_ARGS__ ")", T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- along one dim ---- */
#define t_softmax(x, ...) T_ALONG_((t_softmax)(t__a, t__d.dim), T_NONE, "t_softmax(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_log_softmax(x, ...) T_ALONG_((t_log_softmax)(t__a, t__d.dim), T_NONE, "t_log_softmax(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)

#endif
