/* Attention in tiles, after T. Dao, D. Fu, S. Ermon, A. Rudra and C. Re, "FlashAttention" (2022): the S x S weights are never
 * in memory. A block of up to 64 queries meets the keys 64 at a time; what came before is scaled down whenever a larger score
 * turns up, and the backward pass makes the weights anew from each query's largest score and sum.
 *
 * Here is the order of the blocks, once for all types and instruction sets. One block is in attention_block.c, what happens to its
 * vectors in attention.inc, and the way back in attention_backward.c. */
#include <math.h>
#include <string.h>

#include "core/kernels/attention/attention_block.h"
#include "core/kernels/parallel.h"

enum { WORTH_A_PIECE = 1 << 19, FEW = 3 }; /* multiply-adds; queries that are better met one by one */

typedef struct Forward {
    _Alignas(64) char qt[BLOCK_BYTES], ot[BLOCK_BYTES], s[BLOCK_BYTES];
    tg_RowSoftmax soft;
    Block z;
} Forward;

static void begin_softmax(const Block *z, tg_RowSoftmax *soft) {
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
    tg_pack_transposed(z, w->qt, z->q, t->q.row, t->scale);
    begin_softmax(z, &w->soft);
    bool is_first = true;
    for (int64_t j = 0, n, end = tg_end_of_keys(z); j < end; j += n) {
        n = end - j < KEYS ? end - j : KEYS;
        const int sight = tg_look(z, &t->v, j, n);
        if (sight == NOTHING) continue;
        tg_score(z, j, n, sight, w->qt, w->s);
        loops->weigh(w->s, z->lanes, n, &z->dropped, &w->soft);
        tg_little_product(z->job, &(tg_Little){t->d, z->lanes, n, tg_kv_at(z, &t->v, j), 1, t->v.row, w->s, z->lanes, w->ot, z->lanes,
                                      is_first ? NULL : w->soft.factor, false});
        is_first = false;
    }
    if (is_first) memset(w->ot, 0, (size_t)t->d * lanes_bytes);
    loops->divide(w->ot, z->lanes, t->d, t->zero_when_blind, &w->soft);
    loops->turn(tg_row_at(z->job, &t->y, z->batch, z->head, z->from), t->y.row, w->ot, z->lanes, t->d, z->n, 1);
    if (!t->stats) return;
    memcpy(tg_stats_of(z), w->soft.max, stats_bytes);
    memcpy(tg_stats_of(z) + t->queries * z->job->size, w->soft.sum, stats_bytes);
}

static bool is_few(const Job *job) {
    return job->t->queries <= FEW && !job->t->keep;
}

/* A few queries, met one by one: where a row of y is, its sums are gathered. */
static void few_forward(Block *z) {
    const tg_Attention *t = z->t;
    const int64_t size = z->job->size, end = tg_end_of_keys(z);
    tg_RowSoftmax soft[FEW];
    for (int64_t l = 0; l < z->n; l++) {
        z->lanes = 1;
        begin_softmax(z, &soft[l]);
        memset(tg_row_at(z->job, &t->y, z->batch, z->head, l), 0, (size_t)(t->d * size));
    }
    z->lanes = z->n;
    for (int64_t j = 0, n; j < end; j += n) {
        n = end - j < KEYS ? end - j : KEYS;
        const int sight = tg_look(z, &t->v, j, n);
        for (int64_t l = 0; l < z->n && sight != NOTHING; l++) {
            const tg_One one = {.q = z->q + l * t->q.row * size, .k = tg_kv_at(z, &t->k, j), .v = tg_kv_at(z, &t->v, j),
                                .k_row = t->k.row, .v_row = t->v.row, .n = n, .d = t->d, .scale = t->scale,
                                .bias = t->bias.data ? tg_row_at(z->job, &t->bias, z->batch, z->head, l) + j * t->bias_key * size : NULL,
                                .bias_key = t->bias_key, .sees = sight == SOME ? &z->sees : NULL, .lane = l,
                                .y = tg_row_at(z->job, &t->y, z->batch, z->head, l)};
            z->job->loops->meet(&one, &soft[l]);
        }
    }
    for (int64_t l = 0; l < z->n; l++) {
        z->job->loops->settle(tg_row_at(z->job, &t->y, z->batch, z->head, l), t->d, t->zero_when_blind, &soft[l]);
        if (!t->stats) continue;
        memcpy(tg_stats_of(z) + l * size, soft[l].max, (size_t)size);
        memcpy(tg_stats_of(z) + (l + t->queries) * size, soft[l].sum, (size_t)size);
    }
}

/* Items: (batch, head, block of queries). */
static void forward(int64_t from, int64_t to, void *context) {
    const Job *job = context;
    Forward w;
    for (int64_t item = from; item < to; item++) {
        const int64_t head = item / job->blocks;
        tg_begin_block(&w.z, job, head / job->t->heads, head % job->t->heads, item % job->blocks);
        if (is_few(job)) few_forward(&w.z);
        else block_forward(&w);
    }
}

/* ---- on threads ---- */

int64_t tg_attention_step(bool is_double) {
    return tg_attention_loops(is_double)->lanes;
}

int64_t tg_attention_grain(int64_t work) {
    return work < WORTH_A_PIECE ? WORTH_A_PIECE / (work + 1) + 1 : 1;
}

void tg_attention(bool is_double, const tg_Attention *t) {
    Job job = tg_attention_job(is_double, t, NULL);
    const int64_t work = t->queries * t->keys * t->d * 2 / job.blocks;
    const int64_t grain = tg_attention_grain(is_few(&job) ? work * 8 : work); /* few wait for memory */
    tg_parallel(t->batch * t->heads * job.blocks, grain, forward, &job);
}
