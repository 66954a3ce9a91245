/* core/sklearn/sugar.h: the macros for core/sklearn (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_SKLEARN_SUGAR_H
#define TAPEGRAD_CORE_SKLEARN_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

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

#define SKLEARN_OF_(object, f) _Generic((object), sklearn_StandardScaler *: sklearn_StandardScaler_##f, \
    sklearn_MinMaxScaler *: sklearn_MinMaxScaler_##f, sklearn_LabelEncoder *: sklearn_LabelEncoder_##f)
#define SKLEARN_CALL_(f, text, object, x) T_BEGIN_(text) __auto_type t__x = (object); __auto_type t__v = (x); \
    T_END_(__auto_type, SKLEARN_OF_(t__x, f)(t__x, t__v))
/* sklearn_fit(scaler, x): of each of the three */
#define sklearn_fit(object, x) SKLEARN_CALL_(fit, "sklearn_fit(" #object ", " #x ")", object, x)
/* sklearn_transform(scaler, x) */
#define sklearn_transform(object, x) SKLEARN_CALL_(transform, "sklearn_transform(" #object ", " #x ")", object, x)
/* sklearn_inverse_transform(scaler, x) */
#define sklearn_inverse_transform(object, x) SKLEARN_CALL_(inverse_transform, \
    "sklearn_inverse_transform(" #object ", " #x ")", object, x)
/* sklearn_fit_transform(scaler, x) */
#define sklearn_fit_transform(object, x) T_BEGIN_("sklearn_fit_transform(" #object ", " #x ")") \
    __auto_type t__x = (object); __auto_type t__v = (x); \
    T_END_(Tensor *, SKLEARN_OF_(t__x, fit)(t__x, t__v) ? SKLEARN_OF_(t__x, transform)(t__x, t__v) : NULL)

#endif
#endif
