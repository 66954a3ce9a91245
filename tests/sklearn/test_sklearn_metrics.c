/* tests/sklearn/test_sklearn_metrics.c: metrics, folds, encoders and imputers against scikit-learn
 * (tests/golden/record_sklearn.py), and failing allocations. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/sklearn/sklearn.h"
#include "core/tensor/tensor.h"
#include "tests/support/output.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

/* ---- results as record_sklearn.py writes them ---- */

static char got[8000];

static void put_text(const char *text) {
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s", text);
}

static bool put_number(double value) {
    char number[40];
    snprintf(number, sizeof number, "%.12g", isnan(value) ? NAN : value);
    put_text(number);
    return true;
}

static bool put_score(double value) {
    return !t_error() && put_number(value);
}

static bool put_tensor(Tensor *x) {
    if (!x) return false;
    double *values = values_of(x);
    const int64_t columns = x->ndim == 2 ? x->shape[1] : tg_numel(x);
    for (int64_t i = 0; i < tg_numel(x); i++) {
        put_text(i == 0 ? "" : i % columns ? " " : " | ");
        put_number(values[i]);
    }
    free(values);
    return true;
}

static bool put_list(const t_TensorList *list) {
    for (int64_t i = 0; list && i < list->len; i++) {
        put_text(i ? " ; " : "");
        put_tensor(list->items[i]);
    }
    return list != NULL;
}

static bool put_string(const char *text) {
    if (text) put_text(text);
    return text != NULL;
}

static bool put_frame(const pd_DataFrame *df) {
    for (int64_t i = 0; df && i < df->len; i++)
        for (int64_t j = 0; j < df->width; j++) {
            const pd_Series *s = pd_getitem(df, pd_column_name(df, j));
            const bool is_text = strcmp(pd_Series_dtype(s), "str") == 0;
            put_text(j ? " " : i ? " | " : "");
            if (is_text)
                put_text(pd_iat_text(s, i) ? pd_iat_text(s, i) : "nan");
            else
                put_number(pd_iat(s, i));
        }
    return df != NULL;
}

/* ---- the recorded calls, in the order of record_sklearn.py ---- */

#define ROC(...)                                                                                           \
    __extension__({                                                                                        \
        Tensor *curve[3] = {NULL};                                                                         \
        sklearn_roc_curve(__VA_ARGS__, &curve[0], &curve[1], &curve[2]) && put_list(t_list_new(curve, 3)); \
    })

