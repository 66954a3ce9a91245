/* core/tensor/c_locale.c: printf and strtod in the C locale, for the calling thread. */
#include "core/tensor/c_locale.h"

#include <locale.h>
#include <stdio.h>

tg_CLocale tg_c_locale_begin(void) {
    locale_t plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return (tg_CLocale){plain, uselocale(plain)};
}

void tg_c_locale_end(tg_CLocale locale) {
    uselocale(locale.before);
    if (locale.plain) freelocale(locale.plain);
}

int tg_c_vsnprintf(char *to, size_t size, const char *format, va_list values) {
    const tg_CLocale locale = tg_c_locale_begin();
    const int length = vsnprintf(to, size, format, values);
    tg_c_locale_end(locale);
    return length;
}

int tg_c_snprintf(char *to, size_t size, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int length = tg_c_vsnprintf(to, size, format, values);
    va_end(values);
    return length;
}
