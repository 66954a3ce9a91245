/* core/data/batch.c: how a loader makes a batch of samples, and how its items are read. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/data/data_internal.h"
#include "core/ops/ops.h"

/* ---- the user's collate functions ---- */

/* The batch of a collate_fn of x and y. */
static t_TensorList *collate_pairs(const data_DataLoader *loader, const data_Samples *samples) {
    t_TensorList *xs = t_list_new(NULL, 0), *ys = t_list_new(NULL, 0);
    bool ok = xs && ys;
    if (ok && samples->items[0]->len > 2)
        return tg_fail("collate_fn takes samples of x and y, but the dataset's have %lld items: collate_samples takes "
                       "any number",
                       (long long)samples->items[0]->len);
    for (int64_t i = 0; ok && i < samples->len; i++) {
        const t_TensorList *sample = samples->items[i];
        ok = t_list_append(xs, sample->items[0]) && (sample->len < 2 || t_list_append(ys, sample->items[1]));
    }
    Tensor *pair[2] = {NULL, NULL};
    if (!ok || !loader->collate_fn(loader->context, xs, ys, &pair[0], &pair[1]) || !pair[0]) return NULL;
    return t_list_new(pair, pair[1] ? 2 : 1);
}

static bool check_samples(const data_Samples *samples) {
    if (!samples || samples->len < 1 || !(samples->items || samples->dicts))
        return t_error() ? false : tg_fail("argument 1 has no samples where at least one is expected") != NULL;
    return true;
}

static bool call_collate(const data_DataLoader *loader, const data_Samples *samples, tg_Sample *batch) {
    const int64_t failures = tg_thread.failures;
    if (loader->collate_dicts) batch->dict = loader->collate_dicts(loader->context, samples);
    else if (loader->collate_samples) batch->tuple = loader->collate_samples(loader->context, samples);
    else batch->tuple = collate_pairs(loader, samples);
    if (tg_failed_since(failures)) return false;
    if (batch->dict && tg_check_dict(batch->dict, 1) && batch->dict->len > 0) return true;
    if (batch->tuple && tg_check_list(batch->tuple, 1) && batch->tuple->len > 0) return true;
    return t_error() ? false : tg_fail("the DataLoader's collate_fn returned no batch") != NULL;
}

/* The samples as the user's collate function gets them. items and dicts have space for n. */
static bool list_samples(const tg_Sample *samples, int64_t n, t_TensorList **items, t_TensorDict **dicts) {
    for (int64_t i = 0; i < n; i++) {
        if (!(items[i] = tg_sample_items(&samples[i]))) return false;
        dicts[i] = samples[i].dict;
        if (!tg_check_same_size(samples, i)) return false;
    }
    return true;
}

static bool collate_by_user(const data_DataLoader *loader, const tg_Sample *samples, int64_t n, tg_Sample *batch) {
    const int depth = tg_scope_open_around_callback();
    t_TensorList **items = depth ? tg_scope_alloc((size_t)n * sizeof *items) : NULL;
    t_TensorDict **dicts = items ? tg_scope_alloc((size_t)n * sizeof *dicts) : NULL;
    bool ok = dicts && list_samples(samples, n, items, dicts);
    const data_Samples all = {n, items, samples[0].dict ? dicts : NULL};
    ok = ok && call_collate(loader, &all, batch);
    tg_scope_merge(depth);
    return ok;
}

static bool has_collate_fn(const data_DataLoader *loader) {
    return loader->collate_fn || loader->collate_samples || loader->collate_dicts;
}

/* batch_size=None: the sample is the batch; a collate_fn gets it alone. */
static bool take_single(const data_DataLoader *loader, int64_t index, tg_Sample *batch) {
    tg_Sample sample;
    if (!tg_dataset_get(loader->dataset, index, &sample)) return false;
    *batch = has_collate_fn(loader) ? (tg_Sample){.tuple = NULL} : sample;
    return !has_collate_fn(loader) || collate_by_user(loader, &sample, 1, batch);
}

bool tg_loader_collate(const data_DataLoader *loader, Tensor *index, tg_Sample *batch) {
    if (!loader->is_auto_collating) return take_single(loader, *(const int64_t *)tg_data(index), batch);
    if (!has_collate_fn(loader)) return tg_dataset_gather(loader->dataset, index, batch);
    *batch = (tg_Sample){.tuple = NULL};
    const int64_t n = tg_numel(index);
    tg_Sample *samples = tg_scope_alloc((size_t)n * sizeof *samples);
    return samples && tg_dataset_collect(loader->dataset, index, samples) && collate_by_user(loader, samples, n, batch);
}

/* Up to `wanted` samples of an IterableDataset, into samples[]. Returns their number; -1 on an error. */
static int64_t take_samples(tg_DatasetIter *iter, int64_t wanted, tg_Sample **samples, int64_t *capacity) {
    int64_t n = 0;
    int got = 1;
    while (n < wanted && got == 1) {
        if (n == *capacity) {
            const int64_t more = *capacity ? 2 * *capacity : wanted < 64 ? wanted : 64;
            tg_Sample *larger = tg_scope_alloc((size_t)more * sizeof *larger);
            if (!larger) return -1;
            if (n) memcpy(larger, *samples, (size_t)n * sizeof *larger);
            *samples = larger;
            *capacity = more;
        }
        got = tg_dataset_next(iter, &(*samples)[n]);
        n += got == 1;
    }
    return got < 0 ? -1 : n;
}

