/* core/data/collate.c: torch.utils.data.default_collate: samples become a batch.
 *
 * Tensors and numbers (0-dim tensors) of n samples are stacked: a new first dim of size n. A tuple or a dict of them
 * becomes a tuple or a dict of such stacks. Texts become a list, whose items are in the batch's dict as "name.0",
 * "name.1", ...: a list in a dict is flat, as a dict in a dict is (core/ops/dict.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/data/data_internal.h"
#include "core/ops/ops.h"

/* ---- tuples ---- */

bool tg_check_same_size(const tg_Sample *samples, int64_t i) {
    if (!samples[0].tuple != !samples[i].tuple)
        return tg_fail("each element in list of batch should be of equal size, but sample 0 of the batch is a %s and "
                       "sample %" PRId64 " a %s", samples[0].tuple ? "tuple" : "dict", i,
                       samples[i].tuple ? "tuple" : "dict");
    if (samples[0].dict) return true;
    const int64_t a = samples[0].tuple->len, b = samples[i].tuple->len;
    if (a == b) return true;
    if (a + b == 3) return tg_fail("some samples of the dataset have a y and some have none");
    return tg_fail("each element in list of batch should be of equal size, but sample %" PRId64 " of the batch has %"
                   PRId64 " items and sample 0 has %" PRId64, i, b, a);
}

/* The k-th items of all samples, stacked. */
static Tensor *stack_items(const tg_Sample *samples, int64_t n, int64_t k) {
    t_TensorList *column = t_list_new(NULL, 0);
    bool ok = column != NULL;
    for (int64_t i = 0; ok && i < n; i++) ok = t_list_append(column, samples[i].tuple->items[k]);
    return ok ? t_stack(column, 0) : NULL;
}

static bool collate_tuples(const tg_Sample *samples, int64_t n, t_TensorList *batch) {
    bool ok = true;
    for (int64_t i = 1; ok && i < n; i++) ok = tg_check_same_size(samples, i);
    for (int64_t k = 0; ok && k < samples[0].tuple->len; k++) {
        Tensor *stacked = stack_items(samples, n, k);
        ok = stacked && t_list_append(batch, stacked);
    }
    return ok;
}

/* ---- dicts ---- */

/* Sample i's item of that name: a tensor or a text, as the first sample's. NULL with an error if it is not. */
static const t_DictItem *item_of(const tg_Sample *samples, int64_t i, const t_DictItem *first) {
    if (!tg_check_same_size(samples, i)) return NULL;
    const t_DictItem *item = tg_dict_find(samples[i].dict, first->name);
    if (!item) return tg_fail("KeyError: '%s', in sample %" PRId64 " of the batch", first->name, i);
    if (!item->tensor == !first->tensor) return item;
    return tg_fail("default_collate: '%s' is a %s in sample 0 of the batch, but a %s in sample %" PRId64, first->name,
                   first->tensor ? "tensor" : "string", item->tensor ? "tensor" : "string", i);
}

static bool collate_tensors(const tg_Sample *samples, int64_t n, const t_DictItem *first, t_TensorDict *batch,
                            Tensor **item_to) {
    t_TensorList *column = t_list_new(NULL, 0);
    bool ok = column != NULL;
    for (int64_t i = 0; ok && i < n; i++) {
        const t_DictItem *item = item_of(samples, i, first);
        ok = item && t_list_append(column, item->tensor);
    }
    Tensor *stacked = ok ? t_stack(column, 0) : NULL;
    *item_to = t_retain(stacked);
    return stacked && t_dict_set(batch, first->name, stacked);
}

static bool collate_texts(const tg_Sample *samples, int64_t n, const t_DictItem *first, t_TensorDict *batch) {
    const size_t bytes = strlen(first->name) + 24;
    char *name = tg_alloc_raw(bytes);
    bool ok = name != NULL;
    for (int64_t i = 0; ok && i < n; i++) {
        const t_DictItem *item = item_of(samples, i, first);
        snprintf(name, bytes, "%s.%" PRId64, first->name, i);
        ok = item && t_dict_set_text(batch, name, item->text);
    }
    tg_free(name, bytes);
    return ok;
}

static bool collate_dicts(const tg_Sample *samples, int64_t n, tg_Sample *batch) {
    const t_TensorDict *first = samples[0].dict;
    batch->dict = t_dict_new();
    batch->items = batch->dict ? tg_list_of_nulls(first->len) : NULL;
    bool ok = batch->items != NULL;
    for (int64_t k = 0; ok && k < first->len; k++) {
        const t_DictItem *item = &first->items[k];
        ok = item->tensor ? collate_tensors(samples, n, item, batch->dict, &batch->items->items[k])
                          : collate_texts(samples, n, item, batch->dict);
    }
    return ok;
}

/* The first sample decides, as in PyTorch: it says whether the others are dicts, and which names are collated. */
bool tg_default_collate(const tg_Sample *samples, int64_t n, tg_Sample *batch) {
    t_TensorList *list = batch->tuple;
    *batch = (tg_Sample){.names = samples[0].names, .names_len = samples[0].names_len, .is_bare = samples[0].is_bare};
    if (samples[0].dict) return collate_dicts(samples, n, batch);
    batch->tuple = list ? list : t_list_new(NULL, 0);
    return batch->tuple && collate_tuples(samples, n, batch->tuple);
}

/* ---- a sample in other forms ---- */

t_TensorDict *tg_sample_dict(const tg_Sample *sample) {
    if (sample->dict) return sample->dict;
    t_TensorDict *dict = t_dict_new();
    bool ok = dict != NULL;
    for (int64_t k = 0; ok && k < sample->tuple->len; k++) {
        char position[24];
        snprintf(position, sizeof position, "%" PRId64, k);
        ok = t_dict_set(dict, k < sample->names_len ? sample->names[k] : position, sample->tuple->items[k]);
    }
    return ok ? dict : NULL;
}

t_TensorList *tg_sample_items(const tg_Sample *sample) {
    if (sample->tuple) return sample->tuple;
    if (sample->items) return sample->items;
    t_TensorList *items = tg_list_of_nulls(sample->dict->len);
    for (int64_t k = 0; items && k < sample->dict->len; k++) items->items[k] = t_retain(sample->dict->items[k].tensor);
    return items;
}
