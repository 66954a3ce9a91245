/* optim/plain_loop.h: the loop over the elements of a parameter for the rarer algorithms, in plain C for float and for
 * double (internal).
 *
 * Such an algorithm writes its arithmetic once, for one element, as a macro RULE(name, real, R) that defines a function
 * `void name(real *x, const tg_Update *u)`: x[0] is the parameter, x[1] its gradient, x[2], ... its state; the rule
 * stores the new values there. TG_PLAIN_LOOPS(RULE, rprop, 4) defines the loops of float16, bfloat16, float32 and
 * float64 over such an x[4], and TG_PLAIN_LOOP_OF(rprop, dtype) is one of them. The arithmetic is PyTorch's
 * (foreach=False), where a multiplication and an addition in one operation, such as add(alpha=), are a fused
 * multiply-add. R(...) is around the result of each of PyTorch's operations: float16 and bfloat16 are computed in
 * float and rounded there. PyTorch also rounds a number that is added, and add(alpha=)'s alpha, but not one that is
 * multiplied by. (The last elements of a tensor, after its whole vectors of 64 bytes or less, are rounded once more in
 * add(alpha=) there, not here.) */
#ifndef TAPEGRAD_OPTIM_PLAIN_LOOP_H
#define TAPEGRAD_OPTIM_PLAIN_LOOP_H

#include "core/kernels/narrow.h"
#include "optim/optimizer_internal.h"

#define TG_PLAIN_LOOPS(RULE, name, operands)                                                         \
    TG_HALF_LOOPS(RULE, name, operands, operands)                                                    \
    RULE(name##_rule_f32, float, TG_EXACT)                                                           \
    TG_PLAIN_LOOP(name##_f32, name##_rule_f32, float, float, TG_EXACT, TG_EXACT, operands, operands) \
    RULE(name##_rule_f64, double, TG_EXACT)                                                          \
    TG_PLAIN_LOOP(name##_f64, name##_rule_f64, double, double, TG_EXACT, TG_EXACT, operands, operands)
/* The loops of the narrow dtypes only, for an algorithm whose others are vector code. count: the number of operands, at
 * most `operands`, an expression of the tg_Update u; the others are 0. */
#define TG_HALF_LOOPS(RULE, name, operands, count)                                                                \
    RULE(name##_rule_f16, float, TG_ROUND_FLOAT16)                                                                \
    TG_PLAIN_LOOP(name##_f16, name##_rule_f16, float, uint16_t, tg_float_from_float16, tg_float16_from_float,     \
                  operands, count)                                                                                \
    RULE(name##_rule_bf16, float, TG_ROUND_BFLOAT16)                                                              \
    TG_PLAIN_LOOP(name##_bf16, name##_rule_bf16, float, uint16_t, tg_float_from_bfloat16, tg_bfloat16_from_float, \
                  operands, count)
#define TG_PLAIN_LOOP(name, rule, real, stored, widen, narrow, operands, count)                          \
    static void name(int64_t n, char *const *data, const int64_t *strides, const void *update) {         \
        const tg_Update *u = update;                                                                     \
        (void)u;                                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                \
            real x[operands] = {0};                                                                      \
            for (int k = 0; k < (count); k++) x[k] = widen(*(const stored *)(data[k] + i * strides[k])); \
            rule(x, update);                                                                             \
            for (int k = 0; k < (count); k++)                                                            \
                if (k != 1) *(stored *)(data[k] + i * strides[k]) = narrow(x[k]);                        \
        }                                                                                                \
    }
#define TG_PLAIN_LOOP_OF(name, dtype) TG_LOOP_OF(name, dtype, name##_f32, name##_f64)
#define TG_LOOP_OF(name, dtype, f32, f64) \
    ((dtype) == t_float64 ? (f64) : (dtype) == t_float32 ? (f32) : (dtype) == t_float16 ? name##_f16 : name##_bf16)
#define TG_EXACT(x) (x)
#define TG_ROUND_FLOAT16(x) tg_float_from_float16(tg_float16_from_float(x))
#define TG_ROUND_BFLOAT16(x) tg_float_from_bfloat16(tg_bfloat16_from_float(x))

/* Functions of float or double, by the type of the first argument. */
#define TG_FMA(a, b, c) _Generic((a), float: fmaf, double: fma)((a), (b), (c)) /* a * b + c, rounded once */
#define TG_SQRT(x) _Generic((x), float: sqrtf, double: sqrt)(x)
#define TG_ABS(x) _Generic((x), float: fabsf, double: fabs)(x)
/* torch.maximum, which propagates NaN */
#define TG_MAXIMUM(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))
/* torch.lerp(a, b, weight), which starts from the nearer end */
#define TG_LERP(a, b, weight) \
    ((weight) < (0.5f) ? TG_FMA(weight, (b) - (a), a) : TG_FMA(1 - (weight), (a) - (b), b))
/* The gradient of x[0]: negated for maximize, and with weight decay unless that is decoupled. */
#define TG_GRADIENT(x, group, real, R)                                                             \
    ((group)->weight_decay != 0 && !(group)->decoupled_weight_decay                                \
         ? R(TG_FMA((x)[0], R((real)(group)->weight_decay), (group)->maximize ? -(x)[1] : (x)[1])) \
         : (group)->maximize ? -(x)[1] : (x)[1])
/* The parameter after decoupled weight decay. */
#define TG_DECAYED(x, group, real, R)                                  \
    ((group)->weight_decay != 0 && (group)->decoupled_weight_decay     \
         ? R((x)[0] * (real)(1 - (group)->lr * (group)->weight_decay)) \
         : (x)[0])

#endif
