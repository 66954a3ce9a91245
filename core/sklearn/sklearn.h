/* core/sklearn/sklearn.h: the parts of scikit-learn that prepare data for training and measure what came out:
 * train_test_split, KFold, scalers, encoders, SimpleImputer, metrics (public). */
#ifndef TAPEGRAD_CORE_SKLEARN_SKLEARN_H
#define TAPEGRAD_CORE_SKLEARN_SKLEARN_H

#include "core/pandas/pandas.h"
#include "core/sklearn/encoders.h"
#include "core/sklearn/metrics.h"
#include "core/sklearn/model_selection.h"
#include "core/sklearn/preprocessing.h"
#include "core/sklearn/sugar.h"

#endif
