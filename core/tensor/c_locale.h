/* core/tensor/c_locale.h: formatting and parsing of numbers with a decimal point, whatever the program's locale is
 * (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_C_LOCALE_H
#define TAPEGRAD_CORE_TENSOR_C_LOCALE_H

#include <stdarg.h>

#include "core/tensor/api.h"

/* Between tg_point_begin and tg_point_end printf and strtod of this thread use the C locale's LC_NUMERIC. */
typedef struct tg_Point {
    void *plain, *before; /* a locale_t each */
} tg_Point;
tg_Point tg_point_begin(void);
void tg_point_end(tg_Point point);

int tg_print(char *to, size_t room, const char *format, ...) T_PRINTF(3, 4); /* snprintf */
int tg_print_list(char *to, size_t room, const char *format, va_list values); /* vsnprintf */

#endif
