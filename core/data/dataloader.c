/* core/data/dataloader.c: torch.utils.data.DataLoader: its options. loader_iter.c iterates over it. */
#include "core/data/dataloader.h"

#include "core/data/data_internal.h"
#include "core/data/sampler_internal.h"
#include "core/ops/creation/random_internal.h"

/* ---- the object ---- */

static void loader_destroy(void *object) {
    data_DataLoader *loader = object;
    tg_object_dispose(&loader->object);
    tg_loader_end_iterations(loader);
    t_release(loader->dataset);
    t_release(loader->index_sampler);
    t_release(loader->generator);
    t_release(loader->workers);
    tg_progress_free(&loader->progress);
    tg_object_free(&loader->object, sizeof *loader);
}

static const t_Class loader_class = {"DataLoader", loader_destroy};

bool tg_is_live_loader(const data_DataLoader *loader) {
    return loader && loader->object.is_a == &loader_class;
}

bool tg_check_loader(const data_DataLoader *loader) {
    if (!loader) return t_error() ? false : tg_fail("argument 1 is NULL where a DataLoader is expected") != NULL;
    return loader->object.is_a == &loader_class || tg_fail("argument 1 is not a live DataLoader");
}

const data_DataLoaderOptions data_DataLoaderDefaults = {DATA_LOADER_DEFAULTS_};

/* The errors of PyTorch's constructor about workers. */
static bool check_worker_options(const data_DataLoaderOptions *o) {
    if (o->num_workers < 0)
        return tg_fail("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.");
    if (!(o->timeout >= 0)) return tg_fail("timeout option should be non-negative");
    if (o->num_workers == 0 && o->prefetch_factor != T_NONE)
        return tg_fail("prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
                       "enable multiprocessing, otherwise set prefetch_factor to None.");
    if (o->prefetch_factor < 0 && o->prefetch_factor != T_NONE)
        return tg_fail("prefetch_factor option should be non-negative");
    if (o->persistent_workers && o->num_workers == 0)
        return tg_fail("persistent_workers option needs num_workers > 0");
    if (o->num_workers == 0 && o->timeout > 0)
        return tg_fail("_SingleProcessDataLoaderIter requires timeout == 0");
    if (o->num_workers > DATA_MAX_WORKERS)
        return tg_fail("num_workers must be at most %d, but is %lld", DATA_MAX_WORKERS, (long long)o->num_workers);
    if (o->prefetch_factor > DATA_MAX_PREFETCH)
        return tg_fail("prefetch_factor must be at most %d, but is %lld", DATA_MAX_PREFETCH,
                       (long long)o->prefetch_factor);
    return true;
}

/* The errors of PyTorch's constructor about options that exclude each other. */
static bool check_options(const data_DataLoaderOptions *o) {
    if (o->sampler && o->shuffle) return tg_fail("sampler option is mutually exclusive with shuffle");
    if (o->batch_sampler && (o->batch_size != 1 || o->shuffle || o->sampler || o->drop_last))
        return tg_fail("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last");
    if (o->batch_size == T_NONE && o->drop_last)
        return tg_fail("batch_size=None option disables auto-batching and is mutually exclusive with drop_last");
    if (o->batch_sampler && !o->batch_sampler->is_a->has_batches)
        return tg_fail("batch_sampler yields single indices where batches of them are expected");
    return true;
}

/* An IterableDataset has an order of its own. */
static bool check_iterable_options(const data_DataLoaderOptions *o) {
    static const char text[] = "DataLoader with IterableDataset: expected unspecified %s option, but got %s=%s";
    if (o->shuffle) return tg_fail(text, "shuffle", "shuffle", "True");
    if (o->sampler) return tg_fail(text, "sampler", "sampler", o->sampler->is_a->name);
    if (o->batch_sampler) return tg_fail(text, "batch_sampler", "batch_sampler", o->batch_sampler->is_a->name);
    if (o->batch_size < 1 && o->batch_size != T_NONE)
        return tg_fail("batch_size should be a positive integer value, but got batch_size=%lld",
                       (long long)o->batch_size);
    return true;
}

