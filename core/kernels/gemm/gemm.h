/* Matrix products on raw memory. */
#ifndef TG_KERNELS_GEMM_H
#define TG_KERNELS_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element (i, j) stands at data[i * row + j * column]: the strides count elements. They may be anything, also 0 or
 * negative, but those of C must keep its elements apart. C must not overlap A or B. */
typedef struct tg_Matrix {
    void *data;
    int64_t row, column;
} tg_Matrix;

/* What is done to C where it has become complete, while it is near: at(context, i, j, rows, columns) sees each element of C
 * in one of its rectangles at least, on any thread; one that it sees twice has been made anew in between. */
typedef void (*tg_Finish)(void *context, int64_t i, int64_t j, int64_t rows, int64_t columns);

/* C = A B + plus, where A is m x k, B is k x n, C and plus are m x n; all float or all double. plus may be C itself (for
 * C += A B), a bias (a row stride of 0), another matrix, or nothing (data NULL).
 *
 * k = 0 gives plus, or zeros. Nothing can fail: a thread keeps room for its packed blocks, a large block of B is lent by the heap,
 * and a product does without if there is none.
 *
 * Element (i, j) is summed over k in one fixed order that depends on k alone: not on m, n, the strides, the tile in which
 * the element falls, or the number of threads. So a product has the same bits alone and as a part of a larger one, and with
 * AVX2, AVX-512 and NEON; only SSE2, which has no multiply-add with one rounding, differs. */
typedef struct tg_Product {
    int64_t m, n, k;
    tg_Matrix a, b, c, plus;
    tg_Finish finish; /* or NULL; not in a batch */
    void *context;
    const void *packed; /* NULL, or what tg_gemm_pack made of b for the same n and k; b is not read then */
} tg_Product;

void tg_gemm(bool is_double, const tg_Product *p);

/* Whether the product of one column may be summed in another order than that of several. */
bool tg_gemm_is_dot(bool is_double, int64_t k);

/* The sum of a[i] b[i]: of pieces by n alone, brought together in double. */
double tg_dot(bool is_double, int64_t n, const void *a, const void *b);

/* All of p->b as the inner loops read it, for products of any m, to room of so many bytes, aligned to 64. */
size_t tg_gemm_packed_bytes(bool is_double, const tg_Product *p);
void tg_gemm_pack(bool is_double, const tg_Product *p, void *room);

/* p->c[i] = p->a[i] p->b[i] + p->plus[i] for all i of a batch: an index of up to TG_BATCH_DIMS dims, each of which moves the
 * matrices by so many elements. */
enum { TG_BATCH_DIMS = 6 };
typedef struct tg_Batch {
    int dims;
    int64_t size[TG_BATCH_DIMS], a[TG_BATCH_DIMS], b[TG_BATCH_DIMS], c[TG_BATCH_DIMS], plus[TG_BATCH_DIMS];
} tg_Batch;

void tg_gemm_batch(bool is_double, const tg_Product *p, const tg_Batch *batch);

bool tg_gemm_reserve(void); /* at the start of a worker: what its products will take; false: there is no memory for that */
void tg_gemm_drain(void); /* at thread end: gives the room back */

#endif
