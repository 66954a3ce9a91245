/* core/ops/combinations.c: torch.cartesian_prod, combinations, block_diag and vander, composed. */
#include "core/ops/pointwise_internal.h"

/* torch.cartesian_prod(*tensors): all tuples of one element of each vector, as rows, the last element changing
 * fastest; of one vector the vector itself. Errors: a tensor that is no vector. */
Tensor *t_cartesian_prod(const t_TensorList *tensors) {
    if (!tg_check_list(tensors, 1)) return NULL;
    if (tensors->len == 0) return tg_fail("meshgrid expects a non-empty TensorList");
    for (int64_t i = 0; i < tensors->len; i++)
        if (tensors->items[i]->ndim != 1)
            return tg_fail("Expect a 1D vector, but got shape %s", tg_shape_of(tensors->items[i]));
    if (tensors->len == 1) return tensors->items[0];
    const int depth = t_scope_open();
    t_TensorList *grids = depth ? t_meshgrid(tensors, "ij") : NULL, *columns = grids ? t_list_new(NULL, 0) : NULL;
    for (int64_t i = 0; columns && i < grids->len; i++)
        if (!t_list_append(columns, t_flatten(grids->items[i], 0, -1))) columns = NULL;
    return tg_scope_return(depth, columns ? t_stack(columns, 1) : NULL);
}

/* Sets index to the next increasing (or, with replacement, non-decreasing) tuple below n; false after the last. */
static bool next_combination(int64_t *index, int64_t r, int64_t n, bool with_replacement) {
    for (int64_t i = r - 1; i >= 0; i--) {
        if (index[i] >= n - (with_replacement ? 1 : r - i)) continue;
        index[i]++;
        for (int64_t k = i + 1; k < r; k++) index[k] = index[k - 1] + !with_replacement;
        return true;
    }
    return false;
}

static int64_t first_combination(int64_t *index, int64_t r, int64_t n, bool with_replacement) {
    for (int64_t i = 0; i < r; i++) index[i] = with_replacement ? 0 : i;
    return with_replacement ? n > 0 : n >= r;
}

/* The positions of all combinations: (count, r), int64. */
static Tensor *combination_indices(int64_t r, int64_t n, bool with_replacement) {
    const int64_t size = r;
    Tensor *index = tg_empty(&size, 1, t_int64);
    if (!index) return NULL;
    int64_t *at = tg_data(index), count = first_combination(at, r, n, with_replacement);
    while (count && next_combination(at, r, n, with_replacement)) count++;
    Tensor *all = tg_empty((int64_t[]){count, r}, 2, t_int64);
    if (!all) return NULL;
    int64_t *to = tg_data(all);
    bool more = first_combination(at, r, n, with_replacement);
    for (; more; more = next_combination(at, r, n, with_replacement))
        for (int64_t i = 0; i < r; i++) *to++ = at[i];
    return all;
}

/* torch.combinations(x, r=2, with_replacement=False): all subsets of r elements of a vector, as rows, in the order of
 * their positions; with replacement an element may come again. Errors: x is no vector, r < 0. */
Tensor *t_combinations(Tensor *x, int64_t r, bool with_replacement) {
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim != 1) return tg_fail("Expect a 1D vector, but got shape %s", tg_shape_of(x));
    if (r < 0) return tg_fail("Expect a non-negative number, but got %lld", (long long)r);
    const int64_t none = 0;
    if (r == 0) return tg_empty(&none, 1, x->dtype);
    const int depth = t_scope_open();
    Tensor *indices = depth ? combination_indices(r, x->shape[0], with_replacement) : NULL;
    Tensor *values = indices ? t_index_select(x, 0, t_flatten(indices, 0, -1)) : NULL;
    return tg_scope_return(depth, values ? t_view(values, indices->shape, 2) : NULL);
}

/* ---- block_diag ---- */

static Tensor *zeros(int64_t rows, int64_t columns, t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    return t_zeros((int64_t[]){rows, columns}, 2, &options);
}

/* The rows of a block, with zeros before and after it. */
static Tensor *block_rows(Tensor *block, int64_t before, int64_t columns, t_DType dtype) {
    const int64_t rows = block->shape[0], after = columns - before - block->shape[1];
    Tensor *const parts[] = {zeros(rows, before, dtype), block, zeros(rows, after, dtype)};
    return parts[0] && parts[2] ? t_cat(t_list_new(parts, 3), 1) : NULL;
}

/* torch.block_diag(*tensors): a matrix with these matrices (vectors: rows; scalars: 1 x 1) along its diagonal and zeros
 * elsewhere, in the dtype that they are promoted to; of no tensors (1, 0). Errors: a tensor of more than two dims. */
Tensor *t_block_diag(const t_TensorList *tensors) {
    if (!tg_check_list(tensors, 1)) return NULL;
    for (int64_t i = 0; i < tensors->len; i++)
        if (tensors->items[i]->ndim > 2)
            return tg_fail("torch.block_diag: Input tensors must have 2 or fewer dimensions. Input %lld has %d "
                           "dimensions", (long long)i, tensors->items[i]->ndim);
    if (tensors->len == 0) return zeros(1, 0, t_float32);
    const t_DType dtype = tg_result_type(tensors->items, (int)tensors->len);
    const int depth = t_scope_open();
    t_TensorList *rows = depth ? t_list_new(NULL, 0) : NULL;
    int64_t columns = 0, before = 0;
    for (int64_t i = 0; i < tensors->len; i++)
        columns += tensors->items[i]->ndim ? tensors->items[i]->shape[tensors->items[i]->ndim - 1] : 1;
    for (int64_t i = 0; rows && i < tensors->len; i++) {
        Tensor *block = t_atleast_2d(tensors->items[i]);
        if (!block || !t_list_append(rows, block_rows(block, before, columns, dtype))) rows = NULL;
        else before += block->shape[1];
    }
    return tg_scope_return(depth, rows ? t_cat(rows, 0) : NULL);
}

/* ---- vander ---- */

static Tensor *powers(Tensor *x, int64_t columns, bool increasing) {
    const int64_t n = x->shape[0], last = -1;
    t_TensorOptions options = {.size = sizeof options, .dtype = x->dtype};
    if (columns == 0) return t_zeros((int64_t[]){n, 0}, 2, &options);
    Tensor *ones = t_ones((int64_t[]){n, 1}, 2, &options);
    Tensor *repeated = t_expand(t_unsqueeze(x, -1), (int64_t[]){n, columns - 1}, 2);
    Tensor *const parts[] = {ones, repeated ? t_cumprod(repeated, -1, 0) : NULL};
    Tensor *y = parts[0] && parts[1] ? t_cat(t_list_new(parts, 2), 1) : NULL;
    return y && !increasing ? t_flip(y, &last, 1) : y;
}

/* torch.vander(x, N=None, increasing=False): the Vandermonde matrix of a vector: column j is x^(N - 1 - j), increasing:
 * x^j. N: T_NONE for the length of x. bools give int64. Errors: x is no vector, N < 0. */
Tensor *t_vander(Tensor *x, int64_t N, bool increasing) {
    if (!tg_check(x, 1)) return NULL;
    if (x->ndim != 1) return tg_fail("x must be a one-dimensional tensor.");
    if (N == T_NONE) N = x->shape[0];
    if (N < 0) return tg_fail("N must be non-negative.");
    const int depth = t_scope_open();
    Tensor *from = depth ? x->dtype == t_bool ? t_long(x) : x : NULL;
    return tg_scope_return(depth, from ? powers(from, N, increasing) : NULL);
}
