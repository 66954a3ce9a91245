/* core/data/loader_iter.c: an iteration over a DataLoader.
 *
 * It draws the same random numbers as PyTorch's, in the same order, so that the shuffles and all later random numbers
 * are the same: at iter(loader) a 64-bit seed for workers (base_seed), also if there are none, from the loader's
 * generator; then what the sampler draws, from the first batch on (sampler_iter.c). */
#include "core/data/data_internal.h"
#include "core/data/sampler_internal.h"
#include "core/ops/creation/random_internal.h"
#include "core/tensor/profiler_hooks.h"

/* ---- indices ---- */

/* True if this is the iteration begun last, which the loader's epoch describes. */
static bool is_last_iteration(const data_Batch *batch) {
    return batch->number && batch->number == batch->loader->iterations;
}

/* The next index as a tensor of one element. */
static int next_single(tg_SamplerIter *iter, Tensor **indices) {
    int64_t index;
    const int got = tg_sampler_next(iter, &index);
    if (got != 1) return got;
    if (!(*indices = tg_empty((int64_t[]){1}, 1, t_int64))) return -1;
    *(int64_t *)tg_data(*indices) = index;
    return 1;
}

int tg_next_indices(data_Batch *batch, Tensor **indices) {
    tg_Epoch *epoch = &batch->loader->epoch;
    const bool is_last = is_last_iteration(batch);
    if (is_last && epoch->drawn == batch->drawn) tg_sampler_iter_resumed(batch->indices);
    if (is_last) epoch->has_begun = true;
    const int got = batch->loader->is_auto_collating ? tg_sampler_next_batch(batch->indices, indices)
                                                     : next_single(batch->indices, indices);
    const tg_MT19937 *before = tg_sampler_iter_before(batch->indices);
    if (is_last && batch->drawn == 0 && before) epoch->engine = *before;
    if (got >= 0) batch->drawn++;
    if (is_last && epoch->drawn < batch->drawn) epoch->drawn = batch->drawn;
    return got;
}

/* ---- a batch ---- */

/* The next batch, of *size samples. 1, 0 at the end, -1 on an error. */
static int fetch(data_Batch *batch, tg_Sample *made, int64_t *size) {
    if (batch->workers) return tg_workers_next(batch->workers, batch, made, size);
    if (batch->source) return tg_loader_collate_next(batch->loader, batch->source, made, size);
    Tensor *indices = NULL;
    const int got = tg_next_indices(batch, &indices);
    if (got != 1) return got;
    *size = tg_numel(indices);
    return tg_loader_collate(batch->loader, indices, made) ? 1 : -1;
}

/* Makes the next batch; the current scope owns it. 1, 0 at the end, -1 on an error. */
static int make_batch(data_Batch *batch) {
    int depth = tg_scope_open_around_callback();
    tg_Sample made = {.tuple = batch->list};
    int64_t size = 0;
    int got = depth ? fetch(batch, &made, &size) : -1;
    if (got == 1 && !tg_batch_set(batch, &made)) got = -1;
    if (got == 1) {
        batch->size = size;
        batch->index++;
        if (is_last_iteration(batch)) batch->loader->epoch.yielded = batch->index + 1;
    }
    tg_scope_close(depth);
    return got;
}

/* ---- iteration ---- */

/* What an iteration holds. The loader has it on its list, and releases it if a callback has left the loop by
 * longjmp. */
typedef struct tg_Iteration {
    t_Object object;
    struct tg_Iteration *next, **at;
    tg_SamplerIter *indices;
    tg_DatasetIter *source;
    t_TensorList *list;
} Iteration;

static void iteration_destroy(void *object) {
    Iteration *held = object;
    tg_object_dispose(&held->object);
    if (held->next) held->next->at = held->at;
    *held->at = held->next;
    tg_sampler_iter_end(held->indices);
    tg_dataset_iter_end(held->source);
    t_release(held->list);
    tg_free(held, sizeof *held);
}

static const t_Class iteration_class = {"DataLoaderIter", iteration_destroy};

void tg_loader_end_iterations(data_DataLoader *loader) {
    while (loader->running) t_release(loader->running);
}

/* A loader that is gone has ended its iterations. */
static void end_iteration(data_Batch *batch) {
    if (batch->held && tg_is_live_loader(batch->loader)) t_release(batch->held);
    batch->held = NULL;
    batch->indices = NULL;
    batch->source = NULL;
    batch->list = NULL;
}

