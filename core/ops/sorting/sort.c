/* core/ops/sorting/sort.c: sort, argsort, msort, topk and kthvalue.
 *
 * The gradient goes to the selected elements. NaN counts as the largest. Equal elements have the order of PyTorch's
 * CPU code (introsort_internal.h), so the indices are the same. */
#include "core/ops/sorting/introsort_internal.h"

#include <stdatomic.h>
#include <string.h>

#include "core/kernels/parallel.h"

/* ---- the loop over rows ---- */

typedef struct SortJob {
    t_DType dtype;
    int64_t n;
    const SortSpec *spec;
    Entry *entries; /* `buffers` buffers of 2 n entries, one for each thread; NULL: rows are short */
    int64_t buffers;
    atomic_flag *in_use;
} SortJob;

/* Stores the values of the first k entries and their indices. */
#define STORE(name, T)                                                                           \
    static void name(char *const *data, const int64_t *strides, const Entry *e, int64_t k) {     \
        char *y = data[0], *at = data[1];                                                        \
        const char *x = data[2];                                                                 \
        const int64_t y_stride = strides[0], at_stride = strides[1], x_stride = strides[2];      \
        for (int64_t i = 0; i < k; i++) {                                                        \
            const int64_t index = e[i].index;                                                    \
            *(T *)(y + i * y_stride) = *(const T *)(x + index * x_stride);                       \
            *(int64_t *)(at + i * at_stride) = index;                                            \
        }                                                                                        \
    }
STORE(store_8, uint8_t)
STORE(store_32, Bits32)
STORE(store_64, Bits64)

static void sort_with(Entry *entries, char *const *data, const int64_t *strides, const SortJob *job) {
    const size_t size = tg_itemsize(job->dtype);
    const SortSpec *spec = job->spec;
    if (spec->select) {
        tg_sort_entries(job->dtype, data[2], strides[2], job->n, spec->descending, entries);
        spec->select(entries, job->n, spec);
    } else {
        tg_partial_sort(job->dtype, data[2], strides[2], spec->k, job->n, spec->descending, entries);
    }
    (size == 1 ? store_8 : size == 4 ? store_32 : store_64)(data, strides, entries, spec->k);
}

/* A row that is short enough for a buffer on the stack. */
static void sort_short_row(char *const *data, const int64_t *strides, const void *context) {
    Entry entries[2 * TG_INSERTION_SORT];
    sort_with(entries, data, strides, context);
}

static void sort_row(char *const *data, const int64_t *strides, const void *context) {
    const SortJob *job = context;
    int64_t buffer = 0;
    while (atomic_flag_test_and_set(&job->in_use[buffer])) buffer = (buffer + 1) % job->buffers;
    sort_with(job->entries + buffer * 2 * job->n, data, strides, job);
    atomic_flag_clear(&job->in_use[buffer]);
}

static Tensor *empty_rows(Tensor *x, int dim, const SortSpec *spec, t_DType dtype) {
    return spec->keeps_strides ? tg_empty_like(x, dtype) : tg_empty_rows(x, dim, spec->k, dtype);
}

static Tensor *sorted_rows(Tensor *x, int dim, SortSpec *spec, const Op *op, Tensor **indices) {
    const int64_t n = tg_row_size(x, dim), along = dim, rows = n ? tg_numel(x) / n : 0, threads = tg_num_threads();
    const int64_t buffers = rows < 1 ? 1 : rows < threads ? rows : threads;
    atomic_flag in_use[TG_MAX_THREADS] = {ATOMIC_FLAG_INIT};
    Tensor *y = empty_rows(x, dim, spec, x->dtype), *at = y ? empty_rows(x, dim, spec, t_int64) : NULL;
    /* an entry is two int64 */
    Tensor *buffer = at && n > TG_INSERTION_SORT ? tg_empty((int64_t[]){buffers, 4, n}, 3, t_int64) : at;
    if (!buffer) return NULL;
    SortJob job = {x->dtype, n, spec, tg_data(buffer), buffers, in_use};
    if (n == 1 && spec->k == 1) {
        tg_copy_into(y, x);
        tg_fill_into(at, 0);
    } else if (tg_numel(x)) /* empty rows: their number may be very large */
        tg_each_row(n <= TG_INSERTION_SORT ? sort_short_row : sort_row, dim, (Tensor *[]){y, at, x}, 3, &job);
    if (spec->drops_dim) {
        tg_drop_row_dim(y, dim);
        tg_drop_row_dim(at, dim);
    }
    *indices = at;
    return tg_record(op, y, INPUTS(x), SAVED(at), ATTRIBUTES(along));
}

Tensor *tg_sorted(Tensor *x, int dim, SortSpec spec, const Op *op, Tensor **indices) {
    Tensor *at = NULL;
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(sorted_rows(x, dim, &spec, op, &at)) : NULL;
    if (y && indices) *indices = t_keep_object(at);
    t_scope_close(depth);
    return y;
}

