/* core/ops/reduction/norm.c: torch.norm and torch.linalg.vector_norm: p-norms of vectors. */
#include <math.h>

#include "core/ops/reduction/reduce_internal.h"

/* The attributes of the op. */
/* PyTorch sums the squares of float32 in float32, so norms below 2^-75 underflow to 0, and their gradient is 0
 * instead of dy / y, which overflows. y is contiguous. */
static Tensor *flush_underflow(Tensor *y) {
    if (!y || y->dtype != t_float32) return y;
    float *to = tg_data(y);
    for (int64_t i = 0, n = tg_numel(y); i < n; i++) to[i] = to[i] < 0x1p-75f ? 0 : to[i];
    return y;
}

static Tensor *norm_of(Tensor *x, const Norm *norm, t_DType dtype) {
    const double p = norm->p;
    if (p == 2) { /* accumulated in double: x need not be converted */
        const ReduceArgs args = {.kind = TG_SUM_OF_SQUARES, .x = x, .finish = TG_FINISH_DIVIDE_ROOT, .divisor = 1};
        return flush_underflow(tg_reduced(args, &norm->over, dtype));
    }
    if (p == 0)
        return t_to(tg_reduced((ReduceArgs){.kind = TG_SUM, .x = t_ne(x, t_number(0))}, &norm->over, t_int64), dtype);
    Tensor *size = t_abs(t_to(x, dtype));
    if (isinf(p)) return tg_reduced((ReduceArgs){.kind = p > 0 ? TG_MAX : TG_MIN, .x = size}, &norm->over, dtype);
    if (p == 1) return tg_reduced((ReduceArgs){.kind = TG_SUM, .x = size}, &norm->over, dtype);
    const ReduceArgs args = {.kind = TG_SUM, .x = t_pow(size, t_number(p))};
    return t_pow(tg_reduced(args, &norm->over, dtype), t_number(1 / p));
}

/* ---- backward ---- */

static void norm_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Norm *norm = r->attributes;
    int64_t dims[T_MAX_DIMS];
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1), *zero = t_number(0), *one = t_number(1);
    if (!x || !y || !zero || !one || norm->p == 0) return;
    dy = tg_with_kept_dims(dy, &r->edges[0], &norm->over);
    y = tg_with_kept_dims(y, &r->edges[0], &norm->over);
    const double p = norm->p;
    if (p == 1) {
        dx[0] = t_mul(dy, t_sign(x));
    } else if (p == 2) {
        Tensor *is_zero = t_eq(y, zero);
        dx[0] = t_mul(x, t_masked_fill(t_div(dy, t_masked_fill(y, is_zero, one)), is_zero, zero));
    } else if (isinf(p)) { /* NaN counts as equal to the maximum */
        Tensor *equal = t_logical_or(t_eq(t_abs(x), y), t_isnan(x)), *ties = equal ? t_to(equal, x->dtype) : NULL;
        Tensor *count = t_sum(ties, dims, tg_reduced_dims(&norm->over, x->ndim, dims), true);
        dx[0] = t_mul(t_mul(t_sign(x), ties), t_div(dy, count));
    } else { /* the same factors as PyTorch, as they determine infinities and underflow */
        Tensor *no_x = t_eq(x, zero), *no_y = t_eq(y, zero), *divisor = t_masked_fill(y, no_y, one);
        Tensor *powers = t_masked_fill(t_pow(t_masked_fill(t_abs(x), no_x, one), t_number(p - 1)), no_x, zero);
        Tensor *scale = p < 1 ? t_mul(dy, t_pow(divisor, t_number(1 - p))) : t_div(dy, t_pow(divisor, t_number(p - 1)));
        dx[0] = t_mul(t_mul(t_sign(x), powers), t_masked_fill(scale, no_y, zero));
    }
}
static const Op norm_op = {"norm", "LinalgVectorNormBackward0", norm_backward};

/* ---- vector_norm ---- */

/* Norms with p < 0 or p = inf are not defined for no elements. */
static bool check_empty_norm(const Tensor *x, const Norm *norm, const int64_t *dims, int count) {
    if (tg_numel(x) || !(norm->p < 0 || norm->p == INFINITY)) return true;
    if (count == 0)
        return tg_fail("linalg.vector_norm cannot compute the %g norm on an empty tensor because the operation does "
                       "not have an identity",
                       norm->p);
    for (int i = 0; i < count; i++) {
        int d = (int)(dims[i] < 0 ? dims[i] + x->ndim : dims[i]);
        if (x->ndim && x->shape[d] == 0)
            return tg_fail("linalg.vector_norm cannot compute the %g norm on the dimension %dbecause this dimension is "
                           "empty and the operation does not have an identity",
                           norm->p, d);
    }
    return true;
}

