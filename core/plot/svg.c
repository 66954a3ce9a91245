/* core/plot/svg.c: the writer of SVG files. */
#include "core/plot/svg.h"

#include <string.h>

/* ---- numbers, colours, texts ---- */

/* A number with at most three decimals; with a point in every locale. */
static void put_number(Svg *svg, double value) {
    const double most = 1e12;
    int64_t thousandths = (int64_t)rint(1000 * fmax(-most, fmin(most, value)));
    uint64_t size = (uint64_t)(thousandths < 0 ? -thousandths : thousandths), rest = size % 1000;
    fprintf(svg->to, "%s%llu", thousandths < 0 ? "-" : "", (unsigned long long)(size / 1000));
    if (rest == 0) return;
    int digits = 3;
    for (; rest % 10 == 0; rest /= 10) digits--;
    fprintf(svg->to, ".%0*llu", digits, (unsigned long long)rest);
}

static void put_attribute(Svg *svg, const char *name, double value) {
    fprintf(svg->to, " %s=\"", name);
    put_number(svg, value);
    fputc('"', svg->to);
}

/* Points with two decimals are exact enough for any screen. */
static double x_of(const Svg *svg, double x) {
    return rint(100 * (x - svg->view.x0)) / 100;
}

static double y_of(const Svg *svg, double y) {
    return rint(100 * (svg->view.y1 - y)) / 100;
}

static unsigned channel(double value) {
    return (unsigned)rint(255 * fmax(0, fmin(1, value)));
}

static void put_color(Svg *svg, const char *which, const Color *color) {
    if (!color || color->a <= 0) {
        fprintf(svg->to, " %s=\"none\"", which);
        return;
    }
    fprintf(svg->to, " %s=\"#%02x%02x%02x\"", which, channel(color->r), channel(color->g), channel(color->b));
    char name[24];
    snprintf(name, sizeof name, "%s-opacity", which);
    if (color->a < 1) put_attribute(svg, name, color->a);
}

static void put_escaped(Svg *svg, const char *text, int length) {
    for (int i = 0; i < length; i++) {
        switch (text[i]) {
        case '&': fputs("&amp;", svg->to); break;
        case '<': fputs("&lt;", svg->to); break;
        case '>': fputs("&gt;", svg->to); break;
        case '"': fputs("&quot;", svg->to); break;
        default: fputc(text[i], svg->to);
        }
    }
}

static void put_pen(Svg *svg, const Pen *pen) {
    static const struct {
        const char *linestyle;
        double dashes[4]; /* in widths of the line */
    } patterns[] = {{"--", {3.7, 1.6}}, {":", {1, 1.65}}, {"-.", {6.4, 1.6, 1, 1.6}}};
    if (!pen || pen->width <= 0) {
        put_color(svg, "stroke", NULL);
        return;
    }
    put_color(svg, "stroke", &pen->color);
    put_attribute(svg, "stroke-width", pen->width);
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (!pen->linestyle || strcmp(pen->linestyle, patterns[i].linestyle) != 0) continue;
        fputs(" stroke-dasharray=\"", svg->to);
        for (int k = 0; k < 4 && patterns[i].dashes[k] > 0; k++) {
            if (k) fputc(' ', svg->to);
            put_number(svg, patterns[i].dashes[k] * pen->width);
        }
        fputc('"', svg->to);
        return;
    }
}

/* ---- the file ---- */

void tg_svg_begin(Svg *svg, FILE *to, Box view, double width_px, double height_px, const char *font_family) {
    *svg = (Svg){.to = to, .view = view, .scale = width_px / (view.x1 - view.x0)};
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
          "xmlns:xlink=\"http://www.w3.org/1999/xlink\"", to);
    put_attribute(svg, "width", width_px);
    put_attribute(svg, "height", height_px);
    fputs(" viewBox=\"0 0 ", to);
    put_number(svg, view.x1 - view.x0);
    fputc(' ', to);
    put_number(svg, view.y1 - view.y0);
    fputs("\" font-family=\"", to);
    if (font_family && strcmp(font_family, "DejaVu Sans") != 0) {
        put_escaped(svg, font_family, (int)strlen(font_family));
        fputs(", ", to);
    }
    fputs("'DejaVu Sans', Verdana, sans-serif\">\n", to);
}

