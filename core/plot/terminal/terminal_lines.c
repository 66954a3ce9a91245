/* core/plot/terminal/terminal_lines.c: lines and points with braille characters, two by four dots each.
 *
 * Where there are no colours, the lines that a legend names each have a letter, which is repeated along
 * them. */
#include <string.h>

#include "core/plot/terminal/terminal.h"

typedef struct Dots {
    int columns, rows; /* of characters */
    uint8_t *dots;     /* the braille pattern of each */
    int32_t *front;
    int16_t *owner; /* the line that is alone in a character; NO_OWNER or SEVERAL_OWNERS */
} Dots;
enum { NO_OWNER = -1, SEVERAL_OWNERS = -2 };

static bool make_dots(Arena *arena, Dots *d, int columns, int rows) {
    int64_t count = (int64_t)columns * rows;
    *d = (Dots){columns, rows, tg_arena_alloc(arena, count, 1), tg_arena_alloc(arena, count, sizeof *d->front),
                tg_arena_alloc(arena, count, sizeof *d->owner)};
    if (!d->dots || !d->front || !d->owner) return false;
    for (int64_t i = 0; i < count; i++) d->owner[i] = NO_OWNER;
    return true;
}

/* A dot at x, y from the left upper corner, in dots. */
static void put_dot(Dots *d, double x, double y, int32_t front, int owner) {
    static const uint8_t patterns[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int column = tg_canvas_floor(x), row = tg_canvas_floor(y);
    if (column == 2 * d->columns) column--; /* the upper end of the view belongs to it */
    if (row == 4 * d->rows) row--;
    if (column < 0 || row < 0 || column >= 2 * d->columns || row >= 4 * d->rows) return;
    int at = row / 4 * d->columns + column / 2;
    d->dots[at] |= patterns[row % 4][column % 2];
    d->front[at] = front;
    if (d->owner[at] != owner) d->owner[at] = d->owner[at] == NO_OWNER ? (int16_t)owner : SEVERAL_OWNERS;
}

/* ---- which lines have letters ---- */

static bool is_line_or_points(const Artist *artist) {
    return artist->kind == ARTIST_LINE || artist->kind == ARTIST_POINTS;
}

static bool is_joined(const Artist *artist) {
    return artist->kind == ARTIST_LINE && *artist->linestyle;
}

uint32_t tg_line_letter(const Panel *panel, const Artist *artist) {
    enum { LETTERS = 26, NONE = -1 };
    int named_count = 0, before = NONE;
    for (const Artist *other = panel->axes->artists; other; other = other->next) {
        bool named = is_line_or_points(other) && tg_has_legend_entry(other);
        if (other == artist && named) before = named_count;
        named_count += named;
        if (other == panel->axes->legend_until) break;
    }
    if (!panel->axes->legend || !panel->axes->legend_until || panel->screen.colors || named_count < 2 || before == NONE)
        return 0;
    return before < LETTERS ? 'a' + (uint32_t)before : 'A' + (uint32_t)((before - LETTERS) % LETTERS);
}

/* ---- lines ---- */

/* The part of the line from a to b that is in [0, width] x [0, height] (Liang and Barsky); false for none. */
static bool clip(double width, double height, double a[2], double b[2]) {
    double from = 0, until = 1, d[2] = {b[0] - a[0], b[1] - a[1]}, size[2] = {width, height}, start[2] = {a[0], a[1]};
    for (int i = 0; i < 2; i++) {
        if (d[i] == 0 && (a[i] < 0 || a[i] > size[i])) return false;
        if (d[i] == 0) continue;
        double enter = (d[i] > 0 ? 0 : size[i]), leave = size[i] - enter;
        from = fmax(from, (enter - a[i]) / d[i]);
        until = fmin(until, (leave - a[i]) / d[i]);
    }
    if (from > until) return false;
    for (int i = 0; i < 2; i++) {
        a[i] = start[i] + from * d[i];
        b[i] = start[i] + until * d[i];
    }
    return true;
}

/* Whether the nth dot of a line is drawn. */
static bool is_dot_drawn(const char *linestyle, int64_t n) {
    if (strcmp(linestyle, "--") == 0) return n % 10 < 6;
    if (strcmp(linestyle, ":") == 0) return n % 3 == 0;
    if (strcmp(linestyle, "-.") == 0) return n % 12 < 7 || n % 12 == 9;
    return true;
}

static void draw_line(const Panel *panel, Dots *d, const Artist *line, int owner) {
    const Axis *x = &panel->axes->axis[X], *y = &panel->axes->axis[Y];
    double width = 2 * d->columns, height = 4 * d->rows, before[2] = {NAN, NAN};
    int32_t front = tg_canvas_color(line->color);
    int64_t dot = 0;
    for (int64_t i = 0; i < line->count; i++) {
        double here[2] = {tg_axis_fraction(x, line->x[i]) * width, (1 - tg_axis_fraction(y, line->y[i])) * height};
        double a[2] = {before[0], before[1]}, b[2] = {here[0], here[1]};
        memcpy(before, here, sizeof before);
        if (!isfinite(a[0]) || !isfinite(a[1]) || !isfinite(b[0]) || !isfinite(b[1]) || !clip(width, height, a, b))
            continue;
        int steps = 1 + tg_canvas_floor(fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1])));
        for (int s = 0; s <= steps; s++) {
            double t = s / (double)steps;
            if (is_dot_drawn(line->linestyle, dot + s))
                put_dot(d, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), front, owner);
        }
        dot += steps;
    }
}

