/* nn/models/layers.c: layers, and the loops over them that set initial values. */
#include <math.h>

#include "nn/models/models_internal.h"

nn_Conv2d *tg_models_conv2d(int64_t in_channels, int64_t out_channels, ConvSizes sizes, bool bias) {
    nn_ConvOptions o = nn_ConvDefaults;
    o.stride[0] = sizes.stride ? sizes.stride : 1;
    o.padding[0] = sizes.padding;
    o.dilation[0] = sizes.dilation ? sizes.dilation : 1;
    o.groups = sizes.groups ? sizes.groups : 1;
    o.bias = bias;
    return nn_Conv2d_new(in_channels, out_channels, (int64_t[]){sizes.kernel_size, F_BOTH}, &o);
}

nn_Module *tg_models_norm(models_NormLayer *norm_layer, int64_t num_features) {
    return norm_layer ? norm_layer(num_features) : (void *)nn_BatchNorm2d_new(num_features, NULL);
}

nn_MaxPool2d *tg_models_max_pool2d(int64_t kernel_size, int64_t stride, int64_t padding) {
    F_PoolOptions o = F_PoolDefaults;
    o.kernel_size[0] = kernel_size;
    o.stride[0] = stride;
    o.padding[0] = padding;
    o.kernel_size[1] = o.stride[1] = o.padding[1] = F_BOTH;
    return nn_MaxPool2d_new(&o);
}

nn_AdaptiveAvgPool2d *tg_models_adaptive_avg_pool2d(int64_t output_size) {
    return nn_AdaptiveAvgPool2d_new((int64_t[]){output_size, output_size});
}

bool tg_models_append(nn_Sequential *sequential, void *module) {
    return sequential && module && nn_append(sequential, module);
}

/* ---- initial values ---- */

void tg_models_init_conv(nn_Conv2d *conv) {
    nn_init_kaiming_normal_(conv->weight, 0, "fan_out", "relu", NULL);
    if (conv->bias) nn_init_zeros_(conv->bias);
}

void tg_models_init_norm(Tensor *weight, Tensor *bias) {
    if (weight) nn_init_ones_(weight);
    if (bias) nn_init_zeros_(bias);
}

void tg_models_init_linear(nn_Linear *linear) {
    nn_init_normal_(linear->weight, 0, 0.01, NULL);
    if (linear->bias) nn_init_zeros_(linear->bias);
}

/* torch.nn's modules() visits a parent before its children, in the order of registration. */
void tg_models_init(nn_Module *self, Initializers initializers) {
    if (tg_is_class(self, "nn_Conv2d", sizeof(nn_Conv2d))) {
        if (initializers.conv) initializers.conv((nn_Conv2d *)self);
    } else if (tg_is_class(self, "nn_BatchNorm2d", sizeof(nn_BatchNorm2d))) {
        if (initializers.norm) initializers.norm(((nn_BatchNorm2d *)self)->weight, ((nn_BatchNorm2d *)self)->bias);
    } else if (tg_is_class(self, "nn_GroupNorm", sizeof(nn_GroupNorm))) {
        if (initializers.norm) initializers.norm(((nn_GroupNorm *)self)->weight, ((nn_GroupNorm *)self)->bias);
    } else if (tg_is_class(self, "nn_Linear", sizeof(nn_Linear))) {
        if (initializers.linear) initializers.linear((nn_Linear *)self);
    }
    for (nn_Entry *entry = tg_child(self->first); entry; entry = tg_child(entry->next))
        if (entry->value) tg_models_init((nn_Module *)entry->value, initializers);
}
