/* core/io/zip_write.c: writes ZIP archives of stored and deflated entries. */
#include <string.h>

#include "core/io/zip.h"

/* ---- records ---- */

/* A record of little-endian values; the three end records together are the longest. */
typedef struct Bytes {
    uint8_t at[56 + 20 + 22];
    size_t count;
} Bytes;

static void put_bytes(Bytes *to, uint64_t x, int bytes) {
    for (int i = 0; i < bytes; i++) to->at[to->count++] = (uint8_t)(x >> (8 * i));
}

static void put_all(Bytes *to, const uint64_t *x, const char *sizes) {
    for (; *sizes; sizes++) put_bytes(to, *x++, *sizes - '0');
}

static uint64_t up_to(uint64_t x, uint64_t most) {
    return x < most ? x : most;
}

void tg_zip_begin(tg_ZipWriter *zip, tg_Output *out) {
    *zip = (tg_ZipWriter){.out = out};
    tg_output_memory(&zip->directory);
}

static bool add(tg_ZipWriter *zip, const char *name, uint64_t method, uint64_t packed, uint64_t bytes, uint32_t crc) {
    enum { DATE = 1 << 5 | 1, FILE_OF_UNIX = 3 << 8, READABLE = 0100644, UTF8 = 1 << 11 };
    const uint64_t at = zip->out->written, length = strlen(name);
    if (length > UINT16_MAX)
        return tg_fail("a name of %llu bytes is too long for %s", (unsigned long long)length,
                       "a ZIP archive, whose longest has 65535");
    uint64_t flags = 0;
    for (const char *c = name; *c; c++) flags |= (unsigned char)*c >= 128 ? UTF8 : 0;
    const bool is_large = bytes >= UINT32_MAX || packed >= UINT32_MAX, is_far = at >= UINT32_MAX;
    const uint64_t small = is_large ? UINT32_MAX : bytes, small_packed = is_large ? UINT32_MAX : packed;
    const uint64_t version = is_large || is_far ? 45 : 20;
    Bytes header = {.count = 0}, record = {.count = 0}, wide = {.count = 0};
    /* signature, version, flags, method, time, date, CRC, two sizes, lengths of the name and of the extra fields */
    put_all(&header, (uint64_t[]){0x04034b50, version, flags, method, 0, DATE, crc, small_packed, small, length,
                                  is_large ? 20 : 0},
            "42222244422");
    /* additionally the version made by, and at the end the comment's length, disk, attributes and the header's
     * offset */
    put_all(&record, (uint64_t[]){0x02014b50, FILE_OF_UNIX | version, version, flags, method, 0, DATE, crc,
                                  small_packed, small, length,
                                  (is_large || is_far ? 4 : 0) + (is_large ? 16 : 0) + (is_far ? 8 : 0),
                                  0, 0, 0, (uint64_t)READABLE << 16, up_to(at, UINT32_MAX)},
            "42222224442222244");
    if (is_large || is_far) put_all(&wide, (uint64_t[]){1, (is_large ? 16 : 0) + (is_far ? 8 : 0)}, "22");
    if (is_large) put_all(&wide, (uint64_t[]){bytes, packed}, "88");
    if (is_far) put_bytes(&wide, at, 8);
    zip->count++;
    bool ok = tg_output_write(&zip->directory, record.at, record.count) &&
        tg_output_write(&zip->directory, name, length) &&
              tg_output_write(&zip->directory, wide.at, wide.count);
    if (is_large) wide.at[2] = 16; /* the local header has only the sizes */
    return ok && tg_output_write(zip->out, header.at, header.count) && tg_output_write(zip->out, name, length) &&
           tg_output_write(zip->out, wide.at, is_large ? 20 : 0);
}

bool tg_zip_add(tg_ZipWriter *zip, const char *name, uint64_t bytes, uint32_t crc) {
    return add(zip, name, 0, bytes, bytes, crc);
}

bool tg_zip_add_deflated(tg_ZipWriter *zip, const char *name, uint64_t packed, uint64_t bytes, uint32_t crc) {
    return add(zip, name, 8, packed, bytes, crc);
}

bool tg_zip_end(tg_ZipWriter *zip, bool ok) {
    const uint64_t at = zip->out->written, bytes = zip->directory.written, count = zip->count;
    Bytes end = {.count = 0};
    if (count >= UINT16_MAX || at >= UINT32_MAX || bytes >= UINT32_MAX) {
        put_all(&end, (uint64_t[]){0x06064b50, 44, 45, 45, 0, 0, count, count, bytes, at}, "4822448888");
        put_all(&end, (uint64_t[]){0x07064b50, 0, at + bytes, 1}, "4484");
    }
    const uint64_t few = up_to(count, UINT16_MAX);
    put_all(&end, (uint64_t[]){0x06054b50, 0, 0, few, few, up_to(bytes, UINT32_MAX), up_to(at, UINT32_MAX), 0},
            "42222442");
    ok = ok && tg_output_write(zip->out, zip->directory.buffer, zip->directory.used) &&
        tg_output_write(zip->out, end.at, end.count);
    size_t taken;
    tg_output_take(&zip->directory, false, &taken);
    return ok;
}
