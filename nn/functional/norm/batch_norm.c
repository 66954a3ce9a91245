/* nn/functional/norm/batch_norm.c: batch_norm with running statistics, instance_norm, local_response_norm. */
#include "core/autograd/trace.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/norm/norm_internal.h"
#include "nn/functional/pooling/pooling.h"
#include "nn/functional/vision/vision.h"

/* ---- F.batch_norm ---- */

/* Element i of a vector of statistics, which may be float32 or float64. */
static double element(const Tensor *x, int64_t i) {
    const char *at = (const char *)tg_data(x) + i * x->strides[0] * (int64_t)tg_itemsize(x->dtype);
    return x->dtype == t_float64 ? *(const double *)at : (double)*(const float *)at;
}

/* x[i] = momentum value + (1 - momentum) x[i]. */
static void lerp_element(Tensor *x, int64_t i, double value, double momentum) {
    char *at = (char *)tg_data(x) + i * x->strides[0] * (int64_t)tg_itemsize(x->dtype);
    double updated = momentum * value + (1 - momentum) * element(x, i);
    if (x->dtype == t_float64) *(double *)at = updated;
    else *(float *)at = (float)updated;
}

static void load_stats(Tensor *stats, const Tensor *mean, const Tensor *var) {
    double *to = tg_data(stats);
    for (int64_t c = 0; c < stats->shape[0]; c++) {
        to[c * TG_STATS + TG_MEAN] = element(mean, c);
        to[c * TG_STATS + TG_VARIANCE] = element(var, c);
    }
}

/* running = (1 - momentum) running + momentum new, where the new variance is the unbiased one. */
static void update_running(Tensor *mean, Tensor *var, const Tensor *stats, const Channels *of, double momentum) {
    const double *from = tg_data(stats), n = (double)(of->N * of->L);
    if (!mean || n == 0) return;
    for (int64_t c = 0; c < of->C; c++) {
        lerp_element(mean, c, from[c * TG_STATS + TG_MEAN], momentum);
        lerp_element(var, c, from[c * TG_STATS + TG_VARIANCE] * n / (n - 1), momentum);
    }
    tg_bump_version(mean);
    tg_bump_version(var);
}

static bool check_vector_size(const Tensor *parameter, int64_t C, const char *name) {
    if (!parameter || (tg_numel(parameter) == C && parameter->ndim == 1)) return true;
    if (tg_numel(parameter) == C) return tg_fail("%s should be a vector, not %s", name, tg_shape_of(parameter));
    return tg_fail("%s should contain %lld elements not %lld", name, (long long)C, (long long)tg_numel(parameter));
}

static bool check_running(Tensor *running, const char *name, int64_t C, bool training) {
    if (!running) return training || tg_fail("%s must be defined in evaluation mode", name) != NULL;
    if (!check_vector_size(running, C, name)) return false;
    if (running->requires_grad)
        return tg_fail(
            "The function 'native_batch_norm' is not differentiable with respect to argument '%s'. This input cannot "
            "have requires_grad True.",
            name);
    return !training || tg_check_inplace(running);
}

/* The checks of F.batch_norm that instance_norm skips. */
static bool check_size_and_eps(const Tensor *x, bool training, double eps) {
    if (training && x->ndim && x->shape[0] * tg_shape_numel(x->shape + 2, x->ndim - 2) == 1)
        return tg_fail("Expected more than 1 value per channel when training, got input size torch.Size(%s)",
                       tg_shape_of(x));
    if (training && eps <= 0)
        return tg_fail("batch_norm eps must be positive during training, but got %s", tg_number_text(eps));
    return !(eps < 0) || tg_fail("batch_norm eps must be non-negative, but got %s", tg_number_text(eps)) != NULL;
}

static bool check_batch(const Tensor *x, Tensor *const p[4], bool training) {
    int64_t C = x->ndim < 2 ? 0 : x->shape[1];
    if (training && !p[0] != !p[1])
        return tg_fail("running_mean and running_var must either both be None or neither be None");
    if (!check_running(p[0], "running_mean", C, training) || !check_running(p[1], "running_var", C, training))
        return false;
    if (x->ndim < 2) return tg_fail("Expected at least 2 dimensions for input tensor but received %d", x->ndim);
    if (!check_vector_size(p[2], C, "weight") || !check_vector_size(p[3], C, "bias")) return false;
    return tg_check_norm_dtypes(x, p, 4, "batch_norm");
}

static const Op batch_norm_op = {"batch_norm", "NativeBatchNormBackward0", tg_channel_norm_backward};

/* An x without elements, of any shape and dtype. As in PyTorch the parameters are not checked further, and the running
 * statistics do not change. */
static Tensor *empty_batch_norm(Tensor *x, Tensor *weight, Tensor *bias) {
    Tensor *y = t_clone(x);
    if (weight) y = t_mul(y, t_select(weight, 0, 0));
    return bias ? t_add(y, t_select(bias, 0, 0)) : y;
}

