/* nn/transformer/transformer.c: PyTorch's nn.TransformerEncoderLayer, nn.TransformerDecoderLayer, the stacks of each,
 * and nn.Transformer (torch/nn/modules/transformer.py has the same classes). nn.MultiheadAttention is in
 * multi_head_attention.c, the tutorials' classes are in encoder_decoder.c. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/ops/ops.h"
#include "nn/functional/attention/attention_internal.h"
#include "nn/init/init.h"
#include "nn/transformer/transformer_internal.h"

const nn_TransformerEncoderLayerOptions nn_TransformerEncoderLayerDefaults = {
    .size = sizeof nn_TransformerEncoderLayerDefaults, .dim_feedforward = 2048, .dropout = 0.1, .layer_norm_eps = 1e-5,
    .bias = true};
const nn_TransformerEncoderLayerCallOptions nn_TransformerEncoderLayerCallDefaults = {
    .size = sizeof nn_TransformerEncoderLayerCallDefaults, .average_attn_weights = true};
const nn_TransformerDecoderLayerCallOptions nn_TransformerDecoderLayerCallDefaults = {
    .size = sizeof nn_TransformerDecoderLayerCallDefaults, .average_attn_weights = true};

/* ---- shared by both layers ---- */

/* A sublayer's call of nn_MultiheadAttention: keys and values are memory's, or x's own where it is NULL. Without
 * need_weights, as PyTorch's layers call it. */
typedef struct AttentionCall {
    nn_MultiheadAttention *module;
    Tensor *memory;
    nn_MultiheadAttentionCallOptions options;
} AttentionCall;

static Tensor *attend(const void *call, Tensor *x) {
    const AttentionCall *c = call;
    Tensor *memory = c->memory ? c->memory : x;
    return x ? tg_multihead_attention(c->module, x, memory, memory, &c->options, true) : NULL;
}

/* PyTorch's attention returns (N, L, E) as a view of (L, N, E), in whose memory order its dropout draws. */
static bool is_transposed(const nn_MultiheadAttention *attention, const Tensor *x) {
    return attention->batch_first && x->ndim == 3;
}

static Tensor *feed_forward(const void *parts, Tensor *x) {
    return tg_run_feed_forward(parts, x);
}

/* A module, a function, or the name of one of two functions. */
static bool check_activation(const nn_TransformerEncoderLayerOptions *o) {
    if (o->activation_module) return tg_check_module(o->activation_module, 3);
    if (o->activation_function || !o->activation) return true;
    return strcmp(o->activation, "relu") == 0 || strcmp(o->activation, "gelu") == 0 ||
           tg_fail("activation should be relu/gelu, not %s", o->activation);
}

static bool is_gelu(const nn_TransformerEncoderLayerOptions *o) {
    return !o->activation_module && !o->activation_function && o->activation && strcmp(o->activation, "gelu") == 0;
}

typedef struct Parts {
    nn_MultiheadAttentionOptions attention;
    nn_LinearOptions linear;
    nn_LayerNormOptions norm;
} Parts;

static Parts parts_of(const nn_TransformerEncoderLayerOptions *o) {
    Parts parts = {nn_MultiheadAttentionDefaults,
                   {.size = sizeof parts.linear, .bias = o->bias, .dtype = o->dtype},
                   {.size = sizeof parts.norm, .eps = o->layer_norm_eps, .elementwise_affine = true, .bias = o->bias,
                    .dtype = o->dtype}};
    parts.attention.dropout = o->dropout;
    parts.attention.bias = o->bias;
    parts.attention.batch_first = o->batch_first;
    parts.attention.dtype = o->dtype;
    return parts;
}

/* ---- TransformerEncoderLayer ---- */

static Tensor *run_encoder_layer(void *module, Tensor *const *inputs, const void *call) {
    nn_TransformerEncoderLayer *self = module;
    const AttentionCall *attention = call;
    Tensor *x = inputs[0];
    const tg_FeedForwardParts network = {self->linear1,    self->linear2,             self->dropout,
                                         self->activation, self->activation_function, self->is_gelu};
    const tg_Sublayer sublayers[] = {
        {attend, attention, self->norm1, self->dropout1, is_transposed(attention->module, x)},
        {feed_forward, &network, self->norm2, self->dropout2, false},
    };
    return tg_run_sublayers(sublayers, 2, self->norm_first, x);
}

