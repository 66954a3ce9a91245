/* tests/nn/transformer/test_torch_calls.c: PyTorch's Transformer family compared with the tutorials' modules, its fused
 * with its composed form; attention weights from the stacks, gradients of gradients, calls without memory, a training
 * run. */
#include <math.h>
#include <string.h>

#include "core/tensor/context.h"
#include "tests/support/models/model_support.h"
#include "tests/support/refusals.h"

static bool close_to(Tensor *a, Tensor *b) {
    return t_allclose(a, b, .rtol = 1e-5, .atol = 1e-6);
}

/* ---- errors ---- */

START_TEST(wrong_arguments_are_named_first) {
    nn_TransformerEncoderLayerOptions o = nn_TransformerEncoderLayerDefaults;
    o.dim_feedforward = -1;
    expect_refusal(!(nn_TransformerEncoderLayer_new)(8, 3, &o), "embed_dim must be divisible by num_heads");
    expect_refusal(!(nn_TransformerDecoderLayer_new)(8, 3, &o), "embed_dim must be divisible by num_heads");
    nn_TransformerEncoder *encoder = nn_TransformerEncoder(nn_TransformerEncoderLayer(8, 2), 1);
    nn_append(encoder->layers, nn_Linear(8, 8));
    expect_refusal(!(nn_call)(encoder, t_zeros(3, 2, 8)),
                   "a TransformerEncoder's layers must be TransformerEncoderLayers, but layers.1 is a Linear");
    nn_TransformerDecoder *decoder = nn_TransformerDecoder(nn_TransformerDecoderLayer(8, 2), 1);
    nn_append(decoder->layers, nn_Linear(8, 8));
    expect_refusal(!(nn_call2)(decoder, t_zeros(3, 2, 8), t_zeros(3, 2, 8)),
                   "a TransformerDecoder's layers must be TransformerDecoderLayers, but layers.1 is a Linear");
}
END_TEST

/* ---- one attention ---- */

/* The tutorials' attention with PyTorch's weights. */
static nn_MultiHeadAttention *same_weights(nn_MultiheadAttention *mha) {
    nn_MultiHeadAttention *other = nn_MultiHeadAttention(mha->embed_dim, mha->num_heads, .dropout = 0);
    nn_Linear *to[] = {other->W_q, other->W_k, other->W_v};
    with_no_grad() {
        for (int i = 0; i < 3; i++) {
            t_copy_(to[i]->weight, t_narrow(mha->in_proj_weight, 0, i * mha->embed_dim, mha->embed_dim));
            t_copy_(to[i]->bias, t_narrow(mha->in_proj_bias, 0, i * mha->embed_dim, mha->embed_dim));
        }
        t_copy_(other->W_o->weight, mha->out_proj->weight);
        t_copy_(other->W_o->bias, mha->out_proj->bias);
    }
    return other;
}

START_TEST(both_attentions_agree) {
    nn_MultiheadAttention *mha = nn_MultiheadAttention(16, 2, .batch_first = true);
    nn_MultiHeadAttention *other = same_weights(mha);
    Tensor *x = t_randn(2, 5, 16), *hidden = t_triu(t_ones(5, 5, .dtype = t_bool), 1), *shown = t_logical_not(hidden),
           *w, *v;
    Tensor *y =
        nn_MultiheadAttention_call(mha, x, x, x, .attn_mask = hidden, .average_attn_weights = false, .weights = &w);
    HOLDS(close_to(y, nn_MultiHeadAttention_call(other, x, x, x, shown, &v)) && close_to(w, v));
    HOLDS(close_to(
              y, nn_MultiheadAttention_call(mha, x, x, x, .attn_mask = hidden, .need_weights = false, .weights = &w)) &&
          !w);
    HOLDS(close_to(
        y, nn_MultiheadAttention_call(mha, x, x, x, .attn_mask = hidden, .need_weights = false, .is_causal = true)));
}
END_TEST

