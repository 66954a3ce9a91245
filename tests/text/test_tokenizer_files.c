/* tests/text/test_tokenizer_files.c: broken vocab.json, merges.txt, tiktoken's files and tokenizer.json: each refusal
 * names the file, the line or byte, and why. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/str.h"
#include "core/text/bpe_files.h"
#include "tests/support/support.h"

/* {"a": 0, ...}: the 256 bytes, and what follows them */
static char *vocab_with(const char *more) {
    tg_Output out;
    tg_output_memory(&out);
    tg_output_text(&out, "{");
    for (int b = 0; b < 256; b++) {
        char name[5] = "";
        const uint32_t c = tg_char_of_byte((uint8_t)b);
        if (c < 0x80)
            name[0] = (char)c;
        else
            name[0] = (char)(0xc0 | c >> 6), name[1] = (char)(0x80 | (c & 0x3f));
        tg_output_print(&out, "%s\"%s%s\": %d", b ? ", " : "", c == '"' || c == '\\' ? "\\" : "", name, b);
    }
    tg_output_print(&out, "%s}", more);
    return tg_output_take_text(&out, true);
}

/* NULL: it was read; else the error, of the case's texts under the names vocab.json and merges.txt. */
static void expect_read(const char *vocab, const char *merges, const char *error) {
    tg_Bpe bpe;
    tg_Input in[2];
    tg_bpe_init(&bpe);
    ck_assert(tg_input_memory(&in[0], vocab, strlen(vocab), "vocab.json"));
    ck_assert(tg_input_memory(&in[1], merges, strlen(merges), "merges.txt"));
    const bool ok = tg_read_vocab_merges(&bpe, &in[0], &in[1]);
    ck_assert_msg(ok == !error, "%s", t_error() ? t_error() : "it was read");
    if (error) expect_error(error);
    tg_bpe_free(&bpe);
}

START_TEST(vocab_and_merges) {
    char *plain = vocab_with(""), *ab = vocab_with(", \"ab\": 256, \"abc\": 257"), *bad;
    expect_read(plain, "", NULL);
    expect_read(ab, "#version: 0.2\na b\nab c\n", NULL);
    expect_read(ab, "a b\r\nab c\r\n", NULL);
    expect_read(ab, "a b\nab c", NULL);
    expect_read(ab, "a b\nabc\n",
                "merges.txt, line 2: \"abc\" is not two tokens of a byte-level encoding with a blank "
                "between them");
    expect_read(ab, "a b\n\nab c\n",
                "merges.txt, line 2: \"\" is not two tokens of a byte-level encoding with a blank "
                "between them");
    expect_read(ab, " b\n",
                "merges.txt, line 1: \" b\" is not two tokens of a byte-level encoding with a blank between "
                "them");
    expect_read(ab, "a b c\n",
                "merges.txt, line 1: \"a b c\" is not two tokens of a byte-level encoding with a blank "
                "between them");
    expect_read(ab, "a \xff\n",
                "merges.txt, line 1: \"a \xff\" is not two tokens of a byte-level encoding with a blank "
                "between them");
    expect_read(ab, "a b\nab d\n", "merges.txt, line 2: the result of the merge is not in the vocabulary");
    expect_read(ab, "abd c\n", "merges.txt, line 1: the first token of the merge is not in the vocabulary");
    expect_read(ab, "c abd\n", "merges.txt, line 1: the second token of the merge is not in the vocabulary");
    expect_read("{\"a\": 0}", "", "vocab.json: no token for the byte 0x00, \"Ā\": a byte-level vocabulary has all 256");
    expect_read("", "", "vocab.json: the file ends at byte 0 where '{' is expected");
    expect_read("{\"a\": 0", "", "vocab.json: the file ends at byte 7 where ',' or '}' is expected");
    expect_read("{\"a\": -1}", "", "vocab.json: '-' at byte 6, where an integer that is not negative is expected");
    expect_read("{\"a\": \"b\"}", "", "vocab.json: '\"' at byte 6, where an integer that is not negative is expected");
    expect_read("{\"\": 0}", "", "vocab.json: a token without characters, id 0");
    expect_read("{\"a\": 0, \"b\": 0}", "", "vocab.json: two tokens have the id 0");
    expect_read("{\"a\": 0, \"a\": 1}", "", "vocab.json: the token \"a\" is there twice");
    expect_read("{\"a\": 1000}", "", "vocab.json: the id 1000 of \"a\" is too large for the number of tokens");
    expect_read("{\"a\xff\": 0}", "", "vocab.json: 0xff at byte 3, where a character of UTF-8 is expected");
    bad = vocab_with("} x");
    expect_read(bad, "",
                (t_format)("vocab.json: 'x' at byte %zu, where the end of the file is expected", strlen(bad) - 2));
    free(bad);
    free(plain);
    free(ab);
}
END_TEST

