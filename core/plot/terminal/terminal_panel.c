/* core/plot/terminal/terminal_panel.c: axes as a rectangle of characters, from the title vertical to the legend. */
#include <string.h>

#include "core/plot/terminal/terminal.h"
#include "core/plot/text/format.h"
#include "core/plot/text/utf8.h"

/* ---- texts ---- */

/* Copies what fits in a line, up to a newline or else a space, and advances the text. */
static void next_line(const char **text, int columns, char *line, size_t capacity) {
    const char *at = *text, *space = NULL;
    size_t length = 0;
    for (int used = 0; *at && *at != '\n';) {
        const char *next = at;
        uint32_t point = tg_utf8_next(&next);
        used += tg_utf8_is_mark(point) ? 0 : tg_utf8_is_wide(point) ? 2 : 1;
        if ((used > columns && length > 0) || length + 5 > capacity) break;
        if (point == ' ') space = at;
        length = (size_t)(next - *text);
        at = next;
    }
    if (*at && *at != '\n' && *at != ' ' && space) at = space;
    length = (size_t)(at - *text);
    memcpy(line, *text, length);
    line[length] = '\0';
    *text = at + (*at == '\n' || *at == ' ');
}

void tg_panel_text(Panel *panel, const char *text, int left, int width) {
    enum { MOST_LINES = 16 };
    char line[4096];
    for (int lines = 0; *text && lines < MOST_LINES; lines++) {
        next_line(&text, panel->screen.columns, line, sizeof line);
        int length = tg_utf8_columns(line), most = panel->screen.columns - length, start = left + (width - length) / 2;
        if (start > most) start = most;
        tg_canvas_text(&panel->canvas, start > 0 ? start : 0, panel->row++, line, panel->screen.columns, DEFAULT_COLOR);
    }
}

/* The offset text of an axis, "1e-5"; empty if there is none. */
static const char *offset_text(const Frame *frame, int which) {
    const char *text = "";
    for (int64_t i = 0; i < frame->count; i++) {
        if (frame->texts[i].role != TEXT_OFFSET) continue;
        text = frame->texts[i].text;
        if (which == X) return text; /* the first is that of x, the last that of y */
    }
    return text;
}

static void draw_y_label(Panel *panel) {
    const char *label = panel->axes->axis[Y].label, *offset = offset_text(&panel->frame, Y);
    if (label) tg_panel_text(panel, label, 0, 0);
    if (!*offset) return;
    int start = panel->left - 1 - tg_utf8_columns(offset);
    tg_canvas_text(&panel->canvas, start > 0 ? start : 0, panel->row++, offset, panel->screen.columns, DEFAULT_COLOR);
}

static void draw_x_label(Panel *panel) {
    const char *label = panel->axes->axis[X].label, *offset = offset_text(&panel->frame, X);
    if (*offset) {
        int start = panel->left + panel->width - tg_utf8_columns(offset);
        tg_canvas_text(&panel->canvas, start > 0 ? start : 0, panel->row++, offset, panel->screen.columns,
                       DEFAULT_COLOR);
    }
    if (label) tg_panel_text(panel, label, panel->left, panel->width);
}

/* ---- the frame ---- */

static void draw_frame(Panel *panel) {
    const uint32_t horizontal = 0x2500, vertical = 0x2502, corners[4] = {0x250c, 0x2510, 0x2514, 0x2518};
    int x0 = panel->left - 1, x1 = panel->left + panel->width, y0 = panel->top - 1, y1 = panel->top + panel->height;
    for (int column = x0 + 1; column < x1; column++) {
        tg_canvas_put(&panel->canvas, column, y0, horizontal, DEFAULT_COLOR);
        tg_canvas_put(&panel->canvas, column, y1, horizontal, DEFAULT_COLOR);
    }
    for (int row = y0 + 1; row < y1; row++) {
        tg_canvas_put(&panel->canvas, x0, row, vertical, DEFAULT_COLOR);
        tg_canvas_put(&panel->canvas, x1, row, vertical, DEFAULT_COLOR);
    }
    for (int i = 0; i < 4; i++)
        tg_canvas_put(&panel->canvas, i % 2 ? x1 : x0, i / 2 ? y1 : y0, corners[i], DEFAULT_COLOR);
}

static void draw_grid(Panel *panel) {
    const uint32_t horizontal = 0x2508, vertical = 0x250a;
    for (int which = 0; which < 2; which++) {
        const Axis *axis = &panel->axes->axis[which];
        for (int64_t i = 0; axis->grid && i < panel->tick_count[which]; i++) {
            double at = panel->ticks[which][i].at;
            int cell = which == X ? tg_cell_index(at, panel->width) : tg_cell_index(1 - at, panel->height);
            for (int j = 0; j < (which == X ? panel->height : panel->width); j++)
                tg_canvas_put(&panel->canvas, panel->left + (which == X ? cell : j),
                              panel->top + (which == X ? j : cell),
                              which == X ? vertical : horizontal, tg_canvas_color(axis->grid_color));
        }
    }
}

/* ---- a panel ---- */

