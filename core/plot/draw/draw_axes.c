/* core/plot/draw/draw_axes.c: draws the axes of a figure on a canvas, in matplotlib's order. */
#include "core/plot/draw/canvas.h"

#include <string.h>

static const Color black = {0, 0, 0, 1};

typedef struct Drawing {
    Canvas *canvas;
    const Axes *axes;
    Frame frame;
    Arena *arena;
} Drawing;

static double px(const Drawing *d, double value) {
    return tg_to_points(&d->frame, d->axes, X, value);
}

static double py(const Drawing *d, double value) {
    return tg_to_points(&d->frame, d->axes, Y, value);
}

static Color map_color(const Artist *artist, double value, double alpha) {
    uint8_t rgb[3];
    tg_colormap_at(artist->map, tg_normalize(artist, value), rgb);
    return (Color){rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0, alpha};
}

/* ---- images and meshes ---- */

/* The palette: the 256 colours of a map. If values are missing, entry 0 is for them, and the map's first colour is
 * replaced by its second. */
static void fill_palette(const Colormap *map, bool with_missing, uint8_t palette[256][4]) {
    for (int i = 0; i < 256; i++) {
        tg_colormap_at(map, (i + 0.5) / 256, palette[i]);
        palette[i][3] = 255;
    }
    if (with_missing) memset(palette[0], 0, 4);
}

static bool draw_image_as_png(const Drawing *d, const Artist *image, Box box, bool flip_x, bool flip_y) {
    int64_t count = image->rows * image->columns;
    PaletteImage picture = {.columns = image->columns, .rows = image->rows};
    picture.pixels = tg_arena_alloc(d->arena, count, 1);
    bool missing = false;
    if (!picture.pixels) return false;
    for (int64_t i = 0; i < count; i++) missing = missing || !isfinite(image->values[i]);
    fill_palette(image->map, missing, picture.palette);
    for (int64_t i = 0; i < count; i++) {
        int64_t row = i / image->columns, column = i % image->columns;
        if (flip_y) row = image->rows - 1 - row;
        if (flip_x) column = image->columns - 1 - column;
        double t = tg_normalize(image, image->values[row * image->columns + column]);
        int entry = isnan(t) ? 0 : t >= 1 ? 255 : (int)(256 * t);
        picture.pixels[i] = (uint8_t)(missing && !isnan(t) && entry == 0 ? 1 : entry);
    }
    return d->canvas->image(d->canvas, box, &picture);
}

static void draw_image_as_rectangles(const Drawing *d, const Artist *image) {
    double low = image->limits[X][0], top = image->limits[Y][0];
    d->canvas->crisp_edges(d->canvas);
    for (int64_t i = 0; i < image->rows * image->columns; i++) {
        double row = top + (double)(i / image->columns), column = low + (double)(i % image->columns);
        if (!isfinite(image->values[i])) continue;
        double x0 = px(d, column), x1 = px(d, column + 1), y0 = py(d, row), y1 = py(d, row + 1);
        Color color = map_color(image, image->values[i], 1);
        d->canvas->rectangle(d->canvas, (Box){fmin(x0, x1), fmin(y0, y1), fmax(x0, x1), fmax(y0, y1)}, 0, NULL, &color);
    }
    d->canvas->close(d->canvas);
}

static void draw_cell_lines(const Drawing *d, const Artist *mesh) {
    Pen pen = {mesh->color, mesh->linewidth, "-", true};
    for (int64_t r = 0; r <= mesh->rows; r++) {
        double x[] = {px(d, 0), px(d, (double)mesh->columns)}, y[] = {py(d, (double)r), py(d, (double)r)};
        d->canvas->polyline(d->canvas, x, y, 2, &pen);
    }
    for (int64_t c = 0; c <= mesh->columns; c++) {
        double x[] = {px(d, (double)c), px(d, (double)c)}, y[] = {py(d, 0), py(d, (double)mesh->rows)};
        d->canvas->polyline(d->canvas, x, y, 2, &pen);
    }
}

/* A small matrix is drawn as rectangles, which have sharp edges in every viewer, a large one as an image. */
static bool draw_matrix(const Drawing *d, const Artist *image) {
    enum { FEW = 1024 };
    double x0 = px(d, image->limits[X][0]), x1 = px(d, image->limits[X][1]);
    double top = py(d, image->limits[Y][0]), bottom = py(d, image->limits[Y][1]);
    Box box = {fmin(x0, x1), fmin(top, bottom), fmax(x0, x1), fmax(top, bottom)};
    bool ok = true;
    if (image->rows * image->columns <= FEW) draw_image_as_rectangles(d, image);
    else ok = draw_image_as_png(d, image, box, x0 > x1, top < bottom);
    if (image->kind == ARTIST_MESH && image->linewidth > 0) draw_cell_lines(d, image);
    return ok;
}

