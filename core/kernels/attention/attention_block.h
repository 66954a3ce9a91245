/* core/kernels/attention/attention_block.h: what forward and backward share: the vector code's interface, and a block
 * of queries (internal to attention). */
#ifndef TAPEGRAD_CORE_KERNELS_ATTENTION_ATTENTION_BLOCK_H
#define TAPEGRAD_CORE_KERNELS_ATTENTION_ATTENTION_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/kernels/attention/attention.h"

/* of a block: its keys, queries, bytes of a row, bytes */
enum { KEYS = 64, MAX_QUERIES = 64, ROW_BYTES = 256, BLOCK_BYTES = 16384 };
/* Of a block: no query attends to any key; to some; every query attends to all of them. */
typedef enum Masking { ALL_MASKED, PARTLY_MASKED, NOT_MASKED } Masking;

/* ---- the vector code (attention.inc) ---- */

/* C = A B, or C = C factor + A B with a factor for each lane. Element (i, k) of A is a[i * row + k * column]; row k of
 * B is at b + k * ldb, row i of C at c + i * ldc, n is a multiple of the lanes; depth > 0. */
typedef struct tg_BlockProduct {
    int64_t m, n, depth;
    const void *a;
    int64_t row, column;
    const void *b;
    int64_t ldb;
    void *c;
    int64_t ldc;
    const void *factor;      /* NULL: C = A B */
    bool is_constant_factor; /* the same three vectors for all columns */
} tg_BlockProduct;

typedef struct tg_BlockBits {
    uint32_t of[KEYS / 32][MAX_QUERIES]; /* bit i % 32 of of[i / 32][l]: key i of query l */
} tg_BlockBits;

typedef struct tg_BlockDropout {
    bool is_on;
    double scale;
    tg_BlockBits bits;
} tg_BlockDropout;

/* The online softmax, for each lane (query): the maximum of the scores and the sum of the weights so far, and the
 * factor of what was accumulated before a new maximum. Backward: the maximum, 1 / the sum, and delta. */
typedef struct tg_RowSoftmax {
    _Alignas(64) char max[ROW_BYTES], sum[ROW_BYTES], factor[ROW_BYTES];
} tg_RowSoftmax;

/* One query and n <= KEYS keys and values; d is a multiple of the lanes of 32-byte vectors. */
typedef struct tg_DecodeStep {
    const void *q, *k, *v;
    int64_t k_row, v_row, n, d;
    double scale;
    const void *bias; /* NULL, or the float mask */
    int64_t bias_key;
    const tg_BlockBits *mask; /* NULL: not masked */
    int64_t lane;             /* of the query, in mask */
    void *y;                  /* the weighted sum so far */
} tg_DecodeStep;

/* One tile of C: rows of A from a on times vectors of B from b on. */
typedef void tg_TileKernel(const tg_BlockProduct *z, const void *a, const void *b, void *c, const void *factor);
enum { MAX_VECTORS = 3, MAX_ROWS = 6 }; /* vectors and rows of a tile */

typedef struct tg_AttentionKernel {
    int64_t lanes, transpose_lanes; /* of a vector; of one in transpose_scaled, which has no 64-byte instance */
    tg_TileKernel *tiles[MAX_VECTORS][MAX_ROWS]; /* [vectors - 1][rows - 1]; NULL for shapes without an instance */
    void (*transpose_scaled)(void *to, int64_t y_row, const void *from, int64_t x_row, int64_t n, int64_t d,
                             double factor);
    void (*decode)(const tg_DecodeStep *z, tg_RowSoftmax *soft);
    void (*decode_end)(void *y, int64_t d, bool zero_if_fully_masked, tg_RowSoftmax *soft);
    void (*apply_mask)(void *scores, int64_t lanes, int64_t n, const tg_BlockBits *mask);
    void (*softmax_block)(void *scores, int64_t lanes, int64_t n, const tg_BlockDropout *dropout, tg_RowSoftmax *soft);
    void (*softmax_end)(void *ot, int64_t lanes, int64_t d, bool zero_if_fully_masked, tg_RowSoftmax *soft);
    void (*deltas)(void *delta, const void *y, int64_t y_row, const void *dy, int64_t dy_row, int64_t n, int64_t d);
    void (*differentiate)(void *scores, void *dp, int64_t lanes, int64_t n, double factor,
                          const tg_BlockDropout *dropout, const tg_RowSoftmax *soft);
    bool (*are_finite)(const void *rows, int64_t row, int64_t n, int64_t d);
    void (*add_partial)(void *row, const void *parts, int64_t apart, int64_t count, int64_t d);
} tg_AttentionKernel;

/* ---- a call, and a block of it ---- */

typedef struct Job {
    const tg_Attention *t;
    const tg_AttentionGradients *g;
    const tg_AttentionKernel *kernel;
    int64_t size;         /* of an element */
    int64_t most, blocks; /* queries of a block, and blocks of a head */
    int64_t shares;       /* of a head's blocks, in the backward: divide_blocks */
} Job;

/* n queries of one head from `from` on, padded to `lanes` lanes. */
typedef struct Block {
    const Job *job;
    const tg_Attention *t;
    int64_t batch, head, from, n, lanes;
    const char *q;
    tg_BlockBits mask;
    tg_BlockDropout dropout;
} Block;

void tg_attention_product(const Job *job, const tg_BlockProduct *z);
Job tg_attention_job(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g);
char *tg_row_at(const Job *job, const tg_Heads *x, int64_t batch, int64_t head, int64_t row);
char *tg_kv_at(const Block *z, const tg_Heads *x, int64_t j);
void tg_block_begin(Block *z, const Job *job, int64_t batch, int64_t head, int64_t block);
void tg_pack_transposed(const Block *z, void *to, const char *x, int64_t row, double factor);
int64_t tg_keys_end(const Block *z);
Masking tg_block_mask(Block *z, const tg_Heads *x, int64_t j, int64_t n);
void tg_rows_product(const Block *z, const tg_Heads *x, int64_t j, int64_t n, const void *transposed, void *s);
void tg_scores(Block *z, int64_t j, int64_t n, Masking masking, const void *qt, void *s);
char *tg_block_stats(const Block *z);
const tg_AttentionKernel *tg_attention_kernel(bool is_double);
int64_t tg_attention_grain(int64_t work); /* for items of so many multiply-adds */

#endif
