/* core/data/dataset.c: torch.utils.data.Dataset: what all datasets have, and datasets of the user's own functions. */
#include "core/data/dataset.h"

#include <string.h>

#include "core/data/data_internal.h"
#include "core/ops/ops.h"

/* ---- the object ---- */

static void dataset_destroy(void *object) {
    data_Dataset *self = object;
    tg_object_dispose(&self->object);
    if (self->user.destroy) self->user.destroy(self->user.context);
    t_release(self->tensors);
    t_release(self->indices);
    tg_free(self->ends, (size_t)self->count * sizeof *self->ends);
    for (int64_t i = 0; i < self->count; i++) t_release(self->parts[i]);
    tg_free(self->parts, (size_t)self->count * sizeof *self->parts);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class dataset_class = {"Dataset", dataset_destroy};

data_Dataset *tg_dataset_new(const tg_DatasetClass *is_a, data_Dataset *const *parts, int64_t count) {
    data_Dataset *self = tg_alloc(sizeof *self);
    data_Dataset **own = self && count ? tg_alloc_raw((size_t)count * sizeof *own) : NULL;
    if (!self || (count && !own)) {
        tg_free(self, sizeof *self);
        return NULL;
    }
    for (int64_t i = 0; i < count; i++) own[i] = t_retain(parts[i]);
    self->is_a = is_a;
    self->parts = own;
    self->count = count;
    tg_object_init(&self->object, &dataset_class);
    return self;
}

bool tg_is_iterable(const data_Dataset *dataset) {
    return dataset->is_a->next != NULL;
}

bool tg_check_dataset(const data_Dataset *dataset, int position) {
    if (!dataset)
        return t_error() ? false : tg_fail("argument %d is NULL where a dataset is expected", position) != NULL;
    return dataset->object.is_a == &dataset_class || tg_fail("argument %d is not a live dataset", position);
}

/* ---- all datasets ---- */

/* len(dataset): the number of samples; -1 on error. */
int64_t data_dataset_len(data_Dataset *dataset) {
    return tg_check_dataset(dataset, 1) ? dataset->is_a->len(dataset) : -1;
}

static bool wrap_index(int64_t *index, int64_t len) {
    const int64_t at = *index < 0 ? *index + len : *index;
    if (at < 0 || at >= len)
        return tg_fail("index %lld is out of range: the dataset has %lld samples", (long long)*index, (long long)len);
    *index = at;
    return true;
}

bool tg_dataset_get(data_Dataset *dataset, int64_t index, tg_Sample *sample) {
    *sample = (tg_Sample){.tuple = NULL};
    if (!tg_check_dataset(dataset, 1)) return false;
    if (tg_is_iterable(dataset)) return tg_fail("Subclasses of Dataset should implement __getitem__.");
    const int64_t len = data_dataset_len(dataset);
    return len >= 0 && wrap_index(&index, len) && dataset->is_a->get(dataset, index, sample);
}

/* dataset[index]: negative indices count from the end. Error: index out of range. The tensors belong to the current
 * scope; those of a TensorDataset are views of its rows. The list of a sample that is a dict has NULL for a text. */
t_TensorList *data_dataset_items(data_Dataset *dataset, int64_t index) {
    tg_Sample sample;
    return tg_dataset_get(dataset, index, &sample) ? tg_sample_items(&sample) : NULL;
}

t_TensorDict *data_dataset_dict(data_Dataset *dataset, int64_t index) {
    tg_Sample sample;
    return tg_dataset_get(dataset, index, &sample) ? tg_sample_dict(&sample) : NULL;
}

/* x, y = dataset[index]: the first two items. x or y may be NULL if it is not needed; *y is NULL if there is only one
 * item. */
bool data_dataset_get(data_Dataset *dataset, int64_t index, Tensor **x, Tensor **y) {
    tg_clear_output(x);
    tg_clear_output(y);
    const t_TensorList *items = data_dataset_items(dataset, index);
    if (!items) return false;
    if (x) *x = items->items[0];
    if (y) *y = items->len > 1 ? items->items[1] : NULL;
    return true;
}

bool tg_dataset_collect(data_Dataset *dataset, Tensor *index, tg_Sample *samples) {
    const int64_t *indices = tg_data(index);
    for (int64_t i = 0, n = tg_numel(index); i < n; i++)
        if (!tg_dataset_get(dataset, indices[i], &samples[i])) return false;
    return true;
}

/* The indices as 0 .. len - 1; a copy if some are negative. NULL if one is out of range. */
static Tensor *wrap_indices(data_Dataset *dataset, Tensor *index) {
    const int64_t len = data_dataset_len(dataset), n = tg_numel(index), *given = tg_data(index);
    bool ok = len >= 0, has_negative = false;
    for (int64_t i = 0; ok && i < n; i++) {
        int64_t at = given[i];
        has_negative |= at < 0;
        ok = wrap_index(&at, len);
    }
    Tensor *wrapped = ok && has_negative ? t_clone(index) : ok ? index : NULL;
    int64_t *values = wrapped && has_negative ? tg_data(wrapped) : NULL;
    for (int64_t i = 0; values && i < n; i++) ok = wrap_index(&values[i], len);
    return wrapped;
}

bool tg_dataset_gather(data_Dataset *dataset, Tensor *index, tg_Sample *batch) {
    if (dataset->is_a->gather) {
        Tensor *wrapped = wrap_indices(dataset, index);
        return wrapped && dataset->is_a->gather(dataset, wrapped, batch);
    }
    const int64_t n = tg_numel(index);
    tg_Sample *samples = tg_scope_alloc((size_t)n * sizeof *samples);
    return samples && tg_dataset_collect(dataset, index, samples) && tg_default_collate(samples, n, batch);
}

/* ---- datasets of the user's functions ---- */

int64_t tg_user_len(data_Dataset *self) {
    const int64_t failures = tg_thread.failures;
    const int depth = tg_scope_open_around_callback();
    const int64_t len = depth ? self->len(self->user.context) : -1;
    tg_scope_close(depth);
    if (tg_failed_since(failures)) return -1;
    if (len < 0) tg_fail("__len__() should return >= 0");
    return len;
}

void tg_dataset_set_names(data_Dataset *dataset, const char *const *names, int64_t count) {
    dataset->names = dataset->user.names;
    for (; dataset->names_len < count && names[dataset->names_len]; dataset->names_len++)
        dataset->user.names[dataset->names_len] = names[dataset->names_len];
}

bool tg_sample_of_user(const data_Dataset *dataset, tg_Sample *sample, Tensor *x, Tensor *y) {
    Tensor *const pair[2] = {x, y};
    if (x) {
        sample->tuple = t_list_new(pair, y ? 2 : 1);
        sample->is_bare = !y;
    }
    sample->names = dataset->names;
    sample->names_len = dataset->names_len;
    if (sample->dict && tg_check_dict(sample->dict, 1) && sample->dict->len > 0) return true;
    return sample->tuple && tg_check_list(sample->tuple, 1) && sample->tuple->len > 0;
}

/* What the function makes belongs to the caller's scope, also if it leaves scopes open. */
static bool user_get(data_Dataset *self, int64_t index, tg_Sample *sample) {
    Tensor *x = NULL, *y = NULL;
    void *context = self->user.context;
    const int64_t failures = tg_thread.failures;
    const int depth = tg_scope_open_around_callback();
    if (!depth) return false;
    if (self->get_dict) sample->dict = self->get_dict(context, index);
    else if (self->get_items) sample->tuple = self->get_items(context, index);
    else if (!self->get(context, index, &x, &y)) x = NULL;
    const bool ok = !tg_failed_since(failures) && tg_sample_of_user(self, sample, x, y);
    if (!ok && !t_error()) tg_fail("the dataset's get function returned no sample %lld", (long long)index);
    tg_scope_merge(depth);
    return ok;
}

static const tg_DatasetClass user_dataset = {.name = "Dataset", .len = tg_user_len, .get = user_get};

/* class X(Dataset) with __len__ and __getitem__ as two functions, which get the context of the options. The context
 * must live as long as the dataset; options->destroy is called with it when the dataset is released. Error: a function
 * is NULL. */
static data_Dataset *user_new(data_Len len, bool has_get, const data_DatasetOptions *options) {
    if (!len || !has_get) return tg_fail("argument %d is NULL where a function is expected", len ? 2 : 1);
    data_DatasetOptions user = {.size = sizeof user};
    if (!tg_take_options(&user, options, sizeof user)) return NULL;
    data_Dataset *self = tg_dataset_new(&user_dataset, NULL, 0);
    if (!self) return NULL;
    self->len = len;
    self->user = user;
    tg_dataset_set_names(self, user.names, DATA_MAX_NAMES);
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

data_Dataset *data_Dataset_of_dicts(data_Len len, data_GetDict get, const data_DatasetOptions *options) {
    data_Dataset *self = user_new(len, get != NULL, options);
    if (self) self->get_dict = get;
    return self;
}

/* ---- copies for workers ---- */

static bool copy_fields(data_Dataset *to, const data_Dataset *from) {
    if (from->indices && !(to->indices = tg_take_from_scope(t_clone(from->indices)))) return false;
    if (from->ends) {
        const size_t bytes = (size_t)from->count * sizeof *from->ends;
        if (!(to->ends = tg_alloc_raw(bytes))) return false;
        memcpy(to->ends, from->ends, bytes);
    }
    to->len = from->len;
    to->get = from->get, to->get_items = from->get_items, to->get_dict = from->get_dict;
    to->iter = from->iter, to->close = from->close;
    to->next = from->next, to->next_items = from->next_items, to->next_dict = from->next_dict;
    to->user = from->user;
    to->names = from->names;
    to->names_len = from->names_len;
    to->user.destroy = NULL;
    if (!from->user.copy) return true;
    to->user.context = from->user.copy(from->user.context);
    if (to->user.context) to->user.destroy = from->user.destroy;
    if (!to->user.context && !t_error()) tg_fail("the copy function of a dataset returned NULL");
    return to->user.context != NULL;
}

data_Dataset *tg_dataset_copy(data_Dataset *dataset) {
    if (dataset->is_a->copy) return dataset->is_a->copy(dataset);
    const size_t bytes = (size_t)dataset->count * sizeof(data_Dataset *);
    data_Dataset **parts = tg_alloc(bytes);
    bool ok = parts != NULL;
    for (int64_t i = 0; ok && i < dataset->count; i++) ok = (parts[i] = tg_dataset_copy(dataset->parts[i])) != NULL;
    data_Dataset *self = ok ? tg_dataset_new(dataset->is_a, parts, dataset->count) : NULL;
    tg_free(parts, bytes);
    if (self && copy_fields(self, dataset)) return self;
    if (self) t_release(tg_take_from_scope(self));
    return NULL;
}

bool tg_dataset_shares_context(const data_Dataset *dataset) {
    if (dataset->user.context && !dataset->user.copy) return true;
    for (int64_t i = 0; i < dataset->count; i++)
        if (tg_dataset_shares_context(dataset->parts[i])) return true;
    return false;
}
