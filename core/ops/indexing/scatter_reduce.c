/* core/ops/indexing/scatter_reduce.c: scatter_reduce: sum, product, mean, maximum or minimum of all values scattered to
 * an element. */
#include <math.h>
#include <string.h>

#include "core/ops/indexing/scatter_internal.h"

typedef enum Reduce { SUM, PROD, MEAN, AMAX, AMIN, REDUCES } Reduce;

typedef struct ScatterReduction {
    Reduce reduce;
    int64_t dim;
    bool include_self;
} ScatterReduction;

/* ---- forward ---- */

static bool read_reduce(const char *name, Reduce *reduce) {
    static const char *const names[REDUCES] = {"sum", "prod", "mean", "amax", "amin"};
    for (int i = 0; name && i < REDUCES; i++) {
        *reduce = (Reduce)i;
        if (strcmp(name, names[i]) == 0) return true;
    }
    return tg_fail("reduce argument must be either sum, prod, mean, amax or amin, got %s", name ? name : "NULL");
}

/* The identity element of the reduction. */
static Tensor *identity(Reduce reduce, t_DType dtype) {
    if (reduce == PROD) return t_integer(1);
    const bool is_max = reduce == AMAX;
    if (reduce == AMAX || reduce == AMIN) {
        if (dtype == t_int64) return t_integer(is_max ? INT64_MIN : INT64_MAX);
        if (dtype == t_bool) return t_boolean(!is_max);
        if (tg_is_floating(dtype)) return t_number(is_max ? -INFINITY : INFINITY);
        const int64_t largest = (int64_t)tg_largest(dtype);
        return t_integer(!is_max ? largest : dtype == t_uint8 ? 0 : -largest - 1);
    }
    return t_integer(0);
}

/* The number of values at each element, 1 where there are none. */
static Tensor *counts(Tensor *like, Tensor *index, const ScatterReduction *r) {
    Tensor *n = r->include_self ? t_ones_like(like) : t_zeros_like(like), *one = t_number(1);
    n = n ? t_scatter_add(n, r->dim, index, one) : NULL;
    return n ? t_masked_fill(n, t_eq(n, t_number(0)), one) : NULL;
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0); /* b > 0 */
}
TG_EACH2(mean_int64, int64_t, int64_t, floor_div(a, b))
TG_EACH2(mean_float32, float, float, a / b)
TG_EACH2(mean_float64, double, double, a / b)

static bool reduce_into(Tensor *y, Tensor *index, Tensor *src, const ScatterReduction *r) {
    static const Scatter modes[REDUCES] = {SCATTER_SUM, SCATTER_PROD, SCATTER_SUM, SCATTER_MAX, SCATTER_MIN};
    static LoopTable means = {[t_int64] = mean_int64, [t_float32] = mean_float32, [t_float64] = mean_float64};
    int dim = (int)r->dim;
    if (!r->include_self) {
        Tensor *initial = identity(r->reduce, y->dtype);
        if (!initial || !tg_scatter_into_checked(y, dim, index, initial, SCATTER_SET)) return false;
    }
    if (!tg_scatter_into_checked(y, dim, index, src, modes[r->reduce])) return false;
    if (r->reduce != MEAN) return true;
    Tensor *n = counts(y, index, r);
    if (n) tg_run(means[tg_wide(y->dtype)], y, (Tensor *[]){y, n}, 2, y->dtype, NULL);
    return n != NULL;
}

/* ---- gradients ---- */

/* The gradients of a product. Where x or a single src is 0, the product of the others is computed again without it.
 * With two zeros in src at one element both have the gradient 0, but their second-order gradient is not 0, and is
 * refused. */
static void no_second_order(Record *r, Tensor *dy, Tensor **dx) {
    (void)r, (void)dy, (void)dx;
    tg_fail("scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are scattered to the same "
            "position in self");
}
static const Op no_second_order_op = {"scatter_reduce", "DelayedError", no_second_order};

static void scatter_prod_backward(Record *rec, const ScatterReduction *r, Tensor *dy, Tensor **dx) {
    Tensor *index = tg_saved(rec, 0), *x = tg_saved(rec, 1), *src = tg_saved(rec, 2), *y = tg_saved(rec, 3);
    Tensor *zero = t_number(0), *one = t_number(1);
    if (tg_needs(rec, 0)) {
        Tensor *without = t_masked_fill(x, t_eq(x, zero), one);
        dx[0] = t_div(t_mul(dy, t_scatter_reduce(without, r->dim, index, src, "prod", r->include_self)), without);
    }
    if (!tg_needs(rec, 1)) return;
    Tensor *is_zero = t_eq(src, zero);
    Tensor *zeros = t_scatter_add(t_zeros_like(x), r->dim, index, t_to(is_zero, src->dtype));
    Tensor *zeros_at_index = t_gather(zeros, r->dim, index);
    Tensor *only_zero = t_logical_and(is_zero, t_eq(zeros_at_index, one));
    Tensor *without = t_scatter_reduce(x, r->dim, index, t_masked_fill(src, only_zero, one), "prod", r->include_self);
    Tensor *of_zero = t_gather(t_mul(dy, without), r->dim, index);
    Tensor *of_others = t_div(t_gather(t_mul(dy, y), r->dim, index), t_masked_fill(src, is_zero, one));
    dx[1] = t_where(only_zero, of_zero, of_others);
    Tensor *several_zeros = t_any(t_gt(zeros_at_index, one), NULL, 0, false);
    if (dx[1] && several_zeros && t_is_true(several_zeros) && dx[1]->requires_grad)
        dx[1] = tg_record(&no_second_order_op, t_detach(dx[1]), INPUTS(dx[1]), NONE, NONE);
}

