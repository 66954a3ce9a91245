/* core/ops/softmax.c: softmax, log_softmax and logsumexp. */
#include "core/kernels/norm/softmax.h"
#include "core/ops/reduce_internal.h"

/* ---- the kernel's operands ----
 * For the kernel a tensor is (outer, n, inner), contiguous. If inner is shorter than a vector, dim is moved to the
 * end. */

static Tensor *as_contiguous(Tensor *x) {
    return tg_is_contiguous(x) ? x : t_contiguous(t_detach(x));
}

/* Forward, if y is NULL: softmax(x), or its logarithm. Backward: y is that result, x is dy, and dx is returned. */
static Tensor *run_softmax(Tensor *x, Tensor *y, int dim, bool logarithm) {
    const bool backward = y != NULL;
    tg_Softmax job =
        {.f64 = x->dtype == t_float64, .logarithm = logarithm, .backward = backward, .outer = 1, .n = 1, .inner = 1};
    if (x->ndim) {
        job.outer = tg_shape_numel(x->shape, dim);
        job.n = x->shape[dim];
        job.inner = tg_shape_numel(x->shape + dim + 1, x->ndim - dim - 1);
    }
    if (job.inner > 1 && job.inner < TG_LEAST_COLUMNS) { /* along the last dim instead, and back */
        if (backward) y = t_transpose(y, dim, -1);
        Tensor *transposed = t_transpose(x, dim, -1);
        Tensor *out = transposed && (y || !backward) ? run_softmax(transposed, y, x->ndim - 1, logarithm) : NULL;
        return out ? t_contiguous(t_transpose(out, dim, -1)) : NULL;
    }
    Tensor *in = as_contiguous(x), *result = backward ? as_contiguous(y) : in,
           *out = in && result ? tg_empty(x->shape, x->ndim, x->dtype) : NULL;
    if (!out || tg_numel(out) == 0) return out;
    job.x = tg_data(in);
    job.y = tg_data(result);
    job.out = tg_data(out);
    tg_softmax(&job);
    return out;
}

/* The same in a scope of its own, not recorded. */
static Tensor *run_unrecorded(Tensor *x, Tensor *y, int64_t dim, bool logarithm) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *out = t_keep_object(run_softmax(x, y, (int)dim, logarithm));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return out;
}

static Tensor *recorded_softmax(Tensor *x, int64_t dim, bool logarithm, const Op *op) {
    Tensor *y = run_unrecorded(x, NULL, dim, logarithm);
    return y ? tg_record(op, y, INPUTS(x), SAVED(y), ATTRIBUTES(dim)) : NULL;
}

/* x is converted to dtype first, if one is given. */
static Tensor *softmax_along(const char *name, Tensor *x, int64_t dim, t_DType dtype, bool logarithm, const Op *op) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d) || !tg_check_dtype(dtype)) return NULL;
    if (!dtype) dtype = x->dtype;
    if (!tg_is_floating(dtype)) return tg_not_implemented(name, dtype);
    if (dtype == x->dtype) return recorded_softmax(x, d, logarithm, op);
    int depth = t_scope_open();
    Tensor *in = depth ? t_to(x, dtype) : NULL, *y = in ? recorded_softmax(in, d, logarithm, op) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- softmax ---- */

/* torch.softmax(x, dim, dtype): y_i = exp(x_i - max) / sum_j exp(x_j - max) along dim. x: (..., n, ...), floating,
 * or converted by dtype; y has the same shape. dx = y (dy - sum(dy y)). Errors: dim out of range, integer dtype. */
static void softmax_backward(Record *r, Tensor *dy, Tensor **dx) {
    int64_t dim = *(int64_t *)r->attributes;
    Tensor *y = tg_saved(r, 0);
    if (!y) return;
    dx[0] = t_is_grad_enabled() ? t_mul(y, t_sub(dy, t_sum(t_mul(dy, y), &dim, 1, true)))
                                : run_unrecorded(dy, y, dim, false);
}
static const Op softmax_op = {"softmax", "SoftmaxBackward0", softmax_backward};

Tensor *t_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    return softmax_along("softmax_lastdim_kernel_impl", x, dim, dtype, false, &softmax_op);
}

Tensor *t_softmax(Tensor *x, int64_t dim) {
    return t_softmax_as(x, dim, 0);
}

/* ---- log_softmax ---- */

/* torch.log_softmax(x, dim, dtype): y_i = x_i - max - log sum_j exp(x_j - max) along dim. x: (..., n, ...),
 * floating, or converted by dtype; y has the same shape. dx = dy - exp(y) sum(dy). Errors as for softmax. */
static void log_softmax_backward(Record *r, Tensor *dy, Tensor **dx) {
    int64_t dim = *(int64_t *)r->attributes;
    Tensor *y = tg_saved(r, 0);
    if (!y) return;
    dx[0] = t_is_grad_enabled() ? t_sub(dy, t_mul(t_exp(y), t_sum(dy, &dim, 1, true)))
                                : run_unrecorded(dy, y, dim, true);
}
static const Op log_softmax_op = {"log_softmax", "LogSoftmaxBackward0", log_softmax_backward};

Tensor *t_log_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    return softmax_along("log_softmax_lastdim_kernel_impl", x, dim, dtype, true, &log_softmax_op);
}

Tensor *t_log_softmax(Tensor *x, int64_t dim) {
    return t_log_softmax_as(x, dim, 0);
}

/* ---- logsumexp ---- */

/* torch.logsumexp(x, dims, keepdim): log(sum(exp(x))) over dims, with the maximum taken out of the sum to avoid
 * overflow and underflow; -inf for no elements. Integers and bools are converted to float32. dx = dy exp(x - y).
 * Errors: a dim out of range or twice. */
static void logsumexp_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Reduction *over = r->attributes;
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (!x || !y) return;
    Tensor *weights = t_exp(t_sub(x, tg_with_kept_dims(y, &r->edges[0], over)));
    dx[0] = t_mul(tg_with_kept_dims(dy, &r->edges[0], over), weights);
}
static const Op logsumexp_op = {"logsumexp", "LogsumexpBackward0", logsumexp_backward};

static Tensor *log_sum_exp(Tensor *x, const Reduction *over) {
    int64_t dims[T_MAX_DIMS], shape[T_MAX_DIMS];
    int count = tg_reduced_dims(over, x->ndim, dims);
    if (over->count == 0) return t_log(t_sum(x, dims, count, over->keepdim));
    Tensor *max = t_amax(x, dims, count, true);
    Tensor *offset = t_masked_fill(max, t_isinf(max), t_number(0));
    Tensor *sum = t_sum(t_exp(t_sub(x, offset)), dims, count, true), *y = t_add(t_log(sum), offset);
    return y ? t_reshape(y, shape, tg_reduced_shape(x, over, over->keepdim, shape)) : NULL;
}

Tensor *t_logsumexp(Tensor *x, const int64_t *dim, int count, bool keepdim) {
    Reduction over;
    if (!tg_check(x, 1) || !tg_reduction(x, dim, count, keepdim, &over)) return NULL;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *in = !depth ? NULL : tg_is_floating(x->dtype) ? x : t_to(x, t_float32);
    Tensor *y = in ? tg_detach_from_base(log_sum_exp(in, &over)) : NULL;
    t_set_grad_enabled(grad_enabled);
    y = tg_record(&logsumexp_op, y, INPUTS(x), SAVED(x, y), ATTRIBUTES(over));
    return tg_scope_return(depth, y);
}
