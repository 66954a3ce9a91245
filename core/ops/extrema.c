/* core/ops/extrema.c: the largest and the smallest along a dim, and where they stand. */
#include <math.h>

#include "core/ops/gather.h"
#include "core/ops/reduce.h"

/* ---- the search ----
 * x as rows (outer, n, inner) of strides; for each of them the index of the best element. NaN beats everything, and the
 * first of equals wins. */

#define BETTER(T)                                                                                \
    static int64_t best_##T(const char *at, int64_t n, int64_t step, bool largest) {             \
        int64_t best = 0;                                                                        \
        T value = *(const T *)at;                                                                \
        for (int64_t i = 1; i < n && value == value; i++) {                                      \
            T other = *(const T *)(at + i * step);                                               \
            if (other != other || (largest ? other > value : other < value)) {                   \
                best = i;                                                                        \
                value = other;                                                                   \
            }                                                                                    \
        }                                                                                        \
        return best;                                                                             \
    }
BETTER(bool)
BETTER(int64_t)
BETTER(float)
BETTER(double)

typedef struct Search {
    t_DType dtype;
    int64_t n, step;
    bool largest;
} Search;

static void search_run(int64_t n, char *const *p, const int64_t *s, const void *context) {
    const Search *search = context;
    for (int64_t i = 0; i < n; i++) {
        const char *at = p[1] + i * s[1];
        int64_t *best = (int64_t *)(p[0] + i * s[0]);
        switch (search->dtype) {
        case t_bool: *best = best_bool(at, search->n, search->step, search->largest); break;
        case t_int64: *best = best_int64_t(at, search->n, search->step, search->largest); break;
        case t_float32: *best = best_float(at, search->n, search->step, search->largest); break;
        default: *best = best_double(at, search->n, search->step, search->largest); break;
        }
    }
}

/* The int64 indices along dim, with that dim kept at size 1. */
static Tensor *search(Tensor *x, int dim, bool largest, const char *name) {
    int64_t n = x->ndim ? x->shape[dim] : 1, shape[T_MAX_DIMS];
    if (n == 0)
        return tg_fail("%s(): Expected reduction dim %d to have non-zero size.", name, dim);
    Tensor rows = *x; /* on the stack: x's first element of each row */
    if (x->ndim) rows.shape[dim] = 1;
    for (int d = 0; d < x->ndim; d++) shape[d] = rows.shape[d];
    Tensor *indices = tg_empty(shape, x->ndim, t_int64), *in = &rows;
    Search what = {x->dtype, n, x->ndim ? x->strides[dim] * (int64_t)tg_itemsize(x->dtype) : 0, largest};
    if (indices) tg_run_costly(search_run, indices, &in, 1, 0, &what, n);
    return indices;
}

static Tensor *drop_dim(Tensor *x, int dim, bool keepdim) {
    return keepdim || !x ? x : t_squeeze(x, dim);
}

static Tensor *flat(Tensor *x) {
    return t_reshape(x, (int64_t[]){-1}, 1);
}

/* ---- argmax, argmin ---- */

static Tensor *find(Tensor *x, int64_t dim, bool keepdim, bool largest, const char *name) {
    int d;
    if (!tg_check(x, 1)) return NULL;
    if (x->dtype == t_bool) return tg_fail("%s(): does not support bool input", name);
    if (dim == T_NONE) {
        if (tg_numel(x) == 0)
            return tg_fail("%s(): Expected reduction dim to be specified for input.numel() == 0.", name);
        Tensor *row = flat(x), *alone = row ? t_detach(row) : NULL, *best = alone ? search(alone, 0, largest, name) : NULL;
        return best ? t_view(best, (int64_t[]){1, 1, 1, 1, 1, 1, 1, 1}, keepdim ? x->ndim : 0) : NULL;
    }
    return tg_wrap_dim(dim, x->ndim, &d) ? drop_dim(search(x, d, largest, name), d, keepdim) : NULL;
}

