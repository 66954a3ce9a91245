/* nn/models/vgg.c: VGG with and without batch norms. */
#include "nn/models/vgg.h"

#include "nn/models/models_internal.h"

const models_VGGOptions models_VGGDefaults = {
    .size = sizeof(models_VGGOptions), .num_classes = 1000, .init_weights = true, .dropout = 0.5};

/* The configurations A, B, D, E of the paper: channels of the convolutions; MAX_POOL ends a stage. */
enum { MAX_POOL = -1 };
static const int configuration_a[] = {64, -1, 128, -1, 256, 256, -1, 512, 512, -1, 512, 512, -1, 0};
static const int configuration_b[] = {64, 64, -1, 128, 128, -1, 256, 256, -1, 512, 512, -1, 512, 512, -1, 0};
static const int configuration_d[] = {64,  64,  -1,  128, 128, -1,  256, 256, 256, -1,
                                      512, 512, 512, -1,  512, 512, 512, -1,  0};
static const int configuration_e[] = {64,  64,  -1,  128, 128, -1,  256, 256, 256, 256, -1,
                                      512, 512, 512, 512, -1,  512, 512, 512, 512, -1,  0};

static nn_Sequential *make_layers(const int *configuration, bool batch_norm) {
    nn_Sequential *layers = nn_Sequential_new(NULL, 0);
    bool ok = layers != NULL;
    int64_t in_channels = 3;
    for (const int *v = configuration; *v && ok; v++) {
        if (*v == MAX_POOL) {
            ok = tg_models_append(layers, tg_models_max_pool2d(2, 2, 0));
            continue;
        }
        const ConvSizes sizes = {.kernel_size = 3, .padding = 1};
        ok = tg_models_append(layers, tg_models_conv2d(in_channels, *v, sizes, true)) &&
             (!batch_norm || tg_models_append(layers, nn_BatchNorm2d_new(*v, NULL))) &&
             tg_models_append(layers, nn_ReLU_new(true));
        in_channels = *v;
    }
    return ok ? layers : NULL;
}

static Tensor *vgg_forward(void *module, Tensor *x) {
    models_VGG *self = module;
    x = nn_call(self->features, x);
    x = nn_call(self->avgpool, x);
    x = t_flatten(x, 1, -1);
    return nn_call(self->classifier, x);
}

static nn_Sequential *make_classifier(const models_VGGOptions *o) {
    nn_Sequential *layers = nn_Sequential_new(NULL, 0);
    bool ok =
        tg_models_append(layers, nn_Linear_new(512 * 7 * 7, 4096, NULL)) &&
        tg_models_append(layers, nn_ReLU_new(true)) && tg_models_append(layers, nn_Dropout_new(o->dropout, false)) &&
        tg_models_append(layers, nn_Linear_new(4096, 4096, NULL)) && tg_models_append(layers, nn_ReLU_new(true)) &&
        tg_models_append(layers, nn_Dropout_new(o->dropout, false)) &&
        tg_models_append(layers, nn_Linear_new(4096, o->num_classes, NULL));
    return ok ? layers : NULL;
}

static models_VGG *with_features(void *features, const models_VGGOptions *o, bool init_weights, const char *path) {
    const int64_t failures = tg_context()->failures;
    models_VGG *self = features ? (models_VGG *)nn_module_new(sizeof *self, "models_VGG", vgg_forward) : NULL;
    if (!self) return NULL;
    TG_SET(self, features, features);
    TG_SET(self, avgpool, tg_models_adaptive_avg_pool2d(7));
    TG_SET(self, classifier, make_classifier(o));
    if (tg_failed_since(failures)) return NULL;
    if (init_weights)
        tg_models_init(&self->base, (Initializers){tg_models_init_conv, tg_models_init_norm, tg_models_init_linear});
    return tg_models_load(&self->base, path) ? self : NULL;
}

models_VGG *models_VGG_new(void *features, const models_VGGOptions *options) {
    models_VGGOptions o = models_VGGDefaults;
    char path[TG_MODELS_PATH];
    if (!tg_check_module(features, 1) || !tg_take_options(&o, options, sizeof o) ||
        !tg_models_find(NULL, o.weights, o.num_classes, path))
        return NULL;
    Construction construction = tg_construct_begin();
    return tg_construct_end(construction, with_features(features, &o, o.init_weights, path));
}

static models_VGG *vgg(const char *model, const int *configuration, bool batch_norm, const models_VGGOptions *options) {
    models_VGGOptions o = models_VGGDefaults;
    char path[TG_MODELS_PATH];
    if (!tg_take_options(&o, options, sizeof o) || !tg_models_find(model, o.weights, o.num_classes, path)) return NULL;
    const bool init_weights = o.init_weights && !tg_models_weights(model, o.weights);
    Construction construction = tg_construct_begin();
    return tg_construct_end(construction,
                            with_features(make_layers(configuration, batch_norm), &o, init_weights, path));
}

#define VGG(name, configuration, batch_norm)                      \
    models_VGG *models_##name(const models_VGGOptions *options) { \
        return vgg(#name, configuration, batch_norm, options);    \
    }
VGG(vgg11, configuration_a, false)
VGG(vgg13, configuration_b, false)
VGG(vgg16, configuration_d, false)
VGG(vgg19, configuration_e, false)
VGG(vgg11_bn, configuration_a, true)
VGG(vgg13_bn, configuration_b, true)
VGG(vgg16_bn, configuration_d, true)
VGG(vgg19_bn, configuration_e, true)
