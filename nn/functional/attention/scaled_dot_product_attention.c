/* nn/functional/attention/scaled_dot_product_attention.c: F.scaled_dot_product_attention, softmax(q k^T scale) v. */
#include <math.h>

#include "core/ops/random_internal.h"
#include "nn/functional/dropout/dropout.h"
#include "nn/functional/attention/attention_internal.h"
#include "core/ops/ops.h"

const F_AttentionOptions F_AttentionDefaults = {.size = sizeof F_AttentionDefaults, .scale = NAN};

/* ---- arguments ---- */

static const char *dtype_name(t_DType dtype) {
    return dtype == t_int64 ? "long int" : tg_c_name(dtype);
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

Tensor *tg_repeat_heads(Tensor *x, int64_t heads) {
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

/* ---- the scores ---- */

/* The scores plus the mask, where a bool mask adds -inf to the keys that it masks out. The mask broadcasts; one of more
 * dims than the scores is refused. With nan_if_masked a bool mask is added as log 1 and log 0, as PyTorch does there,
 * so that the NaN of a fully masked row also enters the gradient of its scores. */
static Tensor *masked_scores(Tensor *scores, const F_AttentionOptions *o, bool nan_if_masked) {
    Tensor *mask = o->attn_mask, *y;
    if (!scores) return NULL;
    if (o->is_causal) {
        t_TensorOptions options = {.size = sizeof options, .dtype = t_bool};
        mask = t_tril(t_ones(scores->shape + scores->ndim - 2, 2, &options), 0);
    }
    if (!mask) return o->is_causal ? NULL : scores;
    if (mask->dtype == t_bool && nan_if_masked) mask = t_log(t_to(mask, scores->dtype));
    if (!mask || mask->dtype != t_bool) y = t_add(scores, mask);
    else y = t_masked_fill(scores, t_logical_not(mask), t_number(-(double)INFINITY));
    if (!y || tg_same_shape(y, scores)) return y;
    return tg_fail("output with shape %s doesn't match the broadcast shape %s", tg_shape_of(scores), tg_shape_of(y));
}

/* softmax along the keys; a fully masked row gets weights of 0, and passes no gradient on. */
static Tensor *weights_of_scores(Tensor *scores, bool may_be_masked) {
    const int64_t last = -1;
    if (!scores || !may_be_masked) return t_softmax(scores, -1);
    Tensor *fully_masked = t_all(t_eq(scores, t_number(-(double)INFINITY)), &last, 1, true),
           *any = t_any(fully_masked, NULL, 0, false);
    if (!any || !t_is_true(any)) return any ? t_softmax(scores, -1) : NULL;
    return t_masked_fill(t_softmax(t_masked_fill(scores, fully_masked, t_number(0)), -1), fully_masked, t_number(0));
}

/* Composed of ops, with all the weights in memory: for any shapes, and for masks that require a gradient. */
static Tensor *composed_attention(Tensor *q, Tensor *k, Tensor *v, double scale, const F_AttentionOptions *o,
                                  bool nan_if_masked, Tensor **weights_out) {
    /* as in PyTorch, which adds a batch dim here, visible in grad_fn's names and in error messages */
    bool batch_only = q->ndim == 3 && k->ndim == 3 && v->ndim == 3;
    if (batch_only) {
        q = t_unsqueeze(q, 0);
        k = t_unsqueeze(k, 0);
        v = t_unsqueeze(v, 0);
    }
    if (o->enable_gqa && q && k && v) {
        int heads;
        if (!tg_wrap_dim(-3, q->ndim, &heads)) return NULL;
        k = tg_repeat_heads(k, q->shape[heads]);
        v = tg_repeat_heads(v, q->shape[heads]);
    }
    Tensor *scores = masked_scores(t_matmul(t_mul(q, t_number(scale)), t_transpose(k, -2, -1)), o, nan_if_masked);
    Tensor *weights = weights_of_scores(scores, o->attn_mask && !nan_if_masked);
    if (o->dropout_p != 0) weights = F_dropout(weights, o->dropout_p, true);
    if (weights_out) *weights_out = weights;
    Tensor *y = t_matmul(weights, v);
    return batch_only ? t_squeeze(y, 0) : y;
}

/* ---- fused ---- */

/* x with dims of size 1 added in front, up to four. */
static Tensor *with_four_dims(Tensor *x) {
    while (x && x->ndim < 4) x = t_unsqueeze(x, 0);
    return x;
}

/* The memory layout of PyTorch's result: that of query from its fused kernel; contiguous from its matmul path, which
 * serves dropout, a query of two dims, and a mask of three dims with a query of four. */
static bool is_contiguous_in_pytorch(const Tensor *q, const F_AttentionOptions *o) {
    return o->dropout_p > 0 || q->ndim == 2 || (q->ndim == 4 && o->attn_mask && o->attn_mask->ndim == 3);
}

/* Returns false where the kernel does not support these shapes and options (among them NaN for fully masked rows);
 * otherwise true, with the result, or NULL with an error set, in *y. */
static bool fused_attention(Tensor *q, Tensor *k, Tensor *v, double scale, const F_AttentionOptions *o,
                            bool nan_if_masked, bool contiguous, Tensor **y) {
    Tensor *mask = o->attn_mask, *padded[] = {q, k, v};
    const int ndim = q->ndim;
    if (k->ndim != ndim || v->ndim != ndim || ndim > 4 || o->dropout_p == 1) return false;
    if (mask && (mask->ndim > ndim || !tg_numel(mask) || (mask->requires_grad && t_is_grad_enabled()))) return false;
    if (mask && nan_if_masked && mask->dtype != t_bool) return false;
    *y = NULL;
    for (int i = 0; i < 3; i++)
        if (!(padded[i] = with_four_dims(padded[i]))) return true;
    if (!tg_can_attend(padded[0], padded[1], padded[2]) ||
        (!o->enable_gqa && padded[1]->shape[1] != padded[0]->shape[1]))
        return false;
    const int64_t scores[] = {padded[0]->shape[0], padded[0]->shape[1], padded[0]->shape[2], padded[1]->shape[2]};
    if (mask && !(mask = with_four_dims(mask))) return true;
    for (int d = 0; mask && d < 4; d++)
        if (mask->shape[d] != 1 && mask->shape[d] != scores[d]) return false;
    tg_AttentionOptions how = {.scale = scale, .dropout_p = o->dropout_p, .causal = o->is_causal,
                           .zero_when_blind = mask != NULL, .shares_y = ndim < 4 || o->dropout_p > 0,
                           .contiguous = contiguous};
    if (mask && mask->dtype != t_bool) how.bias = mask;
    else if (mask && !tg_read_mask_bits(&how.mask_bits, mask, scores[3], true)) return true;
    if (nan_if_masked && how.mask_bits.has_fully_masked) return false;
    *y = tg_attend(padded[0], padded[1], padded[2], &how);
    for (int d = ndim; d < 4; d++) *y = *y ? tg_cut_from_base(t_squeeze(*y, 0)) : NULL;
    return true;
}

static Tensor *attend(Tensor *q, Tensor *k, Tensor *v, const F_AttentionOptions *o, bool nan_if_masked,
                        bool contiguous, Tensor **weights) {
    const double scale = isnan(o->scale) ? 1 / sqrt((double)q->shape[q->ndim - 1]) : o->scale;
    const bool is_empty = tg_numel(v) == 0 || q->shape[q->ndim - 2] == 0;
    F_AttentionOptions how = *o;
    Tensor *y;
    tg_Draws draws;
    if (is_empty && !nan_if_masked && how.attn_mask && !(how.attn_mask = t_detach(how.attn_mask))) return NULL;
    if (how.dropout_p > 0 && !tg_draws_begin(&draws, NULL)) return NULL;
    if (weights || !fused_attention(q, k, v, scale, &how, nan_if_masked, contiguous, &y))
        y = composed_attention(q, k, v, scale, &how, nan_if_masked, weights);
    if (how.dropout_p > 0) tg_draws_end(&draws, y != NULL);
    return y;
}

Tensor *tg_scaled_dot_product(Tensor *q, Tensor *k, Tensor *v, const F_AttentionOptions *o, bool nan_if_masked,
                              Tensor **weights) {
    return attend(q, k, v, o, nan_if_masked, false, weights);
}

/* F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
 * softmax(query key^T scale + mask) value, with dropout on the weights.
 * query: (..., L, E), key: (..., S, E), value: (..., S, Ev), of one floating dtype, whose batch dims broadcast;
 * attn_mask broadcasts to (..., L, S); returns (..., L, Ev). A bool mask is true where a key takes part, as in
 * PyTorch's function; the modules of nn/transformer/transformer.h name the polarity of theirs. A query whose keys are
 * all masked out gets 0; with no keys at all, or an empty result, a mask gets no gradient (as in PyTorch). enable_gqa
 * repeats the heads (dim -3) of key and value up to query's. Where the batch dims are equal and E is Ev, the fused
 * kernel runs and the weights are not stored: memory grows with L + S, plus one bit per weight for dropout. The result
 * then has query's memory layout; with dropout, and from the composed path, it is contiguous. Can be differentiated
 * twice. Errors: other dtypes or sizes, a mask together with is_causal. */
Tensor *F_scaled_dot_product_attention(Tensor *query, Tensor *key, Tensor *value, const F_AttentionOptions *options) {
    F_AttentionOptions o = F_AttentionDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!tg_check_three(query, key, value) || !tg_check_optional(o.attn_mask, 4)) return NULL;
    if (!check_query_key_value(query, key, value) || !check_mask(query, &o)) return NULL;
    if (!(o.dropout_p >= 0 && o.dropout_p <= 1))
        return tg_fail("dropout probability has to be between 0 and 1, but got %.15g", o.dropout_p);
    int depth = t_scope_open();
    const bool converts_mask = o.attn_mask && o.attn_mask->dtype == t_float32; /* with a float64 query */
    if (!depth || (converts_mask && !(o.attn_mask = t_to(o.attn_mask, query->dtype))))
        return tg_close_keeping(depth, NULL);
    return tg_close_keeping(depth, attend(query, key, value, &o, false, is_contiguous_in_pytorch(query, &o), NULL));
}
