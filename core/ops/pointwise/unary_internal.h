/* core/ops/pointwise/unary_internal.h: macros that define unary elementwise ops (internal).
 *
 * A row defines t_f, its backward, and t_f_, the same in place; the value of f(x) is defined under its name in
 * core/kernels/elementwise/elementwise_table.inc. `rule` is an expression for dx in terms of dy and the saved tensor
 * that `saves` names: X, Y or NOTHING. */
#ifndef TAPEGRAD_CORE_OPS_POINTWISE_UNARY_INTERNAL_H
#define TAPEGRAD_CORE_OPS_POINTWISE_UNARY_INTERNAL_H

#include <math.h>

#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"

typedef enum Saves { SAVES_NOTHING, SAVES_X, SAVES_Y } Saves;

typedef struct Unary {
    Op op;
    Saves saves;
    bool floating;          /* integers and bools are converted to float32 */
    const char *bool_error; /* the error for a bool without a loop; NULL: the generic one with the name of the kernel */
    const char *kernel;     /* "floor_vml_cpu" */
    LoopTable loops;
} Unary;

Tensor *tg_unary(const Unary *row, Tensor *x);

#define TG_RULE_NOTHING(rule) (void)r; dx[0] = rule;
#define TG_RULE_X(rule) Tensor *x = tg_saved(r, 0); if (x) dx[0] = rule;
#define TG_RULE_Y(rule) Tensor *y = tg_saved(r, 0); if (y) dx[0] = rule;

#define TG_UNARY(saves, f, grad_fn, floating, bool_error, kernel, rule, ...)                      \
    static void f##_backward(Record *r, Tensor *dy, Tensor **dx) {                                \
        TG_RULE_##saves(rule)                                                                     \
    }                                                                                             \
    static const Unary f##_row = {                                                                \
        {#f, grad_fn, f##_backward}, SAVES_##saves, floating, bool_error, kernel, {__VA_ARGS__}}; \
    Tensor *t_##f(Tensor *x) {                                                                    \
        return tg_unary(&f##_row, x);                                                             \
    }                                                                                             \
    Tensor *t_##f##_(Tensor *x) {                                                                 \
        return tg_inplace1(x, f##_row.loops, t_##f);                                              \
    }

/* y = f(x), floating: integers and bools are converted to float32. */
#define UNARY_FLOAT(saves, f, grad_fn, rule) \
    TG_UNARY(saves, f, grad_fn, true, NULL, #f, rule, FLOAT_LOOPS(f))

/* f_gradient(dy, v): the gradient of f by one fused loop if it will not be differentiated again, else composed. */
#define FUSED_GRADIENT(f, v, composed)                                                                          \
    static Tensor *f##_gradient(Tensor *dy, Tensor *v) {                                                        \
        static LoopTable loops = {FLOAT_LOOPS(f##_gradient)};                                                   \
        return t_is_grad_enabled() ? (composed)                                                                 \
                                   : tg_pointwise(#f "_backward_cpu", (Tensor *[]){dy, v}, 2, loops, false, 0); \
    }

/* y = f(x) for x of any dtype, in that dtype; of_bool (NULL: an error) and of_int64 are the loops for bools and
 * integers. */
#define UNARY_ANY_DTYPE(saves, f, grad_fn, of_bool, bool_error, kernel, of_int64, rule)                    \
    TG_UNARY(saves, f, grad_fn, false, bool_error, kernel, rule, [t_bool] = of_bool, [t_int64] = of_int64, \
             FLOAT_LOOPS(f))

#endif
