/* core/plot/figure/artist.c: tensors as arrays of double, their ranges, and functions that all artists use. */
#include <stdio.h>

#include "core/ops/ops.h"
#include "core/plot/figure/figure.h"

const double *tg_doubles_of(Arena *arena, const Tensor *x) {
    int64_t count = tg_numel(x);
    double *values = tg_arena_alloc(arena, count, sizeof *values);
    if (values) t_tolist(x, values, count);
    return values;
}

bool tg_data_limits(const double *values, int64_t count, double limits[2]) {
    limits[0] = INFINITY;
    limits[1] = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
        if (!isfinite(values[i])) continue;
        if (values[i] < limits[0]) limits[0] = values[i];
        if (values[i] > limits[1]) limits[1] = values[i];
    }
    return limits[0] <= limits[1];
}

Color tg_color_or_next(const char *name, double alpha, Axes *axes, int cycle) {
    static const char *const names[] = {"C0", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "C9"};
    enum { NAMES = sizeof names / sizeof *names };
    Color color = {0, 0, 0, 1};
    int *next = &axes->next_color[cycle];
    tg_color(name ? name : names[*next], &color);
    if (!name) *next = (*next + 1) % NAMES;
    color.a *= alpha;
    return color;
}

const char *tg_numpy_shape_text(const int64_t *shape, int ndim) {
    enum { CAPACITY = 200 };
    static _Thread_local char text[CAPACITY];
    int at = snprintf(text, CAPACITY, "(");
    for (int d = 0; d < ndim; d++)
        at += snprintf(text + at, (size_t)(CAPACITY - at), d ? ", %lld" : "%lld", (long long)shape[d]);
    snprintf(text + at, (size_t)(CAPACITY - at), ndim == 1 ? ",)" : ")");
    return text;
}

bool tg_check_alpha(double alpha) {
    return (alpha >= 0 && alpha <= 1) || tg_fail("alpha (%g) is outside 0-1 range", alpha);
}

bool tg_set_clim(Artist *artist, const double *values, int64_t count, double vmin, double vmax) {
    double limits[2];
    bool any = tg_data_limits(values, count, limits);
    artist->vmin = !isnan(vmin) ? vmin : any ? limits[0] : 0;
    artist->vmax = !isnan(vmax) ? vmax : any ? limits[1] : 1;
    if (isinf(artist->vmin) || isinf(artist->vmax))
        return tg_fail("vmin (%g) and vmax (%g) must be finite", artist->vmin, artist->vmax);
    if (artist->vmin <= artist->vmax) return true;
    return tg_fail("minvalue must be less than or equal to maxvalue, but they are %g and %g", artist->vmin,
                   artist->vmax);
}

double tg_normalize(const Artist *artist, double value) {
    if (!isfinite(value)) return NAN;
    double width = artist->vmax - artist->vmin, t = width > 0 ? (value - artist->vmin) / width : 0;
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

Artist *tg_new_artist(Arena *arena, ArtistKind kind, const char *label) {
    Artist *artist = tg_arena_alloc(arena, 1, sizeof *artist);
    if (!artist || (label && !(artist->label = tg_arena_text(arena, label)))) return NULL;
    artist->kind = kind;
    for (int i = 0; i < 2; i++) {
        artist->limits[i][0] = INFINITY;
        artist->limits[i][1] = -INFINITY;
        artist->sticky[i][0] = artist->sticky[i][1] = NAN;
    }
    return artist;
}

void tg_add_artist(Axes *axes, Artist *artist) {
    *axes->last = artist;
    axes->last = &artist->next;
    axes->axis[X].stale = axes->axis[Y].stale = true;
    if (artist->map) axes->mappable = artist;
}
