/* core/plot/text/format.h: numbers as text, independent of the locale (internal). */
#ifndef TAPEGRAD_CORE_PLOT_TEXT_FORMAT_H
#define TAPEGRAD_CORE_PLOT_TEXT_FORMAT_H

#include "core/tensor/c_locale.h"

/* Python's float(text): false if text is not a number. */
bool tg_read_number(const char *text, double *out);

/* Python's format(value, spec) for a float, and for an int: fill, alignment, sign, '#', '0', width, ',' or '_',
 * precision and one of the types e E f F g G n % (and d for an int); "n" is "g" (C locale). Results are truncated to
 * `capacity` bytes. False with an error set, in Python's words, where spec is wrong. b c o x X are not known: numbers
 * are written in tens. */
bool tg_format_spec(char *to, size_t capacity, const char *spec, double value);
bool tg_format_spec_int(char *to, size_t capacity, const char *spec, int64_t value);

#endif
