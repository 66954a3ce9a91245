/* core/text/bpe_files.c: readers and writers of vocab.json, merges.txt, tiktoken's files and tokenizer.json. */
#include "core/text/bpe_files.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/io/json.h"
#include "core/text/unicode.h"

bool tg_read_all(const tg_Input *in, tg_Buffer *to) {
    to->size = 0;
    if (in->size > INT32_MAX) return tg_fail("%s: a file of %" PRIu64 " bytes is too large", in->name, in->size);
    if (!tg_buffer_reserve(to, (size_t)in->size + 1) || !tg_input_read(in, 0, to->data, (size_t)in->size)) return false;
    to->size = (size_t)in->size;
    to->data[to->size] = '\0';
    return true;
}

/* ---- names of tokens ---- */

bool tg_bytes_of_name(const char *name, size_t length, tg_Buffer *to) {
    const uint8_t *at = (const uint8_t *)name, *end = at + length;
    const size_t before = to->size;
    while (at < end) {
        const int value = tg_byte_of_char(tg_next_char(&at, end));
        const char byte = (char)value;
        if (value < 0 || !tg_buffer_append(to, &byte, 1)) {
            to->size = before;
            return false;
        }
    }
    return true;
}

bool tg_name_of_token(const tg_Bpe *bpe, uint32_t id, tg_Buffer *to) {
    const tg_Token *token = &bpe->tokens[id];
    const char *bytes = bpe->bytes.data + token->at;
    if (token->special) return tg_buffer_append(to, bytes, token->length);
    for (uint32_t i = 0; i < token->length; i++) {
        char name[4];
        const int length = tg_put_char(tg_char_of_byte((uint8_t)bytes[i]), name);
        if (!tg_buffer_append(to, name, (size_t)length)) return false;
    }
    return true;
}

/* The token's bytes; a name with other characters, which no merge makes, is its own text. NULL on out of memory. */
static const char *token_of_name(const char *name, size_t *length, tg_Buffer *scratch) {
    scratch->size = 0;
    if (!tg_buffer_reserve(scratch, *length + 1)) return NULL;
    if (!tg_bytes_of_name(name, *length, scratch)) return name;
    *length = scratch->size;
    return scratch->data;
}

/* ---- tokens, with checks ---- */

static bool add_token(tg_Bpe *bpe, const char *file, const char *name, uint64_t id, uint64_t most, tg_Buffer *scratch) {
    size_t length = strlen(name);
    const char *bytes = token_of_name(name, &length, scratch);
    if (!bytes) return false;
    if (length == 0) return tg_fail("%s: a token without characters, id %" PRIu64, file, id);
    if (id > most || id >= TG_MAX_IDS)
        return tg_fail("%s: the id %" PRIu64 " of \"%s\" is too large for the number of tokens", file, id, name);
    if (tg_bpe_has(bpe, (int64_t)id)) return tg_fail("%s: two tokens have the id %" PRIu64, file, id);
    if (tg_bpe_id(bpe, bytes, length) != TG_NO_ID) return tg_fail("%s: the token \"%s\" is there twice", file, name);
    return tg_bpe_add_token(bpe, (uint32_t)id, bytes, length);
}

static bool finish(tg_Bpe *bpe, const char *file) {
    const int missing = tg_bpe_finish(bpe);
    char name[5] = "";
    if (missing < 0) return true;
    tg_put_char(tg_char_of_byte((uint8_t)missing), name);
    return tg_fail("%s: no token for the byte 0x%02x, \"%s\": a byte-level vocabulary has all 256", file, missing,
                   name);
}

/* ---- lines ---- */

typedef struct Lines {
    const char *name, *at, *end, *line;
    size_t length, number;
} Lines;

static bool next_line(Lines *l) {
    if (l->at >= l->end) return false;
    const char *stop = memchr(l->at, '\n', (size_t)(l->end - l->at));
    l->line = l->at;
    l->length = (size_t)((stop ? stop : l->end) - l->at);
    if (l->length && l->line[l->length - 1] == '\r') l->length--;
    l->at = stop ? stop + 1 : l->end;
    l->number++;
    return true;
}

static Lines lines_of(const tg_Input *in, const tg_Buffer *text) {
    return (Lines){.name = in->name, .at = text->data, .end = text->size ? text->data + text->size : text->data};
}

static bool is_version(const Lines *l) {
    return l->length >= 8 && memcmp(l->line, "#version", 8) == 0;
}

