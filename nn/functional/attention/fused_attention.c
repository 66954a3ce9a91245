/* nn/functional/attention/fused_attention.c: softmax(q k^T scale + mask) v as one record, with
 * kernels/attention/attention.h. */
#include "nn/functional/attention/attention_internal.h"

#include <math.h>
#include <string.h>

#include "core/kernels/random/distributions.h"
#include "core/kernels/random/dropout.h"
#include "core/ops/pointwise_internal.h"
#include "core/ops/random_internal.h"
#include "nn/functional/dropout/dropout_internal.h"

/* ---- masks as bit sets ---- */

#define WORD(type)                                                                               \
    for (int64_t i = 0; i < n; i++) {                                                            \
        type value = *(const type *)(p + i * step);                                              \
        bits |= (uint64_t)(value == 1) << i;                                                     \
        *has_invalid |= value != 0 && value != 1;                                                    \
    }

/* Bit i is set if the i-th of n <= 64 elements is 1. */
static uint64_t read_word(const char *p, int64_t step, int64_t n, t_DType dtype, bool *has_invalid) {
    uint64_t bits = 0;
    switch (dtype) {
    case t_bool: for (int64_t i = 0; i < n; i++) bits |= (uint64_t)(p[i * step] != 0) << i; break;
    case t_int64: WORD(int64_t) break;
    case t_float32: WORD(float) break;
    default: WORD(double) break;
    }
    return bits;
}
#undef WORD

bool tg_read_mask_bits(tg_MaskBits *mask_bits, const Tensor *mask, int64_t keys, bool shown) {
    const int64_t row_words = (keys + 63) / 64, *size = mask->shape, item = (int64_t)tg_itemsize(mask->dtype);
    const int64_t words = size[0] * size[1] * size[2] * row_words, step = size[3] > 1 ? mask->strides[3] * item : 0;
    *mask_bits = (tg_MaskBits){.bits = tg_empty(&words, 1, t_int64)};
    if (!mask_bits->bits) return false;
    uint64_t *to = tg_data(mask_bits->bits);
    for (int64_t row = 0; row < size[0] * size[1] * size[2]; row++) {
        const int64_t i = row % size[2], h = row / size[2] % size[1], b = row / size[2] / size[1];
        const char *p =
            (const char *)tg_data(mask) + (b * mask->strides[0] + h * mask->strides[1] + i * mask->strides[2]) * item;
        uint64_t any = 0;
        for (int64_t j = 0; j < keys; j += 64) {
            const int64_t n = keys - j < 64 ? keys - j : 64;
            const uint64_t all_bits = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX,
                bits = read_word(p + j * step, step, n, mask->dtype, &mask_bits->has_invalid);
            any |= *to++ = shown ? bits : bits ^ all_bits;
        }
        mask_bits->has_fully_masked |= !any;
    }
    mask_bits->row = size[2] > 1 ? row_words : 0;
    mask_bits->head = size[1] > 1 ? size[2] * row_words : 0;
    mask_bits->batch = size[0] > 1 ? size[1] * size[2] * row_words : 0;
    return true;
}

/* ---- kernel arguments ---- */

typedef struct AttentionAttributes {
    double scale, keep_scale;
    bool causal, zero_when_blind;
    int64_t sees_batch, sees_head, sees_row;
} AttentionAttributes;
enum { Q, K, V, Y, STATS, SEES, BIAS, KEEP };

bool tg_can_attend(const Tensor *q, const Tensor *k, const Tensor *v) {
    const Tensor *x[] = {q, k, v};
    if (tg_thread.anomaly.on) return false; /* anomaly mode checks the result of each op */
    for (int i = 0; i < 3; i++)
        if (x[i]->ndim != 4 || !tg_numel(x[i]) || x[i]->dtype != q->dtype || x[i]->shape[0] != q->shape[0] ||
            x[i]->shape[3] != q->shape[3])
            return false;
    return tg_is_floating(q->dtype) && q->shape[3] * (int64_t)tg_itemsize(q->dtype) <= TG_ATTENTION_MOST &&
           k->shape[1] == v->shape[1] && k->shape[2] == v->shape[2] && q->shape[1] % k->shape[1] == 0;
}

