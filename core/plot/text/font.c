/* core/plot/text/font.c: the size of a text, from a table of DejaVu Sans's metrics. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/plot/text/font.h"
#include "core/plot/text/utf8.h"

/* In font units, EM to the font size. Widths: of glyphs that the table lacks, and of all arrows. */
enum { EM = 2048, ASCENT = 1556, DESCENT = 492, UNKNOWN_WIDTH = 1229, ARROW_WIDTH = 1716 };

/* Kerning: `left` before any of `rights` is moved by `shift`. */
typedef struct Kerning {
    char left;
    int16_t shift;
    char rights[14];
} Kerning;

/* Characters that are higher than ASCENT. */
typedef struct TallGlyphs {
    int ascent;
    const char *characters;
} TallGlyphs;

#include "core/plot/text/font.inc"

typedef struct Block {
    uint32_t first;
    size_t count;
    const uint16_t *widths;
} Block;

#define BLOCK(first, widths) {first, sizeof widths / sizeof *widths, widths}
static const Block blocks[] = {
    BLOCK(0x20, latin),
    BLOCK(0xa0, latin_extended),
    BLOCK(0x370, greek_cyrillic),
    BLOCK(0x2010, punctuation),
    BLOCK(0x2070, superscripts_and_currency),
    BLOCK(0x2100, letterlike),
    BLOCK(0x2200, mathematical),
    BLOCK(0x25a0, geometric),
};

static int width_of(uint32_t point) {
    for (const Block *b = blocks; b < blocks + sizeof blocks / sizeof *blocks; b++)
        if (point >= b->first && point - b->first < b->count) return b->widths[point - b->first];
    if (point >= 0x2190 && point <= 0x21ff) return ARROW_WIDTH;
    return tg_utf8_is_mark(point) ? 0 : tg_utf8_is_wide(point) ? EM : UNKNOWN_WIDTH;
}

static int kerning_of(uint32_t left, uint32_t right) {
    if (left >= 0x7f || right >= 0x7f) return 0;
    for (size_t i = 0; i < sizeof kernings / sizeof *kernings; i++)
        if ((uint32_t)kernings[i].left == left && strchr(kernings[i].rights, (int)right)) return kernings[i].shift;
    return 0;
}

static int ascent_of(uint32_t point) {
    for (size_t i = 0; i < sizeof tall_glyphs / sizeof *tall_glyphs; i++) {
        const char *at = tall_glyphs[i].characters;
        for (uint32_t one; (one = tg_utf8_next(&at));)
            if (one == point) return tall_glyphs[i].ascent;
    }
    return ASCENT;
}

TextSize tg_text_size(const char *utf8, double points) {
    int width = 0, ascent = ASCENT;
    uint32_t before = 0;
    for (uint32_t point; (point = tg_utf8_next(&utf8)); before = point) {
        int height = ascent_of(point);
        width += width_of(point) + (before ? kerning_of(before, point) : 0);
        if (height > ascent) ascent = height;
    }
    return (TextSize){width * points / EM, ascent * points / EM, DESCENT * points / EM};
}

double tg_glyph_advance(uint32_t before, uint32_t point, double *x) {
    if (before) *x += (double)kerning_of(before, point) / EM;
    return (double)width_of(point) / EM;
}
