/* core/ops/reduction/amax.c: amax, amin, aminmax, all, any: minimum and maximum over any dims. */
#include "core/ops/reduction/reduce_internal.h"

/* ---- amax, amin ---- */

static void amax_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Reduction *over = r->attributes;
    int64_t dims[T_MAX_DIMS];
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (!x || !y) return;
    int count = tg_reduced_dims(over, x->ndim, dims);
    Tensor *ties = t_to(t_eq(x, tg_with_kept_dims(y, &r->edges[0], over)), x->dtype);
    Tensor *share = t_mul(tg_with_kept_dims(dy, &r->edges[0], over), ties);
    dx[0] = t_div(share, t_sum(ties, dims, count, true));
}
static const Op amax_op = {"amax", "AmaxBackward0", amax_backward};
static const Op amin_op = {"amin", "AminBackward0", amax_backward};

/* PyTorch's error for the first reduced dim of size 0, or for a full reduction of a tensor without elements. */
static bool check_elements(const Tensor *x, const int64_t *dims, int count, const char *name) {
    if (count == 0 && tg_numel(x) == 0)
        return tg_fail("%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                       "with the 'dim' argument.", name);
    for (int i = 0; i < count && x->ndim; i++)
        if (x->shape[dims[i] < 0 ? dims[i] + x->ndim : dims[i]] == 0)
            return tg_fail("%s(): Expected reduction dim %lld to have non-zero size.", name, (long long)dims[i]);
    return true;
}

static Tensor *amax_over(Tensor *x, const int64_t *dims, int count, bool keepdim, tg_ReduceKind kind, const Op *op) {
    Reduction r;
    if (!tg_check_any(x, 1) || !tg_reduction(x, dims, count, keepdim, &r) || !check_elements(x, dims, count, op->name))
        return NULL;
    Tensor *y = tg_reduced((ReduceArgs){.kind = kind, .x = x}, &r, x->dtype);
    return tg_record(op, y, INPUTS(x), SAVED(x, y), ATTRIBUTES(r));
}

/* x.amax(dim, keepdim): the maximum over dims, NaN if there is one; keeps the dtype, any is allowed. dx = dy divided
 * evenly among the elements that equal the maximum, 0 elsewhere. Errors: a reduced dim of size 0. */
Tensor *t_amax(Tensor *x, const int64_t *dim, int count, bool keepdim) {
    return amax_over(x, dim, count, keepdim, TG_MAX, &amax_op);
}

/* x.amin(dim, keepdim): the minimum, with the same rules. */
Tensor *t_amin(Tensor *x, const int64_t *dim, int count, bool keepdim) {
    return amax_over(x, dim, count, keepdim, TG_MIN, &amin_op);
}

static const Op aminmax_op = {"aminmax", "AminmaxBackward0", amax_backward};

/* torch.aminmax(x, dim, keepdim): the minimum along dim (of all elements for T_NONE), and the maximum in *max.
 * Gradients as for amin and amax. Errors: dim out of range, no elements. */
Tensor *t_aminmax(Tensor *x, int64_t dim, bool keepdim, Tensor **max) {
    tg_clear_output(max);
    TG_COMPOSITE("aminmax");
    int d;
    if (!tg_check_any(x, 1) || (dim != T_NONE && !tg_wrap_dim(dim, x->ndim, &d))) return NULL;
    if (dim == T_NONE && tg_numel(x) == 0)
        return tg_fail("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.");
    if (dim != T_NONE && x->ndim && x->shape[d] == 0)
        return tg_fail("aminmax: Expected reduction dim %d to have non-zero size.", d);
    int depth = t_scope_open();
    Tensor *maximum = depth ? amax_over(x, &dim, dim != T_NONE, keepdim, TG_MAX, &aminmax_op) : NULL;
    Tensor *y = maximum ? t_keep_object(amax_over(x, &dim, dim != T_NONE, keepdim, TG_MIN, &aminmax_op)) : NULL;
    if (y && max) *max = t_keep_object(maximum);
    t_scope_close(depth);
    return y;
}

/* ---- all, any ---- */

static Tensor *all_or_any(Tensor *x, const int64_t *dims, int count, bool keepdim, tg_ReduceKind kind) {
    Reduction r;
    if (!tg_check_any(x, 1) || !tg_reduction(x, dims, count, keepdim, &r)) return NULL;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *truth = depth ? t_to(x, t_bool) : NULL;
    Tensor *y = tg_reduced((ReduceArgs){.kind = kind, .x = truth}, &r, t_bool);
    y = t_keep_object(y && x->dtype == t_uint8 ? t_to(y, t_uint8) : y); /* as in PyTorch, which once had no bool */
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return y;
}

/* x.all(dim, keepdim): bool, true if every element over dims is nonzero (NaN is); true for no elements. Any dtype;
 * no gradient. */
Tensor *t_all(Tensor *x, const int64_t *dim, int count, bool keepdim) {
    return all_or_any(x, dim, count, keepdim, TG_MIN);
}

/* x.any(dim, keepdim): true if some element over dims is nonzero; false for no elements. */
Tensor *t_any(Tensor *x, const int64_t *dim, int count, bool keepdim) {
    return all_or_any(x, dim, count, keepdim, TG_MAX);
}
