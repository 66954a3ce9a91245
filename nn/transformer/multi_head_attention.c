/* nn/transformer/multi_head_attention.c: the two attention modules, MultiHead(Q, K, V) = Concat(head_1, ..., head_H)
 * W_o with head_i = Attention(Q W_q_i, K W_k_i, V W_v_i) (Vaswani et al. 2017, section 3.2.2).
 *
 * nn_MultiHeadAttention is the class that tutorials write, nn_MultiheadAttention is PyTorch's. They differ in their
 * projections (W_q, W_k, W_v against one packed in_proj_weight) and in the masks that they take. Attention itself is
 * tg_scaled_dot_product_attention (nn/functional/attention/scaled_dot_product_attention.c), composed and fused. */
#include <inttypes.h>
#include <math.h>

#include "core/ops/ops.h"
#include "core/tensor/size_arithmetic.h"
#include "nn/functional/attention/attention_internal.h"
#include "nn/init/init.h"
#include "nn/modules/plain_modules_internal.h"
#include "nn/transformer/transformer_internal.h"

/* ---- nn_MultiHeadAttention: heads ---- */

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

/* Attention of H heads: q (B, H, Sq, d), k and v (B, H, Sk, d). The mask is of four dims, or NULL. */
static Tensor *attend(const nn_MultiHeadAttention *self, Tensor *q, Tensor *k, Tensor *v, Tensor *mask,
                      tg_MaskBits mask_bits, Tensor **weights) {
    const bool is_plain = tg_is_dropout(&self->dropout->base);
    const double divisor = sqrt((double)self->d_k);
    const tg_AttentionOptions options = {
        .scale = 1 / divisor, .divisor = divisor, .mask = mask, .one_hides = self->polarity == nn_one_hides,
        .mask_bits = mask_bits, .zero_if_fully_masked = mask_bits.has_fully_masked,
        .dropout_p = is_plain && self->dropout->base.training ? self->dropout->p : 0,
        .dropout_module = is_plain ? NULL : self->dropout, .call_dropout = nn_call, .weights_before_dropout = true};
    return tg_scaled_dot_product_attention(q, k, v, &options, weights);
}

/* ---- nn_MultiHeadAttention: arguments ---- */

static bool check_operand(const nn_MultiHeadAttention *self, Tensor *x, const char *name, int position) {
    if (!tg_check(x, position)) return false;
    if (x->ndim == 3 && x->shape[2] == self->d_model) return true;
    return tg_fail("MultiHeadAttention: %s must be (batch, length, %" PRId64 "), but has shape %s", name, self->d_model,
                   tg_shape_of(x));
}

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
static void *fail_invalid_mask(const nn_MultiHeadAttention *self, Tensor *mask) {
    Tensor *valid = t_logical_or(t_eq(mask, t_integer(0)), t_eq(mask, t_integer(1)));
    Tensor *first = t_argmin(t_long(valid), T_NONE, false);
    Tensor *invalid = first ? t_select(t_reshape(mask, (int64_t[]){-1}, 1), 0, t_item_int64(first)) : NULL;
    if (!invalid) return NULL;
    bool zero_hides = self->polarity == nn_zero_hides;
    return tg_fail(
        "MultiHeadAttention: %d in a mask hides a key and %d shows it (%s), but this mask contains %g. A mask that is "
        "added to the scores (-inf hides) becomes one by %s(mask, 0)",
        !zero_hides, zero_hides, zero_hides ? "nn_zero_hides" : "nn_one_hides", t_item(invalid),
        zero_hides ? "t_eq" : "t_ne");
}

/* The mask with four dims, and as bits, or NULL with an error. */
static Tensor *read_mask(const nn_MultiHeadAttention *self, Tensor *mask, const Tensor *query, const Tensor *key,
                         tg_MaskBits *bits) {
    Tensor *wide = mask_with_four_dims(self, mask, query, key);
    if (!wide || !tg_read_mask_bits(bits, wide, key->shape[1], self->polarity == nn_zero_hides)) return NULL;
    return bits->has_invalid ? fail_invalid_mask(self, mask) : wide;
}

static bool check_arguments(const nn_MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                            Tensor *mask) {
    if (!check_operand(self, query, "query", 2) || !check_operand(self, key, "key", 3) ||
        !check_operand(self, value, "value", 4) || !tg_check_any_optional(mask, 5))
        return false;
    if (key->shape[0] == query->shape[0] && value->shape[0] == query->shape[0] && key->shape[1] == value->shape[1])
        return true;
    return tg_fail("MultiHeadAttention: query %s, key %s and value %s must agree in batch, key and value in length",
                   tg_shape_text(query->shape, 3), tg_shape_text(key->shape, 3), tg_shape_text(value->shape, 3));
}

/* ---- nn_MultiHeadAttention ---- */

