/* core/ops/linalg/linalg.c: outer, inner, tensordot, kron and cross, composed of mul, mm and views. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"
#include "core/tensor/size_arithmetic.h"

/* ---- outer ---- */

/* torch.outer(a, b), torch.ger(a, b): y[i, j] = a[i] b[j] of two vectors; has the gradient of mul. */
Tensor *t_outer(Tensor *x, Tensor *vec2) {
    TG_COMPOSITE("outer");
    if (!tg_check_any_two(x, vec2)) return NULL;
    if (x->ndim != 1) return tg_fail("outer: Expected 1-D argument self, but got %d-D", x->ndim);
    if (vec2->ndim != 1) return tg_fail("outer: Expected 1-D argument vec2, but got %d-D", vec2->ndim);
    int depth = t_scope_open();
    Tensor *column = depth ? t_unsqueeze(x, 1) : NULL, *y = column ? t_mul(column, vec2) : NULL;
    return tg_scope_return(depth, y);
}

Tensor *t_ger(Tensor *x, Tensor *vec2) {
    TG_COMPOSITE("ger");
    return t_outer(x, vec2);
}

/* ---- tensordot ---- */

typedef struct Contraction {
    int count, a[T_MAX_DIMS], b[T_MAX_DIMS];
    const int64_t *given_a, *given_b; /* for the error */
} Contraction;

static bool is_listed(int d, const int *dims, int count) {
    for (int i = 0; i < count; i++)
        if (dims[i] == d) return true;
    return false;
}

/* x as a matrix of its free dims, which are appended to `shape`, by the contracted dims; `transposed`: the
 * contracted ones first. */
static Tensor *as_matrix(Tensor *x, const int *dims, int count, bool transposed, int64_t *shape, int *ndim) {
    int64_t order[T_MAX_DIMS], sizes[2] = {1, 1};
    int at = transposed ? count : 0;
    for (int d = 0; d < x->ndim; d++) {
        if (is_listed(d, dims, count)) continue;
        order[at++] = d;
        shape[(*ndim)++] = x->shape[d];
        sizes[transposed] = tg_size_mul(sizes[transposed], x->shape[d]);
    }
    for (int i = 0; i < count; i++) {
        order[transposed ? i : at + i] = dims[i];
        sizes[!transposed] = tg_size_mul(sizes[!transposed], x->shape[dims[i]]);
    }
    Tensor *y = t_permute(x, order, x->ndim);
    return y ? t_reshape(y, sizes, 2) : NULL;
}

static Tensor *sum_over(Tensor *x, const int64_t *dims, int count) {
    return count ? t_sum_as(x, dims, count, true, x->dtype == t_bool ? 0 : x->dtype) : x;
}

/* A contracted size of 1 matches any: then the other operand is summed over that dim. */
static Tensor *contract(Tensor *a, Tensor *b, const Contraction *c) {
    int64_t sum_a[T_MAX_DIMS], sum_b[T_MAX_DIMS], shape[2 * T_MAX_DIMS];
    int count_a = 0, count_b = 0, ndim = 0;
    for (int i = 0; i < c->count; i++) {
        int64_t one = a->shape[c->a[i]], two = b->shape[c->b[i]];
        if (one == two) continue;
        if (two == 1) sum_a[count_a++] = c->a[i];
        else if (one == 1) sum_b[count_b++] = c->b[i];
        else
            return tg_fail("contracted dimensions need to match, but first has size %lld in dim %lld and second has "
                           "size %lld in dim %lld",
                           (long long)one, (long long)c->given_a[i], (long long)two, (long long)c->given_b[i]);
    }
    if (a->ndim + b->ndim - 2 * c->count > T_MAX_DIMS)
        return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, a->ndim + b->ndim - 2 * c->count);
    if (!(a = sum_over(a, sum_a, count_a)) || !(b = sum_over(b, sum_b, count_b))) return NULL;
    Tensor *left = as_matrix(a, c->a, c->count, false, shape, &ndim);
    Tensor *right = left ? as_matrix(b, c->b, c->count, true, shape, &ndim) : NULL,
           *y = right ? t_mm(left, right) : NULL;
    return y ? t_reshape(y, shape, ndim) : NULL;
}

/* torch.tensordot(a, b, dims): y = the sum of a b over dims_a[i] of a and dims_b[i] of b; the remaining dims of a
 * and then those of b form the result. Has the gradient of mm. Errors: sizes that differ (1 matches any), a dim
 * twice, dtypes. */
