/* core/vision/io/png_filter.h: the filters of PNG's rows (internal). */
#ifndef TAPEGRAD_CORE_VISION_IO_PNG_FILTER_H
#define TAPEGRAD_CORE_VISION_IO_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

enum { TG_PNG_FILTERS = 5 }; /* none, left, up, average, Paeth */

/* The bytes of a row, n, from its filtered ones; above: the row before, zeros for the first one. step: bytes of a
 * pixel, at least 1. to may be from. */
void tg_png_unfilter(int filter, uint8_t *to, const uint8_t *from, const uint8_t *above, size_t n, size_t step);
/* And back. */
void tg_png_filter(int filter, uint8_t *to, const uint8_t *row, const uint8_t *above, size_t n, size_t step);

#endif
