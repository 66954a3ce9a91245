/* core/ops_pointwise.h: one element at a time; inputs broadcast, as plain C functions (public; part of core/ops.h, which says how to read it). */
#ifndef TAPEGRAD_PUBLIC_POINTWISE_H
#define TAPEGRAD_PUBLIC_POINTWISE_H

#include "core/list.h"

T_BEGIN_DECLS

/* ---- pointwise (core/ops/unary.c, activation.c, binary.c, remainder.c, compare.c, bitwise.c, select.c); each broadcasts ---- */
T_API Tensor *t_neg(Tensor *x);                         /* -x */
T_API Tensor *t_abs(Tensor *x);                         /* torch.abs(x) */
T_API Tensor *t_sign(Tensor *x);                        /* torch.sign(x) */
T_API Tensor *t_exp(Tensor *x);                         /* torch.exp(x) */
T_API Tensor *t_log(Tensor *x);                         /* torch.log(x) */
T_API Tensor *t_sqrt(Tensor *x);                        /* torch.sqrt(x) */
T_API Tensor *t_rsqrt(Tensor *x);                       /* torch.rsqrt(x) */
T_API Tensor *t_square(Tensor *x);                      /* torch.square(x) */
T_API Tensor *t_reciprocal(Tensor *x);                  /* torch.reciprocal(x) */
T_API Tensor *t_sin(Tensor *x);                         /* torch.sin(x) */
T_API Tensor *t_cos(Tensor *x);                         /* torch.cos(x) */
T_API Tensor *t_tanh(Tensor *x);                        /* torch.tanh(x) */
T_API Tensor *t_sigmoid(Tensor *x);                     /* torch.sigmoid(x) */
T_API Tensor *t_erf(Tensor *x);                         /* torch.erf(x) */
T_API Tensor *t_relu(Tensor *x);                        /* torch.relu(x) */
T_API Tensor *t_relu_(Tensor *x);                       /* x.relu_() */
T_API Tensor *t_prelu(Tensor *x, Tensor *weight);       /* torch.prelu(x, weight) */
T_API Tensor *t_celu(Tensor *x, double alpha);          /* torch.celu(x, alpha) */
T_API Tensor *t_celu_(Tensor *x, double alpha);         /* torch.celu_(x, alpha) */
T_API Tensor *t_selu(Tensor *x);                        /* torch.selu(x) */
T_API Tensor *t_selu_(Tensor *x);                       /* torch.selu_(x) */
T_API Tensor *t_hardshrink(Tensor *x, double lambd);    /* torch.hardshrink(x, lambd) */
T_API Tensor *t_threshold(Tensor *x, double threshold, double value);  /* torch.threshold(x, threshold, value) */
T_API Tensor *t_threshold_(Tensor *x, double threshold, double value); /* torch.threshold_(x, threshold, value) */
T_API Tensor *t_add(Tensor *a, Tensor *b);              /* a + b */
T_API Tensor *t_sub(Tensor *a, Tensor *b);              /* a - b */
T_API Tensor *t_mul(Tensor *a, Tensor *b);              /* a * b */
T_API Tensor *t_div(Tensor *a, Tensor *b);              /* a / b, always floating */
T_API Tensor *t_pow(Tensor *a, Tensor *b);              /* a ** b, torch.pow(a, b) */
T_API Tensor *t_remainder(Tensor *a, Tensor *b);        /* a % b, torch.remainder(a, b): the sign of b */
T_API Tensor *t_maximum(Tensor *a, Tensor *b);          /* torch.maximum(a, b) */
T_API Tensor *t_minimum(Tensor *a, Tensor *b);          /* torch.minimum(a, b) */
T_API Tensor *t_clamp(Tensor *x, Tensor *min, Tensor *max); /* torch.clamp(x, min, max); either may be NULL */
T_API Tensor *t_add_(Tensor *x, Tensor *y);             /* x += y, x.add_(y) */
T_API Tensor *t_sub_(Tensor *x, Tensor *y);             /* x -= y, x.sub_(y) */
T_API Tensor *t_mul_(Tensor *x, Tensor *y);             /* x *= y, x.mul_(y) */
T_API Tensor *t_div_(Tensor *x, Tensor *y);             /* x /= y, x.div_(y) */
T_API Tensor *t_eq(Tensor *a, Tensor *b);               /* a == b */
T_API Tensor *t_ne(Tensor *a, Tensor *b);               /* a != b */
T_API Tensor *t_lt(Tensor *a, Tensor *b);               /* a < b */
T_API Tensor *t_le(Tensor *a, Tensor *b);               /* a <= b */
T_API Tensor *t_gt(Tensor *a, Tensor *b);               /* a > b */
T_API Tensor *t_ge(Tensor *a, Tensor *b);               /* a >= b */
T_API Tensor *t_logical_and(Tensor *a, Tensor *b);      /* torch.logical_and(a, b) */
T_API Tensor *t_logical_or(Tensor *a, Tensor *b);       /* torch.logical_or(a, b) */
T_API Tensor *t_logical_not(Tensor *x);                 /* torch.logical_not(x) */
T_API Tensor *t_bitwise_and(Tensor *a, Tensor *b);      /* a & b of bool or int64 */
T_API Tensor *t_bitwise_or(Tensor *a, Tensor *b);       /* a | b of bool or int64 */
T_API Tensor *t_bitwise_not(Tensor *x);                 /* ~x of bool or int64 */
T_API Tensor *t_isnan(Tensor *x);                       /* torch.isnan(x) */
T_API Tensor *t_isinf(Tensor *x);                       /* torch.isinf(x): of either sign */
T_API Tensor *t_isfinite(Tensor *x);                    /* torch.isfinite(x): neither */
T_API Tensor *t_where(Tensor *condition, Tensor *a, Tensor *b);        /* torch.where(condition, a, b) */
T_API Tensor *t_masked_fill(Tensor *x, Tensor *mask, Tensor *value);   /* x.masked_fill(mask, value) */
T_API Tensor *t_masked_fill_(Tensor *x, Tensor *mask, Tensor *value);  /* x.masked_fill_(mask, value) */

T_END_DECLS
#endif
