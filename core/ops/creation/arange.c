/* core/ops/creation/arange.c: arange, linspace, logspace, tril_indices, triu_indices and meshgrid. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/kernels/copy_convert.h"
#include "core/ops/creation/creation_internal.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/size_arithmetic.h"

/* ---- arange ---- */

static bool check_range(double start, double end, double step) {
    if (step == 0) return tg_fail("step must be nonzero");
    if (!isfinite(start) || !isfinite(end)) return tg_fail("unsupported range: %g -> %g", start, end);
    if (step > 0 ? start <= end : start >= end) return true;
    return tg_fail("upper bound and lower bound inconsistent with step sign");
}

static int64_t range_length(double start, double end, double step) {
    if (!check_range(start, end, step)) return -1;
    double length = ceil((end - start) / step);
    return length < 0x1p63 ? (int64_t)length : (tg_fail("invalid size, possible overflow?"), -1);
}

/* In integer arithmetic: a double is inexact beyond 2^53. */
static int64_t range_length_int64(int64_t start, int64_t end, int64_t step) {
    uint64_t distance = step > 0 ? (uint64_t)end - (uint64_t)start : (uint64_t)start - (uint64_t)end;
    uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    if (!check_range(0, (end > start) - (end < start), (double)step)) return -1;
    uint64_t length = distance / stride + (distance % stride != 0);
    return length <= INT64_MAX ? (int64_t)length : (tg_fail("invalid size, possible overflow?"), -1);
}

static Tensor *range(int64_t n, t_DType dtype) {
    return n < 0 ? NULL : tg_empty(&n, 1, dtype);
}

/* torch.arange(start, end, step) of floats: start + i * step for 0 <= i < ceil((end - start) / step); dtype float32
 * by default. The values are computed in double and rounded once; for int64 start and step are truncated first.
 * Errors: step 0, or of the wrong sign; bool. */
Tensor *t_arange(double start, double end, double step, const t_TensorOptions *options) {
    t_DType dtype = tg_option_dtype(options, tg_default_dtype());
    int64_t n = dtype == t_bool ? -1 : range_length(start, end, step);
    if (dtype == t_bool) return tg_not_implemented("arange_cpu", dtype);
    if (n < 0) return NULL;
    if (tg_is_integral(dtype) && !(tg_check_scalar_fits(start, dtype) && tg_check_scalar_fits(step, dtype)))
        return NULL;
    Tensor *x = range(n, tg_wide(dtype));
    if (x && x->dtype == t_float32) tg_arange_f32(n, tg_data(x), start, step, 0, 1);
    else if (x && x->dtype == t_float64) tg_arange_f64(n, tg_data(x), start, step, 0, 1);
    else if (x) tg_arange_int64(n, tg_data(x), (int64_t)start, (int64_t)step);
    return tg_apply_options(x ? t_to(x, dtype) : NULL, options);
}

/* torch.arange of integers: dtype int64 unless given. */
Tensor *t_arange_int64(int64_t start, int64_t end, int64_t step, const t_TensorOptions *options) {
    int64_t n = range_length_int64(start, end, step);
    Tensor *x = range(n, t_int64);
    if (x) tg_arange_int64(n, tg_data(x), start, step);
    return tg_apply_options(x ? t_to(x, tg_option_dtype(options, t_int64)) : NULL, options);
}

/* ---- what the macro t_arange calls ---- */

/* Whether one of the arguments, given as source text, is a literal with a decimal point or an exponent. */
static bool has_float_literal(const char *text) {
    const tg_CLocale locale = tg_c_locale_begin();
    bool found = false;
    while (*text && !found) {
        char *end;
        while (*text == ' ' || *text == ',' || *text == '(') text++;
        strtod(text, &end);
        bool is_hex = strpbrk(text, "xX") && strpbrk(text, "xX") < end;
        bool has_point_or_exponent = strpbrk(text, ".eE") && strpbrk(text, ".eE") < end;
        if (*end == 'f' || *end == 'F' || *end == 'l' || *end == 'L') end++;
        found = !is_hex && has_point_or_exponent && (*end == ',' || *end == '\0' || *end == ' ' || *end == ')');
        while (*text && *text != ',') text++;
    }
    tg_c_locale_end(locale);
    return found;
}

