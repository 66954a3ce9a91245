/* nn/functional/attention/multi_head_attention_forward.c: F.multi_head_attention_forward: input and output projections,
 * masks and heads around scaled_dot_product_attention.c; nn.MultiheadAttention and PyTorch's Transformer layers call
 * it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"
#include "nn/functional/attention/attention_internal.h"
#include "nn/functional/linear/linear.h"
#include "nn/functional/vision/vision.h"

const F_MultiHeadAttentionOptions F_MultiHeadAttentionDefaults = {
    .size = sizeof F_MultiHeadAttentionDefaults, .training = true, .need_weights = true, .average_attn_weights = true};

/* The batch is dim `batch` of each input, its positions dim 1 - batch. added: the number of keys that bias_k and
 * add_zero_attn append. */
typedef struct Sizes {
    int batch;
    int64_t N, L, S, H, d, added, keys; /* keys: S, or the length of static_k */
} Sizes;

/* ---- checks ---- */

bool tg_check_mask(const Tensor *mask, const char *name) {
    if (!mask || mask->dtype == t_bool || tg_is_floating(mask->dtype)) return true;
    return tg_fail("only bool and floating types of %s are supported", name);
}

static bool check_dims(const Tensor *q, const Tensor *k, const Tensor *v, const tg_MultiHead *m) {
    const Tensor *padding = m->o.key_padding_mask, *mask = m->o.attn_mask;
    const char *kind = q->ndim == 3 ? "batched (3-D)" : "unbatched (2-D)";
    if (q->ndim != 2 && q->ndim != 3)
        return tg_fail("query should be unbatched 2D or batched 3D tensor but received %d-D query tensor", q->ndim);
    if (k->ndim != q->ndim || v->ndim != q->ndim)
        return tg_fail(
            "For %s `query`, expected `key` and `value` to be %d-D but found %d-D and %d-D tensors respectively", kind,
            q->ndim, k->ndim, v->ndim);
    if (padding && padding->ndim != q->ndim - 1)
        return tg_fail("For %s `query`, expected `key_padding_mask` to be `None` or %d-D but found %d-D tensor instead",
                       kind, q->ndim - 1, padding->ndim);
    if (mask && mask->ndim != 2 && mask->ndim != 3)
        return tg_fail("For %s `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found %d-D tensor instead",
                       kind, mask->ndim);
    const int64_t wanted[] = {m->num_heads, q->shape[0], k->shape[0]};
    for (int d = 0; q->ndim == 2 && mask && mask->ndim == 3 && d < 3; d++)
        if (mask->shape[d] != wanted[d])
            return tg_fail("Expected `attn_mask` shape to be (%" PRId64 ", %" PRId64 ", %" PRId64
                           ") but got torch.Size(%s)",
                           wanted[0], wanted[1], wanted[2], tg_shape_text(mask->shape, 3));
    return true;
}

/* The shape as (L, N, E), which PyTorch's messages quote. */
static const char *sequence_first_text(const Tensor *x, int batch, int ndim) {
    return tg_shape_text((int64_t[]){x->shape[1 - batch], x->shape[batch], x->shape[2]}, ndim);
}

static bool check_attention_sizes(const Tensor *const *x, const tg_MultiHead *m, const Sizes *s) {
    const Tensor *k = x[1], *v = x[2];
    const int64_t E = x[0]->shape[2];
    if (E != m->embed_dim)
        return tg_fail("was expecting embedding dimension of %" PRId64 ", but got %" PRId64, m->embed_dim, E);
    if (E % m->num_heads) return tg_fail("embed_dim %" PRId64 " not divisible by num_heads %" PRId64, E, m->num_heads);
    const bool same = k->shape[0] == v->shape[0] && k->shape[1] == v->shape[1];
    if (m->o.use_separate_proj_weight && !same)
        return tg_fail("key's sequence and batch dims torch.Size(%s) do not match value's torch.Size(%s)",
                       sequence_first_text(k, s->batch, 2), sequence_first_text(v, s->batch, 2));
    if (!m->o.use_separate_proj_weight && !(same && k->shape[2] == v->shape[2]))
        return tg_fail("key shape torch.Size(%s) does not match value shape torch.Size(%s)",
                       sequence_first_text(k, s->batch, 3), sequence_first_text(v, s->batch, 3));
    if (k->shape[s->batch] == s->N) return true;
    return tg_fail("shape '[%" PRId64 ", %" PRId64 ", %" PRId64 "]' is invalid for input of size %" PRId64, s->S,
                   s->N * s->H, s->d, s->S * k->shape[s->batch] * E);
}

