/* core/ops/histogram.c: counting (count_nonzero, bincount, histc), and sums that pass NaNs over (nansum, nanmean). */
#include <math.h>

#include "core/kernels/isa.h"
#include "core/ops/gather_internal.h"
#include "core/ops/reduce_internal.h"

/* torch.count_nonzero(x, dim): how many elements over dims are other than 0 (NaN is), int64. Any dtype. No gradient.
 * Errors: a dim out of range or twice. */
Tensor *t_count_nonzero(Tensor *x, const int64_t *dim, int count) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dim, count, false, &r)) return NULL;
    int depth = t_scope_open();
    Tensor *truth = depth ? t_to(x, t_bool) : NULL, *y = tg_folded((Fold){.kind = TG_SUM, .x = truth}, &r, t_int64);
    return tg_close_keeping(depth, y);
}

/* ---- sums without NaNs ---- */

/* torch.nansum(x, dim, keepdim, dtype): the sum with every NaN as 0. dx = dy, broadcast, but 0 at a NaN. Else as sum. */
static void nansum_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0);
    if (!x) return;
    Tensor *is_number = t_logical_not(t_isnan(x));
    dx[0] = t_mul(tg_with_kept_dims(dy, &r->edges[0], r->attributes), is_number);
}

static const Op nansum_op = {"nansum", "NansumBackward0", nansum_backward};

Tensor *t_nansum(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dim, count, keepdim, &r)) return NULL;
    if (!tg_is_floating(x->dtype)) return t_sum_as(x, dim, count, keepdim, dtype);
    const bool skips = (!dtype || tg_is_floating(dtype)) && tg_isa() != TG_ISA_BASELINE;
    int depth = t_scope_open();
    Tensor *numbers = depth && !skips ? t_nan_to_num(t_detach(x), 0, INFINITY, -INFINITY) : NULL, *y = NULL;
    if (numbers) y = t_sum_as(numbers, dim, count, keepdim, dtype);
    else if (depth && skips)
        y = tg_folded((Fold){.kind = TG_SUM, .x = x, .divisor = 1, .numbers = true}, &r, dtype ? dtype : x->dtype);
    return tg_record(&nansum_op, tg_close_keeping(depth, y), INPUTS(x), SAVED(x), ATTRIBUTES(r));
}

/* torch.nanmean(x, dim, keepdim, dtype): nansum over the count of those that are not NaN; NaN of none. Floating only.
 * Gradients of the ops that it is made of. */
Tensor *t_nanmean(Tensor *x, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    Reduction r;
    if (!tg_check(x, 1) || !tg_reduction(x, dim, count, keepdim, &r)) return NULL;
    if (!tg_is_floating(x->dtype))
        return tg_fail("nanmean(): expected input to have floating point or complex dtype but got %s", tg_scalar_name(x->dtype));
    int depth = t_scope_open();
    Tensor *numbers = depth ? t_logical_not(t_isnan(t_detach(x))) : NULL, *found = t_sum(numbers, dim, count, keepdim);
    Tensor *y = found ? t_div(t_nansum(x, dim, count, keepdim, dtype), found) : NULL;
    return tg_close_keeping(depth, y);
}

/* ---- bincount ---- */

static const Op bincount_op = {"bincount", "NotImplemented", tg_no_derivative};

/* Looks at x once: its bins, if it is a vector of whole numbers from 0 on, and how many of them there are. */
static Tensor *read_bins(Tensor *x, int64_t *size) {
    Tensor *bins = x->ndim == 1 ? t_contiguous(x) : NULL;
    const int64_t n = bins ? x->shape[0] : 0, half = n - n / 2, *bin = bins ? tg_data(bins) : NULL, *behind = n ? bin + n / 2 : bin;
    int64_t all = 0, most = -1, other = -1; /* the sign of `all` is that of any */
    for (int64_t i = 0; i < half; i++) { /* of both halves at once: neither waits for the other */
        const int64_t a = bin[i], b = behind[i];
        all |= a | b;
        most = a > most ? a : most;
        other = b > other ? b : other;
    }
    most = other > most ? other : most;
    if (most >= *size) *size = most < INT64_MAX ? most + 1 : most;
    if (x->ndim != 1 || all < 0 || most == INT64_MAX)
        return tg_fail("bincount only supports 1-d non-negative integral inputs.");
    return bins;
}

