/* core/ops/pointwise/activation_internal.h: elementwise activations with up to three parameters (internal).
 *
 * An activation is a loop for the value y = f(x), a loop for the gradient (dx = dy f'(x)), and the same gradient
 * composed of ops, which can be differentiated again. Shapes: any, kept. */
#ifndef TAPEGRAD_CORE_OPS_POINTWISE_ACTIVATION_INTERNAL_H
#define TAPEGRAD_CORE_OPS_POINTWISE_ACTIVATION_INTERNAL_H

#include "core/kernels/elementwise/elementwise.h"
#include "core/ops/pointwise/pointwise_internal.h"

typedef struct Activation {
    Op op, into;        /* y = f(x), and in place f_(x), whose grad_fn may have another name */
    const char *kernel; /* "elu_cpu": the name in PyTorch's error for an unsupported dtype */
    Loop value[T_DTYPES], gradient[T_DTYPES];
    Tensor *(*rule)(Tensor *dy, Tensor *x, const tg_Parameters *p);
} Activation;

/* The attributes of its records. */
typedef struct ActivationAttributes {
    const Activation *f;
    tg_Parameters parameters;
} ActivationAttributes;

/* f(x), or x = f(x) if inplace. */
Tensor *tg_activate(const Activation *f, Tensor *x, tg_Parameters p, bool inplace);
void tg_activation_backward(Record *r, Tensor *dy, Tensor **dx); /* the backward of both ops */
Tensor *tg_elu(Tensor *x, double alpha, bool inplace); /* F.elu; t_celu and t_selu use the same loop */
#define TG_ACTIVATION(name, grad_fn, grad_fn_inplace)                                            \
    .op = {name, grad_fn, tg_activation_backward}, .into = {name "_", grad_fn_inplace, tg_activation_backward}

/* A loop over elements x: `expression` is the result in terms of x and the parameters a, b, c. */
#define TG_ACTIVATION_LOOP(name, T, expression)                                             \
    static void name(int64_t n, char *const *data, const int64_t *s, const void *context) { \
        TG_PARAMETERS(T)                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                   \
            const T x = *(const T *)(data[1] + i * s[1]);                                   \
            *(T *)(data[0] + i * s[0]) = (expression);                                      \
        }                                                                                   \
    }
#define TG_PARAMETERS(T)                                                                         \
    const tg_Parameters *p = context;                                                            \
    const T a = (T)p->a, b = (T)p->b, c = (T)p->c;                                               \
    (void)a, (void)b, (void)c;

/* The loops of core/kernels/elementwise/elementwise.h. */
#define TG_ACTIVATION_LOOPS(f) TG_VALUE_AND_GRADIENT(f, f##_gradient)
#define TG_VALUE_AND_GRADIENT(f, derivative) \
    .value = {FLOAT_LOOPS(f)},               \
    .gradient = {FLOAT_LOOPS(derivative)}

#endif
