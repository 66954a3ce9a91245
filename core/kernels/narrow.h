/* core/kernels/narrow.h: elements of float16, bfloat16, int8, int16, int32 and uint8, to and from the types that
 * kernels compute in: float for the first two, int64_t for the integers.
 *
 * float16 is IEEE 754's binary16 (1 sign, 5 exponent and 10 mantissa bits), bfloat16 the upper half of a float (1, 8,
 * 7). Rounding is to nearest, ties to even; integers keep their low bits. */
#ifndef TAPEGRAD_CORE_KERNELS_NARROW_H
#define TAPEGRAD_CORE_KERNELS_NARROW_H

#include <stdint.h>
#include <string.h>

#include "core/kernels/copy_convert.h"

static inline float tg_float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint32_t tg_bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float tg_float_from_bfloat16(uint16_t x) {
    return tg_float_of_bits((uint32_t)x << 16);
}

static inline uint16_t tg_bfloat16_from_float(float x) {
    const uint32_t bits = tg_bits_of_float(x);
    return (uint16_t)(x != x ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The exponent and mantissa, moved to a float's place, are the value times 2^-112, subnormals included. */
static inline float tg_float_from_float16(uint16_t x) {
    const uint32_t size = (uint32_t)(x & 0x7fff) << 13, sign = (uint32_t)(x & 0x8000) << 16;
    const uint32_t bits = tg_bits_of_float(tg_float_of_bits(size) * 0x1p112f);
    return tg_float_of_bits(sign | (size >= 0x7c00u << 13 ? size | 0x7f800000 : bits));
}

/* Below 2^-14 the addition of 0.5, whose last bit is 2^-24, rounds to a subnormal. */
static inline uint16_t tg_float16_from_float(float x) {
    const uint32_t bits = tg_bits_of_float(x), size = bits & 0x7fffffff, sign = bits >> 16 & 0x8000;
    const uint32_t normal = (size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13;
    const uint32_t subnormal = tg_bits_of_float(tg_float_of_bits(size) + 0.5f) - 0x3f000000;
    const uint32_t finite = size < 0x38800000 ? subnormal : normal;
    return (uint16_t)(sign | (size > 0x7f800000 ? 0x7e00 : size >= 0x477ff000 ? 0x7c00 : finite));
}

enum tg_Narrow { TG_UINT8, TG_INT8, TG_INT16, TG_INT32, TG_FLOAT16, TG_BFLOAT16, TG_NARROW_TYPES };

/* The loops from n narrow elements to wide ones, and back. */
tg_CopyLoop tg_widen_loop(enum tg_Narrow type);
tg_CopyLoop tg_narrow_loop(enum tg_Narrow type);

#endif
