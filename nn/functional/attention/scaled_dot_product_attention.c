/* nn/functional/attention/scaled_dot_product_attention.c: Attention(Q, K, V) = softmax(Q K^T / sqrt(d)) V (Vaswani et
 * al. 2017, section 3.2.1), the one attention of the library: F.scaled_dot_product_attention, nn_MultiHeadAttention and
 * nn_MultiheadAttention, and through them every Transformer layer, call tg_scaled_dot_product_attention.
 *
 * It is written twice. The composed form (first) is the formula in ops, and stores the weights, of L S elements per
 * head. The fused form (after it) is one record around core/kernels/attention, which computes the weights tile by tile,
 * and again in the backward. tg_scaled_dot_product_attention says which of the two runs.
 *
 * B batch, H heads, L queries, S keys, d features per head: q is (B, H, L, d), k and v are (B, H, S, d). */
#include <math.h>
#include <string.h>

#include "core/autograd/teach.h"
#include "core/kernels/attention/attention.h"
#include "core/kernels/random/distributions.h"
#include "core/kernels/random/dropout.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/dtype_convert.h"
#include "nn/functional/attention/attention_internal.h"
#include "nn/functional/dropout/dropout_internal.h"

/* ---- composed of ops ---- */

/* q k^T / sqrt(d): (..., L, S). */
static Tensor *scores_of(Tensor *q, Tensor *k, const tg_AttentionOptions *o) {
    if (o->divisor != 0) return t_div(t_matmul(q, t_transpose(k, -2, -1)), t_number(o->divisor));
    return t_matmul(t_mul(q, t_number(o->scale)), t_transpose(k, -2, -1));
}

/* The scores plus the additive mask, and -inf where the mask of zeros and ones masks a key out: *hidden. With
 * nan_if_fully_masked that mask is added as log 1 and log 0, as PyTorch does there, so that the NaN of a fully masked
 * row also enters the gradient of its scores. Masks broadcast; one of more dims than the scores is refused. */
static Tensor *masked(Tensor *scores, const tg_AttentionOptions *o, Tensor **hidden) {
    if (!scores || !(o->mask || o->bias || o->causal)) return scores;
    Tensor *mask = o->mask, *y;
    if (o->causal) {
        t_TensorOptions options = {.size = sizeof options, .dtype = t_bool};
        mask = t_tril(t_ones(scores->shape + scores->ndim - 2, 2, &options), 0);
    }
    if (o->bias) {
        y = t_add(scores, o->bias);
    } else if (o->nan_if_fully_masked) {
        y = t_add(scores, t_log(t_to(mask, scores->dtype)));
    } else {
        *hidden = o->one_hides ? t_eq(mask, t_integer(1)) : t_logical_not(mask);
        y = t_masked_fill(scores, *hidden, t_number(-(double)INFINITY));
    }
    if (!y || tg_same_shape(y, scores)) return y;
    return tg_fail("output with shape %s doesn't match the broadcast shape %s", tg_shape_of(scores), tg_shape_of(y));
}

/* softmax along the keys. In a fully masked row softmax(-inf, -inf, ...) is 0 / 0, NaN; with zero_if_fully_masked
 * it gets weights of 0, which pass no gradient on. Such rows are known from the mask, where the caller has read it;
 * else all their scores are -inf. */
static Tensor *softmax_of(Tensor *scores, const tg_AttentionOptions *o, Tensor *hidden) {
    const int64_t last = -1;
    if (!scores || !o->zero_if_fully_masked) return t_softmax(scores, -1);
    Tensor *fully_masked =
        t_all(o->mask_bits.bits ? hidden : t_eq(scores, t_number(-(double)INFINITY)), &last, 1, true);
    Tensor *any = t_any(fully_masked, NULL, 0, false);
    if (!any || !t_is_true(any)) return any ? t_softmax(scores, -1) : NULL;
    return t_masked_fill(t_softmax(t_masked_fill(scores, fully_masked, t_number(0)), -1), fully_masked, t_number(0));
}

