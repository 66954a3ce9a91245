/* core/ops/sorting/histogramdd.c: histogram and histogramdd: counts, sums of weights, or densities of points in bins,
 * with the bins' edges. */
#include <math.h>

#include "core/ops/indexing/gather_internal.h"

/* ---- edges ---- */

/* bins + 1 equal edges: of the range, or of the values of the column; [x - 0.5, x + 0.5] for one value, [0, 1] for
 * none. */
static Tensor *equal_edges(const double *value, int64_t points, int64_t stride, int64_t bins, const double *range,
                           int dim, t_DType dtype) {
    double low = range ? range[0] : points ? INFINITY : 0, high = range ? range[1] : points ? -INFINITY : 1;
    if (tg_is_half(dtype)) return tg_not_implemented("histogramdd", dtype);
    if (bins < 1)
        return tg_fail("torch.histogram(): bins must be > 0, but got %lld for dimension %d", (long long)bins, dim);
    for (int64_t i = 0; !range && i < points; i++) {
        const double x = value[i * stride];
        low = x < low || isnan(x) ? x : low;
        high = x > high || isnan(x) ? x : high;
    }
    if (!isfinite(low) || !isfinite(high))
        return tg_fail("torch.histogramdd: dimension %d's range [%g, %g] is not finite", dim, low, high);
    if (low > high)
        return tg_fail("torch.histogramdd: min should not exceed max, but got min %g max %g for dimension %d", low,
                       high, dim);
    if (low == high) {
        low -= 0.5;
        high += 0.5;
    }
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return t_linspace(low, high, bins + 1, &options);
}

static Tensor *given_edges(Tensor *bins, int dim, t_DType dtype) {
    if (bins->ndim != 1)
        return tg_fail("torch.histogramdd: bins tensor should have one dimension, but got %d dimensions in the bins "
                       "tensor for dimension %d",
                       bins->ndim, dim);
    if (bins->dtype != dtype)
        return tg_fail(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with "
            "dtype %s and bins for dimension %d with dtype %s",
            tg_c_type_name(dtype), dim, tg_c_type_name(bins->dtype));
    if (bins->shape[0] < 2)
        return tg_fail("torch.histogram(): bins must be > 0, but got %lld for dimension %d",
                       (long long)bins->shape[0] - 1, dim);
    return t_clone(t_detach(bins));
}

