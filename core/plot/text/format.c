/* core/plot/text/format.c: numbers as text: Python's format(value, spec).
 *
 * A spec is [[fill]align][sign][z][#][0][width][, or _][.precision][type]. The number is first written as digits and a
 * suffix (".25", "e+05", "%"); then the digits are grouped and everything is padded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/plot/text/format.h"
#include "core/tensor/context.h"

/* ---- without a locale ---- */

bool tg_read_number(const char *text, double *out) {
    const char *end = text + strlen(text), *at = text + strspn(text, " \t\n\r\f\v");
    char *stop;
    if (!*at || strpbrk(at, "xX(")) return false; /* strtod's hexadecimal numbers and nan(...) */
    const tg_CLocale locale = tg_c_locale_begin();
    *out = strtod(at, &stop);
    tg_c_locale_end(locale);
    return stop != at && stop + strspn(stop, " \t\n\r\f\v") == end;
}

/* ---- reading a spec ---- */

typedef struct Spec {
    const char *text, *of; /* the spec, and "float" or "int", for error texts */
    char fill[5];          /* one character of UTF-8 */
    char align, sign;      /* "<>=^" and "+- " */
    bool no_minus_zero, alternate;
    int width, precision;  /* precision -1: not given */
    char group, type;      /* 0: not given */
    const char *type_text; /* points to the type */
} Spec;

static size_t character_length(const char *text) {
    size_t length = text[0] != '\0';
    while (length && (text[length] & 0xc0) == 0x80) length++;
    return length;
}

/* Reads digits at *at; false with an error set if there are too many. */
static bool read_count(const char **at, int *count) {
    enum { MOST = 1000000 };
    for (*count = 0; **at >= '0' && **at <= '9'; ++*at) {
        *count = 10 * *count + (**at - '0');
        if (*count > MOST) return tg_fail("Too many decimal digits in format string");
    }
    return true;
}

static const char *read_alignment(const char *at, Spec *spec) {
    const char *const aligns = "<>=^";
    size_t first = character_length(at);
    spec->fill[0] = ' ';
    spec->align = '>';
    if (first && first < sizeof spec->fill && at[first] && strchr(aligns, at[first])) {
        memcpy(spec->fill, at, first);
        spec->align = at[first];
        return at + first + 1;
    }
    if (!at[0] || !strchr(aligns, at[0])) return at;
    spec->align = at[0];
    return at + 1;
}

static bool read_grouping(const char **at, Spec *spec) {
    if (**at == ',' || **at == '_') spec->group = *(*at)++;
    bool both = spec->group && (**at == ',' || **at == '_') && (**at != spec->group || spec->group == '_');
    if (both) tg_fail("Cannot specify both ',' and '_'.");
    return !both;
}

static bool read_spec(const char *text, const char *of, Spec *spec) {
    *spec = (Spec){.text = text, .of = of, .precision = -1};
    const char *at = read_alignment(text, spec);
    bool aligned = at != text;
    if (*at && strchr("+- ", *at)) spec->sign = *at++;
    if (*at == 'z') spec->no_minus_zero = *at++;
    if (*at == '#') spec->alternate = *at++;
    if (*at == '0') {
        if (!aligned || spec->fill[0] == ' ') memcpy(spec->fill, "0", 2);
        if (!aligned) spec->align = '=';
        at++;
    }
    if (!read_count(&at, &spec->width) || !read_grouping(&at, spec)) return false;
    if (*at == '.') {
        const char *digits = ++at;
        if (!read_count(&at, &spec->precision)) return false;
        if (at == digits) return tg_fail("Format specifier missing precision");
    }
    size_t left = character_length(at);
    if (at[left]) return tg_fail("Invalid format specifier '%s' for object of type '%s'", text, of);
    spec->type = *at;
    spec->type_text = at;
    if (spec->group && *at && !strchr("deEfFgG%", *at))
        return tg_fail("Cannot specify '%c' with '%s'.", spec->group, at);
    return true;
}

/* ---- writing a number ---- */

enum { LONGEST = 512 };

/* The digits before the point, in groups of three; with leading zeros up to a width of `least`. */
static void put_groups(char *to, const char *digits, int count, char group, int least) {
    char backwards[LONGEST + LONGEST / 3 + 2];
    int at = 0, taken = 0;
    while (at < LONGEST && (taken < count || at < least)) {
        if (group && at % 4 == 3) {
            backwards[at++] = group;
            if (taken >= count && at >= least) backwards[at++] = '0'; /* no comma at the beginning */
            continue;
        }
        backwards[at++] = taken < count ? digits[count - 1 - taken] : '0';
        taken++;
    }
    for (int i = 0; i < at; i++) to[i] = backwards[at - 1 - i];
    to[at] = '\0';
}

/* Truncates the text to the buffer's size, at a character boundary. */
static void append(char *to, size_t capacity, const char *text) {
    if (capacity == 0) return;
    size_t length = strlen(to), more = strlen(text), space = capacity - 1 - length;
    if (more > space)
        for (more = space; more > 0 && (text[more] & 0xc0) == 0x80;) more--;
    memcpy(to + length, text, more);
    to[length + more] = '\0';
}

static void append_times(char *to, size_t capacity, const char *text, int times) {
    for (int i = 0; i < times && (size_t)i < capacity; i++) append(to, capacity, text);
}

