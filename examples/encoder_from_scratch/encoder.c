/* examples/encoder_from_scratch/encoder.c: token ids to vectors, and the whole encoder. */
#include "encoder_from_scratch.h"

/* ---- embeddings (supplied: the tutorial imports them) ----
 * PyTorch's copies of them take a device too; here there is one, the CPU. */

/* class TokenEmbedding(nn.Embedding): (B, S) ids -> (B, S, D). The row of padding_idx, 1, is 0 and gets no gradient.
 * The demo draws ids from all of 0 to V - 1, so that some of its tokens are padding. */
TokenEmbedding *token_embedding(int64_t vocab_size, int64_t d_model, int64_t padding_idx) {
    TokenEmbedding *self = nn_Embedding(vocab_size, d_model, .padding_idx = padding_idx);
    if (self) self->base.type = "TokenEmbedding"; /* the name that nn_print shows */
    return self;
}

static Tensor *position_embedding_call(PositionEmbedding *self, Tensor *x);

/* encoding[p, 2i] = sin(p / 10000^(2i / D)), encoding[p, 2i + 1] = cos(the same): attention itself does not know the
 * order of the tokens. A plain tensor: neither a parameter nor a buffer, so no state dict has it. Errors: an odd D (one
 * cosine too many). */
PositionEmbedding *position_embedding(int64_t d_model, int64_t max_len) {
    PositionEmbedding *self = nn_module(PositionEmbedding, position_embedding_call);
    nn_keep(self, encoding, t_zeros(max_len, d_model));
    t_requires_grad_(self->encoding, false);
    Tensor *pos = t_unsqueeze(t_float(t_arange(0, max_len)), 1); /* (max_len, 1) */
    Tensor *_2i = t_float(t_arange(0, d_model, 2));              /* (D / 2) */
    t_set(self->encoding, ":, 0::2", t_sin(t_div(pos, t_pow(10000, t_div(_2i, d_model)))));
    t_set(self->encoding, ":, 1::2", t_cos(t_div(pos, t_pow(10000, t_div(_2i, d_model)))));
    return self;
}

/* x: (B, S) ids, of which only S counts -> (S, D). */
static Tensor *position_embedding_call(PositionEmbedding *self, Tensor *x) {
    int64_t seq_len = t_size(x, 1);
    return t_at(self->encoding, ":{}, :", seq_len);
}

static Tensor *transform_embedding_call(TransformEmbedding *self, Tensor *x);

/* (B, S) ids -> (B, S, D): the token's embedding plus its position's. Errors: an id of V or more, S > max_len. */
TransformEmbedding *transform_embedding(int64_t vocab_size, int64_t d_model, int64_t max_len, double drop_prob) {
    TransformEmbedding *self = nn_module(TransformEmbedding, transform_embedding_call);
    nn_set(self, tok_emb, token_embedding(vocab_size, d_model, 1));
    nn_set(self, pos_emb, position_embedding(d_model, max_len));
    nn_set(self, drop_out, nn_Dropout(.p = drop_prob));
    return self;
}

static Tensor *transform_embedding_call(TransformEmbedding *self, Tensor *x) {
    return nn_call(self->drop_out, t_add(nn_call(self->tok_emb, x), nn_call(self->pos_emb, x)));
}

/* ---- the encoder ----
 * Embedding, then n_layers equal layers (with weights of their own). Each works on what the one before made of the
 * tokens, from neighbourhoods to phrases to what the whole sequence is about; six is the paper's choice, later models
 * have dozens. */

Encoder *encoder(int64_t enc_voc_size, int64_t max_len, int64_t d_model, int64_t ffn_hidden, int64_t n_heads,
                 int64_t n_layers, double drop_prob) {
    Encoder *self = nn_module2(Encoder, encoder_call);
    nn_set(self, emb, transform_embedding(enc_voc_size, d_model, max_len, drop_prob));
    nn_set(self, layers, nn_ModuleList());
    for_range (_, 0, n_layers) nn_append(self->layers, encoder_layer(d_model, n_heads, ffn_hidden, drop_prob));
    return self;
}

/* x: (B, S) ids, s_mask: (B, 1 or H, 1 or S, S) -> (B, S, D). nn_call(layer, x, s_mask) would not take a NULL s_mask.
 */
Tensor *encoder_call(Encoder *self, Tensor *x, Tensor *s_mask) {
    x = nn_call(self->emb, x);
    for_module (layer, self->layers) {
        x = encoder_layer_call(layer, x, s_mask);
    }
    return x;
}
