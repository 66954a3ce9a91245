/* core/plot/svg/svg.h: a drawing as SVG (internal). Lengths are points, y runs upwards. */
#ifndef TAPEGRAD_CORE_PLOT_SVG_SVG_H
#define TAPEGRAD_CORE_PLOT_SVG_SVG_H

#include "core/io/file.h"
#include "core/plot/layout/layout.h"

typedef struct Pen {
    Color color;
    double width;
    const char *linestyle; /* "-" "--" ":" "-." */
    bool exact;            /* butt caps: a solid line ends at its last point, not half a width after it */
} Pen;

/* An image of columns * rows colours, the upper row first; in a PNG each is a block of pixels. */
typedef struct PaletteImage {
    int64_t columns, rows, block_width, block_height;
    uint8_t *pixels; /* entries of the palette */
    uint8_t palette[256][4];
} PaletteImage;

typedef struct Svg {
    tg_Output *to;
    Box view;     /* the visible part */
    double scale; /* pixels per point */
    int clips, markers;
} Svg;

/* ---- svg.c. tg_output_commit(svg->to) reports errors at the end. An edge or a fill may be NULL. ---- */

void tg_svg_begin(Svg *svg, tg_Output *to, Box view, double width_px, double height_px, const char *font_family);
void tg_svg_end(Svg *svg);
void tg_svg_clip(Svg *svg, Box box); /* until tg_svg_close */
/* edges are not smoothed, so that rectangles may touch; until tg_svg_close */
void tg_svg_crisp_edges(Svg *svg);
void tg_svg_close(Svg *svg);
void tg_svg_rectangle(Svg *svg, Box box, double radius, const Pen *edge, const Color *fill);
/* gaps where not finite */
void tg_svg_polyline(Svg *svg, const double *x, const double *y, int64_t count, const Pen *pen);
void tg_svg_text(Svg *svg, const Text *text);

/* ---- svg_markers.c ---- */

/* Makes a marker, to be set at many points until tg_svg_close. */
void tg_svg_define_marker(Svg *svg, char marker, double size, double edge_width, Color color);
void tg_svg_use_marker(Svg *svg, double x, double y, const Color *color); /* NULL: the marker's colour */
/* Over the box; chooses the size of the blocks. False with an error set on out of memory. */
bool tg_svg_image(Svg *svg, Box box, PaletteImage *picture);

/* ---- parts of elements ---- */

void tg_svg_number(Svg *svg, double value);                      /* at most three decimals */
void tg_svg_attribute(Svg *svg, const char *name, double value); /* name="value", with a space before it */
void tg_svg_color(Svg *svg, const char *which, const Color *color);
void tg_svg_box(Svg *svg, Box box); /* x, y, width, height */
void tg_svg_point(Svg *svg, const char *x_name, double x, const char *y_name, double y);

/* ---- svg_axes.c, png.c ---- */

bool tg_svg_draw_axes(Svg *svg, const Axes *axes, Arena *arena); /* false with an error set */

/* in a block of `capacity` bytes; NULL with an error set */
uint8_t *tg_png_encode(const PaletteImage *picture, size_t *bytes, size_t *capacity);

#endif
