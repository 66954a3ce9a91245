/* core/ops/pointwise/pointwise.c: dtype promotion, and how an elementwise op runs: with a new output, or in place. */
#include "core/autograd/teach.h"
#include "core/ops/pointwise/pointwise_internal.h"

#include <string.h>

#include "core/tensor/iterator_internal.h"
#include "core/tensor/size_arithmetic.h"

t_DType tg_promote(t_DType a, t_DType b) {
    const t_DType high = a > b ? a : b, low = a > b ? b : a;
    if (low == t_uint8 && high == t_int8) return t_int16;
    if (low == t_float16 && high == t_bfloat16) return t_float32;
    return high;
}

/* bool, integer, floating: an operand of a lower priority changes the result only to a higher kind. */
static int kind_of(t_DType dtype) {
    return tg_is_floating(dtype) ? 3 : tg_is_integral(dtype) ? 2 : dtype == t_bool;
}

t_DType tg_result_type(Tensor *const *x, int count) {
    t_DType dims = 0, zero_dims = 0, numbers = 0;
    for (int i = 0; i < count; i++) {
        t_DType own = x[i]->dtype;
        if (x[i]->wrapped_number)
            numbers = tg_promote(numbers, own == t_float64 ? tg_default_dtype() : own);
        else if (x[i]->ndim == 0) zero_dims = tg_promote(zero_dims, own);
        else dims = tg_promote(dims, own);
    }
    t_DType result = dims;
    t_DType lower[2] = {zero_dims, numbers};
    for (int i = 0; i < 2; i++)
        if (kind_of(lower[i]) > kind_of(result)) result = lower[i];
    return result;
}

void tg_no_derivative(Record *r, Tensor *dy, Tensor **dx) {
    (void)dy;
    (void)dx;
    tg_fail("derivative for aten::%s is not implemented", r->op->name);
}

Tensor *tg_not_implemented(const char *op, t_DType dtype) {
    return tg_fail("\"%s\" not implemented for '%s'", op, tg_scalar_name(dtype));
}

/* x in the dtype of the loop; one-element tensors are converted by tg_run, to the wide one of a narrow dtype. */
static Tensor *readable(Tensor *x, t_DType dtype, bool rounds_numbers) {
    if (x->dtype == dtype || (tg_numel(x) == 1 && (!tg_is_narrow(dtype) || !rounds_numbers))) return x;
    return t_to(t_detach(x), dtype);
}

/* The number of elements if all are tensors (not numbers) of one dtype, one shape and one contiguous layout, so that
 * broadcasting and conversion can be skipped; else 0. */
static int64_t same_layout_numel(Tensor *const *x, int count) {
    const Tensor *first = x[0];
    int64_t stride = 1;
    if (first->wrapped_number) return 0;
    for (int i = 1; i < count; i++)
        if (x[i]->dtype != first->dtype || x[i]->ndim != first->ndim || x[i]->wrapped_number) return 0;
    for (int d = first->ndim - 1; d >= 0; d--) {
        if (first->strides[d] != stride) return 0;
        for (int i = 1; i < count; i++)
            if (x[i]->strides[d] != stride || x[i]->shape[d] != first->shape[d]) return 0;
        stride = tg_size_mul(stride, first->shape[d]);
    }
    return stride;
}

static Tensor *run_contiguous(Tensor *const *x, int count, int64_t n, Loop loop, t_DType out, const void *context) {
    Tensor *y = tg_empty_like_contiguous(x[0], n, out);
    if (y) tg_run_alike(loop, n, y, x, count, context);
    return y;
}

/* rounds_numbers: bit i is set if operand i, where it is of one element, is rounded to a narrow dtype. */
static Tensor *run_broadcast(const char *op, t_DType dtype, Tensor *const *x, int count, Loop loop, t_DType out,
                             const void *context, unsigned rounds_numbers) {
    Tensor *in[TG_OPERANDS];
    int64_t shape[T_MAX_DIMS];
    int ndim;
    if (!tg_broadcast_shape(x, count, shape, &ndim)) return NULL;
    if (tg_thread.teaching && count == 2) tg_teach_broadcast(op, x[0], x[1]);
    for (int i = 0; i < count; i++)
        if (!(in[i] = readable(x[i], dtype, rounds_numbers >> i & 1))) return NULL;
    Tensor *y = tg_empty_elementwise(in, count, shape, ndim, out ? out : dtype);
    if (y) tg_run_shared(loop, y, in, count, dtype, context);
    return y;
}

Tensor *tg_pointwise_in(const char *op, t_DType dtype, Tensor *const *x, int count, LoopTable loops, t_DType out,
                        const void *context) {
    const Loop loop = loops[tg_wide(dtype)];
    if (!loop) return tg_not_implemented(op, dtype);
    const int64_t n = x[0]->dtype == dtype && !tg_is_narrow(dtype) ? same_layout_numel(x, count) : 0;
    if (n) return run_contiguous(x, count, n, loop, out ? out : dtype, context);
    return run_broadcast(op, dtype, x, count, loop, out ? out : dtype, context, ~0u);
}

Tensor *tg_pointwise(const char *op, Tensor *const *x, int count, LoopTable loops, bool floating, t_DType out) {
    t_DType dtype = x[0]->dtype;
    const int64_t n = loops[dtype] && (!floating || tg_is_floating(dtype)) ? same_layout_numel(x, count) : 0;
    if (n) return run_contiguous(x, count, n, loops[dtype], out ? out : dtype, NULL);
    dtype = tg_result_type(x, count);
    if (floating && !tg_is_floating(dtype)) dtype = tg_default_dtype();
    return tg_pointwise_in(op, dtype, x, count, loops, out, NULL);
}

