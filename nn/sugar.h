/* nn/sugar.h: Python's face of the modules (public; gcc and clang, C only). See core/sugar.h for how the macros are made. */
#ifndef TAPEGRAD_NN_SUGAR_H
#define TAPEGRAD_NN_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar.h"
#include "nn/layers.h"
#include "nn/mask.h"
#include "nn/state_dict.h"
#include "nn/sugar_init.h"
#include "nn/transformer.h"
#include "nn/utils.h"
#include "nn/sugar_activations.h"
#include "nn/sugar_losses.h"

/* ---- a class of one's own ---- */

/* Type *self = nn_module(Type, type_call): a new module whose forward is `Tensor *type_call(Type *self, Tensor *x)`, or
 * NULL for a class that is called by its own function. nn_module2 is for a forward of two tensors. */
#define NN_IS_FORWARD_(Type, call, ...) _Static_assert(_Generic((call), Tensor *(*)(Type *, __VA_ARGS__): 1, void *: 1, default: 0), \
    "nn_module takes Tensor *call(Type *self, Tensor *x), nn_module2 one of two tensors; NULL for any other forward, which is called by its name");
#define nn_module(Type, call)                                                                                          \
    T_BEGIN_("nn_module(" #Type ", " #call ")") NN_IS_FORWARD_(Type, call, Tensor *)                                   \
    Tensor *(*t__f)(Type *, Tensor *) = (call);                                                                        \
    _Static_assert(offsetof(Type, base) == 0, "an nn_Module named base must be the first member of " #Type);          \
    T_END_(Type *, (Type *)nn_module_new(sizeof(Type), #Type, (nn_Forward)t__f))
#define nn_module2(Type, call)                                                                                         \
    T_BEGIN_("nn_module2(" #Type ", " #call ")") NN_IS_FORWARD_(Type, call, Tensor *, Tensor *)                        \
    Tensor *(*t__f)(Type *, Tensor *, Tensor *) = (call);                                                              \
    _Static_assert(offsetof(Type, base) == 0, "an nn_Module named base must be the first member of " #Type);          \
    T_END_(Type *, (Type *)nn_module2_new_(sizeof(Type), #Type, (nn_Forward2)t__f))
static inline nn_Module *nn_module2_new_(size_t bytes, const char *type, nn_Forward2 forward2) {
    nn_Module *self = nn_module_new(bytes, type, NULL);
    if (self) self->forward2 = forward2;
    return self;
}

/* nn_set(self, fc, nn_Linear(8, 2)): self.fc = nn.Linear(8, 2); a Tensor field becomes a parameter. */
static inline bool nn_set_parameter_(nn_Module *self, const char *name, void *x) {
    return (nn_register_parameter)(self, name, (Tensor *)x);
}
static inline bool nn_set_module_(nn_Module *self, const char *name, void *child) {
    return (nn_register_module)(self, name, child);
}
#define NN_ASSIGN_(text, self, name, value, call)                                                                      \
    T_BEGIN_(text) __auto_type t__m = (self); __typeof__(t__m->name) t__v = (value); if (t__m) t__m->name = t__v;      \
    _Static_assert(__builtin_classify_type(t__v) == T_POINTER_CLASS_, "modules and tensors are registered; a number is assigned: self->d = 8"); \
    T_END_(bool, call((nn_Module *)t__m, #name, t__v))
#define nn_set(self, name, value)                                                                                      \
    NN_ASSIGN_("nn_set(" #self ", " #name ", " #value ")", self, name, value,                                          \
               _Generic(t__v, Tensor *: nn_set_parameter_, default: nn_set_module_))
/* nn_register_buffer(self, pe, x): self.register_buffer("pe", x), which sets the field too; or with .persistent = false */
typedef struct nn_BufferArguments_ { int first_; bool persistent; } nn_BufferArguments_;
#define nn_register_buffer(self, name, ...) T_BEGIN_("nn_register_buffer(" #self ", " #name ", " #__VA_ARGS__ ")")       \
    __auto_type t__m = (self); __typeof__(t__m->name) t__v = T_HEAD_(__VA_ARGS__); if (t__m) t__m->name = t__v;        \
    T_OPTIONS_(nn_BufferArguments_, t__o, .persistent = true, .first_ = 0, T_TAIL_(__VA_ARGS__))                        \
    T_END_(bool, (nn_register_buffer_as)((nn_Module *)t__m, #name, t__v, t__o.persistent))
#define nn_register_parameter(self, name, x) T_BEGIN_("nn_register_parameter(" #self ", " #name ", " #x ")") nn_Module *t__m = (self); T_TENSOR_(t__a, (x)) T_END_(bool, (nn_register_parameter)(t__m, name, t__a))
#define nn_register_module(self, name, child) T_BEGIN_("nn_register_module(" #self ", " #name ", " #child ")") nn_Module *t__m = (self); void *t__c = (child); T_END_(bool, (nn_register_module)(t__m, name, t__c))
#define nn_Parameter(x) T_OP1_(nn_Parameter, "nn_Parameter(" #x ")", x)

/* nn_call(layer, x), nn_call(criterion, input, target) */
#define nn_call(...) T_TENTH_(__VA_ARGS__, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL_, NN_CALL2_, NN_CALL1_, NN_CALL_, 0) \
    ("nn_call(" #__VA_ARGS__ ")", __VA_ARGS__)
#define NN_CALL_(text, ...) T_BEGIN_(text) _Static_assert(0, "nn_call takes a module and one or two tensors; any other forward is " \
    "called by its own name: net_call(self, x, y, mask)"); T_END_(Tensor *, NULL)
#define NN_CALL1_(text, m, x) T_BEGIN_(text) void *t__m = (m); T_TENSOR_(t__a, (x)) T_END_(Tensor *, (nn_call)(t__m, t__a))
#define NN_CALL2_(text, m, a, b) T_BEGIN_(text) void *t__m = (m); T_TENSOR_(t__a, (a)) T_TENSOR_(t__b, (b)) T_END_(Tensor *, (nn_call2)(t__m, t__a, t__b))
/* nn_keep(self, field, x): self.field = x for a tensor that a forward leaves behind (its last attention weights, say). */
#define nn_keep(self, field, x) NN_ASSIGN_("nn_keep(" #self ", " #field ", " #x ")", self, field, x, (nn_keep))

/* ---- the tree, each with the user's line ---- */
#define NN_TREE_(type, f, text, m) T_BEGIN_(text) void *t__m = (void *)(m); T_END_(type, f)
#define nn_parameters(m) NN_TREE_(t_TensorList *, (nn_parameters)(t__m), "nn_parameters(" #m ")", m)
#define nn_buffers(m) NN_TREE_(t_TensorList *, (nn_buffers)(t__m), "nn_buffers(" #m ")", m)
#define nn_named_parameters(m) NN_TREE_(nn_NamedList *, (nn_named_parameters)(t__m), "nn_named_parameters(" #m ")", m)
#define nn_named_buffers(m) NN_TREE_(nn_NamedList *, (nn_named_buffers)(t__m), "nn_named_buffers(" #m ")", m)
#define nn_named_children(m) NN_TREE_(nn_NamedList *, (nn_named_children)(t__m), "nn_named_children(" #m ")", m)
#define nn_named_modules(m) NN_TREE_(nn_NamedList *, (nn_named_modules)(t__m), "nn_named_modules(" #m ")", m)
#define nn_count_parameters(m, trainable_only) NN_TREE_(int64_t, (nn_count_parameters)(t__m, trainable_only), "nn_count_parameters(" #m ", " #trainable_only ")", m)
#define nn_graph_dot(y, m, to) NN_TREE_(bool, (nn_graph_dot)(y, t__m, to), "nn_graph_dot(" #y ", " #m ")", m)
/* nn_train(model), nn_train(model, false), nn_eval(model) */
typedef struct nn_TrainArguments_ { int first_; bool mode; } nn_TrainArguments_;
#define nn_train(...) T_BEGIN_("nn_train(" #__VA_ARGS__ ")") void *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_TrainArguments_, t__o, .mode = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(void *, (nn_train)(t__m, t__o.mode))
#define nn_eval(m) NN_TREE_(void *, (nn_eval)(t__m), "nn_eval(" #m ")", m)
/* nn_apply(model, init_weights), nn_apply(model, init_weights, &context) */
#define nn_apply(m, ...) T_BEGIN_("nn_apply(" #m ", " #__VA_ARGS__ ")") void *t__m = (m), *const t__c[] = {NULL, T_TAIL_(__VA_ARGS__)}; \
    T_END_(void *, (nn_apply)(t__m, T_HEAD_(__VA_ARGS__), t__c[sizeof t__c / sizeof *t__c - 1]))
#define nn_zero_grad(m) NN_TREE_(bool, (nn_zero_grad)(t__m), "nn_zero_grad(" #m ")", m)
#define nn_requires_grad_(m, on) NN_TREE_(bool, (nn_requires_grad_)(t__m, on), "nn_requires_grad_(" #m ", " #on ")", m)
#define nn_to(m, dtype) NN_TREE_(void *, (nn_to)(t__m, dtype), "nn_to(" #m ", " #dtype ")", m)
#define nn_deepcopy(m) NN_TREE_(void *, (nn_deepcopy)(t__m), "nn_deepcopy(" #m ")", m)
/* nn_state_dict(model), nn_state_dict(model, .prefix = "encoder.") */
typedef struct nn_StateDictArguments_ { int first_; const char *prefix; } nn_StateDictArguments_;
#define nn_state_dict(...) T_BEGIN_("nn_state_dict(" #__VA_ARGS__ ")") const void *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_StateDictArguments_, t__o, .prefix = "", .first_ = 0, T_TAIL_(__VA_ARGS__)) T_END_(t_TensorDict *, (nn_state_dict)(t__m, t__o.prefix))
/* nn_load_state_dict(model, dict), nn_load_state_dict(model, dict, .strict = false, .keys = &keys) */
#define nn_load_state_dict(module, ...) T_BEGIN_("nn_load_state_dict(" #module ", " #__VA_ARGS__ ")") void *t__m = (module); t_TensorDict *t__d = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_LoadStateDictOptions, t__o, .strict = true, .size = sizeof(nn_LoadStateDictOptions), T_TAIL_(__VA_ARGS__)) T_END_(bool, (nn_load_state_dict)(t__m, t__d, &t__o))
#define nn_repr(m) T_BEGIN_("nn_repr(" #m ")") void *t__m = (m); T_END_(char *, (nn_repr)(t__m))
#define nn_print(m) T_BEGIN_("nn_print(" #m ")") void *t__m = (m); T_END_VOID_((nn_print)(t__m))
#define nn_len(list) NN_TREE_(int64_t, (nn_len)(t__m), "nn_len(" #list ")", list)
/* nn_get(layers, -1), or with its class, nn_get(layers, 0, nn_Linear)->weight */
#define nn_get(list, ...) T_TENTH_(__VA_ARGS__, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET2_, NN_GET1_, 0) \
    ("nn_get(" #list ", " #__VA_ARGS__ ")", list, __VA_ARGS__)
#define NN_GET1_(text, list, index) NN_TREE_(void *, (nn_get)(t__m, index), text, list)
#define NN_GET2_(text, list, index, Type) NN_TREE_(Type *, (nn_get_of)(t__m, index, #Type, sizeof(Type)), text, list)
/* nn_Linear *l = nn_as(m, nn_Linear); if (l) ...: if isinstance(m, nn.Linear) */
#define nn_as(m, Type) NN_TREE_(Type *, (nn_as_of)(t__m, #Type, sizeof(Type)), "nn_as(" #m ", " #Type ")", m)

/* ---- nn.utils: nn_utils_clip_grad_norm_(nn_parameters(model), 1.0, .norm_type = INFINITY) ---- */
typedef struct nn_NormArguments_ { int first_; double max_norm, norm_type; bool error_if_nonfinite; } nn_NormArguments_;
typedef struct nn_TotalNormArguments_ { int first_; double norm_type; bool error_if_nonfinite; } nn_TotalNormArguments_;
typedef struct nn_PadArguments_ { int first_; bool batch_first; double padding_value; } nn_PadArguments_;
#define NN_UTILS_(type, call, text, Options, defaults, list, ...) T_BEGIN_(text) t_TensorList *t__l = (list); \
    T_OPTIONS_(Options, t__o, NN_WITH_ defaults, .first_ = 0, __VA_ARGS__) T_END_(type, call)
#define nn_utils_clip_grad_norm_(...) NN_UTILS_(Tensor *, (nn_utils_clip_grad_norm_)(t__l, t__o.max_norm, t__o.norm_type, t__o.error_if_nonfinite), \
    "nn_utils_clip_grad_norm_(" #__VA_ARGS__ ")", nn_NormArguments_, (.norm_type = 2), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define nn_utils_get_total_norm(...) NN_UTILS_(Tensor *, (nn_utils_get_total_norm)(t__l, t__o.norm_type, t__o.error_if_nonfinite), \
    "nn_utils_get_total_norm(" #__VA_ARGS__ ")", nn_TotalNormArguments_, (.norm_type = 2), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define nn_utils_rnn_pad_sequence(...) NN_UTILS_(Tensor *, (nn_utils_rnn_pad_sequence)(t__l, t__o.batch_first, t__o.padding_value), \
    "nn_utils_rnn_pad_sequence(" #__VA_ARGS__ ")", nn_PadArguments_, (.batch_first = false), T_HEAD_(__VA_ARGS__), T_TAIL_(__VA_ARGS__))
#define nn_utils_clip_grad_value_(parameters, clip_value) T_BEGIN_("nn_utils_clip_grad_value_(" #parameters ", " #clip_value ")") \
    t_TensorList *t__l = (parameters); const double t__n = (clip_value); T_END_(bool, (nn_utils_clip_grad_value_)(t__l, t__n))
#define nn_utils_parameters_to_vector(parameters) T_BEGIN_("nn_utils_parameters_to_vector(" #parameters ")") \
    t_TensorList *t__l = (parameters); T_END_(Tensor *, (nn_utils_parameters_to_vector)(t__l))
#define nn_utils_vector_to_parameters(vec, parameters) T_BEGIN_("nn_utils_vector_to_parameters(" #vec ", " #parameters ")") \
    Tensor *t__a = (vec); t_TensorList *t__l = (parameters); T_END_(bool, (nn_utils_vector_to_parameters)(t__a, t__l))

/* for_module (layer, self->layers) { x = nn_call(layer, x); }: layer is a void *, so that any class takes it. */
#define for_module(name, list) T_FOR_MODULE_(__COUNTER__, name, list)
#define T_FOR_MODULE_(n, name, list)                                                                                   \
    for (nn_Entry *T_GLUE_(t__entry_, n) = nn_child_(&(list)->base, NULL); T_GLUE_(t__entry_, n); T_GLUE_(t__entry_, n) = NULL) \
    for (void *name = T_GLUE_(t__entry_, n)->value; T_GLUE_(t__entry_, n);                                             \
         name = (T_GLUE_(t__entry_, n) = nn_child_(NULL, T_GLUE_(t__entry_, n))) ? T_GLUE_(t__entry_, n)->value : NULL)
/* The first child of a module, or the one behind another. */
static inline nn_Entry *nn_child_(const nn_Module *self, const nn_Entry *behind) {
    nn_Entry *entry = self ? self->first : behind ? behind->next : NULL;
    while (entry && entry->kind != nn_child_kind) entry = entry->next;
    return entry;
}
/* for_parameters (p, model) { nn_init_normal_(p); }: for p in model.parameters() */
#define for_parameters(p, model) for_list (p, nn_parameters(model))

/* for_named (p, nn_named_parameters(model)) { p->name, p->tensor, p->module } */
#define for_named(item, list) T_FOR_NAMED_(__COUNTER__, item, list)
#define T_FOR_NAMED_(n, item, list)                                                                                    \
    for (nn_NamedList *T_GLUE_(t__list_, n) = (list); T_GLUE_(t__list_, n); T_GLUE_(t__list_, n) = NULL)                \
    for (nn_Named *item = T_GLUE_(t__list_, n)->items, *T_GLUE_(t__end_, n) = item + T_GLUE_(t__list_, n)->len;         \
         item < T_GLUE_(t__end_, n); item++)

/* ---- constructors with keywords ---- */

#define nn_Linear(in, ...) T_BEGIN_("nn_Linear(" #in ", " #__VA_ARGS__ ")") T_WHOLE_(t__in = (in), t__out = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_LinearOptions, t__o, .bias = true, .size = sizeof(nn_LinearOptions), T_TAIL_(__VA_ARGS__)) T_END_(nn_Linear *, nn_Linear_new(t__in, t__out, &t__o))
#define nn_Bilinear(in1, in2, ...) T_BEGIN_("nn_Bilinear(" #in1 ", " #in2 ", " #__VA_ARGS__ ")") T_WHOLE_(t__in1 = (in1), t__in2 = (in2), t__out = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_LinearOptions, t__o, .bias = true, .size = sizeof(nn_LinearOptions), T_TAIL_(__VA_ARGS__)) T_END_(nn_Bilinear *, nn_Bilinear_new(t__in1, t__in2, t__out, &t__o))
#define nn_Embedding(num, ...) T_BEGIN_("nn_Embedding(" #num ", " #__VA_ARGS__ ")") T_WHOLE_(t__n = (num), t__d = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_EmbeddingOptions, t__o, .padding_idx = T_NONE, .size = sizeof(nn_EmbeddingOptions), T_TAIL_(__VA_ARGS__)) T_END_(nn_Embedding *, nn_Embedding_new(t__n, t__d, &t__o))
typedef struct nn_DropoutArguments_ { int first_; double p; } nn_DropoutArguments_;
#define nn_Dropout(...) T_BEGIN_("nn_Dropout(" #__VA_ARGS__ ")") T_OPTIONS_(nn_DropoutArguments_, t__o, .p = 0.5, .first_ = 0, __VA_ARGS__) T_END_(nn_Dropout *, nn_Dropout_new(t__o.p))
/* nn_LayerNorm(64), nn_LayerNorm(64, .eps = 1e-12), nn_LayerNorm((2, 3)) over the last two dims */
#define nn_LayerNorm(...) T_BEGIN_("nn_LayerNorm(" #__VA_ARGS__ ")") T_LIST_OF_WHOLE_(t__n, T_SPREAD_(T_HEAD_(__VA_ARGS__))) \
    T_OPTIONS_(nn_LayerNormOptions, t__o, .eps = 1e-5, .elementwise_affine = true, .bias = true, .size = sizeof(nn_LayerNormOptions), T_TAIL_(__VA_ARGS__)) T_END_(nn_LayerNorm *, nn_LayerNorm_new(T_LIST_AND_LENGTH_(t__n), &t__o))
#define nn_Identity() T_BEGIN_("nn_Identity()") T_END_(nn_Identity *, nn_Identity_new())
#define NN_LIST_(Type, text, ...) T_BEGIN_(text) void *const t__l[] = {NULL, __VA_ARGS__}; T_END_(Type *, Type##_new(t__l + 1, (int64_t)(sizeof t__l / sizeof *t__l) - 1))
#define nn_Sequential(...) NN_LIST_(nn_Sequential, "nn_Sequential(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_ModuleList(...) NN_LIST_(nn_ModuleList, "nn_ModuleList(" #__VA_ARGS__ ")", __VA_ARGS__)
#define nn_append(list, module) T_BEGIN_("nn_append(" #list ", " #module ")") void *t__l = (list), *t__m = (module); T_END_(bool, (nn_append)(t__l, t__m))

#define nn_MultiHeadAttention(d_model, ...) T_BEGIN_("nn_MultiHeadAttention(" #d_model ", " #__VA_ARGS__ ")") T_WHOLE_(t__d = (d_model), t__h = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_MultiHeadAttentionOptions, t__o, .dropout = 0.1, .size = sizeof(nn_MultiHeadAttentionOptions), T_TAIL_(__VA_ARGS__)) T_END_(nn_MultiHeadAttention *, nn_MultiHeadAttention_new(t__d, t__h, &t__o))
#define nn_FeedForward(d_model, ...) T_BEGIN_("nn_FeedForward(" #d_model ", " #__VA_ARGS__ ")") T_WHOLE_(t__d = (d_model), t__f = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_FeedForwardOptions, t__o, .dropout = 0.1, .activation = "relu", .size = sizeof(nn_FeedForwardOptions), T_TAIL_(__VA_ARGS__)) T_END_(nn_FeedForward *, nn_FeedForward_new(t__d, t__f, &t__o))
#define nn_PositionalEncoding(...) T_BEGIN_("nn_PositionalEncoding(" #__VA_ARGS__ ")") T_WHOLE_(t__d = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_PositionalEncodingOptions, t__o, .max_len = 5000, .dropout = 0.1, .size = sizeof(nn_PositionalEncodingOptions), T_TAIL_(__VA_ARGS__)) T_END_(nn_PositionalEncoding *, nn_PositionalEncoding_new(t__d, &t__o))
#define NN_LAYER_(Type, text, d_model, num_heads, ...) T_BEGIN_(text) T_WHOLE_(t__d = (d_model), t__h = (num_heads), t__f = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(Type##Options, t__o, .dropout = 0.1, .activation = "relu", .size = sizeof(Type##Options), T_TAIL_(__VA_ARGS__)) T_END_(Type *, Type##_new(t__d, t__h, t__f, &t__o))
#define nn_EncoderLayer(d_model, num_heads, ...) NN_LAYER_(nn_EncoderLayer, "nn_EncoderLayer(" #d_model ", " #num_heads ", " #__VA_ARGS__ ")", d_model, num_heads, __VA_ARGS__)
#define nn_DecoderLayer(d_model, num_heads, ...) NN_LAYER_(nn_DecoderLayer, "nn_DecoderLayer(" #d_model ", " #num_heads ", " #__VA_ARGS__ ")", d_model, num_heads, __VA_ARGS__)
#define NN_STACK_(Type, text, num_layers, d_model, num_heads, d_ff, ...) \
    T_BEGIN_(text) T_WHOLE_(t__l = (num_layers), t__d = (d_model), t__h = (num_heads), t__f = (d_ff), t__v = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(Type##Options, t__o, .max_len = 5000, .dropout = 0.1, .activation = "relu", .scale_embedding = true, .padding_idx = T_NONE, .size = sizeof(Type##Options), T_TAIL_(__VA_ARGS__)) \
    T_END_(Type *, Type##_new(t__l, t__d, t__h, t__f, t__v, &t__o))
#define nn_Encoder(num_layers, d_model, num_heads, d_ff, ...) \
    NN_STACK_(nn_Encoder, "nn_Encoder(" #num_layers ", " #d_model ", " #num_heads ", " #d_ff ", " #__VA_ARGS__ ")", num_layers, d_model, num_heads, d_ff, __VA_ARGS__)
#define nn_Decoder(num_layers, d_model, num_heads, d_ff, ...) \
    NN_STACK_(nn_Decoder, "nn_Decoder(" #num_layers ", " #d_model ", " #num_heads ", " #d_ff ", " #__VA_ARGS__ ")", num_layers, d_model, num_heads, d_ff, __VA_ARGS__)
/* nn_EncoderDecoder(num_layers, d_model, num_heads, d_ff, src_vocab, tgt_vocab, .norm_first = true) */
#define nn_EncoderDecoder(num_layers, d_model, num_heads, d_ff, src_vocab, ...) \
    T_BEGIN_("nn_EncoderDecoder(" #num_layers ", " #d_model ", " #num_heads ", " #d_ff ", " #src_vocab ", " #__VA_ARGS__ ")") \
    T_WHOLE_(t__l = (num_layers), t__d = (d_model), t__h = (num_heads), t__f = (d_ff), t__s = (src_vocab), t__v = T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(nn_EncoderDecoderOptions, t__o, .src_max_len = 5000, .tgt_max_len = 5000, .dropout = 0.1, .activation = "relu", .scale_embedding = true, \
               .src_padding_idx = T_NONE, .tgt_padding_idx = T_NONE, .size = sizeof(nn_EncoderDecoderOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(nn_EncoderDecoder *, nn_EncoderDecoder_new(t__l, t__d, t__h, t__f, t__s, t__v, &t__o))
#define nn_MultiHeadAttention_call(self, q, k, v, mask, weights) T_BEGIN_("nn_MultiHeadAttention_call(" #self ", " #q ", " #k ", " #v ", " #mask ", " #weights ")") \
    nn_MultiHeadAttention *t__m = (self); Tensor *t__q = (q), *t__k = (k), *t__v = (v), *t__mask = (mask), **t__w = (weights); T_END_(Tensor *, (nn_MultiHeadAttention_call)(t__m, t__q, t__k, t__v, t__mask, t__w))
#define nn_EncoderLayer_call(self, x, mask, weights) T_BEGIN_("nn_EncoderLayer_call(" #self ", " #x ", " #mask ", " #weights ")") \
    nn_EncoderLayer *t__m = (self); Tensor *t__a = (x), *t__mask = (mask), **t__w = (weights); T_END_(Tensor *, (nn_EncoderLayer_call)(t__m, t__a, t__mask, t__w))
#define nn_Encoder_call(self, ids, mask, weights) T_BEGIN_("nn_Encoder_call(" #self ", " #ids ", " #mask ", " #weights ")") \
    nn_Encoder *t__m = (self); Tensor *t__a = (ids), *t__mask = (mask); t_TensorList **t__w = (weights); T_END_(Tensor *, (nn_Encoder_call)(t__m, t__a, t__mask, t__w))
#define nn_DecoderLayer_call(self, x, memory, src_mask, tgt_mask, self_weights, cross_weights) \
    T_BEGIN_("nn_DecoderLayer_call(" #self ", " #x ", " #memory ", " #src_mask ", " #tgt_mask ", " #self_weights ", " #cross_weights ")") \
    nn_DecoderLayer *t__m = (self); Tensor *t__a = (x), *t__b = (memory), *t__s = (src_mask), *t__t = (tgt_mask), **t__w = (self_weights), **t__c = (cross_weights); \
    T_END_(Tensor *, (nn_DecoderLayer_call)(t__m, t__a, t__b, t__s, t__t, t__w, t__c))
#define NN_DECODE_(f, Type, Weights, text, self, a, b, src_mask, tgt_mask, weights) \
    T_BEGIN_(text) Type *t__m = (self); Tensor *t__a = (a), *t__b = (b), *t__s = (src_mask), *t__t = (tgt_mask); Weights *t__w = (weights); \
    T_END_(Tensor *, (f)(t__m, t__a, t__b, t__s, t__t, t__w))
#define nn_Decoder_call(self, ids, memory, src_mask, tgt_mask, weights) \
    NN_DECODE_(nn_Decoder_call, nn_Decoder, nn_DecoderWeights, "nn_Decoder_call(" #self ", " #ids ", " #memory ", " #src_mask ", " #tgt_mask ", " #weights ")", self, ids, memory, src_mask, tgt_mask, weights)
#define nn_EncoderDecoder_call(self, src, tgt, src_mask, tgt_mask, weights) \
    NN_DECODE_(nn_EncoderDecoder_call, nn_EncoderDecoder, nn_EncoderDecoderWeights, "nn_EncoderDecoder_call(" #self ", " #src ", " #tgt ", " #src_mask ", " #tgt_mask ", " #weights ")", self, src, tgt, src_mask, tgt_mask, weights)
#define nn_EncoderDecoder_encode(self, src, src_mask, weights) T_BEGIN_("nn_EncoderDecoder_encode(" #self ", " #src ", " #src_mask ", " #weights ")") \
    nn_EncoderDecoder *t__m = (self); Tensor *t__a = (src), *t__mask = (src_mask); t_TensorList **t__w = (weights); T_END_(Tensor *, (nn_EncoderDecoder_encode)(t__m, t__a, t__mask, t__w))
#define nn_EncoderDecoder_decode(self, tgt, memory, src_mask, tgt_mask, weights) \
    NN_DECODE_(nn_EncoderDecoder_decode, nn_EncoderDecoder, nn_DecoderWeights, "nn_EncoderDecoder_decode(" #self ", " #tgt ", " #memory ", " #src_mask ", " #tgt_mask ", " #weights ")", self, tgt, memory, src_mask, tgt_mask, weights)

/* ---- masks ---- */
#define NN_MASK_(f, text, ids, pad_idx) T_BEGIN_(text) T_TENSOR_(t__a, (ids)) T_END_(Tensor *, (f)(t__a, pad_idx))
#define nn_keep_padding(ids, pad_idx) NN_MASK_(nn_keep_padding, "nn_keep_padding(" #ids ", " #pad_idx ")", ids, pad_idx)
#define nn_keep_target(ids, pad_idx) NN_MASK_(nn_keep_target, "nn_keep_target(" #ids ", " #pad_idx ")", ids, pad_idx)
#define nn_keep_causal(n) T_BEGIN_("nn_keep_causal(" #n ")") T_END_(Tensor *, (nn_keep_causal)(n))
#define nn_hide_padding(ids, pad_idx) NN_MASK_(nn_hide_padding, "nn_hide_padding(" #ids ", " #pad_idx ")", ids, pad_idx)
#define nn_hide_target(ids, pad_idx) NN_MASK_(nn_hide_target, "nn_hide_target(" #ids ", " #pad_idx ")", ids, pad_idx)
#define nn_hide_causal(n) T_BEGIN_("nn_hide_causal(" #n ")") T_END_(Tensor *, (nn_hide_causal)(n))

#endif
#endif
