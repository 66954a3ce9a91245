/* core/plot/figure/autoscale.c: autoscaling: the range of values of an axis, by matplotlib's rules. */
#include "core/plot/figure/figure.h"

/* Makes a range ascending with a positive width: a single value is widened by `expander` of it on each side. */
void tg_nonsingular(double *low, double *high, double expander) {
    const double tiny = 1e-15, smallest = 2.2250738585072014e-308;
    double a = fmin(*low, *high), b = fmax(*low, *high), largest = fmax(fabs(a), fabs(b));
    bool backwards = *low > *high;
    if (!isfinite(*low) || !isfinite(*high) || largest < 1e6 / tiny * smallest) {
        a = -expander;
        b = expander;
    } else if (b - a <= largest * tiny) {
        a -= expander * fabs(a);
        b += expander * fabs(b);
    }
    *low = backwards ? b : a;
    *high = backwards ? a : b;
}

/* The sticky edge next to an end of the range, on its outer side; NAN for none. */
static double nearest_sticky_edge(const Axes *axes, int which, double end, double slack, int direction) {
    double best = NAN;
    for (const Artist *artist = axes->artists; artist; artist = artist->next)
        for (int i = 0; i < 2; i++) {
            double edge = artist->sticky[which][i];
            if (isnan(edge) || (edge - end) * direction < -slack) continue;
            if (isnan(best) || (best - edge) * direction > 0) best = edge;
        }
    return best;
}

/* The finite range of the data with 5 % of its width at each end, but not beyond a sticky edge. */
static void autoscale(Axes *axes, int which) {
    const double margin = 0.05;
    double low = INFINITY, high = -INFINITY;
    for (const Artist *artist = axes->artists; artist; artist = artist->next) {
        low = fmin(low, artist->limits[which][0]);
        high = fmax(high, artist->limits[which][1]);
    }
    if (low > high) low = high = NAN;
    tg_nonsingular(&low, &high, 0.05);
    double slack = 1e-5 * fabs(high - low), more = (high - low) * margin;
    double least = nearest_sticky_edge(axes, which, low, slack, -1);
    double most = nearest_sticky_edge(axes, which, high, slack, 1);
    if (!isfinite(more)) more = 0;
    low = isnan(least) ? low - more : fmax(low - more, least);
    high = isnan(most) ? high + more : fmin(high + more, most);
    double *view = axes->axis[which].view;
    bool backwards = view[0] > view[1];
    view[0] = backwards ? high : low;
    view[1] = backwards ? low : high;
}

void tg_autoscale_view(Axes *axes) {
    for (int which = 0; which < 2; which++) {
        Axis *axis = &axes->axis[which];
        if (axis->stale && !axis->fixed) autoscale(axes, which);
        axis->stale = false;
    }
}
