/* core/sklearn/metrics_labels.c: metrics of predicted labels: accuracy, confusion matrix, precision, recall, F1, the
 * classification report. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/sklearn/metrics.h"
#include "core/sklearn/targets.h"

/* ---- accuracy ---- */

double sklearn_accuracy_score(Tensor *y_true, Tensor *y_pred, bool normalize) {
    tg_Labels l;
    double score = NAN;
    const int depth = t_scope_open();
    if (depth && tg_labels_of(&l, y_true, y_pred)) {
        int64_t equal = 0;
        for (int64_t i = 0; i < l.len; i++) equal += l.of_true[i] == l.of_pred[i];
        score = normalize ? (double)equal / (double)l.len : (double)equal;
    }
    t_scope_close(depth);
    return score;
}

/* ---- the confusion matrix ---- */

/* The class of each label of `labels` that is in the data, -1 for others; in *count how many there are. */
static int64_t *chosen_classes(const tg_Labels *l, Tensor *labels, int64_t *count) {
    tg_Target given;
    if (!tg_target_of(&given, labels, "labels")) return NULL;
    if (!given.labels) return tg_fail("labels must be integers of one dim"), NULL;
    if (given.len == 0) return tg_fail("'labels' should contain at least one label."), NULL;
    int64_t *chosen = tg_new_items(given.len);
    bool in_true = false;
    for (int64_t i = 0; chosen && i < given.len; i++) {
        chosen[i] = l->classes - 1;
        while (chosen[i] >= 0 && l->labels[chosen[i]] != given.labels[i]) chosen[i]--;
        for (int64_t k = 0; k < l->len && !in_true && chosen[i] >= 0; k++) in_true = l->of_true[k] == chosen[i];
    }
    *count = given.len;
    if (chosen && !in_true) return tg_fail("At least one label specified must be in y_true"), NULL;
    return chosen;
}

/* The parts of each row ('t'), column ('p') or the whole ('a'); 0 where that is empty. */
static Tensor *normalized(const int64_t *counts, int64_t n, char by) {
    Tensor *y = tg_empty((const int64_t[]){n, n}, 2, t_float64);
    int64_t *sums = y ? tg_new_items(n) : NULL;
    if (!sums) return NULL;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                int64_t *sum = &sums[by == 'a' ? 0 : by == 't' ? i : j];
                if (pass == 0)
                    *sum += counts[i * n + j];
                else
                    ((double *)tg_data(y))[i * n + j] = *sum ? (double)counts[i * n + j] / (double)*sum : 0;
            }
    return y;
}

Tensor *sklearn_confusion_matrix(Tensor *y_true, Tensor *y_pred, const sklearn_ConfusionOptions *options) {
    sklearn_ConfusionOptions o = {SKLEARN_CONFUSION_DEFAULTS_};
    tg_Labels l;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_any_optional(o.labels, 3)) return NULL;
    if (o.normalize && strcmp(o.normalize, "true") != 0 && strcmp(o.normalize, "pred") != 0 &&
        strcmp(o.normalize, "all") != 0)
        return tg_fail(
            "The 'normalize' parameter of confusion_matrix must be a str among {'all', 'pred', 'true'} or None. Got "
            "'%s' instead.",
            o.normalize);
    const int depth = t_scope_open();
    Tensor *matrix = NULL;
    if (depth && tg_labels_of(&l, y_true, y_pred)) {
        int64_t n = l.classes;
        int64_t *chosen = o.labels ? chosen_classes(&l, o.labels, &n) : tg_new_items(n);
        for (int64_t i = 0; chosen && !o.labels && i < n; i++) chosen[i] = i;
        int64_t *place = chosen ? tg_new_items(l.classes) : NULL; /* of each class, plus 1; 0: left out */
        for (int64_t i = 0; place && i < n; i++)
            if (chosen[i] >= 0) place[chosen[i]] = i + 1;
        matrix = place ? tg_empty((const int64_t[]){n, n}, 2, t_int64) : NULL;
        int64_t *counts = matrix ? tg_data(matrix) : NULL;
        if (counts) memset(counts, 0, (size_t)(n * n) * sizeof *counts);
        for (int64_t i = 0; counts && i < l.len; i++) {
            const int64_t row = place[l.of_true[i]] - 1, column = place[l.of_pred[i]] - 1;
            if (row >= 0 && column >= 0) counts[row * n + column]++;
        }
        static _Thread_local bool warned;
        if (matrix && n == 1)
            tg_warn(&warned,
                    "A single label was found in 'y_true' and 'y_pred'. For the confusion matrix to have the correct "
                    "shape, use the 'labels' parameter to pass all known labels.");
        if (matrix && o.normalize) matrix = normalized(counts, n, o.normalize[0]);
    }
    return tg_scope_return(depth, matrix);
}

