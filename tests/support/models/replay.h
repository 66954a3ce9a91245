/* tests/support/models/replay.h: replays a run of a module and compares outputs and the gradients of parameters and
 * inputs with PyTorch's; and compares what a program prints with recorded lines. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_REPLAY_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_REPLAY_H

#include "tests/support/models/model_support.h"
#include "tests/support/output.h"

enum { DROPOUT_SEED = 1234, INIT_SEED = 42 }; /* as in golden/record_models.py */

typedef struct Run {
    const char *key, *section, *name; /* name: "32e" or "64e" in eval mode, "32t" or "64t" in training mode */
    nn_Module *module;
} Run;

/* Gives run->module (which has just been made) the dtype and the mode of the run and hashed values, and seeds its
 * dropout; returns the inputs that the text names. */
Inputs run_begin(Run *run, void *module, const char *inputs);
/* The backward pass from a hashed gradient of y, then run_compare_gradients. */
void run_backward(const Run *run, Tensor *y, const Inputs *in);
/* After the run's scope has closed: live tensors must be as many as before it, and no error is left. */
void run_end(const Run *run, int64_t live_before);

/* Whether the array "name.array" was recorded, completely or as sums and samples. */
bool run_has(const Run *run, const char *array);
/* Compares got with the recorded array "name.array". */
void run_compare(const Run *run, const char *array, Tensor *got, Role role);
/* After the backward pass: "g:" and each parameter's name, "x" and the index of each input that requires grad. */
void run_compare_gradients(const Run *run, const Inputs *in);

/* The maker whose label is the key's first word. */
const ModuleMaker *find_maker(const ModuleMaker *makers, const char *key);
/* Seeded with INIT_SEED, a new module has the recorded initial bits, and the next random values are the recorded
 * ones. */
void compare_initial_bits(const ModuleMaker *maker, const char *section);
/* Compares nn_repr's text, and the names of the parameters in one line. */
void compare_repr(const ModuleMaker *maker, const char *section);

/* From here on the first error is remembered, since a program would end there; later failures, for lack of a tensor,
 * are ignored. expect_first_error notes if its message differs, and clears it. */
void catch_first_error(void);
void expect_first_error(const char *what, const char *message);
/* Copies the line at `at` of a case that holds text and returns the position after it; NULL after the last line. */
const char *golden_line(const char *at, char *line, size_t capacity);

#endif
