/* core/io/convert.c: conversion of elements between file formats and tensors. */
#include "core/io/convert.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/autograd/autograd.h"
#include "core/ops/ops.h"
#include "core/tensor/tensor.h"

const tg_KindFacts tg_kinds[TG_KINDS] = {
    [tg_kind_none] = {"unknown", 0, 0},
    [tg_kind_bool] = {"bool", 8, t_bool},
    [tg_kind_u8] = {"uint8", 8, t_uint8},
    [tg_kind_i8] = {"int8", 8, t_int8},
    [tg_kind_i16] = {"int16", 16, t_int16},
    [tg_kind_u16] = {"uint16", 16, t_int64},
    [tg_kind_i32] = {"int32", 32, t_int32},
    [tg_kind_u32] = {"uint32", 32, t_int64},
    [tg_kind_i64] = {"int64", 64, t_int64},
    [tg_kind_u64] = {"uint64", 64, t_int64},
    [tg_kind_f8_e4m3] = {"float8_e4m3fn", 8, t_float32},
    [tg_kind_f8_e5m2] = {"float8_e5m2", 8, t_float32},
    [tg_kind_f8_e8m0] = {"float8_e8m0fnu", 8, t_float32},
    [tg_kind_f8_e4m3fnuz] = {"float8_e4m3fnuz", 8, t_float32},
    [tg_kind_f8_e5m2fnuz] = {"float8_e5m2fnuz", 8, t_float32},
    [tg_kind_f16] = {"float16", 16, t_float16},
    [tg_kind_bf16] = {"bfloat16", 16, t_bfloat16},
    [tg_kind_f32] = {"float32", 32, t_float32},
    [tg_kind_f64] = {"float64", 64, t_float64},
    [tg_kind_c64] = {"complex64", 64, 0},
    [tg_kind_c128] = {"complex128", 128, 0},
    [tg_kind_f128] = {"longdouble", 128, 0},
    [tg_kind_f4] = {"float4_e2m1fn", 4, 0},
    [tg_kind_f6_e2m3] = {"float6_e2m3fn", 6, 0},
    [tg_kind_f6_e3m2] = {"float6_e3m2fn", 6, 0},
};

bool tg_count_elements(const uint64_t *shape, int64_t ndim, uint64_t *count) {
    *count = 1;
    for (int64_t d = 0; d < ndim; d++)
        /* also if a later size is 0 */
        if (__builtin_mul_overflow(*count, shape[d], count) || *count > INT64_MAX) return false;
    return true;
}

bool tg_count_bytes(uint64_t count, tg_Kind kind, uint64_t *bytes) {
    uint64_t bits;
    if (__builtin_mul_overflow(count, (uint64_t)tg_kinds[kind].bits, &bits)) return false;
    *bytes = bits / 8;
    return bits % 8 == 0;
}

/* ---- one element ---- */

/* A floating-point format of 8 bits: a sign, `exponent` and `mantissa` bits. Subnormals are computed from
 * integers, because the processor may be set to flush subnormal operands to 0. */
typedef struct FloatFormat {
    int exponent, mantissa, bias;
    bool has_inf;   /* the largest exponent is for infinities and NaN, as in IEEE 754 */
    uint32_t nan;   /* else: the magnitude that is NaN; 0: negative zero is NaN (the fnuz formats) */
} FloatFormat;

