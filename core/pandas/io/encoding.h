/* core/pandas/io/encoding.h: the encodings of read_csv (internal). */
#ifndef TAPEGRAD_CORE_PANDAS_IO_ENCODING_H
#define TAPEGRAD_CORE_PANDAS_IO_ENCODING_H

#include "core/io/text/table_internal.h"

bool tg_is_encoding(const char *name); /* of those that tg_decode knows; NULL is UTF-8 */
/* Makes the text UTF-8, in a block of its own. The encoding is one of those. Errors: a byte that is no character. */
bool tg_decode(tg_Text *text, const char *encoding);

#endif
