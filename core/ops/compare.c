/* core/ops/compare.c: questions to one tensor, or to two, which broadcast. The answer is a bool tensor, without a gradient. */
#include <math.h>

#include "core/ops/pointwise.h"

/* ---- two tensors ---- */

static Tensor *compare(const char *name, Tensor *a, Tensor *b, LoopTable loops) {
    if (!tg_check(a, 1) || !tg_check(b, 2)) return NULL;
    return tg_pointwise(name, (Tensor *[]){a, b}, 2, loops, false, t_bool);
}

/* x = the answer, in x's dtype; where x has a gradient, it ends here. */
static void answer_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    dx[0] = tg_zeros_like_input(r, 0);
}

static Tensor *compare_into(const Op *op, Tensor *x, Tensor *y, Tensor *(*f)(Tensor *, Tensor *)) {
    if (!tg_check(x, 1) || !tg_check(y, 2) || !tg_check_inplace(x)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *answer = f(x, y), *value = answer ? t_to(answer, x->dtype) : NULL;
    Tensor *done = tg_write(x, tg_record(op, value, INPUTS(x), NONE, NONE));
    t_scope_close(depth);
    return done;
}

/* A row: the name, what is true of a and b in the dtype they meet in, and PyTorch's grad_fn in place. The loops for the dtype
 * that is asked about most have their cases for contiguous inputs, the others do not. */
#define ANSWER(f, grad_fn)                                                                       \
    Tensor *t_##f(Tensor *a, Tensor *b) {                                                        \
        static LoopTable loops = {                                                               \
            [t_bool] = f##_bool, [t_int64] = f##_int64, [t_float32] = f##_float32, [t_float64] = f##_float64}; \
        return compare(#f, a, b, loops);                                                         \
    }                                                                                            \
    Tensor *t_##f##_(Tensor *x, Tensor *y) {                                                     \
        static const Op with_number = {#f "_", grad_fn "0", answer_backward};                    \
        static const Op with_tensor = {#f "_", grad_fn "1", answer_backward};                    \
        return compare_into(y && y->wrapped_number ? &with_number : &with_tensor, x, y, t_##f);  \
    }
#define COMPARISON(f, grad_fn, expression)                                                       \
    TG_EACH2(f##_bool, bool, bool, expression)                                                   \
    TG_EACH2(f##_int64, bool, int64_t, expression)                                               \
    TG_LOOP2(f##_float32, bool, float, expression)                                               \
    TG_EACH2(f##_float64, bool, double, expression)                                              \
    ANSWER(f, grad_fn)
#define LOGIC(f, grad_fn, expression)                                                            \
    TG_EACH2(f##_bool, bool, bool, expression)                                                   \
    TG_EACH2(f##_int64, bool, int64_t, expression)                                               \
    TG_EACH2(f##_float32, bool, float, expression)                                               \
    TG_EACH2(f##_float64, bool, double, expression)                                              \
    ANSWER(f, grad_fn)

COMPARISON(eq, "EqBackward", a == b)
COMPARISON(ne, "NeBackward", a != b)
COMPARISON(lt, "LtBackward", a < b)
COMPARISON(le, "LeBackward", a <= b)
COMPARISON(gt, "GtBackward", a > b)
COMPARISON(ge, "GeBackward", a >= b)

/* PyTorch leaves the old gradient of an x that x.logical_and_(y) has overwritten; here it ends. */
LOGIC(logical_and, "LogicalAndBackward", a != 0 && b != 0)
LOGIC(logical_or, "LogicalOrBackward", a != 0 || b != 0)
LOGIC(logical_xor, "LogicalXorBackward", (a != 0) != (b != 0))

/* torch.logical_not(x): x == 0. */
Tensor *t_logical_not(Tensor *x) {
    return tg_check(x, 1) ? t_eq(x, t_boolean(false)) : NULL;
}

Tensor *t_logical_not_(Tensor *x) {
    static const Op op = {"logical_not_", "LogicalNotBackward0", answer_backward};
    return tg_check(x, 1) ? compare_into(&op, x, t_boolean(false), t_eq) : NULL;
}

/* ---- one tensor ---- */

static Tensor *ask(const char *name, Tensor *x, LoopTable loops, bool of_whole) {
    if (!tg_check(x, 1)) return NULL;
    if (tg_is_floating(x->dtype)) return tg_pointwise(name, &x, 1, loops, false, t_bool);
    Tensor *y = tg_empty_like(x, t_bool);
    if (y) tg_fill_into(y, of_whole);
    return y;
}

/* A row: the name, what is true of a floating x, and the answer for every integer and bool. */
#define QUESTION(f, expression, of_whole)                                                        \
    TG_LOOP1(f##_float32, bool, float, expression)                                               \
    TG_LOOP1(f##_float64, bool, double, expression)                                              \
    Tensor *t_##f(Tensor *x) {                                                                   \
        static LoopTable loops = {[t_float32] = f##_float32, [t_float64] = f##_float64};         \
        return ask(#f, x, loops, of_whole);                                                      \
    }

QUESTION(isnan, x != x, false)
QUESTION(isinf, x - x != 0 && x == x, false)
QUESTION(isfinite, x - x == 0, true)

/* torch.signbit(x): is x below 0, or -0.0, or a NaN of that sign? Of integers: x < 0. */
TG_EACH1(signbit_bool, bool, bool, x && false)
TG_EACH1(signbit_int64, bool, int64_t, x < 0)
TG_EACH1(signbit_float32, bool, float, signbit(x))
TG_EACH1(signbit_float64, bool, double, signbit(x))

Tensor *t_signbit(Tensor *x) {
    static LoopTable loops = {[t_bool] = signbit_bool, [t_int64] = signbit_int64, [t_float32] = signbit_float32,
                              [t_float64] = signbit_float64};
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
    double error = fabs(a - b);
    if (equal || (c->equal_nan && a != a && b != b)) return true;
    return (c->rtol != 0 || c->atol != 0) && isfinite(error) && error <= c->atol + fabs(c->rtol * b);
}
TG_EACH2(isclose_bool, bool, bool, is_close(a == b, a, b, context))
TG_EACH2(isclose_int64, bool, int64_t, is_close(a == b, a, b, context))
TG_EACH2(isclose_float32, bool, float, is_close(a == b, a, b, context))
TG_EACH2(isclose_float64, bool, double, is_close(a == b, a, b, context))

Tensor *t_isclose(Tensor *a, Tensor *b, double rtol, double atol, bool equal_nan) {
    static LoopTable loops = {[t_bool] = isclose_bool, [t_int64] = isclose_int64, [t_float32] = isclose_float32,
                              [t_float64] = isclose_float64};
    if (!tg_check(a, 1) || !tg_check(b, 2)) return NULL;
    if (a->dtype != b->dtype)
        return tg_fail("%s did not match %s", tg_scalar_name(a->dtype), tg_scalar_name(b->dtype));
    if (!(rtol >= 0)) return tg_fail("rtol must be greater than or equal to zero, but got %g", rtol);
    if (!(atol >= 0)) return tg_fail("atol must be greater than or equal to zero, but got %g", atol);
    return tg_pointwise_in("isclose", a->dtype, (Tensor *[]){a, b}, 2, loops, t_bool, &(Closeness){rtol, atol, equal_nan});
}

/* ---- whole tensors ---- */

/* torch.equal(a, b): the same shape and every element equal; false also on an error. */
bool t_equal(Tensor *a, Tensor *b) {
    if (!tg_check(a, 1) || !tg_check(b, 2) || !tg_same_shape(a, b)) return false;
    int depth = t_scope_open();
    bool answer = t_is_true(t_all(t_eq(a, b), NULL, 0, false));
    t_scope_close(depth);
    return answer;
}

/* torch.allclose(a, b): is every element close? */
bool t_allclose(Tensor *a, Tensor *b, double rtol, double atol, bool equal_nan) {
    int depth = t_scope_open();
    bool answer = t_is_true(t_all(t_isclose(a, b, rtol, atol, equal_nan), NULL, 0, false));
    t_scope_close(depth);
    return answer;
}