/* ---- points ---- */

uint32_t tg_marker_glyph(char marker) {
    static const struct {
        char marker;
        uint32_t glyph;
    } glyphs[] = {{'.', 0x2022}, {',', 0xb7},   {'o', 0x25cf}, {'p', 0x25cf}, {'h', 0x25cf}, {'s', 0x25a0},
                  {'d', 0x25c6},
                  {'D', 0x25c6}, {'v', 0x25bc}, {'^', 0x25b2}, {'<', 0x25c0}, {'>', 0x25b6}, {'x', 0xd7}};
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++)
        if (glyphs[i].marker == marker) return glyphs[i].glyph;
    return (unsigned char)marker; /* '+', '*', '|' and '_' */
}

/* The colour of a point from its value c, where it has one. */
static int32_t point_color(const Artist *points, int64_t i) {
    uint8_t rgb[3];
    double t = points->map ? tg_normalize(points, points->c[i]) : NAN;
    if (isnan(t)) return tg_canvas_color(points->color);
    tg_colormap_at(points->map, t, rgb);
    return rgb[0] << 16 | rgb[1] << 8 | rgb[2];
}

static bool has_points(const Artist *artist) {
    return is_line_or_points(artist) && artist->marker != '\0';
}

/* Points that are so many that they are drawn as dots; not those that show their line's letter, or values, by their
 * shape. */
static bool drawn_as_dots(const Panel *panel, const Artist *artist) {
    enum { MANY = 100 };
    bool letters = !is_joined(artist) && tg_line_letter(panel, artist), shades = artist->map && !panel->screen.colors;
    return artist->count > MANY && !letters && !shades;
}

/* The character at a point that is not a dot. */
static uint32_t point_glyph(const Panel *panel, const Artist *points, int64_t i) {
    uint32_t key = is_joined(points) ? 0 : tg_line_letter(panel, points);
    if (key) return key;
    if (!points->map || panel->screen.colors) return tg_marker_glyph(points->marker);
    uint32_t shade = tg_shade(tg_normalize(points, points->c[i]));
    return shade == ' ' ? TG_SHADE_OF_NAN : shade;
}

static void put_points(const Panel *panel, Dots *d, const Artist *points, int owner) {
    const Axis *x = &panel->axes->axis[X], *y = &panel->axes->axis[Y];
    for (int64_t i = 0; i < points->count; i++) {
        double right = tg_axis_fraction(x, points->x[i]), up = tg_axis_fraction(y, points->y[i]);
        if (!(right >= 0 && right <= 1 && up >= 0 && up <= 1)) continue;
        uint32_t glyph = drawn_as_dots(panel, points) ? 0 : point_glyph(panel, points, i);
        int column = tg_canvas_floor(right * d->columns), row = tg_canvas_floor((1 - up) * d->rows);
        if (column == d->columns) column--;
        if (row == d->rows) row--;
        if (glyph) tg_canvas_put(&panel->canvas, panel->left + column, panel->top + row, glyph, point_color(points, i));
        else put_dot(d, right * 2 * d->columns, (1 - up) * 4 * d->rows, point_color(points, i), owner);
    }
}

/* ---- together ---- */

/* The letter of a line, where it is alone, about every sixteen columns. */
static void put_letters(const Panel *panel, const Dots *d, uint32_t key, int owner) {
    enum { APART = 16, STAGGER = 5 };
    int last = -APART;
    for (int column = STAGGER * owner % APART; column < d->columns; column++) {
        if (column < last + APART) continue;
        for (int row = 0; row < d->rows && last != column; row++) {
            if (d->owner[row * d->columns + column] != owner) continue;
            tg_canvas_put(&panel->canvas, panel->left + column, panel->top + row, key, DEFAULT_COLOR);
            last = column;
        }
    }
}

static void put_dots(const Panel *panel, const Dots *d) {
    const uint32_t braille = 0x2800;
    for (int at = 0; at < d->columns * d->rows; at++) {
        int column = panel->left + at % d->columns, row = panel->top + at / d->columns;
        if (d->dots[at]) tg_canvas_put(&panel->canvas, column, row, braille + d->dots[at], d->front[at]);
    }
}

bool tg_lines_draw(Arena *arena, Panel *panel) {
    Dots d;
    int owner = 0;
    if (!make_dots(arena, &d, panel->width, panel->height)) return false;
    for (const Artist *artist = panel->axes->artists; artist; artist = artist->next, owner++) {
        if (is_joined(artist)) draw_line(panel, &d, artist, owner);
        if (has_points(artist) && drawn_as_dots(panel, artist)) put_points(panel, &d, artist, owner);
    }
    put_dots(panel, &d);
    owner = 0;
    for (const Artist *artist = panel->axes->artists; artist; artist = artist->next, owner++) {
        if (has_points(artist) && !drawn_as_dots(panel, artist)) put_points(panel, &d, artist, owner);
        if (is_joined(artist) && tg_line_letter(panel, artist))
            put_letters(panel, &d, tg_line_letter(panel, artist), owner);
    }
    return true;
}
