/* core/kernels/gemm/gemm.h: matrix products on raw memory (BLAS: gemm, gemv, dot; PyTorch: matmul, bmm, addmm).
 *
 * This folder: gemm.c has the loops around a product and explains all of it; gemm_pack.c packs blocks of A and B;
 * gemm_macrokernel.c is the loop over the tiles of a block; gemm_microkernel.inc (with gemm_pack.inc) computes one
 * tile; gemv.c and gemv.inc are products with one row or column; gemm_batch.c is batches; gemm_epilogue.c is what
 * follows a linear layer. It includes core/kernels and core/memory only: pointers, sizes and strides, no tensor. */
#ifndef TAPEGRAD_CORE_KERNELS_GEMM_GEMM_H
#define TAPEGRAD_CORE_KERNELS_GEMM_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element (i, j) is data[i * row + j * column]: the strides count elements. They may be anything, also 0 or negative,
 * but no two elements of C may have one address. C must not overlap A or B. */
typedef struct tg_Matrix {
    void *data;
    int64_t row, column;
} tg_Matrix;

/* An epilogue: called for rectangles of C as soon as their sums are complete, while they are in cache, on any thread.
 * Each element is in one rectangle at least; an element that is in two was computed again in between. */
typedef void (*tg_TileCallback)(void *context, int64_t i, int64_t j, int64_t rows, int64_t columns);

/* C = A B + plus, where A is m x k, B is k x n, C and plus are m x n; all float or all double. plus may be C itself
 * (for C += A B), a bias (a row stride of 0), another matrix, or nothing (data NULL). k = 0 gives plus, or zeros.
 *
 * A product cannot fail: where there is no memory for packed blocks it does without.
 *
 * Element (i, j) is summed over k in one fixed order that depends on k alone: not on m, n, the strides, the tile that
 * contains the element, or the number of threads. So a product has the same bits alone and as a part of a larger one,
 * and with AVX2, AVX-512 and NEON; only SSE2, which has no fused multiply-add, differs. */
typedef struct tg_Product {
    int64_t m, n, k;
    tg_Matrix a, b, c, plus;
    tg_TileCallback epilogue; /* or NULL; not in a batch */
    void *context;            /* of the epilogue */
    const void *packed;       /* NULL, or tg_gemm_pack's result for this b, n and k; then b is not read */
} tg_Product;

void tg_gemm(bool is_double, const tg_Product *p);

/* Whether a product with one column may be summed in another order than one with several. */
bool tg_gemm_is_dot(bool is_double, int64_t k);
/* Whether a product with one row is faster with B as it is than with packed B: it is limited by memory, and no element
 * of B is used twice. */
bool tg_gemm_is_gemv(bool is_double, const tg_Product *p);

/* The sum of a[i] b[i]. Pieces whose number depends on n alone; their sums are added in double. */
double tg_dot(bool is_double, int64_t n, const void *a, const void *b);

/* Packs all of p->b as the micro-kernel reads it, for products of any m. `packed` has tg_gemm_packed_bytes() bytes,
 * aligned to 64. */
size_t tg_gemm_packed_bytes(bool is_double, const tg_Product *p);
void tg_gemm_pack(bool is_double, const tg_Product *p, void *packed);

/* p->c[i] = p->a[i] p->b[i] + p->plus[i] for each index i of a batch of up to TG_BATCH_DIMS dims. a, b, c and plus are
 * the matrices' strides along each of these dims, in elements. */
enum { TG_BATCH_DIMS = 6 };
typedef struct tg_Batch {
    int dims;
    int64_t size[TG_BATCH_DIMS], a[TG_BATCH_DIMS], b[TG_BATCH_DIMS], c[TG_BATCH_DIMS], plus[TG_BATCH_DIMS];
} tg_Batch;

void tg_gemm_batch(bool is_double, const tg_Product *p, const tg_Batch *batch);

/* ---- bfloat16 (gemm_bfloat16.c) ---- */

/* Whether the processor multiplies pairs of bfloat16 (AVX512-BF16), and TAPEGRAD_ISA allows it. Where it does not, the
 * operands are widened to float, and the result is rounded. */
bool tg_gemm_has_bfloat16(void);

/* The products of tg_gemm_batch (batch NULL: one) for a, b, c and plus of bfloat16: sums of float, plus is added, and
 * each element of C is rounded once. The epilogue is called after that. Element (i, j) is summed over k in pairs, in
 * one order that depends on k alone, by VDPBF16PS: products and sums below 2^-126 are 0. (With one row, or one column,
 * and a B, or A, that is contiguous along k, it is another order, again of k alone.) False on out of memory: then
 * nothing is written. */
bool tg_gemm_bfloat16(const tg_Product *p, const tg_Batch *batch);

/* Each thread has buffers for packed blocks: a worker allocates them when it starts (false: out of memory) and frees
 * them when it ends. */
bool tg_gemm_reserve(void);
void tg_gemm_drain(void);

#endif
