/* tests/nn/functional/test_functional.c: the layers and activations of nn/functional/functional.h: keywords, grad_fn
 * names, error messages, dropout's bits. test_functional_each.c has the gradients; the op table compares values and
 * shapes with PyTorch. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "core/kernels/isa.h"
#include "nn/sugar/functional.h"
#include "tests/support/support.h"

static Tensor *input(const char *text) {
    return make_inputs(text, seed_of(text), t_float64).x[0];
}

static void expect_values(Tensor *x, const double *want, int64_t count) {
    ck_assert_msg(x != NULL, "%s", t_error());
    ck_assert_int_eq(t_numel(x), count);
    double got[64];
    t_tolist(x, got, 64);
    for (int64_t i = 0; i < count; i++) ck_assert_double_eq_tol(got[i], want[i], 1e-12);
}
#define EXPECT_VALUES(x, ...) \
    expect_values(x, (const double[]){__VA_ARGS__}, (int64_t)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

/* ---- keywords ---- */

static void expect_same(Tensor *a, Tensor *b) {
    ck_assert((t_equal)(a, b));
}
static void expect_different(Tensor *a, Tensor *b) {
    ck_assert(a && b && !(t_equal)(a, b));
}

START_TEST(keywords) {
    Tensor *x = input("r(3,4)"), *w = input("r(4)"), *b = input("p(4)"), *table = input("s(5,2)");
    Tensor *rows = t_tensor("[[1, 0], [4, 1]]"), *c = t_tensor("[1, 2, 3]", .dtype = t_float64);
    expect_same(F_linear(x, t_unsqueeze(w, 0)), t_matmul(x, t_unsqueeze(w, 1)));
    expect_same(F_linear(x, x, .bias = c), F_linear(x, x, c));
    expect_same(F_softmax(x, -1), F_softmax(x, .dim = 1));
    expect_same(F_log_softmax(x, 0), t_log_softmax(x, 0));
    expect_same(F_relu(x), t_relu(x));
    expect_same(F_sigmoid(x), t_sigmoid(x));
    expect_same(F_tanh(x), t_tanh(x));
    expect_same(F_gelu(x), F_gelu(x, .approximate = "none"));
    expect_different(F_gelu(x), F_gelu(x, "tanh"));
    expect_same(F_layer_norm(x, (4,), w, b), F_layer_norm(x, (4), w, b, 1e-5));
    expect_same(F_layer_norm(x, (3, 4)), F_layer_norm(x, (t_size(x, 0), 4), .eps = 1e-5));
    expect_different(F_layer_norm(x, (4), .bias = b), F_layer_norm(x, (4), .weight = w, .eps = 1));
    expect_same(F_embedding(rows, table), F_embedding(rows, table, .padding_idx = 0));
    expect_same(F_dropout(x, 0.5, false), F_dropout(x, .p = 0.9, .training = false));
    ck_assert_int_eq(error_count(), 0);
    Tensor *none = F_softmax(x, 5); /* an error names the line and the expression */
    ck_assert_ptr_null(none);
    ck_assert_ptr_nonnull(strstr(last_error_text(), "test_functional.c:"));
    ck_assert_ptr_nonnull(strstr(last_error_text(), ": F_softmax(x, 5): Dimension out of range"));
}
END_TEST

START_TEST(arguments_that_are_not_there) {
    Tensor *x = input("r(2,2)");
    ck_assert_ptr_null((F_linear)(NULL, x, NULL));
    expect_error("argument 1 is NULL where a tensor is expected");
    ck_assert_ptr_null((F_gelu)(x, "exact"));
    ck_assert_ptr_null((F_linear)((F_gelu)(x, "none"), x, NULL)); /* is there no bias, or did it fail? */
    expect_error("approximate argument must be either none or tanh.");
    ck_assert_ptr_null((F_softmax)(x, T_NONE));
    expect_error("softmax(): missing the argument dim");
}
END_TEST

/* ---- values by hand ---- */

