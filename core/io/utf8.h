/* core/io/utf8.h: UTF-8, checked and written (internal). */
#ifndef TAPEGRAD_CORE_IO_UTF8_H
#define TAPEGRAD_CORE_IO_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The length of the valid prefix of a text of `size` bytes. */
size_t tg_utf8_valid(const char *text, size_t size);
/* Writes a character, 1 to 4 bytes; the end of them. */
char *tg_utf8_write(char *to, uint32_t point);

#endif
