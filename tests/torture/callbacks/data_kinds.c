/* tests/torture/callbacks/data_kinds.c: datasets, samplers, collate functions, worker_init_fn, transforms. Each kind
 * reads an epoch before the step. In workers longjmp is forbidden, and the tensors that a misdeed needs (the model's)
 * belong to another thread. */
#include <stdlib.h>

#include "core/vision/vision.h"
#include "tests/torture/callbacks/callbacks.h"

enum { SAMPLES = 6 };

/* ---- datasets ---- */

static int64_t len(void *context) {
    (void)context;
    return SAMPLES;
}
static bool get(void *context, int64_t index, Tensor **x, Tensor **y) {
    (void)context;
    *x = t_full((3), (double)index);
    *x = act(*x, *x);
    *y = t_integer(index);
    return *x != NULL;
}
static bool good_get(void *context, int64_t index, Tensor **x, Tensor **y) {
    (void)context;
    *x = t_full((3), (double)index);
    *y = t_integer(index);
    return *x != NULL;
}
static bool refusing_get(void *context, int64_t index, Tensor **x, Tensor **y) {
    return good_get(context, index, x, y) && !acts_wrong(*x);
}
static t_TensorList *get_items(void *context, int64_t index) {
    (void)context;
    Tensor *x = t_full((3), (double)index);
    return act(x, t_list(x, t_integer(index)));
}
static t_TensorDict *get_dict(void *context, int64_t index) {
    (void)context;
    Tensor *x = t_full((3), (double)index);
    t_TensorDict *sample = t_dict();
    t_dict_set(sample, "x", x);
    return act(x, sample);
}
static int64_t bad_len(void *context) {
    (void)context;
    return acts_wrong(NULL) ? -1 : SAMPLES;
}

static bool read_all(World *w, data_DataLoader *loader) {
    Tensor *rng = t_get_rng_state(); /* an iteration draws a seed */
    for_batch (b, loader) {
        Tensor *x = b.dict ? data_item(b, "x") : b.x;
        t_sum(x);
    }
    if (t_error()) return false;
    t_set_rng_state(rng);
    return plain_step(w);
}
#define WORKERS_(n) .batch_size = 2, .num_workers = n

static bool with_get(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(len, get), WORKERS_(0)));
}
static bool with_get_of_workers(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(len, get, .context = w), WORKERS_(2)));
}
static bool with_refusing_get(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(len, refusing_get), WORKERS_(0)));
}
static bool with_items(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(len, get_items), WORKERS_(0)));
}
static bool with_dicts(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(len, get_dict), WORKERS_(0)));
}
static bool with_len(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(bad_len, good_get), WORKERS_(0)));
}
static bool with_first(World *w) {
    Tensor *rng = t_get_rng_state();
    data_Batch batch = data_first(data_DataLoader(data_Dataset(len, get), WORKERS_(0)));
    t_set_rng_state(rng);
    return batch.x && plain_step(w);
}
static bool by_index(World *w) {
    Tensor *x = NULL, *y = NULL;
    return data_dataset_get(data_Dataset(len, get), 0, &x, &y) && t_sum(x) && plain_step(w);
}
static bool by_index_of_items(World *w) {
    return data_dataset_items(data_Dataset(len, get_items), 0) && plain_step(w);
}
static bool by_index_of_dicts(World *w) {
    return data_dataset_dict(data_Dataset(len, get_dict), 0) && plain_step(w);
}
static bool of_subset(World *w) {
    data_Dataset *subset = data_Subset(data_Dataset(len, get), 1, 3, 5);
    return read_all(w, data_DataLoader(data_ConcatDataset(subset, subset), WORKERS_(0)));
}

/* ---- IterableDataset ---- */

typedef struct Stream {
    int64_t at;
} Stream;

static void *iter(void *context) {
    (void)context;
    return calloc(1, sizeof(Stream));
}
static void *bad_iter(void *context) {
    return acts_wrong(NULL) ? NULL : iter(context);
}
static bool next(void *iterator, Tensor **x, Tensor **y) {
    Stream *stream = iterator;
    return stream->at < SAMPLES && good_get(NULL, stream->at++, x, y);
}
static bool bad_next(void *iterator, Tensor **x, Tensor **y) {
    if (!next(iterator, x, y)) return false;
    *x = act(*x, *x);
    return *x != NULL;
}
static void bad_close(void *iterator) {
    free(iterator);
    act(NULL, NULL);
}
static bool with_iter(World *w) {
    return read_all(w, data_DataLoader(data_IterableDataset(bad_iter, next, .close = free), WORKERS_(0)));
}
static bool with_next(World *w) {
    return read_all(w, data_DataLoader(data_IterableDataset(iter, bad_next, .close = free), WORKERS_(0)));
}
static bool with_next_of_workers(World *w) {
    return read_all(w, data_DataLoader(data_IterableDataset(iter, bad_next, .close = free, .context = w), WORKERS_(1)));
}
static bool with_close(World *w) {
    return read_all(w, data_DataLoader(data_IterableDataset(iter, next, .close = bad_close), WORKERS_(0)));
}