/* ---- projections ---- */

/* `count` of three equal parts of the first dim, from part i on. */
static Tensor *thirds(Tensor *x, int i, int count) {
    if (!x || count == 3) return x;
    return t_narrow(x, 0, i * (x->shape[0] / 3), count * (x->shape[0] / 3));
}

/* With the packed in_proj_weight: inputs that are the same tensor share one matrix product. */
static bool project_packed(Tensor *const *x, const tg_MultiHead *m, Tensor **y) {
    if (!m->in_proj_weight) return tg_fail("use_separate_proj_weight is False but in_proj_weight is None");
    for (int i = 0, count; i < 3; i += count) {
        count = x[1] != x[2] || (i == 0 && x[0] != x[1]) ? 1 : 3 - i;
        Tensor *weight = thirds(m->in_proj_weight, i, count), *bias = thirds(m->in_proj_bias, i, count);
        Tensor *all = weight && (bias || !m->in_proj_bias) ? F_linear(x[i], weight, bias) : NULL;
        for (int j = 0; j < count; j++)
            if (!(y[i + j] = count == 1 || !all ? all : t_narrow(all, -1, j * m->embed_dim, m->embed_dim)))
                return false;
    }
    return true;
}

static bool project_separately(Tensor *const *x, const tg_MultiHead *m, Tensor **y) {
    static const char *const names[] = {"query", "key", "value"};
    Tensor *const weights[] = {m->o.q_proj_weight, m->o.k_proj_weight, m->o.v_proj_weight};
    for (int i = 0; i < 3; i++)
        if (!weights[i]) return tg_fail("use_separate_proj_weight is True but %c_proj_weight is None", *names[i]);
    for (int i = 0; i < 3; i++)
        if (weights[i]->ndim != 2 || weights[i]->shape[0] != m->embed_dim || weights[i]->shape[1] != x[i]->shape[2])
            return tg_fail("expecting %s weights shape of (%" PRId64 ", %" PRId64 "), but got torch.Size(%s)", names[i],
                           m->embed_dim, x[i]->shape[2], tg_shape_of(weights[i]));
    for (int i = 0; i < 3; i++) {
        Tensor *bias = thirds(m->in_proj_bias, i, 1);
        if ((m->in_proj_bias && !bias) || !(y[i] = F_linear(x[i], weights[i], bias))) return false;
    }
    return true;
}

/* (L, N, E) or (N, L, E) -> (N, H, L, d), as a view. */
static Tensor *split_heads(Tensor *x, const Sizes *s) {
    Tensor *y = t_view(x, (int64_t[]){x->shape[0], x->shape[1], s->H, s->d}, 4);
    return t_permute(y, (int64_t[]){s->batch, 2, 1 - s->batch, 3}, 4);
}

/* Appends to the keys or values, along S, the bias and a zero. */
static Tensor *append_keys(Tensor *x, Tensor *bias, bool add_zero, const Sizes *s) {
    const int64_t shape[] = {s->N, s->H, 1, s->d};
    t_TensorOptions options = {.size = sizeof options, .dtype = x ? x->dtype : t_float32};
    Tensor *added[3] = {x};
    int count = 1;
    if (bias) added[count++] = t_expand(t_reshape(bias, (int64_t[]){1, s->H, 1, s->d}, 4), shape, 4);
    if (add_zero) added[count++] = t_zeros(shape, 4, &options);
    if (!x || count == 1) return x;
    t_TensorList *list = t_list_new(added, count);
    return list ? t_cat(list, 2) : NULL;
}

