/* core/python/random.h: Python's module random, with its numbers for the same seed (public; part of
 * core/python/python.h).
 *
 * The generator is Python's Mersenne Twister, separate from torch's: t_manual_seed does not change it. Each thread has
 * one, seeded from the clock until random_seed. The macros of core/python/sugar.h take arrays of any type. */
#ifndef TAPEGRAD_CORE_PYTHON_RANDOM_H
#define TAPEGRAD_CORE_PYTHON_RANDOM_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

T_API void random_seed(int64_t seed);                    /* random.seed(seed) */
T_API double random_random(void);                        /* random.random(): [0, 1), 53 bits */
T_API double random_uniform(double a, double b);         /* random.uniform(a, b): a + (b - a) * random() */
T_API double random_gauss(double mu, double sigma);      /* random.gauss(mu, sigma) */
/* random.randint(a, b): a <= N <= b. Error: b < a (0 is returned) */
T_API int64_t random_randint(int64_t a, int64_t b);
/* random.randrange(start, stop, step). Errors: as randint */
T_API int64_t random_randrange(int64_t start, int64_t stop, int64_t step);
/* the index of random.choice of that many items; -1 if there are none */
T_API int64_t random_choice(int64_t count);
/* random.shuffle(items), items of that many bytes each */
T_API bool random_shuffle(void *items, int64_t count, size_t size);
/* random.sample(items, k) into to, an array of k items. Error: k < 0 or larger than count. */
T_API bool random_sample(const void *items, int64_t count, size_t size, int64_t k, void *to);

T_END_DECLS
#endif
