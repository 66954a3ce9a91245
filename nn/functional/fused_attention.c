/* nn/functional/fused_attention.c: softmax(q k^T scale + mask) v as one record, by kernels/attention/attention.h. */
#include "nn/functional/fused_attention.h"

#include <math.h>
#include <string.h>

#include "core/kernels/random/distributions.h"
#include "core/kernels/random/dropout.h"
#include "core/ops/pointwise_internal.h"
#include "core/ops/random_internal.h"
#include "nn/functional/functional_internal.h"

/* ---- masks as bits ---- */

#define WORD(type)                                                                               \
    for (int64_t i = 0; i < n; i++) {                                                            \
        type value = *(const type *)(p + i * step);                                              \
        bits |= (uint64_t)(value == 1) << i;                                                     \
        *has_odd |= value != 0 && value != 1;                                                    \
    }

/* Bit i: the i-th of n <= 64 elements is 1. */
static uint64_t read_word(const char *p, int64_t step, int64_t n, t_DType dtype, bool *has_odd) {
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

bool tg_read_sight(tg_Sight *sight, const Tensor *mask, int64_t keys, bool shown) {
    const int64_t row_words = (keys + 63) / 64, *size = mask->shape, item = (int64_t)tg_itemsize(mask->dtype);
    const int64_t words = size[0] * size[1] * size[2] * row_words, step = size[3] > 1 ? mask->strides[3] * item : 0;
    *sight = (tg_Sight){.bits = tg_empty(&words, 1, t_int64)};
    if (!sight->bits) return false;
    uint64_t *to = tg_data(sight->bits);
    for (int64_t row = 0; row < size[0] * size[1] * size[2]; row++) {
        const int64_t i = row % size[2], h = row / size[2] % size[1], b = row / size[2] / size[1];
        const char *p = (const char *)tg_data(mask) + (b * mask->strides[0] + h * mask->strides[1] + i * mask->strides[2]) * item;
        uint64_t any = 0;
        for (int64_t j = 0; j < keys; j += 64) {
            const int64_t n = keys - j < 64 ? keys - j : 64;
            const uint64_t whole = n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX,
                bits = read_word(p + j * step, step, n, mask->dtype, &sight->has_odd);
            any |= *to++ = shown ? bits : bits ^ whole;
        }
        sight->has_blind |= !any;
    }
    sight->row = size[2] > 1 ? row_words : 0;
    sight->head = size[1] > 1 ? size[2] * row_words : 0;
    sight->batch = size[0] > 1 ? size[1] * size[2] * row_words : 0;
    return true;
}

/* ---- to the kernel and back ---- */

typedef struct Attended {
    double scale, keep_scale;
    bool causal, zero_when_blind;
    int64_t sees_batch, sees_head, sees_row;
} Attended;
enum { Q, K, V, Y, STATS, SEES, BIAS, KEEP };

bool tg_can_attend(const Tensor *q, const Tensor *k, const Tensor *v) {
    const Tensor *x[] = {q, k, v};
    if (tg_thread.anomaly.on) return false; /* which looks at each op's values */
    for (int i = 0; i < 3; i++)
        if (x[i]->ndim != 4 || !tg_numel(x[i]) || x[i]->dtype != q->dtype || x[i]->shape[0] != q->shape[0] || x[i]->shape[3] != q->shape[3])
            return false;
    return tg_is_floating(q->dtype) && q->shape[3] * (int64_t)tg_itemsize(q->dtype) <= TG_ATTENTION_MOST &&
           k->shape[1] == v->shape[1] && k->shape[2] == v->shape[2] && q->shape[1] % k->shape[1] == 0;
}

static bool is_double(const Tensor *x) {
    return x->dtype == t_float64;
}

static int64_t wide(const Tensor *x) {
    const int64_t step = tg_attention_step(is_double(x));
    return (x->shape[3] + step - 1) / step * step;
}

static bool fits_kernel(const Tensor *x) {
    return wide(x) == x->shape[3] && x->strides[3] == 1;
}

static tg_Heads heads_of(const Tensor *x) {
    return (tg_Heads){tg_data(x), x->strides[0], x->strides[1], x->strides[2]};
}

/* (batch, heads, length, d), in memory (batch, length, heads, d): the kernel's room. */
static Tensor *empty_heads(const int64_t *shape, int64_t d, t_DType dtype) {
    const int64_t sizes[] = {shape[0], shape[1], shape[2], d};
    return tg_empty_strided(sizes, (int64_t[]){shape[2] * shape[1] * d, d, shape[1] * d, 1}, 4, dtype);
}

/* The result for queries q. */
static Tensor *empty_result(const Tensor *q, bool contiguous) {
    return contiguous || q->strides[3] != 1 ? tg_empty(q->shape, 4, q->dtype) : tg_empty_like(q, q->dtype);
}

/* The part of a widened tensor that is x's. */
static Tensor *part_of(Tensor *widened, const Tensor *x) {
    return tg_view(widened, x->shape, widened->strides, 4, widened->offset);
}

/* x itself, or a copy as the kernel wants it, with zeros behind the last dim. */
static Tensor *widened(Tensor *x) {
    if (!x || fits_kernel(x)) return x;
    Tensor *y = empty_heads(x->shape, wide(x), x->dtype), *part = y ? part_of(y, x) : NULL;
    if (!part) return NULL;
    tg_fill_into(y, 0);
    tg_copy_into(part, x);
    return y;
}

/* What the kernel asks for; false where there is no memory. y's data are left to the caller. */
static bool describe(tg_Attention *t, const Attended *how, Tensor *const *saved, Tensor **q, Tensor **k, Tensor **v) {
    if (!(*q = widened(saved[Q])) || !(*k = widened(saved[K])) || !(*v = widened(saved[V]))) return false;
    const Tensor *bias = saved[BIAS];
    *t = (tg_Attention){.batch = (*q)->shape[0], .heads = (*q)->shape[1], .kv_heads = (*k)->shape[1], .queries = (*q)->shape[2],
                        .keys = (*k)->shape[2], .d = (*q)->shape[3], .q = heads_of(*q), .k = heads_of(*k), .v = heads_of(*v),
                        .scale = how->scale, .causal = how->causal, .zero_when_blind = how->zero_when_blind,
                        .sees = saved[SEES] ? tg_data(saved[SEES]) : NULL, .sees_batch = how->sees_batch,
                        .sees_head = how->sees_head, .sees_row = how->sees_row, .keep = saved[KEEP] ? tg_data(saved[KEEP]) : NULL,
                        .keep_scale = how->keep_scale, .stats = saved[STATS] ? tg_data(saved[STATS]) : NULL};
    if (!bias) return true;
    int64_t step[4];
    for (int d = 0; d < 4; d++) step[d] = bias->shape[d] == 1 ? 0 : bias->strides[d];
    t->bias = (tg_Heads){tg_data(bias), step[0], step[1], step[2]};
    t->bias_key = step[3];
    return true;
}

/* ---- gradients ---- */

static Tensor *hidden_keys(const Attended *how, Tensor *sees, const int64_t scores[4]) {
    const int64_t B = sees && how->sees_batch ? scores[0] : 1, H = sees && how->sees_head ? scores[1] : 1;
    Tensor *hidden = tg_empty((int64_t[]){B, H, scores[2], scores[3]}, 4, t_bool);
    if (!hidden) return NULL;
    const uint64_t *bits = sees ? tg_data(sees) : NULL;
    bool *to = tg_data(hidden);
    for (int64_t b = 0; b < B; b++)
        for (int64_t h = 0; h < H; h++)
            for (int64_t i = 0; i < scores[2]; i++)
                for (int64_t j = 0; j < scores[3]; j++) {
                    const bool seen = !bits || (bits[b * how->sees_batch + h * how->sees_head + i * how->sees_row + j / 64] >> j % 64 & 1);
                    *to++ = !seen || (how->causal && j > i);
                }
    return hidden;
}

static Tensor *weights_of(const Attended *how, Tensor *q, Tensor *k, Tensor *hidden, Tensor *bias) {
    const int64_t last = -1;
    Tensor *scores = t_matmul(t_mul(q, t_number(how->scale)), t_transpose(k, -2, -1));
    if (bias) scores = t_add(scores, bias);
    if (hidden) scores = t_masked_fill(scores, hidden, t_number(-(double)INFINITY));
    if (!how->zero_when_blind) return t_softmax(scores, -1);
    Tensor *blind = t_all(t_eq(scores, t_number(-(double)INFINITY)), &last, 1, true);
    return t_masked_fill(t_softmax(t_masked_fill(scores, blind, t_number(0)), -1), blind, t_number(0));
}

/* (B, h, S, d) for each of H heads, and back: the sum over the heads that share one. */
static Tensor *shared_among(Tensor *x, int64_t heads) {
    return x->shape[1] == heads ? x : tg_repeat_heads(x, heads);
}
static Tensor *summed_to(Tensor *x, const int64_t shape[4]) {
    if (!x || x->shape[1] == shape[1]) return x;
    const int64_t apart[] = {shape[0], shape[1], x->shape[1] / shape[1], shape[2], shape[3]}, dim = 2;
    return t_sum(t_reshape(x, apart, 5), &dim, 1, false);
}

/* In ops, for create_graph: dS = P (dP - sum(dP P)), with P and dP as the dropout left them where it took part. */
static void composed_attention_backward(Record *r, Tensor *const *saved, Tensor *dy, Tensor **dx) {
    const Attended *how = r->attributes;
    Tensor *q = saved[Q], *k = shared_among(saved[K], q->shape[1]), *v = shared_among(saved[V], q->shape[1]);
    if (!k || !v) return;
    const int64_t scores[] = {q->shape[0], q->shape[1], q->shape[2], k->shape[2]}, last = -1;
    Tensor *hidden = saved[SEES] || how->causal ? hidden_keys(how, saved[SEES], scores) : NULL;
    Tensor *mask = saved[KEEP] ? tg_dropout_mask(scores, 4, q->dtype, saved[KEEP], how->keep_scale) : NULL;
    Tensor *p = weights_of(how, q, k, hidden, saved[BIAS]), *dp = t_matmul(dy, t_transpose(v, -2, -1));
    if (saved[KEEP]) dp = t_mul(dp, mask);
    Tensor *ds = t_mul(t_mul(p, t_sub(dp, t_sum(t_mul(dp, p), &last, 1, true))), t_number(how->scale));
    dx[Q] = t_matmul(ds, k);
    dx[K] = summed_to(t_matmul(t_transpose(ds, -2, -1), q), saved[K]->shape);
    dx[V] = summed_to(t_matmul(t_transpose(saved[KEEP] ? t_mul(p, mask) : p, -2, -1), dy), saved[V]->shape);
}

/* Room for the gradient of x: what becomes dx, and what the kernel writes, which is another where x does not fit. */
static bool room_for(Tensor *x, Tensor **dx, Tensor **room) {
    if (!(*dx = tg_empty_like(x, x->dtype))) return false;
    *room = fits_kernel(*dx) ? *dx : empty_heads(x->shape, wide(x), x->dtype);
    return *room != NULL;
}

static void fused_attention_backward(Record *r, Tensor *const *saved, Tensor *dy, Tensor **dx) {
    Tensor *made[3] = {NULL}, *room[3] = {NULL}, *x[3], *y = widened(saved[Y]);
    tg_Attention t;
    if (!y || !(dy = widened(dy)) || !describe(&t, r->attributes, saved, &x[Q], &x[K], &x[V])) return;
    t.y = heads_of(y);
    for (int i = 0; i < 3; i++)
        if (tg_needs(r, i) && !room_for(saved[i], &made[i], &room[i])) return;
    tg_AttentionGradients g = {.dy = heads_of(dy)};
    if (room[Q]) g.dq = heads_of(room[Q]);
    if (room[K]) g.dk = heads_of(room[K]);
    if (room[V]) g.dv = heads_of(room[V]);
    const int64_t parts = tg_attention_parts(is_double(y), &t);
    Tensor *hands = parts ? tg_empty(&parts, 1, y->dtype) : NULL;
    if (parts && !hands) return;
    g.parts = parts ? tg_data(hands) : NULL;
    tg_attention_backward(is_double(y), &t, &g);
    for (int i = 0; i < 3; i++) {
        if (made[i] != room[i]) tg_copy_into(made[i], part_of(room[i], made[i]));
        dx[i] = made[i];
    }
}

static void attention_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *saved[KEEP + 1];
    for (int i = 0; i <= KEEP; i++)
        if (!(saved[i] = tg_saved(r, i)) && (i <= STATS || r->saved[i].tensor)) return;
    (t_is_grad_enabled() ? composed_attention_backward : fused_attention_backward)(r, saved, dy, dx);
}
static const Op attention_op = {"scaled_dot_product_attention", "ScaledDotProductFlashAttentionForCpuBackward0", attention_backward};

