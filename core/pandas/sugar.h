/* core/pandas/sugar.h: the macros for core/pandas (public; gcc and clang, C only). See core/sugar/sugar.h. */
#ifndef TAPEGRAD_CORE_PANDAS_SUGAR_H
#define TAPEGRAD_CORE_PANDAS_SUGAR_H
#ifndef __cplusplus
#pragma GCC system_header

#include "core/pandas/category.h"
#include "core/pandas/groupby.h"
#include "core/pandas/io/genfromtxt.h"
#include "core/pandas/io/read_csv.h"
#include "core/pandas/to_datetime.h"
#include "core/sugar/sugar.h"

/* The function for a frame or for a series, whichever x is: pd_DataFrame_head or pd_Series_head. */
#define PD_EITHER_(x, f) _Generic((x), pd_DataFrame *: pd_DataFrame_##f, const pd_DataFrame *: pd_DataFrame_##f, \
    pd_Series *: pd_Series_##f, const pd_Series *: pd_Series_##f)
#define PD_CALL1_(f, text, x) T_BEGIN_(text) __auto_type t__x = (x); T_END_(__auto_type, PD_EITHER_(t__x, f)(t__x))
#define PD_CALL2_(f, text, x, type, a) T_BEGIN_(text) __auto_type t__x = (x); type t__i = (a); \
    T_END_(__auto_type, PD_EITHER_(t__x, f)(t__x, t__i))
#define PD_OPTIONS_(f, text, type, defaults, ...) T_BEGIN_(text) __auto_type t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(type, t__o, defaults, T_TAIL_(__VA_ARGS__)) T_END_(__auto_type, PD_EITHER_(t__x, f)(t__x, &t__o))

/* pd_read_csv("titanic.csv", .usecols = {"Age", "Sex"}, .na_values = {"?"}) */
#define pd_read_csv(...) T_BEGIN_("pd_read_csv(" #__VA_ARGS__ ")") const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_ReadCsvOptions, t__o, PD_READ_CSV_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, (pd_read_csv)(t__p, &t__o))
/* pd_read_csv_bytes(text, strlen(text), .sep = ";") */
#define pd_read_csv_bytes(bytes, ...) T_BEGIN_("pd_read_csv_bytes(" #bytes ", " #__VA_ARGS__ ")") \
    const void *t__b = (bytes); const size_t t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_ReadCsvOptions, t__o, PD_READ_CSV_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, (pd_read_csv_bytes)(t__b, t__n, &t__o))

/* np_genfromtxt_names("x.csv", .delimiter = ",", .use_names = {"a", "c"}) */
#define np_genfromtxt_names(...) T_BEGIN_("np_genfromtxt_names(" #__VA_ARGS__ ")") \
    const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(np_GenfromtxtNamesOptions, t__o, NP_GENFROMTXT_NAMES_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, (np_genfromtxt_names)(t__p, &t__o))
/* np_genfromtxt_names_bytes(text, strlen(text), .delimiter = ",") */
#define np_genfromtxt_names_bytes(bytes, ...) T_BEGIN_("np_genfromtxt_names_bytes(" #bytes ", " #__VA_ARGS__ ")") \
    const void *t__b = (bytes); const size_t t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(np_GenfromtxtNamesOptions, t__o, NP_GENFROMTXT_NAMES_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, (np_genfromtxt_names_bytes)(t__b, t__n, &t__o))

