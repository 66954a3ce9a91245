/* tests/interop/pack.c: packs and unpacks bytes for tests/interop/pack.py, which compares with Python's zlib. Reads
 * records from stdin: an operation (i inflate, z zlib, g gzip, d deflate, Z and G pack in those frames), a digit (the
 * level), a size in 4 bytes, and the bytes; writes for each 1 or 0 for an error, a size, and the result or the error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/io/zlib/zlib.h"

static bool run(char operation, int level, const uint8_t *bytes, size_t size, tg_Bytes *to) {
    const size_t limit = (size_t)1 << 28;
    tg_Compressed packed = {bytes, size, "stdin", 0, 0, false, false};
    switch (operation) {
    case 'i': return tg_inflate(&packed, to, limit);
    case 'z': return tg_zlib_unpack(&packed, to, limit);
    case 'g': return tg_gzip_unpack(&packed, to, limit);
    case 'd': return tg_deflate(bytes, size, level, to);
    case 'Z': return tg_zlib_pack(bytes, size, level, to);
    case 'G': return tg_gzip_pack(bytes, size, level, to);
    default: return tg_fail("no operation %c", operation) != NULL;
    }
}

static void write_record(bool ok, const void *bytes, size_t size) {
    const uint8_t header[5] = {ok, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)(size >> 16), (uint8_t)(size >> 24)};
    fwrite(header, 1, sizeof header, stdout);
    if (size) fwrite(bytes, 1, size, stdout);
    fflush(stdout);
}

int main(void) {
    uint8_t header[6];
    while (fread(header, 1, sizeof header, stdin) == sizeof header) {
        const size_t size = header[2] | (size_t)header[3] << 8 | (size_t)header[4] << 16 | (size_t)header[5] << 24;
        uint8_t *bytes = malloc(size ? size : 1);
        if (!bytes || fread(bytes, 1, size, stdin) != size) return EXIT_FAILURE;
        tg_Bytes to = {0};
        const bool ok = run((char)header[0], header[1] - '0', bytes, size, &to);
        const char *error = t_error_message();
        if (ok)
            write_record(true, to.at, to.count);
        else
            write_record(false, error ? error : "", error ? strlen(error) : 0);
        t_clear_error();
        tg_bytes_free(&to);
        free(bytes);
    }
    return EXIT_SUCCESS;
}
