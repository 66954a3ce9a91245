/* core/ops/unique.c: what there is in a tensor, each once: unique and unique_consecutive.
 *
 * Both look at a row of n items of m elements each: the elements themselves (m is 1), or the slices along a dim. They bring the
 * items into an order, or leave them in theirs, and start a new group where an item differs from the one before. */
#include <string.h>

#include "core/ops/introsort_internal.h"

typedef struct Items {
    t_DType dtype;
    int64_t n, m;
    const char *data; /* contiguous */
    Entry *order;     /* n, and room for n more */
} Items;

static uint64_t key_at(const Items *items, int64_t item, int64_t element) {
    return tg_sort_key(items->dtype, items->data + (size_t)(item * items->m + element) * tg_itemsize(items->dtype));
}

/* A NaN is unlike everything, itself too. */
static bool equal(const Items *items, int64_t a, int64_t b) {
    for (int64_t i = 0; i < items->m; i++) {
        uint64_t key = key_at(items, a, i);
        if (key != key_at(items, b, i) || (tg_is_floating(items->dtype) && key == TG_NAN_KEY)) return false;
    }
    return true;
}

/* Single elements are compared by their keys in the entries. (No branch: whether two are alike is often anyone's guess.) */
static bool alike(const Items *items, const Entry *a, const Entry *b) {
    if (items->m != 1) return equal(items, a->index, b->index);
    return (a->key == b->key) & !(tg_is_floating(items->dtype) & (a->key == TG_NAN_KEY));
}

/* By the first element, among equals by the second, and so on: sorted by the last one first, and stable. */
static void sort_items(Items *items) {
    if (items->m == 1) tg_stable_sort(items->order, items->order + items->n, items->n);
    for (int64_t element = items->m - 1; element >= 0 && items->m > 1 && items->n > 1; element--) {
        for (int64_t i = 0; i < items->n; i++) items->order[i].key = key_at(items, items->order[i].index, element);
        tg_stable_sort(items->order, items->order + items->n, items->n);
    }
}

/* The first item of each group and, if they are wanted, the group of each item and the size of each group. */
typedef struct Groups {
    int64_t count;
    Tensor *first, *inverse, *sizes;
} Groups;

/* (What is written for an item that begins no group is written over by the next one.) */
static bool group(const Items *items, bool all, Groups *groups) {
    const int64_t n = items->n;
    Tensor *first = tg_empty(&n, 1, t_int64), *inverse = tg_empty(&n, 1, t_int64), *sizes = tg_empty(&n, 1, t_int64);
    if (!first || !inverse || !sizes) return false;
    int64_t *starts = tg_data(first), *belongs = tg_data(inverse), *size = tg_data(sizes), count = 0;
    for (int64_t i = 0; i < n; i++) {
        const Entry *e = &items->order[i];
        starts[count] = e->index;
        count += i == 0 || !alike(items, e - 1, e);
        if (!all) continue;
        size[count - 1] = i; /* its last item */
        belongs[e->index] = count - 1;
    }
    for (int64_t i = count - 1, before; all && i >= 0; i--) {
        before = i ? size[i - 1] : -1;
        size[i] -= before;
    }
    *groups = (Groups){count, t_narrow(first, 0, 0, count), inverse, all ? t_clone(t_narrow(sizes, 0, 0, count)) : sizes};
    return groups->first && groups->sizes;
}

/* ---- runs of single elements, where nothing else is wanted: no entries, no groups ---- */

/* The first of each run among n > 0 elements to y; returns how many. Some elements at a time, which may all be new, or none of them;
 * else what is kept is written at each step, without a branch. Bits are words as long as an element. */
enum { TOGETHER = 16 };
#define RUNS(T, Bits)                                                                            \
    static int32_t count_##T(const T *x) {                                                       \
        int32_t count = 0;                                                                       \
        for (int k = 0; k < TOGETHER; k++) count += x[k] != x[k - 1];                            \
        return count;                                                                            \
    }                                                                                            \
    static int64_t runs_##T(const void *from, int64_t n, void *to) {                             \
        const T *x = from;                                                                       \
        const Bits *bits = from;                                                                 \
        Bits *y = to, kept = bits[0];                                                            \
        int64_t at = 0;                                                                          \
        y[0] = kept;                                                                             \
        for (int64_t i = 1, end; i < n; i = end) {                                               \
            int32_t differ = n - i < TOGETHER;                                                   \
            end = differ ? n : i + TOGETHER;                                                     \
            if (!differ) differ = count_##T(x + i);                                              \
            if (differ == TOGETHER) {                                                            \
                memcpy(y + at + 1, bits + i, TOGETHER * sizeof(T));                              \
                kept = bits[end - 1];                                                            \
                at += TOGETHER;                                                                  \
            }                                                                                    \
            for (; differ > 0 && differ < TOGETHER && i < end; i++) {                            \
                const bool is_new = x[i] != x[i - 1];                                            \
                kept ^= (Bits)((kept ^ bits[i]) & (Bits) - (Bits)is_new);                        \
                at += is_new;                                                                    \
                y[at] = kept;                                                                    \
            }                                                                                    \
        }                                                                                        \
        return at + 1;                                                                           \
    }