/* pd_DataFrame(dict) of a dict of tensors, pd_DataFrame(x, .columns = {"a", "b"}) of a tensor of two dims */
typedef struct pd_FrameArguments_ { int first_; const char *columns[PD_MOST_NAMES]; } pd_FrameArguments_;
static inline int64_t pd_count_(const char *const *names) {
    int64_t count = 0;
    while (count < PD_MOST_NAMES && names[count]) count++;
    return count;
}
static inline pd_DataFrame *pd_frame_of_dict_(const t_TensorDict *data, const pd_FrameArguments_ *o) {
    (void)o;
    return pd_DataFrame_new(data);
}
static inline pd_DataFrame *pd_frame_of_tensor_(Tensor *x, const pd_FrameArguments_ *o) {
    return pd_DataFrame_of_tensor(x, o->columns[0] ? o->columns : NULL, pd_count_(o->columns));
}
#define pd_DataFrame(...) T_BEGIN_("pd_DataFrame(" #__VA_ARGS__ ")") __auto_type t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_FrameArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, _Generic(t__x, t_TensorDict *: pd_frame_of_dict_, const t_TensorDict *: pd_frame_of_dict_, \
    Tensor *: pd_frame_of_tensor_)(t__x, &t__o))
/* pd_Series(x, "age") of a tensor */
#define pd_Series(x, ...) T_BEGIN_("pd_Series(" #x ", " #__VA_ARGS__ ")") T_TENSOR_(t__a, (x)) \
    const char *t__p = T_HEAD_(__VA_ARGS__); T_END_(pd_Series *, pd_Series_new(t__a, t__p))

/* pd_getitem(df, "Age") is df["Age"], a series; pd_getitem(df, ("Age", "Sex")) is df[["Age", "Sex"]] (of one column:
 * ("Age", )), pd_getitem(df, mask) is df[mask], frames; pd_getitem(s, mask) is s[mask] */
#define pd_getitem(x, key) T_PASTE_(PD_GETITEM_, T_IS_TUPLE_(key))("pd_getitem(" #x ", " #key ")", x, key)
#define PD_GETITEM_0(text, x, key) T_BEGIN_(text) __auto_type t__x = (x); __auto_type t__k = (key); \
    T_END_(__auto_type, _Generic(t__k, Tensor *: PD_EITHER_(t__x, filter), char *: PD_BY_NAME_(t__x), \
    const char *: PD_BY_NAME_(t__x))(t__x, t__k))
#define PD_BY_NAME_(x) _Generic((x), pd_DataFrame *: pd_DataFrame_getitem, const pd_DataFrame *: pd_DataFrame_getitem, \
    default: pd_Series_has_no_names_)
static inline double pd_Series_has_no_names_(const pd_Series *s, const char *name) {
    (void)s, (void)name;
    return (t_fail)("a series has no columns: pd_getitem(s, mask), or pd_iat(s, i)"), 0;
}
#define PD_GETITEM_1(text, x, key) T_BEGIN_(text) const pd_DataFrame *t__x = (x); \
    const char *const t__k[] = {T_UNTUPLE_ key}; \
    T_END_(pd_DataFrame *, pd_DataFrame_select(t__x, t__k, (int64_t)(sizeof t__k / sizeof *t__k)))
/* pd_setitem(df, "Age", value): df["Age"] = value, a series, a tensor, a number or a text */
#define pd_setitem(df, name, value) T_BEGIN_("pd_setitem(" #df ", " #name ", " #value ")") pd_DataFrame *t__x = (df); \
    const char *t__p = (name); __auto_type t__v = (value); T_END_(bool, _Generic(t__v, pd_Series *: pd_setitem_series, \
    const pd_Series *: pd_setitem_series, Tensor *: pd_setitem_tensor, char *: pd_setitem_text, \
    const char *: pd_setitem_text, float: pd_setitem_number, double: pd_setitem_number, \
    default: pd_setitem_integer)(t__x, t__p, t__v))
/* pd_drop(df, .columns = {"Name", "Ticket"}), pd_drop(df, .index = rows) */
#define pd_drop(...) T_BEGIN_("pd_drop(" #__VA_ARGS__ ")") const pd_DataFrame *t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_DropOptions, t__o, .size = sizeof(pd_DropOptions), T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, pd_DataFrame_drop(t__x, &t__o))
/* pd_rename(df, "SibSp", "siblings") */
#define pd_rename(df, from, to) T_BEGIN_("pd_rename(" #df ", " #from ", " #to ")") const pd_DataFrame *t__x = (df); \
    const char *t__p = (from), *t__q = (to); T_END_(pd_DataFrame *, pd_DataFrame_rename(t__x, t__p, t__q))
