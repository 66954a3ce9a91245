/* core/data/tqdm_meter.c: the line of a progress bar, tqdm.format_meter. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/data/tqdm_internal.h"
#include "core/tensor/c_locale.h"
#include "core/tensor/str.h"
#include "core/tensor/tensor.h"

enum { NUMBER = 48 };

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

/* The kth character of a text, from 0. */
static const char *character_at(const char *text, int k, size_t *length) {
    for (uint32_t point;; text += *length, k--) {
        *length = tg_next_character(text, &point);
        if (k == 0) return text;
    }
}

bool tg_tqdm_put_bar(tg_TqdmText *to, double fraction, int columns, const char *ascii, const char *colour) {
    const char *set = !ascii ? " ▏▎▍▌▋▊▉█" : *ascii ? ascii : " 123456789#";
    int count = 0;
    uint32_t point;
    for (const char *at = set; *at; count++) at += tg_next_character(at, &point);
    char code[NUMBER];
    colour_text(colour, code);
    const int steps = count - 1;
    fraction = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
    const int64_t filled = steps > 0 ? (int64_t)(fraction * columns * steps) : columns;
    /* A bar of 2e9 columns is refused before it is filled. */
    bool ok = tg_tqdm_reserve(to, (size_t)columns) && tg_tqdm_print(to, "%s", code);
    size_t length;
    for (int i = 0; i < columns && ok; i++) {
        const bool is_full = steps <= 0 || i < filled / steps;
        const char *character = character_at(set,
                                             is_full               ? count - 1
                                             : i == filled / steps ? (int)(filled % steps)
                                                                   : 0,
                                             &length);
        ok = tg_tqdm_put(to, character, length);
    }
    return ok && tg_tqdm_print(to, "%s", *code ? "\033[0m" : "");
}

/* ---- the line ---- */

/* The parts of tqdm's '{l_bar}{bar}{r_bar}'. */
typedef struct Parts {
    char n[NUMBER], total[NUMBER], elapsed[NUMBER], remaining[NUMBER];
    const char *rate;
} Parts;

