/* core/io/text/decimal.h: decimal numbers in text to float64 and int64, for readers of tables (internal).
 *
 * The value is the float64 nearest to the number, ties to even, whatever the program's locale is. */
#ifndef TAPEGRAD_CORE_IO_TEXT_DECIMAL_H
#define TAPEGRAD_CORE_IO_TEXT_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Reads [+-]digits[.digits][e[+-]digits], inf, infinity or nan in any case, and returns the end of what it read; NULL
 * if `at` begins no number. 1e400 is inf, 1e-400 is 0. point: the decimal point. The text is at .. end - 1. */
const char *tg_parse_double(const char *at, const char *end, char point, double *value);

typedef enum tg_Parsed { tg_parsed, tg_not_a_number, tg_too_large } tg_Parsed;
/* Reads the whole text as [+-]digits. */
tg_Parsed tg_parse_int64(const char *at, const char *end, int64_t *value);

#endif
