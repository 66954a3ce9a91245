/* core/python/random_state.h: numpy.random.RandomState, the generator behind the random_state= of pandas and
 * scikit-learn (internal). Its draws have numpy's bits: MT19937 seeded by one number, and integers below a limit by
 * masked rejection (numpy's legacy generator, NEP 19: its stream never changes). */
#ifndef TAPEGRAD_CORE_PYTHON_RANDOM_STATE_H
#define TAPEGRAD_CORE_PYTHON_RANDOM_STATE_H

#include "core/kernels/random/mt19937.h"

typedef struct tg_RandomState {
    tg_MT19937 engine;
} tg_RandomState;

/* random_state = seed, from 0 to 2^32 - 1; T_NONE: the thread's numpy.random, which tg_random_state_end stores again.
 */
bool tg_random_state_begin(tg_RandomState *state, int64_t seed);
void tg_random_state_end(const tg_RandomState *state, int64_t seed);
/* randint(0, limit): limit >= 1 */
int64_t tg_random_state_below(tg_RandomState *state, int64_t limit);
void tg_random_state_shuffle(tg_RandomState *state, int64_t *items, int64_t count); /* shuffle(items) */
void tg_random_state_permutation(tg_RandomState *state, int64_t *items,
                                 int64_t count); /* items[:] = permutation(count) */

#endif
