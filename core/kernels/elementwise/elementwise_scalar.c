/* core/kernels/elementwise/elementwise_scalar.c: plain loops over libm: the rare functions of elementwise_table.inc,
 * and those that are vectors in float32 only. float32 is computed in double and rounded once. */
#include <math.h>

#include "core/kernels/elementwise/elementwise_internal.h"

/* Python's a % b: the sign of b. */
static double python_remainder(double a, double b) {
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* Python's a // b: from the remainder, since a / b may round up to the next integer. */
static double python_floor_divide(double a, double b) {
    if (b == 0) return a / b;
    const double rest = fmod(a, b), quotient = (a - rest) / b - (rest != 0 && (rest < 0) != (b < 0));
    const double floored = floor(quotient);
    return quotient == 0 ? copysign(0, a / b) : quotient - floored > 0.5 ? floored + 1 : floored;
}

/* The inverse of erf. Up to 0.9966 an approximation of M. Giles (2010) with the accuracy of float32, above one of S.
 * Winitzki (2008) to 0.2 %; each step of Halley's method triples the digits. Near 1 the error is computed from erfc,
 * which has more digits there. */
static double inverse_erf(double x) {
    static const double c[] = {2.85375936e-08, 3.43723286e-07, -3.5288906e-06, -4.39674341e-06, 0.00021860229,
                               -0.00125370768, -0.00417770771, 0.246640727, 1.50140941};
    const double ax = fabs(x), w = -log1p(-ax * ax), b = 2 / (M_PI * 0.147) - w / 2;
    double y = c[0];
    if (!(ax < 1)) return ax == 1 ? copysign((double)INFINITY, x) : (double)NAN;
    for (int i = 1; i < 9; i++) y = y * (w - 2.5) + c[i];
    y = w < 5 ? y * ax : sqrt(sqrt(b * b + w / 0.147) - b);
    for (int step = w < 5 ? 2 : 0; step < 3; step++) {
        const double error = ax < 0.5 ? erf(y) - ax : (1 - ax) - erfc(y);
        const double newton = error / (1.1283791670955126 * exp(-y * y));
        y -= newton / (1 + y * newton);
    }
    return copysign(y, x);
}

/* ---- loops ---- */

#define UNARY_LOOP(name, T, scalar)                                                                           \
    void tg_##name(int64_t n, char *const *data, const int64_t *strides, const void *parameters) {            \
        (void)parameters;                                                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            const double x = *(const T *)(data[1] + i * strides[1]);                                          \
            *(T *)(data[0] + i * strides[0]) = (T)(scalar);                                                   \
        }                                                                                                     \
    }
#define BINARY_LOOP(name, T, scalar)                                                                             \
    void tg_##name(int64_t n, char *const *data, const int64_t *strides, const void *parameters) {               \
        (void)parameters;                                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                        \
            const double a = *(const T *)(data[1] + i * strides[1]), b = *(const T *)(data[2] + i * strides[2]); \
            *(T *)(data[0] + i * strides[0]) = (T)(scalar);                                                      \
        }                                                                                                        \
    }
#define UNARY_LIBM(name, formula, scalar)                                                                     \
    UNARY_LOOP(name##_float32_libm, float, scalar)                                                            \
    UNARY_LOOP(name##_float64, double, scalar)
#define UNARY_SCALAR(name, scalar)                                                                            \
    UNARY_LOOP(name##_float32, float, scalar)                                                                 \
    UNARY_LOOP(name##_float64, double, scalar)
#define BINARY_SCALAR(name, scalar)                                                                           \
    BINARY_LOOP(name##_float32, float, scalar)                                                                \
    BINARY_LOOP(name##_float64, double, scalar)
#include "core/kernels/elementwise/elementwise_table.inc"
