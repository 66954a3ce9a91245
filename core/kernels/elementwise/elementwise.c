/* core/kernels/elementwise/elementwise.c: the elementwise functions: runs of elements, and the choice of the loop for
 * this processor's instruction set. */
#include <math.h>
#include <string.h>

#include "core/kernels/elementwise/elementwise_internal.h"
#include "core/kernels/isa.h"

/* ---- runs ---- */

/* to[i] = from[i] for n elements of 1, 4 or 8 bytes. */
static void copy(int64_t n, int64_t size, char *to, int64_t to_stride, const char *from, int64_t from_stride) {
    if (to_stride == size && from_stride == size) memcpy(to, from, (size_t)(n * size));
    else if (size == 8) for (int64_t i = 0; i < n; i++) memcpy(to + i * to_stride, from + i * from_stride, 8);
    else if (size == 4) for (int64_t i = 0; i < n; i++) memcpy(to + i * to_stride, from + i * from_stride, 4);
    else for (int64_t i = 0; i < n; i++) to[i * to_stride] = from[i * from_stride];
}

int64_t tg_next_run(tg_Runs *runs) {
    const int64_t *strides = runs->strides, size = runs->in_size;
    if (runs->is_buffered)
        copy(runs->length, runs->out_size, runs->data[0] + runs->done * strides[0], strides[0], runs->buffer[3],
             runs->out_size);
    runs->done += runs->length;
    const int64_t left = runs->n - runs->done, m = left < TG_RUN ? left : TG_RUN, padding = -(m * size) & 63;
    for (int k = 0; k < runs->inputs && m > 0; k++) {
        if (runs->step[k] == 0) continue;
        copy(m, size, runs->buffer[k], size, runs->data[k + 1] + runs->done * strides[k + 1], strides[k + 1]);
        memset(runs->buffer[k] + m * size, 0, (size_t)padding); /* up to a whole vector */
        runs->in[k] = runs->buffer[k];
    }
    runs->out = runs->buffer[3];
    runs->length = m;
    runs->is_buffered = true;
    return m;
}

/* ---- the loops of each instruction set ---- */

#define UP_TO_AVX2
#define KERNEL "core/kernels/elementwise/elementwise.inc"
#include "core/kernels/dispatch.inc"

/* ---- the loop for this processor ---- */

#define CALL(name, type, loop)                                                                                \
    void tg_##name##_##type(int64_t n, char *const *data, const int64_t *strides, const void *parameters) {   \
        (loop)(n, data, strides, parameters);                                                                 \
    }
#define UNARY(name, formula)                                                                                  \
    CALL(name, float32, TG_PICK_UP_TO_AVX2(name##_loop_f32))                                                  \
    CALL(name, float64, TG_PICK_UP_TO_AVX2(name##_loop_f64))
#define BINARY UNARY
#define GRADIENT UNARY
#define TERNARY UNARY
#define ARITHMETIC UNARY
#define PREDICATE UNARY
#define COMPARISON UNARY
#if defined(__x86_64__)
#define UNARY_LIBM(name, formula, scalar)                                                                     \
    CALL(name, float32, tg_isa() == TG_ISA_BASELINE ? tg_##name##_float32_libm : name##_loop_f32_avx2)
#elif defined(__aarch64__)
#define UNARY_LIBM(name, formula, scalar) CALL(name, float32, name##_loop_f32_baseline)
#else
#define UNARY_LIBM(name, formula, scalar) CALL(name, float32, tg_##name##_float32_libm)
#endif
#include "core/kernels/elementwise/elementwise_table.inc"
