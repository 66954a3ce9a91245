/* tests/pandas/test_datetime.c: to_datetime, dt, parse_dates and date_range against pandas
 * (tests/golden/record_pandas.py, times), and failing allocations. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/pandas/pandas.h"
#include "core/tensor/tensor.h"
#include "tests/pandas/recorded_tables.h"
#include "tests/support/files/file_support.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

static pd_Series *texts(const char *const *items) {
    int64_t count = 0;
    while (items[count]) count++;
    return pd_Series_of_texts(items, count, NULL);
}
#define AT(...) texts((const char *const[]){__VA_ARGS__, NULL})

static pd_Series *numbers(const char *values) {
    return pd_Series(t_tensor(values), NULL);
}

static pd_Series *integers(int64_t a, int64_t b) {
    return pd_Series(t_stack((t_integer(a), t_integer(b))), NULL);
}

/* ---- the recorded calls, in the order of record_pandas.py ---- */

static const char *const guessed[] = {"2020-01-02",
                                      "2020/1/2",
                                      "2020.01.02",
                                      "2020 01 02",
                                      "1/2/2020",
                                      "13/2/2020",
                                      "1-2-2020",
                                      "13.2.2020",
                                      "1/2/20",
                                      "20200102",
                                      "20200102101112",
                                      "20200102T101112",
                                      "2020-01",
                                      "2020",
                                      "01/2020",
                                      "Jan 2020",
                                      "January 2020",
                                      "Jan 5, 2020",
                                      "January 5, 2020",
                                      "5 January 2020",
                                      "5 Jan 2020",
                                      "05-Jan-2020",
                                      "5-Jan-20",
                                      "2020-01-02T10:11",
                                      "2020-01-02 10:11:12",
                                      "2020-01-02 10:11:12.5",
                                      "2020-01-02 10:11:12.123456789",
                                      "2020-01-02 3:04 PM",
                                      "2020-01-02 03:04:05 AM",
                                      "1/2/2020 3:04",
                                      "1/2/2020 03:04:05 PM",
                                      "2020-01-02 10",
                                      "Jan 5 2020 10:11",
                                      "2020-Jan-05",
                                      "Sun Jan 5 10:11:12 2020",
                                      "2020-1-2 1:2:3",
                                      "2020-01-02  10:11",
                                      "2020-01-02 10:11:12PM",
                                      "12/31/1999 23:59",
                                      "x",
                                      "2020-02-30",
                                      "2020-13-01",
                                      "2020-01-01 25:00",
                                      "2020-01-01 10:70",
                                      "2020-01-01 10:10:70",
                                      "0001-01-01",
                                      "9999-12-31",
                                      "1969-12-31 23:59:59.999999",
                                      "2020-02-29",
                                      "2019-02-29"},
                         *const dayfirst[] = {"2020-01-02", "1/2/2020", "1/13/2020", "2020-01-13", "1.2.2020 10:11"};
enum { GUESSED = sizeof guessed / sizeof *guessed, DAYFIRST = 5, UNITS = 7, FIELDS = 20 };

