/* nn/fusion.c: torch.nn.utils.fusion. In evaluation a batch norm is y = (x - mean) / sqrt(var + eps) w + b, which the
 * weight and bias of the layer before it can absorb. */
#include "nn/fusion.h"

#include <inttypes.h>

#include "core/ops/ops.h"
#include "nn/module/module_internal.h"
#include "nn/modules/base_classes_internal.h"

/* ---- weights ---- */

static Tensor *parameter_like(Tensor *value, bool requires_grad) {
    Tensor *p = value ? nn_Parameter(value) : NULL;
    return p ? t_requires_grad_(p, requires_grad) : NULL;
}

/* The scale of each output is broadcast to w as this shape. */
static Tensor *fuse(Tensor *w, Tensor *b, Tensor *mean, Tensor *var, double eps, Tensor *bn_w, Tensor *bn_b,
                    const int64_t *shape, int ndim, Tensor **bias) {
    const bool bias_requires_grad = b && b->requires_grad, grad_enabled = t_set_grad_enabled(false);
    if (!b) b = t_zeros_like(mean);
    if (!bn_b) bn_b = t_zeros_like(mean);
    Tensor *scale = t_rsqrt(t_add(var, t_number(eps)));
    if (bn_w && scale) scale = t_mul(bn_w, scale);
    Tensor *fused = scale ? t_mul(w, t_reshape(scale, shape, ndim)) : NULL;
    Tensor *shifted = scale && b && bn_b ? t_add(t_mul(t_sub(b, mean), scale), bn_b) : NULL;
    t_set_grad_enabled(grad_enabled);
    *bias = parameter_like(shifted, bias_requires_grad);
    return *bias ? parameter_like(fused, w->requires_grad) : NULL;
}

static Tensor *fuse_weights(Tensor *const *tensors, double eps, bool linear, bool transpose, Tensor **bias) {
    Tensor *w = tensors[0];
    for (int i = 0; i < 6; i++)
        if (i == 0 || i == 2 || i == 3 ? !tg_check(tensors[i], i + 1) : !tg_check_optional(tensors[i], i + 1))
            return NULL;
    if (!bias) return tg_fail("bias is NULL where the fused bias is stored");
    if (w->ndim < 2) return tg_fail("a weight of 2 dims or more is fused, but got %dD", w->ndim);
    int64_t shape[T_MAX_DIMS];
    for (int d = 0; d < w->ndim; d++) shape[d] = d == (transpose && !linear) ? -1 : 1;
    int depth = t_scope_open();
    if (!depth) return NULL;
    Tensor *b = NULL;
    Tensor *fused = fuse(w, tensors[1], tensors[2], tensors[3], eps, tensors[4], tensors[5], shape, w->ndim, &b);
    if (fused) *bias = t_keep_object(b);
    return tg_scope_return(depth, fused);
}

/* Both are parameters that require grad as conv_w and conv_b do. transpose: of a transposed convolution, whose outputs
 * are along dim 1. */
Tensor *nn_utils_fuse_conv_bn_weights(Tensor *conv_w, Tensor *conv_b, Tensor *bn_rm, Tensor *bn_rv, double bn_eps,
                                      Tensor *bn_w, Tensor *bn_b, bool transpose, Tensor **bias) {
    tg_clear_output(bias);
    Tensor *const tensors[] = {conv_w, conv_b, bn_rm, bn_rv, bn_w, bn_b};
    return fuse_weights(tensors, bn_eps, false, transpose, bias);
}

Tensor *nn_utils_fuse_linear_bn_weights(Tensor *linear_w, Tensor *linear_b, Tensor *bn_rm, Tensor *bn_rv,
                                        double bn_eps, Tensor *bn_w, Tensor *bn_b, Tensor **bias) {
    tg_clear_output(bias);
    Tensor *const tensors[] = {linear_w, linear_b, bn_rm, bn_rv, bn_w, bn_b};
    return fuse_weights(tensors, bn_eps, true, false, bias);
}

/* ---- layers ---- */

/* is_layer: whether `layer`, a live module, has the class that the function takes, `class_name`. */
static bool check_eval(const nn_Module *layer, bool is_layer, const char *class_name, const nn_BatchNorm *bn) {
    if (!is_layer) return tg_fail("a %s is fused with a batch norm, not a %s", class_name, layer->type);
    if (!tg_check_module(bn, 2)) return false;
    if (!tg_is_batch_norm(bn))
        return tg_fail("a batch norm is fused with the layer before it, not a %s", bn->base.type);
    if (layer->training || bn->base.training) return tg_fail("Fusion only for eval!");
    return (bn->running_mean && bn->running_var) ||
           tg_fail("bn.running_mean and bn.running_var must not be None") != NULL;
}

/* Gives the copy of a layer, in eval mode as the layer is, its new parameters. */
static bool set_parameters(nn_Module *copy, Tensor **weight, Tensor **bias, Tensor *w, Tensor *b) {
    if (!w || !nn_register_parameter(copy, "weight", w) || !nn_register_parameter(copy, "bias", b)) return false;
    *weight = w;
    *bias = b;
    return true;
}

/* A copy of conv that computes bn(conv(x)), in evaluation. Errors: modules of other classes, a module in training
 * mode, a bn without running statistics. */
nn_Conv *nn_utils_fuse_conv_bn_eval(const nn_Conv *conv, const nn_BatchNorm *bn, bool transpose) {
    if (!tg_check_module(conv, 1) || !check_eval(&conv->base, tg_is_convolution(conv), "convolution", bn)) return NULL;
    int depth = t_scope_open();
    nn_Conv *fused = depth ? nn_deepcopy(conv) : NULL;
    Tensor *b = NULL, *w = NULL;
    if (fused)
        w = nn_utils_fuse_conv_bn_weights(conv->weight, conv->bias, bn->running_mean, bn->running_var, bn->eps,
                                          bn->weight, bn->bias, transpose, &b);
    return tg_scope_return(depth, w && set_parameters(&fused->base, &fused->weight, &fused->bias, w, b) ? fused : NULL);
}

/* A copy of linear that computes bn(linear(x)), in evaluation. Errors: as above, and sizes that do not fit. */
nn_Linear *nn_utils_fuse_linear_bn_eval(const nn_Linear *linear, const nn_BatchNorm *bn) {
    if (!tg_check_module(linear, 1) ||
        !check_eval(&linear->base, tg_is_class(linear, "nn_Linear", sizeof *linear), "Linear", bn))
        return NULL;
    if (linear->out_features != bn->num_features && bn->num_features != 1)
        return tg_fail("To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got "
                       "linear.out_features=%" PRId64 " and bn.num_features=%" PRId64,
                       linear->out_features, bn->num_features);
    int depth = t_scope_open();
    nn_Linear *fused = depth ? nn_deepcopy(linear) : NULL;
    Tensor *b = NULL, *w = NULL;
    if (fused)
        w = nn_utils_fuse_linear_bn_weights(linear->weight, linear->bias, bn->running_mean, bn->running_var, bn->eps,
                                            bn->weight, bn->bias, &b);
    return tg_scope_return(depth, w && set_parameters(&fused->base, &fused->weight, &fused->bias, w, b) ? fused : NULL);
}
