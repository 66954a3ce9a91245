/* core/python/random.c: Python's module random. Each function draws from the Mersenne Twister in the same order as
 * CPython's Lib/random.py and Modules/_randommodule.c, so that a seed gives the same numbers. */
#include "core/python/random.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "core/kernels/random/mt19937.h"
#include "core/tensor/context.h"

typedef struct Generator {
    bool is_seeded, has_gauss;
    double gauss; /* the second number of a pair */
    tg_MT19937 engine;
} Generator;

/* init_by_array of the reference implementation (M. Matsumoto and T. Nishimura, mt19937ar.c, 2002), with the 32-bit
 * digits of |seed| as the key, the lowest one first. */
static void seed_by_digits(tg_MT19937 *g, uint64_t seed) {
    const uint32_t key[] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const int digits = key[1] ? 2 : 1;
    tg_mt_seed(g, 19650218);
    uint32_t *x = g->state;
    int i = 1, j = 0;
    for (int k = TG_MT_N; k > 0; k--) {
        x[i] = (x[i] ^ ((x[i - 1] ^ (x[i - 1] >> 30)) * 1664525u)) + key[j] + (uint32_t)j;
        if (++i == TG_MT_N) x[0] = x[TG_MT_N - 1], i = 1;
        if (++j == digits) j = 0;
    }
    for (int k = TG_MT_N - 1; k > 0; k--) {
        x[i] = (x[i] ^ ((x[i - 1] ^ (x[i - 1] >> 30)) * 1566083941u)) - (uint32_t)i;
        if (++i == TG_MT_N) x[0] = x[TG_MT_N - 1], i = 1;
    }
    x[0] = UINT32_C(0x80000000);
    g->next = TG_MT_END;
}

static void start(Generator *g, uint64_t seed) {
    seed_by_digits(&g->engine, seed);
    g->is_seeded = true;
    g->has_gauss = false;
}

