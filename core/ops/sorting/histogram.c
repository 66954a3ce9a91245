/* core/ops/sorting/histogram.c: bincount and histc. */
#include <math.h>

#include "core/ops/indexing/gather_internal.h"

/* ---- bincount ---- */

static const Op bincount_op = {"bincount", "NotImplemented", tg_no_derivative};

/* Checks x, a vector of non-negative integers, and finds the number of bins. */
static Tensor *read_bins(Tensor *x, int64_t *size) {
    Tensor *bins = x->ndim == 1 ? t_contiguous(x) : NULL;
    const int64_t n = bins ? x->shape[0] : 0, *bin = bins ? tg_data(bins) : NULL;
    int64_t min = 0, max = -1;
    for (int64_t i = 0; i < n; i++) {
        min = bin[i] < min ? bin[i] : min;
        max = bin[i] > max ? bin[i] : max;
    }
    if (x->ndim != 1 || min < 0 || max == INT64_MAX)
        return tg_fail("bincount only supports 1-d non-negative integral inputs.");
    if (max >= *size) *size = max + 1;
    return bins;
}

static Tensor *bins_of(Tensor *x, Tensor *weights, int64_t minlength) {
    int64_t size = minlength;
    if (!tg_is_integral(x->dtype)) return tg_not_implemented("bincount_cpu", x->dtype);
    if (minlength < 0) return tg_fail("minlength should be >= 0");
    x = t_to(x, t_int64);
    Tensor *bins = x ? read_bins(x, &size) : NULL;
    if (!bins) return NULL;
    const int64_t *bin = tg_data(bins), n = x->shape[0];
    if (weights && (weights->ndim != 1 || (weights->shape[0] != n && n)))
        return tg_fail("weights should be 1-d and have the same length as input");
    if (n == 0) weights = NULL; /* for no elements PyTorch returns int64 */
    Tensor *wide = weights ? t_to(weights, t_float64) : NULL, *values = wide ? t_contiguous(wide) : NULL;
    if (weights && !values) return NULL;
    Tensor *sums = tg_empty(&size, 1, weights ? t_float64 : t_int64);
    if (!sums) return NULL;
    tg_fill_into(sums, 0);
    if (!weights) {
        int64_t *count = tg_data(sums);
        for (int64_t i = 0; i < n; i++) count[bin[i]]++;
        return sums;
    }
    double *sum = tg_data(sums);
    const double *weight = tg_data(values);
    for (int64_t i = 0; i < n; i++) sum[bin[i]] += weight[i];
    return t_to(sums, weights->dtype == t_float32 ? t_float32 : t_float64);
}

/* torch.bincount(x, weights, minlength): the number of occurrences of each of 0, 1, ... in a vector of integers, or
 * (with weights, one per element) the sum of their weights: float32 for float32 weights, else float64. The result
 * has at least minlength elements. Backward through it is an error. Errors: another dtype or rank, a negative value,
 * weights of another length, minlength < 0. */
Tensor *t_bincount(Tensor *x, Tensor *weights, int64_t minlength) {
    if (!tg_check_any(x, 1) || !tg_check_any_optional(weights, 2)) return NULL;
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

/* If min and max are equal, the range of the elements is used; if that is a single value, it is extended by 1 on
 * both sides. */
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
    Tensor *detached = t_detach(x), *wide = detached ? t_to(detached, t_float64) : NULL,
           *values = wide ? t_contiguous(wide) : NULL;
    if (!values || !find_range(detached, &range)) return NULL;
    /* each step is rounded to float32, so that values at an edge are in the same bin as in PyTorch */
    const bool is_float = x->dtype == t_float32;
    if (is_float) range = (Range){(float)range.min, (float)range.max};
    const float width = (float)(range.max - range.min);
    Tensor *counts = tg_empty(&bins, 1, t_float64);
    if (!counts) return NULL;
    tg_fill_into(counts, 0);
    const double *value = tg_data(values);
    double *count = tg_data(counts);
    for (int64_t i = 0, n = tg_numel(x); i < n; i++) {
        if (!(value[i] >= range.min && value[i] <= range.max)) continue;
        double bin = is_float ? (double)((float)(value[i] - range.min) * (float)bins / width)
                              : (value[i] - range.min) * (double)bins / (range.max - range.min);
        /* NaN: the width of the range overflowed */
        count[!(bin > 0) ? 0 : bin < (double)bins ? (int64_t)bin : bins - 1]++;
    }
    return t_to(counts, x->dtype);
}

/* torch.histc(x, bins, min, max): the number of elements in each of `bins` equal intervals of [min, max]; elements
 * outside and NaN are not counted. min = max uses the range of the elements. x: floating, of any shape; the result
 * is a vector of x's dtype. No gradient. Errors: integer dtype, no bins, a range that is not finite or has min >
 * max. */
Tensor *t_histc(Tensor *x, int64_t bins, double min, double max) {
    TG_COMPOSITE("histc");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_histc(tg_widened(x), bins, min, max), x->dtype);
    if (!tg_check(x, 1)) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("histogram_cpu", x->dtype);
    if (bins < 1) return tg_fail("torch.histogram(): bins must be > 0, but got %lld for dimension 0", (long long)bins);
    int depth = t_scope_open();
    Tensor *y = depth ? histogram(x, bins, (Range){min, max}) : NULL;
    return tg_scope_return(depth, y);
}
