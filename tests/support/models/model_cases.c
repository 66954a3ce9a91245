/* tests/support/models/model_cases.c: the modules of the golden files by their labels; golden/model_cases.py has the
 * same in Python. */
#include <string.h>

#include "tests/support/models/notebook_model.h"

/* A row is a label and an expression that makes the module. */
#define FUNCTION(set, label, expression) \
    static void *make_##set##_##label(void) { return expression; }
#define ROW(set, label) {#label, make_##set##_##label},

#define AS_LAYER(label, expression) FUNCTION(layer, label, expression)
#define AS_TRANSFORMER(label, expression) FUNCTION(transformer, label, expression)
#define AS_INIT(label, expression) FUNCTION(init, label, expression)
#define LAYER_ROW(label, expression) ROW(layer, label)
#define TRANSFORMER_ROW(label, expression) ROW(transformer, label)
#define INIT_ROW(label, expression) ROW(init, label)

/* ---- layers and losses ---- */

static void *two_dims(void) {
    return nn_LayerNorm_new((int64_t[]){3, 5}, 2, NULL);
}

#define LAYERS(X)                                                                                                   \
    X(linear, nn_Linear(3, 4))                                                                                      \
    X(linear_no_bias, nn_Linear(3, 4, .bias = false))                                                               \
    X(embedding, nn_Embedding(7, 3))                                                                                \
    X(embedding_padded, nn_Embedding(7, 3, .padding_idx = 2))                                                       \
    X(embedding_padded_last, nn_Embedding(7, 3, .padding_idx = -1))                                                 \
    X(layer_norm, nn_LayerNorm(5))                                                                                  \
    X(layer_norm_plain, nn_LayerNorm(5, .elementwise_affine = false))                                               \
    X(layer_norm_no_bias, nn_LayerNorm(5, .bias = false))                                                           \
    X(layer_norm_eps, nn_LayerNorm(5, 0.5))                                                                         \
    X(layer_norm_two_dims, two_dims())                                                                              \
    X(relu, nn_ReLU())                                                                                              \
    X(tanh, nn_Tanh())                                                                                              \
    X(sigmoid, nn_Sigmoid())                                                                                        \
    X(identity, nn_Identity())                                                                                      \
    X(gelu, nn_GELU())                                                                                              \
    X(gelu_tanh, nn_GELU("tanh"))                                                                                   \
    X(softmax_last, nn_Softmax(-1))                                                                                 \
    X(softmax_1, nn_Softmax(.dim = 1))                                                                              \
    X(softmax_0, nn_Softmax(0))                                                                                     \
    X(dropout, nn_Dropout(0.3))                                                                                     \
    X(dropout_half, nn_Dropout())                                                                                   \
    X(dropout_all, nn_Dropout(1))                                                                                   \
    X(dropout_none, nn_Dropout(0))                                                                                  \
    X(sequential, nn_Sequential(nn_Linear(4, 6), nn_ReLU(), nn_Dropout(0.1), nn_Linear(6, 2)))                      \
    X(cross_entropy, nn_CrossEntropyLoss())                                                                         \
    X(cross_entropy_sum, nn_CrossEntropyLoss(.reduction = "sum"))                                                   \
    X(cross_entropy_none, nn_CrossEntropyLoss(.reduction = "none"))                                                 \
    X(cross_entropy_ignore, nn_CrossEntropyLoss(.ignore_index = 2))                                                 \
    X(cross_entropy_weight, nn_CrossEntropyLoss(.weight = t_ones(5)))                                               \
    X(cross_entropy_smooth, nn_CrossEntropyLoss(.label_smoothing = 0.2))                                            \
    X(cross_entropy_all, nn_CrossEntropyLoss(t_ones(5), .ignore_index = 2, .label_smoothing = 0.2))                 \
    X(cross_entropy_all_sum, nn_CrossEntropyLoss(t_ones(5), 2, "sum", 0.2))                                         \
    X(cross_entropy_all_none, nn_CrossEntropyLoss(t_ones(5), 2, "none", 0.2))                                       \
    X(mse, nn_MSELoss())                                                                                            \
    X(mse_sum, nn_MSELoss("sum"))                                                                                   \
    X(mse_none, nn_MSELoss(.reduction = "none"))
