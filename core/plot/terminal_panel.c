/* core/plot/terminal_panel.c: axes as a rectangle of characters, from the title down to the legend. */
#include <stdlib.h>
#include <string.h>

#include "core/plot/format.h"
#include "core/plot/terminal.h"
#include "core/plot/ticker.h"
#include "core/plot/utf8.h"

/* ---- ticks ---- */

double tg_fraction(const Axis *axis, double value) {
    double span = axis->view[1] - axis->view[0];
    return span == 0 ? 0.5 : (value - axis->view[0]) / span;
}

static int by_place(const void *a, const void *b) {
    const Mark *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at ? 1 : strcmp(x->text, y->text);
}

/* The texts of a frame's ticks stand in the order of the ticks. */
bool tg_panel_marks(Arena *arena, const Axes *axes, const Frame *frame, int which, Mark **marks, int64_t *count) {
    TextRole role = which == X ? TEXT_TICK_X : TEXT_TICK_Y;
    *count = 0;
    *marks = tg_arena_alloc(arena, frame->ticks[which] + 1, sizeof **marks);
    for (int64_t i = 0; *marks && i < frame->count && *count < frame->ticks[which]; i++) {
        if (frame->texts[i].role != role) continue;
        (*marks)[*count] = (Mark){tg_fraction(&axes->axis[which], frame->at[which][*count]), frame->texts[i].text};
        ++*count;
    }
    if (*marks) qsort(*marks, (size_t)*count, sizeof **marks, by_place);
    return *marks != NULL;
}

/* An image's ticks between its cells say nothing where a cell is a few characters: only those on cells stay. */
static bool keep_whole_marks(Arena *arena, const Axis *axis, Mark *marks, int64_t *count) {
    enum { ROOM = 48 };
    const double slack = 1e-9;
    double values[TG_MOST_TICKS];
    int kept = 0;
    for (int64_t i = 0; i < *count && i < TG_MOST_TICKS && !axis->has_ticks; i++) {
        double value = axis->view[0] + marks[i].at * (axis->view[1] - axis->view[0]);
        if (!(fabs(value - round(value)) < slack * fmax(1, fabs(value)))) continue;
        marks[kept] = marks[i];
        values[kept++] = round(value);
    }
    if (kept == 0 || kept == *count) return true;
    *count = kept;
    TickStyle style = tg_tick_style(values, kept, axis->view[0], axis->view[1]);
    style.ascii_minus = !tg_plots()->unicode_minus;
    for (int i = 0; i < kept; i++) {
        char *text = tg_arena_alloc(arena, ROOM, 1);
        if (!text) return false;
        tg_tick_label(text, ROOM, &style, values[i]);
        marks[i].text = text;
    }
    return true;
}

static int place_of(double at, int cells) {
    int place = tg_canvas_floor(at * cells);
    return place < 0 ? 0 : place >= cells ? cells - 1 : place;
}

static bool are_numbers(const Mark *marks, int64_t count) {
    const char *const minus = "\xe2\x88\x92";
    double unused;
    for (int64_t i = 0; i < count; i++) {
        bool negative = strncmp(marks[i].text, minus, strlen(minus)) == 0;
        if (!tg_read_number(marks[i].text + (negative ? strlen(minus) : 0), &unused)) return false;
    }
    return true;
}

/* Where the text of a tick begins so that its middle is at the tick, as far as the canvas allows. */
static int start_of(const Panel *panel, const Mark *mark, int left, int width) {
    int length = tg_utf8_columns(mark->text), most = panel->screen.columns - length;
    int start = left + place_of(mark->at, width) - length / 2;
    return start > most ? most > 0 ? most : 0 : start < 0 ? 0 : start;
}

/* Whether every `stride`th text of a row leaves a space to the next. */
static bool fits(const Panel *panel, const Mark *marks, int64_t count, int64_t stride, int left, int width) {
    int end = -1;
    for (int64_t i = 0; i < count; i += stride) {
        int start = start_of(panel, &marks[i], left, width);
        if (start <= end) return false;
        end = start + tg_utf8_columns(marks[i].text);
    }
    return true;
}

