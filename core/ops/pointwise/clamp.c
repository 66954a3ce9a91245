/* core/ops/pointwise/clamp.c: maximum, minimum, fmax, fmin and clamp. */
#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"

/* ---- maximum, minimum, fmax, fmin ---- */

static Tensor *elementwise_max(const char *name, const Op *op, Tensor *a, Tensor *b, LoopTable loops) {
    return tg_record(op, tg_pointwise2(name, a, b, loops, false, 0), INPUTS(a, b), SAVED(a, b), NONE);
}

/* The gradient of one operand: 0 where the other one is selected, dy / 2 where both are equal, else dy. */
static Tensor *select_gradient(Tensor *dy, Tensor *not_selected, Tensor *equal) {
    return t_where(equal, t_div(dy, t_number(2)), t_where(not_selected, t_number(0), dy));
}

/* The gradients of a and b; a_selected and b_selected say where the result is that operand. */
static void select_gradients(Record *r, Tensor *dy, Tensor **dx, Tensor *equal, Tensor *b_selected,
                             Tensor *a_selected) {
    if (tg_needs(r, 0)) dx[0] = select_gradient(dy, b_selected, equal);
    if (tg_needs(r, 1)) dx[1] = select_gradient(dy, a_selected, equal);
}

/* torch.maximum(a, b): NaN if either is NaN. da = 0 where a < b, dy / 2 where they are equal, else dy; db likewise. */
static void maximum_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    select_gradients(r, dy, dx, t_eq(a, b), t_lt(a, b), t_lt(b, a));
}
static const Op maximum_op = {"maximum", "MaximumBackward0", maximum_backward};
TG_EACH2(maximum_bool, bool, bool, a | b)
TG_EACH2(maximum_int64, int64_t, int64_t, a > b ? a : b)
static LoopTable maximum_loops = {[t_bool] = maximum_bool, NUMBER_LOOPS(maximum)};

Tensor *t_maximum(Tensor *x, Tensor *other) {
    return elementwise_max("maximum", &maximum_op, x, other, maximum_loops);
}

/* torch.minimum(a, b): the same with > for <. */
static void minimum_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    select_gradients(r, dy, dx, t_eq(a, b), t_gt(a, b), t_gt(b, a));
}
static const Op minimum_op = {"minimum", "MinimumBackward0", minimum_backward};
TG_EACH2(minimum_bool, bool, bool, a & b)
TG_EACH2(minimum_int64, int64_t, int64_t, a < b ? a : b)
static LoopTable minimum_loops = {[t_bool] = minimum_bool, NUMBER_LOOPS(minimum)};

Tensor *t_minimum(Tensor *x, Tensor *other) {
    return elementwise_max("minimum", &minimum_op, x, other, minimum_loops);
}

/* torch.fmax(a, b), torch.fmin(a, b): ignore a NaN if the other is a number; of two NaNs a is selected. Gradients as
 * above. */
static void fmax_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *is_a = t_logical_or(t_gt(a, b), t_isnan(b));
    select_gradients(r, dy, dx, t_eq(a, b), t_logical_not(is_a), is_a);
}
static void fmin_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *is_a = t_logical_or(t_lt(a, b), t_isnan(b));
    select_gradients(r, dy, dx, t_eq(a, b), t_logical_not(is_a), is_a);
}
static const Op fmax_op = {"fmax", "FmaxBackward0", fmax_backward}, fmin_op = {"fmin", "FminBackward0", fmin_backward};

Tensor *t_fmax(Tensor *x, Tensor *other) {
    static LoopTable loops = {[t_bool] = maximum_bool, [t_int64] = maximum_int64, FLOAT_LOOPS(fmax)};
    return elementwise_max("fmax", &fmax_op, x, other, loops);
}

Tensor *t_fmin(Tensor *x, Tensor *other) {
    static LoopTable loops = {[t_bool] = minimum_bool, [t_int64] = minimum_int64, FLOAT_LOOPS(fmin)};
    return elementwise_max("fmin", &fmin_op, x, other, loops);
}

/* ---- clamp ---- */

/* torch.clamp(x, min, max): y = min(max(x, min), max); a NULL bound is no bound. Number bounds: dx = dy where min <
 * x < max, else 0. Tensor bounds: dx, dmin, dmax as for maximum and minimum, which divide dy equally where two are
 * equal. torch.clamp_min(x, min) and torch.clamp_max(x, max) are clamp with one bound. Errors: no bound; bools,
 * except with one tensor bound. */
static void clamp_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *min = tg_saved(r, 1), *max = tg_saved(r, 2), *inside = NULL;
    if (min) inside = t_gt(x, min);
    if (max) inside = inside ? t_logical_and(inside, t_lt(x, max)) : t_lt(x, max);
    dx[0] = t_where(inside, dy, t_number(0));
}

static void clamp_tensor_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *min = tg_saved(r, 1), *max = tg_saved(r, 2), *raised = min ? t_maximum(x, min) : x;
    if (max) {
        Tensor *equal = t_eq(raised, max);
        dx[2] = select_gradient(dy, t_lt(raised, max), equal);
        dy = select_gradient(dy, t_gt(raised, max), equal);
    }
    if (min) {
        Tensor *equal = t_eq(x, min);
        dx[1] = select_gradient(dy, t_gt(x, min), equal);
        dy = select_gradient(dy, t_lt(x, min), equal);
    }
    dx[0] = dy;
}

typedef struct Clamp {
    Op numbers, tensors;
    const char *kernel; /* for number bounds, in PyTorch's errors */
} Clamp;
static const Clamp clamp_both = {{"clamp", "ClampBackward1", clamp_backward},
                                    {"clamp", "ClampBackward0", clamp_tensor_backward},
                                    "clamp_scalar_cpu"};
