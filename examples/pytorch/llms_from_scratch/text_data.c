/* examples/pytorch/llms_from_scratch/text_data.c: chapter 2 of Sebastian Raschka's "Build a Large Language Model
 * (From Scratch)": from a text to words, to ids, to windows of inputs and targets, to embeddings of tokens and
 * positions.
 *
 * Difficulty: **     Read first: basics/data     Read next: llms_from_scratch/attention */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/data/data.h"
#include "examples/pytorch/llms_from_scratch/gpt_dataset.h"
#include "examples/pytorch/llms_from_scratch/story.h"
#include "examples/pytorch/llms_from_scratch/tokenizer.h"
#include "nn/nn.h"

/* ---- Lists of words: what Python's re and str have ---- */

enum { MAX_WORDS = 2048 };

typedef struct Words {
    int64_t len;
    const char *items[MAX_WORDS]; /* owned by the scope that made them */
} Words;

static void words_append(Words *self, const char *word) {
    if (self->len == MAX_WORDS) t_fail("more than %d words", MAX_WORDS);
    else self->items[self->len++] = word;
}

/* re.split(r"([marks]|\s)", text): the parts, and what separates them; with dashes -- is a separator, too */
static Words re_split(const char *marks, bool dashes, const char *text) {
    Words parts = {0};
    const char *begin = text;
    for (; *text; text = begin) {
        while (*text && !isspace((unsigned char)*text) && !strchr(marks, *text) &&
               !(dashes && strncmp(text, "--", 2) == 0))
            text++;
        words_append(&parts, t_format("%.*s", (int)(text - begin), begin));
        if (*text == 0) return parts;
        int length = *text == '-' ? 2 : 1;
        words_append(&parts, t_format("%.*s", length, text));
        begin = text + length;
    }
    words_append(&parts, "");
    return parts;
}

/* re.sub(r'\s+([,.:;?!"()\'])', r"\1", text): without the blanks before a mark */
static const char *re_sub(const char *text) {
    const char *result = "";
    while (*text) {
        const char *mark = text + strspn(text, " ");
        if (*mark && strchr(",.:;?!\"()'", *mark)) text = mark;
        result = t_format("%s%c", result, *text);
        text++;
    }
    return result;
}

/* " ".join(words) */
static const char *join(const Words *words) {
    const char *text = "";
    for (int64_t i = 0; i < words->len; i++) text = t_format("%s%s%s", text, i ? " " : "", words->items[i]);
    return text;
}

/* sorted(set(words)) */
static Words sorted_set(Words words) {
    Words unique = {0};
    qsort(words.items, (size_t)words.len, sizeof *words.items, compare_words);
    for (int64_t i = 0; i < words.len; i++)
        if (i == 0 || strcmp(words.items[i], words.items[i - 1]) != 0) words_append(&unique, words.items[i]);
    return unique;
}

/* repr(word) */
static const char *word_repr(const char *word) {
    return strchr(word, '\'') && !strchr(word, '"') ? t_format("\"%s\"", word) : t_format("'%s'", word);
}

/* print(words[:n]) */
static void print_words(const Words *words, int64_t n) {
    for (int64_t i = 0; i < n; i++) printf("%s%s", i ? ", " : "[", word_repr(words->items[i]));
    printf("]\n");
}

/* print([x, y]) */
static void print_batch(const data_Batch *batch) {
    printf("[%s, %s]\n", t_str(batch->x), t_str(batch->y));
}

static Words split_words(const char *text) {
    Words result = {0}, parts = re_split(",.:;?_!\"()'", true, text);
    for (int64_t part = 0; part < parts.len; part++)
        if (*parts.items[part] && !isspace((unsigned char)*parts.items[part])) words_append(&result, parts.items[part]);
    return result;
}

/* ---- Two tokenizers ---- */

/* A vocabulary is its words: the id of one is its index. -1: it is not there. */
static int64_t vocab_get(const Words *vocab, const char *word) {
    for (int64_t i = 0; i < vocab->len; i++)
        if (strcmp(vocab->items[i], word) == 0) return i;
    return -1;
}

typedef struct Ids {
    int64_t len, items[MAX_WORDS];
} Ids;

static void ids_append(Ids *self, int64_t id) {
    if (self->len == MAX_WORDS) t_fail("more than %d ids", MAX_WORDS);
    else self->items[self->len++] = id;
}

typedef struct SimpleTokenizerV1 {
    const Words *str_to_int;
    const char *const *int_to_str;
} SimpleTokenizerV1;

