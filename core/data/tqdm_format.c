/* core/data/tqdm_format.c: str.format of Python with the fields of tqdm's bar_format: "{l_bar}{bar:20}{r_bar}",
 * "{n_fmt}/{total_fmt} {rate:>8.2f}". The format specifications are those of Python's Format Specification
 * Mini-Language for texts, integers and floats; eta takes strftime's. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/data/tqdm_internal.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/str.h"

/* ---- what is written ---- */

typedef struct Writer {
    tg_TqdmText *to;
    bool is_full; /* out of memory */
    char *error;  /* of TG_TQDM_ERROR bytes; "" so far */
} Writer;

static void put(Writer *w, const char *text, size_t length) {
    w->is_full = w->is_full || !tg_tqdm_put(w->to, text, length);
}

static bool fail(Writer *w, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!*w->error) vsnprintf(w->error, TG_TQDM_ERROR, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- format specifications: [[fill]align][sign][#][0][width][grouping][.precision][type] ---- */

typedef struct Spec {
    const char *fill;
    size_t fill_length;
    char align, sign, grouping, type;
    bool is_alternate, is_zero;
    int width, precision; /* -1: none */
} Spec;

static bool is_align(char c) {
    return c && strchr("<>=^", c);
}

static int read_size(const char **at) {
    int n = -1;
    for (; **at >= '0' && **at <= '9'; ++*at)
        if (n < 10000) n = (n < 0 ? 0 : 10 * n) + (**at - '0');
    return n;
}

static bool read_spec(Writer *w, const char *text, const char *type, Spec *s) {
    uint32_t point;
    const char *at = text;
    *s = (Spec){.fill = " ", .fill_length = 1, .width = -1, .precision = -1};
    const size_t first = *at ? tg_next_character(at, &point) : 0;
    if (first && is_align(at[first])) {
        s->fill = at;
        s->fill_length = first;
        s->align = at[first];
        at += first + 1;
    } else if (is_align(*at)) {
        s->align = *at++;
    }
    if (*at && strchr("+- ", *at)) s->sign = *at++;
    if (*at == '#') s->is_alternate = *at++ == '#';
    if (*at == '0') {
        s->is_zero = true;
        at++;
    }
    s->width = read_size(&at);
    if (*at && strchr(",_", *at)) s->grouping = *at++;
    if (*at == '.') {
        at++;
        s->precision = read_size(&at);
        if (s->precision < 0) return fail(w, "Format specifier missing precision");
    }
    if (*at) s->type = *at++;
    return !*at || fail(w, "Invalid format specifier '%.100s' for object of type '%s'", text, type);
}

static int characters(const char *text, size_t length) {
    int count = 0;
    for (size_t i = 0; i < length; i++) count += (text[i] & 0xc0) != 0x80;
    return count;
}

/* head: a sign, which "=" puts before the fill. */
static void put_padded(Writer *w, const Spec *s, const char *head, const char *text, size_t length, char align) {
    const int missing = s->width - (int)strlen(head) - characters(text, length);
    const int pad = missing > 0 ? missing : 0;
    const int before = align == '>' || align == '=' ? pad : align == '^' ? pad / 2 : 0;
    if (align == '=') put(w, head, strlen(head));
    for (int i = 0; i < before; i++) put(w, s->fill, s->fill_length);
    if (align != '=') put(w, head, strlen(head));
    put(w, text, length);
    for (int i = before; i < pad; i++) put(w, s->fill, s->fill_length);
}

static bool put_text(Writer *w, const char *text, const char *spec) {
    Spec s;
    if (!read_spec(w, spec, "str", &s)) return false;
    if (s.type && s.type != 's') return fail(w, "Unknown format code '%c' for object of type 'str'", s.type);
    if (s.sign) return fail(w, "Sign not allowed in string format specifier");
    if (s.grouping) return fail(w, "Cannot specify '%c' with 's'.", s.grouping);
    if (s.align == '=') return fail(w, "'=' alignment not allowed in string format specifier");
    if (s.is_zero && !s.align) s.fill = "0";
    size_t length = 0;
    uint32_t point;
    for (int i = 0; text[length] && (s.precision < 0 || i < s.precision); i++)
        length += tg_next_character(text + length, &point);
    put_padded(w, &s, "", text, length, s.align ? s.align : '<');
    return true;
}

/* Groups of three digits before the point; with zeros in front up to the width. */
static void group(char *text, size_t size, char separator, int width) {
    char grouped[1200];
    const size_t digits = strspn(text, "0123456789"), rest = strlen(text + digits) + 1;
    size_t at = sizeof grouped - rest;
    memcpy(grouped + at, text + digits, rest);
    for (size_t i = 0; i < digits || (int)(sizeof grouped - 1 - at) < width; i++) {
        if (at < 2) break;
        if (i && i % 3 == 0) grouped[--at] = separator;
        grouped[--at] = i < digits ? text[digits - 1 - i] : '0';
    }
    if (sizeof grouped - at <= size) memcpy(text, grouped + at, sizeof grouped - at);
}

static bool put_number(Writer *w, double x, bool is_float, const char *spec) {
    const char *type = is_float ? "float" : "int";
    char text[1200], *digits = text;
    Spec s;
    if (!read_spec(w, spec, type, &s)) return false;
    const bool as_float = is_float || (s.type && strchr("eEfFgG%", s.type));
    if (s.type && !strchr(as_float ? "eEfFgG%n" : "dn", s.type))
        return fail(w, "Unknown format code '%c' for object of type '%s'", s.type, type);
    if (!as_float && s.precision >= 0) return fail(w, "Precision not allowed in integer format specifier");
    const int precision = s.precision > 300 ? 300 : s.precision;
    const double magnitude = fabs(x);
    char form[16];
    if (!as_float || (!s.type && precision < 0)) {
        tg_tqdm_number_text(magnitude, as_float, text);
    } else {
        const char kind = s.type == '%' ? 'f' : s.type && s.type != 'n' ? s.type : 'g';
        snprintf(form, sizeof form, "%%%s.%d%c", s.is_alternate ? "#" : "", precision < 0 ? 6 : precision, kind);
        tg_c_snprintf(text, sizeof text - 2, form, s.type == '%' ? 100 * magnitude : magnitude);
        if (!s.type && isfinite(x) && !strpbrk(text, ".e")) strcat(text, ".0"); /* a float has a point */
        if (s.type == '%') strcat(text, "%");
    }
    const char *head = signbit(x) && !isnan(x) ? "-" : s.sign == '+' ? "+" : s.sign == ' ' ? " " : "";
    if (s.is_zero && !s.align) {
        s.fill = "0";
        s.fill_length = 1;
        s.align = '=';
    }
    if (s.grouping)
        group(text, sizeof text, s.grouping, s.align == '=' && *s.fill == '0' ? s.width - (int)strlen(head) : -1);
    put_padded(w, &s, head, digits, strlen(digits), s.align ? s.align : '>');
    return true;
}

/* ---- fields ---- */

static bool put_bar(Writer *w, const tg_TqdmFields *f, const char *spec) {
    char number[16];
    const char *ascii = f->ascii;
    size_t length = strlen(spec);
    if (f->has_bar) *f->has_bar = true;
    if (f->columns < 0) return true;
    const char type = length ? (char)(spec[length - 1] | 0x20) : 0;
    if (type == 'a' || type == 'u' || type == 'b') {
        ascii = type == 'a' ? "" : type == 'u' ? NULL : "  ";
        length--;
    }
    int columns = f->columns;
    if (length) {
        char *end;
        snprintf(number, sizeof number, "%.*s", (int)length, spec);
        const long given = strtol(number, &end, 10);
        if (*end || length >= sizeof number)
            return fail(w, "invalid literal for int() with base 10: '%.*s'", (int)length, spec);
        columns = given > INT_MAX ? INT_MAX : (int)(given < -columns ? 0 : given < 0 ? given + columns : given);
    }
    w->is_full = w->is_full || !tg_tqdm_put_bar(w->to, f->fraction, columns, ascii, f->colour);
    return true;
}

static bool put_eta(Writer *w, double seconds, const char *spec) {
    char text[8192];
    const double most = 253402300799.0; /* datetime.max */
    const time_t moment = (time_t)(seconds < 0 ? 0 : fmin((double)time(NULL) + seconds, most));
    struct tm parts;
    if (seconds < 0)
        gmtime_r(&moment, &parts);
    else
        localtime_r(&moment, &parts);
    if (!*spec) spec = "%Y-%m-%d %H:%M:%S";
    const size_t length = strftime(text, sizeof text, spec, &parts);
    put(w, text, length);
    return true;
}

static bool put_field(Writer *w, const tg_TqdmFields *f, const char *name, const char *spec) {
    for (int i = 0; i < f->count; i++) {
        const tg_TqdmField *field = &f->items[i];
        if (strcmp(field->name, name) != 0) continue;
        switch (field->kind) {
        case TG_TQDM_TEXT: return put_text(w, field->text, spec);
        case TG_TQDM_INT: return put_number(w, field->number, false, spec);
        case TG_TQDM_FLOAT: return put_number(w, field->number, true, spec);
        case TG_TQDM_ETA: return put_eta(w, field->number, spec);
        case TG_TQDM_BAR: return put_bar(w, f, spec);
        case TG_TQDM_NONE:
            if (*spec) return fail(w, "unsupported format string passed to NoneType.__format__");
            return put_text(w, "None", "");
        }
    }
    return fail(w, "KeyError: '%.100s'", name);
}

bool tg_tqdm_format(const char *format, const tg_TqdmFields *fields, tg_TqdmText *to, tg_TqdmText *field, char *error) {
    Writer writer = {to, !tg_tqdm_clear(to), error}, *w = &writer;
    *error = '\0';
    for (const char *at = format; *at && !w->is_full;) {
        const size_t plain = strcspn(at, "{}");
        put(w, at, plain);
        at += plain;
        if (!*at) break;
        if (at[0] == at[1]) { /* {{ and }} */
            put(w, at, 1);
            at += 2;
            continue;
        }
        if (*at == '}') return fail(w, "Single '}' encountered in format string");
        const char *end = strchr(at, '}');
        if (!end)
            return fail(w, at[1] ? "expected '}' before end of string" : "Single '{' encountered in format string");
        if (!tg_tqdm_clear(field) || !tg_tqdm_put(field, at + 1, (size_t)(end - at) - 1)) return false;
        const char *name = field->data;
        char *colon = strchr(field->data, ':');
        if (colon) *colon = '\0';
        if (!put_field(w, fields, name, colon ? colon + 1 : "")) return false;
        at = end + 1;
    }
    return !w->is_full;
}
