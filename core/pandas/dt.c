/* core/pandas/dt.c: Series.dt: fields and texts of points in time, and date_range. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pandas/column.h"
#include "core/pandas/datetime/datetime.h"
#include "core/pandas/to_datetime.h"

static bool check_datetimes(const pd_Series *s) {
    return tg_check_series(s, 1) &&
           (s->column->kind == tg_column_datetime || tg_fail("Can only use .dt accessor with datetimelike values"));
}

static int64_t value_at(const tg_Column *column, int64_t i) {
    return ((const int64_t *)tg_data(column->values))[i];
}

/* ---- numbers ---- */

static int64_t field_of(const tg_DateTime *t, pd_DatetimeField field) {
    const int64_t days = tg_days_of_date(t->year, t->month, t->day);
    int64_t iso_year;
    const bool is_first = t->day == 1, is_last = t->day == tg_days_in_month(t->year, t->month);
    switch (field) {
    case pd_field_year: return t->year;
    case pd_field_month: return t->month;
    case pd_field_day: return t->day;
    case pd_field_hour: return t->hour;
    case pd_field_minute: return t->minute;
    case pd_field_second: return t->second;
    case pd_field_microsecond: return t->nanosecond / 1000;
    case pd_field_nanosecond: return t->nanosecond % 1000;
    case pd_field_dayofweek: return tg_weekday(days);
    case pd_field_dayofyear: return days - tg_days_of_date(t->year, 1, 1) + 1;
    case pd_field_week: return tg_iso_week(days, &iso_year);
    case pd_field_quarter: return (t->month + 2) / 3;
    case pd_field_days_in_month: return tg_days_in_month(t->year, t->month);
    case pd_field_is_month_start: return is_first;
    case pd_field_is_month_end: return is_last;
    case pd_field_is_quarter_start: return is_first && t->month % 3 == 1;
    case pd_field_is_quarter_end: return is_last && t->month % 3 == 0;
    case pd_field_is_year_start: return is_first && t->month == 1;
    case pd_field_is_year_end: return is_last && t->month == 12;
    default: return tg_is_leap_year(t->year);
    }
}

pd_Series *pd_Series_dt(const pd_Series *s, pd_DatetimeField field) {
    if (!check_datetimes(s)) return NULL;
    if ((int)field < pd_field_year || (int)field > pd_field_is_leap_year)
        return tg_fail("%d is no field of a time", (int)field);
    const tg_Column *column = s->column;
    const bool is_bool = field >= pd_field_is_month_start;
    bool any_missing = false;
    for (int64_t i = 0; i < column->len && !any_missing; i++) any_missing = tg_column_is_missing(column, i);
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&column->len, 1, is_bool ? t_bool : any_missing ? t_float64 : t_int32) : NULL;
    for (int64_t i = 0; x && i < column->len; i++) {
        const bool is_missing = tg_column_is_missing(column, i);
        tg_DateTime t;
        if (!is_missing) tg_datetime_split(value_at(column, i), column->per_second, &t);
        const int64_t value = is_missing ? 0 : field_of(&t, field);
        if (is_bool)
            ((bool *)tg_data(x))[i] = value;
        else if (any_missing)
            ((double *)tg_data(x))[i] = is_missing ? NAN : (double)value;
        else
            ((int32_t *)tg_data(x))[i] = (int32_t)value;
    }
    pd_Series *made = tg_series_new(tg_column_of_tensor(x, tg_column_values), tg_index_keep(s->index), s->name);
    return tg_scope_return(depth, made);
}

/* ---- texts ---- */

pd_Series *pd_dt_strftime(const pd_Series *s, const char *format) {
    enum { LONGEST = 1000 };
    char text[LONGEST], bad;
    if (!check_datetimes(s) || !tg_check_given(format != NULL, 2, "a format")) return NULL;
    const tg_Column *column = s->column;
    tg_TextBuilder builder;
    bool ok = tg_text_begin(&builder, column->len);
    for (int64_t i = 0; ok && i < column->len; i++) {
        const bool is_missing = tg_column_is_missing(column, i);
        tg_DateTime t;
        if (!is_missing) {
            tg_datetime_split(value_at(column, i), column->per_second, &t);
            ok = tg_time_format(&t, format, text, sizeof text, &bad) ||
                 tg_fail("'%c' is a bad directive in format '%s'", bad ? bad : '%', format);
        }
        ok = ok && tg_text_add(&builder, is_missing ? NULL : text, is_missing ? 0 : strlen(text));
    }
    return tg_series_new(tg_text_end(&builder, ok), tg_index_keep(s->index), s->name);
}

