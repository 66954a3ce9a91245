/* tests/nn/modules/test_init.c: nn.init compared with PyTorch's bits (golden/init.txt, written by record_init.py, which
 * has the same cases). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/models/model_support.h"

enum { INIT_SEED = 42 };

static t_Generator *seven(void) {
    t_Generator *generator = t_generator();
    t_generator_manual_seed(generator, 7);
    return generator;
}

#define DOUBLE .dtype = t_float64
#define CASES(X)                                                                                                    \
    X(uniform, nn_init_uniform_(t_empty(7, 4, 3), -2, 3))                                                           \
    X(normal, nn_init_normal_(t_empty(5), 1, 0.5))                                                                  \
    X(normal_large, nn_init_normal_(t_empty(33, 7), .std = 0.02))                                                   \
    X(normal_generator, nn_init_normal_(t_empty(33, 7), .generator = seven()))                                      \
    X(eye, nn_init_eye_(t_empty(3, 5)))                                                                             \
    X(dirac, nn_init_dirac_(t_empty(4, 3, 5)))                                                                      \
    X(dirac_groups, nn_init_dirac_(t_empty(6, 2, 3, 4), 2))                                                         \
    X(dirac_volume, nn_init_dirac_(t_empty(2, 3, 3, 1, 2)))                                                         \
    X(constant, nn_init_constant_(t_empty(4), 0.3))                                                                 \
    X(xavier_normal, nn_init_xavier_normal_(t_empty(7, 4, 3)))                                                      \
    X(xavier_normal_gain, nn_init_xavier_normal_(t_empty(9, 8), .gain = nn_init_calculate_gain("tanh")))            \
    X(kaiming_normal, nn_init_kaiming_normal_(t_empty(7, 4, 3)))                                                    \
    X(kaiming_normal_out, nn_init_kaiming_normal_(t_empty(16, 3, 5, 5), .mode = "fan_out", .nonlinearity = "relu")) \
    X(kaiming_normal_double, nn_init_kaiming_normal_(t_empty(9, 8, DOUBLE), 0.2))                                   \
    X(kaiming_uniform_out, nn_init_kaiming_uniform_(t_empty(16, 3, 5, 5), 0.1, "fan_out", "selu"))                  \
    X(kaiming_uniform_tanh, nn_init_kaiming_uniform_(t_empty(7, 5), .nonlinearity = "tanh"))                        \
    X(trunc_normal, nn_init_trunc_normal_(t_empty(5)))                                                              \
    X(trunc_normal_large, nn_init_trunc_normal_(t_empty(100, 100), .std = 1.3))                                     \
    X(trunc_normal_std, nn_init_trunc_normal_(t_empty(100, 100), .std = 0.02))                                      \
    X(trunc_normal_double, nn_init_trunc_normal_(t_empty(100, 100, DOUBLE), 0.5, 2, -1, 1.5))                       \
    X(trunc_normal_tail, nn_init_trunc_normal_(t_empty(100, 100), 0, 1, 1.5, 3))                                    \
    X(trunc_normal_narrow, nn_init_trunc_normal_(t_empty(100, 100), 0.3, 2, -0.1, 0.2))                             \
    X(trunc_normal_narrow_double, nn_init_trunc_normal_(t_empty(100, 100, DOUBLE), -1, 1, 0.25, 0.5))               \
    X(orthogonal, nn_init_orthogonal_(t_empty(4, 4)))                                                               \
    X(orthogonal_wide, nn_init_orthogonal_(t_empty(3, 7), .gain = 0.5))                                             \
    X(orthogonal_tall, nn_init_orthogonal_(t_empty(7, 3), nn_init_calculate_gain("relu")))                          \
    X(orthogonal_cube, nn_init_orthogonal_(t_empty(6, 2, 2)))                                                       \
    X(orthogonal_double, nn_init_orthogonal_(t_empty(5, 6, DOUBLE)))
#define MAKE(name, expression) static Tensor *make_##name(void) { return expression; }
#define ROW(name, expression) {#name, make_##name},
CASES(MAKE)
static const struct {
    const char *name;
    Tensor *(*make)(void);
} cases[] = {CASES(ROW)};
enum { COUNT = sizeof cases / sizeof *cases };

START_TEST(fills_with_pytorchs_bits) {
    const char *section = golden_case(golden_file("init.txt"), cases[_i].name);
    ck_assert_ptr_nonnull(section);
    t_manual_seed(INIT_SEED);
    Tensor *x = cases[_i].make();
    matches_recorded("the numbers after it", t_rand(2), section, "next", EXACT);
    if (has_recorded(section, "whole")) matches_recorded(cases[_i].name, x, section, "whole", VALUE);
    else same_bits(cases[_i].name, x, section, "x");
    report_notes();
}
END_TEST

/* Rows of the shorter side: x x^T or x^T x is gain^2 times the identity. */
static void check_angles(int64_t rows, int64_t cols, t_DType dtype, double tolerance) {
    Tensor *x = t_empty(rows, cols, .dtype = dtype), *other = t_transpose(x, 0, 1);
    nn_init_orthogonal_(x, 2);
    Tensor *product = rows < cols ? t_matmul(x, other) : t_matmul(other, x);
    Tensor *off = t_sub(t_double(product), t_mul(t_eye(t_size(product, 0), .dtype = t_float64), 4));
    ck_assert_double_le(t_item(t_max(t_abs(off))), tolerance);
}

