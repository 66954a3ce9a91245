/* tests/kernels/test_rowwise.c: softmax, cross entropy and embeddings compared with their composed forms; odd sizes,
 * strides, both dtypes, NaNs of any bits, and the same bits for any number of threads. */
#include <stdio.h>
#include <string.h>

#include "core/tensor/tensor.h"
#include "nn/functional/functional.h"
#include "nn/utils.h"
#include "tests/support/compare.h"

static const t_DType dtypes[] = {t_float32, t_float64};

/* ---- softmax ---- */

static Tensor *softmax_in_ops(Tensor *x, int64_t dim, bool logarithm) {
    Tensor *off = t_sub(x, t_detach(t_amax(x, &dim, 1, true))), *e = t_exp(off), *sum = t_sum(e, &dim, 1, true);
    return logarithm ? t_sub(off, t_log(sum)) : t_div(e, sum);
}

START_TEST(softmax_of_any_size) {
    static const int64_t sizes[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 20, 50, 333};
    static const int64_t inner[] = {1, 2, 7, 8, 9, 31, 33, 130};
    for (int d = 0; d < 2; d++)
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
            for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
                int depth = t_scope_open();
                Tensor *x = sample_input("r", (int64_t[]){3, sizes[n], inner[i]}, 3, 0, dtypes[d]);
                for (int logarithm = 0; logarithm < 2; logarithm++) {
                    char what[80];
                    snprintf(what, sizeof what, "softmax %lld x %lld, log %d, dtype %d", (long long)sizes[n],
                             (long long)inner[i], logarithm, d);
                    expect_same(what, (logarithm ? t_log_softmax : t_softmax)(x, 1), softmax_in_ops(x, 1, logarithm),
                                &x, 1, tolerance_of(dtypes[d]));
                }
                t_scope_close(depth);
            }
    report_notes();
}
END_TEST

START_TEST(softmax_of_nan_and_infinity) {
    expect_printed(
        t_softmax(from_text("[[0., -inf, 0.], [-inf, -inf, -inf], [nan, 1., 2.], [inf, 1., 2.]]", t_float32, false), 1),
        "tensor([[0.5000, 0.0000, 0.5000],\n        [   nan,    nan,    nan],\n        [   nan,    nan,    nan],\n"
        "        [   nan,    nan,    nan]])");
    expect_printed(
        t_softmax(from_text("[-1e30, 88., 0., -200., 1e-30, 88., -0., 3., 88., 88.]", t_float32, false), 0),
        "tensor([0.0000e+00, 2.5000e-01, 0.0000e+00, 0.0000e+00, 0.0000e+00, 2.5000e-01,\n" /* nothing below 2^-126 */
        "        0.0000e+00, 3.0402e-38, 2.5000e-01, 2.5000e-01])");
    expect_printed(
        t_softmax(from_text("[[0., -inf, 0., 0., 0.], [nan, 1., 2., 3., 4.], [inf, 1., 2., 3., 4.]]", t_float64, false),
                  1),
        "tensor([[0.2500, 0.0000, 0.2500, 0.2500, 0.2500],\n        [   nan,    nan,    nan,    nan,    nan],\n"
        "        [   nan,    nan,    nan,    nan,    nan]], dtype=torch.float64)");
    expect_printed(t_softmax(from_text("[-1e300, 700., 0., -200., 700., -1., 700., 700.]", t_float64, false), 0),
                   "tensor([ 0.0000e+00,  2.5000e-01, 2.4649e-305,  0.0000e+00,  2.5000e-01,\n"
                   "        9.0679e-306,  2.5000e-01,  2.5000e-01], dtype=torch.float64)");
}
END_TEST

/* ---- cross entropy ---- */

