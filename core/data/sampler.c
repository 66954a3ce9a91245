/* core/data/sampler.c: torch.utils.data's samplers: the classes, and how each draws its indices. */
#include "core/data/sampler.h"

#include <string.h>

#include "core/data/data_internal.h"
#include "core/data/sampler_internal.h"
#include "core/kernels/random/distributions.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"
#include "core/tensor/size_arithmetic.h"

/* ---- the object ---- */

static void sampler_destroy(void *object) {
    data_Sampler *self = object;
    tg_object_dispose(&self->object);
    if (self->user.destroy) self->user.destroy(self->user.context);
    t_release(self->dataset);
    t_release(self->base);
    t_release(self->values);
    t_release(self->generator);
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class sampler_class = {"Sampler", sampler_destroy};

static data_Sampler *sampler_new(const tg_SamplerClass *is_a, data_Dataset *dataset, Tensor *values,
                                 t_Generator *generator) {
    data_Sampler *self = tg_alloc(sizeof *self);
    if (!self) return NULL;
    self->is_a = is_a;
    self->dataset = t_retain(dataset);
    self->values = t_retain(values);
    self->generator = t_retain(generator);
    tg_object_init(&self->object, &sampler_class);
    return self;
}

bool tg_check_sampler(const data_Sampler *sampler, int position) {
    if (!sampler)
        return t_error() ? false : tg_fail("argument %d is NULL where a sampler is expected", position) != NULL;
    return sampler->object.is_a == &sampler_class || tg_fail("argument %d is not a live sampler", position);
}

static bool check_generator(t_Generator *generator) {
    return generator ? tg_engine(generator) != NULL : !t_error();
}

static bool check_num_samples(int64_t num_samples) {
    return num_samples > 0 || tg_fail("num_samples should be a positive integer value, but got num_samples=%lld",
                                      (long long)num_samples);
}

/* ---- SequentialSampler ---- */

static int64_t len_of_dataset(data_Sampler *self) {
    return data_dataset_len(self->dataset);
}

static const tg_SamplerClass sequential_sampler = {"SequentialSampler", false, false, len_of_dataset, NULL};

/* SequentialSampler(data_source): 0, 1, ... len(data_source) - 1. */
data_Sampler *data_SequentialSampler_new(data_Dataset *data_source) {
    return tg_check_dataset(data_source, 1) ? sampler_new(&sequential_sampler, data_source, NULL, NULL) : NULL;
}

/* ---- RandomSampler ---- */

const data_RandomSamplerOptions data_RandomSamplerDefaults = {DATA_RANDOM_SAMPLER_DEFAULTS_};

static int64_t random_len(data_Sampler *self) {
    return self->num_samples == T_NONE ? data_dataset_len(self->dataset) : self->num_samples;
}

enum { CHUNK = 32 }; /* of the draws with replacement, as PyTorch's */

/* With replacement: randint in chunks of 32, and a last smaller one, which may be empty. */
static bool draw_with_replacement(data_Sampler *self, tg_SamplerIter *iter, Tensor **chunk) {
    const int64_t total = random_len(self), left = total - CHUNK * iter->chunk_number;
    if (total < 0 || iter->chunk_number > total / CHUNK) return false;
    const int64_t count = left < CHUNK ? left : CHUNK;
    if (iter->n < 1)
        return tg_fail("random_ expects 'from' to be less than 'to', but got from=0 >= to=%lld", (long long)iter->n);
    if (!(*chunk = tg_empty(&count, 1, t_int64))) return false;
    tg_fill_randint(tg_sampler_engine(iter), tg_data(*chunk), count, 0, iter->n);
    return true;
}

/* Without: permutations of all samples, num_samples / n of them, and one more, of which num_samples % n are used: none
 * for the usual num_samples = n. That one is drawn after the last index was taken, and so affects the draws of a next
 * iteration with the same generator. */
static bool draw_permutation(data_Sampler *self, tg_SamplerIter *iter, Tensor **chunk) {
    const int64_t total = random_len(self), n = iter->n;
    if (total < 0) return false;
    if (n < 1) return tg_fail("integer division or modulo by zero");
    if (iter->chunk_number > total / n || !(*chunk = tg_empty(&n, 1, t_int64))) return false;
    tg_randperm(tg_sampler_engine(iter), tg_data(*chunk), n);
    if (iter->chunk_number == total / n) (*chunk)->shape[0] = total % n;
    return true;
}

static bool draw_random(data_Sampler *self, tg_SamplerIter *iter, Tensor **chunk) {
    return (self->replacement ? draw_with_replacement : draw_permutation)(self, iter, chunk);
}

static const tg_SamplerClass random_sampler = {"RandomSampler", false, true, random_len, draw_random};

/* RandomSampler(data_source, replacement=False, num_samples=None, generator=None): a permutation of the samples, or
 * num_samples of them; with replacement each is drawn from all. Without generator, each iteration takes a seed from the
 * default generator. Error: num_samples, or len(data_source), is below 1. */
data_Sampler *data_RandomSampler_new(data_Dataset *data_source, const data_RandomSamplerOptions *options) {
    data_RandomSamplerOptions o = data_RandomSamplerDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_dataset(data_source, 1)) return NULL;
    const int64_t num_samples = o.num_samples == T_NONE ? data_dataset_len(data_source) : o.num_samples;
    if (num_samples == -1 && o.num_samples == T_NONE) return NULL;
    if (!check_generator(o.generator) || !check_num_samples(num_samples)) return NULL;
    data_Sampler *self = sampler_new(&random_sampler, data_source, NULL, o.generator);
    if (!self) return NULL;
    self->replacement = o.replacement;
    self->num_samples = o.num_samples;
    return self;
}

