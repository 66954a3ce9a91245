/* tests/fuzz/parsers.h: one file's bytes through one of the readers, for the fuzzer (target.c) and for the files that it has
 * found (replay.c). */
#ifndef TAPEGRAD_TESTS_FUZZ_PARSERS_H
#define TAPEGRAD_TESTS_FUZZ_PARSERS_H

#include <stddef.h>
#include <stdint.h>

const char *fuzz_parser(int i); /* its name; NULL behind the last */

/* Aborts, having said why, where the reader does what it must not: fail without a message or with one that does not name the
 * file, give a dict that cannot be written and read again, take more memory than the file's size explains, or leak. */
void fuzz_one(const char *parser, const uint8_t *data, size_t size);

#endif
