/* Attention in tiles, after T. Dao, D. Fu, S. Ermon, A. Rudra and C. Re, "FlashAttention" (2022): the S x S weights are never
 * in memory. A block of up to 64 queries meets the keys 64 at a time; what came before is scaled down whenever a larger score
 * turns up, and the backward pass makes the weights anew from each query's largest score and sum.
 *
 * Here is the order of the blocks, once for all types and instruction sets; what happens to their vectors is in attention.inc. */
#include "attention.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "isa.h"
#include "parallel.h"

enum { KEYS = 64, MOST_QUERIES = 64, ROW_BYTES = 256, BLOCK_BYTES = 16384 }; /* of a block: its keys, its lanes and their bytes, all */
enum { WORTH_A_PIECE = 1 << 19, HANDS = 4 };                                 /* multiply-adds; see tg_attention_backward */
enum { NOTHING, SOME, ALL };

/* ---- what attention.inc knows ---- */

/* C = A B, or C = C factor + A B with a factor for each lane. Element (i, k) of A is a[i * row + k * column]; row k of B is at
 * b + k * ldb, row i of C at c + i * ldc, n whole vectors wide; depth > 0. */
typedef struct tg_Little {
    int64_t m, n, depth;
    const void *a;
    int64_t row, column;
    const void *b;
    int64_t ldb;
    void *c;
    int64_t ldc;
    const void *factor; /* NULL: C = A B */
    bool one_factor;    /* three vectors of it, for all lanes */
} tg_Little;

typedef struct tg_Bits {
    uint32_t of[KEYS / 32][MOST_QUERIES]; /* a word has 32 keys of one query */
} tg_Bits;

typedef struct tg_Dropped {
    bool is_on;
    double scale;
    tg_Bits keep;
} tg_Dropped;

/* Of each lane: the largest score and the sum of the weights so far, and what the sums so far are multiplied with; in the backward
 * pass what is subtracted from the scores, 1 / the sum, and delta. */
typedef struct tg_Softmax {
    _Alignas(64) char max[ROW_BYTES], sum[ROW_BYTES], factor[ROW_BYTES];
} tg_Softmax;

/* Rows from a on of A times the vectors from b on of B: one tile of C. */
typedef void tg_Tile(const tg_Little *z, const void *a, const void *b, void *c, const void *factor);
enum { WIDEST = 3, TALLEST = 6 }; /* vectors and rows of a tile */

typedef struct tg_Loops {
    int64_t lanes;
    tg_Tile *tiles[WIDEST][TALLEST]; /* [vectors - 1][rows - 1]; those of one row, of one and two vectors, are always there */
    void (*turn)(void *to, int64_t y_row, const void *from, int64_t x_row, int64_t n, int64_t d, double factor);
    void (*hide)(void *scores, int64_t lanes, int64_t n, const tg_Bits *sees);
    void (*weigh)(void *scores, int64_t lanes, int64_t n, const tg_Dropped *dropped, tg_Softmax *soft);
    void (*divide)(void *ot, int64_t lanes, int64_t d, bool zero_when_blind, tg_Softmax *soft);
    void (*deltas)(void *delta, const void *y, int64_t y_row, const void *dy, int64_t dy_row, int64_t n, int64_t d);
    void (*differentiate)(void *scores, void *dp, int64_t lanes, int64_t n, double factor, const tg_Dropped *dropped,
                          const tg_Softmax *soft);
    void (*add_up)(void *row, const void *parts, int64_t apart, int64_t count, int64_t d);
} tg_Loops;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize") /* what is worth vectors is written in them */
#endif
#define KERNEL "attention.inc"
#include "instances.inc"
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("Os")
#endif

static const tg_Loops *loops_for(bool is_double) {
#if defined(__x86_64__)
    static const tg_Loops *const loops[2][3] = {{&loops_f32_baseline, &loops_f32_avx2, &loops_f32_avx512},
                                                {&loops_f64_baseline, &loops_f64_avx2, &loops_f64_avx2}};
    return loops[is_double][tg_isa()];
#else
    return is_double ? &loops_f64_baseline : &loops_f32_baseline;
#endif
}

typedef struct Job {
    const tg_Attention *t;
    const tg_AttentionGradients *g;
    const tg_Loops *loops;
    int64_t size;         /* of a real */
    int64_t most, blocks; /* lanes of a block, and the blocks of a head */
    int64_t hands;
} Job;

/* ---- products ---- */