/* pd_dtypes(df): df.dtypes */
#define pd_dtypes(df) T_BEGIN_("pd_dtypes(" #df ")") const pd_DataFrame *t__x = (df); \
    T_END_(pd_Series *, pd_DataFrame_dtypes(t__x))
#define pd_column_name(df, i) T_BEGIN_("pd_column_name(" #df ", " #i ")") const pd_DataFrame *t__x = (df); \
    const int64_t t__i = (i); T_END_(const char *, (pd_column_name)(t__x, t__i))
#define pd_select_dtypes(df, include) T_BEGIN_("pd_select_dtypes(" #df ", " #include ")") \
    const pd_DataFrame *t__x = (df); const char *t__p = (include); \
    T_END_(pd_DataFrame *, (pd_select_dtypes)(t__x, t__p))
/* pd_astype(x, "float32"): of a frame or a series */
#define pd_astype(x, dtype) PD_CALL2_(astype, "pd_astype(" #x ", " #dtype ")", x, const char *, dtype)

/* ---- rows ---- */

/* pd_head(x), pd_head(x, 10), pd_tail(x): of a frame or a series */
typedef struct pd_CountArguments_ { int first_; int64_t n; } pd_CountArguments_;
#define PD_ROWS_(f, text, ...) T_BEGIN_(text) __auto_type t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_CountArguments_, t__o, .n = 5, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(__auto_type, PD_EITHER_(t__x, f)(t__x, t__o.n))
/* pd_head(df), pd_head(df, 3): the first 5 or 3 rows */
#define pd_head(...) PD_ROWS_(head, "pd_head(" #__VA_ARGS__ ")", __VA_ARGS__)
/* pd_tail(df), pd_tail(df, 3): the last 5 or 3 rows */
#define pd_tail(...) PD_ROWS_(tail, "pd_tail(" #__VA_ARGS__ ")", __VA_ARGS__)
/* pd_take(x, indices): the rows of a frame or a series by number */
#define pd_take(x, indices) PD_CALL2_(take, "pd_take(" #x ", " #indices ")", x, Tensor *, indices)
/* pd_iloc(df, ":10, :-1"): df.iloc[:10, :-1] */
#define pd_iloc(df, text) T_BEGIN_("pd_iloc(" #df ", " #text ")") const pd_DataFrame *t__x = (df); \
    const char *t__p = (text); T_END_(pd_DataFrame *, pd_DataFrame_iloc(t__x, t__p))
#define pd_iat(s, i) T_BEGIN_("pd_iat(" #s ", " #i ")") const pd_Series *t__x = (s); const int64_t t__i = (i); \
    T_END_(double, (pd_iat)(t__x, t__i))
#define pd_iat_text(s, i) T_BEGIN_("pd_iat_text(" #s ", " #i ")") const pd_Series *t__x = (s); \
    const int64_t t__i = (i); T_END_(const char *, (pd_iat_text)(t__x, t__i))
/* pd_sample(x, .frac = 1, .random_state = 0), pd_sample(x, 10): of a frame or a series */
#define pd_sample(...) PD_OPTIONS_(sample, "pd_sample(" #__VA_ARGS__ ")", pd_SampleOptions, PD_SAMPLE_DEFAULTS_, \
    __VA_ARGS__)
/* pd_sort_values(df, "Age"), pd_sort_values(df, "Age", .ascending = false) */
typedef struct pd_SortArguments_ { int first_; bool ascending; } pd_SortArguments_;
#define pd_sort_values(df, ...) T_BEGIN_("pd_sort_values(" #df ", " #__VA_ARGS__ ")") const pd_DataFrame *t__x = (df); \
    const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_SortArguments_, t__o, .ascending = true, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, pd_DataFrame_sort_values(t__x, t__p, t__o.ascending))
