/* core/plot/layout/layout.c: the layout of axes by matplotlib's rules: their box, and the texts around it. */
#include "core/plot/layout/layout.h"
#include "core/plot/layout/ticker.h"

static const double tick_length = TG_TICK_LENGTH, tick_pad = 3.5, label_pad = 4, title_pad = 6, offset_pad = 3;
enum { OFFSET_TEXT_SIZE = 48 }; /* bytes of the offset text of an axis */

/* ---- boxes ---- */

Box tg_cell_box(const Figure *figure, SubplotSpec spec) {
    double width = 72 * figure->width, height = 72 * figure->height;
    double columns = (double)spec.columns, rows = (double)spec.rows;
    double cell_width = (figure->right - figure->left) * width / (columns + figure->wspace * (columns - 1));
    double cell_height = (figure->top - figure->bottom) * height / (rows + figure->hspace * (rows - 1));
    double column = (double)(spec.index % spec.columns), row = (double)(spec.index / spec.columns);
    double x = figure->left * width + column * cell_width * (1 + figure->wspace);
    double y = figure->top * height - row * cell_height * (1 + figure->hspace) - cell_height;
    return (Box){x, y, x + cell_width, y + cell_height};
}

/* The largest box of that height / width within another: centred vertically, at the anchor horizontally. */
static Box shrink(Box box, double aspect, double anchor) {
    double width = box.x1 - box.x0, height = box.y1 - box.y0;
    double w = fmin(width, height / aspect), h = w * aspect;
    double x = box.x0 + anchor * (width - w), y = box.y0 + (height - h) / 2;
    return (Box){x, y, x + w, y + h};
}

Box tg_axes_box(const Axes *axes) {
    const double colorbar_aspect = 20;
    Box cell = tg_cell_box(axes->figure, axes->spec), part = axes->spec.part;
    double width = cell.x1 - cell.x0, height = cell.y1 - cell.y0;
    Box box = {cell.x0 + part.x0 * width, cell.y0 + part.y0 * height, cell.x0 + part.x1 * width,
               cell.y0 + part.y1 * height};
    if (axes->colorbar_of) return shrink(box, colorbar_aspect, axes->anchor);
    if (!axes->equal) return box;
    const double *x = axes->axis[X].view, *y = axes->axis[Y].view;
    return shrink(box, fabs(y[1] - y[0]) / fabs(x[1] - x[0]), axes->anchor);
}

double tg_to_points(const Frame *frame, const Axes *axes, int which, double value) {
    const double *view = axes->axis[which].view;
    double low = which == X ? frame->box.x0 : frame->box.y0, high = which == X ? frame->box.x1 : frame->box.y1;
    return low + (value - view[0]) / (view[1] - view[0]) * (high - low);
}

/* ---- ticks ---- */

/* All ticks of an axis; *count is their number. */
static const double *ticks_of(Arena *arena, const Axis *axis, double length, bool vertical, int64_t *count) {
    *count = axis->tick_count;
    if (axis->has_ticks) return axis->ticks;
    double *ticks = tg_arena_alloc(arena, TG_MAX_TICKS, sizeof *ticks);
    int bins = tg_tick_bins(length, axis->tick_size, vertical);
    if (ticks) *count = tg_ticks(axis->view[0], axis->view[1], bins, ticks, TG_MAX_TICKS);
    return ticks;
}

static bool in_view(const Axis *axis, double tick) {
    double low = fmin(axis->view[0], axis->view[1]), high = fmax(axis->view[0], axis->view[1]),
        slack = 1e-10 * (high - low);
    return tick >= low - slack && tick <= high + slack;
}

static Text *add_text(Frame *frame, TextRole role, const char *text, double x, double y, double size) {
    Text *added = &frame->texts[frame->count++];
    *added = (Text){.role = role, .text = text, .x = x, .y = y, .size = size, .ha = CENTER, .va = TOP,
                    .color = {0, 0, 0, 1}};
    return added;
}

