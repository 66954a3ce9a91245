/* core/data/dataset.c: torch.utils.data.Dataset, TensorDataset, Subset, random_split, and the tutorials' dataset. */
#include "core/data/dataset.h"

#include <math.h>
#include <string.h>

#include "core/data/data_internal.h"
#include "core/kernels/random/distributions.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"

/* The methods of a kind of dataset. gather returns several samples, stacked. */
typedef struct Kind {
    int64_t (*len)(data_Dataset *self);
    t_TensorList *(*get)(data_Dataset *self, int64_t index);
    int (*gather)(data_Dataset *self, Tensor *index, Tensor **items);
} Kind;

struct data_Dataset {
    t_Object object;
    const Kind *kind;
    t_Object *held;  /* a reference: to the list of tensors, or to the dataset of a subset */
    Tensor *indices; /* of a subset */
    data_Len len;    /* these four are of a user's dataset, which has one of the two get functions */
    data_Get get;
    data_GetItems get_items;
    data_DatasetOptions user;
};

/* ---- the object ---- */

static void dataset_destroy(void *object) {
    data_Dataset *self = object;
    tg_object_dispose(&self->object);
    if (self->user.destroy) self->user.destroy(self->user.context);
    t_release(self->held);
    t_release(self->indices);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class dataset_class = {"Dataset", dataset_destroy};

static data_Dataset *dataset_new(const Kind *kind, void *held) {
    data_Dataset *self = tg_alloc(sizeof *self);
    if (!self) return NULL;
    self->kind = kind;
    self->held = t_retain(held);
    tg_object_init(&self->object, &dataset_class);
    return self;
}

static bool check(const data_Dataset *dataset) {
    if (!dataset) return t_error() ? false : tg_fail("argument 1 is NULL where a dataset is expected") != NULL;
    return dataset->object.is_a == &dataset_class || tg_fail("argument 1 is not a live dataset");
}

/* ---- all datasets ---- */

/* len(dataset): the number of samples; -1 on error. */
int64_t data_dataset_len(data_Dataset *dataset) {
    return check(dataset) ? dataset->kind->len(dataset) : -1;
}

/* dataset[index]: negative indices count from the end. Error: index out of range. The tensors belong to the current
 * scope; those of a TensorDataset are views of its rows. */
t_TensorList *data_dataset_items(data_Dataset *dataset, int64_t index) {
    if (!check(dataset)) return NULL;
    const int64_t len = dataset->kind->len(dataset), at = index < 0 ? index + len : index;
    if (at < 0 || at >= len)
        return tg_fail("index %lld is out of range: the dataset has %lld samples", (long long)index, (long long)len);
    return dataset->kind->get(dataset, at);
}

/* x, y = dataset[index]: the first two items. x or y may be NULL if it is not needed; *y is NULL if there is only one
 * item. */
bool data_dataset_get(data_Dataset *dataset, int64_t index, Tensor **x, Tensor **y) {
    const t_TensorList *items = data_dataset_items(dataset, index);
    if (!items) return false;
    if (x) *x = items->items[0];
    if (y) *y = items->len > 1 ? items->items[1] : NULL;
    return true;
}

bool tg_dataset_collect(data_Dataset *self, Tensor *index, t_TensorList **samples) {
    const int64_t *indices = tg_data(index);
    for (int64_t i = 0, n = tg_numel(index); i < n; i++) {
        samples[i] = self->kind->get(self, indices[i]);
        if (!samples[i]) return false;
        if (samples[i]->len == samples[0]->len) continue;
        if (samples[i]->len + samples[0]->len == 3)
            return tg_fail("some samples of the dataset have a y and some have none");
        return tg_fail("sample %lld of the dataset has %lld items, but sample %lld has %lld", (long long)indices[i],
                       (long long)samples[i]->len, (long long)indices[0], (long long)samples[0]->len);
    }
    return true;
}

static bool check_count(int64_t items) {
    return items <= DATA_MAX_ITEMS ||
           tg_fail("a sample of a DataLoader has at most %d items, not %lld", DATA_MAX_ITEMS, (long long)items);
}

/* The k-th items of all samples, stacked. */
static Tensor *stack_items(t_TensorList *const *samples, int64_t n, int64_t k) {
    t_TensorList *column = t_list_new(NULL, 0);
    bool ok = column != NULL;
    for (int64_t i = 0; ok && i < n; i++) ok = t_list_append(column, samples[i]->items[k]);
    return ok ? t_stack(column, 0) : NULL;
}

static int gather_one_by_one(data_Dataset *self, Tensor *index, Tensor **items) {
    const int64_t n = tg_numel(index);
    const size_t bytes = (size_t)n * sizeof(t_TensorList *);
    t_TensorList **samples = tg_alloc(bytes);
    bool ok = samples && tg_dataset_collect(self, index, samples) && check_count(samples[0]->len);
    const int count = ok ? (int)samples[0]->len : 0;
    for (int k = 0; ok && k < count; k++) ok = (items[k] = stack_items(samples, n, k)) != NULL;
    tg_free(samples, bytes);
    return ok ? count : 0;
}

int tg_dataset_gather(data_Dataset *dataset, Tensor *index, Tensor **items) {
    return dataset->kind->gather(dataset, index, items);
}

/* ---- user-defined datasets ---- */

static int64_t user_len(data_Dataset *self) {
    return self->len(self->user.context);
}

static t_TensorList *user_get(data_Dataset *self, int64_t index) {
    Tensor *pair[2] = {NULL, NULL};
    t_TensorList *items = NULL;
    if (self->get_items) items = self->get_items(self->user.context, index);
    else if (self->get(self->user.context, index, &pair[0], &pair[1]) && pair[0])
        items = t_list_new(pair, pair[1] ? 2 : 1);
    if (items && tg_check_list(items, 1) && items->len > 0) return items;
    return t_error() ? NULL : tg_fail("the dataset's get function returned no sample %lld", (long long)index);
}

static const Kind user_kind = {user_len, user_get, gather_one_by_one};

/* class X(Dataset) with __len__ and __getitem__ as two functions, which get the context of the options. The context
 * must live as long as the dataset; options->destroy is called with it when the dataset is released. Error: a function
 * is NULL. */
static data_Dataset *user_new(data_Len len, bool has_get, const data_DatasetOptions *options) {
    if (!len || !has_get) return tg_fail("argument %d is NULL where a function is expected", len ? 2 : 1);
    data_DatasetOptions user = {.size = sizeof user};
    if (!tg_take_options(&user, options, sizeof user)) return NULL;
    data_Dataset *self = dataset_new(&user_kind, NULL);
    if (!self) return NULL;
    self->len = len;
    self->user = user;
    return self;
}

data_Dataset *data_Dataset_new(data_Len len, data_Get get, const data_DatasetOptions *options) {
    data_Dataset *self = user_new(len, get != NULL, options);
    if (self) self->get = get;
    return self;
}

data_Dataset *data_Dataset_of_items(data_Len len, data_GetItems get, const data_DatasetOptions *options) {
    data_Dataset *self = user_new(len, get != NULL, options);
    if (self) self->get_items = get;
    return self;
}

/* ---- TensorDataset ---- */

static t_TensorList *tensors_of(data_Dataset *self) {
    return (t_TensorList *)self->held;
}

static int64_t tensors_len(data_Dataset *self) {
    return tensors_of(self)->items[0]->shape[0];
}

static t_TensorList *tensors_get(data_Dataset *self, int64_t index) {
    const t_TensorList *tensors = tensors_of(self);
    t_TensorList *sample = t_list_new(NULL, 0);
    bool ok = sample != NULL;
    for (int64_t k = 0; ok && k < tensors->len; k++) {
        Tensor *item = t_select(tensors->items[k], 0, index);
        ok = item && t_list_append(sample, item);
    }
    return ok ? sample : NULL;
}

/* x[index]: copies rows of a contiguous x; otherwise index_select. */
static Tensor *select_rows(Tensor *x, Tensor *index) {
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

static int tensors_gather(data_Dataset *self, Tensor *index, Tensor **items) {
    const t_TensorList *tensors = tensors_of(self);
    bool ok = check_count(tensors->len);
    for (int64_t k = 0; ok && k < tensors->len; k++) ok = (items[k] = select_rows(tensors->items[k], index)) != NULL;
    return ok ? (int)tensors->len : 0;
}

static const Kind tensors_kind = {tensors_len, tensors_get, tensors_gather};

/* TensorDataset(x, y, ...): sample i is (x[i], y[i], ...). Errors: no tensor; sizes of dim 0 differ; a 0-dim tensor. */
data_Dataset *data_TensorDataset_new(const t_TensorList *tensors) {
    if (!tensors) return t_error() ? NULL : tg_fail("argument 1 is NULL where a list of tensors is expected");
    if (tensors->len < 1) return tg_fail("a TensorDataset takes at least one tensor");
    for (int64_t i = 0; i < tensors->len; i++) {
        int64_t size = t_size(tensors->items[i], 0);
        if (size < 0) return NULL;
        if (size != tensors->items[0]->shape[0]) return tg_fail("Size mismatch between tensors");
    }
    t_TensorList *own = t_list_new(tensors->items, tensors->len);
    return own ? dataset_new(&tensors_kind, own) : NULL;
}

/* dataset.tensors. Error: not a TensorDataset (a RepeatedTokenDataset is one). */
t_TensorList *data_tensors(data_Dataset *dataset) {
    if (!check(dataset)) return NULL;
    if (dataset->kind == &tensors_kind) return tg_add_to_scope(dataset->held);
    return tg_fail("'Dataset' object has no attribute 'tensors'");
}

/* ---- Subset ---- */

static int64_t subset_len(data_Dataset *self) {
    return tg_numel(self->indices);
}

static t_TensorList *subset_get(data_Dataset *self, int64_t index) {
    return data_dataset_items((data_Dataset *)self->held, ((const int64_t *)tg_data(self->indices))[index]);
}

static int subset_gather(data_Dataset *self, Tensor *index, Tensor **items) {
    Tensor *indices = select_rows(self->indices, index);
    return indices ? tg_dataset_gather((data_Dataset *)self->held, indices, items) : 0;
}

static const Kind subset_kind = {subset_len, subset_get, subset_gather};

int tg_dataset_find(const data_Dataset *dataset, const char *name) {
    while (dataset->kind == &subset_kind) dataset = (const data_Dataset *)dataset->held;
    for (int k = 0; k < DATA_MAX_ITEMS && dataset->user.names[k]; k++)
        if (strcmp(dataset->user.names[k], name) == 0) return k;
    return -1;
}

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
    data_Dataset *self = dataset_new(&subset_kind, dataset);
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
    return data_random_split(dataset, sizes, count, parts, generator);
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
    t_TensorList *tensors = y ? t_list_new((Tensor *[]){x, y}, 2) : NULL;
    data_Dataset *self = tensors ? dataset_new(&tensors_kind, tensors) : NULL;
    if (self) {
        int64_t *tokens = tg_data(x), *labels = tg_data(y);
        tg_fill_randint(engine, tokens, num_samples * seq_len, 1, vocab_size);
        for (int64_t i = 0; i < num_samples; i++) labels[i] = has_equal_adjacent(tokens + i * seq_len, seq_len);
    }
    t_keep_object(self);
    t_scope_close(depth);
    return self;
}
