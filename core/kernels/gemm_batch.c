/* Batches of matrix products as one job. */
#include "gemm.h"

#include "gemm_kernel.h"
#include "parallel.h"

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

static void move(tg_Matrix *x, int64_t elements, bool is_double) {
    if (x->data) x->data = (char *)x->data + elements * (is_double ? 8 : 4);
}

/* The products from .. to - 1: an odometer over the dims. */
static void products(const Job *job, int64_t from, int64_t to) {
    const tg_Batch *batch = job->batch;
    int64_t index[TG_BATCH_DIMS], at[4] = {0}, rest = from;
    for (int d = batch->dims - 1; d >= 0; d--) {
        index[d] = rest % batch->size[d];
        rest /= batch->size[d];
        at[0] += index[d] * batch->a[d];
        at[1] += index[d] * batch->b[d];
        at[2] += index[d] * batch->c[d];
        at[3] += index[d] * batch->plus[d];
    }
    for (int64_t left = to - from; left > 0; left--) {
        tg_Product p = *job->one;
        move(&p.a, at[0], job->is_double);
        move(&p.b, at[1], job->is_double);
        move(&p.c, at[2], job->is_double);
        move(&p.plus, at[3], job->is_double);
        tg_gemm(job->is_double, &p);
        for (int d = batch->dims - 1; d >= 0; d--) {
            const int64_t *steps[4] = {batch->a, batch->b, batch->c, batch->plus};
            const bool wraps = ++index[d] == batch->size[d];
            for (int i = 0; i < 4; i++) at[i] += wraps ? -steps[i][d] * (batch->size[d] - 1) : steps[i][d];
            if (!wraps) break;
            index[d] = 0;
        }
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
