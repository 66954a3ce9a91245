/* Scaled dot-product attention on raw memory: softmax(q k^T scale + mask) v and its gradients. */
#ifndef TG_KERNELS_ATTENTION_H
#define TG_KERNELS_ATTENTION_H

#include <stdbool.h>
#include <stdint.h>

/* A tensor (batch, head, length, d), or another with these three leading dims: strides count elements. */
typedef struct tg_Heads {
    void *data;
    int64_t batch, head, row;
} tg_Heads;

/* Everything is float or everything is double. The last dim of every tensor is contiguous, and d a whole number of
 * tg_attention_step(), at most TG_ATTENTION_MOST bytes. No size is 0, and kv_heads divides heads: query head h looks at head
 * h / (heads / kv_heads) of k and v. */
typedef struct tg_Attention {
    int64_t batch, heads, kv_heads, queries, keys, d;
    tg_Heads q, k, v, y; /* y: the result */
    double scale;
    bool causal;          /* query i sees the keys 0 .. i */
    bool zero_when_blind; /* a query whose scores all are -inf gives 0 and no gradient, where without this it gives NaN */
    const uint64_t *sees; /* NULL, or bits: key j is seen where bit j % 64 of word j / 64 of the query's row is set ... */
    int64_t sees_batch, sees_head, sees_row; /* ... with strides in words (0: the same for all) */
    tg_Heads bias;        /* data NULL, or what is added to the scores, the keys bias_key apart */
    int64_t bias_key;
    const uint64_t *keep; /* NULL, or the dropout of the weights: bit i of tg_draw_keep is that of weight i in (batch, head, query, key) */
    double keep_scale;    /* and what the kept ones are multiplied with. One word more than tg_keep_words must be readable */
    void *stats;          /* (batch, head, 2, query): the largest score, and 1 / the sum of exp(score - largest) */
} tg_Attention;

/* For the gradients: dy is given; dq, and dk with dv, are made unless NULL. */
typedef struct tg_AttentionGradients {
    tg_Heads dy, dq, dk, dv;
    void *parts; /* room for tg_attention_parts() reals; not read if that is 0 */
} tg_AttentionGradients;

enum { TG_ATTENTION_MOST = 1024 };
int64_t tg_attention_step(bool is_double);
int64_t tg_attention_parts(bool is_double, const tg_Attention *t); /* what the gradients need room for: 0 if there are many heads */

/* The results do not depend on the number of threads: every sum has one order, given by the sizes. */
void tg_attention(bool is_double, const tg_Attention *t);
void tg_attention_backward(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g);

#endif
