/* core/ops/indexing/scatter.c: scatter and scatter_add: elements written or added along one dim at an index tensor, the
 * inverse of gather. */
#include <string.h>

#include "core/ops/indexing/scatter_internal.h"

/* ---- checks ---- */

static int rank_of(const Tensor *x) {
    return x->ndim ? x->ndim : 1; /* 0-dim counts as a vector of one element */
}

static bool is_no_larger(const Tensor *index, const Tensor *x, int but) {
    for (int d = 0; d < rank_of(index); d++)
        if (d != but && (index->ndim ? index->shape[d] : 1) > (x->ndim ? x->shape[d] : 1)) return false;
    return true;
}

static bool check_shapes(const Tensor *x, int d, const Tensor *index, const Tensor *src) {
    if (rank_of(index) != rank_of(x))
        return tg_fail("Index tensor must have the same number of dimensions as self tensor");
    bool fits = is_no_larger(index, x, d);
    if (src->wrapped_number)
        return fits || tg_fail("Expected index %s to be no larger than self %s apart from dimension %d",
                               tg_shape_of(index), tg_shape_of(x), d);
    if (rank_of(index) != rank_of(src))
        return tg_fail("Index tensor must have the same number of dimensions as src tensor");
    if (fits && is_no_larger(index, src, -1)) return true;
    return tg_fail("Expected index %s to be no larger than self %s apart from dimension %d and to be no larger size "
                   "than src %s",
                   tg_shape_of(index), tg_shape_of(x), d, tg_shape_of(src));
}

bool tg_check_scatter(Tensor *x, int64_t dim, Tensor **given, Tensor *src, int *d) {
    int64_t bad;
    if (!tg_check_any(x, 1) || !tg_check_any(*given, 3) || !tg_check_any(src, 4) || !tg_wrap_dim(dim, x->ndim, d))
        return false;
    Tensor *index = *given = tg_empty_index_as_int64(*given);
    if (!index) return false;
    if (index->dtype != t_int64) return tg_fail("scatter(): Expected dtype int32/int64 for index");
    if (!src->wrapped_number && src->dtype != x->dtype)
        return tg_fail("scatter(): Expected self.dtype to be equal to src.dtype");
    if (tg_numel(index) == 0) return true;
    if (!check_shapes(x, *d, index, src) || (src->wrapped_number && !tg_check_tensor_fits(src, x->dtype))) return false;
    int64_t size = x->ndim ? x->shape[*d] : 1;
    return !tg_find_bad_index(index, size, NULL, &bad) || tg_fail_out_of_bounds(bad, *d, size);
}

/* ---- writing ---- */

/* Sums, products and the like of a narrow dtype are computed in the wide one. */
static bool combine_narrow(Tensor *y, int dim, Tensor *index, Tensor *src, Scatter mode) {
    int depth = t_scope_open();
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *wide = depth ? tg_widened(y) : NULL, *wide_src = wide ? src->wrapped_number ? src : tg_widened(src) : NULL;
    const bool ok = wide_src && tg_scatter_into_checked(wide, dim, index, wide_src, mode);
    if (ok) tg_copy_into(y, wide);
    t_set_grad_enabled(grad_enabled);
    t_scope_close(depth);
    return ok;
}

bool tg_scatter_into_checked(Tensor *y, int dim, Tensor *index, Tensor *src, Scatter mode) {
    if (mode != SCATTER_SET && tg_is_narrow(y->dtype)) return combine_narrow(y, dim, index, src, mode);
    Tensor *value = src->dtype == y->dtype ? src : t_to(src, y->dtype); /* a number */
    if (!value) return false;
    Tensor part = *value; /* the part of src that the index covers; a number is broadcast */
    if (!src->wrapped_number) {
        part.ndim = index->ndim;
        memcpy(part.shape, index->shape, sizeof part.shape);
    }
    if (tg_numel(index)) tg_scatter_into(y, dim, index, &part, mode);
    if (value != src) t_release(tg_take_from_scope(value));
    return true;
}

