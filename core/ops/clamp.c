/* core/ops/clamp.c: the larger and the smaller of two tensors, which broadcast and promote; clamping between two. */
#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise_internal.h"

/* ---- the larger, the smaller ---- */

static Tensor *winner_of(const char *name, const Op *op, Tensor *a, Tensor *b, LoopTable loops) {
    return tg_record(op, tg_pointwise2(name, a, b, loops, false, 0), INPUTS(a, b), SAVED(a, b), NONE);
}

/* The part of dy that goes to one of two that were compared: 0 where it loses, half where they are equal. */
static Tensor *gradient_of_winner(Tensor *dy, Tensor *loses, Tensor *equal) {
    return t_where(equal, t_div(dy, t_number(2)), t_where(loses, t_number(0), dy));
}

/* The gradients of two that were compared. a_loses is NULL where it is what b's winning says. */
static void share(Record *r, Tensor *dy, Tensor **dx, Tensor *equal, Tensor *a_loses, Tensor *b_loses) {
    if (tg_needs(r, 0)) dx[0] = gradient_of_winner(dy, a_loses, equal);
    if (tg_needs(r, 1)) dx[1] = gradient_of_winner(dy, b_loses, equal);
}

/* torch.maximum(a, b): NaN wins. da = 0 where a < b, dy / 2 where they are equal, else dy; db likewise. */
static void maximum_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    share(r, dy, dx, t_eq(a, b), t_lt(a, b), t_lt(b, a));
}
static const Op maximum_op = {"maximum", "MaximumBackward0", maximum_backward};
static LoopTable maximum_loops = {[t_bool] = tg_or_bool, NUMBER_LOOPS(maximum)};

Tensor *t_maximum(Tensor *x, Tensor *other) {
    return winner_of("maximum", &maximum_op, x, other, maximum_loops);
}

/* torch.minimum(a, b): the same with < for >. */
static void minimum_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1);
    share(r, dy, dx, t_eq(a, b), t_gt(a, b), t_gt(b, a));
}
static const Op minimum_op = {"minimum", "MinimumBackward0", minimum_backward};
static LoopTable minimum_loops = {[t_bool] = tg_and_bool, NUMBER_LOOPS(minimum)};

Tensor *t_minimum(Tensor *x, Tensor *other) {
    return winner_of("minimum", &minimum_op, x, other, minimum_loops);
}

/* torch.fmax(a, b), torch.fmin(a, b): a NaN loses; of two NaNs a is taken. Gradients as above. */
static void fmax_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *a_wins = t_logical_or(t_gt(a, b), t_isnan(b));
    share(r, dy, dx, t_eq(a, b), t_logical_not(a_wins), a_wins);
}
static void fmin_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *a = tg_saved(r, 0), *b = tg_saved(r, 1), *a_wins = t_logical_or(t_lt(a, b), t_isnan(b));
    share(r, dy, dx, t_eq(a, b), t_logical_not(a_wins), a_wins);
}
static const Op fmax_op = {"fmax", "FmaxBackward0", fmax_backward}, fmin_op = {"fmin", "FminBackward0", fmin_backward};

Tensor *t_fmax(Tensor *x, Tensor *other) {
    static LoopTable loops = {
        [t_bool] = tg_or_bool, [t_int64] = tg_maximum_int64, [t_float32] = tg_fmax_float32, [t_float64] = tg_fmax_float64};
    return winner_of("fmax", &fmax_op, x, other, loops);
}

Tensor *t_fmin(Tensor *x, Tensor *other) {
    static LoopTable loops = {
        [t_bool] = tg_and_bool, [t_int64] = tg_minimum_int64, [t_float32] = tg_fmin_float32, [t_float64] = tg_fmin_float64};
    return winner_of("fmin", &fmin_op, x, other, loops);
}

/* ---- clamping ---- */

/* torch.clamp(x, min, max): y = min(max(x, min), max); a NULL bound is no bound. Numbers as bounds: dx = dy where
 * min < x < max, else 0. Tensors as bounds: dx, dmin, dmax as those of maximum and minimum, which share dy where two are
 * equal. torch.clamp_min(x, min) and torch.clamp_max(x, max) are clamp with one bound. Errors: no bound at all; bools, but
 * for one bound that is a tensor. */
static void clamp_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *min = tg_saved(r, 1), *max = tg_saved(r, 2), *inside = NULL;
    if (min) inside = t_gt(x, min);
    if (max) inside = inside ? t_logical_and(inside, t_lt(x, max)) : t_lt(x, max);
    dx[0] = t_where(inside, dy, t_number(0));
}

static void clamp_tensor_backward(Record *r, Tensor *dy, Tensor **dx) {
    Tensor *x = tg_saved(r, 0), *min = tg_saved(r, 1), *max = tg_saved(r, 2), *lifted = min ? t_maximum(x, min) : x;
    if (max) {
        Tensor *equal = t_eq(lifted, max);
        dx[2] = gradient_of_winner(dy, t_lt(lifted, max), equal);
        dy = gradient_of_winner(dy, t_gt(lifted, max), equal);
    }
    if (min) {
        Tensor *equal = t_eq(x, min);
        dx[1] = gradient_of_winner(dy, t_gt(x, min), equal);
        dy = gradient_of_winner(dy, t_lt(x, min), equal);
    }
    dx[0] = dy;
}

