/* tests/interop/tokenizers_program.c: what tests/interop/tokenizers_compare.py compares with tiktoken and tokenizers.
 *
 *     interop_tokenizers encode FOLDER NAME TEXT IDS     NAME gpt2 or cl100k_base: tiktoken with FOLDER's files; hf or
 *                                                        json: GPT2Tokenizer, Tokenizer.from_file; IDS: an .npy file
 *     interop_tokenizers train FOLDER SIZE FREQUENCY PREFIX TEXT...     writes vocab.json and merges.txt there
 *
 * encode prints the processor seconds that encoding took. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/core.h"
#include "core/text/text.h"

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return t_fail("%s cannot be read", path);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    if (!text || fread(text, 1, *size, file) != *size) return t_fail("%s cannot be read", path);
    fclose(file);
    return text;
}

static double processor_seconds(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static int encode(char **argv) {
    const char *folder = argv[2], *name = argv[3];
    size_t size, decoded;
    char *text = read_file(argv[4], &size);
    tiktoken_Encoding *enc = NULL;
    tokenizers_Tokenizer *tokenizer = NULL;
    if (strcmp(name, "hf") == 0)
        tokenizer = GPT2Tokenizer_from_pretrained(folder);
    else if (strcmp(name, "json") == 0)
        tokenizer = tokenizers_Tokenizer_from_file(t_format("%s/tokenizer.json", folder));
    else
        enc = setenv("TIKTOKEN_CACHE_DIR", folder, 1) == 0 ? tiktoken_get_encoding(name) : NULL;
    const double begin = processor_seconds();
    Tensor *ids = enc ? tiktoken_encode_bytes(enc, text, size) : tokenizers_encode_bytes(tokenizer, text, size);
    printf("%.4f\n", processor_seconds() - begin);
    const void *bytes =
        enc ? tiktoken_decode_bytes(enc, ids, &decoded) : tokenizers_decode_bytes(tokenizer, ids, &decoded);
    if (decoded != size || memcmp(bytes, text, size) != 0) return t_fail("decode(encode(x)) is not x") != NULL;
    free(text);
    return np_save(argv[5], ids) ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int train(int argc, char **argv) {
    tokenizers_Tokenizer *tokenizer = tokenizers_ByteLevelBPETokenizer(.add_prefix_space = atoi(argv[5]) != 0);
    t_StringList *files = t_strings();
    for (int i = 6; i < argc; i++) t_strings_append(files, argv[i]);
    tokenizers_train(tokenizer, files, .vocab_size = atoi(argv[3]), .min_frequency = atoi(argv[4]),
                     .special_tokens = t_strings("<|endoftext|>", "e"));
    const bool ok = tokenizers_save(tokenizer, t_format("%s/tokenizer0.json", argv[2]), .pretty = false) &&
                    tokenizers_save(tokenizer, t_format("%s/tokenizer1.json", argv[2]));
    return ok && tokenizers_save_model(tokenizer, argv[2], NULL) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
    if (argc == 6 && strcmp(argv[1], "encode") == 0) return encode(argv);
    if (argc > 6 && strcmp(argv[1], "train") == 0) return train(argc, argv);
    return EXIT_FAILURE;
}
