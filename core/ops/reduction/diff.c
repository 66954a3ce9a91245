/* core/ops/reduction/diff.c: torch.diff. */
#include "core/ops/reduction/along_dim_internal.h"

static bool check_ends(const Tensor *x, int d, const Tensor *end) {
    if (!end) return true;
    if (end->ndim != x->ndim) return tg_fail("diff expects prepend or append to be the same dimension as input");
    for (int i = 0; i < x->ndim; i++)
        if (i != d && end->shape[i] != x->shape[i])
            return tg_fail("diff expects the shape of tensor to prepend or append to match that of input except along "
                           "the differencing dimension; input.size(%d) = %lld, but got tensor.size(%d) = %lld",
                           i, (long long)x->shape[i], i, (long long)end->shape[i]);
    return true;
}

static Tensor *concatenate_ends(Tensor *x, int d, Tensor *prepend, Tensor *append) {
    t_TensorList *parts = t_list_new(NULL, 0);
    bool ok = parts && (!prepend || t_list_append(parts, prepend)) && t_list_append(parts, x) &&
              (!append || t_list_append(parts, append));
    return ok ? t_cat(parts, d) : NULL;
}

static Tensor *differences(Tensor *y, int d, int64_t times) {
    for (int64_t i = 0; y && i < times; i++) {
        int64_t last = y->shape[d] > 0 ? y->shape[d] - 1 : 0;
        Tensor *to = t_narrow(y, d, y->shape[d] - last, last), *from = t_narrow(y, d, 0, last);
        y = !to || !from ? NULL : y->dtype == t_bool ? t_ne(to, from) : t_sub(to, from);
    }
    return y;
}

/* torch.diff(x, n, dim, prepend, append): x_(i+1) - x_i along dim, n times; for bools x_(i+1) != x_i. prepend and
 * append (NULL: none) are concatenated with x first. Composed: it has the gradients of its ops. Errors: a 0-dim x,
 * dim out of range, n < 0, prepend or append of another shape. */
Tensor *t_diff(Tensor *x, int64_t n, int64_t dim, Tensor *prepend, Tensor *append) {
    TG_COMPOSITE("diff");
    int d;
    if (!tg_check_any(x, 1) || !tg_check_any_optional(prepend, 4) || !tg_check_any_optional(append, 5)) return NULL;
    if (x->ndim == 0) return tg_fail("diff expects input to be at least one-dimensional");
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    if (n < 0) return tg_fail("order must be non-negative but got %lld", (long long)n);
    if (!check_ends(x, d, prepend) || !check_ends(x, d, append)) return NULL;
    int depth = t_scope_open();
    Tensor *y = !depth ? NULL : prepend || append ? concatenate_ends(x, d, prepend, append) : x;
    int64_t times = y && n > y->shape[d] ? y->shape[d] : n;
    if (y && times > 0 && tg_numel(y) == 0) { /* no elements, but the dim may be very long */
        Tensor *rest = t_narrow(y, d, 0, y->shape[d] - times);
        y = rest ? t_clone(rest) : NULL;
    } else if (y && times == 0) {
        y = t_clone(x);
    } else {
        y = differences(y, d, times);
    }
    t_keep_object(y);
    t_scope_close(depth);
    return y;
}
