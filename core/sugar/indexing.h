/* core/sugar/indexing.h: the macros for indexing, gather, scatter and search (public; part of core/sugar/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_INDEXING_H
#define TAPEGRAD_CORE_SUGAR_INDEXING_H
#pragma GCC system_header

#include "core/sugar/sugar_macros.h"

/* ---- x[index] ---- */
/* t_at(pe, ":, :{}, :", n), t_at(x, "{}", mask), t_at(x, ":, -{}:", n): each {} is replaced by the next argument, an
 * integer or a tensor (at most eight) */
static inline t_IndexValue_ t_index_number_(int64_t number) { return (t_IndexValue_){NULL, number, true}; }
static inline t_IndexValue_ t_index_tensor_(Tensor *x) { return (t_IndexValue_){x, 0, false}; }
static inline t_IndexValue_ t_index_null_(void *x) { return t_index_tensor_((Tensor *)x); }
static inline t_IndexValue_ t_index_bool_(bool x) { return t_index_tensor_((t_boolean)(x)); }
#define T_INDEX_(a) \
    (__extension__({ __auto_type t__w = (a); \
        _Generic(t__w, \
            Tensor *: t_index_tensor_, \
            void *: t_index_null_, \
            _Bool: t_index_bool_, \
            char: t_index_number_, \
            signed char: t_index_number_, \
            short: t_index_number_, \
            int: t_index_number_, \
            long: t_index_number_, \
            long long: t_index_number_, \
            unsigned char: t_index_number_, \
            unsigned short: t_index_number_, \
            unsigned: t_index_number_, \
            unsigned long: t_index_number_, \
            unsigned long long: t_index_number_)(t__w); }))
#define T_IS_TEXT_(index) _Static_assert(_Generic((index), char *: 1, const char *: 1, void *: 1, default: 0), \
    "an index is a text: t_at(x, \"1, :4\"), or t_at(x, \"{}, :4\", i) for a variable");
#define t_at(x, ...) T_BEGIN_("t_at(" #x ", " #__VA_ARGS__ ")") T_IS_TEXT_(T_HEAD_(__VA_ARGS__)) T_TENSOR_(t__a, (x)) \
    const char *t__t = T_HEAD_(__VA_ARGS__); \
    T_TENTH_(__VA_ARGS__, T_AT8_, T_AT7_, T_AT6_, T_AT5_, T_AT4_, T_AT3_, T_AT2_, T_AT1_, T_AT0_, 0)(__VA_ARGS__) \
    T_END_(Tensor *, (t_at_of_)(t__a, t__t, t__v, t__c))
/* t_set(pe, ":, {}::2", start, value): x[index] = value; the value is the last argument, after those for {}. It is
 * evaluated before them, as in Python. */
#define t_set(x, text, ...) T_BEGIN_("t_set(" #x ", " #text ", " #__VA_ARGS__ ")") T_IS_TEXT_(text) \
    T_TENSOR_(t__a, (x)) const char *t__t = (text); \
    T_TENTH_(__VA_ARGS__, T_SET8_, T_SET7_, T_SET6_, T_SET5_, T_SET4_, T_SET3_, T_SET2_, T_SET1_, T_SET0_, \
    0)(__VA_ARGS__) \
    T_END_(bool, (t_set_of_)(t__a, t__t, t__v, t__c, t__b))
/* Separate declarations, so that the values are evaluated from left to right. */
#define T_VALUES_(...) t__v[] = {__VA_ARGS__}; const int t__c = (int)(sizeof t__v / sizeof *t__v);
#define T_AT0_(text) const t_IndexValue_ *const t__v = NULL; const int t__c = 0;
#define T_AT1_(text, a) const t_IndexValue_ T_VALUES_(T_INDEX_(a))
#define T_AT2_(text, a, b) T_AT_(a) T_VALUES_(t__1, T_INDEX_(b))
#define T_AT3_(text, a, b, c) T_AT_(a) T_THEN_(2, b) T_VALUES_(t__1, t__2, T_INDEX_(c))
#define T_AT4_(text, a, b, c, d) T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_VALUES_(t__1, t__2, t__3, T_INDEX_(d))
#define T_AT5_(text, a, b, c, d, e) T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_THEN_(4, d) \
    T_VALUES_(t__1, t__2, t__3, t__4, T_INDEX_(e))
