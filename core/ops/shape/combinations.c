/* core/ops/shape/combinations.c: torch.cartesian_prod and combinations, composed. */
#include "core/ops/pointwise/pointwise_internal.h"

/* torch.cartesian_prod(*tensors): all tuples of one element of each vector, as rows, the last element changing
 * fastest; of one vector the vector itself. Errors: a tensor that is no vector. */
Tensor *t_cartesian_prod(const t_TensorList *tensors) {
    TG_COMPOSITE("cartesian_prod");
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

static bool first_combination(int64_t *index, int64_t r, int64_t n, bool with_replacement) {
    for (int64_t i = 0; i < r; i++) index[i] = with_replacement ? 0 : i;
    return with_replacement ? n > 0 : n >= r;
}

/* The number of combinations, (n choose r), with replacement (n + r - 1 choose r); INT64_MAX if it is larger. */
static int64_t count_combinations(int64_t r, int64_t n, bool with_replacement) {
    int64_t of, count = 1;
    if (with_replacement ? n == 0 : n < r) return 0;
    if (__builtin_add_overflow(n, with_replacement ? r - 1 : 0, &of)) return INT64_MAX;
    const int64_t taken = r < of - r ? r : of - r;
    for (int64_t i = 1; i <= taken; i++) { /* the product of i factors of (of choose i) is divisible by i */
        if (__builtin_mul_overflow(count, of - taken + i, &count)) return INT64_MAX;
        count /= i;
    }
    return count;
}

/* The positions of all combinations: (count, r), int64. */
static Tensor *combination_indices(int64_t r, int64_t n, bool with_replacement) {
    Tensor *all = tg_empty((int64_t[]){count_combinations(r, n, with_replacement), r}, 2, t_int64);
    Tensor *index = all ? tg_empty(&r, 1, t_int64) : NULL;
    if (!index) return NULL;
    int64_t *at = tg_data(index), *to = tg_data(all);
    bool more = first_combination(at, r, n, with_replacement);
    for (; more; more = next_combination(at, r, n, with_replacement))
        for (int64_t i = 0; i < r; i++) *to++ = at[i];
    return all;
}

/* torch.combinations(x, r=2, with_replacement=False): all subsets of r elements of a vector, as rows, in the order of
 * their positions; with replacement an element may come again. Errors: x is no vector, r < 0. */
Tensor *t_combinations(Tensor *x, int64_t r, bool with_replacement) {
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim != 1) return tg_fail("Expect a 1D vector, but got shape %s", tg_shape_of(x));
    if (r < 0) return tg_fail("Expect a non-negative number, but got %lld", (long long)r);
    const int64_t none = 0;
    if (r == 0) return tg_empty(&none, 1, x->dtype);
    const int depth = t_scope_open();
    Tensor *indices = depth ? combination_indices(r, x->shape[0], with_replacement) : NULL;
    Tensor *values = indices ? t_index_select(x, 0, t_flatten(indices, 0, -1)) : NULL;
    return tg_scope_return(depth, values ? t_view(values, indices->shape, 2) : NULL);
}
