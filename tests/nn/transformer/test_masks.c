/* tests/nn/transformer/test_masks.c: the masks of nn/transformer/mask.h, and masks in attention: both polarities, every
 * dtype, invalid masks, and fully masked queries. */
#include <math.h>
#include <stdlib.h>

#include "core/tensor/context.h"
#include "tests/support/models/model_support.h"
#include "tests/support/refusals.h"

/* ---- constructors ---- */

START_TEST(masks_are_as_their_names_say) {
    Tensor *ids = t_tensor("[[5, 0, 3], [0, 2, 0]]");
    expect_printed(nn_keep_padding(ids, 0),
                   "tensor([[[[ True, False,  True]]],\n\n\n        [[[False,  True, False]]]])");
    expect_printed(nn_hide_padding(ids, 0),
                   "tensor([[[[False,  True, False]]],\n\n\n        [[[ True, False,  True]]]])");
    expect_printed(nn_keep_causal(3),
                   "tensor([[ True, False, False],\n        [ True,  True, False],\n        [ True,  True,  True]])");
    expect_printed(nn_hide_causal(3),
                   "tensor([[False,  True,  True],\n        [False, False,  True],\n        [False, False, False]])");
    expect_printed(
        nn_keep_target(ids, 0),
        "tensor([[[[ True, False, False],\n          [ True, False, False],\n          [ True, False,  True]]],\n\n\n"
        "        [[[False, False, False],\n          [False,  True, False],\n          [False,  True, False]]]])");
    HOLDS(t_equal(nn_hide_target(ids, 0), t_logical_not(nn_keep_target(ids, 0))));
    HOLDS(t_equal(nn_hide_target(ids, 0), t_logical_or(nn_hide_padding(ids, 0), nn_hide_causal(3))));
    HOLDS(t_equal(nn_keep_padding(ids, 3), t_unsqueeze(t_unsqueeze(t_ne(ids, 3), 1), 1)));
}
END_TEST

START_TEST(masks_of_nothing_have_a_shape) {
    Tensor *none = t_zeros(2, 0, .dtype = t_int64);
    ck_assert_str_eq(t_size_repr(nn_keep_padding(none, 0)), "torch.Size([2, 1, 1, 0])");
    ck_assert_str_eq(t_size_repr(nn_hide_target(none, 0)), "torch.Size([2, 1, 0, 0])");
    ck_assert_str_eq(t_size_repr(nn_keep_causal(0)), "torch.Size([0, 0])");
    ck_assert_int_eq(t_dtype(nn_hide_target(none, 0)), t_bool);
}
END_TEST

#define NO_IDS "a mask is made of token ids, (batch, length) of int64, but they have shape "

START_TEST(masks_refuse_what_is_no_ids) {
    Tensor *(*const makers[])(Tensor *, int64_t) = {nn_keep_padding, nn_hide_padding, nn_keep_target, nn_hide_target};
    for (int i = 0; i < 4; i++) {
        expect_refusal(!makers[i](t_ones(2, 3), 0), NO_IDS "[2, 3] and dtype float32");
        expect_refusal(!makers[i](t_ones(3, .dtype = t_int64), 0), NO_IDS "[3] and dtype int64");
        expect_refusal(!makers[i](NULL, 0), "argument 1 is NULL where a tensor is expected");
    }
    REFUSES(nn_keep_causal(-1), "Trying to create tensor with negative dimension -1: [-1, -1]");
    REFUSES(nn_hide_padding(t_ones(2, 3, 1, .dtype = t_int64), 0), NO_IDS "[2, 3, 1] and dtype int64");
}
END_TEST

START_TEST(a_mask_leaves_only_its_result) {
    Tensor *ids = t_tensor("[[5, 0, 3], [0, 2, 0]]");
    int64_t live = t_live_count();
    nn_keep_target(ids, 0);
    nn_hide_target(ids, 0);
    nn_keep_padding(ids, 0);
    nn_hide_causal(4);
    ck_assert_int_eq(t_live_count(), live + 4 + 1); /* a padding mask is a view of what it was made from */
}
END_TEST

