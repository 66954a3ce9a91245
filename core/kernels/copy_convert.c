/* Rows of words for every instruction set; copy_convert.inc explains them. */
#include "core/kernels/copy_convert.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/kernels/isa.h"

/* Eight in a word. (Not inlined: its caller would make vectors of it.) */
static __attribute__((noinline)) void backwards_bytes(int64_t n, char *to, int64_t to_step, const char *from,
                                                      int64_t from_step) {
    int64_t i = 0;
    (void)to_step;
    (void)from_step;
    for (; i + 8 <= n; i += 8) {
        uint64_t word;
        memcpy(&word, from - i - 7, 8);
        word = __builtin_bswap64(word);
        memcpy(to + i, &word, 8);
    }
    for (; i < n; i++) to[i] = from[-i];
}

/* Its loops are the compiler's to make vectors of; the other kernels write theirs out, and are compiled without. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("tree-vectorize")
#endif
#define UP_TO_AVX2
#define KERNEL "core/kernels/copy_convert.inc"
#include "core/kernels/dispatch.inc"

static void side_by_side_1(int64_t n, char *to, int64_t to_step, const char *from, int64_t from_step) {
    (void)to_step;
    (void)from_step;
    memcpy(to, from, (size_t)n);
}

static void side_by_side_4(int64_t n, char *to, int64_t to_step, const char *from, int64_t from_step) {
    (void)to_step;
    (void)from_step;
    memcpy(to, from, (size_t)n * 4);
}

static void side_by_side_8(int64_t n, char *to, int64_t to_step, const char *from, int64_t from_step) {
    (void)to_step;
    (void)from_step;
    memcpy(to, from, (size_t)n * 8);
}

static void fill_bytes(int64_t n, char *to, int64_t to_step, const char *from, int64_t from_step) {
    (void)to_step;
    (void)from_step;
    memset(to, *(const unsigned char *)from, (size_t)n);
}

#if defined(__x86_64__)
#define BACKWARDS_BYTES (tg_isa() == TG_ISA_BASELINE ? backwards_bytes : backwards_bytes_f64_avx2)
#else
#define BACKWARDS_BYTES backwards_bytes
#endif

#define APART(size)                                                                              \
    static void apart_##size(int64_t n, char *to, int64_t to_step, const char *from, int64_t from_step) { \
        for (; n >= 4; n -= 4, to += 4 * to_step, from += 4 * from_step) {                       \
            memcpy(to, from, size);                                                              \
            memcpy(to + to_step, from + from_step, size);                                        \
            memcpy(to + 2 * to_step, from + 2 * from_step, size);                                \
            memcpy(to + 3 * to_step, from + 3 * from_step, size);                                \
        }                                                                                        \
        for (; n > 0; n--, to += to_step, from += from_step) memcpy(to, from, size);             \
    }
APART(1)
APART(4)
APART(8)

tg_Move tg_move(int64_t size, int64_t to_step, int64_t from_step) {
    const bool four = size == 4;
    if (to_step == size && from_step == size) return size == 1 ? side_by_side_1 : four ? side_by_side_4 : side_by_side_8;
    if (to_step == size && from_step == 0)
        return size == 1 ? fill_bytes : four ? TG_PICK_UP_TO_AVX2(fill_f32) : TG_PICK_UP_TO_AVX2(fill_f64);
    if (to_step == size && from_step == -size)
        return size == 1 ? BACKWARDS_BYTES : four ? TG_PICK_UP_TO_AVX2(backwards_f32) : TG_PICK_UP_TO_AVX2(backwards_f64);
    if (to_step == size && from_step == 2 * size && size > 1)
        return four ? TG_PICK_UP_TO_AVX2(every_other_f32) : TG_PICK_UP_TO_AVX2(every_other_f64);
    return size == 1 ? apart_1 : four ? apart_4 : apart_8;
}

tg_Convert tg_convert(int to, int from) {
    const tg_Convert all[4][4] = { /* to bool: the curve `holds` */
        {NULL, NULL, NULL, NULL},
        {TG_PICK_UP_TO_AVX2(bool_to_int64_f64), NULL, TG_PICK_UP_TO_AVX2(to_int64_f32), TG_PICK_UP_TO_AVX2(to_int64_f64)},
        {TG_PICK_UP_TO_AVX2(from_bool_f32), TG_PICK_UP_TO_AVX2(from_int64_f32), NULL, TG_PICK_UP_TO_AVX2(to_other_f64)},
        {TG_PICK_UP_TO_AVX2(from_bool_f64), TG_PICK_UP_TO_AVX2(from_int64_f64), TG_PICK_UP_TO_AVX2(to_other_f32), NULL}};
    return all[to][from];
}

void tg_range_f32(int64_t n, float *to, double start, double step, double first, int way) {
    TG_PICK_UP_TO_AVX2(range_f32)(n, to, start, step, first, way);
}

void tg_range_f64(int64_t n, double *to, double start, double step, double first, int way) {
    TG_PICK_UP_TO_AVX2(range_f64)(n, to, start, step, first, way);
}

void tg_range_i64(int64_t n, int64_t *to, int64_t start, int64_t step) {
    TG_PICK_UP_TO_AVX2(whole_range_f64)(n, to, start, step);
}
