/* examples/tabular/passengers.h: a table of passengers with the columns of Kaggle's Titanic, made by a rule. */
#ifndef EXAMPLES_TABULAR_PASSENGERS_H
#define EXAMPLES_TABULAR_PASSENGERS_H

#include "core/pandas/pandas.h"

/* `count` passengers, the same for the same seed. About a fifth of the ages, most cabins and a few ports are missing.
 */
pd_DataFrame *make_passengers(int64_t count, int64_t seed);

#endif
