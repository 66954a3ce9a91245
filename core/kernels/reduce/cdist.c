/* cdist and its gradient: parallel loops over the kernels of cdist.inc. */
#include "core/kernels/reduce/cdist.h"

#include <math.h>
#include <stddef.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define DOUBLES_ARE_RARE
#define KERNEL "core/kernels/reduce/cdist.inc"
#include "core/kernels/dispatch.inc"

enum { ENOUGH = 16384 }; /* elements in the grain of a parallel loop */

void tg_cdist(tg_Cdist *job) {
    tg_parallel(job->batch * job->P, ENOUGH / (job->R * job->M + 1) + 1,
                job->f64 ? TG_PICK_RARE(cdist_f64) : TG_PICK_UP_TO_AVX2(cdist_f32), job);
}

void tg_cdist_backward(tg_Cdist *job) {
    const int64_t lanes = job->f64 ? 2 : tg_isa() == TG_ISA_BASELINE ? 4 : 8;
    tg_parallel(job->batch * ((job->M + lanes - 1) / lanes), ENOUGH / (job->P * job->R * lanes + 1) + 1,
                job->f64 ? TG_PICK_RARE(cdist_backward_f64) : TG_PICK_UP_TO_AVX2(cdist_backward_f32), job);
}
