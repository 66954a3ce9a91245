/* nn/functional/pooling/pool3d.c: max, average and power-average pooling over three dims, over a sliding window and
 * adaptive, and max unpooling.
 *
 * Composed of ops, each in the plainest way: a maximum is a gather at its index, found by a loop; the mean of a window
 * is a sum of columns (volume.c); the mean of adaptive regions is a matrix product along each dim in turn. */
#include <inttypes.h>
#include <math.h>

#include "core/autograd/trace.h"
#include "core/ops/indexing/gather_internal.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/functional/convolution/volume_internal.h"
#include "nn/functional/pooling/pool_internal.h"

const F_Pool3dOptions F_Pool3dDefaults = {.size = sizeof(F_Pool3dOptions), .stride = {T_NONE, F_BOTH},
                                          .padding = {0, F_BOTH}, .dilation = {1, F_BOTH}, .count_include_pad = true,
                                          .divisor_override = T_NONE};

#define TRIPLE(sizes) (sizes)[0], (sizes)[1], (sizes)[2]
#define D64 "%" PRId64

/* ---- checks and output sizes ---- */

static bool read_options(const F_Pool3dOptions *options, F_Pool3dOptions *o, Volume *v) {
    *o = F_Pool3dDefaults;
    if (!options)
        return t_error() ? false : tg_fail("a pooling layer needs options: kernel_size has no default") != NULL;
    if (!tg_take_options(o, options, sizeof *o)) return false;
    *v = (Volume){.kernel = {0}};
    tg_triple(o->kernel_size, v->kernel);
    tg_triple(o->stride[0] == T_NONE ? o->kernel_size : o->stride, v->stride);
    tg_triple(o->padding, v->padding);
    tg_triple(o->dilation, v->dilation);
    return o->divisor_override != 0 || tg_fail("divisor must be not zero") != NULL;
}

static bool check_not_empty(const Tensor *x, const char *function) {
    for (int d = x->ndim - 4; d < x->ndim; d++)
        if (x->shape[d] == 0)
            return tg_fail("%s(): Expected input to have non-zero size for non-batch dimensions, but input has sizes "
                           "%s with dimension %d being empty",
                           function, tg_shape_of(x), d);
    return true;
}

static bool check_window(const Tensor *x, const char *function, bool ceil_mode, Volume *v) {
    if (x->ndim != 4 && x->ndim != 5) return tg_fail("non-empty 4D or 5D (batch mode) tensor expected for input");
    for (int d = 0; d < 3; d++) v->in[d] = x->shape[x->ndim - 3 + d];
    for (int d = 0; d < 3; d++)
        if (!tg_pool_positions(v->in[d], v->kernel[d], v->stride[d], v->padding[d], v->dilation[d], ceil_mode,
                               &v->out[d]))
            return false;
    if (!tg_all_at_least(v->kernel, 1))
        return tg_fail("kernel size should be greater than zero, but got kT: " D64 " kH: " D64 " kW: " D64,
                       TRIPLE(v->kernel));
    if (!tg_all_at_least(v->stride, 1))
        return tg_fail("stride should be greater than zero, but got dT: " D64 " dH: " D64 " dW: " D64,
                       TRIPLE(v->stride));
    if (!tg_all_at_least(v->dilation, 1))
        return tg_fail("dilation should be greater than zero, but got dilationT: " D64 " dilationH: " D64
                       " dilationW: " D64,
                       TRIPLE(v->dilation));
    return check_not_empty(x, function) && tg_normalize_volume(v);
}

static bool check_positive_output(const Tensor *x, const Volume *v) {
    const int64_t C = x->shape[x->ndim - 4];
    return tg_all_at_least(v->out, 1) ||
           tg_fail("Given input size: (" D64 "x" D64 "x" D64 "x" D64 "). Calculated output size: (" D64 "x" D64 "x" D64
                   "x" D64 "). Output size is too small",
                   C, TRIPLE(v->in), C, TRIPLE(v->out)) != NULL;
}

/* x's shape with other sizes of the last three dims. */
static Tensor *with_volume(Tensor *x, const Tensor *like, const int64_t sizes[3]) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < like->ndim; d++) shape[d] = d < like->ndim - 3 ? like->shape[d] : sizes[d - like->ndim + 3];
    return t_reshape(x, shape, like->ndim);
}

/* The last three dims as one. */
static Tensor *flat_volumes(Tensor *x) {
    return x ? t_flatten(x, -3, -1) : NULL;
}

