/* core/io/text/savetxt.c: numpy.savetxt: the rows of a tensor through Python's % formats. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/text/table_internal.h"
#include "core/io/text/text_file.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/dtype_convert.h"
#include "core/tensor/tensor.h"

/* A format split at its conversions: text, conversion, text, conversion, ..., text. */
typedef struct Piece {
    const char *text; /* before the conversion, with "%%" for "%" */
    size_t length;
    char flags[8];
    int width, precision; /* -1: not given */
    char conversion;      /* '\0' after the last one */
} Piece;

typedef struct Format {
    Piece pieces[2 * NP_MOST_FORMATS];
    int count; /* conversions; pieces[count] is the text after them */
} Format;

enum { MOST_PIECES = 2 * NP_MOST_FORMATS - 1, WIDEST = 500 };

/* Appends the pieces of a text to the format. */
static bool parse(Format *to, const char *text) {
    const char *begin = text;
    for (const char *at = text; *at; at++) {
        if (*at != '%') continue;
        if (at[1] == '%') {
            at++;
            continue;
        }
        if (to->count == MOST_PIECES) return tg_fail("fmt has more than %d formats", MOST_PIECES);
        Piece *piece = &to->pieces[to->count++];
        *piece = (Piece){.text = begin, .length = (size_t)(at - begin), .width = -1, .precision = -1};
        size_t flags = 0;
        for (at++; *at && strchr("-+ 0#", *at); at++)
            if (flags + 1 < sizeof piece->flags) piece->flags[flags++] = *at;
        int *const numbers[] = {&piece->width, &piece->precision};
        for (int i = 0; i < 2; i++) {
            if (i == 1 && *at != '.') break;
            at += i;
            if (i == 1) piece->precision = 0;
            for (; *at >= '0' && *at <= '9'; at++) {
                *numbers[i] = (*numbers[i] < 0 ? 0 : *numbers[i]) * 10 + (*at - '0');
                if (*numbers[i] > WIDEST) return tg_fail("fmt has a width above %d:  %s", WIDEST, text);
            }
        }
        while (*at && strchr("hlL", *at)) at++; /* Python ignores them */
        if (!*at) return tg_fail("incomplete format");
        if (!strchr("diouxXeEfFgGcs", *at))
            return tg_fail("unsupported format character '%c' (0x%x) at index %d", *at, (unsigned char)*at,
                           (int)(at - text));
        piece->conversion = *at;
        begin = at + 1;
    }
    to->pieces[to->count] = (Piece){.text = begin, .length = strlen(begin)};
    return true;
}

static int count_percents(const char *text) {
    int count = 0;
    for (; *text; text++) count += *text == '%';
    return count;
}

static bool put_text(tg_Output *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%' && i + 1 < length) i++; /* "%%" */
        if (!tg_output_write(out, text + i, 1)) return false;
    }
    return true;
}

/* The fewest digits that read back as the same value of the dtype, written as numpy's str of a scalar: with an exponent
 * below 1e-4 and from a limit that depends on the dtype. */
static void shortest(double value, t_DType dtype, char *to, size_t size) {
    const double limit = dtype == t_float64 ? 1e16 : dtype == t_float32 ? 1e6 : 1e3;
    uint64_t want = 0, got = 0; /* the bits in the dtype */
    char scientific[40];
    if (value != value || isinf(value)) {
        snprintf(to, size, "%s", value != value ? "nan" : value < 0 ? "-inf" : "inf");
        return;
    }
    tg_set_element(dtype, &want, value);
    for (int digits = 0; digits < 17; digits++) {
        snprintf(scientific, sizeof scientific, "%.*e", digits, value);
        tg_set_element(dtype, &got, strtod(scientific, NULL));
        if (got != want) continue;
        const int exponent = atoi(strchr(scientific, 'e') + 1), decimals = digits > exponent ? digits - exponent : 1;
        if (value != 0 && (fabs(value) < 1e-4 || fabs(value) >= limit))
            snprintf(to, size, "%s", scientific);
        else
            snprintf(to, size, "%.*f", decimals, strtod(scientific, NULL));
        return;
    }
}

static uint64_t size_of(int64_t integer) {
    return integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
}

/* As Python writes an integer: the sign, 0o or 0x for the flag "#", at least `precision` digits; the flag "0" pads
 * between these. C has no sign of %x, and no 0o. */