#define T_AT6_(text, a, b, c, d, e, f) \
    T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_THEN_(4, d) T_THEN_(5, e) \
    T_VALUES_(t__1, t__2, t__3, t__4, t__5, T_INDEX_(f))
#define T_AT7_(text, a, b, c, d, e, f, g) \
    T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_THEN_(4, d) T_THEN_(5, e) T_THEN_(6, f) \
    T_VALUES_(t__1, t__2, t__3, t__4, t__5, t__6, T_INDEX_(g))
#define T_AT8_(text, a, b, c, d, e, f, g, h) \
    T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_THEN_(4, d) T_THEN_(5, e) T_THEN_(6, f) T_THEN_(7, g) \
    T_VALUES_(t__1, t__2, t__3, t__4, t__5, t__6, t__7, T_INDEX_(h))
#define T_AT_(a) const t_IndexValue_ t__1 = T_INDEX_(a),
#define T_THEN_(number, a) t__##number = T_INDEX_(a),
#define T_WRITTEN_(value) Tensor *t__b = T_OPERAND(value);
#define T_SET0_(value) T_WRITTEN_(value) T_AT0_(0)
#define T_SET1_(a, value) T_WRITTEN_(value) T_AT1_(0, a)
#define T_SET2_(a, b, value) T_WRITTEN_(value) T_AT2_(0, a, b)
#define T_SET3_(a, b, c, value) T_WRITTEN_(value) T_AT3_(0, a, b, c)
#define T_SET4_(a, b, c, d, value) T_WRITTEN_(value) T_AT4_(0, a, b, c, d)
#define T_SET5_(a, b, c, d, e, value) T_WRITTEN_(value) T_AT5_(0, a, b, c, d, e)
#define T_SET6_(a, b, c, d, e, f, value) T_WRITTEN_(value) T_AT6_(0, a, b, c, d, e, f)
#define T_SET7_(a, b, c, d, e, f, g, value) T_WRITTEN_(value) T_AT7_(0, a, b, c, d, e, f, g)
#define T_SET8_(a, b, c, d, e, f, g, h, value) T_WRITTEN_(value) T_AT8_(0, a, b, c, d, e, f, g, h)
#define t_index_put(x, indices, ...) T_INDEX_PUT_(t_index_put, "t_index_put(" #x ", " #indices ", " #__VA_ARGS__ ")", \
    x, indices, __VA_ARGS__)
#define t_index_put_(x, indices, ...) T_INDEX_PUT_(t_index_put_, \
    "t_index_put_(" #x ", " #indices ", " #__VA_ARGS__ ")", x, indices, __VA_ARGS__)
typedef struct t_AccumulateArguments_ { int first_; bool accumulate; } t_AccumulateArguments_;
#define T_INDEX_PUT_(f, text, x, indices, ...) T_BEGIN_(text) T_TENSOR_(t__a, (x)) t_TensorList *t__l = (indices); \
    Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(t_AccumulateArguments_, t__o, .accumulate = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (f)(t__a, t__l, t__b, t__o.accumulate))

/* ---- nonzero ---- */
#define t_nonzero(x) T_OP1_(t_nonzero, "t_nonzero(" #x ")", x)
#define t_nonzero_tuple(x) T_BEGIN_("t_nonzero_tuple(" #x ")") T_TENSOR_(t__a, (x)) \
    T_END_(t_TensorList *, (t_nonzero_tuple)(t__a))
