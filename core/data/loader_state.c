/* core/data/loader_state.c: a DataLoader's state_dict and load_state_dict, to resume an interrupted epoch. Keys have
 * the names of torchdata's StatefulDataLoader where it has them. */
#include <inttypes.h>

#include "core/data/data_internal.h"
#include "core/data/sampler_internal.h"
#include "core/ops/creation/random_internal.h"
#include "core/ops/ops.h"

static bool read_integer(const t_TensorDict *dict, const char *name, int64_t *x) {
    const Tensor *saved = t_dict_get(dict, name);
    if (!saved || !tg_check_any(saved, 2)) return false;
    if (tg_is_floating(saved->dtype) || tg_numel(saved) != 1)
        return tg_fail("'%s' is of %s and of shape %s where one int or bool is expected", name,
                       tg_dtype_name(saved->dtype), tg_shape_of(saved));
    *x = tg_read_int64(saved);
    return true;
}

/* Error if a setting of the saved loader differs from this loader's. */
static bool check_same(const t_TensorDict *dict, const char *name, int64_t here) {
    int64_t there;
    if (!read_integer(dict, name, &there)) return false;
    return there == here ||
           tg_fail("loaded state dict is of a DataLoader whose %s is %" PRId64 ", but this one's is %" PRId64,
                   name, there, here);
}

static bool sampler_draws(const data_DataLoader *loader) {
    return loader->index_sampler && tg_sampler_base(loader->index_sampler)->is_a->draws;
}

/* The number of samples, -1 for a dataset without a len. */
static bool read_len(const data_DataLoader *loader, int64_t *samples) {
    const bool has_len = tg_dataset_has_len(loader->dataset);
    *samples = has_len ? data_dataset_len(loader->dataset) : -1;
    return !has_len || *samples >= 0;
}

static bool write_state(t_TensorDict *dict, const data_DataLoader *loader) {
    const tg_Epoch *epoch = &loader->epoch;
    int64_t samples;
    bool ok = read_len(loader, &samples) && t_dict_set_integer(dict, "_num_yielded", epoch->yielded) &&
              t_dict_set_integer(dict, "_base_seed", epoch->base_seed) &&
              t_dict_set_integer(dict, "_sampler_iter_yielded", epoch->drawn) &&
              t_dict_set(dict, "_iterator_finished", t_boolean(!epoch->is_running)) &&
              t_dict_set_integer(dict, "dataset_len", samples) &&
              t_dict_set_integer(dict, "batch_size", loader->batch_size) &&
              t_dict_set_integer(dict, "shuffle", loader->shuffle) &&
              t_dict_set_integer(dict, "drop_last", loader->drop_last) &&
              t_dict_set_integer(dict, "has_begun", epoch->has_begun);
    if (ok && epoch->has_begun && sampler_draws(loader))
        ok = t_dict_set(dict, "_sampler_iter_state", tg_engine_state(&epoch->engine));
    if (ok && loader->generator) ok = t_dict_set(dict, "generator", t_generator_get_state(loader->generator));
    return ok;
}

t_TensorDict *data_state_dict(const data_DataLoader *loader) {
    int depth = tg_check_loader(loader) ? t_scope_open() : 0;
    t_TensorDict *dict = depth ? t_dict_new() : NULL;
    dict = dict && write_state(dict, loader) ? dict : NULL;
    return tg_scope_return(depth, dict);
}

static bool read_engine(const t_TensorDict *dict, const char *name, tg_MT19937 *engine) {
    Tensor *state = t_dict_get(dict, name);
    return state && tg_engine_set_state(engine, state);
}

static bool read_state(const data_DataLoader *loader, const t_TensorDict *dict, tg_Epoch *epoch,
                       tg_MT19937 *generator) {
    int64_t samples;
    if (!read_len(loader, &samples)) return false;
    const int64_t total = tg_loader_len(loader);
    if (!check_same(dict, "dataset_len", samples) ||
        !check_same(dict, "batch_size", loader->batch_size) ||
        !check_same(dict, "shuffle", loader->shuffle) ||
        !check_same(dict, "drop_last", loader->drop_last)) return false;
    int64_t yielded, finished, has_begun;
    if (!read_integer(dict, "_num_yielded", &yielded) || !read_integer(dict, "_iterator_finished", &finished) ||
        !read_integer(dict, "has_begun", &has_begun)) return false;
    int64_t drawn = yielded; /* a state of a version that did not count them has the default */
    if (tg_dict_find(dict, "_sampler_iter_yielded") && !read_integer(dict, "_sampler_iter_yielded", &drawn))
        return false;
    int64_t base_seed = 0;
    if (tg_dict_find(dict, "_base_seed") && !read_integer(dict, "_base_seed", &base_seed)) return false;
    if (yielded < 0 || (total >= 0 && yielded > total))
        return tg_fail("loaded state dict counts %" PRId64 " batches, but an epoch has %" PRId64, yielded, total);
    *epoch = (tg_Epoch){.is_running = !finished, .has_begun = has_begun != 0, .yielded = yielded,
                        .base_seed = base_seed, .drawn = drawn > yielded ? drawn : yielded};
    if (epoch->is_running && epoch->has_begun && sampler_draws(loader) &&
        !read_engine(dict, "_sampler_iter_state", &epoch->engine)) return false;
    if (!loader->generator && tg_dict_find(dict, "generator"))
        return tg_fail("loaded state dict is of a DataLoader with a generator, but this one has none");
    return !loader->generator || (tg_engine(loader->generator) && read_engine(dict, "generator", generator));
}

bool data_load_state_dict(data_DataLoader *loader, const t_TensorDict *state_dict) {
    tg_Epoch epoch;
    tg_MT19937 generator;
    if (!tg_check_loader(loader) || !tg_check_dict(state_dict, 2)) return false;
    if (!read_state(loader, state_dict, &epoch, &generator)) return false;
    if (loader->generator) *tg_engine(loader->generator) = generator;
    loader->epoch = epoch;
    loader->resumes = epoch.is_running;
    return true;
}
