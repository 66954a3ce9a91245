/* optim/plain_loop.h: the loop over the elements of a parameter for the rarer algorithms, in plain C for float and for
 * double (internal).
 *
 * Such an algorithm writes its arithmetic once, for one element, as a macro RULE(name, real) that defines a function
 * `void name(real *x, const tg_Update *u)`: x[0] is the parameter, x[1] its gradient, x[2], ... its state; the rule
 * stores the new values there. TG_PLAIN_LOOPS(RULE, rprop, 4) defines the loops rprop_f32 and rprop_f64 over such an
 * x[4]. The arithmetic is PyTorch's (foreach=False), where a multiplication and an addition in one operation, such as
 * add(alpha=), are a fused multiply-add. */
#ifndef TAPEGRAD_OPTIM_PLAIN_LOOP_H
#define TAPEGRAD_OPTIM_PLAIN_LOOP_H

#include "optim/optimizer_internal.h"

#define TG_PLAIN_LOOPS(RULE, name, operands)                    \
    RULE(name##_rule_f32, float)                                \
    TG_PLAIN_LOOP(name##_f32, name##_rule_f32, float, operands) \
    RULE(name##_rule_f64, double)                               \
    TG_PLAIN_LOOP(name##_f64, name##_rule_f64, double, operands)
#define TG_PLAIN_LOOP(name, rule, real, operands)                                                  \
    static void name(int64_t n, char *const *data, const int64_t *strides, const void *update) {   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            real x[operands];                                                                      \
            for (int k = 0; k < (operands); k++) x[k] = *(const real *)(data[k] + i * strides[k]); \
            rule(x, update);                                                                       \
            for (int k = 0; k < (operands); k++)                                                   \
                if (k != 1) *(real *)(data[k] + i * strides[k]) = x[k];                            \
        }                                                                                          \
    }

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
#define TG_GRADIENT(x, group, real)                                                          \
    ((group)->weight_decay != 0 && !(group)->decoupled_weight_decay                          \
         ? TG_FMA((x)[0], (real)(group)->weight_decay, (group)->maximize ? -(x)[1] : (x)[1]) \
         : (group)->maximize ? -(x)[1] : (x)[1])
/* The parameter after decoupled weight decay. */
#define TG_DECAYED(x, group, real)                                  \
    ((group)->weight_decay != 0 && (group)->decoupled_weight_decay  \
         ? (x)[0] * (real)(1 - (group)->lr * (group)->weight_decay) \
         : (x)[0])

#endif
