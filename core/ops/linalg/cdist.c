/* core/ops/linalg/cdist.c: torch.cdist: the distances of every row of one matrix to every row of another. */
#include <math.h>
#include <string.h>

#include "core/kernels/parallel.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* a: (batch, P, M), b: (batch, R, M), y: (batch, P, R); contiguous. */
typedef struct Pairs {
    int64_t batch, P, R, M;
    double p;
    const void *a, *b;
    void *y; /* forward: the distances */
    /* backward: the weight of each pair, dy / y^(p - 1), its distance, and the gradients of a and b */
    const void *weight, *distance;
    void *da, *db;
} Pairs;

static Pairs pairs_of(const Tensor *a, const Tensor *b, double p) {
    return (Pairs){.batch = tg_shape_numel(a->shape, a->ndim - 2),
                   .P = a->shape[a->ndim - 2],
                   .R = b->shape[b->ndim - 2],
                   .M = a->shape[a->ndim - 1],
                   .p = p,
                   .a = tg_data(a),
                   .b = tg_data(b)};
}

/* The loops over pairs are divided among threads in tasks of about this many differences. */
enum { GRAIN = 16384 };

/* x expanded over the batch, contiguous. */
static Tensor *expand_batch(Tensor *x, const int64_t *batch, int batch_dims) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, batch, (size_t)batch_dims * sizeof *shape);
    shape[batch_dims] = x->shape[x->ndim - 2];
    shape[batch_dims + 1] = x->shape[x->ndim - 1];
    return t_contiguous(t_expand(t_detach(x), shape, batch_dims + 2));
}

/* ---- distances ---- */

/* The p-norm of the differences of two rows, accumulated in double; rows(): of rows from .. to - 1 of a. */
#define DISTANCES(T)                                                                                        \
    static double distance_##T(const T *a, const T *b, int64_t M, double p) {                               \
        double sum = 0;                                                                                     \
        for (int64_t k = 0; k < M; k++) {                                                                   \
            const double d = fabs((double)(T)(a[k] - b[k]));                                                \
            if (p == 0) sum += d != 0;                                                                      \
            else if (p == 1) sum += d;                                                                      \
            else if (p == 2) sum += d * d;                                                                  \
            else if (isinf(p)) sum = d > sum || d != d ? d : sum;                                           \
            else sum += pow(d, p);                                                                          \
        }                                                                                                   \
        return p == 0 || p == 1 || isinf(p) ? sum : p == 2 ? sqrt(sum) : pow(sum, 1 / p);                   \
    }                                                                                                       \
    static void distances_##T(int64_t from, int64_t to, void *context) {                                    \
        const Pairs *z = context;                                                                           \
        for (int64_t i = from; i < to; i++)                                                                 \
            for (int64_t j = 0; j < z->R; j++)                                                              \
                ((T *)z->y)[i * z->R + j] = (T)distance_##T((const T *)z->a + i * z->M,                     \
                                                            (const T *)z->b + (i / z->P * z->R + j) * z->M, \
                                                            z->M, z->p);                                    \
    }
DISTANCES(float)
DISTANCES(double)

/* |a - b|^2 = |a|^2 + |b|^2 - 2 a . b, as in PyTorch for more than 25 rows: a matrix product is faster. (Not for up
 * to 3 columns, where differences are cheap, and exact for close points.) */
static bool use_matmul(const Tensor *a, const Tensor *b, double p) {
    enum { MAX_ROWS = 25, MAX_COLUMNS = 3 };
    return p == 2 && a->shape[a->ndim - 1] > MAX_COLUMNS &&
           (a->shape[a->ndim - 2] > MAX_ROWS || b->shape[b->ndim - 2] > MAX_ROWS);
}

