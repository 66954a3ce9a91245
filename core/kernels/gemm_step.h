/* One step of a matrix product, and the packed blocks that it reads (internal to the products). */
#ifndef TG_KERNELS_GEMM_STEP_H
#define TG_KERNELS_GEMM_STEP_H

#include "gemm_block.h"

/* One step of the outer loops: columns jc .. jc + nc and rows ic .. ic + mc of C, and the depth pc .. pc + depth in slabs of kc, of
 * which the last one may be less deep. The block of B, which serves several steps, begins at depth bc. */
typedef struct tg_GemmStep {
    const tg_Product *g;
    const tg_GemmKernel *kernel;
    int64_t ic, mc, jc, nc, bc, pc, depth, kc;
    int64_t span, chunks, slices; /* columns of a chunk in L2; columns and rows are divided into so many pieces */
    bool b_packed;
    char *a_room, *b_room; /* a_room: NULL where A is read where it lies */
} tg_GemmStep;

int64_t tg_depth_at(const tg_GemmStep *s, int64_t pc); /* of the slab that begins at depth pc */

/* Slabs are as deep as each other, as far as can be. */
int64_t tg_depth_of_slab(int64_t k);

enum { TG_DEEPEST_SLAB = 768, TG_PANEL_BYTES = TG_WIDEST * TG_DEEPEST_SLAB }; /* of a slab; of a panel of B */

/* Cuts the step's columns and depth so that the block of B has room: much if it is shared by threads and serves all rows at once,
 * else little, which stays near. Without memory it is one panel, in the room that s->b_room has from the caller. Gives what the heap
 * has lent, or NULL. */
void *tg_cut_b(tg_GemmStep *s, bool shared, bool for_all_rows);

/* Cuts the rows, or the depth, so that the block of A has room: all of it, or one slab of as many rows as there is room for.
 * Without memory a_room stays NULL: A is read where it lies. */
void tg_cut_a(tg_GemmStep *s);

/* Packs the block of A, if it has room, and that of B from depth bc to end_of_b. */
void tg_pack(const tg_GemmStep *s, int64_t end_of_b, bool shared);

/* Where the packed slab of A that begins at depth pc has its row i (of the step), the first one of a tile. */
char *tg_packed_a(const tg_GemmStep *s, int64_t pc, int64_t i);

/* The slab of the block of B that begins at depth pc, packed or where it lies. */
const char *tg_slab_of_b(const tg_GemmStep *s, int64_t pc);

#endif
