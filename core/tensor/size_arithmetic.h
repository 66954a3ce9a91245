/* core/tensor/size_arithmetic.h: saturating int64 arithmetic on sizes (internal).
 *
 * Sizes, pads, repeats and the like come from the user and may be any int64. A sum or product that overflows is clamped
 * to INT64_MIN or INT64_MAX, which tg_empty refuses as it refuses any size that is too large for memory. */
#ifndef TAPEGRAD_CORE_TENSOR_SIZE_ARITHMETIC_H
#define TAPEGRAD_CORE_TENSOR_SIZE_ARITHMETIC_H

#include <stdint.h>

static inline int64_t tg_size_add(int64_t a, int64_t b) {
    int64_t sum;
    return !__builtin_add_overflow(a, b, &sum) ? sum : b < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t tg_size_sub(int64_t a, int64_t b) {
    int64_t difference;
    return !__builtin_sub_overflow(a, b, &difference) ? difference : b > 0 ? INT64_MIN : INT64_MAX;
}

/* A product that overflows has the sign that the exact product has. */
static inline int64_t tg_size_mul(int64_t a, int64_t b) {
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) ? product : (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

/* n / d rounded up; n >= 0, d >= 1. */
static inline int64_t tg_size_ceil_div(int64_t n, int64_t d) {
    return n / d + (n % d != 0);
}

#endif
