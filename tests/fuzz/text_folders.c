/* tests/fuzz/text_folders.c: tokenizers and texts from files, as programs use them. */
#define _POSIX_C_SOURCE 200112L /* setenv */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/tensor/context.h"
#include "core/tensor/tensor.h"
#include "core/text/bpe.h"
#include "core/text/tiktoken.h"
#include "core/text/tokenizers.h"
#include "core/text/torchtext.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/writers.h"

/* ---- tokenizers ---- */

/* The contents up to a zero byte as one file, what follows it as the other one. */
static void put_two(const Choices *c, const char *first, const char *second) {
    const uint8_t *zero = c->left ? memchr(c->at, 0, c->left) : NULL;
    const size_t length = zero ? (size_t)(zero - c->at) : c->left;
    fuzz_put_file(first, c->at, length);
    if (zero) fuzz_put_file(second, zero + 1, c->left - length - 1);
}

static tokenizers_Tokenizer *open_tokenizer(const Choices *c, int kind, int options) {
    const t_StringList *specials = options & 1 ? t_strings_new((const char *[]){"<|endoftext|>", "ab"}, 2) : NULL;
    tokenizers_ByteLevelBPETokenizerOptions o = {.size = sizeof o, .add_prefix_space = options & 2};
    char vocab[600], merges[600];
    if (options & 1 && !specials) return NULL;
    if (kind == 0 || kind == 1) put_two(c, "vocab.json", "merges.txt");
    snprintf(vocab, sizeof vocab, "%s", fuzz_path_of("vocab.json"));
    snprintf(merges, sizeof merges, "%s", fuzz_path_of("merges.txt"));
    if (kind == 0) o.vocab = vocab, o.merges = merges;
    if (kind == 1) return GPT2Tokenizer_from_pretrained(fuzz_path_of(""));
    if (kind == 2) {
        fuzz_put_file("tokenizer.json", c->at, c->left);
        return options & 4 ? GPT2Tokenizer_from_pretrained(fuzz_path_of(""))
                           : tokenizers_Tokenizer_from_file(fuzz_path_of("tokenizer.json"));
    }
    tokenizers_Tokenizer *self = tokenizers_ByteLevelBPETokenizer_new(&o);
    if (!self || kind == 0) return self;
    put_two(c, "a.txt", "b.txt");
    tokenizers_TrainOptions train = {sizeof train, 256 + 4 * options, 2, specials};
    const char *files[2] = {fuzz_path_of("a.txt"), NULL};
    t_StringList *texts = t_strings_new(files, 1);
    if (!texts || (options & 8 && !t_strings_append(texts, fuzz_path_of("b.txt")))) return NULL;
    const bool ok = (options & 16 ? tokenizers_train_from_iterator : tokenizers_train)(self, texts, &train);
    return ok ? self : NULL;
}

static bool is_same(Tensor *x, Tensor *y) {
    return x && y && t_equal(x, y);
}

