/* core/plot/terminal/terminal_legend.c: below a panel: the scale of its colours or shades, and the legend. */
#include <string.h>

#include "core/plot/terminal/terminal.h"
#include "core/plot/text/utf8.h"

/* ---- the horizontal colorbar ---- */

static void draw_colorbar(Panel *panel, int left, int width) {
    const uint32_t edge = 0x2502;
    const Artist *shown = panel->bar->colorbar_of;
    const double *view = panel->bar->axis[Y].view;
    tg_canvas_put(&panel->canvas, left - 1, panel->row, edge, DEFAULT_COLOR);
    for (int i = 0; i < width; i++) {
        uint8_t rgb[3];
        double t = tg_normalize(shown, view[0] + (i + 0.5) / width * (view[1] - view[0]));
        uint32_t shade = tg_shade(t);
        Cell *cell = tg_canvas_cell(&panel->canvas, left + i, panel->row);
        if (!cell) continue;
        tg_colormap_at(shown->map, t, rgb);
        if (panel->screen.colors) cell->back = rgb[0] << 16 | rgb[1] << 8 | rgb[2];
        else cell->point = shade == ' ' && shown->kind == ARTIST_POINTS ? TG_SHADE_OF_NAN : shade;
    }
    tg_canvas_put(&panel->canvas, left + width, panel->row, edge, DEFAULT_COLOR);
}

bool tg_colorbar_draw(Arena *arena, Panel *panel) {
    const int fewest = 30;
    int left = panel->left, most = panel->screen.columns - left - 1,
        width = panel->width > fewest ? panel->width : fewest;
    const Axis *axis = &panel->bar->axis[Y];
    TickMark *ticks;
    int64_t count;
    if (width > most) width = most;
    if (!tg_panel_ticks(arena, panel->bar, &panel->bar_frame, Y, &ticks, &count)) return false;
    panel->row++;
    draw_colorbar(panel, left, width);
    panel->row++;
    tg_panel_tick_row(panel, ticks, count, left, width, -1);
    for (int64_t i = 0; i < panel->bar_frame.count; i++)
        if (panel->bar_frame.texts[i].role == TEXT_OFFSET)
            tg_panel_text(panel, panel->bar_frame.texts[i].text, left + width, 0);
    if (axis->label) tg_panel_text(panel, axis->label, left, width);
    return true;
}

/* ---- legend ---- */

static uint32_t line_glyph(const char *linestyle) {
    const uint32_t full = 0x2501, dashed = 0x254d, dotted = 0x2509;
    return strcmp(linestyle, "-") == 0 ? full : strcmp(linestyle, ":") == 0 ? dotted : dashed;
}

/* A sample of the artist, and a space; returns how many columns they take. */
static int put_handle(const Panel *panel, const Artist *artist, int column, int row) {
    uint32_t key = tg_line_letter(panel, artist), sample[3] = {0};
    int32_t front = tg_canvas_color(artist->color);
    bool bars = artist->kind == ARTIST_BARS, joined = artist->kind == ARTIST_LINE && *artist->linestyle;
    uint32_t each = key ? key : bars ? tg_bars_fill(panel, artist) : joined ? line_glyph(artist->linestyle) : 0;
    int length = key || (!bars && !joined) ? 1 : 3;
    for (int i = 0; i < length; i++) sample[i] = each;
    if (!key && !bars && artist->marker) sample[length / 2] = tg_marker_glyph(artist->marker);
    for (int i = 0; i < length; i++) tg_canvas_put(&panel->canvas, column + i, row, sample[i], front);
    return length + 1;
}

/* The entries in as many rows as they need. */
void tg_legend_draw(Panel *panel) {
    enum { HANDLE = 4, GAP = 3 };
    Legend legend;
    int column = 0, columns = panel->screen.columns;
    if (!tg_legend_layout(panel->axes, &panel->frame, &legend)) return;
    panel->row++;
    for (int i = 0; i < legend.count; i++) {
        const char *label = legend.entries[i]->label;
        int length = HANDLE + tg_utf8_columns(label);
        if (column > 0 && column + length > columns) {
            column = 0;
            panel->row++;
        }
        column += put_handle(panel, legend.entries[i], column, panel->row);
        column += tg_canvas_text(&panel->canvas, column, panel->row, label, columns - column, DEFAULT_COLOR) + GAP;
    }
    panel->row++;
}