Tensor *nn_TransformerEncoderLayer_call(nn_TransformerEncoderLayer *self, Tensor *src,
                                        const nn_TransformerEncoderLayerCallOptions *options) {
    nn_TransformerEncoderLayerCallOptions o = nn_TransformerEncoderLayerCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    tg_clear_output(o.weights);
    if (!TG_CHECK_CLASS(self, 1, nn_TransformerEncoderLayer, "nn_TransformerEncoderLayer_call")) return NULL;
    if (!tg_check(src, 2) || !tg_check_optional(o.src_mask, 3)) return NULL;
    if (!tg_check_optional(o.src_key_padding_mask, 3)) return NULL;
    if (!tg_check_mask(o.src_key_padding_mask, "src_key_padding_mask") || !tg_check_mask(o.src_mask, "src_mask"))
        return NULL;
    const AttentionCall attention = {self->self_attn, NULL,
                                     {.key_padding_mask = o.src_key_padding_mask, .attn_mask = o.src_mask,
                                      .average_attn_weights = o.average_attn_weights, .is_causal = o.is_causal,
                                      .weights = o.weights}};
    int depth = t_scope_open();
    Tensor *y = depth ? tg_call_module(self, &src, 1, run_encoder_layer, &attention) : NULL;
    return tg_return_with_weights(depth, y, o.weights, NULL);
}

static Tensor *torch_encoder_layer_forward(void *self, Tensor *src) {
    return nn_TransformerEncoderLayer_call(self, src, NULL);
}

/* Draws random numbers for self_attn, linear1, linear2 in this order. */
nn_TransformerEncoderLayer *nn_TransformerEncoderLayer_new(int64_t d_model, int64_t nhead,
                                                           const nn_TransformerEncoderLayerOptions *options) {
    if (!tg_check_required("d_model nhead", (int64_t[]){d_model, nhead})) return NULL;
    nn_TransformerEncoderLayerOptions o = nn_TransformerEncoderLayerDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !check_activation(&o)) return NULL;
    const Parts parts = parts_of(&o);
    Construction construction = tg_construct_begin();
    nn_TransformerEncoderLayer *self = (nn_TransformerEncoderLayer *)nn_module_new(
        sizeof *self, "nn_TransformerEncoderLayer", torch_encoder_layer_forward);
    if (self) {
        self->norm_first = o.norm_first;
        self->activation_function = o.activation_function;
        self->is_gelu = is_gelu(&o);
        (void)(TG_SET(self, self_attn, nn_MultiheadAttention_new(d_model, nhead, &parts.attention)) &&
               TG_SET(self, linear1, nn_Linear_new(d_model, o.dim_feedforward, &parts.linear)) &&
               TG_SET(self, dropout, nn_Dropout_new(o.dropout, false)) &&
               TG_SET(self, linear2, nn_Linear_new(o.dim_feedforward, d_model, &parts.linear)) &&
               TG_SET(self, norm1, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, norm2, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, dropout1, nn_Dropout_new(o.dropout, false)) &&
               TG_SET(self, dropout2, nn_Dropout_new(o.dropout, false)) &&
               (!o.activation_module || TG_SET(self, activation, o.activation_module)));
    }
    return tg_construct_end(construction, self);
}

/* ---- TransformerDecoderLayer ---- */

/* call: on x itself and on memory */
static Tensor *run_decoder_layer(void *module, Tensor *const *inputs, const void *call) {
    nn_TransformerDecoderLayer *self = module;
    const AttentionCall *on_self = call;
    AttentionCall of_memory = on_self[1], *on_memory = &of_memory;
    Tensor *x = inputs[0];
    of_memory.memory = inputs[1];
    const tg_FeedForwardParts network = {self->linear1,    self->linear2,             self->dropout,
                                         self->activation, self->activation_function, self->is_gelu};
    const tg_Sublayer sublayers[] = {
        {attend, on_self, self->norm1, self->dropout1, is_transposed(on_self->module, x)},
        {attend, on_memory, self->norm2, self->dropout2, is_transposed(on_memory->module, x)},
        {feed_forward, &network, self->norm3, self->dropout3, false},
    };
    return tg_run_sublayers(sublayers, 3, self->norm_first, x);
}

