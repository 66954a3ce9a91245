/* nn/transformer/multi_head_attention.c: nn_MultiHeadAttention, the tutorial form with three projections, and its
 * masks. If the weights are not asked for they are not stored: nn/functional/attention/attention_internal.h. */
#include <inttypes.h>
#include <math.h>

#include "nn/functional/attention/attention_internal.h"
#include "nn/functional/linear/linear_internal.h"
#include "nn/module/module_internal.h"
#include "nn/transformer/transformer.h"
#include "nn/modules/plain_modules_internal.h"
#include "core/ops/ops.h"

/* ---- softmax(q k^T / sqrt(d)) v ---- */

/* A mask, as bits for the fused kernel, or as tensors that broadcast to (B, H, Sq, Sk). NULL: no mask. */
typedef struct Mask {
    tg_MaskBits mask_bits;
    Tensor *hidden; /* true where a key is masked out */
    Tensor *fully_masked;  /* true for a fully masked row; its last size is 1 */
} Mask;

/* q: (B, H, Sq, d), k and v: (B, H, Sk, d). In a fully masked row softmax(-inf, -inf, ...) would be 0/0: such a row
 * gets finite scores, and then weights of 0, which pass no gradient on. */
static Tensor *attend_composed(nn_MultiHeadAttention *self, Tensor *q, Tensor *k, Tensor *v, Mask mask,
                               Tensor **weights) {
    Tensor *scores = t_div(t_matmul(q, t_transpose(k, -2, -1)), t_number(sqrt((double)self->d_k)));
    if (mask.hidden) scores = t_masked_fill(scores, mask.hidden, t_number(-(double)INFINITY));
    if (mask.fully_masked) scores = t_masked_fill(scores, mask.fully_masked, t_number(0));
    Tensor *attention_weights = t_softmax(scores, -1);
    if (mask.fully_masked) attention_weights = t_masked_fill(attention_weights, mask.fully_masked, t_number(0));
    if (weights) *weights = attention_weights;
    return t_matmul(nn_call(self->dropout, attention_weights), v);
}

/* The fused kernel, which does not store the weights. */
static Tensor *attend_fused(nn_MultiHeadAttention *self, Tensor *q, Tensor *k, Tensor *v, const Mask *mask) {
    const tg_AttentionOptions how = {.scale = 1 / sqrt((double)self->d_k),
                                 .dropout_p = self->dropout->base.training ? self->dropout->p : 0,
                                 .zero_when_blind = mask->mask_bits.has_fully_masked, .mask_bits = mask->mask_bits};
    return tg_attend(q, k, v, &how);
}

static bool is_fused(const nn_MultiHeadAttention *self, Tensor *q, Tensor *k, Tensor *v, Tensor **weights) {
    return !weights && tg_is_dropout(&self->dropout->base) && tg_can_attend(q, k, v);
}

/* (B, S, D) -> (B, H, S, d), as a view. */
static Tensor *split_heads(const nn_MultiHeadAttention *self, Tensor *x) {
    if (!x) return NULL;
    int64_t B = x->shape[0], S = x->shape[1];
    return t_transpose(t_view(x, (int64_t[]){B, S, self->num_heads, self->d_k}, 4), 1, 2);
}

/* (B, H, S, d) -> (B, S, D) */
static Tensor *concat_heads(const nn_MultiHeadAttention *self, Tensor *x) {
    if (!x) return NULL;
    int64_t B = x->shape[0], S = x->shape[2];
    return t_reshape(t_transpose(x, 1, 2), (int64_t[]){B, S, self->d_model}, 3);
}

/* ---- reading a mask ---- */

/* The mask as (B or 1, H or 1, Sq or 1, Sk or 1). Every size must match: a padding mask (B, S) is refused instead of
 * being broadcast along the wrong dims. */
static Tensor *mask_with_four_dims(const nn_MultiHeadAttention *self, Tensor *mask, const Tensor *query,
                                   const Tensor *key) {
    int64_t wanted[4] = {query->shape[0], self->num_heads, query->shape[1], key->shape[1]};
    Tensor *wide = mask;
    if (mask->ndim == 2) wide = t_unsqueeze(t_unsqueeze(mask, 0), 0);
    else if (mask->ndim == 3) wide = t_unsqueeze(mask, 1);
    for (int d = 0; wide && d < 4; d++)
        if (wide->ndim != 4 || (wide->shape[d] != 1 && wide->shape[d] != wanted[d]))
            return tg_fail(
                "MultiHeadAttention: the mask must be (Sq, Sk), (B, Sq, Sk) or (B, H, Sq, Sk) with B, H, Sq, Sk = "
                "%s or 1, but has shape %s. A padding mask (B, Sk) becomes (B, 1, Sk) by t_unsqueeze(mask, 1)",
                tg_shape_text(wanted, 4), tg_shape_of(mask));
    return wide;
}

/* The error for masks with other values than 0 and 1; an additive mask (0 and -inf) would be read as its opposite. */
static bool fail_invalid_mask(const nn_MultiHeadAttention *self, Tensor *mask) {
    Tensor *valid = t_logical_or(t_eq(mask, t_integer(0)), t_eq(mask, t_integer(1)));
    Tensor *first = t_argmin(t_long(valid), T_NONE, false);
    Tensor *invalid = first ? t_select(t_reshape(mask, (int64_t[]){-1}, 1), 0, t_item_int64(first)) : NULL;
    if (!invalid) return false;
    bool zero_hides = self->polarity == nn_zero_hides;
    return tg_fail(
        "MultiHeadAttention: %d in a mask hides a key and %d shows it (%s), but this mask holds %g. A mask that is "
        "added to the scores (-inf hides) becomes one by %s(mask, 0)",
        !zero_hides, zero_hides, zero_hides ? "nn_zero_hides" : "nn_one_hides", t_item(invalid),
        zero_hides ? "t_eq" : "t_ne");
}

