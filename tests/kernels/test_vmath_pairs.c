/* tests/kernels/test_vmath_pairs.c: elementwise functions of two operands (core/kernels/elementwise/elementwise.h)
 * against libm; part of the suite vmath. */
#include <string.h>

#include "tests/kernels/test_vmath.h"

static double modulo(double a, double b) {
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
static double floor_divide(double a, double b) {
    if (b == 0) return a / b;
    const double rest = fmod(a, b), quotient = (a - rest) / b - (rest != 0 && (rest < 0) != (b < 0)),
                 lower = floor(quotient);
    return quotient == 0 ? copysign(0, a / b) : quotient - lower > 0.5 ? lower + 1 : lower;
}
typedef struct Pair {
    const char *name;
    Loop *of_float, *of_double;
    double (*value)(double a, double b);
    double ulps; /* of doubles; 0: the same bits */
} Pair;
#define PAIR(f, value, ulps) {#f, tg_##f##_float32, tg_##f##_float64, value, ulps}
static const Pair pairs[] = {PAIR(fmod, fmod, 0),     PAIR(remainder, modulo, 0), PAIR(floor_divide, floor_divide, 0),
                             PAIR(hypot, hypot, 1.5), PAIR(atan2, atan2, 3),      PAIR(pow, pow, 1)};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static void check_pair(const Pair *pair, double a, double b, double y) {
    const double should = pair->value(a, b);
    MUST(distance(y, should, 53, -1022) <= pair->ulps, "%s(%.17g, %.17g) = %.17g, not %.17g", pair->name, a, b, y,
         should);
    if (should == 0) MUST(signbit(y) == signbit(should), "%s(%.17g, %.17g) = %g", pair->name, a, b, y);
}

/* All pairs of edges; values of any size, and pairs of close values; small integers; and products of b, to which one
 * unit is added or not, where a rounded quotient is the next integer. */
START_TEST(pairs_are_as_good_as_they_say) {
    static double a[MANY], b[MANY], y[MANY];
    const Pair *pair = &pairs[_i];
    uint64_t bits = 88172645463325252;
    for (int i = 0; i < MANY; i++) {
        uint64_t draws[2];
        for (int k = 0; k < 2; k++) draws[k] = (bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17);
        memcpy(&a[i], &draws[0], 8), memcpy(&b[i], &draws[1], 8);
        if (i % 4) b[i] = (double)(int64_t)draws[1] * 0x1p-60;
        if (i % 4 == 1) a[i] = b[i] * (double)(draws[0] >> (12 + i % 50));
        if (i % 8 == 1) a[i] = nextafter(a[i], i % 16 == 1 ? INFINITY : -INFINITY);
        if (i % 4 == 2) a[i] = (double)(draws[0] % 41) - 20, b[i] = (double)(draws[1] % 11) - 5;
        if (i % 4 == 3) a[i] = (double)(int64_t)draws[0] * 0x1p-58;
        if (i < EDGES * EDGES) a[i] = edges[i / EDGES], b[i] = edges[i % EDGES];
    }
    pair->of_double(MANY, (char *[]){(char *)y, (char *)a, (char *)b}, (int64_t[]){8, 8, 8}, NULL);
    for (int i = 0; i < MANY; i++) check_pair(pair, a[i], b[i], y[i]);
    pair->of_double(5, (char *[]){(char *)y, (char *)(a + 4), (char *)(b + 2)}, (int64_t[]){24, -8, 0}, NULL);
    for (int i = 0; i < 5; i++) check_pair(pair, a[4 - i], b[2], y[3 * i]);
}
END_TEST

/* A rest of 0 has the sign of what was divided, also where divisor and rest could have others. */
START_TEST(no_rest_has_a_sign) {
    const float a[] = {-4, 4, -0.0f}, b[] = {2, -2, 2};
    const double da[] = {-4, 4, -0.0}, db[] = {2, -2, 2};
    float y[3];
    double dy[3];
    tg_remainder_float32(3, (char *[]){(char *)y, (char *)a, (char *)b}, (int64_t[]){4, 4, 4}, NULL);
    tg_remainder_float64(3, (char *[]){(char *)dy, (char *)da, (char *)db}, (int64_t[]){8, 8, 8}, NULL);
    for (int i = 0; i < 3; i++)
        MUST(y[i] == 0 && dy[i] == 0 && !signbit(y[i]) == (i == 1) && !signbit(dy[i]) == (i == 1), "%d", i);
}
END_TEST

/* The angles of the axes: pi / 2 and pi rounded once, whatever the signs of the zeros. */
START_TEST(angles_of_the_axes) {
    enum { AXES = 8 };
    static const double sides[AXES][2] = {{1, -0.0}, {-1, -0.0}, {5, -0.0},   {1, 0.0},
                                          {0.0, -1}, {-0.0, -1}, {0.0, -0.0}, {-0.0, -0.0}};
    for (int i = 0; i < AXES; i++) {
        const double *of = sides[i], zero = -0.0;
        float a = (float)of[0], b = (float)of[1], none = -0.0f, y, arc;
        double dy, darc;
        tg_atan2_float32(1, (char *[]){(char *)&y, (char *)&a, (char *)&b}, (int64_t[]){4, 4, 4}, NULL);
        tg_atan2_float64(1, (char *[]){(char *)&dy, (char *)&of[0], (char *)&of[1]}, (int64_t[]){8, 8, 8}, NULL);
        tg_acos_float32(1, (char *[]){(char *)&arc, (char *)&none}, (int64_t[]){4, 4}, NULL);
        tg_acos_float64(1, (char *[]){(char *)&darc, (char *)&zero}, (int64_t[]){8, 8}, NULL);
        MUST(dy == atan2(of[0], of[1]), "atan2(%g, %g) = %.17g", of[0], of[1], dy);
        MUST(y == (float)atan2(of[0], of[1]), "atan2f(%g, %g) = %.9g", of[0], of[1], (double)y);
        MUST(darc == acos(zero) && arc == (float)acos(zero), "acos(-0) = %.17g, acosf(-0) = %.9g", darc, (double)arc);
    }
}
END_TEST

static void powers(int64_t n, double *y, double *a, double *b) {
    tg_pow_float64(n, (char *[]){(char *)y, (char *)a, (char *)b}, (int64_t[]){8, 8, 8}, NULL);
}

/* A power that a double holds exactly is exact, also of a negative base. */
START_TEST(powers_of_integers_are_exact) {
    double a[41], b[41], y[41];
    for (int n = 0; n < 54; n++) {
        for (int i = 0; i < 41; i++) a[i] = i - 20, b[i] = n;
        powers(41, y, a, b);
        for (int i = 0; i < 41; i++) {
            double product = 1;
            for (int k = 0; k < n && fabs(product) < 0x1p53; k++) product *= a[i];
            if (fabs(product) < 0x1p53) MUST(y[i] == product, "%g^%d = %.17g, not %.17g", a[i], n, y[i], product);
        }
    }
}
END_TEST

/* Up to both ends of the range of a double, with bases near 1 too: within 1 unit of the last place of long doubles. */
START_TEST(powers_of_any_size) {
    static double a[MANY], b[MANY], y[MANY];
    uint64_t bits = 1442695040888963407;
    for (int i = 0; i < MANY; i++) {
        uint64_t draws[2];
        for (int k = 0; k < 2; k++) draws[k] = (bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17) >> 11;
        a[i] = i % 4 ? 0.5 + (double)draws[0] * 0x1.8p-53 : ldexp(1 + (double)draws[0] * 0x1p-53, i % 2044 - 1022);
        if (i % 4 == 1) a[i] = 1 + (a[i] - 1) * ldexp(1, -i % 50);
        b[i] = ((double)draws[1] * 0x1p-53 - 0.5) * 2200 / log2(a[i]);
    }
    powers(MANY, y, a, b);
    for (int i = 0; i < MANY; i++) {
        const long double should = powl(a[i], b[i]);
        MUST(distance(y[i], (double)should, 53, -1022) <= 1, "%.17g^%.17g = %.17g, not %.17g", a[i], b[i], y[i],
             (double)should);
    }
}
END_TEST

TCase *pair_tests(void) {
    TCase *two = tcase_create("binary");
    tcase_add_loop_test(two, pairs_are_as_good_as_they_say, 0, PAIRS);
    tcase_add_test(two, no_rest_has_a_sign);
    tcase_add_test(two, angles_of_the_axes);
    tcase_add_test(two, powers_of_integers_are_exact);
    tcase_add_test(two, powers_of_any_size);
    return two;
}
