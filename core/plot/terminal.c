/* core/plot/terminal.c: a figure on a terminal: so far a line for each of its axes. */
#include <stdio.h>

#include "core/plot/figure.h"

bool tg_show_figure(const Figure *figure) {
    for (const Axes *axes = figure->axes; axes; axes = axes->next) {
        const double *x = axes->axis[X].view, *y = axes->axis[Y].view;
        if (axes->colorbar_of) continue;
        printf("%s: x from %g to %g, y from %g to %g\n", axes->title ? axes->title : "plot", x[0], x[1], y[0], y[1]);
    }
    return true;
}
