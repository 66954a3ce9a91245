/* core/pandas/datetime/datetime.h: points in time: as integers, as fields of the calendar, as texts (internal). */
#ifndef TAPEGRAD_CORE_PANDAS_DATETIME_DATETIME_H
#define TAPEGRAD_CORE_PANDAS_DATETIME_DATETIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TG_NAT INT64_MIN /* no time */
enum { TG_MICROSECONDS = 1000000, TG_NANOSECONDS = 1000000000 };

/* A time of the proleptic Gregorian calendar, without a time zone. */
typedef struct tg_DateTime {
    int64_t year;
    int month, day, hour, minute, second, nanosecond; /* month and day from 1 */
} tg_DateTime;

/* Days since 1970-01-01 (Howard Hinnant, chrono-compatible low-level date algorithms), and back. */
int64_t tg_days_of_date(int64_t year, int month, int day);
void tg_date_of_days(int64_t days, tg_DateTime *to);
int tg_days_in_month(int64_t year, int month);
bool tg_is_leap_year(int64_t year);
int tg_weekday(int64_t days); /* Monday is 0 */
/* The week of the ISO calendar and its year: those of the week's Thursday. */
int tg_iso_week(int64_t days, int64_t *year);

/* The time as a number of 1 / per_second seconds since 1970, false if it does not fit; and back. */
bool tg_datetime_join(const tg_DateTime *from, int64_t per_second, int64_t *value);
void tg_datetime_split(int64_t value, int64_t per_second, tg_DateTime *to);

/* Writes "2020-01-02 03:04:05.678". digits: of the fraction, or TG_DATE_ONLY. At most 64 bytes. */
enum { TG_DATE_ONLY = -1 };
void tg_datetime_text(int64_t value, int64_t per_second, int digits, char *to);
/* How many digits tell all those values apart, as pandas prints them: TG_DATE_ONLY, 0, 3, 6 or 9. */
int tg_datetime_digits(const int64_t *values, int64_t count, int64_t per_second);

/* ---- texts by a format of strftime ---- */

extern const char *const tg_month_names[12], *const tg_day_names[7]; /* English */

typedef enum tg_TimeMatch {
    tg_time_matches,
    tg_time_differs,      /* from the format */
    tg_time_has_more,     /* text after the format's end: at `rest` */
    tg_time_out_of_range, /* the 30th of February */
    tg_time_bad_directive /* of the format: at `rest` */
} tg_TimeMatch;

/* strptime: Y y m d H I M S f p b B a A j z and %%; a space in the format is any white space. */
typedef struct tg_TimeText {
    tg_DateTime time;
    bool has_zone;
    int zone;         /* seconds east of UTC */
    int fraction;     /* digits of %f */
    const char *rest; /* see above */
} tg_TimeText;
tg_TimeMatch tg_time_parse(const char *text, const char *format, tg_TimeText *to);
/* The format of a text, as pandas guesses it; false if there is none. is_alone: pandas would not expect the next text
 * to have it too. */
enum { TG_TIME_FORMAT_SIZE = 64 };
bool tg_time_guess(const char *text, bool dayfirst, char *format, bool *is_alone);
/* strftime, of the directives above and Z G V u w U, false and *bad if one is another; to: size bytes. */
bool tg_time_format(const tg_DateTime *time, const char *format, char *to, size_t size, char *bad);

#endif
