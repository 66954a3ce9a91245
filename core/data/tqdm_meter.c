/* core/data/tqdm_meter.c: the line of a progress bar, tqdm.format_meter. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/data/tqdm_internal.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/str.h"
#include "core/tensor/tensor.h"

enum { NUMBER = 48, LINE = TG_TQDM_LINE, WIDEST = TG_TQDM_WIDEST };

/* ---- numbers ---- */

static void sizeof_text(double n, const char *suffix, double divisor, char to[NUMBER]) {
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E", "Z"};
    for (int i = 0; i < 8; i++, n /= divisor) {
        if (!(fabs(n) < 999.5)) continue;
        tg_c_snprintf(to, NUMBER,
                      fabs(n) < 9.995   ? "%1.2f%s%s"
                      : fabs(n) < 99.95 ? "%2.1f%s%s"
                                        : "%3.0f%s%s",
                      n, units[i], suffix);
        return;
    }
    tg_c_snprintf(to, NUMBER, "%3.1fY%s", n, suffix);
}

static void interval_text(double seconds, char to[NUMBER]) {
    const double longest = 9e15;
    const int64_t t = (int64_t)fmin(fabs(seconds), longest), h = t / 3600;
    const char *sign = seconds < 0 ? "-" : "";
    if (h)
        snprintf(to, NUMBER, "%s%" PRId64 ":%02d:%02d", sign, h, (int)(t / 60 % 60), (int)(t % 60));
    else
        snprintf(to, NUMBER, "%s%02d:%02d", sign, (int)(t / 60), (int)(t % 60));
}

void tg_tqdm_number_text(double n, bool is_float, char *to) {
    if (!is_float && fabs(n) < 9e15)
        snprintf(to, NUMBER, "%.0f", n);
    else
        snprintf(to, NUMBER, "%s", tg_number_text(n));
}

const char *tqdm_format_interval(double seconds) {
    char text[NUMBER];
    interval_text(seconds, text);
    return t_format("%s", text);
}

const char *tqdm_format_sizeof(double n, const char *suffix, double divisor) {
    char text[NUMBER];
    sizeof_text(n, suffix ? suffix : "", divisor, text);
    return t_format("%s", text);
}

static const char *format_num(double n, bool is_float) {
    char exact[NUMBER], rounded[NUMBER];
    tg_tqdm_number_text(n, is_float, exact);
    tg_c_snprintf(rounded, sizeof rounded, "%.3g", n);
    char *e = strchr(rounded, 'e'); /* e+05 is e+5 */
    if (e && e[2] == '0') memmove(e + 2, e + 3, strlen(e + 3) + 1);
    return t_format("%s", strlen(rounded) < strlen(exact) ? rounded : exact);
}

const char *tqdm_format_num(double n) {
    return format_num(n, n != floor(n));
}

const char *tg_tqdm_format_float(double n) {
    return format_num(n, true);
}

/* ---- the bar ---- */

/* The escape sequence of a colour; "" for none, or an unknown one. */
static void colour_text(const char *colour, char to[NUMBER]) {
    static const char *const names[] = {"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"};
    unsigned r, g, b;
    *to = '\0';
    if (!colour) return;
    if (*colour == '#' && strlen(colour) == 7 && sscanf(colour + 1, "%2x%2x%2x", &r, &g, &b) == 3)
        snprintf(to, NUMBER, "\033[38;2;%u;%u;%um", r, g, b);
    for (int i = 0; i < 8; i++) {
        size_t k = 0;
        while (names[i][k] && names[i][k] == (colour[k] | 0x20)) k++;
        if (!names[i][k] && !colour[k]) snprintf(to, NUMBER, "\033[%dm", 30 + i);
    }
}

