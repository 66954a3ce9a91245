/* core/ops/pointwise/comparison.c: comparisons, logical_and/or/xor/not, isnan, isinf, isfinite, signbit, isclose,
 * equal, allclose. The result is bool, without a gradient. */
#include <math.h>

#include "core/autograd/trace.h"
#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* ---- two tensors ---- */

/* The in-place forms store the result in x's dtype; the gradient of the old x is 0. */
static void comparison_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    dx[0] = tg_zeros_like_input(r, 0);
}

/* ops[0]: with a number; ops[1]: with a tensor. */
static Tensor *compare_inplace(Tensor *x, Tensor *y, const Op *ops, Tensor *(*f)(Tensor *, Tensor *)) {
    if (!tg_check_any_two(x, y) || !tg_check_inplace(x)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *result = f(x, y), *value = result ? t_to(result, x->dtype) : NULL;
    Tensor *written = tg_write_inplace(x, tg_record(&ops[!y->wrapped_number], value, INPUTS(x), NONE, NONE));
    t_scope_close(depth);
    return written;
}

/* Defines f and f_: the name, PyTorch's in-place grad_fn, and the expression for bools and for int64. */
#define COMPARISON(f, grad_fn, of_bools, of_integers)                                            \
    TG_EACH2(f##_bool, bool, bool, of_bools)                                                     \
    TG_EACH2(f##_int64, bool, int64_t, of_integers)                                              \
    Tensor *t_##f(Tensor *x, Tensor *other) {                                                    \
        static LoopTable loops = {[t_bool] = f##_bool, NUMBER_LOOPS(f)};                         \
        static const Op op = {#f, NULL, NULL};                                                   \
        Tensor *y = tg_pointwise2(#f, x, other, loops, false, t_bool);                           \
        return tg_trace_op(&op, y, INPUTS(x, other), NONE);                                      \
    }                                                                                            \
    Tensor *t_##f##_(Tensor *x, Tensor *other) {                                                 \
        static const Op ops[] = {{#f "_", grad_fn "0", comparison_backward},                     \
                                 {#f "_", grad_fn "1", comparison_backward}};                    \
        return compare_inplace(x, other, ops, t_##f);                                            \
    }

COMPARISON(eq, "EqBackward", a == b, a == b)
COMPARISON(ne, "NeBackward", a != b, a != b)
COMPARISON(lt, "LtBackward", !a & b, a < b)
COMPARISON(le, "LeBackward", !a | b, a <= b)
COMPARISON(gt, "GtBackward", a & !b, a > b)
COMPARISON(ge, "GeBackward", a | !b, a >= b)

/* PyTorch keeps the old gradient of an x overwritten by x.logical_and_(y); here it becomes 0. */
COMPARISON(logical_and, "LogicalAndBackward", a & b, (a != 0) & (b != 0))
COMPARISON(logical_or, "LogicalOrBackward", a | b, (a != 0) | (b != 0))
COMPARISON(logical_xor, "LogicalXorBackward", a ^ b, (a != 0) ^ (b != 0))

/* torch.logical_not(x): x == 0. */
Tensor *t_logical_not(Tensor *x) {
    return tg_check_any(x, 1) ? t_eq(x, t_boolean(false)) : NULL;
}

Tensor *t_logical_not_(Tensor *x) {
    static const Op op = {"logical_not_", "LogicalNotBackward0", comparison_backward};
    return tg_check_any(x, 1) ? compare_inplace(x, t_boolean(false), &op, t_eq) : NULL;
}

/* ---- one tensor ---- */

static Tensor *predicate(const char *name, Tensor *x, LoopTable loops, bool of_integer) {
    if (!tg_check_any(x, 1)) return NULL;
    if (tg_is_floating(x->dtype)) return tg_pointwise(name, &x, 1, loops, false, t_bool);
    Tensor *y = tg_empty_like(x, t_bool);
    if (y) tg_fill_into(y, of_integer);
    return y;
}

/* Defines f: the name, and the result for every integer and bool. */
#define PREDICATE(f, of_integer)                                                                 \
    Tensor *t_##f(Tensor *x) {                                                                   \
        static LoopTable loops = {FLOAT_LOOPS(f)};                                               \
        static const Op op = {#f, NULL, NULL};                                                   \
        return tg_trace_op(&op, predicate(#f, x, loops, of_integer), INPUTS(x), NONE);           \
    }

PREDICATE(isnan, false)
PREDICATE(isinf, false)
PREDICATE(isfinite, true)

/* torch.isposinf(x), torch.isneginf(x): x is +inf, -inf; never for integers and bools. */
static Tensor *equals(Tensor *x, double infinity) {
    if (!tg_check_any(x, 1)) return NULL;
    return tg_is_floating(x->dtype) ? t_eq(x, t_number(infinity)) : t_isinf(x);
}

Tensor *t_isposinf(Tensor *x) {
    return equals(x, INFINITY);
}

Tensor *t_isneginf(Tensor *x) {
    return equals(x, -INFINITY);
}

/* torch.signbit(x): whether x is negative, -0.0, or a NaN with the sign bit set; for integers x < 0. */
TG_EACH1(signbit_bool, bool, bool, x && false)
TG_EACH1(signbit_int64, bool, int64_t, x < 0)

Tensor *t_signbit(Tensor *x) {
    static LoopTable loops = {[t_bool] = signbit_bool, NUMBER_LOOPS(signbit)};
    return tg_check_any(x, 1) ? tg_pointwise("signbit_cpu", &x, 1, loops, false, t_bool) : NULL;
}

/* ---- isclose ---- */

/* torch.isclose(a, b, rtol, atol, equal_nan): |a - b| <= atol + rtol |b|; infinities are close only to themselves,
 * NaN to nothing, except to NaN with equal_nan. a and b broadcast. Errors: different dtypes, a negative tolerance. */
typedef struct Closeness {
    double rtol, atol;
    bool equal_nan;
} Closeness;

static bool is_close(bool equal, double a, double b, const Closeness *c) {
    const double error = fabs(a - b);
    return equal || (error <= c->atol + fabs(c->rtol * b) && error < INFINITY) || (c->equal_nan && a != a && b != b);
}
TG_EACH2(isclose_bool, bool, bool, is_close(a == b, a, b, context))
TG_EACH2(isclose_int64, bool, int64_t, is_close(a == b, a, b, context))
TG_EACH2(isclose_float32, bool, float, is_close(a == b, a, b, context))
TG_EACH2(isclose_float64, bool, double, is_close(a == b, a, b, context))

Tensor *t_isclose(Tensor *x, Tensor *other, double rtol, double atol, bool equal_nan) {
    static LoopTable loops = {[t_bool] = isclose_bool, [t_int64] = isclose_int64, [t_float32] = isclose_float32,
                              [t_float64] = isclose_float64};
    if (!tg_check_any_two(x, other)) return NULL;
    if (x->dtype != other->dtype)
        return tg_fail("%s did not match %s", tg_scalar_name(x->dtype), tg_scalar_name(other->dtype));
    if (!(rtol >= 0)) return tg_fail("rtol must be greater than or equal to zero, but got %g", rtol);
    if (!(atol >= 0)) return tg_fail("atol must be greater than or equal to zero, but got %g", atol);
    return tg_pointwise_in("isclose", x->dtype, (Tensor *[]){x, other}, 2, loops, t_bool,
                           &(Closeness){rtol, atol, equal_nan});
}

/* ---- equal, allclose ---- */

/* torch.equal(a, b): the same shape and all elements equal; false also on an error. */
bool t_equal(Tensor *x, Tensor *other) {
    if (!tg_check_any_two(x, other) || !tg_same_shape(x, other)) return false;
    int depth = t_scope_open();
    bool result = depth && t_is_true(t_all(t_eq(x, other), NULL, 0, false));
    t_scope_close(depth);
    return result;
}

/* torch.allclose(a, b): whether all elements are close. */
bool t_allclose(Tensor *x, Tensor *other, double rtol, double atol, bool equal_nan) {
    int depth = t_scope_open();
    bool result = depth && t_is_true(t_all(t_isclose(x, other, rtol, atol, equal_nan), NULL, 0, false));
    t_scope_close(depth);
    return result;
}
