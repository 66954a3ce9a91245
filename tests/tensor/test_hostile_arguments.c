/* tests/tensor/test_hostile_arguments.c: calls that make torture-api (tests/torture/api) found to crash, to fail in
 * silence or to change something: each is an error that is told, and changes nothing. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "core/data/data.h"
#include "core/distributions/distributions.h"
#include "core/linalg/linalg.h"
#include "core/pandas/pandas.h"
#include "core/profiler/profiler.h"
#include "core/python/python.h"
#include "core/sklearn/sklearn.h"
#include "core/tensor/context.h"
#include "core/tensorboard/tensorboard.h"
#include "core/vision/vision.h"
#include "nn/models/models.h"
#include "nn/nn.h"
#include "nn/onnx/onnx.h"
#include "optim/swa_utils/swa_utils.h"
#include "tests/support/support.h"

/* The call returned nothing, and told this. */
#define REFUSED(call, message)                                  \
    do {                                                        \
        t_clear_error();                                        \
        ck_assert_msg(!(call), "%s returned something", #call); \
        expect_error(message);                                  \
    } while (0)

/* The call returned nothing, and told why, in any words. */
#define TOO_LARGE(call)                                         \
    do {                                                        \
        t_clear_error();                                        \
        ck_assert_msg(!(call), "%s returned something", #call); \
        ck_assert_ptr_nonnull(t_error_message());               \
        t_clear_error();                                        \
    } while (0)

static Tensor *ones(int64_t n) {
    return (t_ones)(&n, 1, NULL);
}

/* ---- NULL ---- */

START_TEST(functions_that_are_null) {
    t_TensorList *inputs = (t_list_new)((Tensor *[]){ones(2)}, 1);
    REFUSED((t_autograd_functional_jacobian)(NULL, inputs, NULL, NULL),
            "argument 1 is NULL where a function is expected");
    REFUSED((t_func_grad)(NULL, inputs, NULL, NULL), "argument 1 is NULL where a function is expected");
}
END_TEST

START_TEST(arrays_and_texts_that_are_null) {
    nn_ReLU *module = nn_ReLU();
    Tensor *x = ones(2), *first = x;
    REFUSED((t_list_unpack)((t_list_new)((Tensor *[]){x, x}, 2), (Tensor **[]){&first, NULL}, 2), "variable 1 is NULL");
    REFUSED((t_list_unpack)((t_list_new)(&x, 1), NULL, 1), "argument 2 is NULL where variables are expected");
    ck_assert_ptr_eq(first, x);
    REFUSED((nn_AdaptiveLogSoftmaxWithLoss_new)(4, 4, NULL, 2, NULL), "argument 3 is NULL where cutoffs is expected");
    REFUSED((nn_as_of)(module, NULL, sizeof(nn_ReLU)), "argument 2 is NULL where the name of a class is expected");
    REFUSED((models_Weights_transforms)(&(models_Weights){0}), "argument 1 is NULL where weights is expected");
    REFUSED((onnx_export)(module, NULL, "no.onnx", NULL), "argument 2 is NULL where a list of tensors is expected");
    nn_NamedModule items[] = {{"a", module}};
    REFUSED((nn_get_key_of)((nn_ModuleDict_new)(items, 1), "a", NULL, 1),
            "argument 3 is NULL where the name of a class is expected");
    REFUSED((nn_get_of)((nn_ModuleList_new)((void *[]){module}, 1), 0, NULL, 1),
            "argument 3 is NULL where the name of a class is expected");
    REFUSED((optim_update_bn)(NULL, nn_BatchNorm1d(2)), "argument 1 is NULL where a DataLoader is expected");
    argparse_ArgumentParser *parser = argparse_ArgumentParser(.prog = "p");
    REFUSED((argparse_parse_args)(parser, 2, (char *[]){(char *)"p", NULL}),
            "argument 3 is NULL where words is expected");
}
END_TEST

/* ---- other objects than those that are expected, and dead ones ---- */

START_TEST(objects_of_other_classes) {
    nn_ReLU *module = nn_ReLU();
    REFUSED((linalg_eigvalsh)((Tensor *)(void *)module, "L"), "argument 1 is a Module, not a tensor");
    REFUSED((argparse_format_help)((argparse_ArgumentParser *)(void *)module), "argument 1 is not a live parser");
    REFUSED((argparse_format_usage)((argparse_ArgumentParser *)(void *)module), "argument 1 is not a live parser");
    REFUSED((data_TensorDataset_new)((t_TensorList *)(void *)module), "argument 1 is not a live list of tensors");
    REFUSED((optim_update_parameters)((optim_AveragedModel *)(void *)module, module), "argument 1 is no AveragedModel");
    REFUSED((onnx_export)(module, (t_TensorList *)(void *)module, "no.onnx", NULL),
            "argument 2 is not a live list of tensors");
    const int depth = t_scope_open();
    t_scope_close(depth);
    Tensor *matrix = t_ones(2, 2);
    REFUSED((nn_init_orthogonal_)(matrix, 1, (t_Generator *)(void *)module),
            "the generator argument is not a live generator");
    ck_assert_int_eq(t_scope_open(), depth);
    t_scope_close(depth);
    ck_assert_double_eq(t_item(t_sum(matrix)), 4);
    Tensor *steps, *values;
    REFUSED((tensorboard_scalars)((tensorboard_Events *)(void *)module, "loss", &steps, &values),
            "argument 1 are no events, or they were released");
}
END_TEST

START_TEST(items_that_are_null) {
    t_TensorList *list = NULL; /* a list of gradients */
    Tensor *x = t_requires_grad_(ones(2)), *other = t_requires_grad_(ones(2));
    list = (t_autograd_grad)((t_list_new)((Tensor *[]){t_sum(x)}, 1), (t_list_new)((Tensor *[]){x, other}, 2),
                             &(t_GradOptions){.size = sizeof(t_GradOptions), .allow_unused = true});
    ck_assert_ptr_nonnull(list);
    ck_assert_ptr_null(list->items[1]);
    REFUSED((data_TensorDataset_new)(list), "argument 1 is NULL where a tensor is expected");
}
END_TEST

/* ---- sizes whose sum or product is no int64 ---- */

START_TEST(sizes_that_overflow) {
    Tensor *image = t_ones(3, 4, 4);
    REFUSED((F_pixel_unshuffle)(t_ones(3, 0, 0), INT64_C(1) << 31),
            "pixel_unshuffle: a size of the result, 3 * 4611686018427387904, is more than 2^63 - 1");
    REFUSED((F_pixel_shuffle)(t_ones(0, 1, INT64_C(1) << 40), INT64_C(1) << 31),
            "pixel_shuffle: a size of the result, 1099511627776 * 2147483648, is more than 2^63 - 1");
    TOO_LARGE((TF_crop)(image, 1, 1, INT64_MAX, 1));
    TOO_LARGE((TF_crop)(image, 2, 0, INT64_MAX, INT64_MAX));
    Tensor *cropped = (TF_crop)(image, 3, INT64_MIN, 4, 2);
    ck_assert_ptr_nonnull(cropped);
    ck_assert_double_eq(t_item(t_sum(cropped)), 0);
    transforms_Values center = {.items = {1e300, 0.5}, .count = 2};
    REFUSED((TF_rotate)(image, 1, InterpolationMode_BILINEAR, true, &center, NULL),
            "cannot convert float NaN to integer");
    center.items[0] = 3e38;
    TOO_LARGE((TF_rotate)(image, 1, InterpolationMode_BILINEAR, true, &center, NULL));
    REFUSED((TF_rotate)(TF_to_pil_image(image), NAN, InterpolationMode_BILINEAR, true, NULL, NULL),
            "cannot convert float NaN to integer");
    ck_assert_ptr_null((models_get_model_weights)("resnet50", INT64_MIN));
    TOO_LARGE((TF_resize)(image, (const int64_t[]){(int64_t)1 << 62}, 1, InterpolationMode_BILINEAR, T_NONE, true));
    Tensor *images = t_ones(2, 3, 4, 4);
    const utils_GridOptions grid = {.size = sizeof grid, .nrow = 8, .padding = INT64_MAX - 1};
    TOO_LARGE((utils_make_grid)(images, &grid));
    ck_assert_ptr_nonnull((TF_erase)(image, INT64_MIN, 0, -1, 2, (t_number)(0), false));
    t_clear_error();
    Tensor *sizes = (t_tensor_from_data)((int64_t[]){2, 1}, t_int64, (int64_t[]){2}, 1, NULL);
    nn_utils_rnn_PackedSequence *packed = (nn_utils_rnn_PackedSequence_new)(ones(3), sizes, NULL, NULL);
    ck_assert_ptr_nonnull(packed);
    Tensor *lengths;
    TOO_LARGE((nn_utils_rnn_pad_packed_sequence)(packed, false, 0, INT64_MAX, &lengths));
    TOO_LARGE((t_mvlgamma)(ones(1), (int64_t)1 << 62));
    Tensor *volume = t_ones(1, 2, 2, 2);
    TOO_LARGE((F_adaptive_max_pool3d)(volume, (const int64_t[]){(int64_t)1 << 62, INT32_MAX, 1}, NULL));
    t_Tuple shape, shapes[] = {{{1, 2}, 2}, {{0}, 100}};
    REFUSED((t_broadcast_shapes)(shapes, 2, &shape), "shape 1 has 100 sizes");
    data_Dataset *dataset = data_RepeatedTokenDataset(8, 4, 5);
    const int64_t dims[] = {-1, 0, 0, 0, 0, 0, 0, 0, 0};
    Tensor *matrix = t_ones(2, 2);
    REFUSED((linalg_tensorsolve)(matrix, ones(2), dims, 9), "there are 9 dims, but the tensor has only 2");
    const profiler_Schedule schedule = {.wait = 5, .active = 4, .skip_first = 3, .skip_first_wait = 1};
    ck_assert_int_ge((profiler_schedule_action)(&schedule, INT64_MAX), 0);
    TOO_LARGE((data_DistributedSampler_new)(dataset, INT64_MIN, 0, NULL));
    pd_Series *series = (pd_Series_new)(ones(3), "x");
    ck_assert_ptr_nonnull((pd_Series_tail)(series, INT64_MIN));
    models_ResNetOptions options = models_ResNetDefaults;
    options.groups = INT64_MIN;
    REFUSED((models_ResNet_new)(models_bottleneck, (const int64_t[]){1, 1, 1, 1}, &options),
            "groups must be from 1 to 1048576");
    options.groups = 1;
    options.width_per_group = INT64_MAX;
    REFUSED((models_ResNet_new)(models_bottleneck, (const int64_t[]){1, 1, 1, 1}, &options),
            "width_per_group must be from 1 to 1048576");
    REFUSED((models_ResNet_new)(models_bottleneck, (const int64_t[]){1, 1, 1, INT64_MAX}, NULL),
            "a stage has at most 1024 blocks, not 9223372036854775807");
}
END_TEST

/* ---- functions of the user that fail ---- */

static double fails(const double *value, void *context) {
    (void)value;
    (void)context;
    (t_fail)("no");
    return 0;
}

START_TEST(a_function_of_elements_that_fails) {
    REFUSED((t_apply_)(ones(2), fails, NULL), "no");
}
END_TEST

/* ---- the text of an error among the arguments of the next ---- */

START_TEST(an_error_that_names_the_one_before) {
    (t_fail)("first");
    (t_fail)("second: %s", t_error_message());
    ck_assert_str_eq(t_error_message(), "second: first");
    char name[3000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (t_fail)("%s", name);
    (t_fail)("%s, %.4s", t_error_message(), t_error_message());
    ck_assert_uint_eq(strlen(t_error_message()), sizeof name - 1 + 6);
    ck_assert_str_eq(t_error_message() + sizeof name - 1, ", xxxx");
    t_clear_error();
}
END_TEST

/* A callback's error is saved and put back: a long text stays where it is. */
START_TEST(a_long_error_outlives_the_release_of_a_scope) {
    char name[3000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (t_fail)("%s", name);
    tg_SavedError saved;
    tg_error_save(&saved);
    tg_error_restore(&saved);
    ck_assert_str_eq(t_error_message(), name);
    tg_error_save(&saved);
    (t_fail)("another");
    tg_error_restore(&saved);
    ck_assert_str_eq(t_error_message(), name);
    t_clear_error();
}
END_TEST

/* ---- a refusal changes nothing ---- */

static Tensor *keeps_output(nn_Module *module, t_TensorList *inputs, Tensor *output, void *context) {
    (void)module, (void)inputs, (void)context;
    return output;
}

static t_TensorList *same_list(t_TensorList *inputs, void *context) {
    (void)context;
    return inputs;
}

/* The average of another model, of which one part fits. */
START_TEST(an_average_is_written_as_a_whole) {
    nn_Sequential *model = nn_Sequential(nn_Linear(2, 2), nn_Linear(2, 2));
    nn_Sequential *other = nn_Sequential(nn_Linear(2, 2), nn_Linear(3, 2));
    optim_AveragedModel *averaged = optim_AveragedModel(model);
    Tensor *weight = nn_parameters(averaged->module)->items[0], *before = t_clone(t_detach(weight));
    ck_assert(!(optim_update_parameters)(averaged, other));
    ck_assert_ptr_nonnull(t_error_message());
    t_clear_error();
    ck_assert(t_equal(weight, before));
}
END_TEST

/* A step has no error of its own: what fails, fails before. */
START_TEST(schedulers_that_run_out_of_memory_are_refused) {
    nn_Linear *model = nn_Linear(2, 2);
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), .lr = 0.1);
    const optim_OneCycleLROptions options = {.size = sizeof options,
                                             .max_lr = 1,
                                             .total_steps = 9,
                                             .epochs = T_NONE,
                                             .steps_per_epoch = T_NONE,
                                             .pct_start = 0.3,
                                             .anneal_strategy = "cos",
                                             .div_factor = 25,
                                             .final_div_factor = 1e4,
                                             .last_epoch = -1};
    optim_LRScheduler *made = NULL;
    for (int64_t n = 1; !made && n < 50; n++) {
        tg_alloc_fail(n, true);
        made = (optim_OneCycleLR_new)(optimizer, &options);
        tg_alloc_fail(0, false);
        ck_assert_int_eq(made == NULL, (t_error_message)() != NULL);
        t_clear_error();
    }
    ck_assert_ptr_nonnull(made);
}
END_TEST

static void is_told(const char *message, void *context) {
    (void)message, (void)context;
}

START_TEST(functions_that_are_null_in_a_macro) {
    Tensor *(*none)(Tensor *) = NULL;
    t_set_error_handler(is_told, NULL);
    ck_assert_ptr_null(t_func_grad(none, ones(1)));
    t_set_error_handler(NULL, NULL);
    expect_error("argument 1 is NULL where a function is expected");
}
END_TEST

START_TEST(what_is_refused_leaves_nothing) {
    nn_Linear *model = nn_Linear(2, 2);
    for (int64_t n = 1; n < 3; n++) {
        tg_alloc_fail(n, true);
        ck_assert_ptr_null((nn_register_forward_hook)(model, keeps_output, NULL, NULL));
        tg_alloc_fail(0, false);
        ck_assert_ptr_null(model->base.hooks);
        t_clear_error();
    }
    amp_GradScaler *scaler = amp_GradScaler();
    tg_alloc_fail(1, true);
    ck_assert_ptr_null((amp_scale)(scaler, ones(1)));
    tg_alloc_fail(0, false);
    REFUSED((amp_update)(scaler, 2), "Attempted update but _scale is None.  This may indicate your script did not use "
                                     "scaler.scale(loss or outputs) earlier in the iteration.");
    t_CheckpointOptions options = t_CheckpointDefaults;
    options.context_bytes = 8;
    REFUSED((t_checkpoint)(same_list, (t_list_new)((Tensor *[]){ones(1)}, 1), NULL, &options),
            "context_bytes is 8, but the context is NULL");
    Tensor *x = ones(4);
    TOO_LARGE((nn_init_trunc_normal_)(x, 0.9, 1e-8, 0, 0.5, NULL));
    const char *names[] = {NULL};
    REFUSED((pd_DataFrame_of_tensor)(t_ones(1, 1), names, 1), "the name of column 0 is NULL");
}
END_TEST

START_TEST(a_parametrization_that_is_refused_keeps_its_mode) {
    nn_Linear *module = nn_Linear(2, 2), *parametrization = nn_Linear(2, 3);
    nn_train(parametrization, false);
    ck_assert(!(nn_utils_parametrize_register_parametrization)(module, "weight", parametrization, false));
    ck_assert_ptr_nonnull(t_error_message());
    t_clear_error();
    ck_assert(!parametrization->base.training);
}
END_TEST

/* A forward that writes to its buffer, and a function after it that fails. */
typedef struct Counting {
    nn_Module base;
    Tensor *calls;
    nn_Linear *inner;
} Counting;
static Tensor *counting_call(Counting *self, Tensor *x) {
    t_add_(self->calls, 1);
    return t_sum(x);
}

START_TEST(a_parametrization_that_is_refused_is_as_it_was) {
    nn_Linear *module = nn_Linear(2, 2);
    Counting *counting = nn_module(Counting, counting_call);
    nn_register_buffer(counting, calls, t_zeros(1));
    nn_set(counting, inner, nn_Linear(1, 1));
    nn_train(counting->inner, false);
    ck_assert(!(nn_utils_parametrize_register_parametrization)(module, "weight", counting, false));
    ck_assert_ptr_nonnull(t_error_message());
    t_clear_error();
    ck_assert(t_item(counting->calls) == 0);
    ck_assert(counting->base.training && !counting->inner->base.training);
    ck_assert((nn_utils_parametrize_register_parametrization)(module, "weight", counting, true));
    ck_assert(t_item(counting->calls) == 1 && counting->inner->base.training);
}
END_TEST

/* ---- what is released, and ends ---- */

#define RELEASED(call)                                                                                     \
    do {                                                                                                   \
        const int64_t live = t_live_count();                                                               \
        with_scope () {                                                                                    \
            Tensor *x = t_neg(t_requires_grad_(t_ones(2, 2, .dtype = t_float64), true));                   \
            ck_assert_msg((call) != NULL, "%s: %s", #call, t_error_message());                             \
        }                                                                                                  \
        ck_assert_msg(t_live_count() == live, "%s keeps %d tensors", #call, (int)(t_live_count() - live)); \
    } while (0)

START_TEST(a_view_of_what_is_written_is_released) {
    RELEASED(t_fmod_(x, t_t(x)));
    RELEASED(t_float_power_(x, t_t(x)));
    RELEASED(t_clamp_max_(x, t_t(x)));
    RELEASED(t_mul_(x, t_t(x)));
    RELEASED(t_mul_(x, t_at(x, "0")));
    RELEASED(t_mul_(t_at(x, "0"), t_at(x, "1")));
    RELEASED(t_addmm_(x, t_t(x), t_view(x, 2, 2)));
    Tensor *x = t_neg(t_requires_grad_(t_ones(2, 2), true));
    t_mul_(x, t_t(x));
    ck_assert(!(t_backward)(t_sum(x), NULL));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "modified by an inplace operation"));
    t_clear_error();
}
END_TEST

START_TEST(a_grad_that_is_a_view_of_its_tensor_is_cleared) {
    const int64_t live = t_live_count();
    with_scope () {
        Tensor *x = t_ones(2, 2), *view = t_t(x);
        ck_assert(t_set_grad(x, view));
        ck_assert_ptr_eq(t_grad(x), view);
        ck_assert(t_set_grad(x, NULL));
    }
    ck_assert_int_eq(t_live_count(), live);
}
END_TEST

START_TEST(von_mises_samples_end) {
    const double concentrations[] = {-1, NAN, 0, 1e-310, 1e17, INFINITY, 1}, loc = 0.25;
    const int64_t n = 7, samples = 50;
    Tensor *kappa = (t_tensor_from_data)(concentrations, t_float64, &n, 1, NULL);
    Tensor *mean = (t_full)(&n, 1, loc, NULL);
    Tensor *x = t_to((distributions_sample)((distributions_VonMises_new)(mean, kappa, 0), &samples, 1), t_float64);
    ck_assert_msg(x != NULL, "%s", t_error_message());
    bool differs = false;
    for (int64_t i = 0; i < samples; i++) {
        const double *row = (const double *)t_data_ptr(x) + i * n;
        ck_assert(isnan(row[0]) && isnan(row[1]));
        for (int k = 2; k < n; k++) ck_assert(fabs(row[k]) <= 3.1416);
        ck_assert(fabs(row[4] - loc) < 1e-6 && fabs(row[5] - loc) < 1e-6);
        differs = differs || fabs(row[2] - row[3]) > 0.1;
    }
    ck_assert(differs);
}
END_TEST

static t_TensorList *same(t_TensorList *inputs, void *context) {
    (void)context;
    return inputs;
}

/* Each took minutes, or read outside of an array or what was dead. */
START_TEST(what_a_long_run_of_hostile_calls_found) {
    const int64_t sixteen = 16, output_size[] = {INT64_C(1) << 32, 0};
    Tensor *vector = (t_ones)(&sixteen, 1, NULL), *image = (t_ones)((int64_t[]){1, 1, 2, 2}, 4, NULL);
    TOO_LARGE((t_combinations)(vector, 65, true));
    TOO_LARGE((t_combinations)(vector, INT64_MAX, true));
    ck_assert_int_eq(t_size(t_combinations(vector, 3), 0), 560);
    ck_assert_int_eq(t_size(t_combinations(vector, 2, true), 0), 136);
    ck_assert_int_eq(t_size(t_combinations(vector, 17), 0), 0);
    ck_assert_int_eq(t_numel((F_adaptive_max_pool2d)(image, output_size, NULL)), 0);
    ck_assert_int_eq(t_numel((F_adaptive_avg_pool2d)(image, output_size)), 0);
    t_CheckpointOptions checkpoint = t_CheckpointDefaults;
    const int depth = t_scope_open();
    checkpoint.owned = (t_dict_new)();
    t_scope_close(depth);
    TOO_LARGE((t_checkpoint)(same, (t_list_new)(&vector, 1), NULL, &checkpoint) ? vector : NULL);
    models_VisionTransformerOptions vit = models_VisionTransformerDefaults;
    vit.image_size = INT64_C(1) << 40;
    TOO_LARGE((models_vit_b_16)(&vit) ? vector : NULL);
    TOO_LARGE((nn_utils_clip_grads_with_norm_)((t_list_new)(&vector, 1), 1, t_zeros(0)) ? vector : NULL);
    TOO_LARGE((transforms_RandomChoice_new)(NULL, INT64_MAX, (double[]){1, 2}) ? vector : NULL);
    const int64_t sizes[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
    t_TensorList *index = (t_unravel_index)(t_tensor("[0, 1, 2, 3, 4, 5]"), sizes, 11);
    ck_assert_int_eq(index->len, 11);
    for (int i = 0; i < 11; i++)
        ck_assert(t_item(t_at(index->items[i], "4")) == (i == 10 ? 1 : i == 9 ? 1 : 0));
    TOO_LARGE((nn_init_trunc_normal_)(image, 2147483648., 2, 0, 0.5, NULL));
    pd_Series *series = pd_date_range("1/2/2020", .periods = 1, .freq = "W");
    TOO_LARGE((pd_Series_sample)(series, &(pd_SampleOptions){.size = sizeof(pd_SampleOptions), .frac = NAN}) ? vector
                                                                                                           : NULL);
    TOO_LARGE((F_cross_entropy)(image, (Tensor *)(void *)t_list_new(NULL, 0), NULL));
}
END_TEST

/* The call fails, and its further results, y and z, are NULL. */
#define GIVES_NOTHING(call)                                                   \
    do {                                                                      \
        y = z = one;                                                          \
        TOO_LARGE(call);                                                      \
        ck_assert_msg(y != one && z != one, "%s left a result unset", #call); \
        ck_assert_msg(!y && !z, "%s failed, but gave a result", #call);       \
    } while (0)
#define GIVES_NO_Y(call) GIVES_NOTHING((z = NULL, (call)))

/* The same of reductions, sorts, pools and others: x is NULL, or they refuse a dim, a size or a number of elements. */
START_TEST(further_results_are_null_after_an_error) {
    Tensor *one = ones(1), *x = NULL, *y, *z, *of_three[3];
    Tensor *two = (t_ones)((int64_t[]){2, 2}, 2, NULL);
    Tensor *(*along_dim[])(Tensor *, int64_t, bool, Tensor **) = {(t_max),    (t_min),       (t_aminmax),
                                                                  (t_median), (t_nanmedian), (t_mode)};
    for (int i = 0; i < 6; i++)
        for (int given = 0; given < 2; given++) GIVES_NO_Y(along_dim[i](given ? two : x, 7, false, &y));
    for (int given = 0; given < 2; given++) {
        x = given ? two : NULL;
        GIVES_NO_Y((t_sort)(x, 7, false, false, &y));
        GIVES_NO_Y((t_topk)(x, 5, 0, true, true, &y));
        GIVES_NO_Y((t_kthvalue)(x, 5, 0, false, &y));
        GIVES_NO_Y((t_cummax)(x, 7, &y));
        GIVES_NO_Y((t_cummin)(x, 7, &y));
        GIVES_NO_Y((t_var_mean)(x, (int64_t[]){7}, 1, 1, false, &y));
        GIVES_NO_Y((t_std_mean)(x, (int64_t[]){7}, 1, 1, false, &y));
        GIVES_NOTHING((t_unique)(x, true, &y, &z, 7));
        GIVES_NOTHING((t_unique_consecutive)(x, &y, &z, 7));
        GIVES_NO_Y((t_histogram)(x, NULL, NULL, NULL, false, &y));
        GIVES_NO_Y((F_max_pool1d)(x, &(F_PoolOptions){.size = sizeof(F_PoolOptions), .indices = &y}));
        GIVES_NO_Y((F_max_pool2d)(x, &(F_PoolOptions){.size = sizeof(F_PoolOptions), .indices = &y}));
        GIVES_NO_Y((F_max_pool3d)(x, &(F_Pool3dOptions){.size = sizeof(F_Pool3dOptions), .indices = &y}));
        GIVES_NO_Y((F_adaptive_max_pool1d)(x, -3, &y));
        GIVES_NO_Y((F_adaptive_max_pool2d)(x, NULL, &y));
        GIVES_NO_Y((F_adaptive_max_pool3d)(x, NULL, &y));
        GIVES_NO_Y((nn_MaxPool2d_call)(NULL, x, &y));
        GIVES_NO_Y((nn_AdaptiveMaxPool3d_call)(NULL, x, &y));
    }
    GIVES_NO_Y((t_frexp)(NULL, &y));
    GIVES_NOTHING((data_dataset_get)(NULL, 0, &y, &z) ? one : NULL);
    GIVES_NOTHING((tensorboard_scalars)(NULL, "loss", &y, &z) ? one : NULL);
    GIVES_NOTHING((sklearn_train_test_indices)(-1, &y, &z, NULL) ? one : NULL);
    GIVES_NOTHING((sklearn_roc_curve)(NULL, NULL, &y, &z, of_three) ? one : NULL);
    ck_assert_ptr_null(of_three[0]);
}
END_TEST

START_TEST(a_decomposition_that_fails_gives_nothing) {
    Tensor *one = ones(1), *x = NULL, *y, *z, *v;
    const double nan = NAN;
    const int64_t shape[] = {2, 2};
    Tensor *matrix = (t_full)(shape, 2, nan, NULL);
    GIVES_NOTHING((linalg_svd)(matrix, false, &y, &z));
    GIVES_NOTHING((t_svd)(matrix, true, true, &y, &z));
    GIVES_NOTHING((linalg_svd)(x, false, &y, &z));
    GIVES_NOTHING((t_svd)(x, true, true, &y, &z));
    GIVES_NOTHING((t_svd_lowrank)(x, 1, 1, NULL, &y, &z));
    GIVES_NOTHING((t_pca_lowrank)(x, 1, true, 1, &y, &z));
    GIVES_NOTHING((linalg_lu)(x, true, &y, &z));
    GIVES_NOTHING((t_lu_unpack)(x, one, true, true, &y, &z));
    GIVES_NOTHING((linalg_lu_factor_ex)(x, true, true, &y, &z));
    GIVES_NOTHING((linalg_ldl_factor_ex)(x, true, &y, &z));
    GIVES_NOTHING((linalg_lstsq)(x, x, NAN, NULL, &y, &z, &v));
    GIVES_NO_Y((linalg_lstsq)(x, x, NAN, NULL, NULL, NULL, &y));
    GIVES_NO_Y((linalg_lu_factor)(x, true, &y));
    GIVES_NO_Y((linalg_ldl_factor)(x, &y));
    GIVES_NO_Y((linalg_eigh)(x, "L", &y));
    GIVES_NO_Y((linalg_eigh)(matrix, "L", &y));
    GIVES_NO_Y((linalg_qr)(x, "reduced", &y));
    GIVES_NO_Y((linalg_qr)(matrix, "no mode", &y));
    GIVES_NO_Y((t_geqrf)(x, &y));
    GIVES_NO_Y((linalg_slogdet)(x, &y));
    GIVES_NO_Y((linalg_cholesky_ex)(x, false, true, &y));
    GIVES_NO_Y((linalg_cholesky_ex)(matrix, false, true, &y));
    GIVES_NO_Y((linalg_solve_ex)(x, x, true, true, &y));
    GIVES_NO_Y((linalg_inv_ex)(x, true, &y));
    GIVES_NO_Y((linalg_polar)(x, &y));
    t_LobpcgOptions lobpcg = t_LobpcgDefaults;
    lobpcg.eigenvectors = &y;
    GIVES_NO_Y((t_lobpcg)(x, &lobpcg));
}
END_TEST

/* Whichever allocation fails, none of its results has gone with its scope. */
START_TEST(a_decomposition_without_memory_gives_nothing) {
    Tensor *x = t_requires_grad_((t_eye)(3, 3, NULL), true), *one = ones(1), *E = NULL;
    for (int n = 1; !E && n < 2000; n++) {
        Tensor *y = one;
        t_LobpcgOptions o = t_LobpcgDefaults;
        o.niter = 1;
        o.eigenvectors = &y;
        const int depth = t_scope_open();
        tg_alloc_fail(n, false);
        E = (t_lobpcg)(x, &o);
        tg_alloc_fail(0, false);
        ck_assert_msg(E || t_error(), "%d", n);
        t_clear_error();
        ck_assert(y != one && (E != NULL) == (y != NULL));
        t_scope_close(depth);
    }
    ck_assert_ptr_nonnull(E);
}
END_TEST

START_TEST(a_page_that_cannot_be_written_draws_nothing) {
    t_manual_seed(1);
    t_randn(1);
    Tensor *x = t_neg(t_requires_grad_(t_ones(2), true));
    TOO_LARGE((t_tape_html)(x, "."));
    const double drawn = t_item(t_randn(1));
    t_manual_seed(1);
    t_randn(1);
    ck_assert(t_item(t_randn(1)) == drawn);
}
END_TEST

Suite *hostile_arguments_suite(void) {
    Suite *suite = suite_create("hostile_arguments");
    TCase *tests = tcase_create("hostile_arguments");
    tcase_add_test(tests, functions_that_are_null);
    tcase_add_test(tests, arrays_and_texts_that_are_null);
    tcase_add_test(tests, objects_of_other_classes);
    tcase_add_test(tests, items_that_are_null);
    tcase_add_test(tests, sizes_that_overflow);
    tcase_add_test(tests, a_function_of_elements_that_fails);
    tcase_add_test(tests, an_error_that_names_the_one_before);
    tcase_add_test(tests, a_long_error_outlives_the_release_of_a_scope);
    tcase_add_test(tests, a_parametrization_that_is_refused_keeps_its_mode);
    tcase_add_test(tests, a_parametrization_that_is_refused_is_as_it_was);
    tcase_add_test(tests, a_view_of_what_is_written_is_released);
    tcase_add_test(tests, a_grad_that_is_a_view_of_its_tensor_is_cleared);
    tcase_add_test(tests, von_mises_samples_end);
    tcase_add_test(tests, a_decomposition_that_fails_gives_nothing);
    tcase_add_test(tests, what_a_long_run_of_hostile_calls_found);
    tcase_add_test(tests, further_results_are_null_after_an_error);
    tcase_add_test(tests, a_decomposition_without_memory_gives_nothing);
    tcase_add_test(tests, a_page_that_cannot_be_written_draws_nothing);
    tcase_add_test(tests, an_average_is_written_as_a_whole);
    tcase_add_test(tests, schedulers_that_run_out_of_memory_are_refused);
    tcase_add_test(tests, functions_that_are_null_in_a_macro);
    tcase_add_test(tests, what_is_refused_leaves_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}