/* pd_set_index(df, "id"): the column becomes the row labels */
#define pd_set_index(df, name) T_BEGIN_("pd_set_index(" #df ", " #name ")") const pd_DataFrame *t__x = (df); \
    const char *t__p = (name); T_END_(pd_DataFrame *, pd_DataFrame_set_index(t__x, t__p))
/* pd_reset_index(df), pd_reset_index(df, .drop = true) */
typedef struct pd_ResetArguments_ { int first_; bool drop; } pd_ResetArguments_;
#define pd_reset_index(...) T_BEGIN_("pd_reset_index(" #__VA_ARGS__ ")") \
    const pd_DataFrame *t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_ResetArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, pd_DataFrame_reset_index(t__x, t__o.drop))
#define PD_ITEMS_(tuple) T_UNTUPLE_ tuple
/* pd_concat((a, b)), pd_concat((a, b), .ignore_index = true), pd_concat((a, b), .axis = 1) */
#define pd_concat(...) T_BEGIN_("pd_concat(" #__VA_ARGS__ ")") \
    const pd_DataFrame *const t__k[] = {PD_ITEMS_(T_HEAD_(__VA_ARGS__))}; \
    T_OPTIONS_(pd_ConcatOptions, t__o, PD_CONCAT_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, pd_concat_of(t__k, (int64_t)(sizeof t__k / sizeof *t__k), &t__o))
/* pd_merge(users, orders, .on = {"id"}, .how = "left") */
#define pd_merge(left, ...) T_BEGIN_("pd_merge(" #left ", " #__VA_ARGS__ ")") const pd_DataFrame *t__x = (left); \
    const pd_DataFrame *t__y = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_MergeOptions, t__o, PD_MERGE_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, (pd_merge)(t__x, t__y, &t__o))

/* ---- times ---- */

/* pd_to_datetime(s), pd_to_datetime(s, .format = "%d.%m.%Y", .errors = "coerce") */
#define pd_to_datetime(...) T_BEGIN_("pd_to_datetime(" #__VA_ARGS__ ")") \
    const pd_Series *t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_ToDatetimeOptions, t__o, PD_TO_DATETIME_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_Series *, (pd_to_datetime)(t__x, &t__o))