/* ---- the maximum of a region of each output ---- */

/* Region p along dim d: the elements first[d][p], + step[d], ... before last[d][p]. */
typedef struct Regions {
    int64_t in[3], out[3], step[3];
    const int64_t *first[3], *last[3];
} Regions;

/* indices[p]: of the first maximum, or the last NaN, of region p. */
#define MAXIMA(name, T, is_greater)                                                                               \
    static void name(const Regions *r, const T *x, int64_t *indices) {                                            \
        for (int64_t p = 0; p < r->out[0] * r->out[1] * r->out[2]; p++) {                                         \
            const int64_t at[] = {p / (r->out[1] * r->out[2]), p / r->out[2] % r->out[1], p % r->out[2]};         \
            int64_t best = (r->first[0][at[0]] * r->in[1] + r->first[1][at[1]]) * r->in[2] + r->first[2][at[2]]; \
            for (int64_t d = r->first[0][at[0]]; d < r->last[0][at[0]]; d += r->step[0])                          \
                for (int64_t h = r->first[1][at[1]]; h < r->last[1][at[1]]; h += r->step[1])                      \
                    for (int64_t w = r->first[2][at[2]]; w < r->last[2][at[2]]; w += r->step[2]) {                \
                        const int64_t i = (d * r->in[1] + h) * r->in[2] + w;                                      \
                        if (is_greater) best = i;                                                                 \
                    }                                                                                             \
            indices[p] = best;                                                                                    \
        }                                                                                                         \
    }
MAXIMA(maxima_float32, float, x[i] > x[best] || isnan(x[i]))
MAXIMA(maxima_float64, double, x[i] > x[best] || isnan(x[i]))
MAXIMA(maxima_int64, int64_t, x[i] > x[best])

/* The indices of the maxima, with x's shape but for the last three dims. */
static Tensor *indices_of_maxima(Tensor *x, const Regions *r) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = d < x->ndim - 3 ? x->shape[d] : r->out[d - x->ndim + 3];
    Tensor *dense = t_contiguous(t_detach(x)), *indices = dense ? tg_empty(shape, x->ndim, t_int64) : NULL;
    if (!indices || tg_numel(indices) == 0) return indices;
    const int64_t volumes = tg_shape_numel(x->shape, x->ndim - 3), elements = tg_volume_of(r->in);
    for (int64_t i = 0; i < volumes; i++) {
        const char *from = (const char *)tg_data(dense) + (size_t)(i * elements) * tg_itemsize(x->dtype);
        int64_t *to = (int64_t *)tg_data(indices) + i * tg_volume_of(r->out);
        if (x->dtype == t_float32) maxima_float32(r, (const float *)from, to);
        else if (x->dtype == t_float64) maxima_float64(r, (const double *)from, to);
        else maxima_int64(r, (const int64_t *)from, to);
    }
    return indices;
}

/* Makes first and last of r, in the caller's scope; bounds[d] is where to write those of dim d, one after the other. */
static bool begin_regions(Regions *r, const int64_t in[3], const int64_t out[3], int64_t *bounds[3]) {
    const int64_t count = tg_size_mul(2, tg_size_add(tg_size_add(out[0], out[1]), out[2]));
    Tensor *all = tg_empty(&count, 1, t_int64);
    int64_t *at = all ? tg_data(all) : NULL;
    for (int d = 0; at && d < 3; d++) {
        r->in[d] = in[d];
        r->out[d] = out[d];
        r->step[d] = 1;
        bounds[d] = at;
        r->first[d] = at;
        r->last[d] = at + out[d];
        at += 2 * out[d];
    }
    return all != NULL;
}

/* In the caller's scope. */
static Tensor *max_over(Tensor *x, const Regions *r, Tensor **indices) {
    Tensor *at = indices_of_maxima(x, r);
    if (!at) return NULL;
    *indices = at;
    return with_volume(t_gather(flat_volumes(x), -1, flat_volumes(at)), x, r->out);
}

/* ---- F.max_pool3d ---- */

/* A dilated window may contain no element of x at all. (PyTorch then gives -inf, and an index outside of x.) */
static bool set_windows(const Volume *v, Regions *r, int64_t *const bounds[3]) {
    for (int d = 0; d < 3; d++) {
        r->step[d] = v->dilation[d];
        for (int64_t p = 0; p < v->out[d]; p++) {
            int64_t first = p * v->stride[d] - v->padding[d], last = first + tg_window_length(v, d);
            if (first < 0) first += (-first + v->dilation[d] - 1) / v->dilation[d] * v->dilation[d];
            if (last > v->in[d]) last = v->in[d];
            if (first >= last)
                return tg_fail("a window of " D64 " elements with dilation " D64 " contains none of the input's " D64
                               " elements",
                               v->kernel[d], v->dilation[d], v->in[d]);
            bounds[d][p] = first;
            bounds[d][v->out[d] + p] = last;
        }
    }
    return true;
}

