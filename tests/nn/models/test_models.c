/* tests/nn/models/test_models.c: torchvision's models: texts, keys, the bits of initial values, outputs and gradients
 * (golden/image_models*.txt, written by record_image_models.py, which has the same models), weights from files.
 * tests/interop/models.py compares all models, of full size, with an installed torchvision. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io/io.h"
#include "nn/models/models.h"
#include "tests/support/models/replay.h"
#include "tests/support/refusals.h"

static void *group_norm(int64_t channels) {
    return nn_GroupNorm(4, channels);
}

#define MODELS(X)                                                                                                      \
    X(resnet18, models_resnet18(.num_classes = 10))                                                                    \
    X(zero_init, models_resnet18(.num_classes = 3, .zero_init_residual = true))                                        \
    X(bottleneck, models_ResNet(models_bottleneck, (1, 2, 1, 1), .num_classes = 4, .groups = 2, .width_per_group = 16, \
                                .replace_stride_with_dilation = {false, true, true}, .norm_layer = group_norm,         \
                                .zero_init_residual = true))                                                           \
    X(mobilenet, models_mobilenet_v2(.num_classes = 5, .width_mult = 0.35, .dropout = 0.3))                            \
    X(vit, models_VisionTransformer(32, 8, 2, 2, 16, 24, .dropout = 0.1, .attention_dropout = 0.2, .num_classes = 5))  \
    X(vit_representation, models_VisionTransformer(24, 8, 1, 4, 8, 12, .representation_size = 6))
#define MAKE(label, expression)       \
    static void *make_##label(void) { \
        return expression;            \
    }
#define ROW(label, expression) {#label, make_##label},
MODELS(MAKE)
static const ModuleMaker models[] = {MODELS(ROW){NULL, NULL}};

/* ---- against torchvision's ---- */

/* The lines of the text are those of the case. */
static void expect_lines(const char *label, const char *text) {
    const char *want = golden_case(golden_file("image_models_repr.txt"), label);
    if (!want) return;
    char line[400];
    while (want && *text) {
        want = golden_line(want, line, sizeof line);
        const size_t length = strcspn(text, "\n");
        ck_assert_msg(strlen(line) == length && strncmp(line, text, length) == 0, "%s: %.*s is %s", label, (int)length,
                      text, line);
        text += length + (text[length] == '\n');
    }
    ck_assert_msg(!*text, "%s: more lines than recorded", label);
}

/* sum over i of (2 i + 1) word_i, of the 32-bit words of all parameters and buffers */
static uint64_t checksum(const t_TensorDict *state) {
    uint64_t sum = 0, i = 0;
    for (int64_t k = 0; k < state->len; k++) {
        Tensor *x = state->items[k].tensor;
        const unsigned char *bytes = t_data_ptr(x);
        const int64_t words = t_numel(x) * t_element_size(x) / 4;
        for (int64_t w = 0; w < words; w++, i++) {
            uint32_t word;
            memcpy(&word, bytes + 4 * w, sizeof word);
            sum += (2 * i + 1) * word;
        }
    }
    return sum;
}

static Tensor *absolute_sums(nn_Module *module) {
    t_TensorList *parameters = nn_parameters(module), *sums = t_list();
    const int64_t step = parameters->len / 20 > 1 ? parameters->len / 20 : 1;
    for (int64_t i = 0; i < parameters->len; i += step) {
        Tensor *gradient = t_grad(parameters->items[i]);
        t_list_append(sums, gradient ? t_sum(t_abs(gradient)) : t_tensor(0.0));
    }
    return t_stack(sums);
}

