/* core/plot/text/utf8.c: reading UTF-8. */
#include "core/plot/text/utf8.h"

uint32_t tg_utf8_next(const char **text) {
    const unsigned char *at = (const unsigned char *)*text;
    static const uint32_t smallest[] = {0, 0x80, 0x800, 0x10000};
    if (!at[0]) return 0;
    ++*text;
    if (at[0] < 0x80) return at[0];
    const int more = at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : at[0] < 0xf5 ? 3 : 0;
    uint32_t point = at[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0xfffd;
        point = point << 6 | (at[i] & 0x3f);
    }
    if (more == 0 || point < smallest[more] || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return 0xfffd;
    *text += more;
    return point;
}

typedef struct Range {
    uint32_t first, last;
} Range;

static bool in_ranges(uint32_t point, const Range *ranges, int count) {
    for (int i = 0; i < count; i++)
        if (point >= ranges[i].first && point <= ranges[i].last) return true;
    return false;
}

bool tg_utf8_is_wide(uint32_t point) {
    static const Range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},   {0xa960, 0xa97f},
                                 {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff01, 0xff60},
                                 {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
                                 {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};
    return in_ranges(point, wide, sizeof wide / sizeof *wide);
}

bool tg_utf8_is_mark(uint32_t point) {
    static const Range marks[] = {{0x300, 0x36f},   {0x483, 0x489},   {0x200b, 0x200f},
                                  {0x20d0, 0x20f0}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
    return in_ranges(point, marks, sizeof marks / sizeof *marks);
}

int tg_utf8_columns(const char *text) {
    int columns = 0;
    for (uint32_t point; (point = tg_utf8_next(&text));)
        columns += tg_utf8_is_mark(point) ? 0 : tg_utf8_is_wide(point) ? 2 : 1;
    return columns;
}