/* A query that sees no key has NaN weights, and in PyTorch its scores then have NaN gradients, whatever kind of mask
 * hides the keys. */
START_TEST(a_fully_masked_query_has_the_same_gradients_with_any_mask) {
    nn_MultiheadAttention *mha = nn_MultiheadAttention(4, 2, .dtype = t_float64);
    Tensor *hidden = t_tensor("[[0, 1, 0], [1, 1, 1]]", .dtype = t_bool), *data = t_randn(2, 4, .dtype = t_float64), *w;
    Tensor *added = t_masked_fill(t_zeros(2, 3, .dtype = t_float64), hidden, -INFINITY),
           *key = t_randn(3, 4, .dtype = t_float64);
    Tensor *found[2][3];
    for (int i = 0; i < 2; i++) {
        Tensor *query = nn_Parameter(t_clone(data));
        nn_zero_grad(mha);
        Tensor *y = nn_MultiheadAttention_call(mha, query, key, key, .attn_mask = i ? added : hidden, .weights = &w);
        t_backward(t_sum(y));
        found[i][0] = t_clone(t_grad(query));
        found[i][1] = t_clone(t_grad(mha->in_proj_weight));
        found[i][2] = t_clone(y);
        HOLDS(t_is_true(t_all(t_isnan(t_at(found[i][0], "1")))) && !t_is_true(t_any(t_isnan(t_at(found[i][0], "0")))));
    }
    for (int j = 0; j < 3; j++)
        HOLDS(t_allclose(found[0][j], found[1][j], .rtol = 1e-10, .atol = 1e-12, .equal_nan = true));
}
END_TEST

START_TEST(the_causal_mask_is_recognized_in_any_form) {
    nn_Transformer *transformer = nn_eval(nn_Transformer(8, 2, 1, 1, 16));
    Tensor *src = t_randn(4, 2, 8), *tgt = t_randn(3, 2, 8), *added = nn_Transformer_generate_square_subsequent_mask(3);
    Tensor *hidden = nn_Transformer_generate_square_subsequent_mask(3, .dtype = t_bool);
    Tensor *y = nn_Transformer_call(transformer, src, tgt, .tgt_mask = added, .tgt_is_causal = false);
    HOLDS(t_equal(t_lt(added, 0), hidden) && t_dtype(added) == t_float32);
    HOLDS(close_to(y, nn_Transformer_call(transformer, src, tgt, .tgt_mask = added)));
    HOLDS(close_to(y, nn_Transformer_call(transformer, src, tgt, .tgt_mask = hidden)));
    HOLDS(close_to(y, nn_Transformer_call(transformer, src, tgt, .tgt_mask = hidden, .tgt_is_causal = true)));
    HOLDS(!close_to(y, nn_call(transformer, src, tgt)));
}
END_TEST

/* Composed, op by op, under anomaly detection, and fused: the same values and the same random values. */
START_TEST(composed_and_fused_layers_agree) {
    for (int turn = 0; turn < 4; turn++) {
        nn_TransformerEncoderLayer *layer =
            nn_TransformerEncoderLayer(12, 2, 20, 0.4, .batch_first = turn & 1, .norm_first = turn & 2);
        Tensor *x = t_randn(3, 7, 12, .requires_grad = true), *plain, *watched = NULL, *gradient;
        t_manual_seed(8);
        plain = nn_call(layer, x);
        t_backward(t_sum(t_square(plain)));
        gradient = t_grad(x);
        t_set_grad(x, NULL);
        with_detect_anomaly() {
            t_manual_seed(8);
            watched = nn_call(layer, x);
            t_backward(t_sum(t_square(watched)));
        }
        HOLDS(close_to(plain, watched) && t_allclose(gradient, t_grad(x), .rtol = 1e-4, .atol = 1e-5));
    }
}
END_TEST

