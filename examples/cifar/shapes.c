/* examples/cifar/shapes.c: coloured shapes drawn by a rule: ten classes, each a test of whether a point is inside; a
 * random place, size and rotation; two colours, of which the shape's is the brighter or the darker; a shaded background
 * and noise. A pixel is the mean of 3 x 3 points. */
#define _DEFAULT_SOURCE /* M_PI */
#include "examples/cifar/shapes.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/core.h"

enum { SIZE = 32, SHAPES = 10 };
static const char *const names[SHAPES] = {"circle", "ring", "square", "frame", "triangle",
                                          "cross",  "star", "bars",   "crescent", "arrow"};

/* Whether (x, y) is inside of the shape, which reaches from -1 to 1. */
static bool is_inside(int shape, double x, double y) {
    const double r = hypot(x, y), side = fmax(fabs(x), fabs(y));
    switch (shape) {
    case 0: return r < 0.85;
    case 1: return r < 0.9 && r > 0.5;
    case 2: return side < 0.72;
    case 3: return side < 0.8 && side > 0.45;
    case 4: return y < 0.6 && y > -0.9 + 1.7 * fabs(x);
    case 5: return side < 0.9 && fmin(fabs(x), fabs(y)) < 0.25;
    case 6: return r < 0.38 + 0.5 * pow(fabs(cos(2.5 * atan2(x, -y))), 3);
    case 7: return side < 0.85 && fabs(y) > 0.2 && (fabs(y) < 0.42 || fabs(y) > 0.62);
    case 8: return r < 0.9 && hypot(x - 0.45, y) > 0.75;
    default: return (fabs(x) < 0.2 && y > -0.2 && y < 0.9) || (y < 0 && y > -0.9 && fabs(x) < 0.9 + y);
    }
}

static double uniform(t_Generator *generator, double low, double high) {
    const double u = (double)t_random_int64(generator) / 9223372036854775808.0;
    return low + (high - low) * u;
}

/* The planes of red, green and blue, as in CIFAR's files. */
static void draw(int shape, t_Generator *g, uint8_t pixels[3][SIZE][SIZE]) {
    const double angle = uniform(g, -M_PI, M_PI) * 0.17, size = uniform(g, 8, 13), cx = uniform(g, 13, 18),
                 cy = uniform(g, 13, 18), slope = uniform(g, -0.2, 0.2), noise = uniform(g, 0.02, 0.12);
    double back[3], front[3], contrast;
    do {
        contrast = 0;
        for (int c = 0; c < 3; c++) {
            back[c] = uniform(g, 0.1, 0.9);
            front[c] = uniform(g, 0.1, 0.9);
            contrast += fabs(back[c] - front[c]);
        }
    } while (contrast < 0.7);
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            double part = 0;
            for (int i = 0; i < 9; i++) {
                const double u = (x + (i % 3 - 1) / 3.0 - cx) / size, v = (y + (i / 3 - 1) / 3.0 - cy) / size;
                part += is_inside(shape, cos(angle) * u + sin(angle) * v, cos(angle) * v - sin(angle) * u) / 9.0;
            }
            for (int c = 0; c < 3; c++) {
                const double shade = back[c] + slope * (y - SIZE / 2) / SIZE;
                const double value = shade + part * (front[c] - shade) + noise * uniform(g, -1, 1);
                pixels[c][y][x] = (uint8_t)(255 * fmin(fmax(value, 0), 1) + 0.5);
            }
        }
}

/* ---- files ---- */

static FILE *open_file(const char *folder, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/cifar-10-batches-bin/%s", folder, name);
    FILE *file = fopen(path, "wb");
    return file ? file : t_fail("[Errno %d] %s: '%s'", errno, strerror(errno), path);
}

/* For each image a byte with its class, and the planes. */
static bool write_batch(const char *folder, const char *name, int64_t n, t_Generator *generator) {
    FILE *file = open_file(folder, name);
    uint8_t pixels[3][SIZE][SIZE];
    for (int64_t i = 0; file && i < n; i++) {
        const int shape = (int)uniform(generator, 0, SHAPES);
        draw(shape, generator, pixels);
        fputc(shape, file);
        fwrite(pixels, 1, sizeof pixels, file);
    }
    if (!file) return false;
    const bool ok = !ferror(file);
    return (fclose(file) == 0 && ok) || t_fail("the images in %s could not be written", folder);
}

bool write_shapes(const char *folder, int64_t train, int64_t test, int64_t seed) {
    char path[4096];
    t_Generator *generator = t_generator_manual_seed(t_generator(), seed);
    mkdir(folder, 0777); /* if it cannot be made, the files cannot either, and that error says why */
    snprintf(path, sizeof path, "%s/cifar-10-batches-bin", folder);
    mkdir(path, 0777);
    for (int batch = 1; batch <= 5; batch++) {
        snprintf(path, sizeof path, "data_batch_%d.bin", batch);
        if (!write_batch(folder, path, train / 5, generator)) return false;
    }
    FILE *file = write_batch(folder, "test_batch.bin", test, generator) ? open_file(folder, "batches.meta.txt") : NULL;
    for (int i = 0; file && i < SHAPES; i++) fprintf(file, "%s\n", names[i]);
    return file && fclose(file) == 0;
}

bool have_cifar10(const char *folder) {
    char path[4096];
    struct stat about;
    snprintf(path, sizeof path, "%s/cifar-10-batches-py/test_batch", folder);
    if (stat(path, &about) == 0) return true;
    snprintf(path, sizeof path, "%s/cifar-10-batches-bin/batches.meta.txt", folder);
    return stat(path, &about) == 0;
}
