/* core/data/tensor_dataset.c: torch.utils.data.TensorDataset, and the tutorials' RepeatedTokenDataset. */
#include <string.h>

#include "core/data/data_internal.h"
#include "core/kernels/random/distributions.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"

static int64_t tensors_len(data_Dataset *self) {
    return self->tensors->items[0]->shape[0];
}

static bool tensors_get(data_Dataset *self, int64_t index, tg_Sample *sample) {
    const t_TensorList *tensors = self->tensors;
    t_TensorList *items = t_list_new(NULL, 0);
    bool ok = items != NULL;
    for (int64_t k = 0; ok && k < tensors->len; k++) {
        Tensor *item = t_select(tensors->items[k], 0, index);
        ok = item && t_list_append(items, item);
    }
    sample->tuple = items;
    return ok;
}

/* x[index]: copies rows of a contiguous x; otherwise index_select. */
Tensor *tg_select_rows(Tensor *x, Tensor *index) {
    if (x->requires_grad || !tg_is_contiguous(x)) return t_index_select(x, 0, index);
    int64_t shape[T_MAX_DIMS], count = tg_numel(index);
    memcpy(shape, x->shape, sizeof shape);
    shape[0] = count;
    Tensor *y = tg_empty(shape, x->ndim, x->dtype);
    size_t bytes = (size_t)tg_shape_numel(x->shape + 1, x->ndim - 1) * tg_itemsize(x->dtype);
    const int64_t *number = tg_data(index);
    for (int64_t i = 0; y && i < count; i++)
        memcpy((char *)tg_data(y) + (size_t)i * bytes, (const char *)tg_data(x) + (size_t)number[i] * bytes, bytes);
    return y;
}

static bool tensors_gather(data_Dataset *self, Tensor *index, tg_Sample *batch) {
    const t_TensorList *tensors = self->tensors;
    t_TensorList *items = batch->tuple ? batch->tuple : t_list_new(NULL, 0);
    bool ok = items != NULL;
    for (int64_t k = 0; ok && k < tensors->len; k++) {
        Tensor *rows = tg_select_rows(tensors->items[k], index);
        ok = rows && t_list_append(items, rows);
    }
    *batch = (tg_Sample){.tuple = items};
    return ok;
}

static data_Dataset *new_of_class(const tg_DatasetClass *is_a, t_TensorList *tensors) {
    data_Dataset *self = tensors ? tg_dataset_new(is_a, NULL, 0) : NULL;
    if (self) self->tensors = t_retain(tensors);
    return self;
}

/* ---- the copy for a worker ----
 * Its tensors are contiguous aliases, made by the thread that owns the originals. The worker reads their memory and
 * takes no reference: rows are copied. */

static bool get_copied_rows(data_Dataset *self, int64_t index, tg_Sample *sample) {
    Tensor *at = tg_empty((int64_t[]){1}, 1, t_int64);
    sample->tuple = at ? t_list_new(NULL, 0) : NULL;
    if (at) *(int64_t *)tg_data(at) = index;
    bool ok = sample->tuple != NULL;
    for (int64_t k = 0; ok && k < self->tensors->len; k++) {
        Tensor *row = t_select(tg_select_rows(self->tensors->items[k], at), 0, 0);
        ok = row && t_list_append(sample->tuple, row);
    }
    return ok;
}

static const tg_DatasetClass tensor_dataset_of_worker = {
    .name = "TensorDataset", .len = tensors_len, .get = get_copied_rows, .gather = tensors_gather};

static data_Dataset *copy_for_worker(data_Dataset *self) {
    t_TensorList *aliases = t_list_new(NULL, 0);
    bool ok = aliases != NULL;
    for (int64_t k = 0; ok && k < self->tensors->len; k++) {
        Tensor *x = t_contiguous(t_detach(self->tensors->items[k])), *alias = x ? tg_alias(x) : NULL;
        ok = alias && t_list_append(aliases, alias);
    }
    return ok ? new_of_class(&tensor_dataset_of_worker, aliases) : NULL;
}

static const tg_DatasetClass tensor_dataset = {.name = "TensorDataset", .len = tensors_len, .get = tensors_get,
                                               .gather = tensors_gather, .copy = copy_for_worker};

/* ---- TensorDataset ---- */

static data_Dataset *tensor_dataset_of(t_TensorList *tensors) {
    return new_of_class(&tensor_dataset, tensors);
}

/* TensorDataset(x, y, ...): sample i is (x[i], y[i], ...). Errors: no tensor; sizes of dim 0 differ; a 0-dim tensor. */
data_Dataset *data_TensorDataset_new(const t_TensorList *tensors) {
    if (!tg_check_list(tensors, 1)) return NULL;
    if (tensors->len < 1) return tg_fail("a TensorDataset takes at least one tensor");
    for (int64_t i = 0; i < tensors->len; i++) {
        int64_t size = t_size(tensors->items[i], 0);
        if (size < 0) return NULL;
        if (size != tensors->items[0]->shape[0]) return tg_fail("Size mismatch between tensors");
    }
    return tensor_dataset_of(t_list_new(tensors->items, tensors->len));
}

/* dataset.tensors. Error: not a TensorDataset (a RepeatedTokenDataset is one). */
t_TensorList *data_tensors(data_Dataset *dataset) {
    if (!tg_check_dataset(dataset, 1)) return NULL;
    if (dataset->is_a == &tensor_dataset) return tg_add_to_scope(dataset->tensors);
    return tg_fail("'%s' object has no attribute 'tensors'", dataset->is_a->name);
}

/* ---- the tutorials' SimpleSequenceDataset ---- */

static bool has_equal_adjacent(const int64_t *token, int64_t count) {
    for (int64_t i = 0; i + 1 < count; i++)
        if (token[i] == token[i + 1]) return true;
    return false;
}

/* RepeatedTokenDataset(num_samples, seq_len, vocab_size): x is seq_len tokens, randint(1, vocab_size) from the default
 * generator, y is 1 if two adjacent tokens are equal, else 0. It is a TensorDataset of x: (num_samples, seq_len) and y:
 * (num_samples), both int64; filling all of x draws the same indices as one randint per sample. Errors: a negative
 * size, vocab_size < 2. */
data_Dataset *data_RepeatedTokenDataset_new(int64_t num_samples, int64_t seq_len, int64_t vocab_size) {
    if (vocab_size < 2)
        return tg_fail("random_ expects 'from' to be less than 'to', but got from=1 >= to=%lld", (long long)vocab_size);
    tg_MT19937 *engine = tg_engine(NULL);
    int depth = engine ? t_scope_open() : 0;
    Tensor *x = depth ? tg_empty((int64_t[]){num_samples, seq_len}, 2, t_int64) : NULL;
    Tensor *y = x ? tg_empty(&num_samples, 1, t_int64) : NULL;
    data_Dataset *self = y ? tensor_dataset_of(t_list_new((Tensor *[]){x, y}, 2)) : NULL;
    if (self) {
        int64_t *tokens = tg_data(x), *labels = tg_data(y);
        tg_fill_randint(engine, tokens, num_samples * seq_len, 1, vocab_size);
        for (int64_t i = 0; i < num_samples; i++) labels[i] = has_equal_adjacent(tokens + i * seq_len, seq_len);
    }
    t_keep_object(self);
    t_scope_close(depth);
    return self;
}