static bool metric_case(int i) {
    Tensor *t = t_tensor("[0, 1, 2, 2, 2, 1, 0, 4]"), *p = t_tensor("[0, 0, 2, 2, 1, 1, 1, 3]");
    Tensor *b = t_tensor("[0, 1, 1, 0, 1, 1, 0, 1, 0, 0]"), *c = t_tensor("[0, 1, 0, 0, 1, 1, 1, 1, 0, 1]");
    Tensor *s = t_tensor("[0.1, 0.9, 0.4, 0.35, 0.8, 0.8, 0.5, 0.7, 0.1, 0.6]", .dtype = t_float64);
    Tensor *two = t_tensor("[0, 1]"), *three = t_tensor("[0, 1, 1]"), *parts[4];
    Tensor *x = t_tensor("[[1, 2], [3, 4]]"), *y = t_tensor("[[1, 3], [5, 5]]");
    Tensor *u = t_tensor("[1, 2, 4]"), *v = t_tensor("[1.5, 2, 3]");
    Tensor *scores = t_tensor("[0.1, 0.4, 0.2]", .dtype = t_float64);
    switch (i) {
    case 0: return put_score(sklearn_accuracy_score(t, p));
    case 1: return put_score(sklearn_accuracy_score(t, p, .normalize = false));
    case 2: return put_score(sklearn_accuracy_score(t_tensor("[[1], [0]]"), t_ones(2)));
    case 3: return put_score(sklearn_accuracy_score(t_zeros(0), t_zeros(0)));
    case 4: return put_score(sklearn_accuracy_score(two, three));
    case 5: return put_score(sklearn_accuracy_score(t_tensor("[0.5, 1]"), two));
    case 6: return put_score(sklearn_accuracy_score(t_tensor("[0.5, 1]"), t_tensor("[0.1, 1]")));
    case 7: return put_score(sklearn_accuracy_score(t_zeros(2, 2), two));
    case 8: return put_score(sklearn_accuracy_score(t_tensor("[0, nan]"), two));
    case 9: return put_score(sklearn_balanced_accuracy_score(b, c));
    case 10: return put_tensor(sklearn_confusion_matrix(t, p));
    case 11: return put_tensor(sklearn_confusion_matrix(b, c));
    case 12: return put_tensor(sklearn_confusion_matrix(t, p, .normalize = "true"));
    case 13: return put_tensor(sklearn_confusion_matrix(t, p, .normalize = "pred"));
    case 14: return put_tensor(sklearn_confusion_matrix(t, p, .normalize = "all"));
    case 15: return put_tensor(sklearn_confusion_matrix(t, p, .normalize = "x"));
    case 16: return put_tensor(sklearn_confusion_matrix(t, p, .labels = t_tensor("[2, 0, 7]")));
    case 17: return put_tensor(sklearn_confusion_matrix(t, p, .labels = t_tensor("[3]")));
    case 18: return put_score(sklearn_precision_score(b, c));
    case 19: return put_score(sklearn_recall_score(b, c));
    case 20: return put_score(sklearn_f1_score(b, c));
    case 21: return put_score(sklearn_f1_score(b, c, .pos_label = 0));
    case 22: return put_score(sklearn_f1_score(b, c, .pos_label = 2));
    case 23: return put_score(sklearn_precision_score(t, p));
    case 24: return put_score(sklearn_precision_score(t, p, .average = "macro"));
    case 25: return put_score(sklearn_recall_score(t, p, .average = "weighted"));
    case 26: return put_score(sklearn_f1_score(t, p, .average = "macro"));
    case 27: return put_score(sklearn_f1_score(t, p, .average = "weighted"));
    case 28: return put_score(sklearn_f1_score(t, p, .average = "micro"));
    case 29: return put_score(sklearn_f1_score(t, p, .average = "x"));
    case 30: return put_score(sklearn_precision_score(t, p, .average = "macro", .zero_division = 1));
    case 31: return put_score(sklearn_precision_score(t, p, .average = "weighted", .zero_division = NAN));
    case 32: return put_score(sklearn_precision_score(t, p, .average = "macro", .zero_division = 0.5));
    case 33:
        return sklearn_precision_recall_fscore_support(t, p, SKLEARN_WARN, &parts[0], &parts[1], &parts[2],
                                                       &parts[3]) &&
               put_list(t_list_new(parts, 4));
    case 34: return put_string(sklearn_classification_report(t, p));
    case 35:
        return put_string(
            sklearn_classification_report(b, c, .target_names = {"no", "a rather long name\u00e9"}, .digits = 4));
    case 36:
        return put_string(sklearn_classification_report(t_tensor("[1.0, 2.0, 3.0]"), t_tensor("[1.0, 2.0, 2.0]"),
                                                        .zero_division = 0));
    case 37:
        return put_string(
            sklearn_classification_report(t_tensor("[True, False]"), t_tensor("[True, True]"), .digits = 0));
    case 38: return put_string(sklearn_classification_report(t, p, .target_names = {"a", "b"}));
    case 39: return put_score(sklearn_roc_auc_score(b, s));
    case 40: return put_score(sklearn_roc_auc_score(t_tensor("[0, 0]"), t_tensor("[0.1, 0.2]")));
    case 41: return ROC(b, s);
    case 42:
        return ROC(t_tensor("[-1, -1, 1, 1, 1, 1, -1, -1]"),
                   t_tensor("[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]", .dtype = t_float64));
    case 43: return put_score(sklearn_log_loss(b, s));
    case 44:
        return put_score(sklearn_log_loss(
            t_arange(3), t_tensor("[[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]]", .dtype = t_float64)));
    case 45: return put_score(sklearn_log_loss(two, two));
    case 46: return put_score(sklearn_log_loss(t_tensor("[0, 0]"), two));
    case 47: return put_score(sklearn_mean_squared_error(u, v));
    case 48: return put_score(sklearn_mean_squared_error(x, y));
    case 49: return put_score(sklearn_root_mean_squared_error(x, y));
    case 50: return put_score(sklearn_mean_absolute_error(u, v));
    case 51: return put_score(sklearn_r2_score(u, v));
    case 52: return put_score(sklearn_r2_score(t_tensor("[[1, 1], [2, 1]]"), t_tensor("[[1, 2], [2, 2]]")));
    case 53: return put_score(sklearn_r2_score(t_ones(2), t_ones(2)));
    case 54: return put_score(sklearn_r2_score(t_ones(1), t_ones(1)));
    case 55: return put_score(sklearn_mean_squared_error(two, t_ones(1)));
    case 56: return put_score(sklearn_mean_squared_error(t_tensor("[1, nan]"), two));
    case 57: return put_score(sklearn_mean_squared_error(t_tensor("[1, inf]"), two));
    case 58: return put_score(sklearn_mean_squared_error(t_ones(1, 2), t_ones(1, 1)));
    case 59: return put_score(round(1e4 * sklearn_log_loss(two, t_tensor("[1.0, 0.0]"))));
    case 60: return ROC(t_zeros(3), scores);
    case 61: return ROC(t_full(3, -1), scores);
    case 62: return ROC(t_ones(3), scores);
    case 63: return ROC(t_tensor("[1, 2, 1]"), scores);
    case 64: return ROC(t_full(3, 2.0), scores);
    case 65: return put_score(sklearn_roc_auc_score(t_tensor("[1, 2, 1]"), scores));
    case 66: return put_tensor(sklearn_confusion_matrix(t_ones(2), t_ones(2)));
    case 67: return put_tensor(sklearn_confusion_matrix(t_eye(2), t_eye(2)));
    case 68: return put_score(sklearn_roc_auc_score(t_tensor("[0.5, 1.5]"), t_tensor("[0.1, 0.2]")));
    case 69: return ROC(two, t_tensor("[[0.1, 0.2], [0.3, 0.4]]"));
    case 70: return put_score(sklearn_log_loss(two, t_tensor("[1.5, 0.2]")));
    case 71: return put_score(sklearn_log_loss(two, t_tensor("[-0.5, 0.2]")));
    case 72: return put_score(sklearn_log_loss(t_arange(3), t_tensor("[0.5, 0.2, 0.1]")));
    case 73: return put_score(sklearn_log_loss(two, t_tensor("[[0.5, 0.2, 0.3], [0.1, 0.2, 0.7]]")));
    case 74: return put_score(sklearn_mean_squared_error(t_zeros(0), t_zeros(0)));
    default: return put_score(sklearn_mean_squared_error(t_zeros(0, 2), t_zeros(0, 2)));
    }
}

