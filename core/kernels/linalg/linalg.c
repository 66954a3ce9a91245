/* core/kernels/linalg/linalg.c: dispatch of the factorisations. */
#include "core/kernels/linalg/linalg.h"

#include <math.h>
#include <stdlib.h>

#include "core/kernels/isa.h"

/* Sizes of blocks, measured: rows of a triangle that is solved by substitution, and columns of B at a time; columns of
 * an LU that is computed by elimination; rows of a Cholesky factor that is computed row by row, and of a symmetric
 * update that is computed as a whole; Householder reflections in a block; rotations, in multiples of the rows, that are
 * collected before they are applied. */
enum {
    TRIANGLE = 32,
    STRIP = 64,
    LU_COLUMNS = 16,
    CHOLESKY = 32,
    SYMMETRIC = 128,
    REFLECTORS = 32,
    ROTATIONS = 32
};
/* Steps of an iteration for each eigenvalue or singular value, on average, before it is given up; about 2 are usual. */
enum { MOST_STEPS = 30 };

#define KERNEL "core/kernels/linalg/linalg.inc"
#include "core/kernels/dispatch.inc"

void tg_trsm(bool is_double, const tg_Trsm *p, void *work) {
    if (is_double) TG_PICK(trsm_f64)(p, work);
    else TG_PICK(trsm_f32)(p, work);
}

void tg_getrf(bool is_double, int64_t m, int64_t n, void *a, int64_t lda, int64_t *pivots, void *work) {
    if (is_double) TG_PICK(getrf_f64)(m, n, a, lda, pivots, work);
    else TG_PICK(getrf_f32)(m, n, a, lda, pivots, work);
}

int64_t tg_potrf(bool is_double, int64_t n, void *a, int64_t lda, void *work) {
    return is_double ? TG_PICK(potrf_f64)(n, a, lda, work) : TG_PICK(potrf_f32)(n, a, lda, work);
}

int64_t tg_qr_work(int64_t m, int64_t n) {
    return REFLECTORS * (m + 2 * n + 2 * REFLECTORS) + m + n;
}

void tg_geqrf(bool is_double, int64_t m, int64_t n, void *a, int64_t lda, void *tau, void *work) {
    if (is_double) TG_PICK(geqrf_f64)(m, n, a, lda, tau, work);
    else TG_PICK(geqrf_f32)(m, n, a, lda, tau, work);
}

void tg_orgqr(bool is_double, int64_t m, int64_t n, int64_t k, tg_Matrix a, const void *tau, void *q, int64_t ldq,
              void *work) {
    if (is_double) TG_PICK(orgqr_f64)(m, n, k, a, tau, q, ldq, work);
    else TG_PICK(orgqr_f32)(m, n, k, a, tau, q, ldq, work);
}

int64_t tg_eigh_work(int64_t n) {
    const int64_t reduction = 4 * REFLECTORS * n, rotations = 2 * ROTATIONS * n, vectors = tg_qr_work(n, n);
    const int64_t most = reduction > rotations ? reduction : rotations;
    return 3 * n + n * n + (most > vectors ? most : vectors);
}

int64_t tg_eigh_index(int64_t n) {
    return (1 + ROTATIONS) * n;
}

int64_t tg_syevd(bool is_double, int64_t n, void *a, void *w, void *v, void *work, int64_t *index) {
    return is_double ? TG_PICK(syevd_f64)(n, a, w, v, work, index) : TG_PICK(syevd_f32)(n, a, w, v, work, index);
}

int64_t tg_svd_work(const tg_Svd *p) {
    const int64_t reduction = 2 * REFLECTORS * (p->m + p->n) + p->m, vectors = tg_qr_work(p->m, p->columns);
    const int64_t kept = 4 * p->n + 4 * ROTATIONS * p->n + p->columns * p->m + p->n * p->n;
    return kept + (reduction > vectors ? reduction : vectors);
}

int64_t tg_svd_index(const tg_Svd *p) {
    return (1 + 2 * ROTATIONS) * p->n;
}

int64_t tg_gesvd(bool is_double, const tg_Svd *p, void *work, int64_t *index) {
    return is_double ? TG_PICK(gesvd_f64)(p, work, index) : TG_PICK(gesvd_f32)(p, work, index);
}
