/* nn/models/resnet.c: ResNet, ResNeXt, Wide ResNet. */
#include "nn/models/resnet.h"

#include <inttypes.h>

#include "nn/models/models_internal.h"

const models_ResNetOptions models_ResNetDefaults = {
    .size = sizeof(models_ResNetOptions), .num_classes = 1000, .groups = 1, .width_per_group = 64};

/* ---- blocks ---- */

/* What a block is made of, beside its width. */
typedef struct BlockSizes {
    int64_t inplanes, planes, stride, groups, base_width, dilation;
    nn_Sequential *downsample;
    models_NormLayer *norm_layer;
} BlockSizes;

static nn_Conv2d *conv1x1(int64_t in_planes, int64_t out_planes, int64_t stride) {
    return tg_models_conv2d(in_planes, out_planes, (ConvSizes){.kernel_size = 1, .stride = stride}, false);
}

static nn_Conv2d *conv3x3(int64_t in_planes, int64_t out_planes, int64_t stride, int64_t groups, int64_t dilation) {
    return tg_models_conv2d(in_planes, out_planes, (ConvSizes){3, stride, dilation, dilation, groups}, false);
}

/* relu(out + identity), where out is written to. */
static Tensor *add_identity(nn_ReLU *relu, Tensor *out, nn_Sequential *downsample, Tensor *x) {
    Tensor *identity = downsample ? nn_call(downsample, x) : x;
    out = t_add_(out, identity);
    return nn_call(relu, out);
}

static Tensor *basic_block_forward(void *module, Tensor *x) {
    models_BasicBlock *self = module;
    Tensor *out = nn_call(self->conv1, x);
    out = nn_call(self->bn1, out);
    out = nn_call(self->relu, out);
    out = nn_call(self->conv2, out);
    out = nn_call(self->bn2, out);
    return add_identity(self->relu, out, self->downsample, x);
}

static nn_Module *basic_block_new(const BlockSizes *s) {
    if (s->groups != 1 || s->base_width != 64) return tg_fail("BasicBlock only supports groups=1 and base_width=64");
    if (s->dilation > 1) return tg_fail("Dilation > 1 not supported in BasicBlock");
    models_BasicBlock *self =
        (models_BasicBlock *)nn_module_new(sizeof *self, "models_BasicBlock", basic_block_forward);
    if (!self) return NULL;
    TG_SET(self, conv1, conv3x3(s->inplanes, s->planes, s->stride, 1, 1));
    TG_SET(self, bn1, tg_models_norm(s->norm_layer, s->planes));
    TG_SET(self, relu, nn_ReLU_new(true));
    TG_SET(self, conv2, conv3x3(s->planes, s->planes, 1, 1, 1));
    TG_SET(self, bn2, tg_models_norm(s->norm_layer, s->planes));
    if (s->downsample) TG_SET(self, downsample, s->downsample);
    self->stride = s->stride;
    return &self->base;
}

static Tensor *bottleneck_forward(void *module, Tensor *x) {
    models_Bottleneck *self = module;
    Tensor *out = nn_call(self->conv1, x);
    out = nn_call(self->bn1, out);
    out = nn_call(self->relu, out);
    out = nn_call(self->conv2, out);
    out = nn_call(self->bn2, out);
    out = nn_call(self->relu, out);
    out = nn_call(self->conv3, out);
    out = nn_call(self->bn3, out);
    return add_identity(self->relu, out, self->downsample, x);
}

static nn_Module *bottleneck_new(const BlockSizes *s) {
    models_Bottleneck *self = (models_Bottleneck *)nn_module_new(sizeof *self, "models_Bottleneck", bottleneck_forward);
    if (!self) return NULL;
    const int64_t width = (int64_t)((double)s->planes * ((double)s->base_width / 64.0)) * s->groups;
    TG_SET(self, conv1, conv1x1(s->inplanes, width, 1));
    TG_SET(self, bn1, tg_models_norm(s->norm_layer, width));
    TG_SET(self, conv2, conv3x3(width, width, s->stride, s->groups, s->dilation));
    TG_SET(self, bn2, tg_models_norm(s->norm_layer, width));
    TG_SET(self, conv3, conv1x1(width, 4 * s->planes, 1));
    TG_SET(self, bn3, tg_models_norm(s->norm_layer, 4 * s->planes));
    TG_SET(self, relu, nn_ReLU_new(true));
    if (s->downsample) TG_SET(self, downsample, s->downsample);
    self->stride = s->stride;
    return &self->base;
}

