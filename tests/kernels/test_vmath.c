/* tests/kernels/test_vmath.c: the elementwise functions (core/kernels/elementwise/elementwise.h) against libm, under
 * the instruction set that runs (TAPEGRAD_ISA changes it): errors in units of the last place, special values, tails,
 * strides. */
#include <math.h>
#include <string.h>

#include "tests/kernels/test_vmath.h"

/* ---- what they should be ---- */

static double sigmoid(double x) {
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}
static double normal(double x) {
    return 0.5 * erfc(-x * 0.70710678118654752440);
}
static double gelu(double x) {
    return x * normal(x);
}
static double gelu_derivative(double x) {
    return normal(x) + x * 0.39894228040143267794 * exp(-0.5 * x * x);
}
static double tanh_in_gelu(double x) {
    return tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x));
}
static double gelu_tanh(double x) {
    return 0.5 * x * (1 + tanh_in_gelu(x));
}
static double gelu_tanh_derivative(double x) {
    double t = tanh_in_gelu(x);
    return 0.5 * (1 + t + x * (1 - t * t) * 0.79788456080286535588 * (1 + 3 * 0.044715 * x * x));
}
static double silu(double x) {
    return x * sigmoid(x);
}
static double silu_derivative(double x) {
    return sigmoid(x) * (1 + x * sigmoid(-x));
}
static const tg_Parameters parameters = {1.5, 30, 0.5};
static double softplus(double x) {
    return x * 1.5 > 30 ? x : log1p(exp(x * 1.5)) / 1.5;
}
static double softplus_derivative(double x) {
    return x * 1.5 > 30 ? 1 : sigmoid(x * 1.5);
}
static double mish(double x) {
    return x * tanh(log1p(exp(x)));
}
static double mish_derivative(double x) {
    double t = tanh(log1p(exp(x)));
    return t + x * sigmoid(x) * (1 - t * t);
}
static double log_sigmoid(double x) {
    return fmin(x, 0) - log1p(exp(-fabs(x)));
}
static double log_sigmoid_derivative(double x) {
    return sigmoid(-x);
}
static double elu(double x) {
    return x <= 0 ? 1.5 * expm1(x * 0.5) : 30 * x;
}
static double elu_derivative(double x) {
    return x <= 0 ? 1.5 * 0.5 * exp(x * 0.5) : 30;
}
static double relu(double x) {
    return x < 0 ? 0 : x;
}
static double leaky_relu(double x) {
    return x > 0 ? x : x * 1.5;
}
static double hardtanh(double x) {
    return x < 1.5 ? 1.5 : x > 30 ? 30 : x;
}
static double up_to_6(double x) {
    return x < 0 ? 0 : x > 6 ? 6 : x;
}
static double hardsigmoid(double x) {
    return up_to_6(x + 3) / 6;
}
static double hardswish(double x) {
    return x * up_to_6(x + 3) / 6;
}
static double softshrink(double x) {
    return x > 1.5 ? x - 1.5 : x < -1.5 ? x + 1.5 : x * 0;
}
static double hardshrink(double x) {
    return x >= -1.5 && x <= 1.5 ? 0 : x;
}
static double threshold(double x) {
    return x <= 1.5 ? 30 : x;
}
static double sign(double x) {
    return (x > 0) - (x < 0);
}
static double rsqrt(double x) {
    return 1 / sqrt(x);
}
static double relu_derivative(double y) {
    return y <= 0 ? 0 : 1;
}
static double abs_derivative(double x) {
    return sign(x);
}
static double leaky_relu_derivative(double x) {
    return x > 0 ? 1 : 1.5;
}
static double hardtanh_derivative(double x) {
    return x <= 1.5 || x >= 30 ? 0 : 1;
}
static double hardsigmoid_derivative(double x) {
    return x > -3 && x < 3 ? (double)(1.0f / 6) : 0; /* PyTorch's sixth */
}
static double hardswish_derivative(double x) {
    return x <= -3 ? 0 : x < 3 ? x / 3 + 0.5 : 1;
}
static double hardshrink_derivative(double x) {
    return x >= -1.5 && x <= 1.5 ? 0 : 1;
}
static double threshold_derivative(double x) {
    return x <= 1.5 ? 0 : 1;
}
static double tanh_derivative(double y) {
    return 1 - y * y;
}
static double sigmoid_derivative(double y) {
    return y * (1 - y);
}

