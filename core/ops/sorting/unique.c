/* core/ops/sorting/unique.c: unique and unique_consecutive.
 *
 * Both work on a row of n items of m elements each: single elements (m = 1), or the slices along a dim. The items
 * are sorted, or left in their order, and a new group starts where an item differs from the one before. */
#include <string.h>

#include "core/ops/sorting/introsort_internal.h"

typedef struct Items {
    t_DType dtype;
    int64_t n, m;
    const char *data; /* contiguous */
    Entry *order;     /* n entries, and n more as workspace */
} Items;

static uint64_t key_at(const Items *items, int64_t item, int64_t element) {
    return tg_sort_key(items->dtype, items->data + (size_t)(item * items->m + element) * tg_itemsize(items->dtype));
}

/* NaN is different from everything, also from itself. */
static bool equal(const Items *items, int64_t a, int64_t b) {
    for (int64_t i = 0; i < items->m; i++) {
        uint64_t key = key_at(items, a, i);
        if (key != key_at(items, b, i) || (tg_is_floating(items->dtype) && key == TG_NAN_KEY)) return false;
    }
    return true;
}

/* Single elements are compared by the keys in the entries. */
static bool equal_entries(const Items *items, const Entry *a, const Entry *b) {
    if (items->m != 1) return equal(items, a->index, b->index);
    return a->key == b->key && !(tg_is_floating(items->dtype) && a->key == TG_NAN_KEY);
}

/* Lexicographically: stable sorts by each element from the last to the first. */
static void sort_items(Items *items) {
    if (items->m == 1) tg_stable_sort(items->order, items->order + items->n, items->n);
    for (int64_t element = items->m - 1; element >= 0 && items->m > 1 && items->n > 1; element--) {
        for (int64_t i = 0; i < items->n; i++) items->order[i].key = key_at(items, items->order[i].index, element);
        tg_stable_sort(items->order, items->order + items->n, items->n);
    }
}

/* The first item of each group, the group of each item and the size of each group. */
typedef struct Groups {
    int64_t count;
    Tensor *first, *inverse, *sizes;
} Groups;

static bool group(const Items *items, Groups *groups) {
    const int64_t n = items->n;
    Tensor *first = tg_empty(&n, 1, t_int64), *inverse = tg_empty(&n, 1, t_int64), *sizes = tg_empty(&n, 1, t_int64);
    if (!first || !inverse || !sizes) return false;
    int64_t *starts = tg_data(first), *groups_of = tg_data(inverse), *size = tg_data(sizes), count = 0;
    for (int64_t i = 0; i < n; i++) {
        const Entry *e = &items->order[i];
        if (i == 0 || !equal_entries(items, e - 1, e)) {
            starts[count] = e->index;
            size[count++] = 0;
        }
        size[count - 1]++;
        groups_of[e->index] = count - 1;
    }
    *groups = (Groups){count, t_narrow(first, 0, 0, count), inverse, t_clone(t_narrow(sizes, 0, 0, count))};
    return groups->first && groups->sizes;
}

/* The unique items of x along dim (T_NONE: of all elements), and their groups. */
static Tensor *unique_items(Tensor *x, int64_t dim, bool sorted, Groups *groups) {
    int64_t order[T_MAX_DIMS] = {dim};
    for (int i = 0, at = 1; dim != T_NONE && i < x->ndim; i++)
        if (i != dim) order[at++] = i;
    Tensor *rows = dim == T_NONE ? t_reshape(x, (int64_t[]){-1}, 1) : x;
    Tensor *dim_first = dim == T_NONE ? rows : t_permute(x, order, x->ndim),
           *contiguous = dim_first ? t_contiguous(dim_first) : NULL;
    if (!contiguous) return NULL;
    Items items = {.dtype = x->dtype, .n = contiguous->shape[0], .data = tg_data(contiguous)};
    items.m = tg_shape_numel(contiguous->shape + 1, contiguous->ndim - 1);
    Tensor *workspace = tg_empty((int64_t[]){4, items.n}, 2, t_int64); /* 2 n entries of two int64 each */
    if (!workspace) return NULL;
    items.order = tg_data(workspace);
    if (items.m == 1)
        tg_sort_entries(items.dtype, items.data, (int64_t)tg_itemsize(items.dtype), items.n, false, items.order);
    for (int64_t i = 0; i < items.n && items.m != 1; i++) items.order[i] = (Entry){0, i};
    if (sorted) sort_items(&items);
    return group(&items, groups) ? t_index_select(rows, dim == T_NONE ? 0 : dim, groups->first) : NULL;
}

/* ---- unique, unique_consecutive ---- */

static void no_derivative(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    (void)dx;
    tg_fail("the derivative for '%s' is not implemented.", r->op->name);
}
static const Op unique_op = {"_unique2", "Unique2Backward0", no_derivative};
static const Op unique_dim_op = {"unique_dim", "UniqueDimBackward0", no_derivative};
static const Op consecutive_op = {"unique_consecutive", "UniqueConsecutiveBackward0", no_derivative};

static Tensor *unique(Tensor *x, int64_t dim, bool sorted, const Op *op, Tensor **inverse, Tensor **counts) {
    int d;
    Groups groups = {0};
    if (!tg_check(x, 1)) return NULL;
    if (dim != T_NONE) {
        if (!x->ndim) return tg_fail("Dimension specified as %lld but tensor has no dimensions", (long long)dim);
        if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
        if (tg_numel(x) == 0 && x->shape[d])
            return tg_fail("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied");
        dim = d;
    }
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = depth ? unique_items(x, dim, sorted, &groups) : NULL,
           *inverse_index = y && inverse ? groups.inverse : NULL;
    if (inverse_index && dim == T_NONE) inverse_index =
        tg_detach_from_base(t_reshape(inverse_index, x->shape, x->ndim));
    t_set_grad_enabled(grad_enabled);
    if (inverse && !inverse_index) y = NULL;
    y = t_keep_object(tg_record(op, y, INPUTS(x), NONE, NONE));
    if (y && inverse) *inverse = t_keep_object(inverse_index);
    if (y && counts) *counts = t_keep_object(groups.sizes);
    t_scope_close(depth);
    return y;
}

/* torch.unique(x, sorted, return_inverse, return_counts, dim): the different elements of x, or (with a dim) the
 * different slices along dim, in ascending order (`sorted` has no effect, as in PyTorch on the CPU); every NaN is
 * different. inverse and counts may be NULL: the index in the result of each element of x (in x's shape, or along
 * dim), and the number of occurrences. Backward through it is an error. Errors: dim out of range, other dims without
 * elements. */
Tensor *t_unique(Tensor *x, bool sorted, Tensor **inverse, Tensor **counts, int64_t dim) {
    tg_clear_output(inverse);
    tg_clear_output(counts);
    TG_COMPOSITE("unique");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_unique(tg_widened(x), sorted, inverse, counts, dim), x->dtype);
    (void)sorted;
    return unique(x, dim, true, dim == T_NONE ? &unique_op : &unique_dim_op, inverse, counts);
}

/* torch.unique_consecutive(x, return_inverse, return_counts, dim): x, or its slices along dim, with each run of
 * equal ones reduced to one. Otherwise as unique. */
Tensor *t_unique_consecutive(Tensor *x, Tensor **inverse, Tensor **counts, int64_t dim) {
    tg_clear_output(inverse);
    tg_clear_output(counts);
    TG_COMPOSITE("unique_consecutive");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_unique_consecutive(tg_widened(x), inverse, counts, dim), x->dtype);
    return unique(x, dim, false, &consecutive_op, inverse, counts);
}