static bool hides(void *ids) {
    return nn_hide_target((Tensor *)ids, 0) != NULL;
}

START_TEST(masks_fail_cleanly_without_memory) {
    refuse_all("nn_hide_target", hides, NULL, t_tensor("[[5, 0, 3], [0, 2, 0]]"));
    report_notes();
}
END_TEST

/* ---- dtypes and polarities ---- */

/* Two modules with the same parameters and opposite polarities. */
typedef struct Pair {
    nn_MultiHeadAttention *zero, *one;
} Pair;

static Pair attention_pair(void) {
    Pair pair;
    t_manual_seed(1);
    pair.zero = nn_MultiHeadAttention(4, 2, 0);
    t_manual_seed(1);
    pair.one = nn_MultiHeadAttention(4, 2, 0, .polarity = nn_one_hides);
    return pair;
}

START_TEST(a_mask_of_any_dtype_means_the_same) {
    Pair pair = attention_pair();
    Tensor *x = t_randn(2, 3, 4), *keep = t_gt(t_rand(2, 3, 3), 0.4), *hide = t_logical_not(keep);
    Tensor *weights, *same, *y = nn_MultiHeadAttention_call(pair.zero, x, x, x, keep, &weights);
    HOLDS(t_equal(t_eq(weights, 0), t_expand_as(t_unsqueeze(hide, 1), weights)));
    for (int dtype = t_bool; dtype <= t_float64; dtype++) {
        HOLDS(t_equal(y, nn_MultiHeadAttention_call(pair.zero, x, x, x, t_to(keep, (t_DType)dtype), &same)));
        HOLDS(t_equal(weights, same));
        HOLDS(t_equal(y, nn_MultiHeadAttention_call(pair.one, x, x, x, t_to(hide, (t_DType)dtype), &same)));
        HOLDS(t_equal(weights, same));
    }
    /* A negative zero counts as zero, with attention weights and without. */
    Tensor *odd = t_where(keep, t_ones(1), t_tensor("[-0.0]"));
    HOLDS(t_equal(y, nn_MultiHeadAttention_call(pair.zero, x, x, x, odd, &same)));
    y = nn_MultiHeadAttention_call(pair.zero, x, x, x, keep, NULL);
    HOLDS(t_equal(y, nn_MultiHeadAttention_call(pair.zero, x, x, x, odd, NULL)));
    for (int dtype = t_bool; dtype <= t_float64; dtype++) {
        HOLDS(t_equal(y, nn_MultiHeadAttention_call(pair.zero, x, x, x, t_to(keep, (t_DType)dtype), NULL)));
        HOLDS(t_equal(y, nn_MultiHeadAttention_call(pair.one, x, x, x, t_to(hide, (t_DType)dtype), NULL)));
    }
}
END_TEST

#define ZERO_HIDES "MultiHeadAttention: 0 in a mask hides a key and 1 shows it (nn_zero_hides), but this mask contains "
#define ONE_HIDES "MultiHeadAttention: 1 in a mask hides a key and 0 shows it (nn_one_hides), but this mask contains "
#define ADDED ". A mask that is added to the scores (-inf hides) becomes one by "

