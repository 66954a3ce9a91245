/* core/ops/random_internal.h: the generator behind the random ops (internal). */
#ifndef TAPEGRAD_CORE_OPS_RANDOM_INTERNAL_H
#define TAPEGRAD_CORE_OPS_RANDOM_INTERNAL_H

#include "core/kernels/random/mt19937.h"
#include "core/tensor/generator.h"
#include "core/tensor/scope.h"

struct t_Generator {
    t_Object object;
    tg_MT19937 engine;
};

/* The engine of a generator, of the thread's default one for NULL; NULL with an error set where it is not alive. */
tg_MT19937 *tg_engine(t_Generator *generator);

/* For a call that may fail after it has drawn: tg_draws_end(.., false) sets the generator back to where it was at
 * tg_draws_begin, which is false with an error set where the generator (NULL: the default one) is not alive. Costs a
 * copy of 5 KB. */
typedef struct tg_Draws {
    tg_MT19937 *engine, before;
} tg_Draws;
bool tg_draws_begin(tg_Draws *draws, t_Generator *generator);
void tg_draws_end(const tg_Draws *draws, bool ok);

/* An engine as a tensor of PyTorch's bytes, and from one: t_get_rng_state's. */
Tensor *tg_engine_state(const tg_MT19937 *engine);
bool tg_engine_set_state(tg_MT19937 *engine, Tensor *state);

#endif
