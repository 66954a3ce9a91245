/* tests/optim/test_optim.c: optimizers and the state they keep. The recorded numbers are PyTorch 2.15's (single-tensor
 * path). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "core/tensor/tensor.h"
#include "nn/nn.h"
#include "optim/optim.h"
#include "tests/support/support.h"

/* ---- ten steps against PyTorch ---- */

/* Options that are not given are 0: foreach and its like, which mean nothing. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { sgd, adam, adamw, rmsprop, adagrad };
#define SGD(...) sgd, {.sgd = {sizeof(optim_SGDOptions), __VA_ARGS__}}
#define ADAM(...) adam, {.adam = {sizeof(optim_AdamOptions), __VA_ARGS__}}
#define ADAMW(...) adamw, {.adam = {sizeof(optim_AdamOptions), __VA_ARGS__}}
#define RMSPROP(...) rmsprop, {.rmsprop = {sizeof(optim_RMSpropOptions), __VA_ARGS__}}
#define ADAGRAD(...) adagrad, {.adagrad = {sizeof(optim_AdagradOptions), __VA_ARGS__}}

/* p = [1, -2, 0.5], loss = sum([1, 2, 3] * p * p). SGD: lr, momentum, dampening, weight_decay, nesterov, maximize.
 * Adam: lr, betas, eps, weight_decay, amsgrad, maximize. RMSprop: lr, alpha, eps, weight_decay, momentum, centered,
 * maximize. Adagrad: lr, lr_decay, weight_decay, initial_accumulator_value, eps, maximize. */
static const struct {
    int algorithm;
    union {
        optim_SGDOptions sgd;
        optim_AdamOptions adam;
        optim_RMSpropOptions rmsprop;
        optim_AdagradOptions adagrad;
    };
    double f32[3], f64[3];
} runs[] = {
    {SGD(.1, 0, 0, 0, false, false),
     {0.107374169, -0.0120932357, 5.24287789e-05}, {0.1073741824, -0.012093235199999998, 5.2428799999999982e-05}},
    {SGD(.1, .9, 0, 0, false, false),
     {0.00439982256, -1.03335738, -0.190732151}, {0.0043998706000001149, -1.0333575000000002, -0.19073219290000007}},
    {SGD(.05, .8, .25, .1, false, false),
     {-0.286556274, 0.377845138, 0.0773895755}, {-0.28655626660476635, 0.37784514638965272, 0.077389550337212842}},
    {SGD(.05, .9, 0, .01, true, false),
     {-0.345015138, -0.105252936, 0.0562667362}, {-0.34501517639950785, -0.10525292673427031, 0.05626674710693777}},
    {SGD(.01, .5, 0, 0, false, true),
     {1.41135013, -3.87942696, 1.30460942}, {1.4113500750183114, -3.8794273964352719, 1.3046093740636373}},
    {ADAM(1e-3, {.9, .999}, 1e-8, 0, false, false),
     {0.990003228, -1.99000168, 0.490006506}, {0.99000324734780265, -1.9900016170569963, 0.49000654785519515}},
    {ADAM(.1, {.9, .98}, 1e-9, 0, false, false),
     {0.0698524266, -1.02125049, -0.206874907}, {0.069852415310945118, -1.0212505267386718, -0.20687490971351091}},
    {ADAM(.05, {.9, .999}, 1e-8, .1, false, false),
     {0.512293398, -1.50495589, 0.0381245948}, {0.51229342011035739, -1.5049558369199674, 0.038124576940589683}},
    {ADAM(.05, {.3, .5}, 1e-8, 0, true, false),
     {0.558007181, -1.52300727, 0.13242662}, {0.55800723182794709, -1.5230071103904042, 0.13242662092909011}},
    {ADAM(.05, {.9, .999}, 1e-8, 0, false, true),
     {1.50545001, -2.50329876, 1.00759709}, {1.5054499676654509, -2.5032987323957876, 1.0075971463168822}},
    {ADAMW(1e-3, {.9, .999}, 1e-8, 1e-2, false, false),
     {0.989903569, -1.98980188, 0.489956975}, {0.98990373441204793, -1.9898021084376771, 0.48995703303939503}},
    {ADAMW(.1, {.9, .999}, 1e-8, .2, false, false),
     {-0.00301384926, -0.755749822, -0.191838339},
     {-0.0030139350585645375, -0.75574963792156324, -0.19183831481109803}},
    {ADAMW(.1, {.8, .9}, 1e-8, 0, true, false),
     {0.10598518, -1.02700651, -0.129434183}, {0.10598519166778654, -1.0270065142909401, -0.1294341815984828}},
    {RMSPROP(.01, .99, 1e-8, 0, 0, false, false),
     {0.549891114, -1.51979387, 0.119587071}, {0.54989111906027233, -1.5197938006303389, 0.11958709283795624}},
    {RMSPROP(.05, .9, 1e-6, 0, .8, false, false),
     {-0.269785583, 0.240920544, 0.121103376}, {-0.26978556422904776, 0.24092038098153065, 0.1211033401859897}},
    {RMSPROP(.02, .4, 1e-8, .1, 0, true, false),
     {0.193332478, -0.79520762, 0.0160492454}, {0.19333219680895639, -0.79520595973108743, 0.016049219562036317}},
    {RMSPROP(.02, .95, 1e-3, .01, .5, true, true),
     {2.09425545, -3.04379749, 1.6639837}, {2.0942555157563922, -3.0437977369216305, 1.6639837109894513}},
    {ADAGRAD(.01, 0, 0, 0, 1e-10, false),
     {0.950282335, -1.9500345, 0.450789183}, {0.95028234365684972, -1.9500343837643992, 0.45078915349816145}},
    {ADAGRAD(.5, .1, .01, .3, 1e-6, false),
     {0.0251541138, -0.506454408, 1.36647515e-07}, {0.025154127236072313, -0.50645442279622122, 1.366476147320298e-07}},
    {ADAGRAD(.1, 0, 0, 0, 1e-10, true),
     {1.54396427, -2.52462816, 1.07479262}, {1.5439641425105912, -2.5246283199199047, 1.0747925677769818}},
};