void tg_tqdm_bar_text(double fraction, int columns, const char *ascii, const char *colour, char *to) {
    enum { MOST = 64 };
    const char *characters[MOST], *set = !ascii ? " ▏▎▍▌▋▊▉█" : *ascii ? ascii : " 123456789#";
    size_t lengths[MOST];
    int count = 0;
    for (uint32_t point; *set && count < MOST; count++, set += lengths[count - 1]) {
        characters[count] = set;
        lengths[count] = tg_next_character(set, &point);
    }
    char code[NUMBER];
    colour_text(colour, code);
    const int steps = count - 1;
    fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
    const int filled = steps > 0 ? (int)(fraction * columns * steps) : columns;
    size_t at = strlen(code);
    memcpy(to, code, at);
    for (int i = 0; i < columns; i++) {
        const int k = steps <= 0 || i < filled / steps ? count - 1 : i == filled / steps ? filled % steps : 0;
        memcpy(to + at, characters[k], lengths[k]);
        at += lengths[k];
    }
    strcpy(to + at, *code ? "\033[0m" : "");
}

/* ---- the line ---- */

/* The parts of tqdm's '{l_bar}{bar}{r_bar}'. */
typedef struct Parts {
    char n[NUMBER], total[NUMBER], elapsed[NUMBER], remaining[NUMBER], rate[2 * NUMBER];
} Parts;

static void rate_text(double rate, bool has_rate, bool is_inverse, const tqdm_Options *o, char to[2 * NUMBER]) {
    char number[NUMBER] = "?";
    if (has_rate && o->unit_scale == 1)
        sizeof_text(is_inverse ? 1 / rate : rate, "", 1000, number);
    else if (has_rate)
        tg_c_snprintf(number, sizeof number, "%5.2f", is_inverse ? 1 / rate : rate);
    snprintf(to, 2 * NUMBER, is_inverse ? "%ss/%.40s" : "%s%.40s/s", number, o->unit ? o->unit : "");
}

/* What bar_format is formatted with. */
typedef struct Line {
    double n, total, elapsed, rate;
    bool is_float, is_float_total, has_total, has_rate;
    const Parts *parts;
} Line;

static tg_TqdmField text_field(const char *name, const char *text) {
    return (tg_TqdmField){name, TG_TQDM_TEXT, text, 0};
}
static tg_TqdmField number_field(const char *name, tg_TqdmKind kind, double number) {
    return (tg_TqdmField){name, kind, NULL, number};
}

