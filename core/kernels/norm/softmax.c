/* core/kernels/norm/softmax.c: Softmax: dispatch; softmax.inc has the formulas. */
#include "core/kernels/norm/softmax.h"

#include <math.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/norm/softmax.inc"
#include "core/kernels/dispatch.inc"

enum { GRAIN = 16384 }; /* elements of an item */

void tg_softmax(tg_Softmax *job) {
    tg_ParallelBody body;
    if (job->inner > 1)
        body = job->f64 ? TG_PICK_UP_TO_AVX2(softmax_columns_f64) : TG_PICK_UP_TO_AVX2(softmax_columns_f32);
    else if (job->backward)
        body = job->f64 ? TG_PICK_UP_TO_AVX2(softmax_backward_rows_f64) : TG_PICK_UP_TO_AVX2(softmax_backward_rows_f32);
    else body = job->f64 ? TG_PICK_UP_TO_AVX2(softmax_rows_f64) : TG_PICK_UP_TO_AVX2(softmax_rows_f32);
    const int64_t width = job->inner > 1 ? TG_SOFTMAX_COLUMNS : 1;
    tg_parallel(job->outer * (job->inner / width), GRAIN / job->n / width + 1, body, job);
}
