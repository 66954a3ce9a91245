/* core/data/data_internal.h: data_DataLoader's struct, collecting samples, the progress bar (internal). */
#ifndef TAPEGRAD_CORE_DATA_INTERNAL_H
#define TAPEGRAD_CORE_DATA_INTERNAL_H

#include "core/data/dataloader.h"
#include "core/data/tqdm_internal.h"
#include "core/kernels/random/mt19937.h"
#include "core/tensor/tensor.h"

/* A sample or a batch: a tuple of tensors, or a dict, whose items may be texts too. One of the two is not NULL. */
typedef struct tg_Sample {
    t_TensorList *tuple;
    t_TensorDict *dict;
    t_TensorList *items;      /* of a batch of dicts: the dict's tensors by position, NULL for a list of texts */
    const char *const *names; /* of the tuple's first items */
    int names_len;
    bool is_bare;             /* the sample is not a tuple of one tensor, but the tensor itself */
} tg_Sample;

/* ---- datasets ---- */

/* An iteration over an IterableDataset. */
typedef struct tg_DatasetIter {
    data_Dataset *dataset;       /* a reference */
    void *state;                 /* of a user's dataset: what its iter function returned */
    int64_t part;                /* of a ChainDataset: the number of the dataset that is iterated over */
    struct tg_DatasetIter *inner; /* the iteration over it */
    bool has_ended;
} tg_DatasetIter;

/* The methods of a class of datasets. */
typedef struct tg_DatasetClass {
    const char *name;
    int64_t (*len)(data_Dataset *self);                                   /* -1 on an error */
    bool (*get)(data_Dataset *self, int64_t index, tg_Sample *sample);    /* 0 <= index < len */
    /* default_collate of the samples with the indices in a 1-D int64 tensor; NULL: the samples are got one by one.
     * batch->tuple: an empty list to fill, or NULL for a new one. */
    bool (*gather)(data_Dataset *self, Tensor *index, tg_Sample *batch);
    /* of an IterableDataset, which has no get: begins an iteration, and takes its next sample: 1, 0 at the end, -1 on
     * an error */
    bool (*begin)(data_Dataset *self, struct tg_DatasetIter *iter);
    int (*next)(data_Dataset *self, struct tg_DatasetIter *iter, tg_Sample *sample);
    /* a copy for another thread, see tg_dataset_copy; NULL: the fields are copied */
    data_Dataset *(*copy)(data_Dataset *self);
} tg_DatasetClass;

struct data_Dataset {
    t_Object object;
    const tg_DatasetClass *is_a;
    t_TensorList *tensors; /* of a TensorDataset */
    data_Dataset **parts;  /* references to the datasets that this one is made of */
    int64_t count;         /* number of parts */
    Tensor *indices;       /* of a Subset */
    int64_t *ends;         /* of a ConcatDataset: cumulative_sizes, for each part the sum of the lengths up to it */
    data_Len len;          /* the following are of a user's dataset, which has one of the get or next functions */
    data_Get get;
    data_GetItems get_items;
    data_GetDict get_dict;
    data_Iter iter;
    data_Next next;
    data_NextItems next_items;
    data_NextDict next_dict;
    void (*close)(void *iterator);
    data_DatasetOptions user;
    const char *const *names; /* user.names; of a worker's copy, the original's */
    int names_len;
};

/* A dataset of that class, made of the parts. */
data_Dataset *tg_dataset_new(const tg_DatasetClass *is_a, data_Dataset *const *parts, int64_t count);
bool tg_is_iterable(const data_Dataset *dataset);
/* *iter = iter(dataset), of an IterableDataset; NULL on an error. It is set before the user's function is called, which
 * may leave by longjmp. */
bool tg_dataset_iter(data_Dataset *dataset, tg_DatasetIter **iter);
/* next(iter): 1, 0 at the end, -1 on an error; the sample belongs to the current scope. */
int tg_dataset_next(tg_DatasetIter *iter, tg_Sample *sample);
void tg_dataset_iter_end(tg_DatasetIter *iter);
/* A copy for a worker thread, which has no object in common with the dataset. The memory of tensors is shared, and must
 * not be freed or written to while the worker runs. In the current scope. */
data_Dataset *tg_dataset_copy(data_Dataset *dataset);
/* True if copies share a context of the user's. */
bool tg_dataset_shares_context(const data_Dataset *dataset);
/* Sets the names of a user's dataset. */
void tg_dataset_set_names(data_Dataset *dataset, const char *const *names, int64_t count);
/* Makes *sample of what one of a user's functions returned: a dict, a list, or x and y. False if it is none. */
bool tg_sample_of_user(const data_Dataset *dataset, tg_Sample *sample, Tensor *x, Tensor *y);
bool tg_check_dataset(const data_Dataset *dataset, int position);
/* What the user's len function returns; -1 with an error. */
int64_t tg_user_len(data_Dataset *self);
/* False for an IterableDataset without a len function, and a chain with one of these. (iterable_dataset.c) */
bool tg_dataset_has_len(const data_Dataset *dataset);
/* dataset[index]. Error: index out of range */
bool tg_dataset_get(data_Dataset *dataset, int64_t index, tg_Sample *sample);
/* default_collate([dataset[i] for i in index]); batch->tuple as for gather. */
bool tg_dataset_gather(data_Dataset *dataset, Tensor *index, tg_Sample *batch);
/* x[index], for the rows of a tensor */
Tensor *tg_select_rows(Tensor *x, Tensor *index);