static double reciprocal(double x) {
    return 1 / x;
}
static double negative(double x) {
    return -x;
}
static double square(double x) {
    return x * x;
}
static double frac(double x) {
    return x - trunc(x);
}
static double rad2deg(double x) {
    return x * 57.295779513082323;
}
static double sinc(double x) {
    return x == 0 ? 1 : sin(3.14159265358979323846 * x) / (3.14159265358979323846 * x);
}

typedef struct Row {
    const char *name;
    Loop *of_float, *of_double;
    double (*value)(double x);
    double ulps; /* 0: within some roundings of 1, x and y, for |x| up to 60, and the edges may differ */
    bool gradient;
} Row;
#define VALUE_AS(f, value, ulps) {#f, tg_##f##_float32, tg_##f##_float64, value, ulps, false}
#define VALUE(f, ulps) VALUE_AS(f, f, ulps)
#define EXACT 0.51
#define DERIVATIVE(f) {#f "_gradient", tg_##f##_gradient_float32, tg_##f##_gradient_float64, f##_derivative, 0, true}
static const Row rows[] = {
    VALUE(exp, 1.1),
    VALUE(expm1, 1.85),
    VALUE(log, 0.9),
    VALUE(log1p, 0.9),
    VALUE(tanh, 1.4),
    VALUE(sigmoid, 1.9),
    VALUE(erf, 1.6),
    VALUE(gelu, 0),
    VALUE(gelu_tanh, 0),
    VALUE(silu, 0),
    VALUE(mish, 0),
    VALUE(softplus, 0),
    VALUE(log_sigmoid, 0),
    VALUE(elu, 0),
    VALUE(exp2, 1.2),
    VALUE(sqrt, EXACT),
    VALUE(rsqrt, 1.6),
    VALUE(floor, EXACT),
    VALUE(ceil, EXACT),
    VALUE(trunc, EXACT),
    VALUE_AS(round, rint, EXACT),
    VALUE_AS(abs, fabs, EXACT),
    VALUE(sign, EXACT),
    VALUE(relu, EXACT),
    VALUE(leaky_relu, EXACT),
    VALUE(hardtanh, EXACT),
    VALUE(hardsigmoid, 0),
    VALUE(hardswish, 0),
    VALUE(softshrink, EXACT),
    VALUE(hardshrink, EXACT),
    VALUE(threshold, EXACT),
    VALUE(log2, 1.3),
    VALUE(log10, 1.6),
    VALUE(sin, 1.6),
    VALUE(cos, 1.6),
    VALUE(tan, 2.6),
    VALUE(asin, 2.5),
    VALUE(acos, 2.5),
    VALUE(atan, 2),
    VALUE(sinh, 3.1),
    VALUE(cosh, 3.1),
    VALUE(asinh, 3),
    VALUE(acosh, 3),
    VALUE(atanh, 3),
    VALUE(erfc, 6),
    VALUE(reciprocal, EXACT),
    VALUE_AS(neg, negative, EXACT),
    VALUE(square, EXACT),
    VALUE(frac, EXACT),
    VALUE(rad2deg, 1),
    VALUE(sinc, 0),
    DERIVATIVE(relu),
    DERIVATIVE(abs),
    DERIVATIVE(leaky_relu),
    DERIVATIVE(hardtanh),
    DERIVATIVE(hardsigmoid),
    DERIVATIVE(hardswish),
    DERIVATIVE(hardshrink),
    DERIVATIVE(threshold),
    DERIVATIVE(tanh),
    DERIVATIVE(sigmoid),
    DERIVATIVE(gelu),
    DERIVATIVE(gelu_tanh),
    DERIVATIVE(silu),
    DERIVATIVE(mish),
    DERIVATIVE(softplus),
    DERIVATIVE(log_sigmoid),
    DERIVATIVE(elu),
};
enum { ROWS = sizeof rows / sizeof *rows };

/* ---- values ---- */

