/* core/ops/sort.c: sort, argsort, msort, topk and kthvalue: rows in order, or the first few of them.
 *
 * Gradients go back to the elements that were chosen. NaN counts as the largest. Equal elements stand where PyTorch's CPU code
 * leaves them (introsort_internal.h), so the indices are its indices. */
#include "core/ops/introsort_internal.h"

#include <stdatomic.h>
#include <string.h>

#include "core/kernels/parallel.h"

/* ---- the walk ---- */

typedef struct Work {
    t_DType dtype;
    int64_t n;
    const Ordering *wanted;
    Entry *entries; /* of long rows: for each of so many threads, twice n */
    int64_t rooms;
    atomic_flag *taken;
} Work;

/* The values of the first k entries, and where they stood. */
#define PUT(name, T)                                                                             \
    static void name(char *const *data, const int64_t *steps, const Entry *e, int64_t k) {       \
        char *y = data[0], *at = data[1];                                                        \
        const char *x = data[2];                                                                 \
        const int64_t y_step = steps[0], at_step = steps[1], x_step = steps[2];                  \
        for (int64_t i = 0; i < k; i++) {                                                        \
            const int64_t index = e[i].index;                                                    \
            *(T *)(y + i * y_step) = *(const T *)(x + index * x_step);                           \
            *(int64_t *)(at + i * at_step) = index;                                              \
        }                                                                                        \
    }
PUT(put_8, uint8_t)
PUT(put_32, Bits32)
PUT(put_64, Bits64)

static void order_in(Entry *entries, char *const *data, const int64_t *steps, const Work *work) {
    const size_t size = tg_itemsize(work->dtype);
    const Ordering *wanted = work->wanted;
    if (wanted->arrange) {
        tg_order_entries(work->dtype, data[2], steps[2], work->n, wanted->descending, entries);
        wanted->arrange(entries, work->n, wanted);
    } else {
        tg_order_first(work->dtype, data[2], steps[2], wanted->k, work->n, wanted->descending, entries);
    }
    (size == 1 ? put_8 : size == 4 ? put_32 : put_64)(data, steps, entries, wanted->k);
}

/* Rows that are so short that their entries have room here. */
static void order_few(char *const *data, const int64_t *steps, const void *context) {
    Entry entries[2 * TG_SORT_FEW];
    order_in(entries, data, steps, context);
}

static void order_row(char *const *data, const int64_t *steps, const void *context) {
    const Work *work = context;
    int64_t room = 0;
    while (atomic_flag_test_and_set(&work->taken[room])) room = (room + 1) % work->rooms;
    order_in(work->entries + room * 2 * work->n, data, steps, work);
    atomic_flag_clear(&work->taken[room]);
}

static Tensor *ordered(Tensor *x, int dim, Ordering *wanted, const Op *op, Tensor **indices) {
    const int64_t n = tg_row_size(x, dim), along = dim, rows = n ? tg_numel(x) / n : 0, threads = tg_num_threads();
    const int64_t rooms = rows < 1 ? 1 : rows < threads ? rows : threads;
    atomic_flag taken[TG_MAX_THREADS] = {ATOMIC_FLAG_INIT};
    Tensor *y = tg_empty_rows(x, dim, wanted->k, x->dtype), *at = y ? tg_empty_rows(x, dim, wanted->k, t_int64) : NULL;
    Tensor *room = at && n > TG_SORT_FEW ? tg_empty((int64_t[]){rooms, 4, n}, 3, t_int64) : at; /* entries are two words */
    if (!room) return NULL;
    Work work = {x->dtype, n, wanted, tg_data(room), rooms, taken};
    if (n == 1 && wanted->k == 1) {
        tg_copy_into(y, x);
        tg_fill_into(at, 0);
    } else if (tg_numel(x)) /* rows without elements may be without number */
        tg_each_row(n <= TG_SORT_FEW ? order_few : order_row, dim, (Tensor *[]){y, at, x}, 3, &work);
    if (wanted->drops_dim) {
        tg_drop_row_dim(y, dim);
        tg_drop_row_dim(at, dim);
    }
    *indices = at;
    return tg_record(op, y, INPUTS(x), SAVED(at), ATTRIBUTES(along));
}

Tensor *tg_ordered(Tensor *x, int dim, Ordering wanted, const Op *op, Tensor **indices) {
    Tensor *at = NULL;
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(ordered(x, dim, &wanted, op, &at)) : NULL;
    if (y && indices) *indices = t_keep_object(at);
    t_scope_close(depth);
    return y;
}

/* ---- merge sort ---- */

static void merge(const Entry *a, int64_t na, const Entry *b, int64_t nb, Entry *out) {
    while (na && nb) {
        bool right = b->key < a->key;
        *out++ = right ? *b++ : *a++;
        if (right) nb--;
        else na--;
    }
    memcpy(out, na ? a : b, (size_t)(na + nb) * sizeof *out);
}

/* By one byte of the key after the other, from the lowest; bytes in which all keys are alike are passed over. */
static void radix_sort(Entry *e, Entry *spare, int64_t n) {
    enum { VALUES = 256 };
    Entry *from = e, *to = spare;
    uint64_t differing = 0;
    for (int64_t i = 0; i < n; i++) differing |= e[i].key ^ e[0].key;
    for (int shift = 0; shift < 64; shift += 8) {
        uint32_t start[VALUES] = {0};
        if (!(differing >> shift & 255)) continue;
        for (int64_t i = 0; i < n; i++) start[from[i].key >> shift & 255]++;
        uint32_t at = 0;
        for (int value = 0; value < VALUES; value++) {
            const uint32_t count = start[value];
            start[value] = at;
            at += count;
        }
        for (int64_t i = 0; i < n; i++) to[start[from[i].key >> shift & 255]++] = from[i];
        Entry *kept = from;
        from = to;
        to = kept;
    }
    if (from != e) memcpy(e, from, (size_t)n * sizeof *e);
}

