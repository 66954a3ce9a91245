/* core/plot/pyplot.c: the figures that a thread has open, the current axes, and rcParams.
 *
 * The open figures of a thread are one object of its root scope, which is released when the thread ends. */
#include "core/plot/pyplot.h"

#include <stdio.h>
#include <string.h>

#include "core/plot/figure/figure.h"
#include "core/plot/text/format.h"

/* ---- the open figures of a thread ---- */

static _Thread_local PyplotState *plots;

static void figure_free(Figure *figure) {
    tg_arena_free(&figure->arena);
    tg_free(figure, sizeof *figure);
}

static void plots_destroy(void *object) {
    PyplotState *self = object;
    tg_object_dispose(&self->object);
    for (Figure *figure; (figure = self->figure);) {
        self->figure = figure->older;
        figure_free(figure);
    }
    plots = NULL;
    tg_object_free(&self->object, sizeof *self);
}

static const t_Class plots_class = {"pyplot", plots_destroy};

PyplotState *tg_pyplot_state(void) {
    if (plots || !(plots = tg_alloc(sizeof *plots))) return plots;
    plots->unicode_minus = true;
    strcpy(plots->font_family, "DejaVu Sans");
    plots->font_size = 10;
    plots->figure_dpi = 100;
    plots->figure_width = 6.4;
    plots->figure_height = 4.8;
    tg_object_init(&plots->object, &plots_class);
    t_keep_forever(plots);
    return plots;
}

/* ---- figures ---- */

static Figure *new_figure(double width, double height, double dpi) {
    Figure *figure = tg_alloc(sizeof *figure);
    if (!figure) return NULL;
    figure->width = width;
    figure->height = height;
    figure->dpi = dpi;
    figure->left = 0.125;
    figure->right = 0.9;
    figure->bottom = 0.11;
    figure->top = 0.88;
    figure->wspace = figure->hspace = 0.2;
    figure->font_size = plots->font_size;
    figure->last = &figure->axes;
    figure->older = plots->figure;
    return figure;
}

/* plt.figure(figsize=, dpi=): a new figure, which becomes the current one. Errors: a size that is not positive
 * and finite, or more than 2^16 pixels wide or high. */
bool plt_figure(const plt_FigureOptions *options) {
    plt_FigureOptions o = {sizeof o, {NAN, NAN}, NAN};
    if (!tg_take_options(&o, options, sizeof o) || !tg_pyplot_state()) return false;
    if (isnan(o.figsize[0])) o.figsize[0] = plots->figure_width;
    if (isnan(o.figsize[1])) o.figsize[1] = plots->figure_height;
    if (isnan(o.dpi)) o.dpi = plots->figure_dpi;
    if (!tg_check_size(o.figsize[0], o.figsize[1], o.dpi)) return false;
    Figure *figure = new_figure(o.figsize[0], o.figsize[1], o.dpi);
    if (!figure) return false;
    plots->figure = figure;
    return true;
}

bool tg_check_size(double width, double height, double dpi) {
    const double most = 65536;
    if (!(width > 0 && height > 0 && isfinite(width) && isfinite(height)))
        return tg_fail("figure size must be positive finite not (%g, %g)", width, height);
    if (!(dpi > 0)) return tg_fail("dpi must be positive, not %g", dpi);
    if (width * dpi >= most || height * dpi >= most)
        return tg_fail("Image size of %.0fx%.0f pixels is too large. It must be less than 2^16 in each direction.",
                       width * dpi, height * dpi);
    return true;
}

/* plt.close(): NULL closes the current figure, and the previous one becomes current; "all" closes every figure. Without
 * a figure it does nothing. Error: another text. */
bool plt_close(const char *fig) {
    if (fig && strcmp(fig, "all") != 0)
        return tg_fail("fig is '%s'; it must be NULL (the current figure) or 'all'", fig);
    for (Figure *figure; plots && (figure = plots->figure);) {
        plots->figure = figure->older;
        figure_free(figure);
        if (!fig) break;
    }
    return true;
}

/* plt.show(): draws the open figures on stdout, the oldest first, and closes them. */
bool plt_show(void) {
    while (plots && plots->figure) {
        Figure **oldest = &plots->figure, *figure;
        while ((*oldest)->older) oldest = &(*oldest)->older;
        figure = *oldest;
        for (Axes *axes = figure->axes; axes; axes = axes->next) tg_autoscale_view(axes);
        if (!tg_show_figure(figure)) return false;
        *oldest = NULL;
        figure_free(figure);
    }
    return true;
}

/* ---- axes ---- */

static void set_up_axis(Axis *axis, double font_size) {
    axis->view[1] = 1;
    axis->tick_size = axis->label_size = font_size;
}

Axes *tg_new_axes(Arena *arena, Figure *figure, SubplotSpec spec) {
    Axes *axes = tg_arena_alloc(arena, 1, sizeof *axes);
    if (!axes) return NULL;
    axes->figure = figure;
    axes->spec = spec;
    axes->anchor = 0.5;
    axes->frame = true;
    axes->last = &axes->artists;
    axes->title_size = 1.2 * figure->font_size;
    set_up_axis(&axes->axis[X], figure->font_size);
    set_up_axis(&axes->axis[Y], figure->font_size);
    return axes;
}

void tg_add_axes(Figure *figure, Axes *axes) {
    *figure->last = axes;
    figure->last = &axes->next;
}

