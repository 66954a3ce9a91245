/* core/ops/creation/random_internal.h: the generator of the random ops (internal). */
#ifndef TAPEGRAD_CORE_OPS_CREATION_RANDOM_INTERNAL_H
#define TAPEGRAD_CORE_OPS_CREATION_RANDOM_INTERNAL_H

#include "core/kernels/random/mt19937.h"
#include "core/tensor/generator.h"
#include "core/tensor/scope.h"

struct t_Generator {
    t_Object object;
    tg_MT19937 engine;
};

/* The engine of a generator, NULL: of the thread's default one. NULL with an error set if the generator is not
 * alive. */
tg_MT19937 *tg_engine(t_Generator *generator);

/* Whether an integer dtype or bool has the integers from first to last; else PyTorch's error. */
bool tg_check_random_bounds(t_DType dtype, int64_t first, int64_t last);

/* For a call that may fail after it has drawn: tg_draws_end(.., false) restores the state of the generator at
 * tg_draws_begin, which is false with an error set if the generator (NULL: the default one) is not alive. Costs a
 * copy of 5 KB. */
typedef struct tg_Draws {
    tg_MT19937 *engine, before;
} tg_Draws;
bool tg_draws_begin(tg_Draws *draws, t_Generator *generator);
void tg_draws_end(const tg_Draws *draws, bool ok);

/* The state of an engine as a tensor of PyTorch's bytes, and the inverse: for t_get_rng_state and t_set_rng_state. */
Tensor *tg_engine_state(const tg_MT19937 *engine);
bool tg_engine_set_state(tg_MT19937 *engine, Tensor *state);

#endif
