/* tests/fuzz/text_parsers.c: any bytes as vocab.json, with a list of merges after a zero or a fixed one, as merges.txt,
 * as a tiktoken file, as tokenizer.json, and as a text to encode and to train on. */
#include "tests/fuzz/text_parsers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/context.h"
#include "core/text/bpe_files.h"
#include "core/text/bpe_train.h"
#include "core/text/codec.h"

static void demand(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s (error: %s)\n", what, t_error_message() ? t_error_message() : "none");
    abort();
}

/* ---- the readers ---- */

static tg_Input input(const void *data, size_t size) {
    tg_Input in;
    tg_input_memory(&in, data, size, "memory");
    return in;
}

static bool read_vocab(tg_Bpe *bpe, const uint8_t *data, size_t size) {
    const uint8_t *zero = memchr(data, 0, size);
    const size_t length = zero ? (size_t)(zero - data) : size;
    const tg_Input in = input(data, length),
                   merges = zero ? input(zero + 1, size - length - 1) : input("t h\nth e\n", 9);
    return tg_read_vocab_merges(bpe, &in, &merges);
}

static bool read_merges(tg_Bpe *bpe, const uint8_t *data, size_t size) {
    const tg_Input in = input(data, size);
    return tg_read_merges(bpe, &in) && tg_bpe_merges_of_tokens(bpe);
}

static bool read_tiktoken(tg_Bpe *bpe, const uint8_t *data, size_t size) {
    const tg_Input in = input(data, size);
    return tg_read_tiktoken(bpe, &in) && tg_bpe_merges_of_tokens(bpe);
}

static bool read_json(tg_Bpe *bpe, const uint8_t *data, size_t size) {
    const tg_Input in = input(data, size);
    return tg_read_tokenizer_json(bpe, &in);
}

/* The first half is trained on; the first byte chooses the pattern and other options. */
static bool train(tg_Bpe *bpe, const uint8_t *data, size_t size) {
    static const tg_Pattern patterns[] = {TG_PATTERN_GPT2, TG_PATTERN_CL100K, TG_PATTERN_O200K};
    tg_WordCounts words = {0};
    const int options = size ? data[0] : 0;
    bpe->pattern = patterns[options % 16 % 3];
    bpe->add_prefix_space = options & 16;
    bpe->whole_words = options & 32;
    const bool ok = tg_count_words(&words, bpe, (const char *)data, size / 2) && tg_bpe_train(bpe, &words, 1000, 2);
    tg_word_counts_free(&words);
    return ok;
}

static const struct TextParser {
    const char *name;
    bool (*read)(tg_Bpe *bpe, const uint8_t *data, size_t size);
    bool has_merges; /* of its own, not those of its tokens: it can be written */
} parsers[] = {{"vocab", read_vocab, true},
               {"merges", read_merges, false},
               {"tiktoken", read_tiktoken, false},
               {"tokenizer", read_json, true},
               {"text", train, true}};
enum { PARSERS = sizeof parsers / sizeof *parsers };

const char *fuzz_text_parser(int i) {
    return i < PARSERS ? parsers[i].name : NULL;
}

/* ---- what must hold ---- */

/* The definition: the pair of lowest rank, the leftmost one, until there is none. */
static size_t merge_by_definition(const tg_Bpe *bpe, const uint8_t *word, size_t n, int64_t *ids) {
    for (size_t i = 0; i < n; i++) ids[i] = bpe->byte_ids[word[i]];
    for (;;) {
        const tg_Merge *best = NULL;
        size_t at = 0;
        for (size_t i = 0; i + 1 < n; i++) {
            const tg_Merge *merge = tg_bpe_merge(bpe, (uint32_t)ids[i], (uint32_t)ids[i + 1]);
            if (merge && (!best || merge->rank < best->rank)) best = merge, at = i;
        }
        if (!best) return n;
        ids[at] = best->id;
        for (size_t i = at + 1; i + 1 < n; i++) ids[i] = ids[i + 1];
        n--;
    }
}

static void check_encoding(tg_Bpe *bpe, const uint8_t *data, size_t size) {
    tg_Buffer ids = {0}, again = {0};
    demand(tg_bpe_encode(bpe, data, data + size, NULL, &ids), "a text cannot be encoded");
    const int64_t *id = (const int64_t *)(const void *)ids.data;
    for (size_t i = 0; i < ids.size / sizeof *id; i++) {
        demand(tg_bpe_has(bpe, id[i]), "an id without a token");
        const tg_Token *token = &bpe->tokens[id[i]];
        demand(tg_buffer_append(&again, bpe->bytes.data + token->at, token->length), "memory");
    }
    const size_t prefix = again.size > size && bpe->add_prefix_space && again.data[0] == ' ';
    if (!bpe->add_prefix_space || bpe->specials_count == 0)
        demand(again.size == size + prefix && (size == 0 || memcmp(again.data + prefix, data, size) == 0),
               "decode(encode(x)) is not x");
    const uint8_t *end = size ? tg_word_end(bpe->pattern, data, data + size) : data;
    if (size && bpe->specials_count == 0 && !bpe->add_prefix_space && !bpe->whole_words && end - data < 400) {
        int64_t want[400];
        const size_t n = merge_by_definition(bpe, data, (size_t)(end - data), want);
        demand(ids.size >= n * sizeof *want && memcmp(ids.data, want, n * sizeof *want) == 0,
               "the first word is not merged by the definition");
    }
    tg_buffer_free(&ids);
    tg_buffer_free(&again);
}

