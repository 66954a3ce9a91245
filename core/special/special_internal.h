/* core/special/special_internal.h: macros that define the functions of torch.special (internal). f is the name without
 * special_; `value` is an expression in x, or in a and b, of double precision; `rule` is what dy is multiplied by, in
 * terms of x and y. */
#ifndef TAPEGRAD_CORE_SPECIAL_SPECIAL_INTERNAL_H
#define TAPEGRAD_CORE_SPECIAL_SPECIAL_INTERNAL_H

#include <math.h>

#include "core/kernels/special/special.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "core/special/special.h"

#define SPECIAL_LOOPS(f, EACH, value)        \
    EACH(f##_float32, float, float, value)   \
    EACH(f##_float64, double, double, value) \
    static LoopTable f##_loops = {[t_float32] = f##_float32, [t_float64] = f##_float64};

/* y = f(x) without a derivative */
#define SPECIAL1(f, value)                                                                     \
    SPECIAL_LOOPS(f, TG_EACH1, value)                                                          \
    Tensor *special_##f(Tensor *x) {                                                           \
        return tg_check_any(x, 1) ? tg_pointwise(#f "_cpu", &x, 1, f##_loops, true, 0) : NULL; \
    }

/* y = f(x) with one, whose rule reads x and y, or only one of them, which alone is saved: a later write to the other
 * is allowed */
#define SPECIAL1_GRADIENT(f, grad_fn, value, rule)                 \
    static void f##_backward(Record *r, Tensor *dy, Tensor **dx) { \
        Tensor *x = tg_saved(r, 0), *y = tg_saved(r, 1);           \
        if (x && y) dx[0] = t_mul(dy, rule);                       \
    }                                                              \
    SPECIAL1_RECORDED(f, grad_fn, value, SAVED(x, y))
#define SPECIAL1_GRADIENT_OF_X(f, grad_fn, value, rule)            \
    static void f##_backward(Record *r, Tensor *dy, Tensor **dx) { \
        Tensor *x = tg_saved(r, 0);                                \
        if (x) dx[0] = t_mul(dy, rule);                            \
    }                                                              \
    SPECIAL1_RECORDED(f, grad_fn, value, SAVED(x))
#define SPECIAL1_GRADIENT_OF_Y(f, grad_fn, value, rule)            \
    static void f##_backward(Record *r, Tensor *dy, Tensor **dx) { \
        Tensor *y = tg_saved(r, 0);                                \
        if (y) dx[0] = t_mul(dy, rule);                            \
    }                                                              \
    SPECIAL1_RECORDED(f, grad_fn, value, SAVED(y))
#define SPECIAL1_RECORDED(f, grad_fn, value, saved)                                                 \
    SPECIAL_LOOPS(f, TG_EACH1, value)                                                               \
    static const Op f##_op = {"special_" #f, grad_fn, f##_backward};                                \
    Tensor *special_##f(Tensor *x) {                                                                \
        Tensor *y = tg_check_any(x, 1) ? tg_pointwise(#f "_cpu", &x, 1, f##_loops, true, 0) : NULL; \
        return tg_record(&f##_op, y, INPUTS(x), saved, NONE);                                       \
    }

#endif
