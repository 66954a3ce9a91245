/* core/sklearn/one_hot_encoder.c: OneHotEncoder. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/sklearn/encoders.h"
#include "core/sklearn/features.h"

static void clear(sklearn_OneHotEncoder *e) {
    tg_categories_free(e->categories_, e->n_features_in_);
    tg_free(e->drop_idx_, (size_t)(e->n_features_in_ + 1) * sizeof *e->drop_idx_);
    e->categories_ = NULL;
    e->drop_idx_ = NULL;
}

static void encoder_destroy(void *object) {
    sklearn_OneHotEncoder *e = object;
    tg_object_dispose(&e->object);
    clear(e);
    tg_object_free(&e->object, sizeof *e);
}

static const t_Class encoder_class = {"OneHotEncoder", encoder_destroy};

/* A literal of that text, which outlives the caller's; NULL if it is none of them. */
static const char *one_of(const char *text, const char *const *texts) {
    while (text && *texts && strcmp(*texts, text) != 0) texts++;
    return text ? *texts : NULL;
}

sklearn_OneHotEncoder *sklearn_OneHotEncoder_new(const sklearn_OneHotEncoderOptions *options) {
    static const char *const drops[] = {"first", "if_binary", NULL}, *const actions[] = {"error", "ignore", "warn",
                                                                                         "infrequent_if_exist", NULL};
    sklearn_OneHotEncoderOptions o = {SKLEARN_ONE_HOT_ENCODER_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const char *drop = one_of(o.drop, drops), *action = one_of(o.handle_unknown, actions);
    if (!action)
        return tg_fail(
            "The 'handle_unknown' parameter of OneHotEncoder must be a str among {'error', 'ignore', "
            "'infrequent_if_exist', 'warn'}. Got '%s' instead.",
            o.handle_unknown ? o.handle_unknown : "None");
    if (o.drop && !drop)
        return tg_fail(
            "The 'drop' parameter of OneHotEncoder must be a str among {'first', 'if_binary'}, an array-like or "
            "None. Got '%s' instead.",
            o.drop);
    sklearn_OneHotEncoder *e = tg_alloc(sizeof *e);
    if (!e) return NULL;
    e->drop = drop;
    e->handle_unknown = action;
    tg_object_init(&e->object, &encoder_class);
    return e;
}

static bool check_encoder(const sklearn_OneHotEncoder *e) {
    return tg_check_given(e != NULL, 1, "an encoder") &&
           (e->object.is_a == &encoder_class || tg_fail("argument 1 is no OneHotEncoder, or died with its scope"));
}

bool sklearn_OneHotEncoder_fit(sklearn_OneHotEncoder *e, const pd_DataFrame *x) {
    if (!check_encoder(e) || !tg_check_frame(x, 2) || !tg_check_rows(x, "OneHotEncoder")) return false;
    int64_t *drops = tg_alloc((size_t)(x->width + 1) * sizeof *drops);
    pd_Series **categories = drops ? tg_categories_fit(x) : NULL;
    if (!categories) {
        tg_free(drops, (size_t)(x->width + 1) * sizeof *drops);
        return false;
    }
    clear(e);
    e->categories_ = categories;
    e->drop_idx_ = drops;
    e->n_features_in_ = x->width;
    e->n_features_out_ = 0;
    for (int64_t i = 0; i < x->width; i++) {
        const bool drops_first = e->drop && (e->drop[0] == 'f' || categories[i]->len == 2);
        drops[i] = drops_first ? 0 : -1;
        e->n_features_out_ += categories[i]->len - drops_first;
    }
    return true;
}

static void warn_of_unknown(const sklearn_OneHotEncoder *e, const bool *is_unknown) {
    char list[200] = "";
    bool warned = false;
    for (int64_t i = 0; i < e->n_features_in_; i++)
        if (is_unknown[i])
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%" PRId64, *list ? ", " : "", i);
    if (*list && (e->drop || e->handle_unknown[0] == 'w'))
        tg_warn(&warned,
                "Found unknown categories in columns [%s] during transform. These unknown categories will be encoded "
                "as %s",
                list, e->handle_unknown[0] == 'i' && e->handle_unknown[1] == 'g' ? "all zeros"
                                                                                 : "the infrequent category.");
}

Tensor *sklearn_OneHotEncoder_transform(const sklearn_OneHotEncoder *e, const pd_DataFrame *x) {
    if (!check_encoder(e) || !tg_check_frame(x, 2) ||
        !tg_check_categories(e->categories_, e->n_features_in_, x, "OneHotEncoder"))
        return NULL;
    const int depth = t_scope_open();
    const size_t bytes = (size_t)(x->len + 1) * sizeof(int64_t), flags_bytes = (size_t)(x->width + 1) * sizeof(bool);
    const int64_t shape[] = {x->len, e->n_features_out_};
    Tensor *y = depth ? tg_empty(shape, 2, t_float64) : NULL;
    double *to = y ? tg_data(y) : NULL;
    int64_t *codes = y ? tg_alloc(bytes) : NULL, first = 0;
    bool *is_unknown = codes ? tg_alloc(flags_bytes) : NULL, ok = is_unknown != NULL;
    if (ok) memset(is_unknown, 0, flags_bytes);
    for (int64_t i = 0; ok && i < tg_numel(y); i++) to[i] = 0;
    for (int64_t f = 0; ok && f < x->width; f++) {
        const bool refuses = strcmp(e->handle_unknown, "error") == 0;
        ok = tg_categories_find(e->categories_[f], x, f, refuses, codes, &is_unknown[f]);
        for (int64_t i = 0; ok && i < x->len; i++) {
            const int64_t code = codes[i] - (e->drop_idx_[f] == 0);
            if (code >= 0) to[i * e->n_features_out_ + first + code] = 1;
        }
        first += e->categories_[f]->len - (e->drop_idx_[f] == 0);
    }
    if (ok) warn_of_unknown(e, is_unknown);
    tg_free(codes, bytes);
    tg_free(is_unknown, flags_bytes);
    return tg_scope_return(depth, ok ? y : NULL);
}

/* The rows that cannot be inverted, in scikit-learn's words. */
static bool refuse_zeros(const sklearn_OneHotEncoder *e, const int64_t *codes, int64_t count) {
    char list[200] = "";
    for (int64_t i = 0; i < count && strlen(list) < 150; i++)
        if (codes[i] < 0) snprintf(list + strlen(list), sizeof list - strlen(list), "%s%" PRId64, *list ? " " : "", i);
    return tg_fail(
        "Samples [%s] can not be inverted when drop=%s and handle_unknown='%s' because they contain all zeros", list,
        e->drop ? e->drop : "None", e->handle_unknown);
}

/* The category of each row from the columns first .. first + width - 1: the first of the largest. */
static bool decode(const sklearn_OneHotEncoder *e, const double *x, int64_t rows, int64_t f, int64_t first,
                   int64_t *codes) {
    const bool drops = e->drop_idx_[f] == 0;
    const int64_t width = e->categories_[f]->len - drops;
    bool any_zeros = false;
    for (int64_t i = 0; i < rows; i++) {
        const double *row = x + i * e->n_features_out_ + first;
        double sum = 0;
        codes[i] = 0;
        for (int64_t k = 0; k < width; k++) {
            if (row[k] > row[codes[i]]) codes[i] = k;
            sum += row[k];
        }
        codes[i] = sum == 0 ? -1 : codes[i];
        if (drops) codes[i]++;
        any_zeros = any_zeros || codes[i] < 0;
    }
    return !any_zeros || strcmp(e->handle_unknown, "error") != 0 || refuse_zeros(e, codes, rows);
}

pd_DataFrame *sklearn_OneHotEncoder_inverse_transform(const sklearn_OneHotEncoder *e, Tensor *x) {
    if (!check_encoder(e) || !tg_check_any(x, 2)) return NULL;
    if (!e->categories_) return tg_refuse_unfitted("OneHotEncoder"), NULL;
    if (x->ndim != 2 || x->shape[1] != e->n_features_out_)
        return tg_fail("Shape of the passed X data is not correct. Expected %" PRId64 " columns, got %" PRId64 ".",
                       e->n_features_out_, x->ndim == 2 ? x->shape[1] : 1);
    const int depth = t_scope_open();
    const int64_t rows = x->shape[0];
    const size_t bytes = (size_t)(rows + 1) * sizeof(int64_t);
    Tensor *values = depth ? t_detach(x) : NULL;
    values = values ? t_contiguous(t_to(values, t_float64)) : NULL;
    int64_t *codes = values ? tg_alloc(bytes) : NULL, first = 0;
    pd_DataFrame *df = codes ? tg_frame_new(rows, tg_index_range(0, 1)) : NULL;
    bool ok = df != NULL;
    for (int64_t f = 0; ok && f < e->n_features_in_; f++) {
        const pd_Series *categories = e->categories_[f];
        ok = decode(e, tg_data(values), rows, f, first, codes) &&
             tg_frame_append(df, categories->name, tg_column_take_missing(categories->column, codes, rows));
        first += categories->len - (e->drop_idx_[f] == 0);
    }
    tg_free(codes, bytes);
    return tg_scope_return(depth, ok ? df : NULL);
}

const char *sklearn_OneHotEncoder_feature_name(const sklearn_OneHotEncoder *e, int64_t i) {
    char buffer[400], number[24];
    if (!check_encoder(e)) return NULL;
    if (!e->categories_) return tg_refuse_unfitted("OneHotEncoder"), NULL;
    if (i < -e->n_features_out_ || i >= e->n_features_out_)
        return tg_fail("index %" PRId64 " is out of bounds for axis 0 with size %" PRId64, i, e->n_features_out_);
    if (i < 0) i += e->n_features_out_;
    int64_t f = 0;
    for (; i >= e->categories_[f]->len - (e->drop_idx_[f] == 0); f++)
        i -= e->categories_[f]->len - (e->drop_idx_[f] == 0);
    const pd_Series *categories = e->categories_[f];
    i += e->drop_idx_[f] == 0;
    const char *value = tg_column_item(categories->column, i, buffer), *name = categories->name;
    snprintf(number, sizeof number, "%" PRId64, f); /* a feature without a name is x0, x1, ... */
    const bool is_number = strcmp(number, name) == 0;
    const size_t size = strlen(name) + (value ? strlen(value) : 3) + 3;
    char *text = malloc(size);
    if (!text) return tg_fail("out of memory: %zu bytes were asked for", size);
    snprintf(text, size, "%s%s_%s", is_number ? "x" : "", name, value ? value : "nan");
    return tg_str_new(text);
}
