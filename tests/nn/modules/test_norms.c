/* tests/nn/modules/test_norms.c: layer, batch and group norm and residual connections compared with their composed
 * forms; odd sizes, strides, both dtypes, and the same bits for any number of threads. */
#include <stdio.h>

#include "core/tensor/tensor.h"
#include "nn/functional/functional.h"
#include "nn/transformer/transformer_internal.h"
#include "tests/support/compare.h"

static const t_DType dtypes[] = {t_float32, t_float64};

/* ---- norms ---- */

static Tensor *norm_in_ops(Tensor *x, Tensor *weight, Tensor *bias, double eps) {
    int64_t last = -1;
    Tensor *off = t_sub(x, t_mean(x, &last, 1, true));
    return t_add(t_mul(t_mul(off, t_rsqrt(t_add(t_mean(t_square(off), &last, 1, true), t_number(eps)))), weight), bias);
}

START_TEST(norms_of_any_size) {
    static const int64_t sizes[] = {1, 2, 5, 8, 13, 33, 64, 100, 1031};
    for (int d = 0; d < 2; d++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            int depth = t_scope_open();
            const int64_t n = sizes[k];
            Tensor *x[] = {sample_input("r", (int64_t[]){n, 41}, 2, 0, dtypes[d]),
                           sample_input("r", &n, 1, 1, dtypes[d]), sample_input("r", &n, 1, 2, dtypes[d])};
            Tensor *z = t_transpose(x[0], 0, 1);
            char what[40];
            snprintf(what, sizeof what, "layer norm of %lld", (long long)n);
            expect_same(what, F_layer_norm(z, &n, 1, x[1], x[2], 1e-2), norm_in_ops(z, x[1], x[2], 1e-2), x, 3,
                        10 * tolerance_of(dtypes[d]));
            t_scope_close(depth);
        }
    report_notes();
}
END_TEST

static Tensor *batch_norm_in_ops(Tensor *x, Tensor *mean, Tensor *variance, Tensor *const *affine, double eps) {
    const int64_t over[] = {0, 2};
    const int count = x->ndim - 1;
    if (!mean) {
        mean = t_mean(x, over, count, true);
        variance = t_mean(t_square(t_sub(x, mean)), over, count, true);
    }
    Tensor *each[] = {mean, variance, affine[0], affine[1]};
    for (int i = 0; i < 4; i++)
        if (each[i]) each[i] = t_reshape(each[i], (int64_t[]){x->shape[1], 1}, count);
    Tensor *y = t_mul(t_sub(x, each[0]), t_rsqrt(t_add(each[1], t_number(eps))));
    if (each[2]) y = t_mul(y, each[2]);
    return each[3] ? t_add(y, each[3]) : y;
}

/* (7, n): rows of one element, processed in blocks of columns; (5, 3, n): rows of n. */
static void compare_batch_norm(t_DType dtype, int ndim, int64_t n, bool training, bool plain) {
    const int64_t shape[] = {ndim == 2 ? 7 : 5, ndim == 2 ? n : 3, n}, C = shape[1];
    Tensor *x[] = {sample_input("r", shape, ndim, 0, dtype), plain ? NULL : sample_input("r", &C, 1, 1, dtype),
                   plain ? NULL : sample_input("r", &C, 1, 2, dtype)};
    Tensor *mean = training ? NULL : sample_input("R", &C, 1, 3, dtype),
           *variance = training ? NULL : sample_input("P", &C, 1, 4, dtype);
    char what[60];
    snprintf(what, sizeof what, "batch norm of %d dims, width %lld, %straining", ndim, (long long)n,
             training ? "" : "not ");
    expect_same(what, F_batch_norm(x[0], mean, variance, x[1], x[2], training, 0.1, 1e-2),
                batch_norm_in_ops(x[0], mean, variance, x + 1, 1e-2), x, 3, 10 * tolerance_of(dtype));
}

START_TEST(batch_norms_of_any_width) {
    for (int k = 0; k < 16; k++)
        for (int64_t n = 1; n <= 2051; n += n < 40 ? 1 : 2011) { /* the last: more columns than one block has */
            int depth = t_scope_open();
            compare_batch_norm(dtypes[k % 2], 2 + k / 2 % 2, n, k / 4 % 2, k / 8);
            t_scope_close(depth);
        }
    report_notes();
}
END_TEST

