/* core/data/dataset.h: torch.utils.data's datasets and random_split as plain functions (public).
 *
 * A dataset is a sequence of samples. A sample is a tuple of tensors, usually (x, y), or a dict of tensors, numbers and
 * texts. An IterableDataset is a stream of samples, without indices. The dataset is owned by the current scope. */
#ifndef TAPEGRAD_CORE_DATA_DATASET_H
#define TAPEGRAD_CORE_DATA_DATASET_H

#include "core/ops/dict.h"
#include "core/tensor/list.h"

T_BEGIN_DECLS

typedef struct data_Dataset data_Dataset;

/* A user's dataset is two functions and their context. data_Len is __len__, the number of samples. data_Get is
 * __getitem__: it sets *x and *y to sample `index` (*y may stay NULL, but then in all samples; a label is
 * t_integer(label)) and returns true, or false after t_fail(). */
typedef int64_t (*data_Len)(void *context);
typedef bool (*data_Get)(void *context, int64_t index, Tensor **x, Tensor **y);
/* __getitem__ of samples of any number of tensors: returns the sample as a list, of the same length for all samples;
 * NULL after t_fail(). */
typedef t_TensorList *(*data_GetItems)(void *context, int64_t index);
/* __getitem__ of samples that are dicts, or tuples with a text in them: returns a dict, with the same names for all
 * samples; NULL after t_fail(). A number is a 0-dim tensor, of int64 or float64.
 *
 *     static t_TensorDict *getitem(void *context, int64_t index) {
 *         const Review *review = (const Review *)context + index;
 *         t_TensorDict *sample = t_dict();
 *         t_dict_set(sample, "text", review->text);
 *         t_dict_set(sample, "stars", review->stars);
 *         return sample;
 *     }
 *
 * A dict in it (t_dict_set of a dict) is flat, as everywhere: the names of its items are "outer.inner". A tuple with a
 * text in it (return label, text) is such a dict too; a batch has its items by name and by position. */
typedef t_TensorDict *(*data_GetDict)(void *context, int64_t index);
enum { DATA_MAX_NAMES = 16 };
typedef struct data_DatasetOptions {
    uint32_t size;
    void *context;           /* passed to both */
    void (*destroy)(void *); /* called with the context when the dataset is released, or NULL */
    /* a copy of the context, for a worker of a DataLoader (dataloader.h), which destroy releases; NULL: workers share
     * the context, and one calls the functions at a time */
    void *(*copy)(void *context);
    const char *names[DATA_MAX_NAMES]; /* names of the items of lists: {"image", "label"}; not copied */
} data_DatasetOptions;

T_API data_Dataset *data_Dataset_new(data_Len len, data_Get get,
                                     const data_DatasetOptions *options);  /* class X(Dataset) */
T_API data_Dataset *data_Dataset_of_items(data_Len len, data_GetItems get,
                                          const data_DatasetOptions *options); /* samples of any number of items */
T_API data_Dataset *data_Dataset_of_dicts(data_Len len, data_GetDict get,
                                          const data_DatasetOptions *options); /* samples that are dicts */
T_API data_Dataset *data_TensorDataset_new(const t_TensorList *tensors);   /* TensorDataset(x, y, ...) */
T_API data_Dataset *data_Subset_new(data_Dataset *dataset, const int64_t *indices,
                                    int64_t count);                        /* Subset(dataset, indices) */
T_API bool data_random_split(data_Dataset *dataset, const int64_t *lengths, int count, data_Dataset **parts,
                             t_Generator *generator);       /* parts = random_split(dataset, lengths, generator) */
/* random_split(dataset, [0.8, 0.2]), and of lengths that are doubles: fractions sum to 1, and the samples that rounding
 * down leaves over go to the parts in turn, one each. */
T_API bool data_random_split_fractions(data_Dataset *dataset, const double *lengths, int count, data_Dataset **parts,
                                       t_Generator *generator);
/* class X(IterableDataset): a stream of samples. data_Iter is __iter__: it begins an iteration and returns the state of
 * it (any pointer, for example the context), or NULL after t_fail(). data_Next is next(it): it sets *x and *y as
 * data_Get does and returns true; false at the end of the stream, or after t_fail(). The other two return NULL in these
 * cases. */
typedef void *(*data_Iter)(void *context);
typedef bool (*data_Next)(void *iterator, Tensor **x, Tensor **y);
typedef t_TensorList *(*data_NextItems)(void *iterator);
typedef t_TensorDict *(*data_NextDict)(void *iterator);
typedef struct data_IterableDatasetOptions {
    uint32_t size;
    void *context;            /* passed to iter and len */
    void (*destroy)(void *);  /* called with the context when the dataset is released, or NULL */
    data_Len len;             /* __len__; NULL: len(dataset) is an error */
    /* called at the end of each iteration, for example free; or NULL. An error that it sets is pending afterwards, but
     * no handler is called. It may not leave by longjmp. */
    void (*close)(void *iterator);
    void *(*copy)(void *context);  /* as data_DatasetOptions' */
    const char *names[DATA_MAX_NAMES]; /* names of the items of lists; not copied */
} data_IterableDatasetOptions;
T_API data_Dataset *data_IterableDataset_new(data_Iter iter, data_Next next,
                                             const data_IterableDatasetOptions *options); /* class X(IterableDataset) */
T_API data_Dataset *data_IterableDataset_of_items(
    data_Iter iter, data_NextItems next, const data_IterableDatasetOptions *options); /* samples of any number */
T_API data_Dataset *data_IterableDataset_of_dicts(
    data_Iter iter, data_NextDict next, const data_IterableDatasetOptions *options); /* samples that are dicts */

T_API data_Dataset *data_ConcatDataset_new(data_Dataset *const *datasets, int64_t count); /* ConcatDataset(datasets) */
T_API data_Dataset *data_ChainDataset_new(data_Dataset *const *datasets, int64_t count);  /* ChainDataset(datasets) */
/* StackDataset(*datasets): sample i is the tuple of the samples i; with names (count of them, not copied) it is
 * StackDataset(image=a, text=b): the dict of them. NULL: no names. */
T_API data_Dataset *data_StackDataset_new(data_Dataset *const *datasets, int64_t count, const char *const *names);
T_API data_Dataset *data_RepeatedTokenDataset_new(int64_t num_samples, int64_t seq_len,
                                                  int64_t vocab_size); /* the tutorials' task: two equal neighbours? */

T_API int64_t data_dataset_len(data_Dataset *dataset);      /* len(dataset); -1 on error */
T_API bool data_dataset_get(data_Dataset *dataset, int64_t index, Tensor **x, Tensor **y); /* x, y = dataset[index] */
T_API t_TensorList *data_dataset_items(data_Dataset *dataset, int64_t index); /* dataset[index], all of its tensors */
/* dataset[index] as a dict; the names of a tuple's items are their positions, "0", "1", ... */
T_API t_TensorDict *data_dataset_dict(data_Dataset *dataset, int64_t index);
T_API t_TensorList *data_tensors(data_Dataset *dataset);    /* dataset.tensors, of a TensorDataset */

T_END_DECLS
#endif
