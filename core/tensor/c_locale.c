/* core/tensor/c_locale.c: printf and strtod in the C locale, for the calling thread. */
#include "core/tensor/c_locale.h"

#include <locale.h>
#include <stdio.h>

tg_Point tg_point_begin(void) {
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return (tg_Point){plain, uselocale(plain)};
}

void tg_point_end(tg_Point point) {
    uselocale(point.before);
    if (point.plain) freelocale(point.plain);
}

int tg_print_list(char *to, size_t room, const char *format, va_list values) {
    const tg_Point point = tg_point_begin();
    const int length = vsnprintf(to, room, format, values);
    tg_point_end(point);
    return length;
}

int tg_print(char *to, size_t room, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int length = tg_print_list(to, room, format, values);
    va_end(values);
    return length;
}