START_TEST(values) {
    Tensor *x = t_tensor("[[1, 2, 3, 4], [2, 2, 2, 2]]", .dtype = t_float64);
    Tensor *z = t_tensor("[-2., 0, 1]", .dtype = t_float64);
    Tensor *w = t_tensor("[[1., 0, 0, 2]]", .dtype = t_float64), *b = t_tensor("[0.5]", .dtype = t_float64);
    double s = sqrt(1.25 + 1e-5);
    EXPECT_VALUES(F_layer_norm(x, (4)), -1.5 / s, -0.5 / s, 0.5 / s, 1.5 / s, 0, 0, 0, 0);
    EXPECT_VALUES(F_gelu(z), -2 * 0.022750131948179207, 0, 0.8413447460685429);
    EXPECT_VALUES(F_gelu(z, "tanh"), -0.04540230591222494, 0, 0.8411919906082768);
    EXPECT_VALUES(F_linear(x, w, b), 9.5, 6.5);
    EXPECT_VALUES(F_embedding(t_tensor("[1, 0, 1]"), x), 2, 2, 2, 2, 1, 2, 3, 4, 2, 2, 2, 2);
}
END_TEST

/* The names that torch 2.15 prints. */
START_TEST(grad_fn_names) {
    Tensor *w = input("r(2,4)"), *b = input("r(2)"), *cube = input("r(3,2,4)");
    ck_assert_str_eq(t_grad_fn(F_linear(input("r(3,4)"), w, b)), "AddmmBackward0");
    ck_assert_str_eq(t_grad_fn(F_linear(input("r(3,4)"), w)), "MmBackward0");
    ck_assert_str_eq(t_grad_fn(F_linear(cube, w, b)), "UnsafeViewBackward0");
    ck_assert_str_eq(t_grad_fn(F_linear(cube, w)), "UnsafeViewBackward0");
    ck_assert_str_eq(t_grad_fn(F_linear(t_transpose(cube, 0, 1), w, b)), "AddBackward0");
    ck_assert_str_eq(t_grad_fn(F_linear(input("r(4)"), w)), "SqueezeBackward4");
    ck_assert_str_eq(t_grad_fn(F_layer_norm(cube, (4))), "NativeLayerNormBackward0");
    ck_assert_str_eq(t_grad_fn(F_gelu(cube)), "GeluBackward0");
    ck_assert_str_eq(t_grad_fn(F_dropout(cube)), "MulBackward0");
    ck_assert_str_eq(t_grad_fn(F_dropout(cube, 1)), "MulBackward0");
    ck_assert_str_eq(t_grad_fn(F_embedding(t_tensor("[1]"), w)), "EmbeddingBackward0");
}
END_TEST

/* ---- dropout: the masks of torch 2.15 after manual_seed(42) ---- */

static void expect_mask(Tensor *y, const char *mask) {
    ck_assert_int_eq(t_numel(y), (int64_t)strlen(mask));
    double got[32];
    t_tolist(y, got, 32);
    for (int64_t i = 0; mask[i]; i++) ck_assert_msg((got[i] != 0) == (mask[i] == '1'), "element %lld", (long long)i);
}

/* A batch that is padded in blocks has what each of its images has alone. */
START_TEST(large_batches_are_padded_like_one_image) {
    static const char *const modes[] = {"constant", "reflect", "replicate", "circular"};
    t_manual_seed(2);
    Tensor *x = t_randn(3, 2, 90, 110), *row = t_randn(2, 3, 40000);
    for (int i = 0; i < 4; i++)
        with_scope() {
            Tensor *y = F_pad(x, (3, 1, 2, 4), modes[i]), *wide = F_pad(row, (5, 7), modes[i]);
            ck_assert_int_eq(t_size(y, 2), 96);
            for (int64_t k = 0; k < 3; k++) {
                HOLDS(t_equal(t_select(y, 0, k), F_pad(t_select(x, 0, k), (3, 1, 2, 4), modes[i])));
                HOLDS(t_equal(t_select(wide, 1, k), F_pad(t_select(row, 1, k), (5, 7), modes[i])));
            }
            HOLDS(t_equal(t_slice(t_slice(y, 2, 2, 92), 3, 3, 113), x));
        }
}
END_TEST

