/* core/plot/plot_scatter.c: plt.plot and plt.scatter. */
#include <stdio.h>
#include <string.h>

#include "core/plot/figure/figure.h"

/* ---- names of line styles and markers ---- */

static const char marker_letters[] = ".,ov^<>sdDph*+x|_";

/* '\0' if the name means no marker. */
static bool read_marker(const char *word, char *to) {
    *to = '\0';
    if (!*word || strcmp(word, " ") == 0 || strcmp(word, "None") == 0 || strcmp(word, "none") == 0) return true;
    if (strlen(word) != 1 || !strchr(marker_letters, *word)) return tg_fail("Unrecognized marker style '%s'", word);
    *to = *word;
    return true;
}

const char *tg_parse_linestyle(const char *word) {
    static const struct {
        const char *word, *style;
    } words[] = {{"-", "-"},   {"solid", "-"},    {"--", "--"}, {"dashed", "--"}, {":", ":"},   {"dotted", ":"},
                 {"-.", "-."}, {"dashdot", "-."}, {"", ""},     {" ", ""},        {"None", ""}, {"none", ""}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i].word) == 0) return words[i].style;
    return tg_fail("'%s' is not a valid value for ls.", word);
}

/* ---- fmt: "r--", "o", "k:" ---- */

typedef struct Format {
    char color[32];        /* "" where fmt names none */
    const char *linestyle; /* NULL where it names none */
    char marker;           /* '\0' where it names none */
    char problem[60];      /* the error; "" if there is none */
} Format;

/* One symbol of fmt at `at`; its length, or 0 with the problem set. */
static size_t read_symbol(const char *at, Format *f) {
    bool line = *at == '-' || *at == ':', marker = strchr(marker_letters, *at) != NULL;
    bool numbered = *at == 'C' && at[1] >= '0' && at[1] <= '9', color = numbered || strchr("bgrcmykw", *at);
    const char *style = *at == ':' ? ":" : at[1] == '-' ? "--" : at[1] == '.' ? "-." : "-", *twice = NULL;
    size_t length = line ? strlen(style) : numbered ? 1 + strspn(at + 1, "0123456789") : 1;
    if (line && f->linestyle) twice = "linestyle";
    if (marker && f->marker) twice = "marker";
    if (color && *f->color) twice = "color";
    if (twice) snprintf(f->problem, sizeof f->problem, "two %s symbols", twice);
    else if (line) f->linestyle = style;
    else if (marker) f->marker = *at;
    else if (color) snprintf(f->color, sizeof f->color, "%.*s", (int)length, at);
    else if (*at == 'C') snprintf(f->problem, sizeof f->problem, "'C' must be followed by a number");
    else snprintf(f->problem, sizeof f->problem, "unrecognized character '%c'", *at);
    return *f->problem ? 0 : length;
}

/* Symbols for the line, the marker and the colour in any order, each at most once; or the name of a colour. */
static bool read_format(const char *fmt, Format *f) {
    *f = (Format){.linestyle = NULL};
    for (const char *at = fmt; *at;) {
        size_t length = read_symbol(at, f);
        if (length == 0) break;
        at += length;
    }
    if (!*f->problem) {
        if (f->marker && !f->linestyle) f->linestyle = "";
        return true;
    }
    Color unused;
    char problem[sizeof f->problem];
    snprintf(problem, sizeof problem, "%s", f->problem);
    *f = (Format){.linestyle = NULL};
    if (strlen(fmt) < sizeof f->color && tg_color(fmt, &unused)) return strcpy(f->color, fmt) != NULL;
    return tg_fail("'%s' is not a valid format string (%s)", fmt, problem);
}