/* Group norm with that many channels in each of three groups, computed through layer norm. */
static void compare_group_norm(t_DType dtype, int64_t each, int64_t n) {
    const int64_t C = 3 * each, shape[] = {2, C, n}, of_groups[] = {2, 3, each * n}, of_a_group[] = {C, 1},
                  set = each * n;
    Tensor *far = t_reshape(t_mul(t_arange(0, (double)(2 * C), 1, NULL), t_number(10)), (int64_t[]){2, C, 1}, 3);
    Tensor *x[] = {sample_input("r", shape, 3, 0, dtype), sample_input("r", &C, 1, 1, dtype),
                   sample_input("r", &C, 1, 2, dtype)};
    Tensor *in = t_add(x[0], t_to(far, dtype)),
           *z = F_layer_norm(t_reshape(in, of_groups, 3), &set, 1, NULL, NULL, 1e-2);
    Tensor *y = t_add(t_mul(t_reshape(z, shape, 3), t_reshape(x[1], of_a_group, 2)), t_reshape(x[2], of_a_group, 2));
    char what[60];
    snprintf(what, sizeof what, "group norm of %lld channels of %lld", (long long)each, (long long)n);
    expect_same(what, F_group_norm(in, 3, x[1], x[2], 1e-2), y, x, 3, 40 * tolerance_of(dtype));
}

START_TEST(group_norms_of_any_size) {
    static const int64_t channels[] = {1, 2, 3, 4, 6, 8, 40}, sizes[] = {1, 2, 5, 49, 64, 1023, 2050};
    for (int i = 0; i < 7 * 7 * 2; i++) {
        int depth = t_scope_open();
        if (i % 49) compare_group_norm(dtypes[i / 49], channels[i % 7], sizes[i / 7 % 7]);
        t_scope_close(depth);
    }
    ck_assert_int_eq(tg_numel(F_group_norm(t_zeros((int64_t[]){0, 4, 3}, 3, NULL), 2, NULL, NULL, 1e-5)), 0);
    expect_refusal(F_group_norm(t_zeros((int64_t[]){2, 0, 3}, 3, NULL), 2, NULL, NULL, 1e-5) == NULL,
                   "Expected number of channels to be greater than 0, got 0");
    report_notes();
}
END_TEST

/* A large mean, and a first element far from the others. */
START_TEST(norms_with_a_large_mean) {
    const int64_t n = 100;
    Tensor *x = t_add(sample_input("R", (int64_t[]){2, n}, 2, 0, t_float64), t_number(5000));
    *(double *)tg_data(x) = -3000;
    Tensor *y = F_layer_norm(t_float(x), &n, 1, NULL, NULL, 1e-5), *wide = F_layer_norm(x, &n, 1, NULL, NULL, 1e-5);
    expect_close("layer norm far off", t_double(y), wide, 1e-3); /* x itself is rounded by 2.4e-4 */
    report_notes();
}
END_TEST

/* ---- residual connections ---- */

typedef struct Layer {
    nn_Dropout *dropout;
    nn_LayerNorm *norm;
    Tensor *x[4]; /* x, y, the norm's weight and bias */
} Layer;

static Layer layer_of(int64_t rows, int64_t n, double p, bool training, t_DType dtype) {
    nn_LayerNormOptions options = {
        .size = sizeof options, .eps = 1e-2, .elementwise_affine = true, .bias = true, .dtype = dtype};
    Layer l = {nn_Dropout_new(p, false),
               nn_LayerNorm_new(&n, 1, &options),
               {sample_input("r", (int64_t[]){rows, 1, n}, 3, 0, dtype),
                sample_input("r", (int64_t[]){rows, 1, n}, 3, 1, dtype), NULL, NULL}};
    nn_train(l.dropout, training);
    l.x[2] = l.norm->weight;
    l.x[3] = l.norm->bias;
    bool grad_enabled = t_set_grad_enabled(false);
    t_copy_(l.x[2], sample_input("R", &n, 1, 2, dtype));
    t_copy_(l.x[3], sample_input("R", &n, 1, 3, dtype));
    t_set_grad_enabled(grad_enabled);
    return l;
}

static Tensor *sum_in_ops(const Layer *l) {
    t_manual_seed(5);
    return t_add(l->x[0], F_dropout(l->x[1], l->dropout->p, l->dropout->base.training, false));
}

static Tensor *normed(const Layer *l, Tensor *s) {
    return F_layer_norm(s, l->norm->normalized_shape, 1, l->x[2], l->x[3], l->norm->eps);
}

