#include "core/kernels/random/mt19937.h"

#include <math.h>
#include <string.h>

#include "core/kernels/isa.h"

enum { MIDDLE = 397, SHIFT = TG_MT_N - MIDDLE };

void tg_mt_seed(tg_MT19937 *g, uint64_t seed)
{
    *g = (tg_MT19937){ .next = TG_MT_END, .seed = seed };
    g->state[0] = (uint32_t)seed;
    for (uint32_t i = 1; i < TG_MT_N; i++) {
        uint32_t before = g->state[i - 1];
        g->state[i] = 1812433253u * (before ^ (before >> 30)) + i;
    }
}

/* One step of the recurrence without its far partner: the top bit of `a` joined to the low 31 bits of `b`, times
 * the twist matrix. */
static inline uint32_t twist(uint32_t a, uint32_t b)
{
    uint32_t joined = (a & 0x80000000u) | (b & 0x7fffffffu);
    return (joined >> 1) ^ ((0u - (b & 1u)) & 0x9908b0dfu);
}

/* s[i] = s[i + 397] ^ twist(s[i], s[i + 1]), all indices modulo 624, for i = 0 .. 623. Cut where the modulo bites:
 * in the first loop the partner is an old word, in the second a new one made 227 steps ago, far enough for any
 * vector; the last word meets the first. */
static inline __attribute__((always_inline)) void next_state(uint32_t *s)
{
    for (int i = 0; i < SHIFT; i++) s[i] = s[i + MIDDLE] ^ twist(s[i], s[i + 1]);
    for (int i = SHIFT; i < TG_MT_N - 1; i++) s[i] = s[i - SHIFT] ^ twist(s[i], s[i + 1]);
    s[TG_MT_N - 1] = s[MIDDLE - 1] ^ twist(s[TG_MT_N - 1], s[0]);
}

static inline __attribute__((always_inline)) void temper(uint32_t *restrict words, const uint32_t *restrict s)
{
    for (int i = 0; i < TG_MT_N; i++) words[i] = tg_mt_temper(s[i]);
}

/* The recurrence along a line: x[k] follows from x[k - 624], x[k - 623] and x[k - 227], all of them made long before. */
#if defined(__clang__)
#define APART _Pragma("clang loop vectorize(assume_safety)")
#else
#define APART _Pragma("GCC ivdep")
#endif
static inline __attribute__((always_inline)) void go_on(uint32_t *x, int64_t n)
{
    APART for (int64_t k = 0; k < n; k++) x[k + TG_MT_N] = x[k + MIDDLE] ^ twist(x[k], x[k + 1]);
}

/* On x86-64 hardly a processor runs these: they are made small there. */
#if defined(__x86_64__)
#define PLAIN static __attribute__((cold))
#else
#define PLAIN static
#endif

PLAIN void go_on_plain(uint32_t *x, int64_t n)
{
    go_on(x, n);
}

PLAIN void refill_plain(tg_MT19937 *g)
{
    next_state(g->state);
    temper(g->words + 1, g->state);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void refill_avx2(tg_MT19937 *g)
{
    next_state(g->state);
    temper(g->words + 1, g->state);
}

__attribute__((target("avx2"))) static void go_on_avx2(uint32_t *x, int64_t n)
{
    go_on(x, n);
}
#endif

void tg_mt_extend(uint32_t *x, int64_t n)
{
#if defined(__x86_64__)
    if (tg_isa() >= TG_ISA_AVX2) {
        go_on_avx2(x, n);
        return;
    }
#endif
    go_on_plain(x, n);
}

void tg_mt_resume(tg_MT19937 *g, const uint32_t *block, int unread)
{
    memcpy(g->state, block, sizeof g->state);
    temper(g->words + 1, g->state);
    g->next = TG_MT_END - unread;
}

void tg_mt_refill(tg_MT19937 *g)
{
    int unread = TG_MT_END - g->next;
    if (unread) g->words[0] = g->words[TG_MT_END - 1];
    g->next = 1 - unread;
#if defined(__x86_64__)
    if (tg_isa() >= TG_ISA_AVX2) {
        refill_avx2(g);
        return;
    }
#endif
    refill_plain(g);
}

double tg_mt_normal(tg_MT19937 *g)
{
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
