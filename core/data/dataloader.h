/* core/data/dataloader.h: torch.utils.data.DataLoader and tqdm as plain functions (public). */
#ifndef TAPEGRAD_CORE_DATA_DATALOADER_H
#define TAPEGRAD_CORE_DATA_DATALOADER_H

#include "core/data/dataset.h"
#include "core/data/sampler.h"
#include "core/data/tqdm.h"
#include "core/ops/dict.h"

T_BEGIN_DECLS

typedef struct data_DataLoader data_DataLoader;

/* collate_fn(samples), for samples that cannot be stacked, for example sentences of different lengths: makes *x and *y
 * from the x and the y of a batch's samples, in their order (ys is empty if the dataset has no y); *y may stay NULL.
 * Returns true, or false after t_fail():
 *
 *     static bool collate_fn(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y) {
 *         *x = nn_utils_rnn_pad_sequence(xs, .batch_first = true);
 *         *y = nn_utils_rnn_pad_sequence(ys, .batch_first = true);
 *         return true;
 *     } */
typedef bool (*data_Collate)(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y);

/* collate_fn for samples of any number of tensors: samples->items[i] is the list of sample i; and for samples that are
 * dicts: samples->dicts[i]. Returns the batch's items, or NULL after t_fail(). */
typedef struct data_Samples {
    int64_t len;
    t_TensorList *const *items;  /* of a dict: its tensors by position, NULL for a text */
    t_TensorDict *const *dicts;  /* NULL if the samples are tuples */
} data_Samples;
typedef t_TensorList *(*data_CollateSamples)(void *context, const data_Samples *samples);
/* the same, with the batch as a dict */
typedef t_TensorDict *(*data_CollateDicts)(void *context, const data_Samples *samples);

/* default_collate(samples), what a loader without collate_fn does: stacks the items of tuples. A collate_fn may call it
 * after its own work. Errors: the samples have different numbers of items, or items of different shapes. */
T_API t_TensorList *data_default_collate(const data_Samples *samples);
/* The same for dicts: stacks the tensors (and numbers) of each name; the texts of a name are the list "name.0",
 * "name.1", ... The names are the first sample's. Errors: KeyError; a tensor in one sample and a text in another. */
T_API t_TensorDict *data_default_collate_dicts(const data_Samples *samples);

/* worker_init_fn(worker_id), called by each worker before its first batch, with the options' context. Returns true, or
 * false after t_fail(). */
typedef bool (*data_WorkerInit)(void *context, int64_t worker_id);

/* Of the worker that calls data_get_worker_info: the dataset is the worker's own copy, and context that dataset's (of a
 * Subset, the dataset's under it). */
typedef struct data_WorkerInfo {
    int64_t id, num_workers; /* 0 .. num_workers - 1 */
    int64_t seed;            /* of this thread's default generator: base_seed + id */
    data_Dataset *dataset;
    void *context;
} data_WorkerInfo;
T_API const data_WorkerInfo *data_get_worker_info(void); /* get_worker_info(); NULL outside of workers */

/* DataLoader(dataset, batch_size=1, shuffle=False, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
 * pin_memory=False, drop_last=False, timeout=0, worker_init_fn=None, generator=None, prefetch_factor=None,
 * persistent_workers=False)
 *
 * Workers are threads that make batches ahead: prefetch_factor each, in turn, returned in the same order as without
 * workers, with the same values. As in PyTorch each has a copy of the dataset, and a default generator that is seeded
 * with base_seed + id: the numbers that a dataset draws are PyTorch's, and depend on num_workers. An error in a worker
 * is raised by data_iter_next. A tensor belongs to one thread at a time, so that:
 *   - the tensors of a TensorDataset must not be written to during an iteration;
 *   - what the functions of a user's dataset (and collate_fn) reach through their context is the workers' during an
 *     iteration. They are called by one worker at a time, unless the dataset has .copy, which gives each worker its own
 *     context, or no context at all; then several workers run them at the same time;
 *   - a tensor of a batch that is not a leaf and requires a gradient is an error. */
typedef struct data_DataLoaderOptions {
    uint32_t size;
    int64_t batch_size;      /* T_NONE: batches are single samples, not collated */
    bool shuffle;
    data_Sampler *sampler;       /* the order of the samples, instead of shuffle */
    data_Sampler *batch_sampler; /* the batches, instead of batch_size, shuffle, sampler and drop_last */
    int64_t num_workers;     /* number of threads that make batches ahead; 0: data_iter_next makes them */
    data_Collate collate_fn; /* NULL: default_collate */
    bool pin_memory;         /* no effect: there is no other memory */
    bool drop_last;
    double timeout;          /* seconds to wait for a batch of the workers; 0: no limit */
    data_WorkerInit worker_init_fn;
    t_Generator *generator;  /* NULL: the thread's default generator */
    int64_t prefetch_factor; /* number of batches that each worker makes ahead; T_NONE: 2 */
    bool persistent_workers; /* the workers, and their generators, live as long as the loader */
    void *context;           /* passed to collate_fn and worker_init_fn */
    data_CollateSamples collate_samples; /* instead of collate_fn */
    data_CollateDicts collate_dicts;     /* instead of these two */
} data_DataLoaderOptions;
#define DATA_LOADER_DEFAULTS_ .batch_size = 1, .prefetch_factor = T_NONE, .size = sizeof(data_DataLoaderOptions)
extern T_API const data_DataLoaderOptions data_DataLoaderDefaults;

