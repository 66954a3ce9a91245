/* core/data/concat_dataset.c: torch.utils.data.ConcatDataset: the samples of several datasets, one after the other. */
#include "core/data/data_internal.h"
#include "core/ops/ops.h"

static int64_t concat_len(data_Dataset *self) {
    return self->ends[self->count - 1];
}

static bool concat_get(data_Dataset *self, int64_t index, tg_Sample *sample) {
    int64_t part = 0;
    while (index >= self->ends[part]) part++;
    return tg_dataset_get(self->parts[part], index - (part ? self->ends[part - 1] : 0), sample);
}

static const tg_DatasetClass concat_dataset = {.name = "ConcatDataset", .len = concat_len, .get = concat_get};

/* ConcatDataset(datasets), a + b: len is the sum of the lengths at this time. Errors: no dataset; an IterableDataset
 * (see data_ChainDataset). */
data_Dataset *data_ConcatDataset_new(data_Dataset *const *datasets, int64_t count) {
    if (!tg_check_array(datasets, count, 1, "datasets")) return NULL;
    if (count == 0) return tg_fail("datasets should not be an empty iterable");
    for (int64_t i = 0; i < count; i++) {
        if (!tg_check_dataset(datasets[i], (int)i + 1)) return NULL;
        if (tg_is_iterable(datasets[i])) return tg_fail("ConcatDataset does not support IterableDataset");
    }
    const size_t bytes = (size_t)count * sizeof(int64_t);
    int64_t *ends = tg_alloc_raw(bytes), total = 0;
    bool ok = ends != NULL;
    for (int64_t i = 0; ok && i < count; i++) {
        const int64_t len = data_dataset_len(datasets[i]);
        ok = len >= 0;
        ends[i] = total += len;
    }
    data_Dataset *self = ok ? tg_dataset_new(&concat_dataset, datasets, count) : NULL;
    if (self) self->ends = ends;
    else tg_free(ends, bytes);
    return self;
}
