/* examples/train_classifier/options.c: the command line: one table of options, read from left to right. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The setting that learns; the task is "do two neighbours repeat?" */
static const Options defaults = {.seq_len = 8, .vocab = 10, .samples = 50000, .epochs = 8, .batch_size = 64, .lr = 3e-3,
                                 .beta2 = 0.999, .warmup = 200, .d_model = 32, .heads = 4, .layers = 2, .d_ff = 128,
                                 .pool = "mean", .seed = 42, .xavier = true};
/* The notebook's own values. */
static const Options tutorial = {.seq_len = 20,
                                 .vocab = 50,
                                 .samples = 1000,
                                 .epochs = 50,
                                 .batch_size = 32,
                                 .lr = 1e-3,
                                 .beta2 = 0.999,
                                 .d_model = 128,
                                 .heads = 4,
                                 .layers = 2,
                                 .d_ff = 256,
                                 .dropout = 0.1,
                                 .pool = "mean",
                                 .seed = 42,
                                 .scale_embedding = true,
                                 .tutorial = true};
/* The notebook's task by way of easier ones; samples and epochs are those of the last stage. AdamW instead of Adam:
 * without weight decay the longer sequences take about twice as many steps; with 0.3 a run can get stuck at 0.9. */
static const Options curriculum = {.seq_len = 20, .vocab = 50, .samples = 100000, .epochs = 6, .batch_size = 64,
                                   .lr = 2e-3, .beta2 = 0.98, .weight_decay = 0.1, .max_norm = 1, .warmup = 100,
                                   .d_model = 48, .heads = 4, .layers = 2, .d_ff = 192, .pool = "mean", .seed = 42,
                                   .xavier = true, .curriculum = true};

typedef enum Kind { integer, real, word, folder, flag, preset, help } Kind;

typedef struct Row {
    const char *name;
    Kind kind;
    size_t offset;      /* of the field in Options */
    double least, most; /* of a number */
    const char *text;
    const Options *values; /* of a preset */
} Row;

