/* core/plot/layout/legend.c: the size and the location of a legend. */
#include "core/plot/layout/layout.h"

/* In units of the font size. */
static const double axes_pad = 0.5, label_spacing = 0.5;

bool tg_has_legend_entry(const Artist *artist) {
    return artist->label && *artist->label && *artist->label != '_';
}

/* ---- size ---- */

static void measure_legend(const Axes *axes, Legend *legend) {
    double size = axes->legend_size, widest = 0, y = -TG_BORDER_PAD * size;
    for (int i = 0; i < legend->count; i++) {
        Text text = {.text = legend->entries[i]->label, .size = size, .ha = LEFT, .va = BASELINE};
        Box box = tg_text_box(&text);
        y -= box.y1;
        legend->baselines[i] = y;
        y += box.y0 - label_spacing * size;
        widest = fmax(widest, box.x1);
    }
    y += (label_spacing - TG_BORDER_PAD) * size;
    legend->box = (Box){0, 0, (2 * TG_BORDER_PAD + TG_HANDLE_LENGTH + TG_HANDLE_PAD) * size + widest, -y};
}

/* ---- location ---- */

/* The box moved to the location of that code (1 upper right, ...) within the axes. */
static Box at_location(Box box, Box axes, int code, double pad) {
    /* in halves of the remaining space: 0 left or lower, 1 centre, 2 right or upper */
    static const struct {
        int x, y;
    } anchors[] = {{2, 2}, {2, 2}, {0, 2}, {0, 0}, {2, 0}, {2, 1}, {0, 1}, {2, 1}, {1, 0}, {1, 2}, {1, 1}};
    double width = box.x1 - box.x0, height = box.y1 - box.y0;
    double x = axes.x0 + pad + anchors[code].x * (axes.x1 - axes.x0 - 2 * pad - width) / 2;
    double y = axes.y0 + pad + anchors[code].y * (axes.y1 - axes.y0 - 2 * pad - height) / 2;
    return (Box){x, y, x + width, y + height};
}

static bool contains(Box box, double x, double y) {
    return x > box.x0 && x < box.x1 && y > box.y0 && y < box.y1;
}

/* Whether the line from a to b intersects the box (Liang and Barsky's clipping). */
static bool segment_intersects(Box box, double ax, double ay, double bx, double by) {
    double from = 0, until = 1, d[4] = {ax - bx, bx - ax, ay - by, by - ay};
    double q[4] = {ax - box.x0, box.x1 - ax, ay - box.y0, box.y1 - ay};
    if (!isfinite(ax) || !isfinite(ay) || !isfinite(bx) || !isfinite(by)) return false;
    for (int i = 0; i < 4; i++) {
        if (d[i] == 0 && q[i] < 0) return false;
        if (d[i] < 0) from = fmax(from, q[i] / d[i]);
        if (d[i] > 0) until = fmin(until, q[i] / d[i]);
    }
    return from <= until;
}

/* How much of an artist the box would cover: points, bars, and 1 for a line that runs through it. */
static int64_t covered_artists(const Axes *axes, const Frame *frame, const Artist *artist, Box box) {
    int64_t bad = 0;
    bool crossed = false;
    double before_x = NAN, before_y = NAN;
    for (int64_t i = 0; i < artist->count; i++) {
        double x = tg_to_points(frame, axes, X, artist->x[i]), y = tg_to_points(frame, axes, Y, artist->y[i]);
        if (artist->kind == ARTIST_BARS) {
            double right = tg_to_points(frame, axes, X, artist->x[i] + artist->width[i]);
            double foot = tg_to_points(frame, axes, Y, artist->bottom);
            double head = tg_to_points(frame, axes, Y, artist->bottom + artist->y[i]);
            bad += tg_overlap(box, (Box){fmin(x, right), fmin(foot, head), fmax(x, right), fmax(foot, head)});
        } else {
            bad += contains(box, x, y);
        }
        if (artist->kind == ARTIST_LINE) crossed = crossed || segment_intersects(box, before_x, before_y, x, y);
        before_x = x;
        before_y = y;
    }
    return bad + crossed;
}

static Box best_location(const Axes *axes, const Frame *frame, Box box, double pad) {
    enum { CODES = 11 };
    int64_t least = INT64_MAX;
    Box best = box;
    for (int code = 1; code < CODES && least > 0; code++) {
        Box here = at_location(box, frame->box, code, pad);
        int64_t bad = 0;
        for (const Artist *artist = axes->artists; artist; artist = artist->next)
            bad += covered_artists(axes, frame, artist, here);
        if (bad >= least) continue;
        least = bad;
        best = here;
    }
    return best;
}

bool tg_legend_layout(const Axes *axes, const Frame *frame, Legend *legend) {
    legend->count = 0;
    if (!axes->legend) return false;
    for (int last = 0; last < 2; last++)
        for (const Artist *artist = axes->legend_until ? axes->artists : NULL; artist; artist = artist->next) {
            if (tg_has_legend_entry(artist) && artist->legend_last == last && legend->count < TG_MAX_ENTRIES)
                legend->entries[legend->count++] = artist;
            if (artist == axes->legend_until) break;
        }
    if (legend->count == 0) return false;
    measure_legend(axes, legend);
    double pad = axes_pad * axes->legend_size;
    legend->box = axes->legend_loc ? at_location(legend->box, frame->box, axes->legend_loc, pad)
                                   : best_location(axes, frame, legend->box, pad);
    for (int i = 0; i < legend->count; i++) legend->baselines[i] += legend->box.y1;
    return true;
}
