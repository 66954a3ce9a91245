/* core/kernels/attention/attention.h: scaled dot-product attention on raw memory: softmax(q k^T scale + mask) v, and
 * its gradients.
 *
 * This folder: attention.c has the loops over blocks and explains the algorithm; attention_block.c one block of queries
 * and keys: masks, dropout, scores; attention_backward.c the gradients; attention.inc the vector code, with
 * attention_microkernel.inc (small products) and attention_decode.inc (a few queries, as in generation with a kv
 * cache). It includes core/kernels only: pointers, sizes and strides. */
#ifndef TAPEGRAD_CORE_KERNELS_ATTENTION_ATTENTION_H
#define TAPEGRAD_CORE_KERNELS_ATTENTION_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

/* A tensor (batch, head, length, d) with contiguous rows of d; strides count elements. */
typedef struct tg_Heads {
    void *data;
    int64_t batch, head, row;
} tg_Heads;

/* All float or all double. The last dim of every tensor is contiguous, and d a multiple of tg_attention_lanes(), at
 * most TG_ATTENTION_MAX_BYTES. No size is 0, and kv_heads divides heads: query head h uses head h / (heads / kv_heads)
 * of k and v. */
typedef struct tg_Attention {
    int64_t batch, heads, kv_heads, queries, keys, d;
    tg_Heads q, k, v, y; /* y: the result */
    double scale;
    bool causal;          /* query i attends to the keys 0 .. i */
    bool zero_if_fully_masked; /* a query whose scores all are -inf gives 0 and no gradient; without this NaN */
    /* NULL, or bits: bit j % 64 of word j / 64 of a query's row is 1 where it attends to key j; */
    const uint64_t *mask;
    int64_t mask_batch, mask_head, mask_row; /* strides in words (0: broadcast) */
    tg_Heads bias;        /* data NULL, or the float mask that is added to the scores; bias_key: its stride of keys */
    int64_t bias_key;
    const uint64_t *dropout; /* NULL, or the dropout mask of the weights: bit i of tg_draw_dropout_mask for weight i in
                              * (batch, head, query, key), and one word more */
    double dropout_scale;    /* 1 / (1 - p) */
    /* NULL, or (batch, head, 2, query): the maximum m of the scores, and 1 / sum(exp(score - m)) */
    void *stats;
} tg_Attention;

/* dy is given; dq, and dk with dv, are computed unless NULL. */
typedef struct tg_AttentionGradients {
    tg_Heads dy, dq, dk, dv;
    void *workspace; /* tg_attention_workspace() elements; not used if that is 0 */
} tg_AttentionGradients;

enum { TG_ATTENTION_MAX_BYTES = 1024 };
int64_t tg_attention_lanes(bool is_double);
int64_t tg_attention_workspace(bool is_double, const tg_Attention *t); /* of backward: 0 if there are many heads */

/* The results do not depend on the number of threads: each sum has one order, given by the sizes. */
void tg_attention(bool is_double, const tg_Attention *t);
void tg_attention_backward(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g);

#endif
