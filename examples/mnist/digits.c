/* examples/mnist/digits.c: digits drawn by a rule: strokes, jitter, an affine map, a pen, noise.
 *
 * A digit is a few strokes, lines and arcs, in a square of side 1. Each image moves and stretches them a little, maps
 * them by a random rotation, shear, scale and shift, and draws them with a pen of random width: a pixel is as dark as
 * its centre is near to a stroke. Noise is added, and the pixels are rounded to bytes, as MNIST has them. */
#define _DEFAULT_SOURCE /* M_PI */
#include "examples/mnist/digits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/core.h"

enum { SIZE = 28, POINTS = 16, MOST_STROKES = 5 };

/* A line from (a, b) to (c, d), or an arc of an ellipse: centre (a, b), radii c and d, from one angle to another in
 * degrees, clockwise from the right. y points down. */
typedef struct Stroke {
    enum { END, LINE, ARC } kind;
    double a, b, c, d, from, to;
} Stroke;

static const Stroke digits[10][MOST_STROKES] = {
    {{ARC, .50, .50, .28, .42, 0, 360}},
    {{LINE, .36, .26, .53, .08, 0, 0}, {LINE, .53, .08, .53, .92, 0, 0}},
    {{ARC, .50, .32, .26, .24, 190, 370}, {LINE, .755, .36, .25, .90, 0, 0}, {LINE, .25, .90, .78, .90, 0, 0}},
    {{ARC, .47, .29, .26, .20, 200, 450}, {ARC, .47, .70, .28, .21, 270, 520}},
    {{LINE, .60, .08, .20, .62, 0, 0}, {LINE, .20, .62, .82, .62, 0, 0}, {LINE, .62, .35, .62, .93, 0, 0}},
    {{LINE, .74, .10, .32, .10, 0, 0}, {LINE, .32, .10, .29, .47, 0, 0}, {ARC, .47, .66, .27, .25, 225, 500}},
    {{ARC, .66, .50, .38, .42, 180, 262}, {LINE, .28, .50, .27, .67, 0, 0}, {ARC, .50, .67, .23, .24, 0, 360}},
    {{LINE, .24, .10, .78, .10, 0, 0}, {LINE, .78, .10, .42, .92, 0, 0}},
    {{ARC, .50, .30, .21, .20, 0, 360}, {ARC, .50, .70, .25, .22, 0, 360}},
    {{ARC, .50, .33, .23, .24, 0, 360}, {LINE, .73, .33, .72, .52, 0, 0}, {ARC, .34, .50, .38, .42, 0, 82}},
};

/* Uniform numbers, from the generator of the set. */
static double uniform(t_Generator *generator, double low, double high) {
    const double u = (double)t_random_int64(generator) / 9223372036854775808.0;
    return low + (high - low) * u;
}

/* The points of a stroke, after jitter. */
static void trace(const Stroke *s, t_Generator *g, double points[POINTS][2]) {
    const double dx = uniform(g, -0.03, 0.03), dy = uniform(g, -0.03, 0.03), stretch = uniform(g, 0.92, 1.08),
                 turn = uniform(g, -12, 12);
    const int is_closed = s->to - s->from == 360;
    for (int i = 0; i < POINTS; i++) {
        const double t = (double)i / (POINTS - 1);
        if (s->kind == LINE) {
            points[i][0] = s->a + t * (s->c - s->a) + dx;
            points[i][1] = s->b + t * (s->d - s->b) + dy;
        } else {
            const double angle = (s->from + t * (s->to - s->from) + (is_closed ? 0 : turn)) * (M_PI / 180);
            points[i][0] = s->a + dx + s->c * stretch * cos(angle);
            points[i][1] = s->b + dy + s->d / stretch * sin(angle);
        }
    }
}

/* The distance of (x, y) from the line between two points. */
static double distance(double x, double y, const double *p, const double *q) {
    const double dx = q[0] - p[0], dy = q[1] - p[1], length = dx * dx + dy * dy;
    double t = length > 0 ? ((x - p[0]) * dx + (y - p[1]) * dy) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypot(x - p[0] - t * dx, y - p[1] - t * dy);
}

