/* tests/fuzz/time_parsers.c: pandas' to_datetime of texts and numbers, date_range and dt: times that were written are
 * the same times when they are read. */
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/pandas/dataframe.h"
#include "core/pandas/to_datetime.h"
#include "core/tensor/tensor.h"
#include "tests/fuzz/support.h"
#include "tests/fuzz/table_parsers.h"

/* Lines of text, or numbers of eight bytes each. */
static pd_Series *next_series(Choices *c, int kind) {
    enum { MOST = 20, LONGEST = 80 };
    static char lines[MOST][LONGEST];
    const char *texts[MOST];
    int64_t count = 0;
    if (kind == 3) {
        const int64_t n = (int64_t)c->left / 8;
        Tensor *x = tg_empty(&n, 1, c->left % 2 ? t_int64 : t_float64);
        if (x && n) memcpy(tg_data(x), c->at, (size_t)n * 8);
        return x ? pd_Series_new(x, "t") : NULL;
    }
    for (; c->left && count < MOST; count++) {
        size_t length = 0;
        for (; c->left && *c->at != '\n'; c->at++, c->left--)
            if (length + 1 < LONGEST && *c->at) lines[count][length++] = (char)*c->at;
        if (c->left) c->at++, c->left--;
        lines[count][length] = '\0';
        texts[count] = length ? lines[count] : NULL;
    }
    return pd_Series_of_texts(texts, count, "t");
}

static bool is_same(const pd_Series *x, const pd_Series *y) {
    Tensor *a = x && y ? pd_Series_to_numpy(x, 0) : NULL, *b = a ? pd_Series_to_numpy(y, 0) : NULL;
    return b && t_equal(a, b);
}

/* Of four digits, which are all that a format reads. */
static bool has_short_years(const pd_Series *s) {
    pd_Series *years = pd_Series_dt(s, pd_field_year);
    Tensor *x = years ? pd_Series_to_numpy(years, t_float64) : NULL;
    for (int64_t i = 0; x && i < tg_numel(x); i++) {
        const double year = ((const double *)tg_data(x))[i];
        if (year < 1 || year > 9999) return false;
    }
    return x != NULL;
}

/* All that dt has, of times that were read. */
static t_TensorDict *use_times(const pd_Series *s, int options) {
    static const char *const freqs[] = {"D", "h", "15min", "7s", "ms", "250us", "x", "0D"};
    Tensor *sum = NULL;
    demand(pd_Series_str(s) != NULL, "times that cannot be printed");
    for (int field = pd_field_year; field <= pd_field_is_leap_year && !t_error(); field++) {
        pd_Series *values = pd_Series_dt(s, (pd_DatetimeField)field);
        demand(values != NULL, "a field of dt is missing");
        if (field == pd_field_dayofyear && values) sum = pd_Series_to_numpy(values, t_float64);
    }
    if (t_error()) return NULL;
    demand(pd_dt_day_name(s) && pd_dt_month_name(s), "times without names");
    if (t_error()) return NULL;
    pd_dt_normalize(s);
    clear_refusal();
    pd_dt_floor(s, freqs[options % 8]);
    clear_refusal();
    pd_dt_strftime(s, options & 8 ? "%a %b %d %j %U %y %p %I%%" : options & 4 ? "%F %T %G %u %w %W %V %B%z" : "%q");
    clear_refusal();
    if (t_error() || !has_short_years(s)) return dict_of(sum);
    pd_Series *text = pd_dt_strftime(s, "%Y-%m-%d %H:%M:%S.%f");
    pd_ToDatetimeOptions read = {PD_TO_DATETIME_DEFAULTS_};
    read.format = "%Y-%m-%d %H:%M:%S.%f";
    pd_Series *again = text ? pd_to_datetime(text, &read) : NULL;
    demand(again != NULL, "times that were written cannot be read");
    const char *shown = again ? pd_Series_str(s) : NULL;
    if (shown && strstr(shown, "[us]")) demand(is_same(again, s), "other times were read"); /* all digits are written */
    return again ? dict_of(sum) : NULL;
}