/* torch.linalg.vector_norm(x, p, dim, keepdim, dtype): (sum |x|^p)^(1/p) over dims; for p = inf and -inf the maximum
 * and minimum of |x|, for p = 0 the number of nonzero elements. x: floating; dtype: a floating one, not narrower. dx
 * = dy sign(x) (|x| / y)^(p - 1), for inf divided evenly among the maxima; 0 where x or y is 0. The gradient for p =
 * 0 is 0. Errors: integer dtype, a dim out of range or twice, no elements if the norm is then undefined. */
Tensor *linalg_vector_norm(Tensor *x, double p, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    Norm norm = {.p = p};
    if (!tg_check_any(x, 1) || !tg_check_dtype(dtype)) return NULL;
    if (!tg_is_floating(x->dtype))
        return tg_fail("linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s",
                       tg_scalar_name(x->dtype));
    if (!tg_reduction(x, dim, count, keepdim, &norm.over) || !check_empty_norm(x, &norm, dim, count)) return NULL;
    if (dtype && !tg_is_floating(dtype))
        return tg_fail("linalg.vector_norm: dtype should be floating point or complex, but got %s",
                       tg_scalar_name(dtype));
    if (dtype && t_promote_types(x->dtype, dtype) != dtype)
        return tg_fail("linalg.vector_norm: the dtype of the input (%s) should be convertible without narrowing to the "
                       "specified dtype (%s)", tg_scalar_name(x->dtype), tg_scalar_name(dtype));
    if (tg_is_half(x->dtype))
        return t_to(linalg_vector_norm(tg_widened(x), p, dim, count, keepdim, dtype == t_float64 ? dtype : 0),
                    dtype ? dtype : x->dtype);
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = depth ? tg_detach_from_base(norm_of(x, &norm, dtype ? dtype : x->dtype)) : NULL;
    t_set_grad_enabled(grad_enabled);
    y = tg_record(&norm_op, y, INPUTS(x), SAVED(x, y), ATTRIBUTES(norm));
    return tg_scope_return(depth, y);
}

/* ---- dist, renorm: composed ---- */

/* torch.dist(x, other, p=2): the p-norm of x - other. */
Tensor *t_dist(Tensor *x, Tensor *other, double p) {
    TG_COMPOSITE("dist");
    if (!tg_check_any_two(x, other)) return NULL;
    const int depth = t_scope_open();
    Tensor *difference = depth ? t_sub(x, other) : NULL;
    return tg_scope_return(depth, difference ? linalg_vector_norm(difference, p, NULL, 0, false, 0) : NULL);
}

static Tensor *renormalized(Tensor *x, double p, int d, double maxnorm) {
    int64_t others[T_MAX_DIMS];
    int count = 0;
    for (int i = 0; i < x->ndim; i++)
        if (i != d) others[count++] = i;
    Tensor *norm = linalg_vector_norm(x, p, others, count, true, 0), *limit = t_number(maxnorm);
    Tensor *factor = t_div(limit, t_add(norm, t_number(1e-7)));
    return factor ? t_mul(x, t_where(t_gt(norm, limit), factor, t_ones_like(norm))) : NULL;
}

/* torch.renorm(x, p, dim, maxnorm): each slice along dim whose p-norm is above maxnorm is scaled to that norm (times
 * norm / (norm + 1e-7), as in PyTorch). Errors: less than two dims, p <= 0, maxnorm < 0. */
Tensor *t_renorm(Tensor *x, double p, int64_t dim, double maxnorm) {
    TG_COMPOSITE("renorm");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_renorm(tg_widened(x), p, dim, maxnorm), x->dtype);
    int d;
    if (!tg_check_any(x, 1)) return NULL;
    if (p <= 0) return tg_fail("renorm: non-positive-norm not supported");
    if (maxnorm < 0) return tg_fail("renorm: expected maxnorm to be >= 0 but got %g", maxnorm);
    if (x->ndim < 2)
        return tg_fail("renorm: input needs at least 2 dimensions, got %d dimensions", x->ndim);
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    const int depth = t_scope_open();
    return tg_scope_return(depth, depth ? renormalized(x, p, d, maxnorm) : NULL);
}

Tensor *t_renorm_(Tensor *x, double p, int64_t dim, double maxnorm) {
    TG_COMPOSITE("renorm_");
    const int depth = tg_open_write(x);
    /* of a copy: its rule needs the old values */
    return tg_close_write(depth, x, depth ? t_renorm(t_clone(x), p, dim, maxnorm) : NULL);
}