static bool begin(data_DataLoader *loader, data_Batch *batch) {
    if (!tg_check_given(batch != NULL, 2, "a batch")) return false;
    *batch = (data_Batch){.index = -1};
    if (!tg_check_loader(loader) || !tg_engine(loader->generator)) return false;
    batch->loader = loader;
    Iteration *held = batch->held = tg_alloc(sizeof *held);
    if (!held) {
        batch->loader = NULL;
        return false;
    }
    tg_object_init(&held->object, &iteration_class);
    tg_take_from_scope(held);
    held->at = &loader->running;
    held->next = loader->running;
    if (held->next) held->next->at = &held->next;
    loader->running = held;
    held->indices = batch->indices = loader->index_sampler ? tg_sampler_iter(loader->index_sampler) : NULL;
    if (batch->indices || !loader->index_sampler) batch->list = tg_take_from_scope(t_list_new(NULL, 0));
    held->list = batch->list;
    if (batch->list) return true;
    data_iter_end(batch);
    return false;
}

/* The workers of the iteration: new ones, or the loader's persistent ones. */
static bool begin_workers(data_Batch *batch) {
    data_DataLoader *loader = batch->loader;
    const int64_t base_seed = batch->number ? loader->epoch.base_seed : batch->base_seed;
    tg_Workers *workers = loader->workers;
    if (!workers && !(workers = tg_workers_start(loader, base_seed))) return false;
    if (loader->persistent_workers && !loader->workers) loader->workers = tg_take_from_scope(workers);
    batch->workers = workers;
    batch->owns_workers = !loader->persistent_workers;
    return tg_workers_begin(workers, batch);
}

/* What the batches come from, if not from the dataset by indices: workers, or iter(dataset) of an IterableDataset,
 * which is a call of user code. */
static bool begin_source(data_Batch *batch) {
    if (batch->loader->num_workers > 0) return begin_workers(batch);
    if (batch->loader->index_sampler) return true;
    int depth = tg_scope_open_around_callback();
    const bool ok = depth && tg_dataset_iter(batch->loader->dataset, &batch->held->source);
    batch->source = batch->held->source;
    tg_scope_close(depth);
    return ok;
}

/* ---- continuing after the batches that were returned before the state was saved ---- */

/* The sampler draws their indices again. */
static bool skip_indices(data_Batch *batch, const tg_Epoch *epoch) {
    const data_Sampler *sampler = tg_sampler_base(batch->loader->index_sampler);
    if (!epoch->has_begun) return true;
    if (sampler->is_a->draws && !tg_sampler_iter_resume(batch->indices, &epoch->engine)) return false;
    int got = 1;
    while (batch->drawn < epoch->yielded && got == 1) {
        int depth = tg_scope_open_around_callback();
        Tensor *indices;
        got = depth ? tg_next_indices(batch, &indices) : -1;
        tg_scope_close(depth);
    }
    return got >= 0;
}

/* An IterableDataset gives their samples again. */
static bool skip_batches(data_Batch *batch, int64_t count) {
    int got = 1;
    for (int64_t i = 0; i < count && got == 1; i++) {
        int depth = tg_scope_open_around_callback();
        int64_t size;
        tg_Sample made = {.tuple = NULL};
        got = depth ? fetch(batch, &made, &size) : -1;
        tg_scope_close(depth);
    }
    return got >= 0;
}

static bool resume(data_Batch *batch) {
    data_DataLoader *loader = batch->loader;
    const tg_Epoch *epoch = &loader->epoch;
    loader->resumes = false;
    batch->index = epoch->yielded - 1;
    if (loader->index_sampler) return skip_indices(batch, epoch) && begin_source(batch);
    return begin_source(batch) && skip_batches(batch, epoch->yielded);
}

/* ---- iter, next ---- */

/* Draws base_seed, the seed of the workers, as PyTorch does without workers too; not for persistent workers that are
 * running. */
static int64_t draw_base_seed(data_DataLoader *loader) {
    return loader->workers ? loader->epoch.base_seed : t_random_int64(loader->generator);
}

/* iter(loader): also draws PyTorch's base_seed, unless a loaded state is resumed. On an error the first data_iter_next
 * returns false. */
