/* nn/modules/lazy.c: modules whose parameters get their shapes in the first call.
 *
 * A lazy module is constructed as one of its class with the smallest input, under the class's lazy name; then its
 * parameters are made uninitialised, and a forward pre-hook is registered, which gives them their shapes and initial
 * values, and removes itself. */
#include "nn/modules/lazy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/ops/ops.h"
#include "core/ops/pointwise/pointwise_internal.h"
#include "nn/init/init.h"
#include "nn/module/module_internal.h"
#include "nn/utils/attribute_internal.h"

/* "Lazy" and the class it becomes. */
static const char *name_without_lazy(const nn_Module *self) {
    return self->type + (strncmp(self->type, "Lazy", 4) == 0 ? 4 : 0);
}

static bool has_uninitialized(const nn_Module *self) {
    for (const nn_Entry *entry = self->first; entry; entry = entry->next)
        if (entry->kind < nn_child_kind && tg_is_uninitialized((const Tensor *)entry->value)) return true;
    return false;
}

/* The module becomes one of its class. */
static void finish(nn_Module *self, nn_ForwardPreHook *hook) {
    self->type = name_without_lazy(self);
    tg_remove_pre_hook(self, hook);
}

/* ---- a new module ---- */

/* Makes the parameters and buffers (but for the number of batches) of a module that was just constructed
 * uninitialised. */
static bool make_lazy(nn_Module *self, const char *type, nn_ForwardPreHook *hook) {
    for (nn_Entry *entry = self->first; entry; entry = entry->next)
        if (entry->value && strcmp(entry->name, "num_batches_tracked") != 0 &&
            !tg_make_uninitialized((Tensor *)entry->value))
            return false;
    self->type = type + strlen("nn_");
    return tg_add_pre_hook(self, hook);
}

/* Ends a construction; the initial values that were drawn for the smallest input do not count. */
static void *end_lazy(Construction construction, nn_Module *self, const char *type, nn_ForwardPreHook *hook) {
    if (self && construction.seeded) tg_draws_end(&construction.draws, false);
    if (self) make_lazy(self, type, hook);
    return tg_construct_end(construction, self);
}

/* ---- LazyLinear, LazyConv: weight ~ U(-1 / sqrt(fan_in), 1 / sqrt(fan_in)), then bias likewise ---- */

static bool initialize(Tensor *weight, const int64_t *shape, int ndim, Tensor *bias, int64_t biases) {
    const double fan_in = (double)tg_shape_numel(shape + 1, ndim - 1);
    if (!tg_materialize(weight, shape, ndim)) return false;
    if (bias && !tg_materialize(bias, &biases, 1)) return tg_make_uninitialized(weight) && false;
    tg_Draws draws;
    if (!tg_draws_begin(&draws, NULL)) return false;
    const bool ok = nn_init_kaiming_uniform_(weight, sqrt(5), "fan_in", "leaky_relu", NULL) &&
                    (!bias || fan_in <= 0 || nn_init_uniform_(bias, -1 / sqrt(fan_in), 1 / sqrt(fan_in), NULL));
    tg_draws_end(&draws, ok);
    if (!ok) {
        tg_make_uninitialized(weight);
        if (bias) tg_make_uninitialized(bias);
    }
    return ok;
}

static t_TensorList *linear_hook(nn_Module *module, t_TensorList *args, void *context) {
    nn_LazyLinear *self = (nn_LazyLinear *)module;
    const Tensor *x = args->items[0];
    (void)context;
    if (x->ndim == 0) return tg_fail("tuple index out of range");
    const int64_t in = x->shape[x->ndim - 1], shape[] = {self->out_features, in};
    if (has_uninitialized(module) && !initialize(self->weight, shape, 2, self->bias, self->out_features)) return NULL;
    self->in_features = self->weight->shape[1];
    finish(module, linear_hook);
    return NULL;
}

nn_LazyLinear *nn_LazyLinear_new(int64_t out_features, const nn_LinearOptions *options) {
    if (!tg_check_required("out_features", &out_features)) return NULL;
    Construction construction = tg_construct_begin();
    nn_LazyLinear *self = construction.depth ? nn_Linear_new(1, out_features, options) : NULL;
    if (self) self->in_features = 0;
    return end_lazy(construction, (nn_Module *)self, "nn_LazyLinear", linear_hook);
}

static t_TensorList *conv_hook(nn_Module *module, t_TensorList *args, void *context) {
    nn_Conv *self = (nn_Conv *)module;
    Tensor *x = args->items[0];
    (void)context;
    if (x->ndim != self->dims + 1 && x->ndim != self->dims + 2)
        return tg_fail("Expected %dD (unbatched) or %dD (batched) input to %s, but got input of size: %s",
                       self->dims + 1, self->dims + 2, module->type, t_size_repr(x));
    const int64_t in = x->shape[x->ndim - self->dims - 1], out = self->out_channels;
    if (in % self->groups) return tg_fail("in_channels must be divisible by groups");
    const int64_t shape[] = {self->transposed ? in : out, (self->transposed ? out : in) / self->groups,
                             self->kernel_size[0], self->kernel_size[1], self->kernel_size[2]};
    if (has_uninitialized(module) && !initialize(self->weight, shape, self->dims + 2, self->bias, out)) return NULL;
    self->in_channels = self->transposed ? self->weight->shape[0] : self->weight->shape[1] * self->groups;
    finish(module, conv_hook);
    return NULL;
}