LAYERS(AS_LAYER)
const ModuleMaker layer_makers[] = {LAYERS(LAYER_ROW) {NULL, NULL}};

/* ---- the Transformer's parts ---- */

#define SMALL(layers, p) (ClassifierOptions){layers, 4, 2, 6, 11, 9, p}
#define FULL (ClassifierOptions){2, 128, 4, 256, 50, 20, 0.1}

/* An encoder and decoder whose masks come from the ids, in which 0 is padding. */
typedef struct Translator {
    nn_Module base;
    nn_EncoderDecoder *model;
} Translator;

static Translator *translator(nn_EncoderDecoder *model) {
    Translator *self = nn_module(Translator, NULL);
    nn_set(self, model, model);
    return self;
}

static Tensor *translator_call(Translator *self, Tensor *src, Tensor *tgt, nn_EncoderDecoderWeights *weights) {
    nn_EncoderLayer *first = nn_get(self->model->encoder->layers, 0);
    if (first->self_attention->polarity == nn_one_hides)
        return nn_EncoderDecoder_call(self->model, src, tgt, nn_hide_padding(src, 0), nn_hide_target(tgt, 0), weights);
    return nn_EncoderDecoder_call(self->model, src, tgt, nn_keep_padding(src, 0), nn_keep_target(tgt, 0), weights);
}

#define PADDED_WITH_0 .src_padding_idx = 0, .tgt_padding_idx = 0

#define TRANSFORMERS(X)                                                                                        \
    X(attention, nn_MultiHeadAttention(4, 2))                                                                  \
    X(attention_1, nn_MultiHeadAttention(4, 1, 0))                                                             \
    X(attention_one_hides, nn_MultiHeadAttention(4, 2, .polarity = nn_one_hides))                              \
    X(feed_forward, nn_FeedForward(4, 6))                                                                      \
    X(feed_forward_gelu, nn_FeedForward(4, 6, 0.3, "gelu"))                                                    \
    X(positional_encoding, nn_PositionalEncoding(4, 7))                                                        \
    X(layer, nn_EncoderLayer(4, 2, 6))                                                                         \
    X(layer_gelu, nn_EncoderLayer(4, 2, 6, .activation = "gelu"))                                              \
    X(layer_pre, nn_EncoderLayer(4, 2, 6, .norm_first = true))                                                 \
    X(layer_pre_gelu, nn_EncoderLayer(4, 2, 6, 0.2, "gelu", true))                                             \
    X(encoder, nn_Encoder(2, 4, 2, 6, 11, 9))                                                                  \
    X(encoder_unscaled, nn_Encoder(1, 4, 2, 6, 11, .max_len = 9, .scale_embedding = false))                    \
    X(encoder_pre, nn_Encoder(2, 4, 2, 6, 11, 9, 0.2, "gelu", true))                                           \
    X(encoder_one_hides, nn_Encoder(2, 4, 2, 6, 11, 9, .padding_idx = 2, .sinusoid = nn_sinusoid_div,          \
                                    .polarity = nn_one_hides))                                                 \
    X(decoder_layer, nn_DecoderLayer(4, 2, 6))                                                                 \
    X(decoder_layer_gelu, nn_DecoderLayer(4, 2, 6, .activation = "gelu"))                                      \
    X(decoder_layer_pre, nn_DecoderLayer(4, 2, 6, .norm_first = true))                                         \
    X(decoder_layer_pre_one_hides, nn_DecoderLayer(4, 2, 6, 0.2, "gelu", true, nn_one_hides))                  \
    X(decoder, nn_Decoder(2, 4, 2, 6, 11, 9))                                                                  \
    X(decoder_unscaled, nn_Decoder(1, 4, 2, 6, 11, .max_len = 9, .scale_embedding = false))                    \
    X(decoder_pre, nn_Decoder(2, 4, 2, 6, 11, 9, 0.2, "gelu", true, .polarity = nn_one_hides))                 \
    X(encoder_decoder, nn_EncoderDecoder(2, 4, 2, 6, 11, 7))                                                   \
    X(encoder_decoder_unscaled, nn_EncoderDecoder(1, 4, 2, 6, 11, 7, 9, 8, .scale_embedding = false,           \
                                                  .sinusoid = nn_sinusoid_pow))                                \
    X(translator, translator(nn_EncoderDecoder(2, 4, 2, 6, 7, 5, 9, 9, PADDED_WITH_0)))                        \
    X(translator_pre, translator(nn_EncoderDecoder(2, 4, 2, 6, 7, 5, 9, 9, 0.2, "gelu", true, PADDED_WITH_0))) \
    X(translator_one_hides, translator(nn_EncoderDecoder(2, 4, 2, 6, 7, 5, 9, 9, PADDED_WITH_0,                \
                                                         .polarity = nn_one_hides)))                           \
    X(classifier, encoder_classifier(SMALL(2, 0.1)))                                                           \
    X(classifier_full, encoder_classifier(FULL))
