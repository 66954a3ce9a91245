/* core/plot/color/color.c: colours by name. */
#include <string.h>

#include "core/plot/color/color.h"
#include "core/plot/text/format.h"
#include "core/tensor/context.h"

/* ---- names ---- */

/* "name rrggbb, " and so on. */
static const char color_names[] =
#include "color_names.inc"
    ;

static const char color_cycle[] = "1f77b4ff7f0e2ca02cd627289467bd8c564be377c27f7f7fbcbd2217becf";

static const char initials[] = "bgrcmykw";
static const Color letter_colors[] = {{0, 0, 1, 1},       {0, 0.5, 0, 1},    {1, 0, 0, 1}, {0, 0.75, 0.75, 1},
                                      {0.75, 0, 0.75, 1}, {0.75, 0.75, 0, 1}, {0, 0, 0, 1}, {1, 1, 1, 1}};

static int hex_digit(char c) {
    const char *digits = "0123456789abcdef", *found = strchr(digits, c >= 'A' && c <= 'F' ? c + 'a' - 'A' : c);
    return c && found ? (int)(found - digits) : -1;
}

/* "#rgb" with or without alpha, one or two digits per channel; `digits` in all. */
static Color parse_hex_color(const char *text, size_t digits) {
    double channels[4] = {0, 0, 0, 1};
    size_t each = digits > 4 ? 2 : 1;
    for (size_t i = 0; i < digits / each; i++) {
        int value = hex_digit(text[i * each]);
        channels[i] = each == 1 ? value / 15.0 : (16 * value + hex_digit(text[i * each + 1])) / 255.0;
    }
    return (Color){channels[0], channels[1], channels[2], channels[3]};
}

/* "C" and digits: the index into the cycle, -1 if the name has another form. */
static int cycle_index(const char *name) {
    int index = 0;
    if (name[0] != 'C' || !name[1] || strspn(name + 1, "0123456789") != strlen(name + 1)) return -1;
    for (const char *digit = name + 1; *digit; digit++) index = *digit - '0'; /* modulo ten */
    return index;
}

static bool named_color(const char *name, Color *out) {
    enum { LONGEST = 32 };
    char lower[LONGEST];
    size_t length = strlen(name);
    int index = cycle_index(name);
    if (index >= 0) {
        *out = parse_hex_color(color_cycle + 6 * index, 6);
        return true;
    }
    if (length == 1 && strchr(initials, name[0])) {
        *out = letter_colors[strchr(initials, name[0]) - initials];
        return true;
    }
    if (length == 0 || length >= LONGEST) return false;
    for (size_t i = 0; i <= length; i++)
        lower[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 'a' - 'A' : name[i]);
    if (strcmp(lower, "none") == 0) {
        *out = (Color){0, 0, 0, 0};
        return true;
    }
    const char *known = color_names;
    while (*known && !(strcspn(known, " ") == length && memcmp(known, lower, length) == 0))
        known = strchr(known, ',') + 2;
    if (*known) *out = parse_hex_color(known + length + 1, 6);
    return *known;
}

/* ---- numbers ---- */

static bool is_hex(const char *text) {
    size_t digits = 0;
    while (hex_digit(text[digits]) >= 0) digits++;
    return digits > 0 && !text[digits];
}

bool tg_color(const char *name, Color *out) {
    double grey;
    if (!name) return t_error() ? false : tg_fail("a colour is NULL") != NULL;
    if (named_color(name, out)) return true;
    if (name[0] == '#' && is_hex(name + 1)) {
        size_t digits = strlen(name + 1);
        bool known = digits == 3 || digits == 4 || digits == 6 || digits == 8;
        if (known) *out = parse_hex_color(name + 1, digits);
        else tg_fail("Invalid hex color specifier: '%s'", name);
        return known;
    }
    if (!tg_read_number(name, &grey)) {
        tg_fail("Invalid RGBA argument: '%s'", name);
        return false;
    }
    if (!(grey >= 0 && grey <= 1)) {
        tg_fail("Invalid string grayscale value '%s'. Value must be within 0-1 range", name);
        return false;
    }
    *out = (Color){grey, grey, grey, 1};
    return true;
}
