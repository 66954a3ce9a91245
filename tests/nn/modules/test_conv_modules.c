/* tests/nn/modules/test_conv_modules.c: the layers of image models compared with PyTorch's: initial bits, values,
 * gradients, running statistics, printed text; and the classification tutorial's net, trained. golden/record_convs.py
 * records the values. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tensor/context.h"
#include "tests/support/models/replay.h"
#include "tests/support/refusals.h"

void add_conv_regression_tests(Suite *suite);

/* ---- the layers, in the recorder's order ---- */

#define MODULES(X) \
    X(conv1d, nn_Conv1d(3, 4, 3), "r(2,3,6)") \
    X(conv1d_options, nn_Conv1d(4, 6, 3, 2, 1, 2, 2, false), "r(2,4,9)") \
    X(conv2d, nn_Conv2d(3, 4, 3), "r(2,3,5,6)") \
    X(conv2d_unbatched, nn_Conv2d(3, 4, .kernel_size = {3, 2}), "r(3,5,6)") \
    X(conv2d_options, nn_Conv2d(4, 6, .kernel_size = {3, 2}, .stride = {2, 1}, .padding = t_tuple(1, 0), \
                                .groups = 2, .bias = false), "r(2,4,5,5)") \
    X(conv2d_same, nn_Conv2d(2, 3, .kernel_size = {2, 3}, .padding = F_SAME), "r(2,2,4,5)") \
    X(conv2d_valid, nn_Conv2d(2, 3, 2, .padding = F_VALID), "r(2,2,4,4)") \
    X(conv2d_reflect, nn_Conv2d(2, 3, 3, .padding = {1, 2}, .padding_mode = "reflect"), "r(2,2,4,5)") \
    X(conv2d_replicate, nn_Conv2d(2, 3, .kernel_size = {2, 4}, .padding = F_SAME, .padding_mode = "replicate"), \
      "r(2,2,4,5)") \
    X(conv1d_circular, nn_Conv1d(2, 3, 3, .padding = 2, .padding_mode = "circular"), "r(2,2,5)") \
    X(conv2d_empty, nn_Conv2d(2, 3, 3), "r(0,2,4,4)") \
    X(conv_transpose1d, nn_ConvTranspose1d(3, 4, 3, 2, 1, 1), "r(2,3,5)") \
    X(conv_transpose2d, nn_ConvTranspose2d(4, 6, 3, 2, 1, 1, 2, false, 1), "r(2,4,3,4)") \
    X(unfold, nn_Unfold(.kernel_size = {2, 3}, .padding = 1), "r(2,2,4,5)") \
    X(fold, nn_Fold(.output_size = {4, 5}, .kernel_size = {2, 2}), "r(2,8,12)") \
    X(rms_norm, nn_RMSNorm(5), "r(2,3,5)") \
    X(rms_norm_eps, nn_RMSNorm(5, .eps = 1e-2, .elementwise_affine = false), "r(2,3,5)") \
    X(group_norm, nn_GroupNorm(2, 4), "r(2,4,3)") \
    X(group_norm_plain, nn_GroupNorm(2, 4, .eps = 0.5, .affine = false), "r(2,4,3,2)") \
    X(batch_norm1d, nn_BatchNorm1d(3), "r(6,3)") \
    X(batch_norm1d_none, nn_BatchNorm1d(3, .momentum = NAN), "r(4,3,5)") \
    X(batch_norm2d, nn_BatchNorm2d(3, .momentum = 0.3), "r(2,3,4,5)") \
    X(batch_norm2d_plain, nn_BatchNorm2d(3, .affine = false), "r(2,3,4,5)") \
    X(batch_norm2d_untracked, nn_BatchNorm2d(3, .track_running_stats = false, .bias = false), "r(2,3,4,5)") \
    X(instance_norm1d, nn_InstanceNorm1d(3), "r(2,3,5)") \
    X(instance_norm2d, nn_InstanceNorm2d(3, .affine = true, .track_running_stats = true), "r(2,3,3,4)") \
    X(instance_norm2d_unbatched, nn_InstanceNorm2d(3), "r(3,3,4)") \
    X(max_pool1d, nn_MaxPool1d(3, 2), "s(2,2,8)") \
    X(max_pool2d, nn_MaxPool2d(2), "s(2,2,5,6)") \
    X(max_pool2d_options, nn_MaxPool2d(.kernel_size = {2, 3}, .stride = {2, 1}, .padding = 1, .ceil_mode = true), \
      "s(2,2,5,6)") \
    X(avg_pool1d, nn_AvgPool1d(3, 2, 1), "r(2,2,8)") \
    X(avg_pool2d, nn_AvgPool2d(.kernel_size = {2, 3}, .stride = 2, .padding = 1, .ceil_mode = true, \
                               .count_include_pad = false), "r(2,2,5,6)") \
    X(avg_pool2d_divisor, nn_AvgPool2d(2, .divisor_override = 3), "r(2,2,4,4)") \
    X(adaptive_avg_pool1d, nn_AdaptiveAvgPool1d(3), "r(2,2,8)") \
    X(adaptive_avg_pool2d, nn_AdaptiveAvgPool2d(.output_size = {T_NONE, 2}), "r(2,2,4,5)") \
    X(adaptive_avg_pool2d_one, nn_AdaptiveAvgPool2d(1), "r(2,2,4,5)") \
    X(adaptive_max_pool1d, nn_AdaptiveMaxPool1d(3), "s(2,2,8)") \
    X(adaptive_max_pool2d, nn_AdaptiveMaxPool2d(.output_size = {3, 2}), "s(2,2,4,5)") \
    X(zero_pad1d, nn_ZeroPad1d(2), "r(2,3)") \
    X(zero_pad2d, nn_ZeroPad2d(.padding = {1, 0, 2, -1}), "r(2,3,3)") \
    X(constant_pad1d, nn_ConstantPad1d(.padding = {1, 2}, .value = 3.5), "r(2,3)") \
    X(constant_pad2d, nn_ConstantPad2d(1, -0.25), "r(2,2,3)") \
    X(reflection_pad1d, nn_ReflectionPad1d(2), "r(2,2,4)") \
    X(reflection_pad2d, nn_ReflectionPad2d(.padding = {1, 2, 0, 1}), "r(2,3,3)") \
    X(replication_pad1d, nn_ReplicationPad1d(.padding = {2, 0}), "r(2,2,4)") \
    X(replication_pad2d, nn_ReplicationPad2d(1), "r(2,3,3)") \
    X(circular_pad1d, nn_CircularPad1d(2), "r(2,2,4)") \
    X(circular_pad2d, nn_CircularPad2d(.padding = {1, 2, 1, 0}), "r(2,3,3)") \
    X(zero_pad3d, nn_ZeroPad3d(.padding = {1, 0, 2, -1, 0, 1}), "r(2,2,3,2)") \
    X(constant_pad3d, nn_ConstantPad3d(1, -0.25), "r(1,2,2,2,2)") \
    X(reflection_pad3d, nn_ReflectionPad3d(.padding = {1, 2, 0, 1, 1, 0}), "r(2,2,3,3)") \
    X(replication_pad3d, nn_ReplicationPad3d(1), "r(1,2,2,3,2)") \
    X(circular_pad3d, nn_CircularPad3d((1, 2, 1, 0, 0, 1)), "r(2,2,2,3)") \
    X(batch_norm3d, nn_BatchNorm3d(3), "r(2,3,2,2,3)") \
    X(instance_norm3d, nn_InstanceNorm3d(3, .affine = true), "r(2,3,2,2,3)") \
    X(instance_norm3d_unbatched, nn_InstanceNorm3d(3), "r(3,2,2,3)") \
    X(dropout3d, nn_Dropout3d(), "r(3,4,2,1,2)") \
    X(dropout3d_unbatched, nn_Dropout3d(0.3), "r(4,2,2,2)") \
    X(conv3d, nn_Conv3d(2, 3, 2), "r(2,2,3,2,3)") \
    X(conv3d_options, nn_Conv3d(4, 2, (1, 2, 3), (2, 1, 1), .padding = {0, 1, 1}, .dilation = {1, 2, 1}, .groups = 2, \
                                .bias = false), "r(1,4,2,4,3)") \
    X(conv3d_reflect, nn_Conv3d(2, 2, 3, .padding = {1, 1, 0}, .padding_mode = "reflect"), "r(1,2,2,3,3)") \
    X(conv3d_same, nn_Conv3d(2, 2, (3, 1, 3), .padding = F_SAME), "r(1,2,2,2,3)") \
    X(conv_transpose3d, nn_ConvTranspose3d(2, 3, 2, 2, 1, (1, 0, 1)), "r(1,2,2,3,2)") \
    X(max_pool3d, nn_MaxPool3d(2), "s(1,2,4,3,4)") \
    X(max_pool3d_options, nn_MaxPool3d((2, 1, 2), 1, 0, (1, 2, 2), .ceil_mode = true), "s(2,3,4,4)") \
    X(avg_pool3d, nn_AvgPool3d((1, 2, 2), 2, .padding = {0, 1, 1}, .ceil_mode = true, .count_include_pad = false), \
      "r(1,2,3,4,3)") \
    X(adaptive_avg_pool3d, nn_AdaptiveAvgPool3d((2, T_NONE, 1)), "r(1,2,4,3,2)") \
    X(adaptive_max_pool3d, nn_AdaptiveMaxPool3d(2), "s(1,2,4,3,3)") \
    X(lp_pool3d, nn_LPPool3d(2, (1, 2, 2), 2), "p(1,2,3,4,3)") \
    X(flatten, nn_Flatten(), "r(2,3,2,2)") \
    X(flatten_all, nn_Flatten(0, -2), "r(2,3,2,2)") \
    X(unflatten, nn_Unflatten(1, (2, -1)), "r(2,6,2)") \
    X(dropout1d, nn_Dropout1d(), "r(3,4,2)") \
    X(dropout2d, nn_Dropout2d(0.2), "r(3,4,2,2)") \
    X(alpha_dropout, nn_AlphaDropout(0.3), "r(3,7)") \
    X(pixel_shuffle, nn_PixelShuffle(2), "r(1,8,2,2)") \
    X(pixel_unshuffle, nn_PixelUnshuffle(2), "r(1,2,4,2)") \
    X(upsample, nn_Upsample(.scale_factor = 2), "r(1,2,2,3)") \
    X(upsample_bilinear, nn_Upsample(.size = {3, 5}, .mode = "bilinear", .align_corners = true), "r(1,2,2,3)") \
    X(upsample_factors, nn_Upsample(.scale_factor = {1.5, 2}, .mode = "bilinear"), "r(1,2,2,3)") \
    X(upsample_trilinear, nn_Upsample((3, 4, 5), .mode = "trilinear"), "r(1,2,2,3,3)") \
    X(upsample_volume, nn_Upsample(.scale_factor = {2, 1.5, 1}, .mode = "nearest-exact"), "r(1,1,2,4,3)") \
    X(upsample_bicubic, nn_Upsample(.scale_factor = 1.7, .mode = "bicubic", .recompute_scale_factor = true), \
      "r(1,2,3,4)") \
    X(upsample_area, nn_Upsample(2, .mode = "area"), "r(1,2,3,4,3)") \
    X(fractional_max_pool2d, nn_FractionalMaxPool2d((2, 3), (4, 2)), "s(2,2,7,6)") \
    X(fractional_max_pool2d_ratio, nn_FractionalMaxPool2d(2, .output_ratio = {0.5, 0.7}), "s(2,6,7)") \
    X(fractional_max_pool3d, nn_FractionalMaxPool3d(2, .output_size = {2, 3, 2}), "s(2,1,4,6,5)") \
    X(fractional_max_pool3d_ratio, nn_FractionalMaxPool3d(.kernel_size = 1, .output_ratio = 0.6), "s(2,4,5,5)") \
    X(local_response_norm, nn_LocalResponseNorm(3, .k = 2), "r(2,4,2,2)") \
    X(sequential, nn_Sequential(nn_Conv2d(1, 4, 3, .padding = 1, .bias = false), nn_BatchNorm2d(4), nn_ReLU(), \
                                nn_MaxPool2d(2), \
                                nn_Dropout2d(0.3), nn_Flatten(), nn_Linear(16, 3)), "r(3,1,4,4)")

