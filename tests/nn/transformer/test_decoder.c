/* tests/nn/transformer/test_decoder.c: the decoder and the full Transformer beyond recorded values: what a position
 * depends on, generation, options passed to the parts, ownership of weights, numerical gradients. */
#include <string.h>

#include "tests/support/models/model_support.h"

void add_decoder_error_tests(Suite *suite);

static nn_EncoderDecoder *small(void) {
    return nn_EncoderDecoder(2, 4, 2, 6, 11, 7, 9, 8);
}

/* ---- dependencies ---- */

START_TEST(no_position_sees_later_ones) {
    nn_Decoder *decoder = nn_eval(nn_Decoder(2, 4, 2, 6, 11, 9));
    Tensor *memory = t_randn(1, 3, 4), *before = t_tensor("[[1, 2, 3, 4]]"), *after = t_tensor("[[1, 2, 5, 4]]");
    Tensor *y = nn_Decoder_call(decoder, before, memory, NULL, nn_keep_causal(4), NULL);
    Tensor *z = nn_Decoder_call(decoder, after, memory, NULL, nn_keep_causal(4), NULL);
    HOLDS(t_equal(t_at(y, ":, :2"), t_at(z, ":, :2")));
    for (int i = 2; i < 4; i++) HOLDS(t_is_true(t_all(t_ne(t_at(y, "0, {}", i), t_at(z, "0, {}", i)))));
    /* Without the mask they do. */
    y = nn_call(decoder, before, memory);
    z = nn_call(decoder, after, memory);
    HOLDS(t_is_true(t_all(t_ne(t_at(y, "0, 0"), t_at(z, "0, 0")))));
}
END_TEST

START_TEST(a_hidden_source_changes_nothing) {
    nn_EncoderDecoder *model = nn_eval(small());
    Tensor *src = t_tensor("[[4, 5, 0, 0]]"), *other = t_tensor("[[4, 5, 0, 0, 0, 0]]"), *tgt = t_tensor("[[1, 2, 3]]");
    Tensor *y = nn_EncoderDecoder_call(model, src, tgt, nn_keep_padding(src, 0), nn_keep_causal(3), NULL);
    Tensor *z = nn_EncoderDecoder_call(model, other, tgt, t_ne(other, 0), nn_keep_causal(3), NULL);
    HOLDS(t_allclose(y, z, 1e-6, 1e-6)); /* the same keys, summed in rows of another length */
    Tensor *memory = nn_EncoderDecoder_encode(model, src, NULL, NULL), *changed = t_clone(t_detach(memory));
    t_set(changed, "0, 2:", 7);
    HOLDS(t_equal(nn_EncoderDecoder_decode(model, tgt, memory, t_ne(src, 0), NULL, NULL),
                  nn_EncoderDecoder_decode(model, tgt, changed, t_ne(src, 0), NULL, NULL)));
    HOLDS(!t_equal(nn_EncoderDecoder_decode(model, tgt, memory, NULL, NULL, NULL),
                   nn_EncoderDecoder_decode(model, tgt, changed, NULL, NULL, NULL)));
}
END_TEST

START_TEST(the_model_is_encoder_then_decoder) {
    nn_EncoderDecoder *model = nn_eval(small());
    Tensor *src = t_tensor("[[4, 5, 0], [1, 2, 3]]"), *tgt = t_tensor("[[1, 2], [3, 0]]");
    Tensor *src_mask = nn_keep_padding(src, 0), *tgt_mask = nn_keep_target(tgt, 0);
    Tensor *y = nn_EncoderDecoder_call(model, src, tgt, src_mask, tgt_mask, NULL);
    Tensor *memory = nn_Encoder_call(model->encoder, src, t_ne(src, 0), NULL);
    HOLDS(t_equal(memory, nn_EncoderDecoder_encode(model, src, src_mask, NULL)));
    Tensor *x = nn_Decoder_call(model->decoder, tgt, memory, t_at(src_mask, ":, 0"), tgt_mask, NULL);
    HOLDS(t_equal(x, nn_EncoderDecoder_decode(model, tgt, memory, src_mask, tgt_mask, NULL)));
    HOLDS(t_equal(y, nn_call(model->generator, x)));
    HOLDS(t_equal(nn_call(model, src, tgt), nn_EncoderDecoder_call(model, src, tgt, NULL, NULL, NULL)));
    HOLDS(
        t_equal(nn_call(model->decoder, tgt, memory), nn_Decoder_call(model->decoder, tgt, memory, NULL, NULL, NULL)));
    nn_DecoderLayer *layer = nn_get(model->decoder->layers, 0);
    HOLDS(t_equal(nn_call(layer, x, memory), nn_DecoderLayer_call(layer, x, memory, NULL, NULL, NULL, NULL)));
}
END_TEST

