/* core/text/torchtext.c: torchtext's tokenizer, vocabularies and WikiText. */
#include "core/text/torchtext.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/ops/creation.h"
#include "core/tensor/tensor.h"
#include "core/text/bpe_files.h"
#include "core/text/string_list_internal.h"
#include "core/text/unicode.h"

/* ---- tokenizers ---- */

/* str.isspace() has four more than the pattern \s: the separators 0x1c to 0x1f. */
static bool is_blank(uint32_t c) {
    return tg_char_class(c) == TG_SPACE || (c >= 0x1c && c <= 0x1f);
}

/* A token that is being put together. */
typedef struct Tokens {
    t_StringList *list;
    tg_Buffer token;
} Tokens;

static bool end_token(Tokens *t) {
    const bool ok = t->token.size == 0 || tg_strings_append(t->list, t->token.data, t->token.size);
    t->token.size = 0;
    return ok;
}

/* The tokens of a text, character by character; `next` puts one into t. */
static t_StringList *tokenize(const char *text, bool (*next)(Tokens *t, const uint8_t **at, const uint8_t *end)) {
    if (!tg_check_given(text != NULL, 1, "a text")) return NULL;
    const uint8_t *at = (const uint8_t *)text, *end = at + strlen(text);
    const int depth = t_scope_open();
    Tokens t = {depth ? t_strings_new(NULL, 0) : NULL, {0}};
    bool ok = t.list != NULL;
    while (ok && at < end) ok = next(&t, &at, end);
    ok = ok && end_token(&t);
    tg_buffer_free(&t.token);
    return tg_scope_return(depth, ok ? t.list : NULL);
}

static bool next_of_split(Tokens *t, const uint8_t **at, const uint8_t *end) {
    const uint8_t *begin = *at;
    if (is_blank(tg_next_char(at, end))) return end_token(t);
    return tg_buffer_append(&t->token, begin, (size_t)(*at - begin));
}

static t_StringList *split(const char *text) {
    return tokenize(text, next_of_split);
}

static bool next_of_basic_english(Tokens *t, const uint8_t **at, const uint8_t *end) {
    const uint8_t *begin = *at;
    const uint32_t c = tg_next_char(at, end);
    char small[4];
    if (c == '"') return true;
    if (is_blank(c) || c == ';' || c == ':') return end_token(t);
    if (c == '<' && end - begin >= 6 && (begin[1] | 32) == 'b' && (begin[2] | 32) == 'r' &&
        memcmp(begin + 3, " />", 3) == 0) {
        *at = begin + 6;
        return end_token(t);
    }
    if (c < 0x80 && strchr("'.,()!?", (int)c))
        return end_token(t) && tg_buffer_append(&t->token, begin, 1) && end_token(t);
    if (c == 0x130) return tg_buffer_append(&t->token, "i\xcc\x87", 3); /* the only capital that becomes two */
    if (c == TG_INVALID_BYTE) return tg_buffer_append(&t->token, begin, 1);
    return tg_buffer_append(&t->token, small, (size_t)tg_put_char(tg_char_lower(c), small));
}

static t_StringList *basic_english(const char *text) {
    return tokenize(text, next_of_basic_english);
}

torchtext_Tokenizer torchtext_get_tokenizer(const char *tokenizer) {
    if (!tokenizer) return t_error() ? NULL : split;
    if (strcmp(tokenizer, "basic_english") == 0) return basic_english;
    tg_fail("Requested tokenizer %s, valid choices are \"basic_english\" and NULL, which splits at white space",
            tokenizer);
    return NULL;
}

t_StringList *torchtext_ngrams_iterator(const t_StringList *tokens, int64_t ngrams) {
    if (!tg_check_strings(tokens, 1)) return NULL;
    const int depth = t_scope_open();
    t_StringList *list = depth ? t_strings_new(tokens->items, tokens->len) : NULL;
    tg_Buffer gram = {0};
    bool ok = list != NULL;
    for (int64_t n = 2; ok && n <= ngrams && n <= tokens->len; n++)
        for (int64_t i = 0; ok && i + n <= tokens->len; i++) {
            gram.size = 0;
            for (int64_t k = i; ok && k < i + n; k++)
                ok = (k == i || tg_buffer_append(&gram, " ", 1)) &&
                     tg_buffer_append(&gram, tokens->items[k], strlen(tokens->items[k]));
            ok = ok && tg_strings_append(list, gram.data, gram.size);
        }
    tg_buffer_free(&gram);
    return tg_scope_return(depth, ok ? list : NULL);
}