#define FUNCTION(label, expression, inputs) static void *make_##label(void) { return expression; }
#define ROW(label, expression, inputs) {#label, make_##label, inputs},
MODULES(FUNCTION)
typedef struct Maker {
    const char *label;
    void *(*make)(void);
    const char *inputs;
} Maker;
static const Maker makers[] = {MODULES(ROW)};
enum { MAKERS = sizeof makers / sizeof *makers };

static const char *section_of(const char *key) {
    const char *section = golden_case(golden_file("models_convs.txt"), key);
    ck_assert_msg(section != NULL, "%s was not recorded", key);
    return section;
}

/* ---- values and gradients ---- */

static void check_initial_bits(const Maker *maker, const char *key, const char *section) {
    char name[80];
    t_manual_seed(INIT_SEED);
    void *module = maker->make();
    ck_assert_msg(module != NULL, "%s: %s", key, t_error());
    matches_recorded(key, t_rand(2), section, "init.next", EXACT);
    for_named (p, nn_named_parameters(module)) {
        snprintf(name, sizeof name, "init:%s", p->name);
        same_bits(name, p->tensor, section, name);
    }
}

static void compare(const char *key, const char *run, const char *name, Tensor *x, Role role) {
    char array[80], what[160];
    snprintf(array, sizeof array, "%s.%s", run, name);
    snprintf(what, sizeof what, "%s: %s", key, array);
    matches_recorded(what, x, section_of(key), array, role);
}

