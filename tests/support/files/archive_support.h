/* tests/support/files/archive_support.h: writes ZIP archives in memory, for tests. */
#ifndef TAPEGRAD_TESTS_SUPPORT_FILES_ARCHIVE_SUPPORT_H
#define TAPEGRAD_TESTS_SUPPORT_FILES_ARCHIVE_SUPPORT_H

#include "core/ops/dict.h"
#include "tests/support/support.h"

typedef struct Piece {
    const char *name, *bytes;
    size_t size;
} Piece;
/* Bytes given as a string literal. */
#define PIECE(name, bytes) {name, bytes, sizeof(bytes) - 1}

/* malloced */
void *archive_of(const Piece *pieces, int count, size_t *size);

#endif