/* The line style from the options; the colour is for the first line, others get the next of the cycle. */
static bool read_style(const plt_PlotOptions *o, Artist *artist, const char **color, Arena *arena) {
    Format f;
    Color unused;
    if (!tg_check_alpha(o->alpha) || !read_format(o->fmt ? o->fmt : "", &f)) return false;
    artist->linestyle = o->linestyle ? tg_parse_linestyle(o->linestyle) : f.linestyle ? f.linestyle : "-";
    artist->marker = f.marker;
    if (!artist->linestyle || (o->marker && !read_marker(o->marker, &artist->marker))) return false;
    if (!(o->linewidth >= 0 && isfinite(o->linewidth) && o->markersize >= 0 && isfinite(o->markersize)))
        return tg_fail("linewidth (%g) and markersize (%g) must be finite and not negative", o->linewidth,
                       o->markersize);
    artist->linewidth = o->linewidth;
    artist->markersize = o->markersize;
    *color = o->color ? o->color : *f.color ? tg_arena_text(arena, f.color) : NULL;
    return (!*color && !*f.color) || (*color && tg_color(*color, &unused));
}

/* ---- plot ---- */

static bool check_shapes(const Tensor *x, const Tensor *y) {
    static const int64_t one[] = {1};
    const int64_t *xs = x->ndim ? x->shape : one, *ys = y->ndim ? y->shape : one;
    int xn = x->ndim ? x->ndim : 1, yn = y->ndim ? y->ndim : 1;
    char shape[200];
    snprintf(shape, sizeof shape, "%s", tg_numpy_shape_text(xs, xn));
    if (xs[0] != ys[0])
        return tg_fail("x and y must have same first dimension, but have shapes %s and %s", shape,
                       tg_numpy_shape_text(ys, yn));
    if (xn > 2 || yn > 2)
        return tg_fail("x and y can be no greater than 2D, but have shapes %s and %s", shape,
                       tg_numpy_shape_text(ys, yn));
    int64_t xc = xn == 2 ? xs[1] : 1, yc = yn == 2 ? ys[1] : 1;
    if (xc > 1 && yc > 1 && xc != yc)
        return tg_fail("x has %lld columns but y has %lld columns", (long long)xc, (long long)yc);
    return true;
}

static int64_t columns_of(const Tensor *x) {
    return x->ndim == 2 ? x->shape[1] : 1;
}

/* Column c of values with `columns` of them, as an array; counting from 0 where values is NULL. */
static const double *column(Arena *arena, const double *values, int64_t rows, int64_t columns, int64_t c) {
    double *copy = tg_arena_alloc(arena, rows, sizeof *copy);
    for (int64_t r = 0; copy && r < rows; r++) copy[r] = values ? values[r * columns + c % columns] : (double)r;
    return copy;
}

/* The range of the points that can be drawn. */
static void set_limits_of_points(Artist *artist) {
    for (int64_t i = 0; i < artist->count; i++) {
        double at[2] = {artist->x[i], artist->y[i]};
        if (!isfinite(at[X]) || !isfinite(at[Y]) || (artist->c && isnan(artist->c[i]))) continue;
        for (int k = 0; k < 2; k++) {
            artist->limits[k][0] = fmin(artist->limits[k][0], at[k]);
            artist->limits[k][1] = fmax(artist->limits[k][1], at[k]);
        }
    }
}

/* The lines of plt.plot, one per column, linked by next; *first is NULL if there is no column. */
static bool make_lines(Arena *arena, const Tensor *x, const Tensor *y, const plt_PlotOptions *o, Artist **first,
                       const char **color) {
    int64_t rows = y->ndim ? y->shape[0] : 1, xc = x ? columns_of(x) : 1, yc = columns_of(y);
    int64_t count = xc == 0 || yc == 0 ? 0 : xc > yc ? xc : yc;
    enum { MOST = 1 << 20 };
    if (count > MOST)
        return tg_fail("%lld columns are too many lines: a plot shows at most %d", (long long)count, MOST);
    const double *xs = x ? tg_doubles_of(arena, x) : NULL, *ys = tg_doubles_of(arena, y);
    if ((x && !xs) || !ys) return false;
    Artist **last = first;
    for (int64_t c = 0; c < count; c++, last = &(*last)->next) {
        Artist *line = *last = tg_new_artist(arena, ARTIST_LINE, o->label);
        if (!line || !read_style(o, line, color, arena)) return false;
        line->count = rows;
        line->x = column(arena, xs, rows, xc, c);
        line->y = column(arena, ys, rows, yc, c);
        if (!line->x || !line->y) return false;
        set_limits_of_points(line);
    }
    return true;
}