/* masks: two attention masks, then two padding masks, each of which may be NULL. */
static bool check_decoder_arguments(Tensor *tgt, Tensor *memory, Tensor *const *masks) {
    if (!tg_check(tgt, 2) || !tg_check(memory, 3)) return false;
    for (int i = 0; i < 4; i++)
        if (!tg_check_optional(masks[i], 4) || !tg_check_mask(masks[i], i < 2 ? "attn_mask" : "key_padding_mask"))
            return false;
    return true;
}

Tensor *nn_TransformerDecoderLayer_call(nn_TransformerDecoderLayer *self, Tensor *tgt, Tensor *memory,
                                        const nn_TransformerDecoderLayerCallOptions *options) {
    nn_TransformerDecoderLayerCallOptions o = nn_TransformerDecoderLayerCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    tg_clear_output(o.self_weights);
    tg_clear_output(o.cross_weights);
    Tensor *const masks[] = {o.tgt_mask, o.memory_mask, o.tgt_key_padding_mask, o.memory_key_padding_mask};
    if (!TG_CHECK_CLASS(self, 1, nn_TransformerDecoderLayer, "nn_TransformerDecoderLayer_call")) return NULL;
    if (!check_decoder_arguments(tgt, memory, masks)) return NULL;
    const AttentionCall calls[] = {{self->self_attn, NULL,
                                    {.key_padding_mask = masks[2], .attn_mask = masks[0],
                                     .average_attn_weights = o.average_attn_weights, .is_causal = o.tgt_is_causal,
                                     .weights = o.self_weights}},
                                   {self->multihead_attn, memory,
                                    {.key_padding_mask = masks[3], .attn_mask = masks[1],
                                     .average_attn_weights = o.average_attn_weights, .is_causal = o.memory_is_causal,
                                     .weights = o.cross_weights}}};
    int depth = t_scope_open();
    Tensor *y = depth ? tg_call_module(self, (Tensor *[]){tgt, memory}, 2, run_decoder_layer, calls) : NULL;
    return tg_return_with_weights(depth, y, o.self_weights, o.cross_weights);
}

static Tensor *torch_decoder_layer_forward(void *self, Tensor *tgt, Tensor *memory) {
    return nn_TransformerDecoderLayer_call(self, tgt, memory, NULL);
}

bool tg_is_decoder_layer(const nn_Module *module) {
    return tg_is_class(module, "nn_TransformerDecoderLayer", sizeof(nn_TransformerDecoderLayer));
}

/* Draws random numbers for self_attn, multihead_attn, linear1, linear2 in this order. */
nn_TransformerDecoderLayer *nn_TransformerDecoderLayer_new(int64_t d_model, int64_t nhead,
                                                           const nn_TransformerDecoderLayerOptions *options) {
    if (!tg_check_required("d_model nhead", (int64_t[]){d_model, nhead})) return NULL;
    nn_TransformerDecoderLayerOptions o = nn_TransformerEncoderLayerDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !check_activation(&o)) return NULL;
    const Parts parts = parts_of(&o);
    Construction construction = tg_construct_begin();
    nn_TransformerDecoderLayer *self =
        (nn_TransformerDecoderLayer *)nn_module_new(sizeof *self, "nn_TransformerDecoderLayer", NULL);
    if (self) {
        self->base.forward2 = torch_decoder_layer_forward;
        self->norm_first = o.norm_first;
        self->activation_function = o.activation_function;
        self->is_gelu = is_gelu(&o);
        (void)(TG_SET(self, self_attn, nn_MultiheadAttention_new(d_model, nhead, &parts.attention)) &&
               TG_SET(self, multihead_attn, nn_MultiheadAttention_new(d_model, nhead, &parts.attention)) &&
               TG_SET(self, linear1, nn_Linear_new(d_model, o.dim_feedforward, &parts.linear)) &&
               TG_SET(self, dropout, nn_Dropout_new(o.dropout, false)) &&
               TG_SET(self, linear2, nn_Linear_new(o.dim_feedforward, d_model, &parts.linear)) &&
               TG_SET(self, norm1, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, norm2, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, norm3, nn_LayerNorm_new(&d_model, 1, &parts.norm)) &&
               TG_SET(self, dropout1, nn_Dropout_new(o.dropout, false)) &&
               TG_SET(self, dropout2, nn_Dropout_new(o.dropout, false)) &&
               TG_SET(self, dropout3, nn_Dropout_new(o.dropout, false)) &&
               (!o.activation_module || TG_SET(self, activation, o.activation_module)));
    }
    return tg_construct_end(construction, self);
}

