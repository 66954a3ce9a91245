/* core/plot/terminal/terminal_ticks.c: ticks and their texts in a row below a panel, and in a column next to it. */
#include <stdlib.h>
#include <string.h>

#include "core/plot/layout/ticker.h"
#include "core/plot/terminal/terminal.h"
#include "core/plot/text/format.h"
#include "core/plot/text/utf8.h"

double tg_axis_fraction(const Axis *axis, double value) {
    double span = axis->view[1] - axis->view[0];
    return span == 0 ? 0.5 : (value - axis->view[0]) / span;
}

static int compare_positions(const void *a, const void *b) {
    const TickMark *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at ? 1 : strcmp(x->text, y->text);
}

/* The labels of a frame are in the order of its ticks. */
bool tg_panel_ticks(Arena *arena, const Axes *axes, const Frame *frame, int which, TickMark **ticks, int64_t *count) {
    TextRole role = which == X ? TEXT_TICK_X : TEXT_TICK_Y;
    *count = 0;
    *ticks = tg_arena_alloc(arena, frame->ticks[which] + 1, sizeof **ticks);
    for (int64_t i = 0; *ticks && i < frame->count && *count < frame->ticks[which]; i++) {
        if (frame->texts[i].role != role) continue;
        (*ticks)[*count] = (TickMark){tg_axis_fraction(&axes->axis[which], frame->at[which][*count]),
            frame->texts[i].text};
        ++*count;
    }
    if (*ticks) qsort(*ticks, (size_t)*count, sizeof **ticks, compare_positions);
    return *ticks != NULL;
}

bool tg_drop_ticks_between_cells(Arena *arena, const Axis *axis, TickMark *ticks, int64_t *count) {
    enum { CAPACITY = 48 };
    const double slack = 1e-9;
    double values[TG_MAX_TICKS];
    int kept = 0;
    for (int64_t i = 0; i < *count && i < TG_MAX_TICKS && !axis->has_ticks; i++) {
        double value = axis->view[0] + ticks[i].at * (axis->view[1] - axis->view[0]);
        if (!(fabs(value - round(value)) < slack * fmax(1, fabs(value)))) continue;
        ticks[kept] = ticks[i];
        values[kept++] = round(value);
    }
    if (kept == 0 || kept == *count) return true;
    *count = kept;
    TickStyle style = tg_tick_style(values, kept, axis->view[0], axis->view[1]);
    style.ascii_minus = !tg_pyplot_state()->unicode_minus;
    for (int i = 0; i < kept; i++) {
        char *text = tg_arena_alloc(arena, CAPACITY, 1);
        if (!text) return false;
        tg_tick_label(text, CAPACITY, &style, values[i]);
        ticks[i].text = text;
    }
    return true;
}

int tg_cell_index(double at, int cells) {
    int index = tg_canvas_floor(at * cells);
    return index < 0 ? 0 : index >= cells ? cells - 1 : index;
}

static bool are_numbers(const TickMark *ticks, int64_t count) {
    const char *const minus = "\xe2\x88\x92";
    double unused;
    for (int64_t i = 0; i < count; i++) {
        bool negative = strncmp(ticks[i].text, minus, strlen(minus)) == 0;
        if (!tg_read_number(ticks[i].text + (negative ? strlen(minus) : 0), &unused)) return false;
    }
    return true;
}

/* The start column of a tick's label: centred at the tick, within the canvas. */
static int label_start(const Panel *panel, const TickMark *mark, int left, int width) {
    int length = tg_utf8_columns(mark->text), most = panel->screen.columns - length;
    int start = left + tg_cell_index(mark->at, width) - length / 2;
    return start > most ? most > 0 ? most : 0 : start < 0 ? 0 : start;
}

/* Whether every `stride`th text of a row leaves a space to the next. */
static bool stride_fits(const Panel *panel, const TickMark *ticks, int64_t count, int64_t stride, int left, int width) {
    int end = -1;
    for (int64_t i = 0; i < count; i += stride) {
        int start = label_start(panel, &ticks[i], left, width);
        if (start <= end) return false;
        end = start + tg_utf8_columns(ticks[i].text);
    }
    return true;
}

/* Whether the labels fit in so many lines, each under its tick. */
enum { LINES = 3 };
static bool labels_fit(const Panel *panel, const TickMark *ticks, int64_t count, int left, int width) {
    int ends[LINES] = {-1, -1, -1};
    for (int64_t i = 0; i < count; i++) {
        int start = label_start(panel, &ticks[i], left, width), line = 0;
        while (line < LINES && start <= ends[line]) line++;
        if (line == LINES) return false;
        ends[line] = start + tg_utf8_columns(ticks[i].text);
    }
    return true;
}

