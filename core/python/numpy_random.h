/* core/python/numpy_random.h: numpy.random's seed (public; part of core/python/python.h). */
#ifndef TAPEGRAD_CORE_PYTHON_NUMPY_RANDOM_H
#define TAPEGRAD_CORE_PYTHON_NUMPY_RANDOM_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* numpy.random.seed(seed): of the thread's numpy.random, which pandas and scikit-learn draw from without a random_state
 * (sklearn_train_test_split, pd_sample). Seeded from the clock before. Error: not from 0 to 2^32 - 1. */
T_API bool np_random_seed(int64_t seed);

T_END_DECLS
#endif
