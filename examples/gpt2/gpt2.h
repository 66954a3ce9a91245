/* examples/gpt2/gpt2.h: what the parts of the program share. */
#ifndef GPT2_H
#define GPT2_H

#include "core/core.h"
#include "nn/nn.h"

/* ---- model.c: GPT-2 for inference ---- */

/* config.json */
typedef struct GPT2Config {
    int64_t vocab_size, n_positions, n_embd, n_layer, n_head; /* n_positions: the context window, in tokens */
    double layer_norm_epsilon;
} GPT2Config;

/* C = n_embd. The matrices are (out, in), as F_linear takes them; in the files they are (in, out). */
typedef struct Block {
    Tensor *ln_1_weight, *ln_1_bias, *c_attn_weight, *c_attn_bias; /* (C), (3 C, C), (3 C) */
    Tensor *c_proj_weight, *c_proj_bias;                           /* (C, C), (C) */
    Tensor *ln_2_weight, *ln_2_bias, *c_fc_weight, *c_fc_bias;     /* (C), (4 C, C), (4 C) */
    Tensor *mlp_c_proj_weight, *mlp_c_proj_bias;                   /* (C, 4 C), (C) */
} Block;

enum { MOST_LAYERS = 48 }; /* of GPT-2 XL */

typedef struct GPT2 {
    GPT2Config config;
    Tensor *wte, *wpe; /* (vocab_size, C), (n_positions, C): of tokens, of positions */
    Block h[MOST_LAYERS];
    Tensor *ln_f_weight, *ln_f_bias;
    int64_t bytes_per_token; /* of the weights that one token reads */
} GPT2;

/* The keys and values of the positions so far, for each layer (1, H, n_positions, d), of which the first `length` are
 * filled. */
typedef struct KVCache {
    int64_t length;
    Tensor *keys[MOST_LAYERS], *values[MOST_LAYERS];
} KVCache;

void new_cache(const GPT2 *self, KVCache *cache); /* empty; its tensors belong to the current scope */
/* ids: (T), which follow on the cache->length positions that are there; they are added to the cache. Returns the logits
 * of the token after the last one, (1, vocab_size); all_positions: after each one, (T, vocab_size). In no_grad only. */
Tensor *gpt2_logits(const GPT2 *self, Tensor *ids, KVCache *cache, bool all_positions);

/* ---- weights.c: from Hugging Face's files ---- */

/* folder/config.json, and folder/model.safetensors or folder/pytorch_model.bin. False with an error. */
bool gpt2_from_pretrained(GPT2 *self, const char *folder);
/* The same shapes with random weights: "124M", "355M", "774M" or "1558M". */
bool gpt2_random(GPT2 *self, const char *size);

/* ---- sample.c: from logits to a token ---- */

typedef struct Sampling {
    double temperature; /* divides the logits; 0: the likeliest token (greedy) */
    int64_t top_k;      /* only the k likeliest; 0: all */
    double top_p;       /* only the likeliest that together have this probability, one at least; 1: all */
} Sampling;

Tensor *next_token(Tensor *logits, const Sampling *how); /* (1, V) -> (1), int64 */

#endif