static inline float widen_float(uint32_t bits, FloatFormat k) {
    const uint32_t sign = bits >> (k.exponent + k.mantissa) << 31,
        magnitude = bits & ((1u << (k.exponent + k.mantissa)) - 1);
    const uint32_t e = magnitude >> k.mantissa, m = magnitude << (23 - k.mantissa) & 0x7fffff;
    uint32_t wide = sign | (e + 127 - (uint32_t)k.bias) << 23 | m;
    if (k.has_inf && e == (1u << k.exponent) - 1) wide = sign | 0x7f800000 | m;
    else if (!k.has_inf && magnitude == k.nan && (k.nan || sign)) wide = (k.nan ? sign : 0) | 0x7fc00000;
    else if (e == 0) return (sign ? -1 : 1) * ldexpf((float)magnitude, 1 - k.bias - k.mantissa);
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

static inline float small_float(uint32_t bits, tg_Kind kind) {
    switch (kind) {
    case tg_kind_f8_e5m2: return widen_float(bits, (FloatFormat){5, 2, 15, true, 0});
    case tg_kind_f8_e4m3: return widen_float(bits, (FloatFormat){4, 3, 7, false, 0x7f});
    case tg_kind_f8_e4m3fnuz: return widen_float(bits, (FloatFormat){4, 3, 8, false, 0});
    case tg_kind_f8_e5m2fnuz: return widen_float(bits, (FloatFormat){5, 2, 16, false, 0});
    default: return bits == 255 ? NAN : ldexpf(1, (int)bits - 127); /* tg_kind_f8_e8m0 */
    }
}

static inline uint64_t bits_at(const uint8_t *from, int size, bool big_endian) {
    uint64_t bits = 0;
    for (int i = 0; i < size; i++) bits |= (uint64_t)from[big_endian ? size - 1 - i : i] << (8 * i);
    return bits;
}

/* Converts and stores element i. False for a u64 that does not fit int64. */
static inline bool store(void *data, int64_t i, uint64_t bits, tg_Kind kind) {
    const int size = tg_kinds[kind].bits;
    if (kind == tg_kind_u64 && bits > INT64_MAX) return false;
    if (kind == tg_kind_bool) ((bool *)data)[i] = bits != 0;
    else if (size == 64) memcpy((uint64_t *)data + i, &bits, sizeof bits);
    else if (kind == tg_kind_u16 || kind == tg_kind_u32) ((int64_t *)data)[i] = (int64_t)bits;
    else if (size == 32) memcpy((uint32_t *)data + i, &(uint32_t){(uint32_t)bits}, sizeof(uint32_t));
    else if (size == 16) memcpy((uint16_t *)data + i, &(uint16_t){(uint16_t)bits}, sizeof(uint16_t));
    else if (!tg_is_floating(tg_kinds[kind].dtype)) ((uint8_t *)data)[i] = (uint8_t)bits;
    else ((float *)data)[i] = small_float((uint32_t)bits, kind);
    return true;
}

/* Returns the number of elements that were stored, fewer than count if one did not fit. */
static int64_t put_block(const uint8_t *from, void *data, int64_t count, tg_Kind kind, bool big_endian) {
    const int size = tg_kinds[kind].bits / 8;
    int64_t i = 0;
    while (i < count && store(data, i, bits_at(from + i * size, size, big_endian), kind)) i++;
    return i;
}

/* ---- tensors ---- */

#define HOST_IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

bool tg_read_elements(const tg_Input *in, uint64_t at, tg_Kind kind, bool big_endian, Tensor *x, const char *name) {
    enum { BLOCK = 1 << 14 };
    uint8_t block[BLOCK];
    const int size = tg_kinds[kind].bits / 8;
    const int64_t n = tg_numel(x), in_block = BLOCK / size;
    const bool same_format = kind != tg_kind_bool && (size_t)size == tg_itemsize(x->dtype) && kind != tg_kind_u64;
    if (same_format && (big_endian == HOST_IS_BIG_ENDIAN || size == 1))
        return tg_input_read(in, at, tg_data(x), (size_t)n * (size_t)size);
    for (int64_t first = 0; first < n; first += in_block) {
        const int64_t count = n - first < in_block ? n - first : in_block;
        if (!tg_input_read(in, at + (uint64_t)(first * size), block, (size_t)(count * size))) return false;
        const int64_t done =
            put_block(block, (char *)tg_data(x) + (size_t)first * tg_itemsize(x->dtype), count, kind, big_endian);
        if (done < count)
            return tg_fail("element %" PRId64 " of '%s' in %s is %" PRIu64 ", but the largest int64 is %" PRId64,
                           first + done, name, in->name, bits_at(block + done * size, size, big_endian), INT64_MAX);
    }
    return true;
}

/* Of a contiguous tensor. */
static bool write_dense(tg_Output *out, const Tensor *x) {
    const size_t size = tg_itemsize(x->dtype), bytes = (size_t)tg_numel(x) * size;
    const uint8_t *from = tg_data(x);
    if (!HOST_IS_BIG_ENDIAN || size == 1) return tg_output_write(out, from, bytes);
    bool ok = true;
    for (size_t i = 0; ok && i < bytes; i += size) {
        uint8_t swapped[8];
        for (size_t b = 0; b < size; b++) swapped[b] = from[i + size - 1 - b];
        ok = tg_output_write(out, swapped, size);
    }
    return ok;
}

bool tg_write_elements(tg_Output *out, Tensor *x) {
    if (tg_is_contiguous(x)) return write_dense(out, x);
    int depth = t_scope_open();
    const bool grad_enabled = t_set_grad_enabled(false);
    const Tensor *dense = depth ? (t_contiguous)(x) : NULL;
    t_set_grad_enabled(grad_enabled);
    bool ok = dense && write_dense(out, dense);
    t_scope_close(depth);
    if (!dense) out->failed = true;
    return ok;
}
