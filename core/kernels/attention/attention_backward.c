/* core/kernels/attention/attention_backward.c: the backward of attention: P is recomputed block by block from the
 * scores, each query's maximum and 1 / sum.
 *
 *     for each (batch, head of k and v, share of its blocks of queries)       parallel
 *       for each block of queries, transposed: Q^T, dO^T; delta = sum(dO O)
 *         for each block of keys
 *           S, P as forward; dP = dO V^T; dS = P (dP D - delta) scale
 *           dV += (P D)^T dO, dK += dS^T Q, dQ += dS K             D: the dropout mask times its scale */
#include <string.h>

#include "core/kernels/attention/attention_block.h"
#include "core/kernels/parallel.h"

enum { SHARES = 4 }; /* of a head's blocks: divide_blocks() */

/* The dK and dV of one head that a share of its blocks accumulates; NULL: not wanted. */
typedef struct KeyGradients {
    char *dk, *dv;
    int64_t dk_row, dv_row;
    bool is_first; /* they have no value yet */
} KeyGradients;

typedef struct Backward {
    _Alignas(64) char qt[BLOCK_BYTES], dot[BLOCK_BYTES], dqt[BLOCK_BYTES], p[BLOCK_BYTES], ds[BLOCK_BYTES];
    tg_RowSoftmax soft;
    Block z;
    KeyGradients to;
} Backward;

static const float ones_f32[48] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const double ones_f64[24] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/* Rows from j on of dK or dV: += weights x for n keys, where the rows of x are the block's queries. */
static void add_gradient(const Backward *w, char *sums, int64_t row, int64_t j, int64_t n, const void *weights,
                         const void *x, int64_t x_row) {
    const Block *z = &w->z;
    const int64_t size = z->job->size, d = z->t->d;
    const void *ones = size == 4 ? (const void *)ones_f32 : ones_f64;
    if (!sums) return;
    sums += j * row * size;
    tg_attention_product(z->job, &(tg_BlockProduct){n, d, z->n, weights, z->lanes, 1, x, x_row, sums, row,
                                                    w->to.is_first ? NULL : ones, true});
}

/* The same for keys that no query of the block attends to: they get a value, 0, if they have none yet. */
static void add_zero_gradient(const Backward *w, char *sums, int64_t row, int64_t j, int64_t n) {
    const int64_t size = w->z.job->size;
    if (!sums || !w->to.is_first) return;
    for (int64_t i = j; i < j + n; i++) memset(sums + i * row * size, 0, (size_t)(w->z.t->d * size));
}

static void add_zero_gradients(const Backward *w, int64_t j, int64_t n) {
    add_zero_gradient(w, w->to.dk, w->to.dk_row, j, n);
    add_zero_gradient(w, w->to.dv, w->to.dv_row, j, n);
}

static void begin_backward(Backward *w, const char *dy, int64_t dy_row) {
    Block *z = &w->z;
    const tg_Attention *t = z->t;
    const tg_AttentionKernel *kernel = z->job->kernel;
    const size_t bytes = (size_t)(z->n * z->job->size);
    memset(&w->soft, 0, sizeof w->soft);
    memcpy(w->soft.max, tg_block_stats(z), bytes);
    memcpy(w->soft.sum, tg_block_stats(z) + t->queries * z->job->size, bytes);
    kernel->deltas(w->soft.factor, tg_row_at(z->job, &t->y, z->batch, z->head, z->from), t->y.row, dy, dy_row, z->n,
                   t->d);
    tg_pack_transposed(z, w->qt, z->q, t->q.row, t->scale);
    tg_pack_transposed(z, w->dot, dy, dy_row, 1);
}

