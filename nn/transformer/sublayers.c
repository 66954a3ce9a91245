/* nn/transformer/sublayers.c: the body of every Transformer layer, of the tutorials' classes and of PyTorch's:
 * sublayers f_1 (self-attention), f_2 (a decoder's cross-attention) and f_n (the feed-forward network), each with a
 * residual connection and a layer norm (Vaswani et al. 2017, section 3.1; pre-norm: Xiong et al. 2020):
 *
 *     pre-norm:   x = x + dropout_i(f_i(norm_i(x)))
 *     post-norm:  x = norm_i(x + dropout_i(f_i(x)))
 *
 * The sum s = x + dropout(y) and the norm that follows it are composed of modules, or, for the library's own modules
 * and contiguous tensors, one kernel. The post-norm form, norm(s) alone, computes s on the fly, again in the backward
 * from x and y, and does not store it; the pre-norm form, where s and the next sublayer's norm(s) are needed, computes
 * both in one pass, and makes two records: s = x + dropout(y), and the norm of s. */
#include "core/autograd/teach.h"
#include "core/kernels/norm/layer_norm.h"
#include "core/kernels/random/distributions.h"
#include "core/kernels/random/dropout.h"
#include "core/ops/creation/random_internal.h"
#include "nn/functional/dropout/dropout_internal.h"
#include "nn/functional/linear/linear_internal.h"
#include "nn/functional/norm/norm_internal.h"
#include "nn/modules/plain_modules_internal.h"
#include "nn/transformer/transformer_internal.h"

/* ---- the layer ---- */

Tensor *tg_run_sublayers(const tg_Sublayer *f, int count, bool norm_first, Tensor *x) {
    const tg_Sublayer *last = f + count - 1;
    if (!norm_first) {
        for (; f <= last; f++)
            x = tg_norm_residual(f->norm, f->dropout, x, f->forward(f->call, x), NULL, f->transposed);
        return x;
    }
    Tensor *normed = nn_call(f->norm, x);
    for (; f < last; f++) /* x = x + dropout(y), and the next norm of it */
        normed = tg_norm_residual(f[1].norm, f->dropout, x, f->forward(f->call, normed), &x, f->transposed);
    return tg_add_residual(last->dropout, x, last->forward(last->call, normed));
}

