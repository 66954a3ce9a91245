/* core/plot/savefig.c: plt.savefig, as SVG or as PNG. */
#include <string.h>

#include "core/plot/raster/raster_canvas.h"
#include "core/plot/svg/svg.h"
#include "core/vision/io/image_internal.h"

/* bbox_inches="tight": the bounding box of everything that is drawn, with a margin of 0.1 inch. */
static bool tight_view(const Figure *figure, Box *view) {
    const double margin = 7.2;
    Box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    Arena arena = {NULL};
    bool ok = true;
    for (const Axes *axes = figure->axes; ok && axes; axes = axes->next) {
        Frame frame;
        ok = tg_frame(&arena, axes, &frame);
        if (ok) box = tg_union(box, tg_tight_box(axes, &frame, false));
    }
    tg_arena_free(&arena);
    if (!figure->axes) box = *view;
    *view = (Box){box.x0 - margin, box.y0 - margin, box.x1 + margin, box.y1 + margin};
    return ok;
}

/* The visible part, whose size in pixels is an integer, as of matplotlib's images: it is cropped to it. */
typedef struct View {
    Box box;
    double width, height;
} View;

static bool find_view(const Figure *figure, double dpi, bool tight, View *view) {
    Box box = {0, 0, 72 * figure->width, 72 * figure->height};
    if (tight && !tight_view(figure, &box)) return false;
    view->width = floor((box.x1 - box.x0) * dpi / 72 + 1e-6);
    view->height = floor((box.y1 - box.y0) * dpi / 72 + 1e-6);
    if (view->width < 1 || view->height < 1)
        return tg_fail("a figure of %g x %g pixels has nothing to show", view->width, view->height);
    box.x1 = box.x0 + view->width * 72 / dpi;
    box.y0 = box.y1 - view->height * 72 / dpi;
    view->box = box;
    return true;
}

static bool draw_figure(const Figure *figure, Canvas *canvas) {
    const Color white = {1, 1, 1, 1};
    Arena arena = {NULL};
    canvas->rectangle(canvas, canvas->view, 0, NULL, &white);
    bool ok = true;
    for (const Axes *axes = figure->axes; ok && axes; axes = axes->next) ok = tg_draw_axes(canvas, axes, &arena);
    tg_arena_free(&arena);
    return ok;
}

static bool write_svg(const Figure *figure, const View *view, double dpi, tg_Output *to) {
    Svg svg;
    (void)dpi;
    tg_svg_begin(&svg, to, view->box, view->width, view->height, tg_pyplot_state()->font_family);
    const bool ok = draw_figure(figure, &svg.canvas);
    tg_svg_end(&svg);
    return ok;
}

static bool write_png(const Figure *figure, const View *view, double dpi, tg_Output *to) {
    Raster raster;
    tg_Bytes bytes = {0};
    const int64_t width = (int64_t)view->width, height = (int64_t)view->height;
    bool ok = tg_raster_canvas(&raster, view->box, width, height) && draw_figure(figure, &raster.canvas);
    const tg_Pixels pixels = {raster.pixels, width, height, 4 * width, 4, dpi, NULL};
    ok = ok && tg_png_pack(&pixels, TG_DEFLATE_DEFAULT, &bytes) && tg_output_write(to, bytes.at, bytes.count);
    tg_bytes_free(&bytes);
    tg_raster_end(&raster);
    return ok;
}

/* The current figure, ready to be drawn, and its view; o->dpi NAN becomes the figure's. NULL on an error. */
static const Figure *current_figure(plt_SavefigOptions *o, View *view) {
    PyplotState *state = tg_pyplot_state();
    if (!state || (!state->figure && !plt_figure(NULL))) return NULL;
    Figure *figure = state->figure;
    if (isnan(o->dpi)) o->dpi = figure->dpi;
    if (!tg_check_size(figure->width, figure->height, o->dpi)) return NULL;
    for (Axes *axes = figure->axes; axes; axes = axes->next) tg_autoscale_view(axes);
    return find_view(figure, o->dpi, o->bbox_inches != NULL, view) ? figure : NULL;
}

bool tg_raster_current_figure(Raster *r) {
    plt_SavefigOptions o = {sizeof o, NAN, NULL};
    View view;
    const Figure *figure = current_figure(&o, &view);
    if (!figure) r->pixels = NULL, r->area = NULL;
    return figure && tg_raster_canvas(r, view.box, (int64_t)view.width, (int64_t)view.height) &&
           draw_figure(figure, &r->canvas);
}

static bool ends_in(const char *path, const char *suffix) {
    const size_t length = strlen(path), n = strlen(suffix);
    return length > n && strcmp(path + length - n, suffix) == 0;
}

/* plt.savefig(path): the current figure as SVG or PNG; an empty one if there is none. An existing file is replaced when
 * the new one is complete. Errors: another suffix than .svg and .png, a path that cannot be written, dpi that is not
 * positive. */
bool plt_savefig(const char *fname, const plt_SavefigOptions *options) {
    plt_SavefigOptions o = {sizeof o, NAN, NULL};
    if (!tg_take_options(&o, options, sizeof o)) return false;
    if (!fname) return t_error() ? false : tg_fail("the path of plt_savefig is NULL") != NULL;
    const bool is_png = ends_in(fname, ".png");
    if (!is_png && !ends_in(fname, ".svg"))
        return tg_fail("figures are written as SVG or PNG: the path must end in .svg or .png, but is '%s'", fname);
    if (o.bbox_inches && strcmp(o.bbox_inches, "tight") != 0)
        return tg_fail("bbox_inches must be NULL or 'tight', but is '%s'", o.bbox_inches);
    View view;
    tg_Output out;
    const Figure *figure = current_figure(&o, &view);
    if (!figure || !tg_output_open(&out, fname)) return false;
    return tg_output_commit(&out, (is_png ? write_png : write_svg)(figure, &view, o.dpi, &out));
}
