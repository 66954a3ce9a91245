/* examples/char_gpt/model.c: a decoder-only Transformer as GPT-2 has it. Norms come first; each block adds to x what
 * its attention and its MLP make of norm(x); positions are learnt; the matrix that turns tokens into vectors turns
 * vectors into logits, too. */
#include <math.h>
#include <string.h>

#include "char_gpt.h"

/* ---- attention: each position looks at itself and those before it ---- */

CausalSelfAttention *causal_self_attention(int64_t n_embd, int64_t n_head, double dropout) {
    CausalSelfAttention *self = nn_module(CausalSelfAttention, NULL);
    self->n_head = n_head;
    self->attn_pdrop = dropout;
    nn_set(self, c_attn, nn_Linear(n_embd, 3 * n_embd));
    nn_set(self, c_proj, nn_Linear(n_embd, n_embd));
    nn_set(self, resid_dropout, nn_Dropout(dropout));
    return self;
}

/* The new keys or values (B, H, T, d) are appended to the `past` cached ones; returns all of them. */
static Tensor *appended(Tensor *kept, int64_t past, Tensor *x) {
    int64_t end = past + t_size(x, 2);
    t_set(kept, ":, :, {}:{}", past, end, x);
    return t_at(kept, ":, :, :{}", end);
}

Tensor *causal_self_attention_call(CausalSelfAttention *self, Tensor *x, const KVCache *cache, int64_t layer) {
    int64_t B = t_size(x, 0), T = t_size(x, 1), C = t_size(x, 2), H = self->n_head, past = cache ? cache->length : 0;
    /* queries, keys and values for all heads: (B, T, 3 C) -> three times (B, H, T, d) */
    t_TensorList *qkv = t_chunk(nn_call(self->c_attn, x), 3, -1);
    Tensor *q = t_transpose(t_view(t_list_get(qkv, 0), B, T, H, C / H), 1, 2);
    Tensor *k = t_transpose(t_view(t_list_get(qkv, 1), B, T, H, C / H), 1, 2);
    Tensor *v = t_transpose(t_view(t_list_get(qkv, 2), B, T, H, C / H), 1, 2);
    if (cache) {
        k = appended(t_list_get(cache->keys, layer), past, k);
        v = appended(t_list_get(cache->values, layer), past, v);
    }
    /* is_causal lets query i see the keys 0 to i. After a past, query i is at position past + i: a mask says so, and a
     * single query, the last of all, sees everything. */
    Tensor *mask = past && T > 1 ? t_bool(t_tril(t_ones(T, past + T), past)) : NULL;
    Tensor *y = F_scaled_dot_product_attention(q, k, v, .attn_mask = mask, .is_causal = past == 0,
                                               .dropout_p = self->base.training ? self->attn_pdrop : 0);
    y = t_reshape(t_transpose(y, 1, 2), B, T, C); /* the heads side by side */
    return nn_call(self->resid_dropout, nn_call(self->c_proj, y));
}

/* ---- the MLP: each position by itself ---- */

MLP *mlp(int64_t n_embd, double dropout) {
    MLP *self = nn_module(MLP, mlp_call);
    nn_set(self, c_fc, nn_Linear(n_embd, 4 * n_embd));
    nn_set(self, act, nn_GELU(.approximate = "tanh"));
    nn_set(self, c_proj, nn_Linear(4 * n_embd, n_embd));
    nn_set(self, dropout, nn_Dropout(dropout));
    return self;
}

Tensor *mlp_call(MLP *self, Tensor *x) {
    x = nn_call(self->c_fc, x);
    x = nn_call(self->act, x);
    x = nn_call(self->c_proj, x);
    return nn_call(self->dropout, x);
}

/* ---- a block ---- */

Block *block(int64_t n_embd, int64_t n_head, double dropout) {
    Block *self = nn_module(Block, NULL);
    nn_set(self, ln_1, nn_LayerNorm(n_embd));
    nn_set(self, attn, causal_self_attention(n_embd, n_head, dropout));
    nn_set(self, ln_2, nn_LayerNorm(n_embd));
    nn_set(self, mlp, mlp(n_embd, dropout));
    return self;
}