/* The rows of the next tile where so many are left. Of 6, 5 and 4 any number from 8 on is made up, of 4 and 3 any from 6 on. */
static int64_t height(tg_Tile *const *tiles, int64_t left) {
    int64_t tall = TALLEST;
    while (tall > left || !tiles[tall - 1]) tall--;
    if (tall == 6 && left > 7 && left < 12 && tiles[4]) return (left + 1) / 2;
    return tall == 4 && left == 6 && tiles[2] ? 3 : tall;
}

static void multiply(const Job *job, const tg_Little *z) {
    const tg_Loops *loops = job->loops;
    const int64_t size = job->size;
    for (int64_t j = 0, wide; j < z->n; j += wide * loops->lanes) {
        const int64_t left = (z->n - j) / loops->lanes;
        wide = left < 3 ? left : left % 2 && loops->tiles[2][0] ? 3 : 2;
        tg_Tile *const *tiles = loops->tiles[wide - 1];
        const void *factor = z->factor ? (const char *)z->factor + (z->one_factor ? 0 : j * size) : NULL;
        for (int64_t i = 0, tall; i < z->m; i += tall) {
            tall = height(tiles, z->m - i);
            tiles[tall - 1](z, (const char *)z->a + i * z->row * size, (const char *)z->b + j * size,
                            (char *)z->c + (i * z->ldc + j) * size, factor);
        }
    }
}

/* ---- a block of queries ---- */

/* n queries of one head from `from` on, in so many lanes. */
typedef struct Block {
    const Job *job;
    const tg_Attention *t;
    int64_t batch, head, from, n, lanes;
    const char *q;
    tg_Bits sees;
    tg_Dropped dropped;
} Block;

static Job job_for(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g) {
    Job job = {.t = t, .g = g, .loops = loops_for(is_double), .size = is_double ? 8 : 4, .hands = 1};
    const int64_t fit = BLOCK_BYTES / (t->d * job.size) / job.loops->lanes * job.loops->lanes;
    job.most = fit < ROW_BYTES / job.size ? fit : ROW_BYTES / job.size;
    job.blocks = (t->queries + job.most - 1) / job.most;
    return job;
}

static char *at(const Job *job, const tg_Heads *x, int64_t batch, int64_t head, int64_t row) {
    return (char *)x->data + (batch * x->batch + head * x->head + row * x->row) * job->size;
}

/* Row j of the k or v that a block looks at. */
static char *kv_at(const Block *z, const tg_Heads *x, int64_t j) {
    return at(z->job, x, z->batch, z->head / (z->t->heads / z->t->kv_heads), j);
}

static void begin(Block *z, const Job *job, int64_t batch, int64_t head, int64_t block) {
    const int64_t from = block * job->most, left = job->t->queries - from, lanes = job->loops->lanes;
    z->job = job;
    z->t = job->t;
    z->batch = batch;
    z->head = head;
    z->from = from;
    z->n = left < job->most ? left : job->most;
    z->lanes = (z->n + lanes - 1) / lanes * lanes;
    z->q = at(job, &z->t->q, batch, head, from);
    z->dropped.is_on = z->t->keep != NULL;
    z->dropped.scale = z->t->keep_scale;
}

/* x times factor on its side, x a row for each query; lanes without one get zeros. */
static void turn_in(const Block *z, void *to, const char *x, int64_t row, double factor) {
    const int64_t d = z->t->d;
    if (z->lanes - z->n >= 8) memset(to, 0, (size_t)(d * z->lanes * z->job->size)); /* AVX-512 turns half vectors */
    z->job->loops->turn(to, z->lanes, x, row, z->n, d, factor);
}

/* One behind the last key that any of them may see. */
static int64_t end_of(const Block *z) {
    return z->t->causal && z->from + z->n < z->t->keys ? z->from + z->n : z->t->keys;
}

static int64_t query_of(const Block *z, int64_t lane) {
    return z->from + (lane < z->n ? lane : z->n - 1);
}

/* Which of n keys from j on they see: as bits where it is some of them. */
static int look(Block *z, int64_t j, int64_t n) {
    const tg_Attention *t = z->t;
    if (!t->sees && (!t->causal || j + n - 1 <= z->from)) return ALL;
    uint32_t seen = 0, hidden = 0;
    for (int64_t half = 0; half * 32 < n; half++) {
        const int64_t key = j + half * 32, left = n - half * 32;
        const uint32_t whole = left < 32 ? (1u << left) - 1 : ~0u;
        const uint64_t *row = t->sees ? t->sees + z->batch * t->sees_batch + z->head * t->sees_head + key / 64 : NULL;
        for (int64_t l = 0; l < z->lanes; l++) {
            const int64_t query = query_of(z, l), before = query - key;
            uint32_t bits = whole;
            if (row) bits &= (uint32_t)(row[query * t->sees_row] >> key % 64);
            if (t->causal && before < 31) bits &= before < 0 ? 0 : (2u << before) - 1;
            seen |= bits;
            hidden |= bits ^ whole;
            z->sees.of[half][l] = bits;
        }
    }
    return !seen ? NOTHING : hidden ? SOME : ALL;
}

