/* core/pandas/datetime/format.c: points in time by a format: strptime, strftime, and the format of a text guessed. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/pandas/datetime/datetime.h"

const char *const tg_month_names[12] = {"January", "February", "March",     "April",   "May",      "June",
                                        "July",    "August",   "September", "October", "November", "December"};
const char *const tg_day_names[7] = {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};

/* ---- from texts ---- */

typedef struct Parse {
    tg_TimeText *to;
    int day_of_year;          /* of %j; 0: none */
    int half;                 /* of %p: 0 AM, 1 PM, -1 none */
    bool has_hour12, is_open; /* is_open: the text may go on after the format */
} Parse;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool match(const char *at, const char *format, Parse *p);

/* A number of up to `most` digits between low and high: the longest with which the rest of the format matches, as
 * Python's regular expressions find it. */
static bool match_number(const char *at, const char *format, Parse *p, int *to, int most, int low, int high) {
    int value = 0, digits = 0, values[10];
    for (; digits < most && is_digit(at[digits]); digits++) values[digits] = value = value * 10 + (at[digits] - '0');
    for (; digits > 0; digits--) {
        if (values[digits - 1] < low || values[digits - 1] > high) continue;
        *to = values[digits - 1];
        if (match(at + digits, format, p)) return true;
    }
    return false;
}

/* The name at `at`, whole or its first three letters, in any case; -1 */
static int name_at(const char *at, const char *const *names, int count, bool is_whole) {
    for (int i = 0; i < count; i++) {
        const size_t length = is_whole ? strlen(names[i]) : 3;
        size_t n = 0;
        while (n < length && (at[n] | 0x20) == (names[i][n] | 0x20)) n++;
        if (n == length) return i;
    }
    return -1;
}

static bool match_name(const char *at, const char *format, Parse *p, char directive) {
    const bool is_month = directive == 'b' || directive == 'B', is_whole = directive == 'B' || directive == 'A';
    const char *const *names = is_month ? tg_month_names : tg_day_names;
    const int i = name_at(at, names, is_month ? 12 : 7, is_whole);
    if (i < 0) return false;
    if (is_month) p->to->time.month = i + 1;
    return match(at + (is_whole ? strlen(names[i]) : 3), format, p);
}

/* Z, +02, +0200, +02:00 */
static bool match_zone(const char *at, const char *format, Parse *p) {
    p->to->has_zone = true;
    p->to->zone = 0;
    if (*at == 'Z' || *at == 'z') return match(at + 1, format, p);
    if ((*at != '+' && *at != '-') || !is_digit(at[1]) || !is_digit(at[2])) return false;
    const int sign = *at == '-' ? -1 : 1, hours = (at[1] - '0') * 10 + at[2] - '0';
    int minutes = 0;
    at += 3;
    const char *more = at + (*at == ':');
    if (is_digit(more[0]) && is_digit(more[1])) {
        minutes = (more[0] - '0') * 10 + more[1] - '0';
        at = more + 2;
    }
    p->to->zone = sign * (hours * 3600 + minutes * 60);
    return match(at, format, p);
}

static bool match_fraction(const char *at, const char *format, Parse *p) {
    int digits = 0, value = 0;
    for (; digits < 9 && is_digit(at[digits]); digits++) value = value * 10 + (at[digits] - '0');
    p->to->fraction = digits;
    for (int i = digits; i < 9; i++) value *= 10;
    p->to->time.nanosecond = value;
    return digits > 0 && match(at + digits, format, p);
}

static bool match_year(const char *at, const char *format, Parse *p, bool is_short) {
    const int digits = is_short ? 2 : 4;
    int year = 0;
    for (int i = 0; i < digits; i++) {
        if (!is_digit(at[i])) return false;
        year = year * 10 + (at[i] - '0');
    }
    p->to->time.year = !is_short ? year : year < 69 ? 2000 + year : 1900 + year; /* POSIX */
    return year + is_short > 0 && match(at + digits, format, p);
}

static bool match_directive(const char *at, char directive, const char *format, Parse *p) {
    tg_DateTime *t = &p->to->time;
    switch (directive) {
    case 'Y':
    case 'y': return match_year(at, format, p, directive == 'y');
    case 'm': return match_number(at, format, p, &t->month, 2, 1, 12);
    case 'd': return match_number(at, format, p, &t->day, 2, 1, 31);
    case 'H': return match_number(at, format, p, &t->hour, 2, 0, 23);
    case 'I': p->has_hour12 = true; return match_number(at, format, p, &t->hour, 2, 1, 12);
    case 'M': return match_number(at, format, p, &t->minute, 2, 0, 59);
    case 'S': return match_number(at, format, p, &t->second, 2, 0, 59);
    case 'j': return match_number(at, format, p, &p->day_of_year, 3, 1, 366);
    case 'f': return match_fraction(at, format, p);
    case 'z': return match_zone(at, format, p);
    case 'p':
        p->half = (*at | 0x20) == 'a' ? 0 : (*at | 0x20) == 'p' ? 1 : -1;
        return p->half >= 0 && (at[1] | 0x20) == 'm' && match(at + 2, format, p);
    case '%': return *at == '%' && match(at + 1, format, p);
    default: return match_name(at, format, p, directive);
    }
}