static bool is_fraction(long double x) {
    return x == x && x != floorl(x);
}

/* `second` and `third` are NAN if they were not given. */
Tensor *t_arange_of_(Tensor *first, long double second, long double third, const char *text,
                     const t_TensorOptions *options) {
    if (!tg_check_any(first, 1)) return NULL;
    bool has_second = second == second, has_third = third == third;
    if (first->ndim)
        return tg_fail("arange(): argument '%s' (position 1) must be Number, not Tensor", has_second ? "start" : "end");
    if (!text) text = "";
    long double first_value =
        tg_is_floating(first->dtype) ? (long double)t_item(first) : (long double)t_item_int64(first);
    long double start = has_second ? first_value : 0, end = has_second ? second : first_value,
                step = has_third ? third : 1;
    bool is_float = tg_is_floating(first->dtype) || is_fraction(second) || is_fraction(third) ||
                    has_float_literal(text) || fabsl(end) >= 0x1p63L || fabsl(step) >= 0x1p63L;
    if (is_float) return t_arange((double)start, (double)end, (double)step, options);
    return t_arange_int64((int64_t)start, (int64_t)end, (int64_t)step, options);
}

/* ---- linspace, logspace ---- */

typedef struct Spacing {
    double start, end, step;
    int64_t steps;
    bool is_logspace;
    double base; /* of a logspace */
} Spacing;

/* The i-th value before a logspace takes the power: computed from the nearer end, as in PyTorch. */
static double spaced_at(const Spacing *s, int64_t i) {
    const bool first_half = i < s->steps / 2 || s->steps == 1;
    return first_half ? s->start + s->step * (double)i : s->end - s->step * (double)(s->steps - 1 - i);
}

static double step_of(const Spacing *s) {
    return s->steps > 1 ? (s->end - s->start) / (double)(s->steps - 1) : 0;
}

/* As in PyTorch start and end are truncated to integers before anything is computed from them, except in a logspace of
 * one element, which is base to the power of the untruncated start. PyTorch's linspace rounds once (fma), which matters
 * for values just below an integer. */
static void fill_int64(Spacing s, int64_t *x) {
    if (s.steps == 1) s.end = s.start;
    if (s.steps > 1 || !s.is_logspace) s.start = trunc(s.start), s.end = trunc(s.end);
    s.step = step_of(&s);
    for (int64_t i = 0; i < s.steps; i++) {
        const bool first_half = i < s.steps / 2 || s.steps == 1;
        if (s.is_logspace) x[i] = (int64_t)pow(s.base, spaced_at(&s, i));
        else x[i] = (int64_t)(first_half ? fma(s.step, (double)i, s.start)
                                         : fma(-s.step, (double)(s.steps - 1 - i), s.end));
    }
}

/* One rounding for the step, one for each value (fma), in the dtype of the result. So centres of pixels, and positions
 * where F.grid_sample has a kink, are PyTorch's to the bit. */
static void fill_linspace(const Spacing *s, Tensor *x) {
    const int64_t half = s->steps == 1 ? 1 : s->steps / 2;
    const double gaps = s->steps > 1 ? (double)(s->steps - 1) : 1;
    const float start = (float)s->start, end = (float)s->end, step = (end - start) / (float)gaps;
    for (int64_t i = 0; i < s->steps; i++) {
        const double from_end = (double)(s->steps - 1 - i);
        if (x->dtype == t_float64)
            ((double *)tg_data(x))[i] = i < half ? fma(s->step, (double)i, s->start) : fma(-s->step, from_end, s->end);
        else ((float *)tg_data(x))[i] = i < half ? fmaf(step, (float)i, start) : fmaf(-step, (float)from_end, end);
    }
}

