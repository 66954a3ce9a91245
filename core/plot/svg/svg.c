/* core/plot/svg/svg.c: the SVG writer: document, shapes and texts. */
#include "core/plot/svg/svg.h"

#include <string.h>

/* ---- numbers, colours ---- */

/* With a decimal point in every locale. */
void tg_svg_number(Svg *svg, double value) {
    const double most = 1e12;
    int64_t thousandths = (int64_t)rint(1000 * fmax(-most, fmin(most, value)));
    uint64_t size = (uint64_t)(thousandths < 0 ? -thousandths : thousandths), rest = size % 1000;
    tg_output_print(svg->to, "%s%llu", thousandths < 0 ? "-" : "", (unsigned long long)(size / 1000));
    if (rest == 0) return;
    int digits = 3;
    for (; rest % 10 == 0; rest /= 10) digits--;
    tg_output_print(svg->to, ".%0*llu", digits, (unsigned long long)rest);
}

void tg_svg_attribute(Svg *svg, const char *name, double value) {
    tg_output_print(svg->to, " %s=\"", name);
    tg_svg_number(svg, value);
    tg_output_text(svg->to, "\"");
}

static unsigned channel(double value) {
    return (unsigned)rint(255 * fmax(0, fmin(1, value)));
}

void tg_svg_color(Svg *svg, const char *which, const Color *color) {
    if (!color || color->a <= 0) {
        tg_output_print(svg->to, " %s=\"none\"", which);
        return;
    }
    tg_output_print(svg->to, " %s=\"#%02x%02x%02x\"", which, channel(color->r), channel(color->g), channel(color->b));
    if (color->a >= 1) return;
    tg_output_print(svg->to, " %s-opacity=\"", which);
    tg_svg_number(svg, color->a);
    tg_output_text(svg->to, "\"");
}

static void put_pen(Svg *svg, const Pen *pen) {
    double dashes[4];
    tg_svg_color(svg, "stroke", &pen->color);
    tg_svg_attribute(svg, "stroke-width", pen->width);
    const int count = tg_dashes(pen->linestyle, dashes);
    for (int k = 0; k < count; k++) {
        tg_output_text(svg->to, k ? " " : " stroke-dasharray=\"");
        tg_svg_number(svg, dashes[k] * pen->width);
    }
    if (count) tg_output_text(svg->to, "\"");
}

/* ---- coordinates ---- */

/* From the upper left corner of the view; hundredths of a point are exact enough for any screen. */
static double x_of(const Svg *svg, double x) {
    return rint(100 * (x - svg->canvas.view.x0)) / 100;
}

static double y_of(const Svg *svg, double y) {
    return rint(100 * (svg->canvas.view.y1 - y)) / 100;
}

void tg_svg_point(Svg *svg, const char *x_name, double x, const char *y_name, double y) {
    tg_svg_attribute(svg, x_name, x_of(svg, x));
    tg_svg_attribute(svg, y_name, y_of(svg, y));
}

static void put_corners(Svg *svg, double left, double top, double right, double bottom) {
    tg_svg_attribute(svg, "x", left);
    tg_svg_attribute(svg, "y", top);
    tg_svg_attribute(svg, "width", right - left);
    tg_svg_attribute(svg, "height", bottom - top);
}

void tg_svg_box(Svg *svg, Box box) {
    put_corners(svg, x_of(svg, box.x0), y_of(svg, box.y1), x_of(svg, box.x1), y_of(svg, box.y0));
}

/* ---- texts, groups ---- */

static void put_escaped(Svg *svg, const char *text, int length) {
    for (int i = 0; i < length; i++) {
        switch (text[i]) {
        case '&': tg_output_text(svg->to, "&amp;"); break;
        case '<': tg_output_text(svg->to, "&lt;"); break;
        case '>': tg_output_text(svg->to, "&gt;"); break;
        case '"': tg_output_text(svg->to, "&quot;"); break;
        default: tg_output_write(svg->to, &text[i], 1);
        }
    }
}

static void clip(Canvas *canvas, Box box) {
    Svg *svg = (Svg *)canvas;
    svg->clips++;
    tg_output_print(svg->to, "<clipPath id=\"clip%d\"><rect", svg->clips);
    tg_svg_box(svg, box);
    tg_output_print(svg->to, "/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n", svg->clips);
}

static void crisp_edges(Canvas *canvas) {
    tg_output_text(((Svg *)canvas)->to, "<g shape-rendering=\"crispEdges\">\n");
}

static void close_group(Canvas *canvas) {
    tg_output_text(((Svg *)canvas)->to, "</g>\n");
}

/* ---- shapes ---- */

