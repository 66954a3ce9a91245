/* core/data/tqdm_internal.h: the columns of texts; the clock and the screen of progress bars (internal). */
#ifndef TAPEGRAD_CORE_DATA_TQDM_INTERNAL_H
#define TAPEGRAD_CORE_DATA_TQDM_INTERNAL_H

#include "core/data/tqdm.h"

/* The first character of UTF-8 text and its length in bytes. */
size_t tg_next_character(const char *text, uint32_t *point);
/* tqdm's disp_len: two for a wide character of East Asian scripts, none for escape sequences, one for others. */
int tg_text_columns(const char *text);
/* tqdm's disp_trim: at most that many columns; after a cut sequence of colours they are reset. */
void tg_trim_columns(char *text, int columns, size_t capacity);

/* For tests: seconds, and the size of the terminal less one (false: no terminal). */
typedef struct tg_TqdmCalls {
    double (*now)(void);
    bool (*screen)(int fd, int *columns, int *rows);
} tg_TqdmCalls;
extern tg_TqdmCalls tg_tqdm_calls;

enum { TG_TQDM_LINE = 8192, TG_TQDM_ERROR = 256, TG_TQDM_WIDEST = 1000 };
/* tqdm.format_meter into a buffer of at least TG_TQDM_LINE bytes. is_float: n is a float also if it is an integer.
 * error: TG_TQDM_ERROR bytes for Python's words on a bar_format; "" where there is none. */
void tg_tqdm_meter(double n, bool is_float, double total, double elapsed, double rate, const tqdm_Options *options,
                   char *to, size_t size, char *error);
/* The characters from empty to full: that many full ones, one in between, and empty ones; TG_TQDM_LINE bytes. */
void tg_tqdm_bar_text(double fraction, int columns, const char *ascii, const char *colour, char *to);
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
/* format.format(**fields); false with Python's error. */
bool tg_tqdm_format(const char *format, const tg_TqdmFields *fields, char *to, size_t size, char *error);
/* tqdm_format_num of a Python float, whose exact text has a point: "1.0". */
const char *tg_tqdm_format_float(double n);
void tg_tqdm_set_postfix(tqdm_tqdm *bar, const char *text); /* without drawing */

#endif
