/* core/kernels/special/normal.c: the scaled error function and the normal distribution's functions of special.h. */
#include <float.h>
#include <math.h>

#include "core/kernels/special/special.h"

/* e^(x^2) erfc(x); from 25 on, where that overflows, its asymptotic series (DLMF 7.12.1). */
double tg_erfcx(double x) {
    if (x < 25) return x < -27 ? INFINITY : exp(x * x) * erfc(x);
    double term = 1, sum = 1;
    for (int k = 1; k < 20; k++) sum += term *= -(2 * k - 1) / (2 * x * x);
    return sum / (x * sqrt(M_PI));
}

double tg_ndtr(double x) {
    return erfc(-x * M_SQRT1_2) / 2;
}

double tg_log_ndtr(double x) {
    if (x < -1) return isinf(x) ? x : log(tg_erfcx(-x * M_SQRT1_2) / 2) - x * x / 2;
    return log1p(-erfc(x * M_SQRT1_2) / 2);
}

/* Newton's method for log_ndtr(x) = log p, p <= 1/2. log_ndtr is concave and increasing, so that from the left of the
 * root no step passes it. */
static double lower_quantile(double p) {
    const double log_p = log(p);
    double x = -sqrt(-2 * log_p);
    for (int i = 0; i < 50; i++) {
        const double value = tg_log_ndtr(x), slope = exp(-x * x / 2 - value) / sqrt(2 * M_PI);
        const double step = (log_p - value) / slope;
        x += step;
        if (fabs(step) <= 4 * DBL_EPSILON * fabs(x)) break;
    }
    return x;
}

double tg_ndtri(double p) {
    if (!(p >= 0 && p <= 1)) return NAN;
    if (p == 0 || p == 1) return p ? INFINITY : -INFINITY;
    return p == 0.5 ? 0 : p < 0.5 ? lower_quantile(p) : -lower_quantile(1 - p);
}