static Tensor *labels(int64_t n, int64_t classes) {
    int64_t *items = malloc((size_t)n * sizeof *items);
    for (int64_t i = 0; i < n; i++) items[i] = (i * i + i / 2) % (classes + 2) % classes;
    Tensor *x = t_tensor(items, n);
    free(items);
    return x;
}

static bool folds(sklearn_KFold *kf, Tensor *x, Tensor *y) {
    return kf && put_list(sklearn_split(kf, x, y));
}

static bool fold_case(int i) {
    Tensor *x = t_arange(11);
    switch (i) {
    case 0: return folds(sklearn_KFold(5), x, NULL);
    case 1: return folds(sklearn_KFold(3, .shuffle = true, .random_state = 0), x, NULL);
    case 2: return folds(sklearn_KFold(11, .shuffle = true, .random_state = 7), x, NULL);
    case 3: return folds(sklearn_KFold(1), x, NULL);
    case 4: return folds(sklearn_KFold(3, .random_state = 0), x, NULL);
    case 5: return folds(sklearn_KFold(12), x, NULL);
    case 6: return folds(sklearn_StratifiedKFold(3), x, labels(11, 2));
    case 7: return folds(sklearn_StratifiedKFold(4, .shuffle = true, .random_state = 1), t_arange(37), labels(37, 4));
    case 8:
        return folds(sklearn_StratifiedKFold(2, .shuffle = true, .random_state = 3), x,
                     t_tensor("[2, 2, 1, 1, 0, 0, 0, 2, 2, 1, 1]"));
    case 9: return folds(sklearn_StratifiedKFold(3), x, t_tensor("[0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1]"));
    case 10: return folds(sklearn_StratifiedKFold(8), x, labels(11, 2));
    case 11: return folds(sklearn_StratifiedKFold(3), x, t_div(x, 3.3));
    case 12: return folds(sklearn_StratifiedKFold(3), x, t_tensor("[1, 2]"));
    case 13: return folds(sklearn_StratifiedKFold(3), t_arange(4), t_tensor("[0, 0, 1, 1]"));
    default: return folds(sklearn_StratifiedKFold(3), t_arange(4), t_tensor("[0, 0, 0, 1]"));
    }
}

