/* core/data/sampler.h: torch.utils.data's samplers as plain functions (public).
 *
 * A sampler is an order of the samples of a dataset, drawn anew in each iteration with the random numbers of PyTorch's
 * samplers; a batch sampler is an order of batches. .sampler or .batch_sampler of a data_DataLoader takes one. A
 * sampler is owned by the current scope, and keeps its dataset, its weights and its generator. A generator of NULL is
 * the thread's default one. */
#ifndef TAPEGRAD_CORE_DATA_SAMPLER_H
#define TAPEGRAD_CORE_DATA_SAMPLER_H

#include "core/data/dataset.h"

T_BEGIN_DECLS

typedef struct data_Sampler data_Sampler;

/* RandomSampler(data_source, replacement=False, num_samples=None, generator=None) */
typedef struct data_RandomSamplerOptions {
    uint32_t size;
    bool replacement;
    int64_t num_samples; /* T_NONE: len(data_source) */
    t_Generator *generator;
} data_RandomSamplerOptions;
#define DATA_RANDOM_SAMPLER_DEFAULTS_ .num_samples = T_NONE, .size = sizeof(data_RandomSamplerOptions)
extern T_API const data_RandomSamplerOptions data_RandomSamplerDefaults;

/* WeightedRandomSampler(weights, num_samples, replacement=True, generator=None) */
typedef struct data_WeightedRandomSamplerOptions {
    uint32_t size;
    bool replacement;
    t_Generator *generator;
} data_WeightedRandomSamplerOptions;
#define DATA_WEIGHTED_RANDOM_SAMPLER_DEFAULTS_ \
    .replacement = true, .size = sizeof(data_WeightedRandomSamplerOptions)
extern T_API const data_WeightedRandomSamplerOptions data_WeightedRandomSamplerDefaults;

/* DistributedSampler(dataset, num_replicas, rank, shuffle=True, seed=0, drop_last=False) */
typedef struct data_DistributedSamplerOptions {
    uint32_t size;
    bool shuffle;
    int64_t seed;
    bool drop_last;
} data_DistributedSamplerOptions;
#define DATA_DISTRIBUTED_SAMPLER_DEFAULTS_ .shuffle = true, .size = sizeof(data_DistributedSamplerOptions)
extern T_API const data_DistributedSamplerOptions data_DistributedSamplerDefaults;

/* class X(Sampler): data_SamplerIter is __iter__, and returns the indices of an iteration, 1-D int64; data_BatchesIter
 * that of a batch sampler, one such tensor per batch. Both return NULL after t_fail(), and may draw random numbers. */
typedef Tensor *(*data_SamplerIter)(void *context);
typedef t_TensorList *(*data_BatchesIter)(void *context);
typedef struct data_SamplerOptions {
    uint32_t size;
    void *context;           /* passed to each function */
    void (*destroy)(void *); /* called with the context when the sampler is released, or NULL */
    data_Len len;            /* __len__; NULL: len(sampler) is an error */
} data_SamplerOptions;

T_API data_Sampler *data_SequentialSampler_new(data_Dataset *data_source); /* SequentialSampler(data_source) */
T_API data_Sampler *data_RandomSampler_new(data_Dataset *data_source,
                                           const data_RandomSamplerOptions *options); /* RandomSampler(data_source) */
T_API data_Sampler *data_SubsetRandomSampler_new(Tensor *indices,
                                                 t_Generator *generator); /* SubsetRandomSampler(indices, generator) */
T_API data_Sampler *data_WeightedRandomSampler_new(
    Tensor *weights, int64_t num_samples,
    const data_WeightedRandomSamplerOptions *options); /* WeightedRandomSampler(weights, num_samples) */
T_API data_Sampler *data_BatchSampler_new(data_Sampler *sampler, int64_t batch_size,
                                          bool drop_last); /* BatchSampler(sampler, batch_size, drop_last) */
T_API data_Sampler *data_DistributedSampler_new(
    data_Dataset *dataset, int64_t num_replicas, int64_t rank,
    const data_DistributedSamplerOptions *options); /* DistributedSampler(dataset, num_replicas, rank) */
T_API bool data_set_epoch(data_Sampler *sampler, int64_t epoch);     /* sampler.set_epoch(epoch), DistributedSampler */
T_API data_Sampler *data_Sampler_new(data_SamplerIter iter,
                                     const data_SamplerOptions *options); /* class X(Sampler) */
T_API data_Sampler *data_Sampler_of_batches(data_BatchesIter iter,
                                            const data_SamplerOptions *options); /* class X(Sampler), of batches */

T_API int64_t data_sampler_len(data_Sampler *sampler);      /* len(sampler); -1 on error */
T_API Tensor *data_sampler_list(data_Sampler *sampler);     /* list(sampler), as a 1-D int64 tensor: one iteration */
T_API t_TensorList *data_sampler_batches(data_Sampler *sampler); /* list(sampler), of a batch sampler */

T_END_DECLS
#endif