/* The axes of that subplot; creates them, and the figure, if they do not exist. */
static Axes *subplot(int64_t rows, int64_t columns, int64_t index) {
    if (!tg_pyplot_state()) return NULL;
    Figure *figure = plots->figure;
    for (Axes *axes = figure ? figure->axes : NULL; axes; axes = axes->next)
        if (!axes->colorbar_of && axes->spec.rows == rows && axes->spec.columns == columns &&
            axes->spec.index == index)
            return figure->current = axes;
    if (!figure) figure = new_figure(plots->figure_width, plots->figure_height, plots->figure_dpi);
    Axes *axes = figure ? tg_new_axes(&figure->arena, figure, (SubplotSpec){rows, columns, index, {0, 0, 1, 1}}) : NULL;
    if (!axes) {
        if (figure && figure != plots->figure) figure_free(figure);
        return NULL;
    }
    plots->figure = figure;
    tg_add_axes(figure, axes);
    return figure->current = axes;
}

Axes *tg_gca(void) {
    Figure *figure = plots ? plots->figure : NULL;
    return figure && figure->current ? figure->current : subplot(1, 1, 1 - 1);
}

Current tg_current(void) {
    Figure *figure = plots ? plots->figure : NULL;
    return (Current){figure, figure ? figure->current : NULL};
}

void tg_restore(Current before) {
    Current now = tg_current();
    if (now.figure != before.figure) {
        plots->figure = now.figure->older;
        figure_free(now.figure);
    } else if (now.axes != before.axes) { /* the first ones of the figure */
        now.figure->axes = now.figure->current = NULL;
        now.figure->last = &now.figure->axes;
    }
}

/* plt.subplot(nrows, ncols, index): the axes of one cell of a grid become the current ones; index counts from 1, row by
 * row. Existing axes are reused. Error: an index outside the grid. */
bool plt_subplot(int64_t nrows, int64_t ncols, int64_t index) {
    const int64_t most = 1000;
    if (nrows < 1 || nrows > most)
        return tg_fail("Number of rows must be a positive integer, not %lld", (long long)nrows);
    if (ncols < 1 || ncols > most)
        return tg_fail("Number of columns must be a positive integer, not %lld", (long long)ncols);
    if (index < 1 || index > nrows * ncols)
        return tg_fail("num must be an integer with 1 <= num <= %lld, not %lld", (long long)(nrows * ncols),
                       (long long)index);
    return subplot(nrows, ncols, index - 1) != NULL;
}

/* ---- rcParams ---- */

static bool read_bool(const char *key, const char *value, bool *to) {
    static const char *const words[] =
        {"True", "true", "1", "on", "yes", "y", "t", "False", "false", "0", "off", "no", "n", "f"};
    enum { WORDS = sizeof words / sizeof *words };
    for (int i = 0; i < WORDS; i++) {
        if (strcmp(value, words[i]) != 0) continue;
        *to = i < WORDS / 2;
        return true;
    }
    return tg_fail("Key %s: Cannot convert '%s' to bool", key, value);
}

static bool read_positive(const char *key, const char *value, double *to) {
    double number;
    if (!tg_read_number(value, &number)) return tg_fail("Key %s: could not convert string to float: '%s'", key, value);
    if (!(number > 0 && isfinite(number))) return tg_fail("Key %s: '%s' is not a positive number", key, value);
    *to = number;
    return true;
}

/* "12, 6" */
static bool read_size(const char *key, const char *value, double *width, double *height) {
    char first[40];
    double w = 0, h = 0;
    const char *comma = strchr(value, ',');
    if (!comma || comma - value >= (int)sizeof first)
        return tg_fail("Key %s: '%s' is not two numbers, \"12, 6\"", key, value);
    snprintf(first, sizeof first, "%.*s", (int)(comma - value), value);
    if (!read_positive(key, first, &w) || !read_positive(key, comma + 1, &h)) return false;
    *width = w;
    *height = h;
    return true;
}

static bool read_family(const char *key, const char *value) {
    Arena arena = {NULL};
    if (strlen(value) >= sizeof plots->font_family)
        return tg_fail("Key %s: %zu characters are too many", key, strlen(value));
    const char *text = tg_arena_text(&arena, value);
    bool fits = text && strcmp(text, value) == 0;
    if (fits) strcpy(plots->font_family, value);
    else if (text) tg_fail("Key %s: '%s' is not a text in UTF-8", key, text);
    tg_arena_free(&arena);
    return fits;
}

/* plt.rcParams[key] = value, for new figures; axes.unicode_minus also for those that are not drawn yet. Texts
 * are measured as in DejaVu Sans, whatever family the file then names. Errors: another key, a value that is not of its
 * kind. */
bool plt_rcParams(const char *key, const char *value) {
    if (!key || !value)
        return t_error() ? false : tg_fail("the %s of plt_rcParams is NULL", key ? "value" : "key") != NULL;
    if (!tg_pyplot_state()) return false;
    if (strcmp(key, "axes.unicode_minus") == 0) return read_bool(key, value, &plots->unicode_minus);
    if (strcmp(key, "font.size") == 0) return read_positive(key, value, &plots->font_size);
    if (strcmp(key, "figure.dpi") == 0) return read_positive(key, value, &plots->figure_dpi);
    if (strcmp(key, "figure.figsize") == 0) return read_size(key, value, &plots->figure_width, &plots->figure_height);
    if (strcmp(key, "font.sans-serif") != 0) return tg_fail("'%s' is not a valid value for rcParam.", key);
    return read_family(key, value);
}
