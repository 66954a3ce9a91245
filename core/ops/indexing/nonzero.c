/* core/ops/indexing/nonzero.c: nonzero and argwhere. */
#include "core/ops/indexing/advanced_indexing_internal.h"

Tensor *tg_flat_nonzero(Tensor *x) {
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *truth = depth ? t_contiguous(t_to(x, t_bool)) : NULL, *y = NULL;
    Tensor *number = truth ? t_sum(truth, NULL, 0, false) : NULL;
    t_set_grad_enabled(grad_enabled);
    if (number) {
        const bool *at = tg_data(truth);
        int64_t count = tg_read_int64(number), found = 0;
        y = tg_empty(&count, 1, t_int64);
        for (int64_t i = 0, *out = y ? tg_data(y) : NULL; y && found < count; i++) {
            out[found] = i;
            found += at[i];
        }
    }
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* Linear indices to one row of indices each. */
static void unravel_index(const Tensor *x, const int64_t *linear, int64_t n, int64_t *row) {
    for (int64_t i = 0; i < n; i++, row += x->ndim)
        for (int64_t d = x->ndim - 1, rest = linear[i]; d >= 0; rest /= x->shape[d--]) row[d] = rest % x->shape[d];
}

/* torch.nonzero(x): (n, x.ndim) of int64, the indices of the n nonzero elements, in logical order. No gradient. */
Tensor *t_nonzero(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *linear = depth ? tg_flat_nonzero(x) : NULL;
    Tensor *y = linear ? tg_empty((int64_t[]){linear->shape[0], x->ndim}, 2, t_int64) : NULL;
    if (y) unravel_index(x, tg_data(linear), linear->shape[0], tg_data(y));
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}

/* torch.nonzero(x, as_tuple=True), torch.where(x): the same as a list of vectors, one for each dim (one for a 0-dim
 * x), which index x. */
t_TensorList *t_nonzero_tuple(Tensor *x) {
    if (!tg_check_any(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *rows = depth ? t_nonzero(x->ndim ? x : t_unsqueeze(x, 0)) : NULL;
    t_TensorList *list = rows ? t_unbind(rows, 1) : NULL;
    return tg_scope_return(depth, list);
}

/* torch.argwhere(x): torch.nonzero(x). */
Tensor *t_argwhere(Tensor *x) {
    return t_nonzero(x);
}