/* The sampler of batches (without batch_size: of single indices) that the options describe. */
static data_Sampler *index_sampler(data_Dataset *dataset, const data_DataLoaderOptions *o) {
    if (o->batch_sampler) return o->batch_sampler;
    data_RandomSamplerOptions random = data_RandomSamplerDefaults;
    random.generator = o->generator;
    data_Sampler *sampler = o->sampler ? o->sampler : o->shuffle ? data_RandomSampler_new(dataset, &random)
                                                                 : data_SequentialSampler_new(dataset);
    if (o->batch_size == T_NONE) return sampler;
    return sampler ? data_BatchSampler_new(sampler, o->batch_size, o->drop_last) : NULL;
}

/* DataLoader(dataset, batch_size=1, shuffle=False, sampler=None, batch_sampler=None, ...): batches of batch_size
 * samples in the order of a sampler, which is a SequentialSampler, with shuffle a RandomSampler; stacked, or collated
 * by collate_fn, which gets the context; the last one may be smaller, or is dropped by drop_last. generator: for the
 * shuffles. Workers: see dataloader.h. Errors: batch_size < 1; shuffle of an empty dataset; options that exclude each
 * other. */
data_DataLoader *data_DataLoader_new(data_Dataset *dataset, const data_DataLoaderOptions *options) {
    data_DataLoaderOptions o = data_DataLoaderDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_dataset(dataset, 1) || !check_worker_options(&o))
        return NULL;
    if ((o.sampler && !tg_check_sampler(o.sampler, 2)) || (o.batch_sampler && !tg_check_sampler(o.batch_sampler, 2)))
        return NULL;
    const bool is_iterable = tg_is_iterable(dataset);
    if ((o.generator && !tg_engine(o.generator)) || (is_iterable && !check_iterable_options(&o)) || !check_options(&o))
        return NULL;
    data_Sampler *sampler = is_iterable ? NULL : index_sampler(dataset, &o);
    data_DataLoader *loader = sampler || is_iterable ? tg_alloc(sizeof *loader) : NULL;
    if (!loader) return NULL;
    loader->dataset = t_retain(dataset);
    loader->index_sampler = t_retain(sampler);
    loader->batch_size = o.batch_sampler ? T_NONE : o.batch_size;
    loader->is_auto_collating = sampler ? sampler->is_a->has_batches : o.batch_size != T_NONE;
    loader->num_workers = o.num_workers;
    loader->prefetch_factor = o.prefetch_factor == T_NONE ? 2 : o.prefetch_factor;
    loader->persistent_workers = o.persistent_workers;
    loader->timeout = o.timeout;
    loader->worker_init_fn = o.worker_init_fn;
    loader->shuffle = o.shuffle;
    loader->drop_last = o.drop_last;
    loader->generator = t_retain(o.generator);
    loader->collate_fn = o.collate_fn;
    loader->collate_samples = o.collate_samples;
    loader->collate_dicts = o.collate_dicts;
    loader->context = o.context;
    tg_object_init(&loader->object, &loader_class);
    return loader;
}

/* len(loader): the number of batches in an iteration; -1 on error. Of an IterableDataset: what its len says. */
int64_t data_len(const data_DataLoader *loader) {
    if (!tg_check_loader(loader)) return -1;
    if (loader->index_sampler) return data_sampler_len(loader->index_sampler);
    const int64_t samples = data_dataset_len(loader->dataset), size = loader->batch_size;
    if (samples < 0 || !loader->is_auto_collating) return samples;
    return samples / size + (!loader->drop_last && samples % size != 0);
}

/* loader.dataset */
data_Dataset *data_dataset(const data_DataLoader *loader) {
    return tg_check_loader(loader) ? tg_add_to_scope(loader->dataset) : NULL;
}

int64_t tg_loader_len(const data_DataLoader *loader) {
    const bool had_error = t_error() != NULL;
    const int64_t len = data_len(loader);
    if (len < 0 && !had_error) t_clear_error();
    return len;
}