/* Reads the mask as bits, and with_weights also as tensors. */
static bool read_mask(const nn_MultiHeadAttention *self, Tensor *mask, const Tensor *query, const Tensor *key,
                      bool with_weights, Mask *read) {
    Tensor *wide = mask_with_four_dims(self, mask, query, key);
    if (!wide || !tg_read_mask_bits(&read->mask_bits, wide, key->shape[1], self->polarity == nn_zero_hides))
        return false;
    if (read->mask_bits.has_invalid) return fail_invalid_mask(self, mask);
    if (!with_weights) return true;
    read->hidden = t_eq(wide, t_integer(self->polarity == nn_zero_hides ? 0 : 1));
    if (read->mask_bits.has_fully_masked) read->fully_masked = t_all(read->hidden, (int64_t[]){-1}, 1, true);
    return read->hidden && (read->fully_masked || !read->mask_bits.has_fully_masked);
}

/* ---- the module ---- */

static bool check_operand(const nn_MultiHeadAttention *self, Tensor *x, const char *name, int position) {
    if (!tg_check(x, position)) return false;
    if (x->ndim == 3 && x->shape[2] == self->d_model) return true;
    return tg_fail("MultiHeadAttention: %s must be (batch, length, %" PRId64 "), but has shape %s", name, self->d_model,
                   tg_shape_of(x));
}

static Tensor *multi_head_forward(nn_MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value, Tensor *mask,
                                  Tensor **weights) {
    if (!check_operand(self, query, "query", 2) || !check_operand(self, key, "key", 3) ||
        !check_operand(self, value, "value", 4) || !tg_check_optional(mask, 5))
        return NULL;
    if (key->shape[0] != query->shape[0] || value->shape[0] != query->shape[0] || key->shape[1] != value->shape[1])
        return tg_fail("MultiHeadAttention: query %s, key %s and value %s must agree in batch, key and value in length",
                       tg_shape_text(query->shape, 3), tg_shape_text(key->shape, 3), tg_shape_text(value->shape, 3));
    Tensor *q = split_heads(self, nn_call(self->W_q, query));
    Tensor *k = split_heads(self, nn_call(self->W_k, key));
    Tensor *v = split_heads(self, nn_call(self->W_v, value));
    if (!q || !k || !v) return NULL;
    const bool fused = is_fused(self, q, k, v, weights);
    Mask read = {.hidden = NULL};
    if (mask && !read_mask(self, mask, query, key, !fused, &read)) return NULL;
    Tensor *heads = fused ? attend_fused(self, q, k, v, &read) : attend_composed(self, q, k, v, read, weights);
    return heads ? nn_call(self->W_o, concat_heads(self, heads)) : NULL;
}

Tensor *nn_MultiHeadAttention_call(nn_MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value, Tensor *mask,
                                   Tensor **weights) {
    if (weights) *weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_MultiHeadAttention, "nn_MultiHeadAttention_call")) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *y = t_keep_object(multi_head_forward(self, query, key, value, mask, weights));
    if (weights) *weights = y ? t_keep_object(*weights) : NULL;
    t_scope_close(depth);
    return y;
}

/* Draws random numbers for W_q, W_k, W_v, W_o in this order. Errors: D not divisible by H, an unknown polarity. */
nn_MultiHeadAttention *nn_MultiHeadAttention_new(int64_t d_model, int64_t num_heads,
                                                 const nn_MultiHeadAttentionOptions *options) {
    if (!tg_check_needed("d_model num_heads", (int64_t[]){d_model, num_heads})) return NULL;
    if (num_heads < 1 || d_model < 1 || d_model % num_heads)
        return tg_fail("d_model must be divisible by num_heads, but got d_model=%" PRId64 " and num_heads=%" PRId64,
                       d_model, num_heads);
    nn_MultiHeadAttentionOptions o = {.size = sizeof o, .dropout = 0.1};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.polarity != nn_zero_hides && o.polarity != nn_one_hides)
        return tg_fail("MultiHeadAttention: polarity must be nn_zero_hides or nn_one_hides, but is %d",
                       (int)o.polarity);
    Construction construction = tg_construct_begin();
    nn_MultiHeadAttention *self = (nn_MultiHeadAttention *)nn_module_new(sizeof *self, "nn_MultiHeadAttention", NULL);
    if (self) {
        self->d_model = d_model;
        self->num_heads = num_heads;
        self->d_k = d_model / num_heads;
        self->polarity = o.polarity;
        TG_SET(self, W_q, nn_Linear_new(d_model, d_model, NULL));
        TG_SET(self, W_k, nn_Linear_new(d_model, d_model, NULL));
        TG_SET(self, W_v, nn_Linear_new(d_model, d_model, NULL));
        TG_SET(self, W_o, nn_Linear_new(d_model, d_model, NULL));
        TG_SET(self, dropout, nn_Dropout_new(o.dropout));
    }
    return tg_construct_end(construction, self);
}