static void fill_logspace(const Spacing *s, Tensor *x) {
    for (int64_t i = 0; i < s->steps; i++) {
        const double value = pow(s->base, spaced_at(s, i));
        if (x->dtype == t_float64) ((double *)tg_data(x))[i] = value;
        else ((float *)tg_data(x))[i] = (float)value;
    }
}

static bool check_spacing(const Spacing *s, t_DType dtype) {
    if (s->steps < 0) return tg_fail("number of steps must be non-negative");
    if (dtype == t_bool) return tg_not_implemented(s->is_logspace ? "logspace_cpu" : "linspace_cpu", dtype);
    if (s->steps > 0 && !tg_check_scalar_fits(s->start, dtype)) return false;
    if (s->steps > 1 && !tg_check_scalar_fits(s->end, dtype)) return false;
    return s->steps != 1 || !s->is_logspace || tg_check_scalar_fits(pow(s->base, s->start), dtype);
}

static Tensor *spaced(Spacing s, const t_TensorOptions *options) {
    const t_DType dtype = tg_option_dtype(options, tg_default_dtype());
    Tensor *x = check_spacing(&s, dtype) ? tg_empty(&s.steps, 1, tg_wide(dtype)) : NULL;
    if (!x) return NULL;
    s.step = step_of(&s);
    if (x->dtype == t_int64) fill_int64(s, tg_data(x));
    else if (s.is_logspace) fill_logspace(&s, x);
    else fill_linspace(&s, x);
    return tg_apply_options(t_to(x, dtype), options);
}

/* torch.linspace(start, end, steps): that many equally spaced values including both ends; dtype float32 by default.
 * Errors: steps below 0, bool. torch.logspace(start, end, steps, base): base to the power of each. With dtype int64
 * start and end are truncated first: linspace(4.3, -3, 50) goes from 4 to -3. */
Tensor *t_linspace(double start, double end, int64_t steps, const t_TensorOptions *options) {
    return spaced((Spacing){.start = start, .end = end, .steps = steps}, options);
}

Tensor *t_logspace(double start, double end, int64_t steps, double base, const t_TensorOptions *options) {
    const Spacing s = {.start = start, .end = end, .steps = steps, .is_logspace = true, .base = base};
    return spaced(s, options);
}

/* ---- triangles ---- */

static int64_t clamped(int64_t i, int64_t limit) {
    return i < 0 ? 0 : i > limit ? limit : i;
}

/* The columns of a row that are in the triangle: [*from, *to). */
static void row_columns(int64_t row, int64_t col, int64_t offset, bool upper, int64_t *from, int64_t *to) {
    *from = upper ? clamped(tg_size_add(row, offset), col) : 0;
    *to = upper ? col : clamped(tg_size_add(tg_size_add(row, offset), 1), col);
}

/* width + (width + 1) + ... over the given number of rows, each term at most `limit`. */
static int64_t sum_row_widths(int64_t rows, int64_t width, int64_t limit) {
    if (rows <= 0) return 0;
    const int64_t partial = rows < limit - width ? rows : limit - width, full = rows - partial;
    const int64_t added = tg_size_mul(partial, partial - 1) / 2;
    return tg_size_add(tg_size_add(tg_size_mul(partial, width), added), tg_size_mul(full, limit));
}

