/* core/ops/comparison.c: questions to one tensor, or to two, which broadcast. The answer is a bool tensor, without a gradient. */
#include <math.h>

#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise_internal.h"

/* ---- two tensors ---- */

/* x = the answer, in x's dtype; where x has a gradient, it ends here. */
static void answer_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    dx[0] = tg_zeros_like_input(r, 0);
}

/* ops: with a number, and with a tensor. */
static Tensor *compare_into(Tensor *x, Tensor *y, const Op *ops, Tensor *(*f)(Tensor *, Tensor *)) {
    if (!tg_check_two(x, y) || !tg_check_inplace(x)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *answer = f(x, y), *value = answer ? t_to(answer, x->dtype) : NULL;
    Tensor *done = tg_write(x, tg_record(&ops[!y->wrapped_number], value, INPUTS(x), NONE, NONE));
    t_scope_close(depth);
    return done;
}

/* a > b is b < a, so that two loops do for four questions. */
static void swapped(Loop loop, int64_t n, char *const *p, const int64_t *s) {
    loop(n, (char *[]){p[0], p[2], p[1]}, (int64_t[]){s[0], s[2], s[1]}, NULL);
}
#define SWAPPED(name, loop)                                                                      \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        (void)context;                                                                           \
        swapped(loop, n, p, s);                                                                  \
    }
#define TURNED(f, of)                                                                            \
    SWAPPED(tg_##f##_int64, tg_##of##_int64)                                                     \
    SWAPPED(tg_##f##_float32, tg_##of##_float32)                                                 \
    SWAPPED(tg_##f##_float64, tg_##of##_float64)
TURNED(gt, lt)
TURNED(ge, le)

/* Of bools a < b is b without a & b, and a <= b where a is as a & b. (y is nobody's input.) */
static void lt_bool(int64_t n, char *const *p, const int64_t *s, const void *context) {
    tg_and_bool(n, p, s, context);
    tg_xor_bool(n, (char *[]){p[0], p[2], p[0]}, (int64_t[]){s[0], s[2], s[0]}, context);
}
static void le_bool(int64_t n, char *const *p, const int64_t *s, const void *context) {
    tg_and_bool(n, p, s, context);
    tg_same_bools_bool(n, (char *[]){p[0], p[1], p[0]}, (int64_t[]){s[0], s[1], s[0]}, context);
}
SWAPPED(gt_bool, lt_bool)
SWAPPED(ge_bool, le_bool)

/* A row: the name, PyTorch's grad_fn in place, and the loop for bools. */
#define ANSWER(f, grad_fn, of_bools)                                                             \
    Tensor *t_##f(Tensor *x, Tensor *other) {                                                    \
        static LoopTable loops = {[t_bool] = of_bools, [t_int64] = tg_##f##_int64, [t_float32] = tg_##f##_float32, \
                                  [t_float64] = tg_##f##_float64};                               \
        return tg_pointwise2(#f, x, other, loops, false, t_bool);                                \
    }                                                                                            \
    Tensor *t_##f##_(Tensor *x, Tensor *other) {                                                 \
        static const Op ops[] = {{#f "_", grad_fn "0", answer_backward}, {#f "_", grad_fn "1", answer_backward}}; \
        return compare_into(x, other, ops, t_##f);                                               \
    }

ANSWER(eq, "EqBackward", tg_same_bools_bool)
ANSWER(ne, "NeBackward", tg_xor_bool)
ANSWER(lt, "LtBackward", lt_bool)
ANSWER(le, "LeBackward", le_bool)
ANSWER(gt, "GtBackward", gt_bool)
ANSWER(ge, "GeBackward", ge_bool)

/* PyTorch leaves the old gradient of an x that x.logical_and_(y) has overwritten; here it ends. */
ANSWER(logical_and, "LogicalAndBackward", tg_and_bool)
ANSWER(logical_or, "LogicalOrBackward", tg_or_bool)
ANSWER(logical_xor, "LogicalXorBackward", tg_xor_bool)

/* torch.logical_not(x): x == 0. */
Tensor *t_logical_not(Tensor *x) {
    return tg_check(x, 1) ? t_eq(x, t_boolean(false)) : NULL;
}

Tensor *t_logical_not_(Tensor *x) {
    static const Op op = {"logical_not_", "LogicalNotBackward0", answer_backward};
    return tg_check(x, 1) ? compare_into(x, t_boolean(false), &op, t_eq) : NULL;
}

/* ---- one tensor ---- */

static Tensor *ask(const char *name, Tensor *x, LoopTable loops, bool of_whole) {
    if (!tg_check(x, 1)) return NULL;
    if (tg_is_floating(x->dtype)) return tg_pointwise(name, &x, 1, loops, false, t_bool);
    Tensor *y = tg_empty_like(x, t_bool);
    if (y) tg_fill_into(y, of_whole);
    return y;
}

/* A row: the name, and the answer for every integer and bool. */
#define QUESTION(f, of_whole)                                                                    \
    Tensor *t_##f(Tensor *x) {                                                                   \
        static LoopTable loops = {[t_float32] = tg_##f##_float32, [t_float64] = tg_##f##_float64}; \
        return ask(#f, x, loops, of_whole);                                                      \
    }

QUESTION(isnan, false)
QUESTION(isinf, false)
QUESTION(isfinite, true)

/* torch.signbit(x): is x below 0, or -0.0, or a NaN of that sign? Of integers: x < 0. */
TG_EACH1(signbit_bool, bool, bool, x && false)
TG_EACH1(signbit_int64, bool, int64_t, x < 0)

Tensor *t_signbit(Tensor *x) {
    static LoopTable loops = {[t_bool] = signbit_bool, [t_int64] = signbit_int64, [t_float32] = tg_signbit_float32,
                              [t_float64] = tg_signbit_float64};
    return tg_check(x, 1) ? tg_pointwise("signbit_cpu", &x, 1, loops, false, t_bool) : NULL;
}

/* ---- closeness ---- */

/* torch.isclose(a, b, rtol, atol, equal_nan): |a - b| <= atol + rtol |b|; infinities are close to themselves only, NaN to
 * nothing, but with equal_nan to NaN. The two broadcast. Errors: different dtypes, a negative tolerance. */
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
    if (!tg_check_two(x, other)) return NULL;
    if (x->dtype != other->dtype)
        return tg_fail("%s did not match %s", tg_scalar_name(x->dtype), tg_scalar_name(other->dtype));
    if (!(rtol >= 0)) return tg_fail("rtol must be greater than or equal to zero, but got %g", rtol);
    if (!(atol >= 0)) return tg_fail("atol must be greater than or equal to zero, but got %g", atol);
    return tg_pointwise_in("isclose", x->dtype, (Tensor *[]){x, other}, 2, loops, t_bool,
                           &(Closeness){rtol, atol, equal_nan});
}

/* ---- whole tensors ---- */

/* torch.equal(a, b): the same shape and every element equal; false also on an error. */
bool t_equal(Tensor *x, Tensor *other) {
    if (!tg_check_two(x, other) || !tg_same_shape(x, other)) return false;
    int depth = t_scope_open();
    bool answer = t_is_true(t_all(t_eq(x, other), NULL, 0, false));
    t_scope_close(depth);
    return answer;
}

/* torch.allclose(a, b): is every element close? */
bool t_allclose(Tensor *x, Tensor *other, double rtol, double atol, bool equal_nan) {
    int depth = t_scope_open();
    bool answer = t_is_true(t_all(t_isclose(x, other, rtol, atol, equal_nan), NULL, 0, false));
    t_scope_close(depth);
    return answer;
}