static pd_Series *parsed_case(int i) {
    switch (i) {
    case 0: return pd_to_datetime(pd_Series_of_texts((const char *const[]){"2020-01-02", "2021-03-04", NULL}, 3, NULL));
    case 1: return pd_to_datetime(AT("2020-01-02 00:00", "2021-03-04 05:06"));
    case 2: return pd_to_datetime(AT("2020-01-02T00:00:01.5", "2021-03-04T05:06:00.123456"));
    case 3: return pd_to_datetime(AT("2020-01-02", "2021-03-04 05:06:07"));
    case 4: return pd_to_datetime(AT("2020-01-02", "x", "2020-02-30"), .errors = "coerce");
    case 5: return pd_to_datetime(AT("2020-01-02", "2020-02-30"));
    case 6: return pd_to_datetime(AT("2020-01-02", "2020-13-01"));
    case 7: return pd_to_datetime(AT("1/2/2020", "13/2/2020"));
    case 8: return pd_to_datetime(AT("2020-01-02", "2021-03-04 05:06", "Jan 5, 2020"), .format = "mixed");
    case 9: return pd_to_datetime(AT("2020-01-02", "2021-03-04 05:06", "20200102"), .format = "ISO8601");
    case 10: return pd_to_datetime(AT("2020-01-02", "1/2/2020"), .format = "ISO8601");
    case 11: return pd_to_datetime(AT("01.02.2020", "31.12.1999"), .format = "%d.%m.%Y");
    case 12: return pd_to_datetime(AT("01.02.2020x"), .format = "%d.%m.%Y");
    case 13: return pd_to_datetime(AT("30.02.2020"), .format = "%d.%m.%Y");
    case 14: return pd_to_datetime(AT("1.2.20 3PM", "1.2.70 12am"), .format = "%d.%m.%y %I%p");
    case 15: return pd_to_datetime(AT("112020"), .format = "%d%m%Y");
    case 16: return pd_to_datetime(AT("366 2020", "1 1999"), .format = "%j %Y");
    case 17: return pd_to_datetime(AT("Monday 5 january 2020"), .format = "%A %d %B %Y");
    case 18: return pd_to_datetime(AT("2020-01-02T00:00:00Z", "2020-01-02T00:00:00+02:00"), .utc = true);
    case 19: return pd_to_datetime(AT("2300-01-01 00:00:00.123456789"));
    case 20: return pd_to_datetime(AT("x"), .format = "%q");
    case 21: return pd_to_datetime(AT("x"), .errors = "ignore");
    default:
        return pd_to_datetime(pd_Series_of_texts((const char *const[]){"", "NaT", "nan", NULL, "2020-01-01"}, 5, NULL));
    }
}
enum { PARSED = 23 };

static pd_Series *number_case(int i) {
    switch (i) {
    case 0: return pd_to_datetime(numbers("[1.5, nan]"), .unit = "D");
    case 1: return pd_to_datetime(numbers("[1.0, nan]"), .unit = "s");
    case 2: return pd_to_datetime(numbers("[1]"), .unit = "q");
    case 3: return pd_to_datetime(pd_Series_head(integers(1000000000000000, 0), 1));
    case 4: return pd_to_datetime(pd_Series(t_ones(1, .dtype = t_bool), NULL));
    default: return pd_to_datetime(integers(20200101, 20201231), .format = "%Y%m%d");
    }
}
enum { NUMBERS = 6 };

static pd_Series *some(void) {
    return pd_to_datetime(
        AT("2020-01-02 10:11:12.5", "2021-12-31 23:59:59", "2020-02-29", "2019-01-01", "1969-07-20 20:17:40"),
        .format = "mixed");
}

static pd_Series *gaps(void) {
    return pd_to_datetime(pd_Series_of_texts((const char *const[]){"2020-01-02", NULL, "2021-03-04"}, 3, NULL));
}

static pd_Series *field_case(int i) {
    const pd_Series *s = some();
    switch (i) {
    case 0: return pd_dt_year(s);
    case 1: return pd_dt_month(s);
    case 2: return pd_dt_day(s);
    case 3: return pd_dt_hour(s);
    case 4: return pd_dt_minute(s);
    case 5: return pd_dt_second(s);
    case 6: return pd_dt_microsecond(s);
    case 7: return pd_dt_nanosecond(s);
    case 8: return pd_dt_dayofweek(s);
    case 9: return pd_dt_dayofyear(s);
    case 10: return pd_dt_quarter(s);
    case 11: return pd_dt_days_in_month(s);
    case 12: return pd_dt_is_month_start(s);
    case 13: return pd_dt_is_month_end(s);
    case 14: return pd_dt_is_quarter_start(s);
    case 15: return pd_dt_is_quarter_end(s);
    case 16: return pd_dt_is_year_start(s);
    case 17: return pd_dt_is_year_end(s);
    case 18: return pd_dt_is_leap_year(s);
    default: return pd_dt_week(s);
    }
}

