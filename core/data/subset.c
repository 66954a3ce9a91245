/* core/data/subset.c: torch.utils.data.Subset and random_split. */
#include <math.h>

#include "core/data/data_internal.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"

static int64_t subset_len(data_Dataset *self) {
    return tg_numel(self->indices);
}

static bool subset_get(data_Dataset *self, int64_t index, tg_Sample *sample) {
    return tg_dataset_get(self->parts[0], ((const int64_t *)tg_data(self->indices))[index], sample);
}

static bool subset_gather(data_Dataset *self, Tensor *index, tg_Sample *batch) {
    Tensor *indices = tg_select_rows(self->indices, index);
    return indices && tg_dataset_gather(self->parts[0], indices, batch);
}

static const tg_DatasetClass subset = {
    .name = "Subset", .len = subset_len, .get = subset_get, .gather = subset_gather};

/* Subset(dataset, indices): sample i is dataset[indices[i]]. Error: an index out of range (in PyTorch only when that
 * sample is accessed). */
data_Dataset *data_Subset_new(data_Dataset *dataset, const int64_t *indices, int64_t count) {
    int64_t len = data_dataset_len(dataset);
    if (len < 0 || !tg_check_array(indices, count, 2, "indices")) return NULL;
    Tensor *own = tg_empty(&count, 1, t_int64);
    if (!own) return NULL;
    for (int64_t i = 0; i < count; i++) {
        if (indices[i] < -len || indices[i] >= len)
            return tg_fail("index %lld is out of range: the dataset has %lld samples", (long long)indices[i],
                           (long long)len);
        ((int64_t *)tg_data(own))[i] = indices[i] < 0 ? indices[i] + len : indices[i];
    }
    data_Dataset *self = tg_dataset_new(&subset, &dataset, 1);
    if (self) self->indices = tg_take_from_scope(own);
    return self;
}

/* random_split(dataset, lengths, generator): one randperm of all samples, split into Subsets of those lengths.
 * generator NULL: the default one. Error: the lengths do not sum to len(dataset). */
bool data_random_split(data_Dataset *dataset, const int64_t *lengths, int count, data_Dataset **parts,
                       t_Generator *generator) {
    int64_t len = data_dataset_len(dataset), left = len, at = 0;
    if (len < 0 || !tg_check_array(lengths, count, 2, "lengths")) return false;
    if (count > 0 && !tg_check_given(parts != NULL, 4, "an array of Subsets")) return false;
    for (int i = 0; i < count && left >= 0; i++) left = lengths[i] < 0 || lengths[i] > left ? -1 : left - lengths[i];
    if (left) return tg_fail("Sum of input lengths does not equal the length of the input dataset!");
    tg_Draws draws;
    int depth = tg_draws_begin(&draws, generator) ? t_scope_open() : 0;
    t_TensorOptions options = {.size = sizeof options, .generator = generator};
    Tensor *order = depth ? t_randperm(len, &options) : NULL;
    bool ok = order != NULL;
    for (int i = 0; i < count; at += lengths[i++]) {
        parts[i] = ok ? data_Subset_new(dataset, (const int64_t *)tg_data(order) + at, lengths[i]) : NULL;
        ok = parts[i] != NULL;
    }
    for (int i = 0; i < count; i++) parts[i] = ok ? t_keep_object(parts[i]) : NULL;
    if (depth) tg_draws_end(&draws, ok);
    t_scope_close(depth);
    return ok;
}

static void warn_empty(int i) {
    static _Thread_local bool warned;
    tg_warn(&warned, "Length of split at index %d is 0. This might result in an empty dataset.", i);
}

bool data_random_split_fractions(data_Dataset *dataset, const double *lengths, int count, data_Dataset **parts,
                                 t_Generator *generator) {
    enum { MOST = 32 };
    int64_t sizes[MOST], len = data_dataset_len(dataset), left = len;
    if (len < 0 || !tg_check_array(lengths, count, 2, "lengths")) return false;
    if (count > MOST) return tg_fail("%d parts are given, at most %d are possible", count, MOST) != NULL;
    double sum = 0;
    for (int i = 0; i < count; i++) sum += lengths[i];
    const bool is_fractions = sum <= 1 && 1 - sum <= 1e-9; /* math.isclose(sum, 1) and sum <= 1 */
    for (int i = 0; i < count; i++) {
        if (is_fractions && !(lengths[i] >= 0 && lengths[i] <= 1))
            return tg_fail("Fraction at index %d is not between 0 and 1", i) != NULL;
        if (!is_fractions && !(fabs(lengths[i]) < 0x1p53 && lengths[i] == floor(lengths[i])))
            return tg_fail("lengths are integers, or fractions that sum to 1, but lengths[%d] is %g and the sum is %g",
                           i, lengths[i], sum) != NULL;
        left -= sizes[i] = (int64_t)floor(is_fractions ? (double)len * lengths[i] : lengths[i]);
    }
    for (int i = 0; is_fractions && i < left; i++) sizes[i % count]++;
    for (int i = 0; is_fractions && i < count; i++)
        if (sizes[i] == 0) warn_empty(i);
    return data_random_split(dataset, sizes, count, parts, generator);
}

