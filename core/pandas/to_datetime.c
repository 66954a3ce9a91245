/* core/pandas/to_datetime.c: pandas.to_datetime: texts and numbers as points in time. */
#include "core/pandas/to_datetime.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/pandas/column.h"
#include "core/pandas/datetime/datetime.h"

#define HINT                                                                                                      \
    ". You might want to try:\n    - passing `format` if your strings have a consistent format;\n    - passing "  \
    "`format='ISO8601'` if your strings are all ISO8601 but not necessarily in exactly the same format;\n    - "  \
    "passing `format='mixed'`, and the format will be inferred for each element individually. You might want to " \
    "use `dayfirst` alongside this."

typedef struct Conversion {
    const tg_Column *column;
    const pd_ToDatetimeOptions *o;
    const char *format; /* NULL: a format for each text */
    bool coerces, iso_only;
    bool *is_other;     /* see tg_column_to_datetime */
    int64_t per_second; /* of the result */
} Conversion;

/* ---- one text ---- */

/* Of a text whose format cannot be guessed: the first number that is out of its range, as dateutil says it. */
static bool fail_unknown(const char *text) {
    int n[6] = {0, 1, 1, 0, 0, 0};
    const int count = sscanf(text, "%4d%*[-/.]%2d%*[-/.]%2d%*[T ]%2d:%2d:%2d", n, n + 1, n + 2, n + 3, n + 4, n + 5);
    const char *reason = "Unknown datetime string format, unable to parse";
    if (count >= 3 && n[0] > 31) {
        if (n[1] < 1 || n[1] > 12)
            reason = "month must be in 1..12";
        else if (n[2] < 1 || n[2] > tg_days_in_month(n[0], n[1]))
            reason = "day is out of range for month";
        else if (n[3] > 23)
            reason = "hour must be in 0..23";
        else if (n[4] > 59)
            reason = "minute must be in 0..59";
        else if (n[5] > 59)
            reason = "second must be in 0..59";
    }
    return tg_fail("%s: %.200s", reason, text);
}

static bool fail_format(const Conversion *c, const char *text, const char *format, tg_TimeMatch how,
                        const tg_TimeText *time) {
    if (c->is_other) return *c->is_other = true, false;
    switch (how) {
    case tg_time_differs: return tg_fail("time data \"%.200s\" doesn't match format \"%s\"" HINT, text, format);
    case tg_time_has_more:
        return tg_fail("unconverted data remains when parsing with format \"%s\": \"%.200s\"" HINT, format, time->rest);
    case tg_time_out_of_range: return tg_fail("day is out of range for month" HINT);
    default: return false;
    }
}

static bool is_nat(const char *text) {
    static const char *const words[] = {"", "NaT", "nat", "NAT", "nan", "NaN", "NAN"};
    for (int i = 0; i < 7; i++)
        if (strcmp(text, words[i]) == 0) return true;
    return false;
}

/* The time of a text: false with an error, or, of `coerces`, without one. */
static bool read_text(const Conversion *c, const char *text, tg_TimeText *time) {
    char guessed[TG_TIME_FORMAT_SIZE];
    const char *format = c->format;
    bool is_alone;
    if (!format) {
        const bool knows = tg_time_guess(text, c->o->dayfirst, guessed, &is_alone);
        if (!knows || (c->iso_only && strncmp(guessed, "%Y", 2) != 0)) {
            if (c->coerces) return false;
            if (c->is_other) return *c->is_other = true, false;
            if (!c->iso_only) return fail_unknown(text);
            return tg_fail("Time data %.200s is not ISO8601 format" HINT, text);
        }
        format = guessed;
    }
    const tg_TimeMatch how = tg_time_parse(text, format, time);
    return how == tg_time_matches || (!c->coerces && fail_format(c, text, format, how, time));
}

static const char *unit_name(int64_t per_second) {
    return per_second == TG_NANOSECONDS ? "nanosecond" : "microsecond";
}

static bool fail_bounds(const tg_DateTime *t, int64_t per_second) {
    return tg_fail("Out of bounds %s timestamp: %04" PRId64 "-%02d-%02d %02d:%02d:%02d", unit_name(per_second), t->year,
                   t->month, t->day, t->hour, t->minute, t->second);
}

/* *value of a text; *needs_ns where microseconds do not tell it. */
static bool convert_text(const Conversion *c, const char *text, int64_t *value, bool *needs_ns) {
    tg_TimeText time;
    *value = TG_NAT;
    if (!text || is_nat(text)) return true;
    if (!read_text(c, text, &time)) return c->coerces;
    *needs_ns = *needs_ns || time.fraction > 6;
    if (time.has_zone && !c->o->utc) {
        if (c->is_other) return *c->is_other = true, false;
        return tg_fail(
            "\"%.200s\" has a time zone, and datetime64[us, UTC] is not here: .utc = true gives the times of UTC",
            text);
    }
    if (tg_datetime_join(&time.time, c->per_second, value) &&
        !__builtin_sub_overflow(*value, time.zone * c->per_second, value))
        return true;
    *value = TG_NAT;
    if (c->coerces) return true;
    if (c->is_other) return *c->is_other = true, false;
    return fail_bounds(&time.time, c->per_second);
}