TRANSFORMERS(AS_TRANSFORMER)
const ModuleMaker transformer_makers[] = {TRANSFORMERS(TRANSFORMER_ROW) {NULL, NULL}};

/* ---- initial values ---- */

typedef struct Filled {
    nn_Module base;
    Tensor *weight;
} Filled;

static Filled *filled(Tensor *weight) {
    Filled *self = nn_module(Filled, NULL);
    nn_set(self, weight, nn_Parameter(weight));
    return self;
}

#define CUBE t_empty(7, 4, 3)
#define INITS(X)                                                                                         \
    X(linear, nn_Linear(3, 2))                                                                           \
    X(linear_large, nn_Linear(128, 64))                                                                  \
    X(linear_no_bias, nn_Linear(5, 7, false))                                                            \
    X(linear_double, nn_Linear(6, 5, .dtype = t_float64))                                                \
    X(embedding, nn_Embedding(4, 3))                                                                     \
    X(embedding_large, nn_Embedding(50, 128))                                                            \
    X(embedding_padded, nn_Embedding(7, 5, 2))                                                           \
    X(embedding_double, nn_Embedding(6, 3, .dtype = t_float64))                                          \
    X(layer_norm, nn_LayerNorm(6))                                                                       \
    X(sequential, nn_Sequential(nn_Linear(4, 6), nn_ReLU(), nn_Dropout(0.1), nn_Linear(6, 2)))           \
    X(attention, nn_MultiHeadAttention(16, 4))                                                           \
    X(feed_forward, nn_FeedForward(16, 24))                                                              \
    X(layer, nn_EncoderLayer(16, 4, 24))                                                                 \
    X(encoder, nn_Encoder(2, 16, 4, 24, 11))                                                             \
    X(encoder_pre, nn_Encoder(2, 16, 4, 24, 11, .norm_first = true))                                     \
    X(decoder_layer, nn_DecoderLayer(16, 4, 24))                                                         \
    X(decoder, nn_Decoder(2, 16, 4, 24, 11, .padding_idx = 3))                                           \
    X(encoder_decoder, nn_EncoderDecoder(2, 16, 4, 24, 11, 7, .norm_first = true, .src_padding_idx = 0)) \
    X(classifier, encoder_classifier((ClassifierOptions){2, 16, 4, 24, 11, 5000, 0.1}))                  \
    X(xavier, filled(nn_init_xavier_uniform_(CUBE)))                                                     \
    X(xavier_gain, filled(nn_init_xavier_uniform_(CUBE, .gain = 0.7)))                                   \
    X(kaiming, filled(nn_init_kaiming_uniform_(CUBE)))                                                   \
    X(kaiming_slope, filled(nn_init_kaiming_uniform_(CUBE, 0.3)))                                        \
    X(uniform, filled(nn_init_uniform_(CUBE, -0.1, 0.3)))                                                \
    X(normal, filled(nn_init_normal_(CUBE, 0.5, .std = 0.02)))
