/* core/ops/pointwise/arithmetic.c: add, sub, mul and div of two tensors.
 *
 * Shapes are broadcast and dtypes promoted as in PyTorch: Python numbers have the lowest priority, 0-dim tensors the
 * next. The tape sums a gradient over the broadcast dims, so the backward functions here do not. */
#include <math.h>

#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/dtype_convert.h"

/* x if the gradient of `other` needs it, else NULL. */
#define IF_NEEDED(other, x) ((other)->requires_grad ? (x) : NULL)

/* ---- a + b, a - b ---- */

/* torch.add(a, b): y = a + b (bools: a or b). da = dy, db = dy. */
static void add_backward(Record *r, Tensor *dy, Tensor **dx) {
    (void)r;
    dx[0] = dy;
    dx[1] = dy;
}
static const Op add_op = {"add", "AddBackward0", add_backward};
TG_EACH2(add_bool, bool, bool, a | b)
TG_EACH2(add_int64, int64_t, int64_t, (uint64_t)a + (uint64_t)b)
static LoopTable add_loops = {[t_bool] = add_bool, NUMBER_LOOPS(add)};

Tensor *t_add(Tensor *x, Tensor *other) {
    return tg_record(&add_op, tg_arithmetic("add", x, other, add_loops, false, true), INPUTS(x, other), NONE, NONE);
}

/* A number that is added to float16 or bfloat16 is rounded to it first. */
static Tensor *addend_of(const Tensor *x, Tensor *y) {
    const bool is_number = tg_is_narrow_tensor(x) && tg_is_half(x->dtype) && y && y->object.is_a == &tg_tensor_class &&
                           y->ndim == 0 && tg_is_floating(y->dtype);
    return is_number ? t_to(y, x->dtype) : y;
}

/* x.add_(y): x += y. */
Tensor *t_add_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, addend_of(x, other), add_loops, t_add);
}

/* torch.sub(a, b): y = a - b, not for two bools. da = dy, db = -dy. */
static void sub_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = dy;
    if (tg_needs(r, 1)) dx[1] = t_neg(dy);
}
static const Op sub_op = {"sub", "SubBackward0", sub_backward}, rsub_op = {"rsub", "RsubBackward1", sub_backward};
TG_EACH2(sub_int64, int64_t, int64_t, (uint64_t)a - (uint64_t)b)
static LoopTable sub_loops = {NUMBER_LOOPS(sub)};

static bool check_no_bools(Tensor *a, Tensor *b) {
    if (!tg_check_any_two(a, b)) return false;
    if (a->dtype == t_bool && b->dtype == t_bool)
        return tg_fail("Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or "
                       "`logical_xor()` operator instead.");
    if (a->dtype == t_bool || b->dtype == t_bool)
        return tg_fail(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
            "mask, use the `~` or `logical_not()` operator instead.");
    return true;
}

Tensor *t_sub(Tensor *x, Tensor *other) {
    Tensor *y = check_no_bools(x, other) ? tg_arithmetic("sub", x, other, sub_loops, false, true) : NULL;
    return y ? tg_record(x->wrapped_number ? &rsub_op : &sub_op, y, INPUTS(x, other), NONE, NONE) : NULL;
}

/* x.sub_(y): x -= y. */
Tensor *t_sub_(Tensor *x, Tensor *other) {
    return check_no_bools(x, other) ? tg_inplace2(x, addend_of(x, other), sub_loops, t_sub) : NULL;
}

/* torch.add(a, b, alpha=alpha), torch.sub: y = a + alpha b, a - alpha b. da = dy, db = alpha dy. Errors: a
 * fractional alpha for a result that is not floating. */
static void add_alpha_backward(Record *r, Tensor *dy, Tensor **dx) {
    dx[0] = dy;
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, t_number(*(const double *)r->attributes));
}
static const Op add_alpha_op = {"add", "AddBackward0", add_alpha_backward};
static const Op sub_alpha_op = {"sub", "SubBackward0", add_alpha_backward};
#define ALPHA ((const tg_Parameters *)context)->a
TG_EACH2(add_alpha_bool, bool, bool, a || (b && ALPHA != 0))
TG_EACH2(add_alpha_int64, int64_t, int64_t, (uint64_t)a + (uint64_t)(int64_t)ALPHA * (uint64_t)b)
static LoopTable add_alpha_loops = {[t_bool] = add_alpha_bool, NUMBER_LOOPS(add_alpha)};

static bool check_alpha(Tensor *a, Tensor *b, double alpha) {
    if (!tg_check_any_two(a, b)) return false;
    const t_DType dtype = tg_result_type((Tensor *[]){a, b}, 2);
    if (tg_is_floating(dtype)) return tg_check_scalar_fits(alpha, dtype);
    return (fabs(alpha) < 0x1p63 && alpha == trunc(alpha)) ||
           tg_fail("For integral input tensors, argument alpha must not be a floating point number.");
}

/* alpha is rounded to float16 and bfloat16. (PyTorch rounds alpha b there too, but only for the last elements, those
 * after its whole vectors of 64 bytes or less.) */
static tg_Parameters alpha_of(double alpha, t_DType dtype) {
    if (!tg_is_half(dtype)) return (tg_Parameters){alpha, 0, 0};
    uint16_t rounded;
    tg_set_element(dtype, &rounded, alpha);
    return (tg_Parameters){tg_element_as_double(dtype, &rounded), 0, 0};
}

