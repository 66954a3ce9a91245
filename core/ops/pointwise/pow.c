/* core/ops/pointwise/pow.c: pow and square. */
#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* torch.pow(a, b): y = a^b, a and b broadcast and promote. da = dy b a^(b-1), 0 where b = 0; db = dy y log a, 0
 * where a = 0 and b >= 0. Errors: an integer to a negative number, two bools, of which the second is a tensor. */
static int64_t integer_power(int64_t a, int64_t b) {
    uint64_t result = 1, factor = (uint64_t)a;
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    for (; b; b >>= 1, factor *= factor)
        if (b & 1) result *= factor;
    return (int64_t)result;
}

/* d a^b / da times dy: dy b a^(b-1); x ** 2: dy 2 x, without a power. */
static Tensor *base_gradient(Tensor *dy, Tensor *a, Tensor *b) {
    const double exponent = b->wrapped_number ? tg_read_double(b) : 0;
    Tensor *b_minus_1 = b->wrapped_number ? t_number(exponent - 1) : t_sub(b, t_number(1));
    return t_mul(dy, t_mul(b, exponent == 2 ? a : t_pow(a, b_minus_1)));
}

static void pow_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *zero = t_number(0);
    if (!a || !b) return;
    if (tg_needs(r, 0)) {
        bool is_number = b->wrapped_number;
        dx[0] = is_number && tg_read_double(b) == 0 ? tg_zeros_like_input(r, 0) : base_gradient(dy, a, b);
        if (!is_number) dx[0] = t_where(t_eq(b, zero), zero, dx[0]);
    }
    if (tg_needs(r, 1)) { /* the clone of a Python number is a tensor, with its own dtype */
        Tensor *no_gradient = t_logical_and(t_eq(a, zero), t_ge(b, zero));
        dx[1] = t_where(no_gradient, zero, t_mul(dy, t_mul(tg_saved(r, 2), t_log(t_clone(t_to(a, dy->dtype))))));
    }
}
static const Op pow_number_op = {"pow", "PowBackward0", pow_backward};
static const Op pow_tensor_op = {"pow", "PowBackward1", pow_backward};
static const Op number_pow_op = {"pow", "PowBackward2", pow_backward};
TG_EACH2(pow_int64, int64_t, int64_t, integer_power(a, b))
static LoopTable pow_loops = {NUMBER_LOOPS(pow)};
TG_EACH1(square_int64, int64_t, int64_t, (uint64_t)x * (uint64_t)x)
static LoopTable square_loops = {NUMBER_LOOPS(square)};

/* Special cases for common exponents; 0.5 has the values of sqrt at -0 and -infinity, as in PyTorch. */
static Tensor *power(Tensor *a, Tensor *b) {
    static const struct {
        double exponent;
        LoopTable loops;
    } special[] = {{3, {FLOAT_LOOPS(cube)}},
                   {0.5, {FLOAT_LOOPS(sqrt)}},
                   {-0.5, {FLOAT_LOOPS(rsqrt)}},
                   {-1, {FLOAT_LOOPS(reciprocal)}},
                   {-2, {FLOAT_LOOPS(inverse_square)}}};
    const bool is_number = b->wrapped_number &&
                           (tg_is_floating(a->dtype) || (tg_is_integral(a->dtype) && tg_is_integral(b->dtype)));
    const double exponent = is_number ? tg_read_double(b) : 0;
    if (exponent == 2) return tg_pointwise("pow", &a, 1, square_loops, false, 0);
    for (int i = 0; i < 5; i++)
        if (is_number && !tg_is_integral(a->dtype) && exponent == special[i].exponent)
            return tg_pointwise("pow", &a, 1, special[i].loops, false, 0);
    return tg_pointwise("pow", (Tensor *[]){a, b}, 2, pow_loops, false, 0);
}

Tensor *t_pow(Tensor *x, Tensor *exponent) {
    if (!tg_check_any_two(x, exponent)) return NULL;
    bool to_number = exponent->wrapped_number && !tg_is_floating(x->dtype);
    if (to_number && exponent->dtype == t_int64 && tg_read_int64(exponent) < 0)
        return tg_fail("Integers to negative integer powers are not allowed.");
    if (to_number && x->dtype == t_bool && exponent->dtype == t_bool) /* mask ** True, mask ** False */
        return t_logical_or(x, t_boolean(!t_is_true(exponent)));
    Tensor *y = power(x, exponent);
    if (!y) return NULL;
    const Op *op = exponent->wrapped_number ? &pow_number_op : x->wrapped_number ? &number_pow_op : &pow_tensor_op;
    return tg_record(op, y, INPUTS(x, exponent), SAVED(x, exponent, exponent->requires_grad ? y : NULL), NONE);
}

Tensor *t_pow_(Tensor *x, Tensor *exponent) {
    return tg_inplace2(x, exponent, NULL, t_pow);
}

/* torch.float_power(x, exponent): x^exponent in float64, whatever the dtypes are. Gradients as for pow. */
Tensor *t_float_power(Tensor *x, Tensor *exponent) {
    TG_COMPOSITE("float_power");
    if (!tg_check_any_two(x, exponent)) return NULL;
    const int depth = t_scope_open();
    Tensor *base = depth ? t_double(x) : NULL;
    Tensor *to = exponent->wrapped_number ? exponent : t_double(exponent);
    return tg_scope_return(depth, base && to ? t_pow(base, to) : NULL);
}

/* x.float_power_(exponent): x must be float64. */
Tensor *t_float_power_(Tensor *x, Tensor *exponent) {
    TG_COMPOSITE("float_power_");
    if (!tg_check_any_two(x, exponent)) return NULL;
    if (x->dtype != t_float64)
        return tg_fail("the base given to float_power_ has dtype %s but the operation's result requires dtype Double",
                       tg_scalar_name(x->dtype));
    return tg_inplace2(x, exponent, NULL, t_float_power);
}

/* torch.square(x): x * x; a bool gives int64, as any power does. dx = 2 dy x. */
static void square_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0);
    if (x) dx[0] = t_mul(dy, t_mul(t_number(2), x));
}
static const Op square_op = {"square", "PowBackward0", square_backward};

Tensor *t_square(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    Tensor *in = x->dtype == t_bool ? t_to(x, t_int64) : x;
    Tensor *y = in ? tg_pointwise("square", &in, 1, square_loops, false, 0) : NULL;
    return tg_record(&square_op, y, INPUTS(x), SAVED(x), NONE);
}

Tensor *t_square_(Tensor *x) {
    return tg_inplace1(x, square_loops, t_square);
}
