/* core/kernels/special/bessel.c: the Bessel functions and Airy's function of special.h.
 *
 * Formulas: DLMF chapter 10, and chapter 9 for Ai. */
#define _XOPEN_SOURCE 700 /* j0, j1, y0, y1 */
#include <float.h>
#include <math.h>

#include "core/kernels/special/special.h"

static const double euler = 0.57721566490153286061;

/* ---- J and Y: those of libm ---- */

double tg_bessel_j0(double x) {
    return isinf(x) ? NAN : j0(x);
}

double tg_bessel_j1(double x) {
    return isinf(x) ? NAN : j1(x);
}

double tg_bessel_y0(double x) {
    return x > 0 && !isinf(x) ? y0(x) : x == 0 ? -INFINITY : NAN;
}

double tg_bessel_y1(double x) {
    return x > 0 && !isinf(x) ? y1(x) : x == 0 ? -INFINITY : NAN;
}

/* sin(x) / x; the first terms of its series near 0 */
double tg_spherical_bessel_j0(double x) {
    if (isinf(x)) return 0;
    return fabs(x) < 1e-4 ? 1 - x * x / 6 : sin(x) / x;
}

/* ---- I, times e^-|x| ---- */

/* I of order v = 0 or 1 at x >= 0, times e^-x: the series 10.25.2 up to x = 30, from there 10.40.1. */
static double scaled_i(int v, double x) {
    double term = 1, sum = 1;
    if (x < 30) {
        for (int k = 1; term > sum * DBL_EPSILON / 4; k++) sum += term *= x * x / 4 / (k * (k + v));
        return sum * exp(-x) * (v ? x / 2 : 1);
    }
    for (int k = 1; fabs(term) > fabs(sum) * DBL_EPSILON / 4; k++) {
        const double odd = 2 * k - 1;
        sum += term *= -(4 * v - odd * odd) / (8 * k * x);
    }
    return sum / sqrt(2 * M_PI * x);
}

double tg_bessel_i0e(double x) {
    return isnan(x) ? x : scaled_i(0, fabs(x));
}

double tg_bessel_i1e(double x) {
    return isnan(x) ? x : copysign(scaled_i(1, fabs(x)), x);
}

double tg_bessel_i0(double x) {
    return exp(fabs(x)) * tg_bessel_i0e(x);
}

double tg_bessel_i1(double x) {
    return exp(fabs(x)) * tg_bessel_i1e(x);
}

/* ---- K, times e^x ---- */

/* The integral of e^(-x (cosh t - 1)) cosh(v t) over t > 0 (10.32.9) by the trapezoidal rule, which converges faster
 * than any power of the step for such an integrand. It is below the rounding where the exponent reaches 40. */
static double scaled_k_integral(double v, double x) {
    enum { NODES = 50 };
    const double last = 2 * asinh(sqrt(20 / x)), step = last / NODES; /* cosh(last) - 1 = 40 / x */
    double sum = 0.5;
    for (int i = 1; i <= NODES; i++) {
        const double half = sinh(i * step / 2); /* cosh t - 1 = 2 sinh^2(t / 2) */
        sum += exp(-2 * x * half * half) * cosh(v * i * step);
    }
    return sum * step;
}

/* K of order v = 0 or 1 for 0 < x <= 2 (10.31.1). The digamma function of k + 1 is the k-th harmonic number - euler. */
static double k_series(int v, double x) {
    const double z = x * x / 4, power = v ? -x / 2 : 1;
    double term = 1, harmonic = 0, i = 0, sum = 0;
    for (int k = 0; k == 0 || term * (1 + harmonic) > DBL_EPSILON / 8; term *= z / ((k + 1.0) * (k + 1.0 + v)), k++) {
        if (k) harmonic += 1.0 / k;
        i += term;
        sum += term * (harmonic + v / (2 * (k + 1.0)));
    }
    return (v ? 1 / x : 0) + power * (sum - (log(x / 2) + euler) * i);
}

/* K of order v = 0 or 1 */
static double bessel_k(int v, double x, bool scaled) {
    if (isnan(x) || x < 0) return NAN;
    if (x == 0) return INFINITY;
    if (isinf(x)) return 0;
    if (x <= 2) return k_series(v, x) * (scaled ? exp(x) : 1);
    return scaled_k_integral(v, x) * (scaled ? 1 : exp(-x));
}

double tg_bessel_k0(double x) {
    return bessel_k(0, x, false);
}

double tg_bessel_k1(double x) {
    return bessel_k(1, x, false);
}

double tg_scaled_bessel_k0(double x) {
    return bessel_k(0, x, true);
}

double tg_scaled_bessel_k1(double x) {
    return bessel_k(1, x, true);
}

/* ---- Ai ---- */

/* y(x + h) and y'(x + h) from those at x, by the Taylor series of a solution of y'' = x y, whose coefficients follow
 * from (n + 2) (n + 1) c_(n+2) = x c_n + c_(n-1). */
static void airy_step(double x, double h, double y[2]) {
    double before = 0, c = y[0], next = y[1], power = 1, value = 0, slope = 0;
    for (int n = 0; n < 60; n++) {
        const double after = (x * c + before) / ((n + 1.0) * (n + 2.0));
        value += c * power;
        slope += (n + 1) * next * power;
        before = c;
        c = next;
        next = after;
        power *= h;
    }
    y[0] = value;
    y[1] = slope;
}

/* 9.7.9, x < 0 */
static double airy_asymptotic(double x) {
    const double zeta = 2.0 / 3 * pow(-x, 1.5);
    double term = 1, even = 0, odd = 0;
    for (int k = 0; k < 30 && fabs(term) > DBL_EPSILON / 8; k++) {
        const double signed_term = k / 2 % 2 ? -term : term;
        if (k % 2)
            odd += signed_term;
        else
            even += signed_term;
        term *= (6 * k + 1) * (6 * k + 5) / (72.0 * (k + 1) * zeta);
    }
    return (cos(zeta - M_PI / 4) * even + sin(zeta - M_PI / 4) * odd) / (sqrt(M_PI) * pow(-x, 0.25));
}

/* Steps of at most 1 from 0 for -10 <= x <= 1; above by the Bessel function K of order 1/3 (9.6.2), which is 0 from
 * x = 110 on. */
double tg_airy_ai(double x) {
    if (!isfinite(x)) return NAN;
    if (x > 110) return 0;
    if (x < -10) return airy_asymptotic(x);
    if (x > 1) {
        const double zeta = 2.0 / 3 * x * sqrt(x);
        return sqrt(x / 3) / M_PI * scaled_k_integral(1.0 / 3, zeta) * exp(-zeta);
    }
    double y[] = {0.35502805388781723926, -0.25881940379280679841}; /* Ai(0), Ai'(0) */
    const int steps = x < 0 ? (int)ceil(-x) : 1;
    for (int i = 0; i < steps; i++) airy_step(i * x / steps, x / steps, y);
    return y[0];
}
