/* core/sugar/shape.h: the macros for views, shapes and lists of tensors (public; part of core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_SHAPE_H
#define TAPEGRAD_CORE_SUGAR_SHAPE_H
#pragma GCC system_header

#include "core/sugar/sugar_macros.h"

/* ---- views and shapes: t_view(x, 2, 3), t_view(x, (2, 3)) ---- */
#define t_view(x, ...) T_SIZES_(t_view, "t_view(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_reshape(x, ...) T_SIZES_(t_reshape, "t_reshape(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_permute(x, ...) T_SIZES_(t_permute, "t_permute(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_expand(x, ...) T_SIZES_(t_expand, "t_expand(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_repeat(x, ...) T_SIZES_(t_repeat, "t_repeat(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_expand_as(x, other) T_OP2_(t_expand_as, "t_expand_as(" #x ", " #other ")", x, other)
/* t_transpose(x, 1, 2), t_transpose(x, .dim0 = 1, .dim1 = 2) */
typedef struct t_TransposeArguments_ { int first_; int64_t dim0, dim1; } t_TransposeArguments_;
typedef struct t_SwapaxesArguments_ { int first_; int64_t axis0, axis1; } t_SwapaxesArguments_;
typedef struct t_UnsqueezeArguments_ { int first_; int64_t dim; } t_UnsqueezeArguments_;
typedef struct t_SliceArguments_ { int first_; int64_t dim, start, end, step; } t_SliceArguments_;
typedef struct t_NarrowArguments_ { int first_; int64_t dim, start, length; } t_NarrowArguments_;
typedef struct t_SelectArguments_ { int first_; int64_t dim, index; } t_SelectArguments_;
typedef struct t_UnfoldArguments_ { int first_; int64_t dimension, size, step; } t_UnfoldArguments_;
#define t_transpose(...) T_OP_ARGUMENTS_((input, dim0, dim1), (t_transpose)(t__a, t__o.dim0, t__o.dim1), \
    "t_transpose(" #__VA_ARGS__ ")", t_TransposeArguments_, (.dim0 = T_NONE, .dim1 = T_NONE), __VA_ARGS__)
#define t_t(x) T_OP1_(t_t, "t_t(" #x ")", x)
#define t_unsqueeze(...) T_OP_ARGUMENTS_((input, dim), (t_unsqueeze)(t__a, t__o.dim), "t_unsqueeze(" #__VA_ARGS__ ")", \
    t_UnsqueezeArguments_, (.dim = T_NONE), __VA_ARGS__)
/* t_squeeze(x), t_squeeze(x, 0), t_squeeze(x, (0, 2)) */
#define t_squeeze(...) T_BEGIN_("t_squeeze(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_PASTE_(T_SQUEEZE_, T_IS_TUPLE_(T_HEAD_(T_TAIL_(__VA_ARGS__))))(T_TAIL_(__VA_ARGS__))
#define T_SQUEEZE_0(...) T_DIM_(T_NONE, __VA_ARGS__) T_END_(Tensor *, (t_squeeze)(t__a, t__d.dim))
#define T_SQUEEZE_1(...) T_INT64_ARRAY_(t__s, T_SPREAD_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_squeeze_dims)(t__a, T_LIST_AND_LENGTH_(t__s)))
#define t_squeeze_dims(x, ...) T_SIZES_BY_NAME_(t_squeeze_dims, dim, "t_squeeze_dims(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
typedef struct t_FlattenArguments_ { int first_; int64_t start_dim, end_dim; } t_FlattenArguments_;
#define t_flatten(...) T_BEGIN_("t_flatten(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_FlattenArguments_, t__o, .start_dim = 0, .end_dim = -1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_flatten)(t__a, t__o.start_dim, t__o.end_dim))
typedef struct t_DiagonalOfArguments_ { int first_; int64_t offset, dim1, dim2; } t_DiagonalOfArguments_;
#define t_diagonal(...) T_BEGIN_("t_diagonal(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_DiagonalOfArguments_, t__o, .dim2 = 1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_diagonal)(t__a, t__o.offset, t__o.dim1, t__o.dim2))
#define t_slice(...) T_OP_ARGUMENTS_((input, dim), (t_slice)(t__a, t__o.dim, t__o.start, t__o.end, t__o.step), \
    "t_slice(" #__VA_ARGS__ ")", t_SliceArguments_, (.start = T_NONE, .end = T_NONE, .step = 1), __VA_ARGS__)