static Tensor *keep_both(int depth, Tensor *y, Tensor *at, Tensor **indices) {
    if (indices) *indices = y ? t_keep_object(at) : NULL;
    return tg_scope_return(depth, y);
}

/* F.max_pool3d(x, kernel_size, stride, padding, dilation, ceil_mode, return_indices): F_max_pool2d over three dims;
 * *indices gets the flat index of each maximum in its volume of x. x: (N, C, D, H, W) or (C, D, H, W), any dtype but
 * bool. dx = dy at that element. */
Tensor *F_max_pool3d(Tensor *x, const F_Pool3dOptions *options) {
    TG_CLEAR_INDICES(options);
    TG_COMPOSITE("max_pool3d");
    TG_AUTOCAST_FLOAT32(x);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_max_pool3d(tg_widened(x), options), x->dtype);
    F_Pool3dOptions o;
    Volume v;
    if (!tg_check(x, 1) || !read_options(options, &o, &v) ||
        !check_window(x, "max_pool3d_with_indices_out_cpu_template", o.ceil_mode, &v) || !check_positive_output(x, &v))
        return NULL;
    if (x->dtype == t_bool) return tg_not_implemented("max_pool3d", t_bool);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Regions r;
    int64_t *bounds[3];
    Tensor *at = NULL;
    static const Op whole_op = {"max_pool3d", NULL, NULL};
    const VolumePool whole = {v, o.ceil_mode, true, T_NONE};
    const bool one = tg_trace_open();
    Tensor *y = begin_regions(&r, v.in, v.out, bounds) && set_windows(&v, &r, bounds) ? max_over(x, &r, &at) : NULL;
    y = tg_trace_close(one, &whole_op, y, INPUTS(x), ATTRIBUTES(whole));
    return keep_both(depth, y, at, o.indices);
}

/* ---- F.avg_pool3d ---- */

/* The divisor of each position, (out). */
static Tensor *divisors(const Volume *v, const F_Pool3dOptions *o, t_DType dtype) {
    const int64_t P = tg_volume_of(v->out);
    Tensor *counts = tg_empty(&P, 1, t_int64);
    for (int64_t p = 0; counts && p < P; p++) {
        const int64_t at[] = {p / (v->out[1] * v->out[2]), p / v->out[2] % v->out[1], p % v->out[2]};
        int64_t count = 1;
        for (int d = 0; d < 3; d++) {
            int64_t first = at[d] * v->stride[d] - v->padding[d], last = first + v->kernel[d];
            if (last > v->in[d] + v->padding[d]) last = v->in[d] + v->padding[d];
            if (!o->count_include_pad && first < 0) first = 0;
            if (!o->count_include_pad && last > v->in[d]) last = v->in[d];
            count *= last - first;
        }
        ((int64_t *)tg_data(counts))[p] = o->divisor_override != T_NONE ? o->divisor_override : count;
    }
    return counts ? t_to(counts, dtype) : NULL;
}

static Tensor *average(Tensor *x, const Volume *v, const F_Pool3dOptions *o) {
    const int64_t volumes = tg_shape_numel(x->shape, x->ndim - 3);
    const int64_t K = tg_volume_of(v->kernel), P = tg_volume_of(v->out);
    Tensor *each = t_reshape(x, (int64_t[]){volumes, 1, TRIPLE(v->in)}, 5);
    Tensor *columns = t_reshape(tg_vol2col(each, v), (int64_t[]){volumes, K, P}, 3);
    Tensor *sum = t_sum(columns, (int64_t[]){1}, 1, false), *count = sum ? divisors(v, o, x->dtype) : NULL;
    Tensor *y = !count                 ? NULL
                : x->dtype == t_int64 ? t_div_mode(sum, count, "trunc")
                                      : t_div(sum, count);
    return with_volume(y, x, v->out);
}

/* F.avg_pool3d(x, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override): F_avg_pool2d over
 * three dims. x: (N, C, D, H, W) or (C, D, H, W). */