static Tensor *dropped(Tensor *weights, const tg_AttentionOptions *o) {
    if (o->dropout_module) return o->call_dropout(o->dropout_module, weights);
    return o->dropout_p != 0 ? F_dropout(weights, o->dropout_p, true, false) : weights;
}

/* (..., h, S, E) -> (..., H, S, E): each head is repeated H / h times in a row. */
static Tensor *repeat_heads(Tensor *x, int64_t heads) {
    int64_t padded[T_MAX_DIMS + 1], shape[T_MAX_DIMS];
    int d;
    if (!tg_wrap_dim(-3, x->ndim, &d)) return NULL;
    if (x->shape[d] == 0 || heads % x->shape[d])
        return tg_fail("Number of heads in key and value must divide the number of heads in query");
    if (x->shape[d] == heads) return x;
    Tensor *y = t_unsqueeze(x, d + 1);
    for (int i = 0; i < x->ndim; i++) shape[i] = padded[i + (i > d)] = x->shape[i];
    shape[d] = heads;
    padded[d + 1] = heads / x->shape[d];
    return t_reshape(t_expand(y, padded, x->ndim + 1), shape, x->ndim);
}

/* For any shapes, for masks that require a gradient, and for callers that want the weights. */
static Tensor *composed_attention(Tensor *q, Tensor *k, Tensor *v, const tg_AttentionOptions *o, Tensor **weights_out) {
    TG_COMPOSITE("scaled_dot_product_attention");
    /* as in PyTorch, which adds a batch dim here, visible in grad_fn's names and in error messages */
    const bool batch_only = q->ndim == 3 && k->ndim == 3 && v->ndim == 3;
    if (batch_only) {
        q = t_unsqueeze(q, 0);
        k = t_unsqueeze(k, 0);
        v = t_unsqueeze(v, 0);
    }
    if (o->enable_gqa && q && k && v) {
        int heads;
        if (!tg_wrap_dim(-3, q->ndim, &heads)) return NULL;
        k = repeat_heads(k, q->shape[heads]);
        v = repeat_heads(v, q->shape[heads]);
    }
    Tensor *hidden = NULL, *scores = masked(scores_of(q, k, o), o, &hidden), *before = softmax_of(scores, o, hidden);
    Tensor *weights = dropped(before, o), *y = t_matmul(weights, v);
    if (weights_out) *weights_out = o->weights_before_dropout ? before : weights;
    return batch_only ? t_squeeze(y, 0) : y;
}

/* ---- fused: masks as bits ---- */

#define WORD(type)                                  \
    for (int64_t i = 0; i < n; i++) {               \
        type value = *(const type *)(p + i * step); \
        bits |= (uint64_t)(value == 1) << i;        \
        *has_invalid |= value != 0 && value != 1;   \
    }

/* Bit i is set if the i-th of n <= 64 elements is 1. */
static uint64_t read_word(const char *p, int64_t step, int64_t n, t_DType dtype, bool *has_invalid) {
    uint64_t bits = 0;
    switch (dtype) {
    case t_bool: for (int64_t i = 0; i < n; i++) bits |= (uint64_t)(p[i * step] != 0) << i; break;
    case t_int64: WORD(int64_t) break;
    case t_float32: WORD(float) break;
    case t_float64: WORD(double) break;
    default:
        for (int64_t i = 0; i < n; i++) {
            const double value = tg_element_as_double(dtype, p + i * step);
            bits |= (uint64_t)(value == 1) << i;
            *has_invalid |= value != 0 && value != 1;
        }
    }
    return bits;
}
#undef WORD

