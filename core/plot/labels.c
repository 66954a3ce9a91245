/* core/plot/labels.c: titles, labels, ticks, limits, the legend's and the grid's settings. */
#include <string.h>

#include "core/plot/figure/figure.h"

/* ---- texts ---- */

static bool set_text(const char *text, const plt_TextOptions *options, const char *which, int axis) {
    plt_TextOptions o = {sizeof o, NAN};
    if (!tg_take_options(&o, options, sizeof o)) return false;
    if (!text) return t_error() ? false : tg_fail("the text of %s is NULL", which) != NULL;
    if (o.fontsize <= 0 || isinf(o.fontsize)) return tg_fail("fontsize must be positive, not %g", o.fontsize);
    Arena arena = {NULL};
    const char *copy = tg_arena_text(&arena, text);
    Axes *axes = copy ? tg_gca() : NULL;
    if (!axes) {
        tg_arena_free(&arena);
        return false;
    }
    tg_arena_join(&axes->figure->arena, &arena);
    if (axis < 0) {
        axes->title = copy;
        axes->title_size = isnan(o.fontsize) ? 1.2 * axes->figure->font_size : o.fontsize;
    } else {
        axes->axis[axis].label = copy;
        axes->axis[axis].label_size = isnan(o.fontsize) ? axes->figure->font_size : o.fontsize;
    }
    return true;
}

/* plt.title(text), replacing an earlier one; "\n" begins a new line. */
bool plt_title(const char *label, const plt_TextOptions *options) {
    return set_text(label, options, "plt_title", -1);
}

/* plt.xlabel(text) */
bool plt_xlabel(const char *xlabel, const plt_TextOptions *options) {
    return set_text(xlabel, options, "plt_xlabel", X);
}

/* plt.ylabel(text) */
bool plt_ylabel(const char *ylabel, const plt_TextOptions *options) {
    return set_text(ylabel, options, "plt_ylabel", Y);
}

/* ---- ticks ---- */

const char *const *tg_copy_labels(Arena *arena, const char *const *labels, int64_t count) {
    const char **copy = tg_arena_alloc(arena, count + 1, sizeof *copy);
    for (int64_t i = 0; copy && i < count; i++) {
        if (!labels[i])
            return tg_fail("The number of FixedLocator locations (%lld), usually from a call to set_ticks, does not "
                           "match the number of labels (%lld).", (long long)count, (long long)i);
        if (!(copy[i] = tg_arena_text(arena, labels[i]))) return NULL;
    }
    return copy;
}

void tg_set_ticks(Axes *axes, int which, const double *ticks, int64_t count, const char *const *labels) {
    Axis *axis = &axes->axis[which];
    tg_autoscale_view(axes);
    axis->has_ticks = true;
    axis->ticks = ticks;
    axis->tick_count = count;
    axis->tick_labels = labels;
    double limits[2], *view = axis->view;
    if (!tg_data_limits(ticks, count, limits)) return;
    int low = view[0] <= view[1] ? 0 : 1; /* the end with the smaller value */
    view[low] = fmin(view[low], limits[0]);
    view[1 - low] = fmax(view[1 - low], limits[1]);
}

static bool set_ticks(Tensor *ticks, const plt_TicksOptions *options, int which) {
    plt_TicksOptions o = {sizeof o, NULL, NAN, NAN};
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_optional(ticks, 1)) return false;
    if (ticks && ticks->ndim != 1)
        return tg_fail("ticks must have rank 1, but have shape %s", tg_numpy_shape_text(ticks->shape, ticks->ndim));
    if (!ticks && o.labels) return tg_fail("labels require ticks, one for each");
    if (o.fontsize <= 0 || isinf(o.fontsize)) return tg_fail("fontsize must be positive, not %g", o.fontsize);
    if (isinf(o.rotation)) return tg_fail("rotation must be finite, not %g", o.rotation);
    Arena arena = {NULL};
    int64_t count = ticks ? tg_numel(ticks) : 0;
    const double *at = ticks ? tg_doubles_of(&arena, ticks) : NULL;
    const char *const *labels = at && o.labels ? tg_copy_labels(&arena, o.labels, count) : NULL;
    Axes *axes = (ticks && !at) || (o.labels && !labels) ? NULL : tg_gca();
    if (!axes) {
        tg_arena_free(&arena);
        return false;
    }
    if (ticks) tg_set_ticks(axes, which, at, count, labels);
    if (!isnan(o.rotation)) axes->axis[which].rotation = o.rotation;
    if (!isnan(o.fontsize)) axes->axis[which].tick_size = o.fontsize;
    tg_arena_join(&axes->figure->arena, &arena);
    return true;
}

