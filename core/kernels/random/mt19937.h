/* core/kernels/random/mt19937.h: the random number generator: Mersenne Twister MT19937, that of torch.manual_seed on
 * CPU.
 *
 * Makoto Matsumoto and Takuji Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random
 * number generator", ACM TOMACS 8 (1998). The order in which PyTorch combines 32-bit outputs into wider values is
 * described at each function below.
 *
 * The folder random/: mt19937 (state, twist, temper), distributions, dropout_mask and dropout, multinomial. It includes
 * core/kernels only.
 *
 * A generator is plain data without pointers: `saved = *g;` saves it and `*g = saved;` restores it. It has no lock:
 * only one thread may use it at a time. */
#ifndef TAPEGRAD_CORE_KERNELS_RANDOM_MT19937_H
#define TAPEGRAD_CORE_KERNELS_RANDOM_MT19937_H

#include <stdbool.h>
#include <stdint.h>

enum { TG_MT_N = 624, TG_MT_END = TG_MT_N + 1 };

typedef struct tg_MT19937 {
    uint32_t state[TG_MT_N];    /* the recurrence */
    uint32_t outputs[TG_MT_END];  /* [1 .. 624]: the tempered state; [0]: see tg_mt_refill */
    int next;                   /* index of the next output; TG_MT_END if none is left */
    bool has_normal;            /* `normal` is the second value of a Box-Muller pair */
    double normal;
    uint64_t seed;              /* as given to tg_mt_seed: torch.initial_seed() */
} tg_MT19937;

/* torch.manual_seed(seed): initialises the state, and drops the pending normal. A negative Python seed is its two's
 * complement. Only the low 32 bits reach the state (as in PyTorch: 5 and 2^32 + 5 give the same values), but `seed` has
 * all 64. torch.Generator() without a seed starts at TG_MT_DEFAULT_SEED. */
void tg_mt_seed(tg_MT19937 *g, uint64_t seed);
#define TG_MT_DEFAULT_SEED UINT64_C(67280421310721)

/* Twists the state and tempers the next 624 outputs. At most one output may be unread: it is moved to outputs[0],
 * before the new ones, so that a 64-bit value whose halves are in two blocks is still contiguous. */
void tg_mt_refill(tg_MT19937 *g);

/* For long draws, without tempered outputs in memory. x[0 .. 623] is a state; tg_mt_extend computes the n values of the
 * recurrence after it. tg_mt_resume makes `block`, the last 624 of them, the state of g, with the last `unread` of its
 * outputs, at most 624, still to come. */
void tg_mt_extend(uint32_t *x, int64_t n);
void tg_mt_resume(tg_MT19937 *g, const uint32_t *block, int unread);

/* Tempering: shifts and masks that spread the bits of a value of the recurrence. */
static inline __attribute__((always_inline)) uint32_t tg_mt_temper(uint32_t y) {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

/* Returns how many values of `each` (1 or 2) outputs, at most `want` (>= 1), are contiguous in memory (>= 1), and *w,
 * where they are. Loops over *w are vectorised, with the bookkeeping once per block. */
static inline int64_t tg_mt_outputs(tg_MT19937 *g, const uint32_t **w, int64_t want, int each) {
    if (TG_MT_END - g->next < each) tg_mt_refill(g);
    int64_t count = (TG_MT_END - g->next) / each;
    if (count > want) count = want;
    *w = g->outputs + g->next;
    g->next += (int)count * each;
    return count;
}

/* The next output: uniform in 0 .. 2^32 - 1. */
static inline uint32_t tg_mt_uint32(tg_MT19937 *g) {
    if (g->next == TG_MT_END) tg_mt_refill(g);
    return g->outputs[g->next++];
}

/* Two outputs as one 64-bit value; the FIRST output is the high half. */
static inline uint64_t tg_mt_uint64(tg_MT19937 *g) {
    uint64_t high = tg_mt_uint32(g);
    return high << 32 | tg_mt_uint32(g);
}

/* One float32 of torch.rand: the low 24 bits of an output, times 2^-24; in [0, 1). One output. */
static inline float tg_mt_float(tg_MT19937 *g) {
    return (float)(int32_t)(tg_mt_uint32(g) & 0xffffff) * 0x1p-24f;
}

/* One float64 of torch.rand: the low 53 bits of a 64-bit draw, times 2^-53; in [0, 1). Two outputs. */
static inline double tg_mt_double(tg_MT19937 *g) {
    return (double)(int64_t)(tg_mt_uint64(g) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

/* torch.empty((), dtype=torch.int64).random_() without bounds: 0 .. 2^63 - 1. Two outputs. The DataLoader and the
 * samplers draw their seeds with it. */
static inline int64_t tg_mt_random_i64(tg_MT19937 *g) {
    return (int64_t)(tg_mt_uint64(g) & INT64_MAX);
}

/* One value of N(0, 1) by Box and Muller, in double: u1 and u2 two uniforms of tg_mt_double, r = sqrt(-2 log(1 - u2)),
 * t = 2 pi u1; returns r cos(t), and r sin(t) at the next call, whatever dtype that one serves; nothing but
 * seeding clears it. Four outputs, or none. This is how x.normal_(mean, std) fills fewer than 16 elements, and a
 * tensor of any size that is not contiguous: in memory order, each element is (dtype)fma(value, std, mean).
 * PyTorch 1.13 takes log where later ones take log1p: the last bit of a float64 may differ. */
double tg_mt_normal(tg_MT19937 *g);

#endif
