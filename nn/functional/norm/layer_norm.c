/* nn/functional/norm/layer_norm.c: layer_norm and rms_norm, and helpers that all norms share. */
#include "nn/functional/norm/norm_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/kernels/norm/layer_norm.h"

static tg_LayerNorm norm_job(const Tensor *x, const RowNorm *a) {
    int outer = x->ndim - a->dims;
    return (tg_LayerNorm){.in = {.f64 = x->dtype == t_float64}, .rows = tg_shape_numel(x->shape, outer), .groups = 1,
                     .n = tg_shape_numel(x->shape + outer, a->dims), .centred = a->centred, .eps = a->eps};
}

/* ---- gradient ---- */

static void fused_row_norm_backward(Record *r, Tensor *x, Tensor *weight, Tensor *stats, Tensor *dy, Tensor **dx) {
    tg_LayerNorm job = norm_job(x, r->attributes);
    /* the gradient that x has from other ops so far (a residual connection), to which this one adds */
    Tensor *accumulated = tg_accumulated_gradient(r, 0);
    job.accumulate = accumulated && accumulated->dtype == x->dtype && tg_is_contiguous(accumulated);
    Tensor *to = job.accumulate ? accumulated : tg_empty(x->shape, x->ndim, x->dtype);
    Tensor *workspace = to ? tg_empty((int64_t[]){tg_layer_norm_workspace(&job)}, 1, x->dtype) : NULL;
    if (!workspace) return;
    job.stats = tg_data(stats);
    job.in.x = tg_dense(x);
    job.dy = tg_dense(dy);
    job.weight = tg_dense_or(weight, 1, job.n, x->dtype);
    if (!job.in.x || !job.dy || !job.weight) return;
    for (int i = 1; i < 3; i++)
        if (tg_needs(r, i) && !(dx[i] = tg_empty(r->edges[i].shape, r->edges[i].ndim, x->dtype))) return;
    job.dx = tg_data(to);
    job.workspace = tg_data(workspace);
    job.dweight = dx[1] ? tg_data(dx[1]) : NULL;
    job.dbias = dx[2] ? tg_data(dx[2]) : NULL;
    tg_layer_norm_backward(&job);
    dx[0] = job.accumulate ? NULL : to;
}

/* The same composed of ops, for create_graph. */
Tensor *tg_norm_gradient(Tensor *x, Tensor *weight, int dims, bool centred, double eps, Tensor *dy, Tensor **z) {
    int64_t last[T_MAX_DIMS];
    for (int i = 0; i < dims; i++) last[i] = i - dims;
    Tensor *centred_x = centred ? t_sub(x, t_mean(x, last, dims, true)) : x;
    Tensor *scale = t_rsqrt(t_add(t_mean(t_square(centred_x), last, dims, true), t_number(eps)));
    Tensor *g = weight ? t_mul(dy, weight) : dy;
    *z = t_mul(centred_x, scale);
    Tensor *projection = t_mul(*z, t_mean(t_mul(g, *z), last, dims, true));
    if (centred) g = t_sub(g, t_mean(g, last, dims, true));
    return t_mul(scale, t_sub(g, projection));
}

static void composed_row_norm_backward(Record *r, Tensor *x, Tensor *weight, Tensor *dy, Tensor **dx) {
    const RowNorm *a = r->attributes;
    Tensor *z;
    dx[0] = tg_norm_gradient(x, weight, a->dims, a->centred, a->eps, dy, &z);
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, z);
    if (tg_needs(r, 2)) dx[2] = dy;
}

static void row_norm_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *weight = tg_saved(r, 1), *stats = tg_saved(r, 2);
    if (!x || !stats) return;
    if (t_is_grad_enabled()) composed_row_norm_backward(r, x, weight, dy, dx);
    else fused_row_norm_backward(r, x, weight, stats, dy, dx);
}
static const Op layer_norm_op = {"layer_norm", "NativeLayerNormBackward0", row_norm_backward};
static const Op rms_norm_op = {"rms_norm", "MulBackward0", row_norm_backward};

Tensor *tg_record_layer_norm(Tensor *y, Tensor *x, Tensor *weight, Tensor *bias, Tensor *stats, double eps) {
    const RowNorm attributes = {1, true, eps};
    return tg_record(&layer_norm_op, y, INPUTS(x, weight, bias), SAVED(x, weight, stats), ATTRIBUTES(attributes));
}

/* ---- F.layer_norm, F.rms_norm ---- */

static bool check_parameter(const Tensor *parameter, const char *name, const int64_t *shape, int n) {
    if (!parameter) return true;
    if (parameter->ndim == n && memcmp(parameter->shape, shape, (size_t)n * sizeof *shape) == 0) return true;
    return tg_fail("Expected %s to be of same shape as normalized_shape, but got %s of shape %s and normalized_shape = "
                   "%s", name, name, tg_shape_of(parameter), tg_shape_text(shape, n));
}

static bool check_parameter_dtypes(const Tensor *x, const Tensor *weight, const Tensor *bias) {
    const Tensor *first = weight ? weight : bias;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("LayerNormKernelImpl", x->dtype);
    if (first && first->dtype != x->dtype)
        return x->dtype == t_float32 ? tg_fail("mixed dtype (CPU): expect parameter to have scalar type of Float")
                                     : tg_fail("mixed dtype (CPU): all inputs must share same datatype.");
    if (!bias || bias->dtype == x->dtype) return true;
    return tg_fail("expected scalar type %s but found %s", tg_scalar_name(x->dtype), tg_scalar_name(bias->dtype));
}