/* The thread's generator; NULL with an error set on out of memory. */
static Generator *generator(void) {
    Generator *g = tg_thread_buffer(buffer_python_random, sizeof *g);
    if (!g) return tg_fail("out of memory: %zu bytes were asked for", sizeof *g);
    if (!g->is_seeded) {
        struct timespec now = {0};
        timespec_get(&now, TIME_UTC);
        start(g, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
    }
    return g;
}

void random_seed(int64_t seed) {
    Generator *g = generator();
    if (g) start(g, seed < 0 ? -(uint64_t)seed : (uint64_t)seed);
}

static double draw_double(Generator *g) {
    const uint32_t a = tg_mt_uint32(&g->engine) >> 5, b = tg_mt_uint32(&g->engine) >> 6;
    return ((double)a * 67108864.0 + (double)b) * (1.0 / 9007199254740992.0);
}

/* getrandbits(bits): the first 32-bit outputs are the low bits; of the last one the upper bits are used. */
static uint64_t draw_bits(Generator *g, int bits) {
    if (bits <= 32) return tg_mt_uint32(&g->engine) >> (32 - bits);
    const uint64_t low = tg_mt_uint32(&g->engine);
    return low | (uint64_t)(tg_mt_uint32(&g->engine) >> (64 - bits)) << 32;
}

/* _randbelow(n): draws bits until the value is below n >= 1; 0 means 2^64. */
static uint64_t draw_below(Generator *g, uint64_t n) {
    if (n == 0) { /* of 65 bits the 65th, a word of its own, must be 0 */
        uint64_t low;
        do low = draw_bits(g, 64);
        while (tg_mt_uint32(&g->engine) >> 31);
        return low;
    }
    const int bits = 64 - __builtin_clzll((unsigned long long)n);
    uint64_t r;
    do r = draw_bits(g, bits);
    while (r >= n);
    return r;
}

double random_random(void) {
    Generator *g = generator();
    return g ? draw_double(g) : NAN;
}

double random_uniform(double a, double b) {
    Generator *g = generator();
    return g ? a + (b - a) * draw_double(g) : NAN;
}

/* Two normal values from two uniform ones (Box and Muller); the second one is kept for the next call. */
double random_gauss(double mu, double sigma) {
    Generator *g = generator();
    if (!g) return NAN;
    double z = g->gauss;
    if (!g->has_gauss) {
        const double angle = draw_double(g) * 6.283185307179586476925286766559,
            radius = sqrt(-2.0 * log(1.0 - draw_double(g)));
        z = cos(angle) * radius;
        g->gauss = sin(angle) * radius;
    }
    g->has_gauss = !g->has_gauss;
    return mu + z * sigma;
}

int64_t random_randrange(int64_t start, int64_t stop, int64_t step) {
    Generator *g = generator();
    if (!g) return 0;
    if (step == 0) return tg_fail("zero step for randrange()"), 0;
    const bool is_empty = step > 0 ? start >= stop : start <= stop;
    if (is_empty && start == 0 && step == 1) return tg_fail("empty range for randrange()"), 0;
    if (is_empty)
        return tg_fail("empty range for randrange() (%" PRId64 ", %" PRId64 ", %" PRId64 ")", start, stop,
                       (int64_t)((uint64_t)stop - (uint64_t)start)), 0;
    const uint64_t width = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
    const uint64_t by = step > 0 ? (uint64_t)step : -(uint64_t)step, r = draw_below(g, width / by + (width % by != 0));
    return (int64_t)((uint64_t)start + r * (uint64_t)step);
}

int64_t random_randint(int64_t a, int64_t b) {
    Generator *g = generator();
    if (!g) return 0;
    if (b < a)
        return tg_fail("empty range for randrange() (%" PRId64 ", %" PRId64 ", %" PRId64 ")", a, b + 1,
                       (int64_t)((uint64_t)b + 1 - (uint64_t)a)), 0;
    return (int64_t)((uint64_t)a + draw_below(g, (uint64_t)b - (uint64_t)a + 1));
}

int64_t random_choice(int64_t count) {
    Generator *g = generator();
    if (!g) return -1;
    if (count < 1) return tg_fail("Cannot choose from an empty sequence"), -1;
    return (int64_t)draw_below(g, (uint64_t)count);
}

static bool check_items(const void *items, int64_t count) {
    if (count < 0) return tg_fail("a number of items must not be negative, but is %" PRId64, count);
    return items || count == 0 || tg_fail("argument 1 is NULL where %" PRId64 " items are expected", count);
}

static void swap(char *a, char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

bool random_shuffle(void *items, int64_t count, size_t size) {
    Generator *g = check_items(items, count) ? generator() : NULL;
    for (int64_t i = count - 1; g && i > 0; i--) {
        const uint64_t j = draw_below(g, (uint64_t)i + 1);
        swap((char *)items + (size_t)i * size, (char *)items + j * size, size);
    }
    return g != NULL;
}

/* For few items, selection from a pool without replacement; for many, rejection of indices already drawn. The threshold
 * is Python's, because the draws differ: 21 items, plus 4 ** ceil(log(3 k, 4)) if k > 5. */
static bool takes_from_pool(int64_t count, int64_t k) {
    double boundary = 21;
    if (k > 5) boundary += pow(4, ceil(log((double)k * 3) / log(4)));
    return (double)count <= boundary;
}

bool random_sample(const void *items, int64_t count, size_t size, int64_t k, void *to) {
    if (!check_items(items, count)) return false;
    if (k < 0 || k > count) return tg_fail("Sample larger than population or is negative");
    if (!to && k > 0) return tg_fail("argument 5 is NULL where an array for %" PRId64 " items is expected", k);
    Generator *g = generator();
    const bool from_pool = takes_from_pool(count, k);
    const size_t bytes = (size_t)(from_pool ? count : k) * sizeof(int64_t);
    int64_t *index = g ? tg_alloc_raw(bytes) : NULL; /* the pool, or the indices drawn so far */
    if (!index) return false;
    for (int64_t i = 0; from_pool && i < count; i++) index[i] = i;
    for (int64_t i = 0; i < k; i++) {
        int64_t chosen;
        if (from_pool) {
            const uint64_t j = draw_below(g, (uint64_t)(count - i));
            chosen = index[j];
            index[j] = index[count - i - 1];
        } else {
            int64_t before = 0;
            do {
                chosen = (int64_t)draw_below(g, (uint64_t)count);
                for (before = 0; before < i && index[before] != chosen;) before++;
            } while (before < i);
            index[i] = chosen;
        }
        memcpy((char *)to + (size_t)i * size, (const char *)items + (size_t)chosen * size, size);
    }
    tg_free(index, bytes);
    return true;
}