Tensor *t_tensordot(Tensor *a, Tensor *b, const int64_t *dims_a, int count_a, const int64_t *dims_b, int count_b) {
    TG_COMPOSITE("tensordot");
    Contraction c = {.count = count_a, .given_a = dims_a, .given_b = dims_b};
    if (!tg_check_any_two(a, b)) return NULL;
    if (count_a != count_b || count_a > T_MAX_DIMS) return tg_fail("both dimension lists should have same length");
    if (a->dtype != b->dtype) return tg_fail("both inputs should have same dtype");
    if (!tg_wrap_dims(dims_a, count_a, a->ndim, c.a) || !tg_wrap_dims(dims_b, count_b, b->ndim, c.b)) return NULL;
    int depth = t_scope_open();
    Tensor *y = depth ? contract(a, b, &c) : NULL;
    return tg_scope_return(depth, y);
}

/* torch.tensordot(a, b, dims) with an integer dims: the last dims of a with the first of b. */
Tensor *t_tensordot_of_(Tensor *a, Tensor *b, int64_t dims) {
    TG_COMPOSITE("tensordot");
    int64_t of_a[T_MAX_DIMS], of_b[T_MAX_DIMS];
    if (!tg_check_any_two(a, b)) return NULL;
    if (dims < 0) return tg_fail("tensordot expects dims >= 0, but got dims=%lld", (long long)dims);
    if (dims > a->ndim || dims > b->ndim)
        return tg_fail("tensordot expects dims < ndim_a or ndim_b, but got dims=%lld", (long long)dims);
    for (int i = 0; i < dims; i++) {
        of_a[i] = i - dims;
        of_b[i] = i;
    }
    return t_tensordot(a, b, of_a, (int)dims, of_b, (int)dims);
}

/* torch.inner(a, b): the sum of products over the last dim of both; with a 0-dim tensor the product. */
Tensor *t_inner(Tensor *x, Tensor *other) {
    TG_COMPOSITE("inner");
    static const int64_t last = -1;
    if (!tg_check_any_two(x, other)) return NULL;
    if (x->ndim == 0 || other->ndim == 0) return t_mul(x, other);
    if (x->shape[x->ndim - 1] != other->shape[other->ndim - 1])
        return tg_fail("inner() the last dimension must match on both input tensors but got shapes %s and %s",
                       tg_shape_of(x), tg_shape_of(other));
    return t_tensordot(x, other, &last, 1, &last, 1);
}

/* ---- kron ---- */

/* x as a view of rank 2 * rank, where each dim of x is at 2 d + position and the other positions have size 1. */
static Tensor *interleave_dims(Tensor *x, int rank, int position) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < 2 * rank; d++) {
        const int own = d / 2 - (rank - x->ndim);
        shape[d] = own >= 0 && d % 2 == position ? x->shape[own] : 1;
    }
    return t_reshape(x, shape, 2 * rank);
}

/* Merges the last two dims of x (expanded to of_a, of_b) into one, so that rows are long enough for vector code. */
static Tensor *merge_last_dims(Tensor *x, int rank, int64_t of_a, int64_t of_b) {
    int64_t shape[T_MAX_DIMS];
    if (!x) return NULL;
    memcpy(shape, x->shape, sizeof shape);
    shape[2 * rank - 2] = of_a;
    shape[2 * rank - 1] = of_b;
    x = t_expand(x, shape, 2 * rank);
    shape[2 * rank - 2] = tg_size_mul(of_a, of_b);
    return x ? t_reshape(x, shape, 2 * rank - 1) : NULL;
}

static Tensor *kron_interleaved(Tensor *a, Tensor *b, int rank) {
    enum { SHORT = 16, MANY = 8 };
    Tensor *a_dims = interleave_dims(a, rank, 0), *b_dims = interleave_dims(b, rank, 1);
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; a_dims && b_dims && d < rank; d++)
        shape[d] = tg_size_mul(a_dims->shape[2 * d], b_dims->shape[2 * d + 1]);
    const int64_t of_a = rank && a_dims ? a_dims->shape[2 * rank - 2] : 0,
                  of_b = rank && b_dims ? b_dims->shape[2 * rank - 1] : 0;
    if (of_a > 1 && of_b > 0 && of_b < SHORT && tg_numel(a) / MANY >= of_a && tg_numel(b) / MANY >= of_b) {
        a_dims = merge_last_dims(a_dims, rank, of_a, of_b);
        b_dims = merge_last_dims(b_dims, rank, of_a, of_b);
    }
    Tensor *y = t_mul(a_dims, b_dims);
    return y ? t_reshape(y, shape, rank) : NULL;
}

