/* core/sklearn/encoders.h: scikit-learn's OneHotEncoder, OrdinalEncoder and SimpleImputer (public; part of
 * core/sklearn/sklearn.h).
 *
 *     sklearn_OneHotEncoder *encoder = sklearn_OneHotEncoder(.handle_unknown = "ignore");
 *     Tensor *x = sklearn_fit_transform(encoder, pd_getitem(df, ("Sex", "Embarked")));
 *     sklearn_SimpleImputer *imputer = sklearn_SimpleImputer(.strategy = "median");
 *     x = sklearn_fit_transform(imputer, x);
 *
 * Data are frames (or, in the macros, tensors of two dims), rows samples and columns features. Errors have
 * scikit-learn's texts. The objects belong to the current scope. */
#ifndef TAPEGRAD_CORE_SKLEARN_ENCODERS_H
#define TAPEGRAD_CORE_SKLEARN_ENCODERS_H

#include "core/pandas/dataframe.h"

T_BEGIN_DECLS

/* OneHotEncoder(drop=None, sparse_output=False, handle_unknown="error"): a column for each sorted category of each
 * feature, float64, always dense; a missing value is a category of its own, the last one. drop: "first", or "if_binary"
 * of features with two categories. handle_unknown: "error", or "ignore" and "warn", which make a row of zeros. */
typedef struct sklearn_OneHotEncoder {
    t_Object object;
    pd_Series **categories_; /* of each feature, NULL before a fit */
    int64_t *drop_idx_;      /* -1: none */
    int64_t n_features_in_, n_features_out_;
    const char *drop, *handle_unknown;
} sklearn_OneHotEncoder;
typedef struct sklearn_OneHotEncoderOptions {
    uint32_t size;
    const char *drop, *handle_unknown;
} sklearn_OneHotEncoderOptions;
#define SKLEARN_ONE_HOT_ENCODER_DEFAULTS_ .handle_unknown = "error", .size = sizeof(sklearn_OneHotEncoderOptions)
T_API sklearn_OneHotEncoder *sklearn_OneHotEncoder_new(const sklearn_OneHotEncoderOptions *options);
T_API bool sklearn_OneHotEncoder_fit(sklearn_OneHotEncoder *encoder, const pd_DataFrame *x);
T_API Tensor *sklearn_OneHotEncoder_transform(const sklearn_OneHotEncoder *encoder, const pd_DataFrame *x);
/* A row of zeros is the dropped category, or missing with handle_unknown "ignore". */
T_API pd_DataFrame *sklearn_OneHotEncoder_inverse_transform(const sklearn_OneHotEncoder *encoder, Tensor *x);
/* encoder.get_feature_names_out()[i]: "Sex_female"; owned by the scope */
T_API const char *sklearn_OneHotEncoder_feature_name(const sklearn_OneHotEncoder *encoder, int64_t i);

#define SKLEARN_NONE __builtin_inf() /* Python's None for a number */

/* OrdinalEncoder(handle_unknown="error", unknown_value=None, encoded_missing_value=nan): the number of each category,
 * float64. handle_unknown "use_encoded_value": unknown ones are unknown_value. */
typedef struct sklearn_OrdinalEncoder {
    t_Object object;
    pd_Series **categories_;
    int64_t n_features_in_;
    double unknown_value, encoded_missing_value;
    const char *handle_unknown;
} sklearn_OrdinalEncoder;
typedef struct sklearn_OrdinalEncoderOptions {
    uint32_t size;
    const char *handle_unknown;
    double unknown_value, encoded_missing_value;
} sklearn_OrdinalEncoderOptions;
#define SKLEARN_ORDINAL_ENCODER_DEFAULTS_                                                                 \
    .handle_unknown = "error", .unknown_value = SKLEARN_NONE, .encoded_missing_value = __builtin_nan(""), \
    .size = sizeof(sklearn_OrdinalEncoderOptions)
T_API sklearn_OrdinalEncoder *sklearn_OrdinalEncoder_new(const sklearn_OrdinalEncoderOptions *options);
T_API bool sklearn_OrdinalEncoder_fit(sklearn_OrdinalEncoder *encoder, const pd_DataFrame *x);
T_API Tensor *sklearn_OrdinalEncoder_transform(const sklearn_OrdinalEncoder *encoder, const pd_DataFrame *x);
T_API pd_DataFrame *sklearn_OrdinalEncoder_inverse_transform(const sklearn_OrdinalEncoder *encoder, Tensor *x);

/* SimpleImputer(missing_values=nan, strategy="mean", fill_value=None): missing values become the mean, median or
 * most frequent value of their column, or fill_value with "constant" (0, "missing_value" of texts). Columns without a
 * value are left out, with a warning, except with "constant". A frame gives a frame, a tensor a tensor (float32 stays
 * float32, others become float64). Columns of times and of category are an error; scikit-learn takes a category as its
 * values, and the mean or median of times as numbers. */
typedef struct sklearn_SimpleImputer {
    t_Object object;
    pd_DataFrame *statistics_; /* one row; NULL before a fit */
    int64_t n_features_in_;
    double missing_values, fill_value;
    const char *strategy, *fill_text;
} sklearn_SimpleImputer;
typedef struct sklearn_SimpleImputerOptions {
    uint32_t size;
    double missing_values; /* NAN */
    const char *strategy;
    double fill_value;
    const char *fill_text; /* fill_value of columns of texts */
} sklearn_SimpleImputerOptions;
#define SKLEARN_SIMPLE_IMPUTER_DEFAULTS_                                                   \
    .missing_values = __builtin_nan(""), .strategy = "mean", .fill_text = "missing_value", \
    .size = sizeof(sklearn_SimpleImputerOptions)
T_API sklearn_SimpleImputer *sklearn_SimpleImputer_new(const sklearn_SimpleImputerOptions *options);
T_API bool sklearn_SimpleImputer_fit(sklearn_SimpleImputer *imputer, const pd_DataFrame *x);
T_API pd_DataFrame *sklearn_SimpleImputer_transform(const sklearn_SimpleImputer *imputer, const pd_DataFrame *x);
/* The same of a tensor of two dims. */
T_API bool sklearn_SimpleImputer_fit_tensor(sklearn_SimpleImputer *imputer, Tensor *x);
T_API Tensor *sklearn_SimpleImputer_transform_tensor(const sklearn_SimpleImputer *imputer, Tensor *x);

T_END_DECLS
#endif
