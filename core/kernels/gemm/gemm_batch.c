/* Batches of matrix products as one job. */
#include "core/kernels/gemm/gemm.h"

#include "core/kernels/gemm/gemm_step.h"
#include "core/kernels/parallel.h"

enum { SHARE = 1 << 18, MOST_SHARES = 64 }; /* multiply-adds of a share of work; shares */

int64_t tg_gemm_shares(double multiply_adds, int64_t most) {
    if (most > MOST_SHARES) most = MOST_SHARES;
    const int64_t shares = multiply_adds / SHARE < (double)most ? (int64_t)(multiply_adds / SHARE) : most;
    return shares > 8 ? shares / 8 * 8 : shares > 1 ? shares : 1;
}

typedef struct Job {
    bool is_double;
    const tg_Product *one;
    const tg_Batch *batch;
    int64_t count, shares;
} Job;

void tg_to_next(tg_Product *p, const tg_Steps *by, int64_t size) {
    tg_Matrix *const matrices[] = {&p->a, &p->b, &p->c, &p->plus};
    for (int i = 0; i < 4; i++)
        if (matrices[i]->data) matrices[i]->data = (char *)matrices[i]->data + by->of[i] * size;
}

/* The products from .. to - 1, a run along the last dim at a time. */
static void products(const Job *job, int64_t from, int64_t to) {
    const tg_Batch *batch = job->batch;
    const int last = batch->dims - 1;
    for (int64_t run; from < to; from += run) {
        tg_Steps to_first = {{0}}, to_next = {{0}};
        tg_Product p = *job->one;
        run = 1;
        for (int64_t d = last, rest = from; d >= 0; rest /= batch->size[d--]) {
            const int64_t index = rest % batch->size[d], steps[] = {batch->a[d], batch->b[d], batch->c[d], batch->plus[d]};
            for (int i = 0; i < 4; i++) to_first.of[i] += index * steps[i];
            if (d < last) continue;
            for (int i = 0; i < 4; i++) to_next.of[i] = steps[i];
            run = batch->size[d] - index < to - from ? batch->size[d] - index : to - from;
        }
        tg_to_next(&p, &to_first, job->is_double ? 8 : 4);
        tg_gemm_run(job->is_double, p, to_next, run);
    }
}

static void stretch(int64_t from, int64_t to, void *context) {
    const Job *job = context;
    products(job, from * job->count / job->shares, to * job->count / job->shares);
}

/* Many products: each is one thread's. Few large ones: one after the other, each divided. */
void tg_gemm_batch(bool is_double, const tg_Product *p, const tg_Batch *batch) {
    Job job = {is_double, p, batch, 1, 1};
    for (int d = 0; d < batch->dims; d++) job.count *= batch->size[d];
    if (job.count == 0) return;
    const double one = (double)p->m * (double)p->n * (double)p->k;
    if (job.count >= 16 || one < 8 * SHARE) job.shares = tg_gemm_shares(one * (double)job.count, job.count);
    if (job.shares > 1) tg_parallel(job.shares, 1, stretch, &job);
    else products(&job, 0, job.count);
}
