/* tests/ops/test_ops_layouts.c: an op gives the same for inputs of any strides: values to the bit where it works
 * element by element, within tolerance where it sums.
 *
 * Each layout is made from a leaf by differentiable ops, so that gradients can be compared at the leaf; the reference
 * is the same op on a contiguous copy. */
#include <stdio.h>
#include <string.h>

#include "tests/ops/op_run.h"

typedef enum Layout { TRANSPOSED, REVERSED, STEPPED, OFFSET, MIXED, EXPANDED, LAYOUTS } Layout;
static const char *const layout_names[] = {"transposed", "reversed", "stepped", "offset", "mixed", "expanded"};

static Tensor *zeros_of(const int64_t *shape, int ndim, t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return t_zeros(shape, ndim, &options);
}

/* x with the first and the last dim exchanged in memory. */
static Tensor *transposed(Tensor *x) {
    return t_transpose(t_clone(t_contiguous(t_transpose(x, 0, -1))), 0, -1);
}

static Tensor *reversed(Tensor *x) {
    int64_t order[T_MAX_DIMS], ndim = t_dim(x);
    for (int64_t d = 0; d < ndim; d++) order[d] = ndim - 1 - d;
    return t_permute(t_clone(t_contiguous(t_permute(x, order, (int)ndim))), order, (int)ndim);
}

/* x inside a larger tensor: every second element of each row (stepped), or after some others. */
static Tensor *inside(Tensor *x, bool stepped) {
    int64_t shape[T_MAX_DIMS] = {2}, ndim = t_dim(x);
    memcpy(shape, t_shape(x), (size_t)ndim * sizeof *shape);
    if (ndim == 0) {
        return t_copy_(t_select(zeros_of(shape, 1, t_dtype(x)), 0, 1), x);
    }
    int64_t dim = stepped ? ndim - 1 : 0, size = shape[dim];
    shape[dim] = stepped ? 2 * size : size + 2;
    Tensor *larger = zeros_of(shape, (int)ndim, t_dtype(x));
    Tensor *part = stepped ? t_slice(larger, dim, 1, T_NONE, 2) : t_slice(larger, dim, 1, size + 1, 1);
    return t_copy_(part, x);
}

static Tensor *laid_out(Tensor *x, int layout) {
    if (t_dim(x) == 0 && layout != STEPPED) layout = OFFSET;
    switch (layout) {
    case TRANSPOSED: return transposed(x);
    case REVERSED: return reversed(x);
    default: return inside(x, layout == STEPPED);
    }
}

/* The first element along dim, expanded to x's shape. */
static Tensor *expanded(Tensor *x, int64_t dim) {
    return t_expand(t_narrow(x, dim, 0, 1), t_shape(x), (int)t_dim(x));
}

static bool is_tensor_kind(char kind) {
    return strchr("NIB-", kind) == NULL;
}

/* The arguments in the layout, or (the reference) as contiguous copies of the same. False where it does not apply. */
static bool lay_out(const OpRow *row, const Inputs *leaves, Layout layout, bool reference, Inputs *x) {
    bool applies = false;
    *x = *leaves;
    for (int i = 0; i < x->count; i++) {
        Tensor *leaf = leaves->x[i];
        bool written = i == 0 && row->flags & INPLACE;
        if (!is_tensor_kind(leaves->kind[i])) continue;
        if (layout == EXPANDED) {
            if (written || t_dim(leaf) == 0 || t_size(leaf, i % 2 ? -1 : 0) < 2) continue;
            if (row->flags & REGULAR && i == 0 && (!strchr("mM", leaves->kind[0]) || t_dim(leaf) < 3)) continue;
            Tensor *view = expanded(leaf, i % 2 ? -1 : 0);
            x->x[i] = view && reference ? t_contiguous(view) : view;
            applies = true;
        } else {
            int own = layout == MIXED ? (i + (int)t_dim(leaf)) % 4 : (int)layout;
            x->x[i] = reference ? t_clone(leaf) : laid_out(leaf, own);
            applies = true;
        }
        if (!x->x[i]) return false;
    }
    if (layout == EXPANDED && row->flags & INPLACE && x->count) x->x[0] = t_clone(leaves->x[0]);
    return applies;
}

typedef struct Result {
    t_TensorList *ys;
    Tensor *gradients[MAX_INPUTS];
} Result;

static bool run_layout(const OpRow *row, const OpCase *item, const char *key, Layout layout, bool reference,
                       t_DType real, Result *result) {
    uint64_t seed = seed_of(key);
    Inputs leaves = make_inputs(item->inputs, seed, real), x;
    *result = (Result){NULL, {NULL}};
    if (!lay_out(row, &leaves, layout, reference, &x)) {
        if (t_error()) note("%s, laying out %s: %s", key, layout_names[layout], t_error());
        return false;
    }
    result->ys = run_op(row, &x, item->n, real, seed);
    if (!result->ys || !backward_weighted(result->ys, seed, real, false)) {
        bool expected = row->flags & LAYOUT_BOUND && strstr(t_error(), "Use .reshape(...) instead.");
        if (!expected) note("%s, %s%s: %s", key, layout_names[layout], reference ? " made contiguous" : "", t_error());
        t_clear_error();
        return false;
    }
    for (int i = 0; i < leaves.count; i++)
        if (leaves.x[i]) result->gradients[i] = t_grad(leaves.x[i]);
    return true;
}

static void check_layout(const OpRow *row, const OpCase *item, Layout layout, t_DType real) {
    char key[KEY_SIZE], what[KEY_SIZE + 80];
    Result got, want;
    int depth = t_scope_open();
    case_key(row, item->inputs, item->n, key, sizeof key);
    if (run_layout(row, item, key, layout, true, real, &want) &&
        run_layout(row, item, key, layout, false, real, &got)) {
        for (int64_t k = 0; k < want.ys->len; k++) {
            snprintf(what, sizeof what, "%s, %s, output %lld", key, layout_names[layout], (long long)k);
            compare_tensors(what, got.ys->items[k], want.ys->items[k], row->flags & SUMS ? VALUE : EXACT);
        }
        for (int i = 0; i < MAX_INPUTS; i++) {
            snprintf(what, sizeof what, "%s, %s, gradient of input %d", key, layout_names[layout], i);
            compare_tensors(what, got.gradients[i], want.gradients[i], GRADIENT);
        }
    }
    t_clear_error();
    t_scope_close(depth);
}

START_TEST(any_layout_gives_the_same) {
    const OpRow *row = op_row(_i, NULL);
    for (const OpCase *item = row->cases; item->inputs; item++) {
        if (row->flags & (RANDOM | UNDEFINED | STORAGE_BOUND) || !*item->inputs) continue;
        for (int layout = 0; layout < LAYOUTS; layout++) {
            check_layout(row, item, layout, t_float32);
            if (case_has_two_dtypes(item->inputs)) check_layout(row, item, layout, t_float64);
        }
    }
    report_notes();
}
END_TEST

TCase *layout_tests(void) {
    TCase *tests = tcase_create("layouts");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, any_layout_gives_the_same, 0, op_row_count());
    return tests;
}
