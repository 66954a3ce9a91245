/* core/ops/unary.c: one number in, one number out.
 *
 * A row holds the name, the value y as a C expression of x, and the gradient rule dx in ops. Rows whose rule needs y save
 * y, the others save x. Integers and bools are taken as float32. Shapes: any, kept; dtypes: floating. */
#include <tgmath.h>

#include "core/ops/pointwise.h"

/* y = f(x) for floating dtypes. */
#define ROW(which, f, grad_fn, expression, rule)                                                 \
    static void f##_backward(Record *r, Tensor *dy, Tensor **dx) {                               \
        Tensor *which = tg_saved(r, 0);                                                          \
        if (which) dx[0] = rule;                                                                 \
    }                                                                                            \
    static const Op f##_op = {#f, grad_fn, f##_backward};                                        \
    TG_LOOP1(f##_float32, float, float, expression)                                              \
    TG_LOOP1(f##_float64, double, double, expression)                                            \
    Tensor *t_##f(Tensor *x) {                                                                   \
        static LoopTable loops = {[t_float32] = f##_float32, [t_float64] = f##_float64};         \
        if (!tg_check(x, 1)) return NULL;                                                        \
        Tensor *y = tg_pointwise(#f, &x, 1, loops, true, 0);                                     \
        return tg_record(&f##_op, y, INPUTS(x), SAVED(which), NONE);                             \
    }
#define UNARY_OF_X(f, grad_fn, expression, rule) ROW(x, f, grad_fn, expression, rule)
#define UNARY_OF_Y(f, grad_fn, expression, rule) ROW(y, f, grad_fn, expression, rule)

/* A Python number in a rule. */
#define N(value) t_number(value)

/*         name        PyTorch's grad_fn       y                      dx */
UNARY_OF_Y(exp,        "ExpBackward0",         exp(x),                t_mul(dy, y))
UNARY_OF_X(log,        "LogBackward0",         log(x),                t_div(dy, x))
UNARY_OF_Y(sqrt,       "SqrtBackward0",        sqrt(x),               t_div(dy, t_mul(N(2), y)))
UNARY_OF_Y(rsqrt,      "RsqrtBackward0",       1 / sqrt(x),           t_mul(t_mul(N(-0.5), dy), t_pow(y, N(3))))
UNARY_OF_Y(reciprocal, "ReciprocalBackward0",  1 / x,                 t_mul(t_neg(dy), t_mul(y, y)))
UNARY_OF_X(sin,        "SinBackward0",         sin(x),                t_mul(dy, t_cos(x)))
UNARY_OF_X(cos,        "CosBackward0",         cos(x),                t_neg(t_mul(dy, t_sin(x))))
UNARY_OF_Y(tanh,       "TanhBackward0",        tanh(x),               t_mul(dy, t_sub(N(1), t_mul(y, y))))
UNARY_OF_Y(sigmoid,    "SigmoidBackward0",     1 / (1 + exp(-x)),     t_mul(dy, t_mul(y, t_sub(N(1), y))))
UNARY_OF_X(erf,        "ErfBackward0",         erf(x),                t_mul(dy, t_mul(N(1.1283791670955126), t_exp(t_neg(t_mul(x, x))))))

/* The rows below keep integers as integers; of_bool is their loop for bools, no_bool the error where there is none. */
/* -x, where the most negative integer stays what it is. */
#define MINUS(x) _Generic((x), int64_t: (int64_t)(0 - (uint64_t)(x)), default: -(x))
#define ROW_OF_ANY(f, of_bool, no_bool, grad_fn, expression, saved, rule)                                          \
    static void f##_backward(Record *r, Tensor *dy, Tensor **dx) {                               \
        rule                                                                                     \
    }                                                                                            \
    static const Op f##_op = {#f, grad_fn, f##_backward};                                        \
    TG_LOOP1(f##_int64, int64_t, int64_t, expression)                                            \
    TG_LOOP1(f##_float32, float, float, expression)                                              \
    TG_LOOP1(f##_float64, double, double, expression)                                            \
    Tensor *t_##f(Tensor *x) {                                                                   \
        static LoopTable loops = {                                                               \
            [t_bool] = of_bool, [t_int64] = f##_int64, [t_float32] = f##_float32, [t_float64] = f##_float64};        \
        if (!tg_check(x, 1)) return NULL;                                                        \
        if (!loops[x->dtype]) return tg_fail(no_bool);                                           \
        Tensor *y = tg_pointwise(#f, &x, 1, loops, false, 0);                                    \
        return tg_record(&f##_op, y, INPUTS(x), SAVED(saved), NONE);                             \
    }
#define LET(x) Tensor *x = tg_saved(r, 0); if (x)
TG_LOOP1(same_bool, bool, bool, x)
#define NEGATION "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use " \
                 "the `~` or `logical_not()` operator instead."
ROW_OF_ANY(neg,  NULL,      NEGATION, "NegBackward0",  MINUS(x),                            NULL, (void)r; dx[0] = t_neg(dy);)
ROW_OF_ANY(abs,  NULL,      "\"abs_cpu\" not implemented for 'Bool'", "AbsBackward0",  x < 0 ? MINUS(x) : x == 0 ? 0 : x,       x,    LET(x) dx[0] = t_mul(dy, t_sign(x));)
ROW_OF_ANY(sign, same_bool, "unreachable: bools have a loop", "SignBackward0", (x > 0) - (x < 0),                   NULL, dx[0] = tg_zeros_like_input(r, 0); (void)dy;)

/* torch.relu(x): y = max(x, 0), NaN stays NaN. dx = 0 where y <= 0, else dy. Integers too. */
ROW_OF_ANY(relu, NULL, "Boolean inputs not supported for relu", "ReluBackward0", x < 0 ? 0 : x, y,
           LET(y) dx[0] = t_where(t_le(y, N(0)), N(0), dy);)

/* torch.square(x): x * x; a bool gives int64, as any power does. dx = 2 dy x. */
static void square_backward(Record *r, Tensor *dy, Tensor **dx) {
    LET(x) dx[0] = t_mul(dy, t_mul(N(2), x));
}
static const Op square_op = {"square", "PowBackward0", square_backward};
TG_LOOP1(square_int64, int64_t, int64_t, (int64_t)((uint64_t)x * (uint64_t)x))
TG_LOOP1(square_float32, float, float, x * x)
TG_LOOP1(square_float64, double, double, x * x)

Tensor *t_square(Tensor *x) {
    static LoopTable loops = {[t_int64] = square_int64, [t_float32] = square_float32, [t_float64] = square_float64};
    if (!tg_check(x, 1)) return NULL;
    Tensor *in = x->dtype == t_bool ? t_to(x, t_int64) : x;
    Tensor *y = in ? tg_pointwise("square", &in, 1, loops, false, 0) : NULL;
    return tg_record(&square_op, y, INPUTS(x), SAVED(x), NONE);
}
