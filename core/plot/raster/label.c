/* core/plot/raster/label.c: a line of text as pixels. */
#include "core/plot/raster/label.h"

#include <math.h>

#include "core/plot/layout/layout.h"
#include "core/plot/raster/raster_canvas.h"
#include "core/tensor/tensor.h"

bool tg_label_begin(tg_Label *label, const char *text, double size) {
    enum { MOST = 4096 };
    const Color white = {1, 1, 1, 1};
    Text line = {.text = text, .size = size, .color = {0, 0, 0, 1}};
    TextLine lines[MAX_TEXT_LINES];
    Box box;
    *label = (tg_Label){0};
    tg_text_lines(&line, lines, &box);
    const double width = ceil(box.x1 - box.x0) + 1, height = ceil(box.y1 - box.y0) + 1;
    label->width = (int64_t)fmax(1, fmin(width, MOST));
    label->height = (int64_t)fmax(1, fmin(height, MOST));
    const Box view = {box.x0, box.y1 - (double)label->height, box.x0 + (double)label->width, box.y1};
    Raster raster;
    const int64_t count = label->width * label->height;
    bool ok = tg_raster_canvas(&raster, view, label->width, label->height);
    if (ok) {
        raster.canvas.rectangle(&raster.canvas, view, 0, NULL, &white);
        tg_raster_text(&raster.canvas, &line);
        ok = (label->ink = tg_alloc((size_t)count)) != NULL;
    }
    for (int64_t i = 0; ok && i < count; i++) label->ink[i] = (uint8_t)(255 - raster.pixels[4 * i]);
    tg_raster_end(&raster);
    return ok;
}

void tg_label_end(tg_Label *label) {
    if (label->ink) tg_free(label->ink, (size_t)(label->width * label->height));
    label->ink = NULL;
}