static void check_run(const Maker *maker, const char *key, t_DType real) {
    const char *run = real == t_float32 ? "32" : "64";
    char name[80];
    nn_Module *module = nn_to(maker->make(), real);
    load_hashed_parameters(module, key);
    Tensor *x = make_inputs(maker->inputs, seed_of(key), real).x[0];
    t_manual_seed(DROPOUT_SEED);
    Tensor *y = nn_call(module, x);
    compare(key, run, "y", y, VALUE);
    compare(key, run, "next", t_rand(2), EXACT);
    t_backward(y, .gradient = hashed_tensor("R", t_shape(y), (int)t_dim(y), seed_of(key), 100, real));
    for_named (p, nn_named_parameters(module)) {
        snprintf(name, sizeof name, "g:%s", p->name);
        compare(key, run, name, t_grad(p->tensor), GRADIENT);
    }
    compare(key, run, "x", t_grad(x), GRADIENT);
    for_named (b, nn_named_buffers(module)) {
        snprintf(name, sizeof name, "b:%s", b->name);
        compare(key, run, name, b->tensor, VALUE);
    }
    nn_eval(module);
    compare(key, run, "eval", nn_call(module, x), VALUE);
}

START_TEST(layers_give_what_pytorch_gives) {
    const Maker *maker = &makers[_i];
    char key[80];
    snprintf(key, sizeof key, "%s %s", maker->label, maker->inputs);
    check_initial_bits(maker, key, section_of(key));
    check_run(maker, key, t_float32);
    check_run(maker, key, t_float64);
    report_notes();
}
END_TEST