/* The label of a tick: the user's, or a number. */
static const char *tick_text(Arena *arena, const Axis *axis, int64_t i, const TickStyle *style, double tick) {
    enum { CAPACITY = 48 };
    if (axis->tick_labels) return axis->tick_labels[i];
    char *text = tg_arena_alloc(arena, CAPACITY, 1);
    if (text) tg_tick_label(text, CAPACITY, style, tick);
    return text;
}

/* Adds the ticks in view, of `count`, with their labels to the frame; writes the axis's offset text to `offset`. False
 * without memory. */
static bool add_ticks(Arena *arena, const Axes *axes, int which, const double *ticks, int64_t count, Frame *frame,
                      char *offset) {
    const Axis *axis = &axes->axis[which];
    const Box box = frame->box;
    const double away = tick_length + tick_pad;
    TickStyle style = tg_tick_style(ticks, (int)count, axis->view[0], axis->view[1]);
    style.ascii_minus = !tg_pyplot_state()->unicode_minus;
    if (!axis->tick_labels) tg_tick_offset(offset, OFFSET_TEXT_SIZE, &style);
    for (int64_t i = 0; i < count; i++) {
        if (!in_view(axis, ticks[i])) continue;
        const char *label = tick_text(arena, axis, i, &style, ticks[i]);
        if (!label) return false;
        double at = tg_to_points(frame, axes, which, ticks[i]);
        Text *text = add_text(frame, which == X ? TEXT_TICK_X : TEXT_TICK_Y, label, at, box.y0 - away, axis->tick_size);
        text->rotation = axis->rotation;
        if (which == Y) {
            text->x = axis->right ? box.x1 + away : box.x0 - away;
            text->y = at;
            text->ha = axis->right ? LEFT : RIGHT;
            text->va = axis->tick_centred ? MIDDLE : MIDDLE_OF_BASELINE;
        }
        frame->at[which][frame->ticks[which]++] = ticks[i];
    }
    return true;
}

/* ---- labels, title, offset texts ---- */

/* The bounding box of the texts of a role; *any is false if there is none. */
static Box role_box(const Frame *frame, TextRole role, bool *any) {
    Box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    *any = false;
    for (int64_t i = 0; i < frame->count; i++) {
        if (frame->texts[i].role != role) continue;
        box = tg_union(box, tg_text_box(&frame->texts[i]));
        *any = true;
    }
    return box;
}

static void add_x_texts(const Axes *axes, Frame *frame, const char *offset) {
    const Axis *axis = &axes->axis[X];
    bool any;
    Box ticks = role_box(frame, TEXT_TICK_X, &any), box = frame->box;
    double spine = box.y0 - (frame->ticks[X] ? tick_length : 0), below = any ? fmin(ticks.y0, spine) : spine;
    add_text(frame, TEXT_LABEL_X, axis->label ? axis->label : "", (box.x0 + box.x1) / 2, below - label_pad,
             axis->label_size);
    add_text(frame, TEXT_OFFSET, offset, box.x1, (any ? ticks.y0 : box.y0) - offset_pad, axis->tick_size)->ha = RIGHT;
}

static void add_y_texts(const Axes *axes, Frame *frame, const char *offset) {
    const Axis *axis = &axes->axis[Y];
    bool any;
    Box ticks = role_box(frame, TEXT_TICK_Y, &any), box = frame->box;
    double length = frame->ticks[Y] ? tick_length : 0, x = axis->right ? box.x1 + length : box.x0 - length;
    if (any) x = axis->right ? fmax(x, ticks.x1) : fmin(x, ticks.x0);
    Text *label = add_text(frame, TEXT_LABEL_Y, axis->label ? axis->label : "",
                           axis->right ? x + label_pad : x - label_pad,
                           (box.y0 + box.y1) / 2, axis->label_size);
    label->rotation = 90;
    label->anchored = true;
    label->va = axis->right ? TOP : BOTTOM;
    Text *offset_text = add_text(frame, TEXT_OFFSET, offset, axis->right ? box.x1 : box.x0, box.y1 + offset_pad,
                                 axis->tick_size);
    offset_text->ha = axis->right ? RIGHT : LEFT;
    offset_text->va = BASELINE;
}

