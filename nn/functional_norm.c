/* nn/functional_norm.c: layer_norm and rms_norm, which normalise each row. */
#include "nn/functional_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "nn/functional.h"
#include "nn/functional_layers.h"

/* gcc's -O2 is shy of vectors. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

/* ---- loops over dense rows ----
 * A row is the n elements that are normalised together; stats holds its mean (0 for rms_norm) and 1 / sqrt(var + eps), as
 * doubles. */

typedef struct Norm {
    int64_t rows, n;
    bool centred; /* layer_norm; rms_norm takes 0 for the mean */
    double eps, *stats;
    const void *x, *weight, *bias, *dy;
    void *out;                /* y, or dx; NULL where dx is not wanted */
    double *dweight, *dbias;  /* NULL where not wanted */
} Norm;

/* y = (x - mean) / sqrt(var + eps) * weight + bias */
#define FORWARD(name, T)                                                                         \
    static void name(const Norm *norm) {                                                         \
        const int64_t n = norm->n;                                                               \
        const T *x = norm->x, *weight = norm->weight, *bias = norm->bias;                        \
        T *y = norm->out;                                                                        \
        for (int64_t row = 0; row < norm->rows; row++, x += n, y += n) {                         \
            SUM_OVER_ROW(sum, (double)x[j]);                                                     \
            const double mean = norm->centred ? sum / (double)n : 0;                             \
            SUM_OVER_ROW(squares, ((double)x[j] - mean) * ((double)x[j] - mean));                \
            const double scale = 1 / sqrt(squares / (double)n + norm->eps);                      \
            const T m = (T)mean, s = (T)scale;                                                   \
            TG_INDEPENDENT                                                                       \
            for (int64_t j = 0; j < n; j++) y[j] = (x[j] - m) * s * weight[j] + bias[j];         \
            norm->stats[2 * row] = mean;                                                         \
            norm->stats[2 * row + 1] = scale;                                                    \
        }                                                                                        \
    }
FORWARD(forward_float32, float)
FORWARD(forward_float64, double)

/* With z = (x - mean) scale and g = dy weight: dx = scale (g - mean(g) - z mean(g z)), dweight = sum over rows of dy z,
 * dbias = sum over rows of dy. */
#define Z(j) (((double)x[j] - mean) * scale)
#define G(j) ((double)dy[j] * (double)weight[j])
#define BACKWARD(name, T)                                                                        \
    static void name(const Norm *norm) {                                                         \
        const int64_t n = norm->n;                                                               \
        const T *x = norm->x, *dy = norm->dy, *weight = norm->weight;                            \
        double *dweight = norm->dweight, *dbias = norm->dbias;                                   \
        T *dx = norm->out;                                                                       \
        for (int64_t row = 0; row < norm->rows; row++, x += n, dy += n) {                        \
            const double mean = norm->stats[2 * row], scale = norm->stats[2 * row + 1];          \
            if (dx) {                                                                            \
                SUM_OVER_ROW(g, G(j));                                                           \
                SUM_OVER_ROW(gz, G(j) * Z(j));                                                   \
                const double a = norm->centred ? g / (double)n : 0, b = gz / (double)n;          \
                TG_INDEPENDENT                                                                   \
                for (int64_t j = 0; j < n; j++) dx[j] = (T)(scale * (G(j) - a - Z(j) * b));      \
                dx += n;                                                                         \
            }                                                                                    \
            if (dweight)                                                                         \
                for (int64_t j = 0; j < n; j++) dweight[j] += (double)dy[j] * Z(j);              \
            if (dbias)                                                                           \
                for (int64_t j = 0; j < n; j++) dbias[j] += (double)dy[j];                       \
        }                                                                                        \
    }
BACKWARD(backward_float32, float)
BACKWARD(backward_float64, double)

/* ---- around the loops ---- */

typedef struct Attributes {
    int dims; /* how many last dims are normalised */
    bool centred;
    double eps;
} Attributes;

static Norm sizes_of(const Tensor *x, const Attributes *a) {
    int outer = x->ndim - a->dims;
    return (Norm){.rows = tg_count(x->shape, outer), .n = tg_count(x->shape + outer, a->dims), .centred = a->centred,
                  .eps = a->eps};
}

/* ---- gradient ---- */