static void expect_merges(const char *text, const char *error) {
    tg_Bpe bpe;
    tg_Input in;
    tg_bpe_init(&bpe);
    ck_assert(tg_input_memory(&in, text, strlen(text), "vocab.bpe"));
    ck_assert(tg_read_merges(&bpe, &in) == !error);
    if (error) expect_error(error);
    tg_bpe_free(&bpe);
}

static void expect_tiktoken(const char *text, const char *error) {
    tg_Bpe bpe;
    tg_Input in;
    tg_bpe_init(&bpe);
    ck_assert(tg_input_memory(&in, text, strlen(text), "x.tiktoken"));
    ck_assert(tg_read_tiktoken(&bpe, &in) == !error);
    if (error) expect_error(error);
    tg_bpe_free(&bpe);
}

START_TEST(merges_alone_and_tiktoken) {
    expect_merges("#version: 0.2\na b\nab c\n", NULL);
    expect_merges("a b\nabx c\n", "vocab.bpe, line 2: the first token of the merge is not in the vocabulary");
    expect_merges("a b\na b\n", "vocab.bpe, line 2: the result of the merge is a token already");
    const char *expected = "x.tiktoken, line 1: a token in base64, a blank and its id are expected";
    expect_tiktoken("IQ==\n", expected);
    expect_tiktoken("IQ= 0\n", expected);
    expect_tiktoken("I=== 0\n", expected);
    expect_tiktoken("IQ== \n", expected);
    expect_tiktoken("IQ== -1\n", expected);
    expect_tiktoken("IQ== 1234567890\n", expected);
    expect_tiktoken(" 0\n", expected);
    expect_tiktoken("IQ== 99\n", "x.tiktoken, line 1: the token or its id 99 is there twice, or the id is too large");
    expect_tiktoken("IQ== 0\nIg== 0\n",
                    "x.tiktoken, line 2: the token or its id 0 is there twice, or the id is too large");
    expect_tiktoken("IQ== 0\n\nIQ== 1\n",
                    "x.tiktoken, line 3: the token or its id 1 is there twice, or the id is too large");
    expect_tiktoken("IQ== 0\n", "x.tiktoken: no token for the byte 0x00, \"Ā\": a byte-level vocabulary has all 256");
}
END_TEST

/* The vocabulary and %s in place of what follows it. */
static void expect_json(const char *model, const char *others, const char *error) {
    char *vocab = vocab_with(", \"ab\": 256");
    tg_Output out;
    tg_Bpe bpe;
    tg_Input in;
    tg_output_memory(&out);
    tg_output_print(&out, "{%s \"model\": {\"type\": \"BPE\", \"vocab\": %s%s}}", others, vocab, model);
    char *text = tg_output_take_text(&out, true);
    tg_bpe_init(&bpe);
    ck_assert(tg_input_memory(&in, text, strlen(text), "tokenizer.json"));
    const bool ok = tg_read_tokenizer_json(&bpe, &in);
    ck_assert_msg(ok == !error, "%s", t_error() ? t_error() : model);
    if (error) expect_error(error);
    tg_bpe_free(&bpe);
    free(text);
    free(vocab);
}

