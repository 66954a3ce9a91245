/* core/plot/bars.c: plt.bar and plt.hist. */
#include <stdio.h>

#include "core/plot/figure/figure.h"

static void widen(double limits[2], double value) {
    if (!isfinite(value)) return;
    limits[0] = fmin(limits[0], value);
    limits[1] = fmax(limits[1], value);
}

/* The bars' baseline is a sticky edge: the axis margin does not extend beyond it. */
static void set_limits_of_bars(Artist *bars) {
    for (int64_t i = 0; i < bars->count; i++) {
        widen(bars->limits[X], bars->x[i]);
        widen(bars->limits[X], bars->x[i] + bars->width[i]);
        widen(bars->limits[Y], bars->bottom);
        widen(bars->limits[Y], bars->bottom + bars->y[i]);
    }
    if (bars->count > 0) bars->sticky[Y][0] = bars->bottom;
}

/* The common end of the calls: adds the artist to the current axes. */
static bool add_bars(Arena *arena, Artist *bars, const char *color, double alpha, int cycle, Axes **axes) {
    *axes = bars ? tg_gca() : NULL;
    if (!*axes) {
        tg_arena_free(arena);
        return false;
    }
    bars->color = tg_color_or_next(color, alpha, *axes, cycle);
    tg_add_artist(*axes, bars);
    tg_arena_join(&(*axes)->figure->arena, arena);
    return true;
}

/* ---- bar ---- */

static bool check_bar(const Tensor *x, const Tensor *height, const plt_BarOptions *o) {
    Color unused;
    char shape[200];
    int64_t xn = tg_numel(x), hn = tg_numel(height);
    if (x->ndim > 1 || height->ndim > 1)
        return tg_fail("x and height must have rank 0 or 1, but they have rank %d and %d", x->ndim, height->ndim);
    if (xn != hn && xn != 1 && hn != 1) {
        snprintf(shape, sizeof shape, "%s", tg_numpy_shape_text(x->shape, x->ndim));
        return tg_fail("shape mismatch: objects cannot be broadcast to a single shape.  Mismatch is between 'x' with "
                       "shape %s and 'height' with shape %s.", shape, tg_numpy_shape_text(height->shape, height->ndim));
    }
    if (!isfinite(o->width) || !isfinite(o->bottom))
        return tg_fail("width (%g) and bottom (%g) must be finite", o->width, o->bottom);
    return tg_check_alpha(o->alpha) && (!o->color || tg_color(o->color, &unused));
}

static Artist *make_bars(Arena *arena, const Tensor *x, const Tensor *height, const plt_BarOptions *o) {
    int64_t xn = tg_numel(x), hn = tg_numel(height), count = xn == 1 ? hn : xn;
    Artist *bars = tg_new_artist(arena, ARTIST_BARS, o->label);
    const double *xs = tg_doubles_of(arena, x), *hs = tg_doubles_of(arena, height);
    double *left = tg_arena_alloc(arena, count, sizeof *left), *tall = tg_arena_alloc(arena, count, sizeof *tall);
    double *width = tg_arena_alloc(arena, count, sizeof *width);
    if (!bars || !xs || !hs || !left || !tall || !width) return NULL;
    for (int64_t i = 0; i < count; i++) {
        left[i] = xs[xn == 1 ? 0 : i] - o->width / 2;
        tall[i] = hs[hn == 1 ? 0 : i];
        width[i] = o->width;
    }
    bars->count = count;
    bars->x = left;
    bars->y = tall;
    bars->width = width;
    bars->bottom = o->bottom;
    bars->legend_last = true;
    set_limits_of_bars(bars);
    return bars;
}

static const plt_BarOptions bar_defaults = {sizeof bar_defaults, 0.8, 0, NULL, NULL, NULL, 1};

/* plt.bar(x, height): a bar around each x, from bottom to bottom + height. x and height of rank 1 and of the same
 * length; one element is broadcast. tick_label sets a tick with a text for each bar. Errors: lengths that differ,
 * unknown colours. */
bool plt_bar(Tensor *x, Tensor *height, const plt_BarOptions *options) {
    plt_BarOptions o = bar_defaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_two(x, height) || !check_bar(x, height, &o))
        return false;
    Arena arena = {NULL};
    Artist *bars = make_bars(&arena, x, height, &o);
    double *ticks = bars ? tg_arena_alloc(&arena, bars->count, sizeof *ticks) : NULL;
    const char *const *labels = NULL;
    for (int64_t i = 0; ticks && i < bars->count; i++) ticks[i] = bars->x[i] + o.width / 2;
    if (!ticks || (o.tick_label && !(labels = tg_copy_labels(&arena, o.tick_label, bars->count)))) bars = NULL;
    Axes *axes;
    if (!add_bars(&arena, bars, o.color, o.alpha, CYCLE_FILLS, &axes)) return false;
    if (labels) tg_set_ticks(axes, X, ticks, bars->count, labels);
    return true;
}