static pd_Series *joined(pd_Series *a, pd_Series *b) {
    pd_DataFrame *frames[] = {pd_DataFrame(t_dict()), pd_DataFrame(t_dict())};
    pd_setitem(frames[0], "d", a);
    pd_setitem(frames[1], "d", b);
    for (int i = 0; i < 2; i++) frames[i] = pd_reset_index(frames[i], .drop = true);
    return pd_getitem(pd_concat((frames[0], frames[1])), "d");
}

static pd_Series *series_case(int i) {
    switch (i) {
    case 0: return pd_dt_year(gaps());
    case 1: return pd_dt_is_month_start(gaps());
    case 2: return pd_dt_day_name(some());
    case 3: return pd_dt_month_name(gaps());
    case 4: return pd_dt_normalize(some());
    case 5: return pd_dt_floor(some(), "15min");
    case 6: return pd_dt_floor(some(), "3h");
    case 7: return pd_dt_strftime(some(), "%d.%m.%Y %H:%M:%S");
    case 8: return pd_dt_strftime(some(), "%f %j %a %b %p %I %y %%");
    case 9: return pd_dt_strftime(some(), "%A %B %G %V %U");
    case 10: return pd_dt_strftime(some(), "%W %u %w");
    case 11: return pd_dt_year(numbers("[1]"));
    case 12: return pd_Series_sort_values(some(), true);
    case 13: return pd_astype(gaps(), "str");
    case 14: return pd_astype(pd_head(gaps(), 1), "int64");
    case 15: return pd_astype(gaps(), "datetime64[ns]");
    case 16: return pd_astype(gaps(), "float64");
    case 17: return pd_astype(gaps(), "int32");
    case 18: return pd_astype(AT("2020-01-01", "5 Jan 2020"), "datetime64[us]");
    case 19: return pd_fillna(gaps(), "2020-05-05");
    case 20: return pd_value_counts(gaps());
    case 21: return joined(gaps(), some());
    case 22: return joined(gaps(), pd_to_datetime(AT("2020-01-01 00:00:00.000000001")));
    case 23: return pd_date_range("2020-01-30", .periods = 4);
    case 24: return pd_date_range("2020-01-31", .periods = 3, .freq = "ME");
    case 25: return pd_date_range("2020-01-02 03:00", .periods = 3, .freq = "MS");
    case 26: return pd_date_range("2020-01-30", .periods = 3, .freq = "W");
    case 27: return pd_date_range("2020-02-01", .periods = 7, .freq = "2B");
    case 28: return pd_date_range("2020-01-30", "2020-02-04", .freq = "B");
    case 29: return pd_date_range("2020-01-30", .end = "2020-02-01", .freq = "36h");
    case 30: return pd_date_range(NULL, .end = "2020-01-30", .periods = 2, .freq = "2D");
    case 31: return pd_date_range("2020-02-10", .periods = 3, .freq = "QE");
    case 32: return pd_date_range("2020-02-10", .periods = 3, .freq = "YS");
    default: return pd_date_range("2020-02-10");
    }
}
enum { SERIES = 34 };

#define READ(text, ...) pd_read_csv_bytes(text, sizeof(text) - 1, __VA_ARGS__)
#define TEXT                                                                                                        \
    "day,when,x,t\n2020-01-02,2020-01-02 10:00:00,1,a\n2020-01-01,,2,b\n,2020-01-05 11:30:15,3,a\n2020-01-02,2020-" \
    "01-02 10:00:00,4,\n"

