/* tests/nn/transformer/test_attention.c: fused attention, which never stores its weights, compared with the composed
 * form. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/threads.h"
#include "tests/support/models/model_support.h"

/* ---- the composed form ---- */

typedef struct Case {
    t_DType dtype;
    int64_t B, H, h, Sq, Sk, d; /* h: heads of key and value */
    int64_t mask[4];            /* its sizes; 0: none */
    bool causal, bias;
    double dropout;
} Case;

static Tensor *heads_for(Tensor *x, int64_t H) {
    int64_t B = t_size(x, 0), h = t_size(x, 1), S = t_size(x, 2), d = t_size(x, 3);
    return t_reshape(t_expand(t_unsqueeze(x, 2), B, h, H / h, S, d), B, H, S, d);
}

static Tensor *in_ops(Tensor *q, Tensor *k, Tensor *v, Tensor *mask, const Case *c) {
    Tensor *scores = t_matmul(t_div(q, sqrt((double)c->d)), t_transpose(heads_for(k, c->H), -2, -1));
    if (c->bias) scores = t_add(scores, mask);
    else if (mask) scores = t_masked_fill(scores, t_logical_not(mask), -INFINITY);
    if (c->causal) scores = t_masked_fill(scores, t_logical_not(t_bool(t_tril(t_ones(c->Sq, c->Sk)))), -INFINITY);
    Tensor *weights = t_softmax(scores, -1), *masked = t_all(t_eq(scores, -INFINITY), -1, .keepdim = true);
    if (mask) weights = t_masked_fill(t_softmax(t_masked_fill(scores, masked, 0), -1), masked, 0);
    return t_matmul(F_dropout(weights, c->dropout), heads_for(v, c->H));
}

static Tensor *fused(Tensor *q, Tensor *k, Tensor *v, Tensor *mask, const Case *c) {
    return F_scaled_dot_product_attention(q, k, v, mask, .dropout_p = c->dropout, .is_causal = c->causal,
                                          .enable_gqa = c->h != c->H);
}

/* (B, heads, S, d) as a view of (B, S, heads, d), or contiguous. */
static Tensor *random_heads(int64_t B, int64_t heads, int64_t S, int64_t d, t_DType dtype, bool split) {
    if (split) return t_transpose(t_randn(B, S, heads, d, .dtype = dtype), 1, 2);
    return t_randn(B, heads, S, d, .dtype = dtype);
}

static bool near(Tensor *a, Tensor *b) {
    double off = t_dtype(a) == t_float64 ? 1e-12 : 2e-5;
    return t_allclose(a, b, .rtol = off, .atol = off, .equal_nan = true);
}

static void expect_as_in_ops(const Case *c, const char *what) {
    Tensor *x[3], *y[2], *dx[2][3];
    Tensor *mask = c->mask[0] ? t_gt(t_rand(c->mask[0], c->mask[1], c->mask[2], c->mask[3]), 0.4) : NULL;
    if (c->bias) mask = t_masked_fill(t_randn_like(t_to(mask, c->dtype)), mask, -INFINITY);
    bool split = c->Sq % 2;
    for (int i = 0; i < 3; i++) x[i] = random_heads(c->B, i ? c->h : c->H, i ? c->Sk : c->Sq, c->d, c->dtype, split);
    Tensor *dy = random_heads(c->B, c->H, c->Sq, c->d, c->dtype, !split);
    int64_t next[2];
    for (int way = 0; way < 2; way++) {
        Tensor *in[3];
        t_manual_seed(7);
        for (int i = 0; i < 3; i++) in[i] = t_requires_grad_(t_detach(x[i]), true);
        y[way] = (way ? fused : in_ops)(in[0], in[1], in[2], mask, c);
        next[way] = t_random_int64(NULL);
        if (way) ck_assert_str_eq(t_grad_fn(y[way]), "ScaledDotProductFlashAttentionForCpuBackward0");
        t_backward(y[way], dy);
        for (int i = 0; i < 3; i++) dx[way][i] = t_grad(in[i]);
    }
    ck_assert_msg(next[0] == next[1], "%s: other random numbers", what);
    ck_assert_msg(near(y[0], y[1]), "%s: the values of %d x %d x %d", what, (int)c->Sq, (int)c->Sk, (int)c->d);
    for (int i = 0; i < 3; i++)
        ck_assert_msg(near(dx[0][i], dx[1][i]), "%s: gradient %d of %d x %d x %d", what, i, (int)c->Sq, (int)c->Sk,
                      (int)c->d);
}

