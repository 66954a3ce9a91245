/* tests/nn/functional/test_autocast.c: torch.autocast: which functions cast, as PyTorch 2.15 does on the CPU, and a
 * training. */
#include <string.h>

#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/output.h"
#include "tests/support/support.h"

/* The dtype of an expression of x, b (a batch of matrices), i (images) and c (classes) in a block, for inputs of
 * float32 and of bfloat16. */
#define DTYPES(expression, of_float32, of_bfloat16) do {                                                        \
        Tensor *x = x32, *b = b32, *i = i32, *y = NULL;                                                         \
        with_autocast(.dtype = t_bfloat16) y = (expression);                                                    \
        ck_assert_msg(t_dtype(y) == of_float32, "%s: %s", #expression, t_dtype_repr(t_dtype(y)));               \
        x = t_bfloat16(x), b = t_bfloat16(b), i = t_bfloat16(i);                                                \
        with_autocast(.dtype = t_bfloat16) y = (expression);                                                    \
        ck_assert_msg(t_dtype(y) == of_bfloat16, "%s of bfloat16: %s", #expression, t_dtype_repr(t_dtype(y)));  \
        x = t_double(x32), b = t_double(b32), i = t_double(i32);                                                \
        with_autocast(.dtype = t_bfloat16) y = (expression);                                                    \
        ck_assert_msg(t_dtype(y) == t_float64, "%s of float64: %s", #expression, t_dtype_repr(t_dtype(y)));     \
    } while (0)
#define HALF(expression) DTYPES(expression, t_bfloat16, t_bfloat16)
#define SINGLE(expression) DTYPES(expression, t_float32, t_float32)
#define OWN(expression) DTYPES(expression, t_float32, t_bfloat16)

START_TEST(functions_cast_as_pytorchs) {
    Tensor *x32 = t_rand(2, 3, 4), *b32 = t_add(t_rand(2, 4, 4), t_mul(t_eye(4), 4)), *i32 = t_rand(2, 3, 6, 6),
           *c = t_tensor("[0, 1, 2]");
    HALF(t_matmul(x, b));
    HALF(t_mm(t_at(x, "0"), t_at(b, "0")));
    HALF(t_bmm(x, b));
    HALF(t_matmul(t_at(x, "0, 0"), t_at(b, "0, 0")));
    HALF(t_addmm(t_at(x, "0"), t_at(x, "0"), t_at(b, "0")));
    HALF(t_baddbmm(x, x, b));
    HALF(t_addbmm(t_at(x, "0"), x, b));
    HALF(F_linear(x, t_at(b, "0")));
    HALF(F_conv2d(i, t_reshape(t_at(i, "0, :, :4, :3"), 4, 3, 3, 1)));
    HALF(F_conv_transpose2d(i, t_reshape(t_at(i, "0, :, :4, :3"), 3, 4, 3, 1)));
    HALF(F_scaled_dot_product_attention(x, x, x));
    HALF(t_prelu(x, t_at(x, "0, 0, :1")));
    HALF(t_einsum("bij,bjk->bik", x, b));
    HALF(t_inner(t_at(x, "0"), t_at(b, "0")));
    HALF(t_matrix_power(t_at(b, "0"), 2));
    HALF(linalg_vecdot(x, x));
    HALF(F_conv3d(i, t_reshape(t_at(i, "0, :, :4, :3"), 9, 2, 2, 1, 1)));
    OWN(t_mv(t_at(x, "0"), t_at(b, "0, 0")));
    OWN(t_dot(t_at(x, "0, 0"), t_at(x, "0, 1")));
    OWN(F_bilinear(x, x, b));
    OWN(t_softmax(x, -1));
    OWN(F_layer_norm(x, 4));
    OWN(t_add(x, 1));
    OWN(t_exp(x));
    OWN(t_sum(x));
    OWN(F_gelu(x));
    OWN(F_avg_pool2d(i, 2));
    OWN(F_max_pool2d(i, 2));
    OWN(F_pad(i, (1, 1)));
    OWN(F_group_norm(x, 3));
    SINGLE(F_cross_entropy(t_at(x, "0"), c));
    SINGLE(F_nll_loss(t_at(x, "0"), c));
    SINGLE(F_mse_loss(x, x));
    SINGLE(F_l1_loss(x, x));
    SINGLE(F_smooth_l1_loss(x, x));
    SINGLE(F_huber_loss(x, x));
    SINGLE(F_binary_cross_entropy(x, x));
    SINGLE(F_binary_cross_entropy_with_logits(x, x));
    SINGLE(F_kl_div(x, x));
    SINGLE(F_avg_pool3d(i, 2));
    SINGLE(F_max_pool3d(i, 2));
    SINGLE(F_fractional_max_pool2d(i, 2, 2));
    SINGLE(F_adaptive_avg_pool3d(i, 2));
    SINGLE(F_adaptive_max_pool3d(i, 2));
    SINGLE(t_prod(x));
    SINGLE(t_quantile(x, 0.5));
    SINGLE(t_cdist(x, x));
    SINGLE(t_trace(t_at(b, "0")));
    SINGLE(F_pad(i, (1, 1, 1, 1), "reflect"));
    SINGLE(linalg_solve(b, b));
    SINGLE(linalg_inv(b));
    SINGLE(linalg_svdvals(b));
    ck_assert(!t_is_autocast_enabled() && t_get_autocast_dtype() == t_bfloat16);
}
END_TEST

START_TEST(blocks_nest_and_refuse) {
    with_autocast(.dtype = t_float16) {
        ck_assert(t_is_autocast_enabled() && t_get_autocast_dtype() == t_float16);
        with_autocast(.enabled = false) ck_assert(!t_is_autocast_enabled());
        ck_assert(t_dtype(t_matmul(t_ones(2, 2), t_ones(2, 2))) == t_float16);
    }
    ck_assert(!t_is_autocast_enabled());
    expect_refusal(!(t_set_autocast)(true, t_float32),
                   "In CPU autocast, but the target dtype is not supported: it is torch.float32; CPU Autocast only "
                   "supports dtypes of torch.bfloat16, torch.float16");
    t_Mark mark;
    (t_mark)(&mark);
    (t_set_autocast)(true, t_bfloat16);
    (t_unwind)(&mark);
    ck_assert(!t_is_autocast_enabled());
}
END_TEST

/* PyTorch's losses are 1.45194, 1.32741, 1.22839, 1.14586, 1.07580; its attention rounds once more, to bfloat16 (8
 * bits), before the product with v. */
START_TEST(a_training_is_pytorchs) {
    static const double losses[] = {1.45194, 1.32741, 1.22839, 1.14586, 1.07580};
    t_manual_seed(0);
    nn_Sequential *m = nn_Sequential(nn_Linear(8, 16), nn_ReLU(), nn_LayerNorm(16), nn_Linear(16, 4));
    nn_TransformerEncoderLayer *e =
        nn_TransformerEncoderLayer(8, 2, .dim_feedforward = 16, .dropout = 0.0, .batch_first = true);
    Tensor *x = t_randn(5, 3, 8), *y = t_randint(0, 4, (15,));
    optim_Optimizer *o = optim_SGD(nn_parameters(m), .lr = 0.1);
    for (int i = 0; i < 5; i++) {
        Tensor *h = NULL, *loss = NULL;
        with_autocast(.dtype = t_bfloat16) {
            h = nn_call(e, x);
            loss = F_cross_entropy(t_view(nn_call(m, h), 15, 4), y);
        }
        ck_assert(t_dtype(h) == t_float32 && t_dtype(loss) == t_float32);
        optim_zero_grad(o);
        t_backward(loss);
        ck_assert(t_dtype(t_grad(nn_parameters(m)->items[0])) == t_float32);
        optim_step(o);
        ck_assert_double_eq_tol(t_item(loss), losses[i], 2e-3);
    }
}
END_TEST

/* The tutorials' attention, fused, composed (with weights), and with a mask: within bfloat16's rounding of float32. */
START_TEST(attention_takes_half_precision) {
    static const t_DType dtypes[] = {t_bfloat16, t_float16};
    nn_MultiHeadAttention *attention = nn_MultiHeadAttention(16, 2, .dropout = 0.0);
    Tensor *x = t_requires_grad_(t_randn(2, 5, 16), true), *mask = t_tril(t_ones(1, 5, 5));
    for (int i = 0; i < 4; i++) {
        Tensor *y = NULL, *weights = NULL, *expected = NULL, *m = i % 2 ? mask : NULL, **w = i / 2 ? &weights : NULL;
        expected = nn_MultiHeadAttention_call(attention, x, x, x, m);
        Tensor *dx = t_grad(t_sum(t_mul(expected, expected)), x);
        for (int d = 0; d < 2; d++) {
            with_autocast(.dtype = dtypes[d]) y = nn_MultiHeadAttention_call(attention, x, x, x, m, w);
            ck_assert(t_dtype(y) == dtypes[d] && (!w || t_dtype(weights) == dtypes[d]));
            ck_assert(t_allclose(t_float(y), expected, .atol = 2e-2, .rtol = 2e-2));
            Tensor *got = t_grad(t_sum(t_mul(t_float(y), t_float(y))), x);
            ck_assert(t_dtype(got) == t_float32 && t_allclose(got, dx, .atol = 5e-2, .rtol = 5e-2));
        }
    }
}
END_TEST

/* PyTorch's sums. Within float32's rounding of the steps, but that a gate in bfloat16 may round to the next one. */
START_TEST(recurrent_layers_cast_as_pytorchs) {
    t_manual_seed(0);
    Tensor *x = t_randn(3, 2, 4), *y = NULL, *h = NULL, *cell = NULL;
    nn_LSTM *lstm = nn_LSTM(4, 5);
    nn_GRU *gru = nn_GRU(4, 5, .num_layers = 2, .bidirectional = true);
    nn_LSTM *projected = nn_LSTM(4, 5, .proj_size = 2);
    nn_LSTMCell *lstm_cell = nn_LSTMCell(4, 5);
    nn_utils_rnn_PackedSequence *packed = nn_utils_rnn_pack_padded_sequence(x, t_tensor("[3, 2]"));
    with_autocast(.dtype = t_bfloat16) {
        y = nn_GRU_call(gru, x);
        h = nn_LSTM_call(projected, x);
        packed = nn_LSTM_call(lstm, packed);
        cell = nn_LSTMCell_call(lstm_cell, t_at(x, "0"));
    }
    ck_assert(t_dtype(y) == t_float32 && t_dtype(h) == t_bfloat16);
    ck_assert(t_dtype(packed->data) == t_float32 && t_dtype(cell) == t_float32);
    ck_assert_double_eq_tol(t_item(t_sum(y)), -1.4482844, 1e-3);
    ck_assert_double_eq_tol(t_item(t_sum(t_float(h))), 0.7510757, 1e-3);
    ck_assert_double_eq_tol(t_item(t_sum(packed->data)), 1.8873509, 1e-3);
    ck_assert_double_eq_tol(t_item(t_sum(cell)), 0.0237671, 1e-3);
    t_backward(t_sum(y));
    Tensor *first = nn_parameters(gru)->items[0];
    ck_assert(t_dtype(t_grad(first)) == t_float32);
    ck_assert_double_eq_tol(t_item(t_sum(t_grad(first))), -1.88916016, 1e-2);
}
END_TEST

static Tensor *squared(Tensor *x) {
    return t_matmul(x, x);
}

START_TEST(a_checkpoint_casts_again) {
    Tensor *x = t_requires_grad_(t_rand(3, 3), true), *y = NULL, *plain = NULL;
    with_autocast() {
        y = t_checkpoint(squared, x);
        plain = t_matmul(x, x);
    }
    ck_assert(t_dtype(y) == t_bfloat16 && t_equal(y, plain));
    Tensor *expected = t_grad(t_sum(plain), x), *got = t_grad(t_sum(y), x);
    ck_assert(t_equal(expected, got));
}
END_TEST

/* w.data = other, of the same version as w. */
START_TEST(new_data_is_cast_again) {
    nn_Linear *layer = nn_Linear(2, 1, false);
    Tensor *x = t_ones(1, 2), *before = NULL, *after = NULL;
    with_no_grad () {
        t_fill_(layer->weight, 1);
        const int64_t version = t_data_version(layer->weight);
        Tensor *other = t_tensor("[3., 4]");
        while (t_data_version(other) < version) t_mul_(other, 1);
        with_autocast () {
            before = F_linear(x, layer->weight);
            nn_utils_vector_to_parameters(other, t_list(layer->weight));
            ck_assert(t_data_version(layer->weight) == version);
            after = F_linear(x, layer->weight);
        }
    }
    ck_assert(t_item(before) == 2 && t_item(after) == 7);
}
END_TEST

/* The gradient of w after products with 256 and 1: with one cast they are added in bfloat16, where 257 is 256; as
 * PyTorch's. */
static double gradient_of_two_uses(Tensor *w, bool cache) {
    Tensor *y = NULL;
    with_autocast(.cache_enabled = cache) {
        y = F_linear(t_full((1, 1), 256.0), w);
        with_autocast(.cache_enabled = cache) y = t_add(y, F_linear(t_ones(1, 1), w));
    }
    return t_item(t_grad(t_sum(y), w));
}

START_TEST(the_cast_of_a_parameter_is_kept) {
    Tensor *w = t_ones(1, 1, .requires_grad = true), *y = NULL, *one = t_ones(1, 1);
    ck_assert(gradient_of_two_uses(w, true) == 256 && gradient_of_two_uses(w, false) == 257);
    with_autocast() {
        ck_assert(t_is_autocast_cache_enabled());
        with_no_grad() ck_assert(t_item(F_linear(one, w)) == 1);
        ck_assert(t_requires_grad(F_linear(one, w))); /* not the cast without a record */
        with_no_grad() t_add_(w, 1);
        ck_assert(t_item(F_linear(one, w)) == 2); /* not the old value */
        with_scope() y = t_keep(F_linear(one, w));
        with_autocast(.dtype = t_float16) ck_assert(t_dtype(F_linear(one, w)) == t_float16);
        t_clear_autocast_cache();
        y = t_add(y, F_linear(one, w));
        t_backward(t_sum(y));
        t_backward(t_sum(F_linear(one, w))); /* the cast's record serves both */
        with_autocast(.enabled = false, .cache_enabled = false) ck_assert(!t_is_autocast_cache_enabled());
        t_set_autocast_cache_enabled(false);
        for (int i = 0; i < 40; i++) F_linear(one, t_ones(1, 1, .requires_grad = true));
        t_set_autocast_cache_enabled(true);
        for (int i = 0; i < 40; i++) F_linear(one, t_ones(1, 1, .requires_grad = true));
    }
    ck_assert(t_item(t_grad(w)) == 3 && t_is_autocast_cache_enabled());
    t_Mark mark;
    (t_mark)(&mark);
    (t_swap_autocast_)(true, t_bfloat16, true);
    F_linear(one, w);
    (t_unwind)(&mark);
    ck_assert(!t_is_autocast_enabled());
}
END_TEST

Suite *autocast_suite(void);
Suite *autocast_suite(void) {
    Suite *suite = suite_create("autocast");
    TCase *tests = tcase_create("autocast");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, functions_cast_as_pytorchs);
    tcase_add_test(tests, blocks_nest_and_refuse);
    tcase_add_test(tests, a_training_is_pytorchs);
    tcase_add_test(tests, attention_takes_half_precision);
    tcase_add_test(tests, recurrent_layers_cast_as_pytorchs);
    tcase_add_test(tests, new_data_is_cast_again);
    tcase_add_test(tests, a_checkpoint_casts_again);
    tcase_add_test(tests, the_cast_of_a_parameter_is_kept);
    suite_add_tcase(suite, tests);
    return suite;
}