static void scatter_mean_backward(Record *rec, const ScatterReduction *r, Tensor *dy, Tensor **dx) {
    Tensor *index = tg_saved(rec, 0), *n = index ? counts(t_detach(dy), index, r) : NULL;
    if (tg_needs(rec, 0)) dx[0] = t_div(dy, n);
    if (tg_needs(rec, 1)) dx[1] = t_div(t_gather(dy, r->dim, index), t_gather(n, r->dim, index));
}

/* The gradient is divided evenly among the values equal to the maximum. */
static void scatter_amax_backward(Record *rec, const ScatterReduction *r, Tensor *dy, Tensor **dx) {
    Tensor *index = tg_saved(rec, 0), *x = tg_saved(rec, 1), *src = tg_saved(rec, 2), *y = tg_saved(rec, 3);
    if (!index || !x || !src || !y) return;
    Tensor *x_equal = t_to(t_eq(x, y), dy->dtype), *src_equal = t_to(t_eq(src, t_gather(y, r->dim, index)), dy->dtype);
    Tensor *share = t_div(dy, t_scatter_add(x_equal, r->dim, index, src_equal));
    dx[0] = t_mul(x_equal, share);
    dx[1] = t_mul(src_equal, t_gather(share, r->dim, index));
}

static void scatter_reduce_backward(Record *rec, Tensor *dy, Tensor **dx) {
    const ScatterReduction *r = rec->attributes;
    Tensor *index = tg_saved(rec, 0);
    if (!index) return;
    switch (r->reduce) {
    case PROD: scatter_prod_backward(rec, r, dy, dx); break;
    case MEAN: scatter_mean_backward(rec, r, dy, dx); break;
    case AMAX:
    case AMIN: scatter_amax_backward(rec, r, dy, dx); break;
    default:
        dx[0] = dy;
        if (tg_needs(rec, 1)) dx[1] = t_gather(dy, r->dim, index);
    }
    if (!r->include_self && tg_needs(rec, 0)) dx[0] = t_scatter(dx[0], r->dim, index, t_number(0));
}
static const Op scatter_reduce_op = {"scatter_reduce", "ScatterReduceBackward0", scatter_reduce_backward};

/* ---- public ---- */

static bool check(Tensor *x, int64_t dim, Tensor **index, Tensor *src, const char *reduce, bool include_self,
                  ScatterReduction *r) {
    int d;
    if (!tg_check_scatter(x, dim, index, src, &d) || !read_reduce(reduce, &r->reduce)) return false;
    r->dim = d;
    r->include_self = include_self;
    if (r->reduce == MEAN && x->dtype == t_bool)
        return tg_not_implemented("scatter_gather_tensor_cpu_reduce_mean", t_bool);
    return true;
}

static Tensor *reduced(Tensor *x, Tensor *index, Tensor *src, const ScatterReduction *r, const Op *op) {
    bool needs_all = r->reduce == PROD || r->reduce == AMAX || r->reduce == AMIN;
    int depth = t_scope_open();
    if (!depth) return NULL;
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *y = tg_copy_of(x);
    if (y && !reduce_into(y, index, src, r)) y = NULL;
    t_set_grad_enabled(grad_enabled);
    t_keep_object(y);
    t_scope_close(depth);
    return tg_record(op, y, INPUTS(x, src),
                     SAVED(index, needs_all ? x : NULL, needs_all ? src : NULL, needs_all ? y : NULL), ATTRIBUTES(*r));
}

/* x.scatter_reduce(dim, index, src, reduce, include_self): at each element of the index (see scatter) the values of
 * src are reduced: reduce is "sum", "prod", "mean" (of integers rounded down), "amax" or "amin" (NaN propagates),
 * together with x's own value if include_self. Elements that are not indexed keep x. Gradients: dsrc = dy at the
 * index times the derivative; dx likewise, 0 at the index unless include_self; equal maxima divide theirs evenly.
 * src and index then have one shape. Errors: those of scatter; another reduce; a mean of bools. */
Tensor *t_scatter_reduce(Tensor *x, int64_t dim, Tensor *index, Tensor *src, const char *reduce, bool include_self) {
    TG_COMPOSITE("scatter_reduce");
    ScatterReduction r;
    return check(x, dim, &index, src, reduce, include_self, &r) ? reduced(x, index, src, &r, &scatter_reduce_op) : NULL;
}

