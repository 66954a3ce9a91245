/* nn/sugar/prune.h: macros of nn/utils/prune.h, weight_norm.h, nn/parametrize and nn/fusion.h (public; gcc and clang, C
 * only). core/sugar/sugar.h explains the macros. */
#ifndef TAPEGRAD_NN_SUGAR_PRUNE_H
#define TAPEGRAD_NN_SUGAR_PRUNE_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sugar/sugar.h"
#include "nn/fusion.h"
#include "nn/parametrize/parametrizations.h"
#include "nn/parametrize/parametrize.h"
#include "nn/parametrize/spectral_norm.h"
#include "nn/utils/prune.h"
#include "nn/utils/weight_norm.h"

/* An amount of an integer type is a number of elements or channels, t__n; one of a floating type a fraction, t__f. */
#define NN_PRUNE_(call, text, module, name, amount) T_BEGIN_(text) void *t__m = (module); \
    const char *t__k = (name); const __auto_type t__a = (amount); const double t__f = (double)t__a; \
    const int64_t t__n = _Generic(t__a, float: T_NONE, double: T_NONE, default: (int64_t)t__a); T_END_(void *, call)
#define nn_utils_prune_identity(module, name) T_BEGIN_("nn_utils_prune_identity(" #module ", " #name ")") \
    void *t__m = (module); T_END_(void *, (nn_utils_prune_identity)(t__m, name))
