/* core/kernels/copy_convert.c: copies, conversions and arange: dispatch to the instances of copy_convert.inc, and the
 * loops that need no vectors. */
#include "core/kernels/copy_convert.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/kernels/isa.h"

/* Reverses bytes, eight at a time. (Not inlined, as its callers would be vectorised with it.) */
static __attribute__((noinline)) void copy_reversed_1(int64_t n, char *to, int64_t to_stride, const char *from,
                                                      int64_t from_stride) {
    int64_t i = 0;
    (void)to_stride;
    (void)from_stride;
    for (; i + 8 <= n; i += 8) {
        uint64_t word;
        memcpy(&word, from - i - 7, 8);
        word = __builtin_bswap64(word);
        memcpy(to + i, &word, 8);
    }
    for (; i < n; i++) to[i] = from[-i];
}

#define UP_TO_AVX2
#define KERNEL "core/kernels/copy_convert.inc"
#include "core/kernels/dispatch.inc"

static void copy_contiguous_1(int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    (void)to_stride;
    (void)from_stride;
    memcpy(to, from, (size_t)n);
}

static void copy_contiguous_2(int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    (void)to_stride;
    (void)from_stride;
    memcpy(to, from, (size_t)n * 2);
}

static void copy_contiguous_4(int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    (void)to_stride;
    (void)from_stride;
    memcpy(to, from, (size_t)n * 4);
}

static void copy_contiguous_8(int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    (void)to_stride;
    (void)from_stride;
    memcpy(to, from, (size_t)n * 8);
}

static void fill_1(int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    (void)to_stride;
    (void)from_stride;
    memset(to, *(const unsigned char *)from, (size_t)n);
}

#if defined(__x86_64__)
#define COPY_REVERSED_1 (tg_isa() == TG_ISA_BASELINE ? copy_reversed_1 : copy_reversed_1_f64_avx2)
#else
#define COPY_REVERSED_1 copy_reversed_1
#endif

#define COPY_STRIDED(size)                                                                                           \
    static void copy_strided_##size(int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride) { \
        for (; n >= 4; n -= 4, to += 4 * to_stride, from += 4 * from_stride) {                                       \
            memcpy(to, from, size);                                                                                  \
            memcpy(to + to_stride, from + from_stride, size);                                                        \
            memcpy(to + 2 * to_stride, from + 2 * from_stride, size);                                                \
            memcpy(to + 3 * to_stride, from + 3 * from_stride, size);                                                \
        }                                                                                                            \
        for (; n > 0; n--, to += to_stride, from += from_stride) memcpy(to, from, size);                             \
    }
COPY_STRIDED(1)
COPY_STRIDED(2)
COPY_STRIDED(4)
COPY_STRIDED(8)

tg_CopyLoop tg_copy_loop(int64_t size, int64_t to_stride, int64_t from_stride) {
    const bool four = size == 4;
    if (size == 2) return to_stride == size && from_stride == size ? copy_contiguous_2 : copy_strided_2;
    if (to_stride == size && from_stride == size)
        return size == 1 ? copy_contiguous_1 : four ? copy_contiguous_4 : copy_contiguous_8;
    if (to_stride == size && from_stride == 0)
        return size == 1 ? fill_1 : four ? TG_PICK_UP_TO_AVX2(fill_stride_0_f32)
            : TG_PICK_UP_TO_AVX2(fill_stride_0_f64);
    if (to_stride == size && from_stride == -size)
        return size == 1 ? COPY_REVERSED_1 : four ? TG_PICK_UP_TO_AVX2(copy_reversed_f32)
            : TG_PICK_UP_TO_AVX2(copy_reversed_f64);
    if (to_stride == size && from_stride == 2 * size && size > 1)
        return four ? TG_PICK_UP_TO_AVX2(copy_stride_2_f32) : TG_PICK_UP_TO_AVX2(copy_stride_2_f64);
    return size == 1 ? copy_strided_1 : four ? copy_strided_4 : copy_strided_8;
}

tg_Convert tg_convert(int to, int from) {
    const tg_Convert all[4][4] = { /* [to][from]; to bool: to_bool of elementwise.h */
        {NULL, NULL, NULL, NULL},
        {TG_PICK_UP_TO_AVX2(bool_to_int64_f64), NULL, TG_PICK_UP_TO_AVX2(to_int64_f32),
         TG_PICK_UP_TO_AVX2(to_int64_f64)},
        {TG_PICK_UP_TO_AVX2(from_bool_f32), TG_PICK_UP_TO_AVX2(from_int64_f32), NULL,
         TG_PICK_UP_TO_AVX2(to_other_real_f64)},
        {TG_PICK_UP_TO_AVX2(from_bool_f64), TG_PICK_UP_TO_AVX2(from_int64_f64), TG_PICK_UP_TO_AVX2(to_other_real_f32),
         NULL}};
    return all[to][from];
}

void tg_arange_f32(int64_t n, float *to, double start, double step, double first, int direction) {
    TG_PICK_UP_TO_AVX2(arange_f32)(n, to, start, step, first, direction);
}

void tg_arange_f64(int64_t n, double *to, double start, double step, double first, int direction) {
    TG_PICK_UP_TO_AVX2(arange_f64)(n, to, start, step, first, direction);
}

void tg_arange_int64(int64_t n, int64_t *to, int64_t start, int64_t step) {
    TG_PICK_UP_TO_AVX2(arange_int64_f64)(n, to, start, step);
}
