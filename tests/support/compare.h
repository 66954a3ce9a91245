/* tests/support/compare.h: a kernel beside what it stands for: values and gradients, and the same bits for any number of threads. */
#ifndef TAPEGRAD_TESTS_SUPPORT_COMPARE_H
#define TAPEGRAD_TESTS_SUPPORT_COMPARE_H

#include "tests/support/support.h"

/* The input of that number, by kind as in support.h. */
Tensor *numbers(const char *kind, const int64_t *shape, int ndim, int input, t_DType dtype);
double tolerance_of(t_DType dtype);

/* Notes where a and b differ by more than the tolerance; what is not a number must be so in both. */
void expect_close(const char *what, Tensor *a, Tensor *b, double tolerance);
/* And the gradients for those of x that require grad, within eight times that. */
void expect_same(const char *what, Tensor *a, Tensor *b, Tensor *const *x, int count, double tolerance);

/* A hash of x's bits; and of those of y and of its gradients for x. */
uint64_t hash_of(uint64_t hash, const Tensor *x);
uint64_t hash_of_all(Tensor *y, Tensor *const *x, int count);
/* Notes where the hash is another one with 2, 3 or 8 threads than with 1. */
void expect_same_with_threads(uint64_t (*hash)(void));

#endif
