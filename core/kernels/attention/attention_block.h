/* Attention's blocks: what forward and backward share (internal to the kernels of attention). */
#ifndef TG_KERNELS_ATTENTION_BLOCK_H
#define TG_KERNELS_ATTENTION_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/kernels/attention/attention.h"

enum { KEYS = 64, MOST_QUERIES = 64, ROW_BYTES = 256, BLOCK_BYTES = 16384 }; /* of a block: its keys, its lanes and their bytes, all */
enum { NOTHING, SOME, ALL }; /* of a block's keys that its queries see; SOME may be none */

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
typedef struct tg_RowSoftmax {
    _Alignas(64) char max[ROW_BYTES], sum[ROW_BYTES], factor[ROW_BYTES];
} tg_RowSoftmax;

/* One query and n keys and values, at most KEYS: rows of d, which is of vectors of up to 32 bytes. */
typedef struct tg_One {
    const void *q, *k, *v;
    int64_t k_row, v_row, n, d;
    double scale;
    const void *bias; /* NULL, or what is added to the scores, bias_key apart */
    int64_t bias_key;
    const tg_Bits *sees; /* NULL: all of them */
    int64_t lane;        /* whose bits of `sees` are the query's */
    void *y;             /* the sums so far */
} tg_One;

/* Rows from a on of A times the vectors from b on of B: one tile of C. */
typedef void tg_Tile(const tg_Little *z, const void *a, const void *b, void *c, const void *factor);
enum { WIDEST = 3, TALLEST = 6 }; /* vectors and rows of a tile */

typedef struct tg_Loops {
    int64_t lanes, transpose_lanes; /* of a vector; of one in `turn`, which has no 64-byte instance */
    tg_Tile *tiles[WIDEST][TALLEST]; /* [vectors - 1][rows - 1]; NULL for shapes without an instance */
    void (*turn)(void *to, int64_t y_row, const void *from, int64_t x_row, int64_t n, int64_t d, double factor);
    void (*meet)(const tg_One *z, tg_RowSoftmax *soft);
    void (*settle)(void *y, int64_t d, bool zero_when_blind, tg_RowSoftmax *soft);
    void (*hide)(void *scores, int64_t lanes, int64_t n, const tg_Bits *sees);
    void (*weigh)(void *scores, int64_t lanes, int64_t n, const tg_Dropped *dropped, tg_RowSoftmax *soft);
    void (*divide)(void *ot, int64_t lanes, int64_t d, bool zero_when_blind, tg_RowSoftmax *soft);
    void (*deltas)(void *delta, const void *y, int64_t y_row, const void *dy, int64_t dy_row, int64_t n, int64_t d);
    void (*differentiate)(void *scores, void *dp, int64_t lanes, int64_t n, double factor, const tg_Dropped *dropped,
                          const tg_RowSoftmax *soft);
    bool (*are_finite)(const void *rows, int64_t row, int64_t n, int64_t d);
    void (*add_up)(void *row, const void *parts, int64_t apart, int64_t count, int64_t d);
} tg_Loops;

/* ---- a call, and a block of it ---- */

typedef struct Job {
    const tg_Attention *t;
    const tg_AttentionGradients *g;
    const tg_Loops *loops;
    int64_t size;         /* of a real */
    int64_t most, blocks; /* lanes of a block, and the blocks of a head */
    int64_t hands;
} Job;

/* n queries of one head from `from` on, in so many lanes. */
typedef struct Block {
    const Job *job;
    const tg_Attention *t;
    int64_t batch, head, from, n, lanes;
    const char *q;
    tg_Bits sees;
    tg_Dropped dropped;
} Block;

void tg_little_product(const Job *job, const tg_Little *z);
Job tg_attention_job(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g);
char *tg_row_at(const Job *job, const tg_Heads *x, int64_t batch, int64_t head, int64_t row);
char *tg_kv_at(const Block *z, const tg_Heads *x, int64_t j);
void tg_begin_block(Block *z, const Job *job, int64_t batch, int64_t head, int64_t block);
void tg_pack_transposed(const Block *z, void *to, const char *x, int64_t row, double factor);
int64_t tg_end_of_keys(const Block *z);
int tg_look(Block *z, const tg_Heads *x, int64_t j, int64_t n);
void tg_rows_times(const Block *z, const tg_Heads *x, int64_t j, int64_t n, const void *turned, void *s);
void tg_score(Block *z, int64_t j, int64_t n, int sight, const void *qt, void *s);
char *tg_stats_of(const Block *z);
const tg_Loops *tg_attention_loops(bool is_double);
int64_t tg_attention_grain(int64_t work); /* items worth a piece, of so many multiply-adds each */

#endif
