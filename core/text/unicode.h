/* core/text/unicode.h: characters of UTF-8 and the classes that tokenizers' patterns tell apart (internal). */
#ifndef TAPEGRAD_CORE_TEXT_UNICODE_H
#define TAPEGRAD_CORE_TEXT_UNICODE_H

#include <stddef.h>
#include <stdint.h>

/* [^\s\p{L}\p{N}], \p{L}, \p{N}, \s of Unicode 16.0. */
typedef enum tg_CharClass { TG_OTHER, TG_LETTER, TG_NUMBER, TG_SPACE } tg_CharClass;

enum { TG_REPLACEMENT = 0xfffd, TG_INVALID_BYTE = 0x110000 };

/* The character at *at, and *at after it. A byte that begins no valid character is one by itself: TG_INVALID_BYTE, of
 * class TG_OTHER. */
uint32_t tg_next_char(const uint8_t **at, const uint8_t *end);
tg_CharClass tg_char_class(uint32_t c);
/* 1 for capitals (Lu, Lt), 2 for small letters (Ll), 3 for letters without a case and marks (Lm, Lo, M), else 0. */
int tg_char_case(uint32_t c);
uint32_t tg_char_lower(uint32_t c);    /* the small letter of a capital, where it is one character; else c */
int tg_put_char(uint32_t c, char *to); /* 1 to 4 bytes of UTF-8 */

#endif
