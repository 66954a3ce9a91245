/* core/data/sampler_iter.c: an iteration over a sampler: iter(sampler), next(it), list(sampler).
 *
 * Nothing is drawn before the first index is asked for. Then a RandomSampler without a generator takes a seed from the
 * default generator, for an engine of this iteration alone; the other samplers draw from their generator directly. */
#include <string.h>

#include "core/data/data_internal.h"
#include "core/data/sampler_internal.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"

tg_SamplerIter *tg_sampler_iter(data_Sampler *sampler) {
    tg_SamplerIter *iter = tg_alloc(sizeof *iter);
    if (!iter) return NULL;
    if (sampler->base && !(iter->base = tg_sampler_iter(sampler->base))) {
        tg_free(iter, sizeof *iter);
        return NULL;
    }
    iter->sampler = t_retain(sampler);
    return iter;
}

void tg_sampler_iter_end(tg_SamplerIter *iter) {
    if (!iter) return;
    tg_sampler_iter_end(iter->base);
    t_release(iter->sampler);
    t_release(iter->chunk);
    t_release(iter->batches);
    tg_free(iter, sizeof *iter);
}

/* ---- the engine ---- */

tg_MT19937 *tg_sampler_engine(tg_SamplerIter *iter) {
    return iter->has_own ? &iter->own : tg_engine(iter->sampler->generator);
}

/* True for a RandomSampler without generator, and a DistributedSampler. */
static bool seeds_own_engine(const data_Sampler *self) {
    return self->is_a->draws && self->dataset && !self->generator;
}

static bool begin(tg_SamplerIter *iter) {
    data_Sampler *self = iter->sampler;
    if (self->dataset && (iter->n = data_dataset_len(self->dataset)) < 0) return false;
    iter->has_begun = true;
    if (!self->is_a->draws || iter->has_own) return true; /* has_own: it is resumed */
    tg_MT19937 *engine = tg_engine(self->generator);
    if (!engine) return false;
    if (seeds_own_engine(self)) {
        const bool is_distributed = self->num_replicas > 0;
        tg_mt_seed(&iter->own, (uint64_t)(is_distributed ? self->seed + self->epoch : tg_mt_random_i64(engine)));
        iter->has_own = true;
        engine = &iter->own;
    }
    iter->before = *engine;
    return true;
}

bool tg_sampler_iter_resume(tg_SamplerIter *iter, const tg_MT19937 *before) {
    if (iter->base) return tg_sampler_iter_resume(iter->base, before);
    iter->own = iter->before = *before;
    iter->has_own = true;
    iter->has_copy = !seeds_own_engine(iter->sampler);
    return begin(iter);
}

void tg_sampler_iter_resumed(tg_SamplerIter *iter) {
    if (iter->base) tg_sampler_iter_resumed(iter->base);
    else if (iter->has_copy) iter->has_own = iter->has_copy = false;
}

const tg_MT19937 *tg_sampler_iter_before(const tg_SamplerIter *iter) {
    if (iter->base) iter = iter->base;
    return iter->has_begun && iter->sampler->is_a->draws ? &iter->before : NULL;
}

/* ---- indices and batches ---- */

/* Draws the next chunk. 1, 0 at the end, -1 on an error. */
static int next_chunk(tg_SamplerIter *iter) {
    const int64_t failures = tg_thread.failures;
    int depth = tg_scope_open_around_callback();
    Tensor *chunk = NULL;
    const bool ok = depth && (!iter->sampler->is_a->draws || tg_sampler_engine(iter)) &&
                    iter->sampler->is_a->draw(iter->sampler, iter, &chunk);
    if (ok) {
        t_release(iter->chunk);
        iter->chunk = t_retain(chunk);
        iter->chunk_number++;
        iter->at = 0;
    }
    tg_scope_close(depth);
    if (ok) return 1;
    if (!depth || tg_failed_since(failures)) return -1;
    iter->is_exhausted = true;
    return 0;
}

int tg_sampler_next(tg_SamplerIter *iter, int64_t *index) {
    if (!iter->has_begun && !begin(iter)) return -1;
    if (!iter->sampler->is_a->draw) {
        *index = iter->at;
        return iter->at < iter->n && ++iter->at;
    }
    if (iter->is_exhausted) return 0;
    while (!iter->chunk || iter->at >= iter->chunk->shape[0]) {
        const int got = next_chunk(iter);
        if (got != 1) return got;
    }
    *index = ((const int64_t *)tg_data(iter->chunk))[iter->at++];
    return 1;
}