Tensor *tg_attend(Tensor *q, Tensor *k, Tensor *v, const tg_AttentionHow *how) {
    Tensor *x[] = {q, k, v}, *stats = NULL, *keep = NULL, *wq, *wk, *wv;
    const int64_t weights = q->shape[0] * q->shape[1] * q->shape[2] * k->shape[2], words = tg_keep_words(weights) + 1;
    tg_MT19937 *engine = how->dropout_p > 0 ? tg_engine(NULL) : NULL;
    if (how->dropout_p > 0 && !(engine && (keep = tg_empty(&words, 1, t_int64)))) return NULL;
    if (tg_will_record(x, 3)) {
        stats = tg_empty((int64_t[]){q->shape[0], q->shape[1], 2, q->shape[2]}, 4, q->dtype);
        if (!stats) return NULL;
    }
    const double kept = 1 - how->dropout_p;
    const Attended attended = {how->scale, q->dtype == t_float32 ? (double)(1.0f / (float)kept) : 1.0 / kept, how->causal,
                               how->zero_when_blind, how->sight.batch, how->sight.head, how->sight.row};
    tg_Attention t;
    Tensor *y = empty_result(q, how->contiguous);
    Tensor *saved[] = {q, k, v, y, stats, how->sight.bits, how->bias, keep};
    if (!y || !describe(&t, &attended, saved, &wq, &wk, &wv)) return NULL;
    Tensor *room = fits_kernel(y) ? y : empty_heads(y->shape, t.d, y->dtype);
    Tensor *part = room && room != y ? part_of(room, y) : room;
    if (!part) return NULL;
    y = tg_record(&attention_op, y, x, 3, saved, KEEP + 1, ATTRIBUTES(attended));
    if (!y) return NULL;
    if (how->lends_y) tg_lend(y, Y);
    if (keep) tg_draw_keep(engine, tg_data(keep), weights, kept);
    t.y = heads_of(room);
    tg_attention(is_double(y), &t);
    if (room != y) tg_copy_into(y, part);
    return y;
}
