/* core/ops/pointwise/ldexp.c: ldexp, frexp and nextafter: functions of the exponent and of the last bit of a floating
 * value. */
#include <math.h>

#include "core/ops/pointwise/pointwise_internal.h"

/* ---- ldexp ---- */

/* The context tells whether the exponents are integers, with which there is no overflow in between. */
TG_EACH2(ldexp_float32, float, float, context ? ldexpf(a, (int)fmaxf(fminf(b, 4096), -4096)) : a *exp2f(b))
TG_EACH2(ldexp_float64, double, double, context ? ldexp(a, (int)fmax(fmin(b, 4096), -4096)) : a *exp2(b))

/* da = dy 2^b, db = dy y log 2 */
static void ldexp_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *b = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (!b || !y) return;
    if (tg_needs(r, 0)) dx[0] = t_ldexp(dy, b);
    if (tg_needs(r, 1)) dx[1] = t_mul(t_mul(dy, y), N(M_LN2));
}
static const Op ldexp_op = {"ldexp", "LdexpBackward0", ldexp_backward};

/* torch.ldexp(a, b): y = a 2^b. Integers are converted to float32. */
Tensor *t_ldexp(Tensor *x, Tensor *other) {
    static LoopTable loops = {[t_float32] = ldexp_float32, [t_float64] = ldexp_float64};
    Tensor *both[] = {x, other};
    if (!tg_check_any_two(x, other)) return NULL;
    t_DType dtype = tg_result_type(both, 2);
    if (!tg_is_floating(dtype)) dtype = tg_default_dtype();
    const void *integral = tg_is_floating(other->dtype) ? NULL : loops;
    Tensor *y = tg_pointwise_in("ldexp_cpu", dtype, both, 2, loops, 0, integral);
    return tg_record(&ldexp_op, y, INPUTS(x, other), SAVED(other, y), NONE);
}

Tensor *t_ldexp_(Tensor *x, Tensor *other) {
    if (!tg_check_any_two(x, other)) return NULL;
    if (!tg_is_floating(x->dtype))
        return tg_fail("ldexp can't be cast to the desired output type %s", tg_scalar_name(x->dtype));
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_ldexp(x, other) : NULL);
}

/* ---- frexp ---- */

static int exponent_of(double x) {
    int exponent = 0;
    frexp(x, &exponent);
    return isfinite(x) ? exponent : 0;
}
static double mantissa_of(double x) {
    int exponent;
    return isfinite(x) ? frexp(x, &exponent) : x;
}
TG_EACH1(mantissa_float32, float, float, mantissa_of(x))
TG_EACH1(mantissa_float64, double, double, mantissa_of(x))
TG_EACH1(exponent_float32, int64_t, float, exponent_of(x))
TG_EACH1(exponent_float64, int64_t, double, exponent_of(x))

/* dx = dy 2^-exponent */
static void frexp_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *exponent = tg_saved(r, 0);
    if (exponent) dx[0] = t_ldexp(dy, t_neg(exponent));
}
static const Op frexp_op = {"frexp", "FrexpBackward0", frexp_backward};

/* torch.frexp(x): x = mantissa 2^exponent with 1/2 <= |mantissa| < 1, or both 0; infinities and NaN have the exponent
 * 0. Returns the mantissa, in x's dtype, and gives the exponent, int32. Floating dtypes only. */
Tensor *t_frexp(Tensor *x, Tensor **exponent) {
    tg_clear_output(exponent);
    static LoopTable mantissas = {[t_float32] = mantissa_float32, [t_float64] = mantissa_float64};
    static LoopTable exponents = {[t_float32] = exponent_float32, [t_float64] = exponent_float64};
    if (!tg_check_any(x, 1) || !tg_check_given(exponent != NULL, 2, "where to put the exponent")) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_fail("torch.frexp() only supports floating-point dtypes");
    int depth = t_scope_open();
    Tensor *in = depth ? t_detach(tg_is_narrow(x->dtype) ? t_to(t_detach(x), t_float32) : x) : NULL;
    Tensor *e = in ? tg_pointwise_in("frexp", in->dtype, &in, 1, exponents, t_int64, NULL) : NULL;
    if (e) e = t_to(e, t_int32);
    Tensor *y = e ? tg_pointwise_in("frexp", x->dtype, &x, 1, mantissas, 0, NULL) : NULL;
    y = t_keep_object(tg_record(&frexp_op, y, INPUTS(x), SAVED(e), NONE));
    if (y) *exponent = t_keep_object(e);
    t_scope_close(depth);
    return y;
}

/* ---- nextafter ---- */

/* The spacing of a dtype of half precision: `digits` bits of precision, 2^min_exponent the smallest normal value. */
typedef struct Spacing {
    int digits, min_exponent;
} Spacing;

/* The value of that spacing after a, which has it, towards b. */
static float next_half(float a, float b, const Spacing *s) {
    if (isnan(a) || isnan(b)) return a + b;
    if (a == b) return b;
    if (isinf(a)) return copysignf((2 - ldexpf(1, 1 - s->digits)) * ldexpf(1, 1 - s->min_exponent), a);
    int exponent = s->min_exponent + 1;
    const bool away = a == 0 || (a > 0) == (b > a), power = fabsf(frexpf(a, &exponent)) == 0.5f;
    if (a == 0) exponent = s->min_exponent + 1;
    if (!away && power && exponent - 1 > s->min_exponent) exponent--;
    if (exponent - 1 < s->min_exponent) exponent = s->min_exponent + 1;
    const float next = a + copysignf(ldexpf(1, exponent - s->digits), b - a);
    return next == 0 ? copysignf(0, a) : next;
}

TG_EACH2(nextafter_float32, float, float, context ? next_half(a, b, context) : nextafterf(a, b))
TG_EACH2(nextafter_float64, double, double, nextafter(a, b))

/* da = dy, 0 where a = b; db = 0 */
static void nextafter_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    if (!a || !b) return;
    if (tg_needs(r, 0)) dx[0] = t_where(t_eq(a, b), N(0), dy);
    if (tg_needs(r, 1)) dx[1] = tg_zeros_like_input(r, 1);
}
static const Op nextafter_op = {"nextafter", "NextafterBackward0", nextafter_backward};

/* torch.nextafter(a, b): the value after a in the direction of b in the dtype that both promote to. Floating dtypes
 * only. */
Tensor *t_nextafter(Tensor *x, Tensor *other) {
    static LoopTable loops = {[t_float32] = nextafter_float32, [t_float64] = nextafter_float64};
    static const Spacing spacings[T_DTYPES] = {[t_float16] = {11, -14}, [t_bfloat16] = {8, -126}};
    Tensor *both[] = {x, other};
    if (!tg_check_any_two(x, other)) return NULL;
    const t_DType dtype = tg_result_type(both, 2);
    Tensor *y = tg_pointwise_in("nextafter_cpu", dtype, both, 2, loops, 0, tg_is_half(dtype) ? &spacings[dtype] : NULL);
    return y ? tg_record(&nextafter_op, y, INPUTS(x, other), SAVED(x, other), NONE) : NULL;
}

Tensor *t_nextafter_(Tensor *x, Tensor *other) {
    return tg_inplace2(x, other, NULL, t_nextafter);
}
