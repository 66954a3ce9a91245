/* core/kernels/random/dropout_mask.c: the dropout mask, one bit per element (tg_draw_dropout_mask).
 *
 * An element is kept if U() < p, p the probability to keep it, where U() = v * 2^-53 and v is the low 21 bits of one
 * output of the Mersenne Twister followed by the 32 bits of the next. No floating point is needed: v < 2^53 makes U()
 * exact, and so is p * 2^53 (scaling by a power of two), hence
 *
 *     U() < p  <=>  v < p * 2^53  <=>  v < limit = ceil(p * 2^53)                  since v is an integer.
 *
 * With limit = (high, low), the first output alone decides unless its 21 bits equal `high`, once in 2^21 elements. So
 * only every second output is tempered (tg_mt_temper), in registers: 8 at a time out of 16 values of the recurrence,
 * and for 64 elements one word of the mask is stored. If one of the 64 is undecided, all are computed by the
 * definition. Registers: 5 constants, 4 vectors of signs and 3 temporaries, of 16.
 *
 * The values of the recurrence are computed in batches of blocks of 624, contiguously after the last block
 * (tg_mt_extend). There are two buffers: while one batch becomes bits the next is computed, which is half of the work,
 * on another thread if the draw is long. Short draws use buffers on the stack that fit L1, long ones two of 80 KB, in
 * L2. */
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"
#include "core/kernels/random/distributions.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* blocks of a buffer; elements for which threads pay; words of the mask per item */
enum { SMALL_BLOCKS = 4, LARGE_BLOCKS = 32, LONG = 1 << 15, CHUNK = 8 };

/* One batch: blocks * 624 new values after the 624 of the last block; `count` elements are drawn from `first` on. */
typedef struct Batch {
    uint32_t *raw;
    uint64_t *mask;
    int64_t blocks, first, count;
} Batch;

typedef struct Draw {
    Batch now, next;
    uint64_t limit;
} Draw;

/* ---- from the recurrence to bits ---- */

/* The bits of up to 64 elements, by the definition. */
static uint64_t bits_one_by_one(const uint32_t *raw, int64_t count, uint64_t limit) {
    uint64_t bits = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t v = (uint64_t)(tg_mt_temper(raw[2 * i]) & 0x1fffff) << 32 | tg_mt_temper(raw[2 * i + 1]);
        bits |= (uint64_t)(v < limit) << i;
    }
    return bits;
}

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))

/* The first outputs of 8 elements, tempered, minus `high`: negative if kept. In the order 0 1 4 5 2 3 6 7. */
AVX2 static inline __m256i compare_8(const uint32_t *raw, __m256i high) {
    const __m256i b = _mm256_set1_epi32((int)0x9d2c5680u), c = _mm256_set1_epi32((int)0xefc60000u);
    const __m256 one = _mm256_loadu_ps((const float *)raw), two = _mm256_loadu_ps((const float *)raw + 8);
    __m256i y = _mm256_castps_si256(_mm256_shuffle_ps(one, two, 0x88));
    y = _mm256_xor_si256(y, _mm256_srli_epi32(y, 11));
    y = _mm256_xor_si256(y, _mm256_and_si256(_mm256_slli_epi32(y, 7), b));
    y = _mm256_xor_si256(y, _mm256_and_si256(_mm256_slli_epi32(y, 15), c));
    y = _mm256_and_si256(_mm256_xor_si256(y, _mm256_srli_epi32(y, 18)), _mm256_set1_epi32(0x1fffff));
    return _mm256_sub_epi32(y, high);
}

AVX2 static void mask_words_avx2(uint64_t *mask, const uint32_t *raw, int64_t words, uint64_t limit) {
    const __m256i high = _mm256_set1_epi32((int)(limit >> 32));
    for (; words > 0; words--, raw += 128) {
        __m256i least = _mm256_set1_epi32(-1); /* 0 where a lane is undecided */
        uint64_t bits = 0;
        for (int half = 0; half < 2; half++) {
            const uint32_t *w = raw + 64 * half;
            const __m256i one = compare_8(w, high), two = compare_8(w + 16, high);
            const __m256i three = compare_8(w + 32, high), four = compare_8(w + 48, high);
            least =
                _mm256_min_epu32(least, _mm256_min_epu32(_mm256_min_epu32(one, two), _mm256_min_epu32(three, four)));
            /* 32 signs in 32 bytes; in pairs they alternate between the halves of the vector. */
            const __m256i mixed = _mm256_packs_epi16(_mm256_packs_epi32(one, two), _mm256_packs_epi32(three, four));
            const __m128i even = _mm256_castsi256_si128(mixed), odd = _mm256_extracti128_si256(mixed, 1);
            const unsigned first = (unsigned)_mm_movemask_epi8(_mm_unpacklo_epi16(even, odd));
            const unsigned second = (unsigned)_mm_movemask_epi8(_mm_unpackhi_epi16(even, odd));
            bits |= (uint64_t)(first | second << 16) << 32 * half;
        }
        const int undecided = _mm256_movemask_epi8(_mm256_cmpeq_epi32(least, _mm256_setzero_si256()));
        *mask++ = undecided ? bits_one_by_one(raw, 64, limit) : bits;
    }
}
#endif