pd_Series *pd_dt_day_name(const pd_Series *s) {
    return pd_dt_strftime(s, "%A");
}

pd_Series *pd_dt_month_name(const pd_Series *s) {
    return pd_dt_strftime(s, "%B");
}

/* ---- frequencies ---- */

typedef enum Unit { unit_ticks, unit_week, unit_business_day, unit_month, unit_quarter, unit_year } Unit;

typedef struct Frequency {
    Unit unit;
    int64_t count;  /* of units */
    int64_t micros; /* of a tick */
    bool at_end;    /* of the month, the quarter, the year */
} Frequency;

static bool read_frequency(const char *text, Frequency *f) {
    static const struct {
        const char *name;
        Frequency f;
    } known[] = {{"D", {unit_ticks, 1, 86400000000, false}},
                 {"h", {unit_ticks, 1, 3600000000, false}},
                 {"min", {unit_ticks, 1, 60000000, false}},
                 {"s", {unit_ticks, 1, 1000000, false}},
                 {"ms", {unit_ticks, 1, 1000, false}},
                 {"us", {unit_ticks, 1, 1, false}},
                 {"W", {unit_week, 1, 0, false}},
                 {"B", {unit_business_day, 1, 0, false}},
                 {"MS", {unit_month, 1, 0, false}},
                 {"ME", {unit_month, 1, 0, true}},
                 {"QS", {unit_quarter, 1, 0, false}},
                 {"QE", {unit_quarter, 1, 0, true}},
                 {"YS", {unit_year, 1, 0, false}},
                 {"YE", {unit_year, 1, 0, true}}};
    const char *name = text;
    int64_t count = 0;
    for (; *name >= '0' && *name <= '9' && count < 100000000; name++) count = count * 10 + (*name - '0');
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0 && (count > 0 || name == text)) {
            *f = known[i].f;
            f->count = name == text ? 1 : count;
            return true;
        }
    return tg_fail("Invalid frequency: %s", text);
}

/* overflow: the error for the first times that there are, if there is none before them. */
static pd_Series *floored(const pd_Series *s, int64_t ticks, const char *overflow) {
    const tg_Column *column = s->column;
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&column->len, 1, t_int64) : NULL;
    bool ok = x != NULL;
    for (int64_t i = 0; ok && i < column->len; i++) {
        const int64_t value = value_at(column, i), part = value % ticks, below = part < 0 ? ticks : 0;
        int64_t *to = (int64_t *)tg_data(x) + i;
        *to = value;
        if (value == TG_NAT) continue;
        if (__builtin_sub_overflow(value - part, below, to) || *to == TG_NAT) ok = tg_fail("%s", overflow);
    }
    tg_Column *made = ok ? tg_column_of_datetimes(x, column->per_second) : NULL;
    return tg_scope_return(depth, ok ? tg_series_new(made, tg_index_keep(s->index), s->name) : NULL);
}

pd_Series *pd_dt_normalize(const pd_Series *s) {
    return check_datetimes(s)
               ? floored(s, 86400 * s->column->per_second, "Cannot normalize Timestamp without integer overflow")
               : NULL;
}

pd_Series *pd_dt_floor(const pd_Series *s, const char *freq) {
    Frequency f;
    if (!check_datetimes(s) || !tg_check_given(freq != NULL, 2, "a frequency") || !read_frequency(freq, &f))
        return NULL;
    int64_t ticks;
    if (f.unit != unit_ticks) return tg_fail("%s is a non-fixed frequency", freq);
    if (__builtin_mul_overflow(f.count * (s->column->per_second / TG_MICROSECONDS), f.micros, &ticks))
        return tg_fail("the frequency %s is too long", freq);
    return floored(s, ticks, "value too large");
}

/* ---- date_range ---- */

enum { MOST_TIMES = 100000000, MOST_DAYS = 300000000 }; /* MOST_DAYS: more than int64 microseconds have */

static bool micros_of_days(int64_t days, int64_t of_day, int64_t *micros) {
    return !__builtin_mul_overflow(days, (int64_t)86400000000, micros) &&
           !__builtin_add_overflow(*micros, of_day, micros);
}