static void format_line(const Line *l, const tqdm_Options *o, char *to, size_t size, char *error) {
    enum { TEXT = 1024 };
    const char *desc = o->desc ? o->desc : "";
    const size_t length = strlen(desc);
    const bool has_colon = length >= 2 && strcmp(desc + length - 2, ": ") == 0, has_total = l->has_total;
    char left[TEXT + NUMBER], right[TEXT + 24 * NUMBER], postfix[TEXT + 8], format[LINE];
    char normal[2 * NUMBER], inverse[2 * NUMBER], percentage[NUMBER] = "";
    const Parts *p = l->parts;
    if (has_total) tg_c_snprintf(percentage, sizeof percentage, "%3.0f%%", l->n / l->total * 100);
    snprintf(left, sizeof left, "%.*s%s%s|", TEXT, desc, *desc && !has_colon ? ": " : "", percentage);
    snprintf(postfix, sizeof postfix, "%s%.*s", o->postfix && *o->postfix ? ", " : "", TEXT,
             o->postfix ? o->postfix : "");
    snprintf(right, sizeof right, "| %s/%s [%s<%s, %s%s]", p->n, p->total, p->elapsed, p->remaining, p->rate, postfix);
    if (has_total && o->ncols == 0) {
        snprintf(to, size, "%.*s%s", (int)strlen(left) - 1, left, right + 1);
        return;
    }
    rate_text(l->rate, l->has_rate, false, o, normal);
    rate_text(l->rate, l->has_rate, true, o, inverse);
    /* "{desc}: " of an empty description goes */
    const char *from = o->bar_format, *found;
    size_t at = 0;
    *format = '\0';
    while (has_total && !*desc && (found = strstr(from, "{desc}: ")) &&
           at + (size_t)(found - from) < sizeof format - 1) {
        memcpy(format + at, from, (size_t)(found - from));
        format[at += (size_t)(found - from)] = '\0';
        from = found + 8;
    }
    snprintf(format + at, sizeof format - at, "%s", from);
    const bool is_timed = l->has_rate && has_total;
    const double remaining = is_timed ? (l->total - l->n) / l->rate : 0, inverse_rate = l->has_rate ? 1 / l->rate : 0;
    const tg_TqdmKind rate_kind = l->has_rate ? TG_TQDM_FLOAT : TG_TQDM_NONE;
    /* a rate of 0 is 0 and not None */
    const tg_TqdmKind plain_kind = isnan(l->rate) ? TG_TQDM_NONE : TG_TQDM_FLOAT;
    bool has_bar = false;
    const tg_TqdmField fields[] = {
        text_field("l_bar", left),
        number_field("bar", TG_TQDM_BAR, 0),
        text_field("r_bar", right),
        number_field("n", l->is_float ? TG_TQDM_FLOAT : TG_TQDM_INT, l->n),
        text_field("n_fmt", p->n),
        number_field("total",
                     !(l->total >= 0)    ? TG_TQDM_NONE
                     : l->is_float_total ? TG_TQDM_FLOAT
                                         : TG_TQDM_INT,
                     l->total),
        text_field("total_fmt", p->total),
        number_field("percentage", has_total ? TG_TQDM_FLOAT : TG_TQDM_INT, has_total ? l->n / l->total * 100 : 0),
        text_field("elapsed", p->elapsed),
        number_field("elapsed_s", l->elapsed != 0 ? TG_TQDM_FLOAT : TG_TQDM_INT, l->elapsed),
        number_field("ncols", o->ncols < 0 ? TG_TQDM_NONE : TG_TQDM_INT, o->ncols),
        number_field("nrows", o->nrows < 0 ? TG_TQDM_NONE : TG_TQDM_INT, o->nrows),
        text_field("desc", desc),
        text_field("unit", o->unit ? o->unit : ""),
        number_field("rate", plain_kind, inverse_rate > 1 ? inverse_rate : l->rate),
        text_field("rate_fmt", p->rate),
        number_field("rate_noinv", plain_kind, l->rate),
        text_field("rate_noinv_fmt", normal),
        number_field("rate_inv", rate_kind, inverse_rate),
        text_field("rate_inv_fmt", inverse),
        text_field("postfix", postfix),
        number_field("unit_divisor", TG_TQDM_INT, o->unit_divisor),
        {"colour", o->colour ? TG_TQDM_TEXT : TG_TQDM_NONE, o->colour, 0},
        text_field("remaining", p->remaining),
        number_field("remaining_s", is_timed ? TG_TQDM_FLOAT : TG_TQDM_INT, remaining),
        number_field("eta", TG_TQDM_ETA, is_timed ? remaining : -1),
    };
    tg_TqdmFields all = {.items = fields,
                         .count = (int)(sizeof fields / sizeof *fields),
                         .fraction = has_total ? l->n / l->total : 0,
                         .columns = -1,
                         .has_bar = &has_bar,
                         .ascii = has_total ? o->ascii : "  ",
                         .colour = o->colour};
    if (!tg_tqdm_format(format, &all, to, size, error)) {
        *to = '\0';
        return;
    }
    const int rest = o->ncols - tg_text_columns(to);
    all.columns = o->ncols <= 0 ? 10 : rest > 1 ? rest : 1;
    if (has_bar) tg_tqdm_format(format, &all, to, size, error);
    if (o->ncols > 0) tg_trim_columns(to, o->ncols, size);
}

