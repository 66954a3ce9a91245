/* examples/sort_digits/decode.c: greedy decoding and beam search. The encoder runs once per source. */
#include "sort_digits.h"

#include <string.h>

/* ---- greedy ---- */

Tensor *greedy_decode(nn_EncoderDecoder *model, Tensor *src) {
    Tensor *src_mask = nn_keep_padding(src, PAD);
    Tensor *memory = nn_EncoderDecoder_encode(model, src, src_mask, NULL);
    Tensor *out = t_full((t_size(src, 0), 1), BOS, .dtype = t_int64);
    for_range (t, 1, MAX_LEN) {
        Tensor *h = nn_EncoderDecoder_decode(model, out, memory, src_mask, nn_keep_causal(t), NULL);
        Tensor *logits = nn_call(model->generator, t_at(h, ":, -1"));
        Tensor *next = t_argmax(logits, -1, .keepdim = true); /* (B, 1) */
        t_keep_as(&out, t_cat(t_list(out, next), 1));
    }
    return out;
}

/* ---- beam search ---- */

typedef struct Hypothesis {
    int64_t tokens[MAX_LEN], length;
    double log_probability;
} Hypothesis;

static bool is_finished(const Hypothesis *h) {
    return h->tokens[h->length - 1] == EOS;
}

/* Long answers multiply more factors below 1; the mean over the tokens makes lengths comparable. */
static double score(const Hypothesis *h) {
    return h->log_probability / (double)(h->length - 1);
}

/* Puts h among the best, which are in order, and drops the last one where there are too many. */
static int64_t insert(Hypothesis *best, int64_t count, int64_t width, Hypothesis h) {
    int64_t at = count;
    while (at > 0 && score(&best[at - 1]) < score(&h)) at--;
    if (at == width) return count;
    int64_t kept = count < width ? count : width - 1;
    for (int64_t i = kept; i > at; i--) best[i] = best[i - 1];
    best[at] = h;
    return kept + 1;
}

/* log P(next token | source, h) of the n hypotheses that are open: n rows of VOCABULARY. */
static void next_log_probabilities(nn_EncoderDecoder *model, Tensor *memory, Tensor *src_mask, const Hypothesis *open,
                                   int64_t n, double *to) {
    with_scope() {
        int64_t T = open[0].length;
        Tensor *out = t_empty(n, T, .dtype = t_int64);
        int64_t *ids = t_data_ptr_mut(out);
        for (int64_t i = 0; i < n * T; i++) ids[i] = open[i / T].tokens[i % T];
        Tensor *expanded = t_expand(memory, n, -1, -1); /* one memory for all hypotheses, without a copy */
        Tensor *h =
            nn_EncoderDecoder_decode(model, out, expanded, t_expand(src_mask, n, -1, -1, -1), nn_keep_causal(T), NULL);
        t_tolist(F_log_softmax(nn_call(model->generator, t_at(h, ":, -1")), -1), to, n * VOCABULARY);
    }
}

void beam_decode(nn_EncoderDecoder *model, Tensor *src, int64_t width, int64_t tokens[MAX_LEN]) {
    Hypothesis beam[WIDEST] = {{.tokens = {BOS}, .length = 1}}, open[WIDEST], best[WIDEST];
    int64_t count = 1;
    Tensor *src_mask = nn_keep_padding(src, PAD);
    Tensor *memory = nn_EncoderDecoder_encode(model, src, src_mask, NULL);
    width = width < 1 ? 1 : width > WIDEST ? WIDEST : width;
    for (int64_t t = 1; t < MAX_LEN; t++) {
        double log_probabilities[WIDEST * VOCABULARY];
        int64_t n = 0, found = 0;
        for (int64_t i = 0; i < count; i++) {
            if (is_finished(&beam[i])) found = insert(best, found, width, beam[i]);
            else open[n++] = beam[i];
        }
        if (n == 0) break;
        next_log_probabilities(model, memory, src_mask, open, n, log_probabilities);
        for (int64_t i = 0; i < n * VOCABULARY; i++) {
            Hypothesis h = open[i / VOCABULARY];
            h.tokens[h.length++] = i % VOCABULARY;
            h.log_probability += log_probabilities[i];
            found = insert(best, found, width, h);
        }
        memcpy(beam, best, sizeof beam);
        count = found;
    }
    memcpy(tokens, beam[0].tokens, sizeof beam[0].tokens);
}

bool is_exact(const int64_t *tokens, const Sample *sample) {
    return memcmp(tokens, sample->target, (size_t)(sample->length + 2) * sizeof *tokens) == 0;
}