/* The padding mask applies to the keys that are given instead of projected ones. */
START_TEST(padding_fits_given_keys) {
    Tensor *x = t_randn(2, 1, 4), *key = t_randn(1, 1, 4), *w = t_randn(12, 4), *out = t_randn(4, 4);
    Tensor *k = t_randn(2, 3, 2), *v = t_randn(2, 3, 2);
    F_MultiHeadAttentionOptions o = F_MultiHeadAttentionDefaults;
    o.static_k = k, o.static_v = v, o.need_weights = false;
    o.key_padding_mask = t_zeros(1, 3, .dtype = t_bool);
    ck_assert((F_multi_head_attention_forward)(x, key, key, 4, 2, w, NULL, NULL, NULL, false, 0, out, NULL, &o) !=
              NULL);
    o.key_padding_mask = t_zeros(1, 1, .dtype = t_bool);
    expect_refusal(!(F_multi_head_attention_forward)(x, key, key, 4, 2, w, NULL, NULL, NULL, false, 0, out, NULL, &o),
                   "Expected key_padded_mask.shape[1] to be 3, but got 1");
}
END_TEST

/* ---- stacks ---- */

START_TEST(layers_of_a_stack_start_equal_and_are_separate) {
    nn_TransformerEncoderLayer *layer = nn_TransformerEncoderLayer(8, 2), *one, *two;
    nn_TransformerEncoder *encoder = nn_TransformerEncoder(layer, 2);
    one = nn_get(encoder->layers, 0);
    two = nn_get(encoder->layers, 1);
    HOLDS(one->linear1->out_features == 2048 && one->dropout->p == 0.1 && one->norm1->eps == 1e-5 &&
          !one->self_attn->batch_first);
    HOLDS(t_equal(one->self_attn->in_proj_weight, two->self_attn->in_proj_weight));
    HOLDS(one->self_attn->in_proj_weight != two->self_attn->in_proj_weight &&
          one->linear1->weight != layer->linear1->weight);
    nn_eval(encoder);
    nn_eval(layer);
    Tensor *x = t_randn(3, 2, 8);
    HOLDS(close_to(nn_call(encoder, x), nn_call(layer, nn_call(layer, x))));
}
END_TEST

START_TEST(stacks_give_their_weights) {
    nn_Transformer *transformer = nn_Transformer(8, 2, 2, 3, 16, .batch_first = true);
    Tensor *src = t_randn(2, 4, 8), *tgt = t_randn(2, 3, 8),
           *padding = t_tensor("[[False, False, True, True], [True, True, True, True]]");
    t_TensorList *on_source, *on_target, *across;
    nn_eval(transformer);
    Tensor *y =
        nn_Transformer_call(transformer, src, tgt, .src_key_padding_mask = padding, .memory_key_padding_mask = padding,
                            .encoder_weights = &on_source, .self_weights = &on_target, .cross_weights = &across);
    HOLDS(on_source->len == 2 && on_target->len == 3 && across->len == 3);
    HOLDS(close_to(y, nn_Transformer_call(transformer, src, tgt, .src_key_padding_mask = padding,
                                          .memory_key_padding_mask = padding)));
    HOLDS(t_is_true(t_all(t_isfinite(y))));
    for (int64_t i = 0; i < 3; i++) {
        Tensor *w = across->items[i], *sums = t_sum(w, -1);
        ck_assert_str_eq(t_size_repr(w), "torch.Size([2, 3, 4])");
        HOLDS(close_to(t_select(sums, 0, 0), t_ones(3)));
        HOLDS(close_to(t_select(sums, 0, 1), t_zeros(3))); /* fully masked */
        HOLDS(t_is_true(t_all(t_eq(t_at(w, "0, :, 2:"), 0))));
        HOLDS(close_to(t_sum(on_target->items[i], -1), t_ones(2, 3)));
    }
    nn_TransformerEncoder_call(transformer->encoder, t_select(src, 0, 0), .weights = &on_source,
                               .average_attn_weights = false);
    ck_assert_str_eq(t_size_repr(on_source->items[1]), "torch.Size([2, 4, 4])"); /* (H, S, S) */
}
END_TEST