/* static_k or static_v: (N H, S, d) -> (N, H, S, d). */
static Tensor *static_heads(Tensor *x, const char *name, const Sizes *s) {
    if (x->ndim != 3 || x->shape[0] != s->N * s->H || x->shape[2] != s->d)
        return tg_fail("%s must be (%" PRId64 ", S, %" PRId64 "), but has shape %s", name, s->N * s->H, s->d,
                       tg_shape_of(x));
    return t_reshape(x, (int64_t[]){s->N, s->H, x->shape[1], s->d}, 4);
}

/* ---- masks ---- */

/* The mask padded for the appended keys, which are never masked out. */
static Tensor *pad_mask(Tensor *mask, const Sizes *s) {
    return s->added ? F_pad(mask, (int64_t[]){0, s->added}, 2, "constant", 0) : mask;
}

/* attn_mask as (1 or N, 1 or H, L, S). */
static Tensor *expand_attn_mask(Tensor *mask, const Sizes *s) {
    const int64_t wanted[] = {s->N * s->H, s->L, s->S}, *given = mask->shape + mask->ndim - 2;
    const bool flat = mask->ndim == 2,
               fits = given[0] == s->L && given[1] == s->S && (flat || mask->shape[0] == wanted[0]);
    if (!fits) {
        char heads[24] = "";
        if (!flat) snprintf(heads, sizeof heads, "%" PRId64 ", ", wanted[0]);
        return tg_fail("The shape of the %dD attn_mask is torch.Size(%s), but should be (%s%" PRId64 ", %" PRId64 ").",
                       mask->ndim, tg_shape_of(mask), heads, s->L, s->S);
    }
    mask = pad_mask(mask, s);
    return mask ? t_reshape(mask, (int64_t[]){flat ? 1 : s->N, flat ? 1 : s->H, s->L, s->S + s->added}, 4) : NULL;
}

/* key_padding_mask as (N, 1, 1, S). */
static Tensor *expand_padding_mask(Tensor *padding, const Sizes *s) {
    const int64_t wanted[] = {s->N, s->keys}, added[] = {0, s->added};
    if (padding->ndim == 1 && !(padding = t_unsqueeze(padding, 0))) return NULL;
    for (int d = 0; d < 2; d++)
        if (padding->shape[d] != wanted[d])
            return tg_fail("Expected key_padded_mask.shape[%d] to be %" PRId64 ", but got %" PRId64, d,
                           wanted[d] + added[d], padding->shape[d] + added[d]);
    padding = pad_mask(padding, s);
    return padding ? t_reshape(padding, (int64_t[]){s->N, 1, 1, s->keys + s->added}, 4) : NULL;
}

/* A bool mask as an additive one: -inf where it is true, else 0. */
static Tensor *additive(Tensor *mask, t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    if (!mask || mask->dtype != t_bool) return mask;
    return t_masked_fill(t_zeros(mask->shape, mask->ndim, &options), mask, t_number(-(double)INFINITY));
}

/* Both masks merged into one for F_scaled_dot_product_attention: bool, true where a key takes part, or floating. *mask
 * is NULL where there is none. */
static bool merge_masks(const tg_MultiHead *m, const Sizes *s, bool use_hint, t_DType dtype, Tensor **mask) {
    Tensor *hidden = m->o.attn_mask && !use_hint ? m->o.attn_mask : NULL, *padding = m->o.key_padding_mask;
    if (hidden && !(hidden = expand_attn_mask(hidden, s))) return false;
    if (padding && !(padding = expand_padding_mask(padding, s))) return false;
    Tensor *one = hidden ? hidden : padding;
    if (hidden && padding)
        one = hidden->dtype == t_bool && padding->dtype == t_bool
                  ? t_logical_or(hidden, padding)
                  : t_add(additive(hidden, dtype), additive(padding, dtype));
    *mask = one && one->dtype == t_bool ? t_logical_not(one) : one;
    if (!one) return !hidden && !padding;
    if (!*mask || one->dtype == t_bool || one->dtype == dtype) return *mask != NULL;
    if (m->o.need_weights)
        return tg_fail("Input dtypes must be the same, got: input %s, batch1: %s, batch2: %s",
                       tg_c_type_name(one->dtype),
                       tg_c_type_name(dtype), tg_c_type_name(dtype));
    if (one->dtype == t_float32) return (*mask = t_to(one, dtype)) != NULL;
    return tg_fail(
        "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: %s and  "
        "query.dtype: %s instead.",
        tg_c_type_name(one->dtype), tg_c_type_name(dtype));
}

