/* core/sklearn/metrics_values.c: metrics of values and scores: squared and absolute errors, R^2, the ROC curve and its
 * area, the logarithmic loss. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/sklearn/metrics.h"
#include "core/sklearn/targets.h"

/* ---- errors of values ---- */

typedef enum Measure { squared, root_squared, absolute, r2 } Measure;

static bool check_values(Tensor *y_true, Tensor *y_pred) {
    if (!tg_check_any(y_true, 1) || !tg_check_any(y_pred, 2)) return false;
    if (y_true->ndim == 0 || y_pred->ndim == 0)
        return tg_fail("Expected array-like (array or non-string sequence), got a scalar");
    if (y_true->shape[0] != y_pred->shape[0])
        return tg_fail("Found input variables with inconsistent numbers of samples: [%" PRId64 ", %" PRId64 "]",
                       y_true->shape[0], y_pred->shape[0]);
    return true;
}

/* Of one output, x[i * step]. */
static double measure_output(Measure which, const double *x, const double *y, int64_t n, int64_t step) {
    double sum = 0, mean = 0, total = 0;
    for (int64_t i = 0; i < n; i++) {
        const double off = x[i * step] - y[i * step];
        sum += which == absolute ? fabs(off) : off * off;
        mean += x[i * step];
    }
    if (which != r2) return which == root_squared ? sqrt(sum / (double)n) : sum / (double)n;
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) total += (x[i * step] - mean) * (x[i * step] - mean);
    return total > 0 ? 1 - sum / total : sum > 0 ? 0 : 1;
}

static double measure(Measure which, Tensor *y_true, Tensor *y_pred) {
    double result = NAN;
    if (!check_values(y_true, y_pred)) return NAN;
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_values_of(y_true) : NULL, *y = x ? tg_values_of(y_pred) : NULL;
    if (y && x->shape[1] != y->shape[1]) {
        tg_fail("y_true and y_pred have different number of output (%" PRId64 "!=%" PRId64 ")", x->shape[1],
                y->shape[1]);
    } else if (y && which == r2 && x->shape[0] < 2) {
        static _Thread_local bool warned;
        tg_warn(&warned, "R^2 score is not well-defined with less than two samples.");
    } else if (y) {
        result = 0;
        for (int64_t j = 0; j < x->shape[1]; j++)
            result += measure_output(which, (const double *)tg_data(x) + j, (const double *)tg_data(y) + j, x->shape[0],
                                     x->shape[1]);
        result /= (double)x->shape[1];
    }
    t_scope_close(depth);
    return result;
}

double sklearn_mean_squared_error(Tensor *y_true, Tensor *y_pred) {
    return measure(squared, y_true, y_pred);
}
double sklearn_root_mean_squared_error(Tensor *y_true, Tensor *y_pred) {
    return measure(root_squared, y_true, y_pred);
}
double sklearn_mean_absolute_error(Tensor *y_true, Tensor *y_pred) {
    return measure(absolute, y_true, y_pred);
}
double sklearn_r2_score(Tensor *y_true, Tensor *y_pred) {
    return measure(r2, y_true, y_pred);
}

/* ---- the ROC curve ---- */

typedef struct Scored {
    double score;
    bool is_positive;
} Scored;

static int by_falling_score(const void *a, const void *b) {
    const double x = ((const Scored *)a)->score, y = ((const Scored *)b)->score;
    return (x < y) - (x > y);
}

/* Whether the labels are of {0, 1} or of {-1, 1}. */
static bool check_positive_label(const tg_Target *target, int64_t least, int64_t most) {
    if ((least >= 0 && most <= 1) || (least == -1 && (most == 1 || most == -1))) return true;
    const char *point = target->is_float ? ".0" : "";
    char both[80];
    int used = snprintf(both, sizeof both, "%" PRId64 "%s", least, point);
    if (most > least) snprintf(both + used, sizeof both - (size_t)used, ", %" PRId64 "%s", most, point);
    return tg_fail("y_true takes value in {%s} and pos_label is not specified: either make y_true take value in {0, 1} "
                   "or {-1, 1} or pass pos_label explicitly.",
                   both);
}

