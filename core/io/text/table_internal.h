/* core/io/text/table_internal.h: what the readers of tables of text share: the file in memory, its lines, a growing
 * array of elements (internal).
 *
 * The folder text/: numpy's loadtxt, genfromtxt and savetxt, and decimal numbers (decimal.h), which core/pandas uses
 * too. It includes core/io and core/tensor. */
#ifndef TAPEGRAD_CORE_IO_TEXT_TABLE_INTERNAL_H
#define TAPEGRAD_CORE_IO_TEXT_TABLE_INTERNAL_H

#include "core/io/file.h"
#include "core/io/text/text.h"

/* ---- a text in memory ---- */

typedef struct tg_Text {
    const char *name;     /* the file's, for messages */
    const char *at, *end; /* without a byte order mark */
    void *block;          /* the file's contents; NULL if they are the caller's */
    size_t bytes;
} tg_Text;
bool tg_text_open(tg_Text *text, const tg_Input *in); /* errors: the system's, out of memory */
void tg_text_close(tg_Text *text);

/* The line that begins at text->at, without its end, which is \n, \r\n or \r; false at the end of the text. */
bool tg_text_line(tg_Text *text, const char **begin, const char **end);

/* ---- elements of one dtype ---- */

typedef struct tg_Elements {
    t_DType dtype;
    char *data;
    int64_t count, capacity;
} tg_Elements;
/* Makes space for `more` elements; false with an error set on out of memory. */
bool tg_elements_reserve(tg_Elements *elements, int64_t more);
void tg_elements_free(tg_Elements *elements);
/* value in the dtype, at that index: floats are rounded, integers must fit. */
void tg_elements_set_double(tg_Elements *elements, int64_t index, double value);
void tg_elements_set_int64(tg_Elements *elements, int64_t index, int64_t value); /* of integers or bools */
bool tg_is_in_int64_range(int64_t value, t_DType dtype); /* whether the integer dtype has the value */
/* A tensor of rows x columns, as numpy squeezes it to ndmin dims, or its transpose; frees the elements. */
Tensor *tg_elements_take(tg_Elements *elements, int64_t rows, int64_t columns, int64_t ndmin, bool unpack);

bool tg_is_space(char c); /* ' ' and \t \n \v \f \r */
/* [begin, end) without white space around it. */
void tg_strip(const char **begin, const char **end);
/* "x.csv, line 3: ..." */
bool tg_fail_at_line(const tg_Text *text, int64_t line, const char *format, ...) T_PRINTF(3, 4);

#endif
