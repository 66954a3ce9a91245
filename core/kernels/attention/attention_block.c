/* A block of queries of one head meets a block of keys: which of them it sees, what is dropped, and the scores. What happens to
 * their vectors is in attention.inc. */
#include "core/kernels/attention/attention_block.h"

#include <math.h>
#include <string.h>

#include "core/kernels/isa.h"

#define KERNEL "core/kernels/attention/attention.inc"
#include "core/kernels/dispatch.inc"

const tg_Loops *tg_attention_loops(bool is_double) {
#if defined(__x86_64__)
    static const tg_Loops *const loops[2][3] = {{&loops_f32_baseline, &loops_f32_avx2, &loops_f32_avx512},
                                                {&loops_f64_baseline, &loops_f64_avx2, &loops_f64_avx512}};
    return loops[is_double][tg_isa()];
#else
    return is_double ? &loops_f64_baseline : &loops_f32_baseline;
#endif
}

/* ---- products ---- */

/* The rows of the next tile where so many are left. Of 6, 5 and 4 any number from 8 on is made up, of 4 and 3 any from 6 on. */
static int64_t height(tg_Tile *const *tiles, int64_t left) {
    int64_t tall = TALLEST;
    while (tall > left || !tiles[tall - 1]) tall--;
    if (tall == 6 && left > 7 && left < 12 && tiles[4]) return (left + 1) / 2;
    return tall == 4 && left == 6 && tiles[2] ? 3 : tall;
}

void tg_little_product(const Job *job, const tg_Little *z) {
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

Job tg_attention_job(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g) {
    Job job = {.t = t, .g = g, .loops = tg_attention_loops(is_double), .size = is_double ? 8 : 4, .hands = 1};
    const int64_t fit = BLOCK_BYTES / (t->d * job.size) / job.loops->lanes * job.loops->lanes;
    job.most = fit < ROW_BYTES / job.size ? fit : ROW_BYTES / job.size;
    job.blocks = (t->queries + job.most - 1) / job.most;
    return job;
}

char *tg_row_at(const Job *job, const tg_Heads *x, int64_t batch, int64_t head, int64_t row) {
    return (char *)x->data + (batch * x->batch + head * x->head + row * x->row) * job->size;
}

/* Row j of the k or v that a block looks at. */
char *tg_kv_at(const Block *z, const tg_Heads *x, int64_t j) {
    return tg_row_at(z->job, x, z->batch, z->head / (z->t->heads / z->t->kv_heads), j);
}

void tg_begin_block(Block *z, const Job *job, int64_t batch, int64_t head, int64_t block) {
    const int64_t from = block * job->most, left = job->t->queries - from, lanes = job->loops->lanes;
    z->job = job;
    z->t = job->t;
    z->batch = batch;
    z->head = head;
    z->from = from;
    z->n = left < job->most ? left : job->most;
    z->lanes = (z->n + lanes - 1) / lanes * lanes;
    z->q = tg_row_at(job, &z->t->q, batch, head, from);
    z->dropped.is_on = z->t->keep != NULL;
    z->dropped.scale = z->t->keep_scale;
}

/* x times factor on its side, x a row for each query; lanes without one get zeros. */
void tg_pack_transposed(const Block *z, void *to, const char *x, int64_t row, double factor) {
    const int64_t d = z->t->d;
    if (z->lanes - z->n >= z->job->loops->transpose_lanes) memset(to, 0, (size_t)(d * z->lanes * z->job->size));
    z->job->loops->turn(to, z->lanes, x, row, z->n, d, factor);
}

/* One behind the last key that any of them may see. */
int64_t tg_end_of_keys(const Block *z) {
    return z->t->causal && z->from + z->n < z->t->keys ? z->from + z->n : z->t->keys;
}

static int64_t query_of(const Block *z, int64_t lane) {
    return z->from + (lane < z->n ? lane : z->n - 1);
}

/* Which of n keys from j on they see: as bits where it is some of them. NOTHING may be passed over, unless rows of x are not
 * finite: x is what the weights of 0 would be multiplied with (forward V, backward K, as with masked_fill), and 0 times those is NaN. */
int tg_look(Block *z, const tg_Heads *x, int64_t j, int64_t n) {
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
    if (!seen && z->job->loops->are_finite(tg_kv_at(z, x, j), x->row, n, t->d)) return NOTHING;
    return hidden ? SOME : ALL;
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
    const char *p = tg_row_at(z->job, bias, z->batch, z->head, z->from) + j * z->t->bias_key * z->job->size;
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < z->n; l++) {
            const int64_t from = l * bias->row + i * z->t->bias_key, to = i * z->lanes + l;
            if (z->job->size == 4) ((float *)s)[to] += ((const float *)(const void *)p)[from];
            else ((double *)s)[to] += ((const double *)(const void *)p)[from];
        }
}

/* rows(K or V) X^T for n keys from j on: a row of s for each key. */
void tg_rows_times(const Block *z, const tg_Heads *x, int64_t j, int64_t n, const void *turned, void *s) {
    tg_little_product(z->job, &(tg_Little){n, z->lanes, z->t->d, tg_kv_at(z, x, j), x->row, 1, turned, z->lanes, s, z->lanes, NULL, false});
}

/* The scores of n keys from j on as softmax sees them, and the bits of what is dropped. */
void tg_score(Block *z, int64_t j, int64_t n, int sight, const void *qt, void *s) {
    tg_rows_times(z, &z->t->k, j, n, qt, s);
    if (z->t->bias.data) add_bias(z, j, n, s);
    if (sight == SOME) z->job->loops->hide(s, z->lanes, n, &z->sees);
    if (z->dropped.is_on) look_what_is_kept(z, j, n);
}

char *tg_stats_of(const Block *z) {
    return (char *)z->t->stats + ((z->batch * z->t->heads + z->head) * 2 * z->t->queries + z->from) * z->job->size;
}