bool tg_read_mask_bits(tg_MaskBits *mask_bits, const Tensor *mask, int64_t keys, bool keep_if) {
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
            any |= *to++ = keep_if ? bits : bits ^ all_bits;
        }
        mask_bits->has_fully_masked |= !any;
    }
    mask_bits->row = size[2] > 1 ? row_words : 0;
    mask_bits->head = size[1] > 1 ? size[2] * row_words : 0;
    mask_bits->batch = size[0] > 1 ? size[1] * size[2] * row_words : 0;
    return true;
}

/* ---- fused: the kernel's arguments ---- */

typedef struct AttentionAttributes {
    double scale, dropout_scale;
    bool causal, zero_if_fully_masked;
    int64_t mask_batch, mask_head, mask_row; /* strides of the mask's bits, in words */
} AttentionAttributes;
enum { Q, K, V, Y, STATS, MASK, BIAS, DROPOUT_MASK };

static bool is_double(const Tensor *x) {
    return x->dtype == t_float64;
}

static int64_t padded_size(const Tensor *x) {
    const int64_t step = tg_attention_lanes(is_double(x));
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
                        .zero_if_fully_masked = how->zero_if_fully_masked,
                        .mask = saved[MASK] ? tg_data(saved[MASK]) : NULL,
                        .mask_batch = how->mask_batch, .mask_head = how->mask_head, .mask_row = how->mask_row,
                        .dropout = saved[DROPOUT_MASK] ? tg_data(saved[DROPOUT_MASK]) : NULL,
                        .dropout_scale = how->dropout_scale,
                        .stats = saved[STATS] ? tg_data(saved[STATS]) : NULL};
    if (!bias) return true;
    int64_t step[4];
    for (int d = 0; d < 4; d++) step[d] = bias->shape[d] == 1 ? 0 : bias->strides[d];
    t->bias = (tg_Heads){tg_data(bias), step[0], step[1], step[2]};
    t->bias_key = step[3];
    return true;
}

/* ---- fused: the backward ---- */

/* The bool mask (B or 1, H or 1, L, S) of the bits and the causal mask: true where a key is masked out. */
static Tensor *masked_out(const AttentionAttributes *how, Tensor *mask, const int64_t scores[4]) {
    const int64_t B = mask && how->mask_batch ? scores[0] : 1, H = mask && how->mask_head ? scores[1] : 1;
    Tensor *hidden = tg_empty((int64_t[]){B, H, scores[2], scores[3]}, 4, t_bool);
    if (!hidden) return NULL;
    const uint64_t *bits = mask ? tg_data(mask) : NULL;
    bool *to = tg_data(hidden);
    for (int64_t b = 0; b < B; b++)
        for (int64_t h = 0; h < H; h++)
            for (int64_t i = 0; i < scores[2]; i++)
                for (int64_t j = 0; j < scores[3]; j++) {
                    const bool seen =
                        !bits ||
                        (bits[b * how->mask_batch + h * how->mask_head + i * how->mask_row + j / 64] >> j % 64 & 1);
                    *to++ = !seen || (how->causal && j > i);
                }
    return hidden;
}

static Tensor *weights_of(const AttentionAttributes *how, Tensor *q, Tensor *k, Tensor *hidden, Tensor *bias) {
    const int64_t last = -1;
    Tensor *scores = t_matmul(t_mul(q, t_number(how->scale)), t_transpose(k, -2, -1));
    if (bias) scores = t_add(scores, bias);
    if (hidden) scores = t_masked_fill(scores, hidden, t_number(-(double)INFINITY));
    if (!how->zero_if_fully_masked) return t_softmax(scores, -1);
    Tensor *fully_masked = t_all(t_eq(scores, t_number(-(double)INFINITY)), &last, 1, true);
    return t_masked_fill(t_softmax(t_masked_fill(scores, fully_masked, t_number(0)), -1), fully_masked, t_number(0));
}

