/* core/plot/terminal/terminal_matrix.c: images and heat maps with characters.
 *
 * With colours a character shows two pixels, one above the other: the upper half block U+2580, whose foreground colour
 * is the upper pixel and whose background colour is the lower one. Without, a character is one pixel in one of five
 * shades, or the cells of a heat map are printed as numbers. A cell is drawn as several pixels if there is space.
 * Otherwise only every d-th cell is shown, not a mean of d cells, which would turn the stripes of a positional encoding
 * to grey; d is odd if possible, since an even d would show only one of two values that alternate. A character is
 * taken to be twice as high as wide. */
#include <string.h>

#include "core/plot/terminal/terminal.h"
#include "core/plot/text/utf8.h"

/* Rows of characters of a picture: the maximum, and the maximum if a cell is more than one pixel, without and with
 * colours. */
enum { MAX_ROWS = 32, MAX_ENLARGED_ROWS = 16, MAX_ENLARGED_COLORED = 20 };

uint32_t tg_shade(double t) {
    static const uint32_t shades[] = {' ', 0x2591, 0x2592, 0x2593, 0x2588};
    if (isnan(t)) return TG_SHADE_OF_NAN;
    int shade = tg_canvas_floor(5 * t);
    return shades[shade < 0 ? 0 : shade > 4 ? 4 : shade];
}

/* ---- size ---- */

static int divide_rounding_up(int64_t a, int64_t b) {
    return (int)((a + b - 1) / b);
}

/* How many pixels show `cells` cells in at most `max_columns` columns: every cell, or about every third, fifth, ... */
static int pixels_for(int64_t cells, int64_t max_columns) {
    int64_t step = divide_rounding_up(cells, max_columns);
    step += step % 2 == 0;
    return (int)((cells + step / 2) / step);
}

/* Square cells: k pixels wide and high, or a pixel for d times d cells. */
static void size_for_squares(Panel *panel, int64_t rows, int64_t columns, int max_columns) {
    bool colors = panel->screen.colors;
    int pixels_per_row = colors ? 2 : 1, columns_per_pixel = colors ? 1 : 2;
    for (int k = 8; k >= 1; k--) {
        int64_t width = columns_per_pixel * k * columns, height = divide_rounding_up(k * rows, pixels_per_row);
        if (k > 1 && k % pixels_per_row != 0) continue; /* enlarged cells end at the end of a character */
        if (width > max_columns || height > (k == 1 ? MAX_ROWS : colors ? MAX_ENLARGED_COLORED : MAX_ENLARGED_ROWS))
            continue;
        panel->width = (int)width;
        panel->height = (int)height;
        return;
    }
    for (int64_t d = 1;; d++) {
        panel->width = divide_rounding_up(columns, d);
        panel->height = divide_rounding_up(rows, 2 * d);
        if (panel->width <= max_columns && panel->height <= MAX_ROWS) return;
    }
}

/* Cells that fill the axes' box, whatever its proportions. */
static void size_to_fill(Panel *panel, int64_t rows, int64_t columns, int max_columns) {
    const Box box = panel->frame.box;
    double aspect = (box.y1 - box.y0) / (box.x1 - box.x0);
    int pixels_per_row = panel->screen.colors ? 2 : 1, natural = tg_canvas_floor(2 * MAX_ENLARGED_ROWS / aspect);
    int64_t times = columns <= max_columns ? (natural < max_columns ? natural : max_columns) / columns : 0;
    panel->width = times > 1 ? (int)(times * columns) : pixels_for(columns, max_columns);
    times = MAX_ENLARGED_ROWS * pixels_per_row / rows;
    while (times > 1 && times * rows % pixels_per_row != 0) times--;
    if (rows <= MAX_ROWS * pixels_per_row) {
        panel->height = divide_rounding_up((times > 1 ? times : 1) * rows, pixels_per_row);
        return;
    }
    int tall = tg_canvas_floor(fmin(MAX_ROWS, fmax(MAX_ENLARGED_ROWS, panel->width * aspect / 2)));
    panel->height = divide_rounding_up(pixels_for(rows, tall * pixels_per_row), pixels_per_row);
}

/* The columns of the longest number of a heat map; 0 where it has none. */
static int longest_number(const Panel *panel, const Artist *matrix) {
    char number[TG_CELL_TEXT_SIZE];
    Text text;
    int longest = 0;
    for (int64_t i = 0; matrix->annotation && i < matrix->rows * matrix->columns; i++) {
        if (!tg_cell_text(panel->axes, &panel->frame, matrix, i, number, sizeof number, &text)) continue;
        int length = tg_utf8_columns(number);
        if (length > longest) longest = length;
    }
    return longest;
}

/* Space for a number in each cell; false where there is not enough. */
static bool size_for_numbers(Panel *panel, int64_t rows, int64_t columns, int max_columns) {
    enum { TALL = 3 }; /* rows of a cell that is filled with colour */
    panel->annotation = rows <= MAX_ROWS && columns <= max_columns ? longest_number(panel, panel->matrix) : 0;
    if (panel->annotation == 0) return false;
    int cell = panel->annotation + 2;
    if (cell * columns > max_columns) cell--;
    if (cell * columns > max_columns) panel->annotation = 0;
    panel->width = (int)(cell * columns);
    panel->height = (int)(panel->screen.colors && rows * TALL <= MAX_ROWS ? rows * TALL : rows);
    return panel->annotation > 0;
}