START_TEST(layers_print_as_pytorchs) {
    char line[300];
    void *all[MAKERS];
    for (int i = 0; i < MAKERS; i++) all[i] = makers[i].make();
    char *text = nn_repr(nn_Sequential_new(all, MAKERS)), *ours = text;
    for (const char *at = section_of("repr"); (at = golden_line(at, line, sizeof line));) {
        size_t length = strcspn(ours, "\n");
        if (strlen(line) != length || strncmp(ours, line, length) != 0) note("%.*s, expected %s", (int)length, ours,
            line);
        ours += length + (ours[length] == '\n');
    }
    if (*ours) note("more than PyTorch has: %s", ours);
    free(text);
    report_notes();
}
END_TEST

static bool makes(void *maker) {
    return ((const Maker *)maker)->make() != NULL;
}

static Tensor *input;
static bool calls(void *module) {
    return (nn_call)(module, input) != NULL;
}

/* Constructor and forward. */
START_TEST(layers_fail_cleanly) {
    Maker maker = makers[_i];
    void *module = maker.make();
    input = make_inputs(maker.inputs, 1, t_float32).x[0];
    ck_assert_ptr_nonnull(nn_call(module, input));
    refuse_all(maker.label, makes, NULL, &maker);
    refuse_all(maker.label, calls, NULL, module);
    report_notes();
}
END_TEST

