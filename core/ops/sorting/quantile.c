/* core/ops/sorting/quantile.c: quantile and nanquantile, composed of sort, gather and lerp. */
#include <math.h>
#include <string.h>

#include "core/ops/reduction/along_dim_internal.h"
#include "core/ops/reduction/reduce_internal.h"

typedef enum Interpolation { LINEAR, LOWER, HIGHER, MIDPOINT, NEAREST, INTERPOLATIONS } Interpolation;
static const char *const interpolation_names[] = {"linear", "lower", "higher", "midpoint", "nearest"};

static Interpolation read_interpolation(const char *name) {
    int mode = 0;
    while (name && mode < INTERPOLATIONS && strcmp(name, interpolation_names[mode]) != 0) mode++;
    return (Interpolation)mode;
}

/* ---- ranks and indices ---- */

static void round_loop(int64_t n, char *const *p, const int64_t *s, const void *context) {
    Interpolation mode = *(const Interpolation *)context;
    for (int64_t i = 0; i < n; i++) {
        double rank = *(const double *)(p[1] + i * s[1]);
        rank = mode == HIGHER ? ceil(rank) : mode == NEAREST ? nearbyint(rank) : floor(rank);
        *(int64_t *)(p[0] + i * s[0]) = (int64_t)rank;
    }
}

static Tensor *rounded_ranks(Tensor *ranks, Interpolation mode) {
    Tensor *detached = ranks ? t_detach(ranks) : NULL, *wide = detached ? t_to(detached, t_float64) : NULL;
    Tensor *index = wide ? tg_empty(wide->shape, wide->ndim, t_int64) : NULL;
    if (index) tg_run(round_loop, index, &wide, 1, 0, &mode);
    return index;
}

/* The ranks (..., Q) of q in rows of n, as floats. For a row with NaN the last rank, which is a NaN; with
 * ignores_nan NaNs are not counted. */
static Tensor *quantile_ranks(Tensor *rows, Tensor *q, bool ignores_nan) {
    const int64_t last = -1;
    Tensor *detached = t_detach(rows), *nan = detached ? t_isnan(detached) : NULL,
           *end = t_number((double)rows->shape[rows->ndim - 1] - 1);
    if (!nan || !end) return NULL;
    if (!ignores_nan) return t_masked_fill(t_mul(q, end), t_any(nan, &last, 1, true), end);
    Tensor *others = t_sub(end, t_to(t_sum(nan, &last, 1, true), rows->dtype));
    return t_mul(q, t_masked_fill(others, t_lt(others, t_number(0)), t_number(0)));
}

/* ---- values ---- */

/* The quantiles (..., Q) of sorted rows. */
static Tensor *interpolate(Tensor *sorted, Tensor *q, Interpolation mode, bool ignores_nan) {
    int64_t shape[T_MAX_DIMS], last = sorted->ndim - 1;
    memcpy(shape, sorted->shape, sizeof shape);
    shape[last] = tg_numel(q);
    Tensor *ranks = t_expand(quantile_ranks(sorted, q, ignores_nan), shape, sorted->ndim),
           *at = rounded_ranks(ranks, mode);
    Tensor *below = at ? t_gather(sorted, last, at) : NULL;
    if (!below || (mode != LINEAR && mode != MIDPOINT)) return below;
    Tensor *above = t_gather(sorted, last, rounded_ranks(ranks, HIGHER));
    Tensor *weight = mode == MIDPOINT ? t_number(0.5) : t_sub(ranks, t_to(at, ranks->dtype));
    return t_lerp(below, above, weight);
}

/* x with dim d moved to the end (flattened if d is -1), sorted along it. */
static Tensor *sorted_rows(Tensor *x, int d) {
    int64_t order[T_MAX_DIMS];
    Tensor *rows;
    if (d < 0 || x->ndim == 0) {
        rows = t_reshape(x, (int64_t[]){-1}, 1);
    } else {
        for (int i = 0; i < x->ndim; i++) order[i] = i < d ? i : i + 1 < x->ndim ? i + 1 : d;
        rows = t_permute(x, order, x->ndim);
    }
    return t_sort(rows, -1, false, false, NULL);
}

/* y (..., Q) in the shape of the result: Q first if q is a vector, dropped if it is a number; the reduced dim of
 * size 1 if kept. */