/* ---- precision, recall and F1 ---- */

/* Of each class: hits, predictions and samples. */
typedef struct Counts {
    int64_t *hits, *predicted, *samples;
} Counts;

static bool count_labels(const tg_Labels *l, Counts *c) {
    c->hits = tg_new_items(l->classes);
    c->predicted = c->hits ? tg_new_items(l->classes) : NULL;
    c->samples = c->predicted ? tg_new_items(l->classes) : NULL;
    for (int64_t i = 0; c->samples && i < l->len; i++) {
        c->hits[l->of_true[i]] += l->of_true[i] == l->of_pred[i];
        c->predicted[l->of_pred[i]]++;
        c->samples[l->of_true[i]]++;
    }
    return c->samples != NULL;
}

typedef enum Score { precision, recall, fscore } Score;

static bool check_zero_division(double value, const char *function) {
    if (value == 0 || value == 1 || value == SKLEARN_WARN || value != value) return true;
    return tg_fail(
        "The 'zero_division' parameter of %s must be a float among {0.0, 1.0}, numpy.nan or a str among {'warn'}. Got "
        "%s instead.",
        function, tg_number_text(value));
}

/* hits / predictions, hits / samples, or 2 hits / (predictions + samples); what zero_division says of 0 / 0. */
static double score_of(Score which, int64_t hits, int64_t predicted, int64_t samples, double zero_division,
                       bool *is_zero) {
    const int64_t by = which == precision ? predicted : which == recall ? samples : predicted + samples;
    if (by) return (double)(which == fscore ? 2 * hits : hits) / (double)by;
    *is_zero = true;
    return zero_division == SKLEARN_WARN ? 0 : zero_division;
}

static void warn_of_zeros(Score which, bool in_labels) {
    static const char *const names[] = {"Precision", "Recall", "F-score"}, *const lacks[] = {"predicted", "true",
                                                                                             "true nor predicted"};
    static _Thread_local bool warned;
    tg_warn(&warned,
            "%s is ill-defined and being set to 0.0 %s no %s samples. Use `zero_division` parameter to control this "
            "behavior.",
            names[which], in_labels ? "in labels with" : "due to", lacks[which]);
}

static double binary_score(const tg_Labels *l, const Counts *c, Score which, const sklearn_ScoreOptions *o,
                           bool *is_zero) {
    int64_t class = 0;
    if (l->is_multiclass)
        return tg_fail(
                   "Target is multiclass but average='binary'. Please choose another average setting, one of [None, "
                   "'micro', 'macro', 'weighted']."),
               NAN;
    while (class < l->classes && l->labels[class] != o->pos_label) class ++;
    if (class < l->classes)
        return score_of(which, c->hits[class], c->predicted[class], c->samples[class], o->zero_division, is_zero);
    if (l->classes < 2) return score_of(which, 0, 0, 0, o->zero_division, is_zero);
    char list[200];
    tg_labels_text(l, list, sizeof list);
    return tg_fail("pos_label=%" PRId64 " is not a valid label. It should be one of %s", o->pos_label, list), NAN;
}

/* The mean of the classes' scores that are not NaN; weighted by the samples. */
static double mean_score(const tg_Labels *l, const Counts *c, Score which, bool weighted, double zero_division,
                         bool *is_zero) {
    double sum = 0, weights = 0;
    for (int64_t i = 0; i < l->classes; i++) {
        const double score = score_of(which, c->hits[i], c->predicted[i], c->samples[i], zero_division, is_zero);
        const double weight = weighted ? (double)c->samples[i] : 1;
        if (score != score) continue;
        sum += weight * score;
        weights += weight;
    }
    return weights > 0 ? sum / weights : NAN;
}