void tg_stable_sort(Entry *e, Entry *spare, int64_t n) {
    enum { MANY = 1024 };
    Entry *from = e, *to = spare;
    if (n >= MANY && n < UINT32_MAX) {
        radix_sort(e, spare, n);
        return;
    }
    for (int64_t i = 0; i < n; i += TG_SORT_FEW) tg_sort_few(e + i, (int)(n - i < TG_SORT_FEW ? n - i : TG_SORT_FEW));
    for (int64_t run = TG_SORT_FEW; run < n; run *= 2) {
        for (int64_t i = 0; i < n; i += 2 * run) {
            int64_t na = n - i < run ? n - i : run, nb = n - i - na < run ? n - i - na : run;
            merge(from + i, na, from + i + na, nb, to + i);
        }
        Entry *kept = from;
        from = to;
        to = kept;
    }
    if (from != e) memcpy(e, from, (size_t)n * sizeof *e);
}

/* ---- sort ---- */

/* torch.sort(x, dim, descending, stable): the rows along dim in ascending order, NaN last, and in *indices where each element
 * stood. Any shape and dtype. Equals keep their order if stable; else they may not in rows of more than 16, as in PyTorch (which
 * keeps it in an ascending int64 vector of 32,768 elements or more).
 * dx = dy at the places that the elements came from. Errors: dim out of range. */
static void arrange_all(Entry *e, int64_t n, const Ordering *wanted) {
    if (n <= TG_SORT_FEW) tg_sort_few(e, (int)n);
    else if (wanted->stable) tg_stable_sort(e, e + n, n);
    else tg_sort(e, n);
}
static const Op sort_op = {"sort", "SortBackward0", tg_picked_backward}, stable_op = {"sort", "SortBackward1", tg_picked_backward};

Tensor *t_sort(Tensor *x, int64_t dim, bool descending, bool stable, Tensor **indices) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    const bool by_digits = x->dtype == t_int64 && x->ndim == 1 && x->shape[0] >= 32768 && !descending; /* in PyTorch */
    Ordering wanted = {.arrange = arrange_all, .k = tg_row_size(x, d), .descending = descending, .stable = stable || by_digits};
    return tg_ordered(x, d, wanted, stable ? &stable_op : &sort_op, indices);
}

/* torch.argsort(x, dim, descending, stable): the indices of sort. No gradient. */
Tensor *t_argsort(Tensor *x, int64_t dim, bool descending, bool stable) {
    Tensor *indices = NULL;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    bool ok = depth && t_sort(x, dim, descending, stable, &indices);
    t_set_grad_enabled(grad_enabled);
    if (ok) t_keep_object(indices);
    t_scope_close(depth);
    return indices;
}

/* torch.msort(x): sort along the first dim, the values alone. */
Tensor *t_msort(Tensor *x) {
    return t_sort(x, 0, false, false, NULL);
}

/* ---- topk ---- */

/* torch.topk(x, k, dim, largest, sorted): the k largest (smallest) of each row along dim, and their indices; in descending
 * (ascending) order if sorted. Not for bools. dx = dy at their places. Errors: dim or k out of range. */
static void arrange_top(Entry *e, int64_t n, const Ordering *wanted) {
    int64_t k = wanted->k;
    if (k == 0) return;
    tg_nth_element(e, k - 1, n);
    if (wanted->sorted && k > 2) tg_sort(e, k - 1);
}
static const Op topk_op = {"topk", "TopkBackward0", tg_picked_backward};

Tensor *t_topk(Tensor *x, int64_t k, int64_t dim, bool largest, bool sorted, Tensor **indices) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (k < 0 || k > tg_row_size(x, d)) return tg_fail("selected index k out of range");
    if (x->dtype == t_bool) return tg_fail("topk does not support bool dtypes on CPU");
    const bool few = k > 0 && k * 64 <= tg_row_size(x, d); /* then PyTorch calls std::partial_sort */
    Ordering wanted = {.arrange = few ? NULL : arrange_top, .k = x->ndim ? k : 1, .descending = largest, .sorted = sorted};
    return tg_ordered(x, d, wanted, &topk_op, indices);
}

/* ---- kthvalue ---- */

/* torch.kthvalue(x, k, dim, keepdim): the k-th smallest (from 1) of each row along dim, and its index. Not for bools.
 * dx = dy at its place. Errors: dim or k out of range, rows without elements. */
static void arrange_kth(Entry *e, int64_t n, const Ordering *wanted) {
    tg_quickselect(e, wanted->nth, n);
    e[0] = e[wanted->nth];
}
static const Op kthvalue_op = {"kthvalue", "KthvalueBackward0", tg_picked_backward};

Tensor *t_kthvalue(Tensor *x, int64_t k, int64_t dim, bool keepdim, Tensor **indices) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d) || !tg_check_row(x, d, "kthvalue")) return NULL;
    if (k < 1 || k > tg_row_size(x, d)) return tg_fail("kthvalue(): selected number k out of range for dimension %d", d);
    if (x->dtype == t_bool) return tg_not_implemented("kthvalue_cpu", x->dtype);
    Ordering wanted = {.arrange = arrange_kth, .k = 1, .nth = k - 1, .drops_dim = !keepdim};
    return tg_ordered(x, d, wanted, &kthvalue_op, indices);
}
