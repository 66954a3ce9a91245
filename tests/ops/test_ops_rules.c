/* tests/ops/test_ops_rules.c: what every row of the op table must hold by itself: cases of every rank; an in-place op
 * is the plain one, to the bit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ops/op_run.h"

/* ---- ranks ---- */

/* The first input with sizes: "i(2,3) r()" gives "(2,3) r()". */
static const char *first_sizes(const char *inputs) {
    return inputs ? strchr(inputs, '(') : NULL;
}

static int rank_of(const char *sizes) {
    int rank = sizes[1] != ')';
    for (const char *c = sizes; *c != ')'; c++) rank += *c == ',';
    return rank;
}

static bool has_zero(const char *sizes) {
    for (const char *c = sizes + 1; *c != ')' && c[-1] != ')'; c++)
        if (*c == '0' && (c[-1] == ',' || c[-1] == '(')) return true;
    return false;
}

/* Puts a character for each rank that a case has into `seen`, z for a size of 0. False where no case has a tensor. */
static bool survey(const OpRow *row, char seen[16]) {
    int count = 0;
    for (const OpCase *item = row->cases; item->inputs; item++) {
        const char *sizes = first_sizes(item->inputs);
        if (!sizes) continue;
        char rank = (char)('0' + rank_of(sizes));
        seen[count] = '\0';
        if (!strchr(seen, rank)) seen[count++] = rank;
        seen[count] = '\0';
        if (has_zero(sizes) && !strchr(seen, 'z')) seen[count++] = 'z';
    }
    seen[count] = '\0';
    return count > 0;
}

START_TEST(cases_have_every_rank) {
    static const char *const examples[] = {"r()", "r(3)", "r(2,3)", "r(2,3,2)", "r(2,1,3,2)", "r(2,1,2,3,2)"};
    const OpRow *row = op_row(_i, NULL);
    const char *wanted = row->ranks ? row->ranks : "012345z", *reason = strchr(wanted, ':');
    char seen[16], missing[200] = "";
    if (row->flags & GRAPH || !survey(row, seen)) return;
    if (row->ranks && (!reason || strlen(reason) < 6))
        note("%s: .ranks = \"%s\" gives no reason behind a colon", row->name, wanted);
    for (const char *c = wanted; *c && *c != ':'; c++) {
        size_t at = strlen(missing);
        if (strchr(seen, *c)) continue;
        if (*c == 'z') snprintf(missing + at, sizeof missing - at, " a size of 0, like r(0) or r(2,0,3);");
        else snprintf(missing + at, sizeof missing - at, " rank %c, like %s;", *c, examples[(*c - '0') % 6]);
    }
    if (*missing)
        note("%s: no case has a first tensor with%s add cases, or say in the row which ranks PyTorch's function takes "
             "and why: .ranks = \"%s: ...\"",
             row->name, missing, seen);
    for (const char *c = seen; row->ranks && *c; c++)
        if (!memchr(wanted, *c, reason ? (size_t)(reason - wanted) : strlen(wanted)))
            note("%s: .ranks = \"%s\", but a case has %s%c", row->name, wanted, *c == 'z' ? "a size of 0, " : "rank ",
                 *c);
    report_notes();
}
END_TEST

/* ---- t_foo_ is t_foo ---- */

/* The row of the op that is not in place, NULL where there is none. */
static const OpRow *plain_row(const OpRow *row) {
    size_t length = strlen(row->name);
    if (!(row->flags & INPLACE) || row->name[length - 1] != '_') return NULL;
    for (int i = 0; i < op_row_count(); i++) {
        const char *name = op_row(i, NULL)->name;
        if (strlen(name) == length - 1 && strncmp(name, row->name, length - 1) == 0) return op_row(i, NULL);
    }
    return NULL;
}

/* One way through: the output (cast as an in-place op casts what it writes), and the gradients of its weighted sum. */
typedef struct Way {
    Inputs leaves;
    Tensor *y;
    bool ok, was_cast;
} Way;

static Way go(const OpRow *row, const OpRow *plain, const OpCase *item, t_DType real, uint64_t seed) {
    Way way = {.leaves = make_inputs(item->inputs, seed, real)};
    Inputs x = arguments(row, &way.leaves);
    t_DType dtype = t_dtype(x.x[0]);
    t_TensorList *ys = run_op(plain ? plain : row, &x, item->n, real, seed);
    way.y = ys ? t_to(ys->items[0], dtype) : NULL;
    way.was_cast = ys && t_dtype(ys->items[0]) != dtype; /* then the gradients' roundings differ */
    way.ok = way.y && (!t_requires_grad(way.y) || backward_weighted(list_of(way.y), seed, real, false));
    return way;
}

static void compare_ways(const OpRow *row, const OpRow *plain, const OpCase *item, t_DType real) {
    char key[KEY_SIZE], what[KEY_SIZE + 80];
    int depth = t_scope_open();
    case_key(row, item->inputs, item->n, key, sizeof key);
    uint64_t seed = seed_of(key);
    Way a = go(row, NULL, item, real, seed), b = go(row, plain, item, real, seed);
    if (!a.ok || !b.ok) note("%s: %s", key, t_error());
    else if (compare_tensors(key, a.y, b.y, EXACT) && !b.was_cast && !(plain->flags & NO_GRADIENT)) {
        for (int i = 0; i < a.leaves.count; i++) {
            if (!is_differentiable_kind(a.leaves.kind[i])) continue;
            Tensor *got = t_grad(a.leaves.x[i]), *want = t_grad(b.leaves.x[i]);
            snprintf(what, sizeof what, "%s and %s, gradient of input %d", key, plain->name, i);
            if (!got != !want) note("%s: one has none", what);
            else if (got) compare_tensors(what, got, want, EXACT);
        }
    }
    t_clear_error();
    t_scope_close(depth);
}

START_TEST(in_place_is_the_plain_op) {
    const OpRow *row = op_row(_i, NULL), *plain = plain_row(row);
    if (!plain || row->flags & RANDOM) return;
    for (const OpCase *item = row->cases; item->inputs; item++) {
        compare_ways(row, plain, item, t_float32);
        if (case_has_two_dtypes(item->inputs)) compare_ways(row, plain, item, t_float64);
    }
    report_notes();
}
END_TEST

TCase *rule_tests(void) {
    TCase *tests = tcase_create("rules");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, cases_have_every_rank, 0, op_row_count());
    tcase_add_loop_test(tests, in_place_is_the_plain_op, 0, op_row_count());
    return tests;
}