/* The samples by falling score, malloc'ed. The larger label is positive, or, for a curve, the label 1. */
static Scored *sort_scores(Tensor *y_true, Tensor *y_score, bool of_curve, int64_t *positives) {
    tg_Target target;
    if (!check_values(y_true, y_score) || !tg_target_of(&target, y_true, "y_true")) return NULL;
    if (target.type == tg_target_multiclass) return tg_fail("multiclass format is not supported"), NULL;
    if (target.type != tg_target_binary)
        return tg_fail("%s format is not supported", tg_target_name(target.type)), NULL;
    Tensor *scores = tg_values_of(y_score);
    if (!scores) return NULL;
    if (scores->shape[1] != 1)
        return tg_fail("y should be a 1d array, got an array of shape (%" PRId64 ", %" PRId64 ") instead.",
                       scores->shape[0], scores->shape[1]),
               NULL;
    int64_t least = target.labels[0], most = least;
    for (int64_t i = 0; i < target.len; i++) {
        if (target.labels[i] < least) least = target.labels[i];
        if (target.labels[i] > most) most = target.labels[i];
    }
    if (of_curve && !check_positive_label(&target, least, most)) return NULL;
    const int64_t positive = of_curve ? 1 : most;
    Scored *items = malloc((size_t)target.len * sizeof *items);
    if (!items) return tg_fail("out of memory: %zu bytes were asked for", (size_t)target.len * sizeof *items), NULL;
    *positives = 0;
    for (int64_t i = 0; i < target.len; i++) {
        items[i] = (Scored){((const double *)tg_data(scores))[i], target.labels[i] == positive};
        *positives += items[i].is_positive;
    }
    qsort(items, (size_t)target.len, sizeof *items, by_falling_score);
    return items;
}

double sklearn_roc_auc_score(Tensor *y_true, Tensor *y_score) {
    int64_t positives = 0;
    double area = NAN;
    const int depth = t_scope_open();
    Scored *items = depth ? sort_scores(y_true, y_score, false, &positives) : NULL;
    if (items && (positives == 0 || positives == y_true->shape[0])) {
        static _Thread_local bool warned;
        tg_warn(&warned, "Only one class is present in y_true. ROC AUC score is not defined in that case.");
    } else if (items) {
        const int64_t n = y_true->shape[0];
        int64_t above = 0; /* positives of higher scores */
        area = 0;
        for (int64_t i = 0; i < n;) {
            int64_t hits = 0, others = 0;
            const double score = items[i].score;
            for (; i < n && items[i].score == score; i++) items[i].is_positive ? hits++ : others++;
            area += (double)others * ((double)above + (double)hits / 2);
            above += hits;
        }
        area /= (double)positives * (double)(n - positives);
    }
    free(items);
    t_scope_close(depth);
    return area;
}

/* Leaves out the points 2 .. count - 1 that are in the middle between their neighbours; the number of those left. */
static int64_t drop_straight(double *const at[3], int64_t count) {
    int64_t n = 1;
    double before[2] = {at[0][1], at[1][1]};
    for (int64_t i = 2; i <= count; i++) {
        const double now[2] = {at[0][i], at[1][i]};
        const bool is_straight =
            i < count && at[0][i + 1] - now[0] == now[0] - before[0] && at[1][i + 1] - now[1] == now[1] - before[1];
        memcpy(before, now, sizeof before);
        if (is_straight) continue;
        n++;
        for (int k = 0; k < 3; k++) at[k][n] = at[k][i];
    }
    return n;
}

