/* core/ops/unary_internal.h: the rows that ops of one tensor are written in (internal).
 *
 * A row makes t_f, its gradient rule, and t_f_, the same in place; the value of f(x) stands under its name in
 * core/kernels/elementwise/elementwise.inc. `rule` is an expression for dx in dy and what `saves` says is saved: X, Y or NOTHING. */
#ifndef TAPEGRAD_CORE_OPS_UNARY_INTERNAL_H
#define TAPEGRAD_CORE_OPS_UNARY_INTERNAL_H

#include <math.h>

#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise_internal.h"

typedef enum Saves { SAVES_NOTHING, SAVES_X, SAVES_Y } Saves;

typedef struct Unary {
    Op op;
    Saves saves;
    bool floating;       /* integers and bools are taken as float32 */
    const char *refusal; /* the sentence for a bool without a loop, NULL where PyTorch only names its kernel: */
    const char *kernel;  /* "floor_vml_cpu" */
    LoopTable loops;
} Unary;

Tensor *tg_unary(const Unary *row, Tensor *x);

#define PI 3.141592653589793

/* A Python number in a rule. */
#define N(value) t_number(value)

#define TG_RULE_NOTHING(rule) (void)r; dx[0] = rule;
#define TG_RULE_X(rule) Tensor *x = tg_saved(r, 0); if (x) dx[0] = rule;
#define TG_RULE_Y(rule) Tensor *y = tg_saved(r, 0); if (y) dx[0] = rule;

#define TG_UNARY(saves, f, grad_fn, floating, refusal, kernel, rule, ...)                        \
    static void f##_backward(Record *r, Tensor *dy, Tensor **dx) {                               \
        TG_RULE_##saves(rule)                                                                    \
    }                                                                                            \
    static const Unary f##_row = {                                                               \
        {#f, grad_fn, f##_backward}, SAVES_##saves, floating, refusal, kernel, {__VA_ARGS__}};   \
    Tensor *t_##f(Tensor *x) {                                                                   \
        return tg_unary(&f##_row, x);                                                            \
    }                                                                                            \
    Tensor *t_##f##_(Tensor *x) {                                                                \
        return tg_inplace1(x, f##_row.loops, t_##f);                                             \
    }

/* y = f(x), floating: integers and bools are taken as float32. */
#define UNARY_CURVE(saves, f, grad_fn, rule)                                                     \
    TG_UNARY(saves, f, grad_fn, true, NULL, #f, rule, [t_float32] = tg_##f##_float32, [t_float64] = tg_##f##_float64)

/* f_gradient(dy, v): the rule of f in one pass where nothing will be differentiated again, else composed. */
#define GRADIENT_CURVE(f, v, composed)                                                           \
    static Tensor *f##_gradient(Tensor *dy, Tensor *v) {                                         \
        static LoopTable loops = {[t_float32] = tg_##f##_gradient_float32, [t_float64] = tg_##f##_gradient_float64}; \
        return t_is_grad_enabled() ? (composed) : tg_pointwise(#f "_backward_cpu", (Tensor *[]){dy, v}, 2, loops, false, 0); \
    }

/* y = f(x) in x's own dtype, which of_bool (NULL: refused) and of_int64 do for bools and integers. */
#define UNARY_OF_ANY(saves, f, grad_fn, of_bool, refusal, kernel, of_int64, rule)                \
    TG_UNARY(saves, f, grad_fn, false, refusal, kernel, rule, [t_bool] = of_bool, [t_int64] = of_int64, \
             [t_float32] = tg_##f##_float32, [t_float64] = tg_##f##_float64)

#endif
