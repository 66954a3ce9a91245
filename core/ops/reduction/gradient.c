/* core/ops/reduction/gradient.c: torch.gradient: derivatives of sampled functions. Composed of slices and arithmetic,
 * so that it can be differentiated. */
#include "core/ops/reduction/along_dim_internal.h"

/* The samples from index `from` of a dim on; from the end if it is negative. */
static Tensor *part(Tensor *x, int d, int64_t from, int64_t count) {
    return t_narrow(x, d, from < 0 ? x->shape[d] + from : from, count);
}

static Tensor *joined(Tensor *first, Tensor *interior, Tensor *last, int d) {
    t_TensorList *list = first && interior && last ? t_list_new((Tensor *[]){first, interior, last}, 3) : NULL;
    return list ? t_cat(list, d) : NULL;
}

/* a x + b y + c z */
static Tensor *combined(Tensor *a, Tensor *x, Tensor *b, Tensor *y, Tensor *c, Tensor *z) {
    return t_add(t_add(t_mul(a, x), t_mul(b, y)), t_mul(c, z));
}

/* ---- samples at a fixed distance h ---- */

/* Of second order the derivative of the parabola through three points: (-3/2 x0 + 2 x1 - 1/2 x2) / h */
static Tensor *uniform(Tensor *x, int d, double h, int64_t edge_order) {
    const int64_t n = x->shape[d];
    Tensor *interior = t_div(t_sub(part(x, d, 2, n - 2), part(x, d, 0, n - 2)), t_number(2 * h));
    Tensor *first, *last;
    if (edge_order == 1) {
        first = t_div(t_sub(part(x, d, 1, 1), part(x, d, 0, 1)), t_number(h));
        last = t_div(t_sub(part(x, d, -1, 1), part(x, d, -2, 1)), t_number(h));
    } else {
        Tensor *a = t_number(-1.5), *b = t_number(2), *c = t_number(-0.5);
        first = t_div(combined(a, part(x, d, 0, 1), b, part(x, d, 1, 1), c, part(x, d, 2, 1)), t_number(h));
        last = t_div(combined(a, part(x, d, -1, 1), b, part(x, d, -2, 1), c, part(x, d, -3, 1)), t_number(-h));
    }
    return joined(first, interior, last, d);
}

/* ---- samples at given coordinates ---- */

/* The derivative, at the middle, the first or the last of three points, of the parabola through them: points h1 and h2
 * apart have the weights a, b, c. */
static Tensor *at_middle(Tensor *h1, Tensor *h2, Tensor *x, Tensor *y, Tensor *z) {
    Tensor *both = t_add(h1, h2);
    Tensor *a = t_neg(t_div(h2, t_mul(h1, both))), *c = t_div(h1, t_mul(h2, both));
    return combined(a, x, t_div(t_sub(h2, h1), t_mul(h1, h2)), y, c, z);
}
static Tensor *at_first(Tensor *h1, Tensor *h2, Tensor *x, Tensor *y, Tensor *z) {
    Tensor *both = t_add(h1, h2);
    Tensor *a = t_neg(t_div(t_add(h1, both), t_mul(h1, both))), *c = t_neg(t_div(h1, t_mul(h2, both)));
    return combined(a, x, t_div(both, t_mul(h1, h2)), y, c, z);
}

