/* core/tensorboard/histogram.c: add_histogram: numpy.histogram with its rules for the number of bins
 * (https://numpy.org/doc/stable/reference/generated/numpy.histogram_bin_edges.html), and what HistogramProto keeps of
 * it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/ops/dict.h"
#include "core/tensorboard/event_internal.h"

/* Of the values, which are sorted: NaN last, as numpy sorts. */
typedef struct Sample {
    const double *x; /* sorted */
    int64_t n;
    double min, max;
} Sample;

/* Edges and counts, from tg_alloc: counts[i] values are in [edges[i], edges[i + 1]), the last one's limit included. */
typedef struct Bins {
    double *edges, *counts;
    int64_t count, capacity;
} Bins;

static bool new_bins(Bins *bins, int64_t count) {
    enum { MOST = 1 << 28 };
    *bins = (Bins){0};
    if (count > MOST) return tg_fail("%lld bins are too many", (long long)count);
    *bins = (Bins){.count = count, .capacity = count};
    bins->edges = tg_alloc((size_t)(count + 1) * sizeof(double));
    bins->counts = bins->edges ? tg_alloc((size_t)count * sizeof(double)) : NULL;
    return bins->counts != NULL;
}

static void free_bins(Bins *bins) {
    tg_free(bins->edges, (size_t)(bins->capacity + 1) * sizeof(double));
    tg_free(bins->counts, (size_t)bins->capacity * sizeof(double));
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    if (isnan(x) || isnan(y)) return isnan(x) - isnan(y);
    return (x > y) - (x < y);
}

/* Indices of the first value that is not below the edge; with `right`, that is above it. */
static int64_t search(const Sample *s, double edge, bool right) {
    int64_t low = 0, high = s->n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const double x = s->x[middle];
        if (x < edge || (right && x == edge))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void count_values(const Sample *s, Bins *bins) {
    int64_t before = search(s, bins->edges[0], false);
    for (int64_t i = 0; i < bins->count; i++) {
        const int64_t up_to = search(s, bins->edges[i + 1], i == bins->count - 1);
        bins->counts[i] = (double)(up_to - before);
        before = up_to;
    }
}

/* ---- edges ---- */

/* -v, ..., -1.1e-12, -1e-12, 0, 1e-12, 1.1e-12, ...: TensorFlow's */
static bool tensorflow_edges(Bins *bins) {
    int64_t n = 0;
    for (double v = 1e-12; v < 1e20; v *= 1.1) n++;
    if (!new_bins(bins, 2 * n)) return false;
    double v = 1e-12;
    bins->edges[n] = 0;
    for (int64_t i = 1; i <= n; i++, v *= 1.1) {
        bins->edges[n + i] = v;
        bins->edges[n - i] = -v;
    }
    return true;
}

/* numpy.linspace of the range of the values, which is 1 wide if they are all equal. */
static void fill_uniform(const Sample *s, Bins *bins) {
    double first = s->min, last = s->max;
    if (first == last) {
        first -= 0.5;
        last += 0.5;
    }
    const double step = (last - first) / (double)bins->count;
    for (int64_t i = 0; i < bins->count; i++) bins->edges[i] = (double)i * step + first;
    bins->edges[bins->count] = last;
}

static double mean(const Sample *s) {
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += s->x[i];
    return sum / (double)s->n;
}

static double deviation(const Sample *s) {
    const double m = mean(s);
    double sum = 0;
    for (int64_t i = 0; i < s->n; i++) sum += (s->x[i] - m) * (s->x[i] - m);
    return sqrt(sum / (double)s->n);
}

/* numpy.percentile, with linear interpolation */
static double quantile(const Sample *s, double q) {
    const double at = (double)(s->n - 1) * q, t = at - floor(at);
    const int64_t i = (int64_t)at;
    const double a = s->x[i], b = s->x[i + 1 < s->n ? i + 1 : i];
    return t >= 0.5 ? b - (b - a) * (1 - t) : a + (b - a) * t;
}

/* The widths of bins. */
static double width_of_sqrt(const Sample *s) {
    return (s->max - s->min) / sqrt((double)s->n);
}
static double width_of_sturges(const Sample *s) {
    return (s->max - s->min) / (log2((double)s->n) + 1);
}
static double width_of_rice(const Sample *s) {
    return (s->max - s->min) / (2 * pow((double)s->n, 1.0 / 3));
}
static double width_of_scott(const Sample *s) {
    return pow(24 * sqrt(3.14159265358979323846) / (double)s->n, 1.0 / 3) * deviation(s);
}
static double width_of_fd(const Sample *s) {
    return 2 * (quantile(s, 0.75) - quantile(s, 0.25)) * pow((double)s->n, -1.0 / 3);
}
static double width_of_auto(const Sample *s) {
    return fmin(fmax(width_of_fd(s), width_of_sqrt(s) / 2), width_of_sturges(s));
}
static double width_of_doane(const Sample *s) {
    const double n = (double)s->n, sigma = deviation(s), m = mean(s);
    if (s->n <= 2 || !(sigma > 0)) return 0;
    double skewness = 0;
    for (int64_t i = 0; i < s->n; i++) skewness += pow((s->x[i] - m) / sigma, 3);
    skewness /= n;
    return (s->max - s->min) / (1 + log2(n) + log2(1 + fabs(skewness) / sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))));
}
/* The number of bins with the least estimated loss of leave-one-out cross-validation. NaN with an error. */
static double width_of_stone(const Sample *s) {
    const double n = (double)s->n, range = s->max - s->min;
    if (s->n <= 1 || range == 0) return 0;
    const int64_t most = s->n > 10000 ? (int64_t)sqrt(n) : 100;
    int64_t best = 1;
    double least = INFINITY;
    Bins bins;
    if (!new_bins(&bins, most)) {
        free_bins(&bins);
        return NAN;
    }
    for (bins.count = 1; bins.count <= most; bins.count++) {
        fill_uniform(s, &bins);
        count_values(s, &bins);
        double squares = 0;
        for (int64_t i = 0; i < bins.count; i++) squares += bins.counts[i] / n * (bins.counts[i] / n);
        const double loss = (2 - (n + 1) * squares) / (range / (double)bins.count);
        if (loss < least) {
            least = loss;
            best = bins.count;
        }
    }
    free_bins(&bins);
    return range / (double)best;
}