/* Ids of a text, which decode to it; a tokenizer that was saved gives the same ids. */
static t_TensorDict *use_tokenizer(tokenizers_Tokenizer *self, const uint8_t *text, size_t size, int options) {
    const bool is_exact = !(options & 2) && self->bpe->specials_count == 0;
    size_t length = 0;
    t_StringList *added = options & 32 ? t_strings_new((const char *[]){"<pad>", "a"}, 2) : NULL;
    if (added && tokenizers_add_special_tokens(self, added) < 0) demand(false, "special tokens cannot be added");
    Tensor *ids = tokenizers_encode_bytes(self, text, size);
    if (!ids) return NULL; /* a vocabulary without all bytes */
    const void *back = tokenizers_decode_bytes(self, ids, &length);
    demand(back && (!is_exact || added || (length == size && (size == 0 || memcmp(back, text, size) == 0))),
           "decode(encode(x)) is not x");
    const char *shown = back ? tokenizers_decode(self, ids, options & 1) : NULL;
    demand(shown != NULL, "ids that cannot be decoded");
    for (int64_t i = 0; shown && i < tg_numel(ids); i++) {
        const int64_t id = ((const int64_t *)tg_data(ids))[i];
        const char *token = tokenizers_id_to_token(self, id);
        demand(token && tokenizers_token_to_id(self, token) >= 0, "an id without a token");
    }
    char copy[200];
    snprintf(copy, sizeof copy, "%.*s", (int)(size < 100 ? size : 100), text);
    t_StringList *tokens = shown ? tokenizers_tokenize(self, copy) : NULL;
    Tensor *others = tokens ? tokenizers_encode(self, copy) : NULL;
    demand(!others || tg_numel(others) == tokens->len, "not as many tokens as ids");
    demand(tokenizers_get_vocab_size(self) >= 0, "no size");
    const bool saved = others && tokenizers_save(self, fuzz_path_of("saved.json"), options & 1) &&
                       tokenizers_save_model(self, fuzz_path_of(""), options & 2 ? "x" : NULL);
    demand(!others || saved, "a tokenizer that cannot be saved");
    tokenizers_Tokenizer *again = saved ? tokenizers_Tokenizer_from_file(fuzz_path_of("saved.json")) : NULL;
    if (again)
        demand(is_same(ids, tokenizers_encode_bytes(again, text, size)), "other ids of a tokenizer that was saved");
    else if (saved && !is_out_of_memory())
        t_clear_error(); /* ids beyond the size of the file */
    return dict_of(saved ? ids : NULL);
}

static t_TensorDict *use_encoding(const uint8_t *text, size_t size, const char *name, int options) {
    tiktoken_Encoding *enc = tiktoken_get_encoding(name);
    size_t length = 0;
    if (!enc) return NULL;
    Tensor *ids = tiktoken_encode_bytes(enc, text, size);
    if (!ids) return NULL;
    const void *back = tiktoken_decode_bytes(enc, ids, &length);
    demand(back && length == size && (size == 0 || memcmp(back, text, size) == 0), "decode(encode(x)) is not x");
    demand(!back || tiktoken_decode(enc, ids), "ids that cannot be decoded");
    for (int64_t i = 0; back && i < tg_numel(ids) && !t_error(); i++)
        demand(tiktoken_decode_single_token_bytes(enc, ((const int64_t *)tg_data(ids))[i], &length) != NULL,
               "no token");
    char copy[200];
    snprintf(copy, sizeof copy, "%.*s%s", (int)(size < 100 ? size : 100), text, options & 1 ? "<|endoftext|>" : "");
    const tiktoken_EncodeOptions o = {sizeof o,
                                      options & 2   ? "all"
                                      : options & 4 ? "<|endoftext|> x"
                                                    : NULL,
                                      options & 8 ? "" : NULL};
    if (t_error()) return NULL;
    (tiktoken_encode)(enc, copy, &o);
    clear_refusal();
    if (!t_error()) tiktoken_encode_single_token(enc, copy);
    clear_refusal();
    Tensor *ordinary = t_error() ? NULL : tiktoken_encode_ordinary(enc, copy);
    demand(ordinary != NULL, "a text that cannot be encoded");
    return ordinary ? dict_of(ids) : NULL;
}

t_TensorDict *fuzz_tokenizers(const uint8_t *data, size_t size) {
    static const char *const encodings[][2] = {{"gpt2", "vocab.bpe"},
                                               {"gpt2", "merges.txt"},
                                               {"cl100k_base", "cl100k_base.tiktoken"},
                                               {"r50k_base", "r50k_base.tiktoken"},
                                               {"x", "x"}};
    enum { TEXT = 64 };
    Choices c = {data, size};
    const int kind = choose(&c, 9), options = choose(&c, 64);
    const uint8_t *text = c.left > TEXT ? c.at + c.left - TEXT : c.at;
    const size_t length = c.left > TEXT ? TEXT : c.left;
    t_TensorDict *dict = NULL;
    const char *folder = fuzz_folder();
    if (kind < 4) {
        tokenizers_Tokenizer *self = open_tokenizer(&c, kind, options);
        if (self) dict = use_tokenizer(self, text, length, options);
    } else {
        setenv("TIKTOKEN_CACHE_DIR", folder, 1);
        fuzz_put_file(encodings[kind - 4][1], c.at, c.left);
        dict = use_encoding(text, length, encodings[kind - 4][0], options);
        if (!dict && !is_out_of_memory()) t_clear_error();
        if (!dict && !t_error()) tiktoken_encoding_for_model(options & 1 ? "gpt-4" : "no model");
        if (!dict && !t_error()) dict = t_dict_new();
    }
    fuzz_remove();
    return dict;
}

