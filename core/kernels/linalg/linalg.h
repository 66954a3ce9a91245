/* core/kernels/linalg/linalg.h: factorisations of dense matrices on raw memory (LAPACK's names: trsm, getrf, potrf,
 * ...).
 *
 * A matrix is stored by rows: element (i, j) of a is a[i * lda + j], all float or all double. The algorithms are
 * blocked, most by recursion: a half of the columns is factorised, the other half updated by one product, so that
 * nearly all of the work is done by gemm, and the scalar code at the bottom works on blocks that fit in L1.
 *
 * This folder: blocks.inc has the steps that all share, triangular.inc, lu.inc, cholesky.inc, qr.inc, eigh.inc and
 * svd.inc (with rotations.inc) are the factorisations, linalg.c compiles them for each instruction set. It includes
 * core/kernels only: pointers, sizes and strides. No function fails or allocates: the caller passes a workspace, whose
 * size in elements is given at each function. */
#ifndef TAPEGRAD_CORE_KERNELS_LINALG_LINALG_H
#define TAPEGRAD_CORE_KERNELS_LINALG_LINALG_H

#include "core/kernels/gemm/gemm.h"

/* ---- triangular.inc ---- */

/* B = inverse(A) B for a triangular A, n x n, and B, n x m, with any strides; only that triangle of A is read, and with
 * `unit` not its diagonal, which counts as ones. B = B inverse(A) is the same with both transposed. work: n n. */
typedef struct tg_Trsm {
    bool upper, unit;
    int64_t n, m;
    tg_Matrix a, b;
} tg_Trsm;
void tg_trsm(bool is_double, const tg_Trsm *p, void *work);

/* ---- lu.inc ---- */

/* P A = L U with partial pivoting for A, m x n: L below the diagonal, without its ones, and U are written over A. In
 * step k, row k was swapped with row pivots[k] >= k, for k < min(m, n). A pivot of 0 leaves its column as it is.
 * work: m n. */
void tg_getrf(bool is_double, int64_t m, int64_t n, void *a, int64_t lda, int64_t *pivots, void *work);

/* ---- cholesky.inc ---- */

/* A = L L^T for the lower triangle of a symmetric A, n x n, which L is written over; what is above the diagonal is
 * overwritten. Returns 0, or the order of the first leading minor that is not positive: then L is not complete. work:
 * n n. */
int64_t tg_potrf(bool is_double, int64_t n, void *a, int64_t lda, void *work);

/* ---- qr.inc ---- */

/* A = Q R for A, m x n: R is written on and above the diagonal of A, the vectors of the reflections below it, their
 * first elements, 1, left out, and tau, min(m, n). work: tg_qr_work(m, n). */
void tg_geqrf(bool is_double, int64_t m, int64_t n, void *a, int64_t lda, void *tau, void *work);
/* The first n <= m columns of Q, the product of k <= n reflections, whose vectors are the columns of a, as geqrf leaves
 * them, or its rows, by its strides. q must not be a. work: tg_qr_work(m, n). */
void tg_orgqr(bool is_double, int64_t m, int64_t n, int64_t k, tg_Matrix a, const void *tau, void *q, int64_t ldq,
              void *work);
int64_t tg_qr_work(int64_t m, int64_t n);

/* ---- eigh.inc, svd.inc (with rotations.inc): `index` is a workspace of integers ---- */

/* The eigenvalues w of a symmetric a, n x n, both of whose triangles are given, ascending, and its eigenvectors, the
 * columns of v, unless that is NULL. a is overwritten. Returns 0, or how many off-diagonal elements did not become 0.
 * work, index: tg_eigh_work(n), tg_eigh_index(n). */
int64_t tg_syevd(bool is_double, int64_t n, void *a, void *w, void *v, void *work, int64_t *index);
int64_t tg_eigh_work(int64_t n);
int64_t tg_eigh_index(int64_t n);

/* A = U diag(s) V^T for A, m x n, m >= n, which is overwritten: s, descending, the first `columns` columns, n or m, of
 * U, and V^T, n x n; u and v NULL: the values only. Returns as above. work, index: tg_svd_work(p), tg_svd_index(p). */
typedef struct tg_Svd {
    int64_t m, n, columns;
    void *a, *s, *u, *v;
} tg_Svd;
int64_t tg_gesvd(bool is_double, const tg_Svd *p, void *work, int64_t *index);
int64_t tg_svd_work(const tg_Svd *p);
int64_t tg_svd_index(const tg_Svd *p);

#endif
