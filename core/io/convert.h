/* core/io/convert.h: conversion of elements between file formats and tensors, for all formats (internal).
 *
 *     in the file                        in the tensor
 *     bool                               bool; a byte that is not 0 is True, as in torch and numpy
 *     u8 i8 i16 i32 i64                  the same
 *     u16 u32 u64                        int64; a u64 above 2^63 - 1 is an error
 *     f16 bf16 f32 f64                   the same
 *     floats of 8 bits                   float32, which represents all of their values exactly
 *     complex, other floats              an error that names the type */
#ifndef TAPEGRAD_CORE_IO_CONVERT_H
#define TAPEGRAD_CORE_IO_CONVERT_H

#include "core/io/file.h"

typedef enum tg_Kind {
    tg_kind_none, /* unknown */
    tg_kind_bool, tg_kind_u8, tg_kind_i8, tg_kind_i16, tg_kind_u16, tg_kind_i32, tg_kind_u32, tg_kind_i64, tg_kind_u64,
    tg_kind_f8_e4m3, tg_kind_f8_e5m2, tg_kind_f8_e8m0, tg_kind_f8_e4m3fnuz, tg_kind_f8_e5m2fnuz,
    tg_kind_f16, tg_kind_bf16, tg_kind_f32, tg_kind_f64,
    tg_kind_c64, tg_kind_c128, tg_kind_f128, tg_kind_f4, tg_kind_f6_e2m3, tg_kind_f6_e3m2, /* these have no dtype */
    TG_KINDS
} tg_Kind;

typedef struct tg_KindFacts {
    const char *name; /* torch's, for messages */
    uint8_t bits, dtype; /* dtype: a t_DType; 0 if there is none for it */
} tg_KindFacts;
extern const tg_KindFacts tg_kinds[TG_KINDS];

/* The product of the sizes, and the bytes of `count` elements. False, without setting an error, on overflow or if the
 * bits are not a multiple of 8: the caller reports it. */
bool tg_count_elements(const uint64_t *shape, int64_t ndim, uint64_t *count);
bool tg_count_bytes(uint64_t count, tg_Kind kind, uint64_t *bytes);

/* Fills x, a new contiguous tensor of the kind's dtype, with the elements at byte `at`, in blocks, so that no second
 * copy is in memory. name: the tensor's name in the file, for messages. */
bool tg_read_elements(const tg_Input *in, uint64_t at, tg_Kind kind, bool big_endian, Tensor *x, const char *name);

/* Writes x's elements in row-major order, little-endian; x may have any strides. */
bool tg_write_elements(tg_Output *out, Tensor *x);

#endif
