/* core/ops/sorting/searchsorted.c: searchsorted, bucketize and isin. */
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/indexing/gather_internal.h"

/* x in the given dtype, contiguous, not recorded. */
static Tensor *contiguous_as(Tensor *x, t_DType dtype) {
    return t_contiguous(t_to(t_detach(x), dtype));
}

/* ---- searchsorted ---- */

/* Bisection: the index of the first of n sorted values that is not less than x (right: that is greater). NaN is greater
 * than all. */
#define SEARCH(T)                                                                                \
    static int64_t search_##T(const T *sorted, int64_t n, T x, bool right) {                     \
        int64_t low = 0, high = n;                                                               \
        while (low < high) {                                                                     \
            const int64_t middle = low + (high - low) / 2;                                       \
            if (right ? sorted[middle] > x : sorted[middle] >= x) high = middle;                 \
            else low = middle + 1;                                                               \
        }                                                                                        \
        return low;                                                                              \
    }
SEARCH(int64_t)
SEARCH(float)
SEARCH(double)

enum { GRAIN = 1024 }; /* searches per thread at least */

/* Rows of n sorted values, and rows of m values to search for. */
typedef struct Search {
    t_DType dtype;
    int64_t n, m, *out;
    const void *sorted, *x;
    bool right;
} Search;

/* The search for the i-th value, in its row. */
static int64_t search_one(const Search *s, int64_t i) {
    const int64_t row = i / s->m * s->n;
    switch (s->dtype) {
    case t_int64: return search_int64_t((const int64_t *)s->sorted + row, s->n, ((const int64_t *)s->x)[i], s->right);
    case t_float32: return search_float((const float *)s->sorted + row, s->n, ((const float *)s->x)[i], s->right);
    default: return search_double((const double *)s->sorted + row, s->n, ((const double *)s->x)[i], s->right);
    }
}

static void search_range(int64_t from, int64_t to, void *context) {
    const Search *s = context;
    for (int64_t i = from; i < to; i++) s->out[i] = search_one(s, i);
}

/* As many rows of both, or one sorted row for all. */
static void search_rows(Tensor *y, const Tensor *sorted, const Tensor *x, bool right) {
    const int64_t n = sorted->shape[sorted->ndim - 1], all = tg_numel(x), rows = n ? tg_numel(sorted) / n : 1;
    Search s = {x->dtype, n, rows ? all / rows : 0, tg_data(y), tg_data(sorted), tg_data(x), right};
    tg_parallel(all, GRAIN, search_range, &s);
}

static bool check_boundaries(const Tensor *sorted, const Tensor *x) {
    bool same = sorted->ndim == x->ndim;
    if (x->ndim == 0 && sorted->ndim != 1)
        return tg_fail("torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, "
                       "but we got boundaries tensor dim(%d) and input value's dim(0) numel(1)",
                       sorted->ndim);
    if (sorted->ndim == 0)
        return tg_fail("torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension");
    for (int d = 0; same && d + 1 < x->ndim; d++) same = sorted->shape[d] == x->shape[d];
    return sorted->ndim == 1 || same ||
           tg_fail("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                   "boundaries tensor and input value tensor must match, but we got boundaries tensor %s and input "
                   "value tensor %s",
                   tg_shape_of(sorted), tg_shape_of(x));
}

static bool check_sorter(const Tensor *sorted, Tensor *sorter) {
    int64_t bad;
    if (!sorter) return true;
    if (!tg_same_shape(sorter, sorted))
        return tg_fail("torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                       "%sand got sorter tensor %s",
                       tg_shape_of(sorted), tg_shape_of(sorter));
    if (sorter->dtype != t_int64)
        return tg_fail("torch.searchsorted(): sorter must be a tensor of long dtype but got dtype %s",
                       tg_scalar_name(sorter->dtype));
    return !tg_find_bad_index(sorter, sorted->shape[sorted->ndim - 1], NULL, &bad) ||
           tg_fail("torch.searchsorted(): sorter index out of range");
}

static bool check_side(bool right, const char *side) {
    if (!side) return true;
    if (strcmp(side, "left") != 0 && strcmp(side, "right") != 0)
        return tg_fail("torch.searchsorted(): side can only be 'left' or 'right' but got %s", side);
    return !right || *side == 'r' ||
           tg_fail(
               "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True");
}