/* ---- shared by both stacks ---- */

const nn_TransformerEncoderCallOptions nn_TransformerEncoderCallDefaults = {
    .size = sizeof nn_TransformerEncoderCallDefaults, .is_causal = T_NONE, .average_attn_weights = true};
const nn_TransformerDecoderCallOptions nn_TransformerDecoderCallDefaults = {
    .size = sizeof nn_TransformerDecoderCallDefaults, .tgt_is_causal = T_NONE, .average_attn_weights = true};

/* The hint if there is one, else whether mask is the causal mask; as PyTorch's _detect_is_causal_mask. */
static bool is_causal(int64_t hint, Tensor *mask, const Tensor *x, bool batch_first) {
    const int64_t size = x->ndim == 3 && batch_first ? x->shape[1] : x->ndim ? x->shape[0] : 0;
    if (hint != T_NONE) return hint != 0;
    if (!mask || mask->ndim != 2 || mask->shape[0] != size || mask->shape[1] != size) return false;
    Tensor *causal = nn_Transformer_generate_square_subsequent_mask(size, mask->dtype);
    return causal && t_equal(mask, causal);
}

static nn_ModuleList *layer_copies(const void *layer, int64_t count) {
    nn_ModuleList *list = nn_ModuleList_new(NULL, 0);
    for (int64_t i = 0; list && i < count; i++)
        if (!nn_append(list, nn_deepcopy(layer))) break;
    return list;
}

/* A list for *to, which stays empty until the call has succeeded; NULL where none is wanted, or with an error. */
static t_TensorList *list_for(t_TensorList **to) {
    return to ? t_list_new(NULL, 0) : NULL;
}

static bool is_layer(const nn_Module *module, bool of_decoder) {
    return of_decoder ? tg_is_decoder_layer(module)
                      : tg_is_class(module, "nn_TransformerEncoderLayer", sizeof(nn_TransformerEncoderLayer));
}

/* User code may have modified the list of layers. */
static bool check_layers(nn_ModuleList *layers, bool of_decoder) {
    const char *name = of_decoder ? "Decoder" : "Encoder";
    for (const nn_Entry *entry = tg_child(layers->base.first); entry; entry = tg_child(entry->next))
        if (!is_layer((const nn_Module *)entry->value, of_decoder))
            return tg_fail("a Transformer%s's layers must be Transformer%sLayers, but layers.%s is a %s", name, name,
                           entry->name, ((const nn_Module *)entry->value)->type);
    return true;
}

static bool is_batch_first(const void *layer, bool of_decoder) {
    return of_decoder ? ((const nn_TransformerDecoderLayer *)layer)->self_attn->batch_first
                      : ((const nn_TransformerEncoderLayer *)layer)->self_attn->batch_first;
}

static bool has_own_forward(const nn_Module *layer) {
    return layer->forward != torch_encoder_layer_forward && layer->forward2 != torch_decoder_layer_forward;
}

typedef struct LayerCall {
    Tensor *memory; /* NULL: of an encoder, which has only the options for x itself, tgt_... */
    nn_TransformerDecoderLayerCallOptions options;
} LayerCall;

static Tensor *call_layer(const void *call, nn_Module *layer, Tensor *x, Tensor **self_weights,
                          Tensor **cross_weights) {
    const LayerCall *c = call;
    nn_TransformerDecoderLayerCallOptions o = c->options;
    const nn_TransformerEncoderLayerCallOptions of_encoder = {
        sizeof of_encoder, o.tgt_mask, o.tgt_key_padding_mask, o.tgt_is_causal, self_weights, o.average_attn_weights};
    if (!c->memory) return nn_TransformerEncoderLayer_call((nn_TransformerEncoderLayer *)layer, x, &of_encoder);
    o.self_weights = self_weights;
    o.cross_weights = cross_weights;
    return nn_TransformerDecoderLayer_call((nn_TransformerDecoderLayer *)layer, x, c->memory, &o);
}

