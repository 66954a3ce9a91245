/* core/ops/reduction/trapezoid.c: torch.trapezoid and torch.cumulative_trapezoid: integrals by the trapezoidal rule,
 * composed. */
#include "core/ops/pointwise/pointwise_internal.h"

/* x[i + 1] - x[i] along dim d of y, in a shape that broadcasts with y's: a vector x has one value for each sample, an x
 * of fewer dims than y gets leading ones. */
static Tensor *distances(const char *name, const Tensor *y, Tensor *x, int d) {
    int64_t shape[T_MAX_DIMS];
    for (int i = 0; i < y->ndim; i++) shape[i] = 1;
    if (x->ndim == 1) {
        if (x->shape[0] != y->shape[d]) return tg_fail("%s: There must be one `x` value for each sample point", name);
        shape[d] = x->shape[0];
        x = t_view(x, shape, y->ndim);
    } else if (x->ndim < y->ndim) {
        for (int i = 0; i < x->ndim; i++) shape[y->ndim - x->ndim + i] = x->shape[i];
        x = t_view(x, shape, y->ndim);
    }
    return x ? t_sub(t_slice(x, d, 1, T_NONE, 1), t_slice(x, d, 0, -1, 1)) : NULL;
}

static bool check_samples(const char *name, Tensor *y, Tensor *x, int64_t dim, int *d) {
    if (!tg_check_any(y, 1) || !tg_check_any_optional(x, 2)) return false;
    if (y->dtype == t_bool || (x && x->dtype == t_bool))
        return tg_fail("%s: received a bool input for %s, but bool is not supported", name, x ? "`x` or `y`" : "`y`");
    if (!tg_wrap_dim(dim, y->ndim, d)) return false;
    return y->ndim > 0 || tg_fail("dimension specified as %lld but tensor has no dimensions", (long long)*d);
}

/* y[i] + y[i + 1] */
static Tensor *neighbours(Tensor *y, int d) {
    return t_add(t_slice(y, d, 0, -1, 1), t_slice(y, d, 1, T_NONE, 1));
}

static Tensor *integral(Tensor *y, Tensor *x, double dx, int d) {
    const int64_t dim = d;
    if (y->shape[d] == 0) return t_sum(t_detach(y), &dim, 1, false); /* zeros */
    if (x) {
        Tensor *areas = t_mul(neighbours(y, d), distances("trapezoid", y, x, d));
        return areas ? t_div(t_sum(areas, &dim, 1, false), t_number(2)) : NULL;
    }
    Tensor *ends = t_mul(t_add(t_select(y, d, 0), t_select(y, d, -1)), t_number(0.5));
    return t_mul(t_sub(t_sum(y, &dim, 1, false), ends), t_number(dx));
}

/* torch.trapezoid(y, x, dim), torch.trapezoid(y, dx=dx, dim=dim): the sum of (y_i + y_(i+1)) / 2 (x_(i+1) - x_i) along
 * dim. x: NULL for samples at a distance of dx; a vector; or a tensor that broadcasts with y. Integers give floating
 * values. Errors: bools, a 0-dim y, a vector x of another length. */
Tensor *t_trapezoid(Tensor *y, Tensor *x, double dx, int64_t dim) {
    TG_COMPOSITE("trapezoid");
    int d;
    if (!check_samples("trapezoid", y, x, dim, &d)) return NULL;
    const int depth = t_scope_open();
    return tg_scope_return(depth, depth ? integral(y, x, dx, d) : NULL);
}

static Tensor *cumulative_integral(Tensor *y, Tensor *x, double dx, int d) {
    if (!x) return t_cumsum(t_mul(t_number(dx / 2), neighbours(y, d)), d, 0);
    Tensor *areas = t_mul(neighbours(y, d), distances("cumulative_trapezoid", y, x, d));
    return areas ? t_div(t_cumsum(areas, d, 0), t_number(2)) : NULL;
}

/* torch.cumulative_trapezoid(y, x, dim), (y, dx=dx, dim=dim): the partial sums of trapezoid; dim is one shorter than
 * y's. Errors as for trapezoid. */
Tensor *t_cumulative_trapezoid(Tensor *y, Tensor *x, double dx, int64_t dim) {
    TG_COMPOSITE("cumulative_trapezoid");
    int d;
    if (!check_samples("cumulative_trapezoid", y, x, dim, &d)) return NULL;
    const int depth = t_scope_open();
    return tg_scope_return(depth, depth ? cumulative_integral(y, x, dx, d) : NULL);
}
