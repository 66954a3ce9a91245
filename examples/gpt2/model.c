/* examples/gpt2/model.c: GPT-2 (Radford et al., 2019), in functions: each block adds to x what its attention and its
 * MLP make of norm(x); the matrix that turns tokens into vectors turns vectors into logits, too. */
#include "gpt2.h"

void new_cache(const GPT2 *self, KVCache *cache) {
    int64_t H = self->config.n_head, d = self->config.n_embd / H;
    *cache = (KVCache){0};
    for (int64_t i = 0; i < self->config.n_layer; i++) {
        cache->keys[i] = t_zeros(1, H, self->config.n_positions, d);
        cache->values[i] = t_zeros(1, H, self->config.n_positions, d);
    }
}

/* The new keys or values (1, H, T, d) follow on the `past` ones that are kept; returns all of them, a view. */
static Tensor *appended(Tensor *kept, int64_t past, Tensor *x) {
    int64_t end = past + t_size(x, 2);
    t_set(kept, ":, :, {}:{}", past, end, x);
    return t_at(kept, ":, :, :{}", end);
}

/* x: (T, C) */
static Tensor *attention(const GPT2 *self, const Block *h, Tensor *x, KVCache *cache, int64_t layer) {
    int64_t T = t_size(x, 0), C = t_size(x, 1), H = self->config.n_head, past = cache->length;
    /* queries, keys and values of all heads: (T, 3 C) -> three times (1, H, T, d) */
    Tensor *qkv = t_view(F_linear(x, h->c_attn_weight, h->c_attn_bias), 1, T, 3, H, C / H);
    Tensor *q = t_transpose(t_at(qkv, ":, :, 0"), 1, 2);
    Tensor *k = appended(cache->keys[layer], past, t_transpose(t_at(qkv, ":, :, 1"), 1, 2));
    Tensor *v = appended(cache->values[layer], past, t_transpose(t_at(qkv, ":, :, 2"), 1, 2));
    /* is_causal lets query i see the keys 0 to i. After a past, query i is at position past + i: a mask says so, and a
     * single query, the last of all, sees everything. */
    Tensor *mask = past && T > 1 ? t_bool(t_tril(t_ones(T, past + T), past)) : NULL;
    Tensor *y = F_scaled_dot_product_attention(q, k, v, .attn_mask = mask, .is_causal = past == 0 && T > 1);
    return F_linear(t_reshape(t_transpose(y, 1, 2), T, C), h->c_proj_weight, h->c_proj_bias);
}

static Tensor *mlp(const Block *h, Tensor *x) {
    x = F_gelu(F_linear(x, h->c_fc_weight, h->c_fc_bias), .approximate = "tanh");
    return F_linear(x, h->mlp_c_proj_weight, h->mlp_c_proj_bias);
}

static Tensor *norm(const GPT2 *self, Tensor *x, Tensor *weight, Tensor *bias) {
    return F_layer_norm(x, (self->config.n_embd, ), weight, bias, self->config.layer_norm_epsilon);
}

Tensor *gpt2_logits(const GPT2 *self, Tensor *ids, KVCache *cache, bool all_positions) {
    int64_t T = t_size(ids, 0), past = cache->length;
    if (past + T > self->config.n_positions)
        return t_fail("%lld tokens after %lld do not fit into the context of %lld", (long long)T, (long long)past,
                      (long long)self->config.n_positions);
    Tensor *x = t_add(F_embedding(ids, self->wte), t_at(self->wpe, "{}:{}", past, past + T)); /* (T, C) */
    for_range (i, 0, self->config.n_layer) {
        const Block *h = &self->h[i];
        Tensor *y = t_add(x, attention(self, h, norm(self, x, h->ln_1_weight, h->ln_1_bias), cache, i));
        t_keep_as(&x, t_add(y, mlp(h, norm(self, y, h->ln_2_weight, h->ln_2_bias))));
    }
    cache->length += T;
    if (!all_positions) x = t_at(x, "-1:");
    return F_linear(norm(self, x, self->ln_f_weight, self->ln_f_bias), self->wte);
}
