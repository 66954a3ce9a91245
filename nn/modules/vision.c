/* nn/modules/vision.c: Flatten, Unflatten, Dropout1d, Dropout2d, AlphaDropout, PixelShuffle, Upsample. */
#include "nn/modules/vision.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/functional/functional.h"
#include "nn/functional/vision/interpolate_internal.h"
#include "nn/module/module_internal.h"

/* ---- Flatten, Unflatten ---- */

static Tensor *flatten_forward(void *module, Tensor *x) {
    nn_Flatten *self = module;
    return t_flatten(x, self->start_dim, self->end_dim);
}

static void flatten_repr(const void *module, char *text, size_t size) {
    const nn_Flatten *self = module;
    snprintf(text, size, "start_dim=%" PRId64 ", end_dim=%" PRId64, self->start_dim, self->end_dim);
}

/* nn.Flatten: t_flatten. */
nn_Flatten *nn_Flatten_new(int64_t start_dim, int64_t end_dim) {
    nn_Flatten *self = (nn_Flatten *)nn_module_new(sizeof *self, "nn_Flatten", flatten_forward);
    if (!self) return NULL;
    self->base.extra_repr = flatten_repr;
    self->start_dim = start_dim;
    self->end_dim = end_dim;
    return self;
}

static Tensor *unflatten_forward(void *module, Tensor *x) {
    nn_Unflatten *self = module;
    return t_unflatten(x, self->dim, self->unflattened_size, self->ndim);
}

static void unflatten_repr(const void *module, char *text, size_t size) {
    const nn_Unflatten *self = module;
    int at = snprintf(text, size, "dim=%" PRId64 ", unflattened_size=(", self->dim);
    for (int d = 0; d < self->ndim; d++)
        at += snprintf(text + at, size - (size_t)at, d ? ", %" PRId64 : "%" PRId64, self->unflattened_size[d]);
    snprintf(text + at, size - (size_t)at, self->ndim == 1 ? ",)" : ")");
}

/* nn.Unflatten: t_unflatten. Error: no sizes, or more than a tensor has. */
nn_Unflatten *nn_Unflatten_new(int64_t dim, const int64_t *unflattened_size, int ndim) {
    if (ndim < 1 || ndim > T_MAX_DIMS) return tg_fail("Unflatten takes 1 to %d sizes, not %d", T_MAX_DIMS, ndim);
    if (!tg_check_array(unflattened_size, ndim, 2, "sizes")) return NULL;
    nn_Unflatten *self = (nn_Unflatten *)nn_module_new(sizeof *self, "nn_Unflatten", unflatten_forward);
    if (!self) return NULL;
    self->base.extra_repr = unflatten_repr;
    self->dim = dim;
    self->ndim = ndim;
    memcpy(self->unflattened_size, unflattened_size, (size_t)ndim * sizeof *unflattened_size);
    return self;
}

/* ---- dropout ---- */

#define DROPOUT(Type, f)                                          \
    static Tensor *Type##_forward(void *module, Tensor *x) {      \
        Type *self = module;                                      \
        return f(x, self->p, self->base.training, self->inplace); \
    }                                                             \
    Type *Type##_new(double p, bool inplace) {                    \
        return tg_dropout_new(#Type, Type##_forward, p, inplace); \
    }
DROPOUT(nn_Dropout1d, F_dropout1d)
DROPOUT(nn_Dropout2d, F_dropout2d)
DROPOUT(nn_Dropout3d, F_dropout3d)
DROPOUT(nn_AlphaDropout, F_alpha_dropout)
DROPOUT(nn_FeatureAlphaDropout, F_feature_alpha_dropout)

/* ---- PixelShuffle, ChannelShuffle ---- */

#define SHUFFLE(Type, f, field, word)                                                            \
    static Tensor *Type##_forward(void *self, Tensor *x) {                                       \
        return f(x, ((Type *)self)->field);                                                      \
    }                                                                                            \
    static void Type##_repr(const void *self, char *text, size_t size) {                         \
        snprintf(text, size, word "=%" PRId64, ((const Type *)self)->field);                     \
    }                                                                                            \
    Type *Type##_new(int64_t factor) {                                                           \
        Type *self = (Type *)nn_module_new(sizeof *self, #Type, Type##_forward);                 \
        if (!self) return NULL;                                                                  \
        self->base.extra_repr = Type##_repr;                                                     \
        self->field = factor;                                                                    \
        return self;                                                                             \
    }
SHUFFLE(nn_PixelShuffle, F_pixel_shuffle, factor, "upscale_factor")
SHUFFLE(nn_PixelUnshuffle, F_pixel_unshuffle, factor, "downscale_factor")
SHUFFLE(nn_ChannelShuffle, F_channel_shuffle, groups, "groups")

/* ---- Upsample ---- */

static Tensor *upsample_forward(void *module, Tensor *x) {
    return F_interpolate(x, &((nn_Upsample *)module)->options);
}

/* Upsample(size=(3, 4), mode='bilinear'), Upsample(scale_factor=(2.0, 3.0), mode='nearest') */
static void upsample_repr(const void *module, char *text, size_t size) {
    const F_InterpolateOptions *o = &((const nn_Upsample *)module)->options;
    char factors[100];
    const int sizes = tg_sizes_given(o, 0);
    tg_factors_repr(o->scale_factor, tg_factors_given(o), factors, sizeof factors);
    const SizesText sizes_text = tg_tuple_repr(o->output_size, sizes < 0 ? 3 : sizes);
    snprintf(text, size, "%s=%s, mode='%s'", sizes ? "size" : "scale_factor", sizes ? sizes_text.text : factors,
             o->mode);
}

nn_Upsample *nn_Upsample_new(const F_InterpolateOptions *options) {
    F_InterpolateOptions o = F_InterpolateDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const char *mode = o.mode ? o.mode : "nearest", *literal = tg_interpolate_mode(mode); /* outlives the options */
    if (!literal)
        return tg_fail("Upsample has the modes nearest, linear, bilinear, bicubic, trilinear, lanczos, area and "
                       "nearest-exact, not %s", mode);
    nn_Upsample *self = (nn_Upsample *)nn_module_new(sizeof *self, "nn_Upsample", upsample_forward);
    if (!self) return NULL;
    self->base.extra_repr = upsample_repr;
    self->options = o;
    self->options.mode = literal;
    return self;
}
