/* nn/modules/fractional_pooling.c: nn.FractionalMaxPool2d and FractionalMaxPool3d. */
#include <math.h>

#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/functional/vision/interpolate_internal.h"
#include "nn/module/module_internal.h"
#include "nn/modules/pooling.h"

static Tensor *pool(nn_FractionalMaxPool *self, Tensor *x, Tensor **indices) {
    F_FractionalMaxPoolOptions o = self->options;
    o._random_samples = self->_random_samples;
    o.indices = indices;
    return self->dims == 2 ? F_fractional_max_pool2d(x, &o) : F_fractional_max_pool3d(x, &o);
}

static Tensor *forward(void *self, Tensor *x) {
    return pool(self, x, NULL);
}

static bool check_options(const F_FractionalMaxPoolOptions *o, int dims) {
    const bool by_size = o->output_size[0] != T_NONE, by_ratio = !isnan(o->output_ratio[0]);
    for (int d = 0; d < dims && dims == 3; d++)
        if (o->kernel_size[d] <= 0 && o->kernel_size[d] != F_BOTH && (d == 0 || o->kernel_size[1] != F_BOTH))
            return tg_fail("kernel_size must be greater than 0, but got %s", tg_tuple_repr(o->kernel_size, dims).text);
    if (!by_size && !by_ratio)
        return tg_fail("FractionalMaxPool%dd requires specifying either an output size, or a pooling ratio", dims);
    if (by_size && by_ratio) return tg_fail("only one of output_size and output_ratio may be specified");
    const int ratios = isnan(o->output_ratio[1]) ? 1 : dims;
    char text[100];
    tg_factors_repr(o->output_ratio, ratios == 1 ? -1 : ratios, text, sizeof text);
    for (int d = 0; d < ratios && by_ratio; d++)
        if (!(o->output_ratio[d] > 0 && o->output_ratio[d] < 1))
            return tg_fail("output_ratio must be between 0 and 1 (got %s)", text);
    return true;
}

static nn_FractionalMaxPool *pool_new(const char *type, const F_FractionalMaxPoolOptions *options, int dims) {
    F_FractionalMaxPoolOptions o = F_FractionalMaxPoolDefaults;
    if (!options) return t_error() ? NULL : tg_fail("a pooling layer needs options: kernel_size has no default");
    if (!tg_take_options(&o, options, sizeof o) || !check_options(&o, dims)) return NULL;
    if (o._random_samples && !tg_check_any(o._random_samples, 1)) return NULL;
    nn_FractionalMaxPool *self = (nn_FractionalMaxPool *)nn_module_new(sizeof *self, type, forward);
    if (!self) return NULL;
    self->dims = dims;
    self->options = o;
    self->options.indices = NULL;
    self->options._random_samples = NULL;
    self->_random_samples = o._random_samples;
    return nn_register_buffer(&self->base, "_random_samples", o._random_samples) ? self : NULL;
}

nn_FractionalMaxPool2d *nn_FractionalMaxPool2d_new(const F_FractionalMaxPoolOptions *options) {
    return pool_new("nn_FractionalMaxPool2d", options, 2);
}
nn_FractionalMaxPool3d *nn_FractionalMaxPool3d_new(const F_FractionalMaxPoolOptions *options) {
    return pool_new("nn_FractionalMaxPool3d", options, 3);
}

static Tensor *pool_with_indices(void *self, Tensor *const *inputs, const void *indices) {
    return pool(self, inputs[0], *(Tensor * *const *)indices);
}

static Tensor *call(nn_FractionalMaxPool *self, Tensor *x, Tensor **indices) {
    Tensor *at = NULL, **to = indices ? &at : NULL;
    Tensor *y = tg_call_module(self, (Tensor *[]){x}, 1, pool_with_indices, &to);
    if (indices) *indices = at;
    return y;
}

/* pool(x) with return_indices=True; indices may be NULL. */
Tensor *nn_FractionalMaxPool2d_call(nn_FractionalMaxPool2d *self, Tensor *x, Tensor **indices) {
    tg_clear_output(indices);
    if (!TG_CHECK_CLASS(self, 1, nn_FractionalMaxPool2d, "nn_FractionalMaxPool2d_call")) return NULL;
    return call(self, x, indices);
}
Tensor *nn_FractionalMaxPool3d_call(nn_FractionalMaxPool3d *self, Tensor *x, Tensor **indices) {
    tg_clear_output(indices);
    if (!TG_CHECK_CLASS(self, 1, nn_FractionalMaxPool3d, "nn_FractionalMaxPool3d_call")) return NULL;
    return call(self, x, indices);
}