/* ---- F.multi_head_attention_forward ---- */

/* (N, H, L, d) -> (L, N, E), or with batch_first (N, L, E), through out_proj. */
static Tensor *merge_heads(Tensor *heads, const tg_MultiHead *m, const Sizes *s) {
    const bool batch_rows = m->batch_first && m->contiguous;
    Tensor *y = t_permute(heads, (int64_t[]){batch_rows ? 0 : 2, batch_rows ? 2 : 0, 1, 3}, 4);
    y = y ? t_reshape(y, (int64_t[]){y->shape[0], y->shape[1], s->H * s->d}, 3) : NULL;
    y = y ? F_linear(y, m->out_proj_weight, m->out_proj_bias) : NULL;
    return m->batch_first && !batch_rows ? t_transpose(y, 0, 1) : y;
}

static bool check_biases(const tg_MultiHead *m) {
    const Tensor *k = m->bias_k, *v = m->bias_v;
    if (k && !v) return tg_fail("bias_k is set but bias_v is None");
    if (v && !k) return tg_fail("bias_v is set but bias_k is None");
    if (k && m->o.static_k) return tg_fail("bias cannot be added to static key.");
    if (k && m->o.static_v) return tg_fail("bias cannot be added to static value.");
    return true;
}

/* x: (L, N, E) or (N, L, E). *weights: (N, H, L, S). */
static Tensor *attention(Tensor *const *x, const tg_MultiHead *m, Sizes *s, Tensor **weights) {
    const F_MultiHeadAttentionOptions *o = &m->o;
    const bool use_hint = o->is_causal && !o->key_padding_mask && !o->need_weights;
    F_AttentionOptions sdpa = F_AttentionDefaults;
    Tensor *y[3];
    if (!(o->use_separate_proj_weight ? project_separately : project_packed)(x, m, y) || !check_biases(m)) return NULL;
    const bool sk = o->static_k != NULL, sv = o->static_v != NULL;
    Tensor *q = split_heads(y[0], s), *k = sk ? static_heads(o->static_k, "static_k", s) : split_heads(y[1], s);
    Tensor *v = sv ? static_heads(o->static_v, "static_v", s) : split_heads(y[2], s);
    s->keys = k ? k->shape[2] : 0;
    if (!q || !k || !v || !merge_masks(m, s, use_hint, q->dtype, &sdpa.attn_mask)) return NULL;
    k = append_keys(k, m->bias_k, m->add_zero_attn, s);
    v = append_keys(v, m->bias_v, m->add_zero_attn, s);
    sdpa.is_causal = use_hint;
    sdpa.dropout_p = o->training ? m->dropout_p : 0;
    if (!(sdpa.dropout_p >= 0 && sdpa.dropout_p <= 1))
        return tg_fail("dropout probability has to be between 0 and 1, but got %.15g", sdpa.dropout_p);
    Tensor *heads = k && v ? tg_functional_attention(q, k, v, &sdpa, o->need_weights, weights) : NULL;
    return heads ? merge_heads(heads, m, s) : NULL;
}

