/* core/io/text/text_file.c: text files that are written whole. */
#include "core/io/text/text_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/io/zlib/zlib.h"

bool tg_has_ending(const char *path, const char *ending) {
    const size_t length = strlen(path), n = strlen(ending);
    return length >= n && strcmp(path + length - n, ending) == 0;
}

bool tg_write_text_file(const char *path, bool is_gzip, bool (*write)(tg_Output *out, void *argument), void *argument) {
    tg_Output out, text;
    size_t size = 0;
    tg_Bytes packed = {0};
    if (!is_gzip) return tg_output_open(&out, path) && tg_output_commit(&out, write(&out, argument));
    tg_output_memory(&text);
    uint8_t *bytes = tg_output_take(&text, write(&text, argument), &size);
    bool ok = bytes && tg_gzip_pack(bytes, size, 9, &packed) && tg_output_open(&out, path);
    free(bytes);
    ok = ok && tg_output_commit(&out, tg_output_write(&out, packed.at, packed.count));
    tg_bytes_free(&packed);
    return ok;
}