static Tensor *in_result_shape(Tensor *y, const Tensor *x, int d, const Tensor *q, bool keepdim) {
    int64_t order[T_MAX_DIMS], shape[T_MAX_DIMS + 1];
    if (!y) return NULL;
    for (int i = 0; i < y->ndim; i++) order[i] = i ? i - 1 : y->ndim - 1;
    Tensor *front = t_permute(y, order, y->ndim);
    int ndim = 0, other = 0;
    if (q->ndim) shape[ndim++] = tg_numel(q);
    for (int i = 0; i < x->ndim; i++) {
        bool reduced = d < 0 || i == d;
        if (!reduced || keepdim) shape[ndim++] = reduced ? 1 : y->shape[other++];
    }
    return t_reshape(front, shape, ndim);
}

static bool check_q(const Tensor *x, Tensor *q) {
    if (q->ndim > 1) return tg_fail("quantile() q must be a scalar or 1D tensor");
    if (x->dtype != t_float32 && x->dtype != t_float64)
        return tg_fail("quantile() input tensor must be either float or double dtype");
    if (!q->wrapped_number && q->dtype != x->dtype)
        return tg_fail("quantile() q tensor must be same dtype as the input tensor");
    for (int64_t i = 0; i < tg_numel(q); i++) {
        Tensor one = *q; /* a view on the stack: the i-th element of q */
        one.ndim = 0;
        if (q->ndim) one.offset += i * q->strides[0];
        double value = tg_read_double(&one);
        if (value >= 0 && value <= 1) continue;
        if (q->wrapped_number) return tg_fail("quantile() q must be in the range [0, 1] but got %g", value);
        return tg_fail("quantile() q values must be in the range [0, 1]");
    }
    return true;
}

static Tensor *quantile(Tensor *x, Tensor *q, int64_t dim, bool keepdim, const char *interpolation, bool ignores_nan) {
    Interpolation mode = interpolation ? read_interpolation(interpolation) : LINEAR;
    int d = -1;
    if (!tg_check_any_two(x, q)) return NULL;
    if (mode == INTERPOLATIONS)
        return tg_fail("quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got %s",
                       interpolation);
    if (tg_numel(x) == 0) return tg_fail("quantile() input tensor must be non-empty");
    if (!check_q(x, q) || (dim != T_NONE && !tg_wrap_dim(dim, x->ndim, &d))) return NULL;
    int depth = t_scope_open();
    Tensor *sorted = depth ? sorted_rows(x, d) : NULL,
           *cast_q = sorted && q->wrapped_number ? tg_empty(NULL, 0, x->dtype) : NULL;
    if (cast_q) tg_copy_into(cast_q, q); /* a number takes the dtype of x */
    Tensor *at = q->wrapped_number ? cast_q : q, *y = sorted && at ? interpolate(sorted, at, mode, ignores_nan) : NULL;
    y = in_result_shape(y, x, d, q, keepdim);
    return tg_scope_return(depth, y);
}

/* torch.quantile(x, q, dim, keepdim, interpolation): the value at rank q (n - 1) of each sorted row along dim
 * (T_NONE: of all elements), interpolated between two elements: "linear" (also NULL), "lower", "higher", "midpoint",
 * "nearest". q: in [0, 1], a number, or a vector, whose dim comes first in the result. A row with NaN gives NaN. x
 * and q: both float32 or float64. Composed: it has the gradients of its ops. */
Tensor *t_quantile(Tensor *x, Tensor *q, int64_t dim, bool keepdim, const char *interpolation) {
    TG_COMPOSITE("quantile");
    TG_AUTOCAST_FLOAT32(x);
    TG_AUTOCAST_FLOAT32(q);
    return quantile(x, q, dim, keepdim, interpolation, false);
}

/* torch.nanquantile(...): the same of the elements that are not NaN. */
Tensor *t_nanquantile(Tensor *x, Tensor *q, int64_t dim, bool keepdim, const char *interpolation) {
    TG_COMPOSITE("nanquantile");
    TG_AUTOCAST_FLOAT32(x);
    TG_AUTOCAST_FLOAT32(q);
    return quantile(x, q, dim, keepdim, interpolation, true);
}