/* ---- the network ---- */

static Tensor *resnet_forward(void *module, Tensor *x) {
    models_ResNet *self = module;
    x = nn_call(self->conv1, x);
    x = nn_call(self->bn1, x);
    x = nn_call(self->relu, x);
    x = nn_call(self->maxpool, x);
    x = nn_call(self->layer1, x);
    x = nn_call(self->layer2, x);
    x = nn_call(self->layer3, x);
    x = nn_call(self->layer4, x);
    x = nn_call(self->avgpool, x);
    x = t_flatten(x, 1, -1);
    return nn_call(self->fc, x);
}

static nn_Sequential *make_layer(models_ResNet *self, models_Block block, models_NormLayer *norm_layer, int64_t planes,
                                 int64_t blocks, int64_t stride, bool dilate) {
    const int64_t expansion = block == models_bottleneck ? 4 : 1, before = self->dilation;
    nn_Module *(*block_new)(const BlockSizes *) = block == models_bottleneck ? bottleneck_new : basic_block_new;
    if (dilate) {
        self->dilation *= stride;
        stride = 1;
    }
    BlockSizes sizes = {self->inplanes, planes, stride, self->groups, self->base_width, before, NULL, norm_layer};
    if (stride != 1 || self->inplanes != planes * expansion) {
        sizes.downsample = nn_Sequential_new(NULL, 0);
        if (!tg_models_append(sizes.downsample, conv1x1(self->inplanes, planes * expansion, stride)) ||
            !tg_models_append(sizes.downsample, tg_models_norm(norm_layer, planes * expansion)))
            return NULL;
    }
    nn_Sequential *layers = nn_Sequential_new(NULL, 0);
    bool ok = tg_models_append(layers, block_new(&sizes));
    self->inplanes = planes * expansion;
    sizes = (BlockSizes){self->inplanes, planes, 1, self->groups, self->base_width, self->dilation, NULL, norm_layer};
    for (int64_t i = 1; i < blocks && ok; i++) ok = tg_models_append(layers, block_new(&sizes));
    return ok ? layers : NULL;
}

static void zero_init_residual(nn_Module *self) {
    nn_Module *norm = NULL;
    if (tg_is_class(self, "models_Bottleneck", sizeof(models_Bottleneck))) norm = ((models_Bottleneck *)self)->bn3;
    if (tg_is_class(self, "models_BasicBlock", sizeof(models_BasicBlock))) norm = ((models_BasicBlock *)self)->bn2;
    const nn_Entry *weight = norm ? tg_find_entry(norm, "weight") : NULL;
    if (weight && weight->value) nn_init_zeros_((Tensor *)weight->value);
    for (nn_Entry *entry = tg_child(self->first); entry; entry = tg_child(entry->next))
        if (entry->value) zero_init_residual((nn_Module *)entry->value);
}

static void construct(models_ResNet *self, models_Block block, const int64_t layers[4], const models_ResNetOptions *o) {
    const int64_t failures = tg_context()->failures;
    self->inplanes = 64;
    self->dilation = 1;
    self->groups = o->groups;
    self->base_width = o->width_per_group;
    TG_SET(self, conv1, tg_models_conv2d(3, self->inplanes, (ConvSizes){7, 2, 3, 1, 1}, false));
    TG_SET(self, bn1, tg_models_norm(o->norm_layer, self->inplanes));
    TG_SET(self, relu, nn_ReLU_new(true));
    TG_SET(self, maxpool, tg_models_max_pool2d(3, 2, 1));
    const bool *dilate = o->replace_stride_with_dilation;
    TG_SET(self, layer1, make_layer(self, block, o->norm_layer, 64, layers[0], 1, false));
    TG_SET(self, layer2, make_layer(self, block, o->norm_layer, 128, layers[1], 2, dilate[0]));
    TG_SET(self, layer3, make_layer(self, block, o->norm_layer, 256, layers[2], 2, dilate[1]));
    TG_SET(self, layer4, make_layer(self, block, o->norm_layer, 512, layers[3], 2, dilate[2]));
    TG_SET(self, avgpool, tg_models_adaptive_avg_pool2d(1));
    TG_SET(self, fc, nn_Linear_new(block == models_bottleneck ? 2048 : 512, o->num_classes, NULL));
    if (tg_failed_since(failures)) return;
    tg_models_init(&self->base, (Initializers){.conv = tg_models_init_conv, .norm = tg_models_init_norm});
    if (o->zero_init_residual) zero_init_residual(&self->base);
}