void tg_panel_row_of_marks(Panel *panel, const Mark *marks, int64_t count, int left, int width, int tick_row) {
    enum { LINES = 3 };
    const uint32_t tick = 0x252c;
    int ends[LINES] = {-1, -1, -1}, used = 0;
    int64_t stride = 1, first = 0;
    if (are_numbers(marks, count))
        while (!fits(panel, marks, count, stride, left, width)) stride++;
    if (stride >= count) first = count / 2; /* only one has room */
    for (int64_t i = first; i < count; i += stride) {
        int start = start_of(panel, &marks[i], left, width), line = 0;
        tg_canvas_put(&panel->canvas, left + place_of(marks[i].at, width), tick_row, tick, PLAIN);
        while (line < LINES && start <= ends[line]) line++;
        if (line == LINES) continue;
        ends[line] = start + tg_canvas_text(&panel->canvas, start, panel->row + line, marks[i].text, panel->screen.columns, PLAIN);
        if (line >= used) used = line + 1;
    }
    panel->row += used;
}

/* The texts beside the y axis: each in its row, fewer of them where two would share one. */
static void draw_y_marks(Panel *panel) {
    const uint32_t tick = 0x2524;
    const Mark *marks = panel->marks[Y];
    int64_t count = panel->mark_count[Y], stride = 0;
    for (bool clash = true; clash;) {
        clash = false;
        stride++;
        for (int64_t i = stride; i < count && !clash; i += stride)
            clash = place_of(1 - marks[i].at, panel->height) == place_of(1 - marks[i - stride].at, panel->height);
    }
    bool downwards = panel->axes->axis[Y].view[0] > panel->axes->axis[Y].view[1];
    for (int64_t i = downwards ? (count - 1) % stride : 0; i < count; i += stride) { /* the smallest value's text stays */
        int row = panel->top + place_of(1 - marks[i].at, panel->height), room = panel->gutter - 1;
        int length = tg_utf8_columns(marks[i].text);
        tg_canvas_text(&panel->canvas, length < room ? room - length : 0, row, marks[i].text, room, PLAIN);
        tg_canvas_put(&panel->canvas, panel->left - 1, row, tick, PLAIN);
    }
}

/* ---- texts ---- */

/* Copies what fits into a line, up to a newline or else a space, and moves behind it. */
static void take_line(const char **text, int columns, char *line, size_t room) {
    const char *at = *text, *space = NULL;
    size_t length = 0;
    for (int used = 0; *at && *at != '\n';) {
        const char *next = at;
        uint32_t point = tg_utf8_next(&next);
        used += tg_utf8_is_mark(point) ? 0 : tg_utf8_is_wide(point) ? 2 : 1;
        if ((used > columns && length > 0) || length + 5 > room) break;
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
        take_line(&text, panel->screen.columns, line, sizeof line);
        int length = tg_utf8_columns(line), most = panel->screen.columns - length, start = left + (width - length) / 2;
        if (start > most) start = most;
        tg_canvas_text(&panel->canvas, start > 0 ? start : 0, panel->row++, line, panel->screen.columns, PLAIN);
    }
}

/* What stands at the end of an axis, "1e-5"; empty for nothing. */
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
    tg_canvas_text(&panel->canvas, start > 0 ? start : 0, panel->row++, offset, panel->screen.columns, PLAIN);
}

static void draw_x_label(Panel *panel) {
    const char *label = panel->axes->axis[X].label, *offset = offset_text(&panel->frame, X);
    if (*offset) {
        int start = panel->left + panel->width - tg_utf8_columns(offset);
        tg_canvas_text(&panel->canvas, start > 0 ? start : 0, panel->row++, offset, panel->screen.columns, PLAIN);
    }
    if (label) tg_panel_text(panel, label, panel->left, panel->width);
}

/* ---- the frame ---- */

static void draw_frame(Panel *panel) {
    const uint32_t across = 0x2500, down = 0x2502, corners[4] = {0x250c, 0x2510, 0x2514, 0x2518};
    int x0 = panel->left - 1, x1 = panel->left + panel->width, y0 = panel->top - 1, y1 = panel->top + panel->height;
    for (int column = x0 + 1; column < x1; column++) {
        tg_canvas_put(&panel->canvas, column, y0, across, PLAIN);
        tg_canvas_put(&panel->canvas, column, y1, across, PLAIN);
    }
    for (int row = y0 + 1; row < y1; row++) {
        tg_canvas_put(&panel->canvas, x0, row, down, PLAIN);
        tg_canvas_put(&panel->canvas, x1, row, down, PLAIN);
    }
    for (int i = 0; i < 4; i++) tg_canvas_put(&panel->canvas, i % 2 ? x1 : x0, i / 2 ? y1 : y0, corners[i], PLAIN);
}

