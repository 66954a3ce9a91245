/* examples/notebook.c: a notebook's Transformer encoder for classification, cell by cell (tutorial 002).
 * Difficulty: **     Reads before: backprop.c     Then: train_classifier
 *
 * Classes, variables and their order are the notebook's, functions in snake_case; under the same seed it prints the same
 * values. Shapes: B batch_size, S seq_len, H num_heads, d d_k, D d_model. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "core/data/data.h"
#include "nn/nn.h"
#include "optim/optim.h"

/* f"{n:,}": a whole number with commas between the thousands. */
static const char *commas(int64_t n) {
    static char text[32];
    char plain[32];
    int length = snprintf(plain, sizeof plain, "%lld", (long long)n), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = plain[i];
    }
    text[at] = 0;
    return text;
}

/* ---- 1. seeds ---- */

static void cell_1(void) {
    t_manual_seed(42);
    printf("device: cpu\n");
    printf("version: %s\n", t_version());
}

/* ---- 2. scaled dot-product attention ---- */

/* query, key, value: (B, S, d); mask: (B, S, S), 0 hides, or NULL; dropout on the weights, or NULL.
 * Returns (B, S, d); *attention_weights: (B, S, S). */
static Tensor *scaled_dot_product_attention(Tensor *query, Tensor *key, Tensor *value, Tensor *mask, nn_Dropout *dropout,
                                            Tensor **attention_weights) {
    int64_t d_k = t_size(query, -1);
    Tensor *scores = t_div(t_matmul(query, t_transpose(key, -2, -1)), sqrt((double)d_k));
    if (mask) scores = t_masked_fill(scores, t_eq(mask, 0), -1e9);
    *attention_weights = F_softmax(scores, -1);
    if (dropout) *attention_weights = nn_call(dropout, *attention_weights);
    Tensor *output = t_matmul(*attention_weights, value);
    return output;
}

static void cell_2(void) {
    int64_t batch_size = 2, seq_len = 4, d_k = 8;
    Tensor *query = t_randn(batch_size, seq_len, d_k);
    Tensor *key = t_randn(batch_size, seq_len, d_k);
    Tensor *value = t_randn(batch_size, seq_len, d_k);
    Tensor *weights;
    Tensor *output = scaled_dot_product_attention(query, key, value, NULL, NULL, &weights);
    printf("query shape: %s\n", t_size_repr(query));
    printf("output shape: %s\n", t_size_repr(output));
    printf("attention weights shape: %s\n", t_size_repr(weights));
    printf("attention weights summed: ");
    t_print(t_sum(t_at(weights, "0"), -1));
}

/* ---- 3. multi-head attention ---- */

typedef struct MultiHeadAttention {
    nn_Module base;
    int64_t d_model, num_heads, d_k;
    nn_Linear *W_q, *W_k, *W_v, *W_o;
    nn_Dropout *dropout;
} MultiHeadAttention;

