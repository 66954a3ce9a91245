/* core/plot/text/utf8.h: code points of UTF-8, and their width in terminal columns (internal). */
#ifndef TAPEGRAD_CORE_PLOT_TEXT_UTF8_H
#define TAPEGRAD_CORE_PLOT_TEXT_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* The code point at *text, which is advanced; 0 at the end, without advancing. A byte that begins no valid sequence is
 * U+FFFD. */
uint32_t tg_utf8_next(const char **text);
/* Two columns wide: East Asian characters and emoji. */
bool tg_utf8_is_wide(uint32_t point);
/* No width: combining marks and zero-width characters. */
bool tg_utf8_is_mark(uint32_t point);
/* How many columns of a terminal a text takes on one line, a newline or tab being a space. */
int tg_utf8_columns(const char *text);

#endif