START_TEST(refuses_a_mask_that_is_not_of_0_and_1) {
    Pair pair = attention_pair();
    Tensor *x = t_randn(1, 2, 4);
#define WITH(which, mask) nn_MultiHeadAttention_call(pair.which, x, x, x, mask, NULL)
    REFUSES(WITH(zero, t_tensor("[[0, -inf], [0, 0]]")), ZERO_HIDES "-inf" ADDED "t_eq(mask, 0)");
    REFUSES(WITH(one, t_tensor("[[0, -inf], [0, 0]]")), ONE_HIDES "-inf" ADDED "t_ne(mask, 0)");
    REFUSES(WITH(zero, t_tensor("[[0, 0], [-1e9, 0]]")), ZERO_HIDES "-1e+09" ADDED "t_eq(mask, 0)");
    REFUSES(WITH(one, t_tensor("[[1, 0], [0, 2]]")), ONE_HIDES "2" ADDED "t_ne(mask, 0)");
    REFUSES(WITH(zero, t_tensor("[[1, 0.5], [nan, 1]]")), ZERO_HIDES "0.5" ADDED "t_eq(mask, 0)");
    REFUSES(WITH(zero, t_tensor("[[1, 1], [nan, 1]]")), ZERO_HIDES "nan" ADDED "t_eq(mask, 0)");
    REFUSES(WITH(zero, t_t(t_tensor("[[1, 1], [-1, 0]]"))), ZERO_HIDES "-1" ADDED "t_eq(mask, 0)");
    HOLDS(WITH(zero, t_eq(t_tensor("[[0, -inf], [0, 0]]"), 0)) != NULL);
}
END_TEST

/* The records that a mask adds to the tape: none; with need_weights one fill, and two more if a query is fully
 * masked. */
START_TEST(a_mask_costs_one_pass_over_the_scores) {
    Pair pair = attention_pair();
    Tensor *x = t_randn(1, 2, 4),
           *masks[] = {NULL, t_ones(2, 2), t_tensor("[[1, 0], [0, 1]]"), t_tensor("[[1, 0], [0, 0]]")};
    Tensor *weights;
    int64_t made[4], plain[4];
    for (int i = 0; i < 4; i++) {
        int64_t before = tg_thread.records_made;
        nn_MultiHeadAttention_call(pair.zero, x, x, x, masks[i], &weights);
        made[i] = tg_thread.records_made - before;
        nn_MultiHeadAttention_call(pair.zero, x, x, x, masks[i], NULL);
        plain[i] = tg_thread.records_made - before - made[i];
        ck_assert_int_eq(plain[i], plain[0]);
    }
    ck_assert_int_lt(plain[0], made[0]);
    ck_assert_int_eq(made[1], made[0] + 1);
    ck_assert_int_eq(made[2], made[0] + 1);
    ck_assert_int_eq(made[3], made[0] + 3);
}
END_TEST

/* ---- rows with some key: as softmax(masked_fill(-1e9)) ---- */

static Tensor *split(Tensor *x) {
    return t_transpose(t_view(x, t_size(x, 0), t_size(x, 1), 2, 2), 1, 2);
}

START_TEST(visible_rows_are_those_of_a_finite_fill) {
    for (int dtype = t_float32; dtype <= t_float64; dtype++) {
        nn_MultiHeadAttention *mha = nn_to(nn_MultiHeadAttention(4, 2, 0), (t_DType)dtype);
        Tensor *x = t_to(t_randn(2, 3, 4), (t_DType)dtype), *memory = t_to(t_randn(2, 5, 4), (t_DType)dtype);
        Tensor *mask = t_logical_or(t_gt(t_rand(2, 1, 3, 5), 0.5), t_eq(t_arange(5), 2)), *weights;
        Tensor *y = nn_MultiHeadAttention_call(mha, x, memory, memory, mask, &weights);
        Tensor *q = split(nn_call(mha->W_q, x)), *k = split(nn_call(mha->W_k, memory)),
               *v = split(nn_call(mha->W_v, memory));
        Tensor *scores = t_masked_fill(t_div(t_matmul(q, t_transpose(k, 2, 3)), sqrt(2)), t_eq(mask, 0), -1e9);
        Tensor *expected = t_softmax(scores, -1);
        HOLDS(t_equal(weights, expected));
        HOLDS(t_equal(y, nn_call(mha->W_o, t_reshape(t_transpose(t_matmul(expected, v), 1, 2), 2, 3, 4))));
    }
}
END_TEST

/* ---- rows without any key ---- */

