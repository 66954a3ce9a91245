/* core/io/zlib/checksum.c: CRC-32 (ISO 3309, as in ZIP, gzip and PNG) and Adler-32 (RFC 1950). */
#include <pthread.h>

#include "core/io/zlib/zlib.h"

/* ---- CRC-32: the remainder of the bytes as a polynomial, lowest bit first, by 0xedb88320 ---- */

enum { SLICES = 16 };
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

/* 16 bytes at a time: the remainders of the bytes at their places are added. */
uint32_t tg_crc32(uint32_t crc, const void *bytes, size_t count) {
    const uint8_t *p = bytes;
    pthread_once(&once, make_remainders);
    crc = ~crc;
    for (; count >= SLICES; count -= SLICES, p += SLICES) {
        const uint32_t a = crc ^ (p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
        crc = remainders[15][a & 255] ^ remainders[14][a >> 8 & 255] ^ remainders[13][a >> 16 & 255] ^
              remainders[12][a >> 24];
        for (int i = 4; i < SLICES; i++) crc ^= remainders[SLICES - 1 - i][p[i]];
    }
    for (; count > 0; count--) crc = crc >> 8 ^ remainders[0][(crc ^ *p++) & 255];
    return ~crc;
}

/* ---- Adler-32: a = 1 + the sum of the bytes, b = the sum of all values of a, both modulo 65521 ---- */

/* In a block of n bytes x_i, b grows by n a + sum of (n - i) x_i. The bytes are added in columns: sum[j] of x_j,
 * x_(LANES + j), ..., and sums[j] of the values that sum[j] had before each row. */
uint32_t tg_adler32(uint32_t adler, const void *bytes, size_t count) {
    enum { LANES = 32, ROWS = 128, PRIME = 65521 };
    const uint8_t *p = bytes;
    uint64_t a = adler & 0xffff, b = adler >> 16;
    while (count >= LANES) {
        const size_t rows = count / LANES < ROWS ? count / LANES : ROWS, n = rows * LANES;
        uint32_t sum[LANES] = {0}, sums[LANES] = {0};
        for (size_t row = 0; row < rows; row++, p += LANES) {
            for (int j = 0; j < LANES; j++) sums[j] += sum[j];
            for (int j = 0; j < LANES; j++) sum[j] += p[j];
        }
        b += n * a;
        for (int j = 0; j < LANES; j++) {
            a += sum[j];
            b += (uint64_t)LANES * sums[j] + (uint64_t)(LANES - j) * sum[j];
        }
        a %= PRIME;
        b %= PRIME;
        count -= n;
    }
    for (; count > 0; count--) {
        a += *p++;
        b += a;
    }
    return (uint32_t)(b % PRIME << 16 | a % PRIME);
}
