/* examples/cifar/shapes.h: a set of coloured shapes in CIFAR-10's format, drawn by a rule. */
#ifndef EXAMPLES_CIFAR_SHAPES_H
#define EXAMPLES_CIFAR_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

/* Writes FOLDER/cifar-10-batches-bin: five files of train / 5 images, one of `test` images, and the names of the ten
 * classes. The same seed gives the same files. False, with t_error() set, if a file cannot be written. */
bool write_shapes(const char *folder, int64_t train, int64_t test, int64_t seed);

/* Whether FOLDER has CIFAR-10's Python version or the binary one. */
bool have_cifar10(const char *folder);

#endif