static Tensor *run_layers(nn_ModuleList *layers, nn_Module *norm, Tensor *x, Tensor *memory,
                          const nn_TransformerDecoderCallOptions *o, t_TensorList *self_weights,
                          t_TensorList *cross_weights) {
    if (!check_layers(layers, memory != NULL)) return NULL;
    const void *first = nn_get(layers, 0);
    if (!first || (o->self_weights && !self_weights) || (o->cross_weights && !cross_weights)) return NULL;
    const bool causal = is_causal(o->tgt_is_causal, o->tgt_mask, x, is_batch_first(first, memory != NULL));
    const LayerCall call = {memory,
                            {.size = sizeof call.options, .tgt_mask = o->tgt_mask, .memory_mask = o->memory_mask,
                             .tgt_key_padding_mask = o->tgt_key_padding_mask,
                             .memory_key_padding_mask = o->memory_key_padding_mask, .tgt_is_causal = causal,
                             .memory_is_causal = o->memory_is_causal, .average_attn_weights = o->average_attn_weights}};
    const bool has_masks = o->tgt_mask || o->memory_mask || o->tgt_key_padding_mask || o->memory_key_padding_mask;
    const tg_Stack stack = {layers, norm, memory, has_masks, has_own_forward, call_layer, &call};
    return tg_run_stack(&stack, x, self_weights, cross_weights);
}

typedef struct StackCall {
    const nn_TransformerDecoderCallOptions *options;
    t_TensorList *self_weights, *cross_weights; /* of the layers; NULL: not wanted */
} StackCall;

/* ---- TransformerEncoder ---- */

static Tensor *run_encoder(void *module, Tensor *const *inputs, const void *call) {
    const nn_TransformerEncoder *self = module;
    const StackCall *c = call;
    return run_layers(self->layers, self->norm, inputs[0], NULL, c->options, c->self_weights, NULL);
}

Tensor *nn_TransformerEncoder_call(nn_TransformerEncoder *self, Tensor *src,
                                   const nn_TransformerEncoderCallOptions *options) {
    nn_TransformerEncoderCallOptions o = nn_TransformerEncoderCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.weights) *o.weights = NULL;
    if (!TG_CHECK_CLASS(self, 1, nn_TransformerEncoder, "nn_TransformerEncoder_call")) return NULL;
    if (!tg_check(src, 2) || !tg_check_optional(o.mask, 3)) return NULL;
    if (!tg_check_optional(o.src_key_padding_mask, 3)) return NULL;
    if (!tg_check_mask(o.src_key_padding_mask, "src_key_padding_mask") || !tg_check_mask(o.mask, "mask")) return NULL;
    int depth = t_scope_open();
    t_TensorList *list = depth ? list_for(o.weights) : NULL;
    const nn_TransformerDecoderCallOptions of_layers = {
        .tgt_mask = o.mask, .tgt_key_padding_mask = o.src_key_padding_mask, .tgt_is_causal = o.is_causal,
        .self_weights = o.weights, .average_attn_weights = o.average_attn_weights};
    const StackCall call = {&of_layers, list, NULL};
    Tensor *y = depth ? t_keep_object(tg_call_module(self, &src, 1, run_encoder, &call)) : NULL;
    if (y && list) *o.weights = t_keep_object(list);
    t_scope_close(depth);
    return y;
}

static Tensor *torch_encoder_forward(void *self, Tensor *src) {
    return nn_TransformerEncoder_call(self, src, NULL);
}