static bool collate_taken(const data_DataLoader *loader, const tg_Sample *samples, int64_t n, tg_Sample *batch) {
    if (!has_collate_fn(loader) && loader->is_auto_collating) return tg_default_collate(samples, n, batch);
    *batch = has_collate_fn(loader) ? (tg_Sample){.tuple = NULL} : samples[0];
    return !has_collate_fn(loader) || collate_by_user(loader, samples, n, batch);
}

int tg_loader_collate_next(const data_DataLoader *loader, tg_DatasetIter *iter, tg_Sample *batch, int64_t *size) {
    const int64_t wanted = loader->is_auto_collating ? loader->batch_size : 1;
    int64_t capacity = 0;
    tg_Sample *samples = NULL;
    *size = take_samples(iter, wanted, &samples, &capacity);
    int got = *size < 0 ? -1 : *size > 0 && !(loader->drop_last && *size < wanted);
    if (got == 1 && !collate_taken(loader, samples, *size, batch)) got = -1;
    return got;
}

/* ---- default_collate for the user ---- */

static bool collate_given(const data_Samples *given, bool as_dicts, tg_Sample *batch) {
    if (!check_samples(given)) return false;
    if (as_dicts ? !given->dicts : !given->items) return tg_fail("the samples are %s", as_dicts ? "tuples" : "dicts");
    const size_t bytes = (size_t)given->len * sizeof(tg_Sample);
    tg_Sample *samples = tg_alloc(bytes);
    bool ok = samples != NULL;
    for (int64_t i = 0; ok && i < given->len; i++) {
        if (as_dicts) ok = tg_check_dict(samples[i].dict = given->dicts[i], 1);
        else ok = tg_check_list(samples[i].tuple = given->items[i], 1);
    }
    ok = ok && tg_default_collate(samples, given->len, batch);
    tg_free(samples, bytes);
    return ok;
}

t_TensorList *data_default_collate(const data_Samples *samples) {
    tg_Sample batch = {.tuple = NULL};
    int depth = t_scope_open();
    const bool ok = depth && collate_given(samples, false, &batch);
    for (int64_t k = 0; ok && k < batch.tuple->len; k++) t_keep_object(batch.tuple->items[k]);
    return tg_scope_return(depth, ok ? batch.tuple : NULL);
}

t_TensorDict *data_default_collate_dicts(const data_Samples *samples) {
    tg_Sample batch = {.tuple = NULL};
    int depth = t_scope_open();
    const bool ok = depth && collate_given(samples, true, &batch);
    for (int64_t k = 0; ok && k < batch.items->len; k++) t_keep_object(batch.items->items[k]);
    return tg_scope_return(depth, ok ? batch.dict : NULL);
}

/* ---- the fields of a batch ---- */

void tg_list_clear(t_TensorList *list) {
    for (int64_t k = 0; list && k < list->len; k++) t_release(list->items[k]);
    if (list) list->len = 0;
}

void tg_batch_clear(data_Batch *batch) {
    batch->x = batch->y = NULL;
    batch->items = NULL;
    batch->len = 0;
    batch->dict = NULL;
    batch->names = NULL;
    batch->names_len = 0;
}

bool tg_batch_set(data_Batch *batch, const tg_Sample *made) {
    t_TensorList *items = tg_sample_items(made);
    if (!items) return false;
    for (int64_t k = 0; k < items->len; k++) t_keep_object(tg_add_to_scope(items->items[k]));
    t_keep_object(items);
    batch->items = items->items;
    batch->len = items->len;
    batch->x = items->items[0];
    batch->y = items->len > 1 ? items->items[1] : NULL;
    batch->dict = t_keep_object(made->dict);
    batch->names = made->names;
    batch->names_len = made->names_len;
    return true;
}

static bool check_item(const data_Batch *batch, const char *name) {
    if (!batch || !name)
        return t_error() ? false
               : tg_fail("argument %d is NULL where a %s is expected", batch ? 2 : 1, batch ? "name" : "batch") != NULL;
    return batch->loader && tg_check_loader(batch->loader);
}

Tensor *data_item(const data_Batch *batch, const char *name) {
    if (!check_item(batch, name)) return NULL;
    if (batch->dict) return t_dict_get(batch->dict, name);
    for (int k = 0; k < batch->names_len && k < batch->len; k++)
        if (strcmp(batch->names[k], name) == 0) return batch->items[k];
    return tg_fail("KeyError: '%s'", name);
}

const char *data_text(const data_Batch *batch, const char *name, int64_t index) {
    if (!check_item(batch, name)) return NULL;
    const size_t bytes = strlen(name) + 24;
    char *own = batch->dict ? tg_alloc_raw(bytes) : tg_fail("KeyError: '%s'", name);
    if (!own) return NULL;
    snprintf(own, bytes, "%s.%" PRId64, name, index < 0 ? index + batch->size : index);
    const t_DictItem *item = tg_dict_find(batch->dict, own);
    const bool is_list = t_dict_has(batch->dict, name) && !tg_dict_find(batch->dict, name);
    tg_free(own, bytes);
    if (item && item->text) return item->text;
    if (is_list) return tg_fail("list index out of range: %" PRId64 ", of %" PRId64 " texts", index, batch->size);
    return t_dict_get_text(batch->dict, name);
}

t_TensorDict *data_batch_dict(const data_Batch *batch) {
    if (!check_item(batch, "")) return NULL;
    if (batch->dict) return batch->dict;
    t_TensorList *items = t_list_new(batch->items, batch->len);
    const tg_Sample sample = {.tuple = items, .names = batch->names, .names_len = batch->names_len};
    return items ? tg_sample_dict(&sample) : NULL;
}
