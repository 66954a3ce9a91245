/* examples/char_gpt/gpt2.c: weights under GPT-2's names, to and fro.
 *
 * GPT-2 has its own linear layer, Conv1D, whose weight is [in, out] where nn.Linear's is [out, in]: the four matrices
 * of a block are transposed when read or written. Names may all have "transformer." in front. Not read: the masks that
 * older files store as h.0.attn.bias and h.0.attn.masked_bias, and lm_head.weight, which is wte.weight again. */
#include <stdio.h>
#include <string.h>

#include "char_gpt.h"

/* The matrices of the blocks the other way round, everything else as it is. */
static t_TensorDict *transposed(t_TensorDict *weights) {
    t_TensorDict *out = t_dict();
    for_items (item, weights) {
        bool ignored = strstr(item->name, ".attn.bias") || strstr(item->name, ".attn.masked_bias");
        if (!item->tensor || ignored || strcmp(item->name, "lm_head.weight") == 0) continue;
        bool conv1d = strncmp(item->name, "h.", 2) == 0 && t_dim(item->tensor) == 2;
        t_dict_set(out, item->name, conv1d ? t_t(item->tensor) : item->tensor);
    }
    return out;
}

static bool has_block(t_TensorDict *weights, int64_t i) {
    char name[32];
    snprintf(name, sizeof name, "h.%lld", (long long)i);
    return t_dict_has(weights, name);
}

/* What the shapes say. */
static bool read_config(t_TensorDict *weights, int64_t heads, GPTConfig *config) {
    Tensor *wte = t_dict_get(weights, "wte.weight"), *wpe = t_dict_get(weights, "wpe.weight");
    if (!wte || !wpe) return false;
    if (t_dim(wte) != 2 || t_dim(wpe) != 2)
        return t_fail("wte.weight and wpe.weight must be matrices, but are %s and %s", t_size_repr(wte),
                      t_size_repr(wpe));
    *config = (GPTConfig){.vocab_size = t_size(wte, 0), .n_positions = t_size(wpe, 0), .n_embd = t_size(wte, 1)};
    while (has_block(weights, config->n_layer)) config->n_layer++;
    config->n_head = heads ? heads : config->n_embd / 64;
    if (!heads && config->n_embd % 64)
        return t_fail("%lld features are not a multiple of 64, the size of a head: say how many heads there are",
                      (long long)config->n_embd);
    return true;
}

/* GPT-2's logits are made with wte. A file may say so once more, but nothing else. */
static bool is_tied(t_TensorDict *weights, t_TensorDict *inner) {
    if (!t_dict_has(weights, "lm_head.weight")) return true;
    if (t_equal(t_dict_get(weights, "lm_head.weight"), t_dict_get(inner, "wte.weight"))) return true;
    return t_fail("lm_head.weight is not wte.weight, with which GPT-2 makes its logits");
}

static bool load(GPT *self, t_TensorDict *weights, t_TensorDict *inner) {
    return is_tied(weights, inner) && nn_load_state_dict(self, transposed(inner));
}

GPT *gpt_from_gpt2(t_TensorDict *weights, int64_t heads) {
    GPTConfig config;
    bool ok = false, prefixed = t_dict_has(weights, "transformer");
    t_TensorDict *inner = prefixed ? t_dict_get_dict(weights, "transformer") : weights;
    GPT *self = read_config(inner, heads, &config) ? gpt(&config) : NULL;
    if (!self) return NULL;
    with_scope() ok = load(self, weights, inner);
    return ok ? nn_eval(self) : NULL;
}

t_TensorDict *gpt_to_gpt2(GPT *self) {
    t_TensorDict *weights = t_dict();
    t_dict_set(weights, "transformer", transposed(nn_state_dict(self)));
    t_dict_set(weights, "lm_head.weight", t_detach(self->wte->weight));
    return weights;
}
