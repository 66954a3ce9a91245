/* core/plot/heatmap.c: seaborn's heat map. */
#include <stdio.h>

#include "core/plot/layout/layout.h"
#include "core/plot/text/format.h"

/* Whether two tick labels of an axis overlap. */
static bool labels_overlap(const Frame *frame, TextRole role) {
    for (int64_t i = 0; i < frame->count; i++) {
        if (frame->texts[i].role != role) continue;
        Box box = tg_text_box(&frame->texts[i]);
        for (int64_t j = i + 1; j < frame->count; j++)
            if (frame->texts[j].role == role && tg_overlap(box, tg_text_box(&frame->texts[j]))) return true;
    }
    return false;
}

typedef struct Ticks {
    int64_t count;
    double *at;
    const char *const *labels;
} Ticks;

/* The user's labels, one per cell; otherwise as many numbers as lines of text fit on an axis of that length. */
static bool choose_ticks(Arena *arena, const char *const *labels, int64_t cells, double length, double font_size,
                         Ticks *ticks) {
    enum { CAPACITY = 24 };
    const double fits = length / font_size;
    int64_t most = fits >= (double)cells + 1 ? cells + 1 : (int64_t)fits,
        every = labels ? 1 : most < 1 ? cells : cells / most + 1;
    ticks->count = labels ? cells : most < 1 ? 0 : (cells + every - 1) / every;
    ticks->at = tg_arena_alloc(arena, ticks->count, sizeof *ticks->at);
    const char **numbers = labels ? NULL : tg_arena_alloc(arena, ticks->count, sizeof *numbers);
    ticks->labels = labels ? tg_copy_labels(arena, labels, cells) : numbers;
    if (!ticks->at || !ticks->labels) return false;
    for (int64_t i = 0; i < ticks->count; i++) {
        ticks->at[i] = (double)(i * every) + 0.5;
        if (labels) continue;
        char *text = tg_arena_alloc(arena, CAPACITY, 1);
        if (!text) return false;
        snprintf(text, CAPACITY, "%lld", (long long)(i * every));
        numbers[i] = text;
    }
    return true;
}

/* Exact for integers that a double represents; INT64_MAX is not one. */
static int64_t to_int64(double value) {
    const double above = 9223372036854775808.0;
    return value >= above ? INT64_MAX : (int64_t)value;
}

/* A number in the format of the mesh's annotations. */
static bool write_number(const Artist *mesh, double value, char *to, size_t capacity) {
    return mesh->annotation_integers ? tg_format_spec_int(to, capacity, mesh->annotation, to_int64(value))
                                  : tg_format_spec(to, capacity, mesh->annotation, value);
}

static Artist *make_mesh(Arena *arena, const Tensor *data, const sns_HeatmapOptions *o) {
    char unused[8];
    Artist *mesh = tg_new_matrix(arena, ARTIST_MESH, data, o->cmap ? o->cmap : "rocket", o->vmin, o->vmax);
    if (!mesh || !tg_color(o->linecolor ? o->linecolor : "white", &mesh->color)) return NULL;
    if (!(o->linewidths >= 0 && isfinite(o->linewidths)))
        return tg_fail("linewidths must be finite and not negative, but is %g", o->linewidths);
    mesh->linewidth = o->linewidths;
    if (!o->annot) return mesh;
    mesh->annotation_integers = !tg_is_floating(data->dtype);
    mesh->annotation = tg_arena_text(arena, o->fmt ? o->fmt : ".2g");
    return mesh->annotation && write_number(mesh, 1, unused, sizeof unused) ? mesh : NULL;
}