static const int64_t sizes[] = {1, 3, 20, 50, 65, 130};

START_TEST(values_and_gradients_are_those_of_the_ops) {
    static const int64_t ds[] = {8, 32, 64, 65};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            with_scope() {
                Case c = {
                    (i + j) % 2 ? t_float64 : t_float32, 2, 2, 2, sizes[i], sizes[j], ds[(i + 2 * j) % 4], .mask = {0}};
                expect_as_in_ops(&c, "plain");
                c.causal = true;
                expect_as_in_ops(&c, "causal");
                c.dropout = 0.3;
                c.h = 1;
                expect_as_in_ops(&c, "causal, dropout, shared heads");
            }
}
END_TEST

START_TEST(masks_of_every_form) {
    for (int form = 0; form < 16; form++)
        for (int dtype = t_float32; dtype <= t_float64; dtype++)
            with_scope() {
                Case c = {(t_DType)dtype, 2, 3, 3, 20, 70, 32, .mask = {0}};
                const int64_t full[] = {2, 3, 20, 70};
                for (int d = 0; d < 4; d++) c.mask[d] = form >> d & 1 ? full[d] : 1;
                expect_as_in_ops(&c, "mask");
                c.dropout = 0.5;
                expect_as_in_ops(&c, "mask and dropout");
                c.bias = true;
                expect_as_in_ops(&c, "bias and dropout");
            }
}
END_TEST

START_TEST(few_queries_are_computed_one_by_one) {
    static const int64_t keys[] = {2, 7, 64, 70, 150}, ds[] = {8, 40, 96, 128};
    for (int i = 0; i < 5 * 4 * 3; i++)
        for (int dtype = t_float32; dtype <= t_float64; dtype++)
            with_scope() {
                Case c = {(t_DType)dtype, 2, 4, i % 2 ? 2 : 4, 1 + i % 3, keys[i / 3 % 5], ds[i / 15], .mask = {0}};
                expect_as_in_ops(&c, "few");
                c.causal = true;
                expect_as_in_ops(&c, "few, causal");
                c.causal = false;
                const int64_t mask[] = {2, i % 2 ? 1 : 4, i % 4 ? c.Sq : 1, c.Sk};
                memcpy(c.mask, mask, sizeof mask);
                expect_as_in_ops(&c, "few, masked");
                c.bias = true;
                expect_as_in_ops(&c, "few, with a bias");
            }
}
END_TEST

/* The outputs of the last queries do not depend, bit for bit, on whether the other queries are computed too. */
START_TEST(few_queries_give_the_bits_of_many) {
    static const int64_t keys[] = {5, 8, 20, 63, 64, 65, 91, 150, 300}, ds[] = {8, 24, 64, 100};
    for (int i = 0; i < 9 * 4; i++)
        for (int dtype = t_float32; dtype <= t_float64; dtype++)
            with_scope() {
                const int64_t S = keys[i / 4], d = ds[i % 4];
                Tensor *x[3];
                for (int j = 0; j < 3; j++) x[j] = random_heads(2, 3, S, d, (t_DType)dtype, j % 2);
                Tensor *all = F_scaled_dot_product_attention(x[0], x[1], x[2], .is_causal = true);
                for (int64_t n = 1; n < 5; n++) {
                    Tensor *mask = t_bool(t_tril(t_ones(n, S), S - n)), *q = t_narrow(x[0], 2, S - n, n);
                    HOLDS(t_equal(t_narrow(all, 2, S - n, n),
                                  F_scaled_dot_product_attention(q, x[1], x[2], n > 1 ? mask : NULL)));
                }
            }
}
END_TEST

