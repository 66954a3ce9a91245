/* core/ops/creation/generator.c: torch.Generator, and the thread's default generator. */
#include <string.h>
#include <time.h>

#include "core/ops/creation/random_internal.h"
#include "core/ops/pointwise/pointwise_internal.h"

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

/* torch.Generator(): owned by the scope, as every object. */
t_Generator *t_generator(void) {
    return generator_new(TG_MT_DEFAULT_SEED);
}

/* torch.default_generator: the thread's own, seeded from the clock when it is first used. */
t_Generator *t_default_generator(void) {
    Context *thread = tg_context();
    if (!thread->generator) {
        struct timespec now = {0};
        timespec_get(&now, TIME_UTC);
        uint64_t seed = (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)&now;
        thread->generator = tg_take_from_scope(generator_new(seed));
    }
    return thread->generator;
}

tg_MT19937 *tg_engine(t_Generator *generator) {
    if (!generator) generator = t_error() ? NULL : t_default_generator();
    if (!generator) return NULL;
    if (generator->object.is_a == &generator_class) return &generator->engine;
    return tg_fail("the generator argument is not a live generator");
}

bool tg_draws_begin(tg_Draws *draws, t_Generator *generator) {
    draws->engine = tg_engine(generator);
    if (draws->engine) draws->before = *draws->engine;
    return draws->engine != NULL;
}

void tg_draws_end(const tg_Draws *draws, bool ok) {
    if (!ok) *draws->engine = draws->before;
}

/* generator.manual_seed(seed): only the low 32 bits are used; a cached normal value is dropped. */
t_Generator *t_generator_manual_seed(t_Generator *generator, int64_t seed) {
    tg_MT19937 *engine = generator ? tg_engine(generator) : NULL;
    if (!engine) return t_error() ? NULL : tg_fail("argument 1 is NULL where a generator is expected");
    tg_mt_seed(engine, (uint64_t)seed);
    return generator;
}

/* torch.manual_seed(seed): of the default generator. */
void t_manual_seed(int64_t seed) {
    t_Generator *generator = t_default_generator();
    if (generator) tg_mt_seed(&generator->engine, (uint64_t)seed);
}

/* torch.initial_seed(), generator.initial_seed(): what manual_seed was last given, or the seed from the clock, as
 * Python's unsigned 64 bits in an int64_t. -1 on an error. */
int64_t t_initial_seed(void) {
    return t_generator_initial_seed(t_default_generator());
}

int64_t t_generator_initial_seed(t_Generator *generator) {
    const tg_MT19937 *engine = generator ? tg_engine(generator) : NULL;
    if (engine) return (int64_t)engine->seed;
    if (!t_error()) tg_fail("argument 1 is NULL where a generator is expected");
    return -1;
}

/* torch.empty((), dtype=torch.int64).random_().item(): a random 63-bit integer, -1 on error. */
int64_t t_random_int64(t_Generator *generator) {
    tg_MT19937 *engine = tg_engine(generator);
    return engine ? tg_mt_random_i64(engine) : -1;
}

/* ---- the state as a tensor ---- */

/* The bytes of PyTorch's state. A seeded engine that has not drawn has next 0 and left 1; after k outputs of a block
 * they are k and 625 - k. The cached normal is normal_y; PyTorch does not use the other fields about normals any
 * more. */
typedef struct State {
    uint64_t seed;
    int32_t left, seeded;
    uint64_t next, words[TG_MT_N];
    double normal_x, normal_y, normal_rho;
    int32_t has_normal, unused[3];
} State;
enum { STATE = 5056 };
_Static_assert(sizeof(State) == STATE, "PyTorch's CPUGeneratorImplState");

static bool has_drawn(const tg_MT19937 *engine) {
    return engine->outputs[1] || engine->outputs[2]; /* no output has been tempered before the first one */
}

