/* core/io/zlib/zlib.c: the frames around a DEFLATE stream: zlib's (RFC 1950) and gzip's (RFC 1952). */
#include "core/io/zlib/zlib.h"

#include <inttypes.h>
#include <string.h>

enum { DEFLATE = 8 }; /* the only method */

/* ---- a growing block ---- */

bool tg_bytes_reserve(tg_Bytes *bytes, size_t capacity) {
    if (capacity <= bytes->capacity) return true;
    uint8_t *larger = tg_alloc_raw(capacity);
    if (!larger) return false;
    if (bytes->count) memcpy(larger, bytes->at, bytes->count);
    tg_free(bytes->at, bytes->capacity);
    bytes->at = larger;
    bytes->capacity = capacity;
    return true;
}

void tg_bytes_free(tg_Bytes *bytes) {
    tg_free(bytes->at, bytes->capacity);
    *bytes = (tg_Bytes){0};
}

/* ---- unpacking ---- */

static bool broken(const tg_Compressed *from, size_t at, const char *reason) {
    return tg_fail("%s, byte %" PRIu64 ": %s", from->name, from->first + at, reason);
}

static bool truncated(const tg_Compressed *from) {
    return broken(from, from->size, "incomplete or truncated stream");
}

static uint32_t little_endian(const uint8_t *from, int bytes) {
    uint32_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint32_t)from[i] << (8 * i);
    return x;
}

