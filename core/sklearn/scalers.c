/* core/sklearn/scalers.c: StandardScaler and MinMaxScaler. Each step is rounded to the dtype of the data where
 * scikit-learn's arrays are, so that results have its bits. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/ops/ops.h"
#include "core/sklearn/preprocessing.h"
#include "core/tensor/tensor.h"

/* ---- shared ---- */

/* x as a contiguous tensor of two dims in float32 or float64; NULL on an error. */
static Tensor *as_data(Tensor *x) {
    if (!tg_check_any(x, 2)) return NULL;
    if (x->ndim != 2)
        return tg_fail(
            "Expected 2D array, got %s array instead: shape %s. Reshape your data either using "
            "array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a "
            "single sample.",
            x->ndim == 0   ? "scalar"
            : x->ndim == 1 ? "1D"
                           : "3D or larger",
            tg_shape_of(x));
    Tensor *y = t_detach(x);
    return y ? t_contiguous(t_to(y, x->dtype == t_float32 ? t_float32 : t_float64)) : NULL;
}

static double rounded(double value, t_DType dtype) {
    return dtype == t_float32 ? (double)(float)value : value;
}

static void put(Tensor *x, int64_t i, double value) {
    if (x->dtype == t_float32)
        ((float *)tg_data(x))[i] = (float)value;
    else
        ((double *)tg_data(x))[i] = value;
}

static bool check_fitted(const Tensor *statistic, const char *name) {
    return statistic ||
           tg_fail("This %s instance is not fitted yet. Call 'fit' with appropriate arguments before using this "
                   "estimator.",
                   name);
}

static bool check_features(int64_t expected, const Tensor *x, const char *name) {
    return x->shape[1] == expected ||
           tg_fail("X has %" PRId64 " features, but %s is expecting %" PRId64 " features as input.", x->shape[1], name,
                   expected);
}

static bool check_samples(const Tensor *x, const char *name) {
    if (x->shape[0] == 0)
        return tg_fail("Found array with 0 sample(s) (shape=(%" PRId64 ", %" PRId64
                       ")) while a minimum of 1 is required by %s.",
                       x->shape[0], x->shape[1], name);
    for (int64_t i = 0; i < tg_numel(x); i++)
        if (isinf(tg_real_at(x, i)))
            return tg_fail("Input X contains infinity or a value too large for dtype('%s').", tg_dtype_name(x->dtype));
    return true;
}

static Tensor *statistic(int64_t columns, t_DType dtype) {
    return tg_empty(&columns, 1, dtype);
}

/* *slot = x, with a reference of its own. */
static void set_slot(Tensor **slot, Tensor *x) {
    t_retain(x);
    if (*slot) t_release(*slot);
    *slot = x;
}

static void drop_slot(Tensor *x) {
    if (x) t_release(x);
}

/* ---- StandardScaler ---- */

static void standard_destroy(void *object) {
    sklearn_StandardScaler *s = object;
    tg_object_dispose(&s->object);
    drop_slot(s->mean_);
    drop_slot(s->var_);
    drop_slot(s->scale_);
    tg_object_free(&s->object, sizeof *s);
}

static const t_Class standard_class = {"StandardScaler", standard_destroy};

sklearn_StandardScaler *sklearn_StandardScaler_new(const sklearn_StandardScalerOptions *options) {
    sklearn_StandardScalerOptions o = {SKLEARN_STANDARD_SCALER_DEFAULTS_};
    sklearn_StandardScaler *s = tg_take_options(&o, options, sizeof o) ? tg_alloc(sizeof *s) : NULL;
    if (!s) return NULL;
    s->with_mean = o.with_mean;
    s->with_std = o.with_std;
    tg_object_init(&s->object, &standard_class);
    return s;
}

static bool check_standard(const sklearn_StandardScaler *s) {
    return tg_check_given(s != NULL, 1, "a StandardScaler") &&
           (s->object.is_a == &standard_class || tg_fail("argument 1 is no StandardScaler, or died with its scope"));
}

