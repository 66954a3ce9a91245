/* nn/transformer/multihead_attention.c: nn.MultiheadAttention: the module with the parameters of
 * F.multi_head_attention_forward. */
#include <inttypes.h>

#include "core/tensor/size_arithmetic.h"
#include "nn/functional/attention/attention_internal.h"
#include "nn/init/init.h"
#include "nn/transformer/torch_internal.h"

const nn_MultiheadAttentionOptions nn_MultiheadAttentionDefaults = {
    .size = sizeof nn_MultiheadAttentionDefaults, .bias = true, .kdim = T_NONE, .vdim = T_NONE};
const nn_MultiheadAttentionCallOptions nn_MultiheadAttentionCallDefaults = {
    .size = sizeof nn_MultiheadAttentionCallDefaults, .need_weights = true, .average_attn_weights = true};

/* ---- calling ---- */

Tensor *tg_multihead_attention(nn_MultiheadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                               const nn_MultiheadAttentionCallOptions *o, bool contiguous) {
    Tensor *weights = NULL;
    const nn_Linear *out = self->out_proj;
    const tg_MultiHead m = {.embed_dim = self->embed_dim, .num_heads = self->num_heads,
                            .in_proj_weight = self->in_proj_weight, .in_proj_bias = self->in_proj_bias,
                            .bias_k = self->bias_k, .bias_v = self->bias_v, .add_zero_attn = self->add_zero_attn,
                            .dropout_p = self->dropout, .out_proj_weight = out->weight, .out_proj_bias = out->bias,
                            .batch_first = self->batch_first, .contiguous = contiguous,
                            .o = {.training = self->base.training, .key_padding_mask = o->key_padding_mask,
                                  .need_weights = o->need_weights, .attn_mask = o->attn_mask,
                                  .use_separate_proj_weight = !self->in_proj_weight,
                                  .q_proj_weight = self->q_proj_weight, .k_proj_weight = self->k_proj_weight,
                                  .v_proj_weight = self->v_proj_weight, .average_attn_weights = o->average_attn_weights,
                                  .is_causal = o->is_causal, .weights = o->weights ? &weights : NULL}};
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(tg_multi_head(query, key, value, &m)) : NULL;
    if (o->weights) *o->weights = y ? t_keep_object(weights) : NULL;
    t_scope_close(depth);
    return y;
}

Tensor *nn_MultiheadAttention_call(nn_MultiheadAttention *self, Tensor *query, Tensor *key, Tensor *value,
                                   const nn_MultiheadAttentionCallOptions *options) {
    nn_MultiheadAttentionCallOptions o = nn_MultiheadAttentionCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.weights) *o.weights = NULL;
    if (!o.need_weights) o.weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_MultiheadAttention, "nn_MultiheadAttention_call")) return NULL;
    if (!tg_check(query, 2) || !tg_check(key, 3) || !tg_check(value, 4)) return NULL;
    if (!tg_check_optional(o.key_padding_mask, 5) || !tg_check_optional(o.attn_mask, 5)) return NULL;
    if (!tg_check_mask(o.key_padding_mask, "key_padding_mask") || !tg_check_mask(o.attn_mask, "attn_mask")) return NULL;
    return tg_multihead_attention(self, query, key, value, &o, false);
}

/* ---- construction ---- */

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
    if (!tg_check_needed("embed_dim num_heads", (int64_t[]){embed_dim, num_heads})) return NULL;
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
