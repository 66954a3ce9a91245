/* core/plot/draw/canvas.h: what a figure is drawn on: an SVG document (core/plot/svg) or pixels (core/plot/raster)
 * (internal). Lengths are points, y runs upwards.
 *
 * draw_axes.c draws axes with these calls, and knows neither of the two. */
#ifndef TAPEGRAD_CORE_PLOT_DRAW_CANVAS_H
#define TAPEGRAD_CORE_PLOT_DRAW_CANVAS_H

#include "core/plot/layout/layout.h"

typedef struct Pen {
    Color color;
    double width;
    const char *linestyle; /* "-" "--" ":" "-." */
    bool exact;            /* butt caps: a solid line ends at its last point, not half a width after it */
} Pen;

/* The dashes of a line style, in widths of the line: on, off, on, off; their number, 0 for a solid line. */
int tg_dashes(const char *linestyle, double dashes[4]);

/* An image of columns * rows colours, the upper row first. */
typedef struct PaletteImage {
    int64_t columns, rows;
    uint8_t *pixels; /* entries of the palette */
    uint8_t palette[256][4];
} PaletteImage;

/* The outlines of matplotlib's markers; '.', ',' and 'o' are circles, which have none. */
typedef struct MarkerShape {
    char marker;
    bool closed; /* else two points make a line */
    int count;
    signed char points[20]; /* x, y in hundredths of the marker's size, y upwards */
} MarkerShape;
const MarkerShape *tg_marker_shape(char marker);                 /* NULL for a circle, */
double tg_marker_radius(char marker, double size, double pixel); /* of this radius; pixel: of 1 pixel */

typedef struct Canvas Canvas;
struct Canvas {
    Box view;     /* the visible part */
    double scale; /* pixels per point */
    /* An edge or a fill may be NULL. Errors are kept until the end, except of image. */
    void (*clip)(Canvas *canvas, Box box); /* until close */
    void (*crisp_edges)(Canvas *canvas);   /* edges are not smoothed, so that rectangles may touch; until close */
    void (*close)(Canvas *canvas);
    void (*rectangle)(Canvas *canvas, Box box, double radius, const Pen *edge, const Color *fill);
    /* gaps where not finite */
    void (*polyline)(Canvas *canvas, const double *x, const double *y, int64_t count, const Pen *pen);
    void (*text)(Canvas *canvas, const Text *text);
    /* Makes a marker, to be set at many points until close. */
    void (*define_marker)(Canvas *canvas, char marker, double size, double edge_width, Color color);
    void (*use_marker)(Canvas *canvas, double x, double y, const Color *color); /* NULL: the marker's colour */
    bool (*image)(Canvas *canvas, Box box, const PaletteImage *picture); /* over the box; false with an error set */
};

/* x from the left, y from the top of the view, snapped to the pixel grid so that a line of that width has sharp edges.
 */
double tg_snap_x(const Canvas *canvas, double x, double width);
double tg_snap_y(const Canvas *canvas, double y, double width);

bool tg_draw_axes(Canvas *canvas, const Axes *axes, Arena *arena); /* false with an error set */

#endif
