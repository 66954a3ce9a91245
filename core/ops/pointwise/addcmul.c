/* core/ops/pointwise/addcmul.c: lerp, addcmul and addcdiv: elementwise ops of three tensors, which broadcast. */
#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* Runs x = f(x, a, b) in place if all are of one floating dtype and nothing is recorded; false: x is unchanged. */
static bool run_in_place(Tensor *const *x, LoopTable loops, const tg_Parameters *p) {
    for (int i = 1; i < 3; i++)
        if (!x[i]->wrapped_number && x[i]->dtype != x[0]->dtype) return false;
    return tg_is_floating(x[0]->dtype) && tg_run_inplace(x, 3, loops, p);
}
static bool check_in_place(Tensor *x, Tensor *a, Tensor *b) {
    return tg_check_any(x, 1) && tg_check_inplace(x) && tg_check_any(a, 2) && tg_check_any(b, 3);
}

/* torch.lerp(start, end, weight): y = start + weight (end - start). dstart = dy (1 - weight), dend = dy weight,
 * dweight = dy (end - start). weight: a number or a tensor. Floating. Errors: end or (with dims) weight of another
 * dtype. */
static void lerp_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *weight = tg_saved(r, 0);
    if (weight && tg_needs(r, 0)) {
        /* a number keeps its double precision */
        Tensor *rest = weight->wrapped_number ? t_number(1 - tg_read_double(weight)) : t_sub(t_number(1), weight);
        dx[0] = t_mul(dy, rest);
    }
    if (weight && tg_needs(r, 1)) dx[1] = t_mul(dy, weight);
    if (tg_needs(r, 2)) {
        Tensor *start = tg_saved(r, 1), *end = tg_saved(r, 2);
        if (start && end) dx[2] = t_mul(dy, t_sub(end, start));
    }
}
static const Op lerp_number_op = {"lerp", "LerpBackward0", lerp_backward};
static const Op lerp_op = {"lerp", "LerpBackward1", lerp_backward};

static LoopTable lerp_loops = {FLOAT_LOOPS(lerp)};

Tensor *t_lerp(Tensor *x, Tensor *end, Tensor *weight) {
    if (!tg_check_any_three(x, end, weight)) return NULL;
    t_DType dtype = x->dtype;
    if (end->dtype != dtype)
        return tg_fail("expected dtype %s for `end` but got dtype %s", tg_c_type_name(dtype),
                       tg_c_type_name(end->dtype));
    if (weight->ndim && weight->dtype != dtype)
        return tg_fail("expected dtype %s for `weight` but got dtype %s", tg_c_type_name(dtype),
                       tg_c_type_name(weight->dtype));
    if (!weight->wrapped_number) dtype = tg_result_type((Tensor *[]){x, end, weight}, 3);
    if (weight->wrapped_number && !tg_check_tensor_fits(weight, dtype)) return NULL;
    const char *kernel = weight->wrapped_number ? "lerp_kernel_scalar" : "lerp_kernel_tensor";
    Tensor *const inputs[] = {x, end, weight};
    Tensor *y = weight->wrapped_number && tg_is_half(dtype)
                    ? tg_pointwise_unrounded(kernel, dtype, inputs, 3, lerp_loops)
                    : tg_pointwise_in(kernel, dtype, inputs, 3, lerp_loops, 0, NULL);
    bool needs_ends = weight->requires_grad;
    return tg_record(weight->wrapped_number ? &lerp_number_op : &lerp_op, y, INPUTS(x, end, weight),
                     SAVED(weight, needs_ends ? x : NULL, needs_ends ? end : NULL), NONE);
}

Tensor *t_lerp_(Tensor *x, Tensor *end, Tensor *weight) {
    if (!check_in_place(x, end, weight) ||
        (weight->wrapped_number && !tg_check_tensor_fits(weight, x->dtype))) return NULL;
    if (run_in_place((Tensor *[]){x, end, weight}, lerp_loops, NULL)) return x;
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_lerp(x, end, weight) : NULL);
}

