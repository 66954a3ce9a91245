/* nn/modules/convolution.c: Conv1d, Conv2d, Conv3d, their transposed forms, Unfold and Fold. */
#include "nn/modules/convolution.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/functional/functional.h"
#include "nn/init/init.h"
#include "nn/module/module_internal.h"
#include "nn/modules/base_classes_internal.h"

const nn_ConvOptions nn_ConvDefaults = {.size = sizeof(nn_ConvOptions), .stride = {1, F_BOTH}, .padding = {0, F_BOTH},
                                        .dilation = {1, F_BOTH}, .groups = 1, .output_padding = {0, F_BOTH},
                                        .bias = true,
                                        .padding_mode = "zeros"};

/* ---- forward ---- */

static F_ConvOptions options_of(const nn_Conv *self) {
    F_ConvOptions o = F_ConvDefaults;
    memcpy(o.stride, self->stride, sizeof o.stride);
    memcpy(o.padding, self->padding, sizeof o.padding);
    memcpy(o.dilation, self->dilation, sizeof o.dilation);
    memcpy(o.output_padding, self->output_padding, sizeof o.output_padding);
    o.groups = self->groups;
    return o;
}

static F_Conv3dOptions options3d_of(const nn_Conv *self) {
    F_Conv3dOptions o = F_Conv3dDefaults;
    memcpy(o.stride, self->stride, sizeof o.stride);
    memcpy(o.padding, self->padding, sizeof o.padding);
    memcpy(o.dilation, self->dilation, sizeof o.dilation);
    memcpy(o.output_padding, self->output_padding, sizeof o.output_padding);
    o.groups = self->groups;
    return o;
}

/* x with the padding of padding_mode; F_pad takes the last dim first. */
static Tensor *padded_input(const nn_Conv *self, Tensor *x) {
    int64_t pads[6];
    for (int i = 0; i < self->dims; i++) {
        int d = self->dims - 1 - i;
        int64_t total = self->padding[0] == F_SAME    ? self->dilation[d] * (self->kernel_size[d] - 1)
                         : self->padding[0] == F_VALID ? 0
                                                       : 2 * self->padding[d];
        pads[2 * i] = total / 2;
        pads[2 * i + 1] = total - total / 2;
    }
    return F_pad(x, pads, 2 * self->dims, self->padding_mode, NAN);
}

static Tensor *conv3d_forward(nn_Conv *self, Tensor *x) {
    F_Conv3dOptions o = options3d_of(self);
    if (strcmp(self->padding_mode, "zeros") != 0) {
        o.padding[0] = F_VALID;
        if (!(x = padded_input(self, x))) return NULL;
    }
    return (self->transposed ? F_conv_transpose3d : F_conv3d)(x, self->weight, self->bias, &o);
}

static Tensor *conv_forward(void *module, Tensor *x) {
    nn_Conv *self = module;
    if (self->dims == 3) return conv3d_forward(self, x);
    F_ConvOptions o = options_of(self);
    if (self->transposed)
        return (self->dims == 1 ? F_conv_transpose1d : F_conv_transpose2d)(x, self->weight, self->bias, &o);
    if (strcmp(self->padding_mode, "zeros") != 0) {
        o.padding[0] = F_VALID;
        if (!(x = padded_input(self, x))) return NULL;
    }
    return (self->dims == 1 ? F_conv1d : F_conv2d)(x, self->weight, self->bias, &o);
}

/* ---- repr ---- */

static int write_sizes(char *text, size_t size, const char *name, const int64_t *sizes, int dims,
                       int64_t default_value) {
    bool same = true;
    for (int d = 0; d < dims; d++) same = same && sizes[d] == default_value;
    if (same) return 0;
    if (sizes[0] == F_SAME || sizes[0] == F_VALID)
        return snprintf(text, size, ", %s=%s", name, sizes[0] == F_SAME ? "same" : "valid");
    return snprintf(text, size, ", %s=%s", name, tg_tuple_repr(sizes, dims).text);
}

