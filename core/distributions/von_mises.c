/* core/distributions/von_mises.c: VonMises(loc, concentration): an angle in radians, density proportional to
 * e^(concentration cos(x - loc)). */
#include "core/distributions/distribution_internal.h"

#define LOC(m) (m)->parameters[0]
#define CONCENTRATION(m) (m)->parameters[1]

/* ---- modified Bessel functions: polynomials of Abramowitz and Stegun 9.8.1 to 9.8.4 ---- */

enum { COEFFICIENTS = 9 };
static const double i0_small[COEFFICIENTS] = {1, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813};
static const double i0_large[COEFFICIENTS] = {0.39894228,  0.01328592, 0.00225319,  -0.00157565, 0.00916281,
                                              -0.02057706, 0.02635537, -0.01647633, 0.00392377};
static const double i1_small[COEFFICIENTS] = {0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532,
                                              0.00032411};
static const double i1_large[COEFFICIENTS] = {0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555,
                                              0.02282967, -0.02895312, 0.01787654,  -0.00420059};

/* Horner's rule, from the last coefficient that is not 0. */
static Tensor *polynomial(Tensor *y, const double *coefficients) {
    int last = COEFFICIENTS - 1;
    while (coefficients[last] == 0) last--;
    Tensor *sum = N(coefficients[last]);
    for (int i = last - 1; i >= 0; i--) sum = t_add(N(coefficients[i]), t_mul(y, sum));
    return sum;
}

/* log(I_order(x)) for x > 0 and the order 0 or 1 */
static Tensor *log_bessel(Tensor *x, int order) {
    Tensor *y = t_div(x, N(3.75)), *inverse = t_div(N(3.75), x);
    Tensor *small = polynomial(t_mul(y, y), order == 0 ? i0_small : i1_small);
    if (order == 1) small = t_mul(t_abs(x), small);
    Tensor *large = t_log(polynomial(inverse, order == 0 ? i0_large : i1_large));
    large = t_add(t_sub(x, t_mul(N(0.5), t_log(x))), large);
    return t_where(t_lt(x, N(3.75)), t_log(small), large);
}

/* ---- sampling ---- */

/* The proposal's parameter r of Best and Fisher, "Efficient simulation of the von Mises distribution", 1979; for small
 * concentrations the first terms of its series. */
static Tensor *proposal(Tensor *kappa) {
    Tensor *one = t_integer(1), *two = t_integer(2), *square = t_pow(kappa, two);
    Tensor *tau = t_add(one, t_sqrt(t_add(one, t_mul(t_integer(4), square))));
    Tensor *rho = t_div(t_sub(tau, t_sqrt(t_mul(two, tau))), t_mul(two, kappa));
    Tensor *r = t_div(t_add(one, t_pow(rho, two)), t_mul(two, rho));
    return t_where(t_lt(kappa, N(1e-5)), t_add(t_reciprocal(kappa), kappa), r);
}

/* One round of the rejection sampling for all elements: which are accepted, and their angles before loc is added. */
static Tensor *propose(const t_Tuple *shape, Tensor *kappa, Tensor *r, Tensor **angle) {
    t_Tuple three = {{3}, 1};
    if (!tg_concat(&three, shape, &three)) return NULL;
    Tensor *u = t_uniform_(tg_empty_tensor(&three, t_float64), 0, 1, NULL);
    Tensor *u1 = t_select(u, 0, 0), *u2 = t_select(u, 0, 1), *u3 = t_select(u, 0, 2), *one = t_integer(1);
    Tensor *z = t_cos(t_mul(N(M_PI), u1)), *f = t_div(t_add(one, t_mul(r, z)), t_add(r, z));
    Tensor *c = t_mul(kappa, t_sub(r, f)), *zero = t_integer(0);
    Tensor *quick = t_gt(t_sub(t_mul(c, t_sub(t_integer(2), c)), u2), zero);
    Tensor *slow = t_ge(t_sub(t_add(t_log(t_div(c, u2)), one), c), zero);
    *angle = t_mul(t_sign(t_sub(u3, N(0.5))), t_acos(f));
    return t_logical_or(quick, slow);
}

/* Always in float64. PyTorch does not return for a concentration that is not above 0 or so large that r is 1. Here
 * (validate_args off) the angle of a negative or NaN one is NaN, that of 0 is uniform, and that of a large one is loc,
 * from which it would differ by less than arccos resolves. */
static Tensor *von_mises_sample(Distribution *m, const t_Tuple *shape, int samples) {
    (void)samples;
    Tensor *kappa = t_to(CONCENTRATION(m), t_float64), *none = N(NAN), *zero = t_integer(0);
    Tensor *large = t_gt(kappa, N(1e15));
    kappa = t_where(t_ge(kappa, zero), t_maximum(kappa, N(1e-300)), none); /* whose 1/kappa is finite */
    Tensor *r = t_where(large, none, proposal(kappa)), *x = tg_expand_to(t_where(large, zero, none), shape);
    Tensor *done = t_isnan(tg_expand_to(r, shape));
    for (;;) {
        Tensor *all = t_all(done, NULL, 0, false), *angle = NULL;
        if (!all) return NULL;
        if (tg_read_int64(all)) break;
        Tensor *accept = propose(shape, kappa, r, &angle);
        x = t_where(accept, angle, x);
        done = t_logical_or(done, accept);
    }
    Tensor *circled = t_remainder(t_add(t_add(x, N(M_PI)), t_to(LOC(m), t_float64)), N(2 * M_PI));
    return t_to(t_sub(circled, N(M_PI)), LOC(m)->dtype);
}

/* ---- the rest ---- */

static Tensor *von_mises_log_prob(Distribution *m, Tensor *value) {
    Tensor *exponent = t_mul(CONCENTRATION(m), t_cos(t_sub(value, LOC(m))));
    return t_sub(t_sub(exponent, N(log(2 * M_PI))), log_bessel(CONCENTRATION(m), 0));
}

static Tensor *von_mises_loc(Distribution *m) {
    return LOC(m);
}

/* the circular variance: 1 - I_1 / I_0 */
static Tensor *von_mises_variance(Distribution *m) {
    Tensor *log_ratio = t_sub(log_bessel(CONCENTRATION(m), 1), log_bessel(CONCENTRATION(m), 0));
    return t_sub(t_integer(1), t_exp(log_ratio));
}

static const Family von_mises = {
    .name = "VonMises", .parameters = {{"loc", REAL}, {"concentration", POSITIVE}}, .support = REAL,
    .sample = von_mises_sample, .log_prob = von_mises_log_prob, .mean = von_mises_loc, .mode = von_mises_loc,
    .variance = von_mises_variance};

/* torch.distributions.VonMises(loc, concentration): loc and values are any real numbers, modulo 2 pi; the mean and the
 * variance are the circular ones. Errors: loc is NaN, concentration is not above 0. */
Distribution *distributions_VonMises_new(Tensor *loc, Tensor *concentration, int validate_args) {
    return tg_new_broadcast(&von_mises, (Tensor *[]){loc, concentration}, 2, validate_args);
}