void tg_matrix_size(Panel *panel, int max_columns) {
    const Artist *matrix = panel->matrix;
    if (size_for_numbers(panel, matrix->rows, matrix->columns, max_columns)) return;
    if (panel->axes->equal) size_for_squares(panel, matrix->rows, matrix->columns, max_columns);
    else size_to_fill(panel, matrix->rows, matrix->columns, max_columns);
}

bool tg_matrix_has_free_height(const Panel *panel) {
    return panel->annotation == 0 && !panel->axes->equal;
}

bool tg_matrix_is_subsampled(const Panel *panel) {
    int pixels_per_row = panel->screen.colors ? 2 : 1;
    return panel->width < panel->matrix->columns || panel->height * pixels_per_row < panel->matrix->rows;
}

/* ---- pixels ---- */

/* The cell at a fraction of an axis (0 to 1); -1 where there is none. */
static int64_t cell_at(const Axis *axis, double fraction, double edge, int64_t count) {
    const int64_t cell = tg_canvas_floor(axis->view[0] + fraction * (axis->view[1] - axis->view[0]) - edge);
    return cell < count ? cell : -1;
}

/* The value of the cell in the middle of a pixel; NAN where it is not finite. */
static double pixel_value(const Panel *panel, const Artist *matrix, int column, int row, int rows) {
    const double edge = matrix->kind == ARTIST_IMAGE ? -0.5 : 0;
    const int64_t c = cell_at(&panel->axes->axis[X], (column + 0.5) / panel->width, edge, matrix->columns);
    const int64_t r = cell_at(&panel->axes->axis[Y], 1 - (row + 0.5) / rows, edge, matrix->rows);
    const double value = c < 0 || r < 0 ? NAN : matrix->values[r * matrix->columns + c];
    return isfinite(value) ? value : NAN;
}

static int32_t pixel_color(const Panel *panel, const Artist *matrix, int column, int row) {
    uint8_t rgb[3];
    double t = tg_normalize(matrix, pixel_value(panel, matrix, column, row, 2 * panel->height));
    if (isnan(t)) return DEFAULT_COLOR;
    tg_colormap_at(matrix->map, t, rgb);
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

static void draw_two_pixels(const Panel *panel, const Artist *matrix, int column, int row) {
    const uint32_t upper_half = 0x2580, lower_half = 0x2584;
    int32_t upper = pixel_color(panel, matrix, column, 2 * row),
        lower = pixel_color(panel, matrix, column, 2 * row + 1);
    Cell *cell = tg_canvas_cell(&panel->canvas, panel->left + column, panel->top + row);
    if (!cell) return;
    bool lower_only = upper == DEFAULT_COLOR;
    cell->point = upper == lower ? ' ' : lower_only ? lower_half : upper_half;
    cell->front = upper == lower ? DEFAULT_COLOR : lower_only ? lower : upper;
    cell->back = upper == lower ? upper : lower_only ? DEFAULT_COLOR : lower;
}

static void draw_shade(const Panel *panel, const Artist *matrix, int column, int row) {
    double t = tg_normalize(matrix, pixel_value(panel, matrix, column, row, panel->height));
    tg_canvas_put(&panel->canvas, panel->left + column, panel->top + row, tg_shade(t), DEFAULT_COLOR);
}

/* ---- numbers ---- */

/* The number of cell i: at its right end, or in the middle where cells are filled. */
static void draw_number(const Panel *panel, const Artist *mesh, int64_t i) {
    char number[TG_CELL_TEXT_SIZE];
    Text text;
    const Axis *x = &panel->axes->axis[X], *y = &panel->axes->axis[Y];
    if (!tg_cell_text(panel->axes, &panel->frame, mesh, i, number, sizeof number, &text)) return;
    double column = (double)(i % mesh->columns), row = (double)(i / mesh->columns);
    double from = tg_axis_fraction(x, column), to = tg_axis_fraction(x, column + 1);
    double up = tg_axis_fraction(y, row + 0.5);
    int left = tg_canvas_floor(fmin(from, to) * panel->width), right = tg_canvas_floor(fmax(from, to) * panel->width);
    int at = tg_canvas_floor((1 - up) * panel->height), length = tg_utf8_columns(number);
    if (left < 0 || right > panel->width || at < 0 || at >= panel->height) return; /* out of view */
    int start = panel->screen.colors ? (left + right - length) / 2 : right - 1 - length;
    int32_t front = !panel->screen.colors ? DEFAULT_COLOR : text.color.r > 0.5 ? 0xffffff : 0x262626;
    tg_canvas_text(&panel->canvas, panel->left + start, panel->top + at, number, length, front);
}

void tg_matrix_draw(Panel *panel, const Artist *matrix) {
    bool numbers = panel->annotation > 0 && matrix == panel->matrix;
    for (int row = 0; row < panel->height; row++)
        for (int column = 0; column < panel->width; column++) {
            if (panel->screen.colors) draw_two_pixels(panel, matrix, column, row);
            else if (!numbers) draw_shade(panel, matrix, column, row);
        }
    for (int64_t i = 0; numbers && i < matrix->rows * matrix->columns; i++) draw_number(panel, matrix, i);
}