static bool is_double(const Tensor *x) {
    return x->dtype == t_float64;
}

static int64_t padded_size(const Tensor *x) {
    const int64_t step = tg_attention_step(is_double(x));
    return (x->shape[3] + step - 1) / step * step;
}

static bool fits_kernel(const Tensor *x) {
    return padded_size(x) == x->shape[3] && x->strides[3] == 1;
}

static tg_Heads heads_of(const Tensor *x) {
    return (tg_Heads){tg_data(x), x->strides[0], x->strides[1], x->strides[2]};
}

/* (batch, heads, length, d) with the memory layout (batch, length, heads, d): a buffer for the kernel. */
static Tensor *empty_heads(const int64_t *shape, int64_t d, t_DType dtype) {
    const int64_t sizes[] = {shape[0], shape[1], shape[2], d};
    return tg_empty_strided(sizes, (int64_t[]){shape[2] * shape[1] * d, d, shape[1] * d, 1}, 4, dtype);
}

/* An empty result for queries q. */
static Tensor *empty_result(const Tensor *q, bool contiguous) {
    return contiguous || q->strides[3] != 1 ? tg_empty(q->shape, 4, q->dtype) : tg_empty_like(q, q->dtype);
}

/* The view of a padded tensor that holds x's elements. */
static Tensor *unpadded_view(Tensor *padded, const Tensor *x) {
    return tg_view(padded, x->shape, padded->strides, 4, padded->offset);
}

/* x itself, or a copy in the kernel's layout, with the last dim padded with zeros. */
static Tensor *padded(Tensor *x) {
    if (!x || fits_kernel(x)) return x;
    Tensor *y = empty_heads(x->shape, padded_size(x), x->dtype), *unpadded = y ? unpadded_view(y, x) : NULL;
    if (!unpadded) return NULL;
    tg_fill_into(y, 0);
    tg_copy_into(unpadded, x);
    return y;
}

/* Fills the kernel's arguments except y's data; false if memory runs out. */
static bool init_job(tg_Attention *t, const AttentionAttributes *how, Tensor *const *saved, Tensor **q, Tensor **k,
                     Tensor **v) {
    if (!(*q = padded(saved[Q])) || !(*k = padded(saved[K])) || !(*v = padded(saved[V]))) return false;
    const Tensor *bias = saved[BIAS];
    *t = (tg_Attention){.batch = (*q)->shape[0], .heads = (*q)->shape[1], .kv_heads = (*k)->shape[1],
                        .queries = (*q)->shape[2], .keys = (*k)->shape[2], .d = (*q)->shape[3], .q = heads_of(*q),
                        .k = heads_of(*k), .v = heads_of(*v), .scale = how->scale, .causal = how->causal,
                        .zero_when_blind = how->zero_when_blind, .sees = saved[SEES] ? tg_data(saved[SEES]) : NULL,
                        .sees_batch = how->sees_batch, .sees_head = how->sees_head, .sees_row = how->sees_row,
                        .keep = saved[KEEP] ? tg_data(saved[KEEP]) : NULL, .keep_scale = how->keep_scale,
                        .stats = saved[STATS] ? tg_data(saved[STATS]) : NULL};
    if (!bias) return true;
    int64_t step[4];
    for (int d = 0; d < 4; d++) step[d] = bias->shape[d] == 1 ? 0 : bias->strides[d];
    t->bias = (tg_Heads){tg_data(bias), step[0], step[1], step[2]};
    t->bias_key = step[3];
    return true;
}

/* ---- backward ---- */

