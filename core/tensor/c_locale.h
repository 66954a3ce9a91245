/* core/tensor/c_locale.h: numbers are written and read with a point, whatever locale the program has set (internal). */
#ifndef TAPEGRAD_CORE_TENSOR_C_LOCALE_H
#define TAPEGRAD_CORE_TENSOR_C_LOCALE_H

#include <stdarg.h>

#include "core/tensor/api.h"

/* Between these two printf and strtod know no other locale, in this thread. */
typedef struct tg_Point {
    void *plain, *before; /* a locale_t each */
} tg_Point;
tg_Point tg_point_begin(void);
void tg_point_end(tg_Point point);

int tg_print(char *to, size_t room, const char *format, ...) T_PRINTF(3, 4); /* snprintf */
int tg_print_list(char *to, size_t room, const char *format, va_list values); /* vsnprintf */

#endif