/* (B, h, S, d) with each head repeated, for H heads; and its adjoint, the sum over the heads that share one. */
static Tensor *repeat_heads_to(Tensor *x, int64_t heads) {
    return x->shape[1] == heads ? x : repeat_heads(x, heads);
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
    Tensor *hidden = saved[MASK] || how->causal ? masked_out(how, saved[MASK], scores) : NULL;
    Tensor *bits = saved[DROPOUT_MASK],
           *factors = bits ? tg_dropout_mask(scores, 4, q->dtype, bits, how->dropout_scale) : NULL;
    Tensor *p = weights_of(how, q, k, hidden, saved[BIAS]), *dp = t_matmul(dy, t_transpose(v, -2, -1));
    if (factors) dp = t_mul(dp, factors);
    Tensor *ds = t_mul(t_mul(p, t_sub(dp, t_sum(t_mul(dp, p), &last, 1, true))), t_number(how->scale));
    dx[Q] = t_matmul(ds, k);
    dx[K] = sum_heads_to(t_matmul(t_transpose(ds, -2, -1), q), saved[K]->shape);
    dx[V] = sum_heads_to(t_matmul(t_transpose(factors ? t_mul(p, factors) : p, -2, -1), dy), saved[V]->shape);
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
    const int64_t parts = tg_attention_workspace(is_double(y), &t);
    Tensor *partial = parts ? tg_empty(&parts, 1, y->dtype) : NULL;
    if (parts && !partial) return;
    g.workspace = parts ? tg_data(partial) : NULL;
    tg_attention_backward(is_double(y), &t, &g);
    for (int i = 0; i < 3; i++) {
        if (gradient[i] != buffer[i]) tg_copy_into(gradient[i], unpadded_view(buffer[i], gradient[i]));
        dx[i] = gradient[i];
    }
}

static void attention_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *saved[DROPOUT_MASK + 1];
    for (int i = 0; i <= DROPOUT_MASK; i++)
        if (!(saved[i] = tg_saved(r, i)) && (i <= STATS || r->saved[i].tensor)) return;
    (t_is_grad_enabled() ? composed_attention_backward : fused_attention_backward)(r, saved, dy, dx);
}
static const Op attention_op = {"scaled_dot_product_attention", "ScaledDotProductFlashAttentionForCpuBackward0",
                                attention_backward};

/* ---- fused: the forward ---- */

/* Size d of x with four dims, where leading ones of size 1 may be missing. */
static int64_t size_at(const Tensor *x, int d) {
    const int i = d - 4 + x->ndim;
    return i < 0 ? 1 : x->shape[i];
}

static Tensor *with_four_dims(Tensor *x) {
    while (x && x->ndim < 4) x = t_unsqueeze(x, 0);
    return x;
}

/* True if the kernel supports these: tensors of two to four dims, not empty, with one batch size and one d, which is
 * not too large; masks that broadcast to the scores and require no gradient. Everything else is for the composed form,
 * which also sets the errors. */
static bool can_fuse(const Tensor *q, const Tensor *k, const Tensor *v, const tg_AttentionOptions *o) {
    const Tensor *x[] = {q, k, v}, *mask = o->mask ? o->mask : o->bias;
    if (tg_thread.anomaly.on || tg_pack_hooks_in_force()) return false; /* they look at the results of each op */
    if (o->dropout_module || o->dropout_p == 1) return false;
    if (o->bias && (o->nan_if_fully_masked || (o->bias->requires_grad && t_is_grad_enabled()))) return false;
    for (int i = 0; i < 3; i++)
        if (x[i]->ndim != q->ndim || x[i]->ndim > 4 || !tg_numel(x[i]) || x[i]->dtype != q->dtype ||
            size_at(x[i], 0) != size_at(q, 0) || size_at(x[i], 3) != size_at(q, 3))
            return false;
    const int64_t heads = size_at(k, 1), scores[] = {size_at(q, 0), size_at(q, 1), size_at(q, 2), size_at(k, 2)};
    if (size_at(v, 1) != heads || size_at(v, 2) != scores[3]) return false;
    if (scores[1] != heads && (!o->enable_gqa || scores[1] % heads)) return false;
    if (mask && (mask->ndim > q->ndim || !tg_numel(mask))) return false;
    for (int d = 0; mask && d < 4; d++)
        if (size_at(mask, d) != 1 && size_at(mask, d) != scores[d]) return false;
    return tg_is_floating(q->dtype) &&
           size_at(q, 3) * (int64_t)tg_itemsize(tg_wide(q->dtype)) <= TG_ATTENTION_MAX_BYTES;
}