Tensor *F_avg_pool3d(Tensor *x, const F_Pool3dOptions *options) {
    TG_COMPOSITE("avg_pool3d");
    TG_AUTOCAST_FLOAT32(x);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_avg_pool3d(tg_widened(x), options), x->dtype);
    F_Pool3dOptions o;
    Volume v;
    if (!tg_check(x, 1) || !read_options(options, &o, &v)) return NULL;
    for (int d = 0; d < 3; d++) v.dilation[d] = 1;
    if (!check_window(x, "avg_pool3d", o.ceil_mode, &v)) return NULL;
    for (int d = 0; d < 3; d++)
        if (v.out[d] < 1)
            return tg_fail("input image (T: " D64 " H: " D64 " W: " D64 ") smaller than kernel size (kT: " D64
                           " kH: " D64 " kW: " D64 ")",
                           TRIPLE(v.in), TRIPLE(v.kernel));
    if (x->dtype == t_bool) return tg_not_implemented("avg_pool3d_out_frame", t_bool);
    static const Op whole_op = {"avg_pool3d", NULL, NULL};
    const VolumePool whole = {v, o.ceil_mode, o.count_include_pad, o.divisor_override};
    int depth = t_scope_open();
    if (!depth) return NULL;
    const bool one = tg_trace_open();
    Tensor *y = average(x, &v, &o);
    return tg_scope_return(depth, tg_trace_close(one, &whole_op, y, INPUTS(x), ATTRIBUTES(whole)));
}

/* ---- F.adaptive_avg_pool3d, F.adaptive_max_pool3d ---- */

/* Sizes of T_NONE are x's own. */
static void adaptive_sizes(const Tensor *x, const int64_t *output_size, int64_t in[3], int64_t out[3]) {
    tg_triple(output_size, out);
    for (int d = 0; d < 3; d++) {
        in[d] = x->ndim >= 3 ? x->shape[x->ndim - 3 + d] : 1;
        if (out[d] == T_NONE) out[d] = in[d];
    }
}

/* Region p of P covers the elements from floor(p n / P) to ceil((p + 1) n / P) - 1. */
static int64_t region_first(int64_t p, int64_t n, int64_t P) {
    return p / P * n + p % P * n / P;
}
static int64_t region_last(int64_t p, int64_t n, int64_t P) {
    return ((p + 1) * n + P - 1) / P;
}

/* (in, out): what each element adds to the mean of each region. */
static Tensor *averaging_matrix(int64_t in, int64_t out, t_DType dtype) {
    const t_TensorOptions options = {.size = sizeof options, .dtype = t_float64};
    Tensor *a = t_zeros((int64_t[]){in, out}, 2, &options);
    for (int64_t p = 0; a && p < out; p++) {
        const int64_t first = region_first(p, in, out), last = region_last(p, in, out);
        for (int64_t i = first; i < last; i++) ((double *)tg_data(a))[i * out + p] = 1 / (double)(last - first);
    }
    return a ? t_to(a, dtype) : NULL;
}

static Tensor *adaptive_average(Tensor *x, const int64_t in[3], const int64_t out[3]) {
    for (int d = 0; x && d < 3; d++) {
        Tensor *a = averaging_matrix(in[d], out[d], x->dtype);
        x = a ? t_transpose(t_matmul(t_transpose(x, d - 3, -1), a), d - 3, -1) : NULL;
    }
    return x ? t_contiguous(x) : NULL;
}

/* F.adaptive_avg_pool3d(x, output_size): F_adaptive_avg_pool2d over three dims. x: (N, C, D, H, W) or (C, D, H, W),
 * floating. */
Tensor *F_adaptive_avg_pool3d(Tensor *x, const int64_t output_size[3]) {
    TG_COMPOSITE("adaptive_avg_pool3d");
    TG_AUTOCAST_FLOAT32(x);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_adaptive_avg_pool3d(tg_widened(x), output_size), x->dtype);
    int64_t in[3], out[3];
    if (!tg_check(x, 1)) return NULL;
    if (!output_size) return t_error() ? NULL : tg_fail("output_size is NULL where three sizes are expected");
    if (!tg_check_adaptive_dims(x, output_size, 3)) return NULL;
    adaptive_sizes(x, output_size, in, out);
    if (!tg_all_at_least(out, 0))
        return tg_fail("adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but received {"
                       D64 ", " D64 "," D64 "}",
                       TRIPLE(out));
    if (x->ndim != 4 && x->ndim != 5)
        return tg_fail("adaptive_avg_pool3d(): Expected 4D or 5D tensor, but got %s", tg_shape_of(x));
    if (!check_not_empty(x, "adaptive_avg_pool3d")) return NULL;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("adaptive_avg_pool3d_cpu", x->dtype);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y;
    static const Op whole_op = {"adaptive_avg_pool3d", NULL, NULL};
    const bool one = tg_trace_open();
    TG_WITHOUT_AUTOCAST(y, adaptive_average(x, in, out));
    return tg_scope_return(depth, tg_trace_close(one, &whole_op, y, INPUTS(x), NONE));
}

