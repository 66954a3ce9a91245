/* core/text/tiktoken.c: tiktoken's encodings. */
#include "core/text/tiktoken.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/text/bpe_files.h"
#include "core/text/codec.h"
#include "core/text/string_list_internal.h"

/* ---- the encodings (tiktoken_ext/openai_public.py) ---- */

#define ADDRESS "https://openaipublic.blob.core.windows.net/"

typedef struct Special {
    const char *text;
    uint32_t id; /* 0: the one after the last token */
} Special;

typedef struct Known {
    const char *name, *file, *address;
    const char *cached; /* SHA-1 of the address: the file's name in tiktoken's folder */
    bool is_merges;     /* a list of merges; else tokens in base64 */
    tg_Pattern pattern;
    Special specials[5];
} Known;

static const Known encodings[] = {
    {"gpt2",
     "vocab.bpe",
     ADDRESS "gpt-2/encodings/main/vocab.bpe",
     "6d1cbeee0f20b3d9449abfede4726ed8212e3aee",
     true,
     TG_PATTERN_GPT2,
     {{"<|endoftext|>", 0}}},
    {"r50k_base",
     "r50k_base.tiktoken",
     ADDRESS "encodings/r50k_base.tiktoken",
     "0ea1e91bbb3a60f729a8dc8f777fd2fc07cd8df4",
     false,
     TG_PATTERN_GPT2,
     {{"<|endoftext|>", 0}}},
    {"p50k_base",
     "p50k_base.tiktoken",
     ADDRESS "encodings/p50k_base.tiktoken",
     "ec7223a39ce59f226a68acc30dc1af2788490e15",
     false,
     TG_PATTERN_GPT2,
     {{"<|endoftext|>", 50256}}},
    {"p50k_edit",
     "p50k_base.tiktoken",
     ADDRESS "encodings/p50k_base.tiktoken",
     "ec7223a39ce59f226a68acc30dc1af2788490e15",
     false,
     TG_PATTERN_GPT2,
     {{"<|endoftext|>", 50256}, {"<|fim_prefix|>", 50281}, {"<|fim_middle|>", 50282}, {"<|fim_suffix|>", 50283}}},
    {"cl100k_base",
     "cl100k_base.tiktoken",
     ADDRESS "encodings/cl100k_base.tiktoken",
     "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
     false,
     TG_PATTERN_CL100K,
     {{"<|endoftext|>", 100257},
      {"<|fim_prefix|>", 100258},
      {"<|fim_middle|>", 100259},
      {"<|fim_suffix|>", 100260},
      {"<|endofprompt|>", 100276}}},
    {"o200k_base",
     "o200k_base.tiktoken",
     ADDRESS "encodings/o200k_base.tiktoken",
     "fb374d419588a4632f3f557e76b4b70aebbca790",
     false,
     TG_PATTERN_O200K,
     {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}}},
};
enum { ENCODINGS = sizeof encodings / sizeof *encodings };

/* Models by the beginning of their name, the longer ones first. */
static const struct {
    const char *prefix, *encoding;
} models[] = {{"gpt-4.1", "o200k_base"},
              {"gpt-4.5-", "o200k_base"},
              {"gpt-4o", "o200k_base"},
              {"chatgpt-4o-", "o200k_base"},
              {"gpt-5", "o200k_base"},
              {"o1", "o200k_base"},
              {"o3", "o200k_base"},
              {"o4-mini", "o200k_base"},
              {"gpt-4", "cl100k_base"},
              {"gpt-3.5", "cl100k_base"},
              {"gpt-35-turbo", "cl100k_base"},
              {"gpt2", "gpt2"},
              {"gpt-2", "gpt2"},
              {"davinci-002", "cl100k_base"},
              {"babbage-002", "cl100k_base"},
              {"text-embedding-ada-002", "cl100k_base"},
              {"text-embedding-3-", "cl100k_base"},
              {"text-davinci-edit-001", "p50k_edit"},
              {"code-davinci-edit-001", "p50k_edit"},
              {"text-davinci-003", "p50k_base"},
              {"text-davinci-002", "p50k_base"},
              {"code-davinci-", "p50k_base"},
              {"code-cushman-", "p50k_base"},
              {"text-davinci-001", "r50k_base"},
              {"text-curie-001", "r50k_base"},
              {"text-babbage-001", "r50k_base"},
              {"text-ada-001", "r50k_base"},
              {"davinci", "r50k_base"},
              {"curie", "r50k_base"},
              {"babbage", "r50k_base"},
              {"ada", "r50k_base"}};

/* ---- making one ---- */