#define t_narrow(...) T_OP_ARGUMENTS_((input, dim, start, length), \
    T_REQUIRED_(start) && T_REQUIRED_(length) ? (t_narrow)(t__a, t__o.dim, t__o.start, t__o.length) : NULL, \
    "t_narrow(" #__VA_ARGS__ ")", t_NarrowArguments_, (.dim = T_NONE, .start = T_NONE, .length = T_NONE), __VA_ARGS__)
#define t_select(...) T_OP_ARGUMENTS_((input, dim, index), \
    T_REQUIRED_(index) ? (t_select)(t__a, t__o.dim, t__o.index) : NULL, \
    "t_select(" #__VA_ARGS__ ")", t_SelectArguments_, (.dim = T_NONE, .index = T_NONE), __VA_ARGS__)
typedef struct t_ChunkArguments_ { int first_; int64_t chunks, dim; } t_ChunkArguments_;
#define t_chunk(...) T_BEGIN_("t_chunk(" #__VA_ARGS__ ")") \
    T_AT_LEAST_((input, chunks), "t_chunk(" #__VA_ARGS__ ")", __VA_ARGS__) T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_ChunkArguments_, t__o, .chunks = T_NONE, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorList *, T_REQUIRED_(chunks) ? (t_chunk)(t__a, t__o.chunks, t__o.dim) : NULL)
/* t_split(x, 2, 1), t_split(x, (1, 3), 1), t_split(x, .split_size_or_sections = 2); t_tensor_split(x, 3, 1),
 * t_tensor_split(x, (1, 3), 1) */
typedef struct t_SplitArguments_ {
    int first_;
    int64_t split_size_or_sections_, dim;
    t_Tuple split_size_or_sections;
} t_SplitArguments_;
typedef struct t_TensorSplitArguments_ {
    int first_;
    int64_t indices_or_sections_, dim;
    t_Tuple indices_or_sections;
} t_TensorSplitArguments_;
#define T_SPLIT_(one, several, Type, name, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) \
    T_PASTE_(T_SPLIT_, T_IS_TUPLE_(T_HEAD_(__VA_ARGS__)))(one, several, Type, name, __VA_ARGS__)
#define T_SPLIT_0(one, several, Type, name, ...) \
    T_OPTIONS_(Type, t__o, .name##_ = T_LEFT_OUT_, .name = T_NO_TUPLE_, .first_ = 0, __VA_ARGS__) \
    const int64_t t__n = t__o.name##_ != T_LEFT_OUT_ ? t__o.name##_ : t__o.name.items[0]; \
    T_END_(t_TensorList *, !T_IS_GIVEN_(t__n, #name) ? NULL \
        : t__o.name.len ? (several)(t__a, T_GIVEN_(t__o.name), t__o.dim) : (one)(t__a, t__n, t__o.dim))
#define T_SPLIT_1(one, several, Type, name, ...) T_INT64_ARRAY_(t__s, T_UNTUPLE_ T_HEAD_(__VA_ARGS__)) \
    T_DIM_(0, T_TAIL_(__VA_ARGS__)) \
    T_END_(t_TensorList *, (several)(t__a, T_LIST_AND_LENGTH_(t__s), t__d.dim))
#define t_split(x, ...) T_SPLIT_(t_split, t_split_with_sizes, t_SplitArguments_, split_size_or_sections, \
    "t_split(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_split_with_sizes(x, ...) T_SPLIT_(t_split, t_split_with_sizes, t_SplitArguments_, split_size_or_sections, \
    "t_split_with_sizes(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_tensor_split(x, ...) T_SPLIT_(t_tensor_split, t_tensor_split_indices, t_TensorSplitArguments_, \
    indices_or_sections, "t_tensor_split(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_unbind(...) T_BEGIN_("t_unbind(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorList *, (t_unbind)(t__a, t__d.dim))
#define t_list(...) T_BEGIN_("t_list(" #__VA_ARGS__ ")") Tensor *const t__l[] = {__VA_ARGS__}; \
    T_END_(t_TensorList *, (t_list_new)(t__l, (int64_t)(sizeof t__l / sizeof *t__l)))
/* for_list (x, t_unbind(y)) { ... }: for x in y.unbind(); the list must not grow in the loop */
#define for_list(x, list) T_FOR_LIST_(__COUNTER__, x, list)
#define T_FOR_LIST_(n, x, list) T_FOR_NAME_(#x) \
    for (const t_TensorList *T_GLUE_(t__list_, n) = (list); T_GLUE_(t__list_, n); T_GLUE_(t__list_, n) = NULL) \
    for (Tensor *const *T_GLUE_(t__at_, n) = T_GLUE_(t__list_, n)->items, \
             *const *T_GLUE_(t__end_, n) = T_GLUE_(t__at_, n) + T_GLUE_(t__list_, n)->len, \
             *x = T_GLUE_(t__at_, n) < T_GLUE_(t__end_, n) ? *T_GLUE_(t__at_, n) : NULL; \
         T_GLUE_(t__at_, n) < T_GLUE_(t__end_, n); \
         x = ++T_GLUE_(t__at_, n) < T_GLUE_(t__end_, n) ? *T_GLUE_(t__at_, n) : NULL)
#define t_list_set(list, index, x) T_BEGIN_("t_list_set(" #list ", " #index ", " #x ")") \
    t_TensorList *t__l = (list); const int64_t t__i = (index); \
    T_TENSOR_(t__a, (x)) T_END_(bool, (t_list_set)(t__l, t__i, t__a))
#define t_list_get(list, index) T_BEGIN_("t_list_get(" #list ", " #index ")") const t_TensorList *t__l = (list); \
    T_END_(Tensor *, (t_list_get)(t__l, index))
/* t_list_unpack(qkv, &q, &k, &v) */
#define t_list_unpack(list, ...) T_BEGIN_("t_list_unpack(" #list ", " #__VA_ARGS__ ")") \
    const t_TensorList *t__l = (list); Tensor **const t__t[] = {__VA_ARGS__}; \
    T_END_(bool, (t_list_unpack)(t__l, t__t, (int64_t)(sizeof t__t / sizeof *t__t)))
#define t_list_extend(list, other) T_BEGIN_("t_list_extend(" #list ", " #other ")") t_TensorList *t__l = (list); \
    const t_TensorList *t__m = (other); T_END_(bool, (t_list_extend)(t__l, t__m))
#define t_list_concat(a, b) T_BEGIN_("t_list_concat(" #a ", " #b ")") const t_TensorList *t__l = (a), *t__m = (b); \
    T_END_(t_TensorList *, (t_list_concat)(t__l, t__m))
#define t_list_append(list, x) T_BEGIN_("t_list_append(" #list ", " #x ")") t_TensorList *t__l = (list); \
    T_TENSOR_(t__a, (x)) T_END_(bool, (t_list_append)(t__l, t__a))
/* t_cat(list, 1), t_cat(t_list(a, b), .dim = 1), t_cat((a, b), 1): a tuple of tensors is converted to a list */
#define T_TENSORS_(tensors) T_PASTE_(T_TENSORS_, T_IS_TUPLE_(tensors))(tensors)
#define T_TENSORS_0(list) (list)
#define T_TENSORS_1(tuple) T_PASTE_(T_TENSORS_1_, T_IS_EMPTY_(T_SECOND_OF_ tuple)) tuple
#define T_SECOND_OF_(...) T_SECOND_(__VA_ARGS__, , )
#define T_TENSORS_1_0(...) t_list(__VA_ARGS__)
#define T_TENSORS_1_1(...) t_as_list_(T_HEAD_(__VA_ARGS__)) /* (a,), and a list in parentheses */
#define t_cat(...) T_BEGIN_("t_cat(" #__VA_ARGS__ ")") const t_TensorList *t__l = T_TENSORS_(T_HEAD_(__VA_ARGS__)); \
    T_DIM_(0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_cat)(t__l, t__d.dim))
#define t_stack(...) T_BEGIN_("t_stack(" #__VA_ARGS__ ")") \
    const t_TensorList *t__l = T_TENSORS_(T_HEAD_(__VA_ARGS__)); T_DIM_(0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_stack)(t__l, t__d.dim))
typedef struct t_DiagonalArguments_ { int first_; int64_t diagonal; } t_DiagonalArguments_;
#define T_WITH_DIAGONAL_(f, text, ...) T_BEGIN_(text) T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_DiagonalArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f)(t__a, t__o.diagonal))
#define t_tril(...) T_WITH_DIAGONAL_(t_tril, "t_tril(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_triu(...) T_WITH_DIAGONAL_(t_triu, "t_triu(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_tril_(...) T_WITH_DIAGONAL_(t_tril_, "t_tril_(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_triu_(...) T_WITH_DIAGONAL_(t_triu_, "t_triu_(" #__VA_ARGS__ ")", __VA_ARGS__)
/* t_fill_diagonal_(x, 1), t_fill_diagonal_(x, 1, .wrap = true) */
typedef struct t_FillDiagonalArguments_ { int first_; double fill_value; bool wrap; } t_FillDiagonalArguments_;
#define t_fill_diagonal_(...) T_OP_ARGUMENTS_((input, fill_value), \
    (t_fill_diagonal_)(t__a, t__o.fill_value, t__o.wrap), "t_fill_diagonal_(" #__VA_ARGS__ ")", \
    t_FillDiagonalArguments_, (.wrap = false), __VA_ARGS__)

/* ---- variants of the above ---- */
#define t_view_as(x, other) T_OP2_(t_view_as, "t_view_as(" #x ", " #other ")", x, other)
#define t_reshape_as(x, other) T_OP2_(t_reshape_as, "t_reshape_as(" #x ", " #other ")", x, other)
#define t_ravel(x) T_OP1_(t_ravel, "t_ravel(" #x ")", x)
/* t_unflatten(x, 1, (2, 3)) */
typedef struct t_UnflattenArguments_ {
    int first_;
    int64_t dim, sizes_;
    struct t_too_many_arguments_ *rest_;
    t_Tuple sizes;
} t_UnflattenArguments_;
#define t_unflatten(...) T_OP_NAMED_((input, dim, sizes), (dim, sizes), \
    (t_unflatten)(t__a, t__o.dim, T_LIST_OF_(sizes)), "t_unflatten(" #__VA_ARGS__ ")", t_UnflattenArguments_, \
    (.dim = T_NONE, .sizes_ = T_LEFT_OUT_, .sizes = T_NO_TUPLE_), __VA_ARGS__)
#define t_mT(x) T_OP1_(t_mT, "t_mT(" #x ")", x)
#define t_swapaxes(...) T_OP_ARGUMENTS_((input, axis0, axis1), (t_swapaxes)(t__a, t__o.axis0, t__o.axis1), \
    "t_swapaxes(" #__VA_ARGS__ ")", t_SwapaxesArguments_, (.axis0 = T_NONE, .axis1 = T_NONE), __VA_ARGS__)
#define t_swapdims(...) T_OP_ARGUMENTS_((input, dim0, dim1), (t_swapdims)(t__a, t__o.dim0, t__o.dim1), \
    "t_swapdims(" #__VA_ARGS__ ")", t_TransposeArguments_, (.dim0 = T_NONE, .dim1 = T_NONE), __VA_ARGS__)
/* t_movedim(x, 0, 2), t_movedim(x, (0, 1), (1, 2)) */
typedef struct t_MovedimArguments_ {
    int first_;
    int64_t source_, destination_;
    struct t_too_many_arguments_ *rest_;
    t_Tuple source, destination;
} t_MovedimArguments_;
#define t_movedim(...) T_OP_NAMED_((input, source, destination), (source, destination), \
    (t_movedim)(t__a, T_LIST_OF_(source), T_LIST_OF_(destination)), \
    "t_movedim(" #__VA_ARGS__ ")", t_MovedimArguments_, \
    (.source_ = T_LEFT_OUT_, .destination_ = T_LEFT_OUT_, .source = T_NO_TUPLE_, .destination = T_NO_TUPLE_), \
    __VA_ARGS__)