static const Clamp clamp_min = {{"clamp_min", "ClampMinBackward0", clamp_backward},
                                  {"clamp_min", "ClampMinBackward1", clamp_tensor_backward},
                                  "clamp_min_scalar_cpu"};
static const Clamp clamp_max = {{"clamp_max", "ClampMaxBackward0", clamp_backward},
                                  {"clamp_max", "ClampMaxBackward1", clamp_tensor_backward},
                                  "clamp_max_scalar_cpu"};

static inline int64_t clamped(int64_t x, int64_t min, int64_t max) {
    const int64_t raised = x > min ? x : min;
    return raised < max ? raised : max;
}
TG_EACH3(clamp_int64, int64_t, int64_t, clamped(a, b, c))
static LoopTable clamp_loops = {NUMBER_LOOPS(clamp)};

static bool is_number_or_none(const Tensor *bound) {
    return !bound || bound->wrapped_number;
}

/* Floating x and two number bounds that are not NaN: the same as hardtanh. */
static LoopTable hardtanh_loops = {FLOAT_LOOPS(hardtanh)};
static bool number_bounds(const Tensor *x, const Tensor *min, const Tensor *max, tg_Parameters *parameters) {
    if (!tg_is_floating(x->dtype) || !min || !max || !min->wrapped_number || !max->wrapped_number) return false;
    *parameters = (tg_Parameters){tg_read_double(min), tg_read_double(max), 0};
    return parameters->a == parameters->a && parameters->b == parameters->b;
}

static bool fits(const Tensor *bound, t_DType dtype) {
    return !bound || !bound->wrapped_number || tg_check_tensor_fits(bound, dtype);
}

static Tensor *clamp(const Clamp *kind, Tensor *x, Tensor *min, Tensor *max) {
    const bool numbers = is_number_or_none(min) && is_number_or_none(max);
    const t_DType dtype = tg_result_type((Tensor *[]){x, min ? min : x, max ? max : x}, 3);
    if (!fits(min, dtype) || !fits(max, dtype)) return NULL;
    if (dtype == t_bool && (numbers || (min && max)))
        return tg_not_implemented(!numbers ? "clamp_cpu" : (min && max ? kind : min ? &clamp_min : &clamp_max)->kernel,
                                  t_bool);
    Tensor *all[] = {x, min ? min : max, max};
    tg_Parameters parameters;
    Tensor *y = number_bounds(x, min, max, &parameters)
                    ? tg_pointwise_in("clamp_cpu", x->dtype, &x, 1, hardtanh_loops, 0, &parameters)
                : min && max ? tg_pointwise_in("clamp_cpu", tg_result_type(all, 3), all, 3, clamp_loops, 0, NULL)
                             : tg_pointwise("clamp_cpu", all, 2, min ? maximum_loops : minimum_loops, false, 0);
    return tg_record(numbers ? &kind->numbers : &kind->tensors, y, INPUTS(x, min, max), SAVED(x, min, max), NONE);
}

Tensor *t_clamp(Tensor *x, Tensor *min, Tensor *max) {
    if (!tg_check_any(x, 1) || !tg_check_any_optional(min, 2) || !tg_check_any_optional(max, 3)) return NULL;
    if (!min && !max) return tg_fail("torch.clamp: At least one of 'min' or 'max' must not be None");
    return clamp(&clamp_both, x, min, max);
}

Tensor *t_clamp_min(Tensor *x, Tensor *min) {
    return tg_check_any_two(x, min) ? clamp(&clamp_min, x, min, NULL) : NULL;
}

Tensor *t_clamp_max(Tensor *x, Tensor *max) {
    return tg_check_any_two(x, max) ? clamp(&clamp_max, x, NULL, max) : NULL;
}

/* PyTorch's error for a number bound that does not fit x's dtype is not the one for a tensor. */
static bool check_bound(const Tensor *x, Tensor *bound) {
    if (!bound || !bound->wrapped_number) return true;
    t_DType dtype = tg_result_type((Tensor *[]){(Tensor *)x, bound}, 2);
    if (dtype == x->dtype || tg_is_floating(x->dtype)) return tg_check_tensor_fits(bound, x->dtype);
    return tg_fail("result type %s can't be cast to the desired output type %s", tg_scalar_name(dtype),
                   tg_c_type_name(x->dtype));
}

Tensor *t_clamp_(Tensor *x, Tensor *min, Tensor *max) {
    if (!tg_check_any(x, 1) || !tg_check_any_optional(min, 2) || !tg_check_any_optional(max, 3)) return NULL;
    if (!check_bound(x, min) || !check_bound(x, max) || !tg_check_inplace(x)) return NULL;
    tg_Parameters parameters;
    if (number_bounds(x, min, max, &parameters)
            ? tg_run_inplace(&x, 1, hardtanh_loops, &parameters)
            : min && max && tg_run_inplace((Tensor *[]){x, min, max}, 3, clamp_loops, NULL))
        return x;
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_clamp(x, min, max) : NULL);
}

Tensor *t_clamp_min_(Tensor *x, Tensor *min) {
    return tg_check_any_two(x, min) && check_bound(x, min)
           ? tg_inplace2(x, min, x->dtype == t_bool ? NULL : maximum_loops, t_clamp_min) : NULL;
}

Tensor *t_clamp_max_(Tensor *x, Tensor *max) {
    return tg_check_any_two(x, max) && check_bound(x, max)
           ? tg_inplace2(x, max, x->dtype == t_bool ? NULL : minimum_loops, t_clamp_max) : NULL;
}
