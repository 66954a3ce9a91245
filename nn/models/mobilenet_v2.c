/* nn/models/mobilenet_v2.c: MobileNetV2. */
#include "nn/models/mobilenet_v2.h"

#include <math.h>

#include "nn/models/models_internal.h"

const models_MobileNetV2Options models_MobileNetV2Defaults = {.size = sizeof(models_MobileNetV2Options),
                                                              .num_classes = 1000,
                                                              .width_mult = 1,
                                                              .round_nearest = 8,
                                                              .dropout = 0.2};

/* torchvision.ops.Conv2dNormActivation(in, out, kernel_size, stride, groups=groups, norm_layer=norm_layer,
 * activation_layer=nn.ReLU6): a Sequential of a class of its own */
static void *conv_norm_activation(int64_t in_channels, int64_t out_channels, int64_t kernel_size, int64_t stride,
                                  int64_t groups, models_NormLayer *norm_layer) {
    nn_Sequential *layers = nn_Sequential_new(NULL, 0);
    const ConvSizes sizes = {kernel_size, stride, (kernel_size - 1) / 2, 1, groups};
    bool ok = tg_models_append(layers, tg_models_conv2d(in_channels, out_channels, sizes, false)) &&
              tg_models_append(layers, tg_models_norm(norm_layer, out_channels)) &&
              tg_models_append(layers, nn_ReLU6_new(true));
    return ok ? nn_subclass_new(sizeof *layers, "Conv2dNormActivation", NULL, NULL, layers) : NULL;
}

/* ---- InvertedResidual ---- */

static Tensor *inverted_residual_forward(void *module, Tensor *x) {
    models_InvertedResidual *self = module;
    Tensor *y = nn_call(self->conv, x);
    return self->use_res_connect ? t_add(x, y) : y;
}

static nn_Module *inverted_residual_new(int64_t in, int64_t out, int64_t stride, int64_t expand_ratio,
                                        models_NormLayer *norm_layer) {
    models_InvertedResidual *self =
        (models_InvertedResidual *)nn_module_new(sizeof *self, "models_InvertedResidual", inverted_residual_forward);
    if (!self) return NULL;
    const int64_t hidden_dim = in * expand_ratio;
    nn_Sequential *layers = nn_Sequential_new(NULL, 0);
    bool ok =
        (expand_ratio == 1 || tg_models_append(layers, conv_norm_activation(in, hidden_dim, 1, 1, 1, norm_layer))) &&
        tg_models_append(layers, conv_norm_activation(hidden_dim, hidden_dim, 3, stride, hidden_dim, norm_layer)) &&
        tg_models_append(layers, tg_models_conv2d(hidden_dim, out, (ConvSizes){.kernel_size = 1}, false)) &&
        tg_models_append(layers, tg_models_norm(norm_layer, out));
    if (!ok) return NULL;
    TG_SET(self, conv, layers);
    self->stride = stride;
    self->out_channels = out;
    self->use_res_connect = stride == 1 && in == out;
    return &self->base;
}

/* ---- the network ---- */

static Tensor *mobilenet_v2_forward(void *module, Tensor *x) {
    models_MobileNetV2 *self = module;
    x = nn_call(self->features, x);
    x = F_adaptive_avg_pool2d(x, (const int64_t[]){1, 1});
    x = t_flatten(x, 1, -1);
    return nn_call(self->classifier, x);
}

/* v rounded to a multiple of the divisor, but not by more than 10 % down. */
static int64_t make_divisible(double v, int64_t divisor) {
    const int64_t rounded = (int64_t)(v + (double)divisor / 2) / divisor * divisor;
    const int64_t new_v = rounded > divisor ? rounded : divisor;
    return (double)new_v < 0.9 * v ? new_v + divisor : new_v;
}

static nn_Sequential *make_features(const models_MobileNetV2Options *o, int64_t last_channel) {
    static const struct {
        int64_t expand_ratio, channels, blocks, stride;
    } setting[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                   {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    nn_Sequential *features = nn_Sequential_new(NULL, 0);
    int64_t in = make_divisible(32 * o->width_mult, o->round_nearest);
    bool ok = tg_models_append(features, conv_norm_activation(3, in, 3, 2, 1, o->norm_layer));
    for (int s = 0; s < 7; s++) {
        const int64_t out = make_divisible((double)setting[s].channels * o->width_mult, o->round_nearest);
        for (int64_t i = 0; i < setting[s].blocks && ok; i++) {
            const int64_t stride = i == 0 ? setting[s].stride : 1;
            ok = tg_models_append(features,
                                  inverted_residual_new(in, out, stride, setting[s].expand_ratio, o->norm_layer));
            in = out;
        }
    }
    ok = ok && tg_models_append(features, conv_norm_activation(in, last_channel, 1, 1, 1, o->norm_layer));
    return ok ? features : NULL;
}

static void construct(models_MobileNetV2 *self, const models_MobileNetV2Options *o) {
    const int64_t failures = tg_context()->failures;
    self->last_channel = make_divisible(1280 * fmax(1, o->width_mult), o->round_nearest);
    TG_SET(self, features, make_features(o, self->last_channel));
    nn_Sequential *classifier = nn_Sequential_new(NULL, 0);
    if (tg_models_append(classifier, nn_Dropout_new(o->dropout, false)) &&
        tg_models_append(classifier, nn_Linear_new(self->last_channel, o->num_classes, NULL)))
        TG_SET(self, classifier, classifier);
    if (!tg_failed_since(failures))
        tg_models_init(&self->base, (Initializers){tg_models_init_conv, tg_models_init_norm, tg_models_init_linear});
}

models_MobileNetV2 *models_mobilenet_v2(const models_MobileNetV2Options *options) {
    models_MobileNetV2Options o = models_MobileNetV2Defaults;
    char path[TG_MODELS_PATH];
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (o.round_nearest < 1 || !(o.width_mult > 0))
        return tg_fail("width_mult and round_nearest must be positive, got %g and %lld", o.width_mult,
                       (long long)o.round_nearest);
    if (!tg_models_find("mobilenet_v2", o.weights, o.num_classes, path)) return NULL;
    Construction construction = tg_construct_begin();
    models_MobileNetV2 *self =
        (models_MobileNetV2 *)nn_module_new(sizeof *self, "models_MobileNetV2", mobilenet_v2_forward);
    if (self) construct(self, &o);
    const bool ok = self && !tg_failed_since(construction.failures) && tg_models_load(&self->base, path);
    return tg_construct_end(construction, ok ? self : NULL);
}