/* pd_date_range("2020-01-01", .periods = 10, .freq = "h") */
#define pd_date_range(...) T_BEGIN_("pd_date_range(" #__VA_ARGS__ ")") const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_DateRangeOptions, t__o, PD_DATE_RANGE_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_Series *, (pd_date_range)(t__p, &t__o))
#define PD_DT_(field, text, s) T_BEGIN_(text) const pd_Series *t__x = (s); \
    T_END_(pd_Series *, pd_Series_dt(t__x, pd_field_##field))
/* pd_dt_year(s): s.dt.year */
#define pd_dt_year(s) PD_DT_(year, "pd_dt_year(" #s ")", s)
/* pd_dt_month(s): s.dt.month */
#define pd_dt_month(s) PD_DT_(month, "pd_dt_month(" #s ")", s)
/* pd_dt_day(s): s.dt.day */
#define pd_dt_day(s) PD_DT_(day, "pd_dt_day(" #s ")", s)
/* pd_dt_hour(s): s.dt.hour */
#define pd_dt_hour(s) PD_DT_(hour, "pd_dt_hour(" #s ")", s)
/* pd_dt_minute(s): s.dt.minute */
#define pd_dt_minute(s) PD_DT_(minute, "pd_dt_minute(" #s ")", s)
/* pd_dt_second(s): s.dt.second */
#define pd_dt_second(s) PD_DT_(second, "pd_dt_second(" #s ")", s)
/* pd_dt_microsecond(s): s.dt.microsecond */
#define pd_dt_microsecond(s) PD_DT_(microsecond, "pd_dt_microsecond(" #s ")", s)
/* pd_dt_nanosecond(s): s.dt.nanosecond */
#define pd_dt_nanosecond(s) PD_DT_(nanosecond, "pd_dt_nanosecond(" #s ")", s)
/* pd_dt_dayofweek(s): s.dt.dayofweek */
#define pd_dt_dayofweek(s) PD_DT_(dayofweek, "pd_dt_dayofweek(" #s ")", s)
/* pd_dt_dayofyear(s): s.dt.dayofyear */
#define pd_dt_dayofyear(s) PD_DT_(dayofyear, "pd_dt_dayofyear(" #s ")", s)
/* pd_dt_week(s): s.dt.isocalendar().week */
#define pd_dt_week(s) PD_DT_(week, "pd_dt_week(" #s ")", s)
/* pd_dt_quarter(s): s.dt.quarter */
#define pd_dt_quarter(s) PD_DT_(quarter, "pd_dt_quarter(" #s ")", s)
/* pd_dt_days_in_month(s): s.dt.days_in_month */
#define pd_dt_days_in_month(s) PD_DT_(days_in_month, "pd_dt_days_in_month(" #s ")", s)
/* pd_dt_is_month_start(s): s.dt.is_month_start */
#define pd_dt_is_month_start(s) PD_DT_(is_month_start, "pd_dt_is_month_start(" #s ")", s)
/* pd_dt_is_month_end(s): s.dt.is_month_end */
#define pd_dt_is_month_end(s) PD_DT_(is_month_end, "pd_dt_is_month_end(" #s ")", s)
/* pd_dt_is_quarter_start(s): s.dt.is_quarter_start */
#define pd_dt_is_quarter_start(s) PD_DT_(is_quarter_start, "pd_dt_is_quarter_start(" #s ")", s)
/* pd_dt_is_quarter_end(s): s.dt.is_quarter_end */
#define pd_dt_is_quarter_end(s) PD_DT_(is_quarter_end, "pd_dt_is_quarter_end(" #s ")", s)
/* pd_dt_is_year_start(s): s.dt.is_year_start */
#define pd_dt_is_year_start(s) PD_DT_(is_year_start, "pd_dt_is_year_start(" #s ")", s)
/* pd_dt_is_year_end(s): s.dt.is_year_end */
#define pd_dt_is_year_end(s) PD_DT_(is_year_end, "pd_dt_is_year_end(" #s ")", s)
/* pd_dt_is_leap_year(s): s.dt.is_leap_year */
#define pd_dt_is_leap_year(s) PD_DT_(is_leap_year, "pd_dt_is_leap_year(" #s ")", s)
#define pd_dt_day_name(s) T_BEGIN_("pd_dt_day_name(" #s ")") const pd_Series *t__x = (s); \
    T_END_(pd_Series *, (pd_dt_day_name)(t__x))
#define pd_dt_month_name(s) T_BEGIN_("pd_dt_month_name(" #s ")") const pd_Series *t__x = (s); \
    T_END_(pd_Series *, (pd_dt_month_name)(t__x))
#define pd_dt_normalize(s) T_BEGIN_("pd_dt_normalize(" #s ")") const pd_Series *t__x = (s); \
    T_END_(pd_Series *, (pd_dt_normalize)(t__x))
/* pd_dt_strftime(s, "%Y-%m") */
#define pd_dt_strftime(s, format) T_BEGIN_("pd_dt_strftime(" #s ", " #format ")") const pd_Series *t__x = (s); \
    const char *t__p = (format); T_END_(pd_Series *, (pd_dt_strftime)(t__x, t__p))
/* pd_dt_floor(s, "15min") */
#define pd_dt_floor(s, freq) T_BEGIN_("pd_dt_floor(" #s ", " #freq ")") const pd_Series *t__x = (s); \
    const char *t__p = (freq); T_END_(pd_Series *, (pd_dt_floor)(t__x, t__p))

/* ---- missing values ---- */

/* pd_isna(x): a frame or a series of bools */
#define pd_isna(x) PD_CALL1_(isna, "pd_isna(" #x ")", x)
/* pd_fillna(x, 0), pd_fillna(x, "none"): of a frame or a series */
#define pd_fillna(x, value) T_BEGIN_("pd_fillna(" #x ", " #value ")") __auto_type t__x = (x); \
    __auto_type t__v = (value); T_END_(__auto_type, _Generic(t__v, char *: PD_EITHER_(t__x, fillna_text), \
    const char *: PD_EITHER_(t__x, fillna_text), default: PD_EITHER_(t__x, fillna))(t__x, t__v))
/* pd_dropna(df), pd_dropna(df, .subset = {"Age"}) */
typedef struct pd_DropnaArguments_ { int first_; const char *subset[PD_MOST_NAMES]; } pd_DropnaArguments_;
#define pd_dropna(...) T_BEGIN_("pd_dropna(" #__VA_ARGS__ ")") const pd_DataFrame *t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_DropnaArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, pd_DataFrame_dropna(t__x, t__o.subset, pd_count_(t__o.subset)))

/* ---- statistics: a series of a frame's columns, a number of a series ---- */

#define PD_STAT_(which, text, x) T_BEGIN_(text) __auto_type t__x = (x); \
    T_END_(__auto_type, PD_EITHER_(t__x, stat)(t__x, pd_stat_##which))
/* pd_count(x): how many values are not missing */
#define pd_count(x) PD_STAT_(count, "pd_count(" #x ")", x)
/* pd_sum(x) */
#define pd_sum(x) PD_STAT_(sum, "pd_sum(" #x ")", x)
/* pd_mean(x) */
#define pd_mean(x) PD_STAT_(mean, "pd_mean(" #x ")", x)
/* pd_std(x), with ddof=1 */
#define pd_std(x) PD_STAT_(std, "pd_std(" #x ")", x)
/* pd_var(x), with ddof=1 */
#define pd_var(x) PD_STAT_(var, "pd_var(" #x ")", x)
/* pd_min(x) */
#define pd_min(x) PD_STAT_(min, "pd_min(" #x ")", x)
/* pd_max(x) */
#define pd_max(x) PD_STAT_(max, "pd_max(" #x ")", x)
/* pd_median(x) */
#define pd_median(x) PD_STAT_(median, "pd_median(" #x ")", x)
/* pd_nunique(x): how many different values */
#define pd_nunique(x) PD_STAT_(nunique, "pd_nunique(" #x ")", x)
/* pd_quantile(s, 0.25) */
#define pd_quantile(s, q) T_BEGIN_("pd_quantile(" #s ", " #q ")") const pd_Series *t__x = (s); \
    const double t__q = (q); T_END_(double, pd_Series_quantile(t__x, t__q))
/* pd_describe(x): count, mean, std, min, quartiles, max of a frame or a series */
#define pd_describe(x) PD_CALL1_(describe, "pd_describe(" #x ")", x)
/* pd_corr(df): the correlations of the number columns */
#define pd_corr(df) T_BEGIN_("pd_corr(" #df ")") const pd_DataFrame *t__x = (df); \
    T_END_(pd_DataFrame *, pd_DataFrame_corr(t__x))
/* pd_groupby(df, "Sex", "Survived", mean): df.groupby("Sex")["Survived"].mean(); also count sum std var min
 * max median nunique */
#define pd_groupby(df, by, column, statistic) \
    T_BEGIN_("pd_groupby(" #df ", " #by ", " #column ", " #statistic ")") const pd_DataFrame *t__x = (df); \
    const char *t__p = (by), *t__q = (column); \
    T_END_(pd_Series *, pd_groupby_stat(t__x, t__p, t__q, pd_stat_##statistic))

/* pd_groupby_agg(df, .by = {"Sex", "Pclass"}, .agg = {{"Age", "mean"}, {"Fare", "max", "most"}, {.how = "size"}}) */
#define pd_groupby_agg(...) T_BEGIN_("pd_groupby_agg(" #__VA_ARGS__ ")") \
    const pd_DataFrame *t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_GroupbyAggOptions, t__o, PD_GROUPBY_AGG_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_DataFrame *, (pd_groupby_agg)(t__x, &t__o))

/* ---- a row and those before it ---- */

typedef struct pd_PeriodsArguments_ { int first_; int64_t periods; } pd_PeriodsArguments_;
#define PD_PERIODS_(f, text, ...) T_BEGIN_(text) const pd_Series *t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_PeriodsArguments_, t__o, .periods = 1, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_Series *, pd_Series_##f(t__x, t__o.periods))
/* pd_shift(s), pd_shift(s, -1) */
#define pd_shift(...) PD_PERIODS_(shift, "pd_shift(" #__VA_ARGS__ ")", __VA_ARGS__)
/* pd_diff(s), pd_diff(s, 7) */
#define pd_diff(...) PD_PERIODS_(diff, "pd_diff(" #__VA_ARGS__ ")", __VA_ARGS__)
/* pd_pct_change(s) */
#define pd_pct_change(...) PD_PERIODS_(pct_change, "pd_pct_change(" #__VA_ARGS__ ")", __VA_ARGS__)
/* pd_cumsum(s) */
#define pd_cumsum(s) T_BEGIN_("pd_cumsum(" #s ")") const pd_Series *t__x = (s); \
    T_END_(pd_Series *, pd_Series_cumsum(t__x))
/* pd_rolling(s, 7, mean), pd_rolling(s, 7, mean, .min_periods = 1): s.rolling(7, min_periods=1).mean(); also count sum
 * std var min max median */
typedef struct pd_RollingArguments_ { int first_; int64_t min_periods; } pd_RollingArguments_;
#define pd_rolling(s, window, ...) T_BEGIN_("pd_rolling(" #s ", " #window ", " #__VA_ARGS__ ")") \
    const pd_Series *t__x = (s); const int64_t t__n = (window); \
    T_OPTIONS_(pd_RollingArguments_, t__o, .min_periods = T_NONE, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_Series *, pd_Series_rolling(t__x, t__n, t__o.min_periods, T_PASTE_(pd_stat_, T_HEAD_(__VA_ARGS__))))

/* ---- categories ---- */

/* pd_value_counts(s), pd_value_counts(s, .normalize = true) */
#define pd_value_counts(...) T_BEGIN_("pd_value_counts(" #__VA_ARGS__ ")") \
    const pd_Series *t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_ValueCountsOptions, t__o, PD_VALUE_COUNTS_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_Series *, pd_Series_value_counts(t__x, &t__o))
/* pd_unique(s): s.unique() */
#define pd_unique(s) T_BEGIN_("pd_unique(" #s ")") const pd_Series *t__x = (s); \
    T_END_(pd_Series *, pd_Series_unique(t__x))
/* pd_mode(s): s.mode() */
#define pd_mode(s) T_BEGIN_("pd_mode(" #s ")") const pd_Series *t__x = (s); \
    T_END_(pd_Series *, pd_Series_mode(t__x))
/* Tensor *codes = pd_factorize(s), pd_factorize(s, .sort = true, .uniques = &uniques) */
typedef struct pd_FactorizeArguments_ { int first_; bool sort; pd_Series **uniques; } pd_FactorizeArguments_;
#define pd_factorize(...) T_BEGIN_("pd_factorize(" #__VA_ARGS__ ")") const pd_Series *t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_FactorizeArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, pd_Series_factorize(t__x, t__o.sort, t__o.uniques))
/* pd_codes(s): s.astype("category").cat.codes */
#define pd_codes(s) T_BEGIN_("pd_codes(" #s ")") const pd_Series *t__x = (s); T_END_(Tensor *, pd_Series_codes(t__x))
/* pd_cat_categories(s): s.cat.categories */
#define pd_cat_categories(s) T_BEGIN_("pd_cat_categories(" #s ")") const pd_Series *t__x = (s); \
    T_END_(pd_Series *, (pd_cat_categories)(t__x))
#define pd_cat_as_ordered(s) T_BEGIN_("pd_cat_as_ordered(" #s ")") const pd_Series *t__x = (s); \
    T_END_(pd_Series *, (pd_cat_as_ordered)(t__x))
/* pd_cat_set_categories(s, ("low", "high")), pd_cat_set_categories(s, ("low", "high"), .ordered = true) */
typedef struct pd_CategoriesArguments_ { int first_; bool ordered; } pd_CategoriesArguments_;
#define pd_cat_set_categories(s, ...) T_BEGIN_("pd_cat_set_categories(" #s ", " #__VA_ARGS__ ")") \
    const pd_Series *t__x = (s); const char *const t__k[] = {PD_ITEMS_(T_HEAD_(__VA_ARGS__))}; \
    T_OPTIONS_(pd_CategoriesArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(pd_Series *, (pd_cat_set_categories)(t__x, t__k, (int64_t)(sizeof t__k / sizeof *t__k), t__o.ordered))
/* pd_map(s, dict): s.map({"male": 0, "female": 1}), with the dict made by t_dict and t_dict_set */
#define pd_map(s, map) T_BEGIN_("pd_map(" #s ", " #map ")") const pd_Series *t__x = (s); \
    const t_TensorDict *t__d = (map); T_END_(pd_Series *, pd_Series_map(t__x, t__d))
/* pd_eq(s, "male"), pd_eq(s, 1): a bool tensor */
#define pd_eq(s, value) T_BEGIN_("pd_eq(" #s ", " #value ")") const pd_Series *t__x = (s); __auto_type t__v = (value); \
    T_END_(Tensor *, _Generic(t__v, char *: pd_Series_eq, const char *: pd_Series_eq, \
    default: pd_Series_eq_number)(t__x, t__v))
/* pd_get_dummies(df, .columns = {"Sex"}, .dtype = "float32"), pd_get_dummies(s) */
#define pd_get_dummies(...) PD_OPTIONS_(get_dummies, "pd_get_dummies(" #__VA_ARGS__ ")", pd_GetDummiesOptions, \
    PD_GET_DUMMIES_DEFAULTS_, __VA_ARGS__)

/* ---- out ---- */

/* pd_to_numpy(df), pd_to_numpy(s, t_float32): a tensor of a frame or a series */
typedef struct pd_DtypeArguments_ { int first_; t_DType dtype; } pd_DtypeArguments_;
#define pd_to_numpy(...) T_BEGIN_("pd_to_numpy(" #__VA_ARGS__ ")") __auto_type t__x = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_DtypeArguments_, t__o, .first_ = 0, T_TAIL_(__VA_ARGS__)) \
    T_END_(Tensor *, PD_EITHER_(t__x, to_numpy)(t__x, t__o.dtype))
/* pd_str(x): str(df), str(s) */
#define pd_str(x) PD_CALL1_(str, "pd_str(" #x ")", x)
/* pd_print(x): print(df), print(s) */
#define pd_print(x) PD_CALL1_(print, "pd_print(" #x ")", x)
/* pd_info(df): df.info() */
#define pd_info(df) T_BEGIN_("pd_info(" #df ")") const pd_DataFrame *t__x = (df); T_END_(bool, pd_DataFrame_info(t__x))
/* pd_to_csv(df, "submission.csv", .index = false) */
#define pd_to_csv(df, ...) T_BEGIN_("pd_to_csv(" #df ", " #__VA_ARGS__ ")") const pd_DataFrame *t__x = (df); \
    const char *t__p = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_ToCsvOptions, t__o, PD_TO_CSV_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(bool, (pd_to_csv)(t__x, t__p, &t__o))
#define pd_to_csv_bytes(df, ...) T_BEGIN_("pd_to_csv_bytes(" #df ", " #__VA_ARGS__ ")") \
    const pd_DataFrame *t__x = (df); size_t *t__n = T_HEAD_(__VA_ARGS__); \
    T_OPTIONS_(pd_ToCsvOptions, t__o, PD_TO_CSV_DEFAULTS_, T_TAIL_(__VA_ARGS__)) \
    T_END_(char *, (pd_to_csv_bytes)(t__x, t__n, &t__o))

#endif
#endif
