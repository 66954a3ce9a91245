/* core/plot/terminal/terminal_bars.c: bars and histograms with block characters, an eighth of a row exact. */
#include "core/plot/terminal/terminal.h"

/* Bars with a legend entry differ in shade where there are no colours. */
uint32_t tg_bars_fill(const Panel *panel, const Artist *artist) {
    static const uint32_t fills[] = {0x2588, 0x2592, 0x2591, 0x2593};
    int before = 0;
    for (const Artist *other = panel->axes->artists; other != artist; other = other->next)
        before += other->kind == ARTIST_BARS;
    return panel->screen.colors ? fills[0] : fills[before % 4];
}

/* A character that is filled from `low` to `high`, in eighths of its height; 0 where that is next to nothing. */
static uint32_t block_character(int low, int high, uint32_t fill) {
    const uint32_t full = 0x2588, lowest = 0x2581, upper_half = 0x2580, upper_eighth = 0x2594, line = 0x2501;
    if (high - low <= 0) return 0;
    if (low == 0 && high == 8) return fill;
    if (fill != full) return high - low >= 4 ? fill : 0;
    if (low == 0) return lowest + (uint32_t)high - 1;
    if (high == 8) return low <= 2 ? full : low <= 5 ? upper_half : upper_eighth;
    return line;
}

static int clamp(int x, int low, int high) {
    return x < low ? low : x > high ? high : x;
}

/* A bar between two columns, and between two heights in eighths of a row above the lower edge of the axes. */
static void draw_bar(Panel *panel, const Artist *bars, int left, int right, int low, int high) {
    uint32_t fill = tg_bars_fill(panel, bars);
    int32_t front = tg_canvas_color(bars->color);
    for (int row = 0; row < panel->height; row++) {
        int foot = 8 * (panel->height - 1 - row);
        uint32_t point = block_character(clamp(low - foot, 0, 8), clamp(high - foot, 0, 8), fill);
        for (int column = left; point && column < right; column++)
            tg_canvas_put(&panel->canvas, panel->left + column, panel->top + row, point, front);
    }
}

static void draw_all_bars(Panel *panel, const Artist *bars) {
    const Axis *x = &panel->axes->axis[X], *y = &panel->axes->axis[Y];
    const int eighths = 8 * panel->height;
    for (int64_t i = 0; i < bars->count; i++) {
        double a = tg_axis_fraction(x, bars->x[i]), b = tg_axis_fraction(x, bars->x[i] + bars->width[i]);
        double foot = tg_axis_fraction(y, bars->bottom), head = tg_axis_fraction(y, bars->bottom + bars->y[i]);
        if (isnan(a) || isnan(b) || isnan(foot) || isnan(head) || fmax(a, b) <= 0 || fmin(a, b) >= 1) continue;
        int left = tg_canvas_floor(fmin(a, b) * panel->width + 0.5),
            right = tg_canvas_floor(fmax(a, b) * panel->width + 0.5);
        if (right == left) right = left + 1;
        draw_bar(panel, bars, clamp(left, 0, panel->width - 1), clamp(right, 1, panel->width),
                 clamp(tg_canvas_floor(fmin(foot, head) * eighths + 0.5), 0, eighths),
                 clamp(tg_canvas_floor(fmax(foot, head) * eighths + 0.5), 0, eighths));
    }
}

void tg_bars_draw(Panel *panel) {
    for (const Artist *artist = panel->axes->artists; artist; artist = artist->next)
        if (artist->kind == ARTIST_BARS) draw_all_bars(panel, artist);
}
