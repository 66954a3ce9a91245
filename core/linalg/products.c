/* core/linalg/products.c: cross, vecdot, multi_dot, chain_matmul, matrix_power, vander and diagonal: products composed
 * of ops. */
#include "core/linalg/linalg_internal.h"

/* torch.linalg.cross(a, b, dim=-1): torch.cross with a dim. */
Tensor *linalg_cross(Tensor *input, Tensor *other, int64_t dim) {
    TG_COMPOSITE("linalg_cross");
    return t_cross(input, other, dim);
}

/* torch.linalg.vecdot(x, y, dim=-1): the sum of x y along dim; the other dims broadcast. Floating, one dtype. */
Tensor *linalg_vecdot(Tensor *x, Tensor *y, int64_t dim) {
    TG_COMPOSITE("linalg_vecdot");
    TG_AUTOCAST(x);
    TG_AUTOCAST(y);
    static const char f[] = "linalg.vecdot";
    if (tg_is_narrow_tensor(x) && tg_is_narrow_tensor(y) && x->dtype == y->dtype) {
        Tensor *dot;
        TG_WITHOUT_AUTOCAST(dot, linalg_vecdot(tg_widened(x), tg_widened(y), dim));
        return tg_narrowed(dot, x->dtype);
    }
    if (!tg_check_two(x, y) || !tg_check_is_floating(x, f)) return NULL;
    if (x->dtype != y->dtype)
        return tg_fail("%s: Expected x and y to have the same dtype, but found x of type %s and y of type %s instead",
                       f, tg_scalar_name(x->dtype), tg_scalar_name(y->dtype));
    int depth = t_scope_open();
    Tensor *products = depth ? t_mul(x, y) : NULL, *sum = products ? t_sum(products, &dim, 1, false) : NULL;
    return tg_scope_return(depth, sum);
}

/* torch.linalg.diagonal(A, offset=0, dim1=-2, dim2=-1): torch.diagonal of the last two dims, a view. */
Tensor *linalg_diagonal(Tensor *A, int64_t offset, int64_t dim1, int64_t dim2) {
    return t_diagonal(A, offset, dim1, dim2);
}

/* ---- multi_dot ---- */

/* The order of n products that takes the fewest multiplications, by dynamic programming (T. Cormen et al.,
 * "Introduction to Algorithms", section 15.2): matrices i .. j are best split after matrix split[i * n + j]. */
static void best_order(const int64_t *sizes, int64_t n, double *cost, int64_t *split) {
    for (int64_t i = 0; i < n; i++) cost[i * n + i] = 0;
    for (int64_t length = 2; length <= n; length++)
        for (int64_t i = 0; i + length <= n; i++) {
            const int64_t j = i + length - 1;
            cost[i * n + j] = -1;
            for (int64_t k = i; k < j; k++) {
                const double product = (double)sizes[i] * (double)sizes[k + 1] * (double)sizes[j + 1];
                const double total = cost[i * n + k] + cost[(k + 1) * n + j] + product;
                if (k > i && total >= cost[i * n + j]) continue;
                cost[i * n + j] = total;
                split[i * n + j] = k;
            }
        }
}

static Tensor *product_of(Tensor *const *x, int64_t i, int64_t j, int64_t n, const int64_t *split) {
    if (i == j) return x[i];
    const int64_t k = split[i * n + j];
    Tensor *left = product_of(x, i, k, n, split), *right = left ? product_of(x, k + 1, j, n, split) : NULL;
    return right ? t_mm(left, right) : NULL;
}

/* The product of n >= 2 matrices. */
static Tensor *ordered_product(Tensor *const *x, int64_t n) {
    Tensor *sizes = tg_workspace(n + 1, t_int64), *split = sizes ? tg_workspace(n * n, t_int64) : NULL,
           *cost = split ? tg_workspace(n * n, t_float64) : NULL;
    if (!cost) return NULL;
    int64_t *size = tg_data(sizes);
    for (int64_t i = 0; i < n; i++) size[i] = x[i]->shape[0];
    size[n] = x[n - 1]->shape[1];
    best_order(size, n, tg_data(cost), tg_data(split));
    return product_of(x, 0, n - 1, n, tg_data(split));
}