/* ---- merges ---- */

/* The bytes of both tokens, one after the other, in scratch; the first one's number. */
static bool read_pair(const char *pair, size_t length, tg_Buffer *scratch, size_t *first) {
    const char *blank = memchr(pair, ' ', length);
    scratch->size = 0;
    if (!blank || blank == pair || blank + 1 == pair + length) return false;
    if (!tg_bytes_of_name(pair, (size_t)(blank - pair), scratch)) return false;
    *first = scratch->size;
    return tg_bytes_of_name(blank + 1, (size_t)(pair + length - blank - 1), scratch);
}

/* The merge of those two tokens, both and their result in the vocabulary; where: "merges.txt, line 3". */
static bool add_merge(tg_Bpe *bpe, const char *where, const tg_Buffer *both, size_t first, uint32_t rank) {
    const uint32_t left = tg_bpe_id(bpe, both->data, first),
                   right = tg_bpe_id(bpe, both->data + first, both->size - first),
                   id = tg_bpe_id(bpe, both->data, both->size);
    if (left == TG_NO_ID || right == TG_NO_ID || id == TG_NO_ID)
        return tg_fail("%s: %s of the merge is not in the vocabulary", where,
                       left == TG_NO_ID    ? "the first token"
                       : right == TG_NO_ID ? "the second token"
                                           : "the result");
    return tg_bpe_add_merge(bpe, left, right, rank, id);
}

static bool refuse_pair(const char *where, const char *pair, size_t length) {
    if (t_error()) return false; /* out of memory */
    return tg_fail("%s: \"%.*s\" is not two tokens of a byte-level encoding with a blank between them", where,
                   length > 80 ? 80 : (int)length, pair);
}

/* Each line is a merge; with_ids: its result becomes a new token. */
static bool read_merges(tg_Bpe *bpe, Lines *l, bool with_ids, tg_Buffer *scratch) {
    for (uint32_t rank = 0; next_line(l);) {
        char where[300];
        size_t first = 0;
        if (is_version(l) || (l->length == 0 && l->at == l->end)) continue;
        snprintf(where, sizeof where, "%.250s, line %zu", l->name, l->number);
        if (!read_pair(l->line, l->length, scratch, &first)) return refuse_pair(where, l->line, l->length);
        if (with_ids && tg_bpe_id(bpe, scratch->data, scratch->size) != TG_NO_ID)
            return tg_fail("%s: the result of the merge is a token already", where);
        if (with_ids && !tg_bpe_add_token(bpe, (uint32_t)bpe->count, scratch->data, scratch->size)) return false;
        if (!add_merge(bpe, where, scratch, first, rank++)) return false;
    }
    return true;
}

/* The tokens of the 256 bytes, in the order of their characters. */
static bool add_bytes(tg_Bpe *bpe) {
    for (uint32_t c = 0, id = 0; id < 256; c++) {
        const int value = tg_byte_of_char(c);
        const char byte = (char)value;
        if (value >= 0 && !tg_bpe_add_token(bpe, id++, &byte, 1)) return false;
    }
    return true;
}

bool tg_read_merges(tg_Bpe *bpe, const tg_Input *merges) {
    tg_Buffer text = {0}, scratch = {0};
    bool ok = tg_read_all(merges, &text) && add_bytes(bpe);
    Lines l = lines_of(merges, &text);
    ok = ok && read_merges(bpe, &l, true, &scratch) && finish(bpe, merges->name);
    tg_buffer_free(&text);
    tg_buffer_free(&scratch);
    return ok;
}

/* ---- vocab.json ---- */

static bool read_vocab(tg_Bpe *bpe, tg_Json *json, tg_Buffer *scratch) {
    tg_json_open(json, '{');
    for (bool first = true; tg_json_more(json, '}', &first);) {
        const char *name = tg_json_name(json);
        const uint64_t id = tg_json_uint64(json);
        if (json->failed || !add_token(bpe, json->name, name, id, json->size, scratch)) return false;
    }
    return !json->failed;
}

