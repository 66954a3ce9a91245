/* core/data/dataset.c: torch.utils.data.Dataset, TensorDataset, Subset, random_split, and the tutorials' dataset. */
#include "core/data/dataset.h"

#include <string.h>

#include "core/data/data_internal.h"
#include "core/kernels/distributions.h"
#include "core/ops/random.h"

/* What a kind of dataset can do. gather fetches many samples at once, stacked. */
typedef struct Kind {
    int64_t (*len)(data_Dataset *self);
    bool (*get)(data_Dataset *self, int64_t index, Tensor **x, Tensor **y);
    bool (*gather)(data_Dataset *self, Tensor *index, Tensor **x, Tensor **y);
} Kind;

struct data_Dataset {
    t_Object object;
    const Kind *kind;
    t_Object *held;  /* what it keeps alive: a list of tensors, or the dataset of a subset */
    Tensor *indices; /* of a subset */
    data_Len len;    /* these three of a user's dataset */
    data_Get get;
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

/* ---- what all datasets do ---- */

/* len(dataset): the number of samples; -1 on error. */
int64_t data_dataset_len(data_Dataset *dataset) {
    return check(dataset) ? dataset->kind->len(dataset) : -1;
}

/* x, y = dataset[index]: negative indices count from the end. Error: index out of range. y may be NULL where it is not
 * wanted. The tensors belong to the current scope; those of a TensorDataset are views of its rows. */
bool data_dataset_get(data_Dataset *dataset, int64_t index, Tensor **x, Tensor **y) {
    if (!check(dataset)) return false;
    int64_t len = dataset->kind->len(dataset), at = index < 0 ? index + len : index;
    Tensor *got_x = NULL, *got_y = NULL;
    if (at < 0 || at >= len)
        return tg_fail("index %lld is out of range: the dataset has %lld samples", (long long)index, (long long)len);
    if (!dataset->kind->get(dataset, at, &got_x, &got_y)) return false;
    if (x) *x = got_x;
    if (y) *y = got_y;
    return true;
}

bool tg_dataset_collect(data_Dataset *self, Tensor *index, t_TensorList **xs, t_TensorList **ys) {
    const int64_t *numbers = tg_data(index);
    if (!(*xs = t_list_new(NULL, 0)) || !(*ys = t_list_new(NULL, 0))) return false;
    for (int64_t i = 0, n = tg_numel(index); i < n; i++) {
        Tensor *x = NULL, *y = NULL;
        if (!self->kind->get(self, numbers[i], &x, &y) || !t_list_append(*xs, x)) return false;
        if (i && (y != NULL) != ((*ys)->len > 0)) return tg_fail("some samples of the dataset have a y and some have none");
        if (y && !t_list_append(*ys, y)) return false;
    }
    return true;
}

/* One sample after the other, then a stack of the x and one of the y. */
static bool gather_one_by_one(data_Dataset *self, Tensor *index, Tensor **x, Tensor **y) {
    t_TensorList *xs, *ys;
    if (!tg_dataset_collect(self, index, &xs, &ys)) return false;
    *x = t_stack(xs, 0);
    *y = *x && ys->len ? t_stack(ys, 0) : NULL;
    return *x && (*y || !ys->len);
}

bool tg_dataset_gather(data_Dataset *dataset, Tensor *index, Tensor **x, Tensor **y) {
    return dataset->kind->gather(dataset, index, x, y);
}

/* ---- a dataset of the user's own ---- */

static int64_t user_len(data_Dataset *self) {
    return self->len(self->user.context);
}

static bool user_get(data_Dataset *self, int64_t index, Tensor **x, Tensor **y) {
    bool ok = self->get(self->user.context, index, x, y);
    if (ok && *x) return true;
    return t_error() ? false : tg_fail("the dataset's get function gave no sample %lld", (long long)index) != NULL;
}

static const Kind user_kind = {user_len, user_get, gather_one_by_one};

/* class X(Dataset) with __len__ and __getitem__ as two functions, which get the context of the options. The context
 * must live as long as the dataset; options->destroy is called with it when the dataset goes. Error: no function. */
data_Dataset *data_Dataset_new(data_Len len, data_Get get, const data_DatasetOptions *options) {
    if (!len || !get) return tg_fail("argument %d is NULL where a function is expected", len ? 2 : 1);
    data_DatasetOptions user = {.size = sizeof user};
    if (!tg_take_options(&user, options, sizeof user)) return NULL;
    data_Dataset *self = dataset_new(&user_kind, NULL);
    if (!self) return NULL;
    self->len = len;
    self->get = get;
    self->user = user;
    return self;
}

/* ---- TensorDataset ---- */

static t_TensorList *tensors_of(data_Dataset *self) {
    return (t_TensorList *)self->held;
}

static int64_t tensors_len(data_Dataset *self) {
    return tensors_of(self)->items[0]->shape[0];
}

static bool tensors_get(data_Dataset *self, int64_t index, Tensor **x, Tensor **y) {
    const t_TensorList *tensors = tensors_of(self);
    *x = t_select(tensors->items[0], 0, index);
    if (*x && tensors->len > 1) *y = t_select(tensors->items[1], 0, index);
    return *x && (*y || tensors->len == 1);
}

/* x[index]: rows that lie in one piece are copied as such; anything else is index_select. */
static Tensor *rows(Tensor *x, Tensor *index) {
    if (x->requires_grad || !tg_is_contiguous(x)) return t_index_select(x, 0, index);
    int64_t shape[T_MAX_DIMS], count = tg_numel(index);
    memcpy(shape, x->shape, sizeof shape);
    shape[0] = count;
    Tensor *y = tg_empty(shape, x->ndim, x->dtype);
    size_t bytes = (size_t)tg_count(x->shape + 1, x->ndim - 1) * tg_itemsize(x->dtype);
    const int64_t *number = tg_data(index);
    for (int64_t i = 0; y && i < count; i++)
        memcpy((char *)tg_data(y) + (size_t)i * bytes, (const char *)tg_data(x) + (size_t)number[i] * bytes, bytes);
    return y;
}

static bool tensors_gather(data_Dataset *self, Tensor *index, Tensor **x, Tensor **y) {
    const t_TensorList *tensors = tensors_of(self);
    *x = rows(tensors->items[0], index);
    *y = *x && tensors->len > 1 ? rows(tensors->items[1], index) : NULL;
    return *x && (*y || tensors->len == 1);
}

static const Kind tensors_kind = {tensors_len, tensors_get, tensors_gather};

/* TensorDataset(x, y), TensorDataset(x): sample i is (x[i], y[i]). Errors: sizes of dim 0 differ; a 0-dim tensor; more
 * than two tensors (PyTorch takes any number). */
data_Dataset *data_TensorDataset_new(const t_TensorList *tensors) {
    if (!tensors) return t_error() ? NULL : tg_fail("argument 1 is NULL where a list of tensors is expected");
    if (tensors->len < 1 || tensors->len > 2)
        return tg_fail("a TensorDataset takes one tensor or two, x and y, not %lld", (long long)tensors->len);
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
    if (dataset->kind == &tensors_kind) return tg_share(dataset->held);
    return tg_fail("'Dataset' object has no attribute 'tensors'");
}

/* ---- Subset ---- */

static int64_t subset_len(data_Dataset *self) {
    return tg_numel(self->indices);
}

static bool subset_get(data_Dataset *self, int64_t index, Tensor **x, Tensor **y) {
    return data_dataset_get((data_Dataset *)self->held, ((const int64_t *)tg_data(self->indices))[index], x, y);
}

static bool subset_gather(data_Dataset *self, Tensor *index, Tensor **x, Tensor **y) {
    Tensor *numbers = rows(self->indices, index);
    return numbers && tg_dataset_gather((data_Dataset *)self->held, numbers, x, y);
}

static const Kind subset_kind = {subset_len, subset_get, subset_gather};

/* Subset(dataset, indices): sample i is dataset[indices[i]]. Error: an index out of range (PyTorch finds that out when
 * the sample is asked for). */
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
    if (self) self->indices = tg_take(own);
    return self;
}

/* random_split(dataset, lengths, generator): one randperm of all samples, cut into parts of those lengths, which are
 * Subsets. A NULL generator is the default one. Error: the lengths do not sum to len(dataset). Fractions, which PyTorch
 * takes too, are the caller's to multiply. */
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

/* ---- the tutorials' SimpleSequenceDataset ---- */

static bool has_equal_neighbours(const int64_t *token, int64_t count) {
    for (int64_t i = 0; i + 1 < count; i++)
        if (token[i] == token[i + 1]) return true;
    return false;
}

/* RepeatedTokenDataset(num_samples, seq_len, vocab_size): x is seq_len tokens, randint(1, vocab_size) from the default
 * generator, y is 1 if two neighbours are equal, else 0. It is a TensorDataset of x: (num_samples, seq_len) and
 * y: (num_samples), both int64; one fill of all of x draws what a randint for each sample would. Errors: a negative
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
        for (int64_t i = 0; i < num_samples; i++) labels[i] = has_equal_neighbours(tokens + i * seq_len, seq_len);
    }
    t_keep_object(self);
    t_scope_close(depth);
    return self;
}
