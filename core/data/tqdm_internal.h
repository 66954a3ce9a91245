/* core/data/tqdm_internal.h: the texts and columns of progress bars; their clock and screen (internal). */
#ifndef TAPEGRAD_CORE_DATA_TQDM_INTERNAL_H
#define TAPEGRAD_CORE_DATA_TQDM_INTERNAL_H

#include <stdarg.h>

#include "core/data/tqdm.h"

/* The first character of UTF-8 text and its length in bytes. */
size_t tg_next_character(const char *text, uint32_t *point);
/* tqdm's disp_len: two for a wide character of East Asian scripts, none for escape sequences, one for others. */
int tg_text_columns(const char *text);
/* tqdm's disp_trim: at most that many columns; true if the text has colours that end nowhere in it: reset them. */
bool tg_trim_columns(char *text, int columns);

/* A text that grows: data ends with a zero, and is NULL as long as nothing was written. */
typedef struct tg_TqdmText {
    char *data;
    size_t size, capacity; /* bytes, without the zero and with it */
} tg_TqdmText;
/* Room for so many more bytes and a zero; false on out of memory. */
bool tg_tqdm_reserve(tg_TqdmText *self, size_t more);
/* Append; false on out of memory. */
bool tg_tqdm_put(tg_TqdmText *self, const char *text, size_t length);
bool tg_tqdm_print(tg_TqdmText *self, const char *format, ...) T_PRINTF(2, 3);
bool tg_tqdm_vprint(tg_TqdmText *self, const char *format, va_list arguments);
bool tg_tqdm_clear(tg_TqdmText *self);
void tg_tqdm_free(tg_TqdmText *self);

/* Copies of the texts in options; NULL stays NULL. */
typedef struct tg_TqdmCopies {
    tg_TqdmText desc, postfix, unit, ascii, colour, bar_format;
} tg_TqdmCopies;
/* Then the options have the copies. On out of memory nothing has changed. */
bool tg_tqdm_copy(tg_TqdmCopies *self, tqdm_Options *options);
void tg_tqdm_copies_free(tg_TqdmCopies *self);

/* A line, and what it is made of; kept from one drawing to the next. */
typedef struct tg_TqdmTexts {
    tg_TqdmText line, left, right, postfix, format, field, rate, normal, inverse;
} tg_TqdmTexts;
void tg_tqdm_texts_free(tg_TqdmTexts *self);

/* For tests: seconds, and the size of the terminal less one (false: no terminal). */
typedef struct tg_TqdmCalls {
    double (*now)(void);
    bool (*screen)(int fd, int *columns, int *rows);
} tg_TqdmCalls;
extern tg_TqdmCalls tg_tqdm_calls;

enum { TG_TQDM_ERROR = 256 };
/* tqdm.format_meter into texts->line; false on out of memory. is_float: n is a float also if it is an integer.
 * error: TG_TQDM_ERROR bytes for Python's words on a bar_format; "" where there is none. */
bool tg_tqdm_meter(double n, bool is_float, double total, double elapsed, double rate, const tqdm_Options *options,
                   tg_TqdmTexts *texts, char *error);
/* Appends the characters from empty to full: that many full ones, one in between, and empty ones. */
bool tg_tqdm_put_bar(tg_TqdmText *to, double fraction, int columns, const char *ascii, const char *colour);
/* str(n): an integer, or Python's float; 48 bytes. */
void tg_tqdm_number_text(double n, bool is_float, char *to);

/* ---- bar_format (tqdm_format.c) ---- */

typedef enum tg_TqdmKind {
    TG_TQDM_NONE,
    TG_TQDM_TEXT,
    TG_TQDM_INT,
    TG_TQDM_FLOAT,
    TG_TQDM_ETA, /* seconds from now; negative: 1970 */
    TG_TQDM_BAR
} tg_TqdmKind;
typedef struct tg_TqdmField {
    const char *name;
    tg_TqdmKind kind;
    const char *text;
    double number;
} tg_TqdmField;
typedef struct tg_TqdmFields {
    const tg_TqdmField *items;
    int count;
    double fraction; /* of the bar */
    int columns;     /* that the bar has without a width of its own; negative: it is not written, but noted: */
    bool *has_bar;
    const char *ascii, *colour;
} tg_TqdmFields;
/* format.format(**fields) into *to; false with Python's error, and on out of memory with the error "". field: a text
 * for the names of fields. */
bool tg_tqdm_format(const char *format, const tg_TqdmFields *fields, tg_TqdmText *to, tg_TqdmText *field, char *error);
/* tqdm_format_num of a Python float, whose exact text has a point: "1.0". */
const char *tg_tqdm_format_float(double n);
bool tg_tqdm_set_postfix(tqdm_tqdm *bar, const char *text); /* without drawing */

#endif
