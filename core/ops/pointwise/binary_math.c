/* core/ops/pointwise/binary_math.c: atan2, hypot, logaddexp, xlogy and copysign: elementwise functions of two tensors,
 * which broadcast and promote. */
#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* Defines f_, f in place. */
#define IN_PLACE(f)                                                                              \
    Tensor *t_##f##_(Tensor *x, Tensor *other) {                                                 \
        return tg_inplace2(x, other, f##_loops, t_##f);                                          \
    }

/* torch.atan2(a, b): the angle of the point (b, a). da = dy b / (a^2 + b^2), db = -dy a / (a^2 + b^2), both 0 at the
 * origin. Integers are converted to float32. */
static void atan2_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *zero = t_number(0);
    if (!a || !b) return;
    Tensor *square = t_add(t_mul(a, a), t_mul(b, b));
    Tensor *scaled = t_where(t_eq(square, zero), zero, t_div(dy, square));
    if (tg_needs(r, 0)) dx[0] = t_mul(scaled, b);
    if (tg_needs(r, 1)) dx[1] = t_neg(t_mul(scaled, a));
}
static const Op atan2_op = {"atan2", "Atan2Backward0", atan2_backward};
static LoopTable atan2_loops = {FLOAT_LOOPS(atan2)};

Tensor *t_atan2(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("atan2", x, other, atan2_loops, true, 0);
    return tg_record(&atan2_op, y, INPUTS(x, other), SAVED(x, other), NONE);
}
IN_PLACE(atan2)

/* torch.hypot(a, b): y = sqrt(a^2 + b^2) without overflow. da = dy a / y, db = dy b / y. Floating dtypes only. */
static void hypot_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *y = tg_saved(r, 2);
    if (!a || !b || !y) return;
    if (tg_needs(r, 0)) dx[0] = t_mul(dy, t_div(a, y));
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, t_div(b, y));
}
static const Op hypot_op = {"hypot", "HypotBackward0", hypot_backward};
static LoopTable hypot_loops = {FLOAT_LOOPS(hypot)};

Tensor *t_hypot(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("hypot_cpu", x, other, hypot_loops, false, 0);
    return tg_record(&hypot_op, y, INPUTS(x, other), SAVED(x, other, y), NONE);
}
IN_PLACE(hypot)

/* torch.logaddexp(a, b): y = log(e^a + e^b) without overflow. da = dy / (1 + e^(b - a)), db = dy / (1 + e^(a - b)).
 * Floating dtypes only. */
static void logaddexp_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *one = t_number(1);
    if (!a || !b) return;
    if (tg_needs(r, 0)) dx[0] = t_div(dy, t_add(one, t_exp(t_sub(b, a))));
    if (tg_needs(r, 1)) dx[1] = t_div(dy, t_add(one, t_exp(t_sub(a, b))));
}
static const Op logaddexp_op = {"logaddexp", "LogaddexpBackward0", logaddexp_backward};
static LoopTable logaddexp_loops = {FLOAT_LOOPS(logaddexp)};

Tensor *t_logaddexp(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("logaddexp_cpu", x, other, logaddexp_loops, false, 0);
    return tg_record(&logaddexp_op, y, INPUTS(x, other), SAVED(x, other), NONE);
}

/* torch.logaddexp2(a, b): y = log2(2^a + 2^b) without overflow. da = dy / (1 + 2^(b - a)), db = dy / (1 + 2^(a - b)).
 * Floating dtypes only. */
static void logaddexp2_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *one = t_number(1);
    if (!a || !b) return;
    if (tg_needs(r, 0)) dx[0] = t_div(dy, t_add(one, t_exp2(t_sub(b, a))));
    if (tg_needs(r, 1)) dx[1] = t_div(dy, t_add(one, t_exp2(t_sub(a, b))));
}
static const Op logaddexp2_op = {"logaddexp2", "Logaddexp2Backward0", logaddexp2_backward};
static LoopTable logaddexp2_loops = {FLOAT_LOOPS(logaddexp2)};

Tensor *t_logaddexp2(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("logaddexp2_cpu", x, other, logaddexp2_loops, false, 0);
    return tg_record(&logaddexp2_op, y, INPUTS(x, other), SAVED(x, other), NONE);
}

/* torch.xlogy(a, b): y = a log b, 0 where a = 0 and b is not NaN. da = dy log b, 0 where a = 0 and b <= 0; db = dy a
 * / b. Integers are converted to float32. */
static void xlogy_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *zero = t_number(0);
    if (!a || !b) return;
    if (tg_needs(r, 0)) {
        Tensor *no_gradient = t_logical_and(t_eq(a, zero), t_le(b, zero));
        dx[0] = t_where(no_gradient, zero, t_xlogy(dy, b));
    }
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, t_div(a, b));
}
static const Op xlogy_op = {"xlogy", "XlogyBackward0", xlogy_backward};
static const Op number_xlogy_op = {"xlogy", "XlogyBackward1", xlogy_backward};
static const Op xlogy_number_op = {"xlogy", "XlogyBackward2", xlogy_backward};
static LoopTable xlogy_loops = {FLOAT_LOOPS(xlogy)};

Tensor *t_xlogy(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("xlogy_cpu", x, other, xlogy_loops, true, 0);
    if (!y) return NULL;
    const Op *op = x->wrapped_number ? &number_xlogy_op : other->wrapped_number ? &xlogy_number_op : &xlogy_op;
    return tg_record(op, y, INPUTS(x, other), SAVED(x, other), NONE);
}
IN_PLACE(xlogy)

/* torch.copysign(a, b): |a| with the sign of b. da = dy y / a, 0 where a = 0; db = 0. Integers are converted to
 * float32. */
static void copysign_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *y = tg_saved(r, 1), *zero = t_number(0);
    if (!a || !y) return;
    if (tg_needs(r, 0)) dx[0] = t_mul(dy, t_where(t_eq(a, zero), zero, t_div(t_detach(y), t_detach(a))));
    if (tg_needs(r, 1)) dx[1] = tg_zeros_like_input(r, 1);
}
static const Op copysign_op = {"copysign", "CopysignBackward0", copysign_backward};
static const Op copysign_number_op = {"copysign", "CopysignBackward1", copysign_backward};
static LoopTable copysign_loops = {FLOAT_LOOPS(copysign)};

Tensor *t_copysign(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("copysign", x, other, copysign_loops, true, 0);
    if (!y) return NULL;
    const Op *op = other->wrapped_number ? &copysign_number_op : &copysign_op;
    return tg_record(op, y, INPUTS(x, other), SAVED(x, y), NONE);
}
IN_PLACE(copysign)