/* ---- a table of strings ---- */

static uint32_t hash_of(const char *text) {
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (; *text; text++) hash = (hash ^ (uint8_t)*text) * 1099511628211u;
    return (uint32_t)(hash ^ hash >> 32);
}

static size_t slot_of(const t_StringList *list, const uint32_t *table, size_t size, const char *token) {
    size_t slot = hash_of(token) & (size - 1);
    while (table[slot] != UINT32_MAX && strcmp(list->items[table[slot]], token) != 0) slot = (slot + 1) & (size - 1);
    return slot;
}

/* The table has room for one more; false on out of memory. */
static bool grow(const t_StringList *list, uint32_t **table, size_t *size) {
    if (2 * ((size_t)list->len + 1) <= *size) return true;
    const size_t larger = *size ? 2 * *size : 64;
    uint32_t *slots = tg_alloc_raw(larger * sizeof *slots);
    if (!slots) return false;
    memset(slots, 0xff, larger * sizeof *slots);
    for (int64_t i = 0; i < list->len; i++) slots[slot_of(list, slots, larger, list->items[i])] = (uint32_t)i;
    tg_free(*table, *size * sizeof *slots);
    *table = slots;
    *size = larger;
    return true;
}

/* ---- vocabularies ---- */

static void vocab_destroy(void *object) {
    torchtext_Vocab *self = object;
    tg_object_dispose(&self->object);
    if (self->itos) t_release(self->itos);
    tg_free(self->table, self->table_size * sizeof *self->table);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class vocab_class = {"Vocab", vocab_destroy};

static bool check_vocab(const torchtext_Vocab *self) {
    if (!self) return tg_check_given(false, 1, "a vocabulary");
    return self->object.is_a == &vocab_class || tg_fail("argument 1 is not a live vocabulary");
}

static torchtext_Vocab *new_vocab(void) {
    torchtext_Vocab *self = tg_alloc(sizeof *self);
    if (!self) return NULL;
    tg_object_init(&self->object, &vocab_class);
    self->default_index = T_NONE;
    self->itos = t_strings_new(NULL, 0);
    if (!self->itos) return NULL;
    tg_take_from_scope(self->itos);
    return self;
}

/* -1: it is not there */
static int64_t find(const torchtext_Vocab *self, const char *token) {
    if (!self->table_size) return -1;
    const uint32_t index = self->table[slot_of(self->itos, self->table, self->table_size, token)];
    return index == UINT32_MAX ? -1 : (int64_t)index;
}

static bool append(torchtext_Vocab *self, const char *token) {
    if (find(self, token) >= 0) return tg_fail("Duplicate token found in tokens list: %s", token);
    if (!grow(self->itos, &self->table, &self->table_size)) return false;
    const size_t slot = slot_of(self->itos, self->table, self->table_size, token);
    if (!tg_strings_append(self->itos, token, strlen(token))) return false;
    self->table[slot] = (uint32_t)self->itos->len - 1;
    return true;
}

static bool append_all(torchtext_Vocab *self, const t_StringList *tokens) {
    for (int64_t i = 0; tokens && i < tokens->len; i++)
        if (!append(self, tokens->items[i])) return false;
    return true;
}

static bool is_special(const t_StringList *specials, const char *token) {
    for (int64_t i = 0; specials && i < specials->len; i++)
        if (strcmp(specials->items[i], token) == 0) return true;
    return false;
}

static bool take(torchtext_VocabOptions *to, const torchtext_VocabOptions *options) {
    *to = (torchtext_VocabOptions){sizeof *to, 1, NULL, true, T_NONE, NULL};
    return tg_take_options(to, options, sizeof *to) && (!to->specials || tg_check_strings(to->specials, 2));
}

/* The tokens in the order of `order` (NULL: their own). */
static torchtext_Vocab *make_vocab(const t_StringList *tokens, const int64_t *counts, const int64_t *order,
                                   int64_t count, const torchtext_VocabOptions *o) {
    const int depth = t_scope_open();
    torchtext_Vocab *self = depth ? new_vocab() : NULL;
    bool ok = self && (!o->special_first || append_all(self, o->specials));
    for (int64_t i = 0; ok && i < count; i++) {
        const int64_t index = order ? order[i] : i;
        if ((counts ? counts[index] : 1) < o->min_freq || is_special(o->specials, tokens->items[index])) continue;
        ok = append(self, tokens->items[index]);
    }
    ok = ok && (o->special_first || append_all(self, o->specials));
    return tg_scope_return(depth, ok ? self : NULL);
}

torchtext_Vocab *torchtext_vocab_new(const t_StringList *tokens, const int64_t *counts,
                                     const torchtext_VocabOptions *options) {
    torchtext_VocabOptions o;
    if (!tg_check_strings(tokens, 1) || !take(&o, options)) return NULL;
    return make_vocab(tokens, counts, NULL, tokens->len, &o);
}

/* Each token once, and how often it occurs. */
typedef struct Counter {
    t_StringList *tokens;
    tg_Buffer counts; /* int64_t */
    uint32_t *table;
    size_t size;
} Counter;

static bool count_token(Counter *c, const char *token) {
    if (!grow(c->tokens, &c->table, &c->size)) return false;
    const size_t slot = slot_of(c->tokens, c->table, c->size, token);
    if (c->table[slot] != UINT32_MAX) {
        ((int64_t *)(void *)c->counts.data)[c->table[slot]]++;
        return true;
    }
    const int64_t one = 1;
    if (!tg_buffer_reserve(&c->counts, sizeof one) || !tg_strings_append(c->tokens, token, strlen(token))) return false;
    tg_buffer_append(&c->counts, &one, sizeof one);
    c->table[slot] = (uint32_t)c->tokens->len - 1;
    return true;
}

static bool count_all(Counter *c, torchtext_Iterator iterator, void *context) {
    for (bool more = true, ok = true; more;) {
        const int64_t failures = tg_thread.failures;
        const int depth = tg_scope_open_around_callback();
        if (!depth) return false;
        const t_StringList *tokens = iterator(context);
        more = tokens != NULL;
        ok = !tg_failed_since(failures) && (!more || tg_check_strings(tokens, 1));
        for (int64_t i = 0; ok && more && i < tokens->len; i++) ok = count_token(c, tokens->items[i]);
        tg_scope_close(depth);
        if (!ok) return false;
    }
    return true;
}

typedef struct Ranked {
    const char *token;
    int64_t count, index;
} Ranked;

/* UTF-8 has the order of its characters. */
static int by_frequency(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return strcmp(x->token, y->token);
}

static torchtext_Vocab *ranked_vocab(const Counter *c, const torchtext_VocabOptions *o) {
    const size_t n = (size_t)c->tokens->len, bytes = (n + 1) * sizeof(Ranked);
    const int64_t *counts = (const int64_t *)(const void *)c->counts.data,
                  specials = o->specials ? o->specials->len : 0;
    Ranked *ranked = tg_alloc_raw(bytes);
    int64_t *order = ranked ? tg_alloc_raw((n + 1) * sizeof *order) : NULL, count = (int64_t)n;
    torchtext_Vocab *vocab = NULL;
    if (order) {
        for (size_t i = 0; i < n; i++) ranked[i] = (Ranked){c->tokens->items[i], counts[i], (int64_t)i};
        qsort(ranked, n, sizeof *ranked, by_frequency);
        for (size_t i = 0; i < n; i++) order[i] = ranked[i].index;
        if (o->max_tokens != T_NONE && count > o->max_tokens - specials) count = o->max_tokens - specials;
        vocab = make_vocab(c->tokens, counts, order, count, o);
    }
    tg_free(order, (n + 1) * sizeof *order);
    tg_free(ranked, bytes);
    return vocab;
}

torchtext_Vocab *torchtext_build_vocab_from_iterator_new(torchtext_Iterator iterator,
                                                         const torchtext_VocabOptions *options) {
    torchtext_VocabOptions o;
    if (!tg_check_given(iterator != NULL, 1, "an iterator") || !take(&o, options)) return NULL;
    if (o.max_tokens != T_NONE && (o.specials ? o.specials->len : 0) >= o.max_tokens)
        return tg_fail("len(specials) >= max_tokens, so the vocab will be entirely special tokens.");
    const int depth = t_scope_open();
    Counter c = {.tokens = depth ? t_strings_new(NULL, 0) : NULL};
    torchtext_Vocab *vocab = c.tokens && count_all(&c, iterator, o.context) ? ranked_vocab(&c, &o) : NULL;
    tg_buffer_free(&c.counts);
    tg_free(c.table, c.size * sizeof *c.table);
    return tg_scope_return(depth, vocab);
}

t_StringList *torchtext_map_next(void *map) {
    torchtext_Map *self = map;
    if (!tg_check_given(self && self->tokenizer, 1, "a torchtext_Map") || !tg_check_strings(self->texts, 1))
        return NULL;
    return self->next < self->texts->len ? self->tokenizer(self->texts->items[self->next++]) : NULL;
}

/* ---- using one ---- */

int64_t torchtext_vocab_len(const torchtext_Vocab *vocab) {
    return check_vocab(vocab) ? vocab->itos->len : -1;
}

bool torchtext_vocab_contains(const torchtext_Vocab *vocab, const char *token) {
    return check_vocab(vocab) && tg_check_given(token != NULL, 2, "a token") && find(vocab, token) >= 0;
}

static bool get(const torchtext_Vocab *vocab, const char *token, int64_t *index) {
    *index = find(vocab, token);
    if (*index >= 0) return true;
    *index = vocab->default_index == T_NONE ? -1 : vocab->default_index;
    return vocab->default_index != T_NONE || tg_fail("Token %s not found and default index is not set", token);
}

int64_t torchtext_vocab_get(const torchtext_Vocab *vocab, const char *token) {
    int64_t index = -1;
    if (check_vocab(vocab) && tg_check_given(token != NULL, 2, "a token")) get(vocab, token, &index);
    return index;
}

bool torchtext_set_default_index(torchtext_Vocab *vocab, int64_t index) {
    if (!check_vocab(vocab)) return false;
    vocab->default_index = index;
    return true;
}

Tensor *torchtext_lookup_indices(const torchtext_Vocab *vocab, const t_StringList *tokens) {
    if (!check_vocab(vocab) || !tg_check_strings(tokens, 2)) return NULL;
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&tokens->len, 1, t_int64) : NULL;
    bool ok = x != NULL;
    for (int64_t i = 0; ok && i < tokens->len; i++) ok = get(vocab, tokens->items[i], (int64_t *)tg_data(x) + i);
    return tg_scope_return(depth, ok ? x : NULL);
}