Tensor *tg_engine_state(const tg_MT19937 *engine) {
    const int32_t read = has_drawn(engine) ? engine->next - 1 : 0;
    State state = {.seed = engine->seed, .left = read ? TG_MT_N + 1 - read : 1, .seeded = 1, .next = (uint64_t)read,
                   .normal_y = engine->has_normal ? engine->normal : 0, .has_normal = engine->has_normal};
    for (int i = 0; i < TG_MT_N; i++) state.words[i] = engine->state[i];
    const int64_t size = STATE;
    Tensor *x = tg_empty(&size, 1, t_int64);
    for (int i = 0; x && i < STATE; i++) ((int64_t *)tg_data(x))[i] = ((const unsigned char *)&state)[i];
    return x;
}

static bool read_state(State *state, Tensor *x) {
    if (!tg_check_any(x, 1)) return false;
    if (x->dtype != t_int64 && x->dtype != t_uint8)
        return tg_fail("RNG state must be a tensor of uint8, as PyTorch's files have it, or int64, not %s",
                       tg_dtype_name(x->dtype));
    if (tg_numel(x) != STATE)
        return tg_fail("Expected a CPUGeneratorImplState of size %d but found the input RNG state size to be %lld",
                       STATE, (long long)tg_numel(x));
    int depth = t_scope_open();
    const Tensor *contiguous = depth ? t_contiguous(x) : NULL;
    bool ok = contiguous != NULL;
    for (int i = 0; ok && i < STATE; i++) {
        const int64_t byte = contiguous->dtype == t_uint8 ? ((const uint8_t *)tg_data(contiguous))[i]
                                                          : ((const int64_t *)tg_data(contiguous))[i];
        ok = (byte >= 0 && byte < 256) ||
             tg_fail("element %d of the RNG state is %lld, which is not a byte", i, (long long)byte);
        ((unsigned char *)state)[i] = (unsigned char)byte;
    }
    t_scope_close(depth);
    return ok;
}

bool tg_engine_set_state(tg_MT19937 *engine, Tensor *x) {
    State state;
    if (!read_state(&state, x)) return false;
    const int64_t left = state.left;
    if (state.seeded != 1 || state.next > TG_MT_N || left != (state.next ? TG_MT_N + 1 - (int64_t)state.next : 1))
        return tg_fail("Invalid mt19937 state");
    uint32_t words[TG_MT_N];
    for (int i = 0; i < TG_MT_N; i++) words[i] = (uint32_t)state.words[i];
    *engine = (tg_MT19937){.next = TG_MT_END, .seed = state.seed, .has_normal = state.has_normal != 0,
                           .normal = state.normal_y};
    if (state.next) tg_mt_resume(engine, words, (int)left - 1);
    else memcpy(engine->state, words, sizeof words);
    return true;
}

/* generator.get_state(): 5056 bytes as int64. */
Tensor *t_generator_get_state(t_Generator *generator) {
    const tg_MT19937 *engine = generator ? tg_engine(generator) : NULL;
    if (!engine) return t_error() ? NULL : tg_fail("argument 1 is NULL where a generator is expected");
    return tg_engine_state(engine);
}

/* generator.set_state(new_state), uint8 or int64. False on error: another size or dtype, values that are no state. */
bool t_generator_set_state(t_Generator *generator, Tensor *new_state) {
    tg_MT19937 *engine = generator ? tg_engine(generator) : NULL;
    if (!engine) return !t_error() && tg_fail("argument 1 is NULL where a generator is expected");
    return tg_engine_set_state(engine, new_state);
}

/* torch.get_rng_state(): that of the default generator. */
Tensor *t_get_rng_state(void) {
    t_Generator *generator = t_default_generator();
    return generator ? tg_engine_state(&generator->engine) : NULL;
}

/* torch.set_rng_state(new_state) */
bool t_set_rng_state(Tensor *new_state) {
    t_Generator *generator = t_default_generator();
    return generator && tg_engine_set_state(&generator->engine, new_state);
}