static pd_DataFrame *hundred(void) {
    pd_DataFrame *df = pd_DataFrame(t_dict());
    pd_setitem(df, "d", pd_date_range("2020-01-01", .periods = 100, .freq = "6h"));
    return pd_reset_index(df, .drop = true);
}

static const char *table_case(int i) {
    static const char other[] = "day,y\n2020-01-01,5\n2020-01-02,6\n", third[] = "day,y\n2020-01-01,5\n2020-01-03,6\n";
    pd_DataFrame *df = READ(TEXT, .parse_dates = {"day", "when"});
    switch (i) {
    case 0: return frame_text(df);
    case 1: return frame_text(pd_sort_values(df, "day"));
    case 2: return series_text(pd_groupby(df, "day", "x", mean));
    case 3: return frame_text(pd_merge(df, READ(other, .parse_dates = {"day"}), .on = {"day"}));
    case 4: return frame_text(pd_merge(df, READ(third, .parse_dates = {"day"}), .on = {"day"}, .how = "outer"));
    case 5: return frame_text(pd_merge(df, pd_read_csv_bytes("day,y\n2020-01-01,5\n", 19), .on = {"day"}));
    case 6: return frame_text(pd_get_dummies(df));
    case 7: return frame_text(pd_get_dummies(pd_getitem(df, "day")));
    case 8: return frame_text(pd_describe(pd_select_dtypes(df, "number")));
    case 9: return frame_text(pd_isna(df));
    case 10: return frame_text(pd_dropna(df));
    case 11: return series_text(pd_nunique(df));
    case 12: return series_text(pd_dtypes(df));
    case 13: return frame_text(pd_getitem(pd_fillna(df, 0), ("x", )));
    case 14: return frame_text(READ(TEXT, .parse_dates = {"day"}, .index_col = "day"));
    case 15: return frame_text(READ(TEXT, .parse_dates = {"when"}, .index_col = "when"));
    case 16: return frame_text(READ(TEXT, .parse_dates = {"z"}));
    case 17: return frame_text(READ("a,b\n2020-01-01,1\nx,2\n", .parse_dates = {"a"}));
    case 18:
        return frame_text(READ("a,b\n1/2/2020,20200101\n,\n", .parse_dates = {"a", "b"}, .date_format = "%d/%m/%Y"));
    case 19: return frame_text(READ("a,b\n1/2/2020,20200101\n,\n", .parse_dates = {"a"}, .dayfirst = true));
    case 20: return frame_text(pd_concat((pd_head(df, 2), pd_getitem(pd_head(df, 1), ("x", )))));
    case 21: return frame_text(pd_getitem(df, pd_eq(pd_getitem(df, "day"), "2020-01-02")));
    case 22: return frame_text(pd_getitem(df, pd_eq(pd_getitem(df, "day"), "x")));
    case 23: return frame_text(hundred());
    default: return series_text(pd_getitem(hundred(), "d"));
    }
}
enum { TABLES = 25 };

static const char *time_case(int i) {
    static const char *const units[] = {"D", "h", "m", "s", "ms", "us", "ns"};
    if (i < GUESSED) return series_text(pd_to_datetime(AT(guessed[i])));
    if ((i -= GUESSED) < DAYFIRST) return series_text(pd_to_datetime(AT(dayfirst[i]), .dayfirst = true));
    if ((i -= DAYFIRST) < PARSED) return series_text(parsed_case(i));
    if ((i -= PARSED) < UNITS) return series_text(pd_to_datetime(numbers("[1, 20000, -1]"), .unit = units[i]));
    if ((i -= UNITS) < NUMBERS) return series_text(number_case(i));
    if ((i -= NUMBERS) < FIELDS) return series_text(field_case(i));
    if ((i -= FIELDS) < SERIES) return series_text(series_case(i));
    return table_case(i - SERIES);
}