static void fused_backward(Record *r, Tensor *x, Tensor *weight, Tensor *stats, Tensor *dy, Tensor **dx) {
    Norm norm = sizes_of(x, r->attributes);
    norm.stats = tg_data(stats);
    norm.x = tg_dense(x);
    norm.dy = tg_dense(dy);
    norm.weight = tg_dense_or(weight, 1, norm.n, x->dtype);
    if (!norm.x || !norm.dy || !norm.weight) return;
    if (tg_needs(r, 0) && !(dx[0] = tg_empty(x->shape, x->ndim, x->dtype))) return;
    if (tg_needs(r, 1) && !(dx[1] = tg_wide_zeros(&r->edges[1]))) return;
    if (tg_needs(r, 2) && !(dx[2] = tg_wide_zeros(&r->edges[2]))) return;
    norm.out = dx[0] ? tg_data(dx[0]) : NULL;
    norm.dweight = dx[1] ? tg_data(dx[1]) : NULL;
    norm.dbias = dx[2] ? tg_data(dx[2]) : NULL;
    (x->dtype == t_float64 ? backward_float64 : backward_float32)(&norm);
}

/* The same in ops, for create_graph. */
static void composed_backward(Record *r, Tensor *x, Tensor *weight, Tensor *dy, Tensor **dx) {
    const Attributes *a = r->attributes;
    int64_t dims[T_MAX_DIMS];
    for (int i = 0; i < a->dims; i++) dims[i] = i - a->dims;
    Tensor *centred = a->centred ? t_sub(x, t_mean(x, dims, a->dims, true)) : x;
    Tensor *scale = t_rsqrt(t_add(t_mean(t_square(centred), dims, a->dims, true), t_number(a->eps)));
    Tensor *z = t_mul(centred, scale), *g = weight ? t_mul(dy, weight) : dy;
    Tensor *along_z = t_mul(z, t_mean(t_mul(g, z), dims, a->dims, true));
    if (a->centred) g = t_sub(g, t_mean(g, dims, a->dims, true));
    dx[0] = t_mul(scale, t_sub(g, along_z));
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, z);
    if (tg_needs(r, 2)) dx[2] = dy;
}

static void norm_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *weight = tg_saved(r, 1), *stats = tg_saved(r, 2);
    if (!x || !stats) return;
    if (t_is_grad_enabled()) composed_backward(r, x, weight, dy, dx);
    else fused_backward(r, x, weight, stats, dy, dx);
}
static const Op layer_norm_op = {"layer_norm", "NativeLayerNormBackward0", norm_backward};
static const Op rms_norm_op = {"rms_norm", "MulBackward0", norm_backward};

/* ---- F.layer_norm, F.rms_norm ---- */

static bool check_parameter(const Tensor *parameter, const char *name, const int64_t *shape, int n) {
    if (!parameter) return true;
    if (parameter->ndim == n && memcmp(parameter->shape, shape, (size_t)n * sizeof *shape) == 0) return true;
    return tg_fail("Expected %s to be of same shape as normalized_shape, but got %s of shape %s and normalized_shape = "
                   "%s", name, name, tg_shape_text(parameter->shape, parameter->ndim), tg_shape_text(shape, n));
}

static bool check_dtypes(const Tensor *x, const Tensor *weight, const Tensor *bias) {
    const Tensor *first = weight ? weight : bias;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("LayerNormKernelImpl", x->dtype);
    if (first && first->dtype != x->dtype)
        return x->dtype == t_float32 ? tg_fail("mixed dtype (CPU): expect parameter to have scalar type of Float")
                                     : tg_fail("mixed dtype (CPU): all inputs must share same datatype.");
    if (!bias || bias->dtype == x->dtype) return true;
    return tg_fail("expected scalar type %s but found %s", tg_scalar_name(x->dtype), tg_scalar_name(bias->dtype));
}

/* PyTorch leaves out a comma for rms_norm. */
static bool check_sizes(const Tensor *x, const int64_t *shape, int n, const char *comma) {
    if (n > 0 && !shape) return t_error() ? false : tg_fail("argument 2 is NULL where a shape is expected") != NULL;
    if (n < 1)
        return tg_fail("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, "
                       "but got normalized_shape = []");
    if (x->ndim >= n && memcmp(x->shape + x->ndim - n, shape, (size_t)n * sizeof *shape) == 0) return true;
    const char *wanted = tg_shape_text(shape, n > T_MAX_DIMS ? T_MAX_DIMS : n);
    return tg_fail("Given normalized_shape=%s, expected input with shape [*%s%s, but got input of size%s", wanted,
                   comma, wanted + 1, tg_shape_text(x->shape, x->ndim));
}