bool tg_read_vocab_merges(tg_Bpe *bpe, const tg_Input *vocab, const tg_Input *merges) {
    tg_Buffer text = {0}, scratch = {0};
    bool ok = tg_read_all(vocab, &text);
    if (ok) {
        tg_Json json = tg_json_of(vocab->name, text.data, text.size, 0);
        json.whole = "file";
        ok = read_vocab(bpe, &json, &scratch) && tg_json_end(&json) && finish(bpe, vocab->name);
    }
    ok = ok && tg_read_all(merges, &text);
    if (ok) {
        Lines l = lines_of(merges, &text);
        ok = read_merges(bpe, &l, false, &scratch);
    }
    tg_buffer_free(&text);
    tg_buffer_free(&scratch);
    return ok;
}

/* ---- tiktoken ---- */

/* The six bits of a character of base64 (RFC 4648), or -1. */
static int base64_value(char c) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(letters, c) : NULL;
    return found ? (int)(found - letters) : -1;
}

static bool decode_base64(const char *text, size_t length, tg_Buffer *to) {
    to->size = 0;
    if (length == 0 || length % 4) return false;
    for (size_t at = 0; at < length; at += 4) {
        const int padding = at + 4 < length || text[at + 3] != '=' ? 0 : text[at + 2] == '=' ? 2 : 1;
        uint32_t bits = 0;
        for (int i = 0; i < 4; i++) {
            const int value = i < 4 - padding ? base64_value(text[at + (size_t)i]) : 0;
            if (value < 0) return false;
            bits = bits << 6 | (uint32_t)value;
        }
        const char bytes[] = {(char)(bits >> 16), (char)(bits >> 8), (char)bits};
        if (!tg_buffer_append(to, bytes, 3 - (size_t)padding)) return false;
    }
    return true;
}

/* "IQ== 0" */
static bool read_rank(const Lines *l, tg_Buffer *token, uint64_t *id) {
    const char *blank = memchr(l->line, ' ', l->length);
    *id = 0;
    if (!blank || !decode_base64(l->line, (size_t)(blank - l->line), token)) return false;
    const char *end = l->line + l->length, *digit = blank + 1;
    if (digit == end || end - digit > 9) return false;
    for (; digit < end; digit++) {
        if (*digit < '0' || *digit > '9') return false;
        *id = *id * 10 + (uint64_t)(*digit - '0');
    }
    return true;
}

bool tg_read_tiktoken(tg_Bpe *bpe, const tg_Input *in) {
    tg_Buffer text = {0}, token = {0};
    bool ok = tg_read_all(in, &text);
    Lines l = lines_of(in, &text);
    while (ok && next_line(&l)) {
        uint64_t id;
        if (l.length == 0) continue;
        if (!read_rank(&l, &token, &id))
            ok = t_error() ? false
                           : tg_fail("%s, line %zu: a token in base64, a blank and its id are expected", l.name,
                                     l.number) != NULL;
        else if (id > text.size || id >= TG_MAX_IDS || tg_bpe_has(bpe, (int64_t)id) ||
                 tg_bpe_id(bpe, token.data, token.size) != TG_NO_ID)
            ok = tg_fail("%s, line %zu: the token or its id %" PRIu64 " is there twice, or the id is too large", l.name,
                         l.number, id);
        else
            ok = tg_bpe_add_token(bpe, (uint32_t)id, token.data, token.size);
    }
    ok = ok && finish(bpe, in->name);
    tg_buffer_free(&text);
    tg_buffer_free(&token);
    return ok;
}

/* ---- tokenizer.json ---- */

typedef struct Added {
    const char *content; /* in the text */
    uint64_t id;
    bool is_special;
} Added;

typedef struct Parts {
    tg_Bpe *bpe;
    tg_Json *json;
    tg_Buffer added, scratch;
    bool has_model, has_byte_level;
} Parts;

static bool refuse(const Parts *p, const char *what) {
    return tg_fail("%s: %s; this reader takes byte-level BPE as of GPT-2", p->json->name, what);
}

/* {"id": 0, "content": "<s>", "single_word": false, "lstrip": false, ...} */
static bool read_added_token(Parts *p) {
    Added token = {NULL, UINT64_MAX, true};
    tg_json_open(p->json, '{');
    for (bool first = true; tg_json_more(p->json, '}', &first);) {
        const char *name = tg_json_name(p->json);
        if (!name) return false;
        if (strcmp(name, "id") == 0)
            token.id = tg_json_uint64(p->json);
        else if (strcmp(name, "content") == 0)
            token.content = tg_json_text(p->json);
        else if (strcmp(name, "single_word") == 0 || strcmp(name, "lstrip") == 0 || strcmp(name, "rstrip") == 0) {
            if (tg_json_bool(p->json)) return refuse(p, "an added token has single_word, lstrip or rstrip");
        } else if (strcmp(name, "special") == 0) {
            token.is_special = tg_json_bool(p->json);
        } else
            tg_json_skip(p->json);
    }
    if (p->json->failed) return false;
    if (!token.content || token.id == UINT64_MAX) return refuse(p, "an added token has no content or no id");
    return tg_buffer_append(&p->added, &token, sizeof token);
}