START_TEST(residuals_equal_their_parts) {
    static const int64_t sizes[][2] = {{3, 8}, {70, 24}, {9, 13}, {5, 64}, {130, 129}};
    for (int k = 0; k < 5 * 2 * 3; k++) {
        int depth = t_scope_open();
        const double p = k / 10 == 0 ? 0.3 : 0;
        t_DType dtype = dtypes[k / 5 % 2];
        Layer l = layer_of(sizes[k % 5][0], sizes[k % 5][1], k / 10 == 2 ? 0.3 : p, k / 10 != 2, dtype);
        Tensor *sum;
        const double close = 10 * tolerance_of(dtype);
        t_manual_seed(5);
        Tensor *added = tg_add_residual(l.dropout, l.x[0], l.x[1]);
        expect_same("x + dropout(y)", added, sum_in_ops(&l), l.x, 2, 0);
        t_manual_seed(5);
        Tensor *post = tg_norm_residual(l.norm, l.dropout, l.x[0], l.x[1], NULL, false);
        const double next = t_item(t_rand(NULL, 0, NULL)); /* the generator advanced equally */
        expect_same("norm(x + dropout(y))", post, normed(&l, sum_in_ops(&l)), l.x, 4, close);
        (void)sum_in_ops(&l);
        if (next != t_item(t_rand(NULL, 0, NULL))) note("another number of draws");
        t_manual_seed(5);
        Tensor *pre = tg_norm_residual(l.norm, l.dropout, l.x[0], l.x[1], &sum, false), *s = sum_in_ops(&l);
        expect_close("s", sum, s, 0);
        expect_same("norm and s", t_add(sum, t_mul(pre, t_number(2))), t_add(s, t_mul(normed(&l, s), t_number(2))), l.x,
                    4, close);
        ck_assert_str_eq(t_grad_fn(post), "NativeLayerNormBackward0");
        ck_assert_str_eq(t_grad_fn(sum), "AddBackward0");
        t_scope_close(depth);
    }
    report_notes();
}
END_TEST

static t_TensorList *residual_again(t_TensorList *leaves, void *context) {
    const Layer *l = context;
    Tensor *sum;
    (void)leaves;
    t_manual_seed(5);
    Tensor *post = tg_norm_residual(l->norm, l->dropout, l->x[0], l->x[1], NULL, false);
    Tensor *pre = tg_norm_residual(l->norm, l->dropout, l->x[0], l->x[1], &sum, false);
    return list_of(t_add(t_add(post, tg_add_residual(l->dropout, sum, pre)), pre));
}

START_TEST(residuals_have_gradients_of_gradients) {
    Layer l = layer_of(2, 3, 0.3, true, t_float64);
    static const t_GradcheckOptions tight = {.size = sizeof tight,
                                             .eps = 1e-6,
                                             .atol = 1e-7,
                                             .rtol = 1e-5,
                                             .raise_exception = true,
                                             .check_backward_ad = true};
    t_TensorList *leaves = t_list_new(l.x, 4);
    ck_assert_msg(t_gradcheck(residual_again, leaves, &l, &tight), "%s", t_error());
    ck_assert_msg(t_gradgradcheck(residual_again, leaves, &l, NULL, &tight), "%s", t_error());
}
END_TEST

/* ---- threads ---- */

static uint64_t hash_of_norms(void) {
    int depth = t_scope_open();
    Layer l = layer_of(300, 150, 0.2, true, t_float32);
    Tensor *x = sample_input("r", (int64_t[]){5, 60, 150}, 3, 4, t_float32), *sum;
    uint64_t hash = hash_of_all(F_group_norm(x, 2, NULL, NULL, 1e-5), &x, 1);
    t_manual_seed(1);
    hash = hash * 31 ^ hash_of_all(tg_norm_residual(l.norm, l.dropout, l.x[0], l.x[1], NULL, false), l.x, 4);
    hash = hash * 31 ^ hash_of_all(tg_norm_residual(l.norm, l.dropout, l.x[0], l.x[1], &sum, false), l.x, 4);
    t_scope_close(depth);
    return hash;
}

START_TEST(any_number_of_threads_gives_the_same_bits) {
    expect_same_with_threads(hash_of_norms);
    report_notes();
}
END_TEST

Suite *norms_suite(void) {
    Suite *s = suite_create("norms");
    TCase *c = tcase_create("norms");
    tcase_add_checked_fixture(c, support_setup, support_teardown);
    tcase_add_test(c, norms_of_any_size);
    tcase_add_test(c, batch_norms_of_any_width);
    tcase_add_test(c, group_norms_of_any_size);
    tcase_add_test(c, norms_with_a_large_mean);
    tcase_add_test(c, residuals_equal_their_parts);
    tcase_add_test(c, residuals_have_gradients_of_gradients);
    tcase_add_test(c, any_number_of_threads_gives_the_same_bits);
    suite_add_tcase(s, c);
    return s;
}
