/* examples/char_gpt/options.c: the command line, one table of options. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const Options defaults = {.steps = 1000,
                                 .batch_size = 32,
                                 .context = 64,
                                 .layers = 3,
                                 .d_model = 96,
                                 .every = 100,
                                 .characters = 60000,
                                 .seed = 42,
                                 .lr = 3e-3,
                                 .tokens = 400,
                                 .slide = 1,
                                 .temperature = 0.8,
                                 .top_p = 1};

typedef enum Kind { integer, real, word, flag } Kind;

typedef struct Row {
    const char *name;
    Kind kind;
    size_t offset;      /* of the field in Options */
    double least, most; /* of a number */
    const char *text;
} Row;

#define FIELD(name) offsetof(Options, name)
static const Row rows[] = {
    {"--steps", integer, FIELD(steps), 0, 1e9, "training steps"},
    {"--batch-size", integer, FIELD(batch_size), 1, 1e6, "windows of text in a step"},
    {"--context", integer, FIELD(context), 1, 65536, "characters in a window"},
    {"--layers", integer, FIELD(layers), 0, 1024, "blocks"},
    {"--heads", integer, FIELD(heads), 0, 1024, "attention heads; 0: one for 32 features (--gpt2: 64)"},
    {"--d-model", integer, FIELD(d_model), 1, 65536, "features of a position"},
    {"--dropout", real, FIELD(dropout), 0, 0.99, "dropout everywhere"},
    {"--lr", real, FIELD(lr), 0, 10, "the highest learning rate"},
    {"--every", integer, FIELD(every), 1, 1e9, "steps between two lines, and two checkpoints"},
    {"--characters", integer, FIELD(characters), 0, 1e8, "length of the text that the program writes"},
    {"--text", word, FIELD(text), 0, 0, "a file to learn from, in place of that text"},
    {"--seed", integer, FIELD(seed), 0, 9e15, "of every random number"},
    {"--threads", integer, FIELD(threads), 0, 256, "which change no digit; 0: as many as processors"},
    {"--checkpoint", word, FIELD(checkpoint), 0, 0, "write everything into this file on the way"},
    {"--resume", flag, FIELD(resume), 0, 0, "go on from the file of --checkpoint"},
    {"--prompt", word, FIELD(prompt), 0, 0, "what the sample goes on from; else held-out text"},
    {"--tokens", integer, FIELD(tokens), 0, 1e9, "length of the sample"},
    {"--temperature", real, FIELD(temperature), 0, 1e6, "below 1: safer, 0: always the likeliest"},
    {"--top-k", integer, FIELD(top_k), 0, 1e9, "draw from the k likeliest only; 0: from all"},
    {"--top-p", real, FIELD(top_p), 0, 1, "draw from the likeliest, of this probability in all"},
    {"--slide", integer, FIELD(slide), 1, 65536, "how far the window moves when it is full"},
    {"--recompute", flag, FIELD(recompute), 0, 0, "sample without the cache: the same text, later"},
    {"--gpt2", word, FIELD(gpt2), 0, 0, "no training: a file of GPT-2's goes on from --ids"},
    {"--ids", word, FIELD(ids), 0, 0, "token ids in place of a prompt: 464,3290,318"},
    {"--export", word, FIELD(export), 0, 0, "write the weights at the end, as GPT-2 has them"},
    {"--plots", word, FIELD(plots), 0, 0, "also write the curves into this folder, as SVG"},
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(ROWS <= 32, "Options.given has a bit for each");

static void print_help(void) {
    printf("char_gpt: a GPT learns to write from a text, character by character.\n\n");
    for (int i = 0; i < ROWS; i++) {
        const char *field = (const char *)&defaults + rows[i].offset;
        printf("  %-13s %-6s %s", rows[i].name, rows[i].kind == flag ? "" : "VALUE", rows[i].text);
        if (rows[i].kind == integer) printf(" (%lld)", (long long)*(const int64_t *)field);
        if (rows[i].kind == real) printf(" (%g)", *(const double *)field);
        printf("\n");
    }
}

static const Row *find(const char *name) {
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    fprintf(stderr, "char_gpt: there is no option \"%s\"; --help lists them\n", name);
    return NULL;
}

static bool set_number(const Row *row, const char *text, void *field) {
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    bool is_number = *text && !*end && !errno && isfinite(value) && (row->kind == real || value == floor(value));
    if (!is_number || value < row->least || value > row->most) {
        fprintf(stderr, "char_gpt: %s takes %s from %.10g to %.10g, not \"%s\"\n", row->name,
                row->kind == integer ? "an integer" : "a number", row->least, row->most, text);
        return false;
    }
    if (row->kind == integer) *(int64_t *)field = (int64_t)value;
    else *(double *)field = value;
    return true;
}

/* The rules that involve several options. */
static bool check_together(const Options *o) {
    const char *wrong = NULL;
    if (o->resume && !o->checkpoint) wrong = "--resume needs the file of --checkpoint";
    else if (o->gpt2 && !o->ids)
        wrong = "--gpt2 needs --ids: its tokens are not characters, and there is no tokenizer here";
    else if (o->ids && !o->gpt2) wrong = "--ids goes with --gpt2 only";
    if (wrong) fprintf(stderr, "char_gpt: %s\n", wrong);
    return !wrong;
}

bool was_given(const Options *options, const char *name) {
    const Row *row = find(name);
    return row && options->given >> (row - rows) & 1;
}

bool parse_options(int argc, char **argv, Options *options, int *status) {
    *options = defaults;
    *status = 2;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            *status = 0;
            return false;
        }
        const Row *row = find(argv[i]);
        if (!row) return false;
        void *field = (char *)options + row->offset;
        options->given |= 1u << (row - rows);
        if (row->kind == flag) {
            *(bool *)field = true;
        } else if (++i == argc) {
            fprintf(stderr, "char_gpt: %s needs a value\n", row->name);
            return false;
        } else if (row->kind == word) {
            *(const char **)field = argv[i];
        } else if (!set_number(row, argv[i], field)) {
            return false;
        }
    }
    if (!options->heads) options->given &= ~(1u << (find("--heads") - rows));
    if (!options->heads && !options->gpt2) options->heads = options->d_model % 32 ? 1 : options->d_model / 32;
    return check_together(options);
}
