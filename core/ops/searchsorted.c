/* core/ops/searchsorted.c: searchsorted, bucketize and isin. */
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/gather_internal.h"

/* x in the given dtype, contiguous, not recorded. */
static Tensor *contiguous_as(Tensor *x, t_DType dtype) {
    return t_contiguous(t_to(t_detach(x), dtype));
}

/* ---- searchsorted ---- */

/* The index of the first of n sorted values that is not less than x (right: that is greater). NaN is greater than
 * all. Branch-free, as the comparisons are unpredictable. */
#define SEARCH(T)                                                                                \
    static int64_t search_##T(const T *sorted, int64_t n, T x, bool right) {                     \
        uint64_t low = 0;                                                                        \
        for (uint64_t left = (uint64_t)n, half; left; left = half) {                             \
            half = left / 2;                                                                     \
            const T middle = sorted[low + half];                                                 \
            const uint64_t below = (uint64_t)(right ? middle > x : middle >= x) - 1;             \
            low += (half + 1) & below;                                                           \
            half += (left - 2 * half - 1) & below;                                               \
        }                                                                                        \
        return (int64_t)low;                                                                     \
    }
SEARCH(int64_t)
SEARCH(float)
SEARCH(double)

enum { GRAIN = 1024 }; /* searches per thread at least */

/* Rows of n sorted values, and rows of m values to search for. */
typedef struct Search {
    t_DType dtype;
    int64_t n, m, *out;
    const char *sorted, *x;
    bool right;
} Search;

static void search_range(int64_t from, int64_t to, void *context) {
    const Search *s = context;
    const int64_t item = (int64_t)tg_itemsize(s->dtype);
    for (int64_t i = from; i < to; i++) {
        const void *row = s->sorted + i / s->m * s->n * item, *value = s->x + i * item;
        if (s->dtype == t_int64) s->out[i] = search_int64_t(row, s->n, *(const int64_t *)value, s->right);
        else if (s->dtype == t_float32) s->out[i] = search_float(row, s->n, *(const float *)value, s->right);
        else s->out[i] = search_double(row, s->n, *(const double *)value, s->right);
    }
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
    if (!tg_check_two(sorted_sequence, input) || !tg_check_optional(sorter, 5)) return NULL;
    if (!check_side(right, side) || !check_boundaries(sorted_sequence, input)) return NULL;
    if (!check_sorter(sorted_sequence, sorter)) return NULL;
    return search(sorted_sequence, input, right || (side && *side == 'r'), sorter);
}

/* torch.bucketize(input, boundaries, right): searchsorted in one row of boundaries: the index of the bucket. */
Tensor *t_bucketize(Tensor *input, Tensor *boundaries, bool right) {
    if (!tg_check_two(input, boundaries)) return NULL;
    if (boundaries->ndim != 1)
        return tg_fail("boundaries tensor must be 1 dimension, but got dim(%d)", boundaries->ndim);
    return search(boundaries, input, right, NULL);
}

/* ---- isin ---- */

/* Whether x is among n sorted values: a branch-free binary search for the last value that is not above x. */
#define FIND(T)                                                                                  \
    static bool find_##T(const T *sorted, uint64_t n, T x) {                                     \
        for (; n > 1; n -= n / 2) sorted += (n / 2) & -(uint64_t)(sorted[n / 2] <= x);           \
        return n && *sorted == x;                                                                \
    }
FIND(int64_t)
FIND(double)

typedef struct Lookup {
    bool is_int64, invert, *out;
    int64_t n;
    const void *x, *test; /* test: n sorted values */
} Lookup;

static void look_up_range(int64_t from, int64_t to, void *context) {
    const Lookup *look = context;
    const uint64_t n = (uint64_t)look->n;
    for (int64_t i = from; i < to; i++) {
        const int64_t *integers = look->x;
        const double *doubles = look->x;
        look->out[i] = (look->is_int64 ? find_int64_t(look->test, n, integers[i])
                                       : find_double(look->test, n, doubles[i])) != look->invert;
    }
}

static void look_up(Tensor *y, const Tensor *x, const Tensor *test, bool invert) {
    Lookup look = {x->dtype == t_int64, invert, tg_data(y), tg_numel(test), tg_data(x), tg_data(test)};
    tg_parallel(tg_numel(x), GRAIN, look_up_range, &look);
}

/* torch.isin(elements, test_elements, assume_unique, invert): bool in the shape of elements, whether each is one of
 * test_elements (with invert: is not). Either may be a number; both are promoted to their common dtype; NaN is never
 * found. assume_unique is a hint without effect here. No gradient. Error: bools. */
Tensor *t_isin(Tensor *elements, Tensor *test_elements, bool assume_unique, bool invert) {
    (void)assume_unique;
    if (!tg_check_two(elements, test_elements)) return NULL;
    if (elements->dtype == t_bool || test_elements->dtype == t_bool)
        return tg_fail("Unsupported input type encountered for isin(): Bool");
    t_DType dtype = tg_result_type((Tensor *[]){elements, test_elements}, 2);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *x = contiguous_as(elements, dtype), *test = x ? contiguous_as(test_elements, dtype) : NULL;
    if (test && dtype == t_float32) {
        x = t_double(x);
        test = t_double(test);
    }
    test = test ? t_reshape(test, (int64_t[]){-1}, 1) : NULL;
    test = test ? t_sort(test, 0, false, true, NULL) : NULL; /* NaN comes last */
    Tensor *y = x && test ? tg_empty(elements->shape, elements->ndim, t_bool) : NULL;
    if (y) look_up(y, x, test, invert);
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}