START_TEST(dropout_bits) {
    t_manual_seed(42);
    expect_mask(F_dropout(t_ones(12)), "111101001111");
    t_manual_seed(42);
    Tensor *y = F_dropout(t_t(t_ones(3, 4))); /* drawn in the order of memory, which y keeps */
    expect_mask(y, "101111101101");
    ck_assert_int_eq(t_stride(y, 0), 1);
    t_manual_seed(42);
    y = F_dropout(t_ones(8), 0.1);
    expect_mask(y, "11111100");
    ck_assert(t_item(t_select(y, 0, 0)) == 0x1.1c71c8p+0); /* 1 / 0.9 in float32 */
    ck_assert(t_random_int64(NULL) == 1865242737500154727); /* two 32-bit outputs were drawn for each element */
    t_manual_seed(42);
    expect_mask(F_dropout(t_ones(12, .dtype = t_float64)), "111101001111");
    Tensor *x = t_ones(2, 50, .requires_grad = true);
    y = F_dropout(x, 0.3);
    t_backward(t_sum(y));
    expect_same(t_grad(x), y); /* of ones, both are the mask */
}
END_TEST

/* PyTorch 2.15's values with AVX2 and with AVX-512: the first two differ if the position's product and difference are
 * not fused, the others if the pixels' products and sums are not. */
START_TEST(sampled_images_have_pytorchs_bits) {
    if (tg_isa() == TG_ISA_BASELINE) return;
    Tensor *image = t_div(t_reshape(t_arange(1.0, 13.0), 1, 1, 3, 4), 10);
    Tensor *grid = t_div(t_tensor("[[[[-60.0, -43], [-57, -15], [-60, -50], [-60, -36]]]]"), 100);
    Tensor *y = t_reshape(F_grid_sample(image, grid, .align_corners = false), 4);
    const double want[] = {0x1.16872ap-2, 0x1.c8b43ap-2, 0x1.d70a3ep-3, 0x1.418936p-2};
    for (int i = 0; i < 4; i++) ck_assert(t_item(t_select(y, 0, i)) == want[i]);
}
END_TEST

START_TEST(dropout_without_a_draw) {
    const double p[] = {0, 1, 0.5, 0.5};
    Tensor *x = t_ones(4), *none = t_ones(0);
    for (int i = 0; i < 4; i++) {
        t_manual_seed(42);
        Tensor *y = i == 3 ? F_dropout(none, p[i]) : F_dropout(x, p[i], i < 2);
        ck_assert(p[i] == 1 ? t_equal(y, t_zeros(4)) : y == (i == 3 ? none : x));
        ck_assert(t_random_int64(NULL) == 6909045637428952499);
    }
    ck_assert_ptr_null((F_dropout)(x, 1.5, false, false));
    expect_error("dropout probability has to be between 0 and 1, but got 1.5");
    ck_assert_ptr_null((F_dropout)(x, NAN, true, false));
    expect_error("dropout probability has to be between 0 and 1, but got nan");
}
END_TEST

/* ---- embedding ---- */

START_TEST(padding_gets_no_gradient) {
    Tensor *w = t_ones(3, 2, .requires_grad = true);
    Tensor *y = F_embedding(t_tensor("[[0, 2], [2, 0], [1, 0]]"), w, .padding_idx = -1);
    EXPECT_VALUES(t_sum(y), 12); /* its row is read like any other */
    t_backward(t_sum(t_square(y)), .create_graph = true);
    EXPECT_VALUES(t_grad(w), 6, 6, 2, 2, 0, 0);
    Tensor *slope = t_grad(w);
    t_retain(slope);
    t_set_grad(w, NULL); /* else the graph of the gradient would hold the leaf that holds the gradient */
    t_backward(t_sum(slope));
    EXPECT_VALUES(t_grad(w), 6, 6, 2, 2, 0, 0);
    t_release(slope);
    ck_assert_ptr_null((F_embedding)(t_tensor("[1, 3]"), w, NULL));
    expect_error("index out of range in self. Hint: the id is 3, the weight has 3 rows");
}
END_TEST

Suite *functional_suite(void);
Suite *functional_suite(void) {
    Suite *suite = suite_create("functional");
    TCase *tests = tcase_create("functional");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, keywords);
    tcase_add_test(tests, arguments_that_are_not_there);
    tcase_add_test(tests, values);
    tcase_add_test(tests, grad_fn_names);
    tcase_add_test(tests, large_batches_are_padded_like_one_image);
    tcase_add_test(tests, dropout_bits);
    tcase_add_test(tests, sampled_images_have_pytorchs_bits);
    tcase_add_test(tests, dropout_without_a_draw);
    tcase_add_test(tests, padding_gets_no_gradient);
    suite_add_tcase(suite, tests);
    return suite;
}