START_TEST(tokenizer_json) {
    const char *level =
        "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"add_prefix_space\": true, \"use_regex\": true},";
    expect_json(", \"merges\": [[\"a\", \"b\"]], \"unk_token\": null, \"end_of_word_suffix\": \"\"", level, NULL);
    expect_json(", \"merges\": [\"a b\"], \"fuse_unk\": false, \"ignore_merges\": true", level, NULL);
    expect_json(", \"merges\": [\"ab\"]", level,
                "tokenizer.json, merge 0: \"ab\" is not two tokens of a byte-level "
                "encoding with a blank between them");
    expect_json(", \"merges\": [[\"a\", \"b\"], [\"a\"]]", level, "tokenizer.json, merge 1: 1 tokens instead of two");
    expect_json(", \"merges\": [[\"a\", \"c\"]]", level,
                "tokenizer.json, merge 0: the result of the merge is not in the vocabulary");
#define PLAIN "; this reader takes byte-level BPE as of GPT-2"
    expect_json("", "", "tokenizer.json: its pre_tokenizer is not ByteLevel" PLAIN);
    expect_json("", "\"pre_tokenizer\": {\"type\": \"Metaspace\"},",
                "tokenizer.json: its pre_tokenizer is not ByteLevel" PLAIN);
    expect_json("", "\"pre_tokenizer\": {\"type\": \"ByteLevel\", \"use_regex\": false},",
                "tokenizer.json: its pre_tokenizer has no pattern" PLAIN);
    expect_json("", "\"normalizer\": {\"type\": \"NFC\"},", "tokenizer.json: it has a normalizer" PLAIN);
    expect_json("", "\"decoder\": {\"type\": \"WordPiece\"},", "tokenizer.json: its decoder is not ByteLevel" PLAIN);
    expect_json("", "\"post_processor\": {\"type\": \"TemplateProcessing\"},",
                "tokenizer.json: its post_processor is not ByteLevel" PLAIN);
    expect_json(", \"unk_token\": \"a\"", level, "tokenizer.json: its model has a unk_token" PLAIN);
    expect_json(", \"type\": \"Unigram\"", level, "tokenizer.json: its model is not BPE" PLAIN);
    char others[400];
#define ADDED "\"added_tokens\": [{\"id\": %s, \"content\": \"%s\", \"special\": %s, \"lstrip\": %s}], %s"
    snprintf(others, sizeof others, ADDED, "257", "<s>", "true", "false", level);
    expect_json("", others, NULL);
    snprintf(others, sizeof others, ADDED, "256", "ab", "false", "false", level);
    expect_json("", others, NULL);
    snprintf(others, sizeof others, ADDED, "3", "ab", "true", "false", level);
    expect_json("", others, "tokenizer.json: the added token \"ab\" has another id in the vocabulary");
    snprintf(others, sizeof others, ADDED, "3", "<s>", "true", "false", level);
    expect_json("", others, "tokenizer.json: the added token \"<s>\" is empty, or its id 3 is in use or too large");
    snprintf(others, sizeof others, ADDED, "257", "<s>", "true", "true", level);
    expect_json("", others, "tokenizer.json: an added token has single_word, lstrip or rstrip" PLAIN);
    snprintf(others, sizeof others, ADDED, "257", "<s>", "1", "true", level);
    expect_json("", others, "tokenizer.json: '1' at byte 59, where true or false is expected");
}
END_TEST

Suite *tokenizer_files_suite(void);
Suite *tokenizer_files_suite(void) {
    Suite *suite = suite_create("tokenizer_files");
    TCase *test = tcase_create("tokenizer_files");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, vocab_and_merges);
    tcase_add_test(test, merges_alone_and_tiktoken);
    tcase_add_test(test, tokenizer_json);
    suite_add_tcase(suite, test);
    return suite;
}
