/* tests/text/test_tokenizers.c: tiktoken and tokenizers: the ids of the reference for hard strings, training with the
 * reference's merges, special tokens, decoding. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/core.h"
#include "core/text/bpe.h"
#include "core/text/text.h"
#include "core/text/unicode.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

#define BPE "tests/golden/files/bpe"
static const char folder[] = "build/test_tokenizers";

/* tiktoken finds vocab.bpe there. */
static void setup(void) {
    char command[300];
    support_setup();
    snprintf(command, sizeof command,
             "mkdir -p %s && cp %s/merges.txt %s/vocab.bpe && cp %s/cl100k_base.tiktoken %s/ && "
             "cp %s/cl100k_base.tiktoken %s/o200k_base.tiktoken",
             folder, BPE, folder, BPE, folder, BPE, folder);
    ck_assert_int_eq(system(command), 0);
    setenv("TIKTOKEN_CACHE_DIR", folder, 1);
}

static void teardown(void) {
    char command[100];
    unsetenv("TIKTOKEN_CACHE_DIR");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
    support_teardown();
}

static tokenizers_Tokenizer *recorded(void) {
    return GPT2Tokenizer_from_pretrained(BPE);
}

static bool is_list(Tensor *ids, const char *text) {
    const int64_t *id = t_data_ptr(ids), n = t_numel(ids);
    char *end;
    for (int64_t i = 0; i < n; i++, text = end)
        if (strtoll(text, &end, 10) != id[i] || end == text) return false;
    return *text == '\0' || *text == '|' || *text == '\n';
}

/* ---- hard strings ---- */

static size_t from_hex(const char *hex, char *to) {
    size_t n = 0;
    for (unsigned byte; sscanf(hex + 2 * n, "%2x", &byte) == 1 && hex[2 * n] > ' ' && hex[2 * n] != '|'; n++)
        to[n] = (char)byte;
    to[n] = '\0';
    return n;
}

/* A line: the text, tiktoken's ids with two patterns, tokenizers' ids, tiktoken's ids with a third pattern. */
START_TEST(ids_are_those_of_the_reference) {
    tiktoken_Encoding *gpt2 = tiktoken_get_encoding("gpt2"), *cl100k = tiktoken_get_encoding("cl100k_base"),
                      *o200k = tiktoken_get_encoding("o200k_base");
    tokenizers_Tokenizer *tokenizer = recorded(), *json = tokenizers_Tokenizer_from_file(BPE "/tokenizer.json");
    FILE *file = fopen("tests/golden/tokenizers.txt", "r");
    static char line[20000], text[4000];
    int lines = 0;
    ck_assert(file && gpt2 && cl100k && o200k && tokenizer && json);
    for (; fgets(line, sizeof line, file); lines++) {
        with_scope () {
            const size_t n = from_hex(line, text);
            char *a = strchr(line, '|') + 1, *b = strchr(a, '|') + 1, *c = strchr(b, '|') + 1;
            char *d = strchr(c, '|') + 1;
            Tensor *ids[5] = {tiktoken_encode(gpt2, text, .allowed_special = "all"),
                              tiktoken_encode(cl100k, text, .allowed_special = "all"),
                              tokenizers_encode(tokenizer, text), tokenizers_encode(json, text),
                              tiktoken_encode(o200k, text, .allowed_special = "all")};
            const char *lists[5] = {a, b, c, c, d};
            for (int i = 0; i < 5; i++)
                if (!ids[i] || !is_list(ids[i], lists[i])) note("line %d, list %d: %s", lines + 1, i, text);
            size_t size = 0;
            const void *bytes = tiktoken_decode_bytes(cl100k, ids[1], &size);
            if (size != n || memcmp(bytes, text, n) != 0) note("line %d: %s is decoded to something else", lines, text);
            if (strcmp(tokenizers_decode(tokenizer, ids[2], .skip_special_tokens = false), text) != 0)
                note("line %d: %s is decoded to something else", lines, text);
        }
    }
    fclose(file);
    ck_assert_int_gt(lines, 300);
    report_notes();
}
END_TEST

/* Any bytes, by a generator: long words are merged with a heap, short ones without; both must agree with the
 * definition, and decoding gives the bytes back. */
