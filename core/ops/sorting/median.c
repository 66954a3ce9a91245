/* core/ops/sorting/median.c: median, nanmedian and mode. */
#include <math.h>
#include <string.h>

#include "core/ops/reduction/reduce_internal.h"
#include "core/ops/sorting/introsort_internal.h"

/* ---- median ---- */

/* Moves the lower median to e[0]: of equal elements the first counts as smaller. */
static void select_median(Entry *e, int64_t n, const SortSpec *spec) {
    Entry *partitioned = e + n;
    int64_t nans = 0, smaller = 0;
    memcpy(partitioned, e, (size_t)n * sizeof *e);
    for (int64_t i = 0; i < n && spec->has_nan_key; i++) nans += e[i].key == TG_NAN_KEY;
    const bool nan_result = nans == n || (nans && !spec->ignores_nan);
    const int64_t rank = nan_result ? n - nans : (n - nans - 1) / 2;
    tg_nth_element(partitioned, rank, n);
    const uint64_t key = partitioned[rank].key;
    for (int64_t i = 0; i < n; i++) smaller += e[i].key < key;
    const Entry *at = e; /* the result is element rank - smaller of those with this key */
    for (int64_t left = rank - smaller; at->key != key || left-- > 0;) at++;
    e[0] = *at;
}
static const Op median_dim_op = {"median", "MedianBackward1", tg_value_selecting_backward};
static const Op nanmedian_dim_op = {"nanmedian", "NanmedianBackward1", tg_value_selecting_backward};

static void evenly_distribute_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (x && y) dx[0] = tg_evenly_distribute_backward(dy, x, y);
}
static const Op median_op = {"median", "MedianBackward0", evenly_distribute_backward};
static const Op nanmedian_op = {"nanmedian", "NanmedianBackward0", evenly_distribute_backward};

static Tensor *median_along(Tensor *x, int d, bool keepdim, bool ignores_nan, const Op *op, Tensor **indices) {
    SortSpec spec = {.select = select_median, .k = 1, .drops_dim = !keepdim, .ignores_nan = ignores_nan,
                       .has_nan_key = tg_is_floating(x->dtype)};
    return tg_sorted(x, d, spec, op, indices);
}

/* The median of all elements, not recorded. */
static Tensor *median_of_all(Tensor *x, bool ignores_nan, const Op *op) {
    if (tg_numel(x) == 0) {
        Tensor *none = tg_empty(NULL, 0, x->dtype);
        if (none && x->dtype == t_int64) *(int64_t *)tg_data(none) = INT64_MIN;
        else if (none) tg_fill_into(none, NAN);
        return none;
    }
    Tensor *flat = t_reshape(x, (int64_t[]){-1}, 1);
    return flat ? median_along(flat, 0, false, ignores_nan, op, NULL) : NULL;
}

static Tensor *median(Tensor *x, int64_t dim, bool keepdim, bool ignores_nan, Tensor **indices) {
    int d;
    if (!tg_check(x, 1)) return NULL;
    if (dim != T_NONE) {
        if (!tg_wrap_dim(dim, x->ndim, &d) || !tg_check_row(x, d, "median")) return NULL;
        if (x->dtype == t_bool) return tg_not_implemented("median_out", x->dtype);
        return median_along(x, d, keepdim, ignores_nan, ignores_nan ? &nanmedian_dim_op : &median_dim_op, indices);
    }
    if (x->dtype == t_bool) return tg_not_implemented("median_cpu", x->dtype);
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = depth ? t_keep_object(median_of_all(x, ignores_nan, &median_op)) : NULL;
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return tg_record(ignores_nan ? &nanmedian_op : &median_op, y, INPUTS(x), SAVED(x, y), NONE);
}

/* torch.median(x, dim, keepdim): the middle element of each row along dim, the lower of two, and its index in *indices;
 * NaN if the row has one. dx = dy at that index. dim T_NONE: of all elements, NaN for no elements; dx = dy divided
 * evenly among the elements equal to it. Not for bools. Errors: dim out of range, rows without elements. */
Tensor *t_median(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    tg_clear_output(indices);
    TG_COMPOSITE("median");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_median(tg_widened(x), dim, keepdim, indices), x->dtype);
    return median(x, dim, keepdim, false, indices);
}

/* torch.nanmedian(x, dim, keepdim): the median of the elements that are not NaN; NaN if there is nothing else. */
Tensor *t_nanmedian(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    tg_clear_output(indices);
    TG_COMPOSITE("nanmedian");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_nanmedian(tg_widened(x), dim, keepdim, indices), x->dtype);
    return median(x, dim, keepdim, true, indices);
}

/* ---- mode ---- */

/* Moves the last entry of the longest run of equal keys to e[0]. */
static void select_mode(Entry *e, int64_t n, const SortSpec *spec) {
    int64_t most = 0, best = 0;
    bool has_nan = false;
    for (int64_t i = 0; i < n && spec->has_nan_key; i++) has_nan |= e[i].key == TG_NAN_KEY;
    tg_sort(e, n, has_nan);
    for (int64_t first = 0, i = 1; i <= n; i++) {
        if (i < n && e[i].key == e[first].key && !(spec->has_nan_key && e[i].key == TG_NAN_KEY)) continue;
        if (i - first > most) {
            most = i - first;
            best = i - 1;
        }
        first = i;
    }
    e[0] = e[best];
}
static const Op mode_op = {"mode", "ModeBackward0", tg_value_selecting_backward};

/* torch.mode(x, dim, keepdim): the most frequent element of each row along dim, the smallest of several, and its
 * last index (in rows of more than 16 elements the one that PyTorch's sort leaves last). Every NaN is different, and
 * as in PyTorch NaNs may separate equal elements in the sort, which are then counted apart: the mode of 1, NaN, 1,
 * 2, 2 is 2. dx = dy at that index. Errors: dim out of range, rows without elements. */
Tensor *t_mode(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    tg_clear_output(indices);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_mode(tg_widened(x), dim, keepdim, indices), x->dtype);
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d) || !tg_check_row(x, d, "mode")) return NULL;
    SortSpec spec = {.select = select_mode, .k = 1, .drops_dim = !keepdim, .has_nan_key = tg_is_floating(x->dtype)};
    return tg_sorted(x, d, spec, &mode_op, indices);
}