/* F.adaptive_max_pool3d(x, output_size, return_indices): F_adaptive_max_pool2d over three dims. x: (N, C, D, H, W) or
 * (C, D, H, W), floating. */
Tensor *F_adaptive_max_pool3d(Tensor *x, const int64_t output_size[3], Tensor **indices) {
    tg_clear_output(indices);
    TG_COMPOSITE("adaptive_max_pool3d");
    TG_AUTOCAST_FLOAT32(x);
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(F_adaptive_max_pool3d(tg_widened(x), output_size, indices), x->dtype);
    int64_t in[3], out[3], *bounds[3];
    if (!tg_check(x, 1)) return NULL;
    if (!output_size) return t_error() ? NULL : tg_fail("output_size is NULL where three sizes are expected");
    if (!tg_check_adaptive_dims(x, output_size, 3)) return NULL;
    adaptive_sizes(x, output_size, in, out);
    if (x->ndim != 4 && x->ndim != 5)
        return tg_fail("adaptive_max_pool3d(): Expected 4D or 5D tensor, but got: %s", tg_shape_of(x));
    if (!check_not_empty(x, "adaptive_max_pool3d")) return NULL;
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = d < x->ndim - 3 ? x->shape[d] : out[d - x->ndim + 3];
    for (int d = 0; d < 3; d++)
        if (out[d] < 0)
            return tg_fail("Trying to create tensor with negative dimension " D64 ": %s", out[d],
                           tg_shape_text(shape, x->ndim));
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("adaptive_max_pool3d_cpu", x->dtype);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Regions r;
    const bool begun = begin_regions(&r, in, out, bounds);
    for (int d = 0; begun && d < 3; d++)
        for (int64_t p = 0; p < out[d]; p++) {
            bounds[d][p] = region_first(p, in[d], out[d]);
            bounds[d][out[d] + p] = region_last(p, in[d], out[d]);
        }
    Tensor *at = NULL, *y = begun ? max_over(x, &r, &at) : NULL;
    return keep_both(depth, y, at, indices);
}

/* ---- F.lp_pool3d ---- */

/* (k avg(x^p))^(1/p), as lp_pool.c; only the kernel's size, the stride and ceil_mode are taken from the options. */
static Tensor *lp_pool(Tensor *x, double p, const F_Pool3dOptions *o) {
    int64_t kernel[3];
    tg_triple(o->kernel_size, kernel);
    if (isinf(p)) return p > 0 ? F_max_pool3d(t_abs(x), o) : t_neg(F_max_pool3d(t_neg(t_abs(x)), o));
    Tensor *mean = F_avg_pool3d(t_pow(x, t_number(p)), o);
    Tensor *positive = t_mul(t_sign(mean), t_relu(t_abs(mean)));
    return t_pow(t_mul(positive, t_number((double)tg_volume_of(kernel))), t_number(1 / p));
}

/* F.lp_pool3d(x, norm_type, kernel_size, stride, ceil_mode): F_lp_pool2d over three dims. */
Tensor *F_lp_pool3d(Tensor *x, double norm_type, const F_Pool3dOptions *options) {
    TG_COMPOSITE("lp_pool3d");
    if (tg_is_narrow_tensor(x)) return tg_narrowed(F_lp_pool3d(tg_widened(x), norm_type, options), x->dtype);
    F_Pool3dOptions given, o = F_Pool3dDefaults;
    Volume v;
    if (!tg_check(x, 1) || !read_options(options, &given, &v)) return NULL;
    if (norm_type == 0) return tg_fail("norm_type must be a non-zero value, but got %s", tg_number_text(norm_type));
    for (int d = 0; d < 3; d++) {
        o.kernel_size[d] = v.kernel[d];
        o.stride[d] = v.stride[d];
    }
    o.ceil_mode = given.ceil_mode;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, lp_pool(x, norm_type, &o)) : NULL;
}

/* ---- F.max_unpool3d ---- */