static pd_DataFrame *frame(void) {
    return pd_read_csv_bytes("s,n\nb,3\na,1\n,2\nc,1\n", 19);
}

static sklearn_OneHotEncoder *hot(sklearn_OneHotEncoder *e, const pd_DataFrame *df) {
    return e && sklearn_fit(e, df) ? e : NULL;
}

static bool put_names(const sklearn_OneHotEncoder *e) {
    for (int64_t i = 0; e && i < e->n_features_out_; i++) {
        put_text(i ? " ; " : "");
        put_text(sklearn_OneHotEncoder_feature_name(e, i));
    }
    return e != NULL;
}

static bool encode_case(int i) {
    pd_DataFrame *df = frame(), *other = pd_read_csv_bytes("s,n\nx,3\ny,5\n", 12), *n = pd_getitem(df, ("n", ));
    Tensor *numbers = t_tensor("[[1.5, nan], [2, 3], [1.5, 4]]");
    Tensor *holes = t_tensor("[[1, nan, 3], [2, 5, nan], [2, 7, nan], [9, nan, -1]]");
    sklearn_OneHotEncoder *e = hot(sklearn_OneHotEncoder(), df),
                          *first = hot(sklearn_OneHotEncoder(.drop = "first"), df);
    sklearn_OneHotEncoder *of_numbers = sklearn_OneHotEncoder();
    ck_assert(sklearn_fit(of_numbers, numbers));
    sklearn_OrdinalEncoder *o = sklearn_OrdinalEncoder();
    sklearn_SimpleImputer *mean = sklearn_SimpleImputer();
    switch (i) {
    case 0: return put_tensor(sklearn_transform(e, df));
    case 1: return put_names(e);
    case 2: return put_tensor(sklearn_transform(first, df));
    case 3: return put_tensor(sklearn_fit_transform(sklearn_OneHotEncoder(.drop = "if_binary"), n));
    case 4: return put_tensor(sklearn_transform(hot(sklearn_OneHotEncoder(.handle_unknown = "ignore"), df), other));
    case 5: return put_tensor(sklearn_transform(e, pd_head(other, 1)));
    case 6: return put_tensor(sklearn_transform(hot(sklearn_OneHotEncoder(), n), pd_getitem(other, ("n", ))));
    case 7: return put_tensor(sklearn_transform(e, pd_getitem(df, ("s", ))));
    case 8: return put_tensor(sklearn_transform(e, pd_rename(df, "n", "t")));
    case 9: return put_tensor(sklearn_transform(e, pd_getitem(df, ("n", "s"))));
    case 10: return put_tensor(sklearn_transform(sklearn_OneHotEncoder(), df));
    case 11: return hot(sklearn_OneHotEncoder(.handle_unknown = "x"), df) != NULL;
    case 12: return hot(sklearn_OneHotEncoder(.drop = "x"), df) != NULL;
    case 13: return put_tensor(sklearn_transform(of_numbers, numbers));
    case 14: return put_names(of_numbers);
    case 15: return put_tensor(sklearn_transform(of_numbers, t_at(numbers, ":, :1")));
    case 16: return put_frame(sklearn_inverse_transform(e, t_tensor("[[0, 1, 0, 0, 1, 0, 0], [0, 0, 0, 1, 0, 1, 0]]")));
    case 17: return put_frame(sklearn_inverse_transform(e, t_tensor("[[0, 0, 0, 0, 1, 0, 0]]")));
    case 18: return put_frame(sklearn_inverse_transform(first, t_zeros(1, 5)));
    case 19: return put_frame(sklearn_inverse_transform(e, t_tensor("[[0, 0, 1]]")));
    case 20: return put_tensor(sklearn_fit_transform(o, df));
    case 21: return put_tensor(sklearn_fit_transform(sklearn_OrdinalEncoder(.encoded_missing_value = -1), df));
    case 22: return sklearn_fit(o, df) && put_tensor(sklearn_transform(o, pd_head(other, 1)));
    case 23:
        o = sklearn_OrdinalEncoder(.handle_unknown = "use_encoded_value", .unknown_value = -1);
        return sklearn_fit(o, df) && put_tensor(sklearn_transform(o, other));
    case 24: return sklearn_OrdinalEncoder(.handle_unknown = "use_encoded_value") != NULL;
    case 25: return sklearn_OrdinalEncoder(.unknown_value = -1) != NULL;
    case 26: return sklearn_fit(sklearn_OrdinalEncoder(.handle_unknown = "use_encoded_value", .unknown_value = 1), df);
    case 27: return sklearn_fit(o, df) && put_frame(sklearn_inverse_transform(o, t_tensor("[[0, 1], [nan, 2]]")));
    case 28: return sklearn_fit(o, df) && put_frame(sklearn_inverse_transform(o, t_tensor("[[5, 1]]")));
    case 29: return put_tensor(sklearn_fit_transform(mean, holes));
    case 30: return put_tensor(sklearn_fit_transform(sklearn_SimpleImputer(.strategy = "median"), holes));
    case 31: return put_tensor(sklearn_fit_transform(sklearn_SimpleImputer(.strategy = "most_frequent"), holes));
    case 32: return put_tensor(sklearn_fit_transform(sklearn_SimpleImputer(.strategy = "constant"), holes));
    case 33:
        return put_tensor(sklearn_fit_transform(sklearn_SimpleImputer(.strategy = "constant", .fill_value = 9), holes));
    case 34:
        return put_tensor(
            sklearn_fit_transform(sklearn_SimpleImputer(.missing_values = 2), t_tensor("[[1, 2], [2, 3]]")));
    case 35: return put_tensor(sklearn_fit_transform(mean, t_tensor("[[nan, 1], [nan, 2]]")));
    case 36: return sklearn_SimpleImputer(.strategy = "x") != NULL;
    case 37: return put_tensor(sklearn_transform(mean, holes));
    case 38: return sklearn_fit(mean, holes) && put_tensor(sklearn_transform(mean, t_at(holes, ":, :2")));
    case 39:
        return sklearn_fit(mean, holes) &&
               put_tensor(sklearn_transform(mean, t_tensor("[[inf, 1, 2]]", .dtype = t_float64)));
    case 40: return sklearn_fit(sklearn_SimpleImputer(.missing_values = -1), holes);
    case 41: return sklearn_fit(mean, df);
    case 42: return put_frame(sklearn_fit_transform(sklearn_SimpleImputer(.strategy = "most_frequent"), df));
    case 43: return put_frame(sklearn_fit_transform(sklearn_SimpleImputer(.strategy = "constant"), df));
    case 44:
        return put_frame(sklearn_inverse_transform(hot(sklearn_OneHotEncoder(.handle_unknown = "ignore"), n),
                                                   t_tensor("[[0, 0, 0], [0, 1, 0]]")));
    case 45:
        o = sklearn_OrdinalEncoder(.handle_unknown = "use_encoded_value", .unknown_value = -1);
        return sklearn_fit(o, n) && put_frame(sklearn_inverse_transform(o, t_tensor("[[-1], [1]]")));
    case 46: return put_tensor(sklearn_transform(e, pd_rename(pd_rename(df, "n", "t"), "s", "q")));
    case 47: return put_tensor(sklearn_transform(hot(sklearn_OneHotEncoder(.handle_unknown = "warn"), df), other));
    case 48: return sklearn_OrdinalEncoder(.handle_unknown = "x") != NULL;
    default: return sklearn_fit(o, df) && put_frame(sklearn_inverse_transform(o, t_tensor("[[0, 1, 2]]")));
    }
}

