/* core/plot/terminal/terminal.c: plt.show(): figures on stdout, drawn with characters.
 *
 * On a terminal they are as wide as it is and in colour (24 bits, unless NO_COLOR is set or TERM is "dumb"). Otherwise
 * the output is plain UTF-8 of at most 80 columns, and depends only on the figure. */
#include "core/plot/terminal/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PANEL_GAP = 2 }; /* columns between panels, rows between lines of them */

/* ---- panels in a row ---- */

/* The first axes of a row of the grid, and the number of following axes in the same row. */
static Axes *next_grid_row(Axes *axes, int *count) {
    while (axes && axes->colorbar_of) axes = axes->next;
    *count = 0;
    if (!axes) return NULL;
    for (const Axes *other = axes; other; other = other->next) {
        if (other->colorbar_of) continue;
        const SubplotSpec *a = &axes->spec, *b = &other->spec;
        if (a->rows != b->rows || a->columns != b->columns || a->index / a->columns != b->index / b->columns) break;
        ++*count;
    }
    return axes;
}

/* Whether a panel may be that narrow: no more cells of an image may be lost for it, unless it is still wide. */
static bool can_be_as_narrow_as(Panel *panel, int columns) {
    const int fewest = 36, quite_wide = 60;
    int wide = panel->screen.columns, numbers = panel->annotation, width = panel->width, height = panel->height;
    if (columns < fewest || !panel->matrix || columns >= quite_wide) return columns >= fewest;
    tg_panel_size(panel, columns);
    bool same = panel->annotation == numbers &&
                (!tg_matrix_is_subsampled(panel) || (panel->width == width && panel->height == height));
    tg_panel_size(panel, wide);
    return same;
}

/* Panels side by side get the same height: that of the highest, or of the highest of those whose height is fixed,
 * unless these are very low. */
static void equalize_heights(Panel *panels, int count) {
    const int lowest = 8;
    int all = lowest, fixed = 0;
    for (int i = 0; i < count; i++) {
        all = (int)fmax(all, panels[i].height);
        if (panels[i].matrix && !tg_matrix_has_free_height(&panels[i])) fixed = (int)fmax(fixed, panels[i].height);
    }
    const int height = fixed >= lowest ? fixed : all;
    for (int i = 0; i < count; i++)
        if (!panels[i].matrix || tg_matrix_has_free_height(&panels[i])) panels[i].height = height;
}

static bool print_side_by_side(Arena *arena, Panel *panels, int count, Screen screen, FILE *file) {
    TerminalCanvas all;
    int rows = 0, top = 0, each = (screen.columns - PANEL_GAP * (count - 1)) / count;
    for (int i = 0; i < count; i++) tg_panel_size(&panels[i], each);
    equalize_heights(panels, count);
    for (int i = 0; i < count; i++) {
        if (!tg_panel_draw(arena, &panels[i])) return false;
        if (panels[i].top > top) top = panels[i].top;
    }
    for (int i = 0; i < count; i++) rows = (int)fmax(rows, top - panels[i].top + panels[i].canvas.rows);
    if (!tg_canvas_make(arena, &all, screen.columns, rows)) return false;
    for (int i = 0; i < count; i++)
        tg_canvas_copy(&all, &panels[i].canvas, i * (each + PANEL_GAP), top - panels[i].top);
    return tg_canvas_print(&all, screen.colors, file);
}

static bool print_row(Arena *arena, Axes *axes, int count, Screen screen, FILE *file) {
    Panel *panels = tg_arena_alloc(arena, count, sizeof *panels);
    bool side_by_side = count > 1;
    int begun = 0, each = (screen.columns - PANEL_GAP * (count - 1)) / count;
    for (; panels && begun < count; axes = axes->next) {
        if (axes->colorbar_of) continue;
        if (!tg_panel_begin(arena, axes, screen, &panels[begun])) return false;
        side_by_side = side_by_side && can_be_as_narrow_as(&panels[begun], each);
        begun++;
    }
    if (!panels) return false;
    if (side_by_side) return print_side_by_side(arena, panels, count, screen, file);
    for (int i = 0; i < count; i++) {
        if (i > 0) fputc('\n', file);
        if (!tg_panel_draw(arena, &panels[i]) || !tg_canvas_print(&panels[i].canvas, screen.colors, file)) return false;
    }
    return true;
}

/* ---- a figure ---- */

bool tg_draw_figure(const Figure *figure, Screen screen, FILE *file) {
    const int narrowest = 20;
    bool ok = true;
    int count;
    if (screen.columns < narrowest) screen.columns = narrowest;
    for (Axes *axes = next_grid_row(figure->axes, &count); ok && axes;) {
        Arena arena = {NULL};
        if (axes != figure->axes) fputc('\n', file);
        ok = print_row(&arena, axes, count, screen, file);
        tg_arena_free(&arena);
        for (; count > 0; axes = axes->next) count -= axes->colorbar_of == NULL;
        axes = next_grid_row(axes, &count);
    }
    return ok;
}

/* The screen that stdout is: its width from COLUMNS, else from the terminal, and no wider than the figure is large. */
static Screen stdout_screen(const Figure *figure) {
    const int usual = 80, columns_per_inch = 12; /* 6.4 inches are not quite 80 columns */
    const char *columns = getenv("COLUMNS"), *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    struct winsize window;
    if (!isatty(STDOUT_FILENO)) return (Screen){usual, false};
    int width = columns ? atoi(columns) : 0, natural = (int)fmin(columns_per_inch * figure->width, 1000);
    if (width <= 0) width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : usual;
    if (natural < usual) natural = usual;
    return (Screen){width < natural ? width : natural, !(no_color && *no_color) &&
                    !(term && strcmp(term, "dumb") == 0)};
}

bool tg_show_figure(const Figure *figure) {
    if (!tg_draw_figure(figure, stdout_screen(figure), stdout)) return false;
    putchar('\n');
    return true;
}