nn_TransformerEncoder *nn_TransformerEncoder_new(const nn_TransformerEncoderLayer *encoder_layer, int64_t num_layers,
                                                 const nn_TransformerEncoderOptions *options) {
    if (!tg_check_required("num_layers", (int64_t[]){num_layers})) return NULL;
    nn_TransformerEncoderOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_module(encoder_layer, 1) || !tg_check_layers(num_layers))
        return NULL;
    if (!is_layer(&encoder_layer->base, false))
        return tg_fail("nn_TransformerEncoder takes a TransformerEncoderLayer, not a %s", encoder_layer->base.type);
    Construction construction = tg_construct_begin();
    nn_TransformerEncoder *self =
        (nn_TransformerEncoder *)nn_module_new(sizeof *self, "nn_TransformerEncoder", torch_encoder_forward);
    if (self) {
        self->num_layers = num_layers;
        TG_SET(self, layers, layer_copies(encoder_layer, num_layers));
        if (o.norm) TG_SET(self, norm, o.norm);
    }
    return tg_construct_end(construction, self);
}

/* ---- TransformerDecoder ---- */

static Tensor *run_decoder(void *module, Tensor *const *inputs, const void *call) {
    const nn_TransformerDecoder *self = module;
    const StackCall *c = call;
    return run_layers(self->layers, self->norm, inputs[0], inputs[1], c->options, c->self_weights, c->cross_weights);
}

Tensor *nn_TransformerDecoder_call(nn_TransformerDecoder *self, Tensor *tgt, Tensor *memory,
                                   const nn_TransformerDecoderCallOptions *options) {
    nn_TransformerDecoderCallOptions o = nn_TransformerDecoderCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.self_weights) *o.self_weights = NULL;
    if (o.cross_weights) *o.cross_weights = NULL;
    Tensor *const masks[] = {o.tgt_mask, o.memory_mask, o.tgt_key_padding_mask, o.memory_key_padding_mask};
    if (!TG_CHECK_CLASS(self, 1, nn_TransformerDecoder, "nn_TransformerDecoder_call")) return NULL;
    if (!check_decoder_arguments(tgt, memory, masks)) return NULL;
    int depth = t_scope_open();
    t_TensorList *on_self = depth ? list_for(o.self_weights) : NULL,
                 *on_memory = depth ? list_for(o.cross_weights) : NULL;
    const StackCall call = {&o, on_self, on_memory};
    Tensor *const inputs[] = {tgt, memory};
    Tensor *y = depth ? t_keep_object(tg_call_module(self, inputs, 2, run_decoder, &call)) : NULL;
    if (y && on_self) *o.self_weights = t_keep_object(on_self);
    if (y && on_memory) *o.cross_weights = t_keep_object(on_memory);
    t_scope_close(depth);
    return y;
}

static Tensor *torch_decoder_forward(void *self, Tensor *tgt, Tensor *memory) {
    return nn_TransformerDecoder_call(self, tgt, memory, NULL);
}

nn_TransformerDecoder *nn_TransformerDecoder_new(const nn_TransformerDecoderLayer *decoder_layer, int64_t num_layers,
                                                 const nn_TransformerDecoderOptions *options) {
    if (!tg_check_required("num_layers", (int64_t[]){num_layers})) return NULL;
    nn_TransformerDecoderOptions o = {.size = sizeof o};
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_module(decoder_layer, 1) || !tg_check_layers(num_layers))
        return NULL;
    if (!tg_is_decoder_layer(&decoder_layer->base))
        return tg_fail("nn_TransformerDecoder takes a TransformerDecoderLayer, not a %s", decoder_layer->base.type);
    Construction construction = tg_construct_begin();
    nn_TransformerDecoder *self = (nn_TransformerDecoder *)nn_module_new(sizeof *self, "nn_TransformerDecoder", NULL);
    if (self) {
        self->base.forward2 = torch_decoder_forward;
        self->num_layers = num_layers;
        TG_SET(self, layers, layer_copies(decoder_layer, num_layers));
        if (o.norm) TG_SET(self, norm, o.norm);
    }
    return tg_construct_end(construction, self);
}

/* ---- Transformer ---- */

const nn_TransformerOptions nn_TransformerDefaults = {
    .size = sizeof nn_TransformerDefaults, .d_model = 512, .nhead = 8, .num_encoder_layers = 6, .num_decoder_layers = 6,
    .dim_feedforward = 2048, .dropout = 0.1, .layer_norm_eps = 1e-5, .bias = true};
const nn_TransformerCallOptions nn_TransformerCallDefaults = {.size = sizeof nn_TransformerCallDefaults,
                                                              .src_is_causal = T_NONE, .tgt_is_causal = T_NONE,
                                                              .average_attn_weights = true};