/* t_nonzero_static(x, .size = 3), t_unravel_index(t_argmax(x), (2, 3)) */
typedef struct t_NonzeroStaticArguments_ {
    int64_t size, fill_value;
    int first_;
    struct t_keyword_only_ *rest_;
} t_NonzeroStaticArguments_;
#define t_nonzero_static(...) T_OP_KEYS_(T_REQUIRED_(size) ? (t_nonzero_static)(t__a, t__o.size, t__o.fill_value) \
    : NULL, "t_nonzero_static(" #__VA_ARGS__ ")", t_NonzeroStaticArguments_, (.size = T_NONE, .fill_value = -1), \
    T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define t_unravel_index(x, ...) T_BEGIN_("t_unravel_index(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    T_INT64_ARRAY_(t__s, T_SPREAD_(__VA_ARGS__)) \
    T_END_(t_TensorList *, (t_unravel_index)(t__a, T_LIST_AND_LENGTH_(t__s)))
#define t_argwhere(x) T_OP1_(t_argwhere, "t_argwhere(" #x ")", x)

/* ---- along one dim ---- */
/* t_gather(x, 1, index), t_gather(x, .dim = 1, .index = index) */
typedef struct t_PickArguments_ { int first_; int64_t dim; Tensor *index; } t_PickArguments_;
typedef struct t_PlaceArguments_ { int first_; int64_t dim; Tensor *index, *src; } t_PlaceArguments_;
typedef struct t_CopyArguments_ { int first_; int64_t dim; Tensor *index, *source; } t_CopyArguments_;
#define T_PLACE_(f, text, x, dim, index, SRC) \
    T_BEGIN_(text) T_TENSOR_(t__a, (x)) T_INT64_(t__d = (dim)) T_TENSOR_(t__b, (index)) T_TENSOR_(t__c, (SRC)) \
    T_END_(Tensor *, (f)(t__a, t__d, t__b, t__c))
#define t_gather(...) T_OP_ARGUMENTS_((input, dim, index), (t_gather)(t__a, t__o.dim, t__o.index), \
    "t_gather(" #__VA_ARGS__ ")", t_PickArguments_, (.dim = T_NONE), __VA_ARGS__)
#define t_index_select(...) T_OP_ARGUMENTS_((input, dim, index), (t_index_select)(t__a, t__o.dim, t__o.index), \
    "t_index_select(" #__VA_ARGS__ ")", t_PickArguments_, (.dim = T_NONE), __VA_ARGS__)
#define t_scatter(x, dim, index, src) T_PLACE_(t_scatter, "t_scatter(" #x ", " #dim ", " #index ", " #src ")", x, dim, \
    index, T_OPERAND(src))
#define t_scatter_(x, dim, index, src) T_PLACE_(t_scatter_, "t_scatter_(" #x ", " #dim ", " #index ", " #src ")", x, \
    dim, index, T_OPERAND(src))
#define t_scatter_add(...) T_OP_ARGUMENTS_((input, dim, index, src), (t_scatter_add)(t__a, t__o.dim, t__o.index, \
    t__o.src), "t_scatter_add(" #__VA_ARGS__ ")", t_PlaceArguments_, (.dim = T_NONE), __VA_ARGS__)
#define t_scatter_add_(...) T_OP_ARGUMENTS_((input, dim, index, src), (t_scatter_add_)(t__a, t__o.dim, t__o.index, \
    t__o.src), "t_scatter_add_(" #__VA_ARGS__ ")", t_PlaceArguments_, (.dim = T_NONE), __VA_ARGS__)
#define t_index_copy(...) T_OP_ARGUMENTS_((input, dim, index, source), (t_index_copy)(t__a, t__o.dim, t__o.index, \
    t__o.source), "t_index_copy(" #__VA_ARGS__ ")", t_CopyArguments_, (.dim = T_NONE), __VA_ARGS__)
#define t_index_copy_(...) T_OP_ARGUMENTS_((input, dim, index, source), (t_index_copy_)(t__a, t__o.dim, t__o.index, \
    t__o.source), "t_index_copy_(" #__VA_ARGS__ ")", t_CopyArguments_, (.dim = T_NONE), __VA_ARGS__)
#define t_index_fill(x, dim, index, value) T_PLACE_(t_index_fill, \
    "t_index_fill(" #x ", " #dim ", " #index ", " #value ")", x, dim, index, T_OPERAND(value))
#define t_index_fill_(x, dim, index, value) T_PLACE_(t_index_fill_, \
    "t_index_fill_(" #x ", " #dim ", " #index ", " #value ")", x, dim, index, T_OPERAND(value))
/* t_scatter_reduce(x, 0, index, src, "mean", .include_self = false) */
typedef struct t_ScatterArguments_ {
    bool include_self;
    int first_;
    int64_t dim;
    Tensor *index, *src;
    const char *reduce;
    struct t_keyword_only_ *rest_;
} t_ScatterArguments_;

#define t_scatter_reduce(...) T_OP_ARGUMENTS_((input, dim, index, src, reduce), \
    (t_scatter_reduce)(t__a, t__o.dim, t__o.index, t__o.src, t__o.reduce, t__o.include_self), \
    "t_scatter_reduce(" #__VA_ARGS__ ")", t_ScatterArguments_, (.dim = T_NONE, .include_self = true), __VA_ARGS__)