START_TEST(a_call_leaves_its_outputs_alone) {
    nn_TransformerDecoder *decoder = nn_TransformerDecoder(nn_TransformerDecoderLayer(8, 2, 16), 2, nn_LayerNorm(8));
    Tensor *x = t_randn(3, 2, 8), *memory = t_randn(4, 2, 8);
    t_TensorList *on_self, *on_memory;
    with_no_grad() nn_call(decoder, x, memory);
    int64_t live = t_live_count();
    with_no_grad ()
        nn_TransformerDecoder_call(decoder, x, memory, .self_weights = &on_self, .cross_weights = &on_memory);
    ck_assert_int_eq(t_live_count(), live + 5);
}
END_TEST

/* ---- gradients of gradients ---- */

static t_TensorList *attention_of(t_TensorList *in, void *mha) {
    return t_list(nn_MultiheadAttention_call(mha, in->items[0], in->items[1], in->items[1], .attn_mask = in->items[2],
                                             .need_weights = false));
}

static t_TensorList *layer_of(t_TensorList *in, void *layer) {
    return t_list(nn_call(layer, in->items[0], in->items[1]));
}

START_TEST(gradients_of_gradients_agree_with_differences) {
    nn_MultiheadAttention *mha =
        nn_MultiheadAttention(4, 2, .add_bias_kv = true, .add_zero_attn = true, .dtype = t_float64);
    nn_TransformerDecoderLayer *layer =
        nn_TransformerDecoderLayer(4, 2, 6, 0, "gelu", .batch_first = true, .dtype = t_float64);
    Tensor *x = t_randn(2, 2, 4, .dtype = t_float64, .requires_grad = true),
           *y = t_randn(2, 2, 4, .dtype = t_float64, .requires_grad = true);
    Tensor *mask = t_randn(2, 2, .dtype = t_float64, .requires_grad = true);
    const t_GradcheckOptions strict = {.size = sizeof strict,
                                       .eps = 1e-6,
                                       .atol = 1e-7,
                                       .rtol = 1e-5,
                                       .raise_exception = true,
                                       .check_backward_ad = true};
    HOLDS((t_gradcheck)(attention_of, t_list(x, y, mask), mha, &strict));
    HOLDS((t_gradgradcheck)(attention_of, t_list(x, y, mask), mha, NULL, &strict));
    HOLDS((t_gradgradcheck)(layer_of, t_list(x, y), layer, NULL, &strict));
}
END_TEST

/* ---- without memory ---- */

typedef struct Called {
    nn_Transformer *transformer;
    Tensor *x, *mask, *padding;
} Called;

static bool makes(void *unused) {
    (void)unused;
    nn_TransformerOptions o = nn_TransformerDefaults;
    o.d_model = 4;
    o.nhead = 2;
    o.num_encoder_layers = o.num_decoder_layers = 1;
    o.dim_feedforward = 4;
    return nn_Transformer_new(&o) != NULL;
}

static bool copies(void *called) {
    return (nn_deepcopy)(((Called *)called)->transformer) != NULL;
}

static bool calls(void *with) {
    Called *c = with;
    nn_TransformerCallOptions o = nn_TransformerCallDefaults;
    t_TensorList *first, *second, *third;
    o.tgt_mask = c->mask;
    o.src_key_padding_mask = c->padding;
    o.encoder_weights = &first;
    o.self_weights = &second;
    o.cross_weights = &third;
    Tensor *y = (nn_Transformer_call)(c->transformer, c->x, c->x, &o);
    if (!y && (first || second || third)) note("a call that failed gave weights");
    return y != NULL;
}