static double average_score(Tensor *y_true, Tensor *y_pred, Score which, const sklearn_ScoreOptions *options) {
    static const char *const functions[] = {"precision_score", "recall_score", "f1_score"};
    sklearn_ScoreOptions o = {SKLEARN_SCORE_DEFAULTS_};
    tg_Labels l;
    Counts c;
    bool is_zero = false;
    double score = NAN;
    if (!tg_take_options(&o, options, sizeof o) || !check_zero_division(o.zero_division, functions[which])) return NAN;
    const char *average = o.average ? o.average : "None";
    const bool is_binary = strcmp(average, "binary") == 0, is_micro = strcmp(average, "micro") == 0,
               is_macro = strcmp(average, "macro") == 0, is_weighted = strcmp(average, "weighted") == 0;
    if (!o.average) return tg_fail("average=None is sklearn_precision_recall_fscore_support"), NAN;
    if (!is_binary && !is_micro && !is_macro && !is_weighted)
        return tg_fail("The 'average' parameter of %s must be a str among {'binary', 'macro', 'micro', 'samples', "
                       "'weighted'} or None. Got '%s' instead.",
                       functions[which], average),
               NAN;
    const int depth = t_scope_open();
    if (depth && tg_labels_of(&l, y_true, y_pred) && count_labels(&l, &c)) {
        int64_t hits = 0;
        for (int64_t i = 0; i < l.classes; i++) hits += c.hits[i];
        score = is_binary  ? binary_score(&l, &c, which, &o, &is_zero)
                : is_micro ? score_of(which, hits, l.len, l.len, o.zero_division, &is_zero)
                           : mean_score(&l, &c, which, is_weighted, o.zero_division, &is_zero);
        if (is_zero && o.zero_division == SKLEARN_WARN) warn_of_zeros(which, !is_binary && !is_micro);
    }
    t_scope_close(depth);
    return score;
}

double sklearn_precision_score(Tensor *y_true, Tensor *y_pred, const sklearn_ScoreOptions *options) {
    return average_score(y_true, y_pred, precision, options);
}
double sklearn_recall_score(Tensor *y_true, Tensor *y_pred, const sklearn_ScoreOptions *options) {
    return average_score(y_true, y_pred, recall, options);
}
double sklearn_f1_score(Tensor *y_true, Tensor *y_pred, const sklearn_ScoreOptions *options) {
    return average_score(y_true, y_pred, fscore, options);
}

double sklearn_balanced_accuracy_score(Tensor *y_true, Tensor *y_pred) {
    tg_Labels l;
    Counts c;
    double score = NAN;
    bool is_zero = false;
    const int depth = t_scope_open();
    if (depth && tg_labels_of(&l, y_true, y_pred) && count_labels(&l, &c)) {
        score = mean_score(&l, &c, recall, false, NAN, &is_zero);
        static _Thread_local bool warned;
        if (is_zero) tg_warn(&warned, "y_pred contains classes not in y_true");
    }
    t_scope_close(depth);
    return score;
}

bool sklearn_precision_recall_fscore_support(Tensor *y_true, Tensor *y_pred, double zero_division, Tensor **precisions,
                                             Tensor **recalls, Tensor **fscores, Tensor **support) {
    tg_clear_output(precisions);
    tg_clear_output(recalls);
    tg_clear_output(fscores);
    tg_clear_output(support);
    tg_Labels l;
    Counts c;
    Tensor **const outputs[] = {precisions, recalls, fscores, support};
    Tensor *made[4] = {NULL};
    if (!check_zero_division(zero_division, "precision_recall_fscore_support")) return false;
    const int depth = t_scope_open();
    bool ok = depth && tg_labels_of(&l, y_true, y_pred) && count_labels(&l, &c);
    for (int k = 0; ok && k < 4; k++) {
        bool is_zero = false;
        made[k] = tg_empty(&l.classes, 1, k == 3 ? t_int64 : t_float64);
        ok = made[k] != NULL;
        for (int64_t i = 0; ok && i < l.classes; i++) {
            if (k == 3)
                ((int64_t *)tg_data(made[k]))[i] = c.samples[i];
            else
                ((double *)tg_data(made[k]))[i] =
                    score_of((Score)k, c.hits[i], c.predicted[i], c.samples[i], zero_division, &is_zero);
        }
        if (is_zero && zero_division == SKLEARN_WARN) warn_of_zeros((Score)k, true);
    }
    for (int k = 0; ok && k < 4; k++)
        if (outputs[k]) *outputs[k] = t_keep_object(made[k]);
    t_scope_close(depth);
    return ok;
}

