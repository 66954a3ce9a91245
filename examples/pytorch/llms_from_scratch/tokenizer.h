/* examples/pytorch/llms_from_scratch/tokenizer.h: a tokenizer for any ASCII text, in place of tiktoken's, whose
 * vocabulary would have to be downloaded. Its tokens are the characters, the words of a given text with the blank
 * before them, and <|endoftext|>; the longest one that fits is taken. */
#ifndef EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_TOKENIZER_H
#define EXAMPLES_PYTORCH_LLMS_FROM_SCRATCH_TOKENIZER_H

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"

enum { MAX_VOCABULARY = 1024, MAX_TOKENS = 8192 };

typedef struct Tokenizer {
    int64_t n_vocab, eot_token;
    const char *words[MAX_VOCABULARY]; /* owned by the scope of tokenizer_new */
} Tokenizer;

static inline int compare_words(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static inline bool tokenizer_knows(const Tokenizer *self, const char *word) {
    for (int64_t i = 0; i < self->n_vocab; i++)
        if (strcmp(self->words[i], word) == 0) return true;
    return false;
}

static inline Tokenizer tokenizer_new(const char *text) {
    Tokenizer self = {0};
    self.words[self.n_vocab++] = "\n";
    for (int c = 32; c < 127; c++) self.words[self.n_vocab++] = t_format("%c", c);
    int64_t characters = self.n_vocab;
    for (const char *p = text; *p; p++) {
        int letters = 0;
        while (*p == ' ' && isalpha((unsigned char)p[1 + letters])) letters++;
        const char *word = letters ? t_format("%.*s", 1 + letters, p) : " ";
        if (!tokenizer_knows(&self, word) && self.n_vocab < MAX_VOCABULARY - 1) self.words[self.n_vocab++] = word;
    }
    qsort(self.words + characters, (size_t)(self.n_vocab - characters), sizeof *self.words, compare_words);
    self.eot_token = self.n_vocab;
    self.words[self.n_vocab++] = "<|endoftext|>";
    return self;
}

/* The ids, (n), int64 */
static inline Tensor *tokenizer_encode(const Tokenizer *self, const char *text) {
    int64_t ids[MAX_TOKENS], n = 0;
    while (*text) {
        size_t longest = 0;
        for (int64_t i = 0; i < self->n_vocab; i++) {
            size_t length = strlen(self->words[i]);
            if (length <= longest || strncmp(text, self->words[i], length) != 0) continue;
            longest = length;
            ids[n] = i;
        }
        if (longest == 0) return t_fail("no token for the character %d", (unsigned char)*text);
        if (++n == MAX_TOKENS) return t_fail("a text of more than %d tokens", MAX_TOKENS);
        text += longest;
    }
    return t_tensor(ids, n);
}

/* The text of ids (n) */
static inline const char *tokenizer_decode(const Tokenizer *self, Tensor *ids) {
    const char *text = "";
    for (int64_t i = 0; i < t_size(ids, 0); i++)
        text = t_format("%s%s", text, self->words[t_item_int64(t_at(ids, "{}", i))]);
    return text;
}

/* str(ids.tolist()) */
static inline const char *ids_str(Tensor *ids) {
    const char *text = "";
    for (int64_t i = 0; i < t_size(ids, 0); i++)
        text = t_format("%s%s%d", text, i ? ", " : "", (int)t_item_int64(t_at(ids, "{}", i)));
    return t_format("[%s]", text);
}

#endif