/* nn_utils_prune_l1_unstructured(layer, "weight", 0.3), ..., 2), ..., 0.3, .importance_scores = s) */
#define nn_utils_prune_random_unstructured(module, name, amount) \
    NN_PRUNE_((nn_utils_prune_random_unstructured)(t__m, t__k, t__n, t__f), \
    "nn_utils_prune_random_unstructured(" #module ", " #name ", " #amount ")", module, name, amount)
typedef struct nn_PruneArguments_ { int first_; Tensor *importance_scores; } nn_PruneArguments_;
#define nn_utils_prune_l1_unstructured(module, name, ...) \
    NN_PRUNE_(({ T_OPTIONS_(nn_PruneArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    (nn_utils_prune_l1_unstructured)(t__m, t__k, t__n, t__f, t__o.importance_scores); }), \
    "nn_utils_prune_l1_unstructured(" #module ", " #name ", " #__VA_ARGS__ ")", module, name, T_HEAD_(__VA_ARGS__))
#define nn_utils_prune_random_structured(module, name, amount, dim) \
    NN_PRUNE_((nn_utils_prune_random_structured)(t__m, t__k, t__n, t__f, dim), \
    "nn_utils_prune_random_structured(" #module ", " #name ", " #amount ", " #dim ")", module, name, amount)
/* nn_utils_prune_ln_structured(layer, "weight", 0.5, .n = 2, .dim = 0) */
typedef struct nn_PruneStructuredArguments_ {
    int first_; double n; int64_t dim; Tensor *importance_scores;
} nn_PruneStructuredArguments_;
#define nn_utils_prune_ln_structured(module, name, ...) \
    NN_PRUNE_(({ T_OPTIONS_(nn_PruneStructuredArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    (nn_utils_prune_ln_structured)(t__m, t__k, t__n, t__f, t__o.n, t__o.dim, t__o.importance_scores); }), \
    "nn_utils_prune_ln_structured(" #module ", " #name ", " #__VA_ARGS__ ")", module, name, T_HEAD_(__VA_ARGS__))
#define nn_utils_prune_custom_from_mask(module, name, mask) \
    T_BEGIN_("nn_utils_prune_custom_from_mask(" #module ", " #name ", " #mask ")") void *t__m = (module); \
    const char *t__k = (name); T_TENSOR_(t__a, (mask)) \
    T_END_(void *, (nn_utils_prune_custom_from_mask)(t__m, t__k, t__a))
/* nn_utils_prune_BasePruningMethod_apply(&own, layer, "weight"), also with .importance_scores = s, .context = &c */
typedef struct nn_PruneApplyArguments_ {
    int first_; const char *name; Tensor *importance_scores; void *context;
} nn_PruneApplyArguments_;
#define nn_utils_prune_BasePruningMethod_apply(method, module, ...) \
    T_BEGIN_("nn_utils_prune_BasePruningMethod_apply(" #method ", " #module ", " #__VA_ARGS__ ")") \
    const nn_utils_prune_BasePruningMethod *t__p = (method); void *t__m = (module); \
    T_OPTIONS_(nn_PruneApplyArguments_, t__o, .context = NULL, .first_ = 0, __VA_ARGS__) T_END_(void *, \
    (nn_utils_prune_BasePruningMethod_apply)(t__p, t__m, t__o.name, t__o.importance_scores, t__o.context))
/* nn_utils_prune_global_unstructured(parameters, 2, nn_utils_prune_L1Unstructured, 0.2) */
#define nn_utils_prune_global_unstructured(parameters, parameter_count, pruning_method, amount) \
    T_BEGIN_("nn_utils_prune_global_unstructured(" #parameters ", " #pruning_method ", " #amount ")") \
    const nn_utils_prune_Parameter *t__m = (parameters); const __auto_type t__a = (amount); \
    const int64_t t__n = _Generic(t__a, float: T_NONE, double: T_NONE, default: (int64_t)t__a); \
    T_END_(bool, (nn_utils_prune_global_unstructured)(t__m, parameter_count, pruning_method, t__n, (double)t__a))
#define nn_utils_prune_remove(module, name) T_BEGIN_("nn_utils_prune_remove(" #module ", " #name ")") \
    void *t__m = (module); T_END_(void *, (nn_utils_prune_remove)(t__m, name))
#define nn_utils_prune_is_pruned(module) T_BEGIN_("nn_utils_prune_is_pruned(" #module ")") void *t__m = (module); \
    T_END_(bool, (nn_utils_prune_is_pruned)(t__m))

/* nn_utils_parametrize_register_parametrization(layer, "weight", nn_module(Symmetric, symmetric_call)) */
typedef struct nn_ParametrizeArguments_ {
    int first_; const char *tensor_name; void *parametrization; bool unsafe;
} nn_ParametrizeArguments_;
typedef struct nn_UnparametrizeArguments_ {
    int first_; const char *tensor_name; bool leave_parametrized;
} nn_UnparametrizeArguments_;
#define NN_PARAMETRIZE_(type, call, text, Arguments, module, ...) T_BEGIN_(text) void *t__m = (module); \
    T_OPTIONS_(Arguments, t__o, __VA_ARGS__) T_END_(type, call)
#define nn_utils_parametrize_register_parametrization(module, ...) NN_PARAMETRIZE_(void *, \
    (nn_utils_parametrize_register_parametrization)(t__m, t__o.tensor_name, t__o.parametrization, t__o.unsafe), \
    "nn_utils_parametrize_register_parametrization(" #module ", " #__VA_ARGS__ ")", nn_ParametrizeArguments_, module, \
    .unsafe = false, .first_ = 0, __VA_ARGS__)
#define nn_utils_parametrize_remove_parametrizations(module, ...) NN_PARAMETRIZE_(void *, \
    (nn_utils_parametrize_remove_parametrizations)(t__m, t__o.tensor_name, t__o.leave_parametrized), \
    "nn_utils_parametrize_remove_parametrizations(" #module ", " #__VA_ARGS__ ")", nn_UnparametrizeArguments_, module, \
    .leave_parametrized = true, .first_ = 0, __VA_ARGS__)
/* nn_utils_parametrize_is_parametrized(layer), nn_utils_parametrize_is_parametrized(layer, "weight") */
#define nn_utils_parametrize_is_parametrized(...) NN_PARAMETRIZE_(bool, \
    (nn_utils_parametrize_is_parametrized)(t__m, t__o.tensor_name), \
    "nn_utils_parametrize_is_parametrized(" #__VA_ARGS__ ")", nn_ParametrizeArguments_, T_HEAD_(__VA_ARGS__), \
    .unsafe = false, .first_ = 0, T_TAIL_(__VA_ARGS__))

/* nn_utils_weight_norm(layer), nn_utils_weight_norm(layer, "weight", .dim = 1) */
typedef struct nn_WeightNormArguments_ { int first_; const char *name; int64_t dim; } nn_WeightNormArguments_;
#define nn_utils_weight_norm(...) T_BEGIN_("nn_utils_weight_norm(" #__VA_ARGS__ ")") \
    void *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_WeightNormArguments_, t__o, .name = "weight", .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(void *, (nn_utils_weight_norm)(t__m, t__o.name, t__o.dim))
#define nn_utils_remove_weight_norm(...) T_BEGIN_("nn_utils_remove_weight_norm(" #__VA_ARGS__ ")") \
    void *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(nn_WeightNormArguments_, t__o, .name = "weight", .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(void *, (nn_utils_remove_weight_norm)(t__m, t__o.name))

#define nn_utils_parametrize_right_inverse(module, tensor_name, value) \
    T_BEGIN_("nn_utils_parametrize_right_inverse(" #module ", " #tensor_name ", " #value ")") void *t__m = (module); \
    const char *t__k = (tensor_name); T_TENSOR_(t__a, (value)) \
    T_END_(void *, (nn_utils_parametrize_right_inverse)(t__m, t__k, t__a))

/* nn_utils_parametrizations_weight_norm(layer), nn_utils_spectral_norm(layer, "weight", .n_power_iterations = 2),
 * nn_utils_parametrizations_orthogonal(layer, .orthogonal_map = "cayley") */
#define NN_REPARAMETRIZE_(f, Arguments, defaults, call, ...) T_BEGIN_(f "(" #__VA_ARGS__ ")") \
    void *t__m = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(Arguments, t__o, .name = "weight", T_DEFAULTS_ defaults, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(void *, call)
typedef struct nn_SpectralNormArguments_ {
    int first_; const char *name; int64_t n_power_iterations; double eps; int64_t dim;
} nn_SpectralNormArguments_;
typedef struct nn_OrthogonalArguments_ {
    int first_; const char *name, *orthogonal_map; bool use_trivialization;
} nn_OrthogonalArguments_;
#define nn_utils_parametrizations_weight_norm(...) NN_REPARAMETRIZE_("nn_utils_parametrizations_weight_norm", \
    nn_WeightNormArguments_, (.dim = 0), (nn_utils_parametrizations_weight_norm)(t__m, t__o.name, t__o.dim), \
    __VA_ARGS__)
#define NN_SPECTRAL_NORM_(f, text, ...) NN_REPARAMETRIZE_(text, nn_SpectralNormArguments_, \
    (.n_power_iterations = 1, .eps = 1e-12, .dim = T_NONE), \
    (f)(t__m, t__o.name, t__o.n_power_iterations, t__o.eps, t__o.dim), __VA_ARGS__)
#define nn_utils_parametrizations_spectral_norm(...) NN_SPECTRAL_NORM_(nn_utils_parametrizations_spectral_norm, \
    "nn_utils_parametrizations_spectral_norm", __VA_ARGS__)
#define nn_utils_spectral_norm(...) NN_SPECTRAL_NORM_(nn_utils_spectral_norm, "nn_utils_spectral_norm", __VA_ARGS__)
#define nn_utils_remove_spectral_norm(...) NN_REPARAMETRIZE_("nn_utils_remove_spectral_norm", \
    nn_WeightNormArguments_, (.dim = 0), (nn_utils_remove_spectral_norm)(t__m, t__o.name), __VA_ARGS__)
#define nn_utils_parametrizations_orthogonal(...) NN_REPARAMETRIZE_("nn_utils_parametrizations_orthogonal", \
    nn_OrthogonalArguments_, (.orthogonal_map = NULL, .use_trivialization = true), \
    (nn_utils_parametrizations_orthogonal)(t__m, t__o.name, t__o.orthogonal_map, t__o.use_trivialization), __VA_ARGS__)

/* nn_utils_fuse_conv_bn_eval(conv, bn), nn_utils_fuse_conv_bn_eval(conv, bn, .transpose = true) */
typedef struct nn_FuseArguments_ { int first_; const nn_BatchNorm *bn; bool transpose; } nn_FuseArguments_;
#define nn_utils_fuse_conv_bn_eval(conv, ...) \
    T_BEGIN_("nn_utils_fuse_conv_bn_eval(" #conv ", " #__VA_ARGS__ ")") const nn_Conv *t__m = (conv); \
    T_OPTIONS_(nn_FuseArguments_, t__o, .transpose = false, .first_ = 0, __VA_ARGS__) \
    T_END_(nn_Conv *, (nn_utils_fuse_conv_bn_eval)(t__m, t__o.bn, t__o.transpose))
#define nn_utils_fuse_linear_bn_eval(linear, bn) \
    T_BEGIN_("nn_utils_fuse_linear_bn_eval(" #linear ", " #bn ")") const nn_Linear *t__m = (linear); \
    const nn_BatchNorm *t__b = (bn); T_END_(nn_Linear *, (nn_utils_fuse_linear_bn_eval)(t__m, t__b))

#endif
#endif