static void replay(const char *key, const char *section, void *count) {
    if (strcmp(key, "preset") == 0) return;
    char label[40], keys_label[60], name[40];
    snprintf(label, sizeof label, "%.*s", (int)strcspn(key, " "), key);
    snprintf(keys_label, sizeof keys_label, "%s.keys", label);
    t_manual_seed(INIT_SEED);
    nn_Module *module = find_maker(models, key)->make();
    ck_assert_msg(module != NULL, "%s: %s", key, t_error());
    matches_recorded(key, t_rand(2), section, "next", EXACT);
    t_TensorDict *state = nn_state_dict(module);
    const uint64_t sum = checksum(state);
    Tensor *halves = t_tensor(((int64_t[]){(int64_t)(sum >> 32), (int64_t)(sum & 0xFFFFFFFF)}), 2);
    matches_recorded(key, halves, section, "checksum", EXACT);
    char *text = nn_repr(module);
    expect_lines(label, text);
    free(text);
    const char *keys = "";
    for_items (item, state) keys = t_format("%s%s\n", keys, item->name);
    expect_lines(keys_label, keys);
    ++*(int *)count;
    if (strcmp(label, "zero_init") == 0) return; /* its values are checked */
    nn_to(module, t_float64);
    models_VisionTransformer *vit = nn_as(module, models_VisionTransformer);
    if (vit) nn_init_normal_(nn_get_parameter(vit, "heads.head.weight"));
    Tensor *x = make_inputs(strchr(key, ' ') + 1, seed_of(key), t_float64).x[0];
    for (int mode = 0; mode < 2; mode++) {
        const char *word = mode ? "eval" : "train";
        nn_train(module, mode == 0);
        nn_zero_grad(module);
        t_manual_seed(DROPOUT_SEED);
        Tensor *y = nn_call(module, x);
        ck_assert_msg(y != NULL, "%s: %s", key, t_error());
        snprintf(name, sizeof name, "%s.y", word);
        matches_recorded(key, t_at(y, ":, :5"), section, name, VALUE);
        t_backward(t_mean(t_square(y)));
        snprintf(name, sizeof name, "%s.gradients", word);
        matches_recorded(key, absolute_sums(module), section, name, GRADIENT);
    }
}

START_TEST(models_are_torchvisions) {
    int count = 0;
    each_case("image_models.txt", replay, &count);
    ck_assert_int_eq(count, 6);
    report_notes();
}
END_TEST

START_TEST(a_forward_without_a_tape_is_the_same) {
    models_ResNet *model = models_ResNet(models_basic_block, (1, 1, 1, 1), .num_classes = 7);
    nn_eval(model);
    Tensor *x = t_randn(1, 3, 50, 70), *y = nn_call(model, x), *without = NULL;
    with_no_grad () without = nn_call(model, x);
    HOLDS(t_allclose(y, without, .rtol = 1e-4, .atol = 1e-5));
    models_ResNet *copy = nn_deepcopy(model);
    HOLDS(t_equal(y, nn_call(copy, x)));
    HOLDS(nn_as((nn_Module *)model, models_ResNet) == model);
}
END_TEST

/* ---- weights ---- */

static char folder[] = "/tmp/image_models-XXXXXX";

static const char *in_folder(const char *name) {
    return t_format("%s/%s", folder, name);
}