static bool check_chain(const t_TensorList *x) {
    for (int64_t i = 1; i < x->len; i++) {
        const Tensor *a = x->items[i - 1], *b = x->items[i];
        if (a->shape[a->ndim - 1] != b->shape[0])
            return tg_fail("multi_dot(): tensors %lld and %lld with shapes %s and %s cannot be multiplied",
                           (long long)i - 1, (long long)i, tg_shape_of(a), tg_shape_of(b));
    }
    return true;
}

static bool check_multi_dot(const t_TensorList *x) {
    const int64_t last = x->len - 1;
    if (last < 1) return tg_fail("multi_dot(): expected at least 2 tensors but got %lld", (long long)x->len);
    for (int64_t i = 0; i <= last; i++) {
        const int ndim = x->items[i]->ndim;
        if ((i == 0 || i == last) && ndim != 1 && ndim != 2)
            return tg_fail("multi_dot(): the %s tensor must be 1D or 2D but got %dD", i ? "last" : "first", ndim);
        if (i > 0 && i < last && ndim != 2)
            return tg_fail("multi_dot(): tensor %lld must be 2D but got %dD", (long long)i, ndim);
        if (x->items[i]->dtype != x->items[0]->dtype)
            return tg_fail("multi_dot(): all tensors must have be the same dtype but tensor 0 is %s and tensor %lld %s",
                           tg_c_type_name(x->items[0]->dtype), (long long)i, tg_c_type_name(x->items[i]->dtype));
    }
    return check_chain(x);
}

/* The product of the matrices, of which the first and the last may be vectors. */
static Tensor *multi_dot(const t_TensorList *tensors) {
    const int64_t last = tensors->len - 1;
    Tensor *first = tensors->items[0], *final = tensors->items[last];
    t_TensorList *matrices = tg_list_of_nulls(tensors->len);
    int64_t shape[2];
    int ndim = 0;
    if (!matrices) return NULL;
    if (first->ndim == 2) shape[ndim++] = first->shape[0];
    if (final->ndim == 2) shape[ndim++] = final->shape[1];
    for (int64_t i = 0; i <= last; i++) {
        Tensor *x = tensors->items[i], *matrix = x->ndim == 1 ? t_unsqueeze(x, i ? 1 : 0) : x;
        if (!(matrices->items[i] = t_retain(matrix))) return NULL;
    }
    Tensor *y = ordered_product(matrices->items, tensors->len);
    return y ? t_view(y, shape, ndim) : NULL;
}

/* torch.linalg.multi_dot(tensors): the product of two or more matrices, in the order that takes the fewest
 * multiplications. The first and the last may be vectors, a row and a column. Has the gradients of mm. Errors: ranks,
 * sizes, dtypes. */
Tensor *linalg_multi_dot(const t_TensorList *tensors) {
    TG_COMPOSITE("linalg_multi_dot");
    if (!tg_check_list(tensors, 1) || !check_multi_dot(tensors)) return NULL;
    int depth = t_scope_open();
    Tensor *y = depth ? multi_dot(tensors) : NULL;
    return tg_scope_return(depth, y);
}

/* torch.chain_matmul(*matrices): multi_dot of matrices; of one its copy. */
Tensor *t_chain_matmul(const t_TensorList *matrices) {
    TG_COMPOSITE("chain_matmul");
    if (!tg_check_list(matrices, 1)) return NULL;
    if (matrices->len == 0) return tg_fail("chain_matmul(): Expected one or more matrices");
    for (int64_t i = 0; i < matrices->len; i++)
        if (matrices->items[i]->ndim != 2)
            return tg_fail("Tensor dimension is %d, expected 2 instead.", matrices->items[i]->ndim);
    return matrices->len == 1 ? t_clone(matrices->items[0]) : linalg_multi_dot(matrices);
}