#define t_broadcast_to(x, ...) T_SIZES_BY_NAME_(t_broadcast_to, size, "t_broadcast_to(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
#define t_broadcast_tensors(...) T_BEGIN_("t_broadcast_tensors(" #__VA_ARGS__ ")") \
    Tensor *const t__l[] = {__VA_ARGS__}; \
    T_END_(t_TensorList *, (t_broadcast_tensors)((t_list_new)(t__l, (int64_t)(sizeof t__l / sizeof *t__l))))
#define t_sum_to_size(x, ...) T_SIZES_BY_NAME_(t_sum_to_size, size, "t_sum_to_size(" #x ", " #__VA_ARGS__ ")", x, \
    __VA_ARGS__)
/* t_Tuple shape = t_broadcast_shapes(t_tuple(2), t_tuple(3, 1)): shape.items, shape.len */
#define t_broadcast_shapes(...) T_BEGIN_("t_broadcast_shapes(" #__VA_ARGS__ ")") \
    const t_Tuple t__s[] = {__VA_ARGS__}; t_Tuple t__t = T_NO_TUPLE_; \
    (void)(t_broadcast_shapes)(t__s, (int)(sizeof t__s / sizeof *t__s), &t__t); T_END_(t_Tuple, t__t)
#define t_resize_(x, ...) T_SIZES_BY_NAME_(t_resize_, size, "t_resize_(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_resize_as_(x, other) T_OP2_(t_resize_as_, "t_resize_as_(" #x ", " #other ")", x, other)
#define t_atleast_1d(x) T_OP1_(t_atleast_1d, "t_atleast_1d(" #x ")", x)
#define t_atleast_2d(x) T_OP1_(t_atleast_2d, "t_atleast_2d(" #x ")", x)
#define t_atleast_3d(x) T_OP1_(t_atleast_3d, "t_atleast_3d(" #x ")", x)
#define T_OF_LIST_(f, text, L) T_BEGIN_(text) const t_TensorList *t__l = T_TENSORS_(L); T_END_(Tensor *, (f)(t__l))
#define t_hstack(tensors) T_OF_LIST_(t_hstack, "t_hstack(" #tensors ")", tensors)
#define t_vstack(tensors) T_OF_LIST_(t_vstack, "t_vstack(" #tensors ")", tensors)
#define t_dstack(tensors) T_OF_LIST_(t_dstack, "t_dstack(" #tensors ")", tensors)
#define t_column_stack(tensors) T_OF_LIST_(t_column_stack, "t_column_stack(" #tensors ")", tensors)
#define t_tile(x, ...) T_SIZES_BY_NAME_(t_tile, dims, "t_tile(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
/* t_repeat_interleave(x, 2), t_repeat_interleave(x, repeats, 1) */
#define t_repeat_interleave(x, ...) T_BEGIN_("t_repeat_interleave(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); T_DIM_(T_NONE, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_repeat_interleave)(t__a, t__b, t__d.dim))

