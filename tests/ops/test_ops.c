/* tests/ops/test_ops.c: every case of the op table against the values, gradients and grad_fn names that PyTorch gave,
 * and the check that every public op has a row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ops/op_run.h"

/* ---- values and gradients as recorded ---- */

static void check_output(const OpRow *row, const char *what, Tensor *y, const GoldenArray *want) {
    Role role = (row->flags & (RANDOM | SUMS)) == RANDOM ? EXACT : VALUE;
    const char *grad_fn = t_grad_fn(y);
    if (row->flags & UNDEFINED) {
        Tensor *zeros = t_zeros_like(y);
        compare_to_golden(what, zeros, want, EXACT);
    } else {
        compare_to_golden(what, y, want, role);
    }
    bool recorded = strcmp(want->grad_fn, "-") != 0;
    if (row->flags & OWN_GRAD_FN ? recorded != !!grad_fn : strcmp(grad_fn ? grad_fn : "-", want->grad_fn) != 0)
        note("%s: grad_fn is %s, expected %s", what, grad_fn ? grad_fn : "-", want->grad_fn);
}

static void check_outputs(const OpRow *row, const char *section, const char *run, const char *key, t_TensorList *ys) {
    char name[32], what[KEY_SIZE + 80];
    GoldenArray want;
    for (int64_t k = 0;; k++) {
        snprintf(name, sizeof name, "%s.y%lld", run, (long long)k);
        snprintf(what, sizeof what, "%s, output %lld in float%s", key, (long long)k, run);
        bool recorded = golden_array(section, name, &want);
        if (!recorded && k < ys->len) note("%s: PyTorch has no such output", what);
        if (recorded && k >= ys->len) note("%s: missing", what);
        if (recorded && k < ys->len) check_output(row, what, ys->items[k], &want);
        free(want.values);
        if (!recorded || k >= ys->len) return;
    }
}

static void check_gradients(const char *section, const char *run, const char *key, const Inputs *leaves) {
    char name[32], what[KEY_SIZE + 80];
    GoldenArray want;
    for (int i = 0; i < leaves->count; i++) {
        if (!is_differentiable_kind(leaves->kind[i])) continue;
        snprintf(name, sizeof name, "%s.g%d", run, i);
        snprintf(what, sizeof what, "%s, gradient of input %d in float%s", key, i, run);
        if (golden_array(section, name, &want)) compare_to_golden(what, t_grad(leaves->x[i]), &want, GRADIENT);
        else if (t_grad(leaves->x[i])) note("%s: PyTorch has none", what);
        free(want.values);
    }
}

/* A view shows its first input's memory, another output has its own; an in-place op returns its first input. */
static void check_storage(const OpRow *row, const char *key, const Inputs *x, t_TensorList *ys) {
    for (int64_t k = 0; k < ys->len; k++) {
        Tensor *y = ys->items[k];
        if (x->count == 0 || !x->x[0] || t_numel(y) == 0 || row->flags & (MAYBE_VIEW | GRAPH)) continue;
        bool shares = same_storage(y, x->x[0]);
        if (row->flags & INPLACE ? y != x->x[0] : shares != !!(row->flags & VIEW))
            note("%s: output %lld %s", key, (long long)k,
                 shares ? "shares its input's memory" : "has memory of its own");
        if (row->flags & NO_GRADIENT && t_requires_grad(y)) note("%s: requires grad", key);
    }
}

static void check_recorded(const OpRow *row, const OpCase *item, const char *section, t_DType real) {
    char key[KEY_SIZE];
    int depth = t_scope_open();
    const char *run = real == t_float32 ? "32" : "64";
    case_key(row, item->inputs, item->n, key, sizeof key);
    uint64_t seed = seed_of(key);
    Inputs leaves = make_inputs(item->inputs, seed, real), x = arguments(row, &leaves);
    t_TensorList *ys = run_op(row, &x, item->n, real, seed);
    if (!ys) {
        note("%s in float%s: %s", key, run, t_error());
        t_clear_error();
    } else {
        check_outputs(row, section, run, key, ys);
        check_storage(row, key, &x, ys);
        if (backward_weighted(ys, seed, real, false)) check_gradients(section, run, key, &leaves);
        else note("%s in float%s, backward: %s", key, run, t_error());
    }
    t_clear_error();
    t_scope_close(depth);
}

START_TEST(gives_what_pytorch_gives) {
    const OpTable *table;
    const OpRow *row = op_row(_i, &table);
    char key[KEY_SIZE];
    for (const OpCase *item = row->cases; item->inputs; item++) {
        case_key(row, item->inputs, item->n, key, sizeof key);
        const char *section = golden_case(golden_file(table->golden), key);
        if (!section) {
            note("%s: not in tests/golden/%s; run tests/golden/record.py", key, table->golden);
            continue;
        }
        check_recorded(row, item, section, t_float32);
        if (case_has_two_dtypes(item->inputs)) check_recorded(row, item, section, t_float64);
    }
    report_notes();
}
END_TEST

/* ---- every function has a row ---- */

/* Declared in the headers, but no ops: accessors of a tensor's sizes, dtype and values, and printing. They have suites
 * of their own. */
