/* nn/functional/loss/cross_entropy.c: log_softmax and nll_loss as one op, for logits (N, C) and class indices. Neither
 * the log-probabilities nor the probabilities are stored; each row saves only its largest logit and the logarithm of
 * its sum. Sums of float32 losses are accumulated in double and rounded once. */
#include "core/kernels/norm/cross_entropy.h"
#include "nn/functional/loss/loss_internal.h"
#include "nn/functional/norm/norm_internal.h"

typedef struct CrossEntropy {
    LossReduction reduction;
    int64_t ignore_index;
    double smoothing;
    double weights; /* the sum of the classes' weights */
    double divisor; /* of the sum of losses: for the mean the sum of the weights of the targets that count, else 1 */
} CrossEntropy;

static double weight_at(const Tensor *weight, int64_t c) {
    if (!weight) return 1;
    const char *at = (const char *)tg_data(weight) + c * weight->strides[0] * (int64_t)tg_itemsize(weight->dtype);
    return weight->dtype == t_float64 ? *(const double *)at : (double)*(const float *)at;
}

static int64_t target_at(const tg_CrossEntropy *job, int64_t i) {
    return job->target[i * job->target_step];
}

static tg_CrossEntropy cross_entropy_job(const Tensor *x, const Tensor *target, const CrossEntropy *a) {
    return (tg_CrossEntropy){.f64 = x->dtype == t_float64, .rows = x->ndim == 1 ? 1 : x->shape[0],
                             .n = x->shape[x->ndim - 1], .target = tg_data(target),
                             .target_step = target->ndim ? target->strides[0] : 0, .ignore_index = a->ignore_index,
                             .smoothing = a->smoothing, .weights = a->weights};
}

/* ---- gradient ---- */

/* dy of each row's loss, as float64 (rows). */
static Tensor *row_gradients(Tensor *dy, const tg_CrossEntropy *job, const CrossEntropy *a) {
    Tensor *each = tg_empty(&job->rows, 1, t_float64);
    if (each && dy->ndim) tg_copy_into(each, dy);
    else if (each) tg_fill_into(each, tg_read_double(dy) / a->divisor);
    return each;
}

static void fused_cross_entropy_backward(Record *r, Tensor *x, Tensor *target, Tensor *weight, Tensor *stats,
                                         Tensor *dy, Tensor **dx) {
    const CrossEntropy *a = r->attributes;
    tg_CrossEntropy job = cross_entropy_job(x, target, a);
    Tensor *each = row_gradients(dy, &job, a), *to = each ? tg_empty(x->shape, x->ndim, x->dtype) : NULL;
    job.x = to ? tg_dense(x) : NULL;
    job.weight = tg_dense(weight);
    if (!job.x || (weight && !job.weight)) return;
    job.stats = tg_data(stats);
    job.dy = tg_data(each);
    job.dx = tg_data(to);
    tg_cross_entropy_backward(&job);
    dx[0] = to;
}

/* dx = dy (a softmax(x) - q), with a scalar a for each row and q for each element, as in
 * kernels/norm/cross_entropy.inc. Fills a and q for dy = 1. */
static void coefficients(const tg_CrossEntropy *job, const Tensor *weight, const CrossEntropy *of, double *a,
                         double *q) {
    for (int64_t i = 0; i < job->rows; i++, a++, q += job->n) {
        const int64_t target = target_at(job, i);
        const bool is_counted = target != of->ignore_index;
        const double b = is_counted ? of->smoothing / of->divisor / (double)job->n : 0;
        const double at_target = is_counted ? (1 - of->smoothing) / of->divisor * weight_at(weight, target) : 0;
        *a = at_target + b * of->weights;
        for (int64_t c = 0; c < job->n; c++) q[c] = b * weight_at(weight, c);
        if (is_counted) q[target] += at_target;
    }
}

static void composed_cross_entropy_backward(Record *r, Tensor *x, Tensor *target, Tensor *weight, Tensor *dy,
                                            Tensor **dx) {
    const tg_CrossEntropy job = cross_entropy_job(x, target, r->attributes);
    const int64_t column[] = {job.rows, 1}, full[] = {job.rows, job.n};
    Tensor *a = tg_empty(column, 2, t_float64), *q = a ? tg_empty(full, 2, t_float64) : NULL;
    if (!q) return;
    coefficients(&job, weight, r->attributes, tg_data(a), tg_data(q));
    Tensor *p = t_softmax(t_reshape(x, full, 2), 1), *d = t_sub(t_mul(p, t_to(a, x->dtype)), t_to(q, x->dtype));
    if (dy->ndim) dy = t_reshape(dy, column, 2);
    dx[0] = t_reshape(t_mul(d, dy), x->shape, x->ndim);
}

static void cross_entropy_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *target = tg_saved(r, 1), *weight = tg_saved(r, 2), *stats = tg_saved(r, 3);
    if (!x || !target || !stats) return;
    if (t_is_grad_enabled()) composed_cross_entropy_backward(r, x, target, weight, dy, dx);
    else fused_cross_entropy_backward(r, x, target, weight, stats, dy, dx);
}
static const Op cross_entropy_op = {"cross_entropy", "NllLossBackward0", cross_entropy_backward};
static const Op smoothed_op = {"cross_entropy", "AddBackward0", cross_entropy_backward}; /* PyTorch's last step there */

/* ---- forward ---- */

static Tensor *reduce_losses(const Tensor *each, const tg_CrossEntropy *job, const Tensor *weight, CrossEntropy *a) {
    double sum = 0, total = 0;
    for (int64_t i = 0; i < job->rows; i++) {
        const int64_t target = target_at(job, i);
        if (target == a->ignore_index) continue;
        sum += tg_real_at(each, i);
        total += weight_at(weight, target);
    }
    if (a->reduction == TO_MEAN) a->divisor = total;
    Tensor *y = tg_empty(NULL, 0, each->dtype);
    if (!y) return NULL;
    if (y->dtype == t_float64) *(double *)tg_data(y) = sum / a->divisor;
    else *(float *)tg_data(y) = (float)(sum / a->divisor);
    return y;
}

Tensor *tg_cross_entropy_of_classes(Tensor *x, Tensor *target, const F_LossOptions *options) {
    Tensor *weight = options->weight;
    CrossEntropy a = {.ignore_index = options->ignore_index, .divisor = 1,
                      .smoothing = options->label_smoothing > 0 ? options->label_smoothing : 0};
    if (!tg_check_nll(x, target, options, &a.reduction)) return NULL;
    for (int64_t c = 0; c < x->shape[x->ndim - 1]; c++) a.weights += weight_at(weight, c);
    tg_CrossEntropy job = cross_entropy_job(x, target, &a);
    Tensor *stats = tg_empty((int64_t[]){job.rows, 2}, 2, x->dtype);
    Tensor *each = stats ? tg_empty(&job.rows, x->ndim - 1, x->dtype) : NULL;
    job.x = each ? tg_dense(x) : NULL;
    job.weight = tg_dense(weight);
    if (!job.x || (weight && !job.weight)) return NULL;
    job.stats = tg_data(stats);
    job.loss = tg_data(each);
    tg_cross_entropy(&job);
    Tensor *y = a.reduction == NO_REDUCTION ? each : reduce_losses(each, &job, weight, &a);
    y = tg_record(a.smoothing > 0 ? &smoothed_op : &cross_entropy_op, y, INPUTS(x), SAVED(x, target, weight, stats),
                  ATTRIBUTES(a));
    tg_save_copy_on_write(y, 0); /* PyTorch saves the logarithms, not x */
    return y;
}