/* ---- sort ---- */

static void sort_all(Entry *e, int64_t n, const SortSpec *spec) {
    if (spec->stable) tg_stable_sort(e, e + n, n);
    else tg_sort(e, n, false);
}
static const Op sort_op = {"sort", "SortBackward0", tg_value_selecting_backward},
                stable_op = {"sort", "SortBackward1", tg_value_selecting_backward};

/* torch.sort(x, dim, descending, stable): the rows along dim in ascending order, NaN last, and the original indices
 * in *indices. Any shape and dtype. Equal elements keep their order if stable; else they may not in rows of more
 * than 16 elements, as in PyTorch (which keeps it in an ascending int64 vector of 32,768 elements or more). dx = dy
 * at the original indices. The results have the strides of x if it is dense. Errors: dim out of range. */
Tensor *t_sort(Tensor *x, int64_t dim, bool descending, bool stable, Tensor **indices) {
    tg_clear_output(indices);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_sort(tg_widened(x), dim, descending, stable, indices), x->dtype);
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    /* PyTorch uses a stable radix sort */
    const bool is_radix = x->dtype == t_int64 && x->ndim == 1 && x->shape[0] >= 32768 && !descending;
    SortSpec spec = {.select = sort_all,
                     .k = tg_row_size(x, d),
                     .descending = descending,
                     .stable = stable || is_radix,
                     .keeps_strides = true};
    return tg_sorted(x, d, spec, stable ? &stable_op : &sort_op, indices);
}

/* torch.argsort(x, dim, descending, stable): the indices of sort. No gradient. */
Tensor *t_argsort(Tensor *x, int64_t dim, bool descending, bool stable) {
    if (tg_is_narrow_tensor(x)) return t_argsort(tg_widened(x), dim, descending, stable);
    Tensor *indices = NULL;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    bool ok = depth && t_sort(x, dim, descending, stable, &indices);
    t_set_grad_enabled(grad_enabled);
    if (ok) t_keep_object(indices);
    t_scope_close(depth);
    return indices;
}

/* torch.msort(x): sort along the first dim, without the indices. */
Tensor *t_msort(Tensor *x) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_msort(tg_widened(x)), x->dtype);
    return t_sort(x, 0, false, false, NULL);
}

/* ---- topk ---- */

static void select_top(Entry *e, int64_t n, const SortSpec *spec) {
    int64_t k = spec->k;
    if (k == 0) return;
    tg_nth_element(e, k - 1, n);
    if (spec->sorted && k > 2) tg_sort(e, k - 1, false);
}
static const Op topk_op = {"topk", "TopkBackward0", tg_value_selecting_backward};

/* torch.topk(x, k, dim, largest, sorted): the k largest (smallest) elements of each row along dim, and their
 * indices; in descending (ascending) order if sorted. Not for bools. dx = dy at their indices. Errors: dim or k out
 * of range. */
Tensor *t_topk(Tensor *x, int64_t k, int64_t dim, bool largest, bool sorted, Tensor **indices) {
    tg_clear_output(indices);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_topk(tg_widened(x), k, dim, largest, sorted, indices), x->dtype);
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (k < 0 || k > tg_row_size(x, d)) return tg_fail("selected index k out of range");
    if (x->dtype == t_bool) return tg_fail("topk does not support bool dtypes on CPU");
    const bool partial = k > 0 && k * 64 <= tg_row_size(x, d); /* then PyTorch calls std::partial_sort */
    SortSpec spec = {.select = partial ? NULL : select_top,
                     .k = x->ndim ? k : 1,
                     .descending = largest,
                     .sorted = sorted};
    return tg_sorted(x, d, spec, &topk_op, indices);
}

/* ---- kthvalue ---- */

static void select_kth(Entry *e, int64_t n, const SortSpec *spec) {
    tg_quickselect(e, spec->nth, n);
    e[0] = e[spec->nth];
}
static const Op kthvalue_op = {"kthvalue", "KthvalueBackward0", tg_value_selecting_backward};

/* torch.kthvalue(x, k, dim, keepdim): the k-th smallest element (from 1) of each row along dim, and its index. Not
 * for bools. dx = dy at its index. Errors: dim or k out of range, rows without elements. */
Tensor *t_kthvalue(Tensor *x, int64_t k, int64_t dim, bool keepdim, Tensor **indices) {
    tg_clear_output(indices);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_kthvalue(tg_widened(x), k, dim, keepdim, indices), x->dtype);
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d) || !tg_check_row(x, d, "kthvalue")) return NULL;
    if (k < 1 || k > tg_row_size(x, d))
        return tg_fail("kthvalue(): selected number k out of range for dimension %d", d);
    if (x->dtype == t_bool) return tg_not_implemented("kthvalue_cpu", x->dtype);
    SortSpec spec = {.select = select_kth, .k = 1, .nth = k - 1, .drops_dim = !keepdim};
    return tg_sorted(x, d, spec, &kthvalue_op, indices);
}
