/* examples/pytorch/text/vocabulary.h: a dict from words to 0, 1, 2, ... in the order of their first occurrence. */
#ifndef EXAMPLES_PYTORCH_TEXT_VOCABULARY_H
#define EXAMPLES_PYTORCH_TEXT_VOCABULARY_H

#include <string.h>

#include "core/core.h"

enum { MAX_WORDS = 128 };

typedef struct Vocabulary {
    const char *words[MAX_WORDS]; /* not copied */
    int64_t len;
} Vocabulary;

/* word_to_ix[word]; -1 for a word that is not in it */
static inline int64_t vocabulary_index(const Vocabulary *self, const char *word) {
    for (int64_t i = 0; i < self->len; i++)
        if (strcmp(self->words[i], word) == 0) return i;
    return -1;
}

static inline void vocabulary_add(Vocabulary *self, const char *word) {
    if (vocabulary_index(self, word) < 0 && self->len < MAX_WORDS) self->words[self->len++] = word;
}

/* torch.tensor([word_to_ix[w] for w in seq], dtype=torch.long) */
static inline Tensor *prepare_sequence(const char *const *seq, int64_t len, const Vocabulary *to_ix) {
    int64_t idxs[MAX_WORDS];
    for (int64_t i = 0; i < len; i++) idxs[i] = vocabulary_index(to_ix, seq[i]);
    return t_tensor(idxs, len);
}

#endif
