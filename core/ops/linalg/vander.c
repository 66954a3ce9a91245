/* core/ops/linalg/vander.c: torch.vander, composed. */
#include "core/ops/pointwise/pointwise_internal.h"

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
    TG_COMPOSITE("vander");
    if (!tg_check_any(x, 1)) return NULL;
    if (x->ndim != 1) return tg_fail("x must be a one-dimensional tensor.");
    if (N == T_NONE) N = x->shape[0];
    if (N < 0) return tg_fail("N must be non-negative.");
    const int depth = t_scope_open();
    Tensor *from = depth ? x->dtype == t_bool ? t_long(x) : x : NULL;
    return tg_scope_return(depth, from ? powers(from, N, increasing) : NULL);
}