START_TEST(times_are_read_and_printed_as_by_pandas) {
    setenv("COLUMNS", "80", 1);
    for (int i = 0; i < GUESSED + DAYFIRST + PARSED + UNITS + NUMBERS + FIELDS + SERIES + TABLES; i++)
        with_scope () expect_recorded("time", i, time_case(i));
    report_notes();
}
END_TEST

/* ---- values ---- */

START_TEST(times_are_integers) {
    pd_Series *s = gaps();
    const Tensor *numbers_of_s = pd_to_numpy(s);
    const int64_t *values = tg_data(numbers_of_s);
    ck_assert(numbers_of_s->dtype == t_int64 && values[0] == 1577923200000000 && values[1] == INT64_MIN);
    ck_assert_str_eq(pd_iat_text(s, 0), "2020-01-02 00:00:00");
    ck_assert(!pd_iat_text(s, 1) && !t_error());
    ck_assert_str_eq(pd_iat_text(some(), 0), "2020-01-02 10:11:12.500000");
    const Tensor *mask = pd_eq(s, "2021-03-04"), *other = pd_eq(s, 1);
    const bool *is_equal = tg_data(mask);
    ck_assert(!is_equal[0] && !is_equal[1] && is_equal[2] && !((const bool *)tg_data(other))[0]);
    expect_refusal(isnan(pd_iat(s, 0)), "the series is of times: pd_iat_text reads them");
    expect_refusal(!pd_to_numpy(s, t_float32),
                   "could not convert column '' of times to float32: drop it, or take numbers of it (pd_dt_year, ...)");
    expect_refusal(!pd_fillna(s, 1), "Invalid value '1' for dtype 'datetime64[us]'. Value should be a 'Timestamp' or "
                                     "'NaT', got 'float' instead.");
    expect_refusal(isnan(pd_sum(s)), "'DatetimeArray' with dtype datetime64[us] has no number for 'sum': "
                                     "pd_groupby_agg gives times");
    expect_refusal(!pd_to_datetime(AT("2020-01-01 00:00:00Z")),
                   "\"2020-01-01 00:00:00Z\" has a time zone, and datetime64[us, UTC] is not here: .utc = true gives "
                   "the times of UTC");
    expect_refusal(!pd_astype(s, "datetime64[s]"),
                   "the dtype datetime64[s] is not here: datetime64[us] or datetime64[ns]");
    expect_refusal(!pd_date_range("2020-01-01", .periods = -1), "periods must be between 0 and 100000000, but is -1");
    expect_refusal(!pd_date_range("2020-01-01", .periods = 1, .freq = "x"), "Invalid frequency: x");
    expect_refusal(!pd_dt_floor(s, "ME"), "ME is a non-fixed frequency");
    expect_refusal(!pd_date_range("x", .periods = 1), "could not convert string to Timestamp: x");
    expect_refusal(!pd_date_range(NULL, .end = "2020-01-01", .periods = 2, .freq = "ME"),
                   "start must be given with the frequency ME: end and periods are not enough");
    expect_refusal(!pd_date_range("2020-01-01", .periods = 100000000, .freq = "90000000D"),
                   "Cannot generate range with start=2020-01-01 and periods=100000000");
    expect_refusal(!pd_date_range("2020-01-01", .periods = 2, .freq = "999999999D"),
                   "Cannot generate range with start=2020-01-01 and periods=2");
    expect_refusal(!pd_date_range(NULL, .end = "2020-01-01", .periods = 3, .freq = "999999999D"),
                   "Cannot generate range with end=2020-01-01 and periods=3");
    static const char *const units[] = {"W", "B", "ME", "QS", "YE"};
    for (int i = 0; i < 5; i++)
        expect_refusal(!pd_date_range("2020-01-01", .periods = 100000,
                                      .freq = t_format("%s%s", i == 1 ? "999999999" : "300000000", units[i])),
                       "Cannot generate range with start=2020-01-01 and periods=100000");
    ck_assert_int_eq(pd_date_range("2020-01-01", .periods = 1, .freq = "999999999D")->len, 1);
    ck_assert_int_eq(pd_date_range("2020-01-01", "2020-02-01", .freq = "999999999D")->len, 1);
    ck_assert_int_eq(pd_date_range("2020-01-01", "2022-01-01", .freq = "300000000YE")->len, 1);
    ck_assert_int_eq(pd_date_range("2020-01-01", .periods = 0, .freq = "999999999YE")->len, 0);
    ck_assert_int_eq(pd_date_range(NULL, .end = "2020-01-01", .periods = 0)->len, 0);
    expect_refusal(!pd_dt_strftime(s, "%Q"), "'Q' is a bad directive in format '%Q'");
}
END_TEST

