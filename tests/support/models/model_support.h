/* tests/support/models/model_support.h: shared by the suites of nn and training: modules by label, hashed parameters,
 * recorded arrays of models_*.txt. golden/record_models.py writes them. */
#ifndef TAPEGRAD_TESTS_SUPPORT_MODELS_MODEL_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_MODELS_MODEL_SUPPORT_H

#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/support.h"

/* The expression fails with this message, calls the error handler once, and leaks no tensor. */
#define REFUSES(expression, message)                                       \
    do {                                                                   \
        int64_t live_before = t_live_count();                              \
        clear_errors();                                                    \
        bool done;                                                         \
        with_scope() done = (expression);                                  \
        ck_assert_msg(!done, "this succeeds: " #expression);               \
        ck_assert_int_eq(error_count(), 1);                                \
        expect_error(message);                                             \
        ck_assert_int_eq(t_live_count(), live_before);                     \
    } while (0)

/* Sets p of every dropout in the tree. */
void set_dropout(void *module, double p);
/* One hash over the bits of all parameters. */
uint64_t parameter_bits(void *module);

/* ---- modules by the labels of the golden files ---- */

typedef struct ModuleMaker {
    const char *label;
    void *(*make)(void);
} ModuleMaker;
extern const ModuleMaker layer_makers[], transformer_makers[], init_makers[]; /* each ends with a NULL label */

/* The outputs of a module for the inputs of a case, called by its own function if it has one. */
typedef struct Outputs {
    Tensor *y;
    t_TensorList *weights; /* one per layer */
} Outputs;
Outputs call_module(nn_Module *module, const Inputs *in);

/* ---- values ---- */

/* Fills parameters and buffers with values hashed from the key and their names. */
void load_hashed(void *module, const char *key);
void load_hashed_parameters(void *module, const char *key);
void fill_hashed(Tensor *x, const char *key, const char *name); /* one of them */
/* Puts recorded values into a parameter or buffer. */
void load_recorded(Tensor *x, const char *section, const char *name);
/* FNV-1a over the bytes, as the recorder writes it. */
bool same_bits(const char *what, Tensor *x, const char *section, const char *name);
uint64_t fnv_of(Tensor *x, uint64_t hash);
#define FNV_START 0xCBF29CE484222325u
bool same_fnv(const char *what, uint64_t hash, const char *section, const char *name);

/* Compares x with an array that was recorded completely, or as sums and samples. */
bool matches_recorded(const char *what, Tensor *x, const char *section, const char *name, Role role);
bool has_recorded(const char *section, const char *name);

/* Calls visit with the key ("linear r(3)") and the section of each case of a file; the test fails without the file. */
void each_case(const char *file, void (*visit)(const char *key, const char *section, void *context), void *context);

#endif