/* Shared by addcmul and addcdiv; the parameter of the loops is `value`. */
static Tensor *add_term(const char *kernel, const Op *op, Tensor *x, Tensor *a, Tensor *b, double value,
                        LoopTable loops) {
    Tensor *all[] = {x, a, b};
    const t_DType dtype = tg_result_type(all, 3);
    if (!tg_check_scalar_fits(value, dtype)) return NULL;
    Tensor *y = tg_pointwise_in(kernel, dtype, all, 3, loops, 0, &(tg_Parameters){value, 0, 0});
    return tg_record(op, y, INPUTS(x, a, b), SAVED(a, b), ATTRIBUTES(value));
}
#define VALUE ((const tg_Parameters *)context)->a

/* torch.addcmul(x, a, b, value=value): y = x + value a b; the three promote (not all bool). dx = dy, da = dy value
 * b, db = dy value a. */
static void addcmul_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *value = t_number(*(const double *)r->attributes);
    dx[0] = dy;
    if (tg_needs(r, 1)) dx[1] = t_mul(dy, t_mul(tg_saved(r, 1), value));
    if (tg_needs(r, 2)) dx[2] = t_mul(dy, t_mul(tg_saved(r, 0), value));
}
static const Op addcmul_op = {"addcmul", "AddcmulBackward0", addcmul_backward};
TG_EACH3(addcmul_int64, int64_t, int64_t, (uint64_t)a + (uint64_t)(int64_t)VALUE * (uint64_t)b * (uint64_t)c)

static LoopTable addcmul_loops = {NUMBER_LOOPS(addcmul)};

Tensor *t_addcmul(Tensor *x, Tensor *tensor1, Tensor *tensor2, double value) {
    if (!tg_check_any_three(x, tensor1, tensor2)) return NULL;
    return add_term("addcmul_cpu_out", &addcmul_op, x, tensor1, tensor2, value, addcmul_loops);
}

Tensor *t_addcmul_(Tensor *x, Tensor *tensor1, Tensor *tensor2, double value) {
    if (!check_in_place(x, tensor1, tensor2) || !tg_check_scalar_fits(value, x->dtype)) return NULL;
    if (run_in_place((Tensor *[]){x, tensor1, tensor2}, addcmul_loops, &(tg_Parameters){value, 0, 0})) return x;
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_addcmul(x, tensor1, tensor2, value) : NULL);
}

/* torch.addcdiv(x, a, b, value=value): y = x + value a / b. dx = dy, da = dy value / b, db = -dy value a / b^2.
 * Error: a and b both integers. */
static void addcdiv_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *value = t_number(*(const double *)r->attributes), *b = tg_saved(r, 1);
    dx[0] = dy;
    if (!b || !(tg_needs(r, 1) || tg_needs(r, 2))) return;
    Tensor *factor = t_div(value, b);
    dx[1] = t_mul(dy, factor);
    if (tg_needs(r, 2)) dx[2] = t_neg(t_mul(dy, t_mul(factor, t_div(tg_saved(r, 0), b))));
}
static const Op addcdiv_op = {"addcdiv", "AddcdivBackward0", addcdiv_backward};
static LoopTable addcdiv_loops = {FLOAT_LOOPS(addcdiv)};

Tensor *t_addcdiv(Tensor *x, Tensor *tensor1, Tensor *tensor2, double value) {
    if (!tg_check_any_three(x, tensor1, tensor2)) return NULL;
    if (!tg_is_floating(tensor1->dtype) && !tg_is_floating(tensor2->dtype))
        return tg_fail(
            "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a "
            "true division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + "
            "value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * "
            "tensor1 / tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: "
            "(input + value * tensor1 / tensor2), for all dtypes.");
    return add_term("addcdiv_cpu_out", &addcdiv_op, x, tensor1, tensor2, value, addcdiv_loops);
}

Tensor *t_addcdiv_(Tensor *x, Tensor *tensor1, Tensor *tensor2, double value) {
    if (!check_in_place(x, tensor1, tensor2) || !tg_check_scalar_fits(value, x->dtype)) return NULL;
    if (run_in_place((Tensor *[]){x, tensor1, tensor2}, addcdiv_loops, &(tg_Parameters){value, 0, 0})) return x;
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_addcdiv(x, tensor1, tensor2, value) : NULL);
}
