/* core/io/utf8.c: UTF-8, read and written. */
#include "core/io/utf8.h"

#include <stdbool.h>

/* The number of bytes of the UTF-8 character at s, of at most `left`; 0 if it is invalid, overlong or a surrogate. */
static size_t utf8_length(const unsigned char *s, size_t left) {
    const size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if (i >= left || (s[i] & 0xc0) != 0x80) return 0;
    const bool invalid = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
                         (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f);
    return invalid ? 0 : length;
}

size_t tg_utf8_valid(const char *text, size_t size) {
    size_t at = 0;
    while (at < size) {
        const size_t length = utf8_length((const unsigned char *)text + at, size - at);
        if (length == 0) break;
        at += length;
    }
    return at;
}

char *tg_utf8_write(char *to, uint32_t c) {
    const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xc0, 0xe0, 0xf0};
    *to++ = (char)(leads[more] | c >> 6 * more);
    for (int i = more - 1; i >= 0; i--) *to++ = (char)(0x80 | (c >> 6 * i & 0x3f));
    return to;
}