/* q, k, v: of four dims; float16 and bfloat16 are widened for the kernel, and its result is rounded. Random numbers are
 * drawn for all weights in the order (batch, head, query, key), and none if the call fails. */
static Tensor *record_attention(Tensor *q, Tensor *k, Tensor *v, const tg_AttentionOptions *o, Tensor *bias) {
    Tensor *x[] = {q, k, v}, *stats = NULL, *dropout_mask = NULL, *wq, *wk, *wv;
    const t_DType wide = tg_wide(q->dtype);
    const int64_t weights = q->shape[0] * q->shape[1] * q->shape[2] * k->shape[2],
                  words = tg_dropout_mask_words(weights) + 1;
    tg_MT19937 *engine = o->dropout_p > 0 ? tg_engine(NULL) : NULL;
    if (o->dropout_p > 0 && !(engine && (dropout_mask = tg_empty(&words, 1, t_int64)))) return NULL;
    if (tg_will_record(x, 3)) {
        stats = tg_empty((int64_t[]){q->shape[0], q->shape[1], 2, q->shape[2]}, 4, wide);
        if (!stats) return NULL;
    }
    const double kept = 1 - o->dropout_p;
    const AttentionAttributes attributes = {
        o->scale,           wide == t_float32 ? (double)(1.0f / (float)kept) : 1.0 / kept,
        o->causal,          o->zero_if_fully_masked,
        o->mask_bits.batch, o->mask_bits.head,
        o->mask_bits.row};
    tg_Attention t;
    Tensor *y = empty_result(q, o->contiguous);
    Tensor *saved[] = {q, k, v, y, stats, o->mask_bits.bits, bias, dropout_mask}, *in[DROPOUT_MASK + 1];
    memcpy(in, saved, sizeof saved);
    for (int i = Q; i <= V; i++)
        if (!(in[i] = tg_widened(wide == q->dtype ? x[i] : t_detach(x[i])))) return NULL;
    if (!y || !init_job(&t, &attributes, in, &wq, &wk, &wv)) return NULL;
    Tensor *buffer = fits_kernel(y) && y->dtype == wide ? y : empty_heads(y->shape, t.d, wide);
    Tensor *unpadded = buffer && buffer != y ? unpadded_view(buffer, y) : buffer;
    if (!unpadded) return NULL;
    y = tg_record(&attention_op, y, x, 3, saved, DROPOUT_MASK + 1, ATTRIBUTES(attributes));
    if (!y) return NULL;
    if (o->shares_y) tg_save_copy_on_write(y, Y);
    if (dropout_mask) tg_draw_dropout_mask(engine, tg_data(dropout_mask), weights, kept);
    t.y = heads_of(buffer);
    tg_attention(wide == t_float64, &t);
    if (buffer != y) tg_copy_into(y, unpadded);
    return y;
}

static Tensor *fused_attention(Tensor *q, Tensor *k, Tensor *v, const tg_AttentionOptions *o) {
    const int ndim = q->ndim;
    Tensor *bias = with_four_dims(tg_widened_optional(o->bias));
    if (!(q = with_four_dims(q)) || !(k = with_four_dims(k)) || !(v = with_four_dims(v)) || (o->bias && !bias))
        return NULL;
    Tensor *y = record_attention(q, k, v, o, bias);
    for (int d = ndim; d < 4; d++) y = y ? tg_detach_from_base(t_squeeze(y, 0)) : NULL;
    return y;
}

