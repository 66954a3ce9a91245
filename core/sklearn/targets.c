/* core/sklearn/targets.c: what kind of labels a tensor has, and labels as numbers of classes. */
#include "core/sklearn/targets.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/ops.h"

int64_t *tg_new_items(int64_t count) {
    Tensor *x = tg_empty(&count, 1, t_int64);
    int64_t *items = x ? tg_data(x) : NULL;
    if (items && count) memset(items, 0, (size_t)count * sizeof *items);
    return items;
}

const char *tg_target_name(tg_TargetType type) {
    static const char *const names[] = {"binary", "multiclass", "continuous", "multilabel-indicator", "unknown"};
    return names[type];
}

static int by_value(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Sorts, and keeps one of each; the number of these. */
static int64_t sort_unique(int64_t *items, int64_t count) {
    int64_t n = 0;
    qsort(items, (size_t)count, sizeof *items, by_value);
    for (int64_t i = 0; i < count; i++)
        if (i == 0 || items[i] != items[i - 1]) items[n++] = items[i];
    return n;
}

static bool check_finite(double value, const char *what) {
    if (value != value) return tg_fail("Input %scontains NaN.", what);
    return !isinf(value) || tg_fail("Input %scontains infinity or a value too large for dtype('float64').", what);
}

bool tg_target_of(tg_Target *target, Tensor *y, const char *name) {
    char what[40];
    snprintf(what, sizeof what, "%s ", name);
    *target =
        (tg_Target){.type = tg_target_binary, .is_float = tg_is_floating(y->dtype), .is_bool = y->dtype == t_bool};
    target->len = y->ndim ? y->shape[0] : 0;
    if (y->ndim != 1 && !(y->ndim == 2 && y->shape[1] == 1)) {
        target->type = y->ndim == 2 ? tg_target_multilabel : tg_target_unknown;
        return true;
    }
    Tensor *dense = t_detach(y);
    dense = dense ? t_contiguous(target->is_float ? t_to(dense, t_float64) : t_to(dense, t_int64)) : NULL;
    int64_t *labels = dense ? tg_new_items(target->len) : NULL, *sorted = labels ? tg_new_items(target->len) : NULL;
    if (!sorted) return false;
    for (int64_t i = 0; i < target->len; i++) {
        const double value = target->is_float ? ((const double *)tg_data(dense))[i] : 0;
        if (!check_finite(value, what)) return false;
        if (value != floor(value) || fabs(value) > 0x1p53) target->type = tg_target_continuous;
        labels[i] = !target->is_float                      ? ((const int64_t *)tg_data(dense))[i]
                    : target->type == tg_target_continuous ? 0
                                                           : (int64_t)value;
    }
    if (target->type == tg_target_continuous) return true;
    memcpy(sorted, labels, (size_t)target->len * sizeof *labels);
    if (sort_unique(sorted, target->len) > 2) target->type = tg_target_multiclass;
    target->labels = labels;
    return true;
}

static int64_t class_of(const tg_Labels *l, int64_t label) {
    const int64_t *found = bsearch(&label, l->labels, (size_t)l->classes, sizeof label, by_value);
    return found - l->labels;
}

bool tg_labels_of(tg_Labels *to, Tensor *y_true, Tensor *y_pred) {
    tg_Target t[2];
    if (!tg_check_any(y_true, 1) || !tg_check_any(y_pred, 2)) return false;
    const int64_t len = y_true->ndim ? y_true->shape[0] : 0, other = y_pred->ndim ? y_pred->shape[0] : 0;
    if (y_true->ndim == 0 || y_pred->ndim == 0)
        return tg_fail("labels must have one dim, but the shapes are %s and %s", tg_shape_of(y_true),
                       tg_shape_of(y_pred));
    if (len != other)
        return tg_fail("Found input variables with inconsistent numbers of samples: [%" PRId64 ", %" PRId64 "]", len,
                       other);
    if (len == 0)
        return tg_fail("Found empty input array (e.g., `y_true` or `y_pred`) while a minimum of 1 sample is required.");
    if (!tg_target_of(&t[0], y_true, "y_true") || !tg_target_of(&t[1], y_pred, "y_pred")) return false;
    tg_TargetType type = t[0].type;
    if (type != t[1].type) {
        if (type > tg_target_multiclass || t[1].type > tg_target_multiclass)
            return tg_fail("Classification metrics can't handle a mix of %s and %s targets", tg_target_name(t[0].type),
                           tg_target_name(t[1].type));
        type = tg_target_multiclass;
    }
    if (type > tg_target_multiclass) return tg_fail("%s is not supported", tg_target_name(type));
    int64_t *all = tg_new_items(2 * len), *codes = all ? tg_new_items(2 * len) : NULL;
    if (!codes) return false;
    memcpy(all, t[0].labels, (size_t)len * sizeof *all);
    memcpy(all + len, t[1].labels, (size_t)len * sizeof *all);
    *to = (tg_Labels){.len = len, .labels = all, .of_true = codes, .of_pred = codes + len};
    to->classes = sort_unique(all, 2 * len);
    for (int64_t i = 0; i < len; i++) {
        codes[i] = class_of(to, t[0].labels[i]);
        codes[len + i] = class_of(to, t[1].labels[i]);
    }
    to->is_multiclass = type == tg_target_multiclass || to->classes > 2;
    to->is_float = t[0].is_float || t[1].is_float;
    to->is_bool = t[0].is_bool && t[1].is_bool;
    return true;
}

const char *tg_label_text(const tg_Labels *labels, int64_t class, char to[40]) {
    const int64_t label = labels->labels[class];
    if (labels->is_bool)
        snprintf(to, 40, "%s", label ? "True" : "False");
    else
        snprintf(to, 40, "%" PRId64 "%s", label, labels->is_float ? ".0" : "");
    return to;
}

void tg_labels_text(const tg_Labels *l, char *to, size_t size) {
    char text[40];
    int width = 0;
    for (int64_t c = 0; c < l->classes; c++) {
        const int length = (int)strlen(tg_label_text(l, c, text));
        if (length > width) width = length;
    }
    snprintf(to, size, "[");
    for (int64_t c = 0; c < l->classes; c++) {
        const size_t used = strlen(to);
        snprintf(to + used, size - used, "%s%*s", c ? " " : "", width, tg_label_text(l, c, text));
        if (l->is_float) to[strlen(to) - 1] = '\0'; /* "0." */
    }
    snprintf(to + strlen(to), size - strlen(to), "]");
}

Tensor *tg_values_of(Tensor *x) {
    Tensor *y = t_detach(x);
    y = y ? t_contiguous(t_to(y, t_float64)) : NULL;
    if (y && y->ndim == 1) y = t_reshape(y, (const int64_t[]){y->shape[0], 1}, 2);
    if (!y) return NULL;
    if (y->ndim != 2) return tg_fail("Found array with dim %d, while dim <= 2 is required.", (int)y->ndim);
    if (y->shape[0] == 0) {
        char columns[32] = "";
        if (x->ndim == 2) snprintf(columns, sizeof columns, " %" PRId64, x->shape[1]);
        return tg_fail("Found array with 0 sample(s) (shape=(0,%s)) while a minimum of 1 is required.", columns);
    }
    for (int64_t i = 0; i < tg_numel(y); i++)
        if (!check_finite(((const double *)tg_data(y))[i], "")) return NULL;
    return y;
}
