/* core/ops/reduction/var.c: var, std, var_mean and std_mean. */
#include "core/ops/reduction/reduce_internal.h"

/* dx = dvar 2 (x - mean) / (count - correction); dvar has the shape of the result. */
static Tensor *gradient(Tensor *dvar, Tensor *x, const Record *r) {
    const Variance *v = r->attributes;
    int64_t dims[T_MAX_DIMS];
    double divisor = (double)v->over.count - v->correction;
    Tensor *centred = t_sub(x, t_mean(x, dims, tg_reduced_dims(&v->over, x->ndim, dims), true));
    return t_mul(t_mul(tg_with_kept_dims(dvar, &r->edges[0], &v->over), t_number(2 / (divisor > 0 ? divisor : 0))),
                 centred);
}

static void var_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0);
    if (x) dx[0] = gradient(dy, x, r);
}
static void std_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1), *is_zero = y ? t_eq(y, t_number(0)) : NULL;
    if (!x || !is_zero) return;
    Tensor *dvar = t_div(dy, t_mul(t_number(2), t_masked_fill(y, is_zero, t_number(1))));
    dx[0] = gradient(t_masked_fill(dvar, is_zero, t_number(0)), x, r);
}
static void mean_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Variance *v = r->attributes;
    const Edge *x = &r->edges[0];
    Tensor *share = t_div(tg_with_kept_dims(dy, x, &v->over), t_number((double)v->over.count));
    dx[0] = t_expand(share, x->shape, x->ndim);
}

typedef struct VarianceKind {
    bool is_std;
    Op op, mean_op;
    const char *name;
} VarianceKind;
static const VarianceKind var_kind = {false, {"var", "VarBackward0", var_backward}, {NULL, NULL, NULL}, "std and var"};
static const VarianceKind std_kind = {true, {"std", "StdBackward0", std_backward}, {NULL, NULL, NULL}, "std and var"};
static const VarianceKind var_mean_kind = {
    false, {"var_mean", "VarMeanBackward0", var_backward}, {"var_mean", "VarMeanBackward0", mean_backward}, "var_mean"};
static const VarianceKind std_mean_kind = {
    true, {"std_mean", "StdMeanBackward0", std_backward}, {"std_mean", "StdMeanBackward0", mean_backward}, "std_mean"};

/* The var or std and, if wanted, the mean; not recorded. */
static Tensor *compute(Tensor *x, const Variance *v, bool is_std, Tensor **mean) {
    const double count = (double)v->over.count, divisor = count - v->correction;
    Tensor *means = tg_reduced((ReduceArgs){.kind = TG_SUM, .x = x, .finish = TG_FINISH_DIVIDE, .divisor = count},
                               &v->over, t_float64);
    if (!means || (mean && !(*mean = t_to(means, x->dtype)))) return NULL;
    return tg_reduced((ReduceArgs){.kind = TG_SUM_OF_SQUARES,
                                   .x = x,
                                   .finish = is_std ? TG_FINISH_DIVIDE_ROOT : TG_FINISH_DIVIDE,
                                   .divisor = divisor > 0 ? divisor : 0,
                                   .center = means},
                      &v->over, x->dtype);
}

static Tensor *var_and_mean(Tensor *x, const Variance *v, const VarianceKind *kind, Tensor **mean) {
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *mean_result = NULL, *y = compute(x, v, kind->is_std, mean ? &mean_result : NULL);
    t_set_grad_enabled(grad_enabled);
    y = tg_record(&kind->op, y, INPUTS(x), SAVED(x, kind->is_std ? y : NULL), v, sizeof *v);
    if (!mean) return y;
    mean_result = tg_record(&kind->mean_op, mean_result, INPUTS(x), NONE, v, sizeof *v);
    if (y && mean_result) *mean = mean_result;
    return mean_result ? y : NULL;
}

static Tensor *variance(Tensor *x, const int64_t *dims, int count, double correction, bool keepdim,
                        const VarianceKind *kind, Tensor **mean) {
    Variance v = {.correction = correction};
    Tensor *mean_result = NULL;
    if (!tg_check_any(x, 1) || !tg_reduction(x, dims, count, keepdim, &v.over)) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_fail("%s only support floating point and complex dtypes", kind->name);
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(var_and_mean(x, &v, kind, mean ? &mean_result : NULL)) : NULL;
    if (y && mean) *mean = t_keep_object(mean_result);
    t_scope_close(depth);
    return y;
}

/* x.var(dim, correction, keepdim): sum((x - mean)^2) / (count - correction), floating only.
 * dx = dy 2 (x - mean) / (count - correction). Errors: a dim out of range or twice, integer dtype. */
Tensor *t_var(Tensor *x, const int64_t *dim, int count, double correction, bool keepdim) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_var(tg_widened(x), dim, count, correction, keepdim), x->dtype);
    return variance(x, dim, count, correction, keepdim, &var_kind, NULL);
}

/* x.std(...): the square root of var. dx = dy / (2 std) times the gradient of var, 0 where std is 0. */
Tensor *t_std(Tensor *x, const int64_t *dim, int count, double correction, bool keepdim) {
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_std(tg_widened(x), dim, count, correction, keepdim), x->dtype);
    return variance(x, dim, count, correction, keepdim, &std_kind, NULL);
}

/* torch.var_mean(x, dim, correction, keepdim): var, with the mean in *mean; its gradient is that of mean. */
Tensor *t_var_mean(Tensor *x, const int64_t *dim, int count, double correction, bool keepdim, Tensor **mean) {
    tg_clear_output(mean);
    TG_COMPOSITE("var_mean");
    if (tg_is_narrow_tensor(x)) {
        Tensor *wide_mean = NULL,
               *y = t_var_mean(tg_widened(x), dim, count, correction, keepdim, mean ? &wide_mean : NULL);
        if (y && mean) *mean = tg_narrowed(wide_mean, x->dtype);
        return tg_narrowed(y, x->dtype);
    }
    return variance(x, dim, count, correction, keepdim, &var_mean_kind, mean);
}

/* torch.std_mean(x, dim, correction, keepdim): std, with the mean in *mean. */
Tensor *t_std_mean(Tensor *x, const int64_t *dim, int count, double correction, bool keepdim, Tensor **mean) {
    tg_clear_output(mean);
    TG_COMPOSITE("std_mean");
    if (tg_is_narrow_tensor(x)) {
        Tensor *wide_mean = NULL,
               *y = t_std_mean(tg_widened(x), dim, count, correction, keepdim, mean ? &wide_mean : NULL);
        if (y && mean) *mean = tg_narrowed(wide_mean, x->dtype);
        return tg_narrowed(y, x->dtype);
    }
    return variance(x, dim, count, correction, keepdim, &std_mean_kind, mean);
}
