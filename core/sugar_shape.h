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
#define t_transpose(x, dim0, dim1) T_BEGIN_("t_transpose(" #x ", " #dim0 ", " #dim1 ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_transpose)(t__a, dim0, dim1))
#define t_t(x) T_OP1_(t_t, "t_t(" #x ")", x)
#define t_unsqueeze(x, dim) T_BEGIN_("t_unsqueeze(" #x ", " #dim ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_unsqueeze)(t__a, dim))
/* t_squeeze(x), t_squeeze(x, 0), t_squeeze(x, (0, 2)) */
#define t_squeeze(...) T_BEGIN_("t_squeeze(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                     \
    T_PASTE_(T_SQUEEZE_, T_IS_TUPLE_(T_HEAD_(T_TAIL_(__VA_ARGS__))))(T_TAIL_(__VA_ARGS__))
#define T_SQUEEZE_0(...) T_DIM_(T_NONE, __VA_ARGS__) T_END_(Tensor *, (t_squeeze)(t__a, t__d.dim))
#define T_SQUEEZE_1(...) T_LIST_OF_WHOLE_(t__s, T_SPREAD_(__VA_ARGS__)) T_END_(Tensor *, (t_squeeze_dims)(t__a, T_LIST_AND_LENGTH_(t__s)))
#define t_squeeze_dims(x, ...) T_SIZES_(t_squeeze_dims, "t_squeeze_dims(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
typedef struct t_FlattenArguments_ { int first_; int64_t start_dim, end_dim; } t_FlattenArguments_;
#define t_flatten(...) T_BEGIN_("t_flatten(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                     \
    T_OPTIONS_(t_FlattenArguments_, t__o, .start_dim = 0, .end_dim = -1, .first_ = 0, T_TAIL_(__VA_ARGS__))            \
    T_END_(Tensor *, (t_flatten)(t__a, t__o.start_dim, t__o.end_dim))
typedef struct t_DiagonalOfArguments_ { int first_; int64_t offset, dim1, dim2; } t_DiagonalOfArguments_;
#define t_diagonal(...) T_BEGIN_("t_diagonal(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                   \
    T_OPTIONS_(t_DiagonalOfArguments_, t__o, .dim2 = 1, .first_ = 0, T_TAIL_(__VA_ARGS__))                             \
    T_END_(Tensor *, (t_diagonal)(t__a, t__o.offset, t__o.dim1, t__o.dim2))