static void check_value(const Row *row, double x, double y, int digits, int least) {
    const double unit = ldexp(1, -digits), should = row->value(x);
    if (row->ulps == 0 && !(fabs(x) <= 60)) return;
    if (row->ulps == 0)
        MUST(fabs(y - should) <= 4 * unit * (1 + fabs(should) + (fabs(x) < 40 ? fabs(x) : 0)),
             "%s(%.17g) = %.17g, not %.17g", row->name, x, y, should);
    else
        MUST(distance(y, should, digits, least) <= row->ulps + (digits == 53), "%s(%.17g) = %.17g, not %.17g",
             row->name, x, y, should);
    if (x == 0 && should == 0 && row->ulps) MUST(signbit(y) == signbit(should), "%s(%g) = %g", row->name, x, y);
}

/* A spread over all bit patterns: each sign, exponent and NaN comes by; and the moderate numbers more densely. */
START_TEST(each_is_as_good_as_it_says) {
    static float x[MANY], y[MANY], one[MANY];
    static double dx[MANY], dy[MANY], done[MANY];
    const Row *row = &rows[_i];
    for (int i = 0; i < MANY; i++) {
        uint32_t bits = (uint32_t)i * 262147u;
        uint64_t long_bits = (uint64_t)i * 1125899906842679u;
        memcpy(&x[i], &bits, sizeof bits);
        memcpy(&dx[i], &long_bits, sizeof long_bits);
        if (i % 2) dx[i] = (i - MANY / 2) * (60.1 / (MANY / 2)), x[i] = (float)dx[i];
        if (i < EDGES) x[i] = (float)(dx[i] = edges[i]);
        one[i] = 1, done[i] = 1;
    }
    const int64_t steps[] = {4, 4, 4}, long_steps[] = {8, 8, 8};
    row->of_float(MANY, (char *[]){(char *)y, (char *)(row->gradient ? one : x), (char *)x}, steps, &parameters);
    row->of_double(MANY, (char *[]){(char *)dy, (char *)(row->gradient ? done : dx), (char *)dx}, long_steps,
                   &parameters);
    for (int i = 0; i < MANY; i++) {
        check_value(row, x[i], y[i], 24, -126);
        check_value(row, dx[i], dy[i], 53, -1022);
    }
}
END_TEST

/* Where the sine or the cosine all but vanishes: the doubles next to n pi / 2. */
START_TEST(angles_near_multiples_of_pi_over_2) {
    static double x[MANY], y[MANY];
    static const struct {
        Loop *loop;
        double (*value)(double);
    } of[] = {{tg_sin_float64, sin}, {tg_cos_float64, cos}, {tg_tan_float64, tan}};
    for (int i = 0; i < MANY; i++) {
        const double quarters = floor(exp2(i % (MANY / 2) * (30.0 / (MANY / 2))));
        x[i] = nextafter((i < MANY / 2 ? 1 : -1) * quarters * 1.5707963267948966, i % 3 ? 0 : INFINITY);
    }
    of[_i].loop(MANY, (char *[]){(char *)y, (char *)x}, (int64_t[]){8, 8}, NULL);
    for (int i = 0; i < MANY; i++) {
        const double should = of[_i].value(x[i]);
        MUST(distance(y[i], should, 53, -1022) <= 3.5, "%d: %.17g gives %.17g, not %.17g", _i, x[i], y[i], should);
    }
}
END_TEST

/* erfc of doubles to the end of its tail, where they lose digits: in 2 units of the last place of long doubles. */
START_TEST(tail_of_erfc) {
    static double x[MANY], y[MANY];
    for (int i = 0; i < MANY; i++) x[i] = i * (34.0 / MANY) - 6.5;
    x[0] = 0, x[1] = -0.0, x[2] = INFINITY, x[3] = -INFINITY, x[4] = 1e-300;
    tg_erfc_float64(MANY, (char *[]){(char *)y, (char *)x}, (int64_t[]){8, 8}, NULL);
    for (int i = 0; i < MANY; i++) {
        const double should = (double)erfcl(x[i]);
        MUST(distance(y[i], should, 53, -1022) <= (i < 5 ? 0 : 2), "erfc(%.17g) = %.17g, not %.17g", x[i], y[i],
             should);
    }
}
END_TEST

/* ---- the same bits at any index ---- */