static bool check_sizes(const models_ResNetOptions *o, const int64_t layers[4]) {
    const int64_t most = 1 << 20;
    if (o->groups < 1 || o->groups > most) return tg_fail("groups must be from 1 to %lld", (long long)most);
    if (o->width_per_group < 1 || o->width_per_group > most)
        return tg_fail("width_per_group must be from 1 to %lld", (long long)most);
    for (int i = 0; i < 4; i++)
        if (layers[i] > 1024) return tg_fail("a stage has at most 1024 blocks, not %lld", (long long)layers[i]);
    return true;
}

static models_ResNet *resnet_new(const char *model, models_Block block, const int64_t layers[4],
                                 const models_ResNetOptions *o) {
    char path[TG_MODELS_PATH];
    if (!check_sizes(o, layers) || !tg_models_find(model, o->weights, o->num_classes, path)) return NULL;
    Construction construction = tg_construct_begin();
    models_ResNet *self = (models_ResNet *)nn_module_new(sizeof *self, "models_ResNet", resnet_forward);
    if (self) construct(self, block, layers, o);
    const bool ok = self && !tg_failed_since(construction.failures) && tg_models_load(&self->base, path);
    return tg_construct_end(construction, ok ? self : NULL);
}

models_ResNet *models_ResNet_new(models_Block block, const int64_t layers[4], const models_ResNetOptions *options) {
    models_ResNetOptions o = models_ResNetDefaults;
    if (!tg_check_given(layers != NULL, 2, "the numbers of blocks") || !tg_take_options(&o, options, sizeof o))
        return NULL;
    return resnet_new(NULL, block, layers, &o);
}

/* groups and width_per_group: those of the function's name, or 1 and 64 where the options choose */
static models_ResNet *resnet_of(const char *model, models_Block block, const int64_t layers[4], int64_t groups,
                                int64_t width_per_group, const models_ResNetOptions *options) {
    models_ResNetOptions o = models_ResNetDefaults;
    if (!tg_take_options(&o, options, sizeof o)) return NULL;
    const bool has_own = groups != 1 || width_per_group != 64;
    if (has_own && o.groups != 1 && o.groups != groups)
        return tg_fail("The parameter 'groups' expected value %" PRId64 " but got %" PRId64 " instead.", groups,
                       o.groups);
    if (has_own && o.width_per_group != 64 && o.width_per_group != width_per_group)
        return tg_fail("The parameter 'width_per_group' expected value %" PRId64 " but got %" PRId64 " instead.",
                       width_per_group, o.width_per_group);
    if (has_own) {
        o.groups = groups;
        o.width_per_group = width_per_group;
    }
    return resnet_new(model, block, layers, &o);
}

#define RESNET(name, block, a, b, c, d, groups, width)                                         \
    models_ResNet *models_##name(const models_ResNetOptions *options) {                        \
        return resnet_of(#name, block, (const int64_t[]){a, b, c, d}, groups, width, options); \
    }
RESNET(resnet18, models_basic_block, 2, 2, 2, 2, 1, 64)
RESNET(resnet34, models_basic_block, 3, 4, 6, 3, 1, 64)
RESNET(resnet50, models_bottleneck, 3, 4, 6, 3, 1, 64)
RESNET(resnet101, models_bottleneck, 3, 4, 23, 3, 1, 64)
RESNET(resnet152, models_bottleneck, 3, 8, 36, 3, 1, 64)
RESNET(resnext50_32x4d, models_bottleneck, 3, 4, 6, 3, 32, 4)
RESNET(resnext101_32x8d, models_bottleneck, 3, 4, 23, 3, 32, 8)
RESNET(resnext101_64x4d, models_bottleneck, 3, 4, 23, 3, 64, 4)
RESNET(wide_resnet50_2, models_bottleneck, 3, 4, 6, 3, 1, 128)
RESNET(wide_resnet101_2, models_bottleneck, 3, 4, 23, 3, 1, 128)
