/* examples/train_classifier/options.h: what the command line of train_classifier sets. */
#ifndef TRAIN_CLASSIFIER_OPTIONS_H
#define TRAIN_CLASSIFIER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Options {
    int64_t seq_len, vocab, samples, epochs, batch_size, warmup, d_model, heads, layers, d_ff, seed, threads, every;
    double lr, beta2, weight_decay, max_norm, dropout;
    const char *pool;     /* "mean", "max" or "first" */
    const char *plots;    /* a folder, or NULL */
    const char *checkpoint; /* a file, or NULL */
    bool scale_embedding; /* times sqrt(d_model), as the notebook does */
    bool xavier;          /* initial matrices as in nn.Transformer; otherwise Linear's own, as in the notebook */
    bool tutorial, curriculum, grad_norms, resume;
} Options;

/* Reads argv. Returns false after --help (*status 0) or a bad value (*status 2, the reason on stderr). */
bool parse_options(int argc, char **argv, Options *options, int *status);

#endif
