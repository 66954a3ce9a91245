/* tests/fuzz/text_parsers.h: the readers of tokenizers' files, and encoding, for parsers.c. */
#ifndef TAPEGRAD_TESTS_FUZZ_TEXT_PARSERS_H
#define TAPEGRAD_TESTS_FUZZ_TEXT_PARSERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

const char *fuzz_text_parser(int i); /* its name; NULL after the last */

/* As fuzz_one: aborts if the reader fails without a message that names the file, leaks, or makes a tokenizer with which
 * decode(encode(x)) is not x. False if it is none of these parsers. */
bool fuzz_text(const char *parser, const uint8_t *data, size_t size);

#endif