/* The bool mask (B or 1, H or 1, L, S) of the bits and the causal mask: true where a key is masked out. */
static Tensor *masked_out(const AttentionAttributes *how, Tensor *sees, const int64_t scores[4]) {
    const int64_t B = sees && how->sees_batch ? scores[0] : 1, H = sees && how->sees_head ? scores[1] : 1;
    Tensor *hidden = tg_empty((int64_t[]){B, H, scores[2], scores[3]}, 4, t_bool);
    if (!hidden) return NULL;
    const uint64_t *bits = sees ? tg_data(sees) : NULL;
    bool *to = tg_data(hidden);
    for (int64_t b = 0; b < B; b++)
        for (int64_t h = 0; h < H; h++)
            for (int64_t i = 0; i < scores[2]; i++)
                for (int64_t j = 0; j < scores[3]; j++) {
                    const bool seen =
                        !bits ||
                        (bits[b * how->sees_batch + h * how->sees_head + i * how->sees_row + j / 64] >> j % 64 & 1);
                    *to++ = !seen || (how->causal && j > i);
                }
    return hidden;
}

static Tensor *weights_of(const AttentionAttributes *how, Tensor *q, Tensor *k, Tensor *hidden, Tensor *bias) {
    const int64_t last = -1;
    Tensor *scores = t_matmul(t_mul(q, t_number(how->scale)), t_transpose(k, -2, -1));
    if (bias) scores = t_add(scores, bias);
    if (hidden) scores = t_masked_fill(scores, hidden, t_number(-(double)INFINITY));
    if (!how->zero_when_blind) return t_softmax(scores, -1);
    Tensor *blind = t_all(t_eq(scores, t_number(-(double)INFINITY)), &last, 1, true);
    return t_masked_fill(t_softmax(t_masked_fill(scores, blind, t_number(0)), -1), blind, t_number(0));
}

/* (B, h, S, d) with each head repeated, for H heads; and its adjoint, the sum over the heads that share one. */
static Tensor *repeat_heads_to(Tensor *x, int64_t heads) {
    return x->shape[1] == heads ? x : tg_repeat_heads(x, heads);
}
static Tensor *sum_heads_to(Tensor *x, const int64_t shape[4]) {
    if (!x || x->shape[1] == shape[1]) return x;
    const int64_t apart[] = {shape[0], shape[1], x->shape[1] / shape[1], shape[2], shape[3]}, dim = 2;
    return t_sum(t_reshape(x, apart, 5), &dim, 1, false);
}

/* Composed of ops, for create_graph: dS = P (dP - sum(dP P)), where P and dP are taken after the dropout. */
static void composed_attention_backward(Record *r, Tensor *const *saved, Tensor *dy, Tensor **dx) {
    const AttentionAttributes *how = r->attributes;
    Tensor *q = saved[Q], *k = repeat_heads_to(saved[K], q->shape[1]), *v = repeat_heads_to(saved[V], q->shape[1]);
    if (!k || !v) return;
    const int64_t scores[] = {q->shape[0], q->shape[1], q->shape[2], k->shape[2]}, last = -1;
    Tensor *hidden = saved[SEES] || how->causal ? masked_out(how, saved[SEES], scores) : NULL;
    Tensor *mask = saved[KEEP] ? tg_dropout_mask(scores, 4, q->dtype, saved[KEEP], how->keep_scale) : NULL;
    Tensor *p = weights_of(how, q, k, hidden, saved[BIAS]), *dp = t_matmul(dy, t_transpose(v, -2, -1));
    if (saved[KEEP]) dp = t_mul(dp, mask);
    Tensor *ds = t_mul(t_mul(p, t_sub(dp, t_sum(t_mul(dp, p), &last, 1, true))), t_number(how->scale));
    dx[Q] = t_matmul(ds, k);
    dx[K] = sum_heads_to(t_matmul(t_transpose(ds, -2, -1), q), saved[K]->shape);
    dx[V] = sum_heads_to(t_matmul(t_transpose(saved[KEEP] ? t_mul(p, mask) : p, -2, -1), dy), saved[V]->shape);
}

/* Allocates the gradient of x: *dx, and the buffer that the kernel writes, another one if x's layout does not fit. */
static bool alloc_gradient(Tensor *x, Tensor **dx, Tensor **buffer) {
    if (!(*dx = tg_empty_like(x, x->dtype))) return false;
    *buffer = fits_kernel(*dx) ? *dx : empty_heads(x->shape, padded_size(x), x->dtype);
    return *buffer != NULL;
}