/* ---- hist ---- */

/* The range of the bins: the given one, else that of the values; widened if its width is 0. */
static bool hist_range(const double *values, int64_t count, const double asked[2], double range[2]) {
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
        if (values[i] < low) low = values[i]; /* false for NaN */
        if (values[i] > high) high = values[i];
    }
    bool any = low <= high;
    range[0] = !isnan(asked[0]) ? asked[0] : any ? low : 0;
    range[1] = !isnan(asked[1]) ? asked[1] : any ? high : 1;
    if (!isfinite(range[0]) || !isfinite(range[1]))
        return tg_fail("supplied range of [%g, %g] is not finite", range[0], range[1]);
    if (range[0] > range[1])
        return tg_fail("max must be larger than min in range parameter, but they are %g and %g.", range[1], range[0]);
    if (range[0] == range[1]) {
        range[0] -= 0.5;
        range[1] += 0.5;
    }
    return true;
}

/* The edges of the bins, ascending; false with an error set if the range has not that many double values. */
static bool set_edges(double *edges, int64_t bins, const double range[2]) {
    double step = (range[1] - range[0]) / (double)bins;
    for (int64_t i = 0; i <= bins; i++) {
        edges[i] = i == bins ? range[1] : range[0] + (double)i * step;
        if (i > 0 && !(edges[i - 1] < edges[i]))
            return tg_fail("Too many bins for data range. Cannot create %lld finite-sized bins.", (long long)bins);
    }
    return true;
}

/* The bin of a value in range: by a division, corrected if rounding gave the wrong side of an edge. */
static int64_t bin_index(double value, const double *edges, int64_t bins) {
    int64_t bin = (int64_t)((value - edges[0]) / (edges[bins] - edges[0]) * (double)bins);
    if (bin >= bins) bin = bins - 1;
    if (value < edges[bin]) bin--;
    else if (bin != bins - 1 && value >= edges[bin + 1]) bin++;
    return bin;
}

static Artist *make_hist(Arena *arena, const Tensor *x, const plt_HistOptions *o) {
    int64_t count = tg_numel(x), bins = o->bins, counted = 0;
    double range[2];
    Artist *bars = tg_new_artist(arena, ARTIST_BARS, o->label);
    const double *values = tg_doubles_of(arena, x);
    double *edges = tg_arena_alloc(arena, bins + 1, sizeof *edges), *tall = tg_arena_alloc(arena, bins, sizeof *tall);
    double *width = tg_arena_alloc(arena, bins, sizeof *width);
    if (!bars || !values || !edges || !tall || !width) return NULL;
    if (!hist_range(values, count, o->range, range) || !set_edges(edges, bins, range)) return NULL;
    for (int64_t i = 0; i < count; i++) {
        if (!(values[i] >= range[0] && values[i] <= range[1])) continue;
        tall[bin_index(values[i], edges, bins)]++;
        counted++;
    }
    for (int64_t i = 0; i < bins; i++) {
        width[i] = edges[i + 1] - edges[i];
        if (o->density && counted) tall[i] /= (double)counted * width[i];
    }
    bars->count = bins;
    bars->x = edges;
    bars->y = tall;
    bars->width = width;
    set_limits_of_bars(bars);
    return bars;
}

static const plt_HistOptions hist_defaults = {sizeof hist_defaults, 10, {NAN, NAN}, false, NULL, NULL, 1};

/* plt.hist(x): the number of elements of x, of any shape, in each of `bins` equal parts of the range, as
 * numpy.histogram counts them. Elements outside the range, and NaN, are not counted. Errors: bins < 1 or more than the
 * range has numbers for, a range that is not finite or backwards, which an infinite element makes it. */
bool plt_hist(Tensor *x, const plt_HistOptions *options) {
    plt_HistOptions o = hist_defaults;
    Color unused;
    const int64_t most = 1000000;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check(x, 1) || !tg_check_alpha(o.alpha)) return false;
    if (o.bins < 1 || o.bins > most)
        return tg_fail("`bins` must be positive and at most %lld, not %lld", (long long)most, (long long)o.bins);
    if (o.color && !tg_color(o.color, &unused)) return false;
    Arena arena = {NULL};
    Axes *axes;
    return add_bars(&arena, make_hist(&arena, x, &o), o.color, o.alpha, CYCLE_LINES, &axes);
}