/* A dropout of 1 zeroes its own sublayer and no other: as if that sublayer's last Linear were 0. */
START_TEST(each_dropout_follows_its_sublayer) {
    Tensor *x = t_randn(2, 3, 4), *memory = t_randn(2, 5, 4);
    for (int which = 0; which < 6; which++) {
        nn_DecoderLayer *layer = nn_DecoderLayer(4, 2, 6, 0, .norm_first = which % 2 != 0);
        nn_Dropout *const dropouts[] = {layer->dropout1, layer->dropout2, layer->dropout3};
        nn_Linear *const last[] = {layer->self_attention->W_o, layer->cross_attention->W_o, layer->feed_forward->fc2};
        Tensor *all = nn_call(layer, x, memory);
        dropouts[which / 2]->p = 1;
        Tensor *silenced = nn_call(layer, x, memory);
        dropouts[which / 2]->p = 0;
        with_no_grad() {
            t_zero_(last[which / 2]->weight);
            t_zero_(last[which / 2]->bias);
        }
        HOLDS(t_equal(silenced, nn_call(layer, x, memory)));
        HOLDS(!t_equal(silenced, all));
    }
}
END_TEST

/* ---- generation ---- */

/* Greedy decoding; the scope of a step keeps the tokens so far and nothing else. */
static Tensor *generate(nn_EncoderDecoder *model, Tensor *src, int64_t steps) {
    Tensor *src_mask = nn_keep_padding(src, 0), *memory = nn_EncoderDecoder_encode(model, src, src_mask, NULL);
    Tensor *tgt = t_ones(t_size(src, 0), 1, .dtype = t_int64);
    for_range (i, 0, steps) {
        Tensor *x = nn_EncoderDecoder_decode(model, tgt, memory, src_mask, nn_keep_causal(t_size(tgt, 1)), NULL);
        Tensor *logits = nn_call(model->generator, t_select(x, 1, -1));
        t_keep_as(&tgt, t_cat(t_list(tgt, t_argmax(logits, 1, .keepdim = true)), 1));
    }
    return tgt;
}

START_TEST(generating_agrees_with_one_call) {
    nn_EncoderDecoder *model = nn_eval(small());
    Tensor *src = t_tensor("[[4, 5, 0], [1, 2, 3]]");
    with_no_grad() {
        Tensor *tgt = generate(model, src, 7);
        ck_assert_str_eq(t_size_repr(tgt), "torch.Size([2, 8])");
        Tensor *logits = nn_EncoderDecoder_call(model, src, tgt, nn_keep_padding(src, 0), nn_keep_causal(8), NULL);
        HOLDS(t_equal(t_argmax(t_at(logits, ":, :7"), -1), t_at(tgt, ":, 1:")));
        int64_t live = t_live_count();
        with_scope() generate(model, src, 7);
        ck_assert_int_eq(t_live_count(), live);
        Tensor *memory = nn_EncoderDecoder_encode(model, src, NULL, NULL);
        REFUSES(nn_EncoderDecoder_decode(model, t_zeros(2, 9, .dtype = t_int64), memory, NULL, NULL, NULL),
                "PositionalEncoding: a sequence of 9 positions is longer than max_len = 8");
    }
}
END_TEST

/* ---- weights ---- */

START_TEST(weights_are_listed_layer_by_layer) {
    nn_EncoderDecoder *model = small(); /* in training mode: the weights before dropout */
    Tensor *src = t_tensor("[[4, 5, 6, 1, 1], [1, 2, 3, 1, 1]]"), *tgt = t_tensor("[[1, 2, 5], [3, 6, 1]]");
    int64_t live = t_live_count();
    with_scope() {
        nn_EncoderDecoderWeights weights;
        with_scope() {
            nn_EncoderDecoderWeights inner;
            nn_EncoderDecoder_call(model, src, tgt, NULL, nn_keep_causal(3), &inner);
            weights = (nn_EncoderDecoderWeights){t_keep(inner.encoder),
                                                 {t_keep(inner.decoder.self), t_keep(inner.decoder.cross)}};
        }
        t_TensorList *const lists[] = {weights.encoder, weights.decoder.self, weights.decoder.cross};
        const char *const sizes[] = {"torch.Size([2, 2, 5, 5])", "torch.Size([2, 2, 3, 3])",
                                     "torch.Size([2, 2, 3, 5])"};
        for (int i = 0; i < 3; i++) {
            ck_assert_int_eq(lists[i]->len, 2);
            for (int k = 0; k < 2; k++) {
                Tensor *sums = t_sum(t_list_get(lists[i], k), -1);
                ck_assert_str_eq(t_size_repr(t_list_get(lists[i], k)), sizes[i]);
                HOLDS(t_allclose(sums, t_ones_like(sums)));
            }
        }
        HOLDS(t_equal(t_list_get(weights.decoder.self, 1), t_tril(t_list_get(weights.decoder.self, 1))));
    }
    ck_assert_int_eq(t_live_count(), live);
}
END_TEST

