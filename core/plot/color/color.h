/* core/plot/color/color.h: colours by name, and colormaps (internal). */
#ifndef TAPEGRAD_CORE_PLOT_COLOR_COLOR_H
#define TAPEGRAD_CORE_PLOT_COLOR_COLOR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Color {
    double r, g, b, a; /* 0 to 1 */
} Color;

/* matplotlib.colors.to_rgba(name): "C0", "C1", ... (the cycle has ten), "tab:blue", the names of CSS in any case, one
 * of the letters bgrcmykw, "#rgb", "#rgba", "#rrggbb", "#rrggbbaa", a grey as a number from "0" (black) to "1", and
 * "none". False with matplotlib's error for other names. The xkcd names are not supported. */
bool tg_color(const char *name, Color *out);

/* matplotlib.colormaps[name]: one of the maps listed in pyplot.h, reversed with the suffix "_r". NULL with an error
 * set. */
typedef struct Colormap Colormap;
const Colormap *tg_colormap(const char *name);
/* map(t, bytes=True), with its 256 entries. t is clamped to [0, 1]; NAN has the colour of 0. */
void tg_colormap_at(const Colormap *map, double t, uint8_t rgb[3]);

/* The luminance of a colour as W3C defines it, 0 black to 1 white (seaborn.utils.relative_luminance). */
double tg_luminance(const uint8_t rgb[3]);
/* The same of map(t), whose channels are more exact than 8 bits. seaborn writes the numbers of a heat map in white up
 * to 0.408 and in "#262626" ("0.15") above; with this function the choice is the same in all 256 entries of every
 * map. */
double tg_colormap_luminance(const Colormap *map, double t);

#endif