static optim_Optimizer *make(int i, t_TensorList *params) {
    switch (runs[i].algorithm) {
    case sgd: return optim_SGD_new(params, &runs[i].sgd);
    case adam: return optim_Adam_new(params, &runs[i].adam);
    case adamw: return optim_AdamW_new(params, &runs[i].adam);
    case rmsprop: return optim_RMSprop_new(params, &runs[i].rmsprop);
    default: return optim_Adagrad_new(params, &runs[i].adagrad);
    }
}

/* stride 2: the parameter is every other element of a larger tensor. */
static Tensor *parameter(t_DType dtype, bool strided) {
    if (!strided) return t_tensor("[1., -2., 0.5]", .dtype = dtype, .requires_grad = true);
    Tensor *x = t_at(t_tensor("[1., 9., -2., 9., 0.5, 9.]", .dtype = dtype), "::2");
    return t_requires_grad_(t_detach(x), true);
}

static void descend(optim_Optimizer *optimizer, Tensor *p) {
    optim_zero_grad(optimizer);
    t_backward(t_sum(t_mul(t_mul(p, p), t_tensor("[1., 2., 3.]", .dtype = t_dtype(p)))));
    ck_assert(optim_step(optimizer));
}

START_TEST(ten_steps_are_pytorchs) {
    for (int strided = 0; strided < 2; strided++)
        for (t_DType dtype = t_float32; dtype <= t_float64; dtype++) {
            Tensor *p = parameter(dtype, strided);
            optim_Optimizer *optimizer = make(_i, t_list(p));
            for_range (step, 0, 10) descend(optimizer, p);
            double *got = values_of(p);
            const double *want = dtype == t_float32 ? runs[_i].f32 : runs[_i].f64;
            compare_values(strided ? "strided" : "dense", got, want, 3, dtype, VALUE);
            free(got);
        }
    report_notes();
}
END_TEST

/* ---- what a step touches ---- */

START_TEST(a_step_is_outside_autograd) {
    Tensor *p = parameter(t_float32, false), *idle = parameter(t_float32, false);
    optim_Optimizer *optimizer = optim_AdamW(t_list(p, idle), .lr = 0.1);
    int64_t version = p->storage->version, records = tg_thread.records_made;
    t_set_grad(p, t_ones(3));
    ck_assert(optim_step(optimizer));
    ck_assert_int_gt(p->storage->version, version);
    ck_assert_int_eq(tg_thread.records_made, records);
    ck_assert(t_is_leaf(p) && t_requires_grad(p) && t_is_grad_enabled());
    ck_assert(t_equal(t_detach(idle), t_tensor("[1., -2., 0.5]")));
    ck_assert_int_eq(idle->storage->version, 0);
}
END_TEST