static MultiHeadAttention *multi_head_attention(int64_t d_model, int64_t num_heads, double dropout) {
    MultiHeadAttention *self = nn_module(MultiHeadAttention, NULL);
    if (d_model % num_heads != 0) return t_fail("d_model must be divisible by num_heads");
    self->d_model = d_model;
    self->num_heads = num_heads;
    self->d_k = d_model / num_heads;
    nn_set(self, W_q, nn_Linear(d_model, d_model));
    nn_set(self, W_k, nn_Linear(d_model, d_model));
    nn_set(self, W_v, nn_Linear(d_model, d_model));
    nn_set(self, W_o, nn_Linear(d_model, d_model));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

static Tensor *multi_head_attention_call(MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value, Tensor *mask,
                                         Tensor **weights) {
    int64_t batch_size = t_size(query, 0), seq_len = t_size(query, 1);
    /* 1. project, and split the features into heads: (B, S, D) -> (B, S, H, d) */
    Tensor *Q = t_view(nn_call(self->W_q, query), batch_size, seq_len, self->num_heads, self->d_k);
    Tensor *K = t_view(nn_call(self->W_k, key), batch_size, seq_len, self->num_heads, self->d_k);
    Tensor *V = t_view(nn_call(self->W_v, value), batch_size, seq_len, self->num_heads, self->d_k);
    /* 2. heads before positions: (B, H, S, d) */
    Q = t_transpose(Q, 1, 2);
    K = t_transpose(K, 1, 2);
    V = t_transpose(V, 1, 2);
    /* 3. one mask for all heads: (B, 1, S, S) */
    if (mask) mask = t_unsqueeze(mask, 1);
    /* 4. heads side by side with the batch: (B * H, S, d) */
    Tensor *Q_reshaped = t_reshape(Q, batch_size * self->num_heads, seq_len, self->d_k);
    Tensor *K_reshaped = t_reshape(K, batch_size * self->num_heads, seq_len, self->d_k);
    Tensor *V_reshaped = t_reshape(V, batch_size * self->num_heads, seq_len, self->d_k);
    if (mask) {
        mask = t_repeat(mask, 1, self->num_heads, 1, 1);
        mask = t_reshape(mask, batch_size * self->num_heads, seq_len, seq_len);
    }
    Tensor *attn_weights;
    Tensor *attn_output =
        scaled_dot_product_attention(Q_reshaped, K_reshaped, V_reshaped, mask, self->dropout, &attn_weights);
    /* 5. apart again: (B, H, S, d) */
    attn_output = t_reshape(attn_output, batch_size, self->num_heads, seq_len, self->d_k);
    attn_weights = t_reshape(attn_weights, batch_size, self->num_heads, seq_len, seq_len);
    /* 6. the heads' features side by side: (B, S, D) */
    attn_output = t_view(t_contiguous(t_transpose(attn_output, 1, 2)), batch_size, seq_len, self->d_model);
    /* 7. the output projection */
    Tensor *output = nn_call(self->W_o, attn_output);
    *weights = attn_weights;
    return output;
}

static void cell_3(void) {
    int64_t d_model = 128, num_heads = 4;
    MultiHeadAttention *mha = multi_head_attention(d_model, num_heads, 0.1);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *weights;
    Tensor *output = multi_head_attention_call(mha, x, x, x, NULL, &weights);
    printf("input shape: %s\n", t_size_repr(x));
    printf("output shape: %s\n", t_size_repr(output));
    printf("attention weights shape: %s\n", t_size_repr(weights));
    printf("parameters: %lld\n", (long long)nn_count_parameters(mha, false));
}

/* ---- 4. position-wise feed-forward network ---- */

typedef struct PositionwiseFeedForward {
    nn_Module base;
    nn_Linear *fc1, *fc2;
    nn_Dropout *dropout;
    nn_ReLU *activation;
} PositionwiseFeedForward;

static Tensor *positionwise_feed_forward_call(PositionwiseFeedForward *self, Tensor *x) {
    x = nn_call(self->fc1, x); /* (B, S, D) -> (B, S, d_ff) */
    x = nn_call(self->activation, x);
    x = nn_call(self->dropout, x);
    x = nn_call(self->fc2, x); /* (B, S, d_ff) -> (B, S, D) */
    return x;
}

static PositionwiseFeedForward *positionwise_feed_forward(int64_t d_model, int64_t d_ff, double dropout) {
    PositionwiseFeedForward *self = nn_module(PositionwiseFeedForward, positionwise_feed_forward_call);
    nn_set(self, fc1, nn_Linear(d_model, d_ff));
    nn_set(self, fc2, nn_Linear(d_ff, d_model));
    nn_set(self, dropout, nn_Dropout(dropout));
    nn_set(self, activation, nn_ReLU());
    return self;
}

static void cell_4(void) {
    int64_t d_model = 128, d_ff = 512;
    PositionwiseFeedForward *ffn = positionwise_feed_forward(d_model, d_ff, 0.1);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *output = nn_call(ffn, x);
    printf("FFN input shape: %s\n", t_size_repr(x));
    printf("FFN output shape: %s\n", t_size_repr(output));
    printf("FFN parameters: %lld\n", (long long)nn_count_parameters(ffn, false));
}

/* ---- 5. positional encoding ---- */

typedef struct PositionalEncoding {
    nn_Module base;
    nn_Dropout *dropout;
    Tensor *pe;
} PositionalEncoding;

static Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x) {
    int64_t seq_len = t_size(x, 1);
    x = t_add(x, t_at(self->pe, ":, :{}, :", seq_len));
    return nn_call(self->dropout, x);
}