bool sklearn_roc_curve(Tensor *y_true, Tensor *y_score, Tensor **fpr, Tensor **tpr, Tensor **thresholds) {
    tg_clear_output(fpr);
    tg_clear_output(tpr);
    tg_clear_output(thresholds);
    int64_t positives = 0;
    Tensor **const outputs[] = {fpr, tpr, thresholds};
    Tensor *made[3] = {NULL};
    const int depth = t_scope_open();
    Scored *items = depth ? sort_scores(y_true, y_score, true, &positives) : NULL;
    bool ok = items != NULL;
    const int64_t n = ok ? y_true->shape[0] : 0, negatives = n - positives;
    for (int k = 0; ok && k < 3; k++) ok = (made[k] = tg_empty((const int64_t[]){n + 1}, 1, t_float64)) != NULL;
    if (ok) {
        double *at[3];
        int64_t count = 0, hits = 0, others = 0;
        for (int k = 0; k < 3; k++) at[k] = tg_data(made[k]);
        at[0][0] = at[1][0] = 0;
        at[2][0] = INFINITY;
        for (int64_t i = 0; i < n;) {
            const double score = items[i].score;
            for (; i < n && items[i].score == score; i++) items[i].is_positive ? hits++ : others++;
            count++;
            at[0][count] = (double)others;
            at[1][count] = (double)hits;
            at[2][count] = score;
        }
        count = drop_straight(at, count);
        for (int64_t i = 0; i <= count; i++) {
            at[0][i] = negatives ? at[0][i] / (double)negatives : NAN;
            at[1][i] = positives ? at[1][i] / (double)positives : NAN;
        }
        static _Thread_local bool warned_of_negatives, warned_of_positives;
        if (!negatives)
            tg_warn(&warned_of_negatives, "No negative samples in y_true, false positive value should be meaningless");
        if (!positives)
            tg_warn(&warned_of_positives, "No positive samples in y_true, true positive value should be meaningless");
        for (int k = 0; ok && k < 3; k++) {
            Tensor *part = t_narrow(made[k], 0, 0, count + 1);
            made[k] = part ? t_clone(part) : NULL;
            ok = made[k] != NULL;
        }
    }
    for (int k = 0; ok && k < 3; k++)
        if (outputs[k]) *outputs[k] = t_keep_object(made[k]);
    free(items);
    t_scope_close(depth);
    return ok;
}

/* ---- the logarithmic loss ---- */

double sklearn_log_loss(Tensor *y_true, Tensor *y_prob) {
    double loss = NAN;
    tg_Labels l;
    if (!check_values(y_true, y_prob)) return NAN;
    const int depth = t_scope_open();
    Tensor *p = depth ? tg_values_of(y_prob) : NULL;
    const double *x = p ? tg_data(p) : NULL;
    bool ok = x && tg_labels_of(&l, y_true, y_true), sums_to_one = true;
    char label[40];
    if (ok && l.classes == 1)
        ok = tg_fail(
            "y_true contains only one label (%s). Please provide the list of all expected class labels explicitly "
            "through the labels argument.",
            tg_label_text(&l, 0, label));
    const int64_t columns = ok ? p->shape[1] : 0;
    for (int64_t i = 0; ok && i < tg_numel(p); i++)
        if (x[i] > 1 || x[i] < 0)
            ok = tg_fail("y_prob contains values %s: %s", x[i] > 1 ? "greater than 1" : "lower than 0",
                         tg_number_text(x[i]));
    if (ok && l.classes != (columns == 1 ? 2 : columns)) {
        char list[200];
        tg_labels_text(&l, list, sizeof list);
        ok = tg_fail("y_true and y_prob contain different number of classes: %" PRId64 " vs %" PRId64
                     ". Please provide the true labels explicitly through the labels argument. Classes found in "
                     "y_true: %s",
                     l.classes, columns == 1 ? 2 : columns, list);
    }
    if (ok) {
        /* 0 and 1 are so far from the ends, and sums so far from 1, as the dtype of y_prob can tell */
        const double eps = tg_is_floating(y_prob->dtype) ? t_finfo(y_prob->dtype)->eps : 0x1p-52;
        loss = 0;
        for (int64_t i = 0; i < l.len; i++) {
            const double first = columns == 1 ? 1 - x[i] : 0;
            double value = columns > 1 ? x[i * columns + l.of_true[i]] : l.of_true[i] ? x[i] : first, sum = 0;
            for (int64_t j = 0; j < columns; j++) sum += x[i * columns + j];
            sums_to_one = sums_to_one && (columns == 1 || fabs(sum - 1) <= 1e-8 + sqrt(eps));
            value = value < eps ? eps : value > 1 - eps ? 1 - eps : value;
            loss -= log(value);
        }
        loss /= (double)l.len;
        static _Thread_local bool warned;
        if (!sums_to_one) tg_warn(&warned, "The y_prob values do not sum to one. Make sure to pass probabilities.");
    }
    t_scope_close(depth);
    return loss;
}