void tg_tqdm_meter(double n, bool is_float, double total, double elapsed, double rate, const tqdm_Options *given,
                   char *to, size_t size, char *error) {
    tqdm_Options o = *given;
    Parts p;
    *error = '\0';
    if (!(total >= 0) || isinf(total) || (total > 0 && n >= total + 0.5)) total = -1;
    is_float = is_float || n != floor(n);
    bool is_float_total = total != floor(total);
    if (o.unit_scale != 0 && o.unit_scale != 1) {
        if (total > 0) total *= o.unit_scale;
        n *= o.unit_scale;
        if (rate != 0) rate *= o.unit_scale;
        is_float = is_float || o.unit_scale != floor(o.unit_scale);
        is_float_total = is_float_total || o.unit_scale != floor(o.unit_scale);
        o.unit_scale = 0;
    }
    interval_text(elapsed, p.elapsed);
    if (isnan(rate) && elapsed != 0) rate = (n - o.initial) / elapsed;
    const bool has_rate = !isnan(rate) && rate != 0;
    rate_text(rate, has_rate, has_rate && 1 / rate > 1, &o, p.rate);
    if (o.unit_scale == 1) {
        sizeof_text(n, "", o.unit_divisor, p.n);
        sizeof_text(total, "", o.unit_divisor, p.total);
    } else {
        tg_tqdm_number_text(n, is_float, p.n);
        tg_tqdm_number_text(total, is_float_total, p.total);
    }
    if (has_rate)
        interval_text(total > 0 ? (total - n) / rate : 0, p.remaining);
    else
        strcpy(p.remaining, "?");
    if (o.bar_format && *o.bar_format) {
        if (!(total >= 0)) strcpy(p.total, "?");
        const Line line = {n, total, elapsed, rate, is_float, is_float_total, total > 0, has_rate, &p};
        format_line(&line, &o, to, size, error);
        return;
    }
    const char *desc = o.desc ? o.desc : "", *postfix = o.postfix ? o.postfix : "";
    const size_t length = strlen(desc);
    const char *comma = *postfix ? ", " : "";
    enum { TEXT = 1024 }; /* of the description and of the postfix */
    if (total > 0) {
        const bool has_colon = length >= 2 && strcmp(desc + length - 2, ": ") == 0;
        char left[TEXT + NUMBER], right[TEXT + 6 * NUMBER], bar[LINE];
        tg_c_snprintf(left, sizeof left, "%.*s%s%3.0f%%", TEXT, desc, *desc && !has_colon ? ": " : "", n / total * 100);
        snprintf(right, sizeof right, " %s/%s [%s<%s, %s%s%.*s]", p.n, p.total, p.elapsed, p.remaining, p.rate, comma,
                 TEXT, postfix);
        if (o.ncols == 0) {
            snprintf(to, size, "%s%s", left, right);
            return;
        }
        const int rest = o.ncols - tg_text_columns(left) - tg_text_columns(right) - 2; /* two | */
        const int columns = o.ncols < 0 ? 10 : rest > 1 ? rest < WIDEST ? rest : WIDEST : 1;
        tg_tqdm_bar_text(n / total, columns, o.ascii, o.colour, bar);
        snprintf(to, size, "%s|%s|%s", left, bar, right);
    } else {
        snprintf(to, size, "%.*s%s%s%.40s [%s, %s%s%.*s]", TEXT, desc, *desc ? ": " : "", p.n, o.unit ? o.unit : "",
                 p.elapsed, p.rate, comma, TEXT, postfix);
    }
    if (o.ncols > 0) tg_trim_columns(to, o.ncols, size);
}

const char *tqdm_format_meter(double n, double total, double elapsed, double rate, const tqdm_Options *options) {
    tqdm_Options o = tqdm_Defaults;
    char line[LINE], error[TG_TQDM_ERROR];
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    tg_tqdm_meter(n, false, total, elapsed, rate, &o, line, sizeof line, error);
    return *error ? tg_fail("bar_format: %s", error) : t_format("%s", line);
}
