/* core/kernels/norm/layer_norm.c: layer norm and residual sums: dispatch, and how rows are divided among threads;
 * layer_norm.inc has the formulas. */
#include "core/kernels/norm/layer_norm.h"

#include <math.h>
#include <stddef.h>

#include "core/kernels/isa.h"
#include "core/kernels/parallel.h"

#define UP_TO_AVX2
#define KERNEL "core/kernels/norm/layer_norm.inc"
#include "core/kernels/dispatch.inc"

enum { GRAIN = 16384, BLOCKS = 32 }; /* elements of an item; blocks of rows at most */

void tg_residual(tg_Residual *job) {
    tg_parallel(job->count, GRAIN, job->f64 ? TG_PICK_UP_TO_AVX2(residual_f64) : TG_PICK_UP_TO_AVX2(residual_f32), job);
}

void tg_layer_norm(tg_LayerNorm *job) {
    if (job->n == 0) return;
    tg_parallel(job->rows * job->groups, GRAIN / job->n + 1,
                job->in.f64 ? TG_PICK_UP_TO_AVX2(norm_rows_f64) : TG_PICK_UP_TO_AVX2(norm_rows_f32), job);
}

/* The rows of one block, which do not depend on the number of threads. */
static int64_t block_rows(const tg_LayerNorm *job) {
    const int64_t share = (job->rows + BLOCKS - 1) / BLOCKS, worth = GRAIN / (job->groups * job->n + 1) + 1;
    return share > worth ? share : worth;
}

static int64_t block_count(const tg_LayerNorm *job) {
    const int64_t block = block_rows(job), blocks = (job->rows + block - 1) / block;
    return blocks > 0 ? blocks : 1; /* without rows one, whose sums are 0 */
}

int64_t tg_layer_norm_workspace(const tg_LayerNorm *job) {
    return block_count(job) * 2 * job->groups * job->n;
}

void tg_layer_norm_backward(tg_LayerNorm *job) {
    const int64_t n = job->groups * job->n, blocks = block_count(job);
    if (n == 0) return;
    job->block = block_rows(job);
    if (job->in.f64) {
        tg_parallel(blocks, 1, TG_PICK_UP_TO_AVX2(norm_backward_blocks_f64), job);
        if (job->dweight) TG_PICK_UP_TO_AVX2(norm_add_blocks_f64)(job->dweight, job->workspace, n, 2 * n, blocks);
        if (job->dbias)
            TG_PICK_UP_TO_AVX2(norm_add_blocks_f64)(job->dbias, (double *)job->workspace + n, n, 2 * n, blocks);
    } else {
        tg_parallel(blocks, 1, TG_PICK_UP_TO_AVX2(norm_backward_blocks_f32), job);
        if (job->dweight) TG_PICK_UP_TO_AVX2(norm_add_blocks_f32)(job->dweight, job->workspace, n, 2 * n, blocks);
        if (job->dbias)
            TG_PICK_UP_TO_AVX2(norm_add_blocks_f32)(job->dbias, (float *)job->workspace + n, n, 2 * n, blocks);
    }
}
