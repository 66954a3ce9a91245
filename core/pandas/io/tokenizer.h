/* core/pandas/io/tokenizer.h: fields and lines of a CSV text, as pandas' C tokenizer splits them (internal). */
#ifndef TAPEGRAD_CORE_PANDAS_IO_TOKENIZER_H
#define TAPEGRAD_CORE_PANDAS_IO_TOKENIZER_H

#include "core/io/text/table_internal.h"
#include "core/pandas/io/read_csv.h"

typedef struct tg_Tokenizer {
    tg_Text text; /* at: the next character */
    const pd_ReadCsvOptions *options;
    char sep;             /* '\0': white space */
    void *block;          /* the text with another separator; NULL: none was needed */
    size_t block_size;
    bool ends_field[256]; /* bytes at which a plain field may end or need a closer look */
    int64_t line;         /* of text.at, from 1 */
    char *scratch;        /* fields without their quotes */
    size_t scratch_size;
} tg_Tokenizer;

typedef struct tg_Field {
    const char *begin, *end; /* in the text, or in scratch until the next field */
    bool ends_line;          /* it is the last one of its line */
} tg_Field;

bool tg_is_long_sep(const char *sep); /* several characters, but not "\\s+" */
/* The text of a separator of several characters, without the backslashes of a regular expression; false if it is empty,
 * longer than TG_LONGEST_SEP or needs a regular expression. */
enum { TG_LONGEST_SEP = 15 };
bool tg_literal_sep(const char *sep, char literal[TG_LONGEST_SEP + 1]);

bool tg_tokenizer_open(tg_Tokenizer *t, const tg_Input *in, const pd_ReadCsvOptions *options);
void tg_tokenizer_close(tg_Tokenizer *t);
/* Goes to the next line with fields, past blank lines and comments; false at the end of the text. */
bool tg_tokenizer_next_line(tg_Tokenizer *t);
void tg_tokenizer_skip_line(tg_Tokenizer *t); /* to the next line, whatever is in this one */
/* Reads the next field. Errors: the end of the text within quotes; out of memory. */
bool tg_tokenizer_field(tg_Tokenizer *t, tg_Field *field);
/* The number of fields of the line that begins at text.at, which is not read; -1 on an error. */
int64_t tg_tokenizer_count_fields(tg_Tokenizer *t);
/* "x.csv: Error tokenizing data. C error: ..." */
bool tg_tokenizer_fail(const tg_Tokenizer *t, const char *format, ...) T_PRINTF(2, 3);

#endif