static bool all_finite(Tensor *x) {
    return t_is_true(t_all(t_isfinite(x)));
}

static void gradients_are_finite(void *module) {
    for_named (p, nn_named_parameters(module)) HOLDS(t_grad(p->tensor) && all_finite(t_grad(p->tensor)));
}

START_TEST(a_fully_masked_query_has_zero_output_and_gradient) {
    t_manual_seed(3); /* with one seed in 500, dropout leaves a query without visible keys */
    for (int dtype = t_float32; dtype <= t_float64; dtype++) {
        nn_MultiHeadAttention *mha = nn_to(nn_MultiHeadAttention(4, 2, 0.5), (t_DType)dtype);
        Tensor *q = t_requires_grad_(t_to(t_randn(2, 3, 4), (t_DType)dtype), true);
        Tensor *k = t_requires_grad_(t_to(t_randn(2, 5, 4), (t_DType)dtype), true);
        Tensor *mask = t_ones(2, 3, 5), *weights;
        t_set(mask, "0, 1", 0);
        t_set(mask, "1", 0); /* all of a sample */
        Tensor *y = nn_MultiHeadAttention_call(mha, q, k, k, mask, &weights);
        HOLDS(t_is_true(t_all(t_eq(t_at(weights, "0, :, 1"), 0))));
        HOLDS(t_is_true(t_all(t_eq(t_at(weights, "1"), 0))));
        HOLDS(t_allclose(t_sum(t_at(weights, "0, :, ::2"), -1), t_to(t_ones(2, 2), (t_DType)dtype)));
        HOLDS(t_equal(t_at(y, "0, 1"), mha->W_o->bias));
        HOLDS(t_equal(t_at(y, "1"), t_expand(mha->W_o->bias, 3, 4)));
        t_backward(t_sum(t_mul(y, t_to(t_rand(2, 3, 4), (t_DType)dtype))));
        HOLDS(t_is_true(t_all(t_eq(t_at(t_grad(q), "0, 1"), 0))));
        HOLDS(t_is_true(t_all(t_eq(t_at(t_grad(q), "1"), 0))));
        HOLDS(t_is_true(t_all(t_eq(t_at(t_grad(k), "1"), 0))));
        HOLDS(t_is_true(t_any(t_ne(t_at(t_grad(q), "0, 0"), 0))));
        gradients_are_finite(mha);
    }
}
END_TEST

/* The other rows, and all gradients that come from them, have the same bits as if the query saw everything. */
START_TEST(a_fully_masked_query_does_not_change_the_others) {
    nn_MultiHeadAttention *mha = nn_MultiHeadAttention(4, 2, 0);
    Tensor *x = t_requires_grad_(t_randn(2, 3, 4), true), *loss_weights = t_randn(2, 3, 4), *y[2];
    t_TensorList *grads[2] = {t_list_new(NULL, 0), t_list_new(NULL, 0)};
    t_set(loss_weights, "0, 1", 0);
    for (int masked = 0; masked < 2; masked++) {
        Tensor *mask = t_ones(2, 3, 3);
        t_set(mask, "1, 0, 0", 0);
        if (masked) t_set(mask, "0, 1", 0);
        nn_zero_grad(mha);
        t_set_grad(x, NULL);
        y[masked] = nn_MultiHeadAttention_call(mha, x, x, x, mask, NULL);
        t_backward(t_sum(t_mul(y[masked], loss_weights)));
        for_named (p, nn_named_parameters(mha)) t_list_append(grads[masked], t_clone(t_grad(p->tensor)));
        t_list_append(grads[masked], t_clone(t_grad(x)));
    }
    HOLDS(t_equal(t_at(y[0], "0, ::2"), t_at(y[1], "0, ::2")));
    HOLDS(t_equal(t_at(y[0], "1"), t_at(y[1], "1")));
    HOLDS(!t_equal(t_at(y[0], "0, 1"), t_at(y[1], "0, 1")));
    for (int64_t i = 0; i < grads[0]->len; i++) HOLDS(t_equal(t_list_get(grads[0], i), t_list_get(grads[1], i)));
}
END_TEST

