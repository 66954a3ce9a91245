/* core/plot/tight.c: plt.tight_layout. */
#include "core/plot/layout.h"

/* The margins that the cells of a grid need: at each line between columns (rows), one value per cell. */
typedef struct Room {
    int64_t rows, columns;
    double *beside; /* [rows][columns + 1]: left and right margins, added at a line between two cells */
    double *above;  /* [rows + 1][columns]: the same for above and below */
} Room;

static void add_room(Room *room, const Axes *axes, Box box, Box cell) {
    const Place *place = &axes->place;
    int64_t down = room->rows / place->rows, along = room->columns / place->columns;
    int64_t row = place->index / place->columns * down, column = place->index % place->columns * along;
    for (int64_t r = row; r < row + down; r++) {
        room->beside[r * (room->columns + 1) + column] += cell.x0 - box.x0;
        room->beside[r * (room->columns + 1) + column + along] += box.x1 - cell.x1;
    }
    for (int64_t c = column; c < column + along; c++) {
        room->above[row * room->columns + c] += box.y1 - cell.y1;
        room->above[(row + down) * room->columns + c] += cell.y0 - box.y0;
    }
}

static bool same_cell(const Axes *a, const Axes *b) {
    return a->place.rows == b->place.rows && a->place.columns == b->place.columns && a->place.index == b->place.index;
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

static double largest_beside(const Room *room, int64_t from, int64_t until) {
    double largest = -INFINITY;
    for (int64_t r = 0; r < room->rows; r++)
        for (int64_t c = from; c < until; c++) largest = fmax(largest, room->beside[r * (room->columns + 1) + c]);
    return largest;
}

static double largest_above(const Room *room, int64_t from, int64_t until) {
    double largest = -INFINITY;
    for (int64_t r = from; r < until; r++)
        for (int64_t c = 0; c < room->columns; c++) largest = fmax(largest, room->above[r * room->columns + c]);
    return largest;
}

/* Sets the grid so that the margins fit; no change if they cannot. */
static void adjust(Figure *figure, const Room *room) {
    const double pad = 1.08 * figure->font_size;
    double width = 72 * figure->width, height = 72 * figure->height, columns = (double)room->columns,
        rows = (double)room->rows;
    double left = (fmax(largest_beside(room, 0, 1), 0) + pad) / width;
    double right = (fmax(largest_beside(room, room->columns, room->columns + 1), 0) + pad) / width;
    double top = (fmax(largest_above(room, 0, 1), 0) + pad) / height;
    double bottom = (fmax(largest_above(room, room->rows, room->rows + 1), 0) + pad) / height;
    double hspace = rows > 1 ? (largest_above(room, 1, room->rows) + pad) / height : 0;
    double wspace = columns > 1 ? (largest_beside(room, 1, room->columns) + pad) / width : 0;
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
    Plots *state = tg_plots();
    Figure *figure = state ? state->figure : NULL;
    Room room = {1, 1, NULL, NULL};
    Arena arena = {NULL};
    bool ok = state != NULL;
    if (!figure || !figure->axes) return ok;
    for (Axes *axes = figure->axes; axes; axes = axes->next) {
        tg_update_view(axes);
        if (axes->place.rows > room.rows) room.rows = axes->place.rows;
        if (axes->place.columns > room.columns) room.columns = axes->place.columns;
    }
    for (const Axes *axes = figure->axes; axes; axes = axes->next)
        if (room.rows % axes->place.rows || room.columns % axes->place.columns) return true;
    room.beside = tg_arena_alloc(&arena, room.rows * (room.columns + 1), sizeof *room.beside);
    room.above = tg_arena_alloc(&arena, (room.rows + 1) * room.columns, sizeof *room.above);
    ok = room.beside && room.above;
    for (const Axes *axes = figure->axes; ok && axes; axes = axes->next) {
        const Axes *first = figure->axes;
        Box box;
        while (!same_cell(first, axes)) first = first->next;
        if (first != axes) continue; /* its cell is measured already */
        ok = cell_extent(&arena, figure, axes, &box);
        if (ok) add_room(&room, axes, box, tg_cell_box(figure, axes->place));
    }
    if (ok) adjust(figure, &room);
    tg_arena_free(&arena);
    return ok;
}
