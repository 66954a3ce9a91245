/* core/plot/draw/canvas.c: what both canvases use: markers, dashes, snapping to pixels. */
#include "core/plot/draw/canvas.h"

#include <string.h>

static const MarkerShape shapes[] = {
    {'s', true, 4, {-50, -50, 50, -50, 50, 50, -50, 50}},
    {'D', true, 4, {0, -71, 71, 0, 0, 71, -71, 0}},
    {'d', true, 4, {0, -71, 42, 0, 0, 71, -42, 0}},
    {'^', true, 3, {0, 50, -50, -50, 50, -50}},
    {'v', true, 3, {0, -50, 50, 50, -50, 50}},
    {'<', true, 3, {-50, 0, 50, -50, 50, 50}},
    {'>', true, 3, {50, 0, -50, 50, -50, -50}},
    {'p', true, 5, {0, 50, -48, 15, -29, -40, 29, -40, 48, 15}},
    {'h', true, 6, {0, 50, -43, 25, -43, -25, 0, -50, 43, -25, 43, 25}},
    {'*', true, 10, {0, 50, -11, 15, -48, 15, -18, -6, -29, -40, 0, -19, 29, -40, 18, -6, 48, 15, 11, 15}},
    {'x', false, 4, {-50, -50, 50, 50, -50, 50, 50, -50}},
    {'+', false, 4, {-50, 0, 50, 0, 0, -50, 0, 50}},
    {'|', false, 2, {0, -50, 0, 50}},
    {'_', false, 2, {-50, 0, 50, 0}},
};

const MarkerShape *tg_marker_shape(char marker) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (shapes[i].marker == marker) return &shapes[i];
    return NULL;
}

double tg_marker_radius(char marker, double size, double pixel) {
    return marker == '.' ? size / 4 : marker == ',' ? pixel / 2 : size / 2;
}

int tg_dashes(const char *linestyle, double dashes[4]) {
    static const struct {
        const char *linestyle;
        int count;
        double dashes[4];
    } patterns[] = {{"--", 2, {3.7, 1.6}}, {":", 2, {1, 1.65}}, {"-.", 4, {6.4, 1.6, 1, 1.6}}};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        if (strcmp(linestyle, patterns[i].linestyle) != 0) continue;
        memcpy(dashes, patterns[i].dashes, sizeof patterns[i].dashes);
        return patterns[i].count;
    }
    return 0;
}

static double snap(const Canvas *canvas, double at, double width) {
    bool odd = fmod(rint(width * canvas->scale), 2) == 1;
    return (floor(at * canvas->scale + 0.5) + (odd ? 0.5 : 0)) / canvas->scale;
}

double tg_snap_x(const Canvas *canvas, double x, double width) {
    return snap(canvas, x - canvas->view.x0, width);
}

double tg_snap_y(const Canvas *canvas, double y, double width) {
    return snap(canvas, canvas->view.y1 - y, width);
}
