/* tests/ops/test_narrow_dtypes.c: the ops of the op table with inputs of narrow dtypes, against what PyTorch gave:
 * tests/golden/record_narrow.py. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/tensor.h"
#include "tests/ops/op_run.h"

/* PyTorch computes many functions of half precision in float32 and rounds once, as here. What it composes of several
 * ops is rounded after each of them: then values differ by a unit in the last place or, where terms cancel, by half of
 * one of the largest value; gradients, which it composes of more ops, by some units of the largest. */
static double tolerance_of(t_DType dtype, double want, double largest, bool gradient) {
    const double unit = dtype == t_bfloat16 ? 0x1p-7 : 0x1p-10;
    if (!tg_is_half(dtype)) return 2e-5 * largest + 1e-6; /* of integers, whose integral results are exact */
    return gradient ? 4 * unit * largest : unit * fabs(want) + unit * largest / 2;
}

/* dtype: of the case; float32 statistics of a bfloat16 x are compared as bfloat16. */
static void compare(const char *what, Tensor *got, const GoldenArray *want, t_DType dtype, bool gradient) {
    if (!got || !want->present) {
        if (got || want->present) note("%s: is %s", what, got ? "there, expected None" : "NULL, expected values");
        return;
    }
    if (t_dtype(got) != want->dtype || t_numel(got) != want->count) {
        note("%s: %s of %lld elements, expected %s of %lld", what, t_dtype_repr(t_dtype(got)), (long long)t_numel(got),
             t_dtype_repr(want->dtype), (long long)want->count);
        return;
    }
    double *values = values_of(got), largest = 0;
    for (int64_t i = 0; i < want->count; i++)
        if (isfinite(want->values[i])) largest = fmax(largest, fabs(want->values[i]));
    for (int64_t i = 0; i < want->count; i++) {
        const double a = values[i], b = want->values[i];
        if (a == b || (isnan(a) && isnan(b))) continue;
        if (tg_is_floating(want->dtype) && fabs(a - b) <= tolerance_of(dtype, b, largest, gradient)) continue;
        note("%s: element %lld is %g, expected %g", what, (long long)i, a, b);
        break;
    }
    free(values);
}

/* Which inputs of a case get which dtype: those of the kinds, the others keep their own. */
typedef struct Mode {
    const char *name;
    t_DType dtype, real; /* real: of the run */
    const char *kinds;
    bool only_last; /* only the last of the inputs of these kinds */
} Mode;
#define REAL "rRpPqQsStTmM"
static const Mode modes[] = {{"bfloat16", t_bfloat16, t_bfloat16, REAL, false},
                             {"float16", t_float16, t_float16, REAL, false},
                             {"int16", t_int16, t_int16, "iw", false},
                             {"int32", t_int32, t_float32, "k", false},
                             {"mixed", t_bfloat16, t_float32, REAL, true}};
enum { MODES = sizeof modes / sizeof *modes };

static Inputs narrow_inputs(const char *text, uint64_t seed, const Mode *mode) {
    Inputs in = make_inputs(text, seed, t_float32);
    for (int i = in.count - 1; i >= 0; i--) {
        if (!in.x[i] || !strchr(mode->kinds, in.kind[i])) continue;
        const bool requires_grad = t_requires_grad(in.x[i]);
        in.x[i] = t_requires_grad_(t_to(t_detach(in.x[i]), mode->dtype), requires_grad);
        if (mode->only_last) break;
    }
    return in;
}

static bool backward(t_TensorList *ys, uint64_t seed) {
    for (int64_t k = 0; k < ys->len; k++) {
        Tensor *y = ys->items[k];
        if (!t_requires_grad(y)) continue;
        Tensor *weights = hashed_tensor("R", t_shape(y), (int)t_dim(y), seed, 100 + (int)k, t_float32);
        t_BackwardOptions options = {.size = sizeof options, .gradient = t_to(weights, t_dtype(y)),
                                     .retain_graph = true};
        if (!t_backward(y, &options)) return false;
    }
    return true;
}

static void check_values(const char *key, const char *section, t_TensorList *ys, const Inputs *leaves, t_DType dtype,
                         uint64_t seed) {
    char name[32], what[KEY_SIZE + 80];
    GoldenArray want;
    for (int64_t k = 0; k < ys->len; k++) {
        snprintf(name, sizeof name, "y%lld", (long long)k);
        snprintf(what, sizeof what, "%s, output %lld", key, (long long)k);
        if (golden_array(section, name, &want)) compare(what, ys->items[k], &want, dtype, false);
        else note("%s: PyTorch has no such output", what);
        free(want.values);
    }
    if (!backward(ys, seed)) {
        note("%s, backward: %s", key, t_error());
        return;
    }
    for (int i = 0; i < leaves->count; i++) {
        snprintf(name, sizeof name, "g%d", i);
        snprintf(what, sizeof what, "%s, gradient of input %d", key, i);
        if (golden_array(section, name, &want)) compare(what, t_grad(leaves->x[i]), &want, dtype, true);
        free(want.values);
    }
}

/* PyTorch rounds in the middle of these, where a small difference of large values is left, or adds many values one by
 * one; here the result is rounded once. Its gradient of matrix_exp in half precision is not initialised. */
static const char *const differs[] = {"t_sinc", "t_sinc_", "F_grid_sample", "F_adaptive_avg_pool3d",
                                      "linalg_matrix_exp", NULL};

/* In PyTorch the first has the target's dtype, and the second computes in a dtype of half precision. */
static const char *const differs_mixed[] = {"F_binary_cross_entropy_with_logits", "linalg_solve_triangular", NULL};

static bool is_listed(const char *name, const char *const *list) {
    for (; *list; list++)
        if (strcmp(*list, name) == 0) return true;
    return false;
}

static void check_case(const OpRow *row, const OpCase *item, const Mode *mode) {
    char key[KEY_SIZE], narrow_key[KEY_SIZE + 16];
    case_key(row, item->inputs, item->n, key, sizeof key);
    snprintf(narrow_key, sizeof narrow_key, "%s %s", mode->name, key);
    const char *section = golden_case(golden_file("ops_narrow.txt"), narrow_key);
    if (!section || row->flags & UNDEFINED || is_listed(row->name, differs)) return;
    if (mode->only_last && is_listed(row->name, differs_mixed)) return;
    int depth = t_scope_open();
    const uint64_t seed = seed_of(key);
    Inputs leaves = narrow_inputs(item->inputs, seed, mode), x = arguments(row, &leaves);
    t_TensorList *ys = run_op(row, &x, item->n, mode->real, seed);
    if (ys) check_values(narrow_key, section, ys, &leaves, mode->dtype, seed);
    else note("%s: %s", narrow_key, t_error());
    t_clear_error();
    t_scope_close(depth);
}

START_TEST(narrow_dtypes_are_pytorchs) {
    const OpRow *row = op_row(_i, NULL);
    for (const OpCase *item = row->cases; item->inputs; item++)
        for (int i = 0; i < MODES; i++) check_case(row, item, &modes[i]);
    report_notes();
}
END_TEST

Suite *narrow_dtypes_suite(void);
Suite *narrow_dtypes_suite(void) {
    Suite *suite = suite_create("narrow_dtypes");
    TCase *tests = tcase_create("recorded");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, narrow_dtypes_are_pytorchs, 0, op_row_count());
    suite_add_tcase(suite, tests);
    return suite;
}
