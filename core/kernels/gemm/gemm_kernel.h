/* core/kernels/gemm/gemm_kernel.h: the inner parts of a matrix product, which depend on the instruction set and the
 * element type; gemm.c has the loops around them. All sizes and strides count elements. */
#ifndef TAPEGRAD_CORE_KERNELS_GEMM_GEMM_KERNEL_H
#define TAPEGRAD_CORE_KERNELS_GEMM_GEMM_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/kernels/gemm/gemm.h"

enum {
    TG_GEMM_ROWS = 12,          /* MR, at most */
    TG_GEMM_VECTORS = 3,        /* vectors in a row of a tile, at most */
    TG_TILE_ROW_BYTES = 32 * 4, /* of a tile's row, at most */
    TG_ROW_TILE_BYTES = 256,    /* width of the tile of one row */
    TG_DOT_ROWS = 16,           /* rows of dot_rows, in vectors of TG_DOT_VECTOR_BYTES */
    TG_DOT_VECTOR_BYTES = 32
};

/* The micro-kernel: C = A B + from for one tile (gemm_microkernel.inc). */
typedef void (*tg_Micro)(int64_t kc, const void *a, int64_t rsa, int64_t csa, const void *b, int64_t ldb, void *c,
                         int64_t ldc, const void *from, int64_t ldf);

/* From one product of a batch to the next: strides of a, b, c and plus. */
typedef struct tg_BatchStrides {
    int64_t of[4];
} tg_BatchStrides;

void tg_advance(tg_Product *p, const tg_BatchStrides *by, int64_t size);

typedef struct tg_GemmKernel {
    int size;    /* of an element, in bytes */
    int rows;    /* MR: rows of a tile, at most */
    int lanes;   /* elements of a vector */
    int columns; /* NR: columns of a tile, at most: two or three vectors */
    const tg_Micro (*micros)[TG_GEMM_VECTORS]; /* [rows - 1][vectors - 1]; NULL for heights without an instance */

    /* ---- packing (gemm_pack.inc) ---- */
    /* One panel: out[k * ld + i] = x[i * si + k * sk] for i < width, k < kc. */
    void (*pack)(void *out, int64_t ld, int64_t width, int64_t avail, int64_t kc, const void *x, int64_t si,
                 int64_t sk);
    /* `panels` panels of ld = MR or NR each, `panel` elements apart, from contiguous rows (si = 1). */
    void (*pack_rows)(void *out, int64_t ld, int64_t panel, int64_t panels, int64_t kc, const void *x, int64_t sk);
    /* C = tile + from, for the columns left .. right - 1 of a tile whose rows are TG_TILE_ROW_BYTES apart. */
    void (*edge)(const void *tile, int rows, int64_t left, int64_t right, void *c, int64_t rsc, int64_t csc,
                 const void *from, int64_t rsf, int64_t csf);

    /* ---- one row or one column (gemv.inc); NULL where there is no instance ---- */
    /* The tile of one row, TG_ROW_TILE_BYTES wide. */
    void (*row_tile)(int64_t kc, const void *a, int64_t csa, const void *b, int64_t ldb, void *c, const void *from);
    /* sums[j] += the sum over k of a[k * csa] b[k * ldb + j], for n columns. */
    void (*row_times_matrix)(void *sums, int64_t n, int64_t kc, const void *a, int64_t csa, const void *b, int64_t ldb);
    /* sums[i] += the dot product of row i of A and b, for TG_DOT_ROWS rows. */
    void (*dot_rows)(void *sums, const void *const *first_row, int64_t lda, const void *b, int64_t n,
                     int64_t ahead);
    double (*dot)(int64_t n, const void *a, const void *b);
    /* `count` elements of C of kc multiply-adds each; `at` has a, b, c and plus, and `next` their strides. */
    void (*small_sums)(void *const *at, const tg_BatchStrides *next, int64_t count, int64_t kc, int64_t csa,
                       int64_t ldb);

    const struct tg_GemmKernel *packed_b; /* NULL, or the kernel for a packed B: its tiles are lower and wider */
} tg_GemmKernel;

/* The kernel for a packed B of n columns. (Its last four vectors are two tiles of two, which are slow in lower tiles:
 * that matters when there are few.) */
static inline const tg_GemmKernel *tg_packed_kernel(const tg_GemmKernel *kernel, int64_t n) {
    const int64_t vectors = (n + kernel->lanes - 1) / kernel->lanes;
    return kernel->packed_b && n >= kernel->packed_b->columns && (vectors % 3 != 1 || vectors > 32) ? kernel->packed_b
                                                                                                     : kernel;
}

/* The number of shares that work of this size is divided into, at most `most`. A multiple of 8, if it is more than 8,
 * so that it divides evenly among few threads. */
int64_t tg_gemm_shares(double multiply_adds, int64_t most);

/* The kernel for products of n columns. */
const tg_GemmKernel *tg_gemm_kernel(bool is_double, int64_t n);

#endif
