/* nn/modules/norms.c: RMSNorm, GroupNorm, BatchNorm, InstanceNorm and LocalResponseNorm. No random numbers: weights are
 * initialised to 1, biases to 0. */
#include "nn/modules/norms.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/ops/ops.h"
#include "nn/functional/functional.h"
#include "nn/init/init.h"
#include "nn/module/module_internal.h"
#include "nn/modules/base_classes_internal.h"

static const char *python_bool(bool value) {
    return value ? "True" : "False";
}

/* Registers a parameter filled with `value`, or None. */
static Tensor *constant_parameter(nn_Module *self, const char *name, bool enabled, const int64_t *shape, int ndim,
                                  double value, t_DType dtype) {
    Tensor *p = enabled ? tg_parameter(shape, ndim, dtype) : NULL;
    if (p) nn_init_constant_(p, value);
    if (p || !enabled) nn_register_parameter(self, name, p);
    return p;
}

/* ---- RMSNorm ---- */

static Tensor *rms_norm_forward(void *module, Tensor *x) {
    nn_RMSNorm *self = module;
    return F_rms_norm(x, self->normalized_shape, self->ndim, self->weight, self->eps);
}

static void rms_norm_repr(const void *module, char *text, size_t size) {
    const nn_RMSNorm *self = module;
    int at = snprintf(text, size, "(");
    for (int d = 0; d < self->ndim; d++)
        at += snprintf(text + at, size - (size_t)at, d ? ", %" PRId64 : "%" PRId64, self->normalized_shape[d]);
    snprintf(text + at, size - (size_t)at, "%s), eps=%s, elementwise_affine=%s", self->ndim == 1 ? "," : "",
             isnan(self->eps) ? "None" : tg_number_text(self->eps), python_bool(self->weight));
}