bool tg_cell_text(const Axes *axes, const Frame *frame, const Artist *mesh, int64_t i, char *to, size_t capacity,
                  Text *text) {
    const double light = 0.408; /* above that luminance the text is dark */
    const Color white = {1, 1, 1, 1}, grey = {0.15, 0.15, 0.15, 1};
    double value = mesh->values[i];
    if (!mesh->annotation || !isfinite(value) || !write_number(mesh, value, to, capacity)) return false;
    *text = (Text){.role = TEXT_OTHER, .text = to, .size = axes->figure->font_size, .ha = CENTER, .va = MIDDLE};
    text->x = tg_to_points(frame, axes, X, (double)(i % mesh->columns) + 0.5);
    text->y = tg_to_points(frame, axes, Y, (double)(i / mesh->columns) + 0.5);
    text->color = tg_colormap_luminance(mesh->map, tg_normalize(mesh, value)) > light ? grey : white;
    return true;
}

static void set_axis(Axis *axis, double first, double last) {
    axis->view[0] = first;
    axis->view[1] = last;
    axis->fixed = true;
    axis->stale = false;
    axis->label = NULL;
}

/* The axes of a heat map: view, ticks, labels, without the mesh and the colorbar. */
static bool set_up_axes(Arena *arena, Axes *axes, const Artist *mesh, const sns_HeatmapOptions *o) {
    Axis *x_axis = &axes->axis[X], *y_axis = &axes->axis[Y];
    bool equal = axes->equal || o->square;
    Ticks x, y;
    Frame frame;
    if (o->cbar)
        axes->spec.part.x1 = axes->spec.part.x0 + TG_COLORBAR_PARENT_FRACTION *
            (axes->spec.part.x1 - axes->spec.part.x0);
    axes->equal = false;
    Box box = tg_axes_box(axes);
    if (!choose_ticks(arena, o->xticklabels, mesh->columns, box.x1 - box.x0, x_axis->tick_size, &x) ||
        !choose_ticks(arena, o->yticklabels, mesh->rows, box.y1 - box.y0, y_axis->tick_size, &y))
        return false;
    axes->frame = false;
    axes->equal = equal;
    set_axis(x_axis, 0, (double)mesh->columns);
    set_axis(y_axis, (double)mesh->rows, 0);
    tg_set_ticks(axes, X, x.at, x.count, x.labels);
    tg_set_ticks(axes, Y, y.at, y.count, y.labels);
    y_axis->rotation = 90;
    y_axis->tick_centred = true;
    if (!tg_frame(arena, axes, &frame)) return false;
    if (labels_overlap(&frame, TEXT_TICK_X)) x_axis->rotation = 90;
    if (labels_overlap(&frame, TEXT_TICK_Y)) y_axis->rotation = 0;
    return true;
}

static const sns_HeatmapOptions heatmap_defaults = {sizeof heatmap_defaults, NAN,   NAN,  "rocket", false, ".2g", 0,
                                                    "white",                 true, false, NULL,    NULL};

/* sns.heatmap(data): row 0 at the top, one cell per element, with a colorbar. annot writes each value into its cell,
 * white on dark colours; fmt is Python's. NaN cells are empty. Labels that would overlap are rotated. Errors: another
 * rank than 2, no elements, unknown words, a wrong fmt. */
bool sns_heatmap(Tensor *data, const sns_HeatmapOptions *options) {
    sns_HeatmapOptions o = heatmap_defaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_matrix(data)) return false;
    Arena arena = {NULL};
    Current before = tg_current();
    Artist *mesh = make_mesh(&arena, data, &o);
    Axes *axes = mesh ? tg_gca() : NULL, *bar = axes ? tg_new_axes(&arena, axes->figure, axes->spec) : NULL;
    Axes after = bar ? *axes : (Axes){.figure = NULL};
    if (!bar || !set_up_axes(&arena, &after, mesh, &o)) {
        tg_restore(before);
        tg_arena_free(&arena);
        return false;
    }
    if (o.cbar) tg_add_colorbar(axes, mesh, bar, 1);
    bar->outline = 0;
    axes->frame = after.frame;
    axes->equal = after.equal;
    axes->axis[X] = after.axis[X];
    axes->axis[Y] = after.axis[Y];
    tg_add_artist(axes, mesh);
    axes->axis[X].stale = axes->axis[Y].stale = false;
    tg_arena_join(&axes->figure->arena, &arena);
    return true;
}
