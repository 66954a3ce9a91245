/* core/ops/generator.c: torch.Generator, and the thread's default one. */
#include <time.h>

#include "core/context.h"
#include "core/ops/random.h"

static void generator_destroy(void *object) {
    tg_object_dispose(object);
    tg_object_free(object, sizeof(t_Generator));
}

static const t_Class generator_class = {"Generator", generator_destroy};

static t_Generator *generator_new(uint64_t seed) {
    t_Generator *g = tg_alloc(sizeof *g);
    if (!g) return NULL;
    tg_object_init(&g->object, &generator_class);
    tg_mt_seed(&g->engine, seed);
    return g;
}

/* torch.Generator(): owned by the scope like every object. */
t_Generator *t_generator(void) {
    return generator_new(TG_MT_DEFAULT_SEED);
}

t_Generator *t_default_generator(void) {
    Context *thread = tg_context();
    if (!thread->generator) {
        struct timespec now = {0};
        timespec_get(&now, TIME_UTC);
        uint64_t seed = (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)&now;
        thread->generator = tg_take(generator_new(seed));
    }
    return thread->generator;
}

tg_MT19937 *tg_engine(t_Generator *generator) {
    if (!generator) generator = t_error() ? NULL : t_default_generator();
    if (!generator) return NULL;
    if (generator->object.is_a == &generator_class) return &generator->engine;
    return tg_fail("the generator argument is not a live generator");
}

/* generator.manual_seed(seed): only the low 32 bits count; the normal that waits in the cache is dropped. */
t_Generator *t_generator_manual_seed(t_Generator *generator, int64_t seed) {
    tg_MT19937 *engine = generator ? tg_engine(generator) : NULL;
    if (!engine) return t_error() ? NULL : tg_fail("argument 1 is NULL where a generator is expected");
    tg_mt_seed(engine, (uint64_t)seed);
    return generator;
}

void t_manual_seed(int64_t seed) {
    t_Generator *generator = t_default_generator();
    if (generator) tg_mt_seed(&generator->engine, (uint64_t)seed);
}

int64_t t_random_int64(t_Generator *generator) {
    tg_MT19937 *engine = tg_engine(generator);
    return engine ? tg_mt_random_i64(engine) : -1;
}
