/* tests/support/compare.h: compares a kernel with its composed form, values and gradients; and the bits of
 * results for several thread counts. */
#ifndef TAPEGRAD_TESTS_SUPPORT_COMPARE_H
#define TAPEGRAD_TESTS_SUPPORT_COMPARE_H

#include "tests/support/support.h"

/* The input with that index, by kind as in support.h. */
Tensor *sample_input(const char *kind, const int64_t *shape, int ndim, int input, t_DType dtype);
double tolerance_of(t_DType dtype);

/* Notes where a and b differ by more than the tolerance; NaNs must agree. */
void expect_close(const char *what, Tensor *a, Tensor *b, double tolerance);
/* Also the gradients with respect to the tensors of x that require grad, within eight times that. */
void expect_same(const char *what, Tensor *a, Tensor *b, Tensor *const *x, int count, double tolerance);

/* A hash of x's bits; a hash of y and of its gradients with respect to x. */
uint64_t hash_of(uint64_t hash, const Tensor *x);
uint64_t hash_of_all(Tensor *y, Tensor *const *x, int count);
/* Notes if the hash with 2, 3 or 8 threads differs from the one with 1. */
void expect_same_with_threads(uint64_t (*hash)(void));

#endif
