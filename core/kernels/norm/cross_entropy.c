/* core/kernels/norm/cross_entropy.c: cross entropy: dispatch; cross_entropy.inc has the formulas. */
#include "core/kernels/norm/cross_entropy.h"

#include <math.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/norm/cross_entropy.inc"
#include "core/kernels/dispatch.inc"

enum { GRAIN = 4096 }; /* elements of an item: some 10 us */

void tg_cross_entropy(tg_CrossEntropy *job) {
    tg_parallel(job->rows, GRAIN / (job->n + 1) + 1,
                job->f64 ? TG_PICK_UP_TO_AVX2(cross_entropy_rows_f64) : TG_PICK_UP_TO_AVX2(cross_entropy_rows_f32),
                job);
}

void tg_cross_entropy_backward(tg_CrossEntropy *job) {
    tg_parallel(job->rows, GRAIN / (job->n + 1) + 1,
                job->f64 ? TG_PICK_UP_TO_AVX2(cross_entropy_backward_rows_f64)
                         : TG_PICK_UP_TO_AVX2(cross_entropy_backward_rows_f32),
                job);
}
