/* core/plot/pyplot.h: import matplotlib.pyplot as plt, import seaborn as sns (public).
 *
 *     #include "core/plot/plot.h"
 *     plt_figure(.figsize = {12, 6});
 *     plt_plot(losses, .label = "training");
 *     plt_xlabel("step");
 *     plt_legend();
 *     plt_savefig("loss.png");
 *
 * The words, the order of arguments, the keywords and their defaults are matplotlib's (and seaborn's for sns_heatmap),
 * and so are colours, ticks, number formats, font sizes and the layout: figures agree with matplotlib's to about a
 * pixel. As in Python the calls draw into the current figure of their thread, and make one (6.4 by 4.8 inches) where
 * there is none. A figure is written as SVG or PNG, by plt_savefig, or drawn with characters on the terminal, by
 * plt_show; there is no window. Figures that are not closed are released when their thread ends.
 *
 * Tensors are read as data, whatever their dtype and layout; also those that require grad, which numpy() refuses in
 * Python. What is drawn is copied: a tensor or text may change or go afterwards. A NaN or an infinite value is missing:
 * a gap in a line, a white cell of an image, no bar, no point. Texts are UTF-8, "\n" begins a new line (16 are shown);
 * what is no valid text is drawn as U+FFFD, and "$" is a dollar, for there is no mathematical typesetting. Texts are
 * measured in DejaVu Sans.
 *
 * Sizes are in points of 1/72 inch, figures in inches. Each function gives false on failure with t_error() set, and
 * nothing has changed then; NULL options are all defaults. Errors are listed above the functions in core/plot/.
 *
 * Colours: "C0" to "C9", "tab:blue", "red", "r", "#1f77b4", "0.75" (a grey), and the other names of CSS. Colormaps:
 * viridis plasma inferno magma cividis rocket mako Blues Reds Greens Greys Oranges Purples YlGnBu YlOrRd RdBu coolwarm
 * gray hot, each also backwards with the suffix _r. Markers: "o" "." "," "s" "^" "v" "<" ">" "D" "d" "p" "h" "*" "x"
 * "+" "|" "_". Lines: "-" "--" ":" "-." and "" for none. */
#ifndef TAPEGRAD_CORE_PLOT_PYPLOT_H
#define TAPEGRAD_CORE_PLOT_PYPLOT_H

#include "core/tensor/api.h"

T_BEGIN_DECLS

/* Options: `size` is sizeof of the struct. NAN in a limit and NULL in a colour or text mean "as matplotlib chooses".
 * The order of the fields after `size` is that of the arguments which the macros also take by position. */

typedef struct plt_FigureOptions {
    uint32_t size;
    double figsize[2]; /* 6.4, 4.8: width and height in inches */
    double dpi;        /* 100: pixels an inch */
} plt_FigureOptions;
T_API bool plt_figure(const plt_FigureOptions *options);          /* plt.figure(figsize=, dpi=): a new current figure */
/* plt.subplot(1, 2, 1): index counts from 1; the axes become the current ones, and are created if they do not exist */
T_API bool plt_subplot(int64_t nrows, int64_t ncols, int64_t index);

typedef struct plt_ImshowOptions {
    uint32_t size;
    const char *cmap;     /* "viridis" */
    const char *aspect;   /* "equal": square pixels; "auto": fills the axes */
    double vmin, vmax;    /* the smallest and largest value */
    const char *origin;   /* "upper": row 0 on top; "lower" */
} plt_ImshowOptions;
T_API bool plt_imshow(Tensor *x, const plt_ImshowOptions *options);   /* plt.imshow(x): x of rank 2 */

typedef struct plt_PlotOptions {
    uint32_t size;
    Tensor *y;             /* plt.plot(x, y); without it x is drawn over 0, 1, 2, ... */
    const char *fmt;       /* "r--", "o", "k:": colour, marker and line style in one */
    const char *label;     /* for the legend */
    const char *color;     /* the next one of the cycle C0 to C9 */
    const char *linestyle; /* "-"; "--" ":" "-." "" */
    const char *marker;    /* none */
    double linewidth;      /* 1.5 */
    double markersize;     /* 6 */
    double alpha;          /* 1 */
} plt_PlotOptions;
T_API bool plt_plot(Tensor *x, const plt_PlotOptions *options);  /* plt.plot: rank 1, or rank 2 with a line a column */

typedef struct plt_ScatterOptions {
    uint32_t size;
    double s;              /* 36: the marker's area in points squared */
    Tensor *c;             /* a value a point, shown by cmap; NULL: one colour */
    const char *color;     /* the next one of the cycle */
    const char *marker;    /* "o" */
    const char *cmap;      /* "viridis" */
    const char *label;
    double alpha;          /* 1 */
} plt_ScatterOptions;
T_API bool plt_scatter(Tensor *x, Tensor *y, const plt_ScatterOptions *options); /* plt.scatter(x, y) */

typedef struct plt_BarOptions {
    uint32_t size;
    double width;                   /* 0.8, in units of x */
    double bottom;                  /* 0 */
    const char *color;              /* the next one of the cycle */
    const char *label;
    const char *const *tick_label;  /* as many as bars, or NULL */
    double alpha;                   /* 1 */
} plt_BarOptions;
T_API bool plt_bar(Tensor *x, Tensor *height, const plt_BarOptions *options);    /* plt.bar(x, height) */

