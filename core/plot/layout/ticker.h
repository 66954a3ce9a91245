/* core/plot/layout/ticker.h: the positions and labels of ticks (internal). */
#ifndef TAPEGRAD_CORE_PLOT_LAYOUT_TICKER_H
#define TAPEGRAD_CORE_PLOT_LAYOUT_TICKER_H

#include "core/plot/text/format.h"

/* matplotlib's AutoLocator: round numbers (steps of 1, 2, 2.5, 5 and 10) in at most `bins` intervals, which is taken as
 * one of 1 to 9. Gives the ticks that lie in [low, high] in rising order, at most `capacity` of them, and returns their
 * number. low and high may come in either order; there are no ticks where they are not finite. */
enum { TG_MAX_TICKS = 32 }; /* an upper bound of their number */
int tg_ticks(double low, double high, int bins, double *to, int capacity);

/* The number of intervals for which labels fit on an axis: axis.get_tick_space(). */
int tg_tick_bins(double length_points, double fontsize, bool vertical);

/* matplotlib's ScalarFormatter, given the ticks that are shown: a label is (tick - offset) / 10^exponent, with so many
 * decimals. */
typedef struct TickStyle {
    double offset;    /* "+1e3" or 0 */
    int exponent;     /* "1e-5" or 0 */
    int decimals;
    bool ascii_minus; /* "-" in place of U+2212: rcParams["axes.unicode_minus"] = False. tg_tick_style gives false */
} TickStyle;
/* (matplotlib also looks at the ticks just outside the axis; that changes a label only on an axis narrower than 1e-10
 * of the numbers on it.) */
TickStyle tg_tick_style(const double *ticks, int count, double low, double high);
void tg_tick_label(char *to, size_t capacity, const TickStyle *style, double tick);
/* The offset text at the end of the axis: "1e-5+1e3"; empty if there is neither. */
void tg_tick_offset(char *to, size_t capacity, const TickStyle *style);

#endif
