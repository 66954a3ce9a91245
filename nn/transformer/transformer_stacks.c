/* nn/transformer/transformer_stacks.c: nn.TransformerEncoder, nn.TransformerDecoder and nn.Transformer. */
#include <inttypes.h>
#include <math.h>

#include "nn/functional/attention/attention_internal.h"
#include "nn/init/init.h"
#include "nn/transformer/transformer_internal.h"
#include "core/ops/ops.h"

const nn_TransformerEncoderCallOptions nn_TransformerEncoderCallDefaults = {
    .size = sizeof nn_TransformerEncoderCallDefaults, .is_causal = T_NONE, .average_attn_weights = true};
const nn_TransformerDecoderCallOptions nn_TransformerDecoderCallDefaults = {
    .size = sizeof nn_TransformerDecoderCallDefaults, .tgt_is_causal = T_NONE, .average_attn_weights = true};

/* ---- shared by both stacks ---- */

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

/* The first layer, if all are of that class: user code may have modified the list. */
static const void *first_layer(nn_ModuleList *layers, bool (*is_layer)(const nn_Module *), const char *name) {
    for (const nn_Entry *entry = tg_child(layers->base.first); entry; entry = tg_child(entry->next))
        if (!is_layer((const nn_Module *)entry->value))
            return tg_fail("a Transformer%s's layers must be Transformer%sLayers, but layers.%s is a %s", name, name,
                           entry->name, ((const nn_Module *)entry->value)->type);
    return nn_get(layers, 0);
}

/* ---- TransformerEncoder ---- */

static Tensor *call_encoder_layer(const void *call, nn_Module *layer, Tensor *x, Tensor **weights, Tensor **unused) {
    nn_TransformerEncoderLayerCallOptions options = *(const nn_TransformerEncoderLayerCallOptions *)call;
    (void)unused;
    options.weights = weights;
    return nn_TransformerEncoderLayer_call((nn_TransformerEncoderLayer *)layer, x, &options);
}

static Tensor *run_encoder_layers(nn_TransformerEncoder *self, Tensor *x, const nn_TransformerEncoderCallOptions *o,
                                  t_TensorList *list) {
    const nn_TransformerEncoderLayer *first = first_layer(self->layers, tg_is_encoder_layer, "Encoder");
    if (!first || (o->weights && !list)) return NULL;
    const nn_TransformerEncoderLayerCallOptions options = {
        .size = sizeof options, .src_mask = o->mask, .src_key_padding_mask = o->src_key_padding_mask,
        .is_causal = is_causal(o->is_causal, o->mask, x, first->self_attn->batch_first),
        .average_attn_weights = o->average_attn_weights};
    const tg_Stack stack = {.layers = self->layers, .final_norm = self->norm,
                            .has_masks = o->mask || o->src_key_padding_mask,
                            .has_own_forward = tg_has_own_encoder_forward, .call_layer = call_encoder_layer,
                            .call = &options};
    return tg_run_stack(&stack, x, list, NULL);
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
    Tensor *y = depth ? t_keep_object(run_encoder_layers(self, src, &o, list)) : NULL;
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
    if (!tg_is_encoder_layer(&encoder_layer->base))
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

typedef struct DecoderCall {
    Tensor *memory;
    nn_TransformerDecoderLayerCallOptions options;
} DecoderCall;

static Tensor *call_decoder_layer(const void *call, nn_Module *layer, Tensor *x, Tensor **self_weights,
                                  Tensor **cross_weights) {
    const DecoderCall *c = call;
    nn_TransformerDecoderLayerCallOptions options = c->options;
    options.self_weights = self_weights;
    options.cross_weights = cross_weights;
    return nn_TransformerDecoderLayer_call((nn_TransformerDecoderLayer *)layer, x, c->memory, &options);
}

static Tensor *run_decoder_layers(nn_TransformerDecoder *self, Tensor *x, Tensor *memory,
                                  const nn_TransformerDecoderCallOptions *o, t_TensorList *self_weights,
                                  t_TensorList *cross_weights) {
    const nn_TransformerDecoderLayer *first = first_layer(self->layers, tg_is_decoder_layer, "Decoder");
    if (!first || (o->self_weights && !self_weights) || (o->cross_weights && !cross_weights)) return NULL;
    const DecoderCall call = {
        memory,
        {.size = sizeof call.options, .tgt_mask = o->tgt_mask, .memory_mask = o->memory_mask,
         .tgt_key_padding_mask = o->tgt_key_padding_mask, .memory_key_padding_mask = o->memory_key_padding_mask,
         .tgt_is_causal = is_causal(o->tgt_is_causal, o->tgt_mask, x, first->self_attn->batch_first),
         .memory_is_causal = o->memory_is_causal, .average_attn_weights = o->average_attn_weights}};
    const bool has_masks = o->tgt_mask || o->memory_mask || o->tgt_key_padding_mask || o->memory_key_padding_mask;
    const tg_Stack stack = {.layers = self->layers, .final_norm = self->norm, .memory = memory, .has_masks = has_masks,
                            .has_own_forward = tg_has_own_decoder_forward, .call_layer = call_decoder_layer,
                            .call = &call};
    return tg_run_stack(&stack, x, self_weights, cross_weights);
}

Tensor *nn_TransformerDecoder_call(nn_TransformerDecoder *self, Tensor *tgt, Tensor *memory,
                                   const nn_TransformerDecoderCallOptions *options) {
    nn_TransformerDecoderCallOptions o = nn_TransformerDecoderCallDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.self_weights) *o.self_weights = NULL;
    if (o.cross_weights) *o.cross_weights = NULL;
    Tensor *const masks[] = {o.tgt_mask, o.memory_mask, o.tgt_key_padding_mask, o.memory_key_padding_mask};
    if (!TG_CHECK_CLASS(self, 1, nn_TransformerDecoder, "nn_TransformerDecoder_call")) return NULL;
    if (!tg_check_decoder_arguments(tgt, memory, masks)) return NULL;
    int depth = t_scope_open();
    t_TensorList *on_self = depth ? list_for(o.self_weights) : NULL,
                 *on_memory = depth ? list_for(o.cross_weights) : NULL;
    Tensor *y = depth ? t_keep_object(run_decoder_layers(self, tgt, memory, &o, on_self, on_memory)) : NULL;
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
           tg_fail("a %s in the place of an encoder or decoder takes no masks and gives no attention weights",
                   module->type);
}

