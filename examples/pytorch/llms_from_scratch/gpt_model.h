/* examples/pytorch/llms_from_scratch/gpt_model.h: the classes of chapter 4, which chapters 5 to 7 train. */
#ifndef EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_GPT_MODEL_H
#define EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_GPT_MODEL_H

#include <math.h>

#include "core/core.h"
#include "examples/pytorch/llms_from_scratch/multi_head_attention.h"
#include "nn/nn.h"

typedef struct GPTConfig {
    int64_t vocab_size, context_length, emb_dim, n_heads, n_layers;
    double drop_rate;
    bool qkv_bias;
} GPTConfig;

/* ---- Layer norm, GELU, the feed-forward layer ---- */

typedef struct LayerNorm {
    nn_Module base;
    double eps;
    Tensor *scale, *shift;
} LayerNorm;

static inline Tensor *layer_norm_call(LayerNorm *self, Tensor *x) {
    Tensor *mean = t_mean(x, -1, .keepdim = true);
    Tensor *var = t_var(x, -1, .keepdim = true, .correction = 0);
    Tensor *norm_x = t_div(t_sub(x, mean), t_sqrt(t_add(var, self->eps)));
    return t_add(t_mul(self->scale, norm_x), self->shift);
}

static inline LayerNorm *layer_norm(int64_t emb_dim) {
    LayerNorm *self = nn_module(LayerNorm, layer_norm_call);
    self->eps = 1e-5;
    nn_set(self, scale, nn_Parameter(t_ones(emb_dim)));
    nn_set(self, shift, nn_Parameter(t_zeros(emb_dim)));
    return self;
}

typedef struct GELU {
    nn_Module base;
} GELU;

static inline Tensor *gelu_call(GELU *self, Tensor *x) {
    (void)self;
    Tensor *inner = t_mul(t_sqrt(t_tensor(2.0 / acos(-1.0))), t_add(x, t_mul(0.044715, t_pow(x, 3))));
    return t_mul(t_mul(0.5, x), t_add(1, t_tanh(inner)));
}

static inline GELU *gelu(void) {
    GELU *self = nn_module(GELU, gelu_call);
    return self;
}

typedef struct FeedForward {
    nn_Module base;
    nn_Sequential *layers;
} FeedForward;

static inline Tensor *feed_forward_call(FeedForward *self, Tensor *x) {
    return nn_call(self->layers, x);
}

static inline FeedForward *feed_forward(const GPTConfig *cfg) {
    FeedForward *self = nn_module(FeedForward, feed_forward_call);
    nn_set(self, layers,
           nn_Sequential(nn_Linear(cfg->emb_dim, 4 * cfg->emb_dim), gelu(), nn_Linear(4 * cfg->emb_dim, cfg->emb_dim)));
    return self;
}

/* ---- A block, and the model ---- */

typedef struct TransformerBlock {
    nn_Module base;
    MultiHeadAttention *att;
    FeedForward *ff;
    LayerNorm *norm1, *norm2;
    nn_Dropout *drop_shortcut;
} TransformerBlock;

static inline Tensor *transformer_block_call(TransformerBlock *self, Tensor *x) {
    Tensor *shortcut = x;
    x = nn_call(self->norm1, x);
    x = nn_call(self->att, x);
    x = nn_call(self->drop_shortcut, x);
    x = t_add(x, shortcut);

    shortcut = x;
    x = nn_call(self->norm2, x);
    x = nn_call(self->ff, x);
    x = nn_call(self->drop_shortcut, x);
    x = t_add(x, shortcut);
    return x;
}

static inline TransformerBlock *transformer_block(const GPTConfig *cfg) {
    TransformerBlock *self = nn_module(TransformerBlock, transformer_block_call);
    nn_set(self, att,
           multi_head_attention(cfg->emb_dim, cfg->emb_dim, cfg->context_length, cfg->drop_rate, cfg->n_heads,
                                cfg->qkv_bias));
    nn_set(self, ff, feed_forward(cfg));
    nn_set(self, norm1, layer_norm(cfg->emb_dim));
    nn_set(self, norm2, layer_norm(cfg->emb_dim));
    nn_set(self, drop_shortcut, nn_Dropout(cfg->drop_rate));
    return self;
}

typedef struct GPTModel {
    nn_Module base;
    nn_Embedding *tok_emb, *pos_emb;
    nn_Dropout *drop_emb;
    nn_Sequential *trf_blocks;
    LayerNorm *final_norm;
    nn_Linear *out_head;
} GPTModel;

static inline Tensor *gpt_model_call(GPTModel *self, Tensor *in_idx) {
    int64_t seq_len = t_size(in_idx, 1);
    Tensor *tok_embeds = nn_call(self->tok_emb, in_idx);
    Tensor *pos_embeds = nn_call(self->pos_emb, t_arange(seq_len));
    Tensor *x = t_add(tok_embeds, pos_embeds);
    x = nn_call(self->drop_emb, x);
    x = nn_call(self->trf_blocks, x);
    x = nn_call(self->final_norm, x);
    Tensor *logits = nn_call(self->out_head, x);
    return logits;
}

static inline GPTModel *gpt_model(const GPTConfig *cfg) {
    GPTModel *self = nn_module(GPTModel, gpt_model_call);
    nn_set(self, tok_emb, nn_Embedding(cfg->vocab_size, cfg->emb_dim));
    nn_set(self, pos_emb, nn_Embedding(cfg->context_length, cfg->emb_dim));
    nn_set(self, drop_emb, nn_Dropout(cfg->drop_rate));
    nn_set(self, trf_blocks, nn_Sequential());
    for_range (_, cfg->n_layers) nn_append(self->trf_blocks, transformer_block(cfg));
    nn_set(self, final_norm, layer_norm(cfg->emb_dim));
    nn_set(self, out_head, nn_Linear(cfg->emb_dim, cfg->vocab_size, .bias = false));
    return self;
}

/* The likeliest token, again and again */
static inline Tensor *generate_text_simple(GPTModel *model, Tensor *idx, int max_new_tokens, int64_t context_size) {
    for_range (_, max_new_tokens) {
        Tensor *idx_cond = t_at(idx, ":, -{}:", context_size);
        Tensor *logits = NULL;
        with_no_grad () {
            logits = nn_call(model, idx_cond);
        }
        logits = t_at(logits, ":, -1, :");
        Tensor *probas = t_softmax(logits, -1);
        Tensor *idx_next = t_argmax(probas, -1, .keepdim = true);
        t_keep_as(&idx, t_cat(t_list(idx, idx_next), .dim = 1));
    }
    return idx;
}

#endif
