/* nn/functional_channel_norm.c: group_norm, and what it shares with batch_norm: normalising channels. */
#include <math.h>

#include "nn/functional_layers.h"
#include "nn/functional_norm.h"

/* gcc's -O2 is shy of vectors. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

typedef struct Work {
    Channels of;
    double *stats;
    const void *x, *weight, *bias, *dy;
    void *out;               /* y, or dx; NULL where dx is not wanted */
    double *dweight, *dbias; /* NULL where not wanted */
    double *sums;            /* two for each set */
} Work;

static int64_t sets_of(const Channels *of) {
    return of->over_batch ? of->C : of->N * of->groups;
}

int64_t tg_set_size(const Channels *of) {
    return of->over_batch ? of->N * of->L : of->groups ? of->C / of->groups * of->L : 0;
}

static int64_t set_of(const Channels *of, int64_t sample, int64_t channel) {
    return of->over_batch ? channel : sample * of->groups + channel / (of->C / of->groups);
}

/* ---- loops over dense rows: one channel of one sample, its n elements side by side ---- */

#define EACH_ROW(work, sample, channel, set)                                                     \
    for (int64_t sample = 0; sample < (work)->of.N; sample++)                                    \
        for (int64_t channel = 0, set; channel < (work)->of.C && (set = set_of(&(work)->of, sample, channel), true); channel++)

/* Means and variances of all sets. */
#define MOMENTS(name, T)                                                                         \
    static void name(const Work *work) {                                                         \
        const int64_t n = work->of.L, sets = sets_of(&work->of);                                 \
        const double size = (double)tg_set_size(&work->of);                                      \
        double *stats = work->stats;                                                             \
        const T *x = work->x;                                                                    \
        EACH_ROW(work, sample, channel, set) {                                                   \
            SUM_OVER_ROW(sum, (double)x[j]);                                                     \
            stats[set * STATS + MEAN] += sum;                                                    \
            x += n;                                                                              \
        }                                                                                        \
        for (int64_t set = 0; set < sets; set++) stats[set * STATS + MEAN] /= size;              \
        x = work->x;                                                                             \
        EACH_ROW(work, sample, channel, set) {                                                   \
            const double mean = stats[set * STATS + MEAN];                                       \
            SUM_OVER_ROW(squares, ((double)x[j] - mean) * ((double)x[j] - mean));                \
            stats[set * STATS + VARIANCE] += squares;                                            \
            x += n;                                                                              \
        }                                                                                        \
        for (int64_t set = 0; set < sets; set++) stats[set * STATS + VARIANCE] /= size;          \
    }
MOMENTS(moments_float32, float)
MOMENTS(moments_float64, double)

/* y = (x - mean) / sqrt(var + eps) * weight + bias */
#define FORWARD(name, T)                                                                         \
    static void name(const Work *work) {                                                         \
        const int64_t n = work->of.L;                                                            \
        const T *x = work->x, *weight = work->weight, *bias = work->bias;                        \
        T *y = work->out;                                                                        \
        EACH_ROW(work, sample, channel, set) {                                                   \
            const double *stats = work->stats + set * STATS;                                     \
            const T mean = (T)stats[MEAN], scale = (T)(stats[SCALE] * (double)weight[channel]);  \
            const T offset = bias[channel];                                                      \
            TG_INDEPENDENT                                                                       \
            for (int64_t j = 0; j < n; j++) y[j] = (x[j] - mean) * scale + offset;               \
            x += n;                                                                              \
            y += n;                                                                              \
        }                                                                                        \
    }
FORWARD(forward_float32, float)
FORWARD(forward_float64, double)

/* With z = (x - mean) scale and g = dy weight, means over the set: dx = scale (g - mean(g) - z mean(g z)), where mean and
 * variance are fixed dx = scale g; dweight = sum of dy z over the channel, dbias = sum of dy. */
