/* core/ops/softmax.c: softmax and its logarithm along one dim, and logsumexp. */
#include <math.h>
#include <tgmath.h>

#include "core/ops/reduce.h"

/* ---- rows ----
 * A row is the n elements along the dim; y, x (and dy) have a step each from one to the next. */

typedef struct Rows {
    int64_t n, steps[3];
    int inputs;
} Rows;

#define ROWS(name, T, body)                                                                      \
    static void name(int64_t count, char *const *p, const int64_t *s, const void *context) {     \
        const Rows *rows = context;                                                              \
        const int64_t n = rows->n, *steps = rows->steps;                                         \
        for (int64_t i = 0; i < count; i++) {                                                    \
            char *out = p[0] + i * s[0];                                                         \
            const char *a = p[1] + i * s[1], *b = rows->inputs > 1 ? p[2] + i * s[2] : NULL;                 \
            (void)b;                                                                             \
            body(T)                                                                              \
        }                                                                                        \
    }
#define OUT(T, j) (*(T *)(out + (j) * steps[0]))
#define A(T, j) (*(const T *)(a + (j) * steps[1]))
#define B(T, j) (*(const T *)(b + (j) * steps[2]))

/* y = exp(x - max) / sum(exp(x - max)) */
#define SOFTMAX(T)                                                                               \
    T largest = -INFINITY, sum = 0;                                                              \
    for (int64_t j = 0; j < n; j++) largest = A(T, j) > largest ? A(T, j) : largest;             \
    for (int64_t j = 0; j < n; j++) sum += OUT(T, j) = exp(A(T, j) - largest);                   \
    for (int64_t j = 0; j < n; j++) OUT(T, j) /= sum;
ROWS(softmax_float32, float, SOFTMAX)
ROWS(softmax_float64, double, SOFTMAX)

/* y = x - max - log(sum(exp(x - max))) */
#define LOG_SOFTMAX(T)                                                                           \
    T largest = -INFINITY, sum = 0;                                                              \
    for (int64_t j = 0; j < n; j++) largest = A(T, j) > largest ? A(T, j) : largest;             \
    for (int64_t j = 0; j < n; j++) sum += exp(A(T, j) - largest);                               \
    sum = log(sum);                                                                              \
    for (int64_t j = 0; j < n; j++) OUT(T, j) = A(T, j) - largest - sum;
ROWS(log_softmax_float32, float, LOG_SOFTMAX)
ROWS(log_softmax_float64, double, LOG_SOFTMAX)

/* dx = y (dy - sum(dy y)), a = dy, b = y */
#define SOFTMAX_BACKWARD(T)                                                                      \
    T dot = 0;                                                                                   \
    for (int64_t j = 0; j < n; j++) dot += A(T, j) * B(T, j);                                    \
    for (int64_t j = 0; j < n; j++) OUT(T, j) = B(T, j) * (A(T, j) - dot);
ROWS(softmax_backward_float32, float, SOFTMAX_BACKWARD)
ROWS(softmax_backward_float64, double, SOFTMAX_BACKWARD)

/* dx = dy - exp(y) sum(dy), a = dy, b = y */
#define LOG_SOFTMAX_BACKWARD(T)                                                                  \
    T sum = 0;                                                                                   \
    for (int64_t j = 0; j < n; j++) sum += A(T, j);                                              \
    for (int64_t j = 0; j < n; j++) OUT(T, j) = A(T, j) - exp(B(T, j)) * sum;
ROWS(log_softmax_backward_float32, float, LOG_SOFTMAX_BACKWARD)
ROWS(log_softmax_backward_float64, double, LOG_SOFTMAX_BACKWARD)

/* Runs a row loop over a fresh contiguous y of x[0]'s shape. */
static Tensor *along(int64_t dim, Tensor *const *x, int count, LoopTable loops) {
    Tensor *y = tg_empty(x[0]->shape, x[0]->ndim, x[0]->dtype), first[3], *in[2];
    if (!y || tg_numel(y) == 0) return y;
    const Tensor *all[3] = {y, x[0], count > 1 ? x[1] : NULL};
    Rows rows = {.n = y->ndim ? y->shape[dim] : 1, .inputs = count};
    for (int i = 0; i <= count; i++) {
        first[i] = *all[i]; /* on the stack: the first element of each row */
        if (y->ndim) first[i].shape[dim] = 1;
        rows.steps[i] = y->ndim ? all[i]->strides[dim] * (int64_t)tg_itemsize(y->dtype) : 0;
        if (i) in[i - 1] = &first[i];
    }
    tg_run(loops[y->dtype], &first[0], in, count, 0, &rows);
    return y;
}

static Tensor *recorded(Tensor *x, int64_t dim, LoopTable loops, const Op *op) {
    Tensor *y = along(dim, &x, 1, loops);
    return y ? tg_record(op, y, INPUTS(x), SAVED(y), ATTRIBUTES(dim)) : NULL;
}

/* x is taken to dtype first, if one is given. */
static Tensor *forward(const char *name, Tensor *x, int64_t dim, t_DType dtype, LoopTable loops, const Op *op) {
    int d;
    if (!tg_check(x, 1) || !tg_wrap_dim(dim, x->ndim, &d) || !tg_check_dtype(dtype)) return NULL;
    if (!dtype) dtype = x->dtype;
    if (!loops[dtype]) return tg_not_implemented(name, dtype);
    if (dtype == x->dtype) return recorded(x, d, loops, op);
    int depth = t_scope_open();
    Tensor *in = depth ? t_to(x, dtype) : NULL, *y = in ? t_keep_object(recorded(in, d, loops, op)) : NULL;
    t_scope_close(depth);
    return y;
}

