/* core/sklearn/preprocessing.h: scikit-learn's StandardScaler, MinMaxScaler and LabelEncoder (public; part of
 * core/sklearn/sklearn.h).
 *
 *     sklearn_StandardScaler *scaler = sklearn_StandardScaler();
 *     x_train = sklearn_fit_transform(scaler, x_train);            x_train = scaler.fit_transform(x_train)
 *     x_test = sklearn_transform(scaler, x_test);                  x_test = scaler.transform(x_test)
 *
 * Rows are samples, columns features: tensors of two dims. float32 stays float32, with statistics in float64 as in
 * scikit-learn, float64 stays, other dtypes become float64. NaN is a missing value, which stays. The attributes with a
 * trailing underscore are scikit-learn's; they are NULL before a fit. Errors have scikit-learn's texts. Scalers belong
 * to the current scope. */
#ifndef TAPEGRAD_CORE_SKLEARN_PREPROCESSING_H
#define TAPEGRAD_CORE_SKLEARN_PREPROCESSING_H

#include "core/pandas/dataframe.h"

T_BEGIN_DECLS

/* StandardScaler(with_mean=True, with_std=True): (x - mean_) / scale_, where scale_ is the standard deviation (of the
 * population), or 1 for a column whose values are all the same. */
typedef struct sklearn_StandardScaler {
    t_Object object;
    bool with_mean, with_std;
    Tensor *mean_, *var_, *scale_; /* float64 */
    int64_t n_features_in_, n_samples_seen_;
} sklearn_StandardScaler;
typedef struct sklearn_StandardScalerOptions {
    uint32_t size;
    bool with_mean, with_std;
} sklearn_StandardScalerOptions;
#define SKLEARN_STANDARD_SCALER_DEFAULTS_ \
    .with_mean = true, .with_std = true, .size = sizeof(sklearn_StandardScalerOptions)
T_API sklearn_StandardScaler *sklearn_StandardScaler_new(const sklearn_StandardScalerOptions *options);
T_API bool sklearn_StandardScaler_fit(sklearn_StandardScaler *scaler, Tensor *x);
T_API Tensor *sklearn_StandardScaler_transform(const sklearn_StandardScaler *scaler, Tensor *x);
T_API Tensor *sklearn_StandardScaler_inverse_transform(const sklearn_StandardScaler *scaler, Tensor *x);

/* MinMaxScaler(feature_range=(0, 1), clip=False): x * scale_ + min_, so that the smallest and largest value of each
 * column become those of feature_range. */
typedef struct sklearn_MinMaxScaler {
    t_Object object;
    double feature_range[2];
    bool clip;
    Tensor *min_, *scale_, *data_min_, *data_max_, *data_range_; /* of the dtype of the data */
    int64_t n_features_in_, n_samples_seen_;
} sklearn_MinMaxScaler;
typedef struct sklearn_MinMaxScalerOptions {
    uint32_t size;
    double feature_range[2];
    bool clip;
} sklearn_MinMaxScalerOptions;
#define SKLEARN_MIN_MAX_SCALER_DEFAULTS_ .feature_range = {0, 1}, .size = sizeof(sklearn_MinMaxScalerOptions)
T_API sklearn_MinMaxScaler *sklearn_MinMaxScaler_new(const sklearn_MinMaxScalerOptions *options);
T_API bool sklearn_MinMaxScaler_fit(sklearn_MinMaxScaler *scaler, Tensor *x);
T_API Tensor *sklearn_MinMaxScaler_transform(const sklearn_MinMaxScaler *scaler, Tensor *x);
T_API Tensor *sklearn_MinMaxScaler_inverse_transform(const sklearn_MinMaxScaler *scaler, Tensor *x);

/* LabelEncoder(): the number of each label among the sorted classes_, int64. */
typedef struct sklearn_LabelEncoder {
    t_Object object;
    pd_Series *classes_;
} sklearn_LabelEncoder;
T_API sklearn_LabelEncoder *sklearn_LabelEncoder_new(void);
T_API bool sklearn_LabelEncoder_fit(sklearn_LabelEncoder *encoder, const pd_Series *labels);
/* Error: "y contains previously unseen labels: ['x']" */
T_API Tensor *sklearn_LabelEncoder_transform(const sklearn_LabelEncoder *encoder, const pd_Series *labels);
T_API pd_Series *sklearn_LabelEncoder_inverse_transform(const sklearn_LabelEncoder *encoder, Tensor *codes);

T_END_DECLS
#endif
