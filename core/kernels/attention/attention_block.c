/* core/kernels/attention/attention_block.c: a block of queries of one head and a block of keys: the mask, the dropout,
 * and the scores. The vector code is in attention.inc. */
#include "core/kernels/attention/attention_block.h"

#include <math.h>
#include <string.h>

#include "core/kernels/isa.h"

#define KERNEL "core/kernels/attention/attention.inc"
#include "core/kernels/dispatch.inc"

const tg_AttentionKernel *tg_attention_kernel(bool is_double) {
#if defined(__x86_64__)
    static const tg_AttentionKernel *const kernel[2][3] = {{&kernel_f32_baseline, &kernel_f32_avx2, &kernel_f32_avx512},
                                                {&kernel_f64_baseline, &kernel_f64_avx2, &kernel_f64_avx512}};
    return kernel[is_double][tg_isa()];
#else
    return is_double ? &kernel_f64_baseline : &kernel_f32_baseline;
#endif
}

/* ---- products ---- */

/* The rows of the next tile if `left` are left. Tiles of 6, 5 and 4 rows make up any number from 8 on, of 4 and 3 any
 * from 6 on. */
static int64_t tile_rows(tg_TileKernel *const *tiles, int64_t left) {
    int64_t tall = MAX_ROWS;
    while (tall > left || !tiles[tall - 1]) tall--;
    if (tall == 6 && left > 7 && left < 12 && tiles[4]) return (left + 1) / 2;
    return tall == 4 && left == 6 && tiles[2] ? 3 : tall;
}

void tg_attention_product(const Job *job, const tg_BlockProduct *z) {
    const tg_AttentionKernel *kernel = job->kernel;
    const int64_t size = job->size;
    for (int64_t j = 0, wide; j < z->n; j += wide * kernel->lanes) {
        const int64_t left = (z->n - j) / kernel->lanes;
        wide = left < 3 ? left : left % 2 && kernel->tiles[2][0] ? 3 : 2;
        tg_TileKernel *const *tiles = kernel->tiles[wide - 1];
        const void *factor = z->factor ? (const char *)z->factor + (z->is_constant_factor ? 0 : j * size) : NULL;
        for (int64_t i = 0, tall; i < z->m; i += tall) {
            tall = tile_rows(tiles, z->m - i);
            tiles[tall - 1](z, (const char *)z->a + i * z->row * size, (const char *)z->b + j * size,
                            (char *)z->c + (i * z->ldc + j) * size, factor);
        }
    }
}

/* ---- a block of queries ---- */

Job tg_attention_job(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g) {
    Job job = {.t = t, .g = g, .kernel = tg_attention_kernel(is_double), .size = is_double ? 8 : 4, .shares = 1};
    const int64_t fit = BLOCK_BYTES / (t->d * job.size) / job.kernel->lanes * job.kernel->lanes;
    job.most = fit < ROW_BYTES / job.size ? fit : ROW_BYTES / job.size;
    job.blocks = (t->queries + job.most - 1) / job.most;
    return job;
}

char *tg_row_at(const Job *job, const tg_Heads *x, int64_t batch, int64_t head, int64_t row) {
    return (char *)x->data + (batch * x->batch + head * x->head + row * x->row) * job->size;
}

/* Row j of the k or v of the block's head. */
char *tg_kv_at(const Block *z, const tg_Heads *x, int64_t j) {
    return tg_row_at(z->job, x, z->batch, z->head / (z->t->heads / z->t->kv_heads), j);
}

void tg_block_begin(Block *z, const Job *job, int64_t batch, int64_t head, int64_t block) {
    const int64_t from = block * job->most, left = job->t->queries - from, lanes = job->kernel->lanes;
    z->job = job;
    z->t = job->t;
    z->batch = batch;
    z->head = head;
    z->from = from;
    z->n = left < job->most ? left : job->most;
    z->lanes = (z->n + lanes - 1) / lanes * lanes;
    z->q = tg_row_at(job, &z->t->q, batch, head, from);
    z->dropout.is_on = z->t->dropout != NULL;
    z->dropout.scale = z->t->dropout_scale;
}

