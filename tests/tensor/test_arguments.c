/* tests/tensor/test_arguments.c: arguments that are not there or not of their kind: arrays, structs and functions that
 * are NULL, counts below 0, dtypes that are none, and tensors of several elements where a number is expected. */
#include <limits.h>
#include <string.h>

#include "core/core.h"
#include "core/data/data.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/support.h"

#define REFUSED(call, message) expect_refusal(!(call), message)

/* ---- numbers ---- */

START_TEST(a_number_is_one_element_without_dims) {
    static const char full[] = "full(): argument 'fill_value' (position 2) must be Number, not Tensor";
    static const char masked[] =
        "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).";
    Tensor *const wrong[] = {t_zeros(0), t_zeros(1), t_zeros(2)};
    Tensor *x = t_zeros(2), *mask = t_tensor("[True, False]"), *index = t_tensor("[0]");
    for (int i = 0; i < 3; i++) {
        REFUSED(t_full_of_(SHAPE(2, 2), wrong[i], NULL), full);
        REFUSED(t_arange_of_(wrong[i], 3, 1, "", NULL),
                "arange(): argument 'start' (position 1) must be Number, not Tensor");
        REFUSED((t_masked_fill)(x, mask, wrong[i]), masked);
        REFUSED((t_masked_fill_)(x, mask, wrong[i]), masked);
        REFUSED((t_index_fill)(x, 0, index, wrong[i]),
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).");
    }
    REFUSED((t_item)(wrong[2]) == 0, "a Tensor with 2 elements cannot be converted to Scalar");
    REFUSED((t_item_int64)(wrong[0]) == 0, "a Tensor with 0 elements cannot be converted to Scalar");
    REFUSED((t_clamp)(x, wrong[0], NULL),
            "The size of tensor a (2) must match the size of tensor b (0) at non-singleton dimension 0");
    REFUSED((t_set)(x, "0", NULL, 0, t_zeros(0)),
            "expand(torch.FloatTensor{[0]}, size=[]): the number of sizes provided (0) must be "
            "greater or equal to the number of dimensions in the tensor (1)");
    expect_printed(t_full((2,), t_tensor("3")), "tensor([3, 3])");
    expect_printed(t_arange(t_tensor("3")), "tensor([0, 1, 2])");
}
END_TEST

/* Without dims a tensor has one element, and so must its index and what is put there. */
START_TEST(indices_of_a_tensor_without_dims) {
    Tensor *x = t_tensor("1.0"), *two = t_zeros(2), *zero = t_tensor("0"), *none = t_zeros(0, .dtype = t_int64),
           *nothing = t_zeros(0);
    static const char size[] =
        "Expected index [] to be no larger than self [2] apart from dimension 0 and to be no larger size than "
        "src [0]";
    REFUSED((t_scatter)(two, 0, zero, nothing), size);
    REFUSED((t_scatter_)(two, 0, zero, nothing), size);
    REFUSED((t_scatter_add)(two, 0, zero, nothing), size);
    REFUSED((t_scatter_reduce)(two, 0, zero, nothing, "sum", true), size);
    REFUSED(
        (t_scatter)(x, 0, t_tensor("[0, 0]"), t_ones(1)),
        "Expected index [2] to be no larger than self [] apart from dimension 0 and to be no larger size than src [1]");
    REFUSED((t_index_select)(x, 0, none), "index_select(): Index to scalar can have only 1 value, got 0 value(s)");
    REFUSED((t_index_select)(x, 0, t_tensor("[0, 0]")),
            "index_select(): Index to scalar can have only 1 value, got 2 value(s)");
    expect_printed((t_index_select)(x, 0, zero), "tensor(1.)");
    expect_printed((t_scatter)(two, 0, zero, t_ones(3)), "tensor([1., 0.])");
}
END_TEST

/* ---- arrays ---- */