START_TEST(state_is_made_once) {
    Tensor *p = parameter(t_float32, false);
    optim_Optimizer *optimizer = optim_Adam(t_list(p), .amsgrad = true);
    t_set_grad(p, t_ones(3));
    optim_step(optimizer);
    int64_t requests = tg_alloc_requests(), live = t_live_count();
    for (int i = 0; i < 3; i++) optim_step(optimizer);
    ck_assert_int_eq(tg_alloc_requests(), requests);
    ck_assert_int_eq(t_live_count(), live);
}
END_TEST

/* As in PyTorch the first b is g whenever the momentum begins, and dampening counts from the next on; so a run that was
 * saved before that continues like an uninterrupted one. */
START_TEST(momentum_may_begin_late) {
    const double after[] = {0.9, 0.8, 0.66, 0.484};
    Tensor *p = t_requires_grad_(t_ones(1), true);
    optim_Optimizer *o = optim_SGD(t_list(p), 0.1, .dampening = 0.5);
    for (int i = 0; i < 4; i++) {
        o->param_groups[0].momentum = i ? 0.9 : 0;
        optim_zero_grad(o);
        t_backward(t_sum(p));
        ck_assert(optim_step(o));
        ck_assert_double_eq_tol(t_item(p), after[i], 1e-6);
    }
}
END_TEST

START_TEST(a_failed_allocation_changes_nothing) {
    Tensor *p = parameter(t_float32, false), *q = parameter(t_float64, false);
    t_TensorList *params = t_list(p, q);
    t_set_grad(p, t_ones(3));
    t_set_grad(q, t_ones(3, .dtype = t_float64));
    int64_t live = t_live_count();
    for (int n = 1; n < 6; n++) { /* object, groups, state, list and its items */
        tg_alloc_fail(n, false);
        ck_assert_ptr_null(optim_Adam_new(params, NULL));
        tg_alloc_fail(0, false);
        ck_assert_int_eq(t_live_count(), live);
    }
    t_clear_error();
    optim_Optimizer *optimizer = optim_Adam_new(params, NULL);
    ck_assert_ptr_nonnull(optimizer);
    for (int n = 1; n < 4; n++) {
        tg_alloc_fail(n, false);
        ck_assert(!(optim_step)(optimizer));
        tg_alloc_fail(0, false);
        ck_assert(t_equal(t_detach(p), t_tensor("[1., -2., 0.5]")));
        ck_assert(p->storage->version == 0 && q->storage->version == 0);
        ck_assert(t_is_grad_enabled());
    }
    t_clear_error();
    ck_assert((optim_step)(optimizer));
    ck_assert_double_eq_tol(t_item(t_at(p, "0")), 0.999, 1e-6);
}
END_TEST

START_TEST(zero_grad) {
    Tensor *p = parameter(t_float32, false);
    optim_Optimizer *optimizer = optim_SGD(t_list(p));
    t_set_grad(p, t_ones(3));
    ck_assert(optim_zero_grad(optimizer, .set_to_none = false));
    ck_assert(t_equal(t_grad(p), t_zeros(3)));
    ck_assert(optim_zero_grad(optimizer));
    ck_assert_ptr_null(t_grad(p));
    Tensor *all = t_ones(3, 2), *column = t_select(all, 1, 0); /* a gradient with strides: its neighbours stay */
    t_set_grad(p, column);
    ck_assert(optim_zero_grad(optimizer, .set_to_none = false) && t_grad(p) == column);
    ck_assert(t_equal(all, t_tensor("[[0., 1], [0, 1], [0, 1]]")));
}
END_TEST

START_TEST(parameters_outlive_their_scope) {
    optim_Optimizer *optimizer = NULL;
    with_scope() optimizer = t_keep(optim_SGD(t_list(parameter(t_float32, false)), .lr = 1));
    Tensor *p = optimizer->param_groups[0].params->items[0];
    t_set_grad(p, t_ones(3));
    ck_assert(optim_step(optimizer));
    ck_assert(t_equal(t_detach(p), t_tensor("[0., -3., -0.5]")));
}
END_TEST

