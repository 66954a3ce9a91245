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

enum { TG_TQDM_LINE = 8192 };
/* tqdm.format_meter into a buffer of at least TG_TQDM_LINE bytes. is_float: n is a float also if it is an integer. */
void tg_tqdm_meter(double n, bool is_float, double total, double elapsed, double rate, const tqdm_Options *options,
                   char *to, size_t size);
/* tqdm_format_num of a Python float, whose exact text has a point: "1.0". */
const char *tg_tqdm_format_float(double n);
void tg_tqdm_set_postfix(tqdm_tqdm *bar, const char *text); /* without drawing */

#endif