static uint32_t big_endian(const uint8_t *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

/* The DEFLATE stream at byte `at`. */
static bool inflate_at(tg_Compressed *from, size_t at, tg_Bytes *to, size_t limit) {
    tg_Compressed stream = {from->bytes + at, from->size - at, from->name, from->first + at, 0, from->is_prefix, false};
    const bool ok = tg_inflate(&stream, to, limit);
    from->used = at + stream.used;
    from->is_cut = stream.is_cut;
    return ok;
}

bool tg_zlib_unpack(tg_Compressed *from, tg_Bytes *to, size_t limit) {
    enum { HEADER = 2, TRAILER = 4, HAS_DICTIONARY = 32 };
    const uint8_t *bytes = from->bytes;
    const size_t before = to->count;
    from->used = 0;
    if (from->size < HEADER) return truncated(from);
    if ((bytes[0] << 8 | bytes[1]) % 31 != 0) return broken(from, 0, "incorrect header check");
    if ((bytes[0] & 15) != DEFLATE) return broken(from, 0, "unknown compression method");
    if (bytes[0] >> 4 > 7) return broken(from, 0, "invalid window size");
    if (bytes[1] & HAS_DICTIONARY) return broken(from, 1, "need dictionary");
    if (!inflate_at(from, HEADER, to, limit)) return false;
    if (from->is_cut) return true;
    if (from->size - from->used < TRAILER) return truncated(from);
    if (tg_adler32(1, to->at + before, to->count - before) != big_endian(bytes + from->used))
        return broken(from, from->used, "incorrect data check");
    from->used += TRAILER;
    return true;
}

bool tg_gzip_is(const uint8_t *bytes, size_t size) {
    return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* The length of the header at byte `at`; 0 after an error. Its fields after the first 10 bytes: extra ones, the file's
 * name and a comment, which end with a zero, and the header's checksum. */
static size_t gzip_header(const tg_Compressed *from, size_t at) {
    enum { HEADER = 10, HAS_CHECK = 2, HAS_EXTRA = 4, HAS_NAME = 8, HAS_COMMENT = 16, RESERVED = 0xe0 };
    const size_t size = from->size - at;
    const uint8_t *header = size ? from->bytes + at : NULL;
    if (!tg_gzip_is(header, size)) return broken(from, at, "not a gzip member: it does not begin with 1f 8b");
    if (size < HEADER) return truncated(from);
    if (header[2] != DEFLATE) return broken(from, at + 2, "unknown compression method");
    const int flags = header[3];
    if (flags & RESERVED) return broken(from, at + 3, "unknown header flags set");
    size_t length = HEADER;
    if (flags & HAS_EXTRA) {
        if (size - length < 2) return truncated(from);
        length += 2 + little_endian(header + length, 2);
        if (length > size) return truncated(from);
    }
    for (int text = HAS_NAME; text <= HAS_COMMENT; text *= 2) {
        if (!(flags & text)) continue;
        const uint8_t *end = length < size ? memchr(header + length, 0, size - length) : NULL;
        if (!end) return truncated(from);
        length = (size_t)(end + 1 - header);
    }
    if (flags & HAS_CHECK) {
        if (size - length < 2) return truncated(from);
        if ((tg_crc32(0, header, length) & 0xffff) != little_endian(header + length, 2))
            return broken(from, at + length, "header crc mismatch");
        length += 2;
    }
    return length;
}

bool tg_gzip_unpack(tg_Compressed *from, tg_Bytes *to, size_t limit) {
    enum { TRAILER = 8 };
    from->used = 0;
    do {
        const size_t before = to->count, header = gzip_header(from, from->used);
        if (!header || !inflate_at(from, from->used + header, to, limit)) return false;
        if (from->size - from->used < TRAILER) return truncated(from);
        const uint8_t *trailer = from->bytes + from->used;
        const size_t count = to->count - before;
        if (tg_crc32(0, to->at + before, count) != little_endian(trailer, 4))
            return broken(from, from->used, "incorrect data check");
        if ((uint32_t)count != little_endian(trailer + 4, 4))
            return broken(from, from->used + 4, "incorrect length check");
        from->used += TRAILER;
        while (from->used < from->size && from->bytes[from->used] == 0) from->used++;
    } while (from->used < from->size);
    return true;
}

/* ---- packing ---- */

static bool append(tg_Bytes *to, const uint8_t *bytes, size_t count) {
    if (!tg_bytes_reserve(to, to->count + count)) return false;
    memcpy(to->at + to->count, bytes, count);
    to->count += count;
    return true;
}

bool tg_zlib_pack(const void *bytes, size_t size, int level, tg_Bytes *to) {
    const uint32_t sum = tg_adler32(1, bytes, size);
    const int speed = level < 2 ? 0 : level < TG_DEFLATE_DEFAULT ? 1 : level == TG_DEFLATE_DEFAULT ? 2 : 3;
    uint8_t header[2] = {0x78, (uint8_t)(speed << 6)}; /* a window of 32 KiB */
    header[1] = (uint8_t)(header[1] + 31 - (header[0] << 8 | header[1]) % 31);
    const uint8_t trailer[] = {(uint8_t)(sum >> 24), (uint8_t)(sum >> 16), (uint8_t)(sum >> 8), (uint8_t)sum};
    return append(to, header, sizeof header) && tg_deflate(bytes, size, level, to) &&
           append(to, trailer, sizeof trailer);
}

bool tg_gzip_pack(const void *bytes, size_t size, int level, tg_Bytes *to) {
    enum { BEST = 2, FASTEST = 4, UNKNOWN_SYSTEM = 255 };
    /* no flags, no time */
    const uint8_t header[10] = {
        0x1f, 0x8b, DEFLATE, 0, 0, 0, 0, 0, level == 9 ? BEST : level == 1 ? FASTEST : 0, UNKNOWN_SYSTEM};
    const uint32_t crc = tg_crc32(0, bytes, size);
    uint8_t trailer[8];
    for (int i = 0; i < 4; i++) {
        trailer[i] = (uint8_t)(crc >> (8 * i));
        trailer[4 + i] = (uint8_t)((uint32_t)size >> (8 * i));
    }
    return append(to, header, sizeof header) && tg_deflate(bytes, size, level, to) &&
           append(to, trailer, sizeof trailer);
}
