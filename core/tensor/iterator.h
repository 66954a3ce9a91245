/* core/tensor/iterator.h: iteration over tensors of any strides, PyTorch's TensorIterator (internal).
 *
 * An inner loop gets one 1-D run per call: n elements, and a start address and a byte stride for each operand. Operand
 * 0 is the output. The iterator sorts the dims by stride and coalesces adjacent ones, so that contiguous tensors of any
 * rank are one run. */
#ifndef TAPEGRAD_CORE_TENSOR_ITERATOR_H
#define TAPEGRAD_CORE_TENSOR_ITERATOR_H

#include "core/tensor/tensor.h"

enum { TG_OPERANDS = 5 }; /* one output and up to four inputs */

typedef void (*Loop)(int64_t n, char *const *data, const int64_t *steps, const void *context);

/* Elements of 4 and 8 bytes as bits, independent of their type. */
typedef uint32_t __attribute__((may_alias)) Bits32;
typedef uint64_t __attribute__((may_alias)) Bits64;

/* The shape that the operands broadcast to. False with PyTorch's error if they cannot be broadcast. */
bool tg_broadcast_shape(Tensor *const *x, int count, int64_t *shape, int *ndim);

/* An output for elementwise ops over x[0..count-1], with the strides that PyTorch gives it: the order of dims in memory
 * follows the inputs, so a transposed input gives a transposed output. */
Tensor *tg_empty_elementwise(Tensor *const *x, int count, const int64_t *shape, int ndim, t_DType dtype);

/* Runs the loop over y and the inputs, which are broadcast to y's shape. One-element inputs are converted to `dtype`
 * (0: no conversion); other inputs must have the dtype that the loop reads. Cannot fail. */
void tg_run(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context);
/* tg_run divided among threads if y is large. For loops in which each element of y depends on its inputs alone and the
 * context is only read. */
void tg_run_shared(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context);
/* tg_run_shared for loops in which one element of y costs as much as `cost` additions (a row of that length, for
 * example). */
void tg_run_costly(Loop loop, Tensor *y, Tensor *const *x, int count, t_DType dtype, const void *context, int64_t cost);
/* tg_run_shared for contiguous y and inputs of the same shape with n elements. */
void tg_run_alike(Loop loop, int64_t n, Tensor *y, Tensor *const *x, int count, const void *context);

/* ---- copies (iterator_copy.c) ---- */
void tg_copy_into(Tensor *to, Tensor *from); /* any dtypes; from broadcasts */
void tg_fill_into(Tensor *to, double value);

/* ---- loops ---- */

/* Tells gcc that iterations are independent (an output may be its own input, elementwise); clang checks at run time. */
#if defined(__clang__)
#define TG_INDEPENDENT
#else
#define TG_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Loops of one, two and three inputs that core/kernels/elementwise/elementwise.h does not have. `expression`
 * computes an R from the Ts named x; a, b; a, b, c, and may read `context`. There is no special case for contiguous
 * operands: these are for expressions that cost more than the iteration, and for rare ops. The loops advance local
 * pointers, as a compiler must assume that the store changes p or s. */
#define TG_EACH1(name, R, T, expression)                                                         \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        (void)context;                                                                           \
        const char *first = p[1];                                                                \
        char *y = p[0];                                                                          \
        const int64_t y_step = s[0], first_step = s[1];                                          \
        for (; n > 0; n--, y += y_step, first += first_step) {                                   \
            T x = *(const T *)first;                                                             \
            *(R *)y = (R)(expression);                                                           \
        }                                                                                        \
    }
#define TG_EACH2(name, R, T, expression)                                                         \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        (void)context;                                                                           \
        const char *first = p[1], *second = p[2];                                                \
        char *y = p[0];                                                                          \
        const int64_t y_step = s[0], first_step = s[1], second_step = s[2];                      \
        for (; n > 0; n--, y += y_step, first += first_step, second += second_step) {            \
            T a = *(const T *)first, b = *(const T *)second;                                     \
            *(R *)y = (R)(expression);                                                           \
        }                                                                                        \
    }
#define TG_EACH3(name, R, T, expression)                                                         \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        (void)context;                                                                           \
        const char *first = p[1], *second = p[2], *third = p[3];                                 \
        char *y = p[0];                                                                          \
        const int64_t y_step = s[0], first_step = s[1], second_step = s[2], third_step = s[3];   \
        for (; n > 0; n--, y += y_step, first += first_step, second += second_step, third += third_step) { \
            T a = *(const T *)first, b = *(const T *)second, c = *(const T *)third;              \
            *(R *)y = (R)(expression);                                                           \
        }                                                                                        \
    }

#endif
