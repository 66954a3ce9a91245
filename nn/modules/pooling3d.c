/* nn/modules/pooling3d.c: the pooling layers over three dims, which call the function of their name with the sizes
 * given at construction. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nn/functional/convolution/sliding_window_internal.h"
#include "nn/module/module_internal.h"
#include "nn/modules/pooling.h"

typedef void WriteText(const void *self, char *text, size_t size);

static nn_Pool3d *pool_new(const char *type, nn_Forward forward, WriteText *repr, const F_Pool3dOptions *options) {
    F_Pool3dOptions o = F_Pool3dDefaults;
    if (!options) return t_error() ? NULL : tg_fail("a pooling layer needs options: kernel_size has no default");
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    nn_Pool3d *self = (nn_Pool3d *)nn_module_new(sizeof *self, type, forward);
    if (!self) return NULL;
    self->base.extra_repr = repr;
    self->options = o;
    self->options.indices = NULL;
    return self;
}

/* "2" for one integer, "(1, 2, 2)" for three. */
static SizesText size_of(const int64_t sizes[3]) {
    return tg_tuple_repr(sizes, 3);
}

/* "(2, 2, 2)" for one integer, too. */
static SizesText all_of(const int64_t sizes[3]) {
    return tg_tuple_repr(sizes[1] == F_BOTH ? (int64_t[]){sizes[0], sizes[0], sizes[0]} : sizes, 3);
}

static const int64_t *stride_of(const F_Pool3dOptions *o) {
    return o->stride[0] == T_NONE ? o->kernel_size : o->stride;
}

static const char *python_bool(bool value) {
    return value ? "True" : "False";
}

/* ---- MaxPool3d, AvgPool3d ---- */

static Tensor *max_forward(void *self, Tensor *x) {
    return F_max_pool3d(x, &((nn_MaxPool3d *)self)->options);
}

static void max_repr(const void *self, char *text, size_t size) {
    const F_Pool3dOptions *o = &((const nn_MaxPool3d *)self)->options;
    snprintf(text, size, "kernel_size=%s, stride=%s, padding=%s, dilation=%s, ceil_mode=%s",
             size_of(o->kernel_size).text, size_of(stride_of(o)).text, size_of(o->padding).text,
             size_of(o->dilation).text, python_bool(o->ceil_mode));
}

nn_MaxPool3d *nn_MaxPool3d_new(const F_Pool3dOptions *options) {
    return pool_new("nn_MaxPool3d", max_forward, max_repr, options);
}

static Tensor *max_with_indices(void *self, Tensor *const *inputs, const void *indices) {
    F_Pool3dOptions o = ((nn_MaxPool3d *)self)->options;
    o.indices = *(Tensor **const *)indices;
    return F_max_pool3d(inputs[0], &o);
}

/* pool(x) with return_indices=True; indices may be NULL. */
static Tensor *call_with_indices(void *self, Tensor *x, tg_ForwardFunction *run, Tensor **indices) {
    Tensor *at = NULL, **to = indices ? &at : NULL;
    Tensor *y = tg_call_module(self, (Tensor *[]){x}, 1, run, &to);
    if (indices) *indices = at;
    return y;
}

Tensor *nn_MaxPool3d_call(nn_MaxPool3d *self, Tensor *x, Tensor **indices) {
    tg_clear_output(indices);
    if (!TG_CHECK_CLASS(self, 1, nn_MaxPool3d, "nn_MaxPool3d_call")) return NULL;
    return call_with_indices(self, x, max_with_indices, indices);
}

static Tensor *avg_forward(void *self, Tensor *x) {
    return F_avg_pool3d(x, &((nn_AvgPool3d *)self)->options);
}

static void avg_repr(const void *self, char *text, size_t size) {
    const F_Pool3dOptions *o = &((const nn_AvgPool3d *)self)->options;
    snprintf(text, size, "kernel_size=%s, stride=%s, padding=%s", size_of(o->kernel_size).text,
             size_of(stride_of(o)).text, size_of(o->padding).text);
}

nn_AvgPool3d *nn_AvgPool3d_new(const F_Pool3dOptions *options) {
    return pool_new("nn_AvgPool3d", avg_forward, avg_repr, options);
}

/* ---- MaxUnpool3d, LPPool3d ---- */

static Tensor *unpool_forward(void *self, Tensor *x, Tensor *indices) {
    return F_max_unpool3d(x, indices, &((nn_MaxUnpool3d *)self)->options, NULL);
}