/* Each call takes an array that is NULL and has one element, in parentheses, and then one that has -1. */
#define ARRAYS(CALL)                                                                                                   \
    CALL(t_sum, (x, array, n, false)) CALL(t_mean, (x, array, n, false)) CALL(t_sum_as, (x, array, n, false,           \
        t_float32))                                                                                                    \
    CALL(t_var, (x, array, n, 1, false)) CALL(t_std, (x, array, n, 1, false)) CALL(t_norm, (x, 2, array, n, false, 0)) \
    CALL(t_nansum, (x, array, n, false, 0)) CALL(t_nanmean, (x, array, n, false, 0)) CALL(t_logsumexp, (x, array,      \
        n, false))                                                                                                     \
    CALL(t_amax, (x, array, n, false)) CALL(t_amin, (x, array, n, false)) CALL(t_all, (x, array, n, false))            \
    CALL(t_any, (x, array, n, false)) CALL(t_count_nonzero, (x, array, n)) CALL(t_flip, (x, array, n))                 \
    CALL(t_var_mean, (x, array, n, 1, false, &other)) CALL(t_std_mean, (x, array, n, 1, false, &other))                \
    CALL(linalg_vector_norm, (x, 2, array, n, false, 0)) CALL(t_squeeze_dims, (x, array, n))                         \
    CALL(t_view, (x, array, n)) CALL(t_reshape, (x, array, n)) CALL(t_permute, (x, array, n))                          \
    CALL(t_expand, (x, array, n)) CALL(t_broadcast_to, (x, array, n)) CALL(t_repeat, (x, array, n))                    \
    CALL(t_tile, (x, array, n)) CALL(t_split_with_sizes, (x, array, n, 0)) CALL(t_tensor_split_indices, (x, array,     \
        n, 0))                                                                                                         \
    CALL(t_as_strided, (x, array, n, array, n, 0)) CALL(t_rot90, (matrix, 1, array, n))                                \
    CALL(t_roll, (x, array, n, array, n)) CALL(t_movedim, (x, array, n, array, n))                                     \
    CALL(t_tensordot, (x, x, array, n, array, n)) CALL(t_unflatten, (x, 0, array, n))                                  \
    CALL(t_zeros, (array, n, NULL)) CALL(t_empty, (array, n, NULL)) CALL(t_ones, (array, n, NULL))                     \
    CALL(t_full, (array, n, 1, NULL)) CALL(t_rand, (array, n, NULL)) CALL(t_randn, (array, n, NULL))                   \
    CALL(t_randint, (0, 2, array, n, NULL)) CALL(t_new_zeros, (x, array, n, NULL)) CALL(t_new_full, (x, array, n,      \
        1, NULL))                                                                                                      \
    CALL(t_tensor_from_data, (ones, t_float64, array, n, NULL)) CALL(F_pad, (x, array, 2 * n, NULL, 0))                \
    CALL(F_layer_norm, (x, array, n, NULL, NULL, 1e-5)) CALL(F_rms_norm, (x, array, n, NULL, 1e-5))                    \
    CALL(nn_LayerNorm_new, (array, n, NULL)) CALL(nn_RMSNorm_new, (array, n, NULL)) CALL(nn_Unflatten_new, (0,         \
        array, n))                                                                                                     \
    CALL(optim_MultiStepLR_new, (optimizer, array, n, NULL)) CALL(data_Subset_new, (dataset, array, n))                \
    CALL(data_random_split, (dataset, array, n, parts, NULL))                                                          \
    CALL(t_list_new, ((Tensor *const *)array, n)) CALL(nn_Sequential_new, ((void *const *)array, n))                   \
    CALL(nn_ModuleList_new, ((void *const *)array, n)) CALL(t_at, (x, "{}", (Tensor *const *)array, n))                \
    CALL(optim_ChainedScheduler_new, ((optim_LRScheduler *const *)array, n))                                           \
    CALL(optim_SequentialLR_new, (optimizer, (optim_LRScheduler *const *)array, n, array, n - 1))

static void expect_any_error(const char *name, int64_t n, bool failed) {
    if (!failed || !t_error())
        note("%s with %lld elements at NULL: %s", name, (long long)n, failed ? "no error" : "no failure");
    t_clear_error();
}

START_TEST(arrays_that_are_not_there) {
    Tensor *x = t_ones(1), *matrix = t_ones(2, 2), *other = NULL, *w = t_ones(1, .requires_grad = true);
    optim_Optimizer *optimizer = optim_SGD(t_list(w), .lr = 0.1);
    data_Dataset *dataset = data_TensorDataset(t_list(x)), *parts[1];
    const double ones[] = {1};
    const int64_t *const array = NULL;
    for (int n = 1; n >= -1; n -= 2) {
#define CALL(name, arguments) expect_any_error(#name, n, !(name)arguments);
        ARRAYS(CALL)
#undef CALL
    }
    ck_assert_ptr_null(other);
    report_notes();
}
END_TEST