/* Mean and variance of column j, in the order of scikit-learn's sums. */
static void moments(const Tensor *x, int64_t j, double *mean, double *var, int64_t *count) {
    const int64_t rows = x->shape[0], columns = x->shape[1];
    double sum = 0, correction = 0, squares = 0;
    *count = 0;
    for (int64_t i = 0; i < rows; i++) {
        const double value = tg_real_at(x, i * columns + j);
        if (value == value) sum += value, ++*count;
    }
    *mean = sum / (double)*count;
    for (int64_t i = 0; i < rows; i++) {
        const double value = tg_real_at(x, i * columns + j), off = value - *mean;
        if (value != value) continue;
        correction += off;
        squares += off * off;
    }
    *var = (squares - correction * correction / (double)*count) / (double)*count;
}

bool sklearn_StandardScaler_fit(sklearn_StandardScaler *s, Tensor *x) {
    if (!check_standard(s)) return false;
    const int depth = t_scope_open();
    Tensor *data = depth ? as_data(x) : NULL;
    bool ok = data && check_samples(data, "StandardScaler");
    const int64_t columns = ok ? data->shape[1] : 0;
    Tensor *mean = ok ? statistic(columns, t_float64) : NULL, *var = mean ? statistic(columns, t_float64) : NULL;
    Tensor *scale = var ? statistic(columns, t_float64) : NULL;
    ok = scale != NULL;
    for (int64_t j = 0; ok && j < columns; j++) {
        double m, v;
        int64_t count;
        moments(data, j, &m, &v, &count);
        const double n = (double)count, rounding = n * m * 0x1p-52;
        const bool is_constant = v <= n * 0x1p-52 * v + rounding * rounding; /* up to rounding */
        put(mean, j, m);
        put(var, j, v);
        put(scale, j, is_constant ? 1 : sqrt(v));
    }
    if (ok) {
        set_slot(&s->mean_, mean);
        set_slot(&s->var_, var);
        set_slot(&s->scale_, scale);
        s->n_features_in_ = columns;
        s->n_samples_seen_ = data->shape[0];
    }
    t_scope_close(depth);
    return ok;
}

static Tensor *standard_apply(const sklearn_StandardScaler *s, Tensor *x, bool inverse) {
    if (!check_standard(s) || !check_fitted(s->mean_, "StandardScaler")) return NULL;
    const int depth = t_scope_open();
    Tensor *data = depth ? as_data(x) : NULL;
    Tensor *y =
        data && check_features(s->n_features_in_, data, "StandardScaler") ? tg_empty_like(data, data->dtype) : NULL;
    for (int64_t i = 0; y && i < tg_numel(data); i++) {
        const int64_t j = i % s->n_features_in_;
        const double mean = rounded(tg_real_at(s->mean_, j), data->dtype),
                     scale = rounded(tg_real_at(s->scale_, j), data->dtype);
        double value = tg_real_at(data, i);
        if (!inverse && s->with_mean) value = rounded(value - mean, data->dtype);
        if (s->with_std) value = rounded(inverse ? value * scale : value / scale, data->dtype);
        if (inverse && s->with_mean) value = rounded(value + mean, data->dtype);
        put(y, i, value);
    }
    return tg_scope_return(depth, y);
}

Tensor *sklearn_StandardScaler_transform(const sklearn_StandardScaler *s, Tensor *x) {
    return standard_apply(s, x, false);
}

Tensor *sklearn_StandardScaler_inverse_transform(const sklearn_StandardScaler *s, Tensor *x) {
    return standard_apply(s, x, true);
}

/* ---- MinMaxScaler ---- */

static void min_max_destroy(void *object) {
    sklearn_MinMaxScaler *s = object;
    tg_object_dispose(&s->object);
    drop_slot(s->min_);
    drop_slot(s->scale_);
    drop_slot(s->data_min_);
    drop_slot(s->data_max_);
    drop_slot(s->data_range_);
    tg_object_free(&s->object, sizeof *s);
}

static const t_Class min_max_class = {"MinMaxScaler", min_max_destroy};

