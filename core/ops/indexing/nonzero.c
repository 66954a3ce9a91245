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
    TG_COMPOSITE("nonzero");
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
    TG_COMPOSITE("nonzero_tuple");
    if (!tg_check_any(x, 1)) return NULL;
    int depth = t_scope_open();
    Tensor *rows = depth ? t_nonzero(x->ndim ? x : t_unsqueeze(x, 0)) : NULL;
    t_TensorList *list = rows ? t_unbind(rows, 1) : NULL;
    return tg_scope_return(depth, list);
}

/* torch.nonzero_static(x, size=size, fill_value=fill_value): the first `size` rows of torch.nonzero(x), with rows of
 * fill_value where there are fewer. Errors: a negative size. */
Tensor *t_nonzero_static(Tensor *x, int64_t size, int64_t fill_value) {
    TG_COMPOSITE("nonzero_static");
    if (!tg_check_any(x, 1)) return NULL;
    if (size < 0) return tg_fail("nonzero_static: 'size' must be an non-negative integer");
    int depth = t_scope_open();
    Tensor *rows = depth ? t_nonzero(x) : NULL, *y = rows ? tg_empty((int64_t[]){size, x->ndim}, 2, t_int64) : NULL;
    if (y) {
        const int64_t found = rows->shape[0] < size ? rows->shape[0] : size;
        int64_t *out = tg_data(y);
        const int64_t *in = tg_data(rows);
        for (int64_t i = 0; i < found * x->ndim; i++) out[i] = in[i];
        for (int64_t i = found * x->ndim; i < size * x->ndim; i++) out[i] = fill_value;
    }
    return tg_scope_return(depth, y);
}

/* torch.unravel_index(indices, shape): the index of each dim, a list of tensors of int64 in the shape of indices, from
 * linear indices into a tensor of that shape, in which larger ones begin again. Errors: indices that are no integers, a
 * negative size, a size of 0 for any indices. */
t_TensorList *t_unravel_index(Tensor *indices, const int64_t *shape, int ndim) {
    TG_COMPOSITE("unravel_index");
    if (!tg_check_any(indices, 1) || !tg_check_array(shape, ndim, 2, "sizes")) return NULL;
    if (!tg_is_integral(indices->dtype))
        return tg_fail("expected 'indices' to be integer dtype, but got torch.%s", tg_dtype_name(indices->dtype));
    for (int d = 0; d < ndim; d++)
        if (shape[d] < 0) return tg_fail("'shape' cannot have negative values, but got %s", tg_shape_text(shape, ndim));
    for (int d = 0; d < ndim; d++)
        if (shape[d] == 0 && tg_numel(indices))
            return tg_fail("'shape' cannot have zero dimensions when 'indices' is non-empty, but got %s",
                           tg_shape_text(shape, ndim));
    int depth = t_scope_open();
    Tensor *rest = depth ? t_to(indices, t_int64) : NULL;
    t_TensorList *list = rest ? t_list_new(NULL, 0) : NULL; /* from the last dim on; of any number of dims */
    for (int d = ndim - 1; list && d >= 0; d--) {
        Tensor *size = t_integer(shape[d] ? shape[d] : 1);
        if (!t_list_append(list, t_remainder(rest, size)) || !(rest = t_floor_divide(rest, size))) list = NULL;
    }
    for (int64_t d = 0; list && d < ndim / 2; d++) {
        Tensor *first = list->items[d];
        list->items[d] = list->items[ndim - 1 - d];
        list->items[ndim - 1 - d] = first;
    }
    return tg_scope_return(depth, list);
}

/* torch.argwhere(x): torch.nonzero(x). */
Tensor *t_argwhere(Tensor *x) {
    TG_COMPOSITE("argwhere");
    return t_nonzero(x);
}