static void demand_same(const tg_Bpe *a, const tg_Bpe *b) {
    demand(a->count == b->count && a->merges.used == b->merges.used, "what was written has other tokens or merges");
    for (size_t id = 0; id < a->count; id++) {
        const tg_Token *x = &a->tokens[id], *y = &b->tokens[id];
        demand(x->exists == y->exists && x->length == y->length &&
                   (!x->exists || memcmp(a->bytes.data + x->at, b->bytes.data + y->at, x->length) == 0),
               "what was written has another token");
    }
}

/* tokenizer.json of any tokenizer. */
static void write_and_read_json(const tg_Bpe *bpe) {
    tg_Output out;
    size_t size;
    tg_output_memory(&out);
    char *text = tg_output_take(&out, tg_write_tokenizer_json(bpe, &out, bpe->count % 2), &size);
    demand(text, "a tokenizer cannot be written as tokenizer.json");
    if (bpe->count <= size) {
        const tg_Input file = input(text, size);
        tg_Bpe again;
        tg_bpe_init(&again);
        demand(tg_read_tokenizer_json(&again, &file), "the tokenizer.json that was written cannot be read");
        demand_same(bpe, &again);
        tg_bpe_free(&again);
    }
    free(text);
}

/* vocab.json and merges.txt of a tokenizer without special tokens, whose names such a file cannot tell apart. */
static void write_and_read(const tg_Bpe *bpe) {
    size_t sizes[2];
    tg_Output out[2];
    if (bpe->specials_count) return;
    for (int i = 0; i < 2; i++) tg_output_memory(&out[i]);
    char *vocab = tg_output_take(&out[0], tg_write_vocab(bpe, &out[0]), &sizes[0]),
         *merges = tg_output_take(&out[1], tg_write_merges(bpe, &out[1]), &sizes[1]);
    demand(vocab && merges, "a tokenizer cannot be written");
    if (bpe->count <= sizes[0]) { /* an id beyond the size of its file is refused */
        const tg_Input files[] = {input(vocab, sizes[0]), input(merges, sizes[1])};
        tg_Bpe again;
        tg_bpe_init(&again);
        demand(tg_read_vocab_merges(&again, &files[0], &files[1]), "what was written cannot be read");
        demand_same(bpe, &again);
        tg_bpe_free(&again);
    }
    free(vocab);
    free(merges);
}

static int64_t read_once(const struct TextParser *parser, const uint8_t *data, size_t size, int64_t fail_at) {
    const int64_t bytes = t_live_bytes(), before = tg_alloc_requests();
    tg_Bpe bpe;
    tg_bpe_init(&bpe);
    tg_alloc_fail(fail_at, false);
    const bool ok = parser->read(&bpe, data, size);
    tg_alloc_fail(0, false);
    const int64_t requests = tg_alloc_requests() - before;
    if (ok) {
        demand(!t_error(), "success and an error");
        if (!fail_at) check_encoding(&bpe, data, size);
        if (!fail_at && parser->has_merges) write_and_read(&bpe), write_and_read_json(&bpe);
    } else {
        demand(t_error_message() != NULL, "it failed without a message");
        demand(fail_at || strstr(t_error_message(), "memory") || strstr(t_error_message(), "merges.txt"),
               "the message does not name the file");
        t_clear_error();
    }
    tg_bpe_free(&bpe);
    demand(t_live_bytes() == bytes, "something leaked");
    return requests;
}

bool fuzz_text(const char *name, const uint8_t *data, size_t size) {
    int i = 0;
    while (i < PARSERS && strcmp(parsers[i].name, name) != 0) i++;
    if (i == PARSERS) return false;
    uint64_t hash = size;
    if (size == 0) data = (const uint8_t *)"";
    for (size_t k = 0; k < size; k++) hash = (hash ^ data[k]) * 1099511628211u;
    const int64_t requests = read_once(&parsers[i], data, size, 0);
    if (requests > 0) read_once(&parsers[i], data, size, 1 + (int64_t)(hash >> 33) % requests);
    return true;
}