/* A NULL may be what failed before: that error is the one to report. */
START_TEST(an_array_that_failed_passes_on_in_silence) {
    (t_zeros)(SHAPE(-1), NULL);
    ck_assert_ptr_null((t_sum)(t_ones(2), NULL, 1, false));
    expect_error("Trying to create tensor with negative dimension -1: [-1]");
}
END_TEST

START_TEST(counts_and_arrays_are_named) {
    Tensor *x = t_ones(2);
    optim_Optimizer *optimizer = optim_SGD(t_list(t_requires_grad_(x, true)), .lr = 0.1);
    REFUSED((t_sum)(x, NULL, 1, false), "argument 2 is NULL where dims are expected");
    REFUSED((t_sum)(x, NULL, -1, false), "argument 3: the number of dims must not be negative, but is -1");
    REFUSED((t_movedim)(x, (int64_t[]){0}, 1, NULL, 1), "argument 4 is NULL where dims are expected");
    REFUSED((t_broadcast_to)(x, NULL, 1), "argument 2 is NULL where sizes are expected");
    REFUSED((t_split_with_sizes)(x, NULL, 2, 0), "argument 2 is NULL where sizes are expected");
    REFUSED((t_tile)(x, (int64_t[]){1}, -1), "argument 3: the number of dims must not be negative, but is -1");
    REFUSED((t_tile)(x, (int64_t[]){1}, INT_MIN),
            "argument 3: the number of dims must not be negative, but is -2147483648");
    REFUSED((t_view)(x, (int64_t[]){2}, INT_MIN),
            "argument 3: the number of sizes must not be negative, but is -2147483648");
    REFUSED((t_zeros)((int64_t[]){2}, INT_MIN, NULL), "a tensor has at most 8 dims, not -2147483648");
    REFUSED(optim_SequentialLR_new(optimizer, NULL, 2, (int64_t[]){1}, 1),
            "argument 2 is NULL where schedulers are expected");
    REFUSED(optim_ChainedScheduler_new(NULL, 1), "argument 1 is NULL where schedulers are expected");
    optim_LRScheduler *const both[] = {optim_StepLR(optimizer, 1), optim_StepLR(optimizer, 2)};
    REFUSED(optim_SequentialLR_new(optimizer, both, 2, NULL, 1), "argument 4 is NULL where milestones are expected");
    ck_assert_int_eq((t_tolist)(x, NULL, 5), -1);
    expect_error("argument 2 is NULL where an array is expected");
}
END_TEST

/* ---- structs, functions, strings ---- */

static t_TensorList *itself(t_TensorList *inputs, void *context) {
    (void)context;
    return inputs;
}

START_TEST(structs_and_functions_that_are_not_there) {
    Tensor *x = t_ones(1, .requires_grad = true, .dtype = t_float64);
    data_DataLoader *loader = data_DataLoader(data_TensorDataset(t_list(t_ones(2))));
    REFUSED((data_iter)(loader, NULL), "argument 2 is NULL where a batch is expected");
    REFUSED((data_iter_next)(NULL), "argument 1 is NULL where a batch is expected");
    REFUSED((data_first)(loader, NULL), "argument 2 is NULL where a batch is expected");
    (data_iter_end)(NULL);
    REFUSED((data_random_split)(data_TensorDataset(t_list(t_ones(2))), (int64_t[]){2}, 1, NULL, NULL),
            "argument 4 is NULL where an array of Subsets is expected");
    REFUSED((t_gradcheck)(NULL, t_list(x), NULL, NULL), "argument 1 is NULL where a function is expected");
    REFUSED((t_gradgradcheck)(NULL, t_list(x), NULL, NULL, NULL), "argument 1 is NULL where a function is expected");
    HOLDS((t_gradcheck)(itself, t_list(x), NULL, NULL));
    REFUSED((t_register_hook)(x, NULL, NULL), "argument 2 is NULL where a function is expected");
    REFUSED((t_register_post_accumulate_grad_hook)(x, NULL, NULL), "argument 2 is NULL where a function is expected");
    REFUSED((t_saved_tensor)(NULL, 0), "argument 1 is NULL where a context is expected");
    REFUSED((t_needs_input_grad)(NULL, 0), "argument 1 is NULL where a context is expected");
    REFUSED((t_attributes)(NULL), "argument 1 is NULL where a context is expected");
    REFUSED(t_keep_as_object(NULL, x), "argument 1 is NULL where the address of a variable is expected");
    t_BackwardSteps *steps = (t_backward_begin)(t_mul(x, 2), NULL);
    REFUSED((t_backward_next)(steps, NULL), "argument 2 is NULL where a step is expected");
    (t_backward_end)(steps);
    REFUSED((nn_module_new)(sizeof(nn_Module), NULL, NULL), "argument 2 is NULL where a class name is expected");
    ck_assert_ptr_null((nn_module_new)(sizeof(nn_Module) - 1, "Small", NULL));
    ck_assert_ptr_nonnull(strstr(t_error(), "a module's struct begins with an nn_Module"));
    t_clear_error();
}
END_TEST

