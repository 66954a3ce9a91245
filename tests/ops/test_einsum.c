/* tests/ops/test_einsum.c: what the op table does not show of t_einsum: the ops it is composed of, and what it leaves
 * allocated. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/context.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* The ops of the records that x was made from, oldest first, with a space behind each. */
static const char *ops_of(Tensor *x) {
    static char names[400];
    char *text = NULL, op[64];
    size_t size, used = 0;
    names[0] = 0;
    FILE *file = open_memstream(&text, &size);
    (t_tape_print)(x, file);
    fclose(file);
    for (char *line = text; *line; line = strchr(line, '\n') + 1)
        if (sscanf(line, "%*d %60s", op) == 1) used += (size_t)snprintf(names + used, sizeof names - used, "%s ", op);
    free(text);
    return names;
}

static Tensor *grad_leaf(int64_t a, int64_t b, int64_t c, int64_t d) {
    return t_randn(a, b, c, d, .requires_grad = true);
}

/* The products of attention are one batched matmul each, on views. */
START_TEST(attention_is_one_matmul_on_views) {
    Tensor *qkv = grad_leaf(2, 3, 3, 8), *q = t_transpose(t_at(qkv, "..., :4"), 1, 2),
           *k = t_transpose(t_at(qkv, "..., 4:"), 1, 2);
    int64_t bytes = t_live_bytes();
    Tensor *score = t_einsum("bhid,bhjd->bhij", q, k);
    ck_assert_int_eq(t_live_bytes() - bytes, 2 * 3 * 3 * 3 * (int64_t)sizeof(float));
    ck_assert_str_eq(ops_of(score), "slice transpose slice transpose permute matmul ");
    ck_assert(t_equal(score, t_matmul(q, t_transpose(k, -2, -1))));
    Tensor *v = grad_leaf(2, 3, 3, 4), *y = t_einsum("bhij,bhjd->bhid", t_detach(score), v);
    ck_assert_str_eq(ops_of(y), "matmul ");
    ck_assert(t_equal(y, t_matmul(score, v)));
}
END_TEST

/* Rows of several dims become one dim where they lie evenly: a linear layer is one product of two matrices. */
START_TEST(a_linear_layer_is_one_product) {
    Tensor *x = t_randn(2, 3, 4), *w = t_randn(5, 4);
    int64_t bytes = t_live_bytes();
    Tensor *y = t_einsum("bti,oi->bto", x, w);
    ck_assert_int_eq(t_live_bytes() - bytes, 2 * 3 * 5 * (int64_t)sizeof(float));
    ck_assert(t_allclose(y, t_matmul(x, t_t(w)), .atol = 1e-6));
    ck_assert(t_is_contiguous(y));
}
END_TEST

START_TEST(one_operand_gives_a_view) {
    Tensor *x = t_zeros(2, 3), *same = t_einsum("ij", x), *transposed = t_einsum("ij->ji", x);
    ck_assert_ptr_ne(same, x);
    t_add_(same, 1);
    t_set(transposed, "2, 1", 5);
    expect_printed(x, "tensor([[1., 1., 1.],\n        [1., 1., 5.]])");
    expect_printed(t_einsum("ij->j", x), "tensor([2., 2., 6.])");
}
END_TEST

/* A result is a tensor in its own right: nothing else stays alive for it, and it may be written to. */
START_TEST(leaves_nothing_but_its_result) {
    Tensor *a = t_randn(2, 3), *b = t_randn(3, 4), *c = t_randn(4, 2);
    t_TensorList *operands = t_list(a, b, c);
    int64_t live = t_live_count();
    Tensor *y = (t_einsum)("ij,jk,kl->li", operands);
    ck_assert_int_eq(t_live_count(), live + 1);
    Tensor *w = t_ones(2, 3, .requires_grad = true), *z = NULL;
    with_no_grad() z = t_einsum("ij,jk->ki", w, b);
    t_mul_(z, t_sum(w));
    t_backward(t_sum(z));
    ck_assert_ptr_nonnull(t_grad(w));
    ck_assert_ptr_nonnull(y);
}
END_TEST

static bool bilinear(void *operands) {
    return (t_einsum)("bii,jk,kl->bil", operands) != NULL;
}

START_TEST(out_of_memory) {
    Tensor *a = t_randn(2, 3, 3, .requires_grad = true), *b = t_randn(1, 4, .requires_grad = true), *c = t_randn(4, 2);
    refuse_all("einsum", bilinear, NULL, t_list(a, b, c));
    report_notes();
}
END_TEST

START_TEST(no_equation_and_no_operand) {
    expect_refusal(!(t_einsum)(NULL, t_list(t_ones(2))),
                   "einsum(): argument 'equation' (position 1) must be str, not NoneType");
    expect_refusal(!(t_einsum)("i", NULL), "argument 2 is NULL where a list of tensors is expected");
    expect_refusal(!(t_einsum)("i", (t_list_new)(NULL, 0)), "einsum(): must provide at least one operand");
    expect_refusal(!t_einsum("i"), "einsum(): must provide at least one operand");
    clear_errors();
}
END_TEST

