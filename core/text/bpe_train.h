/* core/text/bpe_train.h: training a byte-pair encoding (internal). */
#ifndef TAPEGRAD_CORE_TEXT_BPE_TRAIN_H
#define TAPEGRAD_CORE_TEXT_BPE_TRAIN_H

#include "core/text/bpe.h"

/* The words of texts, and how often each occurs. */
typedef struct tg_WordCounts {
    tg_Buffer bytes, words; /* words: tg_CountedWord */
    uint32_t *table;        /* indices of words by a hash of their bytes; UINT32_MAX: empty */
    size_t size;            /* of the table */
} tg_WordCounts;

bool tg_count_words(tg_WordCounts *self, const tg_Bpe *bpe, const char *text, size_t size);
void tg_word_counts_free(tg_WordCounts *self);

/* Fills bpe, which is empty but for its special tokens. */
bool tg_bpe_train(tg_Bpe *bpe, const tg_WordCounts *words, size_t vocab_size, int64_t min_frequency);

#endif
