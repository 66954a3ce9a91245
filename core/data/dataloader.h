/* core/data/dataloader.h: torch.utils.data.DataLoader and tqdm as plain functions (public). */
#ifndef TAPEGRAD_CORE_DATA_DATALOADER_H
#define TAPEGRAD_CORE_DATA_DATALOADER_H

#include "core/data/dataset.h"
#include "core/ops/dict.h"

T_BEGIN_DECLS

typedef struct data_DataLoader data_DataLoader;

/* collate_fn(samples), for samples that are no stack, sentences of several lengths say: the x and the y of a batch's samples, in
 * their order (ys is empty where the dataset has no y), become *x and *y, which may stay NULL. True, or false after t_fail():
 *
 *     static bool collate_fn(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y) {
 *         *x = nn_utils_rnn_pad_sequence(xs, .batch_first = true);
 *         *y = nn_utils_rnn_pad_sequence(ys, .batch_first = true);
 *         return true;
 *     } */
typedef bool (*data_Collate)(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y);

/* collate_fn for samples of any number of tensors: samples->items[i] is the list of sample i's. The batch's items, NULL after t_fail(). */
typedef struct data_Samples {
    int64_t len;
    t_TensorList *const *items;
} data_Samples;
typedef t_TensorList *(*data_CollateSamples)(void *context, const data_Samples *samples);

/* DataLoader(dataset, batch_size=1, shuffle=False, drop_last=False, generator=None, collate_fn=None) */
typedef struct data_DataLoaderOptions {
    uint32_t size;
    int64_t batch_size;
    bool shuffle, drop_last;
    t_Generator *generator;  /* NULL: the thread's default generator */
    data_Collate collate_fn; /* NULL: t_stack of each item */
    void *context;           /* passed to collate_fn */
    data_CollateSamples collate_samples; /* in place of collate_fn */
} data_DataLoaderOptions;
#define DATA_LOADER_DEFAULTS_ .batch_size = 1, .size = sizeof(data_DataLoaderOptions)
extern T_API const data_DataLoaderOptions data_DataLoaderDefaults;

T_API data_DataLoader *data_DataLoader_new(data_Dataset *dataset, const data_DataLoaderOptions *options);
T_API int64_t data_len(const data_DataLoader *loader);           /* len(loader): how many batches; -1 on error */
T_API data_Dataset *data_dataset(const data_DataLoader *loader); /* loader.dataset */

/* One batch, and how far the iteration is. Read the first six; the rest is the iteration's own. */
typedef struct data_Batch {
    Tensor *x, *y;         /* the first two items: of the samples, stacked or as collate_fn has them; y is NULL where there is none */
    Tensor *items[DATA_MAX_ITEMS]; /* all of them: batch.items[2] is the third */
    int64_t len;           /* how many these are */
    int64_t index, size;   /* batch 0, 1, 2, ...; how many samples are in it */
    data_DataLoader *loader;
    Tensor *order;         /* a shuffle, NULL where there is none */
    int64_t first, total;  /* the next sample, and how many there are */
    int64_t number;        /* which of the loader's iterations this is; 0 for data_first's */
    int depth;             /* of the scope that the batch lives in */
    bool started, exhausted, shows_progress;
} data_Batch;

/* What for_batch is made of. data_iter starts (the loader must outlive the iteration), each data_iter_next closes the
 * scope of the batch before and gives the next one in a scope of its own, and false at the end or on an error;
 * data_iter_end closes what is open, at any time. */
T_API bool data_iter(data_DataLoader *loader, data_Batch *batch);  /* batches = iter(loader) */
T_API bool data_iter_next(data_Batch *batch);                      /* next(batches) */
T_API void data_iter_end(data_Batch *batch);                       /* del batches */
T_API Tensor *data_item(const data_Batch *batch, const char *name); /* batch["mask"], where the samples are dicts. Error: no such name */
T_API bool data_first(data_DataLoader *loader, data_Batch *batch); /* next(iter(loader)), in the current scope */

/* state_dict(), load_state_dict(state_dict) of torchdata's StatefulDataLoader: where the last iteration over the loader stands, in the
 * middle of an epoch too, and the loader's own generator. The next iteration over the loader that loads goes on with the batch
 * behind it, of the same shuffle; batch.index and a progress bar count on. Nothing is drawn for that, so a program that
 * also puts torch.get_rng_state back (t_set_rng_state) goes on with the same random numbers. data_first looks at the first batch
 * and changes none of this. Errors: a loader over another number of samples, with another batch size, shuffle, drop_last or
 * without the generator. Then nothing has changed. */
T_API t_TensorDict *data_state_dict(const data_DataLoader *loader);
T_API bool data_load_state_dict(data_DataLoader *loader, const t_TensorDict *state_dict);

/* tqdm(loader, desc=None, leave=True, disable=False) */
typedef struct data_TqdmOptions {
    uint32_t size;
    const char *desc;
    bool leave, disable;
} data_TqdmOptions;
#define DATA_TQDM_DEFAULTS_ .leave = true, .size = sizeof(data_TqdmOptions)
extern T_API const data_TqdmOptions data_TqdmDefaults;

T_API data_DataLoader *data_tqdm(data_DataLoader *loader, const data_TqdmOptions *options); /* tqdm(loader) */
T_API void data_set_postfix(data_DataLoader *loader, const char *format, ...) T_PRINTF(2, 3); /* bar.set_postfix() */
T_API void data_set_postfix_str(data_DataLoader *loader, const char *text); /* bar.set_postfix_str(text) */

T_END_DECLS
#endif