bool data_iter(data_DataLoader *loader, data_Batch *batch) {
    if (!begin(loader, batch)) return false;
    batch->number = ++loader->iterations;
    if (!loader->resumes) loader->epoch = (tg_Epoch){.is_running = true, .base_seed = draw_base_seed(loader)};
    if (!(loader->resumes ? resume(batch) : begin_source(batch))) {
        data_iter_end(batch);
        return false;
    }
    batch->shows_progress = loader->progress.waiting;
    if (batch->shows_progress) tg_progress_begin(&loader->progress, batch->index + 1, tg_loader_len(loader));
    return true;
}

/* What PyTorch's profiler shows a batch as. */
static const char by_this_thread[] = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";
static const char by_workers[] = "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__";

/* next(batches): closes the scope of the previous batch and makes the next one in a new scope. False at the end, and on
 * an error of the dataset or out of memory (t_error()). */
bool data_iter_next(data_Batch *batch) {
    if (!tg_check_given(batch != NULL, 1, "a batch")) return false;
    const bool had_one = batch->depth != 0;
    t_scope_close(batch->depth);
    batch->depth = 0;
    tg_batch_clear(batch);
    if (!batch->loader || !tg_check_loader(batch->loader)) return false;
    tg_list_clear(batch->list);
    if (had_one && batch->shows_progress) tg_progress_count(&batch->loader->progress);
    if (!(batch->depth = t_scope_open_in_loop_(&batch->loop))) return false;
    const char *by = batch->loader->num_workers ? by_workers : by_this_thread;
    const int profiled = tg_profile_begin(tg_range_annotation, by);
    const int got = make_batch(batch);
    tg_profile_end(profiled);
    if (got == 1) return true;
    tg_Epoch *epoch = &batch->loader->epoch;
    if (got == 0 && is_last_iteration(batch)) *epoch = (tg_Epoch){.base_seed = epoch->base_seed};
    t_scope_close(batch->depth);
    batch->depth = 0;
    return false;
}

/* Stops the workers that only this iteration has. (If its scope is closed already, they are stopped.) */
static void end_workers(data_Batch *batch) {
    if (batch->owns_workers) tg_workers_end(batch->workers);
}

/* del batches: closes the scope of the last batch, and the progress bar. May be called at any time and repeatedly. */
void data_iter_end(data_Batch *batch) {
    if (!batch) return;
    t_scope_close(batch->depth);
    if (batch->shows_progress && batch->loader) tg_progress_end(&batch->loader->progress);
    end_iteration(batch);
    end_workers(batch);
    *batch = (data_Batch){.index = batch->index};
}

/* The generators that an iteration may draw from: the default one, the loader's and the sampler's. */
enum { GENERATORS = 3 };
static bool save_generators(const data_DataLoader *loader, tg_Draws draws[GENERATORS]) {
    const data_Sampler *sampler = loader->index_sampler;
    return tg_draws_begin(&draws[0], NULL) && tg_draws_begin(&draws[1], loader->generator) &&
           tg_draws_begin(&draws[2], sampler ? tg_sampler_base(sampler)->generator : NULL);
}

/* x, y = next(iter(loader)): the first batch, owned by the current scope; draws the same random numbers as an
 * iteration. Error: the loader has no batch (PyTorch: StopIteration). */
bool data_first(data_DataLoader *loader, data_Batch *batch) {
    tg_Draws draws[GENERATORS];
    if (!begin(loader, batch)) return false;
    const bool can_restore = save_generators(loader, draws);
    t_release(batch->list);
    batch->held->list = batch->list = NULL;
    if (can_restore) batch->base_seed = draw_base_seed(loader);
    const int got = can_restore && begin_source(batch) ? make_batch(batch) : -1;
    if (got == 0) tg_fail("the DataLoader has no batch");
    for (int i = 0; can_restore && i < GENERATORS; i++) tg_draws_end(&draws[i], got == 1);
    end_iteration(batch);
    end_workers(batch);
    const data_Batch made = *batch;
    *batch = (data_Batch){.x = made.x, .y = made.y, .items = made.items, .len = made.len, .index = made.index,
        .size = made.size, .dict = made.dict, .names = made.names, .names_len = made.names_len,
        .loader = made.loader};
    return got == 1;
}