static Tensor *batch_norm(Tensor *x, Tensor *const p[4], bool training, double momentum, double eps) {
    int depth = t_scope_open();
    if (!depth) return NULL;
    if (tg_numel(x) == 0) return tg_scope_return(depth, empty_batch_norm(x, p[2], p[3]));
    if (!check_batch(x, p, training)) return tg_scope_return(depth, NULL);
    Channels of = {x->shape[0], x->shape[1], tg_shape_numel(x->shape + 2, x->ndim - 2), 0, true, !training, eps};
    Tensor *stats = tg_zeros_f64(of.C, TG_STATS);
    if (stats && !training) load_stats(stats, p[0], p[1]);
    static const Op whole_op = {"batch_norm", NULL, NULL};
    const RunningNorm whole = {training, eps};
    const bool one = tg_trace_open();
    Tensor *y = stats ? tg_channel_norm(&batch_norm_op, x, p[2], p[3], stats, &of) : NULL;
    y = tg_trace_close(one, &whole_op, y, INPUTS(x, p[2], p[3], p[0], p[1]), ATTRIBUTES(whole));
    if (y && training) update_running(p[0], p[1], stats, &of, momentum);
    return tg_scope_return(depth, y);
}

/* Of a float16 or bfloat16 x, computed in float32; the running statistics are written, and rounded where they are
 * narrow, after everything that can fail. */
typedef struct NarrowNorm {
    Tensor *(*norm)(Tensor *x, Tensor *running_mean, Tensor *running_var, Tensor *weight, Tensor *bias, bool training,
                    double momentum, double eps);
    Tensor *x, **parameters;
    bool training;
    double momentum, eps;
} NarrowNorm;

static Tensor *narrow_norm(const NarrowNorm *n) {
    Tensor *wide[4];
    for (int i = 0; i < 4; i++) {
        wide[i] = tg_widened_optional(n->parameters[i]);
        if (i < 2 && n->training && wide[i] && wide[i] == n->parameters[i]) wide[i] = t_clone(wide[i]);
        if (n->parameters[i] && !wide[i]) return NULL;
    }
    Tensor *y = n->norm(tg_widened(n->x), wide[0], wide[1], wide[2], wide[3], n->training, n->momentum, n->eps);
    y = tg_narrowed(y, n->x->dtype);
    for (int i = 0; y && i < 2 && n->training; i++) {
        if (!wide[i]) continue;
        tg_overwrite(n->parameters[i], wide[i]);
    }
    return y;
}

/* F.batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps): y = (x - mean) / sqrt(var + eps) *
 * weight + bias for each channel. In training, mean and (biased) variance are the batch's, and the running statistics,
 * if given, are updated in place and outside the graph: running = (1 - momentum) running + momentum new, with the
 * unbiased variance. In evaluation the running statistics are used. x: (N, C, ...), floating; the others: (C), each may
 * be NULL (the running ones only in training). Gradients: group_norm.c. Errors: one value per channel in training, a
 * negative eps (in training also 0), parameters of another size or dtype, a running statistic that requires grad. An
 * empty x of any shape is copied, as in PyTorch. */
Tensor *F_batch_norm(Tensor *x, Tensor *running_mean, Tensor *running_var, Tensor *weight, Tensor *bias, bool training,
                     double momentum, double eps) {
    TG_COMPOSITE("batch_norm");
    Tensor *parameters[] = {running_mean, running_var, weight, bias};
    if (tg_is_narrow_tensor(x)) {
        NarrowNorm norm = {F_batch_norm, x, parameters, training, momentum, eps};
        return narrow_norm(&norm);
    }
    if (!tg_check(x, 1)) return NULL;
    for (int i = 0; i < 4; i++)
        if (!tg_check_optional(parameters[i], i + 2)) return NULL;
    return check_size_and_eps(x, training, eps) ? batch_norm(x, parameters, training, momentum, eps) : NULL;
}

/* ---- F.instance_norm ---- */

/* A parameter of C elements repeated for the N samples: the parameter of (1, N C, ...). */
static Tensor *repeat_parameter(Tensor *parameter, int64_t N) {
    return parameter ? t_repeat(parameter, &N, 1) : NULL;
}

/* running[i] = the mean over the samples of the (N C) statistics that batch_norm updated. Both or neither change. */
static bool average_running(Tensor *const running[2], Tensor *const tiled[2], int64_t N, int64_t C) {
    Tensor *mean[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        if (!running[i]) continue;
        Tensor *rows = t_reshape(tiled[i], (int64_t[]){N, C}, 2);
        mean[i] = t_mean(rows, (int64_t[]){0}, 1, false);
        if (!mean[i] || !check_running(running[i], i ? "running_var" : "running_mean", C, true)) return false;
    }
    for (int i = 0; i < 2; i++)
        if (mean[i]) tg_overwrite(running[i], mean[i]);
    return true;
}

