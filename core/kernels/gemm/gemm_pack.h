/* core/kernels/gemm/gemm_pack.h: the plan of a blocked product, and its packed blocks (internal to the products). */
#ifndef TAPEGRAD_CORE_KERNELS_GEMM_GEMM_PACK_H
#define TAPEGRAD_CORE_KERNELS_GEMM_GEMM_PACK_H

#include "core/kernels/gemm/gemm_macrokernel.h"

/* How a product is cut, and the step of the outer loops that is being computed: the columns jc .. jc + nc - 1 of C and
 * the depth pc .. pc + depth - 1, which is one block of B. The depth is cut into slabs of kc, the last may be less. */
typedef struct tg_GemmPlan {
    const tg_Product *g;
    const tg_GemmKernel *kernel;
    int64_t jc, nc, pc, depth, kc;
    int64_t span;           /* columns of a chunk of B, which stays in L2 */
    int64_t chunks, slices; /* the number of pieces of C's columns, and of its rows */
    bool packs_a;           /* by the thread that uses it, before it does */
    bool b_packed;          /* already (g->packed), or by all threads, or ... */
    bool reuses_a;          /* each thread packs all of A once for this product, not for every piece */
    bool packs_b_per_thread; /* ... each thread packs all of B once for this product, or ... */
    bool streams_b;          /* ... each thread packs the columns of B that it uses, chunk by chunk */
    uint64_t number;         /* identifies this product for reuses_a and packs_b_per_thread */
    char *b_buffer;
} tg_GemmPlan;

enum { TG_MAX_KC = 768, TG_B_PANEL_BYTES = TG_TILE_ROW_BYTES * TG_MAX_KC };

int64_t tg_slab_depth(int64_t k);                              /* KC for this k: slabs of equal depth, up to rounding */
int64_t tg_slab_depth_at(const tg_GemmPlan *s, int64_t pc);    /* of the slab that begins at depth pc */

/* This thread's buffers for packed blocks of A and of B, TG_GEMM_OWN_BYTES each; NULL on out of memory. The threads of
 * the pool have theirs already. */
enum { TG_GEMM_OWN_BYTES = 1024 * 1024 };
char *tg_gemm_a_buffer(void);
char *tg_gemm_b_buffer(void);

/* Chooses nc and depth so that the block of B has a buffer: a large one if threads share it and it serves all rows,
 * else one that stays in cache. Without memory the block is one panel, in the caller's s->b_buffer. Returns the block
 * that was allocated from the heap (tg_large_block_alloc), or NULL. */
void *tg_plan_b_block(tg_GemmPlan *s, bool shared, bool for_all_rows);

void tg_pack_b(tg_GemmPlan *s, bool shared);

/* Decides whether each thread packs B, and all of A at once, for itself. The depth of a step is then what A's buffer
 * holds. */
void tg_plan_packing_per_thread(tg_GemmPlan *s);

/* MC: the rows of A that are packed at once, and this thread's buffer for a slab of them; all rows and NULL if A is
 * not packed, or there is no memory. */
int64_t tg_plan_a_rows(const tg_GemmPlan *s, char **buffer);

/* The packed rows i .. i + rows - 1 of the slab of A that begins at depth pc; packs them unless the buffer has them. */
const char *tg_packed_a(const tg_GemmPlan *s, char *buffer, int64_t i, int64_t rows, int64_t pc);

/* Packs the columns j0 .. j1 - 1 of the slab that begins at depth pc into this thread's buffer, in whole panels. */
const char *tg_pack_b_columns(const tg_GemmPlan *s, int64_t pc, int64_t j0, int64_t j1);

/* The slab of the block of B that begins at depth pc, packed or in place. */
const char *tg_packed_b(const tg_GemmPlan *s, int64_t pc);

/* ---- products that are not blocked (gemv.c) ---- */

/* Computes a product with one row or one column, if there is a kernel for it. has_columns: C is a part of (or the
 * transpose of) a product with several columns, whose order of summation must be kept. */
bool tg_gemv(const tg_Product *g, const tg_GemmKernel *kernel, bool has_columns);

/* Computes `count` products without any preparation if they are so small that this is fastest. */
bool tg_gemm_small(bool is_double, const tg_Product *p, const tg_BatchStrides *next, int64_t count);

/* Stores sum + plus as element (i, j) of C. */
void tg_store_sum(const tg_Product *g, const tg_GemmKernel *kernel, int64_t i, int64_t j, double sum);

/* ---- several products (gemm.c, for gemm_batch.c) ---- */

/* `count` products of equal sizes and strides; `next` leads from one to the next. */
void tg_gemm_strided_batch(bool is_double, tg_Product p, tg_BatchStrides next, int64_t count);

#endif
