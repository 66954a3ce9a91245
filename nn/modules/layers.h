/* nn/modules/layers.h: Linear, Embedding, LayerNorm, Dropout and the containers of torch.nn (public); the other modules
 * are in the other headers of this folder, which may include core/, nn/init, nn/module and nn/functional.
 *
 * nn_X is the type, nn_X(...) the constructor with keywords (nn/sugar/sugar.h), nn_X_new the plain constructor, whose
 * options may be NULL for all defaults. Fields have PyTorch's names and may be read. */
#ifndef TAPEGRAD_NN_MODULES_LAYERS_H
#define TAPEGRAD_NN_MODULES_LAYERS_H

#include "nn/module/module.h"

T_BEGIN_DECLS

/* nn.Linear(in_features, out_features, bias=True): y = x W^T + b. weight: (out, in), bias: (out). */
typedef struct nn_Linear {
    nn_Module base;
    Tensor *weight, *bias;
    int64_t in_features, out_features;
} nn_Linear;
typedef struct nn_LinearOptions {
    uint32_t size;
    bool bias;
    t_DType dtype;
} nn_LinearOptions;
T_API nn_Linear *nn_Linear_new(int64_t in_features, int64_t out_features, const nn_LinearOptions *options);

/* nn.Bilinear(in1_features, in2_features, out_features, bias=True): y = a W b + bias, called with nn_call(layer, a, b).
 * weight: (out, in1, in2), bias: (out). */
typedef struct nn_Bilinear {
    nn_Module base;
    Tensor *weight, *bias;
    int64_t in1_features, in2_features, out_features;
} nn_Bilinear;
T_API nn_Bilinear *nn_Bilinear_new(int64_t in1_features, int64_t in2_features, int64_t out_features,
                                   const nn_LinearOptions *options);

/* nn.Embedding(num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0,
 * scale_grad_by_freq=False): looks up rows of weight (num_embeddings, embedding_dim), F_embedding. */
typedef struct nn_Embedding {
    nn_Module base;
    Tensor *weight;
    int64_t num_embeddings, embedding_dim, padding_idx;
    double max_norm, norm_type; /* max_norm NAN: none */
    bool scale_grad_by_freq;
} nn_Embedding;
typedef struct nn_EmbeddingOptions {
    uint32_t size;
    int64_t padding_idx; /* T_NONE: none. Its row is initialised to 0 and gets no gradient */
    double max_norm, norm_type;
    bool scale_grad_by_freq;
    t_DType dtype;
    bool sparse;     /* true is an error: there are no sparse gradients */
    Tensor *_weight; /* NULL, or the weight itself */
    bool _freeze;    /* a given weight that does not require grad */
} nn_EmbeddingOptions;
T_API extern const nn_EmbeddingOptions nn_EmbeddingDefaults; /* start from these to change single ones */
T_API nn_Embedding *nn_Embedding_new(int64_t num_embeddings, int64_t embedding_dim, const nn_EmbeddingOptions *options);
T_API nn_Embedding *nn_Embedding_from_pretrained(Tensor *embeddings, bool freeze,
                                                 const nn_EmbeddingOptions *options); /* Embedding.from_pretrained */

/* nn.EmbeddingBag(num_embeddings, embedding_dim, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, mode="mean",
 * include_last_offset=False, padding_idx=None): F_embedding_bag. nn_call(bag, ids) of ids (B, N), nn_call(bag, ids,
 * offsets), or nn_EmbeddingBag_call. (embedding_bag.c) */
typedef struct nn_EmbeddingBag {
    nn_Module base;
    Tensor *weight;
    int64_t num_embeddings, embedding_dim, padding_idx;
    double max_norm, norm_type; /* max_norm NAN: none */
    bool scale_grad_by_freq, include_last_offset;
    char mode[5];
} nn_EmbeddingBag;
typedef struct nn_EmbeddingBagOptions {
    uint32_t size;
    double max_norm, norm_type;
    bool scale_grad_by_freq;
    const char *mode; /* NULL: "mean" */
    bool include_last_offset;
    int64_t padding_idx; /* T_NONE: none. Its row is initialised to 0, counts for nothing and gets no gradient */
    t_DType dtype;
    bool sparse; /* true is an error: there are no sparse gradients */
} nn_EmbeddingBagOptions;
T_API nn_EmbeddingBag *nn_EmbeddingBag_new(int64_t num_embeddings, int64_t embedding_dim,
                                           const nn_EmbeddingBagOptions *options);
/* bag(input, offsets=None, per_sample_weights=None); both may be NULL */
T_API Tensor *nn_EmbeddingBag_call(nn_EmbeddingBag *self, Tensor *input, Tensor *offsets, Tensor *per_sample_weights);

/* nn.Dropout(p=0.5, inplace=False): in training mode zeroes elements with probability p and scales the others by 1 / (1
 * - p). inplace: the result is written to the input. */
typedef struct nn_Dropout {
    nn_Module base;
    double p;
    bool inplace;
} nn_Dropout;
T_API nn_Dropout *nn_Dropout_new(double p, bool inplace);

