/* core/sklearn/sugar.h: the macros for core/sklearn (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_SKLEARN_SUGAR_H
#define TAPEGRAD_CORE_SKLEARN_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/sklearn/encoders.h"
#include "core/sklearn/metrics.h"
#include "core/sklearn/model_selection.h"
#include "core/sklearn/preprocessing.h"
#include "core/sugar/sugar.h"

static inline bool sklearn_split_(Tensor *const *arrays, int64_t count, Tensor **const *to, int64_t outputs,
    const sklearn_SplitOptions *options) {
    if (outputs != 2 * count)
        return (t_fail)("%d arrays have %d parts, but %d outputs are given", (int)count, (int)(2 * count),
            (int)outputs) != NULL;
    return (sklearn_train_test_split)(arrays, count, to, options);
}
#define SKLEARN_ITEMS_(tuple) T_UNTUPLE_ tuple
/* sklearn_train_test_split((x, y), (&x_train, &x_test, &y_train, &y_test), .test_size = 0.2, .random_state = 42); of
 * one array: (x, ), (&x_train, &x_test) */
#define sklearn_train_test_split(arrays, ...) T_BEGIN_("sklearn_train_test_split(" #arrays ", " #__VA_ARGS__ ")") \
    Tensor *const t__a[] = {T_UNTUPLE_ arrays}; Tensor **const t__k[] = {SKLEARN_ITEMS_(T_HEAD_(__VA_ARGS__))}; \
    T_OPTIONS_(sklearn_SplitOptions, t__o, SKLEARN_SPLIT_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, sklearn_split_(t__a, (int64_t)(sizeof t__a / sizeof *t__a), t__k, \
    (int64_t)(sizeof t__k / sizeof *t__k), &t__o))
