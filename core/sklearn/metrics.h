/* core/sklearn/metrics.h: sklearn.metrics: how good predictions are (public; part of core/sklearn/sklearn.h).
 *
 *     printf("%.3f\n", sklearn_accuracy_score(y_test, predicted));  print(accuracy_score(y_test, predicted))
 *     puts(sklearn_classification_report(y_test, predicted));       print(classification_report(y_test, predicted))
 *
 * Labels are tensors of one dim (or of one column) of integers, bools, or floats that are integers; values and scores
 * are tensors of any real dtype. Functions that return a number return NAN on an error. Sums are in float64. Errors and
 * warnings have scikit-learn's texts. */
#ifndef TAPEGRAD_CORE_SKLEARN_METRICS_H
#define TAPEGRAD_CORE_SKLEARN_METRICS_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

enum { SKLEARN_MOST_NAMES = 64 };
#define SKLEARN_WARN (-1.0) /* zero_division = "warn": 0, with a warning */

/* ---- of labels ---- */

/* accuracy_score(y_true, y_pred, normalize=True): the part of equal labels; normalize = false: their number. */
T_API double sklearn_accuracy_score(Tensor *y_true, Tensor *y_pred, bool normalize);
/* balanced_accuracy_score(y_true, y_pred): the mean of the recalls of the classes */
T_API double sklearn_balanced_accuracy_score(Tensor *y_true, Tensor *y_pred);

/* confusion_matrix(y_true, y_pred, labels=None, normalize=None): how many of true class i are predicted as class j,
 * int64, with the sorted labels of both, or those of `labels`; normalize "true" (rows), "pred" (columns) or "all":
 * parts, float64. */
typedef struct sklearn_ConfusionOptions {
    uint32_t size;
    Tensor *labels;
    const char *normalize;
} sklearn_ConfusionOptions;
#define SKLEARN_CONFUSION_DEFAULTS_ .size = sizeof(sklearn_ConfusionOptions)
T_API Tensor *sklearn_confusion_matrix(Tensor *y_true, Tensor *y_pred, const sklearn_ConfusionOptions *options);

/* precision_score, recall_score and f1_score(y_true, y_pred, pos_label=1, average="binary", zero_division="warn"):
 * average "binary" (of pos_label), "micro", "macro" or "weighted". zero_division: what a class without samples or
 * predictions has: 0, 1, NAN (left out of averages) or SKLEARN_WARN. */
typedef struct sklearn_ScoreOptions {
    uint32_t size;
    int64_t pos_label;
    const char *average;
    double zero_division;
} sklearn_ScoreOptions;
#define SKLEARN_SCORE_DEFAULTS_ \
    .pos_label = 1, .average = "binary", .zero_division = SKLEARN_WARN, .size = sizeof(sklearn_ScoreOptions)
T_API double sklearn_precision_score(Tensor *y_true, Tensor *y_pred, const sklearn_ScoreOptions *options);
T_API double sklearn_recall_score(Tensor *y_true, Tensor *y_pred, const sklearn_ScoreOptions *options);
T_API double sklearn_f1_score(Tensor *y_true, Tensor *y_pred, const sklearn_ScoreOptions *options);
/* precision_recall_fscore_support(y_true, y_pred, average=None): of each class in the order of the sorted labels;
 * float64, the support int64. An output may be NULL. */
T_API bool sklearn_precision_recall_fscore_support(Tensor *y_true, Tensor *y_pred, double zero_division,
                                                   Tensor **precision, Tensor **recall, Tensor **fscore,
                                                   Tensor **support);

/* classification_report(y_true, y_pred, target_names=None, digits=2, zero_division="warn"): a text owned by the scope
 */
typedef struct sklearn_ReportOptions {
    uint32_t size;
    const char *target_names[SKLEARN_MOST_NAMES];
    int64_t digits;
    double zero_division;
} sklearn_ReportOptions;
#define SKLEARN_REPORT_DEFAULTS_ .digits = 2, .zero_division = SKLEARN_WARN, .size = sizeof(sklearn_ReportOptions)
T_API const char *sklearn_classification_report(Tensor *y_true, Tensor *y_pred, const sklearn_ReportOptions *options);

/* ---- of scores ---- */

/* roc_auc_score(y_true, y_score): the area under the ROC curve of two classes; NAN with a warning of a single one */
T_API double sklearn_roc_auc_score(Tensor *y_true, Tensor *y_score);
/* fpr, tpr, thresholds = roc_curve(y_true, y_score): of the labels 0 or -1 and 1, without points on a line between
 * others; float64. An output may be NULL. */
T_API bool sklearn_roc_curve(Tensor *y_true, Tensor *y_score, Tensor **fpr, Tensor **tpr, Tensor **thresholds);
/* log_loss(y_true, y_prob): y_prob (n) is the probability of the larger of two labels, (n, classes) of each class;
 * clipped to eps .. 1 - eps of its dtype */
T_API double sklearn_log_loss(Tensor *y_true, Tensor *y_prob);

/* ---- of values: (n) or (n, outputs), of which the mean over outputs is returned ---- */

T_API double sklearn_mean_squared_error(Tensor *y_true, Tensor *y_pred);
T_API double sklearn_root_mean_squared_error(Tensor *y_true, Tensor *y_pred);
T_API double sklearn_mean_absolute_error(Tensor *y_true, Tensor *y_pred);
T_API double sklearn_r2_score(Tensor *y_true, Tensor *y_pred);

T_END_DECLS
#endif