sklearn_MinMaxScaler *sklearn_MinMaxScaler_new(const sklearn_MinMaxScalerOptions *options) {
    sklearn_MinMaxScalerOptions o = {SKLEARN_MIN_MAX_SCALER_DEFAULTS_};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!(o.feature_range[0] < o.feature_range[1])) {
        char low[40];
        snprintf(low, sizeof low, "%s", tg_number_text(o.feature_range[0]));
        return tg_fail("Minimum of desired feature range must be smaller than maximum. Got (%s, %s).", low,
                       tg_number_text(o.feature_range[1]));
    }
    sklearn_MinMaxScaler *s = tg_alloc(sizeof *s);
    if (!s) return NULL;
    s->feature_range[0] = o.feature_range[0];
    s->feature_range[1] = o.feature_range[1];
    s->clip = o.clip;
    tg_object_init(&s->object, &min_max_class);
    return s;
}

static bool check_min_max(const sklearn_MinMaxScaler *s) {
    return tg_check_given(s != NULL, 1, "a MinMaxScaler") &&
           (s->object.is_a == &min_max_class || tg_fail("argument 1 is no MinMaxScaler, or died with its scope"));
}

bool sklearn_MinMaxScaler_fit(sklearn_MinMaxScaler *s, Tensor *x) {
    if (!check_min_max(s)) return false;
    const int depth = t_scope_open();
    Tensor *data = depth ? as_data(x) : NULL;
    bool ok = data && check_samples(data, "MinMaxScaler");
    const int64_t columns = ok ? data->shape[1] : 0;
    const t_DType dtype = ok ? data->dtype : t_float64;
    Tensor *made[5] = {NULL}; /* min_, scale_, data_min_, data_max_, data_range_ */
    for (int k = 0; ok && k < 5; k++) ok = (made[k] = statistic(columns, dtype)) != NULL;
    const double epsilon = 10 * (dtype == t_float32 ? 0x1p-23 : 0x1p-52);
    for (int64_t j = 0; ok && j < columns; j++) {
        double low = NAN, high = NAN;
        for (int64_t i = 0; i < data->shape[0]; i++) {
            const double value = tg_real_at(data, i * columns + j);
            if (value != value) continue;
            low = low <= value ? low : value;
            high = high >= value ? high : value;
        }
        const double range = rounded(high - low, dtype), divisor = range < epsilon ? 1 : range;
        const double scale = rounded((s->feature_range[1] - s->feature_range[0]) / divisor, dtype);
        put(made[0], j, rounded(s->feature_range[0] - rounded(low * scale, dtype), dtype));
        put(made[1], j, scale);
        put(made[2], j, low);
        put(made[3], j, high);
        put(made[4], j, range);
    }
    if (ok) {
        Tensor **const slots[] = {&s->min_, &s->scale_, &s->data_min_, &s->data_max_, &s->data_range_};
        for (int k = 0; k < 5; k++) set_slot(slots[k], made[k]);
        s->n_features_in_ = columns;
        s->n_samples_seen_ = data->shape[0];
    }
    t_scope_close(depth);
    return ok;
}

static Tensor *min_max_apply(const sklearn_MinMaxScaler *s, Tensor *x, bool inverse) {
    if (!check_min_max(s) || !check_fitted(s->min_, "MinMaxScaler")) return NULL;
    const int depth = t_scope_open();
    Tensor *data = depth ? as_data(x) : NULL;
    Tensor *y =
        data && check_features(s->n_features_in_, data, "MinMaxScaler") ? tg_empty_like(data, data->dtype) : NULL;
    for (int64_t i = 0; y && i < tg_numel(data); i++) {
        const int64_t j = i % s->n_features_in_;
        const double scale = tg_real_at(s->scale_, j), min = tg_real_at(s->min_, j);
        double value = tg_real_at(data, i);
        if (inverse) {
            value = rounded(rounded(value - min, data->dtype) / scale, data->dtype);
        } else {
            value = rounded(rounded(value * scale, data->dtype) + min, data->dtype);
            if (s->clip && value < s->feature_range[0]) value = s->feature_range[0];
            if (s->clip && value > s->feature_range[1]) value = s->feature_range[1];
        }
        put(y, i, value);
    }
    return tg_scope_return(depth, y);
}

Tensor *sklearn_MinMaxScaler_transform(const sklearn_MinMaxScaler *s, Tensor *x) {
    return min_max_apply(s, x, false);
}

Tensor *sklearn_MinMaxScaler_inverse_transform(const sklearn_MinMaxScaler *s, Tensor *x) {
    return min_max_apply(s, x, true);
}