/* Scores of +-1e30, where a fill of -1e9 would exceed the visible ones. */
START_TEST(huge_scores_stay_finite) {
    nn_MultiHeadAttention *mha = nn_MultiHeadAttention(4, 2, 0);
    Tensor *x = t_requires_grad_(t_mul(t_randn(2, 3, 4), 1e15), true), *weights;
    Tensor *mask = t_tensor("[[[1, 0, 1], [0, 0, 0], [1, 1, 1]], [[0, 1, 0], [0, 0, 1], [0, 0, 0]]]");
    Tensor *y = nn_MultiHeadAttention_call(mha, x, x, x, mask, &weights);
    Tensor *hidden = t_eq(t_expand(t_unsqueeze(mask, 1), 2, 2, 3, 3), 0), *seen = t_sum(t_eq(mask, 1), -1);
    HOLDS(t_is_true(t_all(t_logical_or(t_logical_not(hidden), t_eq(weights, 0)))));
    HOLDS(t_allclose(t_sum(weights, -1), t_float(t_expand(t_unsqueeze(t_gt(seen, 0), 1), 2, 2, 3))));
    HOLDS(all_finite(y));
    t_backward(t_sum(t_mul(y, 1e-30)));
    HOLDS(all_finite(t_grad(x)));
    gradients_are_finite(mha);
}
END_TEST

/* inputs: query, key (value too), W_q, W_k, W_v and W_o's weights. context: the mask. */
static Tensor *attention_of(t_TensorList *in, void *mask) {
    nn_MultiHeadAttention *mha = nn_to(nn_MultiHeadAttention(4, 2, 0), t_float64);
    nn_Linear *const linears[] = {mha->W_q, mha->W_k, mha->W_v, mha->W_o};
    for (int i = 0; i < 4; i++) {
        nn_set(linears[i], bias, NULL);
        linears[i]->weight = in->items[2 + i];
    }
    return nn_MultiHeadAttention_call(mha, in->items[0], in->items[1], in->items[1], (Tensor *)mask, NULL);
}

START_TEST(gradients_of_masked_attention) {
    const char *const masks[] = {"[[1, 0, 1, 1, 0], [0, 0, 0, 0, 0], [0, 0, 1, 0, 0]]", "[[0, 0, 0, 0, 0]]",
                                 "[[1], [0], [1]]"};
    for (int i = 0; i < 3; i++) {
        Inputs in = make_inputs("r(2,3,4) r(2,5,4) r(4,4) r(4,4) r(4,4) r(4,4)", (uint64_t)i, t_float64);
        HOLDS(t_gradcheck(attention_of, t_list_new(in.x, in.count), t_tensor(masks[i]), .rtol = 1e-6, .atol = 1e-8));
    }
}
END_TEST

/* Without outputs or without keys PyTorch's function ignores the mask, and the mask gets no gradient; with no features
 * it does. */
