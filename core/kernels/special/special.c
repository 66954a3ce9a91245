/* core/kernels/special/special.c: the special functions of special.h. */
#include "core/kernels/special/special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

double tg_lgamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

/* ---- digamma, polygamma, zeta ---- */

/* psi(1 - x) - psi(x) = pi cot(pi x) for x < 0; psi(x + 1) = psi(x) + 1 / x up to x = 10; then the asymptotic series
 * log x - 1 / (2x) - sum B_2k / (2k x^2k) (Abramowitz and Stegun 6.3.7, 6.3.5, 6.3.18). */
double tg_digamma(double x) {
    static const double terms[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};
    if (x == 0) return copysign(INFINITY, -x);
    if (x < 0) {
        if (x == trunc(x)) return NAN;
        double whole;
        return tg_digamma(1 - x) - M_PI / tan(M_PI * modf(x, &whole));
    }
    double below = 0;
    for (; x < 10; x++) below -= 1 / x;
    const double square = 1 / (x * x);
    double series = 0;
    for (int k = 6; k >= 0; k--) series = (series + terms[k]) * square;
    return isinf(x) ? x : log(x) - 0.5 / x - series + below;
}

/* psi'(x) by 6.4.7, 6.4.6 and 6.4.12, with six steps and three terms of the series as PyTorch: within 2e-9. */
static double trigamma(double x) {
    double sign = 1, sum = 0;
    if (x < 0.5) {
        const double sine = sin(M_PI * x);
        sign = -1;
        sum -= M_PI * M_PI / (sine * sine);
        x = 1 - x;
    }
    for (int i = 0; i < 6; i++, x++) sum += 1 / (x * x);
    const double square = 1 / (x * x);
    sum += (1 + 1 / (2 * x) + square * (1.0 / 6 - square * (1.0 / 30 - square * (1.0 / 42)))) / x;
    return sign * sum;
}

/* (-1)^(n + 1) n! zeta(n + 1, x), 6.4.10 */
double tg_polygamma(int64_t n, double x) {
    if (n == 0) return tg_digamma(x);
    if (n == 1) return trigamma(x);
    return (n % 2 ? 1 : -1) * exp(tg_lgamma((double)n + 1)) * tg_zeta((double)n + 1, x);
}

/* The Euler-Maclaurin formula: the first terms until k + q >= 10, then the integral of the rest, half a term, and
 * corrections with the Bernoulli numbers, B_2j / (2j)! times the derivatives. */
double tg_zeta(double s, double q) {
    static const double bernoulli[] = {1.0 / 12,          -1.0 / 720,         1.0 / 30240,
                                       -1.0 / 1209600,    1.0 / 47900160,     -691.0 / 1307674368000.0,
                                       1.0 / 74724249600, -3617.0 / 10670622842880000.0};
    if (s == 1) return INFINITY;
    if (s < 1) return NAN;
    if (q <= 0 && q == floor(q)) return INFINITY;
    if (isnan(s) || isnan(q) || (q <= 0 && s != floor(s))) return NAN;
    double sum = 0;
    for (; q < 10; q++) sum += pow(q, -s);
    const double term = pow(q, -s);
    double factor = s * term / q;
    sum += term * q / (s - 1) + term / 2;
    for (int j = 0; j < 8; j++) {
        sum += bernoulli[j] * factor;
        factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (q * q);
    }
    return sum;
}

/* ---- the incomplete gamma function ---- */

/* x^a e^-x / gamma(a + 1) */
static double prefactor(double a, double x) {
    return exp(a * log(x) - x - tg_lgamma(a + 1));
}

/* P(a, x) = prefactor (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...) (DLMF 8.7.1) */
static double lower_series(double a, double x) {
    double term = 1, sum = 1;
    for (int n = 1; n < 10000 && fabs(term) > fabs(sum) * DBL_EPSILON / 4; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return prefactor(a, x) * sum;
}

/* Q(a, x) as a continued fraction (DLMF 8.9.2), evaluated from the front by Lentz's method. */
static double upper_fraction(double a, double x) {
    const double tiny = 1e-300;
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, fraction = d;
    for (int n = 1; n < 10000; n++) {
        const double an = -n * (n - a);
        b += 2;
        d = an * d + b;
        c = b + an / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        if (fabs(c) < tiny) c = tiny;
        const double factor = c * d;
        fraction *= factor;
        if (fabs(factor - 1) <= DBL_EPSILON) break;
    }
    return prefactor(a, x) * a * fraction;
}

/* P if `lower`, else Q. */
static double incomplete_gamma(double a, double x, bool lower) {
    if (isnan(a) || isnan(x) || x < 0 || a < 0) return NAN;
    if (a == 0) return x > 0 ? lower : NAN;
    if (x == 0) return !lower;
    if (isinf(a)) return isinf(x) ? NAN : !lower;
    if (isinf(x)) return lower;
    if (x < a + 1) return lower ? lower_series(a, x) : 1 - lower_series(a, x);
    return lower ? 1 - upper_fraction(a, x) : upper_fraction(a, x);
}

double tg_gammainc(double a, double x) {
    return incomplete_gamma(a, x, true);
}

double tg_gammaincc(double a, double x) {
    return incomplete_gamma(a, x, false);
}
