/* core/kernels/random/distributions.c: the distributions; distributions.h has the rules. Loops are plain C that the
 * compiler vectorises, with an instance for AVX2 and FMA. Floating point is as written: no contraction, every fma()
 * below is meant. */
#include "core/kernels/random/distributions.h"

#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/kernels/isa.h"

#define INLINE static inline __attribute__((always_inline))

/* FOR_AVX2(name, params, args): defines `name` from `name_loop`, compiled for the baseline and for AVX2 and FMA,
 * selected at run time. The bits are the same; fma() is an instruction in the second and a call of libm in the
 * first. */
#if defined(__x86_64__)
#define FOR_AVX2(name, params, args)                                                         \
    __attribute__((target("avx2,fma"))) static void name##_avx2 params { name##_loop args; } \
    static void name##_baseline params { name##_loop args; }                                 \
    static void name params {                                                                \
        if (tg_isa() != TG_ISA_BASELINE) name##_avx2 args;                                   \
        else name##_baseline args;                                                           \
    }
#else
#define FOR_AVX2(name, params, args) \
    static void name params { name##_loop args; }
#endif

/* Before a short loop: else clang unrolls it first and does not vectorise it. */
#if defined(__clang__)
#define NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define NO_UNROLL
#endif

/* The 53 bits of a float64 uniform, from two outputs. */
INLINE int64_t bits53(const uint32_t *w) {
    return (int64_t)((uint64_t)(w[0] & 0x1fffff) << 32 | w[1]);
}

/* ---- uniform ---- */

INLINE void uniform_f32_loop(float *restrict out, const uint32_t *restrict w, int64_t n, float from, float to) {
    float width = to - from;
    for (int64_t i = 0; i < n; i++) {
        float value = fmaf((float)(int32_t)(w[i] & 0xffffff) * 0x1p-24f, width, from);
        out[i] = value == to ? from : value;
    }
}
FOR_AVX2(uniform_f32, (float *out, const uint32_t *w, int64_t n, float from, float to), (out, w, n, from, to))

void tg_fill_uniform_f32(tg_MT19937 *g, float *out, int64_t n, double from, double to) {
    const uint32_t *w;
    for (int64_t i = 0, count; i < n; i += count) {
        count = tg_mt_outputs(g, &w, n - i, 1);
        uniform_f32(out + i, w, count, (float)from, (float)to);
    }
}

INLINE void uniform_f64_loop(double *restrict out, const uint32_t *restrict w, int64_t n, double from, double to) {
    double width = to - from;
    for (int64_t i = 0; i < n; i++) {
        double value = fma((double)bits53(w + 2 * i) * 0x1p-53, width, from);
        out[i] = value == to ? from : value;
    }
}
FOR_AVX2(uniform_f64, (double *out, const uint32_t *w, int64_t n, double from, double to), (out, w, n, from, to))

void tg_fill_uniform_f64(tg_MT19937 *g, double *out, int64_t n, double from, double to) {
    const uint32_t *w;
    for (int64_t i = 0, count; i < n; i += count) {
        count = tg_mt_outputs(g, &w, n - i, 2);
        uniform_f64(out + i, w, count, from, to);
    }
}

/* ---- normal ---- */

#define TWO_PI 6.283185307179586

/* log(x) for x in (0, 1], in float32: the polynomial of Stephen Moshier's Cephes library, in the order of operations
 * of sse_mathfun (Julien Pommier) and avx_mathfun (Giovanni Garberoglio), with fmaf where PyTorch's build fuses.
 * x = m * 2^e with m from sqrt(1/2) up to sqrt(2), found in the bits of x (0x3f3504f3 is sqrt(1/2)). */
INLINE float cephes_logf(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += 0x3f800000 - 0x3f3504f3;
    float e = (float)((int32_t)(bits >> 23) - 127);
    bits = (bits & 0x007fffff) + 0x3f3504f3;
    float m;
    memcpy(&m, &bits, sizeof m);
    m -= 1.0f;

    float z = m * m;
    float y = fmaf(7.0376836292e-2f, m, -1.1514610310e-1f);
    y = fmaf(y, m, 1.1676998740e-1f);
    y = fmaf(y, m, -1.2420140846e-1f);
    y = fmaf(y, m, 1.4249322787e-1f);
    y = fmaf(y, m, -1.6668057665e-1f);
    y = fmaf(y, m, 2.0000714765e-1f);
    y = fmaf(y, m, -2.4999993993e-1f);
    y = fmaf(y, m, 3.3333331174e-1f);
    y = fmaf(y * m, z, e * -2.12194440e-4f);
    y = y - z * 0.5f;
    return (m + y) + e * 0.693359375f;
}

/* sin(x) and cos(x) for x in [0, 2 pi): same sources. The octant j, made even, says which polynomial is which
 * function and with what sign; x - j pi/4 is taken in three pieces of pi/4. */
INLINE void cephes_sincosf(float x, float *sine, float *cosine) {
    int32_t j = ((int32_t)(x * 1.27323954473516f) + 1) & ~1;
    float y = (float)j;
    x = fmaf(y, -0.78515625f, x);
    x = fmaf(y, -2.4187564849853515625e-4f, x);
    x = fmaf(y, -3.77489497744594108e-8f, x);

    float z = x * x;
    float c = fmaf(2.443315711809948e-5f, z, -1.388731625493765e-3f);
    c = fmaf(c, z, 4.166664568298827e-2f) * z;
    c = fmaf(c, z, -(z * 0.5f)) + 1.0f;
    float s = fmaf(-1.9515295891e-4f, z, 8.3321608736e-3f);
    s = fmaf(s, z, -1.6666654611e-1f) * z;
    s = fmaf(s, x, x);

    float sn = j & 2 ? c : s, cs = j & 2 ? s : c;
    *sine = j & 4 ? -sn : sn;
    *cosine = (j - 2) & 4 ? cs : -cs;
}

/* sqrtf of 8 elements. The C function may set errno, so compilers do not vectorise it. */
INLINE void sqrt8(float *r) {
#if defined(__SSE2__)
    _mm_storeu_ps(r, _mm_sqrt_ps(_mm_loadu_ps(r)));
    _mm_storeu_ps(r + 4, _mm_sqrt_ps(_mm_loadu_ps(r + 4)));
#else
    for (int j = 0; j < 8; j++) r[j] = sqrtf(r[j]);
#endif
}

/* Box-Muller in place on `blocks` blocks of 16 uniforms. */
INLINE void box_muller_f32_loop(float *restrict d, int64_t blocks, float mean, float std) {
    for (; blocks > 0; blocks--, d += 16) {
        float r[8], s[8], c[8];
        NO_UNROLL for (int j = 0; j < 8; j++) r[j] = -2.0f * cephes_logf(1.0f - d[j]);
        NO_UNROLL for (int j = 0; j < 8; j++) cephes_sincosf((float)TWO_PI * d[j + 8], &s[j], &c[j]);
        sqrt8(r);
        NO_UNROLL for (int j = 0; j < 8; j++) d[j] = fmaf(r[j] * c[j], std, mean);
        NO_UNROLL for (int j = 0; j < 8; j++) d[j + 8] = fmaf(r[j] * s[j], std, mean);
    }
}
FOR_AVX2(box_muller_f32, (float *d, int64_t blocks, float mean, float std), (d, blocks, mean, std))

INLINE void box_muller_f64_loop(double *d, int64_t blocks, double mean, double std) {
    for (; blocks > 0; blocks--, d += 16) {
        for (int j = 0; j < 8; j++) {
            double r = sqrt(-2.0 * log(1.0 - d[j])), t = TWO_PI * d[j + 8];
            d[j] = fma(r * cos(t), std, mean);
            d[j + 8] = fma(r * sin(t), std, mean);
        }
    }
}
FOR_AVX2(box_muller_f64, (double *d, int64_t blocks, double mean, double std), (d, blocks, mean, std))

#define NORMAL(suffix, type)                                                                     \
    void tg_fill_normal_##suffix(tg_MT19937 *g, type *out, int64_t n, double mean, double std) { \
        if (n < 16) {                                                                            \
            for (int64_t i = 0; i < n; i++) out[i] = (type)fma(tg_mt_normal(g), std, mean);      \
            return;                                                                              \
        }                                                                                        \
        tg_fill_uniform_##suffix(g, out, n, 0, 1);                                               \
        box_muller_##suffix(out, n / 16, (type)mean, (type)std);                                 \
        if (n % 16) {                                                                            \
            tg_fill_uniform_##suffix(g, out + n - 16, 16, 0, 1);                                 \
            box_muller_##suffix(out + n - 16, 1, (type)mean, (type)std);                         \
        }                                                                                        \
    }