/* ---- columns of texts ---- */

/* format=None: that of the first text. */
static bool choose_format(Conversion *c, char *guessed) {
    bool is_alone = false;
    int64_t first = 0;
    char buffer[400];
    c->format = c->o->format;
    c->iso_only = c->format && strcmp(c->format, "ISO8601") == 0;
    if (c->iso_only || (c->format && strcmp(c->format, "mixed") == 0)) c->format = NULL;
    tg_TimeText time;
    if (c->format && tg_time_parse("", c->format, &time) == tg_time_bad_directive)
        return tg_fail("'%.1s' is a bad directive in format '%s'", time.rest, c->format);
    if (c->o->format) return true;
    const char *text = NULL;
    for (; first < c->column->len && !text; first++) {
        text = tg_column_item(c->column, first, buffer);
        if (text && is_nat(text)) text = NULL;
    }
    if (text && tg_time_guess(text, c->o->dayfirst, guessed, &is_alone) && !is_alone) c->format = guessed;
    return true;
}

/* An element as a text: integers that became floats because of missing values without their ".0". */
static const char *text_of(const tg_Column *column, int64_t i, char *buffer) {
    if (column->kind == tg_column_values && tg_is_floating(column->values->dtype) && !tg_column_is_missing(column, i)) {
        const double x = tg_column_double(column, i);
        if (x == floor(x) && fabs(x) < 1e15) return sprintf(buffer, "%.0f", x), buffer;
    }
    return tg_column_item(column, i, buffer);
}

static tg_Column *convert_texts(Conversion *c) {
    char guessed[TG_TIME_FORMAT_SIZE], buffer[400];
    if (!choose_format(c, guessed)) return NULL;
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&c->column->len, 1, t_int64) : NULL;
    bool ok = x != NULL, needs_ns = false;
    for (int pass = 0; ok && pass < 1 + needs_ns; pass++) {
        c->per_second = pass ? TG_NANOSECONDS : TG_MICROSECONDS;
        for (int64_t i = 0; ok && i < c->column->len; i++)
            ok = convert_text(c, text_of(c->column, i, buffer), (int64_t *)tg_data(x) + i, &needs_ns);
    }
    tg_Column *made = ok ? tg_column_of_datetimes(x, c->per_second) : NULL;
    t_scope_close(depth);
    return made;
}

/* ---- numbers ---- */

/* Seconds that a unit has, as a fraction. */
static bool choose_unit(const char *name, int64_t *seconds, int64_t *per_second) {
    static const struct {
        const char *name;
        int64_t seconds, per_second;
    } units[] = {{"D", 86400, 1}, {"h", 3600, 1},     {"m", 60, 1},         {"s", 1, 1},
                 {"ms", 1, 1000}, {"us", 1, 1000000}, {"ns", 1, 1000000000}};
    for (int i = 0; i < 7; i++)
        if (strcmp(units[i].name, name) == 0) {
            *seconds = units[i].seconds;
            *per_second = units[i].per_second;
            return true;
        }
    return tg_fail("Invalid datetime unit in metadata string \"[%s]\"", name);
}

static bool has_fractions(const tg_Column *column) {
    for (int64_t i = 0; i < column->len && tg_is_floating(column->values->dtype); i++) {
        const double x = tg_column_double(column, i);
        if (x != floor(x) && x == x) return true;
    }
    return false;
}

static bool convert_number(const tg_Column *column, int64_t i, int64_t seconds, int64_t per_second, int64_t wanted,
                           int64_t *value) {
    if (tg_column_is_missing(column, i)) return *value = TG_NAT, true;
    const int64_t factor = seconds * (wanted / per_second);
    if (!tg_is_floating(column->values->dtype)) {
        const int64_t integer = tg_column_int64(column, i);
        return !__builtin_mul_overflow(integer, factor, value) && *value != TG_NAT;
    }
    const double x = tg_column_double(column, i), whole = floor(x), part = nearbyint((x - whole) * (double)factor);
    if (!(fabs(whole * (double)factor) < 9.2e18)) return false;
    *value = (int64_t)whole * factor + (int64_t)part;
    return true;
}

