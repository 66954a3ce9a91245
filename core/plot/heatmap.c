/* core/plot/heatmap.c: seaborn's heat map. */
#include <stdio.h>
#include <string.h>

#include "core/plot/figure.h"
#include "core/plot/format.h"

/* Whether two labels of the ticks of an axis are in each other's way. */
static bool labels_overlap(const Frame *frame, Role role) {
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
    const char **labels;
} Ticks;

/* The user's labels, one a cell; else as many numbers as an axis of that length has room for lines of text. */
static bool choose_ticks(Arena *arena, const char *const *labels, int64_t cells, double length, double font_size, Ticks *ticks) {
    enum { ROOM = 24 };
    int64_t most = (int64_t)(length / font_size), every = labels ? 1 : most < 1 ? cells : cells / most + 1;
    ticks->count = labels ? cells : most < 1 ? 0 : (cells + every - 1) / every;
    ticks->at = tg_arena_alloc(arena, ticks->count, sizeof *ticks->at);
    ticks->labels = labels ? (const char **)tg_copy_labels(arena, labels, cells) : tg_arena_alloc(arena, ticks->count, sizeof *ticks->labels);
    if (!ticks->at || !ticks->labels) return false;
    for (int64_t i = 0; i < ticks->count; i++) {
        ticks->at[i] = (double)(i * every) + 0.5;
        if (labels) continue;
        char *text = tg_arena_alloc(arena, ROOM, 1);
        if (!text) return false;
        snprintf(text, ROOM, "%lld", (long long)(i * every));
        ticks->labels[i] = text;
    }
    return true;
}

static Artist *make_mesh(Arena *arena, const Tensor *data, const sns_HeatmapOptions *o) {
    char unused[8];
    Artist *mesh = tg_new_matrix(arena, ARTIST_MESH, data, o->cmap ? o->cmap : "rocket", o->vmin, o->vmax);
    if (!mesh || !tg_color(o->linecolor ? o->linecolor : "white", &mesh->color)) return NULL;
    if (!(o->linewidths >= 0)) return tg_fail("linewidths must not be negative, but is %g", o->linewidths);
    mesh->linewidth = o->linewidths;
    if (!o->annot) return mesh;
    mesh->annotation_whole = !tg_is_floating(data->dtype);
    mesh->annotation = tg_arena_text(arena, o->fmt ? o->fmt : ".2g");
    return mesh->annotation && tg_annotation(mesh, 1, unused, sizeof unused) ? mesh : NULL;
}

bool tg_annotation(const Artist *mesh, double value, char *to, size_t room) {
    return mesh->annotation_whole ? tg_format_spec_int(to, room, mesh->annotation, (int64_t)value)
                                  : tg_format_spec(to, room, mesh->annotation, value);
}

/* Labels that would be in each other's way are turned by a quarter. */
static bool turn_labels(Axes *axes) {
    Arena arena = {NULL};
    Frame frame;
    bool ok = tg_frame(&arena, axes, &frame);
    if (ok && labels_overlap(&frame, TEXT_TICK_X)) axes->axis[X].rotation = 90;
    if (ok && labels_overlap(&frame, TEXT_TICK_Y)) axes->axis[Y].rotation = 0;
    tg_arena_free(&arena);
    return ok;
}

/* What a heat map changes of its axes: all of it, once everything that can fail is done. */
static void set_up(Axes *axes, Artist *mesh, const Ticks ticks[2], bool square) {
    tg_add_artist(axes, mesh);
    axes->frame = false;
    if (square) axes->equal = true;
    for (int i = 0; i < 2; i++) {
        Axis *axis = &axes->axis[i];
        double cells = (double)(i == X ? mesh->columns : mesh->rows);
        axis->view[0] = i == X ? 0 : cells;
        axis->view[1] = i == X ? cells : 0;
        axis->fixed = true;
        axis->stale = false;
        tg_set_ticks(axes, i, ticks[i].at, ticks[i].count, ticks[i].labels);
        axis->label = NULL;
    }
    axes->axis[X].rotation = 0;
    axes->axis[Y].rotation = 90;
    axes->axis[Y].tick_centred = true;
}

static const sns_HeatmapOptions heatmap_defaults = {sizeof heatmap_defaults, NAN,   NAN,  "rocket", false, ".2g", 0,
                                                    "white",                 true, false, NULL,    NULL};

/* sns.heatmap(data): row 0 on top, a cell an element, with a colorbar. annot writes each value into its cell, white on dark
 * colours; fmt is Python's. Cells that are NaN stay empty. Labels that would overlap are turned. Errors: another rank than 2,
 * no elements, unknown words, a wrong fmt. */
bool sns_heatmap(Tensor *data, const sns_HeatmapOptions *options) {
    sns_HeatmapOptions o = heatmap_defaults;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_matrix(data)) return false;
    Arena arena = {NULL};
    Ticks ticks[2];
    Artist *mesh = make_mesh(&arena, data, &o);
    Axes *axes = mesh ? tg_gca() : NULL, *bar = NULL;
    bool ok = axes && (!o.cbar || (bar = tg_new_axes(&arena, axes->figure, axes->place)) != NULL);
    if (ok) {
        Axes trial = *axes; /* the place that is left beside the colorbar */
        if (o.cbar) trial.place.part.x1 -= 0.2 * (trial.place.part.x1 - trial.place.part.x0);
        trial.equal = false;
        Box box = tg_axes_box(&trial);
        ok = choose_ticks(&arena, o.xticklabels, mesh->columns, box.x1 - box.x0, axes->figure->font_size, &ticks[X]) &&
             choose_ticks(&arena, o.yticklabels, mesh->rows, box.y1 - box.y0, axes->figure->font_size, &ticks[Y]);
    }
    if (!ok) {
        tg_arena_free(&arena);
        return false;
    }
    Figure *figure = axes->figure;
    set_up(axes, mesh, ticks, o.square);
    if (bar) {
        tg_add_colorbar(axes, mesh, bar, 1);
        bar->outline = 0;
    }
    tg_arena_join(&figure->arena, &arena);
    return turn_labels(axes);
}