/* Transposes x, a row for each query, times factor; padding lanes get zeros. */
void tg_pack_transposed(const Block *z, void *to, const char *x, int64_t row, double factor) {
    const int64_t d = z->t->d;
    if (z->lanes - z->n >= z->job->kernel->transpose_lanes) memset(to, 0, (size_t)(d * z->lanes * z->job->size));
    z->job->kernel->transpose_scaled(to, z->lanes, x, row, z->n, d, factor);
}

/* The end of the keys that any query of the block attends to. */
int64_t tg_keys_end(const Block *z) {
    return z->t->causal && z->from + z->n < z->t->keys ? z->from + z->n : z->t->keys;
}

static int64_t query_at(const Block *z, int64_t lane) {
    return z->from + (lane < z->n ? lane : z->n - 1);
}

/* How n keys from j on are masked; z->mask gets the bits unless NOT_MASKED. A block that is ALL_MASKED may be skipped,
 * except if rows of x are not finite: x is multiplied by the weights of 0 (forward V, backward K), as with masked_fill,
 * and 0 times inf or NaN is NaN. */
Masking tg_block_mask(Block *z, const tg_Heads *x, int64_t j, int64_t n) {
    const tg_Attention *t = z->t;
    if (!t->mask && (!t->causal || j + n - 1 <= z->from)) return NOT_MASKED;
    uint32_t seen = 0, hidden = 0;
    for (int64_t word = 0; word * 32 < n; word++) {
        const int64_t key = j + word * 32, left = n - word * 32;
        const uint32_t valid = left < 32 ? (1u << left) - 1 : ~0u;
        const uint64_t *row = t->mask ? t->mask + z->batch * t->mask_batch + z->head * t->mask_head + key / 64 : NULL;
        for (int64_t l = 0; l < z->lanes; l++) {
            const int64_t query = query_at(z, l), before = query - key;
            uint32_t bits = valid;
            if (row) bits &= (uint32_t)(row[query * t->mask_row] >> key % 64);
            if (t->causal && before < 31) bits &= before < 0 ? 0 : (2u << before) - 1;
            seen |= bits;
            hidden |= bits ^ valid;
            z->mask.of[word][l] = bits;
        }
    }
    if (!seen && z->job->kernel->are_finite(tg_kv_at(z, x, j), x->row, n, t->d)) return ALL_MASKED;
    return hidden ? PARTLY_MASKED : NOT_MASKED;
}

static void read_dropout_mask(Block *z, int64_t j, int64_t n) {
    const tg_Attention *t = z->t;
    for (int64_t word = 0; word * 32 < n; word++)
        for (int64_t l = 0; l < z->lanes; l++) {
            const int64_t bit =
                ((z->batch * t->heads + z->head) * t->queries + query_at(z, l)) * t->keys + j + word * 32;
            const uint64_t bits = t->dropout[bit / 64] >> bit % 64,
                           more = bit % 64 > 32 ? t->dropout[bit / 64 + 1] << (64 - bit % 64) : 0;
            z->dropout.bits.of[word][l] = (uint32_t)(bits | more);
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

/* S^T = rows of K or V times X^T, for n keys from j on: a row of s for each key. */
void tg_rows_product(const Block *z, const tg_Heads *x, int64_t j, int64_t n, const void *transposed, void *s) {
    tg_attention_product(z->job, &(tg_BlockProduct){n, z->lanes, z->t->d, tg_kv_at(z, x, j), x->row, 1, transposed,
                                                    z->lanes, s, z->lanes, NULL, false});
}

/* The masked scores of n keys from j on; and reads their dropout mask. */
void tg_scores(Block *z, int64_t j, int64_t n, Masking masking, const void *qt, void *s) {
    tg_rows_product(z, &z->t->k, j, n, qt, s);
    if (z->t->bias.data) add_bias(z, j, n, s);
    if (masking == PARTLY_MASKED) z->job->kernel->apply_mask(s, z->lanes, n, &z->mask);
    if (z->dropout.is_on) read_dropout_mask(z, j, n);
}

char *tg_block_stats(const Block *z) {
    return (char *)z->t->stats + ((z->batch * z->t->heads + z->head) * 2 * z->t->queries + z->from) * z->job->size;
}
