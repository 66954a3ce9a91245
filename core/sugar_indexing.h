/* core/sugar_indexing.h: the macros over ops_indexing.h, one line each (public; part of core/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_INDEXING_H
#define TAPEGRAD_CORE_SUGAR_INDEXING_H
#pragma GCC system_header

#include "core/sugar_words.h"

/* ---- x[index] ---- */
/* t_at(pe, ":, :{}, :", n): each {} takes the next whole number */
#define T_INDICES_(...) T_QUIET_ const int64_t t__v[] = {0, __VA_ARGS__}; T_LOUD_ const int t__c = (int)(sizeof t__v / sizeof *t__v) - 1;
#define T_IS_TEXT_(index) _Static_assert(_Generic((index), char *: 1, const char *: 1, void *: 1, default: 0), \
    "an index is a text: t_at(x, \"1, :4\"), or t_at(x, \"{}, :4\", i) for a variable");
#define t_at(x, ...) T_BEGIN_("t_at(" #x ", " #__VA_ARGS__ ")") T_IS_TEXT_(T_HEAD_(__VA_ARGS__)) Tensor *t__a = (x); const char *t__t = T_HEAD_(__VA_ARGS__); T_INDICES_(T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, (t_at)(t__a, t__t, t__v + 1, t__c))
/* t_set(pe, ":, {}::2", start, value): x[index] = value; the value comes last, behind the numbers for {} (at most eight). It is
 * evaluated first, as in Python. */
#define t_set(x, text, ...) T_BEGIN_("t_set(" #x ", " #text ", " #__VA_ARGS__ ")") T_IS_TEXT_(text) Tensor *t__a = (x); const char *t__t = (text); \
    T_TENTH_(__VA_ARGS__, T_SET9_, T_SET8_, T_SET7_, T_SET6_, T_SET5_, T_SET4_, T_SET3_, T_SET2_, T_SET1_, 0)(__VA_ARGS__) \
    T_END_(bool, (t_set)(t__a, t__t, t__v + 1, t__c, t__b))
#define T_TENTH_(a, b, c, d, e, f, g, h, i, tenth, ...) tenth
#define T_SET_(value, ...) Tensor *t__b = T_OPERAND(value); T_INDICES_(__VA_ARGS__)
#define T_SET1_(value) T_SET_(value, )
#define T_SET2_(a, value) T_SET_(value, a)
#define T_SET3_(a, b, value) T_SET_(value, a, b)
#define T_SET4_(a, b, c, value) T_SET_(value, a, b, c)
#define T_SET5_(a, b, c, d, value) T_SET_(value, a, b, c, d)
#define T_SET6_(a, b, c, d, e, value) T_SET_(value, a, b, c, d, e)
#define T_SET7_(a, b, c, d, e, f, value) T_SET_(value, a, b, c, d, e, f)
#define T_SET8_(a, b, c, d, e, f, g, value) T_SET_(value, a, b, c, d, e, f, g)
#define T_SET9_(a, b, c, d, e, f, g, h, value) T_SET_(value, a, b, c, d, e, f, g, h)

/* ---- along one dim ---- */
#define t_gather(x, dim, index) T_BEGIN_("t_gather(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); Tensor *t__b = (index); T_END_(Tensor *, (t_gather)(t__a, dim, t__b))
#define t_index_select(x, dim, index) T_BEGIN_("t_index_select(" #x ", " #dim ", " #index ")") Tensor *t__a = (x); Tensor *t__b = (index); T_END_(Tensor *, (t_index_select)(t__a, dim, t__b))

#endif