/* x.scatter_reduce_(dim, index, src, reduce, include_self): the same in place. */
Tensor *t_scatter_reduce_(Tensor *x, int64_t dim, Tensor *index, Tensor *src, const char *reduce, bool include_self) {
    TG_COMPOSITE("scatter_reduce_");
    ScatterReduction r;
    int depth = check(x, dim, &index, src, reduce, include_self, &r) ? tg_open_write(x) : 0;
    return tg_close_write(depth, x, depth ? reduced(x, index, src, &r, &scatter_reduce_op) : NULL);
}

/* ---- index_reduce ---- */

static const Op index_reduce_op = {"index_reduce", "IndexReduceBackward0", scatter_reduce_backward};

static bool read_index_reduce(const char *name, Reduce *reduce) {
    return (name && strcmp(name, "sum") != 0 && read_reduce(name, reduce)) ||
           tg_fail("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got %s.",
                   name ? name : "NULL");
}

static bool check_index_reduce(Tensor *x, int64_t dim, const Tensor *index, Tensor *source, int *d) {
    if (!tg_check_any(x, 1) || !tg_check_any(index, 3) || !tg_check_any(source, 4) || !tg_wrap_dim(dim, x->ndim, d))
        return false;
    if (index->ndim > 1)
        return tg_fail("index_reduce_(): Index is supposed to be a vector, but got dim: %d with type: %s and size: %s",
                       index->ndim, tg_scalar_name(index->dtype), tg_shape_of(index));
    if (index->dtype != t_int64 && index->dtype != t_int32)
        return tg_fail("index_reduce_(): Expected dtype int32/int64 for index but got: %s",
                       tg_scalar_name(index->dtype));
    if (x->dtype != source->dtype)
        return tg_fail("index_reduce_(): self (%s) and source (%s) must have the same scalar type",
                       tg_scalar_name(x->dtype), tg_scalar_name(source->dtype));
    bool fits = source->ndim == x->ndim || (x->ndim == 0 && tg_numel(source) == 1);
    for (int i = 0; fits && i < source->ndim; i++) fits = i == *d || source->shape[i] == x->shape[i];
    if (!fits)
        return tg_fail("source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                       "self.shape = %s source.shape = %s",
                       tg_shape_of(x), tg_shape_of(source));
    const int64_t count = source->ndim ? source->shape[*d] : 1;
    if (tg_numel(index) != count)
        return tg_fail("index_reduce_(): Number of indices (%lld) should be equal to source.size(dim): (%lld), for "
                       "dim: %d",
                       (long long)tg_numel(index), (long long)count, *d);
    if (x->dtype == t_bool) return tg_not_implemented("index_func_", t_bool);
    return true;
}

/* As scatter_reduce, with the vector of indices for each position of the other dims. */
static Tensor *index_reduce(Tensor *x, int64_t dim, Tensor *index, Tensor *source, const char *reduce,
                            bool include_self) {
    ScatterReduction r = {.include_self = include_self};
    int d;
    int64_t bad, shape[T_MAX_DIMS];
    if (!read_index_reduce(reduce, &r.reduce) || !check_index_reduce(x, dim, index, source, &d)) return NULL;
    r.dim = d;
    int depth = t_scope_open();
    if (!depth) return NULL;
    if (source->ndim != x->ndim) source = t_reshape(source, NULL, 0);
    index = source ? t_to(index, t_int64) : NULL;
    for (int i = 0; source && i < source->ndim; i++) shape[i] = i == d ? source->shape[d] : 1;
    index = index ? t_view(t_contiguous(index), shape, source->ndim) : NULL;
    if (index && tg_find_bad_index(index, x->ndim ? x->shape[d] : 1, NULL, &bad))
        index = tg_fail("index out of range in self");
    index = index ? t_expand(index, source->shape, source->ndim) : NULL;
    Tensor *y = index ? reduced(x, index, source, &r, &index_reduce_op) : NULL;
    return tg_scope_return(depth, y);
}

/* x.index_reduce(dim, index, source, reduce, include_self): the i-th slice of source along dim is reduced with slice
 * index[i] of x, "prod", "mean" (of integers rounded down), "amax" or "amin"; otherwise as scatter_reduce, also the
 * gradients. index: a vector of int64 or int32, not negative. Errors: another reduce; sizes and dtypes that do not
 * match; an index out of range. */
Tensor *t_index_reduce(Tensor *x, int64_t dim, Tensor *index, Tensor *source, const char *reduce, bool include_self) {
    TG_COMPOSITE("index_reduce");
    return index_reduce(x, dim, index, source, reduce, include_self);
}

/* x.index_reduce_(dim, index, source, reduce, include_self): the same in place. */
Tensor *t_index_reduce_(Tensor *x, int64_t dim, Tensor *index, Tensor *source, const char *reduce, bool include_self) {
    TG_COMPOSITE("index_reduce_");
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? index_reduce(x, dim, index, source, reduce, include_self) : NULL);
}
