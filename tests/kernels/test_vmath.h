/* tests/kernels/test_vmath.h: what test_vmath.c and test_vmath_pairs.c share. */
#ifndef TAPEGRAD_TESTS_KERNELS_TEST_VMATH_H
#define TAPEGRAD_TESTS_KERNELS_TEST_VMATH_H

#include <math.h>

#include "core/kernels/elementwise/elementwise.h"
#include "tests/support/support.h"

typedef void Loop(int64_t n, char *const *data, const int64_t *strides, const void *parameters);
enum { MANY = 1 << 14 };

TCase *pair_tests(void);

/* The distance of y from what it should be, in units of the last place of a number with so many digits, of which the
 * smallest normal one is 2^least. (The C library's own error is left out, at most 1 of doubles.) */
static inline double distance(double y, double should, int digits, int least) {
    int exponent;
    if (isnan(should)) return isnan(y) ? 0 : INFINITY;
    if (y == should || (digits == 24 && (float)y == (float)should)) return 0;
    frexp(should, &exponent);
    return fabs(y - should) / ldexp(1, (exponent <= least ? least + 1 : exponent) - digits);
}

static const double edges[] = {0.0,    -0.0,   INFINITY, -INFINITY, NAN,    1,    -1,    0.5,  -0.5, 0.625, -0.625,
                               1e-30,  -1e-30, 6,        20,        -20,    21,   87.4,  88.7, 88.8, -87.5, -103.9,
                               -104.1, 709.7,  709.8,    -745.1,    -745.2, 1e30, -1e30, 3e38, -3e38};
enum { EDGES = sizeof edges / sizeof *edges };

/* An assertion for millions: Check's own notes each in a file, also those that hold. */
#define MUST(condition, ...) do { if (!(condition)) ck_abort_msg(__VA_ARGS__); } while (0)

#endif
