/* examples/char_gpt/sample.c: the next token, and the one after it. Filters and their order are those of transformers:
 * temperature, top-k, top-p; the draw is torch.multinomial. */
#include <math.h>

#include "char_gpt.h"
#include "examples/sampling.h"

static bool check(const Sampling *how) {
    if (!(how->temperature >= 0 && how->temperature < INFINITY))
        return t_fail("temperature must be 0 or more, not %g", how->temperature);
    if (how->top_k < 0) return t_fail("top_k must be 0 (all) or more, not %lld", (long long)how->top_k);
    if (!(how->top_p >= 0 && how->top_p <= 1)) return t_fail("top_p must lie between 0 and 1, but is %g", how->top_p);
    return true;
}

Tensor *filter_logits(Tensor *logits, const Sampling *how) {
    if (!check(how)) return NULL;
    if (how->temperature > 0) logits = t_div(logits, how->temperature);
    if (how->top_k > 0) logits = top_k(logits, how->top_k);
    return how->top_p < 1 ? top_p(logits, how->top_p) : logits;
}

Tensor *next_tokens(Tensor *logits, const Sampling *how) {
    if (how->temperature == 0) return check(how) ? t_argmax(logits, -1, .keepdim = true) : NULL;
    return t_multinomial(F_softmax(filter_logits(logits, how), -1), 1, .generator = how->generator);
}

/* The window is out[start .. n). Until it is full, only what is new goes through the model. When it is full it moves on
 * by `slide` tokens: every token then has another position, so the window is read again. */
static bool continue_ids(GPT *self, Tensor *out, int64_t T, const Sampling *how) {
    int64_t most = self->config.n_positions, start = T > most ? T - most : 0;
    KVCache cache = kv_cache(self, t_size(out, 0));
    for_range (n, T, t_size(out, 1)) {
        if (n - start > most) {
            start = n - most + how->slide - 1;
            cache.length = 0;
        }
        Tensor *fed = t_at(out, ":, {}:{}", how->recompute ? start : start + cache.length, n);
        Tensor *logits = gpt_next_logits(self, fed, how->recompute ? NULL : &cache);
        if (!t_set(out, ":, {}:{}", n, n + 1, next_tokens(logits, how))) return false;
    }
    return true;
}

Tensor *gpt_generate(GPT *self, Tensor *ids, int64_t count, const Sampling *how) {
    int64_t B = t_size(ids, 0), T = t_size(ids, 1);
    bool training = self->base.training, ok = false;
    if (T < 1) return t_fail("there must be a token to go on from");
    if (how->slide < 1 || how->slide > self->config.n_positions)
        return t_fail("slide must be from 1 to the context, %lld, not %lld", (long long)self->config.n_positions,
                      (long long)how->slide);
    Tensor *out = t_scoped(t_cat(t_list(ids, t_zeros(B, count, .dtype = t_int64)), 1));
    nn_eval(self);
    with_no_grad() with_scope() ok = continue_ids(self, out, T, how);
    nn_train(self, training);
    return ok ? out : NULL;
}
