/* examples/sort_digits/sort_digits.h: what the parts of the program share. */
#ifndef SORT_DIGITS_H
#define SORT_DIGITS_H

#include "core/core.h"
#include "nn/nn.h"

/* The vocabulary of both sides: three special tokens, then the digits. A target is BOS, the digits, EOS; PAD pads a
 * row. */
enum { PAD, BOS, EOS, ZERO, VOCABULARY = ZERO + 10 };
enum { SHORTEST = 3, LONGEST = 10, MAX_LEN = LONGEST + 2, WIDEST = 16 };

typedef enum Task { sorted, reversed } Task;

/* ---- data.c ---- */

typedef struct Sample {
    int64_t length, source[LONGEST], target[MAX_LEN]; /* target: length + 2 tokens */
} Sample;

/* Strings whose number is divisible by 11 are held out: training never draws one, testing draws only those. */
Sample draw_sample(Task task, bool held_out);
/* (B, S) and (B, S + 2) token ids of B samples, S the longest of them. */
Tensor *source_ids(const Sample *samples, int64_t B);
Tensor *target_ids(const Sample *samples, int64_t B);
/* "0357" of a row of tokens, up to its EOS; good until the eighth call after it. */
const char *text_of(const int64_t *tokens, int64_t count);

/* ---- decode.c ---- */

/* The likeliest token, one position after the other: (B, S) source ids to (B, MAX_LEN) ids that begin with BOS. */
Tensor *greedy_decode(nn_EncoderDecoder *model, Tensor *src);
/* The best of `width` hypotheses (1 to WIDEST) for one string, by log-probability over length; writes MAX_LEN
 * tokens, BOS first. */
void beam_decode(nn_EncoderDecoder *model, Tensor *src, int64_t width, int64_t tokens[MAX_LEN]);
/* Whether the decoded tokens (BOS first) are the sample's target. */
bool is_exact(const int64_t *tokens, const Sample *sample);

#endif