#define t_slice(x, dim, start, end, step) T_BEGIN_("t_slice(" #x ", " #dim ", " #start ", " #end ", " #step ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_slice)(t__a, dim, start, end, step))
#define t_narrow(x, dim, start, length) T_BEGIN_("t_narrow(" #x ", " #dim ", " #start ", " #length ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_narrow)(t__a, dim, start, length))
#define t_select(x, dim, index) T_BEGIN_("t_select(" #x ", " #dim ", " #index ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_select)(t__a, dim, index))
#define t_chunk(x, ...) T_BEGIN_("t_chunk(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) const int64_t t__n = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (t_chunk)(t__a, t__n, t__d.dim))
/* t_split(x, 2, 1), t_split(x, (1, 3), 1); t_tensor_split(x, 3, 1), t_tensor_split(x, (1, 3), 1) */
#define T_CUT_(one, several, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_PASTE_(T_CUT_, T_IS_TUPLE_(T_HEAD_(__VA_ARGS__)))(one, several, __VA_ARGS__)
#define T_CUT_0(one, several, ...) const int64_t t__n = T_HEAD_(__VA_ARGS__); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (one)(t__a, t__n, t__d.dim))
#define T_CUT_1(one, several, ...) T_LIST_OF_WHOLE_(t__s, T_UNTUPLE_ T_HEAD_(__VA_ARGS__)) T_DIM_(0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorList *, (several)(t__a, T_LIST_AND_LENGTH_(t__s), t__d.dim))
#define t_split(x, ...) T_CUT_(t_split, t_split_with_sizes, "t_split(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_split_with_sizes(x, ...) T_CUT_(t_split, t_split_with_sizes, "t_split_with_sizes(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_tensor_split(x, ...) T_CUT_(t_tensor_split, t_tensor_split_indices, "t_tensor_split(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_unbind(...) T_BEGIN_("t_unbind(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (t_unbind)(t__a, t__d.dim))
#define t_list(...) T_BEGIN_("t_list(" #__VA_ARGS__ ")") Tensor *const t__l[] = {__VA_ARGS__}; T_END_(t_TensorList *, (t_list_new)(t__l, (int64_t)(sizeof t__l / sizeof *t__l)))
/* for_list (x, t_unbind(y)) { ... }: for x in y.unbind(); nothing is to be appended meanwhile */
#define for_list(x, list) T_FOR_LIST_(__COUNTER__, x, list)
#define T_FOR_LIST_(n, x, list)                                                                                        \
    for (const t_TensorList *T_GLUE_(t__list_, n) = (list); T_GLUE_(t__list_, n); T_GLUE_(t__list_, n) = NULL)         \
    for (Tensor *const *T_GLUE_(t__at_, n) = T_GLUE_(t__list_, n)->items, *const *T_GLUE_(t__end_, n) = T_GLUE_(t__at_, n) + T_GLUE_(t__list_, n)->len, \
         *x = T_GLUE_(t__at_, n) < T_GLUE_(t__end_, n) ? *T_GLUE_(t__at_, n) : NULL; T_GLUE_(t__at_, n) < T_GLUE_(t__end_, n); \
         x = ++T_GLUE_(t__at_, n) < T_GLUE_(t__end_, n) ? *T_GLUE_(t__at_, n) : NULL)
#define t_list_get(list, index) T_BEGIN_("t_list_get(" #list ", " #index ")") const t_TensorList *t__l = (list); T_END_(Tensor *, (t_list_get)(t__l, index))
#define t_list_append(list, x) T_BEGIN_("t_list_append(" #list ", " #x ")") t_TensorList *t__l = (list); T_TENSOR_(t__a, (x)) T_END_(bool, (t_list_append)(t__l, t__a))
/* t_cat(list, 1), t_cat(t_list(a, b), .dim = 1), t_cat((a, b), 1): a tuple of tensors is a list of them */
#define T_TENSORS_(tensors) T_PASTE_(T_TENSORS_, T_IS_TUPLE_(tensors))(tensors)
#define T_TENSORS_0(list) (list)
#define T_TENSORS_1(tuple) T_PASTE_(T_TENSORS_1_, T_IS_EMPTY_(T_SECOND_OF_ tuple)) tuple
#define T_SECOND_OF_(...) T_SECOND_(__VA_ARGS__, , )
#define T_TENSORS_1_0(...) t_list(__VA_ARGS__)
#define T_TENSORS_1_1(...) t_as_list_(T_HEAD_(__VA_ARGS__)) /* (a,), and a list in parentheses */
#define t_cat(...) T_BEGIN_("t_cat(" #__VA_ARGS__ ")") const t_TensorList *t__l = T_TENSORS_(T_HEAD_(__VA_ARGS__)); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_cat)(t__l, t__d.dim))
#define t_stack(...) T_BEGIN_("t_stack(" #__VA_ARGS__ ")") const t_TensorList *t__l = T_TENSORS_(T_HEAD_(__VA_ARGS__)); T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_stack)(t__l, t__d.dim))
typedef struct t_DiagonalArguments_ { int first_; int64_t diagonal; } t_DiagonalArguments_;
#define T_WITH_DIAGONAL_(f, text, ...) T_BEGIN_(text) T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                                \
    T_OPTIONS_(t_DiagonalArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f)(t__a, t__o.diagonal))
#define t_tril(...) T_WITH_DIAGONAL_(t_tril, "t_tril(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_triu(...) T_WITH_DIAGONAL_(t_triu, "t_triu(" #__VA_ARGS__ ")", __VA_ARGS__)

