/* nn/functional/norm/group_norm.c: group_norm, and the normalisation of channels that it shares with batch_norm. */
#include "core/kernels/norm/layer_norm.h"
#include "nn/functional/norm/norm_internal.h"

/* ---- gradient ---- */

Tensor *tg_zeros_f64(int64_t rows, int64_t columns) {
    t_TensorOptions options = {.size = sizeof options, .dtype = t_float64};
    return t_zeros((int64_t[]){rows, columns}, 2, &options);
}

/* The kernel's job: operands, and a buffer for two sums per row (of more than one element) or set. False on failure. */
static bool init_job(tg_BatchNorm *job, const Channels *of, Tensor *x, Tensor *weight, Tensor *stats) {
    *job = (tg_BatchNorm){.f64 = x->dtype == t_float64, .over_batch = of->over_batch, .fixed = of->fixed, .N = of->N,
                         .C = of->C, .L = of->L, .groups = of->groups, .eps = of->eps, .stats = tg_data(stats),
                         .x = tg_dense(x),
                         .weight = tg_dense_or(weight, 1, of->C, x->dtype)};
    Tensor *sums = tg_zeros_f64(of->L == 1 && of->over_batch ? of->C : of->N > 0 ? of->N * of->C : of->C, 2);
    job->sums = sums ? tg_data(sums) : NULL;
    return sums && job->x && job->weight;
}

/* Group norm of (N, C): the rows of a layer norm, divided into groups. */
static bool is_flat(const Channels *of) {
    return of->L == 1 && !of->over_batch;
}

static bool init_flat_job(tg_LayerNorm *job, const Channels *of, Tensor *x, Tensor *weight, Tensor *stats) {
    *job = (tg_LayerNorm){.in = {.f64 = x->dtype == t_float64, .x = tg_dense(x)}, .rows = of->N, .groups = of->groups,
                     .n = of->C / of->groups, .centred = true, .eps = of->eps, .stats = tg_data(stats),
                     .weight = tg_dense_or(weight, 1, of->C, x->dtype)};
    return job->in.x && job->weight;
}

static void flat_backward(Record *r, Tensor *x, Tensor *weight, Tensor *stats, Tensor *dy, Tensor **dx) {
    tg_LayerNorm job;
    if (!init_flat_job(&job, r->attributes, x, weight, stats) || !(job.dy = tg_dense(dy))) return;
    Tensor *workspace = tg_empty((int64_t[]){tg_layer_norm_workspace(&job)}, 1, x->dtype);
    for (int i = 0; i < 3 && workspace; i++)
        if ((i == 0 || tg_needs(r, i)) && !(dx[i] = tg_empty(r->edges[i].shape, r->edges[i].ndim, x->dtype))) return;
    if (!workspace) return;
    job.dx = tg_data(dx[0]);
    job.dweight = dx[1] ? tg_data(dx[1]) : NULL;
    job.dbias = dx[2] ? tg_data(dx[2]) : NULL;
    job.workspace = tg_data(workspace);
    tg_layer_norm_backward(&job);
}

static void fused_channel_norm_backward(Record *r, Tensor *x, Tensor *weight, Tensor *stats, Tensor *dy, Tensor **dx) {
    tg_BatchNorm job;
    if (is_flat(r->attributes)) {
        flat_backward(r, x, weight, stats, dy, dx);
        return;
    }
    if (!init_job(&job, r->attributes, x, weight, stats) || !(job.dy = tg_dense(dy))) return;
    if (tg_needs(r, 0) && !(dx[0] = tg_empty(x->shape, x->ndim, x->dtype))) return;
    if (tg_needs(r, 1) && !(dx[1] = tg_edge_zeros_f64(&r->edges[1]))) return;
    if (tg_needs(r, 2) && !(dx[2] = tg_edge_zeros_f64(&r->edges[2]))) return;
    job.dx = dx[0] ? tg_data(dx[0]) : NULL;
    job.dweight = dx[1] ? tg_data(dx[1]) : NULL;
    job.dbias = dx[2] ? tg_data(dx[2]) : NULL;
    tg_batch_norm_backward(&job);
}

/* A column of the fixed statistics: one value per channel, in x's dtype. */
static Tensor *column(Tensor *stats, int which, const Tensor *x) {
    return t_to(t_slice(stats, 1, which, which + 1, 1), x->dtype);
}

/* The same composed of ops, for create_graph. `sets` is the shape in which the elements that are normalised together
 * run along `dims`. */
