/* tests/fuzz/parsers.h: runs one of the readers over a file's bytes, for the fuzzer (target.c) and for the files that
 * it found (replay.c). */
#ifndef TAPEGRAD_TESTS_FUZZ_PARSERS_H
#define TAPEGRAD_TESTS_FUZZ_PARSERS_H

#include <stddef.h>
#include <stdint.h>

const char *fuzz_parser(int i); /* its name; NULL after the last */

/* Prints the reason and aborts if the reader misbehaves: if it fails without a message or with one that does not name
 * the file, returns a dict that cannot be written and read again, takes more memory than the file's size explains, or
 * leaks. */
void fuzz_one(const char *parser, const uint8_t *data, size_t size);
void fuzz_path(const char *path); /* the same file through each function that takes a path */

#endif