static int64_t merge_by_definition(const tg_Bpe *bpe, const uint8_t *word, int64_t n, int64_t *ids) {
    for (int64_t i = 0; i < n; i++) ids[i] = bpe->byte_ids[word[i]];
    for (;;) {
        const tg_Merge *best = NULL;
        int64_t at = 0;
        for (int64_t i = 0; i + 1 < n; i++) {
            const tg_Merge *merge = tg_bpe_merge(bpe, (uint32_t)ids[i], (uint32_t)ids[i + 1]);
            if (merge && (!best || merge->rank < best->rank)) best = merge, at = i;
        }
        if (!best) return n;
        ids[at] = best->id;
        for (int64_t i = at + 1; i + 1 < n; i++) ids[i] = ids[i + 1];
        n--;
    }
}

START_TEST(words_are_merged_by_the_definition) {
    tokenizers_Tokenizer *tokenizer = recorded();
    const char letters[] = "theandofi";
    uint32_t state = 1;
    for (int length = 1; length < 400; length += 1 + length / 8) {
        char word[400];
        int64_t want[400];
        for (int i = 0; i < length; i++) {
            state = state * 1664525u + 1013904223u;
            word[i] = letters[(state >> 24) % (sizeof letters - 1)];
        }
        word[length] = '\0';
        with_scope () {
            Tensor *ids = tokenizers_encode(tokenizer, word);
            const int64_t n = merge_by_definition(tokenizer->bpe, (const uint8_t *)word, length, want);
            if (t_numel(ids) != n || memcmp(t_data_ptr(ids), want, (size_t)n * sizeof *want) != 0)
                note("a word of %d letters: %s", length, word);
        }
    }
    report_notes();
}
END_TEST

START_TEST(any_bytes_come_back) {
    tiktoken_Encoding *gpt2 = tiktoken_get_encoding("gpt2"), *cl100k = tiktoken_get_encoding("cl100k_base");
    tokenizers_Tokenizer *tokenizer = recorded();
    uint32_t state = 7;
    for (int size = 0; size < 600; size += 1 + size / 6) {
        uint8_t bytes[600];
        for (int i = 0; i < size; i++) {
            state = state * 1664525u + 1013904223u;
            bytes[i] = (uint8_t)(state >> 24);
        }
        with_scope () {
            size_t a = 0, b = 0, c = 0;
            const void *x = tiktoken_decode_bytes(gpt2, tiktoken_encode_bytes(gpt2, bytes, (size_t)size), &a);
            const void *y = tiktoken_decode_bytes(cl100k, tiktoken_encode_bytes(cl100k, bytes, (size_t)size), &b);
            const void *z =
                tokenizers_decode_bytes(tokenizer, tokenizers_encode_bytes(tokenizer, bytes, (size_t)size), &c);
            if (a != (size_t)size || b != a || c != a || memcmp(x, bytes, a) != 0 || memcmp(y, bytes, a) != 0 ||
                memcmp(z, bytes, a) != 0)
                note("%d bytes", size);
        }
    }
    report_notes();
}
END_TEST

/* More words than the cache of words holds. */
START_TEST(a_full_cache_changes_nothing) {
    tokenizers_Tokenizer *tokenizer = recorded();
    for (int round = 0; round < 2; round++)
        for (int block = 0; block < 100; block++) {
            char text[12000];
            int at = 0;
            for (int i = 0; i < 1000; i++)
                at += snprintf(text + at, sizeof text - (size_t)at, " w%c%c%c%cq", 'a' + block / 26, 'a' + block % 26,
                               'a' + i / 32 % 26, 'A' + i % 26);
            with_scope () {
                Tensor *ids = tokenizers_encode(tokenizer, text);
                if (strcmp(tokenizers_decode(tokenizer, ids), text) != 0) note("block %d", block);
            }
        }
    report_notes();
}
END_TEST

/* ---- Unicode ---- */