/* ---- SubsetRandomSampler ---- */

static int64_t len_of_values(data_Sampler *self) {
    return tg_numel(self->values);
}

static bool draw_subset(data_Sampler *self, tg_SamplerIter *iter, Tensor **chunk) {
    const int64_t n = len_of_values(self), *values = tg_data(self->values);
    if (iter->chunk_number > 0 || !(*chunk = tg_empty(&n, 1, t_int64))) return false;
    int64_t *out = tg_data(*chunk);
    tg_randperm(tg_sampler_engine(iter), out, n);
    for (int64_t i = 0; i < n; i++) out[i] = values[out[i]];
    return true;
}

static const tg_SamplerClass subset_random_sampler = {"SubsetRandomSampler", false, true, len_of_values, draw_subset};

/* SubsetRandomSampler(indices, generator=None): the indices, 1-D int64, in a random order. */
data_Sampler *data_SubsetRandomSampler_new(Tensor *indices, t_Generator *generator) {
    if (!tg_check_any(indices, 1) || !check_generator(generator)) return NULL;
    if (indices->dtype != t_int64 || indices->ndim != 1)
        return tg_fail("indices should be a 1d sequence of int64, but are %s of shape %s",
                       tg_dtype_name(indices->dtype), tg_shape_of(indices));
    Tensor *own = t_contiguous(indices);
    return own ? sampler_new(&subset_random_sampler, NULL, own, generator) : NULL;
}

/* ---- WeightedRandomSampler ---- */

const data_WeightedRandomSamplerOptions data_WeightedRandomSamplerDefaults = {DATA_WEIGHTED_RANDOM_SAMPLER_DEFAULTS_};

static int64_t num_samples_of(data_Sampler *self) {
    return self->num_samples;
}

/* multinomial takes a generator: an iteration with an engine of its own lends it one. */
static bool draw_weighted(data_Sampler *self, tg_SamplerIter *iter, Tensor **chunk) {
    if (iter->chunk_number > 0) return false;
    t_Generator *generator = iter->has_own ? t_generator() : self->generator;
    if (iter->has_own && !generator) return false;
    if (iter->has_own) generator->engine = iter->own;
    *chunk = t_multinomial(self->values, self->num_samples, self->replacement, generator);
    if (iter->has_own) iter->own = generator->engine;
    return *chunk != NULL;
}

static const tg_SamplerClass weighted_random_sampler = {"WeightedRandomSampler", false, true, num_samples_of,
                                                        draw_weighted};

/* The shape is a tuple in this text: "(2, 3)". */
static data_Sampler *refuse_shape(const Tensor *weights) {
    const char *shape = tg_shape_of(weights);
    const int inside = (int)strlen(shape) - 2;
    return tg_fail("weights should be a 1d sequence but given weights have shape (%.*s)", inside, shape + 1);
}