static Tensor *run_encoder(nn_Transformer *self, Tensor *src, const nn_TransformerCallOptions *o,
                               t_TensorList **weights) {
    const nn_TransformerEncoderCallOptions how = {sizeof how,       o->src_mask, o->src_key_padding_mask,
                                                  o->src_is_causal, weights,     o->average_attn_weights};
    if (self->encoder->base.forward == torch_encoder_forward)
        return nn_TransformerEncoder_call(self->encoder, src, &how);
    const bool has_options = o->src_mask || o->src_key_padding_mask || o->src_is_causal != T_NONE || weights;
    return check_custom(&self->encoder->base, has_options) ? nn_call(self->encoder, src) : NULL;
}

static Tensor *run_decoder(nn_Transformer *self, Tensor *tgt, Tensor *memory, const nn_TransformerCallOptions *o,
                               t_TensorList **on_self, t_TensorList **on_memory) {
    const nn_TransformerDecoderCallOptions how = {sizeof how,
                                                  o->tgt_mask,
                                                  o->memory_mask,
                                                  o->tgt_key_padding_mask,
                                                  o->memory_key_padding_mask,
                                                  o->tgt_is_causal,
                                                  o->memory_is_causal,
                                                  on_self,
                                                  on_memory,
                                                  o->average_attn_weights};
    if (self->decoder->base.forward2 == torch_decoder_forward)
        return nn_TransformerDecoder_call(self->decoder, tgt, memory, &how);
    const bool has_options = o->tgt_mask || o->memory_mask || o->tgt_key_padding_mask || o->memory_key_padding_mask ||
                             o->tgt_is_causal != T_NONE || o->memory_is_causal || on_self || on_memory;
    return check_custom(&self->decoder->base, has_options) ? nn_call2(self->decoder, tgt, memory) : NULL;
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
    if (!check_src_and_tgt(self, src, tgt)) return NULL;
    int depth = t_scope_open();
    Tensor *memory = depth ? run_encoder(self, src, &o, to[0] ? &lists[0] : NULL) : NULL;
    Tensor *y =
        memory
            ? t_keep_object(run_decoder(self, tgt, memory, &o, to[1] ? &lists[1] : NULL, to[2] ? &lists[2] : NULL))
            : NULL;
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
    return (nn_TransformerEncoderLayerOptions){.size = sizeof(nn_TransformerEncoderLayerOptions),
                                               .dim_feedforward = o->dim_feedforward, .dropout = o->dropout,
                                               .activation = o->activation, .layer_norm_eps = o->layer_norm_eps,
                                               .batch_first = o->batch_first, .norm_first = o->norm_first,
                                               .bias = o->bias, .dtype = o->dtype,
                                               .activation_module = o->activation_module,
                                               .activation_function = o->activation_function};
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