INITS(AS_INIT)
const ModuleMaker init_makers[] = {INITS(INIT_ROW) {NULL, NULL}};

/* ---- calling them ---- */

/* The attention weights, in the recorder's order: the encoder's layers, then self- and cross-attention of each layer of
 * the decoder. */
static Outputs with_weights(Tensor *y, nn_EncoderDecoderWeights weights) {
    t_TensorList *all = weights.encoder ? weights.encoder : t_list_new(NULL, 0);
    for (int64_t k = 0; weights.decoder.self && k < weights.decoder.self->len; k++) {
        t_list_append(all, t_list_get(weights.decoder.self, k));
        t_list_append(all, t_list_get(weights.decoder.cross, k));
    }
    return (Outputs){y, y ? all : NULL};
}

static Outputs call_attention(nn_MultiHeadAttention *self, const Inputs *in) {
    Tensor *weights = NULL, *y = nn_MultiHeadAttention_call(self, in->x[0], in->x[1], in->x[2], in->x[3], &weights);
    return (Outputs){y, y ? t_list(weights) : NULL};
}

static Outputs call_layer(nn_EncoderLayer *self, const Inputs *in) {
    Tensor *weights = NULL, *y = nn_EncoderLayer_call(self, in->x[0], in->x[1], &weights);
    return (Outputs){y, y ? t_list(weights) : NULL};
}

static Outputs call_decoder_layer(nn_DecoderLayer *self, const Inputs *in) {
    Tensor *own = NULL, *cross = NULL;
    Tensor *y = nn_DecoderLayer_call(self, in->x[0], in->x[1], in->x[2], in->x[3], &own, &cross);
    return (Outputs){y, y ? t_list(own, cross) : NULL};
}

static Outputs call_decoder(nn_Decoder *self, const Inputs *in) {
    nn_EncoderDecoderWeights weights = {NULL, {NULL, NULL}};
    Tensor *y = nn_Decoder_call(self, in->x[0], in->x[1], in->x[2], in->x[3], &weights.decoder);
    return with_weights(y, weights);
}

static Outputs call_encoder_decoder(nn_EncoderDecoder *self, const Inputs *in) {
    nn_EncoderDecoderWeights weights;
    Tensor *y = nn_EncoderDecoder_call(self, in->x[0], in->x[1], in->x[2], in->x[3], &weights);
    return with_weights(y, weights);
}

static Outputs call_translator(Translator *self, const Inputs *in) {
    nn_EncoderDecoderWeights weights;
    Tensor *y = translator_call(self, in->x[0], in->x[1], &weights);
    return with_weights(y, weights);
}

Outputs call_module(nn_Module *module, const Inputs *in) {
    Outputs out = {NULL, NULL};
    Tensor *a = in->x[0], *b = in->x[1];
    if (strcmp(module->type, "MultiHeadAttention") == 0) return call_attention((nn_MultiHeadAttention *)module, in);
    if (strcmp(module->type, "EncoderLayer") == 0) return call_layer((nn_EncoderLayer *)module, in);
    if (strcmp(module->type, "DecoderLayer") == 0) return call_decoder_layer((nn_DecoderLayer *)module, in);
    if (strcmp(module->type, "Decoder") == 0) return call_decoder((nn_Decoder *)module, in);
    if (strcmp(module->type, "EncoderDecoder") == 0) return call_encoder_decoder((nn_EncoderDecoder *)module, in);
    if (strcmp(module->type, "Translator") == 0) return call_translator((Translator *)module, in);
    if (strcmp(module->type, "Encoder") == 0)
        out.y = nn_Encoder_call((nn_Encoder *)module, a, b, &out.weights);
    else if (strcmp(module->type, "EncoderClassifier") == 0)
        out.y = encoder_classifier_call((EncoderClassifier *)module, a, b, &out.weights);
    else
        out.y = b ? nn_call(module, a, b) : nn_call(module, a);
    return out;
}
