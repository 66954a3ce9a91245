/* nn/init.c: initial values of parameters. */
#include "nn/init.h"

#include <math.h>

#include "core/autograd.h"
#include "core/tensor.h"

/* In place and without a record, whatever the grad mode: a leaf that requires grad may be filled here. */
static Tensor *fill(Tensor *x, Tensor *(*how)(Tensor *, double, double, t_Generator *), double a, double b) {
    bool grad_enabled = t_set_grad_enabled(false);
    Tensor *done = how(x, a, b, NULL);
    t_set_grad_enabled(grad_enabled);
    return done;
}

static Tensor *constant(Tensor *x, double value, double unused, t_Generator *none) {
    (void)unused;
    (void)none;
    return t_fill_(x, value);
}

Tensor *nn_init_uniform_(Tensor *x, double a, double b) {
    return fill(x, t_uniform_, a, b);
}

Tensor *nn_init_normal_(Tensor *x, double mean, double std) {
    return fill(x, t_normal_, mean, std);
}

Tensor *nn_init_constant_(Tensor *x, double value) {
    return fill(x, constant, value, 0);
}

Tensor *nn_init_zeros_(Tensor *x) {
    return fill(x, constant, 0, 0);
}

Tensor *nn_init_ones_(Tensor *x) {
    return fill(x, constant, 1, 0);
}

/* fan_in = size(1) * receptive field, fan_out = size(0) * receptive field; the field is the product of the other sizes. */
static bool fans(Tensor *x, double *in, double *out) {
    if (!tg_check(x, 1)) return false;
    if (x->ndim < 2)
        return tg_fail("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions");
    double field = (double)tg_count(x->shape + 2, x->ndim - 2);
    *in = (double)x->shape[1] * field;
    *out = (double)x->shape[0] * field;
    return true;
}

/* U(-a, a), a = gain sqrt(6 / (fan_in + fan_out)). Glorot & Bengio 2010. */
Tensor *nn_init_xavier_uniform_(Tensor *x, double gain) {
    double in = 0, out = 0;
    if (!fans(x, &in, &out)) return NULL;
    double std = gain * sqrt(2.0 / (in + out)), bound = sqrt(3.0) * std;
    return nn_init_uniform_(x, -bound, bound);
}

/* U(-b, b), b = sqrt(3) gain / sqrt(fan_in), gain = sqrt(2 / (1 + a^2)) for leaky ReLU of slope a. He et al. 2015. */
Tensor *nn_init_kaiming_uniform_(Tensor *x, double a) {
    double in = 0, out = 0;
    if (!fans(x, &in, &out)) return NULL;
    if (in == 0) return x;
    double gain = sqrt(2.0 / (1 + a * a)), std = gain / sqrt(in), bound = sqrt(3.0) * std;
    return nn_init_uniform_(x, -bound, bound);
}
