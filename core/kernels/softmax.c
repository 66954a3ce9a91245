/* Softmax for every instruction set; softmax.inc explains it. */
#include "softmax.h"

#include <math.h>

#include "isa.h"
#include "parallel.h"

#define UP_TO_AVX2
#define KERNEL "softmax.inc"
#include "instances.inc"

enum { ENOUGH = 16384, BLOCK_BYTES = 131072 }; /* elements of a piece of work; of x in one block of columns */

/* Rows, and blocks of columns so wide that they stay in L2 (but not narrower than a line of it) and that there are some. */
static void run(tg_Softmax *job, tg_Stretch rows, tg_Stretch columns) {
    if (job->inner == 1) {
        tg_parallel(job->outer, ENOUGH / job->n + 1, rows, job);
        return;
    }
    const int64_t itemsize = job->f64 ? 8 : 4, line = 64 / itemsize, most = 64 * (job->f64 ? 2 : 4);
    int64_t width = BLOCK_BYTES / itemsize / job->n;
    width = width < 2 * line ? 2 * line : width > most ? most : width;
    job->blocks = (job->inner + width - 1) / width;
    tg_parallel(job->outer * job->blocks, ENOUGH / job->n / width + 1, columns, job);
}

void tg_softmax(tg_Softmax *job) {
    if (job->f64) run(job, TG_PICK_UP_TO_AVX2(softmax_rows_f64), TG_PICK_UP_TO_AVX2(softmax_columns_f64));
    else run(job, TG_PICK_UP_TO_AVX2(softmax_rows_f32), TG_PICK_UP_TO_AVX2(softmax_columns_f32));
}

void tg_softmax_backward(tg_Softmax *job) {
    if (job->f64) run(job, TG_PICK_UP_TO_AVX2(softmax_backward_rows_f64), TG_PICK_UP_TO_AVX2(softmax_backward_columns_f64));
    else run(job, TG_PICK_UP_TO_AVX2(softmax_backward_rows_f32), TG_PICK_UP_TO_AVX2(softmax_backward_columns_f32));
}
