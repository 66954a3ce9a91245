/* core/sklearn/features.h: what encoders and imputers of frames share: names of features, sorted categories
 * (internal). */
#ifndef TAPEGRAD_CORE_SKLEARN_FEATURES_H
#define TAPEGRAD_CORE_SKLEARN_FEATURES_H

#include "core/pandas/column.h"

/* The names or the number of columns of x are those at the fit. estimator: "OneHotEncoder". */
bool tg_check_features(const char *const *names, int64_t count, const pd_DataFrame *x, const char *estimator);
bool tg_refuse_unfitted(const char *estimator);
bool tg_check_rows(const pd_DataFrame *x, const char *estimator);
bool tg_has_number_names(const pd_DataFrame *x); /* "0", "1", ...: of a tensor; scikit-learn sees no names */

/* The sorted categories of each column, a missing value last; NULL on an error. */
pd_Series **tg_categories_fit(const pd_DataFrame *x);
void tg_categories_free(pd_Series **categories, int64_t count); /* NULL is none */
bool tg_check_categories(pd_Series *const *categories, int64_t count, const pd_DataFrame *x, const char *estimator);
/* The category of each row, -1 for an unknown one; *unknown, which is false before, tells whether there is one.
 * refuses_unknown: that is an error. */
bool tg_categories_find(const pd_Series *categories, const pd_DataFrame *x, int64_t feature, bool refuses_unknown,
                        int64_t *codes, bool *unknown);

#endif
