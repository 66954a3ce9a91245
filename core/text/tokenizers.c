/* core/text/tokenizers.c: tokenizers of byte-level BPE, from files or trained. */
#include "core/text/tokenizers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/text/bpe_files.h"
#include "core/text/bpe_train.h"
#include "core/text/codec.h"
#include "core/text/string_list_internal.h"

static const char end_of_text[] = "<|endoftext|>";

/* ---- objects ---- */

static void tokenizer_destroy(void *object) {
    tokenizers_Tokenizer *self = object;
    tg_object_dispose(&self->object);
    tg_bpe_delete(self->bpe);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class tokenizer_class = {"Tokenizer", tokenizer_destroy};

static bool check_tokenizer(const tokenizers_Tokenizer *self) {
    if (!self) return tg_check_given(false, 1, "a tokenizer");
    return self->object.is_a == &tokenizer_class || tg_fail("argument 1 is not a live tokenizer");
}

/* An empty one; NULL on out of memory. */
static tokenizers_Tokenizer *new_tokenizer(void) {
    tokenizers_Tokenizer *self = tg_alloc(sizeof *self);
    if (!self) return NULL;
    tg_object_init(&self->object, &tokenizer_class);
    self->eos_token_id = -1;
    self->bpe = tg_bpe_new();
    return self->bpe ? self : NULL;
}

static void find_eos(tokenizers_Tokenizer *self) {
    const uint32_t id = tg_bpe_id(self->bpe, end_of_text, strlen(end_of_text));
    self->eos_token_id = id != TG_NO_ID && self->bpe->tokens[id].special ? (int64_t)id : -1;
}

/* ---- from files ---- */

static bool read_files(tg_Bpe *bpe, const char *vocab, const char *merges) {
    tg_Input vocab_in, merges_in;
    if (!tg_input_open(&vocab_in, vocab)) return false;
    bool ok = tg_input_open(&merges_in, merges);
    if (ok) {
        ok = tg_read_vocab_merges(bpe, &vocab_in, &merges_in);
        tg_input_close(&merges_in);
    }
    tg_input_close(&vocab_in);
    return ok;
}

tokenizers_Tokenizer *tokenizers_ByteLevelBPETokenizer_new(const tokenizers_ByteLevelBPETokenizerOptions *options) {
    tokenizers_ByteLevelBPETokenizerOptions o = {sizeof o, NULL, NULL, false};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!o.vocab != !o.merges) return tg_fail("vocab and merges must both be given, or neither");
    const int depth = t_scope_open();
    tokenizers_Tokenizer *self = depth ? new_tokenizer() : NULL;
    bool ok = self && (!o.vocab || read_files(self->bpe, o.vocab, o.merges));
    if (ok) self->bpe->add_prefix_space = o.add_prefix_space;
    return tg_scope_return(depth, ok ? self : NULL);
}

static bool read_tokenizer_json(tokenizers_Tokenizer *self, const char *path) {
    tg_Input in;
    if (!tg_input_open(&in, path)) return false;
    const bool ok = tg_read_tokenizer_json(self->bpe, &in);
    tg_input_close(&in);
    if (ok) find_eos(self);
    return ok;
}

