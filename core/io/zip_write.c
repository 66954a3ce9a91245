/* core/io/zip_write.c: writes ZIP archives of stored entries; CRC-32. */
#include <pthread.h>
#include <string.h>

#include "core/io/zip.h"

/* ---- CRC-32: the remainder of the bytes as a polynomial, lowest bit first, by 0xedb88320 ---- */

enum { SLICES = 8 };
static uint32_t remainders[SLICES][256]; /* [s][b]: of byte b followed by s zero bytes */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_remainders(void) {
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t r = b;
        for (int bit = 0; bit < 8; bit++) r = r >> 1 ^ (r & 1 ? 0xedb88320u : 0);
        remainders[0][b] = r;
    }
    for (int s = 1; s < SLICES; s++)
        for (int b = 0; b < 256; b++)
            remainders[s][b] = remainders[s - 1][b] >> 8 ^ remainders[0][remainders[s - 1][b] & 255];
}

uint32_t tg_crc32(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *p = bytes;
    pthread_once(&once, make_remainders);
    crc = ~crc;
    for (; count >= SLICES; count -= SLICES, p += SLICES) {
        const uint32_t a = crc ^ (p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        crc = remainders[7][a & 255] ^ remainders[6][a >> 8 & 255] ^ remainders[5][a >> 16 & 255] ^
              remainders[4][a >> 24] ^
              remainders[3][p[4]] ^ remainders[2][p[5]] ^ remainders[1][p[6]] ^ remainders[0][p[7]];
    }
    for (; count > 0; count--) crc = crc >> 8 ^ remainders[0][(crc ^ *p++) & 255];
    return ~crc;
}

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

bool tg_zip_add(tg_ZipWriter *zip, const char *name, uint64_t bytes, uint32_t crc) {
    enum { DATE = 1 << 5 | 1, FILE_OF_UNIX = 3 << 8, READABLE = 0100644, UTF8 = 1 << 11 };
    const uint64_t at = zip->out->written, length = strlen(name), small = up_to(bytes, UINT32_MAX);
    if (length > UINT16_MAX)
        return tg_fail("a name of %llu bytes is too long for %s", (unsigned long long)length,
                       "a ZIP archive, whose longest has 65535");
    uint64_t flags = 0;
    for (const char *c = name; *c; c++) flags |= (unsigned char)*c >= 128 ? UTF8 : 0;
    const bool is_large = small == UINT32_MAX, is_far = at >= UINT32_MAX;
    const uint64_t version = is_large || is_far ? 45 : 20;
    Bytes header = {.count = 0}, record = {.count = 0}, wide = {.count = 0};
    /* signature, version, flags, method, time, date, CRC, two sizes, lengths of the name and of the extra fields */
    put_all(&header, (uint64_t[]){0x04034b50, version, flags, 0, 0, DATE, crc, small, small, length, is_large ? 20 : 0},
            "42222244422");
    /* additionally the version made by, and at the end the comment's length, disk, attributes and the header's
     * offset */
    put_all(&record, (uint64_t[]){0x02014b50, FILE_OF_UNIX | version, version, flags, 0, 0, DATE, crc, small, small,
                                  length, (is_large || is_far ? 4 : 0) + (is_large ? 16 : 0) + (is_far ? 8 : 0),
                                  0, 0, 0, (uint64_t)READABLE << 16, up_to(at, UINT32_MAX)},
            "42222224442222244");
    if (is_large || is_far) put_all(&wide, (uint64_t[]){1, (is_large ? 16 : 0) + (is_far ? 8 : 0)}, "22");
    if (is_large) put_all(&wide, (uint64_t[]){bytes, bytes}, "88");
    if (is_far) put_bytes(&wide, at, 8);
    zip->count++;
    bool ok = tg_output_write(&zip->directory, record.at, record.count) &&
        tg_output_write(&zip->directory, name, length) &&
              tg_output_write(&zip->directory, wide.at, wide.count);
    if (is_large) wide.at[2] = 16; /* the local header has only the sizes */
    return ok && tg_output_write(zip->out, header.at, header.count) && tg_output_write(zip->out, name, length) &&
           tg_output_write(zip->out, wide.at, is_large ? 20 : 0);
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