static void encoding_destroy(void *object) {
    tiktoken_Encoding *self = object;
    tg_object_dispose(&self->object);
    tg_bpe_delete(self->bpe);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class encoding_class = {"Encoding", encoding_destroy};

static bool check_encoding(const tiktoken_Encoding *enc) {
    if (!enc) return tg_check_given(false, 1, "an encoding");
    return enc->object.is_a == &encoding_class || tg_fail("argument 1 is not a live encoding");
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Finds the file; path has room for `size` bytes. */
static bool find_file(const Known *known, char *path, size_t size) {
    const char *folder = setting("TIKTOKEN_CACHE_DIR"), *temporary = setting("TMPDIR");
    char standard[4000];
    if (!folder) folder = setting("DATA_GYM_CACHE_DIR");
    if (!folder) {
        snprintf(standard, sizeof standard, "%.3900s/data-gym-cache", temporary ? temporary : "/tmp");
        folder = standard;
    }
    /* Hugging Face has vocab.bpe under the name merges.txt */
    const char *names[] = {known->cached, known->file, known->is_merges ? "merges.txt" : known->file};
    for (int i = 0; i < 3; i++) {
        snprintf(path, size, "%.4000s/%s", folder, names[i]);
        if (access(path, F_OK) == 0) return true;
    }
    return tg_fail(
        "the encoding \"%s\" needs the file %s, which is not in %s: download it from %s, or let Python do so: "
        "tiktoken.get_encoding(\"%s\"); TIKTOKEN_CACHE_DIR names another folder",
        known->name, known->file, folder, known->address, known->name);
}

static bool add_specials(tg_Bpe *bpe, const Known *known, const char *file) {
    for (int i = 0; i < 5 && known->specials[i].text; i++) {
        const Special *special = &known->specials[i];
        const uint32_t id = special->id ? special->id : (uint32_t)bpe->count;
        if (tg_bpe_has(bpe, id)) return tg_fail("%s: the id %" PRIu32 " is that of %s", file, id, special->text);
        if (!tg_bpe_add_token(bpe, id, special->text, strlen(special->text)) || !tg_bpe_add_special(bpe, id))
            return false;
    }
    return true;
}

static bool read_encoding(tiktoken_Encoding *self, const Known *known) {
    char path[4200];
    tg_Input in;
    if (!find_file(known, path, sizeof path) || !tg_input_open(&in, path)) return false;
    tg_Bpe *bpe = self->bpe = tg_bpe_new();
    bool ok = bpe && (known->is_merges ? tg_read_merges(bpe, &in) : tg_read_tiktoken(bpe, &in)) &&
              tg_bpe_merges_of_tokens(bpe) && add_specials(bpe, known, path);
    tg_input_close(&in);
    if (!ok) return false;
    bpe->pattern = known->pattern;
    bpe->whole_words = true;
    self->name = known->name;
    self->n_vocab = (int64_t)bpe->count;
    self->max_token_value = self->n_vocab - 1;
    self->eot_token = tg_bpe_id(bpe, known->specials[0].text, strlen(known->specials[0].text));
    return true;
}

tiktoken_Encoding *tiktoken_get_encoding(const char *encoding_name) {
    int i = 0;
    if (!tg_check_given(encoding_name != NULL, 1, "the name of an encoding")) return NULL;
    while (i < ENCODINGS && strcmp(encodings[i].name, encoding_name) != 0) i++;
    if (i == ENCODINGS)
        return tg_fail(
            "Unknown encoding %s; there are gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base and o200k_base",
            encoding_name);
    const int depth = t_scope_open();
    tiktoken_Encoding *self = depth ? tg_alloc(sizeof *self) : NULL;
    if (self) tg_object_init(&self->object, &encoding_class);
    const bool ok = self && read_encoding(self, &encodings[i]);
    return tg_scope_return(depth, ok ? self : NULL);
}

tiktoken_Encoding *tiktoken_encoding_for_model(const char *model_name) {
    if (!tg_check_given(model_name != NULL, 1, "the name of a model")) return NULL;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (strncmp(model_name, models[i].prefix, strlen(models[i].prefix)) == 0)
            return tiktoken_get_encoding(models[i].encoding);
    return tg_fail(
        "Could not automatically map %s to a tokeniser. Please use `tiktoken_get_encoding` to explicitly get "
        "the tokeniser you expect.",
        model_name);
}

/* ---- encoding ---- */

/* flags[i] = whether the i-th special token is in the set */
static void read_set(const tg_Bpe *bpe, const char *set, bool *flags) {
    const bool all = strcmp(set, "all") == 0;
    for (size_t i = 0; i < bpe->specials_count; i++) {
        const tg_Token *token = &bpe->tokens[bpe->specials[i]];
        flags[i] = all;
        for (const char *at = set; !flags[i] && *at;) {
            const size_t length = strcspn(at, " \t\n");
            flags[i] = length == token->length && memcmp(at, bpe->bytes.data + token->at, length) == 0;
            at += length + (at[length] != '\0');
        }
    }
}

static bool refuse_special(const tg_Bpe *bpe, uint32_t id) {
    const tg_Token *token = &bpe->tokens[id];
    const int length = (int)token->length;
    const char *text = bpe->bytes.data + token->at;
    return tg_fail("Encountered text corresponding to disallowed special token '%.*s'.\n"
                   "If you want this text to be encoded as a special token, pass it to `allowed_special`, e.g. "
                   "`.allowed_special = \"%.*s\"`.\n"
                   "If you want this text to be encoded as normal text, disable the check by passing "
                   "`.disallowed_special = \"\"`.",
                   length, text, length, text);
}

enum { MOST_SPECIALS = 5 };

Tensor *tiktoken_encode(const tiktoken_Encoding *enc, const char *text, const tiktoken_EncodeOptions *options) {
    tiktoken_EncodeOptions o = {sizeof o, NULL, NULL};
    bool allowed[MOST_SPECIALS] = {false}, disallowed[MOST_SPECIALS] = {false};
    uint32_t id = 0;
    if (!check_encoding(enc) || !tg_check_given(text != NULL, 2, "a text") || !tg_take_options(&o, options, sizeof o))
        return NULL;
    const size_t size = strlen(text);
    const uint8_t *begin = (const uint8_t *)text;
    if (o.allowed_special) read_set(enc->bpe, o.allowed_special, allowed);
    if (o.disallowed_special && strcmp(o.disallowed_special, "all") != 0) {
        read_set(enc->bpe, o.disallowed_special, disallowed);
    } else {
        for (size_t i = 0; i < enc->bpe->specials_count; i++) disallowed[i] = !allowed[i];
    }
    if (tg_bpe_find_special(enc->bpe, begin, begin + size, disallowed, &id)) {
        refuse_special(enc->bpe, id);
        return NULL;
    }
    return tg_encode_to_tensor(enc->bpe, text, size, false, allowed);
}

Tensor *tiktoken_encode_bytes(const tiktoken_Encoding *enc, const void *bytes, size_t size) {
    if (!check_encoding(enc) || !tg_check_given(bytes || size == 0, 2, "bytes")) return NULL;
    return tg_encode_to_tensor(enc->bpe, bytes ? bytes : "", size, true, NULL);
}

Tensor *tiktoken_encode_ordinary(const tiktoken_Encoding *enc, const char *text) {
    if (!check_encoding(enc) || !tg_check_given(text != NULL, 2, "a text")) return NULL;
    return tiktoken_encode_bytes(enc, text, strlen(text));
}

int64_t tiktoken_encode_single_token(const tiktoken_Encoding *enc, const char *text) {
    if (!check_encoding(enc) || !tg_check_given(text != NULL, 2, "a text")) return -1;
    const uint32_t id = tg_bpe_id(enc->bpe, text, strlen(text));
    if (id != TG_NO_ID) return id;
    tg_fail("'%s' is not one token", text);
    return -1;
}

/* ---- decoding ---- */

static const char invalid_token[] = "Invalid token for decoding";

const char *tiktoken_decode(const tiktoken_Encoding *enc, const Tensor *ids) {
    tg_Buffer bytes = {0};
    const bool ok = check_encoding(enc) && tg_decode_ids(enc->bpe, ids, false, invalid_token, &bytes);
    const char *text = ok ? tg_decoded_text(&bytes) : NULL;
    tg_buffer_free(&bytes);
    return text;
}

const void *tiktoken_decode_bytes(const tiktoken_Encoding *enc, const Tensor *ids, size_t *size) {
    tg_Buffer bytes = {0};
    const bool ok = check_encoding(enc) && tg_check_given(size != NULL, 3, "the address of a size") &&
                    tg_decode_ids(enc->bpe, ids, false, invalid_token, &bytes);
    const char *copy = ok ? tg_string_of(bytes.data, bytes.size) : NULL;
    if (copy) *size = bytes.size;
    tg_buffer_free(&bytes);
    return copy;
}

const void *tiktoken_decode_single_token_bytes(const tiktoken_Encoding *enc, int64_t id, size_t *size) {
    if (!check_encoding(enc)) return NULL;
    if (!tg_bpe_has(enc->bpe, id)) return tg_fail("%s: %" PRId64, invalid_token, id);
    const tg_Token *token = &enc->bpe->tokens[id];
    const char *copy = tg_string_of(enc->bpe->bytes.data + token->at, token->length);
    if (copy && size) *size = token->length;
    return copy;
}