static int format_integer(char *to, size_t size, const Piece *piece, bool is_negative, const char *digits) {
    const char *flags = piece->flags, conversion[] = {piece->conversion, '\0'};
    const char *sign = is_negative ? "-" : strchr(flags, '+') ? "+" : strchr(flags, ' ') ? " " : "";
    const bool is_left = strchr(flags, '-'), has_prefix = strchr(flags, '#') && strchr("oxX", piece->conversion);
    const int count = (int)strlen(digits), before = (int)strlen(sign) + 2 * has_prefix;
    int zeros = piece->precision > count ? piece->precision - count : 0;
    int blanks = piece->width > before + zeros + count ? piece->width - before - zeros - count : 0;
    if (!is_left && strchr(flags, '0')) {
        zeros += blanks;
        blanks = 0;
    }
    return snprintf(to, size, "%*s%s%s%s%.*d%s%*s", is_left ? 0 : blanks, "", sign, has_prefix ? "0" : "",
                    has_prefix ? conversion : "", zeros, 0, digits, is_left ? blanks : 0, "");
}

static bool put_value(tg_Output *out, const Piece *piece, t_DType dtype, const char *element, const char *whole) {
    char format[32], text[WIDEST + 400];
    const bool is_real = tg_is_floating(dtype);
    const double value = tg_element_as_double(dtype, element);
    const int64_t integer = is_real ? 0 : tg_element_as_int64(dtype, element);
    int length = snprintf(format, sizeof format, "%%%s", piece->flags);
    if (piece->width >= 0) length += snprintf(format + length, sizeof format - (size_t)length, "%d", piece->width);
    if (piece->precision >= 0)
        length += snprintf(format + length, sizeof format - (size_t)length, ".%d", piece->precision);
    char *const rest = format + length;
    switch (piece->conversion) {
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G': {
        sprintf(rest, "%c", piece->conversion);
        length = snprintf(text, sizeof text, format, is_real ? value : (double)integer);
        for (char *at = text; value != value && *at; at++) /* C may print "-nan" */
            if (*at == '-' && (at[1] | 0x20) == 'n') memmove(at, at + 1, strlen(at)), length--;
        break;
    }
    case 'd':
    case 'i':
    case 'u': {
        char digits[400];
        if (is_real && value != value) return tg_fail("cannot convert float NaN to integer");
        if (is_real && isinf(value)) return tg_fail("cannot convert float infinity to integer");
        if (is_real)
            snprintf(digits, sizeof digits, "%.0f", fabs(trunc(value))); /* Python's have no limit */
        else
            snprintf(digits, sizeof digits, "%" PRIu64, size_of(integer));
        length = format_integer(text, sizeof text, piece, is_real ? value <= -1 : integer < 0, digits);
        break;
    }
    case 'o':
    case 'x':
    case 'X':
    case 'c': {
        char digits[32];
        if (is_real)
            return tg_fail("Mismatch between array dtype ('%s') and format specifier ('%s')", tg_dtype_name(dtype),
                           whole);
        if (piece->conversion == 'c') {
            if (integer < 0 || integer > 127) return tg_fail("%%c arg not in range(128)");
            length =
                snprintf(text, sizeof text, strchr(piece->flags, '-') ? "%-*c" : "%*c", piece->width, (int)integer);
            break;
        }
        snprintf(digits, sizeof digits,
                 piece->conversion == 'o'   ? "%" PRIo64
                 : piece->conversion == 'x' ? "%" PRIx64
                                            : "%" PRIX64,
                 size_of(integer));
        length = format_integer(text, sizeof text, piece, integer < 0, digits);
        break;
    }
    default: { /* s */
        char number[64];
        if (dtype == t_bool)
            snprintf(number, sizeof number, "%s", integer ? "True" : "False");
        else if (is_real)
            shortest(value, dtype, number, sizeof number);
        else
            snprintf(number, sizeof number, "%" PRId64, integer);
        char plain[8];
        snprintf(plain, sizeof plain, "%s", strchr(piece->flags, '-') ? "-" : "");
        if (piece->precision >= 0 && strlen(number) > (size_t)piece->precision) number[piece->precision] = '\0';
        length = snprintf(text, sizeof text, *plain ? "%-*s" : "%*s", piece->width < 0 ? 0 : piece->width, number);
    }
    }
    return tg_output_write(out, text, (size_t)length);
}

/* header and footer: comments, then the text with comments after each of its newlines. */
static bool put_comment(tg_Output *out, const np_SavetxtOptions *o, const char *text) {
    if (!*text) return true;
    tg_output_text(out, o->comments);
    for (; *text; text++) {
        tg_output_write(out, text, 1);
        if (*text == '\n') tg_output_text(out, o->comments);
    }
    return tg_output_text(out, o->newline);
}