START_TEST(orthogonal_matrices_are) {
    check_angles(60, 100, t_float64, 1e-13);
    check_angles(100, 60, t_float64, 1e-13);
    check_angles(64, 64, t_float32, 4e-6);
}
END_TEST

START_TEST(truncated_values_are_in_the_interval) {
    Tensor *x = nn_init_trunc_normal_(t_empty(1000), 0, 1, -0.5, 0.1), *w = t_empty(20, 20, .requires_grad = true);
    HOLDS(t_item(t_min(x)) >= -0.5 && t_item(t_max(x)) <= 0.1f);
    nn_init_trunc_normal_(w);
    HOLDS(t_is_leaf(w) && t_requires_grad(w) && t_item(t_max(t_abs(t_detach(w)))) <= 2);
}
END_TEST

START_TEST(gains_are_pytorchs) {
    ck_assert_double_eq(nn_init_calculate_gain("linear"), 1);
    ck_assert_double_eq(nn_init_calculate_gain("tanh"), 5.0 / 3);
    ck_assert_double_eq(nn_init_calculate_gain("relu"), sqrt(2));
    ck_assert_double_eq(nn_init_calculate_gain("leaky_relu"), 1.4141428569978354);
    ck_assert_double_eq(nn_init_calculate_gain("leaky_relu", 0.2), 1.3867504905630728);
    ck_assert_double_eq(nn_init_calculate_gain("selu"), 0.75);
    ck_assert(isnan(nn_init_calculate_gain("gelu")));
    expect_error("Unsupported nonlinearity gelu");
}
END_TEST

START_TEST(fills_refuse) {
    REFUSES(nn_init_eye_(t_empty(3)), "Only tensors with 2 dimensions are supported");
    REFUSES(nn_init_dirac_(t_empty(3, 3)), "Only tensors with 3, 4, or 5 dimensions are supported");
    REFUSES(nn_init_dirac_(t_empty(3, 3, 3), .groups = 2), "dim 0 must be divisible by groups");
    REFUSES(nn_init_orthogonal_(t_empty(3)), "Only tensors with 2 or more dimensions are supported");
    REFUSES(nn_init_kaiming_normal_(t_empty(3)),
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
    REFUSES(nn_init_xavier_normal_(t_empty(3)),
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
    REFUSES(nn_init_kaiming_normal_(t_empty(3, 3), .mode = "both"),
            "Mode both not supported, please use one of ['fan_in', 'fan_out']");
    REFUSES(nn_init_kaiming_uniform_(t_empty(3, 3), .nonlinearity = "gelu"), "Unsupported nonlinearity gelu");
    REFUSES(nn_init_trunc_normal_(t_empty(3), .std = 0), "float division by zero");
    REFUSES(nn_init_trunc_normal_(t_zeros(3, .dtype = t_int64)), "\"normal_kernel_cpu\" not implemented for 'Long'");
    HOLDS(t_numel(nn_init_kaiming_normal_(t_empty(0, 3))) == 0 && t_numel(nn_init_orthogonal_(t_empty(3, 0))) == 0);
    ck_assert(t_is_grad_enabled());
}
END_TEST

Suite *init_suite(void);
Suite *init_suite(void) {
    Suite *suite = suite_create("init");
    TCase *tests = tcase_create("init");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, fills_with_pytorchs_bits, 0, COUNT);
    tcase_add_test(tests, orthogonal_matrices_are);
    tcase_add_test(tests, truncated_values_are_in_the_interval);
    tcase_add_test(tests, gains_are_pytorchs);
    tcase_add_test(tests, fills_refuse);
    suite_add_tcase(suite, tests);
    return suite;
}
