/* core/plot/svg/svg_image.c: the SVG writer: markers and images. */
#include "core/plot/svg/svg.h"

#include <string.h>

#include "core/vision/io/image_internal.h"

/* ---- markers ---- */

static void put_shape(Svg *svg, const MarkerShape *shape, double size) {
    tg_output_print(svg->to, "<path id=\"marker%d\" d=\"", svg->markers);
    for (int i = 0; i < shape->count; i++) {
        tg_output_text(svg->to, i == 0 || (!shape->closed && i % 2 == 0) ? "M" : "L");
        tg_svg_number(svg, shape->points[2 * i] * size / 100);
        tg_output_text(svg->to, " ");
        tg_svg_number(svg, -shape->points[2 * i + 1] * size / 100);
    }
    tg_output_text(svg->to, shape->closed ? "Z\"" : "\"");
}

void tg_svg_define_marker(Canvas *canvas, char marker, double size, double edge_width, Color color) {
    Svg *svg = (Svg *)canvas;
    const MarkerShape *shape = tg_marker_shape(marker);
    svg->markers++;
    tg_output_text(svg->to, "<defs>");
    if (shape) {
        put_shape(svg, shape, size);
    } else {
        tg_output_print(svg->to, "<circle id=\"marker%d\"", svg->markers);
        tg_svg_attribute(svg, "r", tg_marker_radius(marker, size, 1 / canvas->scale));
    }
    tg_output_text(svg->to, "/></defs>\n<g");
    tg_svg_color(svg, "fill", &color);
    if (marker != ',') {
        tg_svg_color(svg, "stroke", &color);
        tg_svg_attribute(svg, "stroke-width", edge_width);
    }
    tg_output_text(svg->to, ">\n");
}

void tg_svg_use_marker(Canvas *canvas, double x, double y, const Color *color) {
    Svg *svg = (Svg *)canvas;
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
    double pixels = ceil(sharpness * length * svg->canvas.scale / (double)count);
    return pixels >= most ? (int64_t)most : pixels > 1 ? (int64_t)pixels : 1;
}

/* As PNG, each pixel repeated to a block, whose edges stay sharp in viewers that smooth images. */
static bool pack_blocks(const PaletteImage *p, int64_t block_width, int64_t block_height, tg_Bytes *to) {
    const int64_t width = p->columns * block_width, height = p->rows * block_height;
    if ((double)width * (double)height > 1e9)
        return tg_fail("an image of %lld x %lld is too large", (long long)p->rows, (long long)p->columns);
    const size_t size = (size_t)(width * height);
    uint8_t *pixels = tg_alloc_raw(size);
    if (!pixels) return false;
    for (int64_t y = 0; y < height; y++) {
        uint8_t *row = pixels + y * width;
        const uint8_t *from = p->pixels + y / block_height * p->columns;
        if (y % block_height) {
            memcpy(row, row - width, (size_t)width);
            continue;
        }
        for (int64_t c = 0; c < p->columns; c++) memset(row + c * block_width, from[c], (size_t)block_width);
    }
    const tg_Pixels image = {pixels, width, height, width, 1, 0, p->palette};
    const bool ok = tg_png_pack(&image, TG_DEFLATE_DEFAULT, to);
    tg_free(pixels, size);
    return ok;
}

bool tg_svg_image(Canvas *canvas, Box box, const PaletteImage *picture) {
    Svg *svg = (Svg *)canvas;
    tg_Bytes png = {0};
    const bool ok = pack_blocks(picture, block_pixels(svg, box.x1 - box.x0, picture->columns),
                                block_pixels(svg, box.y1 - box.y0, picture->rows), &png);
    if (ok) {
        tg_output_text(svg->to, "<image preserveAspectRatio=\"none\" style=\"image-rendering:pixelated\"");
        tg_svg_box(svg, box);
        tg_output_text(svg->to, " xlink:href=\"data:image/png;base64,");
        put_base64(svg, png.at, png.count);
        tg_output_text(svg->to, "\"/>\n");
    }
    tg_bytes_free(&png);
    return ok;
}
