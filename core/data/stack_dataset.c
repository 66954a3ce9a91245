/* core/data/stack_dataset.c: torch.utils.data.StackDataset: samples of several datasets side by side. */
#include <inttypes.h>
#include <stdio.h>

#include "core/data/data_internal.h"
#include "core/ops/ops.h"

static int64_t stack_len(data_Dataset *self) {
    return data_dataset_len(self->parts[0]);
}

/* Adds a part's sample to the dict: a tensor as "name", the items of a tuple or dict as "name.0", "name.key". */
static bool add_sample(t_TensorDict *dict, const char *name, const tg_Sample *sample) {
    if (sample->is_bare) return t_dict_set(dict, name, sample->tuple->items[0]);
    const t_TensorDict *inner = tg_sample_dict(sample);
    return inner && t_dict_set_dict(dict, name, inner);
}

/* A tuple of tensors if each part's samples are tensors; else a dict, in which tuples and dicts are flat. */
static bool stack_get(data_Dataset *self, int64_t index, tg_Sample *sample) {
    t_TensorDict *dict = t_dict_new();
    t_TensorList *tuple = dict ? t_list_new(NULL, 0) : NULL;
    bool ok = tuple != NULL, are_bare = true;
    for (int64_t k = 0; ok && k < self->count; k++) {
        char position[24];
        tg_Sample part;
        snprintf(position, sizeof position, "%" PRId64, k);
        ok = tg_dataset_get(self->parts[k], index, &part) &&
             add_sample(dict, k < self->names_len ? self->names[k] : position, &part);
        are_bare = ok && are_bare && part.is_bare;
        if (are_bare) ok = t_list_append(tuple, part.tuple->items[0]);
    }
    if (are_bare) *sample = (tg_Sample){.tuple = tuple, .names = self->names, .names_len = self->names_len};
    else sample->dict = dict;
    return ok;
}

static const tg_DatasetClass stack_dataset = {.name = "StackDataset", .len = stack_len, .get = stack_get};

/* StackDataset(a, b), StackDataset(image=a, text=b): sample i is (a[i], b[i]), or {"image": a[i], "text": b[i]}. What
 * is a tuple in a tuple in Python has its items as "0.0", "0.1", "1.0" here. Errors: no dataset; their lengths
 * differ. */
data_Dataset *data_StackDataset_new(data_Dataset *const *datasets, int64_t count, const char *const *names) {
    if (!tg_check_array(datasets, count, 1, "datasets")) return NULL;
    if (count == 0) return tg_fail("At least one dataset should be passed");
    if (names && count > DATA_MAX_NAMES)
        return tg_fail("a StackDataset has at most %d names, not %lld", DATA_MAX_NAMES, (long long)count);
    int64_t first = -1;
    for (int64_t i = 0; i < count; i++) {
        const int64_t len = tg_check_dataset(datasets[i], (int)i + 1) ? data_dataset_len(datasets[i]) : -1;
        if (len < 0 || (names && !tg_check_given(names[i] != NULL, 3, "a name for each dataset"))) return NULL;
        if (i == 0) first = len;
        if (len != first)
            return tg_fail("Size mismatch between datasets: %lld samples and %lld", (long long)first, (long long)len);
    }
    data_Dataset *self = tg_dataset_new(&stack_dataset, datasets, count);
    if (self && names) tg_dataset_set_names(self, names, count);
    return self;
}