/* Whether the text from `at` on has the format; the first place at which only more text is too much is kept. */
static bool match(const char *at, const char *format, Parse *p) {
    for (; *format && *format != '%'; format++) {
        if (is_blank(*format)) {
            if (!is_blank(*at)) return false;
            while (is_blank(*at)) at++;
        } else if (*at++ != *format) {
            return false;
        }
    }
    if (*format) return match_directive(at, format[1], format + 2, p);
    if (!p->to->rest) p->to->rest = at;
    if (!p->is_open && *at) return false;
    p->to->rest = at;
    return true;
}

static const char *bad_directive(const char *format, const char *known) {
    for (const char *at = strchr(format, '%'); at; at = strchr(at + 2, '%'))
        if (!at[1] || !strchr(known, at[1])) return at + 1;
    return NULL;
}

static tg_TimeMatch parse(const char *text, const char *format, bool is_open, tg_TimeText *to) {
    Parse p = {.to = to, .half = -1, .is_open = is_open};
    *to = (tg_TimeText){.time = {.year = 1900, .month = 1, .day = 1}};
    tg_DateTime *t = &to->time;
    if (!match(text, format, &p)) return to->rest ? tg_time_has_more : tg_time_differs;
    if (p.has_hour12 && p.half >= 0) t->hour = t->hour % 12 + 12 * p.half;
    if (p.day_of_year) {
        if (p.day_of_year > 365 + tg_is_leap_year(t->year)) return tg_time_out_of_range;
        const int64_t year = t->year;
        tg_date_of_days(tg_days_of_date(year, 1, 1) + p.day_of_year - 1, t);
    }
    return t->day > tg_days_in_month(t->year, t->month) ? tg_time_out_of_range : tg_time_matches;
}

tg_TimeMatch tg_time_parse(const char *text, const char *format, tg_TimeText *to) {
    const char *bad = bad_directive(format, "YymdHIMSfpbBaAjz%");
    if (!bad) return parse(text, format, false, to);
    to->rest = bad;
    return tg_time_bad_directive;
}

/* ---- guessed formats ---- */

/* Puts the separator for each '?'. */
static void with_separator(const char *pattern, char separator, char *to) {
    do *to++ = *pattern == '?' ? separator : *pattern;
    while (*pattern++);
}

static bool fits(const char *text, const char *format, tg_TimeText *time) {
    return parse(text, format, false, time) == tg_time_matches;
}

/* The time of day after a date that matched: `format` goes on with one of these. */
static bool guess_time(const char *text, char *format, bool *is_alone) {
    static const struct {
        const char *text;
        bool is_alone;
    } times[] = {{"%H:%M", false},       {"%H:%M:%S", false}, {"%H:%M:%S.%f", false}, {"%H", false},
                 {"%I:%M:%S %p", false}, {"%I:%M %p", true},  {"%I:%M%p", true},      {"%I:%M:%S%p", true},
                 {"%I %p", true},        {"%I%p", true},      {"%H%M%S", false},      {"%H:%M:%S %Y", false}};
    static const char *const zones[] = {"", "%z", " %z"}, *const separators[] = {" ", "T", ""};
    const size_t length = strlen(format);
    const bool is_iso_digits = strcmp(format, "%Y%m%d") == 0, is_ctime = strcmp(format, "%a %b %d") == 0;
    tg_TimeText time;
    for (int s = 0; s < 3; s++)
        for (size_t t = 0; t < sizeof times / sizeof *times; t++)
            for (int z = 0; z < 3; z++) {
                const bool has_digits = strcmp(times[t].text, "%H%M%S") == 0, has_year = strchr(times[t].text, 'Y');
                if ((s == 2 || has_digits) && !(is_iso_digits && has_digits)) continue;
                if (has_year != is_ctime) continue;
                snprintf(format + length, TG_TIME_FORMAT_SIZE - length, "%s%s%s", separators[s], times[t].text,
                         zones[z]);
                if (!fits(text, format, &time)) continue;
                *is_alone = *is_alone || times[t].is_alone;
                return true;
            }
    format[length] = '\0';
    return false;
}

