/* core/plot/raster/raster_text.c: texts on pixels, in letters of lines (glyphs.inc). Each is as wide as the layout
 * takes it to be: the advances and the kerning are those of font.h, and so the shapes are near DejaVu Sans's. A
 * character without a glyph is a box. */
#include <string.h>

#include "core/plot/raster/raster.h"
#include "core/plot/text/font.h"
#include "core/plot/text/utf8.h"

typedef struct Glyph {
    uint32_t point;
    int bearing; /* the space at each side in hundredths of the font size; 0: the usual one */
    const char *lines;
} Glyph;

#include "core/plot/raster/glyphs.inc"

#define STEM 0.084     /* width of the lines, in units of the font size */
#define ACCENT 0.4     /* width of an accent */
#define CAPITALS 0.729 /* height of a capital */

/* Where a glyph is: a point of it is at begin + x * along + y * up. */
typedef struct Placing {
    Point begin, along, up;
} Placing;

/* Superscripts and subscripts are small digits and signs. */
static uint32_t base_of(uint32_t point, double *scale, double *raise) {
    static const char super[] = "0\0\0\0"
                                "456789+-=()",
                      sub[] = "0123456789+-=()";
    *scale = 0.64;
    *raise = 0.32;
    if (point == 0xb2 || point == 0xb3) return point - 0xb2 + '2';
    if (point == 0xb9) return '1';
    if (point == 0xaa || point == 0xba) return point == 0xaa ? 'a' : 'o';
    static const char capitals[] = "AB..EZH.IK.MN.O.P..TY.X"; /* Greek ones that are as Latin ones */
    if (point >= 0x391 && point < 0x391 + sizeof capitals - 1 && capitals[point - 0x391] != '.') {
        *scale = 1;
        *raise = 0;
        return (uint32_t)capitals[point - 0x391];
    }
    uint32_t base = point >= 0x2070 && point <= 0x207e ? (uint32_t)super[point - 0x2070] : 0;
    if (!base && point >= 0x2080 && point <= 0x208e) {
        base = (uint32_t)sub[point - 0x2080];
        *raise = -0.16;
    }
    if (base) return base == '-' ? 0x2212 : base;
    *scale = 1;
    *raise = 0;
    return point;
}

static const char *lines_of(uint32_t point, int *bearing) {
    *bearing = 0;
    for (size_t i = 0; i < sizeof glyphs / sizeof *glyphs; i++) {
        if (glyphs[i].point != point) continue;
        *bearing = glyphs[i].bearing;
        return glyphs[i].lines;
    }
    return point > ' ' && point != 0xa0 && !tg_utf8_is_mark(point) ? "0 0 10 0 10 15 0 15 0 0" : "";
}

/* The letter and the lines of the accent of a letter that has one; of others itself, and NULL. */
static uint32_t accent_of(uint32_t point, const char **accent, double *raise) {
    *accent = NULL;
    for (size_t i = 0; i < sizeof accented / sizeof *accented; i++) {
        if (accented[i].point != point) continue;
        const char base = accented[i].base;
        const bool is_below = accented[i].accent == CEDILLA || accented[i].accent == OGONEK;
        *accent = accents[accented[i].accent];
        *raise = is_below ? 0 : base < 'a' || strchr("dlt", base) ? 4 : 0;
        return base == 'i' && !is_below ? 0x131 : (uint32_t)base; /* no dot under an accent */
    }
    return point;
}

/* A number such as -5, .4 or 10.6, and the space before it. */
static bool read_number(const char **at, double *number) {
    const char *p = *at;
    while (*p == ' ') p++;
    const double sign = *p == '-' ? -1 : 1;
    if (*p == '-') p++;
    if ((*p < '0' || *p > '9') && *p != '.') return false;
    double value = 0, unit = 1;
    for (; *p >= '0' && *p <= '9'; p++) value = 10 * value + (*p - '0');
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9'; p++) value += (*p - '0') * (unit /= 10);
    *number = sign * value;
    *at = p;
    return true;
}

