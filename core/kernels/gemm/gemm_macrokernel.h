/* One block of a matrix product: the two inner loops (internal to the products). */
#ifndef TG_KERNELS_GEMM_BLOCK_H
#define TG_KERNELS_GEMM_BLOCK_H

#include "core/kernels/gemm/gemm.h"
#include "core/kernels/gemm/gemm_kernel.h"

static inline char *tg_element_at(const tg_GemmKernel *kernel, const tg_Matrix *x, int64_t i, int64_t j) {
    return (char *)x->data + (i * x->row + j * x->column) * kernel->size;
}

/* The height of the next tile where so many rows are left. Where tiles of each height exist, the last two are made alike:
 * 13 rows are 6 + 4 + 3; of the higher ones not all exist: 13 rows are 12 + 1. */
int tg_tile_height(const tg_GemmKernel *kernel, int64_t left);

/* One panel of a block of B: width columns from start on, in one, two or three vectors; the last four are 2 + 2. The last panel
 * slides back to end with the last column, overlapping its neighbour instead of leaving the matrix. (A block narrower than one
 * vector cannot do that; its panel is packed, and filled up with anything.) */
typedef struct tg_Panel {
    int64_t start, width;
    int vectors;
} tg_Panel;

tg_Panel tg_panel_at(const tg_GemmKernel *kernel, int64_t nc, int64_t jr);

/* Where a piece of the columns may end that would end at j: no single vector is left over for the next one. */
static inline int64_t tg_end_of_panels(const tg_GemmKernel *kernel, int64_t nc, int64_t j) {
    return nc - j <= kernel->lanes ? nc : j;
}

/* A packed panel of A, one tile high, takes that many numbers, and room for the vector that is stored beyond the last of them. */
static inline int64_t tg_panel_of_a(const tg_GemmKernel *kernel, int64_t kc) {
    return kernel->rows * kc + 64 / kernel->size;
}

/* What is packed next: so many rows of so many bytes, whose lines are asked for while the tiles of this block are made, some with
 * each of them. */
typedef struct tg_Ahead {
    const char *row;
    int64_t rows, step, bytes, at, share;
} tg_Ahead;

/* One block product: rows i .. i + mc and columns j0 .. j1 of C = a slab of A, kc deep, times a slab of B, + from. */
typedef struct tg_Block {
    const tg_GemmKernel *kernel;
    int64_t mc, kc;
    int64_t j0, j1, nc;   /* of so many columns that B has as it was packed */
    int64_t span;         /* so many columns of B are used by one tile of rows after the other: whole panels */
    const char *a;        /* packed panels, or A where it lies, with its strides */
    int64_t rsa, csa;
    bool a_packed, b_packed;
    const char *b; /* packed panels from the column b0 on, or B where it lies by rows */
    int64_t b0, ldb;
    tg_Ahead *ahead; /* or NULL */
    tg_Matrix c, from; /* from the column j = 0 on; from: plus, C itself from the second slab on, or nothing */
    const tg_Product *finish; /* in the last slab, if there is anything to be done then */
    int64_t i, j;             /* where in the product's C that of the block begins */
} tg_Block;

void tg_block_product(const tg_Block *z);

#endif
