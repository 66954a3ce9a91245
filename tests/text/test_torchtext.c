/* tests/text/test_torchtext.c: torchtext's tokenizer and vocabularies, and WikiText's files. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/text/text.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- against torchtext ---- */

/* The bytes of a word of a line in hexadecimal; *at moves behind it. NULL at the end of the line. */
static const char *next_word(const char **at) {
    static char words[4][4000];
    static int turn;
    char *word = words[turn++ % 4];
    size_t n = 0;
    while (**at == ' ') ++*at;
    if (**at == '\n' || **at == '\0') return NULL;
    for (unsigned byte; sscanf(*at, "%2x", &byte) == 1 && **at > ' '; *at += 2) word[n++] = (char)byte;
    word[n] = '\0';
    return word;
}

START_TEST(tokens_and_vocabulary_of_torchtext) {
    FILE *file = fopen("tests/golden/torchtext.txt", "r");
    static char line[20000];
    torchtext_Tokenizer tokenizer = torchtext_get_tokenizer("basic_english");
    t_StringList *texts = t_strings();
    ck_assert(file != NULL);
    while (fgets(line, sizeof line, file) && line[0] != '=') {
        const char *at = line, *text = next_word(&at), *token;
        t_strings_append(texts, text);
        t_StringList *tokens = tokenizer(t_strings_get(texts, -1));
        int64_t i = 0;
        for (; (token = next_word(&at)) != NULL; i++)
            if (i >= tokens->len || strcmp(tokens->items[i], token) != 0)
                note("text %d, token %d: %s", (int)texts->len, (int)i, token);
        if (i != tokens->len) note("text %d: %d tokens", (int)texts->len, (int)tokens->len);
    }
    torchtext_Map map = {tokenizer, texts, 0};
    torchtext_Vocab *vocab = torchtext_build_vocab_from_iterator(torchtext_map_next, .context = &map);
    int64_t n = 0;
    for (; fgets(line, sizeof line, file); n++) {
        const char *at = line, *token = next_word(&at);
        if (torchtext_vocab_get(vocab, token) != n) note("word %d: %s", (int)n, token);
    }
    fclose(file);
    ck_assert_int_eq(n, torchtext_vocab_len(vocab));
    ck_assert_int_gt(n, 100);
    report_notes();
}
END_TEST

/* ---- vocabularies ---- */

START_TEST(vocab_from_an_iterator) {
    t_StringList *texts = t_strings("b a c a", "b b d", "");
    torchtext_Map map = {torchtext_get_tokenizer(NULL), texts, 0};
    torchtext_Vocab *v =
        torchtext_build_vocab_from_iterator(torchtext_map_next, .context = &map, .specials = t_strings("<unk>", "a"));
    ck_assert_str_eq((t_strings_join)(" ", v->itos), "<unk> a b c d");
    map.next = 0;
    v = torchtext_build_vocab_from_iterator(torchtext_map_next, 2, t_strings("<pad>"), false, .context = &map);
    ck_assert_str_eq((t_strings_join)(" ", v->itos), "b a <pad>");
    map.next = 0;
    v = torchtext_build_vocab_from_iterator(torchtext_map_next, .max_tokens = 3, .specials = t_strings("<unk>"),
                                            .context = &map);
    ck_assert_str_eq((t_strings_join)(" ", v->itos), "<unk> b a");
    map.next = 0;
    const torchtext_VocabOptions options = {sizeof options, 1, t_strings("<unk>"), true, 1, &map};
    expect_refusal(!torchtext_build_vocab_from_iterator_new(torchtext_map_next, &options),
                   "len(specials) >= max_tokens, so the vocab will be entirely special tokens.");
    map.texts = NULL;
    expect_refusal(!torchtext_build_vocab_from_iterator_new(
                       torchtext_map_next, &(torchtext_VocabOptions){sizeof options, 1, NULL, true, T_NONE, &map}),
                   "argument 1 is NULL where a list of strings is expected");
}
END_TEST

