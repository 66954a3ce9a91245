/* core/ops/activation_internal.h: one number in, one number out, with up to three numbers that shape the curve (internal).
 *
 * An activation is a value y = f(x), its gradient as a loop (dx = dy f'(x)), and the same gradient as a rule in ops, which
 * can be differentiated again. Shapes: any, kept. */
#ifndef TAPEGRAD_CORE_OPS_ACTIVATION_INTERNAL_H
#define TAPEGRAD_CORE_OPS_ACTIVATION_INTERNAL_H

#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise_internal.h"

typedef struct Activation {
    Op op, into;        /* of y = f(x), and of f_(x), whose grad_fn may have another name */
    const char *kernel; /* "elu_cpu": PyTorch's name for it, in the error for a dtype without a loop */
    Loop value[T_DTYPES], gradient[T_DTYPES];
    Tensor *(*rule)(Tensor *dy, Tensor *x, const Knobs *knobs);
} Activation;

/* f(x), or in place x = f(x). */
Tensor *tg_activate(const Activation *f, Tensor *x, Knobs knobs, bool inplace);
void tg_activation_backward(Record *r, Tensor *dy, Tensor **dx); /* the rule of both ops */
Tensor *tg_elu(Tensor *x, double alpha, bool inplace); /* F.elu, whose loop t_celu and t_selu share */
#define TG_ACTIVATION(name, grad_fn, grad_fn_inplace)                                            \
    .op = {name, grad_fn, tg_activation_backward}, .into = {name "_", grad_fn_inplace, tg_activation_backward}

/* A loop over elements x: `expression` is the result in terms of x and of a, b, c. */
#define TG_CURVE(name, T, expression)                                                            \
    static void name(int64_t n, char *const *p, const int64_t *s, const void *context) {         \
        TG_KNOBS(T)                                                                              \
        for (int64_t i = 0; i < n; i++) {                                                        \
            const T x = *(const T *)(p[1] + i * s[1]);                                           \
            *(T *)(p[0] + i * s[0]) = (expression);                                              \
        }                                                                                        \
    }
#define TG_KNOBS(T)                                                                              \
    const Knobs *knobs = context;                                                                \
    const T a = (T)knobs->a, b = (T)knobs->b, c = (T)knobs->c;                                   \
    (void)a, (void)b, (void)c;

/* Those of core/kernels/elementwise/elementwise.h. */
#define TG_CURVE_LOOPS(f) TG_CURVE_AND_SLOPE(f, f##_gradient)
#define TG_CURVE_AND_SLOPE(f, slope)                                                             \
    .value = {[t_float32] = tg_##f##_float32, [t_float64] = tg_##f##_float64},                   \
    .gradient = {[t_float32] = tg_##slope##_float32, [t_float64] = tg_##slope##_float64}

#endif
