/* core/data/iterable_dataset.c: torch.utils.data.IterableDataset, and ChainDataset, one stream after the other. */
#include "core/data/data_internal.h"
#include "core/ops/ops.h"

/* ---- an iteration ---- */

bool tg_dataset_iter(data_Dataset *dataset, tg_DatasetIter **iter) {
    if (!(*iter = tg_alloc(sizeof **iter))) return false;
    (*iter)->dataset = t_retain(dataset);
    if (dataset->is_a->begin(dataset, *iter)) return true;
    tg_dataset_iter_end(*iter);
    *iter = NULL;
    return false;
}

/* A stream that has ended, or failed, is not asked again. */
int tg_dataset_next(tg_DatasetIter *iter, tg_Sample *sample) {
    *sample = (tg_Sample){.tuple = NULL};
    if (iter->has_ended) return 0;
    const int got = iter->dataset->is_a->next(iter->dataset, iter, sample);
    iter->has_ended = got != 1;
    return got;
}

/* Without memory for the scope it is called all the same. */
static void close_stream(tg_DatasetIter *iter) {
    const int depth = tg_scope_open_around_callback();
    iter->dataset->close(iter->state);
    tg_scope_close(depth);
}

void tg_dataset_iter_end(tg_DatasetIter *iter) {
    if (!iter) return;
    tg_dataset_iter_end(iter->inner);
    if (iter->state && iter->dataset->close) close_stream(iter);
    t_release(iter->dataset);
    tg_free(iter, sizeof *iter);
}

/* ---- datasets of the user's functions ---- */

static int64_t iterable_len(data_Dataset *self) {
    if (self->len) return tg_user_len(self);
    tg_fail("object of type '%s' has no len()", self->is_a->name);
    return -1;
}

static bool iterable_begin(data_Dataset *self, tg_DatasetIter *iter) {
    const int64_t failures = tg_thread.failures;
    const int depth = tg_scope_open_around_callback();
    if (!depth) return false;
    iter->state = self->iter(self->user.context);
    tg_scope_merge(depth);
    if (tg_failed_since(failures)) return false;
    return iter->state || tg_fail("the dataset's iter function returned NULL");
}

static int iterable_next(data_Dataset *self, tg_DatasetIter *iter, tg_Sample *sample) {
    const int64_t failures = tg_thread.failures;
    Tensor *x = NULL, *y = NULL;
    bool has_sample = true;
    const int depth = tg_scope_open_around_callback();
    if (!depth) return -1;
    if (self->next_dict) has_sample = (sample->dict = self->next_dict(iter->state)) != NULL;
    else if (self->next_items) has_sample = (sample->tuple = self->next_items(iter->state)) != NULL;
    else has_sample = self->next(iter->state, &x, &y);
    const bool ok = has_sample && !tg_failed_since(failures) && tg_sample_of_user(self, sample, x, y);
    if (has_sample && !ok && !t_error()) tg_fail("the dataset's next function returned no sample");
    tg_scope_merge(depth);
    return ok ? 1 : tg_failed_since(failures) ? -1 : 0;
}

static const tg_DatasetClass iterable_dataset = {
    .name = "IterableDataset", .len = iterable_len, .begin = iterable_begin, .next = iterable_next};

static data_Dataset *iterable_new(data_Iter iter, bool has_next, const data_IterableDatasetOptions *options) {
    data_IterableDatasetOptions o = {.size = sizeof o};
    if (!tg_check_given(iter != NULL, 1, "a function") || !tg_check_given(has_next, 2, "a function")) return NULL;
    data_Dataset *self = tg_take_options(&o, options, sizeof o) ? tg_dataset_new(&iterable_dataset, NULL, 0) : NULL;
    if (!self) return NULL;
    self->iter = iter;
    self->len = o.len;
    self->close = o.close;
    self->user.context = o.context;
    self->user.destroy = o.destroy;
    self->user.copy = o.copy;
    tg_dataset_set_names(self, o.names, DATA_MAX_NAMES);
    return self;
}

/* class X(IterableDataset) with __iter__ and the __next__ of its iterator. The context must live as long as the
 * dataset. Error: a function is NULL. */
data_Dataset *data_IterableDataset_new(data_Iter iter, data_Next next, const data_IterableDatasetOptions *options) {
    data_Dataset *self = iterable_new(iter, next != NULL, options);
    if (self) self->next = next;
    return self;
}

data_Dataset *data_IterableDataset_of_items(data_Iter iter, data_NextItems next,
                                            const data_IterableDatasetOptions *options) {
    data_Dataset *self = iterable_new(iter, next != NULL, options);
    if (self) self->next_items = next;
    return self;
}

data_Dataset *data_IterableDataset_of_dicts(data_Iter iter, data_NextDict next,
                                            const data_IterableDatasetOptions *options) {
    data_Dataset *self = iterable_new(iter, next != NULL, options);
    if (self) self->next_dict = next;
    return self;
}

/* ---- ChainDataset ---- */

static int64_t chain_len(data_Dataset *self) {
    int64_t total = 0;
    for (int64_t i = 0; i < self->count; i++) {
        const int64_t len = data_dataset_len(self->parts[i]);
        if (len < 0) return -1;
        total += len;
    }
    return total;
}

static bool chain_begin(data_Dataset *self, tg_DatasetIter *iter) {
    (void)self, (void)iter;
    return true; /* each part is begun when the one before it has ended */
}

static int chain_next(data_Dataset *self, tg_DatasetIter *iter, tg_Sample *sample) {
    for (; iter->part < self->count; iter->part++) {
        if (!iter->inner && !tg_dataset_iter(self->parts[iter->part], &iter->inner)) return -1;
        const int got = tg_dataset_next(iter->inner, sample);
        if (got != 0) return got;
        tg_dataset_iter_end(iter->inner);
        iter->inner = NULL;
    }
    return 0;
}

static const tg_DatasetClass chain_dataset = {
    .name = "ChainDataset", .len = chain_len, .begin = chain_begin, .next = chain_next};

bool tg_dataset_has_len(const data_Dataset *dataset) {
    if (dataset->is_a == &iterable_dataset) return dataset->len != NULL;
    for (int64_t i = 0; dataset->is_a == &chain_dataset && i < dataset->count; i++)
        if (!tg_dataset_has_len(dataset->parts[i])) return false;
    return true;
}

/* ChainDataset(datasets): the samples of each IterableDataset, one after the other. Error: another dataset. */
data_Dataset *data_ChainDataset_new(data_Dataset *const *datasets, int64_t count) {
    if (!tg_check_array(datasets, count, 1, "datasets")) return NULL;
    for (int64_t i = 0; i < count; i++) {
        if (!tg_check_dataset(datasets[i], (int)i + 1)) return NULL;
        if (!tg_is_iterable(datasets[i])) return tg_fail("ChainDataset only supports IterableDataset");
    }
    return tg_dataset_new(&chain_dataset, datasets, count);
}
