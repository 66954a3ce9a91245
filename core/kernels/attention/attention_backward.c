/* The way back through attention: the weights are made anew, tile by tile, from each query's largest score and sum. */
#include <string.h>

#include "core/kernels/attention/attention_block.h"
#include "core/kernels/parallel.h"

enum { HANDS = 4 }; /* see deal() */

/* Where a hand gathers dK and dV of one head; NULL: not asked for. */
typedef struct Gathered {
    char *dk, *dv;
    int64_t dk_row, dv_row;
    bool is_fresh; /* nothing was written there yet */
} Gathered;

typedef struct Backward {
    _Alignas(64) char qt[BLOCK_BYTES], dot[BLOCK_BYTES], dqt[BLOCK_BYTES], p[BLOCK_BYTES], ds[BLOCK_BYTES];
    tg_RowSoftmax soft;
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
    if (x)
        tg_little_product(z->job, &(tg_Little){n, d, z->n, weights, z->lanes, 1, x, x_row, sums, row,
                                               w->to.is_fresh ? NULL : ones, true});
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
    memcpy(w->soft.max, tg_stats_of(z), bytes);
    memcpy(w->soft.sum, tg_stats_of(z) + t->queries * z->job->size, bytes);
    loops->deltas(w->soft.factor, tg_row_at(z->job, &t->y, z->batch, z->head, z->from), t->y.row, dy, dy_row, z->n, t->d);
    tg_pack_transposed(z, w->qt, z->q, t->q.row, t->scale);
    tg_pack_transposed(z, w->dot, dy, dy_row, 1);
}

static void block_backward(Backward *w) {
    Block *z = &w->z;
    const tg_Attention *t = z->t;
    const tg_AttentionGradients *g = z->job->g;
    const tg_Loops *loops = z->job->loops;
    const char *dy = tg_row_at(z->job, &g->dy, z->batch, z->head, z->from);
    begin_backward(w, dy, g->dy.row);
    bool is_first = true;
    const int64_t end = tg_end_of_keys(z);
    for (int64_t j = 0, n; j < end; j += n) {
        n = end - j < KEYS ? end - j : KEYS;
        const int sight = tg_look(z, &t->k, j, n);
        if (sight == NOTHING) {
            gather_nothing(w, j, n);
            continue;
        }
        tg_score(z, j, n, sight, w->qt, w->p);
        tg_rows_times(z, &t->v, j, n, w->dot, w->ds);
        loops->differentiate(w->p, w->ds, z->lanes, n, t->scale, &z->dropped, &w->soft);
        gather(w, w->to.dv, w->to.dv_row, j, n, w->p, dy, g->dy.row);
        gather(w, w->to.dk, w->to.dk_row, j, n, w->ds, z->q, t->q.row);
        if (g->dq.data)
            tg_little_product(z->job, &(tg_Little){t->d, z->lanes, n, tg_kv_at(z, &t->k, j), 1, t->k.row, w->ds, z->lanes, w->dqt, z->lanes,
                                          is_first ? NULL : z->job->size == 4 ? (const void *)ones_f32 : ones_f64, true});
        is_first = false;
    }
    gather_nothing(w, end, t->keys - end);
    w->to.is_fresh = false;
    if (!g->dq.data) return;
    if (is_first) memset(w->dqt, 0, (size_t)(t->d * z->lanes * z->job->size));
    loops->turn(tg_row_at(z->job, &g->dq, z->batch, z->head, z->from), g->dq.row, w->dqt, z->lanes, t->d, z->n, 1);
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
        if (g->dk.data) w.to.dk = job->hands > 1 ? part : tg_row_at(job, &g->dk, batch, head, 0);
        if (g->dv.data) w.to.dv = job->hands > 1 ? part + t->keys * t->d * job->size : tg_row_at(job, &g->dv, batch, head, 0);
        for (int64_t i = hand; i < group * job->blocks; i += job->hands) {
            tg_begin_block(&w.z, job, batch, head * group + i / job->blocks, i % job->blocks);
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
                job->loops->add_up(tg_row_at(job, out[which], head / t->kv_heads, head % t->kv_heads, key), part, 2 * one,
                                   job->hands, t->d);
        }
    }
}

/* ---- on threads ---- */

/* Where there are too few heads for the threads, the blocks of a head are dealt to so many hands, whatever the threads: each
 * gathers a dK and dV of its own, and they are added up in one order. */
static void deal(Job *job) {
    const tg_Attention *t = job->t;
    const int64_t blocks = job->blocks * (t->heads / t->kv_heads);
    if (t->batch * t->kv_heads < 2 * HANDS) job->hands = blocks < HANDS ? blocks : HANDS;
}

int64_t tg_attention_parts(bool is_double, const tg_Attention *t) {
    Job job = tg_attention_job(is_double, t, NULL);
    deal(&job);
    return job.hands == 1 ? 0 : t->batch * t->kv_heads * job.hands * 2 * t->keys * t->d;
}

void tg_attention_backward(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g) {
    Job job = tg_attention_job(is_double, t, g);
    deal(&job);
    const int64_t heads = t->batch * t->kv_heads, work = t->queries * t->keys * t->d * 5 * (t->heads / t->kv_heads);
    tg_parallel(heads * job.hands, tg_attention_grain(work / job.hands), backward, &job);
    if (job.hands > 1) tg_parallel(heads * t->keys, 16384 / (job.hands * t->d) + 1, add_hands_up, &job);
}