/* Sign and body with the padding between, before or after them. */
static void put_padded(char *to, size_t capacity, const Spec *spec, const char *sign, const char *body) {
    int missing = spec->width - (int)strlen(sign) - (int)strlen(body);
    int left = spec->align == '<' ? 0 : spec->align == '^' ? missing / 2 : missing;
    if (capacity > 0) to[0] = '\0';
    if (spec->align == '=') append(to, capacity, sign);
    append_times(to, capacity, spec->fill, left);
    if (spec->align != '=') append(to, capacity, sign);
    append(to, capacity, body);
    append_times(to, capacity, spec->fill, missing - left);
}

/* text: an optional minus, then the digits and what follows them. */
static void group_and_pad(char *to, size_t capacity, const Spec *spec, char *text) {
    char body[2 * LONGEST];
    bool negative = text[0] == '-';
    text += negative;
    if (spec->no_minus_zero && text[0] <= '9' && strcspn(text, "123456789") >= strcspn(text, "eE")) negative = false;
    const char *sign = negative ? "-" : spec->sign == '+' ? "+" : spec->sign == ' ' ? " " : "";
    int digits = (int)strspn(text, "0123456789"), rest = (int)strlen(text) - digits;
    bool zeros = strcmp(spec->fill, "0") == 0 && spec->align == '=';
    int least = zeros ? spec->width - (int)strlen(sign) - rest : 0;
    put_groups(body, text, digits, digits ? spec->group : '\0', least < LONGEST / 2 ? least : LONGEST / 2);
    append(body, sizeof body, text + digits);
    put_padded(to, capacity, spec, sign, body);
}

/* The fewest digits that convert back to the number. */
static int shortest(double size) {
    char text[LONGEST];
    double again = 0;
    for (int digits = 1; digits < 17; digits++) {
        tg_c_snprintf(text, sizeof text, "%.*e", digits - 1, size);
        if (tg_read_number(text, &again) && again == size) return digits;
    }
    return 17;
}

/* No type: the digits of str(value), or `precision` digits, without trailing zeros except for one decimal. */
static void put_plain(char *text, double size, const Spec *spec) {
    int digits = spec->precision < 0 ? shortest(size) : spec->precision > 0 ? spec->precision : 1;
    tg_c_snprintf(text, LONGEST, "%.*e", digits - 1, size);
    char *tail = strchr(text, 'e'), power[16];
    int exponent = (int)strtol(tail + 1, NULL, 10), most = spec->precision < 0 ? 16 : digits - 1;
    bool scientific = exponent < -4 || exponent >= most;
    snprintf(power, sizeof power, "%s", scientific ? tail : "");
    if (!scientific) {
        tg_c_snprintf(text, LONGEST, "%.*f", digits - 1 - exponent > 1 ? digits - 1 - exponent : 1, size);
        tail = text + strlen(text);
    }
    if (strchr(text, '.'))
        while (tail[-1] == '0' && (scientific || tail[-2] != '.')) tail--;
    if (tail[-1] == '.') tail--;
    strcpy(tail, power);
}

static void put_typed(char *text, double size, const Spec *spec) {
    int precision = spec->precision >= 0 ? spec->precision : 6;
    bool sharp = spec->alternate;
    switch (spec->type) {
    case 'e': tg_c_snprintf(text, LONGEST, sharp ? "%#.*e" : "%.*e", precision, size); break;
    case 'E': tg_c_snprintf(text, LONGEST, sharp ? "%#.*E" : "%.*E", precision, size); break;
    case 'g':
    case 'n': tg_c_snprintf(text, LONGEST, sharp ? "%#.*g" : "%.*g", precision, size); break;
    case 'G': tg_c_snprintf(text, LONGEST, sharp ? "%#.*G" : "%.*G", precision, size); break;
    default: tg_c_snprintf(text, LONGEST, sharp ? "%#.*f" : "%.*f", precision, size);
    }
    if (spec->type == '%') append(text, LONGEST, "%");
}

static bool format_double(char *to, size_t capacity, const Spec *spec, double value) {
    char text[LONGEST] = "-";
    bool percent = spec->type == '%', upper = spec->type && strchr("EFG", spec->type);
    if (spec->type && !strchr("eEfFgGn%", spec->type))
        return tg_fail("Unknown format code '%s' for object of type '%s'", spec->type_text, spec->of);
    if (spec->precision > 100) return tg_fail("the precision of the format '%s' is over 100", spec->text);
    char *body = text + (signbit(value) && !isnan(value));
    double size = fabs(value) * (percent ? 100 : 1);
    if (!isfinite(value))
        sprintf(body, "%s%s", isnan(value) ? upper ? "NAN" : "nan" : upper ? "INF" : "inf", percent ? "%" : "");
    else if (spec->type) put_typed(body, size, spec);
    else put_plain(body, size, spec);
    group_and_pad(to, capacity, spec, text);
    return true;
}

bool tg_format_spec(char *to, size_t capacity, const char *text, double value) {
    Spec spec;
    return read_spec(text, "float", &spec) && format_double(to, capacity, &spec, value);
}

bool tg_format_spec_int(char *to, size_t capacity, const char *text, int64_t value) {
    char digits[LONGEST];
    Spec spec;
    if (!read_spec(text, "int", &spec)) return false;
    if (spec.type && strchr("eEfFgG%", spec.type)) return format_double(to, capacity, &spec, (double)value);
    if (spec.type && !strchr("dn", spec.type))
        return tg_fail("Unknown format code '%s' for object of type 'int'", spec.type_text);
    if (spec.precision >= 0) return tg_fail("Precision not allowed in integer format specifier");
    if (spec.no_minus_zero) return tg_fail("Negative zero coercion (z) not allowed in integer format specifier");
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    group_and_pad(to, capacity, &spec, digits);
    return true;
}