static tg_Column *convert_numbers(const Conversion *c) {
    const tg_Column *column = c->column;
    int64_t seconds, per_second;
    const char *unit = c->o->unit ? c->o->unit : "ns";
    if (!choose_unit(unit, &seconds, &per_second)) return NULL;
    const int64_t wanted = strcmp(unit, "ns") == 0 || has_fractions(column) ? TG_NANOSECONDS : TG_MICROSECONDS;
    const int depth = t_scope_open();
    Tensor *x = depth ? tg_empty(&column->len, 1, t_int64) : NULL;
    bool ok = x != NULL;
    for (int64_t i = 0; ok && i < column->len; i++) {
        int64_t *value = (int64_t *)tg_data(x) + i;
        if (convert_number(column, i, seconds, per_second, wanted, value)) continue;
        *value = TG_NAT;
        if (!c->coerces) ok = tg_fail("cannot convert input with unit '%s'", unit);
    }
    tg_Column *made = ok ? tg_column_of_datetimes(x, wanted) : NULL;
    t_scope_close(depth);
    return made;
}

/* ---- columns ---- */

tg_Column *tg_column_to_datetime(const tg_Column *column, const pd_ToDatetimeOptions *options, bool *is_other) {
    Conversion c = {.column = column, .o = options, .is_other = is_other};
    const char *errors = options->errors ? options->errors : "None";
    c.coerces = strcmp(errors, "coerce") == 0;
    if (!c.coerces && strcmp(errors, "raise") != 0) return tg_fail("errors must be one of 'raise', or 'coerce'.");
    if (column->kind == tg_column_datetime) return tg_column_keep((tg_Column *)column);
    if (column->kind == tg_column_object || (column->kind == tg_column_values && column->values->dtype == t_bool))
        return tg_fail("dtype bool cannot be converted to datetime64[ns]");
    return column->kind == tg_column_text || options->format ? convert_texts(&c) : convert_numbers(&c);
}

/* ---- astype ---- */

/* A number of 1 / from seconds as one of 1 / to seconds, rounded down; false if it does not fit. */
static bool convert_unit(int64_t value, int64_t from, int64_t to, int64_t *converted) {
    *converted = value;
    if (value == TG_NAT || from == to) return true;
    if (from < to) return !__builtin_mul_overflow(value, to / from, converted);
    *converted = value / (from / to) - (value % (from / to) < 0);
    return true;
}

tg_Column *tg_column_as_datetime(const tg_Column *column, const char *dtype) {
    const int64_t per_second = strcmp(dtype, "datetime64[ns]") == 0 ? TG_NANOSECONDS : TG_MICROSECONDS;
    if (per_second == TG_MICROSECONDS && strcmp(dtype, "datetime64[us]") != 0)
        return tg_fail("the dtype %s is not here: datetime64[us] or datetime64[ns]", dtype);
    if (column->kind == tg_column_object) return tg_fail("dtype bool cannot be converted to %s", dtype);
    const pd_ToDatetimeOptions mixed = {PD_TO_DATETIME_DEFAULTS_, .format = "mixed"};
    const int depth = t_scope_open();
    tg_Column *from = !depth                             ? NULL
                      : column->kind == tg_column_text   ? tg_column_to_datetime(column, &mixed, NULL)
                      : column->kind == tg_column_values ? tg_column_astype(column, "int64")
                                                         : tg_column_keep((tg_Column *)column);
    Tensor *x = from ? tg_empty(&from->len, 1, t_int64) : NULL;
    const int64_t given = from && from->kind == tg_column_datetime ? from->per_second : per_second;
    bool ok = x != NULL;
    for (int64_t i = 0; ok && i < from->len; i++) {
        const int64_t value = tg_column_int64(from, i);
        ok = convert_unit(value, given, per_second, (int64_t *)tg_data(x) + i);
        char text[64];
        if (!ok) tg_datetime_text(value, given, 0, text);
        if (!ok) tg_fail("Cannot convert %s to unit='ns' without overflow", text);
    }
    tg_Column *made = ok ? tg_column_of_datetimes(x, per_second) : NULL;
    tg_column_drop(from);
    t_scope_close(depth);
    return made;
}

tg_Column *tg_column_from_datetime(const tg_Column *column, const char *name, t_DType dtype) {
    if (dtype == t_int64) return tg_column_of_tensor(column->values, tg_column_values);
    if (tg_is_floating(dtype) || dtype == t_bool) return tg_fail("Cannot cast DatetimeArray to dtype %s", name);
    return tg_fail("Converting from %s to %s is not supported. Do obj.astype('int64').astype(dtype) instead",
                   tg_column_dtype(column), name);
}

/* ---- to_datetime ---- */

pd_Series *pd_to_datetime(const pd_Series *s, const pd_ToDatetimeOptions *options) {
    pd_ToDatetimeOptions o = {PD_TO_DATETIME_DEFAULTS_};
    if (!tg_check_series(s, 1) || !tg_take_options(&o, options, sizeof o)) return NULL;
    return tg_series_new(tg_column_to_datetime(s->column, &o, NULL), tg_index_keep(s->index), s->name);
}