static Tensor *search(Tensor *sorted, Tensor *x, bool right, Tensor *sorter) {
    t_DType dtype = tg_result_type((Tensor *[]){sorted, x}, 2);
    if (dtype == t_bool) return tg_not_implemented("searchsorted_out_cpu", dtype);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *a = contiguous_as(sorted, dtype), *b = a ? contiguous_as(x, dtype) : NULL;
    if (b && sorter) a = t_contiguous(t_gather(a, -1, sorter));
    Tensor *y = a && b ? tg_empty(x->shape, x->ndim, t_int64) : NULL;
    if (y) search_rows(y, a, b, right);
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* torch.searchsorted(sorted_sequence, input, right, side, sorter): int64, for each value of input the index at which
 * it would be inserted into the sorted row: before equal values, or with right (side "right") after them.
 * sorted_sequence: one row for all, or as many rows as input; sorter (NULL for none): the permutation that sorts it.
 * No gradient. Errors: shapes that do not match, right together with side "left". */
Tensor *t_searchsorted(Tensor *sorted_sequence, Tensor *input, bool right, const char *side, Tensor *sorter) {
    if (tg_is_narrow_tensor(sorted_sequence) || tg_is_narrow_tensor(input))
        return t_searchsorted(tg_widened_optional(sorted_sequence), tg_widened_optional(input), right, side, sorter);
    if (!tg_check_two(sorted_sequence, input) || !tg_check_optional(sorter, 5)) return NULL;
    if (!check_side(right, side) || !check_boundaries(sorted_sequence, input)) return NULL;
    if (!check_sorter(sorted_sequence, sorter)) return NULL;
    return search(sorted_sequence, input, right || (side && *side == 'r'), sorter);
}

/* torch.bucketize(input, boundaries, right): searchsorted in one row of boundaries: the index of the bucket. */
Tensor *t_bucketize(Tensor *input, Tensor *boundaries, bool right) {
    if (tg_is_narrow_tensor(input) || tg_is_narrow_tensor(boundaries))
        return t_bucketize(tg_widened_optional(input), tg_widened_optional(boundaries), right);
    if (!tg_check_two(input, boundaries)) return NULL;
    if (boundaries->ndim != 1)
        return tg_fail("boundaries tensor must be 1 dimension, but got dim(%d)", boundaries->ndim);
    return search(boundaries, input, right, NULL);
}

/* ---- isin ---- */

/* y[i] = whether x[i] is among the sorted values of test, or with `invert` is not. at: where it would be inserted. */
#define IS_AT(T)                                                                                 \
    static void is_at_##T(const T *x, const T *test, int64_t n, const int64_t *at, bool invert,  \
                          int64_t count, bool *y) {                                              \
        for (int64_t i = 0; i < count; i++) y[i] = (at[i] < n && test[at[i]] == x[i]) != invert; \
    }
IS_AT(int64_t)
IS_AT(float)
IS_AT(double)

static Tensor *is_in(Tensor *x, Tensor *test, bool invert) {
    const int64_t count = tg_numel(x), n = tg_numel(test);
    Tensor *y = tg_empty(x->shape, x->ndim, t_bool), *at = y ? tg_empty(x->shape, x->ndim, t_int64) : NULL;
    if (!at) return NULL;
    search_rows(at, test, x, false);
    switch (x->dtype) {
    case t_int64: is_at_int64_t(tg_data(x), tg_data(test), n, tg_data(at), invert, count, tg_data(y)); break;
    case t_float32: is_at_float(tg_data(x), tg_data(test), n, tg_data(at), invert, count, tg_data(y)); break;
    default: is_at_double(tg_data(x), tg_data(test), n, tg_data(at), invert, count, tg_data(y));
    }
    return y;
}

/* torch.isin(elements, test_elements, assume_unique, invert): bool in the shape of elements, whether each is one of
 * test_elements (with invert: is not). Either may be a number; both are promoted to their common dtype; NaN is never
 * found. assume_unique is a hint without effect here. No gradient. Error: bools. */
Tensor *t_isin(Tensor *elements, Tensor *test_elements, bool assume_unique, bool invert) {
    TG_COMPOSITE("isin");
    if (tg_is_narrow_tensor(elements) || tg_is_narrow_tensor(test_elements))
        return t_isin(tg_widened_optional(elements), tg_widened_optional(test_elements), assume_unique, invert);
    (void)assume_unique;
    if (!tg_check_two(elements, test_elements)) return NULL;
    if (elements->dtype == t_bool || test_elements->dtype == t_bool)
        return tg_fail("Unsupported input type encountered for isin(): Bool");
    t_DType dtype = tg_result_type((Tensor *[]){elements, test_elements}, 2);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *x = contiguous_as(elements, dtype), *test = x ? contiguous_as(test_elements, dtype) : NULL;
    test = test ? t_reshape(test, (int64_t[]){-1}, 1) : NULL;
    test = test ? t_sort(test, 0, false, true, NULL) : NULL; /* NaN comes last */
    Tensor *y = test ? is_in(x, test, invert) : NULL;
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}
