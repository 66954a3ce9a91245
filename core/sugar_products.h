/* core/sugar_products.h: the macros over ops_products.h, one line each (public; part of core/sugar.h). */
#ifndef TAPEGRAD_CORE_SUGAR_PRODUCTS_H
#define TAPEGRAD_CORE_SUGAR_PRODUCTS_H
#pragma GCC system_header

#include "core/sugar_words.h"

/* ---- products ---- */
#define t_matmul(a, b) T_OP2_(t_matmul, "t_matmul(" #a ", " #b ")", a, b)
#define t_mm(a, b) T_OP2_(t_mm, "t_mm(" #a ", " #b ")", a, b)
#define t_bmm(a, b) T_OP2_(t_bmm, "t_bmm(" #a ", " #b ")", a, b)
/* t_einsum("bhid,bhjd->bhij", q, k) */
#define t_einsum(...) T_BEGIN_("t_einsum(" #__VA_ARGS__ ")") const char *t__t = T_HEAD_(__VA_ARGS__); Tensor *const t__l[] = {NULL, T_TAIL_(__VA_ARGS__)}; T_END_(Tensor *, (t_einsum)(t__t, (t_list_new)(t__l + 1, (int64_t)(sizeof t__l / sizeof *t__l) - 1)))

#endif
