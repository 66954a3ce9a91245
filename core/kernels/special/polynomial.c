/* core/kernels/special/polynomial.c: the orthogonal polynomials of special.h, by their recurrences (DLMF 18.9). */
#include <math.h>

#include "core/kernels/special/special.h"

/* Chebyshev's polynomials for |x| <= 1 by their definitions (DLMF 18.5.1), for degrees where that is faster; with the
 * limits at -1 and 1. */
static double chebyshev_by_angle(tg_Polynomial family, double x, int64_t n) {
    const double degree = (double)n, angle = acos(x), sign = n % 2 ? -1 : 1;
    switch (family) {
    case tg_chebyshev_t: return fabs(x) == 1 ? (x > 0 ? 1 : sign) : cos(degree * angle);
    case tg_chebyshev_u:
        return fabs(x) == 1 ? (x > 0 ? 1 : sign) * (degree + 1) : sin((degree + 1) * angle) / sin(angle);
    case tg_chebyshev_v:
        return fabs(x) == 1 ? (x > 0 ? 1 : sign * (2 * degree + 1)) : cos((degree + 0.5) * angle) / cos(angle / 2);
    default: return fabs(x) == 1 ? (x > 0 ? 2 * degree + 1 : sign) : sin((degree + 0.5) * angle) / sin(angle / 2);
    }
}

/* The polynomial of degree 1 */
static double first(tg_Polynomial family, double x) {
    switch (family) {
    case tg_chebyshev_u:
    case tg_hermite_h: return 2 * x;
    case tg_chebyshev_v: return 2 * x - 1;
    case tg_chebyshev_w: return 2 * x + 1;
    case tg_laguerre: return 1 - x;
    default: return x;
    }
}

/* The polynomial of degree k + 1, from p of degree k and `before` of degree k - 1 */
static double next(tg_Polynomial family, double x, double k, double p, double before) {
    switch (family) {
    case tg_hermite_h: return 2 * x * p - 2 * k * before;
    case tg_hermite_he: return x * p - k * before;
    case tg_laguerre: return ((2 * k + 1 - x) * p - k * before) / (k + 1);
    case tg_legendre: return ((2 * k + 1) * x * p - k * before) / (k + 1);
    default: return 2 * x * p - before;
    }
}

double tg_polynomial(tg_Polynomial family, double x, double degree) {
    if (isnan(degree)) return NAN;
    const int64_t n = degree > 1e18 ? (int64_t)1e18 : degree < 0 ? -(degree <= -1) : (int64_t)degree;
    if (n < 0) return 0;
    if (family <= tg_chebyshev_w && n > 100 && fabs(x) <= 1) return chebyshev_by_angle(family, x, n);
    if (n == 0) return 1;
    double before = 1, p = first(family, x);
    for (int64_t k = 1; k < n && !isnan(p); k++) {
        const double after = next(family, x, (double)k, p, before);
        before = p;
        p = after;
    }
    return p;
}