static Tensor *cross_entropy_in_ops(Tensor *x, Tensor *target, const F_LossOptions *o) {
    F_LossOptions plain = *o;
    plain.label_smoothing = 0;
    const double s = o->label_smoothing, n = (double)x->shape[1];
    Tensor *logp = t_log_softmax(x, 1), *nll = F_nll_loss(logp, target, &plain);
    if (!(s > 0)) return nll;
    const bool each = strcmp(o->reduction, "none") == 0, mean = strcmp(o->reduction, "mean") == 0;
    Tensor *all = t_neg(t_sum(o->weight ? t_mul(logp, o->weight) : logp, (int64_t[]){1}, 1, false));
    all = t_masked_fill(all, t_eq(target, t_integer(o->ignore_index)), t_number(0));
    Tensor *ones = o->weight ? o->weight : t_ones((int64_t[]){x->shape[1]}, 1, NULL);
    Tensor *counted = t_masked_fill(t_take(ones, t_clamp(target, t_integer(0), NULL)),
                                    t_eq(target, t_integer(o->ignore_index)), t_number(0));
    if (!each) all = t_sum(all, NULL, 0, false);
    if (mean) all = t_div(all, t_sum(counted, NULL, 0, false));
    return t_add(t_mul(all, t_number(s / n)), t_mul(nll, t_number(1 - s)));
}

START_TEST(cross_entropy_as_its_parts) {
    static const int64_t classes[] = {2, 5, 8, 19, 257};
    static const char *reductions[] = {"mean", "sum", "none"};
    for (int k = 0; k < 2 * 5 * 3 * 2 * 2; k++) {
        int depth = t_scope_open();
        t_DType dtype = dtypes[k % 2];
        const int64_t n = classes[k / 2 % 5], N = 13;
        char kind[16], what[80];
        snprintf(kind, sizeof kind, "k%lld", (long long)n);
        Tensor *x = sample_input("r", (int64_t[]){n, N}, 2, 0, dtype), *target = sample_input(kind, &N, 1, 1, dtype);
        F_LossOptions o = F_LossDefaults;
        o.reduction = reductions[k / 10 % 3];
        o.ignore_index = 1;
        o.label_smoothing = k / 30 % 2 ? 0.1 : 0;
        o.weight = k / 60 ? sample_input("P", &n, 1, 2, dtype) : NULL;
        Tensor *z = k / 30 % 2 ? t_transpose(x, 0, 1) : t_contiguous(t_transpose(x, 0, 1));
        snprintf(what, sizeof what, "cross entropy %lld %s smoothing %g weight %d", (long long)n, o.reduction,
                 o.label_smoothing, k / 60);
        expect_same(what, F_cross_entropy(z, target, &o), cross_entropy_in_ops(z, target, &o), &x, 1,
                    4 * tolerance_of(dtype));
        t_scope_close(depth);
    }
    report_notes();
}
END_TEST

/* ---- NaNs of any sign and any bits, also such that exp's integer arithmetic could turn into numbers ---- */

static Tensor *with_nan(t_DType dtype, int64_t n, int bits) {
    static const uint64_t wide[] = {0x7ff8000000000000, 0x7fffffffffffffff, 0xffffffffffffffff, 0x7ff8000000000abc,
                                    0x7ff0000000000001, 0xfff80000000003ff};
    static const uint32_t narrow[] = {0x7fc00000, 0x7fffffff, 0xffffffff, 0x7fc00101, 0x7f800001, 0xffc00180};
    Tensor *x = sample_input("r", (int64_t[]){3, n}, 2, 0, dtype);
    const int64_t at = n + n / 2; /* in the second row */
    if (dtype == t_float64) memcpy((double *)tg_data(x) + at, &wide[bits], sizeof *wide);
    else memcpy((float *)tg_data(x) + at, &narrow[bits], sizeof *narrow);
    return x;
}

static void expect_nan_in_second_row(const char *what, Tensor *y, int64_t n, int bits) {
    for (int64_t i = 0; i < 3; i++) {
        Tensor *nans = t_isnan(t_select(y, 0, i));
        if (!t_item(i == 1 ? t_all(nans, NULL, 0, false) : t_logical_not(t_any(nans, NULL, 0, false))))
            note("%s, NaN %d in rows of %lld: row %d", what, bits, (long long)n, (int)i);
    }
}