/* For any rank: repeat_interleave of a along every dim times repeat of b. */
static Tensor *kron_repeated(Tensor *a, Tensor *b, int rank) {
    int64_t of_a[T_MAX_DIMS], repeats[T_MAX_DIMS];
    for (int d = 0; d < rank; d++) repeats[d] = of_a[d] = d < rank - a->ndim ? 1 : a->shape[d - (rank - a->ndim)];
    Tensor *a_dims = a->ndim < rank ? t_reshape(a, of_a, rank) : a;
    for (int d = rank - b->ndim; a_dims && d < rank; d++) {
        Tensor *times = t_integer(b->shape[d - (rank - b->ndim)]);
        if (!times) return NULL;
        if (tg_read_int64(times) != 1) a_dims = t_repeat_interleave(a_dims, times, d);
    }
    Tensor *b_dims = a_dims ? t_repeat(b, repeats, rank) : NULL;
    return b_dims ? t_mul(a_dims, b_dims) : NULL;
}

/* torch.kron(a, b): the Kronecker product: sizes multiply, missing leading dims count as 1. */
Tensor *t_kron(Tensor *x, Tensor *other) {
    TG_COMPOSITE("kron");
    if (!tg_check_any_two(x, other)) return NULL;
    int depth = t_scope_open();
    int rank = x->ndim > other->ndim ? x->ndim : other->ndim;
    Tensor *y = depth ? (2 * rank > T_MAX_DIMS ? kron_repeated : kron_interleaved)(x, other, rank) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- cross ---- */

static void cross_backward(Record *r, Tensor *dy, Tensor **dx) {
    int64_t dim = *(int64_t *)r->attributes;
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    if (!a || !b) return;
    if (tg_needs(r, 0)) dx[0] = t_cross(b, dy, dim);
    if (tg_needs(r, 1)) dx[1] = t_cross(dy, a, dim);
}
static const Op cross_op = {"cross", "LinalgCrossBackward0", cross_backward};

/* a x b = (a rolled by -1) (b rolled by -2) - (a rolled by -2) (b rolled by -1). */
static Tensor *crossed(Tensor *a, Tensor *b, int64_t dim) {
    static const int64_t one = -1, two = -2;
    Tensor *plus = t_mul(t_roll(a, &one, 1, &dim, 1), t_roll(b, &two, 1, &dim, 1));
    Tensor *minus = plus ? t_mul(t_roll(a, &two, 1, &dim, 1), t_roll(b, &one, 1, &dim, 1)) : NULL;
    return minus ? t_sub(plus, minus) : NULL;
}

/* torch.cross(a, b, dim): the cross product of the 3 elements along dim; the other dims broadcast. dim T_NONE: the
 * first of size 3. da = b x dy, db = dy x a. Errors: a size other than 3, ranks or dtypes that differ, bool. */
Tensor *t_cross(Tensor *x, Tensor *other, int64_t dim) {
    TG_COMPOSITE("cross");
    int d;
    if (!tg_check_any_two(x, other)) return NULL;
    if (x->ndim != other->ndim) return tg_fail("linalg.cross: inputs must have the same number of dimensions.");
    for (int i = 0; dim == T_NONE && i < x->ndim; i++)
        if (x->shape[i] == 3) dim = i;
    if (dim == T_NONE) return tg_fail("no dimension of size 3 in input");
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (x->shape[d] != 3 || other->shape[d] != 3)
        return tg_fail("linalg.cross: inputs dimension %lld must have length 3. Got %lld and %lld", (long long)dim,
                       (long long)x->shape[d], (long long)other->shape[d]);
    int64_t axis = d, shape[T_MAX_DIMS];
    Tensor *both[] = {x, other};
    if (!tg_broadcast_shape(both, 2, shape, &d)) return NULL;
    if (x->dtype != other->dtype)
        return tg_fail("expected scalar type %s but found %s", tg_scalar_name(x->dtype), tg_scalar_name(other->dtype));
    if (x->dtype == t_bool) return tg_not_implemented("cross", t_bool);
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = t_keep_object(crossed(x, other, axis));
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return tg_record(&cross_op, y, INPUTS(x, other), SAVED(x, other), ATTRIBUTES(axis));
}