static void draw_annotations(const Drawing *d, const Artist *mesh) {
    char number[TG_CELL_TEXT_SIZE];
    Text text;
    for (int64_t i = 0; i < mesh->rows * mesh->columns; i++)
        if (tg_cell_text(d->axes, &d->frame, mesh, i, number, sizeof number, &text)) d->canvas->text(d->canvas, &text);
}

/* ---- lines, points, bars ---- */

static void draw_bars(const Drawing *d, const Artist *bars) {
    d->canvas->crisp_edges(d->canvas);
    for (int64_t i = 0; i < bars->count; i++) {
        double x0 = px(d, bars->x[i]), x1 = px(d, bars->x[i] + bars->width[i]);
        double y0 = py(d, bars->bottom), y1 = py(d, bars->bottom + bars->y[i]);
        if (!isfinite(x0) || !isfinite(x1) || !isfinite(y1)) continue;
        d->canvas->rectangle(d->canvas, (Box){fmin(x0, x1), fmin(y0, y1), fmax(x0, x1), fmax(y0, y1)}, 0, NULL,
                             &bars->color);
    }
    d->canvas->close(d->canvas);
}

static void draw_points(const Drawing *d, const Artist *artist, double edge) {
    d->canvas->define_marker(d->canvas, artist->marker, artist->markersize, edge, artist->color);
    for (int64_t i = 0; i < artist->count; i++) {
        if (artist->c && !isfinite(artist->c[i])) continue;
        Color color = artist->c ? map_color(artist, artist->c[i], artist->color.a) : artist->color;
        d->canvas->use_marker(d->canvas, px(d, artist->x[i]), py(d, artist->y[i]), artist->c ? &color : NULL);
    }
    d->canvas->close(d->canvas);
}

/* Copies the first, the lowest, the highest and the last of the points from `from` to `until` to x[to] and on. */
static int64_t keep_min_max(double *x, double *y, int64_t from, int64_t until, int64_t to) {
    int64_t low = from, high = from;
    for (int64_t i = from; i < until; i++) {
        if (y[i] < y[low]) low = i;
        if (y[i] > y[high]) high = i;
    }
    const int64_t kept[] = {from, low < high ? low : high, low < high ? high : low, until - 1};
    for (int k = 0; k < 4; k++) {
        if (k > 0 && kept[k] == kept[k - 1]) continue;
        x[to] = x[kept[k]];
        y[to++] = y[kept[k]];
    }
    return to;
}

/* Drops points that are not visible: of consecutive points within a tenth of a point in x all but four. */
static int64_t drop_invisible_points(double *x, double *y, int64_t count) {
    const double columns = 10;
    int64_t to = 0;
    for (int64_t from = 0, until; from < count; from = until) {
        double column = floor(x[from] * columns);
        for (until = from + 1; until < count && isfinite(y[until - 1]); until++)
            if (floor(x[until] * columns) != column || !isfinite(y[until])) break; /* a NaN is in no column */
        to = keep_min_max(x, y, from, until, to);
    }
    return to;
}

static bool draw_line(const Drawing *d, const Artist *line) {
    double *x = tg_arena_alloc(d->arena, line->count, sizeof *x), *y = tg_arena_alloc(d->arena, line->count, sizeof *y);
    if (!x || !y) return false;
    for (int64_t i = 0; i < line->count; i++) {
        x[i] = px(d, line->x[i]);
        y[i] = py(d, line->y[i]);
    }
    Pen pen = {line->color, line->linewidth, line->linestyle, false};
    if (*line->linestyle && line->linewidth > 0)
        d->canvas->polyline(d->canvas, x, y, drop_invisible_points(x, y, line->count), &pen);
    if (line->marker) draw_points(d, line, 1);
    return true;
}

static bool draw_artist(const Drawing *d, const Artist *artist) {
    switch (artist->kind) {
    case ARTIST_LINE: return draw_line(d, artist);
    case ARTIST_POINTS: draw_points(d, artist, artist->linewidth); return true;
    case ARTIST_BARS: draw_bars(d, artist); return true;
    default: return draw_matrix(d, artist);
    }
}

/* The artists of some kinds, in the order of creation. */
static bool draw_artists(const Drawing *d, unsigned kinds) {
    bool ok = true, any = false;
    for (const Artist *artist = d->axes->artists; ok && artist; artist = artist->next) {
        if (!(kinds >> artist->kind & 1)) continue;
        if (!any) d->canvas->clip(d->canvas, d->frame.box);
        any = true;
        ok = draw_artist(d, artist);
    }
    if (any) d->canvas->close(d->canvas);
    return ok;
}

/* ---- axes ---- */

static const Pen tick_pen = {{0, 0, 0, 1}, 0.8, "-", true};