/* ---- matrix_power ---- */

static Tensor *identity_like(Tensor *x) {
    Tensor *one = tg_eye_like(x, tg_rows(x), T_NONE), *y = one ? t_clone(x) : NULL;
    return y ? t_copy_(y, one) : NULL;
}

/* By repeated squaring: the bits of n from the lowest on. */
static Tensor *matrix_power(Tensor *x, uint64_t n) {
    Tensor *y = NULL;
    if (n == 0) return identity_like(x);
    for (; x && n; n /= 2) {
        if (n % 2 && !(y = y ? t_matmul(y, x) : x)) return NULL;
        if (n > 1) x = t_matmul(x, x);
    }
    return x ? y : NULL;
}

/* torch.linalg.matrix_power(A, n), torch.matrix_power: the n-th power of square matrices (..., n, n); n = 0: the
 * identity; n < 0: of the inverse. Has the gradients of the products and of inv. Errors: not square; singular for n <
 * 0. */
Tensor *linalg_matrix_power(Tensor *A, int64_t n) {
    TG_COMPOSITE("linalg_matrix_power");
    if (!tg_check_any(A, 1) || !tg_check_square(A, "linalg.matrix_power")) return NULL;
    if (n == 1) return t_clone(A);
    if (n == -1) return linalg_inv(A);
    int depth = t_scope_open();
    Tensor *x = depth ? n < 0 ? linalg_inv(A) : A : NULL;
    Tensor *y = x ? matrix_power(x, n < 0 ? -(uint64_t)n : (uint64_t)n) : NULL;
    return tg_scope_return(depth, y);
}

/* ---- vander ---- */

static Tensor *powers_of(Tensor *x, int64_t N) {
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < x->ndim; d++) shape[d] = x->shape[d];
    shape[x->ndim] = N - 1;
    Tensor *column = t_unsqueeze(x, -1), *repeated = column ? t_expand(column, shape, x->ndim + 1) : NULL;
    Tensor *powers = repeated ? t_cumprod(repeated, -1, 0) : NULL, *ones = powers ? t_ones_like(column) : NULL;
    t_TensorList *both = ones ? t_list_new((Tensor *[]){ones, powers}, 2) : NULL;
    return both ? t_cat(both, -1) : NULL;
}

/* torch.linalg.vander(x, N=None): the powers 0 .. N - 1 of each element of x (..., n), as (..., n, N); N T_NONE: n. A
 * 0-dim x counts as one with one element. Floating (not half precision) or integers, which give int64. Has the gradient
 * of cumprod. Errors: N below 2, another dtype. */
Tensor *linalg_vander(Tensor *x, int64_t N) {
    TG_COMPOSITE("linalg_vander");
    if (!tg_check_any(x, 1)) return NULL;
    if (x->dtype == t_bool || tg_is_half(x->dtype))
        return tg_fail("linalg.vander supports floating point, complex, and integer tensors, but got %s",
                       tg_scalar_name(x->dtype));
    if (!(x = tg_widened_optional(x))) return NULL;
    if (N == T_NONE) N = x->ndim ? x->shape[x->ndim - 1] : 1;
    if (N <= 1) return tg_fail("N must be greater than 1.");
    if (x->ndim == T_MAX_DIMS) return tg_fail("a tensor has at most %d dims, not %d", T_MAX_DIMS, T_MAX_DIMS + 1);
    int depth = t_scope_open();
    Tensor *row = depth && x->ndim == 0 ? t_unsqueeze(x, 0) : x;
    Tensor *y = depth && row ? powers_of(row, N) : NULL;
    return tg_scope_return(depth, y);
}
