/* core/sklearn/label_encoder.c: LabelEncoder. */
#include <inttypes.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/pandas/column.h"
#include "core/sklearn/preprocessing.h"
#include "core/tensor/tensor.h"

static void encoder_destroy(void *object) {
    sklearn_LabelEncoder *e = object;
    tg_object_dispose(&e->object);
    if (e->classes_) t_release(e->classes_);
    tg_object_free(&e->object, sizeof *e);
}

static const t_Class encoder_class = {"LabelEncoder", encoder_destroy};

sklearn_LabelEncoder *sklearn_LabelEncoder_new(void) {
    sklearn_LabelEncoder *e = tg_alloc(sizeof *e);
    if (e) tg_object_init(&e->object, &encoder_class);
    return e;
}

static bool check_encoder(const sklearn_LabelEncoder *e) {
    return tg_check_given(e != NULL, 1, "a LabelEncoder") &&
           (e->object.is_a == &encoder_class || tg_fail("argument 1 is no LabelEncoder, or died with its scope"));
}

/* Of dtype category: the values, in the current scope. */
static const pd_Series *values_of(const pd_Series *labels) {
    if (labels->column->kind != tg_column_category) return labels;
    return tg_series_new(tg_column_decoded(labels->column), tg_index_keep(labels->index), labels->name);
}

bool sklearn_LabelEncoder_fit(sklearn_LabelEncoder *e, const pd_Series *labels) {
    if (!check_encoder(e)) return false;
    const int depth = t_scope_open();
    pd_Series *classes = NULL;
    const pd_Series *values = depth && tg_check_series(labels, 2) ? values_of(labels) : NULL;
    const bool ok = values && pd_Series_factorize(values, true, &classes) && classes;
    if (ok) {
        t_retain(classes);
        if (e->classes_) t_release(e->classes_);
        e->classes_ = classes;
    }
    t_scope_close(depth);
    return ok;
}

/* The place of a text or a number in the sorted classes; -1 if it is not there. */
static int64_t find(const pd_Series *classes, bool is_text, const char *text, double number) {
    int64_t low = 0, high = classes->len;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        double by;
        if (is_text) {
            by = strcmp(pd_iat_text(classes, middle), text);
        } else {
            const double value = pd_iat(classes, middle);
            by = (value > number) - (value < number);
        }
        if (by == 0) return middle;
        if (by < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

Tensor *sklearn_LabelEncoder_transform(const sklearn_LabelEncoder *e, const pd_Series *labels) {
    if (!check_encoder(e) || !tg_check_given(labels != NULL, 2, "a Series")) return NULL;
    if (!e->classes_)
        return tg_fail(
            "This LabelEncoder instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
            "estimator.");
    if (!tg_check_series(labels, 2)) return NULL;
    const int depth = t_scope_open();
    const pd_Series *values = depth ? values_of(labels) : NULL;
    const bool is_text = values && values->column->kind == tg_column_text;
    bool ok = values && (is_text == (e->classes_->column->kind == tg_column_text) ||
                         tg_fail("the labels are of dtype %s, but the classes of dtype %s",
                                 tg_column_dtype(values->column), tg_column_dtype(e->classes_->column)));
    Tensor *codes = ok ? tg_empty(&values->len, 1, t_int64) : NULL;
    ok = codes != NULL;
    for (int64_t i = 0; ok && i < values->len; i++) {
        const bool is_missing = tg_column_is_missing(values->column, i);
        char buffer[400];
        const char *text = is_text ? pd_iat_text(values, i) : NULL;
        const double number = is_text || is_missing ? 0 : pd_iat(values, i); /* of times: NaN, and an error */
        const int64_t code = is_missing ? -1 : find(e->classes_, is_text, text, number);
        if (number != number)
            ok = false;
        else if (is_missing && !is_text)
            ok = tg_fail("Input y contains NaN.");
        else if (code < 0 && is_text)
            ok = tg_fail("y contains previously unseen labels: ['%s']", text ? text : "nan");
        else if (code < 0)
            ok = tg_fail("y contains previously unseen labels: [%s]", tg_column_item(values->column, i, buffer));
        ((int64_t *)tg_data(codes))[i] = code;
    }
    return tg_scope_return(depth, ok ? codes : NULL);
}

pd_Series *sklearn_LabelEncoder_inverse_transform(const sklearn_LabelEncoder *e, Tensor *codes) {
    if (!check_encoder(e) || !tg_check_any(codes, 2)) return NULL;
    if (!e->classes_)
        return tg_fail(
            "This LabelEncoder instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
            "estimator.");
    return pd_Series_take(e->classes_, codes);
}
