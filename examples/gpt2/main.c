/* examples/gpt2: GPT-2 continues a text. The weights and the vocabulary are Hugging Face's files.
 *
 * Difficulty: ***     Read first: char_gpt
 * Library: GPT2Tokenizer, safetensors, attention with a key/value cache
 *
 *     gpt2 --model gpt2 --prompt "The lighthouse keeper"                  the folder gpt2 has the files (README.md)
 *     gpt2 --model gpt2 --prompt "Once" --temperature 0.8 --top-k 50 --top-p 0.95 --seed 7
 *     gpt2 --random 124M --prompt-length 512 --tokens 64                  no files: how fast it is
 *
 * The text goes to stdout, times to stderr. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/python/python.h"
#include "core/text/text.h"
#include "gpt2.h"

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the text as it comes ---- */

/* How many bytes at the end begin a character that is not complete. */
static size_t incomplete(const char *text, size_t size) {
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        unsigned char c = (unsigned char)text[size - back];
        if ((c & 0xc0) == 0x80) continue;
        size_t length = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
        return length > back ? back : 0;
    }
    return 0;
}

/* Prints what ids (n) say beyond the first `printed` bytes; returns how many bytes are printed now. */
static size_t print_more(const tokenizers_Tokenizer *tokenizer, Tensor *ids, size_t printed) {
    size_t size = 0;
    const char *text = tokenizers_decode_bytes(tokenizer, ids, &size);
    size -= incomplete(text, size);
    if (size > printed) fwrite(text + printed, 1, size - printed, stdout);
    fflush(stdout);
    return size > printed ? size : printed;
}

/* ---- generation ---- */

/* ids: (T). tokenizer NULL: nothing is printed, and nothing ends the text. */
static void generate(const GPT2 *model, const tokenizers_Tokenizer *tokenizer, Tensor *ids, int64_t count,
                     const Sampling *how) {
    int64_t T = t_size(ids, 0), n = 0;
    Tensor *out = t_zeros(count, .dtype = t_int64), *token = NULL;
    KVCache cache;
    size_t printed = 0;
    new_cache(model, &cache);
    double begun = seconds(), prompt = 0;
    with_no_grad ()
        for_range (i, 0, count) {
            Tensor *logits = gpt2_logits(model, i ? token : ids, &cache, false);
            if (i == 0) prompt = seconds() - begun;
            t_keep_as(&token, next_token(logits, how));
            if (tokenizer && t_item_int64(token) == tokenizer->eos_token_id) break;
            t_set(out, "{}:{}", i, i + 1, token);
            n = i + 1;
            if (tokenizer) printed = print_more(tokenizer, t_at(out, ":{}", n), printed);
        }
    double rest = seconds() - begun - prompt;
    if (tokenizer) puts("");
    fprintf(stderr, "prompt: %lld tokens in %.3f s, %.0f a second\n", (long long)T, prompt, (double)T / prompt);
    if (n > 1)
        fprintf(stderr, "generation: %lld tokens in %.3f s, %.1f a second, %.1f GB of weights a second\n",
                (long long)n - 1, rest, (double)(n - 1) / rest,
                1e-9 * (double)(model->bytes_per_token * (n - 1)) / rest);
}

int main(int argc, char **argv) {
    const char *folder = "gpt2", *prompt = "The meaning of life is", *random = NULL;
    int64_t tokens = 64, prompt_length = 512, seed = 0;
    Sampling how = {.temperature = 0, .top_k = 0, .top_p = 1};
    argparse_ArgumentParser *parser = argparse_ArgumentParser(.description = "GPT-2 continues a text.");
    argparse_add_argument(parser, &folder, "--model", .help = "a folder with Hugging Face's files of GPT-2");
    argparse_add_argument(parser, &prompt, "--prompt", .help = "how the text begins");
    argparse_add_argument(parser, &tokens, "--tokens", .help = "at most so many are added");
    argparse_add_argument(parser, &how.temperature, "--temperature", .help = "0: always the likeliest token");
    argparse_add_argument(parser, &how.top_k, "--top-k", .help = "draw from the k likeliest; 0: all");
    argparse_add_argument(parser, &how.top_p, "--top-p", .help = "draw from those that together have this probability");
    argparse_add_argument(parser, &seed, "--seed", .help = "of the draws");
    argparse_add_argument(parser, &random, "--random", .choices = {"124M", "355M", "774M", "1558M"},
                          .help = "random weights of this size: how fast it is");
    argparse_add_argument(parser, &prompt_length, "--prompt-length", .help = "tokens of the prompt of --random");
    if (!argparse_parse_args(parser, argc, argv)) return parser->status;
    t_manual_seed(seed);

    static GPT2 model;
    tokenizers_Tokenizer *tokenizer = NULL;
    Tensor *ids;
    double begun = seconds();
    if (random) {
        gpt2_random(&model, random);
        ids = t_randint(0, 50257, (prompt_length, ));
    } else {
        tokenizer = GPT2Tokenizer_from_pretrained(folder);
        gpt2_from_pretrained(&model, folder);
        ids = tokenizers_encode(tokenizer, prompt);
        if (t_size(ids, 0) == 0) ids = t_tensor(&tokenizer->eos_token_id, 1); /* a text begins after the end of one */
    }
    fprintf(stderr, "loaded in %.2f s\n", seconds() - begun);
    if (tokens > model.config.n_positions - t_size(ids, 0)) tokens = model.config.n_positions - t_size(ids, 0);
    if (tokens < 1) t_fail("the prompt fills the context of %lld tokens", (long long)model.config.n_positions);
    if (tokenizer) fputs(prompt, stdout);
    generate(&model, tokenizer, ids, tokens, &how);
    return fflush(stdout) == 0 && !ferror(stdout) ? EXIT_SUCCESS : EXIT_FAILURE;
}
