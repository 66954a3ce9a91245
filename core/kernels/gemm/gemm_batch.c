/* core/kernels/gemm/gemm_batch.c: batches of matrix products: one parallel job. */
#include "core/kernels/gemm/gemm.h"

#include "core/kernels/gemm/gemm_pack.h"
#include "core/kernels/parallel.h"

enum { SHARE = 1 << 18, MAX_SHARES = 64 }; /* multiply-adds of a share of the work; shares */

int64_t tg_gemm_shares(double multiply_adds, int64_t most) {
    if (most > MAX_SHARES) most = MAX_SHARES;
    const int64_t shares = multiply_adds / SHARE < (double)most ? (int64_t)(multiply_adds / SHARE) : most;
    return shares > 8 ? shares / 8 * 8 : shares > 1 ? shares : 1;
}

typedef struct Job {
    bool is_double;
    const tg_Product *one;
    const tg_Batch *batch;
    int64_t count, shares;
} Job;

void tg_advance(tg_Product *p, const tg_BatchStrides *by, int64_t size) {
    tg_Matrix *const matrices[] = {&p->a, &p->b, &p->c, &p->plus};
    for (int i = 0; i < 4; i++)
        if (matrices[i]->data) matrices[i]->data = (char *)matrices[i]->data + by->of[i] * size;
}

/* The products from .. to - 1, those along the last dim together. */
static void products(const Job *job, int64_t from, int64_t to) {
    const tg_Batch *batch = job->batch;
    const int last = batch->dims - 1;
    for (int64_t count; from < to; from += count) {
        tg_BatchStrides to_first = {{0}}, to_next = {{0}};
        tg_Product p = *job->one;
        count = 1;
        for (int64_t d = last, rest = from; d >= 0; rest /= batch->size[d--]) {
            const int64_t index = rest % batch->size[d],
                          steps[] = {batch->a[d], batch->b[d], batch->c[d], batch->plus[d]};
            for (int i = 0; i < 4; i++) to_first.of[i] += index * steps[i];
            if (d < last) continue;
            for (int i = 0; i < 4; i++) to_next.of[i] = steps[i];
            count = batch->size[d] - index < to - from ? batch->size[d] - index : to - from;
        }
        tg_advance(&p, &to_first, job->is_double ? 8 : 4);
        tg_gemm_strided_batch(job->is_double, p, to_next, count);
    }
}

static void job_shares(int64_t from, int64_t to, void *context) {
    const Job *job = context;
    products(job, from * job->count / job->shares, to * job->count / job->shares);
}

/* Many products are divided among the threads; few large ones are computed one by one, each on all threads. */
void tg_gemm_batch(bool is_double, const tg_Product *p, const tg_Batch *batch) {
    Job job = {is_double, p, batch, 1, 1};
    for (int d = 0; d < batch->dims; d++) job.count *= batch->size[d];
    if (job.count == 0) return;
    const double one = (double)p->m * (double)p->n * (double)p->k;
    if (job.count >= 16 || one < 8 * SHARE) job.shares = tg_gemm_shares(one * (double)job.count, job.count);
    if (job.shares > 1) tg_parallel(job.shares, 1, job_shares, &job);
    else products(&job, 0, job.count);
}