typedef struct plt_HistOptions {
    uint32_t size;
    int64_t bins;          /* 10 */
    double range[2];       /* the smallest and largest value */
    bool density;          /* false: counts; true: the area is 1 */
    const char *color;     /* the next one of the cycle */
    const char *label;
    double alpha;          /* 1 */
} plt_HistOptions;
T_API bool plt_hist(Tensor *x, const plt_HistOptions *options);  /* plt.hist(x): every element of x counts once */

typedef struct plt_TextOptions {
    uint32_t size;
    double fontsize;       /* 12 for a title, 10 for a label */
} plt_TextOptions;
T_API bool plt_title(const char *label, const plt_TextOptions *options);         /* plt.title(label) */
T_API bool plt_xlabel(const char *xlabel, const plt_TextOptions *options);       /* plt.xlabel(xlabel) */
T_API bool plt_ylabel(const char *ylabel, const plt_TextOptions *options);       /* plt.ylabel(ylabel) */

typedef struct plt_TicksOptions {
    uint32_t size;
    const char *const *labels; /* a text for each tick, or NULL: the numbers */
    double rotation;           /* degrees, counterclockwise: as before, which is 0 at first */
    double fontsize;           /* 10 */
} plt_TicksOptions;
/* plt.xticks(ticks, labels, rotation=) */
T_API bool plt_xticks(Tensor *ticks, const plt_TicksOptions *options);
/* plt.yticks(ticks, labels, rotation=) */
T_API bool plt_yticks(Tensor *ticks, const plt_TicksOptions *options);
T_API bool plt_xlim(double left, double right);                                  /* plt.xlim(left, right) */
T_API bool plt_ylim(double bottom, double top);                                  /* plt.ylim(bottom, top) */

typedef struct plt_LegendOptions {
    uint32_t size;
    const char *loc;       /* "best", "upper right", "upper left", "lower left", "lower right", "right", "center left",
                              "center right", "lower center", "upper center", "center" */
    double fontsize;       /* 10 */
    bool frameon;          /* true */
} plt_LegendOptions;
/* plt.legend(): of what has a label, the first hundred */
T_API bool plt_legend(const plt_LegendOptions *options);

typedef struct plt_ColorbarOptions {
    uint32_t size;
    const char *label;     /* next to the bar */
    double shrink;         /* 1: of the height of the axes */
} plt_ColorbarOptions;
T_API bool plt_colorbar(const plt_ColorbarOptions *options);     /* plt.colorbar(): of the last image or scatter */

typedef struct plt_GridOptions {
    uint32_t size;
    bool visible;          /* true */
    const char *axis;      /* "both", "x", "y" */
    const char *linestyle; /* "-" */
    const char *color;     /* "#b0b0b0" */
    double linewidth;      /* 0.8 */
    double alpha;          /* 1 */
} plt_GridOptions;
T_API bool plt_grid(const plt_GridOptions *options);             /* plt.grid() */
T_API bool plt_tight_layout(void);                               /* plt.tight_layout() */

typedef struct plt_SavefigOptions {
    uint32_t size;
    double dpi;              /* the figure's: sets the width and height that the SVG states */
    const char *bbox_inches; /* NULL: the whole figure; "tight": cut to what is drawn, and 0.1 inch around it */
} plt_SavefigOptions;
/* plt.savefig(fname): fname must end in .svg or .png, the same picture in pixels, with letters of our own that are as
 * wide as DejaVu Sans's; an existing file stays complete until the new file is complete. */
T_API bool plt_savefig(const char *fname, const plt_SavefigOptions *options);
/* plt.imread(fname): a PNG as float32 0 to 1 of shape (H, W, 3) or (H, W, 4), gray as (H, W); another image as uint8.
 */
T_API Tensor *plt_imread(const char *fname);
typedef struct plt_ImsaveOptions {
    uint32_t size;
    double vmin, vmax;  /* the smallest and largest value */
    const char *cmap;   /* "viridis" */
    const char *origin; /* "upper": row 0 on top; "lower" */
    double dpi;         /* 100; only stated in the file */
} plt_ImsaveOptions;
/* plt.imsave(fname, arr): a PNG with a pixel for each element of (H, W), coloured by cmap, (H, W, 3) or (H, W, 4). */
T_API bool plt_imsave(const char *fname, Tensor *arr, const plt_ImsaveOptions *options);
/* plt.show(): draws the open figures on stdout with characters, in colour on a terminal, and closes them. */
T_API bool plt_show(void);
T_API bool plt_close(const char *fig);                           /* plt.close(): NULL the current figure; "all" */
/* plt.rcParams[key] = value, as text: "axes.unicode_minus", "font.sans-serif", "font.size", "figure.dpi",
 * "figure.figsize". */
T_API bool plt_rcParams(const char *key, const char *value);

typedef struct sns_HeatmapOptions {
    uint32_t size;
    double vmin, vmax;               /* the smallest and largest value */
    const char *cmap;                /* "rocket" */
    bool annot;                      /* false: writes each value into its cell */
    const char *fmt;                 /* ".2g", Python's way */
    double linewidths;               /* 0: lines between the cells */
    const char *linecolor;           /* "white" */
    bool cbar;                       /* true */
    bool square;                     /* false */
    const char *const *xticklabels;  /* one a column, or NULL: numbers */
    const char *const *yticklabels;  /* one a row, or NULL: numbers */
} sns_HeatmapOptions;
T_API bool sns_heatmap(Tensor *data, const sns_HeatmapOptions *options); /* sns.heatmap(data): data of rank 2 */

T_END_DECLS

#endif
