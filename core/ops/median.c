/* core/ops/median.c: median, nanmedian and mode: what stands in the middle of a row, or most often in it. */
#include <math.h>

#include "core/ops/introsort_internal.h"
#include "core/ops/reduce_internal.h"

/* ---- median ---- */

/* The nth smallest of n keys, which have room for n more; *nth becomes its place among its equals. What is on its side of some key is
 * kept, until that is the key: the median of three from anywhere, as the first, the middle and the last may be the worst where numbers
 * rise and fall. PyTorch's steps matter only in a row of nothing but NaNs, of which it gives the place of any, and this the first. */
static uint64_t nth_key(uint64_t *keys, int64_t *nth, int64_t n) {
    uint64_t *spare = keys + n, anywhere = 1;
    for (;;) {
        uint64_t least = UINT64_MAX, most = 0, pivot = 0; /* the median of three, as what is left of all when the others are taken off */
        for (int i = 0; i < 3; i++) {
            anywhere = anywhere * 6364136223846793005U + 1442695040888963407U;
            const uint64_t key = keys[(anywhere >> 40) * (uint64_t)n >> 24];
            least = key < least ? key : least;
            most = key > most ? key : most;
            pivot ^= key;
        }
        pivot ^= least ^ most;
        int64_t smaller = 0, larger = 0;
        for (int64_t i = 0; i < n; i++) {
            const uint64_t key = keys[i];
            keys[smaller] = spare[larger] = key;
            smaller += key < pivot;
            larger += key > pivot;
        }
        if (*nth < smaller) {
            n = smaller;
            continue;
        }
        if (*nth < n - larger) {
            *nth -= smaller;
            return pivot;
        }
        *nth -= n - larger;
        n = larger;
        uint64_t *kept = keys;
        keys = spare;
        spare = kept;
    }
}

/* torch.median(x, dim, keepdim): of each row along dim the element in the middle, the lower one of two, and its index; NaN if
 * the row has one. The first of equals counts as the smaller. nanmedian passes NaNs over, unless there is nothing else.
 * dx = dy at that place. For dim T_NONE: of all elements, NaN of none; dx = dy shared evenly among those that equal it.
 * Not for bools. Errors: dim out of range, rows without elements. */
static void arrange_median(Entry *e, int64_t n, const Ordering *wanted) {
    int64_t nans = 0;
    uint64_t *keys = (uint64_t *)(e + n);
    for (int64_t i = 0; i < n; i++) {
        keys[i] = e[i].key;
        nans += e[i].key == TG_NAN_KEY && wanted->sees_nan;
    }
    const bool is_nan = nans == n || (nans && !wanted->ignores_nan);
    int64_t equals = is_nan ? n - nans : (n - nans - 1) / 2;
    const uint64_t key = nth_key(keys, &equals, n);
    for (const Entry *at = e;; at++)
        if (at->key == key && equals-- == 0) {
            e[0] = *at;
            return;
        }
}
static const Op median_dim_op = {"median", "MedianBackward1", tg_picked_backward};
static const Op nanmedian_dim_op = {"nanmedian", "NanmedianBackward1", tg_picked_backward};

static void even_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (x && y) dx[0] = tg_shared_evenly(dy, x, y);
}
static const Op median_op = {"median", "MedianBackward0", even_backward};
static const Op nanmedian_op = {"nanmedian", "NanmedianBackward0", even_backward};

static Tensor *along(Tensor *x, int d, bool keepdim, bool ignores_nan, const Op *op, Tensor **indices) {
    Ordering wanted = {.arrange = arrange_median, .k = 1, .drops_dim = !keepdim, .ignores_nan = ignores_nan,
                       .sees_nan = tg_is_floating(x->dtype)};
    return tg_ordered(x, d, wanted, op, indices);
}

/* The median of all, without history. */
static Tensor *of_all(Tensor *x, bool ignores_nan, const Op *op) {
    if (tg_numel(x) == 0) {
        Tensor *none = tg_empty(NULL, 0, x->dtype);
        if (none && x->dtype == t_int64) *(int64_t *)tg_data(none) = INT64_MIN;
        else if (none) tg_fill_into(none, NAN);
        return none;
    }
    Tensor *flat = t_reshape(x, (int64_t[]){-1}, 1);
    return flat ? along(flat, 0, false, ignores_nan, op, NULL) : NULL;
}

static Tensor *median(Tensor *x, int64_t dim, bool keepdim, bool ignores_nan, Tensor **indices) {
    int d;
    if (!tg_check(x, 1)) return NULL;
    if (dim != T_NONE) {
        if (!tg_wrap_dim(dim, x->ndim, &d) || !tg_check_row(x, d, "median")) return NULL;
        if (x->dtype == t_bool) return tg_not_implemented("median_out", x->dtype);
        return along(x, d, keepdim, ignores_nan, ignores_nan ? &nanmedian_dim_op : &median_dim_op, indices);
    }
    if (x->dtype == t_bool) return tg_not_implemented("median_cpu", x->dtype);
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = depth ? t_keep_object(of_all(x, ignores_nan, &median_op)) : NULL;
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return tg_record(ignores_nan ? &nanmedian_op : &median_op, y, INPUTS(x), SAVED(x, y), NONE);
}

Tensor *t_median(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    return median(x, dim, keepdim, false, indices);
}

Tensor *t_nanmedian(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    return median(x, dim, keepdim, true, indices);
}

/* ---- mode ---- */

/* torch.mode(x, dim, keepdim): of each row along dim the element that stands most often in it, the smallest of several, and
 * its last index (in rows of more than 16 the one that PyTorch's sort leaves last). Every NaN is another, and what it
 * parts may be taken for different elements, as in PyTorch: the mode of 1, NaN, 1, 2, 2 is 2.
 * dx = dy at that place. Errors: dim out of range, rows without elements. */
static void arrange_mode(Entry *e, int64_t n, const Ordering *wanted) {
    int64_t most = 0, best = 0;
    bool has_nan = false;
    for (int64_t i = 0; i < n && wanted->sees_nan; i++) has_nan |= e[i].key == TG_NAN_KEY;
    (has_nan ? tg_sort_with_nans : tg_sort)(e, n);
    for (int64_t first = 0, i = 1; i <= n; i++) {
        if (i < n && e[i].key == e[first].key && !(wanted->sees_nan && e[i].key == TG_NAN_KEY)) continue;
        if (i - first > most) {
            most = i - first;
            best = i - 1;
        }
        first = i;
    }
    e[0] = e[best];
}
static const Op mode_op = {"mode", "ModeBackward0", tg_picked_backward};

Tensor *t_mode(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d) || !tg_check_row(x, d, "mode")) return NULL;
    Ordering wanted = {.arrange = arrange_mode, .k = 1, .drops_dim = !keepdim, .sees_nan = tg_is_floating(x->dtype)};
    return tg_ordered(x, d, wanted, &mode_op, indices);
}