T_API data_DataLoader *data_DataLoader_new(data_Dataset *dataset, const data_DataLoaderOptions *options);
T_API int64_t data_len(const data_DataLoader *loader);           /* len(loader): number of batches; -1 on error */
T_API data_Dataset *data_dataset(const data_DataLoader *loader); /* loader.dataset */

/* One batch, and the state of the iteration. The first six fields are for the user, read-only; the others are
 * internal. Items by position are batch.items[k], by name data_item(batch, "mask"). */
typedef struct data_Batch {
    Tensor *x, *y;         /* the first two items, stacked or from collate_fn; y is NULL if there is only one */
    Tensor *const *items;  /* all items: batch.items[2] is the third; NULL where the samples have a text */
    int64_t len;           /* number of items */
    int64_t index, size;   /* batch 0, 1, 2, ...; number of samples in it */
    t_TensorDict *dict;    /* if the samples are dicts */
    const char *const *names; /* else the names of the first items */
    int names_len;
    data_DataLoader *loader;
    t_TensorList *list;    /* for the items, the same one in each batch */
    struct tg_SamplerIter *indices; /* the iteration over the sampler */
    struct tg_DatasetIter *source;  /* instead: the iteration over an IterableDataset */
    struct tg_Workers *workers;     /* that make the batches; NULL without num_workers */
    int64_t epoch;                  /* the workers' number of this iteration */
    bool owns_workers;              /* they end with this iteration */
    int64_t number;        /* 1, 2, ... of the loader's iterations; 0 for data_first */
    int64_t drawn;         /* number of batches taken from the sampler */
    int64_t base_seed;     /* of data_first's workers */
    int depth;             /* of the scope that owns the batch */
    bool shows_progress;
    uint32_t loop;         /* number of the loop, for t_keep_as */
    struct tg_Iteration *held; /* has indices, source and list */
} data_Batch;

/* The functions of for_batch. data_iter begins an iteration (the loader must outlive it). data_iter_next closes the
 * scope of the previous batch and makes the next one in a new scope; it returns false at the end or on an error.
 * data_iter_end ends the iteration at any time. */
T_API bool data_iter(data_DataLoader *loader, data_Batch *batch);  /* batches = iter(loader) */
T_API bool data_iter_next(data_Batch *batch);                      /* next(batches) */
T_API void data_iter_end(data_Batch *batch);                       /* del batches */
/* batch["mask"], if the samples are dicts. Error: no such name */
T_API Tensor *data_item(const data_Batch *batch, const char *name);
/* batch["text"][index], for the texts of samples. Errors: no such name; it is a tensor; index out of range */
T_API const char *data_text(const data_Batch *batch, const char *name, int64_t index);
/* The batch as a dict: tensors, and the texts as "text.0", "text.1", ...; of tuples without names "0", "1", ... */
T_API t_TensorDict *data_batch_dict(const data_Batch *batch);
T_API bool data_first(data_DataLoader *loader, data_Batch *batch); /* next(iter(loader)), in the current scope */

/* state_dict(), load_state_dict(state_dict) of torchdata's StatefulDataLoader: the position of the last iteration over
 * the loader, also within an epoch, and the state of its generator. After loading, the next iteration continues with
 * the next batch of the same shuffle; batch.index and a progress bar continue too. Resuming draws no random numbers, so
 * a program that also restores the generator (t_set_rng_state) continues with the same random numbers. data_first does
 * not change this state. A sampler of the user's is called again, and an IterableDataset gives the samples before that
 * batch again, and they are dropped. Workers are seeded as before, but do not make the earlier batches of a dataset
 * with indices again: what it draws in them is not what an uninterrupted epoch draws. Errors: the loader has another
 * number of samples, batch size, shuffle or drop_last, or no generator; then nothing changes. */
T_API t_TensorDict *data_state_dict(const data_DataLoader *loader);
T_API bool data_load_state_dict(data_DataLoader *loader, const t_TensorDict *state_dict);

/* tqdm(loader, desc=None, ...): the next iteration over the loader shows a progress bar. Returns the loader itself.
 * total is the loader's length unless it is given. */
T_API data_DataLoader *data_tqdm(data_DataLoader *loader, const tqdm_Options *options);
/* The bar of the running iteration, for tqdm_set_description(data_bar(loader), "late"). Error: there is none. */
T_API tqdm_tqdm *data_bar(const data_DataLoader *loader);
/* bar.set_postfix(loss=loss, refresh=False) is data_set_postfix(loader, "loss=%.3f", loss): the text after the rate,
 * from the next drawing on. No effect if no bar is shown. */
T_API void data_set_postfix(data_DataLoader *loader, const char *format, ...) T_PRINTF(2, 3);
T_API void data_set_postfix_str(data_DataLoader *loader, const char *text); /* bar.set_postfix_str(text) */

T_END_DECLS
#endif