START_TEST(classes_of_all_characters) {
    int64_t counts[4] = {0};
    for (uint32_t c = 0; c < 0x110000; c++) counts[tg_char_class(c)]++;
    ck_assert_int_eq(counts[TG_LETTER], 141028);
    ck_assert_int_eq(counts[TG_NUMBER], 1911);
    ck_assert_int_eq(counts[TG_SPACE], 25);
    ck_assert_int_eq(tg_char_class(TG_INVALID_BYTE), TG_OTHER);
    ck_assert_uint_eq(tg_char_lower('Z'), 'z');
    ck_assert_uint_eq(tg_char_lower(0xc9), 0xe9);   /* É */
    ck_assert_uint_eq(tg_char_lower(0x416), 0x436); /* Ж */
    ck_assert_uint_eq(tg_char_lower(0x10c), 0x10d); /* Č, of which every second one is a capital */
    ck_assert_uint_eq(tg_char_lower(0x10d), 0x10d);
    ck_assert_uint_eq(tg_char_lower(0x130), 0x130); /* İ is two characters */
    ck_assert_uint_eq(tg_char_lower(0x10ffff), 0x10ffff);
    for (int b = 0; b < 256; b++) ck_assert_int_eq(tg_byte_of_char(tg_char_of_byte((uint8_t)b)), b);
    ck_assert_int_eq(tg_byte_of_char(256 + 68), -1);
    ck_assert_int_eq(tg_byte_of_char(' '), -1);
}
END_TEST

/* A vocabulary of the 256 bytes alone gives the bytes of a text; decoding replaces what is no UTF-8 as Python does. */
START_TEST(invalid_utf8_is_replaced_as_in_python) {
    tokenizers_Tokenizer *bytes_only = tokenizers_ByteLevelBPETokenizer();
    ck_assert(tokenizers_train_from_iterator(bytes_only, t_strings(), .vocab_size = 0));
    ck_assert_int_eq(tokenizers_get_vocab_size(bytes_only), 256);
    FILE *file = fopen("tests/golden/utf8_replaced.txt", "r");
    char line[400], from[100], to[100];
    int lines = 0;
    ck_assert(file != NULL);
    for (; fgets(line, sizeof line, file); lines++) {
        const size_t n = from_hex(line, from);
        from_hex(strchr(line, ' ') + 1, to);
        with_scope () {
            const char *text = tokenizers_decode(bytes_only, tokenizers_encode_bytes(bytes_only, from, n));
            if (strcmp(text, to) != 0) note("line %d: %s", lines + 1, line);
        }
    }
    fclose(file);
    ck_assert_int_eq(lines, 200);
    report_notes();
}
END_TEST

/* ---- training ---- */

static char *contents(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 20000);
    ck_assert_msg(file && text, "%s", path);
    ck_assert_uint_lt(fread(text, 1, 19999, file), 19999);
    fclose(file);
    return text;
}

static void expect_same_file(const char *a, const char *b) {
    char *x = contents(a), *y = contents(b);
    ck_assert_msg(strcmp(x, y) == 0, "%s and %s differ", a, b);
    free(x);
    free(y);
}

START_TEST(training_gives_the_merges_of_the_reference) {
    tokenizers_Tokenizer *tokenizer = tokenizers_ByteLevelBPETokenizer();
    t_StringList *special = t_strings("<|endoftext|>");
    ck_assert(tokenizers_train(tokenizer, t_strings(BPE "/corpus.txt"), .vocab_size = 500, .special_tokens = special));
    ck_assert_int_eq(tokenizer->eos_token_id, 0);
    ck_assert(tokenizers_save_model(tokenizer, folder, NULL));
    expect_same_file("build/test_tokenizers/vocab.json", BPE "/vocab.json");
    expect_same_file("build/test_tokenizers/merges.txt", BPE "/merges.txt");
    ck_assert(tokenizers_save_model(tokenizer, folder, "small"));
    expect_same_file("build/test_tokenizers/small-vocab.json", BPE "/vocab.json");
    /* the same lines as texts; and twice as many as the pairs that occur twice: training stops before */
    FILE *file = fopen(BPE "/corpus.txt", "r");
    char line[8000];
    t_StringList *lines = t_strings();
    while (fgets(line, sizeof line, file)) t_strings_append(lines, line);
    fclose(file);
    ck_assert(tokenizers_train_from_iterator(tokenizer, lines, .vocab_size = 500, .special_tokens = special));
    ck_assert(tokenizers_save_model(tokenizer, folder, NULL));
    expect_same_file("build/test_tokenizers/merges.txt", BPE "/merges.txt");
    ck_assert(tokenizers_train_from_iterator(tokenizer, lines, 30000, .min_frequency = 20));
    ck_assert_int_lt(tokenizers_get_vocab_size(tokenizer), 500);
    ck_assert_int_eq(tokenizer->eos_token_id, -1);
}
END_TEST