Tensor *tg_return_with_weights(int depth, Tensor *y, Tensor **weights, Tensor **cross_weights) {
    if (weights) *weights = y ? t_keep_object(*weights) : NULL;
    if (cross_weights) *cross_weights = y ? t_keep_object(*cross_weights) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- composed ---- */

static Tensor *composed_add(nn_Dropout *dropout, Tensor *x, Tensor *y) {
    return t_add(x, nn_call(dropout, y));
}

static bool drops(const nn_Dropout *dropout) {
    return dropout->p != 0 && dropout->base.training;
}

/* transposed: dropout(y) is drawn in the order of PyTorch's memory layout. */
static Tensor *composed_add_norm(nn_LayerNorm *norm, nn_Dropout *dropout, Tensor *x, Tensor *y, Tensor **sum,
                                 bool transposed) {
    if (transposed && y && drops(dropout)) y = t_transpose(t_contiguous(t_transpose(y, 0, 1)), 0, 1);
    Tensor *s = composed_add(dropout, x, y);
    if (sum) *sum = s;
    return nn_call(norm, s);
}

/* ---- fused: arguments ---- */

typedef struct Dropout {
    bool drops; /* false: no dropout, no bits */
    double p, scale;
} Dropout;

static Dropout dropout_of(const nn_Dropout *dropout, t_DType dtype) {
    const double p = dropout->p, kept = 1 - p;
    if (!drops(dropout)) return (Dropout){false, 0, 1};
    return (Dropout){true, p, dtype == t_float32 ? (double)(1.0f / (float)kept) : 1 / kept};
}

static bool can_fuse(const nn_Dropout *dropout, const Tensor *x, const Tensor *y) {
    return x && y && dropout && tg_is_dropout(&dropout->base) && x->dtype == y->dtype && tg_is_floating(x->dtype) &&
           tg_same_shape(x, y) && x->ndim && tg_is_contiguous(x) && tg_is_contiguous(y) && tg_numel(x) &&
           !tg_thread.anomaly.on && !tg_pack_hooks_in_force() && !tg_thread.autocast;
}

static bool can_norm(const nn_LayerNorm *norm, const Tensor *x) {
    Tensor *w = norm ? norm->weight : NULL, *b = norm ? norm->bias : NULL;
    return w && b && tg_is_layer_norm(&norm->base) && tg_update_view_record(w) && tg_update_view_record(b) &&
        w->ndim == 1 && b->ndim == 1 &&
           w->dtype == x->dtype &&
           b->dtype == x->dtype && w->shape[0] == x->shape[x->ndim - 1] && b->shape[0] == w->shape[0] &&
           tg_is_contiguous(w) && tg_is_contiguous(b) && norm->ndim == 1 && norm->normalized_shape[0] == w->shape[0];
}

/* A buffer for the bits of n elements and one more word, which kernels may read. */
static Tensor *new_mask(int64_t n) {
    const int64_t words = tg_dropout_mask_words(n) + 1;
    Tensor *mask = tg_empty(&words, 1, t_int64);
    if (mask) ((uint64_t *)tg_data(mask))[words - 1] = 0;
    return mask;
}

static void copy_bits(uint64_t *to, int64_t at, const uint64_t *from, int64_t start, int64_t count) {
    for (int64_t n; count > 0; count -= n, at += n, start += n) {
        const int64_t available = 64 - at % 64, left = 64 - start % 64;
        n = available < left ? available : left;
        if (n > count) n = count;
        const uint64_t word = from[start / 64] >> start % 64 & (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX);
        to[at / 64] |= word << at % 64;
    }
}

/* Draws the mask for x's elements. drawn: a buffer of the same size, if they are drawn in the order of
 * x.transpose(0, 1); else NULL. */
static void draw_mask(tg_MT19937 *engine, Tensor *mask, Tensor *drawn, const Tensor *x, double kept) {
    if (tg_thread.teaching) tg_teach_dropout();
    tg_draw_dropout_mask(engine, tg_data(drawn ? drawn : mask), tg_numel(x), kept);
    if (!drawn) return;
    const int64_t N = x->shape[0], L = x->shape[1], E = x->shape[2];
    tg_fill_into(mask, 0);
    for (int64_t n = 0; n < N; n++)
        for (int64_t l = 0; l < L; l++) copy_bits(tg_data(mask), (n * L + l) * E, tg_data(drawn), (l * N + n) * E, E);
}

static tg_Residual residual_of(const Tensor *x, const Tensor *y, const Tensor *mask, double scale) {
    return (tg_Residual){.f64 = x->dtype == t_float64, .count = tg_numel(x), .x = tg_data(x), .y = tg_data(y),
                         .dropout_mask = mask ? tg_data(mask) : NULL, .scale = scale};
}

/* ---- fused: s = x + dropout(y), dx = ds, dy = ds * mask ---- */

static void add_backward(Record *r, Tensor *ds, Tensor **dx) {
    const Dropout *dropout = r->attributes;
    Tensor *mask = dropout->drops ? tg_saved(r, 0) : NULL;
    dx[0] = dx[1] = ds;
    if (!dropout->drops || !tg_needs(r, 1)) return;
    if (!mask) return;
    if (t_is_grad_enabled()) {
        dx[1] = t_mul(ds, tg_dropout_mask(r->shape, r->ndim, r->dtype, mask, dropout->scale));
        return;
    }
    Tensor *from = t_contiguous(ds);
    dx[1] = from ? tg_empty(r->shape, r->ndim, r->dtype) : NULL;
    if (dx[1]) tg_multiply_by_mask(dx[1], from, mask, dropout->scale);
}
static const Op residual_op = {"residual", "AddBackward0", add_backward};

/* Everything that can fail comes before the first random number. */
static Tensor *add(const nn_Dropout *dropout, Tensor *x, Tensor *y) {
    const Dropout drop = dropout_of(dropout, x->dtype);
    tg_MT19937 *engine = tg_engine(NULL);
    Tensor *mask = engine ? new_mask(tg_numel(x)) : NULL, *s = mask ? tg_empty(x->shape, x->ndim, x->dtype) : NULL;
    s = s ? tg_record(&residual_op, s, INPUTS(x, y), SAVED(mask), ATTRIBUTES(drop)) : NULL;
    if (!s) return NULL;
    draw_mask(engine, mask, NULL, x, 1 - drop.p);
    tg_Residual job = residual_of(x, y, mask, drop.scale);
    job.out = tg_data(s);
    tg_residual(&job);
    return s;
}

Tensor *tg_add_residual(nn_Dropout *dropout, Tensor *x, Tensor *y) {
    if (!can_fuse(dropout, x, y) || !dropout_of(dropout, x->dtype).drops) return composed_add(dropout, x, y);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *s = add(dropout, x, y);
    return tg_scope_return(depth, s);
}

/* ---- fused: norm(s) ---- */

typedef struct NormAttributes {
    Dropout dropout;
    double eps;
} NormAttributes;

static void composed_norm_residual_backward(Record *r, Tensor *dy, Tensor **dx) {
    const NormAttributes *a = r->attributes;
    Tensor *mask = a->dropout.drops ? tg_saved(r, 4) : NULL, *weight = tg_saved(r, 2), *z;
    Tensor *factors = mask ? tg_dropout_mask(r->shape, r->ndim, r->dtype, mask, a->dropout.scale) : NULL;
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (!x || !y || !weight || (a->dropout.drops && !factors)) return;
    Tensor *s = t_add(x, factors ? t_mul(y, factors) : y);
    dx[0] = tg_norm_gradient(s, weight, 1, true, a->eps, dy, &z);
    dx[1] = factors ? t_mul(dx[0], factors) : dx[0];
    dx[2] = t_mul(dy, z);
    dx[3] = dy;
}

static void norm_residual_backward(Record *r, Tensor *dy, Tensor **dx) {
    const NormAttributes *a = r->attributes;
    if (t_is_grad_enabled()) {
        composed_norm_residual_backward(r, dy, dx);
        return;
    }
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1), *weight = tg_saved(r, 2), *stats = tg_saved(r, 3);
    Tensor *mask = a->dropout.drops ? tg_saved(r, 4) : NULL;
    if (!x || !y || !weight || !stats || (a->dropout.drops && !mask)) return;
    tg_LayerNorm job = {.in = residual_of(x, y, mask, a->dropout.scale), .rows = stats->shape[0], .groups = 1,
                        .n = weight->shape[0], .centred = true, .eps = a->eps, .stats = tg_data(stats),
                        .weight = tg_data(weight), .dy = tg_dense(dy)};
    Tensor *ds = job.dy ? tg_empty(r->shape, r->ndim, r->dtype) : NULL, *dbranch = NULL;
    Tensor *workspace = ds ? tg_empty((int64_t[]){tg_layer_norm_workspace(&job)}, 1, r->dtype) : NULL;
    if (!workspace || (mask && tg_needs(r, 1) && !(dbranch = tg_empty(r->shape, r->ndim, r->dtype)))) return;
    for (int i = 2; i < 4; i++)
        if (tg_needs(r, i) && !(dx[i] = tg_empty(&job.n, 1, r->dtype))) return;
    job.dx = tg_data(ds);
    job.dbranch = dbranch ? tg_data(dbranch) : NULL;
    job.workspace = tg_data(workspace);
    job.dweight = dx[2] ? tg_data(dx[2]) : NULL;
    job.dbias = dx[3] ? tg_data(dx[3]) : NULL;
    tg_layer_norm_backward(&job);
    dx[0] = ds;
    dx[1] = mask ? dbranch : ds;
}
static const Op norm_residual_op = {"norm_residual", "NativeLayerNormBackward0", norm_residual_backward};

