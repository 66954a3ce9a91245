/* core/ops/compare.c: questions to one tensor, or to two, which broadcast. The answer is a bool tensor, without a gradient. */
#include "core/ops/pointwise.h"

/* ---- two tensors ---- */

static Tensor *compare(const char *name, Tensor *a, Tensor *b, LoopTable loops) {
    if (!tg_check(a, 1) || !tg_check(b, 2)) return NULL;
    return tg_pointwise(name, (Tensor *[]){a, b}, 2, loops, false, t_bool);
}

/* A row: the name and what is true of a and b, in the dtype they meet in. */
#define COMPARISON(f, expression)                                                                \
    TG_LOOP2(f##_bool, bool, bool, expression)                                                   \
    TG_LOOP2(f##_int64, bool, int64_t, expression)                                               \
    TG_LOOP2(f##_float32, bool, float, expression)                                               \
    TG_LOOP2(f##_float64, bool, double, expression)                                              \
    Tensor *t_##f(Tensor *a, Tensor *b) {                                                        \
        static LoopTable loops = {                                                               \
            [t_bool] = f##_bool, [t_int64] = f##_int64, [t_float32] = f##_float32, [t_float64] = f##_float64}; \
        return compare(#f, a, b, loops);                                                         \
    }

COMPARISON(eq, a == b)
COMPARISON(ne, a != b)
COMPARISON(lt, a < b)
COMPARISON(le, a <= b)
COMPARISON(gt, a > b)
COMPARISON(ge, a >= b)
COMPARISON(logical_and, a != 0 && b != 0)
COMPARISON(logical_or, a != 0 || b != 0)

/* torch.logical_not(x): x == 0. */
Tensor *t_logical_not(Tensor *x) {
    return tg_check(x, 1) ? t_eq(x, t_boolean(false)) : NULL;
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

/* ---- whole tensors ---- */

/* torch.equal(a, b): the same shape and every element equal; false also on an error. */
bool t_equal(Tensor *a, Tensor *b) {
    if (!tg_check(a, 1) || !tg_check(b, 2) || !tg_same_shape(a, b)) return false;
    int depth = t_scope_open();
    bool answer = t_is_true(t_all(t_eq(a, b), NULL, 0, false));
    t_scope_close(depth);
    return answer;
}

/* torch.allclose(a, b): every |a - b| <= atol + rtol |b|, after broadcasting; infinities close to themselves only. */
bool t_allclose(Tensor *a, Tensor *b, double rtol, double atol) {
    if (!tg_check(a, 1) || !tg_check(b, 2)) return false;
    if (a->dtype != b->dtype)
        return tg_fail("%s did not match %s", tg_scalar_name(a->dtype), tg_scalar_name(b->dtype));
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *room = t_add(t_number(atol), t_mul(t_number(rtol), t_abs(b)));
    Tensor *near = t_logical_and(t_le(t_abs(t_sub(a, b)), room), t_lt(t_abs(b), t_number(__builtin_inf())));
    bool answer = t_is_true(t_all(t_logical_or(near, t_eq(a, b)), NULL, 0, false));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return answer;
}