static void remove_files(void) {
    const char *names[] = {"vit.safetensors", "hub/checkpoints/mobilenet_v2-7ebf99e0.pth", "hub/checkpoints", "hub",
                           "."};
    for (int i = 0; i < 5; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    rmdir(folder);
}

#define SMALL_VIT(...) models_VisionTransformer(8, 4, 1, 2, 4, 6, __VA_ARGS__)

START_TEST(weights_are_read_from_files) {
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    atexit(remove_files);
    models_VisionTransformer *saved = SMALL_VIT(.num_classes = 3);
    /* torchvision's files of ViT have the keys of an older MLP. */
    t_TensorDict *state = nn_state_dict(saved), *old = t_dict();
    for_items (item, state) {
        const char *prefix = "encoder.layers.encoder_layer_0.mlp.", *rest = item->name + strlen(prefix);
        const bool is_mlp = strncmp(item->name, prefix, strlen(prefix)) == 0;
        t_dict_set(old, is_mlp ? t_format("%slinear_%d%s", prefix, *rest == '0' ? 1 : 2, rest + 1) : item->name,
                   item->tensor);
    }
    const char *path = in_folder("vit.safetensors");
    t_save(old, path);
    models_VisionTransformer *loaded = SMALL_VIT(.num_classes = 3, .weights = path);
    for_items (item, nn_state_dict(loaded)) HOLDS(t_equal(item->tensor, t_dict_get(state, item->name)));
    HOLDS(t_dict_has(old, "encoder.layers.encoder_layer_0.mlp.linear_1.weight"));

    REFUSES(
        SMALL_VIT(.num_classes = 4, .weights = path),
        "Error(s) in loading state_dict for VisionTransformer:\n"
        "\tsize mismatch for heads.head.weight: copying a param with shape torch.Size([3, 4]) from checkpoint, the "
        "shape in current model is torch.Size([4, 4]).\n"
        "\tsize mismatch for heads.head.bias: copying a param with shape torch.Size([3]) from checkpoint, the shape "
        "in current model is torch.Size([4]).");
    REFUSES(SMALL_VIT(.weights = "IMAGENET1K_V1"), "'IMAGENET1K_V1' is no path that ends in .pth, .pt or .safetensors");
    REFUSES(SMALL_VIT(.weights = "/tmp/no/such/file.pth"),
            "cannot open /tmp/no/such/file.pth: No such file or directory");
}
END_TEST

START_TEST(named_weights_are_read_from_the_cache) {
    strcpy(strrchr(folder, '-'), "-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    atexit(remove_files);
    setenv("TORCH_HOME", folder, 1);
    char message[400];
    const char *file = in_folder("hub/checkpoints/mobilenet_v2-7ebf99e0.pth");
    snprintf(message, sizeof message,
             "MobileNet_V2_Weights.IMAGENET1K_V2 is not at %s; nothing is downloaded here: put "
             "there the file https://download.pytorch.org/models/mobilenet_v2-7ebf99e0.pth",
             file);
    REFUSES(models_mobilenet_v2(.weights = "DEFAULT"), message);
    REFUSES(models_mobilenet_v2(.weights = "DEFAULT", .num_classes = 10),
            "The parameter 'num_classes' expected value 1000 but got 10 instead.");
    REFUSES(models_resnet50(.weights = "IMAGENET"),
            "'IMAGENET' names no weights of resnet50; there are IMAGENET1K_V1, IMAGENET1K_V2, DEFAULT, and paths that "
            "end in .pth, .pt or .safetensors");
    mkdir(in_folder("hub"), 0777);
    mkdir(in_folder("hub/checkpoints"), 0777);
    models_MobileNetV2 *saved = models_mobilenet_v2();
    t_save(nn_state_dict(saved), file);
    models_MobileNetV2 *loaded = models_mobilenet_v2(.weights = "MobileNet_V2_Weights.DEFAULT");
    HOLDS(checksum(nn_state_dict(loaded)) == checksum(nn_state_dict(saved)));
    unsetenv("TORCH_HOME");
}
END_TEST

START_TEST(weights_have_torchvisions_names) {
    const models_Weights *weights = models_get_weight("ResNet50_Weights.DEFAULT");
    ck_assert_str_eq(weights->name, "IMAGENET1K_V2");
    ck_assert_str_eq(weights->url, "https://download.pytorch.org/models/resnet50-11ad3fa6.pth");
    ck_assert_int_eq(weights->resize_size, 232);
    ck_assert_ptr_eq(models_get_model_weights("resnet50", 1), weights);
    ck_assert_ptr_null(models_get_model_weights("resnet50", 2));
    weights = models_get_weight("ViT_B_16_Weights.IMAGENET1K_SWAG_E2E_V1");
    ck_assert_int_eq(weights->crop_size, 384);
    ck_assert_str_eq(weights->interpolation, "bicubic");
    REFUSES(models_get_weight("ResNet50_Weights"),
            "there are no weights of the name 'ResNet50_Weights'; names are like ResNet50_Weights.IMAGENET1K_V2");
}
END_TEST

START_TEST(the_transforms_of_weights_are_torchvisions) {
    transforms_Transform *transform = models_Weights_transforms(models_get_weight("ResNet18_Weights.DEFAULT"));
    ck_assert_str_eq(transforms_str(transform), "ImageClassification(\n    crop_size=[224]\n    resize_size=[256]\n"
                                                "    mean=[0.485, 0.456, 0.406]\n    std=[0.229, 0.224, 0.225]\n"
                                                "    interpolation=InterpolationMode.BILINEAR\n)");
    Tensor *image = make_inputs("Q(3,40,30)", seed_of("preset"), t_float32).x[0];
    const char *section = golden_case(golden_file("image_models.txt"), "preset");
    Tensor *large = t_rand(3, 256, 256), *copy = t_clone(large);
    ck_assert(transforms_call(transform, large) && t_equal(large, copy)); /* which is not resized, but normalized */
    matches_recorded("preset", t_at(transforms_call(transform, image), ":, ::50, ::50"), section, "y", VALUE);
    transform = models_Weights_transforms(models_get_weight("ViT_L_16_Weights.IMAGENET1K_SWAG_E2E_V1"));
    matches_recorded("bicubic", t_at(transforms_call(transform, image), ":, ::120, ::120"), section, "bicubic", VALUE);
    report_notes();
}
END_TEST

/* Every function takes `weights`, and refuses a wrong name before it constructs anything. */
START_TEST(each_model_refuses_weights_of_another_name) {
#define NO_SUCH_WEIGHTS(name)                                                                              \
    clear_errors();                                                                                        \
    ck_assert_ptr_null(models_##name(.weights = "NO_SUCH", .num_classes = 1000));                          \
    ck_assert_msg(strstr(t_error(), "'NO_SUCH' names no weights of " #name ";") != NULL, "%s", t_error()); \
    clear_errors();
    NO_SUCH_WEIGHTS(resnet18)
    NO_SUCH_WEIGHTS(resnet34)
    NO_SUCH_WEIGHTS(resnet50)
    NO_SUCH_WEIGHTS(resnet101)
    NO_SUCH_WEIGHTS(resnet152)
    NO_SUCH_WEIGHTS(resnext50_32x4d)
    NO_SUCH_WEIGHTS(resnext101_32x8d)
    NO_SUCH_WEIGHTS(resnext101_64x4d)
    NO_SUCH_WEIGHTS(wide_resnet50_2)
    NO_SUCH_WEIGHTS(wide_resnet101_2)
    NO_SUCH_WEIGHTS(vgg11)
    NO_SUCH_WEIGHTS(vgg13)
    NO_SUCH_WEIGHTS(vgg16)
    NO_SUCH_WEIGHTS(vgg19)
    NO_SUCH_WEIGHTS(vgg11_bn)
    NO_SUCH_WEIGHTS(vgg13_bn)
    NO_SUCH_WEIGHTS(vgg16_bn)
    NO_SUCH_WEIGHTS(vgg19_bn)
    NO_SUCH_WEIGHTS(alexnet)
    NO_SUCH_WEIGHTS(mobilenet_v2)
    NO_SUCH_WEIGHTS(vit_b_16)
    NO_SUCH_WEIGHTS(vit_b_32)
    NO_SUCH_WEIGHTS(vit_l_16)
    NO_SUCH_WEIGHTS(vit_l_32)
    NO_SUCH_WEIGHTS(vit_h_14)
    REFUSES(models_VGG(nn_Identity(), .weights = "NO_SUCH"),
            "'NO_SUCH' is no path that ends in .pth, .pt or .safetensors");
}
END_TEST

/* ---- errors ---- */

START_TEST(wrong_arguments_are_refused) {
    REFUSES(models_resnet18(.groups = 2), "BasicBlock only supports groups=1 and base_width=64");
    REFUSES(models_resnet18(.replace_stride_with_dilation = {false, true, false}),
            "Dilation > 1 not supported in BasicBlock");
    REFUSES(models_resnext50_32x4d(.groups = 8), "The parameter 'groups' expected value 32 but got 8 instead.");
    REFUSES(models_VisionTransformer(30, 8, 1, 1, 4, 4), "Input shape indivisible by patch size!");
    REFUSES(models_VisionTransformer(32, 8, 1, 3, 4, 4), "embed_dim must be divisible by num_heads");
    REFUSES(models_mobilenet_v2(.dropout = 2), "dropout probability has to be between 0 and 1, but got 2");
    models_VisionTransformer *model = SMALL_VIT(.num_classes = 3);
    ck_assert_ptr_null(nn_call(model, t_ones(1, 3, 8, 9)));
    ck_assert_str_eq(t_error_message(), "Wrong image width! Expected 8 but got 9!");
    clear_errors();
    ck_assert_ptr_null(nn_call(model, t_ones(1, 3, 12, 8)));
    ck_assert_str_eq(t_error_message(), "Wrong image height! Expected 8 but got 12!");
    clear_errors();
}
END_TEST

static bool construct(void *with) {
    (void)with;
    const int depth = t_scope_open();
    const bool ok = depth && models_VisionTransformer_new(8, 8, 1, 1, 2, 3, NULL);
    t_scope_close(depth);
    return ok;
}

START_TEST(construction_without_memory_leaves_nothing) {
    refuse_all("VisionTransformer", construct, NULL, NULL);
    report_notes();
}
END_TEST

Suite *models_suite(void) {
    Suite *suite = suite_create("models");
    TCase *tests = tcase_create("models");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, models_are_torchvisions);
    tcase_add_test(tests, a_forward_without_a_tape_is_the_same);
    tcase_add_test(tests, weights_are_read_from_files);
    tcase_add_test(tests, named_weights_are_read_from_the_cache);
    tcase_add_test(tests, weights_have_torchvisions_names);
    tcase_add_test(tests, the_transforms_of_weights_are_torchvisions);
    tcase_add_test(tests, each_model_refuses_weights_of_another_name);
    tcase_add_test(tests, wrong_arguments_are_refused);
    tcase_add_test(tests, construction_without_memory_leaves_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