static PositionalEncoding *positional_encoding(int64_t d_model, int64_t max_len, double dropout) {
    PositionalEncoding *self = nn_module(PositionalEncoding, positional_encoding_call);
    nn_set(self, dropout, nn_Dropout(dropout));
    Tensor *pe = t_zeros(max_len, d_model);
    Tensor *position = t_float(t_unsqueeze(t_arange(0, max_len), 1));
    Tensor *div_term = t_exp(t_mul(t_float(t_arange(0, d_model, 2)), -(log(10000.0) / (double)d_model)));
    t_set(pe, ":, 0::2", t_sin(t_mul(position, div_term)));
    t_set(pe, ":, 1::2", t_cos(t_mul(position, div_term)));
    pe = t_unsqueeze(pe, 0); /* (1, max_len, D) */
    nn_register_buffer(self, pe, pe);
    return self;
}

static void cell_5(void) {
    int64_t d_model = 128;
    PositionalEncoding *pe_layer = positional_encoding(d_model, 100, 0.1);
    printf("positional encoding shape: %s\n", t_size_repr(pe_layer->pe));
}

/* ---- 6. encoder layer ---- */

typedef struct EncoderLayer {
    nn_Module base;
    MultiHeadAttention *self_attention;
    PositionwiseFeedForward *feed_forward;
    nn_LayerNorm *norm1, *norm2;
    nn_Dropout *dropout1, *dropout2;
} EncoderLayer;

static EncoderLayer *encoder_layer(int64_t d_model, int64_t num_heads, int64_t d_ff, double dropout) {
    EncoderLayer *self = nn_module(EncoderLayer, NULL);
    nn_set(self, self_attention, multi_head_attention(d_model, num_heads, dropout));
    nn_set(self, feed_forward, positionwise_feed_forward(d_model, d_ff, dropout));
    nn_set(self, norm1, nn_LayerNorm(d_model));
    nn_set(self, norm2, nn_LayerNorm(d_model));
    nn_set(self, dropout1, nn_Dropout(dropout));
    nn_set(self, dropout2, nn_Dropout(dropout));
    return self;
}

static Tensor *encoder_layer_call(EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **attn_weights) {
    /* 1. self-attention, normed before (pre-LN), with a residual connection */
    Tensor *normed_x = nn_call(self->norm1, x);
    Tensor *attn_output = multi_head_attention_call(self->self_attention, normed_x, normed_x, normed_x, mask, attn_weights);
    x = t_add(x, nn_call(self->dropout1, attn_output));
    /* 2. feed-forward, likewise */
    normed_x = nn_call(self->norm2, x);
    Tensor *ff_output = nn_call(self->feed_forward, normed_x);
    x = t_add(x, nn_call(self->dropout2, ff_output));
    return x;
}

static void cell_6(void) {
    int64_t d_model = 128, num_heads = 4, d_ff = 512;
    EncoderLayer *layer = encoder_layer(d_model, num_heads, d_ff, 0.1);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *weights;
    Tensor *output = encoder_layer_call(layer, x, NULL, &weights);
    printf("encoder layer input shape: %s\n", t_size_repr(x));
    printf("encoder layer output shape: %s\n", t_size_repr(output));
    printf("attention weights shape: %s\n", t_size_repr(weights));
    printf("encoder layer parameters: %lld\n", (long long)nn_count_parameters(layer, false));
}

/* ---- 7. the encoder ---- */

typedef struct TransformerEncoder {
    nn_Module base;
    nn_Embedding *embedding;
    double embedding_scale;
    PositionalEncoding *positional_encoding;
    nn_ModuleList *layers;
    nn_LayerNorm *final_norm;
    int64_t num_layers;
} TransformerEncoder;

static TransformerEncoder *transformer_encoder(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff,
                                               int64_t vocab_size, int64_t max_len, double dropout) {
    TransformerEncoder *self = nn_module(TransformerEncoder, NULL);
    nn_set(self, embedding, nn_Embedding(vocab_size, d_model));
    self->embedding_scale = sqrt((double)d_model);
    nn_set(self, positional_encoding, positional_encoding(d_model, max_len, dropout));
    nn_set(self, layers, nn_ModuleList());
    for_range (_, 0, num_layers) nn_append(self->layers, encoder_layer(d_model, num_heads, d_ff, dropout));
    nn_set(self, final_norm, nn_LayerNorm(d_model));
    self->num_layers = num_layers;
    return self;
}