typedef struct Clamp {
    Op numbers, tensors;
    const char *kernel; /* of numbers */
} Clamp;
static const Clamp clamp_between = {{"clamp", "ClampBackward1", clamp_backward},
                                    {"clamp", "ClampBackward0", clamp_tensor_backward},
                                    "clamp_scalar_cpu"};
static const Clamp clamp_above = {{"clamp_min", "ClampMinBackward0", clamp_backward},
                                  {"clamp_min", "ClampMinBackward1", clamp_tensor_backward},
                                  "clamp_min_scalar_cpu"};
static const Clamp clamp_below = {{"clamp_max", "ClampMaxBackward0", clamp_backward},
                                  {"clamp_max", "ClampMaxBackward1", clamp_tensor_backward},
                                  "clamp_max_scalar_cpu"};

static LoopTable clamp_loops = {NUMBER_LOOPS(clamp)};

static bool is_number_or_none(const Tensor *bound) {
    return !bound || bound->wrapped_number;
}

/* Two numbers of which neither is NaN, around floats, are hardtanh's. */
static LoopTable hardtanh_loops = {[t_float32] = tg_hardtanh_float32, [t_float64] = tg_hardtanh_float64};
static bool take_numbers(const Tensor *x, const Tensor *min, const Tensor *max, Knobs *knobs) {
    if (!tg_is_floating(x->dtype) || !min || !max || !min->wrapped_number || !max->wrapped_number) return false;
    *knobs = (Knobs){tg_read_double(min), tg_read_double(max), 0};
    return knobs->a == knobs->a && knobs->b == knobs->b;
}

static bool fits(const Tensor *bound, t_DType dtype) {
    return !bound || !bound->wrapped_number || tg_check_value(bound, dtype);
}

static Tensor *clamp(const Clamp *kind, Tensor *x, Tensor *min, Tensor *max) {
    const bool numbers = is_number_or_none(min) && is_number_or_none(max);
    const t_DType dtype = tg_result_type((Tensor *[]){x, min ? min : x, max ? max : x}, 3);
    if (!fits(min, dtype) || !fits(max, dtype)) return NULL;
    if (dtype == t_bool && (numbers || (min && max)))
        return tg_not_implemented(!numbers ? "clamp_cpu" : (min && max ? kind : min ? &clamp_above : &clamp_below)->kernel, t_bool);
    Tensor *all[] = {x, min ? min : max, max};
    Knobs knobs;
    Tensor *y = take_numbers(x, min, max, &knobs) ? tg_pointwise_in("clamp_cpu", x->dtype, &x, 1, hardtanh_loops, 0, &knobs)
              : min && max ? tg_pointwise_in("clamp_cpu", tg_result_type(all, 3), all, 3, clamp_loops, 0, NULL)
                         : tg_pointwise("clamp_cpu", all, 2, min ? maximum_loops : minimum_loops, false, 0);
    return tg_record(numbers ? &kind->numbers : &kind->tensors, y, INPUTS(x, min, max), SAVED(x, min, max), NONE);
}

Tensor *t_clamp(Tensor *x, Tensor *min, Tensor *max) {
    if (!tg_check(x, 1) || !tg_check_optional(min, 2) || !tg_check_optional(max, 3)) return NULL;
    if (!min && !max) return tg_fail("torch.clamp: At least one of 'min' or 'max' must not be None");
    return clamp(&clamp_between, x, min, max);
}

Tensor *t_clamp_min(Tensor *x, Tensor *min) {
    return tg_check_two(x, min) ? clamp(&clamp_above, x, min, NULL) : NULL;
}

Tensor *t_clamp_max(Tensor *x, Tensor *max) {
    return tg_check_two(x, max) ? clamp(&clamp_below, x, NULL, max) : NULL;
}

/* A number that does not fit x's dtype is refused in other words than a tensor. */
static bool check_bound(const Tensor *x, Tensor *bound) {
    if (!bound || !bound->wrapped_number) return true;
    t_DType dtype = tg_result_type((Tensor *[]){(Tensor *)x, bound}, 2);
    if (dtype == x->dtype || tg_is_floating(x->dtype)) return tg_check_value(bound, x->dtype);
    return tg_fail("result type %s can't be cast to the desired output type %s", tg_scalar_name(dtype), tg_c_name(x->dtype));
}

Tensor *t_clamp_(Tensor *x, Tensor *min, Tensor *max) {
    if (!tg_check(x, 1) || !tg_check_optional(min, 2) || !tg_check_optional(max, 3)) return NULL;
    if (!check_bound(x, min) || !check_bound(x, max) || !tg_check_inplace(x)) return NULL;
    Knobs knobs;
    if (take_numbers(x, min, max, &knobs) ? tg_run_inplace(&x, 1, hardtanh_loops, &knobs)
                                          : min && max && tg_run_inplace((Tensor *[]){x, min, max}, 3, clamp_loops, NULL))
        return x;
    int depth = tg_open_write(x);
    return tg_close_write(depth, x, depth ? t_clamp(x, min, max) : NULL);
}

Tensor *t_clamp_min_(Tensor *x, Tensor *min) {
    return tg_check_two(x, min) && check_bound(x, min)
           ? tg_inplace2(x, min, x->dtype == t_bool ? NULL : maximum_loops, t_clamp_min) : NULL;
}

Tensor *t_clamp_max_(Tensor *x, Tensor *max) {
    return tg_check_two(x, max) && check_bound(x, max)
           ? tg_inplace2(x, max, x->dtype == t_bool ? NULL : minimum_loops, t_clamp_max) : NULL;
}
