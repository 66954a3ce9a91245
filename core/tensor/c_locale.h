/* core/tensor/c_locale.h: formatting and parsing of numbers with a decimal point, whatever the program's locale is
 * (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_C_LOCALE_H
#define TAPEGRAD_CORE_TENSOR_C_LOCALE_H

#include <stdarg.h>

#include "core/tensor/api.h"

/* Between tg_c_locale_begin and tg_c_locale_end printf and strtod of this thread use the C locale's LC_NUMERIC. */
typedef struct tg_CLocale {
    void *plain, *before; /* a locale_t each */
} tg_CLocale;
tg_CLocale tg_c_locale_begin(void);
void tg_c_locale_end(tg_CLocale locale);

int tg_c_snprintf(char *to, size_t size, const char *format, ...) T_PRINTF(3, 4); /* snprintf */
int tg_c_vsnprintf(char *to, size_t size, const char *format, va_list values); /* vsnprintf */

#endif