START_TEST(a_nan_of_any_bits_is_one) {
    F_LossOptions each = F_LossDefaults;
    each.reduction = "none";
    for (int k = 0; k < 2 * 6; k++)
        for (int64_t n = 1; n < 70; n += n < 20 ? 1 : 13) {
            int depth = t_scope_open();
            Tensor *x = t_detach(with_nan(dtypes[k % 2], n, k / 2)), *columns = t_contiguous(t_transpose(x, 0, 1));
            Tensor *loss = F_cross_entropy(x, t_long(t_zeros((int64_t[]){3}, 1, NULL)), &each);
            expect_nan_in_second_row("softmax", t_softmax(x, 1), n, k / 2);
            expect_nan_in_second_row("softmax of columns", t_transpose(t_softmax(columns, 0), 0, 1), n, k / 2);
            expect_nan_in_second_row("logarithm", t_log_softmax(x, 1), n, k / 2);
            expect_nan_in_second_row("cross entropy", t_unsqueeze(loss, 1), n, k / 2);
            Tensor *keys = t_unsqueeze(x, 0), *ones = t_ones_like(keys),
                   *y = F_scaled_dot_product_attention(ones, keys, ones, NULL);
            if (!t_item(t_all(t_isnan(y), NULL, 0, false)))
                note("attention, NaN %d in rows of %lld", k / 2, (long long)n);
            t_scope_close(depth);
        }
    report_notes();
}
END_TEST

/* ---- embeddings, norms of gradients ---- */

START_TEST(embeddings_as_products) {
    for (int d = 0; d < 2; d++) {
        const int64_t n = 700, count = 300, columns = 37;
        Tensor *w = sample_input("r", (int64_t[]){n, columns}, 2, 0, dtypes[d]),
               *ids = sample_input("k700", &count, 1, 1, dtypes[d]);
        Tensor *one_hot = t_to(F_one_hot(ids, n), dtypes[d]);
        expect_same("embedding", F_embedding(ids, w, NULL), t_matmul(one_hot, w), &w, 1, 4 * tolerance_of(dtypes[d]));
        Tensor *twice = t_add(t_matmul(one_hot, w), F_embedding(ids, w, NULL)); /* into the other's gradient */
        expect_same("embedding, tied", twice, t_mul(t_matmul(one_hot, w), t_number(2)), &w, 1,
                    8 * tolerance_of(dtypes[d]));
    }
    report_notes();
}
END_TEST

/* ---- threads ---- */

static uint64_t hash_of_rows(void) {
    int depth = t_scope_open();
    const int64_t shape[] = {300, 150}, count = 400;
    Tensor *x = sample_input("r", shape, 2, 4, t_float32), *ids = sample_input("k300", &count, 1, 5, t_float32);
    uint64_t hash = hash_of_all(t_softmax(x, 1), &x, 1) ^ hash_of_all(t_log_softmax(x, 0), &x, 1);
    hash = hash * 31 ^
           hash_of_all(F_cross_entropy(x, t_narrow(sample_input("k150", &count, 1, 6, t_float32), 0, 0, 300), NULL), &x,
                       1);
    hash = hash * 31 ^ hash_of_all(F_embedding(ids, x, NULL), &x, 1);
    t_set_grad(x, t_detach(x));
    hash = hash * 31 ^ hash_of(1, nn_utils_clip_grad_norm_(list_of(x), 1, 2, false));
    t_scope_close(depth);
    return hash;
}

START_TEST(any_number_of_threads_gives_the_same_bits) {
    expect_same_with_threads(hash_of_rows);
    report_notes();
}
END_TEST

Suite *rowwise_suite(void) {
    Suite *s = suite_create("rowwise");
    TCase *c = tcase_create("rows");
    tcase_add_checked_fixture(c, support_setup, support_teardown);
    tcase_add_test(c, softmax_of_any_size);
    tcase_add_test(c, softmax_of_nan_and_infinity);
    tcase_add_test(c, cross_entropy_as_its_parts);
    tcase_add_test(c, a_nan_of_any_bits_is_one);
    tcase_add_test(c, embeddings_as_products);
    tcase_add_test(c, any_number_of_threads_gives_the_same_bits);
    suite_add_tcase(s, c);
    return s;
}
