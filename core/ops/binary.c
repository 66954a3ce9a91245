/* core/ops/binary.c: arithmetic of two tensors, which broadcast.
 *
 * Shapes follow PyTorch's broadcasting, dtypes its promotion: numbers count least, 0-dim tensors next. The tape sums a
 * gradient over the dims that were broadcast, so that the rules do not speak of it. */
#include <tgmath.h>

#include "core/ops/pointwise.h"

/* An operand that only the other one's gradient needs. */
#define IF_NEEDED(other, x) ((other)->requires_grad ? (x) : NULL)

static Tensor *binary(const char *name, Tensor *a, Tensor *b, LoopTable loops, bool floating) {
    if (!tg_check(a, 1) || !tg_check(b, 2)) return NULL;
    return tg_pointwise(name, (Tensor *[]){a, b}, 2, loops, floating, 0);
}

/* x = f(x, y) in place: directly into x where nothing is recorded, else by way of a new value. */
static Tensor *inplace(Tensor *x, Tensor *y, LoopTable loops, Tensor *(*f)(Tensor *, Tensor *)) {
    Tensor *both[] = {x, y};
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!tg_check(x, 1) || !tg_check(y, 2) || !tg_check_inplace(x)) return NULL;
    if (loops[x->dtype] && tg_result_type(both, 2) == x->dtype && (y->dtype == x->dtype || tg_numel(y) == 1) &&
        tg_pointwise_inplace_is_direct(both, 2)) {
        if (!tg_broadcast_shape(both, 2, shape, &ndim)) return NULL;
        if (ndim == x->ndim && tg_count(shape, ndim) == tg_numel(x)) {
            tg_run(loops[x->dtype], x, both, 2, x->dtype, NULL);
            tg_bump(x);
            return x;
        }
    }
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool saves_x = y->requires_grad && f != t_add && f != t_sub; /* y's gradient needs the x of before: a copy */
    Tensor *done = tg_write(x, f(saves_x ? t_clone(x) : x, y));
    t_scope_close(depth);
    return done;
}

/* ---- a + b, a - b ---- */

/* torch.add(a, b): y = a + b (bools: a or b). da = dy, db = dy. */
static void add_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)r;
    dx[0] = dy;
    dx[1] = dy;
}
static const Op add_op = {"add", "AddBackward0", add_backward};
TG_LOOP2(add_bool, bool, bool, a || b)
TG_LOOP2(add_int64, int64_t, int64_t, (int64_t)((uint64_t)a + (uint64_t)b))
TG_LOOP2(add_float32, float, float, a + b)
TG_LOOP2(add_float64, double, double, a + b)
static LoopTable add_loops = {
    [t_bool] = add_bool, [t_int64] = add_int64, [t_float32] = add_float32, [t_float64] = add_float64};

Tensor *t_add(Tensor *a, Tensor *b) {
    return tg_record(&add_op, binary("add", a, b, add_loops, false), INPUTS(a, b), NONE, NONE);
}

/* x.add_(y): x += y. */
Tensor *t_add_(Tensor *x, Tensor *y) {
    return inplace(x, y, add_loops, t_add);
}

/* torch.sub(a, b): y = a - b, not for two bools. da = dy, db = -dy. */
static void sub_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = dy;
    if (tg_needs(r, 1)) dx[1] = t_neg(dy);
}
static const Op sub_op = {"sub", "SubBackward0", sub_backward}, rsub_op = {"rsub", "RsubBackward1", sub_backward};
TG_LOOP2(sub_int64, int64_t, int64_t, (int64_t)((uint64_t)a - (uint64_t)b))
TG_LOOP2(sub_float32, float, float, a - b)
TG_LOOP2(sub_float64, double, double, a - b)
static LoopTable sub_loops = {[t_int64] = sub_int64, [t_float32] = sub_float32, [t_float64] = sub_float64};

