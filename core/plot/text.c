/* core/plot/text.c: where the lines of a text stand, by matplotlib's rules for alignment and rotation. */
#include <string.h>

#include "core/plot/figure.h"
#include "core/plot/font.h"

Box tg_union(Box a, Box b) {
    return (Box){fmin(a.x0, b.x0), fmin(a.y0, b.y0), fmax(a.x1, b.x1), fmax(a.y1, b.y1)};
}

bool tg_overlap(Box a, Box b) {
    return a.x0 < b.x1 && b.x0 < a.x1 && a.y0 < b.y1 && b.y0 < a.y1;
}

typedef struct Turn {
    double cos, sin;
} Turn;

/* Exact for the quarter turns. */
static Turn turn_of(double degrees) {
    static const Turn quarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double angle = fmod(fmod(degrees, 360) + 360, 360);
    if (fmod(angle, 90) == 0) return quarters[(int)(angle / 90) % 4];
    return (Turn){cos(angle * acos(-1) / 180), sin(angle * acos(-1) / 180)};
}

static void turn(Turn t, double *x, double *y) {
    double a = *x, b = *y;
    *x = a * t.cos - b * t.sin;
    *y = a * t.sin + b * t.cos;
}

/* The lines of a text in a box whose upper left corner is 0, 0: widths, baselines, and the box's size. */
typedef struct Block {
    int count;
    double width, height; /* of the box */
    double first_ascent, last_descent, last_baseline;
} Block;

static Block measure(const Text *text, TextLine lines[MAX_TEXT_LINES]) {
    /* The typographic ascent, descent and line gap of DejaVu Sans, in units of the font size. */
    const double ascent = 1556.0 / 2048 * text->size, descent = 492.0 / 2048 * text->size, gap = 410.0 / 2048 * text->size;
    Block block = {0};
    double y = 0, half_gap = strchr(text->text, '\n') ? gap / 2 : 0;
    for (const char *at = text->text; block.count < MAX_TEXT_LINES; at += strcspn(at, "\n") + 1) {
        TextLine *line = &lines[block.count++];
        char copy[1000];
        line->text = at;
        line->length = (int)strcspn(at, "\n");
        TextSize size = {0, 0, 0};
        if (line->length < (int)sizeof copy) {
            memcpy(copy, at, (size_t)line->length);
            copy[line->length] = '\0';
            if (*copy) size = tg_text_size(copy, text->size);
        }
        line->width = size.width;
        double a = fmax(size.ascent, ascent) + half_gap, d = fmax(size.descent, descent) + half_gap;
        if (block.count == 1) block.first_ascent = a;
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

int tg_text_lines(const Text *text, TextLine out[MAX_TEXT_LINES], Box *box) {
    TextLine own[MAX_TEXT_LINES], *lines = out ? out : own;
    Block block = measure(text, lines);
    Turn t = turn_of(text->rotation);
    /* the box turned around its upper left corner */
    Box turned = {0, 0, 0, 0};
    for (int corner = 0; corner < 4; corner++) {
        double x = corner & 1 ? block.width : 0, y = corner & 2 ? -block.height : 0;
        turn(t, &x, &y);
        turned = corner ? tg_union(turned, (Box){x, y, x, y}) : (Box){x, y, x, y};
    }
    /* the point of it that stands at text->x, text->y */
    Box aligned = text->anchored ? (Box){0, -block.height, block.width, 0} : turned;
    double x = text->ha == LEFT ? aligned.x0 : text->ha == RIGHT ? aligned.x1 : (aligned.x0 + aligned.x1) / 2;
    double height = aligned.y1 - aligned.y0, y = 0;
    switch (text->va) {
    case BOTTOM: y = aligned.y0; break;
    case TOP: y = aligned.y1; break;
    case MIDDLE: y = (aligned.y0 + aligned.y1) / 2; break;
    case BASELINE: y = text->anchored ? aligned.y1 - block.last_baseline : aligned.y0 + block.last_descent; break;
    case MIDDLE_OF_BASELINE: y = (text->anchored ? aligned.y1 : aligned.y0 + height) - block.last_baseline / 2; break;
    }
    if (text->anchored) turn(t, &x, &y);
    if (box) *box = (Box){text->x + turned.x0 - x, text->y + turned.y0 - y, text->x + turned.x1 - x, text->y + turned.y1 - y};
    for (int i = 0; i < block.count; i++) {
        /* lines are aligned to each other as the text is to its point */
        double slack = block.width - lines[i].width;
        double left = text->ha == LEFT ? 0 : text->ha == RIGHT ? slack : slack / 2;
        double middle = left + lines[i].width / 2, baseline = lines[i].y;
        turn(t, &middle, &baseline);
        lines[i].x = text->x + middle - x;
        lines[i].y = text->y + baseline - y;
    }
    return block.count;
}

Box tg_text_box(const Text *text) {
    Box box;
    tg_text_lines(text, NULL, &box);
    return box;
}
