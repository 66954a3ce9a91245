/* core/plot/plot.h: import matplotlib.pyplot as plt; import seaborn as sns (public).
 *
 *     pyplot.h, sugar.h           the public functions and their macros
 *     pyplot.c                    open figures, current axes, rcParams
 *     plot_scatter.c, bars.c      plt.plot and plt.scatter, plt.bar and plt.hist
 *     image.c                     plt.imshow and plt.colorbar
 *     heatmap.c, labels.c         sns.heatmap; titles, labels, ticks, limits
 *     figure/                     the figure model that the calls fill: Figure, Axes, Axis, Artist; autoscaling
 *     layout/                     where the parts of axes are: boxes, ticks (locator and formatter), texts, legend
 *     draw/                       draws axes on a canvas; savefig.c chooses one of the two:
 *     svg/                        a figure as SVG, with images as PNG
 *     raster/                     a figure as pixels, for PNG; imread.c: plt.imread, plt.imsave
 *     terminal/                   plt.show() prints it with characters
 *     color/, text/               colour names and colormaps; UTF-8, font metrics, number formats
 *
 * The calls include figure/ (and heat maps layout/); svg/ and terminal/ include layout/ and figure/, and neither knows
 * the other. Outside of this folder core/tensor, core/io,
 * core/vision/io and the headers of core/ops are included. */
#ifndef TAPEGRAD_CORE_PLOT_H
#define TAPEGRAD_CORE_PLOT_H

#include "core/plot/pyplot.h"
#include "core/plot/sugar.h"

#endif
