/* core/kernels/attention/attention.c: attention in blocks, after T. Dao, D. Fu, S. Ermon, A. Rudra and C. Re,
 * "FlashAttention" (2022): the S x S weights are never in memory.
 *
 *     for each (batch, head, block of up to 64 queries)                       parallel
 *       m = -inf, l = 0, O = 0                                                the online softmax
 *       for each block of up to 64 keys that is not fully masked
 *         S = Q K^T scale + mask                                              scores of 64 x 64, in L1 and L2
 *         m' = max(m, max(S)), P = exp(S - m'), factor = exp(m - m')
 *         l = l factor + sum(P), O = O factor + dropout(P) V, m = m'
 *       y = O / l; saved for backward: m and 1 / l
 *
 * The backward (attention_backward.c) recomputes P from the scores, m and 1 / l. One block of queries and keys is in
 * attention_block.c, the vector code in attention.inc, which also has the budget of registers and cache. */
#include <math.h>
#include <string.h>

#include "core/kernels/attention/attention_block.h"
#include "core/kernels/parallel.h"

enum { GRAIN_WORK = 1 << 19, DECODE_QUERIES = 3 }; /* multiply-adds of an item; queries that are faster one by one */

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
    const tg_AttentionKernel *kernel = z->job->kernel;
    const size_t lanes_bytes = (size_t)(z->lanes * z->job->size), stats_bytes = (size_t)(z->n * z->job->size);
    tg_pack_transposed(z, w->qt, z->q, t->q.row, t->scale);
    begin_softmax(z, &w->soft);
    bool is_first = true;
    for (int64_t j = 0, n, end = tg_keys_end(z); j < end; j += n) {
        n = end - j < KEYS ? end - j : KEYS;
        const Masking masking = tg_block_mask(z, &t->v, j, n);
        if (masking == ALL_MASKED) continue;
        tg_scores(z, j, n, masking, w->qt, w->s);
        kernel->softmax_block(w->s, z->lanes, n, &z->dropout, &w->soft);
        tg_attention_product(z->job,
                             &(tg_BlockProduct){t->d, z->lanes, n, tg_kv_at(z, &t->v, j), 1, t->v.row, w->s, z->lanes,
                                                w->ot, z->lanes, is_first ? NULL : w->soft.factor, false});
        is_first = false;
    }
    if (is_first) memset(w->ot, 0, (size_t)t->d * lanes_bytes);
    kernel->softmax_end(w->ot, z->lanes, t->d, t->zero_if_fully_masked, &w->soft);
    kernel->transpose_scaled(tg_row_at(z->job, &t->y, z->batch, z->head, z->from), t->y.row, w->ot, z->lanes, t->d,
                             z->n, 1);
    if (!t->stats) return;
    memcpy(tg_block_stats(z), w->soft.max, stats_bytes);
    memcpy(tg_block_stats(z) + t->queries * z->job->size, w->soft.sum, stats_bytes);
}

static bool is_decode(const Job *job) {
    return job->t->queries <= DECODE_QUERIES && !job->t->dropout;
}

/* A few queries (generation), one by one; a row of y accumulates its weighted sum. */
static void decode_forward(Block *z) {
    const tg_Attention *t = z->t;
    const int64_t size = z->job->size, end = tg_keys_end(z);
    tg_RowSoftmax soft[DECODE_QUERIES];
    for (int64_t l = 0; l < z->n; l++) {
        z->lanes = 1;
        begin_softmax(z, &soft[l]);
        memset(tg_row_at(z->job, &t->y, z->batch, z->head, l), 0, (size_t)(t->d * size));
    }
    z->lanes = z->n;
    for (int64_t j = 0, n; j < end; j += n) {
        n = end - j < KEYS ? end - j : KEYS;
        const Masking masking = tg_block_mask(z, &t->v, j, n);
        for (int64_t l = 0; l < z->n && masking != ALL_MASKED; l++) {
            const tg_DecodeStep one = {.q = z->q + l * t->q.row * size,
                                       .k = tg_kv_at(z, &t->k, j),
                                       .v = tg_kv_at(z, &t->v, j),
                                       .k_row = t->k.row,
                                       .v_row = t->v.row,
                                       .n = n,
                                       .d = t->d,
                                       .scale = t->scale,
                                       .bias = t->bias.data ? tg_row_at(z->job, &t->bias, z->batch, z->head, l) +
                                                                  j * t->bias_key * size
                                                            : NULL,
                                       .bias_key = t->bias_key,
                                       .mask = masking == PARTLY_MASKED ? &z->mask : NULL,
                                       .lane = l,
                                       .y = tg_row_at(z->job, &t->y, z->batch, z->head, l)};
            z->job->kernel->decode(&one, &soft[l]);
        }
    }
    for (int64_t l = 0; l < z->n; l++) {
        z->job->kernel->decode_end(tg_row_at(z->job, &t->y, z->batch, z->head, l), t->d, t->zero_if_fully_masked,
                                   &soft[l]);
        if (!t->stats) continue;
        memcpy(tg_block_stats(z) + l * size, soft[l].max, (size_t)size);
        memcpy(tg_block_stats(z) + (l + t->queries) * size, soft[l].sum, (size_t)size);
    }
}

/* Items: (batch, head, block of queries). */
static void forward(int64_t from, int64_t to, void *context) {
    const Job *job = context;
    Forward w;
    for (int64_t item = from; item < to; item++) {
        const int64_t head = item / job->blocks;
        tg_block_begin(&w.z, job, head / job->t->heads, head % job->t->heads, item % job->blocks);
        if (is_decode(job)) decode_forward(&w.z);
        else block_forward(&w);
    }
}

/* ---- on threads ---- */

int64_t tg_attention_lanes(bool is_double) {
    return tg_attention_kernel(is_double)->lanes;
}

int64_t tg_attention_grain(int64_t work) {
    return work < GRAIN_WORK ? GRAIN_WORK / (work + 1) + 1 : 1;
}

void tg_attention(bool is_double, const tg_Attention *t) {
    Job job = tg_attention_job(is_double, t, NULL);
    const int64_t work = t->queries * t->keys * t->d * 2 / job.blocks;
    const int64_t grain = tg_attention_grain(is_decode(&job) ? work * 8 : work); /* decoding is memory-bound */
    tg_parallel(t->batch * t->heads * job.blocks, grain, forward, &job);
}