/* ---- other strides, ranks and values ---- */

START_TEST(any_strides_and_ranks) {
    Tensor *packed = t_randn(2, 5, 3, 4, 8, .requires_grad = true), *x[3], *transposed[3];
    for (int i = 0; i < 3; i++) {
        x[i] = t_transpose(t_select(packed, 2, i), 1, 2); /* one projection for all */
        transposed[i] = t_transpose(t_contiguous(t_transpose(x[i], -2, -1)), -2, -1);
    }
    Tensor *y = F_scaled_dot_product_attention(x[0], x[1], x[2]);
    HOLDS(t_is_contiguous(t_transpose(y, 1, 2)));
    HOLDS(t_equal(y, F_scaled_dot_product_attention(transposed[0], transposed[1], transposed[2])));
    Tensor *three = F_scaled_dot_product_attention(t_select(x[0], 0, 1), t_select(x[1], 0, 1), t_select(x[2], 0, 1));
    HOLDS(t_dim(three) == 3 && t_equal(three, t_select(y, 0, 1)));
    Tensor *wide = t_expand(t_narrow(x[1], 1, 0, 1), 2, 4, 5, 8); /* one head for all by a stride of 0 */
    HOLDS(t_equal(F_scaled_dot_product_attention(x[0], wide, wide),
                  F_scaled_dot_product_attention(x[0], t_clone(wide), t_contiguous(wide))));
    t_backward(t_sum(y)); /* dy is one value, expanded */
    Tensor *grad = t_grad(packed), *again = t_requires_grad_(t_detach(t_clone(packed)), true);
    for (int i = 0; i < 3; i++) x[i] = t_transpose(t_select(again, 2, i), 1, 2);
    Case c = {t_float32, 2, 4, 4, 5, 5, 8, .mask = {0}};
    t_backward(t_sum(in_ops(x[0], x[1], x[2], NULL, &c)));
    HOLDS(near(grad, t_grad(again)));
}
END_TEST

START_TEST(nan_and_infinity_propagate_as_in_the_ops) {
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e38};
    for (int i = 0; i < 4; i++)
        for (int which = 0; which < 3; which++) {
            Case c = {t_float32, 1, 1, 1, 9, 70, 16, .mask = {0}};
            Tensor *x[3];
            for (int j = 0; j < 3; j++) x[j] = t_randn(1, 1, j ? 70 : 9, 16);
            t_set(x[which], "0, 0, 5, 3", odd[i]);
            HOLDS(near(in_ops(x[0], x[1], x[2], NULL, &c), fused(x[0], x[1], x[2], NULL, &c)));
        }
}
END_TEST

/* A weight of 0 times NaN is NaN, also for 64 keys that no query of a block sees. */
START_TEST(masked_values_that_are_not_finite_count) {
    static const double odd[] = {NAN, INFINITY, 3};
    for (int real = t_float32; real <= t_float64; real++)
        for (int i = 0; i < 3; i++)
            for (int which = 1; which < 5; which++) {
                const int queries = which > 2 ? 9 : 2;
                Case c = {real, 1, 1, 1, queries, 200, 8, .mask = {0}};
                Tensor *mask = t_ones(1, 1, queries, 200, .dtype = t_bool), *x[3], *y[2], *dq[2];
                t_set(mask, "..., 64:128", 0);
                for (int j = 0; j < 3; j++) x[j] = t_randn(1, 1, j ? 200 : queries, 8, .dtype = real);
                t_set(x[1 + which % 2], "0, 0, 70, 3", odd[i]);
                for (int way = 0; way < 2; way++) {
                    Tensor *q = t_requires_grad_(t_detach(x[0]), true);
                    y[way] = (way ? fused : in_ops)(q, x[1], x[2], mask, &c);
                    dq[way] = t_grad(t_sum(y[way]), t_list(q))->items[0];
                }
                HOLDS(near(y[0], y[1]));
                HOLDS(near(dq[0], dq[1]));
            }
}
END_TEST

