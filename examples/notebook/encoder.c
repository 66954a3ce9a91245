/* examples/notebook/encoder.c: cells 4 to 7, from the feed-forward network to the whole encoder.
 *
 * Shapes: B batch_size, S seq_len, H num_heads, D d_model. */
#include <math.h>

#include "notebook.h"

/* ---- 4. position-wise feed-forward network ---- */

PositionwiseFeedForward *positionwise_feed_forward(int64_t d_model, int64_t d_ff, double dropout) {
    PositionwiseFeedForward *self = nn_module(PositionwiseFeedForward, positionwise_feed_forward_call);
    nn_set(self, fc1, nn_Linear(d_model, d_ff));
    nn_set(self, fc2, nn_Linear(d_ff, d_model));
    nn_set(self, dropout, nn_Dropout(dropout));
    nn_set(self, activation, nn_ReLU());
    return self;
}

Tensor *positionwise_feed_forward_call(PositionwiseFeedForward *self, Tensor *x) {
    x = nn_call(self->fc1, x); /* (B, S, D) -> (B, S, d_ff) */
    x = nn_call(self->activation, x);
    x = nn_call(self->dropout, x);
    x = nn_call(self->fc2, x); /* (B, S, d_ff) -> (B, S, D) */
    return x;
}

void cell_4(void) {
    int64_t d_model = 128, d_ff = 512;
    PositionwiseFeedForward *ffn = positionwise_feed_forward(d_model, d_ff, 0.1);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *output = nn_call(ffn, x);
    t_print("FFN input shape:", t_size_repr(x));
    t_print("FFN output shape:", t_size_repr(output));
    t_print("FFN parameters:", nn_count_parameters(ffn, false));
}

/* ---- 5. positional encoding ---- */

PositionalEncoding *positional_encoding(int64_t d_model, int64_t max_len, double dropout) {
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

Tensor *positional_encoding_call(PositionalEncoding *self, Tensor *x) {
    int64_t seq_len = t_size(x, 1);
    x = t_add(x, t_at(self->pe, ":, :{}, :", seq_len));
    return nn_call(self->dropout, x);
}

void cell_5(void) {
    int64_t d_model = 128;
    PositionalEncoding *pe_layer = positional_encoding(d_model, 100, 0.1);
    Tensor *pe_matrix = t_at(pe_layer->pe, "0, :50, :");

    plt_figure(.figsize = {12, 6});
    plt_subplot(1, 2, 1);
    plt_imshow(pe_matrix, .cmap = "RdBu", .aspect = "auto");
    plt_colorbar();
    plt_xlabel("Dimension");
    plt_ylabel("Position");
    plt_title("Positional Encoding Matrix");

    plt_subplot(1, 2, 2);
    const int64_t dims_to_plot[] = {0, 1, 4, 5, 8, 9};
    for (const int64_t *dim = dims_to_plot; dim < dims_to_plot + 6; dim++)
        plt_plot(t_at(pe_matrix, ":, {}", *dim), .label = t_format("dim %d", (int)*dim));
    plt_xlabel("Position");
    plt_ylabel("Value");
    plt_title("Positional Encoding Curves");
    plt_legend();
    plt_tight_layout();
    save_plot(example.plots, "positional_encoding.svg");
    plt_show();

    t_print("positional encoding shape:", t_size_repr(pe_layer->pe));
}

/* ---- 6. encoder layer ---- */

EncoderLayer *encoder_layer(int64_t d_model, int64_t num_heads, int64_t d_ff, double dropout) {
    EncoderLayer *self = nn_module(EncoderLayer, NULL);
    nn_set(self, self_attention, multi_head_attention(d_model, num_heads, dropout));
    nn_set(self, feed_forward, positionwise_feed_forward(d_model, d_ff, dropout));
    nn_set(self, norm1, nn_LayerNorm(d_model));
    nn_set(self, norm2, nn_LayerNorm(d_model));
    nn_set(self, dropout1, nn_Dropout(dropout));
    nn_set(self, dropout2, nn_Dropout(dropout));
    return self;
}

Tensor *encoder_layer_call(EncoderLayer *self, Tensor *x, Tensor *mask, Tensor **attn_weights) {
    /* 1. self-attention, normed before (pre-LN), with a residual connection */
    Tensor *normed_x = nn_call(self->norm1, x);
    Tensor *attn_output =
        multi_head_attention_call(self->self_attention, normed_x, normed_x, normed_x, mask, attn_weights);
    x = t_add(x, nn_call(self->dropout1, attn_output));
    /* 2. feed-forward, likewise */
    normed_x = nn_call(self->norm2, x);
    Tensor *ff_output = nn_call(self->feed_forward, normed_x);
    x = t_add(x, nn_call(self->dropout2, ff_output));
    return x;
}

void cell_6(void) {
    int64_t d_model = 128, num_heads = 4, d_ff = 512;
    EncoderLayer *layer = encoder_layer(d_model, num_heads, d_ff, 0.1);
    Tensor *x = t_randn(2, 10, d_model);
    Tensor *weights;
    Tensor *output = encoder_layer_call(layer, x, NULL, &weights);
    t_print("encoder layer input shape:", t_size_repr(x));
    t_print("encoder layer output shape:", t_size_repr(output));
    t_print("attention weights shape:", t_size_repr(weights));
    t_print("encoder layer parameters:", nn_count_parameters(layer, false));
}

/* ---- 7. the encoder ---- */

TransformerEncoder *transformer_encoder(int64_t num_layers, int64_t d_model, int64_t num_heads, int64_t d_ff,
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

/* The embedding is drawn from N(0, 1) and then scaled by 11.3 (for D = 128), next to sines and cosines of rms 0.7:
 * positions hardly count. That stays as it is; train_classifier, which does learn the task, does not scale. */
Tensor *transformer_encoder_call(TransformerEncoder *self, Tensor *x, Tensor *mask,
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

void cell_7(void) {
    int64_t vocab_size = 1000;
    TransformerEncoder *encoder = transformer_encoder(3, 128, 4, 512, vocab_size, 5000, 0.1);
    Tensor *input_ids = t_randint(0, vocab_size, 2, 15);
    t_TensorList *attn_weights_list;
    Tensor *output = transformer_encoder_call(encoder, input_ids, NULL, &attn_weights_list);
    t_print("input shape:", t_size_repr(input_ids));
    t_print("output shape:", t_size_repr(output));
    t_print("model parameters:", commas(nn_count_parameters(encoder, false)));
}