typedef struct MultiHeadCall {
    Tensor *mask, **weights;
} MultiHeadCall;

static Tensor *multi_head_forward(void *module, Tensor *const *inputs, const void *call) {
    nn_MultiHeadAttention *self = module;
    const MultiHeadCall *c = call;
    Tensor *query = inputs[0], *key = inputs[1], *value = inputs[2], *mask = c->mask;
    if (!check_arguments(self, query, key, value, mask)) return NULL;
    Tensor *q = split_heads(self, nn_call(self->W_q, query));
    Tensor *k = split_heads(self, nn_call(self->W_k, key));
    Tensor *v = split_heads(self, nn_call(self->W_v, value));
    tg_MaskBits bits = {.bits = NULL};
    if (!q || !k || !v || (mask && !(mask = read_mask(self, mask, query, key, &bits)))) return NULL;
    Tensor *heads = attend(self, q, k, v, mask, bits, c->weights);
    return heads ? nn_call(self->W_o, concat_heads(self, heads)) : NULL;
}

Tensor *nn_MultiHeadAttention_call(nn_MultiHeadAttention *self, Tensor *query, Tensor *key, Tensor *value, Tensor *mask,
                                   Tensor **weights) {
    tg_clear_output(weights);
    if (!TG_CHECK_CLASS(self, 1, nn_MultiHeadAttention, "nn_MultiHeadAttention_call")) return NULL;
    const MultiHeadCall call = {mask, weights};
    Tensor *const inputs[] = {query, key, value};
    int depth = t_scope_open();
    Tensor *y = depth ? tg_call_module(self, inputs, 3, multi_head_forward, &call) : NULL;
    return tg_return_with_weights(depth, y, weights, NULL);
}

/* Draws random numbers for W_q, W_k, W_v, W_o in this order. Errors: D not divisible by H, an unknown polarity. */
nn_MultiHeadAttention *nn_MultiHeadAttention_new(int64_t d_model, int64_t num_heads,
                                                 const nn_MultiHeadAttentionOptions *options) {
    if (!tg_check_required("d_model num_heads", (int64_t[]){d_model, num_heads})) return NULL;
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
        TG_SET(self, dropout, nn_Dropout_new(o.dropout, false));
    }
    return tg_construct_end(construction, self);
}

/* ---- nn_MultiheadAttention ---- */

const nn_MultiheadAttentionOptions nn_MultiheadAttentionDefaults = {
    .size = sizeof nn_MultiheadAttentionDefaults, .bias = true, .kdim = T_NONE, .vdim = T_NONE};
const nn_MultiheadAttentionCallOptions nn_MultiheadAttentionCallDefaults = {
    .size = sizeof nn_MultiheadAttentionCallDefaults, .need_weights = true, .average_attn_weights = true};

typedef struct MultiheadCall {
    const nn_MultiheadAttentionCallOptions *options;
    bool contiguous;
} MultiheadCall;

static Tensor *multihead_forward(void *module, Tensor *const *inputs, const void *call) {
    nn_MultiheadAttention *self = module;
    const nn_MultiheadAttentionCallOptions *o = ((const MultiheadCall *)call)->options;
    const nn_Linear *out = self->out_proj;
    const tg_MultiHead m = {.embed_dim = self->embed_dim, .num_heads = self->num_heads,
                            .in_proj_weight = self->in_proj_weight, .in_proj_bias = self->in_proj_bias,
                            .bias_k = self->bias_k, .bias_v = self->bias_v, .add_zero_attn = self->add_zero_attn,
                            .dropout_p = self->dropout, .out_proj_weight = out->weight, .out_proj_bias = out->bias,
                            .batch_first = self->batch_first, .contiguous = ((const MultiheadCall *)call)->contiguous,
                            .o = {.training = self->base.training, .key_padding_mask = o->key_padding_mask,
                                  .need_weights = o->need_weights, .attn_mask = o->attn_mask,
                                  .use_separate_proj_weight = !self->in_proj_weight,
                                  .q_proj_weight = self->q_proj_weight, .k_proj_weight = self->k_proj_weight,
                                  .v_proj_weight = self->v_proj_weight, .average_attn_weights = o->average_attn_weights,
                                  .is_causal = o->is_causal, .weights = o->weights}};
    return tg_multi_head(inputs[0], inputs[1], inputs[2], &m);
}

Tensor *tg_multihead_attention(nn_MultiheadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                               const nn_MultiheadAttentionCallOptions *o, bool contiguous) {
    const MultiheadCall call = {o, contiguous};
    Tensor *const inputs[] = {query, key, value};
    int depth = t_scope_open();
    Tensor *y = depth ? tg_call_module(self, inputs, 3, multihead_forward, &call) : NULL;
    return tg_return_with_weights(depth, y, o->weights, NULL);
}