/* More words than the first table of words holds; their order does not matter. */
START_TEST(training_of_many_words) {
    enum { WORDS = 3000 };
    tokenizers_Tokenizer *tokenizer = tokenizers_ByteLevelBPETokenizer();
    char *merges[2];
    for (int order = 0; order < 2; order++) {
        t_StringList *texts = t_strings();
        for (int i = 0; i < 2 * WORDS; i++) {
            const int word = order ? (2 * WORDS - 1 - i) % WORDS : i % WORDS;
            t_strings_append(texts, t_format("zx%c%c%c", 'a' + word / 400, 'a' + word / 20 % 20, 'a' + word % 20));
        }
        ck_assert(tokenizers_train_from_iterator(tokenizer, texts, .vocab_size = 400));
        ck_assert_int_eq(tokenizers_token_to_id(tokenizer, "zx"), 256);
        ck_assert(tokenizers_save_model(tokenizer, folder, NULL));
        merges[order] = read_text("build/test_tokenizers/merges.txt");
    }
    ck_assert_str_eq(merges[0], merges[1]);
    free(merges[0]);
    free(merges[1]);
}
END_TEST

START_TEST(training_of_few_words) {
    tokenizers_Tokenizer *tokenizer = tokenizers_ByteLevelBPETokenizer(.add_prefix_space = true);
    t_StringList *texts = t_strings("low low low low low lower lower newest newest newest widest widest", "aaaa aaaa");
    ck_assert(tokenizers_train_from_iterator(tokenizer, texts, .vocab_size = 262));
    const char *tokens = t_strings_join(" ", tokenizers_tokenize(tokenizer, "lowest aaa"));
    ck_assert_str_eq(tokens, "Ġlow est Ġ aa a");
    ck_assert_int_eq(tokenizers_token_to_id(tokenizer, "Ġlow"), 258);
    ck_assert_str_eq(tokenizers_id_to_token(tokenizer, 258), "Ġlow");
    ck_assert(!tokenizers_id_to_token(tokenizer, 262) && !t_error());
    ck_assert_int_eq(tokenizers_token_to_id(tokenizer, "Ġlowest"), -1);
    ck_assert_int_eq(tokenizers_token_to_id(tokenizer, "two words"), -1);
    ck_assert(!t_error());
}
END_TEST

/* ---- special tokens, and the rest of tiktoken ---- */

START_TEST(special_tokens_of_tiktoken) {
    tiktoken_Encoding *enc = tiktoken_get_encoding("gpt2");
    const char *text = "the<|endoftext|>the";
    ck_assert_int_eq(enc->n_vocab, enc->eot_token + 1);
    ck_assert_int_eq(enc->max_token_value, enc->eot_token);
    Tensor *ids = tiktoken_encode(enc, text, .allowed_special = "<|endoftext|>");
    ck_assert_int_eq(t_numel(ids), 3);
    ck_assert_int_eq(t_item_int64(t_at(ids, "1")), enc->eot_token);
    ck_assert(t_equal(ids, tiktoken_encode(enc, text, .allowed_special = "x <|endoftext|>")));
    ck_assert_str_eq(tiktoken_decode(enc, ids), text);
    Tensor *plain = tiktoken_encode_ordinary(enc, text);
    ck_assert(t_equal(plain, tiktoken_encode(enc, text, .disallowed_special = "")));
    ck_assert_int_gt(t_numel(plain), 3);
    ck_assert_str_eq(tiktoken_decode(enc, plain), text);
    ck_assert(!(tiktoken_encode)(enc, text, NULL));
    ck_assert(
        strstr(t_error_message(), "Encountered text corresponding to disallowed special token '<|endoftext|>'.\n"));
    t_clear_error();
    ck_assert_int_eq(tiktoken_encode_single_token(enc, "the"), t_item_int64(t_at(ids, "0")));
    ck_assert_int_eq(tiktoken_encode_single_token(enc, "<|endoftext|>"), enc->eot_token);
    size_t size;
    ck_assert_str_eq(tiktoken_decode_single_token_bytes(enc, t_item_int64(t_at(ids, "0")), &size), "the");
    ck_assert_uint_eq(size, 3);
    ck_assert_str_eq(tiktoken_decode(enc, t_to(t_view(ids, 1, 3), t_int32)), text);
    ck_assert_str_eq(tiktoken_decode(enc, t_zeros(0, .dtype = t_int64)), "");
    ck_assert_int_eq(t_numel(tiktoken_encode(enc, "")), 0);
    ck_assert_str_eq(tiktoken_encoding_for_model("gpt-4-0314")->name, "cl100k_base");
    ck_assert_str_eq(tiktoken_encoding_for_model("gpt2")->name, "gpt2");
}
END_TEST