/* ---- composed or fused ---- */

/* float16 and bfloat16 composed in float32; the result and the weights are rounded. */
static Tensor *composed_half_attention(Tensor *q, Tensor *k, Tensor *v, tg_AttentionOptions o, Tensor **weights) {
    Tensor *y;
    const t_DType dtype = q->dtype;
    const bool has_bias = o.bias != NULL;
    o.bias = tg_widened_optional(o.bias);
    q = tg_widened(q);
    k = tg_widened(k);
    v = tg_widened(v);
    if (!q || !k || !v || (has_bias && !o.bias)) return NULL;
    TG_WITHOUT_AUTOCAST(y, composed_attention(q, k, v, &o, weights));
    if (y && weights && *weights && !(*weights = tg_narrowed(*weights, dtype))) return NULL;
    return tg_narrowed(y, dtype);
}

Tensor *tg_scaled_dot_product_attention(Tensor *q, Tensor *k, Tensor *v, const tg_AttentionOptions *options,
                                        Tensor **weights) {
    tg_AttentionOptions o = *options;
    const bool drops = o.dropout_p > 0;
    bool fused = !weights && can_fuse(q, k, v, &o);
    tg_Draws draws;
    if (fused && o.mask && !o.mask_bits.bits) {
        Tensor *mask = with_four_dims(o.mask);
        if (!mask || !tg_read_mask_bits(&o.mask_bits, mask, k->shape[k->ndim - 2], !o.one_hides)) return NULL;
    }
    if (o.nan_if_fully_masked && o.mask_bits.has_fully_masked) fused = false;
    if (drops && tg_thread.teaching) tg_teach_dropout();
    if (drops && !tg_draws_begin(&draws, NULL)) return NULL;
    Tensor *y = (fused                      ? fused_attention(q, k, v, &o)
                 : tg_is_half(q->dtype) ? composed_half_attention(q, k, v, o, weights)
                                        : composed_attention(q, k, v, &o, weights));
    if (drops) tg_draws_end(&draws, y != NULL);
    return y;
}

/* ---- F.scaled_dot_product_attention ---- */

const F_AttentionOptions F_AttentionDefaults = {.size = sizeof F_AttentionDefaults, .scale = NAN};

static const char *dtype_name(t_DType dtype) {
    return dtype == t_int64 ? "long int" : tg_c_type_name(dtype);
}

static bool check_query_key_value(const Tensor *q, const Tensor *k, const Tensor *v) {
    if (q->dtype != k->dtype || q->dtype != v->dtype)
        return tg_fail(
            "Expected query, key, and value to have the same dtype, but got query.dtype: %s key.dtype: %s and "
            "value.dtype: %s instead.",
            dtype_name(q->dtype), dtype_name(k->dtype), dtype_name(v->dtype));
    if (q->ndim < 2 || k->ndim < 2 || v->ndim < 2)
        return tg_fail(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: %d key.dim: %d and "
            "value.dim: %d instead.",
            q->ndim, k->ndim, v->ndim);
    return tg_is_floating(q->dtype) || tg_fail("expected scalar type Float but found %s", tg_scalar_name(q->dtype));
}

