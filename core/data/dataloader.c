/* core/data/dataloader.c: torch.utils.data.DataLoader.
 *
 * An iteration draws the same random numbers as PyTorch's, in the same order, so that the shuffles and all later random
 * numbers are the same. See draw_order and next_size. */
#include "core/data/dataloader.h"

#include "core/data/data_internal.h"
#include "core/kernels/random/distributions.h"
#include "core/ops/creation/random_internal.h"

/* ---- the object ---- */

static void loader_destroy(void *object) {
    data_DataLoader *loader = object;
    tg_object_dispose(&loader->object);
    t_release(loader->dataset);
    t_release(loader->generator);
    tg_object_free(&loader->object, sizeof *loader);
}

static const t_Class loader_class = {"DataLoader", loader_destroy};

bool tg_check_loader(const data_DataLoader *loader) {
    if (!loader) return t_error() ? false : tg_fail("argument 1 is NULL where a DataLoader is expected") != NULL;
    return loader->object.is_a == &loader_class || tg_fail("argument 1 is not a live DataLoader");
}

const data_DataLoaderOptions data_DataLoaderDefaults = {DATA_LOADER_DEFAULTS_};

/* DataLoader(dataset, batch_size=1, shuffle=False, drop_last=False, generator=None, collate_fn=None): batches of
 * consecutive or shuffled samples, stacked or collated by collate_fn, which gets the context; the last one may be
 * smaller, or is dropped by drop_last. generator: for the shuffles. There are no workers: data_iter_next computes the
 * batch. Errors: batch_size < 1; shuffle of an empty dataset. */
