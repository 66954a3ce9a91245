/* examples/gpt2/sample.c: the next token. Filters and their order are those of transformers: temperature, top-k, top-p;
 * the draw is torch.multinomial. */
#include "examples/sampling.h"
#include "gpt2.h"

Tensor *next_token(Tensor *logits, const Sampling *how) {
    if (how->temperature == 0) return t_argmax(logits, -1);
    logits = t_div(logits, how->temperature);
    if (how->top_k > 0) logits = top_k(logits, how->top_k);
    if (how->top_p < 1) logits = top_p(logits, how->top_p);
    return t_view(t_multinomial(F_softmax(logits, -1), 1), -1);
}