static void conv_repr(const void *module, char *text, size_t size) {
    const nn_Conv *self = module;
    int at = snprintf(text, size, "%" PRId64 ", %" PRId64, self->in_channels, self->out_channels), dims = self->dims;
    at += write_sizes(text + at, size - (size_t)at, "kernel_size", self->kernel_size, dims, T_NONE);
    at += write_sizes(text + at, size - (size_t)at, "stride", self->stride, dims, T_NONE);
    at += write_sizes(text + at, size - (size_t)at, "padding", self->padding, dims, 0);
    at += write_sizes(text + at, size - (size_t)at, "dilation", self->dilation, dims, 1);
    at += write_sizes(text + at, size - (size_t)at, "output_padding", self->output_padding, dims, 0);
    if (self->groups != 1) at += snprintf(text + at, size - (size_t)at, ", groups=%" PRId64, self->groups);
    if (!self->bias) at += snprintf(text + at, size - (size_t)at, ", bias=False");
    if (strcmp(self->padding_mode, "zeros") != 0)
        snprintf(text + at, size - (size_t)at, ", padding_mode=%s", self->padding_mode);
}

/* ---- construction ---- */

static bool check_padding_mode(const nn_ConvOptions *o, int dims, bool transposed) {
    static const char *const modes[] = {"zeros", "reflect", "replicate", "circular"};
    if (transposed && strcmp(o->padding_mode, "zeros") != 0)
        return tg_fail("Only \"zeros\" padding mode is supported for ConvTranspose%dd", dims);
    for (int i = 0; i < 4; i++)
        if (strcmp(o->padding_mode, modes[i]) == 0) return true;
    return tg_fail(
        "padding_mode must be one of {'zeros', 'circular', 'replicate', 'reflect'}, but got padding_mode='%s'",
        o->padding_mode);
}

static bool check_conv_options(int64_t in, int64_t out, const nn_ConvOptions *o, const nn_Conv *sizes,
                               bool transposed) {
    if (o->groups < 1) return tg_fail("groups must be a positive integer");
    if (in % o->groups) return tg_fail("in_channels must be divisible by groups");
    if (out % o->groups) return tg_fail("out_channels must be divisible by groups");
    bool strided = false;
    for (int d = 0; d < sizes->dims; d++) strided = strided || sizes->stride[d] != 1;
    if (o->padding[0] == F_SAME && strided) return tg_fail("padding='same' is not supported for strided convolutions");
    return check_padding_mode(o, sizes->dims, transposed);
}

/* weight ~ U(-1 / sqrt(fan_in), 1 / sqrt(fan_in)) (kaiming_uniform_ with a = sqrt 5), then bias ~ the same; fan_in is
 * the product of weight's sizes after the first, for transposed convolutions too. */
static void init_parameters(nn_Conv *self) {
    double fan_in = (double)tg_shape_numel(self->weight->shape + 1, self->weight->ndim - 1);
    nn_init_kaiming_uniform_(self->weight, sqrt(5), "fan_in", "leaky_relu", NULL);
    if (self->bias && fan_in > 0) nn_init_uniform_(self->bias, -1 / sqrt(fan_in), 1 / sqrt(fan_in), NULL);
}

/* Of one dim only the first size is given; a second one of F_BOTH: the first for all dims. */
static void complete_sizes(const int64_t *given, int dims, int64_t sizes[3]) {
    for (int d = 0; d < 3; d++) sizes[d] = given[dims == 1 || d >= dims || given[1] == F_BOTH ? 0 : d];
}

static nn_Conv *conv_new(const char *type, int dims, bool transposed, int64_t in, int64_t out,
                         const int64_t *kernel_size, const nn_ConvOptions *options) {
    if (!tg_check_required("in_channels out_channels", (int64_t[]){in, out})) return NULL;
    nn_ConvOptions o = nn_ConvDefaults;
    nn_Conv sizes = {.dims = dims};
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!kernel_size) return t_error() ? NULL : tg_fail("kernel_size is NULL where sizes are expected");
    if (!o.padding_mode) o.padding_mode = "zeros";
    complete_sizes(kernel_size, dims, sizes.kernel_size);
    complete_sizes(o.stride, dims, sizes.stride);
    complete_sizes(o.padding, dims, sizes.padding);
    complete_sizes(o.dilation, dims, sizes.dilation);
    complete_sizes(o.output_padding, dims, sizes.output_padding);
    if (!check_conv_options(in, out, &o, &sizes, transposed)) return NULL;
    int64_t shape[] = {transposed ? in : out, (transposed ? out : in) / o.groups, sizes.kernel_size[0],
                       sizes.kernel_size[1], sizes.kernel_size[2]};
    Construction construction = tg_construct_begin();
    nn_Conv *self = (nn_Conv *)nn_module_new(sizeof *self, type, conv_forward);
    if (self) {
        sizes.base = self->base;
        *self = sizes;
        self->base.extra_repr = conv_repr;
        self->in_channels = in;
        self->out_channels = out;
        self->groups = o.groups;
        self->transposed = transposed;
        strcpy(self->padding_mode, o.padding_mode);
        self->weight = tg_parameter(shape, 2 + dims, o.dtype);
        nn_register_parameter(&self->base, "weight", self->weight);
        self->bias = o.bias && self->weight ? tg_parameter(&out, 1, o.dtype) : NULL;
        nn_register_parameter(&self->base, "bias", self->bias);
        if (self->weight) init_parameters(self);
    }
    return tg_construct_end(construction, self);
}