static void look_what_is_kept(Block *z, int64_t j, int64_t n) {
    const tg_Attention *t = z->t;
    for (int64_t half = 0; half * 32 < n; half++)
        for (int64_t l = 0; l < z->lanes; l++) {
            const int64_t bit = ((z->batch * t->heads + z->head) * t->queries + query_of(z, l)) * t->keys + j + half * 32;
            const uint64_t bits = t->keep[bit / 64] >> bit % 64, more = bit % 64 > 32 ? t->keep[bit / 64 + 1] << (64 - bit % 64) : 0;
            z->dropped.keep.of[half][l] = (uint32_t)(bits | more);
        }
}

static void add_bias(const Block *z, int64_t j, int64_t n, void *s) {
    const tg_Heads *bias = &z->t->bias;
    const char *p = at(z->job, bias, z->batch, z->head, z->from) + j * z->t->bias_key * z->job->size;
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < z->n; l++) {
            const int64_t from = l * bias->row + i * z->t->bias_key, to = i * z->lanes + l;
            if (z->job->size == 4) ((float *)s)[to] += ((const float *)(const void *)p)[from];
            else ((double *)s)[to] += ((const double *)(const void *)p)[from];
        }
}

/* rows(K or V) X^T for n keys from j on: a row of s for each key. */
static void rows_times(const Block *z, const tg_Heads *x, int64_t j, int64_t n, const void *turned, void *s) {
    multiply(z->job, &(tg_Little){n, z->lanes, z->t->d, kv_at(z, x, j), x->row, 1, turned, z->lanes, s, z->lanes, NULL, false});
}

/* The scores of n keys from j on as softmax sees them, and the bits of what is dropped. */
static void score(Block *z, int64_t j, int64_t n, int sight, const void *qt, void *s) {
    rows_times(z, &z->t->k, j, n, qt, s);
    if (z->t->bias.data) add_bias(z, j, n, s);
    if (sight == SOME) z->job->loops->hide(s, z->lanes, n, &z->sees);
    if (z->dropped.is_on) look_what_is_kept(z, j, n);
}

static char *stats_of(const Block *z) {
    return (char *)z->t->stats + ((z->batch * z->t->heads + z->head) * 2 * z->t->queries + z->from) * z->job->size;
}

/* ---- forward ---- */

typedef struct Forward {
    _Alignas(64) char qt[BLOCK_BYTES], ot[BLOCK_BYTES], s[BLOCK_BYTES];
    tg_Softmax soft;
    Block z;
} Forward;

static void begin_softmax(const Block *z, tg_Softmax *soft) {
    memset(soft->sum, 0, sizeof soft->sum);
    for (int64_t l = 0; l < z->lanes; l++)
        if (z->job->size == 4) ((float *)(void *)soft->max)[l] = -INFINITY;
        else ((double *)(void *)soft->max)[l] = -(double)INFINITY;
}

static void block_forward(Forward *w) {
    Block *z = &w->z;
    const tg_Attention *t = z->t;
    const tg_Loops *loops = z->job->loops;
    const size_t lanes_bytes = (size_t)(z->lanes * z->job->size), stats_bytes = (size_t)(z->n * z->job->size);
    turn_in(z, w->qt, z->q, t->q.row, t->scale);
    begin_softmax(z, &w->soft);
    bool is_first = true;
    for (int64_t j = 0, n, end = end_of(z); j < end; j += n) {
        n = end - j < KEYS ? end - j : KEYS;
        const int sight = look(z, j, n);
        if (sight == NOTHING) continue;
        score(z, j, n, sight, w->qt, w->s);
        loops->weigh(w->s, z->lanes, n, &z->dropped, &w->soft);
        multiply(z->job, &(tg_Little){t->d, z->lanes, n, kv_at(z, &t->v, j), 1, t->v.row, w->s, z->lanes, w->ot, z->lanes,
                                      is_first ? NULL : w->soft.factor, false});
        is_first = false;
    }
    if (is_first) memset(w->ot, 0, (size_t)t->d * lanes_bytes);
    loops->divide(w->ot, z->lanes, t->d, t->zero_when_blind, &w->soft);
    loops->turn(at(z->job, &t->y, z->batch, z->head, z->from), t->y.row, w->ot, z->lanes, t->d, z->n, 1);
    if (!t->stats) return;
    memcpy(stats_of(z), w->soft.max, stats_bytes);
    memcpy(stats_of(z) + t->queries * z->job->size, w->soft.sum, stats_bytes);
}