static void composed_channel_norm_backward(Record *r, Tensor *x, Tensor *weight, Tensor *stats, Tensor *dy,
                                           Tensor **dx) {
    const Channels *of = r->attributes;
    int64_t rows[] = {of->N, of->C, of->L}, groups[] = {of->N, of->groups, of->groups ? of->C / of->groups * of->L : 0};
    int64_t batch_dims[] = {0, 2}, group_dims[] = {2};
    const int64_t *sets = of->over_batch ? rows : groups, *dims = of->over_batch ? batch_dims : group_dims;
    int count = of->over_batch ? 2 : 1;
    Tensor *in = t_reshape(x, sets, 3), *out = t_reshape(dy, rows, 3);
    Tensor *g = t_reshape(weight ? t_mul(out, t_reshape(weight, (int64_t[]){of->C, 1}, 2)) : out, sets, 3);
    Tensor *centred = t_sub(in, of->fixed ? column(stats, TG_MEAN, x) : t_mean(in, dims, count, true));
    Tensor *scale = of->fixed ? column(stats, TG_SCALE, x)
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
    (t_is_grad_enabled() ? composed_channel_norm_backward : fused_channel_norm_backward)(r, x, weight, stats, dy, dx);
}

/* ---- forward ---- */

Tensor *tg_channel_norm(const Op *op, Tensor *x, Tensor *weight, Tensor *bias, Tensor *stats, const Channels *of) {
    tg_BatchNorm job;
    tg_LayerNorm flat;
    Tensor *y = tg_empty(x->shape, x->ndim, x->dtype);
    const void *b = tg_dense_or(bias, 0, of->C, x->dtype);
    if (!y || !b || !(is_flat(of) ? init_flat_job(&flat, of, x, weight, stats) : init_job(&job, of, x, weight, stats)))
        return NULL;
    if (is_flat(of)) {
        flat.bias = b;
        flat.out = tg_data(y);
        tg_layer_norm(&flat);
    } else {
        job.bias = b;
        job.out = tg_data(y);
        tg_batch_norm(&job);
    }
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
    return tg_fail(
        "Expected %s to be a vector of size equal to the number of channels in input, but got %s of shape %s "
        "and input of shape %s",
        name, name, tg_shape_of(parameter), tg_shape_of(x));
}

static bool check_groups(const Tensor *x, int64_t num_groups) {
    if (x->ndim < 2) return tg_fail("Expected at least 2 dimensions for input tensor but received %d", x->ndim);
    if (num_groups <= 0)
        return tg_fail("Expected num groups to be greater than 0, got %lld", (long long)num_groups);
    if (x->shape[1] % num_groups)
        return tg_fail(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape %s and "
            "num_groups=%lld",
            tg_shape_of(x), (long long)num_groups);
    int64_t inner = tg_shape_numel(x->shape + 2, x->ndim - 2);
    if (x->shape[1] == 0) return tg_fail("Expected number of channels to be greater than 0, got 0");
    if (inner == 0) return tg_fail("Expected HxW to be greater than 0, got 0");
    /* as PyTorch counts it: the groups' channels of all samples */
    if (x->shape[0] * x->shape[1] / num_groups * inner == 1)
        return tg_fail("Expected more than 1 value per channel when training, got input size %s", tg_shape_of(x));
    return true;
}

static const Op group_norm_op = {"group_norm", "NativeGroupNormBackward0", tg_channel_norm_backward};

/* F.group_norm(x, num_groups, weight, bias, eps): y = (x - mean) / sqrt(var + eps) * weight + bias, with mean and
 * (biased) variance over each of num_groups groups of neighbouring channels of each sample. x: (N, C, ...), floating;
 * weight, bias: (C), either may be NULL; returns x's shape. Gradients above. Errors: C not a multiple of num_groups, or
 * 0, a single element, parameters of another size or dtype. */
Tensor *F_group_norm(Tensor *x, int64_t num_groups, Tensor *weight, Tensor *bias, double eps) {
    if (tg_is_narrow_tensor(x))
        return tg_narrowed(
            F_group_norm(tg_widened(x), num_groups, tg_widened_optional(weight), tg_widened_optional(bias), eps),
            x->dtype);
    if (!tg_check(x, 1) || !tg_check_optional(weight, 3) || !tg_check_optional(bias, 4) || !check_groups(x, num_groups))
        return NULL;
    if (!check_vector(x, weight, "weight") || !check_vector(x, bias, "bias")) return NULL;
    if (!tg_check_norm_dtypes(x, (Tensor *[]){weight, bias}, 2, "GroupNormKernelImpl")) return NULL;
    Channels of = {x->shape[0], x->shape[1], tg_shape_numel(x->shape + 2, x->ndim - 2), num_groups, false, false, eps};
    int depth = t_scope_open();
    Tensor *stats = depth ? tg_zeros_f64(of.N * of.groups, TG_STATS) : NULL;
    Tensor *y = stats ? tg_channel_norm(&group_norm_op, x, weight, bias, stats, &of) : NULL;
    return tg_scope_return(depth, y);
}