static Tensor *cdist_matmul(Tensor *a, Tensor *b) {
    const int64_t last = -1;
    Tensor *of_a = t_sum(t_square(a), &last, 1, true), *of_b = t_transpose(t_sum(t_square(b), &last, 1, true), -2, -1);
    Tensor *y = t_matmul(a, t_transpose(b, -2, -1));
    y = y ? t_add_(t_add_(t_mul_(y, t_number(-2)), of_a), of_b) : NULL;
    return y ? t_sqrt_(t_clamp_(y, t_number(0), NULL)) : NULL;
}

static Tensor *distances(Tensor *a, Tensor *b, double p, const int64_t *batch, int batch_dims) {
    int64_t shape[T_MAX_DIMS];
    if (!(a = expand_batch(a, batch, batch_dims)) || !(b = expand_batch(b, batch, batch_dims))) return NULL;
    if (use_matmul(a, b, p)) return cdist_matmul(a, b);
    memcpy(shape, batch, (size_t)batch_dims * sizeof *shape);
    shape[batch_dims] = a->shape[batch_dims];
    shape[batch_dims + 1] = b->shape[batch_dims];
    Tensor *y = tg_empty(shape, batch_dims + 2, a->dtype);
    if (!y || tg_numel(y) == 0) return y;
    Pairs pairs = pairs_of(a, b, p);
    pairs.y = tg_data(y);
    tg_parallel(pairs.batch * pairs.P, GRAIN / (pairs.R * pairs.M + 1) + 1,
                a->dtype == t_float64 ? distances_double : distances_float, &pairs);
    return y;
}

/* ---- gradient ----
 * For a pair with the difference d and the distance y: dy sign(d) |d|^(p-1) / y^(p-1), and 0 where y is 0; p = inf:
 * dy sign(d) where |d| is y; p = 0: 0. For create_graph it is composed of ops over all pairs at once: (..., P, R, M)
 * elements. */

/* The factor of dy at each pair and element; 0 / 0 is masked out of both values and gradients. */
static Tensor *gradient_factor(Tensor *d, Tensor *y, double p) {
    Tensor *zero = t_number(0), *one = t_number(1), *sign = t_sign(d);
    if (p == 1) return sign;
    if (isinf(p)) return t_mul(sign, t_to(t_eq(t_abs(d), y), d->dtype));
    Tensor *is_zero = t_eq(y, zero), *safe = t_where(is_zero, one, y);
    if (p == 2) return t_where(is_zero, zero, t_div(d, safe));
    Tensor *d_is_zero = t_eq(d, zero), *size = t_abs(t_where(d_is_zero, one, d));
    Tensor *part = t_mul(sign, t_div(t_pow(size, t_number(p - 1)), t_pow(safe, t_number(p - 1))));
    return t_where(t_bitwise_or(d_is_zero, is_zero), zero, part);
}

/* (..., n, k) expanded to the batch of y, as (batch, n, k): a rank of 8 leaves no dim to add. */
static Tensor *flatten_batch(Tensor *x, const Tensor *y) {
    const int64_t *own = x ? x->shape + x->ndim - 2 : NULL;
    int64_t shape[T_MAX_DIMS];
    if (!x) return NULL;
    memcpy(shape, y->shape, sizeof shape);
    memcpy(shape + y->ndim - 2, own, 2 * sizeof *own);
    return t_reshape(t_expand(x, shape, y->ndim), (int64_t[]){-1, own[0], own[1]}, 3);
}

/* The inverse of flatten_batch. */
static Tensor *unflatten_batch(Tensor *dx, const Tensor *y) {
    int64_t shape[T_MAX_DIMS];
    if (!dx) return NULL;
    memcpy(shape, y->shape, sizeof shape);
    memcpy(shape + y->ndim - 2, dx->shape + 1, 2 * sizeof *shape);
    return t_reshape(dx, shape, y->ndim);
}

