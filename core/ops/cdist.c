/* core/ops/cdist.c: the distance of every row of one matrix to every row of another. */
#include <math.h>
#include <string.h>

#include "core/ops/pointwise.h"

/* ---- distances in the p-norm ---- */

static double distance(const double *difference, int64_t n, double p) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double d = fabs(difference[i]);
        if (isinf(p)) sum = d > sum || isnan(d) ? d : sum;
        else sum += p == 0 ? d != 0 : p == 1 ? d : p == 2 ? d * d : pow(d, p);
    }
    return p == 2 ? sqrt(sum) : p == 0 || p == 1 || isinf(p) ? sum : pow(sum, 1 / p);
}

/* One member of the batch: a and b are contiguous, their offsets in elements. */
static void one_member(Tensor *y, int64_t y_at, const Tensor *a, int64_t a_at, const Tensor *b, int64_t b_at, double p, double *room) {
    int64_t P = a->shape[a->ndim - 2], R = b->shape[b->ndim - 2], M = a->shape[a->ndim - 1];
    for (int64_t i = 0; i < P; i++)
        for (int64_t j = 0; j < R; j++) {
            for (int64_t k = 0; k < M; k++) {
                double d = tg_real_at(a, a_at + i * M + k) - tg_real_at(b, b_at + j * M + k);
                room[k] = y->dtype == t_float32 ? (double)(float)d : d;
            }
            double value = distance(room, M, p);
            if (y->dtype == t_float64) ((double *)tg_data(y))[y_at + i * R + j] = value;
            else ((float *)tg_data(y))[y_at + i * R + j] = (float)value;
        }
}

/* x stretched over the batch, contiguous. */
static Tensor *over_batch(Tensor *x, const int64_t *batch, int batch_dims) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, batch, (size_t)batch_dims * sizeof *shape);
    shape[batch_dims] = x->shape[x->ndim - 2];
    shape[batch_dims + 1] = x->shape[x->ndim - 1];
    return t_contiguous(t_expand(t_detach(x), shape, batch_dims + 2));
}

static Tensor *distances(Tensor *a, Tensor *b, double p, const int64_t *batch, int batch_dims) {
    int64_t shape[T_MAX_DIMS], members = tg_count(batch, batch_dims), M = a->shape[a->ndim - 1];
    if (!(a = over_batch(a, batch, batch_dims)) || !(b = over_batch(b, batch, batch_dims))) return NULL;
    int64_t P = a->shape[batch_dims], R = b->shape[batch_dims];
    memcpy(shape, batch, (size_t)batch_dims * sizeof *shape);
    shape[batch_dims] = P;
    shape[batch_dims + 1] = R;
    Tensor *y = tg_empty(shape, batch_dims + 2, a->dtype);
    size_t bytes = (size_t)(M ? M : 1) * sizeof(double);
    double *room = y ? tg_alloc_raw(bytes) : NULL;
    for (int64_t i = 0; room && i < members; i++) one_member(y, i * P * R, a, i * P * M, b, i * R * M, p, room);
    tg_free(room, bytes);
    return room ? y : NULL;
}

/* ---- gradient ----
 * For one pair with the difference d and the distance y: dy sign(d) |d|^(p-1) / y^(p-1), and 0 where y is 0; p = inf: dy sign(d)
 * where |d| is y; p = 0: 0. Written in ops over all pairs at once: (..., P, R, M) elements. */

/* What dy is multiplied with at each pair and element; 0 / 0 is kept away from both values and gradients. */
static Tensor *slope(Tensor *d, Tensor *y, double p) {
    Tensor *zero = t_number(0), *one = t_number(1), *sign = t_sign(d);
    if (p == 1) return sign;
    if (isinf(p)) return t_mul(sign, t_to(t_eq(t_abs(d), y), d->dtype));
    Tensor *is_zero = t_eq(y, zero), *safe = t_where(is_zero, one, y);
    if (p == 2) return t_where(is_zero, zero, t_div(d, safe));
    Tensor *flat = t_eq(d, zero), *size = t_abs(t_where(flat, one, d));
    Tensor *part = t_mul(sign, t_div(t_pow(size, t_number(p - 1)), t_pow(safe, t_number(p - 1))));
    return t_where(t_bitwise_or(flat, is_zero), zero, part);
}