static bool check_mask(const Tensor *q, const F_AttentionOptions *o) {
    const Tensor *mask = o->attn_mask;
    if (!mask) return true;
    if (mask->dtype != t_bool && mask->dtype != q->dtype && mask->dtype != t_float32)
        return tg_fail(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: %s and  "
            "query.dtype: %s instead.",
            dtype_name(mask->dtype), dtype_name(q->dtype));
    return !o->is_causal ||
           tg_fail("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
}

/* The memory layout of PyTorch's result: that of query from its fused kernel; contiguous from its matmul path, which
 * serves dropout, a query of two dims, and a mask of three dims with a query of four. */
static bool is_contiguous_in_pytorch(const Tensor *q, const F_AttentionOptions *o) {
    return o->dropout_p > 0 || q->ndim == 2 || (q->ndim == 4 && o->attn_mask && o->attn_mask->ndim == 3);
}

/* An empty result gives its mask no gradient, as in PyTorch. */
static Tensor *attend(Tensor *q, Tensor *k, Tensor *v, const F_AttentionOptions *o, bool need_weights, bool contiguous,
                      Tensor **weights) {
    const bool is_empty = tg_numel(v) == 0 || q->shape[q->ndim - 2] == 0;
    Tensor *mask = o->attn_mask;
    if (is_empty && !need_weights && mask && !(mask = t_detach(mask))) return NULL;
    const bool is_bool = mask && mask->dtype == t_bool;
    const tg_AttentionOptions options = {.scale = isnan(o->scale) ? 1 / sqrt((double)q->shape[q->ndim - 1]) : o->scale,
                                         .dropout_p = o->dropout_p, .causal = o->is_causal,
                                         .mask = is_bool ? mask : NULL, .bias = is_bool ? NULL : mask,
                                         .enable_gqa = o->enable_gqa, .nan_if_fully_masked = need_weights,
                                         .zero_if_fully_masked = mask && !need_weights, .contiguous = contiguous,
                                         .shares_y = q->ndim < 4 || o->dropout_p > 0};
    return tg_scaled_dot_product_attention(q, k, v, &options, weights);
}

Tensor *tg_functional_attention(Tensor *q, Tensor *k, Tensor *v, const F_AttentionOptions *o, bool need_weights,
                                Tensor **weights) {
    return attend(q, k, v, o, need_weights, false, weights);
}

/* F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
 * softmax(query key^T scale + mask) value, with dropout on the weights.
 * query: (..., L, E), key: (..., S, E), value: (..., S, Ev), of one floating dtype, whose batch dims broadcast;
 * attn_mask broadcasts to (..., L, S); returns (..., L, Ev). A bool mask is true where a key takes part, as in
 * PyTorch's function; the modules of nn/transformer/tutorial_transformer.h name the polarity of theirs. A query whose
 * keys are all masked out gets 0; with no keys at all, or an empty result, a mask gets no gradient (as in PyTorch).
 * enable_gqa repeats the heads (dim -3) of key and value up to query's. Where the batch dims are equal and E is Ev, the
 * fused kernel runs and the weights are not stored: memory grows with L + S, plus one bit per weight for dropout. The
 * result then has query's memory layout; with dropout, and from the composed path, it is contiguous. Can be
 * differentiated twice. Errors: other dtypes or sizes, a mask together with is_causal. */
Tensor *F_scaled_dot_product_attention(Tensor *query, Tensor *key, Tensor *value, const F_AttentionOptions *options) {
    TG_AUTOCAST(query);
    TG_AUTOCAST(key);
    TG_AUTOCAST(value);
    F_AttentionOptions o = F_AttentionDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!tg_check_any_three(query, key, value) || !tg_check_any_optional(o.attn_mask, 4)) return NULL;
    if (!check_query_key_value(query, key, value) || !check_mask(query, &o)) return NULL;
    if (!(o.dropout_p >= 0 && o.dropout_p <= 1))
        return tg_fail("dropout probability has to be between 0 and 1, but got %.15g", o.dropout_p);
    int depth = t_scope_open();
    const bool converts_mask = o.attn_mask && o.attn_mask->dtype == t_float32 && query->dtype == t_float64;
    if (!depth || (converts_mask && !(o.attn_mask = t_to(o.attn_mask, query->dtype))))
        return tg_scope_return(depth, NULL);
    return tg_scope_return(depth, attend(query, key, value, &o, false, is_contiguous_in_pytorch(query, &o), NULL));
}
