/* core/distributions/transforms/cholesky.c: to Cholesky factors and to positive definite matrices. */
#include "core/distributions/transforms/transform_internal.h"
#include "core/linalg/linalg.h"

/* ---- LowerCholeskyTransform: the diagonal to its exponential, 0 above it; not bijective ---- */

static Tensor *diagonal(Tensor *x) {
    return t_diagonal(x, 0, -2, -1);
}

static Tensor *lower_cholesky_call(Transform *t, Tensor *x) {
    (void)t;
    return t_add(t_tril(x, -1), t_diag_embed(t_exp(diagonal(x)), 0, -2, -1));
}
static Tensor *lower_cholesky_inverse(Transform *t, Tensor *y) {
    (void)t;
    return t_add(t_tril(y, -1), t_diag_embed(t_log(diagonal(y)), 0, -2, -1));
}
static const TransformKind lower_cholesky_kind = {
    "LowerCholeskyTransform", REAL_MATRIX, LOWER_CHOLESKY, 0, lower_cholesky_call, lower_cholesky_inverse, NULL};

Transform *distributions_LowerCholeskyTransform_new(void) {
    return tg_transform_new(&lower_cholesky_kind, NULL, NULL);
}

/* ---- PositiveDefiniteTransform: L L^T of such a factor L ---- */

static Tensor *positive_definite_call(Transform *t, Tensor *x) {
    Tensor *factor = lower_cholesky_call(t, x);
    return t_matmul(factor, t_mT(factor));
}
static Tensor *positive_definite_inverse(Transform *t, Tensor *y) {
    Tensor *factor = linalg_cholesky(y, false);
    return factor ? lower_cholesky_inverse(t, factor) : NULL;
}
static const TransformKind positive_definite_kind = {
    "PositiveDefiniteTransform", REAL_MATRIX, POSITIVE_DEFINITE, 0, positive_definite_call, positive_definite_inverse,
    NULL};

Transform *distributions_PositiveDefiniteTransform_new(void) {
    return tg_transform_new(&positive_definite_kind, NULL, NULL);
}

/* ---- CorrCholeskyTransform: D (D - 1) / 2 values to the factor of a correlation matrix: row by row, with r = tanh(x)
 * below the diagonal, y_ij = r_ij sqrt((1 - r_i1^2) ... (1 - r_i,j-1^2)), and on it the root of what is left of 1
 * (Stan's reference manual, "Cholesky factors of correlation matrices"). ---- */

/* D for D (D - 1) / 2 values; -1 with an error set */
static int64_t size_of_factor(int64_t values) {
    const int64_t size = llround(sqrt(0.25 + 2.0 * (double)values) + 0.5);
    if (size * (size - 1) / 2 == values) return size;
    tg_fail("Input is not a flattened lower-diagonal number");
    return -1;
}

/* Where the elements below the given diagonal are in a matrix that is stored row by row. */
static Tensor *places_below(int64_t size, int64_t last_diagonal) {
    Tensor *ones = t_ones((int64_t[]){size, size}, 2, NULL), *lower = t_tril(ones, last_diagonal);
    return t_squeeze(t_nonzero(t_reshape(lower, (int64_t[]){-1}, 1)), 1);
}

/* (..., n) to (..., size, size), 0 on the diagonal and above it */
Tensor *tg_vector_to_lower(Tensor *x, int64_t size) {
    if (!x) return NULL;
    t_Tuple flat = tg_shape_tuple(x, 0, x->ndim), full = flat;
    flat.items[flat.len - 1] = full.items[full.len - 1] = size * size;
    if (!tg_concat(&full, &(t_Tuple){{0}, 1}, &full)) return NULL;
    full.items[full.len - 2] = full.items[full.len - 1] = size;
    Tensor *matrix = t_index_add(tg_full_tensor(&flat, 0, x->dtype), -1, places_below(size, -1), x, 1);
    return t_reshape(matrix, full.items, full.len);
}

static Tensor *lower_to_vector(Tensor *y, int64_t last_diagonal) {
    if (!y) return NULL;
    t_Tuple flat = tg_shape_tuple(y, 0, y->ndim - 1);
    const int64_t size = y->shape[y->ndim - 1];
    flat.items[flat.len - 1] = size * size;
    return t_index_select(t_reshape(y, flat.items, flat.len), -1, places_below(size, last_diagonal));
}

