/* core/kernels/special/special.h: special functions of one value in double precision: the gamma function and its
 * derivatives, the zeta function, the incomplete gamma function. The float32 ops round their results.
 *
 * Formulas: Abramowitz and Stegun, Handbook of Mathematical Functions, chapters 6 and 23; the NIST Digital Library of
 * Mathematical Functions, chapters 5, 8 and 25. */
#ifndef TAPEGRAD_CORE_KERNELS_SPECIAL_SPECIAL_H
#define TAPEGRAD_CORE_KERNELS_SPECIAL_SPECIAL_H

#include <stdint.h>

double tg_lgamma(double x);               /* log |gamma(x)|: lgamma without its global variable */
double tg_digamma(double x);              /* the derivative of lgamma; 0: -infinity, -1, -2, ...: NaN */
double tg_polygamma(int64_t n, double x); /* the n-th derivative of digamma, n >= 0 */
double tg_zeta(double s, double q);       /* Hurwitz's zeta function: the sum of (k + q)^-s over k = 0, 1, ... */
double tg_gammainc(double a, double x);   /* integral of t^(a-1) e^-t from 0 to x, divided by gamma(a) */
double tg_gammaincc(double a, double x);  /* 1 - gammainc(a, x) */

#endif