/* (..., n, k) over y's batch as (batch, n, k): with 8 dims there is no room for one more. */
static Tensor *with_one_batch_dim(Tensor *x, const Tensor *y) {
    const int64_t *own = x ? x->shape + x->ndim - 2 : NULL;
    int64_t shape[T_MAX_DIMS];
    if (!x) return NULL;
    memcpy(shape, y->shape, sizeof shape);
    memcpy(shape + y->ndim - 2, own, 2 * sizeof *own);
    return t_reshape(t_expand(x, shape, y->ndim), (int64_t[]){-1, own[0], own[1]}, 3);
}

/* And back. */
static Tensor *with_batch_of(Tensor *dx, const Tensor *y) {
    int64_t shape[T_MAX_DIMS];
    if (!dx) return NULL;
    memcpy(shape, y->shape, sizeof shape);
    memcpy(shape + y->ndim - 2, dx->shape + 1, 2 * sizeof *shape);
    return t_reshape(dx, shape, y->ndim);
}

static void cdist_backward(Record *r, Tensor *dy, Tensor **dx) {
    double p = *(double *)r->attributes;
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *y = tg_saved(r, 2);
    static const int64_t rows = -3, columns = -2;
    if (!a || !b || !y) return;
    if (p == 0 || tg_numel(y) == 0 || a->shape[a->ndim - 1] == 0) {
        for (int i = 0; i < 2; i++) dx[i] = tg_zeros_like_input(r, i);
        return;
    }
    const Tensor *full = y->ndim == T_MAX_DIMS ? y : NULL;
    if (full) {
        a = with_one_batch_dim(a, full);
        b = with_one_batch_dim(b, full);
        dy = with_one_batch_dim(dy, full);
        y = with_one_batch_dim(y, full);
    }
    Tensor *d = t_sub(t_unsqueeze(a, -2), t_unsqueeze(b, -3)), *s = d ? slope(d, t_unsqueeze(y, -1), p) : NULL;
    Tensor *each = s ? t_mul(t_unsqueeze(dy, -1), s) : NULL;
    if (!each) return;
    if (tg_needs(r, 0)) dx[0] = t_sum(each, &columns, 1, false);
    if (tg_needs(r, 1)) dx[1] = t_neg(t_sum(each, &rows, 1, false));
    for (int i = 0; full && i < 2; i++) dx[i] = with_batch_of(dx[i], full);
}
static const Op cdist_op = {"cdist", "CdistBackward0", cdist_backward};

/* torch.cdist(a, b, p): (..., P, M) (..., R, M) -> (..., P, R), y[i, j] = the p-norm of a[i] - b[j]; batch dims broadcast; p any
 * number from 0 (how many elements differ) to infinity. Floating, one dtype. Gradient as above: 0 where two rows are equal;
 * PyTorch's has none of its own, ours does for p > 0. Errors: vectors, other columns, p < 0, integers. */
Tensor *t_cdist(Tensor *a, Tensor *b, double p) {
    int64_t batch[T_MAX_DIMS];
    int batch_dims;
    if (!tg_check(a, 1) || !tg_check(b, 2)) return NULL;
    for (int i = 0; i < 2; i++)
        if (!tg_is_floating((i ? b : a)->dtype))
            return tg_fail("cdist only supports floating-point dtypes, X%d got: %s", i + 1, tg_scalar_name((i ? b : a)->dtype));
    for (int i = 0; i < 2; i++)
        if ((i ? b : a)->ndim < 2)
            return tg_fail("cdist only supports at least 2D tensors, X%d got: %dD", i + 1, (i ? b : a)->ndim);
    if (a->shape[a->ndim - 1] != b->shape[b->ndim - 1])
        return tg_fail("X1 and X2 must have the same number of columns. X1: %lld X2: %lld", (long long)a->shape[a->ndim - 1],
                       (long long)b->shape[b->ndim - 1]);
    if (!(p >= 0)) return tg_fail("cdist only supports non-negative p values");
    Tensor batch_a = *a, batch_b = *b, *batches[] = {&batch_a, &batch_b};
    batch_a.ndim -= 2;
    batch_b.ndim -= 2;
    if (!tg_broadcast_shape(batches, 2, batch, &batch_dims)) return NULL;
    if (a->dtype != b->dtype)
        return tg_fail("expected scalar type %s but found %s", tg_scalar_name(a->dtype), tg_scalar_name(b->dtype));
    int depth = t_scope_open();
    Tensor *y = depth ? t_keep_object(distances(a, b, p, batch, batch_dims)) : NULL;
    t_scope_close(depth);
    return tg_record(&cdist_op, y, INPUTS(a, b), SAVED(a, b, y), ATTRIBUTES(p));
}
