/* tests/kernels/test_dropout.c: dropout compared with its mask, and the bits of the mask with the draws one by one. */
#include <stdlib.h>

#include "core/kernels/random/distributions.h"
#include "core/tensor/threads.h"
#include "tests/support/models/model_support.h"

static bool near(Tensor *a, Tensor *b) {
    double off = t_dtype(a) == t_float64 ? 1e-12 : 2e-5;
    return t_allclose(a, b, .rtol = off, .atol = off, .equal_nan = true);
}

START_TEST(kept_bits_are_the_draws_one_by_one) {
    static const int64_t counts[] = {1, 63, 64, 65, 311, 312, 313, 1249, 5000, 32768, 50001};
    static const double ps[] = {0, 0.9, 1, 0.1, 0x1p-53, 1 - 0x1p-53, 0x1.8p-21};
    tg_MT19937 *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    uint64_t *keep = malloc(50064 / 8);
    tg_mt_seed(a, 9);
    *b = *a;
    for (int i = 0; i < 11 * 7 * 4; i++) {
        const int64_t n = counts[i % 11];
        t_set_num_threads(1 + i % 3);
        if (i % 4 == 1) ck_assert(tg_mt_uint32(a) == tg_mt_uint32(b)); /* from an odd position */
        tg_draw_dropout_mask(a, keep, n, ps[i % 7]);
        bool same = true;
        for (int64_t j = 0; j < (n + 63) / 64 * 64; j++)
            same &= (keep[j / 64] >> j % 64 & 1) == (j < n && tg_mt_double(b) < ps[i % 7]);
        ck_assert(same && tg_mt_uint64(a) == tg_mt_uint64(b));
    }
    free(a), free(b), free(keep);
}
END_TEST

START_TEST(dropout_is_a_product_with_its_mask) {
    Tensor *whole = t_randn(40, 33, 7), *x[] = {whole, t_permute(whole, 2, 0, 1), t_at(whole, ":, ::2, 1:4"),
                                                t_double(whole), t_at(whole, "0, 0, :1")};
    for (int i = 0; i < 5; i++) {
        Tensor *in = t_requires_grad_(t_detach(x[i]), true), *y = F_dropout(in, 0.25), *seen = t_ne(y, 0);
        Tensor *mask = t_div(t_to(seen, t_dtype(in)), t_full((1), 0.75, .dtype = t_dtype(in))), *dy = t_randn_like(in);
        HOLDS(near(y, t_mul(x[i], mask)));
        Tensor *dx = t_autograd_grad(y, in, .grad_outputs = dy, .create_graph = true)->items[0];
        HOLDS(near(dx, t_mul(dy, mask)));
        t_backward(y, dy);
        HOLDS(t_equal(t_grad(in), dx));
    }
    Tensor *odd = t_expand(t_tensor("[nan, inf, -1, 0]", .dtype = t_float32), 64, 4),
           *y = F_dropout(t_contiguous(odd), 0.5);
    HOLDS(t_is_true(t_all(t_isnan(t_at(y, ":, 0")))) && !t_is_true(t_any(t_isfinite(t_at(y, ":, 1")))));
    HOLDS(t_is_true(t_all(t_signbit(t_at(y, ":, 2")))));
}
END_TEST

Suite *dropout_suite(void);
Suite *dropout_suite(void) {
    Suite *suite = suite_create("dropout");
    TCase *tests = tcase_create("dropout");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, kept_bits_are_the_draws_one_by_one);
    tcase_add_test(tests, dropout_is_a_product_with_its_mask);
    suite_add_tcase(suite, tests);
    return suite;
}