Tensor *tg_pointwise2(const char *op, Tensor *a, Tensor *b, LoopTable loops, bool floating, t_DType out) {
    if (!tg_check_any_two(a, b)) return NULL;
    return tg_pointwise(op, (Tensor *[]){a, b}, 2, loops, floating, out);
}

Tensor *tg_arithmetic(const char *op, Tensor *a, Tensor *b, LoopTable loops, bool floating,
                      bool rounds_numbers) {
    Tensor *both[] = {a, b};
    if (!tg_check_any_two(a, b)) return NULL;
    if (!tg_is_half(a->dtype) && !tg_is_half(b->dtype)) return tg_pointwise(op, both, 2, loops, floating, 0);
    const t_DType dtype = tg_result_type(both, 2);
    const unsigned rounded = rounds_numbers ? ~0u : !a->wrapped_number;
    return run_broadcast(op, dtype, both, 2, loops[tg_wide(dtype)], dtype, NULL, rounded);
}

Tensor *tg_pointwise_unrounded(const char *op, t_DType dtype, Tensor *const *x, int count, LoopTable loops) {
    const Loop loop = loops[tg_wide(dtype)];
    return loop ? run_broadcast(op, dtype, x, count, loop, dtype, NULL, 0) : tg_not_implemented(op, dtype);
}

/* ---- narrow dtypes ---- */

bool tg_is_narrow_tensor(const Tensor *x) {
    return x && x->object.is_a == &tg_tensor_class && tg_is_narrow(x->dtype);
}

Tensor *tg_widened(Tensor *x) {
    return t_to(x, tg_wide(x->dtype));
}

Tensor *tg_widened_optional(Tensor *x) {
    return tg_is_narrow_tensor(x) ? tg_widened(x) : x;
}

Tensor *tg_narrowed(Tensor *y, t_DType dtype) {
    return y && y->dtype == tg_wide(dtype) ? t_to(y, dtype) : y;
}

t_DType tg_widen_half(Tensor **const *operands, int count) {
    for (int i = 0; i < count; i++)
        if (tg_is_narrow_tensor(*operands[i]) && !tg_is_half((*operands[i])->dtype)) return 0;
    return tg_widen(operands, count);
}

t_DType tg_widen(Tensor **const *operands, int count) {
    Tensor *tensors[TG_OPERANDS];
    int found = 0;
    bool any_narrow = false;
    for (int i = 0; i < count; i++) {
        Tensor *x = *operands[i];
        if (!x || x->object.is_a != &tg_tensor_class) continue;
        any_narrow |= tg_is_narrow(x->dtype);
        tensors[found++] = x;
    }
    if (!any_narrow) return 0;
    const t_DType result = tg_result_type(tensors, found);
    for (int i = 0; i < count; i++) *operands[i] = tg_widened_optional(*operands[i]);
    return result;
}

/* ---- in place ---- */

bool tg_can_write_directly(Tensor *const *x, int count) {
    if (tg_will_record((Tensor **)x, count) || (x[0]->base && tg_will_record((Tensor *[]){x[0]->base}, 1)))
        return false;
    for (int i = 1; i < count; i++)
        if (tg_shares_memory(x[0], x[i])) return false;
    return true;
}

bool tg_run_inplace(Tensor *const *x, int count, LoopTable loops, const void *context) {
    int64_t shape[T_MAX_DIMS];
    int ndim;
    t_DType dtype = x[0]->dtype;
    if (tg_thread.anomaly.on) return false; /* anomaly mode checks a value before it is written */
    const int64_t n = loops[dtype] ? same_layout_numel(x, count) : 0;
    if (n && tg_can_write_directly(x, count)) {
        tg_run_alike(loops[dtype], n, x[0], x, count, context);
        tg_bump_version(x[0]);
        return true;
    }
    if (!loops[dtype] || tg_result_type(x, count) != dtype || !tg_can_write_directly(x, count)) return false;
    for (int i = 1; i < count; i++)
        if (x[i]->dtype != dtype && tg_numel(x[i]) != 1) return false;
    if (!tg_broadcast_shape(x, count, shape, &ndim) || ndim != x[0]->ndim) return false;
    if (memcmp(shape, x[0]->shape, (size_t)ndim * sizeof *shape) != 0) return false;
    tg_run_shared(loops[dtype], x[0], x, count, dtype, context);
    tg_bump_version(x[0]);
    return true;
}

int tg_open_write(Tensor *x) {
    return tg_check_any(x, 1) && tg_check_inplace(x) ? t_scope_open() : 0;
}

Tensor *tg_close_write(int depth, Tensor *x, Tensor *value) {
    if (!depth) return NULL;
    Tensor *written = tg_write_inplace(x, value);
    t_scope_close(depth);
    return written;
}

Tensor *tg_inplace1(Tensor *x, LoopTable loops, Tensor *(*f)(Tensor *)) {
    if (!tg_check_any(x, 1) || !tg_check_inplace(x)) return NULL;
    if (loops && tg_run_inplace(&x, 1, loops, NULL)) return x;
    int depth = t_scope_open();
    return tg_close_write(depth, x, depth ? f(x) : NULL);
}

Tensor *tg_inplace2(Tensor *x, Tensor *y, LoopTable loops, Tensor *(*f)(Tensor *, Tensor *)) {
    Tensor *both[] = {x, y};
    if (!tg_check_any_two(x, y) || !tg_check_inplace(x) || !tg_check_cast(tg_result_type(both, 2), x->dtype))
        return NULL;
    if (loops && tg_run_inplace(both, 2, loops, NULL)) return x;
    int depth = t_scope_open();
    return tg_close_write(depth, x, depth ? f(x, y) : NULL);
}