/* 1, and all of x but its last element along the last dim */
static Tensor *shifted(Tensor *x) {
    if (!x) return NULL;
    t_Tuple shape = tg_shape_tuple(x, 0, x->ndim);
    const int64_t size = shape.items[shape.len - 1];
    shape.items[shape.len - 1] = 1;
    Tensor *one = tg_full_tensor(&shape, 1, x->dtype), *first = t_narrow(x, -1, 0, size - 1);
    t_TensorList *both = one && first ? t_list_new((Tensor *[]){one, first}, 2) : NULL;
    return both ? t_cat(both, -1) : NULL;
}

static Tensor *corr_cholesky_call(Transform *t, Tensor *x) {
    (void)t;
    const int64_t size = size_of_factor(x->shape[x->ndim - 1]);
    const double eps = tg_eps(x->dtype);
    Tensor *r = size < 0 ? NULL : t_clamp(t_tanh(x), N(-1 + eps), N(1 - eps));
    r = tg_vector_to_lower(r, size);
    Tensor *left = t_cumprod(t_sqrt(t_sub(t_integer(1), t_pow(r, t_integer(2)))), -1, 0);
    t_TensorOptions options = {sizeof options, .dtype = x->dtype};
    return t_mul(t_add(r, t_eye(size < 0 ? 0 : size, T_NONE, &options)), shifted(left));
}

static bool is_square(const Tensor *y) {
    return (y->shape[y->ndim - 1] == y->shape[y->ndim - 2] && y->shape[y->ndim - 1] > 0) ||
           tg_fail("Input is not square");
}

/* 1 - the sum of the squares of a row, up to each element */
static Tensor *left_of_row(Tensor *y) {
    return t_sub(t_integer(1), t_cumsum(t_mul(y, y), -1, 0));
}

static Tensor *corr_cholesky_inverse(Transform *t, Tensor *y) {
    (void)t;
    if (!is_square(y)) return NULL;
    Tensor *r = t_div(lower_to_vector(y, -1), t_sqrt(lower_to_vector(shifted(left_of_row(y)), -1)));
    return t_div(t_sub(t_log1p(r), t_log1p(t_neg(r))), t_integer(2));
}

/* of the values below the diagonal of y */
static Tensor *corr_cholesky_jacobian(Transform *t, Tensor *x, Tensor *y) {
    (void)t;
    if (!is_square(y)) return NULL;
    Tensor *of_rows = t_mul(N(0.5), tg_sum_rightmost(t_log(lower_to_vector(left_of_row(y), -2)), 1));
    Tensor *of_tanh = t_sub(t_add(x, tg_softplus(t_mul(N(-2), x))), N(log(2)));
    return t_add(of_rows, t_mul(N(-2), tg_sum_rightmost(of_tanh, 1)));
}

static bool corr_cholesky_shape(const Transform *t, const t_Tuple *shape, bool forward, t_Tuple *to) {
    const int64_t last = shape->items[shape->len - 1];
    (void)t;
    *to = *shape;
    if (forward) {
        const int64_t size = size_of_factor(last);
        if (size < 0 || !tg_concat(shape, &(t_Tuple){{size}, 1}, to)) return false;
        to->items[to->len - 2] = size;
        return true;
    }
    if (shape->items[shape->len - 2] != last) return tg_fail("Input is not square");
    to->len--;
    to->items[to->len - 1] = last * (last - 1) / 2;
    return true;
}

static const TransformKind corr_cholesky_kind = {
    "CorrCholeskyTransform", REAL_VECTOR, CORR_CHOLESKY, 0, corr_cholesky_call, corr_cholesky_inverse,
    corr_cholesky_jacobian, .only_itself = true, .shape = corr_cholesky_shape};

/* CorrCholeskyTransform(): (..., D (D - 1) / 2) to (..., D, D). Error: no such number of values. */
Transform *distributions_CorrCholeskyTransform_new(void) {
    return tg_transform_new(&corr_cholesky_kind, NULL, NULL);
}