START_TEST(times_are_described) {
    const pd_Series *s = pd_to_datetime(AT("2020-01-01 00:00:00", "2020-01-02 10:00:00", "x"), .errors = "coerce");
    ck_assert_str_eq(pd_str(pd_describe(s)), "count                      2\n"
                                             "mean     2020-01-01 17:00:00\n"
                                             "min      2020-01-01 00:00:00\n"
                                             "25%      2020-01-01 08:30:00\n"
                                             "50%      2020-01-01 17:00:00\n"
                                             "75%      2020-01-02 01:30:00\n"
                                             "max      2020-01-02 10:00:00\n"
                                             "dtype: object");
    ck_assert_str_eq(
        pd_str(pd_describe(pd_head(s, 0))),
        "count      0\nmean     NaT\nmin      NaT\n25%      NaT\n50%      NaT\n75%      NaT\nmax      NaT\n"
        "dtype: object");
    pd_DataFrame *df = pd_DataFrame(t_tensor("[[1], [2], [3.5]]"), .columns = {"x"});
    ck_assert(pd_setitem(df, "w", s));
    ck_assert_str_eq(pd_str(pd_describe(df)), "              x                    w\n"
                                              "count  3.000000                    2\n"
                                              "mean   2.166667  2020-01-01 17:00:00\n"
                                              "min    1.000000  2020-01-01 00:00:00\n"
                                              "25%    1.500000  2020-01-01 08:30:00\n"
                                              "50%    2.000000  2020-01-01 17:00:00\n"
                                              "75%    2.750000  2020-01-02 01:30:00\n"
                                              "max    3.500000  2020-01-02 10:00:00\n"
                                              "std    1.258306                  NaN");
}
END_TEST

/* The first times there are: their parts, and no earlier midnight. */
START_TEST(the_first_times) {
    Tensor *x = t_tensor("[-9223372036854775807]", .dtype = t_int64);
    pd_Series *s = pd_to_datetime(pd_Series(x, NULL), .unit = "us");
    HOLDS(strstr(pd_str(s), "-290308-12-21 19:59:05.224193"));
    expect_refusal(!pd_dt_normalize(s), "Cannot normalize Timestamp without integer overflow");
    expect_refusal(!pd_dt_floor(s, "h"), "value too large");
    HOLDS(pd_dt_floor(s, "us"));
}
END_TEST

/* %Y has four digits, as pandas' has, so that it reads what it wrote. */
START_TEST(early_years_are_written_with_four_digits) {
    pd_Series *s = pd_to_datetime(AT("0987-05-06")), *text = pd_dt_strftime(s, "%Y-%m-%d");
    HOLDS(strstr(pd_str(text), "0987-05-06"));
    HOLDS(strcmp(pd_str(pd_to_datetime(text, .format = "%Y-%m-%d")), pd_str(s)) == 0);
}
END_TEST

