/* examples/mnist/digits.h: a set of digits in MNIST's format, drawn by a rule. */
#ifndef EXAMPLES_MNIST_DIGITS_H
#define EXAMPLES_MNIST_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

/* Writes FOLDER/MNIST/raw with `train` images for training and `test` others. The same seed gives the same files.
 * False, with t_error() set, if a file cannot be written. */
bool write_digits(const char *folder, int64_t train, int64_t test, int64_t seed);

/* Whether FOLDER/MNIST/raw has the four files, or the same compressed (.gz). */
bool have_digits(const char *folder);

#endif