static void composed_backward(Record *r, Tensor *a, Tensor *b, Tensor *y, double p, Tensor *dy, Tensor **dx) {
    static const int64_t rows = -3, columns = -2;
    const Tensor *full = y->ndim == T_MAX_DIMS ? y : NULL;
    if (full) {
        a = flatten_batch(a, full);
        b = flatten_batch(b, full);
        dy = flatten_batch(dy, full);
        y = flatten_batch(y, full);
    }
    Tensor *d = t_sub(t_unsqueeze(a, -2), t_unsqueeze(b, -3)),
           *s = d ? gradient_factor(d, t_unsqueeze(y, -1), p) : NULL;
    Tensor *each = s ? t_mul(t_unsqueeze(dy, -1), s) : NULL;
    if (!each) return;
    if (tg_needs(r, 0)) dx[0] = t_sum(each, &columns, 1, false);
    if (tg_needs(r, 1)) dx[1] = t_neg(t_sum(each, &rows, 1, false));
    for (int i = 0; full && i < 2; i++) dx[i] = unflatten_batch(dx[i], full);
}

/* dy divided by the factor y^(p - 1) that all differences of a pair share; 0 where y is 0. */
static Tensor *weights(Tensor *dy, Tensor *y, double p) {
    if (p == 1 || isinf(p)) return dy;
    return t_masked_fill(t_div(dy, p == 2 ? y : t_pow(y, t_number(p - 1))), t_eq(y, t_number(0)), t_number(0));
}

/* p = 2 by matrix products, with w = dy / y: da_i = a_i sum_j w_ij - sum_j w_ij b_j, and db likewise. */
static void product_backward(Record *r, Tensor *a, Tensor *b, Tensor *y, Tensor *dy, Tensor **dx) {
    static const int64_t columns = -1;
    Tensor *w = weights(dy, y, 2);
    if (!w) return;
    if (tg_needs(r, 0)) dx[0] = t_sub(t_mul(a, t_sum(w, &columns, 1, true)), t_matmul(w, b));
    w = tg_needs(r, 1) ? t_transpose(w, -2, -1) : NULL;
    if (w) dx[1] = t_sub(t_mul(b, t_sum(w, &columns, 1, true)), t_matmul(w, a));
}

/* da_i = the sum over j of w_ij s(a_i - b_j), db_j = - the sum over i of it, where s(d) = sign(d) |d|^(p - 1), for p =
 * inf sign(d) where |d| is the distance; for the batch members from .. to - 1. */
#define GRADIENTS(T)                                                                             \
    static T factor_##T(T d, T distance, double p) {                                             \
        if (p == 2 || d == 0) return d;                                                          \
        const T sign = d < 0 ? -1 : 1;                                                           \
        if (p == 1) return sign;                                                                 \
        if (isinf(p)) return d * sign == distance ? sign : 0;                                    \
        return sign * (T)pow((double)(d * sign), p - 1);                                         \
    }                                                                                            \
    static void gradients_##T(int64_t from, int64_t to, void *context) {                         \
        const Pairs *z = context;                                                                \
        const int64_t P = z->P, R = z->R, M = z->M;                                              \
        for (int64_t pair = from * P * R; pair < to * P * R; pair++) {                           \
            const int64_t i = pair / R, j = pair / (P * R) * R + pair % R; /* rows of a and b */ \
            const T w = ((const T *)z->weight)[pair], y = ((const T *)z->distance)[pair];        \
            const T *a = (const T *)z->a + i * M, *b = (const T *)z->b + j * M;                  \
            T *da = (T *)z->da + i * M, *db = (T *)z->db + j * M;                                \
            for (int64_t k = 0; k < M; k++) {                                                    \
                const T each = w * factor_##T(a[k] - b[k], y, z->p);                             \
                da[k] += each;                                                                   \
                db[k] -= each;                                                                   \
            }                                                                                    \
        }                                                                                        \
    }
GRADIENTS(float)
GRADIENTS(double)