/* ---- softmax ---- */

/* torch.softmax(x, dim, dtype): y_i = exp(x_i - max) / sum_j exp(x_j - max) along dim.
 * x: (..., n, ...), floating, or made so by dtype; the same shape. dx = y (dy - sum(dy y)). Errors: dim out of range, integer dtype. */
static void softmax_backward(Record *r, Tensor *dy, Tensor **dx) {
    static LoopTable loops = {[t_float32] = softmax_backward_float32, [t_float64] = softmax_backward_float64};
    int64_t dim = *(int64_t *)r->attributes;
    Tensor *y = tg_saved(r, 0);
    if (!y) return;
    dx[0] = t_is_grad_enabled() ? t_mul(y, t_sub(dy, t_sum(t_mul(dy, y), &dim, 1, true)))
                                : along(dim, (Tensor *[]){dy, y}, 2, loops);
}
static const Op softmax_op = {"softmax", "SoftmaxBackward0", softmax_backward};

Tensor *t_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    static LoopTable loops = {[t_float32] = softmax_float32, [t_float64] = softmax_float64};
    return forward("softmax_lastdim_kernel_impl", x, dim, dtype, loops, &softmax_op);
}

Tensor *t_softmax(Tensor *x, int64_t dim) {
    return t_softmax_as(x, dim, 0);
}

/* ---- log_softmax ---- */

/* torch.log_softmax(x, dim, dtype): y_i = x_i - max - log sum_j exp(x_j - max) along dim.
 * x: (..., n, ...), floating, or made so by dtype; the same shape. dx = dy - exp(y) sum(dy). Errors as softmax. */
static void log_softmax_backward(Record *r, Tensor *dy, Tensor **dx) {
    static LoopTable loops = {[t_float32] = log_softmax_backward_float32, [t_float64] = log_softmax_backward_float64};
    int64_t dim = *(int64_t *)r->attributes;
    Tensor *y = tg_saved(r, 0);
    if (!y) return;
    dx[0] = t_is_grad_enabled() ? t_sub(dy, t_mul(t_exp(y), t_sum(dy, &dim, 1, true)))
                                : along(dim, (Tensor *[]){dy, y}, 2, loops);
}
static const Op log_softmax_op = {"log_softmax", "LogSoftmaxBackward0", log_softmax_backward};

Tensor *t_log_softmax_as(Tensor *x, int64_t dim, t_DType dtype) {
    static LoopTable loops = {[t_float32] = log_softmax_float32, [t_float64] = log_softmax_float64};
    return forward("log_softmax_lastdim_kernel_impl", x, dim, dtype, loops, &log_softmax_op);
}

Tensor *t_log_softmax(Tensor *x, int64_t dim) {
    return t_log_softmax_as(x, dim, 0);
}

/* ---- logsumexp ---- */

/* torch.logsumexp(x, dims, keepdim): log(sum(exp(x))) over dims, with the largest taken out of the sum, so that it neither
 * overflows nor vanishes; -inf of no elements. Integers and bools are taken as float32. dx = dy exp(x - y).
 * Errors: a dim out of range or twice. */
static void logsumexp_backward(Record *r, Tensor *dy, Tensor **dx) {
    const Reduction *over = r->attributes;
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (!x || !y) return;
    Tensor *share = t_exp(t_sub(x, tg_with_kept_dims(y, &r->edges[0], over)));
    dx[0] = t_mul(tg_with_kept_dims(dy, &r->edges[0], over), share);
}
static const Op logsumexp_op = {"logsumexp", "LogsumexpBackward0", logsumexp_backward};

static Tensor *log_of_sum(Tensor *x, const Reduction *over) {
    int64_t dims[T_MAX_DIMS], shape[T_MAX_DIMS];
    int count = tg_reduced_dims(over, x->ndim, dims);
    if (over->count == 0) return t_log(t_sum(x, dims, count, over->keepdim));
    Tensor *largest = t_amax(x, dims, count, true);
    Tensor *offset = t_masked_fill(largest, t_isinf(largest), t_number(0));
    Tensor *sum = t_sum(t_exp(t_sub(x, offset)), dims, count, true), *y = t_add(t_log(sum), offset);
    return y ? t_reshape(y, shape, tg_reduced_shape(x, over, over->keepdim, shape)) : NULL;
}

Tensor *t_logsumexp(Tensor *x, const int64_t *dims, int count, bool keepdim) {
    Reduction over;
    if (!tg_check(x, 1) || !tg_reduction(x, dims, count, keepdim, &over)) return NULL;
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *in = !depth ? NULL : tg_is_floating(x->dtype) ? x : t_to(x, t_float32);
    Tensor *y = in ? tg_cut_from_base(log_of_sum(in, &over)) : NULL;
    t_set_grad_enabled(grad_enabled);
    y = t_keep_object(tg_record(&logsumexp_op, y, INPUTS(x), SAVED(x, y), ATTRIBUTES(over)));
    t_scope_close(depth);
    return y;
}
