/* core/io/zlib/huffman.h: blocks of DEFLATE from literals and matches (internal). */
#ifndef TAPEGRAD_CORE_IO_ZLIB_HUFFMAN_H
#define TAPEGRAD_CORE_IO_ZLIB_HUFFMAN_H

#include "core/io/zlib/zlib.h"

/* A literal (distance 0), or a match. */
typedef struct Symbol {
    uint16_t distance, value; /* value: the byte, or the length */
} Symbol;

typedef struct BitWriter {
    tg_Bytes *to;
    uint64_t bits; /* not yet written, the first one lowest */
    int count;
} BitWriter;

/* Writes the symbols as one block, in the shortest of its three forms; bytes: what they stand for. Errors: out of
 * memory. */
bool tg_write_block(BitWriter *w, const Symbol *symbols, int count, const uint8_t *bytes, size_t size, bool is_last);
/* Stored blocks, as many as needed. */
bool tg_write_stored(BitWriter *w, const uint8_t *bytes, size_t size, bool is_last);

#endif
