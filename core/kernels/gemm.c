/* The matrix product for every instruction set; gemm.inc explains it. */
#include "gemm.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#include "isa.h"

/* ---- room for the packed block of A and the packed block of B ----
 * Each thread gets its own at its first product. Where there is no memory for one, threads take turns at a spare that is
 * always there, so that a product cannot fail. */
enum { A_BYTES = 256 * 1024, B_BYTES = 1024 * 1024 };
static _Thread_local unsigned char *own_room, *workspace;
static _Alignas(64) unsigned char spare_room[A_BYTES + B_BYTES];
static atomic_flag spare_is_taken = ATOMIC_FLAG_INIT;

static void enter_workspace(void) {
    if (!own_room) own_room = aligned_alloc(64, A_BYTES + B_BYTES);
    workspace = own_room ? own_room : spare_room;
    while (!own_room && atomic_flag_test_and_set(&spare_is_taken)) sched_yield();
}

static void leave_workspace(void) {
    if (workspace == spare_room) atomic_flag_clear(&spare_is_taken);
}

void tg_gemm_drain(void) {
    free(own_room);
    own_room = NULL;
}

#define KERNEL "gemm.inc"
#include "instances.inc"

void tg_gemm_f32(int64_t M, int64_t N, int64_t K, const float *a, int64_t rsa, int64_t csa, const float *b, int64_t rsb,
                 int64_t csb, float *c, int64_t rsc, int64_t csc, bool accumulate) {
    enter_workspace();
    TG_PICK(gemm_f32)(M, N, K, a, rsa, csa, b, rsb, csb, c, rsc, csc, accumulate);
    leave_workspace();
}

void tg_gemm_f64(int64_t M, int64_t N, int64_t K, const double *a, int64_t rsa, int64_t csa, const double *b,
                 int64_t rsb, int64_t csb, double *c, int64_t rsc, int64_t csc, bool accumulate) {
    enter_workspace();
    TG_PICK(gemm_f64)(M, N, K, a, rsa, csa, b, rsb, csb, c, rsc, csc, accumulate);
    leave_workspace();
}
