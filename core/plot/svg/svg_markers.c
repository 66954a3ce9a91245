/* core/plot/svg/svg_markers.c: the SVG writer: markers and images. */
#include "core/plot/svg/svg.h"

/* ---- markers ---- */

typedef struct Shape {
    char marker;
    bool closed; /* else two points make a line */
    int count;
    signed char points[20]; /* x, y in hundredths of the marker's size, y upwards */
} Shape;

/* The outlines of matplotlib's markers; '.', ',' and 'o' are circles. */
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

static void put_shape(Svg *svg, const Shape *shape, double size) {
    tg_output_print(svg->to, "<path id=\"marker%d\" d=\"", svg->markers);
    for (int i = 0; i < shape->count; i++) {
        tg_output_text(svg->to, i == 0 || (!shape->closed && i % 2 == 0) ? "M" : "L");
        tg_svg_number(svg, shape->points[2 * i] * size / 100);
        tg_output_text(svg->to, " ");
        tg_svg_number(svg, -shape->points[2 * i + 1] * size / 100);
    }
    tg_output_text(svg->to, shape->closed ? "Z\"" : "\"");
}

void tg_svg_define_marker(Svg *svg, char marker, double size, double edge_width, Color color) {
    const double pixel = 1 / svg->scale; /* ',' is one pixel */
    const Shape *shape = shapes, *end = shapes + sizeof shapes / sizeof *shapes;
    while (shape < end && shape->marker != marker) shape++;
    svg->markers++;
    tg_output_text(svg->to, "<defs>");
    if (shape < end) {
        put_shape(svg, shape, size);
    } else {
        tg_output_print(svg->to, "<circle id=\"marker%d\"", svg->markers);
        tg_svg_attribute(svg, "r", marker == '.' ? size / 4 : marker == ',' ? pixel / 2 : size / 2);
    }
    tg_output_text(svg->to, "/></defs>\n<g");
    tg_svg_color(svg, "fill", &color);
    if (marker != ',') {
        tg_svg_color(svg, "stroke", &color);
        tg_svg_attribute(svg, "stroke-width", edge_width);
    }
    tg_output_text(svg->to, ">\n");
}

void tg_svg_use_marker(Svg *svg, double x, double y, const Color *color) {
    if (!isfinite(x) || !isfinite(y)) return;
    tg_output_print(svg->to, "<use xlink:href=\"#marker%d\"", svg->markers);
    tg_svg_point(svg, "x", x, "y", y);
    if (color) {
        tg_svg_color(svg, "fill", color);
        tg_svg_color(svg, "stroke", color);
    }
    tg_output_text(svg->to, "/>\n");
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
        tg_output_write(svg->to, four, sizeof four);
    }
}

/* The pixels of a block over a length: so many that an edge that the viewer smooths is narrower than a pixel of the
 * screen, or than a sixteenth of the block. */
static int64_t block_pixels(const Svg *svg, double length, int64_t count) {
    const double sharpness = 2, most = 16;
    double pixels = ceil(sharpness * length * svg->scale / (double)count);
    return pixels >= most ? (int64_t)most : pixels > 1 ? (int64_t)pixels : 1;
}

bool tg_svg_image(Svg *svg, Box box, PaletteImage *picture) {
    size_t bytes, capacity;
    picture->block_width = block_pixels(svg, box.x1 - box.x0, picture->columns);
    picture->block_height = block_pixels(svg, box.y1 - box.y0, picture->rows);
    uint8_t *png = tg_png_encode(picture, &bytes, &capacity);
    if (!png) return false;
    tg_output_text(svg->to, "<image preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\"");
    tg_svg_box(svg, box);
    tg_output_text(svg->to, " xlink:href=\"data:image/png;base64,");
    put_base64(svg, png, bytes);
    tg_output_text(svg->to, "\"/>\n");
    tg_free(png, capacity);
    return true;
}