/* t_hsplit(x, 2), t_hsplit(x, (1, 3)): at indices; t_cartesian_prod(a, b); t_combinations(x), t_combinations(x, 3) */
#define T_HVD_SPLIT_(one, several, text, A, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) \
    T_PASTE_(T_HVD_SPLIT_, T_IS_TUPLE_(T_HEAD_(__VA_ARGS__)))(one, several, __VA_ARGS__)
#define T_HVD_SPLIT_0(one, several, sections) T_END_(t_TensorList *, (one)(t__a, sections))
#define T_HVD_SPLIT_1(one, several, indices) T_INT64_ARRAY_(t__s, T_UNTUPLE_ indices) \
    T_END_(t_TensorList *, (several)(t__a, T_LIST_AND_LENGTH_(t__s)))
#define t_hsplit(x, at) T_HVD_SPLIT_(t_hsplit, t_hsplit_indices, "t_hsplit(" #x ", " #at ")", x, at)
#define t_vsplit(x, at) T_HVD_SPLIT_(t_vsplit, t_vsplit_indices, "t_vsplit(" #x ", " #at ")", x, at)
#define t_dsplit(x, at) T_HVD_SPLIT_(t_dsplit, t_dsplit_indices, "t_dsplit(" #x ", " #at ")", x, at)
#define t_cartesian_prod(...) T_BEGIN_("t_cartesian_prod(" #__VA_ARGS__ ")") Tensor *const t__l[] = {__VA_ARGS__}; \
    T_END_(Tensor *, (t_cartesian_prod)((t_list_new)(t__l, (int64_t)(sizeof t__l / sizeof *t__l))))
