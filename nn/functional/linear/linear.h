/* nn/functional/linear/linear.h: F.linear and F.bilinear, and the lookup in a table of weights, F.embedding (public;
 * part of nn/functional/functional.h). The folder may include core/ only. */
#ifndef TAPEGRAD_NN_FUNCTIONAL_LINEAR_H
#define TAPEGRAD_NN_FUNCTIONAL_LINEAR_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* ---- linear.c ---- */
T_API Tensor *F_linear(Tensor *x, Tensor *weight, Tensor *bias);           /* F.linear(x, weight, bias); bias or NULL */
T_API Tensor *F_bilinear(Tensor *input1, Tensor *input2, Tensor *weight, Tensor *bias); /* F.bilinear */

/* ---- embedding.c; NULL options are the defaults; start from F_EmbeddingDefaults to change single ones ---- */
typedef struct F_EmbeddingOptions {
    uint32_t size;
    int64_t padding_idx;        /* T_NONE: none */
    double max_norm, norm_type; /* max_norm NAN: none; norm_type 2 */
    bool scale_grad_by_freq;
} F_EmbeddingOptions;
T_API extern const F_EmbeddingOptions F_EmbeddingDefaults;
T_API Tensor *F_embedding(Tensor *input, Tensor *weight,
                          const F_EmbeddingOptions *options); /* F.embedding(input, weight, padding_idx=None) */
T_API Tensor *F_one_hot(Tensor *x, int64_t num_classes);                   /* F.one_hot(x, num_classes=-1) */

/* ---- embedding_bag.c; NULL options are the defaults; start from F_EmbeddingBagDefaults to change single ones ---- */
typedef struct F_EmbeddingBagOptions {
    uint32_t size;
    double max_norm, norm_type; /* max_norm NAN: none; norm_type 2 */
    bool scale_grad_by_freq;
    const char *mode;           /* "sum", "mean" or "max"; NULL: "mean" */
    Tensor *per_sample_weights;
    bool include_last_offset;
    int64_t padding_idx;        /* T_NONE: none */
} F_EmbeddingBagOptions;
T_API extern const F_EmbeddingBagOptions F_EmbeddingBagDefaults;
T_API Tensor *F_embedding_bag(Tensor *input, Tensor *weight, Tensor *offsets,
                              const F_EmbeddingBagOptions *options); /* F.embedding_bag(input, weight, offsets=None) */

T_END_DECLS
#endif
