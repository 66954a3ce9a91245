/* core/plot/raster/raster_canvas.h: a figure's canvas of pixels (internal). */
#ifndef TAPEGRAD_CORE_PLOT_RASTER_RASTER_CANVAS_H
#define TAPEGRAD_CORE_PLOT_RASTER_RASTER_CANVAS_H

#include "core/plot/raster/raster.h"

/* White, with all calls of the canvas; false with an error set on out of memory. tg_raster_end also after an error. */
bool tg_raster_canvas(Raster *r, Box view, int64_t width, int64_t height);

/* The current figure as plt_savefig writes it at its dpi (savefig.c); an empty one if there is none. False with an
 * error set. tg_raster_end also after an error. */
bool tg_raster_current_figure(Raster *r);

#endif
