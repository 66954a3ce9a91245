/* tests/test_decoder.c: the decoder and the whole Transformer beyond recorded values: what a position may depend on,
 * generating, options on their way down, weights and their owners, refusals, and failures for want of memory. */
#include <math.h>
#include <string.h>

#include "core/context.h"
#include "tests/model_support.h"

static nn_EncoderDecoder *small(void) {
    return nn_EncoderDecoder(2, 4, 2, 6, 11, 7, 9, 8);
}

/* ---- what depends on what ---- */

START_TEST(no_position_sees_those_behind_it) {
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

START_TEST(the_whole_is_its_halves) {
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
    HOLDS(t_equal(nn_call(model->decoder, tgt, memory), nn_Decoder_call(model->decoder, tgt, memory, NULL, NULL, NULL)));
    nn_DecoderLayer *layer = nn_get(model->decoder->layers, 0);
    HOLDS(t_equal(nn_call(layer, x, memory), nn_DecoderLayer_call(layer, x, memory, NULL, NULL, NULL, NULL)));
}
END_TEST

/* A dropout of 1 silences its own sublayer and no other: as if that one's last map were 0. */
START_TEST(each_dropout_stands_behind_its_sublayer) {
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

/* ---- generating ---- */

/* Token by token, each the likeliest next one; the scope of a step leaves the tokens so far and nothing else. */
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
    nn_EncoderDecoder *model = small(); /* in training mode: they are those before dropout */
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
        const char *const sizes[] = {"torch.Size([2, 2, 5, 5])", "torch.Size([2, 2, 3, 3])", "torch.Size([2, 2, 3, 5])"};
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
    Tensor *src = t_tensor("[[4, 5, 6]]"), *tgt = t_tensor("[[1, 2]]"), *x = t_randn(1, 2, 4), *memory = t_randn(1, 3, 4);
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

/* A caller that knows fewer fields gets the defaults of the others. */
START_TEST(older_options_keep_the_newer_defaults) {
    nn_EncoderOptions older = {.size = offsetof(nn_EncoderOptions, padding_idx), .max_len = 9, .polarity = nn_one_hides};
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
        y[one] = nn_EncoderDecoder_call(model, src, tgt, src_mask, one ? nn_hide_target(tgt, 0) : nn_keep_target(tgt, 0),
                                        &weights[one]);
    }
    HOLDS(t_equal(y[0], y[1]));
    for (int k = 0; k < 2; k++) {
        HOLDS(t_equal(t_list_get(weights[0].encoder, k), t_list_get(weights[1].encoder, k)));
        HOLDS(t_equal(t_list_get(weights[0].decoder.self, k), t_list_get(weights[1].decoder.self, k)));
        HOLDS(t_equal(t_list_get(weights[0].decoder.cross, k), t_list_get(weights[1].decoder.cross, k)));
    }
}
END_TEST

/* ---- refusals ---- */

#define MASK_REFUSED(wanted, shape)                                                                                  \
    "MultiHeadAttention: the mask must be (Sq, Sk), (B, Sq, Sk) or (B, H, Sq, Sk) with B, H, Sq, Sk = " wanted " or 1, " \
    "but has shape " shape ". A padding mask (B, Sk) becomes (B, 1, Sk) by t_unsqueeze(mask, 1)"
#define SRC_MASK_REFUSED(shape)                                                                                      \
    "EncoderDecoder: src_mask serves the encoder's queries and the decoder's and must be (B, S), (B, 1, S) or "      \
    "(B, H, 1, S), with H or 1, but has shape " shape

START_TEST(refuses_masks_that_could_mean_another_thing) {
    nn_EncoderDecoder *model = small();
    Tensor *src = t_zeros(2, 5, .dtype = t_int64), *tgt = t_zeros(2, 3, .dtype = t_int64), *memory = t_randn(2, 5, 4);
#define WITH(src_mask, tgt_mask) nn_EncoderDecoder_call(model, src, tgt, src_mask, tgt_mask, NULL)
    REFUSES(WITH(t_ones(5, 5), NULL),
            "Encoder: a padding mask must have the shape of the token ids, [2, 5], but has shape [5, 5]");
    REFUSES(WITH(t_ones(2, 5, 5), NULL), SRC_MASK_REFUSED("[2, 5, 5]"));
    REFUSES(WITH(t_ones(2, 1, 5, 5), NULL), SRC_MASK_REFUSED("[2, 1, 5, 5]"));
    REFUSES(WITH(t_ones(5), NULL), SRC_MASK_REFUSED("[5]"));
    REFUSES(WITH(t_ones(2, 1, 3), NULL), MASK_REFUSED("[2, 2, 5, 5]", "[2, 1, 3]"));
    REFUSES(WITH(NULL, t_ones(2, 3)), MASK_REFUSED("[2, 2, 3, 3]", "[2, 3]"));
    REFUSES(WITH(NULL, t_ones(5, 5)), MASK_REFUSED("[2, 2, 3, 3]", "[5, 5]"));
    REFUSES(WITH(NULL, t_tensor("[[0, -inf, -inf], [0, 0, -inf], [0, 0, 0]]")),
            "MultiHeadAttention: 0 in a mask hides a key and 1 shows it (nn_zero_hides), but this mask holds -inf. A mask that "
            "is added to the scores (-inf hides) becomes one by t_eq(mask, 0)");
    REFUSES(nn_EncoderDecoder_decode(model, tgt, memory, t_ones(2, 3, 5), NULL, NULL), SRC_MASK_REFUSED("[2, 3, 5]"));
    REFUSES(nn_EncoderDecoder_encode(model, src, t_ones(2, 5, 5), NULL), SRC_MASK_REFUSED("[2, 5, 5]"));
    REFUSES(nn_Decoder_call(model->decoder, tgt, memory, t_ones(2, 3), NULL, NULL),
            "Decoder: a src_mask of two dims is a padding mask and must be (batch, length) of the memory, [2, 5], but has "
            "shape [2, 3]");
    HOLDS(WITH(t_ones(2, 5), t_ones(3, 3)) != NULL);
    HOLDS(WITH(t_ones(2, 1, 5), t_ones(1, 3, 3)) != NULL);
    HOLDS(WITH(t_ones(2, 2, 1, 5), t_ones(2, 1, 1, 3)) != NULL);
    HOLDS(nn_Decoder_call(model->decoder, tgt, memory, t_ones(2, 3, 5), NULL, NULL) != NULL);
}
END_TEST

START_TEST(refuses_inputs_that_do_not_fit) {
    nn_EncoderDecoder *model = small();
    nn_DecoderLayer *layer = nn_get(model->decoder->layers, 0);
    Tensor *src = t_zeros(2, 5, .dtype = t_int64), *tgt = t_zeros(2, 3, .dtype = t_int64), *x = t_randn(2, 3, 4);
    nn_EncoderDecoderWeights weights = {t_list_new(NULL, 0), {NULL, NULL}};
    Tensor *own = x, *cross = x;
    REFUSES(nn_EncoderDecoder_call(model, src, t_zeros(3, 3, .dtype = t_int64), NULL, NULL, &weights),
            "MultiHeadAttention: query [3, 3, 4], key [2, 5, 4] and value [2, 5, 4] must agree in batch, key and value in "
            "length");
    HOLDS(!weights.encoder && !weights.decoder.self && !weights.decoder.cross);
    REFUSES(nn_DecoderLayer_call(layer, x, t_ones(2, 5, 3), NULL, NULL, &own, &cross),
            "MultiHeadAttention: key must be (batch, length, 4), but has shape [2, 5, 3]");
    HOLDS(!own && !cross);
    REFUSES(nn_call(model->decoder, tgt, t_ones(2, 5, 3)), "Decoder: memory must be (batch, length, 4), but has shape [2, 5, 3]");
    REFUSES(nn_call(model->decoder, tgt, t_ones(5, 4)), "Decoder: memory must be (batch, length, 4), but has shape [5, 4]");
    REFUSES(nn_call(model, src, t_zeros(2, 9, .dtype = t_int64)),
            "PositionalEncoding: a sequence of 9 positions is longer than max_len = 8");
    REFUSES(nn_call(model, t_zeros(2, 10, .dtype = t_int64), tgt),
            "PositionalEncoding: a sequence of 10 positions is longer than max_len = 9");
    REFUSES(nn_call(model, src, t_tensor("[[7], [0]]")), "index out of range in self. Hint: the id is 7, the weight has 7 rows");
    REFUSES(nn_EncoderDecoder_call(NULL, src, tgt, NULL, NULL, &weights), "argument 1 is NULL where a module is expected");
    REFUSES(nn_call(model, src), "EncoderDecoder takes another number of inputs: nn_call(m, a, b)");
    REFUSES(nn_call(model->decoder, tgt, NULL), "argument 3 is NULL where a tensor is expected");
    REFUSES(nn_Decoder_call(model->decoder, tgt, NULL, NULL, NULL, NULL), "argument 3 is NULL where a tensor is expected");
}
END_TEST

/* ---- gradients by differences ---- */

typedef struct Layer {
    nn_DecoderLayer *layer;
    Tensor *src_mask, *tgt_mask;
} Layer;

static Tensor *layer_of(t_TensorList *in, void *context) {
    Layer *with = context;
    return nn_DecoderLayer_call(with->layer, in->items[0], in->items[1], with->src_mask, with->tgt_mask, NULL, NULL);
}

START_TEST(gradients_agree_with_differences) {
    t_GradcheckOptions options = {.size = sizeof options, .eps = 1e-6, .rtol = 1e-6, .atol = 1e-8};
    t_manual_seed(3);
    for (int norm_first = 0; norm_first < 2; norm_first++) {
        nn_DecoderLayer *layer = nn_to(nn_DecoderLayer(4, 2, 6, 0, "gelu", norm_first != 0), t_float64);
        Inputs in = make_inputs("r(2,3,4) r(2,5,4)", 7, t_float64);
        Layer with = {layer, t_tensor("[[[1, 1, 0, 1, 0]], [[0, 0, 0, 0, 0]]]"), nn_keep_causal(3)};
        t_TensorList *inputs = t_list_new(in.x, in.count);
        for_named (p, nn_named_parameters(layer)) t_list_append(inputs, p->tensor);
        HOLDS(t_gradcheck(layer_of, inputs, &with, &options));
    }
}
END_TEST

/* ---- without memory ---- */

typedef struct Trainee {
    nn_EncoderDecoder *model;
    Tensor *src, *tgt;
} Trainee;

/* One step, its weights too: the loss, NaN on failure. */
static double step(Trainee *t) {
    double loss = (double)NAN;
    with_scope() {
        nn_EncoderDecoderWeights weights;
        t_manual_seed(1);
        nn_zero_grad(t->model);
        Tensor *src_mask = nn_keep_padding(t->src, 0), *tgt_mask = nn_keep_target(t->tgt, 0);
        Tensor *y = nn_EncoderDecoder_call(t->model, t->src, t->tgt, src_mask, tgt_mask, &weights);
        if (!y && (weights.encoder || weights.decoder.self || weights.decoder.cross)) note("a failed call gives weights");
        Tensor *x = y ? F_cross_entropy(t_reshape(y, -1, 7), t_reshape(t->tgt, -1)) : NULL;
        if (x && t_backward(x)) loss = t_item(x);
    }
    nn_zero_grad(t->model);
    return loss;
}

/* Every request in turn is refused: an error, nothing left behind, and the next step is as if it had not been. */
START_TEST(every_refusal_in_a_step_is_harmless) {
    Trainee t = {nn_EncoderDecoder(1, 4, 2, 6, 11, 7, 9, 8), t_tensor("[[4, 5, 0], [1, 2, 3]]"), t_tensor("[[0, 2], [3, 5]]")};
    double undisturbed = step(&t), loss = (double)NAN;
    int64_t live = t_live_count(), bytes = t_live_bytes();
    for (int n = 1; loss != undisturbed && noted() < 10; n++) {
        with_scope() { /* the step's own scope may be what is refused */
            tg_alloc_fail(n, false);
            loss = step(&t);
            tg_alloc_fail(0, false);
        }
        if ((loss == undisturbed) != !t_error()) note("request %d refused: loss %g, error %s", n, loss, t_error());
        else if (t_error() && !strstr(t_error(), "out of memory")) note("request %d refused: %s", n, t_error());
        t_clear_error();
        if (t_live_count() != live || t_live_bytes() != bytes)
            note("request %d refused: %lld tensors and %lld bytes are left", n, (long long)(t_live_count() - live),
                 (long long)(t_live_bytes() - bytes));
    }
    ck_assert_double_eq(step(&t), undisturbed);
    report_notes();
}
END_TEST

Suite *decoder_suite(void) {
    Suite *suite = suite_create("decoder");
    TCase *tests = tcase_create("decoder");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, no_position_sees_those_behind_it);
    tcase_add_test(tests, a_hidden_source_changes_nothing);
    tcase_add_test(tests, the_whole_is_its_halves);
    tcase_add_test(tests, each_dropout_stands_behind_its_sublayer);
    tcase_add_test(tests, generating_agrees_with_one_call);
    tcase_add_test(tests, weights_are_listed_layer_by_layer);
    tcase_add_test(tests, a_call_leaves_its_results_and_nothing_else);
    tcase_add_test(tests, a_model_goes_with_its_scope);
    tcase_add_test(tests, options_reach_every_part);
    tcase_add_test(tests, older_options_keep_the_newer_defaults);
    tcase_add_test(tests, polarities_are_mirror_images);
    tcase_add_test(tests, refuses_masks_that_could_mean_another_thing);
    tcase_add_test(tests, refuses_inputs_that_do_not_fit);
    tcase_add_test(tests, gradients_agree_with_differences);
    tcase_add_test(tests, every_refusal_in_a_step_is_harmless);
    suite_add_tcase(suite, tests);
    return suite;
}