/* sklearn_train_test_indices(df->len, &train, &test, .test_size = 0.2, .random_state = 42), then pd_take(df, train) */
#define sklearn_train_test_indices(count, train, ...) \
    T_BEGIN_("sklearn_train_test_indices(" #count ", " #train ", " #__VA_ARGS__ ")") const int64_t t__n = (count); \
    Tensor **t__x = (train), **t__y = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(sklearn_SplitOptions, t__o, SKLEARN_SPLIT_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (sklearn_train_test_indices)(t__n, t__x, t__y, &t__o))

/* sklearn_StandardScaler(), sklearn_StandardScaler(.with_mean = false) */
#define sklearn_StandardScaler(...) T_BEGIN_("sklearn_StandardScaler(" #__VA_ARGS__ ")") \
    T_OPTIONS_(sklearn_StandardScalerOptions, t__o, SKLEARN_STANDARD_SCALER_DEFAULTS_, __VA_ARGS__) \
    T_END_(sklearn_StandardScaler *, sklearn_StandardScaler_new(&t__o))
/* sklearn_MinMaxScaler(), sklearn_MinMaxScaler(.feature_range = {-1, 1}) */
#define sklearn_MinMaxScaler(...) T_BEGIN_("sklearn_MinMaxScaler(" #__VA_ARGS__ ")") \
    T_OPTIONS_(sklearn_MinMaxScalerOptions, t__o, SKLEARN_MIN_MAX_SCALER_DEFAULTS_, __VA_ARGS__) \
    T_END_(sklearn_MinMaxScaler *, sklearn_MinMaxScaler_new(&t__o))
/* sklearn_LabelEncoder() */
#define sklearn_LabelEncoder() T_BEGIN_("sklearn_LabelEncoder()") \
    T_END_(sklearn_LabelEncoder *, sklearn_LabelEncoder_new())

/* sklearn_OneHotEncoder(), sklearn_OneHotEncoder(.handle_unknown = "ignore", .drop = "first") */
#define sklearn_OneHotEncoder(...) T_BEGIN_("sklearn_OneHotEncoder(" #__VA_ARGS__ ")") \
    T_OPTIONS_(sklearn_OneHotEncoderOptions, t__o, SKLEARN_ONE_HOT_ENCODER_DEFAULTS_, __VA_ARGS__) \
    T_END_(sklearn_OneHotEncoder *, sklearn_OneHotEncoder_new(&t__o))
#define sklearn_OneHotEncoder_feature_name(encoder, i) \
    T_BEGIN_("sklearn_OneHotEncoder_feature_name(" #encoder ", " #i ")") \
    const sklearn_OneHotEncoder *t__x = (encoder); const int64_t t__i = (i); \
    T_END_(const char *, (sklearn_OneHotEncoder_feature_name)(t__x, t__i))
/* sklearn_OrdinalEncoder(), sklearn_OrdinalEncoder(.handle_unknown = "use_encoded_value", .unknown_value = -1) */
#define sklearn_OrdinalEncoder(...) T_BEGIN_("sklearn_OrdinalEncoder(" #__VA_ARGS__ ")") \
    T_OPTIONS_(sklearn_OrdinalEncoderOptions, t__o, SKLEARN_ORDINAL_ENCODER_DEFAULTS_, __VA_ARGS__) \
    T_END_(sklearn_OrdinalEncoder *, sklearn_OrdinalEncoder_new(&t__o))
/* sklearn_SimpleImputer(), sklearn_SimpleImputer(.strategy = "median") */
#define sklearn_SimpleImputer(...) T_BEGIN_("sklearn_SimpleImputer(" #__VA_ARGS__ ")") \
    T_OPTIONS_(sklearn_SimpleImputerOptions, t__o, SKLEARN_SIMPLE_IMPUTER_DEFAULTS_, __VA_ARGS__) \
    T_END_(sklearn_SimpleImputer *, sklearn_SimpleImputer_new(&t__o))

/* ---- folds ---- */

#define SKLEARN_FOLDS_(kind, text, ...) T_BEGIN_(text) const int64_t t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(sklearn_KFoldOptions, t__o, SKLEARN_KFOLD_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(sklearn_KFold *, sklearn_##kind##_new(t__n, &t__o))
/* sklearn_KFold(5), sklearn_KFold(5, .shuffle = true, .random_state = 0) */
#define sklearn_KFold(...) SKLEARN_FOLDS_(KFold, "sklearn_KFold(" #__VA_ARGS__ ")", __VA_ARGS__)
/* sklearn_StratifiedKFold(5, .shuffle = true, .random_state = 0) */
#define sklearn_StratifiedKFold(...) \
    SKLEARN_FOLDS_(StratifiedKFold, "sklearn_StratifiedKFold(" #__VA_ARGS__ ")", __VA_ARGS__)
/* sklearn_split(kf, x), sklearn_split(kf, x, y): the training and test rows of each fold, one after the other */
#define sklearn_split(kf, ...) T_BEGIN_("sklearn_split(" #kf ", " #__VA_ARGS__ ")") const sklearn_KFold *t__x = (kf); \
    Tensor *const t__a[2] = {__VA_ARGS__}; T_END_(t_TensorList *, sklearn_KFold_split(t__x, t__a[0], t__a[1]))

/* ---- metrics ---- */

#define SKLEARN_METRIC_(type, f, text, a, b) T_BEGIN_(text) T_TENSOR_(t__a, (a)) T_TENSOR_(t__b, (b)) \
    T_END_(type, (sklearn_##f)(t__a, t__b))
#define SKLEARN_METRIC_OPTIONS_(type, f, text, options, defaults, a, ...) T_BEGIN_(text) T_TENSOR_(t__a, (a)) \
    T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) T_OPTIONS_(options, t__o, defaults, T_TAIL_(__VA_ARGS__)) \
    T_END_(type, (sklearn_##f)(t__a, t__b, &t__o))
/* sklearn_accuracy_score(y_true, y_pred), sklearn_accuracy_score(y_true, y_pred, .normalize = false) */
typedef struct sklearn_AccuracyArguments_ { int first_; bool normalize; } sklearn_AccuracyArguments_;
#define sklearn_accuracy_score(y_true, ...) T_BEGIN_("sklearn_accuracy_score(" #y_true ", " #__VA_ARGS__ ")") \
    T_TENSOR_(t__a, (y_true)) T_TENSOR_(t__b, T_HEAD_(__VA_ARGS__)) \
    T_OPTIONS_(sklearn_AccuracyArguments_, t__o, .normalize = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(double, (sklearn_accuracy_score)(t__a, t__b, t__o.normalize))
#define sklearn_balanced_accuracy_score(y_true, y_pred) SKLEARN_METRIC_(double, balanced_accuracy_score, \
    "sklearn_balanced_accuracy_score(" #y_true ", " #y_pred ")", y_true, y_pred)
/* sklearn_confusion_matrix(y_true, y_pred, .normalize = "true") */
#define sklearn_confusion_matrix(y_true, ...) SKLEARN_METRIC_OPTIONS_(Tensor *, confusion_matrix, \
    "sklearn_confusion_matrix(" #y_true ", " #__VA_ARGS__ ")", sklearn_ConfusionOptions, SKLEARN_CONFUSION_DEFAULTS_, \
    y_true, __VA_ARGS__)
/* sklearn_f1_score(y_true, y_pred, .average = "macro"); precision_score, recall_score */
#define sklearn_precision_score(y_true, ...) SKLEARN_METRIC_OPTIONS_(double, precision_score, \
    "sklearn_precision_score(" #y_true ", " #__VA_ARGS__ ")", sklearn_ScoreOptions, SKLEARN_SCORE_DEFAULTS_, y_true, \
    __VA_ARGS__)
#define sklearn_recall_score(y_true, ...) SKLEARN_METRIC_OPTIONS_(double, recall_score, \
    "sklearn_recall_score(" #y_true ", " #__VA_ARGS__ ")", sklearn_ScoreOptions, SKLEARN_SCORE_DEFAULTS_, y_true, \
    __VA_ARGS__)
#define sklearn_f1_score(y_true, ...) SKLEARN_METRIC_OPTIONS_(double, f1_score, \
    "sklearn_f1_score(" #y_true ", " #__VA_ARGS__ ")", sklearn_ScoreOptions, SKLEARN_SCORE_DEFAULTS_, y_true, \
    __VA_ARGS__)
/* puts(sklearn_classification_report(y_true, y_pred, .target_names = {"cat", "dog"})) */
#define sklearn_classification_report(y_true, ...) SKLEARN_METRIC_OPTIONS_(const char *, classification_report, \
    "sklearn_classification_report(" #y_true ", " #__VA_ARGS__ ")", sklearn_ReportOptions, SKLEARN_REPORT_DEFAULTS_, \
    y_true, __VA_ARGS__)
#define sklearn_roc_auc_score(y_true, y_score) SKLEARN_METRIC_(double, roc_auc_score, \
    "sklearn_roc_auc_score(" #y_true ", " #y_score ")", y_true, y_score)
#define sklearn_log_loss(y_true, y_prob) SKLEARN_METRIC_(double, log_loss, \
    "sklearn_log_loss(" #y_true ", " #y_prob ")", y_true, y_prob)
#define sklearn_mean_squared_error(y_true, y_pred) SKLEARN_METRIC_(double, mean_squared_error, \
    "sklearn_mean_squared_error(" #y_true ", " #y_pred ")", y_true, y_pred)
#define sklearn_root_mean_squared_error(y_true, y_pred) SKLEARN_METRIC_(double, root_mean_squared_error, \
    "sklearn_root_mean_squared_error(" #y_true ", " #y_pred ")", y_true, y_pred)
#define sklearn_mean_absolute_error(y_true, y_pred) SKLEARN_METRIC_(double, mean_absolute_error, \
    "sklearn_mean_absolute_error(" #y_true ", " #y_pred ")", y_true, y_pred)
#define sklearn_r2_score(y_true, y_pred) SKLEARN_METRIC_(double, r2_score, \
    "sklearn_r2_score(" #y_true ", " #y_pred ")", y_true, y_pred)

/* ---- fit and transform ---- */

/* Encoders take frames; of a tensor of two dims, the frame of it. */
#define SKLEARN_OF_TENSOR_(kind) \
    static inline bool sklearn_##kind##_fit_tensor_(sklearn_##kind *e, Tensor *x) { \
        const pd_DataFrame *df = pd_DataFrame_of_tensor(x, NULL, 0); \
        return df && sklearn_##kind##_fit(e, df); \
    } \
    static inline Tensor *sklearn_##kind##_transform_tensor_(const sklearn_##kind *e, Tensor *x) { \
        const pd_DataFrame *df = pd_DataFrame_of_tensor(x, NULL, 0); \
        return df ? sklearn_##kind##_transform(e, df) : NULL; \
    }
