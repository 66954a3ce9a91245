/* core/plot/layout/ticker.c: ticks at round numbers and their labels, with matplotlib's rules and its arithmetic.
 *
 * The formulas are those of matplotlib.ticker (MaxNLocator, ScalarFormatter) with its default rcParams. Each step is
 * taken in the same order in double, so that the ticks have the same bits and the labels the same text. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/plot/layout/ticker.h"

/* ---- ticks ---- */

static void floor_divide(double x, double step, double *quotient, double *rest) {
    double r = fmod(x, step), q = (x - r) / step; /* step > 0 */
    if (r < 0) {
        r += step;
        q -= 1;
    }
    double quotient_floor = floor(q);
    *quotient = q - quotient_floor > 0.5 ? quotient_floor + 1 : quotient_floor;
    *rest = r;
}

/* Whether two multiples of the step are equal within a tolerance, which grows with the distance from 0. */
static bool nearly_equal(double a, double b, double step, double offset) {
    double slack = 1e-10;
    if (offset != 0) slack = fmin(0.4999, fmax(1e-10, pow(10, log10(fabs(offset) / step) - 12)));
    return fabs(a - b) < slack;
}

/* The multiples of the step around [low, high], from which `offset` was subtracted. Returns how many are within. */
static int multiples(double low, double high, double step, double offset, double *to, int *count) {
    double first, last, rest, unused, base;
    floor_divide(low, step, &base, &unused);
    base *= step;
    floor_divide(low - base, step, &first, &rest);
    if (nearly_equal(rest / step, 1, step, offset)) first += 1;
    floor_divide(high - base, step, &last, &rest);
    if (!nearly_equal(rest / step, 0, step, offset)) last += 1;
    int within = 0;
    *count = 0;
    for (double k = first; k <= last && *count < TG_MAX_TICKS; k++) {
        double tick = k * step + base;
        within += tick <= high && tick >= low;
        to[(*count)++] = tick + offset;
    }
    return within;
}

/* The range for the ticks: ascending, and not narrower than the precision of its limits. */
static void make_nonsingular(double *low, double *high) {
    const double expander = 1e-13, tiny = 1e-14, smallest = 2.2250738585072014e-308;
    double a = fmin(*low, *high), b = fmax(*low, *high), largest = fmax(fabs(a), fabs(b));
    bool is_zero = largest < 1e6 / tiny * smallest;
    *low = is_zero ? -expander : a;
    *high = is_zero ? expander : b;
    if (is_zero || b - a > largest * tiny) return;
    *low = a - expander * fabs(a);
    *high = b + expander * fabs(b);
}

int tg_ticks(double low, double high, int bins, double *to, int capacity) {
    enum { STEPS = 10 };
    static const double steps[STEPS] = {0.1 * 1, 0.1 * 2, 0.1 * 2.5, 0.1 * 5, 1, 2, 2.5, 5, 10, 10 * 2};
    double a = low, b = high, ticks[TG_MAX_TICKS];
    int count = 0, chosen = 0, given = 0;
    bins = bins < 1 ? 1 : bins > 9 ? 9 : bins;
    make_nonsingular(&a, &b);
    double width = b - a, middle = (b + a) / 2;
    if (!isfinite(width) || !isfinite(middle) || isnan(low) || isnan(high)) return 0;
    double offset = fabs(middle) / width < 100 ? 0 : copysign(pow(10, floor(log10(fabs(middle)))), middle);
    double scale = pow(10, floor(log10(width / bins)));
    a -= offset;
    b -= offset;
    while (chosen < STEPS - 1 && steps[chosen] * scale < (b - a) / bins) chosen++;
    while (multiples(a, b, steps[chosen] * scale, offset, ticks, &count) < 2 && chosen > 0) chosen--;
    double from = fmin(low, high), until = fmax(low, high), slack = (until - from) * 1e-10;
    for (int i = 0; i < count && given < capacity; i++)
        if (ticks[i] >= from - slack && ticks[i] <= until + slack) to[given++] = ticks[i];
    return given;
}

/* Labels are assumed to be three times as wide as high, with a space of one height. */
int tg_tick_bins(double length_points, double fontsize, bool vertical) {
    double bins = fontsize > 0 ? floor(length_points / (fontsize * (vertical ? 2 : 3))) : 9;
    return bins > 9 ? 9 : bins > 1 ? (int)bins : 1;
}

/* ---- labels ---- */

static double floor_of(double x, double step) {
    double quotient, rest;
    floor_divide(x, step, &quotient, &rest);
    return quotient;
}

/* The smallest and the largest tick in view; false if there is none. */
static bool ends_in_view(const double *ticks, int count, double low, double high, double *first, double *last) {
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (!(ticks[i] >= fmin(low, high) && ticks[i] <= fmax(low, high))) continue;
        *first = any ? fmin(*first, ticks[i]) : ticks[i];
        *last = any ? fmax(*last, ticks[i]) : ticks[i];
        any = true;
    }
    return any;
}