static bool rate_text(double rate, bool has_rate, bool is_inverse, const tqdm_Options *o, tg_TqdmText *to) {
    char number[NUMBER] = "?";
    if (has_rate && o->unit_scale == 1)
        sizeof_text(is_inverse ? 1 / rate : rate, "", 1000, number);
    else if (has_rate)
        tg_c_snprintf(number, sizeof number, "%5.2f", is_inverse ? 1 / rate : rate);
    const char *unit = o->unit ? o->unit : "";
    return tg_tqdm_clear(to) &&
           (is_inverse ? tg_tqdm_print(to, "%ss/%s", number, unit) : tg_tqdm_print(to, "%s%s/s", number, unit));
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

/* At most so many columns, and what is coloured ends. */
static bool trim(tg_TqdmText *line, int columns) {
    const bool is_coloured = tg_trim_columns(line->data, columns);
    line->size = strlen(line->data);
    return !is_coloured || tg_tqdm_print(line, "\033[0m");
}

static bool format_line(const Line *l, const tqdm_Options *o, tg_TqdmTexts *t, char *error) {
    const char *desc = o->desc ? o->desc : "";
    const size_t length = strlen(desc);
    const bool has_colon = length >= 2 && strcmp(desc + length - 2, ": ") == 0, has_total = l->has_total;
    char percentage[NUMBER] = "";
    const Parts *p = l->parts;
    if (has_total) tg_c_snprintf(percentage, sizeof percentage, "%3.0f%%", l->n / l->total * 100);
    const bool has_postfix = o->postfix && *o->postfix;
    if (!tg_tqdm_clear(&t->left) || !tg_tqdm_clear(&t->right) || !tg_tqdm_clear(&t->postfix) ||
        !tg_tqdm_clear(&t->format) ||
        !tg_tqdm_print(&t->left, "%s%s%s|", desc, *desc && !has_colon ? ": " : "", percentage) ||
        !tg_tqdm_print(&t->postfix, "%s%s", has_postfix ? ", " : "", has_postfix ? o->postfix : "") ||
        !tg_tqdm_print(&t->right, "| %s/%s [%s<%s, %s%s]", p->n, p->total, p->elapsed, p->remaining, p->rate,
                       t->postfix.data))
        return false;
    if (has_total && o->ncols == 0)
        return tg_tqdm_put(&t->line, t->left.data, t->left.size - 1) &&
               tg_tqdm_print(&t->line, "%s", t->right.data + 1);
    if (!rate_text(l->rate, l->has_rate, false, o, &t->normal) ||
        !rate_text(l->rate, l->has_rate, true, o, &t->inverse))
        return false;
    /* "{desc}: " of an empty description goes */
    const char *from = o->bar_format, *found;
    for (; has_total && !*desc && (found = strstr(from, "{desc}: ")); from = found + 8)
        if (!tg_tqdm_put(&t->format, from, (size_t)(found - from))) return false;
    if (!tg_tqdm_print(&t->format, "%s", from)) return false;
    const bool is_timed = l->has_rate && has_total;
    const double remaining = is_timed ? (l->total - l->n) / l->rate : 0, inverse_rate = l->has_rate ? 1 / l->rate : 0;
    const tg_TqdmKind rate_kind = l->has_rate ? TG_TQDM_FLOAT : TG_TQDM_NONE;
    /* a rate of 0 is 0 and not None */
    const tg_TqdmKind plain_kind = isnan(l->rate) ? TG_TQDM_NONE : TG_TQDM_FLOAT;
    bool has_bar = false;
    const tg_TqdmField fields[] = {
        text_field("l_bar", t->left.data),
        number_field("bar", TG_TQDM_BAR, 0),
        text_field("r_bar", t->right.data),
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
        text_field("rate_noinv_fmt", t->normal.data),
        number_field("rate_inv", rate_kind, inverse_rate),
        text_field("rate_inv_fmt", t->inverse.data),
        text_field("postfix", t->postfix.data),
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
    if (!tg_tqdm_format(t->format.data, &all, &t->line, &t->field, error)) return *error && tg_tqdm_clear(&t->line);
    const int rest = o->ncols - tg_text_columns(t->line.data);
    all.columns = o->ncols <= 0 ? 10 : rest > 1 ? rest : 1;
    if (has_bar && !tg_tqdm_format(t->format.data, &all, &t->line, &t->field, error))
        return *error && tg_tqdm_clear(&t->line);
    return o->ncols <= 0 || trim(&t->line, o->ncols);
}

bool tg_tqdm_meter(double n, bool is_float, double total, double elapsed, double rate, const tqdm_Options *given,
                   tg_TqdmTexts *t, char *error) {
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
    if (!tg_tqdm_clear(&t->line) || !rate_text(rate, has_rate, has_rate && 1 / rate > 1, &o, &t->rate)) return false;
    p.rate = t->rate.data;
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
        return format_line(&line, &o, t, error);
    }
    const char *desc = o.desc ? o.desc : "", *postfix = o.postfix ? o.postfix : "";
    const size_t length = strlen(desc);
    const char *comma = *postfix ? ", " : "";
    if (total > 0) {
        const bool has_colon = length >= 2 && strcmp(desc + length - 2, ": ") == 0;
        char percentage[NUMBER];
        tg_c_snprintf(percentage, sizeof percentage, "%3.0f%%", n / total * 100);
        if (!tg_tqdm_clear(&t->right) ||
            !tg_tqdm_print(&t->line, "%s%s%s", desc, *desc && !has_colon ? ": " : "", percentage) ||
            !tg_tqdm_print(&t->right, " %s/%s [%s<%s, %s%s%s]", p.n, p.total, p.elapsed, p.remaining, p.rate, comma,
                           postfix))
            return false;
        if (o.ncols == 0) return tg_tqdm_put(&t->line, t->right.data, t->right.size);
        const int rest = o.ncols - tg_text_columns(t->line.data) - tg_text_columns(t->right.data) - 2; /* two | */
        const int columns = o.ncols < 0 ? 10 : rest > 1 ? rest : 1;
        if (!tg_tqdm_print(&t->line, "|") || !tg_tqdm_put_bar(&t->line, n / total, columns, o.ascii, o.colour) ||
            !tg_tqdm_print(&t->line, "|%s", t->right.data))
            return false;
    } else if (!tg_tqdm_print(&t->line, "%s%s%s%s [%s, %s%s%s]", desc, *desc ? ": " : "", p.n, o.unit ? o.unit : "",
                              p.elapsed, p.rate, comma, postfix)) {
        return false;
    }
    return o.ncols <= 0 || trim(&t->line, o.ncols);
}

const char *tqdm_format_meter(double n, double total, double elapsed, double rate, const tqdm_Options *options) {
    tqdm_Options o = tqdm_Defaults;
    char error[TG_TQDM_ERROR];
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    tg_TqdmTexts texts = {0};
    const char *line = NULL;
    if (tg_tqdm_meter(n, false, total, elapsed, rate, &o, &texts, error))
        line = *error ? tg_fail("bar_format: %s", error) : t_format("%s", texts.line.data);
    tg_tqdm_texts_free(&texts);
    return line;
}