static Point place(const Placing *p, double x, double y) {
    return (Point){p->begin.x + x * p->along.x + y * p->up.x, p->begin.y + x * p->along.y + y * p->up.y};
}

static void draw_glyph(Raster *r, const char *at, const Placing *p, double width) {
    enum { MOST = 120, STEP = 15 };
    Point points[MOST];
    int count = 0;
    for (double n[6]; *at || count;) {
        while (*at == ' ') at++;
        if (*at == '@') {
            at++;
            for (int i = 0; i < 6; i++) read_number(&at, &n[i]);
            const int steps = (int)ceil(fabs(n[5] - n[4]) / STEP);
            for (int i = 0; i <= steps && count < MOST; i++) {
                const double angle = (n[4] + (n[5] - n[4]) * i / steps) * acos(-1) / 180;
                points[count++] = place(p, n[0] + n[2] * cos(angle), n[1] + n[3] * sin(angle));
            }
        } else if (*at && *at != '|' && count < MOST && read_number(&at, &n[0]) && read_number(&at, &n[1])) {
            points[count++] = place(p, n[0], n[1]);
        } else {
            if (count) tg_raster_stroke(r, points, count, width, CAP_ROUND);
            count = 0;
            if (*at) at++;
        }
    }
}

/* A line of text whose baseline begins at `begin`; u: one font size along it, in pixels. */
static void draw_line(Raster *r, const char *text, int length, Point begin, Point u) {
    const Point up = {u.y, -u.x};
    const char *at = text;
    uint32_t before = 0;
    double x = 0; /* in font sizes */
    for (uint32_t point; at < text + length && (point = tg_utf8_next(&at)); before = point) {
        double scale, raise, accent_raise, advance = tg_glyph_advance(before, point, &x);
        int bearing;
        const char *accent;
        const uint32_t letter = accent_of(point, &accent, &accent_raise);
        const char *lines = lines_of(base_of(letter, &scale, &raise), &bearing);
        const double side = bearing                        ? bearing / 100.0
                            : point >= '0' && point <= '9' ? 0.11
                                                           : fmin(0.128, 0.3 * advance);
        const double unit = fmax(advance - 2 * side, 0.02) / 10, height = (CAPITALS - STEM) / 15 * scale;
        const double low = STEM / 2 * scale + raise;
        const Placing placing = {{begin.x + (x + side) * u.x + low * up.x, begin.y + (x + side) * u.y + low * up.y},
                                 {unit * u.x, unit * u.y},
                                 {height * up.x, height * up.y}};
        const double stem = STEM * hypot(u.x, u.y);
        draw_glyph(r, lines, &placing, stem * fmax(scale, 0.8));
        if (accent) { /* in the middle of the letter */
            const double left = x + advance / 2 - ACCENT / 2, bottom = low + accent_raise * height;
            const Placing above = {{begin.x + left * u.x + bottom * up.x, begin.y + left * u.y + bottom * up.y},
                                   {ACCENT / 10 * u.x, ACCENT / 10 * u.y},
                                   placing.up};
            draw_glyph(r, accent, &above, stem);
        }
        x += advance;
    }
}

void tg_raster_text(Canvas *canvas, const Text *text) {
    Raster *r = (Raster *)canvas;
    TextLine lines[MAX_TEXT_LINES];
    const int count = tg_text_lines(text, lines, NULL);
    const double angle = text->rotation * acos(-1) / 180, size = text->size * canvas->scale;
    for (int i = 0; i < count; i++) {
        const double half = lines[i].width / 2 * canvas->scale;
        const Point middle = {(lines[i].x - canvas->view.x0) * canvas->scale,
                              (canvas->view.y1 - lines[i].y) * canvas->scale};
        const Point begin = {middle.x - half * cos(angle), middle.y + half * sin(angle)};
        draw_line(r, lines[i].text, lines[i].length, begin, (Point){size * cos(angle), -size * sin(angle)});
    }
    tg_raster_fill(r, &text->color);
}