static void draw_axis(const Drawing *d, int which) {
    const Axis *axis = &d->axes->axis[which];
    const Box box = d->frame.box;
    Pen grid = {axis->grid_color, axis->grid_linewidth, axis->grid_linestyle, true};
    double from = which == X ? box.y0 : axis->right ? box.x1 : box.x0;
    double until = axis->right ? from + TG_TICK_LENGTH : from - TG_TICK_LENGTH;
    for (int64_t i = 0; i < d->frame.ticks[which]; i++) {
        double at = tg_to_points(&d->frame, d->axes, which, d->frame.at[which][i]);
        double ats[] = {at, at}, tick[] = {from, until},
            ends[] = {which == X ? box.y0 : box.x0, which == X ? box.y1 : box.x1};
        bool has_grid = axis->grid && *axis->grid_linestyle && axis->grid_linewidth > 0;
        if (has_grid) d->canvas->polyline(d->canvas, which == X ? ats : ends, which == X ? ends : ats, 2, &grid);
        d->canvas->polyline(d->canvas, which == X ? ats : tick, which == X ? tick : ats, 2, &tick_pen);
    }
}

/* The legend handle of an artist, at x, above the baseline. */
static void draw_handle(const Drawing *d, const Artist *artist, double x, double baseline) {
    double size = d->axes->legend_size, width = TG_HANDLE_LENGTH * size, height = TG_HANDLE_HEIGHT * size;
    double middle = baseline + height / 2, xs[] = {x, x + width}, ys[] = {middle, middle};
    bool points = artist->kind == ARTIST_POINTS;
    Pen pen = {artist->color, artist->linewidth, artist->linestyle, false};
    Color color = artist->c && artist->count ? map_color(artist, artist->c[0], artist->color.a) : artist->color;
    if (artist->kind == ARTIST_LINE && *artist->linestyle && artist->linewidth > 0)
        d->canvas->polyline(d->canvas, xs, ys, 2, &pen);
    if (artist->kind == ARTIST_BARS)
        d->canvas->rectangle(d->canvas, (Box){x, baseline, x + width, baseline + height}, 0, NULL, &color);
    if (!artist->marker) return;
    d->canvas->define_marker(d->canvas, artist->marker, artist->markersize, points ? artist->linewidth : 1, color);
    d->canvas->use_marker(d->canvas, x + width / 2, points ? baseline + 0.375 * height : middle, NULL);
    d->canvas->close(d->canvas);
}

static void draw_legend(const Drawing *d) {
    Legend legend;
    if (!tg_legend_layout(d->axes, &d->frame, &legend)) return;
    double size = d->axes->legend_size, x = legend.box.x0 + TG_BORDER_PAD * size;
    Pen edge = {{0.8, 0.8, 0.8, 0.8}, 1, "-", false};
    Color fill = {1, 1, 1, 0.8};
    if (d->axes->legend_frame) d->canvas->rectangle(d->canvas, legend.box, 0.2 * size, &edge, &fill);
    for (int i = 0; i < legend.count; i++) {
        Text text = {.text = legend.entries[i]->label, .size = size, .ha = LEFT, .va = BASELINE, .color = black};
        text.x = x + (TG_HANDLE_LENGTH + TG_HANDLE_PAD) * size;
        text.y = legend.baselines[i];
        draw_handle(d, legend.entries[i], x, legend.baselines[i]);
        d->canvas->text(d->canvas, &text);
    }
}

/* The colorbar: the colours from the lowest value, at the bottom, to the highest. */
static bool draw_gradient(const Drawing *d) {
    uint8_t pixels[256];
    PaletteImage picture = {.columns = 1, .rows = 256, .pixels = pixels};
    for (int i = 0; i < 256; i++) pixels[i] = (uint8_t)(255 - i);
    fill_palette(d->axes->colorbar_of->map, false, picture.palette);
    return d->canvas->image(d->canvas, d->frame.box, &picture);
}

bool tg_draw_axes(Canvas *canvas, const Axes *axes, Arena *arena) {
    const Color white = {1, 1, 1, 1};
    const unsigned images = 1u << ARTIST_IMAGE, shapes = 1u << ARTIST_POINTS | 1u << ARTIST_BARS | 1u << ARTIST_MESH;
    Drawing d = {.canvas = canvas, .axes = axes, .arena = arena};
    Pen spine = {black, axes->colorbar_of ? axes->outline : 0.8, "-", false};
    if (!tg_frame(arena, axes, &d.frame)) return false;
    canvas->rectangle(canvas, d.frame.box, 0, NULL, &white);
    if (axes->colorbar_of && !draw_gradient(&d)) return false;
    if (!draw_artists(&d, images) || !draw_artists(&d, shapes)) return false;
    if (!axes->colorbar_of) draw_axis(&d, X);
    draw_axis(&d, Y);
    if (!draw_artists(&d, 1u << ARTIST_LINE)) return false;
    if (axes->frame && spine.width > 0) canvas->rectangle(canvas, d.frame.box, 0, &spine, NULL);
    for (int64_t i = 0; i < d.frame.count; i++) canvas->text(canvas, &d.frame.texts[i]);
    for (const Artist *artist = axes->artists; artist; artist = artist->next)
        if (artist->annotation) draw_annotations(&d, artist);
    draw_legend(&d);
    return true;
}