static bool named_edges(const Sample *s, const char *name, Bins *bins) {
    static const struct {
        const char *name;
        double (*width)(const Sample *s);
    } rules[] = {{"auto", width_of_auto},   {"doane", width_of_doane},    {"fd", width_of_fd},
                 {"rice", width_of_rice},   {"scott", width_of_scott},    {"sqrt", width_of_sqrt},
                 {"stone", width_of_stone}, {"sturges", width_of_sturges}};
    enum { RULES = sizeof rules / sizeof *rules };
    int i = 0;
    while (i < RULES && strcmp(rules[i].name, name) != 0) i++;
    if (i == RULES) return tg_fail("'%s' is not a valid estimator for `bins`", name);
    const double width = rules[i].width(s), range = s->max > s->min ? s->max - s->min : 1;
    if (isnan(width)) return !t_error() && tg_fail("the width of the bins is not a number");
    return new_bins(bins, width > 0 ? (int64_t)fmin(ceil(range / width), 1e18) : 1);
}

static bool given_edges(Tensor *edges, Bins *bins) {
    Tensor *x = tg_values_as(edges, t_float64);
    if (!x) return false;
    if (x->ndim != 1 || x->shape[0] < 2) return tg_fail("`bins` must be 1d, with at least two edges");
    const double *from = tg_data(x);
    for (int64_t i = 1; i < x->shape[0]; i++)
        if (from[i - 1] > from[i]) return tg_fail("`bins` must increase monotonically, when an array");
    if (!new_bins(bins, x->shape[0] - 1)) return false;
    memcpy(bins->edges, from, (size_t)x->shape[0] * sizeof(double));
    return true;
}

static bool find_edges(const Sample *s, const tensorboard_HistogramOptions *o, Bins *bins) {
    if (o->bin_edges) return given_edges(o->bin_edges, bins);
    if (!o->num_bins && strcmp(o->bins, "tensorflow") == 0) return tensorflow_edges(bins);
    if (o->num_bins < 0) return tg_fail("`bins` must be positive, when an integer");
    if (!isfinite(s->min) || !isfinite(s->max))
        return tg_fail("autodetected range of [%g, %g] is not finite", s->min, s->max);
    if (o->num_bins ? !new_bins(bins, o->num_bins) : !named_edges(s, o->bins, bins)) return false;
    fill_uniform(s, bins);
    return true;
}

/* ---- the message ---- */

/* Adds up as many neighbours as make about `most` bins. */
static void combine(Bins *bins, int64_t most) {
    const int64_t each = bins->count / most;
    int64_t groups = 0;
    for (int64_t i = 0; i < bins->count; i += each, groups++) {
        double sum = 0;
        for (int64_t k = i; k < i + each && k < bins->count; k++) sum += bins->counts[k];
        bins->edges[groups] = bins->edges[i];
        bins->counts[groups] = sum;
    }
    bins->edges[groups] = bins->edges[bins->count];
    bins->count = groups;
}