/* Takes the formats apart; *joined: a free()'d text that the pieces point into, and that errors show. */
static bool parse_formats(Format *to, const np_SavetxtOptions *o, int64_t columns, char **joined) {
    int given = 0;
    while (given < NP_MOST_FORMATS && o->fmt[given]) given++;
    if (given == 0) return tg_fail("invalid fmt: None");
    if (given > 1) {
        if (given != columns)
            return tg_fail("fmt has wrong shape.  %d formats for %" PRId64 " columns", given, columns);
        tg_Output out;
        tg_output_memory(&out);
        for (int i = 0; i < given; i++) {
            if (i) tg_output_text(&out, o->delimiter);
            tg_output_text(&out, o->fmt[i]);
        }
        *joined = tg_output_take_text(&out, true);
        return *joined && parse(to, *joined) &&
               (to->count == columns || tg_fail("fmt has wrong number of %% formats:  %s", *joined));
    }
    const int percents = count_percents(o->fmt[0]);
    if (percents != 1 && percents != columns) return tg_fail("fmt has wrong number of %% formats:  %s", o->fmt[0]);
    return parse(to, o->fmt[0]) &&
           (to->count == percents || tg_fail("not all arguments converted during string formatting"));
}

static bool put_rows(tg_Output *out, Tensor *x, const np_SavetxtOptions *o, const Format *format, const char *whole) {
    const int64_t rows = x->shape[0], columns = x->ndim == 2 ? x->shape[1] : 1;
    const size_t size = tg_itemsize(x->dtype);
    const bool repeats = format->count == 1;
    bool ok = true;
    for (int64_t i = 0; ok && i < rows; i++) {
        const char *row = (const char *)tg_data(x) + (size_t)(i * x->strides[0]) * size;
        for (int64_t j = 0; ok && j < columns; j++) {
            const Piece *piece = &format->pieces[repeats ? 0 : j], *after = &format->pieces[format->count];
            const char *element = row + (x->ndim == 2 ? (size_t)(j * x->strides[1]) * size : 0);
            if (repeats && j > 0) ok = tg_output_text(out, o->delimiter);
            ok = ok && put_text(out, piece->text, piece->length) && put_value(out, piece, x->dtype, element, whole);
            if (ok && (repeats || j + 1 == columns)) ok = put_text(out, after->text, after->length);
        }
        ok = ok && tg_output_text(out, o->newline);
    }
    return ok;
}

static bool save(tg_Output *out, Tensor *x, const np_SavetxtOptions *o) {
    const int64_t columns = x->ndim == 2 ? x->shape[1] : 1;
    Format *format = tg_alloc(sizeof *format);
    char *joined = NULL;
    bool ok = format && parse_formats(format, o, columns, &joined);
    const tg_CLocale locale = tg_c_locale_begin();
    ok = ok && put_comment(out, o, o->header) && put_rows(out, x, o, format, joined ? joined : o->fmt[0]) &&
         put_comment(out, o, o->footer);
    tg_c_locale_end(locale);
    tg_free(format, sizeof *format);
    free(joined);
    return ok;
}

static bool take_arguments(np_SavetxtOptions *o, const np_SavetxtOptions *options, const Tensor *x) {
    *o = (np_SavetxtOptions){NP_SAVETXT_DEFAULTS_};
    if (!tg_check_any(x, 2) || !tg_take_options(o, options, sizeof *o)) return false;
    if (!o->delimiter || !o->newline || !o->header || !o->footer || !o->comments)
        return tg_fail("delimiter, newline, header, footer and comments must be texts, but one is NULL");
    return x->ndim == 1 || x->ndim == 2 || tg_fail("Expected 1D or 2D array, got %dD array instead", x->ndim);
}

typedef struct Arguments {
    Tensor *x;
    np_SavetxtOptions o;
} Arguments;

static bool save_arguments(tg_Output *out, void *arguments) {
    const Arguments *a = arguments;
    return save(out, a->x, &a->o);
}

bool np_savetxt(const char *fname, Tensor *x, const np_SavetxtOptions *options) {
    Arguments a = {.x = x};
    if (!take_arguments(&a.o, options, x) || !tg_check_given(fname != NULL, 1, "a path")) return false;
    return tg_write_text_file(fname, tg_has_ending(fname, ".gz"), save_arguments, &a);
}

char *np_savetxt_bytes(Tensor *x, size_t *size, const np_SavetxtOptions *options) {
    np_SavetxtOptions o;
    tg_Output out;
    if (!take_arguments(&o, options, x)) return NULL;
    if (!size) return tg_fail("argument 2 is NULL where the address of a size is expected");
    tg_output_memory(&out);
    const bool ok = save(&out, x, &o);
    const size_t length = out.used; /* "%c" of 0 is a zero byte */
    char *text = tg_output_take_text(&out, ok);
    if (text) *size = length;
    return text;
}
