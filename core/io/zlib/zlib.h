/* core/io/zlib/zlib.h: DEFLATE compression of bytes in memory, with its two frames, zlib and gzip (internal).
 *
 *     checksum.c    CRC-32 and Adler-32
 *     inflate.c     unpacking: RFC 1951, DEFLATE
 *     deflate.c     packing: matches by hash chains; huffman.c: the blocks, in prefix codes
 *     zlib.c        the zlib frame, RFC 1950 (PNG), and the gzip frame, RFC 1952
 *
 * Whole buffers, not streams: what is unpacked is in memory at once, up to a limit that the caller states. The texts of
 * errors are zlib's, after the file's name and the position. Includes core/tensor alone. */
#ifndef TAPEGRAD_CORE_IO_ZLIB_ZLIB_H
#define TAPEGRAD_CORE_IO_ZLIB_ZLIB_H

#include "core/tensor/context.h"

/* The checksums of the bytes so far, 0 and 1 at the beginning, and of `count` more. */
uint32_t tg_crc32(uint32_t crc, const void *bytes, size_t count);
uint32_t tg_adler32(uint32_t adler, const void *bytes, size_t count);

/* A block of memory that grows. {0} is an empty one. */
typedef struct tg_Bytes {
    uint8_t *at;
    size_t count, capacity;
} tg_Bytes;
bool tg_bytes_reserve(tg_Bytes *bytes, size_t capacity); /* at least; errors: out of memory */
void tg_bytes_free(tg_Bytes *bytes);

/* ---- unpacking ---- */

/* Compressed bytes. */
typedef struct tg_Compressed {
    const uint8_t *bytes;
    size_t size;
    const char *name; /* of the file, for messages: "x.png, byte 57: invalid block type" */
    uint64_t first;   /* the position of the first byte in it */
    size_t used;      /* set: how many were read; after an error, about where it is */
    bool is_prefix;   /* data that are longer than the limit are no error: the rest is left, and not checked; */
    bool is_cut;      /* set: they were */
} tg_Compressed;

/* Each appends what is unpacked to `to`, which the caller frees, also after an error. The limit is the largest count of
 * `to`. With capacity == limit nothing is allocated. Errors: the data are broken or truncated, or longer. */
bool tg_inflate(tg_Compressed *from, tg_Bytes *to, size_t limit);
bool tg_zlib_unpack(tg_Compressed *from, tg_Bytes *to, size_t limit);
/* All members of the file, and zeros after them, as Python's gzip. */
bool tg_gzip_unpack(tg_Compressed *from, tg_Bytes *to, size_t limit);
bool tg_gzip_is(const uint8_t *bytes, size_t size); /* whether they begin like a gzip file */

/* ---- packing ---- */

enum { TG_DEFLATE_DEFAULT = 6 };

/* Each appends to `to`, which the caller frees, also after an error (out of memory). Levels as zlib's: 0 stores, 1 is
 * the fastest, 9 the smallest. */
bool tg_deflate(const void *bytes, size_t size, int level, tg_Bytes *to);
bool tg_zlib_pack(const void *bytes, size_t size, int level, tg_Bytes *to);
bool tg_gzip_pack(const void *bytes, size_t size, int level, tg_Bytes *to);

#endif
