/* core/io/text/text_file.h: text files that are written whole, gzip-compressed or not (internal). */
#ifndef TAPEGRAD_CORE_IO_TEXT_TEXT_FILE_H
#define TAPEGRAD_CORE_IO_TEXT_TEXT_FILE_H

#include "core/io/file.h"

bool tg_has_ending(const char *path, const char *ending); /* path.endswith(".gz") */

/* Writes what `write` puts out to a temporary file, which becomes `path`; is_gzip: compressed, at level 9 as Python's
 * gzip.open. */
bool tg_write_text_file(const char *path, bool is_gzip, bool (*write)(tg_Output *out, void *argument), void *argument);

#endif
