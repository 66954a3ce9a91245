/* Attention for every instruction set; attention.inc explains it. */
#include "attention.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "isa.h"
#include "parallel.h"

enum { KEYS = 64, MOST_QUERIES = 64, WORTH_A_PIECE = 1 << 19, HANDS = 4 }; /* of a block; multiply-adds */
enum { NOTHING, SOME, ALL };

typedef struct tg_Backward {
    const tg_Attention *t;
    const tg_AttentionGradients *g;
    int64_t hands;
} tg_Backward;

/* ---- what is seen, and what is kept ---- */

/* A block of queries of one head: n of the lanes are queries. */
typedef struct tg_Queries {
    const tg_Attention *t;
    int64_t batch, head, from, n, lanes;
} tg_Queries;

typedef uint32_t tg_Bits[KEYS / 32][MOST_QUERIES]; /* a word has 32 keys of one query */

static int64_t query_of(const tg_Queries *z, int64_t lane) {
    return z->from + (lane < z->n ? lane : z->n - 1);
}

/* Which of n keys from j on the queries see: bits where it is some of them. */
static int look(const tg_Queries *z, int64_t j, int64_t n, tg_Bits sees) {
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
            sees[half][l] = bits;
        }
    }
    return !seen ? NOTHING : hidden ? SOME : ALL;
}

static void look_what_is_kept(const tg_Queries *z, int64_t j, int64_t n, tg_Bits keep) {
    const tg_Attention *t = z->t;
    for (int64_t half = 0; half * 32 < n; half++)
        for (int64_t l = 0; l < z->lanes; l++) {
            const int64_t bit = ((z->batch * t->heads + z->head) * t->queries + query_of(z, l)) * t->keys + j + half * 32;
            const uint64_t bits = t->keep[bit / 64] >> bit % 64, more = bit % 64 > 32 ? t->keep[bit / 64 + 1] << (64 - bit % 64) : 0;
            keep[half][l] = (uint32_t)(bits | more);
        }
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize") /* what is worth vectors is written in them */
#endif
#define KERNEL "attention.inc"
#include "instances.inc"

int64_t tg_attention_step(bool is_double) {
#if defined(__x86_64__)
    const int64_t bytes[] = {16, 32, 64};
    return bytes[tg_isa()] / (is_double ? 8 : 4);
#else
    return 16 / (is_double ? 8 : 4);
#endif
}

static int64_t blocks_of(bool is_double, const tg_Attention *t) {
    const int64_t most = is_double ? TG_PICK(attention_lanes_f64)(t->d) : TG_PICK(attention_lanes_f32)(t->d);
    return (t->queries + most - 1) / most;
}

static int64_t hands_of(bool is_double, const tg_Attention *t) {
    const int64_t heads = t->batch * t->kv_heads, blocks = blocks_of(is_double, t) * (t->heads / t->kv_heads);
    return heads >= 2 * HANDS ? 1 : blocks < HANDS ? blocks : HANDS;
}

int64_t tg_attention_parts(bool is_double, const tg_Attention *t) {
    const int64_t hands = hands_of(is_double, t);
    return hands == 1 ? 0 : t->batch * t->kv_heads * hands * 2 * t->keys * t->d;
}

static int64_t grain(int64_t work) {
    return work < WORTH_A_PIECE ? WORTH_A_PIECE / work : 1;
}

void tg_attention(bool is_double, const tg_Attention *t) {
    const int64_t blocks = blocks_of(is_double, t), work = t->queries * t->keys * t->d * 2 / blocks;
    tg_parallel(t->batch * t->heads * blocks, grain(work), is_double ? TG_PICK(attention_part_f64) : TG_PICK(attention_part_f32),
                (void *)t);
}

void tg_attention_backward(bool is_double, const tg_Attention *t, const tg_AttentionGradients *g) {
    tg_Backward job = {t, g, hands_of(is_double, t)};
    const int64_t heads = t->batch * t->kv_heads, work = t->queries * t->keys * t->d * 5 * (t->heads / t->kv_heads) / job.hands;
    tg_parallel(heads * job.hands, grain(work),
                is_double ? TG_PICK(attention_backward_part_f64) : TG_PICK(attention_backward_part_f32), &job);
    if (job.hands > 1)
        tg_parallel(heads * t->keys, 16384 / (job.hands * t->d) + 1,
                    is_double ? TG_PICK(add_hands_up_f64) : TG_PICK(add_hands_up_f32), &job);
}
