/* tests/autograd/test_autograd.h: what the files of the autograd and scope suites share. */
#ifndef TAPEGRAD_TESTS_AUTOGRAD_TEST_AUTOGRAD_H
#define TAPEGRAD_TESTS_AUTOGRAD_TEST_AUTOGRAD_H

#include "tests/support/support.h"

/* A float32 leaf that requires grad, from text. */
Tensor *leaf(const char *text);
/* x is close to the tensor of the text. */
void expect_values(Tensor *x, const char *text);
/* The handler was called once, with this sentence in its message; forgets the message. */
void expect_one_error(const char *sentence);

TCase *inplace_tests(void);
TCase *tape_tests(void);
TCase *memory_tests(void);

#endif