nn_RMSNorm *nn_RMSNorm_new(const int64_t *normalized_shape, int ndim, const nn_RMSNormOptions *options) {
    nn_RMSNormOptions o = {.size = sizeof o, .eps = NAN, .elementwise_affine = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (ndim < 1 || ndim > T_MAX_DIMS) return tg_fail("RMSNorm takes 1 to %d sizes, not %d", T_MAX_DIMS, ndim);
    if (!tg_check_array(normalized_shape, ndim, 1, "sizes")) return NULL;
    Construction construction = tg_construct_begin();
    nn_RMSNorm *self = (nn_RMSNorm *)nn_module_new(sizeof *self, "nn_RMSNorm", rms_norm_forward);
    if (self) {
        self->base.extra_repr = rms_norm_repr;
        self->ndim = ndim;
        self->eps = o.eps;
        memcpy(self->normalized_shape, normalized_shape, (size_t)ndim * sizeof *normalized_shape);
        self->weight =
            constant_parameter(&self->base, "weight", o.elementwise_affine, normalized_shape, ndim, 1, o.dtype);
    }
    return tg_construct_end(construction, self);
}

/* ---- GroupNorm ---- */

static Tensor *group_norm_forward(void *module, Tensor *x) {
    nn_GroupNorm *self = module;
    return F_group_norm(x, self->num_groups, self->weight, self->bias, self->eps);
}

static void group_norm_repr(const void *module, char *text, size_t size) {
    const nn_GroupNorm *self = module;
    snprintf(text, size, "%" PRId64 ", %" PRId64 ", eps=%s, affine=%s, bias=%s", self->num_groups, self->num_channels,
             tg_number_text(self->eps), python_bool(self->weight), python_bool(self->bias));
}

/* Error: num_groups does not divide num_channels. */
nn_GroupNorm *nn_GroupNorm_new(int64_t num_groups, int64_t num_channels, const nn_GroupNormOptions *options) {
    if (!tg_check_required("num_groups num_channels", (int64_t[]){num_groups, num_channels})) return NULL;
    nn_GroupNormOptions o = {.size = sizeof o, .eps = 1e-5, .affine = true, .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (num_groups < 1 || num_channels % num_groups)
        return tg_fail("num_channels (%" PRId64 ") must be divisible by num_groups (%" PRId64 ")", num_channels,
                       num_groups);
    Construction construction = tg_construct_begin();
    nn_GroupNorm *self = (nn_GroupNorm *)nn_module_new(sizeof *self, "nn_GroupNorm", group_norm_forward);
    if (self) {
        self->base.extra_repr = group_norm_repr;
        self->num_groups = num_groups;
        self->num_channels = num_channels;
        self->eps = o.eps;
        self->weight = constant_parameter(&self->base, "weight", o.affine, &num_channels, 1, 1, o.dtype);
        self->bias = constant_parameter(&self->base, "bias", o.affine && o.bias, &num_channels, 1, 0, o.dtype);
    }
    return tg_construct_end(construction, self);
}

/* ---- BatchNorm and InstanceNorm ---- */

static void batch_norm_repr(const void *module, char *text, size_t size) {
    const nn_BatchNorm *self = module;
    char momentum[32];
    snprintf(momentum, sizeof momentum, "%s", isnan(self->momentum) ? "None" : tg_number_text(self->momentum));
    snprintf(text, size, "%" PRId64 ", eps=%s, momentum=%s, affine=%s, bias=%s, track_running_stats=%s",
             self->num_features, tg_number_text(self->eps), momentum, python_bool(self->weight),
             python_bool(self->bias), python_bool(self->track_running_stats));
}

/* The momentum of this update. With momentum=None the running statistics are the mean over all batches: 1 / (number of
 * batches, including this one). */
static double update_momentum(const nn_BatchNorm *self) {
    if (!isnan(self->momentum)) return self->momentum;
    return self->num_batches_tracked ? 1 / (double)(tg_read_int64(self->num_batches_tracked) + 1) : 0;
}

static void count_batch(Tensor *batches) {
    *(int64_t *)tg_data(batches) += 1;
    tg_bump_version(batches);
}

static Tensor *batch_norm_forward(void *module, Tensor *x) {
    nn_BatchNorm *self = module;
    if (self->dims > 1 && x->ndim != self->dims + 2)
        return tg_fail("expected %dD input (got %dD input)", self->dims + 2, x->ndim);
    if (self->dims == 1 && x->ndim != 2 && x->ndim != 3)
        return tg_fail("expected 2D or 3D input (got %dD input)", x->ndim);
    bool updates = self->base.training && self->track_running_stats,
         use_batch_stats = self->base.training || !self->running_mean;
    bool use_running_stats = !self->base.training || self->track_running_stats;
    Tensor *y =
        F_batch_norm(x, use_running_stats ? self->running_mean : NULL, use_running_stats ? self->running_var : NULL,
                     self->weight, self->bias, use_batch_stats, update_momentum(self), self->eps);
    if (y && updates && self->num_batches_tracked) count_batch(self->num_batches_tracked);
    return y;
}

static Tensor *instance_norm_batch(nn_BatchNorm *self, Tensor *x) {
    if (x->shape[1] != self->num_features && self->affine)
        return tg_fail("expected input's size at dim=1 to match num_features (%" PRId64 "), but got: %" PRId64 ".",
                       self->num_features, x->shape[1]);
    return F_instance_norm(x, self->running_mean, self->running_var, self->weight, self->bias,
                           self->base.training || !self->track_running_stats,
                           isnan(self->momentum) ? 0 : self->momentum, self->eps);
}

/* x without batch dim is one sample. */
static Tensor *instance_norm_forward(void *module, Tensor *x) {
    nn_BatchNorm *self = module;
    int dims = self->dims;
    if (x->ndim == dims + 2) return instance_norm_batch(self, x);
    if (x->ndim != dims + 1) return tg_fail("expected %dD or %dD input (got %dD input)", dims + 1, dims + 2, x->ndim);
    Tensor *one = t_unsqueeze(x, 0), *y = one ? instance_norm_batch(self, one) : NULL;
    return y ? t_squeeze(y, 0) : NULL;
}

static Tensor *buffer(nn_Module *self, const char *name, bool enabled, const int64_t *shape, int ndim, double value,
                      t_DType dtype) {
    t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
    Tensor *b = enabled ? t_full(shape, ndim, value, &options) : NULL;
    if (b || !enabled) nn_register_buffer(self, name, b);
    return b;
}

bool tg_is_batch_norm(const void *module) {
    return tg_is_class(module, "nn_BatchNorm1d", sizeof(nn_BatchNorm)) ||
           tg_is_class(module, "nn_BatchNorm2d", sizeof(nn_BatchNorm)) ||
           tg_is_class(module, "nn_BatchNorm3d", sizeof(nn_BatchNorm));
}

static nn_BatchNorm *norm_new(const char *type, int dims, nn_Forward forward, int64_t num_features,
                              nn_BatchNormOptions o, const nn_BatchNormOptions *options) {
    if (!tg_check_required("num_features", &num_features)) return NULL;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!o.dtype) o.dtype = t_get_default_dtype();
    Construction construction = tg_construct_begin();
    nn_BatchNorm *self = (nn_BatchNorm *)nn_module_new(sizeof *self, type, forward);
    if (self) {
        bool track = o.track_running_stats;
        self->base.extra_repr = batch_norm_repr;
        self->dims = dims;
        self->num_features = num_features;
        self->eps = o.eps;
        self->momentum = o.momentum;
        self->affine = o.affine;
        self->track_running_stats = track;
        self->weight = constant_parameter(&self->base, "weight", o.affine, &num_features, 1, 1, o.dtype);
        self->bias = constant_parameter(&self->base, "bias", o.affine && o.bias, &num_features, 1, 0, o.dtype);
        self->running_mean = buffer(&self->base, "running_mean", track, &num_features, 1, 0, o.dtype);
        self->running_var = buffer(&self->base, "running_var", track, &num_features, 1, 1, o.dtype);
        self->num_batches_tracked = buffer(&self->base, "num_batches_tracked", track, NULL, 0, 0, t_int64);
    }
    return tg_construct_end(construction, self);
}

static const nn_BatchNormOptions batch_defaults = {.size = sizeof batch_defaults, .eps = 1e-5, .momentum = 0.1,
                                                   .affine = true, .track_running_stats = true, .bias = true};
static const nn_BatchNormOptions instance_defaults = {
    .size = sizeof instance_defaults, .eps = 1e-5, .momentum = 0.1, .bias = true};

nn_BatchNorm1d *nn_BatchNorm1d_new(int64_t num_features, const nn_BatchNormOptions *options) {
    return norm_new("nn_BatchNorm1d", 1, batch_norm_forward, num_features, batch_defaults, options);
}

nn_BatchNorm2d *nn_BatchNorm2d_new(int64_t num_features, const nn_BatchNormOptions *options) {
    return norm_new("nn_BatchNorm2d", 2, batch_norm_forward, num_features, batch_defaults, options);
}

nn_BatchNorm3d *nn_BatchNorm3d_new(int64_t num_features, const nn_BatchNormOptions *options) {
    return norm_new("nn_BatchNorm3d", 3, batch_norm_forward, num_features, batch_defaults, options);
}

nn_InstanceNorm1d *nn_InstanceNorm1d_new(int64_t num_features, const nn_BatchNormOptions *options) {
    return norm_new("nn_InstanceNorm1d", 1, instance_norm_forward, num_features, instance_defaults, options);
}

nn_InstanceNorm2d *nn_InstanceNorm2d_new(int64_t num_features, const nn_BatchNormOptions *options) {
    return norm_new("nn_InstanceNorm2d", 2, instance_norm_forward, num_features, instance_defaults, options);
}

nn_InstanceNorm3d *nn_InstanceNorm3d_new(int64_t num_features, const nn_BatchNormOptions *options) {
    return norm_new("nn_InstanceNorm3d", 3, instance_norm_forward, num_features, instance_defaults, options);
}

/* ---- LocalResponseNorm ---- */

static Tensor *local_response_norm_forward(void *module, Tensor *x) {
    nn_LocalResponseNorm *self = module;
    return F_local_response_norm(x, self->size, self->alpha, self->beta, self->k);
}

static void local_response_norm_repr(const void *module, char *text, size_t size) {
    const nn_LocalResponseNorm *self = module;
    int at = snprintf(text, size, "%" PRId64 ", alpha=%s", self->size, tg_number_text(self->alpha));
    at += snprintf(text + at, size - (size_t)at, ", beta=%s", tg_number_text(self->beta));
    snprintf(text + at, size - (size_t)at, ", k=%s", tg_number_text(self->k));
}

nn_LocalResponseNorm *nn_LocalResponseNorm_new(int64_t size, double alpha, double beta, double k) {
    if (!tg_check_required("size", (int64_t[]){size})) return NULL;
    nn_LocalResponseNorm *self =
        (nn_LocalResponseNorm *)nn_module_new(sizeof *self, "nn_LocalResponseNorm", local_response_norm_forward);
    if (!self) return NULL;
    self->base.extra_repr = local_response_norm_repr;
    self->size = size;
    self->alpha = alpha;
    self->beta = beta;
    self->k = k;
    return self;
}