const char *torchtext_lookup_token(const torchtext_Vocab *vocab, int64_t index) {
    if (!check_vocab(vocab)) return NULL;
    if (index >= 0 && index < vocab->itos->len) return vocab->itos->items[index];
    return tg_fail("Specified index %" PRId64 " is out of bounds for vocab of size %" PRId64, index, vocab->itos->len);
}

t_StringList *torchtext_lookup_tokens(const torchtext_Vocab *vocab, const Tensor *indices) {
    if (!check_vocab(vocab) || !tg_check_any(indices, 2)) return NULL;
    const int depth = t_scope_open();
    t_StringList *list = depth ? t_strings_new(NULL, 0) : NULL;
    const Tensor *x = list ? t_contiguous(t_to((Tensor *)(uintptr_t)indices, t_int64)) : NULL;
    bool ok = x != NULL;
    for (int64_t i = 0, n = ok ? tg_numel(x) : 0; ok && i < n; i++) {
        const char *token = torchtext_lookup_token(vocab, ((const int64_t *)tg_data(x))[i]);
        ok = token && tg_strings_append(list, token, strlen(token));
    }
    return tg_scope_return(depth, ok ? list : NULL);
}

bool torchtext_insert_token(torchtext_Vocab *vocab, const char *token, int64_t index) {
    if (!check_vocab(vocab) || !tg_check_given(token != NULL, 2, "a token")) return false;
    const int64_t known = find(vocab, token), len = vocab->itos->len;
    if (index < 0 || index > len)
        return tg_fail("Specified index %" PRId64 " is out of bounds for vocab of size %" PRId64, index, len);
    if (known >= 0) return tg_fail("Token %s already exists in the Vocab with index: %" PRId64, token, known);
    if (!append(vocab, token)) return false;
    const char **items = vocab->itos->items, *inserted = items[len];
    memmove(items + index + 1, items + index, (size_t)(len - index) * sizeof *items);
    items[index] = inserted;
    memset(vocab->table, 0xff, vocab->table_size * sizeof *vocab->table);
    for (int64_t i = 0; i <= len; i++)
        vocab->table[slot_of(vocab->itos, vocab->table, vocab->table_size, items[i])] = (uint32_t)i;
    return true;
}