/* ---- samplers ---- */

static Tensor *indices(void *context) {
    (void)context;
    Tensor *order = t_arange(SAMPLES);
    return act(order, order);
}
static t_TensorList *batches(void *context) {
    (void)context;
    Tensor *order = t_arange(SAMPLES);
    return act(order, t_list(order));
}
static bool with_sampler(World *w) {
    data_Dataset *dataset = data_Dataset(len, good_get);
    return read_all(w, data_DataLoader(dataset, .sampler = data_Sampler(indices, .len = len), WORKERS_(0)));
}
static bool with_batch_sampler(World *w) {
    data_Dataset *dataset = data_Dataset(len, good_get);
    return read_all(w, data_DataLoader(dataset, .batch_sampler = data_Sampler(batches)));
}

/* ---- collate_fn ---- */

static bool collate(void *context, t_TensorList *xs, t_TensorList *ys, Tensor **x, Tensor **y) {
    (void)context;
    *x = act(xs->items[0], t_stack(xs));
    *y = t_stack(ys);
    return *x != NULL;
}
static t_TensorList *collate_samples(void *context, const data_Samples *samples) {
    (void)context;
    return act(samples->items[0]->items[0], data_default_collate(samples));
}
static t_TensorDict *collate_dicts(void *context, const data_Samples *samples) {
    (void)context;
    return act(t_dict_get(samples->dicts[0], "x"), data_default_collate_dicts(samples));
}
static bool with_collate(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(len, good_get), .collate_fn = collate, WORKERS_(0)));
}
static bool with_collate_of_workers(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(len, good_get), .collate_fn = collate, .context = w, WORKERS_(2)));
}
static bool with_collate_samples(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(len, good_get), .collate_samples = collate_samples, WORKERS_(0)));
}
static bool with_collate_dicts(World *w) {
    return read_all(w, data_DataLoader(data_Dataset(len, get_dict), .collate_dicts = collate_dicts, WORKERS_(0)));
}

/* ---- workers ---- */

static bool worker_init(void *context, int64_t worker_id) {
    (void)context, (void)worker_id;
    return !acts_wrong(NULL);
}
static bool with_worker_init(World *w) {
    return read_all(
        w, data_DataLoader(data_Dataset(len, good_get), .worker_init_fn = worker_init, .context = w, WORKERS_(1)));
}

/* ---- transforms ---- */

static Tensor *lambda(Tensor *image) {
    return act(image, image);
}
static bool with_lambda(World *w) {
    transforms_Transform *t = transforms_Compose(transforms_Lambda(lambda), transforms_Normalize((0.5), (0.5)));
    return transforms_call(t, t_ones(1, 2, 2)) && plain_step(w);
}
static bool with_last_lambda(World *w) {
    Tensor *y = transforms_call(transforms_Lambda(lambda), t_ones(1, 2, 2));
    return y && t_sum(y) && plain_step(w);
}