START_TEST(a_call_leaves_its_results_and_nothing_else) {
    nn_EncoderDecoder *model = small();
    nn_DecoderLayer *layer = nn_get(model->decoder->layers, 0);
    Tensor *src = t_tensor("[[4, 5, 6]]"), *tgt = t_tensor("[[1, 2]]"), *x = t_randn(1, 2, 4),
           *memory = t_randn(1, 3, 4);
    with_no_grad() {
        int64_t live = t_live_count();
        nn_call(model, src, tgt);
        ck_assert_int_eq(t_live_count(), live + 1);
        nn_call(layer, x, memory);
        ck_assert_int_eq(t_live_count(), live + 2);
        Tensor *own, *cross;
        nn_DecoderLayer_call(layer, x, memory, NULL, t_tril(t_ones(2, 2)), &own, &cross);
        ck_assert_int_eq(t_live_count(), live + 2 + 2 + 3); /* the mask and the ones that it was made from */
    }
}
END_TEST

START_TEST(a_model_goes_with_its_scope) {
    int64_t live = t_live_count(), bytes = t_live_bytes();
    with_scope() t_backward(t_sum(nn_call(small(), t_tensor("[[4, 5, 6]]"), t_tensor("[[1, 2]]"))));
    ck_assert_int_eq(t_live_count(), live);
    ck_assert_int_eq(t_live_bytes(), bytes);
}
END_TEST

/* ---- options ---- */

START_TEST(options_reach_every_part) {
    nn_EncoderDecoder *model =
        nn_EncoderDecoder(2, 4, 2, 6, 11, 7, .src_max_len = 9, .tgt_max_len = 8, .dropout = 0.3, .activation = "gelu",
                          .norm_first = true, .scale_embedding = false, .src_padding_idx = 3, .tgt_padding_idx = 2,
                          .sinusoid = nn_sinusoid_div, .polarity = nn_one_hides);
    int dropouts = 0, attentions = 0, layers = 0;
    for_named (m, nn_named_modules(model)) {
        if (strcmp(m->module->type, "Dropout") == 0) {
            ck_assert_double_eq(((nn_Dropout *)m->module)->p, 0.3);
            dropouts++;
        } else if (strcmp(m->module->type, "MultiHeadAttention") == 0) {
            ck_assert_int_eq(((nn_MultiHeadAttention *)m->module)->polarity, nn_one_hides);
            attentions++;
        } else if (strcmp(m->module->type, "FeedForward") == 0) {
            ck_assert_str_eq(((nn_FeedForward *)m->module)->activation->type, "GELU");
        } else if (strcmp(m->module->type, "EncoderLayer") == 0) {
            layers += ((nn_EncoderLayer *)m->module)->norm_first;
        } else if (strcmp(m->module->type, "DecoderLayer") == 0) {
            layers += ((nn_DecoderLayer *)m->module)->norm_first;
        }
    }
    ck_assert_int_eq(dropouts, 2 + 2 * 4 + 2 * 6);
    ck_assert_int_eq(attentions, 6);
    ck_assert_int_eq(layers, 4);
    Tensor *table = nn_PositionalEncoding(4, 9, .sinusoid = nn_sinusoid_div)->pe;
    HOLDS(t_equal(model->encoder->positional_encoding->pe, table));
    HOLDS(t_equal(model->decoder->positional_encoding->pe, t_at(table, ":, :8")));
    ck_assert_int_eq(model->encoder->embedding->padding_idx, 3);
    ck_assert_int_eq(model->decoder->embedding->padding_idx, 2);
    ck_assert_double_eq(model->decoder->embedding_scale, 1);
    HOLDS(model->encoder->final_norm && model->decoder->final_norm);
    HOLDS(!small()->decoder->final_norm && small()->decoder->embedding_scale == 2);
}
END_TEST

