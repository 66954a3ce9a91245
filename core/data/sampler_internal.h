/* core/data/sampler_internal.h: the classes of samplers, and an iteration over a sampler (internal). */
#ifndef TAPEGRAD_CORE_DATA_SAMPLER_INTERNAL_H
#define TAPEGRAD_CORE_DATA_SAMPLER_INTERNAL_H

#include "core/data/sampler.h"
#include "core/kernels/random/mt19937.h"
#include "core/tensor/tensor.h"

/* An iteration. It draws its indices in chunks, each when the first index of it is asked for, as PyTorch's. */
typedef struct tg_SamplerIter {
    data_Sampler *sampler;       /* a reference */
    bool has_begun, is_exhausted;
    bool has_own;                /* draws come from `own`, the iteration's own engine, and not from the sampler's */
    bool has_copy;               /* own is a copy of the sampler's, for the draws before a state was saved */
    tg_MT19937 own, before;      /* before: the state of the engine before the first draw */
    int64_t n, chunk_number;     /* len(data_source) at the beginning; number of chunks drawn */
    Tensor *chunk;               /* a reference to 1-D int64 */
    t_TensorList *batches;       /* of a user's batch sampler */
    int64_t at;                  /* the next index in the chunk, or batch in the list */
    struct tg_SamplerIter *base; /* of a BatchSampler: the iteration over its sampler */
} tg_SamplerIter;

typedef struct tg_SamplerClass {
    const char *name;
    bool has_batches;
    bool draws; /* its iteration draws random numbers */
    int64_t (*len)(data_Sampler *self);
    /* Draws the chunk of number iter->chunk_number into *chunk, in the current scope. False: there is none, or an error
     * is set. NULL: the indices are 0 .. len - 1, or those of the sampler under a BatchSampler. */
    bool (*draw)(data_Sampler *self, tg_SamplerIter *iter, Tensor **chunk);
} tg_SamplerClass;
/* The engine of the iteration's draws; NULL with an error set if the sampler's generator is dead. */
tg_MT19937 *tg_sampler_engine(tg_SamplerIter *iter);

struct data_Sampler {
    t_Object object;
    const tg_SamplerClass *is_a;
    data_Dataset *dataset; /* references to what the sampler was made of */
    data_Sampler *base;    /* of a BatchSampler */
    Tensor *values;        /* the indices of a SubsetRandomSampler, the weights of a WeightedRandomSampler */
    t_Generator *generator;
    bool replacement, shuffle, drop_last;
    int64_t num_samples, batch_size, num_replicas, rank, seed, epoch;
    data_SamplerIter iter; /* of a user's sampler, which has one of the two functions */
    data_BatchesIter batches;
    data_SamplerOptions user;
};

bool tg_check_sampler(const data_Sampler *sampler, int position);

/* Begins an iteration; nothing is drawn yet. NULL on out of memory. */
tg_SamplerIter *tg_sampler_iter(data_Sampler *sampler);
/* Begins it with this state of the engine, the `before` of an earlier iteration, which is so repeated. */
bool tg_sampler_iter_resume(tg_SamplerIter *iter, const tg_MT19937 *before);
/* The draws before the state was saved have been made again: from now on the sampler's own generator is used. */
void tg_sampler_iter_resumed(tg_SamplerIter *iter);
/* 1: *index is the next index; 0: the end; -1: an error. */
int tg_sampler_next(tg_SamplerIter *iter, int64_t *index);
/* The same for a batch sampler; *indices is 1-D int64, of the current scope. */
int tg_sampler_next_batch(tg_SamplerIter *iter, Tensor **indices);
void tg_sampler_iter_end(tg_SamplerIter *iter);
/* The state before the first draw of an iteration; NULL if it draws nothing or has not begun. */
const tg_MT19937 *tg_sampler_iter_before(const tg_SamplerIter *iter);
/* The sampler that draws: of a BatchSampler, the one under it. */
const data_Sampler *tg_sampler_base(const data_Sampler *sampler);

#endif