static Tensor *forward(Tensor *x, Tensor *weight, Tensor *bias, const Attributes *a) {
    Norm norm = sizes_of(x, a);
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    Tensor *stats = y ? tg_empty((int64_t[]){norm.rows, 2}, 2, t_float64) : NULL;
    if (!stats) return NULL;
    norm.out = tg_data(y);
    norm.stats = tg_data(stats);
    norm.x = tg_dense(x);
    norm.weight = tg_dense_or(weight, 1, norm.n, x->dtype);
    norm.bias = tg_dense_or(bias, 0, norm.n, x->dtype);
    if (!norm.x || !norm.weight || !norm.bias) return NULL;
    (x->dtype == t_float64 ? forward_float64 : forward_float32)(&norm);
    return tg_record(a->centred ? &layer_norm_op : &rms_norm_op, y, INPUTS(x, weight, bias), SAVED(x, weight, stats),
                     ATTRIBUTES(*a));
}

/* F.layer_norm(x, normalized_shape, weight, bias, eps): y = (x - mean) / sqrt(var + eps) * weight + bias, where the
 * mean and the (biased) variance are taken over the last n dims, which normalized_shape repeats.
 * x: (..., normalized_shape), floating; weight, bias: normalized_shape, either may be NULL; returns x's shape.
 * Gradients above. Errors: sizes that do not end in normalized_shape, parameters of another shape or dtype. */
Tensor *F_layer_norm(Tensor *x, const int64_t *normalized_shape, int n, Tensor *weight, Tensor *bias, double eps) {
    if (!tg_check(x, 1) || !check_sizes(x, normalized_shape, n, ", ")) return NULL;
    if (!tg_check_optional(weight, 3) || !check_parameter(weight, "weight", normalized_shape, n)) return NULL;
    if (!tg_check_optional(bias, 4) || !check_parameter(bias, "bias", normalized_shape, n)) return NULL;
    if (!check_dtypes(x, weight, bias)) return NULL;
    Attributes attributes = {n, true, eps};
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(forward(x, weight, bias, &attributes));
    t_scope_close(depth);
    return y;
}

static Tensor *rms_norm(Tensor *x, Tensor *weight, const Attributes *a) {
    if (!weight || weight->dtype == x->dtype) return forward(x, weight, NULL, a);
    return t_to(t_mul(forward(x, NULL, NULL, a), weight), x->dtype);
}

/* F.rms_norm(x, normalized_shape, weight, eps): y = x / sqrt(mean(x^2) + eps) * weight over the last n dims; an eps of NAN is
 * Python's None, the smallest number that makes a difference to 1 in x's dtype.
 * Shapes, gradients and errors as for F_layer_norm; a weight of another dtype is promoted to, and y comes back in x's. */
Tensor *F_rms_norm(Tensor *x, const int64_t *normalized_shape, int n, Tensor *weight, double eps) {
    if (!tg_check(x, 1) || !check_sizes(x, normalized_shape, n, "")) return NULL;
    if (!tg_check_optional(weight, 3) || !check_parameter(weight, "weight", normalized_shape, n)) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("rms_norm", x->dtype);
    Attributes attributes = {n, false, isnan(eps) ? (x->dtype == t_float32 ? FLT_EPSILON : DBL_EPSILON) : eps};
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(rms_norm(x, weight, &attributes));
    t_scope_close(depth);
    return y;
}

/* ---- what the norms share ---- */

const void *tg_dense(Tensor *x) {
    Tensor *y = !x || tg_is_contiguous(x) ? x : t_contiguous(t_detach(x));
    return y ? tg_data(y) : NULL;
}

const void *tg_dense_or(Tensor *parameter, double otherwise, int64_t n, t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return tg_dense(parameter ? parameter : t_full(&n, 1, otherwise, &options));
}

Tensor *tg_wide_zeros(const Edge *edge) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_float64};
    return t_zeros(edge->shape, edge->ndim, &options);
}
