/* The matrix product for every instruction set; gemm.inc explains it. */
#include "gemm.h"

#include <stddef.h>

#include "isa.h"

/* Room for the packed block of A and the packed block of B of one thread. */
enum { A_BYTES = 256 * 1024, B_BYTES = 1024 * 1024 };
static _Thread_local _Alignas(64) unsigned char workspace[A_BYTES + B_BYTES];

#define KERNEL "gemm.inc"
#include "instances.inc"

void tg_gemm_f32(int64_t M, int64_t N, int64_t K, const float *a, int64_t rsa, int64_t csa, const float *b, int64_t rsb,
                 int64_t csb, float *c, int64_t rsc, int64_t csc, bool accumulate) {
    TG_PICK(gemm_f32)(M, N, K, a, rsa, csa, b, rsb, csb, c, rsc, csc, accumulate);
}

void tg_gemm_f64(int64_t M, int64_t N, int64_t K, const double *a, int64_t rsa, int64_t csa, const double *b,
                 int64_t rsb, int64_t csb, double *c, int64_t rsc, int64_t csc, bool accumulate) {
    TG_PICK(gemm_f64)(M, N, K, a, rsa, csa, b, rsb, csb, c, rsc, csc, accumulate);
}