enum { METRICS = 76, FOLDS = 15, ENCODED = 50 };

/* ---- against scikit-learn ---- */

static void result_of(const char *name, int i, char *to, size_t size) {
    char key[40];
    snprintf(key, sizeof key, "%s %d", name, i);
    const char *at = golden_case(golden_file("sklearn.txt"), key);
    ck_assert_msg(at != NULL, "%s is not recorded", key);
    const char *end = strstr(at, "\n=");
    snprintf(to, size, "%.*s", (int)(end ? (size_t)(end - at) : strlen(at)), at);
}

static void trim(char *text) {
    for (size_t n = strlen(text); n > 0 && text[n - 1] == '\n'; n--) text[n - 1] = '\0';
}

static void compare(const char *name, int count, bool (*call)(int)) {
    char want[8000];
    for (int i = 0; i < count; i++)
        with_scope () {
            got[0] = '\0';
            t_clear_error();
            if (!call(i)) snprintf(got, sizeof got, "error: %s", t_error_message() ? t_error_message() : "none");
            result_of(name, i, want, sizeof want);
            trim(got);
            trim(want);
            if (strcmp(got, want) != 0) note("%s %d:\n%s\ninstead of\n%s", name, i, got, want);
            t_clear_error();
        }
    report_notes();
}

