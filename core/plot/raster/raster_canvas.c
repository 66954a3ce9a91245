/* core/plot/raster/raster_canvas.c: the canvas's calls on pixels. */
#include "core/plot/raster/raster_canvas.h"

#include <string.h>

static Point to_pixels(const Canvas *c, double x, double y) {
    return (Point){(x - c->view.x0) * c->scale, (c->view.y1 - y) * c->scale};
}

/* ---- groups ---- */

static struct Group *open_group(Raster *r) {
    if (r->depth < RASTER_GROUPS - 1) {
        r->groups[r->depth + 1] = r->groups[r->depth];
        r->depth++;
    }
    return &r->groups[r->depth];
}

static int64_t limit(double x, int64_t most) {
    return x <= 0 ? 0 : x >= (double)most ? most : (int64_t)rint(x);
}

static void clip(Canvas *canvas, Box box) {
    Raster *r = (Raster *)canvas;
    const Point low = to_pixels(canvas, box.x0, box.y1), high = to_pixels(canvas, box.x1, box.y0);
    struct Group *group = open_group(r);
    const PixelBox now = {limit(low.x, r->width), limit(low.y, r->height), limit(high.x, r->width),
                          limit(high.y, r->height)};
    if (now.x0 > group->clip.x0) group->clip.x0 = now.x0;
    if (now.y0 > group->clip.y0) group->clip.y0 = now.y0;
    if (now.x1 < group->clip.x1) group->clip.x1 = now.x1;
    if (now.y1 < group->clip.y1) group->clip.y1 = now.y1;
}

static void crisp_edges(Canvas *canvas) {
    open_group((Raster *)canvas)->crisp = true;
}

static void close_group(Canvas *canvas) {
    Raster *r = (Raster *)canvas;
    if (r->depth > 0) r->depth--;
}

/* ---- shapes ---- */

enum { CORNER = 6, RECTANGLE = 4 * (CORNER + 1) };

/* The outline of a rectangle with corners of a radius. */
static int outline(Point *to, double x0, double y0, double x1, double y1, double radius) {
    const double corners[4][3] = {{x1, y0, -1}, {x1, y1, 0}, {x0, y1, 1}, {x0, y0, 2}}; /* and a quarter to begin at */
    int count = 0;
    for (int k = 0; k < 4; k++) {
        const double cx = corners[k][0] + (k < 2 ? -radius : radius), cy = corners[k][1] + (k % 3 ? -radius : radius);
        for (int i = 0; i <= (radius > 0 ? CORNER : 0); i++) {
            const double angle = (corners[k][2] + (double)i / CORNER) * acos(-1) / 2;
            to[count++] = (Point){cx + radius * cos(angle), cy + radius * sin(angle)};
        }
    }
    return count;
}

static void rectangle(Canvas *canvas, Box box, double radius, const Pen *edge, const Color *fill) {
    Raster *r = (Raster *)canvas;
    Point points[RECTANGLE], low = to_pixels(canvas, box.x0, box.y1), high = to_pixels(canvas, box.x1, box.y0);
    if (edge) {
        low = (Point){tg_snap_x(canvas, box.x0, edge->width) * canvas->scale,
                      tg_snap_y(canvas, box.y1, edge->width) * canvas->scale};
        high = (Point){tg_snap_x(canvas, box.x1, edge->width) * canvas->scale,
                       tg_snap_y(canvas, box.y0, edge->width) * canvas->scale};
    } else if (r->groups[r->depth].crisp) {
        low = (Point){floor(low.x + 0.5), floor(low.y + 0.5)};
        high = (Point){floor(high.x + 0.5), floor(high.y + 0.5)};
    }
    radius *= canvas->scale;
    if (fill) {
        tg_raster_polygon(r, points, outline(points, low.x, low.y, high.x, high.y, radius));
        tg_raster_fill(r, fill);
    }
    if (!edge) return;
    const double half = edge->width * canvas->scale / 2;
    tg_raster_ring(
        r, points,
        outline(points, low.x - half, low.y - half, high.x + half, high.y + half, radius > 0 ? radius + half : 0), 1);
    if (high.x - low.x > 2 * half && high.y - low.y > 2 * half)
        tg_raster_ring(
            r, points,
            outline(points, low.x + half, low.y + half, high.x - half, high.y - half, fmax(radius - half, 0)), -1);
    tg_raster_fill(r, &edge->color);
}

/* A run of points without gaps. */
static void stroke(Raster *r, const Point *points, int64_t count, const Pen *pen, bool is_lonely) {
    const double width = pen->width * r->canvas.scale;
    double dashes[4];
    const int dash_count = tg_dashes(pen->linestyle, dashes);
    const bool is_square = !pen->exact && dash_count == 0;
    for (int k = 0; k < dash_count; k++) dashes[k] *= width;
    if (is_lonely && !is_square) return; /* a point alone is only seen with its caps */
    if (dash_count)
        tg_raster_stroke_dashed(r, points, count, width, dashes, dash_count);
    else
        tg_raster_stroke(r, points, count, width, is_square ? CAP_SQUARE : CAP_BUTT);
}

