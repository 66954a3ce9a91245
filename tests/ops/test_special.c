/* tests/ops/test_special.c: functions of torch.special against values computed with 40 digits, in
 * tests/golden/special.txt (tests/golden/record_special.py). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/special/special.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

#define NAMED(f) \
    { #f, special_##f }
static const struct {
    const char *name;
    Tensor *(*f)(Tensor *);
} functions[] = {
    NAMED(airy_ai),
    NAMED(bessel_j0),
    NAMED(bessel_j1),
    NAMED(bessel_y0),
    NAMED(bessel_y1),
    NAMED(modified_bessel_i0),
    NAMED(modified_bessel_i1),
    NAMED(i0e),
    NAMED(i1e),
    NAMED(modified_bessel_k0),
    NAMED(modified_bessel_k1),
    NAMED(scaled_modified_bessel_k0),
    NAMED(scaled_modified_bessel_k1),
    NAMED(spherical_bessel_j0),
    NAMED(erfcx),
    NAMED(ndtr),
    NAMED(log_ndtr),
    NAMED(ndtri),
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* The error of e^(x^2) is that of x^2, and the phase of an oscillation grows with x. Functions of oscillating sign are
 * compared with 1, since near a zero only the absolute error is small. */
static double allowed(const char *name, double x, double value) {
    const bool airy = strcmp(name, "airy_ai") == 0, normal = strstr(name, "ndtr") || strcmp(name, "erfcx") == 0;
    if (normal) return (3 + x * x) * 1e-15 * fabs(value);
    if (strstr(name, "scaled")) return 1e-14 * fabs(value);
    if (strstr(name, "modified") || (airy && x > 0)) return (10 + fabs(x)) * 1e-15 * fabs(value);
    return (3 + (airy ? pow(fabs(x), 1.5) / 5 : 0)) * 1e-15 *
           fmax(fabs(value), strncmp(name, "bessel", 6) == 0 || airy);
}

START_TEST(values_to_float64s_precision) {
    char *file = read_text("tests/golden/special.txt"), name[64];
    double x, value;
    int length, count = 0;
    for (const char *at = file; sscanf(at, "%63s %lf %lf%n", name, &x, &value, &length) == 3; at += length, count++) {
        int i = 0;
        while (i < FUNCTIONS && strcmp(functions[i].name, name) != 0) i++;
        ck_assert_int_lt(i, FUNCTIONS);
        t_TensorOptions options = {.size = sizeof options, .dtype = t_float64};
        const double got = t_item(functions[i].f(t_full(NULL, 0, x, &options)));
        if (!(fabs(got - value) <= allowed(name, x, value)))
            note("%s(%.17g) is %.17g, expected %.17g", name, x, got, value);
    }
    ck_assert_int_gt(count, 250);
    free(file);
    report_notes();
}
END_TEST

/* Chebyshev's polynomials of large degrees, where another formula takes over. */
START_TEST(polynomials_of_large_degree) {
    static const struct {
        Tensor *(*f)(Tensor *, Tensor *);
        double sine, shift; /* f(cos t) = cos((n + shift) t) / cos(shift t), or the same of sines */
    } families[] = {{special_chebyshev_polynomial_t, 0, 0},
                    {special_chebyshev_polynomial_u, 1, 1},
                    {special_chebyshev_polynomial_v, 0, 0.5},
                    {special_chebyshev_polynomial_w, 1, 0.5}};
    t_TensorOptions options = {.size = sizeof options, .dtype = t_float64};
    for (int i = 0; i < 4; i++)
        for (int degree = 90; degree < 111; degree++) {
            const double angle = 0.7 + 0.01 * degree, shift = families[i].shift, n = degree + shift;
            Tensor *y = families[i].f(t_full(NULL, 0, cos(angle), &options), t_number(degree));
            const double want =
                families[i].sine ? sin(n * angle) / sin(shift * angle) : cos(n * angle) / cos(shift * angle);
            ck_assert_double_eq_tol(t_item(y), want, 1e-11);
            for (int sign = -1; sign < 2; sign += 2) {
                const double edge = t_item(families[i].f(t_full(NULL, 0, sign, &options), t_number(degree)));
                const double close =
                    t_item(families[i].f(t_full(NULL, 0, sign * 1.0000000001, &options), t_number(degree)));
                ck_assert_double_eq_tol(edge, close, 1e-4 * fabs(edge));
            }
        }
}
END_TEST

/* zeta(x, q) has a derivative by q, -x zeta(x + 1, q), but none by x, as in PyTorch. */
START_TEST(zeta_has_one_derivative) {
    Tensor *x = t_number(2), *q = t_full(NULL, 0, 1, NULL);
    t_requires_grad_(q, true);
    Tensor *y = special_zeta(x, q);
    ck_assert_double_eq_tol(t_item(y), 1.6449340668482264, 1e-6);
    HOLDS(t_backward(y, NULL));
    ck_assert_double_eq_tol(t_item(t_grad(q)), -2 * 1.2020569031595942, 1e-6);
    x = t_full(NULL, 0, 2, NULL);
    t_requires_grad_(x, true);
    expect_refusal(!t_backward(special_zeta(x, q), NULL), "the derivative for 'zeta' is not implemented.");
}
END_TEST

Suite *special_suite(void);
Suite *special_suite(void) {
    Suite *suite = suite_create("special");
    TCase *tests = tcase_create("special");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, values_to_float64s_precision);
    tcase_add_test(tests, polynomials_of_large_degree);
    tcase_add_test(tests, zeta_has_one_derivative);
    suite_add_tcase(suite, tests);
    return suite;
}
