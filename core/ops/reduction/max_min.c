/* core/ops/reduction/max_min.c: max, min, argmax, argmin over one dim or all elements. */
#include <math.h>

#include "core/autograd/trace.h"
#include "core/ops/reduction/along_dim_internal.h"
#include "core/ops/reduction/reduce_internal.h"

/* ---- values and indices: NaN is the maximum and the minimum, of equal elements the first is taken ---- */

/* Whether the smallest stride of x, among dims larger than 1, is 1. */
static bool has_unit_stride(const Tensor *x) {
    int64_t smallest = INT64_MAX;
    for (int d = 0; d < x->ndim; d++)
        if (x->shape[d] > 1 && x->strides[d] < smallest) smallest = x->strides[d];
    return smallest == 1;
}

/* The maxima (minima) along dim and their int64 indices, both with that dim kept at size 1. */
static Tensor *reduce_max(Tensor *x, int dim, bool largest, const char *name, Tensor **at) {
    Reduction r = {.keepdim = true};
    if (x->ndim && x->shape[dim] == 0)
        return tg_fail("%s(): Expected reduction dim %d to have non-zero size.", name, dim);
    r.reduced[dim] = true;
    Tensor *in = has_unit_stride(x) ? x : t_contiguous(t_detach(x));
    Tensor *indices = in ? tg_empty_rows(x, dim, 1, t_int64) : NULL;
    if (!indices) return NULL;
    *at = indices;
    return tg_reduced((ReduceArgs){.kind = largest ? TG_MAX : TG_MIN, .x = in, .index = indices}, &r,
                      x->dtype);
}

static Tensor *drop_dim(Tensor *x, int dim, bool keepdim) {
    return keepdim || !x ? x : t_squeeze(x, dim);
}

static Tensor *flat(Tensor *x) {
    return t_reshape(x, (int64_t[]){-1}, 1);
}

/* ---- argmax, argmin ---- */

static Tensor *arg_reduce(Tensor *x, int64_t dim, bool keepdim, bool largest, const char *name) {
    int d;
    Tensor *at;
    if (!tg_check(x, 1)) return NULL;
    if (x->dtype == t_bool) return tg_fail("%s(): does not support bool input", name);
    if (dim == T_NONE) {
        if (tg_numel(x) == 0)
            return tg_fail("%s(): Expected reduction dim to be specified for input.numel() == 0.", name);
        Tensor *row = flat(x), *detached = row ? t_detach(row) : NULL;
        if (!detached || !reduce_max(detached, 0, largest, name, &at)) return NULL;
        return t_view(at, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 1}, keepdim ? x->ndim : 0);
    }
    return tg_wrap_dim(dim, x->ndim, &d) && reduce_max(x, d, largest, name, &at) ? drop_dim(at, d, keepdim) : NULL;
}

static Tensor *argmax(Tensor *x, int64_t dim, bool keepdim, bool largest, const char *name) {
    int depth = t_scope_open();
    static const Op ops[] = {{"argmin", NULL, NULL}, {"argmax", NULL, NULL}};
    const ArgReduction attributes = {dim, keepdim};
    const bool one = tg_trace_open();
    Tensor *found = depth ? tg_detach_from_base(arg_reduce(x, dim, keepdim, largest, name)) : NULL;
    return tg_scope_return(depth, tg_trace_close(one, &ops[largest], found, INPUTS(x), ATTRIBUTES(attributes)));
}

/* torch.argmax(x, dim, keepdim): the int64 index of the maximum along dim, in the flattened x for T_NONE; of equal
 * elements the first, and of NaN if there is one. No gradient. Errors: dim out of range, no elements, bools. */
Tensor *t_argmax(Tensor *x, int64_t dim, bool keepdim) {
    if (tg_is_narrow_tensor(x)) return t_argmax(tg_widened(x), dim, keepdim);
    return argmax(x, dim, keepdim, true, "argmax");
}

