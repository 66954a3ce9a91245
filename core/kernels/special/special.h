/* core/kernels/special/special.h: special functions of one value in double precision: the gamma function and its
 * derivatives, the zeta function, the incomplete gamma function (special.c); Bessel functions (bessel.c); the normal
 * distribution (normal.c); orthogonal polynomials (polynomial.c). The float32 ops round their results.
 *
 * Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 6 and 23; the NIST Digital Library of
 * Mathematical Functions (DLMF), chapters 5, 7 to 10, 18 and 25. */
#ifndef TAPEGRAD_CORE_KERNELS_SPECIAL_SPECIAL_H
#define TAPEGRAD_CORE_KERNELS_SPECIAL_SPECIAL_H

#include <stdbool.h>
#include <stdint.h>

double tg_lgamma(double x);               /* log |gamma(x)|: lgamma without its global variable */
double tg_digamma(double x);              /* the derivative of lgamma; 0: -infinity, -1, -2, ...: NaN */
double tg_polygamma(int64_t n, double x); /* the n-th derivative of digamma, n >= 0 */
double tg_zeta(double s, double q);       /* Hurwitz's zeta function: the sum of (k + q)^-s over k = 0, 1, ... */
double tg_gammainc(double a, double x);   /* integral of t^(a-1) e^-t from 0 to x, divided by gamma(a) */
double tg_gammaincc(double a, double x);  /* 1 - gammainc(a, x) */

/* ---- Bessel functions and Airy's ---- */
double tg_bessel_j0(double x);
double tg_bessel_j1(double x);
double tg_bessel_y0(double x); /* 0: -infinity; negative: NaN */
double tg_bessel_y1(double x);
double tg_spherical_bessel_j0(double x); /* sin(x) / x */
double tg_bessel_i0(double x);
double tg_bessel_i1(double x);
double tg_bessel_i0e(double x); /* e^-|x| I0(x) */
double tg_bessel_i1e(double x);
double tg_bessel_k0(double x); /* 0: infinity; negative: NaN */
double tg_bessel_k1(double x);
double tg_scaled_bessel_k0(double x); /* e^x K0(x) */
double tg_scaled_bessel_k1(double x);
double tg_airy_ai(double x);

/* ---- the normal distribution ---- */
double tg_erfcx(double x);    /* e^(x^2) erfc(x) */
double tg_ndtr(double x);     /* the distribution function: the integral of the density up to x */
double tg_log_ndtr(double x); /* its logarithm, accurate where that is far below 0 */
double tg_ndtri(double p);    /* the quantile: the inverse of ndtr */

/* ---- orthogonal polynomials ---- */
typedef enum tg_Polynomial {
    tg_chebyshev_t, tg_chebyshev_u, tg_chebyshev_v, tg_chebyshev_w, tg_hermite_h, tg_hermite_he, tg_laguerre,
    tg_legendre
} tg_Polynomial;
/* The polynomial of the family of that degree, of which only the integral part counts; 0 for a negative one. */
double tg_polynomial(tg_Polynomial family, double x, double degree);

#endif