static Tensor *where_best(Tensor *x, int64_t dim, bool keepdim, bool largest, const char *name) {
    int depth = t_scope_open();
    Tensor *best = depth ? t_keep_object(tg_cut_from_base(find(x, dim, keepdim, largest, name))) : NULL;
    t_scope_close(depth);
    return best;
}

/* torch.argmax(x, dim, keepdim): the int64 index of the largest along dim, of the flattened x for T_NONE. No gradient. */
Tensor *t_argmax(Tensor *x, int64_t dim, bool keepdim) {
    return where_best(x, dim, keepdim, true, "argmax");
}

Tensor *t_argmin(Tensor *x, int64_t dim, bool keepdim) {
    return where_best(x, dim, keepdim, false, "argmin");
}

/* ---- max, min ---- */

/* torch.max(x, dim): the largest along dim, and *indices where it stands. dx = dy at that element, 0 elsewhere.
 * torch.max(x) (dim T_NONE): the largest of all; dx = dy shared evenly among the elements that equal it. */
static const Op max_dim_op = {"max", "MaxBackward0", tg_picked_backward}, min_dim_op = {"min", "MinBackward0", tg_picked_backward};

Tensor *tg_shared_evenly(Tensor *dy, Tensor *x, Tensor *y) {
    bool is_nan = isnan(tg_read_double(y));
    Tensor *equal = is_nan ? t_isnan(x) : t_eq(x, y), *mask = equal ? t_to(equal, dy->dtype) : NULL;
    return mask ? t_mul(dy, t_div(mask, t_sum(mask, NULL, 0, false))) : NULL;
}

static void extreme_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);
    if (x && y) dx[0] = tg_shared_evenly(dy, x, y);
}
static const Op max_op = {"max", "MaxBackward1", extreme_backward}, min_op = {"min", "MinBackward1", extreme_backward};

static Tensor *extreme_of_all(Tensor *x, bool largest, const char *name) {
    if (tg_numel(x) == 0)
        return tg_fail("%s(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim "
                       "with the 'dim' argument.", name);
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *row = flat(x), *at = row ? search(row, 0, largest, name) : NULL;
    Tensor *y = at ? t_clone(t_select(row, 0, tg_read_int64(at))) : NULL;
    t_set_grad_enabled(grad_enabled);
    return tg_record(largest ? &max_op : &min_op, y, INPUTS(x), SAVED(x, y), NONE);
}

static Tensor *extreme(Tensor *x, int64_t dim, bool keepdim, Tensor **indices, bool largest, const char *name) {
    int d;
    if (!tg_check(x, 1)) return NULL;
    if (dim == T_NONE) return extreme_of_all(x, largest, name);
    if (!tg_wrap_dim(dim, x->ndim, &d)) return NULL;
    Tensor *at = search(x, d, largest, name);
    if (!at) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = tg_cut_from_base(drop_dim(t_gather(x, d, at), d, keepdim));
    t_set_grad_enabled(grad_enabled);
    int64_t along = d;
    y = tg_record(largest ? &max_dim_op : &min_dim_op, y, INPUTS(x), SAVED(at), ATTRIBUTES(along));
    if (y && indices && !(*indices = drop_dim(at, d, keepdim))) return NULL;
    return y;
}

static Tensor *extreme_in_scope(Tensor *x, int64_t dim, bool keepdim, Tensor **indices, bool largest, const char *name) {
    int depth = t_scope_open();
    Tensor *where = NULL, *y = depth ? t_keep_object(extreme(x, dim, keepdim, &where, largest, name)) : NULL;
    if (indices) *indices = y ? t_keep_object(tg_cut_from_base(where)) : NULL;
    t_scope_close(depth);
    return y;
}

Tensor *t_max(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    return extreme_in_scope(x, dim, keepdim, indices, true, "max");
}

Tensor *t_min(Tensor *x, int64_t dim, bool keepdim, Tensor **indices) {
    return extreme_in_scope(x, dim, keepdim, indices, false, "min");
}