bool tg_is_convolution(const void *module) {
    static const char *const types[] = {"nn_Conv1d",          "nn_Conv2d",          "nn_Conv3d",
                                        "nn_ConvTranspose1d", "nn_ConvTranspose2d", "nn_ConvTranspose3d"};
    bool is = false;
    for (int i = 0; i < 6 && !is; i++) is = tg_is_class(module, types[i], sizeof(nn_Conv));
    return is;
}

nn_Conv1d *nn_Conv1d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                         const nn_ConvOptions *options) {
    return conv_new("nn_Conv1d", 1, false, in_channels, out_channels, kernel_size, options);
}

nn_Conv2d *nn_Conv2d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                         const nn_ConvOptions *options) {
    return conv_new("nn_Conv2d", 2, false, in_channels, out_channels, kernel_size, options);
}

nn_ConvTranspose1d *nn_ConvTranspose1d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                                           const nn_ConvOptions *options) {
    return conv_new("nn_ConvTranspose1d", 1, true, in_channels, out_channels, kernel_size, options);
}

nn_ConvTranspose2d *nn_ConvTranspose2d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                                           const nn_ConvOptions *options) {
    return conv_new("nn_ConvTranspose2d", 2, true, in_channels, out_channels, kernel_size, options);
}

nn_Conv3d *nn_Conv3d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                         const nn_ConvOptions *options) {
    return conv_new("nn_Conv3d", 3, false, in_channels, out_channels, kernel_size, options);
}

nn_ConvTranspose3d *nn_ConvTranspose3d_new(int64_t in_channels, int64_t out_channels, const int64_t *kernel_size,
                                           const nn_ConvOptions *options) {
    return conv_new("nn_ConvTranspose3d", 3, true, in_channels, out_channels, kernel_size, options);
}

/* ---- Unfold and Fold ---- */

static Tensor *unfold_forward(void *module, Tensor *x) {
    nn_Unfold *self = module;
    return F_unfold(x, self->kernel_size, &self->options);
}

static Tensor *fold_forward(void *module, Tensor *x) {
    nn_Fold *self = module;
    return F_fold(x, self->output_size, self->kernel_size, &self->options);
}

static void unfold_repr(const void *module, char *text, size_t size) {
    const nn_Unfold *self = module;
    int at = 0;
    if (tg_is_class(self, "nn_Fold", sizeof(nn_Fold)))
        at = snprintf(text, size, "output_size=%s, ", tg_tuple_repr(self->output_size, 2).text);
    snprintf(text + at, size - (size_t)at, "kernel_size=%s, dilation=%s, padding=%s, stride=%s",
             tg_tuple_repr(self->kernel_size, 2).text, tg_tuple_repr(self->options.dilation, 2).text,
             tg_tuple_repr(self->options.padding, 2).text, tg_tuple_repr(self->options.stride, 2).text);
}

static nn_Unfold *unfold_new(const char *type, nn_Forward forward, const int64_t *output_size,
                             const int64_t *kernel_size, const F_UnfoldOptions *options) {
    F_UnfoldOptions o = F_UnfoldDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!kernel_size || !output_size)
        return t_error() ? NULL : tg_fail("a size is NULL where two sizes are expected");
    nn_Unfold *self = (nn_Unfold *)nn_module_new(sizeof *self, type, forward);
    if (!self) return NULL;
    self->base.extra_repr = unfold_repr;
    memcpy(self->output_size, output_size, sizeof self->output_size);
    memcpy(self->kernel_size, kernel_size, sizeof self->kernel_size);
    self->options = o;
    return self;
}

/* nn.Unfold: F_unfold with the sizes given at construction. nn.Fold: F_fold. */
nn_Unfold *nn_Unfold_new(const int64_t kernel_size[2], const F_UnfoldOptions *options) {
    return unfold_new("nn_Unfold", unfold_forward, (int64_t[]){0, 0}, kernel_size, options);
}

nn_Fold *nn_Fold_new(const int64_t output_size[2], const int64_t kernel_size[2], const F_UnfoldOptions *options) {
    return unfold_new("nn_Fold", fold_forward, output_size, kernel_size, options);
}