static void fused_attention_backward(Record *r, Tensor *const *saved, Tensor *dy, Tensor **dx) {
    Tensor *gradient[3] = {NULL}, *buffer[3] = {NULL}, *x[3], *y = padded(saved[Y]);
    tg_Attention t;
    if (!y || !(dy = padded(dy)) || !init_job(&t, r->attributes, saved, &x[Q], &x[K], &x[V])) return;
    t.y = heads_of(y);
    for (int i = 0; i < 3; i++)
        if (tg_needs(r, i) && !alloc_gradient(saved[i], &gradient[i], &buffer[i])) return;
    tg_AttentionGradients g = {.dy = heads_of(dy)};
    if (buffer[Q]) g.dq = heads_of(buffer[Q]);
    if (buffer[K]) g.dk = heads_of(buffer[K]);
    if (buffer[V]) g.dv = heads_of(buffer[V]);
    const int64_t parts = tg_attention_parts(is_double(y), &t);
    Tensor *partial = parts ? tg_empty(&parts, 1, y->dtype) : NULL;
    if (parts && !partial) return;
    g.parts = parts ? tg_data(partial) : NULL;
    tg_attention_backward(is_double(y), &t, &g);
    for (int i = 0; i < 3; i++) {
        if (gradient[i] != buffer[i]) tg_copy_into(gradient[i], unpadded_view(buffer[i], gradient[i]));
        dx[i] = gradient[i];
    }
}

static void attention_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *saved[KEEP + 1];
    for (int i = 0; i <= KEEP; i++)
        if (!(saved[i] = tg_saved(r, i)) && (i <= STATS || r->saved[i].tensor)) return;
    (t_is_grad_enabled() ? composed_attention_backward : fused_attention_backward)(r, saved, dy, dx);
}
static const Op attention_op = {"scaled_dot_product_attention", "ScaledDotProductFlashAttentionForCpuBackward0",
                                attention_backward};

Tensor *tg_attend(Tensor *q, Tensor *k, Tensor *v, const tg_AttentionOptions *how) {
    Tensor *x[] = {q, k, v}, *stats = NULL, *keep = NULL, *wq, *wk, *wv;
    const int64_t weights = q->shape[0] * q->shape[1] * q->shape[2] * k->shape[2], words = tg_keep_words(weights) + 1;
    tg_MT19937 *engine = how->dropout_p > 0 ? tg_engine(NULL) : NULL;
    if (how->dropout_p > 0 && !(engine && (keep = tg_empty(&words, 1, t_int64)))) return NULL;
    if (tg_will_record(x, 3)) {
        stats = tg_empty((int64_t[]){q->shape[0], q->shape[1], 2, q->shape[2]}, 4, q->dtype);
        if (!stats) return NULL;
    }
    const double kept = 1 - how->dropout_p;
    const AttentionAttributes attributes = {
        how->scale,           q->dtype == t_float32 ? (double)(1.0f / (float)kept) : 1.0 / kept,
        how->causal,          how->zero_when_blind,
        how->mask_bits.batch, how->mask_bits.head,
        how->mask_bits.row};
    tg_Attention t;
    Tensor *y = empty_result(q, how->contiguous);
    Tensor *saved[] = {q, k, v, y, stats, how->mask_bits.bits, how->bias, keep};
    if (!y || !init_job(&t, &attributes, saved, &wq, &wk, &wv)) return NULL;
    Tensor *buffer = fits_kernel(y) ? y : empty_heads(y->shape, t.d, y->dtype);
    Tensor *unpadded = buffer && buffer != y ? unpadded_view(buffer, y) : buffer;
    if (!unpadded) return NULL;
    y = tg_record(&attention_op, y, x, 3, saved, KEEP + 1, ATTRIBUTES(attributes));
    if (!y) return NULL;
    if (how->shares_y) tg_lend(y, Y);
    if (keep) tg_draw_keep(engine, tg_data(keep), weights, kept);
    t.y = heads_of(buffer);
    tg_attention(is_double(y), &t);
    if (buffer != y) tg_copy_into(y, unpadded);
    return y;
}
