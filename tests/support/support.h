/* tests/support/support.h: shared by the suites: inputs from a hash rule, recorded values, tolerances,
 * collected failures.
 *
 * Only plain functions are used in here, so that a suite may include sugar.h or not. */
#ifndef TAPEGRAD_TESTS_SUPPORT_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_SUPPORT_H

#include <check.h>

#include "core/autograd/autograd.h"
#include "core/tensor/error.h"
#include "core/tensor/list.h"
#include "core/ops/ops.h"
#include "core/tensor/generator.h"
#include "core/tensor/scope.h"

/* At each assertion that holds, Check writes its file and line into a file, to report the position of a later crash. In
 * one process (CK_FORK=no) nothing reads that file, and the op table would write 2.5 million times. */
extern bool marks_are_read;
#define _mark_point(file, line) (marks_are_read ? _mark_point(file, line) : (void)0)

/* Runs the suites, frees the runner and returns main's exit code. A test that calls exit() counts as a failure. */
int run_suites(SRunner *runner);

/* A shape as two arguments. */
#define SHAPE(...) (const int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* As ck_assert, but the condition may be written with the macros of sugar.h, whose text is too long for a message. */
#define HOLDS(condition)                                 \
    do {                                                 \
        bool holds = (condition);                        \
        ck_assert_msg(holds, "%s is false", #condition); \
    } while (0)

/* ---- the frame of a test ---- For tcase_add_checked_fixture: setup opens a scope and installs an error handler that
 * records errors instead of ending the program; teardown closes the scope and fails the test if a tensor or a record
 * outlives it. */
void support_setup(void);
void support_teardown(void);

/* The last error that the recording handler received since setup, and how many it received. */
const char *last_error_text(void);
int error_count(void);
void clear_errors(void);

/* True under emulation (make check-arm64 sets TAPEGRAD_EMULATED), which is a hundred times slower and lacks some system
 * calls; prints what the test leaves out. */
bool emulated(const char *left_out);

/* The text must contain these parts in this order. */
void expect_in_order(const char *text, const char *const *parts, size_t count);

/* The pending error must have this message; clears it. */
void expect_error(const char *message);

/* The call must have failed with this message. */
void expect_refusal(bool failed, const char *message);

/* torch.tensor(text), and print(x), as the tests write them. */
Tensor *from_text(const char *text, t_DType dtype, bool requires_grad);
void expect_printed(Tensor *x, const char *text);

/* ---- collected failures ----
 * note() adds a failure to the test's list and goes on; report_notes() fails the test if there is any. */
void note(const char *format, ...) T_PRINTF(1, 2);
int noted(void);
void report_notes(void);

/* ---- inputs ----
 * A value is a function of (seed, index of the input, index of the element), the same in golden/rule.py. Values are
 * multiples of 2^-20, so that float32 and float64 hold the same ones. An input is written kind(sizes):
 *   r  real in [-2, 2)          p  positive, [0.25, 2.25)       q  a probability, [0, 1)
 *   s  separated: every two elements, of other inputs too, and 0 are at least 1/100 apart
 *   m  matrices in the last two dims, in [-0.5, 0.5) but for 2, 3, 4, ... added on the diagonal: well-conditioned
 *   t  ties: -1, 0 or 1         f, d  as r, but always float32, float64
 *      (all of these require grad and have the dtype of the run; as capitals they do not)
 *   x  nan, infinities, zeros of both signs and a few others, without a gradient
 *   i  integers in [-5, 5]      k7  integers in [0, 7)          b  bool
 *   w  integers in [-5, 5], not 0
 *   N, I, B  a Python float, int or bool (t_number, t_integer, t_boolean)        -  NULL */
enum { MAX_INPUTS = 8 };

typedef struct Inputs {
    int count;
    Tensor *x[MAX_INPUTS];
    char kind[MAX_INPUTS];
} Inputs;

uint64_t seed_of(const char *key);
double hashed_value(char kind, int64_t below, uint64_t seed, int input, int64_t element, int64_t count);
Tensor *hashed_tensor(const char *kind, const int64_t *shape, int ndim, uint64_t seed, int input, t_DType real);
/* Reads "r(2,3) k4(2) -"; the test fails if it is malformed. */
Inputs make_inputs(const char *text, uint64_t seed, t_DType real);
bool is_real_kind(char kind);
bool is_differentiable_kind(char kind);

/* A list of one tensor, NULL for NULL. */
t_TensorList *list_of(Tensor *x);

/* x in float64 as a malloced array in logical order. */
double *values_of(Tensor *x);

/* ---- recorded values ---- */

typedef struct Golden Golden;
typedef struct GoldenArray {
    bool present; /* false where PyTorch had None */
    t_DType dtype;
    int ndim;
    int64_t shape[T_MAX_DIMS], count;
    char grad_fn[48]; /* "-" for none */
    double *values;   /* malloced */
} GoldenArray;

/* Reads a file of tests/golden and caches it; NULL where there is none. The tests run from the root of the tree. */
const Golden *golden_file(const char *name);
/* The text of a case, NULL where it was not recorded; and one of its arrays, false where it has none of that name. */
const char *golden_case(const Golden *golden, const char *key);
bool golden_array(const char *section, const char *name, GoldenArray *out);

/* ---- comparing ---- */

typedef enum Role { EXACT, VALUE, GRADIENT } Role;

/* The project's tolerances: float32 values 1.3e-6 of the value + 1e-5, float32 gradients 2e-5 of the largest + 1e-6,
 * float64 1e-10 of the largest; integers and EXACT to the bit. Notes the first element that is off. */
bool compare_values(const char *what, const double *got, const double *want, int64_t count, t_DType dtype, Role role);
bool compare_to_golden(const char *what, Tensor *got, const GoldenArray *want, Role role);
bool compare_tensors(const char *what, Tensor *got, Tensor *want, Role role);

#endif