/* comma: PyTorch's message for rms_norm has none. */
static bool check_normalized_shape(const Tensor *x, const int64_t *shape, int n, const char *comma) {
    if (n > 0 && !shape) return t_error() ? false : tg_fail("argument 2 is NULL where a shape is expected") != NULL;
    if (n < 1)
        return tg_fail("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
                       "but got normalized_shape = []");
    if (x->ndim >= n && memcmp(x->shape + x->ndim - n, shape, (size_t)n * sizeof *shape) == 0) return true;
    const char *wanted = tg_shape_text(shape, n > T_MAX_DIMS ? T_MAX_DIMS : n);
    return tg_fail("Given normalized_shape=%s, expected input with shape [*%s%s, but got input of size%s", wanted,
                   comma, wanted + 1, tg_shape_of(x));
}

static Tensor *normalized(Tensor *x, Tensor *weight, Tensor *bias, const RowNorm *a) {
    tg_LayerNorm job = norm_job(x, a);
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    Tensor *stats = y ? tg_empty((int64_t[]){job.rows, 2}, 2, t_float64) : NULL;
    if (!stats) return NULL;
    job.out = tg_data(y);
    job.stats = tg_data(stats);
    job.in.x = tg_dense(x);
    job.weight = tg_dense_or(weight, 1, job.n, x->dtype);
    job.bias = tg_dense_or(bias, 0, job.n, x->dtype);
    if (!job.in.x || !job.weight || !job.bias) return NULL;
    tg_layer_norm(&job);
    return tg_record(a->centred ? &layer_norm_op : &rms_norm_op, y, INPUTS(x, weight, bias), SAVED(x, weight, stats),
                     ATTRIBUTES(*a));
}

/* F.layer_norm(x, normalized_shape, weight, bias, eps): y = (x - mean) / sqrt(var + eps) * weight + bias, where the
 * mean and the (biased) variance are taken over the last n dims, which normalized_shape repeats.
 * x: (..., normalized_shape), floating; weight, bias: normalized_shape, either may be NULL; returns x's shape.
 * Gradients above. Errors: sizes that do not end in normalized_shape, parameters of another shape or dtype. */
Tensor *F_layer_norm(Tensor *x, const int64_t *normalized_shape, int n, Tensor *weight, Tensor *bias, double eps) {
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(F_layer_norm(tg_widened(x), normalized_shape, n, tg_widened_optional(weight),
                                        tg_widened_optional(bias), eps),
                           x->dtype);
    if (!tg_check(x, 1) || !check_normalized_shape(x, normalized_shape, n, ", ")) return NULL;
    if (!tg_check_optional(weight, 3) || !check_parameter(weight, "weight", normalized_shape, n)) return NULL;
    if (!tg_check_optional(bias, 4) || !check_parameter(bias, "bias", normalized_shape, n)) return NULL;
    if (!check_parameter_dtypes(x, weight, bias)) return NULL;
    RowNorm attributes = {n, true, eps};
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = normalized(x, weight, bias, &attributes);
    return tg_scope_return(depth, y);
}

static Tensor *rms_norm(Tensor *x, Tensor *weight, const RowNorm *a) {
    if (!weight || weight->dtype == x->dtype) return normalized(x, weight, NULL, a);
    return t_to(t_mul(normalized(x, NULL, NULL, a), weight), x->dtype);
}

/* F.rms_norm(x, normalized_shape, weight, eps): y = x / sqrt(mean(x^2) + eps) * weight over the last n dims; an eps of
 * NAN is Python's None: the machine epsilon of x's dtype. Shapes, gradients and errors as for F_layer_norm; with a
 * weight of another dtype the product is computed in the promoted dtype and y converted back to x's. */
Tensor *F_rms_norm(Tensor *x, const int64_t *normalized_shape, int n, Tensor *weight, double eps) {
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(F_rms_norm(tg_widened(x), normalized_shape, n, tg_widened_optional(weight), eps), x->dtype);
    if (!tg_check(x, 1) || !check_normalized_shape(x, normalized_shape, n, "")) return NULL;
    if (!tg_check_any_optional(weight, 3) || !check_parameter(weight, "weight", normalized_shape, n)) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("rms_norm", x->dtype);
    RowNorm attributes = {n, false, isnan(eps) ? (x->dtype == t_float32 ? FLT_EPSILON : DBL_EPSILON) : eps};
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = rms_norm(x, weight, &attributes);
    return tg_scope_return(depth, y);
}

/* ---- shared helpers ---- */

const void *tg_dense(Tensor *x) {
    Tensor *y = !x || tg_is_contiguous(x) ? x : t_contiguous(t_detach(x));
    return y ? tg_data(y) : NULL;
}

const void *tg_dense_or(Tensor *parameter, double value, int64_t n, t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return tg_dense(parameter ? parameter : t_full(&n, 1, value, &options));
}

Tensor *tg_edge_zeros_f64(const Edge *edge) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_float64};
    return t_zeros(edge->shape, edge->ndim, &options);
}
