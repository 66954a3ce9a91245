/* core/kernels/random/mt19937.c: the Mersenne Twister; mt19937.h explains the interface.
 *
 *     state[i] for i < 624; M = 397
 *     twist    s[i] = s[i + M] ^ twist(s[i], s[i + 1])   all indices modulo 624, 624 values at a time
 *     temper   output = shifts and masks of s[i], each independent of the others
 *
 * All loops are plain C that the compiler vectorises: an instance for AVX2 and one for the baseline. */
#include "core/kernels/random/mt19937.h"

#include <math.h>
#include <string.h>

#include "core/kernels/isa.h"

enum { M = 397, N_MINUS_M = TG_MT_N - M };

void tg_mt_seed(tg_MT19937 *g, uint64_t seed) {
    *g = (tg_MT19937){.next = TG_MT_END, .seed = seed};
    g->state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < TG_MT_N; i++) {
        uint32_t previous = g->state[i - 1];
        g->state[i] = 1812433253u * (previous ^ (previous >> 30)) + i;
    }
}

/* The recurrence without its term s[i + M]: the top bit of `a` and the low 31 bits of `b`, times the twist matrix. */
static inline uint32_t twist(uint32_t a, uint32_t b) {
    uint32_t bits = (a & 0x80000000u) | (b & 0x7fffffffu);
    return (bits >> 1) ^ ((0u - (b & 1u)) & 0x9908b0dfu);
}

/* s[i] = s[i + M] ^ twist(s[i], s[i + 1]), all indices modulo 624, for i = 0 .. 623. Split where the index wraps
 * around: in the first loop s[i + M] is an old value, in the second a new one, 227 iterations ago, which is more than a
 * vector; the last value uses the new s[0]. */
static inline __attribute__((always_inline)) void twist_state(uint32_t *s) {
    for (int i = 0; i < N_MINUS_M; i++) s[i] = s[i + M] ^ twist(s[i], s[i + 1]);
    for (int i = N_MINUS_M; i < TG_MT_N - 1; i++) s[i] = s[i - N_MINUS_M] ^ twist(s[i], s[i + 1]);
    s[TG_MT_N - 1] = s[M - 1] ^ twist(s[TG_MT_N - 1], s[0]);
}

static inline __attribute__((always_inline)) void temper(uint32_t *restrict outputs, const uint32_t *restrict s) {
    for (int i = 0; i < TG_MT_N; i++) outputs[i] = tg_mt_temper(s[i]);
}

/* The recurrence without wrapping: x[k + 624] depends on x[k], x[k + 1] and x[k + 397], all computed at least 227
 * iterations before. */
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif
static inline __attribute__((always_inline)) void extend(uint32_t *x, int64_t n) {
    INDEPENDENT for (int64_t k = 0; k < n; k++) x[k + TG_MT_N] = x[k + M] ^ twist(x[k], x[k + 1]);
}

static void extend_baseline(uint32_t *x, int64_t n) {
    extend(x, n);
}

static void refill_baseline(tg_MT19937 *g) {
    twist_state(g->state);
    temper(g->outputs + 1, g->state);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void refill_avx2(tg_MT19937 *g) {
    twist_state(g->state);
    temper(g->outputs + 1, g->state);
}

__attribute__((target("avx2"))) static void extend_avx2(uint32_t *x, int64_t n) {
    extend(x, n);
}
#endif

void tg_mt_extend(uint32_t *x, int64_t n) {
#if defined(__x86_64__)
    if (tg_isa() >= TG_ISA_AVX2) {
        extend_avx2(x, n);
        return;
    }
#endif
    extend_baseline(x, n);
}

void tg_mt_resume(tg_MT19937 *g, const uint32_t *block, int unread) {
    memcpy(g->state, block, sizeof g->state);
    temper(g->outputs + 1, g->state);
    g->next = TG_MT_END - unread;
}

void tg_mt_refill(tg_MT19937 *g) {
    int unread = TG_MT_END - g->next;
    if (unread) g->outputs[0] = g->outputs[TG_MT_END - 1];
    g->next = 1 - unread;
#if defined(__x86_64__)
    if (tg_isa() >= TG_ISA_AVX2) {
        refill_avx2(g);
        return;
    }
#endif
    refill_baseline(g);
}

double tg_mt_normal(tg_MT19937 *g) {
    if (g->has_normal) {
        g->has_normal = false;
        return g->normal;
    }
    double u1 = tg_mt_double(g), u2 = tg_mt_double(g);
    double r = sqrt(-2.0 * log1p(-u2)), t = 6.283185307179586 * u1;
    g->normal = r * sin(t);
    g->has_normal = true;
    return r * cos(t);
}