Tensor *block_call(Block *self, Tensor *x, const KVCache *cache, int64_t layer) {
    x = t_add(x, causal_self_attention_call(self->attn, nn_call(self->ln_1, x), cache, layer));
    return t_add(x, nn_call(self->mlp, nn_call(self->ln_2, x)));
}

/* ---- the model ---- */

/* GPT-2's start: weights from N(0, 0.02), and smaller where 2 n_layer of them add up in x; biases 0. */
static void init_weights(GPT *self) {
    double added = 0.02 / sqrt(2.0 * (double)self->config.n_layer);
    for_named (p, nn_named_parameters(self)) {
        if (t_dim(p->tensor) == 2) nn_init_normal_(p->tensor, 0, strstr(p->name, "c_proj.weight") ? added : 0.02);
        else if (strstr(p->name, ".bias")) nn_init_zeros_(p->tensor);
    }
}

GPT *gpt(const GPTConfig *config) {
    GPT *self = nn_module(GPT, NULL);
    if (config->vocab_size < 1 || config->n_positions < 1)
        return t_fail("a GPT wants a vocabulary and a context of at least 1, not %lld and %lld",
                      (long long)config->vocab_size, (long long)config->n_positions);
    if (config->n_head < 1 || config->n_embd < 1 || config->n_embd % config->n_head)
        return t_fail("n_embd must be divisible by n_head, but they are %lld and %lld", (long long)config->n_embd,
                      (long long)config->n_head);
    self->config = *config;
    nn_set(self, wte, nn_Embedding(config->vocab_size, config->n_embd));
    nn_set(self, wpe, nn_Embedding(config->n_positions, config->n_embd));
    nn_set(self, drop, nn_Dropout(config->dropout));
    nn_set(self, h, nn_ModuleList());
    for_range (_, 0, config->n_layer) nn_append(self->h, block(config->n_embd, config->n_head, config->dropout));
    nn_set(self, ln_f, nn_LayerNorm(config->n_embd));
    init_weights(self);
    return self;
}

/* ids: (B, T) -> (B, T, C) */
static Tensor *hidden_states(GPT *self, Tensor *ids, KVCache *cache) {
    int64_t T = t_size(ids, 1), past = cache ? cache->length : 0, layer = 0;
    if (past + T > self->config.n_positions)
        return t_fail("%lld tokens after %lld do not fit into the context of %lld", (long long)T, (long long)past,
                      (long long)self->config.n_positions);
    if (cache && t_is_grad_enabled())
        return t_fail("a cache is written in place, which no gradient follows: with_no_grad()");
    Tensor *x = t_add(nn_call(self->wte, ids), nn_call(self->wpe, t_arange(past, past + T))); /* (B, T, C) + (T, C) */
    x = nn_call(self->drop, x);
    for_module (each, self->h) x = block_call(each, x, cache, layer++);
    if (cache && x) cache->length += T;
    return nn_call(self->ln_f, x);
}

Tensor *gpt_call(GPT *self, Tensor *ids, KVCache *cache) {
    return F_linear(hidden_states(self, ids, cache), self->wte->weight);
}

Tensor *gpt_next_logits(GPT *self, Tensor *ids, KVCache *cache) {
    return F_linear(t_at(hidden_states(self, ids, cache), ":, -1"), self->wte->weight);
}

KVCache kv_cache(const GPT *self, int64_t B) {
    int64_t H = self->config.n_head, d = self->config.n_embd / H;
    KVCache cache = {0, t_list(), t_list()};
    for (int64_t layer = 0; layer < self->config.n_layer; layer++) {
        t_list_append(cache.keys, t_zeros(B, H, self->config.n_positions, d, .dtype = t_dtype(self->wte->weight)));
        t_list_append(cache.values, t_zeros(B, H, self->config.n_positions, d, .dtype = t_dtype(self->wte->weight)));
    }
    return cache;
}