#define BACKWARD(name, T)                                                                        \
    static void name(const Work *work) {                                                         \
        const int64_t n = work->of.L;                                                            \
        const double size = (double)tg_set_size(&work->of);                                      \
        const T *x = work->x, *dy = work->dy, *weight = work->weight;                            \
        T *dx = work->out;                                                                       \
        EACH_ROW(work, sample, channel, set) {                                                   \
            const double *stats = work->stats + set * STATS, mean = stats[MEAN], scale = stats[SCALE]; \
            SUM_OVER_ROW(sum, (double)dy[j]);                                                    \
            SUM_OVER_ROW(along_z, (double)dy[j] * ((double)x[j] - mean));                        \
            along_z *= scale;                                                                    \
            if (work->dbias) work->dbias[channel] += sum;                                        \
            if (work->dweight) work->dweight[channel] += along_z;                                \
            work->sums[2 * set] += sum * (double)weight[channel];                                \
            work->sums[2 * set + 1] += along_z * (double)weight[channel];                        \
            x += n;                                                                              \
            dy += n;                                                                             \
        }                                                                                        \
        x = work->x;                                                                             \
        dy = work->dy;                                                                           \
        if (dx) EACH_ROW(work, sample, channel, set) {                                           \
            const double *stats = work->stats + set * STATS, mean = stats[MEAN], scale = stats[SCALE]; \
            const double w = (double)weight[channel];                                            \
            const double a = work->of.fixed ? 0 : work->sums[2 * set] / size;                    \
            const double b = work->of.fixed ? 0 : work->sums[2 * set + 1] / size * scale;        \
            TG_INDEPENDENT                                                                       \
            for (int64_t j = 0; j < n; j++)                                                      \
                dx[j] = (T)(scale * ((double)dy[j] * w - a - ((double)x[j] - mean) * b));        \
            x += n;                                                                              \
            dy += n;                                                                             \
            dx += n;                                                                             \
        }                                                                                        \
    }
BACKWARD(backward_float32, float)
BACKWARD(backward_float64, double)

/* ---- gradient ---- */

Tensor *tg_doubles(int64_t rows, int64_t columns) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_float64};
    return t_zeros((int64_t[]){rows, columns}, 2, &options);
}

static void fused_backward(Record *r, Tensor *x, Tensor *weight, Tensor *stats, Tensor *dy, Tensor **dx) {
    Work work = {.of = *(Channels *)r->attributes, .stats = tg_data(stats), .x = tg_dense(x), .dy = tg_dense(dy)};
    Tensor *sums = tg_doubles(sets_of(&work.of), 2);
    work.weight = tg_dense_or(weight, 1, work.of.C, x->dtype);
    if (!sums || !work.x || !work.dy || !work.weight) return;
    if (tg_needs(r, 0) && !(dx[0] = tg_empty(x->shape, x->ndim, x->dtype))) return;
    if (tg_needs(r, 1) && !(dx[1] = tg_wide_zeros(&r->edges[1]))) return;
    if (tg_needs(r, 2) && !(dx[2] = tg_wide_zeros(&r->edges[2]))) return;
    work.sums = tg_data(sums);
    work.out = dx[0] ? tg_data(dx[0]) : NULL;
    work.dweight = dx[1] ? tg_data(dx[1]) : NULL;
    work.dbias = dx[2] ? tg_data(dx[2]) : NULL;
    (x->dtype == t_float64 ? backward_float64 : backward_float32)(&work);
}

/* A column of the fixed statistics, one number for each channel, in x's dtype. */
static Tensor *column(Tensor *stats, int which, const Tensor *x) {
    return t_to(t_slice(stats, 1, which, which + 1, 1), x->dtype);
}

/* The same in ops, for create_graph. `sets` is x with what is normalised together along the dims that are listed. */
static void composed_backward(Record *r, Tensor *x, Tensor *weight, Tensor *stats, Tensor *dy, Tensor **dx) {
    const Channels *of = r->attributes;
    int64_t rows[] = {of->N, of->C, of->L}, groups[] = {of->N, of->groups, of->groups ? of->C / of->groups * of->L : 0};
    int64_t batch_dims[] = {0, 2}, group_dims[] = {2};
    const int64_t *sets = of->over_batch ? rows : groups, *dims = of->over_batch ? batch_dims : group_dims;
    int count = of->over_batch ? 2 : 1;
    Tensor *in = t_reshape(x, sets, 3), *out = t_reshape(dy, rows, 3);
    Tensor *g = t_reshape(weight ? t_mul(out, t_reshape(weight, (int64_t[]){of->C, 1}, 2)) : out, sets, 3);
    Tensor *centred = t_sub(in, of->fixed ? column(stats, MEAN, x) : t_mean(in, dims, count, true));
    Tensor *scale = of->fixed ? column(stats, SCALE, x)
                              : t_rsqrt(t_add(t_mean(t_square(centred), dims, count, true), t_number(of->eps)));
    Tensor *z = t_mul(centred, scale), *inner = g;
    if (!of->fixed)
        inner = t_sub(t_sub(g, t_mean(g, dims, count, true)), t_mul(z, t_mean(t_mul(g, z), dims, count, true)));
    dx[0] = t_reshape(t_mul(scale, inner), x->shape, x->ndim);
    if (tg_needs(r, 1)) dx[1] = t_sum(t_mul(out, t_reshape(z, rows, 3)), batch_dims, 2, false);
    if (tg_needs(r, 2)) dx[2] = t_sum(out, batch_dims, 2, false);
}

void tg_channel_norm_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *weight = tg_saved(r, 1), *stats = tg_saved(r, 2);
    if (!x || !stats) return;
    (t_is_grad_enabled() ? composed_backward : fused_backward)(r, x, weight, stats, dy, dx);
}