/* Up to batch_size indices of the sampler under a BatchSampler. *got is tg_sampler_next's last result. */
static Tensor *collect(tg_SamplerIter *base, int64_t batch_size, int *got) {
    int64_t capacity = batch_size < 256 ? batch_size : 256, count = 0;
    Tensor *indices = tg_empty(&capacity, 1, t_int64);
    for (int64_t index; indices && count < batch_size && (*got = tg_sampler_next(base, &index)) == 1; count++) {
        if (count == capacity) {
            const int64_t before = capacity;
            capacity = batch_size / 2 < before ? batch_size : 2 * before;
            Tensor *larger = tg_empty(&capacity, 1, t_int64);
            if (larger) memcpy(tg_data(larger), tg_data(indices), (size_t)before * sizeof index);
            indices = larger;
            if (!larger) break;
        }
        ((int64_t *)tg_data(indices))[count] = index;
    }
    if (indices) indices->shape[0] = count;
    else *got = -1;
    return indices;
}

static int next_batch_of_base(tg_SamplerIter *iter, Tensor **indices) {
    const data_Sampler *self = iter->sampler;
    int got = 1;
    if (iter->is_exhausted) return 0;
    *indices = collect(iter->base, self->batch_size, &got);
    if (got < 0) return -1;
    const int64_t count = tg_numel(*indices);
    if (got == 1 || (count > 0 && !self->drop_last)) return 1;
    iter->is_exhausted = true;
    return 0;
}

int tg_sampler_next_batch(tg_SamplerIter *iter, Tensor **indices) {
    if (iter->base) return next_batch_of_base(iter, indices);
    if (!iter->has_begun && !begin(iter)) return -1;
    const int got = iter->is_exhausted ? 0 : next_chunk(iter);
    if (got == 1) *indices = tg_add_to_scope(iter->chunk);
    return got;
}

/* ---- list(sampler) ---- */

/* A list that fails has drawn nothing: the generator that the sampler draws from, if it does. */
static bool draws_begin(tg_Draws *draws, data_Sampler *sampler) {
    const data_Sampler *base = tg_sampler_base(sampler);
    *draws = (tg_Draws){.engine = NULL};
    return !base->is_a->draws || tg_draws_begin(draws, base->generator);
}

static void draws_end(const tg_Draws *draws, bool ok) {
    if (draws->engine) tg_draws_end(draws, ok);
}

/* The indices of one iteration. Error: a batch sampler. */
Tensor *data_sampler_list(data_Sampler *sampler) {
    if (!tg_check_sampler(sampler, 1)) return NULL;
    if (sampler->is_a->has_batches) return tg_fail("a batch sampler's list is data_sampler_batches");
    tg_Draws draws;
    if (!draws_begin(&draws, sampler)) return NULL;
    tg_SamplerIter *iter = tg_sampler_iter(sampler);
    int got = -1;
    Tensor *all = iter ? collect(iter, INT64_MAX, &got) : NULL;
    tg_sampler_iter_end(iter);
    draws_end(&draws, got >= 0);
    return got < 0 ? NULL : all;
}

/* The batches of one iteration, each 1-D int64. Error: not a batch sampler. */
t_TensorList *data_sampler_batches(data_Sampler *sampler) {
    if (!tg_check_sampler(sampler, 1)) return NULL;
    if (!sampler->is_a->has_batches) return tg_fail("the list of a sampler of single indices is data_sampler_list");
    tg_Draws draws;
    if (!draws_begin(&draws, sampler)) return NULL;
    tg_SamplerIter *iter = tg_sampler_iter(sampler);
    t_TensorList *all = iter ? t_list_new(NULL, 0) : NULL;
    int got = all ? 1 : -1;
    for (Tensor *indices; got == 1;) {
        got = tg_sampler_next_batch(iter, &indices);
        if (got == 1 && !t_list_append(all, indices)) got = -1;
    }
    tg_sampler_iter_end(iter);
    draws_end(&draws, got >= 0);
    return got < 0 ? NULL : all;
}