data_DataLoader *data_DataLoader_new(data_Dataset *dataset, const data_DataLoaderOptions *options) {
    data_DataLoaderOptions o = data_DataLoaderDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    int64_t len = data_dataset_len(dataset);
    if (len < 0 || (o.generator && !tg_engine(o.generator))) return NULL;
    if (o.shuffle && len == 0)
        return tg_fail("num_samples should be a positive integer value, but got num_samples=0");
    if (o.batch_size < 1)
        return tg_fail("batch_size should be a positive integer value, but got batch_size=%lld",
                       (long long)o.batch_size);
    data_DataLoader *loader = tg_alloc(sizeof *loader);
    if (!loader) return NULL;
    loader->dataset = t_retain(dataset);
    loader->batch_size = o.batch_size;
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

static int64_t batches(const data_DataLoader *loader, int64_t samples) {
    return samples / loader->batch_size + (!loader->drop_last && samples % loader->batch_size != 0);
}

/* len(loader): the number of batches in an iteration; -1 on error. */
int64_t data_len(const data_DataLoader *loader) {
    int64_t samples = tg_check_loader(loader) ? data_dataset_len(loader->dataset) : -1;
    return samples < 0 ? -1 : batches(loader, samples);
}

/* loader.dataset */
data_Dataset *data_dataset(const data_DataLoader *loader) {
    return tg_check_loader(loader) ? tg_add_to_scope(loader->dataset) : NULL;
}

/* ---- the order of the samples ---- */

/* True if this is the iteration begun last, which the loader's epoch describes. */
static bool is_last_iteration(const data_Batch *batch) {
    return batch->number && batch->number == batch->loader->iterations;
}

/* Called before the first batch, draws as PyTorch does: without a loader generator a seed from the default generator,
 * for a new generator from which the shuffle is drawn; with one, the shuffle directly from it. */
static bool draw_order(data_Batch *batch) {
    data_DataLoader *loader = batch->loader;
    batch->started = true;
    if (is_last_iteration(batch)) loader->epoch.has_begun = true;
    if (!batch->order) return true;
    tg_MT19937 fresh, *engine = tg_engine(loader->generator);
    if (!engine) return false;
    if (!loader->generator) {
        tg_mt_seed(&fresh, (uint64_t)tg_mt_random_i64(engine));
        engine = &fresh;
    }
    if (is_last_iteration(batch)) loader->epoch.engine = *engine;
    tg_randperm(engine, tg_data(batch->order), batch->total);
    return true;
}

/* PyTorch's RandomSampler draws one more shuffle, which is not used, when it is exhausted. That affects only a loader
 * with its own generator: the order of the next epoch. */
static bool draw_unused_shuffle(const data_Batch *batch) {
    if (!batch->order || !batch->loader->generator) return true;
    size_t bytes = (size_t)batch->total * sizeof(int64_t);
    tg_MT19937 *engine = tg_engine(batch->loader->generator);
    int64_t *unused = engine ? tg_alloc_raw(bytes) : NULL;
    if (!unused) return false;
    tg_randperm(engine, unused, batch->total);
    tg_free(unused, bytes);
    return true;
}

/* The number of samples of the next batch; 0 at the end, -1 on an error. A smaller last batch exhausts the sampler
 * before it is returned. */
static int64_t next_size(data_Batch *batch) {
    int64_t left = batch->total - batch->first, size = batch->loader->batch_size;
    if (!batch->started && !draw_order(batch)) return -1;
    if (left >= size) return size;
    if (!batch->exhausted && !draw_unused_shuffle(batch)) return -1;
    batch->exhausted = true;
    return batch->loader->drop_last ? 0 : left;
}

/* Makes the batch of the next `count` samples; the current scope owns it. */
static bool make_batch(data_Batch *batch, int64_t count) {
    int depth = tg_scope_open_around_callback();
    Tensor *index = depth ? tg_empty(&count, 1, t_int64) : NULL;
    const int64_t *order = batch->order ? tg_data(batch->order) : NULL;
    for (int64_t i = 0; index && i < count; i++)
        ((int64_t *)tg_data(index))[i] = order ? order[batch->first + i] : batch->first + i;
    tg_Sample made = {.tuple = batch->list};
    const bool ok = index && tg_loader_collate(batch->loader, index, &made) && tg_batch_set(batch, &made);
    if (ok) {
        batch->first += count;
        batch->size = count;
        batch->index++;
        if (is_last_iteration(batch)) batch->loader->epoch.yielded = batch->index + 1;
    }
    tg_scope_close(depth);
    return ok;
}

/* ---- iteration ---- */

static bool begin(data_DataLoader *loader, data_Batch *batch) {
    if (!tg_check_given(batch != NULL, 2, "a batch")) return false;
    *batch = (data_Batch){.index = -1};
    int64_t total = tg_check_loader(loader) ? data_dataset_len(loader->dataset) : -1;
    if (total < 0 || !tg_engine(loader->generator)) return false;
    if (loader->shuffle && !(batch->order = tg_take_from_scope(tg_empty(&total, 1, t_int64)))) return false;
    batch->loader = loader;
    batch->total = total;
    return true;
}

/* Continues after the batches that were returned before the state was saved; draws the same shuffle again. */
static void resume(data_Batch *batch) {
    data_DataLoader *loader = batch->loader;
    const tg_Epoch *epoch = &loader->epoch;
    loader->resumes = false;
    batch->index = epoch->yielded - 1;
    batch->started = epoch->has_begun;
    batch->first = epoch->yielded * loader->batch_size;
    if (batch->first > batch->total) {
        batch->first = batch->total;
        batch->exhausted = true;
    }
    tg_MT19937 engine = epoch->engine;
    if (batch->started && batch->order) tg_randperm(&engine, tg_data(batch->order), batch->total);
}

/* iter(loader): also draws PyTorch's base_seed (the seed of worker processes), unless a loaded state is resumed. On an
 * error the first data_iter_next returns false. */
bool data_iter(data_DataLoader *loader, data_Batch *batch) {
    if (!begin(loader, batch)) return false;
    if (!(batch->list = tg_take_from_scope(t_list_new(NULL, 0)))) {
        t_release(batch->order);
        *batch = (data_Batch){.index = -1};
        return false;
    }
    batch->number = ++loader->iterations;
    if (loader->resumes) {
        resume(batch);
    } else {
        loader->epoch = (tg_Epoch){.is_running = true};
        t_random_int64(loader->generator);
    }
    batch->shows_progress = loader->progress.waiting;
    if (batch->shows_progress) tg_progress_begin(&loader->progress, batch->index + 1, batches(loader, batch->total));
    return true;
}

/* next(batches): closes the scope of the previous batch and makes the next one in a new scope. False at the end, and on
 * an error of the dataset or out of memory (t_error()). */
bool data_iter_next(data_Batch *batch) {
    if (!tg_check_given(batch != NULL, 1, "a batch")) return false;
    const bool had_one = batch->depth != 0;
    t_scope_close(batch->depth);
    batch->depth = 0;
    tg_batch_clear(batch);
    tg_list_clear(batch->list);
    if (!batch->loader || !tg_check_loader(batch->loader) || !tg_check_optional(batch->order, 1)) return false;
    if (had_one && batch->shows_progress) tg_progress_count(&batch->loader->progress);
    int64_t count = next_size(batch);
    if (count == 0 && is_last_iteration(batch)) batch->loader->epoch = (tg_Epoch){.is_running = false};
    if (count <= 0 || !(batch->depth = t_scope_open_in_loop_(&batch->loop))) return false;
    if (make_batch(batch, count)) return true;
    t_scope_close(batch->depth);
    batch->depth = 0;
    return false;
}

/* del batches: closes the scope of the last batch, and the progress bar. May be called at any time and repeatedly. */
void data_iter_end(data_Batch *batch) {
    if (!batch) return;
    t_scope_close(batch->depth);
    if (batch->shows_progress && batch->loader) tg_progress_end(&batch->loader->progress);
    t_release(batch->order);
    t_release(batch->list);
    *batch = (data_Batch){.index = batch->index};
}

/* x, y = next(iter(loader)): the first batch, owned by the current scope; draws the same random numbers as an
 * iteration. Error: the loader has no batch (PyTorch: StopIteration). */
bool data_first(data_DataLoader *loader, data_Batch *batch) {
    tg_Draws draws;
    bool ok = begin(loader, batch) && tg_draws_begin(&draws, loader->generator);
    if (!batch) return false;
    if (ok) t_random_int64(loader->generator);
    int64_t count = ok ? next_size(batch) : -1;
    if (count == 0) tg_fail("the DataLoader has no batch");
    if (ok) tg_draws_end(&draws, count > 0 && make_batch(batch, count));
    ok = batch->len > 0;
    t_release(batch->order);
    const data_Batch got = *batch;
    *batch = (data_Batch){.x = got.x, .y = got.y, .items = got.items, .len = got.len, .index = got.index,
        .size = got.size, .dict = got.dict, .names = got.names, .names_len = got.names_len, .loader = got.loader};
    return ok;
}
