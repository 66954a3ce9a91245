/* core/kernels/gemm/gemm_macrokernel.h: the macro-kernel: the two loops over the tiles of one block (internal to the
 * products). */
#ifndef TAPEGRAD_CORE_KERNELS_GEMM_GEMM_MACROKERNEL_H
#define TAPEGRAD_CORE_KERNELS_GEMM_GEMM_MACROKERNEL_H

#include "core/kernels/gemm/gemm.h"
#include "core/kernels/gemm/gemm_kernel.h"

static inline char *tg_element_at(const tg_GemmKernel *kernel, const tg_Matrix *x, int64_t i, int64_t j) {
    return (char *)x->data + (i * x->row + j * x->column) * kernel->size;
}

/* The height of the next tile when `left` rows are left. With MR = 6 and 4 the last two are equal or differ by one:
 * 11 rows are 6 + 5, 7 are 4 + 3; with MR = 12 not all heights have an instance: 13 rows are 12 + 1. */
int tg_tile_height(const tg_GemmKernel *kernel, int64_t left);

/* One panel of a block of B: `width` columns from `start` on, in one, two or three vectors; the last four vectors are
 * 2 + 2. The last panel is moved left to end with the last column, so that it overlaps its neighbour instead of
 * crossing the end of the matrix. (A block narrower than one vector is packed, and padded with anything.) */
typedef struct tg_Panel {
    int64_t start, width;
    int vectors;
} tg_Panel;

tg_Panel tg_panel_at(const tg_GemmKernel *kernel, int64_t nc, int64_t jr);

/* The end of a chunk of columns that would end at j: never so that less than a vector is left for the next one. */
static inline int64_t tg_panels_end(const tg_GemmKernel *kernel, int64_t nc, int64_t j) {
    return nc - j <= kernel->lanes ? nc : j;
}

/* The size of a packed panel of A, in elements, with space for the vector that is stored beyond its last column. */
static inline int64_t tg_a_panel_size(const tg_GemmKernel *kernel, int64_t kc) {
    return kernel->rows * kc + 64 / kernel->size;
}

/* Prefetch of what is packed next: `rows` rows of `bytes` bytes, `step` bytes apart, `share` cache lines a tile. `at`
 * is the offset in the current row. */
typedef struct tg_Prefetch {
    const char *row;
    int64_t rows, step, bytes, at, share;
} tg_Prefetch;

/* C = A B + from for mc rows and the columns j0 .. j1 - 1; A is mc x kc, B has nc columns. */
typedef struct tg_Macrokernel {
    const tg_GemmKernel *kernel;
    int64_t mc, kc;
    int64_t j0, j1, nc;
    int64_t span;         /* columns of B (whole panels) that all rows use before the next ones: a chunk in L2 */
    const char *a;        /* packed panels, or A in place, with its strides */
    int64_t rsa, csa;
    bool a_packed, b_packed;
    const char *b; /* packed panels from column b0 on, or B in place, by rows */
    int64_t b0, ldb;
    tg_Prefetch *ahead;         /* or NULL */
    tg_Matrix c, from;          /* from column 0 on; from: plus in the first slab, C itself in the others, or nothing */
    const tg_Product *epilogue; /* in the last slab, if the product has an epilogue */
    int64_t i, j;               /* the position of c in the product's C */
} tg_Macrokernel;

void tg_macrokernel(const tg_Macrokernel *z);

#endif