/* One matrix by a batch of any layout is one product, and so are its gradients. The values are integers: any order
 * gives the same. */
static void expect_product(Tensor *a, Tensor *b) {
    Tensor *y = t_matmul(a, b), *same = t_sum(t_mul(t_unsqueeze(a, -1), t_unsqueeze(b, -3)), -2);
    ck_assert(y && t_equal(y, same));
    if (!t_is_floating_point(a)) return;
    Tensor *g = t_randint_like(y, -4, 5);
    t_TensorList *leaves = t_list(a, b), *got = t_autograd_grad(t_list(y), leaves, .grad_outputs = t_list(g));
    t_TensorList *expected = t_autograd_grad(t_list(same), leaves, .grad_outputs = t_list(g));
    for (int i = 0; i < 2; i++) ck_assert(t_equal(t_list_get(got, i), t_list_get(expected, i)));
}

static Tensor *integers(t_DType dtype, int64_t a, int64_t b, int64_t c, int64_t d) {
    Tensor *x = t_to(t_randint(-4, 5, (a, b, c, d)), dtype);
    return dtype == t_int64 ? x : t_requires_grad_(x, true);
}

START_TEST(a_matrix_by_a_batch) {
    static const int64_t sizes[][3] = {{1, 1, 1}, {1, 40, 1}, {5, 40, 1}, {1, 3, 5}, {4, 3, 2},
                                       {16, 16, 1}, {2, 1, 3}, {0, 2, 1}, {2, 0, 1}};
    static const t_DType dtypes[] = {t_float32, t_float64, t_int64};
    for (int i = 0; i < 27; i++) {
        const int64_t m = sizes[i / 3][0], k = sizes[i / 3][1], n = sizes[i / 3][2];
        const t_DType dtype = dtypes[i % 3];
        expect_product(t_at(integers(dtype, 1, 1, m, k), "0, 0"), integers(dtype, 4, 3, k, n));
        expect_product(integers(dtype, 4, 3, m, k), t_at(integers(dtype, 1, 1, k, n), "0, 0"));
        expect_product(t_expand(integers(dtype, 4, 1, m, k), (4, 3, m, k)), integers(dtype, 4, 3, k, n));
        expect_product(integers(dtype, 4, 3, m, k), t_expand(integers(dtype, 4, 1, k, n), (4, 3, k, n)));
        expect_product(t_expand(integers(dtype, 1, 1, m, k), (4, 3, m, k)),
                       t_expand(integers(dtype, 1, 1, k, n), (4, 3, k, n)));
        expect_product(integers(dtype, 1, 3, m, k), t_transpose(integers(dtype, 4, 1, n, k), -2, -1));
        expect_product(t_at(integers(dtype, 1, 1, m, k), "0, 0"), t_at(integers(dtype, 6, 5, k, n), "1:5, 1:4"));
        expect_product(t_transpose(integers(dtype, 3, 4, m, k), 0, 1), t_at(integers(dtype, 1, 1, k, n), "0"));
    }
}
END_TEST

/* (Long sums of one column are dot products, which are added up in another order.) */
START_TEST(a_column_of_a_batch_is_as_it_is_alone) {
    t_manual_seed(1);
    Tensor *w = t_randn(18, 36), *x = t_randn(2, 36, 1), *both = t_matmul(w, x);
    HOLDS(t_equal(t_narrow(both, 0, 0, 1), t_matmul(w, t_narrow(x, 0, 0, 1))));
    Tensor *a = t_expand(t_randn(1, 18, 36), (5, 18, 36)), *b = t_expand(t_randn(1, 36, 1), (5, 36, 1)),
           *y = t_matmul(a, b);
    for_range (i, 0, 18) HOLDS(t_equal(t_narrow(y, 1, i, 1), t_matmul(t_narrow(a, 1, i, 1), b)));
}
END_TEST

Suite *einsum_suite(void);
Suite *einsum_suite(void) {
    Suite *suite = suite_create("einsum");
    TCase *tests = tcase_create("einsum");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, attention_is_one_matmul_on_views);
    tcase_add_test(tests, a_linear_layer_is_one_product);
    tcase_add_test(tests, one_operand_gives_a_view);
    tcase_add_test(tests, a_matrix_by_a_batch);
    tcase_add_test(tests, a_column_of_a_batch_is_as_it_is_alone);
    tcase_add_test(tests, leaves_nothing_but_its_result);
    tcase_add_test(tests, out_of_memory);
    tcase_add_test(tests, no_equation_and_no_operand);
    suite_add_tcase(suite, tests);
    return suite;
}