static Tensor *multi_head(Tensor *query, Tensor *key, Tensor *value, const tg_MultiHead *m) {
    const F_MultiHeadAttentionOptions *o = &m->o;
    Tensor *x[] = {query, key, value}, *weights = NULL;
    if (!check_dims(query, key, value, m)) return NULL;
    if (!tg_check_mask(o->key_padding_mask, "key_padding_mask")) return NULL;
    if (o->is_causal && !o->attn_mask)
        return tg_fail("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                       "`generate_square_subsequent_mask` to create this mask.");
    if (!tg_check_mask(o->attn_mask, "attn_mask")) return NULL;
    const bool batched = query->ndim == 3;
    if (!batched) {
        x[0] = t_unsqueeze(query, 1);
        x[1] = key == query ? x[0] : t_unsqueeze(key, 1);
        x[2] = value == key ? x[1] : t_unsqueeze(value, 1);
    }
    if (!x[0] || !x[1] || !x[2]) return NULL;
    const int batch = batched && m->batch_first ? 0 : 1;
    Sizes s = {.batch = batch, .N = x[0]->shape[batch], .L = x[0]->shape[1 - batch], .S = x[1]->shape[1 - batch],
               .H = m->num_heads, .d = m->embed_dim / m->num_heads, .added = (m->bias_k != NULL) + m->add_zero_attn};
    if (!check_attention_sizes((const Tensor *const *)x, m, &s)) return NULL;
    tg_MultiHead call = *m;
    call.batch_first = batch == 0;
    Tensor *y = attention(x, &call, &s, o->weights ? &weights : NULL);
    if (y && weights && o->average_attn_weights) weights = t_mean(weights, (int64_t[]){1}, 1, false);
    if (!batched) y = tg_detach_from_base(t_squeeze(y, 1));
    if (!batched && weights) weights = tg_detach_from_base(t_squeeze(weights, 0));
    if (o->weights) *o->weights = weights;
    return weights || !o->weights ? y : NULL;
}

Tensor *tg_multi_head(Tensor *query, Tensor *key, Tensor *value, const tg_MultiHead *m) {
    const bool drops = m->o.training && m->dropout_p > 0;
    tg_Draws draws;
    if (drops && !tg_draws_begin(&draws, NULL)) return NULL;
    Tensor *y = multi_head(query, key, value, m);
    if (drops) tg_draws_end(&draws, y != NULL);
    return y;
}

/* F.multi_head_attention_forward: query: (L, N, E), key: (S, N, Ek), value: (S, N, Ev), or without the N, of one
 * floating dtype; weights, biases and masks as in nn/transformer/torch_transformer.h; returns the query's shape.
 * *weights: (N, L, S), or with average_attn_weights = false (N, H, L, S). Where key and value, or all three, are the
 * same tensor, one matrix product projects them. Can be differentiated twice. Errors: dims, sizes and dtypes that do
 * not match, is_causal without a mask. */
Tensor *F_multi_head_attention_forward(Tensor *query, Tensor *key, Tensor *value, int64_t embed_dim_to_check,
                                       int64_t num_heads, Tensor *in_proj_weight, Tensor *in_proj_bias, Tensor *bias_k,
                                       Tensor *bias_v, bool add_zero_attn, double dropout_p, Tensor *out_proj_weight,
                                       Tensor *out_proj_bias, const F_MultiHeadAttentionOptions *options) {
    F_MultiHeadAttentionOptions o = F_MultiHeadAttentionDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    tg_clear_output(o.weights);
    Tensor *const optional[] = {in_proj_weight,  in_proj_bias,       bias_k,      bias_v,
                                out_proj_bias,   o.key_padding_mask, o.attn_mask, o.q_proj_weight,
                                o.k_proj_weight, o.v_proj_weight,    o.static_k,  o.static_v};
    if (!tg_check_any_three(query, key, value) || !tg_check_any(out_proj_weight, 12)) return NULL;
    for (int i = 0; i < (int)(sizeof optional / sizeof *optional); i++)
        if (!tg_check_any_optional(optional[i], i < 4 ? 6 + i : i < 5 ? 13 : 14)) return NULL;
    if (num_heads < 1) return tg_fail("num_heads must be greater than 0, but is %" PRId64, num_heads);
    if (!o.need_weights) o.weights = NULL;
    Tensor *weights = NULL, **to = o.weights;
    if (to) o.weights = &weights;
    const tg_MultiHead m = {
        embed_dim_to_check, num_heads,     in_proj_weight, in_proj_bias, bias_k, bias_v,
        out_proj_weight,    out_proj_bias, add_zero_attn,  dropout_p,    o,      .batch_first = false};
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(tg_multi_head(query, key, value, &m)) : NULL;
    if (to) *to = y ? t_keep_object(weights) : NULL;
    t_scope_close(depth);
    return y;
}