#define FIELD(name) offsetof(Options, name)
static const Row rows[] = {
    {"--seq-len", integer, FIELD(seq_len), 2, 4096, "tokens in a sequence", NULL},
    {"--vocab", integer, FIELD(vocab), 2, 1e6, "size of the vocabulary; token 0 is never drawn", NULL},
    {"--samples", integer, FIELD(samples), 1, 1e8, "training sequences", NULL},
    {"--epochs", integer, FIELD(epochs), 0, 1e6, "passes at most: it ends when validation is solved", NULL},
    {"--batch-size", integer, FIELD(batch_size), 1, 1e6, "sequences in a step", NULL},
    {"--lr", real, FIELD(lr), 0, 10, "learning rate of Adam", NULL},
    {"--beta2", real, FIELD(beta2), 0, 0.999999, "how slowly Adam forgets squared gradients", NULL},
    {"--weight-decay", real, FIELD(weight_decay), 0, 10, "AdamW's weight decay; 0: Adam", NULL},
    {"--max-norm", real, FIELD(max_norm), 0, 1e9, "clip the norm of all gradients to this; 0: not", NULL},
    {"--warmup", integer, FIELD(warmup), 0, 1e9, "steps over which the rate rises to it", NULL},
    {"--d-model", integer, FIELD(d_model), 2, 65536, "features of a token", NULL},
    {"--heads", integer, FIELD(heads), 1, 1024, "attention heads", NULL},
    {"--layers", integer, FIELD(layers), 0, 1024, "encoder layers", NULL},
    {"--d-ff", integer, FIELD(d_ff), 1, 1 << 20, "features inside the feed-forward network", NULL},
    {"--dropout", real, FIELD(dropout), 0, 0.99, "dropout everywhere", NULL},
    {"--pool", word, FIELD(pool), 0, 0, "mean, max or first: what is classified", NULL},
    {"--plots", folder, FIELD(plots), 0, 0, "also write the pictures into this folder, as SVG", NULL},
    {"--checkpoint", folder, FIELD(checkpoint), 0, 0, "write everything into this file after every epoch", NULL},
    {"--every", integer, FIELD(every), 0, 1e9, "and in an epoch after that many batches; 0: not", NULL},
    {"--resume", flag, FIELD(resume), 0, 0, "go on from the file of --checkpoint, if there is one", NULL},
    {"--seed", integer, FIELD(seed), 0, 9e15, "of every random number", NULL},
    {"--threads", integer, FIELD(threads), 0, 256, "which change no digit; 0: as many as processors", NULL},
    {"--grad-norms", flag, FIELD(grad_norms), 0, 0, "print the gradient norm of each layer after every epoch", NULL},
    {"--tutorial", preset, 0, 0, 0, "the notebook's values: memorises, learns no rule", &tutorial},
    {"--curriculum", preset, 0, 0, 0, "learns the notebook's task (20 tokens of 50) in stages", &curriculum},
    {"--help", help, 0, 0, 0, "this text", NULL},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void print_default(const Row *row) {
    const char *field = (const char *)&defaults + row->offset;
    if (row->kind == integer) printf(" (%lld)", (long long)*(const int64_t *)field);
    else if (row->kind == real) printf(" (%g)", *(const double *)field);
    else if (row->kind == word) printf(" (%s)", *(const char *const *)field);
}

static void print_help(void) {
    printf("train_classifier: an encoder learns whether a sequence has two equal neighbours.\n\n");
    for (int i = 0; i < ROWS; i++) {
        bool takes_value = rows[i].kind <= folder;
        printf("  %-14s %-6s %s", rows[i].name, takes_value ? "VALUE" : "", rows[i].text);
        print_default(&rows[i]);
        printf("\n");
    }
    printf("\nOptions are read from left to right:\nthose after --tutorial or --curriculum change its values.\n");
}

static const Row *find(const char *name) {
    for (int i = 0; i < ROWS; i++)
        if (strcmp(rows[i].name, name) == 0) return &rows[i];
    return NULL;
}

static bool set_number(const Row *row, const char *text, void *field) {
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    bool is_number = *text && !*end && !errno && isfinite(value) && (row->kind == real || value == floor(value));
    if (!is_number || value < row->least || value > row->most) {
        fprintf(stderr, "train_classifier: %s takes %s from %.10g to %.10g, not \"%s\"\n", row->name,
                row->kind == integer ? "an integer" : "a number", row->least, row->most, text);
        return false;
    }
    if (row->kind == integer) *(int64_t *)field = (int64_t)value;
    else *(double *)field = value;
    return true;
}

static bool set_value(const Row *row, const char *text, Options *options) {
    void *field = (char *)options + row->offset;
    if (row->kind < word) return set_number(row, text, field);
    if (row->kind == word && strcmp(text, "mean") != 0 && strcmp(text, "max") != 0 && strcmp(text, "first") != 0) {
        fprintf(stderr, "train_classifier: %s takes mean, max or first, not \"%s\"\n", row->name, text);
        return false;
    }
    *(const char **)field = text;
    return true;
}

/* What no single option can see. */
static bool check_together(const Options *options) {
    if (options->d_model % options->heads) {
        fprintf(stderr, "train_classifier: --d-model %lld is not divisible by --heads %lld\n",
                (long long)options->d_model, (long long)options->heads);
        return false;
    }
    if (options->resume && !options->checkpoint) {
        fprintf(stderr, "train_classifier: --resume wants the file of --checkpoint\n");
        return false;
    }
    if (options->d_model % 2) {
        fprintf(stderr,
                "train_classifier: --d-model %lld is odd; half of the positions' features are sines, half cosines\n",
                (long long)options->d_model);
        return false;
    }
    return true;
}

bool parse_options(int argc, char **argv, Options *options, int *status) {
    *options = defaults;
    *status = 2;
    for (int i = 1; i < argc; i++) {
        const Row *row = find(argv[i]);
        if (!row && strchr(argv[i], '=')) {
            fprintf(stderr, "train_classifier: write \"%.*s %s\", not \"%s\"\n", (int)strcspn(argv[i], "="), argv[i],
                    strchr(argv[i], '=') + 1, argv[i]);
            return false;
        }
        if (!row) {
            fprintf(stderr, "train_classifier: there is no option \"%s\"; --help lists them\n", argv[i]);
            return false;
        }
        if (row->kind == help) {
            print_help();
            *status = 0;
            return false;
        }
        if (row->kind == preset) {
            *options = *row->values;
        } else if (row->kind == flag) {
            *(bool *)((char *)options + row->offset) = true;
        } else if (i + 1 == argc) {
            fprintf(stderr, "train_classifier: %s wants a value\n", row->name);
            return false;
        } else if (!set_value(row, argv[++i], options)) {
            return false;
        }
    }
    return check_together(options);
}
