/* One step of a matrix product, and the packed blocks that it reads (internal to the products). */
#ifndef TG_KERNELS_GEMM_STEP_H
#define TG_KERNELS_GEMM_STEP_H

#include "core/kernels/gemm/gemm_macrokernel.h"

/* One step of the outer loops: columns jc .. jc + nc of C, and the depth pc .. pc + depth in slabs of kc, of which the last one may
 * be less deep: one block of B. */
typedef struct tg_GemmStep {
    const tg_Product *g;
    const tg_GemmKernel *kernel;
    int64_t jc, nc, pc, depth, kc;
    int64_t span, chunks, slices; /* columns of a chunk in L2; columns and rows are divided into so many pieces */
    bool packs_a, b_packed; /* A: by who uses it; B: already, or by all threads */
    bool keeps_a, each_b;   /* each thread packs all of A, or of B, once for the product of this number */
    bool streams_b;         /* each thread packs the columns of B that it uses, some after the other */
    uint64_t number;
    char *b_room;
} tg_GemmStep;

int64_t tg_depth_at(const tg_GemmStep *s, int64_t pc); /* of the slab that begins at depth pc */

/* Slabs are as deep as each other, as far as can be. */
int64_t tg_depth_of_slab(int64_t k);

enum { TG_DEEPEST_SLAB = 768, TG_PANEL_BYTES = TG_WIDEST * TG_DEEPEST_SLAB }; /* of a slab; of a panel of B */

/* Cuts the step's columns and depth so that the block of B has room: much if it is shared by threads and serves all rows at once,
 * else little, which stays near. Without memory it is one panel, in the room that s->b_room has from the caller. Gives what the heap
 * has lent, or NULL. */
void *tg_cut_b(tg_GemmStep *s, bool shared, bool for_all_rows);

void tg_pack_b(tg_GemmStep *s, bool shared);

/* Leaves packing B, and all of A at once, to each thread, where that pays. The step is then as deep as there is room for A. */
void tg_each_packs(tg_GemmStep *s);

/* As many rows of A as are packed at once, and this thread's room for a slab of them; without memory, or need, all rows and NULL. */
int64_t tg_rows_of_a(const tg_GemmStep *s, char **room);

/* Packs the rows i .. i + rows of the slab of A that begins at depth pc, unless the room has them. Gives where they are. */
const char *tg_slab_of_a(const tg_GemmStep *s, char *room, int64_t i, int64_t rows, int64_t pc);

/* Packs the columns j0 .. j1 - 1 of the slab that begins at depth pc, in whole panels, into this thread's room. Gives where they are. */
const char *tg_columns_of_b(const tg_GemmStep *s, int64_t pc, int64_t j0, int64_t j1);

/* The slab of the block of B that begins at depth pc, packed or where it lies. */
const char *tg_slab_of_b(const tg_GemmStep *s, int64_t pc);

/* The whole product, if it has one row or one column and there is a way for that; has_columns: the caller's has several columns, whose
 * sums have the order of all products. */
bool tg_gemm_by_vector(const tg_Product *g, const tg_GemmKernel *kernel, bool has_columns);

/* All of a run of products, if they are of a few numbers, which would wait longer for any of the ways than they take. */
bool tg_gemm_few(bool is_double, const tg_Product *p, const tg_Steps *next, int64_t count);

/* `count` products that are alike: p, and each of the others so far from the one before. */
void tg_gemm_run(bool is_double, tg_Product p, tg_Steps next, int64_t count);

/* The sum over k for row i of column j, to which belongs what is to be added to it. */
void tg_put_sum(const tg_Product *g, const tg_GemmKernel *kernel, int64_t i, int64_t j, double sum);

#endif
