/* core/special/normal.c: the normal distribution's functions, erfcx, entr, xlog1py and zeta. Shapes: any, kept, or
 * broadcast; integers and bools are converted to float32; computed in double precision, float32 is rounded once. */
#include "core/special/special_internal.h"

/* torch.special.erfcx(x): e^(x^2) erfc(x). dx = dy (2 x y - 2 / sqrt(pi)). */
SPECIAL1_GRADIENT(erfcx, "SpecialErfcxBackward0", tg_erfcx(x), t_sub(t_mul(t_mul(x, y), N(2)), N(M_2_SQRTPI)))

/* The density of the normal distribution */
static Tensor *density(Tensor *x) {
    return t_mul(t_exp(t_mul(t_mul(x, x), N(-0.5))), N(M_2_SQRTPI * M_SQRT1_2 / 2));
}

/* torch.special.ndtr(x): the integral of the normal density up to x; unlike PyTorch's 1 + erf it keeps its accuracy
 * far below 0. dx = dy density(x). */
SPECIAL1_GRADIENT_OF_X(ndtr, "MulBackward1", tg_ndtr(x), density(x))

/* torch.special.log_ndtr(x): log(ndtr(x)). dx = dy density(x) / ndtr(x) = dy sqrt(2 / pi) / erfcx(-x / sqrt(2)). */
SPECIAL1_GRADIENT_OF_X(log_ndtr, "SpecialLogNdtrBackward0", tg_log_ndtr(x),
                       t_div(N(M_2_SQRTPI *M_SQRT1_2), special_erfcx(t_mul(x, N(-M_SQRT1_2)))))

/* torch.special.ndtri(p): the x with ndtr(x) = p; infinite at 0 and 1, NaN outside. dp = dy / density(y). */
SPECIAL1_GRADIENT_OF_Y(ndtri, "SpecialNdtriBackward0", tg_ndtri(x), t_reciprocal(density(y)))

/* torch.special.entr(x): -x log x, 0 at 0, -infinity below. dx = dy (-log(x) - 1). */
static double entropy(double x) {
    return isnan(x) ? x : x > 0 ? -x * log(x) : x == 0 ? 0 : -INFINITY;
}
SPECIAL1_GRADIENT_OF_X(entr, "SpecialEntrBackward0", entropy(x), t_neg(t_add(t_log(x), N(1))))

/* ---- two tensors ---- */

static double xlog1py(double a, double b) {
    return isnan(b) ? b : a == 0 ? 0 : a * log1p(b);
}
SPECIAL_LOOPS(xlog1py, TG_EACH2, xlog1py(a, b))

static void xlog1py_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *zero = t_number(0);
    if (!a || !b) return;
    if (tg_needs(r, 0)) {
        Tensor *no_gradient = t_logical_and(t_eq(a, zero), t_le(b, N(-1)));
        dx[0] = t_where(no_gradient, zero, special_xlog1py(dy, b));
    }
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, t_div(a, t_add(b, N(1))));
}
static const Op xlog1py_op = {"special_xlog1py", "SpecialXlog1PyBackward0", xlog1py_backward};
static const Op number_xlog1py_op = {"special_xlog1py", "SpecialXlog1PyBackward1", xlog1py_backward};
static const Op xlog1py_number_op = {"special_xlog1py", "SpecialXlog1PyBackward2", xlog1py_backward};

/* torch.special.xlog1py(a, b): y = a log(1 + b), 0 where a = 0 and b is not NaN. da = dy log(1 + b), 0 where a = 0 and
 * b <= -1; db = dy a / (1 + b). */
Tensor *special_xlog1py(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("xlog1py_cpu", x, other, xlog1py_loops, true, 0);
    if (!y) return NULL;
    const Op *op = x->wrapped_number ? &number_xlog1py_op : other->wrapped_number ? &xlog1py_number_op : &xlog1py_op;
    return tg_record(op, y, INPUTS(x, other), SAVED(x, other), NONE);
}

SPECIAL_LOOPS(zeta, TG_EACH2, tg_zeta(a, b))

static void zeta_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    if (tg_needs(r, 0))
        tg_fail("the derivative for 'zeta' is not implemented.");
    else if (a && b)
        dx[1] = t_mul(dy, t_mul(t_neg(a), special_zeta(t_add(a, N(1)), b)));
}
static const Op zeta_op = {"special_zeta", "SpecialZetaBackward0", zeta_backward};
static const Op number_zeta_op = {"special_zeta", "SpecialZetaBackward1", zeta_backward};
static const Op zeta_number_op = {"special_zeta", "SpecialZetaBackward2", zeta_backward};

/* torch.special.zeta(s, q): Hurwitz's zeta function, the sum of (k + q)^-s over k = 0, 1, ... dq = -dy s zeta(s + 1,
 * q); ds has no derivative. */
Tensor *special_zeta(Tensor *x, Tensor *other) {
    Tensor *y = tg_pointwise2("zeta_cpu", x, other, zeta_loops, true, 0);
    if (!y) return NULL;
    const Op *op = x->wrapped_number ? &number_zeta_op : other->wrapped_number ? &zeta_number_op : &zeta_op;
    return tg_record(op, y, INPUTS(x, other), SAVED(x, other), NONE);
}