RUNS(bool, uint8_t)
RUNS(int64_t, Bits64)
RUNS(float, Bits32)
RUNS(double, Bits64)

static Tensor *firsts_of_runs(Tensor *x) {
    static int64_t (*const runs[])(const void *, int64_t, void *) = {NULL, runs_bool, runs_int64_t, runs_float, runs_double};
    const int64_t n = tg_numel(x);
    Tensor *dense = t_contiguous(x), *all = dense ? tg_empty(&n, 1, x->dtype) : NULL;
    const int64_t count = all && n ? runs[x->dtype](tg_data(dense), n, tg_data(all)) : 0;
    return count == n ? all : t_clone(t_narrow(all, 0, 0, count));
}

/* x's groups along dim (T_NONE: of all elements), and the y that has one of each. */
static Tensor *grouped(Tensor *x, int64_t dim, bool sorted, bool all, Groups *groups) {
    int64_t order[T_MAX_DIMS] = {dim};
    if (dim == T_NONE && !sorted && !all) return firsts_of_runs(x);
    for (int i = 0, at = 1; dim != T_NONE && i < x->ndim; i++)
        if (i != dim) order[at++] = i;
    Tensor *rows = dim == T_NONE ? t_reshape(x, (int64_t[]){-1}, 1) : x;
    Tensor *front = dim == T_NONE ? rows : t_permute(x, order, x->ndim), *dense = front ? t_contiguous(front) : NULL;
    if (!dense) return NULL;
    Items items = {.dtype = x->dtype, .n = dense->shape[0], .data = tg_data(dense)};
    items.m = tg_count(dense->shape + 1, dense->ndim - 1);
    Tensor *room = tg_empty((int64_t[]){4, items.n}, 2, t_int64); /* twice n entries of two words */
    if (!room) return NULL;
    items.order = tg_data(room);
    if (items.m == 1) tg_sort_entries(items.dtype, items.data, (int64_t)tg_itemsize(items.dtype), items.n, false, items.order);
    for (int64_t i = 0; i < items.n && items.m != 1; i++) items.order[i] = (Entry){0, i};
    if (sorted) sort_items(&items);
    return group(&items, all, groups) ? t_index_select(rows, dim == T_NONE ? 0 : dim, groups->first) : NULL;
}

/* ---- the two of them ---- */

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
    Tensor *y = depth ? grouped(x, dim, sorted, inverse || counts, &groups) : NULL, *places = y && inverse ? groups.inverse : NULL;
    if (places && dim == T_NONE) places = tg_cut_from_base(t_reshape(places, x->shape, x->ndim));
    t_set_grad_enabled(grad_enabled);
    if (inverse && !places) y = NULL;
    y = t_keep_object(tg_record(op, y, INPUTS(x), NONE, NONE));
    if (y && inverse) *inverse = t_keep_object(places);
    if (y && counts) *counts = t_keep_object(groups.sizes);
    t_scope_close(depth);
    return y;
}

/* torch.unique(x, sorted, return_inverse, return_counts, dim): each element of x once, or (dim given) each slice along dim, in
 * ascending order (always: `sorted` changes nothing, as in PyTorch on the CPU), every NaN for itself. inverse and counts may be
 * NULL: where in the result each of x's is found (in x's shape, or along dim), and how often each stands in x.
 * Backward through it is an error. Errors: dim out of range, other dims without elements. */
Tensor *t_unique(Tensor *x, bool sorted, Tensor **inverse, Tensor **counts, int64_t dim) {
    (void)sorted;
    return unique(x, dim, true, dim == T_NONE ? &unique_op : &unique_dim_op, inverse, counts);
}

/* torch.unique_consecutive(x, return_inverse, return_counts, dim): x, or its slices along dim, in its own order, but one of
 * each run of equals. Everything else as unique. */
Tensor *t_unique_consecutive(Tensor *x, Tensor **inverse, Tensor **counts, int64_t dim) {
    return unique(x, dim, false, &consecutive_op, inverse, counts);
}
