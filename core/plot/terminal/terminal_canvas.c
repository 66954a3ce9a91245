/* core/plot/terminal/terminal_canvas.c: a grid of characters, and how it is written to a file. */
#include <string.h>

#include "core/plot/terminal/terminal.h"
#include "core/plot/text/utf8.h"

bool tg_canvas_make(Arena *arena, TerminalCanvas *canvas, int columns, int rows) {
    *canvas = (TerminalCanvas){columns, rows, tg_arena_alloc(arena, (int64_t)columns * rows, sizeof(Cell))};
    for (int i = 0; canvas->cells && i < columns * rows; i++)
        canvas->cells[i].front = canvas->cells[i].back = DEFAULT_COLOR;
    return canvas->cells != NULL;
}

Cell *tg_canvas_cell(const TerminalCanvas *canvas, int column, int row) {
    bool inside = column >= 0 && column < canvas->columns && row >= 0 && row < canvas->rows;
    return inside ? &canvas->cells[row * canvas->columns + column] : NULL;
}

void tg_canvas_put(const TerminalCanvas *canvas, int column, int row, uint32_t point, int32_t front) {
    Cell *cell = tg_canvas_cell(canvas, column, row);
    if (!cell) return;
    cell->point = point;
    cell->mark = 0;
    cell->front = front;
}

int tg_canvas_text(const TerminalCanvas *canvas, int column, int row, const char *text, int columns, int32_t front) {
    const uint32_t ellipsis = 0x2026;
    int used = 0;
    bool cut = tg_utf8_columns(text) > columns;
    for (uint32_t point; (point = tg_utf8_next(&text));) {
        if (tg_utf8_is_mark(point)) {
            Cell *before = tg_canvas_cell(canvas, column + used - 1, row);
            if (before && used > 0) before->mark = point;
            continue;
        }
        int wide = tg_utf8_is_wide(point) ? 2 : 1;
        if (used + wide > columns - cut) break;
        if (point < 0x20 || point == 0x7f) point = ' ';
        tg_canvas_put(canvas, column + used, row, point, front);
        if (wide == 2) tg_canvas_put(canvas, column + used + 1, row, 0, front);
        used += wide;
    }
    if (cut && columns > 0) tg_canvas_put(canvas, column + used++, row, ellipsis, front);
    return used;
}

void tg_canvas_copy(const TerminalCanvas *to, const TerminalCanvas *from, int column, int row) {
    for (int r = 0; r < from->rows; r++)
        for (int c = 0; c < from->columns; c++) {
            Cell *cell = tg_canvas_cell(to, column + c, row + r);
            if (cell) *cell = from->cells[r * from->columns + c];
        }
}

int32_t tg_canvas_color(Color color) {
    const double dark = 0.02, bright = 0.9;
    uint8_t rgb[3] = {(uint8_t)(255 * color.r + 0.5), (uint8_t)(255 * color.g + 0.5), (uint8_t)(255 * color.b + 0.5)};
    double light = tg_luminance(rgb);
    return light < dark || light > bright ? DEFAULT_COLOR : rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

/* ---- writing ---- */

static void write_point(uint32_t point, FILE *file) {
    if (point < 0x80) {
        fputc((int)point, file);
        return;
    }
    int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    fputc((int)(lead[more] | point >> 6 * more), file);
    while (more-- > 0) fputc((int)(0x80 | (point >> 6 * more & 0x3f)), file);
}

/* The escape sequence that sets the front (38) or the back (48). */
static void write_color(int which, int32_t color, FILE *file) {
    if (color == DEFAULT_COLOR) fprintf(file, "\033[%dm", which + 1);
    else fprintf(file, "\033[%d;2;%d;%d;%dm", which, color >> 16, color >> 8 & 255, color & 255);
}

static bool is_blank(const Cell *cell) {
    return (cell->point == 0 || cell->point == ' ') && cell->back == DEFAULT_COLOR;
}

/* Covered by the wide character before it. */
static bool is_covered(const TerminalCanvas *canvas, int column, int row) {
    const Cell *before = tg_canvas_cell(canvas, column - 1, row);
    return before && before->point && tg_utf8_is_wide(before->point);
}

static void write_row(const TerminalCanvas *canvas, int row, bool colors, FILE *file) {
    int end = canvas->columns;
    int32_t front = DEFAULT_COLOR, back = DEFAULT_COLOR;
    while (end > 0 && is_blank(tg_canvas_cell(canvas, end - 1, row)) && !is_covered(canvas, end - 1, row)) end--;
    for (int column = 0; column < end; column++) {
        const Cell *cell = tg_canvas_cell(canvas, column, row);
        if (is_covered(canvas, column, row)) continue;
        if (colors && cell->front != front) write_color(38, front = cell->front, file);
        if (colors && cell->back != back) write_color(48, back = cell->back, file);
        write_point(cell->point ? cell->point : ' ', file);
        if (cell->mark) write_point(cell->mark, file);
    }
    if (front != DEFAULT_COLOR || back != DEFAULT_COLOR) fputs("\033[0m", file);
    fputc('\n', file);
}

bool tg_canvas_print(const TerminalCanvas *canvas, bool colors, FILE *file) {
    for (int row = 0; row < canvas->rows; row++) write_row(canvas, row, colors, file);
    return fflush(file) == 0 || tg_fail("the figure could not be written");
}
