/* core/pandas/to_datetime.h: pandas.to_datetime, date_range and Series.dt (public; part of core/pandas/pandas.h).
 *
 *     df = pd_read_csv("sales.csv", .parse_dates = {"day"});       df = pd.read_csv("sales.csv", parse_dates=["day"])
 *     pd_setitem(df, "month", pd_dt_month(pd_getitem(df, "day"))); df["month"] = df["day"].dt.month
 *     df = pd_sort_values(df, "day");                              df = df.sort_values("day")
 *
 * A column of times has the dtype datetime64[us], as in pandas 3, or datetime64[ns] if a text has more than six digits
 * behind the second: int64 numbers of microseconds or nanoseconds since 1970-01-01, which pd_to_numpy gives; NaT, a
 * missing one, is -2^63. There are no time zones, time differences and periods. Nor is there dt.date, whose dates are
 * Python's: pd_dt_normalize gives times at midnight. A column of only NaT is [us], where pandas has [s]. */
#ifndef TAPEGRAD_CORE_PANDAS_TO_DATETIME_H
#define TAPEGRAD_CORE_PANDAS_TO_DATETIME_H

#include "core/pandas/dataframe.h"

T_BEGIN_DECLS

/* pd.to_datetime(s, format=None, errors="raise", dayfirst=False, utc=False, unit=None). Of texts: format has the
 * directives of strftime, is "ISO8601" or "mixed" (a format for each text), or NULL: that of the first text, which
 * pandas' guess finds: years first, American order ("1/2/2020" is the second of January, unless the first number is
 * larger than 12 or dayfirst), English names of months, times of day, also with AM and PM. Of numbers: a count of unit,
 * "D", "h", "m", "s", "ms", "us" or "ns" (the default), since 1970. errors "coerce": NaT where it cannot be read. A
 * time zone ("Z", "+02:00") is an error, unless utc: then the times are those of UTC. Errors have pandas' texts. */
typedef struct pd_ToDatetimeOptions {
    uint32_t size;
    const char *format, *errors;
    bool dayfirst, utc;
    const char *unit;
} pd_ToDatetimeOptions;
#define PD_TO_DATETIME_DEFAULTS_ .errors = "raise", .size = sizeof(pd_ToDatetimeOptions)
T_API pd_Series *pd_to_datetime(const pd_Series *s, const pd_ToDatetimeOptions *options);

/* pd.date_range(start, end=None, periods=None, freq="D"), as a series without a name: two of start, end and periods
 * (T_NONE: not given). freq: a number and one of "D", "h", "min", "s", "ms", "us", "W" (Sundays), "B" (not Saturday or
 * Sunday), "MS", "ME", "QS", "QE", "YS", "YE" (begins and ends of months, quarters, years): "12h". */
typedef struct pd_DateRangeOptions {
    uint32_t size;
    const char *end;
    int64_t periods;
    const char *freq;
} pd_DateRangeOptions;
#define PD_DATE_RANGE_DEFAULTS_ .periods = T_NONE, .freq = "D", .size = sizeof(pd_DateRangeOptions)
T_API pd_Series *pd_date_range(const char *start, const pd_DateRangeOptions *options);

/* s.dt.year and so on: int32, float64 with NaN where there are missing times; bool for is_...; dayofweek: Monday is 0;
 * week: s.dt.isocalendar().week. */
typedef enum pd_DatetimeField {
    pd_field_year,
    pd_field_month,
    pd_field_day,
    pd_field_hour,
    pd_field_minute,
    pd_field_second,
    pd_field_microsecond,
    pd_field_nanosecond,
    pd_field_dayofweek,
    pd_field_dayofyear,
    pd_field_week,
    pd_field_quarter,
    pd_field_days_in_month,
    pd_field_is_month_start,
    pd_field_is_month_end,
    pd_field_is_quarter_start,
    pd_field_is_quarter_end,
    pd_field_is_year_start,
    pd_field_is_year_end,
    pd_field_is_leap_year
} pd_DatetimeField;
T_API pd_Series *pd_Series_dt(const pd_Series *s, pd_DatetimeField field);
T_API pd_Series *pd_dt_day_name(const pd_Series *s); /* s.dt.day_name(): "Monday" */
T_API pd_Series *pd_dt_month_name(const pd_Series *s);
T_API pd_Series *pd_dt_strftime(const pd_Series *s, const char *format);
T_API pd_Series *pd_dt_normalize(const pd_Series *s); /* midnight of the same day */
/* s.dt.floor(freq) of "D", "h", "min", "s", "ms", "us" with a number: "15min" */
T_API pd_Series *pd_dt_floor(const pd_Series *s, const char *freq);

T_END_DECLS
#endif
