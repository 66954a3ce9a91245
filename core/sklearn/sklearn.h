/* core/sklearn/sklearn.h: the parts of scikit-learn that prepare data for training: train_test_split, StandardScaler,
 * MinMaxScaler, LabelEncoder (public). */
#ifndef TAPEGRAD_CORE_SKLEARN_SKLEARN_H
#define TAPEGRAD_CORE_SKLEARN_SKLEARN_H

#include "core/pandas/pandas.h"
#include "core/sklearn/model_selection.h"
#include "core/sklearn/preprocessing.h"
#include "core/sklearn/sugar.h"

#endif
