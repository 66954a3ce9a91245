/* core/plot/raster/stroke.c: lines as polygons: a rectangle for each piece, a wedge on the outer side of each corner,
 * and caps. The parts touch and hardly overlap, so that their areas can be added. */
#include "core/plot/raster/raster.h"

/* The points of an arc around c: from angle a by `turn`, which is at most half a circle; at least 2 points. */
enum { ARC_POINTS = 12 };
static int put_arc(Point *to, Point c, double radius, double a, double turn) {
    const int steps = 1 + (int)fmin(ARC_POINTS - 2, ceil(fabs(turn) / 0.35));
    for (int i = 0; i <= steps; i++) {
        const double angle = a + turn * i / steps;
        to[i] = (Point){c.x + radius * cos(angle), c.y + radius * sin(angle)};
    }
    return steps + 1;
}

static void put_wedge(Raster *r, Point c, double radius, double a, double turn) {
    Point points[ARC_POINTS + 2];
    const int count = put_arc(points, c, radius, a, turn);
    points[count] = c;
    tg_raster_polygon(r, points, count + 1);
}

/* The point that the outer sides of a corner meet in; no farther than four times the half width. */
static void put_point(Raster *r, Point c, double half, double a, double turn) {
    const double reach = half / cos(turn / 2), middle = a + turn / 2;
    Point points[] = {{c.x + half * cos(a), c.y + half * sin(a)},
                      {c.x + reach * cos(middle), c.y + reach * sin(middle)},
                      {c.x + half * cos(a + turn), c.y + half * sin(a + turn)},
                      c};
    if (fabs(reach) <= 4 * half)
        tg_raster_polygon(r, points, 4);
    else
        put_wedge(r, c, half, a, turn);
}

static void put_piece(Raster *r, Point a, Point b, double half, double before, double after) {
    const double length = hypot(b.x - a.x, b.y - a.y), ux = (b.x - a.x) / length, uy = (b.y - a.y) / length;
    a = (Point){a.x - ux * before, a.y - uy * before};
    b = (Point){b.x + ux * after, b.y + uy * after};
    const double nx = -uy * half, ny = ux * half;
    tg_raster_polygon(
        r, (const Point[]){{a.x + nx, a.y + ny}, {b.x + nx, b.y + ny}, {b.x - nx, b.y - ny}, {a.x - nx, a.y - ny}}, 4);
}

static bool is_same(Point a, Point b) {
    return hypot(b.x - a.x, b.y - a.y) < 1e-6;
}

void tg_raster_stroke(Raster *r, const Point *points, int64_t count, double width, Cap cap) {
    const double half = width / 2, quarter = acos(-1) / 2;
    Point last = points[0];
    double angle = 0; /* of the piece before */
    bool any = false;
    for (int64_t i = 1; i < count; i++) {
        const Point next = points[i];
        if (is_same(last, next)) continue;
        const double now = atan2(next.y - last.y, next.x - last.x);
        int64_t rest = i + 1;
        while (rest < count && is_same(next, points[rest])) rest++;
        const bool is_first = !any, is_last = rest == count;
        put_piece(r, last, next, half, is_first && cap == CAP_SQUARE ? half : 0,
                  is_last && cap == CAP_SQUARE ? half : 0);
        if (is_first && cap == CAP_ROUND) put_wedge(r, last, half, now + quarter, 2 * quarter);
        if (is_last && cap == CAP_ROUND) put_wedge(r, next, half, now - quarter, 2 * quarter);
        if (!is_first) {
            const double turn = remainder(now - angle, 4 * quarter);
            /* the outer side is the right one of a turn to the left */
            (cap == CAP_POINTED ? put_point : put_wedge)(r, last, half, turn > 0 ? angle - quarter : angle + quarter,
                                                         turn);
        }
        any = true;
        angle = now;
        last = next;
    }
    if (any || cap == CAP_BUTT || cap == CAP_POINTED) return;
    put_wedge(r, last, half, 0, 2 * quarter); /* a dot */
    put_wedge(r, last, half, 2 * quarter, 2 * quarter);
}

void tg_raster_stroke_dashed(Raster *r, const Point *points, int64_t count, double width, const double *dashes,
                             int dash_count) {
    enum { MOST = 64 }; /* points of one dash */
    Point dash[MOST];
    int which = 0, used = 0;
    double left = dashes[0];
    for (int k = 0; k < dash_count; k++)
        if (!(dashes[k] > 0.01)) {
            tg_raster_stroke(r, points, count, width, CAP_BUTT);
            return;
        }
    for (int64_t i = 1; i < count; i++) {
        Point at = points[i - 1];
        if (which % 2 == 0 && used == 0) dash[used++] = at;
        for (;;) {
            const double length = hypot(points[i].x - at.x, points[i].y - at.y);
            if (length <= left || used >= MOST - 1) {
                left -= length;
                if (which % 2 == 0 && used < MOST) dash[used++] = points[i];
                if (used < MOST) break;
                tg_raster_stroke(r, dash, used, width, CAP_BUTT);
                dash[0] = points[i];
                used = 1;
                break;
            }
            at = (Point){at.x + (points[i].x - at.x) * left / length, at.y + (points[i].y - at.y) * left / length};
            if (which % 2 == 0) {
                dash[used++] = at;
                tg_raster_stroke(r, dash, used, width, CAP_BUTT);
                used = 0;
            } else {
                dash[0] = at;
                used = 1;
            }
            which = (which + 1) % dash_count;
            left = dashes[which];
        }
    }
    if (which % 2 == 0 && used > 1) tg_raster_stroke(r, dash, used, width, CAP_BUTT);
}