static const plt_PlotOptions plot_defaults = {sizeof plot_defaults, NULL, NULL, NULL, NULL, NULL, NULL, 1.5, 6, 1};

/* plt.plot(y), plt.plot(x, y): y over x, or over 0, 1, 2, ... Rank 1, or rank 2 for a line a column; a point with a NaN
 * or an infinite coordinate leaves a gap. Errors: lengths that differ, a rank above 2, unknown words for colour,
 * marker, line. */
bool plt_plot(Tensor *x, const plt_PlotOptions *options) {
    plt_PlotOptions o = plot_defaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check(x, 1) || !tg_check_optional(o.y, 2)) return false;
    const Tensor *y = o.y ? o.y : x;
    if (!check_shapes(x, y)) return false;
    Arena arena = {NULL};
    Artist *first = NULL;
    const char *color = NULL;
    Axes *axes = make_lines(&arena, o.y ? x : NULL, y, &o, &first, &color) ? tg_gca() : NULL;
    if (!axes) {
        tg_arena_free(&arena);
        return false;
    }
    for (Artist *line = first, *next; line; line = next) {
        next = line->next;
        line->next = NULL;
        line->color = tg_color_or_next(color, o.alpha, axes, CYCLE_LINES);
        tg_add_artist(axes, line);
    }
    tg_arena_join(&axes->figure->arena, &arena);
    return true;
}

/* ---- scatter ---- */

static bool check_scatter(const Tensor *x, const Tensor *y, const plt_ScatterOptions *o) {
    int64_t count = tg_numel(x);
    Color unused;
    if (count != tg_numel(y))
        return tg_fail("x and y must be the same size, but they have %lld and %lld elements", (long long)count,
                       (long long)tg_numel(y));
    if (o->c && tg_numel(o->c) != count)
        return tg_fail("'c' argument has %lld elements, which is inconsistent with 'x' and 'y' with size %lld.",
                       (long long)tg_numel(o->c), (long long)count);
    if (!(o->s >= 0 && isfinite(o->s))) return tg_fail("s is %g; an area must be finite and not negative", o->s);
    if (o->c && o->color) return tg_fail("scatter takes one of c and color, not both");
    return tg_check_alpha(o->alpha) && (!o->color || tg_color(o->color, &unused));
}

static Artist *make_points(Arena *arena, const Tensor *x, const Tensor *y, const plt_ScatterOptions *o) {
    Artist *points = tg_new_artist(arena, ARTIST_POINTS, o->label);
    if (!points || !read_marker(o->marker ? o->marker : "o", &points->marker)) return NULL;
    points->count = tg_numel(x);
    points->x = tg_doubles_of(arena, x);
    points->y = tg_doubles_of(arena, y);
    points->markersize = sqrt(o->s);
    points->linewidth = 1.5;
    if (!points->x || !points->y) return NULL;
    if (o->c) {
        points->map = tg_colormap(o->cmap ? o->cmap : "viridis");
        points->c = points->map ? tg_doubles_of(arena, o->c) : NULL;
        if (!points->c || !tg_set_clim(points, points->c, points->count, NAN, NAN)) return NULL;
    }
    set_limits_of_points(points);
    return points;
}

static const plt_ScatterOptions scatter_defaults = {sizeof scatter_defaults, 36, NULL, NULL, "o", "viridis", NULL, 1};

/* plt.scatter(x, y): a marker at each point; x, y and c may have any shape, and as many elements. Points with a NaN are
 * left out. Errors: sizes that differ, unknown words. */
bool plt_scatter(Tensor *x, Tensor *y, const plt_ScatterOptions *options) {
    plt_ScatterOptions o = scatter_defaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_two(x, y) || !tg_check_optional(o.c, 3) ||
        !check_scatter(x, y, &o))
        return false;
    Arena arena = {NULL};
    Artist *points = make_points(&arena, x, y, &o);
    Axes *axes = points ? tg_gca() : NULL;
    if (!axes) {
        tg_arena_free(&arena);
        return false;
    }
    points->color = tg_color_or_next(o.c ? "black" : o.color, o.alpha, axes, CYCLE_FILLS);
    tg_add_artist(axes, points);
    tg_arena_join(&axes->figure->arena, &arena);
    return true;
}