/* Each day of four centuries has the fields of the day before, plus one. */
START_TEST(the_calendar_has_no_gaps) {
    pd_Series *s = pd_date_range("1699-12-31", "2101-01-02");
    Tensor *day = pd_to_numpy(pd_dt_day(s)), *month = pd_to_numpy(pd_dt_month(s)), *year = pd_to_numpy(pd_dt_year(s));
    Tensor *of_year = pd_to_numpy(pd_dt_dayofyear(s)), *week = pd_to_numpy(pd_dt_dayofweek(s));
    Tensor *length = pd_to_numpy(pd_dt_days_in_month(s));
    const int32_t *d = tg_data(day), *m = tg_data(month), *y = tg_data(year), *n = tg_data(of_year), *w = tg_data(week),
                  *l = tg_data(length);
    ck_assert(s->len == 146465 && y[s->len - 1] == 2101 && d[s->len - 1] == 2 && w[0] == 3);
    for (int64_t i = 1; i < s->len; i++) {
        const bool new_month = d[i - 1] == l[i - 1], new_year = new_month && m[i - 1] == 12;
        ck_assert(d[i] == (new_month ? 1 : d[i - 1] + 1) && m[i] == (new_year ? 1 : m[i - 1] + new_month));
        ck_assert(y[i] == y[i - 1] + new_year && n[i] == (new_year ? 1 : n[i - 1] + 1) && w[i] == (w[i - 1] + 1) % 7);
    }
}
END_TEST

/* ---- failing allocations ---- */

static bool work(void *which) {
    static const char text[] = "d,x\n2020-01-02,1\n,2\n2021-03-04 05:06,3\n";
    pd_ReadCsvOptions o = {PD_READ_CSV_DEFAULTS_};
    pd_DateRangeOptions r = {PD_DATE_RANGE_DEFAULTS_};
    o.parse_dates[0] = "d";
    o.date_format = "mixed";
    r.periods = 5;
    if (*(const int *)which == 0) return (pd_date_range)("2020-01-01", &r) != NULL;
    pd_DataFrame *df = (pd_read_csv_bytes)(text, sizeof text - 1, &o);
    pd_Series *s = df ? pd_DataFrame_getitem(df, "d") : NULL;
    if (!s) return false;
    switch (*(const int *)which) {
    case 1: return pd_DataFrame_str(df) != NULL;
    case 2: return pd_Series_dt(s, pd_field_year) && (pd_dt_strftime)(s, "%Y") && (pd_dt_floor)(s, "h");
    case 3: return pd_Series_fillna_text(s, "2020-01-01") != NULL;
    case 4: return pd_Series_eq(s, "2020-01-02") != NULL;
    case 5: return pd_Series_astype(s, "datetime64[ns]") && pd_iat_text(s, 0);
    default: {
        const pd_DataFrame *both[] = {df, df};
        return pd_concat_of(both, 2, NULL) != NULL;
    }
    }
}

START_TEST(each_allocation_may_fail) {
    for (int which = 0; which < 7; which++) refuse_all(t_format("times %d", which), work, NULL, &which);
    report_notes();
}
END_TEST

/* pandas has [s] here, the unit that it takes where no text says which. */
START_TEST(a_column_of_only_nat_is_in_microseconds) {
    const char *const none[] = {NULL, NULL};
    ck_assert_str_eq(pd_Series_dtype(pd_to_datetime(pd_Series_of_texts(none, 2, "t"))), "datetime64[us]");
}
END_TEST

Suite *datetime_suite(void) {
    Suite *suite = suite_create("datetime");
    TCase *test = tcase_create("datetime");
    tcase_add_checked_fixture(test, support_setup, support_teardown);
    tcase_add_test(test, times_are_read_and_printed_as_by_pandas);
    tcase_add_test(test, times_are_integers);
    tcase_add_test(test, times_are_described);
    tcase_add_test(test, the_first_times);
    tcase_add_test(test, early_years_are_written_with_four_digits);
    tcase_add_test(test, the_calendar_has_no_gaps);
    tcase_add_test(test, each_allocation_may_fail);
    tcase_add_test(test, a_column_of_only_nat_is_in_microseconds);
    suite_add_tcase(suite, test);
    return suite;
}
