/* core/ops/norm.c: p-norms of vectors. */
#include <math.h>

#include "core/ops/reduce_internal.h"

/* What a rule needs to know. */
typedef struct Norm {
    Reduction over;
    double p;
} Norm;

/* PyTorch adds up the squares of float32 in float32, where those of a norm below 2^-75 are 0: so is the norm, and its
 * gradient then is 0 instead of dy / y, which overflows. y is contiguous. */
static Tensor *without_underflow(Tensor *y) {
    if (!y || y->dtype != t_float32) return y;
    float *to = tg_data(y);
    for (int64_t i = 0, n = tg_numel(y); i < n; i++) to[i] = to[i] < 0x1p-75f ? 0 : to[i];
    return y;
}

static Tensor *norm_of(Tensor *x, const Norm *norm, t_DType dtype) {
    const double p = norm->p;
    const bool is_extreme = isinf(p), is_sum = p == 1 || p == 2;
    if (is_extreme || p == 0 || !is_sum) x = t_to(x, dtype); /* sums are wide as it is */
    if (is_extreme) return tg_reduced((ReduceArgs){.kind = p > 0 ? TG_MAX_ABS : TG_MIN_ABS, .x = x}, &norm->over, dtype);
    if (p == 2)
        return without_underflow(tg_reduced((ReduceArgs){.kind = TG_SUM_OF_SQUARES, .x = x, .divisor = 1, .root = true},
                                           &norm->over, dtype));
    if (p == 1) return tg_reduced((ReduceArgs){.kind = TG_SUM_OF_ABS, .x = x, .divisor = 1}, &norm->over, dtype);
    if (p == 0) return t_to(tg_reduced((ReduceArgs){.kind = TG_SUM, .x = t_ne(x, t_number(0))}, &norm->over, t_int64), dtype);
    Tensor *powers = t_pow(t_abs(x), t_number(p));
    return t_pow(tg_reduced((ReduceArgs){.kind = TG_SUM, .x = powers, .divisor = 1}, &norm->over, dtype), t_number(1 / p));
}

/* ---- the gradient ---- */

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
    } else if (isinf(p)) { /* a NaN counts as one of the extremes */
        Tensor *equal = t_logical_or(t_eq(t_abs(x), y), t_isnan(x)), *ties = equal ? t_to(equal, x->dtype) : NULL;
        Tensor *count = t_sum(ties, dims, tg_reduced_dims(&norm->over, x->ndim, dims), true);
        dx[0] = t_mul(t_mul(t_sign(x), ties), t_div(dy, count));
    } else { /* in PyTorch's factors, which decide about infinities and about what is too small for its power */
        Tensor *no_x = t_eq(x, zero), *no_y = t_eq(y, zero), *divisor = t_masked_fill(y, no_y, one);
        Tensor *powers = t_masked_fill(t_pow(t_masked_fill(t_abs(x), no_x, one), t_number(p - 1)), no_x, zero);
        Tensor *scale = p < 1 ? t_mul(dy, t_pow(divisor, t_number(1 - p))) : t_div(dy, t_pow(divisor, t_number(p - 1)));
        dx[0] = t_mul(t_mul(t_sign(x), powers), t_masked_fill(scale, no_y, zero));
    }
}
static const Op norm_op = {"norm", "LinalgVectorNormBackward0", norm_backward};

/* ---- */

/* The largest or smallest of nothing, and what a negative power makes of it, is no number. */
static bool check_norm_of_nothing(const Tensor *x, const Norm *norm, const int64_t *dims, int count) {
    if (tg_numel(x) || !(norm->p < 0 || norm->p == INFINITY)) return true;
    if (count == 0)
        return tg_fail("linalg.vector_norm cannot compute the %g norm on an empty tensor because the operation does not have "
                       "an identity", norm->p);
    for (int i = 0; i < count; i++) {
        int d = (int)(dims[i] < 0 ? dims[i] + x->ndim : dims[i]);
        if (x->ndim && x->shape[d] == 0)
            return tg_fail("linalg.vector_norm cannot compute the %g norm on the dimension %dbecause this dimension is empty "
                           "and the operation does not have an identity", norm->p, d);
    }
    return true;
}

/* torch.linalg.vector_norm(x, p, dim, keepdim, dtype): (sum |x|^p)^(1/p) over dims; for p = inf and -inf the largest and the
 * smallest |x|, for p = 0 the count of those that are not 0. x: floating; dtype: a floating one, no narrower.
 * dx = dy sign(x) (|x| / y)^(p - 1), shared evenly among the extremes for inf; 0 where x is 0, or y. The gradient for p = 0 is 0.
 * Errors: integer dtype, a dim out of range or twice, no elements where there is no norm of none. */
Tensor *t_linalg_vector_norm(Tensor *x, double p, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    Norm norm = {.p = p};
    if (!tg_check(x, 1) || !tg_check_dtype(dtype)) return NULL;
    if (!tg_is_floating(x->dtype))
        return tg_fail("linalg.vector_norm: Expected a floating point or complex tensor as input. Got %s", tg_scalar_name(x->dtype));
    if (!tg_reduction(x, dim, count, keepdim, &norm.over) || !check_norm_of_nothing(x, &norm, dim, count)) return NULL;
    if (dtype && !tg_is_floating(dtype))
        return tg_fail("linalg.vector_norm: dtype should be floating point or complex, but got %s", tg_scalar_name(dtype));
    if (dtype && dtype < x->dtype)
        return tg_fail("linalg.vector_norm: the dtype of the input (%s) should be convertible without narrowing to the "
                       "specified dtype (%s)", tg_scalar_name(x->dtype), tg_scalar_name(dtype));
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = depth ? tg_cut_from_base(norm_of(x, &norm, dtype ? dtype : x->dtype)) : NULL;
    t_set_grad_enabled(grad_enabled);
    y = tg_record(&norm_op, y, INPUTS(x), SAVED(x, y), ATTRIBUTES(norm));
    return tg_close_keeping(depth, y);
}

/* torch.norm(x, p, dim, keepdim, dtype): the same. Its p = "fro" is 2 here; the nuclear norm is not there. */
Tensor *t_norm(Tensor *x, double p, const int64_t *dim, int count, bool keepdim, t_DType dtype) {
    return t_linalg_vector_norm(x, p, dim, count, keepdim, dtype);
}
