/* core/ops/reduction/covariance.c: torch.cov and torch.corrcoef, composed. */
#include "core/ops/pointwise/pointwise_internal.h"

static Tensor *sum_of(Tensor *x) {
    return t_sum(x, NULL, 0, false);
}

/* Checks the weights of n observations; name: fweights or aweights. */
static bool check_weights(const Tensor *w, const char *name, int64_t n, bool is_integer) {
    if (!w) return true;
    if (w->ndim > 1)
        return tg_fail("cov(): expected %s to have one or fewer dimensions but got %s with %d dimensions", name, name,
                       w->ndim);
    if (is_integer && !tg_is_integral(w->dtype))
        return tg_fail("cov(): expected fweights to have integral dtype but got fweights with %s dtype",
                       tg_scalar_name(w->dtype));
    if (!is_integer && !tg_is_floating(w->dtype))
        return tg_fail("cov(): expected aweights to have floating point dtype but got aweights with %s dtype",
                       tg_scalar_name(w->dtype));
    if (tg_numel(w) != n)
        return tg_fail("cov(): expected %s to have the same numel as there are observations in the input but got %lld "
                       "!= %lld", name, (long long)tg_numel(w), (long long)n);
    Tensor *smallest = n ? t_min(t_detach((Tensor *)w), T_NONE, false, NULL) : NULL;
    if (n == 0 || !smallest) return n == 0;
    return t_item(smallest) >= 0 || tg_fail("cov(): %s cannot be negative", name);
}

/* The sum of the weights, less the correction; 0 with a warning if that is not positive. n: number of observations. */
static Tensor *degrees_of_freedom(Tensor *w, Tensor *aweights, Tensor *sum, double correction, int64_t n) {
    static bool warned;
    const bool is_weighted = w && aweights && correction != 0;
    Tensor *each = t_number(correction);
    Tensor *left = t_sub(sum, is_weighted ? t_div(t_mul(each, sum_of(t_mul(w, aweights))), sum) : each);
    if (!left || (n && t_item(left) > 0)) return left;
    tg_warn(&warned, "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of "
                     "observations.");
    return t_number(0);
}

static Tensor *covariance(Tensor *x, double correction, Tensor *fweights, Tensor *aweights) {
    const int64_t observations = 1;
    if (x->ndim < 2) x = t_view(t_contiguous(x), (int64_t[]){1, tg_numel(x)}, 2);
    if (!x) return NULL;
    const int64_t n = x->shape[1];
    if (!check_weights(fweights, "fweights", n, true) || !check_weights(aweights, "aweights", n, false)) return NULL;
    Tensor *w = fweights && aweights ? t_mul(fweights, aweights) : fweights ? fweights : aweights;
    Tensor *sum = !fweights && !aweights ? t_integer(n) : w ? sum_of(w) : NULL;
    if (!sum) return NULL;
    if (w && n && t_item(sum) == 0)
        return tg_fail("cov(): weights sum to zero, can't be normalized");
    Tensor *mean = t_div(t_sum(w ? t_mul(x, w) : x, &observations, 1, false), sum);
    Tensor *centred = t_sub(x, t_unsqueeze(mean, 1));
    Tensor *products = t_mm(centred, t_t(w ? t_mul(centred, w) : centred));
    return t_squeeze(t_div(products, degrees_of_freedom(w, aweights, sum, correction, n)), T_NONE);
}

/* torch.cov(x, correction=1, fweights=None, aweights=None): the covariance matrix of variables in rows and observations
 * in columns, sum_k w_k (x_ik - mean_i) (x_jk - mean_j) / (sum w - correction); a scalar for one variable. fweights
 * (integers: how often each observation was made) and aweights (floating: its importance) may be NULL; they multiply.
 * Integers give float32. Errors: more than two dims, bools, weights of another number, dtype or sign. */
Tensor *t_cov(Tensor *x, double correction, Tensor *fweights, Tensor *aweights) {
    TG_COMPOSITE("cov");
    const t_DType narrow = TG_WIDEN(&x, &fweights, &aweights);
    if (narrow) return tg_narrowed(t_cov(x, correction, fweights, aweights), narrow);
    if (!tg_check_any(x, 1) || !tg_check_any_optional(fweights, 3) || !tg_check_any_optional(aweights, 4)) return NULL;
    if (x->ndim > 2)
        return tg_fail("cov(): expected input to have two or fewer dimensions but got an input with %d dimensions",
                       x->ndim);
    if (x->dtype == t_bool) return tg_fail("cov(): bool dtype is not supported for input");
    const int depth = t_scope_open();
    return tg_scope_return(depth, depth ? covariance(x, correction, fweights, aweights) : NULL);
}

static Tensor *correlation(Tensor *x) {
    Tensor *c = t_cov(x, 1, NULL, NULL);
    if (!c || c->ndim == 0) return c ? t_div(c, c) : NULL;
    Tensor *deviation = t_sqrt(t_diagonal(c, 0, 0, 1));
    c = t_div(t_div(c, t_unsqueeze(deviation, 1)), t_unsqueeze(deviation, 0));
    return t_clamp(c, t_number(-1), t_number(1));
}

/* torch.corrcoef(x): Pearson's correlation coefficients c_ij / sqrt(c_ii c_jj) of the rows of x, c the covariance.
 * Errors: more than two dims, bools. */
Tensor *t_corrcoef(Tensor *x) {
    TG_COMPOSITE("corrcoef");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_corrcoef(tg_widened(x)), x->dtype);
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim > 2)
        return tg_fail("corrcoef(): expected input to have two or fewer dimensions but got an input with %d dimensions",
                       x->ndim);
    const int depth = t_scope_open();
    return tg_scope_return(depth, depth ? correlation(x) : NULL);
}
