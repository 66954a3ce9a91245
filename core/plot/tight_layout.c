/* core/plot/tight_layout.c: plt.tight_layout. */
#include "core/plot/layout/layout.h"

/* The margins that the cells of a grid need: at each line between columns (rows), one value per cell. */
typedef struct GridMargins {
    int64_t rows, columns;
    double *horizontal; /* [rows][columns + 1]: left and right margins, added on the line between two cells */
    double *vertical;   /* [rows + 1][columns]: the same for top and bottom margins */
} GridMargins;

static void add_margins(GridMargins *margins, const Axes *axes, Box box, Box cell) {
    const SubplotSpec *spec = &axes->spec;
    int64_t down = margins->rows / spec->rows, along = margins->columns / spec->columns;
    int64_t row = spec->index / spec->columns * down, column = spec->index % spec->columns * along;
    for (int64_t r = row; r < row + down; r++) {
        margins->horizontal[r * (margins->columns + 1) + column] += cell.x0 - box.x0;
        margins->horizontal[r * (margins->columns + 1) + column + along] += box.x1 - cell.x1;
    }
    for (int64_t c = column; c < column + along; c++) {
        margins->vertical[row * margins->columns + c] += box.y1 - cell.y1;
        margins->vertical[(row + down) * margins->columns + c] += cell.y0 - box.y0;
    }
}

static bool same_cell(const Axes *a, const Axes *b) {
    return a->spec.rows == b->spec.rows && a->spec.columns == b->spec.columns && a->spec.index == b->spec.index;
}

/* The box around all the axes of a cell (some axes and their colorbars); false with an error set. */
static bool cell_extent(Arena *arena, const Figure *figure, const Axes *first, Box *box) {
    *box = (Box){INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (const Axes *axes = figure->axes; axes; axes = axes->next) {
        Frame frame;
        if (!same_cell(axes, first)) continue;
        if (!tg_frame(arena, axes, &frame)) return false;
        *box = tg_union(*box, tg_tight_box(axes, &frame, true));
    }
    return true;
}

static double largest_horizontal(const GridMargins *margins, int64_t from, int64_t until) {
    double largest = -INFINITY;
    for (int64_t r = 0; r < margins->rows; r++)
        for (int64_t c = from; c < until; c++)
            largest = fmax(largest, margins->horizontal[r * (margins->columns + 1) + c]);
    return largest;
}

static double largest_vertical(const GridMargins *margins, int64_t from, int64_t until) {
    double largest = -INFINITY;
    for (int64_t r = from; r < until; r++)
        for (int64_t c = 0; c < margins->columns; c++)
            largest = fmax(largest, margins->vertical[r * margins->columns + c]);
    return largest;
}

/* Sets the grid so that the margins fit; no change if they cannot. */
static void set_grid(Figure *figure, const GridMargins *margins) {
    const double pad = 1.08 * figure->font_size;
    double width = 72 * figure->width, height = 72 * figure->height, columns = (double)margins->columns,
           rows = (double)margins->rows;
    double left = (fmax(largest_horizontal(margins, 0, 1), 0) + pad) / width;
    double right = (fmax(largest_horizontal(margins, margins->columns, margins->columns + 1), 0) + pad) / width;
    double top = (fmax(largest_vertical(margins, 0, 1), 0) + pad) / height;
    double bottom = (fmax(largest_vertical(margins, margins->rows, margins->rows + 1), 0) + pad) / height;
    double hspace = rows > 1 ? (largest_vertical(margins, 1, margins->rows) + pad) / height : 0;
    double wspace = columns > 1 ? (largest_horizontal(margins, 1, margins->columns) + pad) / width : 0;
    double cell_width = (1 - left - right - wspace * (columns - 1)) / columns;
    double cell_height = (1 - top - bottom - hspace * (rows - 1)) / rows;
    if (left + right >= 1 || top + bottom >= 1 || cell_width < 0 || cell_height < 0) return;
    figure->left = left;
    figure->right = 1 - right;
    figure->top = 1 - top;
    figure->bottom = bottom;
    if (columns > 1) figure->wspace = wspace / cell_width;
    if (rows > 1) figure->hspace = hspace / cell_height;
}

/* plt.tight_layout(): moves the subplots so that their current labels and titles fit into the figure and do not
 * overlap. Nothing changes if there is not enough space, or if grids of different shapes are mixed. */
bool plt_tight_layout(void) {
    PyplotState *state = tg_pyplot_state();
    Figure *figure = state ? state->figure : NULL;
    GridMargins margins = {1, 1, NULL, NULL};
    Arena arena = {NULL};
    bool ok = state != NULL;
    if (!figure || !figure->axes) return ok;
    for (Axes *axes = figure->axes; axes; axes = axes->next) {
        tg_autoscale_view(axes);
        if (axes->spec.rows > margins.rows) margins.rows = axes->spec.rows;
        if (axes->spec.columns > margins.columns) margins.columns = axes->spec.columns;
    }
    for (const Axes *axes = figure->axes; axes; axes = axes->next)
        if (margins.rows % axes->spec.rows || margins.columns % axes->spec.columns) return true;
    margins.horizontal = tg_arena_alloc(&arena, margins.rows * (margins.columns + 1), sizeof *margins.horizontal);
    margins.vertical = tg_arena_alloc(&arena, (margins.rows + 1) * margins.columns, sizeof *margins.vertical);
    ok = margins.horizontal && margins.vertical;
    for (const Axes *axes = figure->axes; ok && axes; axes = axes->next) {
        const Axes *first = figure->axes;
        Box box;
        while (!same_cell(first, axes)) first = first->next;
        if (first != axes) continue; /* its cell is measured already */
        ok = cell_extent(&arena, figure, axes, &box);
        if (ok) add_margins(&margins, axes, box, tg_cell_box(figure, axes->spec));
    }
    if (ok) set_grid(figure, &margins);
    tg_arena_free(&arena);
    return ok;
}