/* Through the dtypes of astype: between units, to int64 and back it is the same time, if it fits. */
static t_TensorDict *use_astype(const pd_Series *s, int options) {
    static const char *const refused[] = {"float32", "bool", "int32", "datetime64[s]"};
    const char *dtype = options & 1 ? "datetime64[ns]" : "datetime64[us]";
    const pd_Series *given = options & 2 ? pd_Series_astype(s, "bool") : s;
    if (given && options & 2) { /* "dtype bool cannot be converted" */
        demand(!pd_to_datetime(given, NULL), "bools are times");
        clear_refusal();
    }
    pd_Series *times = given && !t_error() ? pd_Series_astype(given, dtype) : NULL;
    if (!times) return NULL;
    pd_Series *numbers = pd_Series_astype(times, "int64"), *again = numbers ? pd_Series_astype(numbers, dtype) : NULL;
    demand(again != NULL, "times are no integers");
    if (again) demand(is_same(again, times), "other times of the same integers");
    pd_Series *finer = again ? pd_Series_astype(times, "datetime64[ns]") : NULL;
    if (again && !finer) clear_refusal(); /* beyond the year 2262 */
    pd_Series *coarser = finer ? pd_Series_astype(finer, "datetime64[us]") : NULL;
    demand(!finer || coarser, "nanoseconds are no microseconds");
    if (coarser && !(options & 1)) demand(is_same(coarser, times), "other microseconds");
    if (t_error()) return NULL;
    demand(!pd_Series_astype(times, refused[options / 4 % 4]), "times of a dtype that has none");
    clear_refusal();
    return t_error() ? NULL : use_times(times, options);
}

static t_TensorDict *use_range(Choices *c, int options) {
    static const char *const freqs[] = {"D",  "12h", "min", "B", "W",   "MS", "ME",         "QS",          "QE",
                                        "YS", "YE",  "3us", "",  "-1D", "q",  "999999999D", "300000000YE", "90000000W"};
    char start[40], end[40];
    pd_DateRangeOptions o = {PD_DATE_RANGE_DEFAULTS_};
    next_text(c, start, sizeof start);
    o.freq = freqs[options % 18];
    if (options & 16) o.end = next_text(c, end, sizeof end);
    o.periods = options & 32 ? choose(c, 20) - 1 : options & 16 ? T_NONE : 5;
    if (o.end && o.periods == T_NONE) o.end = start; /* not millions of times */
    pd_Series *s = pd_date_range(start, &o);
    return s ? use_times(s, options) : NULL;
}

t_TensorDict *fuzz_datetime(const uint8_t *data, size_t size) {
    static const char *const units[] = {NULL, "D", "h", "m", "s", "ms", "us", "ns", "x"};
    static const char *const errors[] = {"raise", "coerce", "ignore"};
    Choices c = {data, size};
    pd_ToDatetimeOptions o = {PD_TO_DATETIME_DEFAULTS_};
    char format[60];
    const int kind = choose(&c, 5), options = choose(&c, 64), details = choose(&c, 54);
    if (kind == 4) return use_range(&c, options);
    if (kind == 1) o.format = options & 8 ? "mixed" : "ISO8601";
    if (kind == 2) o.format = next_text(&c, format, sizeof format);
    o.dayfirst = options & 1;
    o.utc = options & 2;
    o.errors = errors[details % 3];
    o.unit = units[details / 3 % 9];
    if (kind == 3 && options & 32) o.format = "%Y"; /* of 2024.0 */
    if (details >= 27) {
        const pd_Series *given = next_series(&c, kind);
        return given ? use_astype(given, options) : NULL;
    }
    pd_Series *s = next_series(&c, kind), *times = s ? pd_to_datetime(s, &o) : NULL;
    return times ? use_times(times, options) : NULL;
}
