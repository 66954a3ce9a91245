/* core/plot/terminal/terminal.h: figures drawn with characters (internal).
 *
 * A canvas is a grid of characters. Each axes become a panel: a canvas with a frame for the data, and the title, ticks,
 * labels, scale and legend around it. Panels are next to each other where they fit, else below each other. */
#ifndef TAPEGRAD_CORE_PLOT_TERMINAL_TERMINAL_H
#define TAPEGRAD_CORE_PLOT_TERMINAL_TERMINAL_H

#include <stdio.h>

#include "core/plot/layout/layout.h"

/* ---- canvas (terminal_canvas.c) ---- */

enum { DEFAULT_COLOR = -1 }; /* the terminal's own colour */

typedef struct Cell {
    uint32_t point, mark; /* a code point and a combining one; 0: blank, or covered by a wide character to the left */
    int32_t front, back;  /* 0xRRGGBB or DEFAULT_COLOR */
} Cell;

typedef struct TerminalCanvas {
    int columns, rows;
    Cell *cells;
} TerminalCanvas;

bool tg_canvas_make(Arena *arena, TerminalCanvas *canvas, int columns, int rows);
Cell *tg_canvas_cell(const TerminalCanvas *canvas, int column, int row); /* NULL outside */
void tg_canvas_put(const TerminalCanvas *canvas, int column, int row, uint32_t point, int32_t front);
/* Writes a text on one line, with a space for a newline, in at most `columns` columns (what is longer ends in an
 * ellipsis), and leaves the backgrounds. Returns how many columns it took. */
int tg_canvas_text(const TerminalCanvas *canvas, int column, int row, const char *text, int columns, int32_t front);
void tg_canvas_copy(const TerminalCanvas *to, const TerminalCanvas *from, int column, int row);
bool tg_canvas_print(const TerminalCanvas *canvas, bool colors, FILE *file);
int32_t tg_canvas_color(Color color); /* DEFAULT_COLOR for what is hard to see on a black or on a white screen */

/* floor, with a number just below an integer taken as that integer, so that the last bits of a float32 move no dot:
 * they are some 1e-5 of a dot in a picture of a few hundred dots. */
static inline int tg_canvas_floor(double x) {
    const double most = 1e6, slack = 1e-4;
    return !(fabs(x) < most) ? x > 0 ? (int)most : (int)-most : (int)floor(x + slack);
}

/* ---- panels (terminal_panel.c) ---- */

typedef struct Screen {
    int columns;
    bool colors;
} Screen;

/* A tick: where it is, from 0 (left, bottom) to 1, and its text. */
typedef struct TickMark {
    double at;
    const char *text;
} TickMark;

typedef struct Panel {
    const Axes *axes;
    const Axes *bar;         /* its colorbar, or NULL */
    const Artist *matrix;    /* the image or heat map, or NULL */
    Frame frame, bar_frame;
    Screen screen;           /* columns: the panel's */
    int64_t tick_count[2];
    TickMark *ticks[2];          /* X, Y */
    int y_label_columns;              /* columns for the texts next to the y axis */
    int left, top, width, height; /* the data's rectangle on the canvas */
    int annotation;          /* columns of the longest number in a cell of the heat map; 0: none are written */
    TerminalCanvas canvas;
    int row;                 /* the next free one */
} Panel;

bool tg_panel_begin(Arena *arena, Axes *axes, Screen screen, Panel *panel);
void tg_panel_size(Panel *panel, int columns); /* width and height of the data's rectangle in a panel that wide */
void tg_panel_text(Panel *panel, const char *text, int left, int width); /* centred there, wrapped, in the next rows */
bool tg_panel_draw(Arena *arena, Panel *panel);

/* ---- ticks (terminal_ticks.c) ---- */

double tg_axis_fraction(const Axis *axis, double value); /* 0 at the left or lower end of the view, 1 at the other */
int tg_cell_index(double fraction, int cells);        /* which of that many it falls into */
/* The ticks of an axis from its frame, in rising order. */
bool tg_panel_ticks(Arena *arena, const Axes *axes, const Frame *frame, int which, TickMark **ticks, int64_t *count);
/* An image's ticks between its cells say nothing where a cell is a few characters: only those on cells stay. */
bool tg_drop_ticks_between_cells(Arena *arena, const Axis *axis, TickMark *ticks, int64_t *count);
/* Writes the texts of an axis that begins at column `left` into the next rows: as many numbers, evenly chosen, as
 * one row takes, and other texts staggered over up to three rows; what does not fit is left out. Ticks go into
 * tick_row. */
void tg_panel_tick_row(Panel *panel, const TickMark *ticks, int64_t count, int left, int width, int tick_row);
/* The ticks of the x axis: as above, but where names do not all fit, each tick gets a letter, and a list below the row
 * explains the letters. */
void tg_panel_x_ticks(Panel *panel);
/* The texts next to the y axis: each in its row, fewer of them where two would share one. */
void tg_panel_y_ticks(Panel *panel);

/* ---- what is in panels (terminal_matrix.c, terminal_bars.c, terminal_lines.c, terminal_legend.c) ---- */

/* The shades of values from 0 to 1 where there is no colour; NAN has one of its own. */
uint32_t tg_shade(double t);
#define TG_SHADE_OF_NAN 0xb7u /* a dot in the middle */

void tg_matrix_size(Panel *panel, int max_columns);
/* may it have another height? Neither squares nor rows of numbers do */
bool tg_matrix_has_free_height(const Panel *panel);
void tg_matrix_draw(Panel *panel, const Artist *matrix);
bool tg_matrix_is_subsampled(const Panel *panel); /* a character shows several cells */
void tg_bars_draw(Panel *panel);
bool tg_lines_draw(Arena *arena, Panel *panel);
uint32_t tg_marker_glyph(char marker);
/* The letter that marks a line where there are no colours; 0 for none. */
uint32_t tg_line_letter(const Panel *panel, const Artist *artist);
uint32_t tg_bars_fill(const Panel *panel, const Artist *artist);
bool tg_colorbar_draw(Arena *arena, Panel *panel);
void tg_legend_draw(Panel *panel);

/* ---- figures (terminal.c) ---- */

bool tg_draw_figure(const Figure *figure, Screen screen, FILE *file);

#endif
