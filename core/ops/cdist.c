/* core/ops/cdist.c: cdist: the distances of every row of one matrix to every row of another. */
#include <math.h>
#include <string.h>

#include "core/kernels/reduce/cdist.h"
#include "core/ops/pointwise_internal.h"

/* x expanded over the batch, contiguous. */
static Tensor *expand_batch(Tensor *x, const int64_t *batch, int batch_dims) {
    int64_t shape[T_MAX_DIMS];
    memcpy(shape, batch, (size_t)batch_dims * sizeof *shape);
    shape[batch_dims] = x->shape[x->ndim - 2];
    shape[batch_dims + 1] = x->shape[x->ndim - 1];
    return t_contiguous(t_expand(t_detach(x), shape, batch_dims + 2));
}

static tg_Cdist pairs_of(const Tensor *a, const Tensor *b, double p) {
    return (tg_Cdist){.batch = tg_shape_numel(a->shape, a->ndim - 2),
                      .P = a->shape[a->ndim - 2],
                      .R = b->shape[b->ndim - 2],
                      .M = a->shape[a->ndim - 1],
                      .f64 = a->dtype == t_float64,
                      .p = p,
                      .a = tg_data(a),
                      .b = tg_data(b)};
}

/* ---- distances ---- */

/* p = 1, 2 and infinity: the kernel that accumulates the differences of all pairs. */
static bool cdist_direct(Tensor *a, Tensor *b, double p, Tensor *y) {
    Tensor *transposed = t_contiguous(t_transpose(b, -2, -1));
    tg_Cdist pairs = pairs_of(a, b, p);
    if (!transposed) return false;
    pairs.b = tg_data(transposed);
    pairs.y = tg_data(y);
    tg_cdist(&pairs);
    return true;
}

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

/* Any p: by the differences, for some rows of a at a time. */
static bool cdist_by_norm(Tensor *a, Tensor *b, double p, Tensor *y) {
    enum { MAX_ELEMENTS = 65536 };
    const tg_Cdist pairs = pairs_of(a, b, p);
    const int64_t last = -1, max_rows = MAX_ELEMENTS / (pairs.R * pairs.M) + 1;
    Tensor *as = t_reshape(a, (int64_t[]){pairs.batch, pairs.P, 1, pairs.M}, 4);
    Tensor *bs = t_reshape(b, (int64_t[]){pairs.batch, 1, pairs.R, pairs.M}, 4);
    Tensor *ys = t_view(y, (int64_t[]){pairs.batch, pairs.P, pairs.R}, 3);
    bool ok = as && bs && ys;
    for (int64_t member = 0; ok && member < pairs.batch; member++)
        for (int64_t i = 0, n; ok && i < pairs.P; i += n) {
            n = pairs.P - i < max_rows ? pairs.P - i : max_rows;
            int depth = t_scope_open();
            Tensor *some = t_narrow(t_select(as, 0, member), 0, i, n), *to = t_narrow(t_select(ys, 0, member), 0, i, n);
            ok = depth && t_copy_(to, t_norm(t_sub(some, t_select(bs, 0, member)), p, &last, 1, false, 0));
            t_scope_close(depth);
        }
    return ok;
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
    if (a->shape[batch_dims + 1] == 0) tg_fill_into(y, 0);
    else if (!(p == 1 || p == 2 || isinf(p) ? cdist_direct : cdist_by_norm)(a, b, p, y)) return NULL;
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

static void fused_backward(Tensor *a, Tensor *b, Tensor *y, double p, Tensor *dy, Tensor **dx) {
    if (!(a = expand_batch(a, y->shape, y->ndim - 2)) || !(b = expand_batch(b, y->shape, y->ndim - 2))) return;
    Tensor *w = t_contiguous(weights(dy, y, p)), *da = w ? tg_empty(a->shape, a->ndim, a->dtype) : NULL;
    Tensor *db = da ? tg_empty(b->shape, b->ndim, b->dtype) : NULL;
    if (!db) return;
    tg_Cdist pairs = pairs_of(a, b, p);
    pairs.w = tg_data(w);
    pairs.distance = tg_data(y);
    pairs.da = tg_data(dx[0] = da);
    pairs.db = tg_data(dx[1] = db);
    tg_cdist_backward(&pairs);
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

/* torch.cdist(a, b, p): (..., P, M) (..., R, M) -> (..., P, R), y[i, j] = the p-norm of a[i] - b[j]; batch dims
 * broadcast; any p from 0 (the number of different elements) to infinity. Floating, one dtype. Gradient as above: 0
 * where two rows are equal. For p > 0 it can be differentiated again; PyTorch's cannot. Errors: vectors, different
 * column counts, p < 0, integers. */
Tensor *t_cdist(Tensor *x1, Tensor *x2, double p) {
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
