/* core/text/bpe.h: byte-pair encoding (Sennrich et al., 2016) of bytes, as in GPT-2 (internal).
 *
 * A word begins as its bytes, each a token. Of all pairs of neighbours that are in the list of merges, the one that is
 * first in the list becomes one token, the leftmost of several equal ones, until no pair is left. */
#ifndef TAPEGRAD_CORE_TEXT_BPE_H
#define TAPEGRAD_CORE_TEXT_BPE_H

#include "core/text/buffer.h"
#include "core/text/pair_table.h"
#include "core/text/pretokenize.h"

enum { TG_MAX_IDS = 1 << 24 };

/* A merge: left and right become id. */
typedef struct tg_Merge {
    uint32_t left, right, rank, id;
} tg_Merge;

/* A token: bytes.data + at. */
typedef struct tg_Token {
    uint32_t at, length;
    bool exists, special, shown; /* shown: a special token that decoding does not skip */
    bool added;                  /* it is no token of the model, only an added one */
} tg_Token;

/* Ids of words that were encoded already. */
typedef struct tg_WordCache {
    struct tg_CachedWord *table; /* NULL before the first word */
    tg_Buffer bytes, ids;
    size_t count;
} tg_WordCache;

typedef struct tg_Bpe {
    tg_Pattern pattern;
    bool add_prefix_space; /* a blank before a text that does not begin with one */
    bool whole_words;      /* a word that is a token is not merged: tiktoken */

    tg_Token *tokens; /* count of them, by id; gaps do not exist */
    size_t count, capacity;
    tg_Buffer bytes;  /* of all tokens */
    uint32_t *lookup; /* ids by a hash of their bytes; TG_NO_ID: an empty slot */
    size_t lookup_size, lookup_used;
    tg_PairTable merges; /* of tg_Merge */
    uint32_t byte_ids[256];
    uint32_t *specials; /* ids, in the order in which they were added */
    size_t specials_count, specials_capacity;

    tg_WordCache cache;
    tg_Buffer symbols; /* of a word that is being merged */
    tg_Buffer prefixed;
} tg_Bpe;

void tg_bpe_init(tg_Bpe *self);
void tg_bpe_free(tg_Bpe *self);

/* ---- making one; false on out of memory ---- */

/* id is below TG_MAX_IDS, and neither it nor the bytes are in use. */
bool tg_bpe_add_token(tg_Bpe *self, uint32_t id, const void *bytes, size_t length);
bool tg_bpe_add_merge(tg_Bpe *self, uint32_t left, uint32_t right, uint32_t rank, uint32_t id);
/* An existing token becomes special: encoding finds it in texts, before words are made. */
bool tg_bpe_add_special(tg_Bpe *self, uint32_t id);
/* Merges for each way in which a token is two tokens, ranked by its id: a list of tokens without merges (tiktoken). */
bool tg_bpe_merges_of_tokens(tg_Bpe *self);
/* Fills byte_ids. Returns -1, or the first byte that is no token. */
int tg_bpe_finish(tg_Bpe *self);

/* ---- using it ---- */

/* The merge in a slot of the table; NULL where it is empty. */
static inline const tg_Merge *tg_bpe_merge_at(const tg_Bpe *self, size_t slot) {
    const tg_Merge *merge = (const tg_Merge *)self->merges.items + slot;
    return merge->left == TG_NO_ID ? NULL : merge;
}
uint32_t tg_bpe_id(const tg_Bpe *self, const void *bytes, size_t length);        /* TG_NO_ID if it is no token */
const tg_Merge *tg_bpe_merge(const tg_Bpe *self, uint32_t left, uint32_t right); /* NULL if it is no merge */
static inline bool tg_bpe_has(const tg_Bpe *self, int64_t id) {
    return id >= 0 && (uint64_t)id < self->count && self->tokens[id].exists;
}
/* The leftmost special token whose flag is set (flags NULL: any), the longest one there; NULL if there is none. */
const uint8_t *tg_bpe_find_special(const tg_Bpe *self, const uint8_t *at, const uint8_t *end, const bool *flags,
                                   uint32_t *id);
/* Appends the ids, int64, of a text without special tokens; and of a text with those whose flag is set. */
bool tg_bpe_encode_ordinary(tg_Bpe *self, const uint8_t *at, const uint8_t *end, tg_Buffer *ids);
bool tg_bpe_encode(tg_Bpe *self, const uint8_t *at, const uint8_t *end, const bool *flags, tg_Buffer *ids);

/* ---- the characters by which GPT-2's files name bytes ---- */

/* Printable bytes of Latin-1 are themselves, the other 68 are U+0100 on: " " is U+0120. */
uint32_t tg_char_of_byte(uint8_t byte);
int tg_byte_of_char(uint32_t c); /* -1 if it stands for no byte */

#endif