Tensor *t_sub(Tensor *a, Tensor *b) {
    if (!tg_check(a, 1) || !tg_check(b, 2)) return NULL;
    if (a->dtype == t_bool && b->dtype == t_bool)
        return tg_fail("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                       "`logical_xor()` operator instead.");
    if (a->dtype == t_bool || b->dtype == t_bool)
        return tg_fail("Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
                       "mask, use the `~` or `logical_not()` operator instead.");
    Tensor *y = binary("sub", a, b, sub_loops, false);
    return y ? tg_record(a->wrapped_number ? &rsub_op : &sub_op, y, INPUTS(a, b), NONE, NONE) : NULL;
}

/* x.sub_(y): x -= y. */
Tensor *t_sub_(Tensor *x, Tensor *y) {
    return inplace(x, y, sub_loops, t_sub);
}

/* ---- a * b, a / b ---- */

/* torch.mul(a, b): y = a b (bools: a and b). da = dy b, db = dy a. */
static void mul_backward(Record *r, Tensor *dy, Tensor **dx) {
    if (tg_needs(r, 0)) dx[0] = t_mul(dy, tg_saved(r, 1));
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, tg_saved(r, 0));
}
static const Op mul_op = {"mul", "MulBackward0", mul_backward};
TG_LOOP2(mul_bool, bool, bool, a && b)
TG_LOOP2(mul_int64, int64_t, int64_t, (int64_t)((uint64_t)a * (uint64_t)b))
TG_LOOP2(mul_float32, float, float, a * b)
TG_LOOP2(mul_float64, double, double, a * b)
static LoopTable mul_loops = {
    [t_bool] = mul_bool, [t_int64] = mul_int64, [t_float32] = mul_float32, [t_float64] = mul_float64};

Tensor *t_mul(Tensor *a, Tensor *b) {
    Tensor *y = binary("mul", a, b, mul_loops, false);
    return y ? tg_record(&mul_op, y, INPUTS(a, b), SAVED(IF_NEEDED(b, a), IF_NEEDED(a, b)), NONE) : NULL;
}

/* x.mul_(y): x *= y. */
Tensor *t_mul_(Tensor *x, Tensor *y) {
    return inplace(x, y, mul_loops, t_mul);
}

/* torch.div(a, b): y = a / b, floating also for integers. da = dy / b, db = -dy a / b^2 = -(dy / b) (a / b).
 * A number over a tensor is the reciprocal times the number, as in Python: the last bit may differ from a division's. */
static void div_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *b = tg_saved(r, 1);
    Tensor *da = b ? t_div(dy, b) : NULL;
    dx[0] = da;
    if (tg_needs(r, 1)) dx[1] = t_neg(t_mul(da, t_div(tg_saved(r, 0), b)));
}
static const Op div_op = {"div", "DivBackward0", div_backward};
TG_LOOP2(div_float32, float, float, a / b)
TG_LOOP2(div_float64, double, double, a / b)
static LoopTable div_loops = {[t_float32] = div_float32, [t_float64] = div_float64};

Tensor *t_div(Tensor *a, Tensor *b) {
    if (!tg_check(a, 1) || !tg_check(b, 2)) return NULL;
    if (a->wrapped_number && !b->wrapped_number) return t_mul(t_reciprocal(b), a);
    Tensor *y = binary("div", a, b, div_loops, true);
    return y ? tg_record(&div_op, y, INPUTS(a, b), SAVED(IF_NEEDED(b, a), b), NONE) : NULL;
}

/* x.div_(y): x /= y, for a floating x. */
Tensor *t_div_(Tensor *x, Tensor *y) {
    return inplace(x, y, div_loops, t_div);
}

/* ---- a ** b ---- */

static int64_t integer_power(int64_t a, int64_t b) {
    uint64_t result = 1, factor = (uint64_t)a;
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    for (; b; b >>= 1, factor *= factor)
        if (b & 1) result *= factor;
    return (int64_t)result;
}

/* torch.pow(a, b): y = a^b. da = dy b a^(b-1), 0 where b = 0; db = dy y log a, 0 where a = 0 and b >= 0.
 * Error: an integer to a negative number. */
