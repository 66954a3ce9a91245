/* examples/char_gpt/gpt2.c: weights under GPT-2's names, to and fro.
 *
 * GPT-2 has its own linear layer, Conv1D, whose weight is [in, out] where nn.Linear's is [out, in]: the four matrices of a block are
 * turned on their way. Names may all have "transformer." in front. Not read: the masks that older files store as h.0.attn.bias and
 * h.0.attn.masked_bias, and lm_head.weight, which is wte.weight again. */
#include <stdio.h>
#include <string.h>

#include "char_gpt.h"

static bool is_conv1d(const nn_Named *p) {
    return t_dim(p->tensor) == 2 && strncmp(p->name, "h.", 2) == 0;
}

/* ---- what the shapes say ---- */

static bool has_block(t_TensorDict *weights, int64_t i) {
    char name[32];
    snprintf(name, sizeof name, "h.%lld", (long long)i);
    return t_dict_has(weights, name);
}

static bool read_config(t_TensorDict *weights, int64_t heads, GPTConfig *config) {
    Tensor *wte = t_dict_get(weights, "wte.weight"), *wpe = t_dict_get(weights, "wpe.weight");
    if (!wte || !wpe) return false;
    if (t_dim(wte) != 2 || t_dim(wpe) != 2 || t_size(wte, 1) != t_size(wpe, 1))
        return t_fail("wte.weight and wpe.weight must be matrices of one width, but are %s and %s", t_size_repr(wte), t_size_repr(wpe));
    *config = (GPTConfig){.vocab_size = t_size(wte, 0), .n_positions = t_size(wpe, 0), .n_embd = t_size(wte, 1)};
    while (has_block(weights, config->n_layer)) config->n_layer++;
    config->n_head = heads ? heads : config->n_embd / 64;
    if (!heads && config->n_embd % 64)
        return t_fail("%lld features are no whole number of heads of 64: say how many heads there are", (long long)config->n_embd);
    return true;
}

/* ---- every name has its place, and every place its name ---- */

static bool check_names(t_TensorDict *weights, GPT *self) {
    t_TensorDict *places = t_dict();
    for_named (p, nn_named_parameters(self)) t_dict_set(places, p->name, p->tensor);
    for_items (item, weights) {
        bool ignored = !item->tensor || strstr(item->name, ".attn.bias") || strstr(item->name, ".attn.masked_bias");
        if (!ignored && strcmp(item->name, "lm_head.weight") != 0 && !t_dict_has(places, item->name))
            return t_fail("%s has no place in a GPT-2 of %lld layers", item->name, (long long)self->config.n_layer);
    }
    return true;
}

static bool fill(const nn_Named *p, t_TensorDict *weights) {
    Tensor *x = t_dict_get(weights, p->name);
    if (!x) return false;
    bool turned = is_conv1d(p) && t_dim(x) == 2;
    if (turned) x = t_t(x);
    if (t_dim(x) != t_dim(p->tensor) || memcmp(t_shape(x), t_shape(p->tensor), (size_t)t_dim(x) * sizeof(int64_t)) != 0)
        return t_fail("%s should have the shape %s, but has %s", p->name, t_size_repr(turned ? t_t(p->tensor) : p->tensor),
                      t_size_repr(turned ? t_t(x) : x));
    return t_copy_(p->tensor, x) != NULL;
}

/* GPT-2's logits are made with wte. A file may say so once more, but nothing else. */
static bool is_tied(t_TensorDict *weights, GPT *self) {
    if (!t_dict_has(weights, "lm_head.weight")) return true;
    Tensor *head = t_dict_get(weights, "lm_head.weight");
    bool same = t_numel(head) == t_numel(self->wte->weight) && t_equal(t_to(head, t_float32), self->wte->weight);
    return same || t_fail("lm_head.weight is not wte.weight, with which GPT-2 makes its logits");
}

static bool load(GPT *self, t_TensorDict *weights, t_TensorDict *inner) {
    if (!check_names(inner, self)) return false;
    for_named (p, nn_named_parameters(self))
        if (!fill(p, inner)) return false;
    return is_tied(weights, self);
}

GPT *gpt_from_gpt2(t_TensorDict *weights, int64_t heads) {
    GPTConfig config;
    bool prefixed = t_dict_has(weights, "transformer"), ok = false;
    t_TensorDict *inner = prefixed ? t_dict_get_dict(weights, "transformer") : weights;
    GPT *self = read_config(inner, heads, &config) ? gpt(&config) : NULL;
    if (!self) return NULL;
    with_no_grad() with_scope() ok = load(self, weights, inner);
    return ok ? nn_eval(self) : NULL;
}

t_TensorDict *gpt_to_gpt2(GPT *self) {
    t_TensorDict *inner = t_dict(), *weights = t_dict();
    for_named (p, nn_named_parameters(self)) {
        Tensor *x = t_detach(p->tensor);
        t_dict_set(inner, p->name, is_conv1d(p) ? t_contiguous(t_t(x)) : x);
    }
    t_dict_set(weights, "transformer", inner);
    t_dict_set(weights, "lm_head.weight", t_clone(t_detach(self->wte->weight)));
    return weights;
}
