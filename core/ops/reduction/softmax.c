/* core/ops/reduction/softmax.c: softmax, log_softmax and logsumexp. */
#include "core/kernels/norm/softmax.h"
#include "core/ops/reduction/reduce_internal.h"

/* ---- the kernel (core/kernels/norm/softmax.c) ----
 * It reads and writes contiguous tensors of shape (outer, n, inner). If inner is shorter than a vector, dim is moved to
 * the end. */

static Tensor *as_contiguous(Tensor *x) {
    return tg_is_contiguous(x) ? x : t_contiguous(t_detach(x));
}

/* job: forward or backward, softmax or its logarithm. Forward: the result for x. Backward: dx, where x is dy and y the
 * result of the forward. */
static Tensor *run_kernel(tg_Softmax job, Tensor *x, Tensor *y, int dim) {
    job.f64 = x->dtype == t_float64;
    job.outer = x->ndim ? tg_shape_numel(x->shape, dim) : 1;
    job.n = x->ndim ? x->shape[dim] : 1;
    job.inner = x->ndim ? tg_shape_numel(x->shape + dim + 1, x->ndim - dim - 1) : 1;
    if (job.inner > 1 && job.inner < TG_SOFTMAX_COLUMNS) {
        x = t_transpose(x, dim, -1);
        y = job.backward ? t_transpose(y, dim, -1) : NULL;
        Tensor *out = x && (y || !job.backward) ? run_kernel(job, x, y, x->ndim - 1) : NULL;
        return out ? t_contiguous(t_transpose(out, dim, -1)) : NULL;
    }
    Tensor *in = as_contiguous(x), *result = job.backward ? as_contiguous(y) : NULL;
    if (!in || (job.backward && !result)) return NULL;
    Tensor *out = tg_empty(x->shape, x->ndim, x->dtype);
    if (!out || tg_numel(out) == 0) return out;
    job.x = tg_data(in);
    job.y = result ? tg_data(result) : NULL;
    job.out = tg_data(out);
    tg_softmax(&job);
    return out;
}

/* Without recording, and temporary tensors are released. */
static Tensor *run_unrecorded(tg_Softmax job, Tensor *x, Tensor *y, int64_t dim) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *in = tg_is_narrow(x->dtype) ? tg_widened(x) : x, *out = in ? run_kernel(job, in, y, (int)dim) : NULL;
    if (in != x) out = tg_narrowed(out, x->dtype);
    t_set_grad_enabled(grad_enabled);
    return tg_scope_return(depth, out);
}

static Tensor *fused_backward(Tensor *dy, Tensor *y, int64_t dim, bool logarithm) {
    return run_unrecorded((tg_Softmax){.logarithm = logarithm, .backward = true}, dy, y, dim);
}

static Tensor *recorded_softmax(Tensor *x, int64_t dim, bool logarithm, const Op *op) {
    Tensor *y = run_unrecorded((tg_Softmax){.logarithm = logarithm}, x, NULL, dim);
    return y ? tg_record(op, y, INPUTS(x), SAVED(y), ATTRIBUTES(dim)) : NULL;
}

/* x is converted to dtype first, if one is given. */
static Tensor *softmax_along(const char *name, Tensor *x, int64_t dim, t_DType dtype, bool logarithm, const Op *op) {
    int d;
    if (!tg_check_any(x, 1) || !tg_wrap_dim(dim, x->ndim, &d) || !tg_check_dtype(dtype)) return NULL;
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
                                : fused_backward(dy, y, dim, false);
}
static const Op softmax_op = {"softmax", "SoftmaxBackward0", softmax_backward};

Tensor *t_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    TG_COMPOSITE("softmax");
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
                                : fused_backward(dy, y, dim, true);
}
static const Op log_softmax_op = {"log_softmax", "LogSoftmaxBackward0", log_softmax_backward};

Tensor *t_log_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    TG_COMPOSITE("log_softmax");
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
    TG_COMPOSITE("logsumexp");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_logsumexp(tg_widened(x), dim, count, keepdim), x->dtype);
    Reduction over;
    if (!tg_check_any(x, 1) || !tg_reduction(x, dim, count, keepdim, &over)) return NULL;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *in = !depth ? NULL : tg_is_floating(x->dtype) ? x : t_to(x, tg_default_dtype());
    Tensor *y = in ? tg_detach_from_base(log_sum_exp(in, &over)) : NULL;
    t_set_grad_enabled(grad_enabled);
    y = tg_record(&logsumexp_op, y, INPUTS(x), SAVED(x, y), ATTRIBUTES(over));
    return tg_scope_return(depth, y);
}