/* ---- the same under handier names ---- */
#define t_view_as(x, other) T_OP2_(t_view_as, "t_view_as(" #x ", " #other ")", x, other)
#define t_reshape_as(x, other) T_OP2_(t_reshape_as, "t_reshape_as(" #x ", " #other ")", x, other)
#define t_ravel(x) T_OP1_(t_ravel, "t_ravel(" #x ")", x)
/* t_unflatten(x, 1, (2, 3)) */
#define t_unflatten(x, dim, ...) T_BEGIN_("t_unflatten(" #x ", " #dim ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) const int64_t t__n = (dim); \
    T_LIST_OF_WHOLE_(t__s, T_SPREAD_(__VA_ARGS__)) T_END_(Tensor *, (t_unflatten)(t__a, t__n, T_LIST_AND_LENGTH_(t__s)))
#define t_mT(x) T_OP1_(t_mT, "t_mT(" #x ")", x)
#define t_swapaxes(x, axis0, axis1) T_BEGIN_("t_swapaxes(" #x ", " #axis0 ", " #axis1 ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_swapaxes)(t__a, axis0, axis1))
#define t_swapdims(x, dim0, dim1) T_BEGIN_("t_swapdims(" #x ", " #dim0 ", " #dim1 ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_swapdims)(t__a, dim0, dim1))
/* t_movedim(x, 0, 2), t_movedim(x, (0, 1), (1, 2)) */
#define t_movedim(x, source, destination) T_BEGIN_("t_movedim(" #x ", " #source ", " #destination ")") T_TENSOR_(t__a, (x)) \
    T_LIST_OF_WHOLE_(t__s, T_SPREAD_(source)) T_LIST_OF_WHOLE_(t__d, T_SPREAD_(destination))                           \
    T_END_(Tensor *, (t_movedim)(t__a, T_LIST_AND_LENGTH_(t__s), T_LIST_AND_LENGTH_(t__d)))
#define t_broadcast_to(x, ...) T_SIZES_(t_broadcast_to, "t_broadcast_to(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_broadcast_tensors(...) T_BEGIN_("t_broadcast_tensors(" #__VA_ARGS__ ")") Tensor *const t__l[] = {__VA_ARGS__};   \
    T_END_(t_TensorList *, (t_broadcast_tensors)((t_list_new)(t__l, (int64_t)(sizeof t__l / sizeof *t__l))))
#define t_atleast_1d(x) T_OP1_(t_atleast_1d, "t_atleast_1d(" #x ")", x)
#define t_atleast_2d(x) T_OP1_(t_atleast_2d, "t_atleast_2d(" #x ")", x)
#define t_atleast_3d(x) T_OP1_(t_atleast_3d, "t_atleast_3d(" #x ")", x)
#define T_OF_LIST_(f, text, L) T_BEGIN_(text) const t_TensorList *t__l = T_TENSORS_(L); T_END_(Tensor *, (f)(t__l))
#define t_hstack(tensors) T_OF_LIST_(t_hstack, "t_hstack(" #tensors ")", tensors)
#define t_vstack(tensors) T_OF_LIST_(t_vstack, "t_vstack(" #tensors ")", tensors)
#define t_dstack(tensors) T_OF_LIST_(t_dstack, "t_dstack(" #tensors ")", tensors)
#define t_column_stack(tensors) T_OF_LIST_(t_column_stack, "t_column_stack(" #tensors ")", tensors)
#define t_tile(x, ...) T_SIZES_(t_tile, "t_tile(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
/* t_repeat_interleave(x, 2), t_repeat_interleave(x, repeats, 1) */
#define t_repeat_interleave(x, ...) T_BEGIN_("t_repeat_interleave(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x))          \
    Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); T_DIM_(T_NONE, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_repeat_interleave)(t__a, t__b, t__d.dim))

