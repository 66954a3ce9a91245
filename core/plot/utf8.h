/* core/plot/utf8.h: text as code points, and as columns of a terminal (internal). */
#ifndef TAPEGRAD_CORE_PLOT_UTF8_H
#define TAPEGRAD_CORE_PLOT_UTF8_H

#include <stdbool.h>
#include <stdint.h>

/* The code point at *text, which moves behind it; 0 at the end, where it stays. A byte that begins no valid sequence
 * counts as U+FFFD. */
uint32_t tg_utf8_next(const char **text);
/* Twice as wide as a Latin letter: the letters of East Asia and the pictures that are called emoji. */
bool tg_utf8_is_wide(uint32_t point);
/* Drawn over the character before it: combining marks and what has no width at all. */
bool tg_utf8_is_mark(uint32_t point);
/* How many columns of a terminal a text takes on one line, a newline or tab being a space. */
int tg_utf8_columns(const char *text);

#endif