/* The size of the input of a max pooling that gave x: (n - 1) stride + kernel - 2 padding, or the given size, which may
 * differ from that by less than a stride. */
static bool unpooled_size(const Tensor *x, const Volume *v, const int64_t *given, int64_t size[3]) {
    int64_t wanted[3];
    const bool is_given = given && given[0] != T_NONE;
    if (is_given) tg_triple(given, wanted);
    for (int d = 0; d < 3; d++) {
        const int64_t n = x->ndim >= 3 ? x->shape[x->ndim - 3 + d] : 1;
        const int64_t end = tg_size_sub(v->kernel[d], tg_size_mul(2, v->padding[d]));
        size[d] = tg_size_add(tg_size_mul(n - 1, v->stride[d]), end);
        const int64_t least = tg_size_sub(size[d], v->stride[d]), most = tg_size_add(size[d], v->stride[d]);
        if (is_given && !(least < wanted[d] && wanted[d] < most))
            return tg_fail("invalid output_size \"(" D64 ", " D64 ", " D64 ")\" (dim %d must be between " D64
                           " and " D64 ")",
                           TRIPLE(wanted), d, least, most);
        if (is_given) size[d] = wanted[d];
        if (size[d] < 0)
            return tg_fail("max_unpooling: output_size must contain non-negative spatial dimensions, but got "
                           "output_size[%d]=" D64,
                           d, size[d]);
    }
    return true;
}

static bool check_unpool(const Tensor *x, Tensor *indices, const Volume *v, const int64_t size[3]) {
    int64_t bad;
    if (x->ndim != 4 && x->ndim != 5)
        return tg_fail("Input to max_unpooling3d should be a 4d or 5d Tensor, but got a tensor with %d dimensions.",
                       x->ndim);
    if (!tg_all_at_least(v->stride, 1))
        return tg_fail("strides should be greater than zero, but got stride: [" D64 ", " D64 ", " D64 "]",
                       TRIPLE(v->stride));
    if (indices->dtype != t_int64)
        return tg_fail("elements in indices should be type int64 but got: %s", tg_scalar_name(indices->dtype));
    if (!tg_same_shape(x, indices))
        return tg_fail("Expected shape of indices to be same as that of the input tensor (%s) but got indices tensor "
                       "with shape: %s",
                       tg_shape_of(x), tg_shape_of(indices));
    if (!check_not_empty(x, "max_unpooling3d_forward_out_cpu")) return false;
    if (!tg_is_floating(x->dtype)) return tg_not_implemented("max_unpool3d", x->dtype) != NULL;
    return !tg_find_bad_index(indices, tg_volume_of(size), NULL, &bad) ||
           tg_fail("Found an invalid max index: " D64 " (output volumes are of size " D64 "x" D64 "x" D64 ")", bad,
                   TRIPLE(size)) != NULL;
}

static Tensor *max_unpool(Tensor *x, Tensor *indices, const int64_t size[3]) {
    int64_t flat[T_MAX_DIMS];
    for (int d = 0; d < x->ndim - 3; d++) flat[d] = x->shape[d];
    flat[x->ndim - 3] = tg_volume_of(size);
    Tensor *zeros = t_zeros(flat, x->ndim - 2, &(t_TensorOptions){.size = sizeof(t_TensorOptions), .dtype = x->dtype});
    Tensor *y = zeros ? t_scatter(zeros, -1, flat_volumes(indices), flat_volumes(x)) : NULL;
    return with_volume(y, x, size);
}

/* F.max_unpool3d(x, indices, kernel_size, stride, padding, output_size): F_max_unpool2d over three dims. x: (N, C, D,
 * H, W) or (C, D, H, W), floating; output_size: {D', H', W'}, NULL or T_NONE for the default. */
Tensor *F_max_unpool3d(Tensor *x, Tensor *indices, const F_Pool3dOptions *options, const int64_t *output_size) {
    TG_AUTOCAST_FLOAT32(x);
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(F_max_unpool3d(tg_widened(x), tg_widened_optional(indices), options, output_size), x->dtype);
    F_Pool3dOptions o;
    Volume v;
    int64_t size[3];
    if (!tg_check_two(x, indices) || !read_options(options, &o, &v) || !unpooled_size(x, &v, output_size, size) ||
        !check_unpool(x, indices, &v, size))
        return NULL;
    int depth = t_scope_open();
    return depth ? tg_scope_return(depth, max_unpool(x, indices, size)) : NULL;
}