static void polyline(Canvas *canvas, const double *x, const double *y, int64_t count, const Pen *pen) {
    enum { PIECE = 256 }; /* points; consecutive pieces share one, and the join there is a butt */
    Raster *r = (Raster *)canvas;
    Point points[PIECE];
    int64_t used = 0;
    const bool upright = count == 2 && x[0] == x[1], level = count == 2 && y[0] == y[1];
    for (int64_t i = 0; i < count; i++) {
        const bool there = isfinite(x[i]) && isfinite(y[i]);
        if (there) {
            Point p = to_pixels(canvas, x[i], y[i]);
            if (upright) p.x = tg_snap_x(canvas, x[i], pen->width) * canvas->scale;
            if (level) p.y = tg_snap_y(canvas, y[i], pen->width) * canvas->scale;
            points[used++] = (Point){fmin(fmax(p.x, -1e6), 1e6), fmin(fmax(p.y, -1e6), 1e6)};
        }
        if (used > 0 && (!there || i == count - 1)) {
            stroke(r, points, used, pen, used == 1);
            used = 0;
        } else if (used == PIECE) {
            stroke(r, points, used, pen, false);
            points[0] = points[PIECE - 2]; /* with the last piece again, so that the corner gets its join */
            points[1] = points[PIECE - 1];
            used = 2;
        }
    }
    tg_raster_fill(r, &pen->color);
}

/* ---- markers ---- */

static void define_marker(Canvas *canvas, char marker, double size, double edge_width, Color color) {
    Raster *r = (Raster *)canvas;
    open_group(r);
    r->marker = marker;
    r->marker_size = size;
    r->marker_edge = marker == ',' ? 0 : edge_width;
    r->marker_color = color;
}

static int circle(Point *to, Point c, double radius, int most) {
    const int count = (int)fmin(fmax(12, 4 * radius), most);
    for (int i = 0; i < count; i++) {
        const double angle = 2 * acos(-1) * i / count;
        to[i] = (Point){c.x + radius * cos(angle), c.y + radius * sin(angle)};
    }
    return count;
}

/* A closed outline's edge: from the last side's middle around to it again, so that every corner is joined. */
static void stroke_closed(Raster *r, const Point *points, int count, double width) {
    Point around[16];
    const Point a = points[count - 1], b = points[0];
    around[0] = around[count + 1] = (Point){(a.x + b.x) / 2, (a.y + b.y) / 2};
    memcpy(around + 1, points, (size_t)count * sizeof *points);
    tg_raster_stroke(r, around, count + 2, width, CAP_POINTED);
}

static void use_marker(Canvas *canvas, double x, double y, const Color *color) {
    enum { CIRCLE = 200 };
    Raster *r = (Raster *)canvas;
    Point points[CIRCLE];
    if (!isfinite(x) || !isfinite(y)) return;
    const Point c = to_pixels(canvas, x, y);
    const double scale = canvas->scale, edge = r->marker_edge * scale;
    const MarkerShape *shape = tg_marker_shape(r->marker);
    if (!color) color = &r->marker_color;
    for (int i = 0; shape && i < shape->count; i++)
        points[i] = (Point){c.x + shape->points[2 * i] * r->marker_size * scale / 100,
                            c.y - shape->points[2 * i + 1] * r->marker_size * scale / 100};
    const double radius = tg_marker_radius(r->marker, r->marker_size, 1 / scale) * scale;
    if (!shape)
        tg_raster_polygon(r, points, circle(points, c, radius, CIRCLE));
    else if (shape->closed)
        tg_raster_polygon(r, points, shape->count);
    tg_raster_fill(r, color);
    if (edge <= 0) return;
    if (!shape) {
        tg_raster_ring(r, points, circle(points, c, radius + edge / 2, CIRCLE), 1);
        if (radius > edge / 2) tg_raster_ring(r, points, circle(points, c, radius - edge / 2, CIRCLE), -1);
    } else if (shape->closed) {
        stroke_closed(r, points, shape->count, edge);
    } else {
        for (int i = 0; i + 1 < shape->count; i += 2) tg_raster_stroke(r, points + i, 2, edge, CAP_BUTT);
    }
    tg_raster_fill(r, color);
}

/* ---- images ---- */

/* Each pixel has the colour of the image's pixel at its middle. */
static bool put_image(Canvas *canvas, Box box, const PaletteImage *picture) {
    Raster *r = (Raster *)canvas;
    const PixelBox visible = r->groups[r->depth].clip;
    const Point low = to_pixels(canvas, box.x0, box.y1), high = to_pixels(canvas, box.x1, box.y0);
    for (int64_t y = visible.y0; y < visible.y1; y++) {
        const double v = ((double)y + 0.5 - low.y) / (high.y - low.y);
        for (int64_t x = visible.x0; v >= 0 && v < 1 && x < visible.x1; x++) {
            const double u = ((double)x + 0.5 - low.x) / (high.x - low.x);
            if (!(u >= 0 && u < 1)) continue;
            const int64_t at =
                (int64_t)(v * (double)picture->rows) * picture->columns + (int64_t)(u * (double)picture->columns);
            const uint8_t *color = picture->palette[picture->pixels[at]];
            if (color[3] == 255) memcpy(r->pixels + 4 * (y * r->width + x), color, 3);
        }
    }
    return true;
}

/* ---- the canvas ---- */

bool tg_raster_canvas(Raster *r, Box view, int64_t width, int64_t height) {
    if (!tg_raster_begin(r, view, width, height)) return false;
    r->canvas = (Canvas){view,     r->canvas.scale, clip,          crisp_edges, close_group, rectangle,
                         polyline, tg_raster_text,  define_marker, use_marker,  put_image};
    return true;
}