static void put_histogram(tg_Output *out, const double stats[5], const double *limits, const double *counts,
                          int64_t count, bool empty_first) {
    const size_t histogram = tg_proto_begin(out, VALUE_HISTO);
    for (uint32_t i = 0; i < 5; i++)
        if (stats[i] != 0 || signbit(stats[i])) tg_proto_double(out, i + 1, stats[i]);
    tg_proto_packed_doubles(out, 6, limits, (size_t)count);
    const double zero = 0;
    const size_t buckets = tg_proto_begin(out, 7);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, empty_first ? i ? &counts[i - 1] : &zero : &counts[i], sizeof bits);
        uint8_t bytes[8];
        for (int b = 0; b < 8; b++) bytes[b] = (uint8_t)(bits >> 8 * b);
        tg_output_write(out, bytes, 8);
    }
    tg_proto_end(out, buckets);
    tg_proto_end(out, histogram);
}

/* The buckets from the first to the last that has values; TensorBoard knows right limits only, so an empty bucket is
 * before them, whose limit is the first one's left. */
static bool add_bins(tg_EventFile *file, const char *tag, const double stats[5], const Bins *bins,
                     const tensorboard_HistogramOptions *o) {
    int64_t first = 0, last = bins->count - 1;
    while (first < bins->count && !(bins->counts[first] > 0)) first++;
    while (last > first && !(bins->counts[last] > 0)) last--;
    if (first == bins->count) return tg_fail("The histogram is empty: no value of \"%s\" is within the bins", tag);
    tg_SummaryEvent event;
    tg_summary_begin(&event, tag, o->walltime, o->global_step);
    const double *counts = first ? bins->counts + first - 1 : bins->counts;
    put_histogram(&event.out, stats, bins->edges + first, counts, last - first + 2, first == 0);
    return tg_summary_add(file, &event);
}

bool tensorboard_add_histogram(tensorboard_SummaryWriter *self, const char *tag, Tensor *values,
                               const tensorboard_HistogramOptions *options) {
    tensorboard_HistogramOptions o = {TENSORBOARD_HISTOGRAM_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(values, 3) ||
        !tg_take_options(&o, options, sizeof o) || !tg_check_any_optional(o.bin_edges, 5) ||
        !tg_check_given(o.bins != NULL, 5, "a text"))
        return false;
    const int64_t n = tg_numel(values);
    if (n == 0) return tg_fail("The input has no element.");
    if (o.max_bins < 0) return tg_fail("max_bins is %lld, but must be positive", (long long)o.max_bins);
    const int depth = t_scope_open();
    if (!depth) return false;
    Tensor *x = tg_values_as(values, t_float64);
    double *sorted = x ? tg_alloc((size_t)n * sizeof *sorted) : NULL;
    Bins bins = {0};
    bool ok = sorted != NULL;
    if (ok) {
        const double *from = tg_data(x);
        double sum = 0, squares = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += from[i];
            squares += from[i] * from[i];
        }
        memcpy(sorted, from, (size_t)n * sizeof *sorted);
        qsort(sorted, (size_t)n, sizeof *sorted, compare);
        const bool has_nan = isnan(sorted[n - 1]); /* then numpy's min and max are NaN */
        const Sample s = {sorted, n, has_nan ? NAN : sorted[0], has_nan ? NAN : sorted[n - 1]};
        const double stats[] = {s.min, s.max, (double)n, sum, squares};
        ok = find_edges(&s, &o, &bins);
        if (ok) count_values(&s, &bins);
        if (ok && o.max_bins && bins.count > o.max_bins) combine(&bins, o.max_bins);
        ok = ok && add_bins(file, tag, stats, &bins, &o);
    }
    free_bins(&bins);
    tg_free(sorted, (size_t)n * sizeof *sorted);
    t_scope_close(depth);
    return ok;
}

bool tensorboard_add_histogram_raw(tensorboard_SummaryWriter *self, const char *tag, double min, double max, double num,
                                   double sum, double sum_squares, Tensor *bucket_limits, Tensor *bucket_counts,
                                   const tensorboard_EventOptions *options) {
    tensorboard_EventOptions o = {TENSORBOARD_EVENT_DEFAULTS_};
    tg_EventFile *file = tg_writer_file(self);
    if (!file || !tg_check_given(tag != NULL, 2, "a text") || !tg_check_any(bucket_limits, 8) ||
        !tg_check_any(bucket_counts, 9) || !tg_take_options(&o, options, sizeof o))
        return false;
    if (tg_numel(bucket_limits) != tg_numel(bucket_counts))
        return tg_fail("len(bucket_limits) != len(bucket_counts), see the document.");
    const int depth = t_scope_open();
    if (!depth) return false;
    Tensor *limits = tg_values_as(bucket_limits, t_float64), *counts = tg_values_as(bucket_counts, t_float64);
    const double stats[] = {min, max, num, sum, sum_squares};
    bool ok = limits && counts;
    if (ok) {
        tg_SummaryEvent event;
        tg_summary_begin(&event, tag, o.walltime, o.global_step);
        put_histogram(&event.out, stats, tg_data(limits), tg_data(counts), tg_numel(limits), false);
        ok = tg_summary_add(file, &event);
    }
    t_scope_close(depth);
    return ok;
}