START_TEST(defaults_are_pytorchs) {
    t_TensorList *params = t_list(parameter(t_float32, false));
    const optim_ParamGroup *g = optim_Adam(params)->param_groups;
    ck_assert(g->lr == 1e-3 && g->betas[0] == 0.9 && g->betas[1] == 0.999 && g->eps == 1e-8 && g->weight_decay == 0);
    ck_assert(!g->amsgrad && !g->maximize && isnan(g->initial_lr));
    ck_assert_double_eq(optim_AdamW(params, .betas = {0.9, 0.98}, .lr = 2)->param_groups[0].weight_decay, 1e-2);
    g = optim_SGD(params, 0.1, 0.9, .nesterov = true)->param_groups;
    ck_assert(g->lr == 0.1 && g->momentum == 0.9 && g->nesterov && g->dampening == 0);
    g = optim_RMSprop(params, .centered = true)->param_groups;
    ck_assert(g->lr == 1e-2 && g->alpha == 0.99 && g->eps == 1e-8 && g->weight_decay == 0 && g->momentum == 0 &&
              g->centered);
    g = optim_Adagrad(params, 0.5, .lr_decay = 0.1)->param_groups;
    ck_assert(g->lr == 0.5 && g->lr_decay == 0.1 && g->eps == 1e-10 && g->initial_accumulator_value == 0 &&
              !g->maximize);
    optim_AdamOptions older = {.size = offsetof(optim_AdamOptions, betas), .lr = 0.5};
    g = optim_Adam_new(params, &older)->param_groups; /* a caller whose struct ends with lr */
    ck_assert(g->lr == 0.5 && g->betas[1] == 0.999 && g->eps == 1e-8);
}
END_TEST

START_TEST(groups) {
    Tensor *p = parameter(t_float32, false), *q = parameter(t_float32, false);
    optim_Optimizer *optimizer = optim_SGD(t_list(p), .lr = 1);
    ck_assert(optim_add_param_group(optimizer, t_list(q), .lr = 0.5));
    ck_assert_int_eq(optimizer->len, 2);
    t_set_grad(p, t_ones(3));
    t_set_grad(q, t_ones(3));
    optim_step(optimizer);
    ck_assert(t_equal(t_detach(p), t_tensor("[0., -3., -0.5]")));
    ck_assert(t_equal(t_detach(q), t_tensor("[0.5, -2.5, 0.]")));
    ck_assert(optim_set_lr(optimizer, 0.25) && optim_get_lr(optimizer) == 0.25);
    ck_assert_double_eq(optimizer->param_groups[1].lr, 0.25);
    ck_assert(!optim_add_param_group(optimizer, t_list(parameter(t_float32, false), p)));
    expect_error("some parameters appear in more than one parameter group");
    ck_assert(!optim_add_param_group(optimizer, t_list(parameter(t_float32, false)), .lr = -1));
    expect_error("Invalid learning rate: -1.0");
    ck_assert_int_eq(optimizer->len, 2);
}
END_TEST

START_TEST(groups_have_numbers_and_flags_of_their_own) {
    t_TensorList *one = t_list(parameter(t_float32, false)), *two = t_list(parameter(t_float32, false));
    optim_Optimizer *optimizer = optim_RMSprop(one, .momentum = 0.5);
    ck_assert(optim_add_param_group(optimizer, two, .alpha = 0.5, .centered = true, .momentum = 0, .maximize = true));
    const optim_ParamGroup *a = &optimizer->param_groups[0], *b = &optimizer->param_groups[1];
    ck_assert(a->alpha == 0.99 && !a->centered && a->momentum == 0.5 && !a->maximize);
    ck_assert(b->alpha == 0.5 && b->centered && b->momentum == 0 && b->maximize && b->lr == a->lr);
    optimizer = optim_Adagrad(one);
    ck_assert(optim_add_param_group(optimizer, two, .lr_decay = 1, .initial_accumulator_value = 2));
    ck_assert(optimizer->param_groups[1].lr_decay == 1 && optimizer->param_groups[1].initial_accumulator_value == 2);
    optimizer = optim_Adam(one, .amsgrad = true);
    ck_assert(optim_add_param_group(optimizer, two, .amsgrad = false) && !optimizer->param_groups[1].amsgrad);
}
END_TEST

/* ---- errors ---- */

#define REFUSED(call, message)                     \
    do {                                           \
        ck_assert_ptr_null(call);                  \
        expect_error(message);                     \
    } while (0)