START_TEST(metrics_are_those_of_scikit_learn) {
    compare("metric", METRICS, metric_case);
}
END_TEST

/* float32's sums of probabilities are 1 but for rounding. */
START_TEST(probabilities_of_float32_sum_to_one) {
    t_manual_seed(0);
    Tensor *p = t_softmax(t_randn(50, 3), 1);
    catch_warnings();
    const double loss = sklearn_log_loss(t_remainder(t_arange(50), 3), p);
    char *warning = caught_warnings();
    ck_assert_str_eq(warning, "");
    ck_assert(loss > 0);
    free(warning);
}
END_TEST

/* Each once a thread, whatever other warnings there were before; those of the encoder at each call. */
START_TEST(warnings_are_those_of_scikit_learn) {
    static const char *const wanted[] = {
        "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the correct shape, use "
        "the 'labels' parameter to pass all known labels.",
        "Precision is ill-defined and being set to 0.0 due to no predicted samples. Use `zero_division` parameter to "
        "control this behavior.",
        "y_pred contains classes not in y_true",
        "R^2 score is not well-defined with less than two samples.",
        "Only one class is present in y_true. ROC AUC score is not defined in that case.",
        "No negative samples in y_true, false positive value should be meaningless",
        "No positive samples in y_true, true positive value should be meaningless",
        "The y_prob values do not sum to one. Make sure to pass probabilities.",
        "The least populated class in y has only 1 members, which is less than n_splits=3.",
        "Found unknown categories in columns [0, 1] during transform. These unknown categories will be encoded as the "
        "infrequent category.",
        "Found unknown categories in columns [0, 1] during transform. These unknown categories will be encoded as all "
        "zeros",
    };
    Tensor *two = t_tensor("[0, 1]"), *ones = t_ones(2), *zeros = t_zeros(2), *s = t_tensor("[0.1, 0.2]");
    pd_DataFrame *df = pd_DataFrame(t_zeros(2, 2)), *other = pd_DataFrame(t_ones(2, 2));
    sklearn_OneHotEncoder *warns = sklearn_OneHotEncoder(.handle_unknown = "warn");
    sklearn_OneHotEncoder *drops = sklearn_OneHotEncoder(.handle_unknown = "ignore", .drop = "first");
    ck_assert(sklearn_fit(warns, df) && sklearn_fit(drops, df));
    catch_warnings();
    for (int i = 0; i < 2; i++) {
        sklearn_confusion_matrix(ones, ones);
        sklearn_precision_score(two, zeros);
        sklearn_balanced_accuracy_score(ones, two);
        sklearn_r2_score(t_ones(1), t_ones(1));
        sklearn_roc_auc_score(ones, s);
        sklearn_roc_curve(ones, s, NULL, NULL, NULL);
        sklearn_roc_curve(zeros, s, NULL, NULL, NULL);
        sklearn_log_loss(two, t_ones(2, 2));
        sklearn_split(sklearn_StratifiedKFold(3), t_arange(4), t_tensor("[0, 0, 0, 1]"));
    }
    sklearn_transform(warns, other);
    sklearn_transform(drops, other);
    char *warned = caught_warnings(), *at = warned;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char *end = strchr(at, '\n'), *text = strstr(at, "UserWarning: ");
        ck_assert_msg(end && text && text < end, "no line for %s in\n%s", wanted[i], warned);
        *end = '\0';
        ck_assert_str_eq(text + strlen("UserWarning: "), wanted[i]);
        at = end + 1;
    }
    ck_assert_str_eq(at, "");
    free(warned);
}
END_TEST