/* A to Z, a to z; 0 for the others. */
static char letter(int64_t i) {
    return (char)(i < 26 ? 'A' + i : i < 52 ? 'a' + i - 26 : 0);
}

/* One per line, in as many columns as fit. */
static void list_letters(Panel *panel, const TickMark *ticks, int64_t count) {
    enum { KEY = 2, GAP = 3 };
    int longest = 0;
    for (int64_t i = 0; i < count; i++) longest = (int)fmax(longest, tg_utf8_columns(ticks[i].text));
    const int each = KEY + longest + GAP, fitting = (panel->screen.columns + GAP) / each;
    const int columns = fitting > 1 ? fitting : 1;
    const int64_t rows = (count + columns - 1) / columns;
    for (int64_t i = 0; i < count; i++) {
        const int column = (int)(i / rows) * each, row = panel->row + (int)(i % rows);
        const char key[] = {letter(i), '\0'};
        tg_canvas_text(&panel->canvas, column, row, key, 1, DEFAULT_COLOR);
        tg_canvas_text(&panel->canvas, column + KEY, row, ticks[i].text, panel->screen.columns - column - KEY,
                       DEFAULT_COLOR);
    }
    panel->row += (int)rows;
}

static bool draw_letters(Panel *panel, const TickMark *ticks, int64_t count) {
    const uint32_t tick = 0x252c;
    bool apart = letter(count - 1) != 0;
    for (int64_t i = 1; i < count && apart; i++)
        apart = tg_cell_index(ticks[i].at, panel->width) != tg_cell_index(ticks[i - 1].at, panel->width);
    if (!apart) return false;
    for (int64_t i = 0; i < count; i++) {
        const int column = panel->left + tg_cell_index(ticks[i].at, panel->width);
        const char key[] = {letter(i), '\0'};
        tg_canvas_put(&panel->canvas, column, panel->top + panel->height, tick, DEFAULT_COLOR);
        tg_canvas_text(&panel->canvas, column, panel->row, key, 1, DEFAULT_COLOR);
    }
    panel->row += 2;
    list_letters(panel, ticks, count);
    return true;
}

void tg_panel_x_ticks(Panel *panel) {
    const TickMark *ticks = panel->ticks[X];
    const int64_t count = panel->tick_count[X];
    const bool fit = are_numbers(ticks, count) || labels_fit(panel, ticks, count, panel->left, panel->width);
    if (fit || !draw_letters(panel, ticks, count))
        tg_panel_tick_row(panel, ticks, count, panel->left, panel->width, panel->top + panel->height);
}

void tg_panel_tick_row(Panel *panel, const TickMark *ticks, int64_t count, int left, int width, int tick_row) {
    const uint32_t tick = 0x252c;
    int ends[LINES] = {-1, -1, -1}, used = 0;
    int64_t stride = 1, first = 0;
    if (are_numbers(ticks, count))
        while (!stride_fits(panel, ticks, count, stride, left, width)) stride++;
    if (stride >= count) first = count / 2; /* only one label fits */
    for (int64_t i = first; i < count; i += stride) {
        int start = label_start(panel, &ticks[i], left, width), line = 0;
        tg_canvas_put(&panel->canvas, left + tg_cell_index(ticks[i].at, width), tick_row, tick, DEFAULT_COLOR);
        while (line < LINES && start <= ends[line]) line++;
        if (line == LINES) continue;
        int row = panel->row + line, most = panel->screen.columns;
        ends[line] = start + tg_canvas_text(&panel->canvas, start, row, ticks[i].text, most, DEFAULT_COLOR);
        if (line >= used) used = line + 1;
    }
    panel->row += used;
}

void tg_panel_y_ticks(Panel *panel) {
    const uint32_t tick = 0x2524;
    const TickMark *ticks = panel->ticks[Y];
    int64_t count = panel->tick_count[Y], stride = 0;
    for (bool clash = true; clash;) {
        clash = false;
        stride++;
        for (int64_t i = stride; i < count && !clash; i += stride)
            clash = tg_cell_index(1 - ticks[i].at, panel->height) ==
                    tg_cell_index(1 - ticks[i - stride].at, panel->height);
    }
    bool downwards = panel->axes->axis[Y].view[0] > panel->axes->axis[Y].view[1];
    /* the smallest value's text stays */
    for (int64_t i = downwards ? (count - 1) % stride : 0; i < count; i += stride) {
        int row = panel->top + tg_cell_index(1 - ticks[i].at, panel->height), columns = panel->y_label_columns - 1;
        int length = tg_utf8_columns(ticks[i].text);
        tg_canvas_text(&panel->canvas, length < columns ? columns - length : 0, row, ticks[i].text, columns,
                       DEFAULT_COLOR);
        tg_canvas_put(&panel->canvas, panel->left - 1, row, tick, DEFAULT_COLOR);
    }
}