/* The largest power of ten, in numbers of at most 10^exponent, at which the two differ by more than `apart`. */
static double largest_distinct_power(double small, double large, double exponent, double apart) {
    while (floor_of(large, pow(10, exponent)) - floor_of(small, pow(10, exponent)) <= apart) exponent--;
    return exponent;
}

/* The offset: the leading digits that all ticks share, if that saves at least four digits; else 0. */
static double shared_offset(double first, double last) {
    enum { SAVED_DIGITS = 4 };
    if (first == last || (first <= 0 && last >= 0)) return 0;
    double small = fmin(fabs(first), fabs(last)), large = fmax(fabs(first), fabs(last)), top = ceil(log10(large));
    double unit = 1 + largest_distinct_power(small, large, top, 0);
    /* 0.99999 and 1.00001 */
    if ((large - small) / pow(10, unit) <= 1e-2) unit = 1 + largest_distinct_power(small, large, top, 1);
    double head = floor_of(large, pow(10, unit));
    return head >= pow(10, SAVED_DIGITS - 1) ? copysign(1, first) * head * pow(10, unit) : 0;
}

/* The exponent that is factored out of the labels: 0 for numbers from 0.0001 to 99999. */
static int shared_exponent(double first, double last, double offset, double low, double high) {
    enum { LOWEST = -5, HIGHEST = 6 };
    double size = offset != 0 ? fabs(high - low) : fmax(fabs(first), fabs(last));
    double exponent = size > 0 ? floor(log10(size)) : 0;
    return exponent <= LOWEST || exponent >= HIGHEST ? (int)exponent : 0;
}

static double rounded(double x, int decimals) {
    double power = pow(10, decimals);
    return rint(x * power) / power;
}

static bool decimals_suffice(const double *ticks, int count, int decimals, const TickStyle *style, double slack) {
    for (int i = 0; i < count; i++) {
        double x = (ticks[i] - style->offset) / pow(10, style->exponent);
        if (isfinite(x) && !(fabs(x - rounded(x, decimals)) < slack)) return false;
    }
    return true;
}

/* As few decimals as show each tick to a thousandth of their span. */
static int shared_decimals(const double *ticks, int count, const TickStyle *style, double low, double high) {
    double least = INFINITY, most = -INFINITY, scale = pow(10, style->exponent);
    for (int i = 0; i < count + 2; i++) {
        if (i >= count && count >= 2) break; /* a single tick spans as much as the axis */
        double x = ((i < count ? ticks[i] : i == count ? low : high) - style->offset) / scale;
        if (!isfinite(x)) continue;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    double span = most - least;
    if (span == 0) span = fmax(fabs(least), fabs(most));
    if (span == 0) span = 1;
    if (!isfinite(span)) return 0;
    int magnitude = (int)floor(log10(span)), decimals = magnitude < 3 ? 3 - magnitude : 0;
    double slack = 1e-3 * pow(10, magnitude);
    while (decimals >= 0 && decimals_suffice(ticks, count, decimals, style, slack)) decimals--;
    return decimals + 1;
}

TickStyle tg_tick_style(const double *ticks, int count, double low, double high) {
    TickStyle style = {0};
    double first = 0, last = 0;
    if (count < 1) return style;
    if (ends_in_view(ticks, count, low, high, &first, &last)) {
        style.offset = shared_offset(first, last);
        style.exponent = shared_exponent(first, last, style.offset, low, high);
    }
    style.decimals = shared_decimals(ticks, count, &style, low, high);
    return style;
}

/* Replaces each '-' by U+2212. */
static void copy_minus(char *to, size_t capacity, const char *text, bool ascii) {
    size_t at = 0;
    for (; *text && capacity > 0; text++) {
        const char *piece = *text == '-' && !ascii ? "\xe2\x88\x92" : (char[]){*text, '\0'};
        size_t length = strlen(piece);
        if (at + length >= capacity) break;
        memcpy(to + at, piece, length);
        at += length;
    }
    if (capacity > 0) to[at] = '\0';
}

void tg_tick_label(char *to, size_t capacity, const TickStyle *style, double tick) {
    char text[400];
    double x = (tick - style->offset) / pow(10, style->exponent);
    tg_c_snprintf(text, sizeof text, "%.*f", style->decimals, fabs(x) < 1e-8 ? 0 : x);
    copy_minus(to, capacity, text, style->ascii_minus);
}

void tg_tick_offset(char *to, size_t capacity, const TickStyle *style) {
    char text[100] = "";
    int at = 0;
    if (style->exponent != 0) at = tg_c_snprintf(text, sizeof text, "1e%d", style->exponent);
    if (style->offset != 0) {
        int exponent = (int)floor(log10(fabs(style->offset)));
        double head = rounded(style->offset / pow(10, exponent), 10);
        at += tg_c_snprintf(text + at, sizeof text - (size_t)at, "%s%.10g", style->offset > 0 ? "+" : "", head);
        if (exponent != 0) tg_c_snprintf(text + at, sizeof text - (size_t)at, "e%d", exponent);
    }
    copy_minus(to, capacity, text, style->ascii_minus);
}