/* Items: (batch, head, block of queries). */
static void forward(int64_t from, int64_t to, void *context) {
    const Job *job = context;
    Forward w;
    for (int64_t item = from; item < to; item++) {
        const int64_t head = item / job->blocks;
        begin(&w.z, job, head / job->t->heads, head % job->t->heads, item % job->blocks);
        block_forward(&w);
    }
}

/* ---- backward ---- */

/* Where a hand gathers dK and dV of one head; NULL: not asked for. */
typedef struct Gathered {
    char *dk, *dv;
    int64_t dk_row, dv_row;
    bool is_fresh; /* nothing was written there yet */
} Gathered;

typedef struct Backward {
    _Alignas(64) char qt[BLOCK_BYTES], dot[BLOCK_BYTES], dqt[BLOCK_BYTES], p[BLOCK_BYTES], ds[BLOCK_BYTES];
    tg_Softmax soft;
    Block z;
    Gathered to;
} Backward;

static const float ones_f32[48] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const double ones_f64[24] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* Rows from j on of what a hand gathers: += weights x for n keys, where the rows of x are the block's queries; x NULL: nothing is
 * added. */
static void gather(const Backward *w, char *sums, int64_t row, int64_t j, int64_t n, const void *weights, const void *x, int64_t x_row) {
    const Block *z = &w->z;
    const int64_t size = z->job->size, d = z->t->d;
    const void *ones = size == 4 ? (const void *)ones_f32 : ones_f64;
    if (!sums) return;
    sums += j * row * size;
    if (x) multiply(z->job, &(tg_Little){n, d, z->n, weights, z->lanes, 1, x, x_row, sums, row, w->to.is_fresh ? NULL : ones, true});
    for (int64_t i = 0; !x && w->to.is_fresh && i < n; i++) memset(sums + i * row * size, 0, (size_t)(d * size));
}

static void gather_nothing(const Backward *w, int64_t j, int64_t n) {
    gather(w, w->to.dk, w->to.dk_row, j, n, NULL, NULL, 0);
    gather(w, w->to.dv, w->to.dv_row, j, n, NULL, NULL, 0);
}

static void begin_backward(Backward *w, const char *dy, int64_t dy_row) {
    Block *z = &w->z;
    const tg_Attention *t = z->t;
    const tg_Loops *loops = z->job->loops;
    const size_t bytes = (size_t)(z->n * z->job->size);
    memset(&w->soft, 0, sizeof w->soft);
    memcpy(w->soft.max, stats_of(z), bytes);
    memcpy(w->soft.sum, stats_of(z) + t->queries * z->job->size, bytes);
    loops->deltas(w->soft.factor, at(z->job, &t->y, z->batch, z->head, z->from), t->y.row, dy, dy_row, z->n, t->d);
    turn_in(z, w->qt, z->q, t->q.row, t->scale);
    turn_in(z, w->dot, dy, dy_row, 1);
}

static void block_backward(Backward *w) {
    Block *z = &w->z;
    const tg_Attention *t = z->t;
    const tg_AttentionGradients *g = z->job->g;
    const tg_Loops *loops = z->job->loops;
    const char *dy = at(z->job, &g->dy, z->batch, z->head, z->from);
    begin_backward(w, dy, g->dy.row);
    bool is_first = true;
    const int64_t end = end_of(z);
    for (int64_t j = 0, n; j < end; j += n) {
        n = end - j < KEYS ? end - j : KEYS;
        const int sight = look(z, j, n);
        if (sight == NOTHING) {
            gather_nothing(w, j, n);
            continue;
        }
        score(z, j, n, sight, w->qt, w->p);
        rows_times(z, &t->v, j, n, w->dot, w->ds);
        loops->differentiate(w->p, w->ds, z->lanes, n, t->scale, &z->dropped, &w->soft);
        gather(w, w->to.dv, w->to.dv_row, j, n, w->p, dy, g->dy.row);
        gather(w, w->to.dk, w->to.dk_row, j, n, w->ds, z->q, t->q.row);
        if (g->dq.data)
            multiply(z->job, &(tg_Little){t->d, z->lanes, n, kv_at(z, &t->k, j), 1, t->k.row, w->ds, z->lanes, w->dqt, z->lanes,
                                          is_first ? NULL : z->job->size == 4 ? (const void *)ones_f32 : ones_f64, true});
        is_first = false;
    }
    gather_nothing(w, end, t->keys - end);
    w->to.is_fresh = false;
    if (!g->dq.data) return;
    if (is_first) memset(w->dqt, 0, (size_t)(t->d * z->lanes * z->job->size));
    loops->turn(at(z->job, &g->dq, z->batch, z->head, z->from), g->dq.row, w->dqt, z->lanes, t->d, z->n, 1);
}