tokenizers_Tokenizer *tokenizers_Tokenizer_from_file(const char *path) {
    if (!tg_check_given(path != NULL, 1, "a path")) return NULL;
    const int depth = t_scope_open();
    tokenizers_Tokenizer *self = depth ? new_tokenizer() : NULL;
    const bool ok = self && read_tokenizer_json(self, path);
    return tg_scope_return(depth, ok ? self : NULL);
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

static bool add_special(tokenizers_Tokenizer *self, const char *token, int64_t *added) {
    uint32_t id = tg_bpe_id(self->bpe, token, strlen(token));
    if (id == TG_NO_ID) {
        id = (uint32_t)self->bpe->count;
        if (!tg_bpe_add_token(self->bpe, id, token, strlen(token))) return false;
        self->bpe->tokens[id].added = true;
        ++*added;
    }
    return tg_bpe_add_special(self->bpe, id);
}

static bool read_pretrained(tokenizers_Tokenizer *self, const char *folder) {
    char vocab[4100], merges[4100], whole[4100];
    int64_t added = 0;
    snprintf(vocab, sizeof vocab, "%.4000s/vocab.json", folder);
    snprintf(merges, sizeof merges, "%.4000s/merges.txt", folder);
    snprintf(whole, sizeof whole, "%.4000s/tokenizer.json", folder);
    if (exists(whole) && !(exists(vocab) && exists(merges))) return read_tokenizer_json(self, whole);
    if (!exists(vocab) || !exists(merges))
        return tg_fail("%s is missing: nothing is downloaded; GPT-2's files vocab.json and merges.txt are at "
                       "https://huggingface.co/openai-community/gpt2/tree/main",
                       exists(vocab) ? merges : vocab);
    if (!read_files(self->bpe, vocab, merges) || !add_special(self, end_of_text, &added)) return false;
    find_eos(self);
    return true;
}

tokenizers_Tokenizer *GPT2Tokenizer_from_pretrained(const char *folder) {
    if (!tg_check_given(folder != NULL, 1, "a folder")) return NULL;
    const int depth = t_scope_open();
    tokenizers_Tokenizer *self = depth ? new_tokenizer() : NULL;
    const bool ok = self && read_pretrained(self, folder);
    return tg_scope_return(depth, ok ? self : NULL);
}

/* ---- encoding and decoding ---- */

static bool check_ready(const tokenizers_Tokenizer *self) {
    if (!check_tokenizer(self)) return false;
    return self->bpe->byte_ids[0] != TG_NO_ID || tg_fail("the tokenizer has no vocabulary: tokenizers_train makes one");
}

Tensor *tokenizers_encode_bytes(const tokenizers_Tokenizer *tokenizer, const void *bytes, size_t size) {
    if (!check_ready(tokenizer) || !tg_check_given(bytes || size == 0, 2, "bytes")) return NULL;
    return tg_encode_to_tensor(tokenizer->bpe, bytes ? bytes : "", size, false, NULL);
}

Tensor *tokenizers_encode(const tokenizers_Tokenizer *tokenizer, const char *text) {
    if (!check_ready(tokenizer) || !tg_check_given(text != NULL, 2, "a text")) return NULL;
    return tokenizers_encode_bytes(tokenizer, text, strlen(text));
}

t_StringList *tokenizers_tokenize(const tokenizers_Tokenizer *tokenizer, const char *text) {
    if (!check_ready(tokenizer) || !tg_check_given(text != NULL, 2, "a text")) return NULL;
    tg_Buffer ids = {0}, name = {0};
    const uint8_t *begin = (const uint8_t *)text;
    const int depth = t_scope_open();
    t_StringList *tokens = depth ? t_strings_new(NULL, 0) : NULL;
    bool ok = tokens && tg_bpe_encode(tokenizer->bpe, begin, begin + strlen(text), NULL, &ids);
    for (size_t i = 0; ok && i < ids.size / sizeof(int64_t); i++) {
        name.size = 0;
        ok = tg_name_of_token(tokenizer->bpe, (uint32_t)((const int64_t *)(const void *)ids.data)[i], &name) &&
             tg_strings_append(tokens, name.data, name.size);
    }
    tg_buffer_free(&ids);
    tg_buffer_free(&name);
    return tg_scope_return(depth, ok ? tokens : NULL);
}

const char *tokenizers_decode(const tokenizers_Tokenizer *tokenizer, const Tensor *ids, bool skip_special_tokens) {
    tg_Buffer bytes = {0};
    const bool ok = check_tokenizer(tokenizer) && tg_decode_ids(tokenizer->bpe, ids, skip_special_tokens, NULL, &bytes);
    const char *text = ok ? tg_decoded_text(&bytes) : NULL;
    tg_buffer_free(&bytes);
    return text;
}

const void *tokenizers_decode_bytes(const tokenizers_Tokenizer *tokenizer, const Tensor *ids, size_t *size) {
    tg_Buffer bytes = {0};
    const bool ok = check_tokenizer(tokenizer) && tg_check_given(size != NULL, 3, "the address of a size") &&
                    tg_decode_ids(tokenizer->bpe, ids, false, NULL, &bytes);
    const char *copy = ok ? tg_string_of(bytes.data, bytes.size) : NULL;
    if (copy) *size = bytes.size;
    tg_buffer_free(&bytes);
    return copy;
}

/* ---- the vocabulary ---- */

int64_t tokenizers_get_vocab_size(const tokenizers_Tokenizer *tokenizer) {
    return check_tokenizer(tokenizer) ? (int64_t)tokenizer->bpe->lookup_used : -1;
}

int64_t tokenizers_token_to_id(const tokenizers_Tokenizer *tokenizer, const char *token) {
    if (!check_tokenizer(tokenizer) || !tg_check_given(token != NULL, 2, "a token")) return -1;
    tg_Buffer bytes = {0};
    uint32_t id = TG_NO_ID;
    if (tg_bytes_of_name(token, strlen(token), &bytes))
        id = tg_bpe_id(tokenizer->bpe, bytes.data, bytes.size);
    else
        id = tg_bpe_id(tokenizer->bpe, token, strlen(token));
    tg_buffer_free(&bytes);
    return id == TG_NO_ID ? -1 : (int64_t)id;
}

const char *tokenizers_id_to_token(const tokenizers_Tokenizer *tokenizer, int64_t id) {
    if (!check_tokenizer(tokenizer) || !tg_bpe_has(tokenizer->bpe, id)) return NULL;
    tg_Buffer name = {0};
    const char *copy =
        tg_name_of_token(tokenizer->bpe, (uint32_t)id, &name) ? tg_string_of(name.data, name.size) : NULL;
    tg_buffer_free(&name);
    return copy;
}

/* Special tokens must have characters. */
static bool check_specials(const t_StringList *tokens, int position) {
    if (!tg_check_strings(tokens, position)) return false;
    for (int64_t i = 0; i < tokens->len; i++)
        if (!*tokens->items[i]) return tg_fail("special token %" PRId64 " is empty", i);
    return true;
}

int64_t tokenizers_add_special_tokens(tokenizers_Tokenizer *tokenizer, const t_StringList *tokens) {
    int64_t added = 0;
    if (!check_tokenizer(tokenizer) || !check_specials(tokens, 2)) return -1;
    for (int64_t i = 0; i < tokens->len; i++)
        if (!add_special(tokenizer, tokens->items[i], &added)) return -1;
    find_eos(tokenizer);
    return added;
}

/* ---- training ---- */

static const tokenizers_TrainOptions train_defaults = {sizeof train_defaults, 30000, 2, NULL};

static bool count_line(tg_WordCounts *words, const tg_Bpe *bpe, const char *line, size_t length, tg_Buffer *scratch) {
    if (!bpe->add_prefix_space || line[0] == ' ' || length == 0) return tg_count_words(words, bpe, line, length);
    scratch->size = 0;
    return tg_buffer_append(scratch, " ", 1) && tg_buffer_append(scratch, line, length) &&
           tg_count_words(words, bpe, scratch->data, scratch->size);
}

static bool count_file(tg_WordCounts *words, const tg_Bpe *bpe, const char *path, tg_Buffer *text, tg_Buffer *scratch) {
    tg_Input in;
    if (!tg_input_open(&in, path)) return false;
    bool ok = tg_read_all(&in, text);
    tg_input_close(&in);
    for (const char *at = text->data, *end = ok && text->size ? at + text->size : at; ok && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *next = stop ? stop + 1 : end;
        ok = count_line(words, bpe, at, (size_t)(next - at), scratch);
        at = next;
    }
    return ok;
}

/* The tokenizer's vocabulary is replaced only if all went well. */
static bool train(tokenizers_Tokenizer *self, const tg_WordCounts *words, const tokenizers_TrainOptions *o) {
    tg_Bpe *bpe = tg_bpe_new();
    int64_t added = 0;
    tokenizers_Tokenizer trained = {.bpe = bpe};
    bool ok = bpe != NULL;
    for (int64_t i = 0; ok && o->special_tokens && i < o->special_tokens->len; i++)
        ok = add_special(&trained, o->special_tokens->items[i], &added);
    for (size_t id = 0; ok && id < bpe->count; id++) bpe->tokens[id].added = false; /* they are of the model */
    ok = ok && tg_bpe_train(bpe, words, (size_t)o->vocab_size, o->min_frequency);
    if (!ok) {
        tg_bpe_delete(bpe);
        return false;
    }
    bpe->pattern = self->bpe->pattern;
    bpe->add_prefix_space = self->bpe->add_prefix_space;
    tg_bpe_delete(self->bpe);
    self->bpe = bpe;
    find_eos(self);
    return true;
}

static bool train_on(tokenizers_Tokenizer *self, const t_StringList *list, bool are_files,
                     const tokenizers_TrainOptions *options) {
    tokenizers_TrainOptions o = train_defaults;
    if (!check_tokenizer(self) || !tg_check_strings(list, 2) || !tg_take_options(&o, options, sizeof o)) return false;
    if (o.special_tokens && !check_specials(o.special_tokens, 3)) return false;
    if (o.vocab_size < 0 || o.min_frequency < 0)
        return tg_fail("vocab_size and min_frequency must be 0 or more, not %" PRId64 " and %" PRId64, o.vocab_size,
                       o.min_frequency);
    tg_WordCounts words = {0};
    tg_Buffer text = {0}, scratch = {0};
    bool ok = true;
    for (int64_t i = 0; ok && i < list->len; i++)
        ok = are_files ? count_file(&words, self->bpe, list->items[i], &text, &scratch)
                       : count_line(&words, self->bpe, list->items[i], strlen(list->items[i]), &scratch);
    ok = ok && train(self, &words, &o);
    tg_word_counts_free(&words);
    tg_buffer_free(&text);
    tg_buffer_free(&scratch);
    return ok;
}

bool tokenizers_train(tokenizers_Tokenizer *tokenizer, const t_StringList *files,
                      const tokenizers_TrainOptions *options) {
    return train_on(tokenizer, files, true, options);
}

bool tokenizers_train_from_iterator(tokenizers_Tokenizer *tokenizer, const t_StringList *texts,
                                    const tokenizers_TrainOptions *options) {
    return train_on(tokenizer, texts, false, options);
}

/* ---- saving ---- */

bool tokenizers_save_model(const tokenizers_Tokenizer *tokenizer, const char *folder, const char *prefix) {
    char paths[2][4200];
    tg_Output outs[2];
    if (!check_ready(tokenizer) || !tg_check_given(folder != NULL, 2, "a folder")) return false;
    for (int i = 0; i < 2; i++)
        snprintf(paths[i], sizeof paths[i], "%.3900s/%.200s%s%s", folder, prefix ? prefix : "", prefix ? "-" : "",
                 i ? "merges.txt" : "vocab.json");
    if (!tg_output_open(&outs[0], paths[0])) return false;
    if (!tg_output_open(&outs[1], paths[1])) return tg_output_commit(&outs[0], false);
    return tg_outputs_commit(outs, 2,
                             tg_write_vocab(tokenizer->bpe, &outs[0]) && tg_write_merges(tokenizer->bpe, &outs[1]));
}

bool tokenizers_save(const tokenizers_Tokenizer *tokenizer, const char *path, bool pretty) {
    tg_Output out;
    return check_ready(tokenizer) && tg_check_given(path != NULL, 2, "a path") && tg_output_open(&out, path) &&
           tg_output_commit(&out, tg_write_tokenizer_json(tokenizer->bpe, &out, pretty));
}
