/* tests/optim/test_swa_utils.c: averaged models and update_bn, with PyTorch's numbers, which are short enough to be
 * here: a Linear(2, 1) whose weights are set in each step. */
#include <math.h>

#include "optim/swa_utils/swa_utils.h"
#include "tests/support/refusals.h"
#include "tests/support/support.h"

static void set_weights(nn_Linear *model, double value) {
    with_no_grad() {
        t_fill_(model->weight, value);
        t_fill_(model->bias, -value);
    }
}

/* The weights of the average after models with the weights 1, 2, 4 and 8. */
static double average_of(optim_AveragedModel *averaged, nn_Linear *model) {
    for (int i = 0; i < 4; i++) {
        set_weights(model, pow(2, i));
        HOLDS(optim_update_parameters(averaged, model));
    }
    nn_Linear *copy = nn_as(averaged->module, nn_Linear);
    HOLDS(copy != model && t_item_int64(averaged->n_averaged) == 4);
    HOLDS(t_item(t_at(copy->weight, "0, 1")) == -t_item(t_at(copy->bias, "0")));
    return t_item(t_at(copy->weight, "0, 1"));
}

static Tensor *half_way(Tensor *averaged, Tensor *current, Tensor *n_averaged, void *context) {
    HOLDS(t_item_int64(n_averaged) > 0);
    return t_mul(t_add(averaged, current), *(const double *)context);
}

START_TEST(averages_are_pytorchs) {
    nn_Linear *model = nn_Linear(2, 1);
    double half = 0.5;
    ck_assert_double_eq_tol(average_of(optim_AveragedModel(model), model), 3.75, 1e-6);
    optim_AvgFn *mean = optim_get_swa_avg_fn(), *by_lerp = optim_get_swa_multi_avg_fn();
    ck_assert_double_eq_tol(average_of(optim_AveragedModel(model, .avg_fn = mean), model), 3.75, 1e-6);
    ck_assert_double_eq_tol(average_of(optim_AveragedModel(model, .multi_avg_fn = by_lerp), model), 3.75, 1e-6);
    /* ((1 * 0.75 + 2 * 0.25) * 0.75 + 4 * 0.25) * 0.75 + 8 * 0.25 */
    optim_AvgFn *ema = optim_get_ema_multi_avg_fn(0.75), *plain = optim_get_ema_avg_fn(0.75);
    ck_assert_double_eq_tol(average_of(optim_AveragedModel(model, .multi_avg_fn = ema), model), 3.453125, 1e-6);
    ck_assert_double_eq_tol(average_of(optim_AveragedModel(model, .avg_fn = plain), model), 3.453125, 1e-6);
    optim_AvgFn *own = (optim_avg_fn)(half_way, &half);
    ck_assert_double_eq_tol(average_of(optim_AveragedModel(model, .avg_fn = own), model), 5.375, 1e-6);
    optim_AveragedModel *averaged = optim_AveragedModel(model);
    t_TensorDict *dict = nn_state_dict(averaged);
    HOLDS(t_dict_has(dict, "n_averaged") && t_dict_has(dict, "module.weight"));
    HOLDS(t_equal(nn_call(averaged, t_ones(3, 2)), nn_call(model, t_ones(3, 2))));
    nn_Bilinear *of_two = nn_Bilinear(2, 2, 1);
    HOLDS(t_equal(nn_call(optim_AveragedModel(of_two), t_ones(3, 2), t_ones(3, 2)),
                  nn_call(of_two, t_ones(3, 2), t_ones(3, 2))));
}
END_TEST

START_TEST(averages_refuse) {
    nn_Linear *model = nn_Linear(2, 1);
    expect_refusal(!optim_get_ema_avg_fn(1.5),
                   "Invalid decay value 1.5 provided. Please provide a value in [0,1] range.");
    optim_AvgFn *mean = optim_get_swa_avg_fn();
    expect_refusal(!optim_AveragedModel(model, .avg_fn = mean, .multi_avg_fn = mean),
                   "Only one of avg_fn and multi_avg_fn should be provided");
    expect_refusal(!optim_update_parameters(optim_AveragedModel(model), nn_Sequential(model, nn_Linear(1, 1))),
                   "the model has 4 tensors where the average has 2");
}
END_TEST

START_TEST(running_statistics_are_the_mean_over_batches) {
    nn_BatchNorm1d *norm = nn_BatchNorm1d(1);
    nn_Sequential *model = nn_Sequential(norm);
    Tensor *x = t_tensor("[[0.], [2.], [4.], [8.]]");
    data_DataLoader *loader = data_DataLoader(data_TensorDataset(t_list(x)), .batch_size = 2);
    nn_eval(model);
    HOLDS(optim_update_bn(loader, model));
    HOLDS(t_item(norm->running_mean) == 3.5 && t_item(norm->running_var) == 5);
    HOLDS(norm->momentum == 0.1 && !norm->base.training && t_item_int64(norm->num_batches_tracked) == 2);
    HOLDS(optim_update_bn(loader, nn_Linear(1, 1)));
}
END_TEST

typedef struct Averaging {
    optim_AveragedModel *averaged;
    nn_Linear *model;
} Averaging;

static bool averages(void *with) {
    const Averaging *a = with;
    return (optim_update_parameters)(a->averaged, a->model);
}

static bool is_the_first_average(void *with) {
    const Averaging *a = with;
    const nn_Linear *copy = nn_as(a->averaged->module, nn_Linear);
    return t_item(t_at(copy->weight, "0, 1")) == 1 && t_item(copy->bias) == -1 &&
           t_item_int64(a->averaged->n_averaged) == 1;
}

START_TEST(without_memory_no_parameter_is_averaged) {
    Averaging a = {.model = nn_Linear(2, 1)};
    a.averaged = optim_AveragedModel(a.model);
    set_weights(a.model, 1);
    HOLDS(optim_update_parameters(a.averaged, a.model));
    set_weights(a.model, 3);
    refuse_all("optim_update_parameters", averages, is_the_first_average, &a);
    const nn_Linear *copy = nn_as(a.averaged->module, nn_Linear);
    HOLDS(t_item(t_at(copy->weight, "0, 1")) == 2 && t_item(copy->bias) == -2);
    report_notes();
}
END_TEST

/* An average that is a view of the old one is read before the old one is written. */
static Tensor *reversed(Tensor *averaged, Tensor *current, Tensor *n_averaged, void *context) {
    (void)current, (void)n_averaged, (void)context;
    return t_dim(averaged) == 2 ? t_t(averaged) : averaged;
}

START_TEST(an_average_may_be_a_view) {
    nn_Linear *model = nn_Linear(2, 2);
    with_no_grad () t_copy_(model->weight, t_tensor("[[1., 2.], [3., 4.]]"));
    optim_AveragedModel *averaged = optim_AveragedModel(model, .avg_fn = optim_avg_fn(reversed, NULL));
    for (int i = 0; i < 2; i++) HOLDS(optim_update_parameters(averaged, model));
    HOLDS(t_equal(nn_as(averaged->module, nn_Linear)->weight, t_tensor("[[1., 3.], [2., 4.]]")));
}
END_TEST

Suite *swa_utils_suite(void) {
    Suite *suite = suite_create("swa_utils");
    TCase *tests = tcase_create("swa_utils");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, averages_are_pytorchs);
    tcase_add_test(tests, averages_refuse);
    tcase_add_test(tests, without_memory_no_parameter_is_averaged);
    tcase_add_test(tests, an_average_may_be_a_view);
    tcase_add_test(tests, running_statistics_are_the_mean_over_batches);
    suite_add_tcase(suite, tests);
    return suite;
}