void tg_svg_end(Svg *svg) {
    fputs("</svg>\n", svg->to);
}

static void put_box(Svg *svg, Box box) {
    double x = x_of(svg, box.x0), y = y_of(svg, box.y1);
    put_attribute(svg, "x", x);
    put_attribute(svg, "y", y);
    put_attribute(svg, "width", x_of(svg, box.x1) - x);
    put_attribute(svg, "height", y_of(svg, box.y0) - y);
}

void tg_svg_clip(Svg *svg, Box box) {
    int id = svg->clips++;
    fprintf(svg->to, "<clipPath id=\"clip%d\"><rect", id);
    put_box(svg, box);
    fprintf(svg->to, "/></clipPath>\n<g clip-path=\"url(#clip%d)\">\n", id);
}

void tg_svg_unclip(Svg *svg) {
    fputs("</g>\n", svg->to);
}

/* ---- shapes ---- */

void tg_svg_rectangle(Svg *svg, Box box, double radius, const Pen *edge, const Color *fill) {
    fputs("<rect", svg->to);
    put_box(svg, box);
    if (radius > 0) put_attribute(svg, "rx", radius);
    put_color(svg, "fill", fill);
    if (edge) put_pen(svg, edge);
    fputs("/>\n", svg->to);
}

void tg_svg_cells(Svg *svg, bool begin) {
    fputs(begin ? "<g shape-rendering=\"crispEdges\">\n" : "</g>\n", svg->to);
}

void tg_svg_polyline(Svg *svg, const double *x, const double *y, int64_t count, const Pen *pen) {
    bool drawing = false, any = false;
    for (int64_t i = 0; i < count; i++) {
        bool there = isfinite(x[i]) && isfinite(y[i]);
        if (there) {
            fputs(!any ? "<path d=\"M" : !drawing ? "M" : "L", svg->to);
            put_number(svg, x_of(svg, x[i]));
            fputc(' ', svg->to);
            put_number(svg, y_of(svg, y[i]));
            any = true;
        }
        drawing = there;
    }
    if (!any) return;
    fputs("\" fill=\"none\"", svg->to);
    put_pen(svg, pen);
    fputs(pen->linestyle && strcmp(pen->linestyle, "-") == 0 ? " stroke-linecap=\"square\" stroke-linejoin=\"round\"/>\n" : "/>\n", svg->to);
}

void tg_svg_text(Svg *svg, const Text *text) {
    TextLine lines[MAX_TEXT_LINES];
    int count = tg_text_lines(text, lines, NULL);
    for (int i = 0; i < count; i++) {
        if (lines[i].length == 0) continue;
        double x = x_of(svg, lines[i].x), y = y_of(svg, lines[i].y);
        fputs("<text text-anchor=\"middle\"", svg->to);
        put_attribute(svg, "x", x);
        put_attribute(svg, "y", y);
        put_attribute(svg, "font-size", text->size);
        put_color(svg, "fill", &text->color);
        if (text->rotation != 0) {
            fputs(" transform=\"rotate(", svg->to);
            put_number(svg, -text->rotation);
            fputc(' ', svg->to);
            put_number(svg, x);
            fputc(' ', svg->to);
            put_number(svg, y);
            fputs(")\"", svg->to);
        }
        fputc('>', svg->to);
        put_escaped(svg, lines[i].text, lines[i].length);
        fputs("</text>\n", svg->to);
    }
}

/* ---- markers ---- */

typedef struct Shape {
    char marker;
    bool closed;
    int count;
    signed char points[20]; /* x, y in hundredths of the marker's size, y upwards */
} Shape;