static void fused_backward(Tensor *a, Tensor *b, Tensor *y, double p, Tensor *dy, Tensor **dx) {
    if (!(a = expand_batch(a, y->shape, y->ndim - 2)) || !(b = expand_batch(b, y->shape, y->ndim - 2))) return;
    Tensor *w = t_contiguous(weights(dy, y, p)), *da = w ? t_zeros_like(a) : NULL, *db = da ? t_zeros_like(b) : NULL;
    if (!db) return;
    Pairs pairs = pairs_of(a, b, p);
    pairs.weight = tg_data(w);
    pairs.distance = tg_data(y);
    pairs.da = tg_data(dx[0] = da);
    pairs.db = tg_data(dx[1] = db);
    tg_parallel(pairs.batch, GRAIN / (pairs.P * pairs.R * pairs.M + 1) + 1,
                a->dtype == t_float64 ? gradients_double : gradients_float, &pairs);
}

static void cdist_backward(Record *r, Tensor *dy, Tensor **dx) {
    double p = *(double *)r->attributes;
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *y = tg_saved(r, 2);
    if (!a || !b || !y) return;
    if (p == 0 || tg_numel(y) == 0 || a->shape[a->ndim - 1] == 0)
        for (int i = 0; i < 2; i++) dx[i] = tg_zeros_like_input(r, i);
    else if (use_matmul(a, b, p)) product_backward(r, a, b, y, dy, dx);
    else if (t_is_grad_enabled()) composed_backward(r, a, b, y, p, dy, dx);
    else fused_backward(a, b, y, p, dy, dx);
}
static const Op cdist_op = {"cdist", "CdistBackward0", cdist_backward};

/* torch.cdist(x1, x2, p): (..., P, M) (..., R, M) -> (..., P, R), y[i, j] = the p-norm of x1[i] - x2[j]; batch dims
 * broadcast; any p from 0 (the number of different elements) to infinity. Floating, one dtype. Gradient as above: 0
 * where two rows are equal. For p > 0 it can be differentiated again; PyTorch's cannot. Errors: vectors, different
 * column counts, p < 0, integers. */
Tensor *t_cdist(Tensor *x1, Tensor *x2, double p) {
    TG_AUTOCAST_FLOAT32(x1);
    TG_AUTOCAST_FLOAT32(x2);
    int64_t batch[T_MAX_DIMS];
    int batch_dims;
    if (!tg_check_two(x1, x2)) return NULL;
    for (int i = 0; i < 2; i++)
        if (!tg_is_floating((i ? x2 : x1)->dtype))
            return tg_fail("cdist only supports floating-point dtypes, X%d got: %s", i + 1,
                           tg_scalar_name((i ? x2 : x1)->dtype));
    for (int i = 0; i < 2; i++)
        if ((i ? x2 : x1)->ndim < 2)
            return tg_fail("cdist only supports at least 2D tensors, X%d got: %dD", i + 1, (i ? x2 : x1)->ndim);
    if (x1->shape[x1->ndim - 1] != x2->shape[x2->ndim - 1])
        return tg_fail("X1 and X2 must have the same number of columns. X1: %lld X2: %lld",
                       (long long)x1->shape[x1->ndim - 1], (long long)x2->shape[x2->ndim - 1]);
    if (!(p >= 0)) return tg_fail("cdist only supports non-negative p values");
    Tensor batch_a = *x1, batch_b = *x2, *batches[] = {&batch_a, &batch_b};
    batch_a.ndim -= 2;
    batch_b.ndim -= 2;
    if (!tg_broadcast_shape(batches, 2, batch, &batch_dims)) return NULL;
    if (x1->dtype != x2->dtype)
        return tg_fail("expected scalar type %s but found %s", tg_scalar_name(x1->dtype), tg_scalar_name(x2->dtype));
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = depth ? t_keep_object(distances(x1, x2, p, batch, batch_dims)) : NULL;
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return tg_record(&cdist_op, y, INPUTS(x1, x2), SAVED(x1, x2, y), ATTRIBUTES(p));
}