static void rectangle(Canvas *canvas, Box box, double radius, const Pen *edge, const Color *fill) {
    Svg *svg = (Svg *)canvas;
    tg_output_text(svg->to, "<rect");
    if (edge) {
        double w = edge->width;
        put_corners(svg, tg_snap_x(&svg->canvas, box.x0, w), tg_snap_y(&svg->canvas, box.y1, w),
                    tg_snap_x(&svg->canvas, box.x1, w), tg_snap_y(&svg->canvas, box.y0, w));
    } else {
        tg_svg_box(svg, box);
    }
    if (radius > 0) tg_svg_attribute(svg, "rx", radius);
    tg_svg_color(svg, "fill", fill);
    if (edge) put_pen(svg, edge);
    tg_output_text(svg->to, "/>\n");
}

static void polyline(Canvas *canvas, const double *x, const double *y, int64_t count, const Pen *pen) {
    Svg *svg = (Svg *)canvas;
    bool drawing = false, any = false, upright = count == 2 && x[0] == x[1], level = count == 2 && y[0] == y[1];
    for (int64_t i = 0; i < count; i++) {
        bool there = isfinite(x[i]) && isfinite(y[i]);
        if (there) {
            tg_output_text(svg->to, !any ? "<path d=\"M" : !drawing ? "M" : "L");
            tg_svg_number(svg, upright ? tg_snap_x(&svg->canvas, x[i], pen->width) : x_of(svg, x[i]));
            tg_output_text(svg->to, " ");
            tg_svg_number(svg, level ? tg_snap_y(&svg->canvas, y[i], pen->width) : y_of(svg, y[i]));
            any = true;
        }
        drawing = there;
    }
    if (!any) return;
    tg_output_text(svg->to, "\" fill=\"none\"");
    put_pen(svg, pen);
    if (!pen->exact && strcmp(pen->linestyle, "-") == 0) tg_output_text(svg->to, " stroke-linecap=\"square\"");
    tg_output_text(svg->to, count > 2 ? " stroke-linejoin=\"round\"/>\n" : "/>\n");
}

/* Lines are anchored at the middle of their baseline, so that they remain centred in another font. */
static void put_text(Canvas *canvas, const Text *text) {
    Svg *svg = (Svg *)canvas;
    TextLine lines[MAX_TEXT_LINES];
    int count = tg_text_lines(text, lines, NULL);
    for (int i = 0; i < count; i++) {
        if (lines[i].length == 0) continue;
        tg_output_text(svg->to, "<text text-anchor=\"middle\"");
        tg_svg_point(svg, "x", lines[i].x, "y", lines[i].y);
        tg_svg_attribute(svg, "font-size", text->size);
        tg_svg_color(svg, "fill", &text->color);
        if (text->rotation != 0) {
            tg_output_text(svg->to, " transform=\"rotate(");
            tg_svg_number(svg, -text->rotation);
            tg_output_text(svg->to, " ");
            tg_svg_number(svg, x_of(svg, lines[i].x));
            tg_output_text(svg->to, " ");
            tg_svg_number(svg, y_of(svg, lines[i].y));
            tg_output_text(svg->to, ")\"");
        }
        tg_output_text(svg->to, ">");
        put_escaped(svg, lines[i].text, lines[i].length);
        tg_output_text(svg->to, "</text>\n");
    }
}

/* ---- the document ---- */

void tg_svg_begin(Svg *svg, tg_Output *to, Box view, double width_px, double height_px, const char *font_family) {
    *svg = (Svg){.to = to};
    svg->canvas = (Canvas){view, width_px / (view.x1 - view.x0), clip, crisp_edges, close_group, rectangle, polyline,
                           put_text, tg_svg_define_marker, tg_svg_use_marker, tg_svg_image};
    tg_output_text(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                       "xmlns:xlink=\"http://www.w3.org/1999/xlink\" xml:space=\"preserve\"");
    tg_svg_attribute(svg, "width", width_px);
    tg_svg_attribute(svg, "height", height_px);
    tg_output_text(to, " viewBox=\"0 0 ");
    tg_svg_number(svg, view.x1 - view.x0);
    tg_output_text(to, " ");
    tg_svg_number(svg, view.y1 - view.y0);
    tg_output_text(to, "\" font-family=\"");
    if (strcmp(font_family, "DejaVu Sans") != 0) {
        put_escaped(svg, font_family, (int)strlen(font_family));
        tg_output_text(to, ", ");
    }
    tg_output_text(to, "'DejaVu Sans', Verdana, sans-serif\">\n");
}

void tg_svg_end(Svg *svg) {
    tg_output_text(svg->to, "</svg>\n");
}
