/* core/plot/savefig.c: plt.savefig. */
#include <string.h>

#include "core/plot/svg/svg.h"

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

/* The complete drawing. The size in pixels is an integer, as of matplotlib's images, and the view is cropped to it. */
static bool draw_figure(const Figure *figure, tg_Output *to, double dpi, bool tight) {
    const Color white = {1, 1, 1, 1};
    Box view = {0, 0, 72 * figure->width, 72 * figure->height};
    Svg svg;
    Arena arena = {NULL};
    if (tight && !tight_view(figure, &view)) return false;
    double width = floor((view.x1 - view.x0) * dpi / 72 + 1e-6), height = floor((view.y1 - view.y0) * dpi / 72 + 1e-6);
    if (width < 1 || height < 1) return tg_fail("a figure of %g x %g pixels has nothing to show", width, height);
    view.x1 = view.x0 + width * 72 / dpi;
    view.y0 = view.y1 - height * 72 / dpi;
    tg_svg_begin(&svg, to, view, width, height, tg_pyplot_state()->font_family);
    svg.canvas.rectangle(&svg.canvas, view, 0, NULL, &white);
    bool ok = true;
    for (const Axes *axes = figure->axes; ok && axes; axes = axes->next) ok = tg_draw_axes(&svg.canvas, axes, &arena);
    tg_svg_end(&svg);
    tg_arena_free(&arena);
    return ok;
}

/* An existing file is replaced when the new one is complete. */
static bool write_file(const Figure *figure, const char *path, double dpi, bool tight) {
    tg_Output out;
    return tg_output_open(&out, path) && tg_output_commit(&out, draw_figure(figure, &out, dpi, tight));
}

/* plt.savefig(path): the current figure as SVG; an empty one if there is none. An existing file is replaced when the
 * new one is complete. Errors: another suffix than .svg, a path that cannot be written, dpi that is not positive. */
bool plt_savefig(const char *fname, const plt_SavefigOptions *options) {
    plt_SavefigOptions o = {sizeof o, NAN, NULL};
    if (!tg_take_options(&o, options, sizeof o)) return false;
    if (!fname) return t_error() ? false : tg_fail("the path of plt_savefig is NULL") != NULL;
    size_t length = strlen(fname);
    if (length < 5 || strcmp(fname + length - 4, ".svg") != 0)
        return tg_fail("figures are written as SVG: the path must end in .svg, but is '%s'", fname);
    if (o.bbox_inches && strcmp(o.bbox_inches, "tight") != 0)
        return tg_fail("bbox_inches must be NULL or 'tight', but is '%s'", o.bbox_inches);
    PyplotState *state = tg_pyplot_state();
    if (!state || (!state->figure && !plt_figure(NULL))) return false;
    Figure *figure = state->figure;
    if (isnan(o.dpi)) o.dpi = figure->dpi;
    if (!tg_check_size(figure->width, figure->height, o.dpi)) return false;
    for (Axes *axes = figure->axes; axes; axes = axes->next) tg_autoscale_view(axes);
    return write_file(figure, fname, o.dpi, o.bbox_inches != NULL);
}