/* Where PyTorch saves something else, the result may be written to before the backward; where it is saved there too, it
 * may not. */
START_TEST(a_result_that_is_shared_may_be_written_to) {
    for (int ndim = 3; ndim <= 4; ndim++)
        for (int drops = 0; drops < 2; drops++)
            for (int writes = 0; writes < 2; writes++) {
                Tensor *q = t_randn((1, 2, 5, 8), .requires_grad = true), *x = ndim == 4 ? q : t_squeeze(q, 0);
                t_manual_seed(3);
                Tensor *y = F_scaled_dot_product_attention(x, x, x, .dropout_p = 0.5 * drops),
                       *one = t_grad(t_sum(y), t_list(q), .retain_graph = true)->items[0];
                if (writes) t_mul_(y, t_number(2));
                t_TensorList *two = t_grad(t_sum(y), t_list(q));
                if (writes && ndim == 4 && !drops) {
                    HOLDS(!two && strstr(t_error(), "modified by an inplace operation"));
                    t_clear_error();
                } else {
                    HOLDS(two && near(t_mul(one, t_number(1 + writes)), two->items[0]));
                }
            }
}
END_TEST

START_TEST(a_query_without_keys_gives_nothing) {
    Tensor *q = t_randn(1, 2, 3, 8, .requires_grad = true), *k = t_randn(1, 2, 4, 8, .requires_grad = true),
           *mask = t_bool(t_ones(3, 4));
    t_set(mask, "1", false);
    Tensor *y = F_scaled_dot_product_attention(q, k, k, mask);
    t_backward(t_sum(t_mul(y, t_randn(1, 2, 3, 8))));
    HOLDS(t_is_true(t_all(t_eq(t_at(y, ":, :, 1"), 0))) && t_is_true(t_all(t_eq(t_at(t_grad(q), ":, :, 1"), 0))));
    HOLDS(t_is_true(t_all(t_ne(t_at(t_grad(q), ":, :, ::2"), 0))) && t_is_true(t_all(t_isfinite(t_grad(k)))));
}
END_TEST

static t_TensorList *attend_list(t_TensorList *x, void *mask) {
    return t_list(
        F_scaled_dot_product_attention(x->items[0], x->items[1], x->items[2], (Tensor *)mask, .enable_gqa = true));
}

START_TEST(numerical_gradients_agree_and_a_second_backward_too) {
    Tensor *mask = t_tensor("[[True, True, False, True], [False, True, True, True], [True, False, True, True]]");
    t_TensorList *x = t_list(t_randn(1, 4, 3, 2, .dtype = t_float64, .requires_grad = true),
                             t_randn(1, 2, 4, 2, .dtype = t_float64, .requires_grad = true),
                             t_randn(1, 2, 4, 2, .dtype = t_float64, .requires_grad = true));
    HOLDS(t_gradcheck(attend_list, x, .context = mask));
    HOLDS(t_gradgradcheck(attend_list, x, .context = mask, .fast_mode = true));
}
END_TEST

/* The gradients with create_graph, composed of ops, equal those of the kernel, with dropout too. */
START_TEST(composed_and_fused_gradients_agree) {
    Case c = {t_float64, 2, 2, 1, 20, 33, 8, .causal = true, .dropout = 0.4};
    Tensor *x[3], *dx[2][3];
    for (int i = 0; i < 3; i++)
        x[i] = t_requires_grad_(random_heads(2, i ? 1 : 2, i ? 33 : 20, 8, t_float64, true), true);
    for (int graph = 0; graph < 2; graph++) {
        t_manual_seed(3);
        t_TensorList *grads = t_autograd_grad(t_sum(t_sin(fused(x[0], x[1], x[2], NULL, &c))), t_list(x[0], x[1], x[2]),
                                              .create_graph = graph);
        for (int i = 0; i < 3; i++) dx[graph][i] = grads->items[i];
    }
    for (int i = 0; i < 3; i++) HOLDS(near(dx[0][i], dx[1][i]) && t_requires_grad(dx[1][i]));
}
END_TEST