START_TEST(an_index_at_the_end_of_the_range) {
    REFUSED((nn_get)(nn_Sequential(nn_ReLU()), INT64_MIN), "index -9223372036854775808 is out of range");
    REFUSED((nn_get)(nn_Sequential(nn_ReLU()), INT64_MAX), "index 9223372036854775807 is out of range");
}
END_TEST

/* ---- dtypes ---- */

START_TEST(dtypes_that_are_none) {
    Tensor *x = t_ones(2);
    const int numbers[] = {-1, T_DTYPES, 77, INT_MAX, INT_MIN};
    for (int i = 0; i < 5; i++) {
        const t_DType dtype = (t_DType)numbers[i];
        const t_TensorOptions options = {.size = sizeof options, .dtype = dtype};
        char message[60];
        snprintf(message, sizeof message, "%d is not a dtype", numbers[i]);
        REFUSED((t_zeros)(SHAPE(2), &options), message);
        REFUSED((t_full)(SHAPE(2), 1, &options), message);
        REFUSED((t_arange)(0, 2, 1, &options), message);
        REFUSED((t_rand)(SHAPE(2), &options), message);
        REFUSED((t_eye)(2, 2, &options), message);
        REFUSED((t_nansum)(x, NULL, 0, false, dtype), message);
        REFUSED((t_nanmean)(x, NULL, 0, false, dtype), message);
        REFUSED((t_sum_as)(x, NULL, 0, false, dtype), message);
        REFUSED((t_mean_as)(x, NULL, 0, false, dtype), message);
        REFUSED((t_prod)(x, 0, false, dtype), message);
        REFUSED((t_norm)(x, 2, NULL, 0, false, dtype), message);
        REFUSED((t_cumsum)(x, 0, dtype), message);
        REFUSED((t_softmax_as)(x, 0, dtype), message);
        REFUSED((t_to)(x, dtype), message);
        ck_assert_ptr_null((nn_to)(nn_Linear(1, 1), dtype));
        ck_assert_ptr_nonnull(t_error());
        t_clear_error();
        ck_assert_ptr_null(
            (nn_Linear_new)(1, 1, &(nn_LinearOptions){.size = sizeof(nn_LinearOptions), .dtype = dtype}));
        ck_assert_ptr_nonnull(t_error());
        t_clear_error();
    }
}
END_TEST

Suite *arguments_suite(void);
Suite *arguments_suite(void) {
    Suite *suite = suite_create("arguments");
    TCase *tests = tcase_create("arguments");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, a_number_is_one_element_without_dims);
    tcase_add_test(tests, indices_of_a_tensor_without_dims);
    tcase_add_test(tests, arrays_that_are_not_there);
    tcase_add_test(tests, an_array_that_failed_passes_on_in_silence);
    tcase_add_test(tests, counts_and_arrays_are_named);
    tcase_add_test(tests, structs_and_functions_that_are_not_there);
    tcase_add_test(tests, an_index_at_the_end_of_the_range);
    tcase_add_test(tests, dtypes_that_are_none);
    suite_add_tcase(suite, tests);
    return suite;
}
