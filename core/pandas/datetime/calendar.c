/* core/pandas/datetime/calendar.c: points in time: the calendar, and how pandas prints them. */
#include "core/pandas/datetime/datetime.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- calendar ---- */

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

bool tg_is_leap_year(int64_t year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int tg_days_in_month(int64_t year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && tg_is_leap_year(year));
}

/* Years begin in March, so that the leap day is the last one; an era has 400 years. */
int64_t tg_days_of_date(int64_t year, int month, int day) {
    const int64_t y = year - (month <= 2), era = floor_div(y, 400), of_era = y - era * 400;
    const int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void tg_date_of_days(int64_t days, tg_DateTime *to) {
    const int64_t z = days + 719468, era = floor_div(z, 146097), of_era = z - era * 146097;
    const int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int64_t of_year = of_era - (365 * year + year / 4 - year / 100), m = (5 * of_year + 2) / 153;
    to->day = (int)(of_year - (153 * m + 2) / 5 + 1);
    to->month = (int)(m < 10 ? m + 3 : m - 9);
    to->year = year + era * 400 + (to->month <= 2);
}

int tg_weekday(int64_t days) {
    return (int)((days % 7 + 10) % 7); /* 1970-01-01 was a Thursday */
}

int tg_iso_week(int64_t days, int64_t *year) {
    tg_DateTime thursday;
    const int64_t day = days - tg_weekday(days) + 3;
    tg_date_of_days(day, &thursday);
    *year = thursday.year;
    return (int)(day - tg_days_of_date(thursday.year, 1, 1)) / 7 + 1;
}

/* ---- integers ---- */

bool tg_datetime_join(const tg_DateTime *from, int64_t per_second, int64_t *value) {
    const int64_t days = tg_days_of_date(from->year, from->month, from->day);
    int64_t seconds, whole;
    if (__builtin_mul_overflow(days, (int64_t)86400, &seconds)) return false;
    seconds += from->hour * 3600 + from->minute * 60 + from->second;
    const int64_t part = from->nanosecond / (TG_NANOSECONDS / per_second);
    return !__builtin_mul_overflow(seconds, per_second, &whole) && !__builtin_add_overflow(whole, part, value) &&
           *value != TG_NAT;
}

void tg_datetime_split(int64_t value, int64_t per_second, tg_DateTime *to) {
    const int64_t seconds = floor_div(value, per_second), days = floor_div(seconds, 86400);
    const int of_day = (int)(seconds - days * 86400);
    tg_date_of_days(days, to);
    to->hour = of_day / 3600;
    to->minute = of_day / 60 % 60;
    to->second = of_day % 60;
    const int64_t part = value % per_second; /* of the earliest times seconds * per_second has more than 64 bits */
    to->nanosecond = (int)((part < 0 ? part + per_second : part) * (TG_NANOSECONDS / per_second));
}

/* ---- texts ---- */

void tg_datetime_text(int64_t value, int64_t per_second, int digits, char *to) {
    tg_DateTime t;
    tg_datetime_split(value, per_second, &t);
    to += sprintf(to, "%04" PRId64 "-%02d-%02d", t.year, t.month, t.day);
    if (digits == TG_DATE_ONLY) return;
    to += sprintf(to, " %02d:%02d:%02d", t.hour, t.minute, t.second);
    if (digits == 0) return;
    char nanoseconds[16];
    snprintf(nanoseconds, sizeof nanoseconds, "%09d", t.nanosecond);
    sprintf(to, ".%.*s", digits, nanoseconds);
}

int tg_datetime_digits(const int64_t *values, int64_t count, int64_t per_second) {
    int digits = TG_DATE_ONLY;
    for (int64_t i = 0; i < count; i++) {
        if (values[i] == TG_NAT || values[i] % (86400 * per_second) == 0) continue;
        if (digits < 0) digits = 0;
        while (digits < 9 && values[i] % (per_second / (digits == 0 ? 1 : digits == 3 ? 1000 : 1000000)) != 0)
            digits += 3;
    }
    return digits;
}
