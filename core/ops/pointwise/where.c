/* core/ops/pointwise/where.c: where and masked_fill. */
#include <string.h>

#include "core/ops/pointwise/pointwise_internal.h"

/* ---- where: three inputs, of which the first is bool ---- */

enum { BLOCK = 64 };

/* On the bits of an element: (a & mask) | (b & ~mask) needs no branch. A scalar a or b is expanded to a block, so
 * that one loop serves all contiguous cases. */
#define WHERE(name, T)                                                                                           \
    static void choose_##name(T *y, const uint8_t *condition, const T *a, const T *b, int64_t n) {               \
        TG_INDEPENDENT                                                                                           \
        for (int64_t i = 0; i < n; i++) {                                                                        \
            const T mask = (T)0 - condition[i];                                                                  \
            y[i] = (T)((a[i] & mask) | (b[i] & ~mask));                                                          \
        }                                                                                                        \
    }                                                                                                            \
    static void where_##name(int64_t n, char *const *p, const int64_t *s, const void *context) {                 \
        const int64_t one = sizeof(T);                                                                           \
        const bool dense = s[0] == one && s[1] == 1 && (s[2] == one || s[2] == 0) && (s[3] == one || s[3] == 0); \
        T same_a[BLOCK], same_b[BLOCK];                                                                          \
        (void)context;                                                                                           \
        for (int64_t i = 0; i < BLOCK && dense; i++) same_a[i] = *(const T *)p[2], same_b[i] = *(const T *)p[3]; \
        for (int64_t i = 0; i < n && dense; i += BLOCK)                                                          \
            choose_##name((T *)p[0] + i, (const uint8_t *)p[1] + i, s[2] ? (const T *)p[2] + i : same_a,         \
                          s[3] ? (const T *)p[3] + i : same_b, n - i < BLOCK ? n - i : BLOCK);                   \
        for (int64_t i = 0; i < n && !dense; i++)                                                                \
            *(T *)(p[0] + i * s[0]) =                                                                            \
                *(const T *)(*(const bool *)(p[1] + i * s[1]) ? p[2] + i * s[2] : p[3] + i * s[3]);              \
    }
WHERE(8, uint8_t)
WHERE(16, Bits16)
WHERE(32, Bits32)
WHERE(64, Bits64)

/* a or b converted to the dtype of the result; also one-element tensors, as the loop reads inputs of two dtypes. */
static Tensor *as_dtype(Tensor *x, t_DType dtype) {
    return x->dtype == dtype ? x : t_to(t_detach(x), dtype);
}

/* Only the size of an element matters. */
static Loop where_loop(t_DType dtype) {
    switch (tg_itemsize(dtype)) {
    case 1: return where_8;
    case 2: return where_16;
    case 4: return where_32;
    default: return where_64;
    }
}

/* `layout` is the input whose memory format the result takes; NULL: contiguous. */
static Tensor *select_elements(Tensor *condition, Tensor *a, Tensor *b, t_DType dtype, Tensor *layout) {
    Tensor *all[] = {condition, as_dtype(a, dtype), as_dtype(b, dtype)};
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!all[1] || !all[2] || !tg_broadcast_shape(all, 3, shape, &ndim)) return NULL;
    Tensor *y = !layout ? tg_empty(shape, ndim, dtype)
                        : tg_empty_elementwise((Tensor *[]){layout, all[0], all[1], all[2]}, 4, shape, ndim, dtype);
    if (y) tg_run_shared(where_loop(dtype), y, all, 3, 0, NULL);
    return y;
}

/* torch.where(condition, a, b): y_i = a_i if condition_i, else b_i; the three broadcast. da = dy where the condition
 * is true, else 0; db = dy where it is false. Error: a condition that is not bool. */
static void where_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *condition = tg_saved(r, 0), *zero = t_number(0);
    if (tg_needs(r, 1)) dx[1] = t_where(condition, dy, zero);
    if (tg_needs(r, 2)) dx[2] = t_where(condition, zero, dy);
}
static const Op where_op = {"where", "WhereBackward0", where_backward};