static const Axes *colorbar_of(const Axes *axes) {
    for (const Axes *bar = axes->figure->axes; bar; bar = bar->next)
        for (const Artist *artist = axes->artists; bar->colorbar_of && artist; artist = artist->next)
            if (artist == bar->colorbar_of) return bar;
    return NULL;
}

bool tg_panel_begin(Arena *arena, Axes *axes, Screen screen, Panel *panel) {
    enum { LONGEST_TEXT = 20 };
    *panel = (Panel){.axes = axes, .bar = colorbar_of(axes), .screen = screen};
    tg_autoscale_view(axes);
    if (!tg_frame(arena, axes, &panel->frame) || (panel->bar && !tg_frame(arena, panel->bar, &panel->bar_frame)))
        return false;
    for (int which = 0; which < 2; which++)
        if (!tg_panel_ticks(arena, axes, &panel->frame, which, &panel->ticks[which], &panel->tick_count[which]))
            return false;
    for (const Artist *artist = axes->artists; artist; artist = artist->next)
        if (artist->kind == ARTIST_IMAGE || artist->kind == ARTIST_MESH) panel->matrix = artist;
    for (int which = 0; which < 2 && panel->matrix && panel->matrix->kind == ARTIST_IMAGE; which++)
        if (!tg_drop_ticks_between_cells(arena, &axes->axis[which], panel->ticks[which], &panel->tick_count[which]))
            return false;
    for (int64_t i = 0; i < panel->tick_count[Y]; i++) {
        int length = tg_utf8_columns(panel->ticks[Y][i].text);
        panel->y_label_columns =
            (int)fmax(panel->y_label_columns, length < LONGEST_TEXT ? length + 1 : LONGEST_TEXT + 1);
    }
    tg_panel_size(panel, screen.columns);
    return true;
}

void tg_panel_size(Panel *panel, int columns) {
    const int frame = 2, fewest = 5, lowest = 5, highest = 20;
    const Box box = panel->frame.box;
    int most = columns - panel->y_label_columns - frame;
    if (most < fewest) most = fewest;
    panel->screen.columns = columns;
    panel->annotation = 0;
    if (panel->matrix) {
        tg_matrix_size(panel, most);
        return;
    }
    panel->width = most;
    panel->height = tg_canvas_floor(most * (box.y1 - box.y0) / (box.x1 - box.x0) / 2 + 0.5);
    panel->height = panel->height < lowest ? lowest : panel->height > highest ? highest : panel->height;
}

/* The kind of cells that are empty: NULL if there are none. */
static const char *empty_cells(const Artist *matrix) {
    const char *kind = NULL;
    for (int64_t i = 0; i < matrix->rows * matrix->columns; i++) {
        if (isnan(matrix->values[i]) && !kind) kind = "\xc2\xb7 is nan";
        if (isinf(matrix->values[i])) return "\xc2\xb7 is nan or inf";
    }
    return kind;
}

/* The note below an image: the sign of missing values, and how many values a character shows. */
static void draw_notes(Panel *panel) {
    char note[120];
    const Artist *matrix = panel->matrix;
    int high = panel->screen.colors ? 2 : 1, rows = high * panel->height;
    const char *empty = panel->screen.colors ? NULL : empty_cells(matrix);
    if (empty) tg_panel_text(panel, empty, panel->left, panel->width);
    if (!tg_matrix_is_subsampled(panel)) return;
    long long vertical = (matrix->rows + rows / 2) / rows, horizontal =
        (matrix->columns + panel->width / 2) / panel->width;
    bool exact = vertical * rows == matrix->rows && horizontal * panel->width == matrix->columns;
    tg_c_snprintf(note, sizeof note, "one of %s%lld x %lld values a %s", exact ? "" : "about ", vertical, horizontal,
                  high == 2 ? "pixel" : "character");
    tg_panel_text(panel, note, panel->left, panel->width);
}

bool tg_panel_draw(Arena *arena, Panel *panel) {
    const int around = 100 + TG_MAX_ENTRIES; /* rows enough for every text */
    if (!tg_canvas_make(arena, &panel->canvas, panel->screen.columns, panel->height + around)) return false;
    panel->left = panel->y_label_columns + 1;
    if (panel->axes->title) tg_panel_text(panel, panel->axes->title, panel->left, panel->width);
    draw_y_label(panel);
    panel->top = panel->row + 1;
    panel->row = panel->top + panel->height + 1;
    draw_frame(panel);
    draw_grid(panel);
    for (const Artist *artist = panel->axes->artists; artist; artist = artist->next)
        if (artist->kind == ARTIST_IMAGE || artist->kind == ARTIST_MESH) tg_matrix_draw(panel, artist);
    tg_bars_draw(panel);
    if (!tg_lines_draw(arena, panel)) return false;
    tg_panel_y_ticks(panel);
    tg_panel_x_ticks(panel);
    draw_x_label(panel);
    bool numbers_alone = panel->annotation > 0 && !panel->screen.colors;
    if (panel->bar && !numbers_alone && !tg_colorbar_draw(arena, panel)) return false;
    tg_legend_draw(panel);
    if (panel->matrix && !numbers_alone) draw_notes(panel);
    panel->canvas.rows = (int)fmin(panel->canvas.rows, panel->row);
    return true;
}