/* plt.xticks(ticks, labels, rotation=): ticks of rank 1, in any order; the view is extended to include them. labels
 * needs a text for each. Without ticks (NULL) only rotation and fontsize are set. Errors: another rank, a NULL among
 * the labels. */
bool plt_xticks(Tensor *ticks, const plt_TicksOptions *options) {
    return set_ticks(ticks, options, X);
}

/* plt.yticks(ticks, labels, rotation=): see plt_xticks. */
bool plt_yticks(Tensor *ticks, const plt_TicksOptions *options) {
    return set_ticks(ticks, options, Y);
}

/* ---- limits ---- */

static bool set_limits(double first, double last, int which) {
    if (!isfinite(first) || !isfinite(last))
        return tg_fail("Axis limits cannot be NaN or Inf, but are %g and %g", first, last);
    Axes *axes = tg_gca();
    if (!axes) return false;
    tg_nonsingular(&first, &last, 0.05);
    Axis *axis = &axes->axis[which];
    axis->view[0] = first;
    axis->view[1] = last;
    axis->fixed = true;
    axis->stale = false;
    return true;
}

/* plt.xlim(left, right): left may be the larger one. Data added later does not change the limits. Error: not
 * finite. */
bool plt_xlim(double left, double right) {
    return set_limits(left, right, X);
}

/* plt.ylim(bottom, top): see plt_xlim. */
bool plt_ylim(double bottom, double top) {
    return set_limits(bottom, top, Y);
}

/* ---- legend and grid ---- */

static const char *const locations[] =
    {"best",        "upper right",  "upper left",   "lower left",   "lower right", "right",
                                        "center left", "center right", "lower center", "upper center", "center"};

/* plt.legend(loc): lists the artists that exist now and have a label, the bars of plt_bar last. Labels that begin with
 * '_' are omitted. "best" is the location that covers the least. Errors: an unknown loc. */
bool plt_legend(const plt_LegendOptions *options) {
    plt_LegendOptions o = {sizeof o, "best", NAN, true};
    int loc = 0, count = sizeof locations / sizeof *locations;
    if (!tg_take_options(&o, options, sizeof o)) return false;
    while (o.loc && loc < count && strcmp(o.loc, locations[loc]) != 0) loc++;
    if (loc == count)
        return tg_fail("'%s' is not a valid value for loc. Supported values are 'best', 'upper right', 'upper left', "
                       "'lower left', 'lower right', 'right', 'center left', 'center right', 'lower center', 'upper "
                       "center', 'center'", o.loc);
    if (o.fontsize <= 0 || isinf(o.fontsize)) return tg_fail("fontsize must be positive, not %g", o.fontsize);
    Axes *axes = tg_gca();
    if (!axes) return false;
    axes->legend = true;
    axes->legend_until = NULL;
    for (const Artist *artist = axes->artists; artist; artist = artist->next) axes->legend_until = artist;
    axes->legend_loc = loc;
    axes->legend_size = isnan(o.fontsize) ? axes->figure->font_size : o.fontsize;
    axes->legend_frame = o.frameon;
    return true;
}

/* plt.grid(): lines at the ticks, drawn below lines and above images and bars. Errors: unknown words. */
bool plt_grid(const plt_GridOptions *options) {
    plt_GridOptions o = {sizeof o, true, "both", "-", NULL, 0.8, 1};
    Color color;
    if (!tg_take_options(&o, options, sizeof o)) return false;
    const char *axis = o.axis ? o.axis : "both", *linestyle = tg_parse_linestyle(o.linestyle ? o.linestyle : "-");
    bool both = strcmp(axis, "both") == 0, x = strcmp(axis, "x") == 0, y = strcmp(axis, "y") == 0;
    if (!both && !x && !y)
        return tg_fail("'%s' is not a valid value for axis. Supported values are 'x', 'y', 'both'", axis);
    if (!(o.linewidth >= 0 && isfinite(o.linewidth)))
        return tg_fail("linewidth must be finite and not negative, but is %g", o.linewidth);
    if (!linestyle || !tg_check_alpha(o.alpha) || !tg_color(o.color ? o.color : "#b0b0b0", &color)) return false;
    color.a *= o.alpha;
    Axes *axes = tg_gca();
    for (int i = 0; axes && i < 2; i++) {
        if (!both && !(i == X ? x : y)) continue;
        axes->axis[i].grid = o.visible;
        axes->axis[i].grid_color = color;
        axes->axis[i].grid_linestyle = linestyle;
        axes->axis[i].grid_linewidth = o.linewidth;
    }
    return axes != NULL;
}
