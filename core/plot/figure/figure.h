/* core/plot/figure/figure.h: the figure model: the plt_ calls record it, drawing reads it (internal).
 *
 * A figure has axes, axes have artists (lines, points, bars, images, meshes). Lengths are points of 1/72 inch and run
 * from the figure's lower left corner to the right and upwards; data values are stored unchanged. */
#ifndef TAPEGRAD_CORE_PLOT_FIGURE_FIGURE_H
#define TAPEGRAD_CORE_PLOT_FIGURE_FIGURE_H

#include <math.h>

#include "core/plot/color/color.h"
#include "core/plot/pyplot.h"
#include "core/tensor/tensor.h"

typedef struct Box {
    double x0, y0, x1, y1;
} Box;

/* Memory that is freed all at once. */
typedef struct Arena {
    struct ArenaBlock *blocks;
} Arena;
void *tg_arena_alloc(Arena *arena, int64_t count, size_t size); /* zeroed; NULL with an error set on out of memory */
/* a copy; invalid UTF-8 and control characters become U+FFFD */
char *tg_arena_text(Arena *arena, const char *text);
void tg_arena_join(Arena *to, Arena *from); /* *from is empty afterwards */
void tg_arena_free(Arena *arena);

/* ---- artists ---- */

typedef enum ArtistKind { ARTIST_LINE, ARTIST_POINTS, ARTIST_BARS, ARTIST_IMAGE, ARTIST_MESH } ArtistKind;
enum { X, Y };

typedef struct Artist {
    struct Artist *next;
    ArtistKind kind;
    const char *label; /* NULL: not in the legend */
    Color color;       /* of the line, the points, the bars; of the lines between a mesh's cells */

    /* a line: count points (x, y), joined unless linestyle is "" and marked unless marker is '\0';
     * points: markers at (x, y), with the colours of c if that is given;
     * bars: bar i is from x[i] to x[i] + width[i] and from bottom to bottom + y[i] */
    int64_t count;
    const double *x, *y, *c, *width;
    double bottom;
    const char *linestyle; /* "-" "--" ":" "-." "" */
    char marker;
    double linewidth, markersize;

    /* an image: column c of row r fills c - 0.5 to c + 0.5, r - 0.5 to r + 0.5; a mesh: c to c + 1, r to r + 1 */
    int64_t rows, columns;
    const double *values;     /* row by row */
    const char *annotation;   /* of a mesh: the format of the numbers in its cells, or NULL */
    bool annotation_integers; /* the numbers are integers */

    const Colormap *map; /* of points with c, of an image and a mesh: vmin is its first colour, vmax its last */
    double vmin, vmax;

    bool legend_last;    /* in the legend */
    double limits[2][2]; /* X and Y: the smallest and largest finite value; the first is larger if there is none */
    double sticky[2][2]; /* matplotlib's sticky edges: values that the margins of an axis do not cross; NAN for none */
} Artist;

/* ---- axes ---- */

typedef struct Axis {
    double view[2]; /* the value at the left or lower end, and at the other */
    bool fixed;     /* by plt_xlim: new data does not change the view */
    bool stale;     /* data was added: tg_autoscale_view must recompute the view */

    bool has_ticks; /* by plt_xticks */
    int64_t tick_count;
    const double *ticks;
    const char *const *tick_labels; /* NULL: numbers */
    double rotation, tick_size;
    bool tick_centred; /* the labels' height is centred on the tick rather than their digits (as seaborn does) */
    bool right;        /* ticks and label are on the right side (of a colorbar) */

    const char *label; /* NULL for none */
    double label_size;
    bool grid;
    Color grid_color;
    const char *grid_linestyle;
    double grid_linewidth;
} Axis;

/* The space of a subplot, or of a colorbar next to it: a cell of the figure's grid, and a part of that cell. */
typedef struct SubplotSpec {
    int64_t rows, columns, index; /* index counts from 0 */
    Box part;                     /* in fractions of the cell: 0, 0, 1, 1 is all of it */
} SubplotSpec;

