/* core/plot/draw.h: what draws some axes (internal). */
#ifndef TAPEGRAD_CORE_PLOT_DRAW_H
#define TAPEGRAD_CORE_PLOT_DRAW_H

#include "core/plot/svg.h"

bool tg_draw_axes(Svg *svg, const Axes *axes, Arena *arena); /* false with an error set */

#endif