/* ---- forward ---- */

Tensor *tg_channel_norm(const Op *op, Tensor *x, Tensor *weight, Tensor *bias, Tensor *stats, const Channels *of) {
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    Work work = {.of = *of, .stats = tg_data(stats), .x = tg_dense(x), .weight = tg_dense_or(weight, 1, of->C, x->dtype),
                 .bias = tg_dense_or(bias, 0, of->C, x->dtype)};
    bool wide = x->dtype == t_float64;
    if (!y || !work.x || !work.weight || !work.bias) return NULL;
    if (!of->fixed) (wide ? moments_float64 : moments_float32)(&work);
    for (int64_t set = 0, sets = sets_of(of); set < sets; set++)
        work.stats[set * STATS + SCALE] = 1 / sqrt(work.stats[set * STATS + VARIANCE] + of->eps);
    work.out = tg_data(y);
    (wide ? forward_float64 : forward_float32)(&work);
    return tg_record(op, y, INPUTS(x, weight, bias), SAVED(x, weight, stats), ATTRIBUTES(*of));
}

bool tg_check_norm_dtypes(const Tensor *x, Tensor *const *parameters, int count, const char *name) {
    if (!tg_is_floating(x->dtype)) return tg_not_implemented(name, x->dtype) != NULL;
    for (int i = 0; i < count; i++)
        if (parameters[i] && parameters[i]->dtype != x->dtype)
            return x->dtype == t_float32 ? tg_fail("mixed dtype (CPU): expect parameter to have scalar type of Float")
                                         : tg_fail("mixed dtype (CPU): all inputs must share same datatype.");
    return true;
}

/* ---- F.group_norm ---- */

static bool check_vector(const Tensor *x, const Tensor *parameter, const char *name) {
    if (!parameter || (parameter->ndim == 1 && parameter->shape[0] == x->shape[1])) return true;
    return tg_fail("Expected %s to be a vector of size equal to the number of channels in input, but got %s of shape %s "
                   "and input of shape %s", name, name, tg_shape_text(parameter->shape, parameter->ndim),
                   tg_shape_text(x->shape, x->ndim));
}

static bool check_groups(const Tensor *x, int64_t num_groups) {
    if (x->ndim < 2) return tg_fail("Expected at least 2 dimensions for input tensor but received %d", x->ndim);
    if (num_groups <= 0)
        return tg_fail("Expected num groups to be greater than 0, got %lld", (long long)num_groups);
    if (x->shape[1] % num_groups)
        return tg_fail("Expected number of channels in input to be divisible by num_groups, but got input of shape %s and "
                       "num_groups=%lld", tg_shape_text(x->shape, x->ndim), (long long)num_groups);
    int64_t inner = tg_count(x->shape + 2, x->ndim - 2);
    if (inner == 0) return tg_fail("Expected HxW to be greater than 0, got 0");
    if (x->shape[0] * x->shape[1] / num_groups * inner == 1) /* as PyTorch counts it: the groups' channels of all samples */
        return tg_fail("Expected more than 1 value per channel when training, got input size %s",
                       tg_shape_text(x->shape, x->ndim));
    return true;
}

static const Op group_norm_op = {"group_norm", "NativeGroupNormBackward0", tg_channel_norm_backward};

/* F.group_norm(x, num_groups, weight, bias, eps): y = (x - mean) / sqrt(var + eps) * weight + bias, with mean and (biased)
 * variance over each of num_groups groups of neighbouring channels of each sample.
 * x: (N, C, ...), floating; weight, bias: (C), either may be NULL; returns x's shape. Gradients above.
 * Errors: C no multiple of num_groups, one element only, parameters of another size or dtype. */
Tensor *F_group_norm(Tensor *x, int64_t num_groups, Tensor *weight, Tensor *bias, double eps) {
    if (!tg_check(x, 1) || !tg_check_optional(weight, 3) || !tg_check_optional(bias, 4) || !check_groups(x, num_groups)) return NULL;
    if (!check_vector(x, weight, "weight") || !check_vector(x, bias, "bias")) return NULL;
    if (!tg_check_norm_dtypes(x, (Tensor *[]){weight, bias}, 2, "GroupNormKernelImpl")) return NULL;
    Channels of = {x->shape[0], x->shape[1], tg_count(x->shape + 2, x->ndim - 2), num_groups, false, false, eps};
    int depth = t_scope_open();
    Tensor *stats = depth ? tg_doubles(sets_of(&of), STATS) : NULL;
    Tensor *y = stats ? t_keep_object(tg_channel_norm(&group_norm_op, x, weight, bias, stats, &of)) : NULL;
    t_scope_close(depth);
    return y;
}