START_TEST(memory_grows_with_the_length) {
    int64_t S = 2048, d = 16, before;
    Tensor *x = t_randn(1, 1, S, d, .requires_grad = true);
    before = t_live_bytes();
    Tensor *y = F_scaled_dot_product_attention(x, x, x, .is_causal = true);
    ck_assert_int_lt(t_live_bytes() - before, 2 * S * d * 4); /* the weights would be 16 MB */
    t_backward(t_sum(y));
    ck_assert_int_lt(t_live_bytes() - before, 4 * S * d * 4);
    before = t_live_bytes();
    Tensor *dropped = F_scaled_dot_product_attention(x, x, x, .is_causal = true, .dropout_p = 0.1);
    ck_assert_int_lt(t_live_bytes() - before, 2 * S * d * 4 + S * S / 8);
    HOLDS(t_is_true(t_all(t_isfinite(dropped))));
}
END_TEST

START_TEST(threads_do_not_change_a_bit) {
    static const int counts[] = {1, 2, 3, 8};
    Tensor *x = t_randn(3, 200, 96), *first[2] = {NULL};
    for (int shared = 0; shared < 2; shared++) /* enough heads for all threads, and one head whose queries are split */
        for (int i = 0; i < 4; i++) {
            t_set_num_threads(counts[i]);
            t_manual_seed(11);
            Tensor *in = t_requires_grad_(t_detach(shared ? t_narrow(x, 0, 0, 1) : x), true);
            Tensor *heads = t_transpose(t_view(in, shared ? 1 : 3, 200, shared ? 1 : 6, -1), 1, 2);
            Tensor *y = F_dropout(
                F_scaled_dot_product_attention(heads, heads, heads, .is_causal = true, .dropout_p = 0.2), 0.3);
            t_backward(t_sum(t_sin(y)));
            if (i) HOLDS(t_equal(first[0], y) && t_equal(first[1], t_grad(in)));
            first[0] = y;
            first[1] = t_grad(in);
        }
}
END_TEST

/* As PyTorch's: the fused kernel's result is made by empty_like(query), everything else is contiguous. */
START_TEST(the_result_has_the_memory_layout_of_the_query) {
    for (int grad = 0; grad < 2; grad++) {
        Tensor *dense = t_randn(2, 3, 5, 16, .requires_grad = grad);
        Tensor *rows = t_randn(2, 5, 3, 16, .requires_grad = grad);
        Tensor *q = t_transpose(rows, 1, 2), *mask = t_ones(5, 5, .dtype = t_bool), *y;
        HOLDS(t_view((y = F_scaled_dot_product_attention(dense, dense, dense)), 2, -1) != NULL && t_is_contiguous(y));
        HOLDS(t_is_contiguous(F_scaled_dot_product_attention(dense, q, q, mask)));
        HOLDS(t_is_contiguous(t_transpose(F_scaled_dot_product_attention(q, dense, dense, mask), 1, 2)));
        HOLDS(t_is_contiguous(t_transpose(F_scaled_dot_product_attention(q, q, q, .is_causal = true), 1, 2)));
        HOLDS(t_is_contiguous(F_scaled_dot_product_attention(q, q, q, t_unsqueeze(mask, 0))));
        HOLDS(t_is_contiguous(F_scaled_dot_product_attention(q, q, q, .dropout_p = 0.1)));
        Tensor *last = t_transpose(t_randn(2, 3, 16, 5, .requires_grad = grad), 2, 3);
        Tensor *three = t_transpose(t_randn(5, 2, 4, .requires_grad = grad), 0, 1);
        HOLDS(t_is_contiguous(F_scaled_dot_product_attention(last, dense, dense)));
        Tensor *shared = t_expand(t_randn(1, 3, 5, 16), 2, 3, 5, 16);
        HOLDS(t_is_contiguous(F_scaled_dot_product_attention(shared, dense, dense)));
        HOLDS(t_is_contiguous(t_transpose(F_scaled_dot_product_attention(three, three, three), 0, 1)));
        Tensor *slice = t_at(t_randn(5, 8, .requires_grad = grad), ":, :4");
        HOLDS(t_is_contiguous(F_scaled_dot_product_attention(slice, slice, slice)));
        if (!grad) continue;
        t_backward(t_sum(t_view(y, 2, -1)));
        HOLDS(t_is_true(t_all(t_isfinite(t_grad(dense)))));
    }
}
END_TEST