START_TEST(folds_are_those_of_scikit_learn) {
    compare("fold", FOLDS, fold_case);
}
END_TEST

START_TEST(encoded_values_are_those_of_scikit_learn) {
    compare("encode", ENCODED, encode_case);
}
END_TEST

START_TEST(folds_of_one_shuffle_share_no_row) {
    Tensor *x = t_rand(7, 2);
    sklearn_KFold *kf = sklearn_KFold(3, .shuffle = true);
    t_TensorList *folds = sklearn_split(kf, x);
    ck_assert_int_eq(folds->len, 6);
    Tensor *tests = t_cat((folds->items[1], folds->items[3], folds->items[5]), 0);
    ck_assert(t_equal(t_sort(tests), t_arange(7)));
    ck_assert(t_equal(t_sort(t_cat((folds->items[2], folds->items[3]), 0)), t_arange(7)));
}
END_TEST

typedef struct Work {
    int which;
    Tensor *x, *y;
    const pd_DataFrame *df;
} Work;

static bool work(void *with) {
    const Work *w = with;
    const int which = w->which;
    Tensor *x = w->x, *y = w->y;
    const pd_DataFrame *df = w->df;
    if (which == 0) return sklearn_confusion_matrix(y, y) && sklearn_classification_report(y, y);
    if (which == 1) return !isnan((sklearn_f1_score)(y, y, NULL)) && !isnan((sklearn_roc_auc_score)(y, y));
    if (which == 2) return (sklearn_roc_curve)(y, y, NULL, NULL, NULL) && !isnan((sklearn_r2_score)(x, x));
    if (which == 3) {
        sklearn_KFold *kf =
            sklearn_StratifiedKFold_new(3, &(sklearn_KFoldOptions){sizeof(sklearn_KFoldOptions), true, 5});
        return kf && sklearn_KFold_split(kf, x, y);
    }
    if (which == 4) {
        sklearn_OneHotEncoder *e = sklearn_OneHotEncoder_new(NULL);
        Tensor *hot = e && sklearn_OneHotEncoder_fit(e, df) ? sklearn_OneHotEncoder_transform(e, df) : NULL;
        return hot && sklearn_OneHotEncoder_inverse_transform(e, hot) && (sklearn_OneHotEncoder_feature_name)(e, 0);
    }
    if (which == 5) {
        sklearn_OrdinalEncoder *e = sklearn_OrdinalEncoder_new(NULL);
        Tensor *codes = e && sklearn_OrdinalEncoder_fit(e, df) ? sklearn_OrdinalEncoder_transform(e, df) : NULL;
        return codes && sklearn_OrdinalEncoder_inverse_transform(e, codes);
    }
    const sklearn_SimpleImputerOptions o = {sizeof o, NAN, which == 6 ? "most_frequent" : "median", 0, NULL};
    sklearn_SimpleImputer *s = sklearn_SimpleImputer_new(&o);
    if (which == 6) return s && sklearn_SimpleImputer_fit(s, df) && sklearn_SimpleImputer_transform(s, df);
    return s && sklearn_SimpleImputer_fit_tensor(s, x) && sklearn_SimpleImputer_transform_tensor(s, x);
}

