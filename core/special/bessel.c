/* core/special/bessel.c: Bessel functions and Airy's. Shapes: any, kept; integers and bools are converted to float32;
 * computed in double precision, float32 is rounded once. The derivatives are other Bessel functions, so that they can
 * be differentiated again; airy_ai, spherical_bessel_j0 and the scaled K have none, as in PyTorch. */
#include "core/special/special_internal.h"

/* x, and 1 for 0: a divisor whose quotient t_where leaves out without a NaN in its gradient */
static Tensor *nonzero(Tensor *x) {
    return t_where(t_eq(x, N(0)), N(1), x);
}

/* v / x; its limit 1/2 at 0, where v is J1 or I1 */
static Tensor *quotient(Tensor *v, Tensor *x) {
    return t_where(t_eq(x, N(0)), N(0.5), t_div(v, nonzero(x)));
}

/* The derivative of y = i1e(x), i0e(x) - y (sgn(x) + 1 / x); 1/2 at 0 */
static Tensor *i1e_derivative(Tensor *x, Tensor *y) {
    Tensor *sum = t_add(t_sgn(x), t_reciprocal(nonzero(x)));
    return t_where(t_eq(x, N(0)), N(0.5), t_sub(special_i0e(x), t_mul(y, sum)));
}

/* ---- of the first and second kind ---- */

SPECIAL1_GRADIENT_OF_X(bessel_j0, "SpecialBesselJ0Backward0", tg_bessel_j0(x), t_neg(special_bessel_j1(x)))
SPECIAL1_GRADIENT(bessel_j1, "SpecialBesselJ1Backward0", tg_bessel_j1(x), t_sub(special_bessel_j0(x), quotient(y, x)))
SPECIAL1_GRADIENT_OF_X(bessel_y0, "SpecialBesselY0Backward0", tg_bessel_y0(x), t_neg(special_bessel_y1(x)))
SPECIAL1_GRADIENT(bessel_y1, "SpecialBesselY1Backward0", tg_bessel_y1(x), t_sub(special_bessel_y0(x), t_div(y, x)))
SPECIAL1(spherical_bessel_j0, tg_spherical_bessel_j0(x))
SPECIAL1(airy_ai, tg_airy_ai(x))

/* ---- modified ---- */

SPECIAL1_GRADIENT_OF_X(modified_bessel_i0, "SpecialModifiedBesselI0Backward0", tg_bessel_i0(x),
                       special_modified_bessel_i1(x))
SPECIAL1_GRADIENT(modified_bessel_i1, "SpecialModifiedBesselI1Backward0", tg_bessel_i1(x),
                  t_sub(special_modified_bessel_i0(x), quotient(y, x)))
SPECIAL1_GRADIENT_OF_X(modified_bessel_k0, "SpecialModifiedBesselK0Backward0", tg_bessel_k0(x),
                       t_neg(special_modified_bessel_k1(x)))
SPECIAL1_GRADIENT(modified_bessel_k1, "SpecialModifiedBesselK1Backward0", tg_bessel_k1(x),
                  t_neg(t_add(special_modified_bessel_k0(x), t_div(y, x))))
SPECIAL1(scaled_modified_bessel_k0, tg_scaled_bessel_k0(x))
SPECIAL1(scaled_modified_bessel_k1, tg_scaled_bessel_k1(x))

SPECIAL1_GRADIENT(i1, "SpecialI1Backward0", tg_bessel_i1(x), t_sub(t_i0(x), quotient(y, x)))
/* times e^-|x| */
SPECIAL1_GRADIENT(i0e, "SpecialI0EBackward0", tg_bessel_i0e(x), t_sub(special_i1e(x), t_mul(t_sgn(x), y)))
SPECIAL1_GRADIENT(i1e, "SpecialI1EBackward0", tg_bessel_i1e(x), i1e_derivative(x, y))

/* ---- i0, which torch has too, with an in-place form ---- */

TG_EACH1(i0_float32, float, float, tg_bessel_i0(x))
TG_EACH1(i0_float64, double, double, tg_bessel_i0(x))
static LoopTable i0_loops = {[t_float32] = i0_float32, [t_float64] = i0_float64};

static void i0_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0);
    if (x) dx[0] = t_mul(dy, special_i1(x));
}
static const Op i0_op = {"i0", "I0Backward0", i0_backward};

/* torch.i0(x), torch.special.i0(x): the modified Bessel function of the first kind of order 0. dx = dy i1(x). */
Tensor *t_i0(Tensor *x) {
    Tensor *y = tg_check_any(x, 1) ? tg_pointwise("i0_cpu", &x, 1, i0_loops, true, 0) : NULL;
    return tg_record(&i0_op, y, INPUTS(x), SAVED(x), NONE);
}

Tensor *t_i0_(Tensor *x) {
    return tg_inplace1(x, i0_loops, t_i0);
}