/* Runs `row` over n numbers of `size` bytes of x (and g), `apart` numbers apart in the given operands. */
static void run(const Row *row, int64_t n, size_t size, char *out, int64_t step, char *g, int64_t g_step, char *x,
                int64_t x_step) {
    Loop *loop = size == 4 ? row->of_float : row->of_double;
    int64_t each = (int64_t)size;
    if (row->gradient)
        loop(n, (char *[]){out, g, x}, (int64_t[]){step * each, g_step * each, x_step * each}, &parameters);
    else loop(n, (char *[]){out, x}, (int64_t[]){step * each, x_step * each}, &parameters);
}

enum { LONGEST = 700 };

static void check_positions(const Row *row, size_t size, int64_t n) {
    static char x[LONGEST * 24], g[LONGEST * 24], plain[LONGEST * 8], other[LONGEST * 24 + 8], constant[8];
    for (int64_t i = 0; i < LONGEST * 3; i++) {
        double value = i / 3 * 0.37 - 4, weight = 1 + i % 5;
        if (size == 8) memcpy(x + 8 * i, &value, 8), memcpy(g + 8 * i, &weight, 8);
        else memcpy(x + 4 * i, &(float){(float)value}, 4), memcpy(g + 4 * i, &(float){(float)weight}, 4);
    }
    run(row, n, size, plain, 1, g, 3, x, 3);
    for (int64_t i = 0; i < n; i++) { /* one by one */
        run(row, 1, size, other, 1, g + 3 * i * (int64_t)size, 1, x + 3 * i * (int64_t)size, 1);
        MUST(memcmp(other, plain + i * (int64_t)size, size) == 0, "%s: %lld of %lld", row->name, (long long)i,
             (long long)n);
    }
    memset(other, 77, sizeof other); /* backwards, and nothing else is written */
    run(row, n, size, other + (n ? 2 * (n - 1) * (int64_t)size : 0), -2, g, 3, x, 3);
    for (int64_t i = 0; i < n; i++)
        MUST(memcmp(other + 2 * (n - 1 - i) * (int64_t)size, plain + i * (int64_t)size, size) == 0, "%s of %lld",
             row->name, (long long)n);
    for (int64_t i = 0; i + 1 < n; i++) MUST(other[(2 * i + 1) * (int64_t)size] == 77, "%s: gap written", row->name);
    for (int64_t i = 0; i < n * 8; i++)
        memcpy(other + i, x + i / (int64_t)size * 3 * (int64_t)size + i % (int64_t)size, 1);
    memset(other + n * (int64_t)size, 77, 8); /* in place, and not beyond the end */
    run(row, n, size, other, 1, g, 3, other, 1);
    MUST(memcmp(other, plain, (size_t)n * size) == 0 && other[n * (int64_t)size] == 77, "%s of %lld", row->name,
         (long long)n);
    memcpy(constant, g + 2 * size, size); /* one gradient for all, and one x */
    run(row, n, size, other, 1, constant, 0, x + 3 * size, 0);
    run(row, 1, size, plain, 1, constant, 1, x + 3 * size, 1);
    for (int64_t i = 0; i < n; i++)
        MUST(memcmp(other + i * (int64_t)size, plain, size) == 0, "%s of %lld", row->name, (long long)n);
}

START_TEST(a_value_does_not_depend_on_its_position) {
    for (int64_t n = 0; n <= 34; n++) {
        check_positions(&rows[_i], 4, n);
        check_positions(&rows[_i], 8, n);
    }
    check_positions(&rows[_i], 4, LONGEST);
    check_positions(&rows[_i], 8, LONGEST - 3);
}
END_TEST

Suite *vmath_suite(void) {
    Suite *suite = suite_create("vmath");
    TCase *one = tcase_create("unary");
    tcase_add_loop_test(one, each_is_as_good_as_it_says, 0, ROWS);
    tcase_add_loop_test(one, a_value_does_not_depend_on_its_position, 0, ROWS);
    tcase_add_loop_test(one, angles_near_multiples_of_pi_over_2, 0, 3);
    tcase_add_test(one, tail_of_erfc);
    suite_add_tcase(suite, one);
    suite_add_tcase(suite, pair_tests());
    return suite;
}