NORMAL(f32, float)
NORMAL(f64, double)

/* ---- bernoulli ---- */

#define BERNOULLI(suffix, type)                                                                           \
    void tg_fill_bernoulli_##suffix(tg_MT19937 *g, type *out, int64_t n, double p) {                      \
        uint64_t bits[1024];                                                                              \
        for (int64_t i = 0, count; i < n; i += count) {                                                   \
            count = n - i < 65536 ? n - i : 65536;                                                        \
            tg_draw_dropout_mask(g, bits, count, p);                                                      \
            for (int64_t j = 0; j < count; j++) out[i + j] = (type)(int32_t)(bits[j / 64] >> j % 64 & 1); \
        }                                                                                                 \
    }
BERNOULLI(f32, float)
BERNOULLI(f64, double)

void tg_fill_bernoulli_tensor_f32(tg_MT19937 *g, float *out, const float *p, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = (float)(tg_mt_float(g) < p[i]);
}

void tg_fill_bernoulli_tensor_f64(tg_MT19937 *g, double *out, const double *p, int64_t n) {
    for (int64_t i = 0; i < n; i++) out[i] = (double)(tg_mt_double(g) < p[i]);
}

/* ---- integers ---- */

void tg_fill_randint(tg_MT19937 *g, int64_t *out, int64_t n, int64_t low, int64_t high) {
    uint64_t range = (uint64_t)high - (uint64_t)low;
    if (range >= UINT64_C(1) << 28) {
        for (int64_t i = 0; i < n; i++) out[i] = (int64_t)(tg_mt_uint64(g) % range + (uint64_t)low);
    } else {
        uint32_t range32 = (uint32_t)range;
        for (int64_t i = 0; i < n; i++) out[i] = (int64_t)(tg_mt_uint32(g) % range32) + low;
    }
}

void tg_randperm(tg_MT19937 *g, int64_t *out, int64_t n) {
    if (n >= UINT32_MAX / 20) {
        for (int64_t i = 0; i < n; i++) {
            int64_t z = (int64_t)(tg_mt_uint64(g) % (uint64_t)(i + 1));
            out[i] = i;
            out[i] = out[z];
            out[z] = i;
        }
        return;
    }
    for (int64_t i = 0; i < n; i++) out[i] = i;
    for (int64_t i = 0; i < n - 1; i++) {
        int64_t z = i + tg_mt_uint32(g) % (uint32_t)(n - i);
        int64_t kept = out[i];
        out[i] = out[z];
        out[z] = kept;
    }
}