SKLEARN_OF_TENSOR_(OneHotEncoder)
SKLEARN_OF_TENSOR_(OrdinalEncoder)
#define sklearn_SimpleImputer_fit_tensor_ sklearn_SimpleImputer_fit_tensor
#define sklearn_SimpleImputer_transform_tensor_ sklearn_SimpleImputer_transform_tensor

#define SKLEARN_FITTED_(object, f, x) _Generic((object), sklearn_StandardScaler *: sklearn_StandardScaler_##f, \
    sklearn_MinMaxScaler *: sklearn_MinMaxScaler_##f, sklearn_LabelEncoder *: sklearn_LabelEncoder_##f, \
    sklearn_OneHotEncoder *: SKLEARN_FRAME_OR_(OneHotEncoder, f, x), \
    sklearn_OrdinalEncoder *: SKLEARN_FRAME_OR_(OrdinalEncoder, f, x), \
    sklearn_SimpleImputer *: SKLEARN_FRAME_OR_(SimpleImputer, f, x))
#define SKLEARN_FRAME_OR_(kind, f, x) _Generic((x), Tensor *: sklearn_##kind##_##f##_tensor_, \
    default: sklearn_##kind##_##f)
#define SKLEARN_INVERSE_(object) _Generic((object), \
    sklearn_StandardScaler *: sklearn_StandardScaler_inverse_transform, \
    sklearn_MinMaxScaler *: sklearn_MinMaxScaler_inverse_transform, \
    sklearn_LabelEncoder *: sklearn_LabelEncoder_inverse_transform, \
    sklearn_OneHotEncoder *: sklearn_OneHotEncoder_inverse_transform, \
    sklearn_OrdinalEncoder *: sklearn_OrdinalEncoder_inverse_transform)