static void block_backward(Backward *w) {
    Block *z = &w->z;
    const tg_Attention *t = z->t;
    const tg_AttentionGradients *g = z->job->g;
    const tg_AttentionKernel *kernel = z->job->kernel;
    const char *dy = tg_row_at(z->job, &g->dy, z->batch, z->head, z->from);
    begin_backward(w, dy, g->dy.row);
    bool is_first = true;
    const int64_t end = tg_keys_end(z);
    for (int64_t j = 0, n; j < end; j += n) {
        n = end - j < KEYS ? end - j : KEYS;
        const Masking masking = tg_block_mask(z, &t->k, j, n);
        if (masking == ALL_MASKED) {
            add_zero_gradients(w, j, n);
            continue;
        }
        tg_scores(z, j, n, masking, w->qt, w->p);
        tg_rows_product(z, &t->v, j, n, w->dot, w->ds);
        kernel->differentiate(w->p, w->ds, z->lanes, n, t->scale, &z->dropout, &w->soft);
        add_gradient(w, w->to.dv, w->to.dv_row, j, n, w->p, dy, g->dy.row);
        add_gradient(w, w->to.dk, w->to.dk_row, j, n, w->ds, z->q, t->q.row);
        if (g->dq.data)
            tg_attention_product(z->job, &(tg_BlockProduct){t->d, z->lanes, n, tg_kv_at(z, &t->k, j), 1, t->k.row,
                                                            w->ds, z->lanes, w->dqt, z->lanes,
                                                            is_first            ? NULL
                                                            : z->job->size == 4 ? (const void *)ones_f32
                                                                                : ones_f64,
                                                            true});
        is_first = false;
    }
    add_zero_gradients(w, end, t->keys - end);
    w->to.is_first = false;
    if (!g->dq.data) return;
    if (is_first) memset(w->dqt, 0, (size_t)(t->d * z->lanes * z->job->size));
    kernel->transpose_scaled(tg_row_at(z->job, &g->dq, z->batch, z->head, z->from), g->dq.row, w->dqt, z->lanes, t->d,
                             z->n, 1);
}

/* Items: (batch, head of k and v, share). */
static void backward(int64_t from, int64_t to, void *context) {
    const Job *job = context;
    const tg_Attention *t = job->t;
    const tg_AttentionGradients *g = job->g;
    const int64_t group = t->heads / t->kv_heads;
    Backward w;
    for (int64_t item = from; item < to; item++) {
        const int64_t share = item % job->shares, head = item / job->shares % t->kv_heads,
                      batch = item / job->shares / t->kv_heads;
        char *part = (char *)g->workspace + item * 2 * t->keys * t->d * job->size;
        w.to = (KeyGradients){.dk_row = job->shares > 1 ? t->d : g->dk.row,
                              .dv_row = job->shares > 1 ? t->d : g->dv.row,
                              .is_first = true};
        if (g->dk.data) w.to.dk = job->shares > 1 ? part : tg_row_at(job, &g->dk, batch, head, 0);
        if (g->dv.data)
            w.to.dv = job->shares > 1 ? part + t->keys * t->d * job->size : tg_row_at(job, &g->dv, batch, head, 0);
        for (int64_t i = share; i < group * job->blocks; i += job->shares) {
            tg_block_begin(&w.z, job, batch, head * group + i / job->blocks, i % job->blocks);
            block_backward(&w);
        }
    }
}

/* dK and dV as the sum of the shares'. Items: (batch, head, key). */
static void add_partial_sums(int64_t from, int64_t to, void *context) {
    const Job *job = context;
    const tg_Attention *t = job->t;
    const tg_Heads *const out[] = {&job->g->dk, &job->g->dv};
    const int64_t one = t->keys * t->d;
    for (int64_t item = from; item < to; item++) {
        const int64_t key = item % t->keys, head = item / t->keys;
        for (int which = 0; which < 2; which++) {
            const char *part =
                (const char *)job->g->workspace + ((head * job->shares * 2 + which) * one + key * t->d) * job->size;
            if (out[which]->data)
                job->kernel->add_partial(tg_row_at(job, out[which], head / t->kv_heads, head % t->kv_heads, key), part,
                                         2 * one, job->shares, t->d);
        }
    }
}

/* ---- on threads ---- */

/* If there are too few heads for the threads, the blocks of a head are divided into up to SHARES shares, whatever the
 * number of threads: each has a dK and dV of its own, which are added up in order. */
static void divide_blocks(Job *job) {
    const tg_Attention *t = job->t;
    const int64_t blocks = job->blocks * (t->heads / t->kv_heads);
    if (t->batch * t->kv_heads < 2 * SHARES) job->shares = blocks < SHARES ? blocks : SHARES;
}

int64_t tg_attention_workspace(bool is_double, const tg_Attention *t) {
    Job job = tg_attention_job(is_double, t, NULL);
    divide_blocks(&job);
    return job.shares == 1 ? 0 : t->batch * t->kv_heads * job.shares * 2 * t->keys * t->d;
}

void tg_attention_backward(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g) {
    Job job = tg_attention_job(is_double, t, g);
    divide_blocks(&job);
    const int64_t heads = t->batch * t->kv_heads, work = t->queries * t->keys * t->d * 5 * (t->heads / t->kv_heads);
    tg_parallel(heads * job.shares, tg_attention_grain(work / job.shares), backward, &job);
    if (job.shares > 1) tg_parallel(heads * t->keys, 16384 / (job.shares * t->d) + 1, add_partial_sums, &job);
}