START_TEST(special_tokens_of_tokenizers) {
    tokenizers_Tokenizer *tokenizer = recorded();
    ck_assert_int_eq(tokenizer->eos_token_id, 0);
    ck_assert_int_eq(tokenizers_get_vocab_size(tokenizer), 500);
    ck_assert_int_eq(tokenizers_add_special_tokens(tokenizer, t_strings("<|user|>", "<|user|>>", "<|endoftext|>")), 2);
    Tensor *ids = tokenizers_encode(tokenizer, "a<|user|>>b<|user|>");
    ck_assert(is_list(ids, t_format("%d 501 %d 500", (int)tokenizers_token_to_id(tokenizer, "a"),
                                    (int)tokenizers_token_to_id(tokenizer, "b"))));
    ck_assert_str_eq(tokenizers_decode(tokenizer, ids), "ab");
    ck_assert_str_eq(tokenizers_decode(tokenizer, ids, .skip_special_tokens = false), "a<|user|>>b<|user|>");
    ck_assert_str_eq(tokenizers_decode(tokenizer, t_tensor("[500, 100000, -1]"), false), "<|user|>");
    ck_assert_str_eq(t_strings_join(" ", tokenizers_tokenize(tokenizer, " the<|user|>\n")), "Ġthe <|user|> Ċ");
    ck_assert_str_eq(tokenizers_id_to_token(tokenizer, 501), "<|user|>>");
}
END_TEST

/* The bytes of the file that tokenizers wrote, and what an added token changes. */
START_TEST(a_saved_tokenizer_is_that_of_tokenizers) {
    char path[200], command[500];
    tokenizers_Tokenizer *tokenizer = recorded();
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    ck_assert_msg(tokenizers_save(tokenizer, path, .pretty = false), "%s", t_error());
    snprintf(command, sizeof command, "cmp %s %s/tokenizer.json", path, BPE);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(tokenizers_add_special_tokens(tokenizer, t_strings("<new>\n\1")), 1);
    ck_assert(tokenizers_save(tokenizer, path) && tokenizers_save_model(tokenizer, folder, NULL));
    snprintf(command, sizeof command, "cmp %s/vocab.json %s/vocab.json", folder, BPE); /* without <new> */
    ck_assert_int_eq(system(command), 0);
    char *saved = read_text(path);
    ck_assert_ptr_nonnull(strstr(saved, "\"<new>\\n\\u0001\""));
    free(saved);
    tokenizers_Tokenizer *again = tokenizers_Tokenizer_from_file(path);
    ck_assert(again && tokenizers_get_vocab_size(again) == tokenizers_get_vocab_size(tokenizer));
    const char *text = "the<new>\n\1 <|endoftext|> and \x7f \"quoted\\\"";
    ck_assert(t_equal(tokenizers_encode(again, text), tokenizers_encode(tokenizer, text)));
    tiktoken_Encoding *enc = tiktoken_encoding_for_model("gpt-4o-mini");
    ck_assert(enc && enc->eot_token == 199999 && enc->n_vocab == 200019);
}
END_TEST

