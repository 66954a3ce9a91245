/* core/tensorboard/pr_curve.c: add_pr_curve, as TensorBoard's pr_curve plugin counts
 * (tensorboard/plugins/pr_curve/summary.py). */
#include <math.h>
#include <string.h>

#include "core/ops/creation.h"
#include "core/ops/pointwise.h"
#include "core/tensorboard/event_internal.h"

enum { MOST_THRESHOLDS = 127 };
typedef enum Row { TP, FP, TN, FN, PRECISION, RECALL, ROWS } Row;

/* Each value counts in its bucket; what is outside of [0, thresholds - 1] counts nowhere. Then for each threshold the
 * values above it. */
static void compute_curve(const double *labels, const double *buckets, const double *weights, int64_t n, int thresholds,
                          double curve[ROWS][MOST_THRESHOLDS]) {
    const double smallest = 1e-7;
    for (int64_t i = 0; i < n; i++) {
        const double weight = weights ? weights[i] : 1;
        if (!(buckets[i] >= 0 && buckets[i] <= thresholds - 1)) continue;
        const int bucket = (int)buckets[i];
        curve[TP][bucket] += labels[i] * weight;
        curve[FP][bucket] += (1 - labels[i]) * weight;
    }
    for (int t = thresholds - 2; t >= 0; t--) {
        curve[TP][t] += curve[TP][t + 1];
        curve[FP][t] += curve[FP][t + 1];
    }
    for (int t = 0; t < thresholds; t++) {
        curve[TN][t] = curve[FP][0] - curve[FP][t];
        curve[FN][t] = curve[TP][0] - curve[TP][t];
        curve[PRECISION][t] = curve[TP][t] / fmax(smallest, curve[TP][t] + curve[FP][t]);
        curve[RECALL][t] = curve[TP][t] / fmax(smallest, curve[TP][t] + curve[FN][t]);
    }
}

/* values: (6, columns) */
static bool put_curve(tg_EventFile *file, const char *tag, const float *values, int64_t columns,
                      const tensorboard_PrCurveOptions *o) {
    const int64_t thresholds = o->num_thresholds > MOST_THRESHOLDS ? MOST_THRESHOLDS : o->num_thresholds;
    const uint8_t plugin_data[] = {2 << 3, (uint8_t)thresholds}; /* PrCurvePluginData.num_thresholds */
    tg_SummaryEvent event;
    tg_summary_begin(&event, tag, o->walltime, o->global_step);
    tg_put_float_tensor(&event.out, values, (int64_t[]){ROWS, columns}, 2);
    tg_put_metadata(&event.out, "pr_curves", plugin_data, sizeof plugin_data);
    return tg_summary_add(file, &event);
}

static bool add_curve(tg_EventFile *file, const char *tag, double curve[ROWS][MOST_THRESHOLDS], int thresholds,
                      const tensorboard_PrCurveOptions *o) {
    float values[ROWS * MOST_THRESHOLDS];
    for (int r = 0; r < ROWS; r++)
        for (int t = 0; t < thresholds; t++) values[r * thresholds + t] = (float)curve[r][t];
    return put_curve(file, tag, values, thresholds, o);
}

bool tensorboard_add_pr_curve(tensorboard_SummaryWriter *self, const char *tag, Tensor *labels, Tensor *predictions,
                              const tensorboard_PrCurveOptions *options) {
    tensorboard_PrCurveOptions o = {TENSORBOARD_PR_CURVE_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(labels, 3) ||
        !tg_check_any(predictions, 4) || !tg_take_options(&o, options, sizeof o) ||
        !tg_check_any_optional(o.weights, 7))
        return false;
    const int64_t n = tg_numel(labels);
    if (tg_numel(predictions) != n || (o.weights && tg_numel(o.weights) != n))
        return tg_fail("labels, predictions and weights must have as many elements, but have %lld, %lld and %lld",
                       (long long)n, (long long)tg_numel(predictions),
                       (long long)(o.weights ? tg_numel(o.weights) : n));
    if (o.num_thresholds < 1) return tg_fail("`bins` must be positive, when an integer");
    const int thresholds = o.num_thresholds > MOST_THRESHOLDS ? MOST_THRESHOLDS : (int)o.num_thresholds;
    const int depth = t_scope_open();
    if (!depth) return false;
    /* floor(predictions * (thresholds - 1)), in the dtype of the predictions */
    Tensor *scaled = t_mul(t_detach(predictions), t_integer(thresholds - 1));
    Tensor *y = tg_values_as(labels, t_float64), *p = scaled ? tg_values_as(scaled, t_float64) : NULL;
    Tensor *w = o.weights ? tg_values_as(o.weights, t_float64) : NULL;
    bool ok = y && p && !o.weights == !w;
    if (ok) {
        double curve[ROWS][MOST_THRESHOLDS] = {{0}};
        double *buckets = tg_data(p); /* of a tensor that this function made */
        for (int64_t i = 0; i < n; i++) buckets[i] = floor(buckets[i]);
        compute_curve(tg_data(y), buckets, w ? tg_data(w) : NULL, n, thresholds, curve);
        ok = add_curve(file, tag, curve, thresholds, &o);
    }
    t_scope_close(depth);
    return ok;
}

bool tensorboard_add_pr_curve_raw(tensorboard_SummaryWriter *self, const char *tag, Tensor *rows,
                                  const tensorboard_PrCurveOptions *options) {
    tensorboard_PrCurveOptions o = {TENSORBOARD_PR_CURVE_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(rows, 3) ||
        !tg_take_options(&o, options, sizeof o))
        return false;
    if (rows->ndim != 2 || rows->shape[0] != ROWS)
        return tg_fail("the rows of a curve have the shape (6, thresholds), but it is %s", tg_shape_of(rows));
    if (o.num_thresholds < 1) return tg_fail("num_thresholds must be positive, not %lld", (long long)o.num_thresholds);
    const int depth = t_scope_open();
    if (!depth) return false;
    Tensor *values = tg_values_as(rows, t_float32);
    const bool ok = values != NULL && put_curve(file, tag, tg_data(values), rows->shape[1], &o);
    t_scope_close(depth);
    return ok;
}