const Kind data_kinds[] = {
    {"Dataset", a_tensor, with_get,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 1",
              [wrong_shape] = "!stack expects each tensor to be equal size, but got [3] at e",
              [empty] = "!stack expects each tensor to be equal size, but got [3] at e",
              [modes] = NO_GRAD},
     .when = 2},
    {"Dataset, in workers", a_tensor, with_get_of_workers,
     .ends = {[hooks] = "-",
              [returns_null] = "!the dataset's get function returned no sample ", /* of the worker that comes first */
              [wrong_shape] = "!stack expects each tensor to be equal size, but got [7, 11]",
              [empty] = "!stack expects each tensor to be equal size, but got [0] at e"},
     .no_jump = true},
    {"Dataset that returns false", a_truth, with_refusing_get,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 1", [modes] = NO_GRAD}, .when = 2},
    {"Dataset of items", a_list, with_items,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 1",
              [wrong_shape] = "!some samples of the dataset have a y and some have none",
              [wrong_dtype] = "!some samples of the dataset have a y and some have none",
              [empty] = "!the dataset's get function returned no sample 1",
              [modes] = NO_GRAD},
     .when = 2},
    {"Dataset of dicts", a_dict, with_dicts,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 1",
              [wrong_shape] = "!stack expects each tensor to be equal size, but got [3] at e",
              [empty] = "!the dataset's get function returned no sample 1",
              [modes] = NO_GRAD},
     .when = 2},
    {"len of a Dataset", a_number, with_len,
     .ends = {[returns_null] = "!__len__() should return >= 0", [modes] = NO_GRAD}, .no_given = true},
    {"Dataset, data_first", a_tensor, with_first,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 1",
              [wrong_shape] = "!stack expects each tensor to be equal size, but got [3] at e",
              [empty] = "!stack expects each tensor to be equal size, but got [3] at e",
              [modes] = NO_GRAD},
     .when = 2},
    {"Dataset, by index", a_tensor, by_index,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 0", [modes] = NO_GRAD}},
    {"Dataset of items, by index", a_list, by_index_of_items,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 0",
              [empty] = "!the dataset's get function returned no sample 0",
              [modes] = NO_GRAD}},
    {"Dataset of dicts, by index", a_dict, by_index_of_dicts,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 0",
              [empty] = "!the dataset's get function returned no sample 0",
              [modes] = NO_GRAD}},
    {"Dataset of a Subset", a_tensor, of_subset,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 3",
              [wrong_shape] = "!stack expects each tensor to be equal size, but got [3] at e",
              [empty] = "!stack expects each tensor to be equal size, but got [3] at e",
              [modes] = NO_GRAD},
     .when = 2},
    {"iter of an IterableDataset", a_truth, with_iter,
     .ends = {[returns_null] = "!the dataset's iter function returned NULL", [modes] = NO_GRAD}, .no_given = true},
    {"next of an IterableDataset", a_tensor, with_next,
     .ends = {[wrong_shape] = "!stack expects each tensor to be equal size, but got [3] at e",
              [empty] = "!stack expects each tensor to be equal size, but got [3] at e",
              [modes] = NO_GRAD},
     .when = 2},
    {"next, in workers", a_tensor, with_next_of_workers,
     .ends = {[hooks] = "-",
              [wrong_shape] = "!stack expects each tensor to be equal size, but got [7, 11]",
              [empty] = "!stack expects each tensor to be equal size, but got [0] at e"},
     .no_jump = true},
    {"close of an IterableDataset", nothing, with_close, .ends = {[modes] = NO_GRAD}, .no_jump = true, .no_given = true,
     .unreported = true},
    {"Sampler", a_tensor, with_sampler,
     .ends = {[returns_null] = "!the sampler's function returned no indices",
              [wrong_shape] = "!the sampler's function returned float32 of shape [7, 11] whe",
              [empty] = "!the sampler's function returned float32 of shape [0] where 1",
              [in_place] = "!index 6 is out of range: the dataset has 6 samples",
              [modes] = NO_GRAD}},
    {"Sampler of batches", a_list, with_batch_sampler,
     .ends = {[returns_null] = "!the sampler's function returned no batches",
              [wrong_shape] = "!the sampler's function returned float32 of shape [7, 11] whe",
              [in_place] = "!index 6 is out of range: the dataset has 6 samples",
              [modes] = NO_GRAD}},
    {"collate_fn", a_tensor, with_collate,
     .ends = {[returns_null] = "!the DataLoader's collate_fn returned no batch", [modes] = NO_GRAD}},
    {"collate_fn, in workers", a_tensor, with_collate_of_workers,
     .ends = {[hooks] = "-", [returns_null] = "!the DataLoader's collate_fn returned no batch"}, .no_jump = true},
    {"collate_fn of items", a_list, with_collate_samples,
     .ends = {[returns_null] = "!the DataLoader's collate_fn returned no batch",
              [empty] = "!the DataLoader's collate_fn returned no batch",
              [modes] = NO_GRAD}},
    {"collate_fn of dicts", a_dict, with_collate_dicts,
     .ends = {[returns_null] = "!the dataset's get function returned no sample 0",
              [wrong_shape] = "!stack expects each tensor to be equal size, but got [7, 11]",
              [empty] = "!the dataset's get function returned no sample 0",
              [modes] = NO_GRAD}},
    {"worker_init_fn", a_truth, with_worker_init,
     .ends = {[hooks] = "-",
              [fails_returns] = "=",
              [returns_null] = "!the worker failed without an error",
              [closes_loud] = "="},
     .no_jump = true, .no_given = true},
    {"Lambda in a Compose", a_tensor, with_lambda,
     .ends = {[returns_null] = "!the function of a transforms.Lambda returned NULL",
              [wrong_shape] = "!Expected tensor to be a tensor image of size (..., C, H, W).",
              [wrong_dtype] = "!Input tensor should be a float tensor. Got torch.int64.",
              [empty] = "!Tensor is not a torch image.",
              [modes] = NO_GRAD}},
    {"Lambda", a_tensor, with_last_lambda,
     .ends = {[returns_null] = "!the function of a transforms.Lambda returned NULL", [modes] = NO_GRAD}},
    {.name = NULL}};