/* ---- torchtext ---- */

t_TensorDict *fuzz_torchtext(const uint8_t *data, size_t size) {
    static const char *const files[] = {"wiki.train.tokens", "wikitext-2/wiki.valid.tokens",
                                        "datasets/WikiText2/wikitext-2/wiki.test.tokens", "wiki.other.tokens"};
    static const char *const splits[] = {"train", "valid", "test", "other"};
    Choices c = {data, size};
    const int kind = choose(&c, 4), options = choose(&c, 256);
    const char *folder = fuzz_folder();
    fuzz_put_file(files[kind], c.at, c.left);
    t_StringList *lines = (options & 128 ? datasets_WikiText103 : datasets_WikiText2)(folder, splits[kind]);
    fuzz_remove();
    if (!lines) return NULL;
    torchtext_Map map = {torchtext_get_tokenizer(options & 1 ? "basic_english" : NULL), lines, 0};
    t_StringList *specials = options & 2 ? t_strings_new((const char *[]){"<unk>", "the"}, 2) : NULL;
    if (options & 2 && !specials) return NULL;
    const torchtext_VocabOptions o = {
        sizeof o, options & 4 ? 2 : 1, specials, options & 8, options & 16 ? options / 32 : T_NONE, &map};
    torchtext_Vocab *vocab = torchtext_build_vocab_from_iterator_new(torchtext_map_next, &o);
    if (!vocab) return NULL;
    t_StringList *tokens = lines->len ? map.tokenizer(lines->items[0]) : t_strings_new(NULL, 0);
    t_StringList *grams = tokens ? torchtext_ngrams_iterator(tokens, 1 + options / 32 % 4) : NULL;
    if (!grams) return NULL;
    const bool has_all = !(options & (4 | 16));
    if (!has_all) torchtext_set_default_index(vocab, 0);
    Tensor *ids = torchtext_lookup_indices(vocab, tokens);
    demand(ids != NULL, "a token without an index");
    t_StringList *again = ids && has_all ? torchtext_lookup_tokens(vocab, ids) : NULL;
    demand(again || !has_all, "an index without a token");
    for (int64_t i = 0; again && i < tokens->len; i++)
        demand(strcmp(again->items[i], tokens->items[i]) == 0, "another token at its index");
    const char *joined = again ? t_strings_join(" ", grams) : NULL;
    demand(joined || !again, "tokens that cannot be joined");
    if (joined && tokens->len)
        demand(strncmp(joined, t_strings_get(tokens, 0), strlen(tokens->items[0])) == 0, "others");
    if (joined && !t_strings_get(tokens, options % 7 - 3)) clear_refusal();
    if (!ids || t_error()) return NULL;
    const int64_t len = torchtext_vocab_len(vocab);
    if (!torchtext_vocab_contains(vocab, "\xc3\x89") &&
        torchtext_insert_token(vocab, "\xc3\x89", len ? options % len : 0))
        demand(torchtext_vocab_contains(vocab, "$#") || torchtext_append_token(vocab, "$#"), "a token cannot be added");
    for (int64_t i = 0; i < torchtext_vocab_len(vocab) && !is_out_of_memory(); i++)
        demand(torchtext_vocab_get(vocab, torchtext_lookup_token(vocab, i)) == i, "an index that is not its token's");
    return dict_of(ids);
}