/* ---- the classification tutorial's net ---- */

typedef struct Net {
    nn_Module base;
    nn_Conv2d *conv1;
    nn_MaxPool2d *pool;
    nn_Conv2d *conv2;
    nn_Linear *fc1, *fc2, *fc3;
} Net;

static Tensor *net_call(Net *self, Tensor *x) {
    x = nn_call(self->pool, F_relu(nn_call(self->conv1, x)));
    x = nn_call(self->pool, F_relu(nn_call(self->conv2, x)));
    x = t_flatten(x, 1);
    x = F_relu(nn_call(self->fc1, x));
    x = F_relu(nn_call(self->fc2, x));
    return nn_call(self->fc3, x);
}

static Net *new_net(void) {
    Net *self = nn_module(Net, net_call);
    nn_set(self, conv1, nn_Conv2d(3, 6, 5));
    nn_set(self, pool, nn_MaxPool2d(2, 2));
    nn_set(self, conv2, nn_Conv2d(6, 16, 5));
    nn_set(self, fc1, nn_Linear(16 * 5 * 5, 120));
    nn_set(self, fc2, nn_Linear(120, 84));
    nn_set(self, fc3, nn_Linear(84, 10));
    return self;
}

static void train_net(const char *key, t_DType real, double tolerance) {
    GoldenArray losses;
    t_manual_seed(INIT_SEED);
    Net *net = new_net();
    if (real == t_float32)
        for_named (p, nn_named_parameters(net)) same_bits(p->name, p->tensor, section_of(key), p->name);
    nn_to(net, real);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(net), .lr = 0.01, .momentum = 0.9);
    HOLDS(golden_array(section_of(key), "losses", &losses));
    for_range (step, 0, losses.count) {
        Tensor *x = hashed_tensor("R", SHAPE(4, 3, 32, 32), (uint64_t)step, 0, real);
        Tensor *y = hashed_tensor("k10", SHAPE(4), (uint64_t)step, 1, real);
        optim_zero_grad(optimizer);
        Tensor *loss = F_cross_entropy(nn_call(net, x), y);
        t_backward(loss);
        optim_step(optimizer);
        double got = t_item(loss), want = losses.values[step];
        if (!(fabs(got - want) <= tolerance * fabs(want)))
            note("step %lld: loss %.17g, expected %.17g", (long long)step, got, want);
    }
    free(losses.values);
    if (real == t_float64)
        for_named (p, nn_named_parameters(net)) matches_recorded(p->name, p->tensor, section_of(key), p->name,
                                                                 GRADIENT);
    report_notes();
}

START_TEST(tutorial_net_trains_as_pytorchs_in_float32) {
    train_net("net, float32", t_float32, 1e-4);
}
END_TEST

START_TEST(tutorial_net_trains_as_pytorchs_in_float64) {
    train_net("net, float64", t_float64, 1e-10);
}
END_TEST

Suite *conv_modules_suite(void);
/* ---- a layer and its batch norm as one ---- */