/* First the records, then the random numbers, then the kernel. */
static Tensor *fused_norm_residual(nn_LayerNorm *norm, const nn_Dropout *dropout, Tensor *x, Tensor *y, Tensor **sum,
                                   bool transposed) {
    const NormAttributes a = {dropout_of(dropout, x->dtype), norm->eps};
    const int64_t n = norm->normalized_shape[0], rows = tg_numel(x) / n;
    tg_MT19937 *engine = tg_engine(NULL);
    Tensor *mask = engine && a.dropout.drops ? new_mask(tg_numel(x)) : NULL,
           *drawn = mask && transposed ? new_mask(tg_numel(x)) : NULL, *s = NULL;
    if (!engine || (a.dropout.drops && (!mask || (transposed && !drawn)))) return NULL;
    Tensor *stats = tg_empty((int64_t[]){rows, 2}, 2, t_float64),
           *out = stats ? tg_empty(x->shape, x->ndim, x->dtype) : NULL;
    if (!out) return NULL;
    if (sum) {
        s = tg_record(&residual_op, tg_empty(x->shape, x->ndim, x->dtype), INPUTS(x, y), SAVED(mask),
                      ATTRIBUTES(a.dropout));
        out = s ? tg_record_layer_norm(out, s, norm->weight, norm->bias, stats, norm->eps) : NULL;
    } else {
        out = tg_record(&norm_residual_op, out, INPUTS(x, y, norm->weight, norm->bias),
                        SAVED(x, y, norm->weight, stats, mask), ATTRIBUTES(a));
    }
    if (!out) return NULL;
    if (mask) draw_mask(engine, mask, drawn, x, 1 - a.dropout.p);
    tg_LayerNorm job = {.in = residual_of(x, y, mask, a.dropout.scale), .rows = rows, .groups = 1, .n = n,
                        .centred = true, .eps = norm->eps, .stats = tg_data(stats),
                        .weight = tg_data(norm->weight), .bias = tg_data(norm->bias), .out = tg_data(out)};
    job.in.out = s ? tg_data(s) : NULL;
    tg_layer_norm(&job);
    if (sum) *sum = t_keep_object(s);
    return out;
}

Tensor *tg_norm_residual(nn_LayerNorm *norm, nn_Dropout *dropout, Tensor *x, Tensor *y, Tensor **sum, bool transposed) {
    if (sum) *sum = NULL;
    if (!can_fuse(dropout, x, y) || !can_norm(norm, x)) return composed_add_norm(norm, dropout, x, y, sum, transposed);
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *out = fused_norm_residual(norm, dropout, x, y, sum, transposed);
    return tg_scope_return(depth, out);
}