/* The day of the n-th month, quarter or year from that of the time on, at its end or its begin. */
static int64_t period_day(const tg_DateTime *t, const Frequency *f, int64_t n) {
    const int months = f->unit == unit_month ? 1 : f->unit == unit_quarter ? 3 : 12;
    const int64_t first = (t->year * 12 + t->month - 1) / months * months + n * months;
    const int64_t month = first + (f->at_end ? months - 1 : 0), year = month / 12;
    const int of_year = (int)(month % 12) + 1;
    return tg_days_of_date(year, of_year, f->at_end ? tg_days_in_month(year, of_year) : 1);
}

/* The i-th time of the frequency at or after `start`; false if it does not fit. i is at most MOST_TIMES. */
static bool range_item(int64_t start, const Frequency *f, int64_t i, int64_t *value) {
    const int64_t n = i * f->count;
    if (f->unit == unit_ticks)
        return !__builtin_mul_overflow(n, f->micros, value) && !__builtin_add_overflow(start, *value, value);
    if (n > MOST_DAYS) return false;
    tg_DateTime t;
    tg_datetime_split(start, TG_MICROSECONDS, &t);
    const int64_t day = tg_days_of_date(t.year, t.month, t.day), of_day = start - day * 86400000000;
    if (f->unit == unit_week) return micros_of_days(day + 6 - tg_weekday(day) + 7 * n, of_day, value);
    if (f->unit == unit_business_day) {
        const int weekday = tg_weekday(day);
        const int64_t monday = weekday < 5 ? day - weekday : day + 7 - weekday, at = (weekday < 5 ? weekday : 0) + n;
        return micros_of_days(monday + at / 5 * 7 + at % 5, of_day, value);
    }
    const int64_t late = period_day(&t, f, 0) < day; /* the first one is before `start` */
    return micros_of_days(period_day(&t, f, late + n), of_day, value);
}

static bool read_time(const char *text, int64_t *value) {
    tg_TimeText time;
    char format[TG_TIME_FORMAT_SIZE];
    bool is_alone;
    if (!tg_time_guess(text, false, format, &is_alone) || tg_time_parse(text, format, &time) != tg_time_matches ||
        time.has_zone || time.fraction > 6 || !tg_datetime_join(&time.time, TG_MICROSECONDS, value))
        return tg_fail("could not convert string to Timestamp: %.200s", text);
    return true;
}

pd_Series *pd_date_range(const char *start, const pd_DateRangeOptions *options) {
    pd_DateRangeOptions o = {PD_DATE_RANGE_DEFAULTS_};
    Frequency f;
    int64_t from = 0, to = 0, count = 0;
    if (!tg_take_options(&o, options, sizeof o) || !tg_check_given(o.freq != NULL, 4, "a frequency")) return NULL;
    const bool has_periods = o.periods != T_NONE;
    if ((start != NULL) + (o.end != NULL) + has_periods != 2)
        return tg_fail("Of the four parameters: start, end, periods, and freq, exactly three must be specified");
    if (has_periods && (o.periods < 0 || o.periods > MOST_TIMES))
        return tg_fail("periods must be between 0 and %d, but is %" PRId64, MOST_TIMES, o.periods);
    if (!read_frequency(o.freq, &f) || (start && !read_time(start, &from)) || (o.end && !read_time(o.end, &to)))
        return NULL;
    if (!start && f.unit != unit_ticks)
        return tg_fail("start must be given with the frequency %s: end and periods are not enough", o.freq);
    if (!start && o.periods && !range_item(to, &f, 1 - o.periods, &from))
        return tg_fail("Cannot generate range with end=%s and periods=%" PRId64, o.end, o.periods);
    int64_t last;
    if (start && has_periods && o.periods && !range_item(from, &f, o.periods - 1, &last))
        return tg_fail("Cannot generate range with start=%s and periods=%" PRId64, start, o.periods);
    if (has_periods)
        count = o.periods;
    else
        while (count < MOST_TIMES && range_item(from, &f, count, &last) && last <= to) count++;
    if (!has_periods && count == MOST_TIMES) return tg_fail("the range has more than %d times", MOST_TIMES);
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&count, 1, t_int64) : NULL;
    for (int64_t i = 0; x && i < count; i++) range_item(from, &f, i, (int64_t *)tg_data(x) + i);
    pd_Series *made = tg_series_new(x ? tg_column_of_datetimes(x, TG_MICROSECONDS) : NULL, tg_index_range(0, 1), NULL);
    return tg_scope_return(depth, made);
}
