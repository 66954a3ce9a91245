/* examples/char_gpt/options.h: what the command line sets. */
#ifndef CHAR_GPT_OPTIONS_H
#define CHAR_GPT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Options {
    int64_t steps, batch_size, context, layers, heads, d_model, every, characters, seed, threads;
    double lr, dropout;
    int64_t tokens, top_k, slide; /* of the sample */
    double temperature, top_p;
    const char *prompt, *ids, *text, *checkpoint, *gpt2, *export, *plots;
    bool resume, recompute;
    uint32_t given; /* a bit for each option that the command line has */
} Options;

/* Reads argv. Returns false after --help (*status 0) or a bad value (*status 2, the reason on stderr). */
bool parse_options(int argc, char **argv, Options *options, int *status);

/* Whether the command line has that option: what it leaves out, a checkpoint may know better. */
bool was_given(const Options *options, const char *name);

#endif