/* nn.LayerNorm(normalized_shape, eps=1e-5, elementwise_affine=True, bias=True): over the last dims, of that shape. */
typedef struct nn_LayerNorm {
    nn_Module base;
    Tensor *weight, *bias; /* NULL without them */
    int64_t normalized_shape[T_MAX_DIMS];
    int ndim;
    double eps;
} nn_LayerNorm;
typedef struct nn_LayerNormOptions {
    uint32_t size;
    double eps;
    bool elementwise_affine, bias;
    t_DType dtype;
} nn_LayerNormOptions;
T_API nn_LayerNorm *nn_LayerNorm_new(const int64_t *normalized_shape, int ndim, const nn_LayerNormOptions *options);

/* nn.Identity() */
typedef struct nn_Identity { nn_Module base; } nn_Identity;
T_API nn_Identity *nn_Identity_new(void);

/* nn.Sequential(a, b, c): c(b(a(x))). nn.ModuleList([a, b]): a list of modules, which has no forward. */
typedef struct nn_Sequential { nn_Module base; } nn_Sequential;
typedef struct nn_ModuleList { nn_Module base; } nn_ModuleList;
/* nn.ModuleDict({"conv": m}), nn.ParameterList([p, q]), nn.ParameterDict([("left", p)]): the keys, "0", "1", ... of the
 * list, are names in the state dict ("choices.conv.weight"), in the order in which they were set first. (PyTorch's
 * ParameterDict sorts the keys of a plain dict.) A tensor that is no parameter becomes one, with the same data.
 * for_module, for_parameters and for_named (item, nn_named_children(dict)) iterate. */
typedef struct nn_ModuleDict { nn_Module base; } nn_ModuleDict;
typedef struct nn_ParameterList { nn_Module base; } nn_ParameterList;
typedef struct nn_ParameterDict { nn_Module base; } nn_ParameterDict;
typedef struct nn_NamedModule { const char *name; void *module; } nn_NamedModule;
typedef struct nn_NamedParameter { const char *name; Tensor *parameter; } nn_NamedParameter;
T_API nn_Sequential *nn_Sequential_new(void *const *modules, int64_t count);
T_API nn_ModuleList *nn_ModuleList_new(void *const *modules, int64_t count);
T_API nn_ModuleDict *nn_ModuleDict_new(const nn_NamedModule *modules, int64_t count);
T_API nn_ParameterList *nn_ParameterList_new(Tensor *const *parameters, int64_t count);
T_API nn_ParameterDict *nn_ParameterDict_new(const nn_NamedParameter *parameters, int64_t count);
/* These take a Sequential, ModuleList or, with tensors in place of modules, ParameterList. */
T_API bool nn_append(void *list, void *module);        /* list.append(module) */
T_API int64_t nn_len(const void *list);                /* len(list), also of a dict */
T_API void *nn_get(const void *list, int64_t index);   /* list[index], negative from the end. Error: out of range */
/* list[index] = module: detaches the old module from its parent; the keys do not change. Error: out of range */
T_API bool nn_set_item(void *list, int64_t index, void *module);
T_API bool nn_extend(void *list, const void *other);   /* list.extend(other): the modules of another list */
/* These take a Sequential or ModuleList. */
/* list.insert(index, module); the modules after it are renumbered */
T_API bool nn_insert(void *list, int64_t index, void *module);
T_API void *nn_pop(void *list, int64_t index); /* list.pop(index): moves the module to the current scope */
/* list[start:end:step], T_NONE for a missing one: a new list of the same modules or parameters. As in PyTorch a
 * Sequential keeps their names ("2.weight"), a ModuleList counts from 0. The slice of a subclass is a plain container.
 */
T_API void *nn_slice(const void *list, int64_t start, int64_t end, int64_t step);
/* These take a ModuleDict or, with tensors in place of modules, ParameterDict; the macros nn_get, nn_set_item and
 * nn_pop call them where the index is a string. A name that is set again keeps its position. Error: KeyError. */
T_API void *nn_get_key(const void *dict, const char *key);             /* dict[key] */
T_API bool nn_set_key(void *dict, const char *key, void *module);      /* dict[key] = module */
T_API void *nn_pop_key(void *dict, const char *key); /* dict.pop(key): moves the module to the current scope */
T_API bool nn_contains(const void *dict, const char *key);    /* key in dict */
T_API bool nn_update(void *dict, const void *other);          /* dict.update(other), a dict of the same class */
T_API bool nn_clear(void *dict);                              /* dict.clear() */
/* nn_get(dict, key, nn_Linear); error: another class */
T_API void *nn_get_key_of(const void *dict, const char *key, const char *type, size_t bytes);
/* nn_as(m, nn_Linear): m itself if it is of that class, else NULL, without an error: isinstance(m, nn.Linear), with the
 * typed pointer as result. Error: m is no module. */
T_API void *nn_as_of(void *module, const char *type, size_t bytes);
T_API void *nn_get_of(const void *list, int64_t index, const char *type,
                      size_t bytes); /* nn_get(list, i, nn_Linear); error: another class */

T_END_DECLS
#endif
