/* The random-number engine: Mersenne Twister MT19937, the one behind torch.manual_seed on CPU.
 *
 * Makoto Matsumoto and Takuji Nishimura, "Mersenne Twister: a 623-dimensionally equidistributed uniform
 * pseudo-random number generator", ACM TOMACS 8 (1998). The words are theirs; the order in which PyTorch glues
 * them into wider numbers is written beside each function below.
 *
 * Plain data: no pointers inside, so `saved = *g;` keeps a generator and `*g = saved;` takes it back. Not locked:
 * a generator belongs to one thread at a time. */
#ifndef TG_KERNELS_MT19937_H
#define TG_KERNELS_MT19937_H

#include <stdbool.h>
#include <stdint.h>

enum { TG_MT_N = 624, TG_MT_END = TG_MT_N + 1 };

typedef struct tg_MT19937 {
    uint32_t state[TG_MT_N];    /* the recurrence: 624 raw words */
    uint32_t words[TG_MT_END];  /* [1 .. 624]: the same words tempered, ready to hand out; [0]: see tg_mt_refill */
    int next;                   /* first unread place in words; TG_MT_END when all are read */
    bool has_normal;            /* the second value of a Box-Muller pair waits in `normal` */
    double normal;
    uint64_t seed;              /* as given to tg_mt_seed: torch.initial_seed() */
} tg_MT19937;

/* torch.manual_seed(seed): start again from `seed`; drops the waiting normal. A negative Python seed is its two's
 * complement. Only the low 32 bits reach the state (as in PyTorch: 5 and 2^32 + 5 give the same numbers), but
 * `seed` remembers all 64. torch.Generator() without a seed starts at TG_MT_DEFAULT_SEED. */
void tg_mt_seed(tg_MT19937 *g, uint64_t seed);
#define TG_MT_DEFAULT_SEED UINT64_C(67280421310721)

/* Makes the next 624 words. At most one word may be unread: it is moved to words[0], in front of the new ones, so
 * that a 64-bit number whose halves lie in two blocks is still two neighbours in memory. */
void tg_mt_refill(tg_MT19937 *g);

/* For long draws, which need no words in memory: the raw words as one line. x[0 .. 623] is a block (a generator's state);
 * tg_mt_extend makes the n words behind it. tg_mt_resume puts g behind them: its block is now this one, and the last
 * `unread` of its words, at most 624, are the next ones. */
void tg_mt_extend(uint32_t *x, int64_t n);
void tg_mt_resume(tg_MT19937 *g, const uint32_t *block, int unread);

/* Tempering: shifts and masks that spread the bits of a raw word; every word on its own. */
static inline __attribute__((always_inline)) uint32_t tg_mt_temper(uint32_t y)
{
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

/* Hands out up to `want` (>= 1) numbers of `each` (1 or 2) words, straight from the block: *w points at them, and
 * the result says how many they are (>= 1). Loops over *w vectorise, and pay for the bookkeeping once a block. */
static inline int64_t tg_mt_outputs(tg_MT19937 *g, const uint32_t **w, int64_t want, int each)
{
    if (TG_MT_END - g->next < each) tg_mt_refill(g);
    int64_t count = (TG_MT_END - g->next) / each;
    if (count > want) count = want;
    *w = g->words + g->next;
    g->next += (int)count * each;
    return count;
}

/* The next word: uniform in 0 .. 2^32 - 1. */
static inline uint32_t tg_mt_uint32(tg_MT19937 *g)
{
    if (g->next == TG_MT_END) tg_mt_refill(g);
    return g->words[g->next++];
}

/* Two words as one 64-bit number; the FIRST word is the high half. */
static inline uint64_t tg_mt_uint64(tg_MT19937 *g)
{
    uint64_t high = tg_mt_uint32(g);
    return high << 32 | tg_mt_uint32(g);
}

/* One float32 of torch.rand: the low 24 bits of a word, times 2^-24; in [0, 1). One word. */
static inline float tg_mt_float(tg_MT19937 *g)
{
    return (float)(int32_t)(tg_mt_uint32(g) & 0xffffff) * 0x1p-24f;
}

/* One float64 of torch.rand: the low 53 bits of a 64-bit draw, times 2^-53; in [0, 1). Two words. */
static inline double tg_mt_double(tg_MT19937 *g)
{
    return (double)(int64_t)(tg_mt_uint64(g) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

/* torch.empty((), dtype=torch.int64).random_() without bounds: 0 .. 2^63 - 1. Two words. The DataLoader and the
 * samplers draw their seeds with it. */
static inline int64_t tg_mt_random_i64(tg_MT19937 *g)
{
    return (int64_t)(tg_mt_uint64(g) & INT64_MAX);
}

/* One value of N(0, 1) by Box and Muller, in double: u1 and u2 two uniforms of tg_mt_double, r = sqrt(-2 log(1 - u2)),
 * t = 2 pi u1; r cos(t) now, and r sin(t) waits for the next call, whatever dtype that one serves; nothing but
 * seeding clears it. Four words, or none. This is how x.normal_(mean, std) fills fewer than 16 elements, and a
 * tensor of any size that is not contiguous: in memory order, each element is (dtype)fma(value, std, mean).
 * PyTorch 1.13 takes log where later ones take log1p: a last bit of a float64 now and then. */
double tg_mt_normal(tg_MT19937 *g);

#endif
