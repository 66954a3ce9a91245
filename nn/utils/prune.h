/* nn/utils/prune.h: torch.nn.utils.prune (public).
 *
 *     nn_utils_prune_l1_unstructured(layer, "weight", 0.3);   // the 30 % that are nearest to 0
 *     nn_utils_prune_l1_unstructured(layer, "weight", 2);     // or two of those that are left
 *     nn_utils_prune_remove(layer, "weight");
 *
 * The parameter becomes weight_orig; the buffer weight_mask is 1 for what is left; weight = mask * orig is computed
 * before each call of the module, which is found by its C field. A module of any class can be pruned whose forward
 * reads its fields, but no recurrent layer. The optimizer's reference on the parameter stays valid. */
#ifndef TAPEGRAD_NN_UTILS_PRUNE_H
#define TAPEGRAD_NN_UTILS_PRUNE_H

#include "nn/module/module.h"

T_BEGIN_DECLS

/* The amount: Python's int is `count` elements or channels; its float is a `fraction` of all, and count T_NONE. Each
 * returns the module, NULL on error. */
T_API void *nn_utils_prune_identity(void *module, const char *name);                 /* prune.identity(module, name) */
/* prune.random_unstructured(module, name, amount) */
T_API void *nn_utils_prune_random_unstructured(void *module, const char *name, int64_t count, double fraction);
/* prune.l1_unstructured(module, name, amount, importance_scores=None) */
T_API void *nn_utils_prune_l1_unstructured(void *module, const char *name, int64_t count, double fraction,
                                           Tensor *importance_scores);
/* prune.random_structured(module, name, amount, dim) */
T_API void *nn_utils_prune_random_structured(void *module, const char *name, int64_t count, double fraction,
                                             int64_t dim);
/* prune.ln_structured(module, name, amount, n, dim, importance_scores=None); n may be INFINITY */
T_API void *nn_utils_prune_ln_structured(void *module, const char *name, int64_t count, double fraction, double n,
                                         int64_t dim, Tensor *importance_scores);
/* prune.custom_from_mask(module, name, mask) */
T_API void *nn_utils_prune_custom_from_mask(void *module, const char *name, Tensor *mask);

/* prune.global_unstructured(parameters, pruning_method, amount=0.2): over all of them together */
typedef struct nn_utils_prune_Parameter {
    void *module;
    const char *name;
} nn_utils_prune_Parameter;
typedef enum nn_utils_prune_Method {
    nn_utils_prune_L1Unstructured, nn_utils_prune_RandomUnstructured
} nn_utils_prune_Method;
T_API bool nn_utils_prune_global_unstructured(const nn_utils_prune_Parameter *parameters, int64_t parameter_count,
                                              nn_utils_prune_Method pruning_method, int64_t count, double fraction);

/* class Own(prune.BasePruningMethod), as a constant. compute_mask(self, t, default_mask) returns a mask of the shape of
 * t, which may be default_mask, changed in place; gradients are off. t is the parameter or the importance_scores, and
 * default_mask all ones, if the parameter is not pruned yet. Where it is, PRUNING_TYPE says what t is: the elements
 * that are left, as a vector, for an unstructured method; the channels along dim of which something is left for a
 * structured one; all for a global one. */
typedef enum nn_utils_prune_PruningType {
    nn_utils_prune_unstructured, nn_utils_prune_structured, nn_utils_prune_global
} nn_utils_prune_PruningType;
typedef struct nn_utils_prune_BasePruningMethod {
    nn_utils_prune_PruningType PRUNING_TYPE;
    Tensor *(*compute_mask)(Tensor *t, Tensor *default_mask, void *context);
    int64_t dim; /* of a structured method */
} nn_utils_prune_BasePruningMethod;
/* Own.apply(module, name, importance_scores=None); context is passed to compute_mask */
T_API void *nn_utils_prune_BasePruningMethod_apply(const nn_utils_prune_BasePruningMethod *method, void *module,
                                                   const char *name, Tensor *importance_scores, void *context);

T_API void *nn_utils_prune_remove(void *module, const char *name); /* prune.remove(module, name): makes it permanent */
T_API bool nn_utils_prune_is_pruned(const void *module);           /* prune.is_pruned(module), with its descendants */

T_END_DECLS
#endif
