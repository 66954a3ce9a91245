/* tests/nn/transformer/test_torch_transformer_errors.c: the errors of nn.MultiheadAttention and the nn.Transformer
 * family, with the messages that record_torch_transformer.py recorded from PyTorch (golden/torch_transformer_repr.txt).
 * */
#include <stdio.h>
#include <string.h>

#include "tests/support/models/model_support.h"

/* PyTorch's message. */
static const char *recorded_message(const char *label) {
    static char key[64], text[300];
    snprintf(key, sizeof key, "error: %s", label);
    const char *section = golden_case(golden_file("torch_transformer_repr.txt"), key);
    ck_assert_msg(section != NULL, "%s was not recorded", label);
    snprintf(text, sizeof text, "%.*s", (int)strcspn(section, "\n"), section);
    return text;
}
#define SAYS(label, expression) REFUSES(expression, recorded_message(label))
#define PLAIN_SAYS(label, expression) expect_refusal(!(expression), recorded_message(label))

START_TEST(constructors_refuse_in_pytorchs_words) {
    SAYS("heads", nn_MultiheadAttention(4, 3));
    SAYS("size 0", nn_MultiheadAttention(0, 3));
    SAYS("heads 0", nn_TransformerEncoderLayer(4, 0));
    SAYS("layer p", nn_TransformerEncoderLayer(4, 2, 8, 1.5));
    SAYS("activation", nn_TransformerEncoderLayer(4, 2, 8, .activation = "tanh"));
    SAYS("activation", nn_Transformer(4, 2, 1, 1, 8, .activation = "tanh"));
    SAYS("negative", nn_Transformer_generate_square_subsequent_mask(-1));
    void *linear = nn_Linear(4, 4);
    REFUSES(nn_TransformerEncoder(linear, 2), "nn_TransformerEncoder takes a TransformerEncoderLayer, not a Linear");
    REFUSES(nn_TransformerDecoder(linear, 2), "nn_TransformerDecoder takes a TransformerDecoderLayer, not a Linear");
}
END_TEST

#define MHA(q, k, ...) nn_MultiheadAttention_call(mha, q, k, __VA_ARGS__)
START_TEST(attention_refuses_in_pytorchs_words) {
    nn_MultiheadAttention *mha = nn_MultiheadAttention(4, 2, .batch_first = true),
                          *kv = nn_MultiheadAttention(4, 2, .kdim = 3, .vdim = 5);
    nn_MultiheadAttention *more = nn_MultiheadAttention(4, 2, 0, true, true, true, .batch_first = true),
                          *far = nn_MultiheadAttention(4, 2, 1.5);
    Tensor *x = t_ones(2, 3, 4), *y = t_ones(2, 5, 4), *one = t_select(x, 0, 0), *vector = t_select(one, 0, 0);
    Tensor *integers = t_ones(3, 3, .dtype = t_int64), *hidden = t_zeros(3, 3, .dtype = t_bool);
    Tensor *row = t_select(hidden, 0, 0);
    Tensor *narrow = t_narrow(x, 2, 0, 3), *wide = t_ones(2, 3, 5), *first = t_narrow(x, 0, 0, 1),
           *two = t_narrow(hidden, 0, 0, 2);
    Tensor *square = t_zeros(3, 3, .dtype = t_float64), *deep = t_zeros(1, 2, 3, 4);
    SAYS("p", nn_MultiheadAttention_call(far, x, x, x));
    SAYS("1-D", MHA(vector, x, x));
    SAYS("4-D", MHA(deep, x, x));
    SAYS("2-D key", MHA(x, one, x));
    SAYS("3-D key", MHA(one, x, one));
    SAYS("1-D padding", MHA(x, x, x, row));
    SAYS("2-D padding", MHA(one, one, one, hidden));
    SAYS("1-D mask", MHA(x, x, x, .attn_mask = row));
    SAYS("1-D mask unbatched", MHA(one, one, one, .attn_mask = row));
    SAYS("3-D mask unbatched", MHA(one, one, one, .attn_mask = t_zeros(3, 3, 3)));
    SAYS("integer mask", MHA(x, x, x, .attn_mask = integers));
    SAYS("integer padding", MHA(x, x, x, t_narrow(integers, 0, 0, 2)));
    SAYS("2-D mask size", MHA(x, y, y, .attn_mask = hidden));
    SAYS("3-D mask size", MHA(x, x, x, .attn_mask = t_zeros(2, 3, 3)));
    SAYS("padding batch", MHA(x, x, x, t_narrow(hidden, 0, 0, 1)));
    SAYS("padding length", MHA(x, y, y, two));
    SAYS("padding more", nn_MultiheadAttention_call(more, x, y, y, two));
    SAYS("hint", MHA(x, x, x, .is_causal = true));
    SAYS("embed_dim", MHA(wide, x, x));
    SAYS("value", MHA(x, x, y));
    SAYS("value size", MHA(x, x, wide));
    SAYS("batch", MHA(x, first, first));
    SAYS("kdim", nn_MultiheadAttention_call(kv, x, x, x));
    SAYS("vdim", nn_MultiheadAttention_call(kv, x, narrow, x));
    SAYS("kv", nn_MultiheadAttention_call(kv, x, narrow, t_ones(1, 3, 5)));
    SAYS("double mask", MHA(x, x, x, .attn_mask = square));
    SAYS("double mask, no weights", MHA(x, x, x, .attn_mask = square, .need_weights = false));
    nn_to(mha, t_float64);
    Tensor *x64 = t_to(x, t_float64), *square32 = t_zeros(3, 3);
    SAYS("float mask", MHA(x64, x64, x64, .attn_mask = square32));
    REFUSES(nn_call(mha, x),
            "Module [MultiheadAttention] has no forward that nn_call can run: iterate over a list with for_module, "
            "call a class with several inputs by its own function");
}
END_TEST