static const Shape shapes[] = {
    {'s', true, 4, {-50, -50, 50, -50, 50, 50, -50, 50}},
    {'D', true, 4, {0, -71, 71, 0, 0, 71, -71, 0}},
    {'d', true, 4, {0, -71, 42, 0, 0, 71, -42, 0}},
    {'^', true, 3, {0, 50, -50, -50, 50, -50}},
    {'v', true, 3, {0, -50, 50, 50, -50, 50}},
    {'<', true, 3, {-50, 0, 50, -50, 50, 50}},
    {'>', true, 3, {50, 0, -50, 50, -50, -50}},
    {'p', true, 5, {0, 50, -48, 15, -29, -40, 29, -40, 48, 15}},
    {'h', true, 6, {0, 50, -43, 25, -43, -25, 0, -50, 43, -25, 43, 25}},
    {'*', true, 10, {0, 50, -11, 15, -48, 15, -18, -6, -29, -40, 0, -19, 29, -40, 18, -6, 48, 15, 11, 15}},
    {'x', false, 4, {-50, -50, 50, 50, -50, 50, 50, -50}},
    {'+', false, 4, {-50, 0, 50, 0, 0, -50, 0, 50}},
    {'|', false, 2, {0, -50, 0, 50}},
    {'_', false, 2, {-50, 0, 50, 0}},
};

void tg_svg_marker(Svg *svg, char marker, double size, double edge_width) {
    const Shape *shape = shapes, *end = shapes + sizeof shapes / sizeof *shapes;
    while (shape < end && shape->marker != marker) shape++;
    svg->markers++;
    fprintf(svg->to, "<defs>");
    if (shape == end) {
        fprintf(svg->to, "<circle id=\"marker%d\"", svg->markers);
        put_attribute(svg, "r", marker == '.' ? size / 4 : marker == ',' ? 0.36 : size / 2);
    } else {
        fprintf(svg->to, "<path id=\"marker%d\" d=\"", svg->markers);
        for (int i = 0; i < shape->count; i++) {
            fputs(i == 0 || (!shape->closed && i % 2 == 0) ? "M" : "L", svg->to);
            put_number(svg, shape->points[2 * i] * size / 100);
            fputc(' ', svg->to);
            put_number(svg, -shape->points[2 * i + 1] * size / 100);
        }
        fputs(shape->closed ? "Z\"" : "\"", svg->to);
    }
    if (marker != ',') put_attribute(svg, "stroke-width", edge_width);
    fputs("/></defs>\n", svg->to);
}

void tg_svg_mark(Svg *svg, double x, double y, char marker, Color color) {
    if (!isfinite(x) || !isfinite(y)) return;
    fprintf(svg->to, "<use xlink:href=\"#marker%d\"", svg->markers);
    put_attribute(svg, "x", x_of(svg, x));
    put_attribute(svg, "y", y_of(svg, y));
    put_color(svg, "fill", &color);
    if (marker != ',') put_color(svg, "stroke", &color);
    fputs("/>\n", svg->to);
}

/* ---- images ---- */

static void put_base64(Svg *svg, const uint8_t *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < count; i += 3) {
        uint32_t bits = (uint32_t)bytes[i] << 16;
        if (i + 1 < count) bits |= (uint32_t)bytes[i + 1] << 8;
        if (i + 2 < count) bits |= bytes[i + 2];
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], digits[bits >> 6 & 63], digits[bits & 63]};
        if (i + 1 >= count) four[2] = '=';
        if (i + 2 >= count) four[3] = '=';
        fwrite(four, 1, 4, svg->to);
    }
}

/* The pixels of a block over a length: so many that an edge smoothed by the viewer is narrower than a pixel of the screen. */
static int64_t block(const Svg *svg, double length, int64_t count) {
    const double sharpness = 2;
    double pixels = ceil(sharpness * length * svg->scale / (double)count);
    return pixels > 1 ? (int64_t)pixels : 1;
}

bool tg_svg_image(Svg *svg, Box box, Picture *picture) {
    size_t bytes, room;
    picture->block_width = block(svg, box.x1 - box.x0, picture->columns);
    picture->block_height = block(svg, box.y1 - box.y0, picture->rows);
    uint8_t *png = tg_png(picture, &bytes, &room);
    if (!png) return false;
    fputs("<image preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\"", svg->to);
    put_box(svg, box);
    fputs(" xlink:href=\"data:image/png;base64,", svg->to);
    put_base64(svg, png, bytes);
    fputs("\"/>\n", svg->to);
    tg_free(png, room);
    return true;
}
