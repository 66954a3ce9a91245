/* core/plot/raster/label.h: a line of text as pixels, for pictures that are no figures (internal). */
#ifndef TAPEGRAD_CORE_PLOT_RASTER_LABEL_H
#define TAPEGRAD_CORE_PLOT_RASTER_LABEL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tg_Label {
    uint8_t *ink; /* 255 where a pixel is covered, row by row */
    int64_t width, height;
} tg_Label;

/* The text, UTF-8, with letters of that size in pixels; false with an error set on out of memory. */
bool tg_label_begin(tg_Label *label, const char *text, double size);
void tg_label_end(tg_Label *label);

#endif
