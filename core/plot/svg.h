/* core/plot/svg.h: a drawing as SVG (internal). Lengths are points, y runs upwards. */
#ifndef TAPEGRAD_CORE_PLOT_SVG_H
#define TAPEGRAD_CORE_PLOT_SVG_H

#include <stdio.h>

#include "core/plot/figure.h"

typedef struct Pen {
    Color color;
    double width;
    const char *linestyle; /* "-" "--" ":" "-." */
} Pen;

/* An image of columns * rows colours, the upper row first; in a PNG each is a block of pixels. */
typedef struct Picture {
    int64_t columns, rows, block_width, block_height;
    uint8_t *pixels; /* entries of the palette */
    uint8_t palette[256][4];
} Picture;
uint8_t *tg_png(const Picture *picture, size_t *bytes, size_t *room); /* in a block of `room` bytes; NULL with an error set */

typedef struct Svg {
    FILE *to;
    Box view;     /* what is shown */
    double scale; /* pixels a point */
    int clips, markers;
    bool clipped;
} Svg;

/* The writers report nothing: ferror(svg->to) tells at the end. An edge or a fill may be NULL. */
void tg_svg_begin(Svg *svg, FILE *to, Box view, double width_px, double height_px, const char *font_family);
void tg_svg_end(Svg *svg);
void tg_svg_clip(Svg *svg, Box box); /* until tg_svg_unclip */
void tg_svg_unclip(Svg *svg);
void tg_svg_rectangle(Svg *svg, Box box, double radius, const Pen *edge, const Color *fill);
void tg_svg_cells(Svg *svg, bool begin); /* around rectangles that touch: their edges are not smoothed */
void tg_svg_polyline(Svg *svg, const double *x, const double *y, int64_t count, const Pen *pen); /* gaps where not finite */
void tg_svg_text(Svg *svg, const Text *text);
bool tg_svg_image(Svg *svg, Box box, Picture *picture); /* over the box; false with an error set */
/* A marker's shape is defined once and then set at many points. */
void tg_svg_marker(Svg *svg, char marker, double size, double edge_width);
void tg_svg_mark(Svg *svg, double x, double y, char marker, Color color);

#endif