/* ---- samples ---- */

/* [dataset[i] for i in index], into samples[] */
bool tg_dataset_collect(data_Dataset *dataset, Tensor *index, tg_Sample *samples);
/* Error if sample i is of another kind or size than sample 0. */
bool tg_check_same_size(const tg_Sample *samples, int64_t i);
/* default_collate(samples) of n > 0 samples; batch->tuple as for gather. */
bool tg_default_collate(const tg_Sample *samples, int64_t n, tg_Sample *batch);
/* The sample as a dict; the items of a tuple get its names, else their positions. */
t_TensorDict *tg_sample_dict(const tg_Sample *sample);
/* Its tensors by position, with NULL for a text, as one list. */
t_TensorList *tg_sample_items(const tg_Sample *sample);

/* A progress bar: set up by data_tqdm, shown during the next iteration over the loader. */
typedef struct tg_Progress {
    bool waiting;
    tqdm_Options options; /* its texts are copies: */
    tg_TqdmCopies copies;
    tqdm_tqdm *bar; /* NULL: none is shown */
} tg_Progress;
void tg_progress_begin(tg_Progress *p, int64_t first, int64_t total);
void tg_progress_count(tg_Progress *p); /* counts a finished batch */
void tg_progress_end(tg_Progress *p);
void tg_progress_free(tg_Progress *p); /* its texts */

/* The state of the last iteration over a loader, or of the one that will be resumed. */
typedef struct tg_Epoch {
    bool is_running;   /* false: finished, or never begun */
    bool has_begun;    /* the sampler has drawn */
    int64_t yielded;   /* number of batches returned */
    int64_t drawn;     /* number of batches taken from the sampler */
    int64_t base_seed; /* from which the workers' generators are seeded */
    tg_MT19937 engine; /* the sampler's engine before its first draw */
} tg_Epoch;

enum { DATA_MAX_WORKERS = 1024, DATA_MAX_PREFETCH = 1 << 20 };

struct data_DataLoader {
    t_Object object;
    data_Dataset *dataset;
    int64_t batch_size;          /* T_NONE: of a batch_sampler, or batches are single samples */
    bool shuffle, drop_last;
    bool is_auto_collating;      /* false: batches are single samples */
    data_Sampler *index_sampler; /* of batches, or of single indices; NULL: the dataset is an IterableDataset */
    t_Generator *generator;
    int64_t num_workers, prefetch_factor;
    bool persistent_workers;
    double timeout;
    data_WorkerInit worker_init_fn;
    struct tg_Workers *workers; /* a reference to the persistent ones */
    data_Collate collate_fn;
    data_CollateSamples collate_samples;
    data_CollateDicts collate_dicts;
    void *context;
    tg_Progress progress;
    tg_Epoch epoch;
    bool resumes;       /* the next iteration continues at `epoch` */
    int64_t iterations; /* number of iterations begun; only the last one updates `epoch` */
    struct tg_Iteration *running; /* the iterations that have not ended (loader_iter.c) */
};
void tg_loader_end_iterations(data_DataLoader *loader);
bool tg_check_loader(const data_DataLoader *loader);
bool tg_is_live_loader(const data_DataLoader *loader);
/* len(loader); -1 without an error if it has none. */
int64_t tg_loader_len(const data_DataLoader *loader);
/* The sampler's next indices, for the batch after `drawn` ones: 1, 0 at the end, -1 on an error. */
int tg_next_indices(data_Batch *batch, Tensor **indices);

/* ---- workers (workers.c) ---- */

typedef struct tg_Workers tg_Workers;
/* Starts the loader's threads; the current scope owns the object, and its end stops them. */
tg_Workers *tg_workers_start(const data_DataLoader *loader, int64_t base_seed);
/* Gives the workers the first batches of an iteration; those of an earlier one are dropped. */
bool tg_workers_begin(tg_Workers *workers, data_Batch *batch);
/* The next batch: 1, 0 at the end, -1 on an error. made->tuple as for gather. */
int tg_workers_next(tg_Workers *workers, data_Batch *batch, tg_Sample *made, int64_t *size);
/* Stops the threads, after the batches that they are making, and frees the object, unless its scope has done so. */
void tg_workers_end(tg_Workers *workers);

/* A batch on its way from a worker: see tg_Parcel. */
typedef struct tg_Bundle tg_Bundle;
tg_Bundle *tg_bundle_pack(const tg_Sample *batch);
bool tg_bundle_seal(tg_Bundle *bundle);
bool tg_bundle_open(tg_Bundle *bundle, tg_Sample *batch); /* empties it, in the current scope */
void tg_bundle_free(tg_Bundle *bundle, bool is_sealed);

/* ---- batches (batch.c) ---- */

/* The loader's batch of the next samples of an IterableDataset: 1, 0 at the end, -1 on an error. *size: their number */
int tg_loader_collate_next(const data_DataLoader *loader, tg_DatasetIter *iter, tg_Sample *batch, int64_t *size);
/* The loader's batch of the samples with these indices, by its collate function; batch->tuple as for gather. */
bool tg_loader_collate(const data_DataLoader *loader, Tensor *index, tg_Sample *batch);
/* Moves a made batch from the current scope to the one around it, and writes it to the fields that the user reads. */
bool tg_batch_set(data_Batch *batch, const tg_Sample *made);
void tg_batch_clear(data_Batch *batch);
void tg_list_clear(t_TensorList *list);

#endif
