/* nn/models/alexnet.c: AlexNet, in the form of "One weird trick for parallelizing convolutional neural networks". */
#include "nn/models/models_internal.h"
#include "nn/models/vgg.h"

const models_AlexNetOptions models_AlexNetDefaults = {
    .size = sizeof(models_AlexNetOptions), .num_classes = 1000, .dropout = 0.5};

static Tensor *alexnet_forward(void *module, Tensor *x) {
    models_AlexNet *self = module;
    x = nn_call(self->features, x);
    x = nn_call(self->avgpool, x);
    x = t_flatten(x, 1, -1);
    return nn_call(self->classifier, x);
}

static nn_Sequential *make_features(void) {
    static const struct {
        int64_t out_channels;
        ConvSizes sizes;
        bool max_pool;
    } convs[] = {
        {64, {.kernel_size = 11, .stride = 4, .padding = 2}, true},
        {192, {.kernel_size = 5, .padding = 2}, true},
        {384, {.kernel_size = 3, .padding = 1}, false},
        {256, {.kernel_size = 3, .padding = 1}, false},
        {256, {.kernel_size = 3, .padding = 1}, true},
    };
    nn_Sequential *layers = nn_Sequential_new(NULL, 0);
    bool ok = layers != NULL;
    int64_t in_channels = 3;
    for (int i = 0; i < 5 && ok; i++) {
        ok = tg_models_append(layers, tg_models_conv2d(in_channels, convs[i].out_channels, convs[i].sizes, true)) &&
             tg_models_append(layers, nn_ReLU_new(true)) &&
             (!convs[i].max_pool || tg_models_append(layers, tg_models_max_pool2d(3, 2, 0)));
        in_channels = convs[i].out_channels;
    }
    return ok ? layers : NULL;
}

static nn_Sequential *make_classifier(const models_AlexNetOptions *o) {
    nn_Sequential *layers = nn_Sequential_new(NULL, 0);
    bool ok =
        tg_models_append(layers, nn_Dropout_new(o->dropout, false)) &&
        tg_models_append(layers, nn_Linear_new(256 * 6 * 6, 4096, NULL)) &&
        tg_models_append(layers, nn_ReLU_new(true)) && tg_models_append(layers, nn_Dropout_new(o->dropout, false)) &&
        tg_models_append(layers, nn_Linear_new(4096, 4096, NULL)) && tg_models_append(layers, nn_ReLU_new(true)) &&
        tg_models_append(layers, nn_Linear_new(4096, o->num_classes, NULL));
    return ok ? layers : NULL;
}

models_AlexNet *models_alexnet(const models_AlexNetOptions *options) {
    models_AlexNetOptions o = models_AlexNetDefaults;
    char path[TG_MODELS_PATH];
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    if (!tg_models_find("alexnet", o.weights, o.num_classes, path)) return NULL;
    Construction construction = tg_construct_begin();
    models_AlexNet *self = (models_AlexNet *)nn_module_new(sizeof *self, "models_AlexNet", alexnet_forward);
    if (self) {
        TG_SET(self, features, make_features());
        TG_SET(self, avgpool, tg_models_adaptive_avg_pool2d(6));
        TG_SET(self, classifier, make_classifier(&o));
    }
    const bool ok = self && !tg_failed_since(construction.failures) && tg_models_load(&self->base, path);
    return tg_construct_end(construction, ok ? self : NULL);
}