/* ---- windows and other orders ---- */
#define t_unfold(x, dim, size, step) T_BEGIN_("t_unfold(" #x ", " #dim ", " #size ", " #step ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_unfold)(t__a, dim, size, step))
/* t_as_strided(x, (2, 2), (1, 2)), t_as_strided(x, (2, 2), (1, 2), 3) */
typedef struct t_OffsetArguments_ { int first_; int64_t storage_offset; } t_OffsetArguments_;
#define t_as_strided(x, size, ...) T_BEGIN_("t_as_strided(" #x ", " #size ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x))       \
    T_LIST_OF_WHOLE_(t__s, T_SPREAD_(size)) T_LIST_OF_WHOLE_(t__d, T_SPREAD_(T_HEAD_(__VA_ARGS__)))                    \
    T_OPTIONS_(t_OffsetArguments_, t__o, .storage_offset = T_NONE, .first_ = 0, T_TAIL_(__VA_ARGS__))                  \
    T_END_(Tensor *, (t_as_strided)(t__a, T_LIST_AND_LENGTH_(t__s), T_LIST_AND_LENGTH_(t__d), t__o.storage_offset))
#define t_flip(x, ...) T_SIZES_(t_flip, "t_flip(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_fliplr(x) T_OP1_(t_fliplr, "t_fliplr(" #x ")", x)
#define t_flipud(x) T_OP1_(t_flipud, "t_flipud(" #x ")", x)
/* t_rot90(x), t_rot90(x, 2), t_rot90(x, 1, (1, 2)) */
typedef struct t_TurnArguments_ { int first_; int64_t k, dims[2]; } t_TurnArguments_;
#define t_rot90(...) T_BEGIN_("t_rot90(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                           \
    T_OPTIONS_(t_TurnArguments_, t__o, .k = 1, .dims = {0, 1}, .first_ = 0, T_SPREAD_SECOND_(T_TAIL_(__VA_ARGS__)))     \
    T_END_(Tensor *, (t_rot90)(t__a, t__o.k, t__o.dims, 2))
/* t_roll(x, 1), t_roll(x, 1, 0), t_roll(x, (1, -1), (0, 1)) */
#define t_roll(x, ...) T_BEGIN_("t_roll(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) T_LIST_OF_WHOLE_(t__s, T_SPREAD_(T_HEAD_(__VA_ARGS__))) \
    T_LIST_OF_WHOLE_(t__d, T_SPREAD_(T_TAIL_(__VA_ARGS__))) T_END_(Tensor *, (t_roll)(t__a, T_LIST_AND_LENGTH_(t__s), T_LIST_AND_LENGTH_(t__d)))
#define t_diag(...) T_WITH_DIAGONAL_(t_diag, "t_diag(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_diag_embed(...) T_BEGIN_("t_diag_embed(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                 \
    T_OPTIONS_(t_DiagonalOfArguments_, t__o, .dim1 = -2, .dim2 = -1, .first_ = 0, T_TAIL_(__VA_ARGS__))                \
    T_END_(Tensor *, (t_diag_embed)(t__a, t__o.offset, t__o.dim1, t__o.dim2))
#define t_diagflat(...) T_BEGIN_("t_diagflat(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__))                     \
    T_OPTIONS_(t_DiagonalOfArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_diagflat)(t__a, t__o.offset))

/* ---- x's own shape ---- */
#define t_squeeze_(...) T_BEGIN_("t_squeeze_(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) T_DIM_(T_NONE, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_squeeze_)(t__a, t__d.dim))
#define t_unsqueeze_(x, dim) T_BEGIN_("t_unsqueeze_(" #x ", " #dim ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_unsqueeze_)(t__a, dim))
#define t_transpose_(x, dim0, dim1) T_BEGIN_("t_transpose_(" #x ", " #dim0 ", " #dim1 ")") T_TENSOR_(t__a, (x)) T_END_(Tensor *, (t_transpose_)(t__a, dim0, dim1))
#define t_t_(x) T_OP1_(t_t_, "t_t_(" #x ")", x)

#endif