static void draw(int digit, t_Generator *g, uint8_t pixels[SIZE * SIZE]) {
    const double angle = uniform(g, -0.28, 0.28), shear = uniform(g, -0.25, 0.25), sx = uniform(g, 15, 22),
                 sy = uniform(g, 17, 22), cx = uniform(g, 12, 16), cy = uniform(g, 12, 16), pen = uniform(g, 0.9, 2.1),
                 ink = uniform(g, 0.75, 1), noise = uniform(g, 0, 0.12);
    double points[MOST_STROKES][POINTS][2];
    int strokes = 0;
    for (; strokes < MOST_STROKES && digits[digit][strokes].kind != END; strokes++) {
        trace(&digits[digit][strokes], g, points[strokes]);
        for (int i = 0; i < POINTS; i++) { /* to pixels */
            double *p = points[strokes][i];
            const double x = (p[0] - 0.5 - shear * (p[1] - 0.5)) * sx, y = (p[1] - 0.5) * sy;
            p[0] = cx + cos(angle) * x - sin(angle) * y;
            p[1] = cy + sin(angle) * x + cos(angle) * y;
        }
    }
    for (int i = 0; i < SIZE * SIZE; i++) {
        double nearest = 1e9;
        for (int s = 0; s < strokes; s++)
            for (int k = 0; k + 1 < POINTS; k++)
                nearest = fmin(nearest, distance(i % SIZE, i / SIZE, points[s][k], points[s][k + 1]));
        const double dark = fmin(fmax(pen + 0.5 - nearest, 0), 1) * ink + noise * uniform(g, -1, 1);
        pixels[i] = (uint8_t)(255 * fmin(fmax(dark, 0), 1) + 0.5);
    }
}

/* ---- files ---- */

static const char *const names[4] = {"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
                                     "t10k-labels-idx1-ubyte"};

static void put_size(FILE *file, int64_t n) {
    for (int shift = 24; shift >= 0; shift -= 8) fputc((int)(n >> shift & 255), file);
}

/* An idx file: bytes 0, 0, 8 (uint8), the number of dims, their sizes. */
static FILE *begin_idx(const char *folder, const char *name, const int64_t *sizes, int dims) {
    char path[4096];
    snprintf(path, sizeof path, "%s/MNIST/raw/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) return t_fail("[Errno %d] %s: '%s'", errno, strerror(errno), path);
    fputc(0, file), fputc(0, file), fputc(8, file), fputc(dims, file);
    for (int d = 0; d < dims; d++) put_size(file, sizes[d]);
    return file;
}

static bool write_split(const char *folder, const char *const files[2], int64_t n, t_Generator *generator) {
    FILE *images = begin_idx(folder, files[0], (const int64_t[]){n, SIZE, SIZE}, 3);
    FILE *labels = images ? begin_idx(folder, files[1], &n, 1) : NULL;
    uint8_t pixels[SIZE * SIZE];
    for (int64_t i = 0; labels && i < n; i++) {
        const int digit = (int)uniform(generator, 0, 10);
        draw(digit, generator, pixels);
        fwrite(pixels, 1, sizeof pixels, images);
        fputc(digit, labels);
    }
    const bool ok = labels && !ferror(images) && !ferror(labels);
    const bool images_closed = !images || fclose(images) == 0, labels_closed = !labels || fclose(labels) == 0;
    const bool closed = images_closed && labels_closed;
    if (labels && !(ok && closed)) t_fail("the digits in %s/MNIST/raw could not be written", folder);
    return ok && closed;
}

static void make_folder(const char *folder, const char *below) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s", folder, below);
    mkdir(path, 0777); /* if it cannot be made, the files cannot either, and that error says why */
}

bool write_digits(const char *folder, int64_t train, int64_t test, int64_t seed) {
    t_Generator *generator = t_generator_manual_seed(t_generator(), seed);
    make_folder(folder, "");
    make_folder(folder, "/MNIST");
    make_folder(folder, "/MNIST/raw");
    return write_split(folder, names, train, generator) && write_split(folder, names + 2, test, generator);
}

bool have_digits(const char *folder) {
    for (int i = 0; i < 4; i++) {
        char path[4096], packed[4096 + 3];
        struct stat about;
        snprintf(path, sizeof path, "%s/MNIST/raw/%s", folder, names[i]);
        snprintf(packed, sizeof packed, "%s.gz", path);
        if (stat(path, &about) != 0 && stat(packed, &about) != 0) return false;
    }
    return true;
}
