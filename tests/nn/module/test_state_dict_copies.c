/* tests/nn/module/test_state_dict_copies.c: how load_state_dict() copies: dtypes, strides, bits, graphs and packed
 * weights that notice, assign=True; and a load succeeds completely or changes nothing. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/models/state_net.h"
#include "tests/support/refusals.h"

START_TEST(copies_as_copy_does) {
    Net *model = net();
    t_TensorDict *dict = nn_state_dict(net());
    t_dict_set(dict, "fc.weight", t_tensor("[[1, 2, 3], [4, 5, 6]]"));
    t_dict_set(dict, "fc.bias", t_transpose(t_tensor("[[0.5, nan], [1e300, -0.0]]", .dtype = t_float64), 0, 1));
    t_dict_set(dict, "fc.bias", t_at(t_dict_get(dict, "fc.bias"), "0"));
    t_dict_set(dict, "bn.num_batches_tracked", t_tensor("3.7"));
    t_dict_set(dict, "bn.bias", t_tensor("[nan, -0.0]"));
    t_dict_delete(dict, "again.weight");
    t_dict_delete(dict, "again.bias");
    HOLDS(nn_load_state_dict(model, dict, .strict = false));
    expect_printed(t_detach(model->fc->weight), "tensor([[1., 2., 3.],\n        [4., 5., 6.]])");
    expect_printed(t_detach(model->fc->bias), "tensor([0.5000,    inf])");
    expect_printed(model->bn->num_batches_tracked, "tensor(3)");
    expect_printed(t_detach(model->bn->bias), "tensor([nan, -0.])");
    /* the bits of a NaN that is not the usual one */
    const uint32_t bits[] = {0x7fa00001u, 0xffc12345u};
    Tensor *odd = t_empty(2);
    memcpy(t_data_ptr_mut(odd), bits, sizeof bits);
    t_dict_set(dict, "bn.bias", odd);
    HOLDS(nn_load_state_dict(model, dict, .strict = false) &&
          memcmp(t_data_ptr(model->bn->bias), bits, sizeof bits) == 0);
    /* a view of the destination */
    nn_Linear *square = nn_Linear(2, 2);
    Tensor *want = t_clone(t_t(t_detach(square->weight)));
    dict = nn_state_dict(square);
    t_dict_set(dict, "weight", t_t(t_dict_get(dict, "weight")));
    HOLDS(nn_load_state_dict(square, dict) && same_bits_of(want, square->weight));
}
END_TEST

/* A matrix product that has packed the weight, and a graph that has saved it. */
START_TEST(the_tape_and_packed_weights_see_it) {
    nn_Linear *fc = nn_Linear(64, 64), *other = nn_Linear(64, 64);
    Tensor *x = t_rand(64, 64, .requires_grad = true), *y;
    with_no_grad() for (int i = 0; i < 3; i++) y = nn_call(fc, x);
    Tensor *loss = t_sum(nn_call(fc, x));
    HOLDS(nn_load_state_dict(fc, nn_state_dict(other)));
    with_no_grad() {
        y = nn_call(fc, x);
        HOLDS(same_bits_of(y, nn_call(other, x)));
    }
    HOLDS(!t_backward(loss));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "has been modified by an inplace operation"));
    t_clear_error();
}
END_TEST

/* PyTorch gives the gradient of the old weights; here they are freed, and backward is an error. */
START_TEST(a_graph_notices_that_data_was_assigned) {
    nn_Linear *model = nn_Linear(3, 2), *other = nn_Linear(3, 2);
    Tensor *x = t_tensor("[1, 2, 3]", .dtype = t_float32, .requires_grad = true);
    Tensor *y = t_sum(nn_call(model, x));
    HOLDS(nn_load_state_dict(model, nn_state_dict(other), .assign = true));
    ck_assert(!(t_backward)(y, NULL));
    ck_assert(strstr(t_error_message(), "modified by an inplace operation"));
    t_clear_error();
}
END_TEST

START_TEST(assign_takes_the_data_over) {
    Net *model = net();
    Tensor *weight = model->fc->weight;
    optim_Optimizer *optimizer = optim_SGD(nn_parameters(model), 1);
    t_backward(t_sum(nn_call(model->fc, t_ones(1, 3))));
    t_TensorDict *dict = t_dict();
    Tensor *given_weight = t_ones(2, 3, .dtype = t_float64);
    t_dict_set(dict, "fc.weight", given_weight);
    t_dict_set(dict, "fc.bias", t_zeros(2, .dtype = t_float64));
    HOLDS(nn_load_state_dict(model, dict, .strict = false, .assign = true));
    HOLDS(model->fc->weight == weight && t_dtype(weight) == t_float64 && t_requires_grad(weight) && !t_grad(weight));
    HOLDS(t_data_ptr(weight) == t_data_ptr(given_weight));
    t_backward(t_sum(nn_call(model->fc, t_ones(1, 3, .dtype = t_float64))));
    HOLDS(optim_step(optimizer) && t_item(t_sum(given_weight)) == 0);
    t_dict_set(dict, "fc.weight", t_tensor("[[1, 2, 3], [4, 5, 6]]"));
    HOLDS(!nn_load_state_dict(model, dict, false, true));
    ck_assert_ptr_nonnull(strstr(t_error_message(), "Only Tensors of floating point"));
    t_clear_error();
    HOLDS(t_item(t_sum(weight)) == 0);
}
END_TEST

/* ---- without memory ---- */

typedef struct Loading {
    Net *model, *before;
    t_TensorDict *dict;
} Loading;

static bool loads(void *loading) {
    const Loading *l = loading;
    nn_IncompatibleKeys keys;
    return nn_state_dict(l->model) && nn_load_state_dict(l->model, l->dict, .keys = &keys);
}

static bool is_as_before(void *loading) {
    return same_state(((Loading *)loading)->model, ((Loading *)loading)->before);
}

START_TEST(every_failing_allocation_leaves_the_model_as_it_was) {
    Loading loading = {net(), net(), nn_state_dict(net())};
    HOLDS(nn_load_state_dict(loading.before, nn_state_dict(loading.model)));
    t_dict_set(loading.dict, "fc.weight", t_t(t_ones(3, 2)));
    t_dict_set(loading.dict, "again.weight", t_t(t_ones(3, 2))); /* the same tensor by its other name, written last */
    t_dict_set(loading.dict, "slope", t_ones(1));
    refuse_all("nn_load_state_dict", loads, is_as_before, &loading);
    HOLDS(t_item(t_sum(loading.model->fc->weight)) == 6);
    report_notes();
}
END_TEST

Suite *state_dict_copies_suite(void);
Suite *state_dict_copies_suite(void) {
    Suite *suite = suite_create("state_dict_copies");
    TCase *tests = tcase_create("state_dict_copies");
    tcase_add_checked_fixture(tests, support_setup, support_teardown);
    tcase_add_test(tests, copies_as_copy_does);
    tcase_add_test(tests, the_tape_and_packed_weights_see_it);
    tcase_add_test(tests, a_graph_notices_that_data_was_assigned);
    tcase_add_test(tests, assign_takes_the_data_over);
    tcase_add_test(tests, every_failing_allocation_leaves_the_model_as_it_was);
    suite_add_tcase(suite, tests);
    return suite;
}
