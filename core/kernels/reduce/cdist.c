/* Distances of all pairs of rows for every instruction set; cdist.inc explains them. */
#include "core/kernels/reduce/cdist.h"

#include <math.h>
#include <stddef.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define DOUBLES_ARE_RARE
#define KERNEL "core/kernels/reduce/cdist.inc"
#include "core/kernels/dispatch.inc"

enum { ENOUGH = 16384 }; /* elements of a piece of work */

void tg_pairs(tg_Pairs *job) {
    tg_parallel(job->members * job->P, ENOUGH / (job->R * job->M + 1) + 1,
                job->f64 ? TG_PICK_RARE(pairs_f64) : TG_PICK_UP_TO_AVX2(pairs_f32), job);
}

void tg_pairs_backward(tg_Pairs *job) {
    const int64_t lanes = job->f64 ? 2 : tg_isa() == TG_ISA_BASELINE ? 4 : 8;
    tg_parallel(job->members * ((job->M + lanes - 1) / lanes), ENOUGH / (job->P * job->R * lanes + 1) + 1,
                job->f64 ? TG_PICK_RARE(pairs_backward_f64) : TG_PICK_UP_TO_AVX2(pairs_backward_f32), job);
}