START_TEST(each_allocation_may_fail) {
    Tensor *x = t_view(t_arange(24.0), 12, 2), *y = t_tensor("[0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0]");
    Work w = {.x = x, .y = y, .df = frame()};
    for (; w.which < 8; w.which++) refuse_all(t_format("sklearn %d", w.which), work, NULL, &w);
    report_notes();
}
END_TEST

/* Times and categories are no values to an imputer, whatever its strategy; nothing is fitted then. */
START_TEST(imputers_refuse_times_and_categories) {
    static const char *const strategies[] = {"mean", "median", "most_frequent", "constant"};
    const char *const texts[] = {"2020-01-01", NULL, "2020-01-03"};
    pd_Series *s = pd_Series_of_texts(texts, 3, "s");
    pd_DataFrame *good = pd_DataFrame(t_tensor("[[1.0], [2], [3]]"), .columns = {"s"});
    for (int i = 0; i < 8; i++) {
        const char *dtype = i % 2 ? "category" : "datetime64[us]";
        pd_DataFrame *df = pd_DataFrame(t_tensor("[[1.0], [2], [3]]"), .columns = {"x"});
        pd_setitem(df, "s", i % 2 ? pd_astype(s, "category") : pd_to_datetime(s));
        sklearn_SimpleImputer *imputer = sklearn_SimpleImputer(.strategy = strategies[i / 2]);
        const char *text =
            t_format("SimpleImputer does not support data with dtype %s. Please provide either a numeric "
                     "array (with a floating point or integer dtype) or categorical data represented "
                     "either as an array with integer dtype or an array of string values with an object "
                     "dtype.",
                     dtype);
        expect_refusal(!(sklearn_SimpleImputer_fit)(imputer, df), text);
        ck_assert_ptr_null(imputer->statistics_);
        ck_assert((sklearn_SimpleImputer_fit)(imputer, good));
        expect_refusal(!(sklearn_SimpleImputer_transform)(imputer, pd_getitem(df, ("s", ))), text);
    }
}
END_TEST

Suite *sklearn_metrics_suite(void) {
    Suite *suite = suite_create("sklearn_metrics");
    TCase *test = tcase_create("sklearn_metrics");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, metrics_are_those_of_scikit_learn);
    tcase_add_test(test, probabilities_of_float32_sum_to_one);
    tcase_add_test(test, warnings_are_those_of_scikit_learn);
    tcase_add_test(test, folds_are_those_of_scikit_learn);
    tcase_add_test(test, encoded_values_are_those_of_scikit_learn);
    tcase_add_test(test, folds_of_one_shuffle_share_no_row);
    tcase_add_test(test, imputers_refuse_times_and_categories);
    tcase_add_test(test, each_allocation_may_fail);
    suite_add_tcase(suite, test);
    return suite;
}
