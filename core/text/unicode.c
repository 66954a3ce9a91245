/* core/text/unicode.c: UTF-8, and classes of characters by binary search in runs. */
#include "core/text/unicode.h"

#include "core/text/unicode_tables.inc"

uint32_t tg_next_char(const uint8_t **at, const uint8_t *end) {
    const uint8_t *s = *at;
    const int more = s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 1 : s[0] < 0xf0 ? 2 : s[0] < 0xf5 ? 3 : 0;
    *at = s + 1;
    if (s[0] < 0x80) return s[0];
    if (more == 0 || end - s <= more) return TG_INVALID_BYTE;
    uint32_t c = s[0] & (0x3fu >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) return TG_INVALID_BYTE;
        c = c << 6 | (s[i] & 0x3f);
    }
    /* overlong forms, surrogates, and what is beyond the last character */
    if ((more == 2 && (c < 0x800 || (c >= 0xd800 && c < 0xe000))) || (more == 3 && (c < 0x10000 || c > 0x10ffff)))
        return TG_INVALID_BYTE;
    *at = s + 1 + more;
    return c;
}

/* The class, in the lowest two bits, of the run that has the character. */
static int find_run(const uint32_t *runs, size_t count, uint32_t c) {
    size_t low = 0, high = count; /* the run is in [low, high) */
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (runs[middle] >> 2 <= c)
            low = middle;
        else
            high = middle;
    }
    return (int)(runs[low] & 3);
}

tg_CharClass tg_char_class(uint32_t c) {
    if (c >= TG_INVALID_BYTE) return TG_OTHER;
    return (tg_CharClass)find_run(class_runs, sizeof class_runs / sizeof *class_runs, c);
}

int tg_char_case(uint32_t c) {
    return c >= TG_INVALID_BYTE ? 0 : find_run(case_runs, sizeof case_runs / sizeof *case_runs, c);
}

uint32_t tg_char_lower(uint32_t c) {
    size_t low = 0, high = sizeof lower_runs / sizeof *lower_runs;
    if (c < 0x80) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (lower_runs[middle].last < c)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == sizeof lower_runs / sizeof *lower_runs || c < lower_runs[low].first) return c;
    if ((c - lower_runs[low].first) % (uint32_t)lower_runs[low].step) return c;
    return (uint32_t)((int32_t)c + lower_runs[low].delta);
}

int tg_put_char(uint32_t c, char *to) {
    static const uint8_t leads[] = {0, 0xc0, 0xe0, 0xf0};
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    to[0] = (char)(leads[more] | c >> 6 * more);
    for (int i = 1; i <= more; i++) to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}