/* ---- the module ---- */

START_TEST(the_module_is_the_same_with_and_without_weights) {
    nn_MultiHeadAttention *mha = nn_MultiHeadAttention(24, 3, 0.25);
    Tensor *x = t_randn(2, 9, 24), *memory = t_randn(2, 13, 24),
           *masks[] = {NULL, t_gt(t_rand(9, 13), 0.5), t_gt(t_rand(2, 1, 13), 0.3),
                       t_float(t_gt(t_rand(2, 3, 9, 13), 0.8))};
    for (int i = 0; i < 4; i++) {
        Tensor *y[2], *dx[2], *dw[2], *weights;
        for (int asked = 0; asked < 2; asked++) {
            t_manual_seed(2);
            Tensor *in = t_requires_grad_(t_detach(x), true);
            y[asked] = nn_MultiHeadAttention_call(mha, in, memory, memory, masks[i], asked ? &weights : NULL);
            t_backward(t_sum(t_sin(y[asked])));
            dx[asked] = t_grad(in);
            dw[asked] = t_clone(t_grad(mha->W_k->weight));
            for_named (p, nn_named_parameters(mha)) t_set_grad(p->tensor, NULL);
        }
        HOLDS(near(y[0], y[1]) && near(dx[0], dx[1]) && near(dw[0], dw[1]));
    }
}
END_TEST

/* A module that replaces the dropout is called, and an invalid p is an error, as without fusion. */
START_TEST(a_replaced_dropout_is_used) {
    nn_MultiHeadAttention *mha = nn_MultiHeadAttention(8, 2, .dropout = 0.5);
    Tensor *x = t_randn(2, 5, 8), *weights = NULL;
    mha->dropout->p = 1.5;
    ck_assert_ptr_null(nn_MultiHeadAttention_call(mha, x, x, x, NULL, NULL));
    t_clear_error();
    nn_set(mha, dropout, (nn_Dropout *)nn_Identity());
    Tensor *y = nn_MultiHeadAttention_call(mha, x, x, x, NULL, NULL),
           *z = nn_MultiHeadAttention_call(mha, x, x, x, NULL, &weights);
    ck_assert(t_allclose(y, z, .rtol = 1e-5, .atol = 1e-6));
}
END_TEST

Suite *attention_suite(void) {
    Suite *suite = suite_create("attention");
    TCase *tests = tcase_create("attention");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, values_and_gradients_are_those_of_the_ops);
    tcase_add_test(tests, masks_of_every_form);
    tcase_add_test(tests, few_queries_are_computed_one_by_one);
    tcase_add_test(tests, few_queries_give_the_bits_of_many);
    tcase_add_test(tests, any_strides_and_ranks);
    tcase_add_test(tests, nan_and_infinity_propagate_as_in_the_ops);
    tcase_add_test(tests, masked_values_that_are_not_finite_count);
    tcase_add_test(tests, a_result_that_is_shared_may_be_written_to);
    tcase_add_test(tests, a_query_without_keys_gives_nothing);
    tcase_add_test(tests, numerical_gradients_agree_and_a_second_backward_too);
    tcase_add_test(tests, composed_and_fused_gradients_agree);
    tcase_add_test(tests, the_result_has_the_memory_layout_of_the_query);
    tcase_add_test(tests, memory_grows_with_the_length);
    tcase_add_test(tests, threads_do_not_change_a_bit);
    tcase_add_test(tests, the_module_is_the_same_with_and_without_weights);
    tcase_add_test(tests, a_replaced_dropout_is_used);
    suite_add_tcase(suite, tests);
    return suite;
}