/* x: (B, S) token ids; mask: (B, S), 0 at padding, or NULL. *attention_weights_list: each layer's (B, H, S, S). */
static Tensor *transformer_encoder_call(TransformerEncoder *self, Tensor *x, Tensor *mask,
                                        t_TensorList **attention_weights_list) {
    x = t_mul(nn_call(self->embedding, x), self->embedding_scale);
    x = nn_call(self->positional_encoding, x);
    if (mask) {
        int64_t batch_size = t_size(mask, 0), seq_len = t_size(mask, 1);
        mask = t_expand(t_unsqueeze(mask, 1), batch_size, seq_len, seq_len);
    }
    *attention_weights_list = t_list();
    for_module (layer, self->layers) {
        Tensor *attn_weights;
        x = encoder_layer_call(layer, x, mask, &attn_weights);
        t_list_append(*attention_weights_list, attn_weights);
    }
    x = nn_call(self->final_norm, x);
    return x;
}

static void cell_7(void) {
    int64_t vocab_size = 1000;
    TransformerEncoder *encoder = transformer_encoder(3, 128, 4, 512, vocab_size, 5000, 0.1);
    Tensor *input_ids = t_randint(0, vocab_size, 2, 15);
    t_TensorList *attn_weights_list;
    Tensor *output = transformer_encoder_call(encoder, input_ids, NULL, &attn_weights_list);
    printf("input shape: %s\n", t_size_repr(input_ids));
    printf("output shape: %s\n", t_size_repr(output));
    printf("model parameters: %s\n", commas(nn_count_parameters(encoder, false)));
}

/* ---- 8. a data set ---- */

typedef struct SimpleSequenceDataset {
    int64_t num_samples, seq_len, vocab_size;
    t_TensorList *data; /* sequence 0, label 0, sequence 1, label 1, ... */
} SimpleSequenceDataset;

static int64_t simple_sequence_dataset_len(void *context) {
    SimpleSequenceDataset *self = context;
    return self->num_samples;
}

static bool simple_sequence_dataset_getitem(void *context, int64_t idx, Tensor **seq, Tensor **label) {
    SimpleSequenceDataset *self = context;
    *seq = t_list_get(self->data, 2 * idx);
    *label = t_list_get(self->data, 2 * idx + 1);
    return *seq && *label;
}

/* Label 1 if two neighbours are the same token, else 0. */
static data_Dataset *simple_sequence_dataset(SimpleSequenceDataset *self, int64_t num_samples, int64_t seq_len,
                                             int64_t vocab_size) {
    self->num_samples = num_samples;
    self->seq_len = seq_len;
    self->vocab_size = vocab_size;
    self->data = t_list();
    for_range (_, 0, num_samples) {
        Tensor *seq = t_randint(1, vocab_size, seq_len);
        int64_t label = 0;
        for_range (i, 0, t_size(seq, 0) - 1) {
            if (t_is_true(t_eq(t_at(seq, "{}", i), t_at(seq, "{}", i + 1)))) {
                label = 1;
                break;
            }
        }
        t_list_append(self->data, seq);
        t_list_append(self->data, t_integer(label));
    }
    return data_Dataset(simple_sequence_dataset_len, simple_sequence_dataset_getitem, .context = self);
}

typedef struct Data {
    SimpleSequenceDataset train, val;
    data_Dataset *train_dataset, *val_dataset;
    data_DataLoader *train_loader, *val_loader;
} Data;

static void cell_8(Data *data) {
    data->train_dataset = simple_sequence_dataset(&data->train, 1000, 20, 50);
    data->val_dataset = simple_sequence_dataset(&data->val, 200, 20, 50);
    data->train_loader = data_DataLoader(data->train_dataset, .batch_size = 32, .shuffle = true);
    data->val_loader = data_DataLoader(data->val_dataset, .batch_size = 32, .shuffle = false);
    Tensor *seq, *label;
    data_dataset_get(data->train_dataset, 0, &seq, &label);
    printf("a sequence: ");
    t_print(t_at(seq, ":10"));
    printf("its label: %d\n", (int)t_item_int64(label));
    printf("training samples: %lld\n", (long long)data_dataset_len(data->train_dataset));
    printf("validation samples: %lld\n", (long long)data_dataset_len(data->val_dataset));
}

/* ---- 9. the classifier ---- */

typedef struct EncoderClassifier {
    nn_Module base;
    TransformerEncoder *encoder;
    const char *pooling;
    nn_Sequential *classifier;
} EncoderClassifier;