Tensor *tg_copy_of(Tensor *x) {
    Tensor *y = x ? tg_empty(x->shape, x->ndim, x->dtype) : NULL;
    if (y) tg_copy_into(y, x);
    return y;
}

static void scatter_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *index = tg_saved(r, 0);
    int64_t dim = *(int64_t *)r->attributes;
    if (!index) return;
    if (tg_needs(r, 0)) dx[0] = t_scatter(dy, dim, index, t_number(0));
    if (tg_needs(r, 1)) dx[1] = t_gather(dy, dim, index);
}
static const Op scatter_op = {"scatter", "ScatterBackward0", scatter_backward};
static const Op scatter_number_op = {"scatter", "ScatterBackward1", scatter_backward};

static void scatter_add_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *index = tg_saved(r, 0);
    dx[0] = dy;
    if (index && tg_needs(r, 1)) dx[1] = t_gather(dy, *(int64_t *)r->attributes, index);
}
static const Op scatter_add_op = {"scatter_add", "ScatterAddBackward0", scatter_add_backward};

static const Op *scatter_op_for(Scatter mode, const Tensor *src) {
    return mode == SCATTER_SUM ? &scatter_add_op : src->wrapped_number ? &scatter_number_op : &scatter_op;
}

static Tensor *scatter(Tensor *x, int d, Tensor *index, Tensor *src, Scatter mode) {
    Tensor *y = tg_copy_of(x);
    int64_t dim = d;
    if (y && !tg_scatter_into_checked(y, d, index, src, mode)) {
        t_release(tg_take_from_scope(y));
        return NULL;
    }
    return tg_record(scatter_op_for(mode, src), y, INPUTS(x, src), SAVED(index), ATTRIBUTES(dim));
}

/* In place: directly into x if nothing is recorded and no memory is shared, else through a new value. */
static Tensor *scatter_inplace(Tensor *x, int d, Tensor *index, Tensor *src, Scatter mode) {
    int depth = tg_open_write(x);
    bool disjoint = src->storage != x->storage && index->storage != x->storage;
    if (!depth || !disjoint || tg_will_record((Tensor *[]){x, src, x->base}, 3))
        return tg_close_write(depth, x, depth ? scatter(x, d, index, src, mode) : NULL);
    bool ok = tg_scatter_into_checked(x, d, index, src, mode);
    if (ok) tg_bump_version(x);
    t_scope_close(depth);
    return ok ? x : NULL;
}

/* x.scatter(dim, index, src): x with y[index[i, j], j] = src[i, j] for dim 0; of several writes to one element the
 * last is kept. index: int64 or int32, of x's rank, no larger than x in the other dims, and no larger than src; src:
 * of x's dtype, or a number. dx = dy with 0 at the index, dsrc = dy there (src and index then have one shape).
 * Errors: ranks, sizes or dtypes differ, an index out of range. */
Tensor *t_scatter(Tensor *x, int64_t dim, Tensor *index, Tensor *src) {
    int d;
    return tg_check_scatter(x, dim, &index, src, &d) ? scatter(x, d, index, src, SCATTER_SET) : NULL;
}

/* x.scatter_(dim, index, src): the same in place. */
Tensor *t_scatter_(Tensor *x, int64_t dim, Tensor *index, Tensor *src) {
    int d;
    return tg_check_scatter(x, dim, &index, src, &d) ? scatter_inplace(x, d, index, src, SCATTER_SET) : NULL;
}

/* x.scatter_add(dim, index, src): x with src added at the index, in order. dx = dy, dsrc = dy gathered at the index. */
Tensor *t_scatter_add(Tensor *x, int64_t dim, Tensor *index, Tensor *src) {
    int d;
    return tg_check_scatter(x, dim, &index, src, &d) ? scatter(x, d, index, src, SCATTER_SUM) : NULL;
}

/* x.scatter_add_(dim, index, src): the same in place. */
Tensor *t_scatter_add_(Tensor *x, int64_t dim, Tensor *index, Tensor *src) {
    int d;
    return tg_check_scatter(x, dim, &index, src, &d) ? scatter_inplace(x, d, index, src, SCATTER_SUM) : NULL;
}