#define t_scatter_reduce_(...) T_OP_ARGUMENTS_((input, dim, index, src, reduce), \
    (t_scatter_reduce_)(t__a, t__o.dim, t__o.index, t__o.src, t__o.reduce, t__o.include_self), \
    "t_scatter_reduce_(" #__VA_ARGS__ ")", t_ScatterArguments_, (.dim = T_NONE, .include_self = true), __VA_ARGS__)
/* t_index_reduce(x, 0, index, source, "prod", .include_self = false) */
typedef struct t_IndexReduceArguments_ {
    bool include_self;
    int first_;
    int64_t dim;
    Tensor *index, *source;
    const char *reduce;
    struct t_keyword_only_ *rest_;
} t_IndexReduceArguments_;
#define t_index_reduce(...) T_OP_ARGUMENTS_((input, dim, index, source, reduce), \
    (t_index_reduce)(t__a, t__o.dim, t__o.index, t__o.source, t__o.reduce, t__o.include_self), \
    "t_index_reduce(" #__VA_ARGS__ ")", t_IndexReduceArguments_, (.dim = T_NONE, .include_self = true), __VA_ARGS__)
#define t_index_reduce_(...) T_OP_ARGUMENTS_((input, dim, index, source, reduce), \
    (t_index_reduce_)(t__a, t__o.dim, t__o.index, t__o.source, t__o.reduce, t__o.include_self), \
    "t_index_reduce_(" #__VA_ARGS__ ")", t_IndexReduceArguments_, (.dim = T_NONE, .include_self = true), __VA_ARGS__)
/* t_segment_reduce(data, "max", .lengths = lengths), t_segment_reduce(data, "sum", .offsets = offsets, .axis = 1) */
typedef struct t_SegmentReduceArguments_ {
    Tensor *lengths, *indices, *offsets;
    int64_t axis;
    bool unsafe;
    double initial;
    int first_;
    const char *reduce;
    struct t_keyword_only_ *rest_;
} t_SegmentReduceArguments_;
#define t_segment_reduce(...) T_OP_ARGUMENTS_((data, reduce), (t_segment_reduce)(t__a, t__o.reduce, t__o.lengths, \
    t__o.indices, t__o.offsets, t__o.axis, t__o.unsafe, t__o.initial), "t_segment_reduce(" #__VA_ARGS__ ")", \
    t_SegmentReduceArguments_, (.initial = __builtin_nan("")), __VA_ARGS__)
/* t_index_add(x, 0, index, source, .alpha = 2) */
typedef struct t_IndexAddArguments_ {
    double alpha;
    int first_;
    int64_t dim;
    Tensor *index, *source;
    struct t_keyword_only_ *rest_;
} t_IndexAddArguments_;

#define t_index_add(...) T_OP_ARGUMENTS_((input, dim, index, source), \
    (t_index_add)(t__a, t__o.dim, t__o.index, t__o.source, t__o.alpha), "t_index_add(" #__VA_ARGS__ ")", \
    t_IndexAddArguments_, (.dim = T_NONE, .alpha = 1), __VA_ARGS__)
#define t_index_add_(...) T_OP_ARGUMENTS_((input, dim, index, source), \
    (t_index_add_)(t__a, t__o.dim, t__o.index, t__o.source, t__o.alpha), "t_index_add_(" #__VA_ARGS__ ")", \
    t_IndexAddArguments_, (.dim = T_NONE, .alpha = 1), __VA_ARGS__)
typedef struct t_TakeAlongArguments_ { int first_; Tensor *indices; int64_t dim; } t_TakeAlongArguments_;
#define t_take_along_dim(...) T_OP_ARGUMENTS_((input, indices), (t_take_along_dim)(t__a, t__o.indices, t__o.dim), \
    "t_take_along_dim(" #__VA_ARGS__ ")", t_TakeAlongArguments_, (.dim = T_NONE), __VA_ARGS__)

/* ---- by flat index and by mask ---- */
#define t_take(x, index) T_OP2_(t_take, "t_take(" #x ", " #index ")", x, index)
typedef struct t_PutArguments_ { int first_; Tensor *index, *source; bool accumulate; } t_PutArguments_;
#define t_put(...) T_OP_ARGUMENTS_((input, index, source), (t_put)(t__a, t__o.index, t__o.source, t__o.accumulate), \
    "t_put(" #__VA_ARGS__ ")", t_PutArguments_, (.accumulate = false), __VA_ARGS__)