static Tensor *bins_of(Tensor *x, Tensor *weights, int64_t minlength) {
    int64_t size = minlength;
    if (x->dtype != t_int64) return tg_not_implemented("bincount_cpu", x->dtype);
    if (minlength < 0) return tg_fail("minlength should be >= 0");
    Tensor *bins = read_bins(x, &size);
    if (!bins) return NULL;
    const int64_t *bin = tg_data(bins), n = x->shape[0];
    if (weights && (weights->ndim != 1 || (weights->shape[0] != n && n)))
        return tg_fail("weights should be 1-d and have the same length as input");
    if (n == 0) weights = NULL; /* of nothing PyTorch gives whole numbers */
    Tensor *wide = weights ? t_to(weights, t_float64) : NULL, *each = wide ? t_contiguous(wide) : NULL;
    if (weights && !each) return NULL;
    Tensor *sums = tg_empty(&size, 1, weights ? t_float64 : t_int64);
    if (!sums) return NULL;
    tg_fill_into(sums, 0);
    if (!weights) {
        int64_t *count = tg_data(sums);
        for (int64_t i = 0; i < n; i++) count[bin[i]]++;
        return sums;
    }
    double *sum = tg_data(sums);
    const double *weight = tg_data(each);
    for (int64_t i = 0; i < n; i++) sum[bin[i]] += weight[i];
    return t_to(sums, weights->dtype == t_float32 ? t_float32 : t_float64);
}

/* torch.bincount(x, weights, minlength): how often each of 0, 1, ... stands in a vector of int64, or (weights given, one for
 * each) the sum of its weights there: float32 for float32 weights, else float64. At least minlength numbers. Backward through it
 * is an error. Errors: another dtype or rank, a negative number, weights of another length, minlength < 0. */
Tensor *t_bincount(Tensor *x, Tensor *weights, int64_t minlength) {
    if (!tg_check(x, 1) || !tg_check_optional(weights, 2)) return NULL;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = depth ? t_keep_object(bins_of(x, weights, minlength)) : NULL;
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    if (y && tg_numel(x) == 0) weights = NULL;
    return tg_record(&bincount_op, y, INPUTS(weights), NONE, NONE);
}

/* ---- histc ---- */

typedef struct Range {
    double min, max;
} Range;

/* Where min and max are equal the elements' own range counts, and where that is one number, one to either side of it. */
static bool find_range(Tensor *x, Range *range) {
    if (range->min == range->max && tg_numel(x)) {
        Tensor *min = t_amin(x, NULL, 0, false), *max = min ? t_amax(x, NULL, 0, false) : NULL;
        if (!max) return false;
        *range = (Range){tg_read_double(min), tg_read_double(max)};
    }
    if (range->min == range->max) *range = (Range){range->min - 1, range->max + 1};
    if (!isfinite(range->min) || !isfinite(range->max))
        return tg_fail("torch.histc: range of [%g, %g] is not finite", range->min, range->max);
    return range->min < range->max || tg_fail("torch.histc: max must be larger than min");
}

static Tensor *histogram(Tensor *x, int64_t bins, Range range) {
    Tensor *alone = t_detach(x), *wide = alone ? t_to(alone, t_float64) : NULL, *all = wide ? t_contiguous(wide) : NULL;
    if (!all || !find_range(alone, &range)) return NULL;
    const bool is_float = x->dtype == t_float32; /* then the steps are rounded as float32's, to hit the same side of an edge */
    if (is_float) range = (Range){(float)range.min, (float)range.max};
    const float width = (float)(range.max - range.min);
    Tensor *counts = tg_empty(&bins, 1, t_float64);
    if (!counts) return NULL;
    tg_fill_into(counts, 0);
    const double *value = tg_data(all);
    double *count = tg_data(counts);
    for (int64_t i = 0, n = tg_numel(x); i < n; i++) {
        if (!(value[i] >= range.min && value[i] <= range.max)) continue;
        double bin = is_float ? (double)((float)(value[i] - range.min) * (float)bins / width)
                              : (value[i] - range.min) * (double)bins / (range.max - range.min);
        count[!(bin > 0) ? 0 : bin < (double)bins ? (int64_t)bin : bins - 1]++; /* NaN: of a range that overflows */
    }
    return t_to(counts, x->dtype);
}

/* torch.histc(x, bins, min, max): how many elements fall into each of `bins` equal parts of [min, max]; those outside, and NaN,
 * into none. min = max takes the elements' own range. x: floating, of any shape; a vector of x's dtype. No gradient.
 * Errors: integer dtype, no bins, a range that is not finite or the wrong way round. */
Tensor *t_histc(Tensor *x, int64_t bins, double min, double max) {
    if (!tg_check(x, 1)) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("histogram_cpu", x->dtype);
    if (bins < 1) return tg_fail("torch.histogram(): bins must be > 0, but got %lld for dimension 0", (long long)bins);
    int depth = t_scope_open();
    Tensor *y = depth ? histogram(x, bins, (Range){min, max}) : NULL;
    return tg_close_keeping(depth, y);
}