bool torchtext_append_token(torchtext_Vocab *vocab, const char *token) {
    return check_vocab(vocab) && torchtext_insert_token(vocab, token, vocab->itos->len);
}

/* ---- WikiText ---- */

/* The lines of a file, with their newlines. Error: a zero. */
static t_StringList *read_lines(const char *path) {
    tg_Input in;
    if (!tg_input_open(&in, path)) return NULL;
    tg_Buffer text = {0};
    const int depth = t_scope_open();
    t_StringList *list = depth ? t_strings_new(NULL, 0) : NULL;
    bool ok = list && tg_read_all(&in, &text);
    tg_input_close(&in);
    const char *zero = ok && text.size ? memchr(text.data, '\0', text.size) : NULL;
    if (zero) ok = tg_fail("%s: a zero at byte %zu, which no line of a text has", path, (size_t)(zero - text.data));
    for (const char *at = text.data, *end = ok ? at + text.size : at; ok && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *next = stop ? stop + 1 : end;
        ok = tg_strings_append(list, at, (size_t)(next - at));
        at = next;
    }
    tg_buffer_free(&text);
    return tg_scope_return(depth, ok ? list : NULL);
}

static t_StringList *wikitext(const char *root, const char *split_name, const char *number, const char *source) {
    char path[4400];
    if (!tg_check_given(root != NULL, 1, "a folder") || !tg_check_given(split_name != NULL, 2, "a split")) return NULL;
    if (strcmp(split_name, "train") != 0 && strcmp(split_name, "valid") != 0 && strcmp(split_name, "test") != 0)
        return tg_fail("split '%s' is none of train, valid and test", split_name);
    for (int i = 0; i < 3; i++) {
        if (i == 0)
            snprintf(path, sizeof path, "%.4000s/wiki.%s.tokens", root, split_name);
        else if (i == 1)
            snprintf(path, sizeof path, "%.4000s/wikitext-%s/wiki.%s.tokens", root, number, split_name);
        else
            snprintf(path, sizeof path, "%.4000s/datasets/WikiText%s/wikitext-%s/wiki.%s.tokens", root, number, number,
                     split_name);
        if (access(path, F_OK) == 0) return read_lines(path);
    }
    return tg_fail("there is no wiki.%s.tokens in %s or %s/wikitext-%s: nothing is downloaded; the files are in %s",
                   split_name, root, root, number, source);
}

t_StringList *datasets_WikiText2(const char *root, const char *split_name) {
    return wikitext(root, split_name, "2", "https://s3.amazonaws.com/research.metamind.io/wikitext/wikitext-2-v1.zip");
}

t_StringList *datasets_WikiText103(const char *root, const char *split_name) {
    return wikitext(root, split_name, "103",
                    "https://s3.amazonaws.com/research.metamind.io/wikitext/wikitext-103-v1.zip");
}
