/* core/pandas/io/encoding.c: the encodings of read_csv, latin-1 and cp1252 beside UTF-8. */
#include "core/pandas/io/encoding.h"

#include <string.h>

#include "core/io/utf8.h"

/* The characters of the bytes 0x80 to 0x9f, 0 for none; the others are those of Unicode. */
static const uint16_t latin_1[32] = {0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a,
                                     0x8b, 0x8c, 0x8d, 0x8e, 0x8f, 0x90, 0x91, 0x92, 0x93, 0x94, 0x95,
                                     0x96, 0x97, 0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9d, 0x9e, 0x9f};
static const uint16_t cp1252[32] = {0x20ac, 0,      0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                    0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0,      0x17d,  0,
                                    0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                    0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0,      0x17e,  0x178};

/* Whether there is an encoding of that name; *table: the characters of its bytes 0x80 to 0x9f, NULL for UTF-8. */
static bool find_encoding(const char *name, const uint16_t **table) {
    static const struct {
        const char *name;
        const uint16_t *table;
    } names[] = {{"utf8", NULL},        {"utf8sig", NULL},  {"ascii", NULL},        {"latin1", latin_1},
                 {"iso88591", latin_1}, {"cp1252", cp1252}, {"windows1252", cp1252}};
    char plain[16];
    size_t length = 0;
    *table = NULL;
    if (!name) return true;
    for (; *name && length < sizeof plain - 1; name++)
        if (*name != '-' && *name != '_') plain[length++] = *name >= 'A' && *name <= 'Z' ? (char)(*name + 32) : *name;
    plain[length] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!*name && strcmp(plain, names[i].name) == 0) {
            *table = names[i].table;
            return true;
        }
    return false;
}

bool tg_is_encoding(const char *name) {
    const uint16_t *table;
    return find_encoding(name, &table);
}

bool tg_decode(tg_Text *text, const char *encoding) {
    const uint16_t *table;
    if (!find_encoding(encoding, &table) || !table) return true;
    const size_t size = (size_t)(text->end - text->at), bytes = 3 * size + 1;
    char *block = tg_alloc_raw(bytes), *to = block;
    if (!block) return false;
    for (const unsigned char *at = (const unsigned char *)text->at, *const end = at + size; at < end; at++) {
        const unsigned c = *at < 0x80 || *at >= 0xa0 ? *at : table[*at - 0x80];
        if (c == 0 && *at) {
            tg_free(block, bytes);
            return tg_fail("%s: '%s' codec can't decode byte 0x%02x in position %zu: character maps to <undefined>",
                           text->name, encoding, *at, (size_t)((const char *)at - text->at));
        }
        to = tg_utf8_write(to, c);
    }
    tg_text_close(text);
    *text = (tg_Text){.name = text->name, .at = block, .end = to, .block = block, .bytes = bytes};
    return true;
}