START_TEST(mistakes) {
    tiktoken_Encoding *enc = tiktoken_get_encoding("gpt2");
    tokenizers_Tokenizer *tokenizer = recorded(), *empty = tokenizers_ByteLevelBPETokenizer();
    expect_refusal(
        !(tiktoken_get_encoding)("gpt3"),
        "Unknown encoding gpt3; there are gpt2, r50k_base, p50k_base, p50k_edit, cl100k_base and o200k_base");
    expect_refusal(!(tiktoken_get_encoding)("r50k_base"),
                   "the encoding \"r50k_base\" needs the file r50k_base.tiktoken, which is not in "
                   "build/test_tokenizers: download it from "
                   "https://openaipublic.blob.core.windows.net/encodings/r50k_base.tiktoken, or let Python do so: "
                   "tiktoken.get_encoding(\"r50k_base\"); TIKTOKEN_CACHE_DIR names another folder");
    unsetenv("TIKTOKEN_CACHE_DIR");
    setenv("TMPDIR", "build/test_tokenizers/none", 1);
    ck_assert(!(tiktoken_get_encoding)("r50k_base"));
    ck_assert_ptr_nonnull(strstr(t_error_message(), " is not in build/test_tokenizers/none/data-gym-cache: download"));
    t_clear_error();
    unsetenv("TMPDIR");
    setenv("TIKTOKEN_CACHE_DIR", "build/test_tokenizers", 1);
    const tokenizers_TrainOptions negative = {.size = sizeof negative, .vocab_size = -1};
    expect_refusal(!(tokenizers_train)(empty, t_strings(BPE "/corpus.txt"), &negative),
                   "vocab_size and min_frequency must be 0 or more, not -1 and 0");
    expect_refusal(!(tiktoken_encoding_for_model)("gpt-9"),
                   "Could not automatically map gpt-9 to a tokeniser. Please use `tiktoken_get_encoding` to "
                   "explicitly get the tokeniser you expect.");
    expect_refusal(!(tiktoken_decode)(enc, t_tensor("[1, 2, 9999]")), "Invalid token for decoding: 9999");
    expect_refusal(!(tiktoken_decode)(enc, t_ones(2)), "ids must be integers, but they are torch.float32");
    expect_refusal(!(tiktoken_decode_single_token_bytes)(enc, -1, NULL), "Invalid token for decoding: -1");
    expect_refusal((tiktoken_encode_single_token)(enc, "the the") == -1, "'the the' is not one token");
    expect_refusal(!(tokenizers_encode)(empty, "a"), "the tokenizer has no vocabulary: tokenizers_train makes one");
    expect_refusal(!(tokenizers_save_model)(empty, folder, NULL),
                   "the tokenizer has no vocabulary: tokenizers_train makes one");
    expect_refusal(!(GPT2Tokenizer_from_pretrained)("no/such"),
                   "no/such/vocab.json is missing: nothing is downloaded; GPT-2's files vocab.json and merges.txt are "
                   "at https://huggingface.co/openai-community/gpt2/tree/main");
    expect_refusal(!(tokenizers_train)(tokenizer, (t_strings_new)((const char *[]){"no/such"}, 1), NULL),
                   "cannot open no/such: No such file or directory");
    expect_refusal((tokenizers_add_special_tokens)(tokenizer, (t_strings_new)((const char *[]){""}, 1)) == -1,
                   "special token 0 is empty");
    expect_refusal(!(tokenizers_encode)((tokenizers_Tokenizer *)enc, "a"), "argument 1 is not a live tokenizer");
    expect_refusal(!(tiktoken_encode)(NULL, "a", NULL), "argument 1 is NULL where an encoding is expected");
    ck_assert_int_eq(tokenizers_get_vocab_size(tokenizer), 500);
}
END_TEST

/* The second file is a folder. */
START_TEST(a_model_is_saved_whole_or_not_at_all) {
    tokenizers_Tokenizer *tokenizer = tokenizers_ByteLevelBPETokenizer();
    ck_assert(tokenizers_train(tokenizer, t_strings(BPE "/corpus.txt"), .vocab_size = 300));
    mkdir("build/test_tokenizers/half-merges.txt", 0777);
    unlink("build/test_tokenizers/half-vocab.json");
    ck_assert(!(tokenizers_save_model)(tokenizer, folder, "half"));
    ck_assert(strstr(t_error(), "half-merges.txt: it is a folder"));
    t_clear_error();
    ck_assert_int_ne(access("build/test_tokenizers/half-vocab.json", F_OK), 0);
    rmdir("build/test_tokenizers/half-merges.txt");
}
END_TEST

/* ---- lists of strings ---- */

typedef struct Appending {
    t_StringList *list;
    const char *text;
} Appending;

