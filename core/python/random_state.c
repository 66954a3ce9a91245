/* core/python/random_state.c: numpy.random.RandomState: seeds, bounded integers, shuffles. */
#include "core/python/random_state.h"

#include <inttypes.h>
#include <time.h>

#include "core/python/numpy_random.h"
#include "core/tensor/context.h"

/* The thread's numpy.random, seeded from the clock until np_random_seed. */
typedef struct Global {
    bool is_seeded;
    tg_RandomState state;
} Global;

static Global *global(void) {
    Global *g = tg_thread_buffer(buffer_numpy_random, sizeof *g);
    if (!g) return tg_fail("out of memory: %zu bytes were asked for", sizeof *g);
    if (!g->is_seeded) {
        struct timespec now = {0};
        timespec_get(&now, TIME_UTC);
        tg_mt_seed(&g->state.engine, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
        g->is_seeded = true;
    }
    return g;
}

bool tg_random_state_begin(tg_RandomState *state, int64_t seed) {
    if (seed == T_NONE) {
        const Global *g = global();
        if (g) *state = g->state;
        return g != NULL;
    }
    if (seed < 0 || seed > UINT32_MAX) return tg_fail("Seed must be between 0 and 2**32 - 1, but is %" PRId64, seed);
    tg_mt_seed(&state->engine, (uint64_t)seed);
    return true;
}

void tg_random_state_end(const tg_RandomState *state, int64_t seed) {
    Global *g = seed == T_NONE ? global() : NULL;
    if (g) g->state = *state;
}

int64_t tg_random_state_below(tg_RandomState *state, int64_t limit) {
    const uint64_t most = (uint64_t)limit - 1;
    if (most == 0) return 0;
    const uint64_t mask = UINT64_MAX >> __builtin_clzll(most);
    uint64_t value;
    do value = (most <= UINT32_MAX ? tg_mt_uint32(&state->engine) : tg_mt_uint64(&state->engine)) & mask;
    while (value > most);
    return (int64_t)value;
}

void tg_random_state_shuffle(tg_RandomState *state, int64_t *items, int64_t count) {
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t j = tg_random_state_below(state, i + 1), item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

void tg_random_state_permutation(tg_RandomState *state, int64_t *items, int64_t count) {
    for (int64_t i = 0; i < count; i++) items[i] = i;
    tg_random_state_shuffle(state, items, count);
}

bool np_random_seed(int64_t seed) {
    Global *g = global();
    return g && tg_random_state_begin(&g->state, seed == T_NONE ? -1 : seed);
}