typedef struct t_CombinationsArguments_ { int first_; int64_t r; bool with_replacement; } t_CombinationsArguments_;
#define t_combinations(...) T_OP_KEYS_((t_combinations)(t__a, t__o.r, t__o.with_replacement), \
    "t_combinations(" #__VA_ARGS__ ")", t_CombinationsArguments_, (.r = 2), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))

/* ---- unfold, as_strided, flip, roll, diagonals ---- */
#define t_unfold(...) T_OP_ARGUMENTS_((input, dimension, size, step), \
    T_REQUIRED_(size) && T_REQUIRED_(step) ? (t_unfold)(t__a, t__o.dimension, t__o.size, t__o.step) : NULL, \
    "t_unfold(" #__VA_ARGS__ ")", t_UnfoldArguments_, \
    (.dimension = T_NONE, .size = T_NONE, .step = T_NONE), __VA_ARGS__)
/* t_as_strided(x, (2, 2), (1, 2)), t_as_strided(x, (2, 2), (1, 2), 3) */
typedef struct t_AsStridedArguments_ {
    int first_;
    int64_t size_, stride_, storage_offset;
    t_Tuple size, stride;
} t_AsStridedArguments_;
#define t_as_strided(...) T_OP_NAMED_((input, size, stride), (size, stride, storage_offset), \
    (t_as_strided)(t__a, T_LIST_OF_(size), T_LIST_OF_(stride), t__o.storage_offset), "t_as_strided(" #__VA_ARGS__ ")", \
    t_AsStridedArguments_, (.size_ = T_LEFT_OUT_, .stride_ = T_LEFT_OUT_, .storage_offset = T_NONE, \
    .size = T_NO_TUPLE_, .stride = T_NO_TUPLE_), __VA_ARGS__)
