/* core/kernels/elementwise/elementwise.h: elementwise functions of one, two and three operands on raw memory, for
 * float32 and float64.
 *
 * The functions are the rows of elementwise_table.inc: a row UNARY(softplus, ...) there is tg_softplus_float32 and
 * tg_softplus_float64 here. Each is the inner loop of an iteration (core/tensor/iterator.h), as in PyTorch's
 * TensorIterator:
 *
 *     tg_softplus_float32(n, data, strides, parameters)
 *
 * computes n elements of operand 0, the output, from operands 1, 2 and 3. data[k] is the address of operand k,
 * strides[k] the distance of its elements in bytes: any, also 0 or negative. An output may be exactly an input. What is
 * computed for an element does not depend on its position or on the strides. int64 and bool have plain loops in the
 * files of their ops. */
#ifndef TAPEGRAD_CORE_KERNELS_ELEMENTWISE_ELEMENTWISE_H
#define TAPEGRAD_CORE_KERNELS_ELEMENTWISE_ELEMENTWISE_H

#include <stdint.h>

/* The parameters of a function, p.a, p.b and p.c in the table; NULL where it has none. */
typedef struct tg_Parameters {
    double a, b, c;
} tg_Parameters;

#define TG_DECLARE_LOOP(name) \
    void tg_##name(int64_t n, char *const *data, const int64_t *strides, const void *parameters)
#define UNARY(name, formula) TG_DECLARE_LOOP(name##_float32); TG_DECLARE_LOOP(name##_float64);
#define BINARY UNARY
#define GRADIENT UNARY
#define TERNARY UNARY
#define ARITHMETIC UNARY
#define PREDICATE UNARY
#define COMPARISON UNARY
#define UNARY_LIBM(name, formula, scalar) UNARY(name, formula)
#define UNARY_SCALAR(name, scalar) UNARY(name, scalar)
#define BINARY_SCALAR(name, scalar) UNARY(name, scalar)
#include "core/kernels/elementwise/elementwise_table.inc"

#endif