static Tensor *triangle_indices(int64_t row, int64_t col, int64_t offset, bool upper, const t_TensorOptions *options) {
    if (row < 0) return tg_fail("row must be non-negative, got%lld", (long long)row);
    if (col < 0) return tg_fail("col must be non-negative, got%lld", (long long)col);
    offset = offset > col ? col : offset < -row ? -row : offset;
    /* Only rows with elements are visited, so that the loop is as short as the result. In the upper triangle the row
     * widths grow from the last row upwards, until rows have all columns. */
    const int64_t first = upper || offset >= 0 ? 0 : -offset,
                  last = upper ? clamped(tg_size_sub(col, offset), row) : row;
    const int64_t full = upper && offset <= 0 ? clamped(tg_size_sub(1, offset), row) : 0;
    int64_t count = 0, from, to;
    if (first < last && col > 0) {
        row_columns(upper ? last - 1 : first, col, offset, upper, &from, &to);
        count = tg_size_add(tg_size_mul(full, col), sum_row_widths(last - first - full, to - from, col));
    }
    Tensor *x = tg_empty((int64_t[]){2, count}, 2, t_int64);
    int64_t *at = x ? tg_data(x) : NULL;
    for (int64_t i = first; x && count && i < last; i++) {
        row_columns(i, col, offset, upper, &from, &to);
        for (int64_t j = from; j < to; j++, at++) {
            at[0] = i;
            at[count] = j;
        }
    }
    return x ? tg_apply_options(t_to(x, tg_option_dtype(options, t_int64)), options) : NULL;
}

/* torch.tril_indices(row, col, offset), triu_indices: (2, n), the row and column indices of the elements that tril
 * (triu) with that diagonal keeps of a (row, col) matrix; int64. */
Tensor *t_tril_indices(int64_t row, int64_t col, int64_t offset, const t_TensorOptions *options) {
    return triangle_indices(row, col, offset, false, options);
}

Tensor *t_triu_indices(int64_t row, int64_t col, int64_t offset, const t_TensorOptions *options) {
    return triangle_indices(row, col, offset, true, options);
}

/* ---- meshgrid ---- */

static bool check_grid(const t_TensorList *tensors, const char *indexing) {
    if (!tg_check_list(tensors, 1)) return false;
    if (tensors->len == 0) return tg_fail("meshgrid expects a non-empty TensorList");
    if (tensors->len > T_MAX_DIMS)
        return tg_fail("a tensor has at most %d dims, not %lld", T_MAX_DIMS, (long long)tensors->len);
    for (int64_t i = 0; i < tensors->len; i++) {
        if (tensors->items[i]->ndim > 1)
            return tg_fail("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got one of shape %s",
                           tg_shape_of(tensors->items[i]));
        if (tensors->items[i]->dtype != tensors->items[0]->dtype)
            return tg_fail("meshgrid expects all tensors to have the same dtype");
    }
    if (indexing && (strcmp(indexing, "ij") == 0 || strcmp(indexing, "xy") == 0)) return true;
    return tg_fail("torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: %s",
                   indexing ? indexing : "NULL");
}

/* torch.meshgrid(*tensors, indexing): for n vectors, n views of one rank-n shape, the i-th of which varies along dim
 * i only; with "xy" (instead of "ij") the first two dims are swapped. dx = dy summed over the other dims. Errors: a
 * matrix, mixed dtypes. */
t_TensorList *t_meshgrid(const t_TensorList *tensors, const char *indexing) {
    int64_t shape[T_MAX_DIMS];
    if (!check_grid(tensors, indexing)) return NULL;
    int ndim = (int)tensors->len;
    bool swap = indexing[0] == 'x' && ndim > 1;
    for (int i = 0; i < ndim; i++) shape[swap && i < 2 ? 1 - i : i] = tg_numel(tensors->items[i]);
    int depth = t_scope_open();
    t_TensorList *grids = depth ? t_list_new(NULL, 0) : NULL;
    for (int i = 0; grids && i < ndim; i++) {
        int64_t sizes[T_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
        int dim = swap && i < 2 ? 1 - i : i;
        sizes[dim] = shape[dim];
        Tensor *column = t_reshape(tensors->items[i], sizes, ndim);
        if (!column || !t_list_append(grids, t_expand(column, shape, ndim))) grids = NULL;
    }
    return tg_scope_return(depth, grids);
}
