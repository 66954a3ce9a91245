/* tests/nn/transformer/test_decoder_errors.c: errors of the decoder and the full Transformer; a training step that runs
 * out of memory has no effect. */
#include <math.h>
#include <string.h>

#include "core/tensor/context.h"
#include "tests/support/models/model_support.h"

void add_decoder_error_tests(Suite *suite);

static nn_EncoderDecoder *small(void) {
    return nn_EncoderDecoder(2, 4, 2, 6, 11, 7, 9, 8);
}

/* ---- refusals ---- */

#define MASK_REFUSED(wanted, shape)                                                                            \
    "MultiHeadAttention: the mask must be (Sq, Sk), (B, Sq, Sk) or (B, H, Sq, Sk) with B, H, Sq, Sk = " wanted \
        " or 1, "                                                                                              \
    "but has shape " shape ". A padding mask (B, Sk) becomes (B, 1, Sk) by t_unsqueeze(mask, 1)"
#define SRC_MASK_REFUSED(shape)                                                                                       \
    "EncoderDecoder: src_mask is used with the queries of the encoder and of the decoder and must be (B, S), (B, 1, " \
    "S) or "                                                                                                          \
    "(B, H, 1, S), with H or 1, but has shape " shape

START_TEST(refuses_ambiguous_masks) {
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
            "MultiHeadAttention: 0 in a mask hides a key and 1 shows it (nn_zero_hides), but this mask contains -inf. "
            "A mask that is added to the scores (-inf hides) becomes one by t_eq(mask, 0)");
    REFUSES(nn_EncoderDecoder_decode(model, tgt, memory, t_ones(2, 3, 5), NULL, NULL), SRC_MASK_REFUSED("[2, 3, 5]"));
    REFUSES(nn_EncoderDecoder_encode(model, src, t_ones(2, 5, 5), NULL), SRC_MASK_REFUSED("[2, 5, 5]"));
    REFUSES(
        nn_Decoder_call(model->decoder, tgt, memory, t_ones(2, 3), NULL, NULL),
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
    REFUSES(
        nn_EncoderDecoder_call(model, src, t_zeros(3, 3, .dtype = t_int64), NULL, NULL, &weights),
        "MultiHeadAttention: query [3, 3, 4], key [2, 5, 4] and value [2, 5, 4] must agree in batch, key and value in "
        "length");
    HOLDS(!weights.encoder && !weights.decoder.self && !weights.decoder.cross);
    REFUSES(nn_DecoderLayer_call(layer, x, t_ones(2, 5, 3), NULL, NULL, &own, &cross),
            "MultiHeadAttention: key must be (batch, length, 4), but has shape [2, 5, 3]");
    HOLDS(!own && !cross);
    REFUSES(nn_call(model->decoder, tgt, t_ones(2, 5, 3)),
            "Decoder: memory must be (batch, length, 4), but has shape [2, 5, 3]");
    REFUSES(nn_call(model->decoder, tgt, t_ones(5, 4)),
            "Decoder: memory must be (batch, length, 4), but has shape [5, 4]");
    REFUSES(nn_call(model, src, t_zeros(2, 9, .dtype = t_int64)),
            "PositionalEncoding: a sequence of 9 positions is longer than max_len = 8");
    REFUSES(nn_call(model, t_zeros(2, 10, .dtype = t_int64), tgt),
            "PositionalEncoding: a sequence of 10 positions is longer than max_len = 9");
    REFUSES(nn_call(model, src, t_tensor("[[7], [0]]")),
            "index out of range in self. Hint: the id is 7, the weight has 7 rows");
    REFUSES(nn_EncoderDecoder_call(NULL, src, tgt, NULL, NULL, &weights),
            "argument 1 is NULL where a module is expected");
    REFUSES(nn_call(model, src), "EncoderDecoder takes another number of inputs: nn_call(m, a, b)");
    expect_refusal(!(nn_call2)(model->decoder, tgt, NULL), "argument 3 is NULL where a tensor is expected");
    REFUSES(nn_Decoder_call(model->decoder, tgt, NULL, NULL, NULL, NULL),
            "argument 3 is NULL where a tensor is expected");
}
END_TEST

/* ---- without memory ---- */

typedef struct Trainee {
    nn_EncoderDecoder *model;
    Tensor *src, *tgt;
} Trainee;

/* One step with attention weights: the loss, NaN on failure. */
static double step(Trainee *t) {
    double loss = (double)NAN;
    with_scope() {
        nn_EncoderDecoderWeights weights;
        t_manual_seed(1);
        nn_zero_grad(t->model);
        Tensor *src_mask = nn_keep_padding(t->src, 0), *tgt_mask = nn_keep_target(t->tgt, 0);
        Tensor *y = nn_EncoderDecoder_call(t->model, t->src, t->tgt, src_mask, tgt_mask, &weights);
        if (!y && (weights.encoder || weights.decoder.self || weights.decoder.cross))
            note("a failed call gives weights");
        Tensor *x = y ? F_cross_entropy(t_reshape(y, -1, 7), t_reshape(t->tgt, -1)) : NULL;
        if (x && t_backward(x)) loss = t_item(x);
    }
    nn_zero_grad(t->model);
    return loss;
}

/* Each allocation in turn fails: an error, no leaked tensor, and the next step is unaffected. */
START_TEST(every_failing_allocation_in_a_step_is_harmless) {
    Trainee t = {nn_EncoderDecoder(1, 4, 2, 6, 11, 7, 9, 8), t_tensor("[[4, 5, 0], [1, 2, 3]]"),
                 t_tensor("[[0, 2], [3, 5]]")};
    double undisturbed = step(&t), loss = (double)NAN;
    int64_t live = t_live_count(), bytes = t_live_bytes();
    for (int n = 1; loss != undisturbed && noted() < 10; n++) {
        with_scope() { /* the allocation of the step's scope may be the one that fails */
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

void add_decoder_error_tests(Suite *suite) {
    TCase *tests = tcase_create("errors");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, refuses_ambiguous_masks);
    tcase_add_test(tests, refuses_inputs_that_do_not_fit);
    tcase_add_test(tests, every_failing_allocation_in_a_step_is_harmless);
    suite_add_tcase(suite, tests);
}
