/* Matrix products on raw memory. */
#ifndef TG_KERNELS_GEMM_H
#define TG_KERNELS_GEMM_H

#include <stdbool.h>
#include <stdint.h>

/* C = A B, or C += A B if accumulate, where A is M x K, B is K x N and C is M x N. Element (i, j) of A is
 * a[i * rsa + j * csa] (row stride, column stride), of B and C likewise. Strides count elements; those of A and B may
 * be anything, also 0 or negative; those of C must keep its elements apart. C must not overlap A or B.
 *
 * K = 0 gives zeros, or leaves C alone if accumulate. Nothing can fail: a thread's first product asks for room for packed
 * blocks, and does without if there is none.
 *
 * Element (i, j) is summed over k in one fixed order that depends on K alone: not on M, N, the strides or the tile in
 * which the element falls. So a product has the same bits alone and as a part of a larger one, and with AVX2, AVX-512
 * and NEON; only SSE2, which has no multiply-add with one rounding, differs. */
void tg_gemm_f32(int64_t M, int64_t N, int64_t K, const float *a, int64_t rsa, int64_t csa, const float *b, int64_t rsb,
                 int64_t csb, float *c, int64_t rsc, int64_t csc, bool accumulate);
void tg_gemm_f64(int64_t M, int64_t N, int64_t K, const double *a, int64_t rsa, int64_t csa, const double *b,
                 int64_t rsb, int64_t csb, double *c, int64_t rsc, int64_t csc, bool accumulate);
void tg_gemm_drain(void); /* at thread end: gives the room back */

#endif