static bool read_added_tokens(Parts *p) {
    tg_json_open(p->json, '[');
    for (bool first = true; tg_json_more(p->json, ']', &first);)
        if (!read_added_token(p)) return false;
    return !p->json->failed;
}

/* ["a", "b"] or "a b" */
static bool read_json_merge(Parts *p, uint32_t rank) {
    char where[300];
    size_t first_bytes = 0;
    const char *text = p->json->text + p->json->at;
    p->scratch.size = 0;
    snprintf(where, sizeof where, "%.250s, merge %" PRIu32, p->json->name, rank);
    while (*text == ' ' || *text == '\t' || *text == '\n' || *text == '\r') text++;
    if (*text != '[') {
        const char *pair = tg_json_text(p->json);
        if (!pair) return false;
        if (!read_pair(pair, strlen(pair), &p->scratch, &first_bytes)) return refuse_pair(where, pair, strlen(pair));
        return add_merge(p->bpe, where, &p->scratch, first_bytes, rank);
    }
    int count = 0;
    tg_json_open(p->json, '[');
    for (bool first = true; tg_json_more(p->json, ']', &first); count++) {
        const char *token = tg_json_text(p->json);
        if (!token) return false;
        if (count == 1) first_bytes = p->scratch.size;
        if (!tg_bytes_of_name(token, strlen(token), &p->scratch)) return refuse_pair(where, token, strlen(token));
    }
    if (p->json->failed) return false;
    if (count != 2) return tg_fail("%s: %d tokens instead of two", where, count);
    return add_merge(p->bpe, where, &p->scratch, first_bytes, rank);
}

static bool read_json_merges(Parts *p) {
    uint32_t rank = 0;
    tg_json_open(p->json, '[');
    for (bool first = true; tg_json_more(p->json, ']', &first);)
        if (!read_json_merge(p, rank++)) return false;
    return !p->json->failed;
}