static SimpleTokenizerV1 simple_tokenizer_v1(const Words *vocab) {
    SimpleTokenizerV1 self;
    self.str_to_int = vocab;
    self.int_to_str = vocab->items;
    return self;
}

static Tensor *simple_tokenizer_v1_encode(const SimpleTokenizerV1 *self, const char *text) {
    Words preprocessed = split_words(text);
    Ids ids = {0};
    for (int64_t s = 0; s < preprocessed.len; s++) {
        int64_t id = vocab_get(self->str_to_int, preprocessed.items[s]);
        if (id < 0) return t_fail("KeyError: '%s'", preprocessed.items[s]);
        ids_append(&ids, id);
    }
    return t_tensor(ids.items, ids.len);
}

static const char *simple_tokenizer_v1_decode(const SimpleTokenizerV1 *self, Tensor *ids) {
    Words words = {0};
    for (int64_t i = 0; i < t_size(ids, 0); i++)
        words_append(&words, self->int_to_str[t_item_int64(t_at(ids, "{}", i))]);
    const char *text = join(&words);
    text = re_sub(text);
    return text;
}

/* The same with "<|unk|>" for what is not in the vocabulary */
typedef struct SimpleTokenizerV2 {
    const Words *str_to_int;
    const char *const *int_to_str;
} SimpleTokenizerV2;

static SimpleTokenizerV2 simple_tokenizer_v2(const Words *vocab) {
    SimpleTokenizerV2 self;
    self.str_to_int = vocab;
    self.int_to_str = vocab->items;
    return self;
}

static Tensor *simple_tokenizer_v2_encode(const SimpleTokenizerV2 *self, const char *text) {
    Words preprocessed = split_words(text);
    Ids ids = {0};
    for (int64_t s = 0; s < preprocessed.len; s++) {
        int64_t id = vocab_get(self->str_to_int, preprocessed.items[s]);
        ids_append(&ids, id < 0 ? vocab_get(self->str_to_int, "<|unk|>") : id);
    }
    return t_tensor(ids.items, ids.len);
}

static const char *simple_tokenizer_v2_decode(const SimpleTokenizerV2 *self, Tensor *ids) {
    Words words = {0};
    for (int64_t i = 0; i < t_size(ids, 0); i++)
        words_append(&words, self->int_to_str[t_item_int64(t_at(ids, "{}", i))]);
    const char *text = join(&words);
    text = re_sub(text);
    return text;
}

/* ---- The steps of the chapter ---- */

static void splitting(void) {
    const char *text = "Hello, clock. This, is a test.";
    Words result = re_split("", false, text);
    print_words(&result, result.len);
    result = re_split(",.", false, text);
    print_words(&result, result.len);
    Words items = result;
    result.len = 0;
    for (int64_t item = 0; item < items.len; item++)
        if (*items.items[item] && *items.items[item] != ' ') words_append(&result, items.items[item]);
    print_words(&result, result.len);
    text = "Hello, clock. Is this-- a test?";
    result = split_words(text);
    print_words(&result, result.len);
}

static void vocabulary(const char *raw_text) {
    Words preprocessed = split_words(raw_text);
    t_print(preprocessed.len);
    print_words(&preprocessed, 30);
    Words all_words = sorted_set(preprocessed);
    int64_t vocab_size = all_words.len;
    t_print(vocab_size);
    Words vocab = all_words;
    for (int item = 0; item < 20; item++) printf("(%s, %d)\n", word_repr(vocab.items[item]), item);

    SimpleTokenizerV1 tokenizer = simple_tokenizer_v1(&vocab);
    const char *text = "\"A clock is never late,\" said the boy; it was cold.";
    Tensor *ids = simple_tokenizer_v1_encode(&tokenizer, text);
    t_print(ids_str(ids));
    t_print(simple_tokenizer_v1_decode(&tokenizer, ids));

    words_append(&all_words, "<|endoftext|>");
    words_append(&all_words, "<|unk|>");
    vocab = all_words;
    t_print(vocab.len);
    for (int item = (int)vocab.len - 5; item < vocab.len; item++)
        printf("(%s, %d)\n", word_repr(vocab.items[item]), item);
    SimpleTokenizerV2 tokenizer2 = simple_tokenizer_v2(&vocab);
    const char *text1 = "Hello, do you like soup?";
    const char *text2 = "In the rain of the summer.";
    text = t_format("%s <|endoftext|> %s", text1, text2);
    t_print(text);
    t_print(ids_str(simple_tokenizer_v2_encode(&tokenizer2, text)));
    t_print(simple_tokenizer_v2_decode(&tokenizer2, simple_tokenizer_v2_encode(&tokenizer2, text)));
}