static void unpool_repr(const void *self, char *text, size_t size) {
    const F_Pool3dOptions *o = &((const nn_MaxUnpool3d *)self)->options;
    snprintf(text, size, "kernel_size=%s, stride=%s, padding=%s", all_of(o->kernel_size).text,
             all_of(stride_of(o)).text, all_of(o->padding).text);
}

nn_MaxUnpool3d *nn_MaxUnpool3d_new(const F_Pool3dOptions *options) {
    nn_MaxUnpool3d *self = pool_new("nn_MaxUnpool3d", NULL, unpool_repr, options);
    if (self) self->base.forward2 = unpool_forward;
    return self;
}

static Tensor *unpool_to_size(void *self, Tensor *const *inputs, const void *output_size) {
    return F_max_unpool3d(inputs[0], inputs[1], &((nn_MaxUnpool3d *)self)->options, output_size);
}

Tensor *nn_MaxUnpool3d_call(nn_MaxUnpool3d *self, Tensor *x, Tensor *indices, const int64_t *output_size) {
    if (!TG_CHECK_CLASS(self, 1, nn_MaxUnpool3d, "nn_MaxUnpool3d_call")) return NULL;
    return tg_call_module(self, (Tensor *[]){x, indices}, 2, unpool_to_size, output_size);
}

static Tensor *lp_forward(void *self, Tensor *x) {
    return F_lp_pool3d(x, ((nn_LPPool3d *)self)->norm_type, &((nn_LPPool3d *)self)->options);
}

static void lp_repr(const void *module, char *text, size_t size) {
    const nn_LPPool3d *self = module;
    char norm_type[32];
    snprintf(norm_type, sizeof norm_type, "%.0f", self->norm_type);
    snprintf(text, size, "norm_type=%s, kernel_size=%s, stride=%s, ceil_mode=%s",
             self->norm_type == floor(self->norm_type) ? norm_type : tg_number_text(self->norm_type),
             size_of(self->options.kernel_size).text, size_of(self->options.stride).text,
             python_bool(self->options.ceil_mode));
}

nn_LPPool3d *nn_LPPool3d_new(double norm_type, const F_Pool3dOptions *options) {
    if (norm_type == 0) return tg_fail("norm_type must be a non-zero value, but got 0");
    nn_LPPool3d *self = pool_new("nn_LPPool3d", lp_forward, lp_repr, options);
    if (self) self->norm_type = norm_type;
    return self;
}

/* ---- AdaptiveAvgPool3d, AdaptiveMaxPool3d ---- */

static void adaptive_repr(const void *self, char *text, size_t size) {
    snprintf(text, size, "output_size=%s", size_of(((const nn_AdaptivePool3d *)self)->output_size).text);
}

static nn_AdaptivePool3d *adaptive_new(const char *type, nn_Forward forward, const int64_t *output_size) {
    if (!output_size) return t_error() ? NULL : tg_fail("output_size is NULL where three sizes are expected");
    nn_AdaptivePool3d *self = (nn_AdaptivePool3d *)nn_module_new(sizeof *self, type, forward);
    if (!self) return NULL;
    self->base.extra_repr = adaptive_repr;
    memcpy(self->output_size, output_size, sizeof self->output_size);
    return self;
}

static Tensor *adaptive_avg_forward(void *self, Tensor *x) {
    return F_adaptive_avg_pool3d(x, ((nn_AdaptivePool3d *)self)->output_size);
}

nn_AdaptiveAvgPool3d *nn_AdaptiveAvgPool3d_new(const int64_t output_size[3]) {
    return adaptive_new("nn_AdaptiveAvgPool3d", adaptive_avg_forward, output_size);
}

static Tensor *adaptive_max_forward(void *self, Tensor *x) {
    return F_adaptive_max_pool3d(x, ((nn_AdaptivePool3d *)self)->output_size, NULL);
}

nn_AdaptiveMaxPool3d *nn_AdaptiveMaxPool3d_new(const int64_t output_size[3]) {
    return adaptive_new("nn_AdaptiveMaxPool3d", adaptive_max_forward, output_size);
}

static Tensor *adaptive_max_with_indices(void *self, Tensor *const *inputs, const void *indices) {
    return F_adaptive_max_pool3d(inputs[0], ((nn_AdaptivePool3d *)self)->output_size, *(Tensor * *const *)indices);
}

Tensor *nn_AdaptiveMaxPool3d_call(nn_AdaptiveMaxPool3d *self, Tensor *x, Tensor **indices) {
    tg_clear_output(indices);
    if (!TG_CHECK_CLASS(self, 1, nn_AdaptiveMaxPool3d, "nn_AdaptiveMaxPool3d_call")) return NULL;
    return call_with_indices(self, x, adaptive_max_with_indices, indices);
}