#define t_as_strided_(...) T_OP_NAMED_((input, size, stride), (size, stride, storage_offset), \
    (t_as_strided_)(t__a, T_LIST_OF_(size), T_LIST_OF_(stride), t__o.storage_offset), \
    "t_as_strided_(" #__VA_ARGS__ ")", t_AsStridedArguments_, (.size_ = T_LEFT_OUT_, .stride_ = T_LEFT_OUT_, \
    .storage_offset = T_NONE, .size = T_NO_TUPLE_, .stride = T_NO_TUPLE_), __VA_ARGS__)
/* t_as_strided_scatter(x, src, (2, 2), (1, 2)) */
#define t_as_strided_scatter(x, ...) T_AS_STRIDED_SCATTER_("t_as_strided_scatter(" #x ", " #__VA_ARGS__ ")", x, \
    T_HEAD_(__VA_ARGS__), T_REST_(__VA_ARGS__))
#define T_AS_STRIDED_SCATTER_(text, A, B, ...) T_BEGIN_(text) T_TENSOR_(t__a, (A)) T_TENSOR_(t__b, (B)) \
    T_OPTIONS_(t_AsStridedArguments_, t__o, .size_ = T_LEFT_OUT_, .stride_ = T_LEFT_OUT_, .storage_offset = T_NONE, \
        .size = T_NO_TUPLE_, .stride = T_NO_TUPLE_, .first_ = 0, \
        T_NAMED_((size, stride, storage_offset), __VA_ARGS__)) \
    T_END_(Tensor *, (t_as_strided_scatter)(t__a, t__b, T_LIST_OF_(size), T_LIST_OF_(stride), t__o.storage_offset))