START_TEST(a_mask_of_nothing_has_no_gradient) {
    static const int64_t sizes[][5] = { /* B, T, S, E, Ev, of which the last two rows have a gradient */
        {0, 3, 5, 4, 4}, {2, 0, 5, 4, 4}, {2, 3, 0, 4, 4}, {2, 3, 5, 4, 0}, {2, 3, 5, 0, 4}, {2, 3, 5, 4, 4}};
    for (int i = 0; i < 6; i++)
        for (int rank = 2; rank < 5; rank++) {
            const int64_t *n = sizes[i], B = n[0] && rank == 2 ? 1 : n[0];
            if (B == 0 && rank == 2) continue;
            Tensor *q = t_randn(B, n[1], n[3]), *k = t_randn(B, n[2], n[3]), *v = t_randn(B, n[2], n[4]);
            if (rank == 2) q = t_squeeze(q, 0), k = t_squeeze(k, 0), v = t_squeeze(v, 0);
            if (rank == 4) q = t_unsqueeze(q, 0), k = t_unsqueeze(k, 0), v = t_unsqueeze(v, 0);
            q = t_requires_grad_(t_detach(q), true);
            Tensor *mask = t_randn(n[1], n[2], .requires_grad = true);
            HOLDS(t_backward(t_sum(F_scaled_dot_product_attention(q, k, v, .attn_mask = mask))));
            HOLDS(t_grad(q) && !t_grad(mask) == (i < 4));
        }
    nn_MultiheadAttention *mha = nn_MultiheadAttention(4, 2);
    Tensor *x = t_ones(3, 0, 4), *with = t_zeros(3, 3, .requires_grad = true),
           *without = t_zeros(3, 3, .requires_grad = true);
    HOLDS(t_backward(t_sum(nn_MultiheadAttention_call(mha, x, x, x, .attn_mask = with))) && t_grad(with));
    HOLDS(t_backward(t_sum(nn_MultiheadAttention_call(mha, x, x, x, .attn_mask = without, .need_weights = false))) &&
          !t_grad(without));
}
END_TEST

/* Padding in front leaves the first queries of a causal mask without keys, in every layer of a model. */
START_TEST(padding_in_front_trains) {
    for (int norm_first = 0; norm_first < 2; norm_first++) {
        nn_EncoderDecoder *model = nn_EncoderDecoder(2, 4, 2, 6, 11, 7, .norm_first = norm_first != 0);
        Tensor *src = t_tensor("[[0, 0, 3, 4], [5, 0, 0, 0], [0, 0, 0, 0]]");
        Tensor *tgt = t_tensor("[[0, 0, 5], [1, 0, 2], [0, 0, 0]]");
        nn_EncoderDecoderWeights weights;
        Tensor *y = nn_EncoderDecoder_call(model, src, tgt, nn_keep_padding(src, 0), nn_keep_target(tgt, 0), &weights);
        HOLDS(all_finite(y));
        HOLDS(t_is_true(t_all(t_eq(t_at(t_list_get(weights.decoder.self, 1), "0, :, :2"), 0))));
        HOLDS(t_is_true(t_all(t_eq(t_at(t_list_get(weights.decoder.cross, 1), "2"), 0))));
        HOLDS(t_is_true(t_all(t_eq(t_at(t_list_get(weights.encoder, 1), "2"), 0))));
        t_backward(F_cross_entropy(t_reshape(y, -1, 7), t_reshape(tgt, -1), .ignore_index = 0));
        gradients_are_finite(model);
    }
}
END_TEST

Suite *masks_suite(void) {
    Suite *suite = suite_create("masks");
    TCase *tests = tcase_create("masks");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, masks_are_as_their_names_say);
    tcase_add_test(tests, masks_of_nothing_have_a_shape);
    tcase_add_test(tests, masks_refuse_what_is_no_ids);
    tcase_add_test(tests, a_mask_leaves_only_its_result);
    tcase_add_test(tests, masks_fail_cleanly_without_memory);
    tcase_add_test(tests, a_mask_of_any_dtype_means_the_same);
    tcase_add_test(tests, refuses_a_mask_that_is_not_of_0_and_1);
    tcase_add_test(tests, a_mask_costs_one_pass_over_the_scores);
    tcase_add_test(tests, visible_rows_are_those_of_a_finite_fill);
    tcase_add_test(tests, a_fully_masked_query_has_zero_output_and_gradient);
    tcase_add_test(tests, a_fully_masked_query_does_not_change_the_others);
    tcase_add_test(tests, huge_scores_stay_finite);
    tcase_add_test(tests, gradients_of_masked_attention);
    tcase_add_test(tests, a_mask_of_nothing_has_no_gradient);
    tcase_add_test(tests, padding_in_front_trains);
    suite_add_tcase(suite, tests);
    return suite;
}