bool tg_time_guess(const char *text, bool dayfirst, char *format, bool *is_alone) {
    /* ?: a separator; by month first, by day first */
    static const struct {
        const char *month, *day;
        bool is_alone;
    } dates[] = {{"%Y?%m?%d", "%Y?%d?%m", false},
                 {"%Y?%m?%d", NULL, false},
                 {"%m?%d?%Y", "%d?%m?%Y", false},
                 {"%d?%m?%Y", "%m?%d?%Y", false},
                 {"%Y?%b?%d", NULL, false},
                 {"%d?%b?%Y", NULL, false},
                 {"%d?%B?%Y", NULL, false},
                 {"%b?%d,?%Y", NULL, false},
                 {"%B?%d,?%Y", NULL, false},
                 {"%b?%d?%Y", NULL, false},
                 {"%B?%d?%Y", NULL, false},
                 {"%Y%m%d", NULL, false},
                 {"%a, %d?%b?%Y", NULL, false},
                 {"%a, %d?%B?%Y", NULL, false},
                 {"%A, %B?%d,?%Y", NULL, false},
                 {"%A, %d?%B?%Y", NULL, false},
                 {"%a %b %d", NULL, false},
                 {"%Y-%m", NULL, false},
                 {"%Y", NULL, false},
                 {"%m?%d?%y", "%d?%m?%y", true},
                 {"%d?%m?%y", "%m?%d?%y", true},
                 {"%d?%b?%y", NULL, true},
                 {"%b?%Y", NULL, true},
                 {"%B?%Y", NULL, true},
                 {"%m?%Y", NULL, true}};
    tg_TimeText time;
    for (size_t d = 0; d < sizeof dates / sizeof *dates; d++)
        for (const char *separator = "-/. "; *separator; separator++) {
            with_separator(dayfirst && dates[d].day ? dates[d].day : dates[d].month, *separator, format);
            *is_alone = dates[d].is_alone;
            if (parse(text, format, true, &time) != tg_time_matches) continue;
            if (*time.rest ? guess_time(text, format, is_alone) : strcmp(format, "%a %b %d") != 0) return true;
        }
    return false;
}

/* ---- to texts ---- */

static void format_directive(const tg_DateTime *t, char directive, char *to) {
    const int64_t days = tg_days_of_date(t->year, t->month, t->day);
    const int of_year = (int)(days - tg_days_of_date(t->year, 1, 1)), weekday = tg_weekday(days);
    const int hour12 = t->hour % 12 ? t->hour % 12 : 12;
    int64_t iso_year;
    const int week = tg_iso_week(days, &iso_year);
    switch (directive) {
    case 'Y': sprintf(to, "%04" PRId64, t->year); break;
    case 'G': sprintf(to, "%" PRId64, iso_year); break;
    case 'y': sprintf(to, "%02d", (int)(t->year % 100)); break;
    case 'm': sprintf(to, "%02d", t->month); break;
    case 'd': sprintf(to, "%02d", t->day); break;
    case 'H': sprintf(to, "%02d", t->hour); break;
    case 'I': sprintf(to, "%02d", hour12); break;
    case 'M': sprintf(to, "%02d", t->minute); break;
    case 'S': sprintf(to, "%02d", t->second); break;
    case 'f': sprintf(to, "%06d", t->nanosecond / 1000); break;
    case 'j': sprintf(to, "%03d", of_year + 1); break;
    case 'V': sprintf(to, "%02d", week); break;
    case 'U': sprintf(to, "%02d", (of_year + 7 - (weekday + 1) % 7) / 7); break;
    case 'W': sprintf(to, "%02d", (of_year + 7 - weekday) / 7); break;
    case 'u': sprintf(to, "%d", weekday + 1); break;
    case 'w': sprintf(to, "%d", (weekday + 1) % 7); break;
    case 'p': sprintf(to, "%s", t->hour < 12 ? "AM" : "PM"); break;
    case 'b': sprintf(to, "%.3s", tg_month_names[t->month - 1]); break;
    case 'B': sprintf(to, "%s", tg_month_names[t->month - 1]); break;
    case 'a': sprintf(to, "%.3s", tg_day_names[weekday]); break;
    case 'A': sprintf(to, "%s", tg_day_names[weekday]); break;
    case 'F': sprintf(to, "%04" PRId64 "-%02d-%02d", t->year, t->month, t->day); break;
    case 'T': sprintf(to, "%02d:%02d:%02d", t->hour, t->minute, t->second); break;
    case '%': sprintf(to, "%%"); break;
    default: *to = '\0'; /* %z and %Z of no time zone */
    }
}

bool tg_time_format(const tg_DateTime *time, const char *format, char *to, size_t size, char *bad) {
    const char *unknown = bad_directive(format, "YGymdHIMSfjVUWuwpbBaAFTzZ%");
    size_t used = 0;
    *to = '\0';
    if (unknown) *bad = *unknown;
    if (unknown) return false;
    for (; *format; format++) {
        char part[64] = {*format};
        if (*format == '%') format_directive(time, *++format, part);
        const size_t length = strlen(part);
        if (used + length + 1 > size) break;
        memcpy(to + used, part, length + 1);
        used += length;
    }
    return true;
}