START_TEST(constructors_refuse) {
    Tensor *p = parameter(t_float32, false);
    t_TensorList *one = t_list(p);
    REFUSED(optim_SGD((t_list_new)(NULL, 0)), "optimizer got an empty parameter list");
    REFUSED(optim_SGD(one, .lr = -1), "Invalid learning rate: -1.0");
    REFUSED(optim_SGD(one, .momentum = -0.5), "Invalid momentum value: -0.5");
    REFUSED(optim_SGD(one, .weight_decay = -1e-5), "Invalid weight_decay value: -1e-05");
    REFUSED(optim_SGD(one, .nesterov = true), "Nesterov momentum requires a momentum and zero dampening");
    REFUSED(optim_SGD(one, .momentum = 1, .dampening = 1, .nesterov = true),
            "Nesterov momentum requires a momentum and zero dampening");
    REFUSED(optim_Adam(one, .eps = -123456789), "Invalid epsilon value: -123456789.0");
    REFUSED(optim_Adam(one, .betas = {1, 0.5}), "Invalid beta parameter at index 0: 1.0");
    REFUSED(optim_AdamW(one, .betas = {0.9, -0.1}), "Invalid beta parameter at index 1: -0.1");
    REFUSED(optim_RMSprop(one, .alpha = -0.5), "Invalid alpha value: -0.5");
    REFUSED(optim_RMSprop(one, .momentum = -1), "Invalid momentum value: -1.0");
    REFUSED(optim_RMSprop(one, .eps = -1), "Invalid epsilon value: -1.0");
    REFUSED(optim_Adagrad(one, .lr_decay = -1), "Invalid lr_decay value: -1.0");
    REFUSED(optim_Adagrad(one, .weight_decay = -1), "Invalid weight_decay value: -1.0");
    REFUSED(optim_Adagrad(one, .initial_accumulator_value = -1), "Invalid initial_accumulator_value value: -1.0");
    REFUSED(optim_Adam(one, .lr = (double)NAN), "Invalid learning rate: nan");
    REFUSED(optim_Adam(t_list(t_mul(p, 2))), "can't optimize a non-leaf Tensor");
    REFUSED(optim_Adam(t_list(p, p)), "optimizer contains a parameter group with duplicate parameters");
    REFUSED(optim_Adam_new(one, &(optim_AdamOptions){.lr = 1}), "the options' first field, size, is not set");
    REFUSED(optim_Adam_new(NULL, NULL), "argument 1 is NULL where a list of parameters is expected");
    REFUSED(optim_Adam((void *)nn_Linear(2, 2)), "argument 1 is not a live list of tensors");
    optim_SGD(one, .lr = -1);
    ck_assert_ptr_nonnull(strstr(last_error_text(), "test_optim.c:"));
    ck_assert_ptr_nonnull(strstr(last_error_text(), ": optim_SGD(one, .lr = -1): Invalid learning rate: -1.0"));
    t_clear_error();
}
END_TEST

START_TEST(a_step_refuses_what_changed) {
    Tensor *p = parameter(t_float32, false);
    optim_Optimizer *optimizer = optim_Adam(t_list(p));
    t_set_grad(p, t_ones(3));
    optim_step(optimizer);
    tg_set_data(p, t_to(t_detach(p), t_float64));
    t_set_grad(p, t_ones(3, .dtype = t_float64));
    ck_assert(!optim_step(optimizer));
    expect_error("parameter 0 is float64 of shape [3] now, but its optimizer state is float32 of shape [3]: make a new "
                 "optimizer");
    ck_assert(!(optim_step)(NULL));
    expect_error("argument 1 is NULL where an optimizer is expected");
    ck_assert(!(optim_step)((optim_Optimizer *)p));
    expect_error("argument 1 is not a live optimizer");
}
END_TEST

Suite *optim_suite(void);
Suite *optim_suite(void) {
    Suite *suite = suite_create("optim");
    TCase *tests = tcase_create("optim");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_loop_test(tests, ten_steps_are_pytorchs, 0, (int)(sizeof runs / sizeof *runs));
    tcase_add_test(tests, a_step_is_outside_autograd);
    tcase_add_test(tests, state_is_made_once);
    tcase_add_test(tests, momentum_may_begin_late);
    tcase_add_test(tests, a_failed_allocation_changes_nothing);
    tcase_add_test(tests, zero_grad);
    tcase_add_test(tests, parameters_outlive_their_scope);
    tcase_add_test(tests, defaults_are_pytorchs);
    tcase_add_test(tests, groups);
    tcase_add_test(tests, groups_have_numbers_and_flags_of_their_own);
    tcase_add_test(tests, constructors_refuse);
    tcase_add_test(tests, a_step_refuses_what_changed);
    suite_add_tcase(suite, tests);
    return suite;
}
