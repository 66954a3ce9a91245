/* core/tensor/iterator.h: iteration over tensors of any strides, PyTorch's TensorIterator (internal).
 *
 * An inner loop gets one 1-D run per call: n elements, and a start address and a byte stride for each operand. Operand
 * 0 is the output. The iterator sorts the dims by stride and coalesces adjacent ones, so that contiguous tensors of any
 * rank are one run. */
#ifndef TAPEGRAD_CORE_TENSOR_ITERATOR_H
#define TAPEGRAD_CORE_TENSOR_ITERATOR_H

#include "core/tensor/tensor.h"

enum { TG_OPERANDS = 5 }; /* one output and up to four inputs */

typedef void (*Loop)(int64_t n, char *const *data, const int64_t *strides, const void *context);

/* Elements of 2, 4 and 8 bytes as bits, independent of their type. */
typedef uint16_t __attribute__((may_alias)) Bits16;
typedef uint32_t __attribute__((may_alias)) Bits32;
typedef uint64_t __attribute__((may_alias)) Bits64;

/* The shape that the operands broadcast to. False with PyTorch's error if they cannot be broadcast. */
bool tg_broadcast_shape(Tensor *const *x, int count, int64_t *shape, int *ndim);

/* An output for elementwise ops over x[0..count-1], with the strides that PyTorch gives it: the order of dims in memory
 * follows the inputs, so a transposed input gives a transposed output. */
Tensor *tg_empty_elementwise(Tensor *const *x, int count, const int64_t *shape, int ndim, t_DType dtype);

/* Runs the loop over y and the inputs, which are broadcast to y's shape. One-element inputs are converted to `dtype`
 * (0: no conversion); other inputs must have the dtype that the loop reads. If `dtype` is narrow (float16, int32, ...),
 * the loop reads the wide one, tg_wide(dtype), and so it writes to a narrow y; the values are converted in chunks.
 * Cannot fail. */
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
bool tg_check_fits(Tensor *x, Tensor *src);  /* src must broadcast to x's shape */
void tg_fill_into(Tensor *to, double value);

/* ---- loops ---- */

/* Tells gcc that iterations are independent (an output may be its own input, elementwise); clang checks at run time. */
#if defined(__clang__)
#define TG_INDEPENDENT
#else
#define TG_INDEPENDENT _Pragma("GCC ivdep")
#endif

/* Plain loops of one, two and three inputs, for integers, bools and rare functions: `expression` computes an R from the
 * Ts named x; a, b; a, b, c, and may read `context`. Contiguous operands have a loop of their own, which compilers
 * vectorize. */
#define TG_EACH1(name, R, T, expression)                                                          \
    static void name(int64_t n, char *const *data, const int64_t *strides, const void *context) { \
        const char *in = data[1];                                                                 \
        char *out = data[0];                                                                      \
        const int64_t out_stride = strides[0], in_stride = strides[1];                            \
        (void)context;                                                                            \
        if (out_stride == sizeof(R) && in_stride == sizeof(T)) {                                  \
            TG_INDEPENDENT                                                                        \
            for (int64_t i = 0; i < n; i++) {                                                     \
                const T x = ((const T *)in)[i];                                                   \
                ((R *)out)[i] = (R)(expression);                                                  \
            }                                                                                     \
            return;                                                                               \
        }                                                                                         \
        for (; n > 0; n--, out += out_stride, in += in_stride) {                                  \
            const T x = *(const T *)in;                                                           \
            *(R *)out = (R)(expression);                                                          \
        }                                                                                         \
    }
#define TG_EACH2(name, R, T, expression)                                                          \
    static void name(int64_t n, char *const *data, const int64_t *strides, const void *context) { \
        const char *in_a = data[1], *in_b = data[2];                                              \
        char *out = data[0];                                                                      \
        const int64_t out_stride = strides[0], a_stride = strides[1], b_stride = strides[2];      \
        (void)context;                                                                            \
        if (out_stride == sizeof(R) && a_stride == sizeof(T) && b_stride == sizeof(T)) {          \
            TG_INDEPENDENT                                                                        \
            for (int64_t i = 0; i < n; i++) {                                                     \
                const T a = ((const T *)in_a)[i], b = ((const T *)in_b)[i];                       \
                ((R *)out)[i] = (R)(expression);                                                  \
            }                                                                                     \
            return;                                                                               \
        }                                                                                         \
        if (out_stride == sizeof(R) && a_stride == sizeof(T) && b_stride == 0 && n > 0) {         \
            const T b = *(const T *)in_b;                                                         \
            TG_INDEPENDENT                                                                        \
            for (int64_t i = 0; i < n; i++) {                                                     \
                const T a = ((const T *)in_a)[i];                                                 \
                ((R *)out)[i] = (R)(expression);                                                  \
            }                                                                                     \
            return;                                                                               \
        }                                                                                         \
        for (; n > 0; n--, out += out_stride, in_a += a_stride, in_b += b_stride) {               \
            const T a = *(const T *)in_a, b = *(const T *)in_b;                                   \
            *(R *)out = (R)(expression);                                                          \
        }                                                                                         \
    }
#define TG_EACH3(name, R, T, expression)                                                                            \
    static void name(int64_t n, char *const *data, const int64_t *strides, const void *context) {                   \
        const char *in_a = data[1], *in_b = data[2], *in_c = data[3];                                               \
        char *out = data[0];                                                                                        \
        const int64_t out_stride = strides[0], a_stride = strides[1], b_stride = strides[2], c_stride = strides[3]; \
        (void)context;                                                                                              \
        for (; n > 0; n--, out += out_stride, in_a += a_stride, in_b += b_stride, in_c += c_stride) {               \
            const T a = *(const T *)in_a, b = *(const T *)in_b, c = *(const T *)in_c;                               \
            *(R *)out = (R)(expression);                                                                            \
        }                                                                                                           \
    }

#endif