#define t_put_(...) T_OP_ARGUMENTS_((input, index, source), (t_put_)(t__a, t__o.index, t__o.source, t__o.accumulate), \
    "t_put_(" #__VA_ARGS__ ")", t_PutArguments_, (.accumulate = false), __VA_ARGS__)
#define t_masked_select(x, mask) T_OP2_(t_masked_select, "t_masked_select(" #x ", " #mask ")", x, mask)
#define t_masked_scatter(x, mask, source) T_OP3_(t_masked_scatter, "t_masked_scatter(" #x ", " #mask ", " #source ")", \
    x, mask, source)
#define t_masked_scatter_(x, mask, source) T_OP3_(t_masked_scatter_, \
    "t_masked_scatter_(" #x ", " #mask ", " #source ")", x, mask, source)

/* ---- slice_scatter and the like: t_slice_scatter(x, src, 1, 0, 4, .step = 2) ---- */
typedef struct t_SelectScatterArguments_ { int first_; Tensor *src; int64_t dim, index; } t_SelectScatterArguments_;
#define t_select_scatter(...) T_OP_ARGUMENTS_((input, src, dim, index), \
    (t_select_scatter)(t__a, t__o.src, t__o.dim, t__o.index), "t_select_scatter(" #__VA_ARGS__ ")", \
    t_SelectScatterArguments_, (.dim = T_NONE, .index = T_NONE), __VA_ARGS__)
typedef struct t_SliceScatterArguments_ {
    int first_;
    Tensor *src;
    int64_t dim, start, end, step;
} t_SliceScatterArguments_;
#define t_slice_scatter(...) T_OP_ARGUMENTS_((input, src), \
    (t_slice_scatter)(t__a, t__o.src, t__o.dim, t__o.start, t__o.end, t__o.step), "t_slice_scatter(" #__VA_ARGS__ ")", \
    t_SliceScatterArguments_, (.start = T_NONE, .end = T_NONE, .step = 1), __VA_ARGS__)
typedef struct t_DiagonalScatterArguments_ {
    int first_;
    Tensor *src;
    int64_t offset, dim1, dim2;
} t_DiagonalScatterArguments_;
#define t_diagonal_scatter(...) T_OP_ARGUMENTS_((input, src), \
    (t_diagonal_scatter)(t__a, t__o.src, t__o.offset, t__o.dim1, t__o.dim2), "t_diagonal_scatter(" #__VA_ARGS__ ")", \
    t_DiagonalScatterArguments_, (.dim2 = 1), __VA_ARGS__)

/* ---- search: t_searchsorted(boundaries, x, .right = true), t_isin(x, 3, .invert = true) ---- */
typedef struct t_SearchArguments_ {
    bool right;
    const char *side;
    Tensor *sorter;
    bool out_int32;
    int first_;
    struct t_keyword_only_ *rest_;
} t_SearchArguments_;
/* out_int32: the plain functions return int64. */
static inline Tensor *t_out_int32_of_(Tensor *indices, bool out_int32) {
    return out_int32 && indices ? (t_to)(indices, t_int32) : indices;
}
#define t_searchsorted(sorted_sequence, ...) T_BEGIN_("t_searchsorted(" #sorted_sequence ", " #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, (sorted_sequence)) Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(t_SearchArguments_, t__o, .right = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, t_out_int32_of_((t_searchsorted)(t__a, t__b, t__o.right, t__o.side, t__o.sorter), t__o.out_int32))
#define t_bucketize(input, ...) T_BEGIN_("t_bucketize(" #input ", " #__VA_ARGS__ ")") Tensor *t__a = T_OPERAND(input); \
    T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(t_SearchArguments_, t__o, .right = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, t_out_int32_of_((t_bucketize)(t__a, t__b, t__o.right), t__o.out_int32))
typedef struct t_IsinArguments_ {
    bool assume_unique, invert;
    int first_;
    struct t_keyword_only_ *rest_;
} t_IsinArguments_;
#define t_isin(elements, ...) \
    T_NO_CONDITION_(T_BEGIN_("t_isin(" #elements ", " #__VA_ARGS__ ")") \
    Tensor *t__a = T_OPERAND(elements); Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(t_IsinArguments_, t__o, .invert = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_isin)(t__a, t__b, t__o.assume_unique, t__o.invert)))

#endif