/* A caller with an older, shorter struct gets the defaults of the newer fields. */
START_TEST(older_options_keep_the_newer_defaults) {
    nn_EncoderOptions older = {
        .size = offsetof(nn_EncoderOptions, padding_idx), .max_len = 9, .polarity = nn_one_hides};
    nn_Decoder *decoder = nn_Decoder_new(1, 4, 2, 6, 11, &older);
    nn_DecoderLayer *layer = nn_get(decoder->layers, 0);
    ck_assert_int_eq(decoder->embedding->padding_idx, nn_EncoderDefaults.padding_idx);
    ck_assert_int_eq(layer->cross_attention->polarity, nn_zero_hides);
    ck_assert_int_eq(t_size(decoder->positional_encoding->pe, 1), 9);
    nn_EncoderDecoder *model = nn_EncoderDecoder_new(1, 4, 2, 6, 11, 7, &nn_EncoderDecoderDefaults);
    ck_assert_int_eq(t_size(model->decoder->positional_encoding->pe, 1), 5000);
    ck_assert_int_eq(model->encoder->embedding->padding_idx, T_NONE);
}
END_TEST

START_TEST(polarities_are_mirror_images) {
    Tensor *src = t_tensor("[[4, 5, 0], [1, 0, 0]]"), *tgt = t_tensor("[[1, 2, 0], [0, 3, 1]]"), *y[2];
    nn_EncoderDecoderWeights weights[2];
    for (int one = 0; one < 2; one++) {
        t_manual_seed(5);
        nn_EncoderDecoder *model = nn_EncoderDecoder(2, 4, 2, 6, 11, 7, .polarity = (nn_MaskPolarity)one);
        Tensor *src_mask = one ? nn_hide_padding(src, 0) : nn_keep_padding(src, 0);
        y[one] = nn_EncoderDecoder_call(model, src, tgt, src_mask,
                                        one ? nn_hide_target(tgt, 0) : nn_keep_target(tgt, 0), &weights[one]);
    }
    HOLDS(t_equal(y[0], y[1]));
    for (int k = 0; k < 2; k++) {
        HOLDS(t_equal(t_list_get(weights[0].encoder, k), t_list_get(weights[1].encoder, k)));
        HOLDS(t_equal(t_list_get(weights[0].decoder.self, k), t_list_get(weights[1].decoder.self, k)));
        HOLDS(t_equal(t_list_get(weights[0].decoder.cross, k), t_list_get(weights[1].decoder.cross, k)));
    }
}
END_TEST

/* ---- numerical gradients ---- */

typedef struct Layer {
    nn_DecoderLayer *layer;
    Tensor *src_mask, *tgt_mask;
} Layer;

static Tensor *layer_of(t_TensorList *in, void *context) {
    Layer *with = context;
    return nn_DecoderLayer_call(with->layer, in->items[0], in->items[1], with->src_mask, with->tgt_mask, NULL, NULL);
}

START_TEST(gradients_agree_with_differences) {
    t_manual_seed(3);
    for (int norm_first = 0; norm_first < 2; norm_first++) {
        nn_DecoderLayer *layer = nn_to(nn_DecoderLayer(4, 2, 6, 0, "gelu", norm_first != 0), t_float64);
        Inputs in = make_inputs("r(2,3,4) r(2,5,4)", 7, t_float64);
        Layer with = {layer, t_tensor("[[[1, 1, 0, 1, 0]], [[0, 0, 0, 0, 0]]]"), nn_keep_causal(3)};
        t_TensorList *inputs = t_list_new(in.x, in.count);
        for_named (p, nn_named_parameters(layer)) t_list_append(inputs, p->tensor);
        HOLDS(t_gradcheck(layer_of, inputs, &with, .rtol = 1e-6, .atol = 1e-8));
    }
}
END_TEST

Suite *decoder_suite(void) {
    Suite *suite = suite_create("decoder");
    TCase *tests = tcase_create("decoder");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, no_position_sees_later_ones);
    tcase_add_test(tests, a_hidden_source_changes_nothing);
    tcase_add_test(tests, the_model_is_encoder_then_decoder);
    tcase_add_test(tests, each_dropout_follows_its_sublayer);
    tcase_add_test(tests, generating_agrees_with_one_call);
    tcase_add_test(tests, weights_are_listed_layer_by_layer);
    tcase_add_test(tests, a_call_leaves_its_results_and_nothing_else);
    tcase_add_test(tests, a_model_goes_with_its_scope);
    tcase_add_test(tests, options_reach_every_part);
    tcase_add_test(tests, older_options_keep_the_newer_defaults);
    tcase_add_test(tests, polarities_are_mirror_images);
    tcase_add_test(tests, gradients_agree_with_differences);
    suite_add_tcase(suite, tests);
    add_decoder_error_tests(suite);
    return suite;
}