static Tokenizer sub_words(void) {
    Tokenizer tokenizer = tokenizer_new(STORY);
    const char *text = "Hello, do you like soup? <|endoftext|> In the rain of the summer, someunknownPlace.";
    Tensor *integers = tokenizer_encode(&tokenizer, text);
    t_print(ids_str(integers));
    const char *strings = tokenizer_decode(&tokenizer, integers);
    t_print(strings);
    return tokenizer;
}

static void sliding_window(const char *raw_text, const Tokenizer *tokenizer) {
    Tensor *enc_text = tokenizer_encode(tokenizer, raw_text);
    t_print(t_size(enc_text, 0));
    Tensor *enc_sample = t_at(enc_text, "50:");
    int64_t context_size = 4;
    Tensor *x = t_at(enc_sample, ":{}", context_size);
    Tensor *y = t_at(enc_sample, "1:{}", context_size + 1);
    printf("x: %s\n", ids_str(x));
    printf("y:      %s\n", ids_str(y));
    for_range (i, 1, context_size + 1) {
        Tensor *context = t_at(enc_sample, ":{}", i);
        Tensor *desired = t_at(enc_sample, "{}", i);
        t_print(ids_str(context), "---->", t_item_int64(desired));
    }
    for_range (i, 1, context_size + 1) {
        Tensor *context = t_at(enc_sample, ":{}", i);
        Tensor *desired = t_at(enc_sample, "{}", i);
        t_print(tokenizer_decode(tokenizer, context), "---->", tokenizer_decode(tokenizer, t_unsqueeze(desired, 0)));
    }
}

static void data_loading(const char *raw_text, const Tokenizer *tokenizer) {
    data_DataLoader *dataloader = create_dataloader_v1(raw_text, tokenizer, 1, 4, 1, false, true);
    data_Batch batch;
    data_iter(dataloader, &batch);
    data_iter_next(&batch);
    print_batch(&batch);
    data_iter_next(&batch);
    print_batch(&batch);
    data_iter_end(&batch);

    dataloader = create_dataloader_v1(raw_text, tokenizer, 8, 4, 4, false, true);
    data_Batch first = data_first(dataloader);
    Tensor *inputs = first.x, *targets = first.y;
    t_print("Inputs:\n", inputs);
    t_print("\nTargets:\n", targets);
}

static void embeddings(const char *raw_text, const Tokenizer *tokenizer) {
    Tensor *input_ids = t_tensor("[2, 3, 5, 1]");
    int64_t vocab_size = 6;
    int64_t output_dim = 3;
    t_manual_seed(123);
    nn_Embedding *embedding_layer = nn_Embedding(vocab_size, output_dim);
    t_print(embedding_layer->weight);
    t_print(nn_call(embedding_layer, t_tensor("[3]")));
    t_print(nn_call(embedding_layer, input_ids));

    output_dim = 256;
    nn_Embedding *token_embedding_layer = nn_Embedding(tokenizer->n_vocab, output_dim);
    int64_t max_length = 4;
    data_DataLoader *dataloader = create_dataloader_v1(raw_text, tokenizer, 8, max_length, max_length, false, true);
    data_Batch first = data_first(dataloader);
    Tensor *inputs = first.x;
    t_print("Token IDs:\n", inputs);
    t_print("\nInputs shape:\n", t_size_repr(inputs));
    Tensor *token_embeddings = nn_call(token_embedding_layer, inputs);
    t_print(t_size_repr(token_embeddings));
    int64_t context_length = max_length;
    nn_Embedding *pos_embedding_layer = nn_Embedding(context_length, output_dim);
    Tensor *pos_embeddings = nn_call(pos_embedding_layer, t_arange(max_length));
    t_print(t_size_repr(pos_embeddings));
    Tensor *input_embeddings = t_add(token_embeddings, pos_embeddings);
    t_print(t_size_repr(input_embeddings));
    t_print(t_at(input_embeddings, "0"));
}

int main(void) {
    const char *raw_text = STORY;
    t_print("Total number of character:", strlen(raw_text));
    printf("%.99s\n", raw_text);
    splitting();
    vocabulary(raw_text);
    Tokenizer tokenizer = sub_words();
    sliding_window(raw_text, &tokenizer);
    data_loading(raw_text, &tokenizer);
    embeddings(raw_text, &tokenizer);
    return 0;
}