static void draw_grid(Panel *panel) {
    const uint32_t across = 0x2508, down = 0x250a;
    for (int which = 0; which < 2; which++) {
        const Axis *axis = &panel->axes->axis[which];
        for (int64_t i = 0; axis->grid && i < panel->mark_count[which]; i++) {
            double at = panel->marks[which][i].at;
            int place = which == X ? place_of(at, panel->width) : place_of(1 - at, panel->height);
            for (int j = 0; j < (which == X ? panel->height : panel->width); j++)
                tg_canvas_put(&panel->canvas, panel->left + (which == X ? place : j), panel->top + (which == X ? j : place),
                              which == X ? down : across, tg_canvas_color(axis->grid_color));
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
    tg_update_view(axes);
    if (!tg_frame(arena, axes, &panel->frame) || (panel->bar && !tg_frame(arena, panel->bar, &panel->bar_frame))) return false;
    for (int which = 0; which < 2; which++)
        if (!tg_panel_marks(arena, axes, &panel->frame, which, &panel->marks[which], &panel->mark_count[which])) return false;
    for (const Artist *artist = axes->artists; artist; artist = artist->next)
        if (artist->kind == ARTIST_IMAGE || artist->kind == ARTIST_MESH) panel->matrix = artist;
    for (int which = 0; which < 2 && panel->matrix && panel->matrix->kind == ARTIST_IMAGE; which++)
        if (!keep_whole_marks(arena, &axes->axis[which], panel->marks[which], &panel->mark_count[which])) return false;
    for (int64_t i = 0; i < panel->mark_count[Y]; i++) {
        int length = tg_utf8_columns(panel->marks[Y][i].text);
        panel->gutter = (int)fmax(panel->gutter, length < LONGEST_TEXT ? length + 1 : LONGEST_TEXT + 1);
    }
    tg_panel_size(panel, screen.columns);
    return true;
}

void tg_panel_size(Panel *panel, int columns) {
    const int frame = 2, fewest = 5, lowest = 5, highest = 20;
    const Box box = panel->frame.box;
    int most = columns - panel->gutter - frame;
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

static bool has_nan(const Artist *matrix) {
    for (int64_t i = 0; i < matrix->rows * matrix->columns; i++)
        if (isnan(matrix->values[i])) return true;
    return false;
}

/* What the reader of an image has to know: what stands for NaN, and how many values a character shows. */
static void draw_notes(Panel *panel) {
    char note[120];
    const Artist *matrix = panel->matrix;
    int high = panel->screen.colors ? 2 : 1, rows = high * panel->height;
    if (has_nan(matrix) && !panel->screen.colors) tg_panel_text(panel, "\xc2\xb7 is nan", panel->left, panel->width);
    if (!tg_matrix_is_reduced(panel)) return;
    long long down = (matrix->rows + rows - 1) / rows, across = (matrix->columns + panel->width - 1) / panel->width;
    tg_print(note, sizeof note, "each %s is the mean of %lld x %lld values", high == 2 ? "pixel" : "character", down, across);
    tg_panel_text(panel, note, panel->left, panel->width);
}

bool tg_panel_draw(Arena *arena, Panel *panel) {
    const int around = 100 + TG_MOST_ENTRIES; /* rows enough for every text */
    if (!tg_canvas_make(arena, &panel->canvas, panel->screen.columns, panel->height + around)) return false;
    panel->left = panel->gutter + 1;
    if (panel->axes->title) tg_panel_text(panel, panel->axes->title, panel->left, panel->width);
    draw_y_label(panel);
    panel->top = panel->row + 1;
    panel->row = panel->top + panel->height + 1;
    draw_frame(panel);
    draw_grid(panel);
    for (const Artist *artist = panel->axes->artists; artist; artist = artist->next)
        if ((artist->kind == ARTIST_IMAGE || artist->kind == ARTIST_MESH) && !tg_matrix_draw(panel, artist)) return false;
    tg_bars_draw(panel);
    if (!tg_curves_draw(arena, panel)) return false;
    draw_y_marks(panel);
    tg_panel_row_of_marks(panel, panel->marks[X], panel->mark_count[X], panel->left, panel->width, panel->top + panel->height);
    draw_x_label(panel);
    bool numbers_alone = panel->annotation > 0 && !panel->screen.colors;
    if (panel->bar && !numbers_alone && !tg_scale_draw(arena, panel)) return false;
    tg_legend_draw(panel);
    if (panel->matrix && !numbers_alone) draw_notes(panel);
    panel->canvas.rows = (int)fmin(panel->canvas.rows, panel->row);
    return true;
}