static bool trains(void *with) {
    Called *c = with;
    nn_TransformerCallOptions o = nn_TransformerCallDefaults;
    o.tgt_mask = c->mask;
    o.src_key_padding_mask = c->padding;
    Tensor *y = (nn_Transformer_call)(c->transformer, c->x, c->x, &o), *loss = y ? (t_sum)(y, NULL, 0, false) : NULL;
    bool ok = loss && (t_backward)(loss, NULL);
    nn_zero_grad(c->transformer);
    return ok;
}

START_TEST(every_failing_allocation_is_harmless) {
    Called c = {nn_Transformer(4, 2, 1, 1, 4, .batch_first = true), t_randn(2, 3, 4), NULL,
                t_tensor("[[False, True, True], [False, False, True]]")};
    c.mask = nn_Transformer_generate_square_subsequent_mask(3);
    refuse_all("making", makes, NULL, NULL);
    refuse_all("copying", copies, NULL, &c);
    refuse_all("a call with weights", calls, NULL, &c);
    refuse_all("training", trains, NULL, &c);
    report_notes();
}
END_TEST

/* ---- a training run ---- */

/* The target is a start token, then the source reversed: the decoder needs cross-attention. */
START_TEST(a_transformer_learns_to_reverse) {
    enum { WORDS = 6, LENGTH = 4 };
    t_manual_seed(1);
    nn_Embedding *embedding = nn_Embedding(WORDS + 1, 16), *position = nn_Embedding(LENGTH, 16);
    nn_Transformer *transformer = nn_Transformer(16, 2, 1, 1, 32, 0.0, .batch_first = true);
    nn_Linear *generator = nn_Linear(16, WORDS);
    nn_ModuleList *all = nn_ModuleList(embedding, position, transformer, generator);
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(all), .lr = 5e-3);
    Tensor *mask = nn_Transformer_generate_square_subsequent_mask(LENGTH), *where = t_arange(LENGTH);
    double first = 0, last = 0;
    for_range (step, 0, 150) {
        Tensor *src = t_randint(0, WORDS, 16, LENGTH), *tgt = t_flip(src, 1), *start = t_full((16, 1), WORDS);
        Tensor *given = t_cat(t_list(start, t_narrow(tgt, 1, 0, LENGTH - 1)), 1), *positions = nn_call(position, where);
        optim_zero_grad(optimizer);
        Tensor *y = nn_Transformer_call(transformer, t_add(nn_call(embedding, src), positions),
                                        t_add(nn_call(embedding, given), positions), .tgt_mask = mask);
        Tensor *loss = F_cross_entropy(t_reshape(nn_call(generator, y), -1, WORDS), t_reshape(tgt, -1));
        t_backward(loss);
        optim_step(optimizer);
        last = t_item(loss);
        if (step == 0) first = last;
    }
    ck_assert_msg(last < 0.5 * first, "the loss went from %g to %g", first, last);
}
END_TEST

Suite *torch_calls_suite(void);
Suite *torch_calls_suite(void) {
    Suite *suite = suite_create("torch_calls");
    TCase *tests = tcase_create("torch_calls");
    tcase_set_timeout(tests, 20);
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, wrong_arguments_are_named_first);
    tcase_add_test(tests, padding_fits_given_keys);
    tcase_add_test(tests, layers_of_a_stack_start_equal_and_are_separate);
    tcase_add_test(tests, both_attentions_agree);
    tcase_add_test(tests, a_fully_masked_query_has_the_same_gradients_with_any_mask);
    tcase_add_test(tests, the_causal_mask_is_recognized_in_any_form);
    tcase_add_test(tests, composed_and_fused_layers_agree);
    tcase_add_test(tests, stacks_give_their_weights);
    tcase_add_test(tests, a_call_leaves_its_outputs_alone);
    tcase_add_test(tests, gradients_of_gradients_agree_with_differences);
    tcase_add_test(tests, every_failing_allocation_is_harmless);
    tcase_add_test(tests, a_transformer_learns_to_reverse);
    suite_add_tcase(suite, tests);
    return suite;
}
