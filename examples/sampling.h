/* examples/sampling.h: the filters of a language model's logits before a token is drawn, as transformers has them. For
 * char_gpt and gpt2. */
#ifndef EXAMPLES_SAMPLING_H
#define EXAMPLES_SAMPLING_H

#include <math.h>

#include "core/core.h"
#include "nn/nn.h"

/* Tokens below the k-th logit of their row go; those that equal it stay. */
static inline Tensor *top_k(Tensor *logits, int64_t k) {
    k = k < t_size(logits, -1) ? k : t_size(logits, -1);
    Tensor *least = t_at(t_topk(logits, k), "..., -1:");
    return t_masked_fill(logits, t_lt(logits, least), -INFINITY);
}

/* From the least likely token on, those go whose probabilities add up to 1 - p at most; the likeliest stays. */
static inline Tensor *top_p(Tensor *logits, double p) {
    Tensor *order, *rising = t_sort(logits, -1, .indices = &order);
    Tensor *goes = t_le(t_cumsum(F_softmax(rising, -1), -1), 1 - p);
    t_set(goes, "..., -1:", 0);
    return t_masked_fill(logits, t_scatter(goes, 1, order, goes), -INFINITY); /* back in the order of the tokens */
}

#endif
