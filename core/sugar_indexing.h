/* core/sugar_indexing.h: the macros over ops_indexing.h, one line each (public; part of core/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_INDEXING_H
#define TAPEGRAD_CORE_SUGAR_INDEXING_H
#pragma GCC system_header

#include "core/sugar_words.h"

/* ---- x[index] ---- */
/* t_at(pe, ":, :{}, :", n), t_at(x, "{}", mask): each {} takes the next whole number or tensor (at most eight) */
static inline t_IndexValue_ t_index_number_(int64_t number) { return (t_IndexValue_){NULL, number, true}; }
static inline t_IndexValue_ t_index_tensor_(Tensor *x) { return (t_IndexValue_){x, 0, false}; }
static inline t_IndexValue_ t_index_null_(void *x) { return t_index_tensor_((Tensor *)x); }
static inline t_IndexValue_ t_index_bool_(bool x) { return t_index_tensor_((t_boolean)(x)); }
#define T_INDEX_(a)                                                                                                   \
    (__extension__({ __auto_type t__w = (a);                                                                          \
        _Generic(t__w, Tensor *: t_index_tensor_, void *: t_index_null_, _Bool: t_index_bool_, char: t_index_number_,  \
                 signed char: t_index_number_, short: t_index_number_, int: t_index_number_, long: t_index_number_,    \
                 long long: t_index_number_, unsigned char: t_index_number_, unsigned short: t_index_number_,          \
                 unsigned: t_index_number_, unsigned long: t_index_number_, unsigned long long: t_index_number_)(t__w); }))
#define T_IS_TEXT_(index) _Static_assert(_Generic((index), char *: 1, const char *: 1, void *: 1, default: 0), \
    "an index is a text: t_at(x, \"1, :4\"), or t_at(x, \"{}, :4\", i) for a variable");
#define t_at(x, ...) T_BEGIN_("t_at(" #x ", " #__VA_ARGS__ ")") T_IS_TEXT_(T_HEAD_(__VA_ARGS__)) Tensor *t__a = (x); const char *t__t = T_HEAD_(__VA_ARGS__); \
    T_TENTH_(__VA_ARGS__, T_AT8_, T_AT7_, T_AT6_, T_AT5_, T_AT4_, T_AT3_, T_AT2_, T_AT1_, T_AT0_, 0)(__VA_ARGS__) \
    T_END_(Tensor *, (t_at_of_)(t__a, t__t, t__v, t__c))
/* t_set(pe, ":, {}::2", start, value): x[index] = value; the value comes last, behind what {} stands for. It is evaluated
 * before that, as in Python. */
#define t_set(x, text, ...) T_BEGIN_("t_set(" #x ", " #text ", " #__VA_ARGS__ ")") T_IS_TEXT_(text) Tensor *t__a = (x); const char *t__t = (text); \
    T_TENTH_(__VA_ARGS__, T_SET8_, T_SET7_, T_SET6_, T_SET5_, T_SET4_, T_SET3_, T_SET2_, T_SET1_, T_SET0_, 0)(__VA_ARGS__) \
    T_END_(bool, (t_set_of_)(t__a, t__t, t__v, t__c, t__b))
#define T_TENTH_(a, b, c, d, e, f, g, h, i, tenth, ...) tenth
/* Declarations run one after the other: the values are evaluated from left to right. */
#define T_VALUES_(...) t__v[] = {__VA_ARGS__}; const int t__c = (int)(sizeof t__v / sizeof *t__v);
#define T_AT0_(text) const t_IndexValue_ *const t__v = NULL; const int t__c = 0;
#define T_AT1_(text, a) const t_IndexValue_ T_VALUES_(T_INDEX_(a))
#define T_AT2_(text, a, b) T_AT_(a) T_VALUES_(t__1, T_INDEX_(b))
#define T_AT3_(text, a, b, c) T_AT_(a) T_THEN_(2, b) T_VALUES_(t__1, t__2, T_INDEX_(c))
#define T_AT4_(text, a, b, c, d) T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_VALUES_(t__1, t__2, t__3, T_INDEX_(d))
#define T_AT5_(text, a, b, c, d, e) T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_THEN_(4, d) T_VALUES_(t__1, t__2, t__3, t__4, T_INDEX_(e))
#define T_AT6_(text, a, b, c, d, e, f) \
    T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_THEN_(4, d) T_THEN_(5, e) T_VALUES_(t__1, t__2, t__3, t__4, t__5, T_INDEX_(f))
#define T_AT7_(text, a, b, c, d, e, f, g) \
    T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_THEN_(4, d) T_THEN_(5, e) T_THEN_(6, f) T_VALUES_(t__1, t__2, t__3, t__4, t__5, t__6, T_INDEX_(g))
#define T_AT8_(text, a, b, c, d, e, f, g, h) \
    T_AT_(a) T_THEN_(2, b) T_THEN_(3, c) T_THEN_(4, d) T_THEN_(5, e) T_THEN_(6, f) T_THEN_(7, g) T_VALUES_(t__1, t__2, t__3, t__4, t__5, t__6, t__7, T_INDEX_(h))
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
#define t_index_put(x, indices, ...) T_INDEX_PUT_(t_index_put, "t_index_put(" #x ", " #indices ", " #__VA_ARGS__ ")", x, indices, __VA_ARGS__)
#define t_index_put_(x, indices, ...) T_INDEX_PUT_(t_index_put_, "t_index_put_(" #x ", " #indices ", " #__VA_ARGS__ ")", x, indices, __VA_ARGS__)
typedef struct t_AccumulateArguments_ { int first_; bool accumulate; } t_AccumulateArguments_;
#define T_INDEX_PUT_(f, text, x, indices, ...) T_BEGIN_(text) Tensor *t__a = (x); t_TensorList *t__l = (indices); Tensor *t__b = T_OPERAND(T_HEAD_(__VA_ARGS__)); \
    T_OPTIONS_(t_AccumulateArguments_, t__o, .accumulate = false, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(Tensor *, (f)(t__a, t__l, t__b, t__o.accumulate))

/* ---- where a tensor is not 0 ---- */
#define t_nonzero(x) T_OP1_(t_nonzero, "t_nonzero(" #x ")", x)
#define t_nonzero_tuple(x) T_BEGIN_("t_nonzero_tuple(" #x ")") Tensor *t__a = (x); T_END_(t_TensorList *, (t_nonzero_tuple)(t__a))
#define t_argwhere(x) T_OP1_(t_argwhere, "t_argwhere(" #x ")", x)

/* ---- along one dim ---- */
#define t_gather(x, dim, index) T_BEGIN_("t_gather(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); Tensor *t__b = (index); T_END_(Tensor *, (t_gather)(t__a, dim, t__b))
#define t_index_select(x, dim, index) T_BEGIN_("t_index_select(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); Tensor *t__b = (index); T_END_(Tensor *, (t_index_select)(t__a, dim, t__b))

#endif