/* A value that must be null, false or an empty string for a plain byte-level BPE. */
static bool read_plain(Parts *p, const char *name) {
    char what[120];
    const char *at = p->json->text + p->json->at;
    while (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') at++;
    const bool plain = strncmp(at, "null", 4) == 0 || strncmp(at, "false", 5) == 0 || strncmp(at, "\"\"", 2) == 0;
    snprintf(what, sizeof what, "its model has a %.60s", name);
    tg_json_skip(p->json);
    return plain || p->json->failed || refuse(p, what);
}

static bool read_model(Parts *p) {
    tg_json_open(p->json, '{');
    for (bool first = true; tg_json_more(p->json, '}', &first);) {
        const char *name = tg_json_name(p->json);
        if (!name) return false;
        bool ok = true;
        if (strcmp(name, "type") == 0) {
            const char *type = tg_json_text(p->json);
            ok = !type || strcmp(type, "BPE") == 0 || refuse(p, "its model is not BPE");
        } else if (strcmp(name, "vocab") == 0) {
            ok = p->bpe->count ? refuse(p, "two vocabularies") : read_vocab(p->bpe, p->json, &p->scratch);
        } else if (strcmp(name, "merges") == 0) {
            ok = p->bpe->merges.used ? refuse(p, "two lists of merges") : read_json_merges(p);
        } else if (strcmp(name, "dropout") == 0 || strcmp(name, "unk_token") == 0 ||
                   strcmp(name, "continuing_subword_prefix") == 0 || strcmp(name, "end_of_word_suffix") == 0 ||
                   strcmp(name, "byte_fallback") == 0) {
            ok = read_plain(p, name);
        } else if (strcmp(name, "ignore_merges") == 0) {
            p->bpe->whole_words = tg_json_bool(p->json);
        } else
            tg_json_skip(p->json);
        if (!ok) return false;
    }
    p->has_model = true;
    return !p->json->failed;
}

/* {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true} */
static bool read_pre_tokenizer(Parts *p) {
    if (tg_json_is_null(p->json)) return true;
    tg_json_open(p->json, '{');
    for (bool first = true; tg_json_more(p->json, '}', &first);) {
        const char *name = tg_json_name(p->json);
        if (!name) return false;
        if (strcmp(name, "type") == 0) {
            const char *type = tg_json_text(p->json);
            if (type && strcmp(type, "ByteLevel") != 0) return refuse(p, "its pre_tokenizer is not ByteLevel");
            p->has_byte_level = true;
        } else if (strcmp(name, "add_prefix_space") == 0) {
            p->bpe->add_prefix_space = tg_json_bool(p->json);
        } else if (strcmp(name, "use_regex") == 0) {
            if (!tg_json_bool(p->json) && !p->json->failed) return refuse(p, "its pre_tokenizer has no pattern");
        } else
            tg_json_skip(p->json);
    }
    return !p->json->failed;
}

/* null, or an object of type ByteLevel */
static bool read_byte_level(Parts *p, const char *what) {
    if (tg_json_is_null(p->json)) return true;
    tg_json_open(p->json, '{');
    for (bool first = true; tg_json_more(p->json, '}', &first);) {
        const char *name = tg_json_name(p->json);
        if (!name) return false;
        if (strcmp(name, "type") == 0) {
            const char *type = tg_json_text(p->json);
            if (type && strcmp(type, "ByteLevel") != 0) return refuse(p, what);
        } else
            tg_json_skip(p->json);
    }
    return !p->json->failed;
}

static bool read_parts(Parts *p) {
    tg_json_open(p->json, '{');
    for (bool first = true; tg_json_more(p->json, '}', &first);) {
        const char *name = tg_json_name(p->json);
        bool ok = true;
        if (!name) return false;
        if (strcmp(name, "added_tokens") == 0)
            ok = read_added_tokens(p);
        else if (strcmp(name, "model") == 0)
            ok = p->has_model ? refuse(p, "two models") : read_model(p);
        else if (strcmp(name, "pre_tokenizer") == 0)
            ok = read_pre_tokenizer(p);
        else if (strcmp(name, "normalizer") == 0)
            ok = tg_json_is_null(p->json) || p->json->failed || refuse(p, "it has a normalizer");
        else if (strcmp(name, "post_processor") == 0)
            ok = read_byte_level(p, "its post_processor is not ByteLevel");
        else if (strcmp(name, "decoder") == 0)
            ok = read_byte_level(p, "its decoder is not ByteLevel");
        else
            tg_json_skip(p->json);
        if (!ok) return false;
    }
    if (!tg_json_end(p->json)) return false;
    if (!p->has_model) return refuse(p, "it has no model");
    return p->has_byte_level || refuse(p, "its pre_tokenizer is not ByteLevel");
}

static bool apply_added(Parts *p) {
    const Added *added = (const Added *)(const void *)p->added.data;
    for (size_t i = 0; i < p->added.size / sizeof *added; i++) {
        const size_t length = strlen(added[i].content);
        const uint32_t known = tg_bpe_id(p->bpe, added[i].content, length);
        if (known != TG_NO_ID && known != added[i].id)
            return tg_fail("%s: the added token \"%s\" has another id in the vocabulary", p->json->name,
                           added[i].content);
        if (known == TG_NO_ID) {
            if (length == 0 || added[i].id > p->json->size || tg_bpe_has(p->bpe, (int64_t)added[i].id))
                return tg_fail("%s: the added token \"%s\" is empty, or its id %" PRIu64 " is in use or too large",
                               p->json->name, added[i].content, added[i].id);
            if (!tg_bpe_add_token(p->bpe, (uint32_t)added[i].id, added[i].content, length)) return false;
            p->bpe->tokens[added[i].id].added = true;
        }
        if (!tg_bpe_add_special(p->bpe, (uint32_t)added[i].id)) return false;
        p->bpe->tokens[added[i].id].shown = !added[i].is_special;
    }
    return true;
}

bool tg_read_tokenizer_json(tg_Bpe *bpe, const tg_Input *in) {
    tg_Buffer text = {0};
    bool ok = tg_read_all(in, &text);
    if (ok) {
        tg_Json json = tg_json_of(in->name, text.data, text.size, 0);
        json.whole = "file";
        Parts parts = {.bpe = bpe, .json = &json};
        ok = read_parts(&parts) && apply_added(&parts) && finish(bpe, in->name);
        tg_buffer_free(&parts.added);
        tg_buffer_free(&parts.scratch);
    }
    tg_buffer_free(&text);
    return ok;
}

/* ---- writers ---- */

/* As serde_json writes it: a character below a blank by its short name, if it has one. */
static void write_json_text(tg_Output *out, const char *text, size_t length) {
    tg_output_write(out, "\"", 1);
    for (size_t i = 0; i < length; i++) {
        static const char controls[] = "\b\t\n\f\r", names[] = "btnfr";
        const char c = text[i], *control = c ? strchr(controls, c) : NULL;
        if (c == '"' || c == '\\')
            tg_output_print(out, "\\%c", c);
        else if (control)
            tg_output_print(out, "\\%c", names[control - controls]);
        else if ((unsigned char)c < ' ')
            tg_output_print(out, "\\u%04x", (unsigned)c);
        else
            tg_output_write(out, &c, 1);
    }
    tg_output_write(out, "\"", 1);
}

/* The name of a token as a JSON text. */
static bool write_name(const tg_Bpe *bpe, uint32_t id, tg_Output *out, tg_Buffer *name) {
    name->size = 0;
    if (!tg_name_of_token(bpe, id, name)) return false;
    write_json_text(out, name->data, name->size);
    return true;
}

bool tg_write_vocab(const tg_Bpe *bpe, tg_Output *out) {
    tg_Buffer name = {0};
    bool ok = true, first = true;
    tg_output_text(out, "{");
    for (uint32_t id = 0; ok && id < bpe->count; id++) {
        if (!bpe->tokens[id].exists || bpe->tokens[id].added) continue;
        if (!first) tg_output_text(out, ",");
        first = false;
        ok = write_name(bpe, id, out, &name);
        tg_output_print(out, ":%" PRIu32, id);
    }
    tg_output_text(out, "}");
    tg_buffer_free(&name);
    return ok;
}

/* The merges by their rank, *count of them with gaps, where left is TG_NO_ID; NULL if there is none, or on an error. */
static tg_Merge *merges_by_rank(const tg_Bpe *bpe, uint32_t *count) {
    *count = 0;
    for (size_t i = 0; i < bpe->merges.size; i++) {
        const tg_Merge *merge = tg_bpe_merge_at(bpe, i);
        if (merge && merge->rank >= *count) *count = merge->rank + 1;
    }
    const size_t bytes = (size_t)*count * sizeof(tg_Merge);
    tg_Merge *by_rank = *count ? tg_alloc_raw(bytes) : NULL;
    if (!by_rank) return NULL;
    memset(by_rank, 0xff, bytes);
    for (size_t i = 0; i < bpe->merges.size; i++) {
        const tg_Merge *merge = tg_bpe_merge_at(bpe, i);
        if (merge) by_rank[merge->rank] = *merge;
    }
    return by_rank;
}

bool tg_write_merges(const tg_Bpe *bpe, tg_Output *out) {
    uint32_t count;
    tg_Merge *by_rank = merges_by_rank(bpe, &count);
    if (count && !by_rank) return false;
    tg_Buffer line = {0};
    bool ok = tg_output_text(out, "#version: 0.2\n");
    for (uint32_t rank = 0; ok && rank < count; rank++) {
        if (by_rank[rank].left == TG_NO_ID) continue;
        line.size = 0;
        ok = tg_name_of_token(bpe, by_rank[rank].left, &line) && tg_buffer_append(&line, " ", 1) &&
             tg_name_of_token(bpe, by_rank[rank].right, &line) && tg_buffer_append(&line, "\n", 1);
        if (ok) tg_output_write(out, line.data, line.size);
    }
    tg_buffer_free(&line);
    tg_free(by_rank, (size_t)count * sizeof *by_rank);
    return ok;
}

/* ---- tokenizer.json ---- */

/* JSON with a value a line and two blanks for each level, or without blanks. */
typedef struct Writer {
    tg_Output *out;
    bool is_pretty, is_empty; /* is_empty: nothing is in the innermost list or object yet */
    int level;
} Writer;

static void new_line(Writer *w) {
    if (w->is_pretty) tg_output_print(w->out, "\n%*s", 2 * w->level, "");
}

static void next_item(Writer *w) {
    if (!w->is_empty) tg_output_text(w->out, ",");
    w->is_empty = false;
    if (w->level) new_line(w);
}

/* An item called key; NULL: of a list. */
static void put_key(Writer *w, const char *key) {
    next_item(w);
    if (key) tg_output_print(w->out, "\"%s\":%s", key, w->is_pretty ? " " : "");
}

static void open_item(Writer *w, const char *key, const char *bracket) {
    put_key(w, key);
    tg_output_text(w->out, bracket);
    w->level++;
    w->is_empty = true;
}

static void close_item(Writer *w, const char *bracket) {
    w->level--;
    if (!w->is_empty) new_line(w);
    tg_output_text(w->out, bracket);
    w->is_empty = false;
}

static void put_plain(Writer *w, const char *key, const char *value) {
    put_key(w, key);
    tg_output_text(w->out, value);
}

static void put_bool(Writer *w, const char *key, bool value) {
    put_plain(w, key, value ? "true" : "false");
}

static void put_byte_level(Writer *w, const char *key, bool add_prefix_space, bool trim_offsets) {
    open_item(w, key, "{");
    put_plain(w, "type", "\"ByteLevel\"");
    put_bool(w, "add_prefix_space", add_prefix_space);
    put_bool(w, "trim_offsets", trim_offsets);
    put_bool(w, "use_regex", true);
    close_item(w, "}");
}

static void put_added_tokens(Writer *w, const tg_Bpe *bpe) {
    open_item(w, "added_tokens", "[");
    for (uint32_t id = 0; id < bpe->count; id++) {
        const tg_Token *token = &bpe->tokens[id];
        if (!token->exists || !token->special) continue;
        open_item(w, NULL, "{");
        put_key(w, "id");
        tg_output_print(w->out, "%" PRIu32, id);
        put_key(w, "content");
        write_json_text(w->out, bpe->bytes.data + token->at, token->length);
        put_bool(w, "single_word", false);
        put_bool(w, "lstrip", false);
        put_bool(w, "rstrip", false);
        put_bool(w, "normalized", token->shown);
        put_bool(w, "special", !token->shown);
        close_item(w, "}");
    }
    close_item(w, "]");
}

static bool put_model(Writer *w, const tg_Bpe *bpe) {
    static const char *const nulls[] = {"dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix"};
    tg_Buffer name = {0};
    uint32_t count;
    tg_Merge *by_rank = merges_by_rank(bpe, &count);
    bool ok = by_rank || !count;
    open_item(w, "model", "{");
    put_plain(w, "type", "\"BPE\"");
    for (int i = 0; i < 4; i++) put_plain(w, nulls[i], "null");
    put_bool(w, "fuse_unk", false);
    put_bool(w, "byte_fallback", false);
    put_bool(w, "ignore_merges", bpe->whole_words);
    open_item(w, "vocab", "{");
    for (uint32_t id = 0; ok && id < bpe->count; id++) {
        if (!bpe->tokens[id].exists || bpe->tokens[id].added) continue;
        next_item(w);
        ok = write_name(bpe, id, w->out, &name);
        tg_output_print(w->out, ":%s%" PRIu32, w->is_pretty ? " " : "", id);
    }
    close_item(w, "}");
    open_item(w, "merges", "[");
    for (uint32_t rank = 0; ok && rank < count; rank++) {
        if (by_rank[rank].left == TG_NO_ID) continue;
        open_item(w, NULL, "[");
        for (int i = 0; ok && i < 2; i++) {
            next_item(w);
            ok = write_name(bpe, i ? by_rank[rank].right : by_rank[rank].left, w->out, &name);
        }
        close_item(w, "]");
    }
    close_item(w, "]");
    close_item(w, "}");
    tg_buffer_free(&name);
    tg_free(by_rank, (size_t)count * sizeof *by_rank);
    return ok;
}

bool tg_write_tokenizer_json(const tg_Bpe *bpe, tg_Output *out, bool pretty) {
    Writer w = {.out = out, .is_pretty = pretty, .is_empty = true};
    open_item(&w, NULL, "{");
    put_plain(&w, "version", "\"1.0\"");
    put_plain(&w, "truncation", "null");
    put_plain(&w, "padding", "null");
    put_added_tokens(&w, bpe);
    put_plain(&w, "normalizer", "null");
    put_byte_level(&w, "pre_tokenizer", bpe->add_prefix_space, true);
    put_byte_level(&w, "post_processor", true, false);
    put_byte_level(&w, "decoder", true, true);
    const bool ok = put_model(&w, bpe);
    close_item(&w, "}");
    return ok;
}