START_TEST(a_vocab_is_used) {
    const int64_t counts[] = {3, 1, 2};
    torchtext_Vocab *v =
        torchtext_vocab(t_strings("x", "y", "z"), counts, .min_freq = 2, .specials = t_strings("<unk>"));
    ck_assert_str_eq((t_strings_join)(" ", v->itos), "<unk> x z");
    expect_refusal((torchtext_vocab_get)(v, "y") == -1, "Token y not found and default index is not set");
    expect_refusal(!(torchtext_lookup_indices)(v, (t_strings_new)((const char *[]){"x", "q"}, 2)),
                   "Token q not found and default index is not set");
    torchtext_set_default_index(v, torchtext_vocab_get(v, "<unk>"));
    ck_assert_int_eq(torchtext_vocab_get(v, "y"), 0);
    Tensor *ids = torchtext_lookup_indices(v, t_strings("z", "y", "x"));
    HOLDS(t_equal(ids, t_tensor("[2, 0, 1]")));
    HOLDS(strcmp(t_strings_join(" ", torchtext_lookup_tokens(v, ids)), "z <unk> x") == 0);
    HOLDS(torchtext_vocab_contains(v, "x") && !torchtext_vocab_contains(v, "y"));
    HOLDS(strcmp(torchtext_lookup_token(v, 1), "x") == 0);
    torchtext_insert_token(v, "first", 0);
    torchtext_append_token(v, "last");
    ck_assert_str_eq((t_strings_join)(" ", v->itos), "first <unk> x z last");
    ck_assert_int_eq(torchtext_vocab_get(v, "z"), 3);
    ck_assert_int_eq(torchtext_vocab_get(v, "last"), 4);
    expect_refusal(!(torchtext_insert_token)(v, "x", 0), "Token x already exists in the Vocab with index: 2");
    expect_refusal(!(torchtext_insert_token)(v, "q", 6), "Specified index 6 is out of bounds for vocab of size 5");
    expect_refusal(!(torchtext_lookup_token)(v, -1), "Specified index -1 is out of bounds for vocab of size 5");
    expect_refusal(!torchtext_vocab_new((t_strings_new)((const char *[]){"x", "x"}, 2), NULL, NULL),
                   "Duplicate token found in tokens list: x");
    expect_refusal(!(torchtext_get_tokenizer)("spacy"),
                   "Requested tokenizer spacy, valid choices are \"basic_english\" "
                   "and NULL, which splits at white space");
    HOLDS(strcmp(t_strings_join("|", torchtext_ngrams_iterator(t_strings("here", "we", "are"), 2)),
                 "here|we|are|here we|we are") == 0);
}
END_TEST

/* ---- WikiText ---- */

START_TEST(wikitext_is_read) {
    ck_assert_int_eq(
        system("mkdir -p build/test_wikitext/wikitext-2 build/test_wikitext/datasets/WikiText103/wikitext-103 "
               "&& printf ' \\n = Title = \\nlast' > build/test_wikitext/wikitext-2/wiki.train.tokens "
               "&& printf 'a\\0b' > build/test_wikitext/wikitext-2/wiki.test.tokens "
               "&& printf 'x\\n' > build/test_wikitext/datasets/WikiText103/wikitext-103/wiki.valid.tokens"),
        0);
    t_StringList *lines = datasets_WikiText2("build/test_wikitext", "train");
    ck_assert_int_eq(lines->len, 3);
    ck_assert_str_eq(lines->items[1], " = Title = \n");
    ck_assert_str_eq(lines->items[2], "last");
    ck_assert_int_eq(datasets_WikiText2("build/test_wikitext/wikitext-2", "train")->len, 3);
    ck_assert_int_eq(datasets_WikiText103("build/test_wikitext", "valid")->len, 1);
    expect_refusal(!(datasets_WikiText2)("build/test_wikitext", "test"),
                   "build/test_wikitext/wikitext-2/wiki.test.tokens: a zero at byte 1, which no line of a text has");
    expect_refusal(!(datasets_WikiText2)("build/test_wikitext", "valid"),
                   "there is no wiki.valid.tokens in build/test_wikitext or build/test_wikitext/wikitext-2: nothing is "
                   "downloaded; the files are in "
                   "https://s3.amazonaws.com/research.metamind.io/wikitext/wikitext-2-v1.zip");
    expect_refusal(!(datasets_WikiText2)("build", "all"), "split 'all' is none of train, valid and test");
    ck_assert_int_eq(system("rm -rf build/test_wikitext"), 0);
}
END_TEST

static bool build(void *with) {
    (void)with;
    t_StringList *texts = (t_strings_new)((const char *[]){"It's a; test.", "of all, of ALL"}, 2);
    torchtext_Map map = {(torchtext_get_tokenizer)("basic_english"), texts, 0};
    const torchtext_VocabOptions options = {sizeof options, 1, texts, true, T_NONE, &map};
    torchtext_Vocab *v = texts ? torchtext_build_vocab_from_iterator_new(torchtext_map_next, &options) : NULL;
    return v && (torchtext_lookup_indices)(v, texts) && (torchtext_insert_token)(v, "new", 0) &&
           (torchtext_ngrams_iterator)(texts, 2);
}

START_TEST(failing_allocations) {
    refuse_all("vocab", build, NULL, NULL);
    report_notes();
}
END_TEST

Suite *torchtext_suite(void);
Suite *torchtext_suite(void) {
    Suite *suite = suite_create("torchtext");
    TCase *test = tcase_create("torchtext");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, tokens_and_vocabulary_of_torchtext);
    tcase_add_test(test, vocab_from_an_iterator);
    tcase_add_test(test, a_vocab_is_used);
    tcase_add_test(test, wikitext_is_read);
    tcase_add_test(test, failing_allocations);
    suite_add_tcase(suite, test);
    return suite;
}