Tensor *nn_MultiheadAttention_call(nn_MultiheadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                                   const nn_MultiheadAttentionCallOptions *options) {
    nn_MultiheadAttentionCallOptions o = nn_MultiheadAttentionCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    tg_clear_output(o.weights);
    if (!o.need_weights) o.weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_MultiheadAttention, "nn_MultiheadAttention_call")) return NULL;
    if (!tg_check(query, 2) || !tg_check(key, 3) || !tg_check(value, 4)) return NULL;
    if (!tg_check_optional(o.key_padding_mask, 5) || !tg_check_optional(o.attn_mask, 5)) return NULL;
    if (!tg_check_mask(o.key_padding_mask, "key_padding_mask") || !tg_check_mask(o.attn_mask, "attn_mask")) return NULL;
    return tg_multihead_attention(self, query, key, value, &o, false);
}

static Tensor *parameter(nn_MultiheadAttention *self, const char *name, const int64_t *shape, int ndim, t_DType dtype) {
    Tensor *x = tg_parameter(shape, ndim, dtype);
    return nn_register_parameter(&self->base, name, x) ? x : NULL;
}

/* All parameters are allocated before the first of them is initialised. */
static void register_parameters(nn_MultiheadAttention *self, const nn_MultiheadAttentionOptions *o) {
    const int64_t E = self->embed_dim, three = tg_size_mul(3, E), one[] = {1, 1, E};
    if (self->kdim == E && self->vdim == E) {
        self->in_proj_weight = parameter(self, "in_proj_weight", (int64_t[]){three, E}, 2, o->dtype);
    } else {
        self->q_proj_weight = parameter(self, "q_proj_weight", (int64_t[]){E, E}, 2, o->dtype);
        self->k_proj_weight = parameter(self, "k_proj_weight", (int64_t[]){E, self->kdim}, 2, o->dtype);
        self->v_proj_weight = parameter(self, "v_proj_weight", (int64_t[]){E, self->vdim}, 2, o->dtype);
    }
    if (o->bias) self->in_proj_bias = parameter(self, "in_proj_bias", &three, 1, o->dtype);
    if (!o->add_bias_kv) return;
    self->bias_k = parameter(self, "bias_k", one, 3, o->dtype);
    self->bias_v = parameter(self, "bias_v", one, 3, o->dtype);
}

static void init_parameters(const nn_MultiheadAttention *self) {
    Tensor *const matrices[] = {self->in_proj_weight, self->q_proj_weight, self->k_proj_weight, self->v_proj_weight};
    for (int i = 0; i < 4; i++)
        if (matrices[i]) nn_init_xavier_uniform_(matrices[i], 1, NULL);
    if (self->in_proj_bias) nn_init_zeros_(self->in_proj_bias);
    if (self->in_proj_bias) nn_init_zeros_(self->out_proj->bias);
    if (self->bias_k) nn_init_xavier_normal_(self->bias_k, 1, NULL);
    if (self->bias_v) nn_init_xavier_normal_(self->bias_v, 1, NULL);
}

nn_MultiheadAttention *nn_MultiheadAttention_new(int64_t embed_dim, int64_t num_heads,
                                                 const nn_MultiheadAttentionOptions *options) {
    if (!tg_check_required("embed_dim num_heads", (int64_t[]){embed_dim, num_heads})) return NULL;
    nn_MultiheadAttentionOptions o = nn_MultiheadAttentionDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (embed_dim <= 0 || num_heads <= 0)
        return tg_fail("embed_dim and num_heads must be greater than 0, got embed_dim=%" PRId64
                       " and num_heads=%" PRId64 " instead",
                       embed_dim, num_heads);
    if (embed_dim % num_heads) return tg_fail("embed_dim must be divisible by num_heads");
    const nn_LinearOptions linear = {.size = sizeof linear, .bias = o.bias, .dtype = o.dtype};
    Construction construction = tg_construct_begin();
    const int64_t failures = tg_context()->failures;
    nn_MultiheadAttention *self = (nn_MultiheadAttention *)nn_module_new(sizeof *self, "nn_MultiheadAttention", NULL);
    if (self) {
        self->embed_dim = embed_dim;
        self->kdim = o.kdim == T_NONE ? embed_dim : o.kdim;
        self->vdim = o.vdim == T_NONE ? embed_dim : o.vdim;
        self->num_heads = num_heads;
        self->head_dim = embed_dim / num_heads;
        self->dropout = o.dropout;
        self->batch_first = o.batch_first;
        self->add_zero_attn = o.add_zero_attn;
        register_parameters(self, &o);
        if (!tg_failed_since(failures)) TG_SET(self, out_proj, nn_Linear_new(embed_dim, embed_dim, &linear));
        if (self->out_proj) self->out_proj->base.type = "NonDynamicallyQuantizableLinear";
        if (self->out_proj) init_parameters(self);
    }
    return tg_construct_end(construction, self);
}