static Tensor *add_alpha(const Op *op, Tensor *a, Tensor *b, double alpha) {
    Tensor *both[] = {a, b};
    if (!check_alpha(a, b, alpha)) return NULL;
    const t_DType dtype = tg_result_type(both, 2);
    const tg_Parameters parameters = alpha_of(alpha, dtype);
    Tensor *y = tg_pointwise_in("add", dtype, both, 2, add_alpha_loops, 0, &parameters);
    return tg_record(op, y, INPUTS(a, b), NONE, ATTRIBUTES(alpha));
}

/* x.add_(y, alpha), x.sub_(y, alpha). */
static Tensor *add_alpha_into(const Op *op, Tensor *x, Tensor *y, double alpha) {
    Tensor *both[] = {x, y};
    if (!check_alpha(x, y, alpha) || !tg_check_inplace(x)) return NULL;
    const tg_Parameters parameters = alpha_of(alpha, x->dtype);
    if (tg_run_inplace(both, 2, add_alpha_loops, &parameters)) return x;
    int depth = t_scope_open();
    return tg_close_write(depth, x, depth ? add_alpha(op, x, y, alpha) : NULL);
}

Tensor *t_add_alpha(Tensor *x, Tensor *other, double alpha) {
    return alpha == 1 ? t_add(x, other) : add_alpha(&add_alpha_op, x, other, alpha);
}

Tensor *t_sub_alpha(Tensor *x, Tensor *other, double alpha) {
    if (alpha == 1) return t_sub(x, other);
    return check_no_bools(x, other) ? add_alpha(&sub_alpha_op, x, other, -alpha) : NULL;
}

Tensor *t_add_alpha_(Tensor *x, Tensor *other, double alpha) {
    TG_COMPOSITE("add_");
    return alpha == 1 ? t_add_(x, other) : add_alpha_into(&add_alpha_op, x, other, alpha);
}

Tensor *t_sub_alpha_(Tensor *x, Tensor *other, double alpha) {
    TG_COMPOSITE("sub_");
    if (alpha == 1) return t_sub_(x, other);
    return check_no_bools(x, other) ? add_alpha_into(&sub_alpha_op, x, other, -alpha) : NULL;
}

/* ---- a * b, a / b ---- */

/* torch.mul(a, b): y = a b (bools: a and b). da = dy b, db = dy a. */
static void mul_backward(Record *r, Tensor *dy, Tensor **dx) {
    if (tg_needs(r, 0)) dx[0] = t_mul(dy, tg_saved(r, 0));
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, tg_saved(r, 1));
}
static const Op mul_op = {"mul", "MulBackward0", mul_backward};
TG_EACH2(mul_bool, bool, bool, a & b)
TG_EACH2(mul_int64, int64_t, int64_t, (uint64_t)a * (uint64_t)b)
static LoopTable mul_loops = {[t_bool] = mul_bool, NUMBER_LOOPS(mul)};

Tensor *t_mul(Tensor *x, Tensor *other) {
    Tensor *y = tg_arithmetic("mul", x, other, mul_loops, false, false);
    return y ? tg_record(&mul_op, y, INPUTS(x, other), SAVED(IF_NEEDED(x, other), IF_NEEDED(other, x)), NONE) : NULL;
}

/* a + b + c and a * b * c, from left to right. Leading Python numbers are combined as Python does, in int64 or
 * float64. */
static Tensor *accumulate(Tensor *const *x, int count, bool add) {
    for (int i = 0; i < count; i++)
        if (!tg_check_any(x[i], i + 1)) return NULL;
    Tensor *y = x[0];
    for (int i = 1; y && i < count; i++) {
        if (!y->wrapped_number || !x[i]->wrapped_number) {
            y = add ? t_add(y, x[i]) : t_mul(y, x[i]);
        } else if (tg_is_floating(y->dtype) || tg_is_floating(x[i]->dtype)) {
            const double a = tg_read_double(y), b = tg_read_double(x[i]);
            y = t_number(add ? a + b : a * b);
        } else {
            const uint64_t a = (uint64_t)tg_read_int64(y), b = (uint64_t)tg_read_int64(x[i]);
            y = t_integer((int64_t)(add ? a + b : a * b));
        }
    }
    return y;
}

Tensor *t_add_of_(Tensor *const *x, int count) {
    return accumulate(x, count, true);
}

Tensor *t_mul_of_(Tensor *const *x, int count) {
    return accumulate(x, count, false);
}

/* x.mul_(y): x *= y. */
Tensor *t_mul_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, other, mul_loops, t_mul);
}

/* torch.div(a, b): y = a / b, floating also for integers. da = dy / b, db = -dy a / b^2 = -(dy / b) (a / b). A
 * number divided by a tensor is the reciprocal times the number, as in PyTorch: the last bit may differ from a
 * division. */
static void div_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *b = tg_saved(r, 1);
    Tensor *da = b ? t_div(dy, b) : NULL;
    dx[0] = da;
    if (tg_needs(r, 1)) dx[1] = t_neg(t_mul(da, t_div(tg_saved(r, 0), b)));
}
static const Op div_op = {"div", "DivBackward0", div_backward};
static LoopTable div_loops = {FLOAT_LOOPS(div)};

Tensor *t_div(Tensor *x, Tensor *other) {
    if (!tg_check_any_two(x, other)) return NULL;
    if (x->wrapped_number && !other->wrapped_number) return t_mul(t_reciprocal(other), x);
    Tensor *y = tg_arithmetic("div", x, other, div_loops, true, false);
    return y ? tg_record(&div_op, y, INPUTS(x, other), SAVED(IF_NEEDED(other, x), other), NONE) : NULL;
}

/* x.div_(y): x /= y, for a floating x. */
Tensor *t_div_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, other, div_loops, t_div);
}