typedef struct Axes {
    struct Axes *next;
    struct Figure *figure;
    SubplotSpec spec;
    bool equal;    /* one unit of x is as long as one of y */
    double anchor; /* alignment of a box that is narrower than its cell: 0 left, 0.5 centre, 1 right */
    Axis axis[2];  /* X, Y */
    Artist *artists, **last;
    Artist *mappable;  /* the artist of plt_colorbar */
    int next_color[2]; /* of the cycle C0 to C9: for lines and histograms, and for points and bars */
    bool frame;
    const char *title;
    double title_size;

    bool legend, legend_frame;
    const Artist *legend_until; /* the last artist when plt_legend was called */
    int legend_loc;             /* matplotlib's code: 0 best, 1 upper right, ... */
    double legend_size;

    const Artist *colorbar_of; /* not NULL: these axes are a colorbar; axis[Y] is its axis */
    double outline;            /* the width of its frame */
} Axes;

typedef struct Figure {
    struct Figure *older;
    Arena arena;
    double width, height, dpi;                       /* in inches; pixels an inch */
    double left, right, bottom, top, wspace, hspace; /* of the grid, in fractions of the figure */
    double font_size;
    Axes *axes, **last, *current; /* in order of creation */
} Figure;

/* ---- the current figure (pyplot.c) ---- */

/* The open figures of a thread, and its rcParams. */
typedef struct PyplotState {
    t_Object object;
    Figure *figure; /* the current one; ->older leads to the other open ones */
    bool unicode_minus;
    char font_family[200];
    double font_size, figure_dpi, figure_width, figure_height;
} PyplotState;

PyplotState *tg_pyplot_state(void); /* NULL on out of memory */
Axes *tg_gca(void);                 /* plt.gca(): created if there is none; NULL on out of memory */
/* The current figure and axes, to restore after an error: removes a figure or axes that tg_gca has created since. */
typedef struct Current {
    Figure *figure;
    Axes *axes;
} Current;
Current tg_current(void);
void tg_restore(Current before);
Axes *tg_new_axes(Arena *arena, Figure *figure, SubplotSpec spec); /* not yet in the figure */
void tg_add_axes(Figure *figure, Axes *axes);
bool tg_check_size(double width, double height, double dpi); /* of a figure */

/* ---- functions that several calls use ---- */

/* artist.c */
const double *tg_doubles_of(Arena *arena, const Tensor *x);                 /* as doubles, row by row */
bool tg_data_limits(const double *values, int64_t count, double limits[2]); /* of the finite values; false for none */
bool tg_check_alpha(double alpha);
const char *tg_numpy_shape_text(const int64_t *shape, int ndim); /* "(3, 4)", "(3,)": a shape in numpy's notation */
enum { CYCLE_LINES, CYCLE_FILLS };
/* A colour by name, which must be valid, times an opacity; the next of a cycle if name is NULL. */
Color tg_color_or_next(const char *name, double alpha, Axes *axes, int cycle);
Artist *tg_new_artist(Arena *arena, ArtistKind kind, const char *label);
void tg_add_artist(Axes *axes, Artist *artist); /* also marks the views as stale */
/* Sets vmin and vmax; for NAN the finite limits of the values. False with an error set. */
bool tg_set_clim(Artist *artist, const double *values, int64_t count, double vmin, double vmax);
/* 0 to 1 on the artist's map, clamped; NAN if value is not finite */
double tg_normalize(const Artist *artist, double value);

/* plot_scatter.c */
const char *tg_parse_linestyle(const char *word); /* "-" for "solid", ...; NULL with an error set */

/* labels.c */
/* Copies of `count` labels; NULL with an error set, also if one of them is NULL. */
const char *const *tg_copy_labels(Arena *arena, const char *const *labels, int64_t count);
void tg_set_ticks(Axes *axes, int which, const double *ticks, int64_t count, const char *const *labels);

/* image.c */
bool tg_check_matrix(const Tensor *x);
Artist *tg_new_matrix(Arena *arena, ArtistKind kind, const Tensor *x, const char *cmap, double vmin, double vmax);
#define TG_COLORBAR_PARENT_FRACTION 0.8 /* the fraction of the width that remains next to a colorbar */
void tg_add_colorbar(Axes *axes, Artist *mappable, Axes *bar, double shrink);

/* autoscale.c */
void tg_autoscale_view(Axes *axes);                              /* autoscales the views that are not fixed */
void tg_nonsingular(double *low, double *high, double expander); /* if they are equal */

/* ---- drawing (terminal.c) ---- */

bool tg_show_figure(const Figure *figure); /* on stdout, with characters */

#endif
