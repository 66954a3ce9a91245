/* core/plot/svg/svg.h: a drawing as SVG (internal). Lengths are points, y runs upwards. */
#ifndef TAPEGRAD_CORE_PLOT_SVG_SVG_H
#define TAPEGRAD_CORE_PLOT_SVG_SVG_H

#include "core/io/file.h"
#include "core/plot/draw/canvas.h"

typedef struct Svg {
    Canvas canvas;
    tg_Output *to;
    int clips, markers;
} Svg;

/* svg.c. tg_output_commit(svg->to) reports errors at the end. */
void tg_svg_begin(Svg *svg, tg_Output *to, Box view, double width_px, double height_px, const char *font_family);
void tg_svg_end(Svg *svg);

/* svg_image.c: calls of the canvas */
void tg_svg_define_marker(Canvas *canvas, char marker, double size, double edge_width, Color color);
void tg_svg_use_marker(Canvas *canvas, double x, double y, const Color *color);
bool tg_svg_image(Canvas *canvas, Box box, const PaletteImage *picture);

/* ---- parts of elements ---- */

void tg_svg_number(Svg *svg, double value);                      /* at most three decimals */
void tg_svg_attribute(Svg *svg, const char *name, double value); /* name="value", with a space before it */
void tg_svg_color(Svg *svg, const char *which, const Color *color);
void tg_svg_box(Svg *svg, Box box); /* x, y, width, height */
void tg_svg_point(Svg *svg, const char *x_name, double x, const char *y_name, double y);

#endif