/* ---- the report ---- */

typedef struct Report {
    char *text;
    size_t size, used;
    int width, digits;
} Report;

static void print_row(Report *r, const char *name, const double scores[3], int64_t support) {
    r->used += (size_t)snprintf(r->text + r->used, r->size - r->used, "%*s ", r->width, name);
    for (int k = 0; k < 3; k++)
        r->used += (size_t)snprintf(r->text + r->used, r->size - r->used, " %9.*f", r->digits, scores[k]);
    r->used += (size_t)snprintf(r->text + r->used, r->size - r->used, " %9" PRId64 "\n", support);
}

/* The width of a text in characters, in bytes that printf's %*s needs for it. */
static int padded(const char *text, int width) {
    int more = 0;
    for (; *text; text++) more += ((unsigned char)*text & 0xc0) == 0x80;
    return width + more;
}

const char *sklearn_classification_report(Tensor *y_true, Tensor *y_pred, const sklearn_ReportOptions *options) {
    sklearn_ReportOptions o = {SKLEARN_REPORT_DEFAULTS_};
    tg_Labels l;
    Counts c;
    char label[40];
    int64_t given = 0;
    if (!tg_take_options(&o, options, sizeof o) || !check_zero_division(o.zero_division, "classification_report"))
        return NULL;
    if (o.digits < 0 || o.digits > 40) return tg_fail("digits must be from 0 to 40, but is %" PRId64, o.digits);
    while (given < SKLEARN_MOST_NAMES && o.target_names[given]) given++;
    const int depth = t_scope_open();
    Report r = {.width = sizeof "weighted avg" - 1, .digits = (int)o.digits};
    if (r.width < r.digits) r.width = r.digits;
    bool ok = depth && tg_labels_of(&l, y_true, y_pred) && count_labels(&l, &c);
    if (ok && given && given != l.classes)
        ok = tg_fail("Number of classes, %" PRId64 ", does not match size of target_names, %" PRId64
                     ". Try specifying the labels parameter",
                     l.classes, given);
    size_t longest = 0;
    for (int64_t i = 0; ok && i < l.classes; i++) {
        const char *name = given ? o.target_names[i] : tg_label_text(&l, i, label);
        const int length = (int)strlen(name), characters = 2 * length - padded(name, length);
        if (characters > r.width) r.width = characters;
        if (strlen(name) > longest) longest = strlen(name);
    }
    if (ok) {
        r.size = (size_t)(l.classes + 6) * ((size_t)r.width + longest + 60 + 3 * (size_t)r.digits);
        r.text = malloc(r.size);
        ok = r.text || tg_fail("out of memory: %zu bytes were asked for", r.size);
    }
    if (ok) {
        bool zeros[3] = {false, false, false};
        int64_t hits = 0;
        double scores[3];
        const int width = r.width;
        r.used = (size_t)snprintf(r.text, r.size, "%*s  %9s %9s %9s %9s\n\n", width, "", "precision", "recall",
                                  "f1-score", "support");
        for (int64_t i = 0; i < l.classes; i++) {
            const char *name = given ? o.target_names[i] : tg_label_text(&l, i, label);
            for (int k = 0; k < 3; k++)
                scores[k] = score_of((Score)k, c.hits[i], c.predicted[i], c.samples[i], o.zero_division, &zeros[k]);
            r.width = padded(name, width);
            print_row(&r, name, scores, c.samples[i]);
            hits += c.hits[i];
        }
        r.width = width;
        r.used += (size_t)snprintf(r.text + r.used, r.size - r.used, "\n%*s  %9s %9s %9.*f %9" PRId64 "\n", width,
                                   "accuracy", "", "", r.digits, (double)hits / (double)l.len, l.len);
        for (int weighted = 0; weighted < 2; weighted++) {
            for (int k = 0; k < 3; k++) scores[k] = mean_score(&l, &c, (Score)k, weighted, o.zero_division, &zeros[k]);
            print_row(&r, weighted ? "weighted avg" : "macro avg", scores, l.len);
        }
        for (int k = 0; k < 3; k++)
            if (zeros[k] && o.zero_division == SKLEARN_WARN) warn_of_zeros((Score)k, true);
    }
    t_scope_close(depth);
    return ok ? tg_str_new(r.text) : NULL;
}