static nn_BatchNorm *trained(nn_BatchNorm *bn, Tensor *x) {
    for (int i = 0; i < 3; i++) nn_call(bn, x);
    with_no_grad() {
        t_uniform_(bn->weight, 0.5, 2);
        t_uniform_(bn->bias, -1, 1);
    }
    return nn_eval(bn);
}

START_TEST(a_batch_norm_is_fused_into_the_layer_before) {
    nn_Conv2d *conv = nn_Conv2d(2, 3, 2, .bias = false);
    nn_ConvTranspose2d *transposed = nn_ConvTranspose2d(2, 3, 2);
    nn_Linear *linear = nn_Linear(4, 3);
    Tensor *image = t_randn(4, 2, 3, 3), *x = t_randn(6, 4);
    nn_BatchNorm2d *after_conv = trained(nn_BatchNorm2d(3), nn_call(conv, image));
    nn_BatchNorm2d *after_transposed = trained(nn_BatchNorm2d(3), nn_call(transposed, image));
    nn_BatchNorm1d *after_linear = trained(nn_BatchNorm1d(3), nn_call(linear, x));
    REFUSES(nn_utils_fuse_conv_bn_eval(conv, after_conv), "Fusion only for eval!");
    nn_eval(conv);
    nn_eval(transposed);
    nn_eval(linear);
    nn_Conv *fused = nn_utils_fuse_conv_bn_eval(conv, after_conv);
    HOLDS(t_allclose(nn_call(fused, image), nn_call(after_conv, nn_call(conv, image)), .atol = 1e-5));
    HOLDS(fused->weight != conv->weight && t_requires_grad(fused->weight) && !t_requires_grad(fused->bias));
    fused = nn_utils_fuse_conv_bn_eval(transposed, after_transposed, .transpose = true);
    HOLDS(t_allclose(nn_call(fused, image), nn_call(after_transposed, nn_call(transposed, image)), .atol = 1e-5));
    nn_Linear *fused_linear = nn_utils_fuse_linear_bn_eval(linear, after_linear);
    HOLDS(t_allclose(nn_call(fused_linear, x), nn_call(after_linear, nn_call(linear, x)), .atol = 1e-5));
    nn_BatchNorm1d *narrow = nn_eval(nn_BatchNorm1d(2));
    nn_BatchNorm2d *untracked = nn_eval(nn_BatchNorm2d(3, .track_running_stats = false));
    REFUSES(nn_utils_fuse_linear_bn_eval(linear, narrow),
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, got linear.out_features=3 and "
            "bn.num_features=2");
    REFUSES(nn_utils_fuse_conv_bn_eval(conv, untracked),
            "bn.running_mean and bn.running_var must not be None");
    nn_Module *as_batch_norm = &conv->base, *as_layer = &after_conv->base, *as_linear = &conv->base;
    REFUSES(nn_utils_fuse_conv_bn_eval(conv, (nn_BatchNorm *)as_batch_norm),
            "a batch norm is fused with the layer before it, not a Conv2d");
    REFUSES(nn_utils_fuse_conv_bn_eval((nn_Conv *)as_layer, after_conv),
            "a convolution is fused with a batch norm, not a BatchNorm2d");
    REFUSES(nn_utils_fuse_linear_bn_eval((nn_Linear *)as_linear, after_linear),
            "a Linear is fused with a batch norm, not a Conv2d");
}
END_TEST

Suite *conv_modules_suite(void) {
    Suite *suite = suite_create("conv_modules");
    TCase *tests = tcase_create("layers");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, layers_give_what_pytorch_gives, 0, MAKERS);
    tcase_add_loop_test(tests, layers_fail_cleanly, 0, MAKERS);
    tcase_add_test(tests, layers_print_as_pytorchs);
    tcase_add_test(tests, a_batch_norm_is_fused_into_the_layer_before);
    tcase_add_test(tests, tutorial_net_trains_as_pytorchs_in_float32);
    tcase_add_test(tests, tutorial_net_trains_as_pytorchs_in_float64);
    suite_add_tcase(suite, tests);
    add_conv_regression_tests(suite);
    return suite;
}