static const char *const not_ops[] = {
    "t_dim",
    "t_size",
    "t_shape",
    "t_stride",
    "t_storage_offset",
    "t_numel",
    "t_dtype",
    "t_is_contiguous",
    "t_is_floating_point",
    "t_data_version",
    "t_item",
    "t_item_int64",
    "t_is_true",
    "t_data_ptr",
    "t_data_ptr_mut",
    "t_tolist",
    "t_tolist_of_", /* access */
    "t_print",
    "t_print_values",
    "t_repr",
    "t_str",
    "t_size_repr",
    "t_dtype_repr",
    "t_set_printoptions", /* print */
    "t_broadcast_shapes",
    "t_apply_",
    "t_map_",
    "t_map2_", /* apply */
    "t_finfo",
    "t_iinfo",
    "t_promote_types",
    "t_result_type",
    "t_can_cast",
    "t_element_size",
    "t_nbytes",
    "t_is_signed", /* dtypes */
    "t_tensor_of_",
    "t_add_of_",
    "t_mul_of_",
    "t_arange_of_",
    "t_at_of_",
    "t_set_of_",
    "t_full_of_",
    "t_new_tensor_of_",
    "t_empty_like_of_",
    "t_full_like_of_",
    "t_rand_like_of_",
    "t_randn_like_of_", /* behind the macros: sugar */
};

static bool is_known(const char *name) {
    for (size_t i = 0; i < sizeof not_ops / sizeof *not_ops; i++)
        if (strcmp(not_ops[i], name) == 0) return true;
    for (int i = 0; i < op_row_count(); i++)
        if (strcmp(op_row(i, NULL)->name, name) == 0) return true;
    return false;
}

/* Notes each function that a line of the header declares ("T_API type *name(") and no row tests. */
static int check_header(const char *path, const char *prefix) {
    char line[512], name[128];
    FILE *file = fopen(path, "r");
    int found = 0;
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) {
        char *bracket = strncmp(line, "T_API ", 6) == 0 ? strchr(line, '(') : NULL, *start = bracket;
        while (start && start > line && (start[-1] == '_' || strchr("*( ", start[-1]) == NULL)) start--;
        if (!start || strncmp(start, prefix, strlen(prefix)) != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)(bracket - start), start);
        found++;
        if (!is_known(name)) note("%s declares %s, which has no row in tests/ops/table/op_table_*.c", path, name);
    }
    fclose(file);
    return found;
}

START_TEST(every_op_has_a_row) {
    static const char *const families[] = {"tensor_info", "creation",  "indexing", "pointwise",
                                           "linalg",      "reduction", "shape"};
    char path[64];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        snprintf(path, sizeof path, "core/ops/%s.h", families[i]);
        ck_assert_int_gt(check_header(path, "t_"), 0);
    }
    ck_assert_int_gt(check_header("core/linalg/linalg.h", "linalg_") + check_header("core/linalg/linalg.h", "t_"), 0);
    ck_assert_int_gt(check_header("core/special/special.h", "special_"), 0);
    ck_assert_int_gt(check_header("core/special/special.h", "t_"), 0);
    static const char *const functional[] = {"activation", "attention", "convolution", "dropout", "linear",
                                             "loss",       "norm",      "pooling",     "vision"};
    for (size_t i = 0; i < sizeof functional / sizeof *functional; i++) {
        snprintf(path, sizeof path, "nn/functional/%s/%s.h", functional[i], functional[i]);
        ck_assert_int_gt(check_header(path, "F_"), 0);
    }
    report_notes();
}
END_TEST

START_TEST(every_row_is_recorded_once) {
    char key[KEY_SIZE], other[KEY_SIZE];
    for (int i = 0; i < op_row_count(); i++) {
        const OpRow *row = op_row(i, NULL);
        for (const OpCase *a = row->cases; a->inputs; a++)
            for (const OpCase *b = row->cases; b < a; b++) {
                case_key(row, a->inputs, a->n, key, sizeof key);
                case_key(row, b->inputs, b->n, other, sizeof other);
                if (strcmp(key, other) == 0) note("%s is twice in the table", key);
            }
    }
    report_notes();
}
END_TEST

Suite *ops_suite(void);
Suite *ops_suite(void) {
    Suite *suite = suite_create("ops");
    for (int i = 0; i < op_row_count(); i++) { /* read once, before the tests fork */
        const OpTable *table;
        op_row(i, &table);
        golden_file(table->golden);
    }
    TCase *table = tcase_create("table");
    tcase_add_test(table, every_op_has_a_row);
    tcase_add_test(table, every_row_is_recorded_once);
    suite_add_tcase(suite, table);
    TCase *recorded = tcase_create("recorded");
    tcase_add_checked_fixture(recorded, support_setup, support_teardown);
    tcase_add_loop_test(recorded, gives_what_pytorch_gives, 0, op_row_count());
    suite_add_tcase(suite, recorded);
    suite_add_tcase(suite, layout_tests());
    suite_add_tcase(suite, gradient_tests());
    suite_add_tcase(suite, rule_tests());
    suite_add_tcase(suite, bad_call_tests());
    return suite;
}