#define FUNCTION(heads, in, bias_k, bias_v, options) \
    (F_multi_head_attention_forward)(x, x, x, 4, heads, in, NULL, bias_k, bias_v, false, 0, out, b, options)
START_TEST(the_function_refuses_in_pytorchs_words) {
    Tensor *x = t_ones(2, 3, 4), *w = t_ones(12, 4), *out = t_ones(4, 4), *b = t_ones(4), *k = t_ones(1, 1, 4);
    F_MultiHeadAttentionOptions apart = F_MultiHeadAttentionDefaults, given = apart, large = apart;
    apart.use_separate_proj_weight = true;
    given.static_k = t_ones(6, 3, 2);
    large.static_k = t_ones(6, 3, 3);
    PLAIN_SAYS("no in_proj", FUNCTION(2, NULL, NULL, NULL, NULL));
    PLAIN_SAYS("no q_proj", FUNCTION(2, w, NULL, NULL, &apart));
    PLAIN_SAYS("bias_k", FUNCTION(2, w, k, NULL, NULL));
    PLAIN_SAYS("bias_v", FUNCTION(2, w, NULL, k, NULL));
    PLAIN_SAYS("static_k", FUNCTION(2, w, k, k, &given));
    PLAIN_SAYS("not divisible", FUNCTION(3, w, NULL, NULL, NULL));
    expect_refusal(!FUNCTION(2, w, NULL, NULL, &large), "static_k must be (6, S, 2), but has shape [6, 3, 3]");
    expect_refusal(!FUNCTION(0, w, NULL, NULL, NULL), "num_heads must be greater than 0, but is 0");
}
END_TEST

START_TEST(stacks_refuse_in_pytorchs_words) {
    nn_TransformerEncoderLayer *layer = nn_TransformerEncoderLayer(4, 2, 8);
    nn_TransformerDecoderLayer *decoder_layer = nn_TransformerDecoderLayer(4, 2, 8);
    nn_TransformerEncoder *encoder = nn_TransformerEncoder(layer, 2), *empty = nn_TransformerEncoder(layer, 0);
    nn_TransformerDecoder *decoder = nn_TransformerDecoder(decoder_layer, 2),
                          *no_decoder = nn_TransformerDecoder(decoder_layer, 0);
    nn_Transformer *transformer = nn_Transformer(4, 2, 1, 1, 8);
    nn_Transformer *custom =
        nn_Transformer(4, 2, .custom_encoder = nn_Linear(4, 4), .custom_decoder = nn_Bilinear(4, 4, 4));
    Tensor *x = t_ones(2, 3, 4), *integers = t_ones(3, 3, .dtype = t_int64), *square = t_zeros(3, 3);
    t_TensorList *weights;
    SAYS("layer mask", nn_TransformerEncoderLayer_call(layer, x, integers));
    SAYS("layer padding", nn_TransformerEncoderLayer_call(layer, x, NULL, integers));
    SAYS("encoder mask", nn_TransformerEncoder_call(encoder, x, integers));
    SAYS("encoder padding", nn_TransformerEncoder_call(encoder, x, NULL, integers));
    SAYS("encoder hint", nn_TransformerEncoder_call(encoder, x, .is_causal = true));
    SAYS("decoder padding", nn_TransformerDecoder_call(decoder, x, x, .tgt_key_padding_mask = integers));
    SAYS("decoder mask", nn_TransformerDecoderLayer_call(decoder_layer, x, x, .memory_mask = integers));
    SAYS("empty", nn_call(empty, x));
    SAYS("empty decoder", nn_call(no_decoder, x, x));
    SAYS("batches", nn_call(transformer, x, t_narrow(x, 1, 0, 2)));
    SAYS("features", nn_call(transformer, x, t_narrow(x, 2, 0, 3)));
    SAYS("dims", nn_call(transformer, x, t_select(x, 1, 0)));
    REFUSES(nn_call(transformer, t_ones(4), x), "src and tgt must have 2 or 3 dims, but have 1 and 3");
    REFUSES(nn_Transformer_call(custom, x, x, square),
            "a Linear instead of an encoder or decoder takes no masks and returns no attention weights");
    REFUSES(nn_Transformer_call(custom, x, x, .self_weights = &weights),
            "a Bilinear instead of an encoder or decoder takes no masks and returns no attention weights");
    HOLDS(nn_call(custom, x, x) != NULL);
}
END_TEST

Suite *torch_transformer_errors_suite(void);
Suite *torch_transformer_errors_suite(void) {
    Suite *suite = suite_create("torch_transformer_errors");
    TCase *tests = tcase_create("torch_transformer_errors");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, constructors_refuse_in_pytorchs_words);
    tcase_add_test(tests, attention_refuses_in_pytorchs_words);
    tcase_add_test(tests, the_function_refuses_in_pytorchs_words);
    tcase_add_test(tests, stacks_refuse_in_pytorchs_words);
    suite_add_tcase(suite, tests);
    return suite;
}
