/* core/sklearn/ordinal_encoder.c: OrdinalEncoder. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/sklearn/encoders.h"
#include "core/sklearn/features.h"

static void encoder_destroy(void *object) {
    sklearn_OrdinalEncoder *e = object;
    tg_object_dispose(&e->object);
    tg_categories_free(e->categories_, e->n_features_in_);
    tg_object_free(&e->object, sizeof *e);
}

static const t_Class encoder_class = {"OrdinalEncoder", encoder_destroy};

/* Python's repr of a number that may be an integer: "-1", "nan", "None" */
static const char *integer_text(double value) {
    static const char *const special[] = {"None", "nan"};
    if (isinf(value)) return special[0];
    if (value != value) return special[1];
    const char *text = tg_number_text(value);
    char *point = strchr(text, '.');
    if (point && strcmp(point, ".0") == 0) *point = '\0';
    return text;
}

sklearn_OrdinalEncoder *sklearn_OrdinalEncoder_new(const sklearn_OrdinalEncoderOptions *options) {
    sklearn_OrdinalEncoderOptions o = {SKLEARN_ORDINAL_ENCODER_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const char *action = o.handle_unknown ? o.handle_unknown : "None";
    const bool uses_value = strcmp(action, "use_encoded_value") == 0;
    if (!uses_value && strcmp(action, "error") != 0)
        return tg_fail(
            "The 'handle_unknown' parameter of OrdinalEncoder must be a str among {'error', 'use_encoded_value'}. "
            "Got '%s' instead.",
            action);
    if (uses_value && (isinf(o.unknown_value) || o.unknown_value != nearbyint(o.unknown_value)) &&
        o.unknown_value == o.unknown_value)
        return tg_fail(
            "unknown_value should be an integer or np.nan when handle_unknown is 'use_encoded_value', got %s.",
            integer_text(o.unknown_value));
    if (!uses_value && !isinf(o.unknown_value))
        return tg_fail("unknown_value should only be set when handle_unknown is 'use_encoded_value', got %s.",
                       integer_text(o.unknown_value));
    sklearn_OrdinalEncoder *e = tg_alloc(sizeof *e);
    if (!e) return NULL;
    e->handle_unknown = uses_value ? "use_encoded_value" : "error";
    e->unknown_value = o.unknown_value;
    e->encoded_missing_value = o.encoded_missing_value;
    tg_object_init(&e->object, &encoder_class);
    return e;
}

static bool check_encoder(const sklearn_OrdinalEncoder *e) {
    return tg_check_given(e != NULL, 1, "an encoder") &&
           (e->object.is_a == &encoder_class || tg_fail("argument 1 is no OrdinalEncoder, or died with its scope"));
}

static int64_t missing_code(const pd_Series *categories) {
    const int64_t last = categories->len - 1;
    return last >= 0 && tg_column_is_missing(categories->column, last) ? last : -1;
}

bool sklearn_OrdinalEncoder_fit(sklearn_OrdinalEncoder *e, const pd_DataFrame *x) {
    if (!check_encoder(e) || !tg_check_frame(x, 2) || !tg_check_rows(x, "OrdinalEncoder")) return false;
    pd_Series **categories = tg_categories_fit(x);
    if (!categories) return false;
    for (int64_t f = 0; f < x->width; f++)
        if (e->unknown_value >= 0 && e->unknown_value < (double)categories[f]->len) {
            tg_categories_free(categories, x->width);
            return tg_fail(
                "The used value for unknown_value %s is one of the values already used for encoding the seen "
                "categories.",
                integer_text(e->unknown_value));
        }
    tg_categories_free(e->categories_, e->n_features_in_);
    e->categories_ = categories;
    e->n_features_in_ = x->width;
    return true;
}

Tensor *sklearn_OrdinalEncoder_transform(const sklearn_OrdinalEncoder *e, const pd_DataFrame *x) {
    if (!check_encoder(e) || !tg_check_frame(x, 2) ||
        !tg_check_categories(e->categories_, e->n_features_in_, x, "OrdinalEncoder"))
        return NULL;
    const int depth = t_scope_open();
    const size_t bytes = (size_t)(x->len + 1) * sizeof(int64_t);
    const int64_t shape[] = {x->len, x->width};
    Tensor *y = depth ? tg_empty(shape, 2, t_float64) : NULL;
    double *to = y ? tg_data(y) : NULL;
    int64_t *codes = y ? tg_alloc(bytes) : NULL;
    bool ok = codes != NULL;
    for (int64_t f = 0; ok && f < x->width; f++) {
        const int64_t missing = missing_code(e->categories_[f]);
        bool unknown = false;
        ok = tg_categories_find(e->categories_[f], x, f, e->handle_unknown[0] == 'e', codes, &unknown);
        for (int64_t i = 0; ok && i < x->len; i++)
            to[i * x->width + f] = codes[i] < 0          ? e->unknown_value
                                   : codes[i] == missing ? e->encoded_missing_value
                                                         : (double)codes[i];
    }
    tg_free(codes, bytes);
    return tg_scope_return(depth, ok ? y : NULL);
}

/* The category of a code; -1 for a missing value. */
static bool code_of(const sklearn_OrdinalEncoder *e, const pd_Series *categories, double value, int64_t *code) {
    const bool is_missing = value == e->encoded_missing_value ||
                            (value != value && e->encoded_missing_value != e->encoded_missing_value),
               is_unknown = !isinf(e->unknown_value) &&
                            (value == e->unknown_value || (value != value && e->unknown_value != e->unknown_value));
    *code = -1;
    if (is_missing || is_unknown) return true;
    if (value < (double)-categories->len || value >= (double)categories->len || value != value)
        return tg_fail("index %s is out of bounds for axis 0 with size %" PRId64, integer_text(value), categories->len);
    *code = (int64_t)value;
    if (*code < 0) *code += categories->len;
    return true;
}

pd_DataFrame *sklearn_OrdinalEncoder_inverse_transform(const sklearn_OrdinalEncoder *e, Tensor *x) {
    if (!check_encoder(e) || !tg_check_any(x, 2)) return NULL;
    if (!e->categories_) return tg_refuse_unfitted("OrdinalEncoder"), NULL;
    if (x->ndim != 2 || x->shape[1] != e->n_features_in_)
        return tg_fail("Shape of the passed X data is not correct. Expected %" PRId64 " columns, got %" PRId64 ".",
                       e->n_features_in_, x->ndim == 2 ? x->shape[1] : 1);
    const int depth = t_scope_open();
    const int64_t rows = x->shape[0];
    const size_t bytes = (size_t)(rows + 1) * sizeof(int64_t);
    Tensor *values = depth ? t_detach(x) : NULL;
    values = values ? t_contiguous(t_to(values, t_float64)) : NULL;
    int64_t *codes = values ? tg_alloc(bytes) : NULL;
    pd_DataFrame *df = codes ? tg_frame_new(rows, tg_index_range(0, 1)) : NULL;
    bool ok = df != NULL;
    for (int64_t f = 0; ok && f < e->n_features_in_; f++) {
        const pd_Series *categories = e->categories_[f];
        for (int64_t i = 0; ok && i < rows; i++)
            ok = code_of(e, categories, ((const double *)tg_data(values))[i * e->n_features_in_ + f], &codes[i]);
        ok = ok && tg_frame_append(df, categories->name, tg_column_take_missing(categories->column, codes, rows));
    }
    tg_free(codes, bytes);
    return tg_scope_return(depth, ok ? df : NULL);
}