static bool appends(void *with) {
    const Appending *a = with;
    return (t_strings_append)(a->list, a->text);
}

static bool has_eight(void *with) {
    const Appending *a = with;
    return a->list->len == 8 && a->list->capacity == 8 && strcmp(a->list->items[7], "7") == 0;
}

START_TEST(without_memory_a_list_is_not_longer) {
    char text[1000];
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = '\0';
    Appending a = {t_strings(), text};
    for (int i = 0; i < 8; i++) t_strings_append(a.list, t_format("%d", i));
    refuse_all("t_strings_append", appends, has_eight, &a);
    HOLDS(a.list->len == 9 && strcmp(a.list->items[8], text) == 0);
    report_notes();
}
END_TEST

START_TEST(lists_of_strings) {
    t_StringList *list = t_strings("one", "two");
    for (int i = 0; i < 1000; i++) t_strings_append(list, t_format("%d", i));
    ck_assert_int_eq(list->len, 1002);
    ck_assert_str_eq(t_strings_get(list, -1), "999");
    ck_assert_str_eq(t_strings_get(list, 1), "two");
    ck_assert_str_eq(t_strings_join(", ", t_strings("a", "b", "c")), "a, b, c");
    ck_assert_str_eq(t_strings_join(", ", t_strings()), "");
    expect_refusal(!(t_strings_get)(list, 1002), "list index out of range");
    expect_refusal(!(t_strings_append)(list, NULL), "argument 2 is NULL where a string is expected");
}
END_TEST

/* ---- failing allocations ---- */

static bool use_tiktoken(void *with) {
    (void)with;
    tiktoken_Encoding *enc = (tiktoken_get_encoding)("gpt2");
    Tensor *ids = enc ? (tiktoken_encode)(enc,
                                          "some words, and a long one: ............................................"
                                          "............the the",
                                          NULL)
                      : NULL;
    return ids && (tiktoken_decode)(enc, ids);
}

static bool use_tokenizers(void *with) {
    (void)with;
    t_StringList *texts = (t_strings_new)((const char *[]){"low lower lowest the the the", "new newer"}, 2);
    tokenizers_Tokenizer *tokenizer = texts ? tokenizers_ByteLevelBPETokenizer_new(NULL) : NULL;
    const tokenizers_TrainOptions options = {sizeof options, 270, 2, texts};
    return tokenizer && (tokenizers_train_from_iterator)(tokenizer, texts, &options) &&
           (tokenizers_tokenize)(tokenizer, "the lowest low lower lowest the the the") &&
           (tokenizers_Tokenizer_from_file)(BPE "/tokenizer.json");
}

START_TEST(failing_allocations) {
    refuse_all("tiktoken", use_tiktoken, NULL, NULL);
    refuse_all("tokenizers", use_tokenizers, NULL, NULL);
    report_notes();
}
END_TEST

Suite *tokenizers_suite(void);
Suite *tokenizers_suite(void) {
    Suite *suite = suite_create("tokenizers");
    TCase *test = tcase_create("tokenizers");
    tcase_add_checked_fixture(test, setup, teardown);
    tcase_add_test(test, ids_are_those_of_the_reference);
    tcase_add_test(test, words_are_merged_by_the_definition);
    tcase_add_test(test, any_bytes_come_back);
    tcase_add_test(test, a_full_cache_changes_nothing);
    tcase_add_test(test, classes_of_all_characters);
    tcase_add_test(test, invalid_utf8_is_replaced_as_in_python);
    tcase_add_test(test, training_gives_the_merges_of_the_reference);
    tcase_add_test(test, training_of_many_words);
    tcase_add_test(test, training_of_few_words);
    tcase_add_test(test, special_tokens_of_tiktoken);
    tcase_add_test(test, special_tokens_of_tokenizers);
    tcase_add_test(test, a_saved_tokenizer_is_that_of_tokenizers);
    tcase_add_test(test, mistakes);
    tcase_add_test(test, lists_of_strings);
    tcase_add_test(test, without_memory_a_list_is_not_longer);
    tcase_add_test(test, a_model_is_saved_whole_or_not_at_all);
    tcase_add_test(test, failing_allocations);
    suite_add_tcase(suite, test);
    return suite;
}