/* The title is above the box, and above the offset text of the y axis if they would overlap. */
static void add_title(const Axes *axes, Frame *frame) {
    const Text *offset_text = &frame->texts[frame->count - 1];
    Text *title = add_text(frame, TEXT_TITLE, axes->title ? axes->title : "", (frame->box.x0 + frame->box.x1) / 2,
                           frame->box.y1 + title_pad, axes->title_size);
    title->va = BASELINE;
    if (!*offset_text->text || !*title->text) return;
    Box in_the_way = tg_text_box(offset_text), box = tg_text_box(title);
    if (tg_overlap(in_the_way, box) && box.y0 < in_the_way.y1) title->y = in_the_way.y1 + title_pad;
}

bool tg_frame(Arena *arena, const Axes *axes, Frame *frame) {
    enum { OTHER_TEXTS = 5 }; /* two labels, two offset texts, a title */
    Box box = tg_axes_box(axes);
    char *offsets[2];
    const double *ticks[2];
    int64_t counts[2];
    *frame = (Frame){.box = box};
    for (int which = 0; which < 2; which++) {
        double length = which == X ? box.x1 - box.x0 : box.y1 - box.y0;
        ticks[which] = ticks_of(arena, &axes->axis[which], length, which == Y, &counts[which]);
        offsets[which] = tg_arena_alloc(arena, OFFSET_TEXT_SIZE, 1);
        frame->at[which] = tg_arena_alloc(arena, counts[which], sizeof *frame->at[which]);
        if (!ticks[which] || !offsets[which] || !frame->at[which]) return false;
    }
    frame->texts = tg_arena_alloc(arena, counts[X] + counts[Y] + OTHER_TEXTS, sizeof *frame->texts);
    if (!frame->texts) return false;
    if (!axes->colorbar_of && !add_ticks(arena, axes, X, ticks[X], counts[X], frame, offsets[X])) return false;
    if (!add_ticks(arena, axes, Y, ticks[Y], counts[Y], frame, offsets[Y])) return false;
    if (!axes->colorbar_of) add_x_texts(axes, frame, offsets[X]);
    add_y_texts(axes, frame, offsets[Y]);
    add_title(axes, frame);
    return true;
}

/* ---- bounding boxes ---- */

static Box text_extent(const Text *text, bool for_layout) {
    const double pixel = 0.72;
    Box box = tg_text_box(text);
    if (!for_layout) return box;
    if ((text->role == TEXT_LABEL_X || text->role == TEXT_TITLE) && *text->text) {
        box.x0 = (box.x0 + box.x1 - pixel) / 2;
        box.x1 = box.x0 + pixel;
    } else if (text->role == TEXT_LABEL_Y && *text->text) {
        box.y0 = (box.y0 + box.y1 - pixel) / 2;
        box.y1 = box.y0 + pixel;
    }
    return box;
}

static Box annotations(const Axes *axes, const Frame *frame, const Artist *mesh) {
    char number[TG_CELL_TEXT_SIZE];
    Text text;
    Box box = frame->box;
    for (int64_t i = 0; mesh->annotation && i < mesh->rows * mesh->columns; i++)
        if (tg_cell_text(axes, frame, mesh, i, number, sizeof number, &text)) box = tg_union(box, tg_text_box(&text));
    return box;
}

Box tg_tight_box(const Axes *axes, const Frame *frame, bool for_layout) {
    Legend legend;
    Box box = frame->box;
    if (axes->frame && frame->ticks[Y] && !axes->axis[Y].right) box.x0 -= tick_length;
    if (axes->frame && frame->ticks[X]) box.y0 -= tick_length;
    for (int64_t i = 0; i < frame->count; i++) {
        const Text *text = &frame->texts[i];
        if (!*text->text) continue;
        box = tg_union(box, text_extent(text, for_layout));
    }
    for (const Artist *artist = axes->artists; artist; artist = artist->next)
        box = tg_union(box, annotations(axes, frame, artist));
    return tg_legend_layout(axes, frame, &legend) ? tg_union(box, legend.box) : box;
}