/* torch.argmin(x, dim, keepdim): the index of the minimum, with the same rules. */
Tensor *t_argmin(Tensor *x, int64_t dim, bool keepdim) {
    if (tg_is_narrow_tensor(x)) return t_argmin(tg_widened(x), dim, keepdim);
    return argmax(x, dim, keepdim, false, "argmin");
}

/* ---- max, min ---- */

static const Op max_dim_op = {"max", "MaxBackward0", tg_value_selecting_backward},
                min_dim_op = {"min", "MinBackward0", tg_value_selecting_backward};

Tensor *tg_evenly_distribute_backward(Tensor *dy, Tensor *x, Tensor *y) {
    bool is_nan = isnan(tg_read_double(y));
    Tensor *equal = is_nan ? t_isnan(x) : t_eq(x, y), *mask = equal ? t_to(equal, dy->dtype) : NULL;
    return mask ? t_mul(dy, t_div(mask, t_sum(mask, NULL, 0, false))) : NULL;
}

static void max_of_all_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (x && y) dx[0] = tg_evenly_distribute_backward(dy, x, y);
}
static const Op max_op = {"max", "MaxBackward1", max_of_all_backward};
static const Op min_op = {"min", "MinBackward1", max_of_all_backward};

static Tensor *max_of_all(Tensor *x, bool largest, const char *name) {
    if (tg_numel(x) == 0)
        return tg_fail("%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                       "with the 'dim' argument.", name);
    Reduction all;
    if (!tg_reduction(x, NULL, 0, false, &all)) return NULL;
    Tensor *y = tg_reduced((ReduceArgs){.kind = largest ? TG_MAX : TG_MIN, .x = x}, &all, x->dtype);
    return tg_record(largest ? &max_op : &min_op, y, INPUTS(x), SAVED(x, y), NONE);
}

static Tensor *max_along(Tensor *x, int64_t dim, bool keepdim, Tensor **indices, bool largest, const char *name) {
    int d;
    if (!tg_check(x, 1)) return NULL;
    if (dim == T_NONE) return max_of_all(x, largest, name);
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    Tensor *at, *y = reduce_max(x, d, largest, name, &at);
    int64_t along = d;
    bool grad_enabled = t_set_grad_enabled(false);
    y = y ? tg_detach_from_base(drop_dim(y, d, keepdim)) : NULL;
    t_set_grad_enabled(grad_enabled);
    y = tg_record(largest ? &max_dim_op : &min_dim_op, y, INPUTS(x), SAVED(at), ATTRIBUTES(along));
    if (y && indices && !(*indices = drop_dim(at, d, keepdim))) return NULL;
    return y;
}

static Tensor *max_in_scope(Tensor *x, int64_t dim, bool keepdim, Tensor **indices, bool largest, const char *name) {
    int depth = t_scope_open();
    Tensor *where = NULL, *y = depth ? t_keep_object(max_along(x, dim, keepdim, &where, largest, name)) : NULL;
    if (indices) *indices = y ? t_keep_object(tg_detach_from_base(where)) : NULL;
    t_scope_close(depth);
    return y;
}

/* torch.max(x, dim, keepdim): the maximum along dim, and its index in *indices; NaN if there is one. Any dtype. dx = dy
 * at that element, 0 elsewhere. torch.max(x) (dim T_NONE): the maximum of all elements; dx = dy divided evenly among
 * the elements that equal it. Errors: dim out of range, no elements. */
Tensor *t_max(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    tg_clear_output(indices);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_max(tg_widened(x), dim, keepdim, indices), x->dtype);
    return max_in_scope(x, dim, keepdim, indices, true, "max");
}

/* torch.min(x, dim, keepdim), torch.min(x): the minimum, with the same rules. */
Tensor *t_min(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    tg_clear_output(indices);
    if (tg_is_narrow_tensor(x)) return tg_narrowed(t_min(tg_widened(x), dim, keepdim, indices), x->dtype);
    return max_in_scope(x, dim, keepdim, indices, false, "min");
}