/* Items: (batch, head of k and v, hand). */
static void backward(int64_t from, int64_t to, void *context) {
    const Job *job = context;
    const tg_Attention *t = job->t;
    const tg_AttentionGradients *g = job->g;
    const int64_t group = t->heads / t->kv_heads;
    Backward w;
    for (int64_t item = from; item < to; item++) {
        const int64_t hand = item % job->hands, head = item / job->hands % t->kv_heads, batch = item / job->hands / t->kv_heads;
        char *part = (char *)g->parts + item * 2 * t->keys * t->d * job->size;
        w.to = (Gathered){.dk_row = job->hands > 1 ? t->d : g->dk.row, .dv_row = job->hands > 1 ? t->d : g->dv.row, .is_fresh = true};
        if (g->dk.data) w.to.dk = job->hands > 1 ? part : at(job, &g->dk, batch, head, 0);
        if (g->dv.data) w.to.dv = job->hands > 1 ? part + t->keys * t->d * job->size : at(job, &g->dv, batch, head, 0);
        for (int64_t i = hand; i < group * job->blocks; i += job->hands) {
            begin(&w.z, job, batch, head * group + i / job->blocks, i % job->blocks);
            block_backward(&w);
        }
    }
}

/* dK and dV as the sum of what the hands have gathered. Items: (batch, head, key). */
static void add_hands_up(int64_t from, int64_t to, void *context) {
    const Job *job = context;
    const tg_Attention *t = job->t;
    const tg_Heads *const out[] = {&job->g->dk, &job->g->dv};
    const int64_t one = t->keys * t->d;
    for (int64_t item = from; item < to; item++) {
        const int64_t key = item % t->keys, head = item / t->keys;
        for (int which = 0; which < 2; which++) {
            const char *part = (const char *)job->g->parts + ((head * job->hands * 2 + which) * one + key * t->d) * job->size;
            if (out[which]->data)
                job->loops->add_up(at(job, out[which], head / t->kv_heads, head % t->kv_heads, key), part, 2 * one, job->hands, t->d);
        }
    }
}

/* ---- on threads ---- */

int64_t tg_attention_step(bool is_double) {
    return loops_for(is_double)->lanes;
}

/* Where there are too few heads for the threads, the blocks of a head are dealt to so many hands, whatever the threads: each
 * gathers a dK and dV of its own, and they are added up in one order. */
static void deal(Job *job) {
    const tg_Attention *t = job->t;
    const int64_t blocks = job->blocks * (t->heads / t->kv_heads);
    if (t->batch * t->kv_heads < 2 * HANDS) job->hands = blocks < HANDS ? blocks : HANDS;
}

int64_t tg_attention_parts(bool is_double, const tg_Attention *t) {
    Job job = job_for(is_double, t, NULL);
    deal(&job);
    return job.hands == 1 ? 0 : t->batch * t->kv_heads * job.hands * 2 * t->keys * t->d;
}

static int64_t grain(int64_t work) {
    return work < WORTH_A_PIECE ? WORTH_A_PIECE / (work + 1) + 1 : 1;
}

void tg_attention(bool is_double, const tg_Attention *t) {
    Job job = job_for(is_double, t, NULL);
    tg_parallel(t->batch * t->heads * job.blocks, grain(t->queries * t->keys * t->d * 2 / job.blocks), forward, &job);
}

void tg_attention_backward(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g) {
    Job job = job_for(is_double, t, g);
    deal(&job);
    const int64_t heads = t->batch * t->kv_heads, work = t->queries * t->keys * t->d * 5 * (t->heads / t->kv_heads);
    tg_parallel(heads * job.hands, grain(work / job.hands), backward, &job);
    if (job.hands > 1) tg_parallel(heads * t->keys, 16384 / (job.hands * t->d) + 1, add_hands_up, &job);
}
