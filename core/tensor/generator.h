/* core/tensor/generator.h: torch.manual_seed, torch.Generator (public).
 *
 * The numbers are PyTorch's, bit for bit (torch 2.7 or newer, CPU, Linux x86-64), for rand, randn, randint, randperm,
 * bernoulli, dropout, parameter initialisation and shuffles. */
#ifndef TAPEGRAD_CORE_TENSOR_GENERATOR_H
#define TAPEGRAD_CORE_TENSOR_GENERATOR_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

T_API void t_manual_seed(int64_t seed);       /* torch.manual_seed(seed), of this thread's default generator */
T_API t_Generator *t_generator(void);         /* torch.Generator(): its seed is 67280421310721 */
/* generator.manual_seed(seed): itself */
T_API t_Generator *t_generator_manual_seed(t_Generator *generator, int64_t seed);
T_API int64_t t_initial_seed(void);           /* torch.initial_seed(), of this thread's default generator */
T_API int64_t t_generator_initial_seed(t_Generator *generator); /* generator.initial_seed() */
T_API t_Generator *t_default_generator(void); /* torch.default_generator; seeded by the system until t_manual_seed */
/* torch.get_rng_state(), generator.get_state(): int64[5056], the bytes of PyTorch's ByteTensor as int64 (there is no
 * uint8 here): x.to(torch.uint8) is a state for PyTorch, and a PyTorch state converted to int64 is one here. Errors of
 * set_state: another dtype or size; not a valid mt19937 state. The generator does not change then. */
T_API Tensor *t_get_rng_state(void);                                         /* torch.get_rng_state() */
T_API bool t_set_rng_state(Tensor *new_state);                               /* torch.set_rng_state(new_state) */
T_API Tensor *t_generator_get_state(t_Generator *generator);                 /* generator.get_state() */
T_API bool t_generator_set_state(t_Generator *generator, Tensor *new_state); /* generator.set_state(new_state) */
T_API int64_t t_random_int64(t_Generator *generator); /* int(torch.empty((), dtype=torch.int64).random_(generator=)) */

T_END_DECLS
#endif