static Tensor *instance_norm(Tensor *x, Tensor *const p[4], bool use_input_stats, double momentum, double eps) {
    int64_t N = x->shape[0], C = x->shape[1], shape[T_MAX_DIMS];
    Tensor *tiled[4];
    for (int d = 0; d < x->ndim; d++) shape[d] = d == 0 ? 1 : d == 1 ? N * C : x->shape[d];
    for (int i = 0; i < 4; i++)
        if (p[i] && !(tiled[i] = repeat_parameter(p[i], N))) return NULL;
        else if (!p[i]) tiled[i] = NULL;
    Tensor *flat = t_reshape(x, shape, x->ndim);
    Tensor *y = flat ? batch_norm(flat, tiled, use_input_stats, momentum, eps) : NULL;
    y = y ? t_reshape(y, x->shape, x->ndim) : NULL;
    return y && use_input_stats && !average_running(p, tiled, N, C) ? NULL : y;
}

/* F.instance_norm(x, running_mean, running_var, weight, bias, use_input_stats, momentum, eps): batch_norm of each
 * sample by itself, computed as batch_norm of x viewed as (1, N C, ...); the running statistics get the mean over the
 * samples. eps is not checked. x: (N, C, ...). Errors: one element per channel, and those of batch_norm. */
Tensor *F_instance_norm(Tensor *x, Tensor *running_mean, Tensor *running_var, Tensor *weight, Tensor *bias,
                        bool use_input_stats, double momentum, double eps) {
    TG_COMPOSITE("instance_norm");
    Tensor *parameters[] = {running_mean, running_var, weight, bias};
    if (tg_is_narrow_tensor(x)) {
        NarrowNorm norm = {F_instance_norm, x, parameters, use_input_stats, momentum, eps};
        return narrow_norm(&norm);
    }
    if (!tg_check(x, 1)) return NULL;
    for (int i = 0; i < 4; i++)
        if (!tg_check_optional(parameters[i], i + 2)) return NULL;
    if (use_input_stats && tg_shape_numel(x->shape + 2, x->ndim - 2) == 1)
        return tg_fail("Expected more than 1 spatial element when training, got input size torch.Size(%s)",
                       tg_shape_of(x));
    if (x->ndim < 2) return tg_fail("Expected at least 2 dimensions for input tensor but received %d", x->ndim);
    int depth = t_scope_open();
    static const Op whole_op = {"instance_norm", NULL, NULL};
    const RunningNorm whole = {use_input_stats, eps};
    const bool one = tg_trace_open();
    Tensor *y = depth ? instance_norm(x, parameters, use_input_stats, momentum, eps) : NULL;
    y = tg_trace_close(one, &whole_op, y, INPUTS(x, weight, bias, running_mean, running_var), ATTRIBUTES(whole));
    return tg_scope_return(depth, y);
}

/* ---- F.local_response_norm ---- */

/* The mean of x^2 over `size` neighbouring channels, where missing channels at both ends count as 0. */
static Tensor *mean_square_of_neighbours(Tensor *x, int64_t size) {
    F_PoolOptions window = F_PoolDefaults;
    int64_t rows[] = {x->shape[0], 1, x->shape[1], tg_shape_numel(x->shape + 2, x->ndim - 2)},
            pads[] = {0, 0, size / 2, tg_size_sub(size, 1) / 2};
    window.kernel_size[0] = size;
    window.kernel_size[1] = window.stride[0] = 1;
    Tensor *squares = t_reshape(t_mul(x, x), rows, 4),
           *padded = squares ? F_pad(squares, pads, 4, "constant", 0) : NULL;
    Tensor *means = padded ? F_avg_pool2d(padded, &window) : NULL;
    return means ? t_reshape(means, x->shape, x->ndim) : NULL;
}

/* F.local_response_norm(x, size, alpha, beta, k): y = x / (k + alpha m)^beta, where m is the mean of x^2 over size
 * neighbouring channels (Krizhevsky et al. 2012). x: (N, C, L, ...), floating; returns the same shape, x itself where
 * it is empty. Composed of ops. */
Tensor *F_local_response_norm(Tensor *x, int64_t size, double alpha, double beta, double k) {
    TG_COMPOSITE("local_response_norm");
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(F_local_response_norm(tg_widened(x), size, alpha, beta, k), x->dtype);
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim < 3) return tg_fail("Expected 3D or higher dimensionality input (got %d dimensions)", x->ndim);
    if (tg_numel(x) == 0) return x;
    int depth = t_scope_open();
    Tensor *means = depth ? mean_square_of_neighbours(x, size) : NULL;
    Tensor *divisor = means ? t_pow(t_add(t_mul(means, t_number(alpha)), t_number(k)), t_number(beta)) : NULL;
    Tensor *y = divisor ? t_div(x, divisor) : NULL;
    return tg_scope_return(depth, y);
}
