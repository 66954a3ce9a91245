/* core/plot/layout/text_layout.c: the positions of the lines of a text, by matplotlib's rules for alignment and
 * rotation. */
#include <string.h>

#include "core/plot/layout/layout.h"
#include "core/plot/text/font.h"

Box tg_union(Box a, Box b) {
    return (Box){fmin(a.x0, b.x0), fmin(a.y0, b.y0), fmax(a.x1, b.x1), fmax(a.y1, b.y1)};
}

bool tg_overlap(Box a, Box b) {
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

typedef struct Rotation {
    double cos, sin;
} Rotation;

/* Exact for multiples of 90 degrees. */
static Rotation rotation_of(double degrees) {
    static const Rotation quarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double angle = fmod(fmod(degrees, 360) + 360, 360);
    if (fmod(angle, 90) == 0) return quarters[(int)(angle / 90) % 4];
    return (Rotation){cos(angle * acos(-1) / 180), sin(angle * acos(-1) / 180)};
}

static void rotate(Rotation t, double *x, double *y) {
    double a = *x, b = *y;
    *x = a * t.cos - b * t.sin;
    *y = a * t.sin + b * t.cos;
}

/* The lines of a text in a box whose upper left corner is 0, 0: widths, baselines, and the box's size. */
typedef struct TextBlock {
    int count;
    double width, height; /* of the box */
    double last_descent, last_baseline;
} TextBlock;

/* The size of the first `length` bytes of a text. */
static TextSize size_of(const char *text, int length, double points) {
    enum { PIECE = 240 };
    TextSize all = {0, 0, 0};
    for (int at = 0; at < length;) {
        char copy[PIECE];
        int piece = length - at < PIECE ? length - at : PIECE - 1;
        /* not within a character */
        while (at + piece < length && ((unsigned char)text[at + piece] & 0xC0) == 0x80) piece--;
        memcpy(copy, text + at, (size_t)piece);
        copy[piece] = '\0';
        TextSize size = tg_text_size(copy, points);
        all = (TextSize){all.width + size.width, fmax(all.ascent, size.ascent), fmax(all.descent, size.descent)};
        at += piece;
    }
    return all;
}

static TextBlock measure(const Text *text, TextLine lines[MAX_TEXT_LINES]) {
    /* The typographic ascent, descent and line gap of DejaVu Sans, in units of the font size. */
    const double ascent = 1556.0 / 2048 * text->size, descent = 492.0 / 2048 * text->size,
        gap = 410.0 / 2048 * text->size;
    TextBlock block = {0};
    double y = 0, half_gap = strchr(text->text, '\n') ? gap / 2 : 0;
    for (const char *at = text->text; block.count < MAX_TEXT_LINES; at += strcspn(at, "\n") + 1) {
        TextLine *line = &lines[block.count++];
        line->text = at;
        line->length = (int)strcspn(at, "\n");
        TextSize size = size_of(at, line->length, text->size);
        line->width = size.width;
        double a = fmax(size.ascent, ascent) + half_gap, d = fmax(size.descent, descent) + half_gap;
        line->y = y - a;
        y -= a + d;
        block.width = fmax(block.width, size.width);
        block.last_descent = d;
        block.last_baseline = -line->y;
        if (!at[line->length]) break;
    }
    block.height = -y;
    return block;
}

/* The bounding box of a block that is rotated around its upper left corner, 0, 0. */
static Box rotated_box(const TextBlock *block, Rotation t) {
    Box box = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    for (int corner = 0; corner < 4; corner++) {
        double x = corner & 1 ? block->width : 0, y = corner & 2 ? -block->height : 0;
        rotate(t, &x, &y);
        box = tg_union(box, (Box){x, y, x, y});
    }
    return box;
}

/* The anchor point of the block, relative to the upper left corner. */
static void anchor_of(const Text *text, const TextBlock *block, Box rotated, Rotation t, double *x, double *y) {
    Box box = text->anchored ? (Box){0, -block->height, block->width, 0} : rotated;
    *x = text->ha == LEFT ? box.x0 : text->ha == RIGHT ? box.x1 : (box.x0 + box.x1) / 2;
    switch (text->va) {
    case BOTTOM: *y = box.y0; break;
    case TOP: *y = box.y1; break;
    case MIDDLE: *y = (box.y0 + box.y1) / 2; break;
    case BASELINE: *y = text->anchored ? box.y1 - block->last_baseline : box.y0 + block->last_descent; break;
    case MIDDLE_OF_BASELINE: *y = box.y1 - block->last_baseline / 2; break;
    }
    if (text->anchored) rotate(t, x, y);
}

int tg_text_lines(const Text *text, TextLine out[MAX_TEXT_LINES], Box *box) {
    TextLine own[MAX_TEXT_LINES], *lines = out ? out : own;
    double x = 0, y = 0;
    if (box) *box = (Box){text->x, text->y, text->x, text->y};
    if (!*text->text) return 0;
    TextBlock block = measure(text, lines);
    Rotation t = rotation_of(text->rotation);
    Box rotated = rotated_box(&block, t);
    anchor_of(text, &block, rotated, t, &x, &y);
    x = text->x - x;
    y = text->y - y;
    if (box) *box = (Box){x + rotated.x0, y + rotated.y0, x + rotated.x1, y + rotated.y1};
    for (int i = 0; i < block.count; i++) { /* lines have the text's horizontal alignment */
        double slack = block.width - lines[i].width,
            left = text->ha == LEFT ? 0 : text->ha == RIGHT ? slack : slack / 2;
        double middle = left + lines[i].width / 2, baseline = lines[i].y;
        rotate(t, &middle, &baseline);
        lines[i].x = x + middle;
        lines[i].y = y + baseline;
    }
    return block.count;
}

Box tg_text_box(const Text *text) {
    Box box;
    tg_text_lines(text, NULL, &box);
    return box;
}
