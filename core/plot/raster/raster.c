/* core/plot/raster/raster.c: smoothed polygons. An edge changes the covered area of the pixels that it crosses, and by
 * a whole pixel that of the pixels to the right; the sum along a row is each pixel's covered area. */
#include "core/plot/raster/raster.h"

#include <string.h>

static PixelBox nothing(const Raster *r) {
    return (PixelBox){r->width, r->height, 0, 0};
}

bool tg_raster_begin(Raster *r, Box view, int64_t width, int64_t height) {
    const size_t pixels = (size_t)width * (size_t)height * 4;
    *r = (Raster){.width = width, .height = height};
    r->canvas.view = view;
    r->canvas.scale = (double)width / (view.x1 - view.x0);
    r->groups[0].clip = (PixelBox){0, 0, width, height};
    r->drawn = nothing(r);
    r->pixels = tg_alloc_raw(pixels);
    r->area = r->pixels ? tg_alloc((size_t)(width + 2) * (size_t)height * sizeof(float)) : NULL;
    if (r->area) memset(r->pixels, 255, pixels);
    return r->area != NULL;
}

void tg_raster_end(Raster *r) {
    tg_free(r->pixels, (size_t)r->width * (size_t)r->height * 4);
    tg_free(r->area, (size_t)(r->width + 2) * (size_t)r->height * sizeof(float));
    r->pixels = NULL;
    r->area = NULL;
}

/* One row's part of an edge, from x0 to x1 >= x0: `height` is its share of the row, with a sign. */
static void add_to_row(float *row, double x0, double x1, double height) {
    const double first = floor(x0), last = ceil(x1);
    const int64_t i = (int64_t)first, n = (int64_t)last - i;
    if (n <= 1) { /* within a pixel: a trapezium */
        const double middle = (x0 + x1) / 2 - first;
        row[i] += (float)(height * (1 - middle));
        row[i + 1] += (float)(height * middle);
        return;
    }
    const double slope = 1 / (x1 - x0), in_first = 1 - (x0 - first), in_last = x1 - last + 1;
    const double a = slope * in_first * in_first / 2, z = slope * in_last * in_last / 2;
    row[i] += (float)(height * a);
    if (n == 2) {
        row[i + 1] += (float)(height * (1 - a - z));
    } else {
        const double b = slope * (in_first + 0.5);
        row[i + 1] += (float)(height * (b - a));
        for (int64_t k = 2; k < n - 1; k++) row[i + k] += (float)(height * slope);
        row[i + n - 1] += (float)(height * (1 - (b + (double)(n - 3) * slope) - z));
    }
    row[i + n] += (float)(height * z);
}

static void add_edge(Raster *r, Point a, Point b, int direction) {
    if (a.y == b.y) return;
    if (a.y > b.y) {
        const Point c = a;
        a = b;
        b = c;
        direction = -direction;
    }
    const double slope = (b.x - a.x) / (b.y - a.y), right = (double)r->width;
    const double top = fmax(a.y, 0), bottom = fmin(b.y, (double)r->height);
    if (!(top < bottom)) return;
    for (int64_t y = (int64_t)top; (double)y < bottom; y++) {
        const double y0 = fmax(top, (double)y), y1 = fmin(bottom, (double)(y + 1));
        const double x = fmin(fmax(a.x + (y0 - a.y) * slope, 0), right);
        const double next = fmin(fmax(a.x + (y1 - a.y) * slope, 0), right);
        add_to_row(r->area + y * (r->width + 2), fmin(x, next), fmax(x, next), direction * (y1 - y0));
        const int64_t from = (int64_t)fmin(x, next), until = (int64_t)ceil(fmax(x, next)) + 1;
        if (from < r->drawn.x0) r->drawn.x0 = from;
        if (until > r->drawn.x1) r->drawn.x1 = until;
        if (y < r->drawn.y0) r->drawn.y0 = y;
        if (y + 1 > r->drawn.y1) r->drawn.y1 = y + 1;
    }
}

void tg_raster_ring(Raster *r, const Point *points, int count, int direction) {
    double area = 0;
    for (int i = 0; i < count; i++) {
        const Point a = points[i], b = points[(i + 1) % count];
        if (!isfinite(a.x) || !isfinite(a.y) || fabs(a.x) > 1e9 || fabs(a.y) > 1e9) return;
        area += a.x * b.y - b.x * a.y;
    }
    if (area < 0) direction = -direction;
    for (int i = 0; i < count; i++) add_edge(r, points[i], points[(i + 1) % count], direction);
}

void tg_raster_polygon(Raster *r, const Point *points, int count) {
    tg_raster_ring(r, points, count, 1);
}

static uint8_t blend(uint8_t below, double above, double cover) {
    return (uint8_t)(below + (above * 255 - below) * cover + 0.5);
}

void tg_raster_fill(Raster *r, const Color *color) {
    const PixelBox clip = r->groups[r->depth].clip;
    const double red = fmin(fmax(color->r, 0), 1), green = fmin(fmax(color->g, 0), 1);
    const double blue = fmin(fmax(color->b, 0), 1), alpha = fmin(fmax(color->a, 0), 1);
    for (int64_t y = r->drawn.y0; y < r->drawn.y1; y++) {
        float *row = r->area + y * (r->width + 2), sum = 0;
        uint8_t *pixel = r->pixels + 4 * (y * r->width + r->drawn.x0);
        for (int64_t x = r->drawn.x0; x < r->drawn.x1; x++, pixel += 4) {
            sum += row[x];
            row[x] = 0;
            if (x < clip.x0 || x >= clip.x1 || y < clip.y0 || y >= clip.y1) continue;
            const double cover = fmin(fabs((double)sum), 1) * alpha;
            if (cover < 1e-3) continue;
            pixel[0] = blend(pixel[0], red, cover);
            pixel[1] = blend(pixel[1], green, cover);
            pixel[2] = blend(pixel[2], blue, cover);
        }
        for (int64_t x = r->drawn.x1; x < r->width + 2 && x <= r->drawn.x1 + 1; x++) row[x] = 0;
    }
    r->drawn = nothing(r);
}
