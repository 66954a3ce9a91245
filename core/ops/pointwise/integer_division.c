/* core/ops/pointwise/integer_division.c: remainder, fmod, div with a rounding mode, floor_divide: division with an
 * integral quotient. */
#include <stdatomic.h>
#include <string.h>

#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"

typedef struct IntegerDivision {
    bool floor, remainder; /* what is computed */
    atomic_bool *by_zero;  /* set where a divisor is 0 */
} IntegerDivision;

static int64_t divide_integers(int64_t a, int64_t b, const IntegerDivision *how) {
    if (b == 0) {
        atomic_store_explicit(how->by_zero, true, memory_order_relaxed);
        return 0;
    }
    /* INT64_MIN / -1 is an exception on x86 */
    const int64_t rest = b == -1 ? 0 : a % b, quotient = b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
    const bool lower = how->floor && rest != 0 && (rest ^ b) < 0;
    return how->remainder ? rest + (lower ? b : 0) : quotient - lower;
}
TG_EACH2(divide_int64, int64_t, int64_t, divide_integers(a, b, context))

/* Integers: the quotient rounded down (`floor`) or towards 0, or the remainder. Floating dtypes: their own loops. */
static Tensor *divide(const char *name, Tensor *a, Tensor *b, LoopTable loops, bool floor, bool remainder) {
    if (!tg_check_any_two(a, b)) return NULL;
    Tensor *both[] = {a, b};
    const t_DType dtype = tg_result_type(both, 2);
    if (!tg_is_integral(dtype)) return tg_pointwise(name, both, 2, loops, false, 0);
    atomic_bool by_zero = false;
    int depth = t_scope_open();
    Tensor *y = depth ? tg_pointwise_in(name, dtype, both, 2, loops, 0,
                                        &(IntegerDivision){floor, remainder, &by_zero})
                      : NULL;
    y = by_zero ? tg_fail("ZeroDivisionError") : t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* ---- remainder, fmod ---- */

/* da = dy, db = -dy times the rounded quotient. */
static void remainder_or_fmod_backward(Record *r, Tensor *dy, Tensor **dx, const char *rounding_mode) {
    dx[0] = dy;
    if (!tg_needs(r, 1)) return;
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    if (a && b) dx[1] = t_neg(t_mul(dy, t_div_mode(t_detach(a), t_detach(b), rounding_mode)));
}

static Tensor *record_remainder(const Op *of_number, const Op *of_tensor, Tensor *y, Tensor *a, Tensor *b) {
    if (!y) return NULL;
    Tensor *needed[] = {b->requires_grad ? a : NULL, b->requires_grad ? b : NULL};
    return tg_record(b->wrapped_number ? of_number : of_tensor, y, INPUTS(a, b), needed, 2, NONE);
}

/* torch.remainder(a, b): Python's a % b: y = a - b floor(a / b), with the sign of b; a and b broadcast and promote.
 * Not for two bools. da = dy, db = -dy floor(a / b). Errors: an integer 0 as b. In PyTorch there is no gradient if a
 * is a number. */
static void remainder_backward(Record *r, Tensor *dy, Tensor **dx) {
    remainder_or_fmod_backward(r, dy, dx, "floor");
}
static const Op remainder_number_op = {"remainder", "RemainderBackward0", remainder_backward};
static const Op remainder_op = {"remainder", "RemainderBackward1", remainder_backward};

Tensor *t_remainder(Tensor *x, Tensor *other) {
    static LoopTable loops = {[t_int64] = divide_int64, FLOAT_LOOPS(remainder)};
    Tensor *y = divide("remainder_cpu", x, other, loops, true, true);
    return record_remainder(&remainder_number_op, &remainder_op, y, x, other);
}

Tensor *t_remainder_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, other, NULL, t_remainder);
}

/* torch.fmod(a, b): as in C: y = a - b trunc(a / b), with the sign of a. da = dy, db = -dy trunc(a / b). */
static void fmod_backward(Record *r, Tensor *dy, Tensor **dx) {
    remainder_or_fmod_backward(r, dy, dx, "trunc");
}
static const Op fmod_number_op = {"fmod", "FmodBackward0", fmod_backward};
static const Op fmod_op = {"fmod", "FmodBackward1", fmod_backward};

Tensor *t_fmod(Tensor *x, Tensor *other) {
    static LoopTable loops = {[t_int64] = divide_int64, FLOAT_LOOPS(fmod)};
    return record_remainder(&fmod_number_op, &fmod_op, divide("fmod_cpu", x, other, loops, false, true), x, other);
}

Tensor *t_fmod_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, other, NULL, t_fmod);
}

/* ---- div, floor_divide ---- */

/* torch.div(a, b, rounding_mode): the quotient rounded down ("floor", Python's a // b) or towards 0 ("trunc");
 * integers stay integers. NULL: torch.div(a, b). The gradient is 0. Errors: another mode, an integer 0 as b, two
 * bools. */
static void div_mode_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    for (int i = 0; i < 2; i++)
        if (tg_needs(r, i)) dx[i] = tg_zeros_like_input(r, i);
}
static const Op div_mode_op = {"div", "DivBackward2", div_mode_backward};

static Tensor *floor_divide(Tensor *a, Tensor *b) {
    static LoopTable floor = {[t_int64] = divide_int64, FLOAT_LOOPS(floor_divide)};
    return divide("div_floor_cpu", a, b, floor, true, false);
}

Tensor *t_div_mode(Tensor *x, Tensor *other, const char *rounding_mode) {
    static LoopTable trunc = {[t_int64] = divide_int64, FLOAT_LOOPS(div_trunc)};
    if (!rounding_mode) return t_div(x, other);
    bool floors = strcmp(rounding_mode, "floor") == 0;
    if (!floors && strcmp(rounding_mode, "trunc") != 0)
        return tg_fail("div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%s'",
                       rounding_mode);
    Tensor *y = floors ? floor_divide(x, other) : divide("div_trunc_cpu", x, other, trunc, false, false);
    return y ? tg_record(&div_mode_op, y, INPUTS(x, other), NONE, NONE) : NULL;
}

Tensor *t_div_mode_(Tensor *x, Tensor *other, const char *rounding_mode) {
    TG_COMPOSITE("div_");
    if (!rounding_mode) return t_div_(x, other);
    if (!tg_check_any_two(x, other) || !tg_check_cast(tg_result_type((Tensor *[]){x, other}, 2), x->dtype)) return NULL;
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_div_mode(x, other, rounding_mode) : NULL);
}

/* torch.floor_divide(a, b): a // b, the values of div with rounding_mode="floor". As in PyTorch the result requires
 * grad but backward through it is an error: it has no derivative there, while that of div is 0. */
static const Op floor_divide_op = {"floor_divide", "NotImplemented", tg_no_derivative};
static const Op floor_divide_inplace_op = {"floor_divide_", "NotImplemented", tg_no_derivative};

Tensor *t_floor_divide(Tensor *x, Tensor *other) {
    Tensor *y = floor_divide(x, other);
    return y ? tg_record(&floor_divide_op, y, INPUTS(x, other), NONE, NONE) : NULL;
}

Tensor *t_floor_divide_(Tensor *x, Tensor *other) {
    if (!tg_check_any_two(x, other) || !tg_check_cast(tg_result_type((Tensor *[]){x, other}, 2), x->dtype)) return NULL;
    int depth = tg_open_write(x);
    Tensor *quotient = depth ? floor_divide(x, other) : NULL;
    if (quotient) quotient = tg_record(&floor_divide_inplace_op, quotient, INPUTS(x, other), NONE, NONE);
    return tg_close_write(depth, x, quotient);
}