Tensor *t_where(Tensor *condition, Tensor *x, Tensor *other) {
    if (!tg_check_any_three(condition, x, other)) return NULL;
    if (condition->dtype != t_bool)
        return tg_fail("where expected condition to be a boolean tensor, but got a tensor with dtype %s",
                       tg_scalar_name(condition->dtype));
    const t_DType dtype = tg_result_type((Tensor *[]){x, other}, 2);
    if ((x->wrapped_number && !tg_check_tensor_fits(x, dtype)) ||
        (other->wrapped_number && !tg_check_tensor_fits(other, dtype)))
        return NULL;
    Tensor *y = select_elements(condition, x, other, dtype, condition);
    return tg_record(&where_op, y, INPUTS(condition, x, other), SAVED(condition), NONE);
}

/* x.masked_fill(mask, value): y_i = value if mask_i, else x_i. mask: bool, broadcasts with x; value: one element,
 * cast to x's dtype. dx = dy where the mask is false, else 0; dvalue = the sum of dy where it is true. */
static void masked_fill_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *mask = tg_saved(r, 0), *zero = t_number(0);
    if (tg_needs(r, 0)) dx[0] = t_where(mask, zero, dy);
    if (tg_needs(r, 1)) dx[1] = t_where(mask, dy, zero);
}
static const Op masked_fill_op = {"masked_fill", "MaskedFillBackward0", masked_fill_backward};
static const Op masked_fill_tensor_op = {"masked_fill", "MaskedFillBackward1", masked_fill_backward};

static bool check_masked_fill(Tensor *x, Tensor *mask, Tensor *value, bool inplace) {
    if (!tg_check_any_three(x, mask, value)) return false;
    if (mask->dtype != t_bool)
        return tg_fail("masked_fill_ only supports boolean masks, but got mask with dtype %s",
                       tg_c_type_name(mask->dtype));
    if (value->ndim != 0)
        return tg_fail("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with %d dimension(s).",
                       value->ndim);
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!tg_check_tensor_fits(value, x->dtype) ||
        !tg_broadcast_shape(inplace ? (Tensor *[]){x, mask} : (Tensor *[]){mask, x}, 2, shape, &ndim))
        return false;
    return true;
}

Tensor *t_masked_fill(Tensor *x, Tensor *mask, Tensor *value) {
    if (!check_masked_fill(x, mask, value, false)) return NULL;
    Tensor *y = select_elements(mask, value, x, x->dtype, NULL);
    const Op *op = value->wrapped_number ? &masked_fill_op : &masked_fill_tensor_op;
    return tg_record(op, y, INPUTS(x, value), SAVED(mask), NONE);
}

/* Whether masked_fill_ can write to x directly: nothing is recorded or checked for anomalies, no input overlaps x,
 * and x has the broadcast shape. */
static bool can_fill_directly(Tensor *x, Tensor *mask, Tensor *value) {
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (tg_thread.anomaly.on || !tg_can_write_directly((Tensor *[]){x, value, mask}, 3)) return false;
    if (!tg_broadcast_shape((Tensor *[]){mask, value, x}, 3, shape, &ndim) || ndim != x->ndim) return false;
    return memcmp(shape, x->shape, (size_t)ndim * sizeof *shape) == 0;
}

static Tensor *fill_directly(Tensor *x, Tensor *mask, Tensor *value) {
    Tensor *all[] = {mask, as_dtype(value, x->dtype), x};
    if (!all[1]) return NULL;
    tg_run_shared(where_loop(x->dtype), x, all, 3, 0, NULL);
    tg_bump_version(x);
    return x;
}

/* x.masked_fill_(mask, value): the same in place; the mask broadcasts to x's shape. */
Tensor *t_masked_fill_(Tensor *x, Tensor *mask, Tensor *value) {
    if (!check_masked_fill(x, mask, value, true) || !tg_check_inplace(x)) return NULL;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *filled = can_fill_directly(x, mask, value) ? fill_directly(x, mask, value)
                                                  : tg_write_inplace(x, t_masked_fill(x, mask, value));
    t_scope_close(depth);
    return filled;
}