static EncoderClassifier *encoder_classifier(TransformerEncoder *encoder, int64_t num_classes, int64_t d_model) {
    EncoderClassifier *self = nn_module(EncoderClassifier, NULL);
    nn_set(self, encoder, encoder);
    self->pooling = "mean";
    nn_set(self, classifier, nn_Sequential(nn_Linear(d_model, d_model / 2), nn_ReLU(), nn_Dropout(0.1),
                                           nn_Linear(d_model / 2, num_classes)));
    return self;
}

static Tensor *encoder_classifier_call(EncoderClassifier *self, Tensor *input_ids, Tensor *mask,
                                       t_TensorList **attention_weights) {
    Tensor *encoder_output = transformer_encoder_call(self->encoder, input_ids, mask, attention_weights);
    Tensor *pooled;
    if (strcmp(self->pooling, "mean") == 0) pooled = t_mean(encoder_output, 1);
    else pooled = t_at(encoder_output, ":, 0, :");
    Tensor *logits = nn_call(self->classifier, pooled);
    return logits;
}

static EncoderClassifier *cell_9(void) {
    TransformerEncoder *encoder = transformer_encoder(2, 128, 4, 256, 50, 5000, 0.1);
    EncoderClassifier *model = encoder_classifier(encoder, 2, 128);
    printf("classifier parameters: %s\n", commas(nn_count_parameters(model, false)));
    return model;
}

/* ---- 10. one training step ---- */

static void cell_10(EncoderClassifier *model, data_DataLoader *train_loader) {
    nn_train(model, true);
    nn_CrossEntropyLoss *criterion = nn_CrossEntropyLoss();
    optim_Optimizer *optimizer = optim_Adam(nn_parameters(model), .lr = 0.001);
    data_Batch batch = data_first(train_loader);
    Tensor *sequences = batch.x, *labels = batch.y;
    /* forward */
    optim_zero_grad(optimizer);
    t_TensorList *attention_weights;
    Tensor *logits = encoder_classifier_call(model, sequences, NULL, &attention_weights);
    Tensor *loss = nn_call(criterion, logits, labels);
    /* backward */
    t_backward(loss);
    optim_step(optimizer);
    /* how it did */
    Tensor *predicted;
    t_max(logits, 1, .indices = &predicted);
    Tensor *accuracy = t_mean(t_float(t_eq(predicted, labels)));
    printf("batch loss: %.4f\n", t_item(loss));
    printf("batch accuracy: %.2f%%\n", 100 * t_item(accuracy));
}

/* ---- 11. attention weights of one sequence ---- */

static Tensor *visualize_attention(EncoderClassifier *model, Tensor *sequence, int64_t layer_idx, int64_t head_idx) {
    Tensor *attn = NULL;
    nn_eval(model);
    with_no_grad() {
        sequence = t_unsqueeze(sequence, 0);
        t_TensorList *attention_weights;
        encoder_classifier_call(model, sequence, NULL, &attention_weights);
        attn = t_at(t_list_get(attention_weights, layer_idx), "0, {}", head_idx);
    }
    return attn;
}

static void cell_11(EncoderClassifier *model, data_Dataset *val_dataset) {
    Tensor *sample_seq, *label;
    data_dataset_get(val_dataset, 0, &sample_seq, &label);
    printf("attention of layer 0, head 0, first 10 positions:\n");
    Tensor *attn_weights = visualize_attention(model, sample_seq, 0, 0);
    t_print(t_at(attn_weights, ":10, :10"));
}

/* ---- 12. the model's parameters ---- */

static void cell_12(EncoderClassifier *model) {
    static const char rule[] = "==================================================";
    printf("%s\nparameters\n%s\n", rule, rule);
    int64_t total_params = nn_count_parameters(model, false);
    int64_t trainable_params = nn_count_parameters(model, true);
    printf("total: %s\n", commas(total_params));
    printf("trainable: %s\n", commas(trainable_params));
    printf("size: %.2f MB (float32)\n", (double)total_params * 4 / 1024 / 1024);
    printf("\nby layer:\n");
    for_named (child, nn_named_children(model)) {
        int64_t params = nn_count_parameters(child->module, false);
        if (params > 0) printf("%s: %s (%.1f%%)\n", child->name, commas(params), (double)params / (double)total_params * 100);
    }
}

int main(void) {
    Data data;
    cell_1();
    cell_2();
    cell_3();
    cell_4();
    cell_5();
    cell_6();
    cell_7();
    cell_8(&data);
    EncoderClassifier *model = cell_9();
    cell_10(model, data.train_loader);
    cell_11(model, data.val_dataset);
    cell_12(model);
    return 0;
}
