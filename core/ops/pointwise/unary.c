/* core/ops/pointwise/unary.c: sqrt, rsqrt, reciprocal, deg2rad, rad2deg, neg, positive, abs, sign, sgn, relu and
 * nan_to_num. Shapes: any, kept. Other unary functions are in exp_log.c, trigonometric.c, round.c and pow.c. */
#include "core/ops/pointwise/unary_internal.h"

Tensor *tg_unary(const Unary *row, Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->dtype == t_bool && row->bool_error) return tg_fail("%s", row->bool_error);
    Tensor *y = tg_pointwise(row->kernel, &x, 1, row->loops, row->floating, 0);
    return tg_record(&row->op, y, INPUTS(x), SAVED(row->saves == SAVES_X ? x : row->saves == SAVES_Y ? y : NULL), NONE);
}

/* Integers and bools are converted to float32.
 *
 *          saves    name        PyTorch's grad_fn      dx */
UNARY_FLOAT(Y,       sqrt,       "SqrtBackward0",       t_div(dy, t_mul(N(2), y)))
UNARY_FLOAT(Y,       rsqrt,      "RsqrtBackward0",      t_mul(t_mul(N(-0.5), dy), t_pow(y, N(3))))
UNARY_FLOAT(Y,       reciprocal, "ReciprocalBackward0", t_mul(t_neg(dy), t_mul(y, y)))
UNARY_FLOAT(NOTHING, deg2rad,    "Deg2RadBackward0",    t_mul(dy, N(M_PI / 180)))
UNARY_FLOAT(NOTHING, rad2deg,    "Rad2DegBackward0",    t_mul(dy, N(180 / M_PI)))

/* The functions below keep integers as integers. */

/* -x; the most negative integer is unchanged. */
#define NO_NEGATION                                                                                           \
    "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use " \
    "the `~` or `logical_not()` operator instead."
TG_EACH1(neg_int64, int64_t, int64_t, 0 - (uint64_t)x)
UNARY_ANY_DTYPE(NOTHING, neg, "NegBackward0", NULL, NO_NEGATION, "neg_cpu", neg_int64, t_neg(dy))

/* torch.positive(x), +x: x itself. Errors: bool. */
Tensor *t_positive(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    return x->dtype != t_bool ? x : tg_fail("The `+` operator, on a bool tensor is not supported.");
}

/* torch.abs(x): dx = dy sign(x). */
TG_EACH1(abs_int64, int64_t, int64_t, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
FUSED_GRADIENT(abs, x, t_mul(dy, t_sign(x)))
UNARY_ANY_DTYPE(X, abs, "AbsBackward0", NULL, NULL, "abs_cpu", abs_int64, abs_gradient(dy, x))

/* torch.sign(x): -1, 0 or 1. dx = 0. */
TG_EACH1(same_bool, bool, bool, x)
TG_EACH1(sign_int64, int64_t, int64_t, (x > 0) - (x < 0))
UNARY_ANY_DTYPE(NOTHING, sign, "SignBackward0", same_bool, NULL, "sign_cpu", sign_int64,
                ((void)dy, tg_zeros_like_input(r, 0)))

/* torch.sgn(x): of real numbers the same as torch.sign. */
UNARY_ANY_DTYPE(NOTHING, sgn, "SgnBackward0", same_bool, NULL, "sgn_cpu", sign_int64,
                ((void)dy, tg_zeros_like_input(r, 0)))

/* torch.relu(x): y = max(x, 0), NaN is kept. dx = 0 where y <= 0, else dy. Also for integers. */
TG_EACH1(relu_int64, int64_t, int64_t, x > 0 ? x : 0)
FUSED_GRADIENT(relu, y, t_where(t_le(y, N(0)), N(0), dy))
UNARY_ANY_DTYPE(Y, relu, "ReluBackward0", NULL, "Boolean inputs not supported for relu", "relu", relu_int64,
                relu_gradient(dy, y))

/* torch.nan_to_num(x, nan, posinf, neginf): replaces NaN, infinity and minus infinity; NaN for one of the last two
 * is Python's None, the largest and the lowest value of the dtype. Integers and bools are copied. dx = dy where x is
 * finite, else 0. */
static void nan_to_num_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0);
    if (x) dx[0] = t_mul(dy, t_isfinite(x));
}
static const Op nan_to_num_op = {"nan_to_num", "NanToNumBackward0", nan_to_num_backward};

Tensor *t_nan_to_num(Tensor *x, double nan, double posinf, double neginf) {
    static LoopTable loops = {FLOAT_LOOPS(nan_to_num)};
    if (!tg_check_any(x, 1)) return NULL;
    if (!tg_is_floating(x->dtype)) return t_clone(x);
    const double largest = tg_largest(x->dtype);
    tg_Parameters values = {nan, posinf != posinf ? largest : posinf, neginf != neginf ? -largest : neginf};
    Tensor *y = tg_pointwise_in("nan_to_num", x->dtype, &x, 1, loops, 0, &values);
    return tg_record(&nan_to_num_op, y, INPUTS(x), SAVED(x), NONE);
}

Tensor *t_nan_to_num_(Tensor *x, double nan, double posinf, double neginf) {
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_nan_to_num(x, nan, posinf, neginf) : NULL);
}