/* The words of the mask from .. to - 1 of a batch. */
static void mask_words(const Batch *b, int64_t from, int64_t to, uint64_t limit) {
    const uint32_t *raw = b->raw + b->first;
    const int64_t full_words = b->count / 64 < to ? b->count / 64 : to;
    int64_t i = from;
#if defined(__x86_64__)
    if (tg_isa() >= TG_ISA_AVX2 && full_words > i) {
        mask_words_avx2(b->mask + i, raw + 128 * i, full_words - i, limit);
        i = full_words;
    }
#endif
    for (; i < full_words; i++) b->mask[i] = bits_one_by_one(raw + 128 * i, 64, limit);
    if (i < to) b->mask[i] = bits_one_by_one(raw + 128 * i, b->count % 64, limit);
}

/* ---- the batches ---- */

/* The next batch for n elements if `unread` outputs of the last block are left: as many blocks as they need, or as
 * fit. */
static void plan_batch(Batch *b, int64_t n, int64_t unread, int64_t capacity) {
    const int64_t needed = 2 * n > unread ? (2 * n - unread + TG_MT_N - 1) / TG_MT_N : 0;
    b->blocks = needed < capacity ? needed : capacity;
    b->first = TG_MT_N - unread;
    const int64_t elements = (unread + b->blocks * TG_MT_N) / 2;
    b->count = elements < n ? elements & ~INT64_C(63) : n;
}

static const uint32_t *last_block(const Batch *b) {
    return b->raw + b->blocks * TG_MT_N;
}

static void extend_batch(Batch *b, const uint32_t *block) {
    memmove(b->raw, block, TG_MT_N * sizeof *block); /* (memcpy would be `rep movs`, which has a long startup time) */
    tg_mt_extend(b->raw, b->blocks * TG_MT_N);
}

static int64_t item_count(const Batch *b) {
    return 1 + (b->count + 64 * CHUNK - 1) / (64 * CHUNK);
}

/* Item 0 computes the next batch, the others CHUNK words of the mask each. */
static void draw_items(int64_t from, int64_t to, void *context) {
    Draw *d = context;
    if (from == 0 && d->next.count) extend_batch(&d->next, last_block(&d->now));
    const int64_t words = (d->now.count + 63) / 64, end = (to - 1) * CHUNK;
    if (from == 0) from = 1;
    if (to > from) mask_words(&d->now, (from - 1) * CHUNK, end < words ? end : words, d->limit);
}

static void draw(tg_MT19937 *g, uint64_t *mask, int64_t n, uint64_t limit, uint32_t *one, uint32_t *two,
                 int64_t capacity, bool parallel) {
    Draw d = {.now = {.raw = one, .mask = mask}, .next = {.raw = two}, .limit = limit};
    int64_t unread = TG_MT_END - g->next;
    plan_batch(&d.now, n, unread, capacity);
    extend_batch(&d.now, g->state);
    for (;;) {
        unread += d.now.blocks * TG_MT_N - 2 * d.now.count;
        n -= d.now.count;
        plan_batch(&d.next, n, unread, capacity);
        d.next.mask = d.now.mask + d.now.count / 64;
        if (parallel) tg_parallel(item_count(&d.now), 1, draw_items, &d);
        else draw_items(0, item_count(&d.now), &d);
        if (n == 0) break;
        const Batch done = d.now;
        d.now = d.next;
        d.next.raw = done.raw;
    }
    tg_mt_resume(g, last_block(&d.now), (int)unread);
}

void tg_draw_dropout_mask(tg_MT19937 *g, uint64_t *mask, int64_t n, double p) {
    static _Alignas(64) uint32_t large[2][(1 + LARGE_BLOCKS) * TG_MT_N];
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    const uint64_t limit = (uint64_t)ceil(p * 0x1p53);
    if (n <= 0) return;
    if (n >= LONG && tg_num_threads() > 1 && !atomic_flag_test_and_set(&taken)) {
        draw(g, mask, n, limit, large[0], large[1], LARGE_BLOCKS, true);
        atomic_flag_clear(&taken);
    } else {
        _Alignas(64) uint32_t small[2][(1 + SMALL_BLOCKS) * TG_MT_N];
        draw(g, mask, n, limit, small[0], small[1], SMALL_BLOCKS, false);
    }
}
