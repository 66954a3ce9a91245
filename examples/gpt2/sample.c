/* examples/gpt2/sample.c: the next token. Filters and their order are those of transformers: temperature, top-k, top-p;
 * the draw is torch.multinomial. */
#include <math.h>

#include "gpt2.h"

/* Tokens below the k-th logit go; those that equal it stay. */
static Tensor *top_k(Tensor *logits, int64_t k) {
    k = k < t_size(logits, -1) ? k : t_size(logits, -1);
    Tensor *least = t_at(t_topk(logits, k), "..., -1:");
    return t_masked_fill(logits, t_lt(logits, least), -INFINITY);
}

/* From the least likely token on, those go whose probabilities add up to 1 - p at most; the likeliest stays. */
static Tensor *top_p(Tensor *logits, double p) {
    Tensor *order, *rising = t_sort(logits, -1, .indices = &order);
    Tensor *goes = t_le(t_cumsum(F_softmax(rising, -1), -1), 1 - p);
    t_set(goes, "..., -1:", 0);
    return t_masked_fill(logits, t_scatter(goes, 1, order, goes), -INFINITY); /* back in the order of the tokens */
}

Tensor *next_token(Tensor *logits, const Sampling *how) {
    if (how->temperature == 0) return t_argmax(logits, -1);
    logits = t_div(logits, how->temperature);
    if (how->top_k > 0) logits = top_k(logits, how->top_k);
    if (how->top_p < 1) logits = top_p(logits, how->top_p);
    return t_view(t_multinomial(F_softmax(logits, -1), 1), -1);
}