typedef nn_Conv *NewConv(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                         const nn_ConvOptions *options);

static nn_Conv *lazy_conv(const char *type, NewConv *new_conv, int64_t out_channels, const int64_t *kernel_size,
                          const nn_ConvOptions *options) {
    nn_ConvOptions o = nn_ConvDefaults;
    if (!tg_check_required("out_channels", &out_channels) || !tg_take_options(&o, options, sizeof o)) return NULL;
    Construction construction = tg_construct_begin();
    nn_Conv *self = construction.depth ? new_conv(o.groups, out_channels, kernel_size, &o) : NULL;
    if (self) self->in_channels = 0;
    return end_lazy(construction, (nn_Module *)self, type, conv_hook);
}

#define LAZY_CONV(Type, NewType)                                                                              \
    Type *Type##_new(int64_t out_channels, const int64_t *kernel_size, const nn_ConvOptions *options) {       \
        return lazy_conv(#Type, NewType, out_channels, kernel_size, options);                                 \
    }
LAZY_CONV(nn_LazyConv1d, nn_Conv1d_new)
LAZY_CONV(nn_LazyConv2d, nn_Conv2d_new)
LAZY_CONV(nn_LazyConv3d, nn_Conv3d_new)
LAZY_CONV(nn_LazyConvTranspose1d, nn_ConvTranspose1d_new)
LAZY_CONV(nn_LazyConvTranspose2d, nn_ConvTranspose2d_new)
LAZY_CONV(nn_LazyConvTranspose3d, nn_ConvTranspose3d_new)

/* ---- LazyBatchNorm, LazyInstanceNorm ---- */

static bool initialize_constant(Tensor *x, int64_t n, double value) {
    if (!tg_is_uninitialized(x)) return true;
    if (!tg_materialize(x, &n, 1)) return false;
    tg_fill_into(x, value);
    return true;
}

static bool check_rank(const nn_BatchNorm *self, const Tensor *x) {
    const bool instance = strstr(self->base.type, "InstanceNorm") != NULL;
    const int dims = self->dims;
    if (instance || dims == 1) {
        const int least = instance ? dims + 1 : 2;
        return x->ndim == least || x->ndim == least + 1 ||
               tg_fail("expected %dD or %dD input (got %dD input)", least, least + 1, x->ndim);
    }
    return x->ndim == dims + 2 || tg_fail("expected %dD input (got %dD input)", dims + 2, x->ndim);
}

static t_TensorList *norm_hook(nn_Module *module, t_TensorList *args, void *context) {
    nn_BatchNorm *self = (nn_BatchNorm *)module;
    const Tensor *x = args->items[0];
    (void)context;
    if (!check_rank(self, x)) return NULL;
    const Tensor *known = self->weight ? self->weight : self->running_mean;
    const int64_t n = known && !tg_is_uninitialized(known) ? known->shape[0] : x->shape[1];
    if (!initialize_constant(self->weight, n, 1) || !initialize_constant(self->bias, n, 0) ||
        !initialize_constant(self->running_mean, n, 0) || !initialize_constant(self->running_var, n, 1))
        return NULL;
    self->num_features = n;
    finish(module, norm_hook);
    return NULL;
}

typedef nn_BatchNorm *NewNorm(int64_t num_features, const nn_BatchNormOptions *options);

static nn_BatchNorm *lazy_norm(const char *type, NewNorm *new_norm, const nn_BatchNormOptions *options) {
    nn_BatchNormOptions o = {.size = sizeof o, .eps = 1e-5, .momentum = 0.1, .affine = true,
                             .track_running_stats = true, .bias = true};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    Construction construction = tg_construct_begin();
    nn_BatchNorm *self = construction.depth ? new_norm(1, &o) : NULL;
    if (self) self->num_features = 0;
    return end_lazy(construction, (nn_Module *)self, type, norm_hook);
}

#define LAZY_NORM(Type, NewType)                                                                 \
    Type *Type##_new(const nn_BatchNormOptions *options) {                                       \
        return lazy_norm(#Type, NewType, options);                                               \
    }
LAZY_NORM(nn_LazyBatchNorm1d, nn_BatchNorm1d_new)
LAZY_NORM(nn_LazyBatchNorm2d, nn_BatchNorm2d_new)
LAZY_NORM(nn_LazyBatchNorm3d, nn_BatchNorm3d_new)
LAZY_NORM(nn_LazyInstanceNorm1d, nn_InstanceNorm1d_new)
LAZY_NORM(nn_LazyInstanceNorm2d, nn_InstanceNorm2d_new)
LAZY_NORM(nn_LazyInstanceNorm3d, nn_InstanceNorm3d_new)
