/* core/sugar_shape.h: the macros over ops_shape.h, one line each (public; part of core/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_SHAPE_H
#define TAPEGRAD_CORE_SUGAR_SHAPE_H
#pragma GCC system_header

#include "core/sugar_words.h"

/* ---- views and shapes ---- */
#define t_view(x, ...) T_SIZES_(t_view, "t_view(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_reshape(x, ...) T_SIZES_(t_reshape, "t_reshape(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_permute(x, ...) T_SIZES_(t_permute, "t_permute(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_expand(x, ...) T_SIZES_(t_expand, "t_expand(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_repeat(x, ...) T_SIZES_(t_repeat, "t_repeat(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_expand_as(x, other) T_OP2_(t_expand_as, "t_expand_as(" #x ", " #other ")", x, other)
#define t_transpose(x, dim0, dim1) T_BEGIN_("t_transpose(" #x ", " #dim0 ", " #dim1 ")") Tensor *t__a = (x); T_END_(Tensor *, (t_transpose)(t__a, dim0, dim1))
#define t_t(x) T_OP1_(t_t, "t_t(" #x ")", x)
#define t_unsqueeze(x, dim) T_BEGIN_("t_unsqueeze(" #x ", " #dim ")") Tensor *t__a = (x); T_END_(Tensor *, (t_unsqueeze)(t__a, dim))
#define t_squeeze(...) T_BEGIN_("t_squeeze(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); T_DIM_(T_NONE, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_squeeze)(t__a, t__d.dim))
typedef struct t_FlattenArguments_ { int first_; int64_t start_dim, end_dim; } t_FlattenArguments_;
#define t_flatten(...) T_BEGIN_("t_flatten(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__);                     \
    T_OPTIONS_(t_FlattenArguments_, t__o, .start_dim = 0, .end_dim = -1, .first_ = 0, T_TAIL_(__VA_ARGS__))            \
    T_END_(Tensor *, (t_flatten)(t__a, t__o.start_dim, t__o.end_dim))
typedef struct t_DiagonalOfArguments_ { int first_; int64_t offset, dim1, dim2; } t_DiagonalOfArguments_;
#define t_diagonal(...) T_BEGIN_("t_diagonal(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__);                   \
    T_OPTIONS_(t_DiagonalOfArguments_, t__o, .dim2 = 1, .first_ = 0, T_TAIL_(__VA_ARGS__))                             \
    T_END_(Tensor *, (t_diagonal)(t__a, t__o.offset, t__o.dim1, t__o.dim2))
#define t_slice(x, dim, start, end, step) T_BEGIN_("t_slice(" #x ", " #dim ", " #start ", " #end ", " #step ")") Tensor *t__a = (x); T_END_(Tensor *, (t_slice)(t__a, dim, start, end, step))
#define t_narrow(x, dim, start, length) T_BEGIN_("t_narrow(" #x ", " #dim ", " #start ", " #length ")") Tensor *t__a = (x); T_END_(Tensor *, (t_narrow)(t__a, dim, start, length))
#define t_select(x, dim, index) T_BEGIN_("t_select(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); T_END_(Tensor *, (t_select)(t__a, dim, index))
#define t_chunk(x, ...) T_BEGIN_("t_chunk(" #x ", " #__VA_ARGS__ ")") Tensor *t__a = (x); const int64_t t__n = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (t_chunk)(t__a, t__n, t__d.dim))
#define t_split(x, ...) T_BEGIN_("t_split(" #x ", " #__VA_ARGS__ ")") Tensor *t__a = (x); const int64_t t__n = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (t_split)(t__a, t__n, t__d.dim))
#define t_unbind(...) T_BEGIN_("t_unbind(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (t_unbind)(t__a, t__d.dim))
#define t_list(...) T_BEGIN_("t_list(" #__VA_ARGS__ ")") Tensor *const t__l[] = {__VA_ARGS__}; T_END_(t_TensorList *, (t_list_new)(t__l, (int64_t)(sizeof t__l / sizeof *t__l)))
#define t_list_get(list, index) T_BEGIN_("t_list_get(" #list ", " #index ")") const t_TensorList *t__l = (list); T_END_(Tensor *, (t_list_get)(t__l, index))
#define t_list_append(list, x) T_BEGIN_("t_list_append(" #list ", " #x ")") t_TensorList *t__l = (list); Tensor *t__a = (x); T_END_(bool, (t_list_append)(t__l, t__a))
#define t_cat(...) T_BEGIN_("t_cat(" #__VA_ARGS__ ")") const t_TensorList *t__l = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_cat)(t__l, t__d.dim))
#define t_stack(...) T_BEGIN_("t_stack(" #__VA_ARGS__ ")") const t_TensorList *t__l = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_stack)(t__l, t__d.dim))
typedef struct t_DiagonalArguments_ { int first_; int64_t diagonal; } t_DiagonalArguments_;
#define t_tril(...) T_BEGIN_("t_tril(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); T_OPTIONS_(t_DiagonalArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_tril)(t__a, t__o.diagonal))
#define t_triu(...) T_BEGIN_("t_triu(" #__VA_ARGS__ ")") Tensor *t__a = T_HEAD_(__VA_ARGS__); T_OPTIONS_(t_DiagonalArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_triu)(t__a, t__o.diagonal))

#endif