/* The bin of x among n edges: edge[i] <= x < edge[i + 1], the last one closed; -1: outside, or NaN. */
static int64_t bin_of(double x, const double *edge, int64_t n) {
    if (!(x >= edge[0] && x <= edge[n - 1])) return -1;
    int64_t low = 0, high = n - 1;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (x >= edge[middle])
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ---- counts ---- */

typedef struct Points {
    int64_t count, dims;          /* dims columns of float64, one row a point */
    const double *value, *weight; /* weight NULL: 1 each */
} Points;

static Tensor *sums(const Points *points, const t_TensorList *edges, const int64_t *shape, bool density) {
    const double *edge[T_MAX_DIMS];
    Tensor *y = tg_empty(shape, (int)points->dims, t_float64);
    if (!y) return NULL;
    tg_fill_into(y, 0);
    double *sum = tg_data(y), total = 0;
    for (int64_t d = 0; d < points->dims; d++) {
        Tensor *wide = t_contiguous(t_to(edges->items[d], t_float64));
        if (!wide) return NULL;
        edge[d] = tg_data(wide);
    }
    for (int64_t i = 0; i < points->count; i++) {
        int64_t at = 0;
        for (int64_t d = 0; d < points->dims && at >= 0; d++) {
            const int64_t bin = bin_of(points->value[i * points->dims + d], edge[d], shape[d] + 1);
            at = bin < 0 ? -1 : at * shape[d] + bin;
        }
        if (at < 0) continue;
        const double weight = points->weight ? points->weight[i] : 1;
        sum[at] += weight;
        total += weight;
    }
    for (int64_t at = 0, count = tg_numel(y); density && at < count; at++) {
        double volume = 1;
        for (int64_t d = points->dims - 1, rest = at; d >= 0; rest /= shape[d--]) {
            const int64_t bin = rest % shape[d];
            volume *= edge[d][bin + 1] - edge[d][bin];
        }
        sum[at] /= total * volume;
    }
    return y;
}

static const double *float64_of(Tensor *x) {
    Tensor *wide = x ? t_contiguous(t_to(t_detach(x), t_float64)) : NULL;
    return wide ? tg_data(wide) : NULL;
}

static bool check(const Tensor *x, const Tensor *weight, int64_t dims) {
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("histogramdd", x->dtype);
    bool same = !weight || weight->ndim == x->ndim - 1;
    for (int d = 0; weight && same && d < weight->ndim; d++) same = weight->shape[d] == x->shape[d];
    if (!same)
        return tg_fail("torch.histogramdd: if weight tensor is provided it should have the same shape as the input "
                       "tensor excluding its innermost dimension, but got input with shape %s and weight with shape %s",
                       tg_shape_of(x), tg_shape_of(weight));
    if (weight && weight->dtype != x->dtype)
        return tg_fail(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the "
            "same dtype, but got input(%s), and weight(%s)",
            tg_c_type_name(x->dtype), tg_c_type_name(weight->dtype));
    return dims <= T_MAX_DIMS || tg_fail("a tensor has at most %d dims, not %lld", T_MAX_DIMS, (long long)dims);
}

/* x: (..., dims); bins: for each dim a number or a vector of edges, or one number for all. */
static Tensor *histogram(Tensor *x, Tensor *const *bins, int64_t count, const double *range, Tensor *weight,
                         bool density, t_TensorList *edges) {
    int64_t shape[T_MAX_DIMS];
    const int64_t dims = x->shape[x->ndim - 1];
    Points points = {tg_shape_numel(x->shape, x->ndim - 1), dims, float64_of(x), float64_of(weight)};
    if (!points.value || (weight && !points.weight)) return NULL;
    for (int d = 0; d < dims; d++) {
        Tensor *own = bins[count == 1 ? 0 : d], *edge;
        if (own->ndim == 0 && !tg_is_floating(own->dtype))
            edge = equal_edges(points.value + d, points.count, dims, tg_read_int64(own), range ? range + 2 * d : NULL,
                               d, x->dtype);
        else
            edge = given_edges(own, d, x->dtype);
        if (!edge || !t_list_append(edges, edge)) return NULL;
        shape[d] = edge->shape[0] - 1;
    }
    return t_to(sums(&points, edges, shape, density), x->dtype);
}

static const Op histogramdd_op = {"histogramdd", "NotImplemented", tg_no_derivative};

static Tensor *run(Tensor *x, Tensor *const *bins, int64_t count, const double *range, Tensor *weight, bool density,
                   t_TensorList **edges) {
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    *edges = depth ? t_list_new(NULL, 0) : NULL;
    Tensor *y = *edges ? t_keep_object(histogram(x, bins, count, range, weight, density, *edges)) : NULL;
    t_keep_object(y ? *edges : NULL);
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return y;
}

/* ---- public ---- */

/* torch.histogram(x, bins, range=None, weight=None, density=False): the number of x's elements in each bin, or the sum
 * of their weights; density: divided by the total and the bin's width. bins: a number of equal bins of the range (NULL:
 * from the least to the greatest element), or a vector of rising edges. Bins are closed on the left, the last one on
 * both sides; other elements and NaN are not counted. *bin_edges (may be NULL): the edges. Floating dtypes; a number of
 * bins only for float32 and float64. No derivative. */
Tensor *t_histogram(Tensor *x, Tensor *bins, const double *range, Tensor *weight, bool density, Tensor **bin_edges) {
    tg_clear_output(bin_edges);
    TG_COMPOSITE("histogram");
    t_TensorList *edges;
    if (!tg_check_any_two(x, bins) || !tg_check_any_optional(weight, 4)) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("histogramdd", x->dtype);
    int depth = t_scope_open();
    Tensor *column = depth ? t_reshape(t_detach(x), (int64_t[]){tg_numel(x), 1}, 2) : NULL;
    Tensor *flat = weight && column ? t_reshape(t_detach(weight), (int64_t[]){tg_numel(weight)}, 1) : NULL;
    bool ok = column && (!weight || flat) && check(column, flat, 1);
    Tensor *y = ok ? t_keep_object(run(column, &bins, 1, range, flat, density, &edges)) : NULL;
    if (y && bin_edges) *bin_edges = t_keep_object(tg_add_to_scope(edges->items[0]));
    t_scope_close(depth);
    return y ? tg_record(&histogramdd_op, y, INPUTS(x, weight), NONE, NONE) : NULL;
}

/* torch.histogramdd(x, bins, range=None, weight=None, density=False): the same of points of several dims, the last dim
 * of x, in boxes. bins: a list with a number or the edges for each dim, or one number for all; range: the least and the
 * greatest value of each dim. Returns a tensor with a dim for each; *bin_edges (may be NULL): the list of edges. */
Tensor *t_histogramdd(Tensor *x, const t_TensorList *bins, const double *range, int ranges, Tensor *weight,
                      bool density, t_TensorList **bin_edges) {
    TG_COMPOSITE("histogramdd");
    t_TensorList *edges;
    if (!tg_check_any(x, 1) || !tg_check_list(bins, 2) || !tg_check_array(range, ranges, 3, "bounds") ||
        !tg_check_any_optional(weight, 5))
        return NULL;
    if (x->ndim < 2) return tg_fail("torch.histogramdd: input tensor should have at least 2 dimensions");
    const int64_t dims = x->shape[x->ndim - 1];
    if (bins->len != dims && (bins->len != 1 || bins->items[0]->ndim))
        return tg_fail("histogramdd: The size of bins must be equal to the innermost dimension of the input.");
    if (ranges && ranges != 2 * dims)
        return tg_fail(
            "torch.histogramdd: for a %lld-dimensional histogram range should have %lld elements, but got %d",
            (long long)dims, (long long)(2 * dims), ranges);
    if (!check(x, weight, dims)) return NULL;
    Tensor *y = run(x, bins->items, bins->len, ranges ? range : NULL, weight, density, &edges);
    if (y && bin_edges) *bin_edges = edges;
    return y ? tg_record(&histogramdd_op, y, INPUTS(x, weight), NONE, NONE) : NULL;
}
