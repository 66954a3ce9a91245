/* core/ops/reduction/prod.c: torch.prod. */
#include "core/ops/reduction/along_dim_internal.h"
#include "core/ops/reduction/reduce_internal.h"

/* The products of the elements before each: 1, x_0, x_0 x_1, ... along dim. */
static Tensor *products_before(Tensor *x, int64_t dim) {
    const int64_t n = tg_row_size(x, (int)dim);
    if (n < 2) return t_ones_like(x);
    Tensor *first = t_ones_like(t_narrow(x, dim, 0, 1)), *products = t_cumprod(t_narrow(x, dim, 0, n - 1), dim, 0);
    t_TensorList *both = first && products ? t_list_new((Tensor *[]){first, products}, 2) : NULL;
    return both ? t_cat(both, dim) : NULL;
}

/* dx_k = dy times the product of the other elements. Without zeros that is y / x_k; else, and to be differentiated
 * again, the product of the elements before k times that of the elements after k. The attribute is the dim, T_NONE: all
 * elements were multiplied. */
static void prod_backward(Record *r, Tensor *dy, Tensor **dx) {
    const bool of_all = *(const int64_t *)r->attributes == T_NONE;
    const int64_t dim = of_all ? 0 : *(const int64_t *)r->attributes;
    Tensor *x = tg_saved(r, 0), *rows = x && of_all ? t_reshape(x, (int64_t[]){-1}, 1) : x;
    if (!rows) return;
    if (tg_row_size(rows, (int)dim) == 0) {
        dx[0] = tg_zeros_like_input(r, 0);
        return;
    }
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < rows->ndim; d++) shape[d] = d == dim ? 1 : rows->shape[d];
    Tensor *dy_rows = t_reshape(dy, shape, rows->ndim), *others;
    if (!t_is_grad_enabled() && t_is_true(t_all(rows, NULL, 0, false))) {
        others = t_div(t_prod(rows, dim, true, 0), rows);
    } else {
        Tensor *reversed = t_flip(rows, &dim, 1);
        Tensor *after = reversed ? t_flip(products_before(reversed, dim), &dim, 1) : NULL;
        others = t_mul(products_before(rows, dim), after);
    }
    dx[0] = t_reshape(t_mul(dy_rows, others), x->shape, x->ndim);
}
static const Op prod_op = {"prod", "ProdBackward0", prod_backward},
                prod_dim_op = {"prod", "ProdBackward1", prod_backward};

static Tensor *prod(Tensor *x, int d, bool of_all, bool keepdim) {
    Reduction r;
    const int64_t dim = d, attribute = of_all || x->ndim == 0 ? T_NONE : d;
    if (!tg_reduction(x, &dim, !of_all, keepdim && !of_all, &r)) return NULL;
    Tensor *y = tg_reduced((ReduceArgs){.kind = TG_PROD, .x = x}, &r, x->dtype);
    return tg_record(of_all ? &prod_op : &prod_dim_op, y, INPUTS(x), SAVED(x), ATTRIBUTES(attribute));
}

/* torch.prod(x, dim, keepdim, dtype): the product along dim, of all elements for T_NONE; 1 for no elements. Integers
 * and bools give int64; with a dtype x is converted before. dx_k = dy times the product of the other elements. Errors:
 * dim out of range. */
Tensor *t_prod(Tensor *x, int64_t dim, bool keepdim, t_DType dtype) {
    TG_AUTOCAST_FLOAT32(x);
    int d = 0;
    if (!tg_check_any(x, 1) || (dim != T_NONE && !tg_wrap_dim(dim, x->ndim, &d))) return NULL;
    int depth = t_scope_open();
    Tensor *in = depth ? t_to(x, dtype ? dtype : tg_is_floating(x->dtype) ? x->dtype : t_int64) : NULL;
    Tensor *y = in ? prod(in, d, dim == T_NONE, keepdim) : NULL;
    return tg_scope_return(depth, y);
}
