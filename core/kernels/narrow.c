/* core/kernels/narrow.c: loops between narrow elements and the types that kernels compute in. Contiguous elements have
 * a loop of their own, which compilers vectorise; it has instances for SSE2 and AVX2. */
#include "core/kernels/narrow.h"

#include "core/kernels/isa.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define AVX2 __attribute__((target("avx2,fma")))
#define CHOOSE(name) (tg_isa() == TG_ISA_BASELINE ? name##_baseline : name##_avx2)
#else
#define CHOOSE(name) name##_baseline
#endif

/* to[i] = expression, of type R, of x = from[i], of type T. */
#define CONVERT(name, R, T, expression)                                                                            \
    static inline __attribute__((always_inline)) void name(int64_t n, char *to, int64_t to_stride,                 \
                                                           const char *from, int64_t from_stride) {                \
        if (to_stride == sizeof(R) && from_stride == sizeof(T)) {                                                  \
            R *restrict y = (R *)(void *)to;                                                                       \
            const T *restrict in = (const T *)(const void *)from;                                                  \
            for (int64_t i = 0; i < n; i++) {                                                                      \
                const T x = in[i];                                                                                 \
                y[i] = (R)(expression);                                                                            \
            }                                                                                                      \
            return;                                                                                                \
        }                                                                                                          \
        for (; n > 0; n--, to += to_stride, from += from_stride) {                                                 \
            const T x = *(const T *)(const void *)from;                                                            \
            *(R *)(void *)to = (R)(expression);                                                                    \
        }                                                                                                          \
    }                                                                                                              \
    INSTANCE(name, baseline, )                                                                                     \
    AVX2_INSTANCE(name)
#define INSTANCE(name, isa, target)                                                                                \
    static target void name##_##isa(int64_t n, char *to, int64_t to_stride, const char *from, int64_t from_stride) { \
        name(n, to, to_stride, from, from_stride);                                                                 \
    }
#ifdef AVX2
#define AVX2_INSTANCE(name) INSTANCE(name, avx2, AVX2)
#else
#define AVX2_INSTANCE(name)
#endif

CONVERT(widen_uint8, int64_t, uint8_t, x)
CONVERT(widen_int8, int64_t, int8_t, x)
CONVERT(widen_int16, int64_t, int16_t, x)
CONVERT(widen_int32, int64_t, int32_t, x)
CONVERT(widen_float16, float, uint16_t, tg_float_from_float16(x))
CONVERT(widen_bfloat16, float, uint16_t, tg_float_from_bfloat16(x))
CONVERT(narrow_8, uint8_t, int64_t, x)
CONVERT(narrow_16, uint16_t, int64_t, x)
CONVERT(narrow_32, uint32_t, int64_t, x)
CONVERT(narrow_float16, uint16_t, float, tg_float16_from_float(x))
CONVERT(narrow_bfloat16, uint16_t, float, tg_bfloat16_from_float(x))

tg_CopyLoop tg_widen_loop(enum tg_Narrow type) {
    const tg_CopyLoop loops[TG_NARROW_TYPES] = {CHOOSE(widen_uint8), CHOOSE(widen_int8), CHOOSE(widen_int16),
                                                CHOOSE(widen_int32), CHOOSE(widen_float16), CHOOSE(widen_bfloat16)};
    return loops[type];
}

tg_CopyLoop tg_narrow_loop(enum tg_Narrow type) {
    const tg_CopyLoop loops[TG_NARROW_TYPES] = {CHOOSE(narrow_8), CHOOSE(narrow_8), CHOOSE(narrow_16),
                                                CHOOSE(narrow_32), CHOOSE(narrow_float16), CHOOSE(narrow_bfloat16)};
    return loops[type];
}