/* sklearn_fit(scaler, x): of scalers, encoders and imputers */
#define sklearn_fit(object, x) T_BEGIN_("sklearn_fit(" #object ", " #x ")") __auto_type t__x = (object); \
    __auto_type t__v = (x); T_END_(bool, SKLEARN_FITTED_(t__x, fit, t__v)(t__x, t__v))
/* sklearn_transform(scaler, x) */
#define sklearn_transform(object, x) T_BEGIN_("sklearn_transform(" #object ", " #x ")") __auto_type t__x = (object); \
    __auto_type t__v = (x); T_END_(__auto_type, SKLEARN_FITTED_(t__x, transform, t__v)(t__x, t__v))
/* sklearn_inverse_transform(scaler, x) */
#define sklearn_inverse_transform(object, x) T_BEGIN_("sklearn_inverse_transform(" #object ", " #x ")") \
    __auto_type t__x = (object); __auto_type t__v = (x); \
    T_END_(__auto_type, SKLEARN_INVERSE_(t__x)(t__x, t__v))
/* sklearn_fit_transform(scaler, x) */
#define sklearn_fit_transform(object, x) T_BEGIN_("sklearn_fit_transform(" #object ", " #x ")") \
    __auto_type t__x = (object); __auto_type t__v = (x); \
    T_END_(__auto_type, SKLEARN_FITTED_(t__x, fit, t__v)(t__x, t__v) ? \
    SKLEARN_FITTED_(t__x, transform, t__v)(t__x, t__v) : NULL)

#endif
#endif