static bool check_src_and_tgt(const nn_Transformer *self, const Tensor *src, const Tensor *tgt) {
    if (src->ndim < 2 || tgt->ndim < 2)
        return tg_fail("src and tgt must have 2 or 3 dims, but have %d and %d", src->ndim, tgt->ndim);
    const int batch = self->batch_first ? 0 : 1;
    if (src->ndim == 3 && src->shape[batch] != tgt->shape[batch])
        return tg_fail("the batch number of src and tgt must be equal");
    return (src->shape[src->ndim - 1] == self->d_model && tgt->shape[tgt->ndim - 1] == self->d_model) ||
           tg_fail("the feature number of src and tgt must be equal to d_model");
}

/* A custom_encoder or custom_decoder of another class has no parameters for masks. */
static bool check_custom(const nn_Module *module, bool has_options) {
    return !has_options ||
           tg_fail("a %s instead of an encoder or decoder takes no masks and returns no attention weights",
                   module->type);
}

static Tensor *call_encoder(nn_Transformer *self, Tensor *src, const nn_TransformerCallOptions *o,
                            t_TensorList **weights) {
    const nn_TransformerEncoderCallOptions how = {sizeof how,       o->src_mask, o->src_key_padding_mask,
                                                  o->src_is_causal, weights,     o->average_attn_weights};
    if (self->encoder->base.forward == torch_encoder_forward)
        return nn_TransformerEncoder_call(self->encoder, src, &how);
    const bool has_options = o->src_mask || o->src_key_padding_mask || o->src_is_causal != T_NONE || weights;
    return check_custom(&self->encoder->base, has_options) ? nn_call(self->encoder, src) : NULL;
}

static Tensor *call_decoder(nn_Transformer *self, Tensor *tgt, Tensor *memory, const nn_TransformerCallOptions *o,
                            t_TensorList **on_self, t_TensorList **on_memory) {
    const nn_TransformerDecoderCallOptions how = {
        sizeof how, o->tgt_mask, o->memory_mask, o->tgt_key_padding_mask, o->memory_key_padding_mask,
        o->tgt_is_causal, o->memory_is_causal, on_self, on_memory, o->average_attn_weights};
    if (self->decoder->base.forward2 == torch_decoder_forward)
        return nn_TransformerDecoder_call(self->decoder, tgt, memory, &how);
    const bool has_options = o->tgt_mask || o->memory_mask || o->tgt_key_padding_mask || o->memory_key_padding_mask ||
                             o->tgt_is_causal != T_NONE || o->memory_is_causal || on_self || on_memory;
    return check_custom(&self->decoder->base, has_options) ? nn_call2(self->decoder, tgt, memory) : NULL;
}

typedef struct TransformerCall {
    const nn_TransformerCallOptions *options;
    t_TensorList ***weights; /* of encoder, self and cross attention; NULL: not wanted */
} TransformerCall;

static Tensor *run_transformer(void *module, Tensor *const *inputs, const void *call) {
    nn_Transformer *self = module;
    const TransformerCall *c = call;
    if (!check_src_and_tgt(self, inputs[0], inputs[1])) return NULL;
    Tensor *memory = call_encoder(self, inputs[0], c->options, c->weights[0]);
    return memory ? call_decoder(self, inputs[1], memory, c->options, c->weights[1], c->weights[2]) : NULL;
}

Tensor *nn_Transformer_call(nn_Transformer *self, Tensor *src, Tensor *tgt, const nn_TransformerCallOptions *options) {
    nn_TransformerCallOptions o = nn_TransformerCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    t_TensorList *lists[3] = {NULL}, **to[] = {o.encoder_weights, o.self_weights, o.cross_weights};
    for (int i = 0; i < 3; i++)
        if (to[i]) *to[i] = NULL;
    Tensor *const masks[] = {o.src_mask, o.tgt_mask, o.memory_mask, o.src_key_padding_mask, o.tgt_key_padding_mask,
                             o.memory_key_padding_mask};
    if (!TG_CHECK_CLASS(self, 1, nn_Transformer, "nn_Transformer_call")) return NULL;
    if (!tg_check(src, 2) || !tg_check(tgt, 3)) return NULL;
    for (int i = 0; i < 6; i++)
        if (!tg_check_optional(masks[i], 4)) return NULL;
    int depth = t_scope_open();
    t_TensorList **wanted[3];
    for (int i = 0; i < 3; i++) wanted[i] = to[i] ? &lists[i] : NULL;
    const TransformerCall call = {&o, wanted};
    Tensor *const inputs[] = {src, tgt};
    Tensor *y = depth ? t_keep_object(tg_call_module(self, inputs, 2, run_transformer, &call)) : NULL;
    for (int i = 0; i < 3; i++)
        if (y && to[i]) *to[i] = t_keep_object(lists[i]);
    t_scope_close(depth);
    return y;
}

