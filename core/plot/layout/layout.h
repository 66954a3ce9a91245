/* core/plot/layout/layout.h: the positions of the parts of axes (internal). Lengths are points, y runs upwards. */
#ifndef TAPEGRAD_CORE_PLOT_LAYOUT_LAYOUT_H
#define TAPEGRAD_CORE_PLOT_LAYOUT_LAYOUT_H

#include "core/plot/figure/figure.h"

/* ---- texts (text_layout.c) ---- */

typedef enum HAlign { LEFT, CENTER, RIGHT } HAlign;
typedef enum VAlign { BASELINE, BOTTOM, MIDDLE, TOP, MIDDLE_OF_BASELINE } VAlign;
typedef enum TextRole { TEXT_TICK_X, TEXT_TICK_Y, TEXT_LABEL_X, TEXT_LABEL_Y, TEXT_OFFSET, TEXT_TITLE,
                       TEXT_OTHER } TextRole;

typedef struct Text {
    TextRole role;
    const char *text;
    double x, y, size, rotation; /* its anchor; degrees, counterclockwise */
    HAlign ha;
    VAlign va;
    bool anchored; /* rotation_mode="anchor": aligned first and rotated then */
    Color color;
} Text;

/* One line of a text: the middle of its baseline. */
typedef struct TextLine {
    const char *text;
    int length;
    double x, y, width;
} TextLine;
enum { MAX_TEXT_LINES = 16 };
/* Fills lines (which may be NULL) and returns their number; *box is the text's, a point where it is empty. */
int tg_text_lines(const Text *text, TextLine lines[MAX_TEXT_LINES], Box *box);
Box tg_text_box(const Text *text);

Box tg_union(Box a, Box b);
bool tg_overlap(Box a, Box b);

/* ---- axes (layout.c) ---- */

#define TG_TICK_LENGTH 3.5

typedef struct Frame {
    Box box;          /* the data's */
    int64_t ticks[2]; /* X, Y: those in view */
    double *at[2];    /* their values */
    Text *texts;      /* all texts around the box */
    int64_t count;
} Frame;
bool tg_frame(Arena *arena, const Axes *axes, Frame *frame); /* false with an error set on out of memory */
double tg_to_points(const Frame *frame, const Axes *axes, int which, double value);
Box tg_axes_box(const Axes *axes);                       /* frame.box alone */
Box tg_cell_box(const Figure *figure, SubplotSpec spec); /* the whole cell of the figure's grid */
/* The bounding box of everything that is drawn for the axes; for a layout, without the width of titles and labels,
 * which it does not change. */
Box tg_tight_box(const Axes *axes, const Frame *frame, bool for_layout);

/* ---- heat maps (heatmap.c) ---- */

enum { TG_CELL_TEXT_SIZE = 512 }; /* for the longest number, 1e308 with a hundred decimals */
/* Writes the annotation of cell i of a mesh to `to`, of `capacity` bytes; false if there is none. */
bool tg_cell_text(const Axes *axes, const Frame *frame, const Artist *mesh, int64_t i, char *to, size_t capacity,
                  Text *text);

/* ---- legends (legend.c) ---- */

/* Lines of a handle (a sample of the artist) and its label, from the top downwards. */
enum { TG_MAX_ENTRIES = 100 };
#define TG_HANDLE_LENGTH 2.0 /* in units of the font size */
#define TG_HANDLE_HEIGHT 0.7
#define TG_HANDLE_PAD 0.8 /* between handle and label */
#define TG_BORDER_PAD 0.4
typedef struct Legend {
    Box box;
    int count;
    const Artist *entries[TG_MAX_ENTRIES];
    double baselines[TG_MAX_ENTRIES];
} Legend;
bool tg_has_legend_entry(const Artist *artist);                              /* has a label that a legend shows */
bool tg_legend_layout(const Axes *axes, const Frame *frame, Legend *legend); /* false where the axes have none */

#endif