static void pow_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *zero = t_number(0);
    if (!a || !b) return;
    if (tg_needs(r, 0)) {
        Tensor *slope = t_mul(b, t_pow(a, t_sub(b, t_number(1))));
        dx[0] = t_where(t_eq(b, zero), zero, t_mul(dy, slope));
    }
    if (tg_needs(r, 1)) { /* the clone of a plain number is a tensor, with a dtype of its own */
        Tensor *flat = t_logical_and(t_eq(a, zero), t_ge(b, zero));
        dx[1] = t_where(flat, zero, t_mul(dy, t_mul(tg_saved(r, 2), t_log(t_clone(t_to(a, dy->dtype))))));
    }
}
static const Op pow_number_op = {"pow", "PowBackward0", pow_backward};
static const Op pow_tensor_op = {"pow", "PowBackward1", pow_backward};
static const Op number_pow_op = {"pow", "PowBackward2", pow_backward};
TG_LOOP2(pow_int64, int64_t, int64_t, integer_power(a, b))
TG_LOOP2(pow_float32, float, float, pow(a, b))
TG_LOOP2(pow_float64, double, double, pow(a, b))

Tensor *t_pow(Tensor *a, Tensor *b) {
    static LoopTable loops = {[t_int64] = pow_int64, [t_float32] = pow_float32, [t_float64] = pow_float64};
    if (a && b && !tg_is_floating(a->dtype) && b->wrapped_number && b->dtype == t_int64 && tg_read_int64(b) < 0)
        return tg_fail("Integers to negative integer powers are not allowed.");
    Tensor *y = binary("pow", a, b, loops, false);
    if (!y) return NULL;
    const Op *op = b->wrapped_number ? &pow_number_op : a->wrapped_number ? &number_pow_op : &pow_tensor_op;
    return tg_record(op, y, INPUTS(a, b), SAVED(a, b, b->requires_grad ? y : NULL), NONE);
}

/* ---- the larger, the smaller ---- */

/* torch.maximum(a, b): NaN wins. da = 0 where a < b, dy / 2 where they are equal, else dy; db likewise. */
Tensor *tg_gradient_of_winner(Tensor *dy, Tensor *loses, Tensor *equal) {
    return t_where(equal, t_div(dy, t_number(2)), t_where(loses, t_number(0), dy));
}
static void maximum_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *equal = t_eq(a, b);
    if (tg_needs(r, 0)) dx[0] = tg_gradient_of_winner(dy, t_lt(a, b), equal);
    if (tg_needs(r, 1)) dx[1] = tg_gradient_of_winner(dy, t_lt(b, a), equal);
}
static const Op maximum_op = {"maximum", "MaximumBackward0", maximum_backward};
TG_LOOP2(maximum_int64, int64_t, int64_t, a > b ? a : b)
TG_LOOP2(maximum_float32, float, float, a != a ? a : a > b ? a : b)
TG_LOOP2(maximum_float64, double, double, a != a ? a : a > b ? a : b)

Tensor *t_maximum(Tensor *a, Tensor *b) {
    static LoopTable loops = {
        [t_bool] = add_bool, [t_int64] = maximum_int64, [t_float32] = maximum_float32, [t_float64] = maximum_float64};
    Tensor *y = binary("maximum", a, b, loops, false);
    return tg_record(&maximum_op, y, INPUTS(a, b), SAVED(a, b), NONE);
}

/* torch.minimum(a, b): the same with < for >. */
static void minimum_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *equal = t_eq(a, b);
    if (tg_needs(r, 0)) dx[0] = tg_gradient_of_winner(dy, t_gt(a, b), equal);
    if (tg_needs(r, 1)) dx[1] = tg_gradient_of_winner(dy, t_gt(b, a), equal);
}
static const Op minimum_op = {"minimum", "MinimumBackward0", minimum_backward};
TG_LOOP2(minimum_int64, int64_t, int64_t, a < b ? a : b)
TG_LOOP2(minimum_float32, float, float, a != a ? a : a < b ? a : b)
TG_LOOP2(minimum_float64, double, double, a != a ? a : a < b ? a : b)

Tensor *t_minimum(Tensor *a, Tensor *b) {
    static LoopTable loops = {
        [t_bool] = mul_bool, [t_int64] = minimum_int64, [t_float32] = minimum_float32, [t_float64] = minimum_float64};
    Tensor *y = binary("minimum", a, b, loops, false);
    return tg_record(&minimum_op, y, INPUTS(a, b), SAVED(a, b), NONE);
}