#define t_flip(x, ...) T_SIZES_BY_NAME_(t_flip, dims, "t_flip(" #x ", " #__VA_ARGS__ ")", x, __VA_ARGS__)
#define t_fliplr(x) T_OP1_(t_fliplr, "t_fliplr(" #x ")", x)
#define t_flipud(x) T_OP1_(t_flipud, "t_flipud(" #x ")", x)
/* t_rot90(x), t_rot90(x, 2), t_rot90(x, 1, (1, 2)) */
typedef struct t_Rot90Arguments_ { int first_; int64_t k, dims_; t_Tuple dims; } t_Rot90Arguments_;
#define t_rot90(...) T_OP_NAMED_((input), (k, dims), (t_rot90)(t__a, t__o.k, T_LIST_OF_(dims)), \
    "t_rot90(" #__VA_ARGS__ ")", t_Rot90Arguments_, (.k = 1, .dims_ = T_LEFT_OUT_, .dims = {{0, 1}, 2}), __VA_ARGS__)
/* t_roll(x, 1), t_roll(x, 1, 0), t_roll(x, (1, -1), (0, 1)) */
typedef struct t_RollArguments_ {
    int first_;
    int64_t shifts_, dims_;
    struct t_too_many_arguments_ *rest_;
    t_Tuple shifts, dims;
} t_RollArguments_;
#define t_roll(...) T_OP_NAMED_((input, shifts), (shifts, dims), (t_roll)(t__a, T_LIST_OF_(shifts), T_LIST_OF_(dims)), \
    "t_roll(" #__VA_ARGS__ ")", t_RollArguments_, \
    (.shifts_ = T_LEFT_OUT_, .dims_ = T_LEFT_OUT_, .shifts = T_NO_TUPLE_, .dims = T_NO_TUPLE_), __VA_ARGS__)
#define t_diag(...) T_WITH_DIAGONAL_(t_diag, "t_diag(" #__VA_ARGS__ ")", __VA_ARGS__)
#define t_diag_embed(...) T_BEGIN_("t_diag_embed(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_DiagonalOfArguments_, t__o, .dim1 = -2, .dim2 = -1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_diag_embed)(t__a, t__o.offset, t__o.dim1, t__o.dim2))
#define t_diagflat(...) T_BEGIN_("t_diagflat(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_DiagonalOfArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_diagflat)(t__a, t__o.offset))

/* ---- in place ---- */
#define t_squeeze_(...) T_BEGIN_("t_squeeze_(" #__VA_ARGS__ ")") T_TENSOR_(t__a, T_HEAD_(__VA_ARGS__)) \
    T_DIM_(T_NONE, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (t_squeeze_)(t__a, t__d.dim))
#define t_unsqueeze_(...) T_OP_ARGUMENTS_((input, dim), (t_unsqueeze_)(t__a, t__o.dim), \
    "t_unsqueeze_(" #__VA_ARGS__ ")", t_UnsqueezeArguments_, (.dim = T_NONE), __VA_ARGS__)
#define t_transpose_(...) T_OP_ARGUMENTS_((input, dim0, dim1), (t_transpose_)(t__a, t__o.dim0, t__o.dim1), \
    "t_transpose_(" #__VA_ARGS__ ")", t_TransposeArguments_, (.dim0 = T_NONE, .dim1 = T_NONE), __VA_ARGS__)
#define t_t_(x) T_OP1_(t_t_, "t_t_(" #x ")", x)

#endif