static Tensor *by_coordinates(Tensor *x, int d, Tensor *at, int64_t edge_order) {
    const int64_t n = x->shape[d];
    if (at->ndim != 1)
        return tg_fail("torch.gradient expected each element of spacing to have one dimension, but got an element with "
                       "%d dimensions!",
                       at->ndim);
    if (at->shape[0] != n)
        return tg_fail("torch.gradient expected %lld coordinates for a dim of that size, but got %lld", (long long)n,
                       (long long)at->shape[0]);
    Tensor *steps = t_sub(t_narrow(at, 0, 1, n - 1), t_narrow(at, 0, 0, n - 1));
    int64_t shape[T_MAX_DIMS];
    for (int i = 0; i < x->ndim; i++) shape[i] = i == d ? n - 1 : 1;
    Tensor *h = steps ? t_view(t_contiguous(steps), shape, x->ndim) : NULL;
    if (!h) return NULL;
    Tensor *interior = at_middle(part(h, d, 0, n - 2), part(h, d, 1, n - 2), part(x, d, 0, n - 2), part(x, d, 1, n - 2),
                                 part(x, d, 2, n - 2));
    Tensor *first, *last;
    if (edge_order == 1) {
        first = t_div(t_sub(part(x, d, 1, 1), part(x, d, 0, 1)), part(h, d, 0, 1));
        last = t_div(t_sub(part(x, d, -1, 1), part(x, d, -2, 1)), part(h, d, -1, 1));
    } else {
        first = at_first(part(h, d, 0, 1), part(h, d, 1, 1), part(x, d, 0, 1), part(x, d, 1, 1), part(x, d, 2, 1));
        last = t_neg(
            at_first(part(h, d, -1, 1), part(h, d, -2, 1), part(x, d, -1, 1), part(x, d, -2, 1), part(x, d, -3, 1)));
    }
    return joined(first, interior, last, d);
}

/* ---- arguments ---- */

static bool check(const Tensor *x, int64_t spacings, const int64_t *dim, int dims, int64_t edge_order, int *d) {
    const int count = dims ? dims : x->ndim;
    if (edge_order != 1 && edge_order != 2)
        return tg_fail("torch.gradient only supports edge_order=1 and edge_order=2.");
    if (spacings > 1 || (spacings == 1 && count != 1)) {
        if (spacings != count && dims == 0)
            return tg_fail("torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to "
                           "'self.dim() = %d', since dim argument was not given, but got a list of length %lld",
                           x->ndim, (long long)spacings);
        if (spacings != count)
            return tg_fail("torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
                           "arguments to have the same length, but got a spacing argument of length %lld and a dim "
                           "argument of length %d.",
                           (long long)spacings, count);
    }
    if (x->dtype == t_uint8) return tg_fail("torch.gradient does not support uint8 input.");
    if (dims > T_MAX_DIMS || !tg_wrap_dims(dim, dims, x->ndim, d))
        return dims <= T_MAX_DIMS ? false : !!tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, dims);
    for (int i = 0; i < count; i++) {
        if (dims == 0) d[i] = i;
        if (x->shape[d[i]] < edge_order + 1)
            return tg_fail("torch.gradient expected each dimension size to be at least edge_order+1");
    }
    return true;
}

/* torch.gradient(x, spacing=1, dim=None, edge_order=1): estimates of the derivatives along each of the dims (none: all)
 * of a function with the samples x: a list of tensors of x's shape. In the interior the derivative of the parabola
 * through three samples, at the edges of the line through two (edge_order 1) or that parabola (2). spacing: the
 * distance of the samples; with spacings, one for each dim: 0-dim tensors (distances) or 1-dim ones (coordinates).
 * Errors: sizes below edge_order + 1, another number of spacings than of dims, uint8. */
t_TensorList *t_gradient(Tensor *x, double spacing, const t_TensorList *spacings, const int64_t *dim, int dims,
                         int64_t edge_order) {
    TG_COMPOSITE("gradient");
    int d[T_MAX_DIMS];
    if (!tg_check_any(x, 1) || !tg_check_optional_list(spacings, 3) || !tg_check_array(dim, dims, 4, "dims"))
        return NULL;
    const int64_t given = spacings ? spacings->len : 0;
    if (!check(x, given, dim, dims, edge_order, d)) return NULL;
    int depth = t_scope_open();
    t_TensorList *list = depth ? t_list_new(NULL, 0) : NULL;
    for (int i = 0, count = dims ? dims : x->ndim; list && i < count; i++) {
        Tensor *at = given ? spacings->items[i] : NULL;
        Tensor *y = at && at->ndim ? by_coordinates(x, d[i], at, edge_order)
                                   : uniform(x, d[i], at ? tg_read_double(at) : spacing, edge_order);
        if (!y || !t_list_append(list, y)) list = NULL;
    }
    return tg_scope_return(depth, list);
}