static Tensor *transformer_forward(void *self, Tensor *src, Tensor *tgt) {
    return nn_Transformer_call(self, src, tgt, NULL);
}

Tensor *nn_Transformer_generate_square_subsequent_mask(int64_t sz, t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    int depth = t_scope_open();
    Tensor *y = depth ? t_triu(t_full((int64_t[]){sz, sz}, 2, -(double)INFINITY, &options), 1) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- construction ---- */

static nn_TransformerEncoderLayerOptions layer_options(const nn_TransformerOptions *o) {
    return (nn_TransformerEncoderLayerOptions){
        sizeof(nn_TransformerEncoderLayerOptions), o->dim_feedforward, o->dropout, o->activation, o->layer_norm_eps,
        o->batch_first, o->norm_first, o->bias, o->dtype, o->activation_module, o->activation_function};
}

static void *new_norm(const nn_TransformerOptions *o) {
    const nn_LayerNormOptions options = {.size = sizeof options, .eps = o->layer_norm_eps, .elementwise_affine = true,
                                         .bias = o->bias,
                                         .dtype = o->dtype};
    return nn_LayerNorm_new(&o->d_model, 1, &options);
}

static nn_TransformerEncoder *new_encoder(const nn_TransformerOptions *o) {
    if (o->custom_encoder) return o->custom_encoder;
    const nn_TransformerEncoderLayerOptions options = layer_options(o);
    nn_TransformerEncoderLayer *layer = nn_TransformerEncoderLayer_new(o->d_model, o->nhead, &options);
    nn_TransformerEncoderOptions stack = {.size = sizeof stack, .norm = layer ? new_norm(o) : NULL};
    return stack.norm ? nn_TransformerEncoder_new(layer, o->num_encoder_layers, &stack) : NULL;
}

static nn_TransformerDecoder *new_decoder(const nn_TransformerOptions *o) {
    if (o->custom_decoder) return o->custom_decoder;
    const nn_TransformerEncoderLayerOptions options = layer_options(o);
    nn_TransformerDecoderLayer *layer = nn_TransformerDecoderLayer_new(o->d_model, o->nhead, &options);
    nn_TransformerDecoderOptions stack = {.size = sizeof stack, .norm = layer ? new_norm(o) : NULL};
    return stack.norm ? nn_TransformerDecoder_new(layer, o->num_decoder_layers, &stack) : NULL;
}

/* Draws random numbers for a layer of the encoder, one of the decoder, then for every parameter of more than one dim.
 */
nn_Transformer *nn_Transformer_new(const nn_TransformerOptions *options) {
    nn_TransformerOptions o = nn_TransformerDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Construction construction = tg_construct_begin();
    const int64_t failures = tg_context()->failures;
    nn_Transformer *self = (nn_Transformer *)nn_module_new(sizeof *self, "nn_Transformer", NULL);
    if (self) {
        self->base.forward2 = transformer_forward;
        self->d_model = o.d_model;
        self->nhead = o.nhead;
        self->batch_first = o.batch_first;
        TG_SET(self, encoder, new_encoder(&o));
        if (!tg_failed_since(failures)) TG_SET(self, decoder, new_decoder(&o));
        t_TensorList *all = !tg_failed_since(failures) ? nn_parameters(self) : NULL;
        for (int64_t i = 0; all && i < all->len; i++)
            if (all->items[i]->ndim > 1) nn_init_xavier_uniform_(all->items[i], 1, NULL);
    }
    return tg_construct_end(construction, self);
}