/* WeightedRandomSampler(weights, num_samples, replacement=True, generator=None): num_samples indices, i with a
 * probability proportional to weights[i] (computed in float64, as torch.multinomial, whose errors it has). Errors:
 * num_samples below 1; weights are not 1-D. */
data_Sampler *data_WeightedRandomSampler_new(Tensor *weights, int64_t num_samples,
                                             const data_WeightedRandomSamplerOptions *options) {
    data_WeightedRandomSamplerOptions o = data_WeightedRandomSamplerDefaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_any(weights, 1) || !check_generator(o.generator))
        return NULL;
    if (!check_num_samples(num_samples)) return NULL;
    if (weights->ndim != 1) return refuse_shape(weights);
    int depth = t_scope_open();
    Tensor *own = depth ? t_to(t_detach(weights), t_float64) : NULL;
    data_Sampler *self = own ? sampler_new(&weighted_random_sampler, NULL, own, o.generator) : NULL;
    if (self) self->num_samples = num_samples;
    if (self) self->replacement = o.replacement;
    return tg_scope_return(depth, self);
}

/* ---- DistributedSampler ---- */

const data_DistributedSamplerOptions data_DistributedSamplerDefaults = {DATA_DISTRIBUTED_SAMPLER_DEFAULTS_};

static int64_t rounded_up(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

/* Without drop_last the order is continued from its beginning until the replicas get the same number of samples. */
static bool draw_distributed(data_Sampler *self, tg_SamplerIter *iter, Tensor **chunk) {
    const int64_t n = iter->n, count = self->num_samples;
    if (iter->chunk_number > 0) return false;
    Tensor *all = tg_empty(&n, 1, t_int64);
    if (!all || !(*chunk = tg_empty(&count, 1, t_int64))) return false;
    int64_t *order = tg_data(all), *out = tg_data(*chunk);
    for (int64_t i = 0; i < n; i++) order[i] = i;
    if (self->shuffle) tg_randperm(tg_sampler_engine(iter), order, n);
    if (n < 1 && count > 0) return tg_fail("integer division or modulo by zero");
    for (int64_t i = 0; i < count; i++) out[i] = order[(self->rank + i * self->num_replicas) % n];
    return true;
}

static const tg_SamplerClass distributed_sampler = {"DistributedSampler", false, true, num_samples_of,
                                                    draw_distributed};

/* DistributedSampler(dataset, num_replicas, rank, shuffle=True, seed=0, drop_last=False): every num_replicas-th sample,
 * from the rank-th on, of a shuffle drawn from a generator of the seed seed + epoch. There are no process groups, so
 * that num_replicas and rank have no defaults. Error: rank is not in 0 .. num_replicas - 1. */
data_Sampler *data_DistributedSampler_new(data_Dataset *dataset, int64_t num_replicas, int64_t rank,
                                          const data_DistributedSamplerOptions *options) {
    data_DistributedSamplerOptions o = data_DistributedSamplerDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (rank >= num_replicas || rank < 0)
        return tg_fail("Invalid rank %lld, rank should be in the interval [0, %lld]", (long long)rank,
                       (long long)tg_size_sub(num_replicas, 1));
    const int64_t len = data_dataset_len(dataset);
    data_Sampler *self = len < 0 ? NULL : sampler_new(&distributed_sampler, dataset, NULL, NULL);
    if (!self) return NULL;
    self->num_replicas = num_replicas;
    self->rank = rank;
    self->shuffle = o.shuffle;
    self->seed = o.seed;
    self->num_samples = o.drop_last ? len / num_replicas : rounded_up(len, num_replicas);
    return self;
}

/* sampler.set_epoch(epoch): the next iterations use the shuffle of that epoch. Error: not a DistributedSampler. */
bool data_set_epoch(data_Sampler *sampler, int64_t epoch) {
    if (!tg_check_sampler(sampler, 1)) return false;
    if (sampler->is_a != &distributed_sampler)
        return tg_fail("'%s' object has no attribute 'set_epoch'", sampler->is_a->name);
    sampler->epoch = epoch;
    return true;
}

/* ---- BatchSampler ---- */

static int64_t batch_len(data_Sampler *self) {
    const int64_t len = data_sampler_len(self->base);
    if (len < 0) return -1;
    return self->drop_last ? len / self->batch_size : rounded_up(len, self->batch_size);
}

static const tg_SamplerClass batch_sampler = {"BatchSampler", true, false, batch_len, NULL};

/* BatchSampler(sampler, batch_size, drop_last): batches of batch_size consecutive indices of the sampler; the last one
 * may be smaller, or is dropped. Errors: batch_size below 1; the sampler has batches itself. */
data_Sampler *data_BatchSampler_new(data_Sampler *sampler, int64_t batch_size, bool drop_last) {
    if (!tg_check_sampler(sampler, 1)) return NULL;
    if (batch_size < 1)
        return tg_fail("batch_size should be a positive integer value, but got batch_size=%lld", (long long)batch_size);
    if (sampler->is_a->has_batches) return tg_fail("a BatchSampler takes a sampler of single indices, not of batches");
    data_Sampler *self = sampler_new(&batch_sampler, NULL, NULL, NULL);
    if (!self) return NULL;
    self->base = t_retain(sampler);
    self->batch_size = batch_size;
    self->drop_last = drop_last;
    return self;
}

const data_Sampler *tg_sampler_base(const data_Sampler *sampler) {
    return sampler->base ? sampler->base : sampler;
}

/* ---- samplers of the user's functions ---- */

static int64_t user_len(data_Sampler *self) {
    if (self->user.len) return self->user.len(self->user.context);
    tg_fail("object of type 'Sampler' has no len()");
    return -1;
}

static bool check_indices(const Tensor *indices) {
    if (!indices) return t_error() ? false : tg_fail("the sampler's function returned no indices") != NULL;
    if (!tg_check_any(indices, 1)) return false;
    return (indices->dtype == t_int64 && indices->ndim == 1) ||
           tg_fail("the sampler's function returned %s of shape %s where 1-D int64 is expected",
                   tg_dtype_name(indices->dtype), tg_shape_of(indices));
}

static bool draw_by_user(data_Sampler *self, tg_SamplerIter *iter, Tensor **chunk) {
    if (iter->chunk_number > 0) return false;
    Tensor *indices = self->iter(self->user.context);
    return check_indices(indices) && (*chunk = t_contiguous(indices)) != NULL;
}

/* The batches of a user's batch sampler are kept in the iteration; each is a chunk. */
static bool draw_batch_by_user(data_Sampler *self, tg_SamplerIter *iter, Tensor **chunk) {
    if (!iter->batches) {
        t_TensorList *batches = self->batches(self->user.context);
        if (!batches) return t_error() ? false : tg_fail("the sampler's function returned no batches") != NULL;
        if (!tg_check_list(batches, 1) || !(iter->batches = t_list_new(batches->items, batches->len))) return false;
        tg_take_from_scope(iter->batches);
    }
    if (iter->chunk_number >= iter->batches->len) return false;
    Tensor *indices = iter->batches->items[iter->chunk_number];
    if (!check_indices(indices)) return false;
    if (tg_numel(indices) == 0) return tg_fail("batch %lld of the sampler has no indices",
                                               (long long)iter->chunk_number);
    return (*chunk = t_contiguous(indices)) != NULL;
}

static const tg_SamplerClass user_sampler = {"Sampler", false, false, user_len, draw_by_user};
static const tg_SamplerClass user_batch_sampler = {"Sampler", true, false, user_len, draw_batch_by_user};

static data_Sampler *user_new(const tg_SamplerClass *is_a, bool has_iter, const data_SamplerOptions *options) {
    data_SamplerOptions user = {.size = sizeof user};
    if (!tg_check_given(has_iter, 1, "a function") || !tg_take_options(&user, options, sizeof user)) return NULL;
    data_Sampler *self = sampler_new(is_a, NULL, NULL, NULL);
    if (self) self->user = user;
    return self;
}

/* class X(Sampler) with __iter__, and __len__ among the options. The context must live as long as the sampler. */
data_Sampler *data_Sampler_new(data_SamplerIter iter, const data_SamplerOptions *options) {
    data_Sampler *self = user_new(&user_sampler, iter != NULL, options);
    if (self) self->iter = iter;
    return self;
}

data_Sampler *data_Sampler_of_batches(data_BatchesIter iter, const data_SamplerOptions *options) {
    data_Sampler *self = user_new(&user_batch_sampler, iter != NULL, options);
    if (self) self->batches = iter;
    return self;
}

int64_t data_sampler_len(data_Sampler *sampler) {
    return tg_check_sampler(sampler, 1) ? sampler->is_a->len(sampler) : -1;
}
