/* core/plot/raster/raster.h: a canvas of pixels (internal).
 *
 *     raster.c          smoothed polygons: coverage by exact areas
 *     stroke.c          lines as polygons: caps, joins, dashes
 *     raster_canvas.c   the canvas's calls
 *     raster_text.c     letters of lines (glyphs.inc), as wide as those that the layout measures
 *
 * Positions are pixels, y runs downwards. */
#ifndef TAPEGRAD_CORE_PLOT_RASTER_RASTER_H
#define TAPEGRAD_CORE_PLOT_RASTER_RASTER_H

#include "core/plot/draw/canvas.h"

typedef struct Point {
    double x, y;
} Point;

typedef struct PixelBox {
    int64_t x0, y0, x1, y1;
} PixelBox;

enum { RASTER_GROUPS = 8 }; /* nested at most */
typedef struct Raster {
    Canvas canvas;
    int64_t width, height;
    uint8_t *pixels; /* RGBA, row by row */
    float *area;     /* width + 2 a row: changes of the covered area along the row, of the shape that is being made */
    PixelBox drawn;  /* where it is not 0 */
    struct Group {
        PixelBox clip;
        bool crisp;
    } groups[RASTER_GROUPS];
    int depth;
    char marker;
    double marker_size, marker_edge;
    Color marker_color;
} Raster;

/* White pixels; false with an error set on out of memory. End also after an error. */
bool tg_raster_begin(Raster *r, Box view, int64_t width, int64_t height);
void tg_raster_end(Raster *r);

/* Adds a polygon to the shape; where polygons overlap a pixel is covered once, but for smoothed edges, which add up. */
void tg_raster_polygon(Raster *r, const Point *points, int count);
/* The same with a direction: 1 adds and -1 removes it, from within a polygon that was added. */
void tg_raster_ring(Raster *r, const Point *points, int count, int direction);
/* Paints the shape, and begins a new one. */
void tg_raster_fill(Raster *r, const Color *color);

/* CAP_POINTED: butt caps, and corners that are no arcs but pointed, as those of SVG's outlines */
typedef enum Cap { CAP_BUTT, CAP_SQUARE, CAP_ROUND, CAP_POINTED } Cap;
/* Adds a line through the points, `count` in all. */
void tg_raster_stroke(Raster *r, const Point *points, int64_t count, double width, Cap cap);
/* The same in dashes (on, off, ...), whose lengths are pixels. */
void tg_raster_stroke_dashed(Raster *r, const Point *points, int64_t count, double width, const double *dashes,
                             int dash_count);

void tg_raster_text(Canvas *canvas, const Text *text);

#endif
